//! Statistics of clients: how often each calls, and how far it has read. Counted in memory by client, face and hour,
//! and added to a table of the book by a task of the server once a minute, so that several processes of a book add up.
//! Answering a request waits for none of it.
//!
//! The table is no data of the book: rows written here take no place in commit order, and are
//! deleted after [`RETENTION`]. A process that is killed loses its last minute.
//!
//! Must know neither HTTP nor the standard.

mod book;

pub use book::{Hour, Reading, Sum, Totals};

use indexmap::IndexMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An hour, milliseconds.
pub const HOUR: i64 = 3_600_000;
/// How long hours are stored, milliseconds.
pub const RETENTION: i64 = 30 * 24 * HOUR;
/// Clients, faces and hours that are held at a time; requests beyond that count for an unknown client.
const CLIENTS_MAX: usize = 10_000;
/// Longest stored name of a client's program, bytes.
const AGENT: usize = 120;

/// Kinds of callers: few, so that they can name series of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    #[default]
    Anonymous,
    Farm,
    Association,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::Anonymous, Self::Farm, Self::Association];

    /// As numbers and answers call it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::Farm => "farm",
            Self::Association => "association",
        }
    }

    fn read(word: &str) -> Self {
        let class = Self::ALL.into_iter().find(|class| class.word() == word);
        class.unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Client {
    pub class: Class,
    /// The client's organisation.
    pub organization: Option<i64>,
    /// The client's account.
    pub user: Option<i64>,
    /// Whether an API key opened it, not a sign-in.
    pub by_key: bool,
}

/// How far a page of a feed brought a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedProgress {
    pub dataset: Arc<str>,
    /// The sequence number of the token that it carries.
    pub seq: i64,
}

#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    pub client: Client,
    pub face: &'static str,
    pub status: u16,
    /// Whether it requested data.
    pub poll: bool,
    /// Method and matched route.
    pub what: (&'static str, &'a str),
    /// The name of the client's program, from `User-Agent`.
    pub agent: Option<&'a str>,
    /// When, epoch milliseconds.
    pub now: i64,
}

/// Hour, client, face.
type Key = (i64, Client, &'static str);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub requests: i64,
    pub polls: i64,
    /// Requests whose data the client had already (304).
    pub not_modified: i64,
    /// Refused requests, including those over a limit, and faults of the service.
    pub errors: i64,
    /// Requests over a limit (429).
    pub limited: i64,
    /// The last request, epoch milliseconds.
    pub last: i64,
    /// The last refusal: status, method, matched route.
    pub last_error: Option<String>,
    /// The client's program.
    pub agent: Option<String>,
}

impl Counts {
    fn count(&mut self, one: &Answered<'_>) {
        let yes = i64::from;
        self.requests += 1;
        self.polls += yes(one.poll);
        self.not_modified += yes(one.status == 304);
        self.errors += yes(one.status >= 400);
        self.limited += yes(one.status == 429);
        self.last = self.last.max(one.now);
        if one.status >= 400 {
            let (method, route) = one.what;
            self.last_error = Some(format!("{} {method} {route}", one.status));
        }
        if let Some(agent) = one.agent
            && self.agent.as_deref() != Some(shortened(agent))
        {
            self.agent = Some(shortened(agent).to_owned());
        }
    }

    /// Adds others, which may be later ones.
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.polls += other.polls;
        self.not_modified += other.not_modified;
        self.errors += other.errors;
        self.limited += other.limited;
        let later = other.last >= self.last;
        self.last = self.last.max(other.last);
        for (mine, theirs) in [(&mut self.last_error, &other.last_error), (&mut self.agent, &other.agent)] {
            if theirs.is_some() && (later || mine.is_none()) {
                mine.clone_from(theirs);
            }
        }
    }
}

/// A text without zero characters, which no database takes, cut to the length that is stored.
fn shortened(text: &str) -> &str {
    let plain = text.split('\0').next().unwrap_or_default();
    let mut end = plain.len().min(AGENT);
    while !plain.is_char_boundary(end) {
        end -= 1;
    }
    plain.get(..end).unwrap_or_default()
}

