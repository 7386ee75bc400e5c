//! Text as outlines of `DejaVu Sans`, which is embedded (licence: `LICENSE-DejaVu` of this crate).

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A face and a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Font {
    pub(super) bold: bool,
    /// Height of the em square in pixels.
    pub(super) size_px: f64,
}

impl Font {
    pub(super) const fn regular(size_px: f64) -> Font {
        Font { bold: false, size_px }
    }

    pub(super) const fn bold(size_px: f64) -> Font {
        Font { bold: true, size_px }
    }

    /// Height of digits and capital letters.
    pub(super) fn digit_height_px(&self) -> f64 {
        0.73 * self.size_px
    }
}

/// The embedded faces. A face that cannot be read gives no text rather than no picture; a test reads both.
pub(super) struct Lettering {
    regular: Option<Face<'static>>,
    bold: Option<Face<'static>>,
}

impl Lettering {
    pub(super) fn new() -> Lettering {
        Lettering {
            regular: Face::parse(dejavu::sans::regular(), 0).ok(),
            bold: Face::parse(dejavu::sans::bold(), 0).ok(),
        }
    }

    fn face(&self, font: Font) -> Option<&Face<'static>> {
        if font.bold { self.bold.as_ref() } else { self.regular.as_ref() }
    }

    /// Width of a text in pixels.
    pub(super) fn width(&self, text: &str, font: Font) -> f64 {
        let Some(face) = self.face(font) else { return 0.0 };
        let scale = font.size_px / f64::from(face.units_per_em());
        text.chars().map(|letter| advance(face, glyph(face, letter)) * scale).sum()
    }

    /// The outlines of a text that begins at `x` on the line `baseline`, pixels, y downwards.
    pub(super) fn outline(&self, text: &str, x: f64, baseline: f64, font: Font) -> Option<Path> {
        let face = self.face(font)?;
        let scale = font.size_px / f64::from(face.units_per_em());
        let mut pen = Outline {
            builder: PathBuilder::new(),
            scale: scale as f32,
            x: x as f32,
            // Whole pixels keep the feet of letters crisp.
            baseline: baseline.round() as f32,
        };
        let mut position = x;
        for letter in text.chars() {
            let glyph = glyph(face, letter);
            pen.x = position as f32;
            face.outline_glyph(glyph, &mut pen);
            position += advance(face, glyph) * scale;
        }
        pen.builder.finish()
    }
}

/// The glyph of a letter; the face's box for letters it does not have.
fn glyph(face: &Face<'_>, letter: char) -> GlyphId {
    face.glyph_index(letter).unwrap_or(GlyphId(0))
}

fn advance(face: &Face<'_>, glyph: GlyphId) -> f64 {
    f64::from(face.glyph_hor_advance(glyph).unwrap_or(0))
}

struct Outline {
    builder: PathBuilder,
    scale: f32,
    x: f32,
    baseline: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.baseline - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_faces_are_there_and_know_the_letters_we_use() {
        let lettering = Lettering::new();
        for font in [Font::regular(16.0), Font::bold(16.0)] {
            let face = lettering.face(font).expect("an embedded face");
            for letter in "aZ09 :.,·×–≤≥°%é".chars() {
                assert!(face.glyph_index(letter).is_some(), "{letter}");
            }
        }
    }

    #[test]
    fn widths_and_outlines_agree() {
        let lettering = Lettering::new();
        let font = Font::regular(20.0);
        // Digits of this face are 1303 of 2048 units wide.
        assert!((lettering.width("0123456789", font) - 10.0 * 1303.0 / 2048.0 * 20.0).abs() < 1e-9);
        let bounds = lettering.outline("08", 100.0, 50.0, font).expect("an outline").bounds();
        assert!(bounds.left() > 100.0 && f64::from(bounds.right()) < 100.0 + lettering.width("08", font));
        assert!((f64::from(bounds.height()) - font.digit_height_px()).abs() < 1.0, "{bounds:?}");
        assert!(lettering.outline("  ", 0.0, 0.0, font).is_none());
    }
}
