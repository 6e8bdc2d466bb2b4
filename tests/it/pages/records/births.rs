//! Calves of a calving become animals of the book.

use crate::pages::filled::{Filled, link};
use crate::pages::{assert_sound, goes, id_of, page, russian, send};
use crate::rest::world::World;
use serde_json::json;

#[test_with(World::each)]
async fn a_calf_is_entered_from_its_calving(w: &World<'_>) {
    let service = json!({"animal": 2, "date": "2025-04-20", "bull": 1});
    w.made("alpha", "inseminations", service).await;
    // The form of the calving tells of the service.
    let form = page(w, "alpha", "/book/calvings/new?animal=%5B2%5D").await;
    form.has(&["Last service: ", "2025-04-20", "2026-01-24", ">Animal 1 960000000001</a>"]);
    page(w, "alpha", "/book/calvings/new?animal=960000000002").await.has(&["Last service: "]);
    page(w, "alpha", "/book/calvings/new?animal=%5B4%5D").await.lacks(&["Last service: "]);
    let typed = [
        ("animal", "[2]"),
        ("date", "2026-01-25"),
        ("progeny", ""),
        ("anyway", "yes"),
        ("progeny.0.sex", "female"),
        ("progeny.0.tag", "77"),
        ("progeny.1.sex", "female"),
        ("progeny.2.sex", "male"),
        ("progeny.2.birthStatus", "stillborn"),
    ];
    let calving = id_of(&send(w, "alpha", "/book/calvings/new", &typed).await);
    let own = format!("/book/calvings/{calving}");
    let card = page(w, "alpha", &own).await;
    assert_sound(&card, "calving");
    // One for each that lives.
    card.has(&["Enter the calf: 1, Female, 77", "Enter the calf: 2, Female"]);
    card.lacks(&["Male</a>"]);
    let form = Filled::of(&page(w, "alpha", &link(&card, "Enter the calf: 1, Female, 77")).await, "Save");
    for (path, text) in [
        ("sex", "female"),
        ("birthDate", "2026-01-25"),
        ("altIds.earTag", "77"),
        ("herd", "[1]"),
        ("breed", "[1]"),
        ("father", "[1] Animal 1 960000000001"),
        ("mother", "[2] Animal 2 960000000002"),
        ("next", own.as_str()),
    ] {
        assert_eq!(form.get(path), Some(text), "{path}");
    }
    let form = form.with("identNumber", "970000000077").with("name", "Zorka");
    let mut fields = form.pairs();
    fields.push(("anyway", "yes"));
    let entered = send(w, "alpha", "/book/animals/new", &fields).await;
    assert_eq!(goes(&entered), own);
    let calf = w.list("animals", "where[identNumber][equals]=970000000077").await;
    holds!(calf[0], {"father": 1, "mother": 2, "sex": "female", "owner": 1, "herd": 1, "birthPlace.farm": 1, "altIds.earTag": "77"});
    // The other one is left, then none. A second record of the first one is no other calf.
    let double = json!({"identNumber": "970000000079", "sex": "female", "birthDate": "2026-01-25", "mother": 2});
    let double = w.made("alpha", "animals", double).await;
    changed!(w, "expert", "animals", double, {"mergedInto": (calf[0]["id"])});
    let one = page(w, "alpha", &own).await;
    one.has(&["Zorka 970000000077", "Enter the calf: Female"]);
    one.lacks(&["970000000079"]);
    let twin = json!({"identNumber": "970000000078", "sex": "female", "birthDate": "2026-01-25", "mother": 2});
    w.made("alpha", "animals", twin).await;
    let none = page(w, "alpha", &own).await;
    none.has(&["970000000077", "970000000078"]);
    none.lacks(&["Enter the calf"]);
    // Who does not write the calving is offered nothing, and no other event has calves.
    page(w, "viewer", &own).await.lacks(&["Enter the calf", "970000000078</a>"]);
    let abortion = made!(w, "alpha", "calvings", {"animal": 4, "date": "2026-02-01", "eventType": "abortion"});
    page(w, "alpha", &format!("/book/calvings/{abortion}")).await.lacks(&["Enter the calf"]);
}

/// A calf whose calving no service led to: its form says so in place of an empty field without a word.
#[test_with(World::each)]
async fn the_form_of_a_calf_says_why_it_has_no_sire(w: &World<'_>) {
    let why = "No recorded service leads to this calving (240 to 305 days before it";
    let form = async |cow: i64| {
        let body = json!({"animal": cow, "date": "2026-01-25", "liveHeifers": 1});
        let calving = w.made("alpha", "calvings", body).await;
        let card = page(w, "alpha", &format!("/book/calvings/{calving}")).await;
        link(&card, "Enter the calf: Female")
    };
    let way = form(2).await;
    let calf = page(w, "alpha", &way).await;
    assert_sound(&calf, "calf");
    calf.has(&[why]);
    let form_of_calf = Filled::of(&calf, "Save").with("birthDate", "2030-01-01");
    let refused = send(w, "alpha", "/book/animals/new", &form_of_calf.pairs()).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    refused.has(&[why]);
    russian(w, "alpha", &way).await.has(&["Нет записанного осеменения, от которого этот отёл"]);
    let service = json!({"animal": 4, "date": "2025-04-20", "bullText": "Foreign 7"});
    w.made("alpha", "inseminations", service).await;
    page(w, "alpha", &form(4).await).await.lacks(&[why]);
    page(w, "alpha", "/book/animals/new").await.lacks(&[why]);
}

