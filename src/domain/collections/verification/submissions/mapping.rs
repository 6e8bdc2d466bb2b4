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
                let message =
                    "This must be an object: set, encoding, delimiter, columns, units, signs.";
                return Err(vec![Issue::error("mapping", "wrong-type", message)]);
            }
        };
        let mut fault = |path: String, code: &'static str, message: Sentence| {
            issues.push(Issue::error(format!("mapping.{path}"), code, message));
        };
        for (name, value) in members {
            match (name.as_str(), value) {
                (_, Json::Null) => {}
                ("set", Json::String(set)) => {
                    match registry.package_sets().any(|(_, one)| one.name == set) {
                        true => mapping.set = Some(set.clone()),
                        false => {
                            let sets: Vec<&str> =
                                registry.package_sets().map(|(_, s)| s.name).collect();
                            let message = said!(
                                "There is no set of this name: {list}.",
                                list = sets.join(", ")
                            );
                            fault("set".into(), "no-such-dataset", message);
                        }
                    }
                }
                ("encoding", Json::String(text)) => {
                    match ENCODINGS.contains(&text.to_lowercase().as_str()) {
                        true => mapping.encoding = Some(text.to_lowercase()),
                        false => {
                            let message =
                                said!("Encodings are {list}.", list = ENCODINGS.join(", "));
                            fault("encoding".into(), "not-an-option", message);
                        }
                    }
                }
                ("delimiter", Json::String(text)) => match text.as_bytes() {
                    [sign @ (b';' | b',' | b'\t' | b'|')] => mapping.delimiter = Some(*sign),
                    _ => {
                        let message = "A delimiter is a semicolon, a comma, a tab or a bar.".into();
                        fault("delimiter".into(), "not-an-option", message);
                    }
                },
                ("columns", Json::Object(columns)) if columns.len() <= COLUMNS => {
                    for (title, path) in columns {
                        match path {
                            Json::Null => {
                                mapping.columns.insert(normal(title), None);
                            }
                            Json::String(path) => {
                                mapping.columns.insert(normal(title), Some(path.clone()));
                            }
                            _ => {
                                let message = "A column means the path of a field, or null.".into();
                                fault(format!("columns.{title}"), "wrong-type", message);
                            }
                        }
                    }
                }
                ("units", Json::Object(units)) if units.len() <= COLUMNS => {
                    for (title, unit) in units {
                        match unit {
                            Json::Null => {
                                mapping.units.insert(normal(title), None);
                            }
                            Json::String(unit) if is_unit(unit) => {
                                mapping.units.insert(normal(title), Some(unit.clone()));
                            }
                            _ => {
                                let message =
                                    "This is no unit of a field: a column has one, or null.";
                                fault(format!("units.{title}"), "not-an-option", message.into());
                            }
                        }
                    }
                }
                ("signs", Json::Object(signs)) if signs.len() <= COLUMNS => {
                    for (title, counts) in signs {
                        match counts {
                            Json::Null => {}
                            Json::Bool(counts) => {
                                mapping.signs.insert(normal(title), *counts);
                            }
                            _ => {
                                let message =
                                    "Numbers behind signs count, or they do not: true or false."
                                        .into();
                                fault(format!("signs.{title}"), "wrong-type", message);
                            }
                        }
                    }
                }
                ("units" | "signs", _) => {
                    let message = said!(
                        "This must be an object of at most {limit} headers.",
                        limit = COLUMNS
                    );
                    fault(name.clone(), "wrong-type", message);
                }
                ("set" | "encoding" | "delimiter", _) => {
                    fault(name.clone(), "wrong-type", "This must be text.".into());
                }
                ("columns", _) => {
                    let message = said!(
                        "This must be an object of at most {limit} headers with paths.",
                        limit = COLUMNS
                    );
                    fault(name.clone(), "wrong-type", message);
                }
                // Older clients name columns beside each other.
                (title, Json::String(path)) if is_field(registry, None, path) => {
                    mapping.columns.insert(normal(title), Some(path.clone()));
                }
                // What else they stored here says nothing.
                _ => {}
            }
        }
        // A path is one of the stated set, or of any set where none is stated.
        for (title, path) in &mapping.columns {
            let Some(path) = path else { continue };
            if !is_field(registry, mapping.set.as_deref(), path) {
                let message = said!("No set has the field {path}.", path = path);
                issues.push(Issue::error(
                    format!("mapping.columns.{title}"),
                    "no-such-field",
                    message,
                ));
            }
        }
        match issues.is_empty() {
            true => Ok(mapping),
            false => Err(issues),
        }
    }
}

/// Whether a set, or any where none is named, has a field.
pub(crate) fn is_field(registry: &Registry, set: Option<&str>, path: &str) -> bool {
    let mut sets = registry
        .package_sets()
        .filter(|(_, one)| set.is_none_or(|set| set == one.name));
    sets.any(|(c, one)| {
        one.heading(c, path)
            .is_some_and(|(of_heading, _)| of_heading == path)
    })
}
