//! Verification requests, and how an organisation joins the book.

mod approvals;
mod decisions;
mod held_back;
pub(crate) mod joining;
