//! Worlds of meshes in the pictures: against the same worlds in their looks, and against the oracle.

use deepracer_sensor::oracle::Oracle;
use deepracer_sensor::{
    Appearance, Camera, FollowCamera, LIDAR_RAYS, Lidar, Moment, Pixels, Quality, Scene, SceneCamera, Scratch,
    Viewpoint, top_camera,
};
use deepracer_track::{Library, Route};
use deepracer_world::look::{self, Look};
use deepracer_world::mesh::Scenery;
use deepracer_world::{Body, BodyShape, BoxKind, World};
use glam::{DVec2, DVec3};
use made::{Part, Picture, Style};
use std::path::Path;

#[path = "../../world/tests/made/mod.rs"]
mod made;
mod reference;

fn route(name: &str) -> Route {
    Library::new(None).load(name).expect("a built-in track")
}

/// A world of meshes, made of a built-in one, and the same in its look.
fn built_in(name: &str, num_triangles: usize, style: Style) -> (Route, World, World) {
    let folder = tempfile::tempdir().expect("a folder");
    let (route, look) = (route(name), look::find(name));
    let (path, in_look) = made::built_in(folder.path(), &route, &look, num_triangles, style);
    let mut of_meshes = World::of_meshes(&route, &look, Scenery::read(&path).expect("a world"));
    of_meshes.background = in_look.background;
    (route, of_meshes, in_look)
}

fn draw(scene: &Scene, moment: &Moment<'_>) -> Vec<u8> {
    let camera = Camera::front(0.0243).observation(scene, Quality::Standard);
    let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
    camera.draw(scene, moment, Pixels::Rgb, &mut Scratch::new(), &mut picture);
    picture
}

/// Mean and worst of many distances, dB.
fn summary(what: &str, distances: &[f64]) -> [f64; 2] {
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let worst = distances.iter().copied().fold(f64::INFINITY, f64::min);
    println!("{what}: mean {mean:.1} dB, worst {worst:.1} dB");
    [mean, worst]
}

fn keep(name: &str, pictures: &[&[u8]]) {
    if let Some(folder) = std::env::var_os("DEEPRACER_PICTURES") {
        reference::write_png(&Path::new(&folder).join(format!("{name}.png")), pictures);
    }
}

#[test]
fn a_world_of_meshes_looks_like_the_same_world_in_its_look() {
    let styles = Style::all();
    for (k, name) in ["reinvent_base", "reInvent2019_wide", "Bowtie_track"].into_iter().enumerate() {
        let (route, of_meshes, in_look) = built_in(name, 0, styles[3 * k + 1]);
        let scenes = [Scene::bake(&of_meshes), Scene::bake(&in_look)];
        let mut distances = Vec::new();
        for (n, (origin, yaw_rad)) in reference::poses(&route, 24).into_iter().enumerate() {
            let moment = Moment::alone(origin, yaw_rad);
            let pictures = scenes.each_ref().map(|scene| draw(scene, &moment));
            distances.push(reference::psnr_db(&pictures[0], &pictures[1]));
            if n == 3 {
                keep(&format!("mesh-look-{name}"), &[&pictures[0], &pictures[1]]);
            }
        }
        let [mean, worst] = summary(name, &distances);
        assert!(mean > 41.0 && worst > 38.0, "{name}: {mean:.1}, {worst:.1}");
    }
}

