//! Our pictures against real frames of `reinvent_base` (2018 to 2020), where the folder of reference data is there.
//!
//! The frames' poses are approximate, so every pose is refined for the camera under test first.

use deepracer_sensor::{Camera, Quality, Scene};
use deepracer_track::Library;
use deepracer_world::{World, look};
use reference::frames::{self, Frame};
use reference::surfaces;

mod reference;

/// The front camera with the attitude that the frames show.
fn measured_camera() -> Camera {
    Camera::front_of_2020()
}

fn route() -> deepracer_track::Route {
    Library::new(None).load("reinvent_base").expect("a built-in track")
}

/// Mean structural similarity of pictures and frames after refining the poses.
fn alike(camera: &Camera, frames: &mut [Frame]) -> f64 {
    let scene = Scene::bake(&World::build(&route(), &look::find(surfaces::WORLD)));
    let observation = camera.observation(&scene, Quality::Standard);
    let mut sum = 0.0;
    for frame in &mut *frames {
        let (pose, similarity) = frames::refine(&observation, &scene, frame);
        frame.pose = pose;
        sum += similarity;
    }
    sum / frames.len() as f64
}

#[test]
fn the_camera_of_2020_looks_down_as_steeply_as_in_the_frames() {
    let Some(mut frames) = frames::read_every(12) else {
        return;
    };
    let measured = alike(&measured_camera(), &mut frames);
    // The mount's 15° less the 1.39° by which later cars stand nose-up.
    let derived = alike(&Camera::front(0.0243), &mut frames);
    println!("structural similarity: as measured {measured:.3}, a later car {derived:.3}");
    assert!(measured > 0.80, "{measured:.4}");
    assert!(measured > derived + 0.08, "{measured:.4} against {derived:.4}");
}

#[test]
fn every_surface_has_the_colour_it_has_in_the_frames() {
    /// Allowed between the median values of real and drawn pixels, of 255.
    const TOLERANCE: u8 = 5;
    let Some(mut frames) = frames::read_every(12) else {
        return;
    };
    alike(&measured_camera(), &mut frames);
    let mut compared = Vec::new();
    for rows in [0..60, 60..90, 90..120] {
        for (name, real, drawn) in surfaces::compare(&route(), &measured_camera(), &frames, rows.clone()) {
            if real.num_pixels() < 200 {
                continue;
            }
            let (real, drawn) = (real.quantile(0.5), drawn.quantile(0.5));
            println!("{name}, rows {rows:?}: real {real:?}, drawn {drawn:?}");
            let is_near = real.iter().zip(drawn).all(|(real, drawn)| real.abs_diff(drawn) <= TOLERANCE);
            assert!(is_near, "{name}, rows {rows:?}: real {real:?}, drawn {drawn:?}");
            compared.push(name);
        }
    }
    for name in ["field", "road", "line", "dash", "west wall", "east wall", "north wall"] {
        assert!(compared.contains(&name), "no pixels of {name}");
    }
}

#[test]
fn the_grain_is_as_strong_as_in_the_frames() {
    let Some(mut frames) = frames::read_every(12) else {
        return;
    };
    alike(&measured_camera(), &mut frames);
    for (name, real, drawn) in surfaces::compare(&route(), &measured_camera(), &frames, 60..120) {
        if !["road", "line"].contains(&name) {
            continue;
        }
        // Half of what two thirds of the pixels lie within, in the green channel.
        let spread = |seen: &surfaces::Seen| f64::from(seen.quantile(0.84)[1] - seen.quantile(0.16)[1]) / 2.0;
        let (real, drawn) = (spread(&real), spread(&drawn));
        println!("{name}: real ± {real}, drawn ± {drawn}");
        assert!((real - drawn).abs() <= 2.0, "{name}: real ± {real}, drawn ± {drawn}");
    }
}
