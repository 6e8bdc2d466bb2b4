//! Every error type of the service: the names of refusals and remarks, for programs. One table,
//! from which pages are printed and the status on the ADE face is taken. A test over the
//! sources keeps it complete.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

const TABLE: &str = include_str!("types.txt");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorType {
    /// Its name: kebab-case, stable.
    pub name: &'static str,
    /// Of a code its statuses; of a type the codes that it comes under on the ADE face, or
    /// why it comes under none.
    pub under: &'static str,
    pub meaning: &'static str,
    /// What leads to it.
    pub cause: &'static str,
    /// What a sender does about it.
    pub remedy: &'static str,
}

/// A part of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorTypes {
    /// What they are.
    pub title: &'static str,
    /// What is said of them all.
    pub about: &'static str,
    /// In the order of the table.
    pub types: Vec<ErrorType>,
}

/// The whole table: codes of the ADE face, finer types of the exchange, remarks, and types
/// of the herd book.
pub fn error_types() -> &'static [ErrorTypes] {
    static ALL: OnceLock<Vec<ErrorTypes>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut parts: Vec<ErrorTypes> = Vec::new();
        for line in TABLE.lines() {
            if let Some(title) = line.strip_prefix("# ") {
                let (title, about) = title.split_once(": ").unwrap_or((title, ""));
                let types = Vec::new();
                parts.push(ErrorTypes { title, about, types });
            } else if let (Some(part), Some(one)) = (parts.last_mut(), read(line)) {
                part.types.push(one);
            }
        }
        parts
    })
}

/// The type of a name; those of the exchange go before those of the herd book.
pub fn error_type(name: &str) -> Option<&'static ErrorType> {
    static ALL: OnceLock<BTreeMap<&str, &ErrorType>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let types = error_types().iter().flat_map(|part| &part.types);
        types.map(|one| (one.name, one)).collect()
    });
    all.get(name).copied()
}

/// The codes, as `docs/errors.md` has them.
pub fn error_codes() -> String {
    tables(error_types().iter().take(1))
}

/// The types below the codes, as a page of the printed reference (`docs/model`).
pub fn error_reference() -> String {
    let about = "The members of an error, and the codes: [errors](errors.md).";
    let types = tables(error_types().iter().skip(1));
    format!("# Types of errors\n\n{about}\n{types}").replace("](", "](../")
}

fn tables(parts: impl Iterator<Item = &'static ErrorTypes>) -> String {
    let mut out = String::new();
    for part in parts {
        let first = if part.title == "Codes" { ["Code", "Status"] } else { ["Type", "Under"] };
        let about = match part.about {
            "" => String::new(),
            about => {
                let mut letters = about.chars();
                let first = letters.next().map(|c| c.to_uppercase().to_string());
                format!("{}{}\n\n", first.unwrap_or_default(), letters.as_str())
            }
        };
        // Writing into a String cannot fail.
        let _ = write!(
            out,
            "\n## {}\n\n{about}| {} | {} | Meaning | Cause | What to do |\n|---|---|---|---|---|\n",
            part.title, first[0], first[1]
        );
        for one in &part.types {
            let cells = [one.under, one.meaning, one.cause, one.remedy].join(" | ");
            let _ = writeln!(out, "| `{}` | {cells} |", one.name);
        }
    }
    out
}

fn read(line: &'static str) -> Option<ErrorType> {
    let mut cells = line.split(" | ");
    let mut next = || cells.next();
    Some(ErrorType { name: next()?, under: next()?, meaning: next()?, cause: next()?, remedy: next()? })
}

#[cfg(test)]
mod tests {
    use super::{TABLE, error_type, error_types};
    use std::collections::BTreeSet;

    #[test]
    fn every_line_is_a_type_and_every_name_stands_once() {
        let all: Vec<_> = error_types().iter().flat_map(|part| &part.types).collect();
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), all.len());
        let names: BTreeSet<_> = all.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), all.len());
        for one in all {
            let plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(one.name.chars().all(plain), "{}", one.name);
            let cells = [one.under, one.meaning, one.cause, one.remedy];
            assert!(cells.iter().all(|cell| !cell.trim().is_empty()), "{}", one.name);
        }
        assert_eq!(error_type("not-unique").map(|one| one.under), Some("conflict"));
    }
}
