//! What forms write, and what they say when the API refuses.

use crate::packages::desk::read_all as read_packages;
use crate::pages::{BROWSER, assert_sound, doc, goes, id_of, page, russian, send};
use crate::rest::uploads::form::{Form, png};
use crate::rest::world::World;
use serde_json::json;

#[test_with(World::each)]
async fn an_event_is_entered_by_hand(w: &World<'_>) {
    let number = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    let path = "/book/milk-tests/new";
    let bad = [("animal", number.as_str()), ("date", "2024-03-01"), ("milkYield", "300,5"), ("fatPercent", "4,1")];
    let refused = send(w, "alpha", path, &bad).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused");
    refused.has(&["id=\"f-milkYield-fault\""]);
    refused.has(&["value=\"300,5\"", "value=\"4,1\""]);
    assert!(w.list("milk-tests", "").await.is_empty());
    let mut good = bad;
    good[2].1 = "30,5";
    // Findings of the checks need a second confirmation: nothing is stored yet.
    let request = send(w, "alpha", path, &good).await;
    assert_eq!(request.status, 200, "{}", request.text);
    assert_sound(&request, "to be confirmed");
    request.has(&["id=\"f-date-fault\"", "name=\"anyway\""]);
    request.has(&["value=\"30,5\""]);
    assert!(w.list("milk-tests", "").await.is_empty());
    let sure = [&good[..], &[("anyway", "yes")]].concat();
    let id = id_of(&send(w, "alpha", path, &sure).await);
    let stored = w.doc("milk-tests", id).await;
    holds!(stored, {"animal": 2, "milkYield": 30.5, "fatPercent": 4.1, "date": "2024-03-01T00:00:00.000Z"});
    // Only what differs is sent.
    let edit = page(w, "alpha", &format!("/book/milk-tests/{id}/edit")).await;
    edit.has(&["value=\"30.5\"", "value=\"2024-03-01\""]);
    let fields =
        [("animal", "[2]"), ("date", "2024-03-01"), ("milkYield", "31"), ("fatPercent", ""), ("source", "owner")];
    assert_eq!(id_of(&send(w, "alpha", &format!("/book/milk-tests/{id}/edit"), &fields).await), id);
    holds!(w.doc("milk-tests", id).await, {"milkYield": 31, "fatPercent": null, "animal": 2});
    // Unknown and foreign animals are answered alike.
    let foreign = w.doc("animals", 3).await["identNumber"].as_str().unwrap().to_owned();
    let text = async |animal: &str| {
        let fields = [("animal", animal), ("date", "2024-05-01"), ("milkYield", "30")];
        let answer = send(w, "alpha", path, &fields).await;
        assert_eq!(answer.status, 400, "{animal}");
        answer.has(&["id=\"f-animal-fault\"", "data-address=\"/book/milk-tests/new\""]);
        answer.text.replace(animal, "A")
    };
    assert_eq!(text(&foreign).await, text("000000000000").await);
    let gone = send(w, "alpha", &format!("/book/milk-tests/{id}/delete"), &[]).await;
    assert_eq!(goes(&gone), "/book/milk-tests");
    assert!(w.list("milk-tests", "").await.is_empty());
}

#[test_with(World::each)]
async fn a_finding_of_another_record_is_asked_about_as_one_that_follows_from_what_is_typed(w: &World<'_>) {
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2026-02-15"});
    let typed = [("animal", "[2]"), ("date", "2026-02-10")];
    let asked = send(w, "alpha", "/book/calvings/new", &typed).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    asked.has(&["Of another record (insemination), probably because of what is entered here: ", "name=\"anyway\""]);
    assert!(w.list("calvings", "").await.is_empty());
}

/// Of the book's two animals the farm number of one is the id of the other.
#[test_with(World::each)]
async fn a_number_with_its_sign_is_that_of_the_farm(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"altIds": {"inventoryNumber": "4"}});
    changed!(w, "alpha", "animals", 4, {"altIds": {"inventoryNumber": "71"}});
    for (day, number) in [("2024-03-01", "№ 4"), ("2024-04-01", "№4"), ("2024-05-01", "4")] {
        let typed = [("animal", number), ("date", day), ("milkYield", "30"), ("anyway", "yes")];
        let id = id_of(&send(w, "alpha", "/book/milk-tests/new", &typed).await);
        holds!(w.doc("milk-tests", id).await, {"animal": 2});
    }
}

