//! Programs in the languages of partners, each written from the same declarations: a language is a file of templates, in
//! which `‹name›` is a hole.

use super::call::{Call, ValuePath, braced, variable};
use serde_json::Value;

/// Longest line of a body, characters.
const LINE: usize = 96;

#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) word: &'static str,
    pub(crate) name: &'static str,
    /// Sections, each after a line of its title.
    templates: &'static str,
    spelled: fn(&str) -> String,
    /// What stands between the quotation marks of a value.
    escaped: fn(&str) -> String,
}

/// All of them; the first by default.
pub(crate) static WRITERS: [Writer; 4] = [
    Writer {
        word: "curl",
        name: "curl",
        templates: include_str!("curl.txt"),
        spelled: str::to_uppercase,
        escaped: |text| text.replace('\'', r"'\''"),
    },
    Writer {
        word: "python",
        name: "Python",
        templates: include_str!("python.txt"),
        spelled: str::to_owned,
        escaped: as_json,
    },
    Writer {
        word: "typescript",
        name: "TypeScript",
        templates: include_str!("typescript.txt"),
        spelled: camel,
        escaped: as_json,
    },
    Writer { word: "csharp", name: "C#", templates: include_str!("csharp.txt"), spelled: camel, escaped: as_json },
];

impl Writer {
    pub(crate) fn of_word(word: Option<&str>) -> Option<&'static Self> {
        match word {
            None => WRITERS.first(),
            Some(word) => WRITERS.iter().find(|one| one.word == word),
        }
    }

    /// What every program begins with, with the values of its variables.
    pub(crate) fn head(&self, variables: &[(&str, String)]) -> String {
        let given = variables.iter().map(|(name, value)| {
            let template = self.first(&[&format!("given {name}"), "given"]);
            let (name, value) = ((self.spelled)(name), (self.escaped)(value));
            fill(template, &[("name", &name), ("value", &value)])
        });
        let given: Vec<String> = given.collect();
        fill(self.first(&["head"]), &[("given", &given.join("\n"))])
    }

    /// Requests, one after the other.
    pub(crate) fn calls(&self, calls: &[Call]) -> String {
        let all: Vec<String> = calls.iter().map(|call| self.call(call)).collect();
        all.join("\n\n")
    }

    /// The first of these sections that the language has.
    fn first(&self, titles: &[&str]) -> &'static str {
        let section = |title: &&str| {
            let (_, rest) = self.templates.split_once(&format!("\n== {title}\n"))?;
            let end = rest.find("\n== ").or(rest.len().checked_sub(1));
            rest.get(..end?)
        };
        titles.iter().find_map(section).unwrap_or_default()
    }

    fn call(&self, call: &Call) -> String {
        let address = self.text("address", &call.address);
        let body = call
            .body
            .as_ref()
            .map_or(String::new(), |body| fill(self.first(&["body"]), &[("body", &self.value(body, 0))]));
        let holes = [("method", call.method), ("address", &address), ("body", &body)];
        let program = fill(self.first(&["call"]), &holes);
        let Some(capture) = &call.capture else {
            return program;
        };
        let member = |title: &str, name: &str| fill(self.first(&[title]), &[("name", name)]);
        let place: String = match capture.place {
            ValuePath::Members(names) => names.iter().map(|name| member("member", name)).collect(),
            ValuePath::Last(name) => member("last", name),
        };
        let template = match capture.before {
            "" => self.first(&["capture"]),
            _ => self.first(&["capture behind", "capture"]),
        };
        let variable = (self.spelled)(capture.variable);
        let holes =
            [("variable", variable.as_str()), ("before", capture.before), ("place", &place), ("call", &program)];
        let program = fill(template, &holes);
        match capture.visible {
            true => format!("{program}\n{}", fill(self.first(&["visible"]), &holes)),
            false => program,
        }
    }

    /// A text of a body, or an address, with its variables.
    fn text(&self, place: &str, text: &str) -> String {
        let names = variable::ALL.into_iter();
        let names: Vec<&str> = names.filter(|name| text.contains(&braced(name))).collect();
        let variable = self.first(&[&format!("{place} variable"), "variable"]);
        let mut written = as_json(text);
        for name in &names {
            let spelled = (self.spelled)(name);
            written = written.replace(&braced(name), &fill(variable, &[("name", &spelled)]));
        }
        let (kind, name) = match names[..] {
            [] => ("plain", String::new()),
            [name] if text == braced(name) => ("alone", (self.spelled)(name)),
            _ => ("with variables", String::new()),
        };
        let [own, other] = [place, "text"].map(|place| format!("{place} {kind}"));
        let template = self.first(&[&own, place, &other, "text"]);
        fill(template, &[("name", &name), ("text", &written)])
    }

    /// A value of JSON as a literal that begins at this indent, a short one in a line.
    fn value(&self, value: &Value, indent: usize) -> String {
        let short = self.short(value);
        if indent + short.chars().count() <= LINE {
            return short;
        }
        let inner = indent + 2;
        let (open, close, lines): (_, _, Vec<String>) = match value {
            Value::Array(items) => {
                let lines = items.iter().map(|one| self.value(one, inner));
                ('[', ']', lines.collect())
            }
            Value::Object(members) => {
                let lines =
                    members.iter().map(|(name, one)| format!("{}: {}", self.member(name), self.value(one, inner)));
                ('{', '}', lines.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return short,
        };
        let pad = " ".repeat(inner);
        let lines = lines.join(&format!(",\n{pad}"));
        format!("{open}\n{pad}{lines}\n{}{close}", " ".repeat(indent))
    }

    fn short(&self, value: &Value) -> String {
        let word = |at: usize| {
            let word = self.first(&["words"]).split(' ').nth(at);
            word.unwrap_or_default().to_owned()
        };
        match value {
            Value::Bool(true) => word(0),
            Value::Bool(false) => word(1),
            Value::Null => word(2),
            Value::Number(number) => number.to_string(),
            Value::String(text) => self.text("text", text),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|one| self.short(one)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(members) => {
                let members: Vec<String> =
                    (members.iter()).map(|(name, one)| format!("{}: {}", self.member(name), self.short(one))).collect();
                let members = members.join(", ");
                fill(self.first(&["object"]), &[("members", &members)])
            }
        }
    }

    fn member(&self, name: &str) -> String {
        fill(self.first(&["name"]), &[("name", name)])
    }
}

fn fill(template: &str, holes: &[(&str, &str)]) -> String {
    let all = template.to_owned();
    (holes.iter()).fold(all, |all, (hole, text)| all.replace(&format!("‹{hole}›"), text))
}

/// `animal_id` as `animalId`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut name, part| {
        let mut chars = part.chars();
        name.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(chars.as_str());
        name
    })
}

