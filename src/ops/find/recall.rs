//! A cache of recent reads: totals of conditions, and positions in long lists. Each entry is stored under the exact
//! statement, with the rights of the caller in it, as long as none of its tables changes. So it is exact, in every
//! process, and reveals nothing that the caller could not count.

use moka::sync::Cache;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::{ReadSet, Snapshot, SortPosition, Versions};

/// Bytes of statements and totals that are remembered.
const COUNTS: u64 = 8 << 20;
/// Number of lists whose places are remembered.
const LISTS: u64 = 500;
/// Places that are remembered of one list, besides its signposts.
const PLACES: usize = 64;

/// A statement, and since when what is remembered of it holds.
#[derive(Debug)]
pub(crate) struct CachedStatement<'v> {
    pub(crate) versions: &'v Versions,
    pub(crate) since: Snapshot,
    pub(crate) read: ReadSet,
    /// None for what is not worth remembering.
    pub(crate) fingerprint: Option<Arc<str>>,
}

/// Something remembered, with the data that it depends on.
#[derive(Debug)]
struct CacheEntry<T> {
    since: Snapshot,
    read: ReadSet,
    what: T,
}

impl CachedStatement<'_> {
    fn fingerprint(&self) -> Option<Arc<str>> {
        self.fingerprint.clone().filter(|_| self.read.is_closed())
    }

    fn find<T: Send + Sync + 'static>(
        &self,
        cache: &Cache<Arc<str>, Arc<CacheEntry<T>>>,
    ) -> Option<Arc<CacheEntry<T>>> {
        let entry = cache.get(&self.fingerprint()?)?;
        self.versions.holds(entry.since, &entry.read).then_some(entry)
    }

    fn keep<T: Send + Sync + 'static>(
        &self,
        cache: &Cache<Arc<str>, Arc<CacheEntry<T>>>,
        what: T,
    ) -> Option<Arc<CacheEntry<T>>> {
        let (since, read) = (self.since, self.read.clone());
        let entry = Arc::new(CacheEntry { since, read, what });
        cache.insert(self.fingerprint()?, Arc::clone(&entry));
        Some(entry)
    }
}

/// The caches of one book.
#[derive(Debug, Clone)]
pub(crate) struct Recall {
    counts: Cache<Arc<str>, Arc<CacheEntry<u64>>>,
    places: Cache<Arc<str>, Arc<CacheEntry<Mutex<ListPositions>>>>,
}

/// Rows of one list by their number, from 0.
#[derive(Debug, Default)]
struct ListPositions {
    /// Where pages ended lately.
    passed: BTreeMap<u64, SortPosition>,
    /// Every n-th row of the whole list.
    posts: BTreeMap<u64, SortPosition>,
    /// A reader walked far in it.
    walked: bool,
    /// A task is to add entries for positions.
    requested: bool,
}

/// From where a page of a list is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    /// The row behind which reading starts; none: at an end of the list.
    pub(super) from: Option<SortPosition>,
    /// From high numbers to low ones.
    pub(super) backwards: bool,
    /// The number of rows to skip.
    pub(super) skip: u64,
    /// Rows to be read.
    pub(super) take: u64,
}

impl Recall {
    pub(crate) fn new() -> Self {
        let size = |fingerprint: &Arc<str>, _: &Arc<CacheEntry<u64>>| {
            u32::try_from(fingerprint.len() + 256).unwrap_or(u32::MAX)
        };
        Self { counts: Cache::builder().weigher(size).max_capacity(COUNTS).build(), places: Cache::new(LISTS) }
    }

    pub(super) fn count(&self, list: &CachedStatement<'_>) -> Option<u64> {
        list.find(&self.counts).map(|entry| entry.what)
    }

    pub(super) fn counted(&self, list: CachedStatement<'_>, total: u64) {
        list.keep(&self.counts, total);
    }

