//! What the installation signed, for those who read it: its public keys, and the rows of packages
//! as they were signed (docs/packages.md).

use crate::Book;
use crate::columns::columns;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use model::error::{Error, Result};
use model::registry::signing::PUBLIC;
use model::registry::{Collection, Feature};
use secure::ed25519::PublicKey;
use store::{Sql, Ty};

/// The statement for a part of the rows that were signed with a package.
pub(crate) fn part_of(slug: &str, package: i64, part: i64) -> Sql {
    Sql::new("SELECT \"body\" FROM signed_rows WHERE \"collection\" = ")
        .with(Ty::Text, slug)
        .and(" AND \"package\" = ")
        .with(Ty::Int, package)
        .and(" AND \"part\" = ")
        .with(Ty::Int, part)
}

impl Book {
    /// The public halves of all keys that signed or sign, the first one first.
    pub async fn signing_keys(&self) -> Result<Vec<PublicKey>> {
        let Some(c) = self.registry.with_feature(Feature::SigningKeys) else { return Ok(Vec::new()) };
        let mut sql = columns(c, &[PUBLIC]);
        sql.push(" ORDER BY \"id\"");
        let rows = self.store.rows(sql).await?;
        let key = |row: &store::Row| PublicKey::read(row.text(0)?);
        Ok(rows.iter().filter_map(key).collect())
    }

    /// The rows of a package as they were signed, part by part; whoever reads them must be allowed
    /// to read the package. When there are not as many rows as were signed, the stream ends with an
    /// error, so that nobody takes a part for the whole.
    pub fn signed_rows(&self, c: &'static Collection, package: i64, count: u64) -> BoxStream<'static, Result<Bytes>> {
        let store = self.store.bound();
        Box::pin(async_stream::try_stream! {
            let mut missing = count;
            for part in 0.. {
                let rows = store.rows(part_of(c.slug, package, part)).await?;
                let Some(row) = rows.first() else { break };
                let lines = row.compressed(0).ok_or_else(|| Error::internal("a part of a package cannot be read"))?;
                missing = missing.saturating_sub(u64::try_from(lines.lines().count()).unwrap_or(u64::MAX));
                yield Bytes::from(lines);
            }
            if missing > 0 {
                Err(Error::internal("rows of a signed package are missing"))?;
            }
        })
    }
}
