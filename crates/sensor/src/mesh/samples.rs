//! Samples with depth, triangles drawn into them, and their reduction to pixels.
//!
//! Two by two samples make a pixel. A pixel's colour is what a triangle filter two pixels wide sees: the filter with which the
//! original reduces its camera's pictures. Its weights over four samples are 1, 3, 3 and 1 of 8.

use super::picture::{Picture, PictureLevel, is_opaque};

/// Samples per pixel and direction.
pub(super) const PER_PIXEL: usize = 2;
/// Sum of a pixel's weights.
const WEIGHTS: u64 = 64;
/// Samples along a row between which texture coordinates are interpolated.
const RUN: usize = 16;
/// A triangle is drawn as if all of it were equally far away when its depths differ less than this: its texture is then less
/// than a two-hundredth of its size out of place.
const EVEN_DEPTH: f32 = 1.02;
/// Coordinates in fixed point have 16 fractional bits.
const FIXED_ONE: f32 = 65536.0;
const HALF: i64 = 1 << 15;
/// From this many samples on, texture coordinates at a run's end are worth a division, and counting what is nearer is quicker
/// than looking at each.
const LONG: usize = 8;
/// Lengths of a texel's footprint in a sample may differ this much before the longer one decides, squared.
const ANISOTROPY_SQUARED: f32 = 16.0;

/// A corner in the picture.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Corner {
    /// In samples, right and down.
    pub(super) x: f32,
    pub(super) y: f32,
    /// One over its depth in metres.
    pub(super) nearness: f32,
    /// In repeats of the picture; v runs down.
    pub(super) uv: [f32; 2],
}

/// The samples of a picture.
#[derive(Debug, Clone, Default)]
pub(super) struct Samples {
    width: usize,
    height: usize,
    /// One over the depth of what a sample shows.
    nearness: Vec<f32>,
    /// Red, green, blue, and 255 where a triangle was drawn; 0 elsewhere.
    colours: Vec<u32>,
    /// Per row, the samples among which triangles were drawn: from, to.
    touched: Vec<[usize; 2]>,
    /// Sums over the columns of four rows, each with whether there is anything in it.
    lines: [Vec<u64>; 4],
}

const UNTOUCHED: [usize; 2] = [usize::MAX, 0];

impl Samples {
    /// Ready for a picture of this many pixels. `ground` gives the nearness of the ground at a row of samples, and at all
    /// places without ground; `pixels` have the sign bit where there is ground.
    pub(super) fn begin(&mut self, pixels: &[u32], width: usize, ground: impl Fn(usize) -> [f32; 2]) {
        let height = pixels.len() / width;
        (self.width, self.height) = (width * PER_PIXEL, height * PER_PIXEL);
        self.nearness.resize(self.width * self.height, 0.0);
        self.colours.resize(self.width * self.height, 0);
        self.touched.clear();
        self.touched.resize(self.height, UNTOUCHED);
        for line in &mut self.lines {
            line.resize(width, 0);
        }
        for (row, nearness) in self.nearness.chunks_exact_mut(self.width).enumerate() {
            let [on_ground, elsewhere] = ground(row);
            let pixels = &pixels[row / PER_PIXEL * width..][..width];
            let is_ground = |pixel: u32| pixel >> 31 == 1;
            if is_ground(pixels.iter().fold(u32::MAX, |all, pixel| all & pixel)) {
                nearness.fill(on_ground);
            } else if !is_ground(pixels.iter().fold(0, |any, pixel| any | pixel)) {
                nearness.fill(elsewhere);
            } else {
                for (nearness, pixel) in nearness.chunks_exact_mut(PER_PIXEL).zip(pixels) {
                    nearness.fill(if is_ground(*pixel) { on_ground } else { elsewhere });
                }
            }
        }
    }

