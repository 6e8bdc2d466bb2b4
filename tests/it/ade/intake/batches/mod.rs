//! Batches: their cost, their results in the order of the request, and those that are answered later.

mod cost;
mod later;
mod results;
