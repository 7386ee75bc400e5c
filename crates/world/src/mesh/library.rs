//! Imported meshes, kept beside the routes of a racing folder.
//!
//! Of a world `NAME` the folder holds `NAME/world.json`, which says in which of the folders `NAME/1`, `NAME/2`, … the
//! files lie and which of them is read first. An import writes a new folder, then the one small file in one step: a crash
//! leaves either the old state or the new one.

use super::error::{MeshError, MissingFile};
use super::files::{absolute, read_file};
use super::scenery::Scenery;
use deepracer_track::{Route, catalogue};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// The file that says where the others are.
const MANIFEST: &str = "world.json";

/// Imported meshes of a racing folder.
#[derive(Debug, Clone)]
pub struct MeshLibrary {
    folder: PathBuf,
}

/// A world that can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshSource {
    /// The document that is read first, or a model's folder.
    pub path: PathBuf,
    /// What its files call it.
    pub name: String,
}

/// What to do in doubt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportChoices {
    /// Replace other meshes of the same world.
    pub force: bool,
    /// Import although files are missing.
    pub allow_missing: bool,
}

/// What an import found.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshImport {
    /// What was done.
    pub outcome: MeshOutcome,
    /// Triangles of the world.
    pub num_triangles: usize,
    /// Textures of the world.
    pub num_textures: usize,
    /// What is not drawn because its file is missing.
    pub missing: Vec<MissingFile>,
    /// What else is not drawn, in words.
    pub notes: Vec<String>,
}

/// What was done with the meshes of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshOutcome {
    /// They are new.
    Imported,
    /// The same files were there already.
    Unchanged,
    /// They took the place of others, as asked for.
    Replaced,
    /// Others are there and were left alone; import with force to replace them.
    NeedsForce,
}

impl MeshSource {
    /// The worlds at a path: the path itself when it is a document or a model's folder, else every world or model
    /// document of the folder, else every COLLADA mesh of it.
    pub fn find(path: &Path) -> Result<Vec<MeshSource>, MeshError> {
        let named = |path: &Path, name: &std::ffi::OsStr| MeshSource {
            path: path.to_owned(),
            name: name.to_string_lossy().into_owned(),
        };
        let folder_name = |folder: &Path| absolute(folder).file_name().unwrap_or_default().to_owned();
        let of_file = |path: &Path| {
            let stem = path.file_stem().unwrap_or_default();
            let parent = path.parent().unwrap_or(path);
            if stem == "model" { named(path, &folder_name(parent)) } else { named(path, stem) }
        };
        if !path.is_dir() {
            let is_document = ["dae", "sdf", "world", "config"].iter().any(|kind| has_extension(path, kind));
            return Ok(if is_document { vec![of_file(path)] } else { Vec::new() });
        }
        if path.join("model.config").is_file() {
            return Ok(vec![named(path, &folder_name(path))]);
        }
        let files = list(path)?;
        let of_kind = |kinds: &[&str]| -> Vec<MeshSource> {
            let matches = |file: &&PathBuf| file.is_file() && kinds.iter().any(|kind| has_extension(file, kind));
            files.iter().filter(matches).map(|file| of_file(file)).collect()
        };
        let documents = of_kind(&["sdf", "world"]);
        Ok(if documents.is_empty() { of_kind(&["dae"]) } else { documents })
    }
}

