//! Documents as people read them, on pages and on paper: values as text, and what a record is called. Must not know how
//! they are laid out.

use crate::messages::{self, Language, labels, sentence};
use crate::registry::{BuiltInValue, Collection, Field, Kind, Registry, Wording};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The value at a path of a document; `a.b` is the member b of the member a.
pub fn at<'d>(document: &'d Value, path: &str) -> &'d Value {
    path.split('.').fold(document, |value, step| value.get(step).unwrap_or(&Value::Null))
}

/// Whether there is nothing to show.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        _ => false,
    }
}

/// The fields by which people call a record.
pub fn called(c: &Collection) -> Vec<&'static str> {
    c.called_by()
}

/// The name of a record for readers of a language; none where it has none.
pub fn name_in(language: Language, c: &Collection, document: &Value) -> Option<String> {
    let english = c.title().english.filter(|_| language == Language::English);
    let english = english.and_then(|path| at(document, path).as_str()).filter(|name| !name.is_empty());
    english.map(str::to_owned).or_else(|| name(c, document))
}

/// The name of a record; none where it has none.
pub fn name(c: &Collection, document: &Value) -> Option<String> {
    let words: Vec<&str> = (c.title().names.into_iter())
        .filter_map(|path| at(document, path).as_str())
        .filter(|text| !text.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// How a record is called where it stands alone: by its name, else by what it is, about what, and when. An id never
/// calls it. Of what the document does not show, nothing is said.
pub fn title(registry: &Registry, language: Language, c: &Collection, document: &Value) -> String {
    if let Some(name) = name_in(language, c, document) {
        return name;
    }
    let title = c.title();
    let text = |path: &str| {
        let (field, value) = (c.field(path)?, at(document, path));
        // A related record of which only the id is known.
        if field.target().is_some() && !value.is_object() {
            return None;
        }
        let text = match (&field.kind, value.as_str()) {
            (Kind::Instant, Some(iso)) => day_of(language, iso),
            _ => DisplayField::of(c, field).text_in(registry, language, document),
        };
        Some(text).filter(|text| !text.is_empty())
    };
    let sentence = |name: &str, values: &[(&str, String)]| {
        let values = values.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        messages::text(language, name, &values.collect())
    };
    let what = title.kind.and_then(text).unwrap_or_else(|| labels::collection(language, c.slug));
    let what = match title.ordinal.and_then(text) {
        Some(count) => sentence("title-ordinal", &[("count", count), ("what", labels::inside(&what))]),
        None => what,
    };
    let what = match title.of.and_then(text) {
        Some(whom) if language == Language::Russian => {
            sentence("title-of", &[("what", labels::inside(&what)), ("whom", whom)])
        }
        Some(whom) => sentence("title-of", &[("what", what), ("whom", whom)]),
        None => what,
    };
    let rest = title.rest.into_iter().filter_map(text);
    std::iter::once(what).chain(rest).collect::<Vec<_>>().join(", ")
}

/// The title with what the record is, which a name does not say. A record with a card is known by its name.
pub fn heading(registry: &Registry, language: Language, c: &Collection, document: &Value) -> String {
    let title = title(registry, language, c, document);
    match name(c, document).filter(|_| c.ui.card.is_none()) {
        Some(_) => format!("{} {title}", labels::collection(language, c.slug)),
        None => title,
    }
}

/// The day of a point in time.
pub fn day_of(language: Language, iso: &str) -> String {
    messages::day(language, iso.get(..10).unwrap_or(iso))
}

/// What a clock shows, to the minute.
pub fn minute(language: Language, iso: &str) -> String {
    format!("{} {}", day_of(language, iso), iso.get(11..16).unwrap_or_default())
}

/// A point in time to the minute, in UTC.
pub fn instant(language: Language, iso: &str) -> String {
    format!("{} UTC", minute(language, iso))
}

/// A text in which days are written as the language does; of points in time the day is left.
pub fn with_days(language: Language, text: &str) -> String {
    let is_day = |text: &str| {
        let mut letters = text.bytes().enumerate();
        letters.all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    };
    let mut words = text.split(' ').map(|word| {
        let (day, rest) = word.split_at_checked(10).unwrap_or((word, ""));
        match day.len() == 10 && is_day(day) {
            true if rest.starts_with('T') => day_of(language, day),
            true if !rest.starts_with(|c: char| c.is_alphanumeric()) => {
                format!("{}{rest}", day_of(language, day))
            }
            _ => word.to_owned(),
        }
    });
    let first = words.next().unwrap_or_default();
    words.fold(first, |line, word| format!("{line} {word}"))
}

/// A number as the language writes it.
pub fn number(language: Language, text: &str) -> String {
    match language {
        Language::Russian => text.replace('.', ","),
        Language::English => text.to_owned(),
    }
}

/// A unit as people write it. A sign, as that of per cent, is the same in all languages.
pub fn unit(language: Language, unit: &str) -> String {
    let known = messages::known(language, &format!("page-unit-{}", unit.replace([' ', '/'], "-")));
    known.unwrap_or_else(|| unit.to_owned())
}

/// The name of a value of a choice; of what has a built-in number, with its unit.
pub fn option(language: Language, c: &Collection, path: &str, word: &str) -> String {
    let name = labels::option(language, c.slug, path, word);
    let all = c.built_in.filter(|of| of.key == path).map(|of| (of.all)());
    let setting = all.into_iter().flatten().find(|one| one.word == word);
    match setting.map(|one| one.built_in) {
        Some(BuiltInValue::Number(_, _, of)) => format!("{name}, {}", unit(language, of)),
        _ => name,
    }
}

/// A related record by its title; one of which only the id is known by that, but a person.
pub fn related(registry: &Registry, language: Language, slug: &str, value: &Value) -> String {
    match (value, registry.get(slug)) {
        (Value::Object(_), Some(target)) => title(registry, language, target, value),
        (Value::Object(_) | Value::Null, _) => String::new(),
        (_, Some(target)) if target.auth => messages::text(language, "closed-user", &BTreeMap::new()),
        (id, _) => format!("№ {id}"),
    }
}

/// A person whose record is closed to the reader, by the side on which he stands.
pub fn person(registry: &Registry, language: Language, display: DisplayField<'_>) -> Option<String> {
    let target = registry.get(display.field.target()?)?;
    let role = match display.collection.is_of_association(display.path) {
        true => "closed-of-association",
        false => "closed-user",
    };
    target.auth.then(|| messages::text(language, role, &BTreeMap::new()))
}

/// A set of rows that packages carry, by its name for people.
pub fn set(registry: &Registry, language: Language, name: &str) -> Option<String> {
    let mut sets = registry.package_sets();
    let (about, set) = sets.find(|(_, set)| set.name == name)?;
    Some(match (set.list, set.constants.first()) {
        (Some(list), _) => labels::field(language, about.slug, list),
        (None, Some((path, value))) if set.is_one_kind(about) => labels::option(language, about.slug, path, value),
        (None, _) => labels::collections(language, about.slug),
    })
}

/// The name of a field of which only the path is known: that of the first collection that has it, those with a lineage
/// before others.
pub fn path(registry: &Registry, language: Language, path: &str) -> Option<String> {
    let mut all = registry.iter().filter(|c| c.field(path).is_some());
    let first = registry.iter().find(|c| c.lineage.is_some());
    let about = first.filter(|c| c.field(path).is_some()).or_else(|| all.next())?;
    Some(labels::field(language, about.slug, path))
}

/// The name of a dictionary, or of the choice of a collection.
fn values(registry: &Registry, language: Language, target: &str) -> Option<String> {
    let (slug, path) = target.split_once(':').unwrap_or((target, ""));
    let about = registry.get(slug)?;
    let name = labels::collections(language, about.slug);
    Some(match path {
        "" => name,
        path => format!("{name}: {}", labels::field(language, about.slug, path)),
    })
}

/// A value of a field as the logs have it, in words.
fn logged(language: Language, about: &Collection, path: &str, value: &str) -> String {
    let field = about.member(&labels::plain(path));
    let word = |word: &str| match field.is_some_and(|field| field.named_values().iter().any(|own| own == word)) {
        true => labels::option(language, about.slug, path, word),
        false => word.to_owned(),
    };
    let yes_or_no = |word| messages::text(language, word, &BTreeMap::new());
    match (field.map(|field| &field.kind), value) {
        (_, "") => String::new(),
        (Some(Kind::Bool), "true") => yes_or_no("page-yes"),
        (Some(Kind::Bool), "false") => yes_or_no("page-no"),
        (Some(Kind::Day), iso) => day_of(language, iso),
        (Some(Kind::Instant), iso) => instant(language, iso),
        (Some(Kind::Int | Kind::Number), text) => number(language, text),
        (Some(Kind::Selects(_)), text) => text.split(", ").map(word).collect::<Vec<_>>().join(", "),
        (Some(Kind::Rows(members)), text) => logged_row(language, about, (path, members), text),
        (_, text) => word(text),
    }
}

/// A row of a list as the logs have it (`date: 2024-05-01, title: Fair`), in words. A value may have commas of its own.
fn logged_row(language: Language, about: &Collection, (list, members): (&str, &[Field]), text: &str) -> String {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for piece in text.split(", ") {
        let pair = piece.split_once(": ").filter(|(name, _)| members.iter().any(|member| member.path == *name));
        if let Some((name, value)) = pair {
            pairs.push((name, value.to_owned()));
        } else if let Some((_, value)) = pairs.last_mut() {
            value.push_str(", ");
            value.push_str(piece);
        } else {
            return text.to_owned();
        }
    }
    let said = pairs.iter().map(|(name, value)| {
        let path = format!("{list}.{name}");
        format!("{}: {}", labels::member(language, about.slug, &path), logged(language, about, &path, value))
    });
    said.collect::<Vec<_>>().join("; ")
}

/// Changes of rows of a type as the log of operations has them, in words: what a step did, where one collection alone
/// has it, else the field with its values. What was counted is a sentence.
fn changes(registry: &Registry, language: Language, kind: &str, text: &str) -> String {
    let said = |text: &str| Some(messages::reason(language, text)).filter(|said| said != text);
    // Behind the name of a data set.
    let named = text.split_once(": ").and_then(|(name, rest)| Some(format!("{name}: {}", said(rest)?)));
    if let Some(sentence) = named.or_else(|| said(text)) {
        return sentence;
    }
    let is_of = |c: &Collection| match (&c.logging.subject, c.animal) {
        (Some(subject), _) => subject.kind == kind,
        (None, Some(_)) => kind == "animal",
        (None, None) => kind == "none",
    };
    let said = text.split(", ").map(|piece| {
        let (path, change) = piece.split_once(": ").unwrap_or_default();
        let (before, after) = change.split_once(" → ").unwrap_or(("–", change));
        let fits = |c: &&Collection| {
            let words = c.field(path).filter(|_| is_of(c)).map(Field::named_values);
            let has = |words: &[String], one: &str| one == "–" || words.iter().any(|word| word == one);
            words.is_some_and(|words| words.is_empty() || has(words, before) && has(words, after))
        };
        let done: BTreeSet<String> =
            registry.iter().filter(fits).filter_map(|c| labels::done(language, c.slug, path, after)).collect();
        let mut done = done.into_iter();
        if let (Some(done), None) = (done.next(), done.next()) {
            return done;
        }
        let Some(about) = registry.iter().find(fits) else {
            return piece.to_owned();
        };
        let label = labels::field(language, about.slug, path);
        let is_named = about.field(path).is_some_and(|field| !field.named_values().is_empty());
        let [before, after] = [before, after].map(|value| logged(language, about, path, value));
        match (change.contains(" → "), is_named) {
            (true, true) => format!("{label}: {before} → {after}"),
            (true, false) => label,
            (false, true) => format!("{label}: {after}"),
            (false, false) => piece.to_owned(),
        }
    });
    said.collect::<Vec<_>>().join(", ")
}

/// A field with its path in the whole collection: a member of a list has the path of the list before its own.
#[derive(Debug, Clone, Copy)]
pub struct DisplayField<'f> {
    pub collection: &'f Collection,
    pub field: &'f Field,
    pub path: &'f str,
}

impl<'f> DisplayField<'f> {
    /// A field that is no member of a list.
    pub fn of(collection: &'f Collection, field: &'f Field) -> Self {
        Self { collection, field, path: &field.path }
    }

    /// A value of it as text; nothing for an empty one.
    pub fn text(self, registry: &Registry, language: Language, value: &Value) -> String {
        let option = |word: &str| labels::option(language, self.collection.slug, self.path, word);
        let strings = |all: &'_ [Value], text: &dyn Fn(&str) -> String| {
            let all: Vec<String> = all.iter().filter_map(Value::as_str).map(text).collect();
            all.join(", ")
        };
        match (&self.field.kind, value) {
            (_, Value::Null) => String::new(),
            (Kind::Bool, Value::Bool(yes)) => {
                let word = if *yes { "page-yes" } else { "page-no" };
                messages::text(language, word, &BTreeMap::new())
            }
            (Kind::Day, Value::String(iso)) => day_of(language, iso),
            (Kind::Instant, Value::String(iso)) => instant(language, iso),
            (Kind::Number, Value::Number(exact)) if let Wording::Rounded(places) = self.field.wording => {
                let exact = exact.as_f64().unwrap_or_default();
                number(language, &format!("{exact:.places$}"))
            }
            (_, Value::Number(id)) if let Wording::Record(_) = self.field.wording => format!("№ {id}"),
            (Kind::Int | Kind::Number, Value::Number(_)) => number(language, &value.to_string()),
            (Kind::Select(_), Value::String(word)) => option(word),
            (Kind::Selects(_), Value::Array(all)) => strings(all, &option),
            (Kind::Texts(_), Value::Array(all)) => strings(all, &str::to_owned),
            (Kind::Relation(to), _) => match person(registry, language, self).filter(|_| !value.is_object()) {
                Some(person) => person,
                None => related(registry, language, to, value),
            },
            (Kind::Relations(to), Value::Array(all)) => {
                let all: Vec<String> = all.iter().map(|one| related(registry, language, to, one)).collect();
                all.join(", ")
            }
            (_, Value::Object(members)) if let Wording::Keys(slug, path) = self.field.wording => {
                let said = members.iter().map(|(word, value)| {
                    let name = labels::option(language, slug, path, word);
                    format!("{} {}", labels::inside(&name), number(language, &value.to_string()))
                });
                said.collect::<Vec<_>>().join(", ")
            }
            (_, Value::String(text)) => self.worded(registry, language, text),
            _ => value.to_string(),
        }
    }

    /// The text of a value of a row, which may say what the text is about.
    pub fn text_in(self, registry: &Registry, language: Language, row: &Value) -> String {
        let value = at(row, &self.field.path);
        if let Some(set) = self.field.named_set() {
            let mut sets = registry.package_sets();
            let about = sets.find(|(_, one)| at(row, set).as_str() == Some(one.name));
            let path = value.as_str().filter(|path| !path.is_empty());
            return match (about, path) {
                (Some((about, _)), Some(path)) => labels::field(language, about.slug, path),
                _ => self.text(registry, language, value),
            };
        }
        if let Wording::ValueIn(collection, path) = self.field.wording {
            let text = |path: &str| at(row, path).as_str().unwrap_or_default();
            let value = value.as_str().unwrap_or_default();
            let about = registry.get(text(collection));
            return about.map_or_else(|| value.to_owned(), |about| logged(language, about, text(path), value));
        }
        if let Wording::SentBack(state, remark) = self.field.wording
            && value == state
            && !is_empty(at(row, remark))
        {
            return messages::text(language, "page-sent-back", &BTreeMap::new());
        }
        if let Wording::Changes(kind) = self.field.wording {
            let kind = at(row, kind).as_str().unwrap_or_default();
            return changes(registry, language, kind, value.as_str().unwrap_or_default());
        }
        if let Wording::WordsOr(words, name) = &self.field.wording
            && let Some(name) = at(row, name).as_str()
            && !words.iter().any(|word| value == word)
        {
            return name.to_owned();
        }
        if let (Wording::Person(side), Value::Number(_)) = (&self.field.wording, value)
            && let Some(side) = at(row, side).as_str()
        {
            return messages::text(language, &format!("closed-of-{side}"), &BTreeMap::new());
        }
        let Wording::PathIn(collection) = self.field.wording else {
            return self.text(registry, language, value);
        };
        let about = registry.get(at(row, collection).as_str().unwrap_or_default());
        let path = value.as_str().unwrap_or_default();
        // Positions of rows do not count: `dnaTests.0.result`.
        let of_field = about.filter(|about| {
            let first = path.split('.').next().unwrap_or_default();
            let own = |field: &Field| field.path.split('.').next() == Some(first);
            about.fields.iter().any(own)
        });
        match of_field {
            Some(about) => labels::field(language, about.slug, path),
            None => path.to_owned(),
        }
    }

    /// A text of the server as people read it.
    fn worded(self, registry: &Registry, language: Language, text: &str) -> String {
        let words = match &self.field.wording {
            Wording::Sentence => Some(messages::reason(language, text)),
            Wording::Code => sentence::by_code(language, text),
            Wording::Words(words) | Wording::WordsOr(words, _) | Wording::Known(words)
                if words.iter().any(|word| word == text) =>
            {
                Some(option(language, self.collection, self.path, text))
            }
            // A word with the id of what it is about: `base:3`.
            Wording::Known(words) => text.split_once(':').and_then(|(word, id)| {
                let known = words.iter().any(|own| own == word) && id.parse::<i64>().is_ok();
                known.then(|| format!("{} № {id}", option(language, self.collection, self.path, word)))
            }),
            Wording::Unit => Some(unit(language, text)),
            Wording::Collection => {
                let about = registry.get(text);
                about.map(|about| labels::collection(language, about.slug))
            }
            Wording::Values => values(registry, language, text),
            Wording::Path | Wording::PathInSet(_) => path(registry, language, text),
            Wording::Set => set(registry, language, text),
            _ => None,
        };
        words.unwrap_or_else(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Access, Rule, fields, int, json, number, select, text, texts};
    use serde_json::json;
    use test_support::table;

    #[test]
    fn values_are_written_as_the_language_does() {
        let fields = fields![
            number("share") => "A share.",
            int("count") => "A count.",
            texts("places", 40) => "Places.",
            select("sex", "female|male") => "The sex.",
            json("weights").wording(Wording::Keys("animals", "sex")) => "Weights.",
            text("slug") => "A collection.",
            int("record").wording(Wording::Record("slug")) => "A record of it.",
            text("seen").often(["weight-implausible"]) => "What was seen.",
            text("unit").wording(Wording::Unit) => "A unit.",
        ];
        let c = Collection::new("animals", Access::read(Rule::Any), fields);
        let registry = Registry::build(Vec::new()).unwrap();
        for (path, value, russian) in table![
            "share", json!(4.25), "4,25";
            "count", json!(-3), "-3";
            "count", Value::Null, "";
            "places", json!(["A", "B"]), "A, B";
            "sex", json!("female"), "Самка";
            "createdAt", json!("2026-02-05T06:40:00.000Z"), "05.02.2026 06:40 UTC";
            "weights", json!({"female": 3, "male": 0.5}), "самка 3, самец 0,5";
            "record", json!(1891), "№ 1891";
            "seen", json!("weight-implausible"), "Сомнительная масса";
            "seen", json!("In the yard"), "In the yard";
            "seen", json!("weight-implausible:3"), "Сомнительная масса № 3";
            "seen", json!("In the yard: 3"), "In the yard: 3";
            "unit", json!("mS/cm"), "мСм/см";
        ] {
            let display = DisplayField::of(&c, c.field(path).unwrap());
            let text = display.text(&registry, Language::Russian, &value);
            assert_eq!(text, russian, "{path}");
        }
        for (logged, said) in table![
            "weights: 1 created, 0 updated, 3 deleted, 2 refused",
                "weights: создано 1, изменено 0, удалено 3, отклонено 2";
            "A sign-in was refused.", "Отказ во входе.";
            "12 sign-ins were refused.", "Отказов во входе: 12.";
            "orgRole: operator → viewer", "orgRole: operator → viewer";
        ] {
            assert_eq!(changes(&registry, Language::Russian, "none", logged), said);
            assert_eq!(changes(&registry, Language::English, "none", logged), logged);
        }
        assert_eq!(related(&registry, Language::Russian, "animals", &json!(7)), "№ 7");
        assert_eq!(day_of(Language::Russian, "2026-02-05T00:00:00.000Z"), "05.02.2026");
        assert_eq!(day_of(Language::English, "2026-02-05"), "2026-02-05");
        for (text, russian) in table![
            "2026-02-05", "05.02.2026";
            "2026-02-05T00:00:00.000Z", "05.02.2026";
            "с 2026-02-05 10:15 по 2026-02-06, да", "с 05.02.2026 10:15 по 06.02.2026, да";
            "2026-02-051 12026-02-05 Дочь", "2026-02-051 12026-02-05 Дочь";
            "", "";
        ] {
            assert_eq!(with_days(Language::Russian, text), russian);
        }
    }
}
