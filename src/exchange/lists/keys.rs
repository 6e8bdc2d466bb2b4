//! The index of values inside documents by which lists are filtered and which no column holds. The catalogue of the
//! standard lists these members; mapped and raw documents are indexed alike, where documents are written.

use crate::documents::names::Names;
use crate::lists::Lists;
use crate::projection::projector::Projector;
use mapping::Mapping;
use model::error::Result;
use model::fast::IndexMap;
use model::record::Value;
use ops::WriteTransaction;
use std::collections::BTreeSet;
use store::{Row, Sql, Ty, pieces};

/// Rows of one statement.
const TOGETHER: usize = 500;

/// Parameter, value, time.
type Entry = (String, String, Option<i64>);

pub(crate) type KeyIndex = IndexMap<i64, BTreeSet<Entry>>;

/// What a list is narrowed to by the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFilter {
    /// The parameter of the standard ([`ade::keys::Key::parameter`]).
    pub name: &'static str,
    /// What its values must be.
    pub test: KeyTest,
}

/// A test of the values of a key; one value that passes is enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyTest {
    /// One of these. For identifiers, also documents about an animal that has one of the numbers,
    /// whichever number the document shows.
    In(Vec<String>, Vec<AnimalNumbers>),
    /// At this time or later, epoch milliseconds.
    From(i64),
    /// Before this time.
    Before(i64),
}

/// Numbers of animals in one scheme: the field that holds them, and the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnimalNumbers {
    /// Path of the field of animals.
    pub field: String,
    pub ids: Vec<String>,
}

/// Whether documents of a type are indexed at all.
pub(crate) fn indexed(resource: &str) -> bool {
    ade::keys::parameters(resource).next().is_some()
}

pub(crate) fn entries(mapping: &Mapping, body: &str) -> BTreeSet<Entry> {
    if !indexed(mapping.resource()) {
        return BTreeSet::new();
    }
    let doc: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    (ade::keys::of(mapping.resource(), &doc).into_iter())
        .map(|key| (key.parameter.to_owned(), key.value, key.at))
        .collect()
}

/// A statement over the live documents, `d`, that a mapping made of rows.
fn of_rows(select: &str, mapping: &Mapping, records: &[i64]) -> Sql {
    let mut sql = Sql::new(select)
        .and(" WHERE d.dataset = ")
        .with_name(mapping.dataset())
        .and(" AND d.collection = ")
        .with_name(mapping.collection())
        .and(" AND d.deleted = ")
        .with(Ty::Bool, false)
        .and(" AND d.record IN ");
    sql.bind_list(Ty::Int, records.iter().copied().map(Value::Int));
    sql.one_off()
}

/// Rows of document, name, value and time.
fn indexed_in(rows: &[Row]) -> KeyIndex {
    let mut indexed = KeyIndex::default();
    for row in rows {
        let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
        let document = row.int(0).unwrap_or_default();
        indexed.entry(document).or_default().insert((text(1), text(2), row.int(3)));
    }
    indexed
}

impl Projector {
    /// Indexes documents of one type that were just written, by their numbers in the
    /// sequence; what was indexed of them before is dropped.
    pub(crate) async fn index_keys(
        &self,
        work: &mut WriteTransaction<'_>,
        resource: &str,
        written: &[(i64, String)],
    ) -> Result<()> {
        if !indexed(resource) {
            return Ok(());
        }
        for piece in written.chunks(TOGETHER) {
            let mut sql = Sql::new(
                "DELETE FROM exchange_keys WHERE document IN (SELECT id FROM exchange_documents WHERE seq IN ",
            );
            sql.bind_list(Ty::Int, piece.iter().map(|(seq, _)| Value::Int(*seq)));
            work.tx().run(sql.and(")").one_off()).await?;
        }
        let keys: Vec<(i64, ade::keys::Key)> = (written.iter())
            .filter_map(|(seq, body)| Some((*seq, serde_json::from_str(body).ok()?)))
            .flat_map(|(seq, doc)| ade::keys::of(resource, &doc).into_iter().map(move |key| (seq, key)))
            .collect();
        for piece in pieces(&keys, 4) {
            let mut sql = Sql::new(
                "INSERT INTO exchange_keys (document, location, dataset, name, value, at) \
                 SELECT d.id, d.location, d.dataset, v.column2, v.column3, v.column4 FROM (VALUES ",
            );
            let rows = piece.iter().map(|(seq, key)| {
                let value = Value::from(key.value.as_str());
                [Value::Int(*seq), key.parameter.into(), value, key.at.into()]
            });
            sql.bind_rows([Ty::Int, Ty::Text, Ty::Text, Ty::Int], rows);
            sql.push(") AS v JOIN exchange_documents AS d ON d.seq = v.column1");
            work.tx().send(sql).await?;
        }
        Ok(())
    }

