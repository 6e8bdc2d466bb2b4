//! Lists: whose rows they show, and the columns that their visitor chose.

use crate::pages::{BROWSER, assert_sound, page, russian};
use crate::rest::stage::Answer;
use crate::rest::uploads::form::{Form, png};
use crate::rest::world::World;
use model::messages::{Language, labels};
use serde_json::json;

/// The heads of the table.
fn heads(answer: &Answer) -> Vec<String> {
    let head = answer.text.split("<thead>").nth(1).unwrap_or_default();
    let head = head.split("</thead>").next().unwrap_or_default();
    let text = |cell: &str| {
        let (_, text) = cell.split_once("\">")?;
        Some(text.split('<').next()?.to_owned())
    };
    head.split("<a href").skip(1).filter_map(text).collect()
}

fn label(path: &str) -> String {
    labels::field(Language::English, "animals", path)
}

/// The list of animals with the cookie of an earlier visit.
async fn with(w: &World<'_>, query: &str, cookie: &str) -> Answer {
    let mut headers = BROWSER.to_vec();
    headers.push(("cookie", cookie));
    let path = format!("/book/animals{query}");
    w.send("alpha", "GET", &path, &headers, "").await
}

#[test_with(World::each)]
async fn chosen_columns_are_kept_until_they_are_taken_back(w: &World<'_>) {
    let usual = page(w, "alpha", "/book/animals").await;
    assert_sound(&usual, "list");
    assert_eq!(usual.header("set-cookie"), "");
    let chosen = page(w, "alpha", "/book/animals?columns=&columns=sex&columns=state").await;
    assert_eq!(heads(&chosen)[1..], [label("sex"), label("state")]);
    let cookie = chosen.header("set-cookie").to_owned();
    let rest = "; Path=/book/animals; Max-Age=31536000; SameSite=Lax; HttpOnly";
    assert_eq!(cookie, format!("columns=sex:state{rest}"));
    let (choice, _) = cookie.split_once(';').unwrap();
    let second = with(w, "", choice).await;
    assert_eq!(heads(&second), heads(&chosen));
    assert_eq!(second.header("set-cookie"), "");
    // The file has the columns of the page.
    second.has(&["select%5Bstate%5D=true"]);
    // Its language is that of the page; a table for programs has none.
    second.has(&["format=xlsx&amp;headers=labels&amp;language=en\"", "format=csv\""]);
    second.lacks(&["format=csv-ru"]);
    russian(w, "alpha", "/book/animals").await.has(&["format=csv-ru&amp;headers=labels&amp;language=ru\""]);
    // Others count now, and none means those of the declaration.
    let other = with(w, "?columns=&columns=birthDate", choice).await;
    assert_eq!(heads(&other)[1..], [label("birthDate")]);
    let back = with(w, "?columns=", choice).await;
    assert_eq!(heads(&back), heads(&usual));
    assert!(back.header("set-cookie").starts_with("columns=; Path=/book/animals; Max-Age=0;"));
    // What is no column is none, whatever the cookie says.
    let wrong = with(w, "", "columns=nothing:id:<b>").await;
    assert_eq!(heads(&wrong), heads(&usual));
    assert_sound(&wrong, "wrong cookie");
}

