//! Legal ways that readers do not expect: the modes, and bodies as they write them.

use crate::named::named;
use serde_json::{Map, Value, json};

named! {
    /// A legal habit that a client, or a test of servers, must get along with.
    Mode {
        /// Members of objects are in the opposite of the usual order.
        MemberOrder,
        /// Optional members are left out: totals and links of pages, `meta.created`, marks of the feed.
        Sparse,
        /// Three members on a page.
        TinyPages,
        /// Errors in the form of the schema alone, with URIs as types.
        OtherErrors,
        /// The locations are offered, data sets are not.
        LocationsOnly,
        /// Data sets are offered, lists of locations are not.
        DatasetsOnly,
        /// Bodies come in chunks of one byte, long ones in chunks of a few.
        ByteByByte,
        /// Names of headers begin with capitals, as in `Content-Type`.
        HeaderCase,
        /// Every object has members that the standard does not know.
        ExtraMembers,
        /// Links are relative to the address of the page.
        RelativeLinks,
        /// Addresses in links end with a slash before the query.
        TrailingSlashes,
        /// Times are returned with an offset, and with fractions.
        OtherOffsets,
        /// No `ETag`.
        NoEtag,
        /// Nothing at `/.well-known/ade`.
        NoWellKnown,
        /// A page that is the only one has no `view`.
        NoView,
        /// `Content-Type` names the character set.
        Charset,
        /// 201 has an address and no body: the standard asks for the document under 200 alone.
        BareCreated,
        /// Of two states of one document the one that arrived last stays, even if its `meta.modified`
        /// is older: the standard has no rule for states that come out of order.
        LastComesWins,
        /// Batches of more than 50 elements are refused with 413, as HTTP lets a server do.
        SmallBatches,
        /// Events that name a device are refused, and the refusal says so.
        NoDevices,
        /// `responsible` is not stored, and the answer to a document says so.
        LossTold,
        /// Of two members that exclude each other, `priority` and `severity`, the first is stored.
        Excludes,
    }
}

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
    let shaped = all.into_iter().map(|(name, value)| (name, shaped(mode, value)));
    let mut shaped: Map<String, Value> = shaped.collect();
    if mode == Mode::ExtraMembers {
        shaped.insert("x-further".to_owned(), json!({"of": "this server", "list": [1, null]}));
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
        assert_eq!(shaped(Mode::Sparse, body.clone())["b"][0], json!({"c": "2026-01-01"}));
        let turned = shaped(Mode::MemberOrder, body.clone()).to_string();
        assert!(turned.starts_with("{\"b\":[{\"created\""), "{turned}");
        assert!(shaped(Mode::ExtraMembers, body)["b"][0]["x-further"].is_object());
    }
}
