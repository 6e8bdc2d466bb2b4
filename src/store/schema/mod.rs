//! The schema of the book as data: what the registry demands ([`expected`]), what a database has ([`live`]), the
//! difference as statements ([`diff`]), and both as text to be reviewed ([`print()`], [`migration_text`]). It knows no
//! rows and changes nothing by itself: migrations are files that people read before they run.
//!
//! Ids are handed out by the application (table `book_ids`), hence no identity columns. Foreign keys of PostgreSQL are
//! deferrable, so that a fill may write rows before those they point to (`SET CONSTRAINTS ALL DEFERRED`); SQLite has
//! `PRAGMA defer_foreign_keys` for all of its own.

mod compare;
mod ddl;
mod diff;
mod draft;
mod expected;
mod fixed;
mod live;
mod name;
mod print;
mod row_counts;
mod trigram;

pub use compare::{differences, refuse_missing};
pub use diff::{Statement, as_far, diff};
pub use expected::expected;
pub use live::live;
pub use name::{index_name, unique_name};
pub use print::{migration_text, print};
pub use row_counts::ROW_COUNTS;
pub use trigram::trigram_indexes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// Columns in order; the order is not compared.
    pub columns: Vec<Column>,
    /// Columns of the primary key, in order.
    pub primary_key: Vec<String>,
    /// References to other tables.
    pub foreign_keys: Vec<ForeignKey>,
    /// Indexes besides that of the primary key.
    pub indexes: Vec<Index>,
    /// Statement that fills a new table; not compared.
    pub initial: Option<&'static str>,
    /// Triggers, compared by name.
    pub triggers: Vec<Trigger>,
    /// Statements that make anew what the triggers keep; not compared.
    pub recount: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    pub name: String,
    /// The statements that make it; none of one that was found.
    pub sql: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// Type in the words of [`Dialect::column_type`](super::Dialect::column_type).
    pub ty: String,
    /// Whether it refuses NULL; true of a primary key.
    pub not_null: bool,
}

/// A reference to the `id` of another table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// Name of the constraint (PostgreSQL), at most 63 characters; not compared.
    pub name: String,
    pub column: String,
    pub target: String,
    /// What happens to the row when the row that it refers to is deleted.
    pub on_delete: OnDelete,
}

impl ForeignKey {
    /// Whether both describe the same constraint; names are not compared, since SQLite does not report them.
    pub fn same(&self, other: &Self) -> bool {
        (&self.column, &self.target, &self.on_delete) == (&other.column, &other.target, &other.on_delete)
    }
}

/// What the deletion of a row does to those that refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnDelete {
    /// It is refused at the end of the statement.
    NoAction,
    /// They lose the reference.
    SetNull,
    /// They go too.
    Cascade,
    /// Something that no declaration asks for, in the database's words.
    Other(String),
}

impl OnDelete {
    /// The action as DDL writes it.
    pub fn words(&self) -> &str {
        match self {
            Self::NoAction => "NO ACTION",
            Self::SetNull => "SET NULL",
            Self::Cascade => "CASCADE",
            Self::Other(words) => words,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name, at most 63 characters.
    pub name: String,
    /// Columns in order. What no declaration asks for (an expression, a falling column, a
    /// condition) stands here in brackets and so equals no declared index.
    pub columns: Vec<String>,
    /// Whether the index is unique; keys with an empty part do not count.
    pub unique: bool,
    /// Whether the index holds only rows whose column is not empty; empty ones then cost no write.
    pub filled: bool,
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }
}
