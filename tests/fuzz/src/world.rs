//! A service over a small demonstration book, called in memory: no socket, no limits of rate.

use api::{AppState, router};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, header};
use config::{Settings, Sources};
use domain::collections::registry;
use model::clock::Clock;

use exchange::Exchange;
use mapping::{self, Mappings};
use model::record::Value as Cell;
use ops::{Book, FillRow};
use secure::keys::KeyRing;
use secure::password::{PasswordCost, Passwords};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use store::{Durability, Store};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

pub(crate) const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";
const PASSWORD: &str = "demo-herdbook";
/// The largest size of a refusal, besides a part that grows with the request.
const REFUSAL: usize = 256 << 10;

/// The built-in mappings.
pub(crate) fn mappings() -> Arc<Mappings> {
    static MAPPINGS: LazyLock<Arc<Mappings>> = LazyLock::new(|| {
        let chosen = mapping::Settings::default();
        Arc::new(Mappings::build(registry().unwrap(), &chosen, None).unwrap())
    });
    Arc::clone(&MAPPINGS)
}

pub(crate) struct World {
    runtime: Runtime,
    router: Router,
    dir: TempDir,
    /// Of an anonymous caller, farm 1, farm 2 and the Association.
    tokens: [String; 4],
    /// Numbers of animals of farm 1.
    pub(crate) animals: Vec<String>,
}

/// An answer.
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl World {
    pub(crate) fn new() -> Self {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let router = runtime.block_on(service(&dir));
        let mut world = Self { runtime, router, dir, tokens: Default::default(), animals: Vec::new() };
        world.tokens = ["", "farm1", "farm2", "association"].map(|name| world.sign_in(name));
        let list = world.get(1, "/api/animals?limit=20&depth=0&where[owner][equals]=2");
        let list: Value = serde_json::from_slice(&list.body).unwrap();
        let numbers = list["docs"].as_array().unwrap().iter();
        world.animals = numbers.filter_map(|doc| doc["identNumber"].as_str()).map(str::to_owned).collect();
        assert!(!world.animals.is_empty(), "{list}");
        world
    }

    fn sign_in(&self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        let body = json!({"email": format!("{name}@demo.herdbook"), "password": PASSWORD});
        let request = self.request(0, "POST", "/api/users/login");
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let heard = self.ask(request.body(body.to_string().into()).unwrap());
        let answer: Value = serde_json::from_slice(&heard.body).unwrap();
        answer["token"].as_str().unwrap().to_owned()
    }

    /// A request of one of the callers with tokens.
    pub(crate) fn request(&self, who: usize, method: &str, path: &str) -> axum::http::request::Builder {
        let request = Request::builder().method(method).uri(path);
        let request = request.header(header::HOST, "book.example");
        match self.tokens[who].as_str() {
            "" => request,
            token => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        }
    }

    pub(crate) fn get(&self, who: usize, path: &str) -> Heard {
        self.ask(self.request(who, "GET", path).body(Body::empty()).unwrap())
    }

    /// The answer, which must be sound for any request.
    pub(crate) fn ask(&self, request: Request<Body>) -> Heard {
        let label = format!("{} {}", request.method(), request.uri());
        let heard = self.runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            Heard {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: to_bytes(body, usize::MAX).await.unwrap(),
            }
        });
        heard.sound(&label);
        heard
    }

    /// Contents of files that are under way.
    pub(crate) fn drafts(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.dir.path().join("media")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match path.is_dir() {
                    true => folders.push(path),
                    false if path.extension().is_some_and(|end| end == "part") => found.push(path),
                    false => {}
                }
            }
        }
        found
    }
}

