//! The start page of a member: work lists, what the checks found, what came to the organisation lately.

use crate::packages::desk::{read_all, sent};
use crate::pages::filled::{Filled, link};
use crate::pages::{BROWSER, assert_sound, goes, page, russian, send};
use crate::rest::animals::states::force;
use crate::rest::certificates::issue::{BULL, COW, PEDIGREE, family, issued};
use crate::rest::requests::decisions::{request, to};
use crate::rest::world::{World, fill};
use model::record::Value;
use serde_json::json;

#[test_with(World::each)]
async fn a_farm_begins_with_what_is_to_be_done(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-04-10"});
    let checked = json!({"animal": 2, "date": "2025-07-20", "result": 1, "pregnancyCheckDate": "2025-08-25"});
    w.made("alpha", "inseminations", checked).await;
    let home = page(w, "alpha", "/").await;
    assert_sound(&home, "alpha");
    let list = "<a href=\"/work/animals/dryOff\">To dry off</a> <span class=\"count\">1</span>";
    home.has(&[
        list,
        "within 60 days",
        "<time datetime=\"2026-02-24\">",
        "Nothing to do: Expected calvings, Pregnancy checks, Open too long",
    ]);
    let list = page(w, "alpha", "/work/animals/dryOff").await;
    assert_sound(&list, "list");
    list.has(&[
        "href=\"/work/animals/dryOff?ahead=28\">in 28 days<",
        "href=\"/book/animals/2\"",
        "/api/animals/work-lists?list=dryOff&amp;format=ics&amp;language=en",
    ]);
    russian(w, "alpha", "/work/animals/noTest").await.has(&["Нет контрольного доения", "45 дней", "календарь"]);
    // Others have other work; the Association asks for a farm.
    page(w, "beta", "/").await.lacks(&["/work/animals/dryOff\""]);
    page(w, "expert", "/").await.lacks(&["/work/animals"]);
    page(w, "expert", "/work/animals/dryOff?organization=1").await.has(&["href=\"/book/animals/2\""]);
    assert_eq!(page(w, "beta", "/work/animals/dryOff?organization=1").await.status, 403);
    assert_eq!(page(w, "", "/work/animals/dryOff").await.status, 303);
    for missing in ["/work/animals/nope", "/work/herds/dryOff", "/work/nope/dryOff"] {
        assert_eq!(page(w, "alpha", missing).await.status, 404, "{missing}");
    }
}

/// Stamps and the day that forms propose are those of the clock by which the work lists of the farm are dated.
#[test_with(World::each)]
async fn pages_have_the_clock_of_the_organisation(w: &World<'_>) {
    let visit = json!({"animal": 2, "startedAt": "2026-02-01T06:00:00Z", "milkYield": 12});
    let visit = format!("/book/milking-visits/{}", w.made("alpha", "milking-visits", visit).await);
    // It is noon of 1 March in UTC, and 2 in the morning of 2 March at UTC+14.
    changed!(w, "alpha", "organizations", 1, {"timeZone": "Pacific/Kiritimati"});
    page(w, "alpha", "/book/weighings/grid").await.has(&["value=\"2026-03-02\""]);
    let file = w.get("alpha", "/api/animals/work-lists?format=pdf").await;
    assert!(file.header("content-disposition").contains("2026-03-02"));
    page(w, "alpha", &visit).await.has(&["title=\"2026-02-01 06:00 UTC\">2026-02-01 20:00</time>"]);
    russian(w, "alpha", &visit).await.has(&["title=\"01.02.2026 06:00 UTC\">01.02.2026 20:00</time>"]);
    page(w, "expert", &visit).await.has(&["title=\"2026-02-01 06:00 UTC\">2026-02-01 09:00</time>"]);
    // A form shows the same, and takes it by the same clock.
    let edit = format!("{visit}/edit");
    let form = Filled::of(&page(w, "alpha", &edit).await, "Save");
    assert_eq!(form.get("startedAt"), Some("2026-02-01T20:00"));
    let form = form.with("startedAt", "2026-02-01T21:30");
    assert_eq!(goes(&send(w, "alpha", &edit, &form.pairs()).await), visit);
    page(w, "alpha", &visit).await.has(&["title=\"2026-02-01 07:30 UTC\">2026-02-01 21:30</time>"]);
}

