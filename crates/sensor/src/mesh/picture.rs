//! Textures as they are shown, in several scales.

use deepracer_world::mesh::{ALPHA_THRESHOLD, Texture, mean_texel};

/// Longest side of a picture on upright things, texels: at 160 × 120 pixels more are not seen.
const MAX_SIDE: usize = 512;
/// Scales at most.
const MAX_LEVELS: usize = 12;

/// A texture in its light, in several scales; sides are powers of two.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// All scales after one another: red, green, blue, opacity.
    texels: Vec<u32>,
    levels: Vec<PictureLevel>,
    pub(super) has_holes: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PictureLevel {
    start: u32,
    /// Of two: texels per row, and rows.
    log_size: [u32; 2],
}

impl Picture {
    /// Of a size for things seen from some distance.
    pub(super) fn for_scenery(texture: &Texture, shade: impl Fn([f32; 3]) -> [f32; 3]) -> Picture {
        Picture::new(texture, MAX_SIDE, shade)
    }

    /// With all its texels, for baking.
    pub(super) fn for_ground(texture: &Texture, shade: impl Fn([f32; 3]) -> [f32; 3]) -> Picture {
        Picture::new(texture, usize::MAX, shade)
    }

    fn new(texture: &Texture, max_side: usize, shade: impl Fn([f32; 3]) -> [f32; 3]) -> Picture {
        let side = |length: usize| length.next_power_of_two().min(max_side);
        let [width, height] = [side(texture.width), side(texture.height)];
        let mut level: Vec<[u8; 4]> = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let [r, g, b, a] = resampled(texture, [width, height], x, y);
                let [r, g, b] = shade([r, g, b]).map(|channel| (channel + 0.5) as u8);
                level.push([r, g, b, (a + 0.5) as u8]);
            }
        }
        let mut picture = Picture { texels: Vec::new(), levels: Vec::new(), has_holes: texture.has_holes() };
        let (mut width, mut height) = (width, height);
        loop {
            let log_size = [width, height].map(usize::ilog2);
            picture.levels.push(PictureLevel { start: picture.texels.len() as u32, log_size });
            picture.texels.extend(level.iter().map(|texel| u32::from_le_bytes(*texel)));
            if (width == 1 && height == 1) || picture.levels.len() == MAX_LEVELS {
                return picture;
            }
            let (half_width, half_height) = ((width / 2).max(1), (height / 2).max(1));
            let mut half = Vec::with_capacity(half_width * half_height);
            for y in 0..half_height {
                for x in 0..half_width {
                    let at = |dx: usize, dy: usize| {
                        level[(2 * y + dy).min(height - 1) * width + (2 * x + dx).min(width - 1)]
                    };
                    half.push(mean_texel([at(0, 0), at(1, 0), at(0, 1), at(1, 1)]));
                }
            }
            (level, width, height) = (half, half_width, half_height);
        }
    }

    /// Sides of the finest scale, texels.
    pub(super) fn size(&self) -> [f32; 2] {
        self.levels[0].log_size.map(|log| (1_u32 << log) as f32)
    }

    /// The scale whose texels are `2^level` times as large as the finest ones, or the coarsest.
    #[inline]
    pub(super) fn level(&self, level: usize) -> PictureLevel {
        self.levels[level.min(self.levels.len() - 1)]
    }

    /// The texel of a scale at a coordinate with 16 fractional bits, in texels of that scale, repeating; v runs down.
    #[inline]
    pub(super) fn texel(&self, level: PictureLevel, u: i32, v: i32) -> u32 {
        let [log_width, log_height] = level.log_size;
        let column = (u >> 16) as u32 & ((1 << log_width) - 1);
        let row = (v >> 16) as u32 & ((1 << log_height) - 1);
        self.texels[(level.start + (row << log_width) + column) as usize]
    }

    /// The same between four texels: red, green, blue, opacity.
    pub(super) fn interpolated(&self, level: usize, uv: [f64; 2]) -> [f32; 4] {
        let level = self.level(level);
        let fixed = |at: f64, log: u32| {
            let texels = (1_u64 << log) as f64;
            ((at - at.floor()) * texels * 65536.0) as i32 - (1 << 15)
        };
        let (u, v) = (fixed(uv[0], level.log_size[0]), fixed(1.0 - uv[1], level.log_size[1]));
        let part = |at: i32| (at & 0xFFFF) as f32 / 65536.0;
        let texel = |du: i32, dv: i32| self.texel(level, u + (du << 16), v + (dv << 16)).to_le_bytes().map(f32::from);
        let mix = |a: [f32; 4], b: [f32; 4], t: f32| [0, 1, 2, 3].map(|k| a[k] + (b[k] - a[k]) * t);
        let high = mix(texel(0, 0), texel(1, 0), part(u));
        let low = mix(texel(0, 1), texel(1, 1), part(u));
        mix(high, low, part(v))
    }
}

