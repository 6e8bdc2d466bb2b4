//! Interned names: data set, collection, type and source of documents have few, long values.
//! `exchange_names` stores each once; rows and indexes have its number.

use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::record::Value;
use ops::WriteTransaction;
use store::{Sql, Ty};

/// Words for statements on `exchange_documents`.
pub(crate) trait Names {
    fn name_number(&mut self, name: &str) -> &mut Self;
    /// Appends ` IN (…)` with the numbers of names.
    fn in_name_numbers<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> &mut Self;
    /// Appends the number of a name; shorthand for chaining.
    fn with_name(self, name: &str) -> Self;
}

impl Names for Sql {
    fn name_number(&mut self, name: &str) -> &mut Self {
        self.push("(SELECT id FROM exchange_names WHERE name = ").bind(Ty::Text, name).push(")")
    }

    fn in_name_numbers<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> &mut Self {
        self.push(" IN (SELECT id FROM exchange_names WHERE name IN ");
        self.bind_list(Ty::Text, names.into_iter().map(Value::from));
        self.push(")")
    }

    fn with_name(mut self, name: &str) -> Self {
        self.name_number(name);
        self
    }
}

/// The name behind the number in a column, as an expression.
pub(crate) fn name_of(column: &str) -> String {
    format!("(SELECT names.name FROM exchange_names AS names WHERE names.id = {column})")
}

/// Selects source, source id and further columns of the documents of a data set at a location that have one of these
/// sources and one of these source ids.
pub(crate) fn select_named<'n>(
    further: &str,
    (dataset, location): (&str, i64),
    sources: impl IntoIterator<Item = &'n str>,
    source_ids: impl IntoIterator<Item = &'n str>,
) -> Sql {
    let source = name_of("source");
    let columns = format!("SELECT {source}, source_id{further}");
    let mut sql = Sql::new(&columns)
        .and(" FROM exchange_documents WHERE dataset = ")
        .with_name(dataset)
        .and(" AND location = ")
        .with(Ty::Int, location)
        .and(" AND source");
    let sources: IndexSet<&str> = sources.into_iter().collect();
    sql.in_name_numbers(sources).push(" AND source_id IN ");
    sql.bind_list(Ty::Text, source_ids.into_iter().map(Value::from));
    sql
}

/// The numbers of names; new ones get theirs.
pub(crate) async fn numbered<'n>(
    work: &mut WriteTransaction<'_>,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<IndexMap<&'n str, i64>> {
    let names: IndexSet<&str> = names.into_iter().collect();
    let mut sql = Sql::new("SELECT name, id FROM exchange_names WHERE name IN ");
    sql.bind_list(Ty::Text, names.iter().map(|name| Value::from(*name)));
    let rows = work.tx().rows(sql).await?;
    let mut numbers: IndexMap<&str, i64> = IndexMap::default();
    for row in &rows {
        numbers.extend(row.text(0).and_then(|name| names.get(name)).copied().zip(row.int(1)));
    }
    let new: Vec<&str> = (names.into_iter()).filter(|name| !numbers.contains_key(name)).collect();
    if new.is_empty() {
        return Ok(numbers);
    }
    // Names stay, and no other writes beside: the next number is free.
    let last = work.tx().rows(Sql::new("SELECT max(id) FROM exchange_names")).await?;
    let first = 1 + last.first().and_then(|row| row.int(0)).unwrap_or(0);
    numbers.extend(new.iter().copied().zip(first..));
    let rows = (new.into_iter().zip(first..)).map(|(name, id)| [Value::Int(id), name.into()]);
    let sql = Sql::insert("exchange_names (id, name)", [Ty::Int, Ty::Text], rows);
    work.tx().send(sql.one_off()).await?;
    Ok(numbers)
}