/// A telephone shows the home of a farm without much paging: what is beyond three rows of a list is folded.
#[test_with(World::each)]
async fn a_list_of_work_begins_with_three_rows(w: &World<'_>) {
    let mut cows = vec![2];
    changed!(w, "alpha", "animals", 2, {"herd": 1});
    for number in 1..=4 {
        let number = format!("96000900000{number}");
        let cow = json!({"identNumber": number, "sex": "female", "birthDate": "2020-01-01", "herd": 1});
        cows.push(w.made("alpha", "animals", cow).await);
    }
    for cow in &cows {
        made!(w, "alpha", "calvings", {"animal": (*cow), "date": "2025-04-10"});
        let served = json!({"animal": cow, "date": "2025-07-20", "result": 1, "pregnancyCheckDate": "2025-08-25"});
        w.made("alpha", "inseminations", served).await;
    }
    let home = page(w, "alpha", "/").await;
    assert_sound(&home, "alpha");
    let (_, list) = home.text.split_once("To dry off</a> <span class=\"count\">5</span>").unwrap();
    let (list, _) = list.split_once("</details>").unwrap();
    let (open, folded) = list.split_once("<details><summary>2 more</summary>").unwrap();
    let rows = |text: &str| text.matches("<th scope=\"row\">").count();
    assert_eq!((rows(open), rows(folded)), (3, 2), "{list}");
    // The herd that all of them have is said once.
    assert_eq!(home.text.matches("<p class=\"note\">Herd: ").count(), 1, "{}", home.text);
    home.lacks(&["data-head=\"Herd\""]);
    changed!(w, "alpha", "animals", 2, {"herd": 2});
    page(w, "alpha", "/").await.has(&["data-head=\"Herd\""]);
    russian(w, "alpha", "/").await.has(&["<summary>Ещё 2</summary>"]);
}

/// What is no work for today is behind one line.
#[test_with(World::each)]
async fn charts_of_the_herd_are_folded(w: &World<'_>) {
    for date in ["2025-02-10", "2026-02-01"] {
        made!(w, "alpha", "calvings", {"animal": 2, "date": (date)});
    }
    let home = page(w, "alpha", "/").await;
    assert_sound(&home, "alpha");
    let folded = "<summary>The herd, month by month <span class=\"count\">1</span></summary>";
    home.has(&[&format!("<details class=\"queue\">{folded}<div class=\"multiples\">")]);
}

