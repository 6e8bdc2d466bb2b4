//! Reads one value of a document as the entry says: units, codes, numbers in texts,
//! records that were looked up. Says what cannot be used and why.

use crate::ReferenceResolver;
use crate::ade_path::{PathStep, pointer};
use crate::codes::Codes;
use crate::compile::plan::{Read, ReadRule, Units};
use crate::identifiers::{HERE, Identifiers, READ};
use crate::read::reference::{references_of, text};
use crate::render::body;
use model::error::Issue;
use model::messages::Sentence;
use model::record::Value;
use model::registry::Kind;
use model::said;
use serde_json::Value as Json;

/// A value as it was understood, and the members of the document that it used up.
pub(crate) struct ReadValue<'e> {
    pub value: Value,
    /// The scheme of an identifier that has a field of its own.
    pub second: Option<Value>,
    pub used: Vec<Vec<PathStep<'e>>>,
}

/// The code of a value that no field holds, and that is stored as sent: `why` of the message says the reason.
pub(crate) const NOT_STORED: &str = "not-kept";

/// Longest scheme that a field holds (`diagnosisCode`).
const SCHEME: usize = 60;

/// Why a value was not read.
pub(crate) enum ReadError {
    /// Nothing there for this entry (an identifier of another scheme).
    NotOurs,
    /// Known to the standard, but the book has no field for it; it is stored as sent.
    Unusable(Sentence),
    /// Names a record that the book has not; the text is stored instead.
    Unknown(Option<String>),
    Refused(Sentence),
    /// The animal that the document is about was not found: code and message.
    Animal(&'static str, Sentence),
}

pub(crate) struct Reader<'a> {
    pub identifiers: &'a Identifiers,
    pub resolved: &'a dyn ReferenceResolver,
    /// Pointer of the object under work.
    pub base: String,
}

