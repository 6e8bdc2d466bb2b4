//! Every state machine of the book, every pair of its states, every class of caller: the expected answers are
//! written by hand here, and not taken from the declarations.
//!
//! Callers are letters: `F` the head of the farm, `O` its operator, `V` its viewer, `B` the head of another farm, `A` an
//! expert, `M` an admin, `-` a stranger.

mod machines;

use crate::rest::world::{FORBIDDEN, World, fill, paths};
use machines::{ALIKE, ELSEWHERE, MACHINES, Machine};
use model::record::Value;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use store::{Dialect, Sql, Ty};

const CALLERS: [(char, &str); 7] =
    [('F', "alpha"), ('O', "operator"), ('V', "viewer"), ('B', "beta"), ('A', "expert"), ('M', "admin"), ('-', "")];

/// 2026-01-05T00:00:00Z
const DAY: i64 = 1_767_571_200_000;

/// Values written past all rules.
type Forced = Vec<(&'static str, Value)>;

#[derive(Debug, PartialEq)]
enum Expected {
    Done,
    Ignored,
    Illegal,
    Refused,
}

impl Machine {
    fn expected(&self, who: char, from: &str, to: &str) -> Expected {
        if self.ignored.contains(who) {
            return Expected::Ignored;
        }
        let legal = self.moves.split(", ").find_map(|one| {
            let (arrow, by) = one.split_once(' ')?;
            (arrow.trim() == format!("{from}>{to}")).then_some(by)
        });
        match legal {
            Some(by) if by.contains(who) => Expected::Done,
            Some(_) => Expected::Refused,
            // Documents that were issued are the Association's.
            None if self.slug == "documents" && from != "draft" && !"AM".contains(who) => Expected::Refused,
            None if self.writers.contains(who) => Expected::Illegal,
            // The buyer may object, and nothing else (`movements` tests objections).
            None if (self.slug, from, who) == ("movements", "none", 'B') => Expected::Illegal,
            None => Expected::Refused,
        }
    }

    /// The stored values of a state.
    fn forced(&self, state: &str) -> Forced {
        let day = Value::Time(DAY);
        let or_null = |yes: bool| if yes { day.clone() } else { Value::Null };
        match (self.slug, self.path) {
            ("animals", "archived") => vec![("archived", Value::Bool(state == "true")), ("archivedAt", Value::Null)],
            ("animals", "state") => vec![
                ("state", state.into()),
                ("disposalDate", or_null(state != "alive")),
                ("disposalOrganization", Value::Null),
                ("owner", Value::Int(1)),
                ("archived", Value::Bool(false)),
                ("trustLevel", Value::Int(0)),
                ("registration.status", "none".into()),
            ],
            ("animals", "trustLevel") => vec![("trustLevel", Value::Int(state.parse().unwrap()))],
            ("animals", "registration.status") => {
                vec![("registration.status", state.into()), ("registration.number", "A-2020-0000001".into())]
            }
            ("movements", _) => table![
                "confirmation", state.into();
                "applied", Value::Bool(state == "confirmed" || state == "none");
            ]
            .into(),
            ("access-grants", _) => vec![("revokedAt", or_null(state == "revoked"))],
            ("users", _) => vec![("blockedAt", or_null(state == "blocked"))],
            ("data-submissions", "consent.agreed") => {
                vec![("consent.agreed", Value::Bool(state == "true")), ("status", "uploaded".into())]
            }
            ("data-submissions", _) => vec![("status", state.into()), ("consent.agreed", Value::Bool(false))],
            ("documents", _) => vec![
                ("issuedAt", or_null(state != "draft")),
                ("issuedBy", Value::Null),
                ("revoked.at", or_null(state == "revoked")),
                ("revoked.reason", Value::Null),
            ],
            (_, path) => vec![(path, state.into())],
        }
    }

    /// The body that a caller sends to reach the state.
    fn body(&self, state: &str) -> Json {
        let day = |yes: bool| {
            if yes { json!("2026-01-20") } else { json!(null) }
        };
        match (self.slug, self.path) {
            ("animals", "archived") => json!({"archived": state == "true"}),
            ("animals", "state") => json!({"state": state}),
            ("animals", "trustLevel") => json!({"trustLevel": state.parse::<i64>().unwrap()}),
            ("access-grants", _) => json!({"revokedAt": day(state == "revoked")}),
            ("users", _) => json!({"blockedAt": day(state == "blocked")}),
            ("data-submissions", "consent.agreed") => {
                json!({"consent": {"agreed": state == "true"}})
            }
            ("pending-columns", _) if state == "accepted" => {
                json!({"status": state, "mapsTo": "milkYield"})
            }
            ("pending-values", _) if state == "accepted" => {
                json!({"status": state, "meansCode": "1"})
            }
            ("data-submissions", _) if matches!(state, "rejected" | "uploaded") => {
                json!({"status": state, "review": {"comment": "no"}})
            }
            ("documents", _) => match state {
                "draft" => json!({"issuedAt": null, "revoked": {"at": null}}),
                "issued" => json!({"issuedAt": "2026-01-05", "revoked": {"at": null}}),
                _ => json!({"revoked": {"at": "2026-01-20", "reason": "wrong"}}),
            },
            (_, "registration.status") => json!({"registration": {"status": state}}),
            (_, path) => json!({path: state}),
        }
    }

    /// The state that a document shows.
    fn shown(&self, doc: &Json) -> String {
        let text = |value: &Json| match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        match (self.slug, self.path) {
            ("access-grants", _) if doc["revokedAt"].is_null() => "live".to_owned(),
            ("access-grants", _) => "revoked".to_owned(),
            ("users", _) if doc["blockedAt"].is_null() => "active".to_owned(),
            ("users", _) => "blocked".to_owned(),
            ("documents", _) => match (&doc["issuedAt"], &doc["revoked"]["at"]) {
                (Json::Null, _) => "draft".to_owned(),
                (_, Json::Null) => "issued".to_owned(),
                _ => "revoked".to_owned(),
            },
            (_, path) => text(path.split('.').fold(doc, |place, step| &place[step])),
        }
    }
}

pub(crate) async fn force(w: &World<'_>, slug: &str, id: i64, values: &[(&'static str, Value)]) {
    let c = w.stage.book.registry.get(slug).unwrap();
    let mut sql = Sql::new("UPDATE ");
    sql.name(&c.table).push(" SET ");
    for (at, (path, value)) in values.iter().enumerate() {
        let field = c.field(path).unwrap();
        sql.push(if at > 0 { ", " } else { "" });
        sql.name(&field.column).push(" = ");
        sql.bind(Ty::of(field), value.clone());
    }
    w.stage.run(sql.and(" WHERE \"id\" = ").with(Ty::Int, id)).await;
    w.stage.repeat().await;
}

