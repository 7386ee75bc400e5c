//! Worlds of meshes made by tests: a built-in route in its look, written as COLLADA and SDF files.
#![allow(dead_code, clippy::format_collect, clippy::single_match_else)]

use deepracer_track::Route;
use deepracer_world::World;
use deepracer_world::look::Look;
use glam::{DAffine3, DMat4, DQuat, DVec2, DVec3};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Texels per metre of the ground's textures: as many as the looks' noise has cells.
pub(crate) const TEXELS: usize = 256;

/// How a document says the same thing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) unit_m: f64,
    pub(crate) is_y_up: bool,
    pub(crate) transform: Transform,
    pub(crate) primitive: Primitive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transform {
    Matrix,
    Chain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    Triangles,
    Polylist,
}

impl Style {
    pub(crate) const PLAIN: Style =
        Style { unit_m: 1.0, is_y_up: false, transform: Transform::Matrix, primitive: Primitive::Triangles };

    /// All combinations that the original's files have, some of them twice.
    pub(crate) fn all() -> Vec<Style> {
        let mut all = Vec::new();
        for (k, unit_m) in [1.0, 0.01, 0.0254].into_iter().enumerate() {
            for is_y_up in [false, true] {
                for transform in [Transform::Matrix, Transform::Chain] {
                    let primitive =
                        if (k + usize::from(is_y_up)) % 2 == 0 { Primitive::Triangles } else { Primitive::Polylist };
                    all.push(Style { unit_m, is_y_up, transform, primitive });
                }
            }
        }
        all
    }
}

/// A picture with a name, red, green, blue, opacity.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    pub(crate) name: String,
    pub(crate) size: [usize; 2],
    pub(crate) texels: Vec<[u8; 4]>,
}

impl Picture {
    pub(crate) fn new(name: &str, size: [usize; 2], texel: impl Fn(usize, usize) -> [u8; 4]) -> Picture {
        let texels = (0..size[0] * size[1]).map(|k| texel(k % size[0], k / size[0])).collect();
        Picture { name: name.to_owned(), size, texels }
    }

    pub(crate) fn write(&self, folder: &Path) {
        std::fs::create_dir_all(folder).expect("a folder");
        let file = std::fs::File::create(folder.join(&self.name)).expect("a file");
        let has_alpha = self.texels.iter().any(|texel| texel[3] < 255);
        let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), self.size[0] as u32, self.size[1] as u32);
        encoder.set_color(if has_alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
        let channels = if has_alpha { 4 } else { 3 };
        let data: Vec<u8> = self.texels.iter().flat_map(|texel| texel[..channels].to_vec()).collect();
        encoder.write_header().expect("a header").write_image_data(&data).expect("the texels");
    }
}

/// What stands in a mesh: triangles of one material.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// 0 to 255; used when there is no picture.
    pub(crate) colour: [u8; 3],
    pub(crate) picture: Option<Picture>,
    pub(crate) corners: Vec<DVec3>,
    pub(crate) uv: Vec<[f64; 2]>,
}

impl Part {
    pub(crate) fn new(name: &str, colour: [u8; 3], picture: Option<Picture>) -> Part {
        Part { name: name.to_owned(), colour, picture, corners: Vec::new(), uv: Vec::new() }
    }

    pub(crate) fn triangle(&mut self, corners: [DVec3; 3], uv: [[f64; 2]; 3]) {
        self.corners.extend(corners);
        self.uv.extend(uv);
    }

    /// Corners around; texture coordinates of the first and the third corner, at right angles.
    pub(crate) fn quad(&mut self, corners: [DVec3; 4], from: [f64; 2], to: [f64; 2]) {
        let [a, b, c, d] = corners;
        let uv = [from, [to[0], from[1]], to, [from[0], to[1]]];
        self.triangle([a, b, c], [uv[0], uv[1], uv[2]]);
        self.triangle([a, c, d], [uv[0], uv[2], uv[3]]);
    }

