//! Compiles the entries of a mapping for reading: the place of a value in the document, how it is
//! read, which field it fills.

use crate::ade_path::AdePath;
use crate::compile::file::{Absent, Direction, EntryText};
use crate::compile::plan::PARTS;
use crate::compile::plan::{OwnedAnimals, Read, ReadRule, RowsRule, Target, Units};
use crate::compile::values::{OWNER, word_member};
use crate::compile::{Compiler, Level, numbered};
use crate::path::{Root, Scope, Source};
use crate::{ANIMALS, LOCATIONS};
use ade::schema::PathKind;
use model::record::Value;
use model::registry::{Collection, Field, Kind, Writer};
use serde_json::json;

/// The kind of units of amounts of substance, mmol/l.
const AMOUNT: &str = "amount";

/// Counts of a calving and the calf that each stands for: sex and status at birth.
pub(crate) const BIRTH_COUNTS: [(&str, &str, &str); 3] =
    [("liveHeifers", "female", "alive"), ("liveBulls", "male", "alive"), ("stillborn", "unknown", "stillborn")];

/// The slots of the counts and the rows they stand for.
pub(crate) fn birth_counts(collection: &Collection) -> Vec<(usize, serde_json::Value)> {
    (BIRTH_COUNTS.iter())
        .filter_map(|(field, sex, status)| {
            let row = json!({"sex": sex, "birthStatus": status});
            Some((collection.slot(field)?, row))
        })
        .collect()
}

/// Members that are read, and constants that need not be stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    pub entries: Vec<ReadRule>,
    pub constants: Vec<(AdePath, serde_json::Value)>,
}

impl<'r> Compiler<'r> {
    pub(crate) fn reading(&mut self, level: Level<'r>, entries: &[(String, EntryText)]) -> Reading {
        let mut reading = Reading::default();
        for (at, entry) in entries {
            let Some(path) = AdePath::parse(&entry.ade) else {
                continue;
            };
            if let Some(constant) = &entry.constant {
                if entry.when.is_empty() {
                    let json = serde_json::to_value(constant).unwrap_or_default();
                    reading.constants.push((path, json));
                }
                continue;
            }
            if entry.only == Some(Direction::Out) || entry.include.is_some() {
                continue;
            }
            reading.entries.extend(self.read_entry(level, at, entry, path));
        }
        reading
    }

    fn read_entry(&mut self, level: Level<'r>, at: &str, entry: &EntryText, path: AdePath) -> Option<ReadRule> {
        let info = self.standard.resolve_path(level.resource, &path.standard())?;
        let also = entry.also.as_deref().and_then(AdePath::parse);
        let resolve = |p: &AdePath| self.standard.resolve_path(level.resource, &p.standard());
        if let Some(other) = also.as_ref().filter(|p| resolve(p).is_none()) {
            let message = format!("{} has no member {}", level.resource, other.standard());
            self.fault(&format!("{at}.also"), "no-such-member", message);
        }
        if entry.each.as_deref() == Some(PARTS) {
            return self.parts_in(level, at, entry, (path, also), &info.kind);
        }
        if let Some(rows) = &entry.each {
            return self.read_rows(level, at, entry, (path, also), rows, &info.kind);
        }
        let sources: Vec<Source> = (entry.field.list().iter()).filter_map(|p| level.scope.source(p)).collect();
        let Some((source, lookup, target)) = self.filled_by(level.scope, &sources) else {
            if !sources.is_empty() {
                let message = "nothing can be filled from it: write only = \"out\"";
                self.fault(at, "not-readable", message.to_owned());
            }
            return None;
        };
        let read = self.read(level, at, entry, &info.kind, &source, lookup.is_some())?;
        let others: Vec<usize> =
            (sources.iter()).filter(|s| s.own() && s.slot != source.slot && s.last != "id").map(|s| s.slot).collect();
        let pair = matches!(read, Read::Pair(_));
        let here = matches!(read, Read::Here(_));
        if entry.rival.is_some() && !here {
            let message = "goes with animals:here".to_owned();
            self.fault(&format!("{at}.rival"), "bad-parameter", message);
        }
        let field = declared(level.scope.collection, &source, &target);
        if field.is_some_and(|f| f.writer == Writer::Server) {
            let message = format!("{} is written by the server: write only = \"out\"", source.last);
            self.fault(at, "not-writable", message);
        }
        let own = |path: &Option<String>| path.as_deref().and_then(|p| level.scope.collection.slot(p));
        for (name, path) in [("text", &entry.text), ("unless", &entry.unless)] {
            if let Some(path) = path.as_ref().filter(|_| own(path).is_none()) {
                let message = format!("no such field: {path}");
                self.fault(&format!("{at}.{name}"), "no-such-field", message);
            }
        }
        let slot = |path: &String| level.scope.collection.slot(path);
        Some(ReadRule {
            required: field.is_some_and(|f| f.required && f.default.is_none() && !f.filled),
            lookup,
            keep: entry.absent == Some(Absent::Keep),
            placeholder: entry.absent == Some(Absent::Placeholder),
            text: own(&entry.text),
            unless: own(&entry.unless),
            when: (entry.when.iter()).filter_map(|(path, words)| Some((slot(path)?, words.list()))).collect(),
            yields: entry.yields || entry.quiet,
            second: others.first().copied().filter(|_| pair),
            same: if pair || here { Vec::new() } else { others },
            quiet: entry.quiet,
            spare: entry.spare,
            empty: field.and_then(|f| f.default.clone()).unwrap_or(Value::Null),
            ..ReadRule::new(path, also, read, target, source.kind.clone())
        })
    }

