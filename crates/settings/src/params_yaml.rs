//! `training_params.yaml` and `evaluation_params.yaml`: what a run was started with, as the original records it.
//!
//! The file is a flat mapping. Ours follows the original's conventions: `---` first, keys sorted, every key and value in
//! single quotes, lists in block style. The reader also takes plain and double-quoted scalars, tags (`!!int '1'`), inline
//! lists, folded lines and remarks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::choice::CarColor;
use crate::config::RunConfig;
use crate::object_position::ObjectPosition;
use crate::settings::Settings;
use crate::table;
use crate::value::Value;

/// A value of a parameter file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param {
    /// One text.
    Scalar(String),
    /// One text for each car.
    List(Vec<String>),
}

/// A parameter file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ParamsError {
    /// Line number, first line is 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// The keys and values of a parameter file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    params: BTreeMap<String, Param>,
}

impl Params {
    /// What a training run is started with. `worker` is the number of the worker, from 1, when workers have files of their
    /// own.
    pub fn training(settings: &Settings, worker: Option<usize>) -> Params {
        let mut params = Params::default();
        params.take_table(settings, |row| row.training_keys);
        let config = settings.config();
        params.set("JOB_TYPE", "TRAINING");
        params.set("METRICS_S3_OBJECT_KEY", training_metrics_key(config, worker));
        params.set("ROBOMAKER_SIMULATION_JOB_ACCOUNT_ID", "Dummy");
        params.set("TRAINING_JOB_ARN", "arn:Dummy");
        if worker.is_some_and(|worker| worker > 1) {
            params.set("MULTI_CONFIG", "True");
        }
        params
    }

    /// What an evaluation is started with; `time` is its local start time as `YYYYmmddHHMMSS`, which names its files.
    pub fn evaluation(settings: &Settings, time: &str) -> Params {
        let mut params = Params::default();
        params.take_table(settings, |row| row.evaluation_keys);
        let config = settings.config();
        params.set("JOB_TYPE", "EVALUATION");
        params.set("METRICS_S3_OBJECT_KEY", evaluation_metrics_key(config, time));
        params.set("SIMTRACE_S3_PREFIX", evaluation_trace_prefix(config, time));
        for key in ONE_PER_CAR {
            if let Some(Param::Scalar(text)) = params.params.get(*key).cloned() {
                params.params.insert((*key).to_owned(), Param::List(vec![text]));
            }
        }
        for key in ["MP4_S3_BUCKET", "MP4_S3_OBJECT_PREFIX"] {
            params.params.insert(key.to_owned(), Param::List(Vec::new()));
        }
        params
    }

    /// The same evaluation in a race against the other model of the settings: every list gets a second entry. `epoch_s`
    /// (seconds since 1970) is when the race starts and names the other model's metrics file.
    #[must_use]
    pub fn against_opponent(mut self, settings: &Settings, epoch_s: i64) -> Params {
        let config = settings.config();
        let (opponent, bucket) = (&config.opponent, &config.storage.bucket);
        let metrics_key = opponent_metrics_key(config, epoch_s);
        for (key, text) in [
            ("BODY_SHELL_TYPE", &opponent.body_shell),
            ("DISPLAY_NAME", &opponent.display_name),
            ("METRICS_S3_BUCKET", bucket),
            ("METRICS_S3_OBJECT_KEY", &metrics_key),
            ("MODEL_S3_BUCKET", bucket),
            ("MODEL_S3_PREFIX", &opponent.model_prefix),
            ("RACER_NAME", &opponent.racer_name),
            ("SIMTRACE_S3_BUCKET", bucket),
            ("SIMTRACE_S3_PREFIX", &opponent.model_prefix),
        ] {
            if let Some(Param::List(texts)) = self.params.get_mut(key) {
                texts.push(text.clone());
            }
        }
        let names = self.params.get("DISPLAY_NAME").cloned().unwrap_or_else(|| Param::List(Vec::new()));
        self.params.insert("MODEL_NAME".to_owned(), names);
        let colors = HEAD_TO_MODEL_COLORS.map(|color| color.as_str().to_owned());
        self.params.insert("CAR_COLOR".to_owned(), Param::List(colors.to_vec()));
        self.set("VIDEO_JOB_TYPE", "EVALUATION");
        self
    }

