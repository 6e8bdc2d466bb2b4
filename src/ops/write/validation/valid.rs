//! Checks that follow from a declaration alone: required, limits, existing relations. All faults at once, each with
//! its path.

use super::visible::id_as_sent;
use crate::write::WriteTransaction;
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::messages::Sentence;
use model::parallel;
use model::record::{Value, time};
use model::registry::{Caller, Collection, Draft, Field, ID, Kind, Lookup, Verb, Writer};
use model::said;
use std::collections::BTreeSet;

impl WriteTransaction<'_> {
    pub(crate) async fn validate(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
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
                    draft.issues.push(Issue::error(field.path.clone(), "required", "This field is required."));
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

    async fn relations_exist(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        let mut references_by_target: IndexMap<&str, BTreeSet<i64>> = IndexMap::default();
        for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
            for reference in references(c, draft) {
                references_by_target.entry(reference.target).or_default().extend(reference.ids);
            }
        }
        let mut existing_by_target: IndexMap<&str, BTreeSet<i64>> = IndexMap::default();
        for (target, ids) in references_by_target {
            if ids.is_empty() {
                continue;
            }
            let Some(to) = self.registry.get(target) else { continue };
            let rows = self.load(to, &Lookup::by_ids("id", ids).fields(&["id"])).await?;
            existing_by_target.insert(target, rows.iter().filter_map(|r| r.get(ID).int()).collect());
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
}

/// A field, or a member of a row in one, that names rows of a collection.
struct Reference<'a> {
    path: String,
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
                            push(format!("{}.{i}.{}", field.path, sub.path), to, vec![id]);
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
    match (&field.kind, value) {
        (_, Value::Null) => {
            // Members of rows have no draft that would look at the mark.
            if field.required && path.contains(&format!(".{}", field.path)) && path != field.path {
                issues.push(Issue::error(path, "required", "This field is required."));
            }
        }
        (Kind::Rows(subs), rows) => {
            for (i, row) in rows.rows().iter().enumerate() {
                for sub in subs {
                    let value = match row.get(&sub.path) {
                        Some(serde_json::Value::Number(n)) => n.as_f64().into(),
                        Some(serde_json::Value::String(text)) => Value::Text(text.clone()),
                        // Bodies must have what is required; partners leave it out.
                        _ => continue,
                    };
                    limits(sub, &value, &format!("{path}.{i}.{}", sub.path), issues);
                }
            }
        }
        _ => {
            issues.extend(limit_fault(field, value).map(|(code, text)| Issue::error(path, code, text)));
        }
    }
}

/// The limit that a value breaks: code and sentence.
fn limit_fault(field: &Field, value: &Value) -> Option<(&'static str, Sentence)> {
    let fault = |code, text: Sentence| Some((code, text));
    match (&field.kind, value) {
        (Kind::Text(max), Value::Text(t)) if t.chars().count() > *max => {
            fault("too-long", said!("This value must be shorter than the max length of {max} characters.", max = max))
        }
        (Kind::Texts(max), Value::Texts(list)) if list.iter().any(|t| t.chars().count() > *max) => {
            fault("too-long", said!("Each text must be shorter than the max length of {max} characters.", max = max))
        }
        (Kind::Relations(_), Value::Ids(ids)) => {
            #[expect(clippy::cast_precision_loss, reason = "lists are short")]
            let most = field.max.filter(|most| ids.len() as f64 > *most)?;
            fault("too-many", said!("At most {limit} may be named.", limit = most))
        }
        (Kind::Json, Value::Json(json)) => {
            #[expect(clippy::cast_precision_loss, reason = "bodies are small")]
            let most = (field.max).filter(|most| json.to_string().len() as f64 > *most)?;
            fault("too-long", said!("This JSON takes more than {limit} bytes.", limit = most))
        }
        (Kind::Day | Kind::Instant, Value::Time(at)) => {
            let first = |year: &f64| time::parse(&format!("{year:04}-01-01"));
            let is_before = |year: &f64| first(year).is_some_and(|first| *at < first);
            let year = field.min.filter(is_before)?;
            fault("too-early", said!("This is before {year}.", year = year))
        }
        (Kind::Email, Value::Text(t)) if !mail(t) => fault("wrong-form", "Please enter a valid email address.".into()),
        (Kind::Password, Value::Text(t)) => password_fault(field, t),
        (_, v) => number_fault(field, v.num()?),
    }
}

fn password_fault(field: &Field, text: &str) -> Option<(&'static str, Sentence)> {
    let fault = |code, text: Sentence| Some((code, text));
    let (min, length) = (field.min.unwrap_or(0.0), text.chars().count());
    #[expect(clippy::cast_precision_loss, reason = "lengths are small")]
    if (length as f64) < min {
        return fault(
            "too-short",
            said!("This value must be longer than the minimum length of {min} characters.", min = min),
        );
    }
    if length > 1_000 { fault("too-long", "A password has at most 1000 characters.".into()) } else { None }
}

fn number_fault(field: &Field, number: f64) -> Option<(&'static str, Sentence)> {
    let (min, max) = field.bounds();
    if number < min {
        let text = said!("{value} is less than the min allowed value of {min}", value = number, min = min);
        return Some(("too-small", text));
    }
    (number > max).then(|| {
        ("too-large", said!("{value} is greater than the max allowed value of {max}", value = number, max = max))
    })
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
            let lines = |sub: &&Field| matches!(sub.kind, Kind::Text(_)) && sub.writer != Writer::Server;
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
    let Some((user, host)) = text.rsplit_once('@') else { return false };
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
        && user.split('.').all(|part| !part.is_empty() && part.chars().all(atom))
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
        for good in
            ["farm1@demo.herdbook", "a.b+c@x-y.example", "o'neil@example.org", "почта@ферма.рф", "a@b.c", "1@1.x"]
        {
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
        for bad in ["a\nb", "a\tb", "\u{7}", "\u{85}", "\u{7f}", "a\u{202e}b", "\u{2066}a", "\u{2028}", "\u{200f}a"] {
            assert!(refused(bad), "{bad:?}");
        }
        for good in ["", "ООО «Ромашка»", "a\u{a0}b", "🐄", "عين"] {
            assert!(!refused(good), "{good:?}");
        }
    }
}
