//! A policy that was really trained by the original gives the original's probabilities here.

use std::path::{Path, PathBuf};

use deepracer_policy::{ActionSpec, ClippedPpo, InputShape, InputSpec, PolicySpec, PpoHyperparameters, Topology};

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

/// Reads a number of variable length from the front of a protobuf message.
fn take_number(message: &mut &[u8]) -> u64 {
    let length = message.iter().position(|byte| *byte < 128).expect("an end of the number") + 1;
    let (number, rest) = message.split_at(length);
    *message = rest;
    number.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 127))
}

/// The fields of a protobuf message that are messages, texts or byte strings, with their numbers.
fn fields(mut message: &[u8]) -> Vec<(u64, &[u8])> {
    let mut fields = vec![];
    while !message.is_empty() {
        let key = take_number(&mut message);
        let length = match key & 7 {
            0 => {
                take_number(&mut message);
                continue;
            }
            1 => 8,
            5 => 4,
            _ => take_number(&mut message) as usize,
        };
        let (bytes, rest) = message.split_at(length);
        message = rest;
        fields.push((key >> 3, bytes));
    }
    fields
}

fn field(message: &[u8], number: u64) -> Option<&[u8]> {
    fields(message).into_iter().find(|(found, _)| *found == number).map(|(_, bytes)| bytes)
}

/// The `Const` nodes of a `GraphDef` that hold a tensor of floats as bytes: name and values.
fn constants(graph: &[u8]) -> Vec<(String, Vec<f32>)> {
    // Field numbers: GraphDef.node 1; NodeDef.name 1, op 2, attr 5 (key 1, value 2); AttrValue.tensor 8;
    // TensorProto.tensor_content 4.
    let node = |node| {
        let name = String::from_utf8(field(node, 1)?.to_vec()).ok()?;
        let attributes = fields(node).into_iter().filter(|(number, _)| *number == 5);
        let (_, attribute) = attributes.into_iter().find(|(_, entry)| field(entry, 1) == Some(b"value"))?;
        let content = field(field(field(attribute, 2)?, 8)?, 4)?;
        let values = content.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        (field(node, 2) == Some(b"Const")).then_some((name, values))
    };
    fields(graph).into_iter().filter(|(number, _)| *number == 1).filter_map(|(_, bytes)| node(bytes)).collect()
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
    let constants = constants(&std::fs::read(model.join("model_15.pb")).expect("the frozen graph"));
    assert_eq!(constants.len(), 10, "kernel and bias of five layers");
    for (name, values) in &constants {
        policy.set_variable(name, values).expect("a variable of this policy");
    }

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
