//! What happened to an animal: events of all kinds, the latest first.

use super::super::columns;
use super::super::query::populate_names;
use crate::calls::Answer;
use crate::components::shell::Shell;
use crate::components::value::{cell_of, day};
use maud::{Markup, html};
use model::display::{at, is_empty};
use model::messages::labels;
use model::registry::{Collection, Field, Join};
use serde_json::Value;

/// Events of each kind that the list has.
const LISTED: usize = 10;
/// Events of each kind on the line of time.
const DRAWN: usize = 60;
/// Values of an event that the list has.
const VALUES: usize = 4;

pub(in crate::book) struct Event<'a> {
    pub(in crate::book) date: &'a str,
    pub(in crate::book) of: &'static Collection,
    pub(in crate::book) doc: &'a Value,
}

pub(in crate::book) struct EventJoins<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    joins: Vec<(&'static Join, &'static Collection, &'static str)>,
}

impl<'s> EventJoins<'s> {
    pub(in crate::book) fn of(shell: &'s Shell<'s>, c: &'static Collection) -> Self {
        let registry = shell.pages.site.registry;
        let joins = c.joins.iter().filter_map(|join| {
            let of = registry.get(join.collection)?;
            Some((join, of, of.happens?))
        });
        Self { shell, c, joins: joins.collect() }
    }

    pub(in crate::book) async fn ask(&self, id: i64) -> Answer {
        let one = |(join, of, date): &(&Join, &Collection, &str)| {
            let name = join.name;
            let most = of.ui.timeline.map_or(LISTED, |_| DRAWN);
            format!("&select[{name}]=true&joins[{name}][limit]={most}&joins[{name}][sort]=-{date}")
        };
        let query: String = self.joins.iter().map(one).collect();
        let fields = self.joins.iter().flat_map(|(_, of, _)| columns::of(of));
        let path = format!(
            "/api/{}/{id}?depth=2{query}{}",
            self.c.slug,
            populate_names(self.shell.pages.site.registry, fields)
        );
        self.shell.get(&path).await
    }

    pub(in crate::book) fn events<'a>(&self, answer: &'a Answer) -> Vec<Event<'a>> {
        let mut all: Vec<Event<'a>> = Vec::new();
        for (join, of, date) in &self.joins {
            let docs = at(&answer.body, join.name).get("docs");
            let docs = docs.and_then(Value::as_array).into_iter().flatten();
            all.extend(docs.filter_map(|doc| {
                let date = at(doc, date).as_str()?;
                Some(Event { date, of, doc })
            }));
        }
        all.sort_by(|a, b| b.date.cmp(a.date));
        all
    }
}

/// The latest ones of each kind as a list.
pub(in crate::book) fn history(shell: &Shell<'_>, events: &[Event<'_>]) -> Markup {
    let language = shell.language();
    let listed = events.iter().enumerate().filter(|(place, event)| {
        let before = events.iter().take(*place);
        before.filter(|other| other.of.slug == event.of.slug).count() < LISTED
    });
    html! {
        @if !events.is_empty() {
            section class="history" {
                h2 { (shell.text("page-history")) }
                ol class="events" {
                    @for (_, Event { date, of, doc }) in listed {
                        li {
                            (day(language, date)) " "
                            a href=[shell.record(of, at(doc, "id"))] { (labels::collection(language, of.slug)) }
                            @for field in facts(of, doc) {
                                span class="fact" {
                                    (labels::field(language, of.slug, &field.path)) ": "
                                    (cell_of(shell, of, field, doc))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The values of an event that tell what it was.
fn facts(c: &'static Collection, doc: &Value) -> Vec<&'static Field> {
    let tells = |field: &&'static Field| {
        let path = field.path.as_str();
        let owner = c.access.subjects.contains(&path);
        !owner && Some(path) != c.animal && Some(path) != c.happens && !is_empty(at(doc, path))
    };
    let states = |field: &&'static Field| !c.states.iter().any(|states| states.path == field.path);
    columns::of(c).into_iter().filter(tells).filter(states).take(VALUES).collect()
}
