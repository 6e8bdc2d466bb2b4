//! How an organisation begins to take part in the book, how it goes back to being only named, and how two
//! organisations are merged into one (docs/directory.md, *Named and registered*, *Merged*).

use crate::rest::world::{World, fill, paths};
use model::record::Value as Cell;
use model::registry::{Collection, Field, Kind};
use serde_json::{Value, json};
use store::Sql;

fn presence(word: &str) -> Value {
    json!({"presence": word})
}

/// The paths on which a change is refused, with its status.
async fn refused(w: &World<'_>, who: &str, id: i64, body: &Value) -> (u16, Vec<String>) {
    let path = format!("/api/organizations/{id}");
    let answer = w.refused(who, "PATCH", &path, &body.to_string()).await;
    (answer.status, paths(&answer))
}

async fn actions(w: &World<'_>, action: &str) -> usize {
    let filter = format!("where[action][equals]={action}");
    w.list("operations", &filter).await.len()
}

#[test_with(World::each)]
async fn a_new_farm_is_registered_and_buys(w: &World<'_>) {
    let id = made!(w, "expert", "organizations", {"name": "New farm"});
    let on_presence = (400, vec!["presence".to_owned()]);
    // It has no head yet.
    assert_eq!(refused(w, "expert", id, &presence("registered")).await, on_presence);
    made!(w, "expert", "invitations", {"email": "o@new.example", "organization": id, "orgRole": "operator"});
    assert_eq!(refused(w, "expert", id, &presence("registered")).await, on_presence);
    let head = json!({"email": "h@new.example", "organization": id, "orgRole": "head"});
    let invitation = w.post("expert", "invitations", head).await.json();
    // A value that others send is ignored, as with every field of the server.
    holds!(changed!(w, "admin", "organizations", id, {"shortName": "N"}), {"presence": "referenced"});
    let doc = w.changed("expert", "organizations", id, presence("registered")).await;
    assert_eq!(doc["presence"], "registered");
    assert_eq!(actions(w, "directory-confirmed").await, 1);

    let accept = json!({
        "token": invitation["doc"]["token"], "password": "long enough", "firstName": "A", "lastName": "B",
    });
    ask!(w.stage, "", "POST /api/invitations/accept", accept => 200);
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": id});
    let cow = w.doc("animals", 2).await;
    assert_eq!((&cow["owner"], &cow["state"]), (&json!(id), &json!("alive")));

    // Too many rows depend on it now.
    assert_eq!(refused(w, "expert", id, &presence("referenced")).await, on_presence);
}

/// Whatever gives an organisation users or a membership registers it, and what is sold to it is its own.
#[test_with(World::each)]
async fn who_gets_a_user_or_a_membership_takes_part(w: &World<'_>) {
    let ways: [&[(&str, &str, &str, Value)]; 3] = [
        &[(
            "admin",
            "POST",
            "users",
            json!({"email": "o@new.example", "lastName": "A", "firstName": "B",
            "password": "long enough", "organization": "{id}", "orgRole": "operator"}),
        )],
        &[(
            "expert",
            "POST",
            "invitations",
            json!({"email": "p@new.example", "organization": "{id}", "orgRole": "head"}),
        )],
        &[
            ("expert", "PATCH", "organizations/{id}", json!({"membership": "pending"})),
            ("expert", "PATCH", "organizations/{id}", json!({"membership": "member"})),
        ],
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let id = made!(w, "alpha", "organizations", {"name": format!("Farm {number}")});
        let cow = made!(w, "alpha", "animals", {"identNumber": format!("9600000077{number}"), "sex": "female"});
        let dead = made!(w, "alpha", "animals", {"identNumber": format!("9600000078{number}"), "sex": "female"});
        let sale = |animal: i64| json!({"animal": animal, "date": "2026-02-01", "kind": "sale", "to": id});
        // Only named: the animal leaves the book, and the answer says so.
        let out = w.post("alpha", "movements", sale(dead)).await.json();
        assert_eq!((&out["doc"]["outside"], &w.doc("animals", dead).await["state"]), (&json!(true), &json!("sold")));
        for (who, method, path, body) in way {
            let [path, body] = [(*path).to_owned(), body.to_string().replace("\"{id}\"", "{id}")]
                .map(|text| text.replace("{id}", &id.to_string()));
            let answer = w.answer_to(who, method, &format!("/api/{path}?depth=0"), body).await;
            assert!(answer.status < 300, "{path}: {}", answer.text);
            if let Some(token) = answer.json()["doc"]["token"].as_str() {
                assert_eq!(w.doc("organizations", id).await["presence"], "referenced");
                let accept = json!({"token": token, "password": "long enough", "firstName": "A", "lastName": "B"});
                ask!(w.stage, "", "POST /api/invitations/accept", accept => 200);
            }
        }
        let decided = if number == 2 { json!(2) } else { Value::Null };
        let stands = w.doc("organizations", id).await;
        holds!(stands, {"presence": "registered", "membershipReview.decidedBy": decided}, "{number}");
        let sold = w.post("alpha", "movements", sale(cow)).await.json();
        holds!(sold["doc"], {"outside": false, "applied": true}, "{number}");
        holds!(w.doc("animals", cow).await, {"owner": id, "state": "alive"}, "{number}");
        assert_eq!(refused(w, "expert", id, &presence("referenced")).await.0, 400, "{number}");
    }
    assert_eq!(actions(w, "directory-confirmed").await, 3);
}

