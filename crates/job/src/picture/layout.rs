//! Where things stand in the picture.

use deepracer_track::{Line, Track};
use glam::DVec2;

use super::canvas::Area;

const WIDTH_PX: f64 = 1200.0;
const MARGIN_PX: f64 = 40.0;
/// Height of the caption above the map.
const CAPTION_PX: f64 = 116.0;
/// Room between the road and the edge of the map, for waypoint numbers.
const MAP_PADDING_PX: f64 = 62.0;
const LOWEST_MAP_PX: f64 = 240.0;
const HIGHEST_MAP_PX: f64 = 1000.0;
/// The finest the map is drawn, so that short tracks keep thin lines.
const LARGEST_SCALE_PX_PER_M: f64 = 180.0;
/// Height of the legend below the map: its first part, and each line of the table.
const LEGEND_PX: f64 = 70.0;
pub(super) const TABLE_LINE_PX: f64 = 26.0;
/// How many lines the table shows at most.
pub(super) const MAX_TABLE_LINES: usize = 10;

/// Places in the picture, in pixels, and the way from metres to pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) width_px: u32,
    pub(super) height_px: u32,
    pub(super) map: Area,
    /// Below the map, when there are driven lines.
    pub(super) legend: Option<Area>,
    pub(super) px_per_m: f64,
    /// Point of the world in the middle of the map.
    middle_m: DVec2,
}

impl Layout {
    pub(super) fn new(track: &Track, num_lines: usize) -> Layout {
        let (low, high) = bounds(track);
        let size_m = (high - low).max(DVec2::splat(1e-3));
        let room = DVec2::new(WIDTH_PX - 2.0 * MARGIN_PX, HIGHEST_MAP_PX) - DVec2::splat(2.0 * MAP_PADDING_PX);
        let px_per_m = (room / size_m).min_element().min(LARGEST_SCALE_PX_PER_M);
        let map = Area {
            left: MARGIN_PX,
            top: CAPTION_PX,
            width: WIDTH_PX - 2.0 * MARGIN_PX,
            height: (size_m.y * px_per_m + 2.0 * MAP_PADDING_PX).max(LOWEST_MAP_PX).round(),
        };
        let legend = (num_lines > 0).then(|| Area {
            left: MARGIN_PX,
            top: map.bottom(),
            width: map.width,
            height: LEGEND_PX + TABLE_LINE_PX * num_lines.clamp(2, MAX_TABLE_LINES) as f64,
        });
        let bottom = legend.map_or(map.bottom() + MARGIN_PX, |legend| legend.bottom());
        Layout {
            width_px: WIDTH_PX as u32,
            height_px: bottom.ceil() as u32,
            map,
            legend,
            px_per_m,
            middle_m: (low + high) / 2.0,
        }
    }

    /// The pixel of a point of the world.
    pub(super) fn px(&self, point_m: DVec2) -> DVec2 {
        let middle_px = DVec2::new(self.map.left + self.map.width / 2.0, self.map.top + self.map.height / 2.0);
        let offset = (point_m - self.middle_m) * self.px_per_m;
        middle_px + DVec2::new(offset.x, -offset.y)
    }

    /// The point of the world at a pixel.
    pub(super) fn metres(&self, point_px: DVec2) -> DVec2 {
        let middle_px = DVec2::new(self.map.left + self.map.width / 2.0, self.map.top + self.map.height / 2.0);
        let offset = (point_px - middle_px) / self.px_per_m;
        self.middle_m + DVec2::new(offset.x, -offset.y)
    }

    /// The pixels of a line of the world.
    pub(super) fn line_px(&self, points_m: &[DVec2]) -> Vec<DVec2> {
        points_m.iter().map(|point| self.px(*point)).collect()
    }
}

/// Lower left and upper right corner of both borders; the outer one of an open track does not enclose the inner one.
fn bounds(track: &Track) -> (DVec2, DVec2) {
    let borders = [Line::Inner, Line::Outer].map(|line| track.line(line).points());
    borders
        .into_iter()
        .flatten()
        .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), point| (low.min(*point), high.max(*point)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_track::{Direction, Library};
    use proptest::prelude::*;

    fn layout(name: &str, num_lines: usize) -> (Track, Layout) {
        let track = Track::new(Library::new(None).load(name).unwrap().into(), Direction::Forward).unwrap();
        let layout = Layout::new(&track, num_lines);
        (track, layout)
    }

    #[test]
    fn every_shape_of_track_fits_into_the_map() {
        for name in ["reinvent_base", "2022_june_pro", "Straight_track", "Aragon", "Monaco"] {
            let (track, layout) = layout(name, 3);
            assert_eq!(layout.width_px, 1200);
            for line in [Line::Inner, Line::Outer] {
                for point in track.line(line).points() {
                    let px = layout.px(*point);
                    assert!(px.x >= layout.map.left + 60.0 && px.x <= layout.map.right() - 60.0, "{name}: {px}");
                    assert!(px.y >= layout.map.top + 60.0 && px.y <= layout.map.bottom() - 60.0, "{name}: {px}");
                }
            }
            let legend = layout.legend.unwrap();
            assert!(legend.top >= layout.map.bottom() && legend.bottom() <= f64::from(layout.height_px), "{name}");
        }
    }

    #[test]
    fn north_is_up_and_east_is_right() {
        let (_, layout) = layout("reinvent_base", 0);
        let here = layout.px(DVec2::new(3.0, 2.0));
        let east = layout.px(DVec2::new(4.0, 2.0)) - here;
        assert!(east.distance(DVec2::new(layout.px_per_m, 0.0)) < 1e-9, "{east}");
        assert!(layout.px(DVec2::new(3.0, 3.0)).y < here.y);
        assert_eq!(layout.legend, None);
    }

    #[test]
    fn pixels_lead_back_to_metres() {
        let (_, layout) = layout("reinvent_base", 0);
        proptest!(|(x in -50.0..50.0, y in -50.0..50.0)| {
            prop_assert!(layout.metres(layout.px(DVec2::new(x, y))).distance(DVec2::new(x, y)) < 1e-9);
        });
    }
}
