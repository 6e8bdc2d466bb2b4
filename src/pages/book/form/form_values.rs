//! From a sent form to a body of the REST face: values by their kinds, related records by the names that people typed.

use super::super::query::{searched, written};
use super::called_apart::told_apart;
use super::form_rows::{self, ID, Row};
use crate::calls::Fault;
use crate::components::input::{id_of, is_offered, lines, put, text_of, value_of};
use crate::components::shell::Shell;
use crate::words::{self, Form};
use futures_util::future::join_all;
use model::display::{at, called};
use model::record::time;
use model::registry::{Collection, Field, Kind};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The value of a form that stands for the present time, or the present day.
pub(in crate::book) const NOW: &str = "now";
/// No record has a name or a number; several have it.
pub(in crate::book) const UNKNOWN: &str = "page-unknown-record";
pub(in crate::book) const SEVERAL: &str = "page-several-records";
/// Names of related records that one request asks for.
const NAMES_MAX: usize = 100;
/// Records of one name that are proposed in a sentence.
const PROPOSED: usize = 5;

/// Why a text names no record: one of these sentences, with records that may be meant.
#[derive(Debug, Clone)]
pub(in crate::book) struct Unnamed {
    sentence: &'static str,
    records: Vec<String>,
}

impl From<&'static str> for Unnamed {
    fn from(sentence: &'static str) -> Self {
        Self { sentence, records: Vec::new() }
    }
}

/// Fields that a form may have, by path, if it sent them.
pub(in crate::book) fn sent_fields<'f>(
    c: &'static Collection,
    form: &'f Form,
) -> impl Iterator<Item = &'static Field> + 'f {
    c.fields.iter().filter(move |field| is_offered(field) && form.has(&field.path))
}

/// The body, and what is wrong with names of related records and with JSON. Members of rows that the form does not offer
/// stay as the record has them.
pub(in crate::book) async fn body(
    shell: &Shell<'_>,
    fields: &[&'static Field],
    form: &Form,
    record: &Value,
) -> (Map<String, Value>, Vec<Fault>) {
    let names = names(shell, fields, form).await;
    let mut reading = Reading { shell, names, issues: Vec::new() };
    let mut body = Map::new();
    for field in fields {
        let value = match &field.kind {
            Kind::Rows(_) => Some(reading.rows(field, form, at(record, &field.path))),
            _ => {
                let texts: Vec<&str> = form.all(&field.path).collect();
                reading.value(field, &field.path, &texts)
            }
        };
        if let Some(value) = value {
            put(&mut body, &field.path, value);
        }
    }
    (body, reading.issues)
}

/// Ids of related records by collection and name, or why there is none.
type Names = BTreeMap<String, BTreeMap<String, Result<i64, Unnamed>>>;

/// Looks up all related records that a form names: some requests for each related collection, however many names.
async fn names(shell: &Shell<'_>, fields: &[&'static Field], form: &Form) -> Names {
    let mut wanted: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    let mut want = |field: &'static Field, texts: &[&str]| {
        if let Some(to) = field.target() {
            let all = wanted.entry(to).or_default();
            all.extend(lines(texts).into_iter().map(str::to_owned));
        }
    };
    for field in fields {
        let texts: Vec<&str> = form.all(&field.path).collect();
        want(field, &texts);
        let rows = match field.kind {
            Kind::Rows(_) => form_rows::from_form(&field.path, form),
            _ => Vec::new(),
        };
        for sub in form_rows::members(field) {
            for row in &rows {
                want(sub, &texts_of(row, sub.name()));
            }
        }
    }
    look_up(shell, wanted).await
}

async fn look_up(shell: &Shell<'_>, wanted: BTreeMap<&'static str, BTreeSet<String>>) -> Names {
    let all = wanted.into_iter().map(async |(slug, texts)| {
        let ids = resolved(shell, slug, texts).await;
        (slug.to_owned(), ids)
    });
    join_all(all).await.into_iter().collect()
}

