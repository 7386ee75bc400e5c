//! Places of obstacles, as `DR_OA_OBJECT_POSITIONS` spells them.

use std::fmt;

use serde::Serialize;

/// One of the two lanes, halfway between the centre line and a border.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TrackLane {
    /// Towards the inside of the loop: `1`.
    Inner,
    /// Towards the outside of the loop: `-1`.
    Outer,
}

/// A place on the track.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ObjectPosition {
    /// Fraction of the track from waypoint 0 in driving direction, 0 to 1.
    pub progress: f64,
    /// Which lane.
    pub lane: TrackLane,
}

impl ObjectPosition {
    /// `0.23,-1;0.46,1`; blanks around the parts and a `;` at the end are allowed. The error says what is wrong, to follow
    /// `NAME=text: `.
    pub(crate) fn parse_list(text: &str) -> Result<Vec<ObjectPosition>, String> {
        let list = text.trim().trim_end_matches(';');
        if list.trim().is_empty() {
            return Ok(Vec::new());
        }
        list.split(';').map(|pair| ObjectPosition::parse(pair.trim())).collect()
    }

    fn parse(pair: &str) -> Result<ObjectPosition, String> {
        const LEGAL: &str = "write pairs of progress (0 to 1) and lane (-1 outer, 1 inner) as in 0.23,-1;0.46,1";
        let Some((progress, lane)) = pair.split_once(',') else {
            return Err(format!("`{pair}` is no pair; {LEGAL}"));
        };
        let progress = progress.trim().parse::<f64>().ok().filter(|progress| (0.0..=1.0).contains(progress));
        let progress =
            progress.ok_or_else(|| format!("the progress of `{pair}` is not a number from 0 to 1; {LEGAL}"))?;
        let lane = match lane.trim().parse::<f64>() {
            Ok(-1.0) => TrackLane::Outer,
            Ok(1.0) => TrackLane::Inner,
            _ => return Err(format!("the lane of `{pair}` is not -1 or 1; {LEGAL}")),
        };
        Ok(ObjectPosition { progress, lane })
    }
}

impl fmt::Display for ObjectPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lane = match self.lane {
            TrackLane::Inner => 1,
            TrackLane::Outer => -1,
        };
        write!(formatter, "{},{lane}", self.progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        let position = |progress, lane| ObjectPosition { progress, lane };
        let two = vec![position(0.23, TrackLane::Outer), position(1.0, TrackLane::Inner)];
        for text in ["0.23,-1;1,1", " 0.23 , -1 ; 1.0,1 ;", "0.23,-1.0;1,1.0;"] {
            assert_eq!(ObjectPosition::parse_list(text), Ok(two.clone()), "{text}");
        }
        assert_eq!(two.iter().map(ToString::to_string).collect::<Vec<_>>(), ["0.23,-1", "1,1"]);
        assert_eq!(ObjectPosition::parse_list(" "), Ok(vec![]));
    }

    #[test]
    fn what_is_no_place_is_refused_with_what_is_legal() {
        for (text, what) in [
            ("0.2", "`0.2` is no pair"),
            ("0.2,-1;;0.4,1", "`` is no pair"),
            ("1.2,-1", "the progress of `1.2,-1` is not a number from 0 to 1"),
            ("-0.1,1", "the progress of `-0.1,1`"),
            ("nan,1", "the progress of `nan,1`"),
            ("0.2,0", "the lane of `0.2,0` is not -1 or 1"),
            ("0.2,2", "the lane of `0.2,2`"),
            ("0.2,inner", "the lane of `0.2,inner`"),
            ("0.2,-1,1", "the lane of `0.2,-1,1`"),
        ] {
            let error = ObjectPosition::parse_list(text).expect_err(text);
            assert!(error.starts_with(what) && error.ends_with("as in 0.23,-1;0.46,1"), "{error}");
        }
    }
}
