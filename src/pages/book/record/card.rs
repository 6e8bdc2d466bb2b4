//! The page of a card: the head of a record with its state of today, what may be entered of it, and tabs, of which each reads
//! what it shows and nothing else. Must not know which collection it is.

use super::super::form::form_values::form_label;
use super::super::query::{populate_names, written};
use super::super::rights::Rights;
use super::super::{data, opened};
use super::{certificate, may_enter, pedigree, tabs};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::components::value::picture;
use crate::evaluation;
use crate::stop::{Page, Stop};
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::{DisplayField, at, day_of, is_empty, number};
use model::messages::{self, labels};
use model::record::time;
use model::registry::review::checked_row;
use model::registry::{CardPage, CardTab, Collection, Feature, Field, Join, Tab};
use serde_json::Value;
use std::collections::BTreeSet;

/// The parameter that chooses a tab.
const TAB: &str = "tab";
const DAY: i64 = 86_400_000;

/// A card as its visitor sees it.
pub(super) struct Card<'s> {
    pub(super) shell: &'s Shell<'s>,
    pub(super) c: &'static Collection,
    pub(super) id: i64,
    pub(super) page: &'static CardPage,
    pub(super) tab: &'static CardTab,
    pub(super) doc: &'s Value,
    /// What the visitor may do with the record; asked for by the first tab alone.
    pub(super) rights: Option<&'s Rights>,
    pub(super) owner: Option<i64>,
}

