//! Finding and reading the files that documents name.

use super::error::{MeshError, MissingFile};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Largest file that is read, bytes. The largest of the original has some 30 MB.
const MAX_BYTES: u64 = 256 << 20;
/// How many folders above a document `model://` names are looked for.
const MAX_ANCESTORS: usize = 6;

/// The files of a world while it is read: where they may lie, which were used, which are missing.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// The folder that no lookup leaves, where there is one.
    within: Option<PathBuf>,
    pub(crate) used: BTreeSet<PathBuf>,
    pub(crate) missing: BTreeSet<MissingFile>,
}

impl Files {
    pub(crate) fn within(folder: Option<&Path>) -> Files {
        Files { within: folder.map(absolute), ..Files::default() }
    }

    /// Reads a whole file and remembers it.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Vec<u8>, MeshError> {
        let path = absolute(path);
        let bytes = read_file(&path)?;
        self.used.insert(path);
        Ok(bytes)
    }

    /// Reads a document. Bytes that are no UTF-8 (in names, say) do not matter.
    pub(crate) fn read_text(&mut self, path: &Path) -> Result<String, MeshError> {
        Ok(match String::from_utf8(self.read(path)?) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    pub(crate) fn note_missing(&mut self, reference: &str, named_in: &Path) {
        self.missing.insert(MissingFile { reference: reference.to_owned(), named_in: named_in.to_owned() });
    }

    /// The file or folder that an SDF document means: `model://NAME` is looked for beside the document and in the folders
    /// above it, and in their `models/`; anything else as [`beside`](Self::beside) does.
    pub(crate) fn by_uri(&self, uri: &str, document: &Path) -> Option<PathBuf> {
        let Some(rest) = ["model://", "package://"].iter().find_map(|scheme| uri.strip_prefix(scheme)) else {
            return self.beside(uri, document, &[]);
        };
        let rest = decoded(rest);
        let mut folder = absolute(document.parent()?);
        for _ in 0..=MAX_ANCESTORS {
            let places = [folder.join(&rest), folder.join("models").join(&rest)];
            if let Some(found) = places.into_iter().find_map(|place| self.existing(&place)) {
                return Some(found);
            }
            folder = folder.parent()?.to_owned();
        }
        None
    }

    /// The file that a document means by a path: relative to it, else by its name beside it or in one of `folders` beside it.
    /// Absolute paths are those of the machine the document was made on: only their file name counts.
    pub(crate) fn beside(&self, reference: &str, document: &Path, folders: &[&str]) -> Option<PathBuf> {
        let folder = absolute(document.parent()?);
        let is_url = reference.starts_with("file:");
        let reference = decoded(reference.trim_start_matches("file:").trim_start_matches("//")).replace('\\', "/");
        let path = Path::new(&reference);
        let is_drive = reference.get(1..2) == Some(":");
        let name = Path::new(path.file_name()?);
        let mut places = Vec::new();
        if path.is_relative() && !is_drive {
            places.push(folder.join(path));
        }
        if is_url || places.is_empty() || !folders.is_empty() {
            places.push(folder.join(name));
        }
        places.extend(folders.iter().map(|inner| folder.join(inner).join(name)));
        places.into_iter().find_map(|place| self.existing(&place))
    }

    /// The place itself when something is there, else what differs from it in case only.
    fn existing(&self, place: &Path) -> Option<PathBuf> {
        let place = absolute(place);
        if self.within.as_ref().is_some_and(|within| !place.starts_with(within)) {
            return None;
        }
        if place.exists() {
            return Some(place);
        }
        let name = place.file_name()?;
        let mut alike: Vec<PathBuf> = std::fs::read_dir(place.parent()?)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.file_name().is_some_and(|other| other.eq_ignore_ascii_case(name)))
            .collect();
        alike.sort();
        alike.into_iter().next()
    }
}

/// Reads a whole file of a bearable size.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, MeshError> {
    let failed = |source| MeshError::Files { action: "read", path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let too_large = |size| MeshError::TooLarge { path: path.to_owned(), size, unit: "bytes", limit: MAX_BYTES };
    let size = file.metadata().map_err(failed)?.len();
    if size > MAX_BYTES {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// A path without `.` and `..`, from the root on. Symbolic links stay what they are.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// With `%20` and the like decoded.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_and_decoded() {
        assert_eq!(absolute(Path::new("/a/b/../c/./d")), Path::new("/a/c/d"));
        assert_eq!(decoded("a%20b%2Fc%"), "a b/c%");
        assert_eq!(decoded("100%zz"), "100%zz");
    }

    #[test]
    fn files_are_found_where_the_original_looks() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for file in ["worlds/w.world", "models/m/model.sdf", "meshes/m/a b.dae", "meshes/m/textures/Road.PNG"] {
            std::fs::create_dir_all(at(file).parent().expect("a folder")).expect("created");
            std::fs::write(at(file), "x").expect("written");
        }
        let files = Files::within(Some(folder.path()));
        let sdf = at("models/m/model.sdf");
        assert_eq!(files.by_uri("model://models/m", &at("worlds/w.world")), Some(at("models/m")));
        assert_eq!(files.by_uri("model://m/model.sdf", &at("worlds/w.world")), Some(sdf.clone()));
        assert_eq!(files.by_uri("model://meshes/m/a%20b.dae", &sdf), Some(at("meshes/m/a b.dae")));
        let mesh = at("meshes/m/a b.dae");
        for reference in
            ["textures/Road.PNG", "textures/road.png", "file:///C:/art/road.png", "C:\\art\\road.png", "road.png"]
        {
            assert_eq!(
                files.beside(reference, &mesh, &["textures"]),
                Some(at("meshes/m/textures/Road.PNG")),
                "{reference}"
            );
        }
        assert_eq!(files.beside("grass.png", &mesh, &["textures"]), None);
        std::fs::write(at("secret.png"), "x").expect("written");
        assert_eq!(Files::within(Some(&at("meshes"))).beside("../../secret.png", &mesh, &[]), None, "outside");
    }
}
