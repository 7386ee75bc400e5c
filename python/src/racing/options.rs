//! What a race is made from, as Python says it.

use std::path::PathBuf;
use std::sync::Arc;

use deepracer_race::{Action, Mercy, Penalties, Rules, Scenario, StartRule, View};
use deepracer_sensor::{Camera, Lidar, LidarEncoding, Pixels, Quality, Scene, Sensor, Variety};
use deepracer_track::Direction;
use deepracer_vehicle::Generation;
use deepracer_world::{Body, BodyShape, CarColour, Shell};
use glam::DVec2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::entrant::{Actions, Entrant, Starts};
use super::objects::ObjectOptions;
use super::worlds;

/// One race: a dictionary with these keys. Python has checked the values; what it cannot know is checked here.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct RaceOptions {
    /// Name of the track.
    world: String,
    /// Folder of imported route files.
    tracks_folder: Option<PathBuf>,
    /// The model's `version`; chooses the physics.
    version: f64,
    /// Steering (degrees) and speed (m/s) of each discrete action; empty when the actions are continuous.
    actions: Vec<(f64, f64)>,
    /// Low and high of steering (degrees) and of speed (m/s).
    ranges: Option<[(f64, f64); 2]>,
    /// Names of the sensors.
    sensors: Vec<String>,
    /// Sectors, values per sector and clipping distance (metres) of a discretised lidar.
    lidar: (usize, usize, f64),
    /// How much work goes into a picture: `fast`, `standard` or `fine`.
    quality: String,
    /// First start, a fraction of the track.
    start_offset: f64,
    /// How much later each next episode starts, a fraction of the track.
    start_advance: f64,
    /// Start anywhere instead.
    start_anywhere: bool,
    /// Drive against the waypoints.
    reversed: bool,
    /// Change direction with every episode.
    alternate: bool,
    /// Mishaps forgiven per episode.
    num_resets: u32,
    /// Waiting after leaving the road, seconds.
    off_track_penalty_s: f64,
    /// Waiting after driving into something, seconds.
    collision_penalty_s: f64,
    /// Steps of falling progress that count as driving backwards.
    num_reverse_steps: u32,
    /// How far behind an obstacle in the way a car is put back, metres.
    reset_behind_m: f64,
    /// Resets in a row at one obstacle of which the last puts the car ahead of it, and how far, metres.
    mercy: Option<(u32, f64)>,
    /// Name of the car's colour, such as `Black`, and of its body shell.
    car: (String, String),
    /// Light and paints differ from episode to episode.
    randomises_domain: bool,
    /// What is on the road besides the car.
    objects: ObjectOptions,
    /// The episode is over after this time, seconds.
    time_limit_s: Option<f64>,
}

impl RaceOptions {
    /// The race and how it is seen.
    pub(super) fn build(self, py: Python<'_>) -> PyResult<(Entrant, View)> {
        let baked = worlds::load(py, &self.world, self.tracks_folder.clone())?;
        let generation = Generation::from_model_version(self.version);
        let quality = self.quality()?;
        let sensors = self
            .sensors
            .iter()
            .map(|name| Ok((name.clone(), sensor(name, &baked.scene, generation, quality, self.lidar)?)))
            .collect::<PyResult<Vec<_>>>()?;
        let variety = Variety { domain: self.randomises_domain, ..Variety::default() };
        let view = View::new(baked.scene.clone(), sensors).with_variety(variety);
        let rules = Rules {
            num_resets: self.num_resets,
            penalties: Penalties {
                off_track_s: self.off_track_penalty_s,
                collision_s: self.collision_penalty_s,
                // As in the original: driving backwards costs what leaving the road costs, standing still nothing.
                reversed_s: self.off_track_penalty_s,
                immobilized_s: 0.0,
            },
            num_reverse_steps: self.num_reverse_steps,
            reset_behind_m: self.reset_behind_m,
            mercy: self.mercy.map(|(num_resets, ahead_m)| Mercy { num_resets, ahead_m }),
            ..Rules::training()
        };
        let start = StartRule {
            offset: self.start_offset,
            advance: self.start_advance,
            direction: if self.reversed { Direction::Reversed } else { Direction::Forward },
            alternate: self.alternate,
        };
        let alone = Scenario { generation, rules, start, ..baked.scenario.clone() };
        let objects = self.objects.rules(alone.forward.length_m())?;
        let scenario = alone.with_objects(objects.clone()).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let starts = if self.start_anywhere { Starts::Anywhere } else { Starts::ByRule };
        let kind = self.objects.kind()?;
        let seen = (view.clone(), self.car()?);
        let entrant = Entrant::new(Arc::new(scenario), baked, self.actions()?, starts, self.time_limit_s, seen)
            .with_obstacles(objects, kind);
        Ok((entrant, view))
    }

