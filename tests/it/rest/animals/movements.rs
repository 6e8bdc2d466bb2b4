//! Movements and their effects: owner, herd, state, disposal, past owners, grants, and the exchange documents
//! on both sides (docs/states.md, *movements · confirmation*; docs/design/exchange.md, *Locations*).

use crate::rest::world::{World, paths};
use serde_json::{Value, json};

/// The fields of an animal that movements determine.
async fn standing(w: &World<'_>, animal: i64) -> Value {
    let doc = w.doc("animals", animal).await;
    json!({
        "owner": doc["owner"], "herd": doc["herd"], "state": doc["state"], "past": doc["pastOwners"],
        "left": doc["disposalDate"].as_str().map(|d| d[..10].to_owned()),
        "reason": doc["disposalReason"], "to": doc["disposalOrganization"],
        "came": doc["arrivalDate"].as_str().map(|d| d[..10].to_owned()),
        "before": doc["previousOrganization"],
    })
}

/// The initial state of the world.
fn at_alpha() -> Value {
    json!({"owner": 1, "herd": 1, "state": "alive", "past": [], "left": null, "reason": null, "to": null, "came": null, "before": null})
}

fn with(mut standing: Value, changes: Value) -> Value {
    for (path, value) in changes.as_object().unwrap() {
        standing[path] = value.clone();
    }
    standing
}

fn movement(kind: &str, date: &str, more: Value) -> Value {
    with(json!({"animal": 2, "kind": kind, "date": date}), more)
}

#[test_with(World::each)]
async fn a_sale_moves_the_animal_and_its_documents(w: &World<'_>) {
    made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2026-01-15", "milkYield": 30});
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2022-03-01", "liveHeifers": 1});
    let single = made!(w, "alpha", "access-grants", {"animal": 2, "grantee": 4, "scopes": ["origin"]});
    let whole = made!(w, "alpha", "access-grants", {"grantee": 4, "scopes": ["origin"]});
    let before = w.documents(2).await;
    assert_eq!(before, ["animals 1", "lactations 1", "parturitions 1", "test-day-results 1"]);

    let sale = movement("sale", "2026-02-01", json!({"to": 2, "toHerd": 3, "reason": 1}));
    let id = w.made("alpha", "movements", sale).await;
    holds!(w.doc("movements", id).await, {"from": 1, "fromHerd": 1, "recordedBy": 11, "confirmation": "none"});
    let after = json!({"owner": 2, "herd": 3, "past": [1], "came": "2026-02-01", "before": 1});
    assert_eq!(standing(w, 2).await, with(at_alpha(), after));
    assert_eq!(
        w.documents(2).await,
        [
            "animals 1 left",
            "animals 2",
            "arrivals 2",
            "departures 1",
            "lactations 1 left",
            "lactations 2",
            "parturitions 1 left",
            "parturitions 2",
            "test-day-results 1 left",
            "test-day-results 2",
        ]
    );
    let stones = w.list("ade-tombstones", "where[reason][equals]=left").await;
    assert_eq!(stones.len(), 4);
    assert!(stones.iter().all(|s| s["location"] == 1), "{stones:?}");
    holds!(w.doc("access-grants", single).await, {"revokedAt": "2026-03-01T12:00:00.000Z"});
    holds!(w.doc("access-grants", whole).await, {"revokedAt": null});

    // The buyer writes now; the seller reads the rows that they recorded and writes no more.
    let weighing = json!({"animal": 2, "date": "2026-02-02", "weight": 600});
    refused!(w, "alpha", "POST /api/weighings", weighing => 403);
    let own = w.made("beta", "weighings", weighing).await;
    ask!(w, "alpha", "GET /api/weighings/{own}" => 404);
    holds!(w.get("alpha", "/api/milk-tests/1?depth=0").await.json(), {"ownerOrg": 1});
    w.gone("beta", "weighings", own).await;

    w.gone("alpha", "movements", id).await;
    assert_eq!(standing(w, 2).await, at_alpha(), "as before");
    let live: Vec<_> = w.documents(2).await;
    let live: Vec<_> = live.iter().filter(|d| d.split(' ').count() == 2).collect();
    assert_eq!(live, ["animals 1", "lactations 1", "parturitions 1", "test-day-results 1"]);
    assert!(w.documents(2).await.contains(&"departures 1 deleted".to_owned()));
}

