//! SDF documents: which meshes stand where.

use super::error::MeshError;
use super::files::Files;
use super::xml::{self, Source, child, child_text, children, name};
use crate::colour::Rgb;
use glam::{DAffine3, DQuat, DVec3, EulerRot};
use roxmltree::Node;
use std::path::{Path, PathBuf};

/// Deepest nesting of included models.
const MAX_DEPTH: usize = 16;
/// Most meshes of a world; the largest of the original has some 90.
const MAX_VISUALS: usize = 10_000;

/// A mesh somewhere in a world.
#[derive(Debug, Clone)]
pub(crate) struct Visual {
    pub(crate) mesh: PathBuf,
    /// From the mesh's axes to the world's, metres.
    pub(crate) placed: DAffine3,
}

/// What is seen behind everything, as far as a world says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sky {
    /// Nothing is said: a model or a mesh was read, not a world.
    #[default]
    Unknown,
    /// The simulator's sky.
    Blue,
    /// One colour.
    Plain(Rgb),
}

/// A world or model as its documents describe it.
#[derive(Debug, Default)]
pub(crate) struct SdfScene {
    pub(crate) visuals: Vec<Visual>,
    pub(crate) sky: Sky,
    /// What is in the documents and not drawn.
    pub(crate) notes: Vec<String>,
}

/// The simulator's grey where a scene names no background.
const DEFAULT_BACKGROUND: Rgb = Rgb([178, 178, 178]);
/// Models of the simulator itself, which worlds include and which have no meshes to draw.
const OWN_MODELS: [&str; 2] = ["model://sun", "model://ground_plane"];

/// Reads a world or model document and everything it includes.
pub(crate) fn read(path: &Path, files: &mut Files) -> Result<SdfScene, MeshError> {
    let mut scene = SdfScene::default();
    Reader { files, scene: &mut scene }.document(path, DAffine3::IDENTITY, 0)?;
    Ok(scene)
}

/// The document that describes the model in a folder: the one that `model.config` names, else `model.sdf`.
pub(crate) fn document_of(folder: &Path, files: &mut Files) -> Result<Option<PathBuf>, MeshError> {
    let config = folder.join("model.config");
    if !config.is_file() {
        let document = folder.join("model.sdf");
        return Ok(document.is_file().then_some(document));
    }
    let text = files.read_text(&config)?;
    let document = xml::parse(&text, &config)?;
    let named = document.descendants().filter(|node| name(*node) == "sdf").filter_map(|node| node.text()).next_back();
    let Some(named) = named.map(str::trim).filter(|named| !named.is_empty()) else {
        let source = Source { document: &document, path: &config };
        return Err(source.wrong(document.root_element(), "no <sdf> names the model's document"));
    };
    let found = files.beside(named, &config, &[]);
    if found.is_none() {
        files.note_missing(named, &config);
    }
    Ok(found)
}

struct Reader<'f> {
    files: &'f mut Files,
    scene: &'f mut SdfScene,
}

