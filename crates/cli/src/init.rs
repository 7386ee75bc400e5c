//! `dr-init`: a new racing folder.

use std::io;
use std::path::{Path, PathBuf};

use deepracer_settings::{env_edit, templates};

use crate::arguments::Init;
use crate::context::shown;
use crate::failure::{Exit, Failure};
use crate::output::say;

/// Files by their place in the folder.
type Files = &'static [(&'static str, &'static str)];

const DEFAULT: Files = &[
    ("system.env", templates::SYSTEM_ENV),
    ("run.env", templates::RUN_ENV),
    ("custom_files/reward_function.py", include_str!("../templates/reward_function.py")),
    ("custom_files/model_metadata.json", templates::MODEL_METADATA_JSON),
    ("custom_files/hyperparameters.json", templates::HYPERPARAMETERS_JSON),
];

const LAP: Files = &[
    ("system.env", templates::SYSTEM_ENV),
    ("run.env", include_str!("../templates/lap/run.env")),
    ("custom_files/reward_function.py", include_str!("../templates/reward_function.py")),
    ("custom_files/model_metadata.json", templates::MODEL_METADATA_JSON),
    ("custom_files/hyperparameters.json", templates::HYPERPARAMETERS_JSON),
];

const PRESETS: &[(&str, Files)] = &[("default", DEFAULT), ("lap", LAP)];

/// What becomes of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    New,
    Unchanged,
    Kept,
    Replaced,
}

pub(crate) fn run(arguments: &Init) -> Result<Exit, Failure> {
    let Some((_, files)) = PRESETS.iter().find(|(name, _)| *name == arguments.preset) else {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        return Err(Failure::wrong_use(format!("there is no preset `{}`", arguments.preset))
            .hint(format!("presets: {}", names.join(", "))));
    };
    // Without a leading `./`, which would only clutter the messages.
    let folder: PathBuf = arguments.folder.components().collect();
    let folder = folder.strip_prefix(".").unwrap_or(&folder);
    let failed = |path: &Path| {
        let what = format!("cannot write {}", path.display());
        move |error: io::Error| Failure::failed(what).caused_by(&error)
    };
    let mut num_kept = 0;
    for (place, text) in *files {
        let path = folder.join(place);
        let fate = write(&path, text, arguments.force).map_err(failed(&path))?;
        match fate {
            Fate::New => say!("{}", shown(&path)),
            Fate::Replaced => {
                say!("{} (the old one is kept as {})", shown(&path), shown(&env_edit::backup_path(&path)));
            }
            Fate::Unchanged => {}
            Fate::Kept => {
                num_kept += 1;
                eprintln!("{} exists and differs; it was left alone", shown(&path));
            }
        }
    }
    let data = folder.join("data");
    std::fs::create_dir_all(&data).map_err(failed(&data))?;
    if num_kept > 0 {
        eprintln!("`dr-init --force` replaces files that differ, keeping each as FILE.bak");
    }
    eprintln!(
        "{} is a racing folder; next, inside it: `dr-upload-custom-files`, `dr-start-training`, `dr-start-evaluation`",
        if folder.as_os_str().is_empty() { "this".to_owned() } else { shown(folder) }
    );
    Ok(Exit::Done)
}

/// Writes one file, never over a different one unless `force` says so; then the old one is kept beside it.
fn write(path: &PathBuf, text: &str, force: bool) -> io::Result<Fate> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let fate = match std::fs::read(path) {
        Ok(old) if old == text.as_bytes() => return Ok(Fate::Unchanged),
        Ok(_) if !force => return Ok(Fate::Kept),
        Ok(_) => {
            std::fs::rename(path, env_edit::backup_path(path))?;
            Fate::Replaced
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Fate::New,
        Err(error) => return Err(error),
    };
    std::fs::write(path, text)?;
    Ok(fate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_settings::hyperparameters::Hyperparameters;
    use deepracer_settings::model_metadata::ModelMetadata;
    use deepracer_settings::{RacingFolder, Request, Settings};

    fn init(folder: &Path, preset: &str, force: bool) -> Result<Exit, Failure> {
        run(&Init { folder: folder.to_path_buf(), preset: preset.to_owned(), force })
    }

    #[test]
    fn every_preset_makes_files_that_load_without_a_warning() -> Result<(), Box<dyn std::error::Error>> {
        for (preset, _) in PRESETS {
            let base = tempfile::tempdir()?;
            let folder = base.path().join("my racing");
            init(&folder, preset, false)?;
            let loaded = Settings::load(&Request::new(RacingFolder::at(&folder)))?;
            assert_eq!(loaded.warnings, [], "{preset}");
            let read = |name: &str| std::fs::read_to_string(folder.join("custom_files").join(name));
            assert_eq!(ModelMetadata::parse(&read("model_metadata.json")?, "")?.1, [], "{preset}");
            assert_eq!(Hyperparameters::parse(&read("hyperparameters.json")?, "")?.1, [], "{preset}");
        }
        Ok(())
    }

    #[test]
    fn files_that_differ_are_left_alone_until_told_and_then_kept_beside() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        std::fs::write(base.path().join("run.env"), "DR_WORLD_NAME=Oval_track\n")?;
        init(base.path(), "default", false)?;
        assert_eq!(std::fs::read_to_string(base.path().join("run.env"))?, "DR_WORLD_NAME=Oval_track\n");
        assert!(base.path().join("system.env").is_file());
        init(base.path(), "default", true)?;
        assert_eq!(std::fs::read_to_string(base.path().join("run.env"))?, templates::RUN_ENV);
        assert_eq!(std::fs::read_to_string(base.path().join("run.env.bak"))?, "DR_WORLD_NAME=Oval_track\n");
        assert!(init(base.path(), "laps", false).is_err());
        Ok(())
    }
}
