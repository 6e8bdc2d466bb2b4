//! Emails that wait to be sent (`mail_outbox`). They are queued in the transaction of the change
//! that they report, so that there is never one without the other, and sent after its commit by
//! a task of the server. They are encrypted, since they contain tokens that are stored nowhere
//! else.
//!
//! Several processes share the table: a process that takes an email moves its `due` ahead in a
//! separate transaction, so that no other process takes it meanwhile. If a process dies after
//! sending and before recording it, the email is sent again, with the same `Message-ID`.

use super::{Book, WriteTransaction};
use model::error::{Error, Result};
use model::letter::{EmailBranding, Letter, Mail, SendError, Template, Wish};
use model::messages::Language;
use model::record::{Record, Value};
use model::registry::sign_in::LANGUAGE;
use model::registry::{BookReader, Collection, Command, Feature, HookContext, ID, Lookup};
use secure::keys::Purpose;
use std::time::Duration;
use store::{Sql, Ty, pieces};

/// How long a process holds the lease of an email that it sends, milliseconds.
const LEASE: i64 = 180_000;
/// How long a way of sending may take; less than the lease.
const PATIENCE: Duration = Duration::from_secs(90);
/// Seconds until the next attempt, after the first, the second, …; then it is given up.
const PAUSES: [i64; 8] = [30, 60, 300, 900, 3_600, 7_200, 21_600, 43_200];

/// An email that was taken.
struct LeasedEmail {
    id: i64,
    body: String,
    attempts: i64,
}

/// What is known of the recipient of an email when it leaves.
#[derive(Default)]
pub(super) struct Recipient {
    pub(super) language: Option<Language>,
    /// The account declined such emails meanwhile, or is gone.
    declined: bool,
}

impl WriteTransaction<'_> {
    /// Queues emails; they are sent after the commit, or never if there is none.
    ///
    /// # Errors
    /// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is busy.
    pub async fn queue_letters(&mut self, letters: &[Letter]) -> Result<()> {
        let is_wanted = |letter: &&Letter| !self.quiet || letter.account.is_none();
        let letters: Vec<&Letter> = letters.iter().filter(is_wanted).collect();
        if letters.is_empty() {
            return Ok(());
        }
        let keys = self.keys()?;
        let close = |letter: &&Letter| -> Result<String> {
            let text = serde_json::to_vec(*letter).map_err(Error::internal)?;
            let body = keys.close(Purpose::Letter, &text);
            body.map_err(Error::internal)
        };
        let bodies = letters.iter().map(close).collect::<Result<Vec<_>>>()?;
        let now = self.tx().now();
        let first = self.tx().allocate("mail_outbox", bodies.len()).await?;
        let rows: Vec<(i64, String)> = (first..).zip(bodies).collect();
        for piece in pieces(&rows, 4) {
            let insert = "INSERT INTO mail_outbox (id, body, queued_at, due, attempts) VALUES ";
            let mut sql = Sql::new(insert);
            for (at, (id, body)) in piece.iter().enumerate() {
                sql.push(if at > 0 { ", (" } else { "(" });
                sql.bind(Ty::Int, *id).push(", ");
                sql.bind(Ty::Text, body.as_str()).push(", ");
                sql.bind(Ty::Time, Value::Time(now)).push(", ");
                sql.bind(Ty::Time, Value::Time(now)).push(", 0)");
            }
            self.tx().run(sql).await?;
        }
        self.note_letter();
        Ok(())
    }
}

impl Book {
    /// Sends one email that is due; false when there is none.
    ///
    /// # Errors
    /// `Error::Unavailable`, `Error::Overloaded` or `Error::Late` when the database fails or is
    /// busy. An email that cannot be sent is no error: it is tried again or given up, and the
    /// log says so.
    pub async fn deliver(&self, branding: &EmailBranding, mail: &dyn Mail) -> Result<bool> {
        let Some(taken) = self.take().await? else {
            return Ok(false);
        };
        let opened = self.keys.disclose(Purpose::Letter, &taken.body);
        let letter: Option<Letter> = opened
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        let Some(letter) = letter else {
            tracing::error!(
                letter = taken.id,
                "an email cannot be read: was the secret changed?"
            );
            return self.forget(&taken).await.map(|()| true);
        };
        let now = self.clock.now();
        if letter.is_decoy() || letter.until < now {
            return self.forget(&taken).await.map(|()| true);
        }
        let recipient = self.recipient(&letter).await?;
        if recipient.declined {
            return self.forget(&taken).await.map(|()| true);
        }
        let language = recipient.language.unwrap_or(branding.language);
        let link = self.unsubscribe_link(&letter, branding);
        let message = letter.written(branding, (&taken.id.to_string(), now), language, link);
        let result = tokio::time::timeout(PATIENCE, mail.send(&message)).await;
        let result =
            result.unwrap_or_else(|_| Err(SendError::Later("no answer in time".to_owned())));
        let at = usize::try_from(taken.attempts).unwrap_or(usize::MAX);
        match (result, PAUSES.get(at)) {
            (Ok(()), _) => self.forget(&taken).await?,
            (Err(why @ SendError::Later(_)), Some(pause)) => {
                tracing::warn!(letter = taken.id, %why, "an email waits for another attempt");
                let due = now.saturating_add(pause.saturating_mul(1_000));
                self.put_back(&taken, due).await?;
            }
            (Err(why), _) => {
                tracing::error!(letter = taken.id, %why, "an email is given up");
                self.given_up(&letter).await?;
                self.forget(&taken).await?;
            }
        }
        Ok(true)
    }

