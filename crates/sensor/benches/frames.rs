//! Frames per second on one core: `reinvent_base`, poses all over the track in no order.

use deepracer_sensor::{Camera, Lidar, LidarEncoding, Moment, Pixels, Quality, Scene, Scratch, Sensor, Variety};
use deepracer_track::{Library, Route};
use deepracer_world::mesh::Scenery;
use deepracer_world::{Body, BodyShape, BoxKind, World, look};
use divan::counter::ItemsCount;
use glam::DVec2;
use std::sync::Arc;

#[path = "../../world/tests/made/mod.rs"]
mod made;

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
            camera.draw(&scene, &Moment::alone(*origin, *yaw_rad), pixels, &mut scratch, &mut picture);
            divan::black_box(&picture);
        }
    });
}

/// Bodies spread over the track, at both sides of its centre line.
fn bodies(route: &Route, count: usize, shape: BodyShape) -> Vec<Body> {
    let rows = route.center.len() - 1;
    (0..count)
        .map(|k| {
            let row = k * rows / count;
            let ahead = route.center[row + 1] - route.center[row];
            let border = if k % 2 == 0 { &route.inner } else { &route.outer };
            Body::new(shape, route.center[row].midpoint(border[row]), ahead.y.atan2(ahead.x))
        })
        .collect()
}

/// Grey frames of episodes that differ: each kind of difference, every frame of another episode of 16.
#[divan::bench(args = ["domain", "mounts", "tones", "noise", "blur"], sample_count = 100)]
fn frames_that_differ(bencher: divan::Bencher<'_, '_>, what: &str) {
    let route = base_route();
    let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
    let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
    let poses = scattered_poses(&route);
    let none = Variety::default();
    let variety = match what {
        "domain" => Variety { domain: true, ..none },
        "mounts" => Variety { pitch_rad: 0.03, height_m: 0.01, field_of_view_rad: 0.03, ..none },
        "tones" => Variety { brightness: 0.1, contrast: 0.2, ..none },
        "noise" => Variety { pixel_noise: 0.03, ..none },
        _ => Variety { blur_px: 1.0, ..none },
    };
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Grey)];
    let mut samples = poses.chunks_exact(FRAMES).cycle();
    let mut seed = 0;
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        seed += 1;
        for (origin, yaw_rad) in samples.next().unwrap_or_default() {
            let moment = Moment { seed, variety: Some(&variety), ..Moment::alone(*origin, *yaw_rad) };
            camera.draw(&scene, &moment, Pixels::Grey, &mut scratch, &mut picture);
            divan::black_box(&picture);
        }
    });
}

/// Scans among six boxes, noise and sectors included.
#[divan::bench(sample_count = 400)]
fn scans(bencher: divan::Bencher<'_, '_>) {
    let route = base_route();
    let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
    let poses = scattered_poses(&route);
    let bodies = bodies(&route, 6, BodyShape::Box(BoxKind::Plain));
    let sensor = Sensor::Lidar { lidar: Arc::new(Lidar::new(0.0243)), encoding: LidarEncoding::NEAR_SECTORS };
    let mut scratch = Scratch::new();
    let mut out = vec![0; sensor.num_bytes()];
    let mut samples = poses.chunks_exact(FRAMES).cycle();
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        for (origin, yaw_rad) in samples.next().unwrap_or_default() {
            // At the begin of an episode every observation is a new scan.
            let moment = Moment::among(&bodies, *origin, *yaw_rad);
            sensor.observe(&scene, &moment, &mut scratch, &mut out);
            divan::black_box(&out);
        }
    });
}

/// Observations of an obstacle race: stereo cameras and a sector lidar, six boxes, every third scan repeated.
#[divan::bench(sample_count = 400)]
fn stereo_and_sectors(bencher: divan::Bencher<'_, '_>) {
    let route = base_route();
    let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
    let poses = scattered_poses(&route);
    let bodies = bodies(&route, 6, BodyShape::Box(BoxKind::Plain));
    let cameras = Camera::stereo(0.0243).map(|camera| Arc::new(camera.observation(&scene, Quality::Standard)));
    let sensors = [
        Sensor::Lidar { lidar: Arc::new(Lidar::new(0.0243)), encoding: LidarEncoding::NEAR_SECTORS },
        Sensor::StereoCameras { cameras },
    ];
    let mut scratch = Scratch::new();
    let mut observations = sensors.each_ref().map(|sensor| vec![0; sensor.num_bytes()]);
    let mut samples = poses.chunks_exact(FRAMES).cycle();
    let mut step = 0;
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        for (origin, yaw_rad) in samples.next().unwrap_or_default() {
            let moment = Moment { step, ..Moment::among(&bodies, *origin, *yaw_rad) };
            for (sensor, out) in sensors.iter().zip(&mut observations) {
                sensor.observe(&scene, &moment, &mut scratch, out);
            }
            divan::black_box(&observations);
            step += 1;
        }
    });
}

/// Grey frames with bodies: obstacles and bot cars as races have them.
#[divan::bench(args = ["6 boxes", "4 bots"], sample_count = 400)]
fn frames_with(bencher: divan::Bencher<'_, '_>, what: &str) {
    let route = base_route();
    let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
    let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
    let poses = scattered_poses(&route);
    let bodies = match what {
        "6 boxes" => bodies(&route, 6, BodyShape::Box(BoxKind::Plain)),
        _ => bodies(&route, 4, BodyShape::BotCar),
    };
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Grey)];
    let mut samples = poses.chunks_exact(FRAMES).cycle();
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        for (origin, yaw_rad) in samples.next().unwrap_or_default() {
            let moment = Moment::among(&bodies, *origin, *yaw_rad);
            camera.draw(&scene, &moment, Pixels::Grey, &mut scratch, &mut picture);
            divan::black_box(&picture);
        }
    });
}

/// A world of meshes: `reinvent_base` with a city around it.
fn mesh_world(num_triangles: usize) -> World {
    let folder = std::env::temp_dir().join(format!("deepracer-bench-{}-{num_triangles}", std::process::id()));
    let (route, look) = (base_route(), look::find("reinvent_base"));
    let (path, _) = made::built_in(&folder, &route, &look, num_triangles, made::Style::PLAIN);
    let world = World::of_meshes(&route, &look, Scenery::read(&path).expect("a world"));
    std::fs::remove_dir_all(&folder).expect("removed");
    world
}

/// Grey frames of worlds of meshes with about so many triangles that are not ground.
#[divan::bench(args = [800, 5_000, 35_000, 100_000], sample_count = 400)]
fn frames_of_meshes(bencher: divan::Bencher<'_, '_>, num_triangles: usize) {
    let scene = Scene::bake(&mesh_world(num_triangles));
    let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
    let poses = scattered_poses(&base_route());
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Grey)];
    let mut samples = poses.chunks_exact(FRAMES).cycle();
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        for (origin, yaw_rad) in samples.next().unwrap_or_default() {
            camera.draw(&scene, &Moment::alone(*origin, *yaw_rad), Pixels::Grey, &mut scratch, &mut picture);
            divan::black_box(&picture);
        }
    });
}

#[divan::bench(sample_count = 3)]
fn bake_meshes(bencher: divan::Bencher<'_, '_>) {
    let world = mesh_world(35_000);
    bencher.bench_local(|| Scene::bake(&world));
}

#[divan::bench(sample_count = 10)]
fn bake() -> Scene {
    Scene::bake(&World::build(&base_route(), &look::find("reinvent_base")))
}
