//! Which process, beyond its number.

use serde::{Deserialize, Serialize};

/// A process, told from a later one that got the same number by the time it was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Its number.
    pub pid: u32,
    /// When it was started, in the operating system's own words. Only ever compared with itself.
    pub started: String,
}

impl ProcessIdentity {
    /// The process this code runs in.
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { pid, started: start_time(pid).unwrap_or_default() }
    }

    /// The living process of this number.
    pub fn of(pid: u32) -> Option<Self> {
        start_time(pid).map(|started| Self { pid, started })
    }

    /// Whether that very process still lives. A process that has ended but was not waited for (a zombie) does not.
    pub fn is_alive(&self) -> bool {
        start_time(self.pid).is_some_and(|started| started == self.started)
    }
}

/// When the living process `pid` was started; `None` when there is none.
///
/// The clock ticks since boot of `/proc/<pid>/stat`, with the id of the boot they count from.
#[cfg(target_os = "linux")]
fn start_time(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, and may hold blanks and parentheses itself.
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
    let state = fields.next()?;
    let ticks = fields.nth(18)?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{}+{ticks}", boot.trim()))
}

/// The same from `ps`, which every other Unix has.
#[cfg(not(target_os = "linux"))]
fn start_time(pid: u32) -> Option<String> {
    let output =
        std::process::Command::new("ps").args(["-o", "stat=,lstart=", "-p", &pid.to_string()]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (state, started) = text.trim().split_once(char::is_whitespace)?;
    (!state.starts_with('Z')).then(|| started.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_started_at_another_time_does_not() {
        let current = ProcessIdentity::current();
        assert!(!current.started.is_empty());
        assert!(current.is_alive());
        assert!(!ProcessIdentity { started: "another boot+1".to_owned(), ..current }.is_alive());
    }

    #[test]
    fn a_process_that_ended_is_dead_even_before_it_is_waited_for() -> Result<(), std::io::Error> {
        let mut child = std::process::Command::new("sleep").arg("60").spawn()?;
        let identity = ProcessIdentity::of(child.id()).ok_or(std::io::Error::other("not there"))?;
        assert!(identity.is_alive());
        child.kill()?;
        for _ in 0..200 {
            if !identity.is_alive() {
                child.wait()?;
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        child.wait()?;
        Err(std::io::Error::other("still counted as alive two seconds after it was killed"))
    }
}
