//! Finds the attitude, height and field of view of the original's front camera, and the light of
//! `reinvent_base@2020`, from real frames with approximate poses.
//!
//! For every candidate camera each frame's pose is refined until picture and frame are most alike; the camera whose
//! pictures are then most alike wins. Needs the folder of reference data (`DEEPRACER_SHARED`):
//!
//! `cargo run --release -p deepracer-sensor --example fit_camera`

use deepracer_sensor::{Camera, Quality, Scene};
use deepracer_track::Library;
use deepracer_world::{World, look};
use glam::DVec3;
use reference::frames::{self, Frame};
use reference::surfaces::{self, WORLD};
use std::error::Error;

#[path = "../tests/reference/mod.rs"]
mod reference;

/// Every so many trusted frames one is used.
const STRIDE: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut frames = frames::read_every(STRIDE).ok_or("no reference data")?;
    let route = Library::new(None).load("reinvent_base")?;
    let scene = Scene::bake(&World::build(&route, &look::find(WORLD)));
    println!("{} frames; mean structural similarity after refining every pose", frames.len());

    let front = Camera::front(0.0);
    println!("\npitch down (deg)  lens height (m)");
    for height_m in [0.121, 0.123, 0.125, 0.127, 0.130, 0.133] {
        for pitch_deg in [13.6, 14.3, 15.0, 15.2, 15.4, 15.6, 15.8, 16.2] {
            let score = alike(&scene, &candidate(pitch_deg, height_m), &mut frames);
            println!("{pitch_deg:16.1}  {height_m:15.3}  {score:.4}");
        }
    }
    println!("\nhorizontal field of view (rad)");
    for horizontal_field_of_view_rad in [1.10, 1.115, 1.13, 1.145, 1.16] {
        let camera = Camera { horizontal_field_of_view_rad, ..candidate(15.4, 0.125) };
        println!("{horizontal_field_of_view_rad:30.3}  {:.4}", alike(&scene, &camera, &mut frames));
    }

    let camera = Camera { position: DVec3::new(front.position.x, 0.0, 0.125), ..candidate(15.4, 0.125) };
    alike(&scene, &camera, &mut frames);
    println!("\nsurface, rows: real and drawn values at 16, 50 and 84 % of the pixels");
    for rows in [0..60, 60..90, 90..120] {
        for (name, real, drawn) in surfaces::compare(&route, &camera, &frames, rows.clone()) {
            println!("{name:10} {rows:?}: {} pixels", real.num_pixels());
            for (which, seen) in [("real", real), ("drawn", drawn)] {
                println!("    {which:5} {:?}", [0.16, 0.5, 0.84].map(|share| seen.quantile(share)));
            }
        }
    }
    Ok(())
}

fn candidate(pitch_down_deg: f64, height_m: f64) -> Camera {
    let front = Camera::front(0.0);
    Camera {
        position: DVec3::new(front.position.x, 0.0, height_m),
        pitch_down_rad: f64::to_radians(pitch_down_deg),
        ..front
    }
}

/// Refines all poses for a camera and returns how alike its pictures and the frames then are.
fn alike(scene: &Scene, camera: &Camera, frames: &mut [Frame]) -> f64 {
    let observation = camera.observation(scene, Quality::Standard);
    let mut sum = 0.0;
    for frame in &mut *frames {
        let (pose, similarity) = frames::refine(&observation, scene, frame);
        frame.pose = pose;
        sum += similarity;
    }
    sum / frames.len() as f64
}
