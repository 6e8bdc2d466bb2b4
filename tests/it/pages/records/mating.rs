//! Kinship and plans of matings on pages, which say what the REST face says.

use crate::pages::{assert_sound, page, russian, send};
use crate::rest::world::World;

#[test_with(World::each)]
async fn kinship_is_asked_from_the_card(w: &World<'_>) {
    // 4 is a daughter of 1 and 2.
    page(w, "alpha", "/book/animals/4?tab=pedigree").await.has(&["action=\"/book/animals/4/kinship\""]);
    let number = w.doc("animals", 1).await["identNumber"].as_str().unwrap().to_owned();
    let kin = page(w, "alpha", &format!("/book/animals/4/kinship?with={number}")).await;
    assert_eq!(kin.status, 200, "{}", kin.text);
    assert_sound(&kin, "kinship");
    kin.has(&["Expected inbreeding of a calf, %</dt><dd>25<", "Relationship, %</dt><dd>50<", "/book/animals/1\""]);
    kin.has(&[&format!("value=\"{number}\"")]);
    let one_sex = russian(w, "alpha", "/book/animals/4/kinship?with=%5B2%5D").await;
    one_sex.has(&["нет: оба одного пола", "Родство, %</dt><dd>50<"]);
    // What is not there, and what is closed, are the same.
    let strange = page(w, "alpha", "/book/animals/4/kinship?with=777777").await;
    let closed = page(w, "alpha", "/book/animals/4/kinship?with=%5B3%5D").await;
    for refused in [&strange, &closed] {
        assert_eq!(refused.status, 400);
        refused.has(&["role=\"alert\"", "There is no animal with the number or name “"]);
    }
    // A name of several is answered with those who may be meant, of all that the visitor reads.
    for animal in [1, 2, 3] {
        changed!(w, "admin", "animals", animal, {"name": "Twin"});
    }
    let several = page(w, "alpha", "/book/animals/4/kinship?with=Twin").await;
    assert_eq!(several.status, 400);
    several.has(&["Several records are called “Twin”. Give the number. [", "[1] Twin", "[2] Twin"]);
    several.lacks(&["[3] Twin"]);
    assert_eq!(page(w, "alpha", "/book/animals/3/kinship").await.status, 404);
    assert_eq!(page(w, "alpha", "/book/herds/1/kinship").await.status, 404);
}

#[test_with(World::each)]
async fn a_mating_plan_is_made_of_a_list_and_says_why(w: &World<'_>) {
    page(w, "alpha", "/book/animals?where[state][equals]=alive").await.has(&["/book/animals/mating?where"]);
    let form = page(w, "alpha", "/book/animals/mating?where[id][in]=1,2,4").await;
    assert_sound(&form, "form");
    form.has(&["[2] ", "[4] ", "\n[1] ", "<option value=\"nm\">Net merit</option>"]);
    // A place of a condition of the visitor stays his.
    page(w, "alpha", "/book/animals/mating?where[and][8][sex][equals]=female").await.has(&["[2] "]);
    let sent = async |fields: &[(&str, &str)]| send(w, "alpha", "/book/animals/mating", fields).await;
    let plan = sent(&[("females", "[2]\r\n[4]"), ("bulls", "[1]")]).await;
    assert_eq!(plan.status, 200, "{}", plan.text);
    assert_sound(&plan, "plan");
    plan.has(&[
        "Females with a bull: 1",
        "Females without one: 1",
        "Every bull is excluded",
        "Inbreeding above the limit: 1",
    ]);
    let wide = sent(&[("females", "[4]"), ("bulls", "[1]"), ("inbreeding", "25,0"), ("uses", "3")]).await;
    wide.has(&["Females with a bull: 1", "value=\"25,0\"", "<td data-head=\"Expected inbreeding, %\">25</td>"]);
    let other = sent(&[("females", "[2]\n[1]"), ("bulls", "[1]")]).await;
    other.has(&["This is no female"]);
    let book = sent(&[("females", "[2]"), ("bulls", "[1]"), ("workbook", "true")]).await;
    assert!(book.header("content-type").contains("spreadsheetml"), "{}", book.header("content-type"));
    // Doses, weights in place of a profile, and the plan as documents of the exchange.
    let none_left = sent(&[("females", "[2]"), ("bulls", "[1] = 0"), ("carriers", "true")]).await;
    none_left.has(&["Females with a bull: 0", "value=\"true\" checked", "[1] = 0"]);
    let weighted = sent(&[("females", "[2]"), ("bulls", "[1] = 5"), ("weight.milk", "0,2")]).await;
    weighted.has(&["<details open", "value=\"0,2\"", "No value for the goal"]);
    let stored = sent(&[("females", "[2]"), ("bulls", "[1]"), ("store", "true")]).await;
    stored.has(&["Recommendations stored: 1"]);
    for (fields, why) in [
        (&[("females", "[2]"), ("bulls", "[1] = some")][..], "number"),
        (&[("females", "[2]"), ("bulls", "[1]"), ("weight.milk", "1"), ("profile", "nm")], "Only one of"),
        (&[("females", "777777"), ("bulls", "[1]")], "There is no animal with the number or name “777777”"),
        (&[("females", "[2]"), ("bulls", "")], "Bulls: At least one is needed."),
        (&[("females", "[2]"), ("bulls", "[1]"), ("inbreeding", "much")], "Please enter a valid number."),
    ] {
        let refused = sent(fields).await;
        assert_eq!(refused.status, 400, "{why}");
        assert_sound(&refused, why);
        refused.has(&["role=\"alert\"", why]);
    }
    // Nobody plans without an account.
    assert_eq!(page(w, "", "/book/animals/mating").await.status, 303);
    assert_eq!(page(w, "alpha", "/book/herds/mating").await.status, 404);
    russian(w, "alpha", "/book/animals/mating").await.has(&["Наименьший инбридинг", "Пожизненная прибыль"]);
}
