//! The certificate as a sheet of paper: the stored snapshot in the words of the page.

use super::paper::{LACTATIONS, Paper, TESTS, plain};
use super::words::{Words, in_language, path};
use crate::layers::language::numbering;
use domain::collections::certificates::Form;
use model::display;
use model::messages::Language;
use paper::{Block, Cell, Code, Day, Emblem, Head, Look, Sheet, Signature, Table, Tree};
use serde_json::Value;

pub(crate) fn sheet(paper: Paper<'_>, language: Language) -> Sheet {
    let snapshot = &in_language(paper.snapshot, language);
    let of = |name: &str| snapshot.get(name).unwrap_or(&Value::Null);
    let w = |name: &str| language.phrase(name);
    let number = text(snapshot, "number");
    let issued = text(snapshot, "issuedAt");
    let form = of("form").as_str().unwrap_or("certificate");
    let mut blocks = vec![head(paper, form, (number, issued), language)];
    if let Some((at, reason)) = paper.revoked {
        blocks.push(Block::Alarm(format!("{} {}. {reason}", w("revoked"), display::with_days(language, at))));
    }
    let animal = of("animal");
    let below = ["nameLatin", "identNumber"].map(|name| text(animal, name));
    let name = text(animal, "name").to_owned();
    blocks.push(Block::Subject(name, joined(&below, " · ")));
    let mut pairs = members(animal, language);
    for name in ["owner", "breeder"] {
        pairs.extend(plain(name, of(name), language).map(|value| (w(name), value)));
    }
    pairs.extend(improvers(animal, language));
    let numbers = animal.get("altIds").unwrap_or(&Value::Null);
    pairs.extend(members(numbers, language));
    let mut section = |title: &str, content: Vec<Block>| {
        if !content.is_empty() {
            blocks.push(Block::Heading(w(title)));
            blocks.extend(content);
        }
    };
    section("animal", in_columns(pairs, 2));
    section("pedigree", pedigree(of("pedigree"), form, language));
    let parents = in_columns(members(of("parents"), language), 2);
    let tests = table(of("parentage"), &TESTS, language);
    let title = match tests.is_empty() {
        true => "parents",
        false => "parentage",
    };
    section(title, [parents, tests].concat());
    section("index", in_columns(members(of("index"), language), 3));
    let lactations = table(of("lactations"), &LACTATIONS, language);
    section("lactations", lactations);
    section("exterior", in_columns(members(of("exterior"), language), 3));
    let face = paper.face;
    blocks.push(Block::Signature(Signature {
        issuer: [w("issuer"), face.issuer.clone()],
        signatory: [w("signatory"), face.signatory.clone()],
        seal: w("seal"),
    }));
    Sheet {
        title: format!("{} {number}", w(form)),
        language: language.word(),
        author: face.issuer.clone(),
        day: Day::read(issued).unwrap_or_default(),
        look: Look::Framed,
        accent: face.color.map(|color| (color.0, color.1, color.2)),
        blocks,
        footer: format!("{} · {number}", face.name),
        numbering: numbering(language),
    }
}

fn text<'d>(doc: &'d Value, name: &str) -> &'d str {
    doc.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn joined(parts: &[&str], between: &str) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.copied().collect::<Vec<_>>().join(between)
}

fn head(paper: Paper<'_>, form: &str, (number, issued): (&str, &str), language: Language) -> Block {
    let w = |name: &str| language.phrase(name);
    let (address, whole) = paper.address(number);
    let (code, face) = (paper.code, paper.face);
    Block::Head(Head {
        emblem: face.emblem.as_ref().and_then(|emblem| Emblem::of(&emblem.bytes, &face.name)),
        over: face.name.clone(),
        title: w(form),
        under: vec![
            // Where the code stands, for those who must type it.
            format!("{} {number} · {} {code}", w("number"), w("code")),
            format!("{} {}", w("issuedAt"), display::with_days(language, issued)),
        ],
        code: whole.as_deref().and_then(Code::of),
        caption: format!("{} {address} {} {code}", w("check-at"), w("code-is")),
    })
}

