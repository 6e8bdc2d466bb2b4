//! The course of a package, from the file to its rows.

mod checks;
mod held_rows;
mod letters;
mod losses;
mod order;
mod replacement;
mod rights;
mod ways;