    fn take_table(&mut self, settings: &Settings, keys: impl Fn(&table::Variable) -> &'static [&'static str]) {
        for entry in settings.values().entries() {
            let row = entry.variable;
            if row.only_for.is_none_or(|race_type| race_type == settings.config().race_type) {
                for key in keys(row) {
                    match &entry.value {
                        Value::ObjectPositions(positions) => self.set_positions(key, positions),
                        value => self.set(key, value.to_text()),
                    }
                }
            }
        }
    }

    /// Fixed places are a list, and override the number of obstacles; without any there is no such key.
    fn set_positions(&mut self, key: &str, positions: &[ObjectPosition]) {
        if !positions.is_empty() {
            let texts = positions.iter().map(ToString::to_string).collect();
            self.params.insert(key.to_owned(), Param::List(texts));
            self.set("NUMBER_OF_OBSTACLES", positions.len().to_string());
        }
    }

    fn set(&mut self, key: &str, text: impl Into<String>) {
        self.params.insert(key.to_owned(), Param::Scalar(text.into()));
    }

    /// All keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Param)> {
        self.params.iter().map(|(key, param)| (key.as_str(), param))
    }

    /// The text of a key; of a list, its first.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.params.get(key)? {
            Param::Scalar(text) => Some(text),
            Param::List(texts) => texts.first().map(String::as_str),
        }
    }

    /// The texts of a key; of a single value, that one.
    pub fn list(&self, key: &str) -> Option<Vec<&str>> {
        match self.params.get(key)? {
            Param::Scalar(text) => Some(vec![text]),
            Param::List(texts) => Some(texts.iter().map(String::as_str).collect()),
        }
    }

    /// The file.
    pub fn to_yaml(&self) -> String {
        let mut yaml = String::from("---\n");
        for (key, param) in &self.params {
            yaml.push_str(&quoted(key));
            match param {
                Param::Scalar(text) => {
                    yaml.push_str(": ");
                    yaml.push_str(&quoted(text));
                    yaml.push('\n');
                }
                Param::List(texts) if texts.is_empty() => yaml.push_str(": []\n"),
                Param::List(texts) => {
                    yaml.push_str(":\n");
                    for text in texts {
                        yaml.push_str("- ");
                        yaml.push_str(&quoted(text));
                        yaml.push('\n');
                    }
                }
            }
        }
        yaml
    }

    /// Reads a file of ours or of the original.
    ///
    /// ```
    /// use deepracer_settings::params_yaml::Params;
    /// let params = Params::from_yaml("---\n'CAR_COLOR':\n- 'Red'\nNUM_WORKERS: !!int '2'\n")?;
    /// assert_eq!(params.text("NUM_WORKERS"), Some("2"));
    /// assert_eq!(params.list("CAR_COLOR"), Some(vec!["Red"]));
    /// # Ok::<(), deepracer_settings::params_yaml::ParamsError>(())
    /// ```
    pub fn from_yaml(text: &str) -> Result<Params, ParamsError> {
        Reader::new(text).read()
    }
}

/// Keys of an evaluation that hold one value for each car.
const ONE_PER_CAR: &[&str] = &[
    "BODY_SHELL_TYPE",
    "CAR_COLOR",
    "DISPLAY_NAME",
    "METRICS_S3_BUCKET",
    "METRICS_S3_OBJECT_KEY",
    "MODEL_S3_BUCKET",
    "MODEL_S3_PREFIX",
    "RACER_NAME",
    "SIMTRACE_S3_BUCKET",
    "SIMTRACE_S3_PREFIX",
];

/// Colours of the two cars of a race between models, whatever `DR_CAR_COLOR` says.
pub const HEAD_TO_MODEL_COLORS: [CarColor; 2] = [CarColor::Purple, CarColor::Orange];

