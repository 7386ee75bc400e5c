//! What differs from episode to episode when it is asked for, and that nothing does otherwise.

use deepracer_sensor::{
    Appearance, Camera, HEIGHT, Moment, ObservationCamera, Pixels, Quality, Scene, Scratch, Variety, WIDTH,
};
use deepracer_track::Library;
use deepracer_world::{Body, BodyShape, BoxKind, CarColour, World, look};
use glam::DVec2;
use std::sync::LazyLock;

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let route = Library::new(None).load("reinvent_base").expect("a built-in track");
    Scene::bake(&World::build(&route, &look::find("reinvent_base")))
});

static CAMERA: LazyLock<ObservationCamera> =
    LazyLock::new(|| Camera::front(0.0243).observation(&SCENE, Quality::Standard));

const HERE: DVec2 = DVec2::new(3.0, 0.68);

fn bodies() -> Vec<Body> {
    vec![
        Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(4.0, 0.9), 0.05),
        Body::new(BodyShape::BotCar, DVec2::new(3.9, 0.5), 1.4),
    ]
}

fn draw(variety: Option<&Variety>, bodies: &[Body], seed: u64, step: u32) -> Vec<u8> {
    let mut picture = vec![0; CAMERA.num_bytes(Pixels::Rgb)];
    let moment = Moment { seed, step, variety, ..Moment::among(bodies, HERE, 0.05) };
    CAMERA.draw(&SCENE, &moment, Pixels::Rgb, &mut Scratch::new(), &mut picture);
    picture
}

fn each() -> Vec<(&'static str, Variety)> {
    let none = Variety::default();
    vec![
        ("domain", Variety { domain: true, ..none }),
        ("pitch", Variety { pitch_rad: 0.05, ..none }),
        ("yaw", Variety { yaw_rad: 0.05, ..none }),
        ("height", Variety { height_m: 0.02, ..none }),
        ("field of view", Variety { field_of_view_rad: 0.1, ..none }),
        ("brightness", Variety { brightness: 0.2, ..none }),
        ("contrast", Variety { contrast: 0.3, ..none }),
        ("blur", Variety { blur_px: 1.5, ..none }),
        ("pixel noise", Variety { pixel_noise: 0.05, ..none }),
    ]
}

#[test]
fn each_kind_changes_pictures_repeats_with_its_seed_and_differs_by_seed() {
    let bodies = bodies();
    let plain = draw(None, &bodies, 11, 3);
    assert!(draw(Some(&Variety::default()), &bodies, 11, 3) == plain, "nothing asked for");
    assert!(draw(None, &bodies, 12, 3) == plain, "without variety the seed does not matter");
    for (what, variety) in each() {
        let drawn = draw(Some(&variety), &bodies, 11, 3);
        assert!(drawn != plain, "{what} changes something");
        assert!(drawn == draw(Some(&variety), &bodies, 11, 3), "{what} repeats");
        assert!(drawn != draw(Some(&variety), &bodies, 12, 3), "{what} differs by seed");
        let is_steady = what != "pixel noise";
        assert_eq!(drawn == draw(Some(&variety), &bodies, 11, 4), is_steady, "{what} in the next step");
    }
}

#[test]
fn one_scratch_serves_episode_after_episode() {
    let variety = Variety { pitch_rad: 0.05, field_of_view_rad: 0.1, pixel_noise: 0.02, ..Variety::default() };
    let mut scratch = Scratch::new();
    let mut picture = vec![0; CAMERA.num_bytes(Pixels::Rgb)];
    for seed in [1, 2, 3, 2, 1] {
        let moment = Moment { seed, variety: Some(&variety), ..Moment::alone(HERE, 0.05) };
        CAMERA.draw(&SCENE, &moment, Pixels::Rgb, &mut scratch, &mut picture);
        assert!(picture == draw(Some(&variety), &[], seed, 0), "seed {seed}");
    }
}

#[test]
fn the_cameras_of_a_pair_move_together_and_have_noise_of_their_own() {
    let pair = Camera::stereo(0.0243).map(|camera| camera.observation(&SCENE, Quality::Standard));
    let draw = |variety: &Variety, step: u32| {
        let mut picture = vec![0; WIDTH * HEIGHT * 2];
        let moment = Moment { step, variety: Some(variety), ..Moment::alone(HERE, 0.05) };
        ObservationCamera::draw_pair([&pair[0], &pair[1]], &SCENE, &moment, &mut Scratch::new(), &mut picture);
        picture
    };
    let noisy = draw(&Variety { pixel_noise: 0.1, ..Variety::default() }, 0);
    // High in the picture there is nothing but sky: what differs is noise.
    let sky: Vec<i32> = noisy[..8 * WIDTH * 2].chunks(2).map(|pair| i32::from(pair[0]) - i32::from(pair[1])).collect();
    assert!(sky.iter().any(|difference| difference.abs() > 2));
    let tilted = draw(&Variety { pitch_rad: 0.1, ..Variety::default() }, 0);
    let horizon = |side: usize| (0..HEIGHT).position(|row| tilted[(row * WIDTH + 80) * 2 + side] != tilted[160 + side]);
    assert!(horizon(0).zip(horizon(1)).is_some_and(|(left, right)| left.abs_diff(right) <= 1));
}

