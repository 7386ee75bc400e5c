//! Lets a policy that the original trained drive our `reinvent_base`, and says how it drives.
//!
//! ```text
//! cargo run --release -p deepracer-job --example trained_model [MODEL_FOLDER]
//! ```
//!
//! Without an argument the model of the reference data is taken. It was trained on `reinvent_base` with 12 actions of 1 and
//! 2 m/s on model version 3. Every row of the table is one change of the simulator: when one of them drives much better than the first
//! row, our simulator is wrong there.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deepracer_job::reward::{CenterLine, RewardTime};
use deepracer_job::rollout::{Episode, Mode, Plan, Worker, drive};
use deepracer_job::setup;
use deepracer_job::stop::StopFlag;
use deepracer_policy::{ClippedPpo, FrozenGraph, Phase, PpoHyperparameters};
use deepracer_race::{Rules, Scenario, StartRule, View};
use deepracer_sensor::{Camera, Pixels, Quality, Scene};
use deepracer_settings::model_metadata::{ActionSpace, DiscreteAction, ModelMetadata};
use deepracer_track::{Direction, Library, Route};
use deepracer_vehicle::Generation;
use deepracer_world::World;
use deepracer_world::look::{self, Look};

/// Starts of the one-lap episodes, evenly round the track.
const NUM_STARTS: u32 = 20;
/// Races of several laps with resets, each with its own random numbers.
const NUM_RACES: u32 = 4;
/// Laps of each.
const NUM_LAPS: u32 = 5;

/// One way to simulate.
struct Variant {
    name: &'static str,
    look: Look,
    camera: Camera,
    generation: Generation,
    phase: Phase,
    /// -1 mirrors the steering.
    steering: f64,
    direction: Direction,
}

fn variants(default: Generation) -> Vec<Variant> {
    let base = |name, phase| Variant {
        name,
        look: look::find("reinvent_base"),
        camera: Camera::front(default.nose_up_rad()),
        generation: default,
        phase,
        steering: 1.0,
        direction: Direction::Forward,
    };
    let tilted = |name, pitch_deg: f64, height_m| {
        let mut variant = base(name, Phase::Evaluate);
        variant.camera.pitch_down_rad = pitch_deg.to_radians();
        variant.camera.position.z = height_m;
        variant
    };
    let lit = |name, factor: f32, grain: f32| {
        let mut variant = base(name, Phase::Evaluate);
        let look = &mut variant.look;
        for surface in [&mut look.field, &mut look.road, &mut look.line, &mut look.dash] {
            surface.gain *= factor;
            surface.grain *= grain;
        }
        if let Some(walls) = &mut look.walls {
            walls.gains = walls.gains.map(|gain| gain * factor);
        }
        variant
    };
    let older = |phase| Variant { look: look::find("reinvent_base@2020"), ..base("look of 2020", phase) };
    vec![
        base("as it is, greedy", Phase::Evaluate),
        base("as it is, sampled", Phase::Train),
        Variant { name: "look of 2020, greedy", ..older(Phase::Evaluate) },
        Variant { name: "look of 2020, sampled", ..older(Phase::Train) },
        tilted("camera 15.4° down, 0.125 m", 15.4, 0.125),
        tilted("camera 14.5° down, 0.129 m", 14.5, 0.129),
        tilted("camera 16.3° down, 0.125 m", 16.3, 0.125),
        lit("light × 0.80", 0.8, 1.0),
        lit("light × 0.90", 0.9, 1.0),
        lit("light × 1.10", 1.1, 1.0),
        lit("no grain", 1.0, 0.0),
        lit("grain × 2", 1.0, 2.0),
        Variant { generation: Generation::B, ..base("vehicle generation B", Phase::Evaluate) },
        Variant { generation: Generation::C, ..base("vehicle generation C", Phase::Evaluate) },
        Variant { direction: Direction::Reversed, ..base("reversed", Phase::Evaluate) },
        Variant { steering: -1.0, ..base("steering mirrored", Phase::Evaluate) },
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let data = std::env::var_os("DEEPRACER_SHARED").map_or(beside, PathBuf::from).join("data");
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = given.unwrap_or_else(|| data.join("models/reinvent_base_12_actions"));
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return Ok(());
    }
    let text = std::fs::read_to_string(folder.join("model_metadata.json"))?;
    let (metadata, _) = ModelMetadata::parse(&text, "model_metadata.json")?;
    let generation = setup::generation(&metadata);
    let route = Arc::new(Library::new(Some(data.join("routes"))).load("reinvent_base")?);
    let mut policy = ClippedPpo::new(setup::policy_spec(&metadata)?, PpoHyperparameters::default(), 0)?;
    for file in graphs(&folder)? {
        policy.load_actor_from_frozen_graph(&FrozenGraph::read(&file)?)?;
        println!("\n{}", file.display());
        println!(
            "{:<28} {:>9} {:>9} {:>11} {:>11} {:>10} {:>10}",
            "", "complete", "progress", "resets/60 s", "resets/lap", "best lap", "mean lap"
        );
        for variant in variants(generation) {
            println!("{:<28} {}", variant.name, judge(&variant, &route, &metadata.action_space, &mut policy)?);
        }
    }
    Ok(())
}

