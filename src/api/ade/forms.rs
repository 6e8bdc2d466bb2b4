//! The forms of this face. Handlers use JSON alone; here a body of XML becomes JSON before it is
//! read, and an answer becomes XML or a table after it was made, as `Accept` or `format` ask for it
//! (docs/formats.md). A form that an address does not offer is refused before anything is done.

use super::error::{Fault, Refusal};
use super::query::bad;
use super::{BATCH, COLLECTION, LOCATIONS, RESOURCE, ROOT};
use crate::AppState;
use crate::layers::accept::weighted;
use ade::catalog::Catalog;
use ade::table::Table;
use ade::xml;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use model::error::Error;
use model::said;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::sync::Arc;

/// The parameter that takes precedence over `Accept`.
const FORMAT: &str = "format";
/// The type of the elements of an array that do not name their type: only batches are answered so.
const RESULT: &str = "icarBatchResult";
/// Relations of a page to others, as `view` names them.
const LINKS: [&str; 4] = ["first", "prev", "next", "last"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Xml,
    Table,
}

/// A media type: its name in `Accept`, its name in `format`, its form, as it is sent.
#[derive(Debug, PartialEq, Eq)]
struct Medium {
    name: &'static str,
    short: &'static str,
    form: Form,
    content_type: &'static str,
}

const fn medium(name: &'static str, short: &'static str, form: Form, content_type: &'static str) -> Medium {
    Medium { name, short, form, content_type }
}

/// In the order in which they are chosen where a caller has no preference.
static MEDIA: [Medium; 4] = [
    medium("application/json", "json", Form::Json, "application/json"),
    medium("application/xml", "xml", Form::Xml, "application/xml; charset=utf-8"),
    medium("text/xml", "", Form::Xml, "text/xml; charset=utf-8"),
    medium("text/csv", "csv", Form::Table, "text/csv; charset=utf-8; header=present"),
];

const ALL: &[Form] = &[Form::Json, Form::Xml, Form::Table];
const DOCUMENTS: &[Form] = &[Form::Json, Form::Xml];
const JSON: &[Form] = &[Form::Json];

/// The forms of an address; nothing for one that does not exist.
fn offered(method: &Method, path: Option<&str>) -> Option<&'static [Form]> {
    let path = path?.strip_prefix(ROOT)?;
    let reads = [Method::GET, Method::HEAD].contains(method);
    Some(match path {
        LOCATIONS | COLLECTION if reads => ALL,
        LOCATIONS | COLLECTION | RESOURCE | BATCH => DOCUMENTS,
        _ => JSON,
    })
}

/// Chooses the form, and gives the answer in it.
pub(super) async fn spoken(State(app): State<Arc<AppState>>, mut request: Request, next: Next) -> Response {
    let accepted = accepted(request.headers());
    let mut answer_format = AnswerFormat {
        medium: None,
        errors: best(&accepted, DOCUMENTS).unwrap_or(&MEDIA[0]),
        format: None,
        resource: None,
        head: request.method() == Method::HEAD,
    };
    let path = request.extensions().get::<MatchedPath>();
    let path = path.map(MatchedPath::as_str);
    let Some(offered) = offered(request.method(), path) else {
        return answer_format.answer(next.run(request).await).await;
    };
    match requested_format(request.uri(), offered) {
        Ok(None) => answer_format.medium = best(&accepted, offered),
        Ok(Some((medium, uri))) => {
            *request.uri_mut() = uri;
            answer_format.format = Some(medium.short);
            answer_format.medium = Some(medium);
            if medium.form != Form::Table {
                answer_format.errors = medium;
            }
        }
        Err(refusal) => return answer_format.answer(refusal.into_response()).await,
    }
    let Some(medium) = answer_format.medium else {
        let media = MEDIA.iter().filter(|medium| offered.contains(&medium.form));
        let names: Vec<&str> = media.map(|medium| medium.name).collect();
        return answer_format.answer(Refusal::not_acceptable(names).into_response()).await;
    };
    if medium.form == Form::Table {
        answer_format.resource = listed(&app, request.uri());
    }
    answer_format.answer(next.run(request).await).await
}

