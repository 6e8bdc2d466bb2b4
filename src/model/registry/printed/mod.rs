//! The declarations in print: one line for each field, pages of the data model, and the page of all state machines.

mod dump;
mod pages;
mod states_page;

pub use pages::DataSet;
