//! The file of a package: its form, its sheets with their sets, and its rows one after another.

use crate::files::file_fault::FileFault;
use crate::files::headings::FileHeadings;
use crate::files::sheet::{FileRow, OTHER_TABLE, PackageSheet, other_table, wrong_width};
use crate::meanings::by_dialect::layouts;
use crate::meanings::file_column::{BESIDE, Means};
use crate::meanings::known_columns::KnownColumns;
use crate::meanings::templates::is_explanation;
use crate::packages::pending::UnknownColumn;
use crate::packages::queue::FileSummary;
use crate::packages::rows::RowFault;
use crate::values::blank;
use crate::values::notation::{Notation, Profiles};
use crate::values::spelling::plain;
use crate::values::units::{UnitQuestion, keep};
use model::registry::{Collection, PackageSet, Registry, is_sure};
use model::said;
use serde_json::{Value as Json, json};
use sheets::{Book, Encoding, Form, Limits, Options, Source, Table};
use std::collections::{BTreeMap, BTreeSet};

fn no_header(stated: Option<&str>) -> FileFault {
    let message = match stated {
        Some(set) => said!(
            "None of the first 20 rows has two headings of the set {name}. Write the titles of the columns above the rows.",
            name = set
        ),
        None => said!(
            "None of the first 20 rows has two headings that are known. Write the titles of the columns above the rows, or state what they mean (mapping)."
        ),
    };
    FileFault::new("no-header", message)
}

/// Limits of a file that a farm sends; memory follows from them.
fn limits() -> Limits {
    Limits {
        file_bytes: 64 << 20,
        unpacked_bytes: 512 << 20,
        shared_bytes: 8 << 20,
        shared_texts: 400_000,
        rows: 300_000,
        ..Limits::default()
    }
}

/// Sample values of an unknown column.
const SAMPLES: usize = 10;
/// Longest of these, characters.
const SAMPLE: usize = 60;

/// Least score of an encoding that nobody stated.
const LEAST_SCORE: f64 = 0.9;

/// A file whose sheets are known.
#[derive(Debug, Clone)]
pub(crate) struct PackageFile {
    pub(crate) book: Book,
    pub(crate) known_columns: KnownColumns,
    pub(crate) registry: &'static Registry,
    /// The collection of all rows, of a file of an imported folder; none: each sheet is of a set.
    pub(crate) of: Option<&'static Collection>,
    pub(crate) sheets: Vec<PackageSheet>,
    /// Sheets that are passed over, with the reason.
    pub(crate) passed: Vec<(String, FileFault)>,
}

impl PackageFile {
    /// Opens a file and finds what each of its sheets is. A stated set (`dataset`) holds for all sheets.
    pub(crate) fn open(
        registry: &'static Registry,
        source: Source,
        known_columns: KnownColumns,
        dataset: Option<&str>,
    ) -> Result<Self, FileFault> {
        let encoding = known_columns.mapping.encoding.as_deref().and_then(Encoding::named);
        let options = Options {
            limits: limits(),
            encoding,
            delimiter: known_columns.mapping.delimiter,
            layouts: layouts(&known_columns.dialects),
            ..Options::default()
        };
        let book = Book::open(source, &options)?;
        if book.encoding().is_some_and(|guess| guess.score < LEAST_SCORE) {
            let message = "The encoding of the file is in doubt: save it as CSV in UTF-8, or state the encoding (mapping.encoding).";
            return Err(FileFault::new("wrong-encoding", message));
        }
        let mut file = Self { book, known_columns, registry, of: None, sheets: Vec::new(), passed: Vec::new() };
        let stated = file.known_columns.mapping.set.clone().or_else(|| dataset.map(str::to_owned));
        // What a template explains are no rows.
        for (sheet, name) in file.book.sheets().iter().enumerate().filter(|(_, name)| !is_explanation(name)) {
            match file.sheets_of(sheet, name, stated.as_deref()) {
                Ok(sheets) => file.sheets.extend(sheets),
                Err(why) => file.passed.push((name.clone(), why)),
            }
        }
        match (file.sheets.is_empty(), file.passed.first()) {
            (false, _) => Ok(file),
            (true, Some((_, why))) => Err(why.clone()),
            (true, None) => {
                let message = "The file has no rows: choose the file that has them.";
                Err(FileFault::new("no-rows", message))
            }
        }
    }

