//! The options of a run, and their defaults.

use std::time::Duration;

use crate::requirements::Class;

/// How the tester signs in.
#[derive(Clone, Default)]
pub enum Auth {
    /// Not at all.
    #[default]
    None,
    /// `Authorization: Bearer …`.
    Token(String),
    /// By posting address and password.
    Login {
        /// Address of the account.
        email: String,
        password: String,
    },
    /// By headers of its own, name and value.
    Headers(Vec<(String, String)>),
}

// Implemented by hand, so that no secret is written to a log.
impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token(…)",
            Self::Login { .. } => "Login(…)",
            Self::Headers(_) => "Headers(…)",
        })
    }
}

/// What the server is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// ADE 1.5.1.
    #[default]
    Standard,
    /// Besides, `docs/feed-profile.md`.
    FeedProfile,
}

/// How much of a server is read at most. A big server is not read completely; the report states what was left out.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Bounds {
    /// Pages of one collection.
    pub pages: usize,
    /// Pages of all collections together.
    pub pages_in_all: usize,
    /// Pages of one data set.
    pub feed_pages: usize,
    /// Pages of all data sets together.
    pub feed_pages_in_all: usize,
    /// Collections that the filters are tried on, each filter by itself.
    pub filtered: usize,
    /// Documents of one type that are sent to see what comes back.
    pub probes: usize,
    /// Documents of all types together.
    pub probes_in_all: usize,
    /// Characters of a body that the report shows.
    pub body: usize,
    /// Requests of the whole visit. Retractions of sent documents may exceed it.
    pub requests: u64,
    /// Bytes of all answers together.
    pub bytes: u64,
    /// Bytes of the collections and data sets that are held to be compared.
    pub held: usize,
    /// Seconds of the whole visit.
    pub seconds: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            pages: 25,
            pages_in_all: 200,
            feed_pages: 150,
            feed_pages_in_all: 500,
            filtered: 6,
            probes: 80,
            probes_in_all: 1_500,
            body: 4_000,
            requests: 20_000,
            bytes: 512 << 20,
            held: 48 << 20,
            seconds: 7_200,
        }
    }
}

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the standard's paths live, or the host.
    pub url: String,
    /// The account.
    pub auth: Auth,
    /// A second account, for rights.
    pub other: Auth,
    /// Where accounts sign in; found out if not given.
    pub login_path: Option<String>,
    /// Scheme and number of the location to look at; the fullest one otherwise.
    pub location: Option<(String, String)>,
    /// All, if none are named.
    pub classes: Vec<Class>,
    /// What the server is held to.
    pub profile: Profile,
    /// Whether documents may be sent (and taken back).
    pub allow_writes: bool,
    /// Requests per second at most; `None` for no bound.
    pub rate: Option<f64>,
    /// Longest time for a request.
    pub timeout: Duration,
    /// How long it may take until what was sent is listed.
    pub patience: Duration,
    /// How much is read.
    pub bounds: Bounds,
}

impl Options {
    /// A polite run that reads only.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            auth: Auth::None,
            other: Auth::None,
            login_path: None,
            location: None,
            classes: Vec::new(),
            profile: Profile::Standard,
            allow_writes: false,
            rate: Some(5.0),
            timeout: Duration::from_secs(30),
            patience: Duration::from_secs(10),
            bounds: Bounds::default(),
        }
    }

    /// Whether a class is to be run.
    #[must_use]
    pub fn wants(&self, class: Class) -> bool {
        self.classes.is_empty() || self.classes.contains(&class)
    }
}

/// Receives the progress of a run.
pub trait Progress: Send + Sync {
    /// A new stage begins; `steps` where their number is known.
    fn stage(&self, name: &str, steps: Option<u64>);
    /// A step of it is done.
    fn step(&self, what: &str);
}

/// Reports no progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn step(&self, _: &str) {}
}