/// Distances of pictures of a world from the oracle's.
fn distances(what: &str, world: &World, moments: &[Moment<'_>]) -> Vec<f64> {
    let scene = Scene::bake(world);
    let oracle = Oracle::new(world, 2);
    let one = |(k, moment): (usize, &Moment<'_>)| {
        let (drawn, expected) = (draw(&scene, moment), oracle.draw(&Camera::front(0.0243), moment));
        keep(&format!("{what}-{k}"), &[&drawn, &expected]);
        reference::psnr_db(&drawn, &expected)
    };
    moments.iter().enumerate().map(one).collect()
}

#[test]
fn a_city_of_meshes_is_right() {
    let (route, world, _) = built_in("reinvent_base", 35_000, Style::all()[5]);
    let moments: Vec<_> =
        reference::poses(&route, 5).into_iter().map(|(origin, yaw_rad)| Moment::alone(origin, yaw_rad)).collect();
    let [mean, worst] = summary("city", &distances("city", &world, &moments));
    assert!(mean > 34.0 && worst > 33.0, "{mean:.1}, {worst:.1}");
}

#[test]
fn bodies_hide_and_are_hidden_among_meshes() {
    let (_, mut world, _) = built_in("reinvent_base", 0, Style::PLAIN);
    // A screen with holes across the straight, one body before it, one beyond, one through it.
    let folder = tempfile::tempdir().expect("a folder");
    let holes = Picture::new("holes.png", [32, 32], |x, y| {
        if (x / 8 + y / 8).is_multiple_of(2) { [220, 30, 200, 255] } else { [0, 0, 0, 0] }
    });
    let mut parts = made::parts_of(&World::build(&route("reinvent_base"), &look::find("reinvent_base")));
    let mut screen = Part::new("screen", [0; 3], Some(holes));
    let at = |y: f64, z: f64| DVec3::new(4.2, y, z);
    screen.quad([at(0.2, 0.0), at(1.2, 0.0), at(1.2, 0.4), at(0.2, 0.4)], [0.0, 0.0], [2.0, 1.0]);
    parts.push(screen);
    let path = made::write_mesh(folder.path(), "mesh", &parts, Style::PLAIN);
    let look = look::find("reinvent_base");
    world.meshes = World::of_meshes(&route("reinvent_base"), &look, Scenery::read(&path).expect("a mesh")).meshes;
    let parcel = |x: f64, y: f64| Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(x, y), 0.3);
    let bodies = [
        parcel(3.8, 0.5),
        Body::new(BodyShape::BotCar, DVec2::new(4.2, 0.75), 0.4),
        parcel(4.7, 0.8),
        Body::new(BodyShape::BotCar, DVec2::new(3.7, 0.95), 1.4),
    ];
    let moment = |count: usize, x: f64| Moment { bodies: &bodies[..count], ..Moment::alone(DVec2::new(x, 0.68), 0.05) };
    let moments = [moment(0, 3.0), moment(1, 3.0), moment(2, 3.0), moment(3, 3.0), moment(4, 3.0), moment(4, 3.5)];
    let found = distances("screen", &world, &moments);
    println!("with 0 to 4 bodies: {found:.1?}");
    // The holed screen is the hardest of it; bodies cost next to nothing more.
    assert!(found.iter().all(|db| *db > 29.0), "{found:?}");
    assert!(found[1..5].iter().all(|db| *db > found[0] - 1.0), "{found:?}");
}

/// A world of some parts, as seen by a route it belongs to.
fn world_of(parts: &[Part], look: &Look) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made::write_mesh(folder.path(), "mesh", parts, Style::PLAIN);
    World::of_meshes(&route("reinvent_base"), look, Scenery::read(&path).expect("a mesh"))
}

fn pixel(picture: &[u8], column: usize, row: usize) -> [u8; 3] {
    let at = (row * 160 + column) * 3;
    [picture[at], picture[at + 1], picture[at + 2]]
}

