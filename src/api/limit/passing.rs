//! Bodies that are counted as they pass, in both directions.

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body whose bytes are counted. The number is reported at its end, or when it is dropped.
struct CountedBody<F: FnOnce(u64) + Send + Unpin + 'static> {
    body: Body,
    bytes: u64,
    report: Option<F>,
}

/// The same body; reports how many bytes passed.
pub(super) fn counted(body: Body, report: impl FnOnce(u64) + Send + Unpin + 'static) -> Body {
    Body::new(CountedBody {
        body,
        bytes: 0,
        report: Some(report),
    })
}

impl<F: FnOnce(u64) + Send + Unpin + 'static> HttpBody for CountedBody<F> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            let more = u64::try_from(data.len()).unwrap_or(u64::MAX);
            self.bytes = self.bytes.saturating_add(more);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<F: FnOnce(u64) + Send + Unpin + 'static> Drop for CountedBody<F> {
    fn drop(&mut self) {
        if let Some(report) = self.report.take() {
            // What is being done for it ends first, and is counted.
            self.body = Body::empty();
            report(self.bytes);
        }
    }
}
