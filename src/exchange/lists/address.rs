//! What the addresses of the standard name: locations, animals, single resources.

use crate::documents::names::Names;
use crate::lists::Lists;
use crate::lists::list::{Page, Turn};
use mapping::Mapping;
use model::error::Result;
use model::fast::IndexSet;
use model::record::Value;
use model::registry::Collection;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use store::{Row, Sql, Store, Ty};

/// The data set whose documents are the locations themselves.
pub const LOCATIONS: &str = "locations";

/// Rows of one animal number; more are as good as none.
const NAMESAKES: i64 = 100;

impl Lists {
    /// A page of the locations of the whole book, in the order of their numbers: each that has an address, as far as
    /// its document was changed in a window (from, before; epoch milliseconds). Turns count organisations.
    pub async fn locations(
        &self,
        store: &Store,
        among: Option<&[i64]>,
        modified: (Option<i64>, Option<i64>),
        turn: Turn,
        limit: u64,
    ) -> Result<Page> {
        let mut count = Sql::new("SELECT count(*)");
        self.in_the_book(&mut count, among, modified)?;
        let rows = store.rows(count).await?;
        let total = rows.first().and_then(|r| r.int(0)).unwrap_or(0);
        let mut from = Sql::default();
        self.in_the_book(&mut from, among, modified)?;
        let page = store.body_page(turn.window("o.\"id\"", from, limit)).await?;
        Ok(Page::of(page, u64::try_from(total).unwrap_or(0)))
    }

    /// Organisations first, so that a page costs as many documents as it shows.
    fn in_the_book(&self, sql: &mut Sql, among: Option<&[i64]>, modified: (Option<i64>, Option<i64>)) -> Result<()> {
        let organizations = self.rules.declared("organizations")?;
        sql.push(" FROM ").name(&organizations.table).push(" AS o");
        sql.push(" CROSS JOIN exchange_documents AS d WHERE d.location = o.\"id\"");
        sql.push(" AND d.dataset = ").name_number(LOCATIONS).push(" AND d.deleted = ").bind(Ty::Bool, false);
        if let Some(among) = among {
            sql.push(" AND o.\"id\" IN ").bind_list(Ty::Int, among.iter().copied().map(Value::Int));
        }
        for (test, end) in [(" AND d.modified >= ", modified.0), (" AND d.modified < ", modified.1)] {
            if let Some(at) = end {
                sql.push(test).bind(Ty::Int, at);
            }
        }
        Ok(())
    }

    /// Which of these organisations are locations of the book.
    pub async fn known_locations(&self, store: &Store, ids: &[i64]) -> Result<IndexSet<i64>> {
        let mut locations = IndexSet::default();
        for piece in ids.chunks(5_000) {
            let mut sql = Sql::new("SELECT location FROM exchange_documents WHERE location IN ");
            sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
            sql.push(" AND dataset = ").name_number(LOCATIONS).push(" AND deleted = ").bind(Ty::Bool, false);
            let sql = if piece.len() > 1 { sql.one_off() } else { sql };
            locations.extend(store.rows(sql).await?.iter().filter_map(|r| r.int(0)));
        }
        Ok(locations)
    }

    /// The animals that have a number; none for schemes that the book does not know.
    pub async fn animals(&self, store: &Store, mapping: &Mapping, scheme: &str, number: &str) -> Result<Vec<i64>> {
        let Some(field) = mapping.animal_field(scheme).filter(|_| !number.contains('\0')) else {
            return Ok(Vec::new());
        };
        let c = self.rules.declared("animals")?;
        let mut sql = Sql::new("SELECT \"id\" FROM ");
        sql.name(&c.table).push(" WHERE ").name(column(c, field)).push(" = ").bind(Ty::Text, number);
        sql.push(" ORDER BY \"id\" LIMIT ").bind(Ty::Int, NAMESAKES);
        let rows = store.rows(sql).await?;
        Ok(rows.iter().filter_map(|r| r.int(0)).collect())
    }

