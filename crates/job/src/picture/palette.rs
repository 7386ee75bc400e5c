//! Colours for speeds: ordered by lightness, so that faster is brighter for every eye and on every printer, and bright
//! enough throughout to stand out from the road.

use super::canvas::Ink;

/// Slow to fast, evenly spaced.
const STOPS: [Ink; 7] = [
    Ink::rgb(84, 102, 222),
    Ink::rgb(139, 95, 222),
    Ink::rgb(199, 87, 191),
    Ink::rgb(237, 100, 133),
    Ink::rgb(252, 139, 82),
    Ink::rgb(255, 188, 57),
    Ink::rgb(250, 241, 92),
];

/// The colour of a part from 0 (slow) to 1 (fast).
pub(super) fn at(part: f64) -> Ink {
    let last = STOPS.len() - 1;
    // What is not a number counts as slow.
    let position = if part > 0.0 { part.min(1.0) } else { 0.0 } * last as f64;
    let index = (position as usize).min(last - 1);
    STOPS[index].mixed(STOPS[index + 1], position - index as f64)
}

/// Colours for a bar, evenly spaced from slow to fast.
pub(super) fn bar() -> &'static [Ink] {
    &STOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_is_lighter_everywhere_and_evenly() {
        let lightness: Vec<f64> = (0..=60).map(|step| at(f64::from(step) / 60.0).lightness()).collect();
        let mean_step = (lightness[60] - lightness[0]) / 60.0;
        assert!(lightness[0] > 45.0 && lightness[60] > 90.0, "{} to {}", lightness[0], lightness[60]);
        for pair in lightness.windows(2) {
            let step = pair[1] - pair[0];
            assert!(step > 0.1 * mean_step && step < 3.0 * mean_step, "{step} of {mean_step}");
        }
    }

    #[test]
    fn parts_beyond_the_ends_get_the_end_colours() {
        assert_eq!(at(-1.0), STOPS[0]);
        assert_eq!(at(2.0), STOPS[6]);
        assert_eq!(at(f64::NAN), STOPS[0]);
        assert_eq!(at(0.5), STOPS[3]);
    }
}
