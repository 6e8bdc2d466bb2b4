//! A book with rows in each relation to each caller, inserted into the tables directly, without any rules.
//! Fields that no rule reads get plain values, made from the declarations.
//!
//! | organisation | | animals (all but three of Home) |
//! |---|---|---|
//! | 1 Home | | 1 private, granted to 8; 2 public; 3 card; 4 private, once of 3; 5 public, once of 3 |
//! | 2 Stranger | | 6 card, genotypes published; 7 details without public; 11 private, archived |
//! | 3 Past owner | | 8 private and 9 card of Stranger |
//! | 4–7 granted origin, production, evaluation, documents | | 10 private of 12; 12 public, genotypes published |
//! | 8 granted all of animal 1 | | |
//! | 9 revoked, 10 expired | | |
//! | 11 genotype consent, 12 suspended, 13 referenced by Home, 14 merged into Home | | |

use super::oracle::{Caller, Kind as Class};
use super::rules::{Cap, LINES};
use crate::rest::stage::{DIALECTS, NOW, PASSWORD, Stage, Worlds};
use model::record::Value as Cell;
use model::registry::{Class as Declared, Collection, Field, Kind};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use store::{Dialect, Sql, Ty};

type Row = Map<String, Value>;

/// The tokens of the callers by name.
pub(crate) type Tokens = BTreeMap<&'static str, String>;

const HEAD: [Cap; 6] = [Cap::Data, Cap::Submit, Cap::Move, Cap::Share, Cap::Team, Cap::Org];

type Person = (&'static str, i64, &'static str, &'static str, Option<i64>, Option<i64>);

/// Callers: name, user, role, place, organisation, *my*.
const PEOPLE: [Person; 21] = table![
    "head", 1, "farmer", "head", Some(1), Some(1);
    "operator", 2, "farmer", "operator", Some(1), Some(1);
    "viewer", 3, "farmer", "viewer", Some(1), Some(1);
    "stranger", 4, "service", "head", Some(2), Some(2);
    "past", 5, "farmer", "head", Some(3), Some(3);
    "origin", 6, "farmer", "head", Some(4), Some(4);
    "production", 7, "farmer", "head", Some(5), Some(5);
    "evaluation", 8, "farmer", "head", Some(6), Some(6);
    "documents", 9, "farmer", "head", Some(7), Some(7);
    "single", 10, "farmer", "head", Some(8), Some(8);
    "revoked", 11, "farmer", "head", Some(9), Some(9);
    "expired", 12, "farmer", "head", Some(10), Some(10);
    "genotypes", 13, "service", "head", Some(11), Some(11);
    "suspended", 14, "farmer", "head", Some(12), Some(12);
    "merged", 15, "farmer", "head", Some(14), Some(1);
    "blocked", 16, "farmer", "head", Some(1), None;
    "expert", 17, "expert", "head", None, None;
    "admin", 18, "admin", "head", None, None;
    "", 0, "", "", None, None;
    "stranger's operator", 20, "individual", "operator", Some(2), Some(2);
    "past's viewer", 21, "farmer", "viewer", Some(3), Some(3);
];

pub(super) fn callers() -> Vec<Caller> {
    let caller = |(name, user, role, place, _, my): (&'static str, i64, &str, &str, _, _)| {
        let nobody = name.is_empty() || name == "blocked";
        let kind = match role {
            _ if nobody => Class::Anonymous,
            "expert" | "admin" => Class::Association,
            _ => Class::Farm,
        };
        let caps: &[Cap] = match place {
            _ if kind != Class::Farm => &[],
            "operator" => &[Cap::Data, Cap::Submit],
            "viewer" => &[],
            _ => &HEAD,
        };
        // "membership=suspended takes submit, move, share"
        let taken = [Cap::Submit, Cap::Move, Cap::Share];
        let remaining = |cap: &Cap| name != "suspended" || !taken.contains(cap);
        Caller {
            name,
            kind,
            admin: role == "admin",
            user: (!nobody).then_some(user),
            my,
            caps: caps.iter().copied().filter(remaining).collect(),
            viewer: place == "viewer",
        }
    };
    PEOPLE.map(caller).into()
}

/// One filled book after another on each database, at any depth; and the tokens of the callers.
pub(crate) async fn both(test: impl AsyncFn(&Stage, Tokens)) {
    for dialect in DIALECTS {
        on(dialect, &test).await;
    }
}

/// The same on one of them, where it is there.
pub(crate) async fn on(dialect: Dialect, test: &impl AsyncFn(&Stage, Tokens)) {
    static WORLDS: Worlds<Tokens> = Worlds::new();
    let begin = async |empty| Stage::begin(empty, fill).await;
    if let Some(begun) = WORLDS.on(dialect, begin).await {
        let test = async |stage: &Stage| test(stage, begun.known.clone()).await;
        Stage::show(&begun.template, &test).await;
    }
}

/// Fills the book and signs all callers in; the blocked user before the block.
pub(crate) async fn fill(stage: &Stage) -> Tokens {
    let mut all = BTreeMap::new();
    for slug in order() {
        let c = stage.book.registry.get(slug).expect(slug);
        all.insert(slug, rows(stage, c));
    }
    for optional in [false, true] {
        for slug in order() {
            let c = stage.book.registry.get(slug).unwrap();
            let made = all[slug].to_vec();
            put(stage, c, made, optional).await;
        }
    }
    stage.repeat().await;
    let mut tokens = BTreeMap::new();
    for (name, user, ..) in PEOPLE {
        if !name.is_empty() {
            let token = stage.token(&format!("u{user}@demo.herdbook")).await;
            tokens.insert(name, format!("JWT {token}"));
        }
    }
    let mut block = Sql::new("UPDATE users SET blocked_at = ");
    block.bind(Ty::Time, Cell::Time(NOW)).push(" WHERE id = 16");
    stage.run(block).await;
    tokens
}

/// Collections that others must point at come first.
fn order() -> Vec<&'static str> {
    let first = ["organizations", "users", "animals", "media", "health-event-types"];
    let rest = LINES.iter().map(|l| l.slug).filter(|s| !first.contains(s));
    first.into_iter().chain(rest).collect()
}

