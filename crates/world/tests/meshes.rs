//! Worlds of meshes: what is read, what is refused, what is kept.

use deepracer_track::{Library, Route};
use deepracer_world::mesh::{ImportChoices, MeshError, MeshLibrary, MeshOutcome, MeshSource, Scenery, Sky};
use deepracer_world::{World, look};
use glam::DVec3;
use made::{Part, Picture, Style};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

mod made;

fn route(name: &str) -> Route {
    Library::new(None).load(name).expect("a built-in track")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A small mesh: a textured square, a square of one colour, and a fence with holes.
fn small_parts() -> Vec<Part> {
    let square =
        |size: f64, z: f64| [[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]].map(|[x, y]| DVec3::new(x, y, z));
    let chequer = |x: usize, y: usize| if (x + y).is_multiple_of(2) { [200, 10, 20, 255] } else { [10, 200, 20, 255] };
    let mut textured = Part::new("textured", [0; 3], Some(Picture::new("a b.png", [4, 4], chequer)));
    textured.quad(square(2.0, 0.0), [0.0, 0.0], [4.0, 4.0]);
    let mut plain = Part::new("plain", [51, 102, 204], None);
    plain.quad(square(1.0, 0.001), [0.0, 0.0], [1.0, 1.0]);
    let holes = |x: usize, _: usize| if x < 2 { [0, 0, 0, 0] } else { [90, 90, 90, 255] };
    let mut fence = Part::new("fence", [0; 3], Some(Picture::new("fence.png", [4, 4], holes)));
    let post = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]].map(|[x, z]| DVec3::new(x, 2.0, z));
    fence.quad(post, [0.0, 0.0], [1.0, 1.0]);
    vec![textured, plain, fence]
}

#[test]
fn every_way_of_saying_it_gives_the_same_triangles() {
    let parts = small_parts();
    let expected: Vec<DVec3> = parts.iter().flat_map(|part| part.corners.clone()).collect();
    let coordinates: Vec<[f64; 2]> = parts.iter().flat_map(|part| part.uv.clone()).collect();
    for style in Style::all() {
        let folder = folder();
        let alone = made::write_mesh(&folder.path().join("alone"), "mesh", &parts, style);
        let world = made::write_world(folder.path(), "small", &[("mesh", &parts, style)]);
        for path in [alone, world, folder.path().join("models/small"), folder.path().join("models/small/model.sdf")] {
            let scenery = Scenery::read(&path).unwrap_or_else(|error| panic!("{style:?}: {error}"));
            assert_eq!(scenery.missing, [], "{style:?}");
            let found: Vec<DVec3> = scenery.triangles.iter().flat_map(|triangle| triangle.corners).collect();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.distance(*expected) < 1e-9, "{style:?}: {found} instead of {expected}");
            }
            let uv = scenery.triangles.iter().flat_map(|triangle| triangle.uv);
            for (found, expected) in uv.zip(&coordinates) {
                assert_eq!(found.map(f64::from), *expected);
            }
            assert_eq!(scenery.textures.len(), 2);
            assert_eq!(scenery.materials.len(), 3);
            assert_eq!(scenery.materials[1].colour.0, [51, 102, 204]);
            assert!(scenery.textures[1].has_holes() && !scenery.textures[0].has_holes());
            assert_eq!(scenery.textures[0].texels[..2], [[200, 10, 20, 255], [10, 200, 20, 255]]);
        }
    }
}

#[test]
fn a_pose_turns_and_moves_and_a_scale_stretches() {
    let folder = folder();
    made::write_world(folder.path(), "small", &[("mesh", &small_parts(), Style::PLAIN)]);
    let model = folder.path().join("models/small/model.sdf");
    let text = std::fs::read_to_string(&model).expect("written");
    let text = text
        .replace("<pose>0 0 0 0 0 0</pose>", "<pose>1 2 3 0 0 1.5707963267948966</pose>")
        .replace("</uri></mesh></geometry></visual>", "</uri><scale>2 3 4</scale></mesh></geometry></visual>")
        .replace("<link name=\"l\">", "<link name=\"l\"><pose>0 0 10 0 0 0</pose>");
    std::fs::write(&model, text).expect("written");
    let scenery = Scenery::read(&model).expect("a model");
    // The corner (2, 2, 0): stretched to (4, 6, 0), turned to (-6, 4, 0), moved.
    assert!(scenery.triangles[0].corners[2].distance(DVec3::new(-5.0, 6.0, 13.0)) < 1e-9);
}

