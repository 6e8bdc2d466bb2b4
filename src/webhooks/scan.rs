//! Scans for changes: each document once, for all webhooks together.

use super::WebhookSender;
use super::outbox::{Outbox, RegistrationState};
use exchange::{EVERYTHING, LastChange, NoticeScope, set_number};
use model::error::Result;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Places in commit order that one scan covers.
const STRETCH: i64 = 20_000;
/// After this number of places without a change for any webhook, the place is stored all the same.
const UNNOTED: i64 = 100_000;

/// The last changes of a stretch, by whom they concern: one location or all, one data set or all.
#[derive(Debug, Default)]
struct Latest<'a>(BTreeMap<(Option<i64>, Option<&'a str>), i64>);

impl<'a> Latest<'a> {
    fn of(heads: &'a [LastChange]) -> Self {
        let mut latest = BTreeMap::new();
        for head in heads {
            let (location, dataset) = (Some(head.location), Some(head.dataset.as_str()));
            for key in [(location, dataset), (location, None), (None, dataset), (None, None)] {
                let last = latest.entry(key).or_insert(0);
                *last = head.seq.max(*last);
            }
        }
        Self(latest)
    }

    fn get(&self, location: Option<i64>, dataset: Option<&'a str>) -> Option<i64> {
        self.0.get(&(location, dataset)).copied()
    }
}

impl WebhookSender {
    /// Scans the changes since the last scan, and records in the book which webhooks they concern.
    /// True when there are more changes to scan.
    pub async fn scan(&self) -> Result<bool> {
        let Some(outbox) = &self.outbox else {
            return Ok(false);
        };
        let store = &self.book.store;
        // In this order: a webhook that was registered before a change within the stretch is in the list.
        let newest = self.exchange.feeds().newest(store).await?;
        let registrations = outbox.registrations(store).await?;
        if registrations.is_empty() {
            self.scanned.store(newest, Ordering::SeqCst);
            return Ok(false);
        }
        let stored = Outbox::scanned(store).await?;
        let scanned = self.scanned.load(Ordering::SeqCst);
        let first = registrations.iter().map(|one| one.seq).min();
        let after = match (scanned, stored) {
            (0.., _) => scanned,
            (_, Some(stored)) => stored,
            // No scan took place since the first webhook was registered.
            (_, None) => first.unwrap_or(newest).saturating_sub(1),
        };
        let after = after.min(newest);
        let upto = newest.min(after.saturating_add(STRETCH));
        let heads = if upto > after { self.exchange.feeds().heads(store, (after, upto)).await? } else { Vec::new() };
        let latest = Latest::of(&heads);
        let mut news = Vec::new();
        for one in &registrations {
            let noted = one.pending.max(one.delivered);
            let last = self.last(one, &latest, (after, upto), newest).await?;
            news.extend(last.filter(|last| *last > noted).map(|last| (one.id, last)));
        }
        let resends: Vec<(i64, i64)> =
            (registrations.iter().filter(|one| one.resend_mark != 0)).map(|one| (one.id, one.resend_mark)).collect();
        let unnoted = stored.is_none_or(|stored| upto.saturating_sub(stored) > UNNOTED);
        if unnoted || !news.is_empty() || !resends.is_empty() {
            outbox.note(store, news, resends, upto).await?;
        }
        self.scanned.store(upto, Ordering::SeqCst);
        Ok(upto < newest)
    }

    /// The last change that concerns a webhook: within the scanned stretch, or, when it was
    /// switched on again, since its last delivery.
    async fn last<'a>(
        &self,
        one: &'a RegistrationState,
        latest: &Latest<'a>,
        (after, upto): (i64, i64),
        newest: i64,
    ) -> Result<Option<i64>> {
        let location = one.organization;
        let dataset = (one.dataset != EVERYTHING).then_some(one.dataset.as_str());
        let scope = NoticeScope { location, dataset: &one.dataset };
        let store = &self.book.store;
        if one.resend_mark != 0 {
            // Others may be further already, and looked while it was off.
            let since = (one.delivered, newest);
            return self.exchange.feeds().last_change(store, scope, since).await;
        }
        if set_number(&one.dataset).is_none() {
            return Ok(latest.get(location, dataset));
        }
        // Sets of animals are read only when something changed where they are.
        match latest.get(location, None) {
            Some(_) => {
                let stretch = (after, upto);
                self.exchange.feeds().last_change(store, scope, stretch).await
            }
            None => Ok(None),
        }
    }
}
