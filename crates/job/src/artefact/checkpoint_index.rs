//! Checkpoint names, the file that says which is the best and which the last, and which ones are kept.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use deepracer_bucket::{Bucket, BucketError};
use serde::{Deserialize, Serialize};

use super::layout::ModelLayout;
use super::{ArtefactError, json_text};

/// How many of the newest checkpoints are kept, the best one aside.
pub const NUM_KEPT: usize = 4;

/// The name of a checkpoint: `7_Step-3120.ckpt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointName {
    /// Counts the checkpoints of a model.
    pub number: u32,
    /// Environment steps trained so far.
    pub num_steps: u64,
}

impl fmt::Display for CheckpointName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_Step-{}.ckpt", self.number, self.num_steps)
    }
}

/// A text that is not the name of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a checkpoint, such as `7_Step-3120.ckpt`")]
pub struct NotACheckpoint(String);

impl FromStr for CheckpointName {
    type Err = NotACheckpoint;

    fn from_str(text: &str) -> Result<CheckpointName, NotACheckpoint> {
        let parse = || {
            let (number, num_steps) = text.trim().strip_suffix(".ckpt")?.split_once("_Step-")?;
            Some(CheckpointName { number: number.parse().ok()?, num_steps: num_steps.parse().ok()? })
        };
        parse().ok_or_else(|| NotACheckpoint(text.to_owned()))
    }
}

impl Serialize for CheckpointName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CheckpointName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<CheckpointName, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A checkpoint with its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoredCheckpoint {
    /// Which one.
    pub name: CheckpointName,
    /// Mean of its evaluations in the chosen metric; none when it was never evaluated.
    #[serde(default)]
    pub avg_eval_metric: Option<f64>,
    /// Simulated seconds at which it was judged.
    #[serde(default)]
    pub time_stamp: f64,
}

/// The content of `deepracer_checkpoints.json`: the best and the last *evaluated* checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointIndex {
    /// The one with the best mean score.
    pub best_checkpoint: ScoredCheckpoint,
    /// The newest one that has been judged.
    pub last_checkpoint: ScoredCheckpoint,
}

impl CheckpointIndex {
    /// The text of the file.
    pub fn json(&self) -> String {
        json_text::to_string(self)
    }

