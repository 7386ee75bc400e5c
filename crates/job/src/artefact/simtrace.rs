//! Step traces: one CSV row of 19 columns per control step.

use std::fmt::Write as _;

use deepracer_bucket::{Bucket, BucketError};
use deepracer_race::EpisodeStatus;

use super::python_text::{push_bool, push_float};

/// The first line of every trace.
pub const HEADER: &str = "episode,steps,X,Y,yaw,steer,throttle,action,reward,done,all_wheels_on_track,progress,\
                          closest_waypoint,track_len,tstamp,episode_status,pause_duration,obstacle_crash_counter,\
                          wall_clock";

/// The action of a step as traces spell it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ActionText {
    /// The position of a discrete action in the action space: `4`.
    Index(usize),
    /// A continuous action: `[12.5 1.4]`, with a blank and no comma, so that it is one CSV field.
    SteeringAndSpeed {
        /// Degrees, left positive.
        steering_deg: f64,
        /// Metres per second.
        speed_mps: f64,
    },
}

/// One control step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepRow {
    /// Episode of this worker from 0, running on through the whole training; in an evaluation the trials completed so
    /// far.
    pub episode: u64,
    /// Step of the episode from 1; the prepare step is the first.
    pub steps: u32,
    /// Front point of the car, metres, world frame.
    pub x: f64,
    /// Front point of the car, metres, world frame.
    pub y: f64,
    /// Heading, degrees.
    pub yaw_deg: f64,
    /// Requested steering, degrees, left positive, unclipped.
    pub steer_deg: f64,
    /// Requested speed, metres per second, unclipped.
    pub throttle_mps: f64,
    /// The chosen action.
    pub action: ActionText,
    /// Reward of the step; 0 while preparing and pausing.
    pub reward: f64,
    /// Whether the episode is over.
    pub done: bool,
    /// Whether all four wheels are on the road.
    pub all_wheels_on_track: bool,
    /// Percent of the lap; exactly 100 for a finished one.
    pub progress: f64,
    /// Index of the nearer of the two waypoints around the car.
    pub closest_waypoint: usize,
    /// Length of the centre line, metres.
    pub track_length_m: f64,
    /// Simulated seconds.
    pub time_s: f64,
    /// What the step was judged to be.
    pub status: EpisodeStatus,
    /// Seconds of penalty still to wait.
    pub pause_s: f64,
    /// Crashes with obstacles so far.
    pub obstacle_crash_counter: u32,
    /// Seconds since 1970.
    pub wall_clock_s: f64,
}

/// Appends an action.
pub(super) fn push_action(text: &mut String, action: ActionText) {
    match action {
        ActionText::Index(index) => {
            // Writing to a string does not fail.
            let _ = write!(text, "{index}");
        }
        ActionText::SteeringAndSpeed { steering_deg, speed_mps } => {
            text.push('[');
            push_float(text, steering_deg);
            text.push(' ');
            push_float(text, speed_mps);
            text.push(']');
        }
    }
}

/// Appends a percentage; a whole lap is `100`, as in the original, where it is the only integer among floats.
pub(super) fn push_progress(text: &mut String, progress: f64) {
    if progress == 100.0 {
        text.push_str("100");
    } else {
        push_float(text, progress);
    }
}

/// The trace of an iteration or an evaluation. It is collected in memory (about 200 bytes a step) and saved as a whole,
/// so that no reader ever finds an empty or half-written file.
#[derive(Debug, Clone)]
pub struct Trace {
    text: String,
    num_steps: usize,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace::new()
    }
}

impl Trace {
    /// A trace without steps.
    pub fn new() -> Trace {
        Trace { text: format!("{HEADER}\n"), num_steps: 0 }
    }

