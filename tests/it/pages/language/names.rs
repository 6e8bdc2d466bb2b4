//! What pages call things: channels of the exchange, sections of the API, pictures, lines of time, and what waits. Each
//! stands there by its name in the language of the reader.

use crate::packages::desk;
use crate::pages::russian;
use crate::pages::{assert_sound, page};
use crate::rest::uploads::form::{Form, png};
use crate::rest::world::World;
use model::messages::Language;
use model::messages::labels::option;
use serde_json::json;

/// What stands between two marks of a page, each time.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    let parts = text.split(open).skip(1);
    parts.filter_map(|part| Some(part.split_once(close)?.0)).collect()
}

#[test_with(World::each)]
async fn channels_of_the_exchange_have_names(w: &World<'_>) {
    let hook = made!(w, "alpha", "webhooks", {"url": "https://partner.example/hook", "dataset": "animals"});
    w.get("", "/api/animals?limit=1").await;
    w.get("alpha", "/ade/v1/locations").await;
    w.get("expert", "/api/graphql?query=%7BHerds%7BtotalDocs%7D%7D").await;
    let cells =
        |text: &str| -> Vec<String> { between(text, "<div>", "</div>").into_iter().map(str::to_owned).collect() };
    let english = page(w, "expert", "/exchange").await;
    let own = russian(w, "expert", "/exchange").await;
    assert_sound(&own, "exchange");
    for (headings, names) in table![
        cells(&english.text),
        [
            "Not signed in",
            "REST",
            "GraphQL",
            "ADE",
            "Documents of the exchange",
            "Batches",
            "Emails",
            "Webhooks",
            "Delivers",
        ];
        cells(&own.text),
        [
            "Без входа",
            "REST",
            "GraphQL",
            "Обмен (ADE)",
            "Документы обмена",
            "Партии",
            "Письма",
            "Веб-хуки",
            "Доставляет",
        ];
    ] {
        for name in names {
            assert!(headings.iter().any(|cell| cell == name), "{name}: {headings:?}");
        }
        assert!(headings.iter().any(|cell| cell.starts_with(&format!("{hook}"))), "{headings:?}");
    }
    changed!(w, "alpha", "webhooks", hook, {"enabled": false});
    let off = russian(w, "expert", "/exchange").await;
    assert!(cells(&off.text).iter().any(|cell| cell == "Выключен"), "{}", off.text);
}

#[test_with(World::each)]
async fn sections_of_the_api_have_the_names_of_the_model(w: &World<'_>) {
    let all = russian(w, "", "/api-docs").await;
    let heads = between(&all.text, "<h2>", "</h2>");
    for name in ["Стадо", "События", "Проверка", "Доступ", "Справочники"] {
        assert!(heads.contains(&name), "{name}: {heads:?}");
    }
    let english = page(w, "", "/api-docs").await;
    assert_eq!(between(&english.text, "<h2>", "</h2>").len(), heads.len());
    english.has(&["<h2>Herd</h2>"]);
    // A tag is called as its collection, and so is the page with its operations.
    let way =
        all.text.split("<a href=\"/api-docs?tag=").find(|rest| rest.contains(">Животные</a> <span class=\"count\">"));
    let tag = way.unwrap_or_else(|| panic!("{}", all.text)).split('"').next().unwrap();
    let operations = russian(w, "", &format!("/api-docs?tag={tag}")).await;
    assert_sound(&operations, tag);
    assert_eq!(between(&operations.text, "<h2>", "</h2>"), ["Стадо · Животные"]);
    operations.has(&["<code>/api/animals</code>"]);
}

