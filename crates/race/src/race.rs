//! One running race.

use std::sync::Arc;

use deepracer_track::{Direction, Track};
use deepracer_vehicle::{CONTROL_PERIOD_S, Command, Vehicle};
use deepracer_world::{Body, BodyShape, CarColour};
use glam::DVec2;

use crate::progress::Progress;
use crate::reward_params::{self, RewardParams};
use crate::rules::{MAX_EPISODE_STEPS, Observed, Referee};
use crate::scenario::Scenario;
use crate::start::{Start, free_pose, opposite_lane, reset_pose, start_pose_among};
use crate::status::EpisodeStatus;
use crate::traffic::{Rival, Traffic};

/// What an agent asks for, before the car's own limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Action {
    /// Degrees, positive to the left.
    pub steering_deg: f64,
    /// Metres per second.
    pub speed_mps: f64,
}

/// Phase of an episode. Only `Run` drives and is rewarded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Prepare,
    Run,
    /// Waiting at a pose; holds the seconds left.
    Pause {
        left_s: f64,
    },
}

/// Whom the car has run into.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crash {
    Obstacle,
    Car,
}

/// What one control step brought.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What the reward function sees. Also the trace's x, y, yaw, progress, steps.
    pub params: RewardParams,
    /// Whether the reward function is called for this step (not while preparing or pausing: reward 0).
    pub is_rewarded: bool,
    /// The judgement.
    pub status: EpisodeStatus,
    /// The episode is over.
    pub done: bool,
    /// Seconds of penalty still to wait.
    pub pause_s: f64,
    /// Simulated seconds since the episode's start, at the end of this step.
    pub time_s: f64,
    /// The nearer of the two closest waypoints.
    pub closest_waypoint: usize,
    /// Crashes with obstacles in this episode so far.
    pub num_obstacle_crashes: u32,
    /// A lap that ended with this step: completed, or broken off by the end of the episode.
    pub lap: Option<LapResult>,
}

/// One lap of an episode, as evaluation metrics report it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LapResult {
    /// Seconds from the episode's start to the lap's start.
    pub start_s: f64,
    /// Seconds from the episode's start to the lap's end. A lap's time includes the prepare step and every penalty.
    pub end_s: f64,
    /// Percent reached.
    pub progress: f64,
    /// Lap complete, or what ended it.
    pub status: EpisodeStatus,
    /// Forgiven and fatal crashes of this lap.
    pub num_crashes: u32,
    /// Times the car left the road.
    pub num_off_tracks: u32,
    /// Times the car stood still.
    pub num_immobilized: u32,
    /// Times the car drove backwards.
    pub num_reversed: u32,
}

impl LapResult {
    fn begin(start_s: f64) -> Self {
        Self {
            start_s,
            end_s: start_s,
            progress: 0.0,
            status: EpisodeStatus::InProgress,
            num_crashes: 0,
            num_off_tracks: 0,
            num_immobilized: 0,
            num_reversed: 0,
        }
    }

    fn count(&mut self, status: EpisodeStatus) {
        match status {
            EpisodeStatus::Crashed => self.num_crashes += 1,
            EpisodeStatus::OffTrack => self.num_off_tracks += 1,
            EpisodeStatus::Immobilized => self.num_immobilized += 1,
            EpisodeStatus::Reversed => self.num_reversed += 1,
            _ => {}
        }
    }

    fn end(mut self, end_s: f64, progress: f64, status: EpisodeStatus) -> Self {
        self.end_s = end_s;
        self.progress = progress;
        self.status = status;
        self
    }

    /// Mishaps of this lap.
    pub fn num_resets(&self) -> u32 {
        self.num_crashes + self.num_off_tracks + self.num_immobilized + self.num_reversed
    }

    /// Seconds the lap took.
    pub fn elapsed_s(&self) -> f64 {
        self.end_s - self.start_s
    }
}

