//! `/book/<slug>/deeds`: what may be done with many rows of a list at once, the ticked ones or all of its condition. Each
//! deed has a page of its own that asks first. Must not know any single collection.

pub(super) mod approve;
pub(super) mod change;
pub(super) mod remove;

use super::columns;
use super::form::grid::ONLY;
use super::list::{ALL, ROWS, files};
use super::query::{COLUMNS, Query, written};
use super::rights::AllRights;
use super::{many, mating, own_collection};
use crate::calls::Answer;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::{Form, text_of};
use axum::http::{Method, StatusCode};
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature, Field, Kind, Writer};
use serde_json::Value;
use std::collections::BTreeSet;

/// Rows that the page names, and those that one record can be made about.
const NAMED: u64 = 100;
const TOGETHER: u64 = 200;

/// The rows that a visitor chose.
struct Chosen<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    /// Its condition chooses them.
    query: Query,
}

impl<'s> Chosen<'s> {
    /// The ticked rows, or all of the search; none where nothing is ticked.
    fn of(shell: &'s Shell<'s>, c: &'static Collection, form: &Form) -> Option<Self> {
        let mut form = form.clone();
        let ids: Vec<String> =
            form.all(ROWS).filter_map(|id| id.trim().parse::<i64>().ok()).map(|id| id.to_string()).collect();
        let all = form.get(ALL).is_some();
        form.0.retain(|(name, _)| name != ROWS && name != ALL && name != "page");
        if !all {
            form.0.retain(|(name, _)| name != "q" && !name.starts_with("where"));
            form.0.push(("where[id][in]".to_owned(), ids.join(",")));
        }
        let query = Query::read(shell.pages.site.registry, form, shell.visitor.cookie(COLUMNS));
        (all || !ids.is_empty()).then_some(Self { shell, c, query })
    }

    /// The search that chooses the same rows, as the query of an address.
    fn search(&self) -> String {
        let all: Vec<(String, String)> = self.query.search_parameters().cloned().collect();
        written(&all)
    }

    /// So many of them as documents with their names, and how many there are.
    async fn docs(&self, limit: u64) -> Result<(Vec<Value>, u64), Stop> {
        let names = self.c.title_paths();
        let path = format!("/api/{}?{}", self.c.slug, self.query.rows(self.c, &[], &names, limit));
        let answer = self.shell.get(&path).await;
        match answer.is_good() {
            true => Ok((answer.docs().to_vec(), answer.number("totalDocs"))),
            false => Err(Stop::refused(self.shell, &answer)),
        }
    }

    /// Writes the rows by condition, or only checks that, where they are not more than so many; and how many they are.
    async fn write(
        &self,
        method: Method,
        body: &Value,
        (most, done): (u64, bool),
    ) -> Result<(Option<Answer>, u64), Stop> {
        let (_, total) = self.docs(1).await?;
        if total > most {
            return Ok((None, total));
        }
        let c = self.c;
        let mut condition = self.query.condition(c);
        if condition.is_empty() {
            condition.push(("where[id][exists]".to_owned(), "true".to_owned()));
        }
        let only = if done { "" } else { "&validate=only" };
        let (condition, names) = (written(&condition), named_by(c));
        let path = format!("/api/{}?{condition}&limit={most}&depth=0&joins=false{names}{only}", c.slug);
        Ok((Some(self.shell.send(method, &path, body).await), total))
    }

    fn crumbs(&self) -> Markup {
        let (shell, c) = (self.shell, self.c);
        html! {
            nav class="crumbs" aria-label=(shell.text("page-path")) {
                a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) }
            }
        }
    }

    /// A row by its name, with the way to it.
    fn named(&self, doc: &Value) -> Markup {
        html! { a href=[self.shell.record(self.c, at(doc, "id"))] { (self.shell.title(self.c, doc)) } }
    }
}

/// The page where nothing is ticked.
fn nothing_ticked(shell: &Shell<'_>, c: &'static Collection) -> Page {
    let title = labels::collections(shell.language(), c.slug);
    let body = html! {
        h1 { (title) }
        p class="fault" role="alert" { (shell.text("page-nothing-ticked")) }
        p { a class="button second" href=(format!("/book/{}", c.slug)) { (title) } }
    };
    Ok(page(StatusCode::BAD_REQUEST, shell.document(&title, &body)))
}

