//! `dr-tracks`: list, show, import and check tracks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deepracer_job::picture::{self, Caption};
use deepracer_track::catalogue::{self, TrackInfo, Winding};
use deepracer_track::check::Severity;
use deepracer_track::{Direction, ImportOutcome, Imported, Library, Route, RouteSource, Track, TrackError, check};
use deepracer_world::mesh::{ImportChoices, MeshLibrary, MeshOutcome, MeshSource};
use serde_json::json;

use crate::arguments::{Tracks, TracksAction};
use crate::context::{library, racing_folder, shown, tracks_folder};
use crate::failure::{Exit, Failure};
use crate::output::{print_json, print_table, say};

pub(crate) fn run(arguments: &Tracks) -> Result<Exit, Failure> {
    match &arguments.action {
        TracksAction::List { text, json } => Ok(list(text.as_deref().unwrap_or_default(), *json)),
        TracksAction::Show { name, output } => show(name, output.as_deref()),
        TracksAction::Import { path, force, track, allow_missing } => {
            let choices = ImportChoices { force: *force, allow_missing: *allow_missing };
            import(path, track.as_deref(), choices)
        }
        TracksAction::Check { file } => check_file(file),
    }
}

/// The tracks of the racing folder, or the built-in ones outside any.
fn known_tracks() -> Library {
    racing_folder().map_or_else(|_| Library::new(None), |folder| library(&folder))
}

fn list(text: &str, as_json: bool) -> Exit {
    let wanted = text.to_lowercase();
    let matches = |name: &str| name.to_lowercase().contains(&wanted);
    let imported = known_tracks().imported_names().unwrap_or_default();
    let infos: Vec<&TrackInfo> =
        catalogue::all().iter().filter(|info| matches(info.name) || info.display_name.is_some_and(matches)).collect();
    let others: Vec<&String> =
        imported.iter().filter(|name| matches(name) && !infos.iter().any(|info| info.name == **name)).collect();
    if as_json {
        let of_catalogue = infos.iter().map(|info| {
            json!({
                "name": info.name,
                "display_name": info.display_name,
                "length_m": info.length_m,
                "mean_width_m": info.mean_width_m,
                "min_radius_m": if info.min_radius_m.is_finite() { json!(info.min_radius_m) } else { json!(null) },
                "num_waypoints": info.num_waypoints,
                "direction": winding_word(info.winding),
                "source": source_word(imported.iter().any(|name| name == info.name)),
            })
        });
        let of_user = others.iter().map(|name| json!({ "name": name, "source": source_word(true) }));
        print_json(&of_catalogue.chain(of_user).collect());
        return Exit::Done;
    }
    let heading = ["NAME", "TITLE", "LENGTH", "WIDTH", "WAYPOINTS", "DIRECTION", "SOURCE"].map(str::to_owned).to_vec();
    let row = |info: &&TrackInfo| {
        vec![
            info.name.to_owned(),
            info.display_name.unwrap_or("").to_owned(),
            format!("{:.2} m", info.length_m),
            format!("{:.2} m", info.mean_width_m),
            info.num_waypoints.to_string(),
            winding_word(info.winding).to_owned(),
            source_word(imported.iter().any(|name| name == info.name)).to_owned(),
        ]
    };
    let other = |name: &&String| {
        let mut cells = vec![String::new(); 7];
        cells[0].clone_from(name);
        source_word(true).clone_into(&mut cells[6]);
        cells
    };
    let rows: Vec<Vec<String>> =
        std::iter::once(heading).chain(infos.iter().map(row)).chain(others.iter().map(other)).collect();
    print_table(&rows);
    if rows.len() == 1 {
        eprintln!("no track has `{text}` in its name");
    }
    Exit::Done
}

const fn winding_word(winding: Winding) -> &'static str {
    match winding {
        Winding::Ccw => "ccw",
        Winding::Cw => "cw",
        Winding::Open => "open",
    }
}