#[test_with(World::each)]
async fn what_was_registered_by_mistake_is_only_named_again(w: &World<'_>) {
    let user = made!(w, "admin", "users", {
        "email": "h@gamma.example", "lastName": "A", "firstName": "B", "password": "long enough",
        "organization": 3, "orgRole": "head",
    });
    w.changed("expert", "organizations", 3, presence("registered")).await;
    let on_presence = (400, vec!["presence".to_owned()]);
    let path = "/api/organizations/3";
    let body = presence("referenced").to_string();
    let answer = w.refused("expert", "PATCH", path, &body).await;
    assert_eq!((answer.status, paths(&answer)), on_presence);
    answer.has(&["users"]);
    // The farm that named it no longer maintains it, and a farm moves no organisation's presence.
    ask!(w, "alpha", "PATCH /api/organizations/3?depth=0", presence("referenced") => 403);
    // The last head stays head; one who was blocked is none.
    changed!(w, "admin", "users", user, {"blockedAt": "2026-03-01"});
    changed!(w, "admin", "users", user, {"organization": null});
    let doc = w.changed("expert", "organizations", 3, presence("referenced")).await;
    assert_eq!(doc["presence"], "referenced");
    // GraphQL has the same answer.
    let ask = json!({"query": "mutation { updateOrganization(id: 3, data: {presence: registered}) { id } }"});
    let answer = w.ask("expert", "POST", "/api/graphql", ask.to_string()).await;
    answer.has(&["\"path\":\"presence\""]);
}

/// Fields of all collections that name rows of one, with the collections.
fn naming(w: &World<'_>, slug: &'static str) -> Vec<(&'static Collection, &'static Field, Option<&'static Field>)> {
    let registry = w.stage.book.registry;
    (registry.referrers(slug)).map(|r| (r.collection, &r.collection.fields[r.slot], r.sub)).collect()
}

/// `collection.field` of the rows that still name a row.
pub(crate) async fn still_named(w: &World<'_>, slug: &'static str, id: i64) -> Vec<String> {
    let mut all = Vec::new();
    for (c, field, sub) in naming(w, slug) {
        let sql = match (&field.kind, sub) {
            (Kind::Relations(_), _) => {
                let table = c.link_table(field);
                format!("SELECT count(*) FROM \"{table}\" WHERE \"target\" = {id}")
            }
            (_, Some(sub)) => {
                let column = format!("t.\"{}\"", field.column);
                let (before, after) = w.stage.book.store.dialect().rows_have(&column, &sub.path);
                format!("SELECT count(*) FROM \"{}\" t WHERE {before}({id}){after}", c.table)
            }
            _ => format!("SELECT count(*) FROM \"{}\" WHERE \"{}\" = {id}", c.table, field.column),
        };
        if w.stage.number(&sql).await > 0 {
            all.push(format!("{}.{}", c.slug, field.path));
        }
    }
    all
}

