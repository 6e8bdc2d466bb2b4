//! The page of a card, whose tabs read what they show and nothing else. Must not know which collection it is.

use super::super::query::{populate_names, titles_by};
use super::super::{data, opened};
use super::card::{Card, TAB};
use super::{pedigree, tabs};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::members_of;
use crate::evaluation;
use crate::stop::{Page, Stop};
use axum::http::StatusCode;
use maud::html;
use model::display::{at, day_of, is_empty};
use model::messages::labels;
use model::registry::{CardPage, CardTab, Collection, Tab};
use serde_json::Value;
use std::collections::BTreeSet;

/// The parameter that asks for one sheet of paper.
pub(super) const PRINT: &str = "print";
/// Generations of the pedigree on it.
const PRINTED: usize = 3;

/// The page, perhaps with why something was refused.
pub(super) async fn card_page(
    shell: &Shell<'_>,
    c: &'static Collection,
    (page_of, id): (&'static CardPage, i64),
    refused: Option<(StatusCode, String)>,
) -> Page {
    let query = shell.visitor.query();
    if query.has(PRINT) && refused.is_none() {
        return printed(shell, c, (page_of, id)).await;
    }
    let chosen = query.get(TAB);
    let all = || page_of.tabs.iter();
    let tab = all().find(|one| Some(one.tab.word()) == chosen && refused.is_none());
    let tab = tab.or_else(|| all().next()).ok_or_else(|| Stop::missing(shell))?;
    let (mut doc, rights) = match (tab.tab, &shell.visitor.user) {
        (Tab::Overview, Some(_)) => {
            let (doc, rights) = opened(shell, c, id).await?;
            (doc, Some(rights))
        }
        _ => (document(shell, c, (page_of, tab), id).await?, None),
    };
    if tab.tab == Tab::Overview {
        pedigree::name_parents(shell, c, id, &mut doc).await;
    }
    name_numbers(shell, (page_of, tab), &mut doc).await;
    let owner = owner_of(c, &doc);
    let gave = gave(shell, c, (page_of, id), owner).await;
    let card = Card { shell, c, id, page: page_of, tab, doc: &doc, rights: rights.as_ref(), owner, gave };
    let inside = tabs::markup(&card).await;
    let title = shell.title(c, &doc);
    let why = refused.as_ref().map(|(_, why)| why);
    let body = html! {
        @if shell.visitor.link.is_none() {
            nav class="crumbs" aria-label=(shell.text("page-path")) {
                a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) }
            }
        }
        (card.head(&title))
        @if let Some(why) = why { p class="fault" role="alert" data-address=(format!("/book/{}/{id}", c.slug)) { (why) } }
        (card.entries())
        (card.tabs())
        @if inside.0.is_empty() { p class="none" { (shell.text("card-empty")) } }
        (inside)
        p class="files" {
            a href=(format!("{}?{PRINT}", address(shell, c, id))) { (shell.text("page-print")) }
            @if shell.visitor.link.is_none() { " · " a href=(data(shell, c, id)) { (shell.text("page-as-json")) } }
        }
    };
    let status = refused.as_ref().map_or(StatusCode::OK, |(status, _)| *status);
    Ok(page(status, shell.document(&title, &body)))
}

fn address(shell: &Shell<'_>, c: &Collection, id: i64) -> String {
    shell.record(c, &id.into()).unwrap_or_default()
}

fn owner_of(c: &Collection, doc: &Value) -> Option<i64> {
    let owner = at(doc, c.access.subjects.first()?);
    owner.get("id").unwrap_or(owner).as_i64()
}

