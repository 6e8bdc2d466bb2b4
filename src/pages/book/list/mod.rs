//! `/book/<slug>`: the list of a collection with search, conditions, order, columns, pages, views and files.

mod builder;
pub(super) mod saved;
mod table;
mod wording;

use self::builder::{Builder, Shown, chips, groups, refused_paths};
use super::columns::{self, Column};
use super::conditions::Node;
use super::query::{COLUMNS, LIMITS, Query, searched};
use super::rights::Rights;
use super::{collection, in_force, many, mating};
use crate::calls::Answer;
use crate::components::reply::{page, see};
use crate::components::shell::Shell;
use crate::evaluation;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::{HeaderValue, StatusCode, header};
use maud::{Markup, html};
use model::messages::{Language, labels};
use model::registry::{Collection, Feature, Field};

/// Ticked rows, and that all rows of the condition are meant.
pub(super) const ROWS: &str = "rows";
pub(super) const ALL: &str = "all";
/// Files of the list: the word of the REST face, the text, and whether people read it.
const FILES: [(&str, &str, bool); 4] = [
    ("xlsx", "page-file-xlsx", true),
    ("csv-ru", "page-file-csv-ru", true),
    ("csv", "page-file-csv-programs", false),
    ("ndjson", "page-file-ndjson", false),
];

/// The files of lists in a language: semicolons and decimal commas are for programs with Russian settings.
pub(super) fn files(language: Language) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    FILES.into_iter().filter(move |(form, ..)| *form != "csv-ru" || language == Language::Russian)
}