/// The body of each of many rows that have these fields, with what is wrong with it. Empty fields are not sent.
pub(in crate::book) async fn bodies(
    shell: &Shell<'_>,
    fields: &[&'static Field],
    rows: &[Row],
) -> Vec<(Map<String, Value>, Vec<Fault>)> {
    let mut wanted: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    for field in fields {
        if let Some(to) = field.target() {
            let texts = rows.iter().flat_map(|row| texts_of(row, &field.path));
            let texts: Vec<&str> = texts.collect();
            wanted.entry(to).or_default().extend(lines(&texts).into_iter().map(str::to_owned));
        }
    }
    let mut reading = Reading { shell, names: look_up(shell, wanted).await, issues: Vec::new() };
    let one = |row: &Row| {
        let mut body = Map::new();
        for field in fields {
            let value = reading.value(field, &field.path, &texts_of(row, &field.path));
            if let Some(value) = value.filter(|value| !value.is_null()) {
                put(&mut body, &field.path, value);
            }
        }
        (body, std::mem::take(&mut reading.issues))
    };
    rows.iter().map(one).collect()
}

fn texts_of<'r>(row: &'r Row, member: &str) -> Vec<&'r str> {
    let all = row.get(member).map_or(&[][..], Vec::as_slice);
    all.iter().map(String::as_str).collect()
}

/// The values of a form as they are read.
struct Reading<'r> {
    shell: &'r Shell<'r>,
    names: Names,
    issues: Vec<Fault>,
}

impl Reading<'_> {
    fn rows(&mut self, field: &'static Field, form: &Form, record: &Value) -> Value {
        let stored = record.as_array().map_or(&[][..], Vec::as_slice);
        let rows = form_rows::filled(form_rows::from_form(&field.path, form));
        let rows = rows.iter().enumerate().map(|(place, row)| {
            let id = texts_of(row, ID).first().copied().unwrap_or_default();
            let stored = stored.iter().filter_map(Value::as_object);
            let mut stored = stored.filter(|own| own.get(ID).and_then(Value::as_str) == Some(id));
            let mut out = stored.next().cloned().unwrap_or_default();
            for sub in form_rows::members(field) {
                let texts = texts_of(row, sub.name());
                let path = form_rows::name_of(&field.path, place, sub.name());
                // What the form did not have stays, or is filled by its default.
                if row.contains_key(sub.name())
                    && let Some(value) = self.value(sub, &path, &texts)
                {
                    out.insert(sub.name().to_owned(), value);
                }
            }
            Value::Object(out)
        });
        rows.collect()
    }

    /// A value; none where something is wrong with it.
    fn value(&mut self, field: &Field, path: &str, texts: &[&str]) -> Option<Value> {
        let read = match &field.kind {
            Kind::Relation(to) => match lines(texts).first() {
                Some(text) => self.related(to, text).map(Value::from),
                None => Ok(Value::Null),
            },
            Kind::Relations(to) => self.all_related(to, &lines(texts)),
            Kind::Json => self.json(texts),
            Kind::Instant if texts.first() == Some(&NOW) => {
                let now = time::to_iso(self.shell.pages.site.clock.now());
                Ok(Value::from(now))
            }
            // A minute by the clock of the visitor, as the form shows it.
            Kind::Instant if !texts.iter().any(|text| text.ends_with('Z')) => {
                let value = value_of(field, texts);
                let shown = value.as_str().filter(|text| text.ends_with(":00.000Z")).and_then(time::parse);
                Ok(shown.map_or(value, |shown| Value::from(self.shell.instant(shown))))
            }
            Kind::Day if texts.first() == Some(&NOW) => Ok(Value::from(self.shell.today())),
            _ => Ok(value_of(field, texts)),
        };
        let read = read.map_err(|message| Fault { path: path.to_owned(), message, record: None });
        read.map_err(|fault| self.issues.push(fault)).ok()
    }

    fn related(&self, slug: &str, text: &str) -> Result<i64, String> {
        let id = self.names.get(slug).and_then(|all| all.get(text));
        let id = id.cloned().unwrap_or_else(|| Err(UNKNOWN.into()));
        id.map_err(|why| unnamed(self.shell, slug, &why, text))
    }

    fn all_related(&self, slug: &str, texts: &[&str]) -> Result<Value, String> {
        let mut ids = Vec::new();
        let mut faults = Vec::new();
        for text in texts {
            match self.related(slug, text) {
                Ok(id) => ids.push(id),
                Err(message) => faults.push(message),
            }
        }
        match faults.is_empty() {
            true => Ok(Value::from(ids)),
            false => Err(faults.join(" ")),
        }
    }

    fn json(&self, texts: &[&str]) -> Result<Value, String> {
        let text = texts.first().map_or("", |text| text.trim());
        if text.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(text).map_err(|why| {
            let line = why.line().to_string();
            words::text_of(self.shell.language(), "page-no-json", "line", &line)
        })
    }
}

