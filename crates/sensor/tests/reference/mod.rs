//! What several tests share: the folder of reference data, poses along a track, and picture distances.
#![allow(dead_code)]

pub(crate) mod frames;
pub(crate) mod surfaces;

use deepracer_sensor::{HEIGHT, WIDTH};
use deepracer_track::Route;
use glam::DVec2;
use std::path::{Path, PathBuf};

/// The folder with reference data, or `None` (with a note) where it is missing.
pub(crate) fn shared_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("DEEPRACER_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    if folder.join("data/routes").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no reference data at {} (set DEEPRACER_SHARED)", folder.display());
    None
}

/// A published route.
pub(crate) fn route(name: &str) -> Option<Route> {
    let path = shared_folder()?.join(format!("data/routes/{name}.npy"));
    Some(Route::read(&path).expect("the published route is readable"))
}

/// Poses spread over a track: on and beside the centre line, looking along it and aslant.
pub(crate) fn poses(route: &Route, count: usize) -> Vec<(DVec2, f64)> {
    let rows = route.center.len() - 1;
    (0..count)
        .map(|k| {
            let row = (k * 37 + k * rows / count) % rows;
            let ahead = route.center[row + 1] - route.center[row];
            let across = 0.6 * ((k as f64 * 0.618_034).fract() - 0.5);
            let aslant = 0.8 * ((k as f64 * 0.414_214).fract() - 0.5);
            let origin = route.center[row] + (route.outer[row] - route.inner[row]) * across;
            (origin, ahead.y.atan2(ahead.x) + aslant)
        })
        .collect()
}

/// Peak signal-to-noise ratio of two pictures, dB.
pub(crate) fn psnr_db(a: &[u8], b: &[u8]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
    10.0 * (255.0 * 255.0 * a.len() as f64 / sum.max(1e-9)).log10()
}

/// Writes RGB observations below each other as one picture, to look at.
pub(crate) fn write_png(path: &Path, pictures: &[&[u8]]) {
    let file = std::fs::File::create(path).expect("a folder to write to");
    let mut encoder = png::Encoder::new(file, WIDTH as u32, (HEIGHT * pictures.len()) as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&pictures.concat()).expect("the pictures");
}