/// The members of an object that are neither lists nor objects.
fn members(object: &Value, language: Language) -> Vec<(String, String)> {
    let members = object.as_object().into_iter().flatten();
    let pairs = members.filter_map(|(name, value)| Some((language.phrase(name), plain(name, value, language)?)));
    pairs.collect()
}

/// Pairs, if there are any.
fn in_columns(pairs: Vec<(String, String)>, columns: u8) -> Vec<Block> {
    match pairs.is_empty() {
        true => Vec::new(),
        false => vec![Block::Pairs { pairs, columns }],
    }
}

/// Breeds with their shares, as one pair.
fn improvers(animal: &Value, language: Language) -> Option<(String, String)> {
    let rows = animal.get("improvers").and_then(Value::as_array)?;
    let one = |row: &Value| {
        let text = |name: &str| row.get(name).and_then(|value| plain(name, value, language));
        let share = text("share").map(|share| format!("{share} %"));
        joined(&[&text("breed").unwrap_or_default(), &share.unwrap_or_default()], " ")
    };
    let all: Vec<String> = rows.iter().map(one).collect();
    (!all.is_empty()).then(|| (language.phrase("improvers"), all.join(", ")))
}

/// Rows as a table, if there are any; columns without a value are left out.
fn table(rows: &Value, columns: &[&str], language: Language) -> Vec<Block> {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    let columns = columns.iter().filter(|name| values(rows, name).next().is_some());
    let columns: Vec<&str> = columns.copied().collect();
    let head = |name: &&str| {
        let numbers = values(rows, name).all(Value::is_number);
        (language.phrase(name), numbers)
    };
    let cell = |row: &Value, name: &str| {
        let value = row.get(name).and_then(|value| plain(name, value, language));
        value.unwrap_or_default()
    };
    let cells = |row: &Value| columns.iter().map(|name| cell(row, name)).collect();
    match rows.is_empty() {
        true => Vec::new(),
        false => vec![Block::Table(Table {
            heads: columns.iter().map(head).collect(),
            rows: rows.iter().map(cells).collect(),
        })],
    }
}

fn values<'r>(rows: &'r [Value], name: &str) -> impl Iterator<Item = &'r Value> {
    rows.iter().filter_map(move |row| row.get(name))
}

fn pedigree(rows: &Value, form: &str, language: Language) -> Vec<Block> {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    let form = Form::of(form).unwrap_or(Form::Zootechnical);
    match rows.is_empty() {
        true => Vec::new(),
        false => vec![Block::Tree(Tree {
            generations: form.generations(),
            cells: rows.iter().map(|row| ancestor(row, language)).collect(),
            nobody: language.phrase("short-nobody"),
        })],
    }
}

fn ancestor(row: &Value, language: Language) -> Cell {
    let number = |at: &str| row.pointer(at).filter(|value| value.is_number());
    let short = |word: &str, at: &str| {
        let value = display::number(language, &number(at)?.to_string());
        Some(language.short(word, value))
    };
    let place = row.get("place").and_then(Value::as_u64).unwrap_or(0);
    let label = match place {
        2 | 3 => language.phrase(&format!("ancestor-{place}")),
        _ => path(place, language),
    };
    let milk = [
        short("number", "/lactation/number"),
        short("milk", "/lactation/milk305").or_else(|| short("milk", "/lactation/milkYield")),
        short("fat", "/lactation/fat305"),
        short("protein", "/lactation/protein305"),
    ];
    let milk = milk.map(Option::unwrap_or_default);
    let index = short("index", "/index/value").unwrap_or_default();
    let lines = vec![
        joined(&[text(row, "identNumber"), &index], ", "),
        joined(&[text(row, "breed"), text(row, "birthYear")], ", "),
        joined(&milk.each_ref().map(String::as_str), ", "),
    ];
    Cell { place: u32::try_from(place).unwrap_or(0), label, name: text(row, "name").to_owned(), lines }
}