#[test]
fn the_ground_hides_what_is_below_and_its_holes_show_it() {
    let look = look::find("reinvent_base");
    let level = |x: [f64; 2], y: [f64; 2], z: f64| {
        [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]].map(|[x, y]| DVec3::new(x, y, z))
    };
    // Ground with a hole from x = 4 to 5, and a red floor half a metre below everything.
    let mut ground = Part::new("ground", [100, 100, 100], None);
    for x in [[-2.0, 4.0], [5.0, 12.0]] {
        ground.quad(level(x, [-2.0, 8.0], 0.0), [0.0; 2], [1.0; 2]);
    }
    let mut floor = Part::new("floor", [150, 0, 0], None);
    floor.quad(level([-2.0, 12.0], [-2.0, 8.0], -0.5), [0.0; 2], [1.0; 2]);
    let world = world_of(&[floor, ground], &look);
    assert_eq!(world.meshes.as_ref().map(|meshes| [meshes.layers.len(), meshes.upright.len()]), Some([4, 2]));
    let picture = draw(&Scene::bake(&world), &Moment::alone(DVec2::new(3.0, 0.7), 0.0));
    let (grey, red) = ([132, 132, 132], [198, 0, 0]);
    assert_eq!(pixel(&picture, 80, 110), grey, "near ground");
    // The lens is 0.13 m above the ground, 0.15 m ahead: the hole is 0.86 to 1.86 m before it, 19 to 9 pixels below the
    // horizon at row 29; behind its far edge nothing of the floor is seen.
    assert_eq!(pixel(&picture, 80, 42), red, "through the hole");
    assert_eq!(pixel(&picture, 80, 33), grey, "far ground");
    let expected = Oracle::new(&world, 2).draw(&Camera::front(0.0243), &Moment::alone(DVec2::new(3.0, 0.7), 0.0));
    assert!(reference::psnr_db(&picture, &expected) > 33.0);
}

#[test]
fn painted_layers_hide_each_other_by_height_then_by_order() {
    let look = look::find("reinvent_base");
    let square = |z: f64| [[-5.0, -5.0], [9.0, -5.0], [9.0, 9.0], [-5.0, 9.0]].map(|[x, y]| DVec3::new(x, y, z));
    let part = |name: &str, colour: [u8; 3], z: f64| {
        let mut part = Part::new(name, colour, None);
        part.quad(square(z), [0.0; 2], [1.0; 2]);
        part
    };
    let (red, green, blue) =
        (part("r", [100, 0, 0], 0.001), part("g", [0, 100, 0], 0.0), part("b", [0, 0, 100], 0.001));
    for (parts, expected) in [
        (vec![red.clone(), green.clone()], [132, 0, 0]),
        (vec![green.clone(), red.clone(), blue.clone()], [0, 0, 132]),
        (vec![blue, red, green], [132, 0, 0]),
    ] {
        let picture = draw(&Scene::bake(&world_of(&parts, &look)), &Moment::alone(DVec2::new(3.0, 0.7), 0.0));
        assert_eq!(pixel(&picture, 80, 110), expected);
    }
}

#[test]
fn any_number_of_threads_bakes_the_same_scene_and_scratch_remembers_nothing() {
    let (route, world, _) = built_in("reinvent_base", 3000, Style::PLAIN);
    let bake = |num_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().expect("a thread pool");
        pool.install(|| Scene::bake(&world))
    };
    let scenes = [bake(1), bake(3)];
    let camera = Camera::front(0.0243).observation(&scenes[0], Quality::Standard);
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
    let parcel = [Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(3.8, 0.5), 0.3)];
    for (k, origin) in route.center.iter().enumerate().step_by(9) {
        let moment = Moment { bodies: &parcel[..k % 2], ..Moment::alone(*origin, k as f64) };
        let pictures = scenes.each_ref().map(|scene| draw(scene, &moment));
        camera.draw(&scenes[0], &moment, Pixels::Rgb, &mut scratch, &mut picture);
        assert!(pictures[0] == pictures[1] && pictures[0] == picture, "row {k}");
        let grey = Camera::front(0.0243).observation(&scenes[0], Quality::Standard);
        let mut greys = vec![0; grey.num_bytes(Pixels::Grey)];
        grey.draw(&scenes[0], &moment, Pixels::Grey, &mut scratch, &mut greys);
        let expected = picture
            .chunks_exact(3)
            .map(|p| ((2989 * u32::from(p[0]) + 5870 * u32::from(p[1]) + 1140 * u32::from(p[2])) / 10_000) as u8);
        assert!(greys.iter().copied().eq(expected), "row {k}");
    }
}

