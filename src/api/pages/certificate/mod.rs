//! Pages of certificates: the public check, and the certificate for print (docs/certificates.md). All
//! values are text to the templates, which escape them.

pub(crate) mod check;
pub(crate) mod paper;
mod words;
