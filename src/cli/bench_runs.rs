//! How long works over the whole book took, as rows of `bench-runs` (docs/performance.md).

use model::error::Result;
use model::record::Value;
use model::registry::{Command, HookContext};
use ops::Book;
use serde_json::json;
use std::time::Duration;
use store::{Dialect, Sql};

/// Notes that a work over `rows` rows of a kind took so long. A measurement that cannot be stored undoes no work.
pub(super) async fn measured(book: &Book, label: &'static str, (kind, rows): (&'static str, u64), time: Duration) {
    if let Err(error) = store(book, label, (kind, rows), time).await {
        tracing::warn!(%error, label, "a measurement could not be stored");
    }
}

async fn store(book: &Book, label: &'static str, (kind, rows): (&'static str, u64), time: Duration) -> Result<()> {
    let count = book.store.rows(Sql::new("SELECT count(*) FROM animals"));
    let animals = count.await?.first().and_then(|row| row.int(0)).unwrap_or_default();
    let database = match book.store.dialect() {
        Dialect::Sqlite => "SQLite",
        Dialect::Postgres => "PostgreSQL",
    };
    let server = json!({
        "database": database,
        "release": env!("CARGO_PKG_VERSION"),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
    });
    let seconds = time.as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "rows are fewer than 2^53")]
    let rate = (seconds > 0.0).then(|| (rows as f64 / seconds * 10.0).round() / 10.0);
    let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let result = json!([{"case": label, "ms": ms, kind: rows, "perSecond": rate}]);
    book.transact(move |work| {
        Box::pin(async move {
            let fields = [
                ("label", Value::from(label)),
                ("measuredAt", Value::Time(work.tx().now())),
                ("animals", Value::Int(animals)),
                ("runs", Value::Int(1)),
                ("server", Value::json(server)),
                ("rows", Value::json(result)),
            ];
            let fields = fields.map(|(path, value)| (path.to_owned(), value));
            let row = vec![Command::Create(fields.to_vec())];
            HookContext::write(work, "bench-runs", row).await.map(drop)
        })
    })
    .await
}
