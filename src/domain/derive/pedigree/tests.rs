use std::collections::BTreeMap;

use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};

use super::{
    BookPedigree, Descent, KINSHIP_GENERATIONS_MAX, Parents, Pedigree, PedigreeCache, PedigreeError, Relationships,
    descents, makes_cycle,
};

fn row(id: i64, sire: i64, dam: i64) -> Parents {
    let parent = |id: i64| (id != 0).then_some(id);
    Parents { id, sire: parent(sire), dam: parent(dam) }
}

fn rows(rows: &[(i64, i64, i64)]) -> Vec<Parents> {
    rows.iter().map(|&(id, sire, dam)| row(id, sire, dam)).collect()
}

fn pedigree(of: &[(i64, i64, i64)]) -> Pedigree {
    Pedigree::new(rows(of)).unwrap()
}

/// The inbreeding and the depth of each of these.
fn descent<const N: usize>(of: &[(i64, i64, i64)], ids: [i64; N]) -> [Option<(f64, f64)>; N] {
    let rows = rows(of).into_iter().map(|row| (row.id, row)).collect();
    let all = descents(&rows, &ids);
    ids.map(|id| all.get(&id).map(|of| (of.inbreeding, of.depth)))
}

/// The descent of an animal, whatever else was asked about.
fn alone(rows: &BTreeMap<i64, Parents>, id: i64) -> Descent {
    descents(rows, &[id])[&id]
}

/// Those that are in the cache already must come with the same parents.
fn relationships(cache: &mut PedigreeCache, rows: &[Parents]) -> Relationships {
    cache.add(&rows.iter().map(|row| (row.id, *row)).collect());
    let ids: Vec<i64> = rows.iter().flat_map(|row| [Some(row.id), row.sire, row.dam]).flatten().collect();
    let all = Relationships::new(cache.part(&ids), &|| true).unwrap();
    all.remember_in(cache);
    all
}

fn all_of(rows: &[Parents]) -> Relationships {
    relationships(&mut PedigreeCache::default(), rows)
}

#[test]
fn the_worked_example_of_the_domain_facts() {
    let all = descent(&[(6, 5, 2), (5, 4, 3), (4, 1, 0), (3, 1, 2)], [1, 2, 3, 4, 5, 6, 99]);
    let coefficients = all.map(|of| of.map(|(inbreeding, _)| inbreeding));
    let zero = Some(0.0);
    assert_eq!(coefficients, [zero, zero, zero, zero, Some(0.125), Some(0.125), None]);
}

#[test]
fn a_calf_of_full_sibs_has_a_quarter_and_of_parent_and_child_too() {
    let rows = [(3, 1, 2), (4, 1, 2), (5, 3, 4), (6, 1, 4)];
    assert_eq!(descent(&rows, [5, 6]).map(|of| of.unwrap().0), [0.25, 0.25]);
    let book = pedigree(&rows);
    assert_eq!(book.kinship(3, 4, 8), Some(0.25));
    assert_eq!(book.kinship(5, 5, 8), Some(0.625));
    assert_eq!(book.kinship(5, 77, 8), None);
}

#[test]
fn kinship_stops_at_its_horizon() {
    let book = pedigree(&[(3, 1, 2), (4, 1, 2), (5, 3, 0), (6, 4, 0)]);
    assert_eq!(book.kinship(5, 6, 2), Some(0.0625));
    assert_eq!(book.kinship(5, 6, 1), Some(0.0));
}

#[test]
fn a_named_parent_without_a_row_is_one_founder() {
    assert_eq!(descent(&[(3, 1, 0), (4, 1, 0), (5, 3, 4)], [5]), [Some((0.125, 1.5))]);
}

#[test]
fn depth_counts_each_known_ancestor_by_generation() {
    let all = descent(&[(3, 1, 2), (4, 3, 0), (5, 4, 3)], [5, 9, 3, 4, 1]);
    let depths = all.map(|of| of.map(|(_, depth)| depth));
    assert_eq!(depths, [Some(2.0), None, Some(1.0), Some(1.0), Some(0.0)]);
}

