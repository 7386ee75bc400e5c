//! How much episodes differ in what cameras see, and what one episode makes of it.

use crate::appearance::Appearance;
use crate::camera::Camera;
use crate::random::Normals;
use crate::scene::Scene;
use deepracer_world::chance;

/// How much episodes differ in what cameras see. Everything is drawn per episode from its seed, evenly over its range; all
/// zero and false, the default, changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Variety {
    /// Light and paints are random: see [`Appearance::random`].
    pub domain: bool,
    /// The cameras look up or down by at most this much, rad.
    pub pitch_rad: f64,
    /// They look left or right by at most this much, rad.
    pub yaw_rad: f64,
    /// They are mounted higher or lower by at most this much, metres.
    pub height_m: f64,
    /// Their horizontal field of view is wider or narrower by at most this much, rad.
    pub field_of_view_rad: f64,
    /// Pictures are brighter or darker by at most this share of full scale.
    pub brightness: f64,
    /// Distances from mid-grey are larger or smaller by at most this share.
    pub contrast: f64,
    /// Standard deviation of the blur, at most, pixels of the observation.
    pub blur_px: f64,
    /// Standard deviation of the noise of pixels, at most, as a share of full scale. New in every frame.
    pub pixel_noise: f64,
}

/// Where chances are drawn.
#[derive(Clone, Copy)]
enum Draw {
    Pitch,
    Yaw,
    Height,
    FieldOfView,
    Brightness,
    Contrast,
    Blur,
    NoiseStrength,
    Noise,
}

impl Draw {
    fn place(self) -> u64 {
        0x5641_5200 + self as u64
    }

    fn around_zero(self, seed: u64, reach: f64) -> f64 {
        if reach == 0.0 { 0.0 } else { chance::around_zero(seed, self.place(), reach) }
    }

    fn up_to(self, seed: u64, most: f64) -> f64 {
        if most == 0.0 { 0.0 } else { chance::share(seed, self.place()) * most }
    }
}

impl Variety {
    /// How a world looks in the episode of a seed.
    pub fn appearance(&self, scene: &Scene, seed: u64) -> Appearance {
        if self.domain { Appearance::random(scene, seed) } else { Appearance::of(scene) }
    }

    /// Whether cameras are mounted as they should be.
    pub(crate) fn keeps_mounts(&self) -> bool {
        [self.pitch_rad, self.yaw_rad, self.height_m, self.field_of_view_rad] == [0.0; 4]
    }

    /// A camera as it is mounted in the episode of a seed, and how far it looks to the left.
    pub(crate) fn mounted(&self, camera: &Camera, seed: u64) -> (Camera, f64) {
        let mut mounted = *camera;
        mounted.pitch_down_rad += Draw::Pitch.around_zero(seed, self.pitch_rad);
        mounted.position.z += Draw::Height.around_zero(seed, self.height_m);
        mounted.horizontal_field_of_view_rad += Draw::FieldOfView.around_zero(seed, self.field_of_view_rad);
        (mounted, Draw::Yaw.around_zero(seed, self.yaw_rad))
    }

    /// What the electronics make of a picture, row-major 0x00BBGGRR: blur, noise, then contrast and brightness. `frame` tells
    /// the pictures of an episode apart.
    pub(crate) fn develop(&self, pixels: &mut [u32], width: usize, seed: u64, frame: u64, working: &mut Working) {
        let sigma_px = Draw::Blur.up_to(seed, self.blur_px);
        if sigma_px > LEAST_BLUR_PX {
            blur(pixels, width, sigma_px, working);
        }
        let noise = Draw::NoiseStrength.up_to(seed, self.pixel_noise);
        if noise > 0.0 {
            working.noise.resize(width, 0.0);
            let seed = chance::mixed(seed, Draw::Noise.place());
            for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
                Normals::table().fill(seed, frame << 16 | row as u64, &mut working.noise);
                for (pixel, noise_of_pixel) in pixels.iter_mut().zip(&working.noise) {
                    let add = (noise_of_pixel * (noise * 255.0) as f32).round() as i32;
                    *pixel = map_channels(*pixel, |channel| (i32::from(channel) + add).clamp(0, 255) as u8);
                }
            }
        }
        let contrast = 1.0 + Draw::Contrast.around_zero(seed, self.contrast);
        let brightness = Draw::Brightness.around_zero(seed, self.brightness);
        if contrast != 1.0 || brightness != 0.0 {
            let tones: [u8; 256] = std::array::from_fn(|tone| {
                let toned = (tone as f64 - MID_GREY) * contrast + MID_GREY + brightness * 255.0;
                toned.round().clamp(0.0, 255.0) as u8
            });
            for pixel in pixels {
                *pixel = map_channels(*pixel, |channel| tones[usize::from(channel)]);
            }
        }
    }
}

