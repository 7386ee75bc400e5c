//! Pictures of tracks and of the lines driven over them, as PNG.
//!
//! Both are 1200 pixels wide: a caption, the track in the colours of its world with waypoint numbers, start line and
//! direction, and, for driven laps, their lines coloured by speed with a colour bar and a table of results.
//!
//! ```
//! use deepracer_job::picture::{Caption, draw_track};
//! use deepracer_track::{Direction, Library, Track};
//!
//! let track = Track::new(Library::new(None).load("reinvent_base")?.into(), Direction::Forward)?;
//! let png = draw_track(&track, &Caption::of(&track))?;
//! assert!(png.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canvas;
mod caption;
mod driven;
mod layout;
mod lettering;
mod map;
mod palette;
mod waypoint_numbers;

pub use caption::Caption;
pub use driven::{DrivenLine, DrivenPoint};

use deepracer_track::Track;

use canvas::Canvas;
use layout::Layout;

/// Why a picture could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The picture does not fit into memory.
    #[error("there is not enough memory for a picture of {width_px} × {height_px} pixels")]
    TooLarge {
        /// Width in pixels.
        width_px: u32,
        /// Height in pixels.
        height_px: u32,
    },
    /// The picture could not be compressed.
    #[error("the picture could not be written as PNG: {0}")]
    Encoding(String),
}

/// Draws a track. Returns the bytes of a PNG file.
pub fn draw_track(track: &Track, caption: &Caption) -> Result<Vec<u8>, PictureError> {
    draw(track, caption, &[])
}

/// Draws a track and the lines driven over it. Returns the bytes of a PNG file. Without lines it is the plain track.
pub fn draw_driven_lines(track: &Track, caption: &Caption, lines: &[DrivenLine]) -> Result<Vec<u8>, PictureError> {
    draw(track, caption, lines)
}

fn draw(track: &Track, caption: &Caption, lines: &[DrivenLine]) -> Result<Vec<u8>, PictureError> {
    let layout = Layout::new(track, lines.len());
    let mut canvas = Canvas::new(layout.width_px, layout.height_px)?;
    caption.draw(&mut canvas, &layout);
    map::draw(&mut canvas, &layout, track, !lines.is_empty());
    driven::draw(&mut canvas, &layout, lines);
    canvas.into_png()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_race::EpisodeStatus;
    use deepracer_track::{Direction, Library, Line};
    use deepracer_world::look::{self, LineSide};
    use glam::DVec2;
    use tiny_skia::Pixmap;

    fn track(name: &str) -> Track {
        Track::new(Library::new(None).load(name).unwrap().into(), Direction::Forward).unwrap()
    }

    fn pixel(picture: &Pixmap, at: DVec2) -> [u8; 3] {
        let pixel = picture.pixel(at.x as u32, at.y as u32).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    #[test]
    fn road_lines_and_field_have_their_colours() {
        let track = track("reinvent_base");
        let layout = Layout::new(&track, 0);
        let picture = Pixmap::decode_png(&draw_track(&track, &Caption::of(&track)).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (1200, layout.height_px));
        let at = |point: DVec2| pixel(&picture, layout.px(point));
        let route = track.route();
        // This world's lines lie inside the borders.
        assert_eq!(look::find("reinvent_base").border_lines.side, LineSide::Inside);
        // Away from waypoint dots, numbers and the start: between the dashes and the line, on the line, beyond it.
        for waypoint in [15, 35, 55, 75, 95] {
            let [center, outer] = [route.center[waypoint], route.outer[waypoint]];
            let outward = (outer - center).normalize() / layout.px_per_m;
            assert!(at(center.lerp(outer, 0.5)).iter().all(|channel| *channel < 80), "road at {waypoint}");
            assert!(at(outer - outward * 4.0).iter().all(|channel| *channel > 220), "line at {waypoint}");
            assert!(at(outer + outward * 3.0)[0] < 200, "field at {waypoint}");
        }
        let field = at(DVec2::new(3.0, 2.0));
        assert!(field[1] > field[0] && field[1] > field[2] && field[1] > 120, "{field:?}");
    }

    #[test]
    fn a_fast_line_is_bright_and_a_slow_one_is_not() {
        let track = track("reinvent_base");
        // Away from the centre line with its dashes: half way to the inner border, and to the outer one.
        let lane = |border: Line, speed_mps: f64, label: &str| DrivenLine {
            label: label.to_owned(),
            points: (12..19)
                .map(|waypoint| {
                    let center = track.waypoints()[waypoint];
                    let position = center.lerp(track.line(border).project(center).point, 0.5);
                    DrivenPoint { position, speed_mps }
                })
                .collect(),
            time_s: 9.5,
            progress: 100.0,
            status: EpisodeStatus::LapComplete,
        };
        let lines = [lane(Line::Inner, 1.0, "slow"), lane(Line::Outer, 3.0, "fast")];
        let layout = Layout::new(&track, lines.len());
        let png = draw_driven_lines(&track, &Caption::of(&track), &lines).unwrap();
        let picture = Pixmap::decode_png(&png).unwrap();
        let shown = |line: &DrivenLine| pixel(&picture, layout.px(line.points[3].position));
        let [slow, fast] = [shown(&lines[0]), shown(&lines[1])];
        assert!(slow[2] > slow[0] && slow[2] > slow[1], "blue: {slow:?}");
        assert!(fast[0] > 220 && fast[1] > 200 && fast[2] < 150, "yellow: {fast:?}");
    }

    #[test]
    fn the_same_picture_has_the_same_bytes() {
        let track = track("Straight_track");
        let caption = Caption { title: "a".to_owned(), details: "ü 模".to_owned() };
        assert_eq!(draw_track(&track, &caption).unwrap(), draw_track(&track, &caption).unwrap());
        assert_eq!(draw_track(&track, &caption).unwrap(), draw_driven_lines(&track, &caption, &[]).unwrap());
    }
}
