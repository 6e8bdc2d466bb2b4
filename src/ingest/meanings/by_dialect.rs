//! Sheets that are read by a dialect: one sheet of a file may be rows of several sets, by what happened in each row
//! (docs/dialects.md).

use crate::files::sheet::{PackageSheet, column, means};
use crate::meanings::columns::{Column, Part};
use crate::meanings::dialect_part::{DialectPart, PartRows};
use crate::meanings::file_column::{FileColumn, Means};
use crate::meanings::known_columns::KnownColumns;
use crate::packages::rows::RowFault;
use crate::values::notation::Notation;
use mapping::{Dialect, DialectColumn, Dialects, FixedField, FixedLines, Mark};
use model::error::Issue;
use model::registry::{Collection, PackageSet, Registry, normal};
use serde_json::{Map, Value as Json};
use sheets::{Form, Layout, LayoutField, LayoutGather, LayoutMark, LayoutPart};
use std::collections::BTreeSet;

/// Longest name of a sheet that is stored with its rows.
const NAME: usize = 120;

impl KnownColumns {
    /// What the rows of a sheet are by the dialect of its header, or of the form of its file; none: it has none.
    pub(crate) fn by_dialect(
        &self,
        registry: &'static Registry,
        (form, name): (Form, &str),
        titles: &[String],
        stated: Option<&str>,
    ) -> Vec<PackageSheet> {
        let dialect = match form {
            Form::Fixed { layout } => self.dialects.fixed().nth(layout).map(|(one, _)| one),
            Form::Adis => self.dialects.of_entity(name),
            _ => (self.dialects).of_table(titles.iter().map(String::as_str)),
        };
        let Some(dialect) = dialect else { return Vec::new() };
        let parts = dialect.sheets.iter().enumerate().filter(|(_, sheet)| {
            let of = sheet.of.as_deref();
            stated.is_none_or(|set| set == sheet.set.name) && of.is_none_or(|of| of == name)
        });
        let sheets = parts.filter_map(|(place, _)| self.part(registry, dialect, place, titles));
        let mut sheets: Vec<PackageSheet> = sheets.filter(|sheet| sheet.missing().is_empty()).collect();
        if dialect.events.is_some() && !sheets.is_empty() {
            // Also of sets that the sender did not state, or whose columns are missing.
            let read: BTreeSet<String> = sheets.iter().filter_map(PackageSheet::events).flatten().cloned().collect();
            let mut rest = self.part(registry, dialect, dialect.sheets.len(), titles);
            let part = rest.as_mut().and_then(|rest| rest.dialect.as_mut());
            if let Some(PartRows::Rest { known, .. }) = part.map(|part| &mut part.rows) {
                *known = read;
            }
            sheets.extend(rest);
        }
        let several = sheets.len() > 1;
        let mut labels: Vec<String> = Vec::new();
        for sheet in &mut sheets {
            let label = if several { sheet.label(name) } else { name.to_owned() };
            let before = labels.iter().filter(|one| **one == label).count();
            labels.push(label.clone());
            let name = match before {
                0 => label,
                _ => format!("{label} {}", before + 1),
            };
            sheet.name = name.chars().take(NAME).collect();
        }
        sheets
    }

