//! What may be done with a record: moves of its states, and actions. A button for each that the declaration offers to
//! the visitor; the REST face decides.

use super::rights::Rights;
use crate::look::input::{Input, is_single, text_of};
use crate::look::shell::Shell;
use maud::{Markup, html};
use model::messages::labels;
use model::registry::{Collection, Kind, Move, Reading, Set, States, Who};
use model::shown::at;
use serde_json::Value;

/// The state of a document.
fn state(states: &States, doc: &Value) -> String {
    match &states.reading {
        Reading::Times(none, stamps) => {
            let filled = stamps
                .iter()
                .rev()
                .find(|(_, path)| !at(doc, path).is_null());
            filled.map_or(*none, |(state, _)| *state).to_owned()
        }
        Reading::Value => match at(doc, states.path) {
            Value::String(word) => word.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        },
    }
}

/// Whether the visitor is one of those who may make a move.
fn is_offered_to(one: &Move, shell: &Shell<'_>, doc: &Value) -> bool {
    let role = shell.visitor.told("role").unwrap_or_default();
    let association = shell.visitor.is_association();
    one.movers.iter().any(|mover| match mover.who {
        Who::System => false,
        Who::Admin => role == "admin",
        Who::Association => association,
        Who::Farm(_) => !association,
        Who::Party(_, path) => {
            let party = at(doc, path);
            let party = party.get("id").unwrap_or(party).as_i64();
            !association && party.is_some() && party == shell.visitor.organization()
        }
    })
}

/// What may be done with a record, each as a form of its own with the fields that it needs.
pub(super) fn markup(
    shell: &Shell<'_>,
    c: &'static Collection,
    doc: &Value,
    rights: &Rights,
) -> Markup {
    let id = at(doc, "id");
    let moves = forms(shell, c, doc, rights, None);
    html! {
        @if rights.may("update") && !(moves.is_empty() && c.actions.is_empty()) {
            section class="moves" {
                h2 { (shell.text("page-moves")) }
                @for one in moves { (one) }
                @for action in &c.actions {
                    form method="post" action=(format!("/book/{}/{id}/act/{}", c.slug, action.name)) {
                        button type="submit" { (labels::action(shell.language(), c.slug, action.name)) }
                    }
                }
            }
        }
    }
}

/// The moves of a record that are offered to the visitor, and the page that follows them, if it is not that of the
/// record.
pub(super) fn forms(
    shell: &Shell<'_>,
    c: &'static Collection,
    doc: &Value,
    rights: &Rights,
    next: Option<&str>,
) -> Vec<Markup> {
    let moves = c.states.iter().flat_map(|states| {
        let now = state(states, doc);
        let own = states
            .moves
            .iter()
            .filter(move |one| one.from.contains(&now.as_str()));
        own.map(move |one| (states, one))
    });
    let offered = moves.filter(|(states, one)| {
        is_offered_to(one, shell, doc)
            && field_of(states, one).is_some_and(|path| rights.may_write(path, "update"))
    });
    offered
        .map(|(states, one)| form(shell, c, (states, one), (doc, next)))
        .collect()
}

/// The field that a move writes.
fn field_of(states: &States, one: &Move) -> Option<&'static str> {
    match &states.reading {
        Reading::Value => Some(states.path),
        Reading::Times(_, stamps) => {
            let own = stamps.iter().find(|(state, _)| *state == one.to);
            own.map(|(_, path)| *path)
        }
    }
}

fn form(
    shell: &Shell<'_>,
    c: &'static Collection,
    (states, one): (&States, &Move),
    (doc, next): (&Value, Option<&str>),
) -> Markup {
    let language = shell.language();
    let Some(path) = field_of(states, one) else {
        return html! {};
    };
    let label = match states.reading {
        Reading::Value if c.field(path).is_some_and(|f| f.kind == Kind::Bool) => {
            let word = if one.to == "true" {
                "page-yes"
            } else {
                "page-no"
            };
            format!(
                "{}: {}",
                labels::field(language, c.slug, path),
                shell.text(word)
            )
        }
        Reading::Value => labels::option(language, c.slug, path, one.to),
        Reading::Times(..) => labels::field(language, c.slug, path),
    };
    let label = labels::step(language, c.slug, path, one.to).unwrap_or(label);
    // The server sets what the move sets.
    let set = |path: &str| {
        one.sets
            .iter()
            .any(|(own, how)| *own == path && !matches!(how, Set::MeIfEmpty))
    };
    let needs = one.needs.iter().filter_map(|path| c.field(path));
    let needs: Vec<_> = needs
        .filter(|field| is_single(field) && !set(&field.path))
        .collect();
    let value = match states.reading {
        Reading::Value => one.to,
        Reading::Times(..) => NOW,
    };
    let scope = format!("{}-{}-", at(doc, "id"), one.to);
    html! {
        form method="post" action=(format!("/book/{}/{}", c.slug, at(doc, "id"))) {
            @if let Some(next) = next { input type="hidden" name=(NEXT) value=(next); }
            @for field in &needs {
                @let text = text_of(field, at(doc, &field.path));
                (Input { c, field, scope: &scope, name: &field.path, value: &text, choices: None, faults: &[], required: true }.markup(shell))
            }
            button type="submit" name=(path) value=(value) { (label) }
        }
    }
}

/// The field of a form that says which page follows.
pub(super) const NEXT: &str = "next";

/// The value of a form that stands for the present time.
pub(super) const NOW: &str = "now";
