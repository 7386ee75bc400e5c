//! Which world has which figures.
//!
//! Measured on the original's meshes and textures: 103 worlds come from one generator and differ in
//! their margin, backdrop and start band only; the others were modelled by hand. Of those, surroundings
//! are reduced to what can be drawn as flat ground and a wall around the field.

use crate::colour::Rgb;
use crate::look::{Apron, BorderLines, Dashes, Extent, Kerbs, LineSide, Look, StartBand, Surface, Walls};
use glam::DVec2;

/// Light on horizontal surfaces and walls, measured on pictures of the original (1.30 to 1.35).
const LIGHT: f32 = 1.32;
/// Sky of the worlds that have one: the blue that the original's city domes are painted with.
pub(crate) const SKY: Rgb = Rgb([162, 186, 217]);
/// Background of the worlds without a sky: the original's plain scene background, 0.7 of full scale.
const NO_SKY: Rgb = Rgb([178, 178, 178]);
const GRASS: Rgb = Rgb([126, 133, 65]);
const ASPHALT: Rgb = Rgb([64, 63, 61]);
const CONCRETE: Rgb = Rgb([158, 160, 155]);
const GRAVEL: Rgb = Rgb([116, 92, 49]);
const TEAL: Rgb = Rgb([36, 70, 81]);
/// Height of the grass hills around the first hand-modelled worlds.
const HILLS_M: f64 = 0.29;
/// Field margin of the small generated worlds (30 inches) and of the large ones (30 feet).
const SMALL_MARGIN_M: f64 = 0.762;
const LARGE_MARGIN_M: f64 = 9.144;

/// Grain of asphalt and the like, of grass, and of paint, measured on real frames of `reinvent_base`.
const COARSE: f32 = 0.135;
const SOFT: f32 = 0.08;
const SMOOTH: f32 = 0.075;

const fn paved(texture: [u8; 3]) -> Surface {
    Surface { texture: Rgb(texture), gain: LIGHT, grain: COARSE }
}

const fn planted(texture: [u8; 3]) -> Surface {
    Surface { texture: Rgb(texture), gain: LIGHT, grain: SOFT }
}

const fn paint(texture: [u8; 3]) -> Surface {
    Surface { texture: Rgb(texture), gain: LIGHT, grain: SMOOTH }
}

const fn walls(texture: Rgb, height_m: f64) -> Walls {
    Walls { height_m, texture, gains: [LIGHT; 4] }
}

const fn rectangle(x: [f64; 2], y: [f64; 2]) -> Extent {
    Extent::Rectangle { min: DVec2::new(x[0], y[0]), max: DVec2::new(x[1], y[1]) }
}

const fn square(half_side_m: f64) -> Extent {
    rectangle([-half_side_m, half_side_m], [-half_side_m, half_side_m])
}

const START_BAND: StartBand = StartBand { middle_m: 0.13, square_m: 0.0762, squares_across: 8 };
/// Of the hand-modelled worlds that have one: as wide as the road, and a seventh of that long.
const WIDE_START_BAND: StartBand = StartBand { middle_m: 0.13, square_m: 0.1, squares_across: 14 };

const KERBS: Kerbs = Kerbs { width_m: 0.08, stripe_m: 0.15, colours: [Rgb([137, 13, 13]), Rgb([223, 223, 223])] };

/// The generated family, with the field's margin.
fn generated(margin_m: f64) -> Look {
    Look {
        field: planted(GRASS.0),
        extent: Extent::Margin(margin_m),
        road: paved(ASPHALT.0),
        line: paint([223, 223, 222]),
        border_lines: BorderLines { width_m: 0.0762, side: LineSide::Inside },
        dash: paint([225, 143, 0]),
        dashes: Dashes { length_m: 0.0508, width_m: 0.0254, pitch_m: 0.1016 },
        start_band: Some(START_BAND),
        kerbs: None,
        apron: None,
        walls: Some(walls(TEAL, 1.0)),
        background: SKY,
    }
}

