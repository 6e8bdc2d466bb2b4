//! Work over many items that needs nothing but them, on all processors at once: reading documents, rendering and
//! comparing them. Results come in the order of the items, and are the same as one after another.

use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
    IntoParallelRefMutIterator, ParallelIterator,
};

/// Items for which it is worth while to wake other threads, at some ten microseconds each.
const WORTH: usize = 64;
/// Items that a thread takes at least.
const SHARE: usize = 16;

/// What a function makes of each item.
pub fn map<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.iter().map(of).collect(),
        false => items.par_iter().with_min_len(SHARE).map(of).collect(),
    }
}

/// The same of items that are used up.
pub fn into_map<T: Send, R: Send>(items: Vec<T>, of: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < WORTH {
        true => items.into_iter().map(of).collect(),
        false => items.into_par_iter().with_min_len(SHARE).map(of).collect(),
    }
}

/// The same of items that change by it.
pub fn map_mut<T: Send, R: Send>(
    items: &mut [T],
    of: impl Fn(&mut T) -> R + Sync + Send,
) -> Vec<R> {
    match items.len() < WORTH {
        true => items.iter_mut().map(of).collect(),
        false => (items.par_iter_mut().with_min_len(SHARE).map(of)).collect(),
    }
}

/// Gives up a value of so many parts, such as the documents of a batch. If they are many, to free them takes
/// milliseconds, and another thread does it.
pub fn discard<T: Send + 'static>(parts: usize, value: T) {
    match parts < WORTH {
        true => drop(value),
        false => rayon::spawn(move || drop(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_discarded_is_dropped() {
        struct Dropped(std::sync::mpsc::Sender<()>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.send(()).unwrap();
            }
        }
        for parts in [1, WORTH] {
            let (send, receive) = std::sync::mpsc::channel();
            discard(parts, Dropped(send));
            assert!(receive.recv().is_ok());
        }
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
        let caught =
            std::panic::catch_unwind(|| map(&items, |_| -> usize { panic!("on another thread") }));
        assert!(caught.is_err());
    }
}