impl Reader<'_> {
    /// Tries the candidates in turn; when none can be read, the last failure is reported. Of a quantity all must be the
    /// same that can be read.
    #[expect(clippy::result_large_err, reason = "the message of a refusal, which is rare")]
    pub(crate) fn first<'f, 'e: 'f>(
        &self,
        entry: &ReadRule,
        values: impl IntoIterator<Item = &'f (Vec<PathStep<'e>>, &'f Json)>,
    ) -> Result<ReadValue<'e>, (String, ReadError)> {
        let (mut error, mut values) = (None, values.into_iter());
        while let Some((places, value)) = values.next() {
            match self.one(entry, places, value) {
                Ok(got) if matches!(entry.read, Read::Measure(_)) => {
                    let differs = |(places, value): &&'f (Vec<PathStep<'e>>, &'f Json)| {
                        self.one(entry, places, value).is_ok_and(|other| other.value != got.value)
                    };
                    return match values.find(differs) {
                        Some((places, _)) => {
                            let why = ReadError::Refused("differs from another value of the same quantity".into());
                            Err((format!("{}{}", self.base, pointer(places)), why))
                        }
                        None => Ok(got),
                    };
                }
                Ok(got) => return Ok(got),
                Err(ReadError::NotOurs) => {}
                Err(why) => error = Some((places, why)),
            }
        }
        // Where nothing is there for an entry, there is no message, and hence no place.
        Err(error.map_or((String::new(), ReadError::NotOurs), |(places, why)| {
            (format!("{}{}", self.base, pointer(places)), why)
        }))
    }

    fn one<'e>(&self, entry: &ReadRule, places: &[PathStep<'e>], value: &Json) -> Result<ReadValue<'e>, ReadError> {
        if entry.lookup.is_some() {
            return self.record(entry, places, value);
        }
        match &entry.read {
            Read::Animal { .. } | Read::Location => self.record(entry, places, value),
            Read::Measure(units) => measure(entry, units, places, value),
            Read::Identifier { scheme, .. } => {
                let id = value.get("id").ok_or(ReadError::NotOurs)?;
                let number = id.as_str().unwrap_or_default();
                if let Some((code, message)) = self.identifiers.malformed(scheme, number) {
                    return Err(ReadError::Animal(code, message));
                }
                let mut used = vec![below(places, "id")];
                if text(value, "scheme") == Some(scheme) {
                    used.push(below(places, "scheme"));
                }
                Ok(ReadValue { value: plain(entry, id)?, second: None, used })
            }
            Read::Pair(ours) => {
                let (id, scheme) = text(value, "id").zip(text(value, "scheme")).ok_or(ReadError::NotOurs)?;
                if scheme == ours {
                    return Err(ReadError::NotOurs);
                }
                let why = || ReadError::Unusable("the scheme is too long".into());
                if scheme.chars().count() > SCHEME {
                    return Err(why());
                }
                Ok(ReadValue {
                    value: plain(entry, &Json::from(id))?,
                    second: Some(Value::Text(scheme.to_owned())),
                    used: vec![places.to_vec()],
                })
            }
            _ => Ok(ReadValue { value: scalar(entry, value)?, second: None, used: vec![places.to_vec()] }),
        }
    }

    fn record<'e>(&self, entry: &ReadRule, places: &[PathStep<'e>], value: &Json) -> Result<ReadValue<'e>, ReadError> {
        let at = format!("{}{}", self.base, pointer(places));
        let references = references_of(entry, self.identifiers, &at, value);
        if let Some(id) = references.iter().find_map(|r| self.resolved.id(r)) {
            return Ok(ReadValue { value: Value::Int(id), second: None, used: vec![places.to_vec()] });
        }
        if matches!(entry.read, Read::Identifier { strict: true, .. }) && references.is_empty() {
            return Err(ReadError::NotOurs);
        }
        if let (Read::Codes(codes), Some(code)) = (&entry.read, value.as_str())
            && codes.back(code).is_none()
        {
            return Err(ReadError::Unusable(said!("{code} has no place in the book", code = code)));
        }
        if let (Read::Animal { list: false, read, .. }, "/animal") = (&entry.read, at.as_str()) {
            let part = |name| text(value, name).unwrap_or_default();
            let among = if *read { READ } else { HERE };
            let (code, message) = self.identifiers.unknown(part("scheme"), part("id"), among);
            return Err(ReadError::Animal(code, message));
        }
        let first = match value {
            Json::Array(list) => list.first(),
            one => Some(one),
        };
        if first.is_none() {
            return Err(ReadError::NotOurs);
        }
        let id = first.and_then(|v| text(v, "id").or(v.as_str()));
        Err(ReadError::Unknown(id.map(str::to_owned)))
    }
}

/// A single value. One of another type has been reported by the standard's validator.
fn scalar(entry: &ReadRule, value: &Json) -> Result<Value, ReadError> {
    let there = |n: Option<f64>| n.ok_or(ReadError::NotOurs);
    match &entry.read {
        Read::Text => plain(entry, value),
        Read::Number => number(entry, there(value.as_f64())?),
        Read::Integer => number(entry, there(value.as_f64().filter(|n| n.fract() == 0.0))?),
        Read::Boolean => value.as_bool().map(Value::Bool).ok_or(ReadError::NotOurs),
        Read::Flag => {
            let yes = value.as_bool().ok_or(ReadError::NotOurs)?;
            number(entry, f64::from(u8::from(yes)))
        }
        Read::Words(codes, member) => words(codes, member.as_deref(), value),
        Read::Time => {
            let millis = ade::time::parse(value.as_str().ok_or(ReadError::NotOurs)?);
            let why = || ReadError::Refused("is not a day or point in time".into());
            millis.map(Value::Time).ok_or_else(why)
        }
        Read::Codes(codes) => {
            let code = value.as_str().ok_or(ReadError::NotOurs)?;
            let why = || ReadError::Unusable(said!("{code} has no place in the book", code = code));
            word(entry, codes.back(code).ok_or_else(why)?)
        }
        _ => Err(ReadError::NotOurs),
    }
}

/// Text that fits the field.
fn plain(entry: &ReadRule, value: &Json) -> Result<Value, ReadError> {
    let text = value.as_str().ok_or(ReadError::NotOurs)?;
    match entry.kind {
        Kind::Text(max) if text.chars().count() > max => {
            Err(ReadError::Unusable(said!("is longer than {max} characters", max = max)))
        }
        _ => word(entry, text),
    }
}

