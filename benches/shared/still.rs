//! A server that only answers bytes, a process of its own as ours is, for comparison.

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use bytes::Bytes;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, RwLock};

/// Where it is set, the program is that server.
const STILL: &str = "HERDBOOK_BENCH_STILL";

/// It ends with the value.
pub(crate) struct Still {
    child: Child,
    pub(crate) url: String,
}

impl Still {
    /// Whether this process is to be the server.
    pub(crate) fn is_this() -> bool {
        std::env::var_os(STILL).is_some()
    }

    pub(crate) fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(STILL, "1").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        Self { child, url }
    }

    /// Answers bytes that were put there before; who knows a tag gets a 304.
    pub(crate) async fn serve() {
        let answer: Arc<RwLock<Bytes>> = Arc::default();
        let (read, write) = (Arc::clone(&answer), answer);
        let give = move |headers: HeaderMap| {
            let bytes = read.read().unwrap().clone();
            async move {
                match headers.contains_key("if-none-match") {
                    true => (StatusCode::NOT_MODIFIED, Bytes::new()),
                    false => (StatusCode::OK, bytes),
                }
            }
        };
        let put = move |bytes: Bytes| {
            *write.write().unwrap() = bytes;
            async {}
        };
        let any = axum::extract::DefaultBodyLimit::disable();
        let app = Router::new().route("/still", get(give).put(put)).layer(any);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}/still", listener.local_addr().unwrap());
        axum::serve(listener, app).await.unwrap();
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
