//! One race of a simulator: its actions, its episodes, its latest step.

use std::sync::Arc;

use deepracer_policy::RandomStream;
use deepracer_race::{
    Action, EpisodeStatus, ObjectRules, ObjectsError, ObstacleKind, ObstacleRule, Places, Scenario, Start, Step, View,
};
use deepracer_track::{Direction, Track};
use deepracer_vehicle::{CONTROL_PERIOD_S, Vehicle};
use deepracer_world::{Body, BoxKind};

use super::spectators::Follower;
use super::worlds::Baked;

/// What the numbers of an action mean.
pub(super) enum Actions {
    /// A list; the action is an index into it.
    Discrete(Vec<Action>),
    /// Two numbers from −1 to 1, spread over these ranges.
    Continuous {
        /// Low and high, degrees.
        steering_deg: (f64, f64),
        /// Low and high, m/s.
        speed_mps: (f64, f64),
    },
}

impl Actions {
    /// The action of an index; `None` when there is none or the space is continuous.
    pub(super) fn at(&self, index: i64) -> Option<Action> {
        match self {
            Self::Discrete(actions) => actions.get(usize::try_from(index).ok()?).copied(),
            Self::Continuous { .. } => None,
        }
    }

    /// The action of two numbers from −1 to 1; `None` when they lie outside or the space is discrete.
    pub(super) fn of(&self, [steering, speed]: [f64; 2]) -> Option<Action> {
        match self {
            Self::Continuous { steering_deg, speed_mps } if within_one(steering) && within_one(speed) => {
                Some(Action { steering_deg: spread(*steering_deg, steering), speed_mps: spread(*speed_mps, speed) })
            }
            _ => None,
        }
    }
}

fn within_one(value: f64) -> bool {
    (-1.0..=1.0).contains(&value)
}

fn spread((low, high): (f64, f64), value: f64) -> f64 {
    low + (value + 1.0) * 0.5 * (high - low)
}

/// How start positions follow each other.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Starts {
    /// As the scenario's start rule says.
    ByRule,
    /// Anywhere on the track, evenly.
    Anywhere,
}

/// A wish for the start of one episode; what is left open follows the rule.
#[derive(Clone, Copy, Default)]
pub(super) struct Wish {
    /// Fraction of the track from waypoint 0 of the driven direction, 0 up to 1.
    pub(super) ndist: Option<f64>,
    /// Anywhere instead.
    pub(super) anywhere: bool,
    /// Against the waypoints.
    pub(super) reversed: Option<bool>,
}

/// One race of a simulator, apart from what the batch holds.
pub(super) struct Entrant {
    pub(super) scenario: Arc<Scenario>,
    pub(super) actions: Arc<Actions>,
    starts: Starts,
    /// An episode has at most this many steps, the motionless first one included.
    max_steps: f64,
    seed: u64,
    /// Number of the next episode since the seed was set.
    next_episode: u64,
    /// Simulated seconds of the episodes before this one.
    clock_s: f64,
    /// Which way the running episode drives.
    pub(super) direction: Direction,
    /// The latest step.
    pub(super) step: Step,
    /// A step may be taken: an episode runs.
    pub(super) is_running: bool,
    /// How it is seen, and what its car looks like from outside.
    view: View,
    car: Body,
    /// The camera that follows the car, where somebody watches.
    follower: Option<Follower>,
    /// What is on the road by rule, and what obstacles of a single episode are.
    objects: ObjectRules,
    obstacle_kind: ObstacleKind,
    /// The scenario of the running episode is one of its own.
    has_own_obstacles: bool,
    /// Keeps the world on the shelf.
    _world: Arc<Baked>,
}

impl Entrant {
    pub(super) fn new(
        scenario: Arc<Scenario>,
        world: Arc<Baked>,
        actions: Arc<Actions>,
        starts: Starts,
        time_limit_s: Option<f64>,
        (view, car): (View, Body),
    ) -> Self {
        let max_steps =
            time_limit_s.map_or(f64::INFINITY, |limit_s| (limit_s / CONTROL_PERIOD_S - 1e-6).ceil().max(2.0));
        Self {
            scenario,
            actions,
            starts,
            max_steps,
            seed: 0,
            next_episode: 0,
            clock_s: 0.0,
            direction: Direction::Forward,
            step: Step::default(),
            is_running: false,
            view,
            car,
            follower: None,
            objects: ObjectRules::default(),
            obstacle_kind: ObstacleKind::Box(BoxKind::Plain),
            has_own_obstacles: false,
            _world: world,
        }
    }

    /// What its scenario has on the road, and what obstacles of single episodes are.
    pub(super) fn with_obstacles(self, objects: ObjectRules, obstacle_kind: ObstacleKind) -> Self {
        Self { objects, obstacle_kind, ..self }
    }

