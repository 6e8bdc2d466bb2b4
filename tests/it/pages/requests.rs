//! The page of a request: what an approval does and holds back is read before it is given, and afterwards in words.

use crate::pages::filled::{Filled, link};
use crate::pages::{assert_sound, page, russian, send};
use crate::rest::requests::decisions::{request, to};
use crate::rest::world::World;
use serde_json::json;

#[test_with(World::each)]
async fn who_approves_reads_what_is_held_back_and_why(w: &World<'_>) {
    let unborn = made!(w, "alpha", "animals", {"identNumber": "970000000001", "sex": "female", "name": "Unborn"});
    let id = request(w, json!({"animals": [2, 4, unborn]})).await;
    to(w, "expert", id, "checking").await;
    let path = format!("/book/verification-requests/{id}");
    let found = w.list("check-findings", &format!("depth=0&where[animal][equals]={unborn}")).await;
    let found = found.iter().find(|finding| finding["code"] == "no-birth-date").unwrap();
    for who in ["expert", "alpha"] {
        let answer = page(w, who, &path).await;
        assert_sound(&answer, who);
        let (_, section) = answer.text.split_once("id=\"decision\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        for text in [
            "count as verified by the Association",
            "<dt>Animals approved</dt><dd>2</dd>",
            "<dt>Animals held back</dt><dd>1</dd>",
            " 970000000001</a>",
            "No birth date",
            found["message"]["en"].as_str().unwrap(),
            &format!("/book/check-findings/{}\"", found["id"]),
        ] {
            assert!(section.contains(text), "{who} {text}: {section}");
        }
    }
    let answer = russian(w, "alpha", &path).await;
    answer.has(&["Что сделает одобрение", "Нет даты рождения"]);
    changed!(w, "expert", "verification-requests", id, {"review": {"findings": [{"animal": 2, "text": "No papers."}]}});
    page(w, "expert", &path).await.has(&["The review has a finding about it"]);
    // A decided request says the same in words, and promises nothing more.
    to(w, "expert", id, "approved").await;
    for (answer, words) in [
        (page(w, "alpha", &path).await, ["No birth date", "The review has a finding about it"]),
        (russian(w, "alpha", &path).await, ["Нет даты рождения", "О животном есть замечание при рассмотрении"]),
    ] {
        answer.has(&words);
        answer.lacks(&["no-birth-date", "id=\"decision\""]);
    }
}

/// Many at once are approved on a page that says first what that does; only those that it named.
#[test_with(World::each)]
async fn many_requests_are_approved_after_a_question(w: &World<'_>) {
    let unborn = made!(w, "alpha", "animals", {"identNumber": "970000000001", "sex": "female", "name": "Unborn"});
    let mut ids = Vec::new();
    for animals in [json!([2]), json!([4, unborn]), json!([1])] {
        ids.push(request(w, json!({"animals": animals})).await);
    }
    for id in &ids[..2] {
        to(w, "expert", *id, "checking").await;
    }
    let rows = ids.iter().map(|id| format!("rows={id}")).collect::<Vec<_>>().join("&");
    let deeds = format!("/book/verification-requests/deeds?{rows}");
    let ask = page(w, "expert", &link(&page(w, "expert", &deeds).await, "Approve")).await;
    assert_sound(&ask, "ask");
    ask.has(&["Would be approved: 2", "Refused: 1", "<dt>Animals held back</dt><dd>1</dd>", "No birth date"]);
    let states = async || {
        let mut all = Vec::new();
        for id in &ids {
            all.push(w.doc("verification-requests", *id).await["status"].as_str().unwrap().to_owned());
        }
        all
    };
    assert_eq!(states().await, ["checking", "checking", "new"]);
    let approve = format!("/book/verification-requests/approve?{rows}");
    russian(w, "expert", &approve).await.has(&["Будет одобрено: 2", "Отказано: 1"]);
    let form = Filled::of(&ask, "Approve: 2");
    let done = send(w, "expert", &form.action, &form.pairs()).await;
    assert_sound(&done, "done");
    done.has(&["Approved: 2"]);
    assert_eq!(states().await, ["approved", "approved", "new"]);
    // Farms approve nothing, and nothing else is approved.
    page(w, "alpha", &deeds).await.lacks(&["verification-requests/approve"]);
    for path in [format!("/book/verification-requests/approve?{rows}"), "/book/animals/approve?rows=2".to_owned()] {
        assert_eq!(page(w, "alpha", &path).await.status, 404, "{path}");
    }
    assert_eq!(page(w, "expert", "/book/animals/approve?rows=2").await.status, 404);
}

