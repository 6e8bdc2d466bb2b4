//! The files of dialects, checked against the declarations: paths, choices, required columns.

use super::text::{ColumnText, DialectText, FieldText, FormText, GatherText, ScaleText, ScaleWord, SheetText};
use super::{
    Dialect, DialectColumn, DialectForm, DialectSheet, Dialects, Events, FixedField, FixedLines, FixedPart, Gather,
    Recognise, code,
};
use crate::compile::file::Faults;
use model::record::time;
use model::registry::{
    Class, Collection, Field, Kind, PackageSet, Registry, RelativeScale, ValueScale, Writer, normal,
};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::Value;

/// The folder of dialects within that of the mappings.
const FOLDER: &str = "dialects";
/// Share of headings that are known, unless a file says another one.
const SHARE: f64 = 0.5;
/// Longest line with fixed places, characters.
const LONGEST: usize = 4_096;

/// The dialects of the book, and those in the folder of an installation, which replace ours of the same name.
pub(crate) fn layered(
    registry: &'static Registry,
    builtin: &[(&str, &str)],
    folder: Option<&Path>,
    faults: &mut Faults,
) -> Dialects {
    let mut texts: BTreeMap<String, String> =
        (builtin.iter()).map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    // Whether the folder above is there, the mappings say.
    let listed = folder.and_then(|folder| std::fs::read_dir(folder.join(FOLDER)).ok());
    for path in listed.into_iter().flatten().flatten().map(|e| e.path()) {
        if path.extension().is_none_or(|kind| kind != "toml") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match std::fs::read_to_string(&path) {
            Ok(text) => drop(texts.insert(name.into_owned(), text)),
            Err(why) => faults.add(&format!("{FOLDER}/{name}"), "unreadable", why.to_string()),
        }
    }
    let mut all = Vec::new();
    for (file, text) in &texts {
        let at = format!("{FOLDER}/{file}");
        match toml::from_str::<DialectText>(text) {
            Ok(text) => {
                let name = file.strip_suffix(".toml").unwrap_or(file).to_owned();
                let mut compiler = Compiler { registry, file: at, faults: &mut *faults };
                all.extend(compiler.dialect(name, text));
            }
            Err(why) => faults.add(&at, "unreadable", why.message().to_owned()),
        }
    }
    Dialects(all)
}

struct Compiler<'f> {
    registry: &'static Registry,
    /// Its path in faults.
    file: String,
    faults: &'f mut Faults,
}