/// The buyer of what the seller recorded says that it is not theirs: the sale is undone, and both read it.
#[test_with(World::each)]
async fn the_buyer_objects_to_a_sale_that_the_seller_recorded(w: &World<'_>) {
    let sale = |date: &str| movement("sale", date, json!({"to": 2, "toHerd": 3}));
    let object = json!({"confirmation": "objected", "objection": "Never bought."});
    // A calf of hers that the buyer had before says nothing of the sale.
    made!(w, "admin", "animals", {"identNumber": "960000000888", "sex": "female", "birthDate": "2025-06-01", "owner": 2, "mother": 2});
    w.stage.pass(60);
    let documents = w.documents(2).await;
    let first = w.made("alpha", "movements", sale("2026-02-01")).await;
    holds!(w.doc("movements", first).await, {"outside": false, "confirmation": "none"});
    refused!(w, "beta", "PATCH /api/movements/{first}", {"confirmation": "objected"} => 400 ["objection"]);
    refused!(w, "beta", "PATCH /api/movements/{first}", {"objection": "x"} => 400 ["objection"]);
    refused!(w, "alpha", "PATCH /api/movements/{first}", {"confirmation": "objected"} => 403);
    ask!(w, "delta", "PATCH /api/movements/{first}", object.clone() => 403);
    w.changed("beta", "movements", first, object.clone()).await;
    assert_eq!(standing(w, 2).await, at_alpha(), "as before");
    for who in ["alpha", "beta"] {
        holds!(w.get(who, &format!("/api/movements/{first}?depth=0")).await.json(), {
            "confirmation": "objected", "objection": "Never bought.", "applied": false, "confirmedBy": 21,
        }, "{who}");
    }
    // It is part of the book: the seller neither deletes it nor lets it go.
    let stays = refused!(w, "alpha", "DELETE /api/movements/{first}" => 403 ["id"]);
    stays.has(&["The buyer objected to this movement: only the Association deletes it."]);
    refused!(w, "alpha", "PATCH /api/movements/{first}", {"released": true} => 400 ["released"]);
    let lines = w.list("operations", "where[action][equals]=movement-objected").await;
    assert_eq!(lines.len(), 1);
    let live: Vec<_> = (w.documents(2).await.into_iter()).filter(|d| d.split(' ').count() == 2).collect();
    assert_eq!(live, documents);
    refused!(w, "beta", "PATCH /api/movements/{first}", {"confirmation": "none"} => 403);

    // Not once the buyer used the animal, until that is gone; and not what others judged.
    let second = w.made("alpha", "movements", sale("2026-02-02")).await;
    let own = made!(w, "beta", "weighings", {"animal": 2, "date": "2026-02-03", "weight": 600});
    refused!(w, "beta", "PATCH /api/movements/{second}", object.clone() => 400 ["confirmation"]);
    w.gone("beta", "weighings", own).await;
    let on = made!(w, "beta", "movements", {"animal": 2, "date": "2026-02-04", "kind": "transfer", "toHerd": 3});
    refused!(w, "beta", "PATCH /api/movements/{second}", object.clone() => 400 ["confirmation"]);
    refused!(w, "beta", "PATCH /api/movements/{on}", object.clone() => 400 ["confirmation"]);
    w.gone("beta", "movements", on).await;
    w.changed("beta", "movements", second, object.clone()).await;
    assert_eq!(standing(w, 2).await, at_alpha());
    let judged = w.made("expert", "movements", sale("2026-02-05")).await;
    refused!(w, "beta", "PATCH /api/movements/{judged}", object.clone() => 400 ["confirmation"]);
    w.gone("admin", "movements", judged).await;
    w.gone("admin", "movements", second).await;

    let late = w.made("alpha", "movements", sale("2026-02-06")).await;
    w.stage.pass(31 * 86_400);
    let w = &World::signed_in(w.stage).await;
    refused!(w, "beta", "PATCH /api/movements/{late}", object => 403);
    assert_eq!(w.doc("animals", 2).await["owner"], 2);
}

