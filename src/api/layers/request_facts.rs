//! Facts of a request that are needed far from its handler: whether it may change something, the host that it was sent
//! to, the page that it comes from, the name of the program that sent it, and its address.
//! Recorded for every face, where a caller may be looked up by functions that see headers only.

use super::peer::{self, LocalAddress};
use crate::AppState;
use crate::layers::shared::InnerService;
use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use model::registry::Principal;
use secure::session::SignInHeaders;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Longest stored name of a program, characters.
const AGENT_MAX: usize = 120;

/// From where a browser says that a request comes.
pub(crate) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Debug, Default)]
pub(crate) struct RequestFacts {
    /// Whether the method may change something.
    pub(crate) writes: bool,
    /// The address that it comes from, and the device that it shows, if it may change something.
    address: Option<IpAddr>,
    device: Option<Arc<str>>,
    /// The address of this machine that it came to.
    local: Option<SocketAddr>,
    host: Option<HeaderValue>,
    authority: Option<Authority>,
    agent: Option<HeaderValue>,
    origin: Option<HeaderValue>,
    site: Option<HeaderValue>,
}

tokio::task_local! {
    // Behind a pointer: what is local to a task is moved in and out each time that it goes on.
    static FACTS: Arc<RequestFacts>;
}

/// Wraps every request.
pub(crate) async fn record(app: Arc<AppState>, mut request: Request, next: impl InnerService) -> Response {
    let address = peer::note(&app, &mut request);
    let mut facts = RequestFacts::of(&request);
    if facts.writes {
        let cookies = request.headers().get_all(header::COOKIE).iter();
        let cookies: Vec<&str> = cookies.filter_map(|value| value.to_str().ok()).collect();
        facts.device = app.cookies.device_of(&cookies).map(Arc::from);
        facts.address = address;
    }
    FACTS.scope(Arc::new(facts), next.run(request)).await
}

/// The address that the request that runs now comes from, of those that may write.
pub(crate) fn address() -> Option<IpAddr> {
    FACTS.try_with(|facts| facts.address).ok().flatten()
}

/// The device that it shows, of those that may write.
pub(crate) fn device() -> Option<Arc<str>> {
    FACTS.try_with(|facts| facts.device.clone()).ok().flatten()
}

/// The address of this machine that it came to; none where no connection is known.
pub(crate) fn local_address() -> Option<SocketAddr> {
    FACTS.try_with(|facts| facts.local).ok().flatten()
}

pub(crate) fn with_address(principal: Arc<Principal>) -> Arc<Principal> {
    match address() {
        None => principal,
        ip => Arc::new(Principal { ip, ..(*principal).clone() }),
    }
}

impl RequestFacts {
    fn of(request: &Request) -> Self {
        let one = |name| request.headers().get(name).cloned();
        let local = request.extensions().get::<LocalAddress>();
        Self {
            writes: !request.method().is_safe(),
            local: local.map(|LocalAddress(local)| *local),
            host: one(header::HOST),
            authority: request.uri().authority().cloned(),
            agent: one(header::USER_AGENT),
            origin: one(header::ORIGIN),
            site: one(SEC_FETCH_SITE),
            ..Self::default()
        }
    }

    /// The request that runs now. Outside of one the strictest is said.
    pub(crate) fn now() -> Arc<Self> {
        let strictest = || Self { writes: true, site: Some(HeaderValue::from_static("cross-site")), ..Self::default() };
        (FACTS.try_with(Arc::clone)).unwrap_or_else(|_| Arc::new(strictest()))
    }

    /// The host, with its port where that is not the usual one of its scheme. HTTP/2 names
    /// it in the address of the request.
    pub(crate) fn host(&self) -> Option<&str> {
        let header = self.host.as_ref().and_then(|host| host.to_str().ok());
        header.or(self.authority.as_ref().map(Authority::as_str))
    }

    /// From which page it comes, as far as rules about cookies ask.
    pub(crate) fn page(&self) -> SignInHeaders<'_> {
        SignInHeaders {
            origin: self.origin.as_ref().and_then(|value| value.to_str().ok()),
            sec_fetch_site: self.site.as_ref().and_then(|value| value.to_str().ok()),
            writes: self.writes,
            host: self.host(),
            ..SignInHeaders::default()
        }
    }

    /// The program, shortened.
    pub(crate) fn agent(&self) -> Option<String> {
        let text = self.agent.as_ref()?.to_str().ok()?.trim();
        (!text.is_empty()).then(|| text.chars().take(AGENT_MAX).collect())
    }
}