/// How and when the organisation of the visitor gave away what another one owns by now.
async fn gave(
    shell: &Shell<'_>,
    c: &'static Collection,
    (of, id): (&'static CardPage, i64),
    owner: Option<i64>,
) -> Option<String> {
    let own = shell.visitor.organization().filter(|own| !shell.visitor.is_association() && owner != Some(*own))?;
    let (moves, join) = of.entries.iter().find_map(|entry| {
        let join = c.joins.iter().find(|join| join.name == entry.join)?;
        Some((entry.moves?, join))
    })?;
    let rows = shell.pages.site.registry.get(join.collection)?;
    let fits = rows.ui.fits?;
    let (on, day, kind) = (join.on.first()?, rows.happens?, fits.kind);
    let (giver, applied, kinds) = (fits.receiver.giver?, fits.receiver.applied?, fits.receiver.kinds.join(","));
    let query = format!(
        "where[{on}][equals]={id}&where[{giver}][equals]={own}&where[{applied}][equals]=true&where[{kind}][in]={kinds}\
         &sort=-{day}&limit=1&depth=0&joins=false"
    );
    let answer = shell.get(&format!("/api/{}?{query}", rows.slug)).await;
    let row = answer.docs().first()?;
    let (kind, day, language) = (at(row, moves.kind).as_str()?, at(row, day).as_str()?, shell.language());
    let what = match moves.kinds.iter().find(|(_, own)| *own == kind) {
        Some((state, _)) => labels::option(language, c.slug, moves.state, state),
        None => labels::option(language, rows.slug, moves.kind, kind),
    };
    Some(format!("{what}: {}", day_of(language, day)))
}

/// The card on one sheet of paper: its head and main values, the pedigree, lactations, the evaluation.
async fn printed(shell: &Shell<'_>, c: &'static Collection, (of, id): (&'static CardPage, i64)) -> Page {
    let tab = of.tabs.iter().find(|one| one.tab == Tab::Overview).ok_or_else(|| Stop::missing(shell))?;
    let mut doc = document(shell, c, (of, tab), id).await?;
    pedigree::name_parents(shell, c, id, &mut doc).await;
    let owner = owner_of(c, &doc);
    let gave = gave(shell, c, (of, id), owner).await;
    let card = Card { shell, c, id, page: of, tab, doc: &doc, rights: None, owner, gave };
    let (ancestors, evaluation) =
        futures_util::join!(pedigree::markup(&card, PRINTED), evaluation::values::markup(shell, c, id, true));
    let title = shell.title(c, &doc);
    // Related lists are left to the tabs.
    let tables = c.ui.card.iter().flat_map(|sheet| sheet.tables);
    let tables = tables.filter_map(|table| Some((c.field(table.of)?, table.columns)));
    let tables = tables.filter(|(field, _)| !is_empty(at(&doc, &field.path)));
    let body = html! {
        p class="files" {
            a href=(address(shell, c, id)) { (title) } " · " (shell.text("page-print-note"))
        }
        div class="paper" {
            (card.head(&title))
            (tabs::facts(&card))
            (ancestors)
            @for (field, columns) in tables {
                h2 { (labels::field(shell.language(), c.slug, &field.path)) }
                (members_of(shell, c, field, &doc, columns))
            }
            (evaluation)
        }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// Puts names beside the numbers of records in the lists of a tab, as far as the visitor reads those records.
async fn name_numbers(shell: &Shell<'_>, (of, tab): (&CardPage, &CardTab), doc: &mut Value) {
    for (list, member, slug) in of.numbered.iter().filter(|(list, ..)| tab.has(list)) {
        let target = shell.pages.site.registry.get(slug).and_then(|c| Some((c, c.label_field()?)));
        let rows = doc.get_mut(*list).and_then(Value::as_array_mut);
        let (Some((target, path)), Some(rows)) = (target, rows) else {
            continue;
        };
        let numbers: BTreeSet<&str> = rows.iter().filter_map(|row| at(row, member).as_str()).collect();
        let numbers: Vec<String> = numbers.into_iter().map(str::to_owned).collect();
        if numbers.is_empty() {
            continue;
        }
        let answer = shell.find(&format!("/api/{slug}"), &titles_by(target, path, &numbers)).await;
        for row in rows {
            let named = answer.docs().iter().find(|doc| at(doc, path) == at(row, member) && !at(doc, path).is_null());
            if let (Some(named), Some(members)) = (named, row.as_object_mut()) {
                members.insert((*member).to_owned(), shell.title(target, named).into());
            }
        }
    }
}

/// What a tab shows of the record, and what its head has. The first tab shows everything that no other has.
async fn document(
    shell: &Shell<'_>,
    c: &'static Collection,
    (of, tab): (&'static CardPage, &'static CardTab),
    id: i64,
) -> Result<Value, Stop> {
    let path = match tab.tab {
        Tab::Overview => data(shell, c, id),
        _ => {
            let only = of.entries.iter().flat_map(|entry| entry.only.iter().chain(&entry.seldom)).map(|(path, _)| path);
            let title = c.title();
            let own = of.numbers.iter().chain(of.chips).chain(tab.values).chain([&of.photo, &of.entries_while.0]);
            let all = own.chain(only).copied().chain(title.paths()).chain(c.access.subjects.iter().copied());
            // A list is selected whole, and a group that is selected has its members.
            let all = all.map(|path| {
                path.split_once('.').map_or(path, |(list, _)| match c.field(list) {
                    Some(_) => list,
                    None => path,
                })
            });
            let all: BTreeSet<&str> = all.collect();
            let is_member = |path: &str| path.split_once('.').is_some_and(|(group, _)| all.contains(group));
            let select: String = (all.iter().filter(|path| !is_member(path)))
                .map(|path| format!("&select[{}]=true", path.replace('.', "][")))
                .collect();
            let fields = c.fields.iter().filter(|field| all.contains(field.path.as_str()) || tab.has(&field.path));
            let names = populate_names(shell.pages.site.registry, fields);
            format!("/api/{}/{id}?depth=1&joins=false{select}{names}", c.slug)
        }
    };
    let answer = shell.get(&path).await;
    match (answer.is_good(), &shell.visitor.link) {
        (true, _) => Ok(answer.body),
        (false, Some(_)) => Err(Stop::ended(shell)),
        (false, None) => Err(Stop::refused(shell, &answer)),
    }
}
