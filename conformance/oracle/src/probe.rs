//! Tokens that must not be accepted.

use crate::profile::Profile;
use crate::violation::{Kind, Violation};
use crate::wire::{Answer, Page};
use serde_json::Value;

/// The fault of a token that is sent to a server on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// No token at all.
    Malformed,
    /// A valid token with one character changed.
    Forged,
    /// A token of another client or data set.
    Foreign,
    /// A token that the server does not accept any more.
    Expired,
    /// A token from a state of the server that was lost with a restored backup.
    Future,
}

impl Probe {
    const fn kind(self) -> Kind {
        match self {
            Self::Malformed => Kind::MalformedToken,
            Self::Forged => Kind::ForgedToken,
            Self::Foreign => Kind::ForeignToken,
            Self::Expired => Kind::ExpiredToken,
            Self::Future => Kind::FutureToken,
        }
    }

    /// Judges the answer. An ordinary page, and above all an empty one, is always wrong: the
    /// client would believe that nothing happened.
    #[must_use]
    pub fn judge(self, profile: &Profile, answer: &Answer) -> Option<Violation> {
        let say = |words: String| Some(Violation::new(self.kind(), words));
        if answer.status == 200 && !answer.full_sync {
            let read = Page::read(profile, answer);
            let empty = read.is_ok_and(|page| page.resources.is_empty());
            let what = if empty { "an empty page" } else { "a page" };
            return say(format!("a token that must not be taken was answered with {what}"));
        }
        if answer.status >= 500 {
            return say(format!("status {} in answer to a bad token", answer.status));
        }
        if !profile.documented_refusals {
            return None;
        }
        let expected = match self {
            Self::Malformed | Self::Forged => Some("token-malformed"),
            Self::Foreign => Some("token-foreign"),
            Self::Expired | Self::Future => None,
        };
        match expected {
            None if answer.full_sync => None,
            None => say(format!("status {} instead of icar-full-sync", answer.status)),
            Some(word) => {
                let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                let error_type = body.pointer("/errors/0/type").and_then(Value::as_str);
                if answer.status == 400 && error_type == Some(word) {
                    return None;
                }
                say(format!("status {} and {error_type:?} instead of 400 and {word}", answer.status))
            }
        }
    }
}
