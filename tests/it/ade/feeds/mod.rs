//! Data sets and their change feeds.

mod ahead;
mod narrowed;
mod rendering;
mod retention;
mod sets;
mod simulated;
mod tokens;
mod waiting;
mod whole;
