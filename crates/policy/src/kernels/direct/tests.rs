//! The kernels against the definition and against finite differences.

use super::*;
use crate::kernels::convolution::relu_gradient;
use crate::random::RandomStream;

/// Layers of the three networks, and odd sizes: channels that do not fill a panel, maps of few pixels, one pixel.
const GEOMETRIES: [Geometry; 12] = [
    Geometry { height: 21, width: 26, channels: 1, filters: 32, kernel: 8, stride: 4 },
    Geometry { height: 9, width: 11, channels: 32, filters: 64, kernel: 4, stride: 2 },
    Geometry { height: 6, width: 7, channels: 64, filters: 64, kernel: 3, stride: 1 },
    Geometry { height: 13, width: 12, channels: 2, filters: 32, kernel: 5, stride: 2 },
    Geometry { height: 7, width: 7, channels: 16, filters: 128, kernel: 3, stride: 2 },
    Geometry { height: 3, width: 6, channels: 64, filters: 48, kernel: 1, stride: 1 },
    Geometry { height: 1, width: 1, channels: 64, filters: 256, kernel: 1, stride: 1 },
    Geometry { height: 5, width: 8, channels: 3, filters: 5, kernel: 2, stride: 1 },
    Geometry { height: 7, width: 9, channels: 7, filters: 17, kernel: 3, stride: 2 },
    Geometry { height: 4, width: 5, channels: 1, filters: 1, kernel: 1, stride: 1 },
    Geometry { height: 8, width: 6, channels: 5, filters: 33, kernel: 3, stride: 3 },
    Geometry { height: 11, width: 10, channels: 19, filters: 20, kernel: 1, stride: 2 },
];

pub(crate) fn random_values(name: &str, len: usize) -> Vec<f32> {
    let mut random = RandomStream::new(3, name);
    (0..len).map(|_| random.uniform() as f32 - 0.5).collect()
}

/// Visits every (output index, input index, weight index) that is multiplied, straight from the definition.
pub(crate) fn visit(geometry: &Geometry, mut visitor: impl FnMut(usize, usize, usize)) {
    let Geometry { width, channels, filters, kernel, stride, .. } = *geometry;
    for row in 0..geometry.output_height() {
        for column in 0..geometry.output_width() {
            for (y, x) in (0..kernel).flat_map(|y| (0..kernel).map(move |x| (y, x))) {
                for (channel, filter) in (0..channels).flat_map(|c| (0..filters).map(move |f| (c, f))) {
                    visitor(
                        (row * geometry.output_width() + column) * filters + filter,
                        ((row * stride + y) * width + column * stride + x) * channels + channel,
                        ((y * kernel + x) * channels + channel) * filters + filter,
                    );
                }
            }
        }
    }
}

pub(crate) fn assert_close(found: &[f32], expected: &[f64], context: &str) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (f64::from(*found) - expected).abs();
        assert!(difference < 1e-5 * expected.abs().max(1.0), "{context}: [{index}] is {found}, not {expected}");
    }
}

#[test]
fn kernels_match_the_definition() {
    for geometry in GEOMETRIES {
        let input = random_values("input", geometry.input_len());
        let weights = random_values("weights", geometry.patch() * geometry.filters);
        let bias = random_values("bias", geometry.filters);
        let gradient = random_values("gradient", geometry.output_len());

        let mut output: Vec<f64> =
            (0..geometry.output_len()).map(|index| f64::from(bias[index % geometry.filters])).collect();
        let mut input_gradient = vec![0.0; input.len()];
        let mut weight_gradient = vec![1.0; weights.len()];
        visit(&geometry, |o, i, w| {
            output[o] += f64::from(input[i]) * f64::from(weights[w]);
            input_gradient[i] += f64::from(gradient[o]) * f64::from(weights[w]);
            weight_gradient[w] += f64::from(gradient[o]) * f64::from(input[i]);
        });
        for value in &mut output {
            *value = value.max(0.0);
        }

        for instructions in InstructionSet::available() {
            let context = format!("{geometry:?} {instructions:?}");
            let mut convolution = Direct::new(geometry, true, instructions);
            convolution.pack(&weights);
            let mut found = vec![f32::NAN; output.len()];
            convolution.forward(&input, &bias, 0.0, &mut found);
            assert_close(&found, &output, &format!("forward {context}"));
            let mut found = vec![f32::NAN; input.len()];
            convolution.input_gradient(&gradient, &mut found);
            assert_close(&found, &input_gradient, &format!("input gradient {context}"));
            let mut found = vec![1.0; weights.len()];
            convolution.weight_gradient(&input, &gradient, &mut found);
            assert_close(&found, &weight_gradient, &format!("weight gradient {context}"));
        }
    }
}

