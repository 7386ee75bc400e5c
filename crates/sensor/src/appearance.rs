//! How a world looks in one episode: its light, and the paint of what stands on it.

use crate::scene::Scene;
use deepracer_world::{Body, BodyShape, Finish, Light, Material, Part, Rgb, chance};

/// Where the chance of paints is drawn: this, the number of the body, the number of the part.
const PAINT: u64 = 0x5041_0000_0000;

/// How a world looks in one episode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Appearance {
    light: Light,
    /// On ground and walls, per channel.
    gain: [f32; 3],
    /// Seed of random paint.
    paint_seed: Option<u64>,
}

impl Appearance {
    /// As the world was made.
    pub fn of(scene: &Scene) -> Appearance {
        Appearance { light: scene.light, gain: [1.0; 3], paint_seed: None }
    }

    /// With a light and paints that belong to an episode's seed, as the original's domain randomisation draws them: the
    /// colour of the light; one colour per box; one per part of a bot car. Ground, walls, sky and agents' cars keep their
    /// paint.
    pub fn random(scene: &Scene, seed: u64) -> Appearance {
        let light = scene.light.with_random_sun(seed);
        Appearance { light, gain: light.gain_over(&scene.light), paint_seed: Some(seed) }
    }

    pub(crate) fn light(&self) -> &Light {
        &self.light
    }

    /// What a part of body number `index` is made of.
    pub(crate) fn material(&self, body: &Body, index: usize, part: &Part) -> Material {
        let Some(seed) = self.paint_seed else {
            return body.material(part.finish);
        };
        let place = match (body.shape, part.finish) {
            (BodyShape::Box(_), _) => 0,
            (BodyShape::BotCar, Finish::Body) => 1,
            (BodyShape::BotCar, _) => 2 + part.index as u64,
            (BodyShape::Car(_), _) => return body.material(part.finish),
        };
        let [r, g, b, ..] = chance::mixed(seed, PAINT + (index as u64) * 256 + place).to_le_bytes();
        Material::plain(Rgb([r, g, b]))
    }

    /// A lit colour of ground or walls in this light.
    pub(crate) fn tint(&self, colour: Rgb) -> Rgb {
        let mut tinted = colour;
        if self.gain != [1.0; 3] {
            for (channel, gain) in tinted.0.iter_mut().zip(self.gain) {
                *channel = (f32::from(*channel) * gain).min(Rgb::LIT_MAX).round() as u8;
            }
        }
        tinted
    }

    /// The same for many pixels; their opacity stays.
    pub(crate) fn tint_all(&self, pixels: &mut [u32]) {
        if self.gain == [1.0; 3] {
            return;
        }
        // 8 fractional bits are more than the colours have.
        let [r, g, b] = self.gain.map(|gain| (gain * 256.0).round() as u32);
        for pixel in pixels {
            let scaled = |shift: u32, gain: u32| ((((*pixel >> shift) & 255) * gain + 128) >> 8).min(255) << shift;
            *pixel = scaled(0, r) | scaled(8, g) | scaled(16, b) | (*pixel & 0xFF00_0000);
        }
    }
}