/// A generated world inside a square field with a grandstand painted on its edge.
fn grandstand(half_side_m: f64, texture: [u8; 3], height_m: f64) -> Look {
    Look { extent: square(half_side_m), walls: Some(walls(Rgb(texture), height_m)), ..generated(0.0) }
}

/// `reinvent_base` in another floor covering: road and field alike, walls 2 m high.
fn reinvent_hall(floor: [u8; 3]) -> Look {
    Look {
        field: paved(floor),
        road: paved(floor),
        line: paint([194, 194, 190]),
        dash: paint([194, 117, 0]),
        dashes: Dashes { length_m: 0.0513, width_m: 0.0258, pitch_m: 0.1024 },
        extent: rectangle([0.0, 7.96], [0.0, 5.20]),
        start_band: None,
        walls: Some(walls(Rgb([114, 171, 202]), 2.0)),
        ..generated(0.0)
    }
}

/// The hand-modelled family: lines beyond the border, longer dashes.
fn hand_modelled(line_width_m: f64, dash_pitch_m: f64, extent: Extent) -> Look {
    Look {
        extent,
        border_lines: BorderLines { width_m: line_width_m, side: LineSide::Outside },
        dashes: Dashes { length_m: 0.0762, width_m: 0.0254, pitch_m: dash_pitch_m },
        start_band: None,
        walls: None,
        ..generated(0.0)
    }
}

/// The first hand-modelled worlds: a rim of grass hills instead of walls.
fn among_hills(line_width_m: f64, dash_pitch_m: f64, extent: Extent) -> Look {
    Look { walls: Some(walls(GRASS, HILLS_M)), ..hand_modelled(line_width_m, dash_pitch_m, extent) }
}

/// Hand-modelled with kerbs: race courses and cities.
fn with_kerbs(line_width_m: f64, dash_pitch_m: f64, extent: Extent) -> Look {
    Look { kerbs: Some(KERBS), ..hand_modelled(line_width_m, dash_pitch_m, extent) }
}

fn apron(texture: Rgb) -> Apron {
    Apron { width_m: 0.6, surface: paved(texture.0) }
}

/// The look of a world, by its catalogue name.
///
/// `reinvent_base@2020` is `reinvent_base` as it was built until 2020 (higher walls around a smaller
/// field, darker light). A name the table does not know, such as that of a track of one's own, gets the
/// generated family's look with a small margin and a start band.
///
/// ```
/// use deepracer_world::look;
/// assert_eq!(look::find("reinvent_base").road.texture.0, [36, 49, 64]);
/// assert!(look::find("reInvent2019_track_cw").start_band.is_some());
/// ```
pub fn find(world_name: &str) -> Look {
    match world_name {
        "reinvent_base" => reinvent_base(),
        "reinvent_base@2020" => reinvent_base_2020(),
        "reinvent_carpet" => reinvent_hall([50, 50, 50]),
        "reinvent_concrete" => reinvent_hall([116, 110, 107]),
        "reinvent_wood" => reinvent_hall([110, 71, 41]),
        "reInvent2019_track" | "reInvent2019_wide" => Look { start_band: None, ..generated(SMALL_MARGIN_M) },
        "reInvent2019_wide_mirrored" => Look { start_band: None, background: NO_SKY, ..generated(SMALL_MARGIN_M) },
        "AmericasGeneratedInclStart" => Look { background: NO_SKY, ..generated(LARGE_MARGIN_M) },
        "LGSWide" => Look { start_band: None, background: NO_SKY, ..generated(LARGE_MARGIN_M) },
        "2022_march_open"
        | "2022_march_pro"
        | "2022_summit_speedway"
        | "Albert"
        | "Aragon"
        | "arctic_open"
        | "arctic_pro"
        | "Belille"
        | "dubai_open"
        | "dubai_pro"
        | "FS_June2020"
        | "hamption_open"
        | "hamption_pro"
        | "jyllandsringen_open"
        | "jyllandsringen_pro"
        | "morgan_open"
        | "morgan_pro"
        | "penbay_open"
        | "penbay_pro"
        | "red_star_open"
        | "red_star_pro"
        | "thunder_hill_open"
        | "thunder_hill_pro" => generated(LARGE_MARGIN_M),
        "2022_april_open" | "2022_april_pro" => grandstand(12.5, [90, 94, 104], 10.16),
        "2022_may_open" | "2022_may_pro" => grandstand(20.0, [75, 79, 92], 10.16),
        "2022_june_open" | "2022_june_pro" => grandstand(20.0, [75, 79, 94], 12.19),
        "2022_july_open" | "2022_july_pro" => grandstand(20.0, [76, 79, 95], 12.19),
        "2022_august_open" => grandstand(20.0, [76, 79, 93], 10.16),
        "2022_august_pro" => grandstand(20.0, [76, 79, 93], 12.19),
        "2022_september_open" | "2022_september_pro" => grandstand(20.0, [76, 78, 93], 14.63),
        "2022_october_open" | "2022_october_pro" => grandstand(20.0, [76, 81, 93], 14.63),
        "2022_reinvent_champ_ccw" | "2022_reinvent_champ_cw" => {
            Look { walls: Some(walls(Rgb([76, 194, 253]), 0.914)), ..generated(SMALL_MARGIN_M) }
        }
        "Vegas_track" => Look {
            extent: rectangle([-146.24, 154.21], [-136.20, 141.45]),
            field: planted([151, 141, 115]),
            start_band: None,
            walls: Some(walls(Rgb([118, 142, 169]).midway(Rgb([100, 121, 131])), 26.67)),
            ..generated(0.0)
        },
        _ => find_hand_modelled(world_name).unwrap_or_else(|| generated(SMALL_MARGIN_M)),
    }
}

