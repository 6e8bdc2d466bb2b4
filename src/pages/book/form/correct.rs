//! `/book/<slug>/correct`: what the findings of a condition are about, a row for each, with the field that is to be
//! corrected. All values are checked before the first is stored. Must not know any single collection.

use super::form_sheet::{ANYWAY, Choices, choices};
use super::form_values::{self, is_same, is_same_text, stored_text, typed};
use crate::book::own_collection;
use crate::book::query::{populate_names, written};
use crate::book::rights::Rights;
use crate::calls::{Answer, Fault};
use crate::components::input::{Input, is_single};
use crate::components::notice::Notice;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::cell_of;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::review::finding;
use model::registry::{Collection, Feature, Field, Kind, States, corrections};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Findings of a page.
const MOST: usize = 50;
const PAGE: &str = "page";
/// What names of controls begin with, and those of values that the record had then; the id of the finding follows.
const VALUE: &str = "value.";
const STORED: &str = "stored.";
/// The place of the findings of a form within the condition, behind what a visitor composes.
const SENT: &str = "where[and][902][id][in]";

/// A finding, and the field that it is about.
struct Line {
    finding: Value,
    /// The collection of the record.
    c: &'static Collection,
    path: String,
    /// The record, where the visitor reads it.
    doc: Option<Value>,
    /// The field, where the visitor may write it.
    field: Option<&'static Field>,
    /// What the record has, and what the control holds.
    stored: String,
    text: String,
    faults: Vec<String>,
}

impl Line {
    fn name(&self, what: &str) -> String {
        format!("{what}{}", at(&self.finding, "id"))
    }
}

/// What was typed for a record, with the places of its rows.
#[derive(Default)]
struct Typed {
    places: Vec<usize>,
    fields: Vec<&'static Field>,
    form: Form,
}

/// A body for a record, with the places of its rows.
type Correction = (Vec<usize>, Value);

/// The findings of a page, which the query of the address chooses.
struct Corrections<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    condition: Vec<(String, String)>,
    lines: Vec<Line>,
    total: u64,
    /// This page, and how many there are.
    pages: (u64, u64),
}

/// Whether a field of these rights may be written here: one control, which is no state.
fn is_open(c: &Collection, field: &Field, rights: &Rights) -> bool {
    let state = c.states.iter().flat_map(States::paths).any(|path| path == field.path);
    let plain = is_single(field) && !matches!(field.kind, Kind::Json) && !state;
    plain && rights.may("update") && rights.may_write(&field.path, "update")
}