/// What stands between quotation marks, as JSON, Python, TypeScript and C# read it.
fn as_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    let inner = quoted.get(1..quoted.len() - 1);
    inner.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partners::call::Capture;
    use serde_json::json;

    fn call() -> Call {
        let body = json!({"id": "{animal_id}", "name": "x-{animal_id}", "ok": true, "at": null});
        Call::post("/api/{animal_id}?a[b]=1", body).takes(Capture::new("token", ValuePath::Last("token")))
    }

    fn written(word: &str) -> String {
        let writer = Writer::of_word(Some(word)).unwrap();
        writer.calls(&[call()])
    }

    #[test]
    fn each_language_has_the_request_in_its_own_words() {
        let curl = written("curl");
        assert!(curl.contains("-X POST \"${HUB}/api/${ANIMAL_ID}?a[b]=1\""), "{curl}");
        assert!(curl.contains("\"name\": \"x-${ANIMAL_ID}\""), "{curl}");
        assert!(curl.contains("TOKEN=\"$(jq -r '.[-1].token' answer.json)\""), "{curl}");
        let python = written("python");
        assert!(python.contains("ask(\"POST\", f\"/api/{animal_id}?a[b]=1\""), "{python}");
        assert!(python.contains("\"id\": animal_id"), "{python}");
        assert!(python.contains("\"ok\": True, \"at\": None"), "{python}");
        assert!(python.contains("token = answer[-1][\"token\"]"), "{python}");
        let typescript = written("typescript");
        assert!(typescript.contains("`/api/${animalId}?a[b]=1`"), "{typescript}");
        assert!(typescript.contains("name: `x-${animalId}`"), "{typescript}");
        assert!(typescript.contains("token = answer.at(-1).token"), "{typescript}");
        let csharp = written("csharp");
        assert!(csharp.contains("$\"/api/{animalId}?a[b]=1\""), "{csharp}");
        assert!(csharp.contains("\"id\": \"{{animalId}}\""), "{csharp}");
        assert!(csharp.contains("answer!.AsArray()[^1]![\"token\"]"), "{csharp}");
    }

    #[test]
    fn values_are_quoted_for_their_language() {
        let text = "O'Neil \"x\" $HOME \\";
        let variables = [("hub", text.to_owned())];
        for (word, line) in [
            ("curl", "HUB='O'\\''Neil \"x\" $HOME \\'"),
            ("python", "hub = \"O'Neil \\\"x\\\" $HOME \\\\\""),
            ("typescript", "const hub = \"O'Neil \\\"x\\\" $HOME \\\\\";"),
            ("csharp", "var hub = \"O'Neil \\\"x\\\" $HOME \\\\\";"),
        ] {
            let head = Writer::of_word(Some(word)).unwrap().head(&variables);
            assert!(head.contains(line), "{word}: {head}");
        }
    }

    #[test]
    fn names_are_written_as_their_language_has_them() {
        assert_eq!(camel("animal_id"), "animalId");
        assert_eq!(camel("hub"), "hub");
    }
}
