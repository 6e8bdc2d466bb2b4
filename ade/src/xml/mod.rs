//! Documents as XML 1.0, both ways. The standard knows JSON alone; this is one rule for all of its
//! messages, made so that JSON, XML and JSON again is the same document. Members are elements of
//! their names, arrays repeat the element, there are no attributes and no namespace.
//!
//! | JSON | XML |
//! |---|---|
//! | a resource | root named by its `resourceType` |
//! | a page, an error body | root `icarResourceCollection`, `icarErrorCollection` |
//! | an array at the top | root [`BATCH`], an element for each |
//! | `"a": 1` | `<a>1</a>` |
//! | `"a": [1, 2]` | `<a>1</a><a>2</a>` |
//! | `"a": [[1], [2, 3]]` | `<a><_item>1</_item></a><a><_item>2</_item><_item>3</_item></a>` |
//! | `"a": null`, `"a": []` | `<_null>a</_null>`, `<_empty>a</_empty>` |
//! | `"a": [null, []]` | `<a><_null/></a><a><_empty/></a>` |
//! | `"a b": "\u0001"` | `<a_x0020_b>_x0001_</a_x0020_b>` |
//!
//! The schemas define what text means when it is read back (a number, an array of one element);
//! where they do not, it is text, and an element that occurs once is no array.

mod decode;
mod emit;
mod name;
mod read;
mod write;

pub use read::Document;
pub use write::write;

/// The root of an array.
pub const BATCH: &str = "batch";
/// Elements inside each other that are read.
pub const DEPTH_MAX: usize = 64;

/// Names a member that is null, or takes the place of a value that is.
const NULL: &str = "_null";
/// Names a member that is an array without elements, or takes the place of one.
const EMPTY: &str = "_empty";
/// An element of an array inside an array.
const ITEM: &str = "_item";

/// What kind of thing is wrong with an XML text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlFaultKind {
    /// The encoding is not known.
    Charset,
    /// The text is not XML, or uses what is not read: document types, entities, deep nesting.
    Malformed,
    /// The text is XML, but something in it has no place in a document: attributes, text between elements.
    Content,
}

/// One thing wrong with an XML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlFault {
    /// What kind of thing.
    pub kind: XmlFaultKind,
    /// Finer than the kind: `doctype`, `entity`, `too-deep`, `attribute`, ….
    pub code: &'static str,
    /// JSON pointer into the document that the text represents; empty where there is none.
    pub pointer: String,
    /// For people, in English.
    pub message: String,
}

impl XmlFault {
    fn malformed(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: XmlFaultKind::Malformed, code, pointer: String::new(), message: message.into() }
    }
}

/// Reads a document, or under the root [`BATCH`] an array of them, and gives it as JSON text.
///
/// `charset` is what the media type says of the encoding (RFC 7303: a byte order mark takes precedence over it, and it
/// over the XML declaration). `resource` is the official name of the type of the documents.
///
/// The text may have what no `Value` can hold: an element that occurs twice where the schema knows a
/// single value becomes a member that occurs twice, so that a strict reader of the JSON finds it.
/// Text that does not fit its type stays text, for the validator to refuse.
///
/// # Errors
/// The first reason why the text is no XML that is read here; or else everything (the first hundred) in
/// it that has no place in a document.
pub fn read(bytes: &[u8], charset: Option<&str>, resource: &str) -> Result<String, Vec<XmlFault>> {
    let text = decode::decode(bytes, charset).map_err(|fault| vec![fault])?;
    read::read(&text, resource)
}

/// Reads the documents of a file as JSON texts, in their order: a document alone, the elements of a [`BATCH`], or the
/// members of a page. The type of each is its `resourceType`, or else the name of its element. At most `most` of them.
///
/// # Errors
/// Why the file is no XML that is read here. What has no place in a document is reported with the document.
pub fn documents(bytes: &[u8], most: usize) -> Result<Vec<Document>, XmlFault> {
    let text = decode::decode(bytes, None)?;
    read::documents(&text, most)
}
