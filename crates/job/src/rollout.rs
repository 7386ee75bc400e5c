//! Driving episodes: many at once, recorded as if each worker had driven its own one after the other.
//!
//! All episodes of a round run side by side in one [`Batch`]. Reward functions may keep state from call to call and
//! from episode to episode, so their calls are put back in order: a worker's function sees episode after episode,
//! step after step, however the batch interleaved them. The calls run on the calling thread while the other threads
//! draw the next frames.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use deepracer_policy::{Choice, ClippedPpo, Phase, RandomStream};
use deepracer_race::{
    Action, Batch, EpisodeStatus, LapResult, ObjectParams, Race, RewardParams, Scenario, Start, Step, View,
};
use deepracer_settings::model_metadata::{ActionSpace, DiscreteAction, Range};
use deepracer_vehicle::CONTROL_PERIOD_S;

use crate::reward::{RewardError, RewardFunction, RewardTime};
use crate::stop::StopFlag;

/// One worker: its world, its reward function, its simulated clock.
pub struct Worker {
    /// Number of the worker, from 0.
    pub index: usize,
    /// What it races.
    pub scenario: Arc<Scenario>,
    /// How its races are seen.
    pub view: View,
    /// Judges its steps.
    pub reward: Box<dyn RewardFunction>,
    /// Simulated seconds so far.
    pub clock_s: f64,
    /// Time spent in the reward function.
    pub reward_time: RewardTime,
}

impl Worker {
    /// The clock goes on to the next episode.
    pub(crate) fn end_episode(&mut self, episode: &Episode) {
        // The next frame is awaited before the next episode begins.
        self.clock_s = episode.start_s + episode.elapsed_s() + CONTROL_PERIOD_S;
    }
}

/// An episode to be driven.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Position of its worker in the slice of workers.
    pub worker: usize,
    /// Number of the episode in its worker's trace.
    pub number: u64,
    /// Where it begins.
    pub start: Start,
}

/// One step of an episode, as traces show it.
#[derive(Clone, Debug)]
pub struct Row {
    /// What happened; without the objects once the reward function has been asked.
    pub step: Step,
    /// What was asked for.
    pub action: Action,
    /// What the policy chose.
    pub choice: Choice,
    /// What it was worth; 0 while preparing or pausing.
    pub reward: f64,
    /// Simulated time of the worker at the end of the step, seconds.
    pub time_s: f64,
    /// Unix time, seconds.
    pub wall_clock_s: f64,
}

/// A driven episode.
#[derive(Clone, Debug)]
pub struct Episode {
    /// The plan it followed.
    pub plan: Plan,
    /// Simulated time of the worker when it began, seconds.
    pub start_s: f64,
    /// Its steps.
    pub rows: Vec<Row>,
    /// What the policy saw before each step, `[steps, observation_bytes]`; empty when it was not kept.
    pub observations: Vec<u8>,
    /// What the policy answered, `[steps, outputs]`; empty when it was not kept.
    pub outputs: Vec<f32>,
    /// Laps, finished and broken off.
    pub laps: Vec<LapResult>,
    /// What the reward function printed, with the row at which it did.
    pub printed: Vec<(usize, String)>,
    /// How many rows have their reward.
    num_judged: usize,
    finished: bool,
    keeps_experience: bool,
}

impl Episode {
    pub(crate) fn new(plan: Plan) -> Self {
        Self {
            plan,
            start_s: 0.0,
            rows: Vec::new(),
            observations: Vec::new(),
            outputs: Vec::new(),
            laps: Vec::new(),
            printed: Vec::new(),
            num_judged: 0,
            finished: false,
            keeps_experience: true,
        }
    }

    /// Sum of the rewards.
    pub fn total_reward(&self) -> f64 {
        self.rows.iter().map(|row| row.reward).sum()
    }

    /// Percent of the lap reached by the last step.
    pub fn progress(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.step.params.progress)
    }

    /// How it ended.
    pub fn status(&self) -> EpisodeStatus {
        self.rows.last().map_or(EpisodeStatus::Prepare, |row| row.step.status)
    }

    /// Simulated seconds it took.
    pub fn elapsed_s(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.step.time_s)
    }
}

