//! A polite client that stores all requests and answers.

mod excerpt;
pub(crate) mod exchange;
mod pace;
mod redact;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use url::Url;

pub(crate) use self::exchange::{Ask, Exchange, Who};
use self::pace::Pace;
use self::redact::Secrets;
use crate::options::Bounds;
use crate::report::ShownExchange;

/// How often a request is repeated after 429 or 503 with `Retry-After`.
const PATIENCE: u32 = 5;
/// Longest wait that a server can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Most bytes of a body that are read.
const LARGEST_BODY: usize = 16 << 20;
/// So many requests in a row without an answer, and the server is given up.
const SILENCE: u64 = 8;
/// Requests beyond the bounds of a visit, to retract documents that were sent before.
const RESERVE: u64 = 1_000;
/// Bytes of stored answers, for checks at the end.
const BODY_BYTES: usize = 32 << 20;
/// Bodies up to this size are stored in any case; the bounds of a visit limit their number.
const SMALL: usize = 8 << 10;

/// Sends requests no faster than allowed, repeats those that were put off, and stores them all.
pub(crate) struct Client {
    http: reqwest::Client,
    pace: Pace,
    main: Vec<(String, String)>,
    other: Vec<(String, String)>,
    secrets: Secrets,
    sent: AtomicU64,
    bytes: AtomicU64,
    /// Requests in a row without an answer.
    silent: AtomicU64,
    /// Whether only JSON is requested, since the server does not accept `*/*`.
    json_only: AtomicBool,
    stopped: OnceLock<String>,
    began: Instant,
    exchanges: Mutex<ExchangeLog>,
    bounds: Bounds,
}

/// Requests with their answers, the oldest first.
#[derive(Default)]
struct ExchangeLog {
    all: Vec<Arc<Exchange>>,
    bytes: usize,
    /// Exchanges before this index have no bodies any more, or small ones.
    slim: usize,
}

impl ExchangeLog {
    /// Stores one more; drops bodies of the oldest when there are too many bytes.
    fn push(&mut self, exchange: Arc<Exchange>) {
        self.bytes += exchange.body.len();
        self.all.push(exchange);
        while self.bytes > BODY_BYTES && self.slim + 1 < self.all.len() {
            if let Some(oldest) = self.all.get_mut(self.slim) {
                // Small bodies stay: errors are judged at the end.
                if oldest.body.len() > SMALL {
                    self.bytes = self.bytes.saturating_sub(oldest.body.len());
                    *oldest = Arc::new(oldest.without_body());
                }
            }
            self.slim += 1;
        }
    }
}

