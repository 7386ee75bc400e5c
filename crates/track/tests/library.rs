//! Loading and importing routes.

use std::fs;
use std::path::Path;

use deepracer_track::{ImportOutcome, Library, Route, RouteSource, TrackError};
use glam::DVec2;

/// A round track, 0.8 m wide, as the bytes of a route file.
fn round_track(radius_m: f64) -> Vec<u8> {
    let ring = |radius_m: f64| -> Vec<DVec2> {
        (0..=40)
            .map(|index| DVec2::from_angle(f64::from(index % 40) / 40.0 * std::f64::consts::TAU) * radius_m)
            .collect()
    };
    let route = Route {
        name: "round".into(),
        center: ring(radius_m),
        inner: ring(radius_m - 0.4),
        outer: ring(radius_m + 0.4),
        closed: true,
        source: RouteSource::Memory,
    };
    route.to_npy()
}

fn outcomes(library: &Library, source: &Path, force: bool) -> Vec<(String, String)> {
    let imported = library.import(source, force).expect("the source can be read");
    imported
        .into_iter()
        .map(|file| (file.name, format!("{:?}", file.outcome).chars().take_while(char::is_ascii_alphabetic).collect()))
        .collect()
}

fn pair(name: &str, outcome: &str) -> (String, String) {
    (name.to_owned(), outcome.to_owned())
}

#[test]
fn imported_routes_come_before_drawings() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (source, routes) = (folder.path().join("my routes"), folder.path().join("data/tracks"));
    fs::create_dir(&source).expect("created");
    fs::write(source.join("REINVENT_BASE.npy"), round_track(3.0)).expect("written");
    fs::write(source.join("my loop.npy"), round_track(2.0)).expect("written");
    fs::write(source.join("broken.npy"), b"no array").expect("written");
    fs::write(source.join("notes.txt"), b"not a route").expect("written");
    let library = Library::new(Some(routes.clone()));
    assert!(matches!(library.load("reinvent_base").expect("drawn").source, RouteSource::Blueprint { .. }));

    let expected = [pair("reinvent_base", "Imported"), pair("broken", "Refused"), pair("my loop", "Imported")];
    assert_eq!(outcomes(&library, &source, false), expected);
    assert_eq!(library.imported_names().expect("readable"), ["my loop", "reinvent_base"]);
    for name in ["reinvent_base", "re:Invent 2018", "Reinvent_Base"] {
        let route = library.load(name).expect("imported");
        assert_eq!((route.name.as_str(), route.center[0]), ("reinvent_base", DVec2::new(3.0, 0.0)));
        assert_eq!(route.source, RouteSource::File(routes.join("reinvent_base.npy")));
    }
    assert_eq!(library.load("my loop").expect("imported").num_waypoints(), 41);
    let left: Vec<_> =
        fs::read_dir(&routes).expect("readable").map(|entry| entry.expect("entry").file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_different_file_is_replaced_only_with_force() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = folder.path().join("loop.npy");
    let library = Library::new(Some(folder.path().join("imported")));
    let radius_m = || library.load("loop").expect("imported").center[0].x;
    fs::write(&source, round_track(2.0)).expect("written");
    assert_eq!(outcomes(&library, &source, false), [pair("loop", "Imported")]);
    assert_eq!(outcomes(&library, &source, false), [pair("loop", "Unchanged")]);
    fs::write(&source, round_track(4.0)).expect("written");
    assert_eq!(outcomes(&library, &source, false), [pair("loop", "NeedsForce")]);
    assert_eq!(radius_m(), 2.0);
    assert_eq!(outcomes(&library, &source, true), [pair("loop", "Replaced")]);
    assert_eq!(radius_m(), 4.0);
}

#[test]
fn unknown_names_say_what_to_do() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let library = Library::new(Some(folder.path().to_owned()));
    fs::write(folder.path().join("garden.npy"), round_track(2.0)).expect("written");
    let message = library.load("gardn").expect_err("misspelt").to_string();
    for part in ["'gardn'", "garden", "dr-tracks list", "dr-tracks import PATH"] {
        assert!(message.contains(part), "{message} lacks {part}");
    }
    fs::write(folder.path().join("../outside.npy"), round_track(2.0)).expect("written");
    assert!(matches!(library.load("../outside"), Err(TrackError::Unknown(_))));
    assert!(matches!(library.load(""), Err(TrackError::Unknown(_))));
    fs::remove_file(folder.path().join("../outside.npy")).expect("removed");
}

#[test]
fn imports_that_cannot_work_are_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let library = Library::new(Some(folder.path().join("imported")));
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("created");
    assert!(matches!(library.import(&empty, false), Err(TrackError::NothingToImport(_))));
    assert!(matches!(Library::new(None).import(&empty, false), Err(TrackError::NoImportFolder)));
    let missing = library.import(&folder.path().join("missing.npy"), false).expect_err("missing").to_string();
    assert!(missing.contains("missing.npy"), "{missing}");
    let text = folder.path().join("text.npy");
    fs::write(&text, "0 1 2 3 4 5").expect("written");
    let refused = library.import(&text, true).expect("answered");
    assert!(matches!(&refused[0].outcome, ImportOutcome::Refused(TrackError::Route(_))));
    assert!(library.imported_names().expect("readable").is_empty());
}

/// A route whose borders cross is refused at import and, when it got into the folder some other way, at loading.
#[test]
fn routes_that_cannot_be_driven_are_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut route = Route::from_npy("crossed", &round_track(2.0)).expect("valid");
    route.inner.iter_mut().for_each(|point| point.x += 1.0);
    fs::write(folder.path().join("crossed.npy"), route.to_npy()).expect("written");
    let error = Library::new(Some(folder.path().to_owned())).load("crossed").expect_err("unfit").to_string();
    assert!(error.contains("'crossed'") && error.contains("dr-tracks check"), "{error}");
}
