//! A server of a few lines for tests: a function from the request to the bytes of the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Answers the head of a request; also receives the number of the request.
pub(crate) trait Answer: Fn(usize, &str) -> String + Send + Sync + 'static {}
impl<F: Fn(usize, &str) -> String + Send + Sync + 'static> Answer for F {}

/// Serves until the test ends; gives the address without a path.
pub(crate) async fn serve(answer: impl Answer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (answer, turns) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, Arc::clone(&answer), Arc::clone(&turns)));
        }
    });
    url
}

async fn talk(mut stream: TcpStream, answer: Arc<impl Answer>, turns: Arc<AtomicUsize>) {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut piece).await {
            Ok(n) if n > 0 => request.extend_from_slice(&piece[..n]),
            _ => return,
        }
    }
    let turn = turns.fetch_add(1, Ordering::SeqCst) + 1;
    let answer = answer(turn, &String::from_utf8_lossy(&request));
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// The path of a request, without its parameters.
pub(crate) fn path(request: &str) -> &str {
    let target = request.split(' ').nth(1).unwrap_or_default();
    target.split('?').next().unwrap_or_default()
}

/// An answer whose body is `lacking` bytes shorter than its stated length. `fields` end with their line ends.
pub(crate) fn answer(status: u16, kind: &str, fields: &str, body: &str, lacking: usize) -> String {
    let length = body.len() + lacking;
    format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\n{fields}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
