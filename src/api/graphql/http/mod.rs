//! The form over HTTP: statuses, media types, errors (docs/graphql.md, *Errors*).

mod request;
pub(super) mod rules;
pub(super) mod stored;

use self::request::{GraphqlRequest, RequestError};
use self::stored::Stored;
use super::CompiledSchema;
use super::call::Call;
use super::fault::{of_library, plain};
use super::model::{MUTATION, QUERY, Root, Verb, What};
use super::page;
use super::plan::{self, Excess, Limits, Pick, PickKind, Reader};
use super::run;
use super::run::long;
use super::schema::Verdict;
use crate::body;
use crate::caller::Who;
use crate::layers::accept::weighted;
use crate::layers::ignored;
use crate::layers::request_facts;
use crate::layers::response_cache::cache_marks::Cacheable;
use crate::limit::Cost;
use crate::rest::findings;
use crate::{AppState, Refusal};
use async_graphql::parser::parse_query;
use async_graphql::parser::types::{ExecutableDocument, OperationDefinition, OperationType};
use async_graphql::{Positioned, Request, Variables};
use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use model::error::{Error, Result};
use model::said;
use ops::handling;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Levels of brackets in a query.
const LEVELS_MAX: usize = 100;
/// Characters of a message about a request that is wrong.
const MESSAGE_MAX: usize = 600;

pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/api/graphql", get(by_get).post(by_post)).merge(page::routes())
}

/// `POST /api/graphql`
async fn by_post(
    State(app): State<Arc<AppState>>,
    who: Who,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let form = Form::of(&headers);
    let bytes = body::read(&app, &headers, body).await?;
    Ok(match request::from_body(&headers, &bytes) {
        Ok(input) => answered(app, who, input, form, &Method::POST).await?,
        Err(unread) => form.unread(&unread),
    })
}