#[test_with(World::each)]
async fn pictures_are_called_by_their_text_else_by_what_they_show(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": true});
    let form = Form::new().payload(&json!({"animal": 2})).file("cow.png", "image/png", &png(400, 400));
    let item = form.send(w, "alpha", "POST", "/api/animal-gallery?depth=1").await.json();
    let media = item["doc"]["media"]["id"].as_i64().unwrap();
    let path = "/book/animals/2?tab=documents";
    let named = |text: &str| -> Vec<String> { between(text, " alt=\"", "\"").into_iter().map(str::to_owned).collect() };
    assert_eq!(named(&page(w, "alpha", path).await.text), ["Picture: Animal 2 960000000002"]);
    assert_eq!(named(&russian(w, "alpha", path).await.text), ["Снимок: Animal 2 960000000002"]);
    changed!(w, "alpha", "media", media, {"alt": "From the <left>"});
    let answer = page(w, "alpha", path).await;
    assert_eq!(named(&answer.text), ["From the &lt;left&gt;"]);
}

#[test_with(World::each)]
async fn records_are_called_by_titles_and_not_by_ids(w: &World<'_>) {
    let calving = made!(w, "alpha", "calvings", {"animal": 2, "date": "2024-02-01", "number": 3});
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2024-03-01", "milkYield": 30});
    // What somebody wrote as its title is in one language only.
    let body = json!({"title": "Справка", "type": "vetCertificate", "number": "V-17", "animal": 2});
    let document = w.made("alpha", "documents", body).await;
    let heading = |text: &str| between(text, "<h1>", "</h1>").concat();
    for (path, english, own) in table![
        format!("/book/calvings/{calving}"),
        "3rd calving of Animal 2 960000000002, 2024-02-01",
        "Animal 2 960000000002, 3-й отёл, 01.02.2024";
        format!("/book/milk-tests/{test}"),
        "Test day of Animal 2 960000000002, 2024-03-01",
        "Animal 2 960000000002, контрольное доение, 01.03.2024";
        format!("/book/documents/{document}"),
        "Veterinary certificate of Animal 2 960000000002, V-17",
        "Animal 2 960000000002, ветеринарное свидетельство, V-17";
        "/book/animals/2".to_owned(), "Animal 2 960000000002", "Animal 2 960000000002";
        "/book/organizations/2".to_owned(), "Organisation Beta", "Организация Beta";
    ] {
        assert_eq!(heading(&page(w, "alpha", &path).await.text), english);
        let answer = russian(w, "alpha", &path).await;
        assert_eq!(heading(&answer.text), own);
        answer.has(&[&format!("<title>{own} · ")]);
    }
    // Links and forms have no ids either, but of what is closed.
    let card = page(w, "alpha", "/book/animals/2?tab=reproduction").await;
    card.has(&[&format!("<a href=\"/book/calvings/{calving}\"><time datetime=\"2024-02-01\">2024-02-01</time></a>")]);
    page(w, "alpha", &format!("/book/calvings/{calving}")).await.has(&[">Animal 2 960000000002</a>"]);
    page(w, "alpha", &format!("/book/calvings/{calving}/edit")).await.lacks(&["[2]"]);
    // A person whose name is closed is called by the role.
    changed!(w, "expert", "animals", 2, {"notes": "seen"});
    let note = page(w, "alpha", "/book/animals/2?tab=history").await;
    note.has(&["a user whose name is closed"]);
    note.lacks(&["(closed)"]);
    let other = made!(w, "alpha", "verification-requests", {"animals": [2], "purpose": "trust"});
    changed!(w, "expert", "verification-requests", other, {"status": "checking"});
    let request = page(w, "alpha", &format!("/book/verification-requests/{other}")).await;
    request.has(&["an officer of the Association"]);
    russian(w, "alpha", &format!("/book/verification-requests/{other}")).await.has(&["сотрудник Ассоциации"]);
    // So it is in the protocol of a package.
    let package = desk::sent(w, "alpha", "t.csv", TABLE.as_bytes(), &json!({"kind": "productivity"})).await;
    let package = package["id"].as_i64().unwrap();
    changed!(w, "expert", "data-submissions", package, {"status": "checking"});
    let protocol = format!("/api/data-submissions/{package}/protocol");
    page(w, "alpha", &protocol).await.has(&["Smith Ann", "an officer of the Association"]);
    page(w, "expert", &protocol).await.lacks(&["an officer of the Association"]);
}

