//! Compressed bodies (`Content-Encoding`): unpacked as they are read, so that every limit counts
//! the unpacked bytes, and nothing beyond it is ever unpacked.

use crate::layers::shared::InnerService;
use crate::{Refusal, ade};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::convert::Infallible;
use tower::{ServiceExt, service_fn};
use tower_http::decompression::{DecompressionBody, RequestDecompression};

/// Content codings that bodies may have.
pub(crate) const TAKEN: HeaderValue = HeaderValue::from_static("gzip, zstd");

/// The content coding of a body (RFC 9110, 8.4).
enum Coding {
    Identity,
    /// By its name in the words of the library.
    Known(&'static str),
    Unknown,
}

/// Several ways one after the other are refused, as those that are not known.
fn packed(headers: &HeaderMap) -> Coding {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).into_iter();
    let first = match (encodings.next(), encodings.next()) {
        (None, _) => return Coding::Identity,
        (Some(first), None) => first.to_str().unwrap_or_default().trim(),
        (Some(_), Some(_)) => return Coding::Unknown,
    };
    match first.to_ascii_lowercase().as_str() {
        "" | "identity" => Coding::Identity,
        "gzip" | "x-gzip" => Coding::Known("gzip"),
        "zstd" => Coding::Known("zstd"),
        _ => Coding::Unknown,
    }
}

pub(crate) async fn unpacked(mut request: Request, next: impl InnerService) -> Response {
    match packed(request.headers()) {
        Coding::Identity => {
            request.headers_mut().remove(header::CONTENT_ENCODING);
            next.run(request).await
        }
        Coding::Unknown => refused(request.uri().path()),
        Coding::Known(name) => {
            let name = HeaderValue::from_static(name);
            (request.headers_mut()).insert(header::CONTENT_ENCODING, name);
            let mut next = Some(next);
            let inner = service_fn(move |request: Request<DecompressionBody<Body>>| {
                let next = next.take();
                async move {
                    let response = match next {
                        Some(next) => next.run(request.map(Body::new)).await,
                        None => Refusal::Packed.into_response(),
                    };
                    Ok::<_, Infallible>(response)
                }
            });
            match RequestDecompression::new(inner).oneshot(request).await {
                Ok(response) => response.map(Body::new),
                Err(never) => match never {},
            }
        }
    }
}

fn refused(path: &str) -> Response {
    let mut response = match ade::speaks(path) {
        true => ade::packed(),
        false => Refusal::Packed.into_response(),
    };
    (response.headers_mut()).insert(header::ACCEPT_ENCODING, TAKEN);
    response
}
