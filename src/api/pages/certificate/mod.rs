//! Pages of certificates: the public check, and the certificate for print, as a page and as PDF (docs/certificates.md). All
//! values are text to the templates, which escape them.

pub(crate) mod check;
pub(crate) mod paper;
pub(crate) mod sheet;
pub(super) mod words;
