//! The quick renderer against the oracle.

use deepracer_sensor::oracle::Oracle;
use deepracer_sensor::{Camera, Pixels, Quality, Scene, Scratch};
use deepracer_world::{World, look};

mod reference;

struct Score {
    mean_db: f64,
    worst_db: f64,
}

fn score(world_name: &str, quality: Quality, num_poses: usize) -> Option<Score> {
    let route = reference::route(world_name)?;
    let world = World::build(&route, &look::find(world_name));
    let scene = Scene::bake(&world);
    let camera = Camera::front(0.0);
    let observation = camera.observation(&scene, quality);
    let oracle = Oracle::new(&world, 2);
    let mut scratch = Scratch::new();
    let mut picture = vec![0; observation.num_bytes(Pixels::Rgb)];
    let scores: Vec<f64> = reference::poses(&route, num_poses)
        .into_iter()
        .map(|(origin, yaw_rad)| {
            observation.draw(&scene, origin, yaw_rad, Pixels::Rgb, &mut scratch, &mut picture);
            reference::psnr_db(&picture, &oracle.draw(&camera, origin, yaw_rad))
        })
        .collect();
    let worst_db = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let mean_db = scores.iter().sum::<f64>() / scores.len() as f64;
    println!("{world_name} {quality:?}: mean {mean_db:.1} dB, worst {worst_db:.1} dB");
    Some(Score { mean_db, worst_db })
}

#[test]
fn standard_pictures_of_reinvent_base_are_right() {
    let Some(score) = score("reinvent_base", Quality::Standard, 12) else {
        return;
    };
    assert!(score.mean_db >= 34.0, "mean {:.2} dB", score.mean_db);
    assert!(score.worst_db >= 32.0, "worst {:.2} dB", score.worst_db);
}

#[test]
fn fast_pictures_of_reinvent_base_are_nearly_right() {
    let Some(score) = score("reinvent_base", Quality::Fast, 12) else {
        return;
    };
    assert!(score.mean_db >= 34.0, "mean {:.2} dB", score.mean_db);
}

#[test]
fn fine_pictures_of_reinvent_base_are_better() {
    let Some(score) = score("reinvent_base", Quality::Fine, 12) else {
        return;
    };
    assert!(score.mean_db >= 39.0, "mean {:.2} dB", score.mean_db);
}
