//! Checks of packages.

use super::check::{Check, Rule};
use super::finding::Place;
use super::found::Found;
use super::limits::Key;
use super::window::{Package, PackageRow};

/// Values from which a mean is one.
const ROWS: usize = 3;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("row-outside-period", Rule::Package(row_outside_period))
        .means("A row is dated before *periodFrom* or after *periodTo* of its package.")
        .says("The date {day} lies outside the period of the package.", "Дата {day} вне периода пакета."),
    Check::fix("row-foreign-animal", Rule::Package(row_foreign_animal))
        .refuses()
        .means("The animal of a row was not of the organisation that sent the package on that day.")
        .says("The animal was not of your farm on {day}.", "Животное не принадлежало хозяйству на дату {day}."),
    Check::note("unit-suspect", Rule::Package(unit_suspect))
        .limits(&[Key::TestMilkMax, Key::TestFatMax, Key::TestProteinMax, Key::TestMilkMin, Key::CellsMax, Key::UreaMax, Key::WeightMax])
        .means("The median of a column lies above what one value may be (*testMilkMax*, *testFatMax*, *testProteinMax*, *cellsMax*, *ureaMax*, *weightMax*), or milk below *testMilkMin* or cells below one: the column is in another unit (grams, cells per ml, millions). Columns of at least three values.")
        .says("The median of {field} is {median}: the column may be in another unit.", "Медиана столбца {field} — {median}: возможно, другие единицы."),
];

fn place(row: &PackageRow, path: &'static str) -> Place {
    Place {
        collection: row.collection,
        row: row.row,
        animal: row.animal,
        path,
    }
}

fn row_outside_period(package: &Package, found: &mut Found<'_>) {
    for row in &package.rows {
        let Some(day) = row.day else { continue };
        let early = package.from.is_some_and(|from| day < from);
        let late = package.to.is_some_and(|to| day > to);
        if early || late {
            found.report(place(row, "date"), [("day", day.into())]);
        }
    }
}

fn row_foreign_animal(package: &Package, found: &mut Found<'_>) {
    for row in package.rows.iter().filter(|row| row.foreign) {
        let day = row.day.map_or_else(|| "–".into(), Into::into);
        found.report(place(row, "animal"), [("day", day)]);
    }
}

fn unit_suspect(package: &Package, found: &mut Found<'_>) {
    let columns = &package.columns;
    let least = found.limit(Key::TestMilkMin);
    let columns = [
        ("milkYield", &columns.milk, least, Key::TestMilkMax),
        ("fatPercent", &columns.fat, 0.0, Key::TestFatMax),
        ("proteinPercent", &columns.protein, 0.0, Key::TestProteinMax),
        ("somaticCells", &columns.cells, 1.0, Key::CellsMax),
        ("urea", &columns.urea, 0.0, Key::UreaMax),
        ("weight", &columns.weight, 0.0, Key::WeightMax),
    ];
    for (field, values, low, high) in columns {
        let most = found.limit(high);
        if let Some(median) = median(values).filter(|median| *median < low || *median > most) {
            let at = Place {
                collection: "data-submissions",
                row: package.id,
                animal: None,
                path: "sourceFile",
            };
            found.report(at, [("field", field.into()), ("median", median.into())]);
        }
    }
}

/// The value in the middle, of a column that has enough of them.
fn median(values: &[f64]) -> Option<f64> {
    if values.len() < ROWS {
        return None;
    }
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    let (_, median, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    Some(*median)
}
