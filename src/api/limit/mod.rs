//! Rate limits and permits to run (docs/design/limits.md, *Two layers*). A client that asks for
//! more than its share is refused or waits; other clients do not notice.
//!
//! A request passes two layers. The outer one ([`metered`]) stands around the response cache and takes the cost of the
//! request from the bucket of its client. The inner one ([`rest`], and that of the exchange) stands around the
//! handlers: there the request waits for a permit, and refusals get the form of the face.

mod body;
mod bucket;
mod client;
mod database_use;
mod denied;
mod fields;
mod permits;
mod request_class;
#[cfg(test)]
mod tests;

pub(crate) use denied::Denied;
pub(super) use permits::{Permit, PermitHandle, Turn};
pub(super) use request_class::{Cost, DOORS};

use self::bucket::{Bucket, Quota, Remaining};
use self::client::Client;
use self::database_use::DatabaseUse;
use self::denied::Why;
use self::permits::Permits;
use self::request_class::{CLASSES, RequestClass};
use crate::caller::Who;
use crate::layers::shared::InnerService;
use crate::{AppState, Refusal};
use model::clock::Clock;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::{Extensions, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use moka::sync::Cache;
use ops::{Allowance, Book};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Clients that are remembered.
const CLIENTS: u64 = 100_000;
/// How long an idle client is remembered; longer than any debt lasts.
const IDLE: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct Limits {
    settings: config::Limits,
    clock: Clock,
    buckets: Cache<Client, Arc<Bucket>>,
    allowances: Cache<i64, Arc<Allowance>>,
    /// The default quota of a client.
    usual: Quota,
    /// Permits to run, by request class.
    permits: [Arc<Permits>; CLASSES.len()],
    /// What a second of the database costs, tenths, by request class.
    seconds: [u64; CLASSES.len()],
}

impl Limits {
    /// Nothing was taken yet.
    pub(super) fn new(settings: &config::Limits, clock: &Clock) -> Self {
        let s = settings;
        let all = Quota { classes: [s.read, s.write, s.bulk, s.sign_in], concurrent: s.concurrent };
        Self {
            settings: s.clone(),
            clock: clock.clone(),
            buckets: Cache::builder().max_capacity(CLIENTS).time_to_idle(IDLE).build(),
            allowances: Cache::builder().max_capacity(CLIENTS).time_to_idle(IDLE).build(),
            usual: all,
            seconds: all.classes.map(request_class::second),
            permits: CLASSES.map(|class| {
                let permits = s.running.unwrap_or_else(|| class.permits());
                Arc::new(Permits::new(permits, s.queue_age))
            }),
        }
    }

    /// What a client has left, who may so much in all. One whose quota is another now begins with a full bucket.
    fn bucket(&self, client: Client, quota: Quota) -> Arc<Bucket> {
        let (quota, suffix) = match client {
            Client::Key(..) => (quota.share(self.settings.api_key), "-key"),
            _ => (quota, ""),
        };
        let quota = quota.among(self.settings.processes);
        let present = self.buckets.get(&client);
        if let Some(present) = present.filter(|bucket| bucket.quota == quota) {
            return present;
        }
        let made = || Arc::new(Bucket::new(quota, suffix, &self.clock));
        let other = |bucket: &Arc<Bucket>| bucket.quota != quota;
        (self.buckets.entry(client)).or_insert_with_if(made, other).into_value()
    }

    /// What a client may: the quota of its organisation, else that of all. Read again
    /// only when a quota was written since.
    async fn quota(&self, book: &Book, client: Client) -> Quota {
        let Client::Organization(id) = client else {
            return self.usual;
        };
        let valid = self.allowances.get(&id).filter(|valid| book.stands(valid));
        let allowance = match valid {
            Some(valid) => valid,
            None => match Box::pin(book.allowance(id)).await {
                Ok(allowance) => {
                    let allowance = Arc::new(allowance);
                    self.allowances.insert(id, Arc::clone(&allowance));
                    allowance
                }
                Err(error) => {
                    tracing::warn!(%error, "a quota was not read");
                    let last = self.allowances.get(&id);
                    return last.map_or(self.usual, |last| self.usual.with(last.limits));
                }
            },
        };
        self.usual.with(allowance.limits)
    }

    /// What a request is counted on: its API key's bucket first, so that one key's requests
    /// that are refused take nothing from its organisation.
    async fn charge_for(&self, book: &Book, extensions: &Extensions, class: RequestClass) -> Charge {
        let client = match class {
            RequestClass::SignIn => Client::at(extensions),
            _ => Client::of(extensions),
        };
        let key = Client::key(extensions).filter(|_| class != RequestClass::SignIn);
        let quota = self.quota(book, client).await;
        let clients = key.into_iter().chain([client]);
        Charge {
            client,
            class,
            buckets: clients.map(|client| (self.bucket(client, quota), None)).collect(),
            due: 0,
            database_use: None,
        }
    }

    /// Whose permits a request takes that is charged to these buckets.
    fn turn(&self, charge: &Charge) -> Option<Turn> {
        let permits = Arc::clone(charge.class.entry(&self.permits)?);
        let (bucket, _) = charge.buckets.last()?;
        let client = permits.client(charge.client.number(), bucket.quota.concurrent);
        Some(Turn { permits, client })
    }

    /// Counts an attempt to enter an account, whether or not there is one.
    pub(super) fn count_account_attempt(&self, collection: &str, name: &str) -> Result<(), Denied> {
        self.attempt(Client::account(collection, name))
    }

    pub(super) fn count_address_attempt(&self, address: Option<IpAddr>) -> Result<(), Denied> {
        self.attempt(Client::from(address))
    }

    fn attempt(&self, client: Client) -> Result<(), Denied> {
        let bucket = self.bucket(client, self.usual);
        match bucket.meter(RequestClass::SignIn) {
            None => Ok(()),
            Some(meter) => match meter.take(request_class::REQUEST) {
                Ok(_) => Ok(()),
                Err(wait) => Err(Denied::new(Why::Rate, wait)),
            },
        }
    }

    /// Counts a write of a request that was classed as a read (a GraphQL mutation).
    pub(super) async fn writes(&self, book: &Book, who: &Who, address: Option<IpAddr>) -> Result<(), Denied> {
        let mut extensions = Extensions::new();
        extensions.insert(who.clone());
        extensions.insert(crate::layers::peer::Address(address));
        let mut charge = self.charge_for(book, &extensions, RequestClass::Write).await;
        charge.open()?;
        charge.add_cost(0);
        Ok(())
    }
}

/// The buckets from which the cost of one request is taken.
struct Charge {
    client: Client,
    class: RequestClass,
    /// Of the API key, if there is one, and of the client, with what is left of it.
    buckets: Vec<(Arc<Bucket>, Option<Remaining>)>,
    /// What is still to be paid if the client hangs up, tenths.
    due: u64,
    /// What the database did for it, of which something may not be paid.
    database_use: Option<DatabaseUse>,
}

impl Charge {
    /// Takes what every request costs.
    fn open(&mut self) -> Result<(), Denied> {
        let advance = self.class.advance();
        for (bucket, remaining) in &mut self.buckets {
            let Some(meter) = bucket.meter(self.class) else {
                continue;
            };
            match meter.take(advance) {
                Ok(had) => *remaining = Some(had),
                Err(wait) => {
                    *remaining = Some(meter.exhausted());
                    return Err(Denied::new(Why::Rate, wait));
                }
            }
        }
        // A client that hangs up pays for the answer that was being made.
        self.due = request_class::REQUEST.saturating_sub(advance);
        Ok(())
    }

    /// Takes what the answer cost besides.
    fn add_cost(&mut self, tenths: u64) {
        self.due = 0;
        let unpaid = self.database_use.as_mut().map_or(0, DatabaseUse::unpaid);
        let tenths = tenths.saturating_add(unpaid);
        if tenths == 0 {
            return;
        }
        for (bucket, remaining) in &mut self.buckets {
            if let Some(meter) = bucket.meter(self.class) {
                *remaining = Some(meter.charge(tenths));
            }
        }
    }

    fn tell(&self, response: &mut Response) {
        for (bucket, remaining) in &self.buckets {
            if let (Some(meter), Some(remaining)) = (bucket.meter(self.class), remaining) {
                fields::tell(response.headers_mut(), meter, *remaining);
            }
        }
    }

    /// Nothing is limited.
    fn is_free(&self) -> bool {
        let mut all = self.buckets.iter();
        all.all(|(bucket, _)| bucket.meter(self.class).is_none())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        // A client that hangs up pays for what was done until then.
        self.add_cost(self.due);
    }
}

/// Counts every request of a face whose caller is known, and what its answer costs.
pub(super) async fn metered(app: Arc<AppState>, mut request: Request, next: impl InnerService) -> Response {
    let class = RequestClass::of(&request);
    let charge = app.limits.charge_for(&app.book, request.extensions(), class);
    let mut charge = charge.await;
    if let Some(turn) = app.limits.turn(&charge) {
        request.extensions_mut().insert(turn);
    }
    let terms = database_use::terms(&app.limits.settings, &request, class, charge.client);
    if charge.is_free() {
        return terms.scope(next.run(request)).await;
    }
    if let Err(denied) = charge.open() {
        request.extensions_mut().insert(denied);
        let mut response = next.run(request).await;
        charge.tell(&mut response);
        return response;
    }
    let received = BodyBytes::of(&mut request);
    let second = class.entry(&app.limits.seconds).copied();
    charge.database_use = Some(DatabaseUse::new(&terms, second.unwrap_or(0)));
    let mut response = terms.scope(next.run(request)).await;
    let mut tenths = request_class::head(class, &response) + request_class::body_cost(received.bytes());
    match request_class::bytes(&response) {
        Some(bytes) => {
            tenths += request_class::answer_cost(bytes);
            charge.add_cost(tenths);
            // Refused for what another bucket has left: that of an account.
            if response.status() != StatusCode::TOO_MANY_REQUESTS {
                charge.tell(&mut response);
            }
        }
        // It is unknown how much will come.
        None => {
            charge.add_cost(tenths);
            charge.tell(&mut response);
            let body = std::mem::take(response.body_mut());
            let charge_body = move |bytes| charge.add_cost(request_class::answer_cost(bytes));
            *response.body_mut() = body::counted(body, charge_body);
        }
    }
    response
}

/// How much of a request body was read. Only that is charged, not the announced length: other
/// users of the bucket would pay for a length that never comes.
struct BodyBytes(Arc<AtomicU64>);

impl BodyBytes {
    fn of(request: &mut Request) -> Self {
        let counter = Arc::new(AtomicU64::new(0));
        if !request.method().is_safe() {
            let body = std::mem::take(request.body_mut());
            let shared = Arc::clone(&counter);
            let count = move |bytes| shared.store(bytes, Ordering::Relaxed);
            *request.body_mut() = body::counted(body, count);
        }
        Self(counter)
    }

    fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The layer around the handlers of the REST face.
pub(super) async fn rest(request: Request, next: Next) -> Response {
    match admitted(request, next).await {
        Ok(response) => response,
        Err(denied) => Refusal::Limited(denied).into_response(),
    }
}

/// Runs a request when it has a permit, unless it was refused.
///
/// # Errors
/// [`Denied`], which each interface writes in its own form.
pub(super) async fn admitted(mut request: Request, next: Next) -> Result<Response, Denied> {
    if let Some(denied) = request.extensions().get::<Denied>() {
        return Err(*denied);
    }
    let Some(turn) = request.extensions_mut().remove::<Turn>() else {
        return Ok(next.run(request).await);
    };
    let handle = PermitHandle::enter(turn).await?;
    request.extensions_mut().insert(handle.clone());
    let mut denial = None;
    if !request.body().is_end_stream() {
        let body = std::mem::take(request.body_mut());
        let (body, body_denial) = body::arriving(body, handle.clone());
        *request.body_mut() = body;
        denial = Some(body_denial);
    }
    let mut response = next.run(request).await;
    if let Some(denied) = denial.and_then(|denial| denial.get().copied()) {
        // The handler saw a body that broke off.
        return Err(denied);
    }
    if response.body().size_hint().exact().is_none() {
        // A client that reads slowly delays no other client, but the request counts as its own.
        let permit = handle.answers();
        let body = std::mem::take(response.body_mut());
        *response.body_mut() = body::counted(body, move |_| drop(permit));
    }
    Ok(response)
}
