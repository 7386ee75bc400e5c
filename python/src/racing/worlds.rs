//! The baked worlds of this process: each is baked once, however many environments race in it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use deepracer_race::Scenario;
use deepracer_sensor::Scene;
use deepracer_track::{Library, Route};
use deepracer_world::World;
use deepracer_world::mesh::MeshLibrary;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::threads;

/// A track ready to race on.
pub(super) struct Baked {
    route: Route,
    /// Where the files of its imported meshes lie.
    meshes: Option<PathBuf>,
    /// A plain race on it; its tracks and route are shared by every race there.
    pub(super) scenario: Scenario,
    /// What cameras see.
    pub(super) scene: Arc<Scene>,
}

/// What is baked, the most recently used last.
#[derive(Default)]
struct Shelf {
    worlds: Vec<Weak<Baked>>,
    /// Outlives the environments that used it, so that closing one and making the next bakes nothing.
    last: Option<Arc<Baked>>,
}

static SHELF: Mutex<Shelf> = Mutex::new(Shelf { worlds: Vec::new(), last: None });

/// The world of a track: imported routes and meshes in `folder` come before the built-in drawings and looks.
///
/// Bakes on all processors without holding the interpreter. The shelf's lock is only ever held together with the
/// interpreter, so a fork cannot happen inside.
///
/// # Errors
/// `ValueError` when there is no such track, or its route or its imported meshes are unusable.
pub(super) fn load(py: Python<'_>, name: &str, folder: Option<PathBuf>) -> PyResult<Arc<Baked>> {
    let meshes = folder.as_deref().map(MeshLibrary::new);
    let route = Library::new(folder).load(name).map_err(refused)?;
    let files = meshes.as_ref().map(|meshes| meshes.find(&route)).transpose().map_err(refused)?.flatten();
    if let Some(baked) = find(&route, files.as_deref()) {
        return Ok(baked);
    }
    let pool = threads::pool(py, threads::num_available())?;
    let baked = py.detach(|| {
        let scenario = Scenario::training(Arc::new(route.clone())).map_err(refused)?;
        let world = World::of_track(&route, meshes.as_ref()).map_err(refused)?;
        let scene = pool.install(|| Scene::bake(&world));
        Ok::<_, PyErr>(Arc::new(Baked { route, meshes: files, scenario, scene: Arc::new(scene) }))
    })?;
    let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.worlds.retain(|world| world.strong_count() > 0);
    shelf.worlds.push(Arc::downgrade(&baked));
    shelf.last = Some(baked.clone());
    Ok(baked)
}

fn refused(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn find(route: &Route, meshes: Option<&Path>) -> Option<Arc<Baked>> {
    let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    let found = shelf
        .worlds
        .iter()
        .filter_map(Weak::upgrade)
        .find(|baked| baked.route == *route && baked.meshes.as_deref() == meshes)?;
    shelf.last = Some(found.clone());
    Some(found)
}

/// Lets go of the world that nothing races in any more.
pub(crate) fn forget() {
    SHELF.lock().unwrap_or_else(PoisonError::into_inner).last = None;
}

/// Bytes of all baked pictures of this process.
pub(crate) fn num_bytes() -> usize {
    let shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.worlds.iter().filter_map(Weak::upgrade).map(|baked| baked.scene.num_bytes()).sum()
}