#[test_with(World::each)]
async fn every_kind_of_movement(w: &World<'_>) {
    for (kind, more, after) in table![
        "lease", json!({"to": 2}),
            json!({"owner": 2, "herd": null, "past": [1], "came": "2026-02-01", "before": 1});
        "transfer", json!({"toHerd": 2}), json!({"herd": 2, "came": "2026-02-01", "before": 1});
        "sale", json!({"to": 3, "reason": 2}), json!({"state": "sold", "left": "2026-02-01", "reason": 2, "to": 3});
        "cull", json!({"reason": 1}), json!({"state": "culled", "left": "2026-02-01", "reason": 1});
        "death", json!({"reason": 1}), json!({"state": "dead", "left": "2026-02-01", "reason": 1});
    ] {
        let id = made!(w, "alpha", "movements", movement(kind, "2026-02-01", more));
        let found = standing(w, 2).await;
        let mut expected = with(at_alpha(), after);
        if kind == "transfer" {
            // Whether a move within the farm is an arrival is left open.
            expected["came"] = found["came"].clone();
            expected["before"] = found["before"].clone();
        }
        assert_eq!(found, expected, "{kind}");
        w.gone("alpha", "movements", id).await;
        assert_eq!(standing(w, 2).await, at_alpha(), "{kind} deleted");
    }
}

#[test_with(World::each)]
async fn an_animal_comes_back_to_its_owner_and_nobody_gives_it(w: &World<'_>) {
    // Where it was is named or not; a station that takes part in the book confirms nothing.
    for from in [Value::Null, json!(2), json!(3)] {
        let home = movement("absence", "2026-02-01", json!({"from": from, "to": 1}));
        let id = w.made("alpha", "movements", home).await;
        let doc = w.doc("movements", id).await;
        assert_eq!((&doc["from"], &doc["confirmation"], &doc["applied"]), (&from, &json!("none"), &json!(true)));
        assert_eq!(standing(w, 2).await, at_alpha());
        let live = w.documents(2).await;
        assert!(live.contains(&"arrivals 1".to_owned()), "{live:?}");
        assert!(!live.contains(&"departures 1".to_owned()), "{live:?}");
        w.gone("alpha", "movements", id).await;
    }
    // The owner of another one's animal must confirm.
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    let visit = movement("absence", "2026-02-01", json!({"to": 2}));
    let id = w.made("beta", "movements", visit).await;
    holds!(w.doc("movements", id).await, {"from": 1, "confirmation": "pending"});
}

#[test_with(World::each)]
async fn an_import_brings_an_animal_in(w: &World<'_>) {
    let import = json!({"animal": 4, "kind": "import", "date": "2026-02-01", "from": 3, "toHerd": 2});
    let id = w.made("alpha", "movements", import).await;
    let doc = w.doc("movements", id).await;
    assert_eq!((&doc["from"], &doc["to"]), (&json!(3), &json!(1)));
    let found = standing(w, 4).await;
    holds!(found, {"owner": 1, "herd": 2, "before": 3});
    assert!(w.documents(4).await.contains(&"arrivals 1".to_owned()));
    let foreign = json!({"animal": 4, "kind": "import", "date": "2026-02-02", "from": 2});
    refused!(w, "alpha", "POST /api/movements", foreign => 400 ["from"]);
}

