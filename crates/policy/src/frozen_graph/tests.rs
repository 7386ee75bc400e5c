//! Graphs are written here, in the forms that the versions of the framework give them, and read back.

use proptest::prelude::*;
use prost::Message;

use super::*;
use crate::{InputSpec, PpoHyperparameters, Topology, Variable};
use graph_def::{
    Attribute, Axis, Constant, ConstantEntry, ConstantValue, FLOAT, INT32, List, Operation, Shape, TensorProto,
};

/// How a framework spells the same networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `Conv2d_4/Conv2D`; per-pixel dense layers by reshaping and `MatMul`.
    Old,
    /// `Conv2d_4_1/convolution`; per-pixel dense layers by `BatchMatMulV2`, biases of convolutions by way of their shape.
    New,
}

struct Writer {
    style: Style,
    file: Vec<u8>,
}

impl Writer {
    fn record(&mut self, node: &[u8]) {
        self.file.push(0x0A);
        prost::encode_length_delimiter(node.len(), &mut self.file).expect("memory");
        self.file.extend_from_slice(node);
    }

    fn operation(&mut self, operation: &str, name: &str, inputs: &[&str], attributes: &[(&str, Attribute)]) -> String {
        let node = Operation {
            name: name.to_owned(),
            operation: operation.to_owned(),
            inputs: inputs.iter().map(|input| (*input).to_owned()).collect(),
            attributes: attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        };
        self.record(&node.encode_to_vec());
        name.to_owned()
    }

    fn constant(&mut self, name: &str, tensor: TensorProto) -> String {
        let head = Operation { name: name.to_owned(), operation: "Const".to_owned(), ..Operation::default() };
        let value = Some(ConstantValue { tensor: Some(tensor) });
        let mut node = head.encode_to_vec();
        node.extend(Constant { attribute: Some(ConstantEntry { value }) }.encode_to_vec());
        self.record(&node);
        name.to_owned()
    }

    fn number(&mut self, name: &str, value: f32) -> String {
        self.constant(name, TensorProto { data_type: FLOAT, floats: vec![value], ..shaped(&[]) })
    }

    fn integers(&mut self, name: &str, integers: Vec<i32>) -> String {
        let shape = [integers.len()];
        self.constant(name, TensorProto { data_type: INT32, integers, ..shaped(&shape) })
    }

    fn variable(&mut self, variable: &Variable) -> String {
        let content: Vec<u8> = variable.values().iter().flat_map(|value| value.to_le_bytes()).collect();
        let tensor = TensorProto { data_type: FLOAT, content: content.into(), ..shaped(variable.shape()) };
        let name = self.constant(variable.name(), tensor);
        self.operation("Identity", &format!("{name}/read"), &[&name], &[])
    }

    /// Kernel, bias, and what is between; the name of the sum.
    fn linear(&mut self, input: &str, kernel: &Variable, bias: &Variable, stride: usize) -> String {
        let layer = kernel.name().strip_suffix("/kernel").expect("a kernel").to_owned();
        let [kernel_name, mut bias_name] = [self.variable(kernel), self.variable(bias)];
        let old = self.style == Style::Old;
        let is_per_pixel = kernel.shape().len() == 2 && layer.contains("CAMERA/Dense");
        let product = if kernel.shape().len() == 4 {
            let list = |integers: Vec<i64>| Attribute { list: Some(List { integers }), ..Attribute::default() };
            let text = |text: &'static str| Attribute { text: text.as_bytes().into(), ..Attribute::default() };
            let attributes = [
                ("strides", list(vec![1, stride as i64, stride as i64, 1])),
                ("dilations", list(vec![1; 4])),
                ("padding", text("VALID")),
                ("data_format", text("NHWC")),
            ];
            let name = if old { format!("{layer}/Conv2D") } else { format!("{layer}_1/convolution") };
            if !old {
                let shape = self.integers(&format!("{layer}_1/Reshape/shape"), vec![1, 1, 1, bias.shape()[0] as i32]);
                let reshaped = self.operation("Reshape", &format!("{layer}_1/Reshape"), &[&bias_name, &shape], &[]);
                bias_name = self.operation("Squeeze", &format!("{layer}_1/Squeeze"), &[&reshaped], &[]);
            }
            self.operation("Conv2D", &name, &[input, &kernel_name], &attributes)
        } else if is_per_pixel && old {
            let axes = self.integers(&format!("{layer}/Tensordot/axes"), vec![3]);
            let free = self.integers(&format!("{layer}/Tensordot/free"), vec![0, 1, 2]);
            let axis = self.integers(&format!("{layer}/Tensordot/concat/axis"), vec![0]);
            let order = self.operation("ConcatV2", &format!("{layer}/Tensordot/concat"), &[&free, &axes, &axis], &[]);
            let turned = self.operation("Transpose", &format!("{layer}/Tensordot/transpose"), &[input, &order], &[]);
            let flat = self.operation("Reshape", &format!("{layer}/Tensordot/Reshape"), &[&turned, &axes], &[]);
            let flat = self.operation("MatMul", &format!("{layer}/Tensordot/MatMul"), &[&flat, &kernel_name], &[]);
            self.operation("Reshape", &format!("{layer}/Tensordot"), &[&flat, &axes], &[])
        } else {
            let operation = if is_per_pixel { "BatchMatMulV2" } else { "MatMul" };
            self.operation(operation, &format!("{layer}/MatMul"), &[input, &kernel_name], &[])
        };
        self.operation("BiasAdd", &format!("{layer}/BiasAdd"), &[&product, &bias_name], &[])
    }
}

