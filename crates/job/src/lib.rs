//! A training or evaluation run from start to end: rollouts, learning, files.
//!
//! | question | module |
//! |---|---|
//! | How is a reward function called, and what may it return? | [`reward`] |
//! | How do episodes become experience? | [`rollout`] |
//! | What happens in an iteration? | [`train`] |
//! | How is a model judged? | [`evaluate`] |

pub mod reward;
pub mod stop;
