//! Saved views of a list: those of the visitor with how many rows each has, and a form that saves the present one with its
//! columns. A set is a view of its rows. Must not know which collections these are.

use super::wording::NAMED;
use crate::book::conditions;
use crate::book::moves::NEXT;
use crate::book::query::{COLUMNS, Query, written};
use crate::book::rights::Rights;
use crate::components::input::{Input, text_of};
use crate::components::shell::Shell;
use crate::words::Form;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::query::qs::Tree;
use model::registry::{Collection, Feature, saved_searches};
use serde_json::Value;

/// Views that a list offers: each is counted by a request.
const SHOWN: u64 = 20;
/// Rows up to which a view is counted.
const COUNTED: u64 = 1_000;

/// The views of a list; nothing for visitors without an account.
pub(super) async fn markup(shell: &Shell<'_>, c: &'static Collection, query: &Query) -> Markup {
    let searches = shell.pages.site.registry.with_feature(Feature::SavedSearches);
    let (Some(searches), true) = (searches, shell.visitor.user.is_some()) else {
        return html! {};
    };
    let [list, name] = [saved_searches::LIST, saved_searches::NAME];
    let path = format!(
        "/api/{}?where[{list}][equals]={}&sort={name}&limit={SHOWN}&depth=0&joins=false",
        searches.slug, c.slug
    );
    let views = async {
        let answer = shell.get(&path).await;
        let views = answer.docs().iter().map(|doc| parameters(shell, c, doc));
        let views: Vec<Form> = views.collect();
        let counts = answer.docs().iter().zip(&views);
        let counts = join_all(counts.map(async |(doc, view)| match as_record(doc) {
            Some(rows) => Some(rows.to_string()),
            None => count(shell, c, view).await,
        }));
        let counts = counts.await;
        (answer, views, counts)
    };
    let ((answer, views, counts), rights) = futures_util::join!(views, Rights::of(shell, searches, None));
    let here = query.with(&[("page", ""), (COLUMNS, &query.chosen_paths(c))]);
    let next = format!("/book/{}?{here}", c.slug);
    html! {
        details class="saved" {
            summary { (shell.text("page-saved")) " " span class="count" { (answer.docs().len()) } }
            @if answer.docs().is_empty() { p class="none" { (shell.text("page-saved-none")) } }
            ul class="ways" { @for ((doc, view), count) in answer.docs().iter().zip(&views).zip(&counts) { li {
                a href=(address(searches, c, (doc, view))) { (at(doc, name).as_str().unwrap_or_default()) }
                @if let Some(count) = count { " " span class="count" { (count) } }
                @if rights.may("delete") && is_own(shell, doc) {
                    form method="post" action=(format!("/book/{}/{}/delete", searches.slug, at(doc, "id"))) {
                        input type="hidden" name=(NEXT) value=(next);
                        button class="link" type="submit" {
                            (shell.text("page-saved-delete"))
                            span class="aside" { ": " (at(doc, name).as_str().unwrap_or_default()) }
                        }
                    }
                }
            } } }
            @if answer.number("totalDocs") > SHOWN {
                p { a href=(format!("/book/{}?where[{list}][equals]={}", searches.slug, c.slug)) { (shell.text("page-all")) } }
            }
            @if rights.may("create") { (form(shell, c, searches, (&here, &next))) }
        }
    }
}