    /// A sheet by a part of a dialect; behind its last one, the rows of events that none of them takes.
    fn part(
        &self,
        registry: &'static Registry,
        dialect: &Dialect,
        place: usize,
        titles: &[String],
    ) -> Option<PackageSheet> {
        let is_rest = place == dialect.sheets.len();
        let of = dialect.sheets.get(if is_rest { 0 } else { place })?;
        let (c, set) = (of.collection, of.set);
        let heads: Vec<String> = titles.iter().map(|title| normal(title)).collect();
        let at = |heading: &str| heads.iter().position(|head| head == heading);
        let mut part = rows_of_part(dialect, place, &at)?;
        let is_read_elsewhere = |head: &str| {
            let event = dialect.events.as_ref();
            let mut others = dialect.sheets.iter().filter(|other| other.of == of.of);
            event.is_some_and(|events| events.column == head) || others.any(|other| other.column(head).is_some())
        };
        let mut columns: Vec<(bool, Means)> = Vec::new();
        for (title, head) in titles.iter().zip(&heads) {
            // What the sender states holds.
            let is_stated = self.mapping.columns.contains_key(head);
            let own = of.column(head).filter(|_| !is_stated);
            part.codes.push(own.map(|own| own.codes.clone()).unwrap_or_default());
            // Rows that no part takes are held whatever is answered.
            part.ask_units.push(own.filter(|_| !is_rest).and_then(|own| own.ask_unit.clone()));
            let what = match own {
                Some(own) => self.with_stated_unit(c, title, column_means(c, set, own)),
                None if !is_stated && dialect.is_unread(head) => Means::NotTaken,
                None if !is_stated && is_read_elsewhere(head) => Means::LeftOut,
                None => {
                    let heading = self.heading(Some(set.name), title);
                    if heading.is_empty() { Means::LeftOut } else { means(registry, c, set, &heading) }
                }
            };
            columns.push((is_stated || own.is_some(), what));
        }
        take_once(part.constants.iter().filter_map(|(path, _)| column(c, set, path, 1.0)).collect(), &mut columns);
        let required = |what: &Means| what.taken().is_some_and(|(_, path)| set.required.contains(&path));
        let columns = titles.iter().zip(columns).map(|(title, (_, what))| {
            let means = if is_rest && !required(&what) { Means::LeftOut } else { what };
            FileColumn { title: title.clone(), words: self.words_of(c, &means), means, notation: Notation::default() }
        });
        let columns: Vec<FileColumn> = columns.collect();
        let read = columns.iter().filter(|column| matches!(column.means, Means::Takes(..)));
        Some(PackageSheet {
            sheet: 0,
            name: String::new(),
            collection: c,
            set,
            header: 0,
            score: read.count() + 2 * set.decisive().count(),
            sure: true,
            ids: false,
            columns,
            dialect: Some(part),
        })
    }

    /// A column of a dialect, in the unit that the sender states for it.
    fn with_stated_unit(&self, c: &Collection, title: &str, means: Means) -> Means {
        match means {
            Means::Takes(column, path) => {
                Means::Takes(Column { factor: self.unit(c, title, &column).unwrap_or(column.factor), ..column }, path)
            }
            other => other,
        }
    }

    pub(crate) fn stored_part(
        &self,
        registry: &'static Registry,
        of: (&'static Collection, &'static PackageSet),
        stored: &Json,
        titles: &[String],
    ) -> PackageSheet {
        let name = stored.get("dialect").and_then(Json::as_str);
        let place = stored.get("part").and_then(Json::as_u64);
        let place = place.and_then(|place| usize::try_from(place).ok());
        let dialect = name.and_then(|name| self.dialects.named(name));
        let part = dialect.zip(place).and_then(|(dialect, place)| self.part(registry, dialect, place, titles));
        if let Some(part) = part.filter(|part| part.set.name == of.1.name) {
            return part;
        }
        // The installation does not have it any more: the columns mean what was stored. Values that it converted are not
        // read.
        let mut known = self.clone();
        for (title, column) in titles.iter().zip(stored.get("columns").and_then(Json::as_array).into_iter().flatten()) {
            let is_converted = ["factor", "formula"].iter().any(|member| column.get(member).is_some());
            let path = column.get("path").and_then(Json::as_str).filter(|_| !is_converted);
            let stated = known.mapping.columns.entry(normal(title));
            stated.or_insert_with(|| path.map(str::to_owned));
        }
        PackageSheet::new(registry, of, &known, titles)
    }
}

/// Which rows a part of a dialect takes, by the places of headings; the part behind the last one takes the rest.
fn rows_of_part(dialect: &Dialect, place: usize, at: &dyn Fn(&str) -> Option<usize>) -> Option<DialectPart> {
    let is_rest = place == dialect.sheets.len();
    let of = dialect.sheets.get(if is_rest { 0 } else { place })?;
    let mut part = DialectPart::new(dialect, place);
    if let Some(events) = &dialect.events {
        part.event = at(&events.column);
        part.rows = match (is_rest, of.events.is_empty()) {
            (true, _) => PartRows::Rest {
                known: dialect.known_events().map(str::to_owned).collect(),
                passed: events.passed.clone(),
            },
            (false, false) => PartRows::Of(of.events.clone()),
            (false, true) => PartRows::All,
        };
    }
    if !is_rest {
        part.needs = of.needs.as_deref().and_then(at);
        part.constants.clone_from(&of.constants);
        part.bases.clone_from(&of.bases);
    }
    Some(part)
}

/// Of several columns for one field the first is taken; one that is meant goes before one that only has a usual heading.
fn take_once(mut taken: Vec<Column>, columns: &mut [(bool, Means)]) {
    for pass in [true, false] {
        for (_, what) in columns.iter_mut().filter(|(is_meant, _)| *is_meant == pass) {
            let Means::Takes(column, _) = &*what else { continue };
            let column = column.clone();
            let is_member = matches!(column.part, Part::Member(..));
            let same = |one: &Column| one.slot == column.slot && (one.part == column.part || !is_member);
            if taken.iter().any(same) { *what = Means::NotTaken } else { taken.push(column) }
        }
    }
}

