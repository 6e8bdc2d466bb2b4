//! `/book/<slug>`: the list of a collection with search, filters, order, columns, pages and files.

use super::columns::{self, is_shown};
use super::query::{COLUMNS, LIMIT, Query, searched};
use super::rights::Rights;
use super::saved;
use super::{collection, many, mating};
use crate::calls::Answer;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, row_head};
use crate::evaluation;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::{HeaderValue, StatusCode, header};
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature, Field, Kind};
use std::collections::BTreeSet;

/// Filters that the page offers.
const FILTERS: usize = 8;
/// Files of the list: the word of the REST face, the text, and whether people read it.
const FILES: [(&str, &str, bool); 4] = [
    ("xlsx", "page-file-xlsx", true),
    ("csv-ru", "page-file-csv-ru", true),
    ("csv", "page-file-csv", false),
    ("ndjson", "page-file-ndjson", false),
];

pub(crate) async fn list(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let query = Query::read(visitor.query(), visitor.cookie(COLUMNS));
    let columns = query.columns(c);
    let data = format!("/api/{}?{}", c.slug, query.rows(c, &columns));
    let rankings = async {
        match c.is(Feature::IndexValues) {
            true => evaluation::rankings::markup(&shell).await,
            false => html! {},
        }
    };
    let (answer, rights, saved, rankings) =
        futures_util::join!(shell.get(&data), Rights::of(&shell, c, None), saved::markup(&shell, c, &query), rankings);
    let status = answer.status;
    if !answer.is_good() && status != StatusCode::BAD_REQUEST {
        return Err(Stop::refused(&shell, &answer));
    }
    let view = View { shell, c, query, columns, answer, saved, rankings };
    let title = labels::collections(shell.language(), c.slug);
    let html = shell.document(&title, &view.markup(&title, rights.may("create"), &data));
    let mut response = page(status, html);
    if let Some(Ok(cookie)) = view.query.cookie(c).map(HeaderValue::try_from) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

struct View<'v> {
    shell: Shell<'v>,
    c: &'static Collection,
    query: Query,
    columns: Vec<&'static Field>,
    answer: Answer,
    saved: Markup,
    rankings: Markup,
}

