//! What holds for all pages beside the matrix, which visits each collection, record and form as each caller.

use super::{assert_sound, page};
use crate::rest::world::World;

const CALLERS: [&str; 5] = ["", "viewer", "alpha", "beta", "expert"];

#[test_with(World::each)]
async fn the_book_lists_what_the_visitor_may_read(w: &World<'_>) {
    for who in CALLERS {
        let book = page(w, who, "/book").await;
        assert_sound(&book, who);
        for c in w.stage.hub.book.registry.iter() {
            let api = w.get(who, &format!("/api/{}?depth=0&limit=1", c.slug)).await;
            let listed = book.text.contains(&format!("<li><a href=\"/book/{}\">", c.slug));
            assert_eq!(listed, api.status == 200, "{} as {who:?}", c.slug);
        }
        // What is needed seldom is folded below the rest.
        let breeds = "<li><a href=\"/book/breeds\">";
        let (often, seldom) = book.text.split_once("<details>").unwrap_or_else(|| panic!("{}", book.text));
        assert!(seldom.contains(breeds) && !often.contains(breeds), "{who}");
    }
}

#[test_with(World::each)]
async fn pages_that_are_not_there_say_so(w: &World<'_>) {
    for path in "/book/none /book/animals/777777 /book/none/1 /book/animals/777777/edit \
        /book/none/new"
        .split(' ')
    {
        let missing = page(w, "expert", path).await;
        assert_eq!(missing.status, 404, "{path}");
        assert_sound(&missing, path);
    }
    // What is not of this face is no page.
    for path in ["/book/animals/x", "/book/animals/1/act/none/x"] {
        assert!(page(w, "expert", path).await.status >= 400, "{path}");
    }
}

#[test_with(World::each)]
async fn what_people_wrote_is_text(w: &World<'_>) {
    let evil = "<script>alert(\"1\")</script>&'";
    changed!(w, "alpha", "animals", 2, {"name": evil, "notes": evil});
    for path in "/book/animals?columns=name,notes /book/animals/2 /book/animals/2/edit \
        /book/animals/4"
        .split(' ')
    {
        let answer = page(w, "alpha", path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_sound(&answer, path);
    }
    let list = page(w, "alpha", &format!("/book/animals?q={}", "%3Cscript%3E")).await;
    assert_sound(&list, "search");
    list.has(&["value=\"&lt;script&gt;\""]);
}

#[test_with(World::each)]
async fn the_start_page_has_what_waits(w: &World<'_>) {
    holds!(w.get("", "/").await.json(), {"rest": "/api"});
    let strangers = page(w, "", "/").await;
    assert_sound(&strangers, "start");
    strangers.has(&["/sign-in"]);
    let nothing = page(w, "alpha", "/").await;
    assert_sound(&nothing, "home");
    nothing.has(&["Nothing waits."]);
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    let sale = made!(w, "beta", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    let giver = page(w, "alpha", "/").await;
    giver.has(&[&format!("/book/movements/{sale}")]);
    for who in ["beta", "expert"] {
        let other = page(w, who, "/").await;
        other.lacks_in(&who, &[&format!("/book/movements/{sale}")]);
    }
}

#[test_with(World::each)]
async fn lists_are_searched_narrowed_sorted_and_paged(w: &World<'_>) {
    let rows = |text: &str| text.matches("<th scope=\"row\">").count();
    let all = page(w, "alpha", "/book/animals").await;
    let own = w.get("alpha", "/api/animals?depth=0").await.json()["totalDocs"].as_u64().unwrap();
    assert_eq!(rows(&all.text) as u64, own);
    let doc = w.doc("animals", 2).await;
    let number = doc["identNumber"].as_str().unwrap();
    let found = page(w, "alpha", &format!("/book/animals?q={number}&where[sex][equals]=")).await;
    assert_eq!(rows(&found.text), 1, "{}", found.text);
    found.has(&["/book/animals/2\""]);
    let bulls = page(w, "alpha", "/book/animals?where[sex][equals]=male").await;
    bulls.has(&["<option value=\"male\" selected>"]);
    bulls.lacks(&["/book/animals/2\""]);
    let first = page(w, "alpha", "/book/animals?limit=1&sort=identNumber").await;
    assert_eq!(rows(&first.text), 1);
    first.has(&["aria-sort=\"ascending\""]);
    first.has(&["page=2", "rel=\"next\""]);
    let few = page(w, "alpha", "/book/animals?columns=sex&columns=birthDate").await;
    few.has(&["data-head=\"Birth date\""]);
    few.lacks(&["data-head=\"Owner\""]);
    // What the API refuses is reported on the page.
    let bad = page(w, "alpha", "/book/animals?where[nope][equals]=1").await;
    assert_eq!(bad.status, 400);
    assert_sound(&bad, "a bad filter");
    bad.has(&["role=\"alert\"", "nope"]);
}
