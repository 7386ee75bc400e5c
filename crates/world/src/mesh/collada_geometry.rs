//! Geometry of COLLADA documents: arrays of numbers, and primitives that point into them.

use super::collada::{MAX_TRIANGLES, too_many_triangles};
use super::error::MeshError;
use super::xml::{Source, child, children, name};
use glam::DVec3;
use roxmltree::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// Most values per corner of a primitive.
const MAX_STRIDE: usize = 64;

/// A `<geometry>`: its corners, and triangles by material.
#[derive(Debug, Default)]
pub(crate) struct Geometry<'a> {
    /// In the document's unit and the geometry's axes.
    pub(crate) positions: Vec<DVec3>,
    pub(crate) groups: Vec<Group<'a>>,
}

/// Triangles of one material.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The name that instances bind to a material.
    pub(crate) symbol: &'a str,
    pub(crate) triangles: Vec<Indexed>,
}

/// A triangle of corners by number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Indexed {
    pub(crate) corners: [u32; 3],
    pub(crate) uv: [[f32; 2]; 3],
}

/// Numbers in rows of `stride`.
struct Array {
    numbers: Vec<f64>,
    stride: usize,
}

impl Array {
    fn num_rows(&self) -> usize {
        self.numbers.len() / self.stride
    }

    fn row<const N: usize>(&self, index: usize) -> Option<[f64; N]> {
        let start = index.checked_mul(self.stride)?;
        self.numbers.get(start..start.checked_add(N)?)?.try_into().ok()
    }
}

struct Reader<'a, 'input, 's> {
    source: Source<'a, 'input>,
    ids: &'s HashMap<&'a str, Node<'a, 'input>>,
    arrays: HashMap<&'a str, Rc<Array>>,
    geometry: Geometry<'a>,
    /// Which of the geometry's positions come from which array.
    first_positions: HashMap<&'a str, u32>,
    num_triangles: usize,
}

/// Reads a `<geometry>`.
pub(crate) fn read<'a, 'input: 'a>(
    source: Source<'a, 'input>,
    element: Node<'a, 'input>,
    ids: &HashMap<&'a str, Node<'a, 'input>>,
) -> Result<Geometry<'a>, MeshError> {
    let Some(mesh) = child(element, "mesh") else {
        // Curves have no surface.
        if child(element, "spline").is_some() {
            return Ok(Geometry::default());
        }
        return Err(source.unsupported(element, "a geometry without <mesh>", "convert it to a mesh before exporting"));
    };
    let mut reader = Reader {
        source,
        ids,
        arrays: HashMap::new(),
        geometry: Geometry::default(),
        first_positions: HashMap::new(),
        num_triangles: 0,
    };
    for part in mesh.children().filter(Node::is_element) {
        match name(part) {
            "triangles" | "polylist" | "polygons" | "trifans" | "tristrips" => reader.primitives(part)?,
            // Lines have no surface.
            "source" | "vertices" | "extra" | "asset" | "lines" | "linestrips" => {}
            other => {
                let what = format!("the primitive <{other}>");
                return Err(source.unsupported(part, what, "export <triangles> or <polylist>"));
            }
        }
    }
    Ok(reader.geometry)
}

/// Where in a corner's indices something stands, and the array it points into.
#[derive(Clone)]
struct Input<'a> {
    offset: usize,
    array: Rc<Array>,
    id: &'a str,
}

#[derive(Default)]
struct Inputs<'a> {
    position: Option<Input<'a>>,
    texture: Option<(u32, Input<'a>)>,
    stride: usize,
}