/// A car on a track, among objects. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Race {
    scenario: Arc<Scenario>,
    direction: Direction,
    vehicle: Vehicle,
    phase: Phase,
    progress: Progress,
    referee: Referee,
    num_steps: u32,
    num_laps: u32,
    num_resets: u32,
    lap: LapResult,
    last_origin: DVec2,
    seed: u64,
    /// When the car last heard a command, and which.
    heard: Option<(u32, Command)>,
    traffic: Traffic,
    num_obstacle_crashes: u32,
    /// The obstacle that was in the way at the last reset, and at how many in a row.
    blocked: Option<(usize, u32)>,
}

impl Race {
    /// A race at its start line; [`reset`](Self::reset) begins an episode.
    pub fn new(scenario: Arc<Scenario>) -> Self {
        let vehicle = Vehicle::new(scenario.generation);
        let start = scenario.start_of_episode(0);
        let traffic = Traffic::new(&scenario.objects);
        let mut race = Self {
            scenario,
            direction: start.direction,
            vehicle,
            phase: Phase::Prepare,
            progress: Progress::new(0.0),
            referee: Referee::default(),
            num_steps: 0,
            num_laps: 0,
            num_resets: 0,
            lap: LapResult::begin(0.0),
            last_origin: DVec2::ZERO,
            seed: 0,
            heard: None,
            traffic,
            num_obstacle_crashes: 0,
            blocked: None,
        };
        race.reset(start, 0);
        race
    }

    /// Races something else from the next [`reset`](Self::reset) on.
    pub fn enter(&mut self, scenario: Arc<Scenario>) {
        if scenario.generation != self.scenario.generation {
            self.vehicle = Vehicle::new(scenario.generation);
        }
        self.traffic = Traffic::new(&scenario.objects);
        self.scenario = scenario;
    }

    /// Begins an episode: the car stands at its start, everything is forgotten. `seed` fixes all chance in the episode.
    pub fn reset(&mut self, start: Start, seed: u64) {
        self.seed = seed;
        self.heard = None;
        self.vehicle.set_handling(self.scenario.sim_to_real.handling(seed));
        self.direction = start.direction;
        // Objects first: the car keeps clear of them.
        let track = self.scenario.track(start.direction).clone();
        self.traffic.reset(&self.scenario.objects, &track, seed);
        self.num_obstacle_crashes = 0;
        self.blocked = None;
        let pose = match self.scenario.grid {
            Some(place) => place.pose(&track, start.ndist),
            None => start_pose_among(&track, start.ndist, &self.traffic),
        };
        self.vehicle.place(pose.position, pose.yaw_rad);
        self.phase = if self.scenario.prepare_step { Phase::Prepare } else { Phase::Run };
        self.progress = Progress::new(start.ndist);
        self.referee.clear();
        self.num_steps = 0;
        self.num_laps = 0;
        self.num_resets = 0;
        self.lap = LapResult::begin(0.0);
        self.last_origin = pose.position;
    }

    /// One control step of 1/15 s, in the original's order: bot cars move, the state is read and the reward parameters
    /// are built from the pose *before* the action acts, then the car drives, then the rules judge the pose that was
    /// read.
    pub fn step(&mut self, action: Action) -> Step {
        let mut step = Step::default();
        self.step_into(action, &mut step);
        step
    }