#[test]
fn cycles_and_contradictions_are_errors() {
    let looped = Pedigree::new([row(1, 2, 0), row(2, 3, 0), row(3, 1, 0)]);
    assert!(matches!(looped, Err(PedigreeError::Cycle(1..=3))));
    assert!(matches!(Pedigree::new([row(1, 1, 0)]), Err(PedigreeError::Cycle(1))));
    let twice = Pedigree::new([row(1, 2, 0), row(1, 3, 0)]);
    assert!(matches!(twice, Err(PedigreeError::Ambiguous(1))));
    assert!(Pedigree::new([row(1, 2, 0), row(1, 2, 0)]).is_ok());
}

#[test]
fn a_new_parent_may_not_be_a_descendant() {
    let rows = [row(5, 4, 3), row(4, 1, 0), row(3, 1, 2)];
    assert!(makes_cycle(rows, 1, Some(5), None));
    assert!(makes_cycle(rows, 4, None, Some(4)));
    assert!(!makes_cycle(rows, 6, Some(5), Some(2)));
    let damaged = [row(1, 2, 0), row(2, 1, 0)];
    assert!(!makes_cycle(damaged, 7, Some(1), None));
}

#[test]
fn a_link_that_closes_a_circle_does_not_count() {
    // 1 and 2 are each the mother of the other; 9 is a calf of both.
    let rows = [row(1, 7, 2), row(2, 8, 1), row(9, 0, 1)];
    let rows: BTreeMap<i64, Parents> = rows.iter().map(|row| (row.id, *row)).collect();
    // Father 7, mother 2 with her father 8. Each has a pedigree of its own.
    let all = descents(&rows, &[1, 2, 5, 9]);
    let depths: Vec<(i64, f64)> = all.iter().map(|(id, of)| (*id, of.depth)).collect();
    assert_eq!(depths, [(1, 0.5 + 0.5 * 1.5), (2, 0.5 + 0.5 * 1.5), (9, 0.5 * (1.0 + 1.25))]);
}

/// Pedigrees of up to 24 animals, each with parents among the earlier ones.
fn random_rows() -> impl Strategy<Value = Vec<Parents>> {
    prop::collection::vec((0_i64..24, 0_i64..24), 2..24).prop_map(|picks| {
        picks.into_iter().zip(1_i64..).map(|((sire, dam), id)| row(id, sire % id, dam % id)).collect()
    })
}

proptest! {
    /// In any circle of names the search ends, and no animal is among its own ancestors.
    #[test]
    fn any_rows_have_a_pedigree(picks in prop::collection::vec((1_i64..9, 0_i64..9, 0_i64..9), 1..12)) {
        let rows: BTreeMap<i64, Parents> =
            picks.iter().map(|&(id, sire, dam)| (id, row(id, sire, dam))).collect();
        for id in rows.keys() {
            let inbreeding = alone(&rows, *id).inbreeding;
            prop_assert!((0.0..=1.0).contains(&inbreeding), "{inbreeding}");
        }
    }
}

#[test]
fn nothing_more_is_computed_for_who_went_away() {
    let mut cache = PedigreeCache::default();
    cache.add(&BTreeMap::from([(3, row(3, 1, 2))]));
    assert!(Relationships::new(cache.part(&[3]), &|| false).is_none());
}

#[test]
fn ancestors_beyond_the_generations_do_not_count() {
    // 1 is two generations above 5 and one above 4; 4 and 5 are half sibs by 3 too.
    let all = all_of(&rows(&[(3, 1, 0), (4, 3, 1), (5, 3, 2)]));
    let of = |generations| -> Vec<i64> {
        let ancestors = all.common_ancestors(4, 5, generations).into_iter();
        ancestors.map(|one| one.id).collect()
    };
    assert_eq!(of(1), [3, 1]);
    assert!(of(0).is_empty());
    // Of two of one line the nearer one counts.
    assert_eq!(all.common_ancestors(5, 3, 1).len(), 1);
    // Thirty generations of many ancestors: the time is that of the nearest.
    let line = (1..30).flat_map(|generation| (0..40).map(move |at| (generation, at)));
    let id = |generation: i64, at: i64| 1 + generation * 40 + at % 40;
    let line: Vec<_> = line.map(|(g, at)| row(id(g, at), id(g - 1, at), id(g - 1, at * 7 + 1))).collect();
    let all = all_of(&line);
    let near = all.common_ancestors(id(29, 0), id(29, 1), 10);
    assert!(!near.is_empty() && near.iter().all(|one| one.generations <= 10), "{near:?}");
    let kinship = all.of(id(29, 0)).unwrap().kinship(id(29, 1)).unwrap();
    let sum: f64 = near.iter().map(|one| one.contribution).sum();
    assert!(sum <= kinship + 1e-9, "{sum} {kinship}");
}

