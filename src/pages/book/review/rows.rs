//! The rows of a record as they were sent, in the columns of their sheets, with what is wrong beside each cell.

use super::findings::About;
use super::{ReviewedPackage, mended};
use crate::book::query::written;
use crate::book::rights::Rights;
use crate::components::value::{instant, related};
use crate::words::Form;
use maud::{Markup, html};
use model::display::at;
use model::expected::expected;
use model::messages::{labels, stored};
use model::registry::review::{finding, package, sent_row};
use model::registry::{Collection, Field, Kind};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rows of a page.
const LIMIT: u64 = 25;
/// Parameters of the page: the state of the rows, their order, and the number of the page.
const STATE: &str = "state";
const SORT: &str = "sort";
const PAGE: &str = "page";
/// The word of all rows, in the place of a state.
const ALL: &str = "all";
/// The fault of a row that says what another one has said.
const DUPLICATE: &str = "duplicate-row";
/// The fault of a row below the header of another table: its cells are not what the columns say.
const OTHER_TABLE: &str = "other-table";
/// Characters of a cell that are shown.
const CELL: usize = 200;

#[derive(Debug)]
struct Column<'d> {
    title: &'d str,
    path: &'d str,
}

/// What is wrong with a cell, or with its row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Remark {
    message: String,
    expected: String,
    /// Whether it is a finding of a check, and not a fault of the reading.
    from_check: bool,
}

/// The remarks of a row: those of its cells by their place, and those of the whole.
#[derive(Debug, Default)]
struct Remarks {
    cells: Vec<Vec<Remark>>,
    whole: Vec<Remark>,
}

/// Which cells of the rows can be mended: where they are shown first, those that are at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mends {
    Nothing,
    Faults,
    Cells,
}

