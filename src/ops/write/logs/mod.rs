//! The rows of the logs, at the end of a job: related rows get their names in one look-up
//! per collection, then each log is inserted at once.

pub(crate) mod revise;

use super::WriteTransaction;
use crate::write::logs::revise::{Line, LoggedValue, Logs, Revision};
use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::{Collection, ID, Lookup, Rule};
use std::collections::{BTreeMap, BTreeSet};

/// Longest text of a log, characters.
const TEXT: usize = 255;

/// A row that a log names: its name, and who may read of it.
struct NamedRow {
    name: Option<String>,
    /// Anybody may read that it exists.
    open: bool,
    owner: Option<i64>,
    organization: Option<i64>,
}

/// Rows by collection and id.
#[derive(Default)]
struct Names(BTreeMap<(&'static str, i64), NamedRow>);

impl Names {
    fn get(&self, slug: &'static str, id: i64) -> Option<&NamedRow> {
        self.0.get(&(slug, id))
    }

    /// A name for readers of the records of `owner`. A record that is neither open to all nor of
    /// the same owner stays an id, as it does when it is expanded.
    fn for_owner(&self, value: &LoggedValue, owner: Option<i64>) -> Option<String> {
        self.text(value, &|row| row.open || (owner.is_some() && row.owner == owner))
    }

    fn text(&self, value: &LoggedValue, is_open: &dyn Fn(&NamedRow) -> bool) -> Option<String> {
        let text = match value {
            LoggedValue::Nothing => return None,
            LoggedValue::Text(text) => text.clone(),
            LoggedValue::Links(slug, ids) => {
                let word = |id: &i64| {
                    let row = self.get(slug, *id).filter(|row| is_open(row));
                    row.and_then(|row| row.name.clone()).unwrap_or_else(|| format!("#{id}"))
                };
                ids.iter().map(word).collect::<Vec<_>>().join(", ")
            }
            LoggedValue::Row(members) => {
                let member = |(name, value): &(String, LoggedValue)| {
                    format!("{name}: {}", self.text(value, is_open).unwrap_or_default())
                };
                members.iter().map(member).collect::<Vec<_>>().join(", ")
            }
        };
        Some(cut(text))
    }
}

impl WriteTransaction<'_> {
    /// Writes what the job left for the logs.
    pub(super) async fn write_logs(&mut self) -> Result<()> {
        let logs = Logs { quiet: self.logs.quiet, source: self.logs.source, ..Logs::default() };
        let mut logs = std::mem::replace(&mut self.logs, logs);
        if logs.revisions.is_empty() && logs.lines.is_empty() {
            return Ok(());
        }
        // A registry without logs writes none.
        let declared = |slug| self.registry.get(slug);
        let (Some(revisions), Some(operations)) = (declared("animal-revisions"), declared("operations")) else {
            return Ok(());
        };
        let users = operations.field("actor").and_then(|f| f.target());
        // Entries of an organisation that is deleted in this transaction belong to no organisation any more.
        if let Some(owners) = operations.field("organization").and_then(|f| f.target()) {
            let owners = self.registry.get(owners).map_or("", |c| c.slug);
            for line in &mut logs.lines {
                let gone = |id: &i64| self.touched.get(&(owners, *id)).is_some_and(|t| t.gone);
                line.organization = line.organization.filter(|id| !gone(id));
            }
        }
        let names = self.names(&logs, users).await?;
        let now = self.tx.now();
        // What was deleted after it changed takes its revisions along.
        let rows = (logs.revisions.iter()).filter_map(|one| revision(revisions, one, &names, now)).collect();
        self.log_rows(revisions, rows).await?;
        let rows = (logs.lines.iter()).map(|line| operation(operations, users, line, &names, now)).collect();
        self.log_rows(operations, rows).await
    }

    fn declared(&self, slug: &str) -> Result<&'static Collection> {
        let missing = || Error::internal(format!("no collection {slug}"));
        self.registry.get(slug).ok_or_else(missing)
    }

    /// Everything that the logs name, in one look-up per collection.
    async fn names(&mut self, logs: &Logs, users: Option<&'static str>) -> Result<Names> {
        let mut ids_by_target: BTreeMap<&'static str, BTreeSet<i64>> = BTreeMap::new();
        let mut want = |value: &LoggedValue| {
            for (slug, ids) in value.links() {
                ids_by_target.entry(slug).or_default().extend(ids);
            }
        };
        for one in &logs.revisions {
            want(&one.before);
            want(&one.after);
            want(&LoggedValue::Links(animals(one.collection), vec![one.animal]));
        }
        for line in &logs.lines {
            want(&line.subject);
            if let (Some(users), Some(actor)) = (users, line.actor) {
                want(&LoggedValue::Links(users, vec![actor]));
            }
        }
        let mut names = Names::default();
        for (slug, ids) in ids_by_target {
            let c = self.declared(slug)?;
            let (open, owner) = (c.slot("publicVisible"), c.slot("owner"));
            let organization = c.slot("organization").filter(|_| c.auth);
            let mut fields: Vec<&str> = vec!["id"];
            fields.extend(c.name_paths());
            fields.extend(open.map(|_| "publicVisible"));
            fields.extend(owner.map(|_| "owner"));
            fields.extend(organization.map(|_| "organization"));
            let lookup = Lookup::by_ids("id", ids).fields(&fields);
            for row in self.load(c, &lookup).await? {
                let public = open.is_some_and(|slot| row.get(slot).truth());
                let named_row = NamedRow {
                    name: c.name_of(&row),
                    open: c.access.read == Rule::Any || public,
                    owner: owner.and_then(|slot| row.get(slot).int()),
                    organization: organization.and_then(|slot| row.get(slot).int()),
                };
                if let Some(id) = row.get(ID).int() {
                    names.0.insert((c.slug, id), named_row);
                }
            }
        }
        Ok(names)
    }
}

