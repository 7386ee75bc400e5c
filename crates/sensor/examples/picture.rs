//! Draws observations of a world as PNG files.
//!
//! `cargo run --release -p deepracer-sensor --example picture -- <world> <folder> [how many]`

use deepracer_sensor::{Camera, HEIGHT, Moment, Pixels, Quality, Scene, Scratch, WIDTH};
use deepracer_track::Library;
use deepracer_world::{World, look};
use std::error::Error;
use std::fs::File;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [world_name, folder, rest @ ..] = arguments.as_slice() else {
        return Err("arguments: <world> <folder> [how many pictures]".into());
    };
    let count: usize = rest.first().map_or(Ok(4), |number| number.parse())?;
    let route = Library::new(None).load(world_name.split('@').next().unwrap_or(world_name))?;
    let scene = Scene::bake(&World::build(&route, &look::find(world_name)));
    let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
    for k in 0..count {
        let row = k * (route.center.len() - 1) / count;
        let ahead = route.center[row + 1] - route.center[row];
        let moment = Moment::alone(route.center[row], ahead.y.atan2(ahead.x));
        camera.draw(&scene, &moment, Pixels::Rgb, &mut scratch, &mut picture);
        let path = Path::new(folder).join(format!("{world_name}-{k}.png"));
        let mut encoder = png::Encoder::new(File::create(path)?, WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&picture)?;
    }
    Ok(())
}