    /// Which field an entry fills: the first of its own, else the relation through which
    /// the first path leads, by looking up the related record.
    fn filled_by(&self, scope: Scope<'r>, sources: &[Source]) -> Option<FillTarget> {
        for s in sources {
            match &s.root {
                Root::Item { name, .. } if s.last.is_empty() => {
                    return Some((s.clone(), None, Target::Item(name.clone())));
                }
                Root::Row if s.own() && s.last != "id" => {
                    return Some((s.clone(), None, Target::Slot(s.slot)));
                }
                _ => {}
            }
        }
        sources.iter().find_map(|s| match s.steps.as_slice() {
            [step] if s.root == Root::Row && !step.reverse && scope.rows.is_none() => {
                let lookup = (step.target.clone(), s.last.clone());
                Some((s.clone(), Some(lookup), Target::Slot(step.slot)))
            }
            _ => None,
        })
    }

    fn read(
        &mut self,
        level: Level<'r>,
        at: &str,
        entry: &EntryText,
        kind: &PathKind<'_>,
        source: &Source,
        lookup: bool,
    ) -> Option<Read> {
        let how = entry.how.clone().unwrap_or_default();
        let (word, parameter) = how.split_once(':').unwrap_or((&how, ""));
        let word = word.split('.').next().unwrap_or_default();
        if word == "animals" && parameter == "here" {
            return self.here_in(level, at, entry);
        }
        let fits = match word {
            "animal" | "animals" => source.kind == Kind::Relation("animals".to_owned()),
            "location" => source.kind == Kind::Relation(LOCATIONS.to_owned()),
            _ => true,
        };
        if !fits || lookup && matches!(word, "animal" | "animals" | "location") {
            let message = format!("{} is no relation that this can fill", source.last);
            self.fault(&format!("{at}.as"), "wrong-converter", message);
            return None;
        }
        Some(match word {
            "measure" => Read::Measure(self.units(parameter, entry.molar, at)?),
            "id" => Read::Identifier { scheme: parameter.replace("{p}", self.prefix), strict: lookup },
            "animal" | "animals" => {
                Read::Animal { list: word == "animals", male: parameter == "male", read: parameter == "read" }
            }
            "location" => Read::Location,
            "code" => Read::Codes(self.codes(Some(source), parameter, kind, at)?),
            "words" => {
                let inner = self.word_kind(level, entry)?;
                let codes = self.codes(Some(source), parameter, &inner.kind, at)?;
                Read::Words(codes, word_member(entry))
            }
            "flag" => Read::Flag,
            "pairs" => Read::Pair(parameter.replace("{p}", self.prefix)),
            "" => match kind {
                PathKind::Number => Read::Number,
                PathKind::Integer => Read::Integer,
                PathKind::Boolean => Read::Boolean,
                PathKind::Date | PathKind::DateTime => Read::Time,
                PathKind::Enum { .. } => Read::Codes(self.codes(Some(source), "", kind, at)?),
                PathKind::Text | PathKind::Any | PathKind::Uri => Read::Text,
                PathKind::Object(_) | PathKind::Nested => return None,
            },
            other => {
                let message = format!("{other} cannot be read: write only = \"out\"");
                self.fault(&format!("{at}.as"), "not-readable", message);
                return None;
            }
        })
    }