impl Heard {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header, empty where there is none.
    pub(crate) fn header(&self, name: header::HeaderName) -> &str {
        let value = self.headers.get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(crate) fn is_json(&self) -> bool {
        self.header(header::CONTENT_TYPE).contains("json") && !self.header(header::CONTENT_TYPE).contains("ndjson")
    }

    /// As JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Asserts that there is no internal error, and that a refusal has a short reason.
    fn sound(&self, has_reason: &str) {
        let shown: String = has_reason.chars().take(2_000).collect();
        let body: String = self.text().chars().take(2_000).collect();
        assert!((200..500).contains(&self.status), "{shown}: {} {body}", self.status);
        if self.status >= 400 {
            assert!(self.body.len() <= REFUSAL + 8 * has_reason.len(), "{shown}: {} bytes", self.body.len());
        }
        let plain = self.header(header::CONTENT_ENCODING).is_empty();
        if plain && self.is_json() && !self.body.is_empty() {
            let read = serde_json::from_slice::<Value>(&self.body);
            let json = read.unwrap_or_else(|why| panic!("{shown}: {why}: {body}"));
            if self.status >= 400 {
                let says = |one: &Value| {
                    let words = ["message", "detail", "title"].map(|name| one[name].as_str());
                    words.iter().flatten().any(|text| !text.is_empty())
                };
                let listed = json["errors"].as_array();
                let has_reason = listed.is_some_and(|all| !all.is_empty() && all.iter().all(says));
                assert!(has_reason || says(&json), "{shown}: {body}");
            }
        }
    }
}

async fn service(dir: &TempDir) -> Router {
    let lanes = ["limits.read", "limits.write", "limits.bulk", "limits.sign_in"];
    let mut flags: BTreeMap<&'static str, String> = BTreeMap::new();
    flags.extend(lanes.map(|lane| (lane, "0".to_owned())));
    let media = dir.path().join("media").display().to_string();
    flags.insert("media.dir", media);
    let sources = Sources { flags, ..Sources::default() };
    let settings = Settings::load(&sources).unwrap();
    let url = format!("sqlite:{}", dir.path().join("book.db").display());
    let store = Store::open(&url, Durability::Normal, Clock::system(), true);
    let store = store.await.unwrap();
    let registry = registry().unwrap();
    let exchange = Exchange::new(registry, mappings(), &mapping::Settings::default());
    let cost = PasswordCost { memory_kib: 64, passes: 1, lanes: 1 };
    let book = Book::new(
        registry,
        store,
        Clock::system(),
        Arc::new(exchange.projector().clone()),
        Arc::new(Passwords::new(cost).unwrap()),
        Arc::new(KeyRing::new(SECRET, None).unwrap()),
    );
    let book = book.with_outward(settings.webhooks.policy.clone());
    let book = book.in_zone(settings.time_zone.clone());
    let book = Arc::new(book.with_files(&settings.media).await.unwrap());
    exchange.projector().begin(&book).await.unwrap();
    exchange.projector().set_generation(&book).await.unwrap();
    fill(&book).await;
    while exchange.projector().work_off(&book).await.unwrap() {}
    router(Arc::new(AppState::new(book, exchange, settings)))
}

async fn fill(book: &Book) {
    let made = demo::generate(&demo::Options { animals: 40, ..demo::Options::default() });
    let verifier = book.passwords.hash(PASSWORD).unwrap();
    for set in demo::waves(made.rows) {
        let rows = set.into_iter().map(|row| {
            let mut data = row.data;
            data.extend(row.system);
            let account = data.contains_key("email") && data.contains_key("role");
            let hidden = account.then(|| ("verifier", Cell::Text(verifier.clone())));
            FillRow { collection: row.collection, id: row.id, data, hidden: hidden.into_iter().collect() }
        });
        book.fill(rows.collect()).await.unwrap();
    }
}

/// A text as a part of an address: characters that an address may not contain are escaped, the rest is unchanged.
pub(crate) fn address(text: &str) -> String {
    const MOST: usize = 30_000;
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'!' | b'$'..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~' => {
                out.push(char::from(byte));
            }
            // Writing into a String cannot fail.
            other => write!(out, "%{other:02X}").unwrap(),
        }
        if out.len() > MOST {
            break;
        }
    }
    out
}
