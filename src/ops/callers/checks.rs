//! Limits how many passwords are hashed or compared at the same time, since each takes a core and much memory. Further
//! checks wait; when too many wait, new ones are refused, to be repeated later.

use model::error::{Error, Result};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The default number of passwords that are checked at a time.
pub(crate) const USUAL: usize = 2;
/// Number of checks that may wait for each running one.
const WAITING: usize = 50;

/// Places for passwords that are being checked, and for waiting ones.
#[derive(Debug, Clone)]
pub struct Checks {
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// A place among those who wait; given back when it is dropped.
#[derive(Debug)]
pub struct WaitPermit {
    _waiting: OwnedSemaphorePermit,
}

/// A place for one password; given back when it is dropped, so that it moves with the work.
#[derive(Debug)]
pub struct PasswordPermit {
    _waits: WaitPermit,
    _running: OwnedSemaphorePermit,
}

impl Checks {
    /// Checks this number of passwords at a time.
    pub(crate) fn new(at_a_time: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(at_a_time)),
            waiting: Arc::new(Semaphore::new(at_a_time.saturating_mul(WAITING))),
        }
    }

    /// A place among those who wait, for what strangers may ask for beside passwords.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when too many wait.
    pub fn wait(&self, of_what: &str) -> Result<WaitPermit> {
        let place = Arc::clone(&self.waiting).try_acquire_owned();
        let place = place.map_err(|_| Error::Unavailable(format!("too many {of_what} at the same time")))?;
        Ok(WaitPermit { _waiting: place })
    }

    /// A place for one password, when it is free.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when too many wait.
    pub async fn enter(&self) -> Result<PasswordPermit> {
        let waits = self.wait("sign-ins")?;
        let running = Arc::clone(&self.running).acquire_owned().await;
        let running = running.map_err(|_| Error::Unavailable("shutting down".to_owned()))?;
        Ok(PasswordPermit { _waits: waits, _running: running })
    }
}

#[cfg(test)]
mod tests {
    use super::Checks;
    use futures_util::FutureExt as _;

    #[test]
    fn so_many_run_and_so_many_wait() {
        let checks = Checks::new(1);
        let first = checks.enter().now_or_never().unwrap().unwrap();
        let mut others: Vec<_> = (0..49).map(|_| Box::pin(checks.enter())).collect();
        for one in &mut others {
            assert!(one.now_or_never().is_none(), "waits");
        }
        let many = checks.enter().now_or_never().unwrap();
        assert!(many.unwrap_err().to_string().contains("too many sign-ins"));
        drop(first);
        let second = others.iter_mut().find_map(|one| one.now_or_never());
        assert!(second.unwrap().is_ok());
    }
}