    fn set_by_columns(&self, titles: &[String]) -> Result<(&'static Collection, &'static PackageSet), FileFault> {
        let sets = self.known_columns.sets(self.registry, titles);
        let Some(best) = sets.first() else {
            let message =
                "The columns are those of no set. Name the set (dataset), or what the columns mean (mapping).";
            return Err(FileFault::new("no-set", message));
        };
        // What this one lacks is reported as missing columns.
        if let Some(lacking) = self.known_columns.lacking_set(self.registry, titles, &sets) {
            return Ok(lacking);
        }
        if is_sure(&sets) {
            return Ok((best.collection, best.set));
        }
        let names: Vec<String> = sets
            .iter()
            .filter(|scored| scored.score * 3 > best.score * 2)
            .map(|scored| format!("{} {}", scored.set.name, scored.score))
            .collect();
        let message = said!(
            "The columns may be those of several sets ({names}). Name the set (dataset).",
            names = names.join(", ")
        );
        Err(FileFault::new("set-unsure", message))
    }

    /// What a sheet is, by a dialect perhaps rows of several sets; nothing where it has no rows.
    fn sheets_of(&self, sheet: usize, name: &str, stated: Option<&str>) -> Result<Vec<PackageSheet>, FileFault> {
        let mut table = self.table(sheet, stated)?;
        let Some(header) = table.header.take() else {
            if table.next()?.is_none() {
                return Ok(Vec::new());
            }
            return Err(no_header(stated));
        };
        let titles = titles(&header);
        let written = self.known_columns.sets_of_book(self.registry, &titles, stated);
        let written = match written.as_slice() {
            [one] => Some(*one),
            several => several.iter().copied().find(|(c, _)| c.slug == name),
        };
        if written.is_none() {
            let mut parts = self.known_columns.by_dialect(self.registry, (self.book.form(), name), &titles, stated);
            for part in &mut parts {
                (part.sheet, part.header) = (sheet, header.number);
            }
            if !parts.is_empty() {
                return Ok(parts);
            }
        }
        let set = match stated {
            _ if written.is_some() => written,
            Some(set) => self.registry.package_sets().find(|(_, one)| one.name == set),
            None => Some(self.set_by_columns(&titles)?),
        };
        let Some(set) = set else {
            let message = "There is no data set of this name.";
            return Err(FileFault::new("no-set", message));
        };
        let mut package_sheet = PackageSheet::new(self.registry, set, &self.known_columns, &titles);
        let missing = package_sheet.missing();
        // A row with an id is known without them.
        if !missing.is_empty() && package_sheet.id_column().is_none() {
            let message = said!(
                "The set {name} needs columns for {missing}: add them, or state which columns they are (mapping).",
                name = package_sheet.set.name,
                missing = missing.join(", ")
            );
            return Err(FileFault::new("missing-columns", message));
        }
        (package_sheet.sheet, package_sheet.name, package_sheet.header) =
            (sheet, name.chars().take(120).collect(), header.number);
        Ok(vec![package_sheet])
    }

    fn headings<'f>(&'f self, stated: Option<&'f str>) -> FileHeadings<'f> {
        let Self { registry, known_columns, of, .. } = self;
        FileHeadings { registry, known_columns, of: *of, stated, written: Vec::new() }
    }

    pub(crate) fn table(&self, sheet: usize, stated: Option<&str>) -> Result<Table, FileFault> {
        let rows = self.book.rows(sheet)?;
        let mut known = self.headings(stated);
        if self.of.is_some() {
            return Ok(match self.book.form() {
                Form::Csv { .. } => Table::find_or_first(rows, &known)?,
                _ => Table::find(rows, &known)?,
            });
        }
        let titles = self.book.rows(sheet)?.next()?.map_or_else(Vec::new, |row| titles(&row));
        if !self.known_columns.sets_of_book(self.registry, &titles, stated).is_empty() {
            known.written = titles;
        }
        Ok(Table::find(rows, &known)?)
    }

    /// Whether a row of a sheet is a header, of another table than the one that is read. Rows of the book are none.
    fn is_header(&self, sheet: &PackageSheet, row: &sheets::Row) -> bool {
        let known = self.headings(None);
        // What a table of rows has beside them is no part of its header.
        let own = sheet.columns.iter().position(|column| BESIDE.contains(&column.title.as_str()));
        sheet.id_column().is_none() && known.is_header(row, own.unwrap_or(usize::MAX))
    }

