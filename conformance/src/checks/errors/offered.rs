//! The addresses that a server offers, as far as its answers show them.

use std::collections::BTreeSet;
use std::sync::Arc;

use url::Url;

use crate::client::Exchange;
use crate::visit::Visit;

/// Addresses whose answers show that the server offers them. Locations, data sets and documents are not distinguished:
/// an unknown location within a collection that is offered is refused by that collection.
pub(super) struct Offers<'v> {
    base: &'v Url,
    shapes: BTreeSet<String>,
}

impl<'v> Offers<'v> {
    pub(super) fn of(v: &'v Visit<'_>, exchanges: &[Arc<Exchange>]) -> Self {
        let mut offers = Self { base: &v.base, shapes: BTreeSet::new() };
        let shown = exchanges.iter().filter(|e| is_there(e));
        offers.shapes = shown.filter_map(|e| offers.shape(&e.url)).collect();
        offers
    }

    /// Whether an answer came from an address of the standard that the server offers.
    pub(super) fn has(&self, e: &Exchange) -> bool {
        self.shape(&e.url).is_some_and(|shape| self.shapes.contains(&shape))
    }

    /// The address below the base, with `*` for locations, data sets and documents; `None` for other addresses.
    fn shape(&self, url: &Url) -> Option<String> {
        let base = self.base.path().trim_end_matches('/');
        let below = url.path().strip_prefix(base)?;
        let ours = url.origin() == self.base.origin() && below.starts_with('/');
        let mut segments: Vec<&str> = below.split('/').filter(|s| !s.is_empty()).collect();
        // Servers at the root of a host have these beside the standard's paths.
        if !ours || segments.first() == Some(&".well-known") {
            return None;
        }
        let batch = usize::from(segments.first() == Some(&"batches"));
        let root = segments.get(batch).copied().unwrap_or_default();
        for (at, segment) in segments.iter_mut().enumerate().skip(batch) {
            let own = match root {
                "locations" => matches!(at - batch, 1 | 2 | 4..),
                "datasets" | "dataset" => at - batch == 1,
                _ => false,
            };
            if own {
                *segment = "*";
            }
        }
        Some(segments.join("/"))
    }
}

/// Whether only an existing address can have such an answer.
fn is_there(e: &Exchange) -> bool {
    let taken = (e.ok() && !e.disguised()) || e.status == 304;
    taken || matches!(e.status, 400 | 409 | 413 | 415 | 422)
}
