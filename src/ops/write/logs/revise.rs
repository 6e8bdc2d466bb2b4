//! What a write leaves for the logs (docs/design/writing.md, *Logs*): the changed values of revised collections, and
//! lines of the operation log. Both are collected while rows are written and inserted once, at the end of the job, so
//! that a batch costs a few statements more and not a few per row. What a savepoint undoes is forgotten with it.
//!
//! A create leaves no revisions: nothing changed. What the server computes by itself
//! leaves none either, since the values that it follows from do.

use crate::write::WriteTransaction;
use model::record::{Record, SlotSet, Value, time};
use model::registry::{Caller, Change, Class, Collection, Field, Kind, Operation, Principal, Source, Verb, Writer};
use serde_json::Value as Json;
use std::net::IpAddr;

/// A value on its way into a log: related rows get their names when the log is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LoggedValue {
    Nothing,
    Text(String),
    /// Rows of that collection.
    Links(&'static str, Vec<i64>),
    /// A row of a list: its members with their values.
    Row(Vec<(String, LoggedValue)>),
}

impl LoggedValue {
    /// The rows that it names, by their collections.
    pub(crate) fn links(&self) -> Vec<(&'static str, &[i64])> {
        match self {
            Self::Nothing | Self::Text(_) => Vec::new(),
            Self::Links(slug, ids) => vec![(*slug, ids.as_slice())],
            Self::Row(members) => members.iter().flat_map(|(_, value)| value.links()).collect(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Revision {
    pub(crate) collection: &'static Collection,
    pub(crate) id: i64,
    pub(crate) animal: i64,
    pub(crate) user: Option<i64>,
    pub(crate) source: Source,
    pub(crate) class: &'static str,
    pub(crate) path: String,
    pub(crate) before: LoggedValue,
    pub(crate) after: LoggedValue,
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) action: &'static str,
    pub(crate) actor: Option<i64>,
    pub(crate) organization: Option<i64>,
    pub(crate) kind: &'static str,
    pub(crate) id: Option<i64>,
    pub(crate) subject: LoggedValue,
    pub(crate) summary: Option<String>,
    pub(crate) ip: Option<IpAddr>,
}

/// What waits to be written.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    pub(crate) revisions: Vec<Revision>,
    pub(crate) lines: Vec<Line>,
    /// Nothing is logged: a book is being filled.
    pub(crate) quiet: bool,
    /// Where changed values come from, when it is not who writes them.
    pub(crate) source: Option<Source>,
}

impl Logs {
    /// How much there is, to come back to.
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.revisions.len(), self.lines.len())
    }

    /// Forgets what came after a mark.
    pub(crate) fn forget(&mut self, (revisions, lines): (usize, usize)) {
        self.revisions.truncate(revisions);
        self.lines.truncate(lines);
    }
}

