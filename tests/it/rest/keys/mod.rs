//! API keys: what they may do, and what they may not change.

mod collection;
mod law;
mod machines;
