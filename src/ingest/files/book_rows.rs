//! Rows of tables that the book itself wrote, sent back. They have the ids of the book, and their cells are compared with
//! the records, so that nothing has to be understood anew.

use crate::files::sheet::{FileRow, PackageSheet, SetRow};
use crate::meanings::columns::Column;
use crate::meanings::file_column::Means;
use crate::values::cells;
use crate::values::notation::Notation;
use model::error::{Issue, Result};
use model::messages::{Language, labels};
use model::record::{Record, Value, time};
use model::registry::{BookReader, Class, Collection, Field, ID, Kind, Lookup, Principal};
use ops::{WriteTransaction, parse_body, plain};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Reads rows of a table that the book wrote: only cells that say something else than the book are left in them.
pub(crate) async fn read(
    work: &mut WriteTransaction<'_>,
    caller: &Arc<Principal>,
    organization: i64,
    (sheet, id_column): (&PackageSheet, usize),
    rows: &[FileRow],
) -> Result<Vec<SetRow>> {
    let before = Arc::new(work.caller().clone());
    work.set_caller(caller);
    let stored = BookRecords::of(work, sheet, id_column, rows).await;
    work.set_caller(&before);
    let stored = stored?;
    let by_ids = stored.by_ids(sheet, id_column, rows);
    let read = rows.iter().map(|row| {
        let id = id_of(row, id_column).unwrap_or_default();
        let record = stored.records.get(&id);
        let (cells, issues) = stored.changes(sheet, record, row, by_ids);
        let mut read = sheet.read(&cells);
        read.ident = sheet.ident(&row.cells);
        read.passed = None;
        read.row.id = Some(id);
        read.row.issues.extend(issues);
        let owner = stored.owners.get(&id);
        read.foreign = owner.is_some_and(|owner| *owner != organization);
        if read.foreign && !read.row.body.is_empty() {
            // At the first cell that would change it.
            let mut changed = sheet.columns.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty());
            let path = changed.find_map(|(column, _)| Some(column.means.taken()?.1)).unwrap_or_default();
            let message = "This is an animal of another farm, which this file cannot change: leave the row out.";
            read.row.issues.push(Issue::error(path, "row-foreign-animal", message));
        }
        read
    });
    Ok(read.collect())
}

/// The id of a row, where its cell is a number.
fn id_of(row: &FileRow, id_column: usize) -> Option<i64> {
    row.cells.get(id_column)?.trim().parse().ok()
}

/// What lists show of a row in place of its id: the field that names it, and its whole name in Russian and English. Those
/// that it does not have are empty.
type Names = [String; 3];

/// What the book has for rows of a table, as far as the sender reads it.
struct BookRecords {
    records: BTreeMap<i64, Record>,
    /// Names of the rows that relations mean, by collection and id.
    names: BTreeMap<&'static str, BTreeMap<i64, Names>>,
    /// The one row that a changed text of a relation names, by collection and text.
    named: BTreeMap<&'static str, BTreeMap<String, i64>>,
    /// Whose the animals of the records are, by the id of the record.
    owners: BTreeMap<i64, i64>,
}

impl BookRecords {
    async fn of(
        work: &mut WriteTransaction<'_>,
        sheet: &PackageSheet,
        id_column: usize,
        rows: &[FileRow],
    ) -> Result<Self> {
        let c = sheet.collection;
        let ids = rows.iter().filter_map(|row| id_of(row, id_column));
        let records = rows_by_id(work, c.slug, ids.collect(), &[]).await?;
        let mut meant: BTreeMap<&'static str, BTreeSet<i64>> = BTreeMap::new();
        for column in &sheet.columns {
            if let Means::Takes(column, _) = &column.means
                && let Some(target) = column.field(c).and_then(Field::target)
            {
                let ids = meant.entry(target).or_default();
                for record in records.values() {
                    let value = record.get(column.slot);
                    ids.extend(value.int());
                    ids.extend(value.ids());
                }
            }
        }
        let mut names = BTreeMap::new();
        for (slug, ids) in meant {
            names.insert(slug, names_of(work, slug, ids).await?);
        }
        let owners = owners(work, c, &records).await?;
        let mut stored = Self { records, names, named: BTreeMap::new(), owners };
        for (slug, texts) in stored.changed_names(sheet, id_column, rows) {
            let named = stored.named(work, slug, texts).await?;
            stored.named.insert(slug, named);
        }
        Ok(stored)
    }

