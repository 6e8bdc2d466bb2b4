//! View links (docs/links.md): whoever has the token of one is a caller without an account who sees what the link
//! shows, until it ends or is revoked, and no animal that its owner gave away since. A token that opens nothing is the
//! same whether it never was one, has ended or was revoked.

use super::principal::{Credential, ResolvedCaller};
use crate::Book;
use crate::columns::{column, columns, words};
use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::view_links::{ANIMALS, DIGEST, EXPIRES, OPENED, OPENS, OWNER, REVOKED, SCOPES};
use model::registry::{BookReader, Collection, Feature, Grant, HookContext, ID, Lookup, Principal};
use secure::token;
use store::{Snapshot, Sql, Ty};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedLink {
    /// The organisation whose animals it shows.
    pub owner: Option<i64>,
    /// Which data of them.
    pub scopes: Vec<String>,
    /// When it ends, epoch milliseconds.
    pub expires: i64,
    pub animals: Vec<i64>,
}

impl Book {
    /// The collection of view links, if there is one.
    fn links(&self) -> Option<&'static Collection> {
        self.registry.with_feature(Feature::ViewLinks)
    }

    /// The caller who has the token of a view link; an unknown caller for any other token.
    pub async fn link_holder(&self, token: &str) -> Result<ResolvedCaller> {
        let Some(links) = self.links() else {
            let since = self.store.snapshot().await?;
            return Ok(ResolvedCaller::unknown(since));
        };
        let digest = token::digest(token);
        // No account has the id 0.
        let place = (0, format!("{}/{digest}", links.slug).into());
        self.remembered(place, Credential::Link(links, &digest)).await
    }

    pub(crate) async fn look_up_link(
        &self,
        links: &'static Collection,
        digest: &str,
        since: Snapshot,
    ) -> Result<ResolvedCaller> {
        let mut sql = columns(links, &["id", OWNER, SCOPES, EXPIRES, REVOKED]);
        sql.push(" WHERE ").name(column(links, DIGEST)).push(" = ").bind(Ty::Text, Value::Text(digest.to_owned()));
        let rows = self.read(sql).await?;
        let now = self.clock.now();
        let live = (rows.first()).filter(|row| row.time(4).is_none() && row.time(3).is_some_and(|end| end > now));
        let Some((row, id, owner)) = live.and_then(|row| Some((row, row.int(0)?, row.int(1)?))) else {
            return Ok(ResolvedCaller::unknown(since));
        };
        let Some(animals) = links.field(ANIMALS) else { return Ok(ResolvedCaller::unknown(since)) };
        let mut sql = Sql::new("SELECT \"target\" FROM ");
        sql.name(&links.link_table(animals)).push(" WHERE \"owner\" = ").bind(Ty::Int, id);
        let (scopes, expires) = (words(row, 2), row.time(3));
        let rows = self.read(sql).await?;
        let grants = rows.iter().filter_map(|row| row.int(0)).map(|animal| Grant {
            owner,
            animal: Some(animal),
            scopes: scopes.clone(),
            expires,
        });
        Ok(ResolvedCaller::known(Principal { grants: grants.collect(), ..Principal::anonymous() }, expires, since))
    }

    /// What the link of a token shows, and counts that it was opened.
    ///
    /// # Errors
    /// `Error::NotFound` for a token that opens nothing, for whatever reason.
    pub async fn open_link(&self, c: &'static Collection, token: &str) -> Result<OpenedLink> {
        let digest = token::digest(token);
        self.transact(move |work| {
            Box::pin(async move {
                let rows = work.find(c.slug, Lookup::default().is_in(DIGEST, vec![Value::Text(digest)])).await?;
                let now = work.now();
                let row = rows.first().filter(|row| is_live(c, row, now)).ok_or(Error::NotFound)?;
                let get = |path: &str| row.get(c.at(path));
                let opened = OpenedLink {
                    owner: get(OWNER).int(),
                    scopes: get(SCOPES).texts().to_vec(),
                    expires: get(EXPIRES).time().unwrap_or_default(),
                    animals: get(ANIMALS).ids().to_vec(),
                };
                let opens = get(OPENS).int().unwrap_or(0).saturating_add(1);
                let id = row.get(ID).int().unwrap_or_default();
                let counted = vec![(c.at(OPENS), Value::Int(opens)), (c.at(OPENED), Value::Time(now))];
                work.amend(c.slug, vec![(id, counted)]).await?;
                Ok(opened)
            })
        })
        .await
    }
}

fn is_live(c: &Collection, row: &Record, now: i64) -> bool {
    let time = |path: &str| row.get(c.at(path)).time();
    time(REVOKED).is_none() && time(EXPIRES).is_some_and(|end| end > now)
}
