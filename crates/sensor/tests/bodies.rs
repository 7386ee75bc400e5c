//! Boxes and cars in the pictures, against the oracle.

use deepracer_sensor::oracle::Oracle;
use deepracer_sensor::{Camera, Moment, Pixels, Quality, Scene, Scratch};
use deepracer_track::Library;
use deepracer_world::{Body, BodyShape, BoxKind, CarColour, Rgb, Shell, World, look};
use glam::DVec2;

mod reference;

struct Stage {
    world: World,
    scene: Scene,
    camera: Camera,
}

impl Stage {
    fn new() -> Stage {
        let route = Library::new(None).load("reinvent_base").expect("a built-in track");
        let world = World::build(&route, &look::find("reinvent_base"));
        let scene = Scene::bake(&world);
        Stage { world, scene, camera: Camera::front(0.0243) }
    }

    fn draw(&self, moment: &Moment<'_>) -> Vec<u8> {
        let observation = self.camera.observation(&self.scene, Quality::Standard);
        let mut picture = vec![0; observation.num_bytes(Pixels::Rgb)];
        observation.draw(&self.scene, moment, Pixels::Rgb, &mut Scratch::new(), &mut picture);
        picture
    }

    /// How much worse the pixels that bodies change are than the same pixels without bodies: both in dB over the whole
    /// picture. Also how many pixels the bodies change.
    fn compare(&self, what: &str, moment: &Moment<'_>) -> (f64, f64, usize) {
        let oracle = Oracle::new(&self.world, 2);
        let alone = Moment { bodies: &[], ..*moment };
        let (expected, expected_alone) = (oracle.draw(&self.camera, moment), oracle.draw(&self.camera, &alone));
        let drawn = self.draw(moment);
        let changed = expected.chunks(3).zip(expected_alone.chunks(3)).filter(|(a, b)| a != b).count();
        let (with, without) =
            (reference::psnr_db(&drawn, &expected), reference::psnr_db(&self.draw(&alone), &expected_alone));
        println!("{what}: {with:.1} dB, without bodies {without:.1} dB, {changed} pixels of bodies");
        if let Some(folder) = std::env::var_os("DEEPRACER_PICTURES") {
            reference::write_png(&std::path::Path::new(&folder).join(format!("{what}.png")), &[&drawn, &expected]);
        }
        (with, without, changed)
    }
}

fn parcel(kind: BoxKind, x: f64, y: f64, yaw_rad: f64) -> Body {
    Body::new(BodyShape::Box(kind), DVec2::new(x, y), yaw_rad)
}

const ORIGIN: DVec2 = DVec2::new(3.0, 0.68);

/// Looking along the first straight of the track.
fn along_the_straight(bodies: &[Body]) -> Moment<'_> {
    Moment::among(bodies, ORIGIN, 0.05)
}

/// At most this much worse than without bodies, dB: their edges are the only new source of differences.
const SLACK_DB: f64 = 1.0;

#[test]
fn boxes_near_and_far_are_right() {
    let stage = Stage::new();
    for (what, kind, x, y, yaw_rad) in [
        ("box-near", BoxKind::Plain, 3.6, 0.7, 0.3),
        ("box-very-near", BoxKind::DeepRacer, 3.40, 0.75, 0.8),
        ("box-middle", BoxKind::Amazon, 4.5, 0.5, 1.0),
        ("box-far", BoxKind::Plain, 6.5, 0.9, -0.4),
    ] {
        let bodies = [parcel(kind, x, y, yaw_rad)];
        let (with, without, changed) = stage.compare(what, &along_the_straight(&bodies));
        assert!(changed > 200, "{what}: {changed}");
        assert!(with > without - SLACK_DB, "{what}: {with:.2} of {without:.2} dB");
    }
}

