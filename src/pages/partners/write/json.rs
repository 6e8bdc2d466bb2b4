//! Bodies: values of JSON as literals of a language, short ones in a line.

use crate::partners::call::{Piece, pieces};
use serde_json::Value;

/// Longest line, characters.
const LINE: usize = 96;

/// How a language writes literals.
#[derive(Debug)]
pub(super) struct Literals {
    /// A text with its variables.
    pub(super) text: fn(&[Piece<'_>]) -> String,
    /// The name of a member.
    pub(super) name: fn(&str) -> String,
    /// True, false, nothing.
    pub(super) words: [&'static str; 3],
    /// Spaces within the braces of a short object.
    pub(super) inner: &'static str,
}

impl Literals {
    /// A value that begins at this indent.
    pub(super) fn value(&self, value: &Value, indent: usize) -> String {
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
                let lines = members.iter().map(|(name, one)| {
                    format!("{}: {}", (self.name)(name), self.value(one, inner))
                });
                ('{', '}', lines.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return short,
        };
        let pad = " ".repeat(inner);
        let lines = lines.join(&format!(",\n{pad}"));
        format!("{open}\n{pad}{lines}\n{}{close}", " ".repeat(indent))
    }

    fn short(&self, value: &Value) -> String {
        let [yes, no, nothing] = self.words;
        match value {
            Value::Null => nothing.to_owned(),
            Value::Bool(true) => yes.to_owned(),
            Value::Bool(false) => no.to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => (self.text)(&pieces(text)),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|one| self.short(one)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(members) => {
                let members: Vec<String> = (members.iter())
                    .map(|(name, one)| format!("{}: {}", (self.name)(name), self.short(one)))
                    .collect();
                format!("{{{0}{1}{0}}}", self.inner, members.join(", "))
            }
        }
    }
}