fn find_hand_modelled(world_name: &str) -> Option<Look> {
    let look = match world_name {
        "Oval_track" => among_hills(0.0762, 0.1515, rectangle([0.0, 9.49], [0.0, 5.17])),
        "Bowtie_track" => among_hills(0.0762, 0.133, rectangle([0.0, 7.92], [0.0, 5.18])),
        "AWS_track" => among_hills(0.0762, 0.1477, rectangle([-0.03, 20.89], [-0.05, 11.57])),
        "Straight_track" => among_hills(0.152, 0.1268, rectangle([0.10, 7.02], [0.10, 2.30])),
        "Virtual_May19_Train_track" => Look {
            road: paved([76, 73, 70]),
            line: paint([232, 232, 232]),
            field: planted([122, 127, 87]),
            dashes: Dashes { length_m: 0.0737, width_m: 0.0254, pitch_m: 0.1297 },
            walls: Some(walls(Rgb([122, 127, 87]), HILLS_M)),
            ..among_hills(0.0762, 0.1297, rectangle([-0.03, 7.93], [-0.05, 5.15]))
        },
        "Spain_track" | "Spain_track_f1" => Look {
            apron: Some(apron(GRAVEL)),
            walls: Some(walls(Rgb([49, 37, 41]), 0.19)),
            ..with_kerbs(0.0762, 0.131, square(26.69))
        },
        "July_2020" => with_kerbs(0.075, 0.1093, rectangle([-24.56, 28.82], [-26.29, 27.09])),
        "Monaco" | "Singapore" | "Singapore_f1" => {
            let (line_m, pitch_m) = if world_name == "Monaco" { (0.076, 0.1895) } else { (0.075, 0.1902) };
            Look {
                start_band: Some(WIDE_START_BAND),
                ..with_kerbs(line_m, pitch_m, rectangle([-19.87, 33.51], [-26.68, 26.70]))
            }
        }
        "Monaco_building" => Look {
            start_band: Some(WIDE_START_BAND),
            walls: Some(walls(Rgb([138, 180, 216]).midway(Rgb([124, 138, 141])), 17.6)),
            ..with_kerbs(0.076, 0.1895, rectangle([-98.02, 108.30], [-103.17, 101.24]))
        },
        "Singapore_building" => Look {
            start_band: Some(WIDE_START_BAND),
            walls: Some(walls(Rgb([138, 180, 216]).midway(Rgb([109, 132, 142])), 21.0)),
            ..with_kerbs(0.075, 0.1902, rectangle([-97.78, 115.26], [-126.30, 103.25]))
        },
        "Austin" => Look {
            start_band: Some(WIDE_START_BAND),
            walls: Some(walls(Rgb([138, 180, 216]).midway(Rgb([132, 162, 173])), 9.38)),
            ..with_kerbs(0.076, 0.1705, rectangle([-94.12, 97.84], [-104.77, 85.52]))
        },
        "China_track" => Look {
            field: paved([33, 61, 69]),
            apron: Some(apron(CONCRETE)),
            walls: Some(walls(Rgb([105, 132, 144]), 14.33)),
            ..with_kerbs(0.0508, 0.1259, rectangle([-64.78, 51.83], [-81.82, 46.38]))
        },
        "Mexico_track" => Look {
            apron: Some(apron(CONCRETE)),
            walls: Some(walls(Rgb([108, 130, 158]).midway(Rgb([95, 122, 135])), 52.01)),
            ..with_kerbs(0.0508, 0.1127, rectangle([-294.78, 302.70], [-292.09, 297.27]))
        },
        "Tokyo_Training_track" => with_kerbs(0.0508, 0.125, rectangle([-50.68, 58.60], [-47.91, 53.09])),
        "New_York_Track" => Look {
            apron: Some(apron(Rgb([152, 147, 138]))),
            walls: Some(walls(Rgb([178, 172, 167]), 11.67)),
            ..with_kerbs(0.047, 0.1202, rectangle([-50.68, 58.60], [-47.91, 53.09]))
        },
        "Canada_Training" => Look {
            apron: Some(apron(CONCRETE)),
            walls: Some(walls(Rgb([138, 180, 216]).midway(Rgb([128, 136, 146])), 12.6)),
            ..with_kerbs(0.0508, 0.1195, rectangle([-65.01, 72.93], [-102.06, 67.49]))
        },
        "caecer_gp" | "caecer_loop" => Look {
            field: planted([73, 93, 29]),
            dash: paint([186, 132, 39]),
            dashes: Dashes { length_m: 0.075, width_m: 0.025, pitch_m: 0.1941 },
            start_band: (world_name == "caecer_gp").then_some(StartBand { square_m: 0.09, ..WIDE_START_BAND }),
            // Paler stripes than elsewhere: their mean is (173, 130, 124).
            kerbs: Some(Kerbs { colours: [Rgb([150, 48, 36]), Rgb([196, 212, 212])], ..KERBS }),
            walls: Some(walls(Rgb([93, 94, 99]), 0.2)),
            ..with_kerbs(0.0762, 0.1941, rectangle([-30.37, 32.37], [-40.78, 41.61]))
        },
        _ => return None,
    };
    Some(look)
}

/// Today's `reinvent_base`.
fn reinvent_base() -> Look {
    Look {
        field: planted([95, 136, 104]),
        road: paved([36, 49, 64]),
        line: paint([194, 194, 190]),
        dash: paint([194, 117, 0]),
        extent: rectangle([-0.59, 8.58], [-0.61, 5.80]),
        start_band: None,
        background: NO_SKY,
        ..generated(0.0)
    }
}

/// `reinvent_base` as it was from 2018 to 2020, with its own light; fitted to frames of that time.
fn reinvent_base_2020() -> Look {
    let base = reinvent_base();
    Look {
        field: Surface { gain: 1.033, ..base.field },
        road: Surface { gain: 1.035, ..base.road },
        line: Surface { gain: 1.2, ..base.line },
        dash: Surface { gain: 1.215, ..base.dash },
        extent: rectangle([0.0, 7.96], [0.0, 5.20]),
        walls: Some(Walls { height_m: 2.0, texture: Rgb([39, 66, 81]), gains: [0.41, 0.87, 0.0, 1.0] }),
        background: Rgb([0, 0, 0]),
        ..base
    }
}
