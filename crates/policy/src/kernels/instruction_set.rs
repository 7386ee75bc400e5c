//! Which vector instructions the kernels use on this processor.

/// A set of vector instructions the kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstructionSet {
    /// What every processor of the target has; no fused multiply-add.
    Portable,
    /// 256-bit vectors with fused multiply-add (`x86-64-v3`).
    Avx2,
}

impl InstructionSet {
    /// The best set this processor has.
    pub(crate) fn detect() -> Self {
        if has_avx2() { Self::Avx2 } else { Self::Portable }
    }

    /// Every set this processor can run, for the tests that compare them.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        let mut sets = vec![Self::Portable];
        if has_avx2() {
            sets.push(Self::Avx2);
        }
        sets
    }
}

/// Whether the processor has AVX2 and fused multiply-add. The answer is cached by the standard library.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

/// Whether the processor has AVX2 and fused multiply-add.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_avx2() -> bool {
    false
}
