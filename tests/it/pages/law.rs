//! Every collection, every record, every caller: a page is shown if and only if the REST face answers.

use super::{assert_sound, goes, page};
use crate::rest::world::World;
use serde_json::json;

const CALLERS: [&str; 5] = ["", "viewer", "alpha", "beta", "expert"];

/// Some rows of what pages treat in a way of its own.
async fn fill(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    w.made(
        "alpha",
        "milk-tests",
        json!({"animal": 2, "date": "2024-03-01", "milkYield": 30}),
    )
    .await;
    w.made(
        "alpha",
        "milk-tests",
        json!({"animal": 2, "date": "2024-04-01", "milkYield": 28, "somaticCells": 90}),
    )
    .await;
    w.made(
        "alpha",
        "calvings",
        json!({"animal": 2, "date": "2024-02-01", "number": 1}),
    )
    .await;
    w.made(
        "beta",
        "movements",
        json!({"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2}),
    )
    .await;
    w.made(
        "alpha",
        "share-links",
        json!({"animals": [2], "scopes": ["origin"], "expiresAt": "2026-06-01"}),
    )
    .await;
}

#[tokio::test]
async fn a_page_shows_what_the_api_answers_and_nothing_else() {
    World::each(async |w| {
        fill(w).await;
        let registry = w.stage.hub.book.registry;
        for c in registry.iter() {
            let all = w
                .get(
                    "admin",
                    &format!("/api/{}?depth=0&limit=3&select[id]=true", c.slug),
                )
                .await;
            let ids: Vec<i64> = (all.json()["docs"].as_array().into_iter().flatten())
                .map(|doc| doc["id"].as_i64().unwrap())
                .collect();
            for who in CALLERS {
                let what = format!("{} as {who:?}", c.slug);
                let api = w.get(who, &format!("/api/{}?depth=0", c.slug)).await;
                let list = page(w, who, &format!("/book/{}", c.slug)).await;
                match (api.status, who) {
                    (403, "") => assert_eq!(
                        goes(&list),
                        format!("/sign-in?next=%2Fbook%2F{}", c.slug.replace('-', "%2D"))
                    ),
                    (status, _) => {
                        assert_eq!(list.status, status, "{what}");
                        assert_sound(&list, &what);
                    }
                }
                for id in &ids {
                    let api = w.get(who, &format!("/api/{}/{id}?depth=0", c.slug)).await;
                    let shown = page(w, who, &format!("/book/{}/{id}", c.slug)).await;
                    match (api.status, who) {
                        (403, "") => assert!(goes(&shown).starts_with("/sign-in"), "{what} {id}"),
                        (status, _) => {
                            assert_eq!(shown.status, status, "{what} {id}");
                            assert_sound(&shown, &what);
                        }
                    }
                    // The form is offered to whoever may write, and to nobody else.
                    let edit = page(w, who, &format!("/book/{}/{id}/edit", c.slug)).await;
                    let access = w
                        .ask(who, "POST", &format!("/api/{}/access/{id}", c.slug), "{}")
                        .await;
                    let may = access.status == 200
                        && access.json().get("update").is_some_and(|may| may != false);
                    match (who, may) {
                        ("", _) => assert!(goes(&edit).starts_with("/sign-in"), "{what} {id}"),
                        (_, true) => {
                            assert_eq!(edit.status, 200, "{what} {id}: {}", access.text);
                            assert_sound(&edit, &what);
                        }
                        (_, false) => assert_eq!(edit.status, 404, "{what} {id}: {}", access.text),
                    }
                }
            }
            let new = page(w, "alpha", &format!("/book/{}/new", c.slug)).await;
            assert!([200, 404].contains(&new.status), "{}: {}", c.slug, new.text);
            assert_sound(&new, c.slug);
        }
    })
    .await;
}

#[tokio::test]
async fn the_book_lists_what_the_visitor_may_read() {
    World::each(async |w| {
        for who in CALLERS {
            let book = page(w, who, "/book").await;
            assert_sound(&book, who);
            for c in w.stage.hub.book.registry.iter() {
                let api = w
                    .get(who, &format!("/api/{}?depth=0&limit=1", c.slug))
                    .await;
                let listed = book
                    .text
                    .contains(&format!("<li><a href=\"/book/{}\">", c.slug));
                assert_eq!(listed, api.status == 200, "{} as {who:?}", c.slug);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn pages_that_are_not_there_say_so() {
    World::each(async |w| {
        for path in [
            "/book/none",
            "/book/animals/777777",
            "/book/none/1",
            "/book/animals/777777/edit",
            "/book/none/new",
        ] {
            let missing = page(w, "expert", path).await;
            assert_eq!(missing.status, 404, "{path}");
            assert_sound(&missing, path);
        }
        // What is not of this face is no page.
        for path in ["/book/animals/x", "/book/animals/1/act/none/x"] {
            assert!(page(w, "expert", path).await.status >= 400, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_people_wrote_is_text() {
    World::each(async |w| {
        let evil = "<script>alert(\"1\")</script>&'";
        changed!(w, "alpha", "animals", 2, {"name": evil, "notes": evil});
        for path in [
            "/book/animals?columns=name,notes",
            "/book/animals/2",
            "/book/animals/2/edit",
            "/book/animals/4",
        ] {
            let shown = page(w, "alpha", path).await;
            assert_eq!(shown.status, 200, "{path}");
            assert_sound(&shown, path);
        }
        let list = page(w, "alpha", &format!("/book/animals?q={}", "%3Cscript%3E")).await;
        assert_sound(&list, "search");
        assert!(
            list.text.contains("value=\"&lt;script&gt;\""),
            "{}",
            list.text
        );
    })
    .await;
}

#[tokio::test]
async fn the_start_page_has_what_waits() {
    World::each(async |w| {
        let machines = w.get("", "/").await.json();
        assert_eq!(machines["rest"], "/api");
        let strangers = page(w, "", "/").await;
        assert_sound(&strangers, "start");
        assert!(strangers.text.contains("/sign-in"), "{}", strangers.text);
        let nothing = page(w, "alpha", "/").await;
        assert_sound(&nothing, "home");
        assert!(nothing.text.contains("Nothing waits."), "{}", nothing.text);
        changed!(w, "alpha", "animals", 2, {"publicVisible": true});
        let sale = json!({"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
        let sale = w.made("beta", "movements", sale).await;
        let giver = page(w, "alpha", "/").await;
        assert!(
            giver.text.contains(&format!("/book/movements/{sale}")),
            "{}",
            giver.text
        );
        for who in ["beta", "expert"] {
            let other = page(w, who, "/").await;
            assert!(
                !other.text.contains(&format!("/book/movements/{sale}")),
                "{who}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn lists_are_searched_narrowed_sorted_and_paged() {
    World::each(async |w| {
        let rows = |text: &str| text.matches("<th scope=\"row\">").count();
        let all = page(w, "alpha", "/book/animals").await;
        let own = w.get("alpha", "/api/animals?depth=0").await.json()["totalDocs"]
            .as_u64()
            .unwrap();
        assert_eq!(rows(&all.text) as u64, own);
        let doc = w.doc("animals", 2).await;
        let number = doc["identNumber"].as_str().unwrap();
        let found = page(
            w,
            "alpha",
            &format!("/book/animals?q={number}&where[sex][equals]="),
        )
        .await;
        assert_eq!(rows(&found.text), 1, "{}", found.text);
        assert!(found.text.contains("/book/animals/2\""));
        let bulls = page(w, "alpha", "/book/animals?where[sex][equals]=male").await;
        assert!(
            bulls.text.contains("<option value=\"male\" selected>"),
            "{}",
            bulls.text
        );
        assert!(!bulls.text.contains("/book/animals/2\""));
        let first = page(w, "alpha", "/book/animals?limit=1&sort=identNumber").await;
        assert_eq!(rows(&first.text), 1);
        assert!(
            first.text.contains("aria-sort=\"ascending\""),
            "{}",
            first.text
        );
        assert!(
            first.text.contains("page=2") && first.text.contains("rel=\"next\""),
            "{}",
            first.text
        );
        let few = page(w, "alpha", "/book/animals?columns=sex&columns=birthDate").await;
        assert!(
            few.text.contains("data-head=\"Birth date\"")
                && !few.text.contains("data-head=\"Owner\""),
            "{}",
            few.text
        );
        // What the API refuses is told on the page.
        let bad = page(w, "alpha", "/book/animals?where[nope][equals]=1").await;
        assert_eq!(bad.status, 400);
        assert_sound(&bad, "a bad filter");
        assert!(
            bad.text.contains("role=\"alert\"") && bad.text.contains("nope"),
            "{}",
            bad.text
        );
    })
    .await;
}