#[test_with(World::each)]
async fn a_farm_sees_its_own_rows_first_and_can_see_all(w: &World<'_>) {
    let other =
        json!({"identNumber": "950000000777", "sex": "female", "birthDate": "2022-01-01", "publicVisible": true});
    let other = w.made("beta", "animals", other).await;
    let way = "/book/animals?where%5Bowner%5D%5Bequals%5D=1";
    // The navigation opens those that are there, which is a condition that can be taken out.
    let start = page(w, "alpha", "/").await;
    start.has(&[&format!("<a href=\"{way}&amp;where%5Bstate%5D%5Bequals%5D=alive\"")]);
    let dead = json!({"identNumber": "950000000778", "sex": "female", "birthDate": "2022-01-01"});
    let dead = w.made("alpha", "animals", dead).await;
    changed!(w, "alpha", "animals", dead, {"state": "dead", "disposalDate": "2026-01-01"});
    let of_dead = format!("href=\"/book/animals/{dead}\"");
    let there = page(w, "alpha", &format!("{way}&where%5Bstate%5D%5Bequals%5D=alive")).await;
    there.has(&["href=\"/book/animals/2\"", &format!("href=\"{way}\" aria-label=\"")]);
    there.lacks(&[&of_dead]);
    let own = ["name", "birthDate", "ageGroup", "state", "current.parity", "current.daysInMilk"].map(label);
    assert_eq!(heads(&there)[1..], own);
    // Files have no heads of rows: number and name are columns there.
    let file = there.text.split("href=\"").find(|link| link.contains("format=xlsx")).unwrap();
    assert!(file.contains("select%5BidentNumber%5D=true") && file.contains("select%5Bname%5D=true"), "{file}");
    let of_other = format!("href=\"/book/animals/{other}\"");
    let own = page(w, "alpha", way).await;
    own.has(&[&of_dead, "href=\"/book/animals/2\""]);
    own.lacks(&[&of_other]);
    let all = page(w, "alpha", "/book/animals").await;
    all.has(&[&of_other]);
    for (shown, own, marked) in [(&own, true, "Ours"), (&all, false, "All")] {
        let current = "aria-current=\"true\">";
        let (_, text) = shown.text.split_once(current).unwrap();
        assert!(text.starts_with(marked), "{own}: {}", shown.text);
    }
    // The Association has no rows of its own, nor has a stranger.
    for who in ["admin", ""] {
        let shown = page(w, who, "/book/animals").await;
        shown.lacks_in(&who, &["class=\"whose\""]);
    }
}

#[test_with(World::each)]
async fn what_has_exactly_the_sought_number_comes_first(w: &World<'_>) {
    let animal = |at: usize, farm: &str| {
        json!({"identNumber": format!("95900000{at:04}"), "sex": "female",
            "birthDate": "2022-01-01", "altIds": {"inventoryNumber": farm}})
    };
    for at in 0..12 {
        made!(w, "alpha", "animals", animal(at, &format!("1{at}")));
    }
    // As long as no UUID has it by chance.
    let number = "95900000";
    let sought = w.made("alpha", "animals", animal(99, number)).await;
    let found = page(w, "alpha", &format!("/find?q={number}")).await;
    assert_sound(&found, "find");
    let first = found.text.split("class=\"events\"").nth(1).unwrap();
    let first = first.split("</a>").next().unwrap();
    assert!(first.contains(&format!("href=\"/book/animals/{sought}\"")), "{}", found.text);
    found.has(&["class=\"count\">13<"]);
    assert_eq!(found.text.matches("9590000000").count(), 5, "{}", found.text);
}

#[test_with(World::each)]
async fn events_are_called_by_their_day_and_come_the_latest_first(w: &World<'_>) {
    let mut ids = Vec::new();
    for (number, date) in [(1, "2024-01-10"), (2, "2025-01-20")] {
        let body = json!({"animal": 2, "date": date, "number": number, "eventType": "calving"});
        ids.push(w.made("alpha", "calvings", body).await);
    }
    let list = page(w, "alpha", "/book/calvings?where[animal][equals]=2").await;
    assert_sound(&list, "list");
    let [first, last] = [("2025-01-20", ids[1]), ("2024-01-10", ids[0])].map(|(day, id)| {
        let time = format!("<a href=\"/book/calvings/{id}\"><time datetime=");
        let place = list.text.find(&time).unwrap_or_else(|| panic!("{time}: {}", list.text));
        list.has(&[day]);
        place
    });
    assert!(first < last, "{}", list.text);
    list.has(&["<th scope=\"col\" aria-sort=\"descending\">"]);
    let other = page(w, "alpha", "/book/calvings?where[animal][equals]=2&sort=number").await;
    assert!(
        other.text.find(&format!("/book/calvings/{}\"", ids[0]))
            < other.text.find(&format!("/book/calvings/{}\"", ids[1]))
    );
    // The page of one names the animal and the day, and the id nowhere.
    let animal = w.doc("animals", 2).await["identNumber"].as_str().unwrap().to_owned();
    let record = page(w, "alpha", &format!("/book/calvings/{}", ids[1])).await;
    let (_, title) = record.text.split_once("<h1>").unwrap();
    let title = title.split("</h1>").next().unwrap();
    assert!(
        title.starts_with("2nd calving of ") && title.contains(&animal) && title.ends_with(", 2025-01-20"),
        "{title}"
    );
}

