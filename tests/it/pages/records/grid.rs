//! Events of one day for many animals in one form, and records that a typed text may mean.

use crate::pages::filled::{Filled, link};
use crate::pages::{assert_sound, goes, page, russian, send};
use crate::rest::stage::Answer;
use crate::rest::world::World;
use serde_json::{Value, json};

const GRID: &str = "/book/milk-tests/grid";
const DAY: &str = "2026-02-20";

/// Two more cows of Alpha, in its herds, and all three in milk.
async fn herd(w: &World<'_>) -> [i64; 3] {
    let mut cows = [2, 0, 0];
    for (place, (tag, herd)) in [("1057", 1), ("2057", 2)].into_iter().enumerate() {
        let cow = json!({"identNumber": format!("97000000{tag}"), "sex": "female", "birthDate": "2022-01-10",
            "name": format!("Cow {tag}"), "herd": herd, "altIds": {"inventoryNumber": tag}});
        cows[place + 1] = w.made("alpha", "animals", cow).await;
    }
    for cow in cows {
        made!(w, "alpha", "calvings", {"animal": cow, "date": "2026-01-10"});
    }
    cows
}

async fn press(w: &World<'_>, form: &Filled) -> Answer {
    assert_eq!(form.action, GRID);
    send(w, "alpha", GRID, &form.pairs()).await
}

fn row_of(form: &Filled, animal: i64) -> String {
    let own = |text: &str| text == format!("[{animal}]") || text.starts_with(&format!("[{animal}] "));
    let (name, _) = form.fields.iter().find(|(name, text)| name.ends_with(".of") && own(text)).unwrap();
    name.strip_suffix(".of").unwrap().to_owned()
}

#[test_with(World::each)]
async fn a_test_day_is_entered_in_one_form(w: &World<'_>) {
    let [first, second, third] = herd(w).await;
    let empty = page(w, "alpha", GRID).await;
    assert_sound(&empty, "grid");
    assert_eq!(empty.status, 200, "{}", empty.text);
    let form = Filled::of(&empty, "Save");
    assert_eq!(form.get("date"), Some("2026-03-01"));
    // Those in milk, with a label for each cell; neither the heifer nor cows of others.
    assert_eq!(form.fields.iter().filter(|(name, _)| name.ends_with(".of")).count(), 3, "{}", empty.text);
    empty.has(&["Cow 2057 970000002057</a>", "970000001057</label>", ">50</span>"]);
    empty.lacks(&["[4] ", "[3] "]);
    // From cell to cell the keyboard meets no link; those of the rows stand below the form, too.
    let (rows, below) = empty.text.rsplit_once("</table>").unwrap();
    let (_, rows) = rows.split_once("<tbody>").unwrap();
    assert_eq!(rows.matches("<a ").count(), rows.matches("<a tabindex=\"-1\" ").count(), "{rows}");
    assert!(below.contains(&format!("<a href=\"/book/animals/{third}\">Cow 2057 970000002057</a>")), "{below}");
    // Narrow pages have a row below each other, with the heads beside the cells.
    empty.has(&["class=\"grid list\"", "<td data-head=\"Fat, %\"", "data-head=\"Animal\""]);
    let [a, b, c] = [first, second, third].map(|cow| row_of(&form, cow));
    let cell = |row: &str, path: &str| format!("{row}.{path}");

    // Nothing is filled; one row is wrong, and none is stored; the others keep what was typed.
    assert_eq!(press(w, &form).await.status, 400);
    let typed = Filled::of(&empty, "Save")
        .with("date", DAY)
        .with(&cell(&a, "milkYield"), "30,5")
        .with(&cell(&a, "fatPercent"), "4,1")
        .with(&cell(&b, "milkYield"), "300,5");
    let refused = press(w, &typed).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused");
    let fault = format!("id=\"f-{}-milkYield-fault\"", b.replace('.', "-"));
    refused.has(&[&fault, "value=\"30,5\"", "value=\"300,5\"", &format!("value=\"{DAY}\"")]);
    refused.lacks(&[&format!("id=\"f-{}-milkYield-fault\"", a.replace('.', "-"))]);
    assert!(w.list("milk-tests", "").await.is_empty());

    // A further animal by its number; the last of the herd stays empty.
    let good = Filled::of(&refused, "Save").with(&cell(&b, "milkYield"), "28");
    let stored = press(w, &good).await;
    assert_eq!(goes(&stored), "/book/milk-tests?where%5BownerOrg%5D%5Bequals%5D=1");
    assert!(stored.header("set-cookie").contains("entered/milk-tests/2"), "{}", stored.header("set-cookie"));
    let tests = w.list("milk-tests", "").await;
    assert_eq!(tests.len(), 2, "{tests:?}");
    let day = format!("{DAY}T00:00:00.000Z");
    let of = |cow: i64| tests.iter().find(|test| test["animal"] == cow).unwrap();
    holds!(of(first), {"milkYield": 30.5, "fatPercent": 4.1, "date": day, "source": "owner", "ownerOrg": 1});
    holds!(of(second), {"milkYield": 28});

    // Who has a test of that day has no cells for another one; a form that is sent again stores nothing.
    let again = page(w, "alpha", &format!("{GRID}?date={DAY}")).await;
    let rest = Filled::of(&again, "Save");
    assert_eq!(rest.fields.iter().filter(|(name, _)| name.ends_with(".of")).count(), 1);
    again.has(&[">30.5</span>"]);
    let twice = press(w, &good).await;
    assert_eq!(twice.status, 400);
    twice.has(&["There is a record of this day already."]);
    // So it does of a day that is typed as people write it.
    let typed = press(w, &good.clone().with("date", "20.02.2026")).await;
    typed.has(&["There is a record of this day already."]);
    assert_eq!(w.list("milk-tests", "").await.len(), 2);
    let _ = c;
}

