//! The checks of the book over a whole book: what is planted in the synthetic one, past all rules, for `findings` to
//! find, and what the Association sets.

use crate::support::book::demo_rows;
use crate::support::fixture::{Fixture, NOW};
use checks::{Finding, Severity};
use futures_util::stream;
use model::record::Value;
use ops::{FillRow, FillSet};
use std::collections::{BTreeMap, BTreeSet};
use store::{Sql, Ty};

const DAY: i64 = 86_400_000;
/// Cases of each fault.
const CASES: usize = 3;

/// A fault: the check that finds it, the table, what the row says then, and which rows can have it. `{past}`,
/// `{recent}` and `{future}` are days.
type Plant = (&'static str, &'static str, &'static str, &'static str);

const COW: &str = "sex = 'female' AND archived IS NOT TRUE AND birth_date < {recent}";
const ALIVE: &str = "archived IS NOT TRUE AND state = 'alive'";
const YOUNG: &str = "archived IS NOT TRUE AND state = 'alive' AND birth_date > {recent} AND mother IS NOT NULL";
const CALVED: &str = "event_type = 'calving'";

/// Every row of `animals` and of events has one fault only, so that a finding has one cause.
const PLANTS: &[Plant] = &table![
    "no-birth-date", "animals", "birth_date = NULL", YOUNG;
    "birth-in-future", "animals", "birth_date = {future}", YOUNG;
    "no-breed", "animals", "breed = NULL", COW;
    "blood-out-of-range", "animals", "blood_percent = 120", COW;
    "duplicate-ear-tag", "animals", "alt_ids_ear_tag = 'TWICE'", COW;
    "inventory-number-shared", "animals", "alt_ids_inventory_number = 'X1', herd = 1", ALIVE;
    "ident-shared", "animals", "fgias_unsm = 'SAME'", COW;
    "rfid-invalid", "animals", "alt_ids_chip_number = '999000000000001'", COW;
    "improver-sum", "animals", "improvers_share1 = 80, improvers_share2 = 30", COW;
    "self-parent", "animals", "father = id", COW;
    "parent-wrong-sex", "animals", "father = mother, mother = NULL", YOUNG;
    "parent-younger", "animals", "birth_date = {past}", "archived IS NOT TRUE AND sex = 'female' AND mother IS NOT NULL";
    "no-parents", "animals", "father = NULL, mother = NULL, pedigree_text_father_id = NULL, pedigree_text_mother_id = NULL, pedigree_text_father_name = NULL, pedigree_text_mother_name = NULL", COW;
    "pedigree-text-mismatch", "animals", "pedigree_text_father_id = 'NOBODY'", YOUNG;
    "blood-vs-parents", "animals", "blood_percent = 1", YOUNG;
    "high-inbreeding", "animals", "inbreeding = 26", COW;
    "dna-parentage-excluded", "animals", "parent_status_mother = 'excluded'", YOUNG;
    "too-old-alive", "animals", "birth_date = {past}", ALIVE;
    "disposal-vs-state", "animals", "disposal_date = {recent}", ALIVE;
    "state-vs-disposal", "animals", "disposal_date = NULL", "state = 'culled'";
    "age-group-vs-sex", "animals", "age_group = 'bull'", COW;
    "pedigree-depth-low", "animals", "pedigree_depth = 0.5", "category IS NOT NULL AND archived IS NOT TRUE";
    "birth-weight-implausible", "calvings", "calf_weight = 3, progeny = NULL", CALVED;
    "calf-count-mismatch", "calvings", "live_heifers = 9", CALVED;
    "twins-mismatch", "calvings", "result = 'triplets'", CALVED;
    "gestation-implausible", "calvings", "insemination = NULL, gestation_days = 100", CALVED;
    "calving-number-gap", "calvings", "number = 50", "event_type = 'calving' AND number > 1";
    "hard-calving-no-care", "calvings", "ease = 'surgery'", CALVED;
    "bull-unknown", "inseminations", "bull = NULL, bull_text = NULL, embryo_sire = NULL", "id > 0";
    "pregnancy-check-before-insemination", "inseminations", "pregnancy_check_date = date", "id > 0";
    "test-milk-range", "milk_tests", "milk_yield = 140", "id > 0";
    "test-fat-range", "milk_tests", "fat_percent = 11", "id > 0";
    "test-protein-range", "milk_tests", "protein_percent = 11", "id > 0";
    "fat-protein-ratio", "milk_tests", "fat_percent = 8, protein_percent = 3", "id > 0";
    "lactose-range", "milk_tests", "lactose_percent = 9", "id > 0";
    "cells-range", "milk_tests", "somatic_cells = 20000", "id > 0";
    "urea-range", "milk_tests", "urea = 300", "id > 0";
    "event-in-future", "weighings", "date = {future}", "id > 0";
    "event-before-birth", "weighings", "date = {past}", "id > 0";
    "weight-implausible", "weighings", "weight = 1900, date = {recent}", "sign <> 'birth' AND animal IN (SELECT id FROM animals WHERE birth_date < {old})";
    "visit-implausible", "milking_visits", "milk_yield = 90", "id > 0";
    "eval-source-unnamed", "animal_evaluations", "center = NULL", "id > 0";
    "eval-base-unknown", "animal_evaluations", "base_version = 'NONE'", "id > 0";
    "eval-fat-kg-mismatch", "animal_evaluations", "fat_kg_forecast = 500", "id > 0";
    "eval-protein-kg-mismatch", "animal_evaluations", "protein_kg_forecast = 500", "id > 0";
    "eval-out-of-range", "animal_evaluations", "milk_forecast = 90000", "id > 0";
    "exterior-first-max", "animal_exteriors", "final_score = 96", "lactation = 1";
    "grade-vs-score", "gradings", "grade = 'second', score = 90", "id > 0";
    "technician-inactive", "inseminations", "technician = 1", "id > 0";
];

