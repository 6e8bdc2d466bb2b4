//! Arrivals that the receiver sends: they wait for a giver who takes part in the book, belong to the
//! same movement as its departure, and leave no trace when they are refused.

use super::births::{self, last_in_feed, listed, post, retracted};
use crate::ade::events::rows::event;
use crate::ade::stage::{FARM, OTHER, Stage, animal, codes, keys, messages, placed};
use serde_json::{Value, json};

const RESOURCE: &str = "icarMovementArrivalEventResource";

fn arrival(key: &str, id: i64, reason: &str) -> Value {
    let mut doc = event(key, RESOURCE, "2026-02-01", json!({"arrivalReason": reason}));
    doc["animal"] = animal(id);
    doc
}

/// The departure of cow 21 from farm 2 to farm 1.
fn departure(key: &str, kind: &str) -> Value {
    let place = json!({"id": "1", "scheme": "org.herdbook.orgid"});
    let own = json!({"departureKind": kind, "consignment": {"destinationLocation": place}});
    let mut doc = event(key, "icarMovementDepartureEventResource", "2026-02-01", own);
    doc["animal"] = animal(21);
    doc
}

/// Cow 21 of farm 2, which farm 1 reads.
async fn public(s: &Stage, animal: i64) {
    update!(s.f, "animals", animal, {"publicVisible": true});
}

/// Sends to farm 2 as its head.
async fn give(s: &Stage, set: &str, doc: &Value) -> (u16, Value) {
    let path = format!("{OTHER}/{set}");
    let (status, _, body) = s.f.post(&path, &s.other, doc.clone()).await;
    (status, body)
}

async fn post_arrival(s: &Stage, doc: &Value) -> (u16, Value, Vec<String>) {
    post(s, "arrivals", doc).await
}

async fn owner(s: &Stage, animal: i64) -> Value {
    let path = format!("/api/animals/{animal}?depth=0");
    s.f.get(&path, &s.expert).await.2["owner"].clone()
}

/// All movements, the last one first.
async fn movements(s: &Stage) -> Vec<Value> {
    let (_, _, page) = s.f.get("/api/movements?depth=0&sort=-id", &s.expert).await;
    page["docs"].as_array().unwrap().clone()
}

async fn decide(s: &Stage, movement: i64, word: &str) {
    ask!(s.f, s.other, "PATCH /api/movements/{movement}", {"confirmation": word} => 200);
}

/// Members besides those that the server sets.
fn plain(doc: &Value) -> Value {
    let mut doc = births::plain(doc);
    doc.as_object_mut().unwrap().remove("location");
    doc
}

/// Sends a document, which is taken with this status and reads as it was sent; what is read.
async fn assert_reads_as_sent(s: &Stage, doc: &Value, status: u16) -> Value {
    let (found, made, _) = post_arrival(s, doc).await;
    assert_eq!((found, plain(&made)), (status, plain(doc)), "{made}");
    made
}

