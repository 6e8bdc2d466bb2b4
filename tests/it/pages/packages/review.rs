//! The review of a package on its page: rows and cells with their faults, findings, decisions. Farm and Association see
//! the same, and nobody more than the API answers.

use crate::packages::desk::sent;
use crate::pages::{BROWSER, assert_sound, doc, goes, page, send};
use crate::rest::world::World;
use serde_json::{Value, json};

const HEAD: &str = "Инд.№;Дата замера;Удой за день, кг;Настроение";

/// A package of Alpha: a row that is taken, one with a cell that cannot be read, one of no animal.
async fn package(w: &World<'_>) -> i64 {
    let file = format!(
        "{HEAD}\r\n960000000002;01.02.2026;30,5;добрая\r\n960000000002;02.02.2026;много;злая\r\n111;03.02.2026;31;<b>\r\n"
    );
    let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({"kind": "productivity"})).await;
    package["id"].as_i64().unwrap()
}

fn rows(text: &str) -> usize {
    let table = text.split("class=\"list sent\"").nth(1).unwrap_or_default();
    table.split("</table>").next().unwrap().matches("<th scope=\"row\"").count()
}

#[test_with(World::each)]
async fn faults_stand_beside_their_cells(w: &World<'_>) {
    let id = package(w).await;
    let path = format!("/book/data-submissions/{id}");
    let api = doc(w, "alpha", &format!("/api/data-submissions/{id}/rows?depth=0")).await;
    for who in ["alpha", "viewer", "expert"] {
        let answer = page(w, who, &format!("{path}?state=all")).await;
        assert_eq!(answer.status, 200, "{who}");
        assert_sound(&answer, who);
        assert_eq!(rows(&answer.text) as u64, api["totalDocs"].as_u64().unwrap(), "{who}: {}", answer.text);
        for title in HEAD.split(';') {
            answer.has_in(&title, &[&format!("<th scope=\"col\">{title}</th>")]);
        }
        let cell = "<td class=\"faulty\" data-head=\"Удой за день, кг\">много<ul class=\"remarks\">";
        answer.has(&[cell]);
        answer.has(&["&lt;b&gt;"]);
        for file in "format=csv&amp;state=held&amp;language=en\" \
            format=xlsx&amp;state=held&amp;language=en\" format=xlsx&amp;language=en\""
            .split(' ')
        {
            answer.has_in(&file, &[&format!("/api/data-submissions/{id}/table?{file}")]);
        }
    }
    let russian = [BROWSER[0], ("accept-language", "ru")];
    let russian = w.send("alpha", "GET", &path, &russian, "").await;
    russian.has(&["Укажите число.", "Число от 0 до 150."]);
    let held_rows = page(w, "alpha", &format!("{path}?state=held")).await;
    let of_api = format!("/api/data-submissions/{id}/rows?depth=0&where[state][equals]=held");
    let of_api = doc(w, "alpha", &of_api).await["totalDocs"].as_u64().unwrap();
    assert_eq!((rows(&held_rows.text) as u64, of_api), (of_api, 2), "{}", held_rows.text);
    held_rows.has(&["111"]);
    held_rows.lacks(&["добрая"]);
    let last = page(w, "alpha", &format!("{path}?sort=-line&state=all")).await;
    let place = |text: &str| last.text.find(text).unwrap();
    assert!(place("03.02.2026") < place("01.02.2026"), "{}", last.text);
    // Words that the page does not know change nothing.
    let odd = page(w, "alpha", &format!("{path}?state=none&sort=submission&page=x")).await;
    assert_eq!(rows(&odd.text), 2, "as without them: the rows to mend");
    assert_eq!(page(w, "beta", &path).await.status, 404);
    assert!(goes(&page(w, "", &path).await).starts_with("/sign-in"));
}

