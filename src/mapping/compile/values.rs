//! Compiles the entries that take a value of a record: which writer, and whether the field
//! and the standard agree with it.

use crate::ade_path::{AdePath, Segment};
use crate::codes::Codes;
use crate::compile::file::{EntryText, TableText};
use crate::compile::plan::{Condition, Object, Write, WriteRule};
use crate::compile::{Compiler, Level};
use crate::identifiers::Which;
use crate::path::{Root, Source};
use crate::render::body;
use crate::render::relations::Hops;
use crate::{ANIMALS, LOCATIONS};
use ade::schema::PathKind;
use model::registry::Kind;
use std::sync::Arc;

/// The owner of an animal, whose location holds it.
pub(crate) const OWNER: &str = "owner";

impl<'r> Compiler<'r> {
    /// An entry with a value of ours. Quantities and identifiers become two members.
    #[expect(clippy::too_many_arguments, reason = "one entry and where it stands")]
    pub(crate) fn value(
        &mut self,
        level: Level<'r>,
        at: &str,
        entry: &EntryText,
        path: &AdePath,
        (kind, when): (PathKind<'_>, Vec<Condition>),
        tree: &mut Object,
        hops: &mut Hops,
    ) {
        let paths = entry.field.list();
        if paths.is_empty() {
            return self.fault(at, "no-source", "write field or const".to_owned());
        }
        let place = format!("{at}.field");
        let mut sources: Vec<Source> = (paths.iter()).filter_map(|p| self.source(level.scope, p, &place)).collect();
        if sources.len() < paths.len() {
            return;
        }
        let how = entry.how.clone().unwrap_or_default();
        let (word, parameter) = how.split_once(':').unwrap_or((&how, ""));
        match word {
            "measure" | "share" => {
                let share = word == "share";
                if share && sources.len() != 2 {
                    let message = "share takes an amount and a percentage".to_owned();
                    return self.fault(&format!("{at}.as"), "wrong-converter", message);
                }
                let write = if share { Write::Share } else { Write::Number };
                let unit = (path, parameter, write);
                self.measure(level, at, unit, (sources, when), tree, hops);
                return;
            }
            "id" => {
                self.identifier(level, at, (path, parameter), (sources, when), tree, hops);
                return;
            }
            _ => {}
        }
        let Some(write) = self.write(at, entry, &kind, &mut sources, level, hops) else {
            return;
        };
        let default = entry.default.as_ref().map(|code| {
            self.code_sent(code, &kind, (at, "default"));
            let mut json = Vec::new();
            body::string(code, &mut json);
            json
        });
        let out = WriteRule::Leaf { sources, write, when, default };
        self.insert(level, tree, path, out, at);
    }

    fn measure(
        &mut self,
        level: Level<'r>,
        at: &str,
        (path, unit, write): (&AdePath, &str, Write),
        (sources, when): (Vec<Source>, Vec<Condition>),
        tree: &mut Object,
        hops: &mut Hops,
    ) {
        let standard = path.standard();
        let has = |member: &str| {
            let inner = format!("{standard}.{member}");
            self.standard.resolve_path(level.resource, &inner)
        };
        let (unit, factor) = unit.split_once(':').unwrap_or((unit, ""));
        let forms = [("measurement", "units"), ("value", "unitCode"), ("value", "unit")];
        let Some((value, units, info)) =
            (forms.into_iter()).find_map(|(v, u)| has(v).and(has(u)).map(|info| (v, u, info)))
        else {
            return self.fault(&format!("{at}.as"), "wrong-converter", format!("{standard} is no quantity"));
        };
        if let PathKind::Enum { codes, .. } = info.kind
            && !codes.contains(&unit)
        {
            let message = format!("the standard has no unit {unit} there");
            self.fault(&format!("{at}.as"), "no-such-code", message);
        }
        for s in &sources {
            self.numeric(s, at);
            hops.read(s);
        }
        // A characteristic is a text, in the unit of the standard when it names none.
        let usual = units == "unit";
        let write = if usual { Write::Decimal(self.factor(factor, at)) } else { write };
        let leaf = WriteRule::Leaf { sources, write, when, default: None };
        self.insert(level, tree, &below(path, value), leaf, at);
        if usual {
            return;
        }
        self.insert(level, tree, &below(path, units), WriteRule::text(unit), at);
    }

    fn identifier(
        &mut self,
        level: Level<'r>,
        at: &str,
        (path, scheme): (&AdePath, &str),
        (sources, when): (Vec<Source>, Vec<Condition>),
        tree: &mut Object,
        hops: &mut Hops,
    ) {
        let inner = format!("{}.scheme", path.standard());
        if scheme.is_empty() || self.standard.resolve_path(level.resource, &inner).is_none() {
            let message = format!("{} is no identifier, or the scheme is missing", path.standard());
            return self.fault(&format!("{at}.as"), "wrong-converter", message);
        }
        for s in &sources {
            self.expect(s, at, "text", |k| matches!(k, Kind::Text(_) | Kind::Int));
            hops.read(s);
        }
        let upper = scheme.starts_with("icar.");
        let leaf =
            WriteRule::Leaf { sources, write: if upper { Write::Upper } else { Write::Text }, when, default: None };
        self.insert(level, tree, &below(path, "id"), leaf, at);
        let scheme = WriteRule::text(&scheme.replace("{p}", self.prefix));
        self.insert(level, tree, &below(path, "scheme"), scheme, at);
    }

    fn numeric(&mut self, source: &Source, at: &str) {
        self.expect(source, at, "a number", |k| matches!(k, Kind::Number | Kind::Int));
    }

    pub(crate) fn expect(&mut self, source: &Source, at: &str, what: &str, fits: impl Fn(&Kind) -> bool) {
        if !fits(&source.kind) {
            let message = format!("the field {} is not {what}", name(source));
            self.fault(&format!("{at}.as"), "wrong-converter", message);
        }
    }

    /// The writer of an entry, from its word or from what the standard requires there.
    fn write(
        &mut self,
        at: &str,
        entry: &EntryText,
        kind: &PathKind<'_>,
        sources: &mut [Source],
        level: Level<'r>,
        hops: &mut Hops,
    ) -> Option<Write> {
        let how = entry.how.clone().unwrap_or_default();
        let (word, parameter) = how.split_once(':').unwrap_or((&how, ""));
        let word = word.split('.').next().unwrap_or_default();
        let ids = Arc::clone(&self.identifiers);
        let write = match word {
            "animals" if parameter == "here" => {
                // Reading compares with it.
                entry.rival.iter().for_each(|path| hops.own(path));
                self.here(at, sources, hops)?
            }
            "animal" | "animals" | "alternatives" => {
                let (which, write) = match word {
                    "animal" => (Which::Main, Write::Animal(ids)),
                    "animals" => (Which::Reference, Write::Animals(ids)),
                    _ => (Which::Alternatives, Write::Alternatives(ids)),
                };
                self.animals(at, sources, which, hops).then_some(write)?
            }
            "location" => {
                self.expect_location(at, sources, level);
                Write::Location(ids)
            }
            "day-begin" | "day-end" => {
                self.expect_day(at, sources, kind);
                Write::DayEdge { end: word == "day-end" }
            }
            "number" => {
                sources.iter().for_each(|s| self.numeric(s, at));
                Write::Number
            }
            "gender" => {
                let sex = self.codes(sources.first(), "", kind, at)?;
                let status = self.codes(sources.get(1), "gender", kind, at)?;
                if let PathKind::Enum { name, codes } = kind {
                    // A value that is neither is sent as unknown.
                    self.uses.sent(at, name, codes, ["Unknown"]);
                }
                Write::Gender(sex, status)
            }
            "breed-fractions" => Write::Fractions,
            "births" => self.births(at, parameter, level, hops)?,
            "code" => Write::Codes(self.codes(sources.last(), parameter, kind, at)?),
            "words" => {
                let inner = self.word_kind(level, entry)?;
                let codes = self.codes(sources.last(), parameter, &inner.kind, at)?;
                Write::Words(codes, word_member(entry))
            }
            "flag" => {
                sources.iter().for_each(|s| self.numeric(s, at));
                Write::Flag
            }
            "pairs" => Write::Pairs(parameter.replace("{p}", self.prefix)),
            "" => self.by_kind(at, kind, sources)?,
            other => {
                let message = format!("there is no converter {other}");
                self.fault(&format!("{at}.as"), "no-such-converter", message);
                return None;
            }
        };
        self.fits(&write, kind, at);
        sources.iter().for_each(|s| hops.read(s));
        Some(write)
    }

    fn expect_location(&mut self, at: &str, sources: &[Source], level: Level<'r>) {
        let organisation = |k: &Kind| *k == Kind::Relation(LOCATIONS.to_owned());
        let own = level.scope.collection.slug == LOCATIONS;
        for s in sources {
            self.expect(s, at, "an organisation", |k| organisation(k) || own && s.last == "id");
        }
    }

    fn expect_day(&mut self, at: &str, sources: &[Source], kind: &PathKind<'_>) {
        if *kind != PathKind::DateTime {
            let message = "the standard wants no point in time there".to_owned();
            self.fault(&format!("{at}.as"), "wrong-converter", message);
        }
        for s in sources {
            self.expect(s, at, "a time", |k| matches!(k, Kind::Day | Kind::Instant));
        }
    }

    fn births(&mut self, at: &str, parameter: &str, level: Level<'r>, hops: &mut Hops) -> Option<Write> {
        let mut parts = parameter.splitn(2, ':');
        let all = parts.next() == Some("all");
        let rows = parts.next().unwrap_or("");
        let slot = level.scope.collection.slot(rows);
        if slot.is_none() {
            let message = format!("births:live:ROWS or births:all:ROWS; no rows {rows}");
            self.fault(&format!("{at}.as"), "no-such-field", message);
        }
        hops.own(rows);
        Some(Write::Births { slot: slot?, all })
    }

    /// A list of animals, and the organisation that must own them.
    fn here(&mut self, at: &str, sources: &[Source], hops: &mut Hops) -> Option<Write> {
        let declared = self.registry.get(ANIMALS);
        let owner = declared.and_then(|a| a.slot(OWNER));
        let list = Kind::Relations(ANIMALS.to_owned());
        let place = Kind::Relation(LOCATIONS.to_owned());
        let good = matches!(sources, [a, b] if a.own() && a.kind == list && b.kind == place);
        let (Some(first), Some(owner), true) = (sources.first(), owner, good) else {
            let message = "takes a list of animals of the record and an organisation".to_owned();
            self.fault(&format!("{at}.as"), "wrong-converter", message);
            return None;
        };
        let ids = Arc::clone(&self.identifiers);
        let read = ids.fields(Which::Main).into_iter().chain([OWNER]);
        for field in read {
            hops.read_listed(first, ANIMALS, field);
        }
        Some(Write::Here { ids, owner })
    }

    fn animals(&mut self, at: &str, sources: &mut [Source], which: Which, hops: &mut Hops) -> bool {
        let ids = Arc::clone(&self.identifiers);
        for source in sources {
            let target = match &source.kind {
                Kind::Relation(to) => to == "animals",
                _ => source.last == "id",
            };
            let Some(record) = source.clone().into_record().filter(|_| target) else {
                let message = format!("{} is not one animal", name(source));
                self.fault(&format!("{at}.as"), "wrong-converter", message);
                return false;
            };
            *source = record;
            for field in ids.fields(which) {
                hops.read_at(source, field);
            }
        }
        true
    }

    pub(crate) fn factor(&mut self, parameter: &str, at: &str) -> f64 {
        if parameter.is_empty() {
            return 1.0;
        }
        parameter.parse().ok().filter(|f: &f64| *f > 0.0).unwrap_or_else(|| {
            let message = format!("{parameter} is no factor");
            self.fault(&format!("{at}.as"), "bad-parameter", message);
            1.0
        })
    }

    /// What the standard has in a list of codes, or in the member of its elements.
    pub(crate) fn word_kind(&self, level: Level<'r>, entry: &EntryText) -> Option<ade::schema::PathInfo<'static>> {
        let path = match word_member(entry) {
            Some(member) => format!("{}.{member}", entry.ade),
            None => entry.ade.clone(),
        };
        self.standard.resolve_path(level.resource, &path)
    }

    /// A code table for a field and the enumeration that the standard has there.
    pub(crate) fn codes(
        &mut self,
        source: Option<&Source>,
        table: &str,
        kind: &PathKind<'_>,
        at: &str,
    ) -> Option<Arc<Codes>> {
        let place = format!("{at}.as");
        let PathKind::Enum { codes, name } = kind else {
            let message = "the standard has no code list there".to_owned();
            self.fault(&place, "wrong-converter", message);
            return None;
        };
        let texts = if table.is_empty() { Some(TableText::default()) } else { self.tables.get(table).cloned() };
        let Some(texts) = texts else {
            self.fault(&place, "no-such-table", format!("no code table {table}"));
            return None;
        };
        let fits = |k: &Kind| {
            let lists = matches!(k, Kind::Selects(_) | Kind::Texts(_));
            lists || matches!(k, Kind::Select(_) | Kind::Text(_) | Kind::Int)
        };
        let source = source?;
        self.expect(source, at, "a select or text", fits);
        let built = Codes::build(&source.kind, codes, &texts, &place, &mut self.faults);
        self.uses.sent(at, name, codes, built.all_codes());
        let refused = texts.refused.keys().map(String::as_str);
        self.uses.sent(at, name, codes, refused);
        Some(Arc::new(built))
    }

    fn by_kind(&mut self, at: &str, kind: &PathKind<'_>, sources: &[Source]) -> Option<Write> {
        let mut all = |what: &str, fits: fn(&Kind) -> bool| {
            sources.iter().for_each(|s| self.expect(s, at, what, fits));
        };
        Some(match kind {
            PathKind::Text | PathKind::Any | PathKind::Uri => {
                all("text", |k| matches!(k, Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Int));
                Write::Text
            }
            PathKind::Number => {
                all("a number", |k| matches!(k, Kind::Number | Kind::Int));
                Write::Number
            }
            PathKind::Integer => {
                all("a whole number", |k| matches!(k, Kind::Int));
                Write::Integer
            }
            PathKind::Boolean => {
                all("yes or no", |k| matches!(k, Kind::Bool));
                Write::Boolean
            }
            PathKind::DateTime => {
                all("a time", |k| matches!(k, Kind::Day | Kind::Instant));
                Write::Time
            }
            PathKind::Date => {
                all("a time", |k| matches!(k, Kind::Day | Kind::Instant));
                Write::Day
            }
            PathKind::Enum { .. } => {
                // Sources of one entry may differ in their words, not in the codes meant.
                let mut merged = Codes::default();
                for source in sources {
                    let codes = self.codes(Some(source), "", kind, at)?;
                    merged.add(&codes);
                }
                Write::Codes(Arc::new(merged))
            }
            PathKind::Object(_) | PathKind::Nested => {
                let message = "an object needs a converter or entries for its members";
                self.fault(at, "wrong-converter", message.to_owned());
                return None;
            }
        })
    }

    /// Whether the standard takes at this place what the writer makes.
    fn fits(&mut self, write: &Write, kind: &PathKind<'_>, at: &str) {
        let good = match write {
            Write::Animal(_) | Write::Animals(_) | Write::Alternatives(_) | Write::Here { .. } => {
                *kind == PathKind::Object("icarAnimalIdentifierType")
            }
            Write::Location(_) => *kind == PathKind::Object("icarLocationIdentifierType"),
            Write::Fractions => *kind == PathKind::Object("icarBreedFractionsType"),
            Write::Number => matches!(kind, PathKind::Number | PathKind::Any),
            Write::Flag => *kind == PathKind::Boolean,
            Write::Pairs(_) => matches!(kind, PathKind::Object(_)),
            Write::Births { .. } => *kind == PathKind::Integer,
            _ => true,
        };
        if !good {
            let message = format!("the standard wants {kind:?} there");
            self.fault(&format!("{at}.as"), "wrong-converter", message);
        }
    }
}

/// `words.position`: the member with the code.
pub(crate) fn word_member(entry: &EntryText) -> Option<String> {
    let how = entry.how.as_deref()?;
    let word = how.split(':').next()?;
    word.split_once('.').map(|(_, member)| member.to_owned())
}

fn below(path: &AdePath, name: &str) -> AdePath {
    let mut path = path.clone();
    path.0.push(Segment { name: name.to_owned(), list: None });
    path
}

fn name(source: &Source) -> &str {
    match &source.root {
        Root::Item { name, .. } if source.last.is_empty() => name,
        Root::Element { path, .. } if source.last == "id" => path,
        _ => &source.last,
    }
}
