//! Reading: lists, exports, exact answers, and the cost of rows.

mod days;
mod documents;
mod forms;
mod laws;
mod many;
pub(crate) mod spreadsheets;
mod test_days;
mod views;
