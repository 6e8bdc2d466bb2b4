//! The schemas of ICAR ADE 1.5.1 as one model (clauses `resources/`, `types/`, `enums/`,
//! `collections/` of the standard), read once from `ade/schema/*.ade`.
//!
//! Two forms of the same facts: [`Declaration`]s as the standard writes them, and a compiled graph with
//! bases flattened, behind [`Standard::resolve_path`], [`Standard::required_members`] and
//! [`crate::validate`]. Must not know which resources a server serves or how it stores them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

mod declaration;
pub(crate) mod graph;
mod json_schema;
mod notation;
mod path;

pub use declaration::{Body, Declaration, Member, Scalar, Section, Type, TypeKind};
pub use path::{MemberInfo, PathInfo, PathKind};

/// The embedded files: name and text.
const SOURCES: [(&str, &str); 4] = [
    ("enums.ade", include_str!("../../schema/enums.ade")),
    ("types.ade", include_str!("../../schema/types.ade")),
    ("resources.ade", include_str!("../../schema/resources.ade")),
    ("collections.ade", include_str!("../../schema/collections.ade")),
];

/// The schemas of the standard.
#[derive(Debug)]
pub struct Standard {
    declarations: Vec<Declaration>,
    /// Official names and accepted misspellings.
    by_name: BTreeMap<&'static str, usize>,
    pub(crate) graph: graph::Graph,
    faults: Vec<String>,
}

impl Standard {
    /// The standard, read on first use.
    #[must_use]
    pub fn get() -> &'static Self {
        static STANDARD: LazyLock<Standard> = LazyLock::new(|| Standard::read(&SOURCES));
        &STANDARD
    }

    fn read(sources: &[(&str, &'static str)]) -> Self {
        let mut faults = Vec::new();
        let mut declarations = Vec::new();
        for (file, text) in sources {
            declarations.extend(notation::parse(file, text, &mut faults));
        }
        let names = Names::of(&declarations, &mut faults);
        for one in &mut declarations {
            names.resolve(one, &mut faults);
        }
        let graph = graph::compile(&declarations, &mut faults);
        let mut by_name = BTreeMap::new();
        for (at, one) in declarations.iter().enumerate() {
            for name in [Some(one.name), one.also].into_iter().flatten() {
                if by_name.insert(name, at).is_some() {
                    faults.push(format!("{name}: declared twice"));
                }
            }
        }
        Self { declarations, by_name, graph, faults }
    }

    /// What is wrong with the embedded files: empty in a released crate.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// All declarations: code lists, types, resources, collections.
    #[must_use]
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// The declaration of that official name (`icarWeightEventResource`) or accepted misspelling
    /// (`icarReproInsemonationEventResource`).
    #[must_use]
    pub fn declaration(&self, name: &str) -> Option<&Declaration> {
        self.declarations.get(*self.by_name.get(name)?)
    }

    /// The resource of that name or accepted misspelling: what a document's `resourceType` may say.
    #[must_use]
    pub fn resource(&self, name: &str) -> Option<&Declaration> {
        self.declaration(name).filter(|one| one.section == Section::Resource)
    }

    /// The names of all resources, in the order of the schema files.
    pub fn resources(&self) -> impl Iterator<Item = &'static str> {
        let resources = self.declarations.iter().filter(|one| one.section == Section::Resource);
        resources.map(|one| one.name)
    }

    /// The codes of a list such as `icarAnimalGenderType`, in the standard's order; `None` for any other name.
    #[must_use]
    pub fn enum_values(&self, name: &str) -> Option<&[&'static str]> {
        match &self.declaration(name)?.body {
            Body::Codes(codes) => Some(codes),
            _ => None,
        }
    }

    /// The compiled node of a declaration.
    pub(crate) fn root(&self, name: &str) -> Option<&graph::Node> {
        self.graph.roots.get(*self.by_name.get(name)?)
    }
}

/// Short names, types and code lists before resources.
struct Names {
    types: BTreeMap<&'static str, &'static str>,
    resources: BTreeMap<&'static str, &'static str>,
}

impl Names {
    fn of(declarations: &[Declaration], faults: &mut Vec<String>) -> Self {
        let mut names = Self { types: BTreeMap::new(), resources: BTreeMap::new() };
        for one in declarations {
            let table = match one.section {
                Section::Type | Section::Enum => &mut names.types,
                Section::Resource => &mut names.resources,
                Section::Collection => continue,
            };
            let short = notation::short_name(one.name, one.section);
            if table.insert(short, one.name).is_some() {
                faults.push(format!("{short}: two declarations have this short name"));
            }
        }
        names
    }

    fn resolve(&self, one: &mut Declaration, faults: &mut Vec<String>) {
        let owner = one.name;
        let resources_first = one.section == Section::Collection;
        let mut find = |short: &'static str, resources_first: bool| {
            let (first, then) = match resources_first {
                true => (&self.resources, &self.types),
                false => (&self.types, &self.resources),
            };
            let found = first.get(short).or_else(|| then.get(short)).copied();
            found.unwrap_or_else(|| {
                faults.push(format!("{owner}: unknown name {short}"));
                short
            })
        };
        for base in &mut one.bases {
            *base = find(base, false);
        }
        match &mut one.body {
            Body::Members(members) => resolve_members(members, &mut |s| find(s, resources_first)),
            Body::Variants { cases, .. } => {
                for (_, members) in cases {
                    resolve_members(members, &mut |s| find(s, resources_first));
                }
            }
            Body::Codes(_) | Body::Scalar(_) => {}
        }
    }
}

fn resolve_members(members: &mut [Member], find: &mut dyn FnMut(&'static str) -> &'static str) {
    for ty in members.iter_mut().filter_map(|member| member.ty.as_mut()) {
        resolve_type(ty, find);
    }
}

fn resolve_type(ty: &mut Type, find: &mut dyn FnMut(&'static str) -> &'static str) {
    match &mut ty.kind {
        TypeKind::Named(name) => *name = find(name),
        TypeKind::Array { items, .. } => resolve_type(items, find),
        TypeKind::Object(members) => resolve_members(members, find),
        _ => {}
    }
}
