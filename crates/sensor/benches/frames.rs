//! Frames per second on one core: `reinvent_base`, poses all over the track in no order.

use deepracer_sensor::{Camera, Pixels, Quality, Scene, Scratch};
use deepracer_track::{Library, Route};
use deepracer_world::{World, look};
use divan::counter::ItemsCount;
use glam::DVec2;

/// Frames per sample: few, so that a sample is rarely interrupted.
const FRAMES: usize = 16;
/// Poses that the samples go through.
const POSES: usize = 640;

fn main() {
    divan::main();
}

fn base_route() -> Route {
    Library::new(None).load("reinvent_base").expect("a built-in track")
}

fn scattered_poses(route: &Route) -> Vec<(DVec2, f64)> {
    let rows = route.center.len() - 1;
    (0..POSES)
        .map(|k| {
            let row = (k * 7919) % rows;
            let ahead = route.center[row + 1] - route.center[row];
            let across = 0.6 * ((k as f64 * 0.618_034).fract() - 0.5);
            let aslant = 0.8 * ((k as f64 * 0.414_214).fract() - 0.5);
            let origin = route.center[row] + (route.outer[row] - route.inner[row]) * across;
            (origin, ahead.y.atan2(ahead.x) + aslant)
        })
        .collect()
}

#[divan::bench(args = [
    (Quality::Fast, Pixels::Rgb), (Quality::Fast, Pixels::Grey),
    (Quality::Standard, Pixels::Rgb), (Quality::Standard, Pixels::Grey),
    (Quality::Fine, Pixels::Rgb),
], sample_count = 400)]
fn frames(bencher: divan::Bencher<'_, '_>, (quality, pixels): (Quality, Pixels)) {
    let route = base_route();
    let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
    let camera = Camera::front(0.0).observation(&scene, quality);
    let poses = scattered_poses(&route);
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(pixels)];
    let mut samples = poses.chunks_exact(FRAMES).cycle();
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        for (origin, yaw_rad) in samples.next().unwrap_or_default() {
            camera.draw(&scene, *origin, *yaw_rad, pixels, &mut scratch, &mut picture);
            divan::black_box(&picture);
        }
    });
}

#[divan::bench(sample_count = 10)]
fn bake() -> Scene {
    Scene::bake(&World::build(&base_route(), &look::find("reinvent_base")))
}
