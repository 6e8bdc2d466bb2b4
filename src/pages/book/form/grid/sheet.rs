//! A grid as it is shown: what the rows share above them, a row for each animal, and what is wrong with each.

use super::{GridPage, Head, MOST, OF, ONLY, PAGE, PAGES, ROWS, SHOW};
use crate::book::form::choices::{Meant, fitting};
use crate::book::form::form_rows::{Row, name_of};
use crate::book::form::form_sheet::{ANYWAY, Choices, choices};
use crate::calls::Fault;
use crate::components::input::Input;
use crate::components::reply::page;
use crate::components::value::cell_of;
use crate::stop::Page;
use crate::words::text_of;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Field};
use serde_json::Value;

/// A row of the form.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The animal as the form names it.
    pub(super) animal: String,
    pub(super) is_proposed: bool,
    /// What was typed, by path.
    pub(super) cells: Row,
    /// The proposed animal.
    pub(super) doc: Option<Value>,
    /// Its event of that day, which is in the book already.
    pub(super) entered: Option<Value>,
    pub(super) faults: Vec<Fault>,
    /// What may be chosen in place of texts that name no single record, by path.
    pub(super) meant: Meant,
}

impl Line {
    /// Whether something was typed.
    pub(super) fn is_filled(&self) -> bool {
        let mut texts = self.cells.values().flatten();
        texts.any(|text| !text.trim().is_empty()) || !(self.is_proposed || self.animal.trim().is_empty())
    }
}

/// The form with what it holds.
pub(super) struct GridSheet {
    pub(super) head: Head,
    pub(super) pages: u64,
    pub(super) lines: Vec<Line>,
    /// What is wrong above the rows.
    pub(super) faults: Vec<Fault>,
    /// Whether a place must be named, so that animals are proposed.
    pub(super) nowhere: bool,
    /// How many of the chosen animals do not come into question.
    pub(super) unfit: usize,
    /// What is wrong as a whole.
    pub(super) refused: Option<(StatusCode, String)>,
}

fn messages<'f>(faults: &'f [Fault], path: &str) -> Vec<&'f str> {
    faults.iter().filter(|fault| fault.path == path).map(|fault| fault.message.as_str()).collect()
}

impl GridSheet {
    pub(super) async fn response(self, grid: &GridPage<'_>) -> Page {
        let shell = grid.shell;
        let place = [grid.place];
        let own = grid.place.target().and_then(|slug| shell.own(shell.pages.site.registry.get(slug)?));
        let own = own.map(|(name, value)| format!("&{name}={value}")).unwrap_or_default();
        let others: Vec<&'static Field> = grid.same.iter().chain(&grid.cells).copied().collect();
        let kind = self.kind(grid);
        // Which reasons fit is not known before the kind is; receivers are the same for all kinds that have some.
        let waits = grid.c.ui.fits.filter(|_| kind == Some(""));
        let passed_on = waits.and_then(|fits| fits.receiver.kinds.first().copied()).or(kind).unwrap_or_default();
        let giver = shell.visitor.organization().filter(|_| !shell.visitor.is_association());
        let fit = |field: &Field| match waits.is_some_and(|fits| fits.reason.relation == field.path) {
            true => None,
            false => fitting(grid.c, passed_on, field, giver),
        };
        let at_own = |_: &Field| Some(own.clone());
        let (mut all, places) = futures_util::join!(choices(shell, &others, &fit), choices(shell, &place, &at_own));
        let places = places.0.into_iter().filter(|(_, own)| !own.is_empty());
        all.0.extend(places.map(|((slug, among, _), own)| ((slug, among, None), own)));
        let title = format!("{}: {}", labels::collections(shell.language(), grid.c.slug), shell.text("page-grid"));
        let status = self.refused.as_ref().map_or(StatusCode::OK, |(status, _)| *status);
        let body = self.markup(grid, &title, &all);
        Ok(page(status, shell.document(&title, &body)))
    }

    /// The kind of the records, where what fits them follows from it; empty where it is not chosen yet.
    fn kind(&self, grid: &GridPage<'_>) -> Option<&str> {
        let path = grid.c.ui.fits?.kind;
        Some(self.head.texts.get(path).map_or("", String::as_str))
    }

