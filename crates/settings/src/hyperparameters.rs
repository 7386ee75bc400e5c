//! `hyperparameters.json`: a flat object of numbers and words, which may also be written as text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::choice::{choices, not_one_of};
use crate::did_you_mean;
use crate::message::Warning;
use crate::model_metadata::Algorithm;

choices! {
    /// How the value network is judged.
    LossType {
        /// Mean squared error.
        MeanSquaredError = "mean squared error",
        /// Huber loss with δ = 1.
        Huber = "huber",
    }
}

choices! {
    /// How actions are chosen while training.
    ExplorationType {
        /// By the probabilities of the policy.
        Categorical = "categorical",
        /// A random action with a falling probability, else the most probable one.
        EpsilonGreedy = "e-greedy",
    }
}

/// Why hyperparameters cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HyperparametersError {
    /// The text is not JSON.
    #[error("{origin}:{line}:{column}: not JSON: {reason}")]
    Json {
        /// The file.
        origin: String,
        /// Line of the error, first line is 1.
        line: usize,
        /// Column of the error, first column is 1.
        column: usize,
        /// What the JSON reader found.
        reason: String,
    },
    /// The text is JSON, but not an object.
    #[error("{origin}: must be one object {{…}} of hyperparameters")]
    NotAnObject {
        /// The file.
        origin: String,
    },
    /// Values that cannot be used, all of them.
    #[error("{}", .0.join("\n"))]
    Values(Vec<String>),
}

/// A complete, checked set of hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperparameters {
    /// Size of a minibatch, at least 1.
    pub batch_size: u64,
    /// Passes over the data of an iteration, at least 1.
    pub num_epochs: u64,
    /// Learning rate, above 0, at most 1.
    pub lr: f64,
    /// Weight of the entropy bonus, 0 to 10.
    pub beta_entropy: f64,
    /// Discount of later rewards, 0 to 1.
    pub discount_factor: f64,
    /// How the value network is judged.
    pub loss_type: LossType,
    /// Episodes of an iteration, of all workers together, at least 1.
    pub num_episodes_between_training: u64,
    /// How actions are chosen while training.
    pub exploration_type: ExplorationType,
    /// Final probability of a random action (e-greedy), 0 to 1.
    pub e_greedy_value: f64,
    /// Environment steps until that probability is reached, at least 1.
    pub epsilon_steps: u64,
    /// Frames the original meant to stack; it has no effect, there either.
    pub stack_size: u64,
    /// Training ends after this many training episodes of all workers, at least 1.
    pub term_cond_max_episodes: u64,
    /// A score that was meant to end training; it has no effect, in the original either.
    pub term_cond_avg_score: f64,
    /// Entropy temperature of SAC, 0 to 1.
    pub sac_alpha: f64,
}

impl Default for Hyperparameters {
    /// What holds for keys a file does not mention: the defaults of the original's trainer.
    fn default() -> Hyperparameters {
        Hyperparameters {
            batch_size: 64,
            num_epochs: 10,
            lr: 0.0003,
            beta_entropy: 0.01,
            discount_factor: 0.999,
            loss_type: LossType::MeanSquaredError,
            num_episodes_between_training: 20,
            exploration_type: ExplorationType::Categorical,
            e_greedy_value: 0.05,
            epsilon_steps: 10_000,
            stack_size: 1,
            term_cond_max_episodes: 100_000,
            term_cond_avg_score: 100_000.0,
            sac_alpha: 0.2,
        }
    }
}

/// Keys that launchers of the original write into the file; here they say nothing new.
const LAUNCHER_KEYS: &[&str] = &[
    "s3_bucket",
    "s3_prefix",
    "aws_region",
    "model_metadata_s3_key",
    "pretrained_s3_bucket",
    "pretrained_s3_prefix",
    "pretrained_checkpoint",
    "max_sample_count",
    "sampling_frequency",
    "s3_kms_cmk_arn",
    "is_profiler_on",
    "profiler_s3_bucket",
    "profiler_s3_prefix",
    "preset_s3_key",
    "environment_s3_key",
];

/// Keys that mean something, in the order of the alphabet.
const KEYS: &[&str] = &[
    "batch_size",
    "beta_entropy",
    "discount_factor",
    "e_greedy_value",
    "epsilon_steps",
    "exploration_type",
    "loss_type",
    "lr",
    "num_episodes_between_training",
    "num_epochs",
    "sac_alpha",
    "stack_size",
    "term_cond_avg_score",
    "term_cond_max_episodes",
];

