//! Saved searches, and the search of the head line.

use crate::packages::desk::sent;
use crate::pages::filled::{Filled, link};
use crate::pages::{assert_sound, doc, goes, page, send};
use crate::rest::world::World;
use serde_json::{Value, json};

fn rows(text: &str) -> usize {
    text.matches("<th scope=\"row\">").count()
}

#[test_with(World::each)]
async fn a_search_is_saved_opened_and_forgotten(w: &World<'_>) {
    let list = "/book/animals?where%5Bsex%5D%5Bequals%5D=female";
    let before = page(w, "alpha", list).await;
    before.has(&["value=\"where%5Bsex%5D%5Bequals%5D=female\""]);
    let fields = [
        ("next", list),
        ("query", "where%5Bsex%5D%5Bequals%5D=female"),
        ("place", "book"),
        ("name", "Cows <1>"),
        ("scope", "private"),
    ];
    assert_eq!(goes(&send(w, "alpha", "/book/saved-searches/new", &fields).await), list);
    let saved = async || doc(w, "alpha", "/api/saved-searches?depth=0").await["docs"].as_array().unwrap().clone();
    let mine = saved().await;
    assert_eq!(mine.len(), 1);
    holds!(mine[0], {"name": "Cows <1>", "author": 11, "scope": "private", "place": "book"});
    let own = page(w, "alpha", "/book/animals").await;
    assert_sound(&own, "list");
    let link = "<a href=\"/book/animals?where%5Bsex%5D%5Bequals%5D=female\">Cows &lt;1&gt;</a>";
    own.has(&[link]);
    assert_opened(w, list).await;
    let id = mine[0]["id"].as_i64().unwrap();
    changed!(w, "alpha", "saved-searches", id, {"scope": "organization"});
    let forget = format!("action=\"/book/saved-searches/{id}/delete\"");
    for (who, seen, forgets) in [("alpha", true, true), ("operator", true, false), ("beta", false, false)] {
        let text = page(w, who, "/book/animals").await.text;
        assert_eq!((text.contains("Cows"), text.contains(&forget)), (seen, forgets), "{who}: {text}");
        let home = page(w, who, "/").await.text;
        assert_eq!(home.contains(link), seen, "{who}: {home}");
    }
    // One that was saved for the own herd is opened so.
    changed!(w, "alpha", "saved-searches", id, {"place": "herd"});
    let herd = page(w, "alpha", "/book/animals").await.text;
    assert!(herd.contains("&amp;where%5Bowner%5D%5Bequals%5D=1\">Cows"), "{herd}");
    // Views of one list are not those of another.
    page(w, "alpha", "/book/milk-tests").await.lacks(&["Cows"]);
    let path = format!("/book/saved-searches/{id}/delete");
    assert!([403, 404].contains(&send(w, "beta", &path, &[("next", list)]).await.status));
    assert_eq!(goes(&send(w, "alpha", &path, &[("next", list)]).await), list);
    assert!(saved().await.is_empty());
    assert_nameless_refused(w, list).await;
}

/// An opened search shows what the list shows, and nobody else sees it.
async fn assert_opened(w: &World<'_>, list: &str) {
    let opened = page(w, "alpha", list).await;
    let api = w.get("alpha", "/api/animals?depth=0&where[sex][equals]=female").await.json();
    assert_eq!(rows(&opened.text) as u64, api["totalDocs"].as_u64().unwrap());
    for who in ["", "operator", "beta", "expert"] {
        page(w, who, "/book/animals").await.lacks_in(&who, &["Cows"]);
    }
}

/// What the API refuses is shown in the form.
async fn assert_nameless_refused(w: &World<'_>, list: &str) {
    let nameless = [("next", list), ("query", ""), ("place", "book"), ("name", "")];
    let refused = send(w, "alpha", "/book/saved-searches/new", &nameless).await;
    assert_eq!(refused.status, 400);
    refused.has(&["id=\"f-name-fault\""]);
}

#[test_with(World::each)]
async fn every_list_has_views_with_their_columns_and_the_number_of_their_rows(w: &World<'_>) {
    for (number, date) in [(1, "2024-01-10"), (2, "2025-01-20")] {
        let body = json!({"animal": 2, "date": date, "number": number, "eventType": "calving"});
        w.made("alpha", "calvings", body).await;
    }
    let list = page(w, "alpha", "/book/calvings?where[number][greater_than]=1&columns=number,ease&limit=50").await;
    let form = Filled::of(&list, "Save this search").with("name", "Second ones");
    let next = form.get("next").unwrap().to_owned();
    assert_eq!(goes(&send(w, "alpha", "/book/saved-searches/new", &form.pairs()).await), next);
    let saved = doc(w, "alpha", "/api/saved-searches?depth=0").await["docs"].clone();
    holds!(saved[0], {"list": "calvings", "name": "Second ones"});
    let query = saved[0]["query"].as_str().unwrap();
    for part in ["columns=number%2Cease", "limit=50", "where%5Bnumber%5D%5Bgreater_than%5D=1"] {
        assert!(query.contains(part), "{query}");
    }
    let own = page(w, "alpha", "/book/calvings").await;
    assert_sound(&own, "views");
    own.has(&["Second ones</a> <span class=\"count\">1</span>"]);
    let opened = page(w, "alpha", &link(&own, "Second ones")).await;
    assert_eq!(rows(&opened.text), 1);
    page(w, "alpha", "/book/animals").await.lacks(&["Second ones"]);
    // A set is its animals.
    let set = json!({"name": "Chosen", "place": "herd", "query": "", "members": [2, 4]});
    w.made("alpha", "saved-searches", set).await;
    let animals = page(w, "alpha", "/book/animals").await;
    animals.has(&["?where%5Bid%5D%5Bin%5D=2%2C4\">Chosen</a> <span class=\"count\">2</span>"]);
    assert_eq!(rows(&page(w, "alpha", &link(&animals, "Chosen")).await.text), 2);
    assert_sets(w).await;
    // A view that asks for what its reader may not ask is there without a number.
    let id = saved[0]["id"].as_i64().unwrap();
    changed!(w, "alpha", "saved-searches", id, {"query": "where[nope][equals]=1"});
    page(w, "alpha", "/book/calvings").await.has(&["Second ones</a><form"]);
    // Sets are of animals.
    for (body, paths) in [
        (json!({"list": "nothing"}), &["list"][..]),
        (
            json!({"adeSet": true, "members": [2], "where": {"sex": {"equals": "male"}}}),
            &["where", "members", "adeSet"],
        ),
    ] {
        let answer = w.patch("alpha", "saved-searches", id, body).await;
        answer.assert_faulty(400, paths);
    }
    for at in 0..21 {
        let body = json!({"name": format!("View {at:02}"), "list": "calvings", "place": "book", "query": ""});
        w.made("alpha", "saved-searches", body).await;
    }
    let many = page(w, "alpha", "/book/calvings").await;
    assert_eq!(many.text.matches("<span class=\"count\">2</span>").count(), 19 + 1, "{}", many.text);
    many.has(&["View 18", "/book/saved-searches?where[list][equals]=calvings"]);
    many.lacks(&["View 19"]);
}

