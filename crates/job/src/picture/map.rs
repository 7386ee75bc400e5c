//! The track in the colours of its world: field, road, lines, dashes, start, direction.

use deepracer_track::{Difference, Line, Track};
use deepracer_world::look::{self, LineSide, Surface};
use glam::DVec2;

use super::canvas::{Canvas, Ink, Pen};
use super::layout::Layout;
use super::lettering::Font;
use super::waypoint_numbers;

const WHITE: Ink = Ink::rgb(255, 255, 255);
const NIGHT: Ink = Ink::rgb(30, 34, 41);
const SCALE_FONT: Font = Font::regular(14.0);

/// The colours of the map: the world's, drawn apart so that the road is darker than the field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Colours {
    field: Ink,
    road: Ink,
    line: Ink,
    dash: Ink,
    /// Waypoints and direction, on the road.
    pub(super) mark: Ink,
    /// For writing on the field.
    pub(super) on_field: Ink,
}

impl Colours {
    fn of(world: &look::Look, is_backdrop: bool) -> Colours {
        let shown = |surface: &Surface| {
            let [red, green, blue] = surface.texture.lit(surface.gain).0;
            Ink::rgb(red, green, blue)
        };
        let field = shown(&world.field).mixed(WHITE, 0.12);
        Colours {
            field,
            road: shown(&world.road).mixed(NIGHT, 0.6),
            line: shown(&world.line).mixed(WHITE, 0.5),
            dash: shown(&world.dash).with_opacity(if is_backdrop { 120 } else { 255 }),
            mark: WHITE.with_opacity(if is_backdrop { 150 } else { 240 }),
            on_field: if field.lightness() > 62.0 { NIGHT } else { WHITE },
        }
    }
}

/// `is_backdrop` draws what lies on the road faintly, because lines will be drawn over it.
pub(super) fn draw(canvas: &mut Canvas, layout: &Layout, track: &Track, is_backdrop: bool) {
    let world = look::find(track.name());
    let colours = Colours::of(&world, is_backdrop);
    canvas.fill_panel(&layout.map, 14.0, colours.field);
    draw_grid(canvas, layout, colours);

    let route = track.route();
    let inner = layout.line_px(&route.inner);
    let outer = layout.line_px(&route.outer);
    if track.is_closed() {
        canvas.fill(&[&outer, &inner], colours.road);
    } else {
        let around: Vec<DVec2> = outer.iter().copied().chain(inner.iter().rev().copied()).collect();
        canvas.fill(&[&around], colours.road);
    }
    draw_dashes(canvas, layout, track, &world, colours);
    draw_start(canvas, layout, track);
    draw_direction(canvas, layout, track, colours);
    draw_borders(canvas, layout, track, &world, colours);
    waypoint_numbers::draw(canvas, layout, track, colours);
    draw_scale(canvas, layout, colours);
}

/// A thin line every metre.
fn draw_grid(canvas: &mut Canvas, layout: &Layout, colours: Colours) {
    let map = layout.map;
    let low = layout.metres(DVec2::new(map.left, map.bottom()));
    let high = layout.metres(DVec2::new(map.right(), map.top));
    let pen = Pen::solid(colours.on_field.with_opacity(17), 1.0);
    for x in low.x.ceil() as i64..=high.x.floor() as i64 {
        let x = layout.px(DVec2::new(x as f64, 0.0)).x.floor() + 0.5;
        canvas.stroke(&[DVec2::new(x, map.top), DVec2::new(x, map.bottom())], false, pen);
    }
    for y in low.y.ceil() as i64..=high.y.floor() as i64 {
        let y = layout.px(DVec2::new(0.0, y as f64)).y.floor() + 0.5;
        canvas.stroke(&[DVec2::new(map.left, y), DVec2::new(map.right(), y)], false, pen);
    }
}

