//! Other ways to write the same: for the awkward modes.

use crate::mode::Mode;
use serde_json::{Map, Value, json};

/// Optional members, which no reader may need.
const OPTIONAL: [&str; 12] = [
    "created",
    "officialName",
    "sireOfficialName",
    "managementTag",
    "timeZoneId",
    "totalItems",
    "totalPages",
    "pageSize",
    "currentPage",
    "first",
    "prev",
    "last",
];

/// A body in the manner of a mode.
pub(crate) fn shaped(mode: Mode, value: Value) -> Value {
    match value {
        Value::Object(members) => object(mode, members),
        Value::Array(elements) => {
            let shaped = elements.into_iter().map(|one| shaped(mode, one));
            shaped.collect()
        }
        Value::String(text) if mode == Mode::OtherOffsets => Value::String(offset(text)),
        other => other,
    }
}

fn object(mode: Mode, members: Map<String, Value>) -> Value {
    let mut all: Vec<(String, Value)> = members.into_iter().collect();
    if mode == Mode::Sparse {
        all.retain(|(name, _)| !OPTIONAL.contains(&name.as_str()));
    }
    if mode == Mode::MemberOrder {
        all.reverse();
    }
    let shaped = all
        .into_iter()
        .map(|(name, value)| (name, shaped(mode, value)));
    let mut shaped: Map<String, Value> = shaped.collect();
    if mode == Mode::ExtraMembers {
        shaped.insert(
            "x-further".to_owned(),
            json!({"of": "this server", "list": [1, null]}),
        );
    }
    Value::Object(shaped)
}

/// The same instant, written in another time zone and with nanoseconds.
fn offset(text: String) -> String {
    let time = text.get(10..11) == Some("T") && text.ends_with('Z');
    let Some(at) = ade::time::parse(&text).filter(|_| time) else {
        return text;
    };
    let moved = ade::time::format(at + 2 * 3_600_000);
    format!("{}000+02:00", moved.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_otherwise_means_the_same() {
        let body = json!({"a": "2026-01-01T23:00:00Z", "b": [{"c": "2026-01-01", "created": 1}]});
        let moved = shaped(Mode::OtherOffsets, body.clone());
        assert_eq!(moved["a"], "2026-01-02T01:00:00.000000+02:00");
        assert_eq!(moved["b"][0]["c"], "2026-01-01");
        assert_eq!(
            shaped(Mode::Sparse, body.clone())["b"][0],
            json!({"c": "2026-01-01"})
        );
        let turned = shaped(Mode::MemberOrder, body.clone()).to_string();
        assert!(turned.starts_with("{\"b\":[{\"created\""), "{turned}");
        assert!(shaped(Mode::ExtraMembers, body)["b"][0]["x-further"].is_object());
    }
}