#[test]
fn the_ancestors_of_two_are_those_of_wrights_paths() {
    // Half sibs 5 and 6 by 3, whose parents 1 and 2 are unrelated; 7 by 5, 8 by 6, and 2 is the dam of 8 too.
    let all = all_of(&rows(&[(3, 1, 2), (5, 3, 0), (6, 3, 0), (7, 5, 0), (8, 6, 2)]));
    let of = |a, b| -> Vec<(i64, f64, u32)> {
        let ancestors = all.common_ancestors(a, b, u32::MAX).into_iter();
        ancestors.map(|one| (one.id, one.contribution, one.generations)).collect()
    };
    // All of the half sibs is by their sire, nothing by his parents.
    assert_eq!(of(5, 6), [(3, 0.125, 1)]);
    // By 3 over 5 and 6: (1/2)^5; by 2 over 3 and 5: (1/2)^5.
    assert_eq!(of(7, 8), [(2, 0.03125, 1), (3, 0.03125, 2)]);
    // A parent is the ancestor itself.
    assert_eq!(of(3, 5), [(3, 0.25, 0)]);
    assert_eq!(of(1, 2), []);
    assert_eq!(of(1, 99), []);
    let relatives = all.of(5).unwrap();
    assert_eq!((relatives.kinship(6), relatives.relationship(6)), (Some(0.125), Some(0.25)));
    assert_eq!((relatives.kinship(99), all.of(99).is_none()), (None, true));
    assert_eq!((all.generations(8), all.generations(1)), (Some(3), Some(0)));
}

proptest! {
    /// Kinship of each pair, its parts by ancestors, and the inbreeding of all are those of the recursion.
    #[test]
    fn relationships_are_those_of_the_recursion(rows in random_rows()) {
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let book = Pedigree::new(rows.iter().copied()).unwrap();
        let all = all_of(&rows);
        for (id, row) in ids.iter().zip(&rows) {
            let parents = row.sire.zip(row.dam);
            let expected = parents.map_or(0.0, |(a, b)| book.kinship(a, b, KINSHIP_GENERATIONS_MAX).unwrap());
            prop_assert!((all.inbreeding(*id).unwrap() - expected).abs() < 1e-12);
            let relatives = all.of(*id).unwrap();
            for other in &ids {
                let expected = book.kinship(*id, *other, KINSHIP_GENERATIONS_MAX).unwrap();
                let kinship = relatives.kinship(*other).unwrap();
                prop_assert!((kinship - expected).abs() < 1e-12, "{id} {other}: {kinship} {expected}");
                let parts = all.common_ancestors(*id, *other, u32::MAX);
                let sum: f64 = parts.iter().map(|one| one.contribution).sum();
                prop_assert!((sum - expected).abs() < 1e-9, "{id} {other}: {sum} {expected}");
                prop_assert!(relatives.relationship(*other).unwrap() < 1.0 + 1e-12);
            }
        }
    }
}

/// Pedigrees of many generations: parents are among the dozen before, or nobody knows them.
fn deep_rows() -> impl Strategy<Value = Vec<Parents>> {
    prop::collection::vec((0_i64..15, 0_i64..15), 2..120).prop_map(|picks| {
        let parent = |id: i64, back: i64| if back < 12 { (id - 1 - back).max(0) } else { 0 };
        picks.into_iter().zip(1_i64..).map(|((sire, dam), id)| row(id, parent(id, sire), parent(id, dam))).collect()
    })
}

