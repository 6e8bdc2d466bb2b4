//! Looks up the records that documents name: one statement per collection and field.

use crate::intake::DocumentIntake;
use indexmap::Equivalent;
use mapping::{Mapping, Purpose, Reference, ReferenceResolver};
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::parallel;
use model::record::{Record, Value};
use model::registry::{BookReader, Class, Collection, Command, HookContext, ID, Kind, Lookup, Test};
use ops::{Item, WriteTransaction};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Name under which organisations outside the book are summed up.
const OUTSIDE: &str = "Outside the herd book";

/// A row that a number may mean. Those of a dictionary are ordered by the first fields.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    order: i64,
    id: i64,
    owner: Option<i64>,
    male: bool,
    /// Another row had the number before, which its writer did not see.
    disputed: bool,
}

/// What for, collection, field and value.
type Key = (Purpose, String, String, String);

/// A [`Key`] that borrows its texts.
#[derive(Hash)]
struct KeyRef<'r>(Purpose, &'r str, &'r str, &'r str);

impl<'r> KeyRef<'r> {
    fn of(r: &'r Reference) -> Self {
        Self(r.purpose, &r.collection, &r.field, &r.value)
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, (purpose, collection, field, value): &Key) -> bool {
        self.0 == *purpose && self.3 == value && self.2 == field && self.1 == collection
    }
}

/// The outcome of all look-ups of a set of documents.
#[derive(Default)]
pub(crate) struct Names {
    ids: IndexMap<Key, i64>,
    latest: IndexMap<i64, Vec<(i64, i64)>>,
    placeholder: Option<i64>,
    /// Whether the placeholder was made for these documents.
    pub(crate) made: bool,
    /// Whether the placeholder was requested since this was last reset.
    placeholder_used: AtomicBool,
    location: i64,
}

impl ReferenceResolver for Names {
    fn id(&self, r: &Reference) -> Option<i64> {
        self.ids.get(&KeyRef::of(r)).copied()
    }
    fn latest(&self, _collection: &str, animal: i64, before: i64) -> Option<i64> {
        (self.latest.get(&animal)?.iter()).filter(|(date, _)| *date <= before).max().map(|(_, id)| *id)
    }
    fn placeholder(&self) -> Option<i64> {
        self.placeholder_used.store(true, Ordering::Relaxed);
        self.placeholder
    }
    fn location(&self) -> i64 {
        self.location
    }
}

impl Names {
    /// Whether any of the documents could be written with the placeholder, and none without.
    fn needs_placeholder(&mut self, mapping: &Mapping, docs: &[&Json]) -> bool {
        // Any id will do to see who asks for one.
        self.placeholder = Some(0);
        let needed = docs.iter().any(|doc| {
            self.placeholder_used.store(false, Ordering::Relaxed);
            let intake = mapping.intake(doc, self);
            self.placeholder_used.load(Ordering::Relaxed) && !intake.refused() && !intake.deleted
        });
        self.placeholder = None;
        needed
    }

    /// Whether the values of a row name the placeholder.
    pub(crate) fn placed(&self, item: &Item) -> bool {
        let id = self.placeholder.map(Value::Int);
        let mut values = item.body.iter().chain(&item.server);
        id.is_some_and(|id| values.any(|(_, value)| *value == id))
    }
}

impl DocumentIntake {
    /// Looks up everything that the documents name.
    pub(crate) async fn names(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        docs: &[&Json],
        location: i64,
    ) -> Result<Names> {
        let mut names = Names { location, ..Names::default() };
        let mut lookups: IndexMap<(String, String), IndexSet<(Purpose, String)>> = IndexMap::default();
        for r in parallel::map(docs, |doc| mapping.references(doc)).into_iter().flatten() {
            let values_of = lookups.entry((r.collection, r.field)).or_default();
            values_of.insert((r.purpose, r.value));
        }
        for ((collection, field), values) in lookups {
            self.look_up(work, &mut names, &collection, &field, values).await?;
        }
        if mapping.is_part() {
            let animals: IndexSet<i64> = (names.ids.iter())
                .filter(|((purpose, ..), _)| *purpose == Purpose::Animal)
                .map(|(_, id)| *id)
                .collect();
            let lookup = Lookup::by_ids("animal", animals).fields(&["animal", "date"]);
            let c = work.collection(mapping.collection())?;
            let (animal, date) = (c.at("animal"), c.at("date"));
            for row in work.find(c.slug, lookup).await? {
                if let (Some(a), Some(d), Some(id)) = (row.get(animal).int(), row.get(date).time(), row.get(ID).int()) {
                    names.latest.entry(a).or_default().push((d, id));
                }
            }
        }
        if mapping.needs_placeholder() {
            names.placeholder = outside(work).await?;
            if names.placeholder.is_none() && names.needs_placeholder(mapping, docs) {
                names.placeholder = make_outside(work).await?;
                names.made = true;
            }
        }
        Ok(names)
    }