/// A texel of the texture brought to another size: the mean of what it covers, or interpolated.
fn resampled(texture: &Texture, size: [usize; 2], x: usize, y: usize) -> [f32; 4] {
    if size == [texture.width, texture.height] {
        return texture.texels[y * texture.width + x].map(f32::from);
    }
    let points = |from: usize, to: usize| from.div_ceil(to).clamp(1, 8);
    let [across, down] = [points(texture.width, size[0]), points(texture.height, size[1])];
    let mut sum = [0.0_f32; 4];
    let mut opacity = 0.0;
    for k in 0..across * down {
        let inside = [(k % across) as f64 + 0.5, (k / across) as f64 + 0.5];
        let u = (x as f64 + inside[0] / across as f64) / size[0] as f64;
        let v = 1.0 - (y as f64 + inside[1] / down as f64) / size[1] as f64;
        let [r, g, b, a] = texture.at([u, v]);
        // Transparent texels do not count in the colour.
        let weight = a.max(1e-3);
        for (sum, channel) in sum.iter_mut().zip([r, g, b]) {
            *sum += channel * weight;
        }
        opacity += weight;
        sum[3] += a;
    }
    let [r, g, b, a] = sum;
    [r / opacity, g / opacity, b / opacity, a / (across * down) as f32]
}

/// Whether a texel is drawn at all.
#[inline]
pub(super) fn is_opaque(texel: u32) -> bool {
    texel >> 24 >= u32::from(ALPHA_THRESHOLD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn texture(width: usize, height: usize, texel: impl Fn(usize, usize) -> [u8; 4]) -> Texture {
        let texels = (0..width * height).map(|k| texel(k % width, k / width)).collect();
        Texture { path: PathBuf::new(), width, height, texels }
    }

    #[test]
    fn scales_halve_until_one_texel_holds_the_mean() {
        let chequer = texture(8, 4, |x, y| if (x + y) % 2 == 0 { [200, 100, 0, 255] } else { [100, 0, 100, 255] });
        let picture = Picture::for_scenery(&chequer, |colour| colour);
        assert_eq!(picture.levels.len(), 4);
        let coarsest = picture.level(99);
        assert_eq!(coarsest.log_size, [0, 0]);
        assert_eq!(picture.texel(coarsest, 123_456, -99).to_le_bytes(), [150, 50, 50, 255]);
    }

    #[test]
    fn lookups_repeat_and_agree_with_the_texture() {
        let gradient = texture(16, 8, |x, y| [(x * 15) as u8, (y * 30) as u8, 7, 255]);
        let picture = Picture::for_ground(&gradient, |colour| colour);
        for uv in [[0.1, 0.2], [0.99, 0.01], [-2.3, 5.6], [0.5, 0.5]] {
            let (found, expected) = (picture.interpolated(0, uv), gradient.at(uv));
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.1), "{found:?} instead of {expected:?}");
        }
    }

    #[test]
    fn odd_sizes_become_powers_of_two_and_keep_their_mean() {
        let odd = texture(25, 700, |x, _| if x < 12 { [0, 0, 0, 255] } else { [130, 65, 26, 255] });
        let picture = Picture::for_scenery(&odd, |colour| colour.map(|channel| channel * 1.5));
        assert_eq!(picture.size(), [32.0, 512.0]);
        let mean = picture.texel(picture.level(99), 0, 0).to_le_bytes();
        let expected = [130.0, 65.0, 26.0].map(|channel: f32| channel * 1.5 * 13.0 / 25.0);
        assert!(mean.iter().zip(expected).all(|(a, b)| (f32::from(*a) - b).abs() < 4.0), "{mean:?} {expected:?}");
    }
}
