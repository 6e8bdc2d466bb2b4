//! Member paths such as `weight.measurement`, for mappings of documents: the member that a path
//! names, its type, whether it is required, and the codes that it allows.

use super::Standard;
use super::graph::{Check, Node, Shape, Slot};

/// The member at the end of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathInfo<'s> {
    /// The form of the value; of the elements if `array`.
    pub kind: PathKind<'s>,
    /// The path in the standard's own spelling, arrays stepped through marked with `[]`.
    pub path: String,
    /// Whether the last member is required in the object that holds it.
    pub required: bool,
    /// Whether null is valid at the last member.
    pub nullable: bool,
    /// Whether the path ends at an array as a whole. A path that ends in `[]` means its elements.
    pub array: bool,
    /// Whether the path steps through an array, so that several values answer to it.
    pub repeated: bool,
}

/// The form of a value at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind<'s> {
    /// Untyped in the standard.
    Any,
    /// Text without further form, or bound by a pattern or a length.
    Text,
    /// An absolute URI.
    Uri,
    /// RFC 3339 `full-date`.
    Date,
    /// RFC 3339 `date-time`.
    DateTime,
    Number,
    /// A number without fraction.
    Integer,
    /// True or false.
    Boolean,
    /// One of the codes; `name` is the official name of the list, empty if it is written at the member.
    Enum {
        /// The official name.
        name: &'static str,
        /// The codes, in the standard's order.
        codes: &'s [&'static str],
    },
    /// An object; the official name of its type, empty if it is written at the member.
    Object(&'static str),
    /// An array inside an array (coordinates of a geometry).
    Nested,
}

/// A member of an object, inherited ones included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberInfo<'s> {
    /// The name as sent.
    pub name: &'static str,
    /// Whether the object requires it.
    pub required: bool,
    /// Whether null is valid.
    pub nullable: bool,
    pub array: bool,
    /// The form of the value, of the elements if `array`.
    pub kind: PathKind<'s>,
}

/// A stop on the way along a path.
struct Stop<'s> {
    shape: Option<&'s Shape>,
    slot: Option<&'s Slot>,
    node: Option<&'s Node>,
}

impl Standard {
    /// Resolves a path of member names separated by dots from a resource or type. `name[]` means the
    /// elements of an array; stepping on without `[]` is allowed (`batches.expiryDate`). `None` if a
    /// member does not exist or `[]` follows something else than an array.
    #[must_use]
    pub fn resolve_path(&self, name: &str, path: &str) -> Option<PathInfo<'_>> {
        let mut at = Stop { shape: self.object_at(self.root(name)?), slot: None, node: None };
        let mut spelling = String::with_capacity(path.len());
        let (mut repeated, mut elements) = (false, false);
        for step in path.split('.') {
            if let Some(node) = at.node {
                if !elements && matches!(node.check, Check::Array { .. }) {
                    spelling.push_str("[]");
                    repeated = true;
                }
                spelling.push('.');
            }
            elements = step.ends_with("[]");
            let bare = step.strip_suffix("[]").unwrap_or(step);
            let slot = at.shape?.path_slot(bare)?;
            let node = slot.checks.first();
            spelling.push_str(slot.name);
            if elements {
                matches!(node?.check, Check::Array { .. }).then_some(())?;
                spelling.push_str("[]");
                repeated = true;
            }
            at = Stop { shape: node.and_then(|node| self.object_at(node)), slot: Some(slot), node };
        }
        let slot = at.slot?;
        let member = self.describe(slot);
        Some(PathInfo {
            kind: member.kind,
            path: spelling,
            required: member.required && !elements,
            nullable: if elements { element(at.node?).nullable } else { member.nullable },
            array: member.array && !elements,
            repeated,
        })
    }

    /// The required members of an object schema, inherited ones included, in order of declaration;
    /// `None` if there is no object schema of that name.
    #[must_use]
    pub fn required_members(&self, name: &str) -> Option<&[&'static str]> {
        Some(&self.object_at(self.root(name)?)?.required)
    }

    /// All members of an object schema, inherited ones included, by length of name and alphabet;
    /// `None` if there is no object schema of that name.
    #[must_use]
    pub fn members(&self, name: &str) -> Option<Vec<MemberInfo<'_>>> {
        let shape = self.object_at(self.root(name)?)?;
        Some(shape.slots().iter().map(|slot| self.describe(slot)).collect())
    }

    fn object_at(&self, node: &Node) -> Option<&Shape> {
        match element(node).check {
            Check::Object(at) => self.graph.shapes.get(at),
            _ => None,
        }
    }

    fn describe(&self, slot: &Slot) -> MemberInfo<'_> {
        let node = slot.checks.first();
        MemberInfo {
            name: slot.name,
            required: slot.required != 0,
            nullable: slot.checks.iter().all(|node| node.nullable || matches!(node.check, Check::Any)),
            array: node.is_some_and(|node| matches!(node.check, Check::Array { .. })),
            kind: node.map_or(PathKind::Any, |node| self.kind(node)),
        }
    }

    fn kind(&self, node: &Node) -> PathKind<'_> {
        match &element(node).check {
            Check::Any => PathKind::Any,
            Check::Text | Check::LongestText(_) | Check::Pattern(_) => PathKind::Text,
            Check::Uri => PathKind::Uri,
            Check::Date => PathKind::Date,
            Check::DateTime => PathKind::DateTime,
            Check::Number | Check::AtLeast(_) => PathKind::Number,
            Check::Integer => PathKind::Integer,
            Check::Boolean => PathKind::Boolean,
            Check::Array { .. } => PathKind::Nested,
            Check::Codes(at) => self
                .graph
                .codes
                .get(*at)
                .map_or(PathKind::Any, |list| PathKind::Enum { name: list.name, codes: &list.codes }),
            Check::Object(at) => PathKind::Object(self.graph.shapes.get(*at).map_or("", |shape| shape.name)),
            Check::Variants(at) => PathKind::Object(self.graph.variants.get(*at).map_or("", |one| one.name)),
        }
    }
}

impl Shape {
    /// The member of that name or accepted spelling.
    fn path_slot(&self, name: &str) -> Option<&Slot> {
        self.slot(name).or_else(|| self.slots().iter().find(|slot| slot.also == Some(name)))
    }
}

/// The node of an array's elements, or the node itself.
fn element(node: &Node) -> &Node {
    match &node.check {
        Check::Array { items, .. } => items,
        _ => node,
    }
}
