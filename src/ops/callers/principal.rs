//! The caller: from the claims of a token to class, organisation, capabilities and grants (docs/design/access.md,
//! *Callers*). Looked up again when a table that it depends on was written, by any process, and every few seconds
//! anyway, in case another program wrote to the database. Must not know tokens nor HTTP.

use crate::Book;
use crate::callers::mandates::{mandates_in, mandates_of};
use crate::columns::{column, columns, select, words};
use model::error::{Error, Result};
use model::record::{Value, time};
use model::registry::keyring::{DATASETS, EXPIRES, HOLDER, KEY_INDEX, REVOKED, SCOPE, WRITES};
use model::registry::mandates::Mandate;
use model::registry::sign_in::{API_KEY_INDEX, ENABLE_API_KEY, SECOND_FACTOR};
use model::registry::{
    ACTIVITIES, ASSOCIATION, Caller, Capability, Collection, Consent, Feature, Grant, HookContext, KeyScope, Principal,
};
use moka::future::Cache;
use secure::session::Claims;
use serde_json::Value as Json;
use std::sync::Arc;
use std::time::Duration;
use store::{ReadSet, Row, Snapshot, Sql, Ty, versions};

/// How long a caller is taken from memory without another look-up, if nothing was written.
const BELIEVED: Duration = Duration::from_secs(5);
/// Callers that are cached.
const CALLERS: u64 = 20_000;
/// How often a caller is looked up again while the tables that it depends on are being written.
const LOOKS: usize = 3;
/// The kind of a session that was begun with a passkey.
pub const BY_PASSKEY: &str = "passkey";
/// Mergers of organisations that are followed.
const MERGERS_MAX: usize = 16;

/// The sign-in state of a caller who sent a token, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInState {
    /// No claims: anonymous.
    Unknown,
    SignedIn,
    /// The session was ended, or the user is gone: anonymous.
    Ended,
    /// The user is blocked: anonymous, but ADE refuses the request (docs/design/access.md,
    /// *Callers*).
    Blocked,
}

#[derive(Debug, Clone)]
pub struct ResolvedCaller {
    /// The rights of the caller.
    pub principal: Arc<Principal>,
    pub sign_in_state: SignInState,
    /// The session of the token, as answers show it; none for API keys.
    pub session: Option<Arc<Json>>,
    /// Whether the account has a second factor that this session used.
    pub factor: bool,
    /// Whether the account has a passkey and no codes, and this session did not use it.
    pub unshown: bool,
    /// A state of the book that is not newer than the look-up of the caller.
    pub since: Snapshot,
    /// End of that session, epoch milliseconds.
    ends: Option<i64>,
}

/// Callers by user and session, with the data that they depend on.
pub(crate) type Callers = Cache<(i64, Arc<str>), CachedCaller>;

/// A caller in the cache, with the data that it depends on.
#[derive(Debug, Clone)]
pub(crate) struct CachedCaller {
    caller: ResolvedCaller,
    read: Arc<ReadSet>,
}

pub(crate) fn callers() -> Callers {
    Cache::builder().max_capacity(CALLERS).time_to_live(BELIEVED).build()
}

impl ResolvedCaller {
    fn nobody(sign_in_state: SignInState, since: Snapshot) -> Self {
        Self {
            principal: Arc::new(Principal::anonymous()),
            sign_in_state,
            session: None,
            factor: false,
            unshown: false,
            since,
            ends: None,
        }
    }

    /// A caller without a credential that holds.
    pub(crate) fn unknown(since: Snapshot) -> Self {
        Self::nobody(SignInState::Unknown, since)
    }

    /// A caller with a credential other than a session, until that ends.
    pub(crate) fn known(principal: Principal, ends: Option<i64>, since: Snapshot) -> Self {
        Self { principal: Arc::new(principal), ends, ..Self::nobody(SignInState::SignedIn, since) }
    }

    /// Whether the session of the token has ended since the look-up.
    fn is_over(&self, now: i64) -> bool {
        self.ends.is_some_and(|end| end <= now)
    }
}

/// The credential by which a caller is looked up.
#[derive(Clone, Copy)]
pub(crate) enum Credential<'a> {
    Session(&'static Collection, &'a Claims),
    /// Digests of a key, under the present secret and those before it.
    Key(&'static Collection, &'a [String]),
    /// Digest of the token of a view link.
    Link(&'static Collection, &'a str),
}

/// The columns of an account, in the order of the statement.
const ACCOUNT: [&str; 7] = ["id", "role", "organization", "orgRole", "blockedAt", "sessions", SECOND_FACTOR];

