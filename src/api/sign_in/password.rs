//! Checking passwords without stopping the others: on blocking threads, so many at a time.

use super::account::{self, Account, Lock};
use crate::api::Hub;
use crate::error::{Error, Result};
use crate::registry::Collection;
use crate::secure::password::Verdict;
use std::sync::Arc;

/// What a password opened.
#[derive(Debug)]
pub(super) enum Checked {
    /// The right one; with a new verifier when the stored one is of an older kind.
    Right(Account, Option<String>),
    /// The wrong one, or nobody of that name: not to be told apart.
    Wrong,
    /// Not looked at, since the account is locked.
    Locked,
}

/// Reads the account of an address and compares the password. The check is a task of its
/// own: a caller who hangs up neither frees its permit while it computes, nor escapes the
/// count.
pub(super) async fn check(
    hub: &Arc<Hub>,
    c: &'static Collection,
    email: String,
    password: String,
) -> Result<Checked> {
    let task = tokio::spawn(compare(Arc::clone(hub), c, email, password));
    task.await.map_err(Error::internal)?
}

/// A wrong password is counted before the permit is given back, so that guesses at the same
/// time are no way around the lock: at most as many as there are permits pass before it
/// closes.
async fn compare(
    hub: Arc<Hub>,
    c: &'static Collection,
    email: String,
    password: String,
) -> Result<Checked> {
    let place = hub.waiting.try_acquire();
    let _place = place.map_err(|_| Error::Unavailable("too many sign-ins at once".to_owned()))?;
    let permit = hub.checks.acquire().await;
    let _permit = permit.map_err(|_| Error::Unavailable("shutting down".to_owned()))?;
    let account = account::by_email(&hub.book, c, &email).await?;
    let now = hub.book.clock.now();
    if account.as_ref().is_some_and(|account| account.locked(now)) {
        return Ok(Checked::Locked);
    }
    let stored = account.as_ref().and_then(|a| a.verifier.clone());
    let passwords = Arc::clone(&hub.book.passwords);
    let compared = tokio::task::spawn_blocking(move || match stored {
        None => {
            passwords.verify_nobody(&password);
            (Verdict::Wrong, None)
        }
        Some(stored) => {
            let verdict = passwords.verify(&password, &stored);
            let fresh = match verdict {
                // The old form still opens; failing to renew it must not lock anybody out.
                Verdict::Right { rehash: true } => passwords.hash(&password).ok(),
                _ => None,
            };
            (verdict, fresh)
        }
    });
    let (verdict, fresh) = compared.await.map_err(Error::internal)?;
    let Some(account) = account else {
        return Ok(Checked::Wrong);
    };
    match verdict {
        Verdict::Right { .. } => return Ok(Checked::Right(account, fresh)),
        Verdict::Unreadable => {
            tracing::warn!(user = account.id, "the stored verifier is in no known form");
        }
        Verdict::Wrong => {}
    }
    let (settings, own) = (&hub.settings, &c.sign_in);
    let lock = Lock {
        failures: own.attempts.unwrap_or(settings.lock_failures),
        time: (own.lock_time.unwrap_or(settings.lock_time)).saturating_mul(1000),
    };
    let id = account.id;
    hub.book
        .transact(move |work| Box::pin(account::count_failure(work, c, id, lock, now)))
        .await?;
    Ok(Checked::Wrong)
}

/// The verifier of a new password, on a blocking thread, within the same limits.
pub(super) async fn hash(hub: &Arc<Hub>, password: String) -> Result<String> {
    let place = hub.waiting.try_acquire();
    let _place = place.map_err(|_| Error::Unavailable("too many sign-ins at once".to_owned()))?;
    let permit = hub.checks.acquire().await;
    let _permit = permit.map_err(|_| Error::Unavailable("shutting down".to_owned()))?;
    let passwords = Arc::clone(&hub.book.passwords);
    let hashed = tokio::task::spawn_blocking(move || passwords.hash(&password));
    (hashed.await.map_err(Error::internal)?).map_err(Error::internal)
}
