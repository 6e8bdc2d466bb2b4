//! The limits of requests and storage of an organisation, as the Association set them. Knows
//! neither requests nor how they are counted.

use super::Book;
use super::columns::{column, columns};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::quota::{LIMITS, ORGANIZATION, STOCK};
use model::registry::{Collection, Feature, Registry};
use store::{ReadSet, Row, Snapshot, Sql, Ty, versions};

/// The limits of an organisation, and the snapshot that they were read in.
#[derive(Debug)]
pub struct Allowance {
    /// In the order of [`LIMITS`]; none where no limit was set.
    pub limits: [Option<i64>; LIMITS.len()],
    since: Snapshot,
    read: ReadSet,
}

impl Book {
    pub async fn allowance(&self, organization: i64) -> Result<Allowance> {
        let since = self.store.snapshot().await?;
        let (limits, read) = versions::read_set(self.quota(organization)).await;
        Ok(Allowance { limits: limits?, since, read })
    }

    /// Whether the result is still valid, as of the last look at the state of the book.
    pub fn stands(&self, allowance: &Allowance) -> bool {
        let versions = self.store.versions();
        allowance.read.is_closed() && versions.holds(allowance.since, &allowance.read)
    }

    async fn quota(&self, organization: i64) -> Result<[Option<i64>; LIMITS.len()]> {
        let Some(quotas) = self.registry.with_feature(Feature::Quotas) else { return Ok([None; LIMITS.len()]) };
        let rows = self.store.rows(limits_of(quotas, organization, &LIMITS)).await?;
        Ok(std::array::from_fn(|place| rows.first().and_then(|row| row.int(place))))
    }
}

/// The factor by which the quota of a user without an organisation is smaller.
const ALONE: i64 = 10;

/// What an organisation may store unless the Association sets another limit; none: no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stock {
    /// Bytes of files, their smaller pictures included.
    pub storage: Option<i64>,
    pub files: Option<i64>,
    /// Rows of each collection whose rows count.
    pub records: Option<i64>,
}

/// The limits of one organisation or user.
pub type Allowed = Stock;

impl Stock {
    /// The limits of one organisation or user.
    pub(super) fn of(self, holder: Holder, set: Option<&Row>) -> Allowed {
        let usual = match holder {
            Holder::Organization(_) => self,
            Holder::User(_) => {
                let less = |n: i64| n.saturating_add(ALONE - 1) / ALONE;
                Self { storage: self.storage.map(less), files: self.files.map(less), records: self.records.map(less) }
            }
        };
        let one = |place: usize, usual: Option<i64>| match set.and_then(|row| row.int(place)) {
            None => usual,
            Some(0) => None,
            most => most,
        };
        Self { storage: one(0, usual.storage), files: one(1, usual.files), records: one(2, usual.records) }
    }
}

/// The owner for whom rows count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    Organization(i64),
    /// A user without one.
    User(i64),
}

/// How much of a collection is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredAmount {
    pub rows: i64,
    /// Bytes of their files.
    pub bytes: i64,
}

impl StoredAmount {
    /// From the row that [`stored_amount`] finds.
    pub(super) fn read(row: Option<&Row>) -> Self {
        let number = |place| row.and_then(|row| row.int(place)).unwrap_or(0);
        Self { rows: number(0), bytes: number(1) }
    }
}

/// The owner for whom a row counts. Where that is the organisation of another record, its id is
/// used instead: see [`organization_of`].
pub(super) fn holder(c: &Collection, row: &Record) -> Option<Holder> {
    let stock = c.stock.as_ref()?;
    let id = |path: &str| row.get(c.slot(path)?).int();
    id(stock.organization).map(Holder::Organization).or_else(|| id(stock.user).map(Holder::User))
}

/// The collection of another record whose organisation rows count for, and the column of that.
fn through<'r>(registry: &'r Registry, c: &Collection) -> Option<(&'r Collection, &'r str)> {
    let stock = c.stock.as_ref()?;
    let owner = stock.through?;
    let record = registry.get(c.field(stock.organization)?.target()?)?;
    Some((record, &record.field(owner)?.column))
}

/// Finds the organisation of the record that is named instead; none where a row names it itself.
pub(super) fn organization_of(registry: &Registry, c: &Collection, record: i64) -> Option<Sql> {
    let (of, column) = through(registry, c)?;
    let mut sql = Sql::new("SELECT ");
    sql.name(column).push(" FROM ").name(&of.table).push(" WHERE id = ").bind(Ty::Int, Value::Int(record));
    Some(sql)
}

