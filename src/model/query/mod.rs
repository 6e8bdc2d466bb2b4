//! What is asked: conditions, order and paging over declared fields. The store compiles
//! them into statements. Who may ask what is decided above, in `ops`.

mod filter;
pub mod qs;

pub use filter::{Cmp, Filter, Order, OrderHop, Pointing};
