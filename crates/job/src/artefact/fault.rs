//! Errors as the original logs them: one JSON line, then a fault code that scripts look up.

use serde::Serialize;

use super::json_text;

/// What went wrong, in the original's numbering. Only what can happen in this program has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FaultCode {
    /// None of the others.
    Unclassified = 0,
    /// The reward function's file could not be imported.
    RewardFunctionImport = 12,
    /// The model's shape does not fit its metadata.
    ModelShape = 13,
    /// A file could not be written, for example because the disk is full.
    FileUpload = 23,
    /// An iteration brought no steps to learn from.
    NoRolloutData = 24,
    /// The loss is not a number.
    NanLoss = 25,
    /// Another failure while learning.
    Training = 27,
    /// No checkpoint was found.
    CheckpointNotFound = 35,
    /// The model metadata could not be read.
    ModelMetadata = 36,
    /// The reward function raised an exception or returned something unusable.
    RewardFunction = 41,
    /// A checkpoint is damaged.
    CheckpointCorrupt = 61,
}

impl FaultCode {
    /// The number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The part of the program that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExceptionType {
    /// Driving, in training or evaluation.
    SimulationWorker,
    /// Learning.
    TrainingWorker,
    /// Reading and writing files.
    S3Datastore,
}

impl ExceptionType {
    fn text(self) -> &'static str {
        match self {
            ExceptionType::SimulationWorker => "simulation_worker.exceptions",
            ExceptionType::TrainingWorker => "training_worker.exceptions",
            ExceptionType::S3Datastore => "s3_datastore.exceptions",
        }
    }
}

/// A failure that ends a run.
#[derive(Debug, Clone, Copy)]
pub struct Fault<'run> {
    /// Local time.
    pub date: jiff::civil::DateTime,
    /// Where it was noticed: `file::function::line`.
    pub function: &'run str,
    /// What happened, why, and what to do, on one line or several.
    pub message: &'run str,
    /// The part of the program.
    pub exception_type: ExceptionType,
    /// Whether the user's files are the cause, and not the program or the machine.
    pub is_user_error: bool,
    /// The number.
    pub code: FaultCode,
}

#[derive(Serialize)]
struct Line<'run> {
    simapp_exception: Exception<'run>,
}

/// The record's fields, named as in the file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Exception<'run> {
    date: String,
    function: &'run str,
    message: &'run str,
    #[serde(rename = "exceptionType")]
    worker: &'static str,
    event_type: &'static str,
    error_code: &'static str,
}

impl Fault<'_> {
    /// The two lines to log.
    pub fn log_lines(&self) -> [String; 2] {
        let (event_type, error_code) = if self.is_user_error { ("user_error", "400") } else { ("system_error", "500") };
        let line = Line {
            simapp_exception: Exception {
                date: self.date.strftime("%Y-%m-%d %H:%M:%S.%6f").to_string(),
                function: self.function,
                message: self.message,
                worker: self.exception_type.text(),
                event_type,
                error_code,
            },
        };
        [json_text::to_string(&line), format!("ERROR: FAULT_CODE: {}", self.code.code())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_the_original_lines() {
        let mut fault = Fault {
            date: jiff::civil::date(2024, 1, 1).at(10, 0, 0, 0),
            function: "worker.py::run::88",
            message: "the reward function raised NameError: \"BONUS\"\nline 3",
            exception_type: ExceptionType::SimulationWorker,
            is_user_error: true,
            code: FaultCode::RewardFunction,
        };
        assert_eq!(
            fault.log_lines(),
            [
                "{\"simapp_exception\": {\"date\": \"2024-01-01 10:00:00.000000\", \
                 \"function\": \"worker.py::run::88\", \
                 \"message\": \"the reward function raised NameError: \\\"BONUS\\\"\\nline 3\", \
                 \"exceptionType\": \"simulation_worker.exceptions\", \"eventType\": \"user_error\", \
                 \"errorCode\": \"400\"}}",
                "ERROR: FAULT_CODE: 41",
            ]
        );
        fault.is_user_error = false;
        fault.code = FaultCode::NanLoss;
        let [json, code] = fault.log_lines();
        assert!(json.contains("\"eventType\": \"system_error\", \"errorCode\": \"500\""), "{json}");
        assert_eq!(code, "ERROR: FAULT_CODE: 25");
    }
}
