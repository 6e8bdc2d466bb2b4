//! Pages behind cursors, deep pages, totals that are remembered, and exports.

use super::fixture::{Fixture, Who, books, collection, insert, parse_ask, run};
use crate::{Ask, Form};
use Who::{A, Anonymous, F1};
use model::record::Value;
use store::Sql;
use store::statement_log::read as statements;

/// Herds beyond the first two.
const MANY: i64 = 1_200;

async fn crowded() -> Vec<Fixture> {
    let all = books().await;
    for f in &all {
        let herd = |id: i64| {
            let name = (id % 7 > 0).then(|| format!("Herd {:02}", id % 50));
            vec![("name", name.into()), ("organization", Value::Int(1 + id % 2))]
        };
        run(&f.book, (3..3 + MANY).flat_map(|id| insert("herds", id, herd(id))).collect()).await;
    }
    all
}

async fn page(f: &Fixture, slug: &str, ask: Ask) -> (Vec<i64>, serde_json::Value, Option<String>) {
    let listing = f.book.list(&A.principal(), collection(slug), ask).await.unwrap();
    let next = listing.next.clone();
    let body = listing.collect().await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let ids = body["docs"].as_array().unwrap().iter().map(|doc| doc["id"].as_i64().unwrap()).collect();
    (ids, body, next)
}

#[test_each(books())]
async fn cursors_lead_through_every_order(f: Fixture) {
    for sort in [
        "",
        "id",
        "-id",
        "name",
        "-name",
        "weight",
        "-weight,name",
        "state,-birthDate",
        "archived,-weight,id",
        "herd.name,-tag",
        "-sire.name,weight",
        "-createdAt",
    ] {
        let whole = f.ids(A, &format!("limit=0&sort={sort}")).await;
        let mut ids_read = Vec::new();
        let mut after = None;
        for number in 1..=7 {
            let mut ask = parse_ask(&format!("limit=4&sort={sort}"));
            ask.after = after.take();
            let plain = parse_ask(&format!("limit=4&sort={sort}&page={number}"));
            let (ids, body, next) = page(&f, "animals", ask).await;
            assert_eq!(body, page(&f, "animals", plain).await.1, "{sort}: page {number}");
            ids_read.extend(ids);
            after = next;
        }
        assert_eq!((ids_read, after), (whole, None), "{sort}");
    }
}

#[test_each(books())]
async fn a_cursor_is_of_one_order(f: Fixture) {
    let (_, _, next) = page(&f, "animals", parse_ask("limit=4&sort=name")).await;
    let next = next.unwrap();
    for query in [
        format!("after={next}"),
        format!("after={next}&sort=-name"),
        "after=x".to_owned(),
        "after=e30".to_owned(),
        "after=W10".to_owned(),
        format!("after={}", "A".repeat(3_000)),
    ] {
        assert_eq!(f.refused(A, &query).await, ["after"], "{query}");
    }
    let open = f.ids(Anonymous, &format!("sort=name&limit=0&after={next}")).await;
    assert!(!open.is_empty() && open.iter().all(|id| id % 2 == 1), "rules hold");
    // A row that goes meanwhile neither hides nor repeats another one.
    let first = f.ids(A, "limit=4&sort=name").await;
    let second = f.ids(A, &format!("limit=4&sort=name&after={next}")).await;
    let gone = format!("DELETE FROM animals WHERE id = {}", first[0]);
    run(&f.book, vec![Sql::new(&gone)]).await;
    assert_eq!(f.ids(A, &format!("limit=4&sort=name&after={next}")).await, second);
}

#[test_each(crowded())]
async fn deep_pages_are_the_same_from_wherever_they_are_entered(f: Fixture) {
    for sort in ["", "name", "-name,id"] {
        let all = parse_ask(&format!("limit=0&sort={sort}"));
        let whole = page(&f, "herds", all).await.0;
        // Forwards, back again, to the end, and over it.
        for number in [16, 17, 18, 17, 16, 15, 24, 25, 26, 20, 14, 25] {
            let ask = parse_ask(&format!("limit=50&page={number}&sort={sort}"));
            let (ids, body, _) = page(&f, "herds", ask).await;
            let from = (number - 1) * 50;
            let expected: Vec<_> = whole.iter().skip(from).take(50).copied().collect();
            assert_eq!(ids, expected, "page {number} by {sort}");
            assert_eq!(body["totalDocs"], 1202);
            assert_eq!(body["pagingCounter"], from + 1);
            assert_eq!(body["hasNextPage"], number < 25);
        }
    }
}

