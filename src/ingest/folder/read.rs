//! Files of a folder as rows: tables by the readers of packages, lines of JSON as bodies of REST.

use super::fault;
use super::files::RowFile;
use crate::files::file::{FileRows, PackageFile, titles};
use crate::files::file_fault::FileFault;
use crate::files::sheet::FileRow;
use crate::meanings::columns::Column;
use crate::meanings::file_column::Means;
use crate::meanings::known_columns::KnownColumns;
use crate::meanings::whole_collection;
use crate::write::ImportRow;
use model::error::{Issue, Result};
use model::registry::{Collection, Node, Registry};
use serde_json::{Map, Value as Json};
use sheets::{Book, Encoding, Options, TextLine, TextLines};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What stands for bytes that the encoding of a file does not have.
const NO_CHARACTER: char = '\u{fffd}';
/// Keys of lines of which is remembered what they mean.
const KEYS: usize = 1_000;

/// A row with its place in the file.
#[derive(Debug)]
pub(super) struct FolderRow {
    /// The line at which it begins, or the row of the sheet, from 1.
    pub(super) line: u64,
    /// The file, and the sheet where it has several.
    pub(super) place: Arc<str>,
    pub(super) row: ImportRow,
}

pub(super) struct OpenFile<'f> {
    file: &'f RowFile,
    options: Options,
    registry: &'static Registry,
    /// Its tables; none: it has lines.
    tables: Option<PackageFile>,
}

/// The rows of a file, one after another.
pub(super) enum Rows<'f> {
    Tables(Box<TableRows<'f>>),
    Lines(Box<LineRows<'f>>),
}

pub(super) struct TableRows<'f> {
    rows: FileRows<'f>,
    tables: &'f PackageFile,
    file: &'f RowFile,
    places: Vec<Arc<str>>,
}

/// The rows of a file of JSON lines.
pub(super) struct LineRows<'f> {
    lines: TextLines,
    place: Arc<str>,
    file: &'f RowFile,
    registry: &'static Registry,
    keys: BTreeMap<String, Means>,
}

impl<'f> OpenFile<'f> {
    /// Opens a file and finds the headers of its tables. Where unknown columns are skipped, sheets without a header are
    /// too.
    pub(super) fn open(
        registry: &'static Registry,
        file: &'f RowFile,
        encoding: Encoding,
        skips: bool,
    ) -> Result<Self> {
        let options = Options {
            limits: file.limits.clone(),
            encoding: Some(encoding),
            delimiter: file.delimiter,
            replaces: true,
            ..Options::default()
        };
        let tables = match file.lines {
            true => None,
            false => {
                let mut tables =
                    tables(registry, file, &options, skips).map_err(|why| fault(&file.path, why.message))?;
                for (table, notations) in tables.sheets.iter_mut().zip(&file.notations) {
                    for (column, notation) in table.columns.iter_mut().zip(notations) {
                        column.notation = notation.clone();
                    }
                }
                Some(tables)
            }
        };
        Ok(Self { file, options, registry, tables })
    }

    /// Its tables; none: it has lines.
    pub(super) fn tables(&self) -> Option<&PackageFile> {
        self.tables.as_ref()
    }

    /// Decides how the columns of its tables are written, by all rows.
    pub(super) fn decide_notations(&mut self, now: i64) {
        if let Some(tables) = &mut self.tables {
            tables.decide_notations(now);
        }
    }

    pub(super) fn rows(&self) -> Result<Rows<'_>> {
        let file = self.file;
        let Some(tables) = &self.tables else {
            let lines = TextLines::open(&file.source, &self.options);
            return Ok(Rows::Lines(Box::new(LineRows {
                lines: lines.map_err(|why| fault(&file.path, FileFault::from(why).message))?,
                place: Arc::from(file.name.as_str()),
                file,
                registry: self.registry,
                keys: BTreeMap::new(),
            })));
        };
        let is_one = tables.book.sheets().len() == 1;
        let place = |sheet: &crate::files::sheet::PackageSheet| match is_one {
            true => Arc::from(file.name.as_str()),
            false => Arc::from(format!("{} ({})", file.name, sheet.name)),
        };
        Ok(Rows::Tables(Box::new(TableRows {
            rows: tables.rows(),
            places: tables.sheets.iter().map(place).collect(),
            tables,
            file,
        })))
    }
}

fn tables(
    registry: &'static Registry,
    file: &RowFile,
    options: &Options,
    skips: bool,
) -> std::result::Result<PackageFile, FileFault> {
    let c = file.collection;
    let mut tables = PackageFile {
        book: Book::open(file.source.clone(), options)?,
        known_columns: KnownColumns::default(),
        registry,
        of: Some(c),
        sheets: Vec::new(),
        passed: Vec::new(),
    };
    for (sheet, name) in tables.book.sheets().into_iter().enumerate() {
        let mut table = tables.table(sheet, None)?;
        match table.header.take() {
            Some(header) => {
                let place = (sheet, name, header.number);
                let titles = titles(&header);
                if titles.iter().any(|title| title.contains(NO_CHARACTER)) {
                    let why = "the header is not UTF-8 (--encoding windows-1251?)";
                    return Err(FileFault::new("wrong-encoding", why));
                }
                tables.sheets.push(whole_collection::table(registry, c, place, &titles));
            }
            None if !skips && table.next()?.is_some() => {
                let slug = c.slug;
                let why = format!("sheet {name:?}: none of the first rows has two columns of {slug}");
                return Err(FileFault::new("no-header", why));
            }
            None => {}
        }
    }
    if tables.sheets.is_empty() && !skips { Err(FileFault::new("no-header", "has no header")) } else { Ok(tables) }
}