/// A word, or the number that the field has instead.
fn word(entry: &ReadRule, word: &str) -> Result<Value, ReadError> {
    match entry.kind {
        Kind::Int => word.parse().map(Value::Int).map_err(|_| ReadError::NotOurs),
        _ => Ok(Value::Text(word.to_owned())),
    }
}

/// A list of codes, or of objects with one.
fn words(codes: &Codes, member: Option<&str>, value: &Json) -> Result<Value, ReadError> {
    let mut list = Vec::new();
    for element in value.as_array().ok_or(ReadError::NotOurs)? {
        let code = match (member, element.as_object()) {
            (None, _) => element.as_str(),
            (Some(name), Some(object)) if object.len() == 1 => object.get(name).and_then(Json::as_str),
            _ => None,
        };
        let why = || ReadError::Unusable("says more than codes".into());
        let word = code.and_then(|code| codes.back(code)).ok_or_else(why)?;
        if !list.iter().any(|w| w == word) {
            list.push(word.to_owned());
        }
    }
    if list.is_empty() {
        return Err(ReadError::NotOurs);
    }
    Ok(Value::Texts(list))
}

fn measure<'e>(
    entry: &ReadRule,
    units: &Units,
    places: &[PathStep<'e>],
    value: &Json,
) -> Result<ReadValue<'e>, ReadError> {
    let amount = (["measurement", "value"].into_iter())
        .find_map(|m| value.get(m).filter(|v| !v.is_null()))
        .ok_or(ReadError::NotOurs)?;
    let amount = match amount {
        Json::String(text) => (text.trim().parse::<f64>().ok())
            .filter(|n| n.is_finite())
            .ok_or_else(|| ReadError::Unusable("is not a number".into()))?,
        other => other.as_f64().ok_or(ReadError::NotOurs)?,
    };
    let code = (["units", "unitCode", "unit"].into_iter()).find_map(|m| text(value, m));
    let code = code.unwrap_or(&units.usual);
    let size = units.sizes.get(code).ok_or_else(|| {
        let names: Vec<&str> = units.sizes.keys().map(String::as_str).collect();
        ReadError::Refused(said!("unit {unit} is not known; known are {known}", unit = code, known = names.join(", ")))
    })?;
    let mut used = vec!["measurement", "value", "units", "unitCode", "unit"];
    if code != units.usual {
        // It is in the unit of the sender, too, which the value of the book is not.
        used.push("resolution");
    }
    Ok(ReadValue {
        value: number(entry, body::tidy(amount * size))?,
        second: None,
        used: (used.into_iter().filter(|m| value.get(*m).is_some())).map(|m| below(places, m)).collect(),
    })
}

fn number(entry: &ReadRule, number: f64) -> Result<Value, ReadError> {
    match entry.kind {
        Kind::Int if number.fract() == 0.0 && number.abs() < 9e15 => {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            let whole = number as i64;
            Ok(Value::Int(whole))
        }
        Kind::Int => Err(ReadError::Unusable("is not a whole number".into())),
        _ => Ok(Value::Num(number)),
    }
}

fn below<'e>(places: &[PathStep<'e>], member: &'e str) -> Vec<PathStep<'e>> {
    let mut places = places.to_vec();
    places.push(PathStep::Member(member));
    places
}

impl ReadError {
    /// The message, unless there is no fault.
    pub(crate) fn issue(self, at: &str, required: bool) -> Option<Issue> {
        Some(match self {
            Self::NotOurs => return None,
            Self::Refused(why) => Issue::error(at, "field-value", why),
            Self::Unusable(why) if required => Issue::error(at, "field-value", why),
            Self::Unusable(why) => Issue::warning(at, NOT_STORED, said!("{why}; it is stored as sent", why = why)),
            Self::Animal(code, message) => Issue::error(at, code, message),
            Self::Unknown(_) => Issue::warning(at, "unknown-relation", "not in the book, or not unique"),
        })
    }
}
