//! A policy that was really trained by the original gives the original's probabilities here.

use std::path::{Path, PathBuf};

use deepracer_policy::{
    ActionSpec, ClippedPpo, FrozenGraph, InputShape, InputSpec, PolicySpec, PpoHyperparameters, Topology,
};

/// The folder of reference data, if there is one.
fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("DEEPRACER_SHARED").map_or(beside, PathBuf::from);
    let found = folder.join("data/models/reinvent_base_12_actions").is_dir();
    if !found {
        println!("skipped: no reference data in {}", folder.display());
    }
    found.then_some(folder)
}

/// The 120×160 grey picture the original feeds, from an RGB one: the weighted sum, truncated.
fn grey(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("the frame"));
    let mut reader = png::Decoder::new(file).read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!((info.width, info.height, info.color_type), (160, 120, png::ColorType::Rgb));
    let luma = |[red, green, blue]: &[u8; 3]| {
        (0.2989 * f64::from(*red) + 0.5870 * f64::from(*green) + 0.1140 * f64::from(*blue)) as u8
    };
    pixels.as_chunks().0.iter().map(luma).collect()
}

#[test]
fn a_policy_of_the_original_gives_the_same_probabilities() {
    let Some(shared) = shared() else { return };
    let model = shared.join("data/models/reinvent_base_12_actions");
    let spec = PolicySpec {
        inputs: vec![InputSpec {
            name: "FRONT_FACING_CAMERA".into(),
            shape: InputShape::Image { height: 120, width: 160, channels: 1 },
        }],
        topology: Topology::Shallow,
        actions: ActionSpec::Discrete { num_actions: 12 },
    };
    let mut policy = ClippedPpo::new(spec, PpoHyperparameters::default(), 1).expect("a possible policy");
    let graph = FrozenGraph::read(&model.join("model_15.pb")).expect("the frozen graph");
    assert_eq!(graph.actions(), ActionSpec::Discrete { num_actions: 12 });
    assert_eq!(graph.sensors().collect::<Vec<_>>(), ["FRONT_FACING_CAMERA"]);
    policy.load_actor_from_frozen_graph(&graph).expect("a policy of this kind");

    let table = std::fs::read_to_string(model.join("expected_policy.csv")).expect("the expected outputs");
    let mut frames = vec![];
    let mut expected = vec![];
    for line in table.lines().skip(1) {
        let (name, probabilities) = line.split_once(',').expect("a name and probabilities");
        frames.extend(grey(&shared.join("data/frames").join(name)));
        expected.extend(probabilities.split(',').map(|text| text.parse::<f32>().expect("a number")));
    }
    let count = expected.len() / 12;
    assert_eq!(count, 300);
    let mut found = vec![];
    policy.forward(&frames, count, &mut found);
    let largest = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f32::max);
    println!("largest difference of {count} × 12 probabilities: {largest:e}");
    assert!(largest < 1e-5, "{largest}");

    // One at a time, as the car and the simulator do.
    let mut single = vec![];
    for (frame, expected) in frames.chunks_exact(120 * 160).zip(expected.chunks_exact(12)).step_by(50) {
        policy.forward(frame, 1, &mut single);
        assert!(single.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5));
    }
}