/// The state of the rows that the visitor can mend, where there are any.
pub(super) fn waiting(of: ReviewedPackage<'_>, rights: &Rights) -> Option<&'static str> {
    let held = of.sent_rows.options(sent_row::STATE).last().map(String::as_str);
    held.filter(|word| of.is_open(rights.may("create")) && has_rows(of, word))
}

pub(super) async fn markup(of: ReviewedPackage<'_>, rights: &Rights) -> Markup {
    let c = of.sent_rows;
    let query = of.shell.visitor.query();
    let states = c.options(sent_row::STATE);
    let chosen = query.get(STATE).filter(|word| *word == ALL || states.iter().any(|own| own == word));
    // Rows that are held are mended where they are shown alone, and that is where the page begins.
    let waiting = waiting(of, rights);
    let state = chosen.or(waiting).filter(|word| *word != ALL);
    let sort = query.get(SORT).filter(|path| {
        let path = path.strip_prefix('-').unwrap_or(path);
        [sent_row::LINE, sent_row::IDENT, sent_row::STATE].contains(&path)
    });
    let data = address(of, query.get(PAGE), (state, sort));
    let answer = of.shell.get(&data).await;
    let docs = answer.docs();
    let findings = of.of_rows(&records(of, docs)).await;
    let pages = (answer.number("page"), answer.number("totalPages"));
    let mends = match waiting.is_some() && state == waiting && docs.iter().any(can_be_mended) {
        true if chosen.is_none() => Mends::Faults,
        true => Mends::Cells,
        false => Mends::Nothing,
    };
    let all = html! {
        @for (sheet, rows) in by_sheet(docs) { (table(of, (sheet, &rows), (&findings, mends), (&query, sort))) }
    };
    html! {
        section id="rows" {
            h2 { (of.shell.text("page-review-rows")) }
            (files(of, states))
            (filter(of, &query, state))
            @if !answer.is_good() {
                p class="fault" role="alert" { (answer.message()) }
            } @else if docs.is_empty() {
                p class="none" { (of.shell.text("page-none")) }
            }
            @if let Some(word) = waiting.filter(|_| mends != Mends::Cells) {
                p { a href=(of.with(&query, &[(STATE, word), (PAGE, "")], "rows")) { (of.shell.text("page-review-mend-way")) } }
            }
            @if mends == Mends::Nothing {
                (all)
            } @else {
                // A form that is refused comes back with the same rows.
                form method="post" action={ (of.address()) "/rows?" (written(&query.0)) } {
                    p { (of.shell.text("page-review-mend-here")) }
                    (all)
                    button type="submit" { (of.shell.text(mended::BUTTON)) }
                }
            }
            (of.pages(&query, (PAGE, "rows"), pages))
            p class="files" { a href=(data) { (of.shell.text("page-as-json")) } }
        }
    }
}

/// Whether rows are in a state, as far as the package has counted them.
fn has_rows(of: ReviewedPackage<'_>, state: &str) -> bool {
    at(of.doc, &format!("{}.{state}", package::COUNTS)).as_u64() != Some(0)
}

/// The records of some rows.
fn records(of: ReviewedPackage<'_>, docs: &[Value]) -> Vec<About> {
    let mut all: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
    for row in docs {
        let c = at(row, sent_row::COLLECTION).as_str().and_then(|slug| of.shell.pages.site.registry.get(slug));
        if let (Some(c), Some(id)) = (c, at(row, sent_row::RECORD).as_i64()) {
            all.entry(c.slug).or_default().push(id);
        }
    }
    all.into_iter().map(|(slug, ids)| About::Records(slug, ids)).collect()
}

/// The address of a page of rows, of a state where one is given.
fn address(of: ReviewedPackage<'_>, page: Option<&str>, (state, sort): (Option<&str>, Option<&str>)) -> String {
    let number = page.and_then(|text| text.parse::<u64>().ok());
    let mut parameters = vec![
        ("depth".to_owned(), "1".to_owned()),
        ("limit".to_owned(), LIMIT.to_string()),
        ("page".to_owned(), number.unwrap_or(1).max(1).to_string()),
    ];
    let condition = format!("where[{}][equals]", sent_row::STATE);
    parameters.extend(state.map(|word| (condition, word.to_owned())));
    parameters.extend(sort.map(|path| ("sort".to_owned(), path.to_owned())));
    let query = written(&parameters);
    format!("/api/{}/{}/{}?{query}", of.c.slug, of.id, package::ROWS)
}

/// Rows that follow each other in one sheet of the file, with the sheet.
fn by_sheet(docs: &[Value]) -> Vec<(&Value, Vec<&Value>)> {
    let mut tables: Vec<(&Value, Vec<&Value>)> = Vec::new();
    for row in docs {
        let sheet = at(row, sent_row::SHEET);
        match tables.last_mut() {
            Some((own, rows)) if *own == sheet => rows.push(row),
            _ => tables.push((sheet, vec![row])),
        }
    }
    tables
}

/// The rows as files, with the reasons beside them.
fn files(of: ReviewedPackage<'_>, states: &[String]) -> Markup {
    let c = of.sent_rows;
    let language = of.shell.language();
    let link = |state: Option<&str>, form: &str, text: &str| {
        let state = state.map(|word| format!("&state={word}")).unwrap_or_default();
        // A browser asks for the language that it prefers, not for the one that was chosen on a page.
        let address = format!("/api/{}/{}/table?format={form}{state}&language={}", of.c.slug, of.id, language.word());
        html! { a href=(address) { (of.shell.text(text)) } " " }
    };
    let waiting = states.last().map(String::as_str).filter(|word| has_rows(of, word));
    html! {
        @if waiting.is_some() { p { (of.shell.text("page-review-mend")) } }
        ul class="ways" {
            @for state in waiting.map(Some).into_iter().chain([None]) { li {
                @match state {
                    Some(word) => { (labels::option(language, c.slug, sent_row::STATE, word)) },
                    None => { (of.shell.text("page-review-all")) },
                }
                ": " (link(state, "csv", "page-file-csv")) (link(state, "xlsx", "page-file-xlsx"))
            } }
        }
    }
}

/// The states of the rows with their counts, each a way to the rows in that state.
fn filter(of: ReviewedPackage<'_>, query: &Form, state: Option<&str>) -> Markup {
    let c = of.sent_rows;
    let language = of.shell.language();
    let link = |word: &str, label: &str, count: Option<&Value>| {
        let address = of.with(query, &[(STATE, word), (PAGE, "")], "rows");
        let own = state.unwrap_or(ALL) == word;
        html! {
            a href=(address) aria-current=[own.then_some("true")] {
                (label)
                @if let Some(count) = count.filter(|count| count.is_number()) { " " span class="count" { (count) } }
            }
        }
    };
    html! {
        nav class="pages" aria-label=(labels::field(language, c.slug, sent_row::STATE)) {
            (link(ALL, &of.shell.text("page-review-all"), None))
            @for word in c.options(sent_row::STATE) {
                @let label = labels::option(language, c.slug, sent_row::STATE, word);
                (link(word, &label, Some(at(of.doc, &format!("{}.{word}", package::COUNTS)))))
            }
        }
    }
}

fn columns<'d>(of: ReviewedPackage<'d>, sheet: &Value) -> Vec<Column<'d>> {
    let name = sheet.as_str().unwrap_or_default();
    let text = |value: &'d Value, member: &str| at(value, member).as_str().unwrap_or_default();
    let sheets = at(of.doc, package::SHEETS).as_array();
    let mut own = (sheets.into_iter().flatten()).filter(|one| text(one, "name") == name);
    let columns = own.next().and_then(|one| one.get("columns")?.as_array());
    let column = |one: &'d Value| Column { title: text(one, "title"), path: text(one, "path") };
    columns.into_iter().flatten().map(column).collect()
}

