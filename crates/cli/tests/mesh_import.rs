//! `dr-tracks import` of meshes, from the command to the picture.

use deepracer_cli::{Host, main};
use deepracer_job::reward::{RewardError, RewardFunction};
use deepracer_job::run::RewardSource;
use deepracer_job::setup::Worlds;
use deepracer_sensor::{Camera, Moment, Pixels, Quality, Scratch};
use deepracer_track::Library;
use deepracer_world::look;
use made::Style;
use std::error::Error;
use std::path::{Path, PathBuf};

#[path = "../../world/tests/made/mod.rs"]
mod made;

struct NoHost;

impl Host for NoHost {
    fn interrupted(&self) -> bool {
        false
    }

    fn run_command(&self) -> (PathBuf, Vec<String>) {
        (PathBuf::new(), Vec::new())
    }

    fn load_reward(&self, _: &RewardSource) -> Result<Box<dyn RewardFunction>, RewardError> {
        unreachable!("nothing is raced")
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn facade(&self, _: bool) -> Result<String, String> {
        Ok(String::new())
    }

    fn can_import(&self, modules: &[&str]) -> Vec<bool> {
        vec![false; modules.len()]
    }
}

fn run(arguments: &[&str]) -> u8 {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    main(&arguments, &NoHost)
}

fn import(path: &Path, options: &[&str]) -> u8 {
    let path = path.to_string_lossy();
    run(&[["dr", "tracks", "import", &path].as_slice(), options].concat())
}

fn picture(tracks: &Path, name: &str) -> Vec<u8> {
    let (route, scene) = Worlds::new(Library::new(Some(tracks.to_owned()))).load(name).expect("a world");
    let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
    let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
    let moment = Moment::alone(route.center[0], 0.0);
    camera.draw(&scene, &moment, Pixels::Rgb, &mut Scratch::new(), &mut picture);
    picture
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

/// One test, because commands find their racing folder by the folder of the process.
#[test]
fn meshes_are_imported_shown_and_raced_in() -> Result<(), Box<dyn Error>> {
    let racing = tempfile::tempdir()?;
    std::fs::write(racing.path().join("run.env"), "")?;
    std::env::set_current_dir(racing.path())?;
    let tracks = racing.path().join("data/tracks");
    let source = tempfile::tempdir()?;
    let route = Library::new(None).load("Oval_track")?;
    let mut look = look::find("Oval_track");
    look.field.texture = deepracer_world::Rgb([60, 60, 160]);
    let (world, _) = made::built_in(source.path(), &route, &look, 2000, Style::all()[4]);
    let before = picture(&tracks, "Oval_track");

    // What cannot be imported leaves nothing.
    let city = source.path().join("meshes/Oval_track/city.dae");
    let kept = std::fs::read(&city)?;
    std::fs::write(&city, &kept[..kept.len() / 2])?;
    assert_eq!(import(&world, &[]), 2);
    std::fs::remove_file(&city)?;
    assert_eq!(import(&world, &[]), 2);
    assert_eq!(files_below(&tracks), Vec::<PathBuf>::new());
    assert_eq!(picture(&tracks, "Oval_track"), before);
    assert_eq!(import(&world, &["--allow-missing"]), 0);
    std::fs::write(&city, &kept)?;
    assert_eq!(import(&world, &[]), 2, "other meshes are there");
    assert_eq!(import(&world, &["--force"]), 0);
    assert_eq!(import(&source.path().join("worlds"), &[]), 0, "the same files, by their folder");
    assert_eq!(run(&["dr", "tracks", "show", "Oval_track"]), 0);

    let after = picture(&tracks, "Oval_track");
    let changed = before.chunks(3).zip(after.chunks(3)).filter(|(a, b)| a != b).count();
    assert!(changed > 1000, "{changed} pixels differ");
    let blue = after.chunks(3).filter(|pixel| pixel[2].saturating_sub(pixel[1]) > 60 && pixel[0] < 120).count();
    assert!(blue > 500, "the field is blue in {blue} pixels");
    assert_ne!(picture(&tracks, "Bowtie_track"), after, "another track keeps its look");

    // A mesh for a track that is named otherwise, and for none.
    let mesh = source.path().join("meshes/Oval_track/ground mesh.dae");
    assert_eq!(import(&mesh, &[]), 2, "there is no track `ground mesh`");
    assert_eq!(import(&mesh, &["--track", "Bowtie_track"]), 0);
    assert!(tracks.join("Bowtie_track/world.json").is_file());
    assert_eq!(import(&source.path().join("worlds"), &["--track", "no such track"]), 2);
    assert_eq!(import(source.path(), &[]), 2, "neither routes nor meshes in the folder itself");
    Ok(())
}
