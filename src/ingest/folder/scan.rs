//! Before anything is written: every file is read once, so that unknown files and columns are reported
//! all at once, rows are counted, and the names of rows that refer to each other are known.

use super::FolderOptions;
use super::files::{RowFile, files};
use super::order::{Node, OrderedNode, in_write_order};
use super::read::{FolderRow, OpenFile};
use crate::files::sheet::PackageSheet;
use crate::meanings::columns::{Column, Part};
use crate::meanings::file_column::{FileColumn, Means};
use crate::values::notation::Notation;
use crate::write::{ComingNames, at, imports};
use indexmap::IndexMap;
use model::error::{Error, Issue, Result};
use model::registry::{Collection, Field, Kind, Registry};
use serde_json::{Map, Value as Json};
use sheets::Source;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Bytes for which one name is expected, and how much shorter files are when they are zipped.
const BYTES_A_NAME: u64 = 16;
const ZIPPED: u64 = 8;
/// Most faults of one file.
const MOST_NAMES: usize = 50;

#[derive(Debug)]
pub(super) struct PlannedCollection {
    pub(super) placed: OrderedNode,
    pub(super) files: Vec<RowFile>,
    /// Names of its rows, where rows name each other.
    pub(super) coming: Option<Arc<ComingNames>>,
}

/// What is to be imported, in order.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) collections: Vec<PlannedCollection>,
    pub(super) ignored: IndexMap<String, Vec<String>>,
    pub(super) rows: u64,
    /// The highest ids that files bring.
    pub(super) ids: Vec<(&'static Collection, i64)>,
}

/// What one collection's files have.
struct Scanned {
    files: Vec<RowFile>,
    slots: BTreeSet<usize>,
    rows: u64,
    highest: i64,
    coming: Option<ComingNames>,
}

/// Reads all files of a folder once.
pub(super) fn planned(registry: &'static Registry, folder: &Path, options: &FolderOptions, now: i64) -> Result<Plan> {
    let (files, mut issues) = files(registry, folder, &options.report)?;
    let mut scanned: IndexMap<&'static str, Scanned> = IndexMap::new();
    let mut ignored: IndexMap<String, Vec<String>> = IndexMap::new();
    for file in files {
        let c = file.collection;
        let one = scanned.entry(c.slug).or_insert_with(|| Scanned {
            files: Vec::new(),
            slots: BTreeSet::new(),
            rows: 0,
            highest: 0,
            coming: names_itself(c).then(|| ComingNames::of(0)),
        });
        one.files.push(file);
    }
    for one in scanned.values_mut() {
        let bytes = one.files.iter().map(|file| match file.source {
            Source::Gzip(_) => file.bytes.saturating_mul(ZIPPED),
            _ => file.bytes,
        });
        let names = bytes.sum::<u64>() / BYTES_A_NAME;
        if let Some(coming) = &mut one.coming {
            *coming = ComingNames::of(names.max(1_000));
        }
        for (place, file) in one.files.clone().into_iter().enumerate() {
            let mut report = ColumnReport::default();
            match scan(registry, &file, (options, now), one, &mut report) {
                Ok(notations) => {
                    if let Some(file) = one.files.get_mut(place) {
                        file.notations = notations;
                    }
                }
                Err(Error::Malformed(why)) => {
                    let path = format!("{}: ", file.path.display());
                    let why = why.to_string();
                    let why = why.strip_prefix(&path).unwrap_or(&why).to_owned();
                    issues.push(Issue::error(file.name.clone(), "unreadable", why));
                }
                Err(other) => return Err(other),
            }
            report.tell(&file, options.skip_unknown, &mut issues);
            if !report.ignored.is_empty() {
                ignored.insert(file.name.clone(), report.ignored.into_iter().collect());
            }
        }
    }
    if !issues.is_empty() {
        return Err(Error::Invalid(issues));
    }
    let nodes = scanned.values().filter_map(|one| {
        Some(Node { collection: one.files.first()?.collection, slots: one.slots.clone(), rows: one.rows })
    });
    Ok(in_order(in_write_order(registry, nodes.collect()), scanned, ignored))
}

/// The scanned collections in the order in which they are written.
fn in_order(
    placed: Vec<OrderedNode>,
    mut scanned: IndexMap<&'static str, Scanned>,
    ignored: IndexMap<String, Vec<String>>,
) -> Plan {
    let mut plan = Plan { collections: Vec::new(), ignored, rows: 0, ids: Vec::new() };
    for placed in placed {
        let Some(one) = scanned.swap_remove(placed.node.collection.slug) else { continue };
        plan.rows += one.rows;
        if one.highest > 0 {
            plan.ids.push((placed.node.collection, one.highest));
        }
        plan.collections.push(PlannedCollection {
            coming: one.coming.filter(|_| placed.names_itself).map(Arc::new),
            files: one.files,
            placed,
        });
    }
    plan
}

/// Whether rows of a collection can name each other.
fn names_itself(c: &Collection) -> bool {
    c.relations_to(c.slug).next().is_some()
}

/// Headings of a file that are unknown, ignored or repeated.
#[derive(Default)]
struct ColumnReport {
    unknown: IndexMap<String, Option<String>>,
    ignored: BTreeSet<String>,
    twice: Vec<(String, String)>,
    without_key: bool,
    empty: bool,
}