/// Why a round of driving broke off.
#[derive(Debug, thiserror::Error)]
pub enum RolloutError {
    /// A reward function failed.
    #[error("worker {worker}, episode {episode}, step {step}: {source}\n  parameters: {}", params.in_words())]
    Reward {
        /// Whose.
        worker: usize,
        /// In which episode.
        episode: u64,
        /// At which step.
        step: u32,
        /// What it saw.
        params: Box<RewardParams>,
        /// What went wrong.
        source: RewardError,
    },
    /// Somebody asked the run to stop.
    #[error("stopped")]
    Stopped,
}

/// How far a round is.
#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    /// Episodes of the round that have ended.
    pub num_finished: usize,
    /// Episodes of the round.
    pub num_episodes: usize,
    /// Steps driven in the round.
    pub num_steps: u64,
}

/// How a round is driven.
pub struct Mode<'a> {
    /// Explore, or drive as well as the policy can.
    pub phase: Phase,
    /// Steps, over all episodes, of which observations and outputs are kept for learning. Episodes that run on when they no
    /// longer fit lose what was kept of them, the last ones first.
    pub max_experience: usize,
    /// Seed of the run; with worker and episode it fixes every random number.
    pub seed: u64,
    /// Environment steps before this round, for exploration schedules.
    pub num_steps_before: u64,
    /// The actions a choice stands for.
    pub actions: &'a ActionSpace,
    /// Asked at every step.
    pub stop: &'a StopFlag,
}

impl Mode<'_> {
    /// The random numbers of the policy in an episode, whatever else is driven.
    fn random_of(&self, workers: &[Worker], plan: &Plan) -> RandomStream {
        RandomStream::new(self.seed, &self.name_of(workers, plan))
    }

    /// What fixes all chance in the world of an episode.
    fn episode_seed(&self, workers: &[Worker], plan: &Plan) -> u64 {
        RandomStream::new(self.seed, &format!("world of {}", self.name_of(workers, plan))).bits()
    }

    fn name_of(&self, workers: &[Worker], plan: &Plan) -> String {
        let phase = if self.phase == Phase::Train { "train" } else { "evaluate" };
        format!("{phase} worker {} episode {}", workers[plan.worker].index, plan.number)
    }
}