#[test]
fn skies_are_those_of_the_world() {
    let folder = folder();
    let world = made::write_world(folder.path(), "small", &[("mesh", &small_parts(), Style::PLAIN)]);
    assert_eq!(Scenery::read(&world).expect("a world").sky, Sky::Blue);
    let text = std::fs::read_to_string(&world).expect("written");
    std::fs::write(&world, text.replace("<sky/>", "<background>0.2 0.4 1 1</background>")).expect("written");
    let sky = Scenery::read(&world).expect("a world").sky;
    assert_eq!(sky, Sky::Plain(deepracer_world::Rgb([51, 102, 255])));
    let model = folder.path().join("models/small");
    assert_eq!(Scenery::read(&model).expect("a model").sky, Sky::Unknown);
}

#[test]
fn jpeg_textures_are_read() {
    // A white 8 × 8 picture, as any encoder writes it.
    let folder = folder();
    let path = made::write_mesh(folder.path(), "mesh", &small_parts(), Style::PLAIN);
    std::fs::write(folder.path().join("textures/a b.png"), WHITE_JPEG).expect("written");
    let scenery = Scenery::read(&path).expect("a mesh");
    assert_eq!(scenery.materials[0].texture, None, "one colour needs no texture");
    assert!(scenery.materials[0].colour.0.iter().all(|channel| *channel >= 254));
}

#[test]
fn strips_fans_and_polygons_are_triangles() {
    let folder = folder();
    let path = made::write_mesh(folder.path(), "mesh", &small_parts()[1..2], Style::PLAIN);
    let text = std::fs::read_to_string(&path).expect("written");
    let primitive = &text[text.find("<triangles").expect("there")..text.find("</triangles>").expect("there") + 12];
    let inputs = &primitive[primitive.find("<input").expect("there")..primitive.find("<p>").expect("there")];
    for (kind, lists, expected) in [
        ("tristrips", "<p>0 0 1 1 2 2 5 5</p>", vec![[0, 1, 2], [2, 1, 5]]),
        ("trifans", "<p>0 0 1 1 2 2 5 5</p>", vec![[0, 1, 2], [0, 2, 5]]),
        ("polygons", "<p>0 0 1 1 2 2</p><p>0 0 2 2 5 5</p>", vec![[0, 1, 2], [0, 2, 5]]),
        ("polylist", "<vcount>4</vcount><p>0 0 1 1 2 2 5 5</p>", vec![[0, 1, 2], [0, 2, 5]]),
    ] {
        let other = format!("<{kind} count=\"2\" material=\"symbol0\">{inputs}{lists}</{kind}>");
        std::fs::write(&path, text.replace(primitive, &other)).expect("written");
        let triangles = Scenery::read(&path).unwrap_or_else(|error| panic!("{kind}: {error}")).triangles;
        let corners = &small_parts()[1].corners;
        assert_eq!(triangles.len(), 2, "{kind}");
        for (triangle, expected) in triangles.iter().zip(expected) {
            for (found, index) in triangle.corners.iter().zip(expected) {
                assert!(found.distance(corners[index]) < 1e-9, "{kind}");
            }
        }
    }
}

