//! Drawing worlds of meshes.
//!
//! Layers of flat ground are baked into the ground picture ([`layers`]), which is looked up as in every world. Everything
//! else, walls and bodies too, is drawn as triangles into twice as many samples as the picture has pixels in both
//! directions, each with its depth ([`samples`]), and reduced with the filter of the original.

mod chunk;
mod draw;
mod layers;
mod picture;
mod rays;
mod samples;

use chunk::Chunk;
use deepracer_world::mesh::{MeshMaterial, Meshes};
use picture::Picture;

pub(crate) use draw::MeshScratch;
pub(crate) use layers::paint;

/// The triangles of a world, prepared for drawing.
#[derive(Debug, Clone)]
pub(crate) struct MeshScene {
    chunks: Vec<Chunk>,
    /// Corners of all chunks, by axis: metres.
    corners: [Vec<f32>; 3],
    triangles: Vec<Triangle>,
    paints: Vec<Paint>,
    pictures: Vec<Picture>,
}

/// A triangle of a chunk.
#[derive(Debug, Clone, Copy)]
struct Triangle {
    /// Numbers of its corners in the chunk.
    corners: [u8; 3],
    paint: u32,
    /// In repeats of the picture.
    uv: [[f32; 2]; 3],
}

/// What a triangle shows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Paint {
    /// One colour.
    Flat(u32),
    /// A picture without holes.
    Whole(usize),
    /// A picture with holes.
    Holed(usize),
}

impl MeshScene {
    pub(crate) fn new(meshes: &Meshes) -> MeshScene {
        let mut pictures = Vec::new();
        // The same texture looks different where it shines by itself.
        let mut known: Vec<(usize, MeshMaterial, usize)> = Vec::new();
        let paints = meshes
            .materials
            .iter()
            .map(|material| match material.texture {
                None => Paint::Flat(packed_opaque(meshes.shade(material, None))),
                Some(texture) => {
                    let is_same = |other: &MeshMaterial| {
                        other.emission == material.emission && other.is_texture_emitted == material.is_texture_emitted
                    };
                    let found = known.iter().find(|(index, other, _)| *index == texture && is_same(other));
                    let picture = found.map_or(pictures.len(), |(_, _, picture)| *picture);
                    if picture == pictures.len() {
                        let shade = |colour| meshes.shade(material, Some(colour));
                        pictures.push(Picture::for_scenery(&meshes.textures[texture], shade));
                        known.push((texture, *material, picture));
                    }
                    if pictures[picture].has_holes { Paint::Holed(picture) } else { Paint::Whole(picture) }
                }
            })
            .collect();
        let mut scene =
            MeshScene { chunks: Vec::new(), corners: Default::default(), triangles: Vec::new(), paints, pictures };
        chunk::build(&meshes.upright, &mut scene);
        scene
    }
}

/// A colour with full opacity, as samples hold it.
fn packed_opaque(colour: [f32; 3]) -> u32 {
    let [r, g, b] = colour.map(|channel| (channel + 0.5) as u8);
    u32::from_le_bytes([r, g, b, u8::MAX])
}
