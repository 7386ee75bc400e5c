//! From settings to things that race and learn: worlds, scenarios, cameras, networks.

use std::collections::HashMap;
use std::sync::Arc;

use deepracer_policy::{
    ActionSpec, Exploration, InputShape, InputSpec, PolicySpec, PpoHyperparameters, Topology, ValueLoss,
};
use deepracer_race::{Penalties, Rules, Scenario, StartRule, View};
use deepracer_sensor::{Camera, Pixels, Quality, Scene};
use deepracer_settings::hyperparameters::{ExplorationType, Hyperparameters, LossType};
use deepracer_settings::model_metadata::{ActionSpace, Algorithm, ModelMetadata, Network, Sensor};
use deepracer_settings::{RacingFolder, RunConfig};
use deepracer_track::{Direction, Library, Route};
use deepracer_vehicle::Generation;
use deepracer_world::{World, look};

use crate::error::JobError;
use crate::objects;

/// The worlds of a run; each is baked once, however many workers race in it.
pub struct Worlds {
    library: Library,
    by_name: HashMap<String, (Arc<Route>, Arc<Scene>)>,
}

impl Worlds {
    /// Worlds whose routes come from `library`.
    pub fn new(library: Library) -> Self {
        Self { library, by_name: HashMap::new() }
    }

    /// The route and the baked world of a track.
    ///
    /// # Errors
    /// There is no such track, or its route is unusable.
    pub fn load(&mut self, name: &str) -> Result<(Arc<Route>, Arc<Scene>), JobError> {
        if let Some((route, scene)) = self.by_name.get(name) {
            return Ok((route.clone(), scene.clone()));
        }
        let route = self.library.load(name)?;
        let scene = Arc::new(Scene::bake(&World::build(&route, &look::find(&route.name))));
        let route = Arc::new(route);
        self.by_name.insert(name.to_owned(), (route.clone(), scene.clone()));
        Ok((route, scene))
    }
}

/// The tracks of a racing folder: imported routes in `data/tracks/`, and the built-in ones.
pub fn library(folder: &RacingFolder) -> Library {
    Library::new(Some(folder.data().join("tracks")))
}

/// The physics a model drives with: chosen by its `version`; without one, the physics published models were made with.
pub fn generation(metadata: &ModelMetadata) -> Generation {
    metadata.version.map_or(Generation::B, Generation::from_model_version)
}

/// How a model sees `scene`.
pub fn view(scene: &Arc<Scene>, generation: Generation, quality: deepracer_settings::Quality) -> View {
    let quality = match quality {
        deepracer_settings::Quality::Fast => Quality::Fast,
        deepracer_settings::Quality::Standard => Quality::Standard,
        deepracer_settings::Quality::Fine => Quality::Fine,
    };
    let camera = Camera::front(generation.nose_up_rad()).observation(scene, quality);
    View::through(scene.clone(), Arc::new(camera), Pixels::Grey)
}

fn direction(reversed: bool) -> Direction {
    if reversed { Direction::Reversed } else { Direction::Forward }
}

/// What worker `index` of `num_workers` races in training.
///
/// # Errors
/// The route is unusable, or the objects do not fit on it.
pub fn training_scenario(
    route: Arc<Route>,
    generation: Generation,
    config: &RunConfig,
    index: usize,
    num_workers: usize,
) -> Result<Scenario, JobError> {
    let train = &config.train;
    let advance = if train.change_start_position { train.round_robin_advance } else { 0.0 };
    let start = StartRule {
        offset: train.start_position_offset + start_shift(advance, train.interleave_workers, index, num_workers),
        advance,
        direction: direction(train.reverse_direction),
        alternate: train.alternate_direction,
    };
    let scenario = Scenario::training(route)?.with_objects(objects::rules(config))?;
    Ok(Scenario { generation, start, prepare_step: train.prepare_step, ..scenario })
}

/// Workers take the same round of start positions, each from another place of it, so that a short iteration still sees
/// the whole track. Every worker keeps meeting the same positions as worker 0.
fn start_shift(advance: f64, interleave: bool, index: usize, num_workers: usize) -> f64 {
    if !interleave || advance <= 0.0 {
        return 0.0;
    }
    let num_positions = (1.0 / advance).round().max(1.0);
    advance * (num_positions * index as f64 / num_workers as f64).floor()
}

/// What an evaluation races.
///
/// # Errors
/// The route is unusable, or the objects do not fit on it.
pub fn evaluation_scenario(
    route: Arc<Route>,
    generation: Generation,
    config: &RunConfig,
) -> Result<Scenario, JobError> {
    let evaluation = &config.evaluation;
    let rules = Rules {
        num_laps: if evaluation.is_continuous { evaluation.number_of_trials } else { 1 },
        num_resets: evaluation.max_resets,
        penalties: Penalties {
            off_track_s: evaluation.off_track_penalty_s,
            collision_s: evaluation.collision_penalty_s,
            // As in the original: driving backwards costs what leaving the road costs, standing still costs nothing.
            reversed_s: evaluation.off_track_penalty_s,
            immobilized_s: 0.0,
        },
        reset_behind_m: evaluation.reset_behind_m,
        mercy: objects::mercy(evaluation),
        ..Rules::training()
    };
    let start = StartRule::start_line(direction(evaluation.reverse_direction));
    let scenario = Scenario::training(route)?.with_objects(objects::rules(config))?;
    Ok(Scenario { generation, rules, start, ..scenario })
}

