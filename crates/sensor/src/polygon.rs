//! Filling convex polygons with antialiased edges.
//!
//! A pixel's share of the polygon is what a triangle filter two pixels wide sees of it: the filter with which
//! the original reduces its camera's pictures.

use glam::DVec2;
use std::ops::Range;

/// Corners a polygon may have.
pub(crate) const MAX_CORNERS: usize = 6;

/// One edge's line: signed distance inward, pixels, of the point (x, y) is `x · dx + y · dy + at_origin`.
#[derive(Clone, Copy, Default)]
struct Edge {
    dx: f64,
    dy: f64,
    at_origin: f64,
}

impl Edge {
    fn distance(&self, x: f64, y: f64) -> f64 {
        self.dx * x + self.dy * y + self.at_origin
    }
}

/// A picture of 0x00BBGGRR pixels.
pub(crate) struct Canvas<'a> {
    pub(crate) pixels: &'a mut [u32],
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// A corner of a polygon, in pixel coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Corner {
    pub(crate) at: DVec2,
    /// Whether the edge from this corner to the next is shared with a polygon drawn later: this one then goes
    /// on two pixels beyond it, so that nothing shines through the seam.
    pub(crate) is_seam: bool,
}

impl Canvas<'_> {
    /// Draws a convex polygon, in either winding, over what is there.
    pub(crate) fn fill(&mut self, corners: &[Corner], colour: u32) {
        let mut edges = [Edge::default(); MAX_CORNERS];
        let Some(num_edges) = edges_of(corners, &mut edges) else {
            return;
        };
        let edges = &edges[..num_edges];
        let low = corners.iter().fold(f64::INFINITY, |low, c| low.min(c.at.y));
        let high = corners.iter().fold(f64::NEG_INFINITY, |high, c| high.max(c.at.y));
        let first = (low - 2.0).floor().clamp(0.0, self.height as f64) as usize;
        let end = (high + 2.0).ceil().clamp(0.0, self.height as f64) as usize;
        for row in first..end {
            let y = row as f64 + 0.5;
            // Where all distances exceed -1 (touched) and 1 (covered).
            let touched = span(edges, y, -1.0, self.width);
            let covered = span(edges, y, 1.0, self.width);
            let (from, to) = touched;
            if from >= to {
                continue;
            }
            let (solid_from, solid_to) = if covered.0 < covered.1 { covered } else { (to, to) };
            let pixels = &mut self.pixels[row * self.width..][..self.width];
            blend(edges, y, from..solid_from, pixels, colour);
            pixels[solid_from..solid_to].fill(colour);
            blend(edges, y, solid_to..to, pixels, colour);
        }
    }
}

/// Mixes the colour into a run of pixels of a row, each by its share of the polygon.
fn blend(edges: &[Edge], y: f64, run: Range<usize>, pixels: &mut [u32], colour: u32) {
    // Edges that are more than a pixel away all along the run take nothing from it.
    let mut near = [Edge::default(); MAX_CORNERS];
    let mut num_near = 0;
    let (first, last) = (run.start as f64 + 0.5, run.end as f64 - 0.5);
    for edge in edges {
        if edge.distance(first, y).min(edge.distance(last, y)) < 1.0 {
            near[num_near] = *edge;
            num_near += 1;
        }
    }
    for (k, pixel) in pixels[run].iter_mut().enumerate() {
        let x = first + k as f64;
        let share: f64 = near[..num_near].iter().map(|edge| filtered_step(edge.distance(x, y))).product();
        *pixel = mix(*pixel, colour, (share * 256.0 + 0.5) as u32);
    }
}

fn edges_of(corners: &[Corner], edges: &mut [Edge; MAX_CORNERS]) -> Option<usize> {
    let next = |k: usize| corners[(k + 1) % corners.len()].at;
    let doubled_area: f64 = (0..corners.len()).map(|k| corners[k].at.perp_dot(next(k))).sum();
    if corners.len() < 3 || !doubled_area.is_finite() || doubled_area == 0.0 {
        return None;
    }
    let mut count = 0;
    for (k, corner) in corners.iter().enumerate() {
        let along = next(k) - corner.at;
        if along.length_squared() < 1e-12 {
            continue;
        }
        let inward = along.perp() * (doubled_area.signum() / along.length());
        let beyond_px = if corner.is_seam { 2.0 } else { 0.0 };
        edges[count] = Edge { dx: inward.x, dy: inward.y, at_origin: beyond_px - inward.dot(corner.at) };
        count += 1;
    }
    Some(count)
}