/// A row for each machine; those of animals are the same cow.
async fn rows(w: &World<'_>) -> Vec<i64> {
    changed!(w, "admin", "animals", 1, {"publicVisible": true});
    let finding = json!({"id": 1, "kind": "age", "collection": "animals", "recordId": 4, "path": "mother", "owner": 1});
    fill(w.stage, "clarifications", vec![finding]).await;
    let package = made!(w, "alpha", "data-submissions", {"kind": "events"});
    let user = json!({"email": "other@demo.herdbook", "lastName": "A", "firstName": "B", "password": "long-enough",
                      "organization": 1, "orgRole": "operator"});
    let assignment = json!({"organization": 1, "kind": "events", "periodFrom": "2026-01-01", "periodTo": "2026-02-01",
                       "dueDate": "2026-12-31"});
    let sale = json!({"animal": 1, "date": "2026-02-20", "kind": "sale", "to": 2});
    let calving = json!({"animal": 2, "date": "2024-02-01", "number": 1});
    let test = json!({"animal": 2, "date": "2025-03-01", "milkYield": 30});
    let weighing = json!({"animal": 2, "date": "2025-03-01", "weight": 600});
    // Only a package with rows can be signed.
    let row = made!(w, "alpha", "weighings", {"animal": 2, "date": "2025-04-01", "weight": 600});
    force(w, "weighings", row, &[("submission", Value::Int(package))]).await;
    vec![
        2,
        2,
        2,
        2,
        w.made("beta", "movements", sale).await,
        3,
        made!(w, "alpha", "access-grants", {"grantee": 2, "scopes": ["origin"]}),
        w.made("admin", "users", user).await,
        package,
        package,
        1,
        w.made("expert", "upload-assignments", assignment).await,
        made!(w, "alpha", "verification-requests", {"animals": [4]}),
        made!(w, "admin", "pending-columns", {"title": "X", "normalized": "x"}),
        made!(w, "admin", "pending-values", {"title": "X", "target": "breeds"}),
        made!(w, "alpha", "documents", {"title": "Contract", "type": "saleContract"}),
        w.made("alpha", "calvings", calving).await,
        w.made("alpha", "milk-tests", test).await,
        w.made("alpha", "weighings", weighing).await,
    ]
}

