//! Types for permissions, which clients can read before a request. The permissions of every
//! field have the same form, so only groups have types of their own.

use super::super::name::{plain, words};
use super::output::JSON_OBJECT;
use super::{Model, Object, What};
use async_graphql::dynamic::TypeRef;
use model::registry::{Collection, Kind, Node};

/// What may be done with a record.
const VERBS: [&str; 4] = ["create", "read", "update", "delete"];
/// An operation on records.
const PERMISSION: &str = "Permission";
/// What may be done with a field.
const FIELD: &str = "FieldAccess";

/// `animalsAccess`
pub(super) fn of_collection(c: &Collection) -> String {
    format!("{}Access", plain(c.slug))
}

/// `animalsDocAccess`
pub(super) fn of_document(c: &Collection) -> String {
    format!("{}DocAccess", plain(c.slug))
}

impl Model {
    pub(super) fn shared(&mut self) {
        let yes = || TypeRef::named_nn(TypeRef::BOOLEAN);
        let doc = "Something that is allowed; null in its place: it is not.";
        let permission = self.object(PERMISSION, doc);
        permission.add("permission", yes(), What::Value, "Always true.");
        let doc = "The rows with which it is allowed; none: with all.";
        let ty = TypeRef::named(JSON_OBJECT);
        permission.add("where", ty, What::Value, doc);
        let field = self.object(FIELD, "What may be done with a field.");
        verbs(field);
        let failed = self.object("WriteError", "A record that was not written.");
        let int = TypeRef::named_nn(TypeRef::INT);
        failed.add("id", int, What::Value, "The record.");
        let text = TypeRef::named_nn(TypeRef::STRING);
        failed.add("message", text, What::Value, "Why.");
        let public = TypeRef::named(TypeRef::BOOLEAN);
        failed.add("isPublic", public, What::Value, "Always true.");
    }

    /// The types of a collection's permissions.
    pub(super) fn rights(&mut self, c: &'static Collection) {
        let fields = format!("{}Fields", words(c.slug));
        self.right_nodes(c, &fields, &c.layout);
        for name in [of_collection(c), of_document(c)] {
            let object = self.object(&name, format!("What may be done with {}.", c.plural));
            let doc = "By field.";
            object.add("fields", TypeRef::named(&*fields), What::Group, doc);
            verbs(object);
            if c.auth {
                let doc = "Opening locked accounts.";
                let ty = TypeRef::named(PERMISSION);
                object.add("unlock", ty, What::Group, doc);
            }
        }
    }

    fn right_nodes(&mut self, c: &'static Collection, name: &str, nodes: &'static [Node]) {
        let mut object = Object::default();
        let add = |object: &mut Object, field: &str, ty: &str| {
            let ty = TypeRef::named(ty);
            object.add(&plain(field), ty, What::Group, "").key = field.to_owned();
        };
        for node in nodes {
            match node {
                Node::Leaf(slot) => {
                    let Some(field) = c.fields.get(*slot) else {
                        continue;
                    };
                    if !super::output::is_readable(field) && field.kind != Kind::Password {
                        continue;
                    }
                    let Kind::Rows(subs) = &field.kind else {
                        add(&mut object, field.name(), FIELD);
                        continue;
                    };
                    let mut inner = Object::default();
                    for sub in subs {
                        add(&mut inner, sub.name(), FIELD);
                    }
                    let ty = self.right_group(name, field.name(), inner);
                    add(&mut object, field.name(), &ty);
                }
                Node::Group(group, inner) => {
                    let below = format!("{}_Fields", super::below(name, group));
                    self.right_nodes(c, &below, inner);
                    let inner = self.objects.shift_remove(&below).unwrap_or_default();
                    if inner.fields.is_empty() {
                        continue;
                    }
                    let ty = self.right_group(name, group, inner);
                    add(&mut object, group, &ty);
                }
            }
        }
        self.objects.insert(name.to_owned(), object);
    }

    fn right_group(&mut self, parent: &str, name: &str, inner: Object) -> String {
        let ty = super::below(parent, name);
        let fields = format!("{ty}_Fields");
        self.objects.insert(fields.clone(), inner);
        let mut object = Object::default();
        verbs(&mut object);
        object.add("fields", TypeRef::named(fields), What::Group, "By field.");
        self.objects.insert(ty.clone(), object);
        ty
    }
}

fn verbs(object: &mut Object) {
    for verb in VERBS {
        object.add(verb, TypeRef::named(PERMISSION), What::Group, "");
    }
}
