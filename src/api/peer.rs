//! From where a request comes, for the operation log (model, section 3.8, `ip`). Known
//! while the request is answered, for methods that may write; reading leaves no trace of
//! an address. Behind a proxy it is the proxy's.

use crate::registry::Principal;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

tokio::task_local! {
    static PEER: Option<IpAddr>;
}

/// Wraps every request.
pub(super) async fn known(request: Request, next: Next) -> Response {
    let reads = request.method().is_safe();
    let told = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = told.map(|ConnectInfo(address)| address.ip().to_canonical());
    let address = address.filter(|_| !reads);
    PEER.scope(address, next.run(request)).await
}

/// The address of the request that runs now.
pub(super) fn current() -> Option<IpAddr> {
    PEER.try_with(|peer| *peer).ok().flatten()
}

/// The caller with his address.
pub(super) fn placed(principal: Arc<Principal>) -> Arc<Principal> {
    match current() {
        None => principal,
        ip => Arc::new(Principal {
            ip,
            ..(*principal).clone()
        }),
    }
}