/// Working numbers are in the order in which people count, over all pages.
#[test_with(World::each)]
async fn animals_stand_in_the_order_of_their_numbers(w: &World<'_>) {
    let cow = |serial: u32, number: String| {
        json!({"identNumber": format!("97000000{serial:04}"), "sex": "female", "birthDate": "2022-01-10", "herd": 2,
            "altIds": {"inventoryNumber": number}})
    };
    let mut cows: Vec<Value> = (1..=92).rev().map(|serial| cow(serial, serial.to_string())).collect();
    cows.push(cow(93, "A10".to_owned()));
    ask!(w, "alpha", "POST /api/animals?depth=0", Value::from(cows) => 201);
    let mut all = Vec::new();
    for (number, rows) in [(1, 90), (2, 3)] {
        let grid = page(w, "alpha", &format!("/book/weighings/grid?herd=%5B2%5D&page={number}")).await;
        let form = Filled::of(&grid, if number == 1 { "Save and go to the next page" } else { "Save" });
        let own = form.fields.iter().filter(|(name, _)| name.ends_with(".of")).map(|(_, text)| text.clone());
        let own: Vec<String> = own.collect();
        assert_eq!(own.len(), rows, "{own:?}");
        all.extend(own);
    }
    for (serial, text) in (1..).zip(&all) {
        assert!(text.contains(&format!("97000000{serial:04}")), "{serial}: {all:?}");
    }
}

#[test_with(World::each)]
async fn rows_of_a_place_are_shown_and_others_are_named(w: &World<'_>) {
    let [_, _, third] = herd(w).await;
    let all = page(w, "alpha", GRID).await;
    // The rows of another herd: what was typed stays, and nothing is stored.
    let first = Filled::of(&all, "Show").with("herd", "[2]").with("rows.0.milkYield", "31");
    let shown = press(w, &first).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let form = Filled::of(&shown, "Save");
    assert_eq!(form.fields.iter().filter(|(name, _)| name.ends_with(".of")).count(), 1);
    assert_eq!(row_of(&form, third), "rows.0");
    assert_eq!(form.get("rows.1.milkYield"), Some("31"));
    assert!(form.get("rows.1.animal").is_some_and(|animal| animal.starts_with('[')), "{:?}", form.fields);
    assert!(w.list("milk-tests", "").await.is_empty());
    // Numbers that end so are of two; those of others stay unknown.
    let named = form
        .with("date", DAY)
        .with("rows.1.milkYield", "")
        .with("rows.1.animal", "")
        .with("rows.2.animal", "057")
        .with("rows.2.milkYield", "30")
        .with("rows.3.animal", "960000000003")
        .with("rows.3.milkYield", "30");
    let asked = press(w, &named).await;
    assert_eq!(asked.status, 400);
    asked.has(&["Which one is meant? Choose.", "Cow 1057 970000001057 · 1057 · 2022-01-10 · Female · Alive"]);
    asked.has(&["There is no animal with the number or name “960000000003” in the book"]);
    asked.lacks(&["Animal 3"]);
    assert!(w.list("milk-tests", "").await.is_empty());
    // The Association names a herd first; who writes nothing has no grid.
    let nowhere = page(w, "expert", GRID).await;
    nowhere.has(&["Name a herd"]);
    nowhere.lacks(&[".of\""]);
    page(w, "expert", &format!("{GRID}?herd=%5B2%5D")).await.has(&["Cow 2057"]);
    page(w, "beta", GRID).await.lacks(&["Cow 2057"]);
    for (who, path) in [("viewer", GRID), ("alpha", "/book/health-events/grid"), ("alpha", "/book/herds/grid")] {
        assert_eq!(page(w, who, path).await.status, 404, "{who} {path}");
    }
    page(w, "alpha", "/book/milk-tests").await.has(&[&format!("href=\"{GRID}\"")]);
}

