//! The words of pages, in English and Russian.

mod closed_records;
mod names;
mod notices;
mod partners;
mod russian;
