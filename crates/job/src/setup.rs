//! From settings to things that race and learn: worlds, scenarios, cameras, networks.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use deepracer_policy::{
    ActionSpec, Exploration, InputShape, InputSpec, PolicySpec, PpoHyperparameters, Topology, ValueLoss,
};
use deepracer_race::{Penalties, Rules, Scenario, SimToReal, StartRule, View};
use deepracer_sensor::{
    Camera, HEIGHT, Lidar, LidarEncoding, Pixels, Quality, Scene, Sensor as CarSensor, Variety, WIDTH,
};
use deepracer_settings::hyperparameters::{ExplorationType, Hyperparameters, LossType};
use deepracer_settings::model_metadata::{ActionSpace, Algorithm, LidarConfig, ModelMetadata, Network, Sensor};
use deepracer_settings::{CarColor, CarConfig, RaceType, RacingFolder, RunConfig};
use deepracer_track::{Direction, Library, Route};
use deepracer_vehicle::Generation;
use deepracer_world::mesh::MeshLibrary;
use deepracer_world::{Body, BodyShape, CarColour, Shell, World};
use glam::DVec2;

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
    /// There is no such track, or its route or its imported meshes are unusable.
    pub fn load(&mut self, name: &str) -> Result<(Arc<Route>, Arc<Scene>), JobError> {
        if let Some((route, scene)) = self.by_name.get(name) {
            return Ok((route.clone(), scene.clone()));
        }
        let route = self.library.load(name)?;
        let meshes = self.library.folder().map(MeshLibrary::new);
        let scene = Arc::new(Scene::bake(&World::of_track(&route, meshes.as_ref())?));
        let route = Arc::new(route);
        self.by_name.insert(name.to_owned(), (route.clone(), scene.clone()));
        Ok((route, scene))
    }
}

/// The tracks of a racing folder: imported routes and meshes in `data/tracks/`, and the built-in ones.
pub fn library(folder: &RacingFolder) -> Library {
    Library::new(Some(tracks_folder(folder)))
}

/// Where a racing folder keeps imported routes.
pub fn tracks_folder(folder: &RacingFolder) -> PathBuf {
    folder.data().join("tracks")
}

/// The physics a model drives with: chosen by its `version`; without one, the physics published models were made with.
pub fn generation(metadata: &ModelMetadata) -> Generation {
    metadata.version.map_or(Generation::B, Generation::from_model_version)
}

/// How a model sees `scene`: through the sensors its metadata name.
pub fn view(
    scene: &Arc<Scene>,
    metadata: &ModelMetadata,
    generation: Generation,
    quality: deepracer_settings::Quality,
) -> View {
    let quality = match quality {
        deepracer_settings::Quality::Fast => Quality::Fast,
        deepracer_settings::Quality::Standard => Quality::Standard,
        deepracer_settings::Quality::Fine => Quality::Fine,
    };
    let nose_up_rad = generation.nose_up_rad();
    let sensors = metadata.sensors.iter().map(|name| {
        let sensor = match name {
            Sensor::Observation | Sensor::FrontFacingCamera | Sensor::LeftCamera => CarSensor::Camera {
                camera: Arc::new(Camera::front(nose_up_rad).observation(scene, quality)),
                pixels: Pixels::Grey,
            },
            Sensor::StereoCameras => CarSensor::StereoCameras {
                cameras: Camera::stereo(nose_up_rad).map(|camera| Arc::new(camera.observation(scene, quality))),
            },
            Sensor::Lidar | Sensor::SectorLidar | Sensor::DiscretizedSectorLidar => CarSensor::Lidar {
                lidar: Arc::new(Lidar::new(nose_up_rad)),
                encoding: lidar_encoding(*name, metadata.lidar),
            },
        };
        (name.as_str().to_owned(), sensor)
    });
    View::new(scene.clone(), sensors.collect())
}

/// The car of a run as spectators and other cars see it, in its colour and shell.
pub fn car_body(car: &CarConfig, origin: DVec2, yaw_rad: f64) -> Body {
    let colour = match car.color {
        CarColor::Black => CarColour::Black,
        CarColor::Grey => CarColour::Grey,
        CarColor::Blue => CarColour::Blue,
        CarColor::Red => CarColour::Red,
        CarColor::Orange => CarColour::Orange,
        CarColor::White => CarColour::White,
        CarColor::Purple => CarColour::Purple,
    };
    Body { shell: Shell::of_name(&car.body_shell), ..Body::new(BodyShape::Car(colour), origin, yaw_rad) }
}

/// How much episodes differ in what the cameras see.
pub fn variety(config: &RunConfig) -> Variety {
    let sim2real = &config.sim2real;
    Variety {
        domain: config.domain_randomization,
        pitch_rad: sim2real.camera_pitch_deg.to_radians(),
        yaw_rad: sim2real.camera_yaw_deg.to_radians(),
        height_m: sim2real.camera_height_m,
        field_of_view_rad: sim2real.field_of_view_deg.to_radians(),
        brightness: sim2real.brightness,
        contrast: sim2real.contrast,
        blur_px: sim2real.blur_px,
        pixel_noise: sim2real.pixel_noise,
    }
}

