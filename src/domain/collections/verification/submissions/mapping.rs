//! What the sender of a package states of its file (`mapping`): set, encoding, delimiter, what columns mean, and in
//! which unit they are. What is left out is guessed (docs/packages.md, *Mapping*).

use model::error::Issue;
use model::messages::Sentence;
use model::registry::{Registry, is_unit, normal};
use model::said;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Encodings that may be stated.
const ENCODINGS: [&str; 2] = ["utf-8", "windows-1251"];
/// Columns that may be stated.
const COLUMNS: usize = 512;

/// Takes a fault: its path below `mapping`, its code, and what is wrong.
type Fault<'f> = dyn FnMut(String, &'static str, Sentence) + 'f;

/// A mapping that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Name of the set.
    pub set: Option<String>,
    /// `utf-8` or `windows-1251`.
    pub encoding: Option<String>,
    /// Delimiter of a text file.
    pub delimiter: Option<u8>,
    /// By normalised header: the path that the column means; none: it is left out.
    pub columns: BTreeMap<String, Option<String>>,
    /// By normalised header: the unit of the column; none: that of its field.
    pub units: BTreeMap<String, Option<String>>,
    /// By normalised header: whether a number behind a sign (`<10`) counts as it is.
    pub signs: BTreeMap<String, bool>,
}

impl Mapping {
    /// Reads one, with all its faults, each with its path below `mapping`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(registry: &Registry, json: Option<&Json>) -> Result<Self, Vec<Issue>> {
        let (mut mapping, mut issues) = (Self::default(), Vec::new());
        let members = match json {
            None | Some(Json::Null) => return Ok(mapping),
            Some(Json::Object(members)) => members,
            Some(_) => {
                let message = "This must be an object: set, encoding, delimiter, columns, units, signs.";
                return Err(vec![Issue::error("mapping", "wrong-type", message)]);
            }
        };
        let mut fault = |path: String, code: &'static str, message: Sentence| {
            issues.push(Issue::error(format!("mapping.{path}"), code, message));
        };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            mapping.take(registry, (name.as_str(), value), &mut fault);
        }
        // A path is one of the stated set, or of any set where none is stated.
        for (title, path) in &mapping.columns {
            let Some(path) = path else { continue };
            if !is_field(registry, mapping.set.as_deref(), path) {
                let message = said!("No set has the field {path}.", path = path);
                issues.push(Issue::error(format!("mapping.columns.{title}"), "no-such-field", message));
            }
        }
        match issues.is_empty() {
            true => Ok(mapping),
            false => Err(issues),
        }
    }

    /// Takes a member.
    fn take(&mut self, registry: &Registry, (name, value): (&str, &Json), fault: &mut Fault<'_>) {
        match (name, value) {
            ("set", Json::String(set)) => {
                if registry.package_sets().any(|(_, one)| one.name == set) {
                    self.set = Some(set.clone());
                    return;
                }
                let sets: Vec<&str> = registry.package_sets().map(|(_, s)| s.name).collect();
                let list = sets.join(", ");
                let message = said!("There is no set of this name: {list}.", list = list);
                fault("set".into(), "no-such-dataset", message);
            }
            ("encoding", Json::String(text)) => {
                let text = text.to_lowercase();
                if ENCODINGS.contains(&text.as_str()) {
                    self.encoding = Some(text);
                    return;
                }
                let message = said!("Encodings are {list}.", list = ENCODINGS.join(", "));
                fault("encoding".into(), "not-an-option", message);
            }
            ("delimiter", Json::String(text)) => match text.as_bytes() {
                [sign @ (b';' | b',' | b'\t' | b'|')] => self.delimiter = Some(*sign),
                _ => {
                    let message = "A delimiter is a semicolon, a comma, a tab or a bar.".into();
                    fault("delimiter".into(), "not-an-option", message);
                }
            },
            ("columns" | "units" | "signs", Json::Object(headers)) if headers.len() <= COLUMNS => {
                for (title, value) in headers {
                    if let Err((code, message)) = self.take_header(name, title, value) {
                        fault(format!("{name}.{title}"), code, message.into());
                    }
                }
            }
            ("units" | "signs", _) => {
                let message = said!("This must be an object of at most {limit} headers.", limit = COLUMNS);
                fault(name.to_owned(), "wrong-type", message);
            }
            ("set" | "encoding" | "delimiter", _) => {
                fault(name.to_owned(), "wrong-type", "This must be text.".into());
            }
            ("columns", _) => {
                let message = said!("This must be an object of at most {limit} headers with paths.", limit = COLUMNS);
                fault(name.to_owned(), "wrong-type", message);
            }
            // Older clients name columns beside each other.
            (title, Json::String(path)) if is_field(registry, None, path) => {
                self.columns.insert(normal(title), Some(path.clone()));
            }
            // What else they stored here says nothing.
            _ => {}
        }
    }

    /// Takes what is said of a column; code and message where it cannot be said.
    fn take_header(&mut self, member: &str, title: &str, value: &Json) -> Result<(), (&'static str, &'static str)> {
        let text = value.as_str().map(str::to_owned);
        let is_text = value.is_null() || text.is_some();
        let title = normal(title);
        match (member, value) {
            ("columns", _) if is_text => {
                self.columns.insert(title, text);
            }
            ("units", _) if is_text && text.as_deref().is_none_or(is_unit) => {
                self.units.insert(title, text);
            }
            ("signs", Json::Bool(counts)) => {
                self.signs.insert(title, *counts);
            }
            ("signs", Json::Null) => {}
            ("columns", _) => {
                let message = "A column means the path of a field, or null.";
                return Err(("wrong-type", message));
            }
            ("units", _) => {
                let message = "This is no unit of a field: a column has one, or null.";
                return Err(("not-an-option", message));
            }
            _ => {
                let message = "Numbers behind signs count, or they do not: true or false.";
                return Err(("wrong-type", message));
            }
        }
        Ok(())
    }
}

/// Whether a set, or any where none is named, has a field.
pub(crate) fn is_field(registry: &Registry, set: Option<&str>, path: &str) -> bool {
    let mut sets = registry.package_sets().filter(|(_, one)| set.is_none_or(|set| set == one.name));
    sets.any(|(c, one)| one.heading(c, path).is_some_and(|(of_heading, _)| of_heading == path))
}
