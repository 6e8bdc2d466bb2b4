//! `tests/packages/cells.csv`: what a cell of a file means, line by line.

use super::{ReadFile, csv, read};
use crate::files::sheet::{PackageSheet, SetRow};
use crate::meanings::columns::{Column, Part};
use crate::meanings::file_column::Means;
use crate::meanings::whole_collection;
use crate::write::{PackageRules, without_places};
use domain::collections::registry;
use model::error::{Issue, Severity};
use model::registry::{Collection, Kind, PackageSet, is_no_parent};
use ops::parse_body;
use serde_json::{Map, Value as Json};
use sheets::{Book, Options};
use std::path::Path;

#[path = "../../sheets/tests/pack.rs"]
mod pack;

/// The first of its titles.
const HEADER: &str = "Set";
/// Lines that it has at least.
const LEAST: usize = 300;

/// A line of the table.
struct Line {
    number: u64,
    set: String,
    heading: String,
    field: String,
    cell: String,
    /// Further cells of the column.
    others: Vec<String>,
    file: String,
    means: String,
}

fn lines() -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/packages/cells.csv");
    let book = Book::open(path, &Options::default()).unwrap();
    let mut rows = book.rows(0).unwrap();
    let (mut lines, mut begun) = (Vec::new(), false);
    while let Some(row) = rows.next().unwrap() {
        let cell = |place: usize| row.cells.get(place).map_or("", |cell| &cell.text).to_owned();
        // Above the header stands what the columns are, and a line with one cell begins a part.
        if row.cells.len() > 1 && begun {
            let others = cell(4);
            let others = others.split(" | ").filter(|other| !other.is_empty());
            lines.push(Line {
                number: row.number,
                set: cell(0),
                heading: cell(1),
                field: cell(2),
                cell: cell(3),
                others: others.map(str::to_owned).collect(),
                file: cell(5),
                means: cell(6),
            });
        }
        begun |= cell(0) == HEADER;
    }
    lines
}

/// Columns that tables of a set have besides, with a value.
fn beside(set: &str) -> &'static [(&'static str, &'static str)] {
    match set {
        "animals" => &[("Инд.№", "960001000189"), ("Пол", "ж")],
        "calvings" => &[("Инд.№", "960001000189"), ("Дата отёла", "12.03.2025")],
        "inseminations" => &[("Инд.№", "960001000189"), ("Дата осеменения", "12.03.2025")],
        "abortions" => &[("Инд.№", "960001000189"), ("Дата аборта", "12.03.2025")],
        "heats" => &[("Инд.№", "960001000189"), ("Дата охоты", "12.03.2025")],
        "movements" => &[("Инд.№", "960001000189"), ("Дата движения", "12.03.2025"), ("Вид движения", "Падёж")],
        "pregnancyChecks" => {
            &[("Инд.№", "960001000189"), ("Дата проверки", "12.03.2025"), ("Результат проверки", "Стельная")]
        }
        "milkTests" => &[("Инд.№", "960001000189"), ("Дата контроля", "12.03.2025"), ("milkYield", "25")],
        "dailyMilkings" => &[("Инд.№", "960001000189"), ("date", "12.03.2025"), ("milkYield", "25")],
        "weighings" => &[("Инд.№", "960001000189"), ("Дата взвешивания", "12.03.2025"), ("weight", "600")],
        "breedingValues" => &[("Инд.№", "960001000189"), ("Дата оценки", "12.03.2025"), ("ИПЦ", "800")],
        "gradings" => &[("Инд.№", "960001000189"), ("Дата бонитировки", "12.03.2025"), ("Класс", "элита")],
        "exteriors" => &[("Инд.№", "960001000189"), ("Дата оценки", "12.03.2025")],
        "shows" => &[("Инд.№", "960001000189"), ("Дата выставки", "12.03.2025"), ("Выставка", "Звезда")],
        "dnaTests" => &[("Инд.№", "960001000189"), ("Дата исследования", "12.03.2025")],
        _ => &[],
    }
}