fn pixel(picture: &[u8], column: usize, row: usize) -> [u8; 3] {
    [0, 1, 2].map(|channel| picture[(row * WIDTH + column) * 3 + channel])
}

#[test]
fn a_random_light_tints_everything_but_the_sky_and_agents_cars_keep_their_paint() {
    let domain = Variety { domain: true, ..Variety::default() };
    let plain = draw(None, &[], 0, 0);
    for seed in 0..20 {
        let drawn = draw(Some(&domain), &[], seed, 0);
        assert_eq!(pixel(&drawn, 80, 0), pixel(&plain, 80, 0), "the sky");
        // The same gains in the field, on the road and on walls.
        let gains = |column: usize, row: usize| {
            let (drawn, plain) = (pixel(&drawn, column, row), pixel(&plain, column, row));
            [0, 1, 2].map(|k| f64::from(drawn[k]) / f64::from(plain[k]))
        };
        let (field, wall) = (gains(4, 40), gains(80, 20));
        for k in 0..3 {
            assert!((0.35..1.06).contains(&field[k]) && (field[k] - wall[k]).abs() < 0.04, "{field:?} {wall:?}");
        }
    }
    // A car of an agent: in ambient light, which is not random, its back is what it was.
    let car = [Body::new(BodyShape::Car(CarColour::White), DVec2::new(3.6, 0.7), 0.05)];
    assert_eq!(pixel(&draw(Some(&domain), &car, 1, 0), 80, 60), pixel(&draw(None, &car, 1, 0), 80, 60));
}

#[test]
fn boxes_get_one_paint_and_bot_cars_one_per_part() {
    let domain = Variety { domain: true, ..Variety::default() };
    let parcels = [
        Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(3.8, 1.0), 0.05),
        Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(3.8, 0.4), 0.05),
    ];
    let mut distinct = Vec::new();
    for seed in 0..10 {
        let picture = draw(Some(&domain), &parcels, seed, 0);
        // Their backs, in ambient light of one half.
        distinct.extend([pixel(&picture, 40, 50), pixel(&picture, 130, 50)]);
    }
    assert!(distinct.iter().flatten().all(|channel| *channel <= 128), "{distinct:?}");
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 20, "every box in every episode");

    let bot = [Body::new(BodyShape::BotCar, DVec2::new(3.75, 0.68), 1.6)];
    let colours = |variety: Option<&Variety>| {
        let picture = draw(variety, &bot, 4, 0);
        let mut colours: Vec<[u8; 3]> = picture.chunks(3).map(|p| [p[0], p[1], p[2]]).collect();
        let alone = draw(variety, &[], 4, 0);
        let background: Vec<[u8; 3]> = alone.chunks(3).map(|p| [p[0], p[1], p[2]]).collect();
        let mut k = 0;
        colours.retain(|colour| {
            k += 1;
            *colour != background[k - 1]
        });
        colours.sort_unstable();
        // Colours that fill an area: faces of parts.
        let mut areas: Vec<[u8; 3]> =
            colours.chunk_by(PartialEq::eq).filter(|run| run.len() > 60).map(|run| run[0]).collect();
        areas.sort_unstable();
        areas
    };
    let hue = |[r, g, b]: [u8; 3]| (f64::from(g) - f64::from(r), f64::from(b) - f64::from(r));
    assert!(colours(None).into_iter().all(|colour| hue(colour) == (0.0, 0.0)), "greys");
    assert!(colours(Some(&domain)).len() >= 4, "body, wheels, camera: {:?}", colours(Some(&domain)));
}

#[test]
fn spectators_see_the_episode_as_the_cameras_do() {
    assert_eq!(Variety::default().appearance(&SCENE, 3), Appearance::of(&SCENE));
    let domain = Variety { domain: true, ..Variety::default() };
    assert_eq!(domain.appearance(&SCENE, 3), Appearance::random(&SCENE, 3));
    assert_ne!(domain.appearance(&SCENE, 3), domain.appearance(&SCENE, 4));
}
