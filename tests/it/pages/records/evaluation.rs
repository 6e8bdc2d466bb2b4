//! Breeding values and indexes on pages: the explanation, the card, lists by rank, runs, and curves of the program's works.

use crate::pages::{assert_sound, page, russian, send};
use crate::rest::world::{World, fill};
use serde_json::{Value, json};

/// An evaluation of an animal of Alpha, with the values of indexes that follow.
async fn evaluated(w: &World<'_>, animal: i64, milk: f64) {
    made!(w, "admin", "animal-evaluations", {"animal": animal, "evaluatedAt": "2025-06-01", "source": "association",
        "baseVersion": "association-2025-06-01", "milkForecast": milk, "milkR": 41, "udderHealthForecast": 0.5});
}

/// A run in a state, with what was computed of two traits.
async fn run(w: &World<'_>, id: i64, state: &str) {
    let of = |name: &str, heritability: f64| {
        json!({"trait": name, "records": 321, "animals": 123, "heritability": heritability,
        "repeatability": 0.55, "meanReliability": 48.1, "geneticSd": 600.5, "iterations": 77, "residual": 1e-9})
    };
    let row = json!({"id": id, "title": "Spring", "state": state, "evaluatedAt": "2025-06-01", "commit": 4711,
        "releasedAt": "2025-06-02T08:00:00.000Z", "method": "repeatabilityAnimalModel", "version": "1",
        "animals": 987, "records": 654, "leftOut": [31], "step": "storing", "done": 250, "total": 1000,
        "results": [of("milk", 0.30), of("rumpAngle", 0.28)]});
    fill(w.stage, "evaluation-runs", vec![row]).await;
}

#[test_with(World::each)]
async fn the_explanation_has_the_run_in_force_for_everybody(w: &World<'_>) {
    page(w, "", "/evaluation").await.has(&["No run of the Association has been released yet.", "taken over"]);
    run(w, 1, "computed").await;
    page(w, "alpha", "/evaluation").await.has(&["No run of the Association has been released yet."]);
    run(w, 2, "released").await;
    for who in ["", "alpha", "expert"] {
        let explained = page(w, who, "/evaluation").await;
        assert_eq!(explained.status, 200);
        assert_sound(&explained, who);
        explained.has_in(
            &who,
            &[
                "± 600",
                "4711",
                "987",
                "Repeatability animal model",
                ">Milk<",
                ">Rump angle<",
                ">321<",
                ">0.28<",
                "where%5BprofileKey%5D%5Bequals%5D=cheese&amp;where%5Banimal.sex%5D%5Bequals%5D=female&amp;sort=-value",
            ],
        );
        explained.lacks_in(&who, &["Residual", "Spring"]);
    }
    russian(w, "", "/evaluation").await.has(&["Наследуемость", ">0,28<", ">Положение таза<", "Модель животного"]);
}

