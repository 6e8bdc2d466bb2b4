//! A polite client that keeps what was said.

pub(crate) mod exchange;
mod pace;
mod redact;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use url::Url;

pub(crate) use self::exchange::{Ask, Exchange, Who};
use self::pace::Pace;
use self::redact::Secrets;
use crate::report::Shown;

/// How often a request is repeated after 429 or 503 with `Retry-After`.
const PATIENCE: u32 = 5;
/// Longest wait that a server can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Most bytes of a body that are read.
const LARGEST_BODY: usize = 64 << 20;

/// Sends requests no faster than allowed, repeats those that were put off, and keeps them all.
pub(crate) struct Client {
    http: reqwest::Client,
    pace: Pace,
    main: Vec<(String, String)>,
    other: Vec<(String, String)>,
    secrets: Secrets,
    sent: AtomicU64,
    kept: Mutex<Vec<Arc<Exchange>>>,
    shown: usize,
}

impl Client {
    pub(crate) fn new(rate: Option<f64>, timeout: Duration, shown: usize) -> Result<Self, String> {
        let same_origin = Policy::custom(|attempt| {
            let stays = attempt
                .previous()
                .last()
                .is_some_and(|from| from.origin() == attempt.url().origin());
            if stays && attempt.previous().len() < 4 {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        let http = reqwest::Client::builder()
            .user_agent(concat!("ade-conformance/", env!("CARGO_PKG_VERSION")))
            .redirect(same_origin)
            .timeout(timeout)
            .build()
            .map_err(|why| why.to_string())?;
        Ok(Self {
            http,
            pace: Pace::new(rate),
            main: Vec::new(),
            other: Vec::new(),
            secrets: Secrets::default(),
            sent: AtomicU64::new(0),
            kept: Mutex::new(Vec::new()),
            shown,
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

    /// Everything that was said so far.
    pub(crate) fn kept(&self) -> Vec<Arc<Exchange>> {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn show(&self, exchange: &Exchange) -> Shown {
        exchange.show(&self.secrets, self.shown)
    }

    /// A GET by the main account.
    pub(crate) async fn get(&self, url: &Url) -> Arc<Exchange> {
        self.send(Ask::get(url)).await
    }

    /// Sends a request, and again while the server asks to come back later.
    pub(crate) async fn send(&self, ask: Ask) -> Arc<Exchange> {
        let mut turn = 0;
        loop {
            self.pace.wait().await;
            let exchange = Arc::new(self.once(&ask).await);
            self.kept
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(Arc::clone(&exchange));
            let after = exchange
                .header("retry-after")
                .and_then(|v| v.trim().parse::<u64>().ok())
                .map(Duration::from_secs);
            let put_off = exchange.status == 429 || (exchange.status == 503 && after.is_some());
            if !put_off || turn >= PATIENCE {
                return exchange;
            }
            let wait = after.unwrap_or(Duration::from_secs(1 << turn));
            self.pace.hold(wait.min(LONGEST_WAIT)).await;
            turn += 1;
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
            Err(why) => exchange.broken = Some(told(&why)),
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
                            exchange.broken = Some("longer than 64 MiB".to_owned());
                            break;
                        }
                        Ok(Some(piece)) => exchange.body.extend_from_slice(&piece),
                        Ok(None) => break,
                        Err(why) => {
                            exchange.broken = Some(told(&why));
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

/// An error with its causes.
fn told(why: &reqwest::Error) -> String {
    let mut words = why.to_string();
    let mut cause = std::error::Error::source(why);
    while let Some(inner) = cause {
        words = format!("{words}: {inner}");
        cause = inner.source();
    }
    words
}
