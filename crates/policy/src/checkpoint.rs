//! Checkpoints: a policy as a folder that is complete or not there.
//!
//! A checkpoint holds `weights.safetensors` (the variables of critic and actor under the names of the reference's
//! checkpoints), `optimizer.safetensors` (Adam's moments, `<variable>/first_moment` and `<variable>/second_moment`) and
//! `state.json` (format version, specification, hyperparameters, seed, counters, random streams, checksums of the other two
//! files, and whatever the caller adds). It is written beside its destination and then renamed, so a process that is killed
//! leaves the old checkpoint or the new one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, View};
use serde::{Deserialize, Serialize};

use crate::hyperparameters::{PolicyError, PpoHyperparameters};
use crate::ppo::{ClippedPpo, Progress};
use crate::specification::{ActionSpec, InputShape, PolicySpec, Topology};
use crate::variable::Variable;

/// The version of the format written here.
const FORMAT_VERSION: u32 = 1;
const WEIGHTS: &str = "weights.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const STATE: &str = "state.json";
/// Where the old checkpoint is while a new one takes its place.
const PREVIOUS: &str = "previous";

/// Why a checkpoint cannot be written or used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// There is no checkpoint at this place.
    #[error("there is no checkpoint in {0}; check the path and the name of the model")]
    Missing(PathBuf),
    /// Reading or writing failed.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A file is not what was written.
    #[error("{path} is damaged ({reason}); use another checkpoint of this model")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The checkpoint was written by another version.
    #[error(
        "{path} has format version {found}, this program reads version {FORMAT_VERSION}; use the program that wrote it"
    )]
    Version {
        /// The state file.
        path: PathBuf,
        /// Its format version.
        found: u32,
    },
    /// The checkpoint's policy answers with other actions.
    #[error(
        "the model in {path} has {found}, this run has {expected}; use the action space the model was trained with, or start a new model"
    )]
    OtherActions {
        /// The checkpoint.
        path: PathBuf,
        /// Actions of the checkpoint.
        found: ActionSpec,
        /// Actions of the policy that was to be started from it.
        expected: ActionSpec,
    },
    /// The checkpoint's policy has other sensors or layers.
    #[error(
        "the model in {path} has {found}, this run has {expected}; use the sensors and the network the model was trained with, or start a new model"
    )]
    OtherNetwork {
        /// The checkpoint.
        path: PathBuf,
        /// Inputs and topology of the checkpoint.
        found: String,
        /// Inputs and topology of the policy that was to be started from it.
        expected: String,
    },
    /// The stored specification or hyperparameters are not possible.
    #[error("{path} does not describe a policy: {source}")]
    Policy {
        /// The state file.
        path: PathBuf,
        /// What is wrong.
        source: PolicyError,
    },
}

/// What a policy takes over from a pretrained one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// The weights; Adam starts afresh, as in the reference.
    Weights,
    /// The weights and the state of Adam.
    WeightsAndOptimizer,
}

/// Contents of `state.json`.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    format_version: u32,
    spec: PolicySpec,
    hyperparameters: PpoHyperparameters,
    seed: u64,
    progress: Progress,
    /// Of the other files, by name, in hexadecimal.
    checksums: BTreeMap<String, String>,
    /// The caller's own.
    extra: serde_json::Value,
}

impl ClippedPpo {
    /// Writes a checkpoint to `folder`, replacing the one that is there. Missing parent folders are created.
    ///
    /// `extra` is kept beside the policy's own state, for the caller's counters and random streams.
    pub fn save(&self, folder: &Path, extra: &serde_json::Value) -> Result<(), CheckpointError> {
        let parent = parent(folder);
        fs::create_dir_all(parent).map_err(io_error("create", parent))?;
        let temporary = sibling(folder, &format!("writing-{}", std::process::id()));
        remove_folder(&temporary)?;
        let result = self.write_files(&temporary, extra).and_then(|()| replace(&temporary, folder));
        if result.is_err() {
            // The reason of the failure is worth more than that of a failed clean-up.
            let _ = remove_folder(&temporary);
        }
        result
    }

    /// Reads the checkpoint in `folder`: the policy as it was, and the caller's extra state.
    pub fn load(folder: &Path) -> Result<(Self, serde_json::Value), CheckpointError> {
        let folder = find(folder)?;
        let state = read_state(&folder)?;
        let path = folder.join(STATE);
        let mut policy = Self::new(state.spec.clone(), state.hyperparameters.clone(), state.seed)
            .map_err(|source| CheckpointError::Policy { path, source })?;
        policy.read_tensors(&folder, &state, Restore::WeightsAndOptimizer)?;
        *policy.progress_mut() = state.progress;
        Ok((policy, state.extra))
    }