/// People of the other side stand by it, since their names are closed.
#[test_with(World::each)]
async fn people_whose_names_are_closed_stand_by_their_side(w: &World<'_>) {
    let (farm, office) = ("a user of a farm", "an officer of the Association");
    let stands = async |who: &str, id: i64, label: &str| {
        let answer = page(w, who, &format!("/book/movements/{id}")).await;
        between(&answer.text, &format!("<dt>{label}</dt><dd>"), "</dd>").concat()
    };
    for (animal, owner) in [(1, "alpha"), (3, "beta")] {
        changed!(w, owner, "animals", animal, {"publicVisible": true});
    }
    let moved = async |who: &str, animal: i64, to: i64| made!(w, who, "movements", {"animal": (animal), "date": "2026-02-01", "kind": "sale", "to": (to)});
    let (sold, booked) = (moved("alpha", 2, 2).await, moved("expert", 4, 2).await);
    let (bought, lost) = (moved("alpha", 3, 1).await, moved("beta", 1, 2).await);
    changed!(w, "beta", "movements", bought, {"confirmation": "confirmed"});
    changed!(w, "expert", "movements", lost, {"confirmation": "refused"});
    for (who, id, label, said) in [
        ("beta", sold, "Recorded by", farm),
        ("alpha", booked, "Recorded by", office),
        ("beta", booked, "Recorded by", office),
        ("beta", bought, "Recorded by", farm),
        ("alpha", bought, "Answered by", farm),
        ("beta", lost, "Answered by", office),
    ] {
        let shown = stands(who, id, label).await;
        assert!(shown.contains(said), "{who} {id} {label}: {shown}");
    }
    // Who reads a person has the name.
    let own = stands("alpha", sold, "Recorded by").await;
    assert!(own.contains("</a>") && !own.contains(farm), "{own}");
    // So it is with the movement that a change of the animal records.
    changed!(w, "alpha", "animals", 3, {"state": "culled", "disposalDate": "2026-02-25"});
    let closing = w.list("movements", "where[animal][equals]=3&where[kind][equals]=cull").await;
    holds!(closing[0], {"recordedBy": 11, "recordedRole": "farm", "confirmedRole": null});
    // And with the course of a package.
    let package = desk::sent(w, "alpha", "t.csv", TABLE.as_bytes(), &json!({"kind": "productivity"})).await;
    let package = package["id"].as_i64().unwrap();
    changed!(w, "expert", "data-submissions", package, {"status": "checking"});
    let path = format!("/book/data-submissions/{package}");
    for (answer, heading, said, side) in [
        (page(w, "alpha", &path).await, "Course of the package", office, "The Association</td>"),
        (russian(w, "alpha", &path).await, "История пакета", "сотрудник Ассоциации", "Ассоциация</td>"),
    ] {
        let (_, course) = answer.text.split_once(&format!("<h2>{heading}</h2>")).unwrap();
        let (course, _) = course.split_once("</table>").unwrap();
        assert!(course.contains(said) && !course.contains(side), "{course}");
    }
}

