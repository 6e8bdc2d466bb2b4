//! Rows by the names that people have for them: as they are written, then as people write them otherwise
//! (docs/import.md, *Naming other rows*). Each collection and field is read once for all names.

use model::error::Result;
use model::record::Value;
use model::registry::{BookReader, Class, Collection, Field, ID, Kind, Lookup, Vocabulary};
use ops::WriteTransaction;
use std::collections::{BTreeMap, BTreeSet};

/// A name of a row: its collection, the field if one is named, and the value.
pub(super) type Name = (&'static str, Option<usize>, String);

/// Which rows of the book have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameMatch {
    One(i64),
    /// The only one, of another farm than that of the package.
    Foreign(i64),
    Several,
    None,
}

/// Which of the rows with a name may be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Sought {
    /// Those with one of these values of a field, with commas between them.
    pub(super) among: Option<(&'static str, &'static str)>,
    /// Rows of others only by numbers that no two farms give.
    pub(super) everywhere: bool,
    /// Merged rows as what they became.
    pub(super) follows: bool,
}

/// The rows that names mean, of those that the caller reads; of several the one of the farm `home`.
pub(super) async fn looked_up(
    work: &mut WriteTransaction<'_>,
    home: Option<i64>,
    names: &BTreeSet<Name>,
    sought: Sought,
) -> Result<BTreeMap<Name, NameMatch>> {
    let mut by_name: BTreeMap<Name, NameMatch> = BTreeMap::new();
    let mut by_target: BTreeMap<(&str, Option<usize>), Vec<&Name>> = BTreeMap::new();
    for name in names {
        by_target.entry((name.0, name.1)).or_default().push(name);
    }
    for ((slug, slot), names) in by_target {
        let target = work.collection(slug)?;
        let slots = slot.map_or_else(|| target.names(), |slot| vec![slot]);
        let mut open = names;
        for slot in slots.iter().copied() {
            if open.is_empty() {
                break;
            }
            let field = target.fields.get(slot);
            let spelled = |name: &Name| field.map_or_else(|| name.2.clone(), |f| f.spell(name.2.clone()));
            let values: BTreeSet<String> = open.iter().map(|name| spelled(name)).collect();
            // Who may not read a number must not learn whose it is.
            let class = field.filter(|_| slot != ID).map_or(Class::Row, |f| f.class);
            let hits = found(work, target, (slot, class), &values, sought).await?;
            let hits = hits.of_others_only_if(is_everywhere(target, slot) || !sought.everywhere, home);
            open.retain(|name| !found_as(&mut by_name, name, hits.meant([&spelled(name)], home)));
        }
        if target.keep_used && slot != Some(ID) && !open.is_empty() {
            named_otherwise(work, target, slot, &mut open, &mut by_name).await?;
            if slot.is_none() {
                named_by_meaning(work, target, &mut open, &mut by_name).await?;
            }
        }
        let key = target.naming.key.filter(|_| slot.is_none());
        if let Some((at, key)) = key.and_then(|(path, key)| Some((target.slot(path)?, key)))
            && !open.is_empty()
        {
            let values: BTreeSet<String> = open.iter().map(|name| key(&name.2)).collect();
            let hits = with_values(work, target, at, Class::Row, &values).await?;
            open.retain(|name| !found_as(&mut by_name, name, hits.meant([&key(&name.2)], home)));
        }
        let Some(numbers) = &target.naming.numbers else { continue };
        let mut open: Vec<(&Name, Vec<String>)> =
            (open.into_iter()).map(|name| (name, (numbers.spellings)(&name.2))).collect();
        for slot in slots {
            let Some(field) = target.fields.get(slot).filter(|_| slot != ID) else { continue };
            if open.is_empty() {
                break;
            }
            let values: BTreeSet<String> = open.iter().flat_map(|(_, values)| values.clone()).collect();
            let hits = found(work, target, (slot, field.class), &values, sought).await?;
            let hits = hits.of_others_only_if(is_everywhere(target, slot) || !sought.everywhere, home);
            open.retain(|(name, values)| !found_as(&mut by_name, name, hits.meant(values, home)));
        }
    }
    Ok(by_name)
}

/// Whether a number names one row wherever that stands.
fn is_everywhere(c: &Collection, slot: usize) -> bool {
    let (Some(numbers), Some(field)) = (&c.naming.numbers, c.fields.get(slot)) else { return true };
    slot == ID || field.unique || numbers.everywhere.contains(&field.path.as_str())
}

/// Notes what a name means; whether it means anything.
fn found_as(by_name: &mut BTreeMap<Name, NameMatch>, name: &Name, meant: Option<NameMatch>) -> bool {
    if let Some(meant) = meant {
        by_name.insert(name.clone(), meant);
    }
    meant.is_some()
}

/// Names of entries of a dictionary that nothing has so: those that people write otherwise.
async fn named_otherwise(
    work: &mut WriteTransaction<'_>,
    target: &'static Collection,
    slot: Option<usize>,
    open: &mut Vec<&Name>,
    by_name: &mut BTreeMap<Name, NameMatch>,
) -> Result<()> {
    let Some(vocabulary) = Vocabulary::read(work, target).await? else { return Ok(()) };
    open.retain(|name| {
        let mut entries = vocabulary.entries(slot, &name.2).into_iter();
        let meant = match (entries.next(), entries.next()) {
            (None, _) => return true,
            (Some(id), None) => NameMatch::One(id),
            (Some(_), Some(_)) => NameMatch::Several,
        };
        by_name.insert((*name).clone(), meant);
        false
    });
    Ok(())
}

