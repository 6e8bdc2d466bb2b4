//! The latest rows of the lists that belong to a record: one request for all lists of a tab.

use super::super::columns;
use super::super::query::populate_names;
use super::card::Card;
use crate::calls::Answer;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, day, row_head};
use crate::words::text_of;
use maud::{Markup, html};
use model::display::{DisplayField, at, is_empty};
use model::messages::{self, labels};
use model::registry::review::checked_row;
use model::registry::{Collection, Field, Join, Tab, Wording};
use serde_json::Value;

/// Rows of a log that a table has.
const LOGGED: usize = 50;
/// Columns of a table.
const COLUMNS: usize = 8;
/// Values of an event in the list.
const VALUES: usize = 3;

pub(super) struct Event<'a> {
    pub(super) date: &'a str,
    pub(super) of: &'static Collection,
    pub(super) doc: &'a Value,
}

pub(super) struct JoinedRows<'s> {
    card: &'s Card<'s>,
    joins: Vec<(&'static Join, &'static Collection)>,
}

impl<'s> JoinedRows<'s> {
    /// Rows of each list that a table has.
    pub(super) const LISTED: usize = 5;
    /// Rows of each list on the line of time.
    pub(super) const DRAWN: usize = 60;

    /// The lists of the tab.
    pub(super) fn of(card: &'s Card<'s>) -> Self {
        let registry = card.shell.pages.site.registry;
        let all = card.tab.joins.iter().filter_map(|name| card.c.joins.iter().find(|join| join.name == *name));
        Self { card, joins: all.filter_map(|join| Some((join, registry.get(join.collection)?))).collect() }
    }

    /// Asks for so many rows of each list, the latest first.
    pub(super) async fn ask(&self, most: fn(&Collection) -> usize) -> Answer {
        let one = |(join, of): &(&Join, &Collection)| {
            let name = join.name;
            let most = if of.logging.is_log { LOGGED } else { most(of) };
            let sort = of.happens.map_or_else(|| of.sort.to_owned(), |date| format!("-{date}"));
            format!(
                "&select[{name}]=true&joins[{name}][limit]={most}&joins[{name}][sort]={sort}&joins[{name}][count]=true"
            )
        };
        let query: String = self.joins.iter().map(one).collect();
        let fields = self.joins.iter().flat_map(|(_, of)| columns::of(of));
        let (shell, c) = (self.card.shell, self.card.c);
        let names = populate_names(shell.pages.site.registry, fields);
        shell.get(&format!("/api/{}/{}?depth=2{query}{names}", c.slug, self.card.id)).await
    }

