//! Values that are one word of a fixed list.

use crate::did_you_mean;

/// Declares an enum whose variants have one spelling each, accepted in any case.
macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All values, in the order of the documentation.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];
            /// The spellings of all values, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text,)+];

            /// The spelling of this value.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The value spelt so, in any case.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.as_str().eq_ignore_ascii_case(name))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

/// `not one of A, B, C`, with the nearest when there is one.
pub(crate) fn not_one_of(text: &str, legal: &[&str]) -> String {
    let list = legal.join(", ");
    match did_you_mean::hint(text, legal.iter().copied()) {
        Some(hint) => format!("not one of {list}; {hint}"),
        None => format!("not one of {list}"),
    }
}

pub(crate) use choices;

choices! {
    /// The kind of race.
    RaceType {
        /// One car against the clock.
        TimeTrial = "TIME_TRIAL",
        /// Boxes or parked cars on the road.
        ObjectAvoidance = "OBJECT_AVOIDANCE",
        /// Bot cars on the road.
        HeadToBot = "HEAD_TO_BOT",
        /// Two models against each other (evaluation).
        HeadToModel = "HEAD_TO_MODEL",
    }
}

choices! {
    /// What obstacles look like.
    ObstacleType {
        /// A plain brown box.
        Box = "box_obstacle",
        /// A parcel.
        AmazonBox = "amazon_box_obstacle",
        /// A navy box, a little smaller.
        DeepRacerBox = "deepracer_box_obstacle",
    }
}

choices! {
    /// Colour of the car's shell.
    CarColor {
        /// Black.
        Black = "Black",
        /// Grey.
        Grey = "Grey",
        /// Blue.
        Blue = "Blue",
        /// Red.
        Red = "Red",
        /// Orange.
        Orange = "Orange",
        /// White.
        White = "White",
        /// Purple.
        Purple = "Purple",
    }
}

choices! {
    /// What makes a checkpoint the best one.
    BestModelMetric {
        /// Highest mean completion of the in-training evaluations.
        Progress = "progress",
        /// Highest mean reward.
        Reward = "reward",
        /// Lowest mean lap time.
        LapTime = "laptime",
    }
}

choices! {
    /// How much work goes into a camera picture.
    Quality {
        /// As fast as possible.
        Fast = "fast",
        /// Close to the antialiasing of the original.
        Standard = "standard",
        /// Closest, slowest.
        Fine = "fine",
    }
}

choices! {
    /// The reward function an evaluation runs.
    EvaluationReward {
        /// The built-in centre-line reward, as the original does.
        CenterLine = "centerline",
        /// The user's reward function.
        User = "user",
    }
}

choices! {
    /// Where models are stored.
    Cloud {
        /// A folder of this machine.
        Local = "local",
        /// Azure.
        Azure = "azure",
        /// AWS S3.
        Aws = "aws",
        /// An S3 server elsewhere.
        Remote = "remote",
    }
}

/// Which checkpoint of a model to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoint {
    /// The best by the metric of the training run.
    Best,
    /// The newest.
    Last,
    /// The one with this number.
    Number(u64),
}

impl Checkpoint {
    /// `best`, `last` (in any case) or a number.
    pub fn from_name(name: &str) -> Option<Checkpoint> {
        match name.to_ascii_lowercase().as_str() {
            "best" => Some(Checkpoint::Best),
            "last" => Some(Checkpoint::Last),
            number => number.parse().ok().map(Checkpoint::Number),
        }
    }
}

impl std::fmt::Display for Checkpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Checkpoint::Best => formatter.write_str("best"),
            Checkpoint::Last => formatter.write_str("last"),
            Checkpoint::Number(number) => write!(formatter, "{number}"),
        }
    }
}

impl serde::Serialize for Checkpoint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