impl Rows<'_> {
    /// The next row; rows without any value are passed over.
    pub(super) fn next(&mut self) -> Result<Option<FolderRow>> {
        match self {
            Self::Tables(rows) => rows.next(),
            Self::Lines(rows) => rows.next(),
        }
    }

    /// Keys of lines that mean no field, met so far.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&String, &Means)> {
        let keys = match self {
            Self::Tables(_) => None,
            Self::Lines(rows) => Some(&rows.keys),
        };
        keys.into_iter().flatten()
    }
}

impl TableRows<'_> {
    fn next(&mut self) -> Result<Option<FolderRow>> {
        let next = self.rows.next();
        let place = self.places.get(self.rows.at);
        let next = next.map_err(|why| match place.filter(|_| self.places.len() > 1) {
            Some(place) => fault(&self.file.path, format!("{place}: {}", why.message)),
            None => fault(&self.file.path, why.message),
        })?;
        let (Some(row), Some(place)) = (next, place) else { return Ok(None) };
        Ok(Some(FolderRow {
            line: u64::try_from(row.line).unwrap_or_default(),
            place: Arc::clone(place),
            row: self.row(&row),
        }))
    }

    fn row(&self, row: &FileRow) -> ImportRow {
        if let Some(fault) = &row.broken {
            let issue = Issue::error("", fault.code.clone(), fault.message.clone());
            return ImportRow { issues: vec![issue], ..ImportRow::default() };
        }
        let Some(table) = self.tables.sheets.get(row.sheet) else { return ImportRow::default() };
        let mut read = table.read(&row.cells).row;
        if let Some(id) = read.body.remove("id") {
            read_id(&mut read, &id);
        }
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            if let Means::Takes(_, path) = &column.means
                && cell.contains(NO_CHARACTER)
            {
                let title = &column.title;
                let message = format!("{title} is not UTF-8 (--encoding windows-1251?).");
                read.issues.push(Issue::error(path.clone(), "not-utf8", message));
            }
        }
        read
    }
}

impl LineRows<'_> {
    fn next(&mut self) -> Result<Option<FolderRow>> {
        let next = self.lines.next().map_err(|why| fault(&self.file.path, FileFault::from(why).message))?;
        Ok(next.map(|TextLine { number, text }| FolderRow {
            line: number,
            place: Arc::clone(&self.place),
            row: self.row(&text),
        }))
    }

    fn row(&mut self, line: &str) -> ImportRow {
        let c = self.file.collection;
        let mut row = ImportRow::default();
        let mut refuse = |code: &'static str, message: String| {
            row.issues.push(Issue::error("", code, message));
        };
        let object: Map<String, Json> = match serde_json::from_str(line) {
            Ok(Json::Object(object)) => object,
            Ok(_) => {
                refuse("not-an-object", "The line is no JSON object.".to_owned());
                return row;
            }
            Err(why) => {
                refuse("not-json", format!("The line is no JSON: {why}."));
                return row;
            }
        };
        if line.contains(NO_CHARACTER) {
            refuse("not-utf8", "The line is not UTF-8.".to_owned());
            return row;
        }
        for (key, value) in object {
            if key == "id" {
                read_id(&mut row, &value);
            } else if is_member(c, &key) {
                row.body.insert(key, value);
            } else if let Some(column) = self.column(c, &key) {
                column.put(c, &mut row.body, value);
            }
        }
        row
    }

    /// What a key means that is no field or group.
    fn column(&mut self, c: &'static Collection, key: &str) -> Option<Column> {
        let column = |means: &Means| Some(means.taken()?.0.clone());
        if let Some(path) = self.keys.get(key) {
            return column(path);
        }
        let means = whole_collection::means(self.registry, c, key);
        let field = column(&means);
        // A file with ever new keys is no reason to remember them all.
        if self.keys.len() < KEYS {
            self.keys.insert(key.to_owned(), means);
        }
        field
    }
}

fn read_id(row: &mut ImportRow, value: &Json) {
    row.id = match value {
        Json::Number(number) => number.as_i64(),
        Json::String(text) => text.parse().ok(),
        Json::Null => return,
        _ => None,
    };
    if row.id.is_none() {
        let message = "This must be an id: 1, 2, …";
        row.issues.push(Issue::error("id", "wrong-type", message));
    }
}

/// Whether a body has a field or a group of that name.
fn is_member(c: &Collection, key: &str) -> bool {
    c.layout.iter().any(|node| match node {
        Node::Leaf(slot) => c.fields.get(*slot).is_some_and(|f| f.name() == key),
        Node::Group(name, _) => name == key,
    })
}
