//! Unread bodies: a request may be refused before its body is read. The next request on the
//! connection comes after that body. A body that is small and arrives soon is read and dropped;
//! otherwise the answer says that the connection ends with it (RFC 9112, 9.3 and 9.6), so that no
//! client sends the next request into it.

use crate::layers::shared::InnerService;
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Version, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;

/// The most that is read off, bytes.
const SMALL: usize = 262_144;
/// How long that may take.
const SOON: Duration = Duration::from_secs(1);

/// A body whose rest can be drained after the answer: it is sent back when it is dropped.
struct DrainableBody {
    body: Option<Body>,
    back: Option<oneshot::Sender<Body>>,
}

impl HttpBody for DrainableBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = std::task::ready!(Pin::new(body).poll_frame(context));
        match frame {
            Some(Ok(_)) => {}
            // Read to its end, or broken off: nothing is left to come back.
            Some(Err(_)) | None => self.body = None,
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.body.as_ref().map(HttpBody::size_hint);
        left.unwrap_or_else(|| SizeHint::with_exact(0))
    }
}

impl Drop for DrainableBody {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take()) {
            // No receiver waits for it where the answer itself was dropped.
            let _ = back.send(body);
        }
    }
}

/// Wraps every request.
pub(crate) async fn drain(mut request: Request, next: impl InnerService) -> Response {
    // What shares its connection with others has its own end there.
    let alone = request.version() <= Version::HTTP_11;
    if !alone || request.body().is_end_stream() {
        return next.run(request).await;
    }
    // The client sends its body when it is asked to, which reading it would do.
    let waits = request.headers().contains_key(header::EXPECT);
    let (back, mut left) = oneshot::channel();
    let body = std::mem::take(request.body_mut());
    *request.body_mut() = Body::new(DrainableBody {
        body: Some(body),
        back: Some(back),
    });
    let mut response = next.run(request).await;
    let clear = match left.try_recv() {
        Err(_) => true,
        Ok(body) if body.is_end_stream() => true,
        Ok(_) if waits => false,
        Ok(body) => is_drained(body).await,
    };
    if !clear {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}

/// Reads what is left; false when it is too much, or does not come.
async fn is_drained(mut body: Body) -> bool {
    let small = u64::try_from(SMALL).unwrap_or(u64::MAX);
    if body.size_hint().lower() > small {
        return false;
    }
    let mut left = SMALL;
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return false };
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(bytes) {
                Some(fewer) => left = fewer,
                None => return false,
            }
        }
        true
    };
    tokio::time::timeout(SOON, reading).await.unwrap_or(false)
}