/// Removes traces of an earlier move that would change the answer of the next one.
async fn reset(w: &World<'_>, machine: &Machine, id: i64) {
    let sql = match (machine.slug, machine.path) {
        ("animals", "state") => "DELETE FROM \"movements\" WHERE \"animal\" = 2",
        ("movements", _) => {
            let animal = [
                ("owner", Value::Int(1)),
                ("state", "alive".into()),
                ("entry.owner", Value::Null),
                ("herd", Value::Int(1)),
            ];
            force(w, "animals", 1, &animal).await;
            return;
        }
        ("verification-requests", _) => {
            return force(w, "animals", 4, &[("trustLevel", Value::Int(0))]).await;
        }
        ("documents", _) => {
            return force(w, "documents", id, &[("number", Value::Null)]).await;
        }
        _ => return,
    };
    w.stage.run(Sql::new(sql)).await;
}

async fn holds(w: &World<'_>, machine: &Machine, id: i64) -> usize {
    let states: Vec<&str> = machine.states.split(' ').collect();
    let pairs = states.iter().flat_map(|from| states.iter().map(move |to| (*from, *to)));
    let mut tried = 0;
    for (from, to) in pairs.filter(|(from, to)| from != to) {
        for (letter, who) in CALLERS {
            reset(w, machine, id).await;
            force(w, machine.slug, id, &machine.forced(from)).await;
            let answer = w.patch(who, machine.slug, id, machine.body(to)).await;
            let label = format!("{}.{} {from}>{to} {letter}: {}", machine.slug, machine.path, answer.text);
            let expected = machine.expected(letter, from, to);
            let state = machine.shown(&w.doc(machine.slug, id).await);
            match expected {
                Expected::Done => {
                    assert_eq!(answer.status, 200, "{label}");
                    assert_eq!(state, to, "{label}");
                }
                Expected::Ignored => {
                    assert_eq!((answer.status, state.as_str()), (200, from), "{label}")
                }
                Expected::Illegal => {
                    assert_eq!((answer.status, state.as_str()), (400, from), "{label}");
                    assert!(paths(&answer).iter().all(|path| on(machine, path)), "{label}");
                }
                Expected::Refused => {
                    assert_eq!((answer.status, state.as_str()), (403, from), "{label}");
                    let row = answer.parts() == FORBIDDEN;
                    assert!(row || paths(&answer).iter().all(|path| on(machine, path)), "{label}");
                }
            }
            tried += 1;
        }
    }
    reset(w, machine, id).await;
    force(w, machine.slug, id, &machine.forced(states[0])).await;
    tried
}

/// Whether a path is the field of the machine; documents have three.
fn on(machine: &Machine, path: &str) -> bool {
    path == machine.path || (machine.slug == "documents" && ["revoked.at", "issuedBy"].contains(&path))
}

