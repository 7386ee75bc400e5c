//! What can be wrong with the files of a world.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// Why the meshes of a world cannot be used. Every message names the file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Files {
        /// What was tried: `read`, `write`, …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is larger than anything this program reads.
    #[error("{} has {size} {unit}, more than the {limit} this program reads; export a smaller one", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it is.
        size: u64,
        /// Of what: `bytes`, `triangles`, …
        unit: &'static str,
        /// The largest size that is read.
        limit: u64,
    },
    /// A document is no XML, or ends early.
    #[error("{} is no whole XML document ({reason}); it is damaged or was cut off: copy or export it again", path.display())]
    Xml {
        /// The document.
        path: PathBuf,
        /// What is wrong and in which line and column.
        reason: String,
    },
    /// A document contradicts itself or its format.
    #[error("{}, line {line}: {what}; export it again", path.display())]
    Document {
        /// The document.
        path: PathBuf,
        /// Where the element begins.
        line: u32,
        /// What is wrong with it.
        what: String,
    },
    /// A document uses a part of its format that is not drawn.
    #[error("{}, line {line}: {what} is not supported; {instead}", path.display())]
    Unsupported {
        /// The document.
        path: PathBuf,
        /// Where the element begins.
        line: u32,
        /// What is used.
        what: String,
        /// What to use instead.
        instead: &'static str,
    },
    /// A texture cannot be decoded.
    #[error("the texture {} cannot be read ({reason}); PNG and JPEG pictures are: convert or copy it again", path.display())]
    Texture {
        /// The picture.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Files that documents name are not there.
    #[error(
        "{} missing: {}; copy them too (a world needs its models/ and meshes/ folders), or import without them: `--allow-missing`",
        if files.len() == 1 { "a file is".to_owned() } else { format!("{} files are", files.len()) },
        list(files)
    )]
    Missing {
        /// Every file that was not found.
        files: Vec<MissingFile>,
    },
    /// A path holds no world.
    #[error("{} holds no meshes: expected a COLLADA mesh (.dae), an SDF model or world (.sdf, .world), or a folder with one", path.display())]
    NoWorld {
        /// The path.
        path: PathBuf,
    },
    /// A world has nothing to draw.
    #[error("{} has no triangles to draw; was the right file exported?", path.display())]
    Empty {
        /// The document that was read first.
        path: PathBuf,
    },
    /// A name cannot name a folder.
    #[error("`{0}` cannot name a world: it must be a plain file name")]
    Name(String),
    /// A stored import was tampered with.
    #[error("the imported meshes in {} are damaged ({reason}); import them again with `--force`", path.display())]
    Stored {
        /// The folder of the import.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A file that a document names and that is not there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingFile {
    /// As it is named.
    pub reference: String,
    /// The document that names it.
    pub named_in: PathBuf,
}

impl Display for MissingFile {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (named in {})", self.reference, self.named_in.display())
    }
}

/// At most this many missing files are listed.
const MAX_LISTED: usize = 8;

fn list(files: &[MissingFile]) -> String {
    let mut listed: Vec<String> = files.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    if files.len() > MAX_LISTED {
        listed.push(format!("and {} more", files.len() - MAX_LISTED));
    }
    listed.join(", ")
}