/// The type of the resources of a list: the last part of its address names it.
fn listed(app: &AppState, uri: &Uri) -> Option<String> {
    let name = uri.path().rsplit('/').next()?;
    let name = percent_decode_str(name).decode_utf8().ok()?;
    match Catalog::get().collection(&name) {
        Some(entry) => Some(entry.resource.clone()),
        // A data set of the installation's own.
        None => Some(app.exchange.rules().mappings().get(&name)?.resource().to_owned()),
    }
}

/// The form that the address itself asks for, and the address without it.
fn requested_format(uri: &Uri, offered: &[Form]) -> Result<Option<(&'static Medium, Uri)>, Refusal> {
    let query = uri.query().unwrap_or_default();
    let value = |part: &str| match part.split_once('=').unwrap_or((part, "")) {
        (FORMAT, value) => Some(value.to_owned()),
        _ => None,
    };
    let values: Vec<String> = query.split('&').filter_map(value).collect();
    if offered == JSON || values.is_empty() {
        return Ok(None);
    }
    let [one] = values.as_slice() else {
        return Err(bad(FORMAT, "stands there twice").into());
    };
    let by_name = |medium: &&Medium| !one.is_empty() && medium.short == one;
    let medium = MEDIA.iter().find(by_name);
    let medium = medium.filter(|medium| offered.contains(&medium.form));
    let Some(medium) = medium else {
        let names = MEDIA.iter().filter(|medium| offered.contains(&medium.form));
        let names: Vec<&str> = names.map(|m| m.short).filter(|n| !n.is_empty()).collect();
        let what = said!("must be one of {list} here", list = names.join(", "));
        return Err(bad(FORMAT, what).into());
    };
    let rest: Vec<&str> = query.split('&').filter(|part| value(part).is_none()).collect();
    let mark = if rest.is_empty() { "" } else { "?" };
    let address = format!("{}{mark}{}", uri.path(), rest.join("&"));
    // A part of an address that was one.
    let uri = Uri::try_from(address).unwrap_or_else(|_| uri.clone());
    Ok(Some((medium, uri)))
}

/// The media ranges of `Accept` (RFC 9110, 12.5.1), each with its weight; Java writes a lone asterisk.
fn accepted(headers: &HeaderMap) -> Vec<(String, u16)> {
    let ranges = weighted(headers, header::ACCEPT).into_iter();
    let ranges = ranges.map(|(range, weight)| (if range == "*" { "*/*" } else { range }, weight));
    let ranges = ranges.filter(|(range, _)| range.contains('/'));
    ranges.map(|(range, weight)| (range.to_ascii_lowercase(), weight)).collect()
}

/// The medium liked best; of equals the one that is named more exactly, then the first.
fn best(accepted: &[(String, u16)], offered: &[Form]) -> Option<&'static Medium> {
    if accepted.is_empty() {
        return MEDIA.first();
    }
    let mut best: Option<(&'static Medium, (u16, u8))> = None;
    for medium in MEDIA.iter().filter(|m| offered.contains(&m.form)) {
        let rank = rank(accepted, medium);
        if rank.0 > 0 && best.is_none_or(|(_, other)| rank > other) {
            best = Some((medium, rank));
        }
    }
    best.map(|(medium, _)| medium)
}

/// The weight by the most exact range, and how exact that is.
fn rank(accepted: &[(String, u16)], medium: &Medium) -> (u16, u8) {
    let kind = medium.name.split('/').next().unwrap_or_default();
    let exactness = |range: &str| match range.strip_suffix("/*") {
        None => (range == medium.name).then_some(2),
        Some("*") => Some(0),
        Some(of) => (of == kind).then_some(1),
    };
    let fitting = accepted.iter().filter_map(|(range, weight)| Some((exactness(range)?, *weight)));
    let (exact, weight) = fitting.max().unwrap_or((0, 0));
    (weight, exact)
}

