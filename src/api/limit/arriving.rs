//! Bodies of requests, as they arrive. A slow sender delays no other client: the permit is given
//! back while nothing can be read, and waited for again when the body is complete. Meanwhile the
//! request counts as one of its client's, so that the client's limit holds however slow it is.

use super::{Denied, PermitHandle};
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use futures_util::future::BoxFuture;
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

/// Why the rest of a body was not given to its handler, if it was not.
pub(super) type BodyDenial = Arc<OnceLock<Denied>>;

type Piece = Option<Result<Frame<Bytes>, axum::Error>>;

/// A body that may have to be waited for.
struct ArrivingBody {
    body: Body,
    handle: PermitHandle,
    /// The permit was given back.
    rests: bool,
    /// The last piece, and the wait for a permit.
    last: Option<(Piece, BoxFuture<'static, Result<(), Denied>>)>,
    denial: BodyDenial,
}

/// The same body; gives the permit back while nothing of it comes.
pub(super) fn arriving(body: Body, handle: PermitHandle) -> (Body, BodyDenial) {
    let denial = BodyDenial::default();
    let shared = Arc::clone(&denial);
    let body = ArrivingBody {
        body,
        handle,
        rests: false,
        last: None,
        denial,
    };
    (Body::new(body), shared)
}

impl HttpBody for ArrivingBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.last.is_none() {
            let Poll::Ready(piece) = Pin::new(&mut self.body).poll_frame(context) else {
                if !std::mem::replace(&mut self.rests, true) {
                    self.handle.arrives();
                }
                return Poll::Pending;
            };
            let whole = piece.is_none() || self.body.is_end_stream();
            if !whole || !std::mem::take(&mut self.rests) {
                return Poll::Ready(piece.map(|frame| frame.map_err(Into::into)));
            }
            let handle = self.handle.clone();
            let again = Box::pin(async move { handle.again().await });
            self.last = Some((piece, again));
        }
        let Some((_, again)) = &mut self.last else {
            return Poll::Ready(None);
        };
        let admitted = ready!(again.as_mut().poll(context));
        let piece = self.last.take().and_then(|(piece, _)| piece);
        Poll::Ready(match admitted {
            Ok(()) => piece.map(|frame| frame.map_err(Into::into)),
            Err(denied) => {
                // Set once: nothing is read after a fault.
                let _ = self.denial.set(denied);
                Some(Err(denied.message().into()))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.last.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
