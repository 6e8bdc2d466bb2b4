//! Following: page by page, from the server into the mirror.

use crate::error::{Error, Result};
use crate::mirror::{Mirror, Standing, Subject, Taken};
use crate::pace::Patience;
use crate::remote::{DataSet, Remote, SignIn};
use feed_oracle::{Chain, Page, PageRequest, Profile, Resource, Violation};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often in a row a server may ask the client to begin anew before the end is reached.
const BEGINNINGS: u32 = 5;
/// A call asks to wait for changes no longer than this, in seconds.
const LONGEST_WAIT: u64 = 60;

/// The promises that the server is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Herdbook Hub's promises, if the server describes itself at `/.well-known/ade`; otherwise the standard's.
    #[default]
    Auto,
    /// [`Profile::standard`].
    Standard,
    /// [`Profile::herdbook`].
    Herdbook,
}

/// The data set to follow, and the mirror for it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address of the server, of its ADE face or of its list of data sets.
    pub url: String,
    /// Name of the data set.
    pub set: String,
    /// The file.
    pub mirror: PathBuf,
    /// How the client signs in.
    pub sign_in: SignIn,
    /// The requirements that the server is judged by.
    pub level: Level,
    /// Resource types that are stored; all, if none are named.
    pub types: Vec<String>,
    /// The location (`scheme/id`) whose resources are stored; all, if none is named.
    pub location: Option<String>,
    /// Resources of a page; by default, as many as the server allows.
    pub page: Option<usize>,
    /// How long to wait before asking again when there is nothing more; longer, if the
    /// server says so (`Poll-Interval`, `Retry-After`).
    pub interval: Duration,
    /// How often to try again.
    pub patience: Patience,
}

impl Options {
    /// Copies a data set of a server into a file; without a sign-in, until one is set.
    pub fn new(url: impl Into<String>, set: impl Into<String>, mirror: impl Into<PathBuf>) -> Self {
        Self {
            url: url.into(),
            set: set.into(),
            mirror: mirror.into(),
            sign_in: SignIn::default(),
            level: Level::default(),
            types: Vec::new(),
            location: None,
            page: None,
            interval: Duration::from_secs(30),
            patience: Patience::default(),
        }
    }
}

/// A page that is in the mirror now, with the token that it gave.
#[derive(Debug, Clone)]
pub struct Applied {
    /// Resources on the page.
    pub resources: usize,
    /// Of them, those that are stored.
    pub stored: usize,
    /// Documents that were removed because a reading from the beginning, which ended here, did not mention them.
    pub removed: u64,
    /// Whether the mirror is current now.
    pub current: bool,
    /// Whether the server demanded a new beginning.
    pub anew: bool,
    /// What is wrong with the page.
    pub violations: Vec<Violation>,
    /// How long to wait before the next one.
    pub pause: Duration,
}

/// Follows a data set. Its position is in the mirror alone: a caller that drops a follower, or one
/// of its futures, at any moment, loses nothing and goes on from the last whole page.
#[derive(Debug)]
pub struct Follower {
    remote: Remote,
    found: DataSet,
    mirror: Mirror,
    profile: Profile,
    options: Options,
    beginnings: u32,
    /// Whether the last page said that there is nothing more.
    current: bool,
}

impl Follower {
    /// Finds the set, and opens or makes the mirror.
    ///
    /// # Errors
    /// [`Error::OtherMirror`] when the file mirrors something else; those of the connection,
    /// after the attempts of the options.
    pub async fn open(options: Options) -> Result<Self> {
        let mut remote = Remote::new(&options.url, options.sign_in.clone())?;
        if let Some(location) = &options.location
            && location.split_once('/').is_none_or(|(a, b)| a.is_empty() || b.is_empty())
        {
            let why = format!("{location} is no location: it must be <scheme>/<id>");
            return Err(Error::Input(why));
        }
        let mut failed = 0;
        let found = loop {
            match remote.find(&options.set).await {
                Err(Error::Later { why, after }) => {
                    failed += 1;
                    match options.patience.wait(failed, after) {
                        Some(wait) => sleep(wait).await,
                        None => return Err(Error::Later { why, after }),
                    }
                }
                other => break other?,
            }
        };
        let own = match options.level {
            Level::Standard => false,
            Level::Herdbook => true,
            Level::Auto => found.own,
        };
        let (profile, name) = match own {
            true => (Profile::herdbook_of(&options.set), "herdbook"),
            false => (Profile::standard(), "standard"),
        };
        let mut types = options.types.clone();
        types.sort_unstable();
        types.dedup();
        let subject = Subject {
            url: remote.address(),
            dataset: options.set.clone(),
            profile: name.to_owned(),
            choice: json!({"types": types, "location": options.location}).to_string(),
        };
        let mirror = Mirror::of(&options.mirror, &subject).await?;
        Ok(Self { remote, found, mirror, profile, options, beginnings: 0, current: false })
    }

