//! Real frames of the original's front camera, and how alike pictures are.

use super::shared_folder;
use deepracer_sensor::{HEIGHT, Moment, ObservationCamera, Pixels, Scene, Scratch, WIDTH};
use glam::DVec2;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

#[derive(Clone, Copy)]
pub(crate) struct Pose {
    pub(crate) position: DVec2,
    pub(crate) yaw_rad: f64,
}

pub(crate) struct Frame {
    pub(crate) rgb: Vec<u8>,
    pub(crate) grey: Vec<u8>,
    pub(crate) pose: Pose,
}

/// Moves the pose in ever smaller steps while that makes picture and frame more alike.
pub(crate) fn refine(camera: &ObservationCamera, scene: &Scene, frame: &Frame) -> (Pose, f64) {
    refine_from(camera, scene, frame, frame.pose)
}

/// As [`refine`], from the best places within 0.4 m along, 0.1 m across and 9° of the given pose: poses of the table may
/// be off by a dash.
pub(crate) fn refine_widely(camera: &ObservationCamera, scene: &Scene, frame: &Frame) -> (Pose, f64) {
    const NUM_STARTS: usize = 4;
    let ahead = DVec2::from_angle(frame.pose.yaw_rad);
    let mut judge = judge(camera, scene, frame);
    let mut starts = Vec::new();
    for along in -8..=8 {
        for across in -2..=2 {
            for turn in -4..=4 {
                let shift = ahead * (0.05 * f64::from(along)) + ahead.perp() * (0.05 * f64::from(across));
                let yaw_rad = frame.pose.yaw_rad + 0.04 * f64::from(turn);
                let pose = Pose { position: frame.pose.position + shift, yaw_rad };
                starts.push((judge(pose), pose));
            }
        }
    }
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let refined = starts.iter().take(NUM_STARTS).map(|(_, start)| refine_from(camera, scene, frame, *start));
    refined.fold((frame.pose, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
}

fn judge<'a>(camera: &'a ObservationCamera, scene: &'a Scene, frame: &'a Frame) -> impl FnMut(Pose) -> f64 + 'a {
    let mut scratch = Scratch::new();
    let mut picture = vec![0; camera.num_bytes(Pixels::Grey)];
    move |pose| {
        draw(camera, scene, pose, Pixels::Grey, &mut scratch, &mut picture);
        similarity(&picture, &frame.grey)
    }
}

fn refine_from(camera: &ObservationCamera, scene: &Scene, frame: &Frame, start: Pose) -> (Pose, f64) {
    let mut judge = judge(camera, scene, frame);
    let mut best = (start, judge(start));
    for step in [4.0, 2.0, 1.0, 0.5, 0.25] {
        loop {
            let before = best.1;
            let ahead = DVec2::from_angle(best.0.yaw_rad) * (0.01 * step);
            let moves = [
                (ahead, 0.0),
                (-ahead, 0.0),
                (ahead.perp(), 0.0),
                (-ahead.perp(), 0.0),
                (DVec2::ZERO, 0.01 * step),
                (DVec2::ZERO, -0.01 * step),
            ];
            for (shift, turn) in moves {
                let pose = Pose { position: best.0.position + shift, yaw_rad: best.0.yaw_rad + turn };
                let score = judge(pose);
                if score > best.1 {
                    best = (pose, score);
                }
            }
            if best.1 <= before {
                break;
            }
        }
    }
    best
}

pub(crate) fn draw(
    camera: &ObservationCamera,
    scene: &Scene,
    pose: Pose,
    pixels: Pixels,
    scratch: &mut Scratch,
    out: &mut [u8],
) {
    camera.draw(scene, &Moment::alone(pose.position, pose.yaw_rad), pixels, scratch, out);
}

/// Mean structural similarity over windows of 8 × 8 pixels.
pub(crate) fn similarity(a: &[u8], b: &[u8]) -> f64 {
    const WINDOW: usize = 8;
    let (c1, c2) = ((0.01_f64 * 255.0).powi(2), (0.03_f64 * 255.0).powi(2));
    let (mut total, mut count) = (0.0, 0);
    for top in (0..=HEIGHT - WINDOW).step_by(4) {
        for left in (0..=WIDTH - WINDOW).step_by(4) {
            let (mut sa, mut sb, mut saa, mut sbb, mut sab) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
            for row in top..top + WINDOW {
                let range = row * WIDTH + left..row * WIDTH + left + WINDOW;
                for (a, b) in a[range.clone()].iter().zip(&b[range]) {
                    let (a, b) = (u32::from(*a), u32::from(*b));
                    sa += a;
                    sb += b;
                    saa += a * a;
                    sbb += b * b;
                    sab += a * b;
                }
            }
            let n = (WINDOW * WINDOW) as f64;
            let (ma, mb) = (f64::from(sa) / n, f64::from(sb) / n);
            let (va, vb) = (f64::from(saa) / n - ma * ma, f64::from(sbb) / n - mb * mb);
            let cov = f64::from(sab) / n - ma * mb;
            total += (2.0 * ma * mb + c1) * (2.0 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
            count += 1;
        }
    }
    total / f64::from(count)
}

/// Every so many of the frames with trusted poses; `None` without the reference data.
pub(crate) fn read_every(stride: usize) -> Option<Vec<Frame>> {
    let folder = shared_folder()?.join("data/frames");
    Some(read(&folder, stride, |row| row.ends_with(",1")).expect("the frames are readable"))
}

/// All frames, trusted or not; `None` without the reference data.
pub(crate) fn read_all() -> Option<Vec<Frame>> {
    let folder = shared_folder()?.join("data/frames");
    Some(read(&folder, 1, |_| true).expect("the frames are readable"))
}

fn read(folder: &Path, stride: usize, is_wanted: fn(&str) -> bool) -> Result<Vec<Frame>, Box<dyn Error>> {
    let table = std::fs::read_to_string(folder.join("reinvent_base_lap_poses.csv"))?;
    let wanted = table.lines().skip(1).filter(|line| is_wanted(line));
    wanted
        .step_by(stride)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let [name, x, y, yaw, ..] = cells.as_slice() else {
                return Err("a row of the poses has too few cells".into());
            };
            let rgb = read_png(&folder.join("reinvent_base_lap").join(name))?;
            let grey = rgb
                .chunks_exact(3)
                .map(|p| (0.2989 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2])) as u8)
                .collect();
            let pose = Pose { position: DVec2::new(x.parse()?, y.parse()?), yaw_rad: yaw.parse()? };
            Ok(Frame { rgb, grey, pose })
        })
        .collect()
}

fn read_png(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
    let info = reader.next_frame(&mut pixels)?;
    pixels.truncate(info.buffer_size());
    if info.color_type == png::ColorType::Rgba {
        pixels = pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    }
    Ok(pixels)
}
