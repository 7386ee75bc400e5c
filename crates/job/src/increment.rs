//! The next model of a series: its name, and the three settings that make a training continue from the current one.

use std::path::Path;

use deepracer_bucket::{Bucket, BucketError};
use deepracer_settings::env_edit;
use deepracer_settings::env_file::EnvFileError;

use crate::artefact::layout::ModelLayout;
use crate::prefix::{self, ExistingModel};

/// The settings an increment changes: model prefix, pretrained or not, prefix of the pretrained model.
const MODEL_PREFIX: &str = "DR_LOCAL_S3_MODEL_PREFIX";
const PRETRAINED: &str = "DR_LOCAL_S3_PRETRAINED";
const PRETRAINED_PREFIX: &str = "DR_LOCAL_S3_PRETRAINED_PREFIX";

/// Why a model could not be incremented.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IncrementError {
    /// The new name is the old one.
    #[error("the next model would be called `{0}` like the current one; name another with `-p`")]
    SameName(String),
    /// There is a model of the new name.
    #[error("{0} exists already; wipe it with `-w`, or name another with `-p`")]
    NextExists(ExistingModel),
    /// Emptying the folder of the new name would take the current model with it.
    #[error("`{next}` cannot be emptied for the next model: `{current}` lies inside it; name another with `-p`")]
    CurrentInside {
        /// The new name.
        next: String,
        /// The current model.
        current: String,
    },
    /// The names cannot be in a bucket, or looking or wiping failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// The env file could not be changed.
    #[error(transparent)]
    EnvFile(#[from] EnvFileError),
}

/// The name that follows `current`: a number after the last `delimiter` is counted up, any other name gets
/// `<delimiter>1`.
///
/// ```
/// use deepracer_job::increment::next_prefix;
/// assert_eq!(next_prefix("foo-9", "-"), "foo-10");
/// assert_eq!(next_prefix("rl-deepracer-sagemaker", "-"), "rl-deepracer-sagemaker-1");
/// ```
pub fn next_prefix(current: &str, delimiter: &str) -> String {
    if let Some((series, number)) = current.rsplit_once(delimiter).filter(|_| !delimiter.is_empty())
        && !series.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && let Some(next) = number.parse::<u64>().ok().and_then(|number| number.checked_add(1))
    {
        return format!("{series}{delimiter}{next}");
    }
    format!("{current}{delimiter}1")
}

/// What an increment will do; nothing has happened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Increment {
    /// The model that the next one continues from.
    pub current: ModelLayout,
    /// The model to be trained next.
    pub next: ModelLayout,
    /// A model of the next one's name that is in the bucket and will be removed.
    pub wiped: Option<ExistingModel>,
}

/// How to name and make room for the next model.
#[derive(Debug, Clone, Copy)]
pub struct IncrementOptions<'user> {
    /// A name the user chose instead of the next number.
    pub name: Option<&'user str>,
    /// What separates the number from the name; `-` by default.
    pub delimiter: &'user str,
    /// Remove a model of the next name instead of refusing.
    pub wipe: bool,
}

impl Default for IncrementOptions<'_> {
    fn default() -> Self {
        IncrementOptions { name: None, delimiter: "-", wipe: false }
    }
}

impl Increment {
    /// Finds the next name and checks that it is free, or may be made free.
    pub fn plan(
        bucket: &dyn Bucket,
        current: &str,
        options: &IncrementOptions<'_>,
    ) -> Result<Increment, IncrementError> {
        let current = ModelLayout::new(current)?;
        let next = match options.name {
            Some(name) => ModelLayout::new(name)?,
            None => ModelLayout::new(&next_prefix(current.prefix(), options.delimiter))?,
        };
        if next == current {
            return Err(IncrementError::SameName(next.prefix().to_owned()));
        }
        let wiped = match prefix::find(bucket, &next)? {
            Some(existing) if !options.wipe => return Err(IncrementError::NextExists(existing)),
            Some(_) if prefix::contains(&next, current.prefix()) => {
                return Err(IncrementError::CurrentInside {
                    next: next.prefix().to_owned(),
                    current: current.prefix().to_owned(),
                });
            }
            found => found,
        };
        Ok(Increment { current, next, wiped })
    }