#[test_each(crowded())]
async fn a_neighbour_of_a_deep_page_skips_no_rows(f: Fixture) {
    let heard = async |number: usize| {
        statements();
        page(&f, "herds", parse_ask(&format!("limit=50&page={number}"))).await;
        statements()
    };
    let skips = |all: &[String]| all.iter().any(|sql| sql.contains("OFFSET"));
    assert!(skips(&heard(15).await), "nothing is known yet");
    let next = heard(16).await;
    assert!(!skips(&next), "{next:#?}");
    // Until a write happens.
    run(&f.book, insert("herds", 5_000, vec![("name", "New".into())])).await;
    assert!(skips(&heard(17).await));
}

#[test_each(crowded())]
async fn who_jumps_far_twice_finds_signposts(f: Fixture) {
    for sort in ["", "name", "-name,id", "organization.name,-name"] {
        let all = parse_ask(&format!("limit=0&sort={sort}"));
        let whole = page(&f, "herds", all).await.0;
        statements();
        for number in [60, 110, 75, 101, 66, 119, 90, 55, 121] {
            let ask = parse_ask(&format!("limit=10&page={number}&sort={sort}"));
            let ids = page(&f, "herds", ask).await.0;
            let from = (number - 1) * 10;
            let expected: Vec<_> = whole.iter().skip(from).take(10).copied().collect();
            assert_eq!(ids, expected, "page {number} by {sort}");
        }
        let put_up = statements().iter().filter(|sql| sql.contains("signposts")).count();
        assert_eq!(put_up, 1, "{sort}");
    }
}

#[test_each(books())]
async fn totals_are_remembered_until_somebody_writes(f: Fixture) {
    let counts = async |who: Who| {
        statements();
        let n = f.n(who, "limit=5").await;
        let counted = statements().iter().filter(|s| s.contains("count(*)")).count();
        (n, counted)
    };
    assert_eq!(counts(A).await, (25, 1));
    assert_eq!(counts(A).await, (25, 0));
    assert_eq!(counts(Anonymous).await, (13, 1), "others count for themselves");
    assert_eq!(counts(Anonymous).await, (13, 0));
    let tag = vec![("tag", "X".into()), ("public", true.into())];
    run(&f.book, insert("animals", 26, tag)).await;
    assert_eq!(counts(A).await, (26, 1));
    assert_eq!(counts(Anonymous).await, (14, 1));
    let gone = f.book.store.write(|tx| {
        let sql = Sql::new("DELETE FROM animals WHERE id = 26");
        Box::pin(async move { tx.run(sql).await })
    });
    assert_eq!(gone.await.unwrap(), 1);
    assert_eq!(counts(A).await, (25, 1), "also what has no place in the sequence");
    let alive = parse_ask("where[state][equals]=alive").filter;
    let animals = collection("animals");
    let count = f.book.count(&A.principal(), animals, alive.as_ref()).await;
    assert_eq!(count.unwrap(), 9, "by condition");
}

#[test_each(crowded())]
async fn exports_are_lines_or_a_table(f: Fixture) {
    let export = async |who: Who, slug, query: &str, form| {
        let ask = Ask { form, ..parse_ask(query) };
        let listing = f.book.list(&who.principal(), collection(slug), ask).await;
        String::from_utf8(listing.unwrap().collect().await.unwrap()).unwrap()
    };
    let lines = export(A, "herds", "limit=0&sort=id&depth=1", Form::Lines).await;
    let lines: Vec<serde_json::Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 1202);
    assert_eq!(lines[600]["id"], 601);
    assert_eq!(lines[0]["organization"]["name"], "Org One");
    let table = export(A, "herds", "limit=0&sort=id&select[name]=true&depth=1", Form::Table);
    let table = table.await;
    let mut rows = table.split("\r\n");
    assert_eq!(rows.next(), Some("id,name"));
    assert_eq!(rows.next(), Some("1,Alpha"));
    assert_eq!(table.matches("\r\n").count(), 1203);
    run(&f.book, insert("herds", 9_000, vec![("name", "=1+1, \"x\"".into())])).await;
    let odd = export(A, "herds", "where[id][equals]=9000&select[name]=true", Form::Table);
    assert_eq!(odd.await, "id,name\r\n9000,\"'=1+1, \"\"x\"\"\"\r\n");
    let cells = "where[id][equals]=1&select[position]=true&select[offspring]=true\
                 &select[shows][title]=true&select[birthDate]=true&select[archived]=true";
    assert_eq!(
        export(A, "animals", cells, Form::Table).await,
        "id,archived,birthDate,offspring,shows,position.barn,position.box\r\n\
         1,true,2010-01-10T00:00:00.000Z,\"[7,5,6]\",\
         \"[{\"\"id\"\":\"\"a\"\",\"\"title\"\":\"\"Fair, \\\"\"1\\\"\"\"\"}]\",0,\r\n"
    );
    let closed = "where[id][equals]=3&select[card]=true&select[tag]=true";
    assert_eq!(export(Anonymous, "animals", closed, Form::Table).await, "id,tag,card\r\n3,BE0002,\r\n");
    let none = export(A, "herds", "where[id][equals]=77777", Form::Lines).await;
    assert_eq!(none, "");
}