/// Contrast leaves this tone as it is.
const MID_GREY: f64 = 127.5;
/// A weaker blur changes no byte.
const LEAST_BLUR_PX: f64 = 0.05;
/// How far a blur reaches to each side, at most, pixels.
const MAX_BLUR_REACH: usize = 8;

/// Working memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Working {
    /// A picture blurred along its rows, a row with its edges repeated, and the sums of a row, byte by byte.
    rows: Vec<u8>,
    padded: Vec<u8>,
    sums: Vec<u16>,
    noise: Vec<f32>,
}

fn map_channels(pixel: u32, map: impl Fn(u8) -> u8) -> u32 {
    let [r, g, b, _] = pixel.to_le_bytes();
    u32::from_le_bytes([map(r), map(g), map(b), 0])
}

/// A Gaussian blur, edges repeated.
fn blur(pixels: &mut [u32], width: usize, sigma_px: f64, working: &mut Working) {
    let reach = ((2.5 * sigma_px).ceil() as usize).clamp(1, MAX_BLUR_REACH);
    let mut weights = [0_u16; 2 * MAX_BLUR_REACH + 1];
    let bell = |k: usize| (-0.5 * ((k as f64 - reach as f64) / sigma_px).powi(2)).exp();
    let total: f64 = (0..=2 * reach).map(bell).sum();
    for (k, weight) in weights.iter_mut().enumerate().take(2 * reach + 1) {
        *weight = (bell(k) / total * 256.0) as u16;
    }
    weights[reach] += 256 - weights.iter().sum::<u16>();
    let weights = &weights[..=2 * reach];

    // Bytes, so that a row's sums are one loop; a pixel is four of them.
    let Working { rows, padded, sums, .. } = working;
    let row_bytes = 4 * width;
    rows.resize(4 * pixels.len(), 0);
    padded.resize(row_bytes + 8 * reach, 0);
    sums.resize(row_bytes, 0);
    for (pixels, out) in pixels.chunks_exact(width).zip(rows.chunks_exact_mut(row_bytes)) {
        for (k, bytes) in padded.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *bytes = pixels[k.saturating_sub(reach).min(width - 1)].to_le_bytes();
        }
        sums.fill(HALF);
        for (k, weight) in weights.iter().enumerate() {
            add_weighted(sums, &padded[4 * k..], *weight);
        }
        for (out, sum) in out.iter_mut().zip(&*sums) {
            *out = (sum >> 8) as u8;
        }
    }
    let height = pixels.len() / width;
    for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
        sums.fill(HALF);
        for (k, weight) in weights.iter().enumerate() {
            let source = (row + k).saturating_sub(reach).min(height - 1);
            add_weighted(sums, &rows[source * row_bytes..], *weight);
        }
        for (pixel, sums) in pixels.iter_mut().zip(sums.as_chunks::<4>().0) {
            *pixel = u32::from_le_bytes(sums.map(|sum| (sum >> 8) as u8));
        }
    }
}

/// Rounds sums of 256 shares.
const HALF: u16 = 128;

