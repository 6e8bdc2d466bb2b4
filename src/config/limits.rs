//! The settings of the limits of clients.

use super::read::Reader;
use std::time::Duration;

/// What one client may ask for, and how much is worked on at a time; meanings and units: [`crate::KEYS`].
#[derive(Debug, Clone)]
pub struct Limits {
    pub read: u32,
    pub write: u32,
    pub bulk: u32,
    pub sign_in: u32,
    pub api_key: u32,
    pub concurrent: usize,
    /// Requests that are worked on at a time, in each request class; 0: any number; none: as many as suit the class.
    pub running: Option<usize>,
    pub queue_age: Duration,
    pub anonymous_time: Duration,
    pub statement_time: Duration,
    pub bulk_time: Duration,
    pub trusted_proxies: usize,
    pub processes: u32,
    pub connections: Connections,
    pub storage: u64,
    pub files: u64,
    pub records: u64,
    pub free_disk: u64,
    /// Rows of a list that are looked through without an index; 0: any number.
    pub list_rows: u64,
}

/// How many connections there may be, and how long they may take.
#[derive(Debug, Clone, Copy)]
pub struct Connections {
    /// In all; 0: as many as the process may open files for.
    pub most: usize,
    /// Of one address; 0: any number.
    pub by_address: usize,
    pub head: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// With an answer of which nothing is taken.
    pub stall: Duration,
    /// Requests at a time on one connection of HTTP/2.
    pub streams: u32,
}

/// Most bytes.
const BYTES_MAX: u64 = 1_000_000_000_000_000;
/// Most requests a minute.
const RATE_MAX: u64 = 10_000_000;

/// The keys that say what one client may ask for.
pub(super) fn read(r: &mut Reader<'_>) -> Option<Limits> {
    let running = match r.text("limits.running").is_empty() {
        true => None,
        false => Some(r.number("limits.running", &(0..=100_000))?),
    };
    let mut time = |key| r.number(key, &(1..=3_600)).map(Duration::from_secs);
    let (head, idle, stall) = (time("limits.head_time")?, time("limits.idle_time")?, time("limits.stall_time")?);
    Some(Limits {
        read: r.number("limits.read", &(0..=RATE_MAX))?,
        write: r.number("limits.write", &(0..=RATE_MAX))?,
        bulk: r.number("limits.bulk", &(0..=RATE_MAX))?,
        sign_in: r.number("limits.sign_in", &(0..=RATE_MAX))?,
        api_key: r.number("limits.api_key", &(1..=100))?,
        concurrent: r.number("limits.concurrent", &(0..=100_000))?,
        running,
        queue_age: Duration::from_secs(r.number("limits.queue_age", &(1..=60))?),
        anonymous_time: Duration::from_millis(r.number("limits.anonymous_time", &(1..=3_600_000))?),
        statement_time: Duration::from_millis(r.number("limits.statement_time", &(1..=3_600_000))?),
        bulk_time: Duration::from_secs(r.number("limits.bulk_time", &(1..=86_400))?),
        trusted_proxies: r.number("limits.trusted_proxies", &(0..=16))?,
        processes: r.number("limits.processes", &(1..=1_000))?,
        connections: Connections {
            most: r.number("limits.connections", &(0..=1_000_000))?,
            by_address: r.number("limits.connections_by_address", &(0..=1_000_000))?,
            head,
            idle,
            stall,
            streams: r.number("limits.streams", &(1..=10_000))?,
        },
        storage: r.number("limits.storage", &(0..=BYTES_MAX))?,
        files: r.number("limits.files", &(0..=RATE_MAX))?,
        records: r.number("limits.records", &(0..=RATE_MAX))?,
        free_disk: r.number("limits.free_disk", &(0..=BYTES_MAX))?,
        list_rows: r.number("limits.list_rows", &(0..=BYTES_MAX))?,
    })
}