/// Those of all lists: of the visitor and of the organisation; nothing where there are none.
pub(crate) async fn all(shell: &Shell<'_>) -> Markup {
    let Some(searches) = shell.pages.site.registry.with_feature(Feature::SavedSearches) else {
        return html! {};
    };
    let [list, name] = [saved_searches::LIST, saved_searches::NAME];
    // The Association reads those of every farm.
    let user = shell.visitor.user.as_ref().filter(|_| shell.visitor.is_association());
    let author = user.map(|user| format!("&where[{}][equals]={}", saved_searches::AUTHOR, at(user, "id")));
    let author = author.unwrap_or_default();
    let path = format!("/api/{}?sort={name}&limit={SHOWN}&depth=0&joins=false{author}", searches.slug);
    let answer = shell.get(&path).await;
    let of = |doc: &Value| shell.pages.site.registry.get(at(doc, list).as_str()?);
    let views: Vec<(&Value, &'static Collection)> =
        answer.docs().iter().filter_map(|doc| Some((doc, of(doc)?))).collect();
    html! {
        @if !views.is_empty() {
            details class="queue" {
                summary { (shell.text("page-saved")) " " span class="count" { (answer.number("totalDocs")) } }
                ul class="ways" { @for (doc, c) in views { li {
                    a href=(address(searches, c, (doc, &parameters(shell, c, doc)))) {
                        (at(doc, name).as_str().unwrap_or_default())
                    }
                    " " span class="note" { (labels::collections(shell.language(), c.slug)) }
                } } }
                @if answer.number("totalDocs") > SHOWN {
                    p { a href=(format!("/book/{}", searches.slug)) { (shell.text("page-all")) } }
                }
            }
        }
    }
}

/// Where a view opens: at its list, or as a record.
fn address(searches: &Collection, c: &Collection, (doc, view): (&Value, &Form)) -> String {
    match as_record(doc) {
        Some(_) => format!("/book/{}/{}", searches.slug, at(doc, "id")),
        None => format!("/book/{}?{}", c.slug, written(&view.0)),
    }
}

fn is_own(shell: &Shell<'_>, doc: &Value) -> bool {
    let user = shell.visitor.user.as_ref().map(|user| at(user, "id"));
    user.is_some_and(|id| !id.is_null() && id == at(doc, saved_searches::AUTHOR))
}

/// The condition on rows of the visitor's organisation.
fn own_rows(shell: &Shell<'_>, c: &Collection) -> Option<(String, String)> {
    let (owner, own) = (c.access.subjects.first()?, shell.visitor.organization()?);
    Some((format!("where[{owner}][equals]"), own.to_string()))
}

/// The ids of the rows of a set; of a search none.
fn members(doc: &Value) -> &[Value] {
    at(doc, saved_searches::MEMBERS).as_array().map_or(&[], Vec::as_slice)
}

/// How many rows a set has that opens as its record: more than a condition names, or none.
fn as_record(doc: &Value) -> Option<usize> {
    let rows = members(doc).len();
    let is_empty =
        rows == 0 && at(doc, saved_searches::OFFERED) == true && at(doc, saved_searches::CONDITION).is_null();
    (is_empty || rows > NAMED).then_some(rows)
}

/// The query of a view; that of a set finds its rows. One of the own rows was perhaps saved elsewhere, where it goes
/// without saying.
fn parameters(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> Form {
    let query = at(doc, saved_searches::QUERY).as_str().unwrap_or_default();
    let query = query.strip_prefix('?').unwrap_or(query);
    let mut all = Form::read(query.as_bytes());
    let members: Vec<String> = members(doc).iter().map(Value::to_string).collect();
    let condition = conditions::all(&Tree::from(at(doc, saved_searches::CONDITION).clone()));
    if !members.is_empty() || condition.is_some() {
        all.0.retain(|(name, _)| name != "q" && !name.starts_with("where"));
    }
    if !members.is_empty() {
        all.0.push(("where[id][in]".to_owned(), members.join(",")));
        return all;
    }
    all.0.extend(conditions::parameters(&condition.unwrap_or_default()));
    if let Some((name, value)) = own_rows(shell, c)
        && at(doc, saved_searches::PLACE).as_str() == Some(saved_searches::OWN)
        && !all.has(&name)
    {
        all.0.push((name, value));
    }
    all
}

/// How many rows a view has, with a plus where there are more; none where its condition is refused.
async fn count(shell: &Shell<'_>, c: &'static Collection, view: &Form) -> Option<String> {
    let mut query = Query::read(shell.pages.site.registry, view.clone(), None).condition(c);
    let count = COUNTED.to_string();
    let rest = [
        ("limit", "1"),
        ("count", "bounded"),
        ("countLimit", &count),
        ("depth", "0"),
        ("joins", "false"),
        ("select[id]", "true"),
    ];
    query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let answer = shell.get(&format!("/api/{}?{}", c.slug, written(&query))).await;
    let more = if at(&answer.body, "totalIsBounded") == true { "+" } else { "" };
    answer.is_good().then(|| format!("{}{more}", answer.number("totalDocs")))
}

fn form(shell: &Shell<'_>, c: &Collection, searches: &'static Collection, (here, next): (&str, &str)) -> Markup {
    let query = Form::read(here.as_bytes());
    let narrowed = own_rows(shell, c).is_some_and(|(name, own)| query.get(&name) == Some(&own));
    let place = match narrowed {
        true => saved_searches::OWN,
        false => saved_searches::WHOLE,
    };
    let scope = searches.field(saved_searches::SCOPE);
    let default = scope.and_then(|field| field.default.as_ref());
    let default = match default {
        Some(model::record::Value::Text(word)) => word.to_string(),
        _ => String::new(),
    };
    html! {
        form class="search" method="post" action=(format!("/book/{}/new", searches.slug)) {
            input type="hidden" name=(NEXT) value=(next);
            input type="hidden" name=(saved_searches::LIST) value=(c.slug);
            input type="hidden" name=(saved_searches::QUERY) value=(here);
            input type="hidden" name=(saved_searches::PLACE) value=(place);
            div class="field" {
                label for="saved-name" { (shell.text("page-saved-name")) }
                input id="saved-name" name=(saved_searches::NAME) type="text" maxlength="80" required;
            }
            @if let Some(field) = scope {
                (Input {
                    c: searches, field, kind: "", scope: "saved-", name: &field.path,
                    value: &text_of(field, &default.into()), groups: &[], choices: None, faults: &[], required: true,
                }.markup(shell))
            }
            button class="second" type="submit" { (shell.text("page-saved-save")) }
        }
    }
}
