//! The only place that asks the system what time it is. Everything else takes the time
//! as a parameter, so that tests choose it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Tells the time in epoch milliseconds, UTC.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// The clock of the machine.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn system() -> Self {
        Self(Arc::new(|| jiff::Timestamp::now().as_millisecond()))
    }

    /// A clock that a test moves by storing into the cell.
    pub fn fixed(cell: Arc<AtomicI64>) -> Self {
        Self(Arc::new(move || cell.load(Ordering::SeqCst)))
    }

    /// Now, in epoch milliseconds.
    pub fn now(&self) -> i64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