#[test_each(books())]
async fn who_is_an_own_ancestor_is_walked_no_further_than_requested(f: Fixture) {
    run(&f.book, vec![Sql::new("UPDATE animals SET sire = 1, dam = 1 WHERE id = 1")]).await;
    statements();
    let view = crate::View::read(&model::query::qs::parse("select[tag]=true").unwrap(), 0);
    let body = f.book.lineage(&A.principal(), collection("animals"), 1, 10, &view).await.unwrap();
    assert!(statements().len() <= 3);
    let cycle: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(cycle["nodes"].as_array().map(Vec::len), Some(2047));
    assert_eq!(cycle["pedigreeDepth"], 10.0);
}

/// A bounded count agrees with the exact one as far as it goes, whoever asks.
#[tokio::test]
async fn a_bounded_count_is_the_exact_one_up_to_its_bound() {
    const BOUNDS: [u64; 8] = [0, 1, 15, 1_000, 1_201, 1_202, 1_203, 9_000];
    const PAGES: [(u64, u64); 6] = [(10, 1), (10, 2), (10, 3), (7, 150), (600, 1), (600, 3)];
    let conditions = ["", "&where[id][greater_than]=3", "&where[id][less_than]=0"];
    let count = |bound: u64| match bound {
        0 => "count=none".to_owned(),
        _ => format!("count=bounded&countLimit={bound}"),
    };
    for f in crowded().await {
        for (who, slug) in [(A, "herds"), (Anonymous, "herds"), (A, "animals"), (F1, "animals")] {
            for condition in conditions {
                // Exact totals, which are remembered, come last.
                let mut cases = Vec::new();
                for (limit, page) in PAGES {
                    let page = format!("limit={limit}&page={page}&sort=id{condition}");
                    for bound in BOUNDS {
                        let query = format!("{page}&{}", count(bound));
                        let some = f.list(who, slug, &query).await.unwrap();
                        cases.push((limit, page.clone(), bound, some));
                    }
                }
                for (limit, page, bound, some) in cases {
                    let exact = f.list(who, slug, &page).await.unwrap();
                    let bounded_page = format!("{page}&{}", count(bound));
                    assert_eq!(f.list(who, slug, &bounded_page).await.unwrap(), some, "{bounded_page}");
                    let all = exact["totalDocs"].as_u64().unwrap();
                    let what = format!("{slug}?{page}, {bound} of {all}: {some}");
                    for same in ["docs", "hasNextPage", "hasPrevPage", "nextPage", "page"] {
                        assert_eq!(some[same], exact[same], "{same}: {what}");
                    }
                    let most = bound.max(exact["page"].as_u64().unwrap() * limit);
                    if all <= most {
                        assert_eq!(some, exact, "{what}");
                        continue;
                    }
                    assert_eq!(some["totalIsBounded"], true, "{what}");
                    assert_eq!(some["totalDocs"], most, "{what}");
                    let pages = some["totalPages"].as_u64().unwrap();
                    assert!(pages <= exact["totalPages"].as_u64().unwrap(), "{what}");
                    let next = some["nextPage"].as_u64().unwrap_or(1);
                    assert!(pages >= next && pages >= most / limit, "{what}");
                }
            }
        }
    }
}