/// Drives all `plans` and returns the episodes in their order. Plans of one worker must stand in the order in which
/// the worker is to see them.
///
/// # Errors
/// A reward function failed, or somebody asked to stop.
pub fn drive(
    workers: &mut [Worker],
    plans: &[Plan],
    policy: &mut ClippedPpo,
    mode: &Mode<'_>,
    pulse: &mut dyn FnMut(Pulse),
) -> Result<Vec<Episode>, RolloutError> {
    let races = plans
        .iter()
        .map(|plan| (Race::new(workers[plan.worker].scenario.clone()), workers[plan.worker].view.clone()))
        .collect();
    let mut batch = Batch::new(races);
    let mut randoms: Vec<RandomStream> = plans.iter().map(|plan| mode.random_of(workers, plan)).collect();
    let mut episodes: Vec<Episode> = plans.iter().map(|plan| Episode::new(*plan)).collect();
    let mut order = Order::new(workers, plans);
    for (index, plan) in plans.iter().enumerate() {
        batch.reset(index, plan.start, mode.episode_seed(workers, plan));
    }

    let observation_bytes = batch.observation_bytes();
    let mut observations = vec![0; plans.len() * observation_bytes];
    let mut outputs = Vec::new();
    let mut actions = vec![Action::default(); plans.len()];
    let mut steps = vec![Step::default(); plans.len()];
    let mut num_steps = 0;
    let mut num_finished = 0;
    batch.observe(&mut observations);
    while batch.num_active() > 0 {
        if mode.stop.is_requested() {
            return Err(RolloutError::Stopped);
        }
        limit_experience(&mut episodes, mode.max_experience);
        let num_active = batch.num_active();
        policy.forward(&observations[..num_active * observation_bytes], num_active, &mut outputs);
        let num_outputs = outputs.len() / num_active;
        let wall_clock_s = unix_time_s();
        let mut row = 0;
        for (index, episode) in episodes.iter_mut().enumerate() {
            if !batch.is_active(index) {
                continue;
            }
            let output = &outputs[row * num_outputs..][..num_outputs];
            let choice = policy.choose(output, mode.phase, &mut randoms[index], mode.num_steps_before + num_steps);
            let action = to_action(mode.actions, &choice);
            actions[row] = action;
            if episode.keeps_experience {
                episode.observations.extend_from_slice(&observations[row * observation_bytes..][..observation_bytes]);
                episode.outputs.extend_from_slice(output);
            }
            episode.rows.push(Row { step: Step::default(), action, choice, reward: 0.0, time_s: 0.0, wall_clock_s });
            row += 1;
            num_steps += 1;
        }
        batch.advance(&actions, &mut steps);
        let mut row = 0;
        for (index, episode) in episodes.iter_mut().enumerate() {
            if !batch.is_active(index) {
                continue;
            }
            let step = std::mem::take(&mut steps[row]);
            steps[row].params.objects = order.spare.pop().unwrap_or_default();
            episode.laps.extend(step.lap);
            if step.done {
                episode.finished = true;
                num_finished += 1;
                batch.deactivate(index);
            }
            if let Some(last) = episode.rows.last_mut() {
                last.step = step;
            }
            row += 1;
        }
        // The user's code runs here, on this thread, while the pool draws.
        let judged = rayon::in_place_scope(|scope| {
            scope.spawn(|_| batch.observe(&mut observations));
            order.judge(workers, &mut episodes)
        });
        judged?;
        pulse(Pulse { num_finished, num_episodes: plans.len(), num_steps });
    }
    order.judge(workers, &mut episodes)?;
    Ok(episodes)
}

/// Makes room for one more step of every running episode: those that would not fit give up their experience.
fn limit_experience(episodes: &mut [Episode], max_steps: usize) {
    let finished = episodes.iter().filter(|episode| episode.finished && episode.keeps_experience);
    let mut num_kept: usize = finished.map(|episode| episode.rows.len()).sum();
    for episode in episodes.iter_mut().filter(|episode| !episode.finished && episode.keeps_experience) {
        let num_steps = episode.rows.len() + 1;
        if num_kept + num_steps <= max_steps {
            num_kept += num_steps;
        } else {
            episode.keeps_experience = false;
            episode.observations = Vec::new();
            episode.outputs = Vec::new();
        }
    }
}

/// What a choice means on the road.
pub fn to_action(space: &ActionSpace, choice: &Choice) -> Action {
    match (space, choice) {
        (ActionSpace::Discrete(actions), Choice::Index(index)) => {
            let DiscreteAction { steering_deg, speed_mps } = actions[*index];
            Action { steering_deg, speed_mps }
        }
        (ActionSpace::Continuous { steering_deg, speed_mps }, Choice::Vector(values)) => Action {
            steering_deg: from_agent_units(steering_deg, values[0]),
            speed_mps: from_agent_units(speed_mps, values[1]),
        },
        _ => unreachable!("the policy is built for this action space"),
    }
}

/// Maps −1…1 onto a range; what lies beyond is clipped.
fn from_agent_units(range: &Range, value: f32) -> f64 {
    let share = (f64::from(value).clamp(-1.0, 1.0) + 1.0) * 0.5;
    range.low + share * (range.high - range.low)
}

/// Seconds since 1970.
pub(crate) fn unix_time_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// The order in which workers see their episodes.
struct Order {
    /// Per worker: indices of its episodes, and how many of them are settled.
    queues: Vec<(Vec<usize>, usize)>,
    /// Lists of objects that their rows need no longer, for the next steps.
    spare: Vec<ObjectParams>,
}

