//! A connection whose reading and writing is recorded.

use super::table::About;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How a connection of HTTP/2 begins; no method of HTTP/1 does.
const PREFACE: &[u8] = b"PRI";

/// The connection.
pub(super) struct Line {
    stream: TcpStream,
    about: Arc<About>,
    /// How much of [`PREFACE`] was read; none when something else was.
    preface: Option<usize>,
}

impl Line {
    pub(super) fn new(stream: TcpStream, about: Arc<About>) -> Self {
        Self {
            stream,
            about,
            preface: Some(0),
        }
    }

    fn sniff(&mut self, read: &[u8]) {
        let Some(known) = self.preface else { return };
        let rest = PREFACE.get(known..).unwrap_or_default();
        let same = (rest.iter().zip(read)).take_while(|(a, b)| a == b).count();
        self.preface = (same == rest.len().min(read.len())).then_some(known + same);
        if self.preface == Some(PREFACE.len()) {
            self.about.shares();
            self.preface = None;
        }
    }

    fn wrote(&self, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &wrote {
            Poll::Pending => self.about.blocked(),
            Poll::Ready(Ok(bytes)) => self.about.wrote(*bytes),
            Poll::Ready(Err(_)) => {}
        }
        wrote
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = buffer.filled().get(before..).unwrap_or_default();
        if !read.is_empty() {
            self.about.read();
            self.sniff(read);
        }
        done
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.wrote(wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // What was to be written is with the system now.
        self.about.flushed();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
