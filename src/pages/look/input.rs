//! Fields of forms, by the declaration of the field: the form of a record has no code of its own.

use crate::look::shell::Shell;
use maud::{Markup, html};
use model::messages::labels;
use model::registry::{Collection, Field, Kind};
use serde_json::{Map, Value};

/// Rows of a box for long texts.
const ROWS: u32 = 4;

/// A value that may be chosen for a relation.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A field with what it holds, what may be chosen, and what is wrong with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'i> {
    pub(crate) c: &'static Collection,
    pub(crate) field: &'static Field,
    /// As text, as the form shows it.
    pub(crate) value: &'i str,
    /// All records of the related collection, if they are few.
    pub(crate) choices: Option<&'i [Choice]>,
    /// Sentences of the REST face.
    pub(crate) faults: &'i [&'i str],
    /// Whether it must be filled.
    pub(crate) required: bool,
}

/// Whether forms offer a field of this kind. Lists of rows and free JSON are written by programs.
pub(crate) fn is_offered(field: &Field) -> bool {
    !matches!(
        field.kind,
        Kind::Rows(_) | Kind::Json | Kind::Password | Kind::Relations(_)
    )
}

impl Input<'_> {
    /// The field with its label.
    pub(crate) fn markup(&self, shell: &Shell<'_>) -> Markup {
        let path = self.field.path.as_str();
        let id = format!("f-{}", path.replace('.', "-"));
        let label = labels::field(shell.language(), self.c.slug, path);
        let told = format!("{id}-fault");
        let faulty = !self.faults.is_empty();
        let class = if faulty { "field faulty" } else { "field" };
        let label =
            html! { (label) @if self.required { span class="must" aria-hidden="true" { " *" } } };
        let rest = html! {
            (self.control(shell, &id, faulty.then_some(told.as_str())))
            @if faulty {
                p class="fault" id=(told) { @for fault in self.faults { span { (fault) } } }
            }
        };
        html! {
            @if matches!(self.field.kind, Kind::Selects(_)) {
                fieldset class=(class) { legend { (label) } (rest) }
            } @else {
                div class=(class) { label for=(id) { (label) } (rest) }
            }
        }
    }

    fn control(&self, shell: &Shell<'_>, id: &str, told: Option<&str>) -> Markup {
        let (path, value) = (self.field.path.as_str(), self.value);
        let invalid = told.map(|_| "true");
        let line = |kind: &str, mode: Option<&str>, most: Option<usize>| {
            html! {
                input id=(id) name=(path) type=(kind) value=(value) inputmode=[mode] maxlength=[most]
                    required[self.required] aria-invalid=[invalid] aria-describedby=[told];
            }
        };
        match &self.field.kind {
            Kind::Text(most) => line("text", None, Some(*most)),
            Kind::Email => line("email", None, Some(254)),
            Kind::Int => line("text", Some("numeric"), Some(20)),
            Kind::Number => line("text", Some("decimal"), Some(30)),
            Kind::Day => line("date", None, None),
            Kind::Instant => line("datetime-local", None, None),
            Kind::Bool => {
                let words = [("true", "page-yes"), ("false", "page-no")];
                let all = words.map(|(value, word)| (value.to_owned(), shell.text(word)));
                self.select(id, told, &all)
            }
            Kind::Select(words) => {
                let label =
                    |word: &String| labels::option(shell.language(), self.c.slug, path, word);
                let all: Vec<_> = words
                    .iter()
                    .map(|word| (word.clone(), label(word)))
                    .collect();
                self.select(id, told, &all)
            }
            Kind::Selects(words) => html! {
                // Says that the list was shown, also when nothing is ticked.
                input type="hidden" name=(path) value="";
                div class="ticks" id=(id) aria-describedby=[told] {
                    @for word in words {
                        label {
                            input type="checkbox" name=(path) value=(word)
                                checked[value.split(',').any(|own| own == word)];
                            " " (labels::option(shell.language(), self.c.slug, path, word))
                        }
                    }
                }
            },
            Kind::Relation(_) => match self.choices {
                Some(choices) => {
                    let all: Vec<_> = (choices.iter())
                        .map(|one| (one.id.to_string(), one.name.clone()))
                        .collect();
                    self.select(id, told, &all)
                }
                None => line("text", None, Some(255)),
            },
            _ => html! {
                textarea id=(id) name=(path) rows=(ROWS) required[self.required] aria-invalid=[invalid]
                    aria-describedby=[told] { (value) }
            },
        }
    }

    fn select(&self, id: &str, told: Option<&str>, all: &[(String, String)]) -> Markup {
        let invalid = told.map(|_| "true");
        html! {
            select id=(id) name=(self.field.path) required[self.required] aria-invalid=[invalid]
                aria-describedby=[told] {
                option value="" {}
                @for (value, label) in all {
                    option value=(value) selected[value == self.value] { (label) }
                }
            }
        }
    }
}

