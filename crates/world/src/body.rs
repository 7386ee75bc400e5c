//! Things that stand or drive on the ground: boxes and cars. What they are, how large, of which colour.

use crate::Rgb;
use glam::{DVec2, DVec3};

/// The kinds of boxes (`DR_OA_OBSTACLE_TYPE` of the original: `OBSTACLE_TYPE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoxKind {
    /// `box_obstacle`: plain brown.
    #[default]
    Plain,
    /// `amazon_box_obstacle`: a parcel.
    Amazon,
    /// `deepracer_box_obstacle`: navy, a little smaller.
    DeepRacer,
}

impl BoxKind {
    /// Length along its own x axis, width, height, metres: the original's models.
    pub const fn size_m(self) -> DVec3 {
        match self {
            Self::Plain | Self::Amazon => DVec3::new(0.4, 0.3, 0.25),
            Self::DeepRacer => DVec3::new(0.36, 0.265, 0.24),
        }
    }

    /// Mean colour before lighting: the original's material or texture.
    pub const fn colour(self) -> Rgb {
        match self {
            Self::Plain => Rgb([123, 97, 79]),
            Self::Amazon => Rgb([163, 145, 115]),
            Self::DeepRacer => Rgb([36, 46, 67]),
        }
    }
}

/// The seven colours of `DR_CAR_COLOR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CarColour {
    /// The default.
    #[default]
    Black,
    /// A bluish grey.
    Grey,
    /// A light blue.
    Blue,
    /// A bright red.
    Red,
    /// An orange yellow.
    Orange,
    /// Full white.
    White,
    /// A violet.
    Purple,
}

impl CarColour {
    /// The colour as overlays show it: the original's figures.
    pub const fn rgb(self) -> Rgb {
        Rgb(match self {
            Self::Black => [26, 26, 26],
            Self::Grey => [135, 149, 150],
            Self::Blue => [68, 95, 229],
            Self::Red => [224, 26, 37],
            Self::Orange => [255, 160, 10],
            Self::White => [255, 255, 255],
            Self::Purple => [159, 42, 195],
        })
    }
}

/// What a body looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyShape {
    /// An obstacle.
    Box(BoxKind),
    /// A bot car, driving or parked.
    BotCar,
    /// Another agent's car.
    Car(CarColour),
}

/// A body somewhere on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// What it is.
    pub shape: BodyShape,
    /// Of its own origin, metres: the middle of a box, the `base_link` of a car.
    pub position: DVec2,
    /// Where its x axis points, rad.
    pub yaw_rad: f64,
    /// A colour instead of its own (domain randomisation).
    pub paint: Option<Rgb>,
}

impl Body {
    /// A body in its own colour.
    pub const fn new(shape: BodyShape, position: DVec2, yaw_rad: f64) -> Self {
        Self { shape, position, yaw_rad, paint: None }
    }
}
