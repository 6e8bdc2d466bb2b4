//! What became of the rows of a package since they were signed (docs/packages.md). It reads part by
//! part, so that no write waits long, and keeps ids only.

use super::rows::{self, RowCursor};
use crate::collections::people::trust::signed_collections;
use model::error::{Error, Result};
use model::record::Value;
use model::registry::{BookReader, Class, Collection, ID, Lookup};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that differ of which an answer tells.
pub const DIFFERENCES: usize = 50;

/// Signed lines of a collection, by the id of the row.
type Lines<'l> = BTreeMap<i64, &'l str>;

/// Compares the rows of a package with those that were signed.
#[derive(Debug)]
pub struct Comparison {
    slug: &'static str,
    package: i64,
    part: i64,
    /// The signed rows that are still there.
    signed: BTreeMap<&'static str, BTreeSet<i64>>,
    /// The place among the present rows, once all signed ones were compared.
    cursor: Option<RowCursor>,
    differences: Vec<Json>,
    more: bool,
}

impl Comparison {
    pub fn of(c: &'static Collection, package: i64) -> Self {
        Self {
            slug: c.slug,
            package,
            part: 0,
            signed: BTreeMap::new(),
            cursor: None,
            differences: Vec::new(),
            more: false,
        }
    }

    /// Compares some more rows; false at the end. A row that its reader does not read now counts as
    /// unchanged.
    ///
    /// # Errors
    /// Those of the book.
    pub async fn step(&mut self, reader: &mut dyn BookReader) -> Result<bool> {
        let Some(cursor) = &mut self.cursor else {
            let part = reader.signed_part(self.slug, self.package, self.part);
            match part.await? {
                Some(lines) => {
                    self.part += 1;
                    self.compare(reader, &lines).await?;
                }
                None => self.cursor = Some(RowCursor::default()),
            }
            return Ok(!self.more);
        };
        let Some((c, rows)) = rows::next(reader, self.package, cursor, &["id"]).await? else {
            return Ok(false);
        };
        let ids: BTreeSet<i64> = rows.iter().filter_map(|row| row.get(ID).int()).collect();
        let signed = self.signed.remove(c.slug).unwrap_or_default();
        let new: BTreeSet<i64> = ids.difference(&signed).copied().collect();
        self.signed.insert(c.slug, signed);
        for id in reader.reads(c.slug, Class::Row, new).await? {
            self.tell(c.slug, id, "added", Vec::new());
        }
        Ok(!self.more)
    }

    /// The rows that differ, [`DIFFERENCES`] at most, and whether there are more: none if all are as
    /// they were signed.
    pub fn into_differences(self) -> (Vec<Json>, bool) {
        (self.differences, self.more)
    }

    fn tell(&mut self, slug: &str, id: i64, change: &str, fields: Vec<Json>) {
        if self.differences.len() >= DIFFERENCES {
            self.more = true;
            return;
        }
        let row = json!({"collection": slug, "id": id, "change": change, "fields": fields});
        self.differences.push(row);
    }

    /// Compares the signed rows of a part with the present ones.
    async fn compare(&mut self, reader: &mut dyn BookReader, lines: &str) -> Result<()> {
        let mut signed: BTreeMap<String, Lines<'_>> = BTreeMap::new();
        for line in lines.lines() {
            let (slug, id, _) = read(line)?;
            signed.entry(slug).or_default().insert(id, line);
        }
        let all = signed_collections()?;
        for (slug, signed) in signed {
            match all.iter().find(|c| c.slug == slug) {
                Some(c) => self.compare_rows(reader, c, signed).await?,
                None => signed.keys().for_each(|id| self.tell(&slug, *id, "removed", Vec::new())),
            }
        }
        Ok(())
    }

    async fn compare_rows(
        &mut self,
        reader: &mut dyn BookReader,
        c: &'static Collection,
        signed: Lines<'_>,
    ) -> Result<()> {
        let ids: BTreeSet<i64> = signed.keys().copied().collect();
        let present = reader.find(c.slug, Lookup::by_ids("id", ids.iter().copied())).await?;
        let present: BTreeMap<i64, _> =
            (present.into_iter()).filter_map(|row| Some((row.get(ID).int()?, row))).collect();
        let visible = reader.reads(c.slug, Class::Row, present.keys().copied().collect()).await?;
        let package = c.at(model::registry::signing::PACKAGE_OF_ROW);
        for (id, line) in signed {
            let Some(row) = present.get(&id) else {
                self.tell(c.slug, id, "removed", Vec::new());
                continue;
            };
            if row.get(package) != &Value::Int(self.package) {
                if visible.contains(&id) {
                    self.tell(c.slug, id, "removed", Vec::new());
                }
                continue;
            }
            self.signed.entry(c.slug).or_default().insert(id);
            let same = rows::line(c, row).is_ok_and(|now| now == line);
            if !same && visible.contains(&id) {
                let (_, _, fields) = read(line)?;
                let fields = differing(&fields, &rows::members(c, row));
                self.tell(c.slug, id, "changed", fields);
            }
        }
        Ok(())
    }
}

/// A signed line: collection, id, fields.
fn read(line: &str) -> Result<(String, i64, Map<String, Json>)> {
    let fault = || Error::internal("a stored line of a package cannot be read");
    let mut row: Map<String, Json> = serde_json::from_str(line).map_err(|_| fault())?;
    let slug = row.get("collection").and_then(Json::as_str);
    let slug = slug.ok_or_else(fault)?.to_owned();
    let id = row.get("id").and_then(Json::as_i64).ok_or_else(fault)?;
    match row.remove("fields") {
        Some(Json::Object(fields)) => Ok((slug, id, fields)),
        _ => Err(fault()),
    }
}

/// The fields that differ: path, value as signed, value now.
fn differing(signed: &Map<String, Json>, now: &Map<String, Json>) -> Vec<Json> {
    let form = |value: Option<&Json>| value.and_then(|v| model::canonical::canonical(v).ok());
    let paths: BTreeSet<&String> = signed.keys().chain(now.keys()).collect();
    (paths.into_iter())
        .filter(|path| form(signed.get(*path)) != form(now.get(*path)))
        .map(|path| json!({"path": path, "signed": signed.get(path), "now": now.get(path)}))
        .collect()
}
