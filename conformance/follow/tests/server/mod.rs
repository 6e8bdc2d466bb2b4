//! A server of one data set, `all`, whose pages a test defines.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A call of `changes`.
pub(crate) struct Request {
    line: String,
    said: String,
}

impl Request {
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let query = self.line.split(' ').nth(1)?.split_once('?')?.1;
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(n, _)| *n == name).map(|(_, value)| value).next()
    }

    /// The last word that the test passed.
    pub(crate) fn said(&self) -> Option<&str> {
        Some(self.said.as_str()).filter(|said| !said.is_empty())
    }
}

/// An answer.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
    cut: Option<usize>,
}

impl Reply {
    pub(crate) fn ok(body: String) -> Self {
        Self::status(200).body(body)
    }

    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new(), cut: None }
    }

    pub(crate) fn body(mut self, body: String) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Ends the connection after so many bytes of the body.
    pub(crate) fn cut(mut self, at: usize) -> Self {
        self.cut = Some(at);
        self
    }
}

#[derive(Default)]
struct Shared {
    said: String,
    wait: Option<u64>,
    calls: Vec<String>,
}

/// It ends with the test.
pub(crate) struct Fake {
    pub(crate) url: String,
    shared: Arc<Mutex<Shared>>,
    task: JoinHandle<()>,
}

impl Fake {
    pub(crate) async fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Mutex::new(Shared::default()));
        let state = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serve(stream, &state, &answer).await;
            }
        });
        Self { url, shared, task }
    }

    /// Passes a word to the function that answers.
    pub(crate) fn say(&self, what: &str) {
        what.clone_into(&mut self.shared.lock().unwrap().said);
    }

    /// Makes the server offer calls that wait.
    pub(crate) fn offer(&self, wait: Option<u64>) {
        self.shared.lock().unwrap().wait = wait;
    }

    /// First lines of the calls of `changes` so far.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.shared.lock().unwrap().calls.clone()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, shared: &Mutex<Shared>, answer: &impl Fn(&Request) -> Reply) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            // The client went away.
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let line = head.lines().next().unwrap().to_owned();
    let path = line.split([' ', '?']).nth(1).unwrap().to_owned();
    let reply = match path.as_str() {
        "/datasets" | "/ade/v1/datasets" => {
            let wait = shared.lock().unwrap().wait;
            let set = |name: &str| {
                let mut set = json!({"name": name, "url": "/s", "changes": "/s/changes"});
                if let Some(wait) = wait {
                    set["wait"] = wait.into();
                }
                set
            };
            Reply::ok(json!([set("all"), set("other")]).to_string())
        }
        "/s/changes" => {
            let said = {
                let mut shared = shared.lock().unwrap();
                shared.calls.push(line.clone());
                shared.said.clone()
            };
            answer(&Request { line, said })
        }
        _ => Reply::status(404),
    };
    let mut text =
        format!("HTTP/1.1 {} It\r\nContent-Length: {}\r\nConnection: close\r\n", reply.status, reply.body.len());
    for (name, value) in &reply.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(&reply.body[..reply.cut.unwrap_or(reply.body.len())]);
    // A client that closed the connection cannot receive it.
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// A page of a feed.
pub(crate) fn page(resources: &[Value], token: &str) -> String {
    let mut all = vec![json!({"id": "@context"})];
    all.extend_from_slice(resources);
    all.push(json!({"id": "@continuation", "token": token}));
    Value::from(all).to_string()
}

/// A weighing at the first location, in a version.
pub(crate) fn weight(id: &str, version: u32) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "location": {"scheme": "org.example", "id": "1"},
        "meta": {"source": "scale", "sourceId": id, "modified": format!("2026-02-01T00:00:{version:02}Z")},
        "version": version,
    })
}