impl Book {
    /// The caller of a token whose claims were verified. A caller that is not signed in, for any
    /// reason, is anonymous; [`ResolvedCaller::sign_in_state`] gives the reason.
    pub async fn principal(&self, claims: Option<&Claims>) -> Result<ResolvedCaller> {
        let Some(claims) = claims else { return self.nobody(SignInState::Unknown).await };
        let Some(users) = self.registry.get(&claims.collection).filter(|c| c.auth) else {
            return self.nobody(SignInState::Ended).await;
        };
        let place = (claims.id, format!("{}/{}", users.slug, claims.sid).into());
        self.remembered(place, Credential::Session(users, claims)).await
    }

    async fn nobody(&self, state: SignInState) -> Result<ResolvedCaller> {
        Ok(ResolvedCaller::nobody(state, self.store.snapshot().await?))
    }

    /// The caller behind an API key of a collection; anonymous when there is no such key,
    /// or none that is switched on. A key that two accounts share opens neither.
    pub async fn key_holder(&self, users: &'static Collection, key: &str) -> Result<ResolvedCaller> {
        let digests = self.keys.api_keys(key);
        let Some(first) = digests.first() else { return self.nobody(SignInState::Unknown).await };
        // No account has the id 0.
        let place = (0, format!("{}/{first}", users.slug).into());
        let caller = self.remembered(place, Credential::Key(users, &digests)).await?;
        if let Some(key) = caller.principal.key.as_ref().and_then(|key| key.id) {
            self.uses.note(key, self.clock.now());
        }
        Ok(caller)
    }

    /// The caller that an account is now, for work that it left behind; none when it is gone or
    /// blocked. Without a session, and looked up afresh.
    pub async fn account(&self, id: i64) -> Result<Principal> {
        let Some(users) = self.registry.iter().find(|c| c.auth) else { return Ok(Principal::anonymous()) };
        let rows = self.read(select(users, &ACCOUNT, id)).await?;
        match rows.first().filter(|row| row.time(4).is_none()) {
            Some(row) => self.signed_in(row).await,
            None => Ok(Principal::anonymous()),
        }
    }

    /// The present state of a caller: from memory if nothing that it depends on was written since the look-up.
    pub(crate) async fn remembered(
        &self,
        place: (i64, Arc<str>),
        credential: Credential<'_>,
    ) -> Result<ResolvedCaller> {
        for _ in 0..LOOKS {
            let since = self.store.snapshot().await?;
            let CachedCaller { mut caller, read } = match self.callers.get(&place).await {
                Some(cached) => cached,
                // Most callers are remembered: their requests need no room for a look-up.
                None => Box::pin(self.looked(place.clone(), credential, since)).await?,
            };
            let versions = self.store.versions();
            let stands = read.is_closed() && versions.holds(caller.since, &read);
            if stands && !caller.is_over(self.clock.now()) {
                caller.since = since;
                return Ok(caller);
            }
            self.callers.invalidate(&place).await;
        }
        let since = self.store.snapshot().await?;
        Box::pin(self.look(credential, since)).await
    }

    /// Looks a caller up for all requests of the same time: they wait for one look-up, which may
    /// have begun too early for some of them.
    async fn looked(
        &self,
        place: (i64, Arc<str>),
        credential: Credential<'_>,
        since: Snapshot,
    ) -> Result<CachedCaller> {
        let look = async {
            let (caller, read) = versions::read_set(self.look(credential, since)).await;
            let read = Arc::new(read);
            caller.map(|caller| CachedCaller { caller, read })
        };
        let cached = self.callers.try_get_with(place, look).await;
        cached.map_err(|error| match &*error {
            Error::Unavailable(why) => Error::Unavailable(why.clone()),
            Error::Late => Error::Late,
            Error::Overloaded => Error::Overloaded,
            other => Error::internal(other),
        })
    }

    async fn look(&self, credential: Credential<'_>, since: Snapshot) -> Result<ResolvedCaller> {
        match credential {
            Credential::Session(users, claims) => self.look_up(users, claims, since).await,
            Credential::Key(users, digests) => self.look_up_key(users, digests, since).await,
            Credential::Link(links, digest) => self.look_up_link(links, digest, since).await,
        }
    }

    async fn look_up(&self, users: &'static Collection, claims: &Claims, since: Snapshot) -> Result<ResolvedCaller> {
        let rows = self.read(select(users, &ACCOUNT, claims.id)).await?;
        let Some(row) = rows.first() else { return Ok(ResolvedCaller::nobody(SignInState::Ended, since)) };
        if row.time(4).is_some() {
            return Ok(ResolvedCaller::nobody(SignInState::Blocked, since));
        }
        let Some(session) = session(row.value(5, Ty::Json).rows(), &claims.sid, self.clock.now()) else {
            return Ok(ResolvedCaller::nobody(SignInState::Ended, since));
        };
        let mut principal = self.signed_in(row).await?;
        principal.session = Some(claims.sid.clone());
        principal.proved = session.get("createdAt").and_then(Json::as_str).and_then(time::parse);
        let kind = session.get("kind").and_then(Json::as_str);
        let (factor, unshown) = factor(row, kind == Some(BY_PASSKEY));
        Ok(ResolvedCaller {
            principal: Arc::new(principal),
            sign_in_state: SignInState::SignedIn,
            factor,
            unshown,
            ends: ends(&session),
            session: Some(Arc::new(session)),
            since,
        })
    }

