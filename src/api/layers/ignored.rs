//! Reports what REST and GraphQL ignore: the header `X-Ignored` names each place with the reason,
//! `sort=nope;unknown-field, verification;read-only`. GraphQL reports it in `extensions.ignored` too. A request with
//! `Prefer: handling=strict` (RFC 7240) or `strict=true` is refused instead, and nothing is changed.

use crate::AppState;
use crate::error::Refusal;
use crate::layers::prefer::Prefer;
use crate::layers::shared::InnerService;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use model::error::{Error, Issue};
use model::query::qs::{self, Select};
use model::registry::{Collection, Registry};
use ops::ask;
use ops::handling::{Handling, UNKNOWN_FIELD, UNKNOWN_PARAMETER, ignore, refuse};
use ops::is_dry_run;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use std::sync::Arc;

/// Names what was ignored.
const HEADER: HeaderName = HeaderName::from_static("x-ignored");

/// Says of a write that was too large to be checked at once that its findings come later.
pub(crate) const FINDINGS: HeaderName = HeaderName::from_static("x-findings");
/// What that header says.
pub(crate) const LATER: &str = "later";

/// The parameters of collections and of the operations on them.
const PARAMETERS: &str = "after ahead allSessions asSigned by count countLimit depth format \
    generations headers joins language limit list n organization page pagination populate seed select sort state \
    strict together token type value where width with";

/// The parameter of dry runs, which calls that write have.
const VALIDATE: &str = "validate";

/// Characters that are written unchanged in the header.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_').remove(b'=');

/// Wraps what answers a request.
pub(crate) async fn report_ignored(app: Arc<AppState>, request: Request, next: impl InnerService) -> Response {
    let prefer = Prefer::read(request.headers());
    let query = request.uri().query().unwrap_or_default();
    let strict = prefer.strict || says(query, "strict=true");
    let whole = request.method() == Method::POST && says(query, "together=true");
    let call = (request.uri().path(), !request.method().is_safe());
    let mut ignored = passed_over(app.book.registry, call, query);
    if strict && !ignored.is_empty() {
        refuse(&mut ignored);
        return Refusal::from(Error::Invalid(ignored)).into_response();
    }
    let dry = match dry_run(request.method(), query) {
        Ok(dry) => dry,
        Err(issue) => return Refusal::from(Error::Invalid(vec![issue])).into_response(),
    };
    let handling = Arc::new(Handling::new(strict).dry(dry).whole(whole));
    handling.note(&ignored);
    let answering = next.run(request);
    let mut response = Arc::clone(&handling).around(answering).await;
    handling.undo().await;
    if dry && response.status() == StatusCode::CREATED {
        *response.status_mut() = StatusCode::OK;
    }
    if prefer.strict {
        Prefer::applied(&mut response, "handling=strict");
    }
    if handling.surveyed().later {
        let later = HeaderValue::from_static(LATER);
        response.headers_mut().insert(FINDINGS, later);
    }
    let ignored = handling.ignored();
    if !ignored.is_empty()
        && let Ok(value) = HeaderValue::try_from(line(&ignored))
    {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

/// Refuses dry runs of calls that write no records.
pub(crate) async fn not_dry(request: Request, next: Next) -> Response {
    match is_dry_run() {
        true => Refusal::from(Error::Invalid(vec![no_dry_run()])).into_response(),
        false => next.run(request).await,
    }
}

/// The fault of such a call.
pub(crate) fn no_dry_run() -> Issue {
    let message = "This call has no dry run.";
    Issue::error(VALIDATE, "not-an-option", message)
}

/// Whether a request is a dry run (`validate=only`); what reads has none.
#[expect(clippy::result_large_err, reason = "a fault of a request, which is rare")]
fn dry_run(method: &Method, query: &str) -> Result<bool, Issue> {
    let mut dry = false;
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if method.is_safe() || name.split('[').next() != Some(VALIDATE) {
            continue;
        }
        if name != VALIDATE || value != "only" {
            let message = "The value can only be: only.";
            return Err(Issue::error(VALIDATE, "not-an-option", message));
        }
        dry = true;
    }
    Ok(dry)
}

/// `path;reason, path;reason`
fn line(ignored: &[Issue]) -> String {
    let one = |issue: &Issue| format!("{};{}", utf8_percent_encode(&issue.path, PLAIN), issue.code);
    ignored.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub(crate) fn member(ignored: &[Issue]) -> Value {
    let one = |issue: &Issue| json!({"code": issue.code, "message": issue.message, "path": issue.path});
    ignored.iter().map(one).collect()
}

/// Whether the query has this parameter with this value.
fn says(query: &str, parameter: &str) -> bool {
    query.split('&').any(|one| one == parameter)
}

/// Parameters that no operation has, and keys of an order and names of a selection that the collection does not have.
fn passed_over(registry: &'static Registry, (path, writes): (&str, bool), query: &str) -> Vec<Issue> {
    let mut parts = path.split('/').skip(1);
    let slug = parts.next().filter(|first| *first == "api").and(parts.next());
    let Some(c) = slug.and_then(|slug| registry.get(slug)) else {
        return Vec::new();
    };
    let mut ignored = Vec::new();
    for one in query.split('&').filter(|one| !one.is_empty()) {
        let name = one.split(['=']).next().unwrap_or_default();
        let name = percent_decode_str(name).decode_utf8_lossy();
        let name = name.split('[').next().unwrap_or_default();
        let has = PARAMETERS.split(' ').any(|one| one == name) || writes && name == VALIDATE;
        if !has {
            ignored.push(ignore(name, UNKNOWN_PARAMETER));
        }
    }
    if (query.contains("sort") || query.contains("select"))
        && let Ok(tree) = qs::parse(query)
    {
        let keys = qs::sort(&tree).into_iter();
        let keys = keys.filter(|key| !ask::exists(registry, c, key.trim_start_matches('-')));
        ignored.extend(keys.map(|key| ignore(format!("sort={key}"), UNKNOWN_FIELD)));
        if let Some(Select::Include(names) | Select::Exclude(names)) = qs::select(&tree) {
            let names = names.keys().filter(|name| !is_shown(c, name));
            ignored.extend(names.map(|name| ignore(format!("select={name}"), UNKNOWN_FIELD)));
        }
    }
    ignored
}

/// Whether documents may have a member of that name.
fn is_shown(c: &Collection, name: &str) -> bool {
    let group = || {
        let fields = c.fields.iter();
        fields.filter_map(|f| f.path.split_once('.')).any(|(group, _)| group == name)
    };
    c.slot(name).is_some()
        || group()
        || c.aliases.iter().any(|(_, alias)| *alias == name)
        || c.joins.iter().any(|join| join.name == name)
}

#[cfg(test)]
mod tests {
    use super::{line, says};
    use ops::handling::{READ_ONLY, UNKNOWN_FIELD, ignore};

    #[test]
    fn the_query_may_ask_too() {
        assert!(says("depth=0&strict=true", "strict=true"));
        assert!(!says("strict=false&x=strict", "strict=true"));
    }

    #[test]
    fn any_name_fits_into_a_header() {
        let ignored = [ignore("sort=имя, x", UNKNOWN_FIELD), ignore("altIds.no", READ_ONLY)];
        assert_eq!(line(&ignored), "sort=%D0%B8%D0%BC%D1%8F%2C%20x;unknown-field, altIds.no;read-only");
    }
}
