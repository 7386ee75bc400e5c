//! Reading recorded step logs of the original simulator.

use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
};

use deepracer_vehicle::{Command, Generation};
use flate2::read::GzDecoder;
use glam::DVec2;

/// One control step: where the car was, and what it was then told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The front point, metres.
    pub(crate) front: DVec2,
    /// Heading, radians.
    pub(crate) yaw_rad: f64,
    /// The command given at this pose; [`Command::STOP`] where the action was ignored.
    pub(crate) command: Command,
}

/// The uninterrupted rows of one episode, from standstill, one control period apart.
pub(crate) type Episode = Vec<Row>;

/// A group of logs that belong together.
pub(crate) struct TraceSet {
    /// Folder below `data/traces`.
    pub(crate) folder: &'static str,
    /// What drove it.
    pub(crate) generation: Generation,
    /// The commands given, in words.
    pub(crate) commands: &'static str,
}

/// Every set of the shared folder.
pub(crate) const TRACE_SETS: [TraceSet; 7] = [
    TraceSet {
        folder: "2020-08_v3_reinvent_base_train", generation: Generation::A, commands: "0.33–1 m/s, discrete"
    },
    TraceSet { folder: "2022-07_v4_reinvent_base_drfc1", generation: Generation::A, commands: "1–2 m/s, discrete" },
    TraceSet { folder: "2022-07_v5_reinvent_base_train", generation: Generation::B, commands: "1.2–3 m/s, discrete" },
    TraceSet { folder: "2022-06_v5_2022_june_pro_train", generation: Generation::B, commands: "1.3–4 m/s, discrete" },
    TraceSet { folder: "2023_v5_FS_June2020_train", generation: Generation::B, commands: "1–4 m/s, discrete" },
    TraceSet {
        folder: "2023-02_v5_2022_reinvent_champ_obstacles",
        generation: Generation::B,
        commands: "0.1–4 m/s, discrete, boxes",
    },
    TraceSet { folder: "2026-03_v6port_Spain_track", generation: Generation::C, commands: "1–2.5 m/s, discrete" },
];

/// The folder with the recorded data: `DEEPRACER_SHARED`, else `shared` beside the workspace.
/// `None` when there is no such folder.
pub(crate) fn shared_folder() -> Option<PathBuf> {
    let folder = env::var_os("DEEPRACER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    folder.join("data/traces").is_dir().then_some(folder)
}

impl TraceSet {
    /// All episodes of the set, files in the order of their names.
    pub(crate) fn read(&self, shared: &Path) -> Vec<Episode> {
        let mut files = Vec::new();
        collect_files(&shared.join("data/traces").join(self.folder), &mut files);
        files.sort();
        files.iter().flat_map(|file| read_file(file)).collect()
    }
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the shared folder is readable") {
        let path = entry.expect("the shared folder is readable").path();
        if path.is_dir() {
            collect_files(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "csv" || kind == "gz") {
            files.push(path);
        }
    }
}

/// Both formats have the same columns in front: episode, step, x, y, yaw, steering, speed,
/// action; the status is the sixteenth.
fn read_file(path: &Path) -> Vec<Episode> {
    let bytes = fs::read(path).expect("the shared folder is readable");
    let packed = path.extension().is_some_and(|kind| kind == "gz");
    let mut text = Vec::new();
    if packed {
        GzDecoder::new(&bytes[..]).read_to_end(&mut text).expect("a gzip file");
    } else {
        text = bytes;
    }
    let text = String::from_utf8_lossy(&text);

    let mut episodes: Vec<Episode> = Vec::new();
    let mut last_step = f64::INFINITY;
    for line in text.lines() {
        let line = if packed {
            match line.split_once("SIM_TRACE_LOG:") {
                Some((_, rest)) => rest,
                None => continue,
            }
        } else {
            line
        };
        let fields: Vec<&str> = line.split(',').collect();
        let numbers: Option<Vec<f64>> = fields.iter().take(7).map(|field| field.trim().parse().ok()).collect();
        let (Some(numbers), Some(status)) = (numbers, fields.get(15)) else { continue };
        let [_, step, x, y, yaw_deg, steering_deg, speed_mps] = numbers[..] else { continue };
        let standing = matches!(status.trim(), "prepare" | "pause");
        // Laps of one evaluation follow each other without a stop: their steps count on.
        // A car that waits has been put down anew; only its last waiting row counts.
        if step <= last_step || standing {
            episodes.push(Vec::new());
        } else {
            assert_eq!(step, last_step + 1.0, "{} misses a row", path.display());
        }
        last_step = step;
        let command = if standing { Command::STOP } else { Command::from_request(steering_deg, speed_mps) };
        if let Some(rows) = episodes.last_mut() {
            rows.push(Row { front: DVec2::new(x, y), yaw_rad: yaw_deg.to_radians(), command });
        }
    }
    episodes.retain(|rows| rows.len() > 1);
    episodes
}