/// The file that a line is about: its column stands first, its cell in the first row.
fn file(line: &Line, c: &Collection, set: &PackageSet) -> Vec<u8> {
    let path = |heading: &str| set.heading(c, heading).map(|(path, _)| path);
    let tested = path(&line.heading);
    let beside = beside(&line.set).iter().filter(|(title, _)| path(title) != tested);
    let (titles, values): (Vec<&str>, Vec<&str>) = beside.copied().unzip();
    let row = |cell: &str, rest: &[&str]| {
        let rest = rest.iter().map(|cell| (*cell).to_owned());
        std::iter::once(cell.to_owned()).chain(rest).collect::<Vec<String>>()
    };
    let rows = std::iter::once(&line.cell).chain(&line.others).map(|cell| row(cell, &values));
    let table: Vec<Vec<String>> = std::iter::once(row(&line.heading, &titles)).chain(rows).collect();
    match line.file.as_str() {
        "csv" => csv(&table, ",").into_bytes(),
        "csv-ru" => windows_1251(&csv(&table, ";")),
        "ods" => ods(&table),
        xlsx => workbook(&table, xlsx.strip_prefix("xlsx").unwrap_or(xlsx).trim()),
    }
}

fn windows_1251(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        '\0'..='\x7f' => u8::try_from(c).unwrap(),
        'А'..='я' => 0xc0 + u8::try_from(u32::from(c) - u32::from('А')).unwrap(),
        'Ё' => 0xa8,
        'ё' => 0xb8,
        '№' => 0xb9,
        '–' => 0x96,
        '—' => 0x97,
        '\u{a0}' => 0xa0,
        other => panic!("{other} is not in Windows-1251"),
    };
    text.chars().map(byte).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A workbook whose cells are texts, but for the tested one: a number under a format, or what it is.