fn table(
    of: ReviewedPackage<'_>,
    (sheet, rows): (&Value, &[&Value]),
    (findings, mends): (&[Value], Mends),
    (query, sort): (&Form, Option<&str>),
) -> Markup {
    let c = of.sent_rows;
    let language = of.shell.language();
    let columns = columns(of, sheet);
    let widest = rows.iter().map(|row| cells(row).len()).max();
    let name = sheet.as_str().filter(|name| !name.is_empty());
    let head = |path: &str| {
        let (order, next) = match sort {
            Some(own) if own == path => (Some("ascending"), format!("-{path}")),
            Some(own) if own.strip_prefix('-') == Some(path) => (Some("descending"), path.to_owned()),
            _ => (None, path.to_owned()),
        };
        let address = of.with(query, &[(SORT, &next), (PAGE, "")], "rows");
        html! { th scope="col" aria-sort=[order] { a href=(address) { (labels::field(language, c.slug, path)) } } }
    };
    html! {
        @if let Some(name) = name { h3 { (name) } }
        section class="wide" tabindex="0" aria-label={ (of.shell.text("page-review-rows")) @if let Some(name) = name { ": " (name) } } {
            table class="list sent" {
                thead { tr {
                    (head(sent_row::LINE)) (head(sent_row::IDENT)) (head(sent_row::STATE))
                    th scope="col" { (labels::field(language, c.slug, sent_row::FAULTS)) }
                    @for place in 0..widest.unwrap_or(0).max(columns.len()) {
                        th scope="col" { (columns.get(place).map_or("", |column| column.title)) }
                    }
                } }
                tbody { @for row in rows { (line(of, row, &columns, (findings, mends))) } }
            }
        }
    }
}

fn can_be_mended(row: &Value) -> bool {
    let mut faults = at(row, sent_row::FAULTS).as_array().into_iter().flatten();
    !faults.any(|fault| at(fault, "code") == OTHER_TABLE)
}

