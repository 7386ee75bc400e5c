//! COLLADA documents: nodes, their transforms, and what stands at them.
//!
//! As the original's own loader: units are applied, polygons become fans of triangles, skins stand still, both sides
//! of everything are seen.

use super::collada_geometry::{self, Geometry};
use super::collada_material::{self, DocumentMaterial};
use super::error::MeshError;
use super::xml::{self, Source, child, children, name};
use glam::{DAffine3, DMat4, DQuat, DVec3};
use roxmltree::Node;
use std::collections::HashMap;
use std::path::Path;

/// Deepest nesting of nodes.
const MAX_DEPTH: usize = 64;
/// Most nodes of a scene, instances counted as often as they stand there.
const MAX_NODES: usize = 1_000_000;
/// Most triangles of a world. The largest of the original has some 100,000.
pub(crate) const MAX_TRIANGLES: usize = 2_000_000;
/// Nothing lies further away than this, metres.
const MAX_DISTANCE_M: f64 = 1e6;
/// Triangles with less area than this are no triangles, square metres.
const LEAST_AREA_M2: f64 = 1e-12;

/// A triangle of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentTriangle {
    /// Metres, in the document's axes.
    pub(crate) corners: [DVec3; 3],
    /// Texture coordinates, u right and v up.
    pub(crate) uv: [[f32; 2]; 3],
    /// Index into the document's materials.
    pub(crate) material: u32,
}

/// What a document holds.
#[derive(Debug, Default)]
pub(crate) struct Collada {
    pub(crate) materials: Vec<DocumentMaterial>,
    pub(crate) triangles: Vec<DocumentTriangle>,
    /// Whether the document says that y points up.
    pub(crate) is_y_up: bool,
    /// Triangles left out because they have no area.
    pub(crate) num_degenerate: usize,
}

/// What a scene's walk needs.
struct Walk<'a, 'input> {
    source: Source<'a, 'input>,
    ids: HashMap<&'a str, Node<'a, 'input>>,
    geometries: HashMap<&'a str, Geometry<'a>>,
    /// Index of a material by the element that defines it, or by its symbol.
    materials: HashMap<String, u32>,
    num_nodes: usize,
    found: Collada,
}

/// Reads a document.
pub(crate) fn read(text: &str, path: &Path) -> Result<Collada, MeshError> {
    let document = xml::parse(text, path)?;
    let source = Source { document: &document, path };
    let root = document.root_element();
    if name(root) != "COLLADA" {
        return Err(source.wrong(root, format!("this is no COLLADA document but <{}>", name(root))));
    }
    let mut ids = HashMap::new();
    for node in document.descendants() {
        if let Some(id) = node.attribute("id") {
            ids.entry(id).or_insert(node);
        }
    }
    let asset = child(root, "asset");
    let unit_m = match asset.and_then(|asset| child(asset, "unit")) {
        Some(unit) => match unit.attribute("meter").map(|text| text.trim().parse::<f64>()) {
            None => 1.0,
            Some(Ok(metres)) if metres.is_finite() && metres > 0.0 => metres,
            Some(_) => return Err(source.wrong(unit, "the unit's length in metres is no positive number")),
        },
        None => 1.0,
    };
    let mut walk = Walk {
        source,
        ids,
        geometries: HashMap::new(),
        materials: HashMap::new(),
        num_nodes: 0,
        found: Collada::default(),
    };
    walk.found.is_y_up = asset.and_then(|asset| xml::child_text(asset, "up_axis")) == Some("Y_UP");
    let instance = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let scene = match instance {
        Some(instance) => walk.target(instance, "url")?,
        None => match document.descendants().find(|node| name(*node) == "visual_scene") {
            Some(scene) => scene,
            None => return Ok(walk.found),
        },
    };
    for node in children(scene, "node") {
        walk.node(node, DAffine3::from_scale(DVec3::splat(unit_m)), 0)?;
    }
    Ok(walk.found)
}