#[test_with(World::each)]
async fn what_the_checks_found_is_counted_by_check_and_by_farm(w: &World<'_>) {
    for day in ["2025-05-01", "2025-05-02"] {
        made!(w, "alpha", "weighings", {"animal": 2, "date": (day), "weight": 6500});
    }
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2023-03-01", "number": 1});
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2023-03-06", "bull": 1});
    let counted = ask!(w, "alpha", "GET /api/check-findings/counts?by=code,severity" => 200).json();
    let has = |code: &str, severity: &str, n: u64| {
        let group = json!({"code": code, "severity": severity, "n": n});
        assert!(counted["groups"].as_array().unwrap().contains(&group), "{group}: {counted}");
    };
    has("weight-implausible", "note", 2);
    has("insemination-too-soon", "fix", 1);
    let home = page(w, "alpha", "/").await;
    assert_sound(&home, "alpha");
    let (first, folded) = home.text.split_once("<details class=\"queue\"><summary>Notes").unwrap();
    assert!(folded.contains("<h2>Work lists</h2>"), "corrections come first: {}", home.text);
    for (part, code, deed, page) in [
        (first, "insemination-too-soon", "Correct all of them", "/correct"),
        (folded, "weight-implausible", "Look at all of them", ""),
    ] {
        let of = "where%5Borganization%5D%5Bequals%5D=1&amp;where%5Bstate%5D%5Bequals%5D=open";
        let way = format!("/book/check-findings{page}?where%5Bcode%5D%5Bequals%5D={code}&amp;{of}\">{deed}</a>");
        assert!(part.contains(&way), "{way}: {part}");
    }
    page(w, "beta", "/").await.lacks(&["To correct", "Notes"]);
    let farms = page(w, "expert", "/").await;
    farms.has(&["Quality of data by farm", ">Alpha</a>"]);
    russian(w, "expert", "/").await.has(&["Качество данных по хозяйствам"]);
    // Nobody counts what he does not read, nor by what is not offered.
    assert_eq!(ask!(w, "beta", "GET /api/check-findings/counts?by=code" => 200).json()["groups"], json!([]));
    for bad in ["", "by=", "by=message.en", "by=code,nope", "by=code,code", "by=code&where[nope][equals]=1"] {
        ask!(w, "alpha", "GET /api/check-findings/counts?{bad}" => 400);
    }
    ask!(w, "alpha", "GET /api/animals/counts?by=sex" => 404);
}

#[test_with(World::each)]
async fn a_group_of_findings_is_corrected_in_one_form(w: &World<'_>) {
    for animal in [1, 2] {
        made!(w, "alpha", "weighings", {"animal": animal, "date": "2025-05-01", "weight": 6500});
    }
    let weights = async || {
        let rows = w.list("weighings", "").await;
        let mut all: Vec<u64> = rows.iter().map(|row| row["weight"].as_u64().unwrap()).collect();
        all.sort_unstable();
        all
    };
    let way = "/book/check-findings/correct?where[code][equals]=weight-implausible&where[state][equals]=open";
    let form_page = page(w, "alpha", way).await;
    assert_sound(&form_page, "correct");
    form_page.has(&["Weight 6500 kg; usual of an adult are 350 to 1200.", "class=\"count\">2<", "value=\"6500\""]);
    let form = Filled::of(&form_page, "Save");
    let names = form.fields.iter().map(|(name, _)| name.clone()).filter(|name| name.starts_with("value."));
    let names: Vec<String> = names.collect();
    let [first, second] = names.as_slice() else { panic!("{names:?}") };
    let press = async |form: &Filled| send(w, "alpha", &form.action, &form.pairs()).await;
    let same = press(&form).await;
    assert_eq!(same.status, 400);
    same.has(&["No value differs from the record."]);
    // One that is refused holds back the other, and both keep what was typed.
    let refused = press(&form.clone().with(first, "650").with(second, "much")).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused");
    refused.has(&[&format!("id=\"f-{}-fault\"", second.replace('.', "-")), "value=\"650\""]);
    refused.lacks(&[&format!("id=\"f-{}-fault\"", first.replace('.', "-"))]);
    // What the checks would find again is form_page.
    let doubted = press(&Filled::of(&refused, "Save").with(second, "7000")).await;
    assert_eq!(doubted.status, 200);
    doubted.has(&["Weight 7000 kg", "name=\"anyway\""]);
    assert_eq!(weights().await, [6500, 6500]);
    let done = press(&Filled::of(&doubted, "Save").with(second, "640")).await;
    let cookie = done.header("set-cookie").split(';').next().unwrap();
    let headers = [BROWSER[0], BROWSER[1], ("cookie", cookie)];
    let next = w.send("alpha", "GET", goes(&done), &headers, "").await;
    next.has(&["role=\"status\">The values were saved</p>", "Nothing is left to correct here."]);
    assert_eq!(weights().await, [640, 650]);
    // Others see nothing of it, and it is a page of findings alone.
    page(w, "beta", way).await.has(&["Nothing is left to correct here."]);
    assert_eq!(page(w, "", way).await.status, 303);
    assert_eq!(page(w, "alpha", "/book/animals/correct").await.status, 404);
}

