//! A request that is refused before its body was read leaves a connection that can be used again,
//! or whose answer says that it closes.

use super::{Server, migrated};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How often each refusal is tried, since a fault may occur only sometimes.
const ROUNDS: usize = 40;

/// Status and head of the next answer; its body is read off.
async fn answer(stream: &mut TcpStream, held: &mut Vec<u8>) -> Option<(u16, String)> {
    let mut piece = [0; 4096];
    let end = loop {
        if let Some(at) = held.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => held.extend(&piece[..read]),
        }
    };
    let head = String::from_utf8(held.drain(..end).collect()).unwrap();
    let head = head.to_ascii_lowercase();
    let (_, rest) = head.split_once("content-length: ").expect(&head);
    let length: usize = rest.split_once("\r\n").unwrap().0.parse().unwrap();
    while held.len() < length {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => held.extend(&piece[..read]),
        }
    }
    held.drain(..length);
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Some((status, head))
}

struct Refused {
    line: &'static str,
    kind: &'static str,
    status: u16,
}

const fn refused(line: &'static str, kind: &'static str, status: u16) -> Refused {
    Refused { line, kind, status }
}

const REFUSED: [Refused; 5] = [
    refused("POST /ade/v1/datasets/everything/resources", "application/json", 401),
    refused("DELETE /api/herds/1", "application/json", 403),
    refused("POST /nowhere", "application/json", 404),
    refused("PUT /ade/v1/locations", "application/json", 405),
    refused("POST /api/graphql", "text/plain", 415),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_body_that_nobody_read_leaves_the_connection_open() {
    let dir = migrated();
    let server = Server::start(dir.path(), &["--log", "warn"]);
    let body = vec![b' '; 20_000];
    for Refused { line, kind, status } in REFUSED {
        let mut lost = 0;
        for _ in 0..ROUNDS {
            let mut stream = TcpStream::connect(server.address()).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let head = format!(
                "{line} HTTP/1.1\r\nhost: book.example\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            // The body comes in pieces of its own, as it does over a net.
            stream.write_all(head.as_bytes()).await.unwrap();
            for piece in body.chunks(7_000) {
                tokio::task::yield_now().await;
                // The server may have closed already, which the next answer shows.
                let _ = stream.write_all(piece).await;
            }
            let next = b"GET /healthz/live HTTP/1.1\r\nhost: book.example\r\n\r\n";
            let _ = stream.write_all(next).await;
            let mut held = Vec::new();
            if let Some((reply, head)) = answer(&mut stream, &mut held).await {
                assert_eq!(reply, status, "{line}: {head}");
            }
            let second = answer(&mut stream, &mut held).await;
            lost += usize::from(second.is_none_or(|(reply, _)| reply != 200));
        }
        assert_eq!(lost, 0, "{line}: of {ROUNDS} next requests");
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_large_to_be_read_off_closes_the_connection_and_says_so() {
    let dir = migrated();
    let server = Server::start(dir.path(), &["--log", "warn"]);
    for line in ["POST /nowhere", "POST /api/users/login"] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let head = format!(
            "{line} HTTP/1.1\r\nhost: book.example\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            50_000_000
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let (status, head) = answer(&mut stream, &mut Vec::new()).await.expect("an answer");
        assert!(matches!(status, 404 | 413), "{head}");
        assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
    }
    // A client that waits for permission to continue never sends its body.
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = "POST /nowhere HTTP/1.1\r\nhost: book.example\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let (status, head) = answer(&mut stream, &mut Vec::new()).await.expect("an answer");
    assert_eq!(status, 404, "{head}");
    assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
    server.stop();
}