/// The gradients are those of the forward pass: central differences of a weighted sum of the outputs. The step is exact
/// up to rounding wherever no `ReLU` switches, so those few places are left out.
#[test]
fn gradients_match_finite_differences() {
    const STEP: f32 = 1e-2;
    for geometry in GEOMETRIES {
        let mut input = random_values("input", geometry.input_len());
        let mut weights = random_values("weights", geometry.patch() * geometry.filters);
        let bias = random_values("bias", geometry.filters);
        let upstream = random_values("gradient", geometry.output_len());
        let mut convolution = Direct::new(geometry, true, InstructionSet::detect());
        let run = |convolution: &mut Direct, input: &[f32], weights: &[f32]| {
            let mut output = vec![0.0; geometry.output_len()];
            convolution.pack(weights);
            convolution.forward(input, &bias, 0.0, &mut output);
            output
        };
        let output = run(&mut convolution, &input, &weights);
        let mut gradient = upstream.clone();
        relu_gradient(&output, &mut gradient, &mut vec![0.0; geometry.filters]);
        let mut input_gradient = vec![0.0; input.len()];
        convolution.input_gradient(&gradient, &mut input_gradient);
        let mut weight_gradient = vec![0.0; weights.len()];
        convolution.weight_gradient(&input, &gradient, &mut weight_gradient);

        let difference = |high: &[f32], low: &[f32]| {
            let switches = high.iter().zip(low).any(|(high, low)| (*high > 0.0) != (*low > 0.0));
            let terms = high
                .iter()
                .zip(low)
                .zip(&upstream)
                .map(|((high, low), weight)| f64::from(high - low) * f64::from(*weight));
            (!switches).then(|| terms.sum::<f64>() / f64::from(2.0 * STEP))
        };
        let mut random = RandomStream::new(4, "places");
        let mut compared = 0;
        for _ in 0..40 {
            let place = random.index(input.len());
            let value = input[place];
            input[place] = value + STEP;
            let high = run(&mut convolution, &input, &weights);
            input[place] = value - STEP;
            let low = run(&mut convolution, &input, &weights);
            input[place] = value;
            if let Some(expected) = difference(&high, &low) {
                assert!((f64::from(input_gradient[place]) - expected).abs() < 2e-3, "{geometry:?} input {place}");
                compared += 1;
            }
            let place = random.index(weights.len());
            let value = weights[place];
            weights[place] = value + STEP;
            let high = run(&mut convolution, &input, &weights);
            weights[place] = value - STEP;
            let low = run(&mut convolution, &input, &weights);
            weights[place] = value;
            if let Some(expected) = difference(&high, &low) {
                assert!((f64::from(weight_gradient[place]) - expected).abs() < 2e-3, "{geometry:?} weight {place}");
                compared += 1;
            }
        }
        assert!(compared >= 20, "{geometry:?}: only {compared} places without a switch");
    }
}

#[test]
fn relu_gradient_masks_and_sums() {
    let mut gradient = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut bias = [10.0, 20.0];
    relu_gradient(&[1.0, 0.0, 0.5, 2.0, 0.0, 1.0], &mut gradient, &mut bias);
    assert_eq!(gradient, [1.0, 0.0, 3.0, 4.0, 0.0, 6.0]);
    assert_eq!(bias, [14.0, 30.0]);
}
