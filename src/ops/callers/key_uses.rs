//! The last use of each API key: collected in memory, and written now and then, outside of the
//! commit order. It shows the owners of keys which ones are no longer in use.

use crate::Book;
use model::error::Result;
use model::record::Value;
use model::registry::Feature;
use model::registry::keyring::USED;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::{Sql, Ty};

/// A use is written that lies so far behind the one written before, milliseconds.
const APART: i64 = 300_000;
/// Keys that are held.
const MOST_USES: usize = 10_000;

/// Keys by id: when each was used last, and which use was written.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<BTreeMap<i64, (i64, i64)>>);

impl Uses {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<i64, (i64, i64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, key: i64, now: i64) {
        let mut entries = self.entries();
        if entries.len() < MOST_USES || entries.contains_key(&key) {
            entries.entry(key).or_default().0 = now;
        }
    }

    fn due(&self) -> Vec<(i64, i64)> {
        let entries = self.entries();
        let due = entries.iter().filter(|(_, (used, written))| used - written >= APART);
        due.map(|(key, (used, _))| (*key, *used)).collect()
    }
}

impl Book {
    /// Writes when keys were used.
    pub async fn keep_key_uses(&self) -> Result<()> {
        let due = self.uses.due();
        let keys = self.registry.with_feature(Feature::ApiKeys);
        let Some((c, column)) = keys.and_then(|c| Some((c, &c.field(USED)?.column))) else { return Ok(()) };
        if due.is_empty() {
            return Ok(());
        }
        let written = due.clone();
        let job = self.store.write(move |tx| {
            Box::pin(async move {
                for (key, used) in due {
                    let mut sql = Sql::new("UPDATE ");
                    sql.name(&c.table).push(" SET ").name(column).push(" = ");
                    sql.bind(Ty::Time, Value::Time(used)).push(" WHERE \"id\" = ");
                    tx.run(sql.with(Ty::Int, key)).await?;
                }
                Ok(())
            })
        });
        job.await?;
        let mut entries = self.uses.entries();
        for (key, used) in written {
            entries.entry(key).or_default().1 = used;
        }
        Ok(())
    }
}
