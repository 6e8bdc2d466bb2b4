//! The declarations compiled for checking: bases flattened, names resolved to positions, members
//! sorted for search. Knows nothing of documents; `validate` and `path` walk it.

use regex::Regex;

use super::declaration::{Body, Declaration, Member, Scalar, Type, TypeKind};

/// What a value must be.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) nullable: bool,
    pub(crate) check: Check,
}

#[derive(Debug, Clone)]
pub(crate) enum Check {
    Any,
    Text,
    LongestText(usize),
    Pattern(Box<Regex>),
    Uri,
    Date,
    DateTime,
    Number,
    AtLeast(f64),
    Integer,
    Boolean,
    /// Position in [`Graph::codes`].
    Codes(usize),
    /// Position in [`Graph::shapes`].
    Object(usize),
    /// Position in [`Graph::variants`].
    Variants(usize),
    Array {
        items: Box<Node>,
        min_items: usize,
    },
}

/// A code list; `name` is empty where it is written at a member.
#[derive(Debug)]
pub(crate) struct CodeList {
    pub(crate) name: &'static str,
    pub(crate) codes: Vec<&'static str>,
    sorted: Vec<&'static str>,
}

impl CodeList {
    fn new(name: &'static str, codes: &[&'static str]) -> Self {
        let mut sorted = codes.to_vec();
        sorted.sort_unstable();
        Self { name, codes: codes.to_vec(), sorted }
    }

    pub(crate) fn contains(&self, code: &str) -> bool {
        self.sorted.binary_search(&code).is_ok()
    }
}

/// An object with all members, inherited ones included.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// Empty where the object is written at a member.
    pub(crate) name: &'static str,
    slots: Vec<Slot>,
    /// Names of the required members; their position is their bit in [`Slot::required`].
    pub(crate) required: Vec<&'static str>,
}

#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) name: &'static str,
    pub(crate) also: Option<&'static str>,
    /// The bit of a required member, else 0.
    pub(crate) required: u64,
    /// All must hold; more than one where a base and the declaration type the member differently.
    pub(crate) checks: Vec<Node>,
}

impl Shape {
    /// The member of that name. Compares lengths first: names seldom share one.
    pub(crate) fn slot(&self, name: &str) -> Option<&Slot> {
        let key = (name.len(), name);
        let at = self.slots.binary_search_by(|slot| (slot.name.len(), slot.name).cmp(&key)).ok()?;
        self.slots.get(at)
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The bits of all required members.
    pub(crate) fn required_bits(&self) -> u64 {
        self.slots.iter().fold(0, |bits, slot| bits | slot.required)
    }
}

/// An object whose member `tag` selects the shape.
#[derive(Debug)]
pub(crate) struct Variants {
    pub(crate) name: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) cases: Vec<(&'static str, usize)>,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) required_bits: Vec<u64>,
    pub(crate) codes: Vec<CodeList>,
    pub(crate) variants: Vec<Variants>,
    /// One node per declaration, in their order.
    pub(crate) roots: Vec<Node>,
}

/// Builds the graph; references by name must have been resolved. Faults are added to `faults`.
pub(crate) fn compile(declarations: &[Declaration], faults: &mut Vec<String>) -> Graph {
    let mut graph = Graph::default();
    for one in declarations {
        let check = match &one.body {
            Body::Members(_) => {
                graph.shapes.push(Shape { name: one.name, ..Shape::default() });
                Check::Object(graph.shapes.len() - 1)
            }
            Body::Codes(codes) => graph.code_list(one.name, codes),
            Body::Scalar(Scalar::Text) => Check::Text,
            Body::Scalar(Scalar::Date) => Check::Date,
            Body::Scalar(Scalar::DateTime) => Check::DateTime,
            Body::Variants { tag, .. } => {
                graph.variants.push(Variants { name: one.name, tag, cases: Vec::new() });
                Check::Variants(graph.variants.len() - 1)
            }
        };
        graph.roots.push(Node { nullable: false, check });
    }
    let mut compiler = Compiler { declarations, graph, faults };
    for at in 0..declarations.len() {
        compiler.fill(at);
    }
    let mut graph = compiler.graph;
    graph.required_bits = graph.shapes.iter().map(Shape::required_bits).collect();
    graph
}

impl Graph {
    fn code_list(&mut self, name: &'static str, codes: &[&'static str]) -> Check {
        self.codes.push(CodeList::new(name, codes));
        Check::Codes(self.codes.len() - 1)
    }
}

struct Compiler<'a> {
    declarations: &'a [Declaration],
    graph: Graph,
    faults: &'a mut Vec<String>,
}

impl<'a> Compiler<'a> {
    fn fill(&mut self, at: usize) {
        let (Some(one), Some(root)) = (self.declarations.get(at), self.graph.roots.get(at)) else {
            return;
        };
        match (&one.body, root.check.clone()) {
            (Body::Members(_), Check::Object(place)) => {
                let mut all = Vec::new();
                self.inherited(one, &mut all, 0);
                let shape = self.shape(one.name, &all);
                if let Some(slot) = self.graph.shapes.get_mut(place) {
                    *slot = shape;
                }
            }
            (Body::Variants { cases, .. }, Check::Variants(place)) => {
                let cases = cases
                    .iter()
                    .map(|(tag, members)| {
                        let shape = self.shape("", &members.iter().collect::<Vec<_>>());
                        self.graph.shapes.push(shape);
                        (*tag, self.graph.shapes.len() - 1)
                    })
                    .collect();
                if let Some(slot) = self.graph.variants.get_mut(place) {
                    slot.cases = cases;
                }
            }
            _ => {}
        }
    }

