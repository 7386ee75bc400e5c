//! What a step asks of the geometry, and what it costs to load a track.
//!
//! `cargo bench -p deepracer-track`

use std::hint::black_box;
use std::sync::Arc;

use deepracer_track::{Direction, Library, Line, Track};
use glam::DVec2;

const NAMES: [&str; 4] = ["reinvent_base", "Spain_track", "Oval_track", "penbay_pro"];

fn main() {
    divan::main();
}

fn track(name: &str) -> Track {
    let route = Library::new(None).load(name).expect("a published track");
    Track::new(Arc::new(route), Direction::Forward).expect("a track")
}

/// Places a car passes: along the road, weaving from border to border.
fn places(track: &Track) -> Vec<DVec2> {
    let center = track.line(Line::Center);
    (0..1024)
        .map(|index| {
            let distance_m = center.length_m() * f64::from(index) / 1024.0;
            let sideways = DVec2::from_angle(f64::from(index) * 0.7) * 0.35;
            center.point_at(distance_m) + sideways
        })
        .collect()
}

/// Three projections and four wheels: the geometry of one step of a race, for 1024 places.
#[divan::bench(args = NAMES, counters = [divan::counter::ItemsCount::new(1024u32)])]
fn step(bencher: divan::Bencher<'_, '_>, name: &str) {
    let track = track(name);
    let places = places(&track);
    let wheels = [(-0.08, 0.08), (-0.08, -0.08), (0.08, 0.08), (0.08, -0.08)].map(DVec2::from);
    bencher.bench_local(|| {
        for &place in &places {
            black_box(track.nearest(black_box(place)));
            for wheel in wheels {
                black_box(track.is_on_road(black_box(place + wheel)));
            }
        }
    });
}

#[divan::bench(args = NAMES, counters = [divan::counter::ItemsCount::new(1024u32)])]
fn project_on_center(bencher: divan::Bencher<'_, '_>, name: &str) {
    let track = track(name);
    let places = places(&track);
    bencher.bench_local(|| {
        for &place in &places {
            black_box(track.line(Line::Center).project(black_box(place)));
        }
    });
}

#[divan::bench(args = NAMES)]
fn draw_blueprint(name: &str) -> deepracer_track::Route {
    Library::new(None).load(name).expect("a published track")
}

#[divan::bench(args = NAMES)]
fn prepare_track(bencher: divan::Bencher<'_, '_>, name: &str) {
    let route = Arc::new(Library::new(None).load(name).expect("a published track"));
    bencher.bench_local(|| Track::new(route.clone(), Direction::Forward));
}