/// The field that names the owner for whom it counts.
pub(super) fn path(c: &Collection, holder: Holder) -> &'static str {
    let stock = c.stock.as_ref();
    stock.map_or("", |stock| match holder {
        Holder::Organization(_) => stock.organization,
        Holder::User(_) => stock.user,
    })
}

/// The fields that contain numbers of bytes.
fn sizes(c: &Collection) -> Vec<usize> {
    let upload = c.upload.iter();
    let smaller = upload.clone().flat_map(|u| u.sizes).map(|size| format!("sizes.{}.filesize", size.name));
    upload.map(|_| "filesize".to_owned()).chain(smaller).filter_map(|path| c.slot(&path)).collect()
}

/// Bytes of the file that a row is.
pub(super) fn bytes_of(c: &Collection, row: &Record) -> i64 {
    sizes(c).into_iter().filter_map(|slot| row.get(slot).int()).sum()
}

pub(super) fn stored_amount(registry: &Registry, c: &Collection, holder: Holder) -> Sql {
    let column_of = |slot: usize| c.fields.get(slot).map_or("id", |f| f.column.as_str());
    let mut sql = Sql::new("SELECT count(*), CAST(coalesce(sum(0");
    for slot in sizes(c) {
        sql.push(" + coalesce(").name(column_of(slot)).push(", 0)");
    }
    sql.push("), 0) AS BIGINT) FROM ").name(&c.table).push(" WHERE ");
    let (organization, user) = if let Some(stock) = &c.stock { (stock.organization, stock.user) } else { ("", "") };
    match holder {
        Holder::Organization(id) => {
            sql.name(column(c, organization));
            match through(registry, c) {
                None => {
                    sql.push(" = ").bind(Ty::Int, Value::Int(id));
                }
                Some((of, column)) => {
                    sql.push(" IN (SELECT id FROM ").name(&of.table).push(" WHERE ").name(column).push(" = ");
                    sql.bind(Ty::Int, Value::Int(id)).push(")");
                }
            }
        }
        Holder::User(id) => {
            sql.name(column(c, user)).push(" = ").bind(Ty::Int, Value::Int(id));
            sql.push(" AND ").name(column(c, organization)).push(" IS NULL");
        }
    }
    sql
}

/// Finds what was set for an organisation, in the order of [`STOCK`].
pub(super) fn set_for(registry: &Registry, holder: Holder) -> Option<Sql> {
    let Holder::Organization(id) = holder else { return None };
    let quotas = registry.with_feature(Feature::Quotas)?;
    Some(limits_of(quotas, id, &STOCK))
}

/// Finds some limits of an organisation.
fn limits_of(quotas: &Collection, organization: i64, limits: &[(&str, &str)]) -> Sql {
    let paths: Vec<&str> = limits.iter().map(|(path, _)| *path).collect();
    let mut sql = columns(quotas, &paths);
    sql.push(" WHERE ").name(column(quotas, ORGANIZATION)).push(" = ").bind(Ty::Int, organization);
    sql
}

/// How much is stored, and how much may be.
#[derive(Debug, Clone)]
pub struct Usage {
    pub allowed: Allowed,
    /// By collection whose rows count.
    pub stored: Vec<(&'static Collection, StoredAmount)>,
}

impl Book {
    /// With limits for how much may be stored.
    #[must_use]
    pub fn with_stock(mut self, stock: Stock) -> Self {
        self.stock = stock;
        self
    }

    /// The usage of an organisation, or of a user without one.
    pub async fn usage(&self, holder: Holder) -> Result<Usage> {
        let set = match set_for(self.registry, holder) {
            None => None,
            Some(sql) => self.store.rows(sql).await?.into_iter().next(),
        };
        let mut all = Vec::new();
        for c in self.registry.iter().filter(|c| c.stock.is_some()) {
            let by_user = |stock: &model::registry::Stock| !stock.user.is_empty();
            let alone = matches!(holder, Holder::User(_));
            if alone && !c.stock.as_ref().is_some_and(by_user) {
                continue;
            }
            let rows = self.store.rows(stored_amount(self.registry, c, holder)).await?;
            all.push((c, StoredAmount::read(rows.first())));
        }
        Ok(Usage { allowed: self.stock.of(holder, set.as_ref()), stored: all })
    }
}
