//! Against the definition of a convolution, and what is left to the direct way.

use super::*;
use crate::kernels::convolution::Convolution;
use crate::kernels::direct::tests::{assert_close, random_values, visit};

/// Layers of the networks; maps with an odd and an even number of rows and columns; more than one strip.
const GEOMETRIES: [Geometry; 7] = [
    Geometry { height: 29, width: 39, channels: 32, filters: 64, kernel: 4, stride: 2 },
    Geometry { height: 13, width: 18, channels: 64, filters: 64, kernel: 3, stride: 1 },
    Geometry { height: 12, width: 13, channels: 8, filters: 8, kernel: 3, stride: 1 },
    Geometry { height: 7, width: 50, channels: 16, filters: 24, kernel: 3, stride: 1 },
    Geometry { height: 60, width: 30, channels: 8, filters: 16, kernel: 3, stride: 1 },
    Geometry { height: 21, width: 26, channels: 8, filters: 16, kernel: 4, stride: 2 },
    Geometry { height: 33, width: 40, channels: 2, filters: 32, kernel: 8, stride: 4 },
];

#[test]
fn all_passes_match_the_definition() {
    for geometry in GEOMETRIES {
        let input = random_values("input", geometry.input_len());
        let weights = random_values("weights", geometry.patch() * geometry.filters);
        let bias = random_values("bias", geometry.filters);
        let gradient = random_values("gradient", geometry.output_len());
        let mut output: Vec<f64> =
            (0..geometry.output_len()).map(|index| f64::from(bias[index % geometry.filters])).collect();
        let mut input_gradient = vec![0.0; input.len()];
        let mut weight_gradient = vec![0.0; weights.len()];
        visit(&geometry, |o, i, w| {
            output[o] += f64::from(input[i]) * f64::from(weights[w]);
            input_gradient[i] += f64::from(gradient[o]) * f64::from(weights[w]);
            weight_gradient[w] += 2.0 * f64::from(gradient[o]) * f64::from(input[i]);
        });
        for value in &mut output {
            *value = value.max(0.0);
        }

        for instructions in InstructionSet::available() {
            let context = format!("{geometry:?} {instructions:?}");
            let mut convolution = Winograd::new(geometry, true, instructions).expect("a convolution of this kind");
            convolution.pack(&weights);
            let mut found = vec![f32::NAN; output.len()];
            convolution.forward(&input, &bias, &mut found);
            assert_close(&found, &output, &format!("forward {context}"));
            let mut found = vec![f32::NAN; input.len()];
            let mut sums = vec![0.0; convolution.sums_len()];
            convolution.backward(&input, &gradient, &mut sums, Some(&mut found));
            assert_close(&found, &input_gradient, &format!("input gradient {context}"));
            convolution.backward(&input, &gradient, &mut sums, None);
            convolution.finish_weight_gradient(&mut sums);
            assert_close(&sums[..weights.len()], &weight_gradient, &format!("weight gradient {context}"));
        }
    }
}

/// Other strides, channels that do not fill the lanes, and maps so small that padding eats the gain are done directly.
#[test]
fn what_does_not_fit_or_pay_is_done_directly() {
    let direct = |height, width, channels, filters, kernel, stride| {
        let geometry = Geometry { height, width, channels, filters, kernel, stride };
        matches!(Convolution::new(geometry, true, InstructionSet::detect()), Convolution::Direct(_))
    };
    assert!(direct(120, 160, 1, 32, 8, 4));
    assert!(direct(56, 76, 32, 64, 3, 2));
    assert!(direct(20, 20, 64, 64, 1, 1));
    assert!(direct(20, 20, 12, 64, 3, 1));
    assert!(direct(20, 20, 16, 12, 3, 1));
    assert!(direct(3, 3, 64, 64, 3, 1));
    assert!(!direct(5, 8, 64, 64, 3, 1));
}
