//! A model of servers and readers: schedules of writes, reads, grants, restarts and restored
//! backups, each made of its seed alone, and judged by the oracle page by page.

pub(crate) mod fault;
mod schedule;
mod server;

pub(crate) use schedule::{Run, run};
pub(crate) use server::Style;
