//! Python 3 and nothing beside it.

use super::json::Literals;
use super::{Writer, quoted};
use crate::partners::call::{Call, Piece, Place, pieces};

pub(super) const WRITER: Writer = Writer {
    word: "python",
    name: "Python",
    head,
    call,
};

const LITERALS: Literals = Literals {
    text,
    name: quoted,
    words: ["True", "False", "None"],
    inner: "",
};

const ASK: &str = r#"
def ask(method, path, body=None):
    headers = {"Content-Type": "application/json"}
    if authorization:
        headers["Authorization"] = authorization
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(hub + path, data, headers, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as refused:
        answer = refused
    text = answer.read().decode()
    print(answer.status, text[:300], sep="\n")
    return json.loads(text) if text else None
"#;

fn text(all: &[Piece<'_>]) -> String {
    if let [Piece::Variable(name)] = all {
        return (*name).to_owned();
    }
    let parts = all.iter().map(|piece| match piece {
        Piece::Text(text) => (*text).to_owned(),
        Piece::Variable(name) => format!("{{{name}}}"),
    });
    let variables = all.iter().any(|one| matches!(one, Piece::Variable(_)));
    let before = if variables { "f" } else { "" };
    format!("{before}{}", quoted(&parts.collect::<String>()))
}

fn head(variables: &[(&str, String)]) -> String {
    let lines = variables.iter();
    let lines = lines.map(|(name, value)| format!("{name} = {}", quoted(value)));
    let lines: Vec<String> = lines.collect();
    format!(
        "import json\nimport urllib.error\nimport urllib.request\n\n{}\n\n{ASK}",
        lines.join("\n")
    )
}

fn call(call: &Call) -> String {
    let body = call.body.as_ref();
    let body = body.map_or(String::new(), |body| {
        format!(", {}", LITERALS.value(body, 0))
    });
    let method = quoted(call.method);
    let mut out = format!("ask({method}, {}{body})", text(&pieces(&call.address)));
    if let Some(capture) = &call.capture {
        let place = match capture.place {
            Place::Members(names) => {
                let names = names.iter().map(|name| format!("[{}]", quoted(name)));
                names.collect()
            }
            Place::Last(name) => format!("[-1][{}]", quoted(name)),
        };
        let before = match capture.before {
            "" => String::new(),
            before => format!("{} + ", quoted(before)),
        };
        let name = capture.variable;
        out = format!("answer = {out}\n{name} = {before}answer{place}");
        if capture.visible {
            out.push_str(&format!("\nprint({name})"));
        }
    }
    out
}