#[test_with(World::each)]
async fn rows_of_animals_show_their_picture_and_unusual_states(w: &World<'_>) {
    let plain = page(w, "alpha", "/book/animals").await;
    plain.lacks(&["class=\"thumbnail\"", "<span class=\"chip state\">Archived"]);
    // The state of a column is a chip, too.
    plain.has(&["<span class=\"chip state\">Alive"]);
    let file = Form::new().payload(&json!({"alt": "A cow"})).file("cow.png", "image/png", &png(400, 400));
    let file = file.send(w, "alpha", "POST", "/api/media?depth=0").await.json()["doc"].clone();
    changed!(w, "alpha", "animals", 2, {"photo": file["id"], "archived": true});
    let own = page(w, "alpha", "/book/animals?where[id][equals]=2").await;
    assert_sound(&own, "a row");
    let small = file["thumbnailURL"].as_str().or(file["url"].as_str()).unwrap().replace('&', "&amp;");
    own.has(&[&format!("<img class=\"thumbnail\" src=\"{small}\" alt=\"\""), "<span class=\"chip state\">Archived"]);
    let column = page(w, "alpha", "/book/animals?where[id][equals]=2&columns=photo,archived").await;
    column.has(&["class=\"thumbnail\""]);
    assert_eq!(column.text.matches("chip state").count(), 1, "{}", column.text);
}

#[test_with(World::each)]
async fn thresholds_and_checks_are_shown_as_they_are_in_force(w: &World<'_>) {
    made!(w, "expert", "check-thresholds", {"key": "milkMax", "value": 30000});
    made!(w, "expert", "check-settings", {"code": "no-breed", "enabled": false});
    let row = |text: &str, name: &str| {
        let rest = text.split(name).nth(1).unwrap_or_else(|| panic!("{name}: {text}"));
        rest.split("</tr>").next().unwrap().to_owned()
    };
    let thresholds = page(w, "expert", "/book/check-thresholds").await;
    assert_sound(&thresholds, "thresholds");
    thresholds.has(&["<h1>Check thresholds</h1>"]);
    let milk = row(&thresholds.text, "Highest milk of a lactation<");
    for text in ["<strong>30000</strong>", ">25000<", "<td>kg</td>", "10000 – 60000", "Implausible milk of a lactation"]
    {
        assert!(milk.contains(text), "{text}: {milk}");
    }
    // What nobody set has its built-in value, and the way to set it.
    let fat = row(&thresholds.text, "new?key=fatMax");
    assert!(fat.contains("<td>6.5</td><td>6.5</td><td>%</td><td>4 – 12</td>"), "{fat}");
    // So do rows and forms, where the table does not stand.
    thresholds.has(&["Highest milk of a lactation, kg"]);
    let form = page(w, "expert", "/book/check-thresholds/new?key=fatMax").await;
    form.has(&[">Highest fat of a lactation, %</option>"]);
    form.lacks(&["1000000"]);
    let place = |text: &str| thresholds.text.find(text).unwrap();
    assert!(place(">Pedigree</h2>") < place(">Production</h2>"));
    page(w, "alpha", "/book/check-thresholds").await.lacks(&["new?key="]);
    let checks = page(w, "alpha", "/book/check-settings").await;
    assert_sound(&checks, "checks");
    assert!(row(&checks.text, "No breed").contains("<strong>switched off</strong>"), "{}", checks.text);
    russian(w, "alpha", "/book/check-settings").await.has(&[
        "Происхождение</h2>",
        "выключено",
        "Наибольший удой за лактацию",
    ]);
    // Units have a column of their own, in the words of the language.
    let russian = russian(w, "alpha", "/book/check-thresholds").await;
    russian.has(&[">Единица</th>", "<td>дней</td>", "<td>тыс./мл</td>", "<td>г/сут</td>"]);
    russian.lacks(&["<td>days</td>", "<td>kg</td>", "<td>fat to protein</td>"]);
}

