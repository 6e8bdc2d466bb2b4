//! Work over many items that needs nothing but them, on all processors at once: reading documents, rendering and
//! comparing them. Results come in the order of the items, and are the same as one after another.

use crate::error::{Error, Result};
use futures_channel::oneshot;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Items for which it is worth while to wake other threads, at some ten microseconds each.
const WORTH: usize = 64;
/// Items that a thread takes together.
const SHARE: usize = 16;

/// What a function makes of each item.
pub fn map<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.iter().map(of).collect(),
        false => shared(items.len(), items.chunks(SHARE), |share: &[T]| share.iter().map(&of).collect()),
    }
}

/// [`map`] of items that are used up.
pub fn into_map<T: Send, R: Send>(items: Vec<T>, of: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    let count = items.len();
    if count < WORTH {
        return items.into_iter().map(of).collect();
    }
    let mut items = items.into_iter();
    let shares = std::iter::from_fn(|| {
        let share: Vec<T> = items.by_ref().take(SHARE).collect();
        Some(share).filter(|share| !share.is_empty())
    });
    shared(count, shares, |share: Vec<T>| share.into_iter().map(&of).collect())
}

/// [`map`] of items that change by it.
pub fn map_mut<T: Send, R: Send>(items: &mut [T], of: impl Fn(&mut T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.iter_mut().map(of).collect(),
        false => shared(items.len(), items.chunks_mut(SHARE), |share: &mut [T]| share.iter_mut().map(&of).collect()),
    }
}

/// Does shares of work on all processors. The caller takes shares beside a thread for each of them: a thread that is
/// woken while all are busy waits for the processor of the caller, often for milliseconds after another has
/// become idle, and the work goes on meanwhile. One thread less made batches slower.
fn shared<S: Send, R: Send>(
    count: usize,
    shares: impl Iterator<Item = S> + Send,
    of: impl Fn(S) -> Vec<R> + Sync,
) -> Vec<R> {
    let shares = Mutex::new(shares.enumerate());
    let done = Mutex::new(Vec::new());
    let take = || {
        let mut mine = Vec::new();
        loop {
            let next = locked(&shares).next();
            let Some((at, share)) = next else { break };
            mine.push((at, of(share)));
        }
        locked(&done).append(&mut mine);
    };
    let others = rayon::current_num_threads().min(count.div_ceil(SHARE));
    rayon::in_place_scope(|scope| {
        (0..others).for_each(|_| scope.spawn(|_| take()));
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    let mut results = Vec::with_capacity(count);
    done.into_iter().for_each(|(_, of)| results.extend(of));
    results
}

/// A thread that panicked leaves the shares as they are; the panic reaches the caller.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn a_panic_reaches_the_caller() {
        let items = vec![0; 1_000];
        let caught = catch_unwind(|| map(&items, |_| -> usize { panic!("on another thread") }));
        assert!(caught.is_err());
    }
}
