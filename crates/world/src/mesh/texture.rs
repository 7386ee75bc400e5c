//! Textures: PNG and JPEG pictures.

use super::error::MeshError;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Longest side that is read, pixels.
const MAX_READ_SIDE: usize = 8192;
/// Longest side that is kept, pixels: the original's largest.
const MAX_KEPT_SIDE: usize = 2048;
/// Texels more transparent than this are not drawn (of 255).
pub const ALPHA_THRESHOLD: u8 = 128;

/// A picture on a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// The file it was read from.
    pub path: PathBuf,
    /// Texels per row.
    pub width: usize,
    /// Rows, the first one at the top.
    pub height: usize,
    /// Red, green, blue and opacity, row by row.
    pub texels: Vec<[u8; 4]>,
}

impl Texture {
    /// Decodes a PNG or JPEG picture. Sides above 2048 pixels are halved until they are not.
    pub fn decode(bytes: &[u8], path: &Path) -> Result<Texture, MeshError> {
        let wrong = |reason: String| MeshError::Texture { path: path.to_owned(), reason };
        let decoded = if bytes.starts_with(b"\x89PNG") {
            decode_png(bytes)
        } else if bytes.starts_with(&[0xFF, 0xD8]) {
            decode_jpeg(bytes)
        } else {
            Err("it is neither PNG nor JPEG".to_owned())
        };
        let (width, height, texels) = decoded.map_err(wrong)?;
        let is_whole = width > 0 && height > 0 && texels.len() == width * height;
        let texture = Texture { path: path.to_owned(), width, height, texels };
        if is_whole { Ok(texture.reduced()) } else { Err(wrong("it is empty".to_owned())) }
    }

    /// Whether some texels are so transparent that they are not drawn.
    pub fn has_holes(&self) -> bool {
        self.texels.iter().any(|texel| texel[3] < ALPHA_THRESHOLD)
    }

    /// The only colour it has, if it has only one and no holes.
    pub fn only_colour(&self) -> Option<[u8; 3]> {
        let [r, g, b, _] = *self.texels.first()?;
        let is_same = |texel: &[u8; 4]| texel[..3] == [r, g, b] && texel[3] >= ALPHA_THRESHOLD;
        self.texels.iter().all(is_same).then_some([r, g, b])
    }

    /// The texel at a texture coordinate (u right, v up, repeating), interpolated: red, green, blue, opacity, 0 to 255.
    pub fn at(&self, uv: [f64; 2]) -> [f32; 4] {
        let split = |at: f64, size: usize| {
            let at = (at - at.floor()) * size as f64 - 0.5;
            let low = at.floor();
            let index = (low as i64).rem_euclid(size as i64) as usize;
            (index, (index + 1) % size, (at - low) as f32)
        };
        let (left, right, across) = split(uv[0], self.width);
        let (above, below, down) = split(1.0 - uv[1], self.height);
        let texel = |x: usize, y: usize| self.texels[y * self.width + x].map(f32::from);
        let mix = |a: [f32; 4], b: [f32; 4], t: f32| [0, 1, 2, 3].map(|k| a[k] + (b[k] - a[k]) * t);
        let high = mix(texel(left, above), texel(right, above), across);
        let low = mix(texel(left, below), texel(right, below), across);
        mix(high, low, down)
    }

    fn reduced(mut self) -> Texture {
        while self.width.max(self.height) > MAX_KEPT_SIDE {
            self = self.halved();
        }
        self
    }

    /// Half as large in both directions; odd last rows and columns are folded into their neighbours.
    fn halved(&self) -> Texture {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let at = |dx: usize, dy: usize| {
                    let (x, y) = ((2 * x + dx).min(self.width - 1), (2 * y + dy).min(self.height - 1));
                    self.texels[y * self.width + x]
                };
                texels.push(mean_texel([at(0, 0), at(1, 0), at(0, 1), at(1, 1)]));
            }
        }
        Texture { path: self.path.clone(), width, height, texels }
    }
}

/// The mean of four texels: transparent ones do not count in the colour.
pub fn mean_texel(texels: [[u8; 4]; 4]) -> [u8; 4] {
    let opacity: u32 = texels.iter().map(|texel| u32::from(texel[3])).sum();
    let channel = |k: usize| {
        if opacity == 0 {
            return (texels.iter().map(|texel| u32::from(texel[k])).sum::<u32>() / 4) as u8;
        }
        let sum: u32 = texels.iter().map(|texel| u32::from(texel[k]) * u32::from(texel[3])).sum();
        ((sum + opacity / 2) / opacity) as u8
    };
    [channel(0), channel(1), channel(2), ((opacity + 2) / 4) as u8]
}

type Decoded = Result<(usize, usize, Vec<[u8; 4]>), String>;

fn check_size(width: usize, height: usize) -> Result<(), String> {
    if width.max(height) > MAX_READ_SIDE {
        return Err(format!("{width} x {height} pixels are more than {MAX_READ_SIDE} on a side"));
    }
    Ok(())
}

