//! A card: the head of a record with its state of today, what may be entered of it, and the way to its tabs. Must not know
//! which collection it is.

use super::super::form::form_values::form_label;
use super::super::query::written;
use super::super::rights::Rights;
use super::{certificate, may_enter};
use crate::components::shell::Shell;
use crate::components::value::picture;
use crate::evaluation;
use maud::{Markup, html};
use model::display::{DisplayField, at, day_of, is_empty, number};
use model::messages::{self, labels};
use model::record::time;
use model::registry::review::checked_row;
use model::registry::{CardPage, CardTab, Collection, Feature, Field, Join};
use serde_json::Value;

/// The parameter that chooses a tab.
pub(super) const TAB: &str = "tab";
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
    /// How and when the visitor gave it away, who reads that in place of its state.
    pub(super) gave: Option<String>,
}

impl Card<'_> {
    /// Whether the visitor works with the herd of the record.
    pub(super) fn is_own(&self) -> bool {
        self.shell.visitor.user.is_some() && self.owner.is_some_and(|owner| self.shell.visitor.sees_herd(owner))
    }

    pub(super) fn head(&self, title: &str) -> Markup {
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
                    ul class="chips" { @for path in self.page.chips {
                        @match self.gave.as_ref().filter(|_| *path == self.page.entries_while.0) {
                            Some(gave) => li { (gave) },
                            None => (self.chip(path)),
                        }
                    } }
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
                let today = time::parse(&shell.today());
                let left = time::parse(iso).zip(today).map(|(at, today)| (at - today).div_euclid(DAY));
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
    pub(super) fn entries(&self) -> Markup {
        let offered = self.page.entries.iter().filter(|entry| entry.only.is_none_or(|only| self.holds(only)));
        let offered = offered.filter_map(|entry| {
            let join = self.c.joins.iter().find(|join| join.name == entry.join)?;
            Some((entry.seldom.is_some_and(|seldom| self.holds(seldom)), (join, self.entry(join)?)))
        });
        let offered = offered.filter(|_| self.holds(self.page.entries_while));
        let (seldom, usual): (Vec<_>, Vec<_>) = offered.partition(|(is_seldom, _)| *is_seldom);
        let ways = |all: &[(bool, (&Join, String))]| {
            html! { ul { @for (_, (join, address)) in all { li {
                a class="button" href=(address) { (self.shell.text(&format!("card-enter-{}", join.name))) }
            } } } }
        };
        html! {
            @if !usual.is_empty() || !seldom.is_empty() {
                nav class="acts" aria-label=(self.shell.text("card-enter")) {
                    (ways(&usual))
                    @if !seldom.is_empty() {
                        details { summary { (self.shell.text("card-enter-more")) } (ways(&seldom)) }
                    }
                }
            }
        }
    }

    fn holds(&self, (path, value): (&str, &str)) -> bool {
        at(self.doc, path).as_str() == Some(value)
    }

    /// The form of a new row that belongs to the record, or the choice of a move that makes one, for those who may enter
    /// it. Where the record is not what the row is about, as the bull of a service, there is none.
    pub(super) fn entry(&self, join: &Join) -> Option<String> {
        let of = self.shell.pages.site.registry.get(join.collection)?;
        let [path] = join.on else {
            return None;
        };
        if of.animal.is_some_and(|animal| animal != *path) {
            return None;
        }
        let moves = self.page.entries.iter().find(|entry| entry.join == join.name).and_then(|entry| entry.moves);
        let address = match moves.filter(|_| self.holds(self.page.entries_while)) {
            Some(moves) => format!("/book/{}/{}/move/{}", self.c.slug, self.id, moves.state),
            None => {
                let query = written(&[((*path).to_owned(), form_label(self.shell, self.c, self.doc))]);
                format!("/book/{}/new?{query}", of.slug)
            }
        };
        (self.is_own() && may_enter(self.shell, of)).then_some(address)
    }

    pub(super) fn tabs(&self) -> Markup {
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
            let one = CardTab::of(path);
            c.fields.iter().filter(move |field| one.has(&field.path)).collect::<Vec<_>>()
        };
        self.tab.values.iter().flat_map(of)
    }
}
