//! Worked examples of Mrode, Linear Models for the Prediction of Animal Breeding Values (3rd edition, 2014), to the
//! last digit that is published. Masuda, Introduction to BLUPF90 suite programs, chapter *Numerical examples from Mrode
//! (2014)*, has eight digits of 3.1 and 3.4, of which the solver that he used gives six.

use super::{animals, known, quiet};
use crate::{Effect, Evaluation, Parameters, Pedigree, Records, Solver, evaluate};

fn exact() -> Solver {
    Solver { tolerance: 1e-13, ..Solver::default() }
}

fn assert_close(what: &str, computed: &[f64], published: &[f64], digits: i32) {
    assert_eq!(computed.len(), published.len(), "{what}");
    let half = 0.5 * 10_f64.powi(-digits);
    for (at, (computed, published)) in computed.iter().zip(published).enumerate() {
        // A hundredth more, for values that lie between two published ones.
        assert!((computed - published).abs() <= half * 1.01, "{what} {at}: {computed}, published {published}");
    }
}

/// Gain of five calves until weaning (kg), examples 3.1 and 3.4; heritability 20 / 60.
fn calves(unknown: [Option<u32>; 2], base: Option<&[u32]>) -> Evaluation {
    let [sire, dam] = unknown;
    let pedigree = animals(&[
        [sire, dam],
        [sire, dam],
        [sire, dam],
        [Some(0), dam],
        [Some(2), Some(1)],
        [Some(0), Some(1)],
        [Some(3), Some(4)],
        [Some(2), Some(5)],
    ]);
    let records = Records {
        animals: vec![3, 4, 5, 6, 7],
        effects: vec![Effect::of("sex", &["male", "x female", "x female", "male", "male"])],
        values: vec![4.5, 2.9, 3.9, 3.5, 5.0],
    };
    let third = 1.0 / 3.0;
    let parameters = Parameters { heritability: third, repeatability: third };
    evaluate(&Pedigree::new(&pedigree).unwrap(), &records, parameters, base, exact(), &mut quiet).unwrap()
}

#[test]
fn animal_model_of_example_3_1() {
    let evaluation = calves([None, None], None);
    assert_close("sex", &evaluation.effects[0].levels, &[4.358_502, 3.404_430], 6);
    let published = [0.098_445, -0.018_770, -0.041_084, -0.008_663, -0.185_732, 0.176_872, -0.249_459, 0.182_615];
    assert_close("animal", &known(&evaluation.values), &published, 6);
    assert_eq!(evaluation.permanent, vec![0.0; 8]);
}

/// Unknown sires are one group, unknown dams another. Differences only have a meaning: the mean of animals with records
/// is zero here and in what is published.
#[test]
fn groups_of_example_3_4() {
    let with_records = [3, 4, 5, 6, 7];
    let evaluation = calves([Some(8), Some(9)], Some(&with_records));
    let published =
        [0.332_017_30, 0.175_972_93, 0.136_115_81, -0.168_828_73, 0.0, 0.371_310_40, -0.239_330_70, 0.331_171_27];
    let mean = published[3..].iter().sum::<f64>() / 5.0;
    let less = published.map(|value| value - mean);
    assert_close("animal", &known(&evaluation.values), &less, 6);
    assert_close("group", &known(&evaluation.groups), &[1.099_078_77 - mean, -0.669_674_75 - mean], 6);
    let [male, female] = evaluation.effects[0].levels[..] else { panic!() };
    assert_close("sex", &[male, female], &[4.358_996_05 + mean, 3.214_344_90 + mean], 6);
}

/// Fat yield of five cows in two lactations (kg), example 4.1; variances 20, 12 and 28.
#[test]
fn repeatability_model_of_example_4_1() {
    let pedigree = animals(&[
        [None, None],
        [None, None],
        [None, None],
        [Some(0), Some(1)],
        [Some(2), Some(1)],
        [Some(0), Some(4)],
        [Some(2), Some(3)],
        [Some(0), Some(6)],
    ]);
    let records = Records {
        animals: vec![3, 3, 4, 4, 5, 5, 6, 6, 7, 7],
        effects: vec![
            Effect::of("herd-year-season", &[1, 3, 1, 4, 2, 3, 1, 3, 2, 4]),
            Effect::of("parity", &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2]),
        ],
        values: vec![201.0, 280.0, 150.0, 200.0, 160.0, 190.0, 180.0, 250.0, 285.0, 300.0],
    };
    let parameters = Parameters { heritability: 20.0 / 60.0, repeatability: 32.0 / 60.0 };
    let pedigree = Pedigree::new(&pedigree).unwrap();
    let evaluation = evaluate(&pedigree, &records, parameters, None, exact(), &mut quiet).unwrap();
    let published = [10.148, -3.084, -7.063, 13.581, -18.207, -18.387, 9.328, 24.194];
    assert_close("animal", &known(&evaluation.values), &published, 3);
    let published = [0.0, 0.0, 0.0, 8.417, -7.146, -17.229, -1.390, 17.347];
    assert_close("permanent environment", &evaluation.permanent, &published, 3);
    // The book sets seasons 1 and 3 to zero.
    let [season, parity] = &evaluation.effects[..] else { panic!() };
    let season = &season.levels;
    assert_close("season", &[season[1] - season[0], season[3] - season[2]], &[44.065, 0.013], 3);
    let parity = [parity.levels[0] + season[0], parity.levels[1] + season[2]];
    assert_close("parity", &parity, &[175.472, 241.893], 3);
}