    /// Draws a triangle of one colour.
    pub(super) fn fill_flat(&mut self, corners: [Corner; 3], colour: u32) {
        let Some((rows, inverse_area)) = Rows::of(&corners, self.width, self.height) else {
            return;
        };
        let nearness = Plane::new(&corners, inverse_area, corners.map(|corner| corner.nearness));
        for [row, from, to] in rows {
            self.touch(row, from, to);
            let run = row * self.width + from..row * self.width + to;
            let near = nearness.at(from, row);
            let samples = self.nearness[run.clone()].iter_mut().zip(&mut self.colours[run]);
            for (k, (sample, shown)) in samples.enumerate() {
                let own = near + nearness.per_column * k as f32;
                let is_nearer = own > *sample;
                *sample = if is_nearer { own } else { *sample };
                *shown = if is_nearer { colour } else { *shown };
            }
        }
    }

    /// Draws a triangle of a picture.
    pub(super) fn fill_picture<const HOLED: bool>(&mut self, corners: [Corner; 3], picture: &Picture) {
        let Some((rows, inverse_area)) = Rows::of(&corners, self.width, self.height) else {
            return;
        };
        let nearest = corners.iter().fold(0.0, |nearest: f32, corner| nearest.max(corner.nearness));
        let furthest = corners.iter().fold(nearest, |furthest, corner| furthest.min(corner.nearness));
        let size = picture.size();
        let plane = |values: [f32; 3]| Plane::new(&corners, inverse_area, values);
        let nearness = plane(corners.map(|corner| corner.nearness));
        if nearest < furthest * EVEN_DEPTH {
            let [u, v] = [0, 1].map(|axis| plane(corners.map(|corner| corner.uv[axis] * size[axis])));
            self.fill_even::<HOLED>(rows, picture, &nearness, [u, v]);
        } else {
            // Divided by depth, texture coordinates change evenly over the picture.
            let [u, v] = [0, 1].map(|axis| plane(corners.map(|c| c.uv[axis] * size[axis] * c.nearness)));
            self.fill_slanted::<HOLED>(rows, picture, &nearness, [u, v]);
        }
    }

    /// Draws a triangle whose depth hardly changes: texture coordinates change evenly.
    fn fill_even<const HOLED: bool>(&mut self, rows: Rows, picture: &Picture, nearness: &Plane, [u, v]: [Plane; 2]) {
        let lookup = Lookup::new(picture, level_for([u.per_column, u.per_row], [v.per_column, v.per_row]));
        let step = [lookup.fixed(u.per_column), lookup.fixed(v.per_column)];
        for [row, from, to] in rows {
            let run = row * self.width + from..row * self.width + to;
            let near = [nearness.at(from, row), nearness.per_column];
            let nearnesses = &mut self.nearness[run.clone()];
            let num_nearer = count_nearer(nearnesses, near);
            if num_nearer > 0 {
                let at = [lookup.fixed(u.at(from, row)), lookup.fixed(v.at(from, row))];
                lookup.draw::<HOLED>(nearnesses, &mut self.colours[run], near, num_nearer, at, step);
                self.touch(row, from, to);
            }
        }
    }

    /// Draws a triangle in perspective: exact texture coordinates at both ends of short runs.
    fn fill_slanted<const HOLED: bool>(&mut self, rows: Rows, picture: &Picture, nearness: &Plane, [u, v]: [Plane; 2]) {
        for [row, from, to] in rows {
            for first in (from..to).step_by(RUN) {
                let end = (first + RUN).min(to);
                let run = row * self.width + first..row * self.width + end;
                let near = [nearness.at(first, row), nearness.per_column];
                let nearnesses = &mut self.nearness[run.clone()];
                let num_nearer = count_nearer(nearnesses, near);
                if num_nearer == 0 {
                    continue;
                }
                let depth = 1.0 / near[0];
                let first_uv = [u.at(first, row) * depth, v.at(first, row) * depth];
                let change = |plane: &Plane, here: f32| {
                    let along = plane.per_column - here * nearness.per_column;
                    [along * depth, (plane.per_row - here * nearness.per_row) * depth]
                };
                let changes = [change(&u, first_uv[0]), change(&v, first_uv[1])];
                let lookup = Lookup::new(picture, level_for(changes[0], changes[1]));
                let step = if end - first < LONG {
                    changes.map(|[along, _]| lookup.fixed(along))
                } else {
                    let depth = 1.0 / nearness.at(end - 1, row);
                    let share = 1.0 / (end - 1 - first) as f32;
                    let to_end = |plane: &Plane, first_uv: f32| (plane.at(end - 1, row) * depth - first_uv) * share;
                    [lookup.fixed(to_end(&u, first_uv[0])), lookup.fixed(to_end(&v, first_uv[1]))]
                };
                let at = first_uv.map(|texels| lookup.fixed(texels));
                lookup.draw::<HOLED>(nearnesses, &mut self.colours[run], near, num_nearer, at, step);
                self.touch(row, first, end);
            }
        }
    }

