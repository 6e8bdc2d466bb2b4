//! Queries: conditions, order and paging over declared fields. The store compiles them into
//! statements. The rights of the caller are checked above, in `ops`.

mod filter;
pub mod qs;

pub use filter::{Cmp, Filter, Order, OrderHop, Pointing};
