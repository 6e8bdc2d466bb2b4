//! How a record is called among others of its name.

use crate::components::shell::Shell;
use model::display::{DisplayField, at};
use model::registry::Collection;
use serde_json::Value;

/// What a record is called, and what tells it from others.
pub(super) fn told_apart(shell: &Shell<'_>, c: &'static Collection, doc: &Value) -> String {
    let (registry, language) = (shell.pages.site.registry, shell.language());
    let paths = c.ui.roster.map_or(&[][..], |roster| roster.apart);
    let names = c.title().names;
    let facts = paths.iter().filter(|path| !names.contains(*path)).filter_map(|path| c.field(path));
    let facts = facts.map(|field| DisplayField::of(c, field).text(registry, language, at(doc, &field.path)));
    let facts = std::iter::once(shell.title(c, doc)).chain(facts).filter(|text| !text.is_empty());
    facts.collect::<Vec<_>>().join(" · ")
}
