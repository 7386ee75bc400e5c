//! The catalogue of published tracks: every name with its figures, found by name or display name.
//!
//! ```
//! use deepracer_track::catalogue;
//!
//! assert_eq!(catalogue::find("re:Invent 2018")?.name, "reinvent_base");
//! let unknown = catalogue::find("reinvent_bsae").unwrap_err();
//! assert_eq!(unknown.suggestions[0], "reinvent_base");
//! # Ok::<(), catalogue::UnknownTrack>(())
//! ```

mod table;

use glam::DVec2;

/// What is known about a published track; figures measured on its route file.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackInfo {
    /// The name used in settings and file names, for example `reinvent_base`.
    pub name: &'static str,
    /// The name shown to racers, for example `re:Invent 2018`; it is accepted as an alias.
    pub display_name: Option<&'static str>,
    /// Name of the world model the track is drawn with; differs from `name` only where two tracks share one.
    pub world_model: &'static str,
    /// Rows of the route file, the closing row included.
    pub num_waypoints: usize,
    /// Length of the centre line.
    pub length_m: f64,
    /// Length as listed by the community, where known.
    pub listed_length_m: Option<f64>,
    /// Mean of the reward's `track_width`, sampled each 5 cm.
    pub mean_width_m: f64,
    /// Smallest `track_width`, sampled each 5 cm.
    pub min_width_m: f64,
    /// Largest `track_width`, sampled each 5 cm.
    pub max_width_m: f64,
    /// Radius of the tightest circle through centre points 0.25 m of arc apart; infinite on a straight track.
    pub min_radius_m: f64,
    /// Which way the route runs round.
    pub winding: Winding,
    /// Waypoint 0.
    pub start_point: DVec2,
    /// Heading from waypoint 0 to waypoint 1, in degrees counter-clockwise from the x axis.
    pub start_yaw_deg: f64,
    /// Lower left and upper right corner of the outer border.
    pub bounds: (DVec2, DVec2),
    /// How the rows of the route file follow each other.
    pub row_spacing: RowSpacing,
    /// Name of the built-in drawing this track is made from when no route file was imported.
    pub drawing: &'static str,
    /// Whether the drawing is mirrored left to right.
    pub mirrored: bool,
    /// Largest distance between a waypoint of the built-in drawing and the published waypoint of the same index.
    pub waypoint_deviation_m: f64,
}

/// Which way a route runs round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winding {
    /// Counter-clockwise: the inner border lies to the left.
    Ccw,
    /// Clockwise: the inner border lies to the right.
    Cw,
    /// Not a loop; the inner border lies to the left.
    Open,
}

/// How the rows of a published route file follow each other along the centre line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowSpacing {
    /// All equally far apart (nearly, in hand-made tracks).
    Even,
    /// Equally far apart, but the row with this index is repeated by the next one.
    EvenRepeating(usize),
    /// Unequally far apart: the distance along the centre line at some rows, in metres, measured to 0.1 m; equally
    /// spaced between them.
    Uneven(&'static [(usize, f64)]),
    /// Row 1 lies on the start line and the others follow it equally spaced, but rows 0 and 2 were put in 0.13 m before
    /// and behind the line (the routes whose names end in `_cw` and `_ccw`).
    StartLine,
}

impl TrackInfo {
    /// Whether the track is a loop.
    pub fn is_closed(&self) -> bool {
        self.winding != Winding::Open
    }

    /// Other names [`find`] accepts for this track.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        self.display_name.into_iter()
    }
}

/// A name that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no track named '{name}'; nearest: {}; `dr-tracks list` shows all names",
    suggestions.join(", ")
)]
pub struct UnknownTrack {
    /// The name as it was asked for.
    pub name: String,
    /// The nearest names, best first.
    pub suggestions: Vec<String>,
}

/// How many names an [`UnknownTrack`] suggests.
const NUM_SUGGESTIONS: usize = 3;

/// All published tracks, sorted by name without regard to case.
pub fn all() -> &'static [TrackInfo] {
    table::TRACKS
}

/// Finds a track by its name or display name; case, spaces and punctuation do not matter.
pub fn find(name: &str) -> Result<&'static TrackInfo, UnknownTrack> {
    find_or_suggest(name, &[])
}

/// Like [`find`], with further names to suggest from.
pub(crate) fn find_or_suggest(name: &str, further_names: &[String]) -> Result<&'static TrackInfo, UnknownTrack> {
    let wanted = key(name);
    let exact = all().iter().find(|track| track.name == name);
    let known_as = |track: &&TrackInfo| key(track.name) == wanted || track.aliases().any(|alias| key(alias) == wanted);
    exact
        .or_else(|| all().iter().find(known_as))
        .ok_or_else(|| UnknownTrack { name: name.to_owned(), suggestions: nearest_names(&wanted, further_names) })
}

/// What has to agree for two names to mean the same track: the letters and digits, in lower case.
fn key(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn nearest_names(wanted: &str, further_names: &[String]) -> Vec<String> {
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(wanted, &key(name));
    let mut ranked: Vec<(f64, &str)> = all()
        .iter()
        .map(|track| {
            let best_alias = track.aliases().map(likeness).fold(0.0, f64::max);
            (likeness(track.name).max(best_alias), track.name)
        })
        .chain(further_names.iter().map(|name| (likeness(name), name.as_str())))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut names: Vec<String> = Vec::with_capacity(NUM_SUGGESTIONS);
    for (_, name) in ranked {
        if names.len() < NUM_SUGGESTIONS && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_name_and_alias_means_one_track() {
        let mut owners: HashMap<String, &str> = HashMap::new();
        for track in all() {
            assert_eq!(find(track.name).expect("own name").name, track.name);
            for name in std::iter::once(track.name).chain(track.aliases()) {
                assert_eq!(find(name).expect("known").name, track.name, "{name}");
                let owner = owners.entry(key(name)).or_insert(track.name);
                assert_eq!(*owner, track.name, "{name} is ambiguous");
            }
        }
        assert_eq!(all().len(), 127);
    }

    #[test]
    fn names_are_found_whatever_the_case() {
        assert_eq!(find("RE:INVENT 2018").map(|track| track.name), Ok("reinvent_base"));
        assert_eq!(find("smile speedway").map(|track| track.name), Ok("reInvent2019_track"));
        assert_eq!(find("reinvent2019_WIDE").map(|track| track.name), Ok("reInvent2019_wide"));
    }

    #[test]
    fn unknown_names_list_the_nearest() {
        let unknown = find("Vegas_trak").expect_err("misspelt");
        assert_eq!(unknown.suggestions.len(), 3);
        assert_eq!(unknown.suggestions[0], "Vegas_track");
        let message = unknown.to_string();
        assert!(message.contains("'Vegas_trak'") && message.contains("dr-tracks list"), "{message}");
        let unknown = find("Smyle Speedway").expect_err("misspelt display name");
        assert_eq!(unknown.suggestions[0], "reInvent2019_track");
        assert_eq!(find("").expect_err("empty").suggestions.len(), 3);
    }
}