    fn with<T>(&self, list: &CachedStatement<'_>, work: impl FnOnce(&mut ListPositions) -> T) -> Option<T> {
        let entry = list.find(&self.places).or_else(|| list.keep(&self.places, Mutex::default()))?;
        let mut places = entry.what.lock().unwrap_or_else(PoisonError::into_inner);
        Some(work(&mut places))
    }

    /// The shortest way to a number of rows from number `first` on, in a list of which the end may be known.
    pub(super) fn way(&self, list: &CachedStatement<'_>, first: u64, rows: u64, total: Option<u64>) -> Way {
        let forwards = Way { from: None, backwards: false, skip: first, take: rows };
        let mut ways = vec![forwards.clone()];
        if let Some(total) = total {
            let end = first.saturating_add(rows).min(total);
            ways.push(backwards(None, first, end, total));
        }
        self.with(list, |places| {
            for positions in [&places.passed, &places.posts] {
                let before = positions.range(..first).next_back();
                ways.extend(before.map(|(number, place)| Way {
                    from: Some(place.clone()),
                    backwards: false,
                    skip: first - number - 1,
                    take: rows,
                }));
                let end = first.saturating_add(rows);
                let after = positions.range(end..).next();
                ways.extend(after.map(|(at, place)| backwards(Some(place.clone()), first, end, *at)));
            }
        });
        ways.into_iter().min_by_key(|way| way.skip).unwrap_or(forwards)
    }

    /// Notes a long walk. Whether it is not the first one since the list changed, and there
    /// are no signposts yet: those who ask at the same time need not put them up too.
    pub(super) fn walks_again(&self, list: &CachedStatement<'_>) -> bool {
        let signposts_needed = self.with(list, |places| {
            let signposts_needed = places.walked && !places.requested;
            places.walked = true;
            // Requested only once: others walk while signposts are being put up, which takes as long as some walks.
            places.requested |= signposts_needed;
            signposts_needed
        });
        signposts_needed.unwrap_or(false)
    }

    /// Remembers rows all along the list.
    pub(super) fn posted(&self, list: &CachedStatement<'_>, posts: BTreeMap<u64, SortPosition>) {
        self.with(list, |places| places.posts = posts);
    }

    /// Remembers the position of the row of that number.
    pub(super) fn passed(&self, list: &CachedStatement<'_>, number: u64, place: SortPosition) {
        self.with(list, |places| {
            let passed = &mut places.passed;
            if passed.len() >= PLACES {
                // The furthest from here is the least likely to be near to what comes next.
                let ends = [passed.first_key_value(), passed.last_key_value()].into_iter().flatten().map(|(at, _)| *at);
                if let Some(furthest) = ends.max_by_key(|at| at.abs_diff(number)) {
                    passed.remove(&furthest);
                }
            }
            passed.insert(number, place);
        });
    }
}

