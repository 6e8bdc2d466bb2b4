//! Animals that pass to another farm: a lease, where a buyer objects and until when, and what the seller can do then.

use crate::pages::filled::{Filled, link};
use crate::pages::{BROWSER, assert_sound, goes, linked, page, russian, send};
use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::json;

/// The sale of a cow from Alpha to Beta.
async fn sold(w: &World<'_>) -> i64 {
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 2})
}

#[test_with(World::each)]
async fn a_buyer_is_offered_to_object_where_the_purchase_is_seen_and_until_when(w: &World<'_>) {
    let within = json!({"animal": 2, "date": "2026-02-10", "kind": "transfer", "toHerd": 2});
    let within = w.made("alpha", "movements", within).await;
    let sale = sold(w).await;
    let way = |id: i64| format!("href=\"/book/movements/{id}/move/confirmation/objected");
    let (card, movement) = ("/book/animals/2", format!("/book/movements/{sale}"));
    for (path, next) in [("/", "?next=%2F"), (card, ""), (movement.as_str(), "")] {
        let deed = format!("{}{next}\">", way(sale));
        page(w, "beta", path).await.has_in(&path, &[&format!("{deed}Object</a> until 2026-03-31")]);
        russian(w, "beta", path).await.has_in(&path, &[&format!("{deed}Возразить</a> до 31.03.2026")]);
        // Neither the seller nor who writes nothing.
        for who in ["alpha", "viewer"] {
            page(w, who, path).await.lacks_in(&path, &["/move/confirmation/objected"]);
        }
    }
    // The last day is that of the visitor's clock.
    changed!(w, "beta", "organizations", 2, {"timeZone": "Pacific/Kiritimati"});
    page(w, "beta", &movement).await.has(&["Object</a> until 2026-04-01"]);
    changed!(w, "beta", "organizations", 2, {"timeZone": null});
    // Nor to what is no sale.
    page(w, "alpha", &format!("/book/movements/{within}")).await.lacks(&[&way(within)]);
    let ask = page(w, "beta", &link(&page(w, "beta", "/").await, "Object")).await;
    assert_sound(&ask, "objection");
    let form = Filled::of(&ask, "Object").with("objection", "Never bought.");
    assert_eq!(goes(&send(w, "beta", &form.action, &form.pairs()).await), "/");
    holds!(w.doc("movements", sale).await, {"confirmation": "objected", "objection": "Never bought."});
    assert_eq!(w.doc("animals", 2).await["owner"], 1);
    w.gone("admin", "movements", sale).await;
    // Once the days are over, the API takes no objection.
    let sale = sold(w).await;
    w.stage.pass(31 * 86_400);
    let w = &World::signed_in(w.stage).await;
    let movement = format!("/book/movements/{sale}");
    for path in [card, movement.as_str()] {
        page(w, "beta", path).await.lacks_in(&path, &[&way(sale)]);
    }
}

/// The API refuses objections to what the Association or the buyer recorded, so pages do not offer them.
#[test_with(World::each)]
async fn nobody_is_offered_to_object_to_what_the_seller_did_not_record(w: &World<'_>) {
    let judged = made!(w, "expert", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 2});
    let other = json!({"identNumber": "960000000889", "sex": "female", "birthDate": "2022-01-01", "owner": 3,
        "publicVisible": true});
    let other = w.made("admin", "animals", other).await;
    let bought = made!(w, "beta", "movements", {"animal": other, "date": "2026-02-20", "kind": "sale", "to": 2});
    for sale in [judged, bought] {
        holds!(w.doc("movements", sale).await, {"confirmation": "none", "to": 2});
        refused!(w, "beta", "PATCH /api/movements/{sale}", {"confirmation": "objected", "objection": "No."}
            => 400 ["confirmation"]);
    }
    let [of_judged, of_bought] = [judged, bought].map(|sale| format!("/book/movements/{sale}"));
    for (who, path) in [
        ("beta", "/"),
        ("beta", "/book/animals/2"),
        ("beta", of_judged.as_str()),
        ("beta", of_bought.as_str()),
        ("admin", of_judged.as_str()),
    ] {
        let shown = page(w, who, path).await;
        assert_eq!(shown.status, 200, "{who} {path}");
        shown.lacks_in(&path, &["/move/confirmation/objected"]);
    }
}