/// The frozen graphs in a folder, by number.
fn graphs(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "pb") {
            files.push(path);
        }
    }
    files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    Ok(files)
}

/// One lap from every start without resets, and races of several laps with as many resets as it takes.
fn judge(
    variant: &Variant,
    route: &Arc<Route>,
    actions: &ActionSpace,
    policy: &mut ClippedPpo,
) -> Result<String, Box<dyn Error>> {
    let actions = mirrored(actions, variant.steering);
    let scene = Arc::new(Scene::bake(&World::build(route, &variant.look)));
    let mut race = |rules, advance, num_episodes: u32| -> Result<Vec<Episode>, Box<dyn Error>> {
        let start = StartRule { offset: 0.0, advance, direction: variant.direction, alternate: false };
        let scenario = Scenario { generation: variant.generation, rules, start, ..Scenario::training(route.clone())? };
        let plans: Vec<Plan> = (0..u64::from(num_episodes))
            .map(|number| Plan { worker: 0, number, start: scenario.start_of_episode(number) })
            .collect();
        let camera = Arc::new(variant.camera.observation(&scene, Quality::Standard));
        let view = View::through(scene.clone(), camera, Pixels::Grey);
        let mut workers = [Worker {
            index: 0,
            scenario: scenario.into(),
            view,
            reward: Box::new(CenterLine),
            clock_s: 0.0,
            reward_time: RewardTime::default(),
        }];
        let stop = StopFlag::new();
        let mode = Mode {
            phase: variant.phase,
            max_experience: 0,
            seed: 1,
            num_steps_before: 0,
            actions: &actions,
            stop: &stop,
        };
        Ok(drive(&mut workers, &plans, policy, &mode, &mut |_| {})?)
    };
    let single = race(Rules::training(), 1.0 / f64::from(NUM_STARTS), NUM_STARTS)?;
    let num_complete = single.iter().filter(|episode| episode.progress() >= 100.0).count();
    let progress = single.iter().map(Episode::progress).sum::<f64>() / f64::from(NUM_STARTS);

    let rules = Rules { num_laps: NUM_LAPS, num_resets: 40 * NUM_LAPS, ..Rules::training() };
    let races = race(rules, 1.0 / f64::from(NUM_RACES), NUM_RACES)?;
    let laps: Vec<_> = races.iter().flat_map(|episode| &episode.laps).collect();
    let num_resets: u32 = laps.iter().map(|lap| lap.num_off_tracks + lap.num_reversed + lap.num_immobilized).sum();
    let driven_s: f64 = races.iter().map(Episode::elapsed_s).sum();
    let per_minute = 60.0 * f64::from(num_resets) / driven_s;
    let clean: Vec<f64> = single
        .iter()
        .filter(|episode| episode.progress() >= 100.0)
        .map(Episode::elapsed_s)
        .chain(
            laps.iter()
                .filter(|lap| lap.progress >= 100.0 && lap.num_off_tracks == 0)
                .map(|lap| lap.end_s - lap.start_s),
        )
        .collect();
    let seconds = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2} s"));
    let best = clean.iter().copied().reduce(f64::min);
    let mean = best.map(|_| clean.iter().sum::<f64>() / clean.len() as f64);
    let per_lap = f64::from(num_resets) / laps.iter().filter(|lap| lap.progress >= 100.0).count() as f64;
    Ok(format!(
        "{:>9} {progress:>7.1} % {per_minute:>11.1} {per_lap:>11.1} {:>10} {:>10}",
        format!("{num_complete}/{NUM_STARTS}"),
        seconds(best),
        seconds(mean),
    ))
}

fn mirrored(actions: &ActionSpace, sign: f64) -> ActionSpace {
    match actions {
        ActionSpace::Discrete(actions) => ActionSpace::Discrete(
            actions
                .iter()
                .map(|action| DiscreteAction { steering_deg: sign * action.steering_deg, ..*action })
                .collect(),
        ),
        continuous @ ActionSpace::Continuous { .. } => continuous.clone(),
    }
}
