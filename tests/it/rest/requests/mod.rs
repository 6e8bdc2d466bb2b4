//! Verification requests, and how an organisation joins the book.

mod approvals;
pub(crate) mod decisions;
mod held_back;
pub(crate) mod joining;
