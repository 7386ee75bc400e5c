//! Filling convex polygons, and convex solids of several faces, with antialiased edges.
//!
//! A pixel's share of the polygon is what a triangle filter two pixels wide sees of it: the filter with which
//! the original reduces its camera's pictures.

use deepracer_world::{MAX_FACES, MAX_SIDES};
use glam::DVec2;
use std::ops::Range;

/// Corners a polygon may have: those of a face, and one more where the near plane cuts it.
pub(crate) const MAX_CORNERS: usize = MAX_SIDES + 2;
/// Edges an outline of a solid may have.
const MAX_OUTLINE: usize = 2 * MAX_SIDES;

/// One edge's line: signed distance inward, pixels, of the point (x, y) is `x · dx + y · dy + at_origin`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Edge {
    dx: f64,
    dy: f64,
    at_origin: f64,
}

impl Edge {
    /// The line from `from` to `to`, the inside to its left as seen in the picture; `None` when they coincide.
    pub(crate) fn between(from: DVec2, to: DVec2) -> Option<Edge> {
        let along = to - from;
        let length = along.length();
        (length > 1e-6).then(|| {
            // Rows run down, so left is the other perpendicular.
            let inward = DVec2::new(along.y, -along.x) / length;
            Edge { dx: inward.x, dy: inward.y, at_origin: -inward.dot(from) }
        })
    }

    /// The same line, one pixel further out.
    pub(crate) fn one_pixel_out(self) -> Edge {
        Edge { at_origin: self.at_origin + 1.0, ..self }
    }

    fn distance(&self, x: f64, y: f64) -> f64 {
        self.dx * x + self.dy * y + self.at_origin
    }
}

/// A face of a solid as the picture shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facet {
    pub(crate) colour: u32,
    /// Its edges with facets listed before it.
    seams: [Edge; MAX_SIDES],
    num_seams: usize,
}

impl Facet {
    pub(crate) fn new(colour: u32) -> Facet {
        Facet { colour, seams: [Edge::default(); MAX_SIDES], num_seams: 0 }
    }

    pub(crate) fn add_seam(&mut self, edge: Edge) {
        if self.num_seams < MAX_SIDES {
            self.seams[self.num_seams] = edge;
            self.num_seams += 1;
        }
    }

    fn seams(&self) -> &[Edge] {
        &self.seams[..self.num_seams]
    }
}

/// A convex solid as the picture shows it: an outline, divided into facets.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    edges: [Edge; MAX_OUTLINE],
    num_edges: usize,
    facets: [Facet; MAX_FACES],
    num_facets: usize,
    low: DVec2,
    high: DVec2,
}

impl Outline {
    /// Without edges and facets, between the least and the greatest pixel coordinates of the solid.
    pub(crate) fn within(low: DVec2, high: DVec2) -> Outline {
        Outline {
            edges: [Edge::default(); MAX_OUTLINE],
            num_edges: 0,
            facets: [Facet::new(0); MAX_FACES],
            num_facets: 0,
            low,
            high,
        }
    }

    pub(crate) fn add_edge(&mut self, edge: Edge) {
        if self.num_edges < MAX_OUTLINE {
            self.edges[self.num_edges] = edge;
            self.num_edges += 1;
        }
    }

    /// Adds a facet; one like all before it needs no edges of its own.
    pub(crate) fn add_facet(&mut self, facet: Facet) {
        let is_new = self.num_facets == 0 || self.facets[..self.num_facets].iter().any(|f| f.colour != facet.colour);
        if is_new && self.num_facets < MAX_FACES {
            self.facets[self.num_facets] = facet;
            self.num_facets += 1;
        }
    }
}

