//! The signatures of the installation: its key, what it signs, and the rows that were signed (docs/packages.md).

use crate::find::signed::part_of;
use crate::write::{Item, Outcome, WriteTransaction};
use model::canonical::canonical_object;
use model::error::{Error, Result};
use model::messages::Sentence;
use model::record::{Record, Value};
use model::registry::signing::{ALGORITHM, KEY_ID, PRIVATE, PUBLIC, RETIRED};
use model::registry::{Collection, Feature, HookContext, ID, Lookup, Principal, SignedStatement, Test};
use model::said;
use secure::ed25519::{self, SigningPair};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use store::{Sql, Ty};

impl WriteTransaction<'_> {
    pub(crate) async fn sign_statement(&mut self, mut statement: Map<String, Json>) -> Result<SignedStatement> {
        let pair = self.signing_pair().await?;
        let key = pair.public().id();
        let (name, url) = match &self.services {
            Some(services) => (services.service.to_string(), services.address.to_string()),
            None => (String::new(), String::new()),
        };
        let service = json!({"name": name, "url": url});
        statement.insert("service".to_owned(), service);
        statement.insert("algorithm".to_owned(), ed25519::ALGORITHM.into());
        statement.insert("key".to_owned(), key.as_str().into());
        let text = canonical_object(&statement).map_err(Error::internal)?;
        Ok(SignedStatement { value: pair.sign(&text), statement: text, key, algorithm: ed25519::ALGORITHM.to_owned() })
    }

    /// The key that signs; it is made when there is none. Writes of all processes come one after
    /// another, so that two do not make one each.
    async fn signing_pair(&mut self) -> Result<SigningPair> {
        let c = self.registry.with_feature(Feature::SigningKeys);
        let c = c.ok_or_else(|| Error::internal("no collection has signing keys"))?;
        let ring = self.keys()?;
        if ring.is_passing() {
            return Err(refused("Signing needs the secret of the service (`security.secret`)."));
        }
        let lookup = Lookup::default().test(RETIRED, Test::Empty);
        let lookup = lookup.order(&["-id"]).limit(1);
        match self.load(c, &lookup).await?.first() {
            Some(row) => self.open_pair(c, row).await,
            None => {
                let (pair, closed) = SigningPair::new(&ring).map_err(Error::internal)?;
                self.store_pair(c, &pair, closed).await?;
                Ok(pair)
            }
        }
    }

    async fn open_pair(&mut self, c: &'static Collection, row: &Record) -> Result<SigningPair> {
        let ring = self.keys()?;
        let closed = row.get(c.at(PRIVATE)).text().unwrap_or_default();
        let id = row.get(ID).int().unwrap_or_default();
        let pair = SigningPair::open(&ring, closed).map_err(|why| {
            refused(said!(
                "The signing key cannot be used: {why}. Configure the secret under which it was stored, or retire the \
                 key (POST /api/{collection}/{id}/retire).",
                why = why.to_string(),
                collection = c.slug,
                id = id,
            ))
        })?;
        // While the secret is replaced, the key moves on to the new one.
        if let Some(anew) = SigningPair::close_anew(&ring, closed).map_err(Error::internal)? {
            self.amend(c.slug, vec![(id, vec![(c.at(PRIVATE), Value::from(anew))])]).await?;
        }
        Ok(pair)
    }

    async fn store_pair(&mut self, c: &'static Collection, pair: &SigningPair, closed: String) -> Result<()> {
        let public = pair.public();
        let values = [
            (KEY_ID, public.id()),
            (ALGORITHM, ed25519::ALGORITHM.to_owned()),
            (PUBLIC, public.text()),
            (PRIVATE, closed),
        ];
        let values = values.map(|(path, text)| (c.at(path), Value::from(text)));
        let item = Item::create(Vec::new()).with_server(values.into());
        let system = Arc::new(Principal::system());
        for outcome in self.write(c, &system, vec![item]).await? {
            if let Outcome::Refused(error) = outcome {
                return Err(error);
            }
        }
        Ok(())
    }

    pub(crate) async fn stored_part(&mut self, slug: &str, package: i64, part: i64) -> Result<Option<String>> {
        let rows = self.tx.rows(part_of(slug, package, part)).await?;
        match rows.first() {
            None => Ok(None),
            Some(row) => match row.compressed(0) {
                Some(lines) => Ok(Some(lines)),
                None => Err(Error::internal("a part of a package cannot be read")),
            },
        }
    }

    pub(crate) async fn store_part(&mut self, slug: &str, package: i64, part: i64, lines: String) -> Result<()> {
        if part == 0 {
            self.drop_parts(slug, &[package]).await?;
        }
        let into = "signed_rows (\"collection\", \"package\", \"part\", \"body\")";
        let row = [slug.into(), package.into(), part.into(), Value::Text(lines)];
        self.tx.run(Sql::insert(into, [Ty::Text, Ty::Int, Ty::Int, Ty::Compressed], [row])).await.map(drop)
    }

    /// Drops what was signed with packages that are deleted.
    pub(crate) async fn drop_signed(&mut self, c: &'static Collection, ids: &[i64]) -> Result<()> {
        if c.is(Feature::Packages) { self.drop_parts(c.slug, ids).await } else { Ok(()) }
    }

    async fn drop_parts(&mut self, slug: &str, packages: &[i64]) -> Result<()> {
        let mut sql = Sql::new("DELETE FROM signed_rows WHERE \"collection\" = ")
            .with(Ty::Text, slug)
            .and(" AND \"package\" IN ");
        sql.bind_list(Ty::Int, packages.iter().copied().map(Value::Int));
        self.tx.run(sql.one_off()).await.map(drop)
    }
}

/// Why nothing is signed now.
fn refused(message: impl Into<Sentence>) -> Error {
    Error::invalid("signature", "cannot-sign", message)
}