    /// All members of a declaration, those of its bases first.
    fn inherited(&mut self, one: &'a Declaration, all: &mut Vec<&'a Member>, depth: usize) {
        if depth > self.declarations.len() {
            self.faults.push(format!("{}: extends itself", one.name));
            return;
        }
        for base in &one.bases {
            if let Some(base) = self.declarations.iter().find(|d| d.name == *base) {
                self.inherited(base, all, depth + 1);
            }
        }
        if let Body::Members(members) = &one.body {
            all.extend(members);
        }
    }

    fn shape(&mut self, name: &'static str, members: &[&'a Member]) -> Shape {
        let mut slots: Vec<(Slot, Vec<&'a Type>)> = Vec::new();
        let mut required = Vec::new();
        for member in members {
            let at = slots.iter().position(|(slot, _)| slot.name == member.name).unwrap_or_else(|| {
                let slot = Slot { name: member.name, also: member.also, required: 0, checks: Vec::new() };
                slots.push((slot, Vec::new()));
                slots.len() - 1
            });
            let Some((slot, types)) = slots.get_mut(at) else {
                continue;
            };
            if member.required && slot.required == 0 {
                slot.required = 1_u64.checked_shl(u32::try_from(required.len()).unwrap_or(64)).unwrap_or(0);
                required.push(member.name);
                if slot.required == 0 {
                    self.faults.push(format!("{name}: more than 64 required members"));
                }
            }
            if let Some(ty) = &member.ty
                && !types.contains(&ty)
            {
                types.push(ty);
                let node = self.node(name, ty);
                if let Some((slot, _)) = slots.get_mut(at) {
                    slot.checks.push(node);
                }
            }
        }
        let mut slots: Vec<Slot> = slots.into_iter().map(|(slot, _)| slot).collect();
        slots.sort_unstable_by_key(|slot| (slot.name.len(), slot.name));
        Shape { name, slots, required }
    }

    fn node(&mut self, owner: &str, ty: &'a Type) -> Node {
        let check = match &ty.kind {
            TypeKind::Any => Check::Any,
            TypeKind::Text { pattern: Some(pattern), .. } => match Regex::new(pattern) {
                Ok(regex) => Check::Pattern(Box::new(regex)),
                Err(why) => {
                    self.faults.push(format!("{owner}: {why}"));
                    Check::Text
                }
            },
            TypeKind::Text { max_length: Some(max), .. } => Check::LongestText(*max),
            TypeKind::Text { .. } => Check::Text,
            TypeKind::Uri => Check::Uri,
            TypeKind::Number { minimum: Some(least) } => Check::AtLeast(*least),
            TypeKind::Number { minimum: None } => Check::Number,
            TypeKind::Integer => Check::Integer,
            TypeKind::Boolean => Check::Boolean,
            TypeKind::OneOf(codes) => self.graph.code_list("", codes),
            TypeKind::Object(members) => {
                let shape = self.shape("", &members.iter().collect::<Vec<_>>());
                self.graph.shapes.push(shape);
                Check::Object(self.graph.shapes.len() - 1)
            }
            TypeKind::Array { items, min_items } => {
                Check::Array { items: Box::new(self.node(owner, items)), min_items: *min_items }
            }
            TypeKind::Named(name) => {
                let at = self.declarations.iter().position(|d| d.name == *name);
                at.and_then(|at| self.graph.roots.get(at)).map_or(Check::Any, |root| root.check.clone())
            }
        };
        Node { nullable: ty.nullable, check }
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, Graph, Node};
    use crate::schema::Standard;

    /// The validator recurses as deep as the schemas nest: that must have an end.
    fn depth(graph: &Graph, node: &Node, above: &mut Vec<usize>) -> usize {
        let shapes: Vec<usize> = match &node.check {
            Check::Array { items, .. } => return 1 + depth(graph, items, above),
            Check::Object(shape) => vec![*shape],
            Check::Variants(at) => graph.variants[*at].cases.iter().map(|(_, shape)| *shape).collect(),
            _ => return 1,
        };
        let deepest = shapes.into_iter().map(|shape| {
            assert!(!above.contains(&shape), "{} contains itself", graph.shapes[shape].name);
            above.push(shape);
            let slots = graph.shapes[shape].slots().iter().flat_map(|slot| &slot.checks);
            let deepest = slots.map(|node| depth(graph, node, above)).max().unwrap_or(0);
            above.pop();
            deepest
        });
        1 + deepest.max().unwrap_or(0)
    }

    #[test]
    fn no_schema_contains_itself() {
        let graph = &Standard::get().graph;
        let deepest = graph.roots.iter().map(|root| depth(graph, root, &mut Vec::new())).max();
        assert!(deepest.is_some_and(|deepest| (5..20).contains(&deepest)), "{deepest:?}");
    }
}