    /// Takes what was decided of its columns when it was read before.
    pub(crate) fn take_notations(&mut self, stored: &Json) {
        let sheets = stored.as_array().map(Vec::as_slice).unwrap_or_default();
        for sheet in &mut self.sheets {
            let name = Some(sheet.name.as_str());
            if let Some(stored) = sheets.iter().find(|sheet: &&Json| sheet.get("name").and_then(Json::as_str) == name) {
                sheet.take_notations(stored);
            }
        }
    }

    /// Decides how the dates and numbers of its columns are written, by all rows.
    pub(crate) fn decide_notations(&mut self, now: i64) {
        let decided: Vec<Vec<Notation>> = self.sheets.iter().map(|sheet| self.notations(sheet, now)).collect();
        for (sheet, decided) in self.sheets.iter_mut().zip(decided) {
            for (column, notation) in sheet.columns.iter_mut().zip(decided) {
                column.notation = notation;
            }
        }
    }

    fn notations(&self, sheet: &PackageSheet, now: i64) -> Vec<Notation> {
        let columns = sheet.columns.iter().map(|column| column.means.taken().map(|(column, _)| column));
        let mut profiles = Profiles::new(sheet.collection, columns, now);
        let counted: Vec<bool> = sheet.columns.iter().map(|column| column.counts_from_one(sheet.collection)).collect();
        let (mut pluses, mut zeros) = (BTreeSet::new(), BTreeSet::new());
        // Values in a unit that nothing says.
        let mut unitless: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        if profiles.are_any() || counted.contains(&true) {
            // Reading its rows says where a file breaks off.
            let mut table = self.table(sheet.sheet, Some(sheet.set.name)).ok();
            while let Some(Ok(Some(row))) = table.as_mut().map(Table::next) {
                if self.is_header(sheet, &row) {
                    break;
                }
                let texts: Vec<String> = row.cells.iter().map(sheets::Cell::display_text).collect();
                if sheet.is_no_record(&texts) {
                    continue;
                }
                for (place, (cell, text)) in row.cells.iter().zip(&texts).enumerate() {
                    if text.trim() == "+" {
                        pluses.insert(place);
                    }
                    if counted.get(place) == Some(&true) && plain(sheet.decoded(place, text)).trim() == "0" {
                        zeros.insert(place);
                    }
                    if sheet.ask_unit(place).is_some() && !text.is_empty() && sheet.takes(&texts) {
                        keep(unitless.entry(place).or_default(), text);
                    }
                    // What stands for nothing says nothing of how values are written.
                    if !sheet.decoded(place, text).is_empty() {
                        profiles.see(place, cell, self.book.epoch());
                    }
                }
            }
        }
        let mut decided: Vec<Notation> =
            (profiles.decided().into_iter()).map(|one| sheet.stated_notation(one)).collect();
        for (place, (column, notation)) in sheet.columns.iter().zip(&mut decided).enumerate() {
            notation.minus = pluses.contains(&place) && sheet.has_no(column);
            notation.zero = zeros.contains(&place);
            let question = sheet.ask_unit(place).zip(unitless.remove(&place));
            let question = question.map(|(unit, samples)| UnitQuestion { proposed: unit.to_owned(), samples });
            notation.unit = question.or(notation.unit.take());
            self.known_columns.answer(sheet.collection, column, notation);
        }
        decided
    }

    /// What is known of the file before its rows are read.
    pub(crate) fn summary(&self) -> FileSummary {
        let set = self.sheets.first().filter(|first| self.sheets.iter().all(|one| one.set.kind == first.set.kind));
        FileSummary {
            form: self.book.form().name(),
            encoding: self.book.encoding().map(|guess| guess.encoding.name()),
            encoding_score: self.book.encoding().map(|guess| guess.score),
            sheets: self.sheets_json(),
            set: set.map(|first| (first.set.name, first.set.kind)),
        }
    }

    fn sheets_json(&self) -> Json {
        let passed = self
            .passed
            .iter()
            .map(|(name, why)| json!({"name": name, "set": null, "code": why.code, "message": why.message}));
        Json::Array(self.sheets.iter().map(PackageSheet::json).chain(passed).collect())
    }

