//! Checks that follow from a declaration alone: required, limits, existing relations,
//! unique keys. All faults at once, each with its path.

use super::Work;
use super::visible::sent;
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::messages::Sentence;
use model::parallel;
use model::record::{Record, Value};
use model::registry::{
    Caller, Class, Collection, Draft, Field, ID, Kind, Lookup, Test, Verb, Writer,
};
use model::said;
use std::collections::BTreeSet;

const DAY: i64 = 86_400_000;

impl Work<'_> {
    /// Checks drafts that are to be written.
    pub(super) async fn validate(
        &mut self,
        c: &'static Collection,
        drafts: &mut [Draft],
    ) -> Result<()> {
        // A caller gets all faults of the row that they write (docs/dialect.md, *Bodies*); a change that follows in the
        // book from another write does not fail by former values of the row.
        let whole = self.caller.caller != Caller::System;
        parallel::map_mut(drafts, |draft| {
            if draft.verb == Verb::Delete {
                return;
            }
            for (slot, field) in c.fields.iter().enumerate() {
                let value = draft.new.get(slot);
                let blank = match value {
                    Value::Null => true,
                    Value::Text(text) => text.is_empty() && !field.blank,
                    Value::Ids(list) => list.is_empty(),
                    Value::Texts(list) => list.is_empty(),
                    _ => false,
                };
                let missing = blank && field.required;
                let faulty = |issues: &[Issue]| issues.iter().any(|i| i.path == field.path);
                if missing && !faulty(&draft.issues) {
                    draft.issues.push(Issue::error(
                        field.path.clone(),
                        "required",
                        "This field is required.",
                    ));
                } else if draft.changes(slot) || (whole && field.writer != Writer::Server) {
                    limits(field, value, &field.path, &mut draft.issues);
                }
            }
        });
        self.relations_exist(c, drafts).await?;
        self.unique(c, drafts).await
    }

    async fn relations_exist(
        &mut self,
        c: &'static Collection,
        drafts: &mut [Draft],
    ) -> Result<()> {
        let mut wanted: IndexMap<&str, BTreeSet<i64>> = IndexMap::default();
        for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
            for reference in references(c, draft) {
                wanted
                    .entry(reference.target)
                    .or_default()
                    .extend(reference.ids);
            }
        }
        let mut known: IndexMap<&str, BTreeSet<i64>> = IndexMap::default();
        for (target, ids) in wanted {
            if ids.is_empty() {
                continue;
            }
            let Some(to) = self.registry.get(target) else {
                continue;
            };
            let rows = self
                .load(to, &Lookup::by_ids("id", ids).fields(&["id"]))
                .await?;
            let found = rows.iter().filter_map(|r| r.get(ID).int()).collect();
            known.insert(target, found);
        }
        for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
            let mut issues = Vec::new();
            for reference in references(c, draft) {
                let known = known.get(reference.target);
                let bad: Vec<String> = (reference.ids.iter().enumerate())
                    .filter(|(_, id)| !known.is_some_and(|k| k.contains(*id)))
                    .map(|(i, id)| format!("{} {i}", sent(*id)))
                    .collect();
                if !bad.is_empty() {
                    let text = said!(
                        "This relationship field has the following invalid relationships: {list}",
                        list = bad.join(", ")
                    );
                    issues.push(Issue::error(reference.path, "invalid-relation", text));
                }
            }
            draft.issues.append(&mut issues);
        }
        Ok(())
    }

    async fn unique(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        let single = (c.fields.iter().enumerate())
            .filter(|(_, f)| f.unique)
            .map(|(slot, _)| vec![slot]);
        let keys: Vec<Vec<usize>> = single
            .chain((c.uniques.iter()).map(|k| k.iter().map(|p| c.at(p)).collect()))
            .collect();
        for key in keys {
            self.unique_key(c, &key, drafts).await?;
        }
        Ok(())
    }

    /// One key: against the book by one look-up, and among the drafts themselves.
    async fn unique_key(
        &mut self,
        c: &'static Collection,
        key: &[usize],
        drafts: &mut [Draft],
    ) -> Result<()> {
        let day = |slot: usize| {
            let kind = c.fields.get(slot).map(|f| &f.kind);
            matches!(kind, Some(Kind::Day))
        };
        let of = |row: &Record| -> Option<Vec<String>> {
            key.iter()
                .map(|s| match row.get(*s) {
                    Value::Null => None,
                    // A day is one key, regardless of the sent time of day.
                    Value::Time(at) if day(*s) => Some(format!("{}", at.div_euclid(DAY))),
                    Value::Text(text) => Some(text.clone()),
                    v => Some(format!("{v:?}")),
                })
                .collect()
        };
        let asks: Vec<usize> = (drafts.iter().enumerate())
            .filter(|(_, d)| d.verb != Verb::Delete && key.iter().any(|s| d.changes(*s)))
            .map(|(i, _)| i)
            .collect();
        let Some((last, _)) = key.split_last() else {
            return Ok(());
        };
        let values: Vec<Value> = (asks.iter())
            .filter_map(|i| drafts.get(*i))
            .filter(|d| of(&d.new).is_some())
            .map(|d| d.new.get(*last).clone())
            .collect();
        if values.is_empty() {
            return Ok(());
        }
        let paths: Vec<&str> = (key.iter())
            .filter_map(|s| c.fields.get(*s).map(|f| f.path.as_str()))
            .collect();
        let lookup =
            paths
                .iter()
                .enumerate()
                .fold(Lookup::default().fields(&paths), |lookup, (i, path)| {
                    // The last part is the most telling; the others narrow.
                    let part = if i + 1 == paths.len() {
                        values.clone()
                    } else {
                        let slot = c.at(path);
                        let mut seen: Vec<Value> = Vec::new();
                        for d in asks.iter().filter_map(|i| drafts.get(*i)) {
                            let v = d.new.get(slot);
                            if !v.is_null() && !seen.contains(v) && seen.len() <= 1_000 {
                                seen.push(v.clone());
                            }
                        }
                        if seen.len() > 1_000 {
                            return lookup.test(path, Test::Filled);
                        }
                        seen
                    };
                    if day(c.at(path)) {
                        return days(lookup, path, &part);
                    }
                    lookup.is_in(path, part)
                });
        let mut taken: IndexMap<Vec<String>, BTreeSet<i64>> = IndexMap::default();
        for row in self.load(c, &lookup).await? {
            if let (Some(k), Some(id)) = (of(&row), row.get(ID).int()) {
                taken.entry(k).or_default().insert(id);
            }
        }
        // A row of this set that gives its key up frees it.
        for d in drafts.iter() {
            if let Some(k) = d.old.as_ref().and_then(of)
                && of(&d.new).as_ref() != Some(&k)
                && let Some(ids) = taken.get_mut(&k)
            {
                ids.remove(&d.id);
            }
        }
        let disputed = match (key, c.fields.get(*last)) {
            ([_], Some(field)) => c.disputed_slot(field),
            _ => None,
        };
        // A row that the caller does not see must not be revealed by a refusal.
        let closed = match disputed {
            Some(_) => self.closed_rows(c, &taken, drafts).await?,
            None => BTreeSet::new(),
        };
        let path = paths.last().copied().unwrap_or_default().to_owned();
        for i in asks {
            let Some(draft) = drafts.get_mut(i) else {
                continue;
            };
            let Some(k) = of(&draft.new) else { continue };
            let others = taken.entry(k).or_default();
            let own = draft.id;
            if others.iter().any(|id| *id != own && !closed.contains(id)) {
                let message = "Value must be unique";
                let issue = Issue::error(path.clone(), "not-unique", message);
                draft.issues.push(issue);
                continue;
            }
            if let Some(slot) = disputed.filter(|_| others.iter().any(|id| *id != own)) {
                draft.new.set(slot, own);
            }
            others.insert(own);
        }
        Ok(())
    }

    /// Of the rows that have some keys, those that the caller does not read.
    async fn closed_rows(
        &mut self,
        c: &'static Collection,
        taken: &IndexMap<Vec<String>, BTreeSet<i64>>,
        drafts: &[Draft],
    ) -> Result<BTreeSet<i64>> {
        let own = |id: &i64| drafts.iter().any(|d| d.id == *id);
        let ids = taken.values().flatten().filter(|id| !own(id));
        let ids: BTreeSet<i64> = ids.copied().collect();
        if ids.is_empty() || self.caller.sees_all() {
            return Ok(BTreeSet::new());
        }
        let open = self.rows_read(c, Class::Row, ids.clone()).await?;
        Ok(ids.difference(&open).copied().collect())
    }
}