    /// Takes over the weights of the checkpoint in `folder`, and with [`Restore::WeightsAndOptimizer`] the state of Adam;
    /// hyperparameters, seed and random streams stay. Without the latter Adam starts afresh.
    ///
    /// On an error the policy may hold a part of the weights and must not be used.
    pub fn load_weights_from(&mut self, folder: &Path, restore: Restore) -> Result<(), CheckpointError> {
        let folder = find(folder)?;
        let state = read_state(&folder)?;
        let (found, expected) = (&state.spec, self.spec());
        if found.actions != expected.actions {
            return Err(CheckpointError::OtherActions {
                path: folder,
                found: found.actions,
                expected: expected.actions,
            });
        }
        if found != expected {
            return Err(CheckpointError::OtherNetwork {
                path: folder,
                found: describe(found),
                expected: describe(expected),
            });
        }
        self.read_tensors(&folder, &state, restore)?;
        self.progress_mut().optimizer_steps = match restore {
            Restore::Weights => 0,
            Restore::WeightsAndOptimizer => state.progress.optimizer_steps,
        };
        Ok(())
    }

    fn write_files(&self, folder: &Path, extra: &serde_json::Value) -> Result<(), CheckpointError> {
        fs::create_dir(folder).map_err(io_error("create", folder))?;
        let mut weights = vec![];
        let mut moments = vec![];
        for variable in self.variables() {
            let tensor = |values| Values { shape: variable.shape(), values };
            let [first, second] = moment_names(variable);
            weights.push((variable.name().to_owned(), tensor(variable.values())));
            moments.push((first, tensor(variable.first_moment())));
            moments.push((second, tensor(variable.second_moment())));
        }
        let mut checksums = BTreeMap::new();
        for (name, tensors) in [(WEIGHTS, weights), (OPTIMIZER, moments)] {
            let path = folder.join(name);
            let bytes = safetensors::serialize(tensors, None)
                .map_err(|error| io_error("write", &path)(io::Error::other(error)))?;
            checksums.insert(name.to_owned(), checksum(&bytes));
            write_durably(&path, &bytes)?;
        }
        let state = State {
            format_version: FORMAT_VERSION,
            spec: self.spec().clone(),
            hyperparameters: self.hyperparameters().clone(),
            seed: self.seed(),
            progress: self.progress().clone(),
            checksums,
            extra: extra.clone(),
        };
        let path = folder.join(STATE);
        let json = serde_json::to_vec_pretty(&state).map_err(|error| io_error("write", &path)(error.into()))?;
        write_durably(&path, &json)?;
        sync_folder(folder)
    }

    fn read_tensors(&mut self, folder: &Path, state: &State, restore: Restore) -> Result<(), CheckpointError> {
        let weights = TensorFile::read(folder, WEIGHTS, state)?;
        let optimizer = match restore {
            Restore::Weights => None,
            Restore::WeightsAndOptimizer => Some(TensorFile::read(folder, OPTIMIZER, state)?),
        };
        let weights_view = weights.tensors()?;
        let optimizer_view = optimizer.as_ref().map(TensorFile::tensors).transpose()?;
        let copy = |variable: &mut Variable| {
            let names = moment_names(variable);
            let (name, shape) = (variable.name().to_owned(), variable.shape().to_vec());
            let block = variable.block();
            weights.copy(&weights_view, &name, &shape, block.values)?;
            if let Some((file, view)) = optimizer.as_ref().zip(optimizer_view.as_ref()) {
                file.copy(view, &names[0], &shape, block.first_moment)?;
                file.copy(view, &names[1], &shape, block.second_moment)?;
            } else {
                block.first_moment.fill(0.0);
                block.second_moment.fill(0.0);
            }
            Ok(())
        };
        let mut result = Ok(());
        for network in self.networks_mut() {
            network.change_variables(|variable| {
                if result.is_ok() {
                    result = copy(variable);
                }
            });
        }
        result
    }
}

/// A file of tensors that has passed its checksum.
struct TensorFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl TensorFile {
    fn read(folder: &Path, name: &str, state: &State) -> Result<Self, CheckpointError> {
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(io_error("read", &path))?;
        let file = Self { path, bytes };
        match state.checksums.get(name) {
            Some(expected) if *expected == checksum(&file.bytes) => Ok(file),
            Some(_) => Err(file.damaged("its contents are not those that were written".into())),
            None => Err(file.damaged("state.json has no checksum of it".into())),
        }
    }