    pub(crate) async fn indexed_of(&self, work: &mut WriteTransaction<'_>, documents: &[i64]) -> Result<KeyIndex> {
        if documents.is_empty() {
            return Ok(KeyIndex::default());
        }
        let mut sql = Sql::new("SELECT document, name, value, at FROM exchange_keys WHERE document IN ");
        sql.bind_list(Ty::Int, documents.iter().copied().map(Value::Int));
        Ok(indexed_in(&work.tx().rows(sql.one_off()).await?))
    }

    /// The stored index entries of the live documents of rows.
    async fn indexed_of_rows(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        records: &[i64],
    ) -> Result<KeyIndex> {
        let sql = of_rows(
            "SELECT d.id, k.name, k.value, k.at FROM exchange_keys AS k \
             JOIN exchange_documents AS d ON d.id = k.document",
            mapping,
            records,
        );
        Ok(indexed_in(&work.tx().rows(sql).await?))
    }

    /// Indexes the live documents of rows anew, as far as what is indexed of them differs.
    pub(crate) async fn refresh_keys(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        records: &[i64],
    ) -> Result<()> {
        for piece in records.chunks(TOGETHER) {
            let mut indexed_of = self.indexed_of_rows(work, mapping, piece).await?;
            if indexed_of.is_empty() && !indexed(mapping.resource()) {
                continue;
            }
            let documents = of_rows("SELECT d.seq, d.body, d.id FROM exchange_documents AS d", mapping, piece);
            let mut differ = Vec::new();
            let mut ids = Vec::new();
            for row in work.tx().rows(documents).await? {
                let (Some(seq), Some(body), Some(id)) = (row.int(0), row.compressed(1), row.int(2)) else { continue };
                if indexed_of.swap_remove(&id).unwrap_or_default() != entries(mapping, &body) {
                    differ.push((seq, body));
                    ids.push(id);
                }
            }
            for ids in ids.chunks(TOGETHER) {
                let mut sql = Sql::new("DELETE FROM exchange_keys WHERE document IN ");
                sql.bind_list(Ty::Int, ids.iter().copied().map(Value::Int));
                work.tx().run(sql.one_off()).await?;
            }
            self.index_keys(work, mapping.resource(), &differ).await?;
        }
        Ok(())
    }

    /// Drops what is indexed of documents of a type that are no more.
    pub(crate) async fn drop_keys(
        &self,
        work: &mut WriteTransaction<'_>,
        resource: &str,
        documents: &[i64],
    ) -> Result<()> {
        if !indexed(resource) {
            return Ok(());
        }
        for piece in documents.chunks(TOGETHER) {
            let mut sql = Sql::new("DELETE FROM exchange_keys WHERE document IN ");
            sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
            work.tx().run(sql.one_off()).await?;
        }
        Ok(())
    }
}

impl Lists {
    /// Documents that a look-up finds, as a condition on the list of a location.
    pub(crate) fn restrict(&self, sql: &mut Sql, (location, dataset): (i64, &str), filter: &KeyFilter) -> Result<()> {
        sql.push(" AND (id IN (SELECT document FROM exchange_keys WHERE location = ")
            .bind(Ty::Int, location)
            .push(" AND dataset = ")
            .name_number(dataset)
            .push(" AND name = ")
            .bind(Ty::Text, filter.name);
        match &filter.test {
            KeyTest::In(values, numbers) => {
                sql.push(" AND value IN ").bind_list(Ty::Text, values.iter().cloned().map(Value::Text)).push(")");
                if !numbers.is_empty() {
                    sql.push(" OR animal IN ");
                    self.numbered(sql, numbers)?;
                }
            }
            KeyTest::From(at) => {
                sql.push(" AND at >= ").bind(Ty::Int, *at).push(")");
            }
            KeyTest::Before(at) => {
                sql.push(" AND at < ").bind(Ty::Int, *at).push(")");
            }
        }
        sql.push(")");
        Ok(())
    }

    /// `(SELECT …)`: the animals that have one of the numbers, whosever they are.
    pub(crate) fn numbered(&self, sql: &mut Sql, numbers: &[AnimalNumbers]) -> Result<()> {
        let animals = self.rules.declared("animals")?;
        sql.push("(SELECT \"id\" FROM ").name(&animals.table).push(" WHERE ");
        for (i, number) in numbers.iter().enumerate() {
            sql.push(if i > 0 { " OR " } else { "" });
            let field = animals.field(&number.field);
            sql.name(field.map_or("id", |f| f.column.as_str())).push(" IN ");
            let ids = number.ids.iter().map(|id| field.map_or(id.clone(), |f| f.spell(id.clone())));
            sql.bind_list(Ty::Text, ids.map(Value::Text));
        }
        sql.push(if numbers.is_empty() { "1 = 0)" } else { ")" });
        Ok(())
    }
}
