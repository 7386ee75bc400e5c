//! A drawing surface in pixels: colours, shapes, text.

use glam::DVec2;
use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point, Rect,
    SpreadMode, Stroke, StrokeDash, Transform,
};

use super::PictureError;
use super::lettering::{Font, Lettering};

/// A colour with an opacity of 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ink(pub(super) [u8; 4]);

impl Ink {
    pub(super) const fn rgb(red: u8, green: u8, blue: u8) -> Ink {
        Ink([red, green, blue, 255])
    }

    pub(super) const fn with_opacity(self, opacity: u8) -> Ink {
        Ink([self.0[0], self.0[1], self.0[2], opacity])
    }

    /// This colour with a part of `other` mixed in, 0 to 1.
    pub(super) fn mixed(self, other: Ink, part: f64) -> Ink {
        let mix = |index: usize| {
            let (a, b) = (f64::from(self.0[index]), f64::from(other.0[index]));
            (a + (b - a) * part).round() as u8
        };
        Ink([mix(0), mix(1), mix(2), mix(3)])
    }

    /// Perceived lightness (L* of CIE 1976), 0 for black to 100 for white.
    pub(super) fn lightness(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue, _] = self.0;
        let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
        if luminance > 0.008_856 { 116.0 * luminance.cbrt() - 16.0 } else { 903.3 * luminance }
    }

    fn color(self) -> Color {
        let [red, green, blue, opacity] = self.0;
        Color::from_rgba8(red, green, blue, opacity)
    }
}

/// A rectangle in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(super) fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pen {
    pub(super) ink: Ink,
    pub(super) width_px: f64,
    /// Length of dashes and of the gaps between them.
    pub(super) dashes_px: Option<[f64; 2]>,
}

impl Pen {
    pub(super) fn solid(ink: Ink, width_px: f64) -> Pen {
        Pen { ink, width_px, dashes_px: None }
    }
}

/// The surface.
pub(super) struct Canvas {
    pixmap: Pixmap,
    lettering: Lettering,
}

/// The colour behind everything.
const PAPER: Ink = Ink::rgb(250, 250, 248);

impl Canvas {
    pub(super) fn new(width_px: u32, height_px: u32) -> Result<Canvas, PictureError> {
        let mut pixmap = Pixmap::new(width_px, height_px).ok_or(PictureError::TooLarge { width_px, height_px })?;
        pixmap.fill(PAPER.color());
        Ok(Canvas { pixmap, lettering: Lettering::new() })
    }

    pub(super) fn into_png(self) -> Result<Vec<u8>, PictureError> {
        self.pixmap.encode_png().map_err(|error| PictureError::Encoding(error.to_string()))
    }

    /// Fills what lies inside an odd number of the outlines.
    pub(super) fn fill(&mut self, outlines: &[&[DVec2]], ink: Ink) {
        let mut builder = PathBuilder::new();
        for outline in outlines {
            push_points(&mut builder, outline);
            builder.close();
        }
        self.fill_path(builder.finish(), ink);
    }

    pub(super) fn fill_circle(&mut self, middle: DVec2, radius_px: f64, ink: Ink) {
        self.fill_path(PathBuilder::from_circle(middle.x as f32, middle.y as f32, radius_px as f32), ink);
    }

    /// Fills a rectangle with rounded corners.
    pub(super) fn fill_panel(&mut self, area: &Area, radius_px: f64, ink: Ink) {
        self.fill_path(rounded(area, radius_px), ink);
    }

    /// Fills a rectangle with rounded corners with colours running from left to right, evenly spaced.
    pub(super) fn fill_gradient(&mut self, area: &Area, radius_px: f64, inks: &[Ink]) {
        let last = inks.len().saturating_sub(1).max(1) as f32;
        let stops =
            inks.iter().enumerate().map(|(index, ink)| GradientStop::new(index as f32 / last, ink.color())).collect();
        let shader = LinearGradient::new(
            Point::from_xy(area.left as f32, 0.0),
            Point::from_xy(area.right() as f32, 0.0),
            stops,
            SpreadMode::Pad,
            Transform::identity(),
        );
        if let (Some(shader), Some(path)) = (shader, rounded(area, radius_px)) {
            let paint = Paint { shader, anti_alias: true, ..Paint::default() };
            self.pixmap.fill_path(&path, &paint, FillRule::EvenOdd, Transform::identity(), None);
        }
    }