const fn source_word(is_imported: bool) -> &'static str {
    if is_imported { "imported" } else { "blueprint" }
}

fn show(name: &str, output: Option<&Path>) -> Result<Exit, Failure> {
    let failed = || Failure::wrong_use(format!("cannot show the track `{name}`"));
    let tracks = known_tracks();
    let route = tracks.load(name).map_err(|error| failed().caused_by(&error))?;
    let source = describe_source(&route);
    let meshes = match tracks.folder().map(|folder| MeshLibrary::new(folder).find(&route)).transpose() {
        Ok(folder) => folder.flatten(),
        Err(error) => return Err(failed().caused_by(&error)),
    };
    let track = Track::new(Arc::new(route), Direction::Forward).map_err(|error| failed().caused_by(&error))?;
    let (low, high) = track.bounds();
    let mut rows = vec![vec!["track".to_owned(), track.name().to_owned()]];
    if let Ok(info) = catalogue::find(track.name()) {
        rows.extend(info.display_name.map(|title| vec!["title".to_owned(), title.to_owned()]));
        rows.push(vec![
            "width".to_owned(),
            format!("{:.2} m ({:.2} to {:.2} m)", info.mean_width_m, info.min_width_m, info.max_width_m),
        ]);
        rows.push(vec!["tightest bend".to_owned(), format!("{:.2} m radius", info.min_radius_m)]);
        rows.push(vec!["direction".to_owned(), winding_word(info.winding).to_owned()]);
    }
    rows.push(vec!["length".to_owned(), format!("{:.2} m", track.length_m())]);
    rows.push(vec!["waypoints".to_owned(), track.waypoints().len().to_string()]);
    rows.push(vec!["size".to_owned(), format!("{:.1} x {:.1} m", high.x - low.x, high.y - low.y)]);
    rows.push(vec!["source".to_owned(), source]);
    let look = meshes.map_or_else(|| "built-in".to_owned(), |folder| format!("imported meshes in {}", shown(&folder)));
    rows.push(vec!["look".to_owned(), look]);
    let file = output.map_or_else(|| PathBuf::from(format!("{}.png", track.name())), Path::to_path_buf);
    let draw = || -> Result<(), Box<dyn std::error::Error>> {
        Ok(std::fs::write(&file, picture::draw_track(&track, &Caption::of(&track))?)?)
    };
    draw().map_err(|error| {
        Failure::failed(format!("cannot write the picture {}", file.display())).caused_by(error.as_ref())
    })?;
    rows.push(vec!["picture".to_owned(), shown(&file)]);
    print_table(&rows);
    Ok(Exit::Done)
}

fn describe_source(route: &Route) -> String {
    match &route.source {
        RouteSource::Blueprint { waypoint_deviation_m } => format!(
            "blueprint; waypoints lie up to {waypoint_deviation_m:.2} m from the published ones, `dr-tracks import FOLDER` takes those"
        ),
        RouteSource::File(path) => format!("imported from {}", path.display()),
        RouteSource::Memory => "made in memory".to_owned(),
    }
}

/// What became of the files of an import.
#[derive(Default)]
struct Tally {
    count: usize,
    refused: Vec<String>,
    needs_force: bool,
    /// Whether a route was refused.
    is_route_wrong: bool,
}

