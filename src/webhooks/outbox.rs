//! The rows of the registrations as an outbox: a message is leased, sent and settled, each in a
//! transaction of its own. These changes of a webhook's row move neither its date of change nor
//! its place in commit order, since no user made them.

use super::http_request::Report;
use super::job::Job;
use super::message::Message;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::notify::{
    AGAIN, CHANGED_AT, CREATED_BY, DATASET, DELIVERED, DELIVERED_AT, DISABLED_AT, DISABLED_REASON, DUE, ENABLED,
    FAILING_SINCE, FAILURES, FORMER, HOST, LEASED, LOGGED, ORGANIZATION, PENDING, PINGED, PINGS, ROTATED_AT, SECRET,
    URL, WORKER,
};
use model::registry::{BookReader, Collection, Feature, HookContext, Operation, Registry};
use ops::{Book, WriteTransaction};
use secure::keys::Purpose;
use std::collections::BTreeMap;
use store::{Bind, Row, Sql, Store, Tx, Ty};

/// Number of rows that are examined for one claim.
const LOOKED_AT: i64 = 500;
/// Registrations that one statement reads.
const PAGE: i64 = 5_000;
/// Number of places that one statement records.
const NOTED: usize = 100;
/// Name of the stored place up to which changes were scanned.
const SCANNED: &str = "webhooks";

#[derive(Debug, Clone)]
pub(super) struct AttemptRecord {
    pub(super) due: i64,
    pub(super) failures: i64,
    pub(super) failing_since: i64,
    /// Switched off, and why.
    pub(super) disabled: Option<&'static str>,
    /// The former key is not needed any more.
    pub(super) forget: bool,
}

#[derive(Debug, Clone)]
pub(super) struct RegistrationState {
    pub(super) id: i64,
    pub(super) organization: Option<i64>,
    pub(super) dataset: String,
    pub(super) pending: i64,
    pub(super) delivered: i64,
    pub(super) resend_mark: i64,
    /// Its own place in commit order.
    pub(super) seq: i64,
}

/// The collections of webhooks and of their deliveries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outbox {
    c: &'static Collection,
    log: &'static Collection,
}

impl Outbox {
    pub(super) fn of(registry: &'static Registry) -> Option<Self> {
        let c = registry.with_feature(Feature::Webhooks)?;
        let log = registry.with_feature(Feature::WebhookDeliveries)?;
        Some(Self { c, log })
    }