pub(crate) async fn list(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let mut query = Query::read(shell.pages.site.registry, visitor.query(), visitor.cookie(COLUMNS));
    let mut builder = match Builder::read(&shell, c, &visitor.query()) {
        Some(mut sent) => {
            query = query.of(sent.nodes(&shell).await);
            if !(sent.pressed || sent.has_faults()) {
                return Ok(see(&query.address(c)));
            }
            sent
        }
        None => Builder::of(&shell, c, query.nodes()),
    };
    let columns = query.columns(c, shell.language());
    let more = table::more(shell.pages.site.registry, c);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let data = format!("/api/{}?{}", c.slug, query.rows(c, &columns, &more, query.limit()));
    // A condition that is not understood finds nothing, which would be taken for the truth.
    let is_understood = !builder.has_faults();
    let answer = async {
        match is_understood {
            true => Some(shell.get(&data).await),
            false => None,
        }
    };
    let rankings = async {
        match c.is(Feature::IndexValues) {
            true => evaluation::rankings::markup(&shell).await,
            false => in_force::markup(&shell, c).await,
        }
    };
    let (answer, rights, saved, rankings, names) = futures_util::join!(
        answer,
        Rights::of(&shell, c, None),
        saved::markup(&shell, c, &query),
        rankings,
        wording::names(&shell, c, query.nodes())
    );
    let status = answer.as_ref().map_or(StatusCode::BAD_REQUEST, |answer| answer.status);
    if let Some(answer) = answer.as_ref().filter(|answer| !answer.is_good()) {
        if status != StatusCode::BAD_REQUEST {
            return Err(Stop::refused(&shell, answer));
        }
        builder.refuse(&refused_paths(answer), &shell.text("page-refused-field"));
    }
    let open = builder.pressed || builder.has_faults();
    let builder = builder.shown(&shell, &usual_fields(c, &columns, &rights), &names);
    let form = Shown::of(&shell, (&builder, &names, &rights), open).await.markup();
    let chips = chips(&shell, (c, query.nodes(), &names), &|nodes: Vec<Node>| query.clone().of(nodes).address(c));
    let view = View { shell, c, query, columns, answer, rights, saved, rankings, chips, form: (form, open) };
    let title = labels::collections(shell.language(), c.slug);
    let html = shell.document(&title, &view.markup(&title, &data));
    let mut response = page(status, html);
    if let Some(Ok(cookie)) = view.query.cookie(c).map(HeaderValue::try_from) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The fields that are asked for most: those of the columns, and of the usual ones.
fn usual_fields(c: &'static Collection, columns: &[Column], rights: &Rights) -> Vec<&'static Field> {
    let own = columns.iter().filter(|column| column.list.is_none() && column.related.is_none());
    let own = own.map(|column| column.field);
    let mut all: Vec<&'static Field> = Vec::new();
    for field in own.chain(columns::of(c)).filter(|field| rights.may_read(&field.path)) {
        if !all.iter().any(|one| one.path == field.path) {
            all.push(field);
        }
    }
    all
}

struct View<'v> {
    shell: Shell<'v>,
    c: &'static Collection,
    query: Query,
    columns: Vec<Column>,
    /// None where the condition is not understood.
    answer: Option<Answer>,
    rights: Rights,
    saved: Markup,
    rankings: Markup,
    chips: Markup,
    /// The form of the condition, and whether it is open.
    form: (Markup, bool),
}

impl View<'_> {
    fn label(&self, path: &str) -> String {
        labels::field(self.shell.language(), self.c.slug, path)
    }

    /// The address of this list with some parameters changed.
    fn to(&self, changes: &[(&str, &str)]) -> String {
        format!("/book/{}?{}", self.c.slug, self.query.with(changes))
    }

    fn markup(&self, title: &str, data: &str) -> Markup {
        let total = self.answer.as_ref().map(|answer| answer.number("totalDocs"));
        let creates = self.rights.may("create");
        html! {
            div class="heading" {
                // Of settings the rows are those that differ from what is built in.
                h1 {
                    (title)
                    @if let Some(total) = total.filter(|_| self.c.built_in.is_none()) { " " span class="count" { (total) } }
                }
                (evaluation::way(&self.shell, self.c))
                @if let Some(how) = self.c.for_many.filter(|_| creates && self.shell.visitor.is_association()) {
                    a class="button second" href=(format!("/book/{}/many/{}", self.c.slug, how.name)) {
                        (labels::action(self.shell.language(), self.c.slug, how.name))
                    }
                }
                @if creates && self.c.ui.grid.is_some() {
                    a class="button second" href=(format!("/book/{}/grid", self.c.slug)) { (self.shell.text("page-grid")) }
                }
                @if creates {
                    a class="button" href=(format!("/book/{}/new", self.c.slug)) { (self.shell.text("page-new")) }
                }
            }
            (self.whose())
            (self.rankings)
            (self.filters())
            (self.chips)
            (self.saved)
            @match &self.answer {
                None => p class="fault" role="alert" { (self.shell.text("page-not-understood")) },
                Some(answer) if !answer.is_good() => p class="fault" role="alert" { (answer.message()) },
                Some(_) if total == Some(0) => p class="none" { (self.shell.text("page-none")) },
                Some(answer) => {
                    (self.rows(answer))
                    (self.pages(answer))
                    @let search = self.query.with(&[("page", ""), (COLUMNS, "")]);
                    (many::ways(&self.shell, self.c, &search))
                    (mating::way(&self.shell, self.c, &search))
                }
            }
            @if self.answer.is_some() { (self.files(data)) }
        }
    }

    /// The ways to the rows of the own organisation and to all.
    fn whose(&self) -> Markup {
        let Some((name, value)) = self.shell.own(self.c) else {
            return html! {};
        };
        let is_own = self.query.get(&name) == Some(value.as_str());
        let all = self.query.get(&name).is_none();
        html! {
            nav class="whose" aria-label=(self.shell.text("page-whose")) { ul {
                li { a href=(self.to(&[(&name, &value), ("page", "")])) aria-current=[is_own.then_some("true")] {
                    (self.shell.text("page-own"))
                } }
                li { a href=(self.to(&[(&name, ""), ("page", "")])) aria-current=[all.then_some("true")] {
                    (self.shell.text("page-all"))
                } }
            } }
        }
    }

    /// The table, whose rows can be ticked by those who are signed in.
    fn rows(&self, answer: &Answer) -> Markup {
        let shell = &self.shell;
        let table = self.table(answer.docs());
        html! {
            @if shell.visitor.user.is_some() {
                form class="ticked" method="get" data-all=(shell.text("page-tick-all"))
                    action=(format!("/book/{}/deeds", self.c.slug)) {
                    @for (name, value) in self.query.search_parameters() {
                        input type="hidden" name=(name) value=(value);
                    }
                    (table)
                    p class="choose" {
                        button class="second" type="submit" { (shell.text("page-with-ticked")) }
                        button class="second" type="submit" name=(ALL) value="true" {
                            (shell.text("page-with-all")) ": " (answer.number("totalDocs"))
                        }
                    }
                }
            } @else { (table) }
        }
    }

    fn pages(&self, answer: &Answer) -> Markup {
        let (of, number, total) = (answer.number("totalPages"), answer.number("page"), answer.number("totalDocs"));
        let link = |page: u64, text: &str, rel: &str| {
            html! { a rel=(rel) href=(self.to(&[("page", &page.to_string())])) { (self.shell.text(text)) } }
        };
        let [least, ..] = LIMITS;
        html! {
            @if of > 1 {
                nav class="pages" aria-label=(self.shell.text("page-pages")) {
                    @if number > 1 { (link(number.saturating_sub(1), "page-previous", "prev")) }
                    span { (number) " / " (of) }
                    @if number < of { (link(number.saturating_add(1), "page-next", "next")) }
                }
            }
            @if total > least {
                nav class="pages" aria-label=(self.shell.text("page-sizes")) {
                    span { (self.shell.text("page-sizes")) ":" }
                    @for limit in LIMITS {
                        a href=(self.to(&[("limit", &limit.to_string()), ("page", "")]))
                            aria-current=[(limit == self.query.limit()).then_some("true")] { (limit) }
                    }
                }
            }
        }
    }

    fn filters(&self) -> Markup {
        let (form, open) = &self.form;
        html! {
            form class="filters" method="get" role="search" action=(format!("/book/{}", self.c.slug)) {
                // The enter key finds, and changes no row.
                button class="enter" type="submit" tabindex="-1" aria-hidden="true" { (self.shell.text("page-find")) }
                @for name in ["sort", "limit"] {
                    @if let Some(value) = self.query.get(name) { input type="hidden" name=(name) value=(value); }
                }
                @if !searched(self.c).is_empty() {
                    div class="field" {
                        label for="q" { (self.shell.text("page-search")) }
                        input id="q" name="q" type="search" value=[self.query.search()];
                    }
                }
                details class="choice" open[*open] {
                    summary { (self.shell.text("page-filters")) }
                    (form)
                }
                (self.choice())
                button type="submit" { (self.shell.text("page-find")) }
                a href=(self.shell.list(self.c)) { (self.shell.text("page-clear")) }
            }
        }
    }

    fn choice(&self) -> Markup {
        html! {
            details class="choice" {
                summary { (self.shell.text("page-columns")) }
                // Without a tick, the columns of the declaration come back.
                input type="hidden" name=(COLUMNS) value="";
                @for (name, all) in groups(&self.shell, self.c, &self.rights, &|_| true) {
                    fieldset class="ticks" {
                        legend { (name) }
                        @for column in &all { (self.tick(column)) }
                    }
                }
            }
        }
    }

    fn tick(&self, column: &Column) -> Markup {
        html! {
            label {
                input type="checkbox" name=(COLUMNS) value=(column.path)
                    checked[self.columns.iter().any(|own| own.path == column.path)];
                " " (column.label(self.shell.language(), self.c))
            }
        }
    }

    fn files(&self, data: &str) -> Markup {
        html! {
            p class="files" {
                (self.shell.text("page-files")) ": "
                @for (form, text, for_people) in files(self.shell.language()) {
                    @let language = for_people.then(|| self.shell.language());
                    a href=(format!("/api/{}?{}", self.c.slug, self.query.file(self.c, &self.columns, (form, language)))) {
                        (self.shell.text(text))
                    }
                    " "
                }
                a href=(data) { (self.shell.text("page-as-json")) }
            }
        }
    }
}
