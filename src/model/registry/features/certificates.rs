//! Fields of documents some of which are certificates about the record that the relation to animals names.

/// What a document is.
pub const KIND: &str = "type";
/// The words of it that are certificates.
pub const FORMS: [&str; 2] = ["zootechnicalCertificate", "pedigreeCertificate"];
/// What a certificate shows, which whoever sees it gets as a page and as PDF.
pub const SNAPSHOT: &str = "snapshot";