    pub(super) fn table(&self) -> &'static str {
        &self.c.table
    }

    pub(super) fn column(&self, path: &str) -> &'static str {
        self.c.field(path).map_or("id", |f| f.column.as_str())
    }

    pub(super) fn select(&self, paths: &[&str]) -> Sql {
        let mut sql = Sql::new("SELECT ");
        sql.each(", ", paths, |sql, path| sql.name(self.column(path))).push(" FROM ").name(&self.c.table);
        sql
    }

    /// `UPDATE … SET a = …, b = …`
    fn update(&self, fields: &[(&str, Bind)]) -> Sql {
        let mut sql = Sql::new("UPDATE ");
        sql.name(&self.c.table).push(" SET ");
        sql.each(", ", fields, |sql, (path, bind)| {
            sql.name(self.column(path)).push(" = ").bind(bind.ty, bind.value.clone())
        });
        sql
    }

    pub(super) async fn registrations(&self, store: &Store) -> Result<Vec<RegistrationState>> {
        let paths = ["id", ORGANIZATION, DATASET, PENDING, DELIVERED, AGAIN, "seq"];
        let mut all: Vec<RegistrationState> = Vec::new();
        loop {
            let mut sql = self.select(&paths);
            sql.push(" WHERE ").name(self.column(ENABLED)).push(" = ");
            sql.bind(Ty::Bool, true).push(" AND \"id\" > ");
            sql.bind(Ty::Int, all.last().map_or(0, |last| last.id));
            sql.push(" ORDER BY \"id\" LIMIT ").bind(Ty::Int, PAGE);
            let rows = store.rows(sql).await?;
            let full = i64::try_from(rows.len()).unwrap_or(PAGE) >= PAGE;
            all.extend(rows.iter().map(|row| RegistrationState {
                id: row.int(0).unwrap_or_default(),
                organization: row.int(1),
                dataset: row.text(2).unwrap_or_default().to_owned(),
                pending: row.int(3).unwrap_or_default(),
                delivered: row.int(4).unwrap_or_default(),
                resend_mark: row.int(5).unwrap_or_default(),
                seq: row.int(6).unwrap_or_default(),
            }));
            if !full {
                return Ok(all);
            }
        }
    }

    /// The place up to which changes were scanned, as an earlier process stored it.
    pub(super) async fn scanned(store: &Store) -> Result<Option<i64>> {
        let sql = Sql::new("SELECT value FROM exchange_state WHERE name = ").with(Ty::Text, SCANNED);
        let rows = store.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.text(0)?.parse().ok()))
    }

    /// Notes the new places of webhooks (`news`), which webhooks were scanned again after they
    /// were switched on (`resends`), and up to where changes were scanned, in one transaction.
    pub(super) async fn note(
        &self,
        store: &Store,
        news: Vec<(i64, i64)>,
        resends: Vec<(i64, i64)>,
        scanned: i64,
    ) -> Result<()> {
        let this = *self;
        let noted = store.write(move |tx| {
            Box::pin(async move {
                for news in news.chunks(NOTED) {
                    let sql = this.raised(news, tx.now());
                    tx.run(sql).await?;
                }
                for (id, mark) in resends {
                    let mut sql = this.update(&[(AGAIN, int(0))]);
                    sql.push(" WHERE \"id\" = ").bind(Ty::Int, id);
                    sql.push(" AND ").name(this.column(AGAIN)).push(" = ");
                    tx.run(sql.with(Ty::Int, mark)).await?;
                }
                keep_place(tx, scanned).await
            })
        });
        noted.await
    }

    /// Raises the recorded places of some; none is ever lowered.
    fn raised(&self, news: &[(i64, i64)], now: i64) -> Sql {
        let pending = self.column(PENDING);
        let mut sql = self.update(&[(CHANGED_AT, int(now))]);
        sql.push(", ").name(pending).push(" = CASE");
        for (id, seq) in news {
            sql.push(" WHEN \"id\" = ").bind(Ty::Int, *id);
            sql.push(" AND ").name(pending).push(" < ");
            sql.bind(Ty::Int, *seq).push(" THEN ").bind(Ty::Int, *seq);
        }
        sql.push(" ELSE ").name(pending).push(" END WHERE \"id\" IN ");
        sql.bind_list(Ty::Int, news.iter().map(|(id, _)| Value::Int(*id)));
        sql.one_off()
    }

    /// Rows that are due and that no process holds, at hosts that are not busy.
    fn due(&self, now: i64, busy: &[Value]) -> Sql {
        let mut sql = self.select(&[
            "id",
            ORGANIZATION,
            DATASET,
            URL,
            HOST,
            CREATED_BY,
            SECRET,
            FORMER,
            ROTATED_AT,
            PENDING,
            DELIVERED,
            CHANGED_AT,
            DUE,
            FAILURES,
            FAILING_SINCE,
            PINGS,
            PINGED,
        ]);
        sql.push(" WHERE ").name(self.column(ENABLED)).push(" = ");
        sql.bind(Ty::Bool, true).push(" AND ");
        sql.name(self.column(LEASED)).push(" <= ");
        sql.bind(Ty::Int, now).push(" AND (");
        sql.name(self.column(PINGS)).push(" > ");
        sql.name(self.column(PINGED)).push(" OR (");
        sql.name(self.column(PENDING)).push(" > ");
        sql.name(self.column(DELIVERED)).push(" AND ");
        sql.name(self.column(DUE)).push(" <= ").bind(Ty::Int, now);
        sql.push("))");
        if !busy.is_empty() {
            sql.push(" AND NOT (").name(self.column(HOST)).push(" IN ");
            sql.bind_list(Ty::Text, busy.iter().cloned()).push(")");
        }
        sql.push(" ORDER BY ").name(self.column(DUE));
        sql.push(", \"id\" LIMIT ").bind(Ty::Int, LOOKED_AT);
        sql
    }

    /// Leases rows that are due for `lease` milliseconds: a limited number in all and per host,
    /// including those that are under way.
    pub(super) async fn claim(
        &self,
        book: &Book,
        (free, per_host): (usize, usize),
        hosts: &BTreeMap<String, usize>,
        lease: i64,
    ) -> Result<Vec<Job>> {
        let now = book.clock.now();
        let busy = hosts.iter().filter(|(_, count)| **count >= per_host);
        let busy: Vec<Value> = busy.map(|(host, _)| Value::Text(host.clone())).collect();
        // Most looks find nothing, and must not wait for the writer.
        if book.store.rows(self.due(now, &busy)).await?.is_empty() {
            return Ok(Vec::new());
        }
        let this = *self;
        let mut hosts = hosts.clone();
        let worker = uuid::Uuid::new_v4().to_string();
        let claimed = book.store.write(move |tx| {
            Box::pin(async move {
                let mut jobs = Vec::new();
                for row in tx.rows(this.due(now, &busy)).await? {
                    let job = job(&row, &worker);
                    let count = hosts.entry(job.host.clone()).or_default();
                    if jobs.len() < free && *count < per_host {
                        *count += 1;
                        jobs.push(job);
                    }
                }
                let until = now.saturating_add(lease);
                let mut sql = this.update(&[(WORKER, bind(Ty::Text, worker)), (LEASED, int(until))]);
                sql.push(" WHERE \"id\" IN ");
                sql.bind_list(Ty::Int, jobs.iter().map(|job| Value::Int(job.id)));
                tx.run(sql).await?;
                Ok(jobs)
            })
        });
        claimed.await
    }

    /// The keys that sign a message, the present one first.
    pub(super) fn keys(&self, book: &Book, job: &Job, overlap: i64) -> Vec<String> {
        let former = job.former.as_ref();
        let former = former.filter(|_| job.overlaps(book.clock.now(), overlap));
        let disclosed = |closed: &String| {
            let key = book.keys.disclose(Purpose::Webhook, closed).ok()?;
            String::from_utf8(key).ok()
        };
        (job.secret.iter().chain(former)).filter_map(disclosed).collect()
    }

    /// Records an attempt: in the log always, in the row while it is still held.
    pub(super) async fn record_attempt(
        &self,
        book: &Book,
        job: Job,
        message: Message,
        report: Report,
        record: AttemptRecord,
        retention: i64,
    ) -> Result<()> {
        let this = *self;
        let noted = book.transact(move |work| {
            Box::pin(async move {
                let mut sql = this.select(&[WORKER]);
                sql.push(" WHERE \"id\" = ").bind(Ty::Int, job.id);
                let rows = work.tx().rows(sql).await?;
                // A deletion of a webhook deletes its log.
                let Some(row) = rows.first() else {
                    return Ok(());
                };
                if row.text(0) == Some(job.worker.as_str()) {
                    let done = report.is_success();
                    this.move_on(work, &job, &record, done).await?;
                }
                this.tell(work, &job, &message, &report).await?;
                this.prune(work, job.id, retention).await
            })
        });
        noted.await
    }

    async fn move_on(
        &self,
        work: &mut WriteTransaction<'_>,
        job: &Job,
        record: &AttemptRecord,
        done: bool,
    ) -> Result<()> {
        let now = work.now();
        let mut fields = vec![(LEASED, int(0)), (WORKER, bind(Ty::Text, Value::Null))];
        match job.ping {
            // The next change is sent when it is due anyway.
            Some(number) => fields.push((PINGED, int(number))),
            None => {
                fields.push((DUE, int(record.due)));
                fields.push((FAILURES, int(record.failures)));
                fields.push((FAILING_SINCE, int(record.failing_since)));
            }
        }
        if done && job.ping.is_none() {
            fields.push((DELIVERED, int(job.pending)));
            fields.push((DELIVERED_AT, bind(Ty::Time, Value::Time(now))));
        }
        if record.forget {
            fields.push((FORMER, bind(Ty::Text, Value::Null)));
        }
        if let Some(reason) = record.disabled {
            fields.push((ENABLED, bind(Ty::Bool, Value::Bool(false))));
            fields.push((DISABLED_AT, bind(Ty::Time, Value::Time(now))));
            fields.push((DISABLED_REASON, bind(Ty::Text, reason)));
            tracing::warn!(webhook = job.id, reason, "a webhook is switched off");
            work.operate(Operation {
                action: "webhook-disabled",
                organization: job.organization,
                subject: Some(("none", self.c.slug, job.id)),
                summary: Some(format!("Webhook {} of {}: {reason}", job.id, job.dataset)),
                ..Operation::default()
            });
        }
        let mut sql = self.update(&fields);
        sql.push(" WHERE \"id\" = ").bind(Ty::Int, job.id);
        work.tx().run(sql).await.map(drop)
    }

    async fn tell(&self, work: &mut WriteTransaction<'_>, job: &Job, message: &Message, report: &Report) -> Result<()> {
        let outcome = if report.is_success() { "delivered" } else { "failed" };
        let attempt = job.ping.map_or(job.failures.saturating_add(1), |_| 1);
        let values: [Value; LOGGED.len()] = [
            Value::Int(job.id),
            Value::Time(work.now()),
            message.event.into(),
            message.id.clone().into(),
            Value::Int(message.sequence),
            Value::Int(attempt),
            outcome.into(),
            report.status.map(i64::from).into(),
            Value::Int(report.duration),
            report.error.clone().into(),
        ];
        let mut row = Record::empty(self.log.width());
        for (path, value) in LOGGED.iter().zip(values) {
            row.set(self.log.at(path), value);
        }
        work.log(self.log.slug, vec![row]).await
    }

    /// Forgets the oldest rows of the log of a webhook.
    async fn prune(&self, work: &mut WriteTransaction<'_>, webhook: i64, retention: i64) -> Result<()> {
        let [relation, ..] = LOGGED;
        let of = (self.log.field(relation)).map_or("id", |f| f.column.as_str());
        let mut sql = Sql::new("DELETE FROM ");
        sql.name(&self.log.table).push(" WHERE ").name(of);
        sql.push(" = ").bind(Ty::Int, webhook);
        sql.push(" AND \"id\" <= (SELECT \"id\" FROM ");
        sql.name(&self.log.table).push(" WHERE ").name(of);
        sql.push(" = ").bind(Ty::Int, webhook);
        sql.push(" ORDER BY \"id\" DESC LIMIT 1 OFFSET ");
        sql.bind(Ty::Int, retention).push(")");
        work.tx().run(sql).await.map(drop)
    }
}