#[test_with(World::each)]
async fn a_sale_with_an_objection_stays_and_its_page_says_why(w: &World<'_>) {
    let sale = sold(w).await;
    let path = format!("/book/movements/{sale}");
    let undo = format!("{path}/delete");
    let ask = page(w, "alpha", &undo).await;
    ask.has(&["is back with Alpha", ">Return the animal to Alpha</button>", ">Keep the sale</a>"]);
    russian(w, "alpha", &undo).await.has(&[">Вернуть животное владельцу Alpha</button>", ">Оставить продажу</a>"]);
    changed!(w, "beta", "movements", sale, {"confirmation": "objected", "objection": "Never bought."});
    let stays = page(w, "alpha", &undo).await;
    assert_sound(&stays, "stays");
    stays.has(&["The buyer objected", "Beta objected to this movement", "is with Alpha", "only the Association"]);
    stays.lacks(&["is back with Alpha", "Return the animal", "<button class=\"grave\""]);
    russian(w, "alpha", &undo).await.has(&["Покупатель возразил", "удалить их может только Ассоциация"]);
    // Whoever still has the question open is refused.
    let refused = send(w, "alpha", &undo, &[]).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    refused.has(&["The buyer objected to this movement: only the Association deletes it."]);
    holds!(w.doc("movements", sale).await, {"objection": "Never bought."});
    page(w, "alpha", &path).await.lacks(&["Agree to the deletion", &format!("\"{undo}\"")]);
    // The Association deletes it, and comes to the card of the animal.
    let form = Filled::of(&page(w, "admin", &undo).await, "Delete");
    assert_eq!(goes(&send(w, "admin", &form.action, &form.pairs()).await), "/book/animals/2");
    assert!(w.list("movements", "").await.is_empty());
}

#[test_with(World::each)]
async fn the_seller_agrees_to_the_deletion_of_what_both_confirmed(w: &World<'_>) {
    changed!(w, "admin", "animals", 2, {"publicVisible": true});
    let sale = made!(w, "beta", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 2});
    let path = format!("/book/movements/{sale}");
    page(w, "alpha", &path).await.lacks(&["Agree to the deletion"]);
    changed!(w, "alpha", "movements", sale, {"confirmation": "confirmed"});
    let form = Filled::of(&page(w, "alpha", &path).await, "Agree to the deletion");
    assert_eq!(goes(&send(w, "alpha", &form.action, &form.pairs()).await), path);
    holds!(w.doc("movements", sale).await, {"released": true});
}

/// A lease asks for what belongs to it, says what follows before and after, and leads back to the card.
#[test_with(World::each)]
async fn an_animal_is_given_on_lease_like_it_is_sold(w: &World<'_>) {
    let path = "/book/animals/2";
    let way = link(&linked(w, "alpha", path, "Leaving").await, "Record the lease");
    let form = page(w, "alpha", &way).await;
    assert_sound(&form, "lease");
    form.has(&["is the owner in the herd book until the return is recorded", "Beta</option>", "Delta</option>"]);
    form.lacks(&["Alpha</option>"]);
    form.has(&["can object within 30 days"]);
    page(w, "expert", &way).await.lacks(&["can object"]);
    russian(w, "alpha", &way).await.has(&["Отметить аренду", "становится владельцем"]);
    let form = Filled::of(&form, "Record the lease");
    for other in ["from", "fromHerd", "toHerd", "reason"] {
        assert_eq!(form.get(other), None, "{other}");
    }
    let asked = sent(w, &form.with("to", "[2]").with("basis", "Contract 5")).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    assert_sound(&asked, "asked");
    asked.has(&["passes to Beta at once", "on lease is its owner", "<dd>Beta</dd>", "<dd>Contract 5</dd>"]);
    assert_eq!(link(&asked, "Cancel"), path);
    assert!(w.list("movements", "").await.is_empty());
    // Back in the form stands what was typed.
    let again = sent(w, &Filled::of(&asked, "Change")).await;
    assert_eq!(again.status, 200, "{}", again.text);
    again.lacks(&["Store nevertheless"]);
    let again = Filled::of(&again, "Record the lease");
    assert_eq!((again.get("to"), again.get("basis")), (Some("[2]"), Some("Contract 5")));
    let stored = sent(w, &Filled::of(&asked, "Record the lease")).await;
    assert_eq!(goes(&stored), path);
    holds!(w.list("movements", "").await[0], {"kind": "lease", "animal": 2, "from": 1, "to": 2});
    let cookie = stored.header("set-cookie").split(';').next().unwrap();
    let card = w.send("alpha", "GET", path, &[BROWSER[0], BROWSER[1], ("cookie", cookie)], "").await;
    let ask = page(w, "alpha", &link(&card, "Undo it")).await;
    ask.has(&["is back with Alpha", ">Keep the lease</a>"]);
    let ask = Filled::of(&ask, "Return the animal to Alpha");
    assert_eq!(goes(&send(w, "alpha", &ask.action, &ask.pairs()).await), path);
    holds!(w.doc("animals", 2).await, {"owner": 1, "state": "alive"});
    // Nobody gave what died.
    let death = made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "death"});
    let undo = format!("/book/movements/{death}/delete");
    page(w, "alpha", &undo).await.has(&[">Undo the record of the death</button>"]);
    russian(w, "alpha", &undo).await.has(&[">Отменить запись о падеже</button>"]);
}

/// Sends the form of a new movement.
async fn sent(w: &World<'_>, form: &Filled) -> Answer {
    send(w, "alpha", "/book/movements/new", &form.pairs()).await
}
