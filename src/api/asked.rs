//! What of a request is wanted far from its handler: whether it may change something, the
//! host that it was sent to, and the program that sent it, as that names itself. Noted for
//! every face, where a caller may be looked up by functions that see headers only.

use super::shared::Inner;
use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderValue, header};
use axum::response::Response;

/// Longest name of a program that is kept, characters.
const AGENT_MAX: usize = 120;

/// What was noted.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// Whether the method may change something.
    pub(super) writes: bool,
    host: Option<HeaderValue>,
    authority: Option<Authority>,
    agent: Option<HeaderValue>,
}

tokio::task_local! {
    static ASKED: Asked;
}

/// Wraps every request.
pub(super) async fn heard(request: Request, next: impl Inner) -> Response {
    let asked = Asked::of(&request);
    ASKED.scope(asked, next.run(request)).await
}

impl Asked {
    fn of(request: &Request) -> Self {
        let one = |name| request.headers().get(name).cloned();
        Self {
            writes: !request.method().is_safe(),
            host: one(header::HOST),
            authority: request.uri().authority().cloned(),
            agent: one(header::USER_AGENT),
        }
    }

    /// The request that runs now. Outside of one the strictest is said.
    pub(super) fn now() -> Self {
        ASKED.try_with(Clone::clone).unwrap_or(Self {
            writes: true,
            host: None,
            authority: None,
            agent: None,
        })
    }

    /// The host, with its port where that is not the usual one of its scheme. HTTP/2 names
    /// it in the address of the request.
    pub(super) fn host(&self) -> Option<&str> {
        let header = self.host.as_ref().and_then(|host| host.to_str().ok());
        header.or(self.authority.as_ref().map(Authority::as_str))
    }

    /// The program, shortened.
    pub(super) fn agent(&self) -> Option<String> {
        let text = self.agent.as_ref()?.to_str().ok()?.trim();
        (!text.is_empty()).then(|| text.chars().take(AGENT_MAX).collect())
    }
}