/// Stores the place up to which changes were scanned; it is never lowered.
async fn keep_place(tx: &mut Tx, scanned: i64) -> Result<()> {
    let sql = Sql::new("SELECT value FROM exchange_state WHERE name = ").with(Ty::Text, SCANNED);
    let rows = tx.rows(sql).await?;
    let retention = (rows.first()).map(|row| row.text(0).and_then(|text| text.parse().ok()));
    let value = scanned.to_string();
    let sql = match retention {
        Some(Some(retention)) if scanned <= retention => return Ok(()),
        Some(_) => Sql::new("UPDATE exchange_state SET value = ")
            .with(Ty::Text, value)
            .and(" WHERE name = ")
            .with(Ty::Text, SCANNED),
        None => Sql::new("INSERT INTO exchange_state (name, value) VALUES (")
            .with(Ty::Text, SCANNED)
            .and(", ")
            .with(Ty::Text, value)
            .and(")"),
    };
    tx.run(sql).await.map(drop)
}

fn int(value: i64) -> Bind {
    bind(Ty::Int, value)
}

fn bind(ty: Ty, value: impl Into<Value>) -> Bind {
    Bind { ty, value: value.into() }
}

fn job(row: &Row, worker: &str) -> Job {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    let int = |at: usize| row.int(at).unwrap_or_default();
    let (pings, pinged) = (int(15), int(16));
    Job {
        id: int(0),
        organization: row.int(1),
        dataset: text(2),
        url: text(3),
        host: text(4),
        created_by: row.int(5),
        secret: row.text(6).map(str::to_owned),
        former: row.text(7).map(str::to_owned),
        rotated_at: row.time(8),
        pending: int(9),
        delivered: int(10),
        changed_at: int(11),
        due: int(12),
        failures: int(13),
        failing_since: int(14),
        ping: (pings > pinged).then_some(pings),
        worker: worker.to_owned(),
    }
}
