//! The arithmetic of the networks: convolutions, dense layers and Adam.
//!
//! Everything is `f32`, row-major, channels last (`NHWC`), with kernels in the order height, width, input channel, output
//! channel (`HWIO`), which is the layout of the frozen graphs and checkpoints people have. Every sum is taken in an order
//! that does not depend on the number of threads: work is cut into blocks of a fixed size, each block is computed by one
//! thread, and partial results are added in the order of the blocks.
//!
//! Results may differ in the last bits between machines with different instruction sets (fused multiply-add or not).

pub(crate) mod adam;
pub(crate) mod convolution;
pub(crate) mod dense;
pub(crate) mod direct;
pub(crate) mod instruction_set;
pub(crate) mod matrix;
pub(crate) mod winograd;
