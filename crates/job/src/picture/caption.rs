//! Title and details above the map.

use deepracer_track::{Direction, Line, RouteSource, Track, catalogue};

use super::canvas::{Canvas, Ink};
use super::layout::Layout;
use super::lettering::Font;

const TITLE: Font = Font::bold(32.0);
const DETAILS: Font = Font::regular(17.0);
pub(super) const TITLE_INK: Ink = Ink::rgb(28, 32, 38);
pub(super) const TEXT_INK: Ink = Ink::rgb(92, 98, 106);

/// The words above a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caption {
    /// In large letters.
    pub title: String,
    /// A line below, in small letters.
    pub details: String,
}

impl Caption {
    /// Name, length, width, waypoints, direction and source of a track.
    pub fn of(track: &Track) -> Caption {
        let route = track.route();
        let info = catalogue::find(track.name()).ok();
        let display_name = info.and_then(|info| info.display_name);
        let title = display_name.unwrap_or(track.name()).to_owned();
        let name = display_name.map(|_| format!("{} · ", track.name())).unwrap_or_default();
        let direction = match (track.is_closed(), track.is_ccw(), track.direction()) {
            (true, true, _) => "counter-clockwise",
            (true, false, _) => "clockwise",
            (false, _, Direction::Forward) => "open, driven forward",
            (false, _, Direction::Reversed) => "open, driven in reverse",
        };
        let source = match &route.source {
            RouteSource::Blueprint { .. } => "built-in drawing".to_owned(),
            RouteSource::File(path) => match path.file_name() {
                Some(name) => format!("route file {}", name.to_string_lossy()),
                None => "route file".to_owned(),
            },
            RouteSource::Memory => "route from memory".to_owned(),
        };
        let details = format!(
            "{name}{:.2} m long · {:.2} m wide · {} waypoints · {direction} · {source}",
            track.length_m(),
            mean_width_m(track),
            route.num_waypoints(),
        );
        Caption { title, details }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, layout: &Layout) {
        canvas.write(&self.title, layout.map.left, layout.map.top - 58.0, TITLE, TITLE_INK);
        canvas.write(&self.details, layout.map.left, layout.map.top - 24.0, DETAILS, TEXT_INK);
    }
}

/// Mean distance between the borders at the waypoints.
fn mean_width_m(track: &Track) -> f64 {
    let route = track.route();
    let sum: f64 = route
        .center
        .iter()
        .map(|point| track.line(Line::Inner).project(*point).gap_m + track.line(Line::Outer).project(*point).gap_m)
        .sum();
    sum / route.center.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_track::Library;

    #[test]
    fn the_caption_tells_what_the_track_is() {
        let route = std::sync::Arc::new(Library::new(None).load("reinvent_base").unwrap());
        let forward = Caption::of(&Track::new(route.clone(), Direction::Forward).unwrap());
        assert_eq!(forward.title, "re:Invent 2018");
        assert_eq!(
            forward.details,
            "reinvent_base · 17.70 m long · 0.76 m wide · 119 waypoints · counter-clockwise · built-in drawing"
        );
        let reversed = Caption::of(&Track::new(route, Direction::Reversed).unwrap());
        assert!(reversed.details.contains(" · clockwise · "), "{}", reversed.details);
        let straight = Library::new(None).load("Straight_track").unwrap();
        let straight = Caption::of(&Track::new(straight.into(), Direction::Forward).unwrap());
        assert_eq!(straight.title, "Straight_track");
        assert!(straight.details.starts_with("5.71 m long · 0.61 m wide · 22 waypoints · open, driven forward · "));
    }
}
