//! Pages of packages and certificates.

mod certificates;
mod comments;
mod mended;
mod review;
