//! Runs as processes: their records, locks and logs, how they are started and stopped.
//!
//! A run is one detached process. Everything anybody else knows of it stands in its [record](RunRecord), a JSON file
//! below `data/run/`; the process itself keeps it up to date. Whether the process still lives is read from the operating
//! system ([`ProcessIdentity`]), never concluded from a file that happens to exist.
//!
//! | question | module |
//! |---|---|
//! | What is known about a run? | `record` |
//! | Is that process still the one that wrote the file? | `process_identity` |
//! | Who may write this model? | `lock` |
//! | How is a run started, and how does a mistake reach the terminal? | `start` |
//! | How is it asked to finish? | `stop` |
//! | What happens inside the process before and after the work? | `process` |
//! | How are log files written and followed? | `log_file`, `follow` |

mod follow;
mod lock;
mod log_file;
mod process;
mod process_identity;
mod record;
mod start;
mod stop;

pub use follow::{Followed, follow};
pub use lock::{Lock, LockError};
pub use log_file::{LogFile, RunLogs};
pub use process::{EnterError, RunProcess, carry_out};
pub use process_identity::ProcessIdentity;
pub use record::{Ending, RecordError, RewardSource, RunKind, RunRecord, RunRequest, RunState};
pub use start::{StartError, Started, start};
pub use stop::{StopError, Stopped, stop};
