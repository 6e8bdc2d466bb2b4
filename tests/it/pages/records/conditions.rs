//! Conditions of lists: composed without script, said in words, taken out one by one, added by a click; and columns, sizes
//! of pages and pictures of rows.

use crate::pages::filled::{Filled, link};
use crate::pages::{assert_sound, form, goes, page, russian};
use crate::rest::stage::Answer;
use crate::rest::world::World;
use model::registry::{Class, Kind, Wording};
use serde_json::json;
use std::collections::BTreeSet;

/// The rows of a list by their ids.
fn rows(answer: &Answer) -> BTreeSet<i64> {
    let heads = answer.text.split("<th scope=\"row\">").skip(1);
    heads
        .map(|head| head.split("<a href=\"/book/animals/").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect()
}

async fn api(w: &World<'_>, query: &str) -> BTreeSet<i64> {
    let docs = w.get("alpha", &format!("/api/animals?depth=0&limit=50&{query}")).await.json()["docs"].clone();
    docs.as_array().unwrap().iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
}

/// The form of the conditions, with no button pressed.
fn conditions(answer: &Answer) -> Filled {
    let mut form = Filled::of(answer, "Add a condition");
    form.fields.retain(|(name, _)| name != "c.add");
    form
}

/// The name of a control in the row of a field.
fn control(form: &Filled, path: &str, member: &str) -> String {
    let own = form.fields.iter().rfind(|(name, value)| name.ends_with(".path") && value == path);
    own.unwrap_or_else(|| panic!("no row of {path}")).0.replace(".path", member)
}

/// Sends the form, perhaps with a button.
async fn sent(w: &World<'_>, filled: &Filled, button: &[(&str, &str)]) -> Answer {
    let pairs: Vec<(&str, &str)> = filled.pairs().into_iter().chain(button.iter().copied()).collect();
    page(w, "alpha", &format!("{}?{}", filled.action, form(&pairs))).await
}

#[test_with(World::each)]
async fn a_condition_is_composed_without_script_and_keeps_what_was_typed(w: &World<'_>) {
    let list = page(w, "alpha", "/book/animals").await;
    let named = sent(w, &conditions(&list).with("c.field", "name"), &[("c.add", "and")]).await;
    assert_sound(&named, "a new row");
    assert_eq!(named.status, 200);
    let typed = conditions(&named);
    let typed = typed.clone().with(&control(&typed, "name", ".value"), "animal 2");
    // Another button keeps it.
    let more = sent(w, &typed.clone().with("c.field", "inbreeding"), &[("c.add", "and")]).await;
    let more = conditions(&more);
    assert_eq!(more.get(&control(&more, "name", ".value")), Some("animal 2"));
    let wrong = more.clone().with(&control(&more, "inbreeding", ".value"), "much");
    let refused = sent(w, &wrong, &[]).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "not understood");
    refused.has(&["value=\"much\"", "aria-invalid=\"true\"", "A number", "role=\"alert\""]);
    refused.lacks(&["Nothing was found", "<table"]);
    // Rows without a value ask nothing; the address is that of the API.
    let found = sent(w, &typed, &[]).await;
    let address = goes(&found).to_owned();
    assert_eq!(address, "/book/animals?where%5Bname%5D%5Bcontains%5D=animal+2");
    let found = page(w, "alpha", &address).await;
    assert_eq!(rows(&found), BTreeSet::from([2]));
    found.has(&["Name contains animal 2", "aria-label=\"Take out: Name contains animal 2\""]);
    // A row is taken out by its button, and by the × of its chip.
    let row = control(&typed, "name", "");
    let place = row.strip_prefix("c.").unwrap();
    let without = sent(w, &typed, &[("c.drop", place)]).await;
    assert!(!conditions(&without).fields.iter().any(|(name, value)| name.ends_with(".path") && value == "name"));
    let links = found.text.split("<a href=\"").filter_map(|rest| rest.split_once("\" aria-label=\"Take out: Name"));
    let way = links.map(|(way, _)| way).find(|way| !way.contains('>')).unwrap();
    assert_eq!(rows(&page(w, "alpha", way).await), api(w, "").await);
}