    /// A list of animals, all of the location.
    fn here_in(&mut self, level: Level<'r>, at: &str, entry: &EntryText) -> Option<Read> {
        let own = |path: &String| level.scope.collection.slot(path);
        if let Some(path) = entry.rival.as_ref().filter(|path| own(path).is_none()) {
            let message = format!("no such field: {path}");
            self.fault(&format!("{at}.rival"), "no-such-field", message);
        }
        let fields = entry.field.list();
        let [list, place] = fields.as_slice() else {
            // Reported where it is written.
            return None;
        };
        let most = level.scope.collection.field(list).and_then(|f| f.max);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a declared number of entries")]
        let most = most.map_or(usize::MAX, |most| most as usize);
        Some(Read::Here(OwnedAnimals {
            most,
            owner: self.registry.get(ANIMALS)?.slot(OWNER)?,
            place: level.scope.source(place)?,
            rival: entry.rival.as_ref().and_then(own),
        }))
    }

    /// `M1:10`: the unit of the standard, and how many of them are one of the field.
    fn units(&mut self, parameter: &str, molar: Option<f64>, at: &str) -> Option<Units> {
        let (usual, factor) = parameter.split_once(':').unwrap_or((parameter, ""));
        let factor = self.factor(factor, at);
        let all = self.units;
        let Some((kind, one)) = (all.iter()).find_map(|(kind, of)| Some((kind, of.get(usual)?))) else {
            let message = format!("quantities in {usual} cannot be read");
            self.fault(&format!("{at}.as"), "bad-parameter", message);
            return None;
        };
        // mg/l are mmol/l times g/mol.
        let other = match (kind.as_str(), molar) {
            ("concentration", Some(molar)) => Some((AMOUNT, molar)),
            (AMOUNT, Some(molar)) => Some(("concentration", 1.0 / molar)),
            _ => None,
        };
        let kinds = std::iter::once((kind.as_str(), 1.0)).chain(other);
        let sizes = kinds.flat_map(|(kind, times)| {
            let of = all.get(kind).into_iter().flatten();
            of.map(move |(code, size)| (code.clone(), size * times / one / factor))
        });
        Some(Units { usual: usual.to_owned(), sizes: sizes.collect() })
    }

    fn read_rows(
        &mut self,
        level: Level<'r>,
        at: &str,
        entry: &EntryText,
        (path, also): (AdePath, Option<AdePath>),
        rows: &str,
        kind: &PathKind<'_>,
    ) -> Option<ReadRule> {
        let collection = level.scope.collection;
        let field = collection.field(rows)?;
        let PathKind::Object(resource) = *kind else {
            return None;
        };
        let inner = Level { scope: Scope { rows: Some(&field.path), ..level.scope }, resource };
        let entries = self.reading(inner, &numbered(at, &entry.map)).entries;
        let counts = match entry.how.as_deref() {
            Some("births") => birth_counts(collection),
            None => Vec::new(),
            Some(other) => {
                let message = format!("rows cannot be converted as {other}");
                self.fault(&format!("{at}.as"), "no-such-converter", message);
                Vec::new()
            }
        };
        let read = Read::Rows(RowsRule { entries, counts });
        let target = Target::Slot(collection.slot(rows)?);
        Some(ReadRule { required: field.required, ..ReadRule::new(path, also, read, target, field.kind.clone()) })
    }
}

impl ReadRule {
    /// An entry without any of the words that bind it.
    pub(crate) fn new(path: AdePath, also: Option<AdePath>, read: Read, target: Target, kind: Kind) -> Self {
        Self {
            path,
            also,
            read,
            target,
            kind,
            required: false,
            lookup: None,
            keep: false,
            placeholder: false,
            text: None,
            unless: None,
            when: Vec::new(),
            yields: false,
            same: Vec::new(),
            quiet: false,
            spare: false,
            second: None,
            empty: Value::Null,
        }
    }
}

/// The source that gives kind and words, the look-up, and where the value goes.
type FillTarget = (Source, Option<(String, String)>, Target);

/// The declaration of the field, or of the member of a row, that is filled.
fn declared<'c>(collection: &'c Collection, source: &Source, target: &Target) -> Option<&'c Field> {
    match (target, &source.root) {
        (Target::Slot(slot), _) => collection.fields.get(*slot),
        (Target::Item(name), Root::Item { rows, .. }) => match &collection.field(rows)?.kind {
            Kind::Rows(subs) => subs.iter().find(|f| f.path == *name),
            _ => None,
        },
        (Target::Item(_), _) => None,
    }
}
