//! Materials of COLLADA documents: colours and textures of effects.
//!
//! Transparency is not read: files of the original say it in contradictory ways and are drawn opaque; what is really
//! transparent is so in its texture.

use super::error::MeshError;
use super::xml::{Source, child, name};
use roxmltree::Node;
use std::collections::HashMap;

/// A material as a document describes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentMaterial {
    pub(crate) name: String,
    /// Red, green, blue, 0 to 1; what is seen where there is no texture.
    pub(crate) colour: [f64; 3],
    /// Light of its own, 0 to 1.
    pub(crate) emission: [f64; 3],
    /// The file of its texture, as the document names it.
    pub(crate) texture: Option<String>,
    /// Whether the texture shines by itself.
    pub(crate) is_texture_emitted: bool,
}

/// What is drawn where nothing is said: a light grey.
const UNKNOWN: [f64; 3] = [0.7; 3];

impl DocumentMaterial {
    pub(crate) fn unknown(name: &str) -> DocumentMaterial {
        let name = name.to_owned();
        DocumentMaterial { name, colour: UNKNOWN, emission: [0.0; 3], texture: None, is_texture_emitted: false }
    }
}

/// Reads a `<material>`.
pub(crate) fn read<'a, 'input: 'a>(
    source: Source<'a, 'input>,
    element: Node<'a, 'input>,
    ids: &HashMap<&'a str, Node<'a, 'input>>,
) -> Result<DocumentMaterial, MeshError> {
    let title = element.attribute("name").or(element.attribute("id")).unwrap_or_default();
    let mut material = DocumentMaterial::unknown(title);
    let Some(instance) = child(element, "instance_effect") else {
        return Ok(material);
    };
    let reference = instance.attribute("url").unwrap_or_default().trim();
    let Some(effect) = reference.strip_prefix('#').and_then(|id| ids.get(id).copied()) else {
        let what = format!("the material `{title}` names the effect `{reference}`, which is not in the document");
        return Err(source.wrong(instance, what));
    };
    let is_shader = |node: &Node<'_, '_>| matches!(name(*node), "phong" | "lambert" | "blinn" | "constant");
    let Some(shader) = effect.descendants().find(is_shader) else {
        return Ok(material);
    };
    let reader = Effect { source, element: effect, ids };
    let (diffuse, diffuse_texture) = reader.channel(shader, "diffuse")?;
    let (emission, emission_texture) = reader.channel(shader, "emission")?;
    if name(shader) == "constant" {
        material.colour = diffuse.unwrap_or([0.0; 3]);
    } else {
        material.colour = diffuse.unwrap_or(UNKNOWN);
    }
    material.emission = emission.unwrap_or([0.0; 3]);
    material.is_texture_emitted = diffuse_texture.is_none() && emission_texture.is_some();
    material.texture = diffuse_texture.or(emission_texture);
    Ok(material)
}

struct Effect<'a, 'input, 's> {
    source: Source<'a, 'input>,
    element: Node<'a, 'input>,
    ids: &'s HashMap<&'a str, Node<'a, 'input>>,
}

impl<'a, 'input: 'a> Effect<'a, 'input, '_> {
    /// The colour and the texture file of one channel.
    #[allow(clippy::type_complexity)]
    fn channel(
        &self,
        shader: Node<'a, 'input>,
        channel: &'static str,
    ) -> Result<(Option<[f64; 3]>, Option<String>), MeshError> {
        let Some(element) = child(shader, channel) else {
            return Ok((None, None));
        };
        let colour = match child(element, "color") {
            Some(node) => match self.source.numbers(node)?.as_slice() {
                [r, g, b, ..] => Some([*r, *g, *b].map(|channel| channel.clamp(0.0, 1.0))),
                few => return Err(self.source.wrong(node, format!("<color> has {} values instead of 4", few.len()))),
            },
            None => None,
        };
        let texture = match child(element, "texture") {
            Some(node) => Some(self.file(node)?),
            None => None,
        };
        Ok((colour, texture))
    }

    /// The file of a `<texture>`: by sampler and surface, or by the image's id.
    fn file(&self, texture: Node<'a, 'input>) -> Result<String, MeshError> {
        let reference = texture.attribute("texture").unwrap_or_default().trim();
        let parameter = |sid: &str| self.element.descendants().find(|node| node.attribute("sid") == Some(sid));
        let text_in = |node: Node<'a, 'input>, wanted: &str| {
            let inner = node.descendants().find(|inner| name(*inner) == wanted)?;
            inner.text().map(str::trim).filter(|text| !text.is_empty())
        };
        let mut image = reference;
        if let Some(sampler) = parameter(reference) {
            if let Some(surface) = text_in(sampler, "source") {
                image = surface;
                if let Some(named) = parameter(surface).and_then(|surface| text_in(surface, "init_from")) {
                    image = named;
                }
            } else if let Some(instance) = sampler.descendants().find(|inner| name(*inner) == "instance_image") {
                image = instance.attribute("url").unwrap_or_default().trim().trim_start_matches('#');
            }
        }
        let file = self.ids.get(image).and_then(|node| {
            // The path stands in <init_from>, in newer documents in <init_from><ref>.
            text_in(*node, "ref").or_else(|| text_in(*node, "init_from"))
        });
        file.map(str::to_owned).ok_or_else(|| {
            let what = format!("the texture `{reference}` leads to no image with a file");
            self.source.wrong(texture, what)
        })
    }
}