    fn touch(&mut self, row: usize, from: usize, to: usize) {
        let [first, end] = &mut self.touched[row];
        *first = (*first).min(from);
        *end = (*end).max(to);
    }

    /// Changes the colours of what was drawn; nothing stays nothing.
    pub(super) fn for_touched(&mut self, mut change: impl FnMut(&mut [u32])) {
        for (colours, [from, to]) in self.colours.chunks_exact_mut(self.width).zip(&self.touched) {
            if from < to {
                change(&mut colours[*from..*to]);
            }
        }
    }

    /// Puts what was drawn over the pixels, takes the marks of ground from them, and forgets what was drawn.
    pub(super) fn reduce(&mut self, pixels: &mut [u32]) {
        let width = self.width / PER_PIXEL;
        for pixel in pixels.iter_mut() {
            *pixel &= 0x00FF_FFFF;
        }
        let mut ranges = [UNTOUCHED; 4];
        for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
            // Of the rows 2r - 1 to 2r + 2 the first two are there from the pixel row above.
            let new = if row == 0 { 0 } else { 2 };
            for k in new..4 {
                let sample_row = (row * PER_PIXEL + k).saturating_sub(1).min(self.height - 1);
                ranges[sample_row % 4] = self.sum_columns(sample_row);
            }
            let rows = [0, 1, 2, 3].map(|k| (row * PER_PIXEL + k).saturating_sub(1).min(self.height - 1) % 4);
            let from = rows.map(|k| ranges[k][0]).into_iter().min().unwrap_or(0);
            let to = rows.map(|k| ranges[k][1]).into_iter().max().unwrap_or(0);
            if from >= to {
                continue;
            }
            let [a, b, c, d] = rows.map(|k| (&self.lines[k][from..to], ranges[k][0] < ranges[k][1]));
            let value = |(line, is_touched): (&[u64], bool), k: usize| if is_touched { line[k] } else { 0 };
            for (k, pixel) in pixels[from..to].iter_mut().enumerate() {
                let sum = value(a, k) + 3 * (value(b, k) + value(c, k)) + value(d, k);
                if sum != 0 {
                    let covered = (sum >> 48) / 255;
                    let mixed = sum + spread(*pixel) * (WEIGHTS - covered) + 0x0000_0020_0020_0020;
                    *pixel = squeezed(mixed >> 6);
                }
            }
        }
        for (row, [from, to]) in self.touched.iter().enumerate() {
            if from < to {
                self.colours[row * self.width..][*from..*to].fill(0);
            }
        }
    }

    /// Sums a row of samples over the columns of each pixel, into its line; the pixels that are not 0 by this.
    fn sum_columns(&mut self, row: usize) -> [usize; 2] {
        let [from, to] = self.touched[row];
        if from >= to {
            return UNTOUCHED;
        }
        let width = self.width / PER_PIXEL;
        let samples = &self.colours[row * self.width..][..self.width];
        let line = &mut self.lines[row % 4][..width];
        let first = (from / PER_PIXEL).saturating_sub(1);
        let end = ((to - 1) / PER_PIXEL + 2).min(width);
        line[..first].fill(0);
        line[end..].fill(0);
        for (pixel, sum) in line.iter_mut().enumerate().take(end).skip(first) {
            let at = pixel * PER_PIXEL;
            let sample = |index: usize| spread(samples[index]);
            let (before, after) = (at.saturating_sub(1), (at + 2).min(samples.len() - 1));
            *sum = sample(before) + 3 * (sample(at) + sample(at + 1)) + sample(after);
        }
        [first, end]
    }
}