/// The metrics file of the other model in a race that starts at `epoch_s`, seconds since 1970.
pub fn opponent_metrics_key(config: &RunConfig, epoch_s: i64) -> String {
    format!("{}/EvaluationMetrics-{epoch_s}.json", config.opponent.metrics_prefix)
}

/// The metrics file of a training run; workers from the second number theirs from 1.
pub fn training_metrics_key(config: &RunConfig, worker: Option<usize>) -> String {
    let prefix = &config.storage.metrics_prefix;
    match worker.unwrap_or(1) {
        0 | 1 => format!("{prefix}/TrainingMetrics.json"),
        worker => format!("{prefix}/TrainingMetrics_{}.json", worker - 1),
    }
}

/// The metrics file of an evaluation started at `time` (`YYYYmmddHHMMSS`).
pub fn evaluation_metrics_key(config: &RunConfig, time: &str) -> String {
    format!("{}/evaluation/evaluation-{time}.json", config.storage.metrics_prefix)
}

/// The folder of the traces of an evaluation started at `time` (`YYYYmmddHHMMSS`).
pub fn evaluation_trace_prefix(config: &RunConfig, time: &str) -> String {
    format!("{}/evaluation-{time}", config.storage.model_prefix)
}

/// Names of the training parameter files: the plain one, or `<stem>_1.yaml` … `<stem>_n.yaml` when workers differ.
pub fn training_file_names(config: &RunConfig) -> Vec<String> {
    let name = &config.storage.training_params_file;
    if !config.train.multi_config || config.workers == 1 {
        return vec![name.clone()];
    }
    let (stem, ending) =
        name.rsplit_once('.').map_or((name.as_str(), String::new()), |(stem, ending)| (stem, format!(".{ending}")));
    (1..=config.workers).map(|worker| format!("{stem}_{worker}{ending}")).collect()
}