#[test_with(World::each)]
async fn the_latest_by_date_decides_whenever_it_was_entered(w: &World<'_>) {
    // Sold back and forth, entered in reverse order.
    let back = json!({"animal": 2, "kind": "sale", "date": "2026-02-20", "from": 1, "to": 4});
    let second = w.made("admin", "movements", back).await;
    assert_eq!(standing(w, 2).await["owner"], 4);
    let early = movement("transfer", "2026-01-05", json!({"toHerd": 2, "from": 1, "to": 1}));
    let first = w.made("admin", "movements", early).await;
    let found = standing(w, 2).await;
    holds!(found, {"owner": 4, "came": "2026-02-20", "past": [1]});
    // The same day: the one entered later counts.
    let same = json!({"animal": 2, "kind": "sale", "date": "2026-02-20", "from": 4, "to": 2});
    let third = w.made("admin", "movements", same).await;
    let found = standing(w, 2).await;
    holds!(found, {"owner": 2, "past": [1, 4]});
    w.gone("admin", "movements", third).await;
    assert_eq!(standing(w, 2).await["owner"], 4);
    w.gone("admin", "movements", second).await;
    let found = standing(w, 2).await;
    holds!(found, {"owner": 1, "herd": 2, "past": []});
    w.gone("admin", "movements", first).await;
    assert_eq!(standing(w, 2).await, at_alpha());
    // An earlier end joins the course and changes nothing.
    let death = made!(w, "alpha", "movements", movement("death", "2026-02-20", json!({})));
    let cull = made!(w, "alpha", "movements", movement("cull", "2026-02-10", json!({})));
    assert_eq!(standing(w, 2).await, with(at_alpha(), json!({"state": "dead", "left": "2026-02-20"})));
    w.gone("alpha", "movements", cull).await;
    w.gone("alpha", "movements", death).await;
    assert_eq!(standing(w, 2).await, at_alpha());
}

#[test_with(World::each)]
async fn a_transfer_before_the_end_counts_whichever_was_entered_first(w: &World<'_>) {
    let transfer = || movement("transfer", "2026-02-01", json!({"toHerd": 2}));
    for last in [movement("death", "2026-02-10", json!({})), movement("absence", "2026-02-10", json!({"to": 1}))] {
        let kind = last["kind"].clone();
        for (at, order) in [[transfer(), last.clone()], [last, transfer()]].into_iter().enumerate() {
            let mut ids = Vec::new();
            for body in order {
                ids.push(w.made("alpha", "movements", body).await);
            }
            assert_eq!(standing(w, 2).await["herd"], 2, "{kind}, {at}");
            w.gone("alpha", "movements", ids[at]).await;
            assert_eq!(standing(w, 2).await["herd"], 1, "{kind}, {at}: the transfer deleted");
            w.gone("alpha", "movements", ids[1 - at]).await;
            assert_eq!(standing(w, 2).await, at_alpha(), "{kind}, {at}");
        }
    }
}

/// The seller takes nothing back once the buyer gave the animal on, for whom a later movement would begin nowhere.
#[test_with(World::each)]
async fn a_movement_stays_while_a_later_one_rests_on_it(w: &World<'_>) {
    let first = w.made("alpha", "movements", movement("sale", "2026-02-01", json!({"to": 2, "toHerd": 3}))).await;
    for (kind, more) in [("sale", json!({"to": 4})), ("death", json!({}))] {
        let next = w.made("beta", "movements", movement(kind, "2026-02-05", more)).await;
        let before = standing(w, 2).await;
        refused!(w, "alpha", "DELETE /api/movements/{first}" => 400 ["id"]);
        refused!(w, "admin", "DELETE /api/movements/{first}" => 400 ["id"]);
        assert_eq!(standing(w, 2).await, before, "{kind}");
        w.gone("beta", "movements", next).await;
    }
    // Within the buyer's farm it goes on from nobody; and together both go.
    let within = w.made("beta", "movements", movement("transfer", "2026-02-06", json!({"toHerd": 3}))).await;
    w.gone("beta", "movements", within).await;
    let next = w.made("beta", "movements", movement("sale", "2026-02-07", json!({"to": 4}))).await;
    let both = format!("/api/movements?where[id][in]={first},{next}");
    let gone = w.ask("admin", "DELETE", &both, String::new()).await;
    assert_eq!(standing(w, 2).await, at_alpha(), "{}", gone.text);
}

