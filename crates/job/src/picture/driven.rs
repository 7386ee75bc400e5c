//! Driven lines, coloured by speed, and their legend.

use deepracer_race::EpisodeStatus;
use glam::DVec2;

use crate::artefact::simtrace::StepRow;

use super::canvas::{Area, Canvas, Ink, Pen};
use super::caption::{TEXT_INK, TITLE_INK};
use super::layout::{Layout, MAX_TABLE_LINES, TABLE_LINE_PX};
use super::lettering::Font;
use super::palette;

const LINE_PX: f64 = 3.4;
const SHADOW: Ink = Ink::rgb(14, 16, 20);
const CROSS: Ink = Ink::rgb(255, 255, 255);
const LEGEND_FONT: Font = Font::regular(16.0);
const LEGEND_BOLD: Font = Font::bold(16.0);
/// Two steps further apart than this do not belong to one line: the car was put somewhere else. The fastest car drives
/// 0.27 m in a step.
const LARGEST_STEP_M: f64 = 0.6;

/// A point of a driven line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrivenPoint {
    /// Where the car was, metres.
    pub position: DVec2,
    /// How fast it was, metres per second.
    pub speed_mps: f64,
}

/// A lap, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct DrivenLine {
    /// Its name in the table, such as `lap 1`.
    pub label: String,
    /// Where it led, in time order.
    pub points: Vec<DrivenPoint>,
    /// Seconds it took.
    pub time_s: f64,
    /// Percent of the lap reached.
    pub progress: f64,
    /// How it ended.
    pub status: EpisodeStatus,
}

impl DrivenLine {
    /// The line through steps of a trace. Speeds are those of the car, from its places and times, not the requested
    /// ones. Steps that are not driven (preparing, pausing) are left out.
    pub fn from_steps(label: impl Into<String>, steps: &[StepRow], time_s: f64) -> DrivenLine {
        let driven: Vec<&StepRow> = steps
            .iter()
            .filter(|step| !matches!(step.status, EpisodeStatus::Prepare | EpisodeStatus::Pause | EpisodeStatus::Park))
            .collect();
        let points = driven
            .iter()
            .enumerate()
            .map(|(index, step)| DrivenPoint { position: position(step), speed_mps: speed_mps(&driven, index) })
            .collect();
        let last = steps.last();
        DrivenLine {
            label: label.into(),
            points,
            time_s,
            progress: last.map_or(0.0, |step| step.progress),
            status: last.map_or(EpisodeStatus::Prepare, |step| step.status),
        }
    }

    fn is_complete(&self) -> bool {
        self.progress >= 100.0
    }

    fn length_m(&self) -> f64 {
        self.points
            .windows(2)
            .map(|pair| pair[0].position.distance(pair[1].position))
            .filter(|step_m| *step_m < LARGEST_STEP_M)
            .sum()
    }
}

fn position(step: &StepRow) -> DVec2 {
    DVec2::new(step.x, step.y)
}

/// Mean speed from two steps before to two steps after, as far as the car drove there: recorded times jitter.
fn speed_mps(steps: &[&StepRow], index: usize) -> f64 {
    let around = &steps[index.saturating_sub(2)..(index + 3).min(steps.len())];
    let (mut distance_m, mut time_s) = (0.0, 0.0);
    for pair in around.windows(2) {
        let step_m = position(pair[0]).distance(position(pair[1]));
        let step_s = pair[1].time_s - pair[0].time_s;
        if step_m < LARGEST_STEP_M && step_s > 0.0 {
            distance_m += step_m;
            time_s += step_s;
        }
    }
    if time_s > 0.0 { distance_m / time_s } else { 0.0 }
}

pub(super) fn draw(canvas: &mut Canvas, layout: &Layout, lines: &[DrivenLine]) {
    let Some(legend) = layout.legend else { return };
    let range = SpeedRange::of(lines);
    // The best lap is drawn last, over the others.
    let mut order: Vec<&DrivenLine> = lines.iter().collect();
    order.sort_by(|a, b| a.progress.min(100.0).total_cmp(&b.progress.min(100.0)).then(b.time_s.total_cmp(&a.time_s)));
    for line in &order {
        draw_line(canvas, layout, line, range);
    }
    draw_bar(canvas, &legend, range);
    let best = order.last().filter(|line| line.is_complete()).copied();
    draw_table(canvas, &legend, lines, best);
}

