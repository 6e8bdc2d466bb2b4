//! The only place that asks the system what time it is. Everything else takes the time
//! as a parameter, so that tests choose it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Returns the time in epoch milliseconds, UTC.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// From when on the machine counts; none where a test says what time it is.
    since: Option<Instant>,
}

impl Clock {
    /// The clock of the machine.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn system() -> Self {
        Self { now: Arc::new(|| jiff::Timestamp::now().as_millisecond()), since: Some(Instant::now()) }
    }

    /// A clock that a test moves by storing into the cell.
    pub fn fixed(cell: Arc<AtomicI64>) -> Self {
        Self { now: Arc::new(move || cell.load(Ordering::SeqCst)), since: None }
    }

    /// Now, in epoch milliseconds.
    pub fn now(&self) -> i64 {
        (self.now)()
    }

    /// Time since some moment, for measuring how much of it went by: it does not go back when
    /// the clock of the machine is put right.
    pub fn passed(&self) -> Duration {
        match self.since {
            Some(since) => since.elapsed(),
            None => Duration::from_millis(u64::try_from(self.now()).unwrap_or(0)),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
