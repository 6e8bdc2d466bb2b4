//! Certificates on pages: the conditions of an animal, the issue for one and for many, and the paper.

use crate::pages::filled::{Filled, link};
use crate::pages::{BROWSER, assert_sound, page, send};
use crate::rest::certificates::issue::{COW, PEDIGREE, ZOOTECHNICAL, family, issued};
use crate::rest::stage::Answer;
use crate::rest::world::World;

/// Her mother, who does not qualify.
const MOTHER: i64 = 31;
const MANY: &str = "/book/documents/many/for-animals";

async fn pressed(w: &World<'_>, path: &str, form: &Filled) -> Answer {
    send(w, "expert", path, &form.pairs()).await
}

#[test_with(World::each)]
async fn conditions_are_shown_to_the_owner_and_the_association(w: &World<'_>) {
    family(w).await;
    let cow = page(w, "alpha", &format!("/book/animals/{COW}")).await;
    let path = link(&cow, "Certificate");
    let answer = page(w, "alpha", &path).await;
    assert_sound(&answer, "conditions");
    answer.lacks(&["Issue it"]);
    let office = page(w, "expert", &path).await;
    // Ancestors are those of the whole pedigree, also where the owner does not see their records.
    for text in [&answer.text, &office.text] {
        assert_eq!(text.matches("All conditions are met.").count(), 2, "{text}");
    }
    // A condition that is met is not shown as unmet.
    office.lacks(&["has no identification number", "are not verified"]);
    office.has(&["The animal has an identification number."]);
    let mother = page(w, "expert", &format!("/book/animals/{MOTHER}/certificates")).await;
    mother.has(&["Not all conditions are met."]);
    mother.lacks(&["Issue it", ">Request</a>"]);
    // Its owner goes to the form that asks for what is not met.
    let own = page(w, "alpha", &format!("/book/animals/{MOTHER}/certificates")).await;
    let form = page(w, "alpha", &link(&own, "Request")).await;
    assert_sound(&form, "request");
    form.has(&["<option value=\"certificate\" selected>", &format!("[{MOTHER}] ")]);
    own.has(&[
        "/book/data-submissions/new?dataset=dnaTests\">Send a file with it</a>",
        "/book/verification-requests/new?purpose=correction&amp;animals=",
    ]);
    let headers = [BROWSER[0], ("accept-language", "ru")];
    let russian = w.send("expert", "GET", &format!("/book/animals/{MOTHER}/certificates"), &headers, "").await;
    russian.has(&["Данные животного не подтверждены Ассоциацией"]);
    // Others see a card, and no way there.
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    let card = page(w, "beta", "/book/animals/2").await;
    assert!(card.status == 200 && !card.text.contains("/certificates\""), "{}", card.text);
    for (who, path) in [("beta", "/book/animals/2/certificates"), ("alpha", "/book/herds/1/certificates")] {
        assert_eq!(page(w, who, path).await.status, 404, "{who} {path}");
    }
}

#[test_with(World::each)]
async fn the_association_issues_one_from_the_card_and_both_read_it(w: &World<'_>) {
    family(w).await;
    let conditions = page(w, "expert", &format!("/book/animals/{COW}/certificates")).await;
    let path = link(&conditions, "Issue it");
    let filled = page(w, "expert", &path).await;
    assert_sound(&filled, "form");
    let form = Filled::of(&filled, "Check");
    assert_eq!(form.get("type"), Some(ZOOTECHNICAL));
    let checked = pressed(w, &path, &form).await;
    assert_sound(&checked, "checked");
    checked.has(&["Would be made: 1"]);
    assert!(w.list("documents", "").await.is_empty());
    let made = pressed(w, &path, &Filled::of(&checked, "Issue for animals: 1")).await;
    assert_sound(&made, "made");
    made.has(&["Made: 1"]);
    // A document is called by its title, as everywhere.
    let last = w.list("documents", "").await.last().unwrap().clone();
    let title = format!("<a href=\"/book/documents/{}\">", last["id"]);
    let (_, title) = made.text.split_once(&title).unwrap_or_else(|| panic!("{}", made.text));
    assert!(!title.split_once('<').unwrap().0.contains("№"), "{title}");
    let all = w.list("documents", "").await;
    let document = all[0].clone();
    assert_eq!(document["animal"], COW);
    holds!(document, {"organization": 1, "issuedAt": "2026-03-01T00:00:00.000Z"});
    let id = &document["id"];
    for who in ["alpha", "expert"] {
        let answer = page(w, who, &format!("/book/documents/{id}")).await;
        for link in ["language=en", "format=pdf&amp;language=en"] {
            let link = format!("/api/documents/{id}/certificate?{link}");
            answer.has_in(&who, &[&link]);
            let got = w.get(who, &link.replace("&amp;", "&")).await;
            assert_eq!(got.status, 200, "{who} {link}");
        }
        answer.lacks_in(&who, &["identNumber&quot;"]);
    }
    let card = page(w, "alpha", &format!("/book/animals/{COW}?tab=documents")).await;
    card.has(&[
        &format!("/book/documents/{id}\""),
        "RU-2026-0001",
        &format!("/api/documents/{id}/certificate?format=pdf"),
    ]);
}

#[test_with(World::each)]
async fn a_sale_list_is_checked_before_certificates_are_issued(w: &World<'_>) {
    family(w).await;
    issued(w, PEDIGREE, 21).await;
    // The animals of a search are taken over.
    let list = page(w, "expert", "/book/animals?where[owner][equals]=1&q=Name").await;
    let path = link(&list, "Issue for animals");
    let form = Filled::of(&page(w, "expert", &path).await, "Check");
    let animals = form.get("animals").unwrap();
    let named = |id: i64| animals.contains(&format!("[{id}] "));
    assert!(named(COW) && named(MOTHER) && !named(30), "{animals}");
    // Numbers are typed; one that nobody has is a fault.
    let form = Filled::of(&page(w, "expert", MANY).await, "Check");
    let form = form.with("title", "Sale").with("organization", "[1]");
    let typed = form.with("animals", "960000010020\n960000010031\n[21]\n000");
    let refused = pressed(w, MANY, &typed).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused");
    refused.has(&["number or name “000” in the book"]);
    let typed = typed.with("animals", "960000010020\n960000010031\n[21]");
    let checked = pressed(w, MANY, &typed).await;
    checked.has(&["Would be made: 1", "Left out: 2", "there is one already", "are not verified by the Association"]);
    let headers = [BROWSER[0], ("accept-language", "ru"), ("content-type", "application/x-www-form-urlencoded")];
    let russian = w.send("expert", "POST", MANY, &headers, crate::pages::form(&typed.pairs())).await;
    russian.has(&["Будет создано: 1", "Данные животного не подтверждены Ассоциацией"]);
    let made = pressed(w, MANY, &Filled::of(&checked, "Issue for animals: 1")).await;
    made.has(&["Made: 1"]);
    assert_eq!(w.list("documents", "").await.len(), 2);
    // Farms have no such page.
    for path in [MANY, "/book/documents/many/nope", "/book/animals/many/for-animals"] {
        assert_eq!(page(w, "alpha", path).await.status, 404, "{path}");
    }
    page(w, "expert", "/book/documents/many/nope").await.assert_is(404, "");
    assert_sound(&page(w, "expert", "/book/upload-assignments/many/for-organizations").await, "assignments");
}
