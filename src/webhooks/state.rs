//! The state of webhooks, for those who operate the exchange.

use super::outbox::Outbox;
use model::error::Result;
use model::registry::Registry;
use model::registry::notify::{
    CHANGED_AT, DATASET, DELIVERED, DELIVERED_AT, DISABLED_REASON, ENABLED, FAILURES, HOST, ORGANIZATION, PENDING,
};
use store::{QueueLength, Sql, Store, Ty};

/// Registrations that are read to count waiting ones.
const COUNTED: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookState {
    pub id: i64,
    /// The organisation whose location the webhook is for; none: all locations.
    pub organization: Option<i64>,
    pub dataset: String,
    /// Name or address of the receiver's host.
    pub host: String,
    /// Whether the webhook is switched on.
    pub enabled: bool,
    /// Why it was switched off.
    pub reason: Option<String>,
    /// Failed attempts since the last success.
    pub failures: i64,
    /// Whether a change waits to be sent.
    pub waits: bool,
    /// Time of the last successful delivery, epoch milliseconds.
    pub delivered_at: Option<i64>,
}

/// Number of webhooks with waiting changes, and since when the oldest waits.
pub async fn waiting(registry: &'static Registry, store: &Store) -> Result<QueueLength> {
    let Some(outbox) = Outbox::of(registry) else {
        return Ok(QueueLength::default());
    };
    let [pending, delivered, changed] = [PENDING, DELIVERED, CHANGED_AT].map(|path| outbox.column(path));
    let mut sql = Sql::new("SELECT count(*), min(w.c) FROM (SELECT ");
    sql.name(pending).push(" AS p, ").name(delivered);
    sql.push(" AS d, ").name(changed).push(" AS c FROM ");
    sql.name(outbox.table()).push(" WHERE ");
    sql.name(outbox.column(ENABLED)).push(" = ");
    sql.bind(Ty::Bool, true).push(" ORDER BY \"id\" LIMIT ");
    sql.bind(Ty::Int, COUNTED).push(") AS w WHERE w.p > w.d");
    let rows = store.rows(sql).await?;
    let row = rows.first();
    Ok(QueueLength { depth: row.and_then(|r| r.int(0)).unwrap_or_default(), oldest: row.and_then(|r| r.int(1)) })
}

/// Some webhooks, those with the most failures first.
pub async fn states(registry: &'static Registry, store: &Store, limit: i64) -> Result<Vec<WebhookState>> {
    let Some(outbox) = Outbox::of(registry) else {
        return Ok(Vec::new());
    };
    let mut sql = outbox.select(&[
        "id",
        ORGANIZATION,
        DATASET,
        HOST,
        ENABLED,
        DISABLED_REASON,
        FAILURES,
        PENDING,
        DELIVERED,
        DELIVERED_AT,
    ]);
    sql.push(" ORDER BY ").name(outbox.column(FAILURES));
    sql.push(" DESC, \"id\" LIMIT ");
    let rows = store.rows(sql.with(Ty::Int, limit)).await?;
    let read = rows.iter().map(|row| WebhookState {
        id: row.int(0).unwrap_or_default(),
        organization: row.int(1),
        dataset: row.text(2).unwrap_or_default().to_owned(),
        host: row.text(3).unwrap_or_default().to_owned(),
        enabled: row.truth(4).unwrap_or_default(),
        reason: row.text(5).map(str::to_owned),
        failures: row.int(6).unwrap_or_default(),
        waits: row.int(7) > row.int(8),
        delivered_at: row.time(9),
    });
    Ok(read.collect())
}