fn shaped(shape: &[usize]) -> TensorProto {
    TensorProto { shape: Some(axes(shape.iter().map(|size| *size as i64))), ..TensorProto::default() }
}

fn axes(sizes: impl Iterator<Item = i64>) -> Shape {
    Shape { axes: sizes.map(|size| Axis { size }).collect() }
}

/// The frozen graph of a policy's actor.
fn freeze(policy: &ClippedPpo, style: Style) -> Vec<u8> {
    let mut writer = Writer { style, file: vec![] };
    let scope = "main_level/agent/main/online/network_1";
    let variables: Vec<&Variable> = policy.variables().filter(|variable| variable.name().starts_with(scope)).collect();
    let mut layers = policy.actor_layers().zip(variables.chunks(2)).peekable();
    let mut embeddings = vec![];
    for input in &policy.spec().inputs {
        let sizes = std::iter::once(-1).chain(sizes(input.shape));
        let shape = Attribute { shape: Some(axes(sizes)), ..Attribute::default() };
        let name = format!("main_level/agent/main/online/network_0/{0}/{0}", input.name);
        let mut at = writer.operation("Placeholder", &name, &[], &[("shape", shape)]);
        let here = format!("{scope}/{}", input.name);
        let divisor = if matches!(input.shape, InputShape::Image { .. }) { 255.0 } else { 1.0 };
        let divisor = writer.number(&format!("{here}/truediv/y"), divisor);
        at = writer.operation("RealDiv", &format!("{here}/truediv"), &[&at, &divisor], &[]);
        let nothing = writer.number(&format!("{here}/sub/y"), 0.0);
        at = writer.operation("Sub", &format!("{here}/sub"), &[&at, &nothing], &[]);
        while let Some(((_, stride), variables)) =
            layers.next_if(|(_, variables)| variables[0].name().starts_with(&format!("{here}/")))
        {
            let sum = writer.linear(&at, variables[0], variables[1], stride);
            at = writer.operation("Relu", &format!("{sum}/Relu"), &[&sum], &[]);
        }
        embeddings.push(writer.operation("Reshape", &format!("{here}/Flatten"), &[&at, &nothing], &[]));
    }
    let mut at = embeddings[0].clone();
    if embeddings.len() > 1 {
        let axis = writer.integers("axis", vec![1]);
        let mut inputs: Vec<&str> = embeddings.iter().map(String::as_str).collect();
        inputs.push(&axis);
        at = writer.operation("ConcatV2", &format!("{scope}/merger"), &inputs, &[]);
    }
    while let Some(((_, stride), variables)) =
        layers.next_if(|(_, variables)| variables[0].name().contains("/middleware"))
    {
        let sum = writer.linear(&at, variables[0], variables[1], stride);
        at = writer.operation("Relu", &format!("{sum}/Relu"), &[&sum], &[]);
    }
    // (1 - r)·stop_gradient([x]) + r·[x], and out of its brackets again.
    let r = writer.number(&format!("{scope}/gradients_from_head_0-0_rescalers"), 1.0);
    let read = writer.operation("Identity", &format!("{r}/read"), &[&r], &[]);
    let one = writer.number(&format!("{scope}/sub/x"), 1.0);
    let rest = writer.operation("Sub", &format!("{scope}/sub"), &[&one, &read], &[]);
    let packed = writer.operation("Pack", &format!("{scope}/StopGradient/input"), &[&at], &[]);
    let stopped = writer.operation("StopGradient", &format!("{scope}/StopGradient"), &[&packed], &[]);
    let left = writer.operation("Mul", &format!("{scope}/mul"), &[&rest, &stopped], &[]);
    let packed = writer.operation("Pack", &format!("{scope}/mul_1/y"), &[&at], &[]);
    let right = writer.operation("Mul", &format!("{scope}/mul_1"), &[&read, &packed], &[]);
    let sum = if style == Style::Old { "Add" } else { "AddV2" };
    let sum = writer.operation(sum, &format!("{scope}/add"), &[&left, &right], &[]);
    let begin = writer.integers(&format!("{scope}/ppo_head_0/strided_slice/stack"), vec![0]);
    let shrink = Attribute { integer: 1, ..Attribute::default() };
    let inputs: [&str; 4] = [&sum, &begin, &begin, &begin];
    let slice = format!("{scope}/ppo_head_0/strided_slice");
    at = writer.operation("StridedSlice", &slice, &inputs, &[("shrink_axis_mask", shrink)]);
    let ((_, stride), variables) = layers.next().expect("a head");
    at = writer.linear(&at, variables[0], variables[1], stride);
    let answer = if matches!(policy.spec().actions, ActionSpec::Discrete { .. }) { "Softmax" } else { "Identity" };
    writer.operation(answer, walk::ANSWER, &[&at], &[]);
    writer.file
}