impl Client {
    /// `tls` is whether HTTPS is used: loading the certificates of the machine takes a while.
    pub(crate) fn new(rate: Option<f64>, timeout: Duration, bounds: Bounds, tls: bool) -> Result<Self, String> {
        let same_origin = Policy::custom(|attempt| {
            let stays = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
            if stays && attempt.previous().len() < 4 { attempt.follow() } else { attempt.stop() }
        });
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("ade-conformance/", env!("CARGO_PKG_VERSION")))
            .redirect(same_origin)
            .timeout(timeout);
        if !tls {
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|why| why.to_string())?;
        Ok(Self {
            http,
            pace: Pace::new(rate),
            main: Vec::new(),
            other: Vec::new(),
            secrets: Secrets::default(),
            sent: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            silent: AtomicU64::new(0),
            json_only: AtomicBool::new(false),
            stopped: OnceLock::new(),
            began: Instant::now(),
            exchanges: Mutex::default(),
            bounds,
        })
    }

    /// Signs all further requests of that account.
    pub(crate) fn sign(&mut self, who: Who, headers: Vec<(String, String)>) {
        for (_, value) in &headers {
            self.secrets.add(value);
        }
        match who {
            Who::Other => self.other = headers,
            _ => self.main = headers,
        }
    }

    /// A text that no report may show.
    pub(crate) fn hide(&mut self, secret: &str) {
        self.secrets.add(secret);
    }

    pub(crate) fn secrets(&self) -> &BTreeSet<String> {
        self.secrets.all()
    }

    /// Whether that account has a sign-in.
    pub(crate) fn signed(&self, who: Who) -> bool {
        match who {
            Who::Other => !self.other.is_empty(),
            _ => !self.main.is_empty(),
        }
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// All exchanges so far.
    pub(crate) fn exchanges(&self) -> Vec<Arc<Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).all.clone()
    }

    /// `words` is the text of the finding, to show the part of the body that it is about.
    pub(crate) fn show(&self, exchange: &Exchange, words: &str) -> ShownExchange {
        exchange.show(&self.secrets, self.bounds.body, words)
    }

    /// From now on only JSON is requested.
    pub(crate) fn ask_for_json(&self) {
        self.json_only.store(true, Ordering::Relaxed);
    }

    /// Why the visit was ended early, if it was.
    pub(crate) fn stopped(&self) -> Option<&str> {
        self.stopped.get().map(String::as_str)
    }

    /// Whether one more request is within the bounds of the visit. Requests that write may exceed
    /// them a little, to retract documents that were sent.
    fn within_bounds(&self, method: &str) -> Result<(), &str> {
        let reserve = if method == "POST" { RESERVE } else { 0 };
        let bounds = &self.bounds;
        let why = if self.silent.load(Ordering::Relaxed) >= SILENCE {
            format!("{SILENCE} requests in a row were not answered")
        } else if self.sent() >= bounds.requests + reserve {
            format!("the visit ended after {} requests", bounds.requests)
        } else if self.bytes.load(Ordering::Relaxed) >= bounds.bytes && reserve == 0 {
            format!("the visit ended after {} bytes", bounds.bytes)
        } else if self.began.elapsed().as_secs() >= bounds.seconds && reserve == 0 {
            format!("the visit ended after {} seconds", bounds.seconds)
        } else {
            return Ok(());
        };
        Err(self.stopped.get_or_init(|| why))
    }

    /// A GET by the main account.
    pub(crate) async fn get(&self, url: &Url) -> Arc<Exchange> {
        self.send(Ask::get(url)).await
    }

    /// Sends a request, and again while the server asks to come back later.
    pub(crate) async fn send(&self, ask: Ask) -> Arc<Exchange> {
        let mut turn = 0;
        loop {
            if let Err(why) = self.within_bounds(ask.method) {
                let mut none = Exchange::begun(self.sent(), &ask, Vec::new());
                none.broken = Some(why.to_owned());
                none.unsent = true;
                return Arc::new(none);
            }
            self.pace.wait().await;
            let exchange = Arc::new(self.once(&ask).await);
            self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&exchange));
            self.count(&exchange);
            let after = exchange.header("retry-after").and_then(seconds);
            let put_off = exchange.status == 429 || (exchange.status == 503 && after.is_some());
            if put_off && turn >= PATIENCE {
                // A request that is put off again and again counts as one without an answer.
                self.silent.fetch_add(SILENCE / 2, Ordering::Relaxed);
            }
            if !put_off || turn >= PATIENCE {
                return exchange;
            }
            let wait = after.unwrap_or(Duration::from_secs(1 << turn));
            self.pace.hold(wait.min(LONGEST_WAIT)).await;
            turn += 1;
        }
    }

    fn count(&self, exchange: &Exchange) {
        let bytes = u64::try_from(exchange.body.len()).unwrap_or(u64::MAX);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let whole = exchange.status > 0 && exchange.broken.is_none();
        if whole && exchange.status != 429 {
            self.silent.store(0, Ordering::Relaxed);
        } else if whole {
            // Put off: neither an answer nor silence.
        } else {
            self.silent.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn once(&self, ask: &Ask) -> Exchange {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let mut headers = match ask.who {
            Who::Main => self.main.clone(),
            Who::Other => self.other.clone(),
            Who::Nobody => Vec::new(),
            Who::Altered => self.main.iter().map(altered).collect(),
        };
        headers.extend(ask.headers.iter().cloned());
        let any = !headers.iter().any(|(name, _)| name == "Accept");
        if any && self.json_only.load(Ordering::Relaxed) {
            headers.push(("Accept".to_owned(), "application/json".to_owned()));
        }
        let method = reqwest::Method::from_bytes(ask.method.as_bytes()).unwrap_or_default();
        let mut request = self.http.request(method, ask.url.clone());
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        if let Some(body) = &ask.body {
            request = request.body(body.clone());
        }
        let mut exchange = Exchange::begun(number, ask, headers);
        let began = Instant::now();
        match request.send().await {
            Err(why) => exchange.broken = Some(with_causes(&why)),
            Ok(mut answer) => {
                exchange.status = answer.status().as_u16();
                exchange.answered_from = answer.url().clone();
                exchange.headers = answer
                    .headers()
                    .iter()
                    .map(|(n, v)| {
                        let value = String::from_utf8_lossy(v.as_bytes()).into_owned();
                        (n.as_str().to_owned(), value)
                    })
                    .collect();
                loop {
                    match answer.chunk().await {
                        Ok(Some(piece)) if exchange.body.len() + piece.len() > LARGEST_BODY => {
                            exchange.broken = Some("longer than 16 MiB".to_owned());
                            break;
                        }
                        Ok(Some(piece)) => exchange.body.extend_from_slice(&piece),
                        Ok(None) => break,
                        Err(why) => {
                            exchange.broken = Some(with_causes(&why));
                            break;
                        }
                    }
                }
            }
        }
        exchange.seconds = began.elapsed().as_secs_f64();
        exchange
    }
}

/// How long `Retry-After` asks to wait: seconds, or an HTTP date.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let time = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim());
    let remaining = time.ok()?.as_second() - crate::clock::now().as_second();
    Some(Duration::from_secs(u64::try_from(remaining).unwrap_or(0)))
}

/// The same sign-in with its end changed, so that no signature fits.
fn altered((name, value): &(String, String)) -> (String, String) {
    let mut text: Vec<char> = value.chars().collect();
    let end = text.len().saturating_sub(1);
    for at in [end.saturating_sub(7), end.saturating_sub(3)] {
        if let Some(letter) = text.get_mut(at) {
            *letter = if *letter == 'x' { 'y' } else { 'x' };
        }
    }
    (name.clone(), text.into_iter().collect())
}

fn with_causes(why: &reqwest::Error) -> String {
    let mut words = why.to_string();
    let mut cause = std::error::Error::source(why);
    while let Some(inner) = cause {
        words = format!("{words}: {inner}");
        cause = inner.source();
    }
    words
}
