//! An iteration in one line of the trainer's log.

use std::time::Duration;

use deepracer_policy::TrainReport;

/// An iteration in figures.
pub(super) struct Summary {
    pub(super) num_episodes: usize,
    pub(super) num_steps: u64,
    /// Percent, over the training episodes.
    pub(super) mean_completion: f64,
    pub(super) mean_reward: f64,
    /// Percent, over the evaluations; none when none were driven.
    pub(super) completion: Option<f64>,
    pub(super) driven: Duration,
    pub(super) evaluated: Duration,
}

impl Summary {
    /// The line. `learnt` is what the learner says and how many steps it used.
    pub(super) fn line(
        &self,
        iteration: u64,
        num_episodes: u64,
        learnt: Option<(&TrainReport, usize)>,
        learning: Duration,
        total: Duration,
    ) -> String {
        let evaluation =
            self.completion.map_or_else(String::new, |completion| format!(", evaluation {completion:.1} %"));
        let learnt = learnt.map_or_else(String::new, |(report, num_used)| {
            let last = report.epochs.last().copied().unwrap_or_default();
            format!(
                ", learnt from {num_used} steps (entropy {:.3}, KL {:.4}, clipped {:.0} %, value loss {:.3}, explained \
                 variance {:.2})",
                last.entropy,
                last.kl_divergence,
                100.0 * last.clip_fraction,
                last.value_loss,
                report.explained_variance
            )
        });
        format!(
            "Iteration {iteration}> {} episodes ({num_episodes} so far), {} steps at {:.0}/s, mean completion {:.1} %, \
             mean reward {:.1}{evaluation}{learnt}; {:.1} s driving, {:.1} s evaluating, {:.1} s learning, {} in all",
            self.num_episodes,
            self.num_steps,
            self.num_steps as f64 / self.driven.as_secs_f64().max(1e-9),
            self.mean_completion,
            self.mean_reward,
            self.driven.as_secs_f64(),
            self.evaluated.as_secs_f64(),
            learning.as_secs_f64(),
            minutes(total)
        )
    }
}

/// `3:07` or `1:02:03`.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_minutes_and_seconds_with_hours_when_there_are_any() {
        assert_eq!(minutes(Duration::from_secs(187)), "3:07");
        assert_eq!(minutes(Duration::from_secs(3723)), "1:02:03");
    }

    #[test]
    fn an_iteration_without_learning_says_nothing_of_it() {
        let summary = Summary {
            num_episodes: 10,
            num_steps: 300,
            mean_completion: 9.06,
            mean_reward: 20.0,
            completion: Some(100.0),
            driven: Duration::from_millis(500),
            evaluated: Duration::from_millis(100),
        };
        assert_eq!(
            summary.line(3, 30, None, Duration::ZERO, Duration::from_secs(12)),
            "Iteration 3> 10 episodes (30 so far), 300 steps at 600/s, mean completion 9.1 %, mean reward 20.0, \
             evaluation 100.0 %; 0.5 s driving, 0.1 s evaluating, 0.0 s learning, 0:12 in all"
        );
    }
}
