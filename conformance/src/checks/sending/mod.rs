//! Sends invented documents, and retracts them.

mod templates;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ade::catalog::{CollectionEntry, Verb};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

pub(super) use self::templates::REQUIRED;
use self::templates::{TEMPLATES, Template};
use crate::client::{Ask, Exchange};
use crate::clock;
use crate::compare::{self, Kind};
use crate::document;
use crate::tally::Tally;
use crate::visit::seeded::SOURCE;
use crate::visit::{DataSet, Page, Visit, encoded, with};

/// Of lists longer than this, only new documents are requested.
const SHORT: usize = 8;

/// Whether documents may be sent; otherwise the requirements of the check are skipped.
pub(super) fn allowed(visit: &Visit<'_>, t: &mut Tally<'_>) -> bool {
    if !visit.options.allow_writes {
        t.skip_all("documents are sent with --allow-writes only");
    }
    visit.options.allow_writes
}

/// Sends documents of one type, and remembers them.
pub(super) struct Courier<'v> {
    pub(super) visit: &'v Visit<'v>,
    pub(super) entry: &'static CollectionEntry,
    /// The beginning of the numbers of its documents.
    pub(super) run: String,
    began: String,
    whole_list: bool,
    sent: Mutex<BTreeMap<String, Value>>,
}

/// Invents documents of one type, and sends them.
pub(super) struct Sender<'v> {
    courier: Courier<'v>,
    pub(super) template: &'static Template,
    animal: (String, String),
    /// Seconds, so that the documents of several senders differ.
    salt: i64,
    next: AtomicUsize,
}

impl<'v> Deref for Sender<'v> {
    type Target = Courier<'v>;

    fn deref(&self) -> &Self::Target {
        &self.courier
    }
}

impl<'v> Sender<'v> {
    /// A sender for the first type that the server accepts. If there is none, the requirements of
    /// the check are skipped, or not offered.
    pub(super) async fn hire(visit: &'v Visit<'v>, t: &mut Tally<'_>, verb: Verb, word: &str) -> Option<Self> {
        if !allowed(visit, t) {
            return None;
        }
        let sender = Self::accepted(visit, verb, word).await;
        sender.map_err(|why| t.none_offered(&why)).ok()
    }

    /// A sender of single documents, and the data set of their type.
    pub(super) async fn with_set(visit: &'v Visit<'v>, t: &mut Tally<'_>, word: &str) -> Option<(Self, DataSet)> {
        if allowed(visit, t) && visit.datasets.is_none() {
            t.none_offered("data sets are not offered");
            return None;
        }
        let sender = Self::hire(visit, t, Verb::Post, word).await?;
        let Some(set) = sender.set() else {
            sender.clean().await;
            t.none_offered("no data set has the type that the server takes");
            return None;
        };
        Some((sender, set))
    }

    async fn accepted(visit: &'v Visit<'v>, verb: Verb, word: &str) -> Result<Self, String> {
        if visit.place.is_none() {
            return Err("no location is known to send to".to_owned());
        }
        let animal = animal(visit).ok_or("no animal of the location is known")?;
        let mut refused = String::new();
        for template in TEMPLATES {
            let offered = visit.pages().find(|(entry, _)| entry.name == template.collection && entry.allows(verb));
            let Some((entry, page)) = offered else {
                continue;
            };
            let sender = Self {
                courier: Courier::new(visit, entry, page, word),
                template,
                animal: animal.clone(),
                salt: i64::from(clock::now().subsec_nanosecond()) / 1_000 % 3_600,
                next: AtomicUsize::new(0),
            };
            let one = sender.document();
            let e = match verb {
                Verb::Batch => sender.batch(std::slice::from_ref(&one)).await,
                _ => sender.post(&one).await,
            };
            let has_fault = e.json().is_some_and(|v| has_error(v.pointer("/0")));
            if e.ok() && !has_fault {
                return Ok(sender);
            }
            refused = format!("{}: status {}", template.collection, e.status);
            // Other servers may store what they refuse.
            sender.clean().await;
        }
        Err(if refused.is_empty() {
            "nothing that the tester can make up is taken here".to_owned()
        } else {
            format!("the server takes nothing that the tester made up ({refused})")
        })
    }