#[test_with(World::each)]
async fn a_file_that_cannot_be_read_is_told_first(w: &World<'_>) {
    let file = b"nothing of this is a table";
    let id = sent(w, "alpha", "t.csv", file, &json!({})).await["id"].clone();
    let path = format!("/book/data-submissions/{id}");
    for (language, sentence) in table![
        "en", "None of the first 20 rows has two headings that are known. Write";
        "ru", "Ни в одной из первых 20 строк нет двух известных заголовков. Напишите";
    ] {
        let headers = [BROWSER[0], ("accept-language", language)];
        let page = w.send("alpha", "GET", &path, &headers, "").await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert_sound(&page, language);
        let place = |text: &str| page.text.find(text);
        assert!(place("id=\"unread\"") < place(sentence), "{}", page.text);
        assert!(place(sentence) < place("name=\"consent.agreed\""), "{}", page.text);
        assert_eq!((place("id=\"findings\""), place("id=\"rows\"")), (None, None));
    }
}

#[test_with(World::each)]
async fn unread_and_replaced_packages_wait_for_nobody(w: &World<'_>) {
    let waits = async |id: i64| {
        let home = page(w, "expert", "/").await.text;
        home.contains(&format!("/book/data-submissions/{id}\""))
    };
    let first = package(w).await;
    let unread = sent(w, "alpha", "u.csv", b"no table", &json!({})).await;
    holds!(unread, {"intake.state": "failed"});
    assert!(waits(first).await);
    assert!(!waits(unread["id"].as_i64().unwrap()).await);
    let file = format!("{HEAD}\r\n960000000002;01.02.2026;31;\r\n");
    let body = json!({"kind": "productivity", "replaces": first});
    let second = sent(w, "alpha", "v.csv", file.as_bytes(), &body).await;
    holds!(w.doc("data-submissions", first).await, {"intake.state": "replaced"});
    assert!(!waits(first).await);
    assert!(waits(second["id"].as_i64().unwrap()).await);
}

async fn fixes(w: &World<'_>) -> Vec<Value> {
    w.list("check-findings", "depth=0&where[severity][equals]=fix&where[state][equals]=open").await
}

#[test_with(World::each)]
async fn the_association_decides_on_findings_and_signs(w: &World<'_>) {
    let id = package(w).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let open = fixes(w).await;
    assert!(!open.is_empty());
    let (path, finding) = (format!("/book/data-submissions/{id}"), open[0]["id"].as_i64().unwrap());
    let farm = page(w, "alpha", &path).await;
    let office = page(w, "expert", &path).await;
    assert_sound(&office, "review");
    // Animals have their names and numbers.
    for answer in [&farm, &office] {
        let (_, findings) = answer.text.split_once("id=\"findings\"").unwrap();
        let (findings, _) = findings.split_once("</table>").unwrap();
        assert!(findings.contains("href=\"/book/animals/2\">Animal 2 960000000002</a>"), "{findings}");
    }
    let sentence = open[0]["message"]["en"].as_str().unwrap();
    assert!(farm.text.contains(sentence) && office.text.contains(sentence), "{}", office.text);
    for (text, offered) in [
        ("/tell\"", true),
        ("/sample\"", true),
        ("name=\"state\" value=\"dismissed\"", true),
        ("Sign it", true),
        ("Send it back", true),
    ] {
        assert_eq!(office.text.contains(text), offered, "{text}: {}", office.text);
        farm.lacks_in(&text, &[text]);
    }
    // No two controls have one id.
    let mut ids: Vec<&str> = office.text.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "{}", office.text);
    // A finding is dismissed with a reason, and the visitor comes back.
    let act = format!("/book/check-findings/{finding}");
    let next = format!("{path}?#findings");
    let mut fields = vec![("next", next.as_str()), ("state", "dismissed"), ("dismissed.reason", "")];
    assert_eq!(send(w, "expert", &act, &fields).await.status, 400);
    fields[2].1 = "It was a twin.";
    assert!([403, 404].contains(&send(w, "alpha", &act, &fields).await.status));
    assert_eq!(goes(&send(w, "expert", &act, &fields).await), next);
    holds!(w.doc("check-findings", finding).await, {"state": "dismissed", "dismissed.reason": "It was a twin."});
    page(w, "alpha", &path).await.has(&["It was a twin."]);
    // The review names the others, one for each animal, and the package is signed.
    changed!(w, "expert", "check-findings", finding, {"state": "open"});
    for who in ["alpha", "beta"] {
        assert!([403, 404].contains(&send(w, who, &format!("{path}/tell"), &[]).await.status), "{who}");
    }
    assert_eq!(w.doc("data-submissions", id).await["review"]["findings"], json!([]));
    for _ in 0..2 {
        assert_eq!(goes(&send(w, "expert", &format!("{path}/tell"), &[]).await), format!("{path}#findings"));
    }
    let findings = w.doc("data-submissions", id).await["review"]["findings"].clone();
    assert_eq!(findings.as_array().unwrap().len(), 1, "{findings}");
    holds!(findings[0], {"animal": 2, "severity": "fix"});
    assert_eq!(goes(&send(w, "expert", &path, &[("status", "checked")]).await), path);
    holds!(w.doc("data-submissions", id).await, {"status": "checked"});
    // What is signed stays as it is.
    page(w, "expert", &path).await.lacks(&["/tell\""]);
    let late = send(w, "expert", &format!("{path}/tell"), &[]).await;
    assert_eq!(late.status, 409);
    late.has(&["its review does not change any more"]);
    assert_eq!(w.doc("data-submissions", id).await["review"]["findings"], findings);
    let farm = page(w, "alpha", &path).await;
    farm.has(&["Agree to the publication"]);
}

