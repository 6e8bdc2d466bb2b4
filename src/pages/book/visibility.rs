//! Who else may see an animal: what opens it to others now, for those who may know.

use super::columns;
use super::query::{populate_names, written};
use crate::calls::Answer;
use crate::components::shell::Shell;
use crate::components::value::cell_of;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::record::time;
use model::registry::{Collection, OPENING, Opens};

/// Rows of each collection that are shown.
const ROWS: u64 = 50;

/// What opens the animal; nothing for visitors who do not see the herd of its owner.
pub(super) async fn markup(shell: &Shell<'_>, c: &'static Collection, id: i64, owner: Option<i64>) -> Markup {
    let knows = shell.visitor.user.is_some();
    let Some(owner) = owner.filter(|owner| knows && shell.visitor.sees_herd(*owner)) else {
        return html! {};
    };
    let registry = shell.pages.site.registry;
    let opening = registry.iter().filter_map(|own| {
        let opens = own.ui.opens.as_ref()?;
        let about = own.field(opens.animals)?.target()? == c.slug;
        about.then_some((own, opens))
    });
    let all = opening.map(async |(own, opens)| {
        let path = format!("/api/{}?{}", own.slug, query(shell, (own, opens), (id, owner)));
        (own, opens, shell.get(&path).await)
    });
    let all: Vec<(&'static Collection, &'static Opens, Answer)> = join_all(all).await;
    let none = all.iter().all(|(_, _, answer)| answer.docs().is_empty());
    let language = shell.language();
    html! {
        section id="sight" {
            h2 { (shell.text("page-sight")) }
            @if none { p class="none" { (shell.text("page-sight-none")) } }
            ul class="events" { @for (own, opens, answer) in &all { @for doc in answer.docs() { li {
                a href=[shell.record(own, at(doc, "id"))] { (labels::collection(language, own.slug)) }
                @for field in opens.summary.iter().filter_map(|path| own.field(path)) {
                    @if !at(doc, &field.path).is_null() {
                        span class="fact" {
                            (labels::field(language, own.slug, &field.path)) ": "
                            (cell_of(shell, own, field, doc))
                        }
                    }
                }
                @if at(doc, opens.animals).is_null() { span class="fact" { (shell.text("page-sight-herd")) } }
            } } } }
        }
    }
}

/// Those that hold now, for the animal or for all of the owner.
fn query(shell: &Shell<'_>, (c, opens): (&'static Collection, &Opens), (id, owner): (i64, i64)) -> String {
    let animals = opens.animals;
    let [whose, revoked, expires] = OPENING;
    let now = time::to_iso(shell.pages.site.clock.now());
    let mut all = vec![
        (format!("where[{whose}][equals]"), owner.to_string()),
        (format!("where[{revoked}][exists]"), "false".to_owned()),
        (format!("where[and][0][or][0][{expires}][exists]"), "false".to_owned()),
        (format!("where[and][0][or][1][{expires}][greater_than]"), now),
        (format!("where[and][1][or][0][{animals}][in][0]"), id.to_string()),
    ];
    if c.field(animals).is_some_and(|field| !field.required) {
        let key = format!("where[and][1][or][1][{animals}][exists]");
        all.push((key, "false".to_owned()));
    }
    all.extend([
        ("limit".to_owned(), ROWS.to_string()),
        ("depth".to_owned(), "1".to_owned()),
        ("joins".to_owned(), "false".to_owned()),
    ]);
    let fields = columns::of(c).into_iter();
    let fields = fields.chain(opens.summary.iter().filter_map(|path| c.field(path)));
    written(&all) + &populate_names(shell.pages.site.registry, fields)
}
