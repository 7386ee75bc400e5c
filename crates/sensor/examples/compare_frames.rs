//! How alike our pictures and real frames of `reinvent_base` (2018 to 2020) are.
//!
//! Every frame's approximate pose is refined, then the frame is drawn from there with the look `reinvent_base@2020` and the
//! camera of those frames. Prints the mean absolute error of the grey pictures (of 255) and their structural similarity,
//! and, given a folder, writes frame and picture side by side. Needs the folder of reference data
//! (`DEEPRACER_SHARED`):
//!
//! `cargo run --release -p deepracer-sensor --example compare_frames [FOLDER]`

use deepracer_sensor::{Camera, HEIGHT, Pixels, Quality, Scene, Scratch, WIDTH};
use deepracer_world::look::Look;
use deepracer_world::{World, look};
use reference::frames::{self, Frame};
use reference::surfaces::WORLD;
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

#[path = "../tests/reference/mod.rs"]
mod reference;

fn main() -> Result<(), Box<dyn Error>> {
    let frames = frames::read_all().ok_or("no reference data")?;
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let look = look::find(WORLD);
    let mut plain = look.clone();
    for surface in [&mut plain.field, &mut plain.road, &mut plain.line, &mut plain.dash] {
        surface.grain = 0.0;
    }
    println!("{} frames                 error (of 255)   similarity", frames.len());
    compare("as drawn", &look, &frames, folder.as_deref())?;
    // Grain of paint and asphalt is noise: ours and theirs are equally strong but have nothing else in common.
    compare("without grain", &plain, &frames, None)
}

fn compare(name: &str, look: &Look, frames: &[Frame], folder: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let route = reference::route("reinvent_base").ok_or("no reference data")?;
    let scene = Scene::bake(&World::build(&route, look));
    let camera = Camera::front_of_2020().observation(&scene, Quality::Standard);
    let mut scratch = Scratch::new();
    let mut grey = vec![0; camera.num_bytes(Pixels::Grey)];
    let mut rgb = vec![0; camera.num_bytes(Pixels::Rgb)];
    let (mut error, mut similarity) = (0.0, 0.0);
    for (number, frame) in frames.iter().enumerate() {
        let (pose, alike) = frames::refine_widely(&camera, &scene, frame);
        frames::draw(&camera, &scene, pose, Pixels::Grey, &mut scratch, &mut grey);
        let differences = grey.iter().zip(&frame.grey).map(|(a, b)| f64::from(a.abs_diff(*b)));
        error += differences.sum::<f64>() / grey.len() as f64;
        similarity += alike;
        if let Some(folder) = folder {
            frames::draw(&camera, &scene, pose, Pixels::Rgb, &mut scratch, &mut rgb);
            write_pair(&folder.join(format!("{number:03}.png")), &frame.rgb, &rgb)?;
        }
    }
    let count = frames.len() as f64;
    println!("{name:28} {:>14.2} {:>12.3}", error / count, similarity / count);
    Ok(())
}

/// Two pictures side by side, the real one left.
fn write_pair(path: &Path, left: &[u8], right: &[u8]) -> Result<(), Box<dyn Error>> {
    let row_len = WIDTH * 3;
    let rows = left.chunks_exact(row_len).zip(right.chunks_exact(row_len));
    let pixels: Vec<u8> = rows.flat_map(|(left, right)| [left, right].concat()).collect();
    let mut encoder = png::Encoder::new(File::create(path)?, 2 * WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}