#[test_with(World::each)]
async fn what_is_unusual_is_asked_with_the_usual_range(w: &World<'_>) {
    let path = "/book/weighings/grid";
    let form = Filled::of(&page(w, "alpha", path).await, "Save").with("date", DAY);
    let cow = row_of(&form, 2);
    let heavy = form.with(&format!("{cow}.weight"), "6500");
    let asked = send(w, "alpha", path, &heavy.pairs()).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    asked.has(&["Weight 6500 kg; usual of an adult are 350 to 1200.", "name=\"anyway\""]);
    let headers =
        [("accept", "text/html"), ("accept-language", "ru"), ("content-type", "application/x-www-form-urlencoded")];
    let russian_form = w.send("alpha", "POST", path, &headers, crate::pages::form(&heavy.pairs())).await;
    russian_form.has(&["Масса 6500 кг; у взрослого животного обычно от 350 до 1200."]);
    assert!(w.list("weighings", "").await.is_empty());
    let anyway = Filled::of(&asked, "Store nevertheless");
    assert_eq!(
        goes(&send(w, "alpha", path, &anyway.pairs()).await),
        "/book/weighings?where%5BownerOrg%5D%5Bequals%5D=1"
    );
    holds!(w.list("weighings", "").await[0], {"animal": 2, "weight": 6500});
    let grid = russian(w, "alpha", "/book/inseminations/grid").await;
    assert_sound(&grid, "inseminations");
    // The heifer that was never served is among them, the bull is not.
    grid.has(&["960000000004", "Сохранить"]);
    grid.lacks(&["value=\"[1] "]);
}

#[test_with(World::each)]
async fn a_cow_is_proposed_for_service_from_the_waiting_time_after_a_calving_on(w: &World<'_>) {
    made!(w, "alpha", "calvings", {"animal": 2, "date": "2026-01-10"});
    let proposed = async |day: &str| {
        let grid = page(w, "alpha", &format!("/book/inseminations/grid?date={day}")).await;
        grid.has(&["960000000004"]);
        grid.text.contains("960000000002")
    };
    for (day, expected) in [("2026-01-12", false), ("2026-01-29", false), ("2026-01-30", true)] {
        assert_eq!(proposed(day).await, expected, "{day}");
    }
    made!(w, "expert", "check-thresholds", {"key": "voluntaryWaitDays", "value": 45});
    for (day, expected) in [("2026-02-23", false), ("2026-02-24", true)] {
        assert_eq!(proposed(day).await, expected, "{day}");
    }
}