#[test_with(World::each)]
async fn findings_of_other_records_of_its_animals_are_none_of_the_package(w: &World<'_>) {
    let other = made!(w, "alpha", "milk-tests", {"animal": 2, "date": "2026-01-15", "milkYield": 30});
    let id = package(w).await;
    changed!(w, "expert", "data-submissions", id, {"status": "checking"});
    let of_record = |finding: &&Value, own: bool| (finding["recordId"] == other) != own;
    let all = fixes(w).await;
    let own = all.iter().filter(|one| of_record(one, true) && one["collection"] == "milk-tests").count();
    assert!(own > 0 && all.iter().any(|one| of_record(&one, false)), "{all:?}");
    let answer = page(w, "expert", &format!("/book/data-submissions/{id}")).await;
    let (_, section) = answer.text.split_once("id=\"findings\"").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    assert!(!section.contains(&format!("/book/milk-tests/{other}\"")), "{section}");
    let count = section.split("<dd>").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(count, own.to_string(), "{section}");
}

#[test_with(World::each)]
async fn rows_are_drawn_again_by_their_seed(w: &World<'_>) {
    let days = (1..=8).map(|day| format!("960000000002;{day:02}.02.2026;30,5;\r\n"));
    let file = format!("{HEAD}\r\n{}", days.collect::<String>());
    let id = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({})).await["id"].clone();
    let path = format!("/book/data-submissions/{id}/sample");
    for seed in ["cow", "bull", "calf", "herd"] {
        let drawn = page(w, "expert", &format!("{path}?n=1&seed={seed}")).await;
        assert_eq!(drawn.status, 200, "{}", drawn.text);
        assert_sound(&drawn, "sample");
        let api = format!("/api/data-submissions/{id}/sample?n=1&seed={seed}&depth=0");
        let api = doc(w, "expert", &api).await;
        let row = format!("<a href=\"/book/milk-tests/{}\">", api["docs"][0]["doc"]["id"]);
        drawn.has_in(&format_args!("{seed} {row}"), &[&row]);
        assert_eq!(drawn.text.matches("<th scope=\"row\"").count(), 1);
    }
    for (who, status) in [("alpha", 403), ("beta", 404)] {
        assert_eq!(page(w, who, &path).await.status, status, "{who}");
    }
    page(w, "expert", "/book/animals/2/sample").await.assert_is(404, "");
    assert_eq!(page(w, "expert", &format!("{path}?n=x")).await.status, 400);
}
