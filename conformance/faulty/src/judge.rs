//! Judges clients by their requests, and by the answers that they had received before.
//!
//! A client is an account. Its requests since the start are read in order. What it can still do is
//! not held against it: the page that was answered last is not yet lost.

use crate::named::named;
use crate::watch::Exchange;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

named! {
    /// What a client did wrong, or could do better.
    Conduct {
        /// It never follows the link to the next page.
        NextNotFollowed,
        /// It left out a page: of a list, of a feed, or one that broke off.
        PageLost,
        /// It built an address of a page that it was not given.
        NextBuilt,
        /// It came back before the time that an answer 429 stated.
        RetryAfterIgnored,
        /// It went on with a token of a page that had broken off.
        TokenTooEarly,
        /// It used a token that it was not given for this data set.
        TokenNotGiven,
        /// An answer demanded a new beginning, and it went on.
        FullSyncIgnored,
        /// It asks without the tag that it has.
        NoCondition,
        /// It asks more often than the server hints.
        PolledTooFast,
        /// It sends stored elements once more, because others were refused.
        BatchResent,
    }
}

impl Conduct {
    /// Whether it harms speed only: the other kinds lose data or break the rules.
    #[must_use]
    pub const fn is_hint(self) -> bool {
        matches!(self, Self::NoCondition | Self::PolledTooFast | Self::BatchResent)
    }

    /// What it means, and how to correct it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NextNotFollowed => {
                "All but the first page of each list is missing. Follow view.next until there is none."
            }
            Self::PageLost => {
                "Documents are missing. Read on until there is no next (lists), or no more changes \
                 (feeds), and ask again for a page that broke off."
            }
            Self::NextBuilt => {
                "The standard has no paging parameters. Take the link as it is; it carries what the \
                 server needs."
            }
            Self::RetryAfterIgnored => "Wait as many seconds as Retry-After tells before the next request.",
            Self::TokenTooEarly => {
                "Store a token only when its page was read to the end and its documents are stored; \
                 of a page that broke off nothing counts."
            }
            Self::TokenNotGiven => {
                "Tokens are opaque. Use them as they came, and only for the data set that gave them."
            }
            Self::FullSyncIgnored => {
                "icar-full-sync: true means: drop the data set and its tokens, and call changes \
                 without since."
            }
            Self::NoCondition => "Send the ETag back in If-None-Match: 304 costs neither of you anything.",
            Self::PolledTooFast => "Ask again after the seconds that Poll-Interval tells.",
            Self::BatchResent => "The others are stored: mend what was refused, and send that alone.",
        }
    }
}

/// A conduct of a client, and its first occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub conduct: Conduct,
    /// Whose client.
    pub account: String,
    /// How often.
    pub count: usize,
    /// The first time, for people.
    pub first: String,
}

/// Judges all clients; the worst conduct comes first.
#[must_use]
pub fn judge(log: &[Exchange]) -> Vec<Verdict> {
    let accounts: BTreeSet<&str> = log.iter().map(|one| one.account.as_str()).collect();
    let mut verdicts = Vec::new();
    for account in accounts {
        let own: Vec<&Exchange> = log.iter().filter(|one| one.account == account).collect();
        let mut case = Case::default();
        case.waits(&own);
        case.lists(&own);
        let sets: BTreeSet<&str> = own.iter().filter_map(|one| set_of(one)).collect();
        for set in sets {
            let feed = own.iter().copied().filter(|one| set_of(one) == Some(set));
            case.feed(&feed.collect::<Vec<_>>(), &own);
        }
        case.conditions(&own);
        case.batches(&own);
        let found = case.found.into_iter();
        verdicts.extend(found.map(|(conduct, (count, first))| Verdict {
            conduct,
            account: account.to_owned(),
            count,
            first,
        }));
    }
    verdicts.sort_by_key(|one| (one.conduct.is_hint(), one.conduct));
    verdicts
}