/// A value of a document as the form shows it.
pub(crate) fn text_of(field: &Field, value: &Value) -> String {
    let list = |all: &[Value], sign: &str| {
        let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        all.join(sign)
    };
    match (&field.kind, value) {
        (_, Value::Null) => String::new(),
        (Kind::Day, Value::String(iso)) => iso.get(..10).unwrap_or(iso).to_owned(),
        (Kind::Instant, Value::String(iso)) => iso.get(..16).unwrap_or(iso).to_owned(),
        (Kind::Selects(_), Value::Array(all)) => list(all, ","),
        (Kind::Texts(_), Value::Array(all)) => list(all, "\n"),
        (Kind::Relation(_), Value::Object(members)) => {
            members.get("id").map(Value::to_string).unwrap_or_default()
        }
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    }
}

/// A value of a form as the REST face takes it; a text that is no such value is passed on, so that the REST face says
/// what is wrong with it. Relations are resolved elsewhere.
pub(crate) fn value_of(field: &Field, texts: &[&str]) -> Value {
    let text = texts
        .iter()
        .map(|text| text.trim())
        .find(|text| !text.is_empty());
    let Some(text) = text else {
        return match field.kind {
            Kind::Selects(_) | Kind::Texts(_) => Value::Array(Vec::new()),
            _ => Value::Null,
        };
    };
    let list = |all: Vec<&str>| Value::from(all);
    match &field.kind {
        Kind::Int | Kind::Number => {
            let plain = text.replace(',', ".").replace(['\u{a0}', ' '], "");
            match serde_json::from_str::<serde_json::Number>(&plain) {
                Ok(number) => Value::Number(number),
                Err(_) => Value::from(text),
            }
        }
        Kind::Bool => match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            other => Value::from(other),
        },
        // Browsers send no zone; the form says that it is UTC.
        Kind::Instant if text.len() == 16 => Value::from(format!("{text}:00.000Z")),
        Kind::Selects(_) => list(
            texts
                .iter()
                .copied()
                .filter(|one| !one.is_empty())
                .collect(),
        ),
        Kind::Texts(_) => list(
            text.lines()
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .collect(),
        ),
        Kind::LongText => Value::from(text.replace("\r\n", "\n")),
        _ => Value::from(text),
    }
}

/// Puts a value at a path of a body.
pub(crate) fn put(body: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            body.insert(path.to_owned(), value);
        }
        Some((head, rest)) => {
            let inner = body
                .entry(head)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::{boolean, day, instant, int, number, selects, text, texts};
    use serde_json::json;

    #[test]
    fn texts_of_forms_become_values_of_their_kinds() {
        for (field, texts, value) in [
            (number("n"), &["31,5"][..], json!(31.5)),
            (number("n"), &["1 250.75"], json!(1250.75)),
            (int("n"), &["12"], json!(12)),
            (int("n"), &["a dozen"], json!("a dozen")),
            (int("n"), &[" "], json!(null)),
            (boolean("b"), &["false"], json!(false)),
            (boolean("b"), &["perhaps"], json!("perhaps")),
            (day("d"), &["2026-03-01"], json!("2026-03-01")),
            (
                instant("t"),
                &["2026-03-01T10:20"],
                json!("2026-03-01T10:20:00.000Z"),
            ),
            (text("t"), &["  Зорька "], json!("Зорька")),
            (text("t"), &[""], json!(null)),
            (selects("s", "a|b|c"), &["", "a", "c"], json!(["a", "c"])),
            (selects("s", "a|b|c"), &[""], json!([])),
            (texts("s", 10), &["a\r\n\r\nb"], json!(["a", "b"])),
        ] {
            assert_eq!(value_of(&field, texts), value, "{texts:?}");
        }
    }

    #[test]
    fn what_is_shown_is_sent_back_as_it_is() {
        for (field, value) in [
            (number("n"), json!(31.5)),
            (day("d"), json!("2026-03-01T00:00:00.000Z")),
            (boolean("b"), json!(true)),
            (texts("s", 10), json!(["a", "b"])),
        ] {
            let shown = text_of(&field, &value);
            let sent = value_of(&field, &[&shown]);
            match value {
                Value::String(iso) => assert_eq!(sent, json!(iso[..10])),
                value => assert_eq!(sent, value),
            }
        }
    }

    #[test]
    fn members_of_groups_share_their_group() {
        let mut body = Map::new();
        put(&mut body, "yields.morning", json!(1));
        put(&mut body, "yields.evening", json!(2));
        put(&mut body, "date", json!("x"));
        assert_eq!(
            Value::Object(body),
            json!({"yields": {"morning": 1, "evening": 2}, "date": "x"})
        );
    }
}
