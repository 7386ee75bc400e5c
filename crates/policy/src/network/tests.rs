//! Shapes, names, first values and gradients of whole networks.

use super::*;
use crate::kernels::dense::tests::Record;
use crate::specification::{ActionSpec, Topology};

fn camera(name: &str, height: usize, width: usize, channels: usize) -> InputSpec {
    InputSpec { name: name.into(), shape: InputShape::Image { height, width, channels } }
}

fn lidar(name: &str, len: usize) -> InputSpec {
    InputSpec { name: name.into(), shape: InputShape::Vector { len } }
}

fn spec(topology: Topology, inputs: Vec<InputSpec>) -> PolicySpec {
    PolicySpec { inputs, topology, actions: ActionSpec::Discrete { num_actions: 5 } }
        .checked()
        .expect("a possible network")
}

fn count(network: &Network) -> usize {
    network.variables().map(|variable| variable.values().len()).sum()
}

/// Numbers of parameters of the original's networks, found by building them.
#[test]
fn parameter_counts_are_those_of_the_original() {
    let front = || camera("FRONT_FACING_CAMERA", 120, 160, 1);
    let stereo = || camera("STEREO_CAMERAS", 120, 160, 2);
    let table = [
        (Topology::Shallow, vec![front()], 5_842_086, 5_840_034),
        (Topology::Shallow, vec![camera("LEFT_CAMERA", 120, 160, 1)], 5_842_086, 5_840_034),
        (Topology::Shallow, vec![stereo()], 5_844_134, 5_842_082),
        (Topology::Mid, vec![front()], 28_744_742, 28_742_690),
        (Topology::Mid, vec![stereo()], 57_624_550, 57_622_498),
        (Topology::Deep, vec![front()], 2_777_286, 2_776_770),
        (Topology::Mid, vec![camera("observation", 120, 160, 1)], 5_842_086, 5_840_034),
        (Topology::Shallow, vec![stereo(), lidar("SECTOR_LIDAR", 8)], 6_043_302, 6_041_250),
        (Topology::Shallow, vec![lidar("LIDAR", 64), front()], 6_055_590, 6_053_538),
    ];
    for (topology, inputs, actor, critic) in table {
        let spec = spec(topology, inputs);
        assert_eq!(count(&Network::new(&spec, 1, Head::Categorical { num_actions: 5 }, 1)), actor, "{spec:?}");
        assert_eq!(count(&Network::new(&spec, 0, Head::Value, 1)), critic, "{spec:?}");
    }
    let shallow = spec(Topology::Shallow, vec![front()]);
    assert_eq!(count(&Network::new(&shallow, 1, Head::Gaussian { num_dims: 2 }, 1)), 5_840_549);
}