    /// A valid document under a pair of its own.
    pub(super) fn document(&self) -> Value {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let hours = i64::try_from(n).unwrap_or_default() + 30;
        // Two days ago and more, so that no time zone makes it the future.
        let time = clock::now().as_second() / 3_600 * 3_600 - hours * 3_660 - self.salt;
        let event = jiff::Timestamp::from_second(time).map(|t| t.to_string());
        let mut one = (self.template.make)();
        let (scheme, id) = &self.animal;
        if let Some(members) = one.as_object_mut() {
            members.insert("resourceType".to_owned(), json!(self.entry.resource));
            members.insert("animal".to_owned(), json!({"scheme": scheme, "id": id}));
            members.insert("eventDateTime".to_owned(), json!(event.unwrap_or_default()));
            if let Some(start) = self.template.start {
                let event = members.get("eventDateTime").cloned().unwrap_or_default();
                members.insert(start.to_owned(), event);
            }
            if let Some(place) = &self.visit.place {
                members.insert("location".to_owned(), place.identifier());
            }
            let meta = json!({
                "source": SOURCE,
                "sourceId": format!("{}-{n}", self.run),
                "modified": clock::milliseconds(),
            });
            members.insert("meta".to_owned(), meta);
        }
        one
    }

    /// The list once it has a correction alone, and whether it does; otherwise when patience ends.
    pub(super) async fn corrected(&self, one: &Value, number: f64) -> (Vec<Value>, bool) {
        let at = self.template.number;
        let new = |one: &Value| one.pointer(at).and_then(Value::as_f64) == Some(number);
        let fits = |all: &[Value]| all.len() == 1 && all.iter().all(new);
        let all = self.until(one, fits).await;
        let alone = fits(&all);
        (all, alone)
    }

    /// The numbers of documents, in words.
    pub(super) fn numbers(&self, all: &[Value]) -> String {
        let numbers = all.iter().map(|one| one.pointer(self.template.number));
        format!("{:?}", numbers.collect::<Vec<_>>())
    }
}

impl<'v> Courier<'v> {
    /// One for a collection, of which a page is known.
    pub(super) fn new(visit: &'v Visit<'v>, entry: &'static CollectionEntry, page: &Page, word: &str) -> Self {
        let short = page
            .number("totalPages")
            .map_or(page.link("next").is_none(), |pages| usize::try_from(pages).is_ok_and(|pages| pages <= SHORT));
        let now = clock::now().as_nanosecond();
        let began = (now - 60_000_000_000).div_euclid(1_000_000_000) * 1_000_000_000;
        Self {
            visit,
            entry,
            run: format!("{word}-{now}"),
            began: clock::written(began),
            whole_list: short,
            sent: Mutex::default(),
        }
    }

    fn remember(&self, one: &Value) {
        if let Some((_, id)) = document::pair(one) {
            let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
            sent.insert(id, one.clone());
        }
    }

    pub(super) fn url(&self) -> Url {
        self.visit.collection(self.entry).unwrap_or_else(|| self.visit.base.clone())
    }

    pub(super) fn batch_url(&self) -> Option<Url> {
        let place = self.visit.place.as_ref()?;
        let name = self.entry.batch_name()?;
        Some(self.visit.url(&format!("/batches{}/{name}", place.path())))
    }

    pub(super) async fn post(&self, one: &Value) -> Arc<Exchange> {
        self.remember(one);
        self.visit.client.send(Ask::post(&self.url(), one)).await
    }

    pub(super) async fn batch(&self, all: &[Value]) -> Arc<Exchange> {
        for one in all {
            self.remember(one);
        }
        let url = self.batch_url().unwrap_or_else(|| self.url());
        let body = Value::Array(all.to_vec());
        self.visit.client.send(Ask::post(&url, &body)).await
    }

    /// The addresses of a data set's intake, as it is written everywhere and as the document writes it.
    pub(super) fn push_urls(&self, set: &DataSet) -> [Url; 2] {
        let name = encoded(&set.name);
        ["datasets", "dataset"].map(|word| self.visit.url(&format!("/{word}/{name}/resources")))
    }

    pub(super) fn push_ask(&self, url: &Url, all: &[Value]) -> Ask {
        for one in all {
            self.remember(one);
        }
        let mut body = vec![json!({"id": "@context"})];
        body.extend(all.iter().cloned());
        Ask::post(url, &Value::Array(body))
    }

    /// The data set of the type; of several, the one with the fewest types.
    pub(super) fn set(&self) -> Option<DataSet> {
        let mut sets = self.visit.sets();
        sets.retain(|set| set.types.contains(&self.entry.resource));
        sets.sort_by_key(|set| (set.types.len(), set.name != self.entry.name));
        sets.into_iter().next()
    }

    /// Everything in the list that is, or looks like, that document.
    pub(super) async fn listed(&self, one: &Value) -> Vec<Value> {
        let url = if self.whole_list { self.url() } else { with(&self.url(), &[("meta-modified-from", &self.began)]) };
        let Ok(listing) = self.visit.filtered(self.entry, &url).await else {
            return Vec::new();
        };
        let pair = document::pair(one);
        let looks = |other: &Value| {
            document::time(other, "/eventDateTime") == document::time(one, "/eventDateTime")
                && document::identifier(other, "/animal") == document::identifier(one, "/animal")
        };
        listing
            .documents()
            .filter(|other| !document::deleted(other))
            .filter(|other| document::pair(other) == pair || looks(other))
            .cloned()
            .collect()
    }