    /// Texts of relations that are not those of the records, by collection: whole cells, and elements of lists.
    fn changed_names(
        &self,
        sheet: &PackageSheet,
        id_column: usize,
        rows: &[FileRow],
    ) -> BTreeMap<&'static str, BTreeSet<String>> {
        let c = sheet.collection;
        let mut texts: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        for row in rows {
            let record = id_of(row, id_column).and_then(|id| self.records.get(&id));
            let Some(record) = record else { continue };
            for (column, cell) in sheet.columns.iter().zip(&row.cells) {
                if let Means::Takes(column, _) = &column.means
                    && let Some(target) = column.field(c).and_then(Field::target)
                    && !self.shows(c, column, record, cell)
                {
                    let all = texts.entry(target).or_default();
                    all.extend(cell.split(", ").chain([cell.as_str()]).map(|text| text.trim().to_owned()));
                }
            }
        }
        texts
    }

    /// The one row that each of these texts names: as it stands elsewhere in the table, else by the number that ends a
    /// whole name.
    async fn named(
        &self,
        work: &mut WriteTransaction<'_>,
        slug: &'static str,
        texts: BTreeSet<String>,
    ) -> Result<BTreeMap<String, i64>> {
        let (target, mut ids) = (work.collection(slug)?, BTreeMap::<&str, BTreeSet<i64>>::new());
        for (id, names) in self.names.get(slug).into_iter().flatten() {
            for name in names.iter().filter(|name| !name.is_empty()) {
                ids.entry(name).or_default().insert(*id);
            }
        }
        let mut numbered: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        let ends: Vec<Value> = texts.iter().filter_map(|text| Some(Value::from(text.rsplit_once(' ')?.1))).collect();
        if let ([.., _, last], Some(label)) = (target.title().names.as_slice(), target.label_field())
            && *last == label
            && !ends.is_empty()
        {
            for (id, row) in readable(work, slug, Lookup::default().is_in(label, ends).fields(&[label])).await? {
                let number = row.get(target.at(label)).text().unwrap_or_default();
                numbered.entry(number.to_owned()).or_default().insert(id);
            }
        }
        let named = texts.into_iter().filter_map(|text| {
            let number = || numbered.get(text.rsplit_once(' ')?.1);
            let rows = ids.get(text.as_str()).or_else(number)?;
            let id = rows.first().copied().filter(|_| rows.len() == 1)?;
            Some((text, id))
        });
        Ok(named.collect())
    }

    /// Whether a cell is what lists of one kind show of these rows.
    fn is_named(&self, slug: &str, ids: &[i64], cell: &str) -> bool {
        let names = |id: &i64| self.names.get(slug)?.get(id);
        let rows: Option<Vec<&Names>> = ids.iter().map(names).collect();
        let lists = |rows: Vec<&Names>| {
            (0..3).any(|at| {
                let texts: Vec<&str> = rows.iter().filter_map(|names| names.get(at)).map(String::as_str).collect();
                texts.iter().all(|text| !text.is_empty()) && is(&texts.join(", "), cell)
            })
        };
        rows.is_some_and(lists)
    }

    /// Whether the relations of a table are ids. One that is the name of its row says no, since names stand beside ids of
    /// rows that the sender does not read. None: nothing says it.
    fn by_ids(&self, sheet: &PackageSheet, id_column: usize, rows: &[FileRow]) -> Option<bool> {
        let mut ids = None;
        for row in rows {
            let record = id_of(row, id_column).and_then(|id| self.records.get(&id));
            let Some(record) = record else { continue };
            for (column, cell) in sheet.columns.iter().zip(&row.cells) {
                if let Means::Takes(column, _) = &column.means
                    && let Some(field) = column.field(sheet.collection)
                    && let Kind::Relation(target) = &field.kind
                    && let Some(id) = record.get(column.slot).int()
                {
                    if cell.trim() == id.to_string() {
                        ids = Some(true);
                    } else if self.is_named(target, &[id], cell) {
                        return Some(false);
                    }
                }
            }
        }
        ids
    }

    /// The cells of a row that say something else than the book, as tables of other programs have them; the others are
    /// empty.
    fn changes(
        &self,
        sheet: &PackageSheet,
        record: Option<&Record>,
        row: &FileRow,
        by_ids: Option<bool>,
    ) -> (Vec<String>, Vec<Issue>) {
        let c = sheet.collection;
        let (mut cells, mut issues) = (row.cells.clone(), Vec::new());
        for (column, cell) in sheet.columns.iter().zip(&mut cells) {
            let cell_text = std::mem::take(cell);
            let (Means::Takes(column, path), Some(record)) = (&column.means, record) else { continue };
            let Some(field) = column.field(c) else { continue };
            if column.is_id() || cell_text.trim().is_empty() || self.shows(c, column, record, &cell_text) {
                continue;
            }
            if by_ids.is_none() && field.target().is_some() && is_whole(&cell_text) {
                let message = "It cannot be seen whether this is an id or a name: write id:1, or field:value.";
                issues.push(Issue::error(path.clone(), "ambiguous-relation", message));
                continue;
            }
            *cell = self.plainly(c, field, cell_text.trim(), by_ids == Some(true));
        }
        (cells, issues)
    }

    /// Whether a cell is a value of the book, in any form of a list.
    fn shows(&self, c: &'static Collection, column: &Column, record: &Record, cell: &str) -> bool {
        let Some(field) = column.field(c) else { return false };
        let (value, text) = (record.get(column.slot), cell.trim());
        let same = match (&field.kind, value) {
            // Lists that have nothing.
            (_, Value::Null) => return text == "[]",
            (Kind::Relation(target), Value::Int(id)) => text == id.to_string() || self.is_named(target, &[*id], cell),
            (Kind::Relations(target), Value::Ids(ids)) => self.is_named(target, ids, cell),
            (_, Value::Int(number)) => text == number.to_string(),
            (_, Value::Num(number)) => is_number(*number, text),
            (_, Value::Text(own)) => is(own, cell) || are_words(c, field, std::slice::from_ref(own), cell),
            (Kind::Texts(_), Value::Texts(texts)) => is(&texts.join(", "), cell),
            (_, Value::Texts(words)) => are_words(c, field, words, cell),
            (Kind::Rows(_), rows) => are_rows(rows.rows(), text),
            _ => false,
        };
        same || match (value_of(c, column, cell), value) {
            (Some(Value::Time(stated)), Value::Time(own)) => is_time(field, *own, stated, text),
            (Some(stated), own) => stated == *own,
            (None, _) => false,
        }
    }

    /// A cell as tables of other programs have it: values of choices by their codes, rows that are known by their ids,
    /// `|` in lists.
    fn plainly(&self, c: &Collection, field: &Field, cell: &str, by_ids: bool) -> String {
        let one = |text: &str| {
            if let Some(target) = field.target() {
                let named = self.named.get(target).and_then(|named| named.get(text));
                return match named {
                    _ if by_ids && is_whole(text) => format!("id:{text}"),
                    Some(id) => format!("id:{id}"),
                    None => text.to_owned(),
                };
            }
            let is_named = |word: &&String| {
                Language::ALL.into_iter().any(|language| labels::option(language, c.slug, &field.path, word) == text)
            };
            field.named_values().iter().find(is_named).map_or_else(|| text.to_owned(), String::clone)
        };
        let list = matches!(field.kind, Kind::Selects(_) | Kind::Relations(_));
        match list && !cell.starts_with('[') && !cell.contains('|') {
            true => cell.split(", ").map(one).collect::<Vec<_>>().join("|"),
            false if list => cell.to_owned(),
            false => one(cell),
        }
    }
}