impl Reader<'_> {
    fn document(&mut self, path: &Path, placed: DAffine3, depth: usize) -> Result<(), MeshError> {
        let text = self.files.read_text(path)?;
        let document = xml::parse(&text, path)?;
        let source = Source { document: &document, path };
        let root = document.root_element();
        if !matches!(name(root), "sdf" | "gazebo") {
            return Err(source.wrong(root, format!("this is no SDF document but <{}>", name(root))));
        }
        if depth > MAX_DEPTH {
            return Err(source.wrong(root, format!("models include each other more than {MAX_DEPTH} deep")));
        }
        for world in children(root, "world") {
            if let Some(scene) = child(world, "scene") {
                self.scene.sky = sky(source, scene)?;
            } else {
                self.scene.sky = Sky::Plain(DEFAULT_BACKGROUND);
            }
            self.parts(source, world, placed, depth)?;
        }
        self.parts(source, root, placed, depth)
    }

    /// Models and includes among the children of a world, a model or a document.
    fn parts(
        &mut self,
        source: Source<'_, '_>,
        parent: Node<'_, '_>,
        placed: DAffine3,
        depth: usize,
    ) -> Result<(), MeshError> {
        for part in parent.children().filter(Node::is_element) {
            match name(part) {
                "model" => {
                    let placed = placed * pose(source, part)?;
                    for link in children(part, "link") {
                        let placed = placed * pose(source, link)?;
                        for visual in children(link, "visual") {
                            self.visual(source, visual, placed)?;
                        }
                    }
                    self.parts(source, part, placed, depth)?;
                }
                "include" => self.include(source, part, placed, depth)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        source: Source<'_, '_>,
        include: Node<'_, '_>,
        placed: DAffine3,
        depth: usize,
    ) -> Result<(), MeshError> {
        let Some(uri) = child_text(include, "uri") else {
            return Err(source.wrong(include, "an <include> has no <uri>"));
        };
        if OWN_MODELS.contains(&uri.trim_end_matches('/')) {
            return Ok(());
        }
        let Some(found) = self.files.by_uri(uri, source.path) else {
            self.files.note_missing(uri, source.path);
            return Ok(());
        };
        let document = if found.is_dir() { document_of(&found, self.files)? } else { Some(found) };
        let Some(document) = document else {
            self.files.note_missing(&format!("{uri}/model.config"), source.path);
            return Ok(());
        };
        self.document(&document, placed * pose(source, include)?, depth + 1)
    }

    fn visual(&mut self, source: Source<'_, '_>, visual: Node<'_, '_>, placed: DAffine3) -> Result<(), MeshError> {
        let Some(geometry) = child(visual, "geometry") else {
            return Ok(());
        };
        let Some(mesh) = child(geometry, "mesh") else {
            let kind = geometry.children().find(Node::is_element).map_or("nothing", |kind| name(kind));
            let title = visual.attribute("name").unwrap_or_default();
            self.scene
                .notes
                .push(format!("{}: the visual `{title}` is a <{kind}>, only meshes are drawn", source.path.display()));
            return Ok(());
        };
        let Some(uri) = child_text(mesh, "uri") else {
            return Err(source.wrong(mesh, "a <mesh> has no <uri>"));
        };
        if let Some(submesh) = child(mesh, "submesh") {
            return Err(source.unsupported(submesh, "a <submesh>", "save that part as a mesh of its own"));
        }
        if !Path::new(uri).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dae")) {
            return Err(source.unsupported(mesh, format!("the mesh `{uri}`"), "convert it to COLLADA (.dae)"));
        }
        let scale = match child(mesh, "scale") {
            Some(scale) => DVec3::from(source.exactly::<3>(scale)?),
            None => DVec3::ONE,
        };
        let placed = placed * pose(source, visual)? * DAffine3::from_scale(scale);
        match self.files.by_uri(uri, source.path) {
            Some(mesh) => self.scene.visuals.push(Visual { mesh, placed }),
            None => self.files.note_missing(uri, source.path),
        }
        if self.scene.visuals.len() > MAX_VISUALS {
            return Err(source.wrong(visual, format!("the world has more than {MAX_VISUALS} visuals")));
        }
        Ok(())
    }
}

/// Where a part stands: its `<pose>`, six numbers: x, y, z, roll, pitch, yaw.
fn pose(source: Source<'_, '_>, part: Node<'_, '_>) -> Result<DAffine3, MeshError> {
    let Some(pose) = child(part, "pose") else {
        return Ok(DAffine3::IDENTITY);
    };
    let attribute = |key: &str| pose.attribute(key).map(str::trim).filter(|value| !value.is_empty());
    if let Some(frame) = attribute("relative_to").or(attribute("frame")) {
        return Err(source.unsupported(
            pose,
            format!("a pose relative to `{frame}`"),
            "give it relative to its parent",
        ));
    }
    if attribute("rotation_format").is_some_and(|format| format != "euler_rpy") {
        return Err(source.unsupported(pose, "a pose with a quaternion", "give roll, pitch and yaw"));
    }
    let [x, y, z, roll, pitch, yaw] = source.exactly::<6>(pose)?;
    let unit = if attribute("degrees") == Some("true") { 1.0_f64.to_radians() } else { 1.0 };
    let turned = DQuat::from_euler(EulerRot::ZYX, yaw * unit, pitch * unit, roll * unit);
    Ok(DAffine3::from_rotation_translation(turned, DVec3::new(x, y, z)))
}

fn sky(source: Source<'_, '_>, scene: Node<'_, '_>) -> Result<Sky, MeshError> {
    if child(scene, "sky").is_some() {
        return Ok(Sky::Blue);
    }
    let Some(background) = child(scene, "background") else {
        return Ok(Sky::Plain(DEFAULT_BACKGROUND));
    };
    match source.numbers(background)?.as_slice() {
        [r, g, b, ..] => {
            Ok(Sky::Plain(Rgb([*r, *g, *b].map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8))))
        }
        few => Err(source.wrong(background, format!("<background> has {} values instead of 3 or 4", few.len()))),
    }
}
