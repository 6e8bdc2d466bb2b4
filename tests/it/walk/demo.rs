//! A running `herdbook demo`, and requests to it.

use crate::support::program::{Server, done, herdbook};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// Ends with the test, however that ends.
pub(crate) struct Demo {
    pub(crate) url: String,
    dir: Arc<TempDir>,
    server: Server,
    client: reqwest::Client,
}

impl Demo {
    /// On a new book of about so many animals that ends on 2025-06-30, when it is ready.
    pub(crate) fn start(animals: usize) -> Self {
        Self::over(Arc::new(tempfile::tempdir().unwrap()), animals)
    }

    /// On the book that it makes when nothing is said, which ends yesterday.
    pub(crate) fn usual() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut command = herdbook(dir.path(), &["demo", "--dir", "book", "--listen", "127.0.0.1:0", "--log", "warn"]);
        command.env_clear();
        Self::ready(command, Arc::new(dir))
    }

    /// The same book on a database of its own, served as an installation is.
    pub(crate) fn on(database: &str, animals: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let animals = animals.to_string();
        let at = ["--database-url", database];
        done(dir.path(), &[&["migrate"], &at[..]].concat());
        done(dir.path(), &[&["generate", "--animals", &animals], &at[..]].concat());
        let listen = ["serve", "--listen", "127.0.0.1:0", "--log", "warn"];
        let command = herdbook(dir.path(), &[&listen[..], &at[..]].concat());
        Self::ready(command, Arc::new(dir))
    }

    /// On the book of one that was stopped.
    pub(crate) fn again(dir: Arc<TempDir>, animals: usize) -> Self {
        Self::over(dir, animals)
    }

    fn over(dir: Arc<TempDir>, animals: usize) -> Self {
        Self::run(Path::new(env!("CARGO_BIN_EXE_herdbook")), dir, animals)
    }

    /// Of another program, on a new book.
    pub(crate) fn of(program: &Path, animals: usize) -> Self {
        Self::run(program, Arc::new(tempfile::tempdir().unwrap()), animals)
    }

    fn run(program: &Path, dir: Arc<TempDir>, animals: usize) -> Self {
        let mut command = Command::new(program);
        command.current_dir(dir.path()).env_clear();
        command.args(["demo", "--dir", "book", "--listen", "127.0.0.1:0"]);
        command.args(["--log", "warn", "--animals", &animals.to_string(), "--last-day", "2025-06-30"]);
        Self::ready(command, dir)
    }

    /// Started, and ready for requests.
    fn ready(command: Command, dir: Arc<TempDir>) -> Self {
        let server = Server::of(dir.path(), command);
        Self { url: server.url.clone(), dir, server, client: reqwest::Client::new() }
    }

    /// Its output so far on standard error.
    pub(crate) fn log_text(&self) -> String {
        self.server.log_text()
    }

    /// Ends as it should on SIGTERM; gives back the folder of the book.
    pub(crate) fn stop(self) -> Arc<TempDir> {
        self.server.stop();
        self.dir
    }

    /// A token for one of the demonstration accounts.
    pub(crate) async fn sign_in(&self, email: &str) -> String {
        let address = format!("{}/api/users/login", self.url);
        let body = json!({"email": email, "password": "demo-herdbook"});
        let answer = self.client.post(address).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.unwrap();
        answer["token"].as_str().unwrap().to_owned()
    }

    /// A page that must be there, by its path or by a link of another page.
    pub(crate) async fn get(&self, token: &str, address: &str) -> Value {
        let whole = match address.strip_prefix('/') {
            Some(_) => format!("{}{address}", self.url),
            None => address.to_owned(),
        };
        let request = self.client.get(&whole);
        let answer = request.header("Authorization", format!("JWT {token}"));
        let answer = answer.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{whole}");
        assert_eq!(answer.headers()["x-icar-ade-version"], "1.5.1", "{whole}");
        assert!(!answer.headers().contains_key("icar-full-sync"), "{whole}");
        answer.json().await.unwrap()
    }

    /// Status and body of a GET; without a token as a stranger.
    pub(crate) async fn ask(&self, token: &str, path: &str) -> (u16, Value) {
        let mut request = self.client.get(format!("{}{path}", self.url));
        if !token.is_empty() {
            request = request.header("Authorization", format!("JWT {token}"));
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    pub(crate) async fn post(&self, token: &str, path: &str, body: &Value) -> (u16, Value) {
        let request = self.client.post(format!("{}{path}", self.url));
        let request = match token {
            "" => request,
            token => request.header("Authorization", format!("JWT {token}")),
        };
        let answer = request.json(body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// The content of a feed after a token, to its end, and the token there.
    pub(crate) async fn feed(&self, token: &str, set: &str, since: Option<&str>) -> (Vec<Value>, String) {
        let mut resources = Vec::new();
        let mut since = since.map(str::to_owned);
        loop {
            let mut address = format!("/ade/v1/datasets/{set}/changes?limit=400");
            if let Some(since) = &since {
                address.push_str(&format!("&since={since}"));
            }
            let page = self.get(token, &address).await;
            let elements = page.as_array().unwrap();
            let [first, found @ .., last] = elements.as_slice() else {
                panic!("a context and a continuation: {page}");
            };
            assert_eq!(first["id"], "@context");
            assert_eq!(last["id"], "@continuation");
            let next = last["token"].as_str().unwrap().to_owned();
            if found.is_empty() {
                return (resources, next);
            }
            resources.extend_from_slice(found);
            since = Some(next);
        }
    }
}
