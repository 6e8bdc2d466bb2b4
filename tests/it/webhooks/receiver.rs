//! The receiver of a partner: a server on the loopback that records requests and answers as configured.

use super::verify::verified;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// A message as it came.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Message {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).expect(name).to_str().unwrap()
    }
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect(&self.text)
    }
    pub(super) fn sequence(&self) -> i64 {
        let sequence = &self.json()["data"]["sequence"];
        sequence.as_str().expect("text").parse().unwrap()
    }
    /// Which of the signatures are those of this key, as a partner checks them.
    pub(super) fn signed_by(&self, key: &str) -> Vec<bool> {
        let (id, sent) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let now = sent.parse::<i64>().unwrap() + 299;
        let fits = |one: &str, body: &str, now| verified(key, [id, sent, one], body, now);
        let all = self.header("webhook-signature").split(' ');
        all.map(|one| {
            assert!(!fits(one, &format!("{} ", self.text), now));
            assert!(!fits(one, &self.text, now + 2));
            fits(one, &self.text, now)
        })
        .collect()
    }
}

#[derive(Default)]
struct Inside {
    messages: Mutex<Vec<Message>>,
    /// Status of the answers; 0: none comes.
    status: Mutex<u16>,
    came: Notify,
}

pub(super) struct Receiver {
    pub(super) url: String,
    pub(super) port: u16,
    inside: Arc<Inside>,
    task: tokio::task::JoinHandle<()>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        Self::on(listener, format!("http://127.0.0.1:{port}/in"), port)
    }

    /// Receives requests on this listener, which callers reach by that URL.
    pub(super) fn on<L>(listener: L, url: String, port: u16) -> Self
    where
        L: Listener,
        L::Addr: Debug,
    {
        let inside = Arc::new(Inside::default());
        *inside.status.lock().unwrap() = 204;
        let router = Router::new().fallback(take).with_state(Arc::clone(&inside));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, port, inside, task }
    }

    /// Sets the status of further answers; 0: none at all.
    pub(super) fn answer(&self, status: u16) {
        *self.inside.status.lock().unwrap() = status;
    }

    /// The requests since the last call.
    pub(super) fn taken(&self) -> Vec<Message> {
        std::mem::take(&mut self.inside.messages.lock().unwrap())
    }

    /// The single message since the last call.
    pub(super) fn one(&self) -> Message {
        let mut all = self.taken();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Waits for the next one.
    pub(super) async fn next(&self) -> Message {
        loop {
            let came = self.inside.came.notified();
            let first = {
                let mut seen = self.inside.messages.lock().unwrap();
                (!seen.is_empty()).then(|| seen.remove(0))
            };
            match first {
                Some(seen) => return seen,
                None => came.await,
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(inside): State<Arc<Inside>>, headers: HeaderMap, body: Bytes) -> Response {
    let text = String::from_utf8(body.to_vec()).unwrap();
    inside.messages.lock().unwrap().push(Message { headers, text });
    inside.came.notify_one();
    let status = *inside.status.lock().unwrap();
    match status {
        0 => std::future::pending().await,
        300..400 => {
            let to = [(header::LOCATION, "/elsewhere")];
            (StatusCode::from_u16(status).unwrap(), to).into_response()
        }
        _ => (StatusCode::from_u16(status).unwrap(), "x".repeat(100_000)).into_response(),
    }
}
