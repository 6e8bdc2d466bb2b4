//! Stored documents read in bulk. Decompressing their texts takes longer than reading them, and runs on all processors.

use crate::documents::stored_document::StoredDocument;
use model::error::Result;
use model::fast::IndexMap;
use model::parallel;
use model::record::Value;
use std::ops::Range;
use store::{Row, Sql, Tx, Ty, packed, packed_texts, packs, uncompressed, unpack};

/// Rows of a list from which on their documents are read as one text, where the database makes that.
const WIDE: usize = 64;
/// Bytes of a document that is read so at most, its wording among them.
const SHORT: i64 = 1 << 16;

/// Columns of [`select_documents`] as they are packed, besides the id and the text, whose length stands last.
const PACKED: [(&str, Ty); 11] = [
    ("record", Ty::Int),
    ("source_name", Ty::Text),
    ("source_id", Ty::Text),
    ("location", Ty::Int),
    ("modified", Ty::Int),
    ("created", Ty::Int),
    ("event_at", Ty::Int),
    ("animal", Ty::Int),
    ("deleted", Ty::Bool),
    ("wording", Ty::Text),
    ("length", Ty::Int),
];

/// What [`document_of`] reads of documents that `which` appends, as `d`. The name of the source is
/// joined: PostgreSQL would compute an expression for each document, and read all names for it.
pub(super) fn select_documents(which: impl FnOnce(&mut Sql)) -> Sql {
    let mut sql = Sql::new(
        "SELECT record, d.id, names.name, source_id, location, modified, created, event_at, animal, \
         deleted, body, wording FROM (SELECT d.* FROM ",
    );
    which(&mut sql);
    sql.push(") AS d LEFT JOIN exchange_names AS names ON names.id = d.source");
    sql
}

/// Reads many documents as one row: the columns of [`PACKED`] of all that are [`SHORT`], their texts one behind
/// the other, and the ids of the others.
fn select_packed(tx: &Tx, which: impl FnOnce(&mut Sql)) -> Sql {
    let (columns, texts) = (packed(tx.dialect(), &PACKED), packed_texts("body"));
    let short = "FILTER (WHERE NOT long)";
    let mut sql = Sql::new(&format!(
        "SELECT {columns} {short}, CAST({texts} {short} AS BLOB), group_concat(id) FILTER (WHERE long) \
         FROM (SELECT d.id, record, names.name AS source_name, source_id, location, modified, created, \
         event_at, animal, deleted, wording, octet_length(body) AS length, body, \
         octet_length(body) + coalesce(octet_length(wording), 0) > "
    ));
    sql.bind(Ty::Int, SHORT).push(" AS long FROM (SELECT d.* FROM ");
    which(&mut sql);
    sql.push(") AS d LEFT JOIN exchange_names AS names ON names.id = d.source) AS p");
    sql
}

/// Documents whose texts are not unpacked yet.
#[derive(Default)]
pub(crate) struct PackedDocuments {
    rows: Vec<Row>,
    texts: Vec<Row>,
    /// Without their texts: which of these rows has it, and where.
    packed: Vec<(usize, Range<usize>, StoredDocument)>,
}

impl PackedDocuments {
    /// Reads the documents of so many rows, which are appended as `d`.
    pub(super) async fn read(&mut self, tx: &mut Tx, rows: usize, which: impl Fn(&mut Sql)) -> Result<()> {
        if rows < WIDE || !packs(tx.dialect(), &PACKED) {
            let sql = select_documents(which);
            let sql = if rows > 1 { sql.one_off() } else { sql };
            self.rows.extend(tx.rows(sql).await?);
            return Ok(());
        }
        let sql = select_packed(tx, which).one_off();
        for row in tx.rows(sql).await? {
            let long: Vec<i64> = row.text(2).unwrap_or_default().split(',').filter_map(|id| id.parse().ok()).collect();
            if !long.is_empty() {
                let sql = select_documents(|sql| {
                    sql.push("exchange_documents AS d WHERE d.id IN ");
                    sql.bind_list(Ty::Int, long.into_iter().map(Value::Int));
                });
                self.rows.extend(tx.rows(sql.one_off()).await?);
            }
            let (at, mut end) = (self.texts.len(), 0);
            unpack(tx.dialect(), &row, &PACKED, |id, values| {
                let (document, length) = head(id, values);
                self.packed.push((at, end..end + length, document));
                end += length;
            });
            self.texts.push(row);
        }
        Ok(())
    }

    /// The ids of those that are not deleted.
    pub(crate) fn live(&self) -> Vec<i64> {
        let live = (self.rows.iter()).filter(|row| !row.truth(DELETED).unwrap_or_default());
        let packed = self.packed.iter().map(|(_, _, document)| document);
        live.filter_map(|row| row.int(DOCUMENT))
            .chain(packed.filter(|document| !document.deleted).map(|document| document.id))
            .collect()
    }

    /// The documents by their rows, unpacked on all processors.
    pub(crate) fn unpack(self) -> IndexMap<i64, Vec<StoredDocument>> {
        let texts: Vec<&[u8]> = (self.texts.iter()).map(|row| row.bytes(1).unwrap_or_default()).collect();
        let packed = parallel::into_map(self.packed, |(at, place, mut document)| {
            document.body = texts.get(at).and_then(|text| text.get(place)).and_then(uncompressed).unwrap_or_default();
            document
        });
        let mut by_row: IndexMap<i64, Vec<StoredDocument>> = IndexMap::default();
        for document in packed.into_iter().chain(parallel::map(&self.rows, document_of)) {
            by_row.entry(document.record).or_default().push(document);
        }
        by_row
    }
}

/// A document of a packed row without its text, and how long that is.
fn head(id: i64, values: &mut dyn Iterator<Item = Value>) -> (StoredDocument, usize) {
    let mut next = || values.next().unwrap_or_default();
    let document = StoredDocument {
        id,
        record: next().int().unwrap_or_default(),
        source: text(next()).unwrap_or_default(),
        source_id: text(next()).unwrap_or_default(),
        location: next().int().unwrap_or_default(),
        modified: next().int().unwrap_or_default(),
        created: next().int().unwrap_or_default(),
        event_at: next().int(),
        animal: next().int(),
        deleted: next().truth(),
        wording: text(next()),
        body: String::new(),
    };
    (document, usize::try_from(next().int().unwrap_or_default()).unwrap_or_default())
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Columns of [`select_documents`].
const DOCUMENT: usize = 1;
const DELETED: usize = 9;

pub(super) fn document_of(row: &Row) -> StoredDocument {
    let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
    StoredDocument {
        record: row.int(0).unwrap_or_default(),
        id: row.int(DOCUMENT).unwrap_or_default(),
        source: text(2),
        source_id: text(3),
        location: row.int(4).unwrap_or_default(),
        modified: row.int(5).unwrap_or_default(),
        created: row.int(6).unwrap_or_default(),
        event_at: row.int(7),
        animal: row.int(8),
        deleted: row.truth(DELETED).unwrap_or_default(),
        body: row.compressed(10).unwrap_or_default(),
        wording: row.text(11).map(str::to_owned),
    }
}
