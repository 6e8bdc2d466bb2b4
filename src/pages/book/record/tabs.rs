//! What the tabs of a card show. Must not know which collection it is.

use super::super::mating::kinship;
use super::super::{moves, visibility};
use super::card::Card;
use super::joined::{JoinedRows, history};
use super::{aside, certificate, curves, files, pedigree, pictures, timeline, values};
use crate::components::value::{cell_of, is_foreign, side_by_side};
use crate::evaluation;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::{at, is_empty};
use model::messages::labels;
use model::registry::{CardTab, Field, Kind, Tab};

/// Events that the first tab has.
const LATEST: usize = 5;

pub(super) async fn markup(card: &Card<'_>) -> Markup {
    match card.tab.tab {
        Tab::Overview => overview(card).await,
        Tab::Pedigree => {
            let (tree, joined) = futures_util::join!(pedigree::markup(card, pedigree::GENERATIONS), joined(card));
            html! { (tree) (kinship::form(card.shell, card.c, card.id)) (joined) (folded_values(card)) }
        }
        Tab::Production => {
            let (curves, joined) = futures_util::join!(curves::markup(card), joined(card));
            let table_of = |field: &Field| card.page.lists.iter().find(|table| table.of == field.path);
            let lists = card.fields().filter_map(|field| Some((field, table_of(field)?)));
            html! {
                @for (field, table) in lists {
                    (side_by_side(card.shell, card.c, field, at(card.doc, &field.path), table))
                }
                (curves)
                (joined)
                (folded_values(card))
            }
        }
        Tab::Evaluation => {
            let (evaluation, joined) =
                futures_util::join!(evaluation::values::markup(card.shell, card.c, card.id, false), joined(card));
            html! { (evaluation) (joined) (folded_values(card)) }
        }
        Tab::Documents => {
            let about = card.shell.title(card.c, card.doc);
            let (pictures, papers, joined, visibility) = futures_util::join!(
                pictures::markup(card.shell, card.c, (card.id, &about)),
                certificate::issued(card.shell, card.c, card.id),
                joined(card),
                visibility::markup(card.shell, card.c, card.id, card.owner)
            );
            html! { (pictures) (papers) (files(card.shell, card.c, card.id, card.doc)) (joined) (visibility) (own_values(card)) }
        }
        Tab::Reproduction | Tab::Health | Tab::History => {
            let joined = joined(card).await;
            html! { (own_values(card)) (joined) }
        }
    }
}

/// The values of the tab.
fn own_values(card: &Card<'_>) -> Markup {
    values(card.shell, card.c, (&card.c.layout, ""), card.doc, &|field| card.tab.has(&field.path))
}

/// The same where something else comes first: groups and lists stand behind folds with the numbers of their values.
fn folded_values(card: &Card<'_>) -> Markup {
    let (shell, c) = (card.shell, card.c);
    let stands_above = |path: &str| card.page.lists.iter().any(|table| table.of == path);
    let is_single = |path: &str| c.field(path).is_some_and(|field| !matches!(field.kind, Kind::Rows(_)));
    let (single, groups): (Vec<&&'static str>, Vec<&&'static str>) =
        card.tab.values.iter().filter(|path| !stands_above(path)).partition(|path| is_single(path));
    let is_one = |field: &Field| single.iter().any(|path| **path == field.path);
    let folds = groups.into_iter().filter_map(|path| {
        let of = CardTab::of(path);
        let filled = |field: &&Field| of.has(&field.path) && !field.aside && !is_empty(at(card.doc, &field.path));
        let count = c.fields.iter().filter(filled).count();
        let inside = values(shell, c, (&c.layout, ""), card.doc, &|field| of.has(&field.path));
        (!inside.0.is_empty()).then(|| (labels::field(shell.language(), c.slug, path), count, inside))
    });
    let folds: Vec<(String, usize, Markup)> = folds.collect();
    html! {
        (values(shell, c, (&c.layout, ""), card.doc, &is_one))
        @if !folds.is_empty() {
            div class="folds" { @for (name, count, inside) in folds {
                details class="fold" { summary { (name) " " span class="count" { (count) } } (inside) }
            } }
        }
    }
}

