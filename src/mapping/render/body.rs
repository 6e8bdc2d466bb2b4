//! Document text: JSON written straight to bytes, and a [`Body`] whose times of change are
//! put in last, because the commit time is known only under the commit lock
//! (docs/design/mappings.md, *Rules of every document*).

use crate::path::View;
use model::record::time;
use serde_json::Value as Json;

/// A rendered document without `meta.modified` and `meta.created`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The text around the gap for the times.
    bytes: Vec<u8>,
    gap: usize,
}

/// Members before all others.
const HEAD: [&str; 2] = ["resourceType", "meta"];
/// The first members of `meta`.
const PAIR: [&str; 2] = ["source", "sourceId"];

/// The text in the gap before the times.
const MODIFIED: &[u8] = b"\"modified\":\"";
const CREATED: &[u8] = b"\",\"created\":\"";

impl Body {
    pub(crate) fn new(bytes: Vec<u8>, gap: usize) -> Self {
        Self { bytes, gap }
    }

    /// The text of a document whose `meta` has no times yet; none without `meta`.
    pub(crate) fn of(document: &Json) -> Option<Self> {
        let members = document.as_object()?;
        let meta = members.get("meta")?.as_object()?;
        let mut out = Vec::with_capacity(1_024);
        out.extend_from_slice(b"{\"resourceType\":");
        json(members.get("resourceType")?, &mut out);
        out.extend_from_slice(b",\"meta\":{");
        for name in PAIR {
            member(name, meta.get(name)?, &mut out);
            out.push(b',');
        }
        let gap = out.len();
        for (name, value) in meta.iter().filter(|(name, _)| !PAIR.contains(&name.as_str())) {
            out.push(b',');
            member(name, value, &mut out);
        }
        out.push(b'}');
        let others = members.iter();
        for (name, value) in others.filter(|(name, _)| !HEAD.contains(&name.as_str())) {
            out.push(b',');
            member(name, value, &mut out);
        }
        out.push(b'}');
        Some(Self::new(out, gap))
    }

    /// Appends the document's JSON with its times in epoch milliseconds.
    pub fn with(&self, modified: i64, created: i64, out: &mut Vec<u8>) {
        let (head, tail) = self.halves();
        out.reserve(self.len());
        out.extend_from_slice(head);
        times(modified, created, out);
        out.extend_from_slice(tail);
    }

    /// Whether `stored` is this document with these times: the test for "nothing changed".
    pub fn is(&self, stored: &[u8], modified: i64, created: i64) -> bool {
        let (head, tail) = self.halves();
        let mut stamp = Vec::with_capacity(STAMP);
        times(modified, created, &mut stamp);
        stored.len() == self.len()
            && stored.starts_with(head)
            && stored.ends_with(tail)
            && stored.get(head.len()..head.len() + stamp.len()) == Some(&stamp)
    }

    /// Bytes of the complete document.
    pub fn len(&self) -> usize {
        self.bytes.len() + STAMP
    }

    /// Never: a document has at least its type and `meta`.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn halves(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at_checked(self.gap).unwrap_or((&self.bytes, &[]))
    }
}

const STAMP: usize = MODIFIED.len() + CREATED.len() + 2 * time::WIDTH + 1;

fn times(modified: i64, created: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(MODIFIED);
    time::write_iso(modified, out);
    out.extend_from_slice(CREATED);
    time::write_iso(created, out);
    out.push(b'"');
}

/// Writes a JSON string.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail; a failure would leave an empty text, not a broken document.
    if serde_json::to_writer(&mut *out, text).is_err() {
        out.extend_from_slice(b"\"\"");
    }
}

/// Writes a member of an object.
pub(crate) fn member(name: &str, value: &Json, out: &mut Vec<u8>) {
    string(name, out);
    out.push(b':');
    json(value, out);
}

/// Writes any JSON.
pub(crate) fn json(value: &Json, out: &mut Vec<u8>) {
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.extend_from_slice(b"null");
    }
}

/// Writes a finite number, whole ones without a fraction, others to twelve digits after the
/// point at most, so that unit factors leave no binary dust. False when it is not finite.
pub(crate) fn number(n: f64, out: &mut Vec<u8>) -> bool {
    if !n.is_finite() {
        return false;
    }
    let tidy = tidy(n);
    if tidy.fract() == 0.0 && tidy.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        integer(tidy as i64, out);
        return true;
    }
    serde_json::to_writer(&mut *out, &tidy).is_ok()
}

/// Writes a whole number.
pub(crate) fn integer(n: i64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _written = serde_json::to_writer(&mut *out, &n);
}

/// Removes binary dust below the ninth digit after the point.
pub(crate) fn tidy(n: f64) -> f64 {
    if n.abs() < 1e6 { (n * 1e9).round() / 1e9 } else { n }
}

/// Writes an array of what elements write; none, and false, where none of them writes anything.
pub(crate) fn list<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>) -> bool,
) -> bool {
    let start = out.len();
    for element in elements {
        let mark = out.len();
        out.push(if mark > start { b',' } else { b'[' });
        if !write(element, out) {
            out.truncate(mark);
        }
    }
    if out.len() == start {
        return false;
    }
    out.push(b']');
    true
}

/// Writes an identifier of the standard.
pub(crate) fn identifier(id: &str, scheme: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\":");
    string(id, out);
    out.extend_from_slice(b",\"scheme\":");
    string(scheme, out);
    out.push(b'}');
}

/// The text of a scalar view, for identifiers and keys.
pub(crate) fn text_of(view: View<'_>) -> Option<String> {
    match view {
        View::Text(t) => Some(t.to_owned()),
        View::Int(i) => Some(i.to_string()),
        View::Bool(b) => Some(b.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, number};

    fn written(n: f64) -> String {
        let mut out = Vec::new();
        assert!(number(n, &mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_carry_no_dust() {
        assert_eq!(written(3.0), "3");
        assert_eq!(written(2.3 * 10.0), "23");
        assert_eq!(written(1.1 * 3.0), "3.3");
        assert_eq!(written(-0.25), "-0.25");
        assert!(!number(f64::NAN, &mut Vec::new()));
    }

    #[test]
    fn times_go_into_the_gap_and_are_compared_without_building_the_text() {
        let body = Body::new(b"{\"meta\":{\"source\":\"s\",}}".to_vec(), 22);
        let mut out = Vec::new();
        body.with(1000, 0, &mut out);
        assert_eq!(
            String::from_utf8(out.clone()).unwrap(),
            "{\"meta\":{\"source\":\"s\",\"modified\":\"1970-01-01T00:00:01.000Z\",\"created\":\"1970-01-01T00:00:00.000Z\"}}"
        );
        assert!(body.is(&out, 1000, 0));
        assert!(!body.is(&out, 1001, 0));
        assert_eq!(body.len(), out.len());
    }
}
