//! The race and the car.

use super::{Variable, works};
use crate::choice::{CarColor, RaceType};
use crate::value::Kind;

pub(super) const RACE: &[Variable] = &[
    works(
        "DR_WORLD_NAME",
        Kind::Name,
        "reinvent_base",
        "Oval_track",
        "world_name",
        "The track. `dr-tracks list` shows all names.",
    )
    .in_both(&["WORLD_NAME"])
    .per_worker(),
    works(
        "DR_RACE_TYPE",
        Kind::Choice(RaceType::NAMES),
        "TIME_TRIAL",
        "OBJECT_AVOIDANCE",
        "race_type",
        "The kind of race: alone, among boxes or parked cars, among bot cars, or, in evaluations, against another model.",
    )
    .in_both(&["RACE_TYPE"])
    .per_worker(),
    works("DR_CAR_NAME", Kind::Text, "FastCar", "Blue Bird", "car.name", "Display name of the car.")
        .in_both(&["CAR_NAME"])
        .per_worker(),
    works(
        "DR_CAR_BODY_SHELL_TYPE",
        Kind::Text,
        "deepracer",
        "deepracer_f1",
        "car.body_shell",
        "Shape of the shell. Recorded with the model; other cars and spectators see it, the own camera does not.",
    )
    .in_both(&["BODY_SHELL_TYPE"])
    .per_worker(),
    works(
        "DR_CAR_COLOR",
        Kind::Choice(CarColor::NAMES),
        "Red",
        "Purple",
        "car.color",
        "Colour of the shell. Recorded with the model; the own camera does not see it.",
    )
    .in_both(&["CAR_COLOR"])
    .per_worker(),
    works(
        "DR_DISPLAY_NAME",
        Kind::Text,
        "$DR_CAR_NAME",
        "Lightning",
        "car.display_name",
        "Name of the car in overlays and result tables.",
    )
    .in_both(&["DISPLAY_NAME"])
    .per_worker(),
    works(
        "DR_RACER_NAME",
        Kind::Text,
        "$DR_CAR_NAME",
        "Ada",
        "car.racer_name",
        "Name of the racer in overlays and result tables.",
    )
    .in_both(&["RACER_NAME"])
    .per_worker(),
    works(
        "DR_ENABLE_DOMAIN_RANDOMIZATION",
        Kind::Flag,
        "False",
        "True",
        "domain_randomization",
        "Whether the colour of the light, and the paint of boxes and bot cars, change from episode to episode.",
    )
    .in_both(&["ENABLE_DOMAIN_RANDOMIZATION"])
    .per_worker(),
];
