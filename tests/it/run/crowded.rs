//! More connections than there is room for: health is answered, and others are served.

use super::{SECRET, Server, migrated};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that may open so many files.
fn narrow(dir: &Path, files: u32, variables: &[(&str, &str)]) -> Server {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_herdbook");
    let script = format!("ulimit -n {files}; exec '{program}' serve --listen 127.0.0.1:0 --log warn");
    command.args(["-c", &script]).current_dir(dir).env_clear();
    command.env("HERDBOOK_SECURITY_SECRET", SECRET);
    command.envs(variables.iter().copied());
    Server::of(dir, command)
}

/// The answer to one request on a connection of its own; `None` without one.
async fn get_once(server: &Server, path: &str) -> Option<String> {
    let asking = async {
        let mut stream = TcpStream::connect(server.address()).await.ok()?;
        let head = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await.ok()?;
        Some(text).filter(|text| !text.is_empty())
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("in time")
}

fn status(answer: Option<&str>) -> u16 {
    let answer = answer.expect("an answer");
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Connections that sent a part of a request, and nothing more.
async fn partial_requests(server: &Server, count: usize, head: &str) -> Vec<TcpStream> {
    let mut all = Vec::new();
    for _ in 0..count {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        // The server may have closed it by now.
        let _ = stream.write_all(head.as_bytes()).await;
        all.push(stream);
    }
    all
}

/// Waits until the other end closes.
async fn closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut read = Vec::new();
    let reading = stream.read_to_end(&mut read);
    // A reset is an end as well.
    let _ = tokio::time::timeout(PATIENCE, reading).await.expect("an end");
    read
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_sent_heads_keep_nobody_out() {
    let dir = migrated();
    let server = narrow(dir.path(), 400, &[("HERDBOOK_LIMITS_HEAD_TIME", "4")]);
    let half = "GET /api/animals HTTP/1.1\r\nhost: a\r\n";
    let mut held = partial_requests(&server, 450, half).await;
    for path in ["/healthz", "/healthz/live", "/api/animals"] {
        assert_eq!(status(get_once(&server, path).await.as_deref()), 200, "{path}");
    }
    // After their time all of them are closed, without an answer.
    for stream in &mut held {
        assert!(closed(stream).await.is_empty());
    }
    for _ in 0..20 {
        assert_eq!(status(get_once(&server, "/healthz").await.as_deref()), 200);
    }
    let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
    assert!(!log.contains("no connection can be accepted"), "{log}");
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_house_tells_its_health_and_says_that_it_is_full() {
    let dir = migrated();
    let few = [
        ("HERDBOOK_LIMITS_CONNECTIONS", "20"),
        ("HERDBOOK_LIMITS_CONNECTIONS_BY_ADDRESS", "0"),
        ("HERDBOOK_LIMITS_REQUEST_TIME", "5"),
    ];
    let server = narrow(dir.path(), 1_024, &few);
    // Each of these is being answered, as far as the server knows: its body is to come.
    let begun =
        "POST /api/users/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{";
    let mut held = Vec::new();
    let full = async {
        loop {
            // A connection whose head was not read yet may have been closed to make room.
            held.extend(partial_requests(&server, 20, begun).await);
            let answer = get_once(&server, "/api").await.unwrap_or_default();
            if answer.starts_with("HTTP/1.1 503 ") {
                return answer;
            }
        }
    };
    let answer = tokio::time::timeout(PATIENCE, full).await.expect("a full house");
    let head = answer.to_ascii_lowercase();
    for line in ["connection: close", "x-content-type-options: nosniff"] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {answer}");
    }
    // A second, and up to two more, so that not all come back at once.
    let wait = head.lines().find_map(|line| line.strip_prefix("retry-after: "));
    let wait: u64 = wait.expect("a time to come back").parse().unwrap();
    assert!((1..=3).contains(&wait), "{answer}");
    assert!(answer.contains("too busy"), "{answer}");
    assert_eq!(status(get_once(&server, "/healthz").await.as_deref()), 200);
    // Clients that never send their bodies have a time limit as well.
    for stream in &mut held {
        closed(stream).await;
    }
    drop(held);
    assert_eq!(status(get_once(&server, "/api").await.as_deref()), 200);
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_has_so_many_connections() {
    let dir = migrated();
    let few = [("HERDBOOK_LIMITS_CONNECTIONS_BY_ADDRESS", "10")];
    let server = narrow(dir.path(), 1_024, &few);
    let mut held = partial_requests(&server, 30, "GET / HTTP/1.1\r\n").await;
    // The older ones made room, long before their time was over.
    let begun = tokio::time::Instant::now();
    for stream in held.iter_mut().take(20) {
        closed(stream).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(8));
    // The others may still go on.
    for stream in held.iter_mut().skip(20) {
        stream.write_all(b"host: a\r\nconnection: close\r\n\r\n").await.unwrap();
        assert!(closed(stream).await.starts_with(b"HTTP/1.1 200 "));
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_that_are_too_large_are_refused() {
    let dir = migrated();
    let server = narrow(dir.path(), 1_024, &[]);
    let lines: String = (0..150).map(|n| format!("x-{n}: 1\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(200_000));
    for more in [lines, long] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let head = format!("GET / HTTP/1.1\r\nhost: a\r\n{more}\r\n");
        let _ = stream.write_all(head.as_bytes()).await;
        let mut piece = [0; 12];
        let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut piece));
        read.await.expect("in time").unwrap();
        assert_eq!(&piece, b"HTTP/1.1 431");
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_takes_nothing_of_an_answer_is_let_go() {
    let dir = migrated();
    let short = [("HERDBOOK_LIMITS_STALL_TIME", "1")];
    let server = narrow(dir.path(), 1_024, &short);
    let one = get_once(&server, "/api-docs/openapi.json").await.expect("an answer");
    assert_eq!(status(Some(&one)), 200);
    // More than the system buffers for a client that does not read.
    let times = 1 + 64_000_000 / one.len();
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let address = server.address().parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = "GET /api-docs/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(times);
    let writing = tokio::time::timeout(PATIENCE, stream.write_all(head.as_bytes()));
    writing.await.expect("in time").unwrap();
    let ended = async {
        loop {
            let numbers = get_once(&server, "/metrics").await.expect("numbers");
            // The connection of this request is open; that of the one before may still be for a moment.
            let alone = numbers.contains("\nherdbook_connections_open 1\n");
            if alone && numbers.contains("herdbook_connections_ended_total{why=\"time\"} 1\n") {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("an end");
    let got = closed(&mut stream).await;
    assert!(got.len() < one.len() * times, "{} of {times}", got.len());
    server.stop();
}

/// Kinds of frames of HTTP/2.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, of: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(of.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A connection with so many requests: the settings of the client, the flags of each request, how its first lines are
/// written, and for each further one how its name is written, and its text.
async fn opened(
    server: &Server,
    settings: &[u8],
    requests: u32,
    flags: u8,
    first: [u8; 2],
    lines: &[(&[u8], &str)],
) -> TcpStream {
    let mut block = first.to_vec();
    for (name, text) in lines {
        block.extend(*name);
        block.push(u8::try_from(text.len()).unwrap());
        block.extend(text.as_bytes());
    }
    let mut said = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    said.extend(frame(SETTINGS, 0, 0, settings));
    for n in 0..requests {
        said.extend(frame(HEADERS, flags, 2 * n + 1, &block));
    }
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(&said).await.unwrap();
    stream
}

/// The next frame: its kind, flags, stream, and what it holds. Settings are acknowledged.
async fn next_frame(stream: &mut TcpStream) -> (u8, u8, u32, Vec<u8>) {
    let reading = async {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        stream.read_exact(&mut payload).await.unwrap();
        let of = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if (head[3], head[4]) == (SETTINGS, 0) {
            let heard = frame(SETTINGS, 1, 0, &[]);
            stream.write_all(&heard).await.unwrap();
        }
        (head[3], head[4], of, payload)
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("a frame")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_of_http2_has_so_many_requests() {
    let dir = migrated();
    // Bodies of two requests never come.
    let few = [("HERDBOOK_LIMITS_STREAMS", "3"), ("HERDBOOK_LIMITS_DRAIN_TIME", "1")];
    let server = narrow(dir.path(), 1_024, &few);
    // POST over http, the address, the host, and the kind of a body that is to come.
    let lines: [(&[u8], &str); 3] =
        [(&[0x04], "/api/users/login"), (&[0x01], "a"), (b"\x00\x0ccontent-type", "application/json")];
    let mut stream = opened(&server, &[], 5, 4, [0x83, 0x86], &lines).await;
    let (mut most, mut refused) = (None, Vec::new());
    while refused.len() < 2 {
        let (kind, flags, of, payload) = next_frame(&mut stream).await;
        match kind {
            SETTINGS if flags == 0 => {
                let mut all = payload.chunks(6);
                most = all.find(|one| one[..2] == [0, 3]).map(<[u8]>::to_vec);
            }
            RESET => refused.push((of, payload)),
            _ => {}
        }
    }
    assert_eq!(most, Some(vec![0, 3, 0, 0, 0, 3]));
    // Refused streams were not worked on: the other end may ask again.
    let second = vec![0, 0, 0, 7];
    assert_eq!(refused, [(7, second.clone()), (9, second)]);
    // Accepted streams are answered once their bodies have come.
    let body = frame(DATA, 1, 1, b"{}");
    stream.write_all(&body).await.unwrap();
    while !matches!(next_frame(&mut stream).await, (HEADERS, _, 1, _)) {}
    server.stop();
}

/// A client that takes nothing of its answers does not make the server hold any number of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_nobody_takes_are_bounded() {
    const STREAMS: u32 = 90;
    let dir = migrated();
    let server = narrow(dir.path(), 1_024, &[("HERDBOOK_LIMITS_DRAIN_TIME", "1")]);
    let document = get_once(&server, "/api-docs/openapi.json").await.unwrap();
    assert_eq!(status(Some(&document)), 200);
    // No byte of a body may be sent.
    let settings = [0, 4, 0, 0, 0, 0];
    let lines: [(&[u8], &str); 2] = [(&[0x04], "/api-docs/openapi.json"), (&[0x01], "a")];
    let mut stream = opened(&server, &settings, STREAMS, 5, [0x82, 0x86], &lines).await;
    let (mut held, mut refused) = (0, 0);
    while held + refused < STREAMS {
        let (kind, _, _, payload) = next_frame(&mut stream).await;
        match kind {
            // The status of success is one byte.
            HEADERS if payload[0] == 0x88 => held += 1,
            HEADERS => refused += 1,
            _ => {}
        }
    }
    let bytes = usize::try_from(held).unwrap() * document.len();
    assert!(bytes <= 33 << 20, "{held} answers of {bytes} bytes");
    assert!(held > 1 && refused > 1, "{held} and {refused}");
    // Others are served.
    assert_eq!(status(get_once(&server, "/healthz").await.as_deref()), 200);
    server.stop();
}