/// The records that findings are about, with what the visitor may do with such ones.
async fn records(shell: &Shell<'_>, findings: &[Value]) -> BTreeMap<&'static str, (Answer, Rights)> {
    let mut wanted: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for one in findings {
        if let (Some(slug), Some(id)) = (at(one, finding::COLLECTION).as_str(), at(one, finding::RECORD).as_i64()) {
            wanted.entry(slug).or_default().insert(id);
        }
    }
    let registry = shell.pages.site.registry;
    let wanted = wanted.into_iter().filter_map(|(slug, ids)| Some((registry.get(slug)?, ids)));
    let all = wanted.map(async |(c, ids)| {
        let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
        let names = populate_names(registry, c.fields.iter());
        let path = format!("/api/{}?where[id][in]={}&limit={MOST}&depth=1&joins=false{names}", c.slug, ids.join(","));
        let (answer, rights) = futures_util::join!(shell.get(&path), Rights::of(shell, c, None));
        (c.slug, (answer, rights))
    });
    join_all(all).await.into_iter().collect()
}

async fn lines(shell: &Shell<'_>, findings: &[Value]) -> Vec<Line> {
    let records = records(shell, findings).await;
    let line = |one: &Value| {
        let c = shell.pages.site.registry.get(at(one, finding::COLLECTION).as_str()?)?;
        let (answer, rights) = records.get(c.slug)?;
        let path = at(one, finding::PATH).as_str()?.to_owned();
        let doc = answer.docs().iter().find(|doc| at(doc, "id") == at(one, finding::RECORD)).cloned();
        let field = c.field(&path).filter(|field| doc.is_some() && is_open(c, field, rights));
        let stored = field.zip(doc.as_ref()).map(|(field, doc)| stored_text(shell, field, at(doc, &path)));
        let stored = stored.unwrap_or_default();
        Some(Line { finding: one.clone(), c, path, doc, field, text: stored.clone(), stored, faults: Vec::new() })
    };
    findings.iter().filter_map(line).collect()
}

impl<'s> Corrections<'s> {
    /// Of the address; of a form that was sent its own findings, wherever they stand by now.
    async fn of(shell: &'s Shell<'s>, slug: &str, query: &Form, sent: &Form) -> Result<Self, Stop> {
        let c = own_collection(shell, slug)?;
        if !c.is(Feature::Findings) {
            return Err(Stop::missing(shell));
        }
        let condition = query.0.iter().filter(|(name, _)| name.starts_with("where"));
        let condition: Vec<(String, String)> = condition.cloned().collect();
        let sort = format!("{},{},id", finding::COLLECTION, finding::PATH);
        let ids = sent.0.iter().filter_map(|(name, _)| name.strip_prefix(VALUE)?.parse::<i64>().ok());
        let ids: BTreeSet<i64> = ids.collect();
        let ids: Vec<String> = ids.iter().take(MOST).map(i64::to_string).collect();
        let own = (!ids.is_empty()).then(|| (SENT.to_owned(), ids.join(",")));
        let page = query.get(PAGE).unwrap_or("1");
        let (most, number) = (MOST.to_string(), if own.is_some() { "1" } else { page });
        let rest = [("depth", "0"), ("joins", "false"), ("limit", &most), (PAGE, number), ("sort", &sort)];
        let rest = rest.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let pages = own.as_ref().map(|_| (page.parse::<u64>().unwrap_or(1), 1));
        let query: Vec<(String, String)> = condition.iter().cloned().chain(own).chain(rest).collect();
        let answer = shell.get(&format!("/api/{}?{}", c.slug, written(&query))).await;
        if !answer.is_good() {
            return Err(Stop::refused(shell, &answer));
        }
        let lines = lines(shell, answer.docs()).await;
        let pages = pages.unwrap_or_else(|| (answer.number("page"), answer.number("totalPages")));
        Ok(Self { shell, c, condition, lines, total: answer.number("totalDocs"), pages })
    }

    fn address(&self, number: u64) -> String {
        let mut query = self.condition.clone();
        if number > 1 {
            query.push((PAGE.to_owned(), number.to_string()));
        }
        format!("/book/{}/correct?{}", self.c.slug, written(&query))
    }

    fn is_faulty(&self) -> bool {
        self.lines.iter().any(|line| !line.faults.is_empty())
    }

    /// The values that were typed, as one body for each record.
    async fn changes(&mut self, form: &Form) -> Vec<Correction> {
        let shell = self.shell;
        let mut records: BTreeMap<(&str, i64), Typed> = BTreeMap::new();
        for (place, line) in self.lines.iter_mut().enumerate() {
            let (Some(field), Some(doc), Some(id)) =
                (line.field, &line.doc, at(&line.finding, finding::RECORD).as_i64())
            else {
                continue;
            };
            let (name, stored) = (line.name(VALUE), line.name(STORED));
            let own: Vec<(String, String)> =
                form.all(&name).map(|text| (field.path.clone(), text.to_owned())).collect();
            let (own, text) = (Form(own), typed(field, form.all(&name)));
            // A value that nobody touched takes back nothing that others corrected meanwhile.
            let is_touched = form.all(&stored).next().is_none_or(|stored| !is_same_text(field, &text, stored));
            if own.0.is_empty() || !is_touched || is_same(shell, field, &own, doc) {
                continue;
            }
            line.text = text;
            let record = records.entry((line.c.slug, id)).or_default();
            if !record.fields.iter().any(|field| field.path == line.path) {
                record.places.push(place);
                record.fields.push(field);
                record.form.0.extend(own.0);
            } else if typed(field, record.form.all(&field.path)) != line.text {
                // Another check found the same value.
                line.faults.push(shell.text("page-correct-twice"));
            }
        }
        let mut out = Vec::new();
        for Typed { places, fields, form } in records.into_values() {
            let (body, faults) = form_values::body(shell, &fields, &form, &Value::Null).await;
            self.blame(&places, faults);
            out.push((places, Value::Object(body)));
        }
        out
    }

    /// Puts what is said of a record beside the rows of its fields, else beside its first row.
    fn blame(&mut self, places: &[usize], faults: Vec<Fault>) {
        for fault in faults {
            let is_own = |place: &&usize| self.lines.get(**place).is_some_and(|line| line.path == fault.path);
            let place = places.iter().find(is_own).or_else(|| places.first());
            if let Some(line) = place.and_then(|place| self.lines.get_mut(*place)) {
                line.faults.push(fault.message);
            }
        }
    }

    /// Sends the values, to be checked only or to be stored, and puts what is said of each beside its row; whether none
    /// is refused.
    async fn send(&mut self, changes: &[Correction], only: &str, doubts: bool) -> bool {
        let mut good = true;
        for (places, body) in changes {
            let lines: Vec<&Line> = places.iter().filter_map(|place| self.lines.get(*place)).collect();
            let Some(line) = lines.first() else { continue };
            let path = format!("/api/{}/{}?depth=0{only}", line.c.slug, at(&line.finding, finding::RECORD));
            let answer = self.shell.send(Method::PATCH, &path, body).await;
            // What is found of other fields, perhaps against a value that is corrected further down, is not asked here.
            let own = |fault: &Fault| doubts && lines.iter().any(|line| line.path == fault.path);
            let mut said: Vec<Fault> = match answer.is_good() {
                true => answer.findings(line.c.slug, self.shell.language()).into_iter().filter(own).collect(),
                false => answer.issues(),
            };
            if !answer.is_good() && said.is_empty() {
                said.push(Fault { path: String::new(), message: answer.message().to_owned(), record: None });
            }
            self.blame(places, said);
            good &= answer.is_good();
        }
        good
    }

    async fn document(&self, said: Option<(StatusCode, &str)>) -> Page {
        let (shell, language) = (self.shell, self.shell.language());
        let fields: Vec<&'static Field> = self.lines.iter().filter_map(|line| line.field).collect();
        let choices = choices(shell, &fields, &|_: &Field| Some(String::new())).await;
        let mut groups: BTreeMap<(&str, &str), Vec<&Line>> = BTreeMap::new();
        for line in &self.lines {
            groups.entry((line.c.slug, line.path.as_str())).or_default().push(line);
        }
        let list = labels::collections(language, self.c.slug);
        let title = format!("{list}: {}", shell.text("page-correct"));
        let doubts = said.is_some_and(|(status, _)| status.is_success());
        let body = html! {
            nav class="crumbs" aria-label=(shell.text("page-path")) { a href=(format!("/book/{}", self.c.slug)) { (list) } }
            h1 { (title) " " span class="count" { (self.total) } }
            @if let Some((_, why)) = said { p class="fault" role="alert" { (shell.text(why)) } }
            @if groups.is_empty() { p class="none" { (shell.text("page-correct-none")) } } @else {
                form method="post" action=(self.address(self.pages.0)) {
                    @for lines in groups.values() { (self.table(lines, &choices)) }
                    p class="fault" role="alert" hidden data-over=(shell.text("page-grid-over")) {}
                    @if !fields.is_empty() { p class="choose" {
                        button type="submit" { (shell.text("page-save")) }
                        @if doubts { " " button class="second" type="submit" name=(ANYWAY) value="yes" { (shell.text("page-save-anyway")) } }
                    } }
                }
            }
            @if self.pages.1 > 1 {
                nav class="pages" aria-label=(shell.text("page-pages")) {
                    @if self.pages.0 > 1 { a rel="prev" href=(self.address(self.pages.0.saturating_sub(1))) { (shell.text("page-previous")) } }
                    span { (self.pages.0) " / " (self.pages.1) }
                    @if self.pages.0 < self.pages.1 { a rel="next" href=(self.address(self.pages.0.saturating_add(1))) { (shell.text("page-next")) } }
                }
            }
        };
        Ok(page(said.map_or(StatusCode::OK, |(status, _)| status), shell.document(&title, &body)))
    }

    /// The rows of one field.
    fn table(&self, lines: &[&Line], choices: &Choices) -> Markup {
        let (shell, language) = (self.shell, self.shell.language());
        let place = self.c.field(finding::PATH).zip(lines.first());
        let place = place.map(|(path, line)| (line.c.slug, cell_of(shell, self.c, path, &line.finding)));
        html! {
            @if let Some((slug, field)) = place {
                section class="group" {
                    h2 { (labels::collections(language, slug)) ": " (field) " " span class="count" { (lines.len()) } }
                    section class="wide" tabindex="0" aria-label=(labels::collections(language, slug)) {
                        table class="grid" data-most=(lines.len()) {
                            thead { tr {
                                th scope="col" { (labels::collection(language, slug)) }
                                th scope="col" { (labels::collection(language, self.c.slug)) }
                                th scope="col" { (field) }
                            } }
                            tbody { @for line in lines { (self.row(line, choices)) } }
                        }
                    }
                }
            }
        }
    }

    fn row(&self, line: &Line, choices: &Choices) -> Markup {
        let (shell, language) = (self.shell, self.shell.language());
        let id = at(&line.finding, finding::RECORD);
        let called = line.doc.as_ref().map_or_else(|| format!("№ {id}"), |doc| shell.title(line.c, doc));
        let sentence = format!("{}.{}", finding::MESSAGE, language.word());
        let faults: Vec<&str> = line.faults.iter().map(String::as_str).collect();
        let name = line.name(VALUE);
        let input = |field: &'static Field| Input {
            c: line.c,
            field,
            kind: "",
            scope: "",
            name: &name,
            value: &line.text,
            groups: &[],
            choices: choices.of(field).map(Vec::as_slice),
            faults: &faults,
            required: false,
        };
        let label = format!("{}, {called}", labels::field(language, line.c.slug, &line.path));
        let stored = line.c.field(&line.path).zip(line.doc.as_ref());
        html! {
            tr {
                th scope="row" { a href=[shell.record(line.c, id)] { (called) } }
                td { (at(&line.finding, &sentence).as_str().unwrap_or_default()) }
                td {
                    @match line.field {
                        Some(field) => {
                            input type="hidden" name=(line.name(STORED)) value=(line.stored);
                            (input(field).cell(shell, &label))
                        },
                        None => {
                            @if let Some((field, doc)) = stored { (cell_of(shell, line.c, field, doc)) " " }
                            span class="note" { (shell.text("page-correct-closed")) }
                        }
                    }
                    @if let Some(address) = self.request(line) { " " a href=(address) { (shell.text("page-correct-request")) } }
                }
            }
        }
    }

    /// The form by which a farm asks for another value of a field that the Association may have locked.
    fn request(&self, line: &Line) -> Option<String> {
        let shell = self.shell;
        line.c.field(&line.path).filter(|field| field.locked && !shell.visitor.is_association())?;
        let to = shell.pages.site.registry.with_feature(Feature::Requests)?;
        to.field(corrections::ABOUT).filter(|field| field.target() == Some(line.c.slug))?;
        let id = at(&line.finding, finding::RECORD);
        let query = [(corrections::KIND, corrections::CORRECTION.to_owned()), (corrections::ABOUT, format!("[{id}]"))];
        let query = query.map(|(name, value)| (name.to_owned(), value));
        Some(format!("/book/{}/new?{}", to.slug, written(&query)))
    }
}

/// `GET /book/<slug>/correct`
pub(crate) async fn form(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    Corrections::of(&shell, &slug, &visitor.query(), &Form::default()).await?.document(None).await
}

/// `POST /book/<slug>/correct`
pub(crate) async fn correct(Visit(pages, visitor, slug): Visit<String>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let form = Form::read(&bytes);
    let mut all = Corrections::of(&shell, &slug, &visitor.query(), &form).await?;
    let changes = all.changes(&form).await;
    if all.is_faulty() || changes.is_empty() {
        let why = if changes.is_empty() { "page-correct-empty" } else { "page-faults" };
        return all.document(Some((StatusCode::BAD_REQUEST, why))).await;
    }
    let good = all.send(&changes, "&validate=only", form.get(ANYWAY).is_none()).await;
    if good && all.is_faulty() {
        return all.document(Some((StatusCode::OK, "page-findings-asked"))).await;
    }
    if !(good && all.send(&changes, "", false).await) {
        return all.document(Some((StatusCode::BAD_REQUEST, "page-faults"))).await;
    }
    Ok(Notice::Pressed("page-correct").see(all.c, &all.address(1)))
}
