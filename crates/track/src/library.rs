//! Where routes come from: the folder of imported route files, then the built-in drawings.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::blueprint;
use crate::catalogue;
use crate::check::{self, Severity};
use crate::route::{Route, RouteError};
use crate::track::TrackError;

/// File name ending of route files.
const ROUTE_EXTENSION: &str = "npy";

/// Routes by name: an imported file first, else the built-in drawing.
#[derive(Debug, Clone)]
pub struct Library {
    imported: Option<PathBuf>,
}

/// What became of one file handed to [`Library::import`].
#[derive(Debug)]
pub struct Imported {
    /// The file handed in.
    pub source: PathBuf,
    /// The name the track now has.
    pub name: String,
    /// What was done.
    pub outcome: ImportOutcome,
}

/// What was done with a file handed to [`Library::import`].
#[derive(Debug)]
pub enum ImportOutcome {
    /// It is new in the library.
    Imported,
    /// The library had the same file already.
    Unchanged,
    /// It took the place of a different file, as asked for.
    Replaced,
    /// The library has a different file of that name, which was left alone; import with force to replace it.
    NeedsForce,
    /// It was left out because it is no usable route.
    Refused(TrackError),
}

impl Library {
    /// A library that looks for imported route files in a folder, which need not exist, or has none.
    pub fn new(imported: Option<PathBuf>) -> Library {
        Library { imported }
    }

    /// The folder of imported files, if there is one.
    pub fn folder(&self) -> Option<&Path> {
        self.imported.as_deref()
    }

    /// The route of a track: the imported file of that name, else the built-in drawing.
    ///
    /// Published tracks are also found by display name and whatever the case, imported ones by their file name.
    pub fn load(&self, name: &str) -> Result<Route, TrackError> {
        if let Some(path) = self.imported_file(name) {
            return read_fit(&path);
        }
        let further_names = self.imported_names().unwrap_or_default();
        let info = catalogue::find_or_suggest(name, &further_names)?;
        if let Some(path) = self.imported_file(info.name) {
            return read_fit(&path);
        }
        Ok(blueprint::route(info))
    }

    /// The names of the imported routes, sorted.
    pub fn imported_names(&self) -> Result<Vec<String>, TrackError> {
        let Some(folder) = self.imported.as_deref().filter(|folder| folder.is_dir()) else {
            return Ok(Vec::new());
        };
        let files = route_files(folder)?;
        Ok(files.iter().filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect())
    }

    /// Copies a route file, or every route file of a folder, into the library.
    ///
    /// Each file is checked first and written in one step, so a crash leaves either the old state or the new one. A
    /// different file of the same name is replaced only with `force`. A file that cannot be used does not stop the
    /// others; see [`Imported::outcome`].
    ///
    /// # Errors
    /// When the source does not exist, is a folder without route files, or the library cannot be written.
    pub fn import(&self, source: &Path, force: bool) -> Result<Vec<Imported>, TrackError> {
        let folder = self.imported.as_deref().ok_or(TrackError::NoImportFolder)?;
        let source_kind = std::fs::metadata(source).map_err(|error| files_error("find", source, error))?;
        let files = if source_kind.is_dir() { route_files(source)? } else { vec![source.to_owned()] };
        if files.is_empty() {
            return Err(TrackError::NothingToImport(source.to_owned()));
        }
        std::fs::create_dir_all(folder).map_err(|error| files_error("create the folder", folder, error))?;
        files.into_iter().map(|file| import_file(folder, file, force)).collect()
    }

    /// The imported file of exactly this name.
    fn imported_file(&self, name: &str) -> Option<PathBuf> {
        // A name that would lead out of the folder is no name.
        let is_plain = Path::new(name).file_name().is_some_and(|file_name| file_name == name);
        let path = self.imported.as_ref()?.join(format!("{name}.{ROUTE_EXTENSION}"));
        (is_plain && path.is_file()).then_some(path)
    }
}

/// Reads a route and makes sure it can be driven.
fn read_fit(path: &Path) -> Result<Route, TrackError> {
    let route = Route::read(path)?;
    let findings: Vec<_> =
        check::check(&route).into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    if findings.is_empty() { Ok(route) } else { Err(TrackError::Unfit { track: route.name, findings }) }
}

fn import_file(folder: &Path, source: PathBuf, force: bool) -> Result<Imported, TrackError> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // A published track keeps its spelling, so that the import takes the place of the drawing.
    let published = catalogue::all().iter().find(|track| track.name.eq_ignore_ascii_case(&stem));
    let name = published.map_or(stem, |track| track.name.to_owned());
    let outcome = match read_fit(&source) {
        Ok(_) => place(&folder.join(format!("{name}.{ROUTE_EXTENSION}")), &source, force)?,
        Err(error) => ImportOutcome::Refused(error),
    };
    Ok(Imported { source, name, outcome })
}

fn place(target: &Path, source: &Path, force: bool) -> Result<ImportOutcome, TrackError> {
    let bytes = std::fs::read(source).map_err(|error| RouteError::Read { path: source.to_owned(), source: error })?;
    let outcome = match std::fs::read(target) {
        Ok(present) if present == bytes => return Ok(ImportOutcome::Unchanged),
        Ok(_) if !force => return Ok(ImportOutcome::NeedsForce),
        Ok(_) => ImportOutcome::Replaced,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => ImportOutcome::Imported,
        Err(error) => return Err(files_error("read", target, error)),
    };
    write_in_one_step(target, &bytes).map_err(|error| files_error("write", target, error))?;
    Ok(outcome)
}

/// Writes a file under a temporary name, makes it durable, and renames it into place.
fn write_in_one_step(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = target.with_extension(format!("{}.part", std::process::id()));
    let written = (|| {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, target)?;
        match target.parent() {
            // The rename itself is durable once the folder is; not every system can open folders.
            Some(folder) if cfg!(unix) => std::fs::File::open(folder)?.sync_all(),
            _ => Ok(()),
        }
    })();
    if written.is_err() {
        // Gone already when the rename succeeded.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// The route files directly in a folder, sorted by name.
fn route_files(folder: &Path) -> Result<Vec<PathBuf>, TrackError> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is_route = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ROUTE_EXTENSION));
            if is_route && path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    };
    list().map_err(|error| files_error("read the folder", folder, error))
}

fn files_error(action: &'static str, path: &Path, source: std::io::Error) -> TrackError {
    TrackError::Files { action, path: path.to_owned(), source }
}