#[test_with(World::each)]
async fn codes_of_records_have_names(w: &World<'_>) {
    let measured = json!([{"code": "AVGCOND", "value": "5.4", "unit": "mS/cm"}]);
    let visit = json!({"animal": 2, "startedAt": "2026-02-01T06:00:00Z", "milkYield": 12, "characteristics": measured});
    let visit = w.made("alpha", "milking-visits", visit).await;
    let heat = json!({"animal": 2, "date": "2026-02-01", "type": "heat", "result": "visual",
        "payload": {"certainty": "InHeat"}});
    let heat = w.made("alpha", "events", heat).await;
    let sheet = "Инд.№;Дата замера;Удой за день, кг\r\n960000000002;01.02.2026;30\r\n";
    desk::sent(w, "alpha", "t.csv", sheet.as_bytes(), &json!({"kind": "productivity"})).await;
    let row = w.list("submission-rows", "").await[0].clone();
    let record = row["record"].as_i64().unwrap();
    let way = format!("href=\"/book/milk-tests/{record}\"");
    changed!(w, "alpha", "animals", 2, {"forSale": true});
    let change = w.list("animal-revisions", "where[path][equals]=forSale").await[0]["id"].clone();
    made!(w, "alpha", "movements", {"animal": 4, "kind": "death", "date": "2026-03-01"});
    let log = w.list("operations", "where[action][equals]=movement-recorded").await[0]["id"].clone();
    for (path, has, lacks) in [
        (format!("operations/{log}"), vec!["Подтверждение передающей стороной: Не требуется"], "confirmation:"),
        (format!("milking-visits/{visit}"), vec!["Электропроводность, средняя", "мСм/см"], "AVGCOND"),
        (format!("events/{heat}"), vec!["Визуально"], ">visual<"),
        (format!("submission-rows/{}", row["id"]), vec!["Контрольные доения", way.as_str()], "milk-tests</"),
        (format!("animal-revisions/{change}"), vec!["На продажу"], "For Sale"),
    ] {
        let own = russian(w, "alpha", &format!("/book/{path}")).await;
        assert_sound(&own, &path);
        own.has_in(&path, &has);
        own.lacks_in(&path, &[lacks]);
    }
}

/// The members of an object are a list: with the label of the field of that name, else with the name itself.
#[test_with(World::each)]
async fn further_particulars_are_a_list(w: &World<'_>) {
    let payload = json!({"certainty": "In<Heat>", "weight": 31.5, "probe": {"seen": true, "signs": ["mounts"]}});
    let heat = json!({"animal": 2, "date": "2026-02-01", "type": "heat", "result": "visual", "payload": payload});
    let path = format!("/book/events/{}", w.made("alpha", "events", heat).await);
    for (answer, weight, yes) in [
        (page(w, "alpha", &path).await, "Weight, kg</dt><dd>31.5", "yes"),
        (russian(w, "alpha", &path).await, "Масса, кг</dt><dd>31,5", "да"),
    ] {
        assert_sound(&answer, weight);
        answer.has(&[
            "<dt>certainty</dt><dd>In&lt;Heat&gt;</dd>",
            weight,
            &format!("<dt>probe</dt><dd><dl class=\"values\"><div><dt>seen</dt><dd>{yes}</dd>"),
            "<dt>signs</dt><dd><ul><li>mounts</li></ul></dd>",
        ]);
        answer.lacks(&["&quot;certainty"]);
    }
}

/// A row is not headed by what all others are called, too.
#[test_with(World::each)]
async fn records_that_no_word_tells_apart_are_headed_by_a_column(w: &World<'_>) {
    let link = json!({"animals": [2], "scopes": ["origin"], "expiresAt": "2026-06-01T00:00:00Z"});
    let link = w.made("alpha", "share-links", link).await;
    let list = page(w, "alpha", "/book/share-links").await;
    assert_sound(&list, "links");
    list.has(&[&format!("<a href=\"/book/share-links/{link}\"><time class=\"instant\" datetime=\"2026-06-01T00:00")]);
    list.lacks(&[">View link</a>", "data-head=\"Valid until\""]);
    // What is for programs is no column that nobody chose.
    let form = Form::new().payload(&json!({"animal": 2})).file("cow.png", "image/png", &png(400, 400));
    form.send(w, "alpha", "POST", "/api/animal-gallery").await;
    let files = page(w, "alpha", "/book/media").await;
    files.has(&[">cow.png</a>", "data-head=\"Visible to\""]);
    files.lacks(&["data-head=\"Address of the file\""]);
}