    pub(crate) fn num_triangles(&self) -> usize {
        self.corners.len() / 3
    }
}

/// Heights of a look's surfaces above the field, metres, as in the original's generated worlds: field, road, lines, dashes,
/// and the squares of the start band.
const HEIGHTS_M: [f64; 6] = [0.0, 0.001, 0.0015, 0.0015, 0.0025, 0.0025];

/// The ground and walls of a world as parts: the same picture as the look's, but of triangles and textures.
pub(crate) fn parts_of(world: &World) -> Vec<Part> {
    let ground = &world.ground;
    let mut parts: Vec<Part> = ground
        .surfaces
        .iter()
        .enumerate()
        .map(|(index, surface)| {
            let picture = Picture::new(&format!("surface {index}.png"), [TEXELS, TEXELS], |x, y| {
                let cell = DVec2::new(x as f64, (TEXELS - 1 - y) as f64) / TEXELS as f64;
                let light = 1.0 + surface.grain * ground.noise.at(cell);
                let [r, g, b] =
                    surface.texture.0.map(|channel| (f32::from(channel) * light).clamp(0.0, 255.0).round() as u8);
                [r, g, b, 255]
            });
            Part::new(&format!("surface {index}"), surface.texture.0, Some(picture))
        })
        .collect();
    let uv = |point: DVec2| [point.x + 0.5 / TEXELS as f64, point.y + 0.5 / TEXELS as f64];
    let [min, max] = [ground.min, ground.max];
    let field = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    parts[0].quad(field.map(|point| point.extend(0.0)), uv(min), uv(max));
    for patch in &ground.patches {
        let index = usize::from(patch.surface);
        parts[index].triangle(patch.corners.map(|corner| corner.extend(HEIGHTS_M[index])), patch.corners.map(uv));
    }
    for (index, wall) in world.walls.iter().enumerate() {
        // The look's light is in the wall's colour; the meshes' light is put on again.
        let colour = wall.colour.0.map(|channel| (f32::from(channel) / 1.32).round() as u8);
        let mut part = Part::new(&format!("wall {index}"), colour, None);
        let [a, b] = wall.feet;
        let top = wall.height_m;
        part.quad([a.extend(0.0), b.extend(0.0), b.extend(top), a.extend(top)], [0.0, 0.0], [1.0, 1.0]);
        parts.push(part);
    }
    parts
}

/// Towers of a [`city`].
const TOWERS: usize = 24;