/// The data set whose changes were requested.
fn set_of(one: &Exchange) -> Option<&str> {
    let path = one.target.split('?').next()?.trim_end_matches('/');
    let (before, last) = path.rsplit_once('/')?;
    (last == "changes").then(|| before.rsplit('/').next())?
}

/// A link as the client would ask for it: path and query.
fn target(link: &str, base: &str) -> String {
    let path = base.split('?').next().unwrap_or_default();
    match link.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/").to_owned(),
        None if link.starts_with('?') => format!("{path}{link}"),
        None => link.to_owned(),
    }
}

fn whole(one: &Exchange) -> bool {
    one.status == 200 && !one.demands.cut
}

#[derive(Default)]
struct Case {
    found: BTreeMap<Conduct, (usize, String)>,
}

impl Case {
    fn tell(&mut self, conduct: Conduct, first: String) {
        let entry = self.found.entry(conduct).or_insert((0, first));
        entry.0 += 1;
    }

    fn waits(&mut self, own: &[&Exchange]) {
        /// Clocks and wires are not exact.
        const TOLERANCE: Duration = Duration::from_millis(50);
        for (at, one) in own.iter().enumerate() {
            let Some(seconds) = one.demands.retry_after.filter(|_| one.status == 429) else {
                continue;
            };
            let until = one.answered + Duration::from_secs(seconds);
            let mut later = own.iter().skip(at + 1).filter(|next| next.arrived > one.answered);
            if let Some(next) = later.find(|next| next.arrived + TOLERANCE < until) {
                let after = next.arrived.duration_since(one.answered).as_secs_f64();
                let target = &next.target;
                let words = format!("{target} came {after:.1} s after it was told to wait {seconds} s");
                self.tell(Conduct::RetryAfterIgnored, words);
            }
        }
    }