#[test]
fn cars_near_and_far_are_right() {
    let stage = Stage::new();
    for (what, x, y, yaw_rad, shape) in [
        ("bot-near", 3.55, 0.7, 0.2, BodyShape::BotCar),
        ("bot-across", 3.7, 0.7, 1.4, BodyShape::BotCar),
        ("bot-toward", 3.6, 0.6, 2.9, BodyShape::BotCar),
        ("bot-far", 5.5, 0.8, -0.4, BodyShape::BotCar),
        ("car-near", 3.6, 0.75, -0.3, BodyShape::Car(CarColour::Orange)),
        ("car-middle", 4.2, 0.75, 0.9, BodyShape::Car(CarColour::White)),
    ] {
        let bodies = [Body::new(shape, DVec2::new(x, y), yaw_rad)];
        let (with, without, changed) = stage.compare(what, &along_the_straight(&bodies));
        assert!(changed > 200, "{what}: {changed}");
        assert!(with > without - SLACK_DB, "{what}: {with:.2} of {without:.2} dB");
    }
}

#[test]
fn every_shell_is_right() {
    let stage = Stage::new();
    for shell in [Shell::DeepRacer, Shell::Formula, Shell::Van, Shell::Bike, Shell::Closed] {
        let shape = BodyShape::Car(CarColour::Purple);
        let bodies = [Body { shell, ..Body::new(shape, DVec2::new(3.75, 0.72), 0.6) }];
        let (with, without, changed) = stage.compare(&format!("shell-{shell:?}"), &along_the_straight(&bodies));
        assert!(changed > 200, "{shell:?}: {changed}");
        assert!(with > without - SLACK_DB, "{shell:?}: {with:.2} of {without:.2} dB");
    }
}

#[test]
fn bodies_hide_each_other_and_nothing_else() {
    let stage = Stage::new();
    let bot = |x: f64, y: f64, yaw_rad: f64| Body::new(BodyShape::BotCar, DVec2::new(x, y), yaw_rad);
    let crowds = [
        vec![parcel(BoxKind::Plain, 3.9, 0.75, 0.1), bot(4.3, 0.65, 0.4), parcel(BoxKind::DeepRacer, 4.1, 0.45, 1.2)],
        vec![bot(3.7, 0.55, 0.2), bot(3.75, 0.82, -0.2), bot(4.1, 0.7, 1.5), parcel(BoxKind::Amazon, 4.6, 0.6, 0.7)],
        // A long box whose middle is further away than that of the bot it stands before.
        vec![parcel(BoxKind::Plain, 3.75, 0.95, 1.5), bot(3.98, 0.72, 1.57)],
    ];
    for (k, bodies) in crowds.iter().enumerate() {
        let mut bodies = bodies.clone();
        for turn in 0..bodies.len() {
            let (with, without, changed) = stage.compare(&format!("crowd-{k}-{turn}"), &along_the_straight(&bodies));
            assert!(changed > 1000, "crowd {k}: {changed}");
            assert!(with > without - SLACK_DB, "crowd {k}: {with:.2} of {without:.2} dB");
            bodies.rotate_left(1);
        }
    }
}

#[test]
fn the_order_of_bodies_does_not_matter() {
    let stage = Stage::new();
    let mut bodies: Vec<Body> = (0..7_u32)
        .map(|k| parcel(BoxKind::Plain, 3.7 + 0.45 * f64::from(k), 0.5 + 0.3 * f64::from(k % 2), f64::from(k)))
        .collect();
    let expected = stage.draw(&along_the_straight(&bodies));
    bodies.reverse();
    assert!(stage.draw(&along_the_straight(&bodies)) == expected);
    bodies.swap(2, 5);
    assert!(stage.draw(&along_the_straight(&bodies)) == expected);
}

