//! Headings, cells and columns: what they mean, and what they never become.

mod formats;
mod headings;
mod meanings;
mod notation;
mod numbers;
mod parents;
mod units;
mod values;
