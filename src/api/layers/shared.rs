//! How layers are stacked at little cost. The router copies a route with all layers around it for each request, and
//! each layer copies those within it once more: the memory use grows with the square of their number. Behind [`SharedLayer`]
//! there is one copy that all requests share, and which is copied one layer deep when a request comes that far. Layers
//! that always occur together are one layer, made of functions that take what is within them as [`InnerService`].

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::util::Oneshot;
use tower::{Layer, Service, ServiceExt};

/// Puts what is within it where all requests share it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedLayer;

impl<S> Layer<S> for SharedLayer {
    type Service = SharedService<S>;

    fn layer(&self, inner: S) -> SharedService<S> {
        SharedService(Arc::new(inner))
    }
}

/// A service that is not copied with those around it.
#[derive(Debug)]
pub(crate) struct SharedService<S>(Arc<S>);

impl<S> Clone for SharedService<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Service<Request> for SharedService<S>
where
    S: Service<Request, Error = Infallible> + Clone,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = Oneshot<S, Request>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // The copy that answers gets the call.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        S::clone(&self.0).oneshot(request)
    }
}

pub(crate) trait InnerService: Send {
    fn run(self, request: Request) -> impl Future<Output = Response> + Send;
}

impl InnerService for Next {
    fn run(self, request: Request) -> impl Future<Output = Response> + Send {
        Self::run(self, request)
    }
}

pub(crate) struct ServiceFn<F>(pub(crate) F);

impl<F, A> InnerService for ServiceFn<F>
where
    F: FnOnce(Request) -> A + Send,
    A: Future<Output = Response> + Send,
{
    fn run(self, request: Request) -> impl Future<Output = Response> + Send {
        // In a place of its own: each layer around it would hold it twice, before it runs and
        // while it does, so that every request moved tens of kilobytes.
        Box::pin((self.0)(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::body::Body;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Debug, Default)]
    struct Counted(Arc<AtomicUsize>);

    impl Clone for Counted {
        fn clone(&self) -> Self {
            self.0.fetch_add(1, Ordering::Relaxed);
            Self(Arc::clone(&self.0))
        }
    }

    impl Service<Request> for Counted {
        type Response = Response;
        type Error = Infallible;
        type Future = std::future::Ready<Result<Response, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request) -> Self::Future {
            std::future::ready(Ok(Response::new(Body::empty())))
        }
    }

    async fn copies(layers: usize, shared: bool) -> usize {
        let counted = Counted::default();
        let copies = Arc::clone(&counted.0);
        let mut router: Router = Router::new().route_service("/", counted);
        if shared {
            router = router.layer(SharedLayer);
        }
        for _ in 0..layers {
            let through = async |request, next: Next| next.run(request).await;
            router = router.layer(axum::middleware::from_fn(through));
        }
        let ask = async || {
            let request = Request::new(Body::empty());
            let answer = router.clone().oneshot(request).await.unwrap();
            assert_eq!(answer.status(), 200);
        };
        ask().await;
        let before = copies.load(Ordering::Relaxed);
        ask().await;
        copies.load(Ordering::Relaxed) - before
    }

    #[tokio::test]
    async fn what_is_shared_is_copied_as_often_whatever_is_around_it() {
        assert!(copies(8, false).await > copies(2, false).await);
        assert_eq!(copies(8, true).await, copies(0, true).await);
    }
}
