//! The effect of a write.

use super::super::fault::Fault;
use super::{Book, Doc, Id, Write};

/// Carries a write out; returns the resulting documents, and the last number. The true result of
/// the transaction is returned, even where a fault falsifies the book.
pub(super) fn apply(
    book: &mut Book,
    write: Write,
    (modified, commit, fault): (i64, i64, Option<Fault>),
    (version, mut seq): (&mut i64, i64),
) -> (Vec<(Id, Doc)>, i64) {
    let has = |one: Fault| fault == Some(one);
    let mut told = Vec::new();
    let mut leave = |book: &mut Book, id: Id, deleted: bool, shown: bool| {
        seq += 1;
        *version += 1;
        let doc = Doc {
            seq,
            commit,
            modified,
            deleted,
            version: *version,
            withdrawn: false,
        };
        if shown {
            let mut doc = doc.clone();
            if has(Fault::OldContent)
                && let Some(old) = book.docs.get(&id).filter(|old| !old.deleted)
            {
                doc.version = old.version;
            }
            book.docs.insert(id, doc);
        } else {
            book.docs.remove(&id);
        }
        told.push((id, doc));
    };
    match write {
        Write::Put(kind, number, farm) => {
            let farm = *book.rows.entry((kind, number)).or_insert(farm);
            leave(book, (kind, number, farm), false, true);
        }
        Write::Delete(kind, number) => {
            if let Some(farm) = book.rows.remove(&(kind, number)) {
                leave(book, (kind, number, farm), true, !has(Fault::LostTombstone));
            }
        }
        Write::Recreate(kind, number) => {
            if let Some(farm) = book.rows.get(&(kind, number)).copied() {
                let id = (kind, number, farm);
                leave(book, id, true, true);
                let gone = book.docs.get(&id).cloned();
                leave(book, id, false, true);
                if let (true, Some(gone), Some(made)) =
                    (has(Fault::RecreatedIsGone), gone, book.docs.get_mut(&id))
                {
                    *made = Doc {
                        seq: made.seq,
                        ..gone
                    };
                }
            }
        }
        Write::Sell(kind, number, to) => {
            if let Some(from) = book
                .rows
                .get(&(kind, number))
                .copied()
                .filter(|from| *from != to)
            {
                leave(book, (kind, number, from), true, !has(Fault::SoldNotBuried));
                book.rows.insert((kind, number), to);
                leave(book, (kind, number, to), false, true);
            }
        }
    }
    (told, seq)
}
