//! One server: its documents, its fault or awkward mode, and the rights of its accounts.

use crate::book::Book;
use crate::disturb::{Counts, Disturb};
use crate::fault::Fault;
use crate::mode::Mode;
use crate::seed::{LOCATION_SCHEME, LOCATIONS};
use crate::token;
use crate::watch::Exchange;
use crate::wire::answer::Problem;
use crate::wire::request::Request;
use serde_json::Value;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The account that sees every location.
pub const ASSOCIATION: &str = "association@stub.example";
/// The account that sees the first location alone.
pub const FARM: &str = "farm@stub.example";
/// The password of both.
pub const PASSWORD: &str = "stub-password";

/// The options of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The one thing that it does wrong.
    pub fault: Option<Fault>,
    /// Legal habits that differ from those of most servers.
    pub modes: Vec<Mode>,
    /// Members of a page of a list, unless the request says otherwise.
    pub page: usize,
    /// Elements of a page of changes, unless the request says otherwise.
    pub changes: usize,
    /// Every n-th reading request is answered 429.
    pub busy_every: Option<u64>,
    /// Disturbances that a tested client must survive.
    pub disturb: Disturb,
    /// Where to listen; by default any free port of the loopback interface.
    pub listen: std::net::SocketAddr,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fault: None,
            modes: Vec::new(),
            page: 10,
            changes: 100,
            busy_every: None,
            disturb: Disturb::default(),
            listen: std::net::SocketAddr::from(([127, 0, 0, 1], 0)),
        }
    }
}

/// A server without its connection.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) options: Options,
    book: Mutex<Book>,
    /// Informs waiting requests that something changed.
    pub(crate) changed: watch::Sender<u64>,
    /// How many requests came.
    pub(crate) requests: AtomicU64,
    log: Mutex<Vec<Exchange>>,
    pub(crate) counts: Counts,
}

impl World {
    pub(crate) fn new(options: Options) -> Self {
        let last_wins = options.modes.contains(&Mode::LastComesWins);
        let book = Book::new(options.fault, last_wins);
        Self {
            changed: watch::Sender::new(book.change()),
            book: Mutex::new(book),
            options,
            requests: AtomicU64::new(0),
            log: Mutex::default(),
            counts: Counts::default(),
        }
    }

    /// Whether the server has this fault.
    pub(crate) fn is(&self, fault: Fault) -> bool {
        self.options.fault == Some(fault)
    }

    pub(crate) fn has(&self, mode: Mode) -> bool {
        self.options.modes.contains(&mode)
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Members of a page of a list.
    pub(crate) fn page_size(&self, request: &Request) -> usize {
        let wanted = request.number("pageSize");
        match self.has(Mode::TinyPages) {
            true => 3,
            false => wanted.unwrap_or(self.options.page).clamp(1, 200),
        }
    }

    /// The end of the addresses in links.
    pub(crate) fn slash(&self) -> &'static str {
        match self.has(Mode::TrailingSlashes) {
            true => "/",
            false => "",
        }
    }

    /// The account of the caller; a request without a valid token is refused.
    pub(crate) fn who(&self, request: &Request) -> Result<&'static str, Problem> {
        let sent = request.header("authorization").unwrap_or_default();
        let token = sent.split_once(' ').map_or("", |(_, token)| token.trim());
        let anyone = self.is(Fault::AnyoneMayRead) || (self.is(Fault::BadTokenAccepted) && !token.is_empty());
        let account = token::account(token).or(anyone.then_some(ASSOCIATION));
        account.ok_or_else(Problem::unauthorized)
    }

    /// Whether an account sees a place.
    pub(crate) fn sees(&self, who: &str, place: usize) -> bool {
        who == ASSOCIATION || place == 0
    }

    /// The place of scheme and number, if the caller sees it.
    pub(crate) fn place(&self, who: &str, scheme: &str, id: &str) -> Result<usize, Problem> {
        let found = LOCATIONS.iter().position(|place| place.id == id);
        let found = found.filter(|_| scheme == LOCATION_SCHEME || self.is(Fault::LocationSchemeIgnored));
        let found = found.ok_or_else(Problem::no_location)?;
        if self.sees(who, found) || self.is(Fault::RightsIgnored) {
            return Ok(found);
        }
        let mut problem = Problem::no_location();
        if self.is(Fault::ExistenceShown) {
            problem.status = 403;
            problem.detail = "This location is another's.".to_owned();
        }
        Err(problem)
    }

    /// The same for writing: faults that ignore rights are about reading.
    pub(crate) fn own_place(&self, who: &str, scheme: &str, id: &str) -> Result<usize, Problem> {
        let found = self.place(who, scheme, id)?;
        match self.sees(who, found) {
            true => Ok(found),
            false => Err(Problem::no_location()),
        }
    }

    /// The clock, epoch milliseconds.
    #[expect(clippy::disallowed_methods, reason = "the edge of the program: nothing that is tested depends on it")]
    pub(crate) fn now(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// Rewrites a body as the modes demand.
    pub(crate) fn shape(&self, value: Value) -> Value {
        self.options.modes.iter().fold(value, |value, mode| crate::mode::shaped(*mode, value))
    }
}
