//! Compiles a mapping file against the registry and the standard, and finds every fault
//! in it: here entry by entry; heads in `compile_head`, values in `compile_value`, reading
//! in `compile_in`.

pub(crate) mod builtin;
pub(crate) mod file;
pub(crate) mod head;
pub(crate) mod lists;
pub(crate) mod plan;
pub(crate) mod read_entries;
pub(crate) mod tree;
pub(crate) mod uses;
pub(crate) mod values;

use crate::CodeTables;
use crate::ade_path::AdePath;
use crate::compile::file::{Direction, EntryText, Faults, File, UnitSizes, When};
use crate::compile::lists::LIST;
use crate::compile::plan::PARTS;
use crate::compile::plan::{Condition, Object, Rows, Template, TemplatePart, WriteRule};
use crate::compile::tree::new_member;
use crate::compile::uses::Uses;
use crate::identifiers::Identifiers;
use crate::path::{Scope, Source};
use crate::render::relations::Hops;
use ade::schema::{PathKind, Standard};
use model::registry::{Collection, Kind, Registry};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What every step of compiling needs.
pub(crate) struct Compiler<'r> {
    pub registry: &'r Registry,
    pub standard: &'static Standard,
    pub tables: &'r CodeTables,
    pub lists: &'r BTreeMap<String, Vec<String>>,
    pub units: &'r UnitSizes,
    pub identifiers: Arc<Identifiers>,
    pub prefix: &'r str,
    pub zone: &'r str,
    pub files: &'r BTreeMap<String, File>,
    pub faults: Faults,
    pub uses: Uses,
}

/// One object level under work: which type of the standard, which fields of ours.
#[derive(Clone, Copy)]
pub(crate) struct Level<'r> {
    pub scope: Scope<'r>,
    /// Resource or type that paths start from.
    pub resource: &'r str,
}

impl<'r> Compiler<'r> {
    pub(crate) fn fault(&mut self, at: &str, code: &'static str, message: String) {
        self.faults.add(at, code, message);
    }

    /// A field path, or a fault.
    pub(crate) fn source(&mut self, scope: Scope<'r>, path: &str, at: &str) -> Option<Source> {
        let source = scope.source(path);
        if source.is_none() {
            let message = format!("{} has no field {path}", scope.collection.slug);
            self.fault(at, "no-such-field", message);
        }
        source
    }

    pub(crate) fn conditions(&mut self, scope: Scope<'r>, when: &When, at: &str, hops: &mut Hops) -> Vec<Condition> {
        let mut list = Vec::new();
        for (path, admitted) in when {
            let place = format!("{at}when.{path}");
            let paths: Vec<String> = match path.strip_prefix(LIST) {
                Some(list) => (self.listed(list, &place).into_iter()).map(|item| item.field).collect(),
                None => vec![path.clone()],
            };
            let mut sources =
                (paths.iter()).filter_map(|path| self.source(scope, path, &place)).collect::<Vec<_>>().into_iter();
            let Some(source) = sources.next() else {
                continue;
            };
            let or: Vec<Source> = sources.collect();
            or.iter().for_each(|s| hops.read(s));
            let admitted = admitted.list();
            if let Kind::Select(values) = &source.kind {
                for word in admitted.iter().filter(|w| !w.is_empty() && *w != "*") {
                    if !values.contains(word) {
                        let message = format!("{path} has no value {word}");
                        self.fault(&place, "no-such-value", message);
                    }
                }
            }
            hops.read(&source);
            list.push(Condition { source, or, admitted });
        }
        list
    }