impl WriteTransaction<'_> {
    /// Sets the source of the values of this job, if it is not the caller.
    pub fn via(&mut self, source: Source) {
        self.logs.source = Some(source);
    }

    /// Writes no logs for this job, since a book is being filled.
    pub fn quietly(&mut self) {
        self.logs.quiet = true;
    }

    /// Adds a line to the operation log for something that is not a write.
    pub fn log_operation(&mut self, operation: Operation) {
        let (kind, subject, id) = match operation.subject {
            Some((kind, slug, id)) => {
                let slug = self.registry.get(slug).map(|c| c.slug);
                let value = slug.map_or(LoggedValue::Nothing, |slug| LoggedValue::Links(slug, vec![id]));
                (kind, value, Some(id))
            }
            None => ("none", LoggedValue::Nothing, None),
        };
        self.logs.lines.push(Line {
            action: operation.action,
            actor: operation.actor,
            organization: operation.organization,
            kind,
            id,
            subject,
            summary: operation.summary,
            ip: operation.ip,
        });
    }

    /// Records a written row; `sent` are the slots that its caller sent.
    pub(crate) fn take_note(&mut self, c: &'static Collection, change: &Change, sent: SlotSet) {
        if self.logs.quiet {
            return;
        }
        if c.logging.revised.is_some()
            && let (Some(old), Some(new)) = (&change.old, &change.new)
        {
            self.revise(c, change.id, old, new, sent);
        }
        self.tell(c, change);
    }

    pub(crate) fn revise(&mut self, c: &'static Collection, id: i64, old: &Record, new: &Record, sent: SlotSet) {
        let animal = c.animal.and_then(|path| new.get(c.at(path)).int());
        let Some(animal) = animal else { return };
        let source = self.source();
        for slot in old.changed(new).iter() {
            let Some(field) = c.fields.get(slot) else { continue };
            let stamp = [c.seq_slot(), c.updated_slot(), c.created_slot()].contains(&slot);
            let computed = field.writer == Writer::Server && !sent.contains(slot);
            let Some(class) = c.revised_class(field).and_then(Class::letter).filter(|_| !stamp && !computed) else {
                continue;
            };
            for difference in differences(field, old.get(slot), new.get(slot)) {
                self.logs.revisions.push(Revision {
                    collection: c,
                    id,
                    animal,
                    user: self.actor.user,
                    source,
                    class,
                    path: difference.path,
                    before: difference.before,
                    after: difference.after,
                });
            }
        }
    }

    fn source(&self) -> Source {
        match (self.caller.caller, self.logs.source) {
            (Caller::System, _) => Source::System,
            (_, Some(source)) => source,
            (Caller::Association, None) => Source::Admin,
            (Caller::Farm | Caller::Anonymous, None) => Source::Manual,
        }
    }

    /// The lines of the operation log that a written row makes.
    fn tell(&mut self, c: &'static Collection, change: &Change) {
        let verb = match (&change.old, &change.new) {
            (None, _) => Verb::Create,
            (Some(_), Some(_)) => Verb::Update,
            (Some(_), None) => Verb::Delete,
        };
        let mut entries: Vec<(&'static str, Option<String>)> = Vec::new();
        for line in c.logging.lines.iter().filter(|l| l.verb == verb) {
            let changed = changed_paths(c, change, line.paths);
            if line.paths.is_empty() || !changed.is_empty() {
                entries.push((line.action, (!changed.is_empty()).then_some(changed)));
            }
        }
        for states in &c.states {
            let Some(one) = c.moved(states.path, change) else { continue };
            let Some(action) = one.log else { continue };
            let from = change.old.as_ref().map(|old| states.read(c, old));
            let summary = match from {
                Some(from) => format!("{}: {from} → {}", states.path, one.to),
                None => format!("{}: {}", states.path, one.to),
            };
            entries.push((action, Some(summary)));
        }
        let Some(row) = change.latest().filter(|_| !entries.is_empty()) else { return };
        let LogSubject { kind, id, subject } = log_subject(c, change.id, row);
        let organization = organization(c, change.id, row).or(self.actor.organization);
        for (action, summary) in entries {
            self.logs.lines.push(Line {
                action,
                actor: self.actor.user,
                organization,
                kind,
                id: Some(id),
                subject: subject.clone(),
                summary,
                ip: self.actor.ip,
            });
        }
    }

    /// The caller of the outermost write, for the logs.
    pub(crate) fn acts(&mut self, caller: &std::sync::Arc<Principal>) {
        if self.depth == 0 {
            self.actor = std::sync::Arc::clone(caller);
        }
    }
}

/// `orgRole: head → viewer`, for each of the paths that changed.
fn changed_paths(c: &Collection, change: &Change, paths: &[&str]) -> String {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return String::new() };
    let changed = paths.iter().filter_map(|path| {
        let field = c.field(path)?;
        let (before, after) = (old.get(c.at(path)), new.get(c.at(path)));
        (before != after).then(|| {
            let word = |value| plain(&field.kind, value).unwrap_or_else(|| "–".to_owned());
            format!("{path}: {} → {}", word(before), word(after))
        })
    });
    changed.collect::<Vec<_>>().join(", ")
}

/// What a line of the operation log is about.
struct LogSubject {
    kind: &'static str,
    id: i64,
    subject: LoggedValue,
}

/// How the operation log names a row: as itself, or as the animal that it is about.
fn log_subject(c: &'static Collection, id: i64, row: &Record) -> LogSubject {
    let own = || c.name_of(row).map_or(LoggedValue::Nothing, LoggedValue::Text);
    let related = |path: &str| {
        let target = c.field(path).and_then(Field::target);
        match (row.get(c.at(path)).int(), target) {
            (Some(id), Some(slug)) => LoggedValue::Links(slug, vec![id]),
            _ => LoggedValue::Nothing,
        }
    };
    if let Some(subject) = &c.logging.subject {
        let name = match subject.named_by {
            None => own(),
            Some(path) if c.field(path).is_some_and(|f| f.target().is_some()) => related(path),
            Some(path) => {
                (row.get(c.at(path)).text()).map_or(LoggedValue::Nothing, |text| LoggedValue::Text(text.to_owned()))
            }
        };
        return LogSubject { kind: subject.kind, id, subject: name };
    }
    match c.animal {
        Some(path) if row.get(c.at(path)).int().is_some() => {
            LogSubject { kind: "animal", id: row.get(c.at(path)).int().unwrap_or(id), subject: related(path) }
        }
        _ => LogSubject { kind: "none", id, subject: own() },
    }
}

