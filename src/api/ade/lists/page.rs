//! Answers that are pages of a collection, and the address of one.

use super::super::query::{Ignored, quoted};
use super::super::{ROOT, json};
use crate::layers::response_cache::cache_marks::Cacheable;
use axum::http::StatusCode;
use axum::response::Response;
use exchange::{Page, Turn};
use std::ops::Range;

/// The address of a collection, quoted.
pub(in crate::ade) fn path(scheme: &str, id: &str, collection: &str) -> String {
    format!("{ROOT}/locations/{}/{}/{}", quoted(scheme), quoted(id), quoted(collection))
}

/// A page with a note on what did not count.
pub(in crate::ade) fn answer(body: Vec<u8>, ignored: &Ignored) -> Response {
    let mut response = cacheable(body);
    ignored.tell(&mut response);
    response
}

/// A page that is made anew for each request.
pub(in crate::ade) fn fresh(body: Vec<u8>, ignored: &Ignored) -> Response {
    let mut response = json(StatusCode::OK, body);
    ignored.tell(&mut response);
    response
}

/// An answer that holds as long as what was read for it.
pub(in crate::ade) fn cacheable(body: Vec<u8>) -> Response {
    let mut response = json(StatusCode::OK, body);
    response.extensions_mut().insert(Cacheable);
    response
}

/// What a page shows of a list that is not read from documents, and that page; places count from 1.
pub(in crate::ade) fn window(total: usize, turn: Turn, size: u64) -> (Page, Range<usize>) {
    let total = total as u64;
    let place = |at: i64| u64::try_from(at).unwrap_or_default();
    let (from, to) = match turn {
        Turn::First => (0, size),
        Turn::After(at) => (place(at), place(at).saturating_add(size)),
        Turn::Skip(rows) => (rows, rows.saturating_add(size)),
        Turn::Before(at) => {
            let end = place(at).saturating_sub(1).min(total);
            (end.saturating_sub(size), end)
        }
        Turn::Last(rows) => (total.saturating_sub(rows), total),
    };
    let (from, to) = (from.min(total), to.min(total));
    let some = |at: u64| i64::try_from(at).ok().filter(|_| from < to);
    let backwards = matches!(turn, Turn::Before(_) | Turn::Last(_));
    let page = Page {
        count: to - from,
        first: some(from + 1),
        last: some(to),
        total,
        more: if backwards { from > 0 } else { to < total },
        ..Page::default()
    };
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    (page, index(from)..index(to))
}

#[cfg(test)]
mod tests {
    use super::window;
    use exchange::Turn;

    #[test]
    fn pages_of_a_short_list_follow_each_other_both_ways() {
        let all = ["a", "b", "c"];
        let part = |turn, size| {
            let (page, shown) = window(all.len(), turn, size);
            (page, &all[shown])
        };
        let (page, chosen) = part(Turn::First, 2);
        assert_eq!((chosen, page.more, page.last), (&all[..2], true, Some(2)));
        let (page, chosen) = part(Turn::After(2), 2);
        assert_eq!((chosen, page.more, page.first), (&all[2..], false, Some(3)));
        let (page, chosen) = part(Turn::Before(3), 2);
        assert_eq!((chosen, page.more), (&all[..2], false));
        let (_, chosen) = part(Turn::Last(1), 2);
        assert_eq!(chosen, ["c"]);
        let (page, chosen) = part(Turn::Skip(9), 2);
        assert_eq!((chosen.len(), page.total, page.first), (0, 3, None));
    }
}
