//! Worlds built from routes: what lies where.

use deepracer_track::{Library, Route, RouteSource, catalogue};
use deepracer_world::look::{self, Extent, LineSide, Look};
use deepracer_world::{Rgb, World};
use glam::DVec2;
use proptest::prelude::*;
use std::f64::consts::TAU;

/// Indices of the surfaces in a world without kerbs and apron, in painting order.
const FIELD: usize = 0;
const ROAD: usize = 1;
const LINE: usize = 2;
const DASH: usize = 3;

/// A ring road: centre line of the given radius about the origin, counter-clockwise, starting on the x axis.
fn ring(radius_m: f64, width_m: f64, num_rows: usize) -> Route {
    let circle = |radius_m: f64| -> Vec<DVec2> {
        (0..=num_rows).map(|k| DVec2::from_angle(TAU * (k % num_rows) as f64 / num_rows as f64) * radius_m).collect()
    };
    Route {
        name: "ring".into(),
        center: circle(radius_m),
        inner: circle(radius_m - width_m / 2.0),
        outer: circle(radius_m + width_m / 2.0),
        closed: true,
        source: RouteSource::Memory,
    }
}

fn without_band(world_name: &str) -> Look {
    Look { start_band: None, ..look::find(world_name) }
}

/// Surfaces from the centre outward along the middle of a row, at the given distances from the origin.
fn surfaces(world: &World, direction: DVec2, distances_m: &[f64]) -> Vec<Option<usize>> {
    distances_m.iter().map(|d| world.ground.surface_at(direction * *d)).collect()
}

#[test]
fn the_generated_family_has_its_lines_inside_the_border() {
    let world = World::build(&ring(3.0, 1.0, 360), &without_band("reInvent2019_track"));
    // Between two dashes: the pitch fits a whole number of times, and a dash is half a pitch long.
    let between = DVec2::from_angle(0.0762 / 3.0);
    let seen = surfaces(&world, between, &[2.40, 2.54, 2.60, 3.00, 3.40, 3.46, 3.60]);
    let expected = [FIELD, LINE, ROAD, ROAD, ROAD, LINE, FIELD].map(Some);
    assert_eq!(seen, expected);
}

#[test]
fn the_hand_modelled_family_has_its_lines_beyond_the_border() {
    let look = Look { extent: Extent::Margin(1.0), ..look::find("Oval_track") };
    assert_eq!(look.border_lines.side, LineSide::Outside);
    let world = World::build(&ring(3.0, 0.61, 360), &look);
    let between = DVec2::from_angle(0.11 / 3.0);
    let seen = surfaces(&world, between, &[2.60, 2.65, 2.72, 3.00, 3.28, 3.35, 3.40]);
    let expected = [FIELD, LINE, ROAD, ROAD, ROAD, LINE, FIELD].map(Some);
    assert_eq!(seen, expected);
}

#[test]
fn dashes_follow_the_centre_line_by_arc_length() {
    let radius_m = 3.0;
    let look = without_band("reInvent2019_track");
    let world = World::build(&ring(radius_m, 1.0, 3600), &look);
    let length_m = TAU * radius_m;
    let count = (length_m / look.dashes.pitch_m).round();
    let pitch_m = length_m / count;
    let at = |distance_m: f64| world.ground.surface_at(DVec2::from_angle(distance_m / radius_m) * radius_m);
    for k in [0, 1, 7, 100, count as usize - 1] {
        let start_m = k as f64 * pitch_m;
        assert_eq!(at(start_m + 0.002), Some(DASH), "dash {k}");
        assert_eq!(at(start_m + 0.0488), Some(DASH), "dash {k}");
        assert_eq!(at(start_m + 0.0528), Some(ROAD), "after dash {k}");
        assert_eq!(at(start_m + pitch_m - 0.002), Some(ROAD), "before dash {}", k + 1);
    }
}

#[test]
fn tracks_have_as_many_dashes_as_the_original() {
    let counts = [
        ("reinvent_base", 174),
        ("reInvent2019_track", 228),
        ("reInvent2019_wide", 164),
        ("Oval_track", 129),
        ("Bowtie_track", 131),
        ("Straight_track", 45),
        ("Tokyo_Training_track", 181),
        ("New_York_Track", 182),
    ];
    for (name, expected) in counts {
        let route = Library::new(None).load(name).expect("a built-in track");
        let world = World::build(&route, &look::find(name));
        let dash = world.ground.surfaces.iter().position(|surface| *surface == look::find(name).dash);
        // Walk the centre line and count where a dash begins.
        let mut count = 0;
        let mut was_on_dash = false;
        for pair in route.center.windows(2) {
            let steps = (pair[0].distance(pair[1]) / 0.01).ceil() as usize;
            for k in 0..steps {
                let point = pair[0].lerp(pair[1], k as f64 / steps as f64);
                let is_on_dash = world.ground.surface_at(point) == dash;
                count += usize::from(is_on_dash && !was_on_dash);
                was_on_dash = is_on_dash;
            }
        }
        // The built-in drawings are a centimetre or so shorter or longer than the published lines.
        assert!(count.abs_diff(expected) <= 1, "{name}: {count} dashes instead of {expected}");
    }
}