fn column_means(c: &'static Collection, set: &'static PackageSet, own: &DialectColumn) -> Means {
    match column(c, set, &own.path, own.factor) {
        None => Means::NotTaken,
        Some(column) => {
            let part = own.by.clone().map(Part::Through).unwrap_or_else(|| column.part.clone());
            Means::Takes(Column { part, scale: own.scale, ..column }, own.path.clone())
        }
    }
}

impl PackageSheet {
    /// Its name where a sheet of a file is several: the set, or the column of events for what none of them takes.
    fn label(&self, name: &str) -> String {
        let event = self.dialect.as_ref().and_then(|part| match part.rows {
            PartRows::Rest { .. } => self.columns.get(part.event?),
            _ => None,
        });
        let label = event.map_or(self.set.name, |column| column.title.as_str());
        if name.is_empty() { label.to_owned() } else { format!("{name} / {label}") }
    }

    /// The events whose rows it has, where it has those of some.
    fn events(&self) -> Option<&BTreeSet<String>> {
        match &self.dialect.as_ref()?.rows {
            PartRows::Of(events) => Some(events),
            _ => None,
        }
    }

    pub(crate) fn takes(&self, cells: &[String]) -> bool {
        let part = self.dialect.as_ref();
        part.is_none_or(|part| part.takes(cells))
    }

    /// A cell as its column is read: what a code means.
    pub(crate) fn decoded<'t>(&'t self, place: usize, cell: &'t str) -> &'t str {
        let part = self.dialect.as_ref();
        part.map_or(cell, |part| part.cell(place, cell))
    }

    /// Puts the values that all rows have into a body.
    pub(crate) fn put_constants(&self, body: &mut Map<String, Json>) {
        for (path, value) in self.dialect.iter().flat_map(|part| &part.constants) {
            if let Some(column) = column(self.collection, self.set, path, 1.0) {
                column.put(self.collection, body, value.clone());
            }
        }
    }

    /// Why a row is passed over for what happened in it.
    pub(crate) fn passed_event(&self, cells: &[String]) -> Option<RowFault> {
        let passes = self.dialect.as_ref().is_some_and(|part| part.passes(cells));
        passes.then(|| RowFault::new("no-record", "Rows of this event are passed over."))
    }

    /// Why a row is not taken for what happened in it.
    pub(crate) fn unknown_event(&self, cells: &[String]) -> Option<Issue> {
        let said = self.dialect.as_ref()?.unknown_event(cells)?;
        Some(Issue::error("", "not-an-option", said))
    }

    /// The column of a fault of a row that is not taken for what happened in it.
    pub(crate) fn event_column(&self) -> Option<usize> {
        let part = self.dialect.as_ref()?;
        part.event.filter(|_| matches!(part.rows, PartRows::Rest { .. }))
    }

    /// A unit in which the values of a column may be, where nothing says in which they are.
    pub(crate) fn ask_unit(&self, place: usize) -> Option<&str> {
        self.dialect.as_ref()?.ask_units.get(place)?.as_deref()
    }

    /// How a column is written, by its values and the dialect.
    pub(crate) fn stated_notation(&self, decided: Notation) -> Notation {
        if let Some(part) = &self.dialect { part.notation(decided) } else { decided }
    }
}

/// Lines with fixed places as they are read.
pub(crate) fn layouts(dialects: &Dialects) -> Vec<Layout> {
    dialects.fixed().map(|(_, lines)| layout(lines)).collect()
}

fn layout(lines: &FixedLines) -> Layout {
    let field = |field: &FixedField| {
        let parts =
            field.parts.iter().map(|part| LayoutPart { at: part.at, length: part.length, codes: part.codes.clone() });
        LayoutField { name: field.name.clone(), parts: parts.collect(), only: marks(&field.only) }
    };
    let gather = lines.gather.as_ref().map(|gather| LayoutGather {
        heads: marks(&gather.heads),
        same: gather.same.clone(),
        head_at: gather.head_at,
        by: gather.by.clone(),
    });
    Layout {
        shortest: lines.shortest,
        longest: lines.longest,
        marks: marks(&lines.marks),
        fields: lines.fields.iter().map(field).collect(),
        gather,
    }
}

fn marks(all: &[Mark]) -> Vec<LayoutMark> {
    all.iter().map(|mark| LayoutMark { at: mark.at, is: mark.is.clone() }).collect()
}
