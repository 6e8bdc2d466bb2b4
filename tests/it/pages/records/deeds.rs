//! Deeds with many rows of a list: each asks first, says how many, and afterwards what was done and what was refused.

use crate::pages::filled::{Filled, link};
use crate::pages::{assert_sound, page, russian, send};
use crate::rest::world::World;
use serde_json::json;

const ROWS: &str = "/book/animals/deeds?rows=2&rows=4";

#[test_with(World::each)]
async fn ticked_rows_and_all_rows_lead_to_what_may_be_done_with_them(w: &World<'_>) {
    let list = page(w, "alpha", "/book/animals?where[herd][equals]=1&sort=birthDate").await;
    list.has(&["<input type=\"checkbox\" name=\"rows\" value=\"2\" aria-label=\"Tick: ", "With all of the list…: 3"]);
    let all = Filled::of(&list, "With the ticked ones…");
    assert_eq!((all.action.as_str(), all.get("where[herd][equals]")), ("/book/animals/deeds", Some("1")));
    page(w, "", "/book/animals").await.lacks(&["name=\"rows\""]);
    let ticked = page(w, "alpha", ROWS).await;
    assert_sound(&ticked, "ticked");
    ticked.has(&["class=\"count\">2<", "Animal 2", "Animal 4", "Change a value", "where%5Bid%5D%5Bin%5D=2%2C4"]);
    // Another herd is one click away.
    page(w, "alpha", &link(&ticked, "Herd: change")).await.has(&["<option value=\"herd\" selected>"]);
    ticked.lacks(&["Animal 1<"]);
    let whole = page(w, "alpha", "/book/animals/deeds?all=true&where[herd][equals]=1").await;
    whole.has(&["class=\"count\">3<", "Animal 1"]);
    // One record about all of them, on its form.
    for (text, slug) in [("Verification request: new", "verification-requests"), ("View link: new", "share-links")] {
        let way = link(&ticked, text);
        assert!(way.starts_with(&format!("/book/{slug}/new?animals=")), "{way}");
        let form = page(w, "alpha", &way).await;
        assert_sound(&form, slug);
        form.has(&["[4]\n[2]"]);
    }
    let request = page(w, "alpha", &link(&ticked, "Verification request: new")).await;
    let request = Filled::of(&request, "Save");
    let made = send(w, "alpha", "/book/verification-requests/new", &request.pairs()).await;
    let id = crate::pages::id_of(&made);
    assert_eq!(w.doc("verification-requests", id).await["animals"], json!([4, 2]));
    // Who may do less is offered less.
    let viewer = page(w, "viewer", ROWS).await;
    assert_sound(&viewer, "viewer");
    viewer.has(&["Excel"]);
    viewer.lacks(&["Change a value", "verification-requests/new", "share-links/new"]);
    let association = page(w, "expert", ROWS).await;
    association.has(&["/book/documents/many/for-animals?where%5Bid%5D%5Bin%5D=2%2C4", "/book/animals/mating?where"]);
    let none = page(w, "alpha", "/book/animals/deeds").await;
    assert_eq!(none.status, 400);
    none.has(&["Nothing is ticked"]);
    assert_eq!(page(w, "", ROWS).await.status, 303);
    russian(w, "alpha", ROWS).await.has(&["Действия с несколькими записями", "Изменить значение"]);
}

#[test_with(World::each)]
async fn one_value_in_many_rows_is_checked_before_it_is_written(w: &World<'_>) {
    let herds = async || {
        let docs = w.list("animals", "where[id][in]=2,4").await;
        docs.iter().map(|doc| doc["herd"].as_i64()).collect::<Vec<_>>()
    };
    let form = page(w, "alpha", &link(&page(w, "alpha", ROWS).await, "Change a value")).await;
    assert_sound(&form, "change");
    form.has(&["<option value=\"herd\">", "class=\"count\">2<"]);
    // States have pages of their own, and numbers are different in each row.
    form.lacks(&["<option value=\"state\">", "<option value=\"identNumber\">"]);
    let address = "/book/animals/change?all=true&where[id][in]=2,4&_field=herd";
    let value = Filled::of(&page(w, "alpha", address).await, "Check").with("herd", "[2]");
    let checked = send(w, "alpha", "/book/animals/change", &value.pairs()).await;
    assert_sound(&checked, "checked");
    checked.has(&["Would be changed: 2", "Change: 2</button>", "Animal 2"]);
    assert_eq!(herds().await, [Some(1), Some(1)]);
    let made = Filled::of(&checked, "Change: 2");
    let made = send(w, "alpha", "/book/animals/change", &made.pairs()).await;
    assert_sound(&made, "changed");
    made.has(&["Changed: 2", "Animal 4"]);
    assert_eq!(herds().await, [Some(2), Some(2)]);
    // What is wrong with the value stands beside it.
    let unknown = value.clone().with("herd", "Nowhere");
    let unknown = send(w, "alpha", "/book/animals/change", &unknown.pairs()).await;
    assert_eq!(unknown.status, 400);
    unknown.has(&["id=\"f-herd-fault\"", "There is no record with the number or name “Nowhere”"]);
}

