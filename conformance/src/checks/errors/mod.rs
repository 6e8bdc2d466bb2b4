//! Refusals: those that occurred during the visit, and some that are provoked on purpose.

mod offered;

use serde_json::Value;

use self::offered::Offers;

use super::{Check, check};
use crate::client::{Ask, Exchange, Who};
use crate::document;
use crate::tally::{Tally, require};
use crate::visit::{Page, Visit};

pub(super) static CHECKS: &[Check] = &[
    check!(unauthorized => "errors.unauthorized"),
    check!(method => "errors.method"),
    check!(super::read::members => "read.envelope"),
    check!(met => "errors.success", "errors.body", "errors.media-type", "errors.not-empty", "errors.words",
        "errors.status", "errors.server", "errors.allow"),
];

/// A page that requires a sign-in, if any.
pub(super) fn guarded<'v>(v: &'v Visit<'_>) -> Option<&'v Page> {
    v.pages().map(|(_, page)| page).max_by_key(|page| !page.members.is_empty()).or(v.locations.as_ref())
}

async fn unauthorized(v: &Visit<'_>, t: &mut Tally<'_>) {
    let id = "errors.unauthorized";
    if !v.client.signed(Who::Main) {
        return t.skip_all("the run has no sign-in");
    }
    let Some(page) = guarded(v) else {
        return t.none_offered("no collection is offered");
    };
    let ask = Ask::get(&page.exchange.url).by(Who::Nobody);
    let e = v.client.send(ask).await;
    // security.anonymous reports that something is shown at all.
    if e.ok() {
        return t.skip_all("the server answers without a sign-in");
    }
    let fine = matches!(e.status, 401 | 403 | 404) && is_collection(&e);
    require!(t, id, fine, Some(&e), "401 or 403 with an icarErrorCollection"; found "status {}", e.status);
}

fn is_collection(e: &Exchange) -> bool {
    e.json().is_some_and(|v| v.get("errors").is_some_and(Value::is_array))
}

async fn method(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(page) = guarded(v) else {
        return t.none_offered("no collection is offered");
    };
    let ask = Ask::new("PROPFIND", &page.exchange.url);
    let e = v.client.send(ask).await;
    let fine = e.refused() || e.status == 501;
    require!(t, "errors.method", fine, Some(&e), "405 for PROPFIND"; found "status {}", e.status);
}

/// Batches refuse with an array of results.
fn is_results(e: &Exchange) -> bool {
    e.url.path().contains("/batches/")
        && e.json()
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().all(|one| ade::validate("icarBatchResult", one).is_empty()))
}

async fn met(v: &Visit<'_>, t: &mut Tally<'_>) {
    let exchanges = v.client.exchanges();
    let offers = Offers::of(v, &exchanges);
    for e in exchanges {
        let put_off = e.status == 503 && e.header("retry-after").is_some();
        let unknown_method = e.status == 501;
        let failed = e.status >= 500 && !put_off && !unknown_method;
        require!(t, "errors.server", !failed, Some(&e), "no failure of the server"; found "status {}", e.status);
        if e.body_dropped {
            continue;
        }
        if v.ours(&e.url) && e.ok() && e.says_json() {
            let in_disguise = e.disguised();
            require!(t, "errors.success", !in_disguise, Some(&e),
                "a status of 400 and more with errors"; found "status {}", e.status);
        }
        if e.status == 405 {
            let allow = e.header("allow").is_some();
            require!(t, "errors.allow", allow, Some(&e), "Allow with 405"; found "none");
        }
        // Addresses that a server does not offer, and those outside the standard's paths, may have
        // errors of another form.
        let sign_in = v.login_url.as_ref() == Some(&e.url);
        if !e.refused() || !offers.has(&e) || sign_in || e.method == "HEAD" || is_results(&e) {
            continue;
        }
        // A proxy's 429 is judged as well: clients receive it too.
        require!(t, "errors.media-type", e.says_json(), Some(&e), "application/json"; found "{}", e.media_type());
        if !e.says_json() {
            continue;
        }
        body(t, &e);
    }
}

fn body(t: &mut Tally<'_>, e: &Exchange) {
    let Some(json) = e.json().filter(|_| is_collection(e)) else {
        let found: String = String::from_utf8_lossy(&e.body).chars().take(120).collect();
        t.fail("errors.body", Some(e), "an icarErrorCollection", found);
        return;
    };
    // The older page of the standard calls `status` a text in places; both forms are accepted.
    let schema = "icarErrorCollection";
    t.valid("errors.body", Some(e), (schema, json), || format!("a valid {schema}"));
    let all = json.get("errors").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    require!(t, "errors.not-empty", !all.is_empty(), Some(e), "at least one error"; found "none");
    for one in all {
        let says = document::text(one, "/title").is_some() || document::text(one, "/detail").is_some();
        require!(t, "errors.words", says, Some(e), "a title or a detail"; found "{one}");
        if let Some(status) = one.get("status").and_then(Value::as_u64) {
            let same = status == u64::from(e.status);
            require!(t, "errors.status", same, Some(e), "status {}", e.status; found "status {status} in the body");
        }
    }
}
