//! The identifier schemes that the mappings write, and where the book lists their values:
//! what the standard's `schemata` addresses show. Nothing is declared for it.

use crate::compile::Compiler;
use crate::compile::file::File;
use crate::path::{Root, Scope};
use ade::schema::{PathKind, Standard};
use std::collections::BTreeMap;

/// A collection and the field of it that lists ids.
type Values = Option<(String, String)>;

/// A scheme of identifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedScheme {
    /// What it identifies, in the plural as the standard's examples write it: `breeds`.
    pub kind: String,
    pub name: String,
    /// The collection that lists its ids, and the field that holds them; none for schemes
    /// without a list, such as the numbers of animals.
    pub values: Values,
}

impl<'r> Compiler<'r> {
    /// All schemes, by kind and name.
    pub(crate) fn schemes(&self) -> Vec<ListedScheme> {
        let mut all: BTreeMap<(String, String), Values> = BTreeMap::new();
        let mut add = |kind: String, name: &str, values: Values| {
            let current = all.entry((kind, name.to_owned())).or_default();
            *current = current.take().or(values);
        };
        for name in self.identifiers.names() {
            add("animals".to_owned(), name, None);
        }
        add("locations".to_owned(), &self.identifiers.location, None);
        for file in self.files.values() {
            for (kind, name, values) in self.named_in(file) {
                add(kind, &name, values);
            }
        }
        (all.into_iter()).map(|((kind, name), values)| ListedScheme { kind, name, values }).collect()
    }

    /// Schemes of a file: kind, name, list.
    fn named_in(&self, file: &File) -> Vec<(String, String, Values)> {
        let Some(collection) = self.registry.get(&file.head.collection) else {
            return Vec::new();
        };
        let scope = Scope { registry: self.registry, collection, spread: file.spread(), rows: None };
        let mut schemes = Vec::new();
        for (_, entry) in &file.entries {
            let scheme = entry.how.as_deref().and_then(|how| how.strip_prefix("id:"));
            let Some(scheme) = scheme else { continue };
            let path = entry.ade.split('[').next().unwrap_or_default();
            let info = Standard::get().resolve_path(&file.head.resource, path);
            let Some(PathKind::Object(kind)) = info.map(|info| info.kind) else {
                continue;
            };
            let sources = entry.field.list();
            let values = sources.iter().find_map(|path| {
                let source = scope.source(path)?;
                let step = source.steps.last().filter(|s| source.root == Root::Row && !s.reverse)?;
                Some((step.target.clone(), source.last.clone()))
            });
            if let Some(kind) = plural(kind) {
                schemes.push((kind, scheme.replace("{p}", self.prefix), values));
            }
        }
        schemes
    }
}

/// `coat-colors` of `icarCoatColorIdentifierType`; none for identifiers of anything.
fn plural(kind: &str) -> Option<String> {
    let bare = kind.strip_prefix("icar")?.strip_suffix("Type")?;
    let bare = (bare.strip_suffix("Identifier")).or_else(|| bare.strip_suffix("Id"))?;
    let mut words = String::new();
    for letter in bare.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.push(letter.to_ascii_lowercase());
    }
    match words.strip_suffix("is") {
        _ if words.is_empty() => None,
        Some(stem) => Some(format!("{stem}es")),
        None => Some(format!("{words}s")),
    }
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn kinds_are_plurals_of_the_standards_types() {
        let kind = |name| plural(name).unwrap_or_default();
        assert_eq!(kind("icarBreedIdentifierType"), "breeds");
        assert_eq!(kind("icarCoatColorIdentifierType"), "coat-colors");
        assert_eq!(kind("icarDiagnosisIdentifierType"), "diagnoses");
        assert_eq!(kind("icarIdentifierType"), "");
    }
}
