//! Reading, over a small registry of its own (the fixture of docs/dialect.md, *Conformance cases*),
//! on SQLite and, in a full run, on PostgreSQL.

mod caller;
mod changes;
mod dialect;
mod documents;
mod fixture;
mod jobs;
mod joins;
mod laws;
mod paging;
mod read_cache;
mod reading;
mod rights;
mod statements;