/// Towers around a field, of finely divided walls with windows, and a fence of bars that one can see through.
pub(crate) fn city(min: DVec2, max: DVec2, num_triangles: usize) -> Vec<Part> {
    let windows = Picture::new("windows and walls.png", [64, 64], |x, y| {
        let is_window = x % 16 >= 5 && x % 16 < 12 && y % 16 >= 4 && y % 16 < 11;
        if is_window { [60, 80, 110, 255] } else { [150 + (y % 7) as u8, 120, 100, 255] }
    });
    let bars =
        Picture::new("bars.png", [32, 32], |x, y| if x % 16 < 6 || y < 5 { [170, 40, 30, 255] } else { [0, 0, 0, 0] });
    let mut towers = Part::new("towers", [0; 3], Some(windows));
    let mut fence = Part::new("fence", [0; 3], Some(bars));
    let middle = min.midpoint(max);
    let reach = (max - min) * 0.5 + 1.0;
    // Each of four walls of a tower is divided into `rows` × 4 quads.
    let rows = (num_triangles / (TOWERS * 4 * 4 * 2)).max(1);
    for k in 0..TOWERS {
        let direction = DVec2::from_angle(std::f64::consts::TAU * (k as f64 + 0.3) / TOWERS as f64);
        let scale = (reach.x / direction.x.abs().max(1e-9)).min(reach.y / direction.y.abs().max(1e-9));
        let foot = middle + direction * (scale + 1.0 + (k % 3) as f64);
        let (half, height) = (0.8 + 0.1 * (k % 4) as f64, 2.5 + 0.7 * (k % 5) as f64);
        let corner = |side: usize| {
            let [x, y] = [[-half, -half], [half, -half], [half, half], [-half, half]][side % 4];
            foot + DVec2::new(x, y)
        };
        for side in 0..4 {
            let (a, b) = (corner(side), corner(side + 1));
            for row in 0..rows {
                let (low, high) = (row as f64 / rows as f64, (row + 1) as f64 / rows as f64);
                for column in 0..4 {
                    let (left, right) = (column as f64 / 4.0, (column + 1) as f64 / 4.0);
                    let at = |across: f64, up: f64| a.lerp(b, across).extend(up * height);
                    towers.quad(
                        [at(left, low), at(right, low), at(right, high), at(left, high)],
                        [left, low * height],
                        [right, high * height],
                    );
                }
            }
        }
    }
    // Within the field: what stands in the same place as a wall would flicker.
    let (min, max) = (min + 0.1, max - 0.1);
    let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    for k in 0..4 {
        let (a, b) = (corners[k], corners[(k + 1) % 4]);
        let count = (a.distance(b) * 2.0).ceil();
        for n in 0..count as usize {
            let (from, to) = (a.lerp(b, n as f64 / count), a.lerp(b, (n + 1) as f64 / count));
            fence.quad([from.extend(0.0), to.extend(0.0), to.extend(0.3), from.extend(0.3)], [0.0, 0.0], [1.0, 1.0]);
        }
    }
    vec![towers, fence]
}

