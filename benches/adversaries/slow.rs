//! Connections that are held: heads, bodies and answers that never end.

use crate::field::{Account, Tally, address};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Between two bytes.
const DRIP: Duration = Duration::from_millis(500);
/// The pause of the adversary before it connects again.
const PAUSE: Duration = Duration::from_millis(200);

/// The part that is slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slow {
    Head,
    Body,
    Reader,
}

/// Holds one connection from one of the addresses of the adversary, again and again.
pub(crate) async fn hold(slow: Slow, server: SocketAddr, n: u8, account: &Account, done: &Tally) {
    loop {
        if one(slow, server, n, account, done).await.is_err() {
            done.broken();
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn one(slow: Slow, server: SocketAddr, n: u8, account: &Account, done: &Tally) -> std::io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    // Bytes that are not read wait on the other side.
    socket.set_recv_buffer_size(4_096)?;
    socket.bind(SocketAddr::from((address(n), 0)))?;
    let mut stream = socket.connect(server).await?;
    let token = &account.token;
    match slow {
        Slow::Head => drip(&mut stream, "GET /api/animals HTTP/1.1\r\nHost: a\r\nX-A: ").await?,
        Slow::Body => {
            let head = format!(
                "POST /api/weighings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{{"
            );
            drip(&mut stream, &head).await?;
        }
        Slow::Reader => {
            let head = format!(
                "GET /api/milk-tests?limit=0&depth=1 HTTP/1.1\r\nHost: a\r\n\
                 Authorization: Bearer {token}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await?;
            let mut first = [0; 12];
            stream.read_exact(&mut first).await?;
            match first.ends_with(b"200") {
                true => done.answered(),
                false => done.refused(),
            }
            let mut byte = [0];
            while stream.read(&mut byte).await? > 0 {
                tokio::time::sleep(DRIP).await;
            }
        }
    }
    Ok(())
}

/// Sends a beginning, and then a byte now and then until the other side closes the connection.
async fn drip(stream: &mut TcpStream, begin: &str) -> std::io::Result<()> {
    stream.write_all(begin.as_bytes()).await?;
    let mut heard = [0; 64];
    loop {
        tokio::select! {
            read = stream.read(&mut heard) => {
                read?;
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            () = tokio::time::sleep(DRIP) => stream.write_all(b"a").await?,
        }
    }
}
