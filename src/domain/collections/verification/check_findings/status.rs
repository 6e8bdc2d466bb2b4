//! `checkStatus` of rows: the gravest open finding that their owner reads.

use super::{SLUG, Slots};
use crate::collections::dictionaries::lookups::related;
use crate::collections::events::history::Amendments;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::review::checked_row::STATUS;
use model::registry::{Collection, HookContext, ID, Lookup, Test};
use std::collections::{BTreeMap, BTreeSet};

/// Animals that are followed at once.
const STEP: usize = 1_000;

/// The gravest findings of some animals.
#[derive(Debug, Default)]
struct MaxSeverity {
    rows: BTreeMap<(String, i64), &'static str>,
    animals: BTreeMap<i64, &'static str>,
}

impl MaxSeverity {
    fn add(&mut self, row: &Record) {
        let s = Slots::get();
        let word = match row.get(s.severity).text() {
            Some("fix") => "fix",
            _ => "note",
        };
        let graver = |entry: &mut &'static str| {
            if word == "fix" {
                *entry = word;
            }
        };
        let place = row.get(s.collection).text().zip(row.get(s.record).int());
        if let Some((slug, id)) = place {
            let entry = self.rows.entry((slug.to_owned(), id));
            entry.and_modify(graver).or_insert(word);
        }
        if let Some(id) = row.get(s.animal).int() {
            self.animals.entry(id).and_modify(graver).or_insert(word);
        }
    }
}

/// Writes what differs; dates of rows and their places in the feeds stay. `whole`: all rows of the animals were checked,
/// those without a status are sound.
pub(super) async fn follow(context: &mut dyn HookContext, animals: &BTreeSet<i64>, whole: bool) -> Result<()> {
    let animals: Vec<i64> = animals.iter().copied().collect();
    for part in animals.chunks(STEP) {
        follow_part(context, part, whole).await?;
    }
    Ok(())
}

async fn follow_part(context: &mut dyn HookContext, animals: &[i64], whole: bool) -> Result<()> {
    let open = Lookup::by_ids("animal", animals.iter().copied())
        .is_in("state", vec!["open".into()])
        .test("organization", Test::Filled)
        .fields(&["collection", "recordId", "severity", "animal"]);
    let mut severities = MaxSeverity::default();
    for row in context.find(SLUG, open).await? {
        severities.add(&row);
    }
    let all = crate::collections::registry()?.iter();
    for c in all.filter(|c| c.slot(STATUS).is_some()) {
        let Some(path) = c.animal else { continue };
        let slot = c.at(STATUS);
        let mut amendments = Amendments::default();
        for row in rows(context, (c, path), (animals, whole), &severities).await?.values() {
            let id = row.get(ID).int().unwrap_or_default();
            let word = match path {
                "id" => severities.animals.get(&id),
                _ => severities.rows.get(&(c.slug.to_owned(), id)),
            };
            let word = Value::from(word.copied().unwrap_or("ok"));
            amendments.note(row, [(slot, word)]);
        }
        amendments.write(context, c.slug).await?;
    }
    Ok(())
}

/// The rows of the animals that may have to change: those without a status, those with a finding, and those that had
/// one. The many that are sound and stay so are not read.
async fn rows(
    context: &mut dyn HookContext,
    (c, path): (&'static Collection, &'static str),
    (animals, whole): (&[i64], bool),
    severities: &MaxSeverity,
) -> Result<BTreeMap<i64, Record>> {
    let ids: Vec<i64> = match path {
        "id" => severities.animals.keys().copied().collect(),
        _ => {
            let of = severities.rows.keys().filter(|(slug, _)| slug == c.slug);
            of.map(|(_, id)| *id).collect()
        }
    };
    let mut rows = related(context, c.slug, "id", ids, &[STATUS]).await?;
    let graded = vec!["fix".into(), "note".into()];
    let unchecked = whole.then_some(Test::Empty);
    for test in unchecked.into_iter().chain([Test::In(graded)]) {
        let lookup = Lookup::by_ids(path, animals.iter().copied());
        let lookup = lookup.test(STATUS, test).fields(&[STATUS]);
        rows.extend(context.find(c.slug, lookup).await?);
    }
    let of_rows = rows.into_iter();
    Ok(of_rows.filter_map(|row| Some((row.get(ID).int()?, row))).collect())
}
