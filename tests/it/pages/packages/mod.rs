//! Pages of packages and certificates.

mod certificates;
mod mended;
mod review;