fn import(path: &Path, track: Option<&str>, choices: ImportChoices) -> Result<Exit, Failure> {
    let folder = racing_folder()?;
    let library = library(&folder);
    let failed = || Failure::wrong_use(format!("cannot import {}", path.display()));
    let worlds = MeshSource::find(path).map_err(|error| failed().caused_by(&error))?;
    if track.is_some() && worlds.len() != 1 {
        let cause =
            format!("there are {} worlds of meshes at this path; `--track` names the track of one", worlds.len());
        return Err(failed().cause(cause));
    }
    let mut tally = Tally::default();
    // A document is no route; a folder may hold both.
    if worlds.is_empty() || path.is_dir() {
        match library.import(path, choices.force) {
            Ok(all) => tally_routes(all, &mut tally),
            Err(TrackError::NothingToImport(_)) if !worlds.is_empty() => {}
            Err(error @ TrackError::NothingToImport(_)) => {
                let hint = "meshes are found in .dae, .sdf and .world files and in model folders (model.config)";
                return Err(failed().caused_by(&error).hint(hint));
            }
            Err(error) => return Err(failed().caused_by(&error)),
        }
    }
    for world in worlds {
        import_meshes(&library, &tracks_folder(&folder), world, track, choices, &mut tally);
    }
    if tally.refused.is_empty() {
        return Ok(Exit::Done);
    }
    let what = format!("{} of {} files were not imported", tally.refused.len(), tally.count);
    let mut failure = tally.refused.into_iter().fold(Failure::wrong_use(what), Failure::cause);
    if tally.needs_force {
        failure = failure.hint("`dr-tracks import --force PATH` replaces what was imported before");
    }
    if tally.is_route_wrong {
        failure = failure.hint("`dr-tracks check FILE` lists everything that is wrong with a route file");
    }
    Err(failure)
}

fn tally_routes(all: Vec<Imported>, tally: &mut Tally) {
    tally.count += all.len();
    for Imported { source, name, outcome } in all {
        match outcome {
            ImportOutcome::Imported => say!("{name}: imported"),
            ImportOutcome::Replaced => say!("{name}: replaced"),
            ImportOutcome::Unchanged => say!("{name}: unchanged"),
            ImportOutcome::NeedsForce => {
                tally.needs_force = true;
                tally.refused.push(format!("{}: another file of that name was imported before", source.display()));
            }
            ImportOutcome::Refused(error) => {
                tally.is_route_wrong = true;
                tally.refused.push(format!("{}: {error}", source.display()));
            }
        }
    }
}

fn import_meshes(
    library: &Library,
    folder: &Path,
    world: MeshSource,
    track: Option<&str>,
    choices: ImportChoices,
    tally: &mut Tally,
) {
    tally.count += 1;
    let MeshSource { path, name } = world;
    let wanted = track.unwrap_or(&name);
    let name = match library.load(wanted) {
        Ok(route) => route.name,
        Err(error) => {
            let hint = "import its route first, or say whose meshes they are: `--track TRACK`";
            tally.refused.push(format!("{}: {error}; {hint}", path.display()));
            return;
        }
    };
    match MeshLibrary::new(folder).import(&path, &name, choices) {
        Ok(found) => {
            let size = format!("{} triangles, {} textures", found.num_triangles, found.num_textures);
            match found.outcome {
                MeshOutcome::Imported => say!("{name}: meshes imported ({size})"),
                MeshOutcome::Replaced => say!("{name}: meshes replaced ({size})"),
                MeshOutcome::Unchanged => say!("{name}: meshes unchanged ({size})"),
                MeshOutcome::NeedsForce => {
                    tally.needs_force = true;
                    tally.refused.push(format!("{}: other meshes of {name} were imported before", path.display()));
                }
            }
            for note in found.notes {
                say!("note: {note}");
            }
            for file in found.missing {
                say!("missing: {file}");
            }
        }
        Err(error) => tally.refused.push(format!("{}: {error}", path.display())),
    }
}

fn check_file(file: &Path) -> Result<Exit, Failure> {
    let route = Route::read(file)
        .map_err(|error| Failure::wrong_use(format!("{} is no route file", file.display())).caused_by(&error))?;
    let findings = check::check(&route);
    for finding in &findings {
        let word = match finding.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        say!("{word}: {finding}");
    }
    let num_errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    if num_errors > 0 {
        return Err(Failure::wrong_use(format!("{} cannot be driven", file.display()))
            .cause(format!("{num_errors} of the findings above are errors")));
    }
    say!("{}: {} waypoints, can be driven", file.display(), route.num_waypoints());
    Ok(Exit::Done)
}
