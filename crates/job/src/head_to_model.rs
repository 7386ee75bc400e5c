//! A race of two models: both drive in one world at the same time, and each sees the other's car.

use deepracer_policy::{ClippedPpo, Phase, RandomStream};
use deepracer_race::{GridPlace, ObjectParams, Race, Start, Step};
use deepracer_sensor::Scratch;
use deepracer_settings::model_metadata::ActionSpace;
use deepracer_world::{CarColour, Shell};

use crate::rollout::{Episode, Plan, RolloutError, Row, Worker, judge_episode, to_action, unix_time_s};
use crate::stop::StopFlag;

/// The colours of the two cars, as in the original.
pub const COLOURS: [CarColour; 2] = [CarColour::Purple, CarColour::Orange];

/// The places of the two cars on the starting grid.
pub fn grid() -> [GridPlace; 2] {
    [0, 1].map(GridPlace::of_car)
}

/// A model in the race.
pub struct Contender {
    /// Its car, its eyes and who judges it.
    pub worker: Worker,
    /// Its policy.
    pub policy: ClippedPpo,
    /// The actions the policy chooses from.
    pub actions: ActionSpace,
    /// The shell the other car sees.
    pub shell: Shell,
}

/// How a race is driven.
pub struct Mode<'a> {
    /// Episodes: each ends as soon as one of the cars has finished, or has no reset left.
    pub num_episodes: u64,
    /// Where all of them start.
    pub start: Start,
    /// Draw actions, or take the most probable ones.
    pub phase: Phase,
    /// Fixes all chance.
    pub seed: u64,
    /// Asked at every step.
    pub stop: &'a StopFlag,
}

/// Drives the race and returns the episodes of each car.
///
/// # Errors
/// A reward function failed, or somebody asked to stop.
pub fn drive(mut contenders: [&mut Contender; 2], mode: &Mode<'_>) -> Result<[Vec<Episode>; 2], RolloutError> {
    let mut all = [Vec::new(), Vec::new()];
    let mut seats = contenders.each_ref().map(|contender| Seat::new(contender));
    for number in 0..mode.num_episodes {
        let episodes = drive_episode(&mut contenders, &mut seats, mode, number)?;
        for (all, episode) in all.iter_mut().zip(episodes) {
            all.push(episode);
        }
    }
    Ok(all)
}

/// What a car needs while it drives.
struct Seat {
    race: Race,
    scratch: Scratch,
    observation: Vec<u8>,
    outputs: Vec<f32>,
    spare: Vec<ObjectParams>,
    shell: Shell,
}

impl Seat {
    fn new(contender: &Contender) -> Self {
        Self {
            race: Race::new(contender.worker.scenario.clone()),
            scratch: Scratch::new(),
            observation: vec![0; contender.worker.view.observation_bytes()],
            outputs: Vec::new(),
            spare: Vec::new(),
            shell: contender.shell,
        }
    }
}

fn drive_episode(
    contenders: &mut [&mut Contender; 2],
    seats: &mut [Seat; 2],
    mode: &Mode<'_>,
    number: u64,
) -> Result<[Episode; 2], RolloutError> {
    let random = |of: &str| RandomStream::new(mode.seed, &format!("head to model, {of}, episode {number}"));
    let mut randoms = ["car 0", "car 1"].map(random);
    let seed = random("world").bits();
    let mut episodes = contenders.each_ref().map(|contender| {
        let mut episode = Episode::new(Plan { worker: 0, number, start: mode.start });
        episode.start_s = contender.worker.clock_s;
        episode
    });
    for seat in seats.iter_mut() {
        seat.race.reset(mode.start, seed);
    }
    meet(seats);
    let mut is_over = false;
    while !is_over {
        if mode.stop.is_requested() {
            return Err(RolloutError::Stopped);
        }
        for (index, seat) in seats.iter_mut().enumerate() {
            let Contender { worker, policy, actions, .. } = &mut *contenders[index];
            worker.view.observe(&seat.race, &mut seat.scratch, &mut seat.observation);
            policy.forward(&seat.observation, 1, &mut seat.outputs);
            let choice = policy.choose(&seat.outputs, mode.phase, &mut randoms[index], 0);
            let action = to_action(actions, &choice);
            let mut step = Step::default();
            step.params.objects = seat.spare.pop().unwrap_or_default();
            seat.race.step_into(action, &mut step);
            is_over |= step.done;
            episodes[index].laps.extend(step.lap);
            let wall_clock_s = unix_time_s();
            episodes[index].rows.push(Row { step, action, choice, reward: 0.0, time_s: 0.0, wall_clock_s });
        }
        meet(seats);
        for (index, seat) in seats.iter_mut().enumerate() {
            if is_over {
                break_off(&mut episodes[index], &seat.race);
            }
            judge_episode(&mut contenders[index].worker, &mut episodes[index], &mut seat.spare)?;
        }
    }
    for (contender, episode) in contenders.iter_mut().zip(&episodes) {
        contender.worker.end_episode(episode);
    }
    Ok(episodes)
}

/// Tells each car where the other one is.
fn meet(seats: &mut [Seat; 2]) {
    let rivals = [0, 1].map(|index: usize| {
        let mut rival = seats[index].race.as_rival(COLOURS[index]);
        rival.body.shell = seats[index].shell;
        rival
    });
    seats[0].race.meet(&rivals[1..]);
    seats[1].race.meet(&rivals[..1]);
}

/// The race is over for this car too: the lap it was driving counts as far as it is.
fn break_off(episode: &mut Episode, race: &Race) {
    let Some(last) = episode.rows.last_mut() else { return };
    if !last.step.done {
        last.step.done = true;
        // A lap that was completed with this very step stays the last one.
        if last.step.lap.is_none() {
            last.step.lap = Some(race.lap_so_far());
            episode.laps.extend(last.step.lap);
        }
    }
}