/// Each change to a right file is refused by an error that names the file and says what is wrong.
#[test]
fn bad_files_are_refused_by_name() {
    let folder = folder();
    let path = made::write_mesh(folder.path(), "a mesh", &small_parts(), Style::PLAIN);
    let text = std::fs::read_to_string(&path).expect("written");
    let first_position = {
        let from = text.find("<float_array id=\"pa0\"").expect("there");
        let start = from + text[from..].find('>').expect("there") + 1;
        text[start..start + text[start..].find(' ').expect("there")].to_owned()
    };
    let replace = |from: &str, to: &str| text.replacen(from, to, 1);
    for (changed, expected) in [
        (text[..text.len() / 2].to_owned(), "cut off"),
        (String::new(), "cut off"),
        ("no XML at all".to_owned(), "XML"),
        ("<html/>".to_owned(), "<html>"),
        (replace(&first_position, "NaN"), "`NaN`"),
        (replace(&first_position, "inf"), "`inf`"),
        (replace(&first_position, "1e300"), "away or further"),
        (replace(&first_position, "seven"), "`seven`"),
        (replace("count=\"18\"", "count=\"21\""), "says it has 21"),
        (replace("<p>0 0", "<p>99 0"), "asks for entry 99"),
        (replace("<p>0 0", "<p>0 99"), "asks for entry 99"),
        (replace("<p>0 0", "<p>0"), "multiple of 2"),
        (replace("<p>0 0", "<p>-1 0"), "`-1`"),
        (replace("<p>0 0 1 1", "<p>0 0"), "whole triangles"),
        (replace("<triangles", "<marbles").replacen("</triangles>", "</marbles>", 1), "<marbles>"),
        (replace("stride=\"3\"", "stride=\"0\""), "accessor"),
        (replace("url=\"#mesh0\"", "url=\"#mesh9\""), "#mesh9"),
        (replace("url=\"#effect0\"", "url=\"#effect9\""), "#effect9"),
        (replace("target=\"#material 0\"", "target=\"#material 9\""), "#material 9"),
        (replace("texture=\"sampler0\"", "texture=\"sampler9\""), "sampler9"),
        (replace("meter=\"1\"", "meter=\"-1\""), "unit"),
        (replace("<matrix>", "<matrix>1 "), "17 values"),
        (replace("<matrix>", "<skew>1 2 3</skew><matrix>"), "<skew>"),
    ] {
        std::fs::write(&path, &changed).expect("written");
        let error = Scenery::read(&path).expect_err(expected).to_string();
        assert!(error.contains(expected) && error.contains("a mesh.dae"), "{error} instead of {expected}");
    }
    std::fs::write(&path, &text).expect("written");
    std::fs::write(folder.path().join("textures/fence.png"), b"\x89PNG\r\n\x1a\nand nothing").expect("written");
    let error = Scenery::read(&path).expect_err("a damaged texture").to_string();
    assert!(error.contains("fence.png"), "{error}");
}

#[test]
fn nodes_that_hold_themselves_are_refused() {
    let folder = folder();
    let path = made::write_mesh(folder.path(), "mesh", &small_parts(), Style::PLAIN);
    let text = std::fs::read_to_string(&path).expect("written");
    std::fs::write(&path, text.replace("<node id=\"node0\">", "<node id=\"node0\"><instance_node url=\"#node0\"/>"))
        .expect("written");
    assert!(Scenery::read(&path).expect_err("a loop").to_string().contains("nested"));
    let model = made::write_world(folder.path(), "loop", &[]);
    let sdf = folder.path().join("models/loop/model.sdf");
    let text = std::fs::read_to_string(&sdf).expect("written");
    let include = "<include><uri>model://models/loop</uri></include></model>";
    std::fs::write(&sdf, text.replace("</model>", include)).expect("written");
    assert!(Scenery::read(&model).expect_err("a loop").to_string().contains("include each other"));
}

#[test]
fn what_is_missing_is_listed_and_the_rest_is_read() {
    let folder = folder();
    let parts = small_parts();
    let world =
        made::write_world(folder.path(), "small", &[("mesh", &parts, Style::PLAIN), ("far", &parts, Style::PLAIN)]);
    std::fs::remove_file(folder.path().join("meshes/small/far.dae")).expect("removed");
    std::fs::remove_file(folder.path().join("meshes/small/textures/fence.png")).expect("removed");
    let scenery = Scenery::read(&world).expect("the rest");
    let missing: Vec<&str> = scenery.missing.iter().map(|file| file.reference.as_str()).collect();
    assert_eq!(missing, ["model://meshes/small/far.dae", "textures/fence.png"]);
    assert_eq!(scenery.triangles.len(), 6);

    let library = MeshLibrary::new(folder.path().join("kept"));
    let error = library.import(&world, "small", ImportChoices::default()).expect_err("incomplete").to_string();
    for part in ["2 files", "far.dae", "fence.png", "--allow-missing", "model.sdf"] {
        assert!(error.contains(part), "{error} lacks {part}");
    }
    assert!(!folder.path().join("kept/small").exists(), "nothing half-imported");
    let choices = ImportChoices { allow_missing: true, ..ImportChoices::default() };
    assert_eq!(library.import(&world, "small", choices).expect("allowed").missing.len(), 2);
    assert_eq!(stored(&library, "small").expect("kept").triangles.len(), 6);
}

