//! The figures that make a world look the way it does.
//!
//! A [`Look`] says everything about the appearance of a world that its route does not: colours, widths,
//! dashes, kerbs, walls, sky and light. [`find`] knows the looks of all catalogue names.
//!
//! Lengths are metres. Colours are mean colours of the original's textures; the light is a gain per
//! surface, because a flat ground under fixed lights is lit evenly.

use crate::colour::Rgb;
pub use crate::look_table::find;
use glam::DVec2;

/// How one kind of surface looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Mean colour of the texture, before light.
    pub texture: Rgb,
    /// What the light does to it: shown = texture × gain, at most [`Rgb::LIT_MAX`].
    pub gain: f32,
    /// Standard deviation of the grain at its finest scale, relative to the colour.
    pub grain: f32,
}

impl Surface {
    /// The colour shown where the noise has the value `noise` (0 gives the mean colour).
    pub fn shade(&self, noise: f32) -> [f32; 3] {
        let light = self.gain * (1.0 + self.grain * noise);
        self.texture.0.map(|channel| (f32::from(channel) * light).clamp(0.0, Rgb::LIT_MAX))
    }
}

/// On which side of the route's border the white line lies.
///
/// In the generated family the border is the outer edge of the line, so a wheel on the line is on the
/// track; in the hand-modelled family the border is the edge of the asphalt, and it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSide {
    /// Between the border and the centre.
    Inside,
    /// Beyond the border.
    Outside,
}

/// The white lines along both borders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BorderLines {
    /// Width of the strip.
    pub width_m: f64,
    /// Side of the border.
    pub side: LineSide,
}

/// The dashes along the centre line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dashes {
    /// Along the centre line.
    pub length_m: f64,
    /// Across it.
    pub width_m: f64,
    /// From the start of one dash to the start of the next; on closed tracks stretched so that a whole number fits.
    pub pitch_m: f64,
}

/// The chequered band behind the start line: two rows of squares across the road.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartBand {
    /// Middle of the band, along the centre line from waypoint 0.
    pub middle_m: f64,
    /// Side of a square along the road.
    pub square_m: f64,
    /// Squares across the road.
    pub squares_across: usize,
}

/// Striped kerbs beyond the white lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kerbs {
    /// Across the road.
    pub width_m: f64,
    /// Length of one stripe along the border.
    pub stripe_m: f64,
    /// The two colours of the stripes.
    pub colours: [Rgb; 2],
}

/// A paved or gravelled band beyond lines and kerbs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apron {
    /// Across the road.
    pub width_m: f64,
    /// Its surface.
    pub surface: Surface,
}

/// How far the field reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// The bounding box of the outer border and this much more on every side.
    Margin(f64),
    /// A rectangle in the world's coordinates, grown where the track would not fit.
    Rectangle {
        /// South-west corner.
        min: DVec2,
        /// North-east corner.
        max: DVec2,
    },
}

/// The walls (or a backdrop, or a rim of hills) along the field's edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walls {
    /// Top above the ground.
    pub height_m: f64,
    /// Mean colour of the texture, before light.
    pub texture: Rgb,
    /// What the light does to the walls in the west, east, south and north.
    pub gains: [f32; 4],
}

/// Everything about the appearance of a world that its route does not say.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The field around the road.
    pub field: Surface,
    /// How far it reaches.
    pub extent: Extent,
    /// The road between the borders.
    pub road: Surface,
    /// Surface of the white lines.
    pub line: Surface,
    /// Their geometry.
    pub border_lines: BorderLines,
    /// Surface of the dashes.
    pub dash: Surface,
    /// Their geometry.
    pub dashes: Dashes,
    /// The start band, in worlds that have one.
    pub start_band: Option<StartBand>,
    /// Kerbs, in worlds that have them.
    pub kerbs: Option<Kerbs>,
    /// Apron, in worlds that have one.
    pub apron: Option<Apron>,
    /// What stands around the field.
    pub walls: Option<Walls>,
    /// What is seen where nothing stands: the sky, or the plain grey of a world without one.
    pub background: Rgb,
}
