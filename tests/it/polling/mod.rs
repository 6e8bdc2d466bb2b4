//! Cheap polling: conditional requests, and answers that are given again (design, section 5).

mod conditional;
mod stale;
