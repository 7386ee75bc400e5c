//! The baked worlds of this process: each is baked once, however many environments race in it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use deepracer_race::Scenario;
use deepracer_sensor::Scene;
use deepracer_track::{Library, Route};
use deepracer_world::{World, look};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::threads;

/// A track ready to race on.
pub(super) struct Baked {
    route: Route,
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

/// The world of a track: imported route files in `folder` come before the built-in drawings.
///
/// Bakes on all processors without holding the interpreter. The shelf's lock is only ever held together with the
/// interpreter, so a fork cannot happen inside.
///
/// # Errors
/// `ValueError` when there is no such track or its route is unusable.
pub(super) fn load(py: Python<'_>, name: &str, folder: Option<PathBuf>) -> PyResult<Arc<Baked>> {
    let refused = |error: deepracer_track::TrackError| PyValueError::new_err(error.to_string());
    let route = Library::new(folder).load(name).map_err(refused)?;
    if let Some(baked) = find(&route) {
        return Ok(baked);
    }
    let pool = threads::pool(py, threads::num_available())?;
    let baked = py.detach(|| {
        let scenario = Scenario::training(Arc::new(route.clone()))?;
        let scene = pool.install(|| Scene::bake(&World::build(&route, &look::find(&route.name))));
        Ok(Arc::new(Baked { route, scenario, scene: Arc::new(scene) }))
    });
    let baked = baked.map_err(refused)?;
    let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.worlds.retain(|world| world.strong_count() > 0);
    shelf.worlds.push(Arc::downgrade(&baked));
    shelf.last = Some(baked.clone());
    Ok(baked)
}

fn find(route: &Route) -> Option<Arc<Baked>> {
    let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    let found = shelf.worlds.iter().filter_map(Weak::upgrade).find(|baked| baked.route == *route)?;
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
