//! What an API key may request, besides what its account may. Checked before any handler, so that nothing of a request
//! that a key does not permit is read or written; the pipeline of writes refuses keys that only read once more.

use crate::layers::method_override::is_get;
use axum::extract::{MatchedPath, OriginalUri, Request};
use model::registry::{KeyScope, Principal};
use std::sync::Arc;

/// Addresses of REST that may be posted to for reading, when the request says so.
const READ_POSTED: [&str; 3] = ["/api/{slug}", "/api/{slug}/{id}", "/api/{slug}/count"];
/// Addresses that are posted to for reading. What GraphQL changes is refused there, and so is a plan that is to be stored.
const READ: [&str; 5] =
    ["/api/{slug}/access", "/api/{slug}/access/{id}", "/api/{slug}/mating-plan", "/api/graphql", "/ade/v1/match"];
/// What a key that is limited to data sets may ask REST for.
const OWN: [&str; 1] = ["/api/{slug}/me"];

fn route(request: &Request) -> &str {
    let path = request.extensions().get::<MatchedPath>();
    path.map_or_else(|| request.uri().path(), MatchedPath::as_str)
}

/// Whether a request reads, judged by its method and address.
fn reads(request: &Request) -> bool {
    let route = route(request);
    request.method().is_safe() || READ.contains(&route) || (READ_POSTED.contains(&route) && is_get(request.headers()))
}

fn key(caller: &Principal) -> Option<&Arc<KeyScope>> {
    caller.key.as_ref()
}

/// Whether the API key of the caller, if there is one, allows this REST request.
pub(crate) fn rest(caller: &Principal, request: &Request) -> bool {
    let Some(key) = key(caller) else { return true };
    let own = key.datasets.is_empty() || OWN.contains(&route(request));
    own && (key.writes || reads(request))
}

/// Why a key does not open a request to the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// It only reads.
    Writing,
    /// It is limited to other data sets.
    Dataset,
}

/// Whether the key of the caller opens this request to the exchange. `dataset_of` gives the data
/// set of a name in an address, which may be one of several.
pub(crate) fn exchange(
    caller: &Principal,
    request: &Request,
    dataset_of: impl Fn(&str, bool) -> Option<String>,
) -> Result<(), Closed> {
    let Some(key) = key(caller) else {
        return Ok(());
    };
    if !key.writes && !reads(request) {
        return Err(Closed::Writing);
    }
    if key.datasets.is_empty() {
        return Ok(());
    }
    let route = route(request);
    let uri = request.extensions().get::<OriginalUri>();
    let path = uri.map_or_else(|| request.uri().path(), |uri| uri.0.path());
    let name = part(route, path, "{collection}").or_else(|| part(route, path, "{set}"));
    match name {
        Some(name) => {
            let batch = route.starts_with("/ade/v1/batches/");
            let dataset = dataset_of(name, batch).unwrap_or_else(|| name.to_owned());
            let opens = key.opens(&dataset) || key.opens(name);
            opens.then_some(()).ok_or(Closed::Dataset)
        }
        // What is of no data set: locations, schemata, what there is at all.
        None if OF_NONE.contains(&route) => Ok(()),
        None => Err(Closed::Dataset),
    }
}

/// Addresses of the exchange that show no content of a data set.
const OF_NONE: [&str; 10] = [
    "/ade/v1",
    "/ade/v1/",
    "/.well-known/ade",
    "/ade/v1/openapi.json",
    "/ade/v1/match",
    "/ade/v1/locations",
    "/ade/v1/datasets",
    // Its data set is checked where the batch is found.
    "/ade/v1/batches/{id}",
    "/ade/v1/locations/{scheme}/{id}/schemata",
    "/ade/v1/locations/{scheme}/{id}/schemata/{kind}",
];

/// The segment of an address in the place where a route has that name.
fn part<'p>(route: &str, path: &'p str, name: &str) -> Option<&'p str> {
    let at = route.split('/').position(|segment| segment == name)?;
    path.split('/').nth(at)
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_segment_is_found_by_the_name_that_its_route_has() {
        let route = "/ade/v1/locations/{scheme}/{id}/{collection}/{resource}";
        let path = "/ade/v1/locations/org.x/7/weights/9";
        assert_eq!(part(route, path, "{collection}"), Some("weights"));
        assert_eq!(part(route, path, "{set}"), None);
    }
}
