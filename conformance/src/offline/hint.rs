//! Hints how to correct a fault.

use ade::schema::Standard;
use ade::{Fault, FaultCode};
use serde_json::Value;

/// What names that differ only in case or punctuation have in common.
pub(crate) fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The word that is most like another one, if one is like it at all.
pub(super) fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let wanted = plain(word);
    let close = |other: &str| {
        let own = plain(other);
        if own.contains(&wanted) && wanted.len() > 3 {
            // Short names of types: WeightEvent for icarWeightEventResource.
            return 0.9 + 0.1 * wanted.len() as f64 / own.len() as f64;
        }
        strsim::jaro_winkler(&wanted, &own)
    };
    let rated = words.map(|other| (close(other), other));
    let best = rated.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 > 0.85).then_some(best.1)
}

/// How to fill a missing part of the pair that names a resource.
pub(super) fn of_pair(member: &str) -> Option<String> {
    let words = match member {
        "/meta/source" => "Name your system by a URI or a reversed domain, e.g. \"com.example.herd\".",
        _ => "Give each resource an id of your own that never changes, e.g. a UUID.",
    };
    Some(words.to_owned())
}

/// The member of the standard that an unknown one is a misspelling of.
pub(super) fn near_member(schema: &str, parent: &str, name: &str) -> Option<&'static str> {
    if !parent.is_empty() {
        return None;
    }
    let members = Standard::get().members(schema)?;
    let wanted = plain(name);
    let mut names = members.iter().map(|one| one.name);
    names.find(|own| plain(own) == wanted || strsim::levenshtein(own, name) == 1)
}

/// How to mend a fault of a value.
pub(super) fn of(fault: &Fault, value: &Value) -> Option<String> {
    let found = value.pointer(&fault.pointer);
    let name = fault.pointer.rsplit('/').next().unwrap_or_default();
    let text = found.and_then(Value::as_str).unwrap_or_default();
    let hint = match fault.code {
        FaultCode::Missing => format!("Add {name:?}; the standard requires it."),
        FaultCode::NotInEnum => {
            let codes = fault.message.rsplit(": ").next().unwrap_or_default();
            let near = nearest(text, codes.trim_end_matches('.').split(", "))?;
            format!("Write {near:?}, if that is meant.")
        }
        FaultCode::BadFormat if fault.message.contains("date-time") => match text.len() {
            19 if ade::time::parse(&format!("{text}Z")).is_some() => {
                format!("Tell the offset: \"{text}Z\", if it is UTC.")
            }
            10 if ade::time::parse(text).is_some() => {
                format!("Tell the time too: \"{text}T00:00:00Z\".")
            }
            _ => "Write it as \"2026-03-01T06:30:00Z\".".to_owned(),
        },
        FaultCode::BadFormat if fault.message.contains("YYYY") => match text.get(..10) {
            Some(day) if text.len() > 10 && ade::time::parse(day).is_some() => {
                format!("Write the day alone: {day:?}.")
            }
            _ => "Write it as \"2026-03-01\"; the day must exist.".to_owned(),
        },
        FaultCode::BadFormat => "Write it whole, with its scheme: \"https://…\".".to_owned(),
        FaultCode::WrongType => match (found?, fault.message.as_str()) {
            (Value::String(text), message) if message.contains("number") || message.contains("integer") => {
                match text.parse::<f64>() {
                    Ok(_) => format!("Write {text} without quotes."),
                    Err(_) => "Write a number, or leave the member out.".to_owned(),
                }
            }
            (Value::Number(number), _) => format!("Write \"{number}\", with quotes."),
            (Value::Null, _) => "Leave the member out instead of writing null.".to_owned(),
            (one, message) if message.contains("an array") => {
                let input = one.to_string();
                let short: String = input.chars().take(40).collect();
                let more = if short.len() < input.len() { "…" } else { "" };
                format!("Put it in a list: [{short}{more}].")
            }
            _ => return None,
        },
        FaultCode::NotObject => match found? {
            Value::String(id) if name == "animal" || name.to_lowercase().contains("identifier") => {
                format!("Tell the scheme as well: {{\"scheme\": \"…\", \"id\": {id:?}}}.")
            }
            Value::Array(_) => "Write the object alone, without a list around it.".to_owned(),
            Value::Null => "Leave the member out instead of writing null.".to_owned(),
            _ => return None,
        },
        FaultCode::BelowMinimum => "Correct the value, or leave the member out.".to_owned(),
        FaultCode::TooLong => "Shorten it.".to_owned(),
        FaultCode::TooFew => "Leave the member out, or fill it.".to_owned(),
        _ => return None,
    };
    Some(hint)
}
