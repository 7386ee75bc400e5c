//! Progress round the track, in percent since the episode's start.

/// Counts progress from the normalised distance of the car's front point.
///
/// The value lies in about (−50, 100]. It is negative when the car rolls back over its start; it reaches exactly 100
/// when the car has come round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    start_ndist: f64,
    current: f64,
    previous: f64,
}

impl Progress {
    /// Progress of a car that starts at `start_ndist` (0…1, of the track's length from waypoint 0).
    pub fn new(start_ndist: f64) -> Self {
        Self { start_ndist, current: 0.0, previous: 0.0 }
    }

    /// Takes the front point's normalised distance `ndist` (0…1) of a new step and returns the progress in percent.
    pub fn advance(&mut self, ndist: f64) -> f64 {
        self.previous = if self.current >= 100.0 { 0.0 } else { self.current };
        self.current = deepracer_track::progress::percent(ndist, self.start_ndist, self.previous);
        self.current
    }

    /// Percent after the latest step.
    pub fn percent(&self) -> f64 {
        self.current
    }

    /// Percent one step earlier (0 at the first step of a lap).
    pub fn previous_percent(&self) -> f64 {
        self.previous
    }

    /// Where on the track (0…1) the car was one step earlier: the place it is put back to after a mishap.
    /// The original forgot the start and counted from waypoint 0.
    pub fn previous_ndist(&self) -> f64 {
        (self.start_ndist + self.previous / 100.0).rem_euclid(1.0)
    }

    /// Where on the track (0…1) the car is now.
    pub fn current_ndist(&self) -> f64 {
        (self.start_ndist + self.current / 100.0).rem_euclid(1.0)
    }

    /// The episode's start, 0…1.
    pub fn start_ndist(&self) -> f64 {
        self.start_ndist
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_from_the_line_counts_up_and_ends_at_exactly_100() {
        let mut progress = Progress::new(0.0);
        assert_eq!(progress.advance(0.008), 0.8);
        assert_eq!(progress.advance(0.5), 50.0);
        assert_eq!(progress.advance(0.99), 99.0);
        assert_eq!(progress.advance(0.003), 100.0);
        assert!((progress.advance(0.01) - 1.0).abs() < 1e-12, "the next lap starts from zero");
    }

    #[test]
    fn a_lap_from_the_middle_of_the_track_wraps_at_the_line() {
        let mut progress = Progress::new(0.75);
        for (ndist, percent) in [(0.76, 1.0), (0.99, 24.0), (0.01, 26.0), (0.5, 75.0), (0.74, 99.0), (0.755, 100.0)] {
            assert!((progress.advance(ndist) - percent).abs() < 1e-9, "at {ndist}");
        }
    }

    #[test]
    fn rolling_back_over_the_start_is_negative() {
        let mut progress = Progress::new(0.0);
        progress.advance(0.01);
        assert!((progress.advance(0.995) + 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_place_to_return_to_includes_the_start() {
        let mut progress = Progress::new(0.9);
        progress.advance(0.95);
        progress.advance(0.15);
        progress.advance(0.16);
        assert!((progress.previous_ndist() - 0.15).abs() < 1e-12);
    }
}