/// Rows `first..end`, from the row `from` (the end of the list) downwards.
fn backwards(from: Option<SortPosition>, first: u64, end: u64, row: u64) -> Way {
    Way { from, backwards: true, skip: row.saturating_sub(end), take: end.saturating_sub(first) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Sql;

    fn place(id: i64) -> SortPosition {
        SortPosition { keys: Vec::new(), id }
    }

    /// The statement that reads a table again after a commit.
    fn list<'v>(versions: &'v Versions, since: Snapshot, fingerprint: Option<&str>) -> CachedStatement<'v> {
        CachedStatement {
            versions,
            since,
            read: ReadSet::of(&Sql::new("SELECT 1 FROM animals")),
            fingerprint: fingerprint.map(Into::into),
        }
    }

    #[test]
    fn the_shortest_way_is_taken() {
        let (recall, versions) = (Recall::new(), Versions::new(None));
        let since = versions.hears(1, r#"{"animals":1}"#);
        let statement = |fingerprint| list(&versions, since, fingerprint);
        let way = |first, rows, total| {
            let way = recall.way(&statement(Some("list")), first, rows, total);
            let from = way.from.map(|place| place.id);
            (from, way.backwards, way.skip, way.take)
        };
        assert_eq!(way(600, 11, None), (None, false, 600, 11));
        assert_eq!(way(600, 11, Some(700)), (None, true, 89, 11));
        assert_eq!(way(690, 11, Some(695)), (None, true, 0, 5), "the last page");
        assert_eq!(way(900, 11, Some(700)), (None, true, 0, 0), "beyond");
        recall.passed(&statement(Some("list")), 609, place(9));
        assert_eq!(way(610, 11, None), (Some(9), false, 0, 11), "the next page");
        assert_eq!(way(630, 11, None), (Some(9), false, 20, 11));
        assert_eq!(way(590, 11, None), (Some(9), true, 8, 11), "the one before");
        recall.posted(&statement(Some("list")), BTreeMap::from([(999, place(10)), (1_999, place(20))]));
        assert_eq!(way(1_200, 11, None), (Some(10), false, 200, 11), "a signpost");
        assert_eq!(way(1_900, 11, None), (Some(20), true, 88, 11), "from behind");
        assert_eq!(way(630, 11, None), (Some(9), false, 20, 11), "still nearer");
        assert_eq!(recall.way(&statement(None), 610, 11, None).skip, 610);
        let later = versions.hears(2, r#"{"animals":2}"#);
        let later = list(&versions, later, Some("list"));
        assert_eq!(recall.way(&later, 610, 11, None).skip, 610);
    }

    #[test]
    fn what_is_remembered_holds_until_its_table_changes() {
        let (recall, versions) = (Recall::new(), Versions::new(None));
        let since = versions.hears(1, r#"{"animals":1}"#);
        recall.counted(list(&versions, since, Some("list")), 7);
        let counted = |snapshot| recall.count(&list(&versions, snapshot, Some("list")));
        assert_eq!(counted(since), Some(7));
        let other = versions.hears(2, r#"{"animals":1,"herds":2}"#);
        assert_eq!(counted(other), Some(7), "another table");
        let own = versions.hears(3, r#"{"animals":3,"herds":2}"#);
        assert_eq!(counted(own), None);
        recall.counted(list(&versions, own, Some("list")), 8);
        assert_eq!(counted(own), Some(8));
        let all = versions.hears(4, r#"{"animals":3,"herds":2,"*":4}"#);
        assert_eq!(counted(all), None, "unknown tables");
        recall.counted(list(&versions, all, Some("list")), 9);
        let back = versions.hears(3, r#"{"animals":3,"herds":2}"#);
        assert_eq!(counted(back), None, "another book");
    }

    #[test]
    fn only_the_second_long_walk_puts_up_signposts() {
        let (recall, versions) = (Recall::new(), Versions::new(None));
        let since = versions.hears(1, r#"{"animals":1}"#);
        let statement = || list(&versions, since, Some("list"));
        assert!(!recall.walks_again(&statement()));
        assert!(recall.walks_again(&statement()));
        for _ in 0..10 {
            assert!(!recall.walks_again(&statement()), "somebody is at it");
        }
        recall.posted(&statement(), BTreeMap::from([(999, place(1))]));
        for _ in 0..3 {
            assert!(!recall.walks_again(&statement()), "they stand");
        }
    }

    #[test]
    fn places_are_bounded() {
        let (recall, versions) = (Recall::new(), Versions::new(None));
        let since = versions.hears(1, r#"{"animals":1}"#);
        for number in 0..200 {
            recall.passed(&list(&versions, since, Some("list")), number, place(0));
        }
        let entry = recall.places.get("list").unwrap();
        let places = entry.what.lock().unwrap();
        assert_eq!(places.passed.len(), PLACES);
        assert!(places.passed.contains_key(&199) && !places.passed.contains_key(&0));
    }
}
