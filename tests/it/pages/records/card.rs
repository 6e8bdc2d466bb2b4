//! The card of an animal: its pictures, and who else may see it.

use crate::pages::{assert_sound, page, russian};
use crate::rest::animals::states::force;
use crate::rest::uploads::form::{Form, png};
use crate::rest::world::World;
use model::record::{Value, time};
use serde_json::json;

#[test_with(World::each)]
async fn pictures_are_shown_to_those_who_may_see_them(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": true});
    page(w, "alpha", "/book/animals/2?tab=documents").await.lacks(&["class=\"pictures\""]);
    let item = Form::new().payload(&json!({"animal": 2})).file("cow.png", "image/png", &png(400, 400));
    let item = item.send(w, "alpha", "POST", "/api/animal-gallery?depth=1").await;
    assert_eq!(item.status, 201, "{}", item.text);
    let item = item.json()["doc"].clone();
    let (id, url) = (item["id"].as_i64().unwrap(), item["media"]["url"].as_str().unwrap());
    let shows = async |who: &str| {
        let card = page(w, who, "/book/animals/2?tab=documents").await;
        assert_sound(&card, who);
        assert_eq!(
            card.text.contains(&format!("/book/animal-gallery/{id}\"")),
            card.text.contains(url),
            "{}",
            card.text
        );
        card.text.contains(url) && card.text.contains("class=\"pictures\"")
    };
    // As the API says: others see what was approved.
    for approved in [false, true] {
        if approved {
            changed!(w, "expert", "animal-gallery", id, {"moderation": "approved"});
        }
        for who in ["", "alpha", "expert", "beta"] {
            let api = w.get(who, &format!("/api/animal-gallery/{id}?depth=0")).await.status == 200;
            assert_eq!(shows(who).await, api, "{who:?} {approved}");
        }
    }
    assert!(shows("alpha").await && shows("expert").await);
}

#[test_with(World::each)]
async fn who_may_see_an_animal_is_told_to_its_owner(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    let path = "/book/animals/2?tab=documents";
    let nobody = page(w, "alpha", path).await;
    nobody.has(&["id=\"sight\"", "No grant"]);
    let one = made!(w, "alpha", "access-grants", {"grantee": 2, "animal": 2, "scopes": ["origin"]});
    let herd = made!(w, "alpha", "access-grants", {"grantee": 2, "scopes": ["production"]});
    let other = made!(w, "alpha", "access-grants", {"grantee": 2, "animal": 4, "scopes": ["origin"]});
    let link = json!({"animals": [2, 4], "scopes": ["origin"], "expiresAt": "2026-06-01"});
    let link = w.made("alpha", "share-links", link).await;
    let names = |collection: &str, id: i64| format!("/book/{collection}/{id}\"");
    for who in ["alpha", "expert"] {
        let text = page(w, who, path).await.text;
        for shown in [names("access-grants", one), names("access-grants", herd), names("share-links", link)] {
            assert!(text.contains(&shown), "{who} {shown}: {text}");
        }
        assert!(!text.contains(&names("access-grants", other)), "{who}: {text}");
        assert!(text.contains("with the whole herd"), "{who}: {text}");
    }
    // Not to those to whom it is open, and not for ever.
    for who in ["beta", ""] {
        page(w, who, path).await.lacks_in(&who, &["id=\"sight\""]);
    }
    changed!(w, "alpha", "access-grants", one, {"revokedAt": "2026-03-01"});
    page(w, "alpha", path).await.lacks(&[&names("access-grants", one)]);
}