impl View<'_> {
    fn label(&self, path: &str) -> String {
        labels::field(self.shell.language(), self.c.slug, path)
    }

    fn address(&self, changes: &[(&str, &str)]) -> String {
        format!("/book/{}?{}", self.c.slug, self.query.with(changes))
    }

    fn markup(&self, title: &str, creates: bool, data: &str) -> Markup {
        let total = self.answer.number("totalDocs");
        html! {
            div class="heading" {
                h1 { (title) " " span class="count" { (total) } }
                (evaluation::way(&self.shell, self.c))
                @if let Some(how) = self.c.for_many.filter(|_| creates && self.shell.visitor.is_association()) {
                    a class="button second" href=(format!("/book/{}/many/{}", self.c.slug, how.name)) {
                        (labels::action(self.shell.language(), self.c.slug, how.name))
                    }
                }
                @if creates {
                    a class="button" href=(format!("/book/{}/new", self.c.slug)) { (self.shell.text("page-new")) }
                }
            }
            (self.whose())
            (self.rankings)
            (self.filters())
            (self.saved)
            @if !self.answer.is_good() {
                p class="fault" role="alert" { (self.answer.message()) }
            } @else if total == 0 {
                p class="none" { (self.shell.text("page-none")) }
            } @else {
                (self.table())
                (self.pages())
                @let search = self.query.with(&[("page", ""), ("columns", "")]);
                (many::ways(&self.shell, self.c, &search))
                (mating::way(&self.shell, self.c, &search))
            }
            (self.files(data))
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
                li { a href=(self.address(&[(&name, &value), ("page", "")])) aria-current=[is_own.then_some("true")] {
                    (self.shell.text("page-own"))
                } }
                li { a href=(self.address(&[(&name, ""), ("page", "")])) aria-current=[all.then_some("true")] {
                    (self.shell.text("page-all"))
                } }
            } }
        }
    }

    fn table(&self) -> Markup {
        html! {
            section class="wide" tabindex="0" aria-label=(labels::collections(self.shell.language(), self.c.slug)) {
                table class="list" {
                    thead { tr {
                        @match columns::heads(self.c).first().and_then(|path| self.c.field(path)).or(self.about()) {
                            Some(field) => (self.head(field)),
                            None => th scope="col" { (labels::collection(self.shell.language(), self.c.slug)) },
                        }
                        @for field in self.others() { (self.head(field)) }
                    } }
                    tbody {
                        @for doc in self.answer.docs() { tr {
                            th scope="row" {
                                @if let Some(field) = self.about() { (cell_of(&self.shell, self.c, field, doc)) " " }
                                a href=(format!("/book/{}/{}", self.c.slug, at(doc, "id"))) { (row_head(&self.shell, self.c, doc)) }
                            }
                            @for field in self.others() {
                                td data-head=(self.label(&field.path)) {
                                    (cell_of(&self.shell, self.c, field, doc))
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    /// The animal that heads each row, where rows have no name of their own and it is the first column.
    fn about(&self) -> Option<&'static Field> {
        let first = self.columns.first().filter(|field| self.c.animal == Some(field.path.as_str()));
        first.copied().filter(|_| columns::heads(self.c).is_empty())
    }

    /// The columns besides what heads the rows.
    fn others(&self) -> Vec<&'static Field> {
        let about = self.about().map(|field| field.path.as_str());
        let others = columns::others(self.c, &self.columns).into_iter();
        others.filter(|field| Some(field.path.as_str()) != about).collect()
    }

    /// The head of a column: a way to the other order.
    fn head(&self, field: &Field) -> Markup {
        let label = self.label(&field.path);
        let sort = self.query.order(self.c);
        let (order, next) = match sort.strip_prefix('-') {
            Some(path) if path == field.path => (Some("descending"), field.path.clone()),
            _ if sort == field.path => (Some("ascending"), format!("-{}", field.path)),
            _ => (None, field.path.clone()),
        };
        let sorted = !matches!(field.kind, Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::LongText);
        html! {
            th scope="col" aria-sort=[order] {
                @if sorted {
                    a href=(self.address(&[("sort", &next), ("page", "")])) { (label) }
                } @else { (label) }
            }
        }
    }

    fn pages(&self) -> Markup {
        let of = self.answer.number("totalPages");
        let number = self.answer.number("page");
        let link = |page: u64, text: &str, rel: &str| {
            html! { a rel=(rel) href=(self.address(&[("page", &page.to_string())])) { (self.shell.text(text)) } }
        };
        html! {
            @if of > 1 {
                nav class="pages" aria-label=(self.shell.text("page-pages")) {
                    @if number > 1 { (link(number.saturating_sub(1), "page-previous", "prev")) }
                    span { (number) " / " (of) }
                    @if number < of { (link(number.saturating_add(1), "page-next", "next")) }
                }
            }
        }
    }

    /// The fields by which the list may be narrowed.
    fn filtered(&self) -> Vec<&'static Field> {
        let few = |field: &&&'static Field| matches!(field.kind, Kind::Select(_) | Kind::Bool | Kind::Day);
        let own = self.columns.iter().filter(few).copied();
        let own: Vec<&'static Field> = own.collect();
        let others = columns::of(self.c).into_iter();
        let others = others.filter(|field| few(&field) && !own.iter().any(|one| one.path == field.path));
        own.iter().copied().chain(others.collect::<Vec<_>>()).take(FILTERS).collect()
    }

    fn filters(&self) -> Markup {
        let filtered = self.filtered();
        let names: BTreeSet<String> = filtered.iter().flat_map(|field| parameters(field)).collect();
        let searches = !searched(self.c).is_empty();
        let active = names.iter().any(|name| self.query.get(name).is_some());
        html! {
            form class="filters" method="get" role="search" action=(format!("/book/{}", self.c.slug)) {
                @for (name, value) in self.query.others(&names) {
                    input type="hidden" name=(name) value=(value);
                }
                @if searches {
                    div class="field" {
                        label for="q" { (self.shell.text("page-search")) }
                        input id="q" name="q" type="search" value=[self.query.search()];
                    }
                }
                details class="choice" open[active] {
                    summary { (self.shell.text("page-filters")) }
                    div class="filters-of" { @for field in &filtered { (self.filter(field)) } }
                }
                (self.choice())
                button type="submit" { (self.shell.text("page-find")) }
                a href=(self.shell.list(self.c)) { (self.shell.text("page-clear")) }
            }
        }
    }

    fn filter(&self, field: &'static Field) -> Markup {
        let label = self.label(&field.path);
        let names = parameters(field);
        let language = self.shell.language();
        let options: Vec<(String, String)> = match &field.kind {
            Kind::Select(words) => (words.iter())
                .map(|word| (word.clone(), labels::option(language, self.c.slug, &field.path, word)))
                .collect(),
            Kind::Bool => {
                vec![("true".to_owned(), self.shell.text("page-yes")), ("false".to_owned(), self.shell.text("page-no"))]
            }
            _ => Vec::new(),
        };
        html! {
            @for (place, parameter) in names.iter().enumerate() {
                @let id = format!("{}-{place}", field.path.replace('.', "-"));
                div class="field" {
                    label for=(id) {
                        (label)
                        @if names.len() > 1 {
                            ", " (self.shell.text(if place == 0 { "page-from" } else { "page-to" }))
                        }
                    }
                    @if options.is_empty() {
                        input id=(id) name=(parameter) type="date" value=[self.query.get(parameter)];
                    } @else {
                        select id=(id) name=(parameter) {
                            option value="" {}
                            @for (value, label) in &options {
                                option value=(value) selected[self.query.get(parameter) == Some(value)] { (label) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn choice(&self) -> Markup {
        let usual = columns::of(self.c);
        let is_usual = |field: &Field| usual.iter().any(|own| own.path == field.path);
        let mut groups: Vec<(&str, Vec<&Field>)> = vec![("", usual.clone())];
        let others = self.c.fields.iter().filter(|field| is_shown(field) && !is_usual(field));
        for field in others {
            let group = field.path.split_once('.').map_or("", |(group, _)| group);
            match groups.iter_mut().skip(1).find(|(own, _)| *own == group) {
                Some((_, fields)) => fields.push(field),
                None => groups.push((group, vec![field])),
            }
        }
        html! {
            details class="choice" {
                summary { (self.shell.text("page-columns")) }
                // Without a tick, the columns of the declaration come back.
                input type="hidden" name=(COLUMNS) value="";
                @for (place, (group, fields)) in groups.iter().enumerate() {
                    fieldset class="ticks" {
                        legend {
                            @match (place, *group) {
                                (0, _) => (self.shell.text("page-columns-usual")),
                                (_, "") => (self.shell.text("page-columns-other")),
                                (_, group) => (self.label(group)),
                            }
                        }
                        @for field in fields { (self.tick(field)) }
                    }
                }
            }
        }
    }

    fn tick(&self, field: &Field) -> Markup {
        html! {
            label {
                input type="checkbox" name=(COLUMNS) value=(field.path)
                    checked[self.columns.iter().any(|own| own.path == field.path)];
                " " (self.label(&field.path))
            }
        }
    }

    fn files(&self, data: &str) -> Markup {
        html! {
            p class="files" {
                (self.shell.text("page-files")) ": "
                @for (form, text, for_people) in FILES {
                    a href=(format!("/api/{}?{}", self.c.slug, self.query.file(self.c, &self.columns, (form, for_people)))) {
                        (self.shell.text(text))
                    }
                    " "
                }
                a href=(data) { (self.shell.text("page-as-json")) }
            }
            @if self.query.get("limit").is_none() {
                p class="none" { (crate::words::text_of(self.shell.language(), "page-limit", "count", &LIMIT.to_string())) }
            }
        }
    }
}

/// The parameters of the REST face by which a field narrows the list.
fn parameters(field: &Field) -> Vec<String> {
    let path = &field.path;
    match field.kind {
        Kind::Day | Kind::Instant => {
            vec![format!("where[{path}][greater_than_equal]"), format!("where[{path}][less_than_equal]")]
        }
        _ => vec![format!("where[{path}][equals]")],
    }
}