#[test_with(World::each)]
async fn numbers_days_and_related_records_are_typed_as_people_write_them(w: &World<'_>) {
    let list = page(w, "alpha", "/book/animals").await;
    let mut typed = conditions(&list);
    for path in ["herd", "inbreeding"] {
        typed = conditions(&sent(w, &typed.with("c.field", path), &[("c.add", "and")]).await);
    }
    for (path, operator, value) in [
        ("birthDate", "less_than_equal", "31.12.2020"),
        ("herd", "equals", "Alpha 1"),
        ("inbreeding", "less_than", "0,5"),
    ] {
        let (operator_name, value_name) = (control(&typed, path, ".operator"), control(&typed, path, ".value"));
        typed = typed.with(&operator_name, operator).with(&value_name, value);
    }
    let address = goes(&sent(w, &typed, &[]).await).to_owned();
    for part in
        ["birthDate%5D%5Bless_than_equal%5D=2020-12-31", "herd%5D%5Bequals%5D=1", "inbreeding%5D%5Bless_than%5D=0.5"]
    {
        assert!(address.contains(part), "{address}");
    }
    // A related record stands by its name.
    page(w, "alpha", &address).await.has(&["Herd is Alpha 1", "[1] Alpha 1"]);
    let unknown = typed.clone().with(&control(&typed, "herd", ".value"), "Nowhere");
    let unknown = sent(w, &unknown, &[]).await;
    assert_eq!(unknown.status, 400);
    unknown.has(&["There is no record with the number or name “Nowhere”", "value=\"Nowhere\""]);
    // Herds of others are not to be told from none.
    let foreign = typed.clone().with(&control(&typed, "herd", ".value"), "[3]");
    assert_eq!(sent(w, &foreign, &[]).await.status, 303);
}

#[test_with(World::each)]
async fn groups_of_alternatives_and_other_shapes_stay_as_they_are(w: &World<'_>) {
    let any = "where[or][0][sex][equals]=male&where[or][1][name][equals]=Animal 2".replace(' ', "%20");
    let list = page(w, "alpha", &format!("/book/animals?{any}")).await;
    assert_sound(&list, "alternatives");
    assert_eq!(rows(&list), api(w, &any).await);
    assert!(rows(&list).contains(&2) && !rows(&list).contains(&4), "{:?}", rows(&list));
    list.has(&["At least one of these", "Sex is Male", " or "]);
    // The form asks the same, one alternative taken out asks the other.
    let again = page(w, "alpha", goes(&sent(w, &conditions(&list), &[]).await)).await;
    assert_eq!(rows(&again), rows(&list));
    let other = sent(w, &conditions(&list), &[("c.drop", "0.0")]).await;
    assert_eq!(rows(&other), BTreeSet::from([2]));
    let wider = sent(w, &conditions(&list).with("c.field.0", "breed"), &[("c.add", "0")]).await;
    assert_eq!(control(&conditions(&wider), "breed", ""), "c.0.2");
    let nested = "where[or][0][and][0][sex][equals]=female&where[or][0][and][1][id][in]=2,4&where[or][1][id][equals]=1";
    let list = page(w, "alpha", &format!("/book/animals?{nested}")).await;
    assert_eq!(rows(&list), BTreeSet::from([1, 2, 4]));
    list.has(&["(Sex is Female and Animal is one of Animal 2 960000000002, Animal 4 960000000004)"]);
    let again = page(w, "alpha", goes(&sent(w, &conditions(&list), &[]).await)).await;
    assert_eq!(rows(&again), rows(&list));
}

#[test_with(World::each)]
async fn what_is_not_understood_is_said_beside_its_condition(w: &World<'_>) {
    for (condition, english, russian_text) in [
        ("where[birthDate][equals]=yesterday", "A day: 31.12.2025", "31.12.2025"),
        ("where[sex][equals]=bull", "One of Female, Male", "Самка"),
        (
            "where[or][0][and][0][inbreeding][equals]=x&where[or][0][and][1][sex][equals]=male&where[or][1][sex][equals]=female",
            "A number",
            "Число",
        ),
        ("where[owner][equals]=Alpha", "A number, code or name from the book", "Номер"),
    ] {
        let path = format!("/book/animals?{condition}");
        let answer = page(w, "alpha", &path).await;
        assert_eq!(answer.status, 400, "{condition}");
        assert_sound(&answer, condition);
        let (_, beside) = answer.text.split_once("condition faulty").unwrap();
        assert!(beside.split("</div>").next().unwrap().contains(english), "{condition}: {beside}");
        answer.lacks_in(&condition, &["Nothing was found", "<table"]);
        let answer = russian(w, "alpha", &path).await;
        answer.has_in(&condition, &["Условие не понято", russian_text]);
    }
    // What the API refuses is said by the API, and beside the condition.
    let closed = page(w, "beta", "/book/animals?where[owner.contactPerson.nope][equals]=1").await;
    assert_eq!(closed.status, 400);
    closed.has(&["role=\"alert\""]);
    let wrong = page(w, "alpha", "/book/animals?where[birthDate][contains]=1").await;
    assert_eq!(wrong.status, 400);
    wrong.has(&["role=\"alert\"", "birthDate.contains", "Records cannot be chosen by this field here."]);
}

