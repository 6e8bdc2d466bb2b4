//! TypeScript for Node 18 or later, a browser, Deno or Bun: `fetch` is there.

use super::json::Literals;
use super::{Writer, camel, quoted};
use crate::partners::call::variable::{AUTHORIZATION, KEY, TOKEN};
use crate::partners::call::{Call, Piece, Place, pieces};

pub(super) const WRITER: Writer = Writer {
    word: "typescript",
    name: "TypeScript",
    head,
    call,
};

const LITERALS: Literals = Literals {
    text,
    name: |name| name.to_owned(),
    words: ["true", "false", "null"],
    inner: " ",
};

const ASK: &str = r#"
async function ask(method: string, path: string, body?: unknown): Promise<any> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (authorization) headers.Authorization = authorization;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch(hub + path, { method, headers, body: sent });
  const text = await answer.text();
  console.log(`${answer.status}\n${text.slice(0, 300)}`);
  return text ? JSON.parse(text) : undefined;
}
"#;

fn text(all: &[Piece<'_>]) -> String {
    if let [Piece::Variable(name)] = all {
        return camel(name);
    }
    let variables = all.iter().any(|one| matches!(one, Piece::Variable(_)));
    let parts: String = (all.iter())
        .map(|piece| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Variable(name) => format!("${{{}}}", camel(name)),
        })
        .collect();
    match variables {
        true => format!("`{parts}`"),
        false => quoted(&parts),
    }
}

fn head(variables: &[(&str, String)]) -> String {
    let given = variables.iter().map(|(name, value)| {
        let word = if *name == AUTHORIZATION {
            "let"
        } else {
            "const"
        };
        format!("{word} {} = {};", camel(name), quoted(value))
    });
    let mut lines: Vec<String> = given.collect();
    lines.push(format!("let answer: any, {TOKEN}: string, {KEY}: string;"));
    format!("{}\n{ASK}", lines.join("\n"))
}

fn call(call: &Call) -> String {
    let body = call.body.as_ref();
    let body = body.map_or(String::new(), |body| {
        format!(", {}", LITERALS.value(body, 0))
    });
    let method = quoted(call.method);
    let mut out = format!(
        "await ask({method}, {}{body});",
        text(&pieces(&call.address))
    );
    if let Some(capture) = &call.capture {
        let place = match capture.place {
            Place::Members(names) => format!(".{}", names.join(".")),
            Place::Last(name) => format!(".at(-1).{name}"),
        };
        let before = match capture.before {
            "" => String::new(),
            before => format!("{} + ", quoted(before)),
        };
        let name = camel(capture.variable);
        out = format!("answer = {out}\n{name} = {before}answer{place};");
        if capture.visible {
            out.push_str(&format!("\nconsole.log({name});"));
        }
    }
    out
}