/// The speeds at the ends of the palette.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SpeedRange {
    low_mps: f64,
    high_mps: f64,
}

impl SpeedRange {
    /// Nearly all speeds, in tenths of metres per second: the slowest twentieth (pulling away from a stand) and the
    /// fastest hundredth are left out, so that the colours are spent on the rest.
    fn of(lines: &[DrivenLine]) -> SpeedRange {
        let mut speeds: Vec<f64> = lines.iter().flat_map(|line| &line.points).map(|point| point.speed_mps).collect();
        speeds.retain(|speed| speed.is_finite());
        speeds.sort_by(f64::total_cmp);
        let at = |part: f64| speeds.get((part * speeds.len() as f64) as usize).copied();
        let low_mps = (at(0.05).unwrap_or(0.0) * 10.0).floor() / 10.0;
        let high_mps = (at(0.99).unwrap_or(1.0) * 10.0).ceil() / 10.0;
        SpeedRange { low_mps, high_mps: high_mps.max(low_mps + 0.2) }
    }

    fn part(&self, speed_mps: f64) -> f64 {
        (speed_mps - self.low_mps) / (self.high_mps - self.low_mps)
    }

    fn at(&self, part: f64) -> f64 {
        self.low_mps + part * (self.high_mps - self.low_mps)
    }
}

fn draw_line(canvas: &mut Canvas, layout: &Layout, line: &DrivenLine, range: SpeedRange) {
    for section in line.points.chunk_by(|a, b| a.position.distance(b.position) < LARGEST_STEP_M) {
        let points: Vec<DVec2> = section.iter().map(|point| layout.px(point.position)).collect();
        canvas.stroke(&points, false, Pen::solid(SHADOW.with_opacity(150), LINE_PX + 2.4));
        for (pair, point) in points.windows(2).zip(&section[1..]) {
            let ink = palette::at(range.part(point.speed_mps));
            canvas.stroke(pair, false, Pen::solid(ink, LINE_PX));
        }
    }
    if let Some(last) = line.points.last().filter(|_| !line.is_complete()) {
        let middle = layout.px(last.position);
        for pen in [Pen::solid(SHADOW, 5.5), Pen::solid(CROSS, 2.6)] {
            for arm in [DVec2::new(6.0, 6.0), DVec2::new(6.0, -6.0)] {
                canvas.stroke(&[middle - arm, middle + arm], false, pen);
            }
        }
    }
}

fn draw_bar(canvas: &mut Canvas, legend: &Area, range: SpeedRange) {
    let bar = Area { left: legend.left, top: legend.top + 46.0, width: 420.0, height: 14.0 };
    canvas.write("speed, m/s", bar.left, bar.top - 12.0, LEGEND_BOLD, TITLE_INK);
    canvas.fill_gradient(&bar, 4.0, palette::bar());
    for quarter in 0..=4 {
        let part = f64::from(quarter) / 4.0;
        let x = bar.left + part * bar.width;
        let text = format!("{:.2}", range.at(part));
        let baseline = bar.bottom() + 20.0;
        match quarter {
            0 => {
                canvas.write(&text, x, baseline, LEGEND_FONT, TEXT_INK);
            }
            4 => canvas.write_to(&text, x, baseline, LEGEND_FONT, TEXT_INK),
            _ => canvas.write_around(&text, x, baseline, LEGEND_FONT, TEXT_INK),
        }
    }
}