impl Order {
    fn new(workers: &[Worker], plans: &[Plan]) -> Self {
        let mut queues = vec![(Vec::new(), 0); workers.len()];
        for (index, plan) in plans.iter().enumerate() {
            queues[plan.worker].0.push(index);
        }
        Self { queues, spare: Vec::new() }
    }

    /// Calls the reward functions for every step whose turn has come.
    fn judge(&mut self, workers: &mut [Worker], episodes: &mut [Episode]) -> Result<(), RolloutError> {
        for (worker, (queue, num_settled)) in workers.iter_mut().zip(&mut self.queues) {
            while let Some(&index) = queue.get(*num_settled) {
                let episode = &mut episodes[index];
                if episode.num_judged == 0 {
                    episode.start_s = worker.clock_s;
                }
                judge_episode(worker, episode, &mut self.spare)?;
                if !episode.finished {
                    break;
                }
                worker.end_episode(episode);
                *num_settled += 1;
            }
        }
        Ok(())
    }
}

/// Calls the reward function for every row that has no reward yet. The lists of objects go to `spare`.
pub(crate) fn judge_episode(
    worker: &mut Worker,
    episode: &mut Episode,
    spare: &mut Vec<ObjectParams>,
) -> Result<(), RolloutError> {
    let track = worker.scenario.track(episode.plan.start.direction).clone();
    let begun = Instant::now();
    let mut num_calls = 0;
    while let Some(row) = episode.rows.get_mut(episode.num_judged) {
        row.time_s = episode.start_s + row.step.time_s;
        row.step.params.sim_time = row.time_s;
        if row.step.is_rewarded {
            row.reward = worker.reward.call(&row.step.params, &track).map_err(|source| RolloutError::Reward {
                worker: worker.index,
                episode: episode.plan.number,
                step: row.step.params.steps as u32,
                params: Box::new(row.step.params.clone()),
                source,
            })?;
            num_calls += 1;
            let printed = worker.reward.take_output();
            if !printed.is_empty() {
                episode.printed.push((episode.num_judged, printed));
            }
        }
        // Only the reward function asks for the objects.
        let objects = std::mem::take(&mut row.step.params.objects);
        if !objects.location.is_empty() {
            spare.push(objects);
        }
        episode.num_judged += 1;
    }
    if num_calls > 0 {
        worker.reward_time.spent += begun.elapsed();
        worker.reward_time.num_calls += num_calls;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_track::Direction;

    /// Episodes of these many steps with a byte of experience each; those in `running` go on.
    fn episodes(num_steps: &[usize], running: &[usize]) -> Vec<Episode> {
        let of_length = |(index, &num_steps): (usize, &usize)| {
            let start = Start { ndist: 0.0, direction: Direction::Forward };
            let mut episode = Episode::new(Plan { worker: 0, number: index as u64, start });
            let row = Row {
                step: Step::default(),
                action: Action::default(),
                choice: Choice::Index(0),
                reward: 0.0,
                time_s: 0.0,
                wall_clock_s: 0.0,
            };
            episode.rows = vec![row; num_steps];
            episode.observations = vec![0; num_steps];
            episode.finished = !running.contains(&index);
            episode
        };
        num_steps.iter().enumerate().map(of_length).collect()
    }

    fn kept(episodes: &[Episode]) -> Vec<usize> {
        episodes.iter().map(|episode| episode.observations.len()).collect()
    }

    #[test]
    fn experience_stays_below_its_limit_and_finished_episodes_keep_theirs() {
        let mut driven = episodes(&[4, 7, 7, 3, 7], &[1, 2, 4]);
        limit_experience(&mut driven, 31);
        assert_eq!(kept(&driven), [4, 7, 7, 3, 7], "31 with the next step");
        limit_experience(&mut driven, 30);
        assert_eq!(kept(&driven), [4, 7, 7, 3, 0], "the last one gives way");
        limit_experience(&mut driven, 31);
        assert!(!driven[4].keeps_experience, "what is lost stays lost");
        limit_experience(&mut driven, 7);
        assert_eq!(kept(&driven), [4, 0, 0, 3, 0]);
    }
}
