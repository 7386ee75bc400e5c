//! What a policy is told of a lidar's scan.

use crate::lidar::{LIDAR_RANGE_M, LIDAR_RAYS, Ranges};

/// What a policy is told of a scan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LidarEncoding {
    /// Every range in metres as the sensor reads it: 0.15 to 12, infinity beyond.
    Raw,
    /// `LIDAR`: every range in metres, held within 0.15 and 1.0.
    Distances,
    /// `SECTOR_LIDAR` and `DISCRETIZED_SECTOR_LIDAR`: per sector of equally many rays, which of `num_values` equal steps up
    /// to `clipping_dist_m` its nearest range falls into, one-hot; nothing when it is clear.
    Sectors {
        /// Divides [`LIDAR_RAYS`].
        num_sectors: usize,
        /// At least 1.
        num_values: usize,
        /// Metres, above 0.
        clipping_dist_m: f64,
    },
}

/// The farthest range of the `LIDAR` observation, metres: the original's.
const FARTHEST_DISTANCE_M: f64 = 1.0;

impl LidarEncoding {
    /// `SECTOR_LIDAR`: eight sectors, each 1 when something is nearer than 0.5 m.
    pub const NEAR_SECTORS: LidarEncoding =
        LidarEncoding::Sectors { num_sectors: 8, num_values: 1, clipping_dist_m: 0.5 };

    /// Values of an observation.
    pub fn num_values(&self) -> usize {
        match *self {
            Self::Raw | Self::Distances => LIDAR_RAYS,
            Self::Sectors { num_sectors, num_values, .. } => num_sectors * num_values,
        }
    }

    /// Writes the observation of a scan, little-endian `f32` after `f32`.
    ///
    /// # Panics
    /// When `out` is not four times [`num_values`](Self::num_values) long.
    pub fn encode(&self, ranges_m: &Ranges, out: &mut [u8]) {
        assert_eq!(out.len(), 4 * self.num_values(), "the observation's buffer has the wrong length");
        let (values, _) = out.as_chunks_mut::<4>();
        match *self {
            Self::Raw => {
                for (value, range) in values.iter_mut().zip(ranges_m) {
                    *value = (*range as f32).to_le_bytes();
                }
            }
            Self::Distances => {
                for (value, range) in values.iter_mut().zip(ranges_m) {
                    *value = (range.clamp(LIDAR_RANGE_M[0], FARTHEST_DISTANCE_M) as f32).to_le_bytes();
                }
            }
            Self::Sectors { num_sectors, num_values, clipping_dist_m } => {
                let step_m = clipping_dist_m / num_values as f64;
                let sectors = ranges_m.chunks_exact(LIDAR_RAYS / num_sectors);
                for (values, ranges) in values.chunks_exact_mut(num_values).zip(sectors) {
                    let nearest_m = ranges.iter().copied().fold(clipping_dist_m, f64::min);
                    let is_clear = nearest_m >= clipping_dist_m;
                    let hot = if is_clear { num_values } else { (nearest_m / step_m) as usize };
                    for (k, value) in values.iter_mut().enumerate() {
                        *value = f32::from(u8::from(k == hot)).to_le_bytes();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(encoding: LidarEncoding, ranges_m: &Ranges) -> Vec<f32> {
        let mut bytes = vec![0; 4 * encoding.num_values()];
        encoding.encode(ranges_m, &mut bytes);
        bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    #[test]
    fn distances_are_held_within_a_metre() {
        let mut ranges = [f64::INFINITY; LIDAR_RAYS];
        ranges[..4].copy_from_slice(&[0.15, 0.99, 1.0, 7.3]);
        assert_eq!(values(LidarEncoding::Distances, &ranges)[..5], [0.15, 0.99, 1.0, 1.0, 1.0]);
        assert_eq!(values(LidarEncoding::Raw, &ranges)[..5], [0.15, 0.99, 1.0, 7.3, f32::INFINITY]);
    }

    #[test]
    fn a_sector_is_near_below_half_a_metre() {
        let mut ranges = [f64::INFINITY; LIDAR_RAYS];
        ranges[7] = 0.49;
        ranges[8] = 0.5;
        ranges[63] = 0.15;
        assert_eq!(values(LidarEncoding::NEAR_SECTORS, &ranges), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_discretised_sector_is_one_hot() {
        // The defaults of the original: 8 sectors, 8 values, up to 2 m.
        let encoding = LidarEncoding::Sectors { num_sectors: 8, num_values: 8, clipping_dist_m: 2.0 };
        let mut ranges = [f64::INFINITY; LIDAR_RAYS];
        ranges[0] = 0.24; // step 0
        ranges[8] = 0.25; // step 1
        ranges[17] = 1.99; // step 7
        ranges[24] = 2.0; // clear
        let mut expected = [0.0; 64];
        expected[0] = 1.0;
        expected[8 + 1] = 1.0;
        expected[16 + 7] = 1.0;
        assert_eq!(values(encoding, &ranges), expected);
    }

    proptest! {
        #[test]
        fn the_hot_value_holds_the_nearest_range(
            centimetres in prop::collection::vec(15_u32..1200, LIDAR_RAYS),
            sectors in 0_u32..7,
            num_values in 1_usize..20,
            clipping_cm in 15_u32..1200,
        ) {
            let ranges: Ranges = std::array::from_fn(|k| f64::from(centimetres[k]) / 100.0);
            let (num_sectors, clipping_dist_m) = (1 << sectors, f64::from(clipping_cm) / 100.0);
            let encoding = LidarEncoding::Sectors { num_sectors, num_values, clipping_dist_m };
            let encoded = values(encoding, &ranges);
            for (values, ranges) in encoded.chunks(num_values).zip(ranges.chunks(LIDAR_RAYS / num_sectors)) {
                let nearest = ranges.iter().copied().fold(f64::INFINITY, f64::min);
                let hot: Vec<usize> = (0..num_values).filter(|k| values[*k] == 1.0).collect();
                prop_assert_eq!(values.iter().filter(|v| **v == 0.0).count() + hot.len(), num_values);
                if nearest >= clipping_dist_m {
                    prop_assert!(hot.is_empty());
                } else {
                    prop_assert_eq!(hot.len(), 1);
                    let step = clipping_dist_m / num_values as f64;
                    let low = hot[0] as f64 * step;
                    prop_assert!(nearest > low - 1e-9 && nearest < low + step + 1e-9);
                }
            }
        }
    }
}