const ONLY_PPO: &[&str] = &["beta_entropy", "e_greedy_value", "epsilon_steps", "exploration_type", "num_epochs"];
const ONLY_SAC: &[&str] = &["sac_alpha"];

impl Hyperparameters {
    /// Reads and checks the text of a file; `origin` names it in messages.
    ///
    /// ```
    /// use deepracer_settings::hyperparameters::Hyperparameters;
    /// let (hyperparameters, _) = Hyperparameters::parse(r#"{"lr": "0.001", "batch_size": 32}"#, "hyperparameters.json")?;
    /// assert_eq!((hyperparameters.lr, hyperparameters.batch_size), (0.001, 32));
    /// # Ok::<(), deepracer_settings::hyperparameters::HyperparametersError>(())
    /// ```
    pub fn parse(text: &str, origin: &str) -> Result<(Hyperparameters, Vec<Warning>), HyperparametersError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document: Value = serde_json::from_str(text).map_err(|error| HyperparametersError::Json {
            origin: origin.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: error.to_string(),
        })?;
        let Value::Object(document) = document else {
            return Err(HyperparametersError::NotAnObject { origin: origin.to_owned() });
        };
        let mut reader = Reader { origin, document: &document, problems: Vec::new() };
        let hyperparameters = reader.read();
        if reader.problems.is_empty() {
            let warnings = warnings(&document, &hyperparameters, origin);
            Ok((hyperparameters, warnings))
        } else {
            Err(HyperparametersError::Values(reader.problems))
        }
    }

    /// The complete set as JSON with two blanks of indent and sorted keys; only the keys the algorithm reads.
    pub fn to_json(&self, algorithm: Algorithm) -> String {
        let other_algorithm = match algorithm {
            Algorithm::ClippedPpo => ONLY_SAC,
            Algorithm::Sac => ONLY_PPO,
        };
        let sorted: BTreeMap<&str, Value> =
            self.fields().into_iter().filter(|(key, _)| !other_algorithm.contains(key)).collect();
        format!("{:#}", sorted.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>())
    }

    fn fields(&self) -> [(&'static str, Value); KEYS.len()] {
        [
            ("batch_size", self.batch_size.into()),
            ("beta_entropy", self.beta_entropy.into()),
            ("discount_factor", self.discount_factor.into()),
            ("e_greedy_value", self.e_greedy_value.into()),
            ("epsilon_steps", self.epsilon_steps.into()),
            ("exploration_type", self.exploration_type.as_str().into()),
            ("loss_type", self.loss_type.as_str().into()),
            ("lr", self.lr.into()),
            ("num_episodes_between_training", self.num_episodes_between_training.into()),
            ("num_epochs", self.num_epochs.into()),
            ("sac_alpha", self.sac_alpha.into()),
            ("stack_size", self.stack_size.into()),
            ("term_cond_avg_score", self.term_cond_avg_score.into()),
            ("term_cond_max_episodes", self.term_cond_max_episodes.into()),
        ]
    }
}

fn warnings(document: &Map<String, Value>, read: &Hyperparameters, origin: &str) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for key in document.keys() {
        if LAUNCHER_KEYS.contains(&key.as_str()) {
            warnings.push(Warning::note(format!("{origin}: {key} has no effect here; the env files say it")));
        } else if !KEYS.contains(&key.as_str()) {
            let hint = did_you_mean::hint(key, KEYS.iter().copied());
            let hint = hint.map(|hint| format!(", {hint}")).unwrap_or_default();
            warnings.push(Warning::new(format!("{origin}: unknown hyperparameter {key} is ignored{hint}")));
        }
    }
    if read.stack_size != 1 {
        warnings.push(Warning::new(format!(
            "{origin}: stack_size={} has no effect, in the original either: the policy sees one frame",
            read.stack_size
        )));
    }
    if document.contains_key("term_cond_avg_score") {
        warnings.push(Warning::note(format!(
            "{origin}: term_cond_avg_score has no effect, in the original either; DR_TRAIN_STOP_COMPLETION ends training"
        )));
    }
    warnings
}

