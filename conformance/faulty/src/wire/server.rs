//! The connection: axum above, hyper below, so that the case of headers can be chosen and bodies can break off.

use super::answer::Answer;
use super::request::Request;
use crate::mode::Mode;
use crate::watch::Exchange;
use crate::world::{Options, World};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Response};
use bytes::Bytes;
use futures_util::stream;
use http_body_util::BodyExt as _;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// Chunks of a body that comes byte by byte, at most: those of a long one have a few bytes.
const PIECES: usize = 1_000;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct Server {
    world: Arc<World>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts one on the present runtime.
    ///
    /// # Errors
    /// When the address cannot be listened to.
    pub async fn start(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let capitals = options.modes.contains(&Mode::HeaderCase);
        let world = Arc::new(World::new(options));
        let router = Router::new().fallback(handle).with_state(Arc::clone(&world));
        let task = tokio::spawn(listen(listener, router, capitals));
        Ok(Self { world, address, task })
    }

    /// Its address, without a path.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests and answers since the start.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.world.log().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, router: Router, capitals: bool) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        connections.spawn(async move {
            let mut http = http1::Builder::new();
            http.title_case_headers(capitals);
            // A client that goes away is no fault of the server.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn handle(State(world): State<Arc<World>>, request: axum::http::Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut read = Request::new(parts.method.as_str(), parts.uri.path(), parts.uri.query().unwrap_or_default());
    for (name, value) in &parts.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        read.headers.push((name.as_str().to_owned(), value));
    }
    read.origin = format!("http://{}", read.header("host").unwrap_or("127.0.0.1"));
    if let Ok(body) = body.collect().await {
        read.body = body.to_bytes().to_vec();
    }
    let answer = world.answer(&read).await;
    respond(answer, read.method == "HEAD", world.has(Mode::ByteByByte))
}

fn respond(answer: Answer, head: bool, byte_by_byte: bool) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = axum::http::StatusCode::from_u16(answer.status).unwrap_or_default();
    for (name, value) in &answer.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            response.headers_mut().append(name, value);
        }
    }
    let length = HeaderValue::from(answer.body.len());
    if head {
        response.headers_mut().insert("content-length", length);
        return response;
    }
    let body = Bytes::from(answer.body);
    if let Some(cut) = answer.cut {
        response.headers_mut().insert("content-length", length);
        let sent = body.slice(..cut.min(body.len()));
        let pieces = stream::unfold(Some(sent), |sent| async move {
            if let Some(sent) = sent {
                return Some((Ok(sent), None));
            }
            // Time for the sent bytes to leave; otherwise nothing of the answer does.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let broken = io::Error::new(io::ErrorKind::ConnectionReset, "broken off on purpose");
            Some((Err(broken), None))
        });
        *response.body_mut() = Body::from_stream(pieces);
    } else if byte_by_byte && !body.is_empty() {
        let size = body.len().div_ceil(PIECES);
        let starts = (0..body.len()).step_by(size);
        let pieces = starts.map(|at| body.slice(at..(at + size).min(body.len())));
        let pieces = pieces.map(Ok::<_, io::Error>);
        *response.body_mut() = Body::from_stream(stream::iter(pieces.collect::<Vec<_>>()));
    } else {
        *response.body_mut() = Body::from(body);
    }
    response
}
