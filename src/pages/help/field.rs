//! The question mark beside a field (docs/pages.md, *Help*): what its declaration says of it, in the language of the reader.
//! A meaning that says no more than the name has no text in Russian, and no question mark.

use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display;
use model::messages::{self, Language, Sentence, labels};
use model::registry::{Collection, Field, Kind, Writer};

/// From here on a limit says nothing: it is more than a book has of anything.
const ENDLESS: f64 = 1_000_000_000.0;

/// What stands behind the question mark in a form; none where that is nothing. `is_typed` says whether a related record is
/// typed, and not chosen.
pub(crate) fn of_input(
    shell: &Shell<'_>,
    c: &Collection,
    (field, name): (&Field, &str),
    is_typed: bool,
) -> Option<String> {
    // What is allowed in place of a built-in value, its own range says.
    let is_ranged = c.built_in.is_none_or(|of| of.value != field.path);
    let rules = rules(shell.language(), field, (is_ranged, is_typed));
    let all: Vec<String> = meaning(shell.language(), c, (field, name)).into_iter().chain(rules).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// The question mark beside a value, where its field has a meaning.
pub(crate) fn of_value(shell: &Shell<'_>, c: &Collection, field: &Field) -> Markup {
    let Some(meaning) = meaning(shell.language(), c, (field, &field.path)) else {
        return html! {};
    };
    let text = match field.writer {
        Writer::Server => format!("{meaning} {}", shell.text("page-help-server")),
        _ => meaning,
    };
    mark(shell, &labels::field(shell.language(), c.slug, &field.path), &text, None)
}

/// The question mark of a field of that name, which opens the text without a script.
pub(crate) fn mark(shell: &Shell<'_>, label: &str, text: &str, id: Option<&str>) -> Markup {
    html! {
        details class="help" {
            summary { span aria-hidden="true" { "?" } span class="aside" { (shell.text("page-help")) ": " (label) } }
            p id=[id] { (text) }
        }
    }
}

fn meaning(language: Language, c: &Collection, (field, path): (&Field, &str)) -> Option<String> {
    let sentence = Sentence::from(field.doc);
    let is_known = Language::ALL.iter().all(|one| sentence.in_language(*one).is_some());
    let text = sentence.in_language(language).filter(|_| is_known)?;
    // Every second piece stood between backticks.
    let pieces = text.split('`').enumerate().map(|(place, piece)| match (place.is_multiple_of(2), language) {
        (true, _) => piece.to_owned(),
        (false, Language::English) => format!("“{}”", called(language, c, (field, path), piece)),
        (false, Language::Russian) => format!("«{}»", called(language, c, (field, path), piece)),
    });
    Some(pieces.collect())
}

/// What people call an option of the field, a field of the record, or an option of another field.
fn called(language: Language, c: &Collection, (field, path): (&Field, &str), word: &str) -> String {
    let has_word = |one: &&Field| one.named_values().iter().any(|own| own == word);
    if has_word(&field) {
        return labels::option(language, c.slug, path, word);
    }
    match (labels::of_field(language, c.slug, word, &mut |_| {}), c.fields.iter().find(has_word)) {
        ((name, true), _) => name,
        (_, Some(other)) => labels::option(language, c.slug, &other.path, word),
        (_, None) => word.to_owned(),
    }
}

/// What values may be, how they are written, and by whom.
fn rules(language: Language, field: &Field, (is_ranged, is_typed): (bool, bool)) -> Vec<String> {
    let text = |word: &str, values: &[(&str, String)]| {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        messages::text(language, &format!("page-help-{word}"), &values.collect())
    };
    let number = |value: f64| display::number(language, &value.to_string());
    let limit = match (&field.kind, field.min, field.max) {
        (Kind::Int | Kind::Number, Some(min), Some(max)) if is_ranged && max < ENDLESS => {
            Some(text("range", &[("least", number(min)), ("most", number(max))]))
        }
        (Kind::Day | Kind::Instant, Some(year), _) => Some(text("since", &[("year", year.to_string())])),
        (Kind::Relations(_), _, Some(most)) => Some(text("entries", &[("count", most.to_string())])),
        _ => None,
    };
    let writer = match field.writer {
        Writer::Association => Some("association"),
        Writer::Team => Some("team"),
        Writer::Admin => Some("admin"),
        Writer::Anyone | Writer::Server => None,
    };
    let words = [
        (is_typed && matches!(field.kind, Kind::Relation(_))).then_some("relation"),
        field.unique.then_some("unique"),
        field.once.then_some("once"),
        field.locked.then_some("locked"),
        writer,
    ];
    limit.into_iter().chain(words.into_iter().flatten().map(|word| text(word, &[]))).collect()
}
