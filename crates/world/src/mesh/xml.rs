//! Small helpers over an XML document.

use super::error::MeshError;
use roxmltree::{Document, Node};
use std::path::Path;

/// An XML document and where it came from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a, 'input> {
    pub(crate) document: &'a Document<'input>,
    pub(crate) path: &'a Path,
}

/// Parses a document.
pub(crate) fn parse<'input>(text: &'input str, path: &Path) -> Result<Document<'input>, MeshError> {
    // The marker that some exporters put before everything is no part of the document.
    Document::parse(text.trim_start_matches('\u{feff}'))
        .map_err(|error| MeshError::Xml { path: path.to_owned(), reason: error.to_string() })
}

impl Source<'_, '_> {
    fn line(&self, node: Node<'_, '_>) -> u32 {
        self.document.text_pos_at(node.range().start).row
    }

    /// Something is wrong at a node.
    pub(crate) fn wrong(&self, node: Node<'_, '_>, what: impl Into<String>) -> MeshError {
        MeshError::Document { path: self.path.to_owned(), line: self.line(node), what: what.into() }
    }

    /// Something is used at a node that is not drawn.
    pub(crate) fn unsupported(&self, node: Node<'_, '_>, what: impl Into<String>, instead: &'static str) -> MeshError {
        MeshError::Unsupported { path: self.path.to_owned(), line: self.line(node), what: what.into(), instead }
    }

    /// All numbers in an element. Every one must be finite.
    pub(crate) fn numbers(&self, node: Node<'_, '_>) -> Result<Vec<f64>, MeshError> {
        let mut numbers = Vec::new();
        for text in texts(node) {
            for word in text.split_ascii_whitespace() {
                match word.parse::<f64>() {
                    Ok(number) if number.is_finite() => numbers.push(number),
                    _ => {
                        let what =
                            format!("value {} of <{}> is `{}`, no number", numbers.len(), name(node), short(word));
                        return Err(self.wrong(node, what));
                    }
                }
            }
        }
        Ok(numbers)
    }

    /// Exactly `N` numbers.
    pub(crate) fn exactly<const N: usize>(&self, node: Node<'_, '_>) -> Result<[f64; N], MeshError> {
        let numbers = self.numbers(node)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| self.wrong(node, format!("<{}> has {count} values instead of {N}", name(node))))
    }

    /// All whole numbers in an element.
    pub(crate) fn indices(&self, node: Node<'_, '_>) -> Result<Vec<u32>, MeshError> {
        let mut indices = Vec::new();
        for text in texts(node) {
            for word in text.split_ascii_whitespace() {
                let Ok(index) = word.parse() else {
                    let what = format!("entry {} of <{}> is `{}`, no index", indices.len(), name(node), short(word));
                    return Err(self.wrong(node, what));
                };
                indices.push(index);
            }
        }
        Ok(indices)
    }
}

/// An element's name, whatever its namespace.
pub(crate) fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The child elements of a name.
pub(crate) fn children<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    wanted: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.is_element() && name(*child) == wanted)
}

/// The first child element of a name.
pub(crate) fn child<'a, 'input: 'a>(node: Node<'a, 'input>, wanted: &'static str) -> Option<Node<'a, 'input>> {
    children(node, wanted).next()
}

/// The text of the first child element of a name, trimmed, unless it is empty.
pub(crate) fn child_text<'a, 'input: 'a>(node: Node<'a, 'input>, wanted: &'static str) -> Option<&'a str> {
    child(node, wanted)?.text().map(str::trim).filter(|text| !text.is_empty())
}

fn texts<'a, 'input: 'a>(node: Node<'a, 'input>) -> impl Iterator<Item = &'a str> {
    node.children().filter(Node::is_text).filter_map(|text| text.text())
}

/// At most a line of a word that may be a whole file.
fn short(word: &str) -> String {
    let mut short: String = word.chars().take(24).collect();
    if short.len() < word.len() {
        short.push('…');
    }
    short
}