fn workbook(table: &[Vec<String>], format: &str) -> Vec<u8> {
    let text = |cell: &String| format!(r#"<c t="inlineStr"><is><t>{}</t></is></c>"#, escaped(cell));
    let number = |style: usize, cell: &str| format!(r#"<c s="{style}"><v>{cell}</v></c>"#);
    let tested = |cell: &String| match format {
        "" => text(cell),
        "error" => format!(r#"<c t="e"><v>{cell}</v></c>"#),
        "formula" => format!("<c><f>{}</f></c>", escaped(cell)),
        "yes/no" => format!(r#"<c t="b"><v>{cell}</v></c>"#),
        // The styles of `pack.rs`.
        "General" => number(0, cell),
        "dd.mm.yyyy" => number(1, cell),
        "0000" => number(2, cell),
        "0.00%" => number(3, cell),
        "000 000 000 000" => number(4, cell),
        "\"RU\"0000" => number(5, cell),
        "0\" кг\"" => number(6, cell),
        "0.0\" lb\"" => number(7, cell),
        other => panic!("{other:?} is no format of the table"),
    };
    let row = |(at, row): (usize, &Vec<String>)| {
        let cells = row.iter().enumerate().map(|(place, cell)| match (at, place) {
            (1, 0) => tested(cell),
            _ => text(cell),
        });
        format!("<row>{}</row>", cells.collect::<String>())
    };
    pack::rows(&table.iter().enumerate().map(row).collect::<String>())
}

fn ods(table: &[Vec<String>]) -> Vec<u8> {
    let cell = |cell: &String| {
        let text = escaped(cell);
        format!(r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#)
    };
    let row = |row: &Vec<String>| {
        let cells: String = row.iter().map(cell).collect();
        format!("<table:table-row>{cells}</table:table-row>")
    };
    let rows: String = table.iter().map(row).collect();
    pack::ods(&format!(r#"<table:table table:name="A">{rows}</table:table>"#))
}

/// What the program takes the cell of a line for, in the words of the table; and the field of its column.
fn meaning(line: &Line) -> (String, String) {
    let Some((c, set)) = registry().unwrap().package_sets().find(|(_, set)| set.name == line.set) else {
        return (String::new(), format!("there is no set {}", line.set));
    };
    let ReadFile { sheets, rows } = match read(file(line, c, set), Some(set.name)) {
        Ok(read) => read,
        Err(why) => return (String::new(), format!("not read: {}", why.code)),
    };
    let (Some(sheet), Some((_, row))) = (sheets.first(), rows.into_iter().next()) else {
        return (String::new(), "no row".to_owned());
    };
    match sheet.columns.first().map(|column| &column.means) {
        Some(Means::Takes(column, path)) => (path.clone(), of_cell(sheet, column, path, row)),
        Some(Means::Unknown(_)) => (String::new(), "column: unknown".to_owned()),
        _ => (String::new(), "column: not read".to_owned()),
    }
}

fn of_cell(sheet: &PackageSheet, column: &Column, path: &str, read: SetRow) -> String {
    let (c, row) = (sheet.collection, read.row);
    if read.passed.is_some() {
        return "no record".to_owned();
    }
    let issues = [row.issues, parse_body(c, &row.body, None).1].concat();
    // Which row of the book a name means is not known here.
    let is_fault = |issue: &Issue| issue.severity == Severity::Error && issue.code != "invalid-relation";
    let of_column = |issue: &Issue| {
        let at = without_places(&issue.path);
        at == path || at.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
    };
    let rules = PackageRules { required: sheet.set.decisive().map(str::to_owned).collect(), ..PackageRules::default() };
    if let Some(issue) = issues.iter().find(|issue| is_fault(issue) && of_column(issue)) {
        let state = if rules.refuses(c, issue) { "held" } else { "left out" };
        return format!("{state}: {}", issue.code);
    }
    let names_parent = column.field(c).is_some_and(|field| field.names_parent);
    match value(c, column, &row.body) {
        None => "nothing".to_owned(),
        Some(Json::String(text)) if names_parent && is_no_parent(&text) => "nothing".to_owned(),
        Some(value) => cell_text(&value),
    }
}

fn value(c: &Collection, column: &Column, body: &Map<String, Json>) -> Option<Json> {
    let field = c.fields.get(column.slot)?;
    let whole = Json::Object(body.clone());
    let value = field.path.split('.').try_fold(&whole, |json, part| json.get(part))?;
    let value = match (&column.part, &field.kind) {
        (Part::Member(row, member), Kind::Rows(subs)) => value.get(*row)?.get(subs.get(*member)?.path.as_str())?,
        _ => value,
    };
    Some(value.clone())
}

fn cell_text(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Number(number) => number.as_f64().unwrap_or_default().to_string(),
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(cell_text).collect::<Vec<_>>().join(" | "),
        // A relation by one field of the other row.
        Json::Object(members) => members.values().map(cell_text).collect::<Vec<_>>().join(" | "),
    }
}

#[test]
fn two_columns_of_one_field_are_compared_as_they_are_read() {
    let text = |text: &str| format!(r#"<c t="inlineStr"><is><t>{text}</t></is></c>"#);
    // The styles of `pack.rs`.
    let (plain, pounds) = (r#"<c s="0"><v>28</v></c>"#, r#"<c s="7"><v>28</v></c>"#);
    let (serial, day) = (r#"<c s="0"><v>46082</v></c>"#, r#"<c s="1"><v>46082</v></c>"#);
    let titles = ["Инд.№", "Дата замера", "Дата контроля", "Удой", "Надой"].map(text).concat();
    for (cells, fault) in [
        ([day, day, plain, plain], None),
        ([day, serial, pounds, pounds], None),
        ([serial, day, plain, plain], None),
        ([day, day, plain, pounds], Some("milkYield")),
        ([day, day, pounds, plain], Some("milkYield")),
    ] {
        let row = format!("{}{}", text("960001000101"), cells.concat());
        let bytes = pack::rows(&format!("<row>{titles}</row><row>{row}</row>"));
        let ReadFile { rows, .. } = read(bytes, Some("milkTests")).unwrap();
        let faults: Vec<_> = rows[0].1.row.issues.iter().map(|issue| (&*issue.code, issue.path.as_str())).collect();
        let wanted: Vec<_> = fault.into_iter().map(|path| ("column-unconfirmed", path)).collect();
        assert_eq!(faults, wanted, "{cells:?}");
    }
}

#[test]
fn two_columns_of_one_title_cannot_be_told_apart() {
    let said = |titles: &str| {
        let text = format!("Инд.№;Дата замера;{titles}\n960001000101;01.02.2026;25;26\n");
        let ReadFile { rows, .. } = read(text.into_bytes(), Some("milkTests")).unwrap();
        rows[0].1.row.issues.iter().map(|issue| issue.message.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(said("Удой;удой"), ["Two columns are called удой and differ in this row: leave one of them out."]);
    let two = "The columns Удой and Надой mean the same and differ in this row: \
        say which one counts (mapping.columns), or leave one of them out.";
    assert_eq!(said("Удой;Надой"), [two]);
}

#[test]
fn two_values_of_one_name_in_a_line_of_json_cannot_be_told_apart() {
    let line = |day: u8, milk: &str| format!(r#"{{"Инд.№":"960001000101","Дата замера":"0{day}.02.2026",{milk}}}"#);
    let milk = [r#""Удой":25"#, r#""Удой":25,"Удой":26"#, r#""Удой":25,"Удой":25"#, r#""Удой":null,"Удой":25"#];
    let text: Vec<String> = (1..).zip(milk).map(|(day, milk)| line(day, milk)).collect();
    let ReadFile { rows, .. } = read(text.join("\n").into_bytes(), Some("milkTests")).unwrap();
    let said = |at: usize| rows[at].1.row.issues.iter().map(|issue| issue.message.to_string()).collect::<Vec<_>>();
    let two = "Two columns are called Удой and differ in this row: leave one of them out.";
    assert!(said(0).is_empty() && said(2).is_empty());
    assert_eq!(said(1), [two]);
    assert_eq!(said(3), [two]);
}

#[test]
fn a_text_of_an_encoding_in_doubt_is_not_read() {
    let text = "Инд.№;Дата замера;Удой;Замечание\n960001000101;01.02.2026;25;Зорька\n";
    for bytes in [text.as_bytes().to_vec(), windows_1251(text)] {
        assert_eq!(read(bytes, Some("milkTests")).ok().map(|read| read.rows.len()), Some(1));
    }
    let one_byte = [text.as_bytes(), b"960001000102;01.02.2026;26;Zo\xe9\n"].concat();
    let latin = b"animal;date;milkYield;note\n960001000101;01.02.2026;25;Zo\xe9\n".to_vec();
    for bytes in [one_byte, latin] {
        let why = read(bytes, Some("milkTests")).err();
        assert_eq!(why.map(|why| why.code).as_deref(), Some("wrong-encoding"));
    }
}

#[test]
fn a_table_with_ids_keeps_the_zeros_of_the_book() {
    let registry = registry().unwrap();
    let c = registry.get("milk-tests").unwrap();
    let read = |titles: &[&str], cells: &[&str]| {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let sheet = whole_collection::table(registry, c, (0, String::new(), 1), &texts(titles));
        let row = sheet.read(&texts(cells)).row;
        let codes: Vec<_> = row.issues.iter().map(|issue| issue.code.to_string()).collect();
        (row.body.get("fatPercent").cloned(), codes)
    };
    let own = read(&["id", "animal", "date", "fatPercent"], &["7", "2", "2026-02-01", "0"]);
    assert_eq!(own, (Some(Json::from(0)), Vec::new()));
    let other = read(&["Инд.№", "Дата замера", "Жир, %"], &["960001000101", "01.02.2026", "0"]);
    assert_eq!(other, (None, vec!["not-measured".to_owned()]));
}

#[test]
fn cells_mean_what_the_table_says() {
    let lines = lines();
    assert!(lines.len() >= LEAST, "{}", lines.len());
    let wrong = lines.iter().filter_map(|line| {
        let (field, means) = meaning(line);
        let expected = (line.field.as_str(), line.means.as_str());
        let Line { number, set, heading, cell, file, .. } = line;
        ((field.as_str(), means.as_str()) != expected)
            .then(|| format!("line {number}: {set} {heading:?} {cell:?} {file}: {expected:?} is {field:?} {means:?}\n"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} of {} lines:\n{}", wrong.len(), lines.len(), wrong.concat());
}