#[test_with(World::each)]
async fn a_card_has_its_state_its_forms_and_its_tabs(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": true, "forSale": true});
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2026-01-01", "number": 1});
    made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2026-02-01", "milkYield": 31.5, "somaticCells": 120});
    made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2026-02-20", "milkYield": 28, "somaticCells": 90});
    let card = page(w, "alpha", "/book/animals/2").await;
    assert_sound(&card, "card");
    card.has(&["<li>Alive</li>", "<li>For sale</li>", "<li>Calvings: 1</li>", "<li>Days since calving: 59</li>"]);
    // Forms begin with the animal, by its number.
    let slugs = ["calvings", "inseminations", "milk-tests", "weighings", "health-events"];
    let form = |slug: &str| format!("href=\"/book/{slug}/new?animal=960000000002\"");
    for slug in slugs {
        card.has(&[&form(slug)]);
        for who in ["viewer", "beta", ""] {
            page(w, who, "/book/animals/2").await.lacks_in(&who, &[&form(slug)]);
        }
    }
    // How it left is chosen first, here and beside its movements.
    let leaving = "href=\"/book/animals/2/move/state\"";
    for path in ["/book/animals/2", "/book/animals/2?tab=history"] {
        let own = page(w, "alpha", path).await;
        own.has(&[leaving]);
        own.lacks(&["/book/movements/new"]);
        for who in ["viewer", "beta", ""] {
            page(w, who, path).await.lacks_in(&who, &[leaving]);
        }
    }
    let new = page(w, "alpha", "/book/milk-tests/new?animal=960000000002").await;
    new.has(&["value=\"960000000002\""]);
    // The day is the present one, unless the form is opened from elsewhere.
    let day = "value=\"2026-03-01\"";
    for slug in slugs {
        page(w, "alpha", &format!("/book/{slug}/new?animal=960000000002")).await.has_in(&slug, &[day]);
    }
    page(w, "alpha", "/book/milk-tests/new").await.lacks(&[day]);
    let bull = page(w, "alpha", "/book/animals/1").await;
    bull.has(&["/book/weighings/new?animal="]);
    bull.lacks(&["/book/calvings/new?animal="]);
    // What hardly happens to a calf is a fold away.
    let calf = made!(w, "alpha", "animals", {"identNumber": "960000000777", "sex": "female",
        "birthDate": "2026-02-01"});
    let calf = page(w, "alpha", &format!("/book/animals/{calf}?tab=health")).await;
    let acts = calf.text.split_once("<nav class=\"acts\"").unwrap().1.split_once("</nav>").unwrap().0;
    let (usual, seldom) = acts.split_once("<details>").unwrap();
    for (slug, is_usual) in slugs.into_iter().zip([false, false, false, true, true]) {
        let way = format!("/book/{slug}/new?animal=960000000777");
        assert_eq!((usual.contains(&way), seldom.contains(&way)), (is_usual, !is_usual), "{slug}: {acts}");
    }
    let acts = card.text.split_once("<nav class=\"acts\"").unwrap().1.split_once("</nav>").unwrap().0;
    assert!(!acts.contains("<details>"), "{acts}");
    // A tab has what it is about, and no other.
    let tab = async |word: &str| page(w, "alpha", &format!("/book/animals/2?tab={word}")).await;
    let production = tab("production").await;
    assert_sound(&production, "production");
    production.has(&[
        "<polyline",
        "<th scope=\"row\">Lactation No. 1</th><td>31</td><td>31.5</td>",
        "aria-current=\"page\">Production",
    ]);
    // Cells are drawn between powers of ten.
    production.has(&[">10</text>", ">1000</text>"]);
    production.lacks(&["id=\"sight\"", "class=\"tree\""]);
    card.lacks(&["<polyline", "id=\"sight\"", "class=\"tree\""]);
    let pedigree = page(w, "alpha", "/book/animals/4?tab=pedigree").await;
    assert_sound(&pedigree, "pedigree");
    pedigree.has(&["class=\"tree\"", ">Animal 2 960000000002</a>", "Holstein"]);
    tab("pedigree").await.has(&["Progeny</a>", "href=\"/book/animals/4\""]);
    for word in ["health", "evaluation", "none"] {
        assert_sound(&tab(word).await, word);
    }
    w.ask("alpha", "PATCH", "/api/animals/2", r#"{"state":"dead","disposalDate":"2026-02-25"}"#).await;
    page(w, "alpha", "/book/animals/2").await.lacks(&[&form("calvings")]);
}

#[test_with(World::each)]
async fn the_latest_is_shown_with_the_ways_to_all_of_it(w: &World<'_>) {
    for (number, date) in [(1, "2025-01-10"), (2, "2026-01-01")] {
        made!(w, "alpha", "calvings", {"animal": 2, "date": (date), "number": (number)});
    }
    for date in ["2025-03-01", "2026-02-01"] {
        made!(w, "alpha", "milk-tests", {"animal": 2, "date": (date), "milkYield": 30});
    }
    for date in ["2025-04-01", "2026-02-25"] {
        made!(w, "alpha", "inseminations", {"animal": 2, "date": (date), "bull": 1});
    }
    let mut last = 0;
    for day in 1..=7 {
        let date = format!("2025-02-0{day}");
        last = made!(w, "alpha", "weighings", {"animal": 2, "date": (date), "weight": 600});
    }
    let production = page(w, "alpha", "/book/animals/2?tab=production").await;
    assert_sound(&production, "production");
    // Lactations stand side by side, the last one first, each with the bull by name; what has no line is folded.
    let (_, lactations) = production.text.split_once("<table class=\"beside latest\">").unwrap();
    let (lines, folded) = lactations.split_once("</table>").unwrap();
    let place = |part: &str| lines.find(part).unwrap_or_else(|| panic!("{part}: {lines}"));
    assert!(place("2026-01-01") < place("2025-01-10"), "{lines}");
    assert_eq!(lines.matches("<td>Animal 1 960000000001</td>").count(), 2, "{lines}");
    assert!(!lines.contains("Insemination date"), "{lines}");
    let (folded, _) = folded.split_once("</table>").unwrap();
    for part in ["<details><summary>More fields</summary>", "<th scope=\"row\">Insemination date</th>"] {
        assert!(folded.contains(part), "{part}: {folded}");
    }
    production.lacks(&["beside earlier"]);
    // The data have the number, and who does not read the bull has no other.
    assert_eq!(w.doc("animals", 2).await["lactations"][0]["serviceBull"], "960000000001");
    production.lacks(&["ruitful"]);
    production.has(&["Weighings, all 7</a>"]);
    // The first list stands open, the others behind their numbers; so do lists of the record.
    production.has(&["<details class=\"fold\"><summary>Weighings <span class=\"count\">7</span></summary>"]);
    production.lacks(&["<summary>Test days"]);
    changed!(w, "alpha", "animals", 2, {"shows": [{"date": "2024-05-01", "title": "Fair"}]});
    let evaluation = page(w, "alpha", "/book/animals/2?tab=evaluation").await;
    assert_sound(&evaluation, "evaluation");
    evaluation.has(&["<details class=\"fold\"><summary>Shows <span class=\"count\">1</span></summary>", "Fair"]);
    assert_eq!(production.text.matches("data-head=\"Live weight, kg\"").count(), 5, "{}", production.text);
    let overview = page(w, "alpha", "/book/animals/2").await;
    assert_sound(&overview, "overview");
    overview.has(&[
        "Weighings</a> <span class=\"count\">7</span>",
        "Calvings, abortions, dryings-off</a> <span class=\"count\">2</span>",
    ]);
    // A row about which the checks found something says so to those who read that.
    let remarks = "<span class=\"chip\">Remarks</span>";
    production.lacks(&[remarks]);
    force(w, "weighings", last, &[("checkStatus", Value::from("note"))]).await;
    page(w, "alpha", "/book/animals/2?tab=production").await.has(&[remarks]);
    changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": true});
    page(w, "beta", "/book/animals/2?tab=production").await.lacks(&[remarks, "Animal 1 960000000001"]);
}

/// The first tab says what holds today: a withdrawal that is over is history, and a yield is that of a lactation.
#[test_with(World::each)]
async fn the_main_values_are_those_of_today(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"lactations": [{"number": 1, "milk305": 9000.5}]});
    let until = [("current.milkWithdrawalUntil", "2026-02-28"), ("current.meatWithdrawalUntil", "2026-03-01")];
    let until = until.map(|(path, day)| (path, Value::Time(time::parse(day).unwrap())));
    force(w, "animals", 2, &until).await;
    let card = page(w, "alpha", "/book/animals/2").await;
    assert_sound(&card, "card");
    let (_, facts) = card.text.split_once("class=\"facts\"").unwrap();
    let (facts, _) = facts.split_once("</dl>").unwrap();
    assert!(facts.contains("9000.5</span> <span class=\"note\">(Lactation No. 1)</span>"), "{facts}");
    assert!(facts.contains("datetime=\"2026-03-01\"") && !facts.contains("2026-02-28"), "{facts}");
    // Days are those of the visitor's clock, which shows 2 March.
    changed!(w, "alpha", "organizations", 1, {"timeZone": "Pacific/Kiritimati"});
    let due = Value::Time(time::parse("2026-03-04").unwrap());
    force(w, "animals", 2, &[("current.expectedCalvingDate", due)]).await;
    page(w, "alpha", "/book/animals/2").await.has(&["2026-03-04, in 2 days</li>"]);
}

