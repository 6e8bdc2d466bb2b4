//! Work on several threads whose result does not depend on their number.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Works through tasks that have nothing in common, on at most `threads` threads.
pub(crate) fn each<T: Send>(threads: usize, tasks: Vec<T>, work: impl Fn(T) + Sync) {
    if threads <= 1 {
        return tasks.into_iter().for_each(work);
    }
    let queue = Mutex::new(tasks.into_iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        while let Some(task) = next() {
            work(task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}

/// The pieces of a slice between `bounds`, of which the first is its beginning and the last its end.
pub(crate) fn pieces<'a, T>(mut slice: &'a mut [T], bounds: &[usize]) -> Vec<&'a mut [T]> {
    let mut pieces = Vec::with_capacity(bounds.len());
    for pair in bounds.windows(2) {
        let (piece, rest) = slice.split_at_mut(pair[1] - pair[0]);
        pieces.push(piece);
        slice = rest;
    }
    pieces
}