/// A calving so early that no service leads to it is asked about where the cow was found in calf.
#[test_with(World::each)]
async fn a_calving_long_before_its_day_is_asked_about(w: &World<'_>) {
    let service =
        json!({"animal": 2, "date": "2025-04-20", "bull": 1, "result": 1, "pregnancyCheckDate": "2025-05-30"});
    w.made("alpha", "inseminations", service).await;
    for (day, asked) in [("2025-12-14", true), ("2026-01-25", false)] {
        let typed = [("animal", "[2]"), ("date", day), ("liveHeifers", "1")];
        let answer = send(w, "alpha", "/book/calvings/new", &typed).await;
        assert_eq!(answer.text.contains("The gestation lasted 238 days; usual are 265 to 295."), asked, "{day}");
    }
    assert!(w.list("calvings", "").await.iter().all(|row| row["date"] != "2025-12-14T00:00:00.000Z"));
}

#[test_with(World::each)]
async fn a_calf_of_an_embryo_has_its_own_parents(w: &World<'_>) {
    let donor = json!({"identNumber": "970000000001", "sex": "female", "birthDate": "2019-01-10"});
    let donor = w.made("alpha", "animals", donor).await;
    let embryo = json!({"animal": 2, "date": "2025-04-27", "method": 3, "embryo": {"donor": donor, "sire": 1}});
    w.made("alpha", "inseminations", embryo).await;
    let calving = made!(w, "alpha", "calvings", {"animal": 2, "date": "2026-01-25", "liveBulls": 1});
    holds!(w.doc("calvings", calving).await, {"embryoTransfer": true});
    let card = page(w, "alpha", &format!("/book/calvings/{calving}")).await;
    let form = Filled::of(&page(w, "alpha", &link(&card, "Enter the calf: Male")).await, "Save");
    assert_eq!(form.get("mother"), Some(format!("[{donor}] 970000000001").as_str()));
    assert_eq!(form.get("father"), Some("[1] Animal 1 960000000001"));
    // Its mother in the book did not bear it: it is known by her, and is not offered again.
    let form = form.with("identNumber", "970000000090");
    let mut fields = form.pairs();
    fields.push(("anyway", "yes"));
    assert_eq!(goes(&send(w, "alpha", "/book/animals/new", &fields).await), format!("/book/calvings/{calving}"));
    let card = page(w, "alpha", &format!("/book/calvings/{calving}")).await;
    card.has(&["970000000090"]);
    card.lacks(&["Enter the calf"]);
    // A bull that is not in the book is named by its text, and nobody is guessed.
    let heifer = json!({"animal": 4, "date": "2025-04-20", "bullText": "Foreign 7"});
    w.made("alpha", "inseminations", heifer).await;
    let calving = made!(w, "alpha", "calvings", {"animal": 4, "date": "2026-01-25", "result": "twins"});
    let card = page(w, "alpha", &format!("/book/calvings/{calving}")).await;
    let form = Filled::of(&page(w, "alpha", &link(&card, "Enter the calf: 2")).await, "Save");
    assert_eq!((form.get("father"), form.get("pedigreeText.fatherId")), (Some(""), Some("Foreign 7")));
    assert_eq!((form.get("sex"), form.get("birthDate")), (Some(""), Some("2026-01-25")));
}

#[test_with(World::each)]
async fn calves_of_one_donor_are_told_apart_by_their_tags(w: &World<'_>) {
    let donor = json!({"identNumber": "970000000001", "sex": "female", "birthDate": "2019-01-10"});
    let donor = w.made("alpha", "animals", donor).await;
    let mut calvings = Vec::new();
    for (cow, tag) in [(2, "91"), (4, "92")] {
        let embryo = json!({"animal": cow, "date": "2025-04-27", "method": 3, "embryo": {"donor": donor, "sire": 1}});
        w.made("alpha", "inseminations", embryo).await;
        let calving = json!({"animal": cow, "date": "2026-01-25", "progeny": [{"sex": "male", "tag": tag}]});
        calvings.push(w.made("alpha", "calvings", calving).await);
    }
    let calf = json!({"identNumber": "970000000091", "sex": "male", "birthDate": "2026-01-25", "mother": donor,
        "father": 1, "altIds": {"earTag": "91"}});
    w.made("alpha", "animals", calf).await;
    let [first, second] = [0, 1].map(|at| format!("/book/calvings/{}", calvings[at]));
    let first = page(w, "alpha", &first).await;
    first.has(&["970000000091"]);
    first.lacks(&["Enter the calf"]);
    let second = page(w, "alpha", &second).await;
    second.has(&["Enter the calf: Male, 92"]);
    second.lacks(&["970000000091"]);
}

#[test_with(World::each)]
async fn calves_of_an_embryo_of_unknown_parents_are_not_guessed(w: &World<'_>) {
    let service = json!({"animal": 2, "date": "2025-04-27", "bull": 1, "method": 3});
    w.made("alpha", "inseminations", service).await;
    let calving = json!({"animal": 2, "date": "2026-01-25", "progeny": [{"sex": "male", "tag": "91"}]});
    let calving = w.made("alpha", "calvings", calving).await;
    holds!(w.doc("calvings", calving).await, {"embryoTransfer": true});
    let other = json!({"identNumber": "970000000092", "sex": "male", "birthDate": "2026-01-25",
        "altIds": {"earTag": "91"}});
    w.made("beta", "animals", other).await;
    let card = page(w, "expert", &format!("/book/calvings/{calving}")).await;
    card.has(&["Enter the calf: Male, 91"]);
    card.lacks(&["970000000092"]);
}