/// The reader of a data set: account, organisation, data set.
type Reader = (i64, i64, Arc<str>);

/// How far a client has read: sequence number and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    seq: i64,
    at: i64,
}

#[derive(Debug, Default)]
struct Memory {
    counts: IndexMap<Key, Counts>,
    progress: IndexMap<Reader, Position>,
    /// The hour in which old rows were looked for last.
    swept: i64,
}

/// What was counted and is not written yet.
#[derive(Debug, Default)]
pub struct Traffic {
    memory: Mutex<Memory>,
    /// Held while counts are written, so that the shutdown waits for that too.
    writing: tokio::sync::Mutex<()>,
}

impl Traffic {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clients, faces and hours that are held.
    pub fn clients(&self) -> usize {
        self.memory().counts.len()
    }

    pub fn count(&self, one: Answered<'_>, progress: Option<FeedProgress>) {
        let hour = one.now - one.now.rem_euclid(HOUR);
        let key = (hour, one.client, one.face);
        let mut memory = self.memory();
        if let Some(counts) = memory.counts.get_mut(&key) {
            counts.count(&one);
        } else {
            let full = memory.counts.len() >= CLIENTS_MAX;
            let key = match full {
                true => (hour, Client::default(), one.face),
                false => key,
            };
            memory.counts.entry(key).or_default().count(&one);
        }
        let (Some(progress), Some(user)) = (progress, one.client.user) else {
            return;
        };
        // The Association reads all locations, regardless of the organisation of its users.
        let mine = (one.client.organization).filter(|_| one.client.class != Class::Association);
        if mine.is_none() && one.client.class != Class::Association {
            // Without an organisation there is no location to lag behind.
            return;
        }
        let reader = (user, mine.unwrap_or(0), progress.dataset);
        if memory.progress.len() < CLIENTS_MAX || memory.progress.contains_key(&reader) {
            let position = Position { seq: progress.seq, at: one.now };
            memory.progress.insert(reader, position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(user: i64, status: u16) -> Answered<'static> {
        Answered {
            client: Client { class: Class::Farm, organization: Some(1), user: Some(user), by_key: false },
            face: "ade",
            status,
            poll: true,
            what: ("GET", "/ade/v1/locations"),
            agent: Some("robot/1"),
            now: 2 * HOUR + 5,
        }
    }

    #[test]
    fn requests_are_counted_by_client_and_hour() {
        let traffic = Traffic::default();
        for status in [200, 304, 429, 500] {
            traffic.count(one(7, status), None);
        }
        let memory = traffic.memory();
        let ((hour, client, face), counts) = memory.counts.first().unwrap();
        assert_eq!((*hour, client.user, *face), (2 * HOUR, Some(7), "ade"));
        assert_eq!(
            *counts,
            Counts {
                requests: 4,
                polls: 4,
                not_modified: 1,
                errors: 2,
                limited: 1,
                last: 2 * HOUR + 5,
                last_error: Some("500 GET /ade/v1/locations".to_owned()),
                agent: Some("robot/1".to_owned()),
            }
        );
    }

    #[test]
    fn more_clients_than_fit_count_for_nobody() {
        let traffic = Traffic::default();
        let most = i64::try_from(CLIENTS_MAX).unwrap();
        for user in 1..=most + 10 {
            traffic.count(one(user, 200), None);
        }
        let all = traffic.memory();
        assert_eq!(all.counts.len(), CLIENTS_MAX + 1);
        let nobody = all.counts.get(&(2 * HOUR, Client::default(), "ade"));
        assert_eq!(nobody.unwrap().requests, 10);
    }

    #[test]
    fn a_program_has_a_short_name() {
        let long = "ä".repeat(200);
        assert_eq!(shortened(&long).chars().count(), AGENT / 2);
        assert_eq!(shortened("a\0b"), "a");
    }
}