    /// The car as spectators see it.
    fn car(&self) -> PyResult<Body> {
        let (colour, shell) = &self.car;
        let colour = match colour.as_str() {
            "Black" => CarColour::Black,
            "Grey" => CarColour::Grey,
            "Blue" => CarColour::Blue,
            "Red" => CarColour::Red,
            "Orange" => CarColour::Orange,
            "White" => CarColour::White,
            "Purple" => CarColour::Purple,
            other => return Err(PyValueError::new_err(format!("there is no car colour {other}"))),
        };
        Ok(Body { shell: Shell::of_name(shell), ..Body::new(BodyShape::Car(colour), DVec2::ZERO, 0.0) })
    }

    fn quality(&self) -> PyResult<Quality> {
        match self.quality.as_str() {
            "fast" => Ok(Quality::Fast),
            "standard" => Ok(Quality::Standard),
            "fine" => Ok(Quality::Fine),
            other => Err(PyValueError::new_err(format!("quality is '{other}'; legal: fast, standard, fine"))),
        }
    }

    fn actions(&self) -> PyResult<Arc<Actions>> {
        let actions = match self.ranges {
            Some([steering_deg, speed_mps]) => Actions::Continuous { steering_deg, speed_mps },
            None if self.actions.is_empty() => return Err(PyValueError::new_err("the action space is empty")),
            None => {
                let action = |&(steering_deg, speed_mps): &(f64, f64)| Action { steering_deg, speed_mps };
                Actions::Discrete(self.actions.iter().map(action).collect())
            }
        };
        Ok(Arc::new(actions))
    }
}

/// A sensor by the name that model metadata gives it; `lidar` is sectors, values per sector and clipping distance (metres).
fn sensor(
    name: &str,
    scene: &Arc<Scene>,
    generation: Generation,
    quality: Quality,
    lidar: (usize, usize, f64),
) -> PyResult<Sensor> {
    let nose_up_rad = generation.nose_up_rad();
    let lidar_as = |encoding| Sensor::Lidar { lidar: Arc::new(Lidar::new(nose_up_rad)), encoding };
    Ok(match name {
        "FRONT_FACING_CAMERA" | "LEFT_CAMERA" | "observation" => {
            let camera = Camera::front(nose_up_rad).observation(scene, quality);
            Sensor::Camera { camera: Arc::new(camera), pixels: Pixels::Rgb }
        }
        "STEREO_CAMERAS" => Sensor::StereoCameras {
            cameras: Camera::stereo(nose_up_rad).map(|camera| Arc::new(camera.observation(scene, quality))),
        },
        "LIDAR" => lidar_as(LidarEncoding::Raw),
        "SECTOR_LIDAR" => lidar_as(LidarEncoding::NEAR_SECTORS),
        "DISCRETIZED_SECTOR_LIDAR" => {
            let (num_sectors, num_values, clipping_dist_m) = lidar;
            lidar_as(LidarEncoding::Sectors { num_sectors, num_values, clipping_dist_m })
        }
        other => return Err(PyValueError::new_err(format!("there is no sensor {other}"))),
    })
}
