//! Types for permissions, which clients can read before a request. The permissions of every
//! field have the same form, so only groups have types of their own.

use super::super::name::{plain, words};
use super::output::JSON_OBJECT;
use super::{Model, Object, What};
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
        let doc = "Something that is allowed; null in its place: it is not.";
        self.object(PERMISSION, doc).values([
            ("permission", "Boolean!", "Always true."),
            ("where", JSON_OBJECT, "The rows with which it is allowed; none: with all."),
        ]);
        verbs(self.object(FIELD, "What may be done with a field."));
        self.object("WriteError", "A record that was not written.").values([
            ("id", "Int!", "The record."),
            ("message", "String!", "Why."),
            ("isPublic", "Boolean", "Always true."),
        ]);
    }

    /// The types of a collection's permissions.
    pub(super) fn rights(&mut self, c: &'static Collection) {
        let fields = format!("{}Fields", words(c.slug));
        self.right_nodes(c, &fields, &c.layout);
        for name in [of_collection(c), of_document(c)] {
            let object = self.object(&name, format!("What may be done with {}.", c.plural));
            object.add("fields", &fields, What::Group, "By field.");
            verbs(object);
            if c.auth {
                object.add("unlock", PERMISSION, What::Group, "Opening locked accounts.");
            }
        }
    }

    fn right_nodes(&mut self, c: &'static Collection, name: &str, nodes: &'static [Node]) {
        let mut object = Object::default();
        let add = |object: &mut Object, field: &str, ty: &str| {
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
        let mut object = Object::default();
        verbs(&mut object);
        object.add("fields", &fields, What::Group, "By field.");
        self.objects.insert(fields, inner);
        self.objects.insert(ty.clone(), object);
        ty
    }
}

fn verbs(object: &mut Object) {
    for verb in VERBS {
        object.add(verb, PERMISSION, What::Group, "");
    }
}