impl MeshLibrary {
    /// The meshes in a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> MeshLibrary {
        MeshLibrary { folder: folder.into() }
    }

    /// The meshes of a route: those imported under its name, else under the name of the world it shares with another.
    pub fn load(&self, route: &Route) -> Result<Option<Scenery>, MeshError> {
        let Some(stored) = self.of_route(route)? else {
            return Ok(None);
        };
        let scenery = Scenery::read_within(&stored.folder.join(&stored.document), Some(&stored.folder))?;
        Ok((!scenery.is_empty()).then_some(scenery))
    }

    /// The folder with the files of a route's meshes. Another import gives another folder.
    pub fn find(&self, route: &Route) -> Result<Option<PathBuf>, MeshError> {
        Ok(self.of_route(route)?.map(|stored| stored.folder))
    }

    fn of_route(&self, route: &Route) -> Result<Option<Stored>, MeshError> {
        let shared = catalogue::all().iter().find(|info| info.name == route.name).map(|info| info.world_model);
        let names = [Some(route.name.as_str()), shared];
        names.into_iter().flatten().find(|name| self.holds(name)).map(|name| self.stored(name)).transpose()
    }

    /// Whether meshes of a world were imported under this name.
    pub fn holds(&self, name: &str) -> bool {
        is_plain(name) && self.folder.join(name).join(MANIFEST).is_file()
    }

    /// Copies the files of a world into the library under a name.
    ///
    /// Everything is read first, and read again from the copy: an error leaves the library as it was.
    pub fn import(&self, source: &Path, name: &str, choices: ImportChoices) -> Result<MeshImport, MeshError> {
        if !is_plain(name) {
            return Err(MeshError::Name(name.to_owned()));
        }
        let scenery = Scenery::read(source)?;
        if !scenery.missing.is_empty() && !choices.allow_missing {
            return Err(MeshError::Missing { files: scenery.missing });
        }
        if scenery.is_empty() {
            return Err(MeshError::Empty { path: source.to_owned() });
        }
        let base = common_folder(&scenery.files);
        let relative = |path: &Path| absolute(path).strip_prefix(&base).map(Path::to_owned).unwrap_or_default();
        let document = relative(source);
        let mut copies = Vec::with_capacity(scenery.files.len());
        for file in &scenery.files {
            copies.push((relative(file), read_file(file)?));
        }
        let outcome = if self.holds(name) {
            match self.stored(name).and_then(|stored| stored.is_same(&document, &copies)) {
                Ok(true) => MeshOutcome::Unchanged,
                Ok(false) if !choices.force => MeshOutcome::NeedsForce,
                Err(error) if !choices.force => return Err(error),
                _ => MeshOutcome::Replaced,
            }
        } else {
            MeshOutcome::Imported
        };
        if matches!(outcome, MeshOutcome::Imported | MeshOutcome::Replaced) {
            self.store(name, &document, &copies, &scenery)?;
        }
        Ok(MeshImport {
            outcome,
            num_triangles: scenery.triangles.len(),
            num_textures: scenery.textures.len(),
            missing: scenery.missing,
            notes: scenery.notes,
        })
    }

    fn stored(&self, name: &str) -> Result<Stored, MeshError> {
        let folder = self.folder.join(name);
        let damaged = |reason: &str| MeshError::Stored { path: folder.clone(), reason: reason.to_owned() };
        let manifest: Value = serde_json::from_slice(&read_file(&folder.join(MANIFEST))?)
            .map_err(|error| damaged(&format!("{MANIFEST}: {error}")))?;
        let text = |key: &str| manifest[key].as_str().unwrap_or_default();
        let (inner, document) = (text("folder"), PathBuf::from(text("document")));
        let is_inside = document.components().all(|component| matches!(component, Component::Normal(_)));
        if !is_plain(inner) || !is_inside {
            return Err(damaged(&format!("{MANIFEST} names no folder and document within it")));
        }
        let folder = folder.join(inner);
        if !folder.is_dir() {
            return Err(damaged(&format!("the folder `{inner}` is gone")));
        }
        Ok(Stored { folder, document })
    }

    fn store(
        &self,
        name: &str,
        document: &Path,
        copies: &[(PathBuf, Vec<u8>)],
        scenery: &Scenery,
    ) -> Result<(), MeshError> {
        let home = self.folder.join(name);
        create_folder(&home)?;
        let number = |path: &PathBuf| path.file_name()?.to_str()?.split('.').next()?.parse::<u64>().ok();
        let next = list(&home)?.iter().filter_map(number).max().unwrap_or(0) + 1;
        let temporary = home.join(format!("{next}.{}.part", std::process::id()));
        let written = write_copies(&temporary, copies).and_then(|()| {
            // The copy must show the same world: everything it needs lies within it.
            let copy = Scenery::read_within(&temporary.join(document), Some(&temporary))?;
            if copy.triangles == scenery.triangles && copy.materials == scenery.materials {
                Ok(())
            } else {
                let reason = "its copy differs from its files; did they change meanwhile?".to_owned();
                Err(MeshError::Stored { path: home.clone(), reason })
            }
        });
        let committed = written.and_then(|()| {
            let folder = home.join(next.to_string());
            rename(&temporary, &folder)?;
            sync_folder(&home);
            let manifest = json!({ "folder": next.to_string(), "document": slashed(document) });
            let part = home.join(format!("{MANIFEST}.{}.part", std::process::id()));
            write_file(&part, format!("{manifest:#}\n").as_bytes())?;
            rename(&part, &home.join(MANIFEST))?;
            sync_folder(&home);
            Ok(())
        });
        if committed.is_err() {
            // Gone already when it was renamed; what is left harms nobody.
            let _ = std::fs::remove_dir_all(&temporary);
            return committed;
        }
        // What was replaced, and what an interrupted import left.
        for old in list(&home)?.into_iter().filter(|path| path.is_dir() && number(path).is_some_and(|old| old < next)) {
            let _ = std::fs::remove_dir_all(old);
        }
        Ok(())
    }
}