/// Four bytes in four times 16 bits.
#[inline]
fn spread(pixel: u32) -> u64 {
    let pairs = (u64::from(pixel) | u64::from(pixel) << 16) & 0x0000_FFFF_0000_FFFF;
    (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF
}

/// The low bytes of three times 16 bits.
#[inline]
fn squeezed(lanes: u64) -> u32 {
    ((lanes & 0xFF) | (lanes >> 8 & 0xFF00) | (lanes >> 16 & 0x00FF_0000)) as u32
}

/// How many samples of a run are further away than `near` at its first sample, and its change per sample; for a short run 1,
/// which says nothing.
#[inline]
fn count_nearer(nearnesses: &[f32], [first, step]: [f32; 2]) -> usize {
    if nearnesses.len() < LONG {
        return 1;
    }
    let is_nearer = |(k, sample): (usize, &f32)| u32::from(first + step * k as f32 > *sample);
    nearnesses.iter().enumerate().map(is_nearer).sum::<u32>() as usize
}

/// One scale of a picture, for a run of samples.
struct Lookup<'a> {
    picture: &'a Picture,
    level: PictureLevel,
    scale: f32,
}

impl<'a> Lookup<'a> {
    #[inline]
    fn new(picture: &'a Picture, level: usize) -> Lookup<'a> {
        Lookup { picture, level: picture.level(level), scale: FIXED_ONE / (1_u32 << level) as f32 }
    }

    /// Texels of the finest scale in fixed point of this one. Whole repeats may be lost.
    #[inline]
    fn fixed(&self, texels: f32) -> i32 {
        (texels * self.scale) as i64 as i32
    }

    #[inline]
    fn draw<const HOLED: bool>(
        &self,
        nearnesses: &mut [f32],
        colours: &mut [u32],
        [near, near_step]: [f32; 2],
        num_nearer: usize,
        [mut u, mut v]: [i32; 2],
        [u_step, v_step]: [i32; 2],
    ) {
        let is_all_nearer = num_nearer == nearnesses.len() && num_nearer > 1;
        for (k, (sample, shown)) in nearnesses.iter_mut().zip(colours).enumerate() {
            let own = near + near_step * k as f32;
            if is_all_nearer || own > *sample {
                let texel = self.picture.texel(self.level, u, v);
                if !HOLED || is_opaque(texel) {
                    *sample = own;
                    *shown = texel | 0xFF00_0000;
                }
            }
            u = u.wrapping_add(u_step);
            v = v.wrapping_add(v_step);
        }
    }
}

/// The scale at which a texel is about as large as a sample, by how the coordinates change per column and row.
#[inline]
fn level_for([ux, uy]: [f32; 2], [vx, vy]: [f32; 2]) -> usize {
    let area = (ux * vy - uy * vx).abs();
    let longest = (ux * ux + vx * vx).max(uy * uy + vy * vy);
    let squared = area.max(longest / ANISOTROPY_SQUARED);
    // Half of the logarithm, rounded: by the exponent of the number.
    let exponent = (squared.to_bits() >> 23) as i32 - 127;
    ((exponent + 1) >> 1).clamp(0, 15) as usize
}

/// A value that changes evenly over the picture.
#[derive(Debug, Clone, Copy)]
struct Plane {
    /// At the middle of sample (0, 0).
    origin: f32,
    per_column: f32,
    per_row: f32,
    /// Where it is known exactly: far from the origin its error would grow.
    anchor: [f32; 2],
}

impl Plane {
    #[inline]
    fn new(corners: &[Corner; 3], inverse_area: f32, values: [f32; 3]) -> Plane {
        let [a, b, c] = corners;
        let (ab, ac) = ([b.x - a.x, b.y - a.y], [c.x - a.x, c.y - a.y]);
        let (db, dc) = (values[1] - values[0], values[2] - values[0]);
        Plane {
            origin: values[0],
            per_column: (db * ac[1] - dc * ab[1]) * inverse_area,
            per_row: (dc * ab[0] - db * ac[0]) * inverse_area,
            anchor: [a.x - 0.5, a.y - 0.5],
        }
    }

