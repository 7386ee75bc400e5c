//! The light of a world, and what it makes of a material.

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
    fn a_face_away_from_the_sun_has_ambient_light_only() {
        let material = Material::plain(Rgb([200, 100, 50]));
        assert_eq!(Light::of_gain(1.32).shade(&material, -DVec3::X), Rgb([100, 50, 25]));
        assert!((Light::TO_SUN.length() - 1.0).abs() < 1e-6);
    }
}