#[test]
fn variables_have_the_names_and_shapes_of_the_original() {
    let shapes = |topology, inputs, index, head| {
        let network = Network::new(&spec(topology, inputs), index, head, 1);
        let scope = format!("main_level/agent/main/online/network_{index}/");
        let name = |variable: &Variable| variable.name().strip_prefix(&scope).map(str::to_owned).expect("the scope");
        network.variables().map(|variable| (name(variable), variable.shape().to_vec())).collect::<Vec<_>>()
    };
    let expected = |list: &[(&str, &[usize])]| {
        list.iter().map(|(name, shape)| ((*name).to_owned(), shape.to_vec())).collect::<Vec<_>>()
    };
    assert_eq!(
        shapes(Topology::Shallow, vec![camera("FRONT_FACING_CAMERA", 120, 160, 1)], 1, Head::Gaussian { num_dims: 2 }),
        expected(&[
            ("FRONT_FACING_CAMERA/Conv2d_0/kernel", &[8, 8, 1, 32]),
            ("FRONT_FACING_CAMERA/Conv2d_0/bias", &[32]),
            ("FRONT_FACING_CAMERA/Conv2d_2/kernel", &[4, 4, 32, 64]),
            ("FRONT_FACING_CAMERA/Conv2d_2/bias", &[64]),
            ("FRONT_FACING_CAMERA/Conv2d_4/kernel", &[3, 3, 64, 64]),
            ("FRONT_FACING_CAMERA/Conv2d_4/bias", &[64]),
            ("middleware_fc_embedder/Dense_0/kernel", &[11264, 512]),
            ("middleware_fc_embedder/Dense_0/bias", &[512]),
            ("ppo_head_0/policy_mean/kernel", &[512, 2]),
            ("ppo_head_0/policy_mean/bias", &[2]),
            ("ppo_head_0/policy_log_std", &[1, 2]),
            ("gradients_from_head_0-0_rescalers", &[]),
        ])
    );
    assert_eq!(
        shapes(Topology::Deep, vec![lidar("LIDAR", 64), camera("FRONT_FACING_CAMERA", 120, 160, 1)], 0, Head::Value),
        expected(&[
            ("FRONT_FACING_CAMERA/Conv2d_0/kernel", &[8, 8, 1, 32]),
            ("FRONT_FACING_CAMERA/Conv2d_0/bias", &[32]),
            ("FRONT_FACING_CAMERA/Conv2d_2/kernel", &[4, 4, 32, 32]),
            ("FRONT_FACING_CAMERA/Conv2d_2/bias", &[32]),
            ("FRONT_FACING_CAMERA/Conv2d_4/kernel", &[4, 4, 32, 64]),
            ("FRONT_FACING_CAMERA/Conv2d_4/bias", &[64]),
            ("FRONT_FACING_CAMERA/Conv2d_6/kernel", &[3, 3, 64, 64]),
            ("FRONT_FACING_CAMERA/Conv2d_6/bias", &[64]),
            ("FRONT_FACING_CAMERA/Dense_8/kernel", &[64, 512]),
            ("FRONT_FACING_CAMERA/Dense_8/bias", &[512]),
            ("FRONT_FACING_CAMERA/Dense_10/kernel", &[512, 512]),
            ("FRONT_FACING_CAMERA/Dense_10/bias", &[512]),
            ("LIDAR/Dense_0/kernel", &[64, 256]),
            ("LIDAR/Dense_0/bias", &[256]),
            ("LIDAR/Dense_2/kernel", &[256, 256]),
            ("LIDAR/Dense_2/bias", &[256]),
            ("middleware_fc_embedder/Dense_0/kernel", &[9472, 256]),
            ("middleware_fc_embedder/Dense_0/bias", &[256]),
            ("middleware_fc_embedder/Dense_2/kernel", &[256, 128]),
            ("middleware_fc_embedder/Dense_2/bias", &[128]),
            ("v_values_head_0/output/kernel", &[128, 1]),
            ("v_values_head_0/output/bias", &[1]),
            ("gradients_from_head_0-0_rescalers", &[]),
        ])
    );
}

#[test]
fn first_weights_have_the_documented_spread() {
    let spec = spec(Topology::Shallow, vec![camera("FRONT_FACING_CAMERA", 120, 160, 1)]);
    let critic = Network::new(&spec, 0, Head::Value, 1);
    let actor = Network::new(&spec, 1, Head::Gaussian { num_dims: 2 }, 1);
    for variable in critic.variables().chain(actor.variables()) {
        let values = variable.values();
        let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let column_norm =
            |columns: usize| values.iter().step_by(columns).map(|value| value * value).sum::<f32>().sqrt();
        let name = variable.name();
        if name.ends_with("rescalers") {
            assert_eq!(values, [1.0]);
        } else if name.ends_with("output/kernel") {
            assert!((column_norm(1) - 1.0).abs() < 1e-4);
        } else if name.ends_with("policy_mean/kernel") {
            assert!((column_norm(2) - 0.01).abs() < 1e-6);
        } else if name.ends_with("kernel") {
            // Glorot: √(6 / (kernel area · (inputs + outputs))), nearly reached by the largest of many.
            let limit = match variable.shape() {
                [8, 8, 1, 32] => (6.0_f32 / (64.0 * 33.0)).sqrt(),
                [4, 4, 32, 64] => (6.0_f32 / (16.0 * 96.0)).sqrt(),
                [3, 3, 64, 64] => (6.0_f32 / (9.0 * 128.0)).sqrt(),
                _ => (6.0_f32 / (11264.0 + 512.0)).sqrt(),
            };
            assert!(largest <= limit && largest > 0.98 * limit, "{name} {largest} {limit}");
        } else {
            assert_eq!(largest, 0.0, "{name}");
        }
    }
}

