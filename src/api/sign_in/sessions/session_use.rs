//! When sessions were last used. Noted in memory with every request that shows a token, and
//! added to the book once a minute, to a table of its own: it is no data of the book, so that
//! reading takes no place in commit order and writes no account.

use model::error::Result;
use model::record::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Sql, Store, Ty, pieces};

/// Sessions that are held in memory at most; the use of further ones is not recorded until the next write.
const PENDING_MAX: usize = 50_000;

/// Uses by session: the account, and when, epoch milliseconds.
type Uses = BTreeMap<String, (i64, i64)>;

/// Uses that are not in the book yet.
#[derive(Debug, Default)]
pub struct SessionUses(Mutex<Uses>);

impl SessionUses {
    fn pending(&self) -> MutexGuard<'_, Uses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note(&self, sid: &str, account: i64, now: i64) {
        let mut pending = self.pending();
        let full = pending.len() >= PENDING_MAX;
        match pending.get_mut(sid) {
            Some((_, used)) => *used = now,
            None if full => {}
            None => {
                pending.insert(sid.to_owned(), (account, now));
            }
        }
    }

    /// Adds the recorded times to the book, and deletes those of sessions that were not used for so
    /// long (milliseconds). Times that cannot be written are held for the next call.
    pub async fn fold(&self, store: &Store, now: i64, lifetime: i64) -> Result<()> {
        let taken = Arc::new(std::mem::take(&mut *self.pending()));
        if taken.is_empty() {
            return Ok(());
        }
        let written = Arc::clone(&taken);
        let done = store.write(move |tx| {
            Box::pin(async move {
                let rows: Vec<_> = written.iter().collect();
                for piece in pieces(&rows, 3) {
                    let rows = piece
                        .iter()
                        .map(|(sid, (account, used))| [sid.as_str().into(), Value::Int(*account), (*used).into()]);
                    let into = "sign_in_uses (sid, account, used_at)";
                    let mut sql = Sql::insert(into, [Ty::Text, Ty::Int, Ty::Int], rows);
                    sql.push(
                        " ON CONFLICT (sid) DO UPDATE SET used_at = \
                         CASE WHEN excluded.used_at > sign_in_uses.used_at \
                         THEN excluded.used_at ELSE sign_in_uses.used_at END",
                    );
                    tx.run(sql).await?;
                }
                let old = now.saturating_sub(lifetime);
                let sql = Sql::new("DELETE FROM sign_in_uses WHERE used_at < ");
                tx.run(sql.with(Ty::Int, old)).await?;
                Ok(())
            })
        });
        done.await.inspect_err(|_| {
            let mut pending = self.pending();
            for (sid, used) in taken.iter() {
                // What came meanwhile is newer.
                pending.entry(sid.clone()).or_insert(*used);
            }
        })
    }

    /// When the sessions of an account were last used, as far as this process knows.
    pub(in crate::sign_in) async fn of(&self, store: &Store, account: i64) -> Result<BTreeMap<String, i64>> {
        let sql = Sql::new("SELECT sid, used_at FROM sign_in_uses WHERE account = ");
        let rows = store.rows(sql.with(Ty::Int, account)).await?;
        let stored = rows.iter().filter_map(|row| Some((row.text(0)?.to_owned(), row.int(1)?)));
        let mut uses: BTreeMap<String, i64> = stored.collect();
        for (sid, (of, at)) in self.pending().iter() {
            if *of == account {
                uses.insert(sid.clone(), *at);
            }
        }
        Ok(uses)
    }
}
