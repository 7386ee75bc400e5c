//! The generations of the original's car, one row of figures each.

use crate::{
    contacts::Contacts,
    figures::{FITTED_A, FITTED_B, FITTED_C},
};

/// How far the car's nose points up when it stands, radians (1.39°): its rear axles sit 4 mm higher above its origin than
/// its front axles, on wheels of one size. See `docs/src/camera.md` for the older car, which points down a little.
const NOSE_UP_RAD: f64 = 0.0243;

/// A generation of the original's vehicle physics.
///
/// | generation | model metadata `version` | seen | in short |
/// |---|---|---|---|
/// | [`A`](Generation::A) | 3, 4 | 2020–2022 | slow steering (about 0.5 s), sharp turns at low speed |
/// | [`B`](Generation::B) | 5; missing or below 3 | 2022–2025 | quick steering, wider turns, slides early |
/// | [`C`](Generation::C) | 6 and above | 2026 | near-instant speed, steering lag 0.16 s, grips |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Generation {
    /// Torque-controlled joints, model versions 3 and 4.
    A,
    /// Velocity- and position-controlled joints, model version 5. The default.
    #[default]
    B,
    /// The port to the newer Gazebo, model version 6.
    C,
}

impl Generation {
    /// Every generation, oldest first.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];

    /// The generation that drives a model of this metadata `version`.
    ///
    /// 3 up to below 5 → A, 5 up to below 6 → B, 6 and above → C. Versions 1 and 2 used an
    /// older car that is not modelled; they, and a version that is not a number, are driven
    /// as B.
    ///
    /// ```
    /// use deepracer_vehicle::Generation;
    /// assert_eq!(Generation::from_model_version(4.0), Generation::A);
    /// assert_eq!(Generation::from_model_version(5.0), Generation::B);
    /// assert_eq!(Generation::from_model_version(6.0), Generation::C);
    /// assert_eq!(Generation::from_model_version(1.0), Generation::B);
    /// ```
    pub fn from_model_version(version: f64) -> Self {
        if version >= 6.0 {
            Self::C
        } else if (3.0..5.0).contains(&version) {
            Self::A
        } else {
            Self::B
        }
    }

    /// The figures this generation drives with.
    pub const fn contacts(self) -> Contacts {
        match self {
            Self::A => FITTED_A,
            Self::B => FITTED_B,
            Self::C => FITTED_C,
        }
    }

    /// How far the standing car's nose points up, radians; it tilts the cameras.
    pub const fn nose_up_rad(self) -> f64 {
        NOSE_UP_RAD
    }
}