/// `GET /book/<slug>/deeds`
pub(crate) async fn deeds(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let Some(chosen) = Chosen::of(&shell, c, &visitor.query()) else {
        return nothing_ticked(&shell, c);
    };
    let (docs, rights) = futures_util::join!(chosen.docs(TOGETHER), AllRights::of(&shell));
    let (docs, total) = docs?;
    let title = shell.text("page-deeds");
    let search = chosen.search();
    let own = rights.on(c);
    let changeable = if own.may("update") { change::fields(c, &own) } else { Vec::new() };
    let place = c.ui.roster.and_then(|roster| changeable.iter().find(|field| field.path == roster.place));
    let named = usize::try_from(NAMED).unwrap_or(usize::MAX);
    let body = html! {
        (chosen.crumbs())
        h1 { (title) ": " (labels::collections(shell.language(), c.slug)) " " span class="count" { (total) } }
        ul class="ways" {
            @for doc in docs.iter().take(named) { li { (chosen.named(doc)) } }
            @if total > NAMED { li { "…" } }
        }
        h2 { (shell.text("page-moves")) }
        ul class="deeds" {
            @if let Some(place) = place {
                li { a href=(format!("/book/{}/change?{}={}&{ALL}=true&{search}", c.slug, change::FIELD, place.path)) {
                    (labels::field(shell.language(), c.slug, &place.path)) ": " (shell.text("page-change-make").to_lowercase())
                } }
            }
            @if !changeable.is_empty() {
                li { a href=(format!("/book/{}/change?{ALL}=true&{search}", c.slug)) { (shell.text("page-change-many")) } }
            }
            @if c.is(Feature::Findings) {
                li { a href=(format!("/book/{}/correct?{search}", c.slug)) { (shell.text("page-findings-correct")) } }
            }
            @for (of, field) in naming_several(&shell, c, &rights) { li { (about(&shell, (of, field), &docs, total)) } }
            @for of in entered_together(&shell, c, &rights) { li { (grid(&shell, of, &docs, total)) } }
            @if let Some(text) = approve::label(&shell, c, &own) {
                li { a href=(format!("/book/{}/approve?{ALL}=true&{search}", c.slug)) { (text) } }
            }
            @if own.may("delete") {
                @let address = format!("/book/{}/remove?{ALL}=true&{search}", c.slug);
                li { (limited(&shell, total, &shell.text("page-delete"), &address)) }
            }
        }
        (many::ways(&shell, c, &search))
        (mating::way(&shell, c, &search))
        p class="files" {
            (shell.text("page-files")) ": "
            @let columns = chosen.query.columns(c, shell.language());
            @for (form, text, for_people) in files(shell.language()) {
                @let language = for_people.then(|| shell.language());
                a href=(format!("/api/{}?{}", c.slug, chosen.query.file(c, &columns, (form, language)))) { (shell.text(text)) }
                " "
            }
        }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// Records that the visitor may make about several of these rows: their collection, and the list that names the rows.
fn naming_several(
    shell: &Shell<'_>,
    c: &'static Collection,
    rights: &AllRights,
) -> Vec<(&'static Collection, &'static Field)> {
    let all = shell.pages.site.registry.iter().flat_map(|of| of.fields.iter().map(move |field| (of, field)));
    let names = |field: &Field| field.writer == Writer::Anyone && field.kind == Kind::Relations(c.slug.to_owned());
    let may = |of: &Collection, field: &Field| {
        let own = rights.on(of);
        own.may("create") && own.may_write(&field.path, "create")
    };
    all.filter(|(of, field)| names(field) && may(of, field)).collect()
}

/// Events that the visitor may enter for several animals in one form.
fn entered_together(shell: &Shell<'_>, c: &'static Collection, rights: &AllRights) -> Vec<&'static Collection> {
    let about = |of: &Collection| of.animal.and_then(|path| of.field(path)?.target()) == Some(c.slug);
    let all = shell.pages.site.registry.iter();
    all.filter(|of| of.ui.grid.is_some() && about(of) && rights.on(of).may("create")).collect()
}

/// The way to the form of their events.
fn grid(shell: &Shell<'_>, of: &'static Collection, docs: &[Value], total: u64) -> Markup {
    let text = format!("{}: {}", labels::collections(shell.language(), of.slug), shell.text("page-grid"));
    let ids: Vec<String> = docs.iter().map(|doc| at(doc, "id").to_string()).collect();
    limited(shell, total, &text, &format!("/book/{}/grid?{ONLY}={}", of.slug, ids.join(",")))
}

/// The way to the form of a record about these rows, which asks for the rest.
fn about(shell: &Shell<'_>, (of, field): (&'static Collection, &'static Field), docs: &[Value], total: u64) -> Markup {
    let language = shell.language();
    let text = format!("{}: {}", labels::collection(language, of.slug), shell.text("page-new").to_lowercase());
    let ids: Vec<String> = docs.iter().map(|doc| format!("[{}]", at(doc, "id"))).collect();
    let query = written(&[(field.path.clone(), ids.join("\n"))]);
    html! {
        (limited(shell, total, &text, &format!("/book/{}/new?{query}", of.slug)))
        " " span class="note" { (labels::field(language, of.slug, &field.path)) }
    }
}

/// The way to a deed with few rows; of more its name, and why there is none.
fn limited(shell: &Shell<'_>, total: u64, text: &str, address: &str) -> Markup {
    html! {
        @if total > TOGETHER {
            (text) " " span class="note" { "(" (together(shell, TOGETHER)) ")" }
        } @else {
            a href=(address) { (text) }
        }
    }
}

/// That no more rows are taken at once.
fn together(shell: &Shell<'_>, most: u64) -> String {
    text_of(shell.language(), "page-together", "count", &most.to_string())
}

/// The columns that name a row.
fn named_by(c: &'static Collection) -> String {
    let names: BTreeSet<&str> = columns::heads(c).into_iter().chain(c.title_paths()).collect();
    names.iter().map(|path| format!("&select[{}]=true", path.replace('.', "]["))).collect()
}