    #[must_use]
    pub const fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// Name of the set.
    #[must_use]
    pub fn set(&self) -> &str {
        &self.found.name
    }

    /// Begins anew with the next page. The content of the mirror stays until the data set was read
    /// to its end; then documents that were not mentioned are removed in one step.
    ///
    /// # Errors
    /// [`Error::Mirror`]
    pub async fn begin_anew(&mut self) -> Result<()> {
        self.mirror.anew().await
    }

    /// Reads the next page; tries again, with pauses, when the server cannot answer.
    ///
    /// # Errors
    /// Every [`enum@Error`]; [`Error::Later`] after the attempts of the options.
    pub async fn next(&mut self) -> Result<Applied> {
        let mut failed = 0;
        loop {
            match self.attempt().await {
                Err(Error::Later { why, after }) => {
                    failed += 1;
                    match self.options.patience.wait(failed, after) {
                        Some(wait) => sleep(wait).await,
                        None => return Err(Error::Later { why, after }),
                    }
                }
                other => return other,
            }
        }
    }

    /// Reads pages until the mirror is current; returns the last one.
    ///
    /// # Errors
    /// Those of [`Follower::next`].
    pub async fn catch_up(&mut self) -> Result<Applied> {
        loop {
            let applied = self.next().await?;
            if applied.current {
                return Ok(applied);
            }
        }
    }

    /// Reads the next page with a single attempt.
    ///
    /// # Errors
    /// Every [`enum@Error`].
    pub async fn attempt(&mut self) -> Result<Applied> {
        let before = self.mirror.standing().await?;
        let limit = self.options.page.or(self.found.own.then_some(self.found.page));
        let wait = self.found.wait.map(|wait| wait.min(LONGEST_WAIT));
        let wait = wait.filter(|_| self.current);
        let began = Instant::now();
        let since = before.token.as_deref();
        let reply = self.remote.page(&self.found.changes, since, (limit, wait)).await;
        let reply = reply.map_err(|error| match error {
            Error::Refused(why) if before.token.is_some() => Error::Refused(format!(
                "the server refuses where the mirror stands: {why}; if that is right, begin anew"
            )),
            other => other,
        })?;
        // A page is accepted whole or not at all; a truncated one may come whole next time.
        let page = Page::read(&self.profile, &reply.answer).map_err(|violation| Error::later(violation.words))?;
        let request = PageRequest { since: before.token.clone(), limit };
        let applied = self.take(&before, &request, page).await?;
        self.current = applied.current;
        let waited = wait.is_some() && began.elapsed() >= Duration::from_secs(1);
        let pause = if !applied.current {
            Duration::ZERO
        } else if waited {
            reply.pause.unwrap_or_default()
        } else {
            self.options.interval.max(reply.pause.unwrap_or_default())
        };
        Ok(Applied { pause, ..applied })
    }

    async fn take(&mut self, before: &Standing, request: &PageRequest, page: Page) -> Result<Applied> {
        let anew = page.full_sync && before.token.is_some();
        let round = before.round + i64::from(anew);
        let mut chain = Chain::resumed(self.profile.clone(), before.latest);
        let held = self.mirror.held(round, &page.resources).await?;
        let judged = chain.judge(request, page, &held);
        let mut page = judged.page;
        let mut after = Standing {
            token: Some(page.token.clone()),
            round,
            whole: before.whole && !anew,
            latest: chain.latest(),
            pages: before.pages + 1,
            resources: before.resources,
        };
        let mut current = page.is_current();
        if anew {
            self.beginnings += 1;
            if self.beginnings > BEGINNINGS {
                return Err(Error::Refused(format!(
                    "the server asked {BEGINNINGS} times to begin anew before the end was reached"
                )));
            }
            if !self.profile.full_sync_begins {
                // The content of such a page is not defined: the data set is read from the beginning.
                page.resources.clear();
                after.token = None;
                after.latest = None;
                current = false;
            }
        }
        if current {
            self.beginnings = 0;
            after.whole = true;
        }
        after.resources += i64::try_from(page.resources.len()).unwrap_or(i64::MAX);
        let stored: Vec<&Resource> = page.resources.iter().filter(|r| self.keeps(r)).collect();
        let taken = Taken { resources: stored, violations: &judged.violations, after };
        let removed = self.mirror.apply(before, &taken).await?;
        Ok(Applied {
            resources: page.resources.len(),
            stored: taken.resources.len(),
            removed,
            current,
            anew,
            violations: judged.violations,
            pause: Duration::ZERO,
        })
    }

    fn keeps(&self, resource: &Resource) -> bool {
        let types = &self.options.types;
        let location = self.options.location.as_ref();
        (types.is_empty() || types.iter().any(|kind| kind == resource.kind()))
            && location.is_none_or(|location| *location == resource.location)
    }
}
