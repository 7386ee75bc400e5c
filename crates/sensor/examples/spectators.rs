//! Draws what spectators see of a world as PNG files: a lap with the following camera, and the top camera.
//!
//! `cargo run --release -p deepracer-sensor --example spectators -- <world> <folder>`

use deepracer_sensor::{Appearance, FollowCamera, Scene, SceneCamera, Scratch, Viewpoint, top_camera};
use deepracer_track::Library;
use deepracer_world::{Body, BodyShape, BoxKind, CarColour, Shell, World, look};
use std::error::Error;
use std::fs::File;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [world_name, folder] = arguments.as_slice() else {
        return Err("arguments: <world> <folder>".into());
    };
    let route = Library::new(None).load(world_name)?;
    let scene = Scene::bake(&World::build(&route, &look::find(world_name)));
    let rows = route.center.len() - 1;
    let pose = |row: usize| {
        let ahead = route.center[(row + 1) % rows] - route.center[row % rows];
        (route.center[row % rows], ahead.y.atan2(ahead.x))
    };
    // A few of everything, in the left lane.
    let shapes = [
        BodyShape::Box(BoxKind::Plain),
        BodyShape::BotCar,
        BodyShape::Box(BoxKind::Amazon),
        BodyShape::Car(CarColour::White),
        BodyShape::Box(BoxKind::DeepRacer),
        BodyShape::Car(CarColour::Blue),
    ];
    let shells = [Shell::DeepRacer, Shell::Formula, Shell::Van, Shell::Bike, Shell::Closed];
    let mut bodies: Vec<Body> = (0..12)
        .map(|k| {
            let row = (k + 1) * rows / 13;
            let (center, yaw_rad) = pose(row);
            let position = center.midpoint(if k % 2 == 0 { route.inner[row] } else { route.outer[row] });
            Body { shell: shells[k % shells.len()], ..Body::new(shapes[k % shapes.len()], position, yaw_rad) }
        })
        .collect();
    let (origin, yaw_rad) = pose(0);
    bodies.push(Body::new(BodyShape::Car(CarColour::Red), origin, yaw_rad));

    let mut scratch = Scratch::new();
    let mut follow = FollowCamera::behind(origin, yaw_rad);
    for row in 0..rows {
        let (origin, yaw_rad) = pose(row);
        if let Some(own) = bodies.last_mut() {
            (own.position, own.yaw_rad) = (origin, yaw_rad);
        }
        follow.follow(origin, 0.15);
        if row % (rows / 8) == 0 {
            let path = Path::new(folder).join(format!("follow-{row:03}.png"));
            draw(&scene, &SceneCamera::of_size(640, 480), &follow.viewpoint(), &bodies, &mut scratch, &path)?;
        }
    }
    let (camera, from) = top_camera(&route.outer, 640, 480);
    draw(&scene, &camera, &from, &bodies, &mut scratch, &Path::new(folder).join("top.png"))
}

fn draw(
    scene: &Scene,
    camera: &SceneCamera,
    from: &Viewpoint,
    bodies: &[Body],
    scratch: &mut Scratch,
    path: &Path,
) -> Result<(), Box<dyn Error>> {
    let mut picture = vec![0; camera.num_bytes()];
    let begun = std::time::Instant::now();
    camera.draw(scene, &Appearance::of(scene), from, bodies, scratch, &mut picture);
    println!("{} in {:.2} ms", path.display(), begun.elapsed().as_secs_f64() * 1e3);
    let mut encoder = png::Encoder::new(File::create(path)?, camera.width as u32, camera.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&picture)?;
    Ok(())
}