#[test_with(World::each)]
async fn refused_rows_and_rows_of_others_are_told_apart(w: &World<'_>) {
    changed!(w, "beta", "animals", 3, {"publicVisible": true});
    // The mother would be younger than her daughter.
    let fields = [("all", "true"), ("where[id][in]", "2,3,4"), ("_field", "birthDate"), ("birthDate", "2025-03-01")];
    let checked = send(w, "alpha", "/book/animals/change", &fields).await;
    assert_sound(&checked, "checked");
    checked.has(&["Would be changed: 1", "Refused: 1", "Not yours to change: 1"]);
    let (_, refused) = checked.text.split_once("Refused: 1").unwrap();
    let refused = refused.split("</section>").next().unwrap();
    assert!(refused.contains("/book/animals/2\"") && !refused.contains("/book/animals/3\""), "{refused}");
    let done = send(w, "alpha", "/book/animals/change", &[&fields[..], &[("_make", "true")]].concat()).await;
    done.has(&["Changed: 1", "Refused: 1"]);
    for (id, day) in [(2, "2020-01-10"), (3, "2019-05-05"), (4, "2025-03-01")] {
        assert!(w.doc("animals", id).await["birthDate"].as_str().unwrap().starts_with(day), "{id}");
    }
    // Rows that the visitor does not read are none.
    let hidden = [("all", "true"), ("where[id][in]", "2,4"), ("_field", "name"), ("name", "Mine")];
    let hidden = send(w, "beta", "/book/animals/change", &hidden).await;
    hidden.has(&["Would be changed: 0"]);
    hidden.lacks(&["Animal 2", "Not yours"]);
    // The viewer of a farm changes nothing.
    assert_eq!(send(w, "viewer", "/book/animals/change", &fields).await.status, 404);
    assert_eq!(page(w, "viewer", "/book/animals/change?rows=2").await.status, 404);
}

#[test_with(World::each)]
async fn many_rows_are_deleted_after_a_question(w: &World<'_>) {
    let mut ids = Vec::new();
    for day in ["2025-05-01", "2025-05-02", "2025-05-03"] {
        ids.push(made!(w, "alpha", "weighings", {"animal": 2, "date": (day), "weight": 600}));
    }
    let left = async || w.list("weighings", "").await.iter().map(|row| row["id"].as_i64()).collect::<Vec<_>>();
    let rows = format!("/book/weighings/deeds?rows={}&rows={}", ids[0], ids[1]);
    let way = link(&page(w, "alpha", &rows).await, "Delete");
    let asked = page(w, "alpha", &way).await;
    assert_sound(&asked, "asked");
    asked.has(&["Would be deleted: 2", "The records are deleted for good.", "class=\"count\">2<"]);
    assert_eq!(left().await.len(), 3, "nothing is deleted yet");
    let form = Filled::of(&asked, "Delete: 2");
    // Who may not is not asked, and deletes nothing by a form of others.
    page(w, "viewer", &rows).await.lacks(&[">Delete</a>"]);
    assert_eq!(page(w, "viewer", &way).await.status, 404);
    send(w, "beta", &form.action, &form.pairs()).await.lacks(&["Deleted: 2"]);
    assert_eq!(left().await.len(), 3);
    let all = [("all", "true"), ("where[weight][exists]", "true")];
    assert_eq!(send(w, "alpha", &form.action, &all).await.status, 400, "only rows that were named");
    assert_eq!(left().await.len(), 3);
    let done = send(w, "alpha", &form.action, &form.pairs()).await;
    assert_sound(&done, "done");
    done.has(&["Deleted: 2"]);
    done.lacks(&["<button class=\"grave\""]);
    assert_eq!(left().await, [Some(ids[2])]);
}

#[test_with(World::each)]
async fn what_goes_with_deleted_rows_and_what_must_stay_is_said(w: &World<'_>) {
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2025-05-01", "weight": 600});
    made!(w, "alpha", "verification-requests", {"animals": [4], "purpose": "trust"});
    let asked = page(w, "admin", "/book/animals/remove?rows=2&rows=4").await;
    assert_sound(&asked, "asked");
    asked.has(&["Would be deleted: 1", "Refused: 1", "Deleted with them: ", "Weighings: 1", "An issued document"]);
    let form = Filled::of(&asked, "Delete: 1");
    send(w, "admin", &form.action, &form.pairs()).await.has(&["Deleted: 1"]);
    assert_eq!(w.get("admin", "/api/animals/2").await.status, 404);
    assert_eq!(w.get("admin", "/api/animals/4").await.status, 200);
    // A farm deletes no animals.
    page(w, "alpha", ROWS).await.lacks(&[">Delete</a>"]);
    assert_eq!(page(w, "alpha", "/book/animals/remove?rows=4").await.status, 404);
    let russian = russian(w, "admin", "/book/animals/remove?rows=4").await;
    russian.has(&["Будет удалено: 0", "Отказано: 1"]);
}
