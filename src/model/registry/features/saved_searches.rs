//! Fields of saved searches of lists, which pages offer beside them.

/// The collection whose list it is.
pub const LIST: &str = "list";
/// What the search is called.
pub const NAME: &str = "name";
/// The query of the page of the list.
pub const QUERY: &str = "query";
/// The rows of a set, which is no search.
pub const MEMBERS: &str = "members";
/// The condition on the rows of a set that has no such list.
pub const CONDITION: &str = "where";
/// Whether it is a set that the exchange offers, perhaps without rows.
pub const OFFERED: &str = "adeSet";
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