fn cells(row: &Value) -> &[Value] {
    let cells = at(row, sent_row::CELLS).as_array();
    cells.map_or(&[], Vec::as_slice)
}

fn line(of: ReviewedPackage<'_>, row: &Value, columns: &[Column<'_>], (findings, mends): (&[Value], Mends)) -> Markup {
    let c = of.sent_rows;
    // Documents have no columns; they are sent anew.
    let id = at(row, "id").as_i64();
    let id = id.filter(|_| mends != Mends::Nothing && !columns.is_empty() && can_be_mended(row));
    let (shell, language) = (of.shell, of.shell.language());
    let label = |path: &str| labels::field(language, c.slug, path);
    let text = |path: &str| match at(row, path) {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let state = text(sent_row::STATE);
    let remarks = remarks(of, row, columns, findings);
    // A fault of the whole row may lie in any cell.
    let by_cell = mends == Mends::Faults && remarks.whole.is_empty() && remarks.cells.iter().any(|all| !all.is_empty());
    let record = shell.pages.site.registry.get(&text(sent_row::COLLECTION));
    let record = record.filter(|_| !at(row, sent_row::RECORD).is_null());
    let animal = c.field(sent_row::ANIMAL).and_then(Field::target);
    html! {
        tr {
            th scope="row" data-head=(label(sent_row::LINE)) { (text(sent_row::LINE)) }
            td data-head=(label(sent_row::IDENT)) {
                @match (animal, at(row, sent_row::ANIMAL)) {
                    (Some(to), animal) if !animal.is_null() => { (related(shell, to, animal)) },
                    _ => { (text(sent_row::IDENT)) },
                }
            }
            td data-head=(label(sent_row::STATE)) {
                (labels::option(language, c.slug, sent_row::STATE, &state))
                @if let Some(record) = record {
                    " " a href=[shell.record(record, at(row, sent_row::RECORD))] { (labels::collection(language, record.slug)) }
                }
            }
            td data-head=(label(sent_row::FAULTS)) { (remark_list(of, &remarks.whole)) }
            @for (place, cell) in filled(cells(row), columns.len()).enumerate() {
                @let wrong = remarks.cells.get(place).map_or(&[][..], Vec::as_slice);
                @let title = columns.get(place).map_or("", |column| column.title);
                td class=[(!wrong.is_empty()).then_some("faulty")] data-head=(title) {
                    @match id {
                        Some(id) if by_cell && wrong.is_empty() => {
                            (mended::as_it_is(id, place, cell.as_str().unwrap_or_default())) (short(cell))
                        },
                        Some(id) => {
                            @let name = mended::name_of(id, place);
                            @let typed = of.typed.and_then(|form| form.all(&name).next());
                            (mended::input(&name, title, typed.or(cell.as_str()).unwrap_or_default()))
                        },
                        None => { (short(cell)) },
                    }
                    (was(of, row, place)) (remark_list(of, wrong))
                }
            }
        }
    }
}

/// The cells, and empty ones up to a number.
fn filled(cells: &[Value], columns: usize) -> impl Iterator<Item = &Value> {
    let more = columns.saturating_sub(cells.len());
    cells.iter().chain(std::iter::repeat_n(&Value::Null, more))
}

/// What the file has in the place of a cell that was mended, and who mended it when.
fn was(of: ReviewedPackage<'_>, row: &Value, place: usize) -> Markup {
    let shell = of.shell;
    let mended = at(row, sent_row::MENDED).as_array();
    let mut mended = mended.into_iter().flatten();
    let own = |one: &&Value| at(one, "place").as_u64() == u64::try_from(place.saturating_add(1)).ok();
    let user = (of.sent_rows.field(sent_row::MENDED)).and_then(|field| match &field.kind {
        Kind::Rows(members) => members.iter().find(|member| member.path == "by")?.target(),
        _ => None,
    });
    html! {
        @if let Some(one) = mended.find(own) {
            p class="note" {
                (shell.text("page-review-was")) ": "
                @match at(one, "was").as_str() {
                    Some(text) if !text.is_empty() => { s { (text) } },
                    _ => { "–" },
                }
                " ("
                @if let (Some(user), by) = (user, at(one, "by")) && !by.is_null() { (related(shell, user, by)) ", " }
                (instant(shell, at(one, "at").as_str().unwrap_or_default())) ")"
            }
        }
    }
}

fn short(cell: &Value) -> String {
    let text = match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn remark_list(of: ReviewedPackage<'_>, remarks: &[Remark]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            ul class="remarks" { @for remark in remarks {
                li class=(if remark.from_check { "found" } else { "fault" }) {
                    (remark.message)
                    @if !remark.expected.is_empty() {
                        " " span class="note" { (of.shell.text("page-preview-expected")) ": " (remark.expected) }
                    }
                }
            } }
        }
    }
}

