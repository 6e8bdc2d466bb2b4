//! Two books that differ only in rows that are hidden from the callers. Both begin as one: farms, each with a row of
//! its own in each collection. Then the second farm, which shows nothing to any caller, gets other rows in each of
//! them, and more rows in the first. Ids and places in commit order continue equally in both: what a caller learns
//! from gaps between them is not counted.
//!
//! | organisation | | animals of Beta besides |
//! |---|---|---|
//! | 1 Alpha asks as a stranger; its viewer | | 20 private, once of Past |
//! | 2 Beta hides | | 21 private, its card shown to Partner |
//! | 5 Epsilon deals with Beta | | |
//! | 6 Past, 7 Partner ask too | | |

use crate::laws::{Maker, nested, posted};
use crate::rest::stage::{Filled, Stage, Template, Worlds};
use crate::rest::world::{Tokens, World, begun, fill};
use model::registry::{Collection, Kind, Rule, Scope, Verb};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Dialect, Sql};

/// Farms that ask, with their organisations.
pub(super) const FARMS: [(&str, i64); 3] = [("alpha", 1), ("past", 6), ("partner", 7)];
/// The farm that hides its rows.
const HIDING: i64 = 2;
/// Where ids and places go on in both books.
const ONWARD: i64 = 5_000;

/// One row of each collection by its id.
type Rows = BTreeMap<&'static str, i64>;

/// The rows that are the same in both books.
#[derive(Clone)]
pub(super) struct CommonRows {
    pub(super) tokens: Tokens,
    /// Rows of the farms that ask, by caller.
    pub(super) own: BTreeMap<&'static str, Rows>,
    /// Rows that all callers read.
    pub(super) open: Rows,
}

/// Hidden rows: of one book all, as the Association reads them; by collection.
pub(super) type Hidden = BTreeMap<&'static str, Vec<Value>>;

/// The two books of a database.
pub(super) struct Books {
    pub(super) known: CommonRows,
    /// Of the first book, and of the second.
    pub(super) hidden: [Hidden; 2],
    /// The common beginning of both books.
    pub(super) common: &'static Template,
    pub(super) templates: [&'static Template; 2],
}

impl Books {
    /// None where the database is not there.
    pub(super) async fn on(dialect: Dialect) -> Option<Self> {
        static FIRST: Worlds<Hidden> = Worlds::new();
        static SECOND: Worlds<Hidden> = Worlds::new();
        let common = common(dialect).await?;
        let hidden = async |seeds: &'static [u64]| {
            Stage::begin(&common.template, async |stage: &Stage| hide(stage, &common.known, seeds).await).await
        };
        // Only the first book has the second group of hidden rows.
        let first = FIRST.on(dialect, async |_| hidden(&[101, 103]).await).await?;
        let second = SECOND.on(dialect, async |_| hidden(&[202]).await).await?;
        let ids = |hidden: &Hidden| -> Vec<(&str, Value)> {
            let all = hidden.iter();
            all.map(|(slug, rows)| (*slug, rows[0]["id"].clone())).collect()
        };
        assert_eq!(ids(&first.known), ids(&second.known), "ids of both books");
        Some(Self {
            known: common.known.clone(),
            hidden: [first.known.clone(), second.known.clone()],
            common: &common.template,
            templates: [&first.template, &second.template],
        })
    }
}

async fn common(dialect: Dialect) -> Option<&'static Filled<CommonRows>> {
    static WORLDS: Worlds<CommonRows> = Worlds::new();
    let small = begun(dialect).await?;
    let begin = async |_| Stage::begin(&small.template, async |stage: &Stage| farms(stage, &small.known).await).await;
    WORLDS.on(dialect, begin).await
}

/// Whether all signed-in callers read all rows.
pub(super) fn is_open(c: &Collection) -> bool {
    matches!(c.access.rule(Verb::Read), Rule::Any | Rule::Signed)
}

/// Whether the rows are read by every reader of the production of their animal.
fn is_event(c: &Collection) -> bool {
    let scope = Scope::Production;
    matches!(c.access.rule(Verb::Read), Rule::Event { scope: of, .. } if *of == scope) && c.animal.is_some()
}

/// Whether each row needs one of its own in a collection that all callers read: creating it would be visible.
fn is_one_each(stage: &Stage, c: &Collection) -> bool {
    let open = |to: &str| is_open(stage.book.registry.get(to).unwrap());
    let mut fields = c.fields.iter();
    fields.any(|field| field.unique && points_at(&field.kind).is_some_and(open))
}

pub(super) fn is_made(c: &Collection) -> bool {
    *c.access.rule(Verb::Create) != Rule::Nobody
}

