//! Names of collections, fields and values for people.

use model::messages::Language;

/// One record.
pub(crate) fn collection(_language: Language, slug: &str) -> String {
    human(slug.trim_end_matches('s'))
}
/// Many records.
pub(crate) fn collections(_language: Language, slug: &str) -> String {
    human(slug)
}
/// A field.
pub(crate) fn field(_language: Language, _slug: &str, path: &str) -> String {
    human(path.rsplit('.').next().unwrap_or(path))
}
/// A value of a select.
pub(crate) fn option(_language: Language, _slug: &str, _path: &str, option: &str) -> String {
    human(option)
}
/// What may be asked of a record.
pub(crate) fn action(_language: Language, _slug: &str, action: &str) -> String {
    human(action)
}
fn human(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        match c {
            '-' => out.push(' '),
            c if c.is_ascii_uppercase() => {
                out.push(' ');
                out.push(c.to_ascii_lowercase());
            }
            c => out.push(c),
        }
    }
    let mut chars = out.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
