//! The fields of sets of rows as choices by their names: what a column of a file means.

use crate::components::shell::Shell;
use model::display::{self, at};
use model::messages::labels;
use model::registry::{Collection, Field, PackageSet};
use serde_json::Value;

/// Where a document has what the API proposes for a field of it.
pub(crate) const PROPOSED: &str = "_proposed";

/// Choices under one heading: paths with their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) choices: Vec<(String, String)>,
}

/// The choices of a field that is a path in the set which the document names: what is proposed, then all of the set; of
/// all sets where the document names none. Nothing for other fields.
pub(crate) fn groups(shell: &Shell<'_>, field: &Field, doc: &Value) -> Vec<Group> {
    let Some(name) = field.named_set() else {
        return Vec::new();
    };
    let name = at(doc, name).as_str().filter(|name| !name.is_empty());
    let text = |one: &Value, member: &str| at(one, member).as_str().unwrap_or_default().to_owned();
    let proposed = at(doc, PROPOSED).as_array().into_iter().flatten();
    let proposed: Vec<(String, String)> = proposed.map(|one| (text(one, "path"), text(one, "label"))).collect();
    let proposed = Group { name: shell.text("page-proposed"), choices: proposed };
    let of_sets = sets(shell, name);
    let all = std::iter::once(proposed).chain(of_sets);
    all.filter(|group| !group.choices.is_empty()).collect()
}

/// The fields of a set, or of each set where none is named.
pub(crate) fn sets(shell: &Shell<'_>, name: Option<&str>) -> Vec<Group> {
    let (registry, language) = (shell.pages.site.registry, shell.language());
    let sets = registry.package_sets();
    let sets = sets.filter(|(_, set)| name.is_none_or(|name| name == set.name));
    let group = |(c, set): (&Collection, &PackageSet)| Group {
        name: display::set(registry, language, set.name).unwrap_or_default(),
        choices: (set.paths(c).into_iter())
            .map(|path| {
                let label = labels::field(language, c.slug, &path);
                (path, label)
            })
            .collect(),
    };
    sets.map(group).collect()
}