#[test]
fn the_start_band_is_a_chequer_behind_row_zero() {
    let world = World::build(&ring(3.0, 1.0668, 3600), &look::find("2022_april_open_ccw"));
    let texture = |along_m: f64, radius_m: f64| {
        let surface = world.ground.surface_at(DVec2::from_angle(along_m / 3.0) * radius_m);
        surface.map(|index| world.ground.surfaces[index].texture)
    };
    let (white, black) = (Some(Rgb([255; 3])), Some(Rgb([0; 3])));
    // Two rows of squares, 7.6 cm long, around 13 cm; across, a square is an eighth of the road between its lines.
    for (row, along_m) in [0.092, 0.168].into_iter().enumerate() {
        for square in 0..8_usize {
            let radius_m = 3.0 - 0.4572 + (square as f64 + 0.5) * 0.9144 / 8.0;
            let expected = if (row + square).is_multiple_of(2) { white } else { black };
            assert_eq!(texture(along_m, radius_m), expected, "row {row}, square {square}");
        }
    }
    assert_ne!(texture(0.05, 2.8), black);
    assert_eq!(texture(0.215, 2.8), Some(Rgb([64, 63, 61])));
}

#[test]
fn kerbs_alternate_along_the_border() {
    let look = Look { extent: Extent::Margin(1.0), ..look::find("Tokyo_Training_track") };
    let kerbs = look.kerbs.expect("Tokyo has kerbs");
    let world = World::build(&ring(3.0, 0.66, 720), &look);
    let radius_m = 3.33 + look.border_lines.width_m + kerbs.width_m / 2.0;
    let colours: Vec<Rgb> = (0..3600)
        .filter_map(|k| world.ground.surface_at(DVec2::from_angle(TAU * f64::from(k) / 3600.0) * radius_m))
        .map(|index| world.ground.surfaces[index].texture)
        .collect();
    let first = colours.iter().filter(|c| **c == kerbs.colours[0]).count();
    assert_eq!(colours.len(), 3600);
    assert!(colours.iter().all(|c| kerbs.colours.contains(c)));
    assert!(first.abs_diff(1800) < 40, "{first} of 3600 are of the first colour");
}

#[test]
fn walls_stand_around_the_field() {
    let world = World::build(&ring(3.0, 1.0, 360), &look::find("reInvent2019_track"));
    let half_m = 3.5 + 0.762;
    assert!((world.ground.max - DVec2::splat(half_m)).length() < 1e-9);
    assert_eq!(world.walls.len(), 4);
    for wall in &world.walls {
        assert_eq!(wall.height_m, 1.0);
        // Measured on a picture of the original: about (47, 94, 109) for the texture (36, 70, 81).
        for (shown, measured) in wall.colour.0.into_iter().zip([47, 94, 109]) {
            assert!(shown.abs_diff(measured) <= 3, "{:?}", wall.colour);
        }
        assert!(wall.feet.iter().all(|foot| (foot.abs() - half_m).length() < 1e-9));
    }
}

#[test]
fn shown_colours_are_those_of_the_original() {
    // Measured on a picture of the original, for the generated family.
    let look = look::find("reInvent2019_track");
    let measured = [(look.road, [82.0; 3]), (look.field, [170.0, 180.0, 84.0]), (look.dash, [251.0, 193.0, 0.0])];
    for (surface, expected) in measured {
        for (shown, expected) in surface.shade(0.0).into_iter().zip(expected) {
            assert!((shown - expected).abs() <= 5.0, "{surface:?}: {shown} instead of {expected}");
        }
    }
}

#[test]
fn every_catalogue_name_has_a_look_that_fits_its_family() {
    let hand_modelled = [
        "Oval_track",
        "Bowtie_track",
        "AWS_track",
        "Straight_track",
        "Virtual_May19_Train_track",
        "Spain_track",
        "Spain_track_f1",
        "July_2020",
        "China_track",
        "Mexico_track",
        "Tokyo_Training_track",
        "New_York_Track",
        "Canada_Training",
        "Austin",
        "Monaco",
        "Monaco_building",
        "Singapore",
        "Singapore_building",
        "Singapore_f1",
        "caecer_gp",
        "caecer_loop",
    ];
    for track in catalogue::all() {
        let side = look::find(track.name).border_lines.side;
        let is_hand_modelled = hand_modelled.contains(&track.name);
        assert_eq!(side == LineSide::Outside, is_hand_modelled, "{}", track.name);
    }
    assert_eq!(catalogue::all().len(), 127);
}

#[test]
fn points_that_are_no_numbers_are_skipped() {
    let mut route = ring(3.0, 1.0, 90);
    route.center[7] = DVec2::NAN;
    route.center[8] = route.center[9];
    let world = World::build(&route, &without_band("reInvent2019_track"));
    let dashes = world.ground.patches.iter().filter(|patch| usize::from(patch.surface) == DASH);
    assert!(dashes.count() > 100);
    assert!(world.ground.patches.iter().flat_map(|patch| patch.corners).all(DVec2::is_finite));
}

proptest! {
    /// The area of a white line around a ring is its width times its middle length.
    #[test]
    fn lines_keep_their_width(radius_m in 1.0_f64..8.0, width_m in 0.5_f64..1.4, num_rows in 60_usize..300) {
        let world = World::build(&ring(radius_m, width_m, num_rows), &without_band("reInvent2019_track"));
        let area: f64 = world.ground.patches.iter()
            .filter(|patch| usize::from(patch.surface) == LINE)
            .map(|patch| {
                let [a, b, c] = patch.corners;
                (b - a).perp_dot(c - a).abs() / 2.0
            })
            .sum();
        let expected = TAU * 0.0762 * (2.0 * radius_m);
        // The inner line lies at the inner border + 3.8 cm, the outer at the outer border - 3.8 cm: 2 R in all.
        prop_assert!((area / expected - 1.0).abs() < 0.01, "{area} instead of {expected}");
    }
}
