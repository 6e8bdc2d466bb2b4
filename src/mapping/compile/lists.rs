//! Lists of names (`[lists]` of `codes.toml`): one entry, one element or one document for
//! each name, written out before anything is compiled. What is written out is plain
//! grammar, so that rendering and its dependencies know nothing of lists.

use crate::CodeTables;
use crate::codes::pascal;
use crate::compile::file::{EntryText, When, Words};
use crate::compile::plan::{Condition, Element, Object, WriteRule};
use crate::compile::{Compiler, Level};
use crate::render::relations::Hops;
use ade::schema::PathKind;

/// Placeholder for the name of the list in `field`, for keys in braces.
const NAME: &str = "@name";
/// Placeholder for the field of the name.
const VALUE: &str = "@value";
/// Begins a word that means a list.
pub(crate) const LIST: &str = "list:";

/// A name and its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListEntry {
    pub name: String,
    /// The name counts where this field is filled.
    pub field: String,
}

impl ListEntry {
    /// `name`, which is a field, or `name=field`.
    pub(crate) fn parse(text: &str) -> Self {
        let (name, field) = text.split_once('=').unwrap_or((text, text));
        Self { name: name.to_owned(), field: field.to_owned() }
    }

    /// A path with its placeholders replaced.
    fn path(&self, path: &str) -> String {
        path.replace(VALUE, &self.field).replace('*', &self.name)
    }

    /// A template with the name put in.
    pub(crate) fn template(&self, text: &str) -> String {
        text.replace(&format!("{{{NAME}}}"), &self.name)
    }

    fn words(&self, words: &Words) -> Words {
        match words {
            Words::One(word) => Words::One(self.path(word)),
            Words::Many(words) => Words::Many(words.iter().map(|w| self.path(w)).collect()),
            other => other.clone(),
        }
    }

    /// Holds where the field is filled.
    pub(crate) fn filled(&self) -> When {
        When::from([(self.field.clone(), Words::One("*".to_owned()))])
    }

    /// An entry as it reads for this name; none where it is for other names.
    pub(crate) fn spell(&self, entry: &EntryText, tables: &CodeTables, prefix: &str) -> Vec<EntryText> {
        if !entry.names.list().is_empty() && !entry.names.list().contains(&self.name) {
            return Vec::new();
        }
        let mut spelt = entry.clone();
        spelt.names = Words::None;
        spelt.over = None;
        spelt.when = (entry.when.iter()).map(|(path, admitted)| (self.path(path), admitted.clone())).collect();
        spelt.map = (entry.map.iter()).flat_map(|inner| self.spell(inner, tables, prefix)).collect();
        if entry.field != Words::One(NAME.to_owned()) {
            spelt.field = self.words(&entry.field);
            return vec![spelt];
        }
        spelt.field = Words::None;
        let how = spelt.how.take().unwrap_or_default();
        // A name alone is worth an object where its field is filled.
        let mut telling = spelt.clone();
        telling.when.extend(self.filled());
        let constant = |mut entry: EntryText, path: String, text: String| {
            entry.ade = path;
            entry.constant = Some(toml::Value::String(text));
            entry
        };
        let ade = entry.ade.clone();
        match how.split_once(':') {
            Some(("id", scheme)) => vec![
                constant(telling, format!("{ade}.id"), self.name.clone()),
                constant(spelt, format!("{ade}.scheme"), scheme.replace("{p}", prefix)),
            ],
            Some(("code", table)) => {
                let listed_code = tables.get(table).and_then(|t| t.out.get(&self.name));
                let code = listed_code.cloned().unwrap_or_else(|| pascal(&self.name));
                vec![constant(spelt, ade, code)]
            }
            _ => vec![constant(spelt, ade, self.name.clone())],
        }
    }
}

impl<'r> Compiler<'r> {
    /// The names of a list, or a fault.
    pub(crate) fn listed(&mut self, list: &str, at: &str) -> Vec<ListEntry> {
        let Some(names) = self.lists.get(list) else {
            self.fault(at, "no-such-list", format!("no list {list}"));
            return Vec::new();
        };
        names.iter().map(|name| ListEntry::parse(name)).collect()
    }

    /// Entries `over` a list become one entry per name; the first that has something wins.
    pub(crate) fn written_out(&mut self, entries: Vec<(String, EntryText)>) -> Vec<(String, EntryText)> {
        let mut all = Vec::with_capacity(entries.len());
        for (at, entry) in entries {
            let Some(list) = entry.over.clone() else {
                all.push((at, entry));
                continue;
            };
            for item in self.listed(&list, &format!("{at}.over")) {
                for mut spelt in item.spell(&entry, self.tables, self.prefix) {
                    if spelt.constant.is_some() {
                        spelt.when.extend(item.filled());
                    }
                    all.push((at.clone(), spelt));
                }
            }
        }
        all
    }

    /// One element per name whose field is filled.
    pub(crate) fn elements(
        &mut self,
        level: Level<'r>,
        entry: &EntryText,
        list: &str,
        kind: &PathKind<'_>,
        at: &str,
        hops: &mut Hops,
    ) -> Option<WriteRule> {
        let PathKind::Object(resource) = *kind else {
            let message = format!("{} is no list of objects", entry.ade);
            self.fault(at, "wrong-converter", message);
            return None;
        };
        let inner = Level { resource, ..level };
        let mut elements = Vec::new();
        for item in self.listed(list, &format!("{at}.each")) {
            let spelt = (entry.map.iter().enumerate()).flat_map(|(i, e)| {
                let spelt = item.spell(e, self.tables, self.prefix);
                spelt.into_iter().map(move |e| (format!("{at}.map.{i}"), e))
            });
            let spelt: Vec<_> = spelt.collect();
            let when = self.conditions(level.scope, &item.filled(), &format!("{at}."), hops);
            let object = self.object(inner, &spelt, hops);
            self.filled(resource, &object, at);
            let out = WriteRule::Given { when, object };
            elements.push(Element { pick: None, first: false, out });
        }
        Some(WriteRule::List(elements))
    }
}

/// One of the documents that a row makes.
#[derive(Debug)]
pub(crate) struct Variant {
    /// Where it is made.
    pub when: Vec<Condition>,
    pub key: crate::compile::plan::Template,
    pub id: Option<crate::compile::plan::Template>,
    pub object: Object,
}