    fn lists(&mut self, own: &[&Exchange]) {
        let mut given: BTreeSet<String> = BTreeSet::new();
        let mut by_target: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, one) in own.iter().enumerate() {
            by_target.insert(&one.target, at);
        }
        let (mut followed, mut lost): (usize, Vec<String>) = (0, Vec::new());
        for (at, one) in own.iter().enumerate() {
            let list = one.demands.list || one.target.contains("/locations");
            if list && paged(&one.target) && !given.contains(&one.target) {
                self.tell(Conduct::NextBuilt, format!("{} was not given", one.target));
            }
            if !one.demands.list {
                continue;
            }
            let last = at + 1 == own.len();
            let links = one.demands.links.iter().map(|link| target(link, &one.target));
            if whole(one) {
                given.extend(links);
            }
            let path = one.target.split('?').next().unwrap_or_default();
            let repeated = own.iter().skip(at + 1).any(|later| {
                later.target == one.target || later.target.split('?').next() == Some(path) && !paged(&later.target)
            });
            if one.demands.cut {
                if !last && !repeated {
                    let target = &one.target;
                    lost.push(format!("{target} broke off, and was not asked for again"));
                }
                continue;
            }
            let Some(next) = one.demands.next.as_deref().filter(|_| one.status == 200) else {
                continue;
            };
            let next = target(next, &one.target);
            match by_target.get(next.as_str()) {
                Some(_) => followed += 1,
                None if last => {}
                None => lost.push(format!("{} has a next page, which was not asked for", one.target)),
            }
        }
        let conduct = match followed {
            0 => Conduct::NextNotFollowed,
            _ => Conduct::PageLost,
        };
        for words in lost {
            let broke = words.contains("broke off");
            self.tell(if broke { Conduct::PageLost } else { conduct }, words);
        }
    }

    /// Judges the reads of a data set.
    fn feed(&mut self, feed: &[&Exchange], own: &[&Exchange]) {
        let mut given: BTreeSet<&str> = BTreeSet::new();
        let mut early: BTreeSet<&str> = BTreeSet::new();
        let mut anew = false;
        for (at, one) in feed.iter().enumerate() {
            let last = at + 1 == feed.len();
            let target = short(&one.target);
            if let Some(since) = one.since.as_deref() {
                if anew {
                    let words = format!("{target} goes on after icar-full-sync");
                    self.tell(Conduct::FullSyncIgnored, words);
                } else if early.contains(since) && !given.contains(since) {
                    let words = format!("{target} has the token of a page that broke off");
                    self.tell(Conduct::TokenTooEarly, words);
                } else if !given.contains(since) {
                    let words = format!("{target} has a token that was not given here");
                    self.tell(Conduct::TokenNotGiven, words);
                }
            }
            if one.status != 200 {
                continue;
            }
            anew = one.demands.full_sync && !one.demands.cut;
            let Some(token) = one.demands.token.as_deref() else {
                continue;
            };
            if one.demands.cut {
                early.insert(token);
                // The same page again, or the whole feed, or the mistake that is reported above.
                let repeated = feed.iter().skip(at + 1).any(|later| {
                    later.since == one.since || later.since.is_none() || later.since.as_deref() == Some(token)
                });
                if !last && !repeated {
                    let words = format!("{target} broke off, and was not asked for again");
                    self.tell(Conduct::PageLost, words);
                }
                continue;
            }
            given.insert(token);
            let on =
                feed.iter().skip(at + 1).any(|later| later.since.as_deref() == Some(token) || later.since.is_none());
            let final_act = own.last().is_some_and(|act| std::ptr::eq(*act, *one));
            if !one.demands.current && !one.demands.full_sync && !on && !final_act {
                let words = format!("{target} has more to come, which was not asked for");
                self.tell(Conduct::PageLost, words);
            }
        }
        for (one, next) in feed.iter().zip(feed.iter().skip(1)) {
            let Some(seconds) = one.demands.poll_interval.filter(|_| whole(one)) else {
                continue;
            };
            let pause = next.arrived.saturating_duration_since(one.answered);
            let pause = pause.as_secs_f64();
            if pause < seconds as f64 * 0.9 && !next.target.contains("wait=") {
                let target = short(&next.target);
                let words = format!("{target} came after {pause:.1} s instead of {seconds} s");
                self.tell(Conduct::PolledTooFast, words);
            }
        }
    }

    fn conditions(&mut self, own: &[&Exchange]) {
        let mut tags: BTreeMap<&str, &str> = BTreeMap::new();
        for one in own.iter().filter(|one| one.method == "GET") {
            if tags.contains_key(one.target.as_str()) && one.if_none_match.is_none() {
                let target = short(&one.target);
                let words = format!("{target} was asked for again without If-None-Match");
                self.tell(Conduct::NoCondition, words);
            }
            if let Some(tag) = one.demands.etag.as_deref().filter(|_| whole(one)) {
                tags.insert(&one.target, tag);
            }
        }
    }

    fn batches(&mut self, own: &[&Exchange]) {
        for (at, one) in own.iter().enumerate() {
            if one.demands.refused == 0 || one.demands.stored.is_empty() {
                continue;
            }
            let repeated = own.iter().skip(at + 1).any(|later| {
                later.target == one.target && one.demands.stored.iter().all(|name| later.sent.contains(name))
            });
            if repeated {
                let (target, stored, sent) = (&one.target, one.demands.stored.len(), one.sent.len());
                let words = format!("{target}: {stored} of {sent} elements were stored, and all were sent again");
                self.tell(Conduct::BatchResent, words);
            }
        }
    }
}

/// Whether an address asks for another page than the first.
fn paged(target: &str) -> bool {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let names = ["page", "after", "offset", "cursor", "skip", "start"];
    query.split('&').any(|pair| names.contains(&pair.split('=').next().unwrap_or_default()))
}

/// An address with long values cut.
fn short(target: &str) -> String {
    let cut = |pair: &str| -> String {
        let short: String = pair.chars().take(40).collect();
        if short.len() < pair.len() { format!("{short}…") } else { short }
    };
    match target.split_once('?') {
        Some((path, query)) => {
            let pairs: Vec<String> = query.split('&').map(cut).collect();
            format!("{path}?{}", pairs.join("&"))
        }
        None => target.to_owned(),
    }
}