#[test_with(World::each)]
async fn who_approves_a_request_for_a_certificate_reads_what_it_still_needs(w: &World<'_>) {
    let id = request(w, json!({"animals": [2], "purpose": "certificate"})).await;
    to(w, "expert", id, "checking").await;
    let path = format!("/book/verification-requests/{id}");
    for who in ["expert", "alpha"] {
        let answer = page(w, who, &path).await;
        assert_sound(&answer, who);
        let (_, section) = answer.text.split_once("id=\"decision\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        for text in [
            "This issues no certificate",
            "/book/animals/2/certificates\"",
            "Not all conditions are met. The data of the animal are not verified",
        ] {
            assert!(section.contains(text), "{who} {text}: {section}");
        }
    }
    let words = ["Свидетельство этим не выдаётся", "Данные животного не подтверждены Ассоциацией"];
    russian(w, "alpha", &path).await.has(&words);
    let other = request(w, json!({"animals": [4]})).await;
    page(w, "expert", &format!("/book/verification-requests/{other}")).await.lacks(&["/certificates\""]);
}

#[test_with(World::each)]
async fn an_animal_without_a_category_is_named_before_a_registration_is_refused(w: &World<'_>) {
    let animal = made!(w, "alpha", "animals", {"identNumber": "970000000002", "sex": "female", "name": "Lonely",
        "birthDate": "2023-05-05"});
    let id = request(w, json!({"animals": [animal], "purpose": "registration"})).await;
    let decision = w.get("expert", &format!("/api/verification-requests/{id}/decision")).await.json();
    assert_eq!(decision["lacking"], json!([animal]));
    let answer = page(w, "expert", &format!("/book/verification-requests/{id}")).await;
    answer.has(&["get their numbers", "cannot be approved yet", "Lonely 970000000002</a>"]);
}

/// Notes hold nothing back, but who approves reads them.
#[test_with(World::each)]
async fn who_approves_reads_notes_about_rows_of_the_animals(w: &World<'_>) {
    made!(w, "alpha", "weighings", {"animal": 2, "date": "2026-02-01", "weight": 6500});
    let id = request(w, json!({"animals": [2, 4]})).await;
    to(w, "expert", id, "checking").await;
    let path = format!("/book/verification-requests/{id}");
    let address = format!("/api/verification-requests/{id}/decision");
    let decision = w.get("expert", &address).await.json();
    let mut notes = decision["notes"].as_array().unwrap().iter();
    let note = notes.find(|note| note["code"] == "weight-implausible").unwrap().clone();
    holds!(note, {"animal": 2, "collection": "weighings", "path": "weight"});
    holds!(decision, {"heldCount": 0, "approvedCount": 2, "held": []});
    let address = format!("/book/check-findings/{}\"", note["id"]);
    for who in ["expert", "alpha"] {
        let answer = page(w, who, &path).await;
        assert_sound(&answer, who);
        let (_, section) = answer.text.split_once("id=\"decision\"").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        let (before, notes) = section.split_once("<summary>Notes, which hold nothing back").unwrap();
        assert!(!before.contains(&address) && notes.contains(&address), "{who}: {section}");
        assert!(notes.contains(note["message"]["en"].as_str().unwrap()), "{who}: {notes}");
    }
    russian(w, "expert", &path).await.has(&["Замечания к сведению", note["message"]["ru"].as_str().unwrap()]);
    let dismissed = json!({"state": "dismissed", "dismissed": {"reason": "A heavy cow."}});
    w.changed("expert", "check-findings", note["id"].as_i64().unwrap(), dismissed).await;
    page(w, "expert", &path).await.lacks(&[&address]);
}

/// So many notes as a page bears: those that doubt a value first, and the way to all.
#[test_with(World::each)]
async fn notes_of_a_request_are_few_and_begin_with_values(w: &World<'_>) {
    let made = async |number: i64| {
        let animal = json!({"identNumber": format!("97000000000{number}"), "sex": "female", "name": "New",
            "birthDate": "2023-05-05"});
        w.made("alpha", "animals", animal).await
    };
    let (lonely, weighed) = (made(1).await, made(2).await);
    for day in 0..51 {
        let date = format!("2026-0{}-{:02}", 1 + day / 28, 1 + day % 28);
        made!(w, "alpha", "weighings", {"animal": weighed, "date": date, "weight": 4000});
    }
    let id = request(w, json!({"animals": [lonely, weighed]})).await;
    to(w, "expert", id, "checking").await;
    for who in ["expert", "alpha"] {
        let decision = w.get(who, &format!("/api/verification-requests/{id}/decision")).await.json();
        let notes = decision["notes"].as_array().unwrap();
        let is_gap = |note: &serde_json::Value| note["code"] == "no-parents";
        assert!(notes.len() == 50 && !notes.iter().any(is_gap), "{decision}");
        let all = "where[severity][equals]=note&where[state][equals]=open";
        let all = w.list("check-findings", &format!("{all}&where[animal][in]={lonely},{weighed}")).await;
        assert!(all.iter().any(is_gap), "{all:?}");
        assert_eq!(decision["noteCount"], all.len(), "{who}");
        let answer = page(w, who, &format!("/book/verification-requests/{id}")).await;
        let list = link(&answer, &format!("all {}", all.len()));
        let animals = format!("/book/check-findings?where%5Banimal%5D%5Bin%5D={lonely}%2C{weighed}&");
        assert!(list.starts_with(&animals), "{list}");
        assert_sound(&page(w, who, &list).await, who);
    }
}