fn row(value: Value) -> Row {
    let Value::Object(row) = value else { panic!("{value}") };
    row
}

/// The rows of a collection: what the rules read, and the rest filled.
fn rows(stage: &Stage, c: &'static Collection) -> Vec<(i64, Row)> {
    let said = match c.slug {
        "organizations" => organizations(),
        "users" => users(stage),
        "animals" => animals(),
        "access-grants" => grants(),
        "genotype-consents" => consents(),
        _ => related(c),
    };
    let with_id = |(at, said): (usize, Value)| (i64::try_from(at).unwrap() + 1, row(said));
    let mut all: Vec<_> = said.into_iter().enumerate().map(with_id).collect();
    if c.slug == "users" {
        for ((id, _), person) in all.iter_mut().zip(PEOPLE.iter().filter(|p| p.1 > 0)) {
            *id = person.1;
        }
    }
    for (id, said) in &mut all {
        for field in &c.fields {
            let known = said.contains_key(&field.path) || field.class == Declared::Hidden;
            let own = ["id", "createdAt", "updatedAt"].contains(&field.path.as_str());
            if !known && !own {
                said.insert(field.path.clone(), plain(field, *id));
            }
        }
    }
    all
}

fn organizations() -> Vec<Value> {
    (1..=14)
        .map(|id| {
            json!({
                "presence": if id == 13 { "referenced" } else { "registered" },
                "referencedBy": if id == 13 { json!(1) } else { Value::Null },
                "mergedInto": if id == 14 { json!(1) } else { Value::Null },
                "membership": match id { 12 => "suspended", 13 => "none", _ => "member" },
            })
        })
        .collect()
}

fn users(stage: &Stage) -> Vec<Value> {
    let people = PEOPLE.iter().filter(|p| p.1 > 0);
    let user = |(_, id, role, place, organization, _): &(_, i64, &str, &str, Option<i64>, _)| {
        json!({
            "email": format!("u{id}@demo.herdbook"), "role": role, "orgRole": place,
            "organization": organization, "blockedAt": null, "confirmed": true,
            "verifier": stage.book.passwords.hash(PASSWORD).unwrap(),
        })
    };
    people.map(user).collect()
}

fn animals() -> Vec<Value> {
    let animal = |(owner, public, details, past): (i64, bool, bool, &[i64])| {
        json!({
            "mergedInto": null, "owner": owner, "publicVisible": public, "publicDetails": details,
            "pastOwners": past, "herd": null, "idFormat": "internal",
            "state": "alive", "archived": false, "registration.number": null,
        })
    };
    let all: [(i64, bool, bool, &[i64]); 12] = [
        (1, false, false, &[]),
        (1, true, false, &[]),
        (1, true, true, &[]),
        (1, false, false, &[3]),
        (1, true, false, &[2, 3]),
        (1, true, true, &[]),
        (1, false, true, &[]),
        (2, false, false, &[]),
        (2, true, true, &[1]),
        (12, false, false, &[]),
        (1, false, false, &[]),
        (1, true, false, &[]),
    ];
    let mut all = all.map(animal);
    all[10]["archived"] = true.into();
    all.into()
}