#[test_with(World::each)]
async fn a_day_is_typed_with_points_and_never_guessed(w: &World<'_>) {
    let test = |day| [("animal", "[2]"), ("date", day), ("milkYield", "30"), ("anyway", "yes")];
    let id = id_of(&send(w, "alpha", "/book/milk-tests/new", &test("01.03.2024")).await);
    holds!(w.doc("milk-tests", id).await, {"date": "2024-03-01T00:00:00.000Z"});
    for day in ["01.03.24", "03/01/2024", "31.02.2024"] {
        let refused = send(w, "alpha", "/book/milk-tests/new", &test(day)).await;
        assert_eq!(refused.status, 400, "{day}");
        refused.has(&["There is no such date; write it as 2025-12-31."]);
    }
}

/// The responsible person is of the Association.
#[test_with(World::each)]
async fn who_is_responsible_is_chosen_from_the_association(w: &World<'_>) {
    let request = made!(w, "alpha", "verification-requests", {"animals": [2], "purpose": "trust"});
    let form = page(w, "admin", &format!("/book/verification-requests/{request}/edit")).await;
    let (_, select) = form.text.split_once("name=\"review.assignee\"").unwrap();
    let (select, _) = select.split_once("</select>").unwrap();
    let users = w.list("users", "depth=0").await;
    for user in users {
        let role = user["role"].as_str().unwrap();
        let offered = select.contains(&format!("value=\"[{}]\"", user["id"]));
        assert_eq!(offered, ["expert", "admin"].contains(&role), "{role}: {select}");
    }
}

#[test_with(World::each)]
async fn who_may_not_write_is_told_so_and_changes_nothing(w: &World<'_>) {
    let name = w.doc("animals", 2).await["name"].clone();
    for who in ["viewer", "beta"] {
        for path in "/book/animals/2 /book/animals/2/edit /book/animals/2/delete".split(' ') {
            let refused = send(w, who, path, &[("name", "Other")]).await;
            assert!([403, 404].contains(&refused.status), "{who} {path}: {}", refused.status);
        }
    }
    assert_eq!(w.doc("animals", 2).await["name"], name);
    for path in "/book/animals/2/edit /book/animals/2 /book/animals/new \
        /book/animals/2/delete"
        .split(' ')
    {
        let stranger = send(w, "", path, &[("name", "Other")]).await;
        assert!([303, 403, 404].contains(&stranger.status), "{path}: {}", stranger.status);
    }
    assert_eq!(w.doc("animals", 2).await["name"], name);
}

#[test_with(World::each)]
async fn states_move_by_buttons(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    let sale = made!(w, "beta", "movements", {"animal": 2, "date": "2026-02-01", "kind": "sale", "to": 2});
    let path = format!("/book/movements/{sale}");
    let button = "name=\"confirmation\" value=\"confirmed\"";
    page(w, "alpha", &path).await.has(&[button]);
    // The buyer waits.
    page(w, "beta", &path).await.lacks(&[button]);
    let refused = send(w, "beta", &path, &[("confirmation", "confirmed")]).await;
    assert_eq!(refused.status, 403);
    refused.has(&["role=\"alert\""]);
    assert_eq!(goes(&send(w, "alpha", &path, &[("confirmation", "confirmed")]).await), path);
    holds!(w.doc("movements", sale).await, {"confirmation": "confirmed", "applied": true});
    // A state of times: the button sends the present.
    let link = json!({"animals": [4], "scopes": ["origin"], "expiresAt": "2026-06-01"});
    let link = w.made("alpha", "share-links", link).await;
    let path = format!("/book/share-links/{link}");
    let ask = page(w, "alpha", &format!("{path}/move/revokedAt/revoked")).await;
    ask.has(&["name=\"revokedAt\" value=\"now\""]);
    assert_eq!(goes(&send(w, "alpha", &path, &[("revokedAt", "now")]).await), path);
    holds!(w.doc("share-links", link).await, {"revokedAt": "2026-03-01T12:00:00.000Z"});
}

