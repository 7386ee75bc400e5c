//! Colours as the camera shows them.

/// An 8-bit RGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    /// The brightest value a lit surface reaches in the original's pictures: white lines, whose
    /// texture times light exceeds full scale, measure 251 in its frames.
    pub const LIT_MAX: f32 = 251.0;

    /// This colour under light: every channel times `gain`, at most [`Rgb::LIT_MAX`].
    ///
    /// ```
    /// use deepracer_world::Rgb;
    /// assert_eq!(Rgb([64, 63, 200]).lit(1.32), Rgb([84, 83, 251]));
    /// ```
    #[must_use]
    pub fn lit(self, gain: f32) -> Rgb {
        Rgb(self.0.map(|channel| (f32::from(channel) * gain).min(Self::LIT_MAX).round() as u8))
    }

    /// The colour half way between two.
    #[must_use]
    pub fn midway(self, other: Rgb) -> Rgb {
        let mix = |k: usize| u8::midpoint(self.0[k], other.0[k]);
        Rgb([mix(0), mix(1), mix(2)])
    }
}

impl From<[u8; 3]> for Rgb {
    fn from(channels: [u8; 3]) -> Self {
        Rgb(channels)
    }
}