#[test_with(World::each)]
async fn a_part_of_a_number_names_what_may_be_meant(w: &World<'_>) {
    herd(w).await;
    let choices = async |who: &str, query: &str| page(w, who, &format!("/book/animals/choices?{query}")).await;
    let both = choices("alpha", "q=057").await;
    assert_eq!(both.text.matches("<option").count(), 2, "{}", both.text);
    both.has(&["value=\"[", "Cow 2057 970000002057 · 2057 · 2022-01-10 · Female · Alive"]);
    // Bulls for a bull, nothing for one letter, nothing of others.
    let bulls = choices("alpha", "where%5Bsex%5D%5Bequals%5D=male&q=9600").await;
    assert_eq!((bulls.text.matches("<option").count(), bulls.text.contains("[1] ")), (1, true), "{}", bulls.text);
    assert_eq!(choices("alpha", "q=9").await.text, "<datalist></datalist>");
    assert_eq!(choices("beta", "q=057").await.text, "<datalist></datalist>");
    assert_eq!(choices("", "q=057").await.status, 303);
    assert_eq!(page(w, "alpha", "/book/herds/choices?q=Alpha").await.status, 404);
    let form = page(w, "alpha", "/book/inseminations/new").await;
    form.has(&["data-choices=\"/book/animals/choices?where%5Bsex%5D%5Bin%5D=male\""]);
    // Own animals, of an event of cows females alone.
    let own = "data-choices=\"/book/animals/choices?where%5Bowner%5D%5Bequals%5D=1";
    for slug in ["inseminations", "calvings", "milk-tests"] {
        let females = format!("{own}&amp;where%5Bsex%5D%5Bin%5D=female\"");
        page(w, "alpha", &format!("/book/{slug}/new")).await.has_in(&slug, &[&females]);
    }
    page(w, "alpha", "/book/weighings/new").await.has(&[&format!("{own}\"")]);
    let asked = send(w, "alpha", "/book/calvings/new", &[("animal", "96000000"), ("date", DAY)]).await;
    asked.has(&["Which one is meant? Choose.", "<option value=\"[2]\">"]);
    asked.lacks(&["<option value=\"[1]\">"]);
    // The form asks as well, and the next one has the same day and no animal.
    let typed = [("animal", "057"), ("date", DAY), ("weight", "650"), ("again", "yes")];
    let asked = send(w, "alpha", "/book/weighings/new", &typed).await;
    assert_eq!(asked.status, 400);
    let form = Filled::of(&asked, "Save and enter the next");
    assert_eq!(form.get("animal"), Some(""));
    asked.has(&["Which one is meant? Choose."]);
    let chosen = form.with("animal", "[2]").with("weight", "650");
    let next = send(w, "alpha", "/book/weighings/new", &chosen.pairs()).await;
    assert_eq!(goes(&next), format!("/book/weighings/new?date={DAY}#f-animal"));
    let next = Filled::of(&page(w, "alpha", &format!("/book/weighings/new?date={DAY}")).await, "Save");
    assert_eq!((next.get("date"), next.get("animal"), next.get("weight")), (Some(DAY), Some(""), Some("")));
}

#[test_with(World::each)]
async fn a_movement_is_recorded_for_each_of_the_ticked_animals(w: &World<'_>) {
    let [first, second, third] = herd(w).await;
    let ticked = page(w, "alpha", &format!("/book/animals/deeds?rows={first}&rows={second}&rows=3")).await;
    let way = link(&ticked, "Movements: quick entry");
    let grid = page(w, "alpha", &way).await;
    assert_sound(&grid, "movements");
    grid.has(&["Each animal of the list gets a record.", "Choose the kind and press Show"]);
    // What fits the kind is offered, and no reason before it is chosen; the farm itself buys nothing.
    made!(w, "admin", "disposal-reasons", {"code": "77", "name": "Slaughter", "state": "culled"});
    made!(w, "admin", "disposal-reasons", {"code": "78", "name": "Breeding sale", "state": "sold"});
    made!(w, "admin", "disposal-reasons", {"code": "79", "name": "Disease", "state": "dead"});
    for (kind, offered, others) in [
        ("", "Cull|Beta", "Surplus|Slaughter|Breeding sale|Alpha"),
        ("cull", "Surplus|Slaughter", "Breeding sale|Disease|Beta"),
        ("sale", "Surplus|Breeding sale|Beta", "Slaughter|Disease|Alpha"),
        ("transfer", "Surplus", "Slaughter|Breeding sale"),
    ] {
        let grid = page(w, "alpha", &format!("{way}&kind={kind}")).await;
        for name in offered.split('|') {
            grid.has_in(&kind, &[&format!(">{name}</option>")]);
        }
        for name in others.split('|') {
            grid.lacks_in(&kind, &[&format!(">{name}</option>")]);
        }
    }
    // Only those that were ticked, and of them only its own.
    let form = Filled::of(&grid, "Save").with("date", DAY).with("kind", "cull");
    assert_eq!(form.get("herd"), None, "which herd they stand in is not asked, only where they go");
    assert!(form.get("toHerd").is_some());
    assert_eq!(form.fields.iter().filter(|(name, _)| name.ends_with(".of")).count(), 2, "{}", grid.text);
    let (a, b) = (row_of(&form, first), row_of(&form, second));
    // One that is wrong holds back all.
    let wrong = form.clone().with(&format!("{b}.weight"), "9000");
    let refused = send(w, "alpha", &form.action, &wrong.pairs()).await;
    assert_eq!(refused.status, 400);
    refused.has(&[&format!("id=\"f-{}-weight-fault\"", b.replace('.', "-"))]);
    assert!(w.list("movements", "").await.is_empty());
    let good = Filled::of(&refused, "Save").with(&format!("{b}.weight"), "").with(&format!("{a}.note"), "Lame");
    goes(&send(w, "alpha", &form.action, &good.pairs()).await);
    let movements = w.list("movements", "").await;
    assert_eq!(movements.len(), 2, "{movements:?}");
    for (cow, note) in [(first, json!("Lame")), (second, json!(null))] {
        let movement = movements.iter().find(|movement| movement["animal"] == cow).unwrap();
        holds!(movement, {"animal": cow, "kind": "cull", "from": 1, "note": note});
        assert_ne!(w.doc("animals", cow).await["state"], "alive");
    }
    assert_eq!(w.doc("animals", third).await["state"], "alive");
    // Without ticks a row is sent where something stands in it, and the viewer of a farm has no such form.
    page(w, "alpha", "/book/movements/grid").await.has(&["Rows without values are not saved."]);
    assert_eq!(page(w, "viewer", &way).await.status, 404);
    grid.lacks(&["do not come into question"]);
    let fewer = page(w, "alpha", &format!("/book/movements/grid?only={first},{third},3")).await;
    fewer.has(&["Chosen animals that do not come into question here: 2"]);
    // Nobody gets rows of others by naming them.
    page(w, "beta", &way).await.lacks(&["Cow 1057"]);
}

