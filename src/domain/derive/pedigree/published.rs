//! The golden file of published pedigrees: what the sources state, the tabular method (every kinship
//! of a table, row by row) and the product agree.

use super::{Parents, PedigreeCache, Relationships, descents};
use std::collections::BTreeMap;

const FILE: &str = include_str!("published.txt");

struct Row<'a> {
    animal: &'a str,
    sire: Option<usize>,
    dam: Option<usize>,
    inbreeding: f64,
}

fn examples() -> Vec<(&'static str, Vec<Row<'static>>)> {
    let examples = FILE.split("\n## ").skip(1).map(|example| {
        let (source, lines) = example.split_once('\n').unwrap();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut rows = Vec::new();
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split(' ').collect();
            let [animal, sire, dam, inbreeding] = words[..] else {
                panic!("{source}: {line}");
            };
            let parent = |name: &str| (name != "-").then(|| places[name]);
            rows.push(Row { animal, sire: parent(sire), dam: parent(dam), inbreeding: inbreeding.parse().unwrap() });
            assert!(places.insert(animal, rows.len() - 1).is_none(), "{line}");
        }
        (source, rows)
    });
    examples.collect()
}

/// Coefficients of inbreeding by the tabular method: the relationship of an animal with each earlier
/// one is the mean of those of its parents; with itself it is 1 and half of that of its parents.
#[expect(clippy::needless_range_loop, reason = "two rows of the table are written")]
fn tabular(rows: &[Row<'_>]) -> Vec<f64> {
    let mut table = vec![vec![0.0_f64; rows.len()]; rows.len()];
    for (at, row) in rows.iter().enumerate() {
        for before in 0..at {
            let of = |parent: Option<usize>| parent.map_or(0.0, |parent| table[parent][before]);
            let mean = 0.5 * (of(row.sire) + of(row.dam));
            (table[at][before], table[before][at]) = (mean, mean);
        }
        let parents = row.sire.zip(row.dam);
        table[at][at] = 1.0 + parents.map_or(0.0, |(sire, dam)| 0.5 * table[sire][dam]);
    }
    (0..rows.len()).map(|at| table[at][at] - 1.0).collect()
}

#[test]
fn coefficients_are_those_that_are_published() {
    let examples = examples();
    assert!(examples.len() >= 10);
    for (source, rows) in examples {
        let id = |at: usize| i64::try_from(at).unwrap() + 1;
        let parents =
            |(at, row): (usize, &Row<'_>)| Parents { id: id(at), sire: row.sire.map(id), dam: row.dam.map(id) };
        let links: BTreeMap<i64, Parents> = rows.iter().enumerate().map(parents).map(|row| (row.id, row)).collect();
        let ids: Vec<i64> = (0..rows.len()).map(id).collect();
        let coefficients = descents(&links, &ids);
        let mut cache = PedigreeCache::default();
        cache.add(&links);
        let all = Relationships::new(cache.part(&ids), &|| true).unwrap();
        for ((at, row), tabular) in rows.iter().enumerate().zip(tabular(&rows)) {
            let inbreeding = coefficients[&id(at)].inbreeding;
            let kinship =
                row.sire.zip(row.dam).map_or(0.0, |(sire, dam)| all.of(id(sire)).unwrap().kinship(id(dam)).unwrap());
            let note = format!("{} of {source}", row.animal);
            assert!((tabular - row.inbreeding).abs() < 1e-12, "{note}: tabular {tabular}");
            for other in [inbreeding, kinship] {
                assert!((other - row.inbreeding).abs() < 1e-12, "{note}: {other}");
            }
        }
    }
}