fn draw_table(canvas: &mut Canvas, legend: &Area, lines: &[DrivenLine], best: Option<&DrivenLine>) {
    let left = legend.left + 520.0;
    let [time_right, speed_right, end_left] = [left + 230.0, left + 350.0, left + 380.0];
    let head = legend.top + 34.0;
    for (text, right) in [("time", time_right), ("mean, m/s", speed_right)] {
        canvas.write_to(text, right, head, LEGEND_BOLD, TITLE_INK);
    }
    canvas.write("result", end_left, head, LEGEND_BOLD, TITLE_INK);
    let num_shown = if lines.len() > MAX_TABLE_LINES { MAX_TABLE_LINES - 1 } else { lines.len() };
    let mut baseline = head;
    for line in &lines[..num_shown] {
        baseline += TABLE_LINE_PX;
        let is_best = best.is_some_and(|best| std::ptr::eq(best, line));
        let (font, ink) = if is_best { (LEGEND_BOLD, TITLE_INK) } else { (LEGEND_FONT, TEXT_INK) };
        canvas.write(&line.label, left, baseline, font, ink);
        canvas.write_to(&format!("{:.3} s", line.time_s), time_right, baseline, font, ink);
        let mean_mps = if line.time_s > 0.0 { line.length_m() / line.time_s } else { 0.0 };
        canvas.write_to(&format!("{mean_mps:.2}"), speed_right, baseline, font, ink);
        let end = if is_best && lines.len() > 1 {
            "best".to_owned()
        } else if line.is_complete() {
            "complete".to_owned()
        } else {
            format!("{} at {:.0} %", line.status.label().to_lowercase(), line.progress.max(0.0).floor())
        };
        canvas.write(&end, end_left, baseline, font, ink);
    }
    if num_shown < lines.len() {
        let text = format!("and {} more", lines.len() - num_shown);
        canvas.write(&text, left, baseline + TABLE_LINE_PX, LEGEND_FONT, TEXT_INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artefact::simtrace::ActionText;

    /// A car on the x axis that drives `speed_mps` from a step to the next.
    fn steps(speeds_mps: &[f64]) -> Vec<StepRow> {
        let mut x = 0.0;
        speeds_mps
            .iter()
            .enumerate()
            .map(|(index, speed_mps)| {
                let step = StepRow {
                    episode: 0,
                    steps: index as u32 + 1,
                    x,
                    y: 0.0,
                    yaw_deg: 0.0,
                    steer_deg: 0.0,
                    throttle_mps: 4.0,
                    action: ActionText::Index(0),
                    reward: 0.0,
                    done: false,
                    all_wheels_on_track: true,
                    progress: x,
                    closest_waypoint: 0,
                    track_length_m: 100.0,
                    time_s: index as f64 / 10.0,
                    status: if index == 0 { EpisodeStatus::Prepare } else { EpisodeStatus::InProgress },
                    pause_s: 0.0,
                    obstacle_crash_counter: 0,
                    wall_clock_s: 0.0,
                };
                x += speed_mps / 10.0;
                step
            })
            .collect()
    }

    #[test]
    fn speeds_are_the_cars_and_not_the_requested_ones() {
        let line = DrivenLine::from_steps("lap 1", &steps(&[0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), 0.6);
        assert_eq!(line.points.len(), 6, "the prepare step is not driven");
        for point in &line.points {
            assert!((point.speed_mps - 1.0).abs() < 1e-12, "{point:?}");
        }
        assert!((line.length_m() - 0.5).abs() < 1e-12);
        assert_eq!((line.progress, line.status, line.is_complete()), (0.5, EpisodeStatus::InProgress, false));
    }

    #[test]
    fn a_car_put_elsewhere_has_not_driven_there() {
        let mut rows = steps(&[0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
        for row in &mut rows[4..] {
            row.x += 5.0;
        }
        let line = DrivenLine::from_steps("lap 1", &rows, 0.6);
        assert!(line.points.iter().all(|point| (point.speed_mps - 2.0).abs() < 1e-9), "{line:?}");
        assert!((line.length_m() - 0.8).abs() < 1e-9);
    }

    #[test]
    fn colours_are_spent_on_usual_speeds() {
        let line = |speeds: &[f64]| DrivenLine {
            label: String::new(),
            points: speeds.iter().map(|speed| DrivenPoint { position: DVec2::ZERO, speed_mps: *speed }).collect(),
            time_s: 1.0,
            progress: 100.0,
            status: EpisodeStatus::LapComplete,
        };
        let speeds: Vec<f64> = (0..=200).map(|step| f64::from(step) / 50.0).collect();
        let range = SpeedRange::of(&[line(&speeds)]);
        assert!((range.low_mps - 0.2).abs() < 1e-9 && (range.high_mps - 4.0).abs() < 1e-9, "{range:?}");
        assert!((range.part(range.at(0.3)) - 0.3).abs() < 1e-12);
        let even = SpeedRange::of(&[line(&[1.0; 5])]);
        assert!((even.low_mps - 1.0).abs() < 1e-9 && (even.high_mps - 1.2).abs() < 1e-9, "{even:?}");
        assert_eq!(SpeedRange::of(&[]), SpeedRange { low_mps: 0.0, high_mps: 1.0 });
    }
}