fn grants() -> Vec<Value> {
    let every = json!(["origin", "production", "evaluation", "documents"]);
    let grant = |owner: i64, grantee: i64, animal: Value, scopes: Value| {
        json!({
            "owner": owner, "grantee": grantee, "animal": animal, "scopes": scopes,
            "revokedAt": null, "expiresAt": null,
        })
    };
    let mut all = vec![
        grant(1, 4, Value::Null, json!(["origin"])),
        grant(1, 5, Value::Null, json!(["production"])),
        grant(1, 6, Value::Null, json!(["evaluation"])),
        grant(1, 7, Value::Null, json!(["documents"])),
        grant(1, 8, json!(1), every.clone()),
        grant(1, 9, Value::Null, every.clone()),
        grant(1, 10, Value::Null, every.clone()),
        // Stranger does not own animal 1, and gave a grant for an own animal to the past owner.
        grant(2, 10, json!(1), every.clone()),
        grant(2, 3, json!(8), json!(["production", "evaluation"])),
        grant(2, 8, Value::Null, json!(["documents"])),
    ];
    all[5]["revokedAt"] = "2026-02-01".into();
    all[6]["expiresAt"] = "2026-02-28".into();
    all[4]["expiresAt"] = "2026-12-31".into();
    all
}

fn consents() -> Vec<Value> {
    let consent = |owner: i64, grantee: Value, animal: Value, purposes: Value| {
        json!({
            "owner": owner, "grantee": grantee, "animal": animal, "purposes": purposes,
            "revokedAt": null, "expiresAt": null,
        })
    };
    let mut all = vec![
        consent(1, json!(11), Value::Null, json!(["research"])),
        consent(1, Value::Null, json!(6), json!(["publication"])),
        // Not a card: publication opens nothing.
        consent(1, Value::Null, json!(12), json!(["publication"])),
        consent(1, json!(9), Value::Null, json!(["exchange"])),
        consent(1, json!(10), Value::Null, json!(["evaluation"])),
        consent(2, json!(4), json!(9), json!(["exchange"])),
        consent(2, json!(5), json!(2), json!(["exchange"])),
    ];
    all[3]["revokedAt"] = "2026-02-01".into();
    all[4]["expiresAt"] = "2026-02-28".into();
    all
}

/// Organisations and users, dealt to subject columns in turn.
const DEALT: [i64; 11] = [1, 2, 12, 3, 1, 4, 1, 8, 2, 1, 11];
const USERS: [i64; 7] = [1, 2, 4, 3, 17, 5, 14];

/// Rows in turn of all subjects; those about animals twice of each animal, once with its owner.
fn related(c: &Collection) -> Vec<Value> {
    let line = super::oracle::rules(c.slug);
    let about = c.field("animal").is_some() && c.slug != "events-none";
    let subjects = ["author", "actor", "requester", "recordedBy", "user"];
    let organizations = line.subjects.iter().chain(line.writers).copied();
    let mut columns: Vec<&str> = organizations.filter(|p| c.field(p).is_some()).collect();
    columns.extend(subjects.iter().filter(|p| c.field(p).is_some()));
    columns.sort_unstable();
    columns.dedup();
    let count = if about {
        24
    } else if columns.is_empty() {
        3
    } else {
        12
    };
    let owners = [1, 1, 1, 1, 1, 1, 1, 2, 2, 12, 1, 1];
    let mut all = Vec::new();
    for k in 0..count {
        let mut row = json!({});
        for (j, path) in columns.iter().enumerate() {
            let user = subjects.contains(path);
            let turn = k + 3 * j;
            row[*path] = match c.field(path) {
                Some(f) if f.required || turn % 5 != 4 => {
                    let of: &[i64] = if user { &USERS } else { &DEALT };
                    of[turn % of.len()].into()
                }
                _ => Value::Null,
            };
            if *path == "id" {
                row = json!({});
            }
        }
        if about {
            row["animal"] = (k % 12 + 1).into();
            if let (Some(owner), Some(_)) = (owners.get(k), c.field("ownerOrg")) {
                row["ownerOrg"] = (*owner).into();
            }
        }
        single(c.slug, k, &mut row);
        all.push(row);
    }
    all
}

