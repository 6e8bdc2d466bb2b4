//! A whole service on a fresh book: database, exchange store, faces, files, a clock that the test moves. One per
//! database of this machine, so that a test runs on each ([`Fixture::each`]). Its answers are JSON, its callers tokens.
//! `rest::stage::Stage` is the same with whole answers, for tests of headers and texts, and `rest::world::World` a
//! stage with callers by name. Worlds of other tests (`Stage` of the exchange, limits and webhooks) are a fixture with
//! rows and callers.

pub(crate) use super::book::NOW;
use super::book::{PASSWORD, answered, book_over, settings};
use super::words::{Meets, merged};
use super::worlds::{Filled, Worlds};
use api::{AppState, router};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use domain::collections::registry;
use exchange::Exchange;
use mapping::{self, Mappings};
use model::clock::Clock;
use model::record::Value as Cell;
use model::registry::Principal;
use ops::{Book, FillRow, Item, Outcome};
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use store::{Dialect, Durability, Store};
use tempfile::TempDir;
use test_books::{DIALECTS, Template, dialects};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The built-in mappings, compiled once: this takes a tenth of the time of a small test.
pub(crate) fn built_in() -> Arc<Mappings> {
    static BUILT_IN: LazyLock<Arc<Mappings>> = LazyLock::new(|| {
        let chosen = mapping::Settings::default();
        Arc::new(Mappings::build(registry().unwrap(), &chosen, None).unwrap())
    });
    Arc::clone(&BUILT_IN)
}

/// Status, headers, body; an empty body is null.
pub(crate) type Answer = (u16, HeaderMap, Value);

impl Meets<u16> for Answer {
    type Content = Value;

    fn meets(self, status: u16, faults: Option<&[&str]>, request: fmt::Arguments<'_>) -> Value {
        let (found, _, body) = self;
        assert_eq!(found, status, "{request}: {body}");
        if let Some(expected) = faults {
            assert_eq!(codes(&body), expected, "{request}: {body}");
        }
        body
    }
}

/// Codes of an error collection.
pub(crate) fn codes(body: &Value) -> Vec<&str> {
    let errors = body["errors"].as_array().expect("an error collection");
    errors.iter().map(|e| e["code"].as_str().unwrap()).collect()
}

/// Tokens of the callers in a world of two farms.
#[derive(Clone)]
pub(crate) struct TwoFarms {
    /// Head of farm 1.
    pub(crate) farm: String,
    /// Head of farm 2.
    pub(crate) other: String,
    /// Expert of the Association.
    pub(crate) expert: String,
}

#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) router: Router,
    pub(crate) book: Arc<Book>,
    pub(crate) exchange: Exchange,
    pub(crate) hub: Arc<AppState>,
    clock: Arc<AtomicI64>,
    url: String,
    dir: Arc<TempDir>,
    changed: Vec<(&'static str, String)>,
}

impl Fixture {
    /// One for each database of this depth that is there.
    pub(crate) async fn each() -> Vec<Self> {
        Self::each_with(&[]).await
    }

    /// One for SQLite, and one for PostgreSQL where there is a server, at any depth: for tests of
    /// differences between databases.
    pub(crate) async fn both() -> Vec<Self> {
        Self::on(&DIALECTS, &[], &[]).await
    }

