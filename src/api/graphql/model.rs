//! What the face offers, as data: types, fields, arguments and what stands behind them, made of the declarations. The
//! schema, the plan of a request and its answer are read from it, so that no collection has a resolver of its own.

mod access;
mod input;
pub(super) mod output;
mod roots;

pub(super) use input::RELATED;

use super::name::Names;
use async_graphql::dynamic::TypeRef;
use indexmap::IndexMap;
use model::registry::{Collection, Join, Registry};

/// The type of queries.
pub(super) const QUERY: &str = "Query";
/// The type of mutations.
pub(super) const MUTATION: &str = "Mutation";

/// Everything that a query can select.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) objects: IndexMap<String, Object>,
    pub(super) inputs: IndexMap<String, Input>,
    pub(super) choices: IndexMap<String, Choices>,
}

#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) doc: String,
    pub(super) fields: IndexMap<String, OutputField>,
}

#[derive(Debug)]
pub(super) struct OutputField {
    pub(super) ty: TypeRef,
    pub(super) doc: String,
    pub(super) args: Vec<InputField>,
    pub(super) what: What,
    /// The place of its value in the document.
    pub(super) key: String,
}

#[derive(Debug)]
pub(super) struct InputField {
    pub(super) name: String,
    pub(super) ty: TypeRef,
    pub(super) doc: String,
}

#[derive(Debug, Default)]
pub(super) struct Input {
    pub(super) doc: String,
    pub(super) fields: Vec<InputField>,
}

/// The values of a select: their names, and their meaning.
#[derive(Debug)]
pub(super) struct Choices {
    pub(super) doc: String,
    pub(super) items: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Value,
    /// A value of a select, or several.
    Choice(&'static [String]),
    /// An object within the document.
    Group,
    /// A list of objects within the document.
    Rows,
    /// A record, or null where the caller does not see it.
    One,
    Many,
    /// A page of records that point here.
    Join(&'static Join, &'static Collection),
    Lineage,
    /// What happened, in these collections.
    Timeline(&'static [String]),
    Root(Root),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) verb: Verb,
    /// What it is about; none: everything.
    pub(super) collection: Option<&'static Collection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    ById,
    List,
    Count,
    Access,
    DocAccess,
    Me,
    Initialized,
    Create,
    Update,
    Delete,
    Duplicate,
    UpdateMany,
    DeleteMany,
    Act(&'static str),
    Login,
    Logout,
    Refresh,
    Forgot,
    Reset,
    Unlock,
    Verify,
}

impl Model {
    pub(super) fn of(registry: &'static Registry) -> Self {
        let mut model = Self::default();
        model.objects.insert(QUERY.to_owned(), Object::default());
        model.objects.insert(MUTATION.to_owned(), Object::default());
        model.shared();
        for c in registry.iter() {
            let names = Names::of(c.slug);
            model.output(registry, c, &names);
            model.conditions(registry, c, &names);
            model.bodies(c, &names);
            model.roots(c, &names);
            model.rights(c);
        }
        model.common_roots(registry);
        model
    }

    /// The type of a field, without lists and exclamation marks.
    pub(super) fn object_of(&self, out: &OutputField) -> Option<(&str, &Object)> {
        self.objects.get_key_value(out.ty.type_name()).map(|(n, o)| (n.as_str(), o))
    }

    fn object(&mut self, name: &str, doc: impl Into<String>) -> &mut Object {
        let object = self.objects.entry(name.to_owned()).or_default();
        object.doc = doc.into();
        object
    }
}

/// Whether a field must have a value.
pub(super) fn is_required(ty: &TypeRef) -> bool {
    matches!(ty, TypeRef::NonNull(_))
}

impl Object {
    fn add(&mut self, name: &str, ty: &str, what: What, doc: impl Into<String>) -> &mut OutputField {
        let out = OutputField { ty: type_of(ty), doc: doc.into(), args: Vec::new(), what, key: name.to_owned() };
        let entry = self.fields.entry(name.to_owned());
        entry.insert_entry(out).into_mut()
    }

    /// Plain values: name, type, meaning.
    fn values<const N: usize>(&mut self, values: [(&str, &str, &str); N]) {
        for (name, ty, doc) in values {
            self.add(name, ty, What::Value, doc);
        }
    }
}

impl InputField {
    fn new(name: impl Into<String>, ty: &str, doc: &str) -> Self {
        Self { name: name.into(), ty: type_of(ty), doc: doc.to_owned() }
    }
}

impl OutputField {
    fn arg(&mut self, name: &str, ty: &str, doc: &str) -> &mut Self {
        self.args.push(InputField::new(name, ty, doc));
        self
    }
}

/// The type of a text such as `[Animal!]!`.
fn type_of(text: &str) -> TypeRef {
    if let Some(inner) = text.strip_suffix('!') {
        return TypeRef::NonNull(Box::new(type_of(inner)));
    }
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => TypeRef::List(Box::new(type_of(inner))),
        None => TypeRef::named(text),
    }
}

/// What a group is called in types: `Animal_Position`.
fn below(parent: &str, name: &str) -> String {
    format!("{parent}_{}", super::name::words(name))
}
