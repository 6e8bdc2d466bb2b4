//! Checking passwords without blocking other requests: on blocking threads, a limited number at a time.

pub(super) mod password_reset;

use super::account::{self, Account};
use super::attempt::SignInAttempt;
use crate::AppState;
use model::error::{Error, Result};
use model::registry::Collection;
use secure::password::Verdict;
use std::sync::Arc;

#[derive(Debug)]
pub(super) enum PasswordCheck {
    /// The right one; with a new verifier when the stored one is of an older kind.
    Right(Account, Option<String>),
    /// A wrong password, an unknown name, or an attempt during a delay: answers do not distinguish them.
    Wrong,
    /// The right one of a blocked user; only the page for signing in tells it apart from a wrong one.
    Closed,
}

/// Reads the account of an address and compares the password. The check is a task of its own: a caller who hangs up
/// neither frees its permit while it computes, nor escapes the count.
pub(super) async fn check(
    app: &Arc<AppState>,
    c: &'static Collection,
    attempt: SignInAttempt,
    email: String,
    password: String,
) -> Result<PasswordCheck> {
    let task = tokio::spawn(compare(Arc::clone(app), c, attempt, email, password));
    task.await.map_err(Error::internal)?
}

/// A wrong password is counted before the permit is given back, so that guesses at the same
/// time are no way around the delay: at most as many as there are permits pass before it
/// begins. Known and unknown names run the same statements and hashes.
async fn compare(
    app: Arc<AppState>,
    c: &'static Collection,
    attempt: SignInAttempt,
    email: String,
    password: String,
) -> Result<PasswordCheck> {
    let _place = app.book.checks.enter().await?;
    if attempt.waits(&app).await? {
        return Ok(PasswordCheck::Wrong);
    }
    let account = account::by_email(&app.book, c, &email).await?;
    let stored = account.as_ref().and_then(|a| a.verifier.clone());
    let passwords = Arc::clone(&app.book.passwords);
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
    let refused = match (verdict, account) {
        (Verdict::Right { .. }, Some(account)) if !account.blocked => {
            return Ok(PasswordCheck::Right(account, fresh));
        }
        (Verdict::Right { .. }, Some(_)) => PasswordCheck::Closed,
        (Verdict::Unreadable, Some(account)) => {
            tracing::warn!(user = account.id, "the stored verifier is in no known form");
            PasswordCheck::Wrong
        }
        _ => PasswordCheck::Wrong,
    };
    attempt.failed(&app).await?;
    Ok(refused)
}

/// The verifier of a new password, on a blocking thread, within the same limits.
pub(super) async fn hash(app: &Arc<AppState>, password: String) -> Result<String> {
    let place = app.book.checks.enter().await?;
    let passwords = Arc::clone(&app.book.passwords);
    let hashed = tokio::task::spawn_blocking(move || {
        let hash = passwords.hash(&password);
        // A client that hangs up frees no place while the hash is computed.
        drop(place);
        hash
    });
    (hashed.await.map_err(Error::internal)?).map_err(Error::internal)
}