    /// As [`Self::each`], with settings that differ from the defaults.
    pub(crate) async fn each_with(changed: &[(&'static str, &str)]) -> Vec<Self> {
        Self::on(dialects(), changed, &[]).await
    }

    /// As [`Self::each`], with mapping files of the installation.
    pub(crate) async fn each_mapped(files: &[(&str, &str)]) -> Vec<Self> {
        Self::on(dialects(), &[], files).await
    }

    async fn on(dialects: &[Dialect], changed: &[(&'static str, &str)], files: &[(&str, &str)]) -> Vec<Self> {
        let mut all = Vec::new();
        for dialect in dialects {
            all.extend(Self::open(*dialect, changed, files).await);
        }
        all
    }

    /// Copies of a world on each of these databases that exists, with the facts that its making
    /// returned. It is filled under the first settings, the copies run under the second.
    pub(crate) async fn copies<T: Clone>(
        worlds: &'static Worlds<T>,
        dialects: &[Dialect],
        [filled, changed]: [&[(&'static str, &str)]; 2],
        fill: impl AsyncFn(&Self) -> T,
    ) -> Vec<(Self, T)> {
        let begin = async |empty| {
            let fixture = Self::copy(empty, filled, &[]).await;
            let known = fill(&fixture).await;
            let template = Template::of(&fixture.book.store, &fixture.url).await;
            Filled { template, known }
        };
        let mut all = Vec::new();
        for dialect in dialects {
            if let Some(world) = worlds.on(*dialect, &begin).await {
                let fixture = Self::copy(&world.template, changed, &[]).await;
                all.push((fixture, world.known.clone()));
            }
        }
        all
    }

    /// None where the database is not there.
    async fn open(dialect: Dialect, changed: &[(&'static str, &str)], files: &[(&str, &str)]) -> Option<Self> {
        let empty = Template::empty(dialect).await?;
        Some(Self::copy(empty, changed, files).await)
    }

    async fn copy(template: &Template, changed: &[(&'static str, &str)], files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let url = template.copy(dir.path()).await;
        let own = dir.path().join("mappings");
        if !files.is_empty() {
            std::fs::create_dir(&own).unwrap();
        }
        for (name, text) in files {
            std::fs::write(own.join(name), text).unwrap();
        }
        let clock = Arc::new(AtomicI64::new(NOW));
        let changed = changed.iter().map(|(key, value)| (*key, (*value).to_owned()));
        let fixture = Self::over(url, Arc::new(dir), clock, changed.collect()).await;
        // A book is served once its documents are of the present mappings.
        fixture.exchange.projector().reproject(&fixture.book, |_, _| {}).await.unwrap();
        fixture
    }

    /// A task that writes until something is sent to it or it is dropped.
    pub(crate) async fn hold(&self) -> (oneshot::Sender<()>, JoinHandle<()>) {
        let (go, gone) = oneshot::channel::<()>();
        let (tell, begun) = oneshot::channel();
        let book = Arc::clone(&self.book);
        let busy = tokio::spawn(async move {
            let job = book.transact(move |_| {
                Box::pin(async move {
                    tell.send(()).unwrap();
                    // Ended by the test, well or badly.
                    let _ = gone.await;
                    Ok(())
                })
            });
            job.await.unwrap();
        });
        begun.await.unwrap();
        (go, busy)
    }

    /// Another server over the same book, with the same clock: as a process of its own, or
    /// as one that follows another that stopped.
    pub(crate) async fn other_process(&self) -> Self {
        let (dir, clock) = (Arc::clone(&self.dir), Arc::clone(&self.clock));
        Self::over(self.url.clone(), dir, clock, self.changed.clone()).await
    }

    /// As another process, whose installation has the default of a setting.
    pub(crate) async fn without(&self, key: &str) -> Self {
        let changed = self.changed.iter().filter(|(name, _)| *name != key).cloned().collect();
        Self::over(self.url.clone(), Arc::clone(&self.dir), Arc::clone(&self.clock), changed).await
    }

    /// Opened as the program opens a book.
    pub(crate) async fn over(
        url: String,
        dir: Arc<TempDir>,
        clock: Arc<AtomicI64>,
        changed: Vec<(&'static str, String)>,
    ) -> Self {
        let fixed = Clock::fixed(Arc::clone(&clock));
        let store = Store::open(&url, Durability::Normal, fixed.clone(), false);
        let store = store.await.unwrap();
        let own = dir.path().join("mappings");
        let own = own.exists().then(|| own.display().to_string());
        let own = own.map(|own| ("exchange.mappings", own));
        let settings = settings(changed.iter().cloned().chain(own.clone()));
        let registry = cli::registry(&settings).unwrap();
        let common = own.is_none() && std::ptr::eq(registry, domain::collections::registry().unwrap());
        let exchange = match common {
            true => Exchange::new(registry, built_in(), &mapping::Settings::default()),
            false => cli::exchange(&settings).unwrap(),
        };
        let book = book_over(registry, store, fixed, Arc::new(exchange.projector().clone()));
        let book = book.with_outward(settings.webhooks.policy.clone());
        let book = book.in_zone(settings.time_zone.clone());
        let book = book.with_stock(cli::stock(&settings));
        let book = book.with_password_checks(settings.password_checks);
        let mut book = book.with_files(&dir.path().join("media")).await.unwrap();
        book.rules = cli::rules(&settings);
        book.list_rows = cli::list_rows(&settings);
        let book = Arc::new(book);
        let hub = Arc::new(AppState::new(Arc::clone(&book), exchange.clone(), settings));
        Self { router: router(Arc::clone(&hub)), hub, book, exchange, clock, url, dir, changed }
    }

    /// The same database, files and clock under another book.
    pub(crate) fn under(&self, book: Arc<Book>, router: Router) -> Self {
        Self { book, router, ..self.clone() }
    }

    /// Where the files of this book are stored.
    pub(crate) fn media(&self) -> PathBuf {
        self.dir.path().join("media")
    }

    /// Lets so many seconds pass.
    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// Writes a row with its id, as the system.
    pub(crate) async fn fill(&self, collection: &'static str, id: i64, data: Value) {
        self.fill_hidden(collection, id, data, Vec::new()).await;
    }

    async fn fill_hidden(&self, collection: &'static str, id: i64, data: Value, hidden: Vec<(&'static str, Cell)>) {
        let Value::Object(data) = data else { panic!("{data} is no row") };
        let row = FillRow { collection, id, data, hidden };
        self.book.fill(vec![row]).await.unwrap();
    }

    /// Deletes a row, as the system.
    pub(crate) async fn delete(&self, collection: &str, id: i64) {
        self.write(collection, Item::delete(id)).await;
    }

    /// Writes fields of a row, as the system.
    pub(crate) async fn update(&self, collection: &str, id: i64, data: Value) {
        let c = self.book.registry.get(collection).unwrap();
        let empty = Map::new();
        let (body, issues) = ops::parse_body(c, data.as_object().unwrap_or(&empty), None);
        assert!(issues.is_empty(), "{issues:?}");
        self.write(collection, Item::update(id, body)).await;
    }

    async fn write(&self, collection: &str, item: Item) {
        let c = self.book.registry.get(collection).unwrap();
        let system = Arc::new(Principal::system());
        let outcomes = self.book.write(system, c, vec![item]).await.unwrap();
        for outcome in outcomes {
            assert!(!matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
        }
    }

    /// Two farms, the first with this name, cows of theirs by id and owner; gives the tokens of
    /// the head of either farm and of an expert of the Association.
    pub(crate) async fn two_farms(&self, name: &str, cows: &[(i64, i64)]) -> TwoFarms {
        self.farm(1, name).await;
        self.farm(2, "Second").await;
        for (cow, owner) in cows {
            self.cow(*cow, *owner).await;
        }
        TwoFarms {
            farm: self.user(1, "farmer", Some(1), "head").await,
            other: self.user(2, "farmer", Some(2), "head").await,
            expert: self.user(3, "expert", None, "head").await,
        }
    }

    /// An organisation that takes part.
    pub(crate) async fn farm(&self, id: i64, name: &str) {
        let data = json!({"name": name, "presence": "registered"});
        self.fill("organizations", id, data).await;
    }

    /// A cow of an organisation, numbered as [`number`] says.
    pub(crate) async fn cow(&self, id: i64, owner: i64) {
        self.cows([id], owner, &json!({})).await;
    }

    /// Cows of an organisation with further fields, in one write.
    pub(crate) async fn cows(&self, ids: impl IntoIterator<Item = i64>, owner: i64, more: &Value) {
        let row = |id: i64| {
            let own = json!({"identNumber": number(id), "sex": "female", "owner": owner, "birthDate": "2020-01-01"});
            let data = merged(own, more).as_object().unwrap().clone();
            FillRow { collection: "animals", id, data, hidden: Vec::new() }
        };
        self.book.fill(ids.into_iter().map(row).collect()).await.unwrap();
    }

    /// A user who signed in; returns the token.
    pub(crate) async fn user(&self, id: i64, role: &str, organization: Option<i64>, org_role: &str) -> String {
        let email = format!("user{id}@example.org");
        let data = json!({
            "email": email, "role": role, "organization": organization, "orgRole": org_role,
            "lastName": "Smith", "firstName": "Ann",
        });
        let verifier = self.book.passwords.hash(PASSWORD).unwrap();
        let hidden = vec![("verifier", Cell::from(verifier))];
        self.fill_hidden("users", id, data, hidden).await;
        let body = json!({"email": email, "password": PASSWORD});
        let (status, _, answer) = self.request("POST", "/api/users/login", "", body).await;
        assert_eq!(status, 200, "{answer}");
        answer["token"].as_str().unwrap().to_owned()
    }

    /// A request; an empty token is left out, null is no body.
    pub(crate) async fn request(&self, method: &str, path: &str, token: &str, body: Value) -> Answer {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.raw(method, path, token, bytes).await
    }

    /// What a line of `ask!` does.
    pub(crate) async fn answer_to(&self, who: &str, method: &str, path: &str, body: String) -> Answer {
        self.raw(method, path, who, body).await
    }

    /// A request with a body of any bytes.
    pub(crate) async fn raw(&self, method: &str, path: &str, token: &str, body: impl Into<Body>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("host", "book.example");
        if !token.is_empty() {
            request = request.header("authorization", format!("JWT {token}"));
        }
        if matches!(method, "POST" | "PATCH") {
            request = request.header("content-type", "application/json");
        }
        self.ask(request.body(body.into()).unwrap()).await
    }

    /// Address of the database.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> Answer {
        let (parts, body) = answered(&self.router, request).await;
        let read = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&body)))
        };
        (parts.status.as_u16(), parts.headers, read)
    }

    /// What is served at an address that is no JSON.
    pub(crate) async fn text(&self, path: &str) -> (u16, String) {
        let (parts, body) = answered(&self.router, get_request(path, "", &[])).await;
        (parts.status.as_u16(), String::from_utf8(body.to_vec()).unwrap())
    }

    /// A request with further headers.
    pub(crate) async fn get_with(&self, path: &str, token: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask(get_request(path, token, headers)).await
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Answer {
        self.request("GET", path, token, Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: Value) -> Answer {
        self.request("POST", path, token, body).await
    }
}

/// A GET with further headers; an empty token is left out.
pub(crate) fn get_request(path: &str, token: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::get(path).header("host", "book.example");
    if !token.is_empty() {
        request = request.header("authorization", format!("JWT {token}"));
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

/// The number of a cow of the fixture.
pub(crate) fn number(id: i64) -> String {
    format!("643000000{id:06}")
}

/// A weight by another system.
pub(crate) fn weight(source: &str, key: u32, animal: i64) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": source, "sourceId": format!("w{key}"),
            "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": number(animal)},
        "eventDateTime": format!("2026-02-{:02}T00:00:00Z", key % 28 + 1),
        "weight": {"measurement": 500 + key, "units": "KGM", "method": "LoadCell"},
    })
}
