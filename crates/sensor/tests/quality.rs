//! The quick renderer against the oracle.

use deepracer_sensor::oracle::Oracle;
use deepracer_sensor::{Camera, Moment, Pixels, Quality, Scene, Scratch};
use deepracer_track::{Library, Route};
use deepracer_world::{World, look};
use glam::DVec2;

mod reference;

struct Score {
    mean_db: f64,
    worst_db: f64,
}

/// Compares pictures of a world, dressed as `world_name`, from the given poses.
fn score(route: &Route, world_name: &str, quality: Quality, poses: &[(DVec2, f64)]) -> Score {
    let world = World::build(route, &look::find(world_name));
    let scene = Scene::bake(&world);
    let camera = Camera::front(0.0243);
    let observation = camera.observation(&scene, quality);
    let oracle = Oracle::new(&world, 2);
    let mut scratch = Scratch::new();
    let mut picture = vec![0; observation.num_bytes(Pixels::Rgb)];
    let scores: Vec<f64> = poses
        .iter()
        .map(|(origin, yaw_rad)| {
            let moment = Moment::alone(*origin, *yaw_rad);
            observation.draw(&scene, &moment, Pixels::Rgb, &mut scratch, &mut picture);
            reference::psnr_db(&picture, &oracle.draw(&camera, &moment))
        })
        .collect();
    let worst_db = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let mean_db = scores.iter().sum::<f64>() / scores.len() as f64;
    println!("{world_name} {quality:?}: mean {mean_db:.1} dB, worst {worst_db:.1} dB");
    Score { mean_db, worst_db }
}

fn assert_at_least(score: &Score, mean_db: f64, worst_db: f64) {
    assert!(score.mean_db >= mean_db, "mean {:.2} dB", score.mean_db);
    assert!(score.worst_db >= worst_db, "worst {:.2} dB", score.worst_db);
}

fn built_in(name: &str) -> Route {
    Library::new(None).load(name).expect("a built-in track")
}

#[test]
fn standard_pictures_of_reinvent_base_are_right() {
    let route = built_in("reinvent_base");
    let poses = reference::poses(&route, 12);
    assert_at_least(&score(&route, "reinvent_base", Quality::Standard, &poses), 38.0, 36.0);
}

#[test]
fn pictures_of_the_published_route_are_right() {
    let Some(route) = reference::route("reinvent_base") else {
        return;
    };
    let poses = reference::poses(&route, 6);
    assert_at_least(&score(&route, "reinvent_base", Quality::Standard, &poses), 38.0, 36.0);
}

#[test]
fn fast_pictures_of_reinvent_base_are_nearly_right() {
    let route = built_in("reinvent_base");
    let poses = reference::poses(&route, 12);
    assert_at_least(&score(&route, "reinvent_base", Quality::Fast, &poses), 34.0, 33.0);
}

#[test]
fn fine_pictures_of_reinvent_base_are_better() {
    let route = built_in("reinvent_base");
    let poses = reference::poses(&route, 12);
    assert_at_least(&score(&route, "reinvent_base", Quality::Fine, &poses), 39.0, 37.0);
}

#[test]
fn kerbs_and_long_tracks_are_right() {
    for world_name in ["Tokyo_Training_track", "Spain_track"] {
        let route = built_in(world_name);
        let poses = reference::poses(&route, 6);
        assert_at_least(&score(&route, world_name, Quality::Standard, &poses), 34.0, 31.0);
    }
}

#[test]
fn walls_and_corners_are_right_from_close_by() {
    let route = built_in("reinvent_base");
    // Toward all four corners and along walls, from half a metre and less.
    let poses = [
        (DVec2::new(-0.3, -0.3), -2.4),
        (DVec2::new(8.2, -0.2), -0.7),
        (DVec2::new(8.3, 5.5), 0.8),
        (DVec2::new(-0.2, 5.6), 2.4),
        (DVec2::new(4.0, -0.5), 0.1),
        (DVec2::new(8.0, 2.0), 1.0),
        (DVec2::new(8.4, 2.0), 1.4),
        (DVec2::new(8.3, 2.0), 1.7),
    ];
    assert_at_least(&score(&route, "reinvent_base", Quality::Standard, &poses), 38.0, 34.0);
}
