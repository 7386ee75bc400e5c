//! Every tenth waypoint: a dot on the centre line and its number beside the road.

use deepracer_track::Track;
use glam::DVec2;

use super::canvas::{Area, Canvas};
use super::layout::Layout;
use super::lettering::Font;
use super::map::Colours;

const FONT: Font = Font::regular(14.0);
const EVERY: usize = 10;

/// The number of a waypoint and where it stands.
#[derive(Debug, Clone, PartialEq)]
struct Number {
    waypoint: usize,
    area: Area,
}

pub(super) fn draw(canvas: &mut Canvas, layout: &Layout, track: &Track, colours: Colours) {
    for (_, waypoint) in tenth_waypoints(track) {
        canvas.fill_circle(layout.px(waypoint), 3.4, colours.mark);
    }
    let width_px = |text: &str| canvas.text_width(text, FONT);
    let ink = colours.on_field.with_opacity(230);
    for number in place(layout, track, width_px) {
        canvas.write(&number.waypoint.to_string(), number.area.left, number.area.bottom(), FONT, ink);
    }
}

fn tenth_waypoints(track: &Track) -> impl Iterator<Item = (usize, DVec2)> {
    let waypoints = track.waypoints();
    // The last waypoint of a closed track is the first one again.
    let num_different = waypoints.len().saturating_sub(usize::from(track.is_closed()));
    waypoints.iter().copied().enumerate().take(num_different).step_by(EVERY)
}

/// Finds places beside the road that do not overlap. A number without such a place, in a narrow spot between two parts of
/// the road, is left out.
fn place(layout: &Layout, track: &Track, width_px: impl Fn(&str) -> f64) -> Vec<Number> {
    let mut numbers: Vec<Number> = Vec::new();
    for (index, waypoint) in tenth_waypoints(track) {
        let size = DVec2::new(width_px(&index.to_string()), FONT.digit_height_px());
        let area = places(layout, track, waypoint, size).find(|area| {
            !numbers.iter().any(|other| with_border(&other.area).overlaps(area)) && is_on_field(layout, track, area)
        });
        numbers.extend(area.map(|area| Number { waypoint: index, area }));
    }
    numbers
}

fn with_border(area: &Area) -> Area {
    Area { left: area.left - 4.0, top: area.top - 4.0, width: area.width + 8.0, height: area.height + 8.0 }
}

/// Places for a number of this size: outside or inside of the road at a waypoint, near ones first.
fn places<'layout>(
    layout: &'layout Layout,
    track: &Track,
    waypoint: DVec2,
    size: DVec2,
) -> impl Iterator<Item = Area> + 'layout {
    use deepracer_track::Line::{Inner, Outer};
    let borders = [Outer, Inner].map(|line| track.line(line).project(waypoint).point);
    [12.0, 16.0, 22.0, 30.0].into_iter().flat_map(move |gap_px| {
        borders.map(|border| {
            let border_px = layout.px(border);
            let outward = (border_px - layout.px(waypoint)).normalize_or_zero();
            // The box touches a circle around the border point: its middle is half its own extent further out.
            let reach = gap_px + size.dot(outward.abs()) / 2.0;
            let middle = border_px + outward * reach;
            Area { left: middle.x - size.x / 2.0, top: middle.y - size.y / 2.0, width: size.x, height: size.y }
        })
    })
}

/// Whether no part of the road lies below the area.
fn is_on_field(layout: &Layout, track: &Track, area: &Area) -> bool {
    (0..=4).flat_map(|column| (0..=2).map(move |row| (column, row))).all(|(column, row)| {
        let x = area.left - 3.0 + (area.width + 6.0) * f64::from(column) / 4.0;
        let y = area.top - 3.0 + (area.height + 6.0) * f64::from(row) / 2.0;
        !track.is_on_road(layout.metres(DVec2::new(x, y)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_track::{Direction, Library, catalogue};

    #[test]
    fn nearly_all_numbers_of_all_built_in_tracks_find_a_place_beside_the_road() {
        let (mut num_wanted, mut num_placed) = (0, 0);
        for info in catalogue::all() {
            let Ok(route) = Library::new(None).load(info.name) else { continue };
            let track = Track::new(route.into(), Direction::Forward).unwrap();
            let layout = Layout::new(&track, 0);
            let numbers = place(&layout, &track, |text| 9.0 * text.len() as f64);
            num_wanted += tenth_waypoints(&track).count();
            num_placed += numbers.len();
            for (index, number) in numbers.iter().enumerate() {
                let map = layout.map;
                assert!(number.area.left > map.left && number.area.right() < map.right(), "{}: {number:?}", info.name);
                assert!(number.area.top > map.top && number.area.bottom() < map.bottom(), "{}: {number:?}", info.name);
                for other in &numbers[..index] {
                    assert!(!number.area.overlaps(&other.area), "{}: {number:?} and {other:?}", info.name);
                }
                let middle = DVec2::new(number.area.left + number.area.width / 2.0, number.area.bottom());
                assert!(!track.is_on_road(layout.metres(middle)), "{}: {number:?}", info.name);
            }
        }
        assert!(num_wanted > 1000, "{num_wanted}");
        assert!(num_placed * 100 > num_wanted * 99, "{num_placed} of {num_wanted}");
    }
}