/// The collection of the animal that rows are about; of animals it is their own.
fn animals(c: &'static Collection) -> &'static str {
    c.animal.and_then(|path| c.field(path)?.target()).unwrap_or(c.slug)
}

fn revision(log: &'static Collection, one: &Revision, names: &Names, now: i64) -> Option<Record> {
    let owner = names.get(animals(one.collection), one.animal)?.owner;
    let mut row = Record::empty(log.width());
    row.set(log.at("ownerOrg"), owner);
    row.set(log.at("collection"), one.collection.slug);
    row.set(log.at("recordId"), one.id);
    row.set(log.at("animal"), one.animal);
    row.set(log.at("at"), Value::Time(now));
    row.set(log.at("user"), one.user);
    row.set(log.at("path"), cut(one.path.clone()));
    row.set(log.at("label"), cut(label(&one.path)));
    row.set(log.at("before"), names.for_owner(&one.before, owner));
    row.set(log.at("after"), names.for_owner(&one.after, owner));
    row.set(log.at("source"), one.source.word());
    row.set(log.at("class"), one.class);
    Some(row)
}

fn operation(log: &'static Collection, users: Option<&'static str>, line: &Line, names: &Names, now: i64) -> Record {
    let actor = line.actor.zip(users).and_then(|(id, users)| names.get(users, id));
    let mut row = Record::empty(log.width());
    row.set(log.at("at"), Value::Time(now));
    row.set(log.at("action"), line.action);
    // A user who was just deleted cannot be referred to.
    row.set(log.at("actor"), line.actor.filter(|_| actor.is_some()));
    row.set(log.at("actorName"), actor.and_then(|a| a.name.clone()).map(cut));
    let organization = line.organization.or(actor.and_then(|a| a.organization));
    row.set(log.at("organization"), organization);
    row.set(log.at("subjectType"), line.kind);
    row.set(log.at("subjectId"), line.id);
    row.set(log.at("subject"), names.text(&line.subject, &|_| true));
    row.set(log.at("summary"), line.summary.clone().map(cut));
    row.set(log.at("ip"), line.ip.map(|ip| ip.to_string()));
    row
}

/// `altIds.earTag` as `Alt Ids · Ear Tag`.
fn label(path: &str) -> String {
    let word = |part: &str| {
        let mut out = String::with_capacity(part.len() + 2);
        for (at, c) in part.chars().enumerate() {
            if at == 0 {
                out.extend(c.to_uppercase());
            } else if c.is_ascii_uppercase() {
                out.push(' ');
                out.push(c);
            } else {
                out.push(c);
            }
        }
        out
    };
    // The place of a row counts from one for people.
    let place = |part: &str| part.parse::<usize>().map(|at| at.saturating_add(1).to_string());
    path.split('.').map(|p| place(p).unwrap_or_else(|_| word(p))).collect::<Vec<_>>().join(" · ")
}

/// Cuts texts to the length that a log stores.
fn cut(text: String) -> String {
    if text.chars().count() <= TEXT {
        return text;
    }
    let mut short: String = text.chars().take(TEXT - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::{cut, label};

    #[test]
    fn paths_in_words() {
        assert_eq!(label("altIds.earTag"), "Alt Ids · Ear Tag");
        assert_eq!(label("dnaTests.0.result"), "Dna Tests · 1 · Result");
    }

    #[test]
    fn long_texts_end_with_a_sign() {
        assert_eq!(cut("ё".repeat(255)).chars().count(), 255);
        let long = cut("ё".repeat(256));
        assert_eq!(long.chars().count(), 255);
        assert!(long.ends_with("ё…"));
    }
}