/// A picture of 0x00BBGGRR pixels.
pub(crate) struct Canvas<'a> {
    pub(crate) pixels: &'a mut [u32],
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// A row of working memory, at least as long as the picture is wide.
    pub(crate) line: &'a mut [u32],
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

    /// Draws a convex polygon whose colours `paint` writes into the given columns of a line, row after row.
    pub(crate) fn fill_with(&mut self, corners: &[Corner], mut paint: impl FnMut(usize, Range<usize>, &mut [u32])) {
        let mut edges = [Edge::default(); MAX_CORNERS];
        let Some(num_edges) = edges_of(corners, &mut edges) else {
            return;
        };
        let edges = &edges[..num_edges];
        for row in 0..self.height {
            let y = row as f64 + 0.5;
            let (from, to) = span(edges, y, -1.0, self.width);
            if from >= to {
                continue;
            }
            let covered = span(edges, y, 1.0, self.width);
            let (solid_from, solid_to) = if covered.0 < covered.1 { covered } else { (to, to) };
            paint(row, from..to, self.line);
            let pixels = &mut self.pixels[row * self.width..][..self.width];
            blend_line(edges, y, from..solid_from, pixels, self.line);
            pixels[solid_from..solid_to].copy_from_slice(&self.line[solid_from..solid_to]);
            blend_line(edges, y, solid_to..to, pixels, self.line);
        }
    }

    /// Draws a convex solid over what is there: the outline decides how much of a pixel it covers, the seams between its
    /// facets only which of them shows.
    pub(crate) fn fill_outline(&mut self, outline: &Outline) {
        let edges = &outline.edges[..outline.num_edges];
        let Some((base, facets)) = outline.facets[..outline.num_facets].split_first() else {
            return;
        };
        let limit = |at: f64, end: usize| at.clamp(0.0, end as f64) as usize;
        let left = limit((outline.low.x - 2.0).floor(), self.width);
        let right = limit((outline.high.x + 2.0).ceil(), self.width);
        let top = limit((outline.low.y - 2.0).floor(), self.height);
        let bottom = limit((outline.high.y + 2.0).ceil(), self.height);
        for row in top..bottom {
            let y = row as f64 + 0.5;
            let touched = span(edges, y, -1.0, self.width);
            let (from, to) = (touched.0.max(left), touched.1.min(right));
            if from >= to {
                continue;
            }
            let covered = span(edges, y, 1.0, self.width);
            let (solid_from, solid_to) = (covered.0.clamp(from, to), covered.1.clamp(from, to));
            let (solid_from, solid_to) = if solid_from < solid_to { (solid_from, solid_to) } else { (to, to) };
            let line = &mut self.line[..self.width];
            line[from..to].fill(base.colour);
            for facet in facets {
                let touched = span(facet.seams(), y, -1.0, self.width);
                let (facet_from, facet_to) = (touched.0.max(from), touched.1.min(to));
                if facet_from >= facet_to {
                    continue;
                }
                let whole = span(facet.seams(), y, 1.0, self.width);
                let (whole_from, whole_to) = (whole.0.clamp(facet_from, facet_to), whole.1.clamp(facet_from, facet_to));
                let (whole_from, whole_to) =
                    if whole_from < whole_to { (whole_from, whole_to) } else { (facet_to, facet_to) };
                blend(facet.seams(), y, facet_from..whole_from, line, facet.colour);
                line[whole_from..whole_to].fill(facet.colour);
                blend(facet.seams(), y, whole_to..facet_to, line, facet.colour);
            }
            let pixels = &mut self.pixels[row * self.width..][..self.width];
            blend_line(edges, y, from..solid_from, pixels, line);
            pixels[solid_from..solid_to].copy_from_slice(&line[solid_from..solid_to]);
            blend_line(edges, y, solid_to..to, pixels, line);
        }
    }
}

/// Mixes the colour into a run of pixels of a row, each by its share of the polygon.
fn blend(edges: &[Edge], y: f64, run: Range<usize>, pixels: &mut [u32], colour: u32) {
    for_shares(edges, y, run, |x, share| pixels[x] = mix(pixels[x], colour, share));
}

/// Mixes a line into a run of pixels of a row, each by its share of the polygon.
fn blend_line(edges: &[Edge], y: f64, run: Range<usize>, pixels: &mut [u32], line: &[u32]) {
    for_shares(edges, y, run, |x, share| pixels[x] = mix(pixels[x], line[x], share));
}

/// The share of 256 that the polygon has of every pixel of a run.
fn for_shares(edges: &[Edge], y: f64, run: Range<usize>, mut mix: impl FnMut(usize, u32)) {
    // Edges that are more than a pixel away all along the run take nothing from it.
    let mut near = [Edge::default(); MAX_OUTLINE];
    let mut num_near = 0;
    let (first, last) = (run.start as f64 + 0.5, run.end as f64 - 0.5);
    if run.is_empty() {
        return;
    }
    for edge in edges {
        if edge.distance(first, y).min(edge.distance(last, y)) < 1.0 {
            near[num_near] = *edge;
            num_near += 1;
        }
    }
    for column in run {
        let x = column as f64 + 0.5;
        let share: f64 = near[..num_near].iter().map(|edge| filtered_step(edge.distance(x, y))).product();
        mix(column, (share * 256.0 + 0.5) as u32);
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
        let mut canvas = Canvas { pixels: &mut pixels, width: 16, height: 16, line: &mut [0; 16] };
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
    fn facets_share_a_pixel_and_the_outline_shares_it_with_what_is_behind() {
        // A square from (2, 2) to (12, 12), its right half beyond x = 7.5 of another colour.
        let corners = [DVec2::new(2.0, 2.0), DVec2::new(2.0, 12.0), DVec2::new(12.0, 12.0), DVec2::new(12.0, 2.0)];
        let mut outline = Outline::within(corners[0], corners[2]);
        for k in 0..4 {
            outline.add_edge(Edge::between(corners[k], corners[(k + 1) % 4]).expect("a side"));
        }
        outline.add_facet(Facet::new(100));
        let mut right = Facet::new(200);
        right.add_seam(Edge::between(DVec2::new(7.5, 0.0), DVec2::new(7.5, 20.0)).expect("a seam"));
        outline.add_facet(right);
        let mut pixels = vec![40; 16 * 16];
        Canvas { pixels: &mut pixels, width: 16, height: 16, line: &mut [0; 16] }.fill_outline(&outline);
        let row = &pixels[7 * 16..][..16];
        assert_eq!((row[0], row[4], row[7], row[10], row[14]), (40, 100, 150, 200, 40));
        // Half a pixel beyond the outline the filter still sees an eighth of it: 7.5 and 20.
        assert_eq!((row[1], row[12]), (40 + 8, 40 + 20));
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