impl Compiler<'_> {
    fn fault(&mut self, at: &str, code: &'static str, message: String) {
        self.faults.add(&format!("{}: {at}", self.file), code, message);
    }

    fn dialect(&mut self, name: String, text: DialectText) -> Option<Dialect> {
        if text.source.trim().is_empty() {
            let message = "say where the form is described".to_owned();
            self.fault("source", "no-reason", message);
        }
        let normals = |all: &[String]| -> BTreeSet<String> { all.iter().map(|head| normal(head)).collect() };
        let recognise = Recognise {
            has: normals(&text.recognise.has),
            not: normals(&text.recognise.not),
            share: match text.recognise.share > 0.0 {
                true => text.recognise.share,
                false => SHARE,
            },
        };
        if text.form == FormText::Table && text.recognise.has.len() < 2 {
            let message = "name two headings at least that stand in every file".to_owned();
            self.fault("recognise.has", "too-few", message);
        }
        let form = match text.form {
            FormText::Table => DialectForm::Table,
            FormText::Adis => DialectForm::Adis,
            FormText::Fixed => DialectForm::Fixed(self.lines(&text)),
        };
        let sheets: Vec<Option<DialectSheet>> =
            (text.sheet.iter().enumerate()).map(|(place, sheet)| self.sheet(place, sheet)).collect();
        let sheets: Option<Vec<DialectSheet>> = sheets.into_iter().collect();
        let sheets = sheets?;
        let by_event = sheets.iter().any(|sheet| !sheet.events.is_empty());
        if by_event != text.events.is_some() {
            let message = "a column of events, and sheets of some of them, belong together";
            self.fault("events", "no-such-field", message.to_owned());
        }
        let notation = text.notation.as_ref();
        Some(Dialect {
            name,
            title: text.title,
            form,
            recognise,
            unread: normals(&text.unread),
            dates: notation.and_then(|n| n.dates),
            decimal: notation.and_then(|n| n.decimal),
            events: text.events.map(|events| Events { column: normal(&events.column), passed: codes(&events.passed) }),
            sheets,
        })
    }

    fn lines(&mut self, text: &DialectText) -> FixedLines {
        let (shortest, longest) = match text.recognise.length.as_slice() {
            [only] => (*only, *only),
            [shortest, longest] => (*shortest, *longest),
            _ => (0, 0),
        };
        let fits = (1..=longest).contains(&shortest) && longest <= LONGEST;
        if !fits || text.recognise.marks.is_empty() {
            let message = format!("lines of fixed places have a length of 1 to {LONGEST} characters and marks");
            self.fault("recognise", "too-few", message);
        }
        let fields: Vec<FixedField> = text.field.iter().map(field).collect();
        let gather = text.gather.as_ref().map(|gather| self.gather(gather, &fields, longest));
        // A head stands behind its lines.
        let reach = gather.as_ref().map_or(longest, |gather| longest.saturating_add(gather.head_at.saturating_sub(1)));
        for (place, field) in fields.iter().enumerate() {
            let ends = |part: &FixedPart| {
                let end = part.at.saturating_add(part.length);
                part.at > 0 && part.length > 0 && end <= reach.saturating_add(1)
            };
            if field.parts.is_empty() || !field.parts.iter().all(ends) {
                let at = format!("field.{place}({})", field.name);
                let message = "its places are not within the line".to_owned();
                self.fault(&at, "too-large", message);
            }
        }
        FixedLines { shortest, longest, marks: text.recognise.marks.clone(), fields, gather }
    }

    fn gather(&mut self, text: &GatherText, fields: &[FixedField], longest: usize) -> Gather {
        let place = |name: &String| fields.iter().position(|field| field.name == *name);
        let by: Vec<usize> = text.by.iter().filter_map(place).collect();
        let is_bare = text.heads.is_empty() || text.same.is_empty() || text.by.is_empty();
        if is_bare || by.len() < text.by.len() || text.head_at <= longest || text.head_at > LONGEST {
            let message = "heads have marks, a place behind the line, and something that they share with lines; lines are gathered by fields";
            self.fault("gather", "no-such-field", message.to_owned());
        }
        let same = text.same.iter().map(|place| (place.at, place.length));
        Gather { heads: text.heads.clone(), same: same.collect(), head_at: text.head_at, by }
    }

    fn sheet(&mut self, place: usize, text: &SheetText) -> Option<DialectSheet> {
        let at = format!("sheet.{place}({})", text.set);
        let registry = self.registry;
        let mut sets = registry.package_sets();
        let Some((collection, set)) = sets.find(|(_, set)| set.name == text.set) else {
            let message = format!("there is no set {} of packages", text.set);
            self.fault(&at, "no-such-dataset", message);
            return None;
        };
        let mut columns: Vec<DialectColumn> = Vec::new();
        for column in &text.columns {
            let at = format!("{at}.columns({})", column.heading);
            let column = self.column(&at, (collection, set), column);
            let twice = |other: &DialectColumn| {
                other.heading == column.heading || (other.path == column.path && other.by == column.by)
            };
            if columns.iter().any(twice) || text.constants.contains_key(&column.path) {
                let message = "heading or field stands here twice".to_owned();
                self.fault(&at, "declared-twice", message);
            }
            columns.push(column);
        }
        let constants: Vec<(String, Json)> = (text.constants.iter())
            .map(|(path, value)| {
                let at = format!("{at}.constants.{path}");
                let of = (collection, set);
                (path.clone(), self.constant(&at, of, (path.as_str(), value)))
            })
            .collect();
        let has = |path: &str| {
            columns.iter().any(|column| column.path == path) || constants.iter().any(|(used, _)| used == path)
        };
        let missing = set.missing(has);
        if !missing.is_empty() {
            let message = format!("the set needs {}", missing.join(", "));
            self.fault(&at, "required", message);
        }
        let base = set.converts.as_ref().map(|rows| rows.base);
        let is_converted = columns.iter().any(|column| column.scale != ValueScale::BreedingValue);
        if is_converted && text.bases.is_empty() && !base.is_some_and(has) {
            let message = "values are converted where their base is named: by a column, a constant, or bases";
            self.fault(&at, "required", message.to_owned());
        }
        let is_day = |text: &String| text.len() == 10 && time::parse(text).is_some();
        if base.is_none() && !text.bases.is_empty() || !text.bases.keys().all(is_day) {
            let message = "bases begin on a day, and are of breeding values";
            self.fault(&format!("{at}.bases"), "unreadable", message.to_owned());
        }
        Some(DialectSheet {
            collection,
            set,
            of: text.of.clone(),
            events: codes(&text.events),
            needs: text.needs.as_deref().map(normal),
            columns,
            constants,
            bases: text.bases.clone(),
        })
    }

    fn column(
        &mut self,
        at: &str,
        (c, set): (&'static Collection, &'static PackageSet),
        text: &ColumnText,
    ) -> DialectColumn {
        let field = self.field(at, (c, set), &text.path);
        if let Some(by) = &text.by {
            let target = field.and_then(Field::target);
            let target = target.and_then(|target| self.registry.get(target));
            let field = target.and_then(|target| target.field(by));
            let is_text =
                field.is_some_and(|field| matches!(field.kind, Kind::Text(_)) && field.class != Class::Hidden);
            if !is_text {
                let message = format!("{} names no row by {by}", text.path);
                self.fault(at, "no-such-field", message);
            }
        }
        for value in text.codes.values().filter(|value| !value.is_empty()) {
            self.option(at, field, value);
        }
        let is_unit = |unit: &String| field.is_none_or(|field| field.written_unit(unit).is_some());
        if !text.ask_unit.iter().all(is_unit) || text.ask_unit.is_some() && text.factor.is_some() {
            let message = format!("{} has no such unit to ask for", text.path);
            self.fault(at, "no-such-value", message);
        }
        DialectColumn {
            heading: normal(&text.heading),
            path: text.path.clone(),
            by: text.by.clone(),
            factor: text.factor.unwrap_or(1.0),
            ask_unit: text.ask_unit.clone(),
            scale: self.scale(at, (field, set), text),
            codes: text.codes.clone(),
        }
    }

    /// What the values of a column are.
    fn scale(&mut self, at: &str, (field, set): (Option<&Field>, &PackageSet), text: &ColumnText) -> ValueScale {
        let scale = match text.scale {
            None => return ValueScale::BreedingValue,
            Some(ScaleText::Word(ScaleWord::TransmittingAbility)) => ValueScale::TransmittingAbility,
            Some(ScaleText::Relative(scale)) => {
                let RelativeScale { centre, points, mean, sd } = scale;
                let is_scale = [centre, points, mean, sd].iter().all(|one| one.is_finite());
                if !is_scale || points == 0.0 || sd <= 0.0 || text.factor.is_some() {
                    let message = "a relative scale has points and a standard deviation, and no unit".to_owned();
                    self.fault(at, "unreadable", message);
                }
                ValueScale::Relative(scale)
            }
        };
        let is_number = field.is_none_or(|field| matches!(field.kind, Kind::Number));
        if set.converts.is_none() || !is_number {
            let message = format!("{} has no breeding values", text.path);
            self.fault(at, "no-such-field", message);
        }
        scale
    }

    fn constant(
        &mut self,
        at: &str,
        of: (&'static Collection, &'static PackageSet),
        (path, value): (&str, &Value),
    ) -> Json {
        let field = self.field(at, of, path);
        match value {
            Value::String(text) => {
                self.option(at, field, text);
                Json::from(text.as_str())
            }
            Value::Boolean(is) => Json::from(*is),
            Value::Integer(number) => Json::from(*number),
            Value::Float(number) => Json::from(*number),
            _ => {
                let message = "a constant is a text, a number, true or false".to_owned();
                self.fault(at, "unreadable", message);
                Json::Null
            }
        }
    }

    /// The field of a path that rows of the set may have.
    fn field(
        &mut self,
        at: &str,
        (c, set): (&'static Collection, &'static PackageSet),
        path: &str,
    ) -> Option<&'static Field> {
        let of_set = match set.list {
            Some(list) => {
                let member = path.strip_prefix(list).is_some_and(|m| m.starts_with('.'));
                member || set.required.contains(&path)
            }
            None => c.slot(path).is_some(),
        };
        let written = |field: &&Field| field.class != Class::Hidden && field.writer != Writer::Server;
        let field = c.member(path).filter(written).filter(|_| of_set);
        if field.is_none() {
            let message = format!("rows of {} have no field {path}", set.name);
            self.fault(at, "no-such-field", message);
        }
        field
    }

    /// Whether a value is an option of a choice.
    fn option(&mut self, at: &str, field: Option<&Field>, value: &str) {
        let Some(Kind::Select(options) | Kind::Selects(options)) = field.map(|field| &field.kind) else {
            return;
        };
        if !options.iter().any(|option| option == value) {
            let message = format!("the field has no value {value}");
            self.fault(at, "no-such-value", message);
        }
    }
}

fn field(text: &FieldText) -> FixedField {
    let whole = text.at.zip(text.length).map(|(at, length)| FixedPart { at, length, codes: BTreeMap::new() });
    let parts = whole.into_iter().chain(text.parts.iter().cloned());
    FixedField { name: text.name.clone(), parts: parts.collect(), only: text.only.clone() }
}

fn codes(all: &[String]) -> BTreeSet<String> {
    all.iter().map(|one| code(one)).collect()
}
