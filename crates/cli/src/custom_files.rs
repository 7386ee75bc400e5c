//! `dr-upload-custom-files` and `dr-download-custom-files`.

use deepracer_bucket::SyncReport;
use deepracer_job::custom_files;

use crate::arguments::CustomFiles;
use crate::context::{Context, shown};
use crate::failure::{Exit, Failure};
use crate::output::say;

pub(crate) fn upload(arguments: &CustomFiles) -> Result<Exit, Failure> {
    let context = Context::load(&arguments.settings)?;
    let prefix = &context.config().storage.custom_files_prefix;
    let report = custom_files::upload(&context.custom_files(), &context.bucket(), prefix)
        .map_err(|error| Failure::failed("cannot upload the custom files").caused_by(&error))?;
    tell(&report, &shown(&context.bucket_folder().join(prefix)));
    Ok(Exit::Done)
}

pub(crate) fn download(arguments: &CustomFiles) -> Result<Exit, Failure> {
    let context = Context::load(&arguments.settings)?;
    let prefix = &context.config().storage.custom_files_prefix;
    let report = custom_files::download(&context.bucket(), prefix, &context.custom_files())
        .map_err(|error| Failure::failed("cannot download the custom files").caused_by(&error))?;
    tell(&report, &shown(&context.custom_files()));
    Ok(Exit::Done)
}

fn tell(report: &SyncReport, target: &str) {
    for name in &report.copied {
        say!("{name}");
    }
    eprintln!("{} copied to {target}, {} unchanged", report.copied.len(), report.num_unchanged);
}
