//! The parameter table: the figures each generation drives with, and the documented ones.

use crate::contacts::Contacts;

/// What model versions 3 and 4 drive with; see [`Generation::A`](crate::Generation::A).
///
/// Fitted to recorded rows at 0.33–2 m/s, with friction along the wheels set by the measured
/// accelerations (1.8 m/s² at 0.35 m/s short of the target, 3.2–3.6 m/s² at 1.2 m/s and more).
pub const FITTED_A: Contacts = Contacts {
    friction_along: 0.38,
    slip_along_mps: 0.664,
    front_friction_across: 0.362,
    rear_friction_across: 0.520,
    slip_across_mps: 0.0693,
    low_speed_excess_mps: 0.03,
    steering_lag_s: 0.463,
    latency_s: 0.0,
    mass_kg: 6.564,
    yaw_inertia_kgm2: 0.0591,
    centre_of_mass_m: 0.0026,
};

/// What model version 5 drives with; see [`Generation::B`](crate::Generation::B).
///
/// Fitted to recorded rows at 0.1–4 m/s.
pub const FITTED_B: Contacts = Contacts {
    friction_along: 0.353,
    slip_along_mps: 0.348,
    front_friction_across: 0.374,
    rear_friction_across: 0.461,
    slip_across_mps: 0.135,
    low_speed_excess_mps: 0.03,
    steering_lag_s: 0.0,
    latency_s: 0.0083,
    mass_kg: 6.564,
    yaw_inertia_kgm2: 0.0934,
    centre_of_mass_m: 0.0026,
};

/// What model version 6 drives with; see [`Generation::C`](crate::Generation::C).
///
/// Fitted to recorded rows at 1–2.5 m/s.
pub const FITTED_C: Contacts = Contacts {
    friction_along: 1.234,
    slip_along_mps: 0.351,
    front_friction_across: 1.233,
    rear_friction_across: 1.323,
    slip_across_mps: 0.172,
    low_speed_excess_mps: 0.0,
    steering_lag_s: 0.162,
    latency_s: 0.0257,
    mass_kg: 7.543,
    yaw_inertia_kgm2: 0.1082,
    centre_of_mass_m: 0.0112,
};

/// Model versions 3 and 4 as documented, an earlier fit. Kept to check the model against the
/// published steady turns.
pub const LEGACY_3_4: Contacts = Contacts {
    friction_along: 0.415,
    slip_along_mps: 0.60,
    front_friction_across: 0.392,
    rear_friction_across: 0.392,
    slip_across_mps: 0.066,
    low_speed_excess_mps: 0.0,
    steering_lag_s: 0.49,
    latency_s: 0.002,
    mass_kg: 6.564,
    yaw_inertia_kgm2: 0.0803,
    centre_of_mass_m: 0.0026,
};

/// Model version 5 as documented, an earlier fit; see [`LEGACY_3_4`].
pub const LEGACY_5: Contacts = Contacts {
    friction_along: 0.354,
    slip_along_mps: 0.382,
    front_friction_across: 0.367,
    rear_friction_across: 0.367,
    slip_across_mps: 0.113,
    low_speed_excess_mps: 0.0,
    steering_lag_s: 0.0,
    latency_s: 0.012,
    mass_kg: 6.564,
    yaw_inertia_kgm2: 0.0803,
    centre_of_mass_m: 0.0026,
};

/// Model version 6 as documented, matched to summary figures only; see [`LEGACY_3_4`].
pub const CURRENT: Contacts = Contacts {
    friction_along: 1.2,
    slip_along_mps: 0.353,
    front_friction_across: 1.41,
    rear_friction_across: 1.41,
    slip_across_mps: 0.161,
    low_speed_excess_mps: 0.0,
    steering_lag_s: 0.16,
    latency_s: 0.015,
    mass_kg: 7.543,
    yaw_inertia_kgm2: 0.0967,
    centre_of_mass_m: 0.0112,
};