    async fn look_up(
        &self,
        work: &mut WriteTransaction<'_>,
        names: &mut Names,
        collection: &str,
        field: &str,
        references: IndexSet<(Purpose, String)>,
    ) -> Result<()> {
        let c: &'static Collection = work.collection(collection)?;
        let Some(declared) = c.field(field) else { return Ok(()) };
        let values: IndexSet<&String> = references.iter().map(|(_, v)| v).collect();
        let values: Vec<Value> = (values.into_iter())
            .filter_map(|v| match declared.kind {
                Kind::Int | Kind::Relation(_) => v.parse().ok().map(Value::Int),
                _ => Some(Value::Text(declared.spell(v.clone()))),
            })
            .collect();
        let mut fields = vec![field];
        fields.extend(
            (["owner", "sex", "sortOrder"].into_iter())
                .chain(c.merged)
                .chain(c.disputed)
                .filter(|p| c.slot(p).is_some()),
        );
        let lookup = Lookup::default().is_in(field, values).fields(&fields);
        let slot = c.at(field);
        let (owner, sex, order) = (c.at("owner"), c.at("sex"), c.at("sortOrder"));
        let disputed = c.disputed.map(|path| c.at(path));
        let mut candidates: IndexMap<String, Vec<Candidate>> = IndexMap::default();
        let rows = work.find(c.slug, lookup).await?;
        let heirs = heirs(work, c, &rows, &fields).await?;
        let rows = readable(work, c, rows, (owner, declared.class), names.location).await?;
        for row in rows {
            let value = match row.get(slot) {
                Value::Int(i) => i.to_string(),
                Value::Text(t) => t.clone(),
                _ => continue,
            };
            // The numbers of a merged row lead to what it became.
            let row = (c.merged_slot()).and_then(|slot| heirs.get(&row.get(slot).int()?)).unwrap_or(&row);
            let candidate = Candidate {
                order: row.get(order).int().unwrap_or(0),
                id: row.get(ID).int().unwrap_or_default(),
                owner: row.get(owner).int(),
                male: row.get(sex).text() == Some("male"),
                disputed: disputed.is_some_and(|slot| row.get(slot).int().unwrap_or(0) != 0),
            };
            let same_value = candidates.entry(value).or_default();
            if !same_value.contains(&candidate) {
                same_value.push(candidate);
            }
        }
        for (purpose, value) in references {
            let Some(rows) = candidates.get(&declared.spell(value.clone())) else { continue };
            if let Some(row) = chosen(rows, &purpose, names.location) {
                names.ids.insert((purpose, collection.to_owned(), field.to_owned(), value), row.id);
            }
        }
        Ok(())
    }
}

/// The row that a value means, of those that have it.
fn chosen<'c>(rows: &'c [Candidate], purpose: &Purpose, location: i64) -> Option<&'c Candidate> {
    let mut fits: Vec<&Candidate> = (rows.iter())
        .filter(|row| match purpose {
            Purpose::Animal => row.owner == Some(location),
            Purpose::MaleAnimal => row.male,
            _ => true,
        })
        .collect();
    // A number still names its animal when another writer gives the same number to another one.
    if fits.len() > 1 && fits.iter().any(|row| !row.disputed) {
        fits.retain(|row| !row.disputed);
    }
    match purpose {
        Purpose::Code => fits.into_iter().min(),
        // More than one match is no match: animals are not guessed.
        _ if fits.len() == 1 => fits.into_iter().next(),
        _ => None,
    }
}

/// The rows of which the caller of the intake reads the field that was looked up, of this class:
/// rows that are hidden from the caller do not exist. An organisation reads its own rows. It also names
/// those of the organisation to which it sends by a mandate.
async fn readable(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    mut rows: Vec<Record>,
    (owner, class): (usize, Class),
    location: i64,
) -> Result<Vec<Record>> {
    let my = work.caller().organization;
    let mandated = work.caller().is_mandated(location, work.now());
    let foreign = |row: &&Record| {
        let owner = row.get(owner).int();
        (my.is_none() || owner != my) && !(mandated && owner == Some(location))
    };
    let ids: BTreeSet<i64> = rows.iter().filter(foreign).filter_map(|row| row.get(ID).int()).collect();
    if ids.is_empty() || work.caller().sees_all() {
        return Ok(rows);
    }
    let open = work.reads(c.slug, class, ids).await?;
    rows.retain(|row| !foreign(&row) || row.get(ID).int().is_some_and(|id| open.contains(&id)));
    Ok(rows)
}

/// What rows became that were merged.
async fn heirs(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    rows: &[Record],
    fields: &[&str],
) -> Result<IndexMap<i64, Record>> {
    let Some(slot) = c.merged_slot() else { return Ok(IndexMap::default()) };
    let ids: IndexSet<i64> = rows.iter().filter_map(|row| row.get(slot).int()).collect();
    if ids.is_empty() {
        return Ok(IndexMap::default());
    }
    let heirs = work.find(c.slug, Lookup::by_ids("id", ids).fields(fields)).await?;
    Ok((heirs.into_iter()).filter_map(|row| Some((row.get(ID).int()?, row))).collect())
}

/// The organisation that stands for those outside the book, if there is one yet.
async fn outside(book: &mut dyn BookReader) -> Result<Option<i64>> {
    let lookup = Lookup::default()
        .is_in("nameKey", vec![OUTSIDE.to_lowercase().into()])
        .is_in("presence", vec![Value::from("referenced")])
        .test("referencedBy", Test::Empty)
        .fields(&["id"])
        .limit(1);
    let rows = book.find("organizations", lookup).await?;
    Ok(rows.first().and_then(|r| r.get(ID).int()))
}

/// Makes it, on first use.
async fn make_outside(context: &mut dyn HookContext) -> Result<Option<i64>> {
    let fields = vec![("name".to_owned(), Value::from(OUTSIDE)), ("presence".to_owned(), Value::from("referenced"))];
    let made = context.write("organizations", vec![Command::Create(fields)]).await?;
    Ok(made.first().copied())
}
