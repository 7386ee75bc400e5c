//! Emptying a model's folder without losing it should the new run not start.

use std::path::{Path, PathBuf};

use deepracer_job::prefix;

use crate::context::Context;
use crate::failure::Failure;

/// A model that was moved out of its place.
pub(crate) struct SetAside {
    description: String,
    model: PathBuf,
    aside: PathBuf,
}

impl SetAside {
    /// Moves the model of the settings out of its place; `None` when there is none.
    pub(crate) fn model(context: &Context) -> Result<Option<Self>, Failure> {
        let layout = context.model()?;
        let found = prefix::find(&context.bucket(), &layout).map_err(|error| {
            Failure::failed(format!("cannot look for the model `{}`", layout.prefix())).caused_by(&error)
        })?;
        let Some(existing) = found else { return Ok(None) };
        let model = context.bucket_folder().join(layout.prefix());
        let set_aside = Self {
            description: existing.to_string(),
            // Beside it: the same disk, wherever the bucket lies.
            aside: model.with_file_name(format!(".wiped-{}", std::process::id())),
            model,
        };
        std::fs::rename(&set_aside.model, &set_aside.aside)
            .map_err(|error| set_aside.failure("empty", &set_aside.model).caused_by(&error))?;
        Ok(Some(set_aside))
    }

    /// The new run drives: the old model goes for good.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        std::fs::remove_dir_all(&self.aside).map_err(|error| self.failure("remove", &self.aside).caused_by(&error))?;
        eprintln!("emptied {}", self.description);
        Ok(())
    }

    /// There is no new run: the old model is put back.
    pub(crate) fn restore(self) -> Result<(), Failure> {
        // What the run that did not start may have written already.
        if self.model.exists() {
            std::fs::remove_dir_all(&self.model)
                .map_err(|error| self.failure("put back", &self.aside).caused_by(&error))?;
        }
        std::fs::rename(&self.aside, &self.model)
            .map_err(|error| self.failure("put back", &self.aside).caused_by(&error))?;
        eprintln!("{} was put back", self.description);
        Ok(())
    }

    fn failure(&self, action: &str, place: &Path) -> Failure {
        Failure::failed(format!("cannot {action} {}", self.description))
            .cause(format!("it lies in {}", place.display()))
    }
}
