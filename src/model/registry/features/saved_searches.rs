//! Fields of saved searches of lists, which pages offer beside them.

/// The collection whose list it is.
pub const LIST: &str = "list";
/// What the search is called.
pub const NAME: &str = "name";
/// The query of the page of the list.
pub const QUERY: &str = "query";
/// The rows of a set, which is no search.
pub const MEMBERS: &str = "members";
/// Whether it searches all rows or those of the own organisation.
pub const PLACE: &str = "place";
/// Its word for all rows.
pub const WHOLE: &str = "book";
/// Its word for those of the own organisation.
pub const OWN: &str = "herd";
/// Who reads it.
pub const SCOPE: &str = "scope";
/// Who saved it.
pub const AUTHOR: &str = "author";