    fn docs<'a>(answer: &'a Answer, join: &Join) -> &'a [Value] {
        let docs = at(&answer.body, join.name).get("docs").and_then(Value::as_array);
        docs.map_or(&[], Vec::as_slice)
    }

    /// How many rows a list has.
    fn total(answer: &Answer, join: &Join) -> usize {
        let total = at(&answer.body, join.name).get("totalDocs").and_then(Value::as_u64);
        total.and_then(|total| usize::try_from(total).ok()).unwrap_or_default()
    }

    /// The ways to all rows of the lists that have some.
    pub(super) fn ways(&self, answer: &Answer) -> Markup {
        let (shell, id) = (self.card.shell, self.card.id);
        let all = self.joins.iter().map(|(join, of)| (join, of, Self::total(answer, join)));
        let all = all.filter(|(.., total)| *total > 0);
        html! {
            @if shell.visitor.link.is_none() {
                ul class="ways" { @for (join, of, total) in all { li {
                    a href=(list_of(join, id)) { (called(shell, join, of)) }
                    " " span class="count" { (total) }
                } } }
            }
        }
    }

    /// Whether some of them stand on a line of time.
    pub(super) fn are_drawn(&self) -> bool {
        self.joins.iter().filter(|(_, of)| of.ui.timeline.is_some()).count() > 1
    }

    /// The rows that happened, the latest first.
    pub(super) fn events<'a>(&self, answer: &'a Answer) -> Vec<Event<'a>> {
        let mut all: Vec<Event<'a>> = Vec::new();
        for (join, of) in &self.joins {
            // Services by a bull are events of others.
            let own = of.animal.is_some_and(|animal| join.on.contains(&animal));
            let Some(date) = of.happens.filter(|_| own) else {
                continue;
            };
            let docs = Self::docs(answer, join).iter();
            all.extend(docs.filter_map(|doc| Some(Event { date: at(doc, date).as_str()?, of, doc })));
        }
        all.sort_by(|a, b| b.date.cmp(a.date));
        all
    }

    /// A table of each list, with the ways to all of its rows and to a new one; behind folds all but the first that has
    /// rows, and this one too where the evaluation stands above it.
    pub(super) fn tables(&self, answer: &Answer) -> Markup {
        let table = |(join, of): &(&'static Join, &'static Collection)| {
            let total = Self::total(answer, join);
            let table = self.table(join, of, (Self::docs(answer, join), total))?;
            Some((called(self.card.shell, join, of), total, table))
        };
        let mut all: Vec<(String, usize, Markup)> = self.joins.iter().filter_map(table).collect();
        let open = all.iter().position(|(_, total, _)| *total > 0).unwrap_or_default();
        let open = (open < all.len() && self.card.tab.tab != Tab::Evaluation).then(|| all.remove(open));
        html! {
            @if let Some((.., table)) = open { (table) }
            @if !all.is_empty() {
                div class="folds" { @for (title, total, table) in all {
                    details class="fold" { summary { (title) " " span class="count" { (total) } } (table) }
                } }
            }
        }
    }

    /// None where the list is empty, and the visitor adds nothing to it.
    fn table(&self, join: &'static Join, of: &'static Collection, (docs, total): (&[Value], usize)) -> Option<Markup> {
        let (shell, language) = (self.card.shell, self.card.shell.language());
        let title = called(shell, join, of);
        let list = shell.visitor.link.is_none().then(|| list_of(join, self.card.id));
        let new = self.card.entry(join);
        let shown: Vec<&Value> = (docs.iter())
            .filter(|doc| !(of.logging.is_log && reads_the_same(shell, of, doc)))
            .take(if of.logging.is_log { LOGGED } else { Self::LISTED })
            .collect();
        let columns: Vec<&Field> = (self.columns(join, of).into_iter())
            .filter(|field| shown.iter().any(|doc| !is_empty(at(doc, &field.path))))
            .take(COLUMNS)
            .collect();
        if shown.is_empty() && new.is_none() {
            return None;
        }
        Some(html! {
            section class="joined" {
                h2 {
                    a href=[list] {
                        (title)
                        @if docs.len() < total { ", " (text_of(language, "card-all", "count", &total.to_string())) }
                    }
                    @if let Some(new) = new {
                        " "
                        a href=(new) aria-label={ (shell.text("page-new")) ": " (labels::collection(language, of.slug)) } { "+" }
                    }
                }
                @if shown.is_empty() { p class="none" { (shell.text("card-empty")) } } @else {
                    section class="wide" tabindex="0" aria-label={ (title) ", " (shell.text("card-latest")) } { table class="list" {
                        thead { tr {
                            th scope="col" { (self.head(of)) }
                            @for field in &columns { th scope="col" { (labels::field(language, of.slug, &field.path)) } }
                        } }
                        tbody { @for doc in shown { tr {
                            th scope="row" {
                                a href=[shell.record(of, at(doc, "id"))] { (row_head(shell, of, doc)) }
                                (found(shell, of, doc))
                            }
                            @for field in &columns {
                                td data-head=(labels::field(language, of.slug, &field.path)) { (cell_of(shell, of, field, doc)) }
                            }
                        } } }
                    } }
                }
            }
        })
    }

    /// What stands over the heads of rows.
    fn head(&self, of: &'static Collection) -> String {
        let language = self.card.shell.language();
        match columns::heads(of).first() {
            Some(path) => labels::field(language, of.slug, path),
            None => labels::collection(language, of.slug),
        }
    }

    /// The columns besides the head of a row, the record itself and its only owner.
    fn columns(&self, join: &Join, of: &'static Collection) -> Vec<&'static Field> {
        let all = columns::of(of);
        let other = |field: &&&'static Field| {
            let path = field.path.as_str();
            let itself = join.on.contains(&path) && of.slug != self.card.c.slug;
            !itself && of.access.subjects != [path]
        };
        columns::others(of, &all.iter().filter(other).copied().collect::<Vec<_>>())
    }
}