    /// `{id}`, `{uuid|id}`, `{id}-in`.
    pub(crate) fn template(&mut self, scope: Scope<'r>, text: &str, at: &str, hops: &mut Hops) -> Template {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            if !before.is_empty() {
                parts.push(TemplatePart::Text(before.to_owned()));
            }
            let Some((paths, tail)) = after.split_once('}') else {
                self.fault(at, "bad-template", format!("{text}: a brace is open"));
                break;
            };
            let sources: Vec<Source> = (paths.split('|')).filter_map(|p| self.source(scope, p, at)).collect();
            sources.iter().for_each(|s| hops.read(s));
            parts.push(TemplatePart::Value(sources));
            rest = tail;
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Text(rest.to_owned()));
        }
        Template(parts)
    }

    /// The tree of a list of entries.
    pub(crate) fn object(&mut self, level: Level<'r>, entries: &[(String, EntryText)], hops: &mut Hops) -> Object {
        let mut tree = Object::default();
        for (at, entry) in entries {
            if entry.only == Some(Direction::In) {
                continue;
            }
            let Some(path) = AdePath::parse(&entry.ade) else {
                self.fault(at, "bad-path", format!("{} is not a path", entry.ade));
                continue;
            };
            self.entry(level, at, entry, &path, &mut tree, hops);
        }
        tree
    }

    fn entry(
        &mut self,
        level: Level<'r>,
        at: &str,
        entry: &EntryText,
        path: &AdePath,
        tree: &mut Object,
        hops: &mut Hops,
    ) {
        let Some(info) = self.standard.resolve_path(level.resource, &path.standard()) else {
            let message = format!("{} has no member {}", level.resource, entry.ade);
            return self.fault(&format!("{at}.ade"), "no-such-member", message);
        };
        if info.array && entry.each.is_none() && !self.is_list(entry) {
            let message = format!("{} is a list: write {}[] or [member=VALUE]", entry.ade, entry.ade);
            return self.fault(&format!("{at}.ade"), "is-a-list", message);
        }
        let when = self.conditions(level.scope, &entry.when, &format!("{at}."), hops);
        if let Some(constant) = &entry.constant {
            let json = self.constant(constant, &info.kind, at);
            let out = WriteRule::Const { json, when };
            return self.insert(level, tree, path, out, at);
        }
        let way = match (&entry.include, entry.each.as_deref()) {
            (Some(include), _) => self.include(level, (entry, when), include, &info.kind, at, hops),
            (None, Some(PARTS)) => self.parts_out(level, entry, &info.kind, at, hops),
            (None, Some(each)) => match each.strip_prefix(LIST) {
                Some(list) => self.elements(level, entry, list, &info.kind, at, hops),
                None => self.rows(level, entry, each, &info.kind, at, hops),
            },
            (None, None) => {
                self.value(level, at, entry, path, (info.kind, when), tree, hops);
                if entry.yields {
                    Self::yielding(tree, path);
                }
                return;
            }
        };
        if let Some(way) = way {
            self.insert(level, tree, path, way, at);
        }
    }

    fn is_list(&self, entry: &EntryText) -> bool {
        let how = entry.how.as_deref().unwrap_or("");
        how == "alternatives" || how.starts_with("animals") || how.starts_with("words")
    }

    fn constant(&mut self, value: &toml::Value, kind: &PathKind<'_>, at: &str) -> Vec<u8> {
        if let Some(code) = value.as_str() {
            self.code_sent(code, kind, (at, "const"));
        }
        let json = serde_json::to_string(value).unwrap_or_default();
        json.replace("{zone}", self.zone).into_bytes()
    }

    /// A code that a key of an entry sends, where the standard has a list of them.
    pub(crate) fn code_sent(&mut self, code: &str, kind: &PathKind<'_>, (at, key): (&str, &str)) {
        let PathKind::Enum { name, codes } = kind else {
            return;
        };
        if !codes.contains(&code) {
            let message = format!("the standard has no code {code}");
            self.fault(&format!("{at}.{key}"), "no-such-code", message);
        }
        self.uses.sent(at, name, codes, [code]);
    }

    fn include(
        &mut self,
        level: Level<'r>,
        (entry, when): (&EntryText, Vec<Condition>),
        include: &str,
        kind: &PathKind<'_>,
        at: &str,
        hops: &mut Hops,
    ) -> Option<WriteRule> {
        let files = self.files;
        let Some(file) = files.values().find(|f| f.head.dataset == include) else {
            let message = format!("no mapping {include}");
            self.fault(&format!("{at}.include"), "no-such-mapping", message);
            return None;
        };
        if !matches!(kind, PathKind::Object(name) if *name == file.head.resource) {
            let message = format!("{} is not a {}", entry.ade, file.head.resource);
            self.fault(&format!("{at}.include"), "other-resource", message);
        }
        let path = entry.field.list().first().cloned().unwrap_or_default();
        let source = (self.source(level.scope, &path, &format!("{at}.field"))?).into_record();
        let collection = self.registry.get(&file.head.collection)?;
        let (Some(source), true) = (source, file.entries.iter().all(|(_, e)| e.include.is_none())) else {
            let message = format!("{path} is not one record, or {include} includes others itself");
            self.fault(&format!("{at}.include"), "bad-include", message);
            return None;
        };
        let inner = Level {
            scope: Scope { registry: self.registry, collection, spread: None, rows: None },
            resource: &file.head.resource,
        };
        // Faults inside are reported once, where the included mapping itself is compiled.
        let count_before = self.faults.0.len();
        let mut nested = Hops::default();
        let mut object = self.object(inner, &file.entries, &mut nested);
        self.faults.0.truncate(count_before);
        hops.nest(&source, nested);
        self.prepend_type(inner, &mut object);
        Some(WriteRule::Include { source, when, object })
    }

    fn prepend_type(&mut self, level: Level<'r>, object: &mut Object) {
        object.members.insert(0, new_member("resourceType", true, WriteRule::text(level.resource)));
    }

    fn rows(
        &mut self,
        level: Level<'r>,
        entry: &EntryText,
        rows: &str,
        kind: &PathKind<'_>,
        at: &str,
        hops: &mut Hops,
    ) -> Option<WriteRule> {
        let collection = level.scope.collection;
        let declared = collection.field(rows).map(|f| &f.kind);
        let (Some(slot), Some(Kind::Rows(_))) = (collection.slot(rows), declared) else {
            let message = format!("{} has no rows {rows}", collection.slug);
            self.fault(&format!("{at}.each"), "no-such-field", message);
            return None;
        };
        let PathKind::Object(resource) = *kind else {
            let message = format!("{} is no list of objects", entry.ade);
            self.fault(at, "wrong-converter", message);
            return None;
        };
        hops.own(rows);
        let inner = Level { scope: Scope { rows: Some(rows_name(collection, slot)), ..level.scope }, resource };
        let entries = numbered(at, &entry.map);
        let mut object = self.object(inner, &entries, hops);
        self.filled(resource, &object, at);
        if self.standard.resource(resource).is_some() {
            self.prepend_type(inner, &mut object);
        }
        let counts = match entry.how.as_deref() {
            Some("births") => read_entries::birth_counts(collection),
            _ => Vec::new(),
        };
        for path in read_entries::BIRTH_COUNTS.iter().filter(|_| !counts.is_empty()) {
            hops.own(path.0);
        }
        Some(WriteRule::Rows(Rows { slot, object, counts }))
    }
}

pub(crate) fn numbered(at: &str, entries: &[EntryText]) -> Vec<(String, EntryText)> {
    (entries.iter().enumerate()).map(|(i, e)| (format!("{at}.map.{i}"), e.clone())).collect()
}

fn rows_name(collection: &Collection, slot: usize) -> &str {
    collection.fields.get(slot).map_or("", |f| f.path.as_str())
}
