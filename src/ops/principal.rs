//! Who calls: from the claims of a token to class, organisation, capabilities and grants
//! (model, section 2.1). Looked up afresh at most every few seconds, and at once after
//! users, organisations or grants changed anywhere. Must not know tokens nor HTTP.

use super::Book;
use crate::error::{Error, Result};
use crate::record::Value;
use crate::registry::{Caller, Capability, Collection, Grant, Principal};
use crate::secure::session::Claims;
use crate::store::{Row, Sql, Ty};
use moka::future::Cache;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a caller is believed without another look.
const BELIEVED: Duration = Duration::from_secs(5);
/// Callers kept.
const CALLERS: u64 = 20_000;
/// Mergers of organisations that are followed.
const MERGERS_MAX: usize = 16;

/// How a caller stands who showed a token, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// No claims: anonymous.
    Unknown,
    /// Signed in.
    SignedIn,
    /// The session was ended, or the user is gone: anonymous.
    Ended,
    /// The user is blocked: anonymous, but ADE refuses him (model, section 2.1).
    Blocked,
}

/// A caller with his standing.
#[derive(Debug, Clone)]
pub struct Known {
    /// What he may.
    pub principal: Arc<Principal>,
    /// Why.
    pub standing: Standing,
}

/// Callers by user, session, and generation of rights: what was looked up under an older
/// generation is never found.
pub(super) type Callers = Cache<(i64, String, u64), Known>;

pub(super) fn callers() -> Callers {
    Cache::builder()
        .max_capacity(CALLERS)
        .time_to_live(BELIEVED)
        .build()
}

impl Known {
    fn nobody(standing: Standing) -> Self {
        Self {
            principal: Arc::new(Principal::anonymous()),
            standing,
        }
    }
}

impl Book {
    /// The caller behind the claims of a token that was verified before. Whoever is not
    /// signed in, for whatever reason, is anonymous; [`Known::standing`] tells the reason.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn principal(&self, claims: Option<&Claims>) -> Result<Known> {
        let Some(claims) = claims else {
            return Ok(Known::nobody(Standing::Unknown));
        };
        // Read before the rows are: a change in between then only makes the entry useless.
        let rights = self.store.watch().rights();
        let key = (claims.id, claims.sid.clone(), rights);
        let known = self.callers.try_get_with(key, self.look_up(claims)).await;
        known.map_err(|error| match &*error {
            Error::Unavailable(why) => Error::Unavailable(why.clone()),
            other => Error::internal(other),
        })
    }

    async fn look_up(&self, claims: &Claims) -> Result<Known> {
        let users = self.collection("users")?;
        let fields = ["role", "organization", "orgRole", "blockedAt", "sessions"];
        let rows = self.read(select(users, &fields, claims.id)).await?;
        let Some(row) = rows.first() else {
            return Ok(Known::nobody(Standing::Ended));
        };
        if row.time(3).is_some() {
            return Ok(Known::nobody(Standing::Blocked));
        }
        if !has_session(row.value(4, Ty::Json).rows(), &claims.sid) {
            return Ok(Known::nobody(Standing::Ended));
        }
        let principal = self.signed_in(claims, row).await?;
        Ok(Known {
            principal: Arc::new(principal),
            standing: Standing::SignedIn,
        })
    }

    async fn signed_in(&self, claims: &Claims, row: &Row) -> Result<Principal> {
        let role = row.text(0).unwrap_or_default();
        let association = matches!(role, "expert" | "admin");
        let (organization, membership) = self.organization(row.int(1)).await?;
        let mut capabilities = if association {
            capabilities("head")
        } else {
            capabilities(row.text(2).unwrap_or_default())
        };
        if !association && membership.as_deref() == Some("suspended") {
            for taken in [Capability::Submit, Capability::Move, Capability::Share] {
                capabilities.remove(&taken);
            }
        }
        let grants = match organization {
            Some(my) => self.grants(my).await?,
            None => Vec::new(),
        };
        Ok(Principal {
            caller: if association {
                Caller::Association
            } else {
                Caller::Farm
            },
            user: Some(claims.id),
            organization,
            admin: role == "admin",
            capabilities,
            grants: grants.into(),
            session: Some(claims.sid.clone()),
        })
    }

    /// The organisation that another one became, and its membership.
    async fn organization(&self, start: Option<i64>) -> Result<(Option<i64>, Option<String>)> {
        let organizations = self.collection("organizations")?;
        let mut my = start;
        for _ in 0..MERGERS_MAX {
            let Some(id) = my else { break };
            let fields = ["mergedInto", "membership"];
            let rows = self.read(select(organizations, &fields, id)).await?;
            let Some(row) = rows.first() else { break };
            match row.int(0) {
                Some(into) => my = Some(into),
                None => return Ok((my, row.text(1).map(str::to_owned))),
            }
        }
        // Gone, or merged in a circle: whoever is meant, it is nobody's rights.
        Ok((None, None))
    }

    /// Grants to an organisation that were not revoked; when they end is for the gate.
    async fn grants(&self, my: i64) -> Result<Vec<Grant>> {
        let grants = self.collection("access-grants")?;
        let mut sql = columns(grants, &["owner", "animal", "scopes", "expiresAt"]);
        sql.push(" WHERE ").name(column(grants, "grantee"));
        sql.push(" = ").bind(Ty::Int, my).push(" AND ");
        sql.name(column(grants, "revokedAt"))
            .push(" IS NULL ORDER BY \"id\"");
        let rows = self.read(sql).await?;
        let grant = |row: &Row| {
            let scopes = row.value(2, Ty::Json);
            let scopes = scopes.rows().iter().filter_map(|s| s.as_str());
            Some(Grant {
                owner: row.int(0)?,
                animal: row.int(1),
                scopes: scopes.map(str::to_owned).collect(),
                expires: row.time(3),
            })
        };
        Ok(rows.iter().filter_map(grant).collect())
    }

    fn collection(&self, slug: &str) -> Result<&'static Collection> {
        let missing = || Error::internal(format!("no collection {slug}"));
        self.registry.get(slug).ok_or_else(missing)
    }

    async fn read(&self, sql: Sql) -> Result<Vec<Row>> {
        #[cfg(test)]
        super::tests::heard(&sql);
        self.store.rows(sql).await
    }
}

/// What a member may do, by his role in the organisation.
fn capabilities(role: &str) -> BTreeSet<Capability> {
    let all = [
        Capability::Data,
        Capability::Submit,
        Capability::Move,
        Capability::Share,
        Capability::Team,
        Capability::Org,
    ];
    let many = match role {
        "head" => all.len(),
        "operator" => 2,
        _ => 0,
    };
    all.into_iter().take(many).collect()
}

fn has_session(sessions: &[serde_json::Value], sid: &str) -> bool {
    let id = |s: &serde_json::Value| s.get("id").and_then(|id| id.as_str()) == Some(sid);
    sessions.iter().any(id)
}

fn column<'c>(c: &'c Collection, path: &str) -> &'c str {
    c.field(path).map_or("id", |field| &field.column)
}

fn columns(c: &Collection, paths: &[&str]) -> Sql {
    let mut sql = Sql::new("SELECT ");
    for (place, path) in paths.iter().enumerate() {
        sql.push(if place == 0 { "" } else { ", " });
        sql.name(column(c, path));
    }
    sql.push(" FROM ").name(&c.table);
    sql
}

fn select(c: &Collection, paths: &[&str], id: i64) -> Sql {
    let mut sql = columns(c, paths);
    sql.push(" WHERE \"id\" = ").bind(Ty::Int, Value::Int(id));
    sql
}