fn camera(name: &str, channels: usize) -> InputSpec {
    // The smallest picture of the largest network.
    InputSpec { name: name.into(), shape: InputShape::Image { height: 64, width: 72, channels } }
}

fn lidar(name: &str, len: usize) -> InputSpec {
    InputSpec { name: name.into(), shape: InputShape::Vector { len } }
}

/// A policy whose weights, biases included, are all different.
fn policy(inputs: Vec<InputSpec>, topology: Topology, actions: ActionSpec, seed: u64) -> ClippedPpo {
    let spec = PolicySpec { inputs, topology, actions };
    let mut policy = ClippedPpo::new(spec, PpoHyperparameters::default(), seed).expect("a possible policy");
    let biases: Vec<(String, usize)> = policy
        .variables()
        .filter(|variable| variable.name().ends_with("/bias"))
        .map(|variable| (variable.name().to_owned(), variable.values().len()))
        .collect();
    for (name, len) in biases {
        let values: Vec<f32> = (0..len).map(|index| ((index as u64 + seed) % 7) as f32 * 0.01 - 0.03).collect();
        policy.set_variable(&name, &values).expect("its own variable");
    }
    policy
}

const FIVE: ActionSpec = ActionSpec::Discrete { num_actions: 5 };

fn shallow(seed: u64) -> ClippedPpo {
    policy(vec![camera("FRONT_FACING_CAMERA", 1)], Topology::Shallow, FIVE, seed)
}

/// What loading a file into a policy says.
fn refusal(file: Vec<u8>, into: &mut ClippedPpo) -> String {
    let before: Vec<Vec<f32>> = into.variables().map(|variable| variable.values().to_vec()).collect();
    let result = FrozenGraph::parse(file).and_then(|graph| into.load_actor_from_frozen_graph(&graph));
    assert!(into.variables().zip(&before).all(|(variable, before)| variable.values() == before), "nothing half-done");
    result.expect_err("it cannot be used").to_string()
}

