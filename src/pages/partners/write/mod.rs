//! Programs in the languages of partners, each written from the same declarations.

mod csharp;
mod curl;
mod json;
mod python;
mod typescript;

use super::call::Call;

/// A language of programs.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Its name in addresses.
    pub(crate) word: &'static str,
    /// Its name for people.
    pub(crate) name: &'static str,
    /// What every program begins with, after its variables were given.
    head: fn(&[(&str, String)]) -> String,
    call: fn(&Call) -> String,
}

/// All of them; the first where none is asked for.
pub(crate) static WRITERS: [Writer; 4] = [
    curl::WRITER,
    python::WRITER,
    typescript::WRITER,
    csharp::WRITER,
];

impl Writer {
    /// The language of a name.
    pub(crate) fn named(word: Option<&str>) -> Option<&'static Self> {
        match word {
            None => WRITERS.first(),
            Some(word) => WRITERS.iter().find(|one| one.word == word),
        }
    }

    /// The head of a program, with the values of its variables.
    pub(crate) fn head(&self, variables: &[(&str, String)]) -> String {
        (self.head)(variables)
    }

    /// Requests, one after the other.
    pub(crate) fn calls(&self, calls: &[Call]) -> String {
        let all: Vec<String> = calls.iter().map(self.call).collect();
        all.join("\n\n")
    }
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

/// A text in quotation marks, as JSON, Python, TypeScript and C# read it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partners::call::Place;
    use serde_json::json;

    fn call() -> Call {
        let body = json!({"id": "{animal_id}", "name": "x-{animal_id}", "ok": true, "at": null});
        Call::post("/api/{animal_id}?a[b]=1", body).takes("token", Place::Last("token"))
    }

    fn written(word: &str) -> String {
        let writer = Writer::named(Some(word)).unwrap();
        writer.calls(&[call()])
    }

    #[test]
    fn each_language_has_the_request_in_its_own_words() {
        let curl = written("curl");
        assert!(
            curl.contains("-X POST \"${HUB}/api/${ANIMAL_ID}?a[b]=1\""),
            "{curl}"
        );
        assert!(curl.contains("\"name\": \"x-${ANIMAL_ID}\""), "{curl}");
        assert!(
            curl.contains("TOKEN=\"$(jq -r '.[-1].token' answer.json)\""),
            "{curl}"
        );
        let python = written("python");
        assert!(
            python.contains("ask(\"POST\", f\"/api/{animal_id}?a[b]=1\""),
            "{python}"
        );
        assert!(python.contains("\"id\": animal_id"), "{python}");
        assert!(python.contains("\"ok\": True, \"at\": None"), "{python}");
        assert!(python.contains("token = answer[-1][\"token\"]"), "{python}");
        let typescript = written("typescript");
        assert!(
            typescript.contains("`/api/${animalId}?a[b]=1`"),
            "{typescript}"
        );
        assert!(typescript.contains("name: `x-${animalId}`"), "{typescript}");
        assert!(
            typescript.contains("token = answer.at(-1).token"),
            "{typescript}"
        );
        let csharp = written("csharp");
        assert!(csharp.contains("$\"/api/{animalId}?a[b]=1\""), "{csharp}");
        assert!(csharp.contains("\"id\": \"{{animalId}}\""), "{csharp}");
        assert!(
            csharp.contains("answer!.AsArray()[^1]![\"token\"]"),
            "{csharp}"
        );
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
            let head = Writer::named(Some(word)).unwrap().head(&variables);
            assert!(head.contains(line), "{word}: {head}");
        }
    }

    #[test]
    fn names_are_written_as_their_language_has_them() {
        assert_eq!(camel("animal_id"), "animalId");
        assert_eq!(camel("hub"), "hub");
    }
}