pub(crate) fn parts(fields: &[(&str, &str)], file: (&str, &str)) -> String {
    let mut body = String::new();
    for (name, value) in fields {
        body += &format!("--cow\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    let (name, content) = file;
    body += &format!(
        "--cow\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: text/csv\r\n\r\n{content}\r\n--cow--\r\n"
    );
    body
}

#[test_with(World::each)]
async fn a_package_is_checked_sent_and_shown(w: &World<'_>) {
    let number = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    let table = format!(
        "Инд.№;Дата замера;Удой за день, кг;Настроение\n{number};12.02.2026;31,5;добрая\n111;12.02.2026;x;злая\n"
    );
    let headers = [BROWSER[0], BROWSER[1], ("content-type", "multipart/form-data; boundary=cow")];
    let send = async |path: &str, fields: &[(&str, &str)], file: (&str, &str)| {
        w.send("alpha", "POST", path, &headers, parts(fields, file)).await
    };
    let preview = send("/book/data-submissions/preview", &[("kind", "productivity")], ("t.csv", &table)).await;
    assert_eq!(preview.status, 200, "{}", preview.text);
    assert_sound(&preview, "preview");
    preview.has(&["Not read: Настроение.", "not known", "New records", "Milk", "111"]);
    assert!(w.list("data-submissions", "").await.is_empty());
    let none = send("/book/data-submissions/preview", &[], ("", "")).await;
    assert_eq!(none.status, 400);
    none.has(&["Choose a file."]);
    let response =
        send("/book/data-submissions/new", &[("kind", "productivity"), ("dataset", "")], ("t.csv", &table)).await;
    let id = id_of(&response);
    read_packages(w).await;
    holds!(w.doc("data-submissions", id).await, {"intake.created": 1, "intake.held": 1});
    let answer = page(w, "alpha", &format!("/book/data-submissions/{id}")).await;
    assert_sound(&answer, "package");
    answer.has(&[&format!("/api/data-submissions/{id}/protocol")]);
    answer.has(&["Not read: Настроение."]);
    let rows = page(w, "alpha", &format!("/book/submission-rows?where[submission][equals]={id}")).await;
    rows.has(&["111"]);
    let second = send("/book/data-submissions/new", &[("kind", "productivity")], ("t.csv", &table)).await;
    assert_eq!(second.status, 400);
    let link = format!("<a href=\"/book/data-submissions/{id}\">You sent this file already: package 000001.</a>");
    second.has(&[&link]);
    second.lacks(&["SHA-256", "sha256", "Value must be unique"]);
    assert_eq!(doc(w, "alpha", "/api/data-submissions/count").await["totalDocs"], 1);
}

#[test_with(World::each)]
async fn entries_of_dictionaries_have_a_name_in_each_language(w: &World<'_>) {
    let names = json!({"code": "JRS", "name": "Джерсейская", "nameEnglish": "Jersey"});
    let jersey = made!(w, "admin", "breeds", names);
    changed!(w, "alpha", "animals", 2, {"breed": jersey});
    page(w, "alpha", "/book/animals/2").await.has(&["Jersey"]);
    page(w, "alpha", "/book/animals?columns=breed").await.has(&["Jersey"]);
    page(w, "alpha", "/book/animals/new").await.has(&[&format!("<option value=\"[{jersey}]\">Jersey</option>")]);
    for path in ["/book/animals/2", "/book/animals?columns=breed", "/book/animals/new"] {
        russian(w, "alpha", path).await.has(&["Джерсейская"]);
    }
    // Without one, its name stands in both languages.
    changed!(w, "admin", "breeds", jersey, {"nameEnglish": null});
    page(w, "alpha", "/book/animals/2").await.has(&["Джерсейская"]);
}

#[test_with(World::each)]
async fn a_photo_is_chosen_among_pictures(w: &World<'_>) {
    for (name, kind, bytes) in
        [("cow.png", "image/png", png(40, 40)), ("milk.csv", "text/csv", b"Date;Milk\r\n1;2\r\n".to_vec())]
    {
        let sent = Form::new().file(name, kind, &bytes).send(w, "alpha", "POST", "/api/media").await;
        assert_eq!(sent.status, 201, "{}", sent.text);
    }
    let form = page(w, "alpha", "/book/animals/2/edit").await;
    form.has(&[">cow.png</option>"]);
    form.lacks(&["milk.csv"]);
    // So is the file that comes with a row.
    let file = |path: &str| format!("/book/{path}/new");
    page(w, "alpha", &file("animal-gallery")).await.has(&["accept=\"image/jpeg,"]);
    page(w, "alpha", &file("data-submissions")).await.lacks(&["accept="]);
}
