//! What signs in is changed by whoever shows his password: he signed in a moment ago, or
//! sends it with the change (`currentPassword`). Asked before the transaction begins, since
//! comparing is slow by design.

use super::{Book, Item, Pace};
use crate::error::{Error, Result};
use crate::registry::sign_in::CURRENT_PASSWORD;
use crate::registry::{Collection, Principal};
use crate::secure::password::Verdict;
use crate::store::{Sql, Ty};
use std::sync::Arc;

/// Guesses by a session that was stolen: the first delay, and the longest one.
const PACE: Pace = Pace {
    from: 5,
    longest: 600_000,
};

impl Book {
    /// The caller, as one who confirmed just now when the items have his password. It is
    /// taken out of them.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it is not his.
    pub(super) async fn confirmed(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        items: &mut [Item],
    ) -> Result<Arc<Principal>> {
        let Some(slot) = c.slot(CURRENT_PASSWORD) else {
            return Ok(Arc::clone(caller));
        };
        let mut sent = None;
        for item in items {
            let own = item.body.iter().find(|(s, _)| *s == slot);
            if let Some(text) = own.and_then(|(_, value)| value.text()) {
                sent = Some(text.to_owned());
            }
            item.body.retain(|(s, _)| *s != slot);
        }
        // A key confirms nothing: what signs in is not its business.
        let (Some(sent), Some(_), Some(user)) = (sent, &caller.session, caller.user) else {
            return Ok(Arc::clone(caller));
        };
        let whose = format!("c:{user}");
        let refused = || Error::invalid(CURRENT_PASSWORD, "wrong", "This is not your password.");
        if self.delayed(std::slice::from_ref(&whose)).await? {
            return Err(refused());
        }
        let stored = self.verifier(user).await?;
        let passwords = Arc::clone(&self.passwords);
        let compared = tokio::task::spawn_blocking(move || match stored {
            Some(stored) => passwords.verify(&sent, &stored),
            None => Verdict::Wrong,
        });
        if !matches!(
            compared.await.map_err(Error::internal)?,
            Verdict::Right { .. }
        ) {
            self.failed(vec![(whose, PACE)]).await?;
            return Err(refused());
        }
        Ok(Arc::new(Principal {
            proved: Some(self.clock.now()),
            ..(**caller).clone()
        }))
    }

    async fn verifier(&self, user: i64) -> Result<Option<String>> {
        let Some(users) = self.registry.iter().find(|c| c.auth) else {
            return Ok(None);
        };
        let Some(field) = users.field("verifier") else {
            return Ok(None);
        };
        let mut sql = Sql::new("SELECT ");
        sql.name(&field.column).push(" FROM ").name(&users.table);
        sql.push(" WHERE \"id\" = ").bind(Ty::Int, user);
        let rows = self.store.rows(sql).await?;
        Ok(rows.first().and_then(|row| row.text(0)).map(str::to_owned))
    }
}
