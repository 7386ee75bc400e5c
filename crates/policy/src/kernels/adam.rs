//! Adam, applied block by block as gradients become known.

use crate::variable::Block;

/// Decay of the mean of the gradients.
const BETA_1: f32 = 0.9;
/// Decay of the mean of the squared gradients.
const BETA_2: f32 = 0.999;
/// The reference's epsilon.
const EPSILON: f32 = 1e-5;

/// What becomes of the gradient of a block of a variable.
///
/// The backward pass hands every gradient over as soon as it is complete, and forgets it: the gradient of a large dense
/// layer is never stored as a whole.
pub(crate) trait Optimizer: Sync {
    /// Uses the gradient of the loss by `block.values`.
    fn update(&self, block: Block<'_>, gradient: &[f32]);
}

/// One step of Adam.
///
/// Epsilon is placed as in TensorFlow: with `α = learning rate · √(1 − β₂ᵗ) / (1 − β₁ᵗ)`, a value moves by
/// `−α · m / (√v + ε)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdamStep {
    alpha: f32,
}

impl AdamStep {
    /// The step number `step`, counted from 1.
    pub(crate) fn new(learning_rate: f64, step: u64) -> Self {
        let step = step as f64;
        let alpha = learning_rate * (1.0 - f64::from(BETA_2).powf(step)).sqrt() / (1.0 - f64::from(BETA_1).powf(step));
        Self { alpha: alpha as f32 }
    }

    #[expect(clippy::inline_always, reason = "must be compiled inside the function that enables the instruction set")]
    #[inline(always)]
    fn apply(self, block: Block<'_>, gradient: &[f32]) {
        let Block { values, first_moment, second_moment } = block;
        for (((value, first), second), gradient) in values.iter_mut().zip(first_moment).zip(second_moment).zip(gradient)
        {
            *first += (gradient - *first) * (1.0 - BETA_1);
            *second += (gradient * gradient - *second) * (1.0 - BETA_2);
            *value -= self.alpha * *first / (second.sqrt() + EPSILON);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn apply_avx2(self, block: Block<'_>, gradient: &[f32]) {
        self.apply(block, gradient);
    }
}

impl Optimizer for AdamStep {
    fn update(&self, block: Block<'_>, gradient: &[f32]) {
        assert_eq!(block.values.len(), gradient.len());
        #[cfg(target_arch = "x86_64")]
        if super::instruction_set::has_avx2() {
            #[allow(unsafe_code)]
            // SAFETY: AVX2 has just been found on this processor.
            return unsafe { self.apply_avx2(block, gradient) };
        }
        self.apply(block, gradient);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::Variable;

    /// Two steps on one value, computed by hand from the formula with α₁ = lr·√0.001/0.1 and α₂ = lr·√0.001999/0.19.
    #[test]
    fn two_steps_match_the_formula() {
        let mut variable = Variable::new("v".into(), vec![3], vec![1.0, -2.0, 0.5]);
        let mut expected = [(1.0_f64, 0.0_f64, 0.0_f64), (-2.0, 0.0, 0.0), (0.5, 0.0, 0.0)];
        let gradients = [[0.5_f32, -1e-4, 0.0], [0.25, 3.0, -2.0]];
        let alphas = [1e-3 * 0.001_f64.sqrt() / 0.1, 1e-3 * 0.001_999_f64.sqrt() / 0.19];
        for (step, gradient) in gradients.iter().enumerate() {
            AdamStep::new(1e-3, step as u64 + 1).update(variable.block(), gradient);
            for ((value, m, v), gradient) in expected.iter_mut().zip(gradient) {
                let gradient = f64::from(*gradient);
                *m = 0.9 * *m + 0.1 * gradient;
                *v = 0.999 * *v + 0.001 * gradient * gradient;
                *value -= alphas[step] * *m / (v.sqrt() + 1e-5);
            }
        }
        for (value, (expected, ..)) in variable.values().iter().zip(expected) {
            assert!((f64::from(*value) - expected).abs() < 1e-7, "{value} {expected}");
        }
    }
}