    /// Adds a step. Numbers are written in full precision, as Python prints them.
    pub fn push(&mut self, row: &StepRow) {
        let text = &mut self.text;
        let _ = write!(text, "{},{}.0,", row.episode, row.steps);
        for number in [row.x, row.y, row.yaw_deg, row.steer_deg, row.throttle_mps] {
            push_float(text, number);
            text.push(',');
        }
        push_action(text, row.action);
        text.push(',');
        push_float(text, row.reward);
        text.push(',');
        push_bool(text, row.done);
        text.push(',');
        push_bool(text, row.all_wheels_on_track);
        text.push(',');
        push_progress(text, row.progress);
        let _ = write!(text, ",{},", row.closest_waypoint);
        push_float(text, row.track_length_m);
        text.push(',');
        push_float(text, row.time_s);
        let _ = write!(text, ",{},", row.status.code());
        push_float(text, row.pause_s);
        let _ = write!(text, ",{},", row.obstacle_crash_counter);
        push_float(text, row.wall_clock_s);
        text.push('\n');
        self.num_steps += 1;
    }

    /// How many steps the trace has.
    pub fn num_steps(&self) -> usize {
        self.num_steps
    }

    /// The text of the file so far.
    pub fn csv(&self) -> &str {
        &self.text
    }

    /// Forgets all steps, keeping the memory for the next iteration.
    pub fn clear(&mut self) {
        self.text.truncate(HEADER.len() + 1);
        self.num_steps = 0;
    }

    /// Writes the file. A trace without steps is a header line, which readers accept.
    pub fn save(&self, bucket: &dyn Bucket, key: &str) -> Result<(), BucketError> {
        bucket.put(key, self.text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;

    pub(crate) fn row() -> StepRow {
        StepRow {
            episode: 19,
            steps: 27,
            x: 4.247_974_429_535_994_5,
            y: 1.237_970_484_282_675,
            yaw_deg: 19.669_305_741_733_975,
            steer_deg: 30.0,
            throttle_mps: 2.0,
            action: ActionText::Index(13),
            reward: 0.001,
            done: true,
            all_wheels_on_track: false,
            progress: 11.710_866_164_645_964,
            closest_waypoint: 8,
            track_length_m: 17.709_159_380_834_848,
            time_s: 64.258,
            status: EpisodeStatus::OffTrack,
            pause_s: 0.0,
            obstacle_crash_counter: 0,
            wall_clock_s: 1_700_000_010.25,
        }
    }

    fn line_of(row: &StepRow) -> String {
        let mut trace = Trace::new();
        trace.push(row);
        trace.csv().lines().nth(1).unwrap().to_owned()
    }

    #[test]
    fn the_header_has_the_nineteen_columns() {
        assert_eq!(
            Trace::new().csv(),
            "episode,steps,X,Y,yaw,steer,throttle,action,reward,done,all_wheels_on_track,progress,closest_waypoint,\
             track_len,tstamp,episode_status,pause_duration,obstacle_crash_counter,wall_clock\n"
        );
    }

    #[test]
    fn a_row_of_the_original_is_reproduced() {
        // The last step of a recorded iteration, with the two newer columns added.
        assert_eq!(
            line_of(&row()),
            "19,27.0,4.2479744295359945,1.237970484282675,19.669305741733975,30.0,2.0,13,0.001,True,False,\
             11.710866164645964,8,17.709159380834848,64.258,off_track,0.0,0,1700000010.25"
        );
    }

    #[test]
    fn a_finished_lap_is_exactly_100_and_a_continuous_action_is_one_field() {
        let line = line_of(&StepRow {
            action: ActionText::SteeringAndSpeed { steering_deg: 12.5, speed_mps: 1.4 },
            progress: 100.0,
            status: EpisodeStatus::LapComplete,
            reward: 1e-5,
            pause_s: 2.0,
            obstacle_crash_counter: 3,
            ..row()
        });
        assert_eq!(
            line,
            "19,27.0,4.2479744295359945,1.237970484282675,19.669305741733975,30.0,2.0,[12.5 1.4],1e-05,True,False,\
             100,8,17.709159380834848,64.258,lap_complete,2.0,3,1700000010.25"
        );
        assert_eq!(line.matches(',').count(), 18);
    }

    #[test]
    fn a_cleared_trace_starts_anew() {
        let bucket = MemoryBucket::new();
        let mut trace = Trace::new();
        trace.push(&row());
        assert_eq!(trace.num_steps(), 1);
        trace.clear();
        trace.save(&bucket, "m/training-simtrace/0-iteration.csv").unwrap();
        assert_eq!(bucket.get("m/training-simtrace/0-iteration.csv").unwrap(), format!("{HEADER}\n").into_bytes());
    }
}