    /// Like [`step`](Self::step), into a buffer: nothing is allocated once its lists have held the objects.
    pub fn step_into(&mut self, action: Action, step: &mut Step) {
        self.num_steps += 1;
        let time_s = f64::from(self.num_steps) * CONTROL_PERIOD_S;
        let track = self.scenario.track(self.direction);
        self.traffic.advance(track);
        let mut placed = reward_params::place(track, &self.vehicle, action);
        let mut objects = std::mem::take(&mut step.params.objects);
        self.traffic.describe(track, &self.vehicle, placed.params.projection_distance, &mut objects);
        placed.params.objects = objects;
        let progress = self.progress.advance(placed.ndist);
        placed.params.progress = progress;
        placed.params.steps = f64::from(self.num_steps);
        let origin = self.vehicle.origin();
        let moved_m = origin.distance(self.last_origin);
        let is_rewarded = self.phase == Phase::Run;
        let touched = if is_rewarded { self.traffic.touched(&self.vehicle) } else { None };
        let crash = touched.and_then(|object| self.crash_with(object, placed.params.projection_distance));
        if is_rewarded {
            let command = Command::from_request(action.steering_deg, action.speed_mps);
            let sim_to_real = &self.scenario.sim_to_real;
            let command = sim_to_real.heard(&mut self.heard, self.num_steps, command);
            self.vehicle.set_lateness_s(sim_to_real.lateness_s(self.seed, self.num_steps));
            self.traffic.drive(&mut self.vehicle, command);
        }
        *step = Step {
            is_rewarded,
            time_s,
            closest_waypoint: placed.nearest_waypoint,
            params: placed.params,
            ..Step::default()
        };
        match self.phase {
            Phase::Prepare => {
                step.status = EpisodeStatus::Prepare;
                self.phase = Phase::Run;
            }
            Phase::Pause { left_s } => {
                step.status = EpisodeStatus::Pause;
                let left_s = left_s - CONTROL_PERIOD_S;
                step.pause_s = left_s.max(0.0);
                self.phase = if left_s <= 1e-9 { Phase::Run } else { Phase::Pause { left_s } };
                self.referee.clear();
            }
            Phase::Run => {
                let seen = Observed {
                    progress,
                    previous_progress: self.progress.previous_percent(),
                    moved_m,
                    off_track: step.params.is_offtrack,
                    crashed: crash.is_some(),
                };
                let status = self.referee.judge(&self.scenario.rules, &seen);
                self.apply(status, crash, step);
            }
        }
        step.num_obstacle_crashes = self.num_obstacle_crashes;
        if self.num_steps >= MAX_EPISODE_STEPS && !step.done {
            step.done = true;
            // A lap that was completed with this very step stays the last one.
            step.lap.get_or_insert(self.lap.end(time_s, progress, step.status));
        }
        self.last_origin = origin;
    }

    /// What the car is to blame for when it stands in an object: an obstacle always, another car when that is ahead.
    /// Otherwise the other one has run into it, and waits.
    fn crash_with(&mut self, object: usize, distance_m: f64) -> Option<Crash> {
        if self.traffic.is_obstacle(object) {
            return Some(Crash::Obstacle);
        }
        if self.traffic.lead_m(self.track(), object, distance_m) > 0.0 {
            return Some(Crash::Car);
        }
        if self.traffic.is_bot(object) {
            self.traffic.hold_up_bots();
        }
        None
    }

    /// Acts on the referee's word: a lap, a forgiven mishap, or the end.
    fn apply(&mut self, status: EpisodeStatus, crash: Option<Crash>, step: &mut Step) {
        step.status = status;
        let progress = step.params.progress;
        match status {
            EpisodeStatus::InProgress => {}
            EpisodeStatus::LapComplete => {
                self.num_laps += 1;
                step.lap = Some(self.lap.end(step.time_s, progress, status));
                self.lap = LapResult::begin(step.time_s);
                self.referee.clear();
                step.done = self.num_laps >= self.scenario.rules.num_laps;
                if !step.done {
                    step.status = EpisodeStatus::InProgress; // the original reports only the last lap
                }
            }
            mishap => {
                self.lap.count(mishap);
                let crash = crash.filter(|_| mishap == EpisodeStatus::Crashed);
                step.params.is_crashed = crash.is_some();
                self.num_obstacle_crashes += u32::from(crash == Some(Crash::Obstacle));
                if self.num_resets < self.scenario.rules.num_resets {
                    self.num_resets += 1;
                    let left_s = self.scenario.rules.penalty_s(mishap);
                    step.pause_s = left_s;
                    self.phase = Phase::Pause { left_s };
                    self.referee.clear();
                    self.put_back(crash);
                } else {
                    step.done = true;
                    step.lap = Some(self.lap.end(step.time_s, progress, mishap));
                }
            }
        }
    }

