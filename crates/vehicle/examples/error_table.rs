//! Prints how well the dynamics predict recorded rows, as the table in `docs/src/dynamics.md`.
//!
//! `cargo run --release -p deepracer-vehicle --example error_table`; the recorded data is looked
//! for in `DEEPRACER_SHARED`, else in `shared` beside the workspace.

#[path = "../tests/replay/mod.rs"]
mod replay;

use std::process::ExitCode;

use replay::{
    compare, table,
    traces::{TRACE_SETS, shared_folder},
};

fn main() -> ExitCode {
    let Some(shared) = shared_folder() else {
        eprintln!("no recorded data: set DEEPRACER_SHARED to the folder that holds data/traces");
        return ExitCode::FAILURE;
    };
    println!("{}", table::HEADER);
    for set in &TRACE_SETS {
        for line in table::lines(set, &compare(set, &set.read(&shared))) {
            println!("{line}");
        }
    }
    ExitCode::SUCCESS
}