/// How much episodes differ in how the car obeys.
pub fn sim_to_real(config: &RunConfig) -> SimToReal {
    let sim2real = &config.sim2real;
    SimToReal {
        action_latency_s: sim2real.action_latency_s,
        action_latency_jitter_s: sim2real.action_latency_jitter_s,
        decision_rate_hz: sim2real.decision_rate_hz,
        grip: sim2real.grip,
        steering_bias_rad: sim2real.steering_bias_deg.to_radians(),
    }
}

/// What a model is told of its lidar's scans.
fn lidar_encoding(sensor: Sensor, config: LidarConfig) -> LidarEncoding {
    match sensor {
        Sensor::SectorLidar => LidarEncoding::NEAR_SECTORS,
        Sensor::DiscretizedSectorLidar => LidarEncoding::Sectors {
            num_sectors: config.num_sectors as usize,
            num_values: config.num_values_per_sector as usize,
            clipping_dist_m: config.clipping_dist_m,
        },
        _ => LidarEncoding::Distances,
    }
}

/// What a sensor's observation is to the networks.
fn input_shape(sensor: Sensor, config: LidarConfig) -> InputShape {
    let image = |channels: usize| InputShape::Image { height: HEIGHT, width: WIDTH, channels };
    match sensor {
        Sensor::Observation | Sensor::FrontFacingCamera | Sensor::LeftCamera => image(1),
        Sensor::StereoCameras => image(2),
        lidar => InputShape::Vector { len: lidar_encoding(lidar, config).num_values() },
    }
}

fn direction(reversed: bool) -> Direction {
    if reversed { Direction::Reversed } else { Direction::Forward }
}

/// What worker `index` of `num_workers` races in training.
///
/// # Errors
/// The route is unusable, the objects do not fit on it, or the race is for evaluations only.
pub fn training_scenario(
    route: Arc<Route>,
    generation: Generation,
    config: &RunConfig,
    index: usize,
    num_workers: usize,
) -> Result<Scenario, JobError> {
    if config.race_type == RaceType::HeadToModel {
        return Err(JobError::TrainingAgainstModel);
    }
    let train = &config.train;
    let advance = if train.change_start_position { train.round_robin_advance } else { 0.0 };
    let start = StartRule {
        offset: train.start_position_offset + start_shift(advance, train.interleave_workers, index, num_workers),
        advance,
        direction: direction(train.reverse_direction),
        alternate: train.alternate_direction,
    };
    let scenario = Scenario::training(route)?.with_objects(objects::rules(config))?;
    Ok(Scenario { generation, start, prepare_step: train.prepare_step, sim_to_real: sim_to_real(config), ..scenario })
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
    Ok(Scenario { generation, rules, start, sim_to_real: sim_to_real(config), ..scenario })
}

/// How many of `num_episodes` each of `num_workers` plays in an iteration: 20 for 3 are 7, 7 and 6.
pub fn episode_shares(num_episodes: u64, num_workers: usize) -> Vec<u64> {
    let num_workers = num_workers as u64;
    (0..num_workers).map(|index| num_episodes / num_workers + u64::from(index < num_episodes % num_workers)).collect()
}