/// Narrows a look-up to the days from the first to the last of the values.
fn days(lookup: Lookup, path: &str, values: &[Value]) -> Lookup {
    let days = || {
        values
            .iter()
            .filter_map(Value::time)
            .map(|at| at.div_euclid(DAY))
    };
    match (days().min(), days().max()) {
        (Some(first), Some(last)) => lookup
            .test(path, Test::From(Value::Time(first * DAY)))
            .test(path, Test::Before(Value::Time((last + 1) * DAY))),
        _ => lookup,
    }
}

/// A field, or a member of a row in one, that names rows of a collection.
struct Reference<'a> {
    path: String,
    /// The collection.
    target: &'a str,
    ids: Vec<i64>,
}

/// All relations of a draft that are new in it.
fn references<'a>(c: &'a Collection, draft: &Draft) -> Vec<Reference<'a>> {
    let mut all = Vec::new();
    let mut push = |path, target, ids| all.push(Reference { path, target, ids });
    for (slot, field) in c.fields.iter().enumerate() {
        if !draft.changes(slot) {
            continue;
        }
        match (&field.kind, draft.new.get(slot)) {
            (Kind::Relation(to), Value::Int(id)) => {
                push(field.path.clone(), to.as_str(), vec![*id]);
            }
            (Kind::Relations(to), Value::Ids(ids)) => {
                push(field.path.clone(), to.as_str(), ids.clone());
            }
            (Kind::Rows(subs), rows) => {
                for (i, row) in rows.rows().iter().enumerate() {
                    for sub in subs {
                        let id = row.get(&sub.path).and_then(serde_json::Value::as_i64);
                        if let (Some(to), Some(id)) = (sub.target(), id) {
                            let path = format!("{}.{i}.{}", field.path, sub.path);
                            push(path, to, vec![id]);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// Limits of one value: length, range, form.
pub(crate) fn limits(field: &Field, value: &Value, path: &str, issues: &mut Vec<Issue>) {
    let mut fault = |code: &'static str, text: Sentence| {
        issues.push(Issue::error(path, code, text));
    };
    match (&field.kind, value) {
        (_, Value::Null) => {
            // Members of rows have no draft that would look at the mark.
            if field.required && path.contains(&format!(".{}", field.path)) && path != field.path {
                fault("required", "This field is required.".into());
            }
        }
        (Kind::Text(max), Value::Text(t)) if t.chars().count() > *max => fault(
            "too-long",
            said!(
                "This value must be shorter than the max length of {max} characters.",
                max = max
            ),
        ),
        (Kind::Texts(max), Value::Texts(list)) if list.iter().any(|t| t.chars().count() > *max) => {
            fault(
                "too-long",
                said!(
                    "Each text must be shorter than the max length of {max} characters.",
                    max = max
                ),
            );
        }
        (Kind::Relations(_), Value::Ids(ids)) => {
            #[expect(clippy::cast_precision_loss, reason = "lists are short")]
            let many = field.max.filter(|most| ids.len() as f64 > *most);
            if let Some(most) = many {
                fault(
                    "too-many",
                    said!("At most {limit} may be named.", limit = most),
                );
            }
        }
        (Kind::Json, Value::Json(json)) => {
            let Some(most) = field.max else { return };
            #[expect(clippy::cast_precision_loss, reason = "bodies are small")]
            if json.to_string().len() as f64 > most {
                fault(
                    "too-long",
                    said!("This JSON takes more than {limit} bytes.", limit = most),
                );
            }
        }
        (Kind::Rows(subs), rows) => {
            for (i, row) in rows.rows().iter().enumerate() {
                for sub in subs {
                    let value = match row.get(&sub.path) {
                        Some(serde_json::Value::Number(n)) => n.as_f64().into(),
                        Some(serde_json::Value::String(text)) => Value::Text(text.clone()),
                        // What must be there is asked of bodies; partners leave it out.
                        _ => continue,
                    };
                    limits(sub, &value, &format!("{path}.{i}.{}", sub.path), issues);
                }
            }
        }
        (Kind::Email, Value::Text(t)) if !mail(t) => {
            fault("wrong-form", "Please enter a valid email address.".into());
        }
        (Kind::Password, Value::Text(t)) => {
            let (min, length) = (field.min.unwrap_or(0.0), t.chars().count());
            #[expect(clippy::cast_precision_loss, reason = "lengths are small")]
            if (length as f64) < min {
                fault(
                    "too-short",
                    said!(
                        "This value must be longer than the minimum length of {min} characters.",
                        min = min
                    ),
                );
            } else if length > 1_000 {
                fault("too-long", "A password has at most 1000 characters.".into());
            }
        }
        (_, v) => {
            let Some(n) = v.num() else { return };
            let (min, max) = field.bounds();
            if n < min {
                fault(
                    "too-small",
                    said!(
                        "{value} is less than the min allowed value of {min}",
                        value = n,
                        min = min
                    ),
                );
            }
            if n > max {
                fault(
                    "too-large",
                    said!(
                        "{value} is greater than the max allowed value of {max}",
                        value = n,
                        max = max
                    ),
                );
            }
        }
    }
}

/// One `@` with something before it and a dotted name behind it; the rest is for the
/// mail server to judge.
fn mail(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else {
        return false;
    };
    text.len() <= 254
        && !user.is_empty()
        && !user.contains('@')
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
        && host.contains('.')
        && !host.starts_with('.')
        && !host.ends_with('.')
}