    /// One live resource of a location by its `id`, or, where it has none, by the key in
    /// its `meta.sourceId` ([`Lists::key_of`]).
    pub async fn resource(&self, store: &Store, dataset: &str, location: i64, key: &str) -> Result<Option<String>> {
        // No text of a database has a zero character, nor may it be queried for one.
        if key.contains('\0') {
            return Ok(None);
        }
        let body = |row: &Row| row.compressed(0);
        let here = || {
            Sql::new("SELECT body FROM exchange_documents WHERE dataset = ")
                .with_name(dataset)
                .and(" AND location = ")
                .with(Ty::Int, location)
                .and(" AND deleted = ")
                .with(Ty::Bool, false)
        };
        let ours = here()
            .and(" AND source = ")
            .with_name(self.rules.source())
            .and(" AND source_id = ")
            .with(Ty::Text, format!("{dataset}:{key}"));
        if let Some(text) = store.rows(ours).await?.first().and_then(body) {
            return Ok(Some(text));
        }
        // Raw documents, also from before their data set had a mapping.
        let raw = self.rules.passthrough(dataset).is_some();
        let record = raw_record(key);
        if raw || record != 0 {
            let text = store.rows(here().and(" AND record = ").with(Ty::Int, record)).await?.first().and_then(body);
            if raw || text.is_some() {
                return Ok(text);
            }
        }
        // The key of a row has its number first, perhaps behind a letter that names the collection,
        // whatever the source of the document.
        let number = key.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let Some(record) = number.get(..digits).and_then(|n| n.parse::<i64>().ok()) else { return Ok(None) };
        let rows = store.rows(here().and(" AND record = ").with(Ty::Int, record)).await?;
        Ok(rows.iter().filter_map(body).find(|text| self.key_of(dataset, text).as_deref() == Some(key)))
    }

    /// The document of a location about one of these animals that changed last.
    pub async fn newest_about(
        &self,
        store: &Store,
        dataset: &str,
        location: i64,
        animals: &[i64],
    ) -> Result<Option<String>> {
        let mut sql = Sql::new("SELECT body FROM exchange_documents WHERE dataset = ")
            .with_name(dataset)
            .and(" AND deleted = ")
            .with(Ty::Bool, false)
            .and(" AND location = ")
            .with(Ty::Int, location)
            .and(" AND animal IN ");
        sql.bind_list(Ty::Int, animals.iter().copied().map(Value::Int)).push(" ORDER BY seq DESC LIMIT 1");
        let rows = store.rows(sql).await?;
        Ok(rows.first().and_then(|r| r.compressed(0)))
    }

    /// What a stored document is called in its address: its `id`, else the key in
    /// its `meta.sourceId`, when it is of this book.
    pub fn key_of(&self, dataset: &str, body: &str) -> Option<String> {
        #[derive(serde::Deserialize)]
        struct Identity<'b> {
            #[serde(borrow)]
            id: Option<std::borrow::Cow<'b, str>>,
            #[serde(borrow)]
            meta: Option<&'b RawValue>,
        }
        let identity: Identity<'_> = serde_json::from_str(body).ok()?;
        if let Some(id) = identity.id {
            return Some(id.into_owned());
        }
        let meta: Json = serde_json::from_str(identity.meta?.get()).ok()?;
        let text = |name: &str| meta.get(name).and_then(Json::as_str);
        let ours = text("source") == Some(self.rules.source());
        let key = text("sourceId")?.strip_prefix(dataset)?.strip_prefix(':')?;
        ours.then(|| key.to_owned())
    }
}

/// First letter of the key of a raw document.
const RAW_PREFIX: &str = "k";

/// What a record is called in addresses when its document does not say it itself: its
/// number, or, of a raw document, `k` and its number.
pub fn record_key(record: i64) -> String {
    match record {
        ..0 => format!("{RAW_PREFIX}{}", record.unsigned_abs()),
        _ => record.to_string(),
    }
}

/// The record of such a key; none has the number 0.
fn raw_record(key: &str) -> i64 {
    key.strip_prefix(RAW_PREFIX).filter(|n| !n.starts_with('+')).and_then(|n| n.parse::<i64>().ok()).map_or(0, |n| -n)
}

fn column<'c>(c: &'c Collection, path: &str) -> &'c str {
    c.field(path).map_or("id", |f| f.column.as_str())
}
