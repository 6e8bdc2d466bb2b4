//! What is done on the page of a record, walked as a person does: the page is read, its form is taken as it stands, and
//! sent.

use crate::pages::filled::{Filled, link};
use crate::pages::russian;
use crate::pages::{BROWSER, assert_sound, goes, id_of, linked, page, send};
use crate::rest::certificates::issue::{COW, PEDIGREE, family};
use crate::rest::stage::Answer;
use crate::rest::world::World;
use model::registry::{Kind, Reading};
use serde_json::json;

/// Sends a form as it stands.
async fn pressed(w: &World<'_>, who: &str, form: &Filled) -> Answer {
    send(w, who, &form.action, &form.pairs()).await
}

#[test_with(World::each)]
async fn every_move_that_people_make_writes_a_field_that_a_form_can_fill(w: &World<'_>) {
    let mut stamps = 0;
    for c in w.stage.book.registry.iter() {
        for states in &c.states {
            let Reading::Times(_, all) = &states.reading else {
                continue;
            };
            for step in states.made_by_people() {
                let stamp = all.iter().find(|(state, _)| *state == step.to);
                let Some(field) = stamp.and_then(|(_, path)| c.field(path)) else {
                    continue;
                };
                let filled = matches!(field.kind, Kind::Instant | Kind::Day | Kind::Relation(_));
                assert!(filled, "{}.{} to {}", c.slug, field.path, step.to);
                stamps += 1;
            }
        }
    }
    assert!(stamps > 8, "{stamps}");
}

#[test_with(World::each)]
async fn a_certificate_is_issued_and_revoked_on_its_page(w: &World<'_>) {
    family(w).await;
    let draft = async |animal: i64| {
        let body = json!({"title": "Certificate", "type": PEDIGREE, "animal": animal, "organization": 1});
        let id = w.made("expert", "documents", body).await;
        format!("/book/documents/{id}")
    };
    // Her mother lacks most of it: every condition is shown, in the language of the page.
    let path = draft(31).await;
    let form = Filled::of(&page(w, "expert", &path).await, "Issue the document");
    assert_eq!(form.get("issuedAt").map(str::len), Some(10), "{form:?}");
    let refused = pressed(w, "expert", &form).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_sound(&refused, "refused");
    refused.has(&["not verified by the Association", "four grandparents", "No great-grandparent"]);
    let form = Filled::of(&russian(w, "expert", &path).await, "Выдать документ");
    let headers = [BROWSER[0], ("accept-language", "ru"), ("content-type", "application/x-www-form-urlencoded")];
    let refused = w.send("expert", "POST", &path, &headers, crate::pages::form(&form.pairs())).await;
    refused.has(&["Данные животного не подтверждены Ассоциацией"]);

    let path = draft(COW).await;
    let form = Filled::of(&page(w, "expert", &path).await, "Issue the document");
    assert_eq!(goes(&pressed(w, "expert", &form).await), path);
    let answer = page(w, "expert", &path).await;
    let ask = page(w, "expert", &link(&answer, "Revoke the document")).await;
    assert_sound(&ask, "ask");
    ask.has(&["The document is no longer valid", "<title>Revoke the document: "]);
    ask.lacks(&["<title>Revoke the document: Document"]);
    let form = Filled::of(&ask, "Revoke the document");
    let refused = pressed(w, "expert", &form).await;
    assert_eq!(refused.status, 400);
    // Back leads to the page that asks, and not to the form that was sent.
    let address = format!("data-address=\"{}\"", link(&answer, "Revoke the document"));
    refused.has(&["id=\"f-", "-revoked-reason-fault\"", &address]);
    let form = form.with("revoked.reason", "A wrong mother.");
    assert_eq!(goes(&pressed(w, "expert", &form).await), path);
    page(w, "expert", &path).await.has(&["A wrong mother."]);
}