/// Names that no entry of a dictionary has: words for a value that one entry alone has (`ялов.`).
async fn named_by_meaning(
    work: &mut WriteTransaction<'_>,
    target: &'static Collection,
    open: &mut Vec<&Name>,
    by_name: &mut BTreeMap<Name, NameMatch>,
) -> Result<()> {
    for (slot, field) in target.fields.iter().enumerate() {
        let Kind::Select(values) = &field.kind else { continue };
        let path = field.path.as_str();
        let mut words = target.naming.words.iter();
        if !words.any(|(word, ..)| *word == path) {
            continue;
        }
        let value = |name: &Name| target.worded(path, values, &name.2).map(str::to_owned);
        let wanted: BTreeSet<String> = open.iter().filter_map(|name| value(name)).collect();
        if wanted.is_empty() {
            continue;
        }
        let hits = with_values(work, target, slot, field.class, &wanted).await?;
        // Which of several entries is meant the Association decides.
        open.retain(|name| {
            let meant = value(name).and_then(|value| hits.meant([&value], None));
            let one = meant.filter(|meant| matches!(meant, NameMatch::One(_)));
            one.is_none_or(|one| {
                by_name.insert((*name).clone(), one);
                false
            })
        });
    }
    Ok(())
}

/// Rows by the value of a field, each with its organisation.
#[derive(Default)]
pub(super) struct Hits(BTreeMap<String, Vec<(i64, Option<i64>)>>);

impl Hits {
    /// Without the rows of others than the farm `home`, unless these count.
    fn of_others_only_if(mut self, count: bool, home: Option<i64>) -> Self {
        for rows in self.0.values_mut().filter(|_| !count) {
            rows.retain(|(_, of)| home.is_some() && *of == home);
        }
        self
    }

    pub(super) fn of(&self, values: &[String], organization: i64) -> BTreeSet<i64> {
        let all = values.iter().filter_map(|value| self.0.get(value));
        all.flatten().filter(|(_, of)| *of == Some(organization)).map(|(id, _)| *id).collect()
    }

    pub(super) fn has(&self, values: &[String], organization: i64) -> bool {
        !self.of(values, organization).is_empty()
    }

    pub(super) fn meant<'v>(
        &self,
        values: impl IntoIterator<Item = &'v String>,
        home: Option<i64>,
    ) -> Option<NameMatch> {
        let all = values.into_iter().filter_map(|value| self.0.get(value));
        let all: BTreeSet<(i64, Option<i64>)> = all.flatten().copied().collect();
        let all: Vec<_> = all.into_iter().collect();
        let own = |hit: &&(i64, Option<i64>)| home.is_some() && hit.1 == home;
        match (all.iter().filter(own).collect::<Vec<_>>().as_slice(), all.as_slice()) {
            ([], []) => None,
            ([], [(id, of)]) if home.is_some() && of.is_some() => Some(NameMatch::Foreign(*id)),
            ([(id, _)], _) | ([], [(id, _)]) => Some(NameMatch::One(*id)),
            _ => Some(NameMatch::Several),
        }
    }
}

/// Rows with one of these values in a field, of those that the caller reads with fields of a class.
pub(super) async fn with_values(
    work: &mut WriteTransaction<'_>,
    target: &'static Collection,
    slot: usize,
    class: Class,
    values: &BTreeSet<String>,
) -> Result<Hits> {
    found(work, target, (slot, class), values, Sought::default()).await
}

/// The same, of the rows that are sought.
async fn found(
    work: &mut WriteTransaction<'_>,
    target: &'static Collection,
    (slot, class): (usize, Class),
    values: &BTreeSet<String>,
    sought: Sought,
) -> Result<Hits> {
    let Some(field) = target.fields.get(slot) else { return Ok(Hits::default()) };
    let subject = target.access.subjects.first().copied().filter(|path| target.field(path).is_some_and(Field::stored));
    let mut fields = vec![field.path.as_str()];
    fields.extend(subject);
    let merged = target.merged.filter(|_| sought.follows);
    fields.extend(merged);
    let lookup = if slot == ID {
        Lookup::by_ids("id", values.iter().filter_map(|value| value.parse::<i64>().ok()))
    } else {
        let values = values.iter().filter(|value| !value.contains('\0')).map(|value| Value::from(value.clone()));
        Lookup::default().is_in(&field.path, values.collect())
    };
    let lookup = match sought.among {
        Some((path, words)) => lookup.is_in(path, words.split(',').map(Value::from).collect()),
        None => lookup,
    };
    let rows = work.find(target.slug, lookup.fields(&fields)).await?;
    let ids = rows.iter().filter_map(|row| row.get(ID).int()).collect();
    let readable = work.reads(target.slug, class, ids).await?;
    let mut hits = Hits::default();
    for row in rows {
        let Some(id) = row.get(ID).int().filter(|id| readable.contains(id)) else { continue };
        let text = match slot {
            ID => Some(id.to_string()),
            _ => row.get(slot).text().map(str::to_owned),
        };
        let of = subject.and_then(|path| row.get(target.slot(path)?).int());
        let became = merged.and_then(|path| row.get(target.slot(path)?).int());
        if let Some(text) = text {
            hits.0.entry(text).or_default().push((became.unwrap_or(id), of));
        }
    }
    Ok(hits)
}
