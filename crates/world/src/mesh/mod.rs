//! Worlds of meshes: COLLADA files with their textures, put together by SDF documents.
//!
//! [`Scenery`] is what the files hold; [`Meshes`] is the same ready for drawing, with everything flat near the road's height
//! apart from the rest; [`MeshLibrary`] keeps imported files.
//!
//! Formats are read as the original reads its own 127 worlds: see `docs/src/worlds.md`.

mod collada;
mod collada_geometry;
mod collada_material;
mod error;
mod files;
mod library;
mod meshes;
mod scenery;
mod sdf;
mod texture;
mod xml;

pub use error::{MeshError, MissingFile};
pub use library::{ImportChoices, MeshImport, MeshLibrary, MeshOutcome, MeshSource};
pub use meshes::Meshes;
pub use scenery::{MeshMaterial, MeshTriangle, Scenery};
pub use sdf::Sky;
pub use texture::{ALPHA_THRESHOLD, Texture, mean_texel};