impl<'a, 'input: 'a> Walk<'a, 'input> {
    /// The element that an attribute of `node` names.
    fn target(&self, node: Node<'a, 'input>, attribute: &str) -> Result<Node<'a, 'input>, MeshError> {
        let reference = node.attribute(attribute).unwrap_or_default().trim();
        let found = reference.strip_prefix('#').and_then(|id| self.ids.get(id).copied());
        found.ok_or_else(|| {
            let what = format!("<{}> names `{reference}`, and nothing in the document has that id", name(node));
            self.source.wrong(node, what)
        })
    }

    fn node(&mut self, node: Node<'a, 'input>, parent: DAffine3, depth: usize) -> Result<(), MeshError> {
        self.num_nodes += 1;
        if depth > MAX_DEPTH || self.num_nodes > MAX_NODES {
            let what = format!("nodes are nested more than {MAX_DEPTH} deep, or more than {MAX_NODES} in all");
            return Err(self.source.wrong(node, what));
        }
        let mut placed = parent;
        for part in node.children().filter(Node::is_element) {
            placed *= self.transform(part)?;
        }
        for part in node.children().filter(Node::is_element) {
            match name(part) {
                "node" => self.node(part, placed, depth + 1)?,
                "instance_node" => {
                    let target = self.target(part, "url")?;
                    self.node(target, placed, depth + 1)?;
                }
                "instance_geometry" => {
                    let geometry = self.target(part, "url")?;
                    self.instance(part, geometry, placed)?;
                }
                "instance_controller" => {
                    let controller = self.target(part, "url")?;
                    let Some(skin) = child(controller, "skin") else {
                        return Err(self.source.unsupported(
                            controller,
                            "a controller without a skin",
                            "apply it before exporting",
                        ));
                    };
                    let geometry = self.target(skin, "source")?;
                    let bind = match child(skin, "bind_shape_matrix") {
                        Some(matrix) => self.matrix(matrix)?,
                        None => DAffine3::IDENTITY,
                    };
                    self.instance(part, geometry, placed * bind)?;
                }
                // Cameras and lights of the drawing program, and names of layers.
                _ => {}
            }
        }
        Ok(())
    }

    fn transform(&self, part: Node<'a, 'input>) -> Result<DAffine3, MeshError> {
        Ok(match name(part) {
            "matrix" => self.matrix(part)?,
            "translate" => DAffine3::from_translation(DVec3::from(self.source.exactly::<3>(part)?)),
            "scale" => DAffine3::from_scale(DVec3::from(self.source.exactly::<3>(part)?)),
            "rotate" => {
                let [x, y, z, degrees] = self.source.exactly::<4>(part)?;
                // Around no axis nothing turns.
                match DVec3::new(x, y, z).try_normalize() {
                    Some(axis) => DAffine3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians())),
                    None => DAffine3::IDENTITY,
                }
            }
            other @ ("lookat" | "skew") => {
                return Err(self.source.unsupported(part, format!("the transform <{other}>"), "export with matrices"));
            }
            _ => DAffine3::IDENTITY,
        })
    }

    fn matrix(&self, node: Node<'a, 'input>) -> Result<DAffine3, MeshError> {
        let rows = self.source.exactly::<16>(node)?;
        if rows[12..] != [0.0, 0.0, 0.0, 1.0] {
            return Err(self.source.wrong(node, "the last row of a <matrix> is not 0 0 0 1"));
        }
        Ok(DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose()))
    }

    fn instance(
        &mut self,
        instance: Node<'a, 'input>,
        element: Node<'a, 'input>,
        placed: DAffine3,
    ) -> Result<(), MeshError> {
        let id = element.attribute("id").unwrap_or_default();
        if !self.geometries.contains_key(id) {
            let geometry = collada_geometry::read(self.source, element, &self.ids)?;
            self.geometries.insert(id, geometry);
        }
        let bindings: HashMap<&str, Node<'a, 'input>> = instance
            .descendants()
            .filter(|node| name(*node) == "instance_material")
            .filter_map(|node| Some((node.attribute("symbol")?, node)))
            .collect();
        // Borrowed apart from the rest of the walk while materials are looked up.
        let geometry = self.geometries.remove(id).unwrap_or_default();
        for group in &geometry.groups {
            let material = self.material(group.symbol, bindings.get(group.symbol).copied())?;
            for triangle in &group.triangles {
                let corners =
                    triangle.corners.map(|corner| placed.transform_point3(geometry.positions[corner as usize]));
                if !corners.iter().all(|corner| corner.abs().max_element() <= MAX_DISTANCE_M) {
                    let what = format!(
                        "a corner of a triangle lies {MAX_DISTANCE_M:e} m away or further: are unit and transforms right?"
                    );
                    return Err(self.source.wrong(element, what));
                }
                let [a, b, c] = corners;
                if (b - a).cross(c - a).length() < 2.0 * LEAST_AREA_M2 {
                    self.found.num_degenerate += 1;
                    continue;
                }
                self.found.triangles.push(DocumentTriangle { corners, uv: triangle.uv, material });
            }
            if self.found.triangles.len() > MAX_TRIANGLES {
                return Err(too_many_triangles(self.source.path, self.found.triangles.len()));
            }
        }
        self.geometries.insert(id, geometry);
        Ok(())
    }

    /// The index of the material that a symbol stands for.
    fn material(&mut self, symbol: &'a str, binding: Option<Node<'a, 'input>>) -> Result<u32, MeshError> {
        let element = match binding {
            Some(binding) => Some(self.target(binding, "target")?),
            None => self.ids.get(symbol).copied().filter(|node| name(*node) == "material"),
        };
        let key = element.and_then(|element| element.attribute("id")).unwrap_or(symbol);
        if let Some(index) = self.materials.get(key) {
            return Ok(*index);
        }
        let material = match element {
            Some(element) => collada_material::read(self.source, element, &self.ids)?,
            None => DocumentMaterial::unknown(symbol),
        };
        let index = self.found.materials.len() as u32;
        self.found.materials.push(material);
        self.materials.insert(key.to_owned(), index);
        Ok(index)
    }
}

pub(crate) fn too_many_triangles(path: &Path, count: usize) -> MeshError {
    MeshError::TooLarge { path: path.to_owned(), size: count as u64, unit: "triangles", limit: MAX_TRIANGLES as u64 }
}
