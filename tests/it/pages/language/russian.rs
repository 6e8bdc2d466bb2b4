//! Pages and files in Russian have no words of the program: every word in Latin letters is of a record, or of a short
//! list; those in English have no Russian words.

use crate::matrix::world;
use crate::packages::desk;
use crate::pages::{BROWSER, assert_sound};
use crate::rest::certificates::issue::{COW, PEDIGREE, family};
use crate::rest::reading::spreadsheets::read;
use crate::rest::stage::{Answer, Stage, request};
use crate::rest::world::World;
use crate::support::root;
use axum::body::Body;
use model::messages::{Language, Sentence, labels};
use model::registry::Kind;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use store::Dialect;

/// Names that Russian has no other word for: of standards and formats, of programs, and those that breeders use.
const NAMES: [&str; 38] = [
    "ADE",
    "API",
    "BCS",
    "BLAD",
    "CSV",
    "CVM",
    "DUMPS",
    "EX",
    "English",
    "Excel",
    "GP",
    "GTIN",
    "GraphQL",
    "ICAR",
    "II",
    "III",
    "IP",
    "ISAG",
    "ISO",
    "Interbull",
    "JSON",
    "NDJSON",
    "OpenAPI",
    "PDF",
    "Python",
    "REST",
    "RUS",
    "SHA",
    "SNP",
    "TypeScript",
    "URL",
    "UTC",
    "UTF",
    "UUID",
    "VG",
    "WHFF",
    "XLSX",
    "curl",
];
/// Attributes that people read or hear.
const READ: [&str; 5] = ["aria-label", "title", "placeholder", "alt", "data-head"];
/// What is no language: addresses, programs, what the browser does.
const CODE: [&str; 4] = ["code", "pre", "script", "style"];

/// The texts of a page that people read or hear, in the order in which they stand.
fn texts(page: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut code: Option<&str> = None;
    let (_, body) = page.split_once("</title>").unwrap_or(("", page));
    for piece in body.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or_default();
        match code {
            Some(open) if tag.starts_with('/') && name == open => code = None,
            Some(_) => continue,
            None => code = CODE.into_iter().find(|one| *one == name && !tag.starts_with('/')),
        }
        let values = READ.iter().filter_map(|name| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()
        });
        all.extend(values.map(str::to_owned));
        if code.is_none() {
            all.push(text.trim().to_owned());
        }
    }
    all.retain(|text| !text.is_empty());
    all
}