#[test_with(World::each)]
async fn animals_of_a_grid_pass_to_a_buyer_after_a_question(w: &World<'_>) {
    let [first, second, _] = herd(w).await;
    let grid = page(w, "alpha", &format!("/book/movements/grid?only={first},{second}&kind=sale")).await;
    // Who may not buy is refused above the rows.
    changed!(w, "admin", "organizations", 4, {"activities": ["laboratory"]});
    let form = Filled::of(&grid, "Save").with("date", DAY).with("to", "Delta");
    let refused = send(w, "alpha", &form.action, &form.pairs()).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(refused.text.matches("Such a receiver takes no animals").count(), 1, "{}", refused.text);
    let form = form.with("to", "[2]");
    let asked = send(w, "alpha", &form.action, &form.pairs()).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    assert_sound(&asked, "asked");
    for cow in [first, second] {
        let name = w.doc("animals", cow).await["name"].as_str().unwrap().to_owned();
        assert!(asked.text.split_once(" pass to Beta at once").unwrap().0.contains(&name), "{}", asked.text);
    }
    assert!(w.list("movements", "").await.is_empty());
    let sure = Filled::of(&asked, "Store nevertheless");
    goes(&send(w, "alpha", &sure.action, &sure.pairs()).await);
    for cow in [first, second] {
        assert_eq!(w.doc("animals", cow).await["owner"], 2);
    }
}

#[test_with(World::each)]
async fn the_next_page_has_those_of_the_ticked_that_are_left(w: &World<'_>) {
    let [first, second, third] = herd(w).await;
    let grid = page(w, "alpha", &format!("/book/movements/grid?only={first},{second},{third}")).await;
    let mut form = Filled::of(&grid, "Save").with("date", DAY).with("kind", "cull").with("pages", "2");
    // As if the last one stood on a second page.
    let last = format!("{}.", row_of(&form, third));
    form.fields.retain(|(name, _)| !name.starts_with(&last));
    let stored = send(w, "alpha", &form.action, &form.pairs()).await;
    let rest = Filled::of(&page(w, "alpha", goes(&stored)).await, "Save");
    assert_eq!(rest.get("only"), Some(third.to_string().as_str()));
    assert_eq!(rest.get("kind"), Some("cull"));
    assert_eq!(rest.fields.iter().filter(|(name, _)| name.ends_with(".of")).count(), 1, "{:?}", rest.fields);
    row_of(&rest, third);
    assert_eq!(w.list("movements", "").await.len(), 2);
}
