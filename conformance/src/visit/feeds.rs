//! Data sets, from their beginning.

use std::collections::BTreeMap;
use std::sync::Arc;

use feed_oracle::{Answer, Chain, FULL_SYNC, Key, Kind, PageRequest, State, Violation};
use serde_json::Value;
use url::Url;

use super::{Visit, with};
use crate::client::{Ask, Exchange, Who};
use crate::options::Profile;

/// A data set of the list.
#[derive(Debug, Clone)]
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) url: Option<Url>,
    pub(crate) changes: Option<Url>,
    pub(crate) types: Vec<String>,
}

/// A page of a feed, read leniently.
#[derive(Debug, Clone)]
pub(crate) struct FeedPage {
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) since: Option<String>,
    /// Between context and continuation.
    pub(crate) elements: Vec<Value>,
    pub(crate) token: Option<String>,
    /// The last element.
    pub(crate) continuation: Value,
    pub(crate) has_context: bool,
    pub(crate) is_array: bool,
    pub(crate) full_sync: bool,
}

impl FeedPage {
    pub(crate) fn read(exchange: Arc<Exchange>, since: Option<&str>) -> Self {
        let full_sync = exchange.header(FULL_SYNC).is_some_and(|v| v.trim().eq_ignore_ascii_case("true"));
        let read = exchange.read();
        let is_array = read.as_ref().is_some_and(Value::is_array);
        let mut elements = match read {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        let named = |v: &Value, name: &str| v.get("id").and_then(Value::as_str) == Some(name);
        let has_context = elements.first().is_some_and(|v| named(v, "@context"));
        if has_context {
            elements.remove(0);
        }
        let mut continuation = Value::Null;
        if elements.last().is_some_and(|v| named(v, "@continuation")) {
            continuation = elements.pop().unwrap_or_default();
        }
        let token = continuation.get("token").and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
        Self {
            exchange,
            since: since.map(str::to_owned),
            elements,
            token,
            continuation,
            has_context,
            is_array,
            full_sync,
        }
    }

    pub(crate) fn current(&self) -> Option<bool> {
        self.continuation.get("current").and_then(Value::as_bool)
    }

    pub(crate) fn answer(&self) -> Answer {
        answer(&self.exchange)
    }
}

/// The form that the oracle reads.
pub(crate) fn answer(exchange: &Exchange) -> Answer {
    let headers = exchange.headers.iter().map(|(n, v)| (n.as_str(), v.as_str()));
    Answer::new(exchange.status, headers, exchange.body.clone())
}

/// A data set, read from its beginning.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) set: DataSet,
    pub(crate) pages: Vec<FeedPage>,
    /// Whether a page without resources came.
    pub(crate) complete: bool,
    /// Whether reading stopped because the bounds were reached.
    pub(crate) cut: bool,
    /// The state of a client that replaces documents by their pair.
    pub(crate) states: BTreeMap<Key, State>,
    /// The violations that the oracle found, with their pages.
    pub(crate) violations: Vec<(usize, Violation)>,
    /// An answer that is no page.
    pub(crate) refused: Option<Arc<Exchange>>,
}

impl Reading {
    pub(crate) fn last_token(&self) -> Option<&str> {
        self.pages.last()?.token.as_deref()
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = &Value> {
        // Elements before a full sync are dropped.
        let from = self.pages.iter().rposition(|p| p.full_sync).unwrap_or(0);
        self.pages.iter().skip(from).flat_map(|p| &p.elements)
    }

    /// Live documents at their last state, by key.
    pub(crate) fn live(&self) -> BTreeMap<String, &Value> {
        let mut live = BTreeMap::new();
        for element in self.elements() {
            let key = crate::document::key(element);
            if crate::document::deleted(element) {
                live.remove(&key);
            } else {
                live.insert(key, element);
            }
        }
        live
    }
}

impl Visit<'_> {
    /// The data sets of the list, as far as they can be read.
    pub(crate) fn sets(&self) -> Vec<DataSet> {
        let Some(list) = &self.datasets else {
            return Vec::new();
        };
        self.sets_of(list)
    }

