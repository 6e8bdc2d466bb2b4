use super::{Advice, Candidate, Exclusion, LeftOut, Limits, Mating, Plan, assign, worth};
use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

const LIMITS: Limits = Limits { inbreeding: 0.0625, carriers: false, valued: true, alternatives: 2 };

fn plan(females: &[Candidate], bulls: &[Candidate], limits: Limits, kinship: impl Fn(i64) -> Vec<f64>) -> Plan {
    super::plan(females, bulls, limits, |bull| Some(kinship(bull))).unwrap()
}

fn animal(id: i64, value: f64, uses: usize) -> Candidate {
    Candidate { id, value: Some(value), uses, ..Candidate::default() }
}

fn carrier(id: i64, value: f64, uses: usize, of: &str) -> Candidate {
    Candidate { carries: [of.to_owned()].into(), ..animal(id, value, uses) }
}

fn unrelated(females: usize) -> impl Fn(i64) -> Vec<f64> {
    move |_| vec![0.0; females]
}

fn bulls(plan: &Plan) -> Vec<Option<i64>> {
    let best = |one: &Advice| one.best.ok().map(|mating| mating.bull);
    plan.advice.iter().map(best).collect()
}

#[test]
fn the_best_bull_serves_as_many_as_he_may() {
    let females = [animal(1, 10.0, 0), animal(2, 20.0, 0), animal(3, 30.0, 0)];
    let plan = plan(&females, &[animal(8, 100.0, 2), animal(9, 50.0, 9)], LIMITS, unrelated(3));
    assert_eq!(bulls(&plan), [Some(8), Some(8), Some(9)]);
    let first = &plan.advice[0];
    let mating = |bull, value| Mating { bull, value: Some(value), inbreeding: 0.0 };
    assert_eq!(first.best, Ok(mating(8, 55.0)));
    assert_eq!(first.alternatives, [mating(9, 30.0)]);
}

#[test]
fn more_females_come_before_more_value() {
    // 8 is the better one, but the only one for the second female.
    let females = [animal(1, 0.0, 0), carrier(2, 0.0, 0, "HH1")];
    let sires = [animal(8, 100.0, 1), carrier(9, 1.0, 1, "HH1")];
    let result = plan(&females, &sires, LIMITS, unrelated(2));
    assert_eq!(bulls(&result), [Some(9), Some(8)]);
    let excluded = Exclusion::Carriers(vec!["HH1".to_owned()]);
    assert_eq!(result.advice[1].exclusions, [(9, 0.0, excluded)]);
    let open = Limits { carriers: true, ..LIMITS };
    assert_eq!(plan(&females, &sires, open, unrelated(2)).advice[1].exclusions, []);
}

#[test]
fn of_plans_of_the_same_value_the_least_inbred_is_made() {
    let females = [animal(1, 0.0, 0), animal(2, 0.0, 0)];
    let sires = [animal(8, 5.0, 1), animal(9, 5.0, 1)];
    let related = |bull| match bull {
        8 => vec![0.03, 0.02],
        _ => vec![0.01, 0.06],
    };
    assert_eq!(bulls(&plan(&females, &sires, LIMITS, related)), [Some(9), Some(8)]);
}

#[test]
fn who_is_left_out_is_told_why() {
    let females = [animal(1, 0.0, 0), animal(2, 0.0, 0), animal(3, 0.0, 0)];
    let blank = Candidate { value: None, ..animal(6, 0.0, 4) };
    let sires = [blank, animal(7, 9.0, 0), animal(8, 5.0, 1)];
    let related = |_| vec![0.0625, 0.0626, 0.0];
    let result = plan(&females, &sires, LIMITS, related);
    assert_eq!(result.kinship, [(8, 0.1251 / 3.0)].into(), "the excluded count too");
    assert_eq!(super::plan(&females, &sires, LIMITS, |_| None), None, "nobody waits");
    let left = [(6, LeftOut::NoValue), (7, LeftOut::NoDoses)];
    assert_eq!(result.left_out, left);
    // The third is less related than the first, who stands at the limit.
    let best: Vec<_> = result.advice.iter().map(|one| one.best.map(|m| m.bull)).collect();
    assert_eq!(best, [Err(LeftOut::NoneLeft), Err(LeftOut::AllExcluded), Ok(8)]);
    assert_eq!(result.advice[1].exclusions, [(8, 0.0626, Exclusion::Inbreeding)]);
    let goalless = Limits { valued: false, ..LIMITS };
    assert_eq!(plan(&females, &sires, goalless, related).left_out, [(7, LeftOut::NoDoses)]);
}

