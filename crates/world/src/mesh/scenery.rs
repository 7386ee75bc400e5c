//! Everything that the files of a world hold: triangles, materials, textures.

use super::collada::{self, Collada, MAX_TRIANGLES, too_many_triangles};
use super::collada_material::DocumentMaterial;
use super::error::{MeshError, MissingFile};
use super::files::Files;
use super::sdf::{self, Sky, Visual};
use super::texture::Texture;
use crate::colour::Rgb;
use glam::{DAffine3, DQuat, DVec3};
use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a triangle shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshMaterial {
    /// Index into the textures. Without one, all of the triangle has the material's colour.
    pub texture: Option<usize>,
    /// Before light.
    pub colour: Rgb,
    /// Light of its own, added to what the light makes of the colour.
    pub emission: Rgb,
    /// Whether the texture shines by itself: light does not change it.
    pub is_texture_emitted: bool,
}

/// A triangle of a world; both sides are seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshTriangle {
    /// Metres, in the world's axes.
    pub corners: [DVec3; 3],
    /// Texture coordinates: u right, v up, one repeat per unit.
    pub uv: [[f32; 2]; 3],
    /// Index into the materials.
    pub material: u32,
}

/// Everything that the files of a world hold.
#[derive(Debug, Clone, Default)]
pub struct Scenery {
    /// What triangles show.
    pub materials: Vec<MeshMaterial>,
    /// Pictures on them.
    pub textures: Vec<Texture>,
    /// In the order of the documents.
    pub triangles: Vec<MeshTriangle>,
    /// What is seen behind everything.
    pub sky: Sky,
    /// Named in the documents and not there.
    pub missing: Vec<MissingFile>,
    /// All files that were read, whole paths.
    pub files: Vec<PathBuf>,
    /// What is in the documents and not drawn, in words.
    pub notes: Vec<String>,
}

impl Scenery {
    /// Reads a world: an SDF world or model (`.world`, `.sdf`), the folder of a model, or a COLLADA mesh (`.dae`).
    ///
    /// `model://` names are looked for beside the document and in the folders above it. Files that are named and not there
    /// are listed in [`missing`](Self::missing). A mesh that is read by itself and says that y points up is turned;
    /// within SDF, poses turn meshes, as in the original.
    pub fn read(path: &Path) -> Result<Scenery, MeshError> {
        Scenery::read_within(path, None)
    }

    /// As [`read`](Self::read), without looking anywhere outside a folder.
    pub(crate) fn read_within(path: &Path, folder: Option<&Path>) -> Result<Scenery, MeshError> {
        let mut files = Files::within(folder);
        let document = if path.is_dir() {
            sdf::document_of(path, &mut files)?.ok_or_else(|| MeshError::NoWorld { path: path.to_owned() })?
        } else if path.file_name().is_some_and(|name| name == "model.config") {
            let folder = path.parent().unwrap_or(path);
            sdf::document_of(folder, &mut files)?.ok_or_else(|| MeshError::NoWorld { path: path.to_owned() })?
        } else {
            path.to_owned()
        };
        let kind = document.extension().unwrap_or_default().to_ascii_lowercase();
        let is_mesh = kind == "dae";
        if !is_mesh && kind != "sdf" && kind != "world" {
            return Err(MeshError::NoWorld { path: document });
        }
        let (visuals, sky, notes) = if is_mesh {
            (vec![Visual { mesh: document.clone(), placed: DAffine3::IDENTITY }], Sky::Unknown, Vec::new())
        } else {
            let scene = sdf::read(&document, &mut files)?;
            (scene.visuals, scene.sky, scene.notes)
        };
        let mut builder =
            Builder { files, scenery: Scenery { sky, notes, ..Scenery::default() }, ..Builder::default() };
        for visual in &visuals {
            builder.add(visual, is_mesh)?;
        }
        builder.finish(&document)
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The smallest box around everything: its least and greatest corner, metres.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let corners = || self.triangles.iter().flat_map(|triangle| triangle.corners);
        (corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(DVec3::NEG_INFINITY, DVec3::max))
    }
}