impl<'a, 'input: 'a> Reader<'a, 'input, '_> {
    fn primitives(&mut self, element: Node<'a, 'input>) -> Result<(), MeshError> {
        let inputs = self.inputs(element)?;
        let Some(position) = inputs.position.clone() else {
            // An empty list may go without.
            let is_empty = children(element, "p").all(|list| list.text().is_none_or(|text| text.trim().is_empty()));
            let missing = || self.source.wrong(element, format!("<{}> has no positions", name(element)));
            return if is_empty { Ok(()) } else { Err(missing()) };
        };
        let first = self.first_position(&position)?;
        let mut group = Group { symbol: element.attribute("material").unwrap_or_default(), triangles: Vec::new() };
        if child(element, "ph").is_some() {
            return Err(self.source.unsupported(
                element,
                "a polygon with holes (<ph>)",
                "triangulate before exporting",
            ));
        }
        let counts = match child(element, "vcount") {
            Some(counts) => Some(self.source.indices(counts)?),
            None => None,
        };
        if name(element) == "polylist" && counts.is_none() && child(element, "p").is_some() {
            return Err(self.source.wrong(element, "<polylist> has no <vcount>"));
        }
        for list in children(element, "p") {
            let indices = self.source.indices(list)?;
            if !indices.len().is_multiple_of(inputs.stride) {
                let what =
                    format!("<p> has {} entries, which is no multiple of {} per corner", indices.len(), inputs.stride);
                return Err(self.source.wrong(list, what));
            }
            let corners: Vec<&[u32]> = indices.chunks_exact(inputs.stride).collect();
            let mut push = |reader: &mut Self, corners: [&[u32]; 3]| -> Result<(), MeshError> {
                let triangle = reader.triangle(list, corners, &position, first, inputs.texture.as_ref())?;
                group.triangles.push(triangle);
                reader.num_triangles += 1;
                if reader.num_triangles > MAX_TRIANGLES {
                    return Err(too_many_triangles(reader.source.path, reader.num_triangles));
                }
                Ok(())
            };
            match name(element) {
                "triangles" => {
                    let (triangles, rest) = corners.as_chunks::<3>();
                    if !rest.is_empty() {
                        return Err(self
                            .source
                            .wrong(list, format!("{} corners make no whole triangles", corners.len())));
                    }
                    for triangle in triangles {
                        push(self, *triangle)?;
                    }
                }
                "tristrips" => {
                    for (k, window) in corners.windows(3).enumerate() {
                        let [a, b] = if k % 2 == 0 { [0, 1] } else { [1, 0] };
                        push(self, [window[a], window[b], window[2]])?;
                    }
                }
                "polylist" => {
                    let mut rest = corners.as_slice();
                    for count in counts.as_deref().unwrap_or_default() {
                        let Some((polygon, after)) = rest.split_at_checked(*count as usize) else {
                            return Err(self.source.wrong(list, "<vcount> asks for more corners than <p> has"));
                        };
                        rest = after;
                        for [a, b, c] in fan(polygon) {
                            push(self, [a, b, c])?;
                        }
                    }
                    if !rest.is_empty() {
                        return Err(self.source.wrong(list, "<p> has more corners than <vcount> asks for"));
                    }
                }
                // One polygon or fan per list.
                _ => {
                    for [a, b, c] in fan(&corners) {
                        push(self, [a, b, c])?;
                    }
                }
            }
        }
        self.geometry.groups.push(group);
        Ok(())
    }