/// The meshes kept for a track of this name.
fn stored(library: &MeshLibrary, name: &str) -> Option<Scenery> {
    library.load(&Route { name: name.to_owned(), ..route("Oval_track") }).expect("readable")
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn imports_are_replaced_only_when_asked_or_identical() {
    let folder = folder();
    let mut parts = small_parts();
    let source = folder.path().join("source");
    let world = made::write_world(&source, "small", &[("mesh", &parts, Style::PLAIN)]);
    let library = MeshLibrary::new(folder.path().join("data/tracks"));
    let import = |force: bool| {
        let choices = ImportChoices { force, ..ImportChoices::default() };
        library.import(&world, "small", choices).expect("a world").outcome
    };
    assert!(stored(&library, "small").is_none());
    assert_eq!(import(false), MeshOutcome::Imported);
    assert_eq!(import(false), MeshOutcome::Unchanged);
    assert_eq!(import(true), MeshOutcome::Unchanged);
    let before = files_below(&folder.path().join("data/tracks"));
    assert_eq!(before.len(), 1 + 6, "the files of the world and where they are: {before:?}");

    parts[1].colour = [1, 2, 3];
    made::write_world(&source, "small", &[("mesh", &parts, Style::PLAIN)]);
    assert_eq!(import(false), MeshOutcome::NeedsForce);
    assert_eq!(files_below(&folder.path().join("data/tracks")), before);
    assert_eq!(stored(&library, "small").expect("kept").materials[1].colour.0, [51, 102, 204]);
    assert_eq!(import(true), MeshOutcome::Replaced);
    assert_eq!(stored(&library, "small").expect("kept").materials[1].colour.0, [1, 2, 3]);
    assert_eq!(files_below(&folder.path().join("data/tracks")).len(), before.len(), "the old files are gone");

    // A broken file leaves everything as it is.
    std::fs::write(source.join("meshes/small/mesh.dae"), "<COLLADA").expect("written");
    let choices = ImportChoices { force: true, allow_missing: true };
    assert!(library.import(&world, "small", choices).is_err());
    assert_eq!(stored(&library, "small").expect("kept").materials[1].colour.0, [1, 2, 3]);

    // The copy needs nothing of its source, and a damaged one says so.
    std::fs::remove_dir_all(&source).expect("removed");
    assert_eq!(stored(&library, "small").expect("kept").missing, []);
    std::fs::write(folder.path().join("data/tracks/small/world.json"), "{\"folder\": \"..\"}").expect("written");
    let error = library.load(&Route { name: "small".into(), ..route("Oval_track") }).expect_err("damaged").to_string();
    assert!(error.contains("--force"), "{error}");
}

#[test]
fn an_interrupted_import_harms_nothing() {
    let folder = folder();
    let world = made::write_world(folder.path(), "small", &[("mesh", &small_parts(), Style::PLAIN)]);
    let kept = folder.path().join("kept");
    let library = MeshLibrary::new(&kept);
    // Killed while copying, and killed before the last step.
    for left in ["small/1.77.part/meshes", "small/2"] {
        std::fs::create_dir_all(kept.join(left)).expect("created");
    }
    assert!(stored(&library, "small").is_none());
    assert_eq!(
        library.import(&world, "small", ImportChoices::default()).expect("imported").outcome,
        MeshOutcome::Imported
    );
    assert_eq!(stored(&library, "small").expect("kept").triangles.len(), 6);
    let left: Vec<_> = std::fs::read_dir(kept.join("small")).expect("readable").collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn tracks_that_share_a_world_share_its_meshes() {
    let folder = folder();
    let world = made::write_world(folder.path(), "Singapore", &[("mesh", &small_parts(), Style::PLAIN)]);
    let library = MeshLibrary::new(folder.path().join("kept"));
    library.import(&world, "Singapore", ImportChoices::default()).expect("imported");
    assert!(stored(&library, "Singapore_f1").is_some());
    assert!(stored(&library, "Singapore_building").is_none());
    for name in ["../out", "", ".", "a/b"] {
        assert!(matches!(library.import(&world, name, ImportChoices::default()), Err(MeshError::Name(_))), "{name}");
    }
}

#[test]
fn folders_are_searched_for_worlds() {
    let folder = folder();
    for name in ["one", "two"] {
        made::write_world(folder.path(), name, &[("mesh", &small_parts(), Style::PLAIN)]);
    }
    let names = |path: &str| -> Vec<String> {
        let found = MeshSource::find(&folder.path().join(path)).expect("readable");
        found.into_iter().map(|source| source.name).collect()
    };
    assert_eq!(names("worlds"), ["one", "two"]);
    assert_eq!(names("models/two"), ["two"]);
    assert_eq!(names("models/two/model.sdf"), ["two"]);
    assert_eq!(names("worlds/one.world"), ["one"]);
    assert_eq!(names("meshes/one"), ["mesh"]);
    assert_eq!(names("meshes/one/textures"), [""; 0]);
}

#[test]
fn the_ground_is_layers_in_painting_order_and_the_rest_stands() {
    let folder = folder();
    let route = route("reinvent_base");
    let look = look::find("reinvent_base");
    let (path, expected) = made::built_in(folder.path(), &route, &look, 35_000, Style::PLAIN);
    let scenery = Scenery::read(&path).expect("a world");
    assert!(scenery.triangles.len() > 35_000, "{}", scenery.triangles.len());
    let world = World::of_meshes(&route, &look, scenery);
    let meshes = world.meshes.expect("meshes");
    assert_eq!(meshes.layers.len(), expected.ground.patches.len() + 2);
    // The road's surface lies at 0: a millimetre lower than in the files.
    assert!((meshes.road_height_m - 0.001).abs() < 1e-9);
    let heights: Vec<f64> = meshes.layers.iter().map(|layer| layer.corners[0].z).collect();
    assert!(heights.windows(2).all(|pair| pair[0] <= pair[1] + 1e-6));
    assert!(
        world.ground.min.distance(expected.ground.min) < 1e-6 && world.ground.max.distance(expected.ground.max) < 1e-6
    );
    assert_eq!(world.background.0, [162, 186, 217], "the sky of the file, not of the look");
}

/// Worlds of the original whose layers are not within millimetres of each other.
#[test]
fn the_road_decides_which_height_is_ground() {
    let route = route("Oval_track");
    let look = look::find("Oval_track");
    for (field, road, dash, is_dash_layer) in
        [(-0.0356, -0.0241, -0.0209, true), (0.0, 0.01, 0.025, false), (0.0, 0.0231, 0.025, true)]
    {
        let folder = folder();
        let mut parts = made::parts_of(&World::build(&route, &look));
        parts.truncate(4);
        for (part, height) in parts.iter_mut().zip([field, road, road, dash]) {
            part.corners.iter_mut().for_each(|corner| corner.z = height);
        }
        let path = made::write_mesh(folder.path(), "mesh", &parts, Style::PLAIN);
        let scenery = Scenery::read(&path).expect("a mesh");
        let count = |part: usize| parts[part].num_triangles();
        let world = World::of_meshes(&route, &look, scenery);
        let meshes = world.meshes.expect("meshes");
        assert!((meshes.road_height_m - road).abs() < 1e-6, "{}", meshes.road_height_m);
        let (lower, dashes) = (count(0) + count(1) + count(2), count(3));
        let expected = if is_dash_layer { [lower + dashes, 0] } else { [lower, dashes] };
        assert_eq!([meshes.layers.len(), meshes.upright.len()], expected);
    }
}

/// What may happen to a file: pieces are lost, doubled, swapped or overwritten.
fn mutated(text: &str, edits: &[(u8, usize, usize, usize)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (kind, at, length, other) in edits {
        if bytes.is_empty() {
            break;
        }
        let at = at % bytes.len();
        let end = (at + length % 40).min(bytes.len());
        let words: [&[u8]; 12] = [
            b"NaN",
            b"-1",
            b"4294967295",
            b"1e308",
            b"<",
            b">",
            b"&",
            b"\"",
            b"#mesh0",
            b"0",
            b"</p>",
            b"<input offset=\"63\"/>",
        ];
        match kind % 5 {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let piece = bytes[at..end].to_vec();
                let to = other % bytes.len();
                bytes.splice(to..to, piece);
            }
            2 => drop(bytes.splice(at..end.min(at + 3), words[other % words.len()].to_vec())),
            3 => bytes[at] = *other as u8,
            _ => bytes.truncate(bytes.len() - (length * other) % (bytes.len() / 4 + 1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever happens to a document: it is read, or there is an error; and what is read are numbers.
    #[test]
    fn damaged_documents_never_panic(
        which in 0_usize..3,
        edits in prop::collection::vec((any::<u8>(), any::<usize>(), 0_usize..1000, 0_usize..100_000), 1..6),
    ) {
        let folder = folder();
        let style = Style { primitive: made::Primitive::Polylist, transform: made::Transform::Chain, ..Style::PLAIN };
        let world = made::write_world(folder.path(), "small", &[("mesh", &small_parts(), style)]);
        let names = ["meshes/small/mesh.dae", "models/small/model.sdf", "worlds/small.world"];
        let path = folder.path().join(names[which]);
        let text = std::fs::read_to_string(&path).expect("written");
        std::fs::write(&path, mutated(&text, &edits)).expect("written");
        if let Ok(scenery) = Scenery::read(&world) {
            let corners = scenery.triangles.iter().flat_map(|triangle| triangle.corners);
            prop_assert!(corners.into_iter().all(DVec3::is_finite));
            prop_assert!(scenery.triangles.iter().all(|t| (t.material as usize) < scenery.materials.len()));
            let textures = scenery.materials.iter().filter_map(|material| material.texture);
            prop_assert!(textures.into_iter().all(|index| index < scenery.textures.len()));
            let route = route("Oval_track");
            let _ = World::of_meshes(&route, &look::find("Oval_track"), scenery);
        }
    }

    /// Whatever happens to a picture: it is read, or there is an error.
    #[test]
    fn damaged_pictures_never_panic(
        is_jpeg in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = if is_jpeg { WHITE_JPEG.to_vec() } else {
            let folder = folder();
            small_parts()[0].picture.clone().expect("a picture").write(folder.path());
            std::fs::read(folder.path().join("a b.png")).expect("written")
        };
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(length.index(bytes.len()) + 1);
        let _ = deepracer_world::mesh::Texture::decode(&bytes, Path::new("picture"));
    }
}

/// A white picture of 8 × 8 pixels.
#[rustfmt::skip]
const WHITE_JPEG: &[u8] = &[
    255, 216, 255, 224, 0, 16, 74, 70, 73, 70, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 255, 219, 0, 67,
    0, 8, 6, 6, 7, 6, 5, 8, 7, 7, 7, 9, 9, 8, 10, 12, 20, 13, 12, 11, 11, 12, 25, 18,
    19, 15, 20, 29, 26, 31, 30, 29, 26, 28, 28, 32, 36, 46, 39, 32, 34, 44, 35, 28, 28, 40, 55, 41,
    44, 48, 49, 52, 52, 52, 31, 39, 57, 61, 56, 50, 60, 46, 51, 52, 50, 255, 219, 0, 67, 1, 9, 9,
    9, 12, 11, 12, 24, 13, 13, 24, 50, 33, 28, 33, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50,
    50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50,
    50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 255, 192, 0, 17, 8, 0, 8, 0, 8, 3,
    1, 34, 0, 2, 17, 1, 3, 17, 1, 255, 196, 0, 31, 0, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0,
    0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255, 196, 0, 181, 16, 0,
    2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125, 1, 2, 3, 0, 4, 17, 5, 18, 33,
    49, 65, 6, 19, 81, 97, 7, 34, 113, 20, 50, 129, 145, 161, 8, 35, 66, 177, 193, 21, 82, 209, 240, 36,
    51, 98, 114, 130, 9, 10, 22, 23, 24, 25, 26, 37, 38, 39, 40, 41, 42, 52, 53, 54, 55, 56, 57, 58,
    67, 68, 69, 70, 71, 72, 73, 74, 83, 84, 85, 86, 87, 88, 89, 90, 99, 100, 101, 102, 103, 104, 105, 106,
    115, 116, 117, 118, 119, 120, 121, 122, 131, 132, 133, 134, 135, 136, 137, 138, 146, 147, 148, 149, 150, 151, 152, 153,
    154, 162, 163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186, 194, 195, 196, 197, 198,
    199, 200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 241,
    242, 243, 244, 245, 246, 247, 248, 249, 250, 255, 196, 0, 31, 1, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255, 196, 0, 181, 17, 0,
    2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119, 0, 1, 2, 3, 17, 4, 5, 33, 49,
    6, 18, 65, 81, 7, 97, 113, 19, 34, 50, 129, 8, 20, 66, 145, 161, 177, 193, 9, 35, 51, 82, 240, 21,
    98, 114, 209, 10, 22, 36, 52, 225, 37, 241, 23, 24, 25, 26, 38, 39, 40, 41, 42, 53, 54, 55, 56, 57,
    58, 67, 68, 69, 70, 71, 72, 73, 74, 83, 84, 85, 86, 87, 88, 89, 90, 99, 100, 101, 102, 103, 104, 105,
    106, 115, 116, 117, 118, 119, 120, 121, 122, 130, 131, 132, 133, 134, 135, 136, 137, 138, 146, 147, 148, 149, 150, 151,
    152, 153, 154, 162, 163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186, 194, 195, 196,
    197, 198, 199, 200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 226, 227, 228, 229, 230, 231, 232, 233, 234,
    242, 243, 244, 245, 246, 247, 248, 249, 250, 255, 218, 0, 12, 3, 1, 0, 2, 17, 3, 17, 0, 63, 0, 247,
    250, 40, 162, 128, 63, 255, 217,
];
