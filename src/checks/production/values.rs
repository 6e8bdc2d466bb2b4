//! Checks of breeding values against each other and against the book.

use crate::check::{Check, Rule};
use crate::reporter::Reporter;
use crate::window::{Animal, Context, Evaluation};

/// Percentiles between two opinions on one animal.
const PERCENTILES: f64 = 40.0;
/// The population that percents are spoken of: kilograms of milk, percent of fat and of protein of a Holstein cow.
/// The bases of the demonstration are made with the same values.
const MILK: f64 = 9_000.0;
const FAT: f64 = 3.8;
const PROTEIN: f64 = 3.2;
/// One genetic standard deviation of the kilograms, by the base of the built-in index.
const FAT_KG: f64 = 11.3;
const PROTEIN_KG: f64 = 6.9;

pub(crate) const CHECKS: &[Check] = &[
    Check::note("eval-vs-book-divergence", Rule::Animal(eval_vs_book_divergence))
        .means("The percentile that the centre says is more than 40 away from that of the book's own index. Of the current evaluation only.")
        .says("The centre says percentile {theirs}, the index of the book {ours}.", "Перцентиль центра {theirs}, по индексу книги {ours}."),
    Check::note("eval-source-unnamed", Rule::Animal(eval_source_unnamed))
        .row()
        .means("An evaluation of a centre, of an import or from abroad does not say whose it is.")
        .says("The centre of the evaluation is missing.", "Не указан центр оценки."),
    Check::fix("eval-fat-kg-mismatch", Rule::Animal(eval_fat_kg_mismatch))
        .row()
        .means("The forecast of fat in kilograms is more than 11.3 kg, one genetic standard deviation, away from what the forecasts of milk and percent make for a cow of 9000 kg and 3.8 %.")
        .says("The forecast of fat is {written} kg; milk and percent make {computed} kg.", "Прогноз жира {written} кг; по молоку и проценту {computed} кг."),
    Check::fix("eval-protein-kg-mismatch", Rule::Animal(eval_protein_kg_mismatch))
        .row()
        .means("The forecast of protein in kilograms is more than 6.9 kg, one genetic standard deviation, away from what the forecasts of milk and percent make for a cow of 9000 kg and 3.2 %.")
        .says("The forecast of protein is {written} kg; milk and percent make {computed} kg.", "Прогноз белка {written} кг; по молоку и проценту {computed} кг."),
];

const SLUG: &str = "animal-evaluations";

fn eval_vs_book_divergence(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let Some(ours) = animal.passport.index_percentile else {
        return;
    };
    for row in animal.evaluations.iter().filter(|row| row.current) {
        if let Some(theirs) = row.percentile.filter(|theirs| (theirs - ours).abs() > PERCENTILES) {
            let values = [("theirs", theirs.into()), ("ours", ours.into())];
            reporter.report(animal.row(SLUG, row.id, "ipcPercentile"), values);
        }
    }
}

fn eval_source_unnamed(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for row in animal.evaluations.iter().filter(|row| row.needs_name && !row.named) {
        reporter.report(animal.row(SLUG, row.id, "center"), []);
    }
}

/// What milk and percent of a forecast make in kilograms.
fn kilograms(row: &Evaluation, percent: &str, base: f64) -> Option<f64> {
    let (milk, percent) = (row.forecast("milk")?, row.forecast(percent)?);
    Some(((MILK + milk) * (base + percent) - MILK * base) / 100.0)
}

fn eval_fat_kg_mismatch(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for row in &animal.evaluations {
        let both = row.forecast("fatKg").zip(kilograms(row, "fatPercent", FAT));
        if let Some((written, computed)) = both.filter(|(a, b)| (a - b).abs() > FAT_KG) {
            let values = [("written", written.into()), ("computed", computed.into())];
            reporter.report(animal.row(SLUG, row.id, "fatKgForecast"), values);
        }
    }
}

fn eval_protein_kg_mismatch(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for row in &animal.evaluations {
        let both = row.forecast("proteinKg").zip(kilograms(row, "proteinPercent", PROTEIN));
        if let Some((written, computed)) = both.filter(|(a, b)| (a - b).abs() > PROTEIN_KG) {
            let values = [("written", written.into()), ("computed", computed.into())];
            reporter.report(animal.row(SLUG, row.id, "proteinKgForecast"), values);
        }
    }
}