#[test_with(World::each)]
async fn a_form_of_corrections_takes_back_nothing_that_others_corrected_meanwhile(w: &World<'_>) {
    let mut ids = Vec::new();
    for animal in [1, 2] {
        ids.push(made!(w, "alpha", "weighings", {"animal": animal, "date": "2025-05-01", "weight": 6500}));
    }
    let way = "/book/check-findings/correct?where[code][equals]=weight-implausible";
    let form = Filled::of(&page(w, "alpha", way).await, "Save");
    changed!(w, "alpha", "weighings", ids[0], {"weight": 7000});
    let found = w.list("check-findings", &format!("where[recordId][equals]={}", ids[1])).await;
    let found = found.iter().find(|one| one["code"] == "weight-implausible").unwrap();
    let form = form.with(&format!("value.{}", found["id"]), "640");
    // A finding keeps what was typed, on whichever page it is by now.
    let done = send(w, "alpha", &format!("{}&page=2", form.action), &form.pairs()).await;
    goes(&done);
    for (id, weight) in ids.iter().zip([7000, 640]) {
        assert_eq!(w.doc("weighings", *id).await["weight"], weight);
    }
}

#[test_with(World::each)]
async fn a_value_that_two_checks_found_is_written_once(w: &World<'_>) {
    let found = |id: i64, code: &str| {
        json!({
            "id": id, "code": code, "severity": "fix", "state": "open", "collection": "animals", "recordId": 2,
            "path": "birthDate", "animal": 2, "organization": 1, "message": {"en": "Look at it.", "ru": "Проверьте."},
        })
    };
    let both = vec![found(900, "no-breed"), found(901, "weight-implausible")];
    fill(w.stage, "check-findings", both).await;
    let way = "/book/check-findings/correct?where[collection][equals]=animals&where[recordId][equals]=2";
    let form = Filled::of(&page(w, "alpha", way).await, "Save");
    let press = async |first: &str, second: &str| {
        let form = form.clone().with("value.900", first).with("value.901", second);
        let mut fields = form.pairs();
        fields.push(("anyway", "yes"));
        send(w, "alpha", &form.action, &fields).await
    };
    let refused = press("2020-01-11", "2020-01-12").await;
    assert_eq!(refused.status, 400);
    refused.has(&["Another value of this field is typed above."]);
    assert_eq!(w.doc("animals", 2).await["birthDate"], "2020-01-10T00:00:00.000Z");
    goes(&press("2020-01-11", "2020-01-11").await);
    assert_eq!(w.doc("animals", 2).await["birthDate"], "2020-01-11T00:00:00.000Z");
}

#[test_with(World::each)]
async fn a_value_that_the_farm_cannot_correct_is_asked_for(w: &World<'_>) {
    let found = json!({
        "id": 900, "code": "no-breed", "severity": "fix", "state": "open", "collection": "animals", "recordId": 2,
        "path": "birthDate", "animal": 2, "organization": 1, "message": {"en": "Look at it.", "ru": "Проверьте."},
    });
    fill(w.stage, "check-findings", vec![found]).await;
    force(w, "animals", 2, &[("trustLevel", Value::Int(3))]).await;
    let way = "/book/check-findings/correct?where[recordId][equals]=2";
    let form_page = page(w, "alpha", way).await;
    form_page.has(&["Look at it.", "Animals: Birth date"]);
    let form = Filled::of(&form_page, "Save").with("value.900", "2020-01-11");
    let refused = send(w, "alpha", &form.action, &form.pairs()).await;
    assert_eq!(refused.status, 400);
    refused.has(&["Verified data can only be changed by a verification request (correction)."]);
    assert_eq!(w.doc("animals", 2).await["birthDate"], "2020-01-10T00:00:00.000Z");
    let request = page(w, "alpha", &link(&refused, "Ask for a correction")).await;
    assert_sound(&request, "request");
    request.has(&["<option value=\"correction\" selected>", "[2]"]);
    // Who writes nothing is told so; the Association corrects it itself.
    let viewer = page(w, "viewer", way).await;
    viewer.has(&["You cannot change this value here."]);
    viewer.lacks(&["name=\"value.900\""]);
    page(w, "expert", way).await.lacks(&["Ask for a correction"]);
    russian(w, "alpha", way).await.has(&["Проверьте.", "Запросить исправление"]);
}

