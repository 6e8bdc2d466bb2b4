use super::{
    BORROWED_VERSION, Base, Comparison, Estimate, Estimates, FEWEST, Index, Kind, MANY, Moments, RankedValue, Standing,
    TRAITS, TraitBase, Weights, borrowed_base, index, own_base, standings,
};
use proptest::prelude::{Strategy, any, prop, proptest};

/// The association's weights, in the order of the traits.
const ASSOCIATION: Weights = [3.0, 27.0, 14.0, 16.0, 6.0, 6.0, 4.0, 6.0, -8.0, 6.0, 4.0];

fn estimates(values: &[(&str, f64, Option<f64>)]) -> Estimates {
    TRAITS.map(|one| {
        let found = values.iter().find(|(key, ..)| *key == one.key);
        found.map_or_else(Estimate::default, |(_, value, reliability)| Estimate {
            value: Some(*value),
            reliability: *reliability,
        })
    })
}

fn weights(values: &[(&str, f64)]) -> Weights {
    TRAITS.map(|one| {
        let found = values.iter().find(|(key, _)| *key == one.key);
        found.map_or(0.0, |(_, weight)| *weight)
    })
}

#[test]
fn a_deviation_of_each_trait_gives_ten_points_for_each_share() {
    assert_eq!(BORROWED_VERSION, "CDCB-2025-metric");
    let one_sd: Vec<(&str, f64, Option<f64>)> = TRAITS.iter().map(|one| (one.key, one.sd, None)).collect();
    let all = index(Kind::Selection, &ASSOCIATION, &borrowed_base(), &estimates(&one_sd));
    // 3+27+14+16+6+6+4−6−8+6+4 = 72 of 100 shares.
    let expected = Index { value: 720.0, reliability: None, used: 11 };
    assert_eq!(all, Some(expected));
}

#[test]
fn weights_are_scaled_to_hundred_and_traits_without_a_value_are_left_out() {
    let base = borrowed_base();
    let milk = estimates(&[("milk", 257.1, Some(60.0)), ("fatKg", 11.29, None)]);
    let double: Weights = ASSOCIATION.map(|weight| weight * 2.0);
    for weights in [ASSOCIATION, double] {
        let found = index(Kind::Selection, &weights, &base, &milk).unwrap();
        assert_eq!((found.value, found.used), (300.0, 2));
        assert_eq!(found.reliability, Some(60.0));
    }
    let other = estimates(&[("calvingEase", 1.0, None)]);
    assert_eq!(index(Kind::Selection, &weights(&[("milk", 1.0)]), &base, &other), None);
    assert_eq!(index(Kind::Selection, &weights(&[]), &base, &milk), None);
}

#[test]
fn calf_mortality_lowers_an_index_once() {
    let losses = estimates(&[("calfMortality", 1.62, None)]);
    let value = |kind, weight| {
        let weights = weights(&[("calfMortality", weight)]);
        index(kind, &weights, &borrowed_base(), &losses).unwrap().value
    };
    assert_eq!(value(Kind::Selection, 6.0), -1000.0);
    assert_eq!(value(Kind::Selection, -6.0), 1000.0);
    assert_eq!(value(Kind::Economic, 490.0), -793.8);
}

#[test]
fn money_is_not_scaled_and_counts_from_the_mean_of_the_base() {
    let mut base = borrowed_base();
    base[0].mean = 100.0;
    let profit = weights(&[("milk", 20.0), ("fatKg", 1320.0)]);
    let animal = estimates(&[("milk", 350.0, Some(70.0)), ("fatKg", -2.0, Some(50.0))]);
    let found = index(Kind::Economic, &profit, &base, &animal).unwrap();
    assert_eq!(found.value, 250.0 * 20.0 - 2.0 * 1320.0);
    // Weights 20 · 257.1 and 1320 · 11.29.
    let expected = (5_142.0 * 70.0 + 14_902.8 * 50.0) / (5_142.0 + 14_902.8);
    assert_eq!(found.reliability, Some((expected * 10.0_f64).round() / 10.0));
}

#[test]
fn a_trait_whose_base_does_not_vary_does_not_count() {
    let mut base: Base = borrowed_base();
    base[0].sd = 0.0;
    let milk = estimates(&[("milk", 10.0, None)]);
    assert_eq!(index(Kind::Selection, &ASSOCIATION, &base, &milk), None);
}

#[test]
fn percentiles_and_ranks() {
    for (below, equal, all, percentile, rank) in [
        (0, 1, 1, 50, 1),
        (0, 1, 100, 0, 100),
        (99, 1, 100, 99, 1),
        (999, 1, 1000, 99, 1),
        (4, 2, 10, 50, 5),
        (0, 10, 10, 50, 1),
    ] {
        let standing = Standing { below, equal, all };
        assert_eq!((standing.percentile(), standing.rank()), (percentile, rank), "{standing:?}");
    }
    let cohort = |all| Standing { below: 0, equal: 1, all };
    assert!(cohort(FEWEST).is_public() && !cohort(FEWEST - 1).is_public());
}

