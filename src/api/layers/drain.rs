//! Unread bodies: a request may be refused before its body is read. The next request on the connection comes after that
//! body. A body that is small and arrives soon is read and dropped; otherwise the answer says that the connection ends
//! with it (RFC 9112, 9.3 and 9.6), so that no client sends the next request into it.

use crate::layers::shared::InnerService;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Version, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

/// The most that is read off, bytes.
const SMALL: usize = 262_144;
/// How long that may take.
const SOON: Duration = Duration::from_secs(1);

/// A body whose rest can be read after its handler dropped it.
struct SharedBody(Arc<Mutex<Body>>);

impl SharedBody {
    fn body(&self) -> MutexGuard<'_, Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut body = self.body();
        let frame = std::task::ready!(Pin::new(&mut *body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            // A body in chunks does not know that it came to its end.
            *body = Body::empty();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body().size_hint()
    }
}

pub(crate) async fn drain(mut request: Request, next: impl InnerService) -> Response {
    // What shares its connection with others has its own end there.
    let alone = request.version() <= Version::HTTP_11;
    if !alone || request.body().is_end_stream() {
        return next.run(request).await;
    }
    // The client waits for `100 Continue` before it sends its body; reading the body would send that.
    let waits = request.headers().contains_key(header::EXPECT);
    let body = Arc::new(Mutex::new(std::mem::take(request.body_mut())));
    *request.body_mut() = Body::new(SharedBody(Arc::clone(&body)));
    let mut response = next.run(request).await;
    // None: it is read still, as the answer is made.
    let body = Arc::into_inner(body).map(|body| body.into_inner());
    let clear = match body.map(|body| body.unwrap_or_else(PoisonError::into_inner)) {
        None => true,
        Some(body) if body.is_end_stream() => true,
        Some(_) if waits => false,
        Some(body) => is_drained(body).await,
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
    let mut room = SMALL;
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return false };
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match room.checked_sub(bytes) {
                Some(fewer) => room = fewer,
                None => return false,
            }
        }
        true
    };
    tokio::time::timeout(SOON, reading).await.unwrap_or(false)
}