    /// Puts the car back on the road after a mishap; after running into another car it stays where it is. With an
    /// obstacle in the way it is put behind that, on the other lane, and in the end ahead of it when mercy is shown.
    fn put_back(&mut self, crash: Option<Crash>) {
        if crash == Some(Crash::Car) {
            self.vehicle.place(self.vehicle.origin(), self.vehicle.yaw_rad());
            return;
        }
        let track = self.track();
        // A crash is judged where the car is; other mishaps put it back to where it was before.
        let ndist = if crash.is_some() { self.progress.current_ndist() } else { self.progress.previous_ndist() };
        let distance_m = ndist * track.length_m();
        let (pose, blocked) = match self.traffic.in_the_way(track, distance_m, true) {
            None => (reset_pose(track, distance_m, self.last_origin, &self.traffic), None),
            Some(obstacle) => {
                let num_resets = self.blocked.filter(|(last, _)| *last == obstacle).map_or(0, |(_, count)| count) + 1;
                let mercy = self.scenario.rules.mercy.filter(|mercy| num_resets >= mercy.num_resets);
                let obstacle_m = self.traffic.distance_m(obstacle);
                let place_m = match mercy {
                    Some(mercy) => obstacle_m + mercy.ahead_m,
                    None => obstacle_m - self.scenario.rules.reset_behind_m,
                };
                let lane = opposite_lane(track, obstacle, &self.traffic);
                let blocked = if mercy.is_some() { None } else { Some((obstacle, num_resets)) };
                (free_pose(track, place_m, lane, &self.traffic), blocked)
            }
        };
        self.blocked = blocked;
        self.vehicle.place(pose.position, pose.yaw_rad);
    }

    /// The track in the direction of this episode.
    pub fn track(&self) -> &Arc<Track> {
        self.scenario.track(self.direction)
    }

    /// Other models' cars are here now. In a race of several, each car is a race of its own, and all of them are told of
    /// the others after every reset and every step. Reset forgets them.
    pub fn meet(&mut self, rivals: &[Rival]) {
        let track = self.scenario.track(self.direction);
        self.traffic.meet(track, rivals);
    }

    /// This car as the others meet it.
    pub fn as_rival(&self, colour: CarColour) -> Rival {
        let body = Body::new(BodyShape::Car(colour), self.vehicle.origin(), self.vehicle.yaw_rad());
        Rival { body, is_solid: !matches!(self.phase, Phase::Pause { left_s } if left_s > 0.0) }
    }

    /// The lap that is being driven, as far as it is: what is told of it when the race ends without it.
    pub fn lap_so_far(&self) -> LapResult {
        let time_s = f64::from(self.num_steps) * CONTROL_PERIOD_S;
        self.lap.end(time_s, self.progress.percent(), EpisodeStatus::InProgress)
    }

    /// What stands and drives on the track beside the car: other models' cars, obstacles, bot cars, where they are now.
    pub fn bodies(&self) -> &[Body] {
        self.traffic.bodies()
    }

    /// What the reward function would be told of `vehicle` on this track among these objects: the geometry and the
    /// objects; progress, steps, time and the flags of the rules are left at their defaults except `is_offtrack`, which
    /// is geometric. The race itself is not touched.
    pub fn params_of(&self, vehicle: &Vehicle, action: Action) -> RewardParams {
        let mut params = RewardParams::of_pose(self.track(), vehicle, action);
        let mut objects = std::mem::take(&mut params.objects);
        self.traffic.describe(self.track(), vehicle, params.projection_distance, &mut objects);
        RewardParams { objects, ..params }
    }

    /// What fixes all chance in this episode.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The car.
    pub fn vehicle(&self) -> &Vehicle {
        &self.vehicle
    }

    /// What is raced.
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// Steps of this episode so far.
    pub fn num_steps(&self) -> u32 {
        self.num_steps
    }

    /// Laps completed in this episode.
    pub fn num_laps(&self) -> u32 {
        self.num_laps
    }
}
