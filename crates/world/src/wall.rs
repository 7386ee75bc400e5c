//! What stands upright: walls, backdrops, rims.

use crate::colour::Rgb;
use crate::look::Look;
use glam::DVec2;

/// An upright rectangle of one colour, standing on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Its two feet, metres.
    pub feet: [DVec2; 2],
    /// Its top above the ground, metres.
    pub height_m: f64,
    /// Colour as shown, light included.
    pub colour: Rgb,
}

/// The four walls on the edge of a field, in the order west, east, south, north.
pub(crate) fn around_field(min: DVec2, max: DVec2, look: &Look) -> Vec<Wall> {
    let Some(figures) = look.walls else {
        return Vec::new();
    };
    let [south_west, north_east] = [min, max];
    let north_west = DVec2::new(min.x, max.y);
    let south_east = DVec2::new(max.x, min.y);
    let sides =
        [[north_west, south_west], [south_east, north_east], [south_west, south_east], [north_east, north_west]];
    sides
        .into_iter()
        .zip(figures.gains)
        .map(|(feet, gain)| Wall { feet, height_m: figures.height_m, colour: figures.texture.lit(gain) })
        .collect()
}