/// Percent as the book stores it, and as the faces say it.
fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

proptest! {
    /// A pair is as related as its calf is inbred, to the digit that is stored, whatever the cache was asked before.
    #[test]
    fn a_calf_is_as_inbred_as_its_parents_are_related(rows in deep_rows(), cuts in prop::collection::vec(0_usize..120, 0..4)) {
        let mut cache = PedigreeCache::default();
        for cut in cuts {
            relationships(&mut cache, &rows[..cut.min(rows.len())]);
        }
        let all = relationships(&mut cache, &rows);
        let last = i64::try_from(rows.len()).unwrap();
        for other in [1, last / 2, last - 1].map(|id| id.max(1)) {
            let calf = [row(last + 1, last, other)];
            let book = rows.iter().chain(&calf).map(|row| (row.id, *row)).collect();
            let inbreeding = alone(&book, last + 1).inbreeding;
            let kinship = all.of(last).unwrap().kinship(other).unwrap();
            let (expected, stored) = (percent(kinship), ((100.0 * inbreeding) * 10_000.0).round() / 10_000.0);
            prop_assert!((expected - stored).abs() < 1e-9, "{last} {other}: {kinship} {inbreeding}");
            let of_calf = relationships(&mut cache, &calf).inbreeding(last + 1).unwrap();
            prop_assert!((of_calf - inbreeding).abs() < 1e-12);
            cache = PedigreeCache::default();
            relationships(&mut cache, &rows);
        }
    }

    /// In circles of names the pedigree of each animal is its own, and nothing of it is remembered for others.
    #[test]
    fn a_cache_holds_circles(picks in prop::collection::vec((1_i64..9, 0_i64..9, 0_i64..9), 1..12)) {
        let rows: BTreeMap<i64, Parents> =
            picks.iter().map(|&(id, sire, dam)| (id, row(id, sire, dam))).collect();
        let mut cache = PedigreeCache::default();
        cache.add(&rows);
        for _ in 0..2 {
            for id in rows.keys() {
                let all = Relationships::new(cache.part(&[*id]), &|| true).unwrap();
                all.remember_in(&mut cache);
                let alone = alone(&rows, *id);
                prop_assert_eq!(all.depths(&[*id]), [Some(alone.depth)]);
                let (inbreeding, expected) = (all.inbreeding(*id).unwrap(), alone.inbreeding);
                prop_assert!((inbreeding - expected).abs() < 1e-12, "{id}: {inbreeding} {expected}");
            }
        }
    }
}

#[test]
fn a_line_of_a_thousand_generations_is_no_harm() {
    // Full sibs are mated again and again.
    let line: Vec<Parents> = (1..1_000).flat_map(|g| [1, 2].map(|at| row(2 * g + at, 2 * g - 1, 2 * g))).collect();
    let all = all_of(&line);
    assert_eq!(all.count(), 2_000);
    let kinship = all.of(1_999).unwrap().kinship(2_000).unwrap();
    assert!((kinship - 1.0).abs() < 1e-9, "{kinship}");
    assert_eq!(all.generations(2_000), Some(999));
    // Of the tenth generation as the recursion of full sibs says it: F = (1 + 2 F' + F'') / 4.
    let (mut before, mut last) = (0.0, 0.25);
    for _ in 3..=10 {
        (before, last) = (last, 0.25 * (1.0 + 2.0 * last + before));
    }
    assert_eq!(all.inbreeding(21), Some(last));
    assert!(!all.common_ancestors(1_999, 2_000, 10).is_empty());
}

/// A whole book that is read in the order of ids; the animals `late` were added meanwhile, and are read at the end.
fn book_of(rows: &[Parents], late: impl Fn(i64) -> bool) -> PedigreeCache {
    let mut rows = rows.to_vec();
    rows.sort_unstable_by_key(|row| row.id);
    let (late, rows): (Vec<Parents>, Vec<Parents>) = rows.into_iter().partition(|row| late(row.id));
    let mut book = BookPedigree::default();
    for page in rows.chunks(7) {
        book.read(page.iter().copied());
    }
    let missing = book.missing();
    assert!(missing.is_sorted() && missing.iter().all(|id| late.iter().any(|row| row.id == *id)), "{missing:?}");
    book.complete(&late.iter().map(|row| (row.id, *row)).collect());
    assert_eq!((book.count(), book.missing()), (rows.len() + late.len(), Vec::new()));
    // In the smallest steps.
    while book.compute(1) {}
    book.into_cache()
}

