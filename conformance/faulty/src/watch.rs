//! The log of requests and answers that the judge of clients reads.

use std::time::Instant;

/// The parts of an answer that a client must obey.
#[derive(Debug, Clone, Default)]
pub struct Demands {
    /// Whether it is a page of a list.
    pub list: bool,
    /// The link to the next page.
    pub next: Option<String>,
    /// All links to pages.
    pub links: Vec<String>,
    /// The data set, if it is a page of changes.
    pub set: Option<String>,
    /// The token of a page of changes.
    pub token: Option<String>,
    /// Whether the answer asks the client to begin anew.
    pub full_sync: bool,
    /// Whether the client has everything now.
    pub current: bool,
    /// Whether the connection was broken off within the body.
    pub cut: bool,
    /// Elements of a batch that were stored, by source and id.
    pub stored: Vec<String>,
    /// Elements of a batch that were refused.
    pub refused: usize,
    /// Seconds that a client must wait (429, 503).
    pub retry_after: Option<u64>,
    /// Seconds after which a client should ask again.
    pub poll_interval: Option<u64>,
    /// The tag of the answer.
    pub etag: Option<String>,
}

/// A request and what was answered.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// When the request came.
    pub arrived: Instant,
    /// When the answer was ready.
    pub answered: Instant,
    /// The account of the request; empty for anonymous ones.
    pub account: String,
    /// GET, POST and so on.
    pub method: String,
    /// Path and query, as they were sent.
    pub target: String,
    /// The token of the request for a page of changes.
    pub since: Option<String>,
    /// The tag in `If-None-Match` of the request.
    pub if_none_match: Option<String>,
    /// The elements of a batch that was sent, by source and id.
    pub sent: Vec<String>,
    pub status: u16,
    /// The parts of the answer that the client must obey.
    pub demands: Demands,
}