    fn inputs(&mut self, element: Node<'a, 'input>) -> Result<Inputs<'a>, MeshError> {
        let mut inputs = Inputs { stride: 1, ..Inputs::default() };
        for input in children(element, "input") {
            let offset = input.attribute("offset").map_or(Ok(0), |text| text.trim().parse::<usize>());
            let Some(offset) = offset.ok().filter(|offset| *offset < MAX_STRIDE) else {
                return Err(self.source.wrong(input, "the offset of an <input> is no small whole number"));
            };
            inputs.stride = inputs.stride.max(offset + 1);
            match input.attribute("semantic").unwrap_or_default() {
                "VERTEX" => {
                    let reference = input.attribute("source").unwrap_or_default();
                    let Some(vertices) = self.find(reference) else {
                        return Err(self.source.wrong(input, format!("`{reference}` is not in the document")));
                    };
                    for inner in children(vertices, "input") {
                        match inner.attribute("semantic").unwrap_or_default() {
                            "POSITION" => inputs.position = Some(self.input(inner, offset)?),
                            "TEXCOORD" => inputs.texture = Some((0, self.input(inner, offset)?)),
                            _ => {}
                        }
                    }
                }
                "POSITION" => inputs.position = Some(self.input(input, offset)?),
                "TEXCOORD" => {
                    let set = input.attribute("set").and_then(|set| set.trim().parse().ok()).unwrap_or(0);
                    if inputs.texture.as_ref().is_none_or(|(other, _)| set < *other) {
                        inputs.texture = Some((set, self.input(input, offset)?));
                    }
                }
                _ => {}
            }
        }
        Ok(inputs)
    }

    fn find(&self, reference: &str) -> Option<Node<'a, 'input>> {
        self.ids.get(reference.trim().strip_prefix('#')?).copied()
    }

    fn input(&mut self, input: Node<'a, 'input>, offset: usize) -> Result<Input<'a>, MeshError> {
        let reference = input.attribute("source").unwrap_or_default();
        let Some(element) = self.find(reference) else {
            return Err(self.source.wrong(input, format!("`{reference}` is not in the document")));
        };
        let id = element.attribute("id").unwrap_or_default();
        if let Some(array) = self.arrays.get(id) {
            return Ok(Input { offset, array: array.clone(), id });
        }
        let accessor = child(element, "technique_common").and_then(|common| child(common, "accessor"));
        let attribute = |key: &str, missing: usize| match accessor.and_then(|accessor| accessor.attribute(key)) {
            Some(text) => text.trim().parse::<usize>().ok(),
            None => Some(missing),
        };
        let numbers = match child(element, "float_array") {
            Some(numbers) => {
                let values = self.source.numbers(numbers)?;
                let count = numbers.attribute("count").and_then(|count| count.trim().parse::<usize>().ok());
                if count.is_some_and(|count| count != values.len()) {
                    let what = format!("`{id}` has {} values and says it has {}", values.len(), count.unwrap_or(0));
                    return Err(self.source.wrong(numbers, what));
                }
                values
            }
            None => return Err(self.source.wrong(element, format!("the source `{id}` has no <float_array>"))),
        };
        let stride = attribute("stride", 3).filter(|stride| (1..=MAX_STRIDE).contains(stride));
        let (Some(stride), Some(0)) = (stride, attribute("offset", 0)) else {
            return Err(self.source.unsupported(
                element,
                "this <accessor> of an array",
                "export with stride 3 and offset 0",
            ));
        };
        let array = Rc::new(Array { numbers, stride });
        self.arrays.insert(id, array.clone());
        Ok(Input { offset, array, id })
    }

    /// The number that the first corner of an array has in the geometry, which takes them all in.
    fn first_position(&mut self, position: &Input<'a>) -> Result<u32, MeshError> {
        if let Some(first) = self.first_positions.get(position.id) {
            return Ok(*first);
        }
        let first = self.geometry.positions.len() as u32;
        let rows = position.array.num_rows();
        if position.array.stride < 3 || first as usize + rows > u32::MAX as usize {
            let element = self.ids.get(position.id).copied().unwrap_or(self.source.document.root_element());
            return Err(self.source.wrong(element, format!("`{}` is no list of positions", position.id)));
        }
        let row = |index: usize| position.array.row::<3>(index).map(DVec3::from);
        self.geometry.positions.extend((0..rows).map_while(row));
        self.first_positions.insert(position.id, first);
        Ok(first)
    }

    fn triangle(
        &self,
        list: Node<'a, 'input>,
        corners: [&[u32]; 3],
        position: &Input<'a>,
        first: u32,
        texture: Option<&(u32, Input<'a>)>,
    ) -> Result<Indexed, MeshError> {
        let mut triangle = Indexed { corners: [0; 3], uv: [[0.0; 2]; 3] };
        let beyond = |input: &Input<'a>, index: u32| {
            let what = format!("<p> asks for entry {index} of `{}`, which has {}", input.id, input.array.num_rows());
            self.source.wrong(list, what)
        };
        for (k, corner) in corners.into_iter().enumerate() {
            let index = corner[position.offset];
            if index as usize >= position.array.num_rows() {
                return Err(beyond(position, index));
            }
            triangle.corners[k] = first + index;
            if let Some((_, input)) = texture {
                let index = corner[input.offset];
                let uv = input.array.row::<2>(index as usize).filter(|_| input.array.stride >= 2);
                triangle.uv[k] = uv.ok_or_else(|| beyond(input, index))?.map(|coordinate| coordinate as f32);
            }
        }
        Ok(triangle)
    }
}

/// A polygon as triangles around its first corner.
fn fan<'p>(polygon: &'p [&'p [u32]]) -> impl Iterator<Item = [&'p [u32]; 3]> {
    let first = polygon.first().copied().unwrap_or_default();
    polygon.get(1..).unwrap_or_default().windows(2).map(move |pair| [first, pair[0], pair[1]])
}