    /// Draws a line through points; a closed one returns to the first.
    pub(super) fn stroke(&mut self, points: &[DVec2], closed: bool, pen: Pen) {
        let mut builder = PathBuilder::new();
        push_points(&mut builder, points);
        if closed {
            builder.close();
        }
        let Some(path) = builder.finish() else { return };
        let stroke = Stroke {
            width: pen.width_px as f32,
            line_cap: if pen.dashes_px.is_some() { LineCap::Butt } else { LineCap::Round },
            line_join: LineJoin::Round,
            dash: pen.dashes_px.and_then(|[dash, gap]| StrokeDash::new(vec![dash as f32, gap as f32], 0.0)),
            ..Stroke::default()
        };
        self.pixmap.stroke_path(&path, &paint(pen.ink), &stroke, Transform::identity(), None);
    }

    /// Writes text whose first letter begins at `x` on the line `baseline`; returns where it ends.
    pub(super) fn write(&mut self, text: &str, x: f64, baseline: f64, font: Font, ink: Ink) -> f64 {
        let path = self.lettering.outline(text, x, baseline, font);
        self.fill_glyphs(path.as_ref(), ink);
        x + self.text_width(text, font)
    }

    /// Writes text that ends at `x`.
    pub(super) fn write_to(&mut self, text: &str, x: f64, baseline: f64, font: Font, ink: Ink) {
        let start = x - self.text_width(text, font);
        self.write(text, start, baseline, font, ink);
    }

    /// Writes text around the middle `x`.
    pub(super) fn write_around(&mut self, text: &str, x: f64, baseline: f64, font: Font, ink: Ink) {
        let start = x - self.text_width(text, font) / 2.0;
        self.write(text, start, baseline, font, ink);
    }

    pub(super) fn text_width(&self, text: &str, font: Font) -> f64 {
        self.lettering.width(text, font)
    }

    fn fill_path(&mut self, path: Option<Path>, ink: Ink) {
        if let Some(path) = path {
            self.pixmap.fill_path(&path, &paint(ink), FillRule::EvenOdd, Transform::identity(), None);
        }
    }

    /// Letters may overlap themselves, so they are filled by winding.
    fn fill_glyphs(&mut self, path: Option<&Path>, ink: Ink) {
        if let Some(path) = path {
            self.pixmap.fill_path(path, &paint(ink), FillRule::Winding, Transform::identity(), None);
        }
    }
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(ink.color());
    paint
}

fn push_points(builder: &mut PathBuilder, points: &[DVec2]) {
    for (index, point) in points.iter().enumerate() {
        let (x, y) = (point.x as f32, point.y as f32);
        if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
}

fn rounded(area: &Area, radius_px: f64) -> Option<Path> {
    let (left, top, right, bottom) = (area.left as f32, area.top as f32, area.right() as f32, area.bottom() as f32);
    let radius = radius_px.min(area.width / 2.0).min(area.height / 2.0) as f32;
    if radius <= 0.0 {
        return Rect::from_ltrb(left, top, right, bottom).map(PathBuilder::from_rect);
    }
    // A quarter circle is a cubic whose handles are this part of the radius away from the corner.
    let handle = radius * (1.0 - 0.552_284_8);
    let mut builder = PathBuilder::new();
    builder.move_to(left + radius, top);
    builder.line_to(right - radius, top);
    builder.cubic_to(right - handle, top, right, top + handle, right, top + radius);
    builder.line_to(right, bottom - radius);
    builder.cubic_to(right, bottom - handle, right - handle, bottom, right - radius, bottom);
    builder.line_to(left + radius, bottom);
    builder.cubic_to(left + handle, bottom, left, bottom - handle, left, bottom - radius);
    builder.line_to(left, top + radius);
    builder.cubic_to(left, top + handle, left + handle, top, left + radius, top);
    builder.close();
    builder.finish()
}
