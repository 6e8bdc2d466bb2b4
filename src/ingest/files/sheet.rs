//! A sheet whose set is known: what its columns mean, and its rows as rows of the book.

use crate::meanings::columns::{Column, Meaning, Part, meaning};
use crate::meanings::constants;
use crate::meanings::dialect_part::DialectPart;
use crate::meanings::file_column::{FileColumn, Means};
use crate::meanings::known_columns::KnownColumns;
use crate::packages::rows::RowFault;
use crate::values::blank::is_error;
use crate::values::cells;
use crate::values::identifiers;
use crate::values::notation::{NO, Notation};
use crate::values::scales::Conversions;
use crate::values::units::{NOT_MEASURED, UNCONFIRMED};
use crate::write::{ImportRow, imports, within, without_places};
use model::error::Issue;
use model::expected::expected;
use model::messages::{Language, Sentence};
use model::registry::{Collection, ID, Kind, PackageSet, Registry, ValueScale, is_sure, normal};
use model::said;
use serde_json::{Value as Json, json};

/// Words of rows that add up others.
const TOTALS: [&str; 8] = ["итого", "всего", "среднее", "средний", "в среднем", "total", "average", "mean"];
/// Code of the fault of a row below the header of another table of its sheet, which is not read.
pub(crate) const OTHER_TABLE: &str = "other-table";
/// Longest number of an animal that is stored with a row.
pub(crate) const IDENT: usize = 120;

/// A sheet whose set is known.
#[derive(Debug, Clone)]
pub(crate) struct PackageSheet {
    pub(crate) sheet: usize,
    pub(crate) name: String,
    pub(crate) collection: &'static Collection,
    pub(crate) set: &'static PackageSet,
    pub(crate) header: u64,
    /// Points of the set, and whether it is the only one that it can be.
    pub(crate) score: usize,
    pub(crate) sure: bool,
    /// Whether its relations are ids of the book.
    pub(crate) ids: bool,
    pub(crate) columns: Vec<FileColumn>,
    pub(crate) dialect: Option<DialectPart>,
}

#[derive(Debug, Clone)]
pub(crate) struct FileRow {
    /// Number among all rows of the file, from 1.
    pub(crate) position: i64,
    pub(crate) sheet: usize,
    /// Row of the sheet, or line.
    pub(crate) line: i64,
    pub(crate) cells: Vec<String>,
    /// Why it cannot be read at all.
    pub(crate) broken: Option<RowFault>,
}

#[derive(Debug)]
pub(crate) struct SetRow {
    pub(crate) ident: Option<String>,
    pub(crate) row: ImportRow,
    /// Why it is no record at all.
    pub(crate) passed: Option<RowFault>,
    /// Whether it has an id, of a record that is not about the animals of the farm.
    pub(crate) foreign: bool,
}

impl PackageSheet {
    pub(crate) fn new(
        registry: &'static Registry,
        (collection, set): (&'static Collection, &'static PackageSet),
        known: &KnownColumns,
        titles: &[String],
    ) -> Self {
        let all = titles.iter().map(|title| {
            let heading = known.heading(Some(set.name), title);
            match heading.is_empty() {
                true => (Means::LeftOut, false),
                false => {
                    let also = set.also(collection, &heading).is_some();
                    (means(registry, collection, set, &heading), also)
                }
            }
        });
        let all: Vec<(Means, bool)> = all.collect();
        let usual = all.iter().filter(|(_, also)| !also);
        let used_slots: Vec<usize> = usual.filter_map(|(means, _)| Some(means.taken()?.0.slot)).collect();
        let mut used: Vec<Column> = Vec::new();
        // A column that the sender names goes before those with a usual heading.
        let is_stated = |title: &String| known.mapping.columns.contains_key(&normal(title));
        let stated = titles.iter().zip(&all).filter(|(title, _)| is_stated(title));
        let stated: Vec<Column> = stated.filter_map(|(_, (means, _))| Some(means.taken()?.0.clone())).collect();
        let columns = titles.iter().zip(all).map(|(title, (means, also))| {
            let means = match means {
                Means::Takes(column, path) => {
                    let factor = known.unit(collection, title, &column).unwrap_or(column.factor);
                    let column = Column { factor, ..column };
                    let same = |other: &Column| other.slot == column.slot && (also || other.part == column.part);
                    let (twice, named) = (used.iter().any(same), stated.iter().any(same));
                    match also {
                        true if twice || used_slots.contains(&column.slot) => Means::Beside(column),
                        false if named && !is_stated(title) => Means::LeftOut,
                        false if twice => Means::Again(column),
                        _ => {
                            used.push(column.clone());
                            Means::Takes(column, path)
                        }
                    }
                }
                other => other,
            };
            FileColumn {
                title: title.clone(),
                words: known.words_of(collection, &means),
                means,
                notation: Notation::default(),
            }
        });
        let written = known.columns_of_book((collection, set), titles);
        let sure = written.is_some();
        let columns = written.unwrap_or_else(|| columns.collect());
        let sets = known.sets(registry, titles);
        let score = sets.iter().find(|scored| scored.set.name == set.name).map_or(0, |scored| scored.score);
        let is_best = sets.first().is_some_and(|best| best.set.name == set.name);
        Self {
            sheet: 0,
            name: String::new(),
            collection,
            set,
            header: 0,
            score,
            sure: sure || (is_sure(&sets) && is_best),
            ids: false,
            columns,
            dialect: None,
        }
    }