    pub(crate) fn rows(&self) -> FileRows<'_> {
        let tally = |sheet: &PackageSheet| vec![Tally::default(); sheet.columns.len()];
        let tallies = self.sheets.iter().map(tally).collect();
        FileRows { file: self, at: 0, open: None, other: None, position: 0, tallies }
    }
}

pub(crate) fn titles(header: &sheets::Row) -> Vec<String> {
    header.cells.iter().map(|cell: &sheets::Cell| cell.display_text().trim().to_owned()).collect()
}

/// What was seen of a column.
#[derive(Debug, Clone, Default)]
struct Tally {
    rows: i64,
    samples: Vec<String>,
}

pub(crate) struct FileRows<'f> {
    file: &'f PackageFile,
    /// The sheet whose rows are read.
    pub(crate) at: usize,
    open: Option<Table>,
    /// Row of the sheet where another table begins, whose columns are not those that are read.
    other: Option<u64>,
    position: i64,
    tallies: Vec<Vec<Tally>>,
}

impl FileRows<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<FileRow>, FileFault> {
        while let Some(sheet) = self.file.sheets.get(self.at) {
            let mut table = match self.open.take() {
                Some(table) => table,
                None => {
                    self.other = None;
                    self.file.table(sheet.sheet, Some(sheet.set.name))?
                }
            };
            let Some(row) = table.next()? else {
                self.at += 1;
                continue;
            };
            self.open = Some(table);
            if self.other.is_none() && self.file.is_header(sheet, &row) {
                self.other = Some(row.number);
            }
            let epoch = self.file.book.epoch();
            let mut columns = sheet.columns.iter();
            let text = |cell: &sheets::Cell| match columns.next().and_then(|column| sheet.written(column)) {
                Some((notation, column)) => notation.text_of(sheet.collection, column, cell, epoch),
                None => cell.display_text(),
            };
            let cells: Vec<String> = row.cells.iter().map(text).collect();
            if !sheet.takes(&cells) {
                continue;
            }
            self.position += 1;
            if let Some(tallies) = self.tallies.get_mut(self.at).filter(|_| self.other.is_none()) {
                for ((column, tally), cell) in sheet.columns.iter().zip(tallies).zip(&cells) {
                    if matches!(column.means, Means::Unknown(_)) && !cell.trim().is_empty() {
                        tally.rows += 1;
                        if blank::says_nothing(cell) {
                            continue;
                        }
                        let sample: String = cell.trim().chars().take(SAMPLE).collect();
                        if tally.samples.len() < SAMPLES && !tally.samples.contains(&sample) {
                            tally.samples.push(sample);
                        }
                    }
                }
            }
            let (has, wants) = (row.width.max(cells.len()), sheet.columns.len());
            let beyond = cells.iter().skip(wants).any(|cell| !cell.trim().is_empty());
            // A line that breaks off, or a part of one. What farms send may leave out empty cells at the end.
            let is_odd = beyond || (row.width > 0 && has < wants);
            let why = match self.other {
                Some(begin) => Some((OTHER_TABLE, other_table(begin))),
                None => (self.file.of.is_some() && is_odd).then(|| ("columns", wrong_width(has, wants))),
            };
            let broken = why.map(|(code, why)| RowFault::new(code, why.english().into_owned()));
            return Ok(Some(FileRow {
                position: self.position,
                sheet: self.at,
                line: i64::try_from(row.number).unwrap_or(i64::MAX),
                cells,
                broken,
            }));
        }
        Ok(None)
    }

    /// Columns with values that nobody knows.
    pub(crate) fn unknown(self) -> Vec<UnknownColumn> {
        let sheets = self.file.sheets.iter().zip(self.tallies);
        let columns = sheets.flat_map(|(sheet, tallies)| {
            let unknown = sheet.columns.iter().zip(tallies);
            unknown.filter_map(|(column, tally)| {
                let is_unknown =
                    matches!(column.means, Means::Unknown(_)) && !column.title.is_empty() && tally.rows > 0;
                is_unknown.then(|| UnknownColumn {
                    title: column.title.clone(),
                    dataset: sheet.set.name,
                    rows: tally.rows,
                    samples: tally.samples,
                })
            })
        });
        columns.collect()
    }
}
