//! Single cells of the pages: kinds, marks, rules, and how text is escaped.

use crate::record::{Value, time};
use crate::registry::{Allowance, Class, Field, Kind, PackageSet, Rule, Writer};
use std::fmt::Write as _;

/// A select of more values is described by its first ones.
const MOST_VALUES: usize = 40;
/// How many those are.
const FIRST_VALUES: usize = 5;

/// Text in a cell of a table. Text in backticks stays code.
pub(super) fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut code = false;
    for c in text.chars() {
        match c {
            '`' => code = !code,
            '|' => out.push('\\'),
            '\\' | '*' | '[' | ']' | '<' | '>' if !code => out.push('\\'),
            _ => {}
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}

/// A name or value as it is written.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Several of them.
pub(super) fn codes(texts: &[&str]) -> String {
    let all: Vec<_> = texts.iter().map(|text| code(text)).collect();
    all.join(", ")
}

/// A row of a table.
pub(super) fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// What a field holds, with its limits; `link` makes the link to a collection.
pub(super) fn kind(f: &Field, link: &dyn Fn(&str) -> String) -> String {
    let mut most = f.max.map(|max| format!(", {max} at most"));
    let mut out = match &f.kind {
        Kind::Text(1) => "text, 1 character".to_owned(),
        Kind::Text(n) => format!("text, {n} characters"),
        Kind::LongText => "long text".to_owned(),
        Kind::Email => "e-mail address".to_owned(),
        Kind::Password => {
            let least = f.min.map(|min| format!(", {min} characters or more"));
            format!("password{}", least.unwrap_or_default())
        }
        Kind::Int | Kind::Number => {
            most = None;
            let whole = if f.kind == Kind::Int { "whole " } else { "" };
            format!("{whole}number{}", range(f))
        }
        Kind::Day => format!("day{}", since(f)),
        Kind::Instant => "instant".to_owned(),
        Kind::Bool => "yes or no".to_owned(),
        Kind::Json => {
            most = f.max.map(|max| format!(", {max} bytes at most"));
            "JSON".to_owned()
        }
        Kind::Select(values) => format!("one of {}", listed(values)),
        Kind::Selects(values) => format!("several of {}", listed(values)),
        Kind::Texts(n) => format!("texts, {n} characters each"),
        Kind::Relation(to) => link(to),
        Kind::Relations(to) => format!("list of {}", link(to)),
        Kind::Rows(_) => "rows".to_owned(),
    };
    out.push_str(&most.unwrap_or_default());
    if let Some(collection) = f.asks {
        let _ = write!(out, ", conditions over {}", link(collection));
    }
    out
}

fn since(f: &Field) -> String {
    f.min.map_or_else(String::new, |year| format!(", from {year} on"))
}

fn range(f: &Field) -> String {
    match (f.min, f.max) {
        (Some(min), Some(max)) => format!(", {min} to {max}"),
        (Some(min), None) => format!(", {min} or more"),
        (None, Some(max)) => format!(", {max} at most"),
        (None, None) => String::new(),
    }
}

fn listed(values: &[String]) -> String {
    let most = if values.len() > MOST_VALUES { FIRST_VALUES } else { values.len() };
    let all: Vec<_> = values.iter().take(most).map(|v| code(v)).collect();
    let all = all.join(", ");
    if most < values.len() {
        return format!("{} values: {all}, …", values.len());
    }
    all
}

/// What else a declaration says of a field.
pub(super) fn marks(f: &Field) -> String {
    let words = [
        (f.required && !f.filled, "required"),
        (f.filled, "required, filled when left out"),
        (f.blank, "may be an empty text"),
        (f.unique, "unique"),
        (f.indexed, "indexed"),
        (f.once, "once"),
        (f.locked, "locked"),
        (f.session, "session"),
        (f.cascade, "goes with the related row"),
        (f.memory, "memory"),
        (f.shown_once, "returned once"),
    ];
    let words = words.iter().filter(|w| w.0).map(|w| w.1.to_owned());
    let mut all: Vec<String> = words.collect();
    let default = f.default.as_ref().map(|v| format!("default {}", value(v)));
    all.extend(default);
    all.extend(f.through.map(|t| format!("through {}", code(&t.to_string()))));
    all.extend(f.digest.map(|path| format!("digest in {}", code(path))));
    all.extend(f.keyed.map(|k| format!("encrypted in {}", code(k.current))));
    all.join(", ")
}

fn value(value: &Value) -> String {
    let text = match value {
        Value::Null => return "none".to_owned(),
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Num(v) => v.to_string(),
        Value::Text(v) => v.clone(),
        Value::Time(v) => time::to_iso(*v),
        Value::Ids(v) => format!("{v:?}"),
        Value::Texts(v) => v.join(", "),
        Value::Json(v) => v.to_string(),
    };
    code(&text)
}

/// Who may write the field; nothing for fields that every writer of the row may write.
pub(super) fn writer(f: &Field) -> &'static str {
    match f.writer {
        Writer::Anyone => "",
        Writer::Association => "Association",
        Writer::Team => "capability team",
        Writer::Admin => "admin",
        Writer::Server => "server",
    }
}

