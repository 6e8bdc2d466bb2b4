//! Connections from outside: their limits (of one address and in all, for the time of the head of a
//! request, of rest between two requests, and of not reading an answer), and the handling of
//! connections beyond them. It does not look at the requests.
//!
//! Answers in memory wait to be sent within a limit of bytes, of one address and in all: readers that take nothing
//! do not fill the memory.
//!
//! A connection beyond a limit takes the place of a connection that answers nothing: one that has
//! not sent a whole head, or rests. Where all answer something, a few more are accepted that may
//! request health only, so that a full server can be distinguished from a dead one.

mod counted;
mod table;
#[cfg(test)]
mod tests;

use self::counted::{Counted, PIECE};
use self::table::{Connection, End, Table, ms};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, Request};
use config::Connections as Rules;
use hyper::Version;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::io::{InspectReader, InspectWriter};
use tower::ServiceExt;

/// How often connections are checked.
const LOOK: Duration = Duration::from_millis(500);
/// How long nothing is accepted when the process may open no more files.
const EXHAUSTED: Duration = Duration::from_millis(50);
/// Longest head of a request, bytes: the longest address and as much of other lines.
const HEAD: usize = 131_072;
/// Most lines of a head.
const LINES: usize = 100;
/// Longest head of a request of HTTP/2, bytes, with 32 more for each line.
const HEADER_LIST: u32 = 65_536;
/// Streams that were reset before they were served, of one connection.
const RESETS: usize = 20;
/// Streams that this side reset for faults of the other, of one connection.
const FAULTS: usize = 100;
/// What waits to be taken of one stream, bytes.
const WAITING: usize = 131_072;
/// Interval of pings of the other end of a connection (HTTP/2), and how long it may take to say so.
const PING: Duration = Duration::from_secs(20);

/// Fewest connections, regardless of how many files the process may open.
const FEWEST: usize = 16;

/// The rules of the settings, within the number of files that the process may open: a quarter of them, 64 at least, is
/// reserved for the book, uploads and what the server itself connects to.
pub(super) fn rules(settings: &config::Limits, files: Option<usize>) -> Rules {
    let c = settings.connections;
    let room = files.map(|files| files.saturating_sub((files / 4).max(64)).max(FEWEST));
    let most = match (c.most, room) {
        (0, room) => room.unwrap_or(usize::MAX),
        (most, room) => most.min(room.unwrap_or(usize::MAX)),
    };
    // Behind a proxy all connections are its.
    let by_address = match settings.trusted_proxies {
        0 => c.by_address.min(most.div_ceil(2)),
        _ => 0,
    };
    Rules { most, by_address, ..c }
}

/// The rules of an address that few clients know.
pub(super) fn few(settings: &config::Limits) -> Rules {
    Rules { most: FEWEST, by_address: 0, ..settings.connections }
}

/// Serves until `stop` completes, then lets running requests end.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    rules: Rules,
    counts: Arc<api::Connected>,
    stop: impl Future<Output = ()>,
) {
    let start = Instant::now();
    let time = Arc::new(move || ms(start.elapsed()).saturating_add(1));
    let table = Arc::new(Table::new(rules, time, counts));
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            () = &mut stop => break,
            _ = look.tick() => table.look(),
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            // Connections that are ending hold their files until they have ended.
            accepted = listener.accept(), if table.has_room() => match accepted {
                Ok((stream, address)) => {
                    if let Some(connection) = table.admit(address) {
                        tasks.spawn(connected(stream, address, connection, router.clone(), rules));
                    }
                }
                Err(fault) => refused(&fault, &table).await,
            },
        }
    }
    drop(listener);
    table.close();
    loop {
        tokio::select! {
            ended = tasks.join_next() => if ended.is_none() { break },
            _ = look.tick() => table.look(),
        }
    }
}

/// What cannot be accepted: it went away, or the process may open no more files.
async fn refused(fault: &io::Error, table: &Table) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if matches!(fault.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        return;
    }
    tracing::error!(%fault, "no connection can be accepted");
    table.make_room();
    // Until a file is closed the next attempt fails alike.
    tokio::time::sleep(EXHAUSTED).await;
}

async fn connected(stream: TcpStream, address: SocketAddr, connection: Connection, router: Router, rules: Rules) {
    let mut builder = Builder::new(TokioExecutor::new());
    (builder.http1())
        .timer(TokioTimer::new())
        // One time for both, a head and idleness, which the table distinguishes; 30 seconds unless it is switched off.
        .header_read_timeout(None::<Duration>)
        .max_buf_size(HEAD)
        .max_headers(LINES);
    (builder.http2())
        .timer(TokioTimer::new())
        .max_concurrent_streams(rules.streams)
        .max_pending_accept_reset_streams(RESETS)
        .max_local_error_reset_streams(FAULTS)
        .max_header_list_size(HEADER_LIST)
        .max_send_buf_size(WAITING)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING);
    let own =
        stream.local_addr().map(|own| api::LocalAddress(SocketAddr::new(own.ip().to_canonical(), own.port()))).ok();
    let mut ending = connection.ending();
    // The end may have been announced before this receiver listened.
    ending.mark_changed();
    let [reads, writes, about] = std::array::from_fn(|_| Arc::clone(&connection.about));
    let table = Arc::clone(&connection.table);
    let stream = InspectReader::new(stream, move |bytes: &[u8]| {
        if !bytes.is_empty() {
            reads.read();
        }
    });
    let stream = InspectWriter::new(stream, move |bytes: &[u8]| writes.wrote(bytes.len()));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut running = about.begin(request.version() == Version::HTTP_2);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(address));
        if let Some(own) = own {
            request.extensions_mut().insert(own);
        }
        let answering = answer(router.clone(), request, about.is_extra());
        let table = Arc::clone(&table);
        // Of HTTP/1, who takes nothing of an answer keeps the next one from being made.
        running.waits();
        async move {
            running.goes_on();
            let response = answering.await;
            let bytes = response.body().size_hint().exact().unwrap_or(0);
            let short = usize::try_from(bytes).is_ok_and(|bytes| bytes <= PIECE);
            let response = match short || table.holds(&mut running, bytes) {
                true => response,
                false => api::crowded(),
            };
            Ok::<_, Infallible>(response.map(|body| Counted::new(body, running)))
        }
    });
    let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            done = served.as_mut() => {
                if let Err(fault) = done {
                    tracing::debug!(fault = &*fault, "a connection broke off");
                }
                break;
            }
            change = ending.changed() => match (change, *ending.borrow_and_update()) {
                (Ok(()), End::Gently) => served.as_mut().graceful_shutdown(),
                (Ok(()), End::Not) => {}
                _ => break,
            },
        }
    }
}

/// A connection beyond the limit may request health only.
async fn answer(router: Router, request: Request, extra: bool) -> axum::response::Response {
    if extra && !request.uri().path().starts_with("/healthz") {
        return api::crowded();
    }
    match router.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