#[test]
fn values_of_any_size_stand_beside_inbreeding() {
    assert!(worth(1e-6, 1.0) > worth(0.0, 0.0));
    assert!(worth(f64::MAX, 0.0) == worth(1e13, 0.0) && worth(f64::NEG_INFINITY, 0.0) < 0);
    assert!(worth(3.0, 0.1) > worth(3.0, 0.2));
}

/// The greatest number of rows with a column and the greatest worth of so many, of all assignments.
fn best(worths: &[Vec<Option<i128>>], places: &mut Vec<usize>) -> (usize, i128) {
    let Some((row, rest)) = worths.split_first() else {
        return (0, 0);
    };
    let mut all = vec![best(rest, places)];
    for (column, worth) in row.iter().enumerate() {
        let Some(worth) = worth.filter(|_| places[column] > 0) else {
            continue;
        };
        places[column] -= 1;
        let (count, sum) = best(rest, places);
        places[column] += 1;
        all.push((count + 1, sum + worth));
    }
    all.into_iter().max().unwrap()
}

fn problems() -> impl Strategy<Value = (Vec<Vec<Option<i128>>>, Vec<usize>)> {
    (0_usize..7, 1_usize..5).prop_flat_map(|(rows, columns)| {
        let worth = prop::option::of(-6_i128..6);
        let row = prop::collection::vec(worth, columns);
        let places = prop::collection::vec(0_usize..4, columns);
        (prop::collection::vec(row, rows), places)
    })
}

proptest! {
    #[test]
    fn an_assignment_is_the_best_of_all((worths, places) in problems()) {
        let columns = assign(&worths, &places);
        let mut left = places.clone();
        let (mut count, mut sum) = (0, 0);
        for (row, column) in worths.iter().zip(&columns) {
            if let Some(column) = column {
                left[*column] = left[*column].checked_sub(1).expect("a place");
                count += 1;
                sum += row[*column].expect("a worth");
            }
        }
        prop_assert_eq!((count, sum), best(&worths, &mut places.clone()));
    }

    /// A plan is the best of all that keep to its limits: females, then value, then inbreeding.
    #[test]
    fn a_plan_is_the_best_of_all(
        values in prop::collection::vec((0_i32..4, 0_usize..3, 0_u8..3), 1..4),
        related in prop::collection::vec(0_u8..6, 18),
        carried in prop::collection::vec(0_u8..3, 1..6),
    ) {
        let carries = |kind: &u8| (*kind > 0).then(|| format!("HH{kind}")).into_iter().collect();
        let sires: Vec<Candidate> = (values.iter().zip(1..))
            .map(|((value, uses, kind), id)| Candidate {
                carries: carries(kind),
                ..animal(id, f64::from(*value), *uses)
            })
            .collect();
        let females: Vec<Candidate> = (carried.iter().zip(101..))
            .map(|(kind, id)| Candidate { carries: carries(kind), ..animal(id, 1.0, 0) })
            .collect();
        let kinship = |bull: i64| -> Vec<f64> {
            let shift = usize::try_from(bull).unwrap();
            (0..females.len()).map(|at| f64::from(related[(at * 3 + shift) % 18]) / 64.0).collect()
        };
        let result = plan(&females, &sires, LIMITS, kinship);
        let worths: Vec<Vec<Option<i128>>> = (females.iter().enumerate())
            .map(|(at, female)| {
                let of = |bull: &Candidate| {
                    let f = kinship(bull.id)[at];
                    let meets = female.carries.intersection(&bull.carries).next().is_some();
                    let value = 0.5 * bull.value.unwrap();
                    (f <= LIMITS.inbreeding && !meets).then(|| worth(value, f))
                };
                sires.iter().map(of).collect()
            })
            .collect();
        let mut places: Vec<usize> = sires.iter().map(|bull| bull.uses).collect();
        let (mut count, mut sum) = (0, 0);
        for (row, one) in worths.iter().zip(&result.advice) {
            if let Ok(mating) = one.best {
                count += 1;
                sum += row[usize::try_from(mating.bull).unwrap() - 1].expect("allowed");
            }
        }
        prop_assert_eq!((count, sum), best(&worths, &mut places));
        // Who stands elsewhere in the list is served as well.
        prop_assert_eq!(plan(&females, &sires, LIMITS, kinship), result);
    }
}