/// Rows that the sender reads, by id.
async fn rows_by_id(
    work: &mut WriteTransaction<'_>,
    slug: &str,
    ids: BTreeSet<i64>,
    fields: &[&str],
) -> Result<BTreeMap<i64, Record>> {
    match ids.is_empty() {
        true => Ok(BTreeMap::new()),
        false => readable(work, slug, Lookup::by_ids("id", ids).fields(fields)).await,
    }
}

/// Rows of a look-up that the sender reads, by id.
async fn readable(work: &mut WriteTransaction<'_>, slug: &str, lookup: Lookup) -> Result<BTreeMap<i64, Record>> {
    let rows = work.find(slug, lookup).await?;
    let ids = rows.iter().filter_map(|row| row.get(ID).int()).collect();
    let readable = work.reads(slug, Class::Row, ids).await?;
    let rows = rows.into_iter().filter_map(|row| {
        let id = row.get(ID).int().filter(|id| readable.contains(id))?;
        Some((id, row))
    });
    Ok(rows.collect())
}

/// The names that lists show in place of ids.
async fn names_of(work: &mut WriteTransaction<'_>, slug: &str, ids: BTreeSet<i64>) -> Result<BTreeMap<i64, Names>> {
    let target = work.collection(slug)?;
    let title = target.title();
    let label = target.label_field();
    let paths: BTreeSet<&str> = label.into_iter().chain(title.naming()).collect();
    if paths.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = rows_by_id(work, slug, ids, &Vec::from_iter(paths)).await?;
    let names = rows.into_iter().map(|(id, row)| {
        let text = |path: &str| match row.get(target.at(path)) {
            Value::Text(text) => text.clone(),
            Value::Int(number) => number.to_string(),
            _ => String::new(),
        };
        let whole: Vec<String> = title.names.iter().map(|path| text(path)).filter(|text| !text.is_empty()).collect();
        let whole = whole.join(" ");
        let english = title.english.map(text).filter(|text| !text.is_empty()).unwrap_or_else(|| whole.clone());
        (id, [label.map(text).unwrap_or_default(), whole, english])
    });
    Ok(names.collect())
}

