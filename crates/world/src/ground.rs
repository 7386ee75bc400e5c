//! The flat part of a world: surfaces painted over each other in order.

use crate::colour::Rgb;
use crate::grain::Noise;
use crate::look::{Extent, LineSide, Look, Surface};
use crate::strip::{Curve, quad};
use deepracer_track::Route;
use glam::DVec2;

/// A triangle of ground with one surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// Index into [`Ground::surfaces`].
    pub surface: u8,
    /// Corners, metres, in either winding; they enclose an area.
    pub corners: [DVec2; 3],
}

impl Patch {
    /// Whether the point lies in the triangle, its edges included.
    pub fn contains(&self, point: DVec2) -> bool {
        let [a, b, c] = self.corners;
        let sides = [(b - a).perp_dot(point - a), (c - b).perp_dot(point - b), (a - c).perp_dot(point - c)];
        sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
    }
}

/// The ground plane of a world, at height 0: a rectangle of field with patches painted over it.
#[derive(Debug, Clone)]
pub struct Ground {
    /// South-west corner of the field.
    pub min: DVec2,
    /// North-east corner of the field.
    pub max: DVec2,
    /// All surfaces; the first one is the field's.
    pub surfaces: Vec<Surface>,
    /// Painted in this order: later ones hide earlier ones.
    pub patches: Vec<Patch>,
    /// The grain of all surfaces.
    pub noise: Noise,
}

impl Ground {
    pub(crate) fn build(route: &Route, look: &Look) -> Ground {
        let (min, max) = field_rectangle(route, look.extent);
        let mut paint = Painter {
            ground: Ground { min, max, surfaces: vec![look.field], patches: Vec::new(), noise: Noise::new() },
            triangles: Vec::new(),
        };
        let center = Curve::new(&route.center, route.closed);
        let borders = [&route.inner, &route.outer].map(|column| Border {
            curve: Curve::new(column, route.closed),
            // Offsets away from the road are multiples of this.
            outward: -Curve::side_of(column, &route.center),
        });
        let line_m = look.border_lines.width_m;
        let beyond_line_m = match look.border_lines.side {
            LineSide::Inside => 0.0,
            LineSide::Outside => line_m,
        };
        let beyond_kerb_m = beyond_line_m + look.kerbs.map_or(0.0, |k| k.width_m);

        if let Some(apron) = look.apron {
            for border in &borders {
                border.band(0.0, beyond_kerb_m + apron.width_m, &mut paint.triangles);
            }
            paint.apply(apron.surface);
        }
        if let Some(kerbs) = look.kerbs {
            for (stripe, texture) in kerbs.colours.into_iter().enumerate() {
                for border in &borders {
                    border.stripes(kerbs.stripe_m, stripe, beyond_line_m, beyond_kerb_m, &mut paint.triangles);
                }
                paint.apply(Surface { texture, ..look.line });
            }
        }
        road_strip(route, &mut paint.triangles);
        paint.apply(look.road);
        for border in &borders {
            border.band(beyond_line_m - line_m, beyond_line_m, &mut paint.triangles);
        }
        paint.apply(look.line);
        dashes(&center, look, route.closed, &mut paint.triangles);
        paint.apply(look.dash);
        if let Some(band) = look.start_band {
            let inside_m = if look.border_lines.side == LineSide::Inside { 2.0 * line_m } else { 0.0 };
            let width_m = width_at_start(route) - inside_m;
            for (shade, texture) in [Rgb([255; 3]), Rgb([0; 3])].into_iter().enumerate() {
                for row in 0..2_usize {
                    let from_m = band.middle_m + (row as f64 - 1.0) * band.square_m;
                    for column in (0..band.squares_across).filter(|column| (row + column) % 2 == shade) {
                        let left_m = width_m * (0.5 - column as f64 / band.squares_across as f64);
                        let right_m = left_m - width_m / band.squares_across as f64;
                        center.band(from_m, from_m + band.square_m, left_m, right_m, &mut paint.triangles);
                    }
                }
                paint.apply(Surface { texture, grain: 0.0, ..look.line });
            }
        }
        paint.ground
    }

    /// The surface seen from above at a point: an index into [`Ground::surfaces`], or `None` beyond the field.
    ///
    /// Looks at every patch; meant for tests and tools.
    pub fn surface_at(&self, point: DVec2) -> Option<usize> {
        let on_field = point.cmpge(self.min).all() && point.cmple(self.max).all();
        on_field.then(|| {
            let top = self.patches.iter().rev().find(|patch| patch.contains(point));
            top.map_or(0, |patch| usize::from(patch.surface))
        })
    }
}

struct Painter {
    ground: Ground,
    triangles: Vec<[DVec2; 3]>,
}

impl Painter {
    /// Paints the collected triangles with a surface.
    fn apply(&mut self, surface: Surface) {
        let index = self.ground.surfaces.len() as u8;
        self.ground.surfaces.push(surface);
        self.ground.patches.extend(self.triangles.drain(..).map(|corners| Patch { surface: index, corners }));
    }
}

struct Border {
    curve: Curve,
    outward: f64,
}

impl Border {
    /// The band between two distances from the border, positive away from the road.
    fn band(&self, near_m: f64, far_m: f64, out: &mut Vec<[DVec2; 3]>) {
        self.curve.whole_band(near_m * self.outward, far_m * self.outward, out);
    }

    /// Every second stripe of a band, starting with the first (`phase` 0) or the second (`phase` 1).
    fn stripes(&self, stripe_m: f64, phase: usize, near_m: f64, far_m: f64, out: &mut Vec<[DVec2; 3]>) {
        let pairs = (self.curve.length_m() / (2.0 * stripe_m)).round().max(1.0);
        let length_m = self.curve.length_m() / (2.0 * pairs);
        for pair in 0..pairs as usize {
            let from_m = (2 * pair + phase) as f64 * length_m;
            self.curve.band(from_m, from_m + length_m, near_m * self.outward, far_m * self.outward, out);
        }
    }
}

fn field_rectangle(route: &Route, extent: Extent) -> (DVec2, DVec2) {
    let points = || route.outer.iter().chain(&route.inner).filter(|p| p.is_finite());
    let low = points().copied().reduce(DVec2::min).unwrap_or(DVec2::ZERO);
    let high = points().copied().reduce(DVec2::max).unwrap_or(DVec2::ZERO);
    match extent {
        Extent::Margin(margin_m) => (low - margin_m, high + margin_m),
        Extent::Rectangle { min, max } => (min.min(low), max.max(high)),
    }
}

fn road_strip(route: &Route, out: &mut Vec<[DVec2; 3]>) {
    for (inner, outer) in route.inner.windows(2).zip(route.outer.windows(2)) {
        quad([inner[0], outer[0], outer[1], inner[1]], out);
    }
}

fn width_at_start(route: &Route) -> f64 {
    route.inner.iter().zip(&route.outer).next().map_or(0.0, |(inner, outer)| inner.distance(*outer))
}

fn dashes(center: &Curve, look: &Look, closed: bool, out: &mut Vec<[DVec2; 3]>) {
    let figures = look.dashes;
    let count = (center.length_m() / figures.pitch_m).round().max(1.0);
    let pitch_m = if closed { center.length_m() / count } else { figures.pitch_m };
    let half_m = 0.5 * figures.width_m;
    for k in 0..count as usize {
        let from_m = k as f64 * pitch_m;
        center.band(from_m, from_m + figures.length_m, half_m, -half_m, out);
    }
}