/// Who sold an animal reads that, and not the state that it has with its buyer.
#[test_with(World::each)]
async fn the_seller_reads_when_an_animal_was_sold(w: &World<'_>) {
    // Neither a lease to which the receiver objected nor a change of herds on the same day is how she left.
    let objected = json!({"animal": 2, "date": "2026-02-25", "kind": "lease", "to": 2});
    let objected = w.made("alpha", "movements", objected).await;
    changed!(w, "beta", "movements", objected, {"confirmation": "objected", "objection": "Never taken."});
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "transfer", "toHerd": 2});
    made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 2});
    let states = ["<li>Sold: 2026-02-20</li>", "<li>Alive</li>"];
    for (who, [sold, alive]) in [("alpha", [true, false]), ("beta", [false, true]), ("expert", [false, true])] {
        for tab in ["", "?tab=history", "?print"] {
            let card = page(w, who, &format!("/book/animals/2{tab}")).await;
            assert_sound(&card, who);
            assert_eq!(states.map(|state| card.text.contains(state)), [sold, alive], "{who}: {}", card.text);
        }
    }
}

/// Of an animal that left another movement is recorded, as a return; how it left is asked no more.
#[test_with(World::each)]
async fn an_animal_that_left_has_the_plain_form_of_a_movement(w: &World<'_>) {
    changed!(w, "alpha", "animals", 2, {"state": "dead"});
    let history = page(w, "alpha", "/book/animals/2?tab=history").await;
    history.has(&["href=\"/book/movements/new?animal=960000000002\""]);
    history.lacks(&["href=\"/book/animals/2/move/state\""]);
}

