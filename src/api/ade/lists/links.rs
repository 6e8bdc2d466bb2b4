//! Links between pages. Clients of the standard follow `view.next` and the like, so each link carries all that the
//! request needs: its filters in plain text, its place sealed and bound to them.

use super::super::query::{self, Query, quoted};
use crate::AppState;
use crate::layers::request_facts;
use ade::View;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::Response;
use exchange::{Page, PageCursor, Turn};
use secure::keys::Purpose;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Members of a page unless the request says otherwise.
pub(in crate::ade) const PAGE: u64 = 100;
/// Members of a page at most.
pub(in crate::ade) const PAGE_MAX: u64 = 200;

#[derive(Serialize, Deserialize)]
struct Bound {
    #[serde(rename = "c")]
    cursor: PageCursor,
    #[serde(rename = "h")]
    mark: u64,
}

/// The beginning of the requested page, and how links from it are made.
#[derive(Debug)]
pub(in crate::ade) struct Paging {
    pub size: u64,
    pub cursor: PageCursor,
    /// Address of the list with its filters, up to the place.
    address: String,
    mark: u64,
}

impl Paging {
    /// Reads the parameters of paging; those of filters must be taken already. `path` is the
    /// path of the list, quoted. Faults are added to the query.
    pub(in crate::ade) fn read(app: &AppState, headers: &HeaderMap, uri: &Uri, path: &str, query: &mut Query) -> Self {
        let size = query.count("pageSize", PAGE_MAX).unwrap_or(PAGE);
        let mut address = format!("{path}?");
        for (name, value) in query.taken() {
            address.push_str(&format!("{name}={}&", quoted(value)));
        }
        let mark = mark(&address);
        let sealed = query.take("cursor");
        let cursor = match sealed {
            Some(text) => match open(app, &text, mark) {
                Some(cursor) => cursor,
                None => {
                    let fault = query::bad("cursor", "is not one of this list");
                    query.faulty(fault.fine("cursor-invalid"));
                    PageCursor { turn: Turn::First, page: 1 }
                }
            },
            None => {
                let page = query.count("page", u64::MAX >> 1).unwrap_or(1);
                let turn = match (page - 1).saturating_mul(size) {
                    0 => Turn::First,
                    rows => Turn::Skip(rows),
                };
                PageCursor { turn, page }
            }
        };
        Self { size, cursor, address: format!("{}{address}", origin(app, headers, uri)), mark }
    }

    pub(in crate::ade) fn view(&self, app: &AppState, page: &Page) -> View {
        let (size, number) = (self.size, self.cursor.page);
        let pages = page.total.div_ceil(size).max(1);
        let rest = page.total - (pages - 1) * size;
        let to = |turn, page| Some(self.link(app, PageCursor { turn, page }));
        let backwards = matches!(self.cursor.turn, Turn::Before(_) | Turn::Last(_));
        let (follows, precedes) = match self.cursor.turn {
            Turn::First => (page.more, false),
            Turn::After(_) | Turn::Skip(_) => (page.more, true),
            Turn::Before(_) => (true, page.more),
            Turn::Last(_) => (false, page.more),
        };
        let before = |at: i64| to(Turn::Before(at), number.saturating_sub(1).max(1));
        let next = match (page.last, self.cursor.turn) {
            (Some(at), _) if follows => to(Turn::After(at), number.saturating_add(1)),
            (None, Turn::Before(at)) => to(Turn::After(at - 1), number.saturating_add(1)),
            _ => None,
        };
        let prev = match (page.first, self.cursor.turn) {
            (Some(at), _) if precedes => before(at),
            (None, Turn::After(at)) => before(at.saturating_add(1)),
            (None, Turn::Skip(_)) if page.total > 0 => to(Turn::Last(rest), pages),
            _ => None,
        };
        View {
            total_items: Some(page.total),
            total_pages: Some(pages),
            page_size: Some(size),
            // A page that proved to be the first one is numbered so.
            current_page: Some(if backwards && !precedes { 1 } else { number }),
            first: to(Turn::First, 1),
            next,
            prev,
            last: to(Turn::Last(rest.max(1)), pages),
        }
    }

    /// Links of a list that is only read forwards and never counted; `last` is the place of
    /// the last member when more follow.
    pub(in crate::ade) fn forward(&self, app: &AppState, last: Option<i64>) -> View {
        let to = |turn, page| self.link(app, PageCursor { turn, page });
        let number = self.cursor.page;
        View {
            page_size: Some(self.size),
            current_page: Some(number),
            first: Some(to(Turn::First, 1)),
            next: last.map(|at| to(Turn::After(at), number.saturating_add(1))),
            ..View::default()
        }
    }

    fn link(&self, app: &AppState, cursor: PageCursor) -> String {
        let bound = Bound { cursor, mark: self.mark };
        // A turn and two numbers always serialise.
        let payload = serde_json::to_vec(&bound).unwrap_or_default();
        let sealed = app.book.keys.seal(Purpose::Page, &payload);
        format!("{}cursor={sealed}", self.address)
    }
}

/// The links of a page as a header (RFC 8288), for clients that do not read the body's.
pub(in crate::ade) fn tell(view: &View, response: &mut Response) {
    let links = [("first", &view.first), ("prev", &view.prev), ("next", &view.next), ("last", &view.last)];
    let text: Vec<String> =
        (links.into_iter()).filter_map(|(rel, to)| Some(format!("<{}>; rel=\"{rel}\"", to.as_ref()?))).collect();
    if let Ok(value) = HeaderValue::from_str(&text.join(", ")) {
        response.headers_mut().insert(header::LINK, value);
    }
}

fn open(app: &AppState, text: &str, mark: u64) -> Option<PageCursor> {
    let payload = app.book.keys.open(Purpose::Page, text).ok()?;
    let bound: Bound = serde_json::from_slice(&payload).ok()?;
    (bound.mark == mark).then_some(bound.cursor)
}

fn mark(address: &str) -> u64 {
    let digest = Sha256::digest(address.as_bytes());
    digest.iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// What absolute links begin with: as configured, else where the connection came to, else,
/// where there is none, as the request says.
fn origin(app: &AppState, headers: &HeaderMap, uri: &Uri) -> String {
    let settings = &app.settings;
    for configured in [&settings.exchange_url, &settings.server_url] {
        if !configured.is_empty() {
            return configured.clone();
        }
    }
    if let Some(own) = request_facts::local_address() {
        return format!("http://{own}");
    }
    let text = |name| headers.get(name).and_then(|v: &_| v.to_str().ok());
    let host = text(header::HOST).or_else(|| uri.authority().map(|a| a.as_str()));
    let plain = |h: &&str| h.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:[]_".contains(&b));
    match host.filter(|h| !h.is_empty()).filter(plain) {
        Some(host) => {
            let scheme = match headers.get("x-forwarded-proto") {
                Some(proto) if proto == "https" => "https",
                _ => "http",
            };
            format!("{scheme}://{host}")
        }
        None => String::new(),
    }
}
