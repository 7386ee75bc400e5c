//! Working memory of sensors.

use crate::camera::Camera;
use crate::ground_rows::GroundRows;
use crate::lidar::LastScan;
use crate::upright::Order;
use crate::variety::Working;

/// Working memory of the sensors of one car, reused from step to step; the newest scan of its lidar is kept here.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    pub(crate) pixels: Vec<u32>,
    pub(crate) left_pixels: Vec<u32>,
    pub(crate) line: Vec<u32>,
    pub(crate) order: Order,
    pub(crate) last_scan: Option<LastScan>,
    pub(crate) working: Working,
    /// Lookups of cameras that are mounted differently in this episode.
    pub(crate) mounted: Vec<(Camera, GroundRows)>,
}

impl Scratch {
    /// Empty; the first observation makes room.
    pub fn new() -> Scratch {
        Scratch::default()
    }
}
