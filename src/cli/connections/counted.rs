//! The body of an answer that reports when its reader is gone, and how much of it still waits to be sent.

use super::table::Running;
use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Longest piece of a body in memory that is handed over at a time, bytes.
pub(super) const PIECE: usize = 16_384;

/// A body, during which its request counts as running.
pub(super) struct Counted {
    body: Body,
    /// The rest of a frame of the body.
    rest: Bytes,
    /// Longer than a piece, as far as is known: who takes a short answer may leave a long one beside it.
    long: bool,
    running: Running,
}

impl Counted {
    pub(super) fn new(body: Body, mut running: Running) -> Self {
        running.waits();
        let exact = body.size_hint().exact();
        let long = !exact.is_some_and(|n| usize::try_from(n).is_ok_and(|n| n <= PIECE));
        Self { long, body, rest: Bytes::new(), running }
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.long {
            self.running.moves();
        }
        self.running.goes_on();
        if self.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        self.running.sent(length);
        self.running.waits();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let body = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower().saturating_add(rest));
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
