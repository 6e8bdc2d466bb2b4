//! Elements of a batch, as their texts were read.

use crate::batches::batch::BatchElement;
use crate::intake::delivery::DocumentAnswer;
use model::error::Issue;
use model::parallel;
use model::record::json_in::{JsonFault, Member, Split};
use serde_json::Value;
use std::ops::Range;

/// Bytes of a part of a batch after which no further element belongs to it: what a part takes in
/// memory is a multiple of its texts.
pub const PART: usize = 1 << 20;

/// An element of a batch, with its place in the array.
fn element(member: Member<'_>, at: usize) -> BatchElement {
    match member.value {
        Ok(doc) => BatchElement::Read(doc, member.raw.to_owned()),
        Err(faults) => unread(at, member.raw, &faults),
    }
}

pub fn elements_of(split: &Split<'_>, places: Range<usize>) -> Vec<BatchElement> {
    let elements = parallel::into_map(places.collect(), |at| split.member(at).map(|member| element(member, at)));
    elements.into_iter().flatten().collect()
}

/// An element whose text cannot be read.
fn unread(at: usize, raw: &str, faults: &[JsonFault]) -> BatchElement {
    let prefix = format!("/{at}");
    let issues = (faults.iter()).map(|fault| {
        let (pointer, code) = match fault {
            JsonFault::DuplicateMember { pointer } => (pointer.as_str(), "duplicate-member"),
            JsonFault::ZeroCharacter { pointer } => (pointer.as_str(), "zero-character"),
            JsonFault::TooDeep { pointer } => (pointer.as_str(), "too-deep"),
            _ => ("", "body-not-json"),
        };
        Issue::error(pointer.strip_prefix(&prefix).unwrap_or(pointer), code, fault.to_string())
    });
    let answer = DocumentAnswer::rejected(issues.collect());
    // Duplicate members do not hide whose element it is; too deep a text does.
    BatchElement::Refused(serde_json::from_str::<Value>(raw).ok().and_then(|doc| doc.get("meta").cloned()), answer)
}