    async fn look_up_key(
        &self,
        users: &'static Collection,
        digests: &[String],
        since: Snapshot,
    ) -> Result<ResolvedCaller> {
        let mut paths = ACCOUNT.to_vec();
        paths.extend([ENABLE_API_KEY, API_KEY_INDEX]);
        let mut sql = columns(users, &paths);
        sql.push(" WHERE ").name(column(users, API_KEY_INDEX)).push(" IN ");
        let values = digests.iter().cloned().map(Value::Text);
        let first = values.clone().next();
        sql.bind_list(Ty::Text, values).push(" LIMIT 2");
        let rows = self.read(sql).await?;
        let [row] = rows.as_slice() else {
            if rows.is_empty() {
                return self.look_up_own_key(users, digests, since).await;
            }
            if rows.len() > 1 {
                tracing::warn!("two accounts share an API key: it opens neither");
            }
            return Ok(ResolvedCaller::nobody(SignInState::Unknown, since));
        };
        if row.time(4).is_some() {
            return Ok(ResolvedCaller::nobody(SignInState::Blocked, since));
        }
        if row.truth(7) != Some(true) {
            return Ok(ResolvedCaller::nobody(SignInState::Ended, since));
        }
        if let (Some(id), Some(Value::Text(first))) = (row.int(0), first)
            && row.text(8) != Some(&first)
        {
            // Found under the previous secret: stored under the present one from now on.
            let index = vec![(users.at(API_KEY_INDEX), Value::Text(first))];
            self.transact(move |work| Box::pin(async move { work.amend(users.slug, vec![(id, index)]).await })).await?;
        }
        let mut principal = self.signed_in(row).await?;
        principal.key = Some(Arc::new(KeyScope::whole()));
        Ok(ResolvedCaller::known(principal, None, since))
    }

    async fn look_up_own_key(
        &self,
        users: &'static Collection,
        digests: &[String],
        since: Snapshot,
    ) -> Result<ResolvedCaller> {
        let nobody = |sign_in_state| Ok(ResolvedCaller::nobody(sign_in_state, since));
        let of_these =
            |c: &&Collection| c.is(Feature::ApiKeys) && c.field(HOLDER).and_then(|f| f.target()) == Some(users.slug);
        let Some(keys) = self.registry.iter().find(of_these) else { return nobody(SignInState::Unknown) };
        let paths = ["id", HOLDER, SCOPE, DATASETS, EXPIRES, REVOKED, KEY_INDEX];
        let mut sql = columns(keys, &paths);
        sql.push(" WHERE ").name(column(keys, KEY_INDEX)).push(" IN ");
        sql.bind_list(Ty::Text, digests.iter().cloned().map(Value::Text)).push(" LIMIT 1");
        let rows = self.read(sql).await?;
        let Some((key, id, holder)) = rows.first().and_then(|row| Some((row, row.int(0)?, row.int(1)?))) else {
            return nobody(SignInState::Unknown);
        };
        let ends = key.time(4);
        let over = ends.is_some_and(|end| end <= self.clock.now());
        if over || key.time(5).is_some() {
            return nobody(SignInState::Ended);
        }
        let rows = self.read(select(users, &ACCOUNT, holder)).await?;
        let Some(row) = rows.first() else { return nobody(SignInState::Ended) };
        if row.time(4).is_some() {
            return nobody(SignInState::Blocked);
        }
        if let Some(first) = digests.first()
            && key.text(6) != Some(first)
        {
            // Found under the previous secret: stored under the present one from now on.
            let index = vec![(keys.at(KEY_INDEX), Value::Text(first.clone()))];
            self.transact(move |work| Box::pin(async move { work.amend(keys.slug, vec![(id, index)]).await })).await?;
        }
        let mut principal = self.signed_in(row).await?;
        principal.key =
            Some(Arc::new(KeyScope { id: Some(id), writes: key.text(2) == Some(WRITES), datasets: words(key, 3) }));
        Ok(ResolvedCaller::known(principal, ends, since))
    }

