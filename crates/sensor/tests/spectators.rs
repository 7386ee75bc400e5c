//! Pictures of any size from anywhere, against the oracle and against arithmetic.

use deepracer_sensor::oracle::{self, Oracle};
use deepracer_sensor::{Appearance, Camera, FollowCamera, Moment, Scene, SceneCamera, Scratch, Viewpoint, top_camera};
use deepracer_track::{Library, Route};
use deepracer_world::{Body, BodyShape, BoxKind, CarColour, Rgb, World, look};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

mod reference;

fn world(name: &str) -> (Route, World) {
    let route = Library::new(None).load(name).expect("a built-in track");
    let world = World::build(&route, &look::find(name));
    (route, world)
}

fn draw(scene: &Scene, camera: &SceneCamera, from: &Viewpoint, bodies: &[Body]) -> Vec<u8> {
    let mut picture = vec![0; camera.num_bytes()];
    camera.draw(scene, &Appearance::of(scene), from, bodies, &mut Scratch::new(), &mut picture);
    picture
}

/// The same picture by the oracle: four times as large, reduced.
fn expected(world: &World, camera: &SceneCamera, from: &Viewpoint, bodies: &[Body]) -> Vec<u8> {
    let lens = Camera {
        position: DVec3::new(0.0, 0.0, from.position.z),
        pitch_down_rad: from.pitch_down_rad,
        horizontal_field_of_view_rad: camera.horizontal_field_of_view_rad,
    };
    let moment = Moment::among(bodies, from.position.truncate(), from.yaw_rad);
    let (width, height) = (4 * camera.width, 4 * camera.height);
    oracle::reduce(&Oracle::new(world, 1).draw_large(&lens, &moment, width, height), width, height)
}

fn some_bodies(route: &Route) -> Vec<Body> {
    let shapes = [BodyShape::Box(BoxKind::Plain), BodyShape::BotCar, BodyShape::Car(CarColour::Orange)];
    (0..9).map(|k| Body::new(shapes[k % 3], route.center[4 + 12 * k], k as f64)).collect()
}

#[test]
fn pictures_of_spectators_are_right() {
    let (route, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let bodies = some_bodies(&route);
    let small = SceneCamera::of_size(328, 200);
    let (top, above) = top_camera(&route.outer, 320, 240);
    let inside = Viewpoint { position: DVec3::new(1.0, 1.0, 1.0), yaw_rad: 0.6, pitch_down_rad: 0.314 };
    let low = Viewpoint { position: DVec3::new(2.0, 0.7, 0.3), yaw_rad: 0.1, pitch_down_rad: 0.1 };
    for (what, camera, from, least_db) in
        [("inside", small, inside, 35.0), ("low", small, low, 35.0), ("above", top, above, 35.0)]
    {
        let db = reference::psnr_db(&draw(&scene, &camera, &from, &bodies), &expected(&world, &camera, &from, &bodies));
        println!("{what}: {db:.1} dB");
        assert!(db > least_db, "{what}: {db:.1} dB");
    }
}

/// Where a body painted red all over is in a picture, on average: column and row, and how many pixels.
fn red_middle(picture: &[u8], width: usize) -> (DVec2, usize) {
    let is_red = |pixel: &[u8]| pixel[0] > 90 && pixel[1] < 20 && pixel[2] < 20;
    let red: Vec<usize> = picture.chunks_exact(3).enumerate().filter(|(_, p)| is_red(p)).map(|(k, _)| k).collect();
    let sum: DVec2 = red.iter().map(|k| DVec2::new((k % width) as f64 + 0.5, (k / width) as f64 + 0.5)).sum();
    (sum / red.len() as f64, red.len())
}

fn painted(x: f64, y: f64) -> Body {
    let paint = Some(Rgb([250, 0, 0]));
    Body { paint, ..Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(x, y), 0.0) }
}

#[test]
fn the_top_camera_has_x_to_the_right_and_y_up() {
    let (route, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let (camera, from) = top_camera(&route.outer, 640, 480);
    let focal_px = 320.0 / (0.5 * camera.horizontal_field_of_view_rad).tan();
    for at in [DVec2::new(4.0, 2.5), DVec2::new(5.0, 2.5), DVec2::new(4.0, 3.5)] {
        let (middle, count) = red_middle(&draw(&scene, &camera, &from, &[painted(at.x, at.y)]), 640);
        // Its top, 0.25 m above the ground, is most of what is seen.
        let offset = (at - from.position.truncate()) * focal_px / (from.position.z - 0.25);
        let expected = DVec2::new(320.0 + offset.x, 240.0 - offset.y);
        assert!(count > 300 && middle.distance(expected) < 1.5, "{middle} of {expected}");
    }
}

#[test]
fn the_following_camera_sees_its_car_in_the_middle() {
    let (_, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    for yaw_rad in [0.0, 2.0, -PI] {
        let follow = FollowCamera::behind(DVec2::new(4.0, 2.5), yaw_rad);
        let picture = draw(&scene, &SceneCamera::of_size(640, 480), &follow.viewpoint(), &[painted(4.0, 2.5)]);
        let (middle, count) = red_middle(&picture, 640);
        // The optical axis meets the height 1.0 - 1.5 · sin 18° = 0.54 m above the car: it is below the middle.
        assert!(count > 2000 && (middle.x - 320.0).abs() < 25.0 && (300.0..430.0).contains(&middle.y), "{middle}");
    }
}

#[test]
fn a_camera_behind_a_wall_sees_the_track_and_beyond_the_field_nothing() {
    let (_, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let camera = SceneCamera::of_size(320, 240);
    // South of the south wall, looking north.
    let from = Viewpoint { position: DVec3::new(4.0, -2.5, 1.0), yaw_rad: 0.5 * PI, pitch_down_rad: 0.314 };
    let picture = draw(&scene, &camera, &from, &[painted(4.0, 0.7)]);
    assert!(red_middle(&picture, 320).1 > 500, "the box behind the wall is seen");
    let pixel = |row: usize| [0, 1, 2].map(|channel| picture[(row * 320 + 160) * 3 + channel]);
    assert_eq!(pixel(239), world.background.0, "at the lens's feet there is no field");
    assert_ne!(pixel(130), world.background.0);
}

#[test]
fn any_size_can_be_drawn() {
    let (route, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let bodies = some_bodies(&route);
    let mut scratch = Scratch::new();
    for (width, height) in [(1, 1), (7, 5), (333, 201), (1280, 2)] {
        let (camera, from) = top_camera(&route.outer, width, height);
        let mut picture = vec![0; camera.num_bytes()];
        camera.draw(&scene, &Appearance::of(&scene), &from, &bodies, &mut scratch, &mut picture);
        assert!(picture.iter().any(|byte| *byte != 0), "{width} × {height}");
    }
}