/// Which animal and day stand twice, as the file has them.
fn twice(row: &Value, columns: &[Column<'_>], about: Option<&Collection>) -> String {
    let day = about.and_then(|c| c.happens).and_then(|path| columns.iter().position(|column| column.path == path));
    let day = day.and_then(|place| cells(row).get(place)?.as_str());
    let all: Vec<&str> = at(row, sent_row::IDENT).as_str().into_iter().chain(day).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// Faults stand beside the cell of their column, or of the column of their field; findings about the record of the row
/// beside the cell of their field.
fn remarks(of: ReviewedPackage<'_>, row: &Value, columns: &[Column<'_>], findings: &[Value]) -> Remarks {
    let mut all = Remarks { cells: columns.iter().map(|_| Vec::new()).collect(), whole: Vec::new() };
    let mut put = |place: Option<usize>, remark: Remark| {
        let cell = place.and_then(|place| all.cells.get_mut(place));
        let into = cell.unwrap_or(&mut all.whole);
        if !into.contains(&remark) {
            into.push(remark);
        }
    };
    let about = at(row, sent_row::COLLECTION).as_str();
    let about = about.and_then(|slug| of.shell.pages.site.registry.get(slug));
    for fault in at(row, sent_row::FAULTS).as_array().into_iter().flatten() {
        let text = |member: &str| at(fault, member).as_str().unwrap_or_default();
        let (title, path) = (text("column"), text("path"));
        let by_title = columns.iter().position(|column| column.title == title);
        let place = match title.is_empty() {
            true => columns.iter().position(|column| !path.is_empty() && column.path == path),
            false => by_title,
        };
        // Without a column, the sentence says where it is and what stood there.
        let whole = match place {
            Some(_) => String::new(),
            None => [title, path, text("value")]
                .into_iter()
                .filter(|text| !text.is_empty())
                .map(|text| format!("{text}: "))
                .collect(),
        };
        let language = of.shell.language();
        let mut message = stored(language, text("message"), text("code"));
        if text("code") == DUPLICATE {
            message.push_str(&twice(row, columns, about));
        }
        let field = about.and_then(|c| c.field(path));
        let expected = field.and_then(|field| expected(language, field));
        let remark = Remark {
            message: format!("{whole}{message}"),
            expected: match text("expected") {
                "" => String::new(),
                stored => expected.unwrap_or_else(|| stored.to_owned()),
            },
            from_check: false,
        };
        put(place, remark);
    }
    let record = (at(row, sent_row::COLLECTION), at(row, sent_row::RECORD));
    let own = findings
        .iter()
        .filter(|one| !record.1.is_null() && (at(one, finding::COLLECTION), at(one, finding::RECORD)) == record);
    for one in own {
        let path = at(one, finding::PATH).as_str().unwrap_or_default();
        let remark = Remark { message: of.sentence(one).to_owned(), expected: String::new(), from_check: true };
        put(columns.iter().position(|column| column.path == path), remark);
    }
    all
}
