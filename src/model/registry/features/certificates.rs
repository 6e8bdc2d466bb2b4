//! Fields of documents some of which are certificates about the record that the relation to animals names.

/// What a document is.
pub const KIND: &str = "type";
/// The words of it that are certificates.
pub const FORMS: [&str; 2] = ["zootechnicalCertificate", "pedigreeCertificate"];
/// Its number.
pub const NUMBER: &str = "number";
/// The day of issue; empty: it is a draft.
pub const ISSUED: &str = "issuedAt";
/// When it was revoked, if it was.
pub const REVOKED: &str = "revoked.at";
/// Member of a condition that says by which form its owner asks for it: a field of requests or packages, and its word.
pub const REQUEST: &str = "request";
/// What a certificate shows, which whoever sees it gets as a page and as PDF.
pub const SNAPSHOT: &str = "snapshot";