#[derive(Debug)]
struct AnswerFormat {
    medium: Option<&'static Medium>,
    errors: &'static Medium,
    /// The format, if the address names it: links carry it on.
    format: Option<&'static str>,
    resource: Option<String>,
    /// Whether there is no body to be sent.
    head: bool,
}

impl AnswerFormat {
    async fn answer(&self, mut response: Response) -> Response {
        let vary = HeaderValue::from_static("Accept");
        response.headers_mut().append(header::VARY, vary);
        let success = response.status().is_success();
        let medium = if success { self.medium.unwrap_or(self.errors) } else { self.errors };
        let json = (response.headers().get(header::CONTENT_TYPE))
            .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        if !json || (medium.form == Form::Json && self.format.is_none()) {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let body = if self.head {
            Body::empty()
        } else {
            match self.converted(&mut parts.headers, body, medium).await {
                Ok(body) => Body::from(body),
                // A fault of the service, written in the form that cannot fail.
                Err(error) => return Refusal::from(error).into_response(),
            }
        };
        let headers = &mut parts.headers;
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(medium.content_type));
        // They were those of the JSON text.
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::ETAG);
        Response::from_parts(parts, body)
    }

    async fn converted(&self, headers: &mut HeaderMap, body: Body, medium: &Medium) -> Result<Vec<u8>, Error> {
        // Made by a handler in memory: a page, a document, or the outcome of a batch.
        let bytes = to_bytes(body, usize::MAX).await.map_err(Error::internal)?;
        let mut value: Value = serde_json::from_slice(&bytes).map_err(Error::internal)?;
        let page = value.get("member").is_some();
        if page && let Some(format) = self.format {
            carry(&mut value, format);
        }
        // For a table, nothing else shows where the list continues.
        if page
            && (medium.form == Form::Table || headers.contains_key(header::LINK))
            && let Some(links) = links(&value)
        {
            headers.insert(header::LINK, links);
        }
        match (medium.form, self.resource.as_deref().and_then(Table::of)) {
            (Form::Table, Some(table)) => {
                let rows = value.get("member").and_then(Value::as_array);
                table.write(rows.into_iter().flatten()).map_err(Error::internal)
            }
            (Form::Table, None) => Err(Error::internal("the list has no known resource type")),
            (Form::Xml, _) => Ok(xml::write(&value, RESULT).into_bytes()),
            (Form::Json, _) => serde_json::to_vec(&value).map_err(Error::internal),
        }
    }
}

/// Links of a page carry on the format that its address names.
fn carry(page: &mut Value, format: &str) {
    for name in LINKS {
        if let Some(Value::String(link)) = page.pointer_mut(&format!("/view/{name}")) {
            let mark = if link.contains('?') { '&' } else { '?' };
            link.push_str(&format!("{mark}{FORMAT}={format}"));
        }
    }
}

/// The links of a page as a header (RFC 8288).
fn links(page: &Value) -> Option<HeaderValue> {
    let of = |name: &&str| {
        let link = page.pointer(&format!("/view/{name}"))?.as_str()?;
        Some(format!("<{link}>; rel=\"{name}\""))
    };
    let all: Vec<String> = LINKS.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| HeaderValue::try_from(all.join(", ")).ok())?
}

/// Whether a body says that it is XML.
pub(super) fn is_xml(headers: &HeaderMap) -> bool {
    let kind = crate::body::media_type(headers);
    kind.is_some_and(|kind| {
        let medium = MEDIA.iter().find(|medium| medium.name == kind);
        medium.is_some_and(|medium| medium.form == Form::Xml)
    })
}

/// The JSON text of a body of XML, with documents of this type.
pub(super) fn to_json(headers: &HeaderMap, body: &[u8], resource: &str) -> Result<Bytes, Refusal> {
    let charset = charset(headers);
    let read = xml::read(body, charset.as_deref(), resource);
    read.map(Bytes::from).map_err(|faults| {
        let faults: Vec<Fault> = faults.into_iter().map(Fault::of_xml).collect();
        faults.into()
    })
}