/// The name of a class, as docs/design/access.md has it.
pub(super) fn class(class: Class) -> &'static str {
    match class {
        Class::Row => "row",
        Class::Card => "card",
        Class::Production => "production",
        Class::Evaluation => "evaluation",
        Class::Genotype => "genotype",
        Class::Owner => "owner",
        Class::Private => "private",
        Class::SignedIn => "signed-in",
        Class::Hidden => "hidden",
    }
}

/// A rule by its name, with what it depends on.
pub(super) fn rule(rule: &Rule) -> String {
    match rule {
        Rule::Event { scope, card } => {
            let scope = scope.word().map_or("any grant".to_owned(), |word| format!("grants with scope {word}"));
            let card = if *card { ", opened cards" } else { "" };
            format!("`Event`: {scope}{card}")
        }
        Rule::Open(flag) => format!("`Open`: {}", holds(flag)),
        Rule::Own(capability) => {
            format!("`Own`: capability {}", crate::registry::printed::states_page::name(*capability))
        }
        other => code(&format!("{other:?}")),
    }
}

/// When a flag holds: `field`, `field=word`, or `field=` for an empty relation.
pub(super) fn holds(flag: &str) -> String {
    match flag.split_once('=') {
        None => format!("{} is yes", code(flag)),
        Some((path, "")) => format!("{} is empty", code(path)),
        Some((path, word)) => format!("{} is {}", code(path), code(word)),
    }
}

/// An exception to a rule.
pub(super) fn allowance(a: &Allowance) -> String {
    let verb = format!("{:?}", a.verb).to_lowercase();
    let mut out = format!("Exception: {} may {verb}", code(a.who));
    if !a.only.is_empty() {
        let _ = write!(out, " {}", codes(a.only));
    }
    if let Some(days) = a.days {
        let _ = write!(out, " for {days} days after the row was made");
    }
    if !a.when.is_empty() {
        let flags: Vec<_> = a.when.iter().map(|flag| holds(flag)).collect();
        let _ = write!(out, " while {}", flags.join(" or "));
    }
    out.push('.');
    out
}

/// What stands before and after the fields that tables of a set of packages must have.
pub(super) fn package_set(set: &PackageSet) -> (String, String) {
    let rows = match set.list {
        None => "its rows".to_owned(),
        Some(list) => format!("rows of {}", code(list)),
    };
    let (name, kind) = (code(set.name), code(set.kind));
    let before = format!("Packages of kind {kind} carry {rows} as the set {name}, whose tables have ");
    let after = match set.one_of {
        [] => String::new(),
        paths => format!(", and one of {}", codes(paths)),
    };
    (before, after)
}