/// Where textures lie, seen from the mesh that names them.
const TEXTURE_FOLDERS: [&str; 4] = ["textures", "../textures", "materials/textures", "../materials/textures"];

#[derive(Default)]
struct Builder {
    files: Files,
    scenery: Scenery,
    meshes: HashMap<PathBuf, Rc<Collada>>,
    /// Per mesh, where its materials begin.
    first_materials: HashMap<PathBuf, usize>,
    textures: HashMap<PathBuf, usize>,
    num_degenerate: usize,
}

impl Builder {
    fn add(&mut self, visual: &Visual, is_alone: bool) -> Result<(), MeshError> {
        let mesh = if let Some(mesh) = self.meshes.get(&visual.mesh) {
            mesh.clone()
        } else {
            let mesh = Rc::new(collada::read(&self.files.read_text(&visual.mesh)?, &visual.mesh)?);
            self.meshes.insert(visual.mesh.clone(), mesh.clone());
            mesh
        };
        let first = if let Some(first) = self.first_materials.get(&visual.mesh) {
            *first
        } else {
            let first = self.scenery.materials.len();
            for material in &mesh.materials {
                let material = self.material(material, &visual.mesh)?;
                self.scenery.materials.push(material);
            }
            self.first_materials.insert(visual.mesh.clone(), first);
            first
        };
        self.num_degenerate += mesh.num_degenerate;
        let count = self.scenery.triangles.len() + mesh.triangles.len();
        if count > MAX_TRIANGLES {
            return Err(too_many_triangles(&visual.mesh, count));
        }
        let mut placed = visual.placed;
        if is_alone && mesh.is_y_up {
            placed *= DAffine3::from_quat(DQuat::from_rotation_x(FRAC_PI_2));
        }
        self.scenery.triangles.extend(mesh.triangles.iter().map(|triangle| MeshTriangle {
            corners: triangle.corners.map(|corner| placed.transform_point3(corner)),
            uv: triangle.uv,
            material: first as u32 + triangle.material,
        }));
        Ok(())
    }

    fn material(&mut self, from: &DocumentMaterial, mesh: &Path) -> Result<MeshMaterial, MeshError> {
        let byte = |channels: [f64; 3]| Rgb(channels.map(|channel| (channel * 255.0).round() as u8));
        let mut material = MeshMaterial {
            texture: None,
            colour: byte(from.colour),
            emission: byte(from.emission),
            is_texture_emitted: from.is_texture_emitted,
        };
        let Some(reference) = &from.texture else {
            return Ok(material);
        };
        let Some(path) = self.files.beside(reference, mesh, &TEXTURE_FOLDERS) else {
            self.files.note_missing(reference, mesh);
            return Ok(material);
        };
        let index = if let Some(index) = self.textures.get(&path) {
            *index
        } else {
            let texture = Texture::decode(&self.files.read(&path)?, &path)?;
            self.scenery.textures.push(texture);
            self.textures.insert(path, self.scenery.textures.len() - 1);
            self.scenery.textures.len() - 1
        };
        match self.scenery.textures[index].only_colour() {
            Some(colour) if material.is_texture_emitted => {
                material.colour = Rgb([0; 3]);
                material.emission = Rgb(colour);
            }
            Some(colour) => material.colour = Rgb(colour),
            None => material.texture = Some(index),
        }
        Ok(material)
    }

    fn finish(self, document: &Path) -> Result<Scenery, MeshError> {
        let mut scenery = self.scenery;
        scenery.missing = self.files.missing.into_iter().collect();
        scenery.files = self.files.used.into_iter().collect();
        let is_finite = |triangle: &MeshTriangle| triangle.corners.iter().all(|corner| corner.is_finite());
        if !scenery.triangles.iter().all(is_finite) {
            let reason = "a pose or scale makes coordinates too large for numbers".to_owned();
            return Err(MeshError::Document { path: document.to_owned(), line: 1, what: reason });
        }
        if self.num_degenerate > 0 {
            scenery.notes.push(format!("{} triangles without area are left out", self.num_degenerate));
        }
        if scenery.triangles.is_empty() && scenery.missing.is_empty() {
            return Err(MeshError::Empty { path: document.to_owned() });
        }
        Ok(scenery)
    }
}