/// A COLLADA document of parts, whose textures lie in `textures/` beside it.
pub(crate) fn collada(parts: &[Part], style: Style) -> String {
    // What the document's node does to its corners, before the unit.
    let turned = DQuat::from_axis_angle(DVec3::Z, 0.5) * DQuat::from_axis_angle(DVec3::X, -0.25);
    let node =
        DAffine3::from_scale_rotation_translation(DVec3::new(2.0, 0.5, 4.0), turned, DVec3::new(3.0, -7.0, 11.0));
    let upright =
        if style.is_y_up { DAffine3::from_rotation_x(std::f64::consts::FRAC_PI_2) } else { DAffine3::IDENTITY };
    let to_document = (upright * DAffine3::from_scale(DVec3::splat(style.unit_m)) * node).inverse();
    let axis = if style.is_y_up { "Y_UP" } else { "Z_UP" };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" \
         version=\"1.4.1\">\n<asset><unit name=\"u\" meter=\"{}\"/><up_axis>{axis}</up_axis></asset>\n",
        style.unit_m
    );
    let (mut images, mut effects, mut materials, mut geometries, mut nodes) =
        (String::new(), String::new(), String::new(), String::new(), String::new());
    for (k, part) in parts.iter().enumerate() {
        // Three kinds of shader, and the contradictory ways of saying that something is opaque.
        let shader = ["phong", "lambert", "blinn"][k % 3];
        let transparent = [
            "<transparent><color>0 0 0 1</color></transparent><transparency><float>1</float></transparency>",
            "<transparent opaque=\"RGB_ZERO\"><color>0 0 0 0</color></transparent>",
            "<transparency><float>0</float></transparency>",
        ][k % 3];
        let (parameters, diffuse) = match &part.picture {
            Some(picture) => {
                let _ = writeln!(
                    images,
                    "<image id=\"image {k}\"><init_from>textures/{}</init_from></image>",
                    picture.name.replace(' ', "%20")
                );
                (
                    format!(
                        "<newparam sid=\"surface{k}\"><surface type=\"2D\"><init_from>image {k}</init_from></surface></newparam>\
                         <newparam sid=\"sampler{k}\"><sampler2D><source>surface{k}</source></sampler2D></newparam>"
                    ),
                    format!("<texture texture=\"sampler{k}\" texcoord=\"UV\"/>"),
                )
            }
            None => {
                let [r, g, b] = part.colour.map(|channel| f64::from(channel) / 255.0);
                (String::new(), format!("<color>{r} {g} {b} 1</color>"))
            }
        };
        let _ = writeln!(
            effects,
            "<effect id=\"effect{k}\"><profile_COMMON>{parameters}<technique sid=\"common\"><{shader}>\
             <ambient><color>0 0 0 1</color></ambient><diffuse>{diffuse}</diffuse>{transparent}</{shader}></technique>\
             <extra><technique profile=\"GOOGLEEARTH\"><double_sided>1</double_sided></technique></extra>\
             </profile_COMMON></effect>"
        );
        let _ = writeln!(
            materials,
            "<material id=\"material {k}\" name=\"{}\"><instance_effect url=\"#effect{k}\"/></material>",
            part.name
        );
        let corners: Vec<DVec3> = part.corners.iter().map(|corner| to_document.transform_point3(*corner)).collect();
        let numbers = |values: &mut dyn Iterator<Item = f64>| values.map(|v| format!("{v:.12} ")).collect::<String>();
        let positions = numbers(&mut corners.iter().flat_map(DVec3::to_array));
        let coordinates = numbers(&mut part.uv.iter().copied().flatten());
        let (count, indices) =
            (part.num_triangles(), (0..corners.len()).map(|n| format!("{n} {n} ")).collect::<String>());
        let (open, close) = match style.primitive {
            Primitive::Triangles => (format!("<triangles count=\"{count}\" material=\"symbol{k}\">"), "</triangles>"),
            Primitive::Polylist => (format!("<polylist count=\"{count}\" material=\"symbol{k}\">"), "</polylist>"),
        };
        let counts = match style.primitive {
            Primitive::Triangles => String::new(),
            Primitive::Polylist => format!("<vcount>{}</vcount>", "3 ".repeat(count)),
        };
        let _ = writeln!(
            geometries,
            "<geometry id=\"mesh{k}\"><mesh><source id=\"p{k}\"><float_array id=\"pa{k}\" count=\"{}\">{positions}</float_array>\
             <technique_common><accessor source=\"#pa{k}\" count=\"{}\" stride=\"3\"/></technique_common></source>\
             <source id=\"t{k}\"><float_array id=\"ta{k}\" count=\"{}\">{coordinates}</float_array>\
             <technique_common><accessor source=\"#ta{k}\" count=\"{}\" stride=\"2\"/></technique_common></source>\
             <vertices id=\"v{k}\"><input semantic=\"POSITION\" source=\"#p{k}\"/></vertices>{open}\
             <input semantic=\"VERTEX\" source=\"#v{k}\" offset=\"0\"/>\
             <input semantic=\"TEXCOORD\" source=\"#t{k}\" offset=\"1\" set=\"0\"/>{counts}<p>{indices}</p>{close}\
             </mesh></geometry>",
            3 * corners.len(),
            corners.len(),
            2 * part.uv.len(),
            part.uv.len(),
        );
        let transform = match style.transform {
            Transform::Matrix => {
                let rows = DMat4::from(node).transpose().to_cols_array();
                format!("<matrix>{}</matrix>", rows.map(|v| format!("{v:.17}")).join(" "))
            }
            Transform::Chain => format!(
                "<translate>3 -7 11</translate><rotate>0 0 1 {}</rotate><rotate>1 0 0 {}</rotate><scale>2 0.5 4</scale>",
                0.5_f64.to_degrees(),
                -0.25_f64.to_degrees()
            ),
        };
        let _ = writeln!(
            nodes,
            "<node id=\"node{k}\">{transform}<instance_geometry url=\"#mesh{k}\"><bind_material><technique_common>\
             <instance_material symbol=\"symbol{k}\" target=\"#material {k}\"><bind_vertex_input semantic=\"UV\" \
             input_semantic=\"TEXCOORD\" input_set=\"0\"/></instance_material></technique_common></bind_material>\
             </instance_geometry></node>"
        );
    }
    let _ = writeln!(
        text,
        "<library_images>{images}</library_images><library_effects>{effects}</library_effects>\
         <library_materials>{materials}</library_materials><library_geometries>{geometries}</library_geometries>\
         <library_visual_scenes><visual_scene id=\"scene\">{nodes}</visual_scene></library_visual_scenes>\
         <scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>"
    );
    text
}

