//! The identifier schemes that documents of this book use: which things have any, the
//! schemes of a thing, and the values of a scheme where a dictionary lists them.

use super::super::error::{Refusal, Reply};
use super::super::lists::links::Paging;
use super::super::lists::page::{answer, window};
use super::super::query::{Query, quoted};
use super::super::target::{self, Call};
use super::super::{ROOT, error};
use crate::AppState;
use ade::Envelope;
use axum::extract::OriginalUri;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use exchange::Page;
use mapping::ListedScheme;
use model::query::qs;
use model::registry::Principal;
use ops::{Ask, View};
use serde_json::{Value, json};
use std::sync::Arc;

pub(in crate::ade) async fn kinds(
    Call(app, (scheme, id), raw, headers): Call<(String, String)>,
    OriginalUri(uri): OriginalUri,
) -> Reply {
    let request = Request::read(&app, &headers, &uri, raw, [&scheme, &id], &[]).await?;
    let mut kinds: Vec<&str> = schemes(&app).map(|s| s.kind.as_str()).collect();
    kinds.dedup();
    Ok(request.names(&app, &kinds))
}

pub(in crate::ade) async fn of_kind(
    Call(app, (scheme, id, kind), raw, headers): Call<(String, String, String)>,
    OriginalUri(uri): OriginalUri,
) -> Reply {
    let request = Request::read(&app, &headers, &uri, raw, [&scheme, &id], &[&kind]).await?;
    let of_kind = schemes(&app).filter(|s| s.kind == kind);
    let names: Vec<&str> = of_kind.map(|s| s.name.as_str()).collect();
    if names.is_empty() {
        return Err(unknown());
    }
    Ok(request.names(&app, &names))
}

pub(in crate::ade) async fn values(
    Call(app, (scheme, id, kind, name), raw, headers): Call<(String, String, String, String)>,
    OriginalUri(uri): OriginalUri,
) -> Reply {
    let request = Request::read(&app, &headers, &uri, raw, [&scheme, &id], &[&kind, &name]).await?;
    let scheme = schemes(&app).find(|s| s.kind == kind && s.name == name);
    let Some((slug, field)) = scheme.ok_or_else(unknown)?.values.as_ref() else {
        return Ok(request.names(&app, &[]));
    };
    let c = app.book.declared(slug)?;
    let filled = qs::parse(&format!("where[{field}][exists]=true")).unwrap_or_else(|_| qs::Tree::empty());
    let filter = filled.get("where").cloned();
    let total = app.book.count(&request.caller, c, filter.as_ref()).await?;
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let (page, shown) = window(total, request.paging.cursor.turn, request.paging.size);
    // The rows of a page need not begin at a multiple of its size; dictionaries are short.
    let ask = Ask {
        filter,
        sort: vec!["id".to_owned()],
        limit: shown.end as u64,
        page: 1,
        view: View::default(),
        pagination: false,
        ..Ask::default()
    };
    let list = app.book.list(&request.caller, c, ask).await?;
    let list: Value = serde_json::from_slice(&list.collect().await?).map_err(model::error::Error::internal)?;
    let at = format!("/{}", field.replace('.', "/"));
    let docs = list.get("docs").and_then(Value::as_array);
    let docs = docs.into_iter().flatten().skip(shown.start).take(shown.len());
    let members = docs.filter_map(|doc| Some(json!({"id": doc.pointer(&at)?, "name": doc.get("name")})));
    Ok(request.answer(&app, &page, members))
}

fn schemes(app: &AppState) -> impl Iterator<Item = &ListedScheme> {
    app.exchange.rules().mappings().schemes().iter()
}

fn unknown() -> Refusal {
    error::Fault::new(error::RESOURCE, "There are no such schemes.").into()
}

/// A request for a list that is not read from documents. Places of its pages are ordinals.
struct Request {
    caller: Arc<Principal>,
    paging: Paging,
    ignored: super::super::query::Ignored,
}

impl Request {
    async fn read(
        app: &AppState,
        headers: &HeaderMap,
        uri: &Uri,
        raw: Option<String>,
        [scheme, id]: [&str; 2],
        more: &[&str],
    ) -> Result<Self, Refusal> {
        let caller = target::signed_in(app, headers).await?;
        target::location(app, &caller, scheme, id).await?;
        let mut query = Query::read(raw.as_deref());
        let mut path = format!("{ROOT}/locations/{}/{}/schemata", quoted(scheme), quoted(id));
        for segment in more {
            path.push('/');
            path.push_str(&quoted(segment));
        }
        let paging = Paging::read(app, headers, uri, &path, &mut query);
        Ok(Self { caller, paging, ignored: query.ignored(&crate::layers::prefer::Prefer::read(headers))? })
    }

    fn names(&self, app: &AppState, names: &[&str]) -> Response {
        let (page, shown) = window(names.len(), self.paging.cursor.turn, self.paging.size);
        let names = names.get(shown).unwrap_or_default();
        self.answer(app, &page, names.iter().map(|name| json!({"name": name})))
    }

    fn answer(&self, app: &AppState, page: &Page, members: impl Iterator<Item = Value>) -> Response {
        let mut envelope = Envelope::collection(&self.paging.view(app, page));
        for member in members {
            envelope.member(member.to_string().as_bytes());
        }
        answer(envelope.finish(), &self.ignored)
    }
}