/// Sets that say more than their animals, and those that no address names.
async fn assert_sets(w: &World<'_>) {
    let many: Vec<_> = (0..101)
        .map(|at| json!({"identNumber": format!("95800000{at:04}"), "sex": "female", "birthDate": "2022-01-01"}))
        .collect();
    let made = w.post("alpha", "animals", many.into()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = w.list("animals", "where[identNumber][contains]=95800000").await;
    let ids: Vec<i64> = made.iter().map(|doc| doc["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), 101);
    let columns = "q=nobody&where[sex][equals]=male&columns=sex&sort=-id&limit=50";
    let made = async |name: &str, rest: Value| {
        let mut set = json!({"name": name, "place": "book", "query": columns});
        set.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        w.made("alpha", "saved-searches", set).await
    };
    made("Fifty at once", json!({"members": &ids[..100]})).await;
    let large = made("Large", json!({"members": ids})).await;
    made("By condition", json!({"adeSet": true, "where": {"identNumber": {"equals": "958000000007"}}})).await;
    let empty = made("Empty", json!({"adeSet": true, "members": []})).await;
    let list = page(w, "alpha", "/book/animals").await;
    let counted = |name: &str, rows: u64| format!(">{name}</a> <span class=\"count\">{rows}</span>");
    for (name, rows) in [("Fifty at once", 100), ("Large", 101), ("By condition", 1), ("Empty", 0)] {
        list.has(&[&counted(name, rows)]);
    }
    assert_eq!(link(&list, "Large"), format!("/book/saved-searches/{large}"));
    assert_eq!(link(&list, "Empty"), format!("/book/saved-searches/{empty}"));
    let way = link(&list, "Fifty at once");
    assert!(way.contains("columns=sex&sort=-id&limit=50&where%5Bid%5D%5Bin%5D="), "{way}");
    let opened = page(w, "alpha", &way).await;
    assert_eq!(rows(&opened.text), 50);
    opened.has(&["Animal is one of 100"]);
    let again = Filled::of(&opened, "Save this search").with("name", "Fifty again");
    goes(&send(w, "alpha", "/book/saved-searches/new", &again.pairs()).await);
    let way = link(&list, "By condition");
    assert_eq!(rows(&page(w, "alpha", &way).await.text), 1, "{way}");
}

#[test_with(World::each)]
async fn any_number_is_found_from_every_page(w: &World<'_>) {
    for path in ["/", "/book", "/book/animals/2", "/api-docs"] {
        page(w, "alpha", path).await.has_in(&path, &["action=\"/find\""]);
    }
    let number = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    let path = format!("/find?q={number}");
    assert_eq!(goes(&page(w, "alpha", &path).await), "/book/animals/2");
    assert_eq!(goes(&page(w, "expert", &path).await), "/book/animals/2");
    // What the visitor may not read is not found, as what is not there.
    changed!(w, "alpha", "animals", 2, {"publicVisible": false});
    let hidden = page(w, "beta", &path).await;
    assert_eq!(hidden.status, 200);
    assert_sound(&hidden, "nothing");
    let none = page(w, "beta", "/find?q=777000777000").await;
    assert_eq!(hidden.text.replace(&number, "N"), none.text.replace("777000777000", "N"));
    let file = "Инд.№;Дата замера;Удой за день, кг\r\n960000000002;01.02.2026;30,5\r\n";
    let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({})).await;
    let package_path = format!("/find?q={}", package["number"].as_str().unwrap());
    let found = page(w, "alpha", &package_path).await;
    let own = format!("/book/data-submissions/{}", package["id"]);
    assert!(found.status == 303 && goes(&found) == own || found.text.contains(&format!("{own}\"")), "{}", found.text);
    page(w, "beta", &package_path).await.lacks(&[&own]);
    // Several are listed, each below its collection.
    let several = page(w, "expert", "/find?q=a").await;
    assert_sound(&several, "several");
    several.has(&["/book/organizations/1\"", "Organisations"]);
    for odd in "/find /find?q=%20 /find?q=%3Cscript%3E /find?q=%00".split(' ') {
        let answer = page(w, "alpha", odd).await;
        assert_eq!(answer.status, 200, "{odd}: {}", answer.text);
        assert_sound(&answer, odd);
    }
}