/// Why a text names no record of a collection, as people read it: a sentence, and behind it what may be meant.
pub(in crate::book) fn unnamed(shell: &Shell<'_>, slug: &str, why: &Unnamed, text: &str) -> String {
    let is_animal = shell.pages.site.registry.get(slug).is_some_and(|c| c.lineage.is_some());
    let name = if is_animal && why.sentence == UNKNOWN { "page-unknown-animal" } else { why.sentence };
    let said = words::text_of(shell.language(), name, "text", text);
    match why.records.is_empty() {
        true => said,
        false => format!("{said} {}", why.records.join("; ")),
    }
}

/// The fields by which people name a record.
fn naming(target: &'static Collection) -> Vec<&'static str> {
    let mut paths: Vec<&'static str> = Vec::new();
    let all = called(target).into_iter().chain(target.naming.known_as.iter().copied()).chain(searched(target));
    for path in all {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The one record of each name or number, among those that the visitor reads.
pub(in crate::book) async fn resolved(
    shell: &Shell<'_>,
    slug: &str,
    texts: BTreeSet<String>,
) -> BTreeMap<String, Result<i64, Unnamed>> {
    let unknown = || Err(Unnamed::from(UNKNOWN));
    let Some(target) = shell.pages.site.registry.get(slug) else {
        return texts.into_iter().map(|text| (text, unknown())).collect();
    };
    let mut by_text = BTreeMap::new();
    let mut names = Vec::new();
    for text in texts {
        match id_of(&text) {
            Some(id) => drop(by_text.insert(text, Ok(id))),
            None => names.push(text),
        }
    }
    let paths = naming(target);
    for some in names.chunks(NAMES_MAX) {
        let docs = match paths.is_empty() {
            true => Vec::new(),
            false => with_names(shell, target, &paths, some).await,
        };
        for text in some {
            let is_it = |doc: &&Value| {
                let own = paths.iter().any(|path| at(doc, path).as_str() == Some(without_sign(text)));
                own || some.len() == 1
            };
            let own: Vec<&Value> = docs.iter().filter(is_it).collect();
            let ids: Vec<i64> = own.iter().filter_map(|doc| at(doc, ID).as_i64()).collect();
            let by_id = without_sign(text).parse::<i64>().ok().filter(|_| target.lineage.is_none());
            let one = match (ids.as_slice(), by_id) {
                ([one], _) => Ok(*one),
                ([], Some(id)) => Ok(id),
                ([], None) => unknown(),
                _ => {
                    let label = |doc: &&Value| format!("[{}] {}", at(doc, ID), told_apart(shell, target, doc));
                    Err(Unnamed { sentence: SEVERAL, records: own.iter().take(PROPOSED).map(label).collect() })
                }
            };
            by_text.insert(text.clone(), one);
        }
    }
    by_text
}

/// A number without the sign that people write before it.
fn without_sign(text: &str) -> &str {
    text.trim_start_matches(['№', ' '])
}

async fn with_names(shell: &Shell<'_>, target: &Collection, paths: &[&str], names: &[String]) -> Vec<Value> {
    let mut query: Vec<(String, String)> = Vec::new();
    for (place, path) in paths.iter().enumerate() {
        for (number, name) in names.iter().enumerate() {
            let key = format!("where[or][{place}][{path}][in][{number}]");
            query.push((key, without_sign(name).to_owned()));
        }
    }
    let apart = target.ui.roster.map_or(&[][..], |roster| roster.apart);
    let shown: BTreeSet<&str> = paths.iter().chain(apart).copied().collect();
    query.extend(shown.iter().map(|path| (format!("select[{}]", path.replace('.', "][")), "true".to_owned())));
    // A name of two records is known by the second.
    let most = names.len().saturating_mul(2).saturating_add(PROPOSED).to_string();
    let rest = [("depth", "0"), ("joins", "false"), ("limit", &most), ("pagination", "false")];
    query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let path = format!("/api/{}", target.slug);
    let answer = shell.find(&path, &written(&query)).await;
    answer.docs().to_vec()
}

/// A record as a form of many records names it: by its id, behind which its title stands.
pub(in crate::book) fn record_label(shell: &Shell<'_>, c: &Collection, doc: &Value) -> String {
    format!("[{}] {}", at(doc, ID), shell.title(c, doc))
}

/// A record as a form names it: by the number that no other record has, else by its id, behind which its title stands.
pub(in crate::book) fn form_label(shell: &Shell<'_>, c: &Collection, doc: &Value) -> String {
    let alone = c.label_field().filter(|path| c.field(path).is_some_and(|field| field.unique));
    let number = alone.and_then(|path| at(doc, path).as_str()).filter(|number| !number.is_empty());
    number.map_or_else(|| record_label(shell, c, doc), str::to_owned)
}

/// A value as the form shows it.
pub(in crate::book) fn stored_text(shell: &Shell<'_>, field: &Field, value: &Value) -> String {
    let one = |to: &str, value: &Value| {
        let target = shell.pages.site.registry.get(to);
        match (value, target) {
            (Value::Null, _) => String::new(),
            (Value::Object(_), Some(target)) => form_label(shell, target, value),
            (id, _) => format!("[{}]", id.get(ID).unwrap_or(id)),
        }
    };
    match (&field.kind, value) {
        (Kind::Relation(to), value) => one(to, value),
        (Kind::Relations(to), Value::Array(all)) => {
            let all: Vec<String> = all.iter().map(|value| one(to, value)).collect();
            all.join("\n")
        }
        (Kind::Instant, Value::String(iso)) => match time::parse(iso) {
            Some(at) => text_of(field, &Value::from(shell.clock(at))),
            None => iso.clone(),
        },
        _ => text_of(field, value),
    }
}

/// The rows of a list as the form shows them.
pub(in crate::book) fn stored_rows(shell: &Shell<'_>, field: &'static Field, value: &Value) -> Vec<Row> {
    let members = form_rows::members(field);
    let row = |row: &Value| {
        let mut out = Row::new();
        let id = at(row, ID).as_str().unwrap_or_default();
        out.insert(ID.to_owned(), vec![id.to_owned()]);
        for sub in &members {
            let text = stored_text(shell, sub, at(row, sub.name()));
            out.insert(sub.name().to_owned(), vec![text]);
        }
        out
    };
    value.as_array().into_iter().flatten().map(row).collect()
}

/// What was typed into a field, to be shown again.
pub(in crate::book) fn typed<'t>(field: &Field, texts: impl Iterator<Item = &'t str>) -> String {
    let all: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let sign = match field.kind {
        Kind::Relations(_) => "\n",
        _ => ",",
    };
    all.join(sign).replace("\r\n", "\n")
}

/// Whether a form says of a field what the record says.
pub(in crate::book) fn is_same(shell: &Shell<'_>, field: &'static Field, form: &Form, record: &Value) -> bool {
    let value = at(record, &field.path);
    if let Kind::Rows(_) = field.kind {
        let rows = |rows: Vec<Row>| -> Vec<Vec<String>> {
            let texts = |row: &Row| {
                let id = texts_of(row, ID).concat();
                let subs = form_rows::members(field).into_iter();
                let subs = subs.map(|sub| plain(sub, &typed(sub, texts_of(row, sub.name()).into_iter())));
                std::iter::once(id).chain(subs).collect()
            };
            rows.iter().map(texts).collect()
        };
        let new = form_rows::filled(form_rows::from_form(&field.path, form));
        return rows(new) == rows(stored_rows(shell, field, value));
    }
    is_same_text(field, &typed(field, form.all(&field.path)), &stored_text(shell, field, value))
}

/// Whether two texts say the same of a field.
pub(in crate::book) fn is_same_text(field: &Field, one: &str, other: &str) -> bool {
    plain(field, one) == plain(field, other)
}

/// A text without what does not count: of a related record that is named by its id, the name.
fn plain(field: &Field, text: &str) -> String {
    match field.kind {
        Kind::Relation(_) | Kind::Relations(_) => {
            let one = |line: &str| id_of(line).map_or(line.trim().to_owned(), |id| format!("[{id}]"));
            text.lines().map(one).collect::<Vec<_>>().join("\n")
        }
        _ => text.replace("\r\n", "\n"),
    }
}
