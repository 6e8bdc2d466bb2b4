//! Single-flight: concurrent identical reads share one statement. A caller gets the result of a read that
//! began after its call, never of one that was under way before it.

use model::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;

/// Reads that callers share, numbered in the order in which they begin.
#[derive(Debug)]
pub(crate) struct SingleFlight {
    begun: AtomicU64,
    /// Locked by the caller that reads; others wait for it in their order.
    ended: Mutex<LastReads>,
}

/// The numbers of the last read that succeeded, and of the last one that failed.
#[derive(Debug, Default)]
struct LastReads {
    succeeded: u64,
    failed: u64,
}

impl SingleFlight {
    pub(crate) fn new() -> Self {
        Self { begun: AtomicU64::new(0), ended: Mutex::default() }
    }

    /// Returns when a read that began after this call ended, or when `is_known` says that none is
    /// needed. It runs `read` when no other caller does.
    ///
    /// # Errors
    /// Those of `read`; [`Error::Unavailable`] when the read of another failed: a caller that waited
    /// while the database did not answer must not wait as long again.
    pub(crate) async fn run<A>(&self, is_known: impl Fn() -> bool, read: impl FnOnce() -> A) -> Result<()>
    where
        A: Future<Output = Result<()>>,
    {
        let before = self.begun.load(Ordering::SeqCst);
        if is_known() {
            return Ok(());
        }
        let mut ended = self.ended.lock().await;
        if ended.succeeded > before || is_known() {
            return Ok(());
        }
        if ended.failed > before {
            return Err(Error::Unavailable("the database did not answer".to_owned()));
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let result = read().await;
        match result {
            Ok(()) => ended.succeeded = number,
            Err(_) => ended.failed = number,
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Semaphore;
    use tokio::task::JoinHandle;

    /// A question whose answers wait for permits.
    struct Question {
        single_flight: SingleFlight,
        answers: Semaphore,
        /// Reads that began.
        put: AtomicU64,
        called: AtomicU64,
        fails: bool,
    }

    impl Question {
        fn new(fails: bool) -> Arc<Self> {
            Arc::new(Self {
                single_flight: SingleFlight::new(),
                answers: Semaphore::new(0),
                put: AtomicU64::new(0),
                called: AtomicU64::new(0),
                fails,
            })
        }

        /// How many reads had begun when it was called, and how it went.
        fn ask(self: &Arc<Self>) -> JoinHandle<(u64, Result<()>)> {
            let own = Arc::clone(self);
            tokio::spawn(async move {
                let before = own.put.load(Ordering::SeqCst);
                own.called.fetch_add(1, Ordering::SeqCst);
                let ask = async || {
                    own.put.fetch_add(1, Ordering::SeqCst);
                    own.answers.acquire().await.unwrap().forget();
                    if own.fails { Err(Error::internal("broken on purpose")) } else { Ok(()) }
                };
                (before, own.single_flight.run(|| false, ask).await)
            })
        }

        async fn until(&self, put: u64, called: u64) {
            while self.put.load(Ordering::SeqCst) < put || self.called.load(Ordering::SeqCst) < called {
                tokio::task::yield_now().await;
            }
        }
    }

    #[tokio::test]
    async fn who_waits_is_served_by_one_asking_that_began_later() {
        let question = Question::new(false);
        let first = question.ask();
        question.until(1, 1).await;
        let waiting: Vec<_> = (0..20).map(|_| question.ask()).collect();
        question.until(1, 21).await;
        question.answers.add_permits(1);
        assert_eq!(first.await.unwrap().0, 0);
        // The others need another one, since theirs was under way already.
        question.until(2, 21).await;
        question.answers.add_permits(1);
        for one in waiting {
            let (before, done) = one.await.unwrap();
            assert_eq!(before, 1);
            done.unwrap();
        }
        assert_eq!(question.put.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn another_reads_when_the_first_reader_goes_away() {
        let question = Question::new(false);
        let first = question.ask();
        question.until(1, 1).await;
        let second = question.ask();
        question.until(1, 2).await;
        first.abort();
        question.until(2, 2).await;
        question.answers.add_permits(1);
        second.await.unwrap().1.unwrap();
    }

    #[tokio::test]
    async fn all_who_waited_learn_that_it_failed() {
        let question = Question::new(true);
        let first = question.ask();
        question.until(1, 1).await;
        let waiting: Vec<_> = (0..5).map(|_| question.ask()).collect();
        question.until(1, 6).await;
        question.answers.add_permits(2);
        assert!(matches!(first.await.unwrap().1, Err(Error::Internal(_))));
        let mut errors = Vec::new();
        for one in waiting {
            errors.push(one.await.unwrap().1.unwrap_err());
        }
        let silent = errors.iter().filter(|e| matches!(e, Error::Unavailable(_)));
        assert_eq!(silent.count(), 4, "{errors:?}");
        assert_eq!(question.put.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_cached_state_is_not_read_again() {
        let single_flight = SingleFlight::new();
        let ask = async || Err(Error::internal("read"));
        single_flight.run(|| true, ask).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn nobody_waits_for_ever() {
        let single_flight = Arc::new(SingleFlight::new());
        let (written_last, read_last) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let callers = (0..16).map(|at| {
            let (single_flight, written_last, read_last) =
                (Arc::clone(&single_flight), Arc::clone(&written_last), Arc::clone(&read_last));
            tokio::spawn(async move {
                for turn in 0..500 {
                    // What is true before the call is in the answer.
                    let written = written_last.fetch_add(1, Ordering::SeqCst) + 1;
                    let ask = async || {
                        let now = written_last.load(Ordering::SeqCst);
                        tokio::task::yield_now().await;
                        read_last.fetch_max(now, Ordering::SeqCst);
                        Ok(())
                    };
                    let call = single_flight.run(|| false, ask);
                    if (at + turn) % 7 == 0 {
                        // Some go away in the middle.
                        let _ = tokio::time::timeout(std::time::Duration::ZERO, call).await;
                        continue;
                    }
                    call.await.unwrap();
                    assert!(read_last.load(Ordering::SeqCst) >= written);
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
    }
}