    fn markup(&self, grid: &GridPage<'_>, title: &str, choices: &Choices) -> Markup {
        let shell = grid.shell;
        let (slug, language) = (grid.c.slug, shell.language());
        let more = self.head.page < self.pages;
        let save = shell.text(if more { "page-save-and-next-page" } else { "page-save" });
        let doubts = self.refused.as_ref().is_some_and(|(status, _)| status.is_success());
        let note = match (self.nowhere, grid.each && !self.head.only.is_empty()) {
            (true, _) => "page-grid-nowhere",
            (false, true) => "page-grid-each",
            (false, false) => "page-grid-note",
        };
        html! {
            nav class="crumbs" aria-label=(shell.text("page-path")) {
                a href=(format!("/book/{slug}")) { (labels::collections(language, slug)) }
            }
            h1 { (title) }
            @if let Some((_, why)) = &self.refused { p class="fault" role="alert" { (why) } }
            form method="post" action=(format!("/book/{slug}/grid")) data-address=(grid.address(&self.head, self.head.page)) {
                input type="hidden" name=(PAGE) value=(self.head.page);
                input type="hidden" name=(PAGES) value=(self.pages);
                @if !self.head.only.is_empty() { input type="hidden" name=(ONLY) value=(self.head.only()); }
                div class="filters-of" {
                    @for (c, field) in grid.above() {
                        // Chosen animals are shown wherever they stand.
                        @if self.head.only.is_empty() || field.path != grid.place.path { (self.above(grid, (c, field), choices)) }
                    }
                    // The first button is that of the enter key: it stores nothing.
                    div class="field" { button class="second" type="submit" name=(SHOW) value="yes" formnovalidate { (shell.text("page-grid-show")) } }
                }
                p class="note" { (shell.text(note)) }
                @if self.kind(grid) == Some("") { p class="note" { (shell.text("page-grid-kind")) } }
                @if self.unfit > 0 { p class="note" { (text_of(language, "page-grid-unfit", "number", &self.unfit.to_string())) } }
                section class="wide" tabindex="0" aria-label=(title) {
                    table class="grid list" data-most=(MOST) {
                        thead { tr {
                            th scope="col" { (labels::field(language, slug, &grid.animal.path)) }
                            @for field in beside(grid) { th scope="col" { (labels::field(language, grid.animals.slug, &field.path)) } }
                            @for field in &grid.cells { th scope="col" { (labels::field(language, slug, &field.path)) } }
                        } }
                        tbody { @for (place, line) in self.lines.iter().enumerate() { (row(grid, (place, line), choices)) } }
                    }
                }
                p class="fault" role="alert" hidden data-over=(shell.text("page-grid-over")) {}
                p class="choose" {
                    button type="submit" { (save) }
                    @if doubts { button class="second" type="submit" name=(ANYWAY) value="yes" { (shell.text("page-save-anyway")) } }
                }
            }
            (self.ways(grid))
            (self.cards(grid))
        }
    }

    /// The ways to the animals for those who use the keyboard: in the rows they would stand between the cells.
    fn cards(&self, grid: &GridPage<'_>) -> Markup {
        let docs: Vec<&Value> = self.lines.iter().filter_map(|line| line.doc.as_ref()).collect();
        html! {
            @if !docs.is_empty() {
                details {
                    summary { (grid.shell.text("page-grid-cards")) " " span class="count" { (docs.len()) } }
                    ul class="ways" { @for doc in docs { li {
                        a href=(format!("/book/{}/{}", grid.animals.slug, at(doc, "id"))) { (grid.shell.title(grid.animals, doc)) }
                    } } }
                }
            }
        }
    }

    fn above(
        &self,
        grid: &GridPage<'_>,
        (c, field): (&'static Collection, &'static Field),
        choices: &Choices,
    ) -> Markup {
        let path = field.path.as_str();
        Input {
            c,
            field,
            kind: "",
            scope: "",
            name: path,
            value: self.head.texts.get(path).map_or("", String::as_str),
            groups: &[],
            choices: choices.of(field).map(Vec::as_slice),
            faults: &messages(&self.faults, path),
            required: path == grid.day.path,
        }
        .markup(grid.shell)
    }