#[test_with(World::each)]
async fn every_move_of_every_machine_is_answered_as_the_model_says(w: &World<'_>) {
    let declared: BTreeSet<(&str, &str)> =
        (w.stage.book.registry.iter()).flat_map(|c| c.states.iter().map(|states| (c.slug, states.path))).collect();
    let entries: BTreeSet<(&str, &str)> =
        (MACHINES.iter().map(|m| (m.slug, m.path))).chain(ALIKE).chain(ELSEWHERE).collect();
    assert_eq!(declared, entries, "every machine stands in the table, and no other");
    let mut tried = 0;
    for (machine, id) in MACHINES.iter().zip(rows(w).await) {
        tried += holds(w, machine, id).await;
    }
    assert!(tried > 1_000, "{tried} moves were tried");
    w.stage.run(Sql::new("DELETE FROM \"movements\"")).await;
}

/// Whether a page has a button for a move, or the way to the page that asks about it.
fn is_offered(text: &str, machine: &Machine, to: &str) -> bool {
    let name = format!("{}/{to}", machine.path);
    text.contains(&format!("value=\"{name}\"")) || text.contains(&format!("/move/{name}\""))
}

#[test_with(World::each)]
async fn pages_offer_every_move_that_its_caller_may_make_and_no_other(w: &World<'_>) {
    let mut offered = 0;
    let every = match w.stage.book.store.dialect() {
        Dialect::Sqlite => 1,
        Dialect::Postgres => test_support::one_of(2, 2),
    };
    for (machine, id) in MACHINES.iter().zip(rows(w).await) {
        let states: Vec<&str> = machine.states.split(' ').collect();
        for from in &states {
            reset(w, machine, id).await;
            force(w, machine.slug, id, &machine.forced(from)).await;
            for (letter, who) in CALLERS.into_iter().step_by(every) {
                let path = format!("/book/{}/{id}", machine.slug);
                let text = crate::pages::page(w, who, &path).await.text;
                for to in states.iter().filter(|to| *to != from) {
                    let may = machine.expected(letter, from, to) == Expected::Done;
                    let label = format!("{path} {from}>{to} {letter}: {text}");
                    assert_eq!(is_offered(&text, machine, to), may, "{label}");
                    offered += usize::from(may);
                }
            }
        }
        reset(w, machine, id).await;
        force(w, machine.slug, id, &machine.forced(states[0])).await;
    }
    assert!(offered > 80 / every, "{offered} moves were offered");
    w.stage.run(Sql::new("DELETE FROM \"movements\"")).await;
}

#[test_with(World::each)]
async fn rows_begin_as_the_model_says(w: &World<'_>) {
    let cases: [(&str, &str, Json, u16); 10] = table![
        "alpha", "data-submissions", json!({"status": "checked"}), 400;
        "alpha", "data-submissions", json!({"consent": {"agreed": true}}), 201;
        "expert", "data-submissions", json!({"organization": 1, "consent": {"agreed": true}}), 403;
        "alpha", "verification-requests", json!({"animals": [2], "status": "approved"}), 400;
        "admin", "pending-columns", json!({"title": "t", "normalized": "t", "status": "accepted"}), 400;
        "alpha", "documents", json!({"title": "t", "issuedAt": "2026-01-05"}), 403;
        "expert", "documents", json!({"title": "t", "type": "other", "issuedAt": "2026-01-05"}), 201;
        "expert", "documents", json!({"title": "t", "revoked": {"at": "2026-01-05"}}), 400;
        "expert", "organizations", json!({"name": "New", "membership": "member"}), 400;
        "alpha", "access-grants", json!({"grantee": 2, "scopes": ["origin"], "revokedAt": "2026-01-05"}), 400;
    ];
    for (who, slug, body, status) in cases {
        let answer = w.post(who, slug, body.clone()).await;
        assert_eq!(answer.status, status, "{who} {slug} {body}: {}", answer.text);
        let fields: Vec<String> = if status < 400 { Vec::new() } else { paths(&answer) };
        let expected = ["status", "consent.agreed", "issuedAt", "revoked.at", "membership", "revokedAt"];
        assert!(fields.iter().all(|path| expected.contains(&path.as_str())), "{fields:?}");
    }
}
