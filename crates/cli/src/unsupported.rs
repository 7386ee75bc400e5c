//! Commands of Deepracer-for-Cloud that do not exist here: each says what to do instead.

/// A command that is known but cannot be done, and what to do instead.
pub(crate) struct Unsupported {
    /// Its name without `dr-`.
    pub(crate) name: &'static str,
    /// Ends the sentence "not supported yet: …".
    pub(crate) instead: &'static str,
}

const VIEWER: &str = "there is no live view yet; `dr-logs-robomaker` shows every step while the car drives, and an \
                      evaluation writes a picture of the driven line";
const ANALYSIS: &str = "there is no bundled notebook; install `deepracer-utils` in an environment of its own and point it at \
                        the model's folder below `data/s3/`";
const CHARTS: &str = "there are no live charts yet; `metrics/TrainingMetrics.json` in the model's folder is rewritten after \
                      every episode";
const CONTAINERS: &str = "there are no containers here: a run is one process; `dr-summary` shows it and its process id";
const UPLOAD: &str = "models stay on this machine; copy the model's folder below `data/s3/` where you need it";

/// Every such command.
pub(crate) const COMMANDS: &[Unsupported] = &[
    Unsupported { name: "start-viewer", instead: VIEWER },
    Unsupported { name: "stop-viewer", instead: VIEWER },
    Unsupported { name: "update-viewer", instead: VIEWER },
    Unsupported { name: "view-stream", instead: VIEWER },
    Unsupported { name: "start-loganalysis", instead: ANALYSIS },
    Unsupported { name: "stop-loganalysis", instead: ANALYSIS },
    Unsupported { name: "logs-loganalysis", instead: ANALYSIS },
    Unsupported { name: "url-loganalysis", instead: ANALYSIS },
    Unsupported { name: "start-metrics", instead: CHARTS },
    Unsupported { name: "stop-metrics", instead: CHARTS },
    Unsupported { name: "find-sagemaker", instead: CONTAINERS },
    Unsupported { name: "find-robomaker", instead: CONTAINERS },
    Unsupported { name: "get-robomaker-stats", instead: CONTAINERS },
    Unsupported {
        name: "local-aws",
        instead: "local storage needs no server and no client; its objects are plain files below `data/s3/`",
    },
    Unsupported { name: "list-aws-models", instead: UPLOAD },
    Unsupported {
        name: "set-upload-model",
        instead: "set `DR_UPLOAD_S3_PREFIX` in run.env yourself; nothing is uploaded yet",
    },
    Unsupported { name: "upload-model", instead: UPLOAD },
    Unsupported {
        name: "download-model",
        instead: "copy the model's folder below `data/s3/<bucket>/` and name it in DR_LOCAL_S3_PRETRAINED_PREFIX",
    },
    Unsupported { name: "increment-upload-model", instead: UPLOAD },
    Unsupported { name: "upload-car-zip", instead: "the archive for the physical car is not written yet" },
    Unsupported {
        name: "start-tournament",
        instead: "`dr-start-evaluation` with DR_RACE_TYPE=HEAD_TO_MODEL races against the model of DR_EVAL_OPP_S3_MODEL_PREFIX",
    },
];

/// Finds one of them by its name without `dr-`.
pub(crate) fn find(name: &str) -> Option<&'static Unsupported> {
    COMMANDS.iter().find(|command| command.name == name)
}