proptest! {
    /// A pair of a book that was read is as related as the pair alone, and no ancestor is left to compute.
    #[test]
    fn a_book_answers_as_its_pairs_alone(rows in deep_rows(), stride in 1_i64..131) {
        // In any order of ids, of which 0 is none.
        let other = |id: i64| id * stride % 131;
        let rows: Vec<Parents> = rows.iter().map(|one| Parents {
            id: other(one.id), sire: one.sire.map(other), dam: one.dam.map(other),
        }).collect();
        let mut book = book_of(&rows, |id| id % 5 == 0);
        for two in rows.chunks(2) {
            let ids: Vec<i64> = two.iter().map(|one| one.id).collect();
            let (part, alone) = (book.part(&ids), all_of(&rows));
            let parents: Vec<usize> = part.nodes.iter().flat_map(|node| node.parents()).collect();
            prop_assert!(parents.iter().all(|at| !part.inbreeding[*at].is_nan()));
            let all = Relationships::new(part, &|| true).unwrap();
            all.remember_in(&mut book);
            for (one, next) in ids.iter().zip(ids.iter().rev()) {
                let of = |all: &Relationships| (all.of(*one).unwrap().kinship(*next).unwrap(), all.inbreeding(*one).unwrap());
                let ((kinship, inbreeding), (expected, own)) = (of(&all), of(&alone));
                prop_assert!((kinship - expected).abs() < 1e-12, "{one} {next}: {kinship} {expected}");
                prop_assert!((inbreeding - own).abs() < 1e-12, "{one}: {inbreeding} {own}");
                prop_assert_eq!(all.depths(&ids), alone.depths(&ids));
            }
        }
    }

    /// What runs in circles is left to those who ask.
    #[test]
    fn a_book_holds_circles(picks in prop::collection::vec((1_i64..9, 0_i64..9, 0_i64..9), 1..12)) {
        let founders = (1..9).map(|id| (id, row(id, 0, 0)));
        let picked = picks.iter().map(|&(id, sire, dam)| (id, row(id, sire, dam)));
        let rows: BTreeMap<i64, Parents> = founders.chain(picked).collect();
        let mut book = book_of(&rows.values().copied().collect::<Vec<_>>(), |_| false);
        for id in rows.keys() {
            let all = Relationships::new(book.part(&[*id]), &|| true).unwrap();
            let alone = alone(&rows, *id);
            prop_assert_eq!(all.depths(&[*id]), [Some(alone.depth)]);
            let (inbreeding, expected) = (all.inbreeding(*id).unwrap(), alone.inbreeding);
            prop_assert!((inbreeding - expected).abs() < 1e-12, "{id}: {inbreeding} {expected}");
        }
    }
}

#[test]
fn a_book_may_have_its_progeny_first() {
    // A hundred thousand generations from the last id to the first: each animal is followed up once.
    let count = 100_000;
    let line: Vec<Parents> = (1..=count).map(|id| row(id, if id < count { id + 1 } else { 0 }, 0)).collect();
    let mut book = book_of(&line, |_| false);
    let all = relationships(&mut book, &line[..1]);
    assert_eq!((all.generations(1), all.inbreeding(1)), (Some(99_999), Some(0.0)));
}

#[test]
fn new_animals_are_added_to_a_book() {
    let mut book = book_of(&rows(&[(1, 0, 0), (2, 0, 0), (4, 1, 2), (9, 1, 2)]), |_| false);
    assert!(book.contains(4) && !book.contains(3));
    // With an id between those that were read.
    let all = relationships(&mut book, &[row(5, 4, 9), row(12, 5, 9)]);
    assert_eq!(book.count(), 6);
    assert_eq!((all.inbreeding(5), all.inbreeding(12)), (Some(0.25), Some(0.375)));
}
