//! Polling clients: metrics, the page `/exchange`, hints, log and traces.

mod hints;
mod metrics;
mod page;
mod program;
mod secrets;
mod stage;
mod traces;