#[test_with(World::each)]
async fn a_farm_reads_what_came_lately(w: &World<'_>) {
    family(w).await;
    let sale = made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 2});
    // Recorded today: one of 40 days ago, to which the buyer may object; history; one from nobody.
    let sold = async |number: &str, date: &str| {
        let born = json!({"identNumber": number, "sex": "female", "birthDate": "2018-05-05"});
        let animal = w.made("alpha", "animals", born).await;
        made!(w, "alpha", "movements", {"animal": animal, "date": date, "kind": "sale", "to": 2})
    };
    let late = sold("643999000000001", "2026-01-20").await;
    let history = sold("643999000000002", "2025-11-20").await;
    let given = sold("643999000000003", "2026-02-20").await;
    force(w, "movements", given, &[("from", Value::Null)]).await;
    let body = json!({"title": "Certificate", "type": PEDIGREE, "animal": COW, "organization": 1});
    let certificate = w.made("expert", "documents", body).await;
    let file = "Инд.№;Дата замера;Удой за день, кг\r\n960000000004;01.02.2026;30,5\r\n";
    let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({"kind": "productivity"})).await["id"].clone();
    let package = package.as_i64().unwrap();
    let came = async |who: &str| {
        let home = page(w, who, "/").await;
        assert_sound(&home, who);
        let (waiting, news) = home.text.split_once("What came in the last 30 days").unwrap_or((home.text.as_str(), ""));
        let has = |slug: &str, id: i64| news.contains(&format!("/book/{slug}/{id}\""));
        let movements = [sale, late, history, given].map(|id| has("movements", id));
        let back = "Packages that the Association sent back";
        let waits = waiting.contains(back) && waiting.contains(&format!("/book/data-submissions/{package}\""));
        assert!(!has("data-submissions", package), "it waits");
        (movements, [has("documents", certificate), waits])
    };
    // A draft is no document yet, and a package that waits for its check was not sent back.
    assert_eq!(came("alpha").await, ([false; 4], [false; 2]));
    changed!(w, "expert", "documents", certificate, {"issuedAt": "2026-03-01"});
    changed!(w, "expert", "data-submissions", package, {"status": "checking"});
    changed!(w, "expert", "data-submissions", package, {"status": "uploaded", "review": {"comment": "Other units."}});
    assert_eq!(came("alpha").await, ([false; 4], [true; 2]));
    page(w, "alpha", "/").await.has(&["Other units."]);
    let sent_back = page(w, "alpha", &format!("/book/data-submissions/{package}")).await;
    assert_sound(&sent_back, "sent back");
    let (first, _) = sent_back.text.split_once("id=\"summary\"").unwrap();
    assert!(first.contains("The Association sent the package back: Other units."), "{first}");
    assert_eq!(came("beta").await, ([true, true, false, false], [false; 2]));
    assert_eq!(came("expert").await, ([false; 4], [false; 2]));
    // It is folded behind one line, which says how much it is.
    let folded = "<summary>What came in the last 30 days <span class=\"count\">2</span></summary>";
    page(w, "beta", "/").await.has(&[&format!("<details class=\"queue\">{folded}")]);
    russian(w, "beta", "/").await.has(&["Что пришло за последние 30 дней"]);
    // The seller reads that the buyer objects; the buyer has nothing more of it.
    changed!(w, "beta", "movements", sale, {"confirmation": "objected", "objection": "Never bought."});
    assert_eq!(came("alpha").await, ([true, false, false, false], [true; 2]));
    assert_eq!(came("beta").await, ([false, true, false, false], [false; 2]));
    page(w, "alpha", "/").await.has(&["Sales to which the buyer objected", "Never bought."]);
    russian(w, "alpha", "/")
        .await
        .has(&["Продажи, против которых возразил покупатель", "Пакеты, которые Ассоциация вернула"]);
    // Taken again, the package waits for the Association alone.
    changed!(w, "expert", "data-submissions", package, {"status": "checking"});
    assert_eq!(came("alpha").await, ([true, false, false, false], [true, false]));
}