#[test]
fn every_network_and_sensor_is_read_in_every_style() {
    let sensors = [
        vec![camera("FRONT_FACING_CAMERA", 1)],
        vec![camera("observation", 1)],
        vec![camera("LEFT_CAMERA", 1), lidar("LIDAR", 64)],
        vec![camera("STEREO_CAMERAS", 2), lidar("SECTOR_LIDAR", 8)],
        vec![camera("FRONT_FACING_CAMERA", 1), lidar("DISCRETIZED_SECTOR_LIDAR", 24)],
    ];
    let actions = [FIVE, ActionSpec::Continuous { num_dims: 2 }];
    for (index, inputs) in sensors.iter().enumerate() {
        for topology in [Topology::Shallow, Topology::Mid, Topology::Deep] {
            // The small pictures leave the deep network's last map empty.
            let mut inputs = inputs.clone();
            if topology == Topology::Deep {
                for input in &mut inputs {
                    if let InputShape::Image { height, width, .. } = &mut input.shape {
                        (*height, *width) = (76, 80);
                    }
                }
            }
            let actions = actions[index % 2];
            for style in [Style::Old, Style::New] {
                let mut original = policy(inputs.clone(), topology, actions, 1);
                let graph = FrozenGraph::parse(freeze(&original, style)).expect("a policy");
                assert_eq!(graph.actions(), actions);
                let mut other = policy(inputs.clone(), topology, actions, 2);
                let critic = other.clone().values(&vec![77; other.spec().observation_bytes()], 1);
                other.load_actor_from_frozen_graph(&graph).expect("a policy of this kind");
                let observation: Vec<u8> =
                    (0..original.spec().observation_bytes()).map(|byte| (byte % 63) as u8).collect();
                let [mut expected, mut found] = [vec![], vec![]];
                original.forward(&observation, 1, &mut expected);
                other.forward(&observation, 1, &mut found);
                assert_eq!(found, expected, "{topology:?} {style:?} {inputs:?}");
                assert_eq!(other.values(&vec![77; observation.len()], 1), critic, "the critic stays");
            }
        }
    }
}

#[test]
fn what_does_not_belong_to_the_metadata_is_refused_with_both_sides() {
    let file = freeze(&shallow(1), Style::Old);
    let front = || vec![camera("FRONT_FACING_CAMERA", 1)];
    let twelve = ActionSpec::Discrete { num_actions: 12 };
    let cases = [
        (policy(front(), Topology::Shallow, twelve, 2), "5 discrete actions, the model metadata 12 discrete actions"),
        (policy(front(), Topology::Shallow, ActionSpec::Continuous { num_dims: 2 }, 2), "continuous actions of 2"),
        (policy(vec![camera("LEFT_CAMERA", 1)], Topology::Shallow, FIVE, 2), "sees FRONT_FACING_CAMERA [64, 72, 1]"),
        (policy(vec![camera("STEREO_CAMERAS", 2)], Topology::Shallow, FIVE, 2), "says STEREO_CAMERAS [64, 72, 2]"),
        (policy(front(), Topology::Mid, FIVE, 2), "convolution [8, 8, 1, 32], stride 4 instead of convolution [5, 5"),
    ];
    for (mut other, expected) in cases {
        let text = refusal(file.clone(), &mut other);
        assert!(text.contains(expected) && text.contains("model_metadata.json"), "{text}");
    }
}

