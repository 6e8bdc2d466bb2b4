//! Files of BLUPF90, as those of Masuda's tutorial.

use super::animals;
use crate::{Animal, Blupf90, Effect, Parameters, Pedigree, Records};

/// Mrode (2014), example 3.4, with two animals more, of which the last is inbred.
fn book() -> (Vec<Animal>, Records) {
    let (sires, dams) = (Some(10), Some(11));
    let mut book = animals(&[
        [sires, dams],
        [sires, dams],
        [sires, dams],
        [Some(0), dams],
        [Some(2), Some(1)],
        [Some(0), Some(1)],
        [Some(3), Some(4)],
        [Some(2), Some(5)],
        [None, None],
        [Some(7), Some(4)],
    ]);
    book[3].birth_year = Some(2019);
    let records = Records {
        animals: vec![3, 4, 5, 6, 7],
        effects: vec![Effect::of("sex", &[1, 2, 2, 1, 1])],
        values: vec![4.5, 0.0, 3.9, -999.0, 5.0],
    };
    (book, records)
}

#[test]
fn data_and_pedigree_are_written_in_their_columns() {
    let (book, records) = book();
    let pedigree = Pedigree::new(&book).unwrap();
    let files = Blupf90 { animals: &book, pedigree: &pedigree, records: &records };
    let mut data = Vec::new();
    files.write_data(&mut data).unwrap();
    assert_eq!(String::from_utf8(data).unwrap(), "4.5 1 4\n0 2 5\n3.9 2 6\n-999 1 7\n5 1 8\n");
    let mut text = Vec::new();
    files.write_pedigree(&mut text, &|place| format!("RU{place}")).unwrap();
    // 4,000 / ((1 + unknown)(1 − F) + the same of the dam): 1,000, 1,333 or 2,000.
    let expected = "\
        1 11 12 1000 0 0 0 2 0 RU0\n\
        2 11 12 1000 0 0 0 0 2 RU1\n\
        3 11 12 1000 0 0 0 2 0 RU2\n\
        4 1 12 1333 2019 1 1 1 0 RU3\n\
        5 3 2 2000 0 2 1 0 2 RU4\n\
        6 1 2 2000 0 2 1 0 1 RU5\n\
        7 4 5 2000 0 2 1 0 0 RU6\n\
        8 3 6 2000 0 2 1 1 0 RU7\n\
        9 0 0 1000 0 0 0 0 0 RU8\n\
        10 8 5 2000 0 2 0 0 0 RU9\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}

#[test]
fn the_code_of_an_animal_has_the_inbreeding_of_its_parents() {
    let book = animals(&[[None, None], [None, None], [Some(0), Some(1)], [Some(0), Some(2)], [Some(3), None]]);
    let pedigree = Pedigree::new(&book).unwrap();
    let files = Blupf90 { animals: &book, pedigree: &pedigree, records: &Records::default() };
    let mut text = Vec::new();
    files.write_pedigree(&mut text, &|_| String::new()).unwrap();
    let text = String::from_utf8(text).unwrap();
    // Animal 4 has 0.25: 4,000 / (0.75 + 2) for its progeny.
    assert!(text.ends_with("5 4 0 1455 0 1 0 0 0 \n"), "{text}");
}

#[test]
fn parameters_name_the_files_and_variances() {
    let (book, records) = book();
    let pedigree = Pedigree::new(&book).unwrap();
    let files = Blupf90 { animals: &book, pedigree: &pedigree, records: &records };
    let parameters = Parameters { heritability: 0.25, repeatability: 0.5 };
    let text = files.parameters("data.txt", "pedigree.txt", parameters, 64.0).unwrap();
    let expected = "\
        DATAFILE\ndata.txt\nNUMBER_OF_TRAITS\n1\nNUMBER_OF_EFFECTS\n3\nOBSERVATION(S)\n1\nWEIGHT(S)\n\n\
        EFFECTS:\n2 2 cross # sex\n3 12 cross # animal\n3 10 cross # permanent environment\n\
        RANDOM_RESIDUAL VALUES\n32\n\
        RANDOM_GROUP\n2\nRANDOM_TYPE\nadd_an_upginb\nFILE\npedigree.txt\n(CO)VARIANCES\n16\n\
        RANDOM_GROUP\n3\nRANDOM_TYPE\ndiagonal\nFILE\n\n(CO)VARIANCES\n16\n\
        OPTION missing -1998\n";
    assert_eq!(text, expected);
    let single = Parameters { heritability: 0.25, repeatability: 0.25 };
    let text = files.parameters("data.txt", "pedigree.txt", single, 64.0).unwrap();
    assert!(text.contains("NUMBER_OF_EFFECTS\n2\n") && !text.contains("permanent"), "{text}");
    let none = Parameters { heritability: 0.0, repeatability: 0.25 };
    assert!(files.parameters("data.txt", "pedigree.txt", none, 64.0).is_err());
}

#[test]
fn the_variance_of_records_is_that_within_contemporaries() {
    let herds = [1, 1, 2, 2, 2, 3];
    let records = |values: &[f64]| Records {
        animals: (0..).take(values.len()).collect(),
        effects: vec![Effect::of("herd", &herds[..values.len()])],
        values: values.to_vec(),
    };
    // 0.5² twice, 1² twice, over 6 records less 3 herds.
    assert_eq!(records(&[1.0, 2.0, 11.0, 12.0, 13.0, 100.0]).variance_within(), Some(2.5 / 3.0));
    assert_eq!(records(&[1.0]).variance_within(), None);
    assert_eq!(Records::default().variance_within(), None);
}
