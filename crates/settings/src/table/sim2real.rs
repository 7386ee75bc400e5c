//! From simulation to reality: what may differ from episode to episode. All ours; all off by default.

use super::{Variable, works};
use crate::value::Kind;

const SECONDS_LATE: Kind = Kind::Number { min: 0.0, max: 0.5, unit: "s" };
const DEGREES: Kind = Kind::Number { min: 0.0, max: 15.0, unit: "°" };

/// A range around what is usual. What an episode gets is drawn evenly from it with the episode's seed.
const fn range(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    field: &'static str,
    doc: &'static str,
) -> Variable {
    works(name, kind, default, example, field, doc).per_worker().ours()
}

pub(super) const SIM2REAL: &[Variable] = &[
    range(
        "DR_SIM2REAL_ACTION_LATENCY",
        SECONDS_LATE,
        "0.0",
        "0.1",
        "sim2real.action_latency_s",
        "Most by which commands arrive late; the same in all of an episode.",
    ),
    range(
        "DR_SIM2REAL_ACTION_LATENCY_JITTER",
        SECONDS_LATE,
        "0.0",
        "0.03",
        "sim2real.action_latency_jitter_s",
        "Most by which single commands arrive later still.",
    ),
    range(
        "DR_SIM2REAL_DECISION_RATE",
        Kind::Number { min: 1.0, max: 15.0, unit: "Hz" },
        "15.0",
        "10.0",
        "sim2real.decision_rate_hz",
        "How often the car listens to the policy. Between two times it keeps to what it heard last; 15 is every step.",
    ),
    range(
        "DR_SIM2REAL_CAMERA_PITCH",
        DEGREES,
        "0.0",
        "2.0",
        "sim2real.camera_pitch_deg",
        "Most by which the cameras look up or down.",
    ),
    range(
        "DR_SIM2REAL_CAMERA_YAW",
        DEGREES,
        "0.0",
        "2.0",
        "sim2real.camera_yaw_deg",
        "Most by which the cameras look left or right.",
    ),
    range(
        "DR_SIM2REAL_CAMERA_HEIGHT",
        Kind::Number { min: 0.0, max: 0.05, unit: "m" },
        "0.0",
        "0.01",
        "sim2real.camera_height_m",
        "Most by which the cameras are mounted higher or lower.",
    ),
    range(
        "DR_SIM2REAL_FIELD_OF_VIEW",
        DEGREES,
        "0.0",
        "4.0",
        "sim2real.field_of_view_deg",
        "Most by which the field of view of the cameras is wider or narrower.",
    ),
    range(
        "DR_SIM2REAL_BRIGHTNESS",
        Kind::Number { min: 0.0, max: 0.5, unit: "" },
        "0.0",
        "0.15",
        "sim2real.brightness",
        "Most by which pictures are brighter or darker, as a share of full scale.",
    ),
    range(
        "DR_SIM2REAL_CONTRAST",
        Kind::Number { min: 0.0, max: 0.9, unit: "" },
        "0.0",
        "0.2",
        "sim2real.contrast",
        "Most by which pictures have more or less contrast, as a share.",
    ),
    range(
        "DR_SIM2REAL_BLUR",
        Kind::Number { min: 0.0, max: 3.0, unit: "px" },
        "0.0",
        "1.0",
        "sim2real.blur_px",
        "Most by which pictures are blurred: standard deviation in pixels of the 160 × 120 observation.",
    ),
    range(
        "DR_SIM2REAL_PIXEL_NOISE",
        Kind::Number { min: 0.0, max: 0.3, unit: "" },
        "0.0",
        "0.03",
        "sim2real.pixel_noise",
        "Most noise of pixels: standard deviation as a share of full scale, new in every frame.",
    ),
    range(
        "DR_SIM2REAL_GRIP",
        Kind::Number { min: 0.0, max: 0.9, unit: "" },
        "0.0",
        "0.3",
        "sim2real.grip",
        "Most by which the tyres grip better or worse, as a share.",
    ),
    range(
        "DR_SIM2REAL_STEERING_BIAS",
        DEGREES,
        "0.0",
        "2.0",
        "sim2real.steering_bias_deg",
        "Most by which the steering is off to one side.",
    ),
];