#[test_with(World::each)]
async fn a_line_of_time_has_a_line_for_each_kind_of_event(w: &World<'_>) {
    let path = "/book/animals/2?tab=reproduction";
    let calving =
        |day: &str, number: i64, kind: &str| json!({"animal": 2, "date": day, "number": number, "eventType": kind});
    w.made("alpha", "calvings", calving("2024-02-01", 1, "calving")).await;
    // One day is no line.
    page(w, "alpha", path).await.lacks(&["Line of time"]);
    w.made("alpha", "calvings", calving("2024-12-01", 1, "dryOff")).await;
    made!(w, "alpha", "inseminations", {"animal": 2, "date": "2025-03-01", "bullText": "X", "attemptNumber": 1});
    let drawn = async |language: &str| {
        let answer = match language {
            "ru" => russian(w, "alpha", path).await,
            _ => page(w, "alpha", path).await,
        };
        let title = if language == "ru" { "Лента времени" } else { "Line of time" };
        let (_, picture) = answer.text.split_once(&format!("role=\"img\" aria-label=\"{title}\">")).unwrap();
        picture.split("</svg>").next().unwrap().to_owned()
    };
    let own = drawn("ru").await;
    assert_eq!(
        between(&own, "<title>", "</title>"),
        ["Отёл: 01.02.2024", "Осеменение: 01.03.2025", "Запуск: 01.12.2024"]
    );
    let lanes = between(&own, "text-anchor=\"end\">", "</text>");
    assert_eq!(lanes, ["Отёл", "Осеменение", "Запуск"]);
    assert_eq!(between(&own, "text-anchor=\"middle\">", "</text>"), ["2025"]);
    let english = drawn("en").await;
    assert_eq!(
        between(&english, "<title>", "</title>"),
        ["Calving: 2024-02-01", "Insemination: 2025-03-01", "Drying-off: 2024-12-01"]
    );
}

const TABLE: &str = "Инд.№;Дата замера;Удой за день, кг;Настроение\r\n960000000002;01.02.2026;97,5;добрая\r\n960000000002;04.02.2026;30;злая\r\n";

#[test_with(World::each)]
async fn what_waits_is_told_in_sentences(w: &World<'_>) {
    let kind = json!({"kind": "productivity"});
    desk::sent(w, "alpha", "t.csv", TABLE.as_bytes(), &kind).await;
    let finding = w.list("check-findings", "where[state][equals]=open").await;
    let finding = finding.first().unwrap_or_else(|| panic!("no finding"));
    let farm = russian(w, "alpha", "/").await;
    assert_sound(&farm, "farm");
    // Findings are counted by check, each under its name.
    let code = finding["code"].as_str().unwrap();
    for (language, home) in [(Language::Russian, farm), (Language::English, page(w, "alpha", "/").await)] {
        let check = option(language, "check-findings", "code", code);
        assert_ne!(check, code);
        home.has_in(&code, &[&format!("<th scope=\"row\">{check}</th>")]);
    }
    // The list and its files say what was found, in the language of the reader.
    let said = ["en", "ru"].map(|language| finding["message"][language].as_str().unwrap());
    let list = page(w, "alpha", "/book/check-findings").await;
    assert_sound(&list, "list");
    list.has(&[said[0], "%5Bmessage%5D%5Ben%5D=true", ">CSV for programs</a>"]);
    list.lacks(&[said[1], "%5Bmessage%5D%5Bru%5D=true"]);
    let list = russian(w, "alpha", "/book/check-findings").await;
    list.has(&[said[1], "%5Bmessage%5D%5Bru%5D=true", ">CSV для Excel</a>", ">CSV для программ</a>"]);
    list.lacks(&[said[0]]);
    // The Association has the package and the column, each under its name, with how long it waits.
    let office = russian(w, "expert", "/").await;
    office.has(&[
        ">Пакеты данных</a>",
        ">Нераспознанные столбцы</a>",
        "сегодня</time>",
        "data-head=\"Ждёт\"",
        ">Настроение</a>",
    ]);
}