    /// Whoever invited somebody sees that the letter did not arrive.
    async fn given_up(&self, letter: &Letter) -> Result<()> {
        let c = self.registry.with_feature(Feature::Invitations);
        let digest = letter
            .values
            .get("token")
            .map(|token| secure::token::digest(token));
        let (Some(c), Some(digest)) = (
            c,
            digest.filter(|_| letter.template == Template::Invitation),
        ) else {
            return Ok(());
        };
        let noted = self.transact(move |work| {
            Box::pin(async move {
                let lookup = Lookup::default().is_in("tokenDigest", vec![digest.into()]);
                let now = Value::Time(work.now());
                let rows = work.find(c.slug, lookup.fields(&["id"])).await?;
                let failed = |row: &Record| {
                    let fields = vec![("letterFailedAt".to_owned(), now.clone())];
                    Some(Command::Update(row.get(ID).int()?, fields))
                };
                let failed: Vec<Command> = rows.iter().filter_map(failed).collect();
                HookContext::write(work, c.slug, failed).await.map(drop)
            })
        });
        noted.await
    }

    /// Returns when this process queued an email.
    pub async fn letters(&self) {
        self.letters.notified().await;
    }

    /// The language of the account of an email, and whether it still wishes the email. Looked up when the email
    /// leaves, so that the time of a request does not tell whether an address has an account.
    async fn recipient(&self, letter: &Letter) -> Result<Recipient> {
        if let (Some(account), Some(wish)) = (&letter.account, letter.template.wish()) {
            let Some(c) = self.registry.get(&account.collection) else {
                return Ok(Recipient::default());
            };
            return self.addressee(c, account.id, wish).await;
        }
        for c in self.registry.iter().filter(|c| c.auth) {
            let (Some(language), Some(email)) = (c.field(LANGUAGE), c.field("email")) else {
                continue;
            };
            let mut sql = Sql::new("SELECT ");
            sql.name(&language.column)
                .push(" FROM ")
                .name(&c.table)
                .push(" WHERE ")
                .name(&email.column)
                .push(" = ");
            let rows = self
                .store
                .rows(sql.with(Ty::Text, letter.to.as_str()))
                .await?;
            if let Some(row) = rows.first() {
                let language = row.text(0).and_then(Language::parse);
                return Ok(Recipient {
                    language,
                    declined: false,
                });
            }
        }
        Ok(Recipient::default())
    }

    /// The recipient of an email that its account may decline.
    pub(super) async fn addressee(&self, c: &Collection, id: i64, wish: Wish) -> Result<Recipient> {
        let flag = c.sign_in.wish(wish).and_then(|path| c.field(path));
        let (Some(flag), Some(language)) = (flag, c.field(LANGUAGE)) else {
            return Ok(Recipient::default());
        };
        let mut sql = Sql::new("SELECT ");
        sql.name(&flag.column)
            .push(", ")
            .name(&language.column)
            .push(" FROM ")
            .name(&c.table)
            .push(" WHERE \"id\" = ");
        let rows = self.store.rows(sql.with(Ty::Int, id)).await?;
        let row = rows.first();
        Ok(Recipient {
            language: row.and_then(|row| Language::parse(row.text(1)?)),
            declined: row.is_none_or(|row| row.truth(0) != Some(true)),
        })
    }

    async fn take(&self) -> Result<Option<LeasedEmail>> {
        let now = self.clock.now();
        let due = move || {
            Sql::new("SELECT id, body, attempts FROM mail_outbox WHERE due <= ")
                .with(Ty::Time, Value::Time(now))
                .and(" ORDER BY due, id LIMIT 1")
        };
        // Most looks find nothing, and must not wait for the writer.
        if self.store.rows(due()).await?.is_empty() {
            return Ok(None);
        }
        let taken = self.store.write(move |tx| {
            Box::pin(async move {
                let rows = tx.rows(due()).await?;
                let Some(row) = rows.first() else {
                    return Ok(None);
                };
                let taken = LeasedEmail {
                    id: row.int(0).unwrap_or_default(),
                    body: row.text(1).unwrap_or_default().to_owned(),
                    attempts: row.int(2).unwrap_or_default(),
                };
                let sql = Sql::new("UPDATE mail_outbox SET attempts = attempts + 1, due = ")
                    .with(Ty::Time, Value::Time(now.saturating_add(LEASE)))
                    .and(" WHERE id = ")
                    .with(Ty::Int, taken.id);
                tx.run(sql).await?;
                Ok(Some(taken))
            })
        });
        taken.await
    }

    async fn forget(&self, taken: &LeasedEmail) -> Result<()> {
        self.settle(Sql::new("DELETE FROM mail_outbox"), taken)
            .await
    }

    async fn put_back(&self, taken: &LeasedEmail, due: i64) -> Result<()> {
        let sql = Sql::new("UPDATE mail_outbox SET due = ").with(Ty::Time, Value::Time(due));
        self.settle(sql, taken).await
    }

    /// Only while no process took it again, after a lease that ran out.
    async fn settle(&self, sql: Sql, taken: &LeasedEmail) -> Result<()> {
        let sql = sql
            .and(" WHERE id = ")
            .with(Ty::Int, taken.id)
            .and(" AND attempts = ")
            .with(Ty::Int, taken.attempts.saturating_add(1));
        let settled = self
            .store
            .write(move |tx| Box::pin(async move { tx.run(sql).await }));
        settled.await.map(|_| ())
    }
}