/// Replaces a text of the file by one of the same length.
fn replaced(file: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut file = file.to_vec();
    let places: Vec<usize> =
        (0..file.len() - from.len()).filter(|at| file[*at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty(), "{from}");
    for at in places {
        file[at..][..to.len()].copy_from_slice(to.as_bytes());
    }
    file
}

#[test]
fn other_graphs_and_damaged_files_are_refused_by_name() {
    let mut policy = shallow(2);
    let file = freeze(&shallow(1), Style::Old);
    let mut with_infinity = shallow(1);
    let head = "main_level/agent/main/online/network_1/ppo_head_0/policy_fc/bias";
    with_infinity.set_variable(head, &[0.0, f32::INFINITY, 0.0, 0.0, 0.0]).expect("the bias");
    let cases = [
        (replaced(&file, "Relu", "Tanh"), "(Tanh) is not what is expected there"),
        (replaced(&file, "VALID", "SAME\0"), "(Conv2D) is not what is expected there, a convolution without padding"),
        (replaced(&file, "NHWC", "NCHW"), "whose last axis is the channels"),
        (
            replaced(&file, "agent/main/online", "agent/slow/online"),
            "the operation main_level/agent/main/online/network_1",
        ),
        (replaced(&file, "/agent/main/online", "/agent/policy/onli"), "the operation main_level"),
        (replaced(&file, "Conv2d_2/kernel/read", "Conv2d_2/kernel/gone"), "is not what is expected"),
        (
            freeze(&with_infinity, Style::Old),
            "weights of main_level/agent/main/online/network_1/ppo_head_0/policy_fc/BiasAdd are not",
        ),
        (vec![], "without a policy"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), "damaged or not a TensorFlow graph"),
        (b"{\"action_space\": []}".to_vec(), "damaged or not a TensorFlow graph"),
        (file[..file.len() / 2].to_vec(), "bytes before the end of a node"),
        ([file.clone(), file.clone()].concat(), "two nodes have the name"),
        ([0x0A, 0].repeat(5000), "two nodes have the name"),
    ];
    for (file, expected) in cases {
        // A renamed operation is asked for by nobody and its readers are renamed too: only those cases that are damaged fail.
        let text = match FrozenGraph::parse(file.clone()) {
            Ok(_) if expected == "is not what is expected" => continue,
            _ => refusal(file, &mut policy),
        };
        assert!(text.contains(expected), "{text}");
    }
    let sac = Writer { style: Style::Old, file: vec![] };
    let text = refusal(
        {
            let mut sac = sac;
            sac.operation("Identity", "main_level/agent/policy/online/network_0/sac_policy_head_0/policy", &[], &[]);
            sac.file
        },
        &mut policy,
    );
    assert!(text.contains("SAC") && text.contains("clipped PPO"), "{text}");
}

#[test]
fn a_graph_that_runs_in_circles_ends() {
    let mut writer = Writer { style: Style::Old, file: vec![] };
    writer.operation("Identity", walk::ANSWER, &["a"], &[]);
    writer.operation("BiasAdd", "a", &["b", "b"], &[]);
    writer.operation("Identity", "b", &["b"], &[]);
    let text = FrozenGraph::parse(writer.file).expect_err("a circle").to_string();
    assert!(text.contains("in circles"), "{text}");
}

#[test]
fn memory_is_bounded_before_it_is_taken() {
    let mut many = Writer { style: Style::Old, file: vec![] };
    for index in 0..5000 {
        many.operation("Identity", &index.to_string(), &[], &[]);
    }
    assert!(FrozenGraph::parse(many.file).expect_err("many").to_string().contains("more than 4096 nodes"));
    let mut wide = Writer { style: Style::Old, file: vec![] };
    wide.operation("Identity", "a", &vec![""; 1 << 20], &[]);
    assert!(FrozenGraph::parse(wide.file).expect_err("wide").to_string().contains("without weights"));
    let mut vast = Writer { style: Style::Old, file: vec![] };
    vast.constant("a", TensorProto { data_type: FLOAT, floats: vec![1.0], ..shaped(&[1 << 40, 1 << 40]) });
    assert!(FrozenGraph::parse(vast.file).expect_err("vast").to_string().contains("no possible shape"));
    let large = vec![0; MAX_FILE_BYTES as usize + 1];
    assert!(matches!(FrozenGraph::parse(large), Err(FrozenGraphError::TooLarge { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever happens to a file, it is read or refused.
    #[test]
    fn damage_never_panics(
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        thread_local! {
            // What is not weights is most of what can be damaged: one of the smallest networks.
            static FILE: Vec<u8> = freeze(&policy(
                vec![InputSpec { name: "observation".into(), shape: InputShape::Image { height: 36, width: 36, channels: 1 } }],
                Topology::Shallow,
                FIVE,
                1,
            ), Style::New);
            static POLICY: std::cell::RefCell<ClippedPpo> = policy(
                vec![InputSpec { name: "observation".into(), shape: InputShape::Image { height: 36, width: 36, channels: 1 } }],
                Topology::Shallow,
                FIVE,
                2,
            ).into();
        }
        let mut file = FILE.with(Clone::clone);
        for (place, byte) in flips {
            let at = place.index(file.len());
            file[at] ^= byte;
        }
        if is_cut {
            file.truncate(cut.index(file.len()));
        }
        if let Ok(graph) = FrozenGraph::parse(file) {
            POLICY.with_borrow_mut(|policy| drop(policy.load_actor_from_frozen_graph(&graph)));
        }
    }

    /// Bytes that are no graph at all.
    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(FrozenGraph::parse(bytes).is_err());
    }
}
