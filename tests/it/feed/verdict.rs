//! The rules that must hold once a schedule is over.

use super::reader::{Reader, read};
use super::stage::{Herd, Side};
use super::writers::Shared;
use feed_oracle::{Key, Resource, against_last};
use std::collections::BTreeMap;
use store::{Sql, Ty};

/// A document as it is stored in the table.
struct Stored {
    dataset: String,
    resource: Resource,
    body: String,
}

impl Stored {
    fn location(&self) -> i64 {
        self.resource.location.rsplit_once('/').unwrap().1.parse().unwrap()
    }
}

/// Documents that changed since the schedule began, in commit order.
async fn stored(side: &Side, start: i64) -> Vec<Stored> {
    let columns = "d.seq, n.name, s.name, d.source_id, d.location, d.deleted, d.modified, d.body";
    let sql = Sql::new(&format!(
        "SELECT {columns} FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
         JOIN exchange_names s ON s.id = d.source WHERE d.seq > "
    ))
    .with(Ty::Int, start)
    .and(" ORDER BY d.seq");
    let mut last = start;
    let mut all = Vec::new();
    for row in side.rows(sql).await {
        let seq = row.int(0).unwrap();
        assert!(seq > last, "{seq} twice");
        last = seq;
        let body = row.compressed(7).unwrap();
        let resource = read(&body);
        let stored = Stored { dataset: row.text(1).unwrap().to_owned(), resource, body };
        let columns = (row.text(2).unwrap(), row.text(3).unwrap(), row.int(4).unwrap());
        let [_, _, source, id] = stored.resource.key.parts();
        assert_eq!(columns, (source.as_str(), id.as_str(), stored.location()));
        let state = stored.resource.state;
        let modified = row.int(6).map(|ms| i128::from(ms) * 1_000_000);
        assert_eq!((row.truth(5).unwrap(), modified), (state.deleted, state.modified));
        all.push(stored);
    }
    all
}

pub(super) async fn faults(side: &Side, herd: Herd, readers: &[Reader], shared: &Shared) -> Vec<String> {
    let start = readers.first().map_or(0, |r| r.start);
    let documents = stored(side, start).await;
    let mut faults = shared.faults.lock().unwrap().clone();
    for reader in readers {
        faults.extend(reader.faults.iter().map(|f| format!("{}: {f}", reader.name)));
        faults.extend(replayed(&documents, reader));
    }
    let all: BTreeMap<&Key, &Resource> = (documents.iter()).map(|d| (&d.resource.key, &d.resource)).collect();
    for (key, modified) in shared.answers.lock().unwrap().iter() {
        // A row may have changed its pair since; then its tombstone is here.
        match all.get(key) {
            None => faults.push(format!("{key} was answered and is nowhere")),
            Some(stands) if stands.state.modified < *modified => {
                faults.push(format!("{key} was answered at {modified:?} and stands at {:?}", stands.state.modified));
            }
            Some(_) => {}
        }
    }
    faults.extend(counted(side, herd, &documents).await);
    faults.extend(orphans(side, herd).await);
    faults
}

/// Compares the documents of a reader with those that it may see.
fn replayed(documents: &[Stored], reader: &Reader) -> Vec<String> {
    let own = documents.iter().filter(|d| {
        let seen = reader.principal.organization.is_none_or(|my| d.location() == my);
        seen && reader.dataset.is_none_or(|set| set == d.dataset)
    });
    let own: Vec<&Stored> = own.collect();
    let states = own.iter().map(|d| &d.resource);
    let mut faults: Vec<String> = against_last(states, &reader.states, &reader.heard)
        .into_iter()
        .map(|violation| format!("{} {violation}", reader.name))
        .collect();
    for d in own {
        let has = reader.bodies.get(&d.resource.key);
        if has.is_some_and(|body| *body != d.body) {
            faults.push(format!("{} holds {has:?}, not {}", reader.name, d.body));
        }
    }
    faults
}

async fn counted(side: &Side, herd: Herd, documents: &[Stored]) -> Vec<String> {
    // All documents of a farm are of this schedule.
    let farms = herd.farms();
    let mut live: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    for d in documents.iter().filter(|d| farms.contains(&d.location())) {
        let count = live.entry((d.location(), &d.dataset)).or_default();
        *count += i64::from(!d.resource.state.deleted);
    }
    let [first, second] = herd.farms();
    let sql = Sql::new("SELECT location, dataset, live FROM exchange_counts WHERE location IN (")
        .with(Ty::Int, first)
        .and(",")
        .with(Ty::Int, second)
        .and(")");
    let rows = side.rows(sql).await;
    let totals: BTreeMap<(i64, &str), i64> =
        (rows.iter()).map(|r| ((r.int(0).unwrap(), r.text(1).unwrap()), r.int(2).unwrap())).collect();
    live.retain(|place, count| totals.get(place).copied().unwrap_or(0) != *count);
    (live.into_iter())
        .map(|((location, dataset), count)| {
            format!("{dataset} at {location} has {count} documents, counted are {:?}", totals.get(&(location, dataset)))
        })
        .collect()
}

/// Live documents whose row is gone.
async fn orphans(side: &Side, herd: Herd) -> Vec<String> {
    let mut faults = Vec::new();
    for mapping in side.exchange.rules().mappings().iter() {
        let table = &side.book.registry.get(mapping.collection()).unwrap().table;
        let [first, second] = herd.farms();
        let sql = Sql::new("SELECT d.source_id FROM exchange_documents d WHERE d.location IN (")
            .with(Ty::Int, first)
            .and(",")
            .with(Ty::Int, second)
            .and(") AND d.dataset = (SELECT n.id FROM exchange_names n WHERE n.name = ")
            .with(Ty::Text, mapping.dataset())
            .and(") AND d.collection = (SELECT n.id FROM exchange_names n WHERE n.name = ")
            .with(Ty::Text, mapping.collection())
            .and(") AND d.deleted = ")
            .with(Ty::Bool, false)
            .and(&format!(" AND NOT EXISTS (SELECT 1 FROM \"{table}\" t WHERE t.id = d.record)"));
        for row in side.rows(sql).await {
            faults.push(format!("{} {:?} has no row", mapping.dataset(), row.text(0)));
        }
    }
    faults
}

/// Documents that rendering everything from scratch changes: there must be none.
pub(super) async fn anew(side: &Side) -> Vec<(i64, String)> {
    let sql = || Sql::new("SELECT seq, location, body FROM exchange_documents ORDER BY seq");
    let read = |rows: Vec<store::Row>| -> BTreeMap<i64, (i64, String)> {
        (rows.iter()).map(|r| (r.int(0).unwrap(), (r.int(1).unwrap(), r.compressed(2).unwrap()))).collect()
    };
    let before = read(side.rows(sql()).await);
    side.exchange.projector().reproject(&side.book, |_, _| {}).await.unwrap();
    let after = read(side.rows(sql()).await);
    let differ = |a: &BTreeMap<i64, (i64, String)>, b: &BTreeMap<i64, (i64, String)>, what: &str| {
        (a.iter())
            .filter(|(seq, doc)| b.get(seq) != Some(doc))
            .map(|(_, (location, body))| (*location, format!("{what}: {body}")))
            .collect::<Vec<_>>()
    };
    let mut all = differ(&before, &after, "stood");
    all.extend(differ(&after, &before, "renders as"));
    all
}
