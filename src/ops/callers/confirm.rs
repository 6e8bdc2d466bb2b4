//! Sign-in data can be changed only by a caller who proved the password: with a recent sign-in,
//! or with the password in the request (`currentPassword`). The check runs before the
//! transaction begins, since comparing passwords is slow by design.

use super::delays::Delays;
use crate::columns::select;
use crate::{Backoff, Book, Checks, Item};
use model::error::{Error, Result};
use model::registry::sign_in::CURRENT_PASSWORD;
use model::registry::{Collection, Principal, Registry};
use secure::password::{Passwords, Verdict};
use std::sync::Arc;
use store::Store;

/// Guesses by a session that was stolen: the first delay, and the longest one.
const PACE: Backoff = Backoff { from: 5, longest: 600_000 };

impl Book {
    /// The caller, marked as confirmed if the items contain the right password. The password is removed from the items.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it is not the password of the caller.
    pub(crate) async fn confirmed(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        items: &mut [Item],
    ) -> Result<Arc<Principal>> {
        let Some(slot) = c.slot(CURRENT_PASSWORD) else { return Ok(Arc::clone(caller)) };
        let mut password = None;
        for item in items {
            if let Some(text) = item.body.iter().find(|(s, _)| *s == slot).and_then(|(_, value)| value.text()) {
                password = Some(text.to_owned());
            }
            item.body.retain(|(s, _)| *s != slot);
        }
        // A key confirms nothing: what signs in is not its business.
        let (Some(password), Some(_), Some(user)) = (password, &caller.session, caller.user) else {
            return Ok(Arc::clone(caller));
        };
        // A task of its own: a caller who hangs up neither frees the place while it computes, nor escapes the count.
        let confirmation = Confirmation {
            registry: self.registry,
            store: self.store.clone(),
            passwords: Arc::clone(&self.passwords),
            checks: self.checks.clone(),
            delays: self.delays.clone(),
        };
        let compared = tokio::spawn(confirmation.holds(user, password)).await;
        if !compared.map_err(Error::internal)?? {
            return Err(Error::invalid(CURRENT_PASSWORD, "wrong", "This is not your password."));
        }
        Ok(Arc::new(Principal { proved: Some(self.clock.now()), ..(**caller).clone() }))
    }
}

/// The services that the check of a password needs.
struct Confirmation {
    registry: &'static Registry,
    store: Store,
    passwords: Arc<Passwords>,
    checks: Checks,
    delays: Delays,
}

impl Confirmation {
    /// Whether it is the password of the user. Checking the delay, comparing and counting failures happen in one place,
    /// as at sign-in, so that parallel guesses cannot pass the delay.
    async fn holds(self, user: i64, password: String) -> Result<bool> {
        let _place = self.checks.enter().await?;
        let whose = format!("c:{user}");
        if self.delays.wait(std::slice::from_ref(&whose)).await? {
            return Ok(false);
        }
        let stored = self.verifier(user).await?;
        let passwords = Arc::clone(&self.passwords);
        let compared = tokio::task::spawn_blocking(move || match stored {
            Some(stored) => passwords.verify(&password, &stored),
            None => Verdict::Wrong,
        });
        let verdict = compared.await.map_err(Error::internal)?;
        let right = matches!(verdict, Verdict::Right { .. });
        if !right {
            self.delays.fail(vec![(whose, PACE)]).await?;
        }
        Ok(right)
    }

    async fn verifier(&self, user: i64) -> Result<Option<String>> {
        let Some(users) = self.registry.iter().find(|c| c.auth).filter(|c| c.field("verifier").is_some()) else {
            return Ok(None);
        };
        let rows = self.store.rows(select(users, &["verifier"], user)).await?;
        Ok(rows.first().and_then(|row| row.text(0)).map(str::to_owned))
    }
}