    fn tensors(&self) -> Result<SafeTensors<'_>, CheckpointError> {
        SafeTensors::deserialize(&self.bytes).map_err(|error| self.damaged(error.to_string()))
    }

    /// Copies one tensor, which must have this shape.
    fn copy(
        &self,
        tensors: &SafeTensors<'_>,
        name: &str,
        shape: &[usize],
        target: &mut [f32],
    ) -> Result<(), CheckpointError> {
        let tensor = tensors.tensor(name).map_err(|_| self.damaged(format!("{name} is not in it")))?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            let found = tensor.shape();
            return Err(self.damaged(format!(
                "{name} is {:?} of shape {found:?} instead of F32 of shape {shape:?}",
                tensor.dtype()
            )));
        }
        for (value, bytes) in target.iter_mut().zip(tensor.data().as_chunks().0) {
            *value = f32::from_le_bytes(*bytes);
        }
        Ok(())
    }

    fn damaged(&self, reason: String) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.clone(), reason }
    }
}

fn moment_names(variable: &Variable) -> [String; 2] {
    ["first_moment", "second_moment"].map(|moment| format!("{}/{moment}", variable.name()))
}

fn describe(spec: &PolicySpec) -> String {
    let network = match spec.topology {
        Topology::Shallow => "shallow",
        Topology::Mid => "medium",
        Topology::Deep => "deep",
    };
    let inputs: Vec<String> = spec
        .inputs
        .iter()
        .map(|input| match input.shape {
            InputShape::Image { height, width, channels } => format!("{} ({width}x{height}x{channels})", input.name),
            InputShape::Vector { len } => format!("{} ({len} values)", input.name),
        })
        .collect();
    format!("the {network} network on {}", inputs.join(" and "))
}

/// One tensor to be written.
struct Values<'a> {
    shape: &'a [usize],
    values: &'a [f32],
}

impl View for Values<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let mut bytes = vec![0; self.data_len()];
        for (bytes, value) in bytes.as_chunks_mut().0.iter_mut().zip(self.values) {
            *bytes = value.to_le_bytes();
        }
        bytes.into()
    }

    fn data_len(&self) -> usize {
        4 * self.values.len()
    }
}

/// Names every byte of a file in 16 hexadecimal digits. It finds damage, not forgery.
fn checksum(bytes: &[u8]) -> String {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    // FNV-1a over words of 8 bytes, with a rotation so that high bits reach low ones.
    let hash = words.fold(0xCBF2_9CE4_8422_2325 ^ bytes.len() as u64, |hash: u64, word| {
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(29)
    });
    format!("{hash:016x}")
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |source| CheckpointError::Io { action, path, source }
}

/// Writes a new file and waits until it is on the disk.
fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let write = || {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(io_error("write", path))
}

/// Waits until the entries of a folder are on the disk.
fn sync_folder(folder: &Path) -> Result<(), CheckpointError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_error("flush", folder))
}

/// Puts `new` in the place of `folder`. The old folder is moved aside first and is found there by [`find`] when the process
/// is killed between the two renames.
fn replace(new: &Path, folder: &Path) -> Result<(), CheckpointError> {
    let previous = sibling(folder, PREVIOUS);
    if folder.exists() {
        remove_folder(&previous)?;
        fs::rename(folder, &previous).map_err(io_error("move", folder))?;
    }
    fs::rename(new, folder).map_err(io_error("move", new))?;
    sync_folder(parent(folder))?;
    remove_folder(&previous)
}

/// The folder to read: the checkpoint itself, or the one a killed process had moved aside.
fn find(folder: &Path) -> Result<PathBuf, CheckpointError> {
    let candidates = [folder.to_owned(), sibling(folder, PREVIOUS)];
    candidates
        .into_iter()
        .find(|candidate| candidate.join(STATE).is_file())
        .ok_or_else(|| CheckpointError::Missing(folder.to_owned()))
}

fn read_state(folder: &Path) -> Result<State, CheckpointError> {
    #[derive(Deserialize)]
    struct Format {
        format_version: u32,
    }
    let path = folder.join(STATE);
    let bytes = fs::read(&path).map_err(io_error("read", &path))?;
    let damaged = |error: serde_json::Error| CheckpointError::Damaged { path: path.clone(), reason: error.to_string() };
    let Format { format_version } = serde_json::from_slice(&bytes).map_err(damaged)?;
    if format_version != FORMAT_VERSION {
        return Err(CheckpointError::Version { path, found: format_version });
    }
    serde_json::from_slice(&bytes).map_err(damaged)
}

fn remove_folder(folder: &Path) -> Result<(), CheckpointError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("remove", folder)(error)),
        _ => Ok(()),
    }
}

fn parent(folder: &Path) -> &Path {
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The folder `.<name>.<suffix>` beside `folder`.
fn sibling(folder: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(folder.file_name().unwrap_or_default());
    name.push(".");
    name.push(suffix);
    parent(folder).join(name)
}
