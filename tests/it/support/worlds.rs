//! Books that are filled once and copied for each test.

use store::Dialect;
use test_books::Template;
use tokio::sync::OnceCell;

/// A book that was filled once, by the first test that needed it, with further facts for its tests.
pub(crate) struct Filled<T> {
    pub(crate) template: Template,
    pub(crate) known: T,
}

/// The same world on each database, filled when it is first requested.
pub(crate) struct Worlds<T>([OnceCell<Filled<T>>; 2]);

impl<T> Worlds<T> {
    pub(crate) const fn new() -> Self {
        Self([OnceCell::const_new(), OnceCell::const_new()])
    }

    /// Made by `fill` from an empty book; none where the database is not there.
    pub(crate) async fn on(
        &self,
        dialect: Dialect,
        fill: impl AsyncFnOnce(&'static Template) -> Filled<T>,
    ) -> Option<&Filled<T>> {
        let empty = Template::empty(dialect).await?;
        let [sqlite, postgres] = &self.0;
        let cell = match dialect {
            Dialect::Sqlite => sqlite,
            Dialect::Postgres => postgres,
        };
        Some(cell.get_or_init(async || fill(empty).await).await)
    }
}