#[test_with(World::each)]
async fn movements_that_cannot_be(w: &World<'_>) {
    for (kind, date, more, fault) in table![
        "sale", "2026-03-02", json!({"to": 2}), "date";
        "sale", "2019-12-31", json!({"to": 2}), "date";
        "sale", "2026-02-01", json!({}), "to";
        "sale", "2026-02-01", json!({"to": 1}), "to";
        "lease", "2026-02-01", json!({}), "to";
        "sale", "2026-02-01", json!({"to": 2, "toHerd": 1}), "toHerd";
        "sale", "2026-02-01", json!({"to": 2, "fromHerd": 3}), "fromHerd";
        "cull", "2026-02-01", json!({"to": 2}), "to";
        "death", "2026-02-01", json!({"to": 2}), "to";
        "transfer", "2026-02-01", json!({"toHerd": 3}), "toHerd";
        "transfer", "2026-02-01", json!({"toHerd": 2, "to": 2}), "to";
        "gift", "2026-02-01", json!({"to": 2}), "kind";
    ] {
        let body = movement(kind, date, more).to_string();
        let answer = w.refused("alpha", "POST", "/api/movements", &body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert!(paths(&answer).contains(&fault.to_owned()), "{body}: {}", answer.text);
    }
    let wrong = movement("sale", "2026-02-01", json!({"from": 4, "to": 2})).to_string();
    let answer = w.refused("admin", "POST", "/api/movements", &wrong).await;
    assert_eq!(paths(&answer), ["from"]);
    let foreign = movement("sale", "2026-02-01", json!({"from": 2, "to": 4})).to_string();
    w.refused("alpha", "POST", "/api/movements", &foreign).await.assert_is(403, "");
}

/// A reason that contradicts what happened is refused; one of another way of leaving is taken, and noted.
#[test_with(World::each)]
async fn a_reason_belongs_to_its_way_of_leaving(w: &World<'_>) {
    let mut reasons = Vec::new();
    for state in ["sold", "culled", "dead"] {
        let id = made!(w, "admin", "disposal-reasons", {"code": state, "name": state, "state": state});
        reasons.push((state, id));
    }
    for (kind, more, contradicts) in table![
        "sale", json!({"to": 3}), "dead";
        "lease", json!({"to": 2}), "dead";
        "cull", json!({}), "sold";
        "death", json!({}), "sold";
        "transfer", json!({"toHerd": 2}), "dead";
        "absence", json!({}), "dead";
    ] {
        for (state, reason) in &reasons {
            let body = with(movement(kind, "2026-02-01", more.clone()), json!({"reason": reason}));
            if contradicts == *state {
                refused!(w, "alpha", "POST /api/movements", body => 400 ["reason"]);
            } else {
                let id = w.made("alpha", "movements", body).await;
                w.gone("alpha", "movements", id).await;
            }
        }
    }
    let [sold, culled, dead] = [0, 1, 2].map(|at| reasons[at].1);
    let body = json!({"state": "sold", "disposalReason": dead});
    refused!(w, "alpha", "PATCH /api/animals/2", body => 400 ["disposalReason"]);
    changed!(w, "alpha", "animals", 2, {"state": "dead", "disposalReason": culled});
    assert_eq!(w.list("check-findings", "where[code][equals]=state-vs-disposal").await.len(), 1);
    refused!(w, "alpha", "PATCH /api/animals/2", {"disposalReason": sold} => 400 ["disposalReason"]);
    let id = w.list("movements", "where[animal][equals]=2").await[0]["id"].as_i64().unwrap();
    refused!(w, "expert", "PATCH /api/movements/{id}", {"reason": sold} => 400 ["reason"]);
    changed!(w, "alpha", "animals", 2, {"disposalReason": dead});
}

#[test_with(World::each)]
async fn writing_the_state_writes_the_movement(w: &World<'_>) {
    // Without a day and a receiver: today, and the organisation that represents all receivers outside the book.
    changed!(w, "alpha", "animals", 2, {"state": "sold"});
    let rows = w.list("movements", "where[animal][equals]=2").await;
    assert_eq!(rows.len(), 1);
    let sale = &rows[0];
    holds!(sale, {"kind": "sale", "date": "2026-03-01T00:00:00.000Z", "from": 1, "recordedBy": 11});
    let place = sale["to"].as_i64().unwrap();
    holds!(w.doc("organizations", place).await, {"presence": "referenced", "name": "Outside the herd book"});
    let found = standing(w, 2).await;
    holds!(found, {"owner": 1, "state": "sold", "left": "2026-03-01"});
    assert!(w.documents(2).await.contains(&"departures 1".to_owned()));

    // Amended, not recorded twice.
    let body = json!({"disposalDate": "2026-02-10", "disposalReason": 2, "disposalOrganization": 3});
    w.changed("alpha", "animals", 2, body).await;
    let rows = w.list("movements", "where[animal][equals]=2").await;
    assert_eq!((rows.len(), &rows[0]["to"], &rows[0]["reason"]), (1, &json!(3), &json!(2)));
    assert_eq!(rows[0]["date"], "2026-02-10T00:00:00.000Z");
    refused!(w, "alpha", "PATCH /api/animals/2", {"state": "dead"} => 400 ["state"]);

    changed!(w, "alpha", "animals", 2, {"state": "alive"});
    assert_eq!(w.list("movements", "where[animal][equals]=2").await.len(), 0);
    assert_eq!(standing(w, 2).await, at_alpha());

    let body = json!({"state": "dead", "disposalDate": "2026-01-20", "disposalReason": 1});
    let doc = w.changed("alpha", "animals", 2, body).await;
    holds!(doc, {"state": "dead", "disposalReason": 1});
    assert!(w.documents(2).await.contains(&"deaths 1".to_owned()));
    for (path, body) in [
        ("disposalDate", json!({"disposalDate": "2026-03-02"})),
        ("disposalDate", json!({"disposalDate": "2019-03-02"})),
        ("disposalOrganization", json!({"disposalOrganization": 2})),
    ] {
        refused!(w, "alpha", "PATCH /api/animals/2", body => 400 [path]);
    }
    refused!(w, "alpha", "PATCH /api/animals/4", {"disposalDate": "2026-01-01"} => 400 ["disposalDate"]);
    changed!(w, "alpha", "animals", 4, {"state": "sold"});
    assert_eq!(w.list("movements", "where[animal][equals]=4").await[0]["to"], place, "one organisation for all");
}

/// What follows from her events is that of an animal that left, and of a living one once she is back, whether the state
/// or the movement is written.
#[test_with(World::each)]
async fn an_animal_taken_back_has_what_follows_from_her_events(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-09-01", "liveHeifers": 1});
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-12-01"});
    let check = json!({"animal": 2, "type": "pregnancyCheck", "date": "2026-01-20", "result": "pregnant"});
    w.made("alpha", "events", check).await;
    let current = async || w.doc("animals", 2).await["current"].clone();
    let alive = current().await;
    assert_eq!(alive["reproductionStatus"], "pregnant");
    assert!(alive["expectedCalvingDate"].is_string() && alive["lactationStatus"].is_string(), "{alive}");
    for (state, kind) in [("dead", "death"), ("culled", "cull")] {
        let id = made!(w, "alpha", "movements", movement(kind, "2026-02-10", json!({})));
        let left = current().await;
        assert_eq!((&left["reproductionStatus"], &left["expectedCalvingDate"]), (&Value::Null, &Value::Null));
        changed!(w, "alpha", "animals", 2, {"state": "alive"});
        assert_eq!(current().await, alive, "{kind}, the state written");
        assert!(w.list("movements", &format!("where[id][equals]={id}")).await.is_empty());
        changed!(w, "alpha", "animals", 2, {"state": state, "disposalDate": "2026-02-10"});
        assert_eq!(current().await, left, "{state}");
        let id = w.list("movements", "where[animal][equals]=2").await[0]["id"].as_i64().unwrap();
        w.gone("alpha", "movements", id).await;
        assert_eq!(current().await, alive, "{kind} deleted");
    }
}

#[test_with(World::each)]
async fn an_animal_may_be_entered_as_sold(w: &World<'_>) {
    let answer = post!(w, "alpha", "animals", {
        "identNumber": "960000003000", "sex": "female", "birthDate": "2018-01-10", "state": "sold",
        "disposalDate": "2024-05-05", "disposalOrganization": 2,
    });
    assert_eq!(answer.status, 201, "{}", answer.text);
    let id = answer.json()["doc"]["id"].as_i64().unwrap();
    let rows = w.list("movements", &format!("where[animal][equals]={id}")).await;
    assert_eq!((rows.len(), &rows[0]["kind"], &rows[0]["to"]), (1, &json!("sale"), &json!(2)));
    let doc = w.doc("animals", id).await;
    assert_eq!((&doc["owner"], &doc["state"]), (&json!(2), &json!("alive")), "a sale within the book");
}

#[test_with(World::each)]
async fn past_owners_can_be_asked_for(w: &World<'_>) {
    let sale = movement("sale", "2026-02-01", json!({"to": 2}));
    w.made("alpha", "movements", sale).await;
    let found = w.list("animals", "where[pastOwners][contains]=1").await;
    assert_eq!(found.iter().map(|d| d["id"].clone()).collect::<Vec<_>>(), [json!(2)]);
    let found = w.list("animals", "where[pastOwners.name][equals]=Alpha").await;
    assert_eq!(found.len(), 1);
    let doc = w.get("alpha", "/api/animals/2?depth=0").await.json();
    holds!(doc, {"owner": 2, "pastOwners": [1]}, "card of a past owner");
    assert!(doc.get("lactations").is_none(), "a past owner does not see production");
}

#[test_with(World::each)]
async fn what_both_confirmed_goes_only_with_both(w: &World<'_>) {
    // The buyer sees the bought animal.
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    let sale = movement("sale", "2026-02-01", json!({"to": 2}));
    let id = w.made("beta", "movements", sale.clone()).await;
    let path = format!("/api/movements/{id}");
    changed!(w, "alpha", "movements", id, {"confirmation": "confirmed"});
    assert_eq!(w.doc("animals", 2).await["owner"], 2);
    // Neither alone: not the buyer who recorded it, nor the seller, nor by the state of the animal.
    for who in ["beta", "alpha", "operator", "delta"] {
        refused!(w, who, "DELETE {path}" => 403);
    }
    let many = "/api/movements?where[id][exists]=true";
    let none = w.ask("beta", "DELETE", many, String::new()).await;
    assert_eq!(none.json()["docs"], json!([]), "{}", none.text);
    let may = w.ask("beta", "POST", &format!("/api/movements/access/{id}"), "{}").await;
    assert!(may.json().get("delete").is_none(), "{}", may.text);
    for who in ["beta", "operator", "delta"] {
        refused!(w, who, "PATCH {path}", {"released": true} => 403);
    }
    changed!(w, "alpha", "movements", id, {"released": true});
    w.gone("beta", "movements", id).await;
    assert_eq!(standing(w, 2).await, at_alpha());
    // The Association needs no other party.
    let id = w.made("beta", "movements", sale.clone()).await;
    changed!(w, "alpha", "movements", id, {"confirmation": "confirmed"});
    w.gone("admin", "movements", id).await;
    // Its recorder can still take back a movement that waits, or that was refused.
    let id = w.made("beta", "movements", sale.clone()).await;
    w.gone("beta", "movements", id).await;
    let id = w.made("beta", "movements", sale).await;
    changed!(w, "alpha", "movements", id, {"confirmation": "refused"});
    assert_eq!(standing(w, 2).await, at_alpha());
    w.gone("beta", "movements", id).await;
}

#[test_with(World::each)]
async fn a_confirmed_sale_out_of_the_book_is_not_undone_by_the_state(w: &World<'_>) {
    // The buyer sees the bought animal.
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    // Recorded by its receiver, who was in the book then.
    let sale = movement("sale", "2026-02-01", json!({"to": 2}));
    let id = w.made("beta", "movements", sale).await;
    changed!(w, "alpha", "movements", id, {"confirmation": "confirmed"});
    let death = made!(w, "beta", "movements", {"animal": 2, "kind": "death", "date": "2026-02-05"});
    super::states::force(w, "movements", death, &[("confirmation", "confirmed".into())]).await;
    let body = r#"{"state": "alive"}"#;
    let answer = w.refused("beta", "PATCH", "/api/animals/2", body).await;
    answer.assert_faulty(403, &["state"]);
    changed!(w, "admin", "animals", 2, {"state": "alive"});
}

/// Events after the day on which an animal left are found whether the movement or the state of the animal was written.
#[test_with(World::each)]
async fn what_lies_after_a_leaving_is_found_by_either_way(w: &World<'_>) {
    let late = made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-02-25", "weight": 600});
    let found = async || {
        let path =
            format!("where[code][equals]=event-after-leaving&where[recordId][equals]={late}&where[state][equals]=open");
        w.list("check-findings", &path).await.len()
    };
    let death = movement("death", "2026-02-20", json!({}));
    let tried = w.ask("alpha", "POST", "/api/movements?validate=only", death.to_string()).await;
    assert!(tried.text.contains("event-after-leaving"), "{}", tried.text);
    let id = w.made("alpha", "movements", death).await;
    assert_eq!(found().await, 1);
    w.gone("alpha", "movements", id).await;
    assert_eq!(found().await, 0);
    changed!(w, "alpha", "animals", 2, {"state": "dead", "disposalDate": "2026-02-20"});
    assert_eq!(found().await, 1);
}

/// What is recorded of days after an animal left is in none of her lactations, as it is not in her present state.
#[test_with(World::each)]
async fn what_lies_after_a_leaving_belongs_to_no_lactation(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-01-10", "liveHeifers": 1});
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-04-01"});
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-05-20"});
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-12-15", "eventType": "dryOff"});
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2026-02-23", "liveHeifers": 1});
    let day = |at: &Value| at.as_str().map(|at| at[..10].to_owned());
    let lactations = async || -> Vec<Value> {
        let doc = w.doc("animals", 2).await;
        let rows = doc["lactations"].as_array().unwrap().iter();
        let dates = ["inseminationDate", "dryOffDate", "endDate"];
        rows.map(|row| json!([row["number"], dates.map(|date| day(&row[date]))])).collect()
    };
    let alive = lactations().await;
    let first = json!([1, ["2025-05-20", "2025-12-15", "2025-12-15"]]);
    assert_eq!(alive, [first, json!([2, [null, null, null]])]);
    let cull = made!(w, "alpha", "movements", movement("cull", "2025-04-20", json!({})));
    assert_eq!(lactations().await, [json!([1, ["2025-04-01", null, "2025-04-20"]])]);
    assert_eq!(w.doc("animals", 2).await["current"]["parity"], 1);
    w.gone("alpha", "movements", cull).await;
    assert_eq!(lactations().await, alive);
}