/// The latest rows of the related lists of the tab, and what of them stands on the line of time.
async fn joined(card: &Card<'_>) -> Markup {
    let rows = JoinedRows::of(card);
    let answer = rows.ask(|of| of.ui.timeline.map_or(JoinedRows::LISTED, |_| JoinedRows::DRAWN)).await;
    html! {
        @if rows.are_drawn() { (timeline::markup(card.shell, &rows.events(&answer))) }
        (rows.tables(&answer))
    }
}

/// The main values of the record.
pub(super) fn facts(card: &Card<'_>) -> Markup {
    let (shell, c) = (card.shell, card.c);
    let filled = |field: &&Field| !is_empty(at(card.doc, &field.path)) && !field.aside && !is_foreign(shell, field);
    let today = shell.today();
    let is_past = |field: &Field| {
        let day = at(card.doc, &field.path).as_str().and_then(|iso| iso.get(..10));
        card.page.lasting.contains(&field.path.as_str()) && day.is_some_and(|day| day < today.as_str())
    };
    let facts: Vec<&Field> = card.fields().filter(filled).filter(|field| !is_past(field)).collect();
    html! {
        section class="facts" {
            h2 { (shell.text("card-facts")) }
            dl class="values" { @for field in facts { div {
                dt { (labels::field(shell.language(), c.slug, &field.path)) }
                dd { (cell_of(shell, c, field, card.doc)) (row_of(card, field)) }
            } } }
        }
    }
}

/// Which row of a list a value is of, as a yield is of one of the lactations.
fn row_of(card: &Card<'_>, field: &Field) -> Markup {
    let [value, list, member, name] = card.page.of_row;
    let mut rows = at(card.doc, list).as_array().filter(|_| field.path == value).into_iter().flatten();
    let row = rows.find(|row| at(row, member) == at(card.doc, value));
    html! {
        @if let Some(row) = row {
            " " span class="note" {
                "(" (labels::member(card.shell.language(), card.c.slug, &format!("{list}.{name}"))) " " (at(row, name)) ")"
            }
        }
    }
}

/// The state of the record in one screen: its main values, and what happened last. What no tab has follows behind folds.
async fn overview(card: &Card<'_>) -> Markup {
    let (shell, c) = (card.shell, card.c);
    let rows = JoinedRows::of(card);
    let answer = rows.ask(|_| LATEST).await;
    let events = rows.events(&answer);
    let own = events.iter().filter(|_| card.is_own());
    let in_time = join_all(own.map(async |event| {
        let ways = moves::in_time(shell, event.of, &[event.doc], None).await.pop().flatten()?;
        Some((shell.title(event.of, event.doc), ways))
    }));
    let in_time: Vec<(String, Markup)> = in_time.await.into_iter().flatten().collect();
    let all = card.page.tabs;
    let rest = |field: &Field| !all.iter().any(|tab| tab.has(&field.path)) && field.path != card.page.photo;
    let rest = values(shell, c, (&c.layout, ""), card.doc, &rest);
    html! {
        @for (title, ways) in &in_time { p class="note" { (title) ": " (ways) } }
        div class="two" {
            (facts(card))
            (history(shell, events.get(..LATEST).unwrap_or(&events), &rows.ways(&answer)))
        }
        div class="folds" {
            @if let Some(rights) = card.rights {
                @let moves = moves::markup(shell, c, card.doc, rights);
                @let deletes = rights.may("delete");
                @if !moves.0.is_empty() || deletes {
                    details class="fold" {
                        summary { (shell.text("page-moves")) }
                        (moves)
                        @if deletes {
                            p class="delete" {
                                a class="button grave" href=(format!("/book/{}/{}/delete", c.slug, card.id)) { (shell.text("page-delete")) }
                            }
                        }
                    }
                }
            }
            @if !rest.0.is_empty() { details class="fold" { summary { (shell.text("card-passport")) } (rest) } }
            (aside(shell, c, card.doc))
        }
    }
}