/// The organisation whose log shows a row.
fn organization(c: &'static Collection, id: i64, row: &Record) -> Option<i64> {
    let paths = match &c.logging.subject {
        Some(subject) => subject.organizations.to_vec(),
        None => c.access.subjects.clone(),
    };
    paths.into_iter().find_map(|path| match path {
        "id" if c.auth => None,
        "id" => Some(id),
        // Subjects that are users are no organisation's name.
        path if c.logging.subject.is_none() && path.ends_with("By") => None,
        path => row.get(c.at(path)).int(),
    })
}

/// A place where two values of a field differ.
struct Difference {
    path: String,
    before: LoggedValue,
    after: LoggedValue,
}

/// The places where two values of a field differ: the field itself, or in rows the members
/// of rows, and rows that came or went.
fn differences(field: &'static Field, old: &Value, new: &Value) -> Vec<Difference> {
    let Kind::Rows(subs) = &field.kind else {
        return vec![Difference {
            path: field.path.clone(),
            before: logged_value(&field.kind, old),
            after: logged_value(&field.kind, new),
        }];
    };
    let id = |row: &Json| row.get("id").and_then(Json::as_str).map(str::to_owned);
    let mut differences = Vec::new();
    for (at, row) in new.rows().iter().enumerate() {
        let Some(was) = old.rows().iter().find(|o| id(o) == id(row)) else {
            differences.push(Difference {
                path: format!("{}.{at}", field.path),
                before: LoggedValue::Nothing,
                after: summed(subs, row),
            });
            continue;
        };
        for sub in subs {
            let (before, after) = (was.get(&sub.path), row.get(&sub.path));
            if before.filter(|v| !v.is_null()) != after.filter(|v| !v.is_null()) {
                differences.push(Difference {
                    path: format!("{}.{at}.{}", field.path, sub.path),
                    before: logged_json(sub, before),
                    after: logged_json(sub, after),
                });
            }
        }
    }
    for (at, row) in old.rows().iter().enumerate() {
        if !new.rows().iter().any(|n| id(n) == id(row)) {
            differences.push(Difference {
                path: format!("{}.{at}", field.path),
                before: summed(subs, row),
                after: LoggedValue::Nothing,
            });
        }
    }
    differences
}

fn logged_value(kind: &'static Kind, value: &Value) -> LoggedValue {
    match (kind, value) {
        (Kind::Relation(to), Value::Int(id)) => LoggedValue::Links(to, vec![*id]),
        (Kind::Relations(_), Value::Ids(ids)) if ids.is_empty() => LoggedValue::Nothing,
        (Kind::Relations(to), Value::Ids(ids)) => LoggedValue::Links(to, ids.clone()),
        (kind, value) => plain(kind, value).map_or(LoggedValue::Nothing, LoggedValue::Text),
    }
}

fn logged_json(sub: &'static Field, value: Option<&Json>) -> LoggedValue {
    match (value, sub.target()) {
        (None | Some(Json::Null), _) => LoggedValue::Nothing,
        (Some(value), Some(to)) if value.is_i64() => LoggedValue::Links(to, value.as_i64().into_iter().collect()),
        (Some(Json::String(text)), _) => LoggedValue::Text(day(&sub.kind, text)),
        (Some(value), _) => LoggedValue::Text(value.to_string()),
    }
}

/// A row with its filled members.
fn summed(subs: &'static [Field], row: &Json) -> LoggedValue {
    let members = subs.iter().map(|sub| (sub.path.clone(), logged_json(sub, row.get(&sub.path))));
    LoggedValue::Row(members.filter(|(_, value)| *value != LoggedValue::Nothing).collect())
}

/// A value as people read it; none while it is not filled.
fn plain(kind: &Kind, value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Num(v) => v.to_string(),
        Value::Text(v) => v.clone(),
        Value::Time(v) => day(kind, &time::to_iso(*v)),
        Value::Ids(v) => v.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        Value::Texts(v) if v.is_empty() => return None,
        Value::Texts(v) => v.join(", "),
        Value::Json(v) => v.to_string(),
    })
}

/// A day without the time that no one said.
fn day(kind: &Kind, text: &str) -> String {
    text.strip_suffix("T00:00:00.000Z").filter(|_| matches!(kind, Kind::Day)).unwrap_or(text).to_owned()
}