fn decode_png(bytes: &[u8]) -> Decoded {
    let text = |error: png::DecodingError| error.to_string();
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(text)?;
    check_size(reader.info().width as usize, reader.info().height as usize)?;
    let mut buffer = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
    let frame = reader.next_frame(&mut buffer).map_err(text)?;
    buffer.truncate(frame.buffer_size());
    let texels = match frame.color_type {
        png::ColorType::Rgb => texels_of(&buffer, |[r, g, b]| [r, g, b, 255]),
        png::ColorType::Rgba => texels_of(&buffer, |texel| texel),
        png::ColorType::Grayscale => texels_of(&buffer, |[grey]| [grey, grey, grey, 255]),
        png::ColorType::GrayscaleAlpha => texels_of(&buffer, |[grey, alpha]| [grey, grey, grey, alpha]),
        png::ColorType::Indexed => return Err("its palette is missing".to_owned()),
    };
    Ok((frame.width as usize, frame.height as usize, texels))
}

fn decode_jpeg(bytes: &[u8]) -> Decoded {
    let options = DecoderOptions::default()
        .set_max_width(MAX_READ_SIDE)
        .set_max_height(MAX_READ_SIDE)
        .set_strict_mode(true)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let pixels = decoder.decode().map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    Ok((width, height, texels_of(&pixels, |[r, g, b]| [r, g, b, 255])))
}

fn texels_of<const N: usize>(bytes: &[u8], texel: impl Fn([u8; N]) -> [u8; 4]) -> Vec<[u8; 4]> {
    bytes.as_chunks::<N>().0.iter().map(|bytes| texel(*bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_of(color: png::ColorType, depth: png::BitDepth, size: [u32; 2], data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3, 250, 100, 50]);
            encoder.set_trns(vec![255, 0]);
        }
        encoder.write_header().expect("a header").write_image_data(data).expect("the pixels");
        bytes
    }

    #[test]
    fn every_kind_of_png_becomes_rgba() {
        use png::{BitDepth, ColorType};
        let decode = |bytes: &[u8]| Texture::decode(bytes, Path::new("a.png")).expect("a picture").texels;
        let size = [2, 1];
        let rgb = png_of(ColorType::Rgb, BitDepth::Eight, size, &[9, 8, 7, 6, 5, 4]);
        assert_eq!(decode(&rgb), [[9, 8, 7, 255], [6, 5, 4, 255]]);
        let deep = png_of(ColorType::Rgba, BitDepth::Sixteen, size, &[9, 0, 8, 0, 7, 0, 6, 0, 5, 0, 4, 0, 3, 0, 2, 0]);
        assert_eq!(decode(&deep), [[9, 8, 7, 6], [5, 4, 3, 2]]);
        let grey = png_of(ColorType::Grayscale, BitDepth::One, size, &[0b0100_0000]);
        assert_eq!(decode(&grey), [[0, 0, 0, 255], [255, 255, 255, 255]]);
        let grey_alpha = png_of(ColorType::GrayscaleAlpha, BitDepth::Eight, size, &[9, 8, 7, 6]);
        assert_eq!(decode(&grey_alpha), [[9, 9, 9, 8], [7, 7, 7, 6]]);
        let indexed = png_of(ColorType::Indexed, BitDepth::Eight, size, &[1, 0]);
        assert_eq!(decode(&indexed), [[250, 100, 50, 0], [1, 2, 3, 255]]);
    }

    #[test]
    fn damaged_pictures_are_errors() {
        let whole = png_of(png::ColorType::Rgb, png::BitDepth::Eight, [16, 16], &[7; 768]);
        for bytes in [&whole[..whole.len() / 2], &whole[..8], b"GIF89a", b"", &[0xFF, 0xD8, 0xFF]] {
            let error = Texture::decode(bytes, Path::new("dir/a b.png")).expect_err("damaged").to_string();
            assert!(error.contains("dir/a b.png"), "{error}");
        }
        let wide = png_of(png::ColorType::Grayscale, png::BitDepth::One, [9000, 1], &[0; 1125]);
        assert!(Texture::decode(&wide, Path::new("a.png")).expect_err("too wide").to_string().contains("9000"));
    }

    #[test]
    fn large_pictures_are_halved() {
        let data: Vec<u8> = (0..4096).flat_map(|k| if k % 2 == 0 { [10, 20, 30] } else { [30, 40, 50] }).collect();
        let wide = png_of(png::ColorType::Rgb, png::BitDepth::Eight, [4096, 1], &data);
        let texture = Texture::decode(&wide, Path::new("a.png")).expect("a picture");
        assert_eq!((texture.width, texture.height), (2048, 1));
        assert_eq!(texture.only_colour(), Some([20, 30, 40]));
    }

    #[test]
    fn lookups_repeat_and_interpolate_with_v_up() {
        let texels = vec![[0, 0, 0, 255], [100, 0, 0, 255], [0, 200, 0, 255], [100, 200, 0, 255]];
        let texture = Texture { path: PathBuf::new(), width: 2, height: 2, texels };
        assert_eq!(texture.at([0.25, 0.75])[..3], [0.0, 0.0, 0.0]);
        assert_eq!(texture.at([0.25, 0.25])[..3], [0.0, 200.0, 0.0]);
        assert_eq!(texture.at([3.75, -0.25])[..3], [100.0, 0.0, 0.0]);
        assert_eq!(texture.at([0.5, 0.5])[..3], [50.0, 100.0, 0.0]);
    }

    #[test]
    fn holes_do_not_darken_the_mean() {
        let seen = [200, 100, 0, 255];
        assert_eq!(mean_texel([seen, seen, [0; 4], [0; 4]]), [200, 100, 0, 128]);
        assert_eq!(mean_texel([[8, 8, 8, 0]; 4]), [8, 8, 8, 0]);
    }
}