    /// Reads the text of a file. Only the names are required: files of other tools call the score `avg_comp_pct`, or
    /// have none.
    pub fn parse(bytes: &[u8]) -> Result<CheckpointIndex, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Reads a model's index; none when there is no file.
    pub fn read(bucket: &dyn Bucket, model: &ModelLayout) -> Result<Option<CheckpointIndex>, ArtefactError> {
        let key = model.checkpoint_index();
        match bucket.get(&key) {
            Ok(bytes) => match CheckpointIndex::parse(&bytes) {
                Ok(index) => Ok(Some(index)),
                Err(error) => Err(ArtefactError::Damaged {
                    key,
                    reason: error.to_string(),
                    hint: "remove it to use the newest checkpoint instead",
                }),
            },
            Err(BucketError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a model's index.
    pub fn save(&self, bucket: &dyn Bucket, model: &ModelLayout) -> Result<(), BucketError> {
        bucket.put(&model.checkpoint_index(), self.json().as_bytes())
    }
}

/// Reads `.coach_checkpoint`, the name of the newest checkpoint; none when there is no file. Blanks and line ends
/// around the name are ignored.
pub fn read_coach_checkpoint(
    bucket: &dyn Bucket,
    model: &ModelLayout,
) -> Result<Option<CheckpointName>, ArtefactError> {
    let key = model.coach_checkpoint();
    match bucket.get(&key) {
        Ok(bytes) => match String::from_utf8_lossy(&bytes).parse() {
            Ok(name) => Ok(Some(name)),
            Err(error) => Err(ArtefactError::Damaged {
                key,
                reason: NotACheckpoint::to_string(&error),
                hint: "write the name of a checkpoint of this model into it",
            }),
        },
        Err(BucketError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes `.coach_checkpoint`: the name alone, without a line end.
pub fn save_coach_checkpoint(
    bucket: &dyn Bucket,
    model: &ModelLayout,
    name: CheckpointName,
) -> Result<(), BucketError> {
    bucket.put(&model.coach_checkpoint(), name.to_string().as_bytes())
}

/// Which checkpoints of a model are kept: the newest ones and the best.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// Oldest first.
    kept: VecDeque<CheckpointName>,
    num_kept: usize,
}

impl Retention {
    /// Takes over the checkpoints that are there already, in any order; `num_kept` (at least 1; the original's figure is
    /// [`NUM_KEPT`]) of the newest stay.
    pub fn of(existing: impl IntoIterator<Item = CheckpointName>, num_kept: usize) -> Retention {
        let mut kept: Vec<CheckpointName> = existing.into_iter().collect();
        kept.sort_unstable();
        kept.dedup();
        Retention { kept: kept.into(), num_kept: num_kept.max(1) }
    }

    /// Adds a checkpoint that has just been saved, and returns those that are to be deleted now, oldest first. Delete
    /// them only after everything that names the current ones has been written.
    pub fn push(&mut self, saved: CheckpointName, best: Option<CheckpointName>) -> Vec<CheckpointName> {
        self.kept.retain(|name| *name != saved);
        self.kept.push_back(saved);
        let num_old = self.kept.len().saturating_sub(self.num_kept);
        let (deleted, best): (Vec<_>, Vec<_>) = self.kept.drain(..num_old).partition(|name| Some(*name) != best);
        for name in best {
            self.kept.push_front(name);
        }
        deleted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;
    use proptest::prelude::*;

    fn name(number: u32) -> CheckpointName {
        CheckpointName { number, num_steps: u64::from(number) * 100 }
    }

    #[test]
    fn names_are_the_originals() {
        let name = CheckpointName { number: 7, num_steps: 3120 };
        assert_eq!(name.to_string(), "7_Step-3120.ckpt");
        assert_eq!(" 7_Step-3120.ckpt\r\n".parse(), Ok(name));
        for text in ["", "7", "7_Step-.ckpt", "_Step-1.ckpt", "7_Step-1", "-7_Step-1.ckpt", "7_Step-1.ckpt.meta"] {
            assert!(text.parse::<CheckpointName>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_index_is_the_original_text() {
        let index = CheckpointIndex {
            best_checkpoint: ScoredCheckpoint {
                name: CheckpointName { number: 7, num_steps: 3120 },
                avg_eval_metric: Some(62.4),
                time_stamp: 2211.3,
            },
            last_checkpoint: ScoredCheckpoint {
                name: CheckpointName { number: 8, num_steps: 3490 },
                avg_eval_metric: None,
                time_stamp: 2390.0,
            },
        };
        let text = "{\"best_checkpoint\": {\"name\": \"7_Step-3120.ckpt\", \"avg_eval_metric\": 62.4, \
                    \"time_stamp\": 2211.3}, \"last_checkpoint\": {\"name\": \"8_Step-3490.ckpt\", \
                    \"avg_eval_metric\": null, \"time_stamp\": 2390.0}}";
        assert_eq!(index.json(), text);
        assert_eq!(CheckpointIndex::parse(text.as_bytes()).unwrap(), index);
    }

    #[test]
    fn indices_of_other_tools_are_read() {
        let text = r#"{"last_checkpoint": {"avg_comp_pct": 41.0, "name": "12_Step-900.ckpt", "time_stamp": 1.5},
                       "best_checkpoint": {"name": "3_Step-200.ckpt"}, "more": 1}"#;
        let index = CheckpointIndex::parse(text.as_bytes()).unwrap();
        assert_eq!(index.best_checkpoint.name, CheckpointName { number: 3, num_steps: 200 });
        assert_eq!(index.best_checkpoint.avg_eval_metric, None);
        assert_eq!(index.last_checkpoint.name, CheckpointName { number: 12, num_steps: 900 });
    }

    #[test]
    fn files_are_read_back_and_damage_is_named() {
        let bucket = MemoryBucket::new();
        let model = ModelLayout::new("m").unwrap();
        assert_eq!(CheckpointIndex::read(&bucket, &model).unwrap(), None);
        assert_eq!(read_coach_checkpoint(&bucket, &model).unwrap(), None);
        save_coach_checkpoint(&bucket, &model, name(3)).unwrap();
        assert_eq!(bucket.get("m/model/.coach_checkpoint").unwrap(), b"3_Step-300.ckpt");
        assert_eq!(read_coach_checkpoint(&bucket, &model).unwrap(), Some(name(3)));

        bucket.put("m/model/.coach_checkpoint", b"???").unwrap();
        let error = read_coach_checkpoint(&bucket, &model).unwrap_err();
        assert!(error.to_string().starts_with("`m/model/.coach_checkpoint` is damaged: `???` is not"), "{error}");
        bucket.put("m/model/deepracer_checkpoints.json", b"{}").unwrap();
        let error = CheckpointIndex::read(&bucket, &model).unwrap_err();
        assert!(error.to_string().contains("missing field `best_checkpoint`"), "{error}");
    }

    #[test]
    fn four_newest_and_the_best_are_kept() {
        let mut retention = Retention::of([], NUM_KEPT);
        let mut deleted = Vec::new();
        for number in 0..12 {
            // The best is 2 until 9 is.
            let best = name(if number < 9 { 2.min(number) } else { 9 });
            deleted.push(retention.push(name(number), Some(best)).iter().map(|name| name.number).collect::<Vec<_>>());
        }
        let expected: [&[u32]; 12] = [&[], &[], &[], &[], &[0], &[1], &[], &[3], &[4], &[2, 5], &[6], &[7]];
        assert_eq!(deleted, expected);
        assert_eq!(retention.kept, [8, 9, 10, 11].map(name));
    }

    #[test]
    fn checkpoints_of_an_earlier_process_are_taken_over() {
        let mut retention = Retention::of([3, 10, 2, 1].map(name), NUM_KEPT);
        assert_eq!(retention.push(name(11), Some(name(1))), []);
        assert_eq!(retention.push(name(12), Some(name(12))), [name(1), name(2)]);
    }

    proptest! {
        #[test]
        fn the_best_and_the_newest_are_never_deleted(bests in prop::collection::vec(any::<prop::sample::Index>(), 1..40)) {
            let mut retention = Retention::of([], NUM_KEPT);
            let mut present: Vec<CheckpointName> = Vec::new();
            for (number, best) in bests.iter().enumerate() {
                let saved = name(number as u32);
                present.push(saved);
                let best = present[best.index(present.len())];
                let deleted = retention.push(saved, Some(best));
                present.retain(|name| !deleted.contains(name));
                prop_assert!(present.contains(&best));
                prop_assert!(present.contains(&saved));
                prop_assert!(present.len() <= NUM_KEPT + 1);
                prop_assert!(present.len() >= NUM_KEPT.min(number + 1));
            }
        }
    }
}