    /// The list as soon as it fits, or in its state when patience ends.
    pub(super) async fn until(&self, one: &Value, fits: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let patience = self.visit.options.patience;
        let done = |all: &Vec<Value>| fits(all);
        patiently(patience, || self.listed(one), done).await
    }

    /// Whether it came within patience.
    pub(super) async fn comes(&self, one: &Value) -> bool {
        !self.until(one, |all| !all.is_empty()).await.is_empty()
    }

    /// Whether it went within patience.
    pub(super) async fn goes(&self, one: &Value) -> bool {
        self.until(one, <[Value]>::is_empty).await.is_empty()
    }

    /// Notes for the summary of the run where a document came back otherwise than it was sent.
    pub(super) fn came_back(&self, original: &Value, came: &Value) {
        let all = compare::differences(original, came);
        // A member that a server adds is no fault here.
        for one in all.iter().filter(|one| one.kind != Kind::Invented) {
            let (name, id) = (&self.entry.name, document::name(original));
            self.visit.changed.add(format!("{name} {id}: {one}"));
        }
    }

    /// Retracts everything, and reports what stayed.
    pub(super) async fn clean(&self) {
        let original: Vec<Value> = {
            let original = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
            original.values().cloned().collect()
        };
        if original.is_empty() {
            return;
        }
        let gone: Vec<Value> = original.iter().map(document::retracted).collect();
        let batches = self.batch_url().is_some() && gone.len() > 1;
        if batches {
            for part in gone.chunks(500) {
                let e = self.batch(part).await;
                results(self.visit, &e).await;
            }
        }
        if !batches || !self.remaining().await.is_empty() {
            let stays = if batches { self.remaining().await } else { gone };
            for one in &stays {
                self.post(&document::retracted(one)).await;
            }
        }
        for one in self.remaining().await {
            self.visit.left_behind.add(format!("{} {}", self.entry.name, document::name(&one)));
        }
    }

    /// The sent documents that the list still has.
    async fn remaining(&self) -> Vec<Value> {
        let listing = self.visit.filtered(self.entry, &self.url()).await;
        let Ok(listing) = listing else {
            return Vec::new();
        };
        let ours = |one: &&Value| {
            document::text(one, "/meta/source") == Some(SOURCE)
                && document::text(one, "/meta/sourceId").is_some_and(|id| id.starts_with(&self.run))
                && !document::deleted(one)
        };
        listing.documents().filter(ours).cloned().collect()
    }
}

/// An answer once it fits, or the last one when patience ends.
pub(super) async fn patiently<T, F: Future<Output = T>>(
    patience: Duration,
    ask: impl Fn() -> F,
    fits: impl Fn(&T) -> bool,
) -> T {
    let end = Instant::now() + patience;
    let mut pause = Duration::from_millis(250);
    loop {
        let found = ask().await;
        if fits(&found) || Instant::now() + pause > end {
            return found;
        }
        sleep(pause).await;
        pause *= 2;
    }
}

/// An animal that is alive, if the list states the status.
pub(super) fn animal(visit: &Visit<'_>) -> Option<(String, String)> {
    let animals = visit.page_of("animals");
    animals
        .into_iter()
        .flat_map(|page| &page.members)
        .filter(|one| document::alive(one))
        .find_map(|one| document::identifier(one, "/identifier"))
        .or_else(|| {
            visit.pages().flat_map(|(_, page)| &page.members).find_map(|one| document::identifier(one, "/animal"))
        })
}

/// Whether a result of a batch reports an error.
pub(super) fn has_error(result: Option<&Value>) -> bool {
    result
        .and_then(|one| one.get("messages"))
        .and_then(Value::as_array)
        .is_some_and(|all| all.iter().any(|m| document::text(m, "/severity") == Some("Error")))
}

/// The results of a batch, also those that come later.
pub(super) async fn results(visit: &Visit<'_>, e: &Arc<Exchange>) -> Option<Arc<Exchange>> {
    if e.status == 200 || (e.ok() && e.json().is_some_and(Value::is_array)) {
        return Some(Arc::clone(e));
    }
    let location = e.header("location").filter(|_| e.ok())?;
    let url = visit.link(e, location).filter(|url| visit.ours(url))?;
    let end = Instant::now() + visit.options.patience * 3;
    loop {
        let answer = visit.client.get(&url).await;
        let done = answer.status == 200 && answer.json().is_some_and(Value::is_array);
        if done || Instant::now() > end || answer.refused() {
            return Some(answer);
        }
        sleep(Duration::from_millis(500)).await;
    }
}