/// The table of a list.
fn table_of(answer: &Answer) -> &str {
    let (_, table) = answer.text.split_once("<table class=\"list\">").unwrap();
    table.split("</table>").next().unwrap()
}

#[test_with(World::each)]
async fn columns_of_related_records_show_what_the_visitor_reads_of_them(w: &World<'_>) {
    for animal in [2, 4] {
        made!(w, "alpha", "milk-tests", {"animal": animal, "date": "2026-02-01", "milkYield": 30});
    }
    let query = "columns=&columns=date&columns=animal.identNumber&columns=animal.birthDate&columns=animal.owner";
    let list = page(w, "alpha", &format!("/book/milk-tests?{query}")).await;
    assert_sound(&list, "related");
    let animal = labels::field(Language::English, "milk-tests", "animal");
    let heads: Vec<String> = heads(&list)[1..].to_vec();
    let titles = ["identNumber", "birthDate"].map(|path| format!("{animal}: {}", label(path)));
    assert_eq!(heads, titles, "a relation of the related record is a step further");
    let shown = table_of(&list);
    for text in ["960000000002", "2020-01-10", "960000000004", "2024-02-01"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    list.has(&["where%5Banimal.identNumber%5D%5Bequals%5D=960000000004\""]);
    let narrowed = format!("/book/milk-tests?{query}&where[animal.identNumber][equals]=960000000004");
    let one = page(w, "alpha", &narrowed).await;
    assert!(table_of(&one).contains("960000000004") && !table_of(&one).contains("960000000002"), "{}", one.text);
    let sorted = page(w, "alpha", &format!("/book/milk-tests?{query}&sort=animal.birthDate")).await;
    let place = |text: &str| table_of(&sorted).find(text).unwrap();
    assert!(place("2020-01-10") < place("2024-02-01"), "{}", sorted.text);
    // The number and name of a parent that is closed are open to the owner of the calf, and nothing else.
    let calf = json!({"identNumber": "970000000001", "sex": "male", "birthDate": "2022-01-01"});
    let calf = w.made("beta", "animals", calf).await;
    changed!(w, "expert", "animals", calf, {"father": 1});
    for (who, id, sees) in [("alpha", 4, true), ("beta", calf, false)] {
        let path = format!("/book/animals?where[id][equals]={id}&columns=identNumber,father.state");
        let list = page(w, who, &path).await;
        assert_sound(&list, who);
        assert_eq!(table_of(&list).contains("Alive"), sees, "{who}: {}", list.text);
    }
}

#[test_with(World::each)]
async fn fields_are_offered_by_subject(w: &World<'_>) {
    let list = page(w, "alpha", "/book/animals").await;
    let owner = labels::field(Language::English, "organizations", "name");
    let owner = format!("{}: {owner}", label("owner"));
    let group = label("owner");
    // Fields without a group stand under the tab of the card that has them.
    for (group, option, text) in [
        (group.as_str(), "owner.name", owner),
        ("Evaluation", "grade", label("grade")),
        ("Pedigree", "line", label("line")),
    ] {
        let (_, rest) = list.text.split_once(&format!("<optgroup label=\"{group}\">")).unwrap();
        let rest = rest.split("</optgroup>").next().unwrap();
        assert!(rest.contains(&format!("<option value=\"{option}\">{text}</option>")), "{option}: {rest}");
        list.has_in(&group, &[&format!("<legend>{group}</legend>")]);
    }
    let russian = russian(w, "alpha", "/book/animals").await;
    russian.has(&["<optgroup label=\"Оценка\">", "<optgroup label=\"Владелец\">"]);
    // Dictionaries have nothing beside their names.
    list.lacks(&["value=\"breed.name\""]);
}