/// Sets the fields that the rules of single collections name.
fn single(slug: &str, k: usize, row: &mut Value) {
    let odd = k % 2 == 1;
    match slug {
        "saved-searches" => {
            row["list"] = "animals".into();
            row["scope"] = if odd { "organization" } else { "private" }.into();
            row["author"] = USERS[k % USERS.len()].into();
            // Nobody is the author of sets that were sent.
            if k % 4 == 3 {
                row["author"] = Value::Null;
            }
        }
        "events" => {
            row["status"] = if k.is_multiple_of(3) { "draft" } else { "accepted" }.into();
            row["type"] = "remark".into();
        }
        "index-profiles" if odd => row["organization"] = Value::Null,
        "documents" => {
            row["type"] = if k.is_multiple_of(3) { "genotypeReport" } else { "other" }.into();
            row["issuedBy"] = Value::Null;
            row["issuedAt"] = Value::Null;
            row["revoked.at"] = Value::Null;
        }
        // Applied ones would be applied anew when one of them is written.
        "movements" => row["applied"] = false.into(),
        "media" => row["visibility"] = if odd { "public" } else { "private" }.into(),
        "animal-gallery" => {
            row["moderation"] = ["approved", "pending", "rejected"][k % 3].into();
            row["media"] = (k % 12 + 1).into();
            row["isMain"] = false.into();
        }
        "animal-evaluations" => {
            row["isCurrent"] = (k < 12).into();
            // A row of a run that is not released is the Association's alone.
            row["run"] = [1.into(), Value::Null][usize::from(k < 12)].clone();
            row["release"] = [Value::Null, "awaited".into(), "given".into()][k % 3].clone();
        }
        "animal-exteriors" => row["isCurrent"] = (k < 12).into(),
        "animal-revisions" => {
            let paths = ["name", "altIds.earTag", "current.parity", "ipcDetails.r", "dnaTests", "notes"];
            row["collection"] = "animals".into();
            row["path"] = paths[k % 6].into();
            row["class"] = ["r", "c", "p", "e", "g", "o"][k % 6].into();
        }
        "daily-milkings" => row["origin"] = "manual".into(),
        "index-values" => {
            row["profileKey"] = format!("own:{k}").into();
            row["organization"] = [Value::Null, 1.into(), 2.into()][k % 3].clone();
        }
        "check-thresholds" => row["key"] = ["fatMin", "fatMax", "milkMin"][k % 3].into(),
        "check-settings" => row["code"] = ["no-breed", "no-parents", "calving-order"][k % 3].into(),
        // One of each; no limit at all: everybody asks for thousands of things here.
        "quotas" => {
            row["organization"] = (k + 1).into();
            let limits = ["read", "write", "bulk", "concurrent"];
            for limit in limits.into_iter().chain(["storage", "files", "records"]) {
                row[limit] = 0.into();
            }
        }
        _ => {}
    }
}

/// The text of a field, which tells row and field.
pub(super) fn text_of(path: &str, id: i64, max: usize) -> String {
    let text = format!("{id}{}", path.replace('.', ""));
    text.chars().take(max).collect()
}

/// A value of the field's kind, different in each row.
fn plain(field: &Field, id: i64) -> Value {
    let n = usize::try_from(id).unwrap();
    match &field.kind {
        Kind::Text(max) => text_of(&field.path, id, *max).into(),
        Kind::LongText => format!("About {id}").into(),
        Kind::Email => format!("e{id}@demo.herdbook").into(),
        Kind::Password => Value::Null,
        // Without bounds it may be part of a key.
        Kind::Int if field.max.is_none() && field.min.is_none() => json!(id),
        Kind::Int => json!(field.min.unwrap_or(0.0).max(1.0)),
        // Whole: numbers have no trailing zero.
        #[expect(clippy::cast_possible_truncation, reason = "small")]
        Kind::Number => json!(field.min.unwrap_or(0.0).max(1.0).ceil() as i64),
        Kind::Day | Kind::Instant => format!("2025-{:02}-{:02}", 1 + id % 12, 1 + id % 28).into(),
        Kind::Bool => (id % 2 == 1).into(),
        Kind::Json => json!({"any": id}),
        Kind::Select(options) => options[n % options.len()].clone().into(),
        Kind::Selects(options) => json!([options[n % options.len()]]),
        Kind::Texts(max) => json!([format!("{id}").chars().take(*max).collect::<String>()]),
        Kind::Relation(to) => target(to, &field.path, id).into(),
        Kind::Relations(to) => json!([target(to, &field.path, id)]),
        Kind::Rows(subs) => {
            let members = (subs.iter()).filter(|s| s.class != Declared::Hidden).map(|s| (s.path.clone(), plain(s, id)));
            let mut row: Row = members.collect();
            row.insert("id".into(), format!("row{id}").into());
            json!([row])
        }
    }
}