/// How many of `num_episodes` each of `num_workers` plays in an iteration: 20 for 3 are 7, 7 and 6.
pub fn episode_shares(num_episodes: u64, num_workers: usize) -> Vec<u64> {
    let num_workers = num_workers as u64;
    (0..num_workers).map(|index| num_episodes / num_workers + u64::from(index < num_episodes % num_workers)).collect()
}

/// The networks of a model.
///
/// # Errors
/// The model asks for a sensor or an algorithm this version does not have.
pub fn policy_spec(metadata: &ModelMetadata) -> Result<PolicySpec, JobError> {
    if metadata.algorithm == Algorithm::Sac {
        return Err(JobError::NotSupported {
            what: "training_algorithm `sac`".to_owned(),
            hint: "set \"training_algorithm\": \"clipped_ppo\" in model_metadata.json".to_owned(),
        });
    }
    let [sensor] = metadata.sensors.as_slice() else {
        return Err(other_sensors(metadata));
    };
    if !matches!(sensor, Sensor::Observation | Sensor::FrontFacingCamera | Sensor::LeftCamera) {
        return Err(other_sensors(metadata));
    }
    Ok(PolicySpec {
        inputs: vec![InputSpec {
            name: sensor.as_str().to_owned(),
            shape: InputShape::Image { height: 120, width: 160, channels: 1 },
        }],
        topology: match metadata.network {
            Network::Shallow => Topology::Shallow,
            Network::Mid => Topology::Mid,
            Network::Deep => Topology::Deep,
        },
        actions: match &metadata.action_space {
            ActionSpace::Discrete(actions) => ActionSpec::Discrete { num_actions: actions.len() },
            ActionSpace::Continuous { .. } => ActionSpec::Continuous { num_dims: 2 },
        },
    })
}

fn other_sensors(metadata: &ModelMetadata) -> JobError {
    let names: Vec<_> = metadata.sensors.iter().map(|sensor| sensor.as_str()).collect();
    JobError::NotSupported {
        what: format!("the sensors {}", names.join(", ")),
        hint: "use \"sensor\": [\"FRONT_FACING_CAMERA\"] in model_metadata.json".to_owned(),
    }
}

/// Steps of an iteration that are learnt from at most: what the user says, else the original's figure for the network.
pub fn max_steps_per_iteration(config: &RunConfig, network: Network) -> usize {
    let default = if network == Network::Shallow { 10_000 } else { 3_000 };
    config.train.max_steps_per_iteration.map_or(default, |steps| steps as usize)
}

/// The learner's knobs.
pub fn ppo_hyperparameters(hyperparameters: &Hyperparameters) -> PpoHyperparameters {
    PpoHyperparameters {
        batch_size: hyperparameters.batch_size as usize,
        num_epochs: hyperparameters.num_epochs as usize,
        lr: hyperparameters.lr,
        beta_entropy: hyperparameters.beta_entropy,
        discount_factor: hyperparameters.discount_factor,
        loss: match hyperparameters.loss_type {
            LossType::Huber => ValueLoss::Huber,
            LossType::MeanSquaredError => ValueLoss::Mse,
        },
        exploration: match hyperparameters.exploration_type {
            ExplorationType::Categorical => Exploration::Categorical,
            ExplorationType::EpsilonGreedy => Exploration::EGreedy {
                final_epsilon: hyperparameters.e_greedy_value,
                steps: hyperparameters.epsilon_steps,
            },
        },
        ..PpoHyperparameters::default()
    }
}

/// A pool of as many threads as the user wants (0: one per processor). The calling thread is one of them where it can be:
/// what is installed then runs on it, and reward functions stay on the thread their interpreter knows, which makes a call
/// several times cheaper.
///
/// # Errors
/// The system gives no threads.
pub fn threads(num_threads: u32) -> Result<rayon::ThreadPool, JobError> {
    let builder = || {
        rayon::ThreadPoolBuilder::new()
            .num_threads(num_threads as usize)
            .thread_name(|index| format!("deepracer-{index}"))
    };
    // A thread can belong to one pool only: it stays outside of a second one.
    builder()
        .use_current_thread()
        .build()
        .or_else(|_| builder().build())
        .map_err(|error| JobError::Threads { num_threads: num_threads as usize, reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_episodes_among_three_workers_are_seven_seven_six() {
        assert_eq!(episode_shares(20, 3), [7, 7, 6]);
        assert_eq!(episode_shares(3, 5), [1, 1, 1, 0, 0]);
        assert_eq!(episode_shares(30, 3), [10, 10, 10]);
    }

    #[test]
    fn interleaved_workers_meet_the_same_starts_from_different_places() {
        for index in 0..3 {
            let rule = StartRule {
                offset: start_shift(0.1, true, index, 3),
                advance: 0.1,
                direction: Direction::Forward,
                alternate: false,
            };
            let mut tenths: Vec<i64> = (0..10).map(|k| (rule.of_episode(k).ndist * 10.0).round() as i64 % 10).collect();
            assert_eq!(rule.of_episode(10).ndist, rule.of_episode(0).ndist, "the round closes");
            tenths.sort_unstable();
            assert_eq!(tenths, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        }
        assert_eq!(start_shift(0.05, true, 1, 4), 0.25);
        assert_eq!(start_shift(0.05, false, 1, 4), 0.0);
        assert_eq!(start_shift(0.0, true, 1, 4), 0.0);
    }
}