/// Whose the animals of records are, or the records themselves, by their ids.
async fn owners(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    records: &BTreeMap<i64, Record>,
) -> Result<BTreeMap<i64, i64>> {
    let animal = c.animal.and_then(|path| c.field(path)?.target());
    let target = work.collection(animal.unwrap_or(c.slug))?;
    let Some(path) = target.access.subjects.first().copied() else { return Ok(BTreeMap::new()) };
    let of = target.at(path);
    let Some(slot) = animal.and(c.animal).map(|path| c.at(path)) else {
        return Ok(records.iter().filter_map(|(id, record)| Some((*id, record.get(of).int()?))).collect());
    };
    let animals: BTreeSet<i64> = records.values().filter_map(|record| record.get(slot).int()).collect();
    if animals.is_empty() {
        return Ok(BTreeMap::new());
    }
    let lookup = Lookup::by_ids("id", animals).fields(&[path]);
    let animals = work.find(target.slug, lookup).await?;
    let owned = animals.iter();
    let owned: BTreeMap<i64, i64> =
        owned.filter_map(|animal| Some((animal.get(ID).int()?, animal.get(of).int()?))).collect();
    let owners = records.iter().filter_map(|(id, record)| {
        let owner = owned.get(&record.get(slot).int()?)?;
        Some((*id, *owner))
    });
    Ok(owners.collect())
}

/// The value of a cell by the rules of all tables.
fn value_of(c: &'static Collection, column: &Column, cell: &str) -> Option<Value> {
    let mut body = Map::new();
    column.put(c, &mut body, cells::value(c, column, &Notation::default(), cell, true)?);
    let (values, _) = parse_body(c, &body, None);
    let value = values.into_iter().find(|(slot, _)| *slot == column.slot);
    value.map(|(_, value)| value)
}

/// Whether a cell is a text as lists write it.
fn is(text: &str, cell: &str) -> bool {
    let bare = |text: &str| text.replace('\r', "").trim().to_owned();
    let cell = bare(cell);
    cell == bare(text) || cell == bare(&plain(text.to_owned()))
}

/// Whether a cell is these values of a choice, by their names in one language.
fn are_words(c: &Collection, field: &Field, words: &[String], cell: &str) -> bool {
    let options = field.named_values();
    !options.is_empty()
        && Language::ALL.into_iter().any(|language| {
            let name = |word: &String| match options.contains(word) {
                true => labels::option(language, c.slug, &field.path, word),
                false => word.clone(),
            };
            let names: Vec<String> = words.iter().map(name).collect();
            is(&names.join(", "), cell)
        })
}

/// Whether a cell is these rows of a list. What lists show of a row beside its id is not looked at.
fn are_rows(rows: &[Json], cell: &str) -> bool {
    let Ok(stated) = serde_json::from_str::<Vec<Map<String, Json>>>(cell) else { return false };
    let same = |(own, stated): (&Json, &Map<String, Json>)| {
        stated.iter().all(|(name, stated)| {
            let own = own.get(name).unwrap_or(&Json::Null);
            own == stated || stated.get("id").is_some_and(|id| id == own)
        })
    };
    rows.len() == stated.len() && rows.iter().zip(&stated).all(same)
}

/// Whether a cell is a number; workbooks have 15 digits of it.
fn is_number(own: f64, cell: &str) -> bool {
    let stated = cell.replace(',', ".").parse::<f64>();
    stated.is_ok_and(|stated| (stated - own).abs() <= own.abs() * 1e-14)
}

/// Whether a time is the one of a cell: tables for spreadsheets have it to the second, and of a day no time.
fn is_time(field: &Field, own: i64, stated: i64, cell: &str) -> bool {
    let cut = !cell.ends_with('Z');
    let day = field.kind == Kind::Day && stated == time::day_start(own);
    own == stated || (cut && (own.abs_diff(stated) < 1000 || day))
}

fn is_whole(cell: &str) -> bool {
    let text = cell.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
