//! Commands for a shell: `curl`, and `jq` where a value of an answer is needed.

use super::json::Literals;
use super::{Writer, quoted};
use crate::partners::call::{Call, Piece, Place, pieces};

pub(super) const WRITER: Writer = Writer {
    word: "curl",
    name: "curl",
    head,
    call,
};

/// A body is a text of the shell in which variables are replaced.
const LITERALS: Literals = Literals {
    text: |all| format!("\"{}\"", text(all)),
    name: quoted,
    words: ["true", "false", "null"],
    inner: "",
};

fn variable(name: &str) -> String {
    format!("${{{}}}", name.to_uppercase())
}

fn text(all: &[Piece<'_>]) -> String {
    let written = all.iter().map(|piece| match piece {
        Piece::Text(text) => (*text).to_owned(),
        Piece::Variable(name) => variable(name),
    });
    written.collect()
}

fn head(variables: &[(&str, String)]) -> String {
    let lines = variables.iter().map(|(name, value)| {
        let value = value.replace('\'', r"'\''");
        format!("{}='{value}'", name.to_uppercase())
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn call(call: &Call) -> String {
    let address = text(&pieces(&call.address));
    let mut out = format!(
        "curl -sSg -o answer.json -w '%{{http_code}}\\n' -X {} \"{}{address}\" \\\n  -H \"Authorization: {}\"",
        call.method,
        variable("hub"),
        variable("authorization"),
    );
    if let Some(body) = &call.body {
        let body = LITERALS.value(body, 0);
        out.push_str(&format!(
            " -H 'Content-Type: application/json' -d @- <<END\n{body}\nEND"
        ));
    }
    out.push_str("\nhead -c 300 answer.json; echo");
    if let Some(capture) = &call.capture {
        let place = match capture.place {
            Place::Members(names) => format!(".{}", names.join(".")),
            Place::Last(name) => format!(".[-1].{name}"),
        };
        let name = capture.variable.to_uppercase();
        out.push_str(&format!(
            "\n{name}=\"{}$(jq -r '{place}' answer.json)\"",
            capture.before
        ));
        if capture.visible {
            out.push_str(&format!("\necho \"{}\"", variable(capture.variable)));
        }
    }
    out
}