/// `GET /api/graphql?query=…`: reading only.
async fn by_get(
    State(app): State<Arc<AppState>>,
    who: Who,
    headers: HeaderMap,
    RawQuery(address): RawQuery,
) -> Result<Response, Refusal> {
    let form = Form::of(&headers);
    Ok(match request::from_query(address.as_deref().unwrap_or_default()) {
        Ok(input) => answered(app, who, input, form, &Method::GET).await?,
        Err(unread) => form.unread(&unread),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `application/json`, where faults of the request are answered with 200.
    Old,
    /// `application/graphql-response+json`, where they have their status.
    New,
    /// Neither.
    None,
}

impl Form {
    fn of(headers: &HeaderMap) -> Self {
        let taken = weighted(headers, header::ACCEPT);
        if taken.is_empty() {
            return Self::Old;
        }
        let form = taken.iter().find_map(|(kind, _)| match kind.to_ascii_lowercase().as_str() {
            "application/graphql-response+json" => Some(Self::New),
            "application/json" | "application/*" | "*/*" => Some(Self::Old),
            _ => None,
        });
        form.unwrap_or(Self::None)
    }

    fn answer(self, status: StatusCode, body: Map<String, Json>) -> Response {
        self.respond(status, Body::from(Json::from(body).to_string()))
    }

    fn respond(self, status: StatusCode, body: Body) -> Response {
        let kind = match self {
            Self::New => "application/graphql-response+json; charset=utf-8",
            Self::Old | Self::None => "application/json; charset=utf-8",
        };
        let mut response = (status, [(header::CONTENT_TYPE, kind)], body).into_response();
        let accept = HeaderValue::from_static("Accept");
        response.headers_mut().append(header::VARY, accept);
        response
    }

    /// Errors without data.
    fn refuse(self, status: StatusCode, errors: Vec<Json>) -> Response {
        let body = Map::from_iter([("errors".to_owned(), errors.into())]);
        self.answer(status, body)
    }

    fn unread(self, unread: &RequestError) -> Response {
        match unread {
            RequestError::Type => {
                let message = "The content type must be application/json.";
                let errors = vec![plain(message, &[])];
                self.refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, errors)
            }
            RequestError::Bad(why) => self.refuse(StatusCode::BAD_REQUEST, vec![plain(*why, &[])]),
        }
    }

    /// One that is wrong by the rules of the language.
    fn invalid(self, errors: Vec<Json>) -> Response {
        let status = match self {
            Self::New => StatusCode::BAD_REQUEST,
            Self::Old | Self::None => StatusCode::OK,
        };
        self.refuse(status, errors.into_iter().map(shortened).collect())
    }
}

pub(super) async fn answered(
    app: Arc<AppState>,
    who: Who,
    mut input: GraphqlRequest,
    form: Form,
    method: &Method,
) -> Result<Response, Refusal> {
    if form == Form::None {
        let message = "Answers are application/json or application/graphql-response+json.";
        return Ok(form.refuse(StatusCode::NOT_ACCEPTABLE, vec![plain(message, &[])]));
    }
    let (compiled, stored) = match &app.graphql.compiled {
        Ok(compiled) => (*compiled, &app.graphql.stored),
        Err(why) => return Err(Error::internal(why).into()),
    };
    let hash = input.hash.take();
    let query = match query(stored, input.query.take(), hash.as_deref()) {
        Ok(query) => query,
        Err((status, error)) => return Ok(form.refuse(status, vec![error])),
    };
    let read = match read(&app, compiled, &query, &mut input) {
        Ok(read) => read,
        Err(error) => return Ok(form.invalid(vec![error])),
    };
    if read.changes && *method != Method::POST {
        let message = "Can only perform a mutation operation from a POST request.";
        let errors = vec![plain(message, &[])];
        let mut response = form.refuse(StatusCode::METHOD_NOT_ALLOWED, errors);
        let allowed = HeaderValue::from_static("POST");
        response.headers_mut().insert(header::ALLOW, allowed);
        return Ok(response);
    }
    let cost = Cost::of_query(read.cost);
    if read.changes {
        let writes = app.limits.writes(&app.book, &who, request_facts::address());
        writes.await?;
    }
    let is_schema = |pick: &&Pick<'_>| matches!(pick.kind, PickKind::Schema);
    let introspects = read.picks.iter().any(|pick| is_schema(&pick));
    if introspects && !app.settings.graphql.introspection {
        let message = "GraphQL introspection is not allowed, but the query contained __schema or \
                       __type";
        return Ok(form.invalid(vec![plain(message, &[])]));
    }
    let request = (read.document, read.name, input.variables);
    let validated = match validated(compiled, introspects, request).await {
        Ok(validated) => validated,
        Err(errors) => return Ok(form.invalid(errors)),
    };
    if let Some(hash) = &hash {
        stored.put(hash, &query);
    }
    let call = Call { app, who };
    let mut done = run::run(&call, &read.picks, read.changes).await;
    if introspects && let Ok(Json::Object(mut schema)) = validated.data.into_json() {
        for pick in read.picks.iter().filter(is_schema) {
            let value = schema.remove(&pick.alias).unwrap_or_default();
            done.data.insert(pick.alias.clone(), value);
        }
    }
    done.errors.extend(validated.errors.iter().map(of_library));
    if let Some(rows) = done.rows {
        let body = long::body(done.data, done.errors, (call, read.picks), rows);
        let mut response = form.respond(StatusCode::OK, body);
        response.extensions_mut().insert(cost);
        return Ok(response);
    }
    let is_cacheable = done.errors.is_empty() && read.picks.iter().all(rests_on_the_book);
    let mut response = form.answer(StatusCode::OK, whole(done.data, done.errors));
    response.extensions_mut().insert(cost);
    for cookie in done.cookies {
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    if is_cacheable {
        response.extensions_mut().insert(Cacheable);
    }
    Ok(response)
}

/// What the library answers to a request: the selected part of the schema; else what is wrong by the rules of the
/// language.
async fn validated(
    compiled: &CompiledSchema,
    introspects: bool,
    (document, name, variables): (ExecutableDocument, Option<String>, Map<String, Json>),
) -> std::result::Result<async_graphql::Response, Vec<Json>> {
    let verdict = Arc::new(Verdict { introspects, ..Verdict::default() });
    let mut request = Request::new("").data(Arc::clone(&verdict));
    request.variables = Variables::from_value(plan::value(Json::Object(variables)));
    request.operation_name = name;
    request.set_parsed_query(document);
    let validated = compiled.schema.execute(request).await;
    match verdict.valid.load(Ordering::Relaxed) {
        true => Ok(validated),
        false => Err(validated.errors.iter().map(of_library).collect()),
    }
}

/// The query of a request: that which was sent, or the one of its hash; else why there is none.
fn query(stored: &Stored, text: Option<String>, hash: Option<&str>) -> std::result::Result<String, (StatusCode, Json)> {
    match (text, hash) {
        (Some(query), Some(hash)) if !Stored::fits(hash, &query) => {
            let error = plain("provided sha does not match query", &[]);
            Err((StatusCode::BAD_REQUEST, error))
        }
        (Some(query), _) => Ok(query),
        (None, Some(hash)) => {
            let query = stored.get(hash).map(|query| query.to_string());
            query.ok_or_else(|| (StatusCode::OK, not_found()))
        }
        (None, None) => Err((StatusCode::BAD_REQUEST, plain("Missing query", &[]))),
    }
}

fn whole(data: Map<String, Json>, errors: Vec<Json>) -> Map<String, Json> {
    let mut body = Map::new();
    if !errors.is_empty() {
        body.insert("errors".to_owned(), errors.into());
    }
    body.insert("data".to_owned(), data.into());
    let mut extensions = Map::new();
    let ignored = handling::ignored();
    if !ignored.is_empty() {
        extensions.insert("ignored".to_owned(), ignored::member(&ignored));
    }
    if let Some(findings) = findings::all() {
        extensions.insert(findings::MEMBER.to_owned(), findings);
    }
    if ops::is_dry_run() {
        extensions.insert("validate".to_owned(), "only".into());
    }
    if !extensions.is_empty() {
        body.insert("extensions".to_owned(), extensions.into());
    }
    body
}

/// A hash without a known query.
fn not_found() -> Json {
    json!({
        "extensions": {
            "code": "PERSISTED_QUERY_NOT_FOUND", "name": "PersistedQueryNotFound",
            "statusCode": 200,
        },
        "message": "PersistedQueryNotFound",
    })
}

/// Whether an answer depends on caller, request and book alone.
fn rests_on_the_book(pick: &Pick<'_>) -> bool {
    match &pick.kind {
        PickKind::Typename(_) => true,
        PickKind::Schema => false,
        PickKind::Field { out, .. } => {
            matches!(out.what, What::Root(Root { verb: Verb::ById | Verb::List | Verb::Count, .. }))
        }
    }
}

struct Read {
    document: ExecutableDocument,
    name: Option<String>,
    changes: bool,
    picks: Vec<Pick<'static>>,
    cost: u64,
}

fn read(
    app: &AppState,
    compiled: &'static CompiledSchema,
    query: &str,
    input: &mut GraphqlRequest,
) -> std::result::Result<Read, Json> {
    let settings = &app.settings.graphql;
    if query.len() > settings.query {
        let message = said!("The query is longer than {limit} bytes.", limit = settings.query);
        return Err(plain(message, &[]));
    }
    if request::levels(query) > LEVELS_MAX {
        return Err(plain("The query is nested too deep.", &[]));
    }
    let document = parse_query(query).map_err(|error| {
        let places: Vec<_> = error.positions().collect();
        plain(rules::unread(&error), &places)
    })?;
    let (name, operation) = operation(&document, input.operation.as_deref())?;
    let changes = match operation.node.ty {
        OperationType::Query => false,
        OperationType::Mutation => true,
        OperationType::Subscription => {
            let message = "Schema is not configured to execute subscription operation.";
            return Err(plain(message, &[operation.pos]));
        }
    };
    variables(operation, &mut input.variables)?;
    let limits = Limits {
        depth: settings.depth,
        complexity: settings.complexity,
        cost: settings.cost,
        page: app.settings.limit,
    };
    let refuse = |excess: Excess| {
        let places: Vec<_> = excess.pos.into_iter().collect();
        plain(excess.message, &places)
    };
    let mut reader = Reader::new(&compiled.model, &document, &input.variables).map_err(refuse)?;
    let root = if changes { MUTATION } else { QUERY };
    let picks = reader.plan(operation, root, limits).map_err(refuse)?;
    Ok(Read { picks, cost: reader.cost, name, changes, document })
}

fn operation<'d>(
    document: &'d ExecutableDocument,
    name: Option<&str>,
) -> std::result::Result<(Option<String>, &'d Positioned<OperationDefinition>), Json> {
    let mut all = document.operations.iter();
    match name.filter(|name| !name.is_empty()) {
        Some(name) => {
            let operation = all.find(|(other, _)| other.is_some_and(|other| other.as_str() == name));
            let message = said!("Unknown operation named \"{name}\".", name = name);
            let (_, operation) = operation.ok_or_else(|| plain(message, &[]))?;
            Ok((Some(name.to_owned()), operation))
        }
        None => match (all.next(), all.next()) {
            (Some((_, only)), None) => Ok((None, only)),
            _ => {
                let message = "Must provide operation name if query contains multiple operations.";
                Err(plain(message, &[]))
            }
        },
    }
}

/// Adds defaults; what is required must be there.
fn variables(
    operation: &Positioned<OperationDefinition>,
    given: &mut Map<String, Json>,
) -> std::result::Result<(), Json> {
    for definition in &operation.node.variable_definitions {
        let (name, ty) = (&definition.node.name.node, &definition.node.var_type.node);
        if !given.contains_key(name.as_str())
            && let Some(default) = &definition.node.default_value
        {
            let default = default.node.clone().into_json().unwrap_or_default();
            given.insert(name.to_string(), default);
        }
        if !ty.nullable && given.get(name.as_str()).is_none_or(Json::is_null) {
            let message = said!(
                "Variable \"${name}\" of required type \"{type_name}\" was not provided.",
                name = name.as_str(),
                type_name = ty.to_string(),
            );
            return Err(plain(message, &[definition.pos]));
        }
    }
    Ok(())
}

/// Messages repeat what was sent, which may be long.
fn shortened(mut error: Json) -> Json {
    if let Some(Json::String(message)) = error.get_mut("message")
        && let Some((end, _)) = message.char_indices().nth(MESSAGE_MAX)
    {
        message.truncate(end);
        message.push('…');
    }
    error
}
