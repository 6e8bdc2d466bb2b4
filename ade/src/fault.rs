//! What is wrong with a document: one [`Fault`] per place, with a closed set of codes. Knows neither
//! HTTP nor the words in which a server wraps faults.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The weight of a message (`icarBatchResultSeverityType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// For information only.
    Information,
    /// Accepted, but worth a look.
    Warning,
    /// Not accepted.
    Error,
}

/// The kind of a [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultCode {
    /// A required member is absent.
    Missing,
    /// A value of the wrong JSON type, null included.
    WrongType,
    /// Another value in the place of an object.
    NotObject,
    /// A text that is not in the code list.
    NotInEnum,
    /// A text that is no date, date-time or URI.
    BadFormat,
    /// A number below the least valid one.
    BelowMinimum,
    /// A text that does not match the pattern.
    Pattern,
    /// A text with too many characters.
    TooLong,
    /// An array with too few elements.
    TooFew,
    /// There is no schema of the name requested.
    UnknownSchema,
    /// `resourceType` names another resource than the one expected.
    OtherResource,
    /// A member that no schema of the standard has at this place.
    UnknownMember,
}

impl FaultCode {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Missing,
        Self::WrongType,
        Self::NotObject,
        Self::NotInEnum,
        Self::BadFormat,
        Self::BelowMinimum,
        Self::Pattern,
        Self::TooLong,
        Self::TooFew,
        Self::UnknownSchema,
        Self::OtherResource,
        Self::UnknownMember,
    ];

    /// A stable name for machines.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong-type",
            Self::NotObject => "not-object",
            Self::NotInEnum => "not-in-enum",
            Self::BadFormat => "bad-format",
            Self::BelowMinimum => "below-minimum",
            Self::Pattern => "pattern",
            Self::TooLong => "too-long",
            Self::TooFew => "too-few",
            Self::UnknownSchema => "unknown-schema",
            Self::OtherResource => "other-resource",
            Self::UnknownMember => "unknown-member",
        }
    }
}

impl FaultCode {
    /// A short name for people, in English.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Missing => "Missing member",
            Self::WrongType => "Wrong type",
            Self::NotObject => "Not an object",
            Self::NotInEnum => "Unknown code",
            Self::BadFormat => "Wrong format",
            Self::BelowMinimum => "Too small",
            Self::Pattern => "Wrong pattern",
            Self::TooLong => "Too long",
            Self::TooFew => "Too few elements",
            Self::UnknownSchema => "Unknown resource",
            Self::OtherResource => "Wrong resource",
            Self::UnknownMember => "Unknown member",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// RFC 6901 pointer to the value; for [`FaultCode::Missing`] to the place where the member should be.
    pub pointer: String,
    /// Its kind.
    pub code: FaultCode,
    /// One sentence for people, in English, without the pointer.
    pub message: String,
    /// Its weight; faults against a schema are always [`Severity::Error`].
    pub severity: Severity,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{at}: {}", self.message)
    }
}

/// A step into a document, linked to the steps before it; costs nothing until a pointer is written.
#[derive(Clone, Copy)]
pub(crate) enum PathStep<'p> {
    Root,
    Member(&'p PathStep<'p>, &'p str),
    Element(&'p PathStep<'p>, usize),
}

impl PathStep<'_> {
    pub(crate) fn pointer(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            PathStep::Root => {}
            PathStep::Member(parent, name) => {
                parent.write(text);
                text.push('/');
                for c in name.chars() {
                    match c {
                        '~' => text.push_str("~0"),
                        '/' => text.push_str("~1"),
                        c => text.push(c),
                    }
                }
            }
            PathStep::Element(parent, at) => {
                parent.write(text);
                text.push('/');
                text.push_str(&at.to_string());
            }
        }
    }

    pub(crate) fn fault(&self, code: FaultCode, message: String) -> Fault {
        Fault { pointer: self.pointer(), code, message, severity: Severity::Error }
    }
}

/// The text in quotes, cut after 60 characters so that a fault stays short for any document.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(60).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start:?}…"),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::PathStep;

    #[test]
    fn pointers_are_escaped_by_rfc_6901() {
        let outer = PathStep::Member(&PathStep::Root, "a/b");
        let element = PathStep::Element(&outer, 3);
        assert_eq!(PathStep::Member(&element, "m~n").pointer(), "/a~1b/3/m~0n");
        assert_eq!(PathStep::Root.pointer(), "");
    }
}