pub(crate) async fn with_synthetic_book() -> Vec<Fixture> {
    let all = Fixture::each().await;
    for fixture in &all {
        let mut loading = fixture.book.loading(0).await.unwrap();
        let sets = demo_rows(300).into_iter();
        let sets = sets.flat_map(|rows| FillSet::read(fixture.book.registry, rows).unwrap());
        let sets: Vec<_> = sets.map(Ok).collect();
        let (_, rest) = loading.write(stream::iter(sets), |_| {}).await.unwrap();
        assert!(rest.is_none());
        loading.finish(|_, _, _| {}).await.unwrap();
    }
    all
}

async fn found(fixture: &Fixture) -> Vec<Finding> {
    let (mut findings, mut steps) = (Vec::new(), Vec::new());
    let animals = cli::survey(&fixture.book, |finding| findings.push(finding), |done, all| steps.push((done, all)));
    let animals = animals.await.unwrap();
    assert_eq!(steps.last(), Some(&(animals, animals)));
    findings
}

/// A statement whose days are bound.
fn with_days(text: &str) -> Sql {
    let mut sql = Sql::new("");
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap();
        let days = match name {
            "past" => -40 * 365,
            "old" => -1_400,
            "recent" => -700,
            "future" => 9,
            _ => panic!("{name}"),
        };
        let day = (NOW + days * DAY).div_euclid(DAY) * DAY;
        sql.push(before).bind(Ty::Time, Value::Time(day));
        rest = after;
    }
    sql.push(rest);
    sql
}

/// Breaks rows and says which, by the check that must find them.
pub(crate) async fn plant(fixture: &Fixture) -> BTreeMap<&'static str, Vec<(String, i64)>> {
    let (mut planted, mut used) = (BTreeMap::new(), BTreeSet::new());
    let store = &fixture.book.store;
    for (code, table, set, those) in PLANTS {
        let all = store.rows(with_days(&format!("SELECT id FROM {table} WHERE {those} ORDER BY id"))).await.unwrap();
        let ids = all.iter().map(|row| row.int(0).unwrap());
        let free: Vec<i64> = ids.filter(|id| !used.contains(&(*table, *id))).collect();
        // From all over the table.
        let step = (free.len() / CASES).max(1);
        let ids: Vec<i64> = free.into_iter().step_by(step).take(CASES).collect();
        assert_eq!(ids.len(), CASES, "{code}: too few rows of {table} where {those}");
        for id in ids {
            used.insert((*table, id));
            let sql = with_days(&format!("UPDATE {table} SET {set} WHERE id = {id}"));
            store.write(|tx| Box::pin(async move { tx.run(sql).await.map(drop) })).await.unwrap();
            planted.entry(*code).or_insert_with(Vec::new).push((table.replace('_', "-"), id));
        }
    }
    let sql = Sql::new("UPDATE technicians SET is_active = FALSE WHERE id = 1");
    store.write(|tx| Box::pin(async move { tx.run(sql).await.map(drop) })).await.unwrap();
    planted
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_association_sets_is_obeyed() {
    for fixture in with_synthetic_book().await {
        let noted = found(&fixture).await;
        let cells = |findings: &[Finding]| findings.iter().filter(|finding| finding.code == "cells-range").count();
        assert!(cells(&noted) > 0);
        for (collection, data) in table![
            "check-thresholds", serde_json::json!({"key": "cellsNote", "value": 400});
            "check-settings", serde_json::json!({"code": "cells-range", "enabled": true, "severity": "fix"});
        ] {
            let data = data.as_object().unwrap().clone();
            let hidden = vec![];
            let row = FillRow { collection, id: 1, data, hidden };
            fixture.book.fill(vec![row]).await.unwrap();
        }
        let graver = found(&fixture).await;
        assert!(cells(&graver) > cells(&noted));
        let fix = |finding: &Finding| finding.code != "cells-range" || finding.severity == Severity::Fix;
        assert!(graver.iter().all(fix));
    }
}
