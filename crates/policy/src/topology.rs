//! The tables of layers: which convolutions and dense layers each network has.

use crate::specification::Topology;

/// One learned layer of an embedder; `ReLU` follows each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// A "valid" convolution with a square kernel.
    Convolution { filters: usize, kernel: usize, stride: usize },
    /// A dense layer over the channels of every pixel, that is a convolution with a 1×1 kernel. Dense layers of the
    /// reference's embedders come before flattening.
    PerPixelDense { units: usize },
}

const fn convolution(filters: usize, kernel: usize, stride: usize) -> Layer {
    Layer::Convolution { filters, kernel, stride }
}

const fn per_pixel_dense(units: usize) -> Layer {
    Layer::PerPixelDense { units }
}

const SHALLOW: &[Layer] = &[convolution(32, 8, 4), convolution(64, 4, 2), convolution(64, 3, 1)];

const MID: &[Layer] =
    &[convolution(32, 5, 2), convolution(32, 3, 1), convolution(64, 3, 2), convolution(64, 3, 1), per_pixel_dense(64)];

const DEEP: &[Layer] = &[
    convolution(32, 8, 4),
    convolution(32, 4, 2),
    convolution(64, 4, 2),
    convolution(64, 3, 1),
    per_pixel_dense(512),
    per_pixel_dense(512),
];

const STEREO: &[Layer] = &[
    convolution(32, 3, 1),
    convolution(64, 3, 2),
    convolution(64, 3, 1),
    convolution(128, 3, 2),
    convolution(128, 3, 1),
];

const LIDAR: &[Layer] = &[per_pixel_dense(256), per_pixel_dense(256)];

/// The embedder of a camera.
pub(crate) fn camera_layers(topology: Topology, input: &str) -> &'static [Layer] {
    match (topology, input) {
        (Topology::Shallow, _) | (_, "observation") => SHALLOW,
        (_, "STEREO_CAMERAS") => STEREO,
        (Topology::Mid, _) => MID,
        (Topology::Deep, _) => DEEP,
    }
}

/// The embedder of a lidar: dense layers on the vector, taken as a map of one pixel.
pub(crate) fn lidar_layers() -> &'static [Layer] {
    LIDAR
}

/// Units of the dense layers between the embedders and the head.
pub(crate) fn middleware_units(topology: Topology) -> &'static [usize] {
    match topology {
        Topology::Shallow | Topology::Mid => &[512],
        Topology::Deep => &[256, 128],
    }
}

/// The smallest side of a picture on which every layer has at least one output pixel.
pub(crate) fn smallest_side(layers: &[Layer]) -> usize {
    layers.iter().rev().fold(1, |side, layer| match layer {
        Layer::Convolution { kernel, stride, .. } => (side - 1) * stride + kernel,
        Layer::PerPixelDense { .. } => side,
    })
}
