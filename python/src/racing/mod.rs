//! What the Gymnasium environments run on: races in this process, and the worlds and threads they share.
//!
//! | question | file |
//! |---|---|
//! | What does Python call? | [`simulator`] |
//! | What is a race made from? | [`options`] |
//! | Which obstacles and bot cars are there? | [`objects`] |
//! | Where does an episode start, when does it end? | [`entrant`] |
//! | How do pictures get into arrays? | [`observation`] |
//! | What do spectators see? | [`spectators`] |
//! | What is in the state vector? | [`state`] |
//! | What do the built-in rewards compute? | [`reward`] |
//! | How do parameters of many races become arrays? | [`columns`] |
//! | Which worlds are baked, which threads run? | [`worlds`], [`threads`] |

mod columns;
mod entrant;
mod objects;
mod observation;
mod options;
mod reward;
mod simulator;
mod spectators;
mod state;
mod threads;
mod worlds;

pub(crate) use simulator::Simulator;
pub(crate) use state::{NAMES as STATE_NAMES, high as state_high, low as state_low};
pub(crate) use worlds::{forget as forget_worlds, num_bytes as world_bytes};