/// Files of an import.
struct Stored {
    folder: PathBuf,
    document: PathBuf,
}

impl Stored {
    fn is_same(&self, document: &Path, copies: &[(PathBuf, Vec<u8>)]) -> Result<bool, MeshError> {
        if self.document != document || count_files(&self.folder)? != copies.len() {
            return Ok(false);
        }
        for (path, bytes) in copies {
            let stored = self.folder.join(path);
            if !stored.is_file() || read_file(&stored)? != *bytes {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn write_copies(folder: &Path, copies: &[(PathBuf, Vec<u8>)]) -> Result<(), MeshError> {
    for (path, bytes) in copies {
        let target = folder.join(path);
        create_folder(target.parent().unwrap_or(folder))?;
        write_file(&target, bytes)?;
    }
    Ok(())
}

/// The deepest folder that holds all files.
fn common_folder(files: &[PathBuf]) -> PathBuf {
    let mut common = files.first().and_then(|file| file.parent()).unwrap_or(Path::new("/")).to_owned();
    for file in files {
        while !file.starts_with(&common) {
            if !common.pop() {
                break;
            }
        }
    }
    common
}

fn is_plain(name: &str) -> bool {
    !name.starts_with('.') && Path::new(name).file_name().is_some_and(|file_name| file_name == name)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// A relative path in the spelling of every system.
fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> MeshError {
    let path = path.to_owned();
    move |source| MeshError::Files { action, path, source }
}

/// What lies directly in a folder, sorted by name.
fn list(folder: &Path) -> Result<Vec<PathBuf>, MeshError> {
    let entries = std::fs::read_dir(folder).map_err(failed("read the folder", folder))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(failed("read the folder", folder))?.path());
    }
    paths.sort();
    Ok(paths)
}

fn count_files(folder: &Path) -> Result<usize, MeshError> {
    let mut count = 0;
    for path in list(folder)? {
        count += if path.is_dir() { count_files(&path)? } else { 1 };
    }
    Ok(count)
}

fn create_folder(folder: &Path) -> Result<(), MeshError> {
    std::fs::create_dir_all(folder).map_err(failed("create the folder", folder))
}

fn rename(from: &Path, to: &Path) -> Result<(), MeshError> {
    std::fs::rename(from, to).map_err(failed("write", to))
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), MeshError> {
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(failed("write", path))
}

/// Makes renames in a folder durable, where the system can.
fn sync_folder(folder: &Path) {
    if cfg!(unix) {
        let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    }
}