fn add_weighted(sums: &mut [u16], bytes: &[u8], weight: u16) {
    for (sum, byte) in sums.iter_mut().zip(bytes) {
        *sum += u16::from(*byte) * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(level: u8) -> u32 {
        u32::from_le_bytes([level, level, level, 0])
    }

    fn developed(variety: Variety, pixels: &[u32], width: usize, seed: u64, frame: u64) -> Vec<u32> {
        let mut pixels = pixels.to_vec();
        variety.develop(&mut pixels, width, seed, frame, &mut Working::default());
        pixels
    }

    #[test]
    fn blur_keeps_even_areas_and_the_sum() {
        let blurred = |pixels: &[u32]| {
            let mut pixels = pixels.to_vec();
            blur(&mut pixels, 24, 1.2, &mut Working::default());
            pixels
        };
        assert_eq!(blurred(&[grey(93); 24 * 20]), [grey(93); 24 * 20]);
        let mut dot = vec![0; 24 * 20];
        dot[10 * 24 + 12] = grey(255);
        let spread = blurred(&dot);
        let sum: u32 = spread.iter().map(|pixel| pixel & 255).sum();
        assert!((f64::from(sum) - 255.0).abs() < 15.0, "{sum}");
        // The middle of a Gaussian of σ 1.2 px in two dimensions: 1 / (2 π σ²).
        let expected = 255.0 / (2.0 * std::f64::consts::PI * 1.44);
        assert!((f64::from(spread[10 * 24 + 12] & 255) - expected).abs() < 2.0, "{}", spread[10 * 24 + 12] & 255);
    }

    #[test]
    fn noise_is_new_in_every_frame_and_repeats_with_the_seed() {
        let variety = Variety { pixel_noise: 0.1, ..Variety::default() };
        let even = vec![grey(128); 160 * 120];
        let noisy = developed(variety, &even, 160, 3, 0);
        assert_eq!(noisy, developed(variety, &even, 160, 3, 0));
        assert_ne!(noisy, developed(variety, &even, 160, 3, 1), "the next frame");
        let errors = noisy.iter().map(|pixel| f64::from(pixel & 255) - 128.0);
        let (count, mean) = (even.len() as f64, errors.clone().sum::<f64>() / even.len() as f64);
        let deviation = (errors.map(|error| error * error).sum::<f64>() / count).sqrt();
        let expected = chance::share(3, Draw::NoiseStrength.place()) * 0.1 * 255.0;
        assert!(
            mean.abs() < 0.3 && (deviation - expected).abs() < 0.05 * expected + 0.1,
            "{mean} {deviation} {expected}"
        );
    }

    #[test]
    fn contrast_turns_about_mid_grey_and_brightness_shifts() {
        let tones = [grey(27), grey(127), grey(227), grey(255)];
        for seed in 0..50 {
            let variety = Variety { contrast: 0.4, ..Variety::default() };
            let factor = 1.0 + chance::around_zero(seed, Draw::Contrast.place(), 0.4);
            let toned = developed(variety, &tones, 4, seed, 0);
            for (tone, toned) in tones.iter().zip(&toned) {
                let expected = ((f64::from(tone & 255) - 127.5) * factor + 127.5).clamp(0.0, 255.0);
                assert!((f64::from(toned & 255) - expected).abs() <= 0.5, "seed {seed}");
            }
            let variety = Variety { brightness: 0.2, ..Variety::default() };
            let shift = 255.0 * chance::around_zero(seed, Draw::Brightness.place(), 0.2);
            let toned = developed(variety, &tones, 4, seed, 0);
            assert!((f64::from(toned[1] & 255) - 127.0 - shift).abs() <= 0.5, "seed {seed}");
        }
    }

    #[test]
    fn nothing_asked_for_is_nothing_done() {
        let pixels: Vec<u32> = (0..160 * 120).map(|k| (k * 7919) & 0x00FF_FFFF).collect();
        assert_eq!(developed(Variety::default(), &pixels, 160, 5, 9), pixels);
        let camera = Camera::front(0.0);
        assert_eq!(Variety::default().mounted(&camera, 5), (camera, 0.0));
        assert!(Variety::default().keeps_mounts());
    }
}