    /// The column of the ids, of a table that the book wrote.
    pub(crate) fn id_column(&self) -> Option<usize> {
        self.columns.iter().position(|column| matches!(&column.means, Means::Takes(column, _) if column.is_id()))
    }

    /// Titles of required columns that are missing.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        self.set.missing(|path| {
            let mut constants = self.dialect.iter().flat_map(|part| &part.constants);
            let takes = |column: &FileColumn| column.means.taken().is_some_and(|(_, one)| one == path);
            self.columns.iter().any(takes) || constants.any(|(one, _)| one == path)
        })
    }

    /// Titles of columns that nobody reads, though nobody decided so.
    fn unread(&self) -> Vec<&str> {
        let unread = self
            .columns
            .iter()
            .filter(|column| !matches!(column.means, Means::Takes(..) | Means::LeftOut) && !column.title.is_empty());
        let mut titles: Vec<&str> = Vec::new();
        for column in unread {
            if !titles.contains(&column.title.as_str()) {
                titles.push(&column.title);
            }
        }
        titles
    }

    /// Questions to the sender about its columns: a unit, or whether numbers behind signs count.
    fn questions(&self) -> Vec<Json> {
        let columns = self.columns.iter().flat_map(|column| {
            let unit =
                column.notation.unit.as_ref().map(
                    |question| json!({"title": column.title, "unit": question.proposed, "samples": question.samples}),
                );
            let signs = column.notation.signs.as_ref();
            let signs = signs
                .filter(|question| question.counts.is_none())
                .map(|question| json!({"title": column.title, "samples": question.samples}));
            unit.into_iter().chain(signs)
        });
        columns.collect()
    }

    /// As it is stored with the package, in `intake.sheets`.
    pub(crate) fn json(&self) -> Json {
        let columns = self.columns.iter().map(|column| match &column.means {
            Means::Takes(known, path) => {
                let mut json = json!({"title": column.title, "path": path});
                if let (true, Some(members)) = (known.factor != 1.0, json.as_object_mut()) {
                    members.insert("factor".to_owned(), json!(known.factor));
                }
                if let (Some(formula), Some(members)) =
                    (known.scale.formula(known.factor, &column.title), json.as_object_mut())
                {
                    members.insert("formula".to_owned(), json!(formula));
                }
                if let (true, Some(members)) = (column.notation != Notation::default(), json.as_object_mut()) {
                    members.insert("notation".to_owned(), json!(column.notation));
                }
                json
            }
            Means::LeftOut | Means::NotTaken | Means::Again(_) | Means::Beside(_) => {
                json!({"title": column.title, "path": null, "leftOut": true})
            }
            Means::Unknown(near) => json!({"title": column.title, "path": null, "unknown": true, "near": near}),
        });
        let mut json = json!({
            "name": self.name, "set": self.set.name, "collection": self.collection.slug, "score": self.score,
            "sure": self.sure, "header": self.header, "unread": self.unread(),
            "questions": self.questions(),
            "columns": columns.collect::<Vec<_>>(),
        });
        if let (Some(part), Some(members)) = (&self.dialect, json.as_object_mut()) {
            members.insert("dialect".to_owned(), json!(part.name));
            members.insert("part".to_owned(), json!(part.place));
        }
        json
    }

    /// Takes what was decided of its columns, from what is stored with the package.
    pub(crate) fn take_notations(&mut self, sheet: &Json) {
        let columns = sheet.get("columns").and_then(Json::as_array).into_iter().flatten();
        for (column, stored) in self.columns.iter_mut().zip(columns) {
            let notation = stored.get("notation").cloned().map(serde_json::from_value);
            if let Some(Ok(notation)) = notation {
                column.notation = notation;
            }
        }
    }

    /// Whether a row is no record: a total, or a remark.
    pub(crate) fn is_no_record(&self, cells: &[String]) -> bool {
        let is_total = |text: &str| {
            let text = normal(text);
            TOTALS.iter().any(|total| text == *total || text.starts_with(&format!("{total} ")))
        };
        let is_empty = |place: usize| {
            let cell = self.cell_of(self.set.required.get(place).copied().unwrap_or_default(), cells);
            cell.is_none_or(|cell| cells::plain(cell).trim().is_empty())
        };
        // Names of animals and groups may be such words, too.
        let animal = self.set.required.first().and_then(|path| self.place_of(path));
        let first = cells.iter().enumerate().find(|(_, cell)| !cell.trim().is_empty());
        let labelled = first.is_some_and(|(at, cell)| is_total(cell) && (is_empty(0) || Some(at) == animal));
        // The set of a whole collection requires no columns.
        !self.set.required.is_empty() && ((is_empty(0) && is_empty(1)) || labelled)
    }

    pub(crate) fn read(&self, cells: &[String]) -> SetRow {
        let c = self.collection;
        let mut row = ImportRow::default();
        let ident = self.ident(cells);
        let mut passed = None;
        if self.is_no_record(cells) {
            let message = "The row names no animal and no day: it is taken for a total or a remark.";
            passed = Some(RowFault::new("no-record", message));
        }
        if passed.is_none() {
            passed = self.passed_event(cells);
        }
        row.issues.extend(self.unknown_event(cells));
        self.put_constants(&mut row.body);
        let mut conversions = Conversions::new(self.set.converts.as_ref());
        let wants = self.columns.len();
        if cells.iter().skip(wants).any(|cell| !cell.trim().is_empty()) {
            row.issues.push(Issue::error("", "columns", wrong_width(cells.len(), wants)));
        }
        for (place, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
            let cell = column.understood(c, self.decoded(place, cell));
            let (title, notation) = (column.title.as_str(), &column.notation);
            let cell = notation.no_sign(cell);
            let (column, path) = match &column.means {
                Means::Takes(column, path) => (column, path),
                Means::Again(other) => {
                    row.issues.extend(self.differing((other, title), cell, cells));
                    continue;
                }
                Means::Beside(other) => {
                    row.other_numbers.extend(cells::value(c, other, notation, cell, false));
                    continue;
                }
                _ => {
                    row.issues.extend(self.unread_kind(column, cell));
                    continue;
                }
            };
            if is_error(cell) {
                let message = match cell.trim() {
                    sheets::NO_VALUE => said!(
                        "The file lacks the value of the formula in this cell: open it in a spreadsheet program, save it and send that."
                    ),
                    error => said!("The formula of this cell has the error {error}.", error = error),
                };
                row.issues.push(Issue::error(path.clone(), "cell-error", message));
                continue;
            }
            let fault = identifiers::fault(c, column, path, cell).or_else(|| notation.fault(c, column, path, cell));
            // By other ways the book takes 0, so that its own tables have it.
            if let Some(fault) = fault.filter(|fault| !self.ids || fault.code != NOT_MEASURED) {
                row.issues.push(fault);
                continue;
            }
            let value = cells::value(c, column, notation, cell, self.ids);
            let (of, head) = ((c, self.set), (path.as_str(), title));
            let value = constants::worded(of, head, cell, value, &mut row);
            match value.map(|value| conversions.value(column, head, value)) {
                Some(Ok(value)) => column.put(c, &mut row.body, value),
                Some(Err(fault)) => row.issues.push(*fault),
                None => {}
            }
        }
        row.issues.extend(conversions.note(self.dialect.as_ref().map(|part| &part.bases), &mut row.body));
        // A table of the book says of each row what it is.
        if self.id_column().is_none() {
            constants::put(self.set, &mut row);
            let lacking = constants::lacking(c, &row);
            row.issues.extend(lacking);
        }
        SetRow { ident, row, passed, foreign: false }
    }

    /// What keeps a row from being taken whose cell, in a column that nobody knows, is another kind of event than the
    /// row would be without it.
    fn unread_kind(&self, column: &FileColumn, cell: &str) -> Option<Issue> {
        let (Means::Unknown(_), c) = (&column.means, self.collection) else { return None };
        let mut fields = c.fields.iter();
        let field = fields.find(|field| {
            let Kind::Select(values) = &field.kind else { return false };
            let Some(usual) = field.begins(true).filter(|_| c.decides(&field.path)) else { return false };
            let meant = c.worded(&field.path, values, cells::plain(cell).trim());
            meant.is_some_and(|meant| usual.text() != Some(meant)) && !self.says(&field.path)
        })?;
        let message = said!(
            "A column that is not read says what this row is ({cell}): say what the column means.",
            cell = cell.trim()
        );
        Some(Issue::error(field.path.as_str(), UNCONFIRMED, message))
    }

    /// What keeps a row from being taken of which two columns for one field say different things: the second one says
    /// something else, or something where the first says nothing.
    fn differing(&self, (column, title): (&Column, &str), cell: &str, cells: &[String]) -> Option<Issue> {
        let c = self.collection;
        let (place, first) = self.first_of(column)?;
        let (known, path) = first.means.taken()?;
        let first_cell = self.decoded(place, cells.get(place)?);
        let value =
            |column: &Column, cell: &str| cells::value(c, column, &first.notation, first.understood(c, cell), self.ids);
        let own = value(column, cell)?;
        if value(known, first_cell) == Some(own) {
            return None;
        }
        let message = match normal(&first.title) == normal(title) {
            // What is said of a title holds for both.
            true => {
                said!("Two columns are called {title} and differ in this row: leave one of them out.", title = title)
            }
            false => said!(
                "The columns {first} and {second} mean the same and differ in this row: say which one counts (mapping.columns), or leave one of them out.",
                first = first.title.as_str(),
                second = title
            ),
        };
        Some(Issue::error(path, UNCONFIRMED, message))
    }

    /// The column that counts of those for one field, with its place.
    fn first_of(&self, column: &Column) -> Option<(usize, &FileColumn)> {
        let same = |(known, _): (&Column, &str)| (known.slot, &known.part) == (column.slot, &column.part);
        self.columns.iter().enumerate().find(|(_, first)| first.means.taken().is_some_and(same))
    }

    /// How a column of a field is written: another one for the same field as the first.
    pub(crate) fn written<'s>(&'s self, column: &'s FileColumn) -> Option<(&'s Notation, &'s Column)> {
        match &column.means {
            Means::Takes(known, _) => Some((&column.notation, known)),
            Means::Again(known) => Some((&self.first_of(known)?.1.notation, known)),
            _ => None,
        }
    }

    /// Whether a column or a constant of the set says the value of a field.
    fn says(&self, path: &str) -> bool {
        let mut constants = self.set.constants.iter();
        self.place_of(path).is_some() || constants.any(|(one, _)| *one == path)
    }

    /// Whether a column has a word that says no.
    pub(crate) fn has_no(&self, column: &FileColumn) -> bool {
        let Means::Takes(_, path) = &column.means else { return false };
        matches!(self.set.worded(path, &column.title, NO), Some(Ok(_)))
    }

    /// The number of the animal as it is written.
    pub(crate) fn ident(&self, cells: &[String]) -> Option<String> {
        let subject = self.set.required.first()?;
        let cell = cells::plain(self.cell_of(subject, cells)?).trim();
        let ident: String = cell.chars().take(IDENT).collect();
        Some(ident).filter(|ident| !ident.is_empty())
    }

    /// The cell of the column that means a path.
    fn cell_of<'c>(&self, path: &str, cells: &'c [String]) -> Option<&'c str> {
        cells.get(self.place_of(path)?).map(String::as_str)
    }

    /// The column of a path: its own, or that of a path that it lies below, or above.
    fn place_of(&self, path: &str) -> Option<usize> {
        let is = |fits: &dyn Fn(&str) -> bool| {
            self.columns.iter().position(|column| column.means.taken().is_some_and(|(_, own)| fits(own)))
        };
        let plain = without_places(path);
        is(&|own| own == path)
            .or_else(|| is(&|own| own == plain))
            .or_else(|| is(&|own| within(&plain, own)))
            .or_else(|| is(&|own| within(own, &plain)))
    }

    /// A fault of the pipeline, as the sender of the file reads it.
    pub(crate) fn fault(&self, issue: &Issue, cells: &[String]) -> RowFault {
        let place = if issue.path.is_empty() { self.event_column() } else { self.place_of(&issue.path) };
        let column = place.and_then(|at| self.columns.get(at));
        let field = column.and_then(|column| column.means.taken()?.0.field(self.collection));
        let value = place.and_then(|at| cells.get(at)).cloned().unwrap_or_default();
        RowFault {
            column: column.map(|column| column.title.clone()).unwrap_or_default(),
            path: issue.path.clone(),
            code: issue.code.to_string(),
            value: value.chars().take(250).collect(),
            message: issue.message.to_string(),
            expected: field.and_then(|field| expected(Language::English, field)).unwrap_or_default(),
        }
    }
}