/// The words of a text that have Cyrillic letters.
fn cyrillic(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphabetic());
    let words = words.filter(|word| word.chars().any(|c| matches!(c, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё')));
    words.map(str::to_owned).collect()
}

/// The words of a text in Latin letters, but for those of data: addresses, and words with digits.
fn latin(text: &str) -> BTreeSet<String> {
    let text = text.replace("&quot;", " ").replace("&amp;", " ").replace("&lt;", " ").replace("&gt;", " ");
    let pieces = text.split_whitespace();
    let pieces = pieces.filter(|piece| !piece.contains('@') && !piece.contains("://"));
    let words = pieces.flat_map(|piece| piece.split(|c: char| !c.is_alphanumeric()));
    let words = words.filter(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic()));
    words.map(str::to_owned).collect()
}

/// What is strange on pages, with the places.
#[derive(Default)]
struct Strange {
    pages: usize,
    found: BTreeMap<String, Vec<String>>,
}

impl Strange {
    /// Reads a page; `data` are the words of records.
    fn read(&mut self, case: &str, page: &Answer, data: &BTreeSet<String>) {
        assert_sound(page, case);
        page.has_in(&case, &["<html lang=\"ru\">"]);
        self.pages += 1;
        for text in texts(&page.text) {
            for word in latin(&text) {
                if !NAMES.contains(&word.as_str()) && !data.contains(&word) {
                    let places = self.found.entry(word).or_default();
                    if places.len() < 2 {
                        places.push(format!("{case}: {text}"));
                    }
                }
            }
        }
    }

    fn assert_none(&self, least: usize) {
        let lines: Vec<String> =
            (self.found.iter()).map(|(word, places)| format!("{word}\n    {}", places.join("\n    "))).collect();
        assert!(lines.is_empty(), "{} words:\n{}", lines.len(), lines.join("\n"));
        assert!(self.pages >= least, "{} pages", self.pages);
    }
}

fn words(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// Every collection with rows in all its states, in lists with all columns, on the page of a record, and in forms.
#[tokio::test]
async fn no_page_of_the_book_has_words_of_the_program() {
    // What the rows of this world have as long texts, as free JSON, and as the names of files.
    let data = words(&["About", "any", "demo", "herdbook", "own"]);
    world::on(Dialect::Sqlite, &async |stage: &Stage, tokens: world::Tokens| {
        let mut strange = Strange::default();
        for who in ["head", "expert"] {
            let page = async |path: &str| {
                let token = ("authorization", tokens[who].as_str());
                let headers = [BROWSER[0], ("cookie", "language=ru"), token];
                stage.ask(request("GET", path, &headers, Body::empty())).await
            };
            for place in "/ /book /account /api-docs /evaluation /exchange /find?q=1 /help /help?role=visitor /partners"
                .split(' ')
            {
                let answer = page(place).await;
                if answer.status != 303 {
                    strange.read(&format!("{who} {place}"), &answer, &data);
                }
            }
            let operations = page("/api-docs/operations.json").await.json();
            let tags = operations.as_array().unwrap().iter().map(|one| one["tag"].as_str().unwrap());
            for tag in tags.filter(|_| who == "expert").collect::<BTreeSet<&str>>() {
                let tag: String = url::form_urlencoded::byte_serialize(tag.as_bytes()).collect();
                strange.read(&format!("{who} {tag}"), &page(&format!("/api-docs?tag={tag}")).await, &data);
            }
            for c in stage.book.registry.iter() {
                let columns: Vec<&str> = c.fields.iter().map(|field| field.path.as_str()).collect();
                let list = format!("/book/{}?limit=12&columns={}", c.slug, columns.join(","));
                let answer = page(&list).await;
                strange.read(&format!("{who} {}", c.slug), &answer, &data);
                let link = format!("href=\"/book/{}/", c.slug);
                let ids = answer.text.split(link.as_str()).skip(1);
                let ids = ids.filter_map(|rest| rest.split('"').next()?.parse::<i64>().ok());
                let ids: BTreeSet<i64> = ids.collect();
                for id in ids.into_iter().take(2) {
                    for place in ["", "/edit", "/certificates"] {
                        let path = format!("/book/{}/{id}{place}", c.slug);
                        let answer = page(&path).await;
                        if answer.status != 404 {
                            strange.read(&format!("{who} {path}"), &answer, &data);
                        }
                    }
                }
                let path = format!("/book/{}/new", c.slug);
                strange.read(&format!("{who} {path}"), &page(&path).await, &data);
            }
        }
        strange.assert_none(300);
    })
    .await;
}

const TABLE: &str = "Инд.№;Дата замера;Удой за день, кг;Настроение\r\n960000000002;01.02.2026;30,5;добрая\r\n960000000002;02.02.2026;много;злая\r\n111;03.02.2026;31;-\r\n";

/// What comes of a file, of certificates, links and mergers, and what is refused.
#[test_with(World::each)]
async fn no_page_of_what_is_done_has_words_of_the_program(w: &World<'_>) {
    let mut strange = Strange::default();
    // Names and addresses of the records of this book.
    let data = words(&[
        "Alpha", "Beta", "Gamma", "Delta", "Surplus", "Udder", "nothing", "utf", "Ann", "Smith", "Animal", "csv",
        "example", "demo", "herdbook", "Name", "RU",
    ]);
    let kind = json!({"kind": "productivity", "dataset": "milkTests"});
    let package = desk::sent(w, "alpha", "t.csv", TABLE.as_bytes(), &kind).await;
    let package = format!("/book/data-submissions/{}", package["id"]);
    family(w).await;
    made!(w, "alpha", "webhooks", {"url": "https://partner.example/hook", "dataset": "animals"});
    for who in ["alpha", "expert"] {
        for path in [
            package.as_str(),
            "/",
            "/book/submission-rows",
            "/book/check-findings",
            "/book/animals/2/move/state",
            "/book/animals/2/move/state/dead",
            "/book/movements/grid",
        ] {
            let page = crate::pages::russian(w, who, path).await;
            strange.read(&format!("{who} {path}"), &page, &data);
        }
    }
    // A finding that names a field, and the protocol.
    let findings =
        json!({"review": {"findings": [{"animal": 2, "field": "milkYield", "severity": "fix", "text": "Мало."}]}});
    let id: i64 = package.rsplit('/').next().unwrap().parse().unwrap();
    w.changed("expert", "data-submissions", id, findings).await;
    strange.read("expert findings", &crate::pages::russian(w, "expert", &package).await, &data);
    let protocol = crate::pages::russian(w, "expert", &format!("/api/data-submissions/{id}/protocol")).await;
    let strangers: BTreeSet<String> = texts(&protocol.text).iter().flat_map(|text| latin(text)).collect();
    let strangers: Vec<&String> =
        strangers.iter().filter(|word| !NAMES.contains(&word.as_str()) && !data.contains(*word)).collect();
    assert!(strangers.is_empty(), "{strangers:?}: {}", protocol.text);
    protocol.has(&["Контрольные доения", "Удой за сутки, кг"]);
    // Certificates for many.
    let many = "/book/documents/many/for-animals";
    strange.read("many", &crate::pages::russian(w, "expert", many).await, &data);
    for make in [false, true] {
        let cows = format!("[{COW}]\n[31]\n[777777]");
        let mut fields = vec![
            ("type", PEDIGREE),
            ("title", "Свидетельство"),
            ("organization", "[1]"),
            ("animals", cows.as_str()),
            ("issuedAt", "2026-03-01"),
        ];
        fields.extend(make.then_some(("_make", "true")));
        strange.read(&format!("many {make}"), &sent(w, "expert", many, &fields).await, &data);
        fields[3].1 = "[31]";
        strange.read(&format!("some {make}"), &sent(w, "expert", many, &fields).await, &data);
        let cow = format!("[{COW}]");
        fields[3].1 = &cow;
        strange.read(&format!("one {make}"), &sent(w, "expert", many, &fields).await, &data);
    }
    // What is refused.
    for (who, path, fields) in [
        ("alpha", "/book/milk-tests/new", vec![("animal", "[2]"), ("date", "2030-01-01"), ("milkYield", "300")]),
        ("alpha", "/book/verification-requests/new", vec![("purpose", "registration"), ("animals", "[1]\n[2]\n[3]")]),
        ("alpha", "/book/movements/new", vec![("animal", "[2]"), ("kind", "sale")]),
        ("expert", package.as_str(), vec![("status", "accepted"), ("_step", "status/accepted")]),
        ("expert", "/book/check-thresholds/new", vec![("key", "nothing"), ("value", "x")]),
        ("beta", "/book/animals/2/edit", vec![("name", "x")]),
    ] {
        let refused = sent(w, who, path, &fields).await;
        assert!(refused.status >= 400, "{who} {path}: {}", refused.status);
        strange.read(&format!("{who} {path}"), &refused, &data);
    }
    strange.assert_none(20);
}

/// What stands behind the question marks of fields; names of fields and options stand between backticks.
#[test]
fn no_meaning_of_a_field_has_words_of_the_program() {
    let registry = domain::collections::registry().expect("sound declarations");
    let (mut meanings, mut strange) = (0, Vec::new());
    for c in registry.iter() {
        let members = c.fields.iter().flat_map(|field| match &field.kind {
            Kind::Rows(members) => members.as_slice(),
            _ => &[],
        });
        let fields: Vec<_> = c.fields.iter().chain(members).collect();
        for field in &fields {
            let Some(text) = Sentence::from(field.doc).in_language(Language::Russian) else { continue };
            meanings += 1;
            for (place, piece) in text.split('`').enumerate() {
                let is_word = || fields.iter().any(|one| one.named_values().iter().any(|word| word == piece));
                let is_field = || labels::of_field(Language::Russian, c.slug, piece, &mut |_| {}).1;
                let sound = match place % 2 {
                    0 => latin(piece).iter().all(|word| NAMES.contains(&word.as_str())),
                    _ => is_word() || is_field(),
                };
                if !sound {
                    strange.push(format!("{}.{}: {piece}", c.slug, field.path));
                }
            }
        }
    }
    assert_eq!(strange, Vec::<String>::new());
    assert!(meanings > 150, "{meanings}");
}

#[test_with(World::each)]
async fn numbers_and_days_stand_in_a_refusal_as_people_write_them(w: &World<'_>) {
    for (animal, day, said) in [
        ("960000000099", "01.02.2026", "Животного с номером или кличкой «960000000099» в книге нет"),
        ("[2]", "12.06.2126", "Дата 12.06.2126 в будущем."),
        ("[2]", "31.02.2026", "Такой даты нет."),
        ("[2]", "02/01/2026", "Такой даты нет."),
    ] {
        let fields = [("animal", animal), ("date", day), ("milkYield", "30")];
        let refused = sent(w, "alpha", "/book/milk-tests/new", &fields).await;
        assert_eq!(refused.status, 400, "{animal} {day}");
        refused.has(&[said]);
    }
}

/// A form as a Russian browser sends it.
async fn sent(w: &World<'_>, who: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let kind = ("content-type", "application/x-www-form-urlencoded");
    let headers = [BROWSER[0], ("accept-language", "ru"), kind];
    w.send(who, "POST", path, &headers, crate::pages::form(fields)).await
}

/// Templates of files in both languages, and what is said of their columns.
#[test_with(World::each)]
async fn no_template_of_a_file_has_words_of_another_language(w: &World<'_>) {
    let mut strange = BTreeMap::new();
    for (_, set) in w.stage.book.registry.package_sets() {
        for language in ["ru", "en"] {
            let path = format!("/api/data-submissions/template?dataset={}&language={language}", set.name);
            let sheets = read(w.get("alpha", &path).await.bytes);
            let cells = sheets.iter().flat_map(|(sheet, rows)| rows.iter().flatten().chain([sheet]));
            for cell in cells {
                let words = if language == "ru" { latin(cell) } else { cyrillic(cell) };
                for word in words.into_iter().filter(|word| !NAMES.contains(&word.as_str())) {
                    strange.entry(word).or_insert_with(|| format!("{language} {}: {cell}", set.name));
                }
            }
        }
    }
    assert!(strange.is_empty(), "{strange:#?}");
}

/// Every letter with values of an example (`tests/golden/letters.txt`).
#[test]
fn no_letter_has_words_of_another_language() {
    // The values of the example, and a request that a letter shows where a service has no page.
    let data = words(&[
        "herdbook",
        "Ivanov",
        "Ivan",
        "Zarya",
        "Sons",
        "en",
        "scales",
        "See",
        "row",
        "Pedigree",
        "certificate",
        "POST",
        "Content",
        "Type",
        "application",
        "json",
        "token",
        "firstName",
        "lastName",
        "password",
    ]);
    let all = std::fs::read_to_string(root().join("tests/golden/letters.txt")).unwrap();
    let (letters, _) = all.split_once("== HTML of one ==").unwrap();
    let mut strange = BTreeMap::new();
    let mut language = "";
    for line in letters.lines() {
        match line.strip_prefix("== ").and_then(|head| head.strip_suffix(" ==")?.rsplit_once(" · ")) {
            Some((_, of)) => language = of,
            None => {
                let words = if language == "ru" { latin(line) } else { cyrillic(line) };
                for word in words.into_iter().filter(|word| !NAMES.contains(&word.as_str()) && !data.contains(word)) {
                    strange.entry(word).or_insert(line);
                }
            }
        }
    }
    assert!(language == "ru" && strange.is_empty(), "{strange:#?}");
}

/// The pages of the book in English have no Russian words but the name of the language.
#[test_with(World::each)]
async fn no_page_in_english_has_russian_words(w: &World<'_>) {
    let mut strange = BTreeMap::new();
    let places = "/ /book /account /api-docs /evaluation /exchange /find?q=1 /partners /book/animals/2";
    let lists = w.stage.book.registry.iter().map(|c| format!("/book/{}", c.slug));
    let forms = w.stage.book.registry.iter().map(|c| format!("/book/{}/new", c.slug));
    for path in places.split(' ').map(str::to_owned).chain(lists).chain(forms) {
        for who in ["alpha", "expert"] {
            let answer = crate::pages::page(w, who, &path).await;
            for text in texts(&answer.text) {
                for word in cyrillic(&text).into_iter().filter(|word| word != "Русский") {
                    strange.entry(word).or_insert_with(|| format!("{who} {path}: {text}"));
                }
            }
        }
    }
    assert!(strange.is_empty(), "{strange:#?}");
}