    pub(crate) fn sets_of(&self, list: &Exchange) -> Vec<DataSet> {
        let Some(Value::Array(all)) = list.json() else {
            return Vec::new();
        };
        all.iter()
            .filter_map(|one| {
                let text = |name: &str| one.get(name).and_then(Value::as_str);
                let types = one.get("containedTypes").or(one.get("containsTypes"));
                let types = types
                    .and_then(Value::as_array)
                    .map_or_else(Vec::new, |t| t.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect());
                let url = |name: &str| text(name).and_then(|link| self.link(list, link)).filter(|url| self.ours(url));
                Some(DataSet { name: text("name")?.to_owned(), url: url("url"), changes: url("changes"), types })
            })
            .collect()
    }

    pub(crate) fn oracle(&self, set: &str) -> feed_oracle::Profile {
        match self.options.profile {
            Profile::Standard => feed_oracle::Profile::standard(),
            Profile::FeedProfile => feed_oracle::Profile::herdbook_of(set),
        }
    }

    /// A page of changes, as that account.
    pub(crate) async fn changes(
        &self,
        set: &DataSet,
        since: Option<&str>,
        parameters: &[(&str, &str)],
        who: Who,
    ) -> Option<FeedPage> {
        let mut url = set.changes.clone()?;
        if let Some(token) = since {
            url = with(&url, &[("since", token)]);
        }
        if !parameters.is_empty() {
            url = with(&url, parameters);
        }
        let exchange = self.client.send(Ask::get(&url).by(who)).await;
        Some(FeedPage::read(exchange, since))
    }

    /// Every data set from its beginning, as far as the bounds allow.
    pub(crate) async fn readings(&self) -> &[Reading] {
        self.readings
            .get_or_init(|| async {
                let sets = self.sets();
                let total = u64::try_from(sets.len()).ok();
                self.progress.stage("Reading data sets", total);
                let mut remaining = self.options.bounds.feed_pages_in_all;
                let mut all = Vec::new();
                for set in sets {
                    // A list of data sets can be longer than the bounds allow to read.
                    if remaining == 0 || self.too_much() {
                        self.left_out.add("data sets: not all were read".to_owned());
                        break;
                    }
                    self.progress.step(&set.name);
                    let most = self.options.bounds.feed_pages.min(remaining.max(1));
                    let reading = self.read_set(set, most).await;
                    remaining = remaining.saturating_sub(reading.pages.len());
                    if reading.cut {
                        self.left_out.add(format!(
                            "data set {}: read to page {}, not to its end",
                            reading.set.name,
                            reading.pages.len()
                        ));
                    }
                    all.push(reading);
                }
                all
            })
            .await
    }

    async fn read_set(&self, set: DataSet, most: usize) -> Reading {
        let mut chain = Chain::new(self.oracle(&set.name));
        let mut reading = Reading {
            set,
            pages: Vec::new(),
            complete: false,
            cut: false,
            states: BTreeMap::new(),
            violations: Vec::new(),
            refused: None,
        };
        let mut since: Option<String> = None;
        loop {
            if reading.pages.len() >= most || self.too_much() {
                reading.cut = true;
                break;
            }
            let page = self.changes(&reading.set, since.as_deref(), &[], Who::Main).await;
            let Some(page) = page else { break };
            if page.exchange.unsent {
                reading.cut = true;
                break;
            }
            self.hold(page.exchange.body.len());
            if page.exchange.status != 200 || !page.is_array {
                reading.refused = Some(page.exchange);
                break;
            }
            let at = reading.pages.len();
            let request = PageRequest { since: since.clone(), limit: None };
            match chain.page(&request, &page.answer(), &reading.states) {
                Ok(judged) => {
                    if judged.page.full_sync {
                        reading.states.clear();
                    }
                    let states = judged.page.resources.iter();
                    reading.states.extend(states.map(|r| (r.key.clone(), r.state)));
                    let broken = judged.violations.into_iter().map(|v| (at, v));
                    reading.violations.extend(broken);
                }
                // The checks look at the shape of each page themselves.
                Err(violation) if violation.kind == Kind::Shape => {}
                Err(violation) => reading.violations.push((at, violation)),
            }
            let (empty, token) = (page.elements.is_empty(), page.token.clone());
            let stuck = token.is_none() || (token == since && !empty);
            let more = page.current() == Some(false) && token != since;
            reading.pages.push(page);
            if empty && !more {
                reading.complete = true;
                break;
            }
            if stuck {
                break;
            }
            since = token;
        }
        reading
    }
}
