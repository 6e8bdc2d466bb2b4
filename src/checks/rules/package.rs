//! Checks of packages.

use crate::check::{Check, Rule};
use crate::finding::Place;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Package, PackageRow};

/// Values from which the one in the middle says something of a column.
pub const LEAST_VALUES: usize = 3;
/// Least median of weights, kg: calves weigh more, and only tonnes or quintals are below.
const LEAST_WEIGHT: f64 = 10.0;
/// Least median of somatic cells, 1000/ml.
const LEAST_CELLS: f64 = 1.0;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("row-outside-period", Rule::Package(row_outside_period))
        .means("A row is dated before *periodFrom* or after *periodTo* of its package.")
        .says("The date {day} lies outside the period of the package.", "Дата {day} вне периода пакета."),
    Check::fix("row-foreign-animal", Rule::Package(row_foreign_animal))
        .refuses()
        .means("The animal of a row was not of the organisation that sent the package on that day.")
        .says("The animal was not of your farm on {day}.", "Животное не принадлежало хозяйству на дату {day}."),
    Check::note("unit-suspect", Rule::Package(unit_suspect))
        .limits(&[
            Key::TestMilkMin, Key::TestMilkMax, Key::TestFatMin, Key::TestFatMax, Key::TestProteinMin, Key::TestProteinMax,
            Key::CellsMax, Key::UreaMin, Key::UreaMax, Key::WeightMax,
        ])
        .means("The median of a column lies outside of what one value may be (*testMilkMin* to *testMilkMax*, *testFatMin* to *testFatMax*, *testProteinMin* to *testProteinMax*, cells from one to *cellsMax*, *ureaMin* to *ureaMax*, weights from 10 kg to *weightMax*): the column is in another unit (grams, tonnes, shares in place of percentages, cells per ml, millions). Columns of at least three values.")
        .says("The median of {field} is {median}: the column may be in another unit.", "Медиана столбца {field} — {median}: возможно, другие единицы."),
];

fn place(row: &PackageRow, path: &'static str) -> Place {
    Place { collection: row.collection, row: row.row, animal: row.animal, path }
}

fn row_outside_period(package: &Package, reporter: &mut Reporter<'_>) {
    for row in &package.rows {
        let Some(day) = row.day else { continue };
        let early = package.from.is_some_and(|from| day < from);
        let late = package.to.is_some_and(|to| day > to);
        if early || late {
            reporter.report(place(row, "date"), [("day", day.into())]);
        }
    }
}

fn row_foreign_animal(package: &Package, reporter: &mut Reporter<'_>) {
    for row in package.rows.iter().filter(|row| row.foreign) {
        let day = row.day.map_or_else(|| "–".into(), Into::into);
        reporter.report(place(row, "animal"), [("day", day)]);
    }
}

/// The lowest and the highest that the middle of a column of a measured field may be, in its unit; none of a field that
/// is not looked at. Files ask about more fields than the check does.
pub fn plausible(field: &str, limit: impl Fn(Key) -> f64) -> Option<(f64, f64)> {
    Some(match field {
        "milkYield" => (limit(Key::TestMilkMin), limit(Key::TestMilkMax)),
        "fatPercent" => (limit(Key::TestFatMin), limit(Key::TestFatMax)),
        "proteinPercent" => (limit(Key::TestProteinMin), limit(Key::TestProteinMax)),
        "somaticCells" => (LEAST_CELLS, limit(Key::CellsMax)),
        "urea" => (limit(Key::UreaMin), limit(Key::UreaMax)),
        "weight" => (LEAST_WEIGHT, limit(Key::WeightMax)),
        "lactosePercent" => (2.0, 7.0),
        "caseinPercent" => (1.0, limit(Key::TestProteinMax)),
        "dryMatterPercent" => (7.0, 25.0),
        "summary.fatPercent" => (limit(Key::TestFatMin), limit(Key::TestFatMax)),
        "summary.proteinPercent" => (limit(Key::TestProteinMin), limit(Key::TestProteinMax)),
        // A sixty-fourth is written as 1.56.
        "bloodPercent" | "improvers.share1" | "improvers.share2" => (1.5, 100.0),
        "hipHeight" => (50.0, 200.0),
        "chestGirth" => (50.0, 300.0),
        "calfWeight" => (LEAST_WEIGHT, limit(Key::BirthWeightMax)),
        _ => return None,
    })
}

/// The lowest and the highest that any animal can have, in the unit of a field that [`plausible`] knows: with room around
/// the records of cattle.
pub fn possible(field: &str) -> Option<(f64, f64)> {
    Some(match field {
        "milkYield" => (0.1, 200.0),
        "fatPercent" | "proteinPercent" => (0.5, 20.0),
        "somaticCells" => (LEAST_CELLS, 50_000.0),
        "urea" => (0.5, 150.0),
        "weight" => (5.0, 2_500.0),
        "lactosePercent" | "caseinPercent" | "summary.fatPercent" | "summary.proteinPercent" => (0.5, 20.0),
        "dryMatterPercent" => (2.0, 50.0),
        "bloodPercent" | "improvers.share1" | "improvers.share2" => (1.5, 100.0),
        "hipHeight" => (20.0, 250.0),
        "chestGirth" => (30.0, 400.0),
        "calfWeight" => (5.0, 110.0),
        _ => return None,
    })
}

/// Whether no animal has 0 of a content of milk: programs write it where nothing was measured.
pub fn is_never_zero(field: &str) -> bool {
    let percents = ["fatPercent", "proteinPercent", "lactosePercent", "caseinPercent", "dryMatterPercent"];
    percents.contains(&field) || ["somaticCells", "urea"].contains(&field)
}

fn unit_suspect(package: &Package, reporter: &mut Reporter<'_>) {
    let columns = &package.columns;
    let columns = [
        ("milkYield", &columns.milk),
        ("fatPercent", &columns.fat),
        ("proteinPercent", &columns.protein),
        ("somaticCells", &columns.cells),
        ("urea", &columns.urea),
        ("weight", &columns.weight),
    ];
    for (field, values) in columns {
        let Some((low, most)) = plausible(field, |key| reporter.limit(key)) else {
            continue;
        };
        if let Some(median) = median(values).filter(|median| *median < low || *median > most) {
            let at = Place { collection: "data-submissions", row: package.id, animal: None, path: "sourceFile" };
            reporter.report(at, [("field", field.into()), ("median", median.into())]);
        }
    }
}

/// The value in the middle, of a column that has enough of them.
fn median(values: &[f64]) -> Option<f64> {
    if values.len() < LEAST_VALUES {
        return None;
    }
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    let (_, median, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    Some(*median)
}