#[test_with(World::each)]
async fn an_owner_opens_access_on_the_page_of_the_request(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    let id = made!(w, "beta", "access-requests", {"animal": 2, "purpose": "semen", "scopes": ["production"]});
    let path = format!("/book/access-requests/{id}");
    let form = Filled::of(&page(w, "alpha", &path).await, "Open the access");
    assert_eq!(form.get("requesterOrg"), None, "the server knows who asks");
    assert_eq!(goes(&pressed(w, "alpha", &form).await), path);
    let grants = w.list("access-grants", "").await;
    assert_eq!(grants[0]["grantee"], 2);
}

#[test_with(World::each)]
async fn what_is_shown_once_is_shown_on_the_page_that_answers_the_form(w: &World<'_>) {
    // A view link, with its whole address.
    let fields = [("animals", "[2]"), ("scopes", "origin"), ("expiresAt", "2026-06-01T00:00")];
    let made = send(w, "alpha", "/book/share-links/new", &fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    assert_sound(&made, "link");
    made.has(&["shown here once"]);
    let (_, rest) = made.text.split_once("/share/").unwrap();
    let token: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    assert_eq!(token.len(), 64, "{}", made.text);
    made.has(&["<code>http://"]);
    assert_eq!(page(w, "", &format!("/share/{token}")).await.status, 200);
    let record = page(w, "alpha", &link(&made, "To the record")).await;
    assert!(record.status == 200 && !record.text.contains(&token), "{}", record.text);
    // A key of a webhook, also the one that replaces it.
    let fields = [("url", "https://partner.example/hook"), ("dataset", "animals")];
    let made = send(w, "alpha", "/book/webhooks/new", &fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let secret = |answer: &Answer| {
        let (_, rest) = answer.text.split_once("<code>").unwrap();
        rest.split("</code>").next().unwrap().to_owned()
    };
    let hook = link(&made, "To the record");
    let form = Filled::of(&page(w, "alpha", &hook).await, "Exchange the key");
    let other = pressed(w, "alpha", &form).await;
    assert_eq!(other.status, 200, "{}", other.text);
    assert_sound(&other, "key");
    assert!(secret(&made).len() > 20 && secret(&other).len() > 20);
    assert_ne!(secret(&made), secret(&other));
}

#[test_with(World::each)]
async fn merging_asks_with_what(w: &World<'_>) {
    let answer = page(w, "expert", "/book/organizations/3").await;
    let ask = page(w, "expert", &link(&answer, "Merge it into another organisation")).await;
    assert_sound(&ask, "ask");
    ask.has(&["Every reference to it moves"]);
    let form = Filled::of(&ask, "Merge it into another organisation").with("mergedInto", "Nobody");
    let refused = pressed(w, "expert", &form).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused");
    refused.has(&["-mergedInto-fault\"", "aria-invalid"]);
    let name = w.doc("organizations", 2).await["name"].as_str().unwrap().to_owned();
    let form = Filled::of(&refused, "Merge it into another organisation").with("mergedInto", &name);
    assert_eq!(goes(&pressed(w, "expert", &form).await), "/book/organizations/3");
    assert_eq!(w.doc("organizations", 3).await["mergedInto"], 2);
}

#[test_with(World::each)]
async fn nobody_is_offered_to_end_oneself(w: &World<'_>) {
    page(w, "alpha", "/book/users/11").await.lacks(&["Block the user"]);
    page(w, "admin", "/book/users/11").await.has(&["Block the user"]);
    // To its officers the organisation is the Association.
    changed!(w, "admin", "users", 2, {"organization": 2});
    let deeds = ["End its taking part", "Merge it into another organisation"];
    page(w, "expert", "/book/organizations/1").await.has(&deeds);
    page(w, "expert", "/book/organizations/2").await.lacks(&deeds);
}

#[test_with(World::each)]
async fn a_user_is_blocked_and_unblocked(w: &World<'_>) {
    let path = "/book/users/12";
    let ask = linked(w, "alpha", path, "Block the user").await;
    let form = Filled::of(&ask, "Block the user");
    assert_eq!(goes(&pressed(w, "alpha", &form).await), path);
    assert!(w.doc("users", 12).await["blockedAt"].is_string());
    let form = Filled::of(&page(w, "alpha", path).await, "Unblock the user");
    assert_eq!(goes(&pressed(w, "alpha", &form).await), path);
    assert!(w.doc("users", 12).await["blockedAt"].is_null());
}

#[test_with(World::each)]
async fn what_ends_something_is_asked_about_first(w: &World<'_>) {
    let path = "/book/animals/2";
    let answer = page(w, "alpha", path).await;
    for (word, text) in [("dead", "Record the death"), ("sold", "Record the sale"), ("culled", "Record the culling")] {
        answer.lacks_in(&format_args!("{word} at one touch"), &[&format!("value=\"{word}\"")]);
        let ask = page(w, "alpha", &link(&answer, text)).await;
        assert_sound(&ask, word);
        ask.has(&["a movement is recorded"]);
        assert_eq!(link(&ask, "Cancel"), path);
    }
    assert_eq!(w.doc("animals", 2).await["state"], "alive");
    let dead = page(w, "alpha", &link(&answer, "Record the death")).await;
    let form = Filled::of(&dead, "Record the death");
    // Today, unless another day is typed.
    assert_eq!(form.get("disposalDate"), Some("2026-03-01"));
    let form = form.with("disposalDate", "2026-02-20");
    assert_eq!(goes(&pressed(w, "alpha", &form).await), path);
    holds!(w.doc("animals", 2).await, {"state": "dead", "disposalDate": "2026-02-20T00:00:00.000Z"});
    // A move that is not offered has no page.
    for (who, path) in [
        ("alpha", "/book/animals/2/move/state/dead"),
        ("viewer", "/book/animals/2/move/state/alive"),
        ("alpha", "/book/animals/2/move/mergedInto/merged"),
        ("alpha", "/book/animals/2/move/nope/x"),
    ] {
        assert_eq!(page(w, who, path).await.status, 404, "{who} {path}");
    }
    // So is a deletion.
    let test = made!(w, "alpha", "milk-tests", {"animal": 4, "date": "2025-03-01", "milkYield": 30});
    let path = format!("/book/milk-tests/{test}");
    let ask = linked(w, "alpha", &path, "Delete").await;
    assert_sound(&ask, "delete");
    page(w, "viewer", &format!("{path}/delete")).await.assert_is(404, "");
    assert_eq!(goes(&pressed(w, "alpha", &Filled::of(&ask, "Delete")).await), "/book/milk-tests");
    assert!(w.list("milk-tests", "").await.is_empty());
}

#[test_with(World::each)]
async fn a_sale_says_what_follows_and_offers_possible_buyers_and_reasons_of_sales(w: &World<'_>) {
    made!(w, "admin", "disposal-reasons", {"code": "77", "name": "Slaughter", "state": "culled"});
    made!(w, "admin", "disposal-reasons", {"code": "78", "name": "Breeding sale", "state": "sold"});
    made!(w, "admin", "disposal-reasons", {"code": "79", "name": "Foot rot", "state": "dead"});
    changed!(w, "expert", "organizations", 3, {"mergedInto": 2});
    let ask = linked(w, "alpha", "/book/animals/2", "Record the sale").await;
    assert_sound(&ask, "sale");
    ask.has(&["passes to it at once", "can object within 30 days", "Breeding sale", "Surplus"]);
    ask.has(&["Beta</option>", "Delta</option>"]);
    ask.lacks(&["Slaughter", "Foot rot", "Alpha</option>", "Gamma</option>"]);
    let culling = linked(w, "alpha", "/book/animals/2", "Record the culling").await;
    culling.has(&["Slaughter</option>"]);
    culling.lacks(&["Breeding sale", "Foot rot"]);
    let death = linked(w, "alpha", "/book/animals/2", "Record the death").await;
    death.has(&["Surplus</option>", "Foot rot"]);
    death.lacks(&["Breeding sale</option>"]);
    // Laboratories and the Association buy none, AI centres do.
    let sale = "/book/animals/2/move/state/sold";
    for (more, buys) in [
        (json!({"activities": ["laboratory"]}), false),
        (json!({"activities": ["association", "registrar"]}), false),
        (json!({"activities": [], "type": "service"}), false),
        (json!({"activities": ["aiStation"], "type": "service"}), true),
    ] {
        w.changed("admin", "organizations", 4, more.clone()).await;
        let offered = page(w, "alpha", sale).await.text.contains("Delta</option>");
        assert_eq!(offered, buys, "{more}");
    }
    // Where nobody may buy, nobody is offered, and a name that is typed is refused at its field.
    for id in [2, 4] {
        changed!(w, "admin", "organizations", id, {"activities": ["laboratory"]});
    }
    let ask = page(w, "alpha", sale).await;
    ask.has(&["No record fits here."]);
    ask.lacks(&["Beta</option>", "Delta</option>"]);
    let form = Filled::of(&ask, "Record the sale").with("disposalOrganization", "Beta");
    let mut sure = form.clone();
    sure.fields.push(("anyway".to_owned(), "yes".to_owned()));
    for form in [form, sure] {
        let refused = pressed(w, "alpha", &form).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        refused.has(&["id=\"f-2-sold-disposalOrganization-fault\"", "Such a receiver takes no animals"]);
    }
    assert!(w.list("movements", "").await.is_empty());
}

#[test_with(World::each)]
async fn the_form_of_a_movement_offers_who_may_receive_and_asks_before_animals_pass(w: &World<'_>) {
    let address = "/book/movements/new?animal=960000000002&kind=";
    let to = async |more: &str| {
        let form = page(w, "alpha", &format!("{address}{more}")).await.text;
        let (_, rest) = form.split_once("name=\"to\"").unwrap();
        rest.split("</div>").next().unwrap().to_owned()
    };
    // Its owner gives the animal, which is not asked, and is the only one that does not receive it.
    let sale = to("sale").await;
    assert!(["Beta", "Delta"].iter().all(|name| sale.contains(&format!("{name}</option>"))), "{sale}");
    assert!(!sale.contains("Alpha</option>"), "{sale}");
    for (more, asked) in [("sale", false), ("cull", false), ("import", true), ("", true), ("sale&from=Beta", true)] {
        let form = page(w, "alpha", &format!("{address}{more}")).await.text;
        assert_eq!(form.contains("name=\"from\""), asked, "{more}: {form}");
    }
    page(w, "alpha", "/book/movements/new?kind=sale").await.has(&["name=\"from\""]);
    page(w, "beta", &format!("{address}sale")).await.has(&["name=\"from\""]);
    // Who is said to give it does not receive it either.
    for giver in ["%5B2%5D", "Beta"] {
        let purchase = to(&format!("sale&from={giver}")).await;
        assert!(purchase.contains("Alpha</option>") && !purchase.contains("Beta</option>"), "{giver}: {purchase}");
    }
    for kind in ["cull", "death", "transfer"] {
        assert!(!to(kind).await.contains("Beta</option>"), "{kind}");
        page(w, "alpha", &format!("{address}{kind}")).await.has(&["No record fits here."]);
    }
    changed!(w, "admin", "organizations", 4, {"activities": ["laboratory"]});
    let form = Filled::of(&page(w, "alpha", &format!("{address}sale")).await, "Save").with("date", "2026-02-01");
    let sent = async |who: &str, form: &Filled| send(w, who, "/book/movements/new", &form.pairs()).await;
    let refused = sent("alpha", &form.clone().with("to", "Delta")).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    refused.has(&["id=\"f-to-fault\"", "Such a receiver takes no animals"]);
    // Ownership passes only after a question.
    let asked = sent("alpha", &form.with("to", "[2]")).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    assert_sound(&asked, "asked");
    asked.has(&["Animal 2 960000000002 passes to Beta at once.", "can undo it within 30 days"]);
    assert!(w.list("movements", "").await.is_empty());
    id_of(&sent("alpha", &Filled::of(&asked, "Store nevertheless")).await);
    holds!(w.doc("animals", 2).await, {"owner": 2});
    // A purchase waits for its giver, and passes nothing yet.
    changed!(w, "alpha", "animals", 4, {"publicVisible": true});
    let form = Filled::of(&page(w, "beta", "/book/movements/new?kind=sale&from=%5B1%5D").await, "Save");
    let form = form.with("animal", "[4]").with("date", "2026-02-01").with("to", "[2]");
    let bought = sent("beta", &form).await;
    holds!(w.doc("movements", id_of(&bought)).await, {"confirmation": "pending"});
}

/// What the seller recorded after the day is told before the animal passes, since the seller reads it no more then.
#[test_with(World::each)]
async fn what_is_recorded_later_is_asked_about_before_an_animal_passes(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2026-02-24", "number": 1});
    let form = Filled::of(&page(w, "alpha", "/book/animals/2/move/state/sold").await, "Record the sale");
    let form = form.with("disposalOrganization", "[2]");
    for (day, later) in [("2026-02-01", true), ("24.02.2026", false)] {
        let sure = pressed(w, "alpha", &form.clone().with("disposalDate", day)).await;
        assert_eq!(sure.status, 200, "{}", sure.text);
        assert_eq!(sure.text.contains("Recorded later than this day: 1st calving"), later, "{day}: {}", sure.text);
    }
    let lease = "/book/movements/new?animal=960000000002&kind=lease&date=2026-02-01";
    let form = Filled::of(&page(w, "alpha", lease).await, "Record the lease").with("to", "[2]");
    let asked = send(w, "alpha", "/book/movements/new", &form.pairs()).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    asked.has(&["passes to Beta at once", "on lease is its owner", "Recorded later than this day: 1st calving"]);
    let stored = Filled::of(&asked, "Record the lease");
    let stored = send(w, "alpha", "/book/movements/new", &stored.pairs()).await;
    let lease = id_of(&stored);
    assert!(stored.header("set-cookie").contains(&format!("movements/{lease}")), "the way to undo it");
}

/// What the checks find is asked about first, and what a farm cannot add to the movement later stands in the form.
#[test_with(World::each)]
async fn an_animal_that_ends_has_what_belongs_to_its_movement_and_what_is_found_of_it(w: &World<'_>) {
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-02-25", "weight": 600});
    let path = "/book/animals/2";
    let ask = linked(w, "alpha", path, "Record the death").await;
    assert_sound(&ask, "death");
    let form = Filled::of(&ask, "Record the death").with("weight", "590").with("basis", "Act 7");
    let form = form.with("deathMethod", "accident").with("disposalMethod", "cremation");
    for (field, value) in [("weight", "9000"), ("disposalDate", "2026-03-02")] {
        let refused = pressed(w, "alpha", &form.clone().with(field, value)).await;
        assert_eq!(refused.status, 400, "{field}");
        refused.has(&[&format!("id=\"f-2-dead-{field}-fault\""), "value=\"Act 7\""]);
    }
    let sure = pressed(w, "alpha", &form.with("disposalDate", "2026-02-20")).await;
    assert_eq!(sure.status, 200, "{}", sure.text);
    assert_sound(&sure, "sure");
    sure.has(&["The checks find something", "lies after the animal left"]);
    assert!(w.list("movements", "").await.is_empty());
    assert_eq!(goes(&pressed(w, "alpha", &Filled::of(&sure, "Record the death")).await), path);
    holds!(w.list("movements", "").await[0], {"kind": "death", "animal": 2, "from": 1, "recordedBy": 11,
        "date": "2026-02-20T00:00:00.000Z", "weight": 590, "basis": "Act 7", "deathMethod": "accident",
        "disposalMethod": "cremation"});
    holds!(w.doc("animals", 2).await, {"state": "dead", "disposalDate": "2026-02-20T00:00:00.000Z"});
    // Nothing is found of another one.
    let form = Filled::of(&linked(w, "alpha", "/book/animals/4", "Record the culling").await, "Record the culling");
    assert_eq!(form.get("deathMethod"), None);
    let form = form.with("consignment.number", "77").with("disposalReason", "[2]");
    assert_eq!(goes(&pressed(w, "alpha", &form).await), "/book/animals/4");
    holds!(w.list("movements", "where[animal][equals]=4").await[0],
        {"kind": "cull", "consignment.number": "77", "reason": 2});
    // A sale is asked about with who gets the animal.
    let form = Filled::of(&page(w, "expert", "/book/animals/1/move/state/sold").await, "Record the sale");
    let form = form.with("disposalOrganization", "[2]").with("disposalReason", "[1]");
    let asked = pressed(w, "expert", &form).await;
    asked.has(&["passes to Beta at once. Beta is notified. Whoever"]);
    asked.lacks(&["can object"]);
}

/// An animal that was slaughtered is culled; the word of the exchange for that stays where it stands.
#[test_with(World::each)]
async fn a_death_is_offered_no_word_of_a_cull(w: &World<'_>) {
    let [perished, slaughtered, culled] =
        ["perished", "slaughter", "culled"].map(|word| format!("<option value=\"{word}\">"));
    let eaten = "<option value=\"consumption\">";
    for path in ["/book/movements/new?kind=death", "/book/animals/4/move/state/dead"] {
        let death = page(w, "alpha", path).await;
        death.has_in(&path, &[&perished, "<option value=\"cremation\">"]);
        death.lacks_in(&path, &[&slaughtered, &culled, eaten]);
    }
    for path in ["/book/movements/new?kind=cull", "/book/animals/4/move/state/culled"] {
        page(w, "alpha", path).await.has_in(&path, &[eaten]);
    }
    let death = json!({"animal": 2, "kind": "death", "date": "2026-02-20", "deathMethod": "slaughter"});
    let stored = w.made("alpha", "movements", death).await;
    let form = page(w, "expert", &format!("/book/movements/{stored}/edit")).await;
    form.has(&["<option value=\"slaughter\" selected>", &perished]);
    form.lacks(&[&culled]);
}

/// What the checks find stands beside the question who gets the animal, before it passes.
#[test_with(World::each)]
async fn a_sale_is_asked_about_with_what_the_checks_find(w: &World<'_>) {
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-02-25", "weight": 600});
    let passes = "leaves the book, since Gamma does not take part in it";
    let form = Filled::of(&page(w, "alpha", "/book/animals/2/move/state/sold").await, "Record the sale");
    let form = form.with("disposalOrganization", "[3]").with("disposalDate", "2026-02-20");
    let sure = pressed(w, "alpha", &form).await;
    assert_eq!(sure.status, 200, "{}", sure.text);
    sure.has(&[passes, "The checks find something", "lies after the animal left"]);
    // Of the movement itself it stands at its field.
    let address = "/book/movements/new?animal=960000000002&kind=sale&date=2026-02-28";
    let form = Filled::of(&page(w, "alpha", address).await, "Save").with("to", "[3]");
    for (weight, found) in [("1900", true), ("600", false)] {
        let form = form.clone().with("weight", weight);
        let sure = send(w, "alpha", "/book/movements/new", &form.pairs()).await;
        assert_eq!(sure.status, 200, "{}", sure.text);
        assert_sound(&sure, weight);
        sure.has_in(&weight, &[passes]);
        for text in ["The checks find something", "id=\"f-weight-fault\"", "Weight 1900 kg"] {
            assert_eq!(sure.text.contains(text), found, "{weight} {text}: {}", sure.text);
        }
    }
    assert!(w.list("movements", "").await.is_empty());
}

/// Meat that is withdrawn, and a weight that no cow has, are asked about before a cow is culled.
#[test_with(World::each)]
async fn a_cull_is_asked_about_where_meat_is_withdrawn_or_the_weight_is_unusual(w: &World<'_>) {
    let kind = made!(w, "admin", "health-event-types", {"code": "T", "name": "Treatment", "kind": "treatment"});
    let treated = json!({"animal": 2, "date": "2026-02-20", "type": kind, "meatWithdrawalUntil": "2026-03-20"});
    w.made("alpha", "health-events", treated).await;
    let form = Filled::of(&linked(w, "alpha", "/book/animals/2", "Record the culling").await, "Record the culling");
    let buried = form.clone().with("disposalMethod", "cremation").with("weight", "600");
    let form = form.with("weight", "1900").with("disposalMethod", "consumption");
    let sure = pressed(w, "alpha", &form).await;
    assert_eq!(sure.status, 200, "{}", sure.text);
    sure.has(&["its meat is withdrawn until", "after the treatment of", "Weight 1900 kg"]);
    assert!(w.list("movements", "").await.is_empty());
    assert_eq!(goes(&pressed(w, "alpha", &buried).await), "/book/animals/2");
}

/// The card leads to the ways of leaving; a sale is asked once more, with both names, and can be undone at once.
#[test_with(World::each)]
async fn an_animal_leaves_by_one_of_its_ways(w: &World<'_>) {
    let path = "/book/animals/2";
    let ways = linked(w, "alpha", path, "Leaving").await;
    assert_sound(&ways, "ways");
    ways.has(&["What happened?", "Animal 2 960000000002"]);
    for way in ["Record the culling", "Record the death"] {
        page(w, "alpha", &link(&ways, way)).await.has(&["a movement is recorded"]);
    }
    // What else may happen has the form of its kind.
    for (label, kind, save) in [
        ("Record the lease", "lease", "Record the lease"),
        ("Transfer", "transfer", "Save"),
        ("Absence", "absence", "Save"),
    ] {
        let form = link(&ways, label);
        let way = format!("/book/movements/new?animal=960000000002&kind={kind}&date=2026-03-01");
        assert!(form.starts_with(&way), "{form}");
        let form = Filled::of(&page(w, "alpha", &form).await, save);
        assert_eq!((form.get("kind"), form.get("next")), (Some(kind), Some(path)));
        // It has the fields of its kind, and who gives the animal where that may be another one than its owner.
        for other in ["objection", "deathMethod", "disposalMethod"] {
            assert_eq!(form.get(other), None, "{kind} {other}");
        }
        let giver = if ["lease", "transfer"].contains(&kind) { None } else { Some("") };
        assert_eq!(form.get("from"), giver, "{form:?}");
    }
    ways.lacks(&["kind=sale", "kind=cull", "kind=death", "kind=import"]);
    for (who, state) in [("viewer", "state"), ("alpha", "mergedInto"), ("alpha", "nope")] {
        assert_eq!(page(w, who, &format!("{path}/move/{state}")).await.status, 404, "{who} {state}");
    }
    let ask = page(w, "alpha", &link(&ways, "Record the sale")).await;
    let form = Filled::of(&ask, "Record the sale");
    // What is refused is refused before anything is asked once more, as a day that is left out.
    let undated = pressed(w, "alpha", &form.clone().with("disposalDate", "")).await;
    assert_eq!(undated.status, 400, "{}", undated.text);
    undated.has(&["id=\"f-2-sold-disposalDate-fault\""]);
    let late = form.clone().with("disposalOrganization", "[2]").with("disposalDate", "2026-03-02");
    assert_eq!(pressed(w, "alpha", &late).await.status, 400);
    for (receiver, sentence) in [
        ("[2]", "Animal 2 960000000002 passes to Beta at once. Beta is notified, and can object within 30 days."),
        ("[3]", "Animal 2 960000000002 leaves the book, since Gamma does not take part in it."),
        ("", "Animal 2 960000000002 leaves the book, and no receiver is named."),
    ] {
        let form = form.clone().with("disposalOrganization", receiver).with("disposalReason", "[2]");
        let sure = pressed(w, "alpha", &form).await;
        assert_eq!(sure.status, 200, "{}", sure.text);
        assert_sound(&sure, sentence);
        sure.has(&[sentence, "can undo it within 30 days", "<dd>Surplus</dd>", "<dd>2026-03-01</dd>"]);
        assert!(w.list("movements", "").await.is_empty(), "{sentence}");
        // Back in the form stands what was typed.
        let again = pressed(w, "alpha", &Filled::of(&sure, "Change")).await;
        assert_eq!(again.status, 200, "{}", again.text);
        let again = Filled::of(&again, "Record the sale");
        assert_eq!(again.get("disposalOrganization"), Some(receiver));
        let sold = pressed(w, "alpha", &Filled::of(&sure, "Record the sale")).await;
        let movement = w.list("movements", "").await[0].clone();
        holds!(movement, {"kind": "sale", "animal": 2});
        let cookie = sold.header("set-cookie").split(';').next().unwrap();
        let headers = [BROWSER[0], BROWSER[1], ("cookie", cookie)];
        let next = w.send("alpha", "GET", goes(&sold), &headers, "").await;
        let undo = link(&next, "Undo it");
        assert_eq!(undo, format!("/book/movements/{}/delete", movement["id"]));
        let ask = page(w, "alpha", &undo).await;
        assert_sound(&ask, "undo");
        ask.has(&["Animal 2 960000000002 is back with Alpha and counts as alive"]);
        let undone = pressed(w, "alpha", &Filled::of(&ask, "Return the animal to Alpha")).await;
        assert_eq!(goes(&undone), path);
        let cookie = undone.header("set-cookie").split(';').next().unwrap();
        let headers = [BROWSER[0], BROWSER[1], ("cookie", cookie)];
        w.send("alpha", "GET", path, &headers, "").await.has(&["Undone – Animal 2 960000000002"]);
        holds!(w.doc("animals", 2).await, {"owner": 1, "state": "alive"});
    }
}

#[test_with(World::each)]
async fn forms_begin_with_what_is_needed_and_with_who_types(w: &World<'_>) {
    for (slug, needed) in [
        ("verification-requests", "animals"),
        ("calvings", "ease"),
        ("calvings", "liveHeifers"),
        ("health-events", "milkWithdrawalUntil"),
    ] {
        let form = page(w, "alpha", &format!("/book/{slug}/new")).await;
        let (first, _) = form.text.split_once("<details>").unwrap();
        assert!(first.contains(&format!("name=\"{needed}\"")), "{slug} {needed}: {}", form.text);
    }
    let source = async |who: &str| {
        let form = page(w, who, "/book/milk-tests/new").await;
        Filled::of(&form, "Save").get("source").map(str::to_owned)
    };
    assert_eq!(source("alpha").await.as_deref(), Some("owner"));
    assert_eq!(source("expert").await.as_deref(), Some("lab"));
    let form = Filled::of(&page(w, "alpha", "/book/milk-tests/new").await, "Save");
    let form = form.with("animal", "[2]").with("date", "2025-03-01").with("milkYield", "30");
    // She has not calved, which needs a second confirmation.
    let sure = [&form.pairs()[..], &[("anyway", "yes")]].concat();
    let id = id_of(&send(w, "alpha", "/book/milk-tests/new", &sure).await);
    assert_eq!(w.doc("milk-tests", id).await["source"], "owner");
}