    async fn signed_in(&self, row: &Row) -> Result<Principal> {
        let role = row.text(1).unwrap_or_default();
        let association = ASSOCIATION.contains(&role);
        let (organization, membership, activities) = self.organization(row.int(2)).await?;
        let capabilities = match association {
            true => Capability::of_member("head", None),
            false => Capability::of_member(row.text(3).unwrap_or_default(), membership.as_deref()),
        };
        let grants = if let Some(my) = organization { self.grants(my).await? } else { Vec::new() };
        let consents = if let Some(my) = organization { self.consents(my).await? } else { Vec::new() };
        let mandates = match organization {
            Some(my) if !association => self.mandates(my).await?,
            _ => Vec::new(),
        };
        Ok(Principal {
            caller: if association { Caller::Association } else { Caller::Farm },
            user: row.int(0),
            organization,
            activities: activities.into(),
            sender: None,
            admin: role == "admin",
            capabilities,
            grants: grants.into(),
            consents: consents.into(),
            mandates: mandates.into(),
            session: None,
            proved: None,
            key: None,
            ip: None,
        })
    }

    /// The organisation that another one became, its membership, and what it is accredited for.
    async fn organization(&self, start: Option<i64>) -> Result<(Option<i64>, Option<String>, Vec<String>)> {
        let organizations = self.collection("organizations")?;
        let mut my = start;
        for _ in 0..MERGERS_MAX {
            let Some(id) = my else { break };
            let fields = ["mergedInto", "membership", ACTIVITIES];
            let rows = self.read(select(organizations, &fields, id)).await?;
            let Some(row) = rows.first() else { break };
            match row.int(0) {
                Some(into) => my = Some(into),
                None => return Ok((my, row.text(1).map(str::to_owned), words(row, 2))),
            }
        }
        // Gone, or merged in a circle: no organisation has these rights.
        Ok((None, None, Vec::new()))
    }

    /// Grants to an organisation that were not revoked; when they end is for the gate.
    async fn grants(&self, my: i64) -> Result<Vec<Grant>> {
        let rows = self.consents_given("access-grants", "scopes", my).await?;
        let grant = |row: &Row| {
            Some(Grant { owner: row.int(0)?, animal: row.int(1), scopes: words(row, 2), expires: row.time(3) })
        };
        Ok(rows.iter().filter_map(grant).collect())
    }

    /// Genotype consents to an organisation, likewise.
    async fn consents(&self, my: i64) -> Result<Vec<Consent>> {
        let rows = self.consents_given("genotype-consents", "purposes", my).await?;
        let consent = |row: &Row| {
            Some(Consent { owner: row.int(0)?, animal: row.int(1), purposes: words(row, 2), expires: row.time(3) })
        };
        Ok(rows.iter().filter_map(consent).collect())
    }

    /// Owner, animal, what for and end of what an organisation was given. A registry may do without the collection.
    async fn consents_given(&self, slug: &str, purposes: &str, my: i64) -> Result<Vec<Row>> {
        let Some(c) = self.registry.get(slug) else { return Ok(Vec::new()) };
        let mut sql = columns(c, &["owner", "animal", purposes, "expiresAt"]);
        sql.push(" WHERE ").name(column(c, "grantee")).push(" = ").bind(Ty::Int, my).push(" AND ");
        sql.name(column(c, "revokedAt")).push(" IS NULL ORDER BY \"id\"");
        self.read(sql).await
    }

    /// Mandates of an organisation, likewise.
    async fn mandates(&self, my: i64) -> Result<Vec<Mandate>> {
        match mandates_of(self.registry, my) {
            Some(sql) => Ok(mandates_in(&self.read(sql).await?)),
            None => Ok(Vec::new()),
        }
    }

    fn collection(&self, slug: &str) -> Result<&'static Collection> {
        let missing = || Error::internal(format!("no collection {slug}"));
        self.registry.get(slug).ok_or_else(missing)
    }

    pub(crate) async fn read(&self, sql: Sql) -> Result<Vec<Row>> {
        #[cfg(any(test, feature = "failpoints"))]
        store::statement_log::add_read(&sql);
        self.store.rows(sql).await
    }
}

/// Whether a session showed a second factor of the account, and whether it only has a passkey,
/// which the session was begun without. Codes were required when the session began.
fn factor(row: &Row, by_passkey: bool) -> (bool, bool) {
    let Value::Json(stored) = row.value(6, Ty::Json) else { return (false, false) };
    let passkeys = stored.get("passkeys").and_then(Json::as_array);
    let has_passkey = passkeys.is_some_and(|passkeys| !passkeys.is_empty());
    let by_factor = stored.get("totp").is_some() || (has_passkey && by_passkey);
    (by_factor, has_passkey && !by_factor)
}

/// The session of that id, while it lives.
fn session(sessions: &[Json], sid: &str, now: i64) -> Option<Json> {
    sessions.iter().find(|s: &&Json| s.get("id").and_then(Json::as_str) == Some(sid)).filter(|s| lives(s, now)).cloned()
}

fn lives(session: &Json, now: i64) -> bool {
    ends(session).is_some_and(|end| end > now)
}

fn ends(session: &Json) -> Option<i64> {
    session.get("expiresAt").and_then(Json::as_str).and_then(time::parse)
}