#[test_with(World::each)]
async fn what_changed_is_told_in_words(w: &World<'_>) {
    let show = json!({"date": "2024-05-01", "title": "Fair, great"});
    changed!(w, "alpha", "animals", 2, {"name": "Yalta", "forSale": true, "sexStatus": "spayed", "shows": [show]});
    let changes = page(w, "alpha", "/book/animals/2?tab=history").await;
    assert_sound(&changes, "history");
    for part in [">Animal 2</td>", ">Yalta</td>", ">Spayed</td>", ">yes</td>", ">no</td>"] {
        changes.has(&[part]);
    }
    let own = russian(w, "alpha", "/book/animals/2?tab=history").await;
    own.has(&[">да</td>", ">нет</td>", ">Дата: 01.05.2024; Выставка: Fair, great</td>"]);
    own.lacks(&["spayed", "Spayed", ">false<"]);
    // A change within a minute reads the same and is left out; times stand as elsewhere.
    let visit = json!({"animal": 2, "startedAt": "2026-02-01T06:00:00Z", "milkYield": 12});
    let visit = w.made("alpha", "milking-visits", visit).await;
    changed!(w, "alpha", "milking-visits", visit, {"startedAt": "2026-02-01T06:00:30Z"});
    page(w, "alpha", "/book/animals/2?tab=history").await.lacks(&["2026-02-01 06:00"]);
    changed!(w, "alpha", "milking-visits", visit, {"startedAt": "2026-02-01T07:00:00Z"});
    let later = page(w, "alpha", "/book/animals/2?tab=history").await;
    later.has(&["<time class=\"instant\" datetime=\"2026-02-01T07:00:00", "2026-02-01 06:00"]);
    // So is what the log of operations has.
    let request = made!(w, "alpha", "verification-requests", {"animals": [2], "purpose": "trust"});
    changed!(w, "expert", "verification-requests", request, {"status": "checking"});
    let log = "/book/operations?columns=action,summary";
    russian(w, "expert", log).await.has(&["Заявка взята на проверку"]);
    page(w, "expert", log).await.has(&["The request was taken for checking"]);
    page(w, "expert", log).await.lacks(&["new → checking"]);
}