/// Rows of Delta (4) in many collections.
async fn delta(w: &World<'_>) {
    let herd = json!({"id": 4, "name": "Delta 1", "organization": 4, "code": "D1"});
    fill(w.stage, "herds", vec![herd]).await;
    changed!(w, "admin", "animals", 5, {"herd": 4});
    made!(w, "delta", "calvings", {"animal": 5, "date": "2022-03-01", "liveHeifers": 1});
    made!(w, "admin", "milk-tests", {"animal": 5, "date": "2026-01-15", "milkYield": 30, "laboratory": 4});
    let dna = json!({"dnaTests": [{"laboratory": 4, "result": "x"}, {"laboratory": 2, "result": "y"}]});
    w.changed("admin", "animals", 3, dna).await;
    made!(w, "beta", "movements", {"animal": 3, "date": "2025-05-05", "kind": "sale", "to": 4});
    made!(w, "admin", "movements", {"animal": 3, "date": "2025-06-05", "kind": "sale", "to": 2});
    let grant = json!({"grantee": 4, "scopes": ["origin"]});
    w.made("alpha", "access-grants", grant.clone()).await;
    w.made("beta", "access-grants", grant).await;
    made!(w, "delta", "organizations", {"name": "Named by Delta"});
}

/// Sends documents that the exchange stores unchanged: about an animal, and about none.
async fn raw_documents(w: &World<'_>) {
    let meta = |key: &str| json!({"source": "farm.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"});
    let intake = json!({
        "resourceType": "icarFeedIntakeEventResource", "meta": meta("i"),
        "animal": {"scheme": "org.herdbook.animal", "id": "960000000005"}, "eventDateTime": "2026-02-03T04:05:06Z",
        "feedingStartingDateTime": "2026-02-03T04:00:00Z", "feedVisitDuration": {"unitCode": "SEC", "value": 306},
    });
    let feed = json!({
        "resourceType": "icarFeedResource", "meta": meta("f"), "id": "f1",
        "category": "Roughage", "name": "Hay", "active": true,
    });
    for (collection, doc) in [("feed-intakes", intake), ("feeds", feed)] {
        ask!(w, "delta", "POST /ade/v1/locations/org.herdbook.orgid/4/{collection}", doc => 201, "{collection}");
    }
}

/// How many documents of a data set live at a location.
async fn live(w: &World<'_>, dataset: &str, location: i64) -> i64 {
    let sql = format!(
        "SELECT count(*) FROM exchange_documents d JOIN exchange_names n ON n.id = d.dataset \
         WHERE n.name = '{dataset}' AND d.location = {location} AND NOT d.deleted"
    );
    w.stage.number(&sql).await
}

#[test_with(World::each)]
async fn what_the_exchange_keeps_follows_a_sold_animal(w: &World<'_>) {
    raw_documents(w).await;
    made!(w, "admin", "movements", {"animal": 5, "date": "2026-02-05", "kind": "sale", "to": 2, "from": 4});
    let places = [live(w, "feed-intakes", 4).await, live(w, "feed-intakes", 2).await, live(w, "feeds", 4).await];
    assert_eq!(places, [0, 1, 1]);
}

#[test_with(World::each)]
async fn what_the_exchange_knows_of_an_organisation_goes_along(w: &World<'_>) {
    raw_documents(w).await;
    let weight = |kg: i64, modified: &str| {
        json!({
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "farm.example", "sourceId": "w", "modified": modified},
            "animal": {"scheme": "org.herdbook.animal", "id": "960000000005"},
            "eventDateTime": "2026-02-02T00:00:00Z", "weight": {"measurement": kg, "units": "KGM"},
        })
    };
    let at = |location: i64| format!("/ade/v1/locations/org.herdbook.orgid/{location}/weights");
    let newer = weight(600, "2026-02-20T00:00:00Z").to_string();
    assert_eq!(w.ask("delta", "POST", &at(4), newer).await.status, 201);
    changed!(w, "expert", "organizations", 4, {"mergedInto": 1});
    for dataset in ["feed-intakes", "feeds", "weights"] {
        assert_eq!([live(w, dataset, 4).await, live(w, dataset, 1).await], [0, 1], "{dataset}");
    }
    // The sender is known again, and so is its last state.
    let older = weight(590, "2026-02-10T00:00:00Z").to_string();
    let answer = w.ask("delta", "POST", &at(1), older).await;
    assert!(answer.status == 200, "{} {}", answer.status, answer.text);
    assert_eq!(w.list("weighings", "").await.len(), 1);
    assert_eq!(w.list("weighings", "").await[0]["weight"], 600);
    let next = weight(610, "2026-02-21T00:00:00Z").to_string();
    assert_eq!(w.ask("delta", "POST", &at(1), next).await.status, 200);
    assert_eq!(w.list("weighings", "").await[0]["weight"], 610);
}