#[test]
fn poses_anywhere_draw_something() {
    let (_, world, _) = built_in("reinvent_base", 3000, Style::PLAIN);
    let scene = Scene::bake(&world);
    for origin in [DVec2::NAN, DVec2::new(1e7, 0.0), DVec2::new(f64::MAX, 1.0), DVec2::new(0.0, f64::INFINITY)] {
        for yaw_rad in [0.0, f64::NAN, 1e300] {
            assert_eq!(draw(&scene, &Moment::alone(origin, yaw_rad)).len(), 160 * 120 * 3);
        }
    }
    let picture = draw(&scene, &Moment::alone(DVec2::new(1e7, 0.0), 0.0));
    assert!(picture.chunks_exact(3).all(|pixel| *pixel == world.background.0));
}

#[test]
fn a_lidar_meets_walls_of_meshes_where_it_meets_those_of_the_look() {
    let (route, of_meshes, in_look) = built_in("reinvent_base", 0, Style::PLAIN);
    let scenes = [Scene::bake(&of_meshes), Scene::bake(&in_look)];
    let lidar = Lidar::new(0.0);
    let bodies = [Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(3.8, 0.5), 0.3)];
    for (origin, yaw_rad) in reference::poses(&route, 20) {
        let mut scans = [[0.0; LIDAR_RAYS]; 2];
        for (scene, scan) in scenes.iter().zip(&mut scans) {
            lidar.scan(scene, &bodies, origin, yaw_rad, scan);
        }
        let [found, expected] = scans;
        for (ray, (found, expected)) in found.iter().zip(expected).enumerate() {
            let is_same = (found - expected).abs() < 0.002 || found == &expected;
            assert!(is_same, "ray {ray}: {found} instead of {expected}");
        }
    }
}

#[test]
fn spectators_see_meshes_too() {
    let (_, of_meshes, in_look) = built_in("reinvent_base", 0, Style::PLAIN);
    let scenes = [Scene::bake(&of_meshes), Scene::bake(&in_look)];
    let camera = SceneCamera::of_size(320, 240);
    let bodies = [Body::new(BodyShape::BotCar, DVec2::new(3.8, 0.7), 0.3)];
    let following = FollowCamera::behind(DVec2::new(3.5, 0.7), 0.1).viewpoint();
    let above = top_camera(&route("reinvent_base").outer, 320, 240);
    for (what, camera, viewpoint) in [("follow", camera, following), ("top", above.0, above.1)] {
        let pictures = scenes.each_ref().map(|scene| {
            let mut picture = vec![0; camera.num_bytes()];
            let appearance = Appearance::of(scene);
            camera.draw(scene, &appearance, &viewpoint, &bodies, &mut Scratch::new(), &mut picture);
            picture
        });
        let distance = reference::psnr_db(&pictures[0], &pictures[1]);
        println!("{what}: {distance:.1} dB");
        assert!(distance > 36.0, "{what}: {distance:.1} dB");
    }
}

#[test]
fn a_coloured_light_colours_meshes_as_it_colours_a_look() {
    let (route, of_meshes, in_look) = built_in("reinvent_base", 0, Style::PLAIN);
    let scenes = [Scene::bake(&of_meshes), Scene::bake(&in_look)];
    let camera = SceneCamera::of_size(160, 120);
    let position = route.center[30].extend(0.3);
    let viewpoint = Viewpoint { position, yaw_rad: 0.4, pitch_down_rad: 0.2 };
    for seed in 0..4 {
        let pictures = scenes.each_ref().map(|scene| {
            let mut picture = vec![0; camera.num_bytes()];
            let appearance = Appearance::random(scene, seed);
            camera.draw(scene, &appearance, &viewpoint, &[], &mut Scratch::new(), &mut picture);
            picture
        });
        let distance = reference::psnr_db(&pictures[0], &pictures[1]);
        assert!(distance > 36.0, "{distance:.1} dB");
    }
}