/// The farms that ask, and a row of theirs in each collection.
async fn farms(stage: &Stage, known: &Tokens) -> CommonRows {
    let farm = |id: i64, name: &str| json!({"id": id, "name": name, "presence": "registered", "membership": "member"});
    let user = |id: i64, name: &str, of: i64| {
        json!({"id": id, "email": format!("{name}@demo.herdbook"), "lastName": "Smith",
            "firstName": "Ann", "role": "farmer", "orgRole": "head", "organization": of})
    };
    let cow = |id: i64, past: Value| {
        json!({"id": id, "identNumber": format!("96000000{id:04}"), "sex": "female", "owner": HIDING,
            "birthDate": "2020-01-10", "name": format!("Animal {id}"), "breed": 1,
            "ageGroup": "cow3", "pastOwners": past})
    };
    let farms = vec![farm(5, "Epsilon"), farm(6, "Past"), farm(7, "Partner")];
    fill(stage, "organizations", farms).await;
    fill(stage, "users", vec![user(61, "past", 6), user(71, "partner", 7)]).await;
    fill(stage, "animals", vec![cow(20, json!([6])), cow(21, json!([]))]).await;
    let grant = json!({"id": 1, "owner": HIDING, "grantee": 7, "animal": 21, "scopes": ["origin"]});
    fill(stage, "access-grants", vec![grant]).await;
    let mut tokens = known.clone();
    for who in ["past", "partner"] {
        let token = stage.token(&format!("{who}@demo.herdbook")).await;
        tokens.insert(who, format!("JWT {token}"));
    }
    let world = World::of(stage, tokens.clone());
    let (mut own, mut open) = (BTreeMap::new(), Rows::new());
    for ((who, farm), seed) in FARMS.into_iter().zip(1..) {
        let mut maker = Maker::new(&world, seed);
        maker.owner = farm;
        maker.rows = open.clone();
        let mut rows = Rows::new();
        for c in stage.book.registry.iter().filter(|c| is_made(c)) {
            if is_open(c) && maker.rows.contains_key(c.slug) && !c.slug.eq("herds") {
                continue;
            }
            let body = nested(&maker.values(c).await);
            let made = made(&world, &[who, "admin"], c, body).await;
            if let Some(id) = made.or(maker.rows.get(c.slug).copied()) {
                rows.insert(c.slug, id);
                maker.rows.entry(c.slug).or_insert(id);
            }
        }
        let shared = stage.book.registry.iter().filter(|c| is_open(c) && c.slug != "herds");
        open.extend(shared.filter_map(|c| Some((c.slug, *maker.rows.get(c.slug)?))));
        rows.extend(open.iter().map(|(slug, id)| (*slug, *id)));
        own.insert(who, rows);
    }
    CommonRows { tokens, own, open }
}

/// Makes a row as the first of these callers that may.
async fn made(world: &World<'_>, by: &[&str], c: &'static Collection, body: Value) -> Option<i64> {
    let mut lines = String::new();
    for who in by {
        let answer = posted(world, who, c, body.clone()).await;
        if answer.status == 201 {
            return answer.json()["doc"]["id"].as_i64();
        }
        lines = answer.text;
    }
    eprintln!("no row of {}: {lines}", c.slug);
    None
}

/// Rows that the callers do not read, one group for each seed.
async fn hide(stage: &Stage, known: &CommonRows, seeds: &[u64]) -> Hidden {
    let world = World::of(stage, known.tokens.clone());
    let mut ids: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
    for seed in seeds {
        let mut maker = Maker::new(&world, *seed);
        maker.owner = HIDING;
        maker.closed = true;
        maker.rows = known.open.clone();
        // All callers read its herds.
        maker.rows.insert("herds", 3);
        for c in stage.book.registry.iter().filter(|c| is_made(c) && !is_open(c) && !is_one_each(stage, c)) {
            let body = nested(&maker.values(c).await);
            let id = made(&world, &["beta", "admin"], c, body).await;
            let id = id.or(maker.rows.get(c.slug).copied());
            ids.entry(c.slug).or_default().extend(id);
            // Rows that callers do not see, about animals that they know from elsewhere.
            if is_event(c) {
                for animal in [20, 21] {
                    let mut values = maker.values(c).await;
                    values.insert("animal", json!(animal));
                    made(&world, &["beta", "admin"], c, nested(&values)).await;
                }
            }
        }
    }
    let mut hidden = Hidden::new();
    for (slug, ids) in ids.into_iter().filter(|(_, ids)| !ids.is_empty()) {
        let mut rows = Vec::new();
        for id in ids {
            let path = format!("/api/{slug}/{id}?depth=0");
            for who in ["admin", "beta"] {
                let answer = world.get(who, &path).await;
                if answer.status == 200 {
                    rows.push(answer.json());
                    break;
                }
            }
        }
        if !rows.is_empty() {
            hidden.insert(slug, rows);
        }
    }
    let tables = stage.book.registry.iter().map(|c| (c.table.clone(), ONWARD));
    let rest = ["mail_outbox", "exchange_kept"].map(|name| (name.to_owned(), ONWARD));
    let all: BTreeMap<String, i64> = tables.chain(rest).collect();
    advance(stage, &all, 20 * ONWARD).await;
    hidden
}

/// The next id of each table, and the last place in commit order.
pub(super) async fn counters(stage: &Stage) -> (BTreeMap<String, i64>, i64) {
    let rows = stage.book.store.rows(Sql::new("SELECT name, next FROM book_ids")).await.unwrap();
    let row = |r: &store::Row| (r.text(0).unwrap().to_owned(), r.int(1).unwrap());
    let seq = stage.number("SELECT seq FROM book_sequence").await;
    (rows.iter().map(row).collect(), seq)
}

/// Lets ids and places go on from here, or from where they are if that is further.
pub(super) async fn advance(stage: &Stage, ids: &BTreeMap<String, i64>, seq: i64) {
    let ids = ids.clone();
    let job = stage.book.store.write(move |tx| {
        Box::pin(async move {
            for (table, next) in ids {
                tx.reserve(&table, next - 1).await?;
            }
            while tx.next_seq() < seq {}
            Ok(())
        })
    });
    job.await.unwrap();
}

/// The field that names the animal of a row, if the row is about one.
pub(super) fn points_at(kind: &Kind) -> Option<&str> {
    match kind {
        Kind::Relation(to) | Kind::Relations(to) => Some(to),
        _ => None,
    }
}