#[test_each(Stage::both())]
async fn an_arrival_waits_for_a_giver_of_the_book(s: Stage) {
    public(&s, 21).await;
    let mut sent = arrival("a1", 21, "Purchase");
    sent["eventDateTime"] = "2026-02-01T11:00:00+03:00".into();
    sent["x-own"] = json!({"price": 1.50});
    sent["animalDetail"] = json!({"resourceType": "icarAnimalCoreResource",
        "identifier": sent["animal"], "specie": "Cattle", "gender": "Female"});
    let (headers, made) = ask!(s.f, s.farm, "POST {FARM}/arrivals", sent => 201 with headers);
    assert_eq!(messages(&headers), ["waits"], "{made}");
    assert_eq!(plain(&made), plain(&sent));
    // It is read by its sender and has no effect yet.
    let at = headers["location"].to_str().unwrap();
    assert_eq!(s.get(at).await, (200, made.clone()));
    assert_eq!(listed(&s, FARM, "arrivals").await, std::slice::from_ref(&made));
    assert_eq!(listed(&s, OTHER, "departures").await, [] as [Value; 0]);
    assert_eq!(listed(&s, OTHER, "arrivals").await, [] as [Value; 0]);
    assert_eq!(listed(&s, FARM, "animals").await.len(), 3);
    assert_eq!(owner(&s, 21).await, 2);
    let movement = &movements(&s).await[0];
    let fields = ["from", "to", "kind", "confirmation", "applied"].map(|f| &movement[f]);
    assert_eq!(json!(fields), json!([2, 1, "sale", "pending", false]), "{movement}");
    // Once more it changes nothing.
    let (status, second, _) = post_arrival(&s, &sent).await;
    assert_eq!((status, &second), (200, &made));

    decide(&s, 1, "confirmed").await;
    assert_eq!(owner(&s, 21).await, 1);
    assert_eq!(listed(&s, FARM, "arrivals").await, std::slice::from_ref(&made));
    let remaining = listed(&s, OTHER, "departures").await;
    assert_eq!(remaining.len(), 1, "{remaining:?}");
    assert_eq!(remaining[0]["departureKind"], "Sale");
    assert_eq!(listed(&s, FARM, "animals").await.len(), 4);
    let (status, second, _) = post_arrival(&s, &sent).await;
    assert_eq!((status, second), (200, made));
    // What both confirmed goes with the consent of both, as everywhere in the book.
    let (status, body, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!((status, codes(&body)), (403, vec!["write-forbidden"]));
    let path = "/api/movements/1";
    s.send("PATCH", path, &s.other, &[], json!({"released": true})).await;
    let (status, body, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(owner(&s, 21).await, 2);
    assert_eq!(listed(&s, OTHER, "departures").await.len(), 0);
}

#[test_each(Stage::both())]
async fn a_refused_arrival_becomes_a_tombstone(s: Stage) {
    public(&s, 21).await;
    let sent = arrival("a1", 21, "Agistment");
    let (status, made, _) = post_arrival(&s, &sent).await;
    assert_eq!(status, 201, "{made}");
    decide(&s, 1, "refused").await;
    assert_eq!(owner(&s, 21).await, 2);
    assert_eq!(listed(&s, FARM, "arrivals").await.len(), 0);
    let tombstone = last_in_feed(&s, "arrivals", "a1").await;
    assert_eq!(tombstone["meta"]["isDeleted"], true, "{tombstone}");
    // The refusal stands until the sender retracts the arrival.
    let tally = s.tally().await;
    let (status, body, _) = post_arrival(&s, &sent).await;
    assert_eq!(status, 409, "{body}");
    holds!(body, {"errors.0.type": "ended", "errors.0.instance": "/meta/sourceId"});
    assert_eq!(s.tally().await, tally);
    let (status, body, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(movements(&s).await.len(), 0);
}

#[test_each(Stage::each())]
async fn an_arrival_that_waits_is_taken_back_by_its_sender(s: Stage) {
    public(&s, 21).await;
    let sent = arrival("a1", 21, "Purchase");
    assert_eq!(post_arrival(&s, &sent).await.0, 201);
    let (status, body, types) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!((status, types), (200, vec![]), "{body}");
    assert_eq!(movements(&s).await.len(), 0);
    assert_eq!(last_in_feed(&s, "arrivals", "a1").await["meta"]["isDeleted"], true);
    let (status, body, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!(status, 200, "what is not there is retracted: {body}");
}

#[test_each(Stage::both())]
async fn an_arrival_from_outside_the_book_applies_at_once(s: Stage) {
    fill!(s.f, "organizations", 8, {"name": "A dealer", "presence": "referenced"});
    s.f.cow(31, 8).await;
    public(&s, 31).await;
    let mut sent = arrival("a1", 31, "Purchase");
    sent["consignment"] = json!({"id": {"scheme": "other.scheme", "id": "7"},
        "originLocation": {"scheme": "other.scheme", "id": "farm-9"}, "vehicle": "AB 12"});
    let (status, made, types) = post_arrival(&s, &sent).await;
    assert_eq!((status, owner(&s, 31).await), (201, 1.into()), "{made}");
    assert!(!types.contains(&"waits".to_owned()), "{types:?}");
    assert_eq!(plain(&made), plain(&sent));
    let (status, body, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!((status, owner(&s, 31).await), (200, 8.into()), "{body}");
    // An import names where it comes from, or nobody.
    let mut sent = arrival("a2", 31, "Imported");
    let (status, body, _) = post_arrival(&s, &sent).await;
    assert_eq!((status, codes(&body)), (400, vec!["field-value"]), "{body}");
    assert_eq!(body["errors"][0]["instance"], "/arrivalReason");
    let from = json!({"scheme": "org.herdbook.orgid", "id": "8"});
    sent["consignment"] = json!({"originLocation": from});
    let (status, made, _) = post_arrival(&s, &sent).await;
    assert_eq!((status, owner(&s, 31).await), (201, 1.into()), "{made}");
    assert_eq!(plain(&made), plain(&sent));
}

#[tokio::test]
async fn each_reason_is_taken_and_comes_back_or_is_refused_by_name() {
    let s = Stage::plain().await;
    public(&s, 21).await;
    // Reason, animal, whose it is and whether it waits.
    let reasons = [
        ("Purchase", 21, "sale"),
        ("Sale", 21, "sale"),
        ("SaleReturn", 21, "sale"),
        ("Agistment", 21, "lease"),
        ("AgistmentReturn", 21, "lease"),
        ("StudService", 21, "absence"),
        ("Show", 21, "absence"),
        ("Other", 21, "absence"),
        ("StudServiceReturn", 11, "absence"),
        ("ShowReturn", 11, "absence"),
        ("InternalTransfer", 11, "transfer"),
        ("Imported", 11, "import"),
        ("Slaughter", 21, ""),
    ];
    let all = ade::schema::Standard::get().enum_values("icarArrivalReasonType");
    assert_eq!(all.unwrap().len(), reasons.len());
    for (reason, animal, kind) in reasons {
        let sent = arrival(reason, animal, reason);
        let tally = s.tally().await;
        let (status, made, types) = post_arrival(&s, &sent).await;
        if kind.is_empty() {
            assert_eq!((status, codes(&made)), (400, vec!["field-value"]), "{made}");
            assert_eq!(made["errors"][0]["instance"], "/arrivalReason");
            assert_eq!(s.tally().await, tally);
            continue;
        }
        assert_eq!((status, &plain(&made)), (201, &plain(&sent)), "{made}");
        let movement = &movements(&s).await[0];
        assert_eq!(movement["kind"], kind, "{movement}");
        let waits = animal == 21;
        assert_eq!(types.contains(&"waits".to_owned()), waits, "{reason}");
        assert_eq!(movement["applied"], !waits, "{reason}");
        // What comes back to its owner does not leave it at the same time.
        let remaining = listed(&s, FARM, "departures").await.len();
        assert_eq!(remaining, usize::from(kind == "transfer"), "{reason}");
        let (status, second, _) = post_arrival(&s, &sent).await;
        assert_eq!((status, second), (200, made), "{reason}");
        assert_eq!(post_arrival(&s, &retracted(&sent)).await.0, 200, "{reason}");
        assert_eq!(movements(&s).await.len(), 0, "{reason}");
    }
    // Without a reason nobody knows whether the animal changes hands.
    let mut sent = arrival("none", 21, "Purchase");
    sent.as_object_mut().unwrap().remove("arrivalReason");
    let (status, body, _) = post_arrival(&s, &sent).await;
    assert_eq!((status, codes(&body)), (400, vec!["field-missing"]));
    assert_eq!(body["errors"][0]["instance"], "/arrivalReason");
}

#[test_each(Stage::both())]
async fn a_number_of_the_card_names_an_animal_for_those_who_read_the_card(s: Stage) {
    let chip = "643096001000420";
    update!(s.f, "animals", 21, {"publicVisible": true, "altIds": {"chipNumber": chip}});
    let mut sent = arrival("a2", 21, "Purchase");
    sent["animal"] = json!({"scheme": "std.iso.11785", "id": chip});
    assert_eq!(post_arrival(&s, &sent).await.0, 422);
    update!(s.f, "animals", 21, {"publicDetails": true});
    let (status, made, types) = post_arrival(&s, &sent).await;
    assert_eq!(status, 201, "{made}");
    assert!(types.contains(&"stored-otherwise".to_owned()), "{types:?}");
}

#[test_each(Stage::both())]
async fn the_arrival_belongs_to_the_departure_that_the_giver_sent(s: Stage) {
    let gone = departure("d1", "Sale");
    let (status, remaining) = give(&s, "departures", &gone).await;
    assert_eq!((status, owner(&s, 21).await), (201, 1.into()), "{remaining}");
    let own = listed(&s, FARM, "arrivals").await;
    assert_eq!(own.len(), 1);
    // It came after midnight, under a reason of its own.
    let mut sent = arrival("a1", 21, "Sale");
    sent["eventDateTime"] = "2026-02-02T01:30:00Z".into();
    sent["consignment"] = json!({"vehicle": "AB 12", "countReceived": 1});
    let (status, made, types) = post_arrival(&s, &sent).await;
    assert_eq!((status, plain(&made)), (201, plain(&sent)), "{made}");
    assert_eq!(types, ["joined"]);
    assert_eq!(movements(&s).await.len(), 1, "one movement");
    assert_eq!(listed(&s, FARM, "arrivals").await, std::slice::from_ref(&made));
    assert_eq!(listed(&s, OTHER, "departures").await, std::slice::from_ref(&remaining));
    let (status, second, _) = post_arrival(&s, &sent).await;
    assert_eq!((status, &second), (200, &made));
    // The sender corrects its document; the movement keeps what the giver recorded.
    let mut better = sent.clone();
    better["consignment"]["countReceived"] = 2.into();
    better["meta"]["modified"] = "2026-02-03T00:00:00Z".into();
    assert_reads_as_sent(&s, &better, 200).await;
    assert_eq!(listed(&s, OTHER, "departures").await, std::slice::from_ref(&remaining));
    let mut another = better.clone();
    another["eventDateTime"] = "2026-02-15T00:00:00Z".into();
    let (status, body, _) = post_arrival(&s, &another).await;
    assert_eq!((status, codes(&body)), (400, vec!["field-value"]));
    assert_eq!(body["errors"][0]["instance"], "/eventDateTime");

    // Its retraction leaves the movement to the giver.
    let (status, body, types) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!((status, types), (200, vec!["kept-by-others".to_owned()]), "{body}");
    assert_eq!(owner(&s, 21).await, 1);
    assert_eq!(last_in_feed(&s, "arrivals", "a1").await["meta"]["isDeleted"], true);
    assert_eq!(listed(&s, FARM, "arrivals").await.len(), 1);
    assert_eq!(listed(&s, OTHER, "departures").await, [remaining]);
    let (status, body) = give(&s, "departures", &retracted(&gone)).await;
    assert_eq!((status, owner(&s, 21).await), (200, 2.into()), "{body}");
    assert_eq!(listed(&s, FARM, "arrivals").await.len(), 0);
}

#[test_each(Stage::both())]
async fn the_departure_confirms_the_arrival_that_waits(s: Stage) {
    public(&s, 21).await;
    let sent = arrival("a1", 21, "Purchase");
    let (_, made, _) = post_arrival(&s, &sent).await;
    // A departure to nobody in particular, or of another kind, confirms nothing.
    for kind in ["Agistment", "Sale"] {
        let mut other = departure(kind, kind);
        if kind == "Sale" {
            other["consignment"] = json!({"vehicle": "AB 12"});
        }
        let (status, body) = give(&s, "departures", &other).await;
        assert_eq!(status, 201, "{body}");
        assert_eq!(movements(&s).await.len(), 2, "{kind}");
        let (status, body) = give(&s, "departures", &retracted(&other)).await;
        assert_eq!(status, 200, "{body}");
    }
    let gone = departure("d1", "Sale");
    let (headers, remaining) = ask!(s.f, s.other, "POST {OTHER}/departures", gone => 201 with headers);
    assert_eq!(plain(&remaining), plain(&gone), "{remaining}");
    assert_eq!(messages(&headers), ["joined"]);
    let all = movements(&s).await;
    assert_eq!((all.len(), &all[0]["confirmation"]), (1, &json!("confirmed")));
    assert_eq!(owner(&s, 21).await, 1);
    assert_eq!(listed(&s, FARM, "arrivals").await, [made]);
    assert_eq!(listed(&s, OTHER, "departures").await, std::slice::from_ref(&remaining));
    let (status, second) = give(&s, "departures", &gone).await;
    assert_eq!((status, second), (200, remaining));
    // Who takes the departure back lets the receiver take back the rest.
    let (status, _, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!(status, 403);
    let (status, body) = give(&s, "departures", &retracted(&gone)).await;
    assert_eq!((status, owner(&s, 21).await), (200, 1.into()), "{body}");
    let (status, body, _) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!((status, owner(&s, 21).await), (200, 2.into()), "{body}");
    assert_eq!(movements(&s).await.len(), 0);
}

#[test_each(Stage::each())]
async fn an_arrival_belongs_to_the_movement_that_a_person_recorded(s: Stage) {
    public(&s, 21).await;
    ask!(s.f, s.farm, "POST /api/movements", {"animal": 21, "kind": "sale", "date": "2026-02-01", "to": 1} => 201);
    // What waits is shown to the sender of an arrival alone.
    assert_eq!(listed(&s, FARM, "arrivals").await.len(), 0);
    let sent = arrival("a1", 21, "Purchase");
    let (status, made, types) = post_arrival(&s, &sent).await;
    assert_eq!((status, plain(&made)), (201, plain(&sent)), "{made}");
    assert_eq!(types, ["joined", "waits"]);
    let (status, body, types) = post_arrival(&s, &retracted(&sent)).await;
    assert_eq!((status, types), (200, vec!["kept-by-others".to_owned()]), "{body}");
    assert_eq!(movements(&s).await.len(), 1);
    assert_eq!(listed(&s, FARM, "arrivals").await.len(), 0);
    decide(&s, 1, "confirmed").await;
    let own = listed(&s, FARM, "arrivals").await;
    assert_eq!(own[0]["meta"]["source"], "org.herdbook", "{own:?}");
}

#[test_each(Stage::both())]
async fn batches_pushes_and_dry_runs_follow_the_same_rules(s: Stage) {
    public(&s, 21).await;
    let tally = s.tally().await;
    let sent = arrival("a1", 21, "Purchase");
    ask!(s.f, s.farm, "POST {FARM}/arrivals?validate=only", sent => 201);
    assert_eq!(s.tally().await, tally);
    // A push is all or nothing.
    let push = "/ade/v1/datasets/arrivals/resources";
    ask!(s.f, s.farm, "POST {push}", [placed(sent.clone(), "1"), placed(arrival("a2", 99, "Purchase"), "1")] => 422);
    assert_eq!(s.tally().await, tally);
    let batch = "/ade/v1/batches/locations/org.herdbook.orgid/1/arrivals";
    let (headers, results) = ask!(s.f, s.farm, "POST {batch}",
        [sent, arrival("a2", 99, "Purchase"), arrival("a3", 11, "ShowReturn")] => 200 with headers);
    let types = |at: usize| {
        let all = results[at]["messages"].as_array().unwrap().iter();
        all.map(|m| m["type"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(types(0), ["created", "waits"]);
    assert_eq!(types(1), ["animal-not-found"]);
    assert_eq!(types(2), ["created"]);
    assert_eq!(keys(&s.get(&format!("{FARM}/arrivals")).await.1), ["a1", "a3"]);
    // Taken back, the batch leaves nothing.
    let at = headers["content-location"].to_str().unwrap();
    ask!(s.f, s.farm, "DELETE {at}" => 200);
    assert_eq!(movements(&s).await.len(), 0);
    ask!(s.f, s.farm, "POST {push}", [placed(sent, "1")] => 200);
    assert_eq!(movements(&s).await[0]["confirmation"], "pending");
}

#[test_each(Stage::each())]
async fn who_may_not_move_animals_sends_no_arrivals(s: Stage) {
    public(&s, 21).await;
    give(&s, "departures", &departure("d1", "Sale")).await;
    let operator = s.f.user(9, "farmer", Some(1), "operator").await;
    let tally = s.tally().await;
    let path = format!("{FARM}/arrivals");
    for doc in [arrival("a1", 21, "Purchase"), arrival("a2", 11, "ShowReturn")] {
        ask!(s.f, operator, "POST {path}", doc => 403 ["write-forbidden"]);
    }
    assert_eq!(s.tally().await, tally);
    // No farm sends to another one.
    ask!(s.f, s.other, "POST {path}", arrival("a1", 21, "Purchase") => 404 ["location-forbidden"]);
    // The Association knows, so that nothing waits.
    let mut sent = arrival("a3", 21, "Purchase");
    give(&s, "departures", &retracted(&departure("d1", "Sale"))).await;
    sent["x"] = 1.into();
    let (headers, _) = ask!(s.f, s.expert, "POST {path}", sent => 201 with headers);
    assert_eq!(messages(&headers), [""; 0]);
    assert_eq!(owner(&s, 21).await, 1);
}
