//! Scenes: memory, threads, and pictures from anywhere.

use deepracer_sensor::{Camera, HEIGHT, Moment, ObservationCamera, Pixels, Quality, Scene, Scratch, WIDTH};
use deepracer_track::{Library, Route};
use deepracer_world::World;
use deepracer_world::look::{self, Extent, Look};
use glam::DVec2;

fn world(name: &str) -> (Route, World) {
    let route = Library::new(None).load(name).expect("a built-in track");
    let world = World::build(&route, &look::find(name));
    (route, world)
}

fn draw(scene: &Scene, origin: DVec2, yaw_rad: f64, pixels: Pixels) -> Vec<u8> {
    let camera = Camera::front(0.0).observation(scene, Quality::Standard);
    let mut picture = vec![0; camera.num_bytes(pixels)];
    camera.draw(scene, &Moment::alone(origin, yaw_rad), pixels, &mut Scratch::new(), &mut picture);
    picture
}

#[test]
fn scenes_are_small() {
    for (name, most) in [("reinvent_base", 25e6), ("Spain_track", 100e6), ("2022_april_pro", 100e6)] {
        let num_bytes = Scene::bake(&world(name).1).num_bytes();
        assert!((num_bytes as f64) < most, "{name}: {num_bytes} bytes");
    }
}

#[test]
fn any_number_of_threads_bakes_the_same_scene() {
    let (route, world) = world("reinvent_base");
    let bake = |num_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().expect("a thread pool");
        pool.install(|| Scene::bake(&world))
    };
    let scenes = [bake(1), bake(2), bake(3)];
    for (k, origin) in route.center.iter().enumerate().step_by(7) {
        let pictures = scenes.each_ref().map(|scene| draw(scene, *origin, k as f64, Pixels::Rgb));
        assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2], "row {k}");
    }
}

#[test]
fn grey_is_the_truncated_mixture_of_the_rgb_picture() {
    let (route, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    for (k, origin) in route.center.iter().enumerate().step_by(17) {
        let rgb = draw(&scene, *origin, k as f64, Pixels::Rgb);
        let grey = draw(&scene, *origin, k as f64, Pixels::Grey);
        let expected: Vec<u8> = rgb
            .chunks_exact(3)
            .map(|p| {
                let ten_thousandths = 2989 * u32::from(p[0]) + 5870 * u32::from(p[1]) + 1140 * u32::from(p[2]);
                (ten_thousandths / 10_000) as u8
            })
            .collect();
        assert!(grey == expected, "row {k}");
    }
}

#[test]
fn the_same_scratch_serves_frame_after_frame() {
    let (route, world) = world("Oval_track");
    let scene = Scene::bake(&world);
    let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
    for (k, origin) in route.center.iter().enumerate().step_by(11) {
        camera.draw(&scene, &Moment::alone(*origin, k as f64), Pixels::Rgb, &mut scratch, &mut picture);
        assert!(picture == draw(&scene, *origin, k as f64, Pixels::Rgb), "row {k}");
    }
}

#[test]
fn far_outside_the_field_there_is_background() {
    // Monaco has no walls: seen from far away with the back to it, there is nothing but its background.
    let (_, world) = world("Monaco");
    let scene = Scene::bake(&world);
    let picture = draw(&scene, DVec2::new(1e7, 0.0), 0.0, Pixels::Rgb);
    assert!(picture.chunks_exact(3).all(|pixel| *pixel == world.background.0));
}

#[test]
fn a_pose_that_is_no_number_draws_something() {
    let (_, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let picture = draw(&scene, DVec2::NAN, f64::NAN, Pixels::Rgb);
    assert_eq!(picture.len(), WIDTH * HEIGHT * 3);
}

#[test]
fn straight_ahead_on_a_straight_the_picture_is_symmetric() {
    // A straight road along x, looked along from its middle: left and right halves mirror each other but for
    // the grain, which the comparison leaves room for.
    let points = |y: f64| (0..60).map(|k| DVec2::new(f64::from(k) * 0.1, y)).collect::<Vec<_>>();
    let route = Route {
        name: "straight".into(),
        center: points(0.0),
        inner: points(0.4),
        outer: points(-0.4),
        closed: false,
        source: deepracer_track::RouteSource::Memory,
    };
    let look = Look { extent: Extent::Margin(1.0), ..look::find("Straight_track") };
    let scene = Scene::bake(&World::build(&route, &look));
    let picture = draw(&scene, DVec2::new(1.0, 0.0), 0.0, Pixels::Grey);
    let mirrored: Vec<u8> = picture.chunks_exact(WIDTH).flat_map(|row| row.iter().rev().copied()).collect();
    let difference: f64 =
        picture.iter().zip(&mirrored).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / picture.len() as f64;
    assert!(difference < 4.0, "mean difference {difference}");
}

#[test]
fn a_pair_of_cameras_sees_two_rounded_greys() {
    let (route, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let pair = Camera::stereo(0.0243).map(|camera| camera.observation(&scene, Quality::Standard));
    let mut scratch = Scratch::new();
    let mut both = vec![0; WIDTH * HEIGHT * 2];
    for (k, origin) in route.center.iter().enumerate().step_by(29) {
        let moment = Moment::alone(*origin, k as f64);
        ObservationCamera::draw_pair([&pair[0], &pair[1]], &scene, &moment, &mut scratch, &mut both);
        for (side, camera) in pair.iter().enumerate() {
            let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
            camera.draw(&scene, &moment, Pixels::Rgb, &mut scratch, &mut picture);
            let grey = picture.chunks_exact(3).map(|p| {
                let [r, g, b] = [p[0], p[1], p[2]].map(u32::from);
                ((19_595 * r + 38_470 * g + 7471 * b + 32_768) >> 16) as u8
            });
            assert!(both.iter().skip(side).step_by(2).copied().eq(grey), "side {side} at row {k}");
        }
    }
}

#[test]
fn the_left_camera_is_six_centimetres_to_the_left_of_the_right_one() {
    // What the left camera sees, the right one sees with the car moved by the distance between them.
    let (route, world) = world("reinvent_base");
    let scene = Scene::bake(&world);
    let [left, right] = Camera::stereo(0.0243).map(|camera| camera.observation(&scene, Quality::Standard));
    let (origin, yaw_rad) = (route.center[20], 0.0);
    let draw = |camera: &ObservationCamera, origin: DVec2| {
        let mut picture = vec![0; camera.num_bytes(Pixels::Grey)];
        camera.draw(&scene, &Moment::alone(origin, yaw_rad), Pixels::Grey, &mut Scratch::new(), &mut picture);
        picture
    };
    // Up to the rounding of coordinates.
    let (a, b) = (draw(&left, origin), draw(&right, origin + DVec2::new(0.0, 0.06)));
    let differing = a.iter().zip(&b).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(differing < a.len() / 500, "{differing} pixels");
    assert!(draw(&left, origin) != draw(&right, origin));
}