/// The page, perhaps with why something was refused.
pub(super) async fn card_page(
    shell: &Shell<'_>,
    c: &'static Collection,
    (page_of, id): (&'static CardPage, i64),
    refused: Option<(StatusCode, String)>,
) -> Page {
    let query = shell.visitor.query();
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
    let owner = c.access.subjects.first().map(|path| at(&doc, path));
    let owner = owner.and_then(|owner| owner.get("id").unwrap_or(owner).as_i64());
    let card = Card { shell, c, id, page: page_of, tab, doc: &doc, rights: rights.as_ref(), owner };
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
        @if shell.visitor.link.is_none() {
            p class="files" { a href=(data(shell, c, id)) { (shell.text("page-as-json")) } }
        }
    };
    let status = refused.as_ref().map_or(StatusCode::OK, |(status, _)| *status);
    Ok(page(status, shell.document(&title, &body)))
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
            let only = of.entries.iter().filter_map(|entry| entry.only.as_ref()).map(|(path, _)| path);
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

impl Card<'_> {
    /// Whether the visitor works with the herd of the record.
    pub(super) fn is_own(&self) -> bool {
        self.shell.visitor.user.is_some() && self.owner.is_some_and(|owner| self.shell.visitor.sees_herd(owner))
    }

    fn head(&self, title: &str) -> Markup {
        let (shell, c, language) = (self.shell, self.c, self.shell.language());
        let numbers = self.page.numbers.iter().filter_map(|path| c.field(path));
        let photo = c.field(self.page.photo).and_then(Field::target);
        html! {
            div class="head" {
                @if let Some(target) = photo { (picture(shell, target, at(self.doc, self.page.photo), title)) }
                div class="who" {
                    h1 { (title) }
                    p class="numbers" { @for field in numbers { @if !is_empty(at(self.doc, &field.path)) {
                        span { (labels::member(language, c.slug, &field.path)) ": " (self.text(field)) } " "
                    } } }
                    ul class="chips" { @for path in self.page.chips { (self.chip(path)) } }
                }
                div class="choose" {
                    (certificate::way(shell, c, self.doc))
                    (evaluation::way(shell, c))
                    @if self.rights.is_some_and(|rights| rights.may("update")) {
                        a class="button" href=(format!("/book/{}/{}/edit", c.slug, self.id)) { (shell.text("page-edit")) }
                    }
                }
            }
        }
    }

    pub(super) fn text(&self, field: &Field) -> String {
        let display = DisplayField::of(self.c, field);
        display.text(self.shell.pages.site.registry, self.shell.language(), at(self.doc, &field.path))
    }

    /// A word about the record as it is today; none where there is nothing to say.
    fn chip(&self, path: &str) -> Markup {
        let (shell, c, language) = (self.shell, self.c, self.shell.language());
        let label = || labels::member(language, c.slug, path);
        let value = self.value(path);
        let text = match value {
            Value::Bool(true) => label(),
            Value::Number(count) if count.as_f64() != Some(0.0) => {
                format!("{}: {}", label(), number(language, &count.to_string()))
            }
            Value::String(word) if !c.options(path).is_empty() => labels::option(language, c.slug, path, word),
            Value::String(iso) => {
                let day = day_of(language, iso);
                let left = time::parse(iso).map(|at| (at - shell.pages.site.clock.now()).div_euclid(DAY) + 1);
                let left = left.filter(|days| *days >= 0).map(|days| {
                    let values = [("days", days.to_string()), ("due", String::new())];
                    messages::text(language, "in-days", &values.map(|(key, value)| (key.to_owned(), value)).into())
                });
                format!("{}: {}", label(), [Some(day), left].into_iter().flatten().collect::<Vec<_>>().join(", "))
            }
            _ => return html! {},
        };
        if path == checked_row::STATUS {
            return self.findings(value.as_str().unwrap_or_default(), &text);
        }
        html! { li { (text) } }
    }

    /// What the checks found, with the way to it.
    fn findings(&self, status: &str, text: &str) -> Markup {
        let findings = self.shell.pages.site.registry.with_feature(Feature::Findings);
        let about = findings.and_then(|c| Some((c, c.fields.iter().find(|f| f.target() == Some(self.c.slug))?)));
        let address = about.map(|(c, field)| {
            let condition = format!("where[{}][equals]", field.path);
            format!("/book/{}?{}", c.slug, written(&[(condition, self.id.to_string())]))
        });
        let address = address.filter(|_| self.shell.visitor.link.is_none());
        html! {
            @if checked_row::FOUND.contains(&status) {
                li class=[(status == checked_row::FIX).then_some("grave")] {
                    a href=[address] { (self.shell.text("card-findings")) ": " (text) }
                }
            }
        }
    }

    /// A value; of a path into a list that of the last row which has it.
    fn value(&self, path: &str) -> &Value {
        let in_list = path.split_once('.').and_then(|(list, member)| {
            let rows = at(self.doc, list).as_array()?.iter().rev();
            rows.map(|row| at(row, member)).find(|value| !value.is_null())
        });
        in_list.unwrap_or_else(|| at(self.doc, path))
    }

    /// What the visitor may enter of the record: the ways to forms that begin with it.
    fn entries(&self) -> Markup {
        let (path, value) = self.page.entries_while;
        let holds = |(path, value): (&str, &str)| at(self.doc, path).as_str() == Some(value);
        let offered = self.page.entries.iter().filter(|entry| entry.only.is_none_or(holds));
        let offered = offered.filter_map(|entry| {
            let join = self.c.joins.iter().find(|join| join.name == entry.join)?;
            Some((join, self.entry(join)?))
        });
        let offered: Vec<(&Join, String)> = offered.filter(|_| holds((path, value))).collect();
        html! {
            @if !offered.is_empty() {
                nav class="acts" aria-label=(self.shell.text("card-enter")) { ul { @for (join, address) in offered { li {
                    a class="button" href=(address) { (self.shell.text(&format!("card-enter-{}", join.name))) }
                } } } }
            }
        }
    }

    /// The form of a new row that belongs to the record, for those who may enter it.
    pub(super) fn entry(&self, join: &Join) -> Option<String> {
        let of = self.shell.pages.site.registry.get(join.collection)?;
        let [path] = join.on else {
            return None;
        };
        let query = written(&[((*path).to_owned(), form_label(self.shell, self.c, self.doc))]);
        (self.is_own() && may_enter(self.shell, of)).then(|| format!("/book/{}/new?{query}", of.slug))
    }

    fn tabs(&self) -> Markup {
        let base = self.shell.record(self.c, &self.id.into()).unwrap_or_default();
        html! {
            nav class="tabs" aria-label=(self.shell.text("card-tabs")) { ul {
                @for (place, CardTab { tab, .. }) in self.page.tabs.iter().enumerate() {
                    @let address = if place == 0 { base.clone() } else { format!("{base}?{TAB}={}", tab.word()) };
                    li { a href=(address) aria-current=[(*tab == self.tab.tab).then_some("page")] {
                        (self.shell.text(&format!("card-tab-{}", tab.word())))
                    } }
                }
            } }
        }
    }

    /// Fields of a tab in its own order.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'static Field> {
        let c = self.c;
        let of = move |path: &'static &'static str| {
            let one = CardTab { tab: Tab::Overview, values: std::slice::from_ref(path), joins: &[] };
            c.fields.iter().filter(move |field| one.has(&field.path)).collect::<Vec<_>>()
        };
        self.tab.values.iter().flat_map(of)
    }
}