/// The encoding that the content type names.
fn charset(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let parameters = value.split(';').skip(1).filter_map(|one| one.split_once('='));
    let mut charsets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let (_, label) = charsets.next()?;
    Some(label.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn liked(accept: &[&'static str], offered: &[Form]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for field in accept {
            headers.append(header::ACCEPT, HeaderValue::from_static(field));
        }
        best(&accepted(&headers), offered).map(|medium| medium.name)
    }

    #[test]
    fn the_medium_liked_best_is_chosen() {
        let (json, xml, csv) = ("application/json", "application/xml", "text/csv");
        assert_eq!(liked(&[], ALL), Some(json));
        for (accept, expected) in [
            ("*/*", json),
            ("", json),
            ("nonsense, q=1", json),
            ("application/*", json),
            ("text/*", "text/xml"),
            ("Application/XML; Charset=utf-8", xml),
            ("text/xml", "text/xml"),
            ("text/xml, application/xml", xml),
            ("text/csv;header=present", csv),
            ("text/csv, */*", csv),
            ("application/json, application/xml", json),
            ("application/json;q=0.5, application/xml;q=0.501", xml),
            ("application/xml;q=0, */*", json),
            ("application/json;q=0, */*;q=0.1", xml),
            ("application/json;q=2, application/xml;q=0.1", xml),
            ("text/html, *; q=.2, */*; q=.2", json),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", xml),
        ] {
            assert_eq!(liked(&[accept], ALL), Some(expected), "{accept}");
        }
        assert_eq!(liked(&["application/json;q=0.1", "text/csv"], ALL), Some(csv));
        assert_eq!(liked(&["text/csv, application/xml;q=0.5"], DOCUMENTS), Some(xml));
        for (accept, offered) in [
            ("text/html", ALL),
            ("text/csv", DOCUMENTS),
            ("application/xml", JSON),
            ("*/*;q=0", ALL),
            ("application/json;q=0", JSON),
        ] {
            assert_eq!(liked(&[accept], offered), None, "{accept}");
        }
    }

    fn format(uri: &'static str, offered: &[Form]) -> Result<Option<(&'static str, String)>, ()> {
        let format = requested_format(&Uri::from_static(uri), offered).map_err(drop)?;
        Ok(format.map(|(medium, uri)| (medium.name, uri.to_string())))
    }

    #[test]
    fn the_address_may_ask_for_the_form() {
        for (uri, name, rest) in [
            ("/a?format=csv", "text/csv", "/a"),
            ("/a?x=format&format=xml&a+b=%26", "application/xml", "/a?x=format&a+b=%26"),
            ("/a?format=json", "application/json", "/a"),
        ] {
            assert_eq!(format(uri, ALL), Ok(Some((name, rest.to_owned()))));
        }
        assert_eq!(format("/a?formats=xml", ALL), Ok(None));
        // Where there is no choice the parameter has no meaning.
        assert_eq!(format("/a?format=xml", JSON), Ok(None));
        for bad in ["/a?format=csv", "/a?format=", "/a?format", "/a?format=xml&format=xml"] {
            assert_eq!(format(bad, DOCUMENTS), Err(()), "{bad}");
        }
    }

    #[test]
    fn the_encoding_is_read_from_the_content_type() {
        let of = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(text));
            (is_xml(&headers), charset(&headers))
        };
        let label = |label: &str| Some(label.to_owned());
        assert_eq!(of("application/xml"), (true, None));
        let quoted = of("Text/XML; a=b; Charset=\"UTF-16\"");
        assert_eq!(quoted, (true, label("UTF-16")));
        let plain = of("application/json; charset=utf-8");
        assert_eq!(plain, (false, label("utf-8")));
        assert!(!of("application/soap+xml").0);
    }
}