/// Some row of a collection, neither the same for all rows nor for all fields.
fn target(to: &str, path: &str, id: i64) -> i64 {
    let many = match to {
        "organizations" => 13,
        "users" => 15,
        "animals" => 12,
        "access-grants" => 10,
        "genotype-consents" => 7,
        "media" | "documents" | "data-submissions" | "access-requests" | "herds" => 12,
        _ => 3,
    };
    let letters = i64::try_from(path.len()).unwrap();
    1 + (id + letters) % many
}

fn cell(field: &Field, value: &Value) -> Cell {
    let texts = |v: &Value| {
        let all = v.as_array().unwrap().iter();
        all.map(|t| t.as_str().unwrap().to_owned()).collect()
    };
    match (&field.kind, value) {
        (_, Value::Null) => Cell::Null,
        (Kind::Int | Kind::Relation(_), v) => {
            #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
            let whole = v.as_f64().unwrap() as i64;
            Cell::Int(whole)
        }
        (Kind::Number, v) => Cell::Num(v.as_f64().unwrap()),
        (Kind::Day | Kind::Instant, v) => {
            let at = format!("{}T00:00:00Z", v.as_str().unwrap());
            Cell::Time(at.parse::<jiff::Timestamp>().unwrap().as_millisecond())
        }
        (Kind::Bool, v) => Cell::Bool(v.as_bool().unwrap()),
        (Kind::Selects(_) | Kind::Texts(_), v) => Cell::Texts(texts(v)),
        (Kind::Json | Kind::Rows(_), v) => Cell::json(v.clone()),
        (_, v) => Cell::Text(v.as_str().unwrap().to_owned()),
    }
}

/// Writes rows: first all but optional relations, then those.
async fn put(stage: &Stage, c: &'static Collection, rows: Vec<(i64, Row)>, optional: bool) {
    let job = stage.book.store.write(move |tx| {
        Box::pin(async move {
            tx.note_rights_change();
            for (id, row) in rows {
                let late = |f: &Field| matches!(f.kind, Kind::Relation(_)) && !f.required;
                let mut cells: Vec<(&Field, Cell)> = (c.fields.iter())
                    .filter(|f| !matches!(f.kind, Kind::Relations(_) | Kind::Password))
                    .filter(|f| late(f) == optional && row.contains_key(&f.path))
                    .map(|f| (f, cell(f, &row[&f.path])))
                    .collect();
                if optional {
                    if !cells.is_empty() {
                        let mut sql = Sql::new("UPDATE ");
                        sql.name(&c.table);
                        for (at, (field, value)) in cells.into_iter().enumerate() {
                            sql.push(if at > 0 { ", " } else { " SET " });
                            sql.name(&field.column).push(" = ").bind(Ty::of(field), value);
                        }
                        sql.push(" WHERE id = ").bind(Ty::Int, id);
                        tx.run(sql).await?;
                    }
                    for field in &c.fields {
                        let (Kind::Relations(_), Some(all)) = (&field.kind, row.get(&field.path)) else {
                            continue;
                        };
                        for (at, target) in all.as_array().unwrap().iter().enumerate() {
                            let mut sql = Sql::new("INSERT INTO ");
                            sql.name(&c.link_table(field)).push(" (owner, position, target) VALUES (");
                            sql.bind(Ty::Int, id).push(", ");
                            sql.bind(Ty::Int, i64::try_from(at).unwrap()).push(", ");
                            sql.bind(Ty::Int, target.as_i64().unwrap()).push(")");
                            tx.run(sql).await?;
                        }
                    }
                    continue;
                }
                tx.reserve(&c.table, id).await?;
                let field = |path: &str| c.field(path).unwrap();
                cells.push((field("id"), Cell::Int(id)));
                cells.push((field("createdAt"), Cell::Time(NOW)));
                cells.push((field("updatedAt"), Cell::Time(NOW)));
                cells.push((field("seq"), Cell::Int(tx.next_seq())));
                cells.extend(c.disputed.map(|path| (field(path), Cell::Int(0))));
                let mut sql = Sql::new("INSERT INTO ");
                sql.name(&c.table).push(" (");
                for (at, (field, _)) in cells.iter().enumerate() {
                    sql.push(if at > 0 { ", " } else { "" }).name(&field.column);
                }
                sql.push(") VALUES (");
                for (at, (field, value)) in cells.into_iter().enumerate() {
                    sql.push(if at > 0 { ", " } else { "" }).bind(Ty::of(field), value);
                }
                sql.push(")");
                tx.run(sql).await?;
            }
            Ok(())
        })
    });
    job.await.unwrap_or_else(|e| panic!("{}: {e}", c.slug));
}