/// What was sent back is no work of the Association until it comes again, and reads so wherever its state is told.
#[test_with(World::each)]
async fn a_package_that_was_sent_back_waits_for_its_farm_alone(w: &World<'_>) {
    let file = "Инд.№;Дата замера;Удой за день, кг\r\n960000000002;01.02.2026;30,5\r\n999000000009;01.02.2026;30,5\r\n";
    let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({"kind": "productivity"})).await;
    let id = package["id"].as_i64().unwrap();
    let way = format!("/book/data-submissions/{id}\"");
    let back = async || {
        changed!(w, "expert", "data-submissions", id, {"status": "checking"});
        let remark = json!({"status": "uploaded", "review": {"comment": "Other units."}});
        w.changed("expert", "data-submissions", id, remark).await;
    };
    let waits = async || {
        let mut homes = Vec::new();
        for who in ["expert", "alpha"] {
            homes.push(page(w, who, "/").await.text.contains(&way));
            let list = page(w, who, "/book/data-submissions").await;
            assert_eq!(list.text.contains(">Sent back<"), !homes[0], "{who}: {}", list.text);
        }
        homes
    };
    assert_eq!(waits().await, [true, false]);
    back().await;
    assert_eq!(waits().await, [false, true]);
    russian(w, "alpha", "/book/data-submissions").await.has(&[">Возвращён<"]);
    // The reason for which a row is held stands beside its cell, and nowhere else.
    let opened = page(w, "alpha", &format!("/book/data-submissions/{id}")).await;
    assert_sound(&opened, "sent back");
    assert_eq!(opened.text.matches("is called 999000000009").count(), 1, "{}", opened.text);
    // It comes again with another mapping, and with its last held row mended.
    changed!(w, "alpha", "data-submissions", id, {"mapping": {"set": "milkTests"}});
    assert_eq!(waits().await, [true, false]);
    read_all(w).await;
    back().await;
    let rows = w.list("submission-rows", "where[state][equals]=held").await;
    let row = json!([{"id": rows[0]["id"], "cells": ["960000000002", "02.02.2026", "30,5"]}]);
    ask!(w, "alpha", "PATCH /api/data-submissions/{id}/rows", row => 200);
    assert_eq!(waits().await, [true, false]);
}

#[test_with(World::each)]
async fn a_request_for_access_waits_as_long_as_its_owner_has_the_animal(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    let id = made!(w, "beta", "access-requests", {"animal": 2, "purpose": "semen", "scopes": ["production"]});
    let way = format!("/book/access-requests/{id}\"");
    page(w, "alpha", "/").await.has(&[&way]);
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 4});
    page(w, "alpha", "/").await.lacks(&[&way]);
    page(w, "delta", "/").await.lacks(&[&way]);
}

#[test_with(World::each)]
async fn a_farm_reads_what_became_of_its_requests(w: &World<'_>) {
    let id = request(w, json!({"animals": [2, 4]})).await;
    let way = format!("/book/verification-requests/{id}\"");
    let came = async |who: &str| {
        let home = page(w, who, "/").await;
        assert_sound(&home, who);
        home.text.split_once("What came in the last 30 days").map(|(_, news)| news.to_owned()).unwrap_or_default()
    };
    to(w, "expert", id, "checking").await;
    assert!(!came("alpha").await.contains(&way), "it is not decided yet");
    let review = json!({"findings": [{"animal": 4, "text": "No chip."}], "comment": "Chip her."});
    changed!(w, "expert", "verification-requests", id, {"status": "approved", "review": review});
    let news = came("alpha").await;
    for text in [&*way, "Approved", ">1<", "Chip her."] {
        assert!(news.contains(text), "{text}: {news}");
    }
    assert!(!came("beta").await.contains(&way));
}