/// The pixels of a row whose middles are more than `distance` inside every edge, as a half-open range.
fn span(edges: &[Edge], y: f64, distance: f64, width: usize) -> (usize, usize) {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for edge in edges {
        let needed = distance - edge.dy * y - edge.at_origin;
        if edge.dx.abs() < 1e-9 {
            if needed >= 0.0 {
                return (0, 0);
            }
        } else if edge.dx > 0.0 {
            from = from.max(needed / edge.dx);
        } else {
            to = to.min(needed / edge.dx);
        }
    }
    (first_pixel(from, width), first_pixel(to, width))
}

/// The first pixel of a row whose middle is at or beyond `x`.
fn first_pixel(x: f64, width: usize) -> usize {
    let middle = (x - 0.5).clamp(0.0, width as f64);
    let whole = middle as usize;
    whole + usize::from((whole as f64) < middle)
}

/// What a triangle filter of half-width 1 sees of the half plane whose edge is `distance` away.
fn filtered_step(distance: f64) -> f64 {
    let d = distance.clamp(-1.0, 1.0);
    if d < 0.0 { 0.5 * (1.0 + d) * (1.0 + d) } else { 1.0 - 0.5 * (1.0 - d) * (1.0 - d) }
}

/// `over` weighted with `share` of 256 over `under`.
fn mix(under: u32, over: u32, share: u32) -> u32 {
    let (under, over) = (under.to_le_bytes(), over.to_le_bytes());
    let mut mixed = [0; 4];
    for k in 0..4 {
        mixed[k] = ((u32::from(under[k]) * (256 - share) + u32::from(over[k]) * share + 128) >> 8) as u8;
    }
    u32::from_le_bytes(mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f64, y: f64) -> Corner {
        Corner { at: DVec2::new(x, y), is_seam: false }
    }

    fn draw(polygons: &[(&[Corner], u32)]) -> Vec<u32> {
        let mut pixels = vec![0; 16 * 16];
        let mut canvas = Canvas { pixels: &mut pixels, width: 16, height: 16 };
        for (corners, colour) in polygons {
            canvas.fill(corners, *colour);
        }
        pixels
    }

    #[test]
    fn covers_as_much_as_its_area() {
        let square = [corner(3.3, 4.0), corner(11.9, 4.0), corner(11.9, 12.5), corner(3.3, 12.5)];
        let sum: u32 = draw(&[(&square, 200)]).iter().sum();
        let area = 8.6 * 8.5;
        assert!((f64::from(sum) / 200.0 - area).abs() < 0.02 * area, "{sum}");
    }

    #[test]
    fn an_edge_through_the_middle_of_a_pixel_covers_half_of_it() {
        let left_half = [corner(-9.0, -9.0), corner(8.5, -9.0), corner(8.5, 40.0), corner(-9.0, 40.0)];
        let pixels = draw(&[(&left_half, 200)]);
        assert_eq!(pixels[8 * 16 + 8], 100);
        assert_eq!(pixels[8 * 16 + 7], 200);
        assert_eq!(pixels[8 * 16 + 9], 0);
    }

    #[test]
    fn nothing_shines_through_a_seam() {
        let mut left = [corner(-9.0, -9.0), corner(8.3, -9.0), corner(8.3, 40.0), corner(-9.0, 40.0)];
        left[1].is_seam = true;
        let right = [corner(8.3, -9.0), corner(40.0, -9.0), corner(40.0, 40.0), corner(8.3, 40.0)];
        let pixels = draw(&[(&left, 200), (&right, 200)]);
        assert!(pixels.iter().all(|p| *p == 200), "{:?}", &pixels[..16]);
    }
}
