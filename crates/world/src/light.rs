//! The light of a world, and what it makes of a material.

use crate::chance;
use crate::colour::Rgb;
use glam::DVec3;

/// Even light from everywhere and a sun far away, each per colour channel, relative to full scale.
///
/// As in the original's worlds: ambient light 0.5, and a sun from (0.5, -0.1, 0.9). The sun is as strong as level ground needs
/// to be lit as measured on its pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Light on every face.
    pub ambient: [f32; 3],
    /// Light on a face that looks at the sun.
    pub sun: [f32; 3],
}

/// Ambient light of the original's worlds.
const AMBIENT: f32 = 0.5;
/// Where the sun's chance is drawn.
const SUN: u64 = 0x5355_4E00;
/// Gain of level ground in the light these figures belong to (measured, 1.30 to 1.35).
const MEASURED_GAIN: f32 = 1.32;

impl Light {
    /// Toward the sun, length 1.
    pub const TO_SUN: DVec3 = DVec3::new(0.483_368_25, -0.096_673_65, 0.870_062_85);

    /// The light under which level ground shows its texture times `gain`.
    pub fn of_gain(gain: f32) -> Light {
        let scale = gain / MEASURED_GAIN;
        let sun = (MEASURED_GAIN - AMBIENT) / Light::TO_SUN.z as f32;
        Light { ambient: [AMBIENT * scale; 3], sun: [sun * scale; 3] }
    }

    /// This light with a sun of a random colour, each channel evenly from black to full (domain randomisation).
    ///
    /// The original also draws the attenuation of its lights. That does nothing to the sun, and takes the lamp above the track
    /// away: here the lamp, which is part of the sun's strength, goes with the sun's own light.
    #[must_use]
    pub fn with_random_sun(&self, seed: u64) -> Light {
        let mut light = *self;
        for (channel, sun) in light.sun.iter_mut().enumerate() {
            // Ambient light is 0.5 of full scale: the sun's full light is twice that.
            *sun = self.ambient[channel] / AMBIENT * chance::share(seed, SUN + channel as u64) as f32;
        }
        light
    }

    /// How much brighter level ground is in this light than in another one, per channel.
    pub fn gain_over(&self, other: &Light) -> [f32; 3] {
        let on_ground = |light: &Light, k: usize| light.ambient[k] + light.sun[k] * Light::TO_SUN.z as f32;
        [0, 1, 2].map(|k| on_ground(self, k) / on_ground(other, k))
    }

    /// What a face of a material with this normal (length 1) shows.
    pub fn shade(&self, material: &Material, normal: DVec3) -> Rgb {
        let toward_sun = normal.dot(Light::TO_SUN).max(0.0) as f32;
        let mut shown = [0; 3];
        for (k, shown) in shown.iter_mut().enumerate() {
            let light = material.ambient * self.ambient[k] + material.diffuse * self.sun[k] * toward_sun;
            *shown = (material.colour[k] * light).clamp(0.0, Rgb::LIT_MAX).round() as u8;
        }
        Rgb(shown)
    }
}

/// A colour and how much of each kind of light it gives back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Red, green, blue, 0 to 255.
    pub colour: [f32; 3],
    /// Share of ambient light.
    pub ambient: f32,
    /// Share of the sun's light.
    pub diffuse: f32,
}

impl Material {
    /// A colour that gives back all light.
    pub fn plain(colour: Rgb) -> Material {
        Material { colour: colour.0.map(f32::from), ambient: 1.0, diffuse: 1.0 }
    }

    /// A grey that gives back all light, 0 to 1.
    pub const fn grey(unit: f32) -> Material {
        Material { colour: [unit * 255.0; 3], ambient: 1.0, diffuse: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_ground_is_lit_as_its_gain_says() {
        let material = Material::plain(Rgb([64, 63, 61]));
        assert_eq!(Light::of_gain(1.32).shade(&material, DVec3::Z), Rgb([64, 63, 61]).lit(1.32));
        assert_eq!(Light::of_gain(1.03).shade(&material, DVec3::Z), Rgb([64, 63, 61]).lit(1.03));
    }

    #[test]
    fn a_random_sun_leaves_the_ambient_light() {
        let usual = Light::of_gain(1.32);
        let gains: Vec<[f32; 3]> = (0..300).map(|seed| usual.with_random_sun(seed).gain_over(&usual)).collect();
        // From ambient light alone, 0.5 of 1.32, to a full sun, 0.5 + 0.87.
        for channel in 0..3 {
            let least = gains.iter().map(|gain| gain[channel]).fold(9.0, f32::min);
            let most = gains.iter().map(|gain| gain[channel]).fold(0.0, f32::max);
            assert!((least - 0.379).abs() < 0.01 && (most - 1.038).abs() < 0.01, "{least} {most}");
        }
        assert!(gains.iter().any(|[r, g, _]| (r - g).abs() > 0.2), "colours");
        assert_eq!(usual.gain_over(&usual), [1.0; 3]);
        assert_eq!(usual.with_random_sun(7), usual.with_random_sun(7));
    }

    #[test]
    fn a_face_away_from_the_sun_has_ambient_light_only() {
        let material = Material::plain(Rgb([200, 100, 50]));
        assert_eq!(Light::of_gain(1.32).shade(&material, -DVec3::X), Rgb([100, 50, 25]));
        assert!((Light::TO_SUN.length() - 1.0).abs() < 1e-6);
    }
}