/// The networks of a model.
///
/// # Errors
/// The model asks for an algorithm this version does not have.
pub fn policy_spec(metadata: &ModelMetadata) -> Result<PolicySpec, JobError> {
    if metadata.algorithm == Algorithm::Sac {
        return Err(JobError::NotSupported {
            what: "training_algorithm `sac`".to_owned(),
            hint: "set \"training_algorithm\": \"clipped_ppo\" in model_metadata.json".to_owned(),
        });
    }
    let inputs = metadata
        .sensors
        .iter()
        .map(|sensor| InputSpec { name: sensor.as_str().to_owned(), shape: input_shape(*sensor, metadata.lidar) });
    Ok(PolicySpec {
        inputs: inputs.collect(),
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
    use deepracer_settings::{Request, Settings};

    #[test]
    fn twenty_episodes_among_three_workers_are_seven_seven_six() {
        assert_eq!(episode_shares(20, 3), [7, 7, 6]);
        assert_eq!(episode_shares(3, 5), [1, 1, 1, 0, 0]);
        assert_eq!(episode_shares(30, 3), [10, 10, 10]);
    }

    /// Every network takes what the sensors of a race observe: the same inputs, in the same order, of the same size.
    #[test]
    fn networks_fit_the_sensors_of_every_legal_combination() {
        let (_, scene) = Worlds::new(Library::new(None)).load("reinvent_base").expect("a built-in track");
        let cameras = Sensor::ALL.iter().filter(|sensor| sensor.is_camera());
        for (camera, network) in cameras.flat_map(|camera| Network::ALL.iter().map(move |network| (camera, network))) {
            let lidars = Sensor::ALL.iter().filter(|sensor| !sensor.is_camera()).map(Some).chain([None]);
            for lidar in lidars {
                let names: Vec<String> =
                    [Some(camera), lidar].into_iter().flatten().map(|s| format!("\"{s}\"")).collect();
                let text = format!(
                    r#"{{"action_space": [{{"steering_angle": 0, "speed": 1}}], "version": "5", "sensor": [{}],
                        "neural_network": "{network}", "lidar_config": {{"num_sectors": 4, "num_values_per_sector": 3}}}}"#,
                    names.join(", ")
                );
                let (metadata, _) = ModelMetadata::parse(&text, "model_metadata.json").expect("legal metadata");
                let spec = policy_spec(&metadata).expect("a policy").checked().expect("networks");
                let view = view(&scene, &metadata, Generation::B, deepracer_settings::Quality::Fast);
                let inputs: Vec<_> =
                    spec.inputs.iter().map(|input| (input.name.as_str(), input.shape.bytes())).collect();
                let sensors: Vec<_> =
                    view.sensors().iter().map(|(name, sensor)| (name.as_str(), sensor.num_bytes())).collect();
                assert_eq!(inputs, sensors);
                assert_eq!(spec.observation_bytes(), view.observation_bytes());
                if lidar == Some(&Sensor::DiscretizedSectorLidar) {
                    assert!(spec.inputs.iter().any(|input| input.shape == InputShape::Vector { len: 12 }));
                }
            }
        }
    }

    #[test]
    fn the_car_is_seen_in_its_colour_and_shell() {
        for colour in CarColor::NAMES {
            let home = tempfile::tempdir().expect("a folder");
            let overrides = [("DR_CAR_COLOR", *colour), ("DR_CAR_BODY_SHELL_TYPE", "f1_car_11")];
            let overrides = overrides.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
            let request = Request { overrides, ..Request::new(RacingFolder::at(home.path())) };
            let settings = Settings::load(&request).expect("legal settings").settings;
            let body = car_body(&settings.config().car, DVec2::ONE, 0.5);
            let BodyShape::Car(shown) = body.shape else { unreachable!("a car") };
            assert_eq!((format!("{shown:?}").as_str(), body.shell), (*colour, Shell::Formula));
        }
    }

    #[test]
    fn every_variable_of_reality_reaches_the_race_or_its_cameras() {
        let home = tempfile::tempdir().expect("a folder");
        let config = |overrides: Vec<(String, String)>| {
            let folder = RacingFolder::at(home.path());
            let request = Request { overrides, ..Request::new(folder) };
            Settings::load(&request).expect("legal settings").settings.config().clone()
        };
        let usual = config(Vec::new());
        assert_eq!(variety(&usual), Variety::default());
        assert_eq!(sim_to_real(&usual), SimToReal::default());
        let degree = 1.0_f64.to_radians();
        let (see, drive) = (Variety::default(), SimToReal::default());
        let seen = [
            ("DR_ENABLE_DOMAIN_RANDOMIZATION", "True", Variety { domain: true, ..see }),
            ("DR_SIM2REAL_CAMERA_PITCH", "1", Variety { pitch_rad: degree, ..see }),
            ("DR_SIM2REAL_CAMERA_YAW", "1", Variety { yaw_rad: degree, ..see }),
            ("DR_SIM2REAL_CAMERA_HEIGHT", "0.02", Variety { height_m: 0.02, ..see }),
            ("DR_SIM2REAL_FIELD_OF_VIEW", "1", Variety { field_of_view_rad: degree, ..see }),
            ("DR_SIM2REAL_BRIGHTNESS", "0.1", Variety { brightness: 0.1, ..see }),
            ("DR_SIM2REAL_CONTRAST", "0.2", Variety { contrast: 0.2, ..see }),
            ("DR_SIM2REAL_BLUR", "1.5", Variety { blur_px: 1.5, ..see }),
            ("DR_SIM2REAL_PIXEL_NOISE", "0.03", Variety { pixel_noise: 0.03, ..see }),
        ];
        for (name, value, expected) in seen {
            let config = config(vec![(name.to_owned(), value.to_owned())]);
            assert_eq!((variety(&config), sim_to_real(&config)), (expected, drive), "{name}");
        }
        let driven = [
            ("DR_SIM2REAL_ACTION_LATENCY", "0.1", SimToReal { action_latency_s: 0.1, ..drive }),
            ("DR_SIM2REAL_ACTION_LATENCY_JITTER", "0.02", SimToReal { action_latency_jitter_s: 0.02, ..drive }),
            ("DR_SIM2REAL_DECISION_RATE", "10", SimToReal { decision_rate_hz: 10.0, ..drive }),
            ("DR_SIM2REAL_GRIP", "0.3", SimToReal { grip: 0.3, ..drive }),
            ("DR_SIM2REAL_STEERING_BIAS", "1", SimToReal { steering_bias_rad: degree, ..drive }),
        ];
        for (name, value, expected) in driven {
            let config = config(vec![(name.to_owned(), value.to_owned())]);
            assert_eq!((variety(&config), sim_to_real(&config)), (see, expected), "{name}");
        }
        let names = deepracer_settings::table::all().filter(|row| row.name.starts_with("DR_SIM2REAL_"));
        assert_eq!(names.count() + 1, seen.len() + driven.len(), "none is forgotten");
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