impl ColumnReport {
    /// Sees a heading, or a key of a line.
    fn see(&mut self, title: &str, means: &Means) {
        match means {
            Means::NotTaken => {
                self.ignored.insert(title.to_owned());
            }
            Means::Unknown(near) => {
                self.unknown.insert(title.to_owned(), near.first().cloned());
            }
            Means::Takes(..) | Means::Again(_) | Means::Beside(_) | Means::LeftOut => {}
        }
    }

    fn tell(&self, file: &RowFile, skips: bool, issues: &mut Vec<Issue>) {
        let mut add = |code, message| issues.push(Issue::error(file.name.clone(), code, message));
        if !skips {
            for (name, near) in self.unknown.iter().take(MOST_NAMES) {
                let slug = file.collection.slug;
                let hint = near
                    .as_ref()
                    .map_or_else(|| "--skip-unknown leaves it out".to_owned(), |near| format!("did you mean {near}?"));
                add("unknown-column", format!("{slug} have no field {name:?}; {hint}"));
            }
        }
        for (one, other) in &self.twice {
            add("column-twice", format!("the columns {one:?} and {other:?} mean the same field"));
        }
        if self.without_key {
            let slug = file.collection.slug;
            let why = "nothing but the id recognises such a row, so that a second import would \
                       write all rows again: add a column id";
            add("no-key", format!("{slug}: {why}"));
        }
        if self.empty {
            let message = "no column means a field of the collection".to_owned();
            add("no-columns", message);
        }
    }
}

/// Reads a file: how its columns are written, before its rows are read as values, and what it has.
fn scan(
    registry: &'static Registry,
    file: &RowFile,
    (options, now): (&FolderOptions, i64),
    one: &mut Scanned,
    report: &mut ColumnReport,
) -> Result<Vec<Vec<Notation>>> {
    let c = file.collection;
    let mut opened = OpenFile::open(registry, file, options.encoding, options.skip_unknown)?;
    opened.decide_notations(now);
    let tables = opened.tables().map(|tables| tables.sheets.as_slice()).unwrap_or_default();
    for table in tables {
        columns(table, one, report);
    }
    let mut rows = opened.rows()?;
    while let Some(FolderRow { row, .. }) = rows.next()? {
        one.rows += 1;
        one.highest = one.highest.max(row.id.unwrap_or_default());
        if file.lines {
            fields(c, &row.body, "", &mut one.slots, report);
        }
        if let Some(coming) = &mut one.coming {
            if let Some(id) = row.id {
                coming.insert_id(id);
            }
            for slot in c.names() {
                if let Some(Json::String(name)) = at(&row.body, c.fields.get(slot).map_or("", |f| &f.path)) {
                    coming.insert(name);
                }
            }
        }
    }
    for (key, means) in rows.keys() {
        report.see(key, means);
    }
    let notations = |table: &PackageSheet| table.columns.iter().map(|column| column.notation.clone()).collect();
    Ok(tables.iter().map(notations).collect())
}

fn columns(table: &PackageSheet, one: &mut Scanned, report: &mut ColumnReport) {
    let c = table.collection;
    let mut columns_so_far: Vec<(&Column, &str)> = Vec::new();
    for FileColumn { title, means, .. } in &table.columns {
        report.see(title, means);
        let Means::Takes(column, _) = means else { continue };
        let same = |(other, _): &&(&Column, &str)| {
            let members = matches!(
                (&other.part, &column.part),
                (Part::Member(a, b), Part::Member(x, y)) if (a, b) != (x, y)
            );
            other.slot == column.slot && !members
        };
        if let Some((_, other)) = columns_so_far.iter().find(same) {
            report.twice.push(((*other).to_owned(), title.clone()));
        }
        one.slots.insert(column.slot);
        columns_so_far.push((column, title));
    }
    let has_id = table.id_column().is_some();
    report.without_key |= !has_id && c.recognised().is_empty();
    report.empty |= columns_so_far.is_empty();
}

/// The fields that a line fills.
fn fields(
    c: &Collection,
    body: &Map<String, Json>,
    prefix: &str,
    slots: &mut BTreeSet<usize>,
    report: &mut ColumnReport,
) {
    for (name, value) in body {
        let path = format!("{prefix}{name}");
        match (c.slot(&path), value) {
            (Some(slot), _) => {
                if imports(c, slot) {
                    slots.insert(slot);
                    unknown_members(c.fields.get(slot), value, &path, report);
                } else if report.ignored.len() < MOST_NAMES {
                    report.ignored.insert(path);
                }
            }
            (None, Json::Object(members)) => {
                fields(c, members, &format!("{path}."), slots, report);
            }
            (None, _) if is_beside(c, &path) => {}
            (None, _) if report.unknown.len() < MOST_NAMES => {
                report.unknown.insert(path, None);
            }
            (None, _) => {}
        }
    }
}

/// What stands beside the fields in documents of this book: joins, and groups that are empty.
fn is_beside(c: &Collection, path: &str) -> bool {
    let group = format!("{path}.");
    c.joins.iter().any(|join| join.name == path) || c.fields.iter().any(|field| field.path.starts_with(&group))
}

fn unknown_members(field: Option<&Field>, value: &Json, path: &str, report: &mut ColumnReport) {
    let Some(Kind::Rows(subs)) = field.map(|f| &f.kind) else { return };
    for name in value.as_array().into_iter().flatten().filter_map(Json::as_object).flat_map(|row| row.keys()) {
        let is_member = name == "id" || subs.iter().any(|sub| sub.path == *name);
        if !is_member && report.unknown.len() < MOST_NAMES {
            report.unknown.insert(format!("{path}[].{name}"), None);
        }
    }
}