/// The white lines on the world's side of the border, as wide as they are, within what looks well.
fn draw_borders(canvas: &mut Canvas, layout: &Layout, track: &Track, world: &look::Look, colours: Colours) {
    let width_px = (world.border_lines.width_m * layout.px_per_m).clamp(2.2, 8.0);
    let side = match world.border_lines.side {
        LineSide::Inside => -0.5,
        LineSide::Outside => 0.5,
    };
    let route = track.route();
    for border in [&route.inner, &route.outer] {
        let shifted: Vec<DVec2> = border
            .iter()
            .zip(&route.center)
            .map(|(border, center)| {
                let outward = (*border - *center).normalize_or_zero();
                layout.px(*border) + DVec2::new(outward.x, -outward.y) * side * width_px
            })
            .collect();
        canvas.stroke(&shifted, track.is_closed(), Pen::solid(colours.line, width_px));
    }
}

/// The dashes of the centre line; finer ones than can be seen are drawn coarser.
fn draw_dashes(canvas: &mut Canvas, layout: &Layout, track: &Track, world: &look::Look, colours: Colours) {
    let length_px = (world.dashes.length_m * layout.px_per_m).max(7.0);
    let gap_px = ((world.dashes.pitch_m - world.dashes.length_m) * layout.px_per_m).max(7.0);
    let pen = Pen {
        ink: colours.dash,
        width_px: (world.dashes.width_m * layout.px_per_m).max(1.6),
        dashes_px: Some([length_px, gap_px]),
    };
    canvas.stroke(&layout.line_px(&track.route().center), track.is_closed(), pen);
}

/// Two rows of chequers across the road at the first waypoint.
fn draw_start(canvas: &mut Canvas, layout: &Layout, track: &Track) {
    let route = track.route();
    let row = if track.is_reversed() && !track.is_closed() { route.center.len().saturating_sub(1) } else { 0 };
    let (Some(inner), Some(outer)) = (route.inner.get(row), route.outer.get(row)) else { return };
    let (inner, outer) = (layout.px(*inner), layout.px(*outer));
    let ahead = {
        let yaw = track.line(Line::Center).pose_at(0.0, Difference::Forward).yaw_rad;
        DVec2::new(yaw.cos(), -yaw.sin())
    };
    let num_squares = ((outer - inner).length() / 7.0).round().max(2.0);
    let across = (outer - inner) / num_squares;
    let along = -ahead * across.length();
    for column in 0..num_squares as u32 {
        for rank in 0..2 {
            let corner = inner + across * f64::from(column) + along * f64::from(rank);
            let ink = if (column + rank) % 2 == 0 { WHITE } else { NIGHT };
            canvas.fill(&[&[corner, corner + across, corner + across + along, corner + along]], ink);
        }
    }
}

/// Three chevrons on the road after the start.
fn draw_direction(canvas: &mut Canvas, layout: &Layout, track: &Track, colours: Colours) {
    let center = track.line(Line::Center);
    let width_m = center.project(track.route().inner[0]).gap_m * 2.0;
    for number in 0..3 {
        let pose = center.pose_at(width_m * (0.45 + 0.28 * f64::from(number)), Difference::Forward);
        let ahead = DVec2::from_angle(pose.yaw_rad);
        let corner =
            |forward: f64, left: f64| layout.px(pose.position + (ahead * forward + ahead.perp() * left) * width_m);
        let points = [corner(-0.1, 0.2), corner(0.1, 0.0), corner(-0.1, -0.2)];
        canvas.stroke(&points, false, Pen::solid(colours.mark, (0.05 * width_m * layout.px_per_m).max(2.4)));
    }
}

/// A bar of a round number of metres in the lower left corner.
fn draw_scale(canvas: &mut Canvas, layout: &Layout, colours: Colours) {
    let metres = [1.0, 2.0, 5.0].into_iter().find(|metres| metres * layout.px_per_m > 70.0).unwrap_or(10.0);
    let left = DVec2::new(layout.map.left + 20.0, layout.map.bottom() - 20.0);
    let right = left + DVec2::new(metres * layout.px_per_m, 0.0);
    let tick = DVec2::new(0.0, 5.0);
    let pen = Pen::solid(colours.on_field.with_opacity(200), 1.8);
    canvas.stroke(&[left - tick, left, right, right - tick], false, pen);
    let ink = colours.on_field.with_opacity(220);
    canvas.write(&format!("{metres} m"), right.x + 9.0, right.y + 2.0, SCALE_FONT, ink);
}