/// Why a row is refused that has more or fewer cells than the header.
pub(crate) fn wrong_width(has: usize, wants: usize) -> Sentence {
    said!("The row has {has} columns, and the header {wants}.", has = has, wants = wants)
}

/// Why a row is refused that stands in another table of its sheet, which begins in a row.
pub(crate) fn other_table(begin: u64) -> Sentence {
    said!(
        "In row {number} another table begins, whose columns are not those of the first: send it as a file of its own.",
        number = begin
    )
}

pub(crate) fn means(
    registry: &'static Registry,
    c: &'static Collection,
    set: &'static PackageSet,
    heading: &str,
) -> Means {
    let by = set.also(c, heading).and_then(|also| also.by);
    if let Some((path, factor)) = set.heading(c, heading) {
        return match (column(c, set, &path, factor), by) {
            (Some(column), Some(by)) => Means::Takes(Column { part: Part::Through(by.to_owned()), ..column }, path),
            (Some(column), None) => Means::Takes(column, path),
            (None, _) => Means::NotTaken,
        };
    }
    if c.is_unread(heading) {
        return Means::LeftOut;
    }
    // A relation by a field of the other row: `animal.identNumber`.
    if set.list.is_none() {
        match meaning(registry, c, heading) {
            Meaning::Takes(column) if column.slot != ID && column.part != Part::Whole => {
                let path = c.fields.get(column.slot).map_or_else(String::new, |field| field.path.clone());
                return Means::Takes(column, path);
            }
            Meaning::Takes(column) if column.slot == ID => return Means::NotTaken,
            Meaning::Ignored => return Means::NotTaken,
            // A heading of the collection that the set has for something else.
            Meaning::Takes(_) | Meaning::Unknown(_) => {}
        }
    }
    let heads = [heading.to_owned()];
    Means::Unknown(set.columns(c, &heads).into_iter().next().map(|column| column.near).unwrap_or_default())
}

/// The column of a path; none where the book computes the field.
pub(crate) fn column(c: &Collection, set: &PackageSet, path: &str, factor: f64) -> Option<Column> {
    if let Some(slot) = c.slot(path) {
        return imports(c, slot).then_some(Column { slot, part: Part::Whole, factor, scale: ValueScale::default() });
    }
    let list = set.list?;
    let member = path.strip_prefix(list)?.strip_prefix('.')?;
    let slot = c.slot(list)?;
    let Kind::Rows(subs) = &c.fields.get(slot)?.kind else { return None };
    let member = subs.iter().position(|sub| sub.path == member)?;
    Some(Column { slot, part: Part::Member(0, member), factor, scale: ValueScale::default() })
}
