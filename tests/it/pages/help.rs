//! Question marks beside fields, the first steps, and the card on one sheet of paper.

use super::{assert_sound, page, russian, send};
use crate::rest::world::World;

#[test_with(World::each)]
async fn a_question_mark_says_what_the_name_does_not(w: &World<'_>) {
    let form = page(w, "alpha", "/book/milk-tests/new").await;
    assert_sound(&form, "form");
    form.has(&[
        "<details class=\"help\"><summary><span aria-hidden=\"true\">?</span><span class=\"aside\">Help: Milk, kg</span>",
        "aria-describedby=\"f-milkYield-help\"",
        // A field that the declaration names is called as the form calls it.
        "One measured value, or “Why without a yield”, is required. Allowed: from 0 to 150.</p>",
        "<p id=\"f-animal-help\">Type a number or a name",
    ]);
    // Its name says all of it.
    form.lacks(&["f-testCode-help", "f-sampleNumber-help", "Only the Association writes it."]);
    page(w, "expert", "/book/milk-tests/new").await.has(&["Only the Association writes it."]);
    let own = russian(w, "alpha", "/book/milk-tests/new").await;
    own.has(&[
        "Справка: Удой за сутки, кг",
        "Нужен хотя бы один показатель или поле «Причина отсутствия удоя». Допустимо от 0 до 150.</p>",
    ]);
    own.lacks(&["f-testCode-help", "Allowed"]);
    // What is wrong is said first.
    let wrong = [("animal", "[2]"), ("date", "2024-03-01"), ("milkYield", "300")];
    let refused = send(w, "alpha", "/book/milk-tests/new", &wrong).await;
    refused.has(&["aria-describedby=\"f-milkYield-fault f-milkYield-help\""]);
    let test = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2024-03-01", "milkYield": 30.5});
    let record = page(w, "alpha", &format!("/book/milk-tests/{test}")).await;
    assert_sound(&record, "record");
    record.has(&["Help: Milk, kg</span>"]);
    record.lacks(&["Allowed"]);
}

#[test_with(World::each)]
async fn first_steps_lead_to_pages_that_are_open_to_their_role(w: &World<'_>) {
    for (who, role, least) in [("alpha", "farm", 10), ("expert", "association", 9), ("", "visitor", 6)] {
        let steps = page(w, who, "/help").await;
        assert_sound(&steps, role);
        steps.has_in(&role, &[&format!("href=\"/help?role={role}\" aria-current=\"page\"")]);
        let (_, list) = steps.text.split_once("<ol class=\"steps\">").unwrap();
        let (list, _) = list.split_once("</ol>").unwrap();
        let links: Vec<String> =
            list.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&")).collect();
        assert!(links.len() >= least, "{role}: {links:?}");
        for link in links {
            assert_eq!(page(w, who, &link).await.status, 200, "{role}: {link}");
        }
        let other = russian(w, who, "/help?role=association").await;
        assert_sound(&other, role);
        other.has_in(&role, &["Проверьте и подпишите пакет"]);
    }
    // Those for whom nothing waits, and strangers, begin there.
    for who in ["alpha", ""] {
        let home = page(w, who, "/").await;
        let (main, _) = home.text.split_once("<footer>").unwrap();
        assert!(main.contains("<a href=\"/help\">First steps</a>"), "{who}: {main}");
    }
    assert_eq!(page(w, "alpha", "/help?role=nobody").await.status, 404);
}

#[test_with(World::each)]
async fn a_card_is_printed_on_one_sheet(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-04-10"});
    for day in ["2025-05-10", "2025-06-10", "2025-07-10"] {
        made!(w, "alpha", "milk-tests", {"animal": 2, "date": (day), "milkYield": 30, "fatPercent": 4});
    }
    let card = page(w, "alpha", "/book/animals/2").await;
    card.has(&["href=\"/book/animals/2?print\">Print</a>"]);
    let sheet = page(w, "alpha", "/book/animals/2?print").await;
    assert_sound(&sheet, "sheet");
    let (_, paper) = sheet.text.split_once("<div class=\"paper\">").unwrap();
    assert!(paper.contains(">Lactations</h2>") && paper.contains("2025-04-10"), "{paper}");
    // Nothing of the page around it.
    for other in ["class=\"tabs\"", "class=\"acts\"", "<form"] {
        assert!(!paper.contains(other), "{other}: {paper}");
    }
    russian(w, "alpha", "/book/animals/2?print").await.has(&["Один лист А4", ">Лактации</h2>"]);
    // It opens nothing that the card does not.
    for who in ["beta", ""] {
        let status = page(w, who, "/book/animals/2").await.status;
        assert_eq!(page(w, who, "/book/animals/2?print").await.status, status, "{who}");
    }
}