/// What a list of a record is called: as its rows, unless they are of several kinds or of a part of them.
fn called(shell: &Shell<'_>, join: &Join, of: &Collection) -> String {
    let own = messages::known(shell.language(), &format!("card-list-{}", join.name));
    own.unwrap_or_else(|| labels::collections(shell.language(), of.slug))
}

/// Whether a change reads the same before and after: two times of one minute.
fn reads_the_same(shell: &Shell<'_>, of: &Collection, doc: &Value) -> bool {
    let values: Vec<&Field> = of.fields.iter().filter(|field| matches!(field.wording, Wording::ValueIn(..))).collect();
    let [before, after] = values.as_slice() else {
        return false;
    };
    let text = |field: &Field| DisplayField::of(of, field).text_in(shell.pages.site.registry, shell.language(), doc);
    at(doc, &before.path) != at(doc, &after.path) && text(before) == text(after)
}

/// The list of the rows that point to a record.
pub(super) fn list_of(join: &Join, id: i64) -> String {
    let condition: Vec<String> = match join.on {
        [path] => vec![format!("where[{path}][equals]={id}")],
        all => {
            (all.iter().enumerate()).map(|(place, path)| format!("where[or][{place}][{path}][equals]={id}")).collect()
        }
    };
    format!("/book/{}?{}", join.collection, condition.join("&"))
}

/// What the checks found about a row, as far as the visitor reads it: its values may be wrong.
fn found(shell: &Shell<'_>, of: &Collection, doc: &Value) -> Markup {
    let status = at(doc, checked_row::STATUS).as_str().unwrap_or_default();
    html! {
        @if checked_row::FOUND.contains(&status) {
            " " span class="chip" { (labels::option(shell.language(), of.slug, checked_row::STATUS, status)) }
        }
    }
}

/// Events as a list, with the ways to all of them.
pub(super) fn history(shell: &Shell<'_>, events: &[Event<'_>], ways: &Markup) -> Markup {
    let language = shell.language();
    html! {
        @if !events.is_empty() {
            section class="history" {
                h2 { (shell.text("page-history")) }
                ol class="events" {
                    @for Event { date, of, doc } in events {
                        li {
                            (day(language, date)) " "
                            a href=[shell.record(of, at(doc, "id"))] { (what(shell, of, doc)) }
                            (found(shell, of, doc))
                            @for field in facts(of, doc) {
                                span class="fact" {
                                    (labels::field(language, of.slug, &field.path)) ": "
                                    (cell_of(shell, of, field, doc))
                                }
                            }
                        }
                    }
                }
                (ways)
            }
        }
    }
}

/// What happened, without whom and when, which the list says.
fn what(shell: &Shell<'_>, of: &'static Collection, doc: &Value) -> String {
    let mut bare = doc.clone();
    if let Some(members) = bare.as_object_mut() {
        of.animal.into_iter().chain(of.happens).for_each(|path| drop(members.remove(path)));
    }
    shell.title(of, &bare)
}

/// The values of an event that tell what it was.
fn facts(c: &'static Collection, doc: &Value) -> Vec<&'static Field> {
    let title = c.title();
    let tells = |field: &&'static Field| {
        let path = field.path.as_str();
        let owner = c.access.subjects == [path];
        !owner && Some(path) != c.animal && !title.paths().any(|own| own == path) && !is_empty(at(doc, path))
    };
    let states = |field: &&'static Field| !c.states.iter().any(|states| states.path == field.path);
    columns::of(c).into_iter().filter(tells).filter(states).take(VALUES).collect()
}