    /// Makes room for the next model and changes the three settings in the env file, which is kept as `.bak`.
    pub fn apply(&self, bucket: &dyn Bucket, env_file: &Path) -> Result<(), IncrementError> {
        if self.wiped.is_some() {
            prefix::wipe(bucket, &self.next)?;
        }
        env_edit::edit_file(
            env_file,
            &[(PRETRAINED, "True"), (PRETRAINED_PREFIX, self.current.prefix()), (MODEL_PREFIX, self.next.prefix())],
        )?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;
    use proptest::prelude::*;
    use std::fs;

    #[test]
    fn names_are_counted_up() {
        for (current, delimiter, next) in [
            ("foo-1", "-", "foo-2"),
            ("foo-9", "-", "foo-10"),
            ("foo-09", "-", "foo-10"),
            ("plain", "-", "plain-1"),
            ("rl-deepracer-sagemaker", "-", "rl-deepracer-sagemaker-1"),
            ("foo-", "-", "foo--1"),
            ("a_7", "_", "a_8"),
            ("a_7", "-", "a_7-1"),
            ("season/foo-2", "-", "season/foo-3"),
            ("v8-011.4", "-", "v8-011.4-1"),
            ("7", "-", "7-1"),
            ("-7", "-", "-7-1"),
            ("a--3", "--", "a--4"),
            ("a-3", "", "a-31"),
            ("n-18446744073709551615", "-", "n-18446744073709551615-1"),
            ("n-99999999999999999999999", "-", "n-99999999999999999999999-1"),
        ] {
            assert_eq!(next_prefix(current, delimiter), next);
        }
    }

    #[test]
    fn an_increment_edits_three_values_and_keeps_the_rest() {
        let home = tempfile::tempdir().unwrap();
        let env_file = home.path().join("run.env");
        let old = "# my run\r\nDR_LOCAL_S3_MODEL_PREFIX=foo-1   # the car\r\nDR_WORLD_NAME=reinvent_base\r\n\
                   DR_LOCAL_S3_PRETRAINED=False\r\nDR_LOCAL_S3_PRETRAINED_PREFIX=rl-sagemaker-pretrained\r\n";
        fs::write(&env_file, old).unwrap();
        let bucket = MemoryBucket::new();
        bucket.put("foo-20/x", b"").unwrap();

        let increment = Increment::plan(&bucket, "foo-1", &IncrementOptions::default()).unwrap();
        assert_eq!((increment.next.prefix(), &increment.wiped), ("foo-2", &None));
        increment.apply(&bucket, &env_file).unwrap();
        assert_eq!(
            fs::read_to_string(&env_file).unwrap(),
            "# my run\r\nDR_LOCAL_S3_MODEL_PREFIX=foo-2   # the car\r\nDR_WORLD_NAME=reinvent_base\r\n\
             DR_LOCAL_S3_PRETRAINED=True\r\nDR_LOCAL_S3_PRETRAINED_PREFIX=foo-1\r\n"
        );
        assert_eq!(fs::read_to_string(home.path().join("run.env.bak")).unwrap(), old);

        let again = Increment::plan(&bucket, "foo-2", &IncrementOptions::default()).unwrap();
        again.apply(&bucket, &env_file).unwrap();
        let text = fs::read_to_string(&env_file).unwrap();
        assert!(text.contains("MODEL_PREFIX=foo-3 "), "{text}");
        assert!(text.contains("PRETRAINED_PREFIX=foo-2\r"), "{text}");
    }

    #[test]
    fn a_model_in_the_way_is_only_wiped_when_told() {
        let home = tempfile::tempdir().unwrap();
        let env_file = home.path().join("run.env");
        fs::write(&env_file, "DR_LOCAL_S3_MODEL_PREFIX=foo-2\n").unwrap();
        let bucket = MemoryBucket::new();
        for key in ["foo-2/a", "foo-3/a", "foo-30/a"] {
            bucket.put(key, b"1234").unwrap();
        }
        let error = Increment::plan(&bucket, "foo-2", &IncrementOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "model `foo-3` (1 file, 4 bytes) exists already; wipe it with `-w`, or name another with `-p`"
        );
        let options = IncrementOptions { wipe: true, ..IncrementOptions::default() };
        let increment = Increment::plan(&bucket, "foo-2", &options).unwrap();
        assert!(bucket.exists("foo-3/a").unwrap(), "a plan changes nothing");
        increment.apply(&bucket, &env_file).unwrap();
        let keys: Vec<String> = bucket.list("").unwrap().into_iter().map(|object| object.key).collect();
        assert_eq!(keys, ["foo-2/a", "foo-30/a"]);
    }

    #[test]
    fn the_current_model_is_never_wiped() {
        let bucket = MemoryBucket::new();
        bucket.put("season/foo-2/a", b"1234").unwrap();
        let options = IncrementOptions { name: Some("season"), wipe: true, ..IncrementOptions::default() };
        let error = Increment::plan(&bucket, "season/foo-2", &options).unwrap_err();
        assert!(matches!(error, IncrementError::CurrentInside { .. }), "{error}");
    }

    #[test]
    fn the_user_may_name_the_next_model_but_not_like_the_current_one() {
        let bucket = MemoryBucket::new();
        let named = |name| IncrementOptions { name: Some(name), ..IncrementOptions::default() };
        let increment = Increment::plan(&bucket, "foo-2", &named("spring/first car")).unwrap();
        assert_eq!(increment.next.prefix(), "spring/first car");
        assert!(matches!(
            Increment::plan(&bucket, "foo-2", &named("foo-2/")),
            Err(IncrementError::SameName(name)) if name == "foo-2"
        ));
        assert!(Increment::plan(&bucket, "foo-2", &named("../x")).is_err());
    }

    proptest! {
        #[test]
        fn the_next_name_is_new_and_a_series_goes_on(current in "[a-z0-9_/-]{1,12}", delimiter in "[-_]") {
            let next = next_prefix(&current, &delimiter);
            prop_assert_ne!(&next, &current);
            let second = next_prefix(&next, &delimiter);
            let (series, number) = next.rsplit_once(&delimiter).unwrap();
            let number: u64 = number.parse().unwrap();
            prop_assert_eq!(second, format!("{series}{delimiter}{}", number + 1));
        }
    }
}
