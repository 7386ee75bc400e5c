//! Which implementation of the inner loops runs.

/// An implementation of the inner loops. All give the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Safe Rust for every processor.
    Portable,
    /// Eight pixels at a time; made by [`Kernel::detect`] only.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// The quickest one this processor can run.
    pub(crate) fn detect() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernel::Avx2;
        }
        Kernel::Portable
    }
}