#[test]
fn bodies_at_the_lens_are_cut_by_the_near_plane() {
    let stage = Stage::new();
    // The lens is 0.145 m ahead of the car's origin: these are within centimetres of it, beside it, around it.
    for (what, shape, x, y, yaw_rad) in [
        ("cut-across", BodyShape::Box(BoxKind::Plain), 3.155, 0.90, 0.05),
        ("cut-ahead", BodyShape::Box(BoxKind::Plain), 3.362, 0.70, 0.05),
        ("cut-aslant", BodyShape::Box(BoxKind::Amazon), 3.22, 0.915, 0.45),
        ("cut-around", BodyShape::Box(BoxKind::DeepRacer), 3.15, 0.69, 0.3),
        ("cut-bot", BodyShape::BotCar, 3.2, 0.75, 0.3),
        ("cut-beside", BodyShape::BotCar, 3.13, 0.80, 0.05),
    ] {
        let bodies = [Body::new(shape, DVec2::new(x, y), yaw_rad)];
        let (with, without, _) = stage.compare(what, &along_the_straight(&bodies));
        // Cut solids are drawn face by face: their seams are a little rougher.
        assert!(with > without - 2.0 * SLACK_DB, "{what}: {with:.2} of {without:.2} dB");
    }
}

#[test]
fn bodies_behind_the_lens_change_nothing() {
    let stage = Stage::new();
    let bodies = [parcel(BoxKind::Plain, 2.5, 0.7, 0.3), Body::new(BodyShape::BotCar, DVec2::new(2.9, 0.3), 1.0)];
    let moment = along_the_straight(&bodies);
    assert!(stage.draw(&moment) == stage.draw(&Moment { bodies: &[], ..moment }));
}

#[test]
fn walls_hide_what_is_behind_them() {
    let stage = Stage::new();
    // North of the north wall, looking at it from inside, and at the field from outside.
    let beyond = [parcel(BoxKind::Plain, 4.0, 7.0, 0.0)];
    let inside = Moment::among(&beyond, DVec2::new(4.0, 4.5), 1.57);
    assert!(stage.draw(&inside) == stage.draw(&Moment { bodies: &[], ..inside }), "behind the wall");
    let on_field = [parcel(BoxKind::Plain, 4.0, 4.5, 0.0)];
    let outside = Moment::among(&on_field, DVec2::new(4.0, 7.0), -1.57);
    assert!(stage.draw(&outside) == stage.draw(&Moment { bodies: &[], ..outside }), "the wall is nearer");
    let before = [parcel(BoxKind::Plain, 4.0, 6.3, 0.0)];
    let picture = stage.draw(&Moment { bodies: &before, ..outside });
    // The side to the north, in ambient light.
    assert_eq!(picture[(60 * 160 + 80) * 3..][..3], [62, 49, 40], "before the wall");
}

#[test]
fn colours_are_those_of_the_material_in_the_light() {
    let stage = Stage::new();
    let middle = |bodies: &[Body]| {
        let picture = stage.draw(&along_the_straight(bodies));
        let pixel = &picture[(70 * 160 + 80) * 3..][..3];
        [pixel[0], pixel[1], pixel[2]]
    };
    // Its back looks at the lens: ambient light of 0.5 only, and 0.1 of that on a car's paint.
    let mut body = parcel(BoxKind::Plain, 3.5, 0.7, 0.05);
    assert_eq!(middle(&[body]), [62, 49, 40]);
    body.paint = Some(Rgb([200, 10, 100]));
    assert_eq!(middle(&[body]), [100, 5, 50]);
    let closed = Body { shell: Shell::Closed, ..Body::new(BodyShape::Car(CarColour::White), body.position, 0.05) };
    assert_eq!(middle(&[closed]), [13, 13, 13]);
    // Its front looks back at the lens, half toward the sun: 0.1 · 0.5 + 0.35 · 0.94 · 0.48 of white.
    let turned = Body { yaw_rad: std::f64::consts::PI, ..closed };
    let from_east = Moment::among(std::slice::from_ref(&turned), DVec2::new(4.0, 0.7), std::f64::consts::PI);
    let picture = stage.draw(&from_east);
    assert_eq!(picture[(70 * 160 + 80) * 3], 53);
}