    /// Prepares the scenario of the next episode: with obstacles at these places alone, or those of the rule. Returns it
    /// when it is another one than before.
    ///
    /// # Errors
    /// A place is out of range.
    pub(super) fn choose_obstacles(&mut self, places: Option<Places>) -> Result<Option<Arc<Scenario>>, ObjectsError> {
        if places.is_none() && !self.has_own_obstacles {
            return Ok(None);
        }
        self.has_own_obstacles = places.is_some();
        let obstacles = match places {
            None => self.objects.obstacles.clone(),
            Some(places) if places.is_empty() => None,
            Some(places) => Some(ObstacleRule { places, kind: self.obstacle_kind }),
        };
        let rules = ObjectRules { obstacles, ..self.objects.clone() };
        self.scenario = Arc::new(Scenario::clone(&self.scenario).with_objects(rules)?);
        Ok(Some(self.scenario.clone()))
    }

    /// Everything by chance from here on follows from `seed`, as in a new race.
    pub(super) fn seed(&mut self, seed: u64) {
        self.seed = seed;
        self.next_episode = 0;
        self.clock_s = 0.0;
        self.step = Step::default();
        self.is_running = false;
    }

    /// Start and seed of the next episode.
    pub(super) fn next_start(&mut self, wish: Wish) -> (Start, u64) {
        // The next picture is awaited before the next episode begins.
        self.clock_s += if self.step.time_s > 0.0 { self.step.time_s + CONTROL_PERIOD_S } else { 0.0 };
        let mut chance = RandomStream::new(self.seed, &format!("episode {}", self.next_episode));
        let (anywhere, world_seed) = (chance.uniform(), chance.bits());
        let mut start = self.scenario.start_of_episode(self.next_episode);
        if wish.anywhere || self.starts == Starts::Anywhere {
            start.ndist = anywhere;
        }
        if let Some(ndist) = wish.ndist {
            start.ndist = ndist;
        }
        if let Some(reversed) = wish.reversed {
            start.direction = if reversed { Direction::Reversed } else { Direction::Forward };
        }
        self.next_episode += 1;
        self.direction = start.direction;
        self.is_running = true;
        (start, world_seed)
    }

    /// Completes a step of the race with what holds only here: the clock and the end of time.
    /// The step of before is left in `step`, for its memory.
    pub(super) fn note(&mut self, step: &mut Step) {
        step.params.sim_time = self.clock_s + step.time_s;
        let is_late = step.params.steps >= self.max_steps && !step.done;
        let ended_unjudged = step.done && !is_ending(step.status);
        if is_late || ended_unjudged {
            step.status = EpisodeStatus::TimeUp;
            step.done = true;
        }
        self.is_running = !step.done;
        std::mem::swap(&mut self.step, step);
    }

    /// Lets a camera follow the car from now on.
    pub(super) fn watch(&mut self, vehicle: &Vehicle) {
        self.follower = Some(Follower::behind(vehicle));
    }

    /// Lets the camera that follows the car, if there is one, see a control step.
    pub(super) fn show(&mut self, vehicle: &Vehicle) {
        if let Some(follower) = &mut self.follower {
            // Steps count from 1: the first one of an episode follows a car that was just put down.
            if self.step.params.steps <= 1.0 {
                *follower = Follower::behind(vehicle);
            } else {
                follower.follow(vehicle);
            }
        }
    }

    /// The camera that follows the car.
    pub(super) fn follower(&self) -> Option<&Follower> {
        self.follower.as_ref()
    }

    /// How the race is seen.
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    /// What the car looks like, at no place in particular.
    pub(super) fn car(&self) -> &Body {
        &self.car
    }

    /// The track in the direction of the running episode.
    pub(super) fn track(&self) -> &Arc<Track> {
        self.scenario.track(self.direction)
    }

    /// The episode ended as the task says: a lap, or a mishap.
    pub(super) fn is_terminated(&self) -> bool {
        use EpisodeStatus::{Crashed, LapComplete, OffTrack, Reversed};
        self.step.done && matches!(self.step.status, LapComplete | Crashed | OffTrack | Reversed)
    }

    /// The episode was broken off: the car stood still, or the time was up.
    pub(super) fn is_truncated(&self) -> bool {
        self.step.done && !self.is_terminated()
    }
}

/// The states that `episode_status` ever shows.
pub(super) fn is_ending(status: EpisodeStatus) -> bool {
    use EpisodeStatus::{Crashed, Immobilized, LapComplete, OffTrack, Reversed, TimeUp};
    matches!(status, LapComplete | Crashed | OffTrack | Immobilized | Reversed | TimeUp)
}
