//! A document as it is stored, and one to be written.

use mapping::RenderedDocument;

pub(crate) type Documents = Vec<(i64, Vec<RenderedDocument>)>;

pub(crate) struct StoredDocument {
    pub record: i64,
    pub id: i64,
    pub source: String,
    pub source_id: String,
    pub location: i64,
    pub modified: i64,
    pub created: i64,
    pub event_at: Option<i64>,
    pub animal: Option<i64>,
    pub deleted: bool,
    pub body: String,
    /// Where the text is the sender's ([`mapping::Wording`]).
    pub wording: Option<String>,
}

pub(crate) struct PendingDocument {
    /// Row that it was made of.
    pub record: i64,
    /// The organisation at whose location it is.
    pub location: i64,
    /// When it first appeared there; none for a new one.
    pub created: Option<i64>,
    /// Id of the stored document, where that keeps its place, row and animal.
    pub stored: Option<i64>,
    /// Whether no live document stands in its place.
    pub revives: bool,
    /// The text and its head.
    pub document: RenderedDocument,
}
