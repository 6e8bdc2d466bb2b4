//! Questions to the sender of a file about its columns: whether they are in another unit, whether numbers behind signs
//! count. Must not know which collection it is.

use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::at;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Copy)]
pub(in crate::book) struct Answers<'a> {
    pub(in crate::book) address: &'a str,
    pub(in crate::book) path: &'a str,
    pub(in crate::book) stated: &'a Value,
}

/// The questions about the sheets of a file, with buttons where the visitor may answer.
pub(in crate::book) fn questions(shell: &Shell<'_>, sheets: &Value, answers: Option<Answers<'_>>) -> Markup {
    let questions =
        (sheets.as_array().into_iter().flatten()).filter_map(|sheet| at(sheet, "questions").as_array()).flatten();
    html! {
        @for question in questions {
            @let unit = question.get("unit").and_then(Value::as_str);
            div class="unread" {
                p {
                    strong { (at(question, "title").as_str().unwrap_or_default()) } ": " (samples(question)) ". "
                    @match unit {
                        Some(unit) => { (shell.text("page-question-unit")) " " (unit) "? " }
                        None => { (shell.text("page-question-signs")) " " }
                    }
                    (shell.text("page-question-held"))
                }
                @if let Some(to) = answers {
                    form method="post" action=(to.address) {
                        button type="submit" name=(to.path) value=(answered(to.stated, question, true)) { (shell.text("page-question-yes")) }
                        button class="second" type="submit" name=(to.path) value=(answered(to.stated, question, false)) { (shell.text("page-question-no")) }
                    }
                }
            }
        }
    }
}

fn samples(question: &Value) -> String {
    let all = at(question, "samples").as_array().into_iter().flatten();
    let all: Vec<&str> = all.filter_map(Value::as_str).collect();
    all.join("; ")
}

fn answered(stated: &Value, question: &Value, yes: bool) -> String {
    let title = at(question, "title").as_str().unwrap_or_default();
    let (member, answer) = match question.get("unit") {
        Some(unit) if yes => ("units", unit.clone()),
        Some(_) => ("units", Value::Null),
        None => ("signs", json!(yes)),
    };
    let mut whole = stated.as_object().cloned().unwrap_or_default();
    let mut answers = match whole.remove(member) {
        Some(Value::Object(answers)) => answers,
        _ => Map::new(),
    };
    answers.insert(title.to_owned(), answer);
    whole.insert(member.to_owned(), Value::Object(answers));
    Value::Object(whole).to_string()
}

#[cfg(test)]
mod tests {
    use super::answered;
    use serde_json::{Value, json};

    #[test]
    fn answers_stand_beside_what_is_stated() {
        let unit = json!({"title": "Соматика", "unit": "cells/ml", "samples": []});
        let signs = json!({"title": "Жир", "samples": []});
        let stated = json!({"set": "milkTests", "units": {"Жир": null}});
        for (stated, question, yes, expected) in [
            (&Value::Null, &unit, true, json!({"units": {"Соматика": "cells/ml"}})),
            (&Value::Null, &signs, false, json!({"signs": {"Жир": false}})),
            (&stated, &unit, false, json!({"set": "milkTests", "units": {"Жир": null, "Соматика": null}})),
        ] {
            let read: Value = serde_json::from_str(&answered(stated, question, yes)).unwrap();
            assert_eq!(read, expected);
        }
    }
}
