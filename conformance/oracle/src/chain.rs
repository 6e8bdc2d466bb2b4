//! The laws that can be judged by a page alone and the resources that the client holds already.

use crate::profile::{Profile, Repeats};
use crate::violation::{Kind, Violation};
use crate::wire::{Answer, Key, Page, PageRequest, State};
use std::collections::BTreeMap;

/// The states of the resources that a client holds, tombstones included.
pub type Memory = BTreeMap<Key, State>;

/// A page and its violations. A client accepts the page in spite of them; an incomplete answer is not a page.
#[derive(Debug, Clone)]
pub struct Judged {
    /// As read.
    pub page: Page,
    /// In the order they were found.
    pub violations: Vec<Violation>,
}

/// A chain of pages, each requested with the token of the one before.
#[derive(Debug, Clone)]
pub struct Chain {
    profile: Profile,
    /// The latest time along the chain.
    last: Option<i128>,
}

impl Chain {
    /// A new chain: from the beginning, or from any token.
    #[must_use]
    pub const fn new(profile: Profile) -> Self {
        Self { profile, last: None }
    }

    /// A chain that continues where [`Chain::latest`] was noted.
    #[must_use]
    pub const fn resumed(profile: Profile, latest: Option<i128>) -> Self {
        Self { profile, last: latest }
    }

    /// Latest `meta.modified` along it, in nanoseconds since 1970.
    #[must_use]
    pub const fn latest(&self) -> Option<i128> {
        self.last
    }

    /// Judges a page against what the client holds from the pages before. [`Repeats::WhenBusy`]
    /// excuses all repeated states.
    ///
    /// # Errors
    /// [`Kind::Shape`] or [`Kind::Refused`]: there is no page to go on from.
    pub fn page(&mut self, request: &PageRequest, answer: &Answer, memory: &Memory) -> Result<Judged, Violation> {
        let page = Page::read(&self.profile, answer)?;
        Ok(self.judge(request, page, memory))
    }

    /// The same for a page that was read already.
    pub fn judge(&mut self, request: &PageRequest, page: Page, memory: &Memory) -> Judged {
        let mut violations = Vec::new();
        let mut tell = |kind, words: String| violations.push(Violation::new(kind, words));
        if page.full_sync && request.since.is_none() {
            let words = "asked to begin anew in answer to a beginning";
            tell(Kind::FullSyncLoop, words.to_owned());
        }
        if let Some(limit) = request.limit
            && page.resources.len() > limit
        {
            let words = format!("{} resources, asked for {limit}", page.resources.len());
            tell(Kind::Unbounded, words);
        }
        let second = request.since.as_deref() == Some(page.token.as_str());
        if second && !page.resources.is_empty() && !page.full_sync {
            let words = "a page with resources leads to itself: the token is the one asked with";
            tell(Kind::NoProgress, words.to_owned());
        }
        if self.profile.marks && page.current.is_none() && page.resources.is_empty() {
            let words = "an empty page does not say whether more is to come";
            tell(Kind::Unmarked, words.to_owned());
        }
        if page.full_sync {
            self.last = None;
        }
        let mut on_page: BTreeMap<&Key, State> = BTreeMap::new();
        for resource in &page.resources {
            let (key, new) = (&resource.key, resource.state);
            let here = on_page.insert(key, new);
            let before = here.or_else(|| memory.get(key).copied().filter(|_| !page.full_sync));
            if let Some(had) = before {
                if had == new && self.profile.repeats == Repeats::Never {
                    let words = format!("{key} came again as it was");
                    tell(Kind::Repeated, words);
                } else if let (Some(was), Some(is)) = (had.modified, new.modified)
                    && is < was
                {
                    let words = format!("{key} went back in time by {}", span(was - is));
                    tell(Kind::WentBack, words);
                }
            }
            if self.profile.times_ascend {
                if let (Some(last), Some(is)) = (self.last, new.modified)
                    && is < last
                {
                    let words = format!("{key} is {} older than what came before it", span(last - is));
                    tell(Kind::TimesWentBack, words);
                }
                self.last = self.last.max(new.modified);
            }
        }
        Judged { page, violations }
    }
}

fn span(nanoseconds: i128) -> String {
    format!("{} ms", nanoseconds / 1_000_000)
}
