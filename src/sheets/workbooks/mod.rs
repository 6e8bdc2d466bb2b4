//! Files of spreadsheets: XLSX, ODS and XLS, and the containers in which they are.

pub(crate) mod biff;
pub(crate) mod compound;
pub(crate) mod merges;
pub(crate) mod number_format;
pub(crate) mod ods;
pub(crate) mod xls;
pub(crate) mod xlsx;
pub(crate) mod xml;
pub(crate) mod zip;