#[test_with(World::each)]
async fn a_click_on_a_value_adds_its_condition(w: &World<'_>) {
    let list = page(w, "alpha", "/book/animals?columns=sex,birthDate,herd&where[birthDate][exists]=true").await;
    let narrowed = |value: &str| format!("where%5BbirthDate%5D%5Bexists%5D=true&amp;{value}");
    for value in [
        "where%5Bsex%5D%5Bequals%5D=male",
        "where%5BbirthDate%5D%5Bequals%5D=2020-01-10",
        "where%5Bherd%5D%5Bequals%5D=1",
    ] {
        list.has(&[&narrowed(value)]);
    }
    // The name of a related record leads to it, the sign beside it narrows.
    list.has(&["<a href=\"/book/herds/1\">Alpha 1</a> <a class=\"only\"", "aria-label=\"Only these: Alpha 1\">=</a>"]);
    let way = link(&list, "Male");
    let males = page(w, "alpha", &way).await;
    assert_eq!(rows(&males), api(w, "where[sex][equals]=male").await);
    males.lacks(&["title=\"Only these\">Male"]);
}

#[test_with(World::each)]
async fn every_field_that_is_read_can_be_a_column(w: &World<'_>) {
    let list = page(w, "expert", "/book/animals").await;
    let animals = w.stage.hub.book.registry.get("animals").unwrap();
    let may_stand = |field: &&model::registry::Field| {
        let is_shown = field.class != Class::Hidden && field.wording != Wording::SortKey;
        is_shown && !matches!(field.kind, Kind::Password) && field.path != "id"
    };
    let mut offered = 0;
    for field in animals.fields.iter().filter(may_stand) {
        let members = match &field.kind {
            Kind::Rows(members) => members.as_slice(),
            _ => &[],
        };
        let members = members.iter().filter(may_stand).map(|member| format!("{}.{}", field.path, member.path));
        for path in std::iter::once(field.path.clone()).chain(members) {
            list.has_in(&path, &[&format!("type=\"checkbox\" name=\"columns\" value=\"{path}\"")]);
            offered += 1;
        }
    }
    assert!(offered > 150, "{offered}");
    // What a visitor reads of no row is not offered.
    page(w, "", "/book/animals").await.lacks(&["name=\"columns\" value=\"notes\""]);
    changed!(w, "alpha", "animals", 2, {"shows": [{"date": "2025-05-01", "title": "Grand show"}, {"date": "2025-06-01", "title": "Other show"}]});
    let columns = page(w, "alpha", "/book/animals?columns=shows.title,altIds.earTag,shows&where[id][equals]=2").await;
    columns.has(&["Grand show; Other show", "altIds%5D%5BearTag%5D=true"]);
}

#[test_with(World::each)]
async fn a_page_has_a_hundred_rows_at_most(w: &World<'_>) {
    let many: Vec<_> = (0..101)
        .map(|at| json!({"identNumber": format!("95800000{at:04}"), "sex": "female", "birthDate": "2022-01-01"}))
        .collect();
    assert_eq!(w.post("alpha", "animals", many.into()).await.status, 201);
    for (asked, shown) in
        [("", 25), ("?limit=10", 10), ("?limit=50", 50), ("?limit=0", 100), ("?limit=500", 100), ("?limit=x", 25)]
    {
        let list = page(w, "alpha", &format!("/book/animals{asked}")).await;
        assert_eq!(rows(&list).len(), shown, "{asked}");
        list.lacks_in(&asked, &["limit=0&", "limit=500&"]);
    }
    let list = page(w, "alpha", "/book/animals?limit=10").await;
    list.has(&["limit=100\">100</a>", "aria-current=\"true\">10</a>"]);
}
