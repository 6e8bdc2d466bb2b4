//! No more requests per second than agreed.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// A queue in which each request waits for its turn.
pub(crate) struct Pace {
    gap: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    pub(crate) fn new(rate: Option<f64>) -> Self {
        let gap = rate.filter(|r| *r > 0.0).and_then(|r| Duration::try_from_secs_f64(1.0 / r).ok()).unwrap_or_default();
        Self { gap, next: Mutex::new(Instant::now()) }
    }

    /// Until the next request may go.
    pub(crate) async fn wait(&self) {
        let turn = {
            let mut next = self.next.lock().await;
            let turn = (*next).max(Instant::now());
            *next = turn + self.gap;
            turn
        };
        sleep_until(turn).await;
    }

    /// Delays all requests, since the server demands a pause.
    pub(crate) async fn hold(&self, wait: Duration) {
        let mut next = self.next.lock().await;
        *next = (*next).max(Instant::now() + wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_keep_their_distance() {
        let pace = Pace::new(Some(5.0));
        let began = Instant::now();
        for _ in 0..6 {
            pace.wait().await;
        }
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        pace.hold(Duration::from_secs(7)).await;
        pace.wait().await;
        assert_eq!(began.elapsed(), Duration::from_secs(8));
    }
}
