//! What a table is of, by its columns, where its name does not say it.

use model::registry::{Registry, ScoredSet, is_sure};
use sheets::{Book, Limits, Options, Table};
use std::path::Path;

/// Limits of files that the operator of the server reads: an upload has less.
pub(super) fn options() -> Options {
    Options {
        limits: Limits {
            file_bytes: 4 << 30,
            unpacked_bytes: 64 << 30,
            rows: 1 << 20,
            ..Limits::default()
        },
        ..Options::default()
    }
}

/// The collection whose rows a table surely has, by its columns.
pub(super) fn recognised(registry: &'static Registry, path: &Path) -> Option<&'static str> {
    let book = Book::open(path.to_owned(), &options()).ok()?;
    let means = |head: &str| {
        let mut sets = registry.package_sets();
        sets.any(|(c, set)| set.heading(c, head).is_some())
    };
    let header = Table::find(book.rows(0).ok()?, means).ok()?.header?;
    let heads: Vec<String> = header.cells.iter().map(sheets::Cell::shown).collect();
    let sets = registry.sets_of(&heads);
    // Rows of lists, and of one kind, are not all of a file of the collection.
    let whole =
        |best: &&ScoredSet<'_>| best.set.list.is_none() && !best.set.is_one_kind(best.collection);
    let best = sets.first().filter(whole)?;
    is_sure(&sets).then_some(best.collection.slug)
}
