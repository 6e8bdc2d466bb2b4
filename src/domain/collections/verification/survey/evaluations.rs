//! Rows of evaluation.

use super::{day, text};
use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::related;
use crate::collections::evaluation::{ASSOCIATION, COMPOSITES, TRAITS};
use crate::collections::slots::slots;
use checks::{Animal, Class, Evaluation, Exterior, Grading, Touched};
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, Collection, ID, WrittenRow};
use std::collections::{BTreeMap, BTreeSet};

slots!(Evaluations of "animal-evaluations" {
    animal, date: "evaluatedAt", source, calculation, center, base: "baseVersion", current: "isCurrent",
    percentile: "ipcPercentile", release,
});
slots!(Exteriors of "animal-exteriors" {
    animal, date: "assessedAt", lactation, final_score: "finalScore", young_general: "youngGeneral",
    young_body: "youngBody", young_legs: "youngLegs",
});
slots!(Gradings of "gradings" { animal, date, grade, score });
slots!(Values of "index-values" { animal, profile: "profileKey", percentile });

/// The fields of forecasts, by the names of their traits.
fn forecasts() -> Vec<(&'static str, String)> {
    let traits = TRAITS.iter().map(|t| (t.key, format!("{}Forecast", t.key)));
    let composites = COMPOSITES.iter().map(|(key, _)| (*key, format!("exterior.{key}")));
    traits.chain(composites).collect()
}

/// Reads the rows of animals and puts them where they belong.
pub(super) async fn read(
    context: &mut dyn BookReader,
    touched: &Touched,
    ids: &BTreeSet<i64>,
    animals: &mut BTreeMap<i64, Animal>,
) -> Result<()> {
    let of_collection = |slug: &str| match touched.reads(slug) {
        true => ids.clone(),
        false => BTreeSet::new(),
    };
    let forecasts = forecasts();
    let mut fields = Evaluations::PATHS.to_vec();
    fields.extend(forecasts.iter().map(|(_, path)| path.as_str()));
    let collection = context.collection("animal-evaluations")?;
    let slots: Vec<(&'static str, usize)> = forecasts.iter().map(|(key, path)| (*key, collection.at(path))).collect();
    for row in related(context, collection.slug, "animal", of_collection("animal-evaluations"), &fields).await? {
        // Nobody but the Association knows of values of a run that is not released.
        if row.get(Evaluations::get().release).text() == Some("awaited") {
            continue;
        }
        if let Some((animal, value)) = of(animals, &row, Evaluations::get().animal).zip(evaluation(&slots, &row)) {
            animal.evaluations.push(value);
        }
    }
    for row in rows(context, "animal-exteriors", of_collection("animal-exteriors"), Exteriors::PATHS).await? {
        if let Some((animal, value)) = of(animals, &row, Exteriors::get().animal).zip(exterior(&row)) {
            animal.exteriors.push(value);
        }
    }
    for row in rows(context, "gradings", of_collection("gradings"), Gradings::PATHS).await? {
        if let Some((animal, value)) = of(animals, &row, Gradings::get().animal).zip(grading(&row)) {
            animal.gradings.push(value);
        }
    }
    let s = Values::get();
    for row in rows(context, "index-values", of_collection("animal-evaluations"), Values::PATHS).await? {
        let built_in = row.get(s.profile).text() == Some(ASSOCIATION);
        if let Some(animal) = of(animals, &row, s.animal).filter(|_| built_in) {
            animal.passport.index_percentile = row.get(s.percentile).num();
        }
    }
    Ok(())
}

/// Puts a row in its former state, or takes out a new one.
pub(super) fn put_back(animal: &mut Animal, written: &WrittenRow) {
    let own = |(of, _): &&(i64, Record)| *of == animal.passport.id;
    let old = written.old.as_ref().filter(own).map(|(_, row)| row);
    let id = written.id;
    match written.collection {
        "animal-exteriors" => {
            animal.exteriors.retain(|row| row.id != id);
            animal.exteriors.extend(old.and_then(exterior));
        }
        "gradings" => {
            animal.gradings.retain(|row| row.id != id);
            animal.gradings.extend(old.and_then(grading));
        }
        // What an evaluation said before is not looked up: of a changed one all findings are new.
        "animal-evaluations" => animal.evaluations.retain(|row| row.id != id),
        _ => {}
    }
}

async fn rows(context: &mut dyn BookReader, slug: &str, ids: BTreeSet<i64>, fields: &[&str]) -> Result<Vec<Record>> {
    let collection: &Collection = context.collection(slug)?;
    related(context, collection.slug, "animal", ids, fields).await
}

fn of<'a>(animals: &'a mut BTreeMap<i64, Animal>, row: &Record, slot: usize) -> Option<&'a mut Animal> {
    row.get(slot).int().and_then(|id| animals.get_mut(&id))
}

fn evaluation(slots: &[(&'static str, usize)], row: &Record) -> Option<Evaluation> {
    let s = Evaluations::get();
    let forecast = |(key, slot): &(&'static str, usize)| Some((*key, row.get(*slot).num()?));
    Some(Evaluation {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        current: row.get(s.current).truth(),
        named: text(row, s.center).is_some(),
        needs_name: row.get(s.source).text() != Some("association"),
        parent_average: row.get(s.calculation).text() == Some("parentAverage"),
        base: text(row, s.base),
        percentile: row.get(s.percentile).num(),
        forecasts: slots.iter().filter_map(forecast).collect(),
    })
}

fn exterior(row: &Record) -> Option<Exterior> {
    let s = Exteriors::get();
    let young = [s.young_general, s.young_body, s.young_legs];
    Some(Exterior {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        lactation: row.get(s.lactation).int(),
        final_score: row.get(s.final_score).num(),
        young: young.iter().any(|slot| !row.get(*slot).is_null()),
    })
}

fn grading(row: &Record) -> Option<Grading> {
    let s = Gradings::get();
    Some(Grading {
        id: row.get(ID).int()?,
        day: day(row, s.date)?,
        class: match row.get(s.grade).text()? {
            "eliteRecord" => Class::EliteRecord,
            "elite" => Class::Elite,
            "first" => Class::First,
            "second" => Class::Second,
            _ => Class::Out,
        },
        score: row.get(s.score).num(),
    })
}