/// Writes a mesh and its textures; the path of the mesh.
pub(crate) fn write_mesh(folder: &Path, name: &str, parts: &[Part], style: Style) -> PathBuf {
    for picture in parts.iter().filter_map(|part| part.picture.as_ref()) {
        picture.write(&folder.join("textures"));
    }
    std::fs::create_dir_all(folder).expect("a folder");
    let path = folder.join(format!("{name}.dae"));
    std::fs::write(&path, collada(parts, style)).expect("written");
    path
}

/// Writes a world of one mesh per entry, as the original lays its files out; the path of the world's document.
pub(crate) fn write_world(folder: &Path, name: &str, meshes: &[(&str, &[Part], Style)]) -> PathBuf {
    let mut visuals = String::new();
    for (title, parts, style) in meshes {
        write_mesh(&folder.join("meshes").join(name), title, parts, *style);
        let roll = if style.is_y_up { std::f64::consts::FRAC_PI_2 } else { 0.0 };
        let _ = write!(
            visuals,
            "<visual name=\"{title}\"><pose>0 0 0 {roll} 0 0</pose><geometry><mesh>\
             <uri>model://meshes/{name}/{title}.dae</uri></mesh></geometry></visual>"
        );
    }
    let model = folder.join("models").join(name);
    std::fs::create_dir_all(&model).expect("a folder");
    std::fs::create_dir_all(folder.join("worlds")).expect("a folder");
    std::fs::write(
        model.join("model.config"),
        format!("<?xml version=\"1.0\"?><model><name>{name}</name><sdf version=\"1.6\">model.sdf</sdf></model>"),
    )
    .expect("written");
    std::fs::write(
        model.join("model.sdf"),
        format!(
            "<?xml version=\"1.0\"?><sdf version=\"1.6\"><model name=\"{name}\"><static>1</static><link name=\"l\">\
             <collision name=\"c\"><geometry><mesh><uri>model://meshes/{name}/collision.dae</uri></mesh></geometry></collision>\
             {visuals}</link></model></sdf>"
        ),
    )
    .expect("written");
    let world = folder.join("worlds").join(format!("{name}.world"));
    std::fs::write(
        &world,
        format!(
            "<?xml version=\"1.0\"?><sdf version=\"1.6\"><world name=\"w\"><scene><ambient>0.5 0.5 0.5 1</ambient><sky/></scene>\
             <include><uri>model://sun</uri></include><include><uri>model://models/{name}</uri><name>racetrack</name>\
             <pose>0 0 0 0 0 0</pose></include></world></sdf>"
        ),
    )
    .expect("written");
    world
}

/// A built-in route in its look as a world of meshes, and the same from the look. With `num_triangles`, a city of about so many
/// triangles stands in place of the walls.
pub(crate) fn built_in(
    folder: &Path,
    route: &Route,
    look: &Look,
    num_triangles: usize,
    style: Style,
) -> (PathBuf, World) {
    let world = World::build(route, look);
    let mut ground = parts_of(&world);
    if num_triangles > 0 {
        ground.retain(|part| !part.name.starts_with("wall"));
    }
    let around = city(world.ground.min, world.ground.max, num_triangles);
    let path = if num_triangles > 0 {
        write_world(folder, &route.name, &[("ground mesh", &ground, style), ("city", &around, style)])
    } else {
        write_world(folder, &route.name, &[("ground mesh", &ground, style)])
    };
    (path, world)
}
