//! Checks that follow from a declaration alone: required, limits, existing relations,
//! unique keys. All faults at once, each with its path.

use super::WriteTransaction;
use super::visible::id_as_sent;
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::messages::Sentence;
use model::parallel;
use model::record::{Record, Value, time};
use model::registry::{
    Caller, Class, Collection, Draft, Field, ID, Kind, Lookup, Test, Verb, Writer,
};
use model::said;
use std::collections::BTreeSet;

const DAY: i64 = 86_400_000;

impl WriteTransaction<'_> {
    /// Checks drafts that are to be written.
    pub(super) async fn validate(
        &mut self,
        c: &'static Collection,
        drafts: &mut [Draft],
    ) -> Result<()> {
        // A caller gets all faults of the row that they write (docs/dialect.md, *Bodies*); a change that follows in the
        // book from another write does not fail by former values of the row.
        let whole = self.caller.caller != Caller::System;
        let loads = self.is_load();
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
                    // What the server notes as it was written elsewhere, and books that are taken over, stay as they are.
                    if draft.changes(slot) && field.writer != Writer::Server && !loads {
                        one_line(field, value, &field.path, &mut draft.issues);
                    }
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
        let mut references_by_target: IndexMap<&str, BTreeSet<i64>> = IndexMap::default();
        for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
            for reference in references(c, draft) {
                references_by_target
                    .entry(reference.target)
                    .or_default()
                    .extend(reference.ids);
            }
        }
        let mut existing_by_target: IndexMap<&str, BTreeSet<i64>> = IndexMap::default();
        for (target, ids) in references_by_target {
            if ids.is_empty() {
                continue;
            }
            let Some(to) = self.registry.get(target) else {
                continue;
            };
            let rows = self
                .load(to, &Lookup::by_ids("id", ids).fields(&["id"]))
                .await?;
            let existing_ids = rows.iter().filter_map(|r| r.get(ID).int()).collect();
            existing_by_target.insert(target, existing_ids);
        }
        for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
            let mut issues = Vec::new();
            for reference in references(c, draft) {
                let existing_by_target = existing_by_target.get(reference.target);
                let bad: Vec<String> = (reference.ids.iter().enumerate())
                    .filter(|(_, id)| !existing_by_target.is_some_and(|k| k.contains(*id)))
                    .map(|(i, id)| format!("{} {i}", id_as_sent(*id)))
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
        let by_day = key.iter().any(|slot| day(*slot));
        let keys = self.keys_of(c, by_day, drafts, of).await?;
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
                        let mut values: Vec<Value> = Vec::new();
                        for d in asks.iter().filter_map(|i| drafts.get(*i)) {
                            let v = d.new.get(slot);
                            if !v.is_null() && !values.contains(v) && values.len() <= 1_000 {
                                values.push(v.clone());
                            }
                        }
                        if values.len() > 1_000 {
                            return lookup.test(path, Test::Filled);
                        }
                        values
                    };
                    if day(c.at(path)) {
                        return days(lookup, path, &part);
                    }
                    lookup.is_in(path, part)
                });
        let mut taken: IndexMap<Vec<String>, BTreeSet<i64>> = IndexMap::default();
        let mut rows = self.load(c, &lookup).await?;
        if by_day {
            rows = c.hooks.placed(c, self, rows).await?;
        }
        for row in rows {
            if let (Some(k), Some(id)) = (of(&row), row.get(ID).int()) {
                taken.entry(k).or_default().insert(id);
            }
        }
        // A row of this set that gives its key up frees it.
        for (d, (old, new)) in drafts.iter().zip(&keys) {
            if let Some(k) = old
                && new.as_ref() != Some(k)
                && let Some(ids) = taken.get_mut(k)
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
            let Some(k) = keys.get(i).and_then(|(_, new)| new.clone()) else {
                continue;
            };
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

    /// The values of a key in drafts, stored and new; days are those of the places of the rows.
    async fn keys_of(
        &mut self,
        c: &'static Collection,
        by_day: bool,
        drafts: &[Draft],
        of: impl Fn(&Record) -> Option<Vec<String>>,
    ) -> Result<Vec<(Option<Vec<String>>, Option<Vec<String>>)>> {
        if !by_day {
            let keys = drafts
                .iter()
                .map(|d| (d.old.as_ref().and_then(&of), of(&d.new)));
            return Ok(keys.collect());
        }
        // A row without an old one stands for itself.
        let old = drafts
            .iter()
            .map(|d| d.old.as_ref().unwrap_or(&d.new).clone());
        let old = c.hooks.placed(c, self, old.collect()).await?;
        let new = drafts.iter().map(|d| d.new.clone()).collect();
        let new = c.hooks.placed(c, self, new).await?;
        let keys = drafts.iter().zip(old.iter().zip(&new));
        Ok(keys
            .map(|(d, (old, new))| (d.old.as_ref().and_then(|_| of(old)), of(new)))
            .collect())
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

/// Narrows a look-up to the days from the first to the last of the values, and those beside them: times of a day of
/// a place may be of the UTC day beside it.
fn days(lookup: Lookup, path: &str, values: &[Value]) -> Lookup {
    let days = || {
        values
            .iter()
            .filter_map(Value::time)
            .map(|at| at.div_euclid(DAY))
    };
    match (days().min(), days().max()) {
        (Some(first), Some(last)) => lookup
            .test(path, Test::From(Value::Time((first - 1) * DAY)))
            .test(path, Test::Before(Value::Time((last + 2) * DAY))),
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
        (Kind::Day | Kind::Instant, Value::Time(at)) => {
            let first = |year: &f64| time::parse(&format!("{year:04}-01-01"));
            if let Some(year) = field
                .min
                .filter(|year| first(year).is_some_and(|first| *at < first))
            {
                fault("too-early", said!("This is before {year}.", year = year));
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

/// Texts of one line have no line breaks and no other characters that only steer how the text is shown: one that
/// turns the direction makes a name look like another one.
fn one_line(field: &Field, value: &Value, path: &str, issues: &mut Vec<Issue>) {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}')
    };
    let mut judge = |text: &str, path: &str| {
        if text.contains(steers) {
            let message = "This text has one line: no line breaks, no other control characters.";
            issues.push(Issue::error(path, "control-character", message));
        }
    };
    match (&field.kind, value) {
        (Kind::Text(_), Value::Text(text)) => judge(text, path),
        (Kind::Texts(_), Value::Texts(list)) => {
            for (at, text) in list.iter().enumerate() {
                judge(text, &format!("{path}.{at}"));
            }
        }
        (Kind::Rows(subs), rows) => {
            let lines =
                |sub: &&Field| matches!(sub.kind, Kind::Text(_)) && sub.writer != Writer::Server;
            for (at, row) in rows.rows().iter().enumerate() {
                for sub in subs.iter().filter(lines) {
                    if let Some(text) = row.get(&sub.path).and_then(serde_json::Value::as_str) {
                        judge(text, &format!("{path}.{at}.{}", sub.path));
                    }
                }
            }
        }
        _ => {}
    }
}

/// An address that mail servers take (RFC 5321, 4.1.2): a name of atoms between dots, without quotes, and a host with a
/// dotted name, no address of a machine. Letters and digits of all scripts count.
fn mail(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else {
        return false;
    };
    let atom = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let number = |label: &str| label.bytes().all(|b| b.is_ascii_digit());
    text.len() <= 254
        && user.len() <= 64
        && user
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(atom))
        && host.contains('.')
        && host.split('.').all(is_label)
        && !host.rsplit('.').next().is_some_and(number)
}

#[cfg(test)]
mod tests {
    use super::{mail, one_line};
    use model::record::Value;
    use model::registry::text;

    #[test]
    fn addresses_are_those_that_mail_servers_take() {
        for good in [
            "farm1@demo.herdbook",
            "a.b+c@x-y.example",
            "o'neil@example.org",
            "почта@ферма.рф",
            "a@b.c",
            "1@1.x",
        ] {
            assert!(mail(good), "{good}");
        }
        let long = format!("{}@example.org", "a".repeat(65));
        for bad in [
            "",
            "a",
            "a@b",
            "@b.c",
            "<a@b.c>",
            "a@[127.0.0.1]",
            "a@127.0.0.1",
            "a b@c.d",
            "a@b..c",
            ".a@b.c",
            "a.@b.c",
            "a..b@c.d",
            "a@-b.c",
            "a@b-.c",
            "a@b.c.",
            "a@b@c.d",
            "\"a b\"@c.d",
            "a,b@c.d",
            "a@b.c, d@e.f",
            "a@b_c.d",
            "a\n@b.c",
            "a@b.c\r\nBcc:x@y.z",
            "Name <a@b.c>",
            "a:b@c.d",
            "a;b@c.d",
            "(a)@b.c",
            long.as_str(),
        ] {
            assert!(!mail(bad), "{bad:?}");
        }
    }

    #[test]
    fn texts_of_one_line_have_no_characters_that_steer() {
        let refused = |name: &str| {
            let mut issues = Vec::new();
            one_line(&text("name"), &Value::from(name), "name", &mut issues);
            issues.iter().any(|issue| issue.path == "name")
        };
        for bad in [
            "a\nb",
            "a\tb",
            "\u{7}",
            "\u{85}",
            "\u{7f}",
            "a\u{202e}b",
            "\u{2066}a",
            "\u{2028}",
            "\u{200f}a",
        ] {
            assert!(refused(bad), "{bad:?}");
        }
        for good in ["", "ООО «Ромашка»", "a\u{a0}b", "🐄", "عين"] {
            assert!(!refused(good), "{good:?}");
        }
    }
}