struct Reader<'a> {
    origin: &'a str,
    document: &'a Map<String, Value>,
    problems: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) -> Hyperparameters {
        let default = Hyperparameters::default();
        Hyperparameters {
            batch_size: self.whole("batch_size", default.batch_size, 65_536),
            num_epochs: self.whole("num_epochs", default.num_epochs, 1000),
            lr: self.above_zero("lr", default.lr),
            beta_entropy: self.number("beta_entropy", default.beta_entropy, 0.0, 10.0),
            discount_factor: self.number("discount_factor", default.discount_factor, 0.0, 1.0),
            loss_type: self.choice("loss_type", default.loss_type, LossType::NAMES, LossType::from_name),
            num_episodes_between_training: self.whole(
                "num_episodes_between_training",
                default.num_episodes_between_training,
                100_000,
            ),
            exploration_type: self.choice(
                "exploration_type",
                default.exploration_type,
                ExplorationType::NAMES,
                ExplorationType::from_name,
            ),
            e_greedy_value: self.number("e_greedy_value", default.e_greedy_value, 0.0, 1.0),
            epsilon_steps: self.whole("epsilon_steps", default.epsilon_steps, 1_000_000_000_000),
            stack_size: self.whole("stack_size", default.stack_size, 100),
            term_cond_max_episodes: self.whole(
                "term_cond_max_episodes",
                default.term_cond_max_episodes,
                1_000_000_000_000,
            ),
            term_cond_avg_score: self.number("term_cond_avg_score", default.term_cond_avg_score, f64::MIN, f64::MAX),
            sac_alpha: self.number("sac_alpha", default.sac_alpha, 0.0, 1.0),
        }
    }

    fn refuse(&mut self, key: &str, value: &Value, reason: &str) {
        self.problems.push(format!("{}: {key} {value}: {reason}", self.origin));
    }

    /// The number of a key, or of text that is one; nothing when the key is absent or already refused.
    fn written(&mut self, key: &str, reason: &str) -> Option<f64> {
        let value = self.document.get(key).filter(|value| !value.is_null())?;
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse::<f64>().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite());
        if number.is_none() {
            self.refuse(key, value, reason);
        }
        number
    }

    fn whole(&mut self, key: &str, default: u64, max: u64) -> u64 {
        let reason = format!("not a whole number from 1 to {max}");
        let Some(number) = self.written(key, &reason) else { return default };
        if number.fract() == 0.0 && (1.0..=max as f64).contains(&number) {
            return number as u64;
        }
        self.refuse(key, &self.document[key], &reason);
        default
    }

    fn number(&mut self, key: &str, default: f64, min: f64, max: f64) -> f64 {
        let reason =
            if max == f64::MAX { "not a number".to_owned() } else { format!("not a number from {min} to {max}") };
        let Some(number) = self.written(key, &reason) else { return default };
        if (min..=max).contains(&number) {
            return number;
        }
        self.refuse(key, &self.document[key], &reason);
        default
    }

    fn above_zero(&mut self, key: &str, default: f64) -> f64 {
        let reason = "not a number above 0, up to 1";
        let Some(number) = self.written(key, reason) else { return default };
        if number > 0.0 && number <= 1.0 {
            return number;
        }
        self.refuse(key, &self.document[key], reason);
        default
    }

    fn choice<T>(&mut self, key: &str, default: T, legal: &[&str], read: impl Fn(&str) -> Option<T>) -> T {
        let Some(value) = self.document.get(key).filter(|value| !value.is_null()) else { return default };
        let name = value.as_str().unwrap_or_default().trim();
        if let Some(choice) = read(name) {
            return choice;
        }
        let reason = not_one_of(name, legal);
        self.refuse(key, value, &reason);
        default
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<(Hyperparameters, Vec<Warning>), HyperparametersError> {
        Hyperparameters::parse(text, "hyperparameters.json")
    }

    fn refusal(text: &str) -> String {
        parse(text).expect_err("refused").to_string()
    }

    #[test]
    fn texts_are_numbers_and_missing_keys_are_the_originals_defaults() {
        let (read, warnings) =
            parse(r#"{"lr": "0.0003", "batch_size": 64.0, "num_episodes_between_training": 20}"#).expect("reads");
        assert_eq!(read, Hyperparameters::default());
        assert!(warnings.is_empty());
        let (read, _) =
            parse(r#"{"batch_size": "128", "discount_factor": "0.95", "loss_type": "Huber"}"#).expect("reads");
        assert_eq!((read.batch_size, read.discount_factor, read.loss_type), (128, 0.95, LossType::Huber));
    }

    #[test]
    fn illegal_values_are_refused_with_what_is_legal() {
        let refusals = [
            (r#"{"loss_type":"MSE"}"#, "loss_type \"MSE\": not one of mean squared error, huber"),
            (
                r#"{"loss_type":"hubert"}"#,
                "loss_type \"hubert\": not one of mean squared error, huber; did you mean huber?",
            ),
            (r#"{"num_epochs":0}"#, "num_epochs 0: not a whole number from 1 to 1000"),
            (r#"{"lr":-1}"#, "lr -1: not a number above 0, up to 1"),
            (r#"{"discount_factor":1.2}"#, "discount_factor 1.2: not a number from 0 to 1"),
            (r#"{"batch_size":0}"#, "batch_size 0: not a whole number from 1 to 65536"),
            (r#"{"batch_size":"64.5"}"#, "batch_size \"64.5\": not a whole number from 1 to 65536"),
            (r#"{"lr":"NaN"}"#, "lr \"NaN\": not a number above 0, up to 1"),
            (r#"{"lr":[1]}"#, "lr [1]: not a number above 0, up to 1"),
            (
                r#"{"exploration_type":"additive_noise"}"#,
                "exploration_type \"additive_noise\": not one of categorical, e-greedy",
            ),
        ];
        for (text, expected) in refusals {
            assert_eq!(refusal(text), format!("hyperparameters.json: {expected}"));
        }
        assert_eq!(refusal(r#"{"lr":0,"num_epochs":1.5}"#).lines().count(), 2);
    }

    #[test]
    fn syntax_errors_have_a_place() {
        assert_eq!(
            refusal("{\n  \"lr\": 0.1,\n}\n"),
            "hyperparameters.json:3:1: not JSON: trailing comma at line 3 column 1"
        );
        assert_eq!(refusal("[]"), "hyperparameters.json: must be one object {…} of hyperparameters");
    }

    #[test]
    fn keys_without_effect_are_reported() {
        let (_, warnings) = parse(
            r#"{"kl_limit": 0.01, "num_epoch": 3, "stack_size": 4, "term_cond_avg_score": 350.0, "s3_bucket": "b"}"#,
        )
        .expect("reads");
        let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "warning: hyperparameters.json: unknown hyperparameter kl_limit is ignored",
                "warning: hyperparameters.json: unknown hyperparameter num_epoch is ignored, did you mean num_epochs?",
                "note: hyperparameters.json: s3_bucket has no effect here; the env files say it",
                "warning: hyperparameters.json: stack_size=4 has no effect, in the original either: the policy sees one frame",
                "note: hyperparameters.json: term_cond_avg_score has no effect, in the original either; \
                 DR_TRAIN_STOP_COMPLETION ends training",
            ]
        );
    }

    #[test]
    fn the_resolved_set_is_sorted_and_only_of_its_algorithm() {
        let json = Hyperparameters::default().to_json(Algorithm::ClippedPpo);
        assert!(
            json.starts_with("{\n  \"batch_size\": 64,\n  \"beta_entropy\": 0.01,\n  \"discount_factor\": 0.999,\n")
        );
        let document: Map<String, Value> = serde_json::from_str(&json).expect("JSON");
        let keys: Vec<&String> = document.keys().collect();
        assert!(keys.is_sorted());
        assert_eq!(keys.len(), 13);
        let sac = Hyperparameters::default().to_json(Algorithm::Sac);
        assert!(sac.contains("sac_alpha") && !sac.contains("num_epochs"));
        assert_eq!(parse(&json).expect("reads back").0, Hyperparameters::default());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
            let _ = parse(&text);
        }

        #[test]
        fn any_value_is_read_or_refused(key in proptest::sample::select(KEYS), value in "(-?[0-9]{1,25}(\\.[0-9]{1,5})?(e[0-9]{1,2})?|\"[a-z0-9.-]{0,8}\"|null|true|\\[\\])") {
            if let Ok((read, _)) = parse(&format!("{{\"{key}\": {value}}}")) {
                prop_assert!(read.batch_size >= 1 && read.num_epochs >= 1 && read.lr > 0.0);
            }
        }
    }
}
