//! Things that stand or drive on the ground: boxes and cars. What they are, how large, of which colour.

use crate::body_model::{BodyModel, Finish, MODELS};
use crate::{Material, Rgb};
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

/// The shells of `DR_CAR_BODY_SHELL_TYPE`, by their outline. A shell changes what others see of a car, never how it drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shell {
    /// `deepracer`: the standard body with its camera.
    #[default]
    DeepRacer,
    /// `f1_2021`, `f1_car_11` and the like: low, with open wheels and two wings.
    Formula,
    /// Vans, trucks, buses: a high box further back.
    Van,
    /// Bikes: narrow, two wheels in a row.
    Bike,
    /// Every other shell: closed, of the car's size.
    Closed,
}

impl Shell {
    /// The outline of a shell by the name the original uses for it, in any case.
    ///
    /// ```
    /// use deepracer_world::Shell;
    /// assert_eq!(Shell::of_name("deepracer"), Shell::DeepRacer);
    /// assert_eq!(Shell::of_name("f1_car_11"), Shell::Formula);
    /// assert_eq!(Shell::of_name("banana"), Shell::Closed);
    /// ```
    pub fn of_name(name: &str) -> Shell {
        let name = name.trim().to_ascii_lowercase();
        let mentions = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if name.is_empty() || name == "deepracer" {
            Self::DeepRacer
        } else if mentions(&["f1", "formula"]) {
            Self::Formula
        } else if mentions(&["van", "truck", "bus"]) {
            Self::Van
        } else if mentions(&["bike", "cycle"]) {
            Self::Bike
        } else {
            Self::Closed
        }
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
    /// A colour instead of its own.
    pub paint: Option<Rgb>,
    /// Outline of an agent's car.
    pub shell: Shell,
}

/// The original's black, 0.1 grey and 0.035 grey plastics, and the bot car's 0.156 grey.
const BLACK: Material = Material::grey(0.0);
const BOT_WHEEL: Material = Material::grey(0.1);
const PLASTIC: Material = Material::grey(0.035);
const BOT_BODY: Material = Material::grey(0.156);
/// Shares of light that the paint of an agent's car gives back: the original's material.
const CAR_AMBIENT: f32 = 0.1;
const CAR_DIFFUSE: f32 = 0.35;

impl Body {
    /// A body in its own colour.
    pub const fn new(shape: BodyShape, position: DVec2, yaw_rad: f64) -> Self {
        Self { shape, position, yaw_rad, paint: None, shell: Shell::DeepRacer }
    }

    /// Its solids.
    pub fn model(&self) -> &'static BodyModel {
        match self.shape {
            BodyShape::Box(BoxKind::Plain | BoxKind::Amazon) => &MODELS.large_box,
            BodyShape::Box(BoxKind::DeepRacer) => &MODELS.small_box,
            BodyShape::BotCar => &MODELS.car,
            BodyShape::Car(_) => match self.shell {
                Shell::DeepRacer => &MODELS.car,
                Shell::Formula => &MODELS.formula,
                Shell::Van => &MODELS.van,
                Shell::Bike => &MODELS.bike,
                Shell::Closed => &MODELS.closed,
            },
        }
    }

    /// What a part of it is made of.
    ///
    /// The paint of an agent's car gives back little light, as in the original: even a white car is a mid-grey to others.
    pub fn material(&self, finish: Finish) -> Material {
        if let Some(paint) = self.paint {
            return Material::plain(paint);
        }
        match (self.shape, finish) {
            (BodyShape::Box(kind), _) => Material::plain(kind.colour()),
            (_, Finish::Plastic) => PLASTIC,
            (BodyShape::BotCar, Finish::Wheel) => BOT_WHEEL,
            (BodyShape::BotCar, Finish::Body) => BOT_BODY,
            (BodyShape::Car(_), Finish::Wheel) => BLACK,
            (BodyShape::Car(colour), Finish::Body) => {
                Material { ambient: CAR_AMBIENT, diffuse: CAR_DIFFUSE, ..Material::plain(colour.rgb()) }
            }
        }
    }
}
