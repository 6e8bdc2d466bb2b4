//! Inputs and values of an evaluation as Parquet, which R, Python and databases read. Values that are not known are null.

use super::inputs::Inputs;
use super::traits::{self, TraitResult};
use super::{create, evaluated, unwritable, values};
use breeding::Parent;
use domain::collections::evaluations::LINEAR;
use futures_util::StreamExt as _;
use model::error::{Error, Result};
use model::record::time;
use ops::Book;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use store::Sql;

/// A column of a file: its name and its cells.
type Column = (String, Cells);

/// The cells of a column, by row.
#[derive(Debug)]
enum Cells {
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    Text(Vec<Option<ByteArray>>),
}

impl Cells {
    fn physical(&self) -> (Physical, Option<LogicalType>) {
        match self {
            Self::Whole(_) => (Physical::INT64, None),
            Self::Number(_) => (Physical::DOUBLE, None),
            Self::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        }
    }
}

fn whole(name: &str, cells: impl Iterator<Item = Option<i64>>) -> Column {
    (name.to_owned(), Cells::Whole(cells.collect()))
}

fn number(name: &str, cells: impl Iterator<Item = Option<f64>>) -> Column {
    (name.to_owned(), Cells::Number(cells.collect()))
}

fn text<'t>(name: &str, cells: impl Iterator<Item = Option<&'t str>>) -> Column {
    (name.to_owned(), Cells::Text(cells.map(|cell| cell.map(ByteArray::from)).collect()))
}

/// Values of runs that the Association released.
#[derive(Debug, Default)]
pub(super) struct ReleasedValues(Vec<ReleasedRow>);

#[derive(Debug)]
struct ReleasedRow {
    /// Animal, run, and 1 where the row is in force.
    numbers: [Option<i64>; 3],
    day: Option<String>,
    calculation: Option<String>,
    /// In the order of [`paths`].
    values: Vec<Option<f64>>,
}

/// Paths of the values of an evaluation.
fn paths() -> Vec<String> {
    traits::all().iter().flat_map(traits::EvaluatedTrait::paths).collect()
}

/// Reads the released values of all runs, by animal.
///
/// # Errors
/// The errors of the database.
pub(super) async fn read_released(book: &Book) -> Result<ReleasedValues> {
    let c = book.registry.get("animal-evaluations").ok_or_else(|| Error::internal("no animal-evaluations"))?;
    let column = |path: &str| {
        let field = c.field(path).ok_or_else(|| Error::internal(format!("no {path}")))?;
        Ok::<_, Error>(format!("\"{}\"", field.column))
    };
    let paths = paths();
    let mut columns = Vec::new();
    for path in
        ["animal", "run", "isCurrent", "evaluatedAt", "calculation"].into_iter().chain(paths.iter().map(String::as_str))
    {
        columns.push(column(path)?);
    }
    let mut sql = Sql::new(&format!("SELECT {} FROM ", columns.join(", ")));
    sql.name(&c.table).push(&format!(" WHERE {} = 'given' ORDER BY {}, id", column("release")?, column("animal")?));
    let mut rows = book.store.stream(sql);
    let mut released = ReleasedValues::default();
    while let Some(row) = rows.next().await {
        let row = row?;
        let day = row.time(3).map(|at| time::to_iso(at).chars().take(10).collect());
        released.0.push(ReleasedRow {
            numbers: [row.int(0), row.int(1), row.truth(2).map(i64::from)],
            day,
            calculation: row.text(4).map(str::to_owned),
            values: (5..5 + paths.len()).map(|column| row.num(column)).collect(),
        });
    }
    Ok(released)
}

/// Writes a folder with `pedigree`, `lactations`, `classifications`, `breeding-values` (computed now) and
/// `released-values`, each with the ending `.parquet`. Rows are in the order of the ids of their animals.
///
/// # Errors
/// If the folder cannot be written to.
pub(super) fn write(folder: &Path, inputs: &Inputs, results: &[TraitResult], released: &ReleasedValues) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    for (name, columns) in [
        ("pedigree", pedigree(inputs)),
        ("lactations", lactations(inputs)),
        ("classifications", classifications(inputs)),
        ("breeding-values", computed(inputs, results)),
        ("released-values", released.columns()),
    ] {
        let file = create(&folder.join(format!("{name}.parquet")))?;
        write_file(file, &columns).map_err(|fault| unwritable(std::io::Error::other(fault)))?;
    }
    Ok(())
}

fn pedigree(inputs: &Inputs) -> Vec<Column> {
    let parent = |parent| match parent {
        Parent::Animal(place) => Some(inputs.id(place)),
        Parent::Unknown | Parent::Group(_) => None,
    };
    let animals = || inputs.animals.iter();
    vec![
        whole("animal", inputs.ids.iter().copied().map(Some)),
        whole("sire", animals().map(|animal| parent(animal.sire))),
        whole("dam", animals().map(|animal| parent(animal.dam))),
        whole("birthYear", animals().map(|animal| animal.birth_year.map(i64::from))),
        text("country", animals().map(|animal| inputs.country(animal))),
    ]
}