#[test]
fn a_small_year_stands_among_all() {
    let of = |id: i64, year: Option<i64>| RankedValue { id, value: id as f64, year };
    let large = (1..=MANY).map(|id| of(id, Some(2020)));
    let small = (MANY + 1..2 * MANY).map(|id| of(id, Some(2021)));
    let values: Vec<RankedValue> = large.chain(small).chain([of(100, None)]).collect();
    let all = i64::try_from(values.len()).unwrap();
    for one in standings(values) {
        let (id, standing, same_year) = (one.value.id, one.standing, one.same_year);
        let cohort = if id <= MANY { MANY } else { all };
        let below = if id == 100 { all - 1 } else { id - 1 };
        let expected = Standing { below, equal: 1, all: cohort };
        assert_eq!((standing, same_year), (expected, id <= MANY), "{id}");
    }
}

#[test]
fn an_own_base_needs_thirty_values_and_their_reliability() {
    let of = |values: &[f64]| {
        let mut moments = Moments::default();
        values.iter().for_each(|value| moments.add(*value));
        moments
    };
    // Fifteen of 10 and fifteen of 14: mean 12, sum of squares 120 over 29.
    let values = [[10.0; 15], [14.0; 15]].concat();
    let reliabilities = of(&[64.0; 20]);
    let found = own_base(&of(&values), &reliabilities).unwrap();
    let observed = (120.0_f64 / 29.0).sqrt();
    let round = |value: f64| (value * 1e4).round() / 1e4;
    assert_eq!(found.observed, round(observed));
    assert_eq!(found.base, TraitBase { mean: 12.0, sd: round(observed / 0.8) });
    assert_eq!((found.reliability, found.n), (64.0, 30));
    assert_eq!(own_base(&of(&values[1..]), &reliabilities), None);
    assert_eq!(own_base(&of(&values), &Moments::default()), None);
    assert_eq!(own_base(&of(&[3.0; 40]), &reliabilities), None);
}

#[test]
fn a_base_moved_by_a_constant_ranks_alike() {
    let mut moved = Comparison::default();
    let mut turned = Comparison::default();
    for animal in 0..200_i64 {
        let value = animal as f64;
        moved.add(animal, Some(value), Some(value - 50.0));
        turned.add(animal, Some(value), Some(-value));
    }
    let moved = moved.result();
    assert_eq!((moved.n, moved.correlation, moved.stay, moved.top), (200, Some(1.0), 100, 100));
    assert_eq!((moved.before.1, moved.after.1), (Some(99.5), Some(49.5)));
    assert_eq!(moved.before.2, moved.after.2);
    let turned = turned.result();
    assert_eq!((turned.correlation, turned.stay), (Some(-1.0), 0));
    let none = Comparison::default().result();
    assert_eq!((none.n, none.before, none.correlation, none.top), (0, (0, None, None), None, 0));
}

#[test]
fn animals_that_lose_their_value_are_counted_apart() {
    let mut comparison = Comparison::default();
    for animal in 1..=4_i64 {
        let value = animal as f64;
        comparison.add(animal, Some(value), (animal < 3).then_some(value));
    }
    comparison.add(5, None, Some(9.0));
    let result = comparison.result();
    assert_eq!((result.n, result.before.0, result.after.0), (2, 4, 3));
    assert_eq!((result.before.1, result.after.1), (Some(2.5), Some(4.0)));
    assert_eq!((result.correlation, result.stay, result.top), (Some(1.0), 2, 4));
}

fn shuffled() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop::collection::vec(any::<i32>().prop_map(|n| f64::from(n) / 1e4), 2..80).prop_flat_map(|values| {
        let shuffled = proptest::strategy::Just(values.clone()).prop_shuffle();
        (proptest::strategy::Just(values), shuffled)
    })
}

proptest! {
    #[test]
    fn sums_do_not_depend_on_the_order((values, shuffled) in shuffled()) {
        let of = |values: &[f64]| {
            let (mut moments, mut comparison) = (Moments::default(), Comparison::default());
            for value in values {
                moments.add(*value);
                comparison.add(0, Some(*value), Some(value * 0.5 + 1.0));
            }
            (moments.mean(), moments.sd(), comparison.result().correlation)
        };
        proptest::prop_assert_eq!(of(&values), of(&shuffled));
    }

    #[test]
    fn standings_count_as_they_say(values in prop::collection::vec((0_i32..20, 2018_i64..2020), 1..120)) {
        let ranked: Vec<RankedValue> = (1_i64..).zip(&values).map(|(id, (value, year))| RankedValue {
            id,
            value: f64::from(*value),
            year: Some(*year),
        }).collect();
        let places = standings(ranked.clone());
        proptest::prop_assert_eq!(places.len(), ranked.len());
        for place in places {
            let one = ranked.iter().find(|one| one.id == place.value.id).unwrap();
            let (standing, same) = (place.standing, place.same_year);
            let year = ranked.iter().filter(|other| other.year == one.year).count();
            proptest::prop_assert_eq!(same, year >= 30);
            let cohort: Vec<f64> = ranked.iter().filter(|other| !same || other.year == one.year)
                .map(|other| other.value).collect();
            let count = |test: &dyn Fn(f64) -> bool| {
                i64::try_from(cohort.iter().filter(|value| test(**value)).count()).unwrap()
            };
            proptest::prop_assert_eq!(standing, Standing {
                below: count(&|value| value < one.value),
                equal: count(&|value| value == one.value),
                all: count(&|_| true),
            });
        }
    }
}
