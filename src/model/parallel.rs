//! Work over many items that needs nothing but them, on all processors at once: reading documents, rendering and
//! comparing them. Results come in the order of the items, and are the same as one after another.

use crate::error::{Error, Result};
use futures_channel::oneshot;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator,
    ParallelIterator,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Items for which it is worth while to wake other threads, at some ten microseconds each.
const WORTH: usize = 64;
/// Items that a thread takes together.
const SHARE: usize = 16;

/// What a function makes of each item.
pub fn map<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.iter().map(of).collect(),
        false => items.par_iter().with_min_len(SHARE).map(of).collect(),
    }
}

/// [`map`] of items that are used up.
pub fn into_map<T: Send, R: Send>(items: Vec<T>, of: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.into_iter().map(of).collect(),
        false => items.into_par_iter().with_min_len(SHARE).map(of).collect(),
    }
}

/// [`map`] of items that change by it.
pub fn map_mut<T: Send, R: Send>(items: &mut [T], of: impl Fn(&mut T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.iter_mut().map(of).collect(),
        false => items.par_iter_mut().with_min_len(SHARE).map(of).collect(),
    }
}

/// Starts work on another thread. The caller goes on, such as with waiting for a database, and has the result when it
/// waits for it.
///
/// # Errors
/// [`Error::Internal`] when the work was given up, which happens at the end of the process only.
///
/// # Panics
/// The future panics as the work did.
pub fn beside<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> impl Future<Output = Result<R>> + Send {
    let (done, result) = oneshot::channel();
    rayon::spawn(move || {
        // A missing receiver is no fault: the caller went away.
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    });
    async move {
        let ended = result.await.map_err(Error::internal)?;
        Ok(ended.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    /// Waits without a runtime.
    fn block_on<R>(future: impl Future<Output = R>) -> R {
        let mut future = std::pin::pin!(future);
        loop {
            if let Some(result) = future.as_mut().now_or_never() {
                return result;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn work_beside_has_begun_before_it_is_waited_for() {
        let (send, receive) = std::sync::mpsc::channel();
        let result = beside(move || send.send(7).map(|()| 8));
        assert_eq!(receive.recv(), Ok(7));
        assert_eq!(block_on(result).unwrap(), Ok(8));
    }

    #[test]
    fn a_panic_beside_reaches_who_waits() {
        let result = beside(|| -> usize { panic!("on another thread") });
        assert!(catch_unwind(AssertUnwindSafe(|| block_on(result))).is_err());
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, WORTH - 1, WORTH, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), doubled);
            assert_eq!(into_map(items.clone(), |item| item * 2), doubled);
            let mut changed = items.clone();
            let before = map_mut(&mut changed, |item| std::mem::replace(item, *item * 2));
            assert_eq!((before, changed), (items, doubled));
        }
    }
}