/// Whole networks with every kind of layer: central differences of a weighted sum of the answers, in random directions
/// over one variable at a time. `ReLU` bends the sum, hence the tolerance.
#[test]
fn gradients_match_finite_differences() {
    const SAMPLES: usize = 11;
    const STEP: f32 = 5e-4;
    let cases = [
        spec(Topology::Shallow, vec![camera("FRONT_FACING_CAMERA", 37, 41, 1)]),
        spec(Topology::Mid, vec![camera("FRONT_FACING_CAMERA", 30, 27, 1)]),
        spec(Topology::Mid, vec![camera("STEREO_CAMERAS", 27, 23, 2), lidar("SECTOR_LIDAR", 8)]),
        spec(Topology::Deep, vec![lidar("LIDAR", 64), camera("FRONT_FACING_CAMERA", 79, 77, 1)]),
    ];
    for spec in cases {
        let mut random = RandomStream::new(9, "case");
        let mut observations = vec![];
        for input in (0..SAMPLES).flat_map(|_| &spec.inputs) {
            for _ in 0..input.shape.values() {
                match input.shape {
                    InputShape::Image { .. } => observations.push(random.bits() as u8),
                    InputShape::Vector { .. } => observations.extend((random.uniform() as f32).to_le_bytes()),
                }
            }
        }
        let batch = Batch { observations: &observations, rows: Rowset::List(&[10, 0, 3, 4, 5, 6, 7, 8, 9, 2, 1]) };
        let mut network = Network::new(&spec, 1, Head::Categorical { num_actions: 5 }, 2);
        let upstream: Vec<f32> = (0..SAMPLES * 5).map(|_| random.uniform() as f32 - 0.5).collect();
        let sum = |network: &mut Network| -> f64 {
            network
                .forward(batch)
                .iter()
                .zip(&upstream)
                .map(|(answer, weight)| f64::from(*answer) * f64::from(*weight))
                .sum()
        };
        sum(&mut network);
        network.backward(SAMPLES, &upstream, &Record);
        let names: Vec<String> = network.variables().map(|variable| variable.name().to_owned()).collect();
        for name in names.iter().filter(|name| !name.ends_with("rescalers")) {
            let variable = network.variables().find(|variable| variable.name() == name).expect("its name");
            let gradient = variable.first_moment().to_vec();
            let values = variable.values().to_vec();
            // Along the sign of the gradient, so that the difference is large against rounding.
            let norm: f64 = gradient.iter().map(|gradient| f64::from(gradient.abs())).sum();
            let mut moved = |step: f32| {
                let change = |variable: &mut Variable| {
                    if variable.name() == name {
                        for ((value, original), gradient) in
                            variable.block().values.iter_mut().zip(&values).zip(&gradient)
                        {
                            *value = original + step * if *gradient == 0.0 { 0.0 } else { gradient.signum() };
                        }
                    }
                };
                network.change_variables(change);
                sum(&mut network)
            };
            let step = STEP / (values.len() as f32).sqrt();
            let found = (moved(step) - moved(-step)) / f64::from(2.0 * step);
            moved(0.0);
            assert!(norm > 0.0, "{name}");
            assert!((found - norm).abs() < 2e-2 * norm, "{:?} {name}: {found} {norm}", spec.topology);
        }
    }
}
