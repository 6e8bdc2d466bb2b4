//! Bodies that are counted as they pass, and bodies of requests as they arrive.

use super::{Denied, PermitHandle};
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use futures_util::{FutureExt, StreamExt};
use http_body::Frame;
use http_body_util::BodyExt;
use std::sync::{Arc, OnceLock};

/// The bytes that passed, reported when nothing more will.
struct Passed<F: FnOnce(u64)> {
    bytes: u64,
    report: Option<F>,
}

impl<F: FnOnce(u64)> Passed<F> {
    fn add(&mut self, frame: &Frame<Bytes>) {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

impl<F: FnOnce(u64)> Drop for Passed<F> {
    fn drop(&mut self) {
        if let Some(report) = self.report.take() {
            report(self.bytes);
        }
    }
}

/// Counts a body: reports how many bytes passed when it is dropped, after what is done for it has ended.
pub(super) fn counted(body: Body, report: impl FnOnce(u64) + Send + 'static) -> Body {
    let mut passed = Passed { bytes: 0, report: Some(report) };
    // The body is dropped before the function.
    Body::new(body.map_frame(move |frame| {
        passed.add(&frame);
        frame
    }))
}

/// Why the rest of a body was not given to its handler, if it was not.
pub(super) type BodyDenial = Arc<OnceLock<Denied>>;

/// Waits for a body. A slow sender delays no other client: the permit is given back while nothing can be read, and waited
/// for again when the body is complete. Meanwhile the request counts as one of its client's, so that the client's limit
/// holds however slow it is.
pub(super) fn arriving(body: Body, handle: PermitHandle) -> (Body, BodyDenial) {
    let denial = BodyDenial::default();
    let shared = Arc::clone(&denial);
    let pieces = async_stream::stream! {
        let mut body = body.into_data_stream();
        let mut rests = false;
        loop {
            let mut next = body.next();
            let piece = match (&mut next).now_or_never() {
                Some(piece) => piece,
                None => {
                    if !std::mem::replace(&mut rests, true) {
                        handle.arrives();
                    }
                    next.await
                }
            };
            let whole = piece.is_none() || body.is_end_stream();
            if whole
                && std::mem::take(&mut rests)
                && let Err(denied) = handle.reenter().await
            {
                // Set once: nothing is read after a fault.
                let _ = denial.set(denied);
                yield Err(BoxError::from(denied.message()));
                return;
            }
            match piece {
                Some(piece) => yield piece.map_err(BoxError::from),
                None => return,
            }
        }
    };
    (Body::from_stream(pieces), shared)
}