#[test_with(World::each)]
async fn a_card_shows_values_to_those_to_whom_the_evaluation_is_open(w: &World<'_>) {
    evaluated(w, 2, 257.5).await;
    let shown = ["id=\"evaluation\"", "href=\"/evaluation\"", "257.5", "Association, 2025-06-01", "Net merit"];
    for who in ["alpha", "expert"] {
        let card = page(w, who, "/book/animals/2?tab=evaluation").await;
        assert_sound(&card, who);
        card.has_in(&who, &shown);
        card.has_in(&who, &["<td data-head=\"Reliability, %\"><span class=\"number\">41</span>"]);
        // Three indexes stand open; the others, and the values by trait, are folded with their numbers.
        let (_, section) = card.text.split_once("id=\"evaluation\"").unwrap();
        let (_, folded) = section.split_once("<details class=\"fold\">").unwrap();
        let (folded, open) = folded.split_once("</details>").unwrap();
        let count = folded.matches("<th scope=\"row\">").count();
        assert!(folded.contains(&format!("class=\"count\">{count}<")) && folded.contains("257.5"), "{who}: {folded}");
        assert!(open.contains("Net merit") && !folded.contains("Net merit"), "{who}: {section}");
        let (open, others) = open.split_once("<summary>Other indexes <span class=\"count\">4</span>").unwrap();
        let (others, lists) = others.split_once("</details>").unwrap();
        let rows = |text: &str| text.matches("<th scope=\"row\">").count();
        assert_eq!([rows(open), rows(others)], [3, 4], "{who}: {section}");
        assert!(open.contains("Net merit") && others.contains(">Profit<"), "{who}: {section}");
        // So are all lists.
        assert!(!lists.split_once("class=\"folds\"").unwrap().0.contains("class=\"joined\""), "{who}: {lists}");
    }
    let card = russian(w, "alpha", "/book/animals/2?tab=evaluation").await;
    card.has(&[
        "257,5",
        "Ассоциация, 01.06.2025",
        "Пожизненная прибыль",
        "Источник оценки",
        "Заимствована (США, 2025)",
    ]);
    card.lacks(&["Net Merit"]);
    // Whoever reads the animal without its card reads none of it.
    changed!(w, "alpha", "animals", 2, {"publicVisible": true});
    for who in ["beta", ""] {
        let card = page(w, who, "/book/animals/2?tab=evaluation").await;
        assert_eq!(card.status, 200, "{who}");
        card.lacks_in(&who, &["id=\"evaluation\"", "257.5", "Net merit"]);
    }
    // What a farm's profile makes of its animals is its own.
    let own = json!({"name": "Mine", "weights": [{"trait": "milk", "weight": 1}]});
    let own = w.made("alpha", "index-profiles", own).await;
    w.stage.pass(10);
    while w.stage.book.run_job(&cli::ComputeIndexes).await.unwrap() {}
    changed!(w, "alpha", "animals", 2, {"publicDetails": true});
    page(w, "alpha", "/book/animals/2?tab=evaluation").await.has(&["Mine"]);
    let list = page(w, "alpha", "/book/index-values?where[animal][equals]=2").await;
    list.has(&["Mine", "Cheese merit"]);
    list.lacks(&[">own:"]);
    // So do conditions, and files for people, in which a name needs no column of its own.
    let condition = format!("where[profileKey][equals]=own:{own}");
    let found = page(w, "alpha", &format!("/book/index-values?{condition}")).await;
    found.has(&["<span class=\"chip\">Key of the profile is Mine "]);
    let id = w.list("index-values", &condition).await[0]["id"].clone();
    let columns = "depth=1&select[animal]=true&select[profileKey]=true&select[profileName]=true";
    for (headers, table) in [
        (
            "labels&language=en",
            &*format!("Animal;Key of the profile;Record number\r\nAnimal 2 960000000002;Mine;{id}\r\n"),
        ),
        ("paths", &format!("id;animal;profileKey;profileName\r\n{id};960000000002;own:{own};Mine\r\n")),
    ] {
        let path = format!("/api/index-values?format=csv-ru&headers={headers}&{columns}&{condition}");
        assert_eq!(w.get("alpha", &path).await.text, format!("\u{feff}{table}"), "{headers}");
    }
    let other = page(w, "beta", "/book/animals/2?tab=evaluation").await;
    other.has(&shown);
    other.lacks(&["Mine"]);
}

