//! Puts compiled entries into the tree that is written, by their paths.

use crate::ade_path::{AdePath, Pick, Segment};
use crate::compile::plan::{Element, Member, Object, WriteRule};
use crate::compile::{Compiler, Level};
use crate::render::body;

impl<'r> Compiler<'r> {
    pub(crate) fn insert(&mut self, level: Level<'r>, tree: &mut Object, path: &AdePath, out: WriteRule, at: &str) {
        let mut before = String::new();
        self.place(level, tree, &path.0, &mut before, out, at);
    }

    fn place(
        &mut self,
        level: Level<'r>,
        tree: &mut Object,
        path: &[Segment],
        before: &mut String,
        out: WriteRule,
        at: &str,
    ) {
        let Some((segment, rest)) = path.split_first() else {
            return;
        };
        if !before.is_empty() {
            before.push('.');
        }
        before.push_str(&segment.name);
        let info = self.standard.resolve_path(level.resource, before);
        let required = info.is_some_and(|i| i.required);
        let Some(member) = tree.member(&segment.name, required) else {
            return;
        };
        let Some(pick) = &segment.list else {
            if rest.is_empty() {
                member.ways.push(out);
                return;
            }
            let Some(inner) = member.inner() else {
                return self.fault(at, "path-taken", format!("{before} is filled as a whole"));
            };
            return self.place(level, inner, rest, before, out, at);
        };
        before.push_str("[]");
        let first = *pick == Pick::First;
        let pick = match pick {
            Pick::Any | Pick::First => None,
            Pick::Member(name, value) => Some((name.clone(), value.clone())),
        };
        let Some(elements) = member.elements() else {
            return self.fault(at, "path-taken", format!("{before} is filled as a whole"));
        };
        if rest.is_empty() {
            elements.push(Element { pick, first, out });
            return;
        }
        let Some(inner) = element(elements, pick, first) else {
            return self.fault(at, "path-taken", format!("{before} is filled as a whole"));
        };
        self.place(level, inner, rest, before, out, at);
    }

    /// The sender's own value of this member takes precedence over ours.
    pub(crate) fn yielding(tree: &mut Object, path: &AdePath) {
        let Some((segment, rest)) = path.0.split_first() else {
            return;
        };
        let Some(member) = tree.members.iter_mut().find(|m| m.name == segment.name) else {
            return;
        };
        if rest.is_empty() {
            member.yields = true;
        } else if let Some(WriteRule::Object(inner)) = member.ways.last_mut() {
            Self::yielding(inner, &AdePath(rest.to_vec()));
        }
    }

    /// Required members of a type that nothing fills.
    pub(crate) fn filled(&mut self, resource: &str, object: &Object, at: &str) {
        let standard = self.standard;
        for name in standard.required_members(resource).into_iter().flatten() {
            let allowed = *name == "resourceType" || object.members.iter().any(|m| m.name == **name);
            if !allowed {
                let message = format!("{resource} requires {name}, no entry fills it");
                self.fault(at, "required-unfilled", message);
            }
        }
    }
}

impl Object {
    fn member(&mut self, name: &str, required: bool) -> Option<&mut Member> {
        if !self.members.iter().any(|m| m.name == name) {
            self.members.push(Member {
                name: name.to_owned(),
                key: key(name),
                required,
                yields: false,
                ways: Vec::new(),
            });
        }
        self.members.iter_mut().find(|m| m.name == name)
    }
}

impl Member {
    fn inner(&mut self) -> Option<&mut Object> {
        if self.ways.is_empty() {
            self.ways.push(WriteRule::Object(Object::default()));
        }
        match self.ways.last_mut() {
            Some(WriteRule::Object(object)) => Some(object),
            _ => None,
        }
    }

    fn elements(&mut self) -> Option<&mut Vec<Element>> {
        if self.ways.is_empty() {
            self.ways.push(WriteRule::List(Vec::new()));
        }
        match self.ways.last_mut() {
            Some(WriteRule::List(elements)) => Some(elements),
            _ => None,
        }
    }
}

fn element(elements: &mut Vec<Element>, pick: Option<(String, String)>, first: bool) -> Option<&mut Object> {
    if !elements.iter().any(|e| e.pick == pick) {
        let mut object = Object::default();
        if let Some((name, value)) = &pick {
            object.members.push(new_member(name, true, WriteRule::text(value)));
        }
        elements.push(Element { pick: pick.clone(), first, out: WriteRule::Object(object) });
    }
    let element = elements.iter_mut().find(|e| e.pick == pick)?;
    match &mut element.out {
        WriteRule::Object(object) => Some(object),
        _ => None,
    }
}

pub(crate) fn new_member(name: &str, required: bool, out: WriteRule) -> Member {
    Member { name: name.to_owned(), key: key(name), required, yields: false, ways: vec![out] }
}

fn key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    body::string(name, &mut key);
    key.push(b':');
    key
}