fn quoted(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                // Control characters are below U+00A0; writing to a String cannot fail.
                let _ = write!(quoted, "\\x{:02x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    /// Index of the next line.
    next: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Reader { lines: text.lines().collect(), next: 0 }
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T, ParamsError> {
        Err(ParamsError { line: self.next.max(1), reason })
    }

    fn read(mut self) -> Result<Params, ParamsError> {
        let mut params = BTreeMap::new();
        while let Some(line) = self.lines.get(self.next).copied() {
            self.next += 1;
            let content = line.trim();
            if content.is_empty() || content.starts_with('#') || matches!(content, "---" | "...") {
                continue;
            }
            if content.starts_with("- ") || content == "-" {
                return self.fail("a list item without a key");
            }
            let (key, rest) = self.key(content)?;
            let param = self.param(rest)?;
            params.insert(key, param);
        }
        Ok(Params { params })
    }

    fn key(&mut self, content: &'a str) -> Result<(String, &'a str), ParamsError> {
        let (key, rest) = if content.starts_with(['\'', '"']) {
            let (key, rest) = self.quoted(content)?;
            (key, rest.trim_start())
        } else {
            let end = content.find(": ").or_else(|| content.strip_suffix(':').map(str::len));
            let Some(end) = end else { return self.fail("not `key: value`") };
            (content[..end].trim().to_owned(), &content[end..])
        };
        match rest.strip_prefix(':') {
            Some(rest) => Ok((key, rest.trim_start())),
            None => self.fail("not `key: value`"),
        }
    }

    fn param(&mut self, rest: &'a str) -> Result<Param, ParamsError> {
        if rest.starts_with('[') {
            return self.inline_list(rest);
        }
        if !rest.is_empty() && !rest.starts_with('#') {
            return self.scalar(rest).map(Param::Scalar);
        }
        let mut items = Vec::new();
        while let Some(line) = self.lines.get(self.next).copied() {
            let content = line.trim();
            if content == "-" || content.starts_with("- ") {
                self.next += 1;
                items.push(self.scalar(content[1..].trim_start())?);
            } else if content.is_empty() || content.starts_with('#') {
                self.next += 1;
            } else {
                break;
            }
        }
        // `KEY:` with nothing is YAML's null, which says as much as an empty text.
        Ok(if items.is_empty() { Param::Scalar(String::new()) } else { Param::List(items) })
    }

    fn inline_list(&mut self, rest: &'a str) -> Result<Param, ParamsError> {
        let mut items = Vec::new();
        let mut rest = rest[1..].trim_start();
        loop {
            if let Some(after) = rest.strip_prefix(']') {
                self.nothing_after(after)?;
                return Ok(Param::List(items));
            }
            let after = if rest.starts_with(['\'', '"']) {
                let (item, after) = self.quoted(rest)?;
                items.push(item);
                after
            } else {
                let end = rest.find([',', ']']).unwrap_or(rest.len());
                items.push(rest[..end].trim().to_owned());
                &rest[end..]
            }
            .trim_start();
            rest = match after.strip_prefix(',') {
                Some(more) => more.trim_start(),
                None if after.starts_with(']') => after,
                None => return self.fail("a list that is not closed on its line"),
            };
        }
    }

    fn scalar(&mut self, text: &'a str) -> Result<String, ParamsError> {
        let (tag, text) = match text.strip_prefix('!') {
            Some(tagged) => {
                let (tag, value) = tagged.split_once(' ').unwrap_or((tagged, ""));
                (tag.trim_start_matches('!'), value.trim_start())
            }
            None => ("", text),
        };
        let value = if text.starts_with(['\'', '"']) {
            let (value, rest) = self.quoted(text)?;
            self.nothing_after(rest)?;
            value
        } else if text.starts_with(['{', '&', '*', '|', '>']) {
            return self.fail("nested values, anchors and text blocks do not belong into a parameter file");
        } else {
            let end = text.find(" #").unwrap_or(text.len());
            let plain = text[..end].trim();
            if plain.starts_with('#') { String::new() } else { plain.to_owned() }
        };
        let is_null = matches!(value.as_str(), "null" | "~") && (tag == "null" || !text.starts_with(['\'', '"']));
        Ok(if is_null { String::new() } else { value })
    }

    fn nothing_after(&self, rest: &str) -> Result<(), ParamsError> {
        let rest = rest.trim();
        if rest.is_empty() || rest.starts_with('#') { Ok(()) } else { self.fail("text after a closed value") }
    }

    /// The text of a quoted scalar and what follows it. A scalar may be folded over lines, which join with a blank.
    fn quoted(&mut self, text: &'a str) -> Result<(String, &'a str), ParamsError> {
        let quote = if text.starts_with('\'') { '\'' } else { '"' };
        let mut value = String::new();
        let mut rest = &text[1..];
        loop {
            let Some(c) = rest.chars().next() else {
                let Some(line) = self.lines.get(self.next).copied() else {
                    return self.fail("a quote that is not closed");
                };
                self.next += 1;
                value.truncate(value.trim_end().len());
                value.push(' ');
                rest = line.trim_start();
                continue;
            };
            rest = &rest[c.len_utf8()..];
            if c == quote {
                match rest.strip_prefix('\'') {
                    Some(after) if quote == '\'' => {
                        value.push('\'');
                        rest = after;
                    }
                    _ => return Ok((value, rest)),
                }
            } else if c == '\\' && quote == '"' {
                rest = self.escape(rest, &mut value)?;
            } else {
                value.push(c);
            }
        }
    }

    fn escape(&self, rest: &'a str, value: &mut String) -> Result<&'a str, ParamsError> {
        // A backslash at the end of a line joins it with the next one.
        let Some(c) = rest.chars().next() else { return Ok(rest) };
        let after = &rest[c.len_utf8()..];
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                value.push(match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' => '\u{1b}',
                    'N' => '\u{85}',
                    '_' => '\u{a0}',
                    other => other,
                });
                return Ok(after);
            }
        };
        let code = after.get(..digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(decoded) => {
                value.push(decoded);
                Ok(&after[digits..])
            }
            None => self.fail("an escape that is not a character"),
        }
    }
}

#[cfg(test)]
#[path = "params_yaml_tests.rs"]
mod tests;
