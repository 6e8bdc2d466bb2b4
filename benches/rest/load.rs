//! Requests of many clients at once, and their pace.

use crate::program::{Server, memory, number};
use crate::still::Still;
use futures_util::future::join_all;
use http_body_util::BodyExt;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) const CLIENTS: usize = 8;

/// One connection of one client, with as little work on this side as possible: it uses the same cores as the server.
struct Client {
    sender: hyper::client::conn::http1::SendRequest<String>,
    host: String,
}

impl Client {
    async fn to(url: &str) -> Self {
        let host = url.split('/').nth(2).unwrap().to_owned();
        let stream = tokio::net::TcpStream::connect(&host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let io = hyper_util::rt::TokioIo::new(stream);
        let (sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        // It ends with the sender.
        tokio::spawn(connection);
        Self { sender, host }
    }

    async fn read(&mut self, url: &str, auth: &str) {
        let path = url.splitn(4, '/').nth(3).unwrap();
        let request = hyper::Request::get(format!("/{path}"))
            .header("host", &self.host)
            .header("authorization", auth)
            .body(String::new())
            .unwrap();
        self.sender.ready().await.unwrap();
        let answer = self.sender.send_request(request).await.unwrap();
        assert!(answer.status().is_success(), "{url}: {}", answer.status());
        let mut body = answer.into_body();
        while let Some(part) = body.frame().await {
            part.unwrap();
        }
    }
}

/// A server under load, and the one that only answers bytes.
pub(crate) struct Load {
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) client: reqwest::Client,
    still: Still,
    /// Our own server, to be ended with this.
    _own: Option<Server>,
    process: Option<u32>,
    pub(crate) each: Duration,
}

impl Load {
    pub(crate) fn new(url: String, token: String, own: Option<Server>, process: Option<u32>) -> Self {
        Self {
            url,
            token,
            client: reqwest::Client::new(),
            still: Still::start(),
            _own: own,
            process,
            each: Duration::from_secs(number("HERDBOOK_BENCH_SECONDS", 3)),
        }
    }

    fn request(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.get(format!("{}{path}", self.url));
        request.header("authorization", format!("JWT {}", self.token))
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        let answer = self.request(path).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer
    }

    async fn json(&self, path: &str) -> Value {
        self.get(path).await.json().await.unwrap()
    }

    pub(crate) async fn total(&self, path: &str) -> u64 {
        self.json(path).await["totalDocs"].as_u64().unwrap()
    }

    pub(crate) async fn ids(&self, path: &str) -> Vec<i64> {
        let body = self.json(path).await;
        let docs = body["docs"].as_array().unwrap().iter();
        docs.map(|doc| doc["id"].as_i64().unwrap()).collect()
    }

    /// The address of the next page in the header of an answer.
    pub(crate) async fn link(&self, path: &str) -> Option<String> {
        let answer = self.get(path).await;
        let links = answer.headers().get("link")?.to_str().ok()?.to_owned();
        let next = links.split(',').find(|l| l.contains("rel=\"next\""))?;
        let (_, rest) = next.split_once('<')?;
        let (address, _) = rest.split_once('>')?;
        Some(address.strip_prefix(&self.url).unwrap_or(address).to_owned())
    }

    /// Requests a second, as the ratio to the static route for the same bytes: unchanged, and with
    /// an unused parameter that is different each time, so that every answer must be computed.
    pub(crate) async fn measure(&self, what: &str, path: impl Fn(usize) -> String + Send + Sync + 'static) -> f64 {
        let path = Arc::new(path);
        let same = Arc::clone(&path);
        self.pace_of(what, move |n| same(n)).await;
        let made = format!("{what}, made");
        self.pace_of(&made, move |n| {
            let path = path(n);
            let sign = if path.contains('?') { '&' } else { '?' };
            format!("{path}{sign}_={n}")
        })
        .await
    }

    async fn pace_of(&self, what: &str, path: impl Fn(usize) -> String + Send + Sync + 'static) -> f64 {
        let bytes = self.get(&path(0)).await.bytes().await.unwrap();
        let (place, size) = (self.still.url.clone(), bytes.len());
        self.client.put(&place).body(bytes).send().await.unwrap();
        let (url, path) = (self.url.clone(), Arc::new(path));
        let still = self.pace(Arc::new(move |_| place.clone())).await;
        let ours = self.pace(Arc::new(move |n| format!("{url}{}", path(n)))).await;
        let ratio = ours / still;
        println!("{what:<44} {size:>9} {ours:>9.0} {still:>9.0} {ratio:>7.3}");
        ours
    }

    async fn pace(&self, url: Arc<dyn Fn(usize) -> String + Send + Sync>) -> f64 {
        let (count, started) = (Arc::new(AtomicUsize::new(0)), Instant::now());
        let end = started + self.each;
        let auth = format!("JWT {}", self.token);
        let clients = (0..CLIENTS).map(|_| {
            let (count, url, auth) = (Arc::clone(&count), Arc::clone(&url), auth.clone());
            tokio::spawn(async move {
                let mut client = Client::to(&url(0)).await;
                while Instant::now() < end {
                    let url = url(count.fetch_add(1, Ordering::Relaxed));
                    client.read(&url, &auth).await;
                }
            })
        });
        for ended in join_all(clients).await {
            ended.unwrap();
        }
        count.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
    }

    /// One answer with everything in it, read as it comes.
    pub(crate) async fn whole(&self, path: &str, rows: u64) {
        let memory = |what: &str| self.process.and_then(|process| memory(process, what));
        let before = memory("VmRSS");
        if let Some(process) = self.process {
            // Begins the peak anew; where it may not be done, it is that of the whole life.
            let _ = std::fs::write(format!("/proc/{process}/clear_refs"), "5");
        }
        let started = Instant::now();
        let mut answer = self.get(path).await;
        let mut first = None;
        let mut bytes = 0;
        while let Some(part) = answer.chunk().await.unwrap() {
            first.get_or_insert_with(|| started.elapsed());
            bytes += part.len();
        }
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{path}: {rows} rows, {bytes} bytes in {seconds:.1} s ({:.0} rows/s), first byte after {:.1} ms",
            rows as f64 / seconds,
            first.unwrap_or_default().as_secs_f64() * 1e3,
        );
        let after = (before, memory("VmHWM"), memory("VmRSS"));
        if let (Some(before), Some(peak), Some(after)) = after {
            println!("   memory of the server: {before:.0} MB before, {peak:.0} at its highest, {after:.0} after");
        }
    }
}