#[test_with(World::each)]
async fn two_organisations_become_one_with_all_that_names_them(w: &World<'_>) {
    delta(w).await;
    assert_eq!(w.documents(5).await, ["animals 4", "lactations 4", "parturitions 4", "test-day-results 4"]);
    holds!(changed!(w, "expert", "organizations", 4, {"mergedInto": 1}), {"mergedInto": 1});
    // The records of the merger itself: its line in the log, and the tombstones of the
    // documents that left the location by it.
    let except = ["operations.organization", "ade-tombstones.location"];
    assert_eq!(still_named(w, "organizations", 4).await, except);
    assert_eq!(actions(w, "directory-merged").await, 1);
    let cow = w.doc("animals", 5).await;
    assert_eq!((&cow["owner"], &cow["herd"]), (&json!(1), &json!(4)));
    assert_eq!(w.doc("herds", 4).await["organization"], 1);
    assert_eq!(w.doc("animals", 3).await["pastOwners"], json!([2, 1]));
    assert_eq!(
        w.documents(5).await,
        [
            "animals 1",
            "animals 4 left",
            "lactations 1",
            "lactations 4 left",
            "parturitions 1",
            "parturitions 4 left",
            "test-day-results 1",
            "test-day-results 4 left",
        ]
    );
    // No organisation gives a grant to itself.
    let grants = w.list("access-grants", "").await;
    let ended = |g: &Value| !g["revokedAt"].is_null();
    let except: Vec<_> = grants.iter().map(|g| (g["owner"].as_i64(), g["grantee"].as_i64(), ended(g))).collect();
    assert_eq!(except, [(Some(1), Some(1), true), (Some(2), Some(1), false)]);
    // Its people are those of the other one, and its rights were suspended no more than theirs.
    made!(w, "delta", "weighings", {"animal": 2, "date": "2026-02-02", "weight": 600});
    // A user that still names the old organisation refers to the new one.
    let id = made!(w, "beta", "movements", {"animal": 3, "date": "2026-02-02", "kind": "sale", "to": 4});
    assert_eq!(w.doc("movements", id).await["to"], 1);
    assert_eq!(w.doc("animals", 3).await["owner"], 1);
}

#[test_with(World::each)]
async fn what_cannot_be_merged_is_told_at_once(w: &World<'_>) {
    let on = |path: &str| (400, vec![path.to_owned()]);
    let into = |id: i64| json!({"mergedInto": id});
    assert_eq!(refused(w, "expert", 4, &into(4)).await, on("mergedInto"));
    assert_eq!(refused(w, "expert", 4, &into(99)).await, on("mergedInto"));
    assert_eq!(refused(w, "expert", 4, &into(3)).await, on("mergedInto"), "only named");
    // The value of a farm is ignored.
    let doc = w.changed("alpha", "organizations", 1, into(2)).await;
    assert_eq!(doc["mergedInto"], Value::Null);

    let herd = |id: i64, of: i64| json!({"id": id, "name": "H", "organization": of, "code": "7"});
    fill(w.stage, "herds", vec![herd(8, 1), herd(9, 4)]).await;
    for (organization, id) in [(1, 1), (4, 2)] {
        let sha256 = "ab".repeat(32);
        let package = [
            ("id", Cell::Int(id)),
            ("organization", Cell::Int(organization)),
            ("sha256", sha256.as_str().into()),
            ("kind", "events".into()),
            ("status", "uploaded".into()),
        ];
        w.stage.insert("data-submissions", &package).await;
    }
    let body = into(1).to_string();
    let answer = w.refused("expert", "PATCH", "/api/organizations/4", &body).await;
    let fields = paths(&answer);
    assert_eq!(
        (answer.status, fields),
        (400, vec!["mergedInto.herds".to_owned(), "mergedInto.data-submissions".to_owned()])
    );
    answer.has(&["9 and 8"]);
    let sql = "DELETE FROM \"data_submissions\" WHERE \"id\" = 2";
    w.stage.run(Sql::new(sql)).await;
    changed!(w, "admin", "herds", 9, {"code": "8"});
    w.changed("expert", "organizations", 4, into(1)).await;
    // A merged organisation can neither be restored nor merged again.
    assert_eq!(refused(w, "expert", 4, &into(2)).await, on("mergedInto"));
    assert_eq!(refused(w, "expert", 4, &json!({"mergedInto": null})).await, on("mergedInto"));
    assert_eq!(refused(w, "expert", 1, &into(4)).await, on("mergedInto"), "that is itself");
    assert_eq!(refused(w, "expert", 4, &presence("referenced")).await, on("presence"));
}
