//! The body of a GET of a collection (`icarResourceCollection` and `member`) and the bare arrays of the
//! generic data exchange, written around members that are JSON already.

use serde::{Deserialize, Serialize};

/// The position of a page in a collection. The standard has no paging parameters: clients follow
/// `next`, so that link carries everything needed. Links are absolute URIs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// How many members all pages have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_items: Option<u64>,
    /// How many pages there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_pages: Option<u64>,
    /// How many members a page has at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u64>,
    /// The number of this page, for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_page: Option<u64>,
    /// The first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The page after this one; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The page before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// The last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// Writes a body member by member. Members are copied as they are: each must be one JSON value.
#[derive(Debug)]
pub struct Envelope {
    out: Vec<u8>,
    empty: bool,
    close: &'static [u8],
}

impl Envelope {
    /// Begins `{"view":{…},"member":[…]}`.
    #[must_use]
    pub fn collection(view: &View) -> Self {
        let mut out = b"{\"view\":".to_vec();
        // Numbers and texts written to memory: there is nothing to fail.
        let view = serde_json::to_vec(view).unwrap_or_else(|_| b"{}".to_vec());
        out.extend_from_slice(&view);
        out.extend_from_slice(b",\"member\":[");
        Self { out, empty: true, close: b"]}" }
    }

    /// Begins a bare array `[…]`.
    #[must_use]
    pub fn array() -> Self {
        Self { out: b"[".to_vec(), empty: true, close: b"]" }
    }

    /// Makes room for that many further bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes);
    }

    /// Adds a member.
    pub fn member(&mut self, json: &[u8]) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out.extend_from_slice(json);
    }

    /// How many bytes wait to be taken.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.out.len()
    }

    /// Takes what has been written so far, for bodies that are sent in pieces.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Ends the body of a collection with further members beside `view` and `member`, which the standard leaves free.
    #[must_use]
    pub fn finish_with(mut self, members: &serde_json::Map<String, serde_json::Value>) -> Vec<u8> {
        self.out.push(b']');
        for (name, value) in members {
            // Texts and values written to memory: there is nothing to fail.
            let name = serde_json::to_string(name).unwrap_or_default();
            self.out.extend_from_slice(format!(",{name}:{value}").as_bytes());
        }
        self.out.push(b'}');
        self.out
    }

    /// Ends the body and gives what has not been taken.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(self.close);
        self.out
    }
}
