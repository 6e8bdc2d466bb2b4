//! The arithmetic of pages (docs/dialect.md, *Lists and paging*).

use std::fmt::Write as _;

/// Says that there are at least so many.
const BOUNDED: &str = "\"totalIsBounded\":true,";

/// What follows the documents of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Rows of a page as requested; 0: all.
    pub limit: u64,
    /// The page as requested, from 1.
    pub page: u64,
    /// All rows that fulfil the condition; without paging, the rows of the answer.
    pub total_docs: u64,
    /// Pages; at least 1.
    pub total_pages: u64,
    /// Number of the first row of the page, from 1.
    pub counter: u64,
    /// Whether a page follows.
    pub has_next: bool,
    /// Whether a page precedes.
    pub has_prev: bool,
    /// Whether there are at least that many rows and pages, and may be more.
    pub bounded: bool,
}

impl Totals {
    /// Of a page, when all rows were counted.
    pub fn counted(limit: u64, page: u64, total: u64) -> Self {
        // An empty result is one empty page, whichever page was requested.
        if limit == 0 || total == 0 {
            return Self::whole(limit, page, total);
        }
        let total_pages = total.div_ceil(limit);
        Self {
            limit,
            page,
            total_docs: total,
            total_pages,
            counter: offset(limit, page).saturating_add(1),
            has_next: total_pages > page,
            has_prev: page > 1,
            bounded: false,
        }
    }

    /// Of a page when only some rows were counted, and there are more.
    pub fn at_least(limit: u64, page: u64, rows: u64, has_next: bool) -> Self {
        let pages = page.saturating_add(u64::from(has_next));
        let counted = Self::counted(limit, page, rows);
        Self { total_pages: counted.total_pages.max(pages), has_next, bounded: true, ..counted }
    }

    /// Of an answer that is all there is to be had.
    pub fn whole(limit: u64, page: u64, rows: u64) -> Self {
        Self {
            limit,
            page,
            total_docs: rows,
            total_pages: 1,
            counter: 1,
            has_next: false,
            has_prev: false,
            bounded: false,
        }
    }

    /// The end of the envelope, from the bracket that closes `docs`.
    pub(super) fn tail(&self) -> Vec<u8> {
        let page = |there: bool, page: u64| if there { page.to_string() } else { "null".to_owned() };
        let mut out = String::with_capacity(192);
        // Writing into a text cannot fail.
        let _ = write!(
            out,
            "],\"hasNextPage\":{},\"hasPrevPage\":{},\"limit\":{},\"nextPage\":{},\"page\":{},\
             \"pagingCounter\":{},\"prevPage\":{},\"totalDocs\":{},{}\"totalPages\":{}}}",
            self.has_next,
            self.has_prev,
            self.limit,
            page(self.has_next, self.page.saturating_add(1)),
            self.page,
            self.counter,
            page(self.has_prev, self.page.saturating_sub(1)),
            self.total_docs,
            if self.bounded { BOUNDED } else { "" },
            self.total_pages,
        );
        out.into_bytes()
    }
}

/// Rows before a page.
pub(super) fn offset(limit: u64, page: u64) -> u64 {
    page.saturating_sub(1).saturating_mul(limit)
}

/// The total number of rows, if the page itself shows it: a page that is not full is the last
/// one, unless it lies beyond the end.
pub(super) fn implied(limit: u64, page: u64, rows: u64) -> Option<u64> {
    let last = rows < limit && (rows > 0 || page <= 1);
    last.then(|| offset(limit, page).saturating_add(rows))
}

#[cfg(test)]
mod tests {
    use super::{Totals, implied};

    fn tail(totals: Totals) -> String {
        String::from_utf8(totals.tail()).unwrap()
    }

    #[test]
    fn page_numbers_follow_the_dialect() {
        for (limit, page, total, expected) in [
            (
                10,
                1,
                25,
                "],\"hasNextPage\":true,\"hasPrevPage\":false,\"limit\":10,\"nextPage\":2,\"page\":1,\"pagingCounter\":1,\"prevPage\":null,\"totalDocs\":25,\"totalPages\":3}",
            ),
            (
                10,
                3,
                25,
                "],\"hasNextPage\":false,\"hasPrevPage\":true,\"limit\":10,\"nextPage\":null,\"page\":3,\"pagingCounter\":21,\"prevPage\":2,\"totalDocs\":25,\"totalPages\":3}",
            ),
            (
                10,
                4,
                25,
                "],\"hasNextPage\":false,\"hasPrevPage\":true,\"limit\":10,\"nextPage\":null,\"page\":4,\"pagingCounter\":31,\"prevPage\":3,\"totalDocs\":25,\"totalPages\":3}",
            ),
            (
                10,
                3,
                0,
                "],\"hasNextPage\":false,\"hasPrevPage\":false,\"limit\":10,\"nextPage\":null,\"page\":3,\"pagingCounter\":1,\"prevPage\":null,\"totalDocs\":0,\"totalPages\":1}",
            ),
            (
                0,
                3,
                25,
                "],\"hasNextPage\":false,\"hasPrevPage\":false,\"limit\":0,\"nextPage\":null,\"page\":3,\"pagingCounter\":1,\"prevPage\":null,\"totalDocs\":25,\"totalPages\":1}",
            ),
        ] {
            assert_eq!(tail(Totals::counted(limit, page, total)), expected);
        }
        let far = Totals::counted(9_007_199_254_740_991, 9_007_199_254_740_991, 1);
        assert_eq!((far.counter, far.has_next), (u64::MAX, false));
    }

    #[test]
    fn a_bounded_total_says_so() {
        let tail = tail(Totals::at_least(10, 1, 15, true));
        assert!(tail.contains("\"nextPage\":2,"), "{tail}");
        let end = "\"totalDocs\":15,\"totalIsBounded\":true,\"totalPages\":2}";
        assert!(tail.ends_with(end), "{tail}");
        // The pages that are there count all the same.
        let far = Totals::at_least(10, 7, 70, true);
        assert_eq!((far.total_pages, far.has_next, far.has_prev), (8, true, true));
    }

    #[test]
    fn a_page_that_is_not_full_tells_the_total() {
        assert_eq!(implied(10, 1, 10), None);
        assert_eq!(implied(10, 1, 0), Some(0));
        assert_eq!(implied(10, 3, 5), Some(25));
        assert_eq!(implied(10, 4, 0), None);
    }
}
