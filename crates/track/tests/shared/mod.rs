//! The folder of real route files the tests compare with.

use std::path::{Path, PathBuf};

use deepracer_track::Route;

/// The published route files; `None`, with a word on the console, when they are not on this machine.
pub(crate) fn routes() -> Option<PathBuf> {
    let shared = std::env::var_os("DEEPRACER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let routes = shared.join("data/routes");
    if routes.is_dir() {
        return Some(routes);
    }
    println!("skipped: no folder {} (set DEEPRACER_SHARED)", routes.display());
    None
}

/// A published route by name.
pub(crate) fn published(routes: &Path, name: &str) -> Route {
    Route::read(&routes.join(format!("{name}.npy"))).expect("the published route file is valid")
}