    #[inline]
    fn at(&self, column: usize, row: usize) -> f32 {
        self.origin + self.per_column * (column as f32 - self.anchor[0]) + self.per_row * (row as f32 - self.anchor[1])
    }
}

/// The rows of a triangle, from top to bottom: of each that holds middles of samples its number, the first of them, and the one
/// after the last.
struct Rows {
    row: usize,
    end_row: usize,
    /// Where the lower of the two short sides takes over.
    middle_row: usize,
    width: i64,
    is_long_left: bool,
    /// From top to bottom.
    long: Side,
    short: Side,
    lower: Side,
}

/// A side, followed from row to row in fixed point: the same for both triangles at it, so there are no gaps and no overlaps.
#[derive(Clone, Copy)]
struct Side {
    x: i64,
    step: i64,
}

impl Side {
    #[inline]
    fn new(top: &Corner, bottom: &Corner, row: usize) -> Side {
        let slope = (bottom.x - top.x) / (bottom.y - top.y);
        let x = top.x + (row as f32 + 0.5 - top.y) * slope;
        Side { x: (x * FIXED_ONE) as i64, step: (slope * FIXED_ONE) as i64 }
    }

    /// The first sample whose middle lies at or beyond the side, and on to the next row.
    #[inline]
    fn next(&mut self, width: i64) -> usize {
        let first = (self.x.saturating_add(HALF - 1) >> 16).clamp(0, width) as usize;
        self.x = self.x.wrapping_add(self.step);
        first
    }
}

impl Rows {
    /// Also one over the doubled area. `None` when the triangle holds no middle of a sample.
    #[inline]
    fn of(corners: &[Corner; 3], width: usize, height: usize) -> Option<(Rows, f32)> {
        let [a, b, c] = corners;
        let low = a.y.min(b.y).min(c.y);
        let high = a.y.max(b.y).max(c.y);
        let (row, end_row) = (first_at(low, height), first_at(high, height));
        if row >= end_row {
            return None;
        }
        let left = a.x.min(b.x).min(c.x);
        let right = a.x.max(b.x).max(c.x);
        if first_at(left, width) >= first_at(right, width) {
            return None;
        }
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if !(area.abs() > 1e-9 && area.is_finite()) {
            return None;
        }
        let is_above = |p: &Corner, q: &Corner| (p.y, p.x) <= (q.y, q.x);
        let (mut top, mut middle, mut bottom) = (a, b, c);
        if !is_above(top, middle) {
            std::mem::swap(&mut top, &mut middle);
        }
        if !is_above(middle, bottom) {
            std::mem::swap(&mut middle, &mut bottom);
        }
        if !is_above(top, middle) {
            std::mem::swap(&mut top, &mut middle);
        }
        let turn = (middle.x - top.x) * (bottom.y - top.y) - (bottom.x - top.x) * (middle.y - top.y);
        let middle_row = first_at(middle.y, height);
        let rows = Rows {
            row,
            end_row,
            middle_row,
            width: width as i64,
            is_long_left: turn > 0.0,
            long: Side::new(top, bottom, row),
            short: Side::new(top, middle, row),
            lower: Side::new(middle, bottom, middle_row),
        };
        Some((rows, 1.0 / area))
    }
}

impl Iterator for Rows {
    type Item = [usize; 3];

    #[inline]
    fn next(&mut self) -> Option<[usize; 3]> {
        while self.row < self.end_row {
            if self.row == self.middle_row {
                self.short = self.lower;
            }
            let (long, short) = (self.long.next(self.width), self.short.next(self.width));
            let (from, to) = if self.is_long_left { (long, short) } else { (short, long) };
            self.row += 1;
            if from < to {
                return Some([self.row - 1, from, to]);
            }
        }
        None
    }
}

/// The first of `count` samples whose middle lies at or beyond a coordinate.
#[inline]
fn first_at(coordinate: f32, count: usize) -> usize {
    let middle = (coordinate - 0.5).clamp(0.0, count as f32);
    let whole = middle as usize;
    whole + usize::from((whole as f32) < middle)
}