#[test_with(World::each)]
async fn a_card_tells_the_place_of_an_animal_where_five_are_compared(w: &World<'_>) {
    for (animal, milk) in [(1, 100.0), (2, 300.0), (3, 200.0), (4, -50.0)] {
        evaluated(w, animal, milk).await;
    }
    let placed = async || {
        w.stage.pass(3_600);
        while w.stage.book.run_job(&cli::ComputeIndexes).await.unwrap() {}
        page(w, "expert", "/book/animals/2?tab=evaluation").await
    };
    while w.stage.book.run_job(&cli::ComputeIndexes).await.unwrap() {}
    page(w, "expert", "/book/animals/2?tab=evaluation").await.lacks(&["</span> of "]);
    evaluated(w, 5, 0.0).await;
    placed().await.has(&["<span class=\"number\">1</span> of 5"]);
    let list = "/book/index-values?where[profileKey][equals]=nm&where[animal.sex][equals]=female&sort=-value";
    let list = page(w, "expert", list).await;
    assert_sound(&list, "list");
    let place = |id: i64| list.text.find(&format!("<a href=\"/book/animals/{id}\">"));
    assert!(place(2).is_some() && place(2) < place(4), "{}", list.text);
    assert_eq!(place(1), None, "a bull: {}", list.text);
    list.has(&["href=\"/evaluation\"", "Cheese merit"]);
}

#[test_with(World::each)]
async fn a_run_says_how_far_it_is_and_asks_before_it_is_released(w: &World<'_>) {
    run(w, 1, "running").await;
    let running = page(w, "expert", "/book/evaluation-runs/1").await;
    assert_sound(&running, "running");
    running.has(&[
        "<progress aria-label=\"Progress\" value=\"250\" max=\"1000\">",
        "Storing the values",
        ">Rump angle<",
    ]);
    let running = russian(w, "expert", "/book/evaluation-runs/1").await;
    running.has(&["Запись значений", "Остаток решения", "Модель животного"]);
    assert_eq!(page(w, "alpha", "/book/evaluation-runs/1").await.status, 404);
    run(w, 2, "computed").await;
    let computed = page(w, "expert", "/book/evaluation-runs/2").await;
    let way = "/book/evaluation-runs/2/move/state/releasing";
    computed.has(&[way, "/book/evaluation-runs/2/move/state/queued"]);
    page(w, "expert", way).await.has(&["This is final."]);
    let released =
        send(w, "expert", "/book/evaluation-runs/2", &[("state", "releasing"), ("_step", "state/releasing")]);
    assert_eq!(released.await.status, 303);
    holds!(w.doc("evaluation-runs", 2).await, {"state": "releasing"});
    let failed = json!({"id": 4, "title": "Empty", "state": "failed", "fault": "noRecords"});
    fill(w.stage, "evaluation-runs", vec![failed]).await;
    let failed = russian(w, "expert", "/book/evaluation-runs/4").await;
    failed.has(&["В книге нет записей ни об одном признаке", "Рассчитать заново"]);
    // Everybody reads what was released, but not what the run left out.
    run(w, 3, "released").await;
    let open = page(w, "alpha", "/book/evaluation-runs/3").await;
    open.has(&["4711", ">Milk<"]);
    open.lacks(&["Storing the values", "[31]", "<progress"]);
}

#[test_with(World::each)]
async fn the_association_sees_how_fast_works_were(w: &World<'_>) {
    let measured = |id: i64, label: &str, rate: f64| -> Value {
        json!({"id": id, "label": label, "measuredAt": format!("2025-0{id}-01T00:00:00.000Z"), "animals": 5,
            "runs": 1, "rows": [{"case": label, "ms": 1000, "rows": rate, "perSecond": rate}]})
    };
    let all = [(1, "load", 1500.0), (2, "load", 2500.5), (3, "checks", 10.0), (4, "other", 1.0), (5, "other", 2.0)];
    fill(w.stage, "bench-runs", all.map(|(id, label, rate)| measured(id, label, rate)).into()).await;
    let home = page(w, "expert", "/").await;
    assert_sound(&home, "home");
    home.has(&["Load <strong>2500.5</strong> (2025-02-01)", "<title>2025-01-01: 1500</title>"]);
    // One measurement is no line.
    home.lacks(&["Checks <strong>"]);
    for who in ["alpha", ""] {
        page(w, who, "/").await.lacks_in(&who, &["2500.5", "Speed of works"]);
    }
}