#[test_with(World::each)]
async fn a_farm_reads_its_newest_certificates(w: &World<'_>) {
    family(w).await;
    page(w, "alpha", "/").await.lacks(&[">Certificates</a>"]);
    let (revoked, valid) = (issued(w, PEDIGREE, BULL).await, issued(w, PEDIGREE, COW).await);
    changed!(w, "expert", "documents", revoked["id"].as_i64().unwrap(), {"revoked": {"at": "2026-03-01", "reason": "Wrong."}});
    let home = page(w, "alpha", "/").await;
    assert_sound(&home, "alpha");
    let all = link(&home, "Certificates");
    let listed = home.text.split(">Certificates</a>").nth(1).unwrap().split("</ul>").next().unwrap();
    home.has(&["<details class=\"queue\"><summary>Certificates <span class=\"count\">2</span></summary>"]);
    for (document, animal, state) in [(&revoked, BULL, "Revoked"), (&valid, COW, "valid")] {
        let number = document["number"].as_str().unwrap();
        let one = listed.split("<li>").find(|one| one.contains(number)).unwrap();
        let (record, subject) = (format!("/book/documents/{}\"", document["id"]), format!("/book/animals/{animal}\">"));
        let name = format!("Name {animal}");
        for text in [record.as_str(), &subject, &name, state, "datetime=\"2026-03-01\"", "format=pdf"] {
            assert!(one.contains(text), "{text}: {one}");
        }
    }
    page(w, "alpha", &all).await.has(&["class=\"count\">2<"]);
    // Those of others, and those of all farms, are no matter of this page.
    for who in ["beta", "expert"] {
        page(w, who, "/").await.lacks(&[">Certificates</a>"]);
    }
    russian(w, "alpha", "/").await.has(&[">Свидетельства</a>", "действует"]);
}

#[test_with(World::each)]
async fn the_association_takes_many_of_a_queue_at_once(w: &World<'_>) {
    let mut ids = Vec::new();
    for day in 1..3 {
        let file = format!("Инд.№;Дата замера;Удой за день, кг\r\n960000000002;0{day}.02.2026;30,5\r\n");
        let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({"kind": "productivity"})).await;
        ids.push(package["id"].as_i64().unwrap());
    }
    let home = page(w, "expert", "/").await;
    assert_sound(&home, "expert");
    let chosen: Vec<String> = ids.iter().map(|id| format!("name=\"id\" value=\"{id}\"")).collect();
    home.has(&[
        "action=\"/work/data-submissions/take\"",
        &chosen[0],
        &chosen[1],
        "where[review.assignee][exists]=false",
    ]);
    page(w, "alpha", "/").await.lacks(&["/work/data-submissions/take"]);
    let [first, second] = [ids[0].to_string(), ids[1].to_string()];
    let done = send(w, "expert", "/work/data-submissions/take", &[("id", &first), ("id", &second)]).await;
    assert_eq!((done.status, done.header("location")), (303, "/"));
    let assignee = async |id: i64| w.doc("data-submissions", id).await["review"]["assignee"].clone();
    for id in &ids {
        assert_eq!(assignee(*id).await, 2);
    }
    // A farm takes nothing, and who is nobody neither.
    for who in ["alpha", ""] {
        let refused = send(w, who, "/work/data-submissions/take", &[("id", &first)]).await;
        assert_ne!((refused.status, refused.header("location")), (303, "/"), "{who}");
    }
    assert_eq!(assignee(ids[0]).await, 2);
}