fn lactations(inputs: &Inputs) -> Vec<Column> {
    let rows = || inputs.lactations.iter();
    vec![
        whole("animal", rows().map(|row| Some(inputs.id(row.animal)))),
        whole("parity", rows().map(|row| Some(row.number))),
        whole("herd", rows().map(|row| Some(row.herd))),
        whole("calvingYear", rows().map(|row| Some(row.season.0.into()))),
        whole("calvingQuarter", rows().map(|row| Some(row.season.1.into()))),
        whole("ageMonths", rows().map(|row| row.age)),
        number("milkKg", rows().map(|row| Some(row.milk))),
        number("fatKg", rows().map(|row| row.fat)),
        number("proteinKg", rows().map(|row| row.protein)),
        number("somaticCellScore", rows().map(|row| row.score)),
    ]
}

fn classifications(inputs: &Inputs) -> Vec<Column> {
    let rows = || inputs.types.iter();
    let mut columns = vec![
        whole("animal", rows().map(|row| Some(inputs.id(row.animal)))),
        whole("herd", rows().map(|row| Some(row.herd))),
        whole("year", rows().map(|row| Some(row.year.into()))),
        whole("lactation", rows().map(|row| row.lactation)),
    ];
    let scores = LINEAR.iter().enumerate();
    columns
        .extend(scores.map(|(place, (key, _))| whole(key, rows().map(|row| row.scores.get(place).copied().flatten()))));
    columns
}

/// What `herdbook evaluate --out` has, in columns.
fn computed(inputs: &Inputs, results: &[TraitResult]) -> Vec<Column> {
    let rows = evaluated(inputs, results).into_iter();
    let rows: Vec<_> = rows.map(|(place, informed)| values(inputs, results, place, informed)).collect();
    let by_path: Vec<BTreeMap<&str, f64>> =
        rows.iter().map(|row| row.values.iter().map(|(path, value)| (path.as_str(), *value)).collect()).collect();
    let calculation = |by_parents| if by_parents { "parentAverage" } else { "ebv" };
    let mut columns = vec![
        whole("animal", rows.iter().map(|row| Some(row.animal))),
        text("calculation", rows.iter().map(|row| Some(calculation(row.by_parents)))),
    ];
    columns.extend(paths().iter().map(|path| number(path, by_path.iter().map(|row| row.get(path.as_str()).copied()))));
    columns
}

impl ReleasedValues {
    fn columns(&self) -> Vec<Column> {
        let rows = || self.0.iter();
        let names = ["animal", "run", "isCurrent"].iter().enumerate();
        let mut columns: Vec<Column> =
            names.map(|(at, name)| whole(name, rows().map(|row| row.numbers.get(at).copied().flatten()))).collect();
        columns.push(text("evaluatedAt", rows().map(|row| row.day.as_deref())));
        columns.push(text("calculation", rows().map(|row| row.calculation.as_deref())));
        let values = paths();
        let values = values.iter().enumerate();
        columns.extend(values.map(|(at, path)| number(path, rows().map(|row| row.values.get(at).copied().flatten()))));
        columns
    }
}

/// One group of rows: whoever reads a column reads it whole.
fn write_file(file: std::fs::File, columns: &[Column]) -> std::result::Result<(), ParquetError> {
    let mut fields = Vec::new();
    for (name, cells) in columns {
        let (physical, logical) = cells.physical();
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(field.with_logical_type(logical).build()?));
    }
    let schema = Arc::new(Type::group_type_builder("rows").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_created_by("herdbook".to_owned()).build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, cells) in columns {
        let Some(mut column) = group.next_column()? else {
            break;
        };
        match cells {
            Cells::Whole(cells) => put::<Int64Type>(&mut column, cells)?,
            Cells::Number(cells) => put::<DoubleType>(&mut column, cells)?,
            Cells::Text(cells) => put::<ByteArrayType>(&mut column, cells)?,
        }
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

fn put<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    cells: &[Option<T::T>],
) -> std::result::Result<(), ParquetError> {
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.iter().flatten().cloned().collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Column, number, text, whole, write_file};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::RowAccessor as _;

    #[test]
    fn a_file_has_the_cells_that_were_written() {
        let columns: Vec<Column> = vec![
            whole("animal", [Some(7), Some(-9)].into_iter()),
            number("milkForecast", [Some(412.125), None].into_iter()),
            text("country", [None, Some("RU")].into_iter()),
        ];
        let file = tempfile::tempfile().unwrap();
        write_file(file.try_clone().unwrap(), &columns).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        let names: Vec<&String> = rows[0].get_column_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["animal", "milkForecast", "country"]);
        assert_eq!((rows[0].get_long(0).unwrap(), rows[1].get_long(0).unwrap()), (7, -9));
        assert_eq!(rows[0].get_double(1).unwrap(), 412.125);
        assert!(rows[0].get_string(2).is_err(), "null");
        assert!(rows[1].get_double(1).is_err(), "null");
        assert_eq!(rows[1].get_string(2).unwrap(), "RU");
        assert_eq!(rows.len(), 2);
    }

    #[test]
    fn a_file_without_rows_has_its_columns() {
        let file = tempfile::tempfile().unwrap();
        write_file(file.try_clone().unwrap(), &[whole("animal", std::iter::empty())]).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().file_metadata().schema().get_fields().len(), 1);
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