    /// The ways to other pages, which store nothing.
    fn ways(&self, grid: &GridPage<'_>) -> Markup {
        let shell = grid.shell;
        let link = |page: u64, text: &str, rel: &str| {
            html! { a rel=(rel) href=(grid.address(&self.head, page)) { (shell.text(text)) } }
        };
        html! {
            @if self.pages > 1 {
                nav class="pages" aria-label=(shell.text("page-pages")) {
                    @if self.head.page > 1 { (link(self.head.page.saturating_sub(1), "page-previous", "prev")) }
                    span { (self.head.page) " / " (self.pages) }
                    @if self.head.page < self.pages { (link(self.head.page.saturating_add(1), "page-next", "next")) }
                }
            }
        }
    }
}

/// The fields beside each animal, without those by which it is called.
fn beside(grid: &GridPage<'_>) -> impl Iterator<Item = &'static Field> {
    let animals = grid.animals;
    let names = animals.title().names;
    grid.roster.beside.iter().filter(move |path| !names.contains(*path)).filter_map(|path| animals.field(path))
}

fn row(grid: &GridPage<'_>, (place, line): (usize, &Line), choices: &Choices) -> Markup {
    let shell = grid.shell;
    let own = |path: &str| grid.cells.iter().any(|field| field.path == path) || path == grid.animal.path;
    // What has no cell stands beside the animal.
    let others = line.faults.iter().filter(|fault| !own(&fault.path));
    let others = html! { @for fault in others { p class="fault" { (fault.message) } } };
    let called = match &line.doc {
        Some(doc) => shell.title(grid.animals, doc),
        None => text_of(shell.language(), "page-grid-row", "number", &place.saturating_add(1).to_string()),
    };
    let cell = |field: &'static Field, value: &str| cell(grid, (place, line, &called), (field, value), choices);
    let beside: Vec<&Field> = beside(grid).collect();
    // Narrow pages have them in place of the heads of columns.
    let label = |c: &Collection, field: &Field| labels::field(shell.language(), c.slug, &field.path);
    html! {
        tr {
            @if let Some(doc) = &line.doc {
                th scope="row" {
                    a tabindex="-1" href=(format!("/book/{}/{}", grid.animals.slug, at(doc, "id"))) { (called) }
                    @if line.entered.is_none() { input type="hidden" name=(name_of(ROWS, place, OF)) value=(line.animal); }
                    @for message in messages(&line.faults, &grid.animal.path) { p class="fault" { (message) } }
                    (others)
                }
                @for field in beside {
                    td data-head=(label(grid.animals, field)) { (cell_of(shell, grid.animals, field, doc)) }
                }
            } @else {
                th scope="row" colspan=(beside.len().saturating_add(1)) data-head=(label(grid.c, grid.animal)) {
                    (cell(grid.animal, &line.animal)) (others)
                }
            }
            @for field in &grid.cells {
                td data-head=(label(grid.c, field)) {
                    @if let Some(event) = &line.entered {
                        (cell_of(shell, grid.c, field, event))
                    } @else {
                        @let texts = line.cells.get(&field.path);
                        (cell(field, texts.and_then(|texts| texts.first()).map_or("", String::as_str)))
                    }
                }
            }
        }
    }
}

fn cell(
    grid: &GridPage<'_>,
    (place, line, called): (usize, &Line, &str),
    (field, value): (&'static Field, &str),
    choices: &Choices,
) -> Markup {
    let label = labels::field(grid.shell.language(), grid.c.slug, &field.path);
    let options = line.meant.get(&field.path).or_else(|| choices.of(field));
    Input {
        c: grid.c,
        field,
        kind: "",
        scope: "",
        name: &name_of(ROWS, place, &field.path),
        value,
        groups: &[],
        choices: options.map(Vec::as_slice),
        faults: &messages(&line.faults, &field.path),
        required: false,
    }
    .cell(grid.shell, &format!("{label}, {called}"))
}
