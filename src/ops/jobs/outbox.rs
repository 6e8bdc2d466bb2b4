//! Emails that wait to be sent (`mail_outbox`). They are queued in the transaction of the change
//! that they report, so that there is never one without the other, and each is sent after its commit
//! by a [`Job`]. They are encrypted, since they contain tokens that are stored nowhere else.
//!
//! If a process dies after sending and before recording it, the email is sent again, with the same `Message-ID`.

use crate::jobs::{Job, Lease, queue};
use crate::{Book, WriteTransaction};
use model::error::{Error, Result};
use model::letter::{Account, EmailBranding, Letter, Mail, SendError, Template, Wish};
use model::messages::Language;
use model::record::{Record, Value};
use model::registry::sign_in::LANGUAGE;
use model::registry::{BookReader, Collection, Command, Feature, HookContext, ID, Lookup, Test};
use secure::keys::Purpose;
use std::ops::Deref;
use std::time::Duration;
use store::{Sql, Tx, Ty, pieces};

/// A field of an account, and the words of which it must have one.
type Role = (String, Vec<String>);

const KIND: &str = "letter";
/// How long a process may take to send an email, milliseconds.
const LEASE: i64 = 180_000;
/// How long a way of sending may take; less than the lease.
const PATIENCE: Duration = Duration::from_secs(90);
/// Seconds until the next attempt, after the first, the second, …; then it is given up.
const PAUSES: [i64; 8] = [30, 60, 300, 900, 3_600, 7_200, 21_600, 43_200];

/// The recipient of an email, looked up when it leaves.
#[derive(Default)]
pub(crate) struct Recipient {
    pub(crate) language: Option<Language>,
    /// The account declined such emails meanwhile.
    declined: bool,
    /// The account is gone, or is none that gets it any more.
    gone: bool,
}

impl WriteTransaction<'_> {
    /// Queues emails; they are sent after the commit, or never if there is none.
    pub async fn queue_letters(&mut self, letters: &[Letter]) -> Result<()> {
        let is_wanted = |letter: &&Letter| !self.quiet || letter.account.is_none();
        let letters: Vec<&Letter> = letters.iter().filter(is_wanted).collect();
        if letters.is_empty() {
            return Ok(());
        }
        let keys = self.keys()?;
        let close = |letter: &&Letter| -> Result<String> {
            let text = serde_json::to_vec(*letter).map_err(Error::internal)?;
            keys.close(Purpose::Letter, &text).map_err(Error::internal)
        };
        let bodies = letters.iter().map(close).collect::<Result<Vec<_>>>()?;
        let tx = self.tx();
        let first = tx.allocate("mail_outbox", bodies.len()).await?;
        let rows: Vec<(i64, String)> = (first..).zip(bodies).collect();
        for piece in pieces(&rows, 2) {
            let rows = (piece.iter()).map(|(id, body)| [Value::Int(*id), body.as_str().into()]);
            tx.run(Sql::insert("mail_outbox (id, body)", [Ty::Int, Ty::Text], rows)).await?;
        }
        let keys = rows.iter().map(|(id, _)| id.to_string()).collect();
        queue(tx, KIND, keys, 0).await
    }

    /// An email to one account alone, for all others who have its roles and wish such emails.
    async fn for_others(&mut self, letter: &Letter) -> Result<Vec<Letter>> {
        let Some(account) = letter.account.as_ref().filter(|account| account.alone) else { return Ok(Vec::new()) };
        let c = self.collection(&account.collection)?;
        let flag = letter.template.wish().and_then(|wish| c.sign_in.wish(wish));
        let (Some(flag), Some((path, roles))) = (flag, &account.role) else { return Ok(Vec::new()) };
        let mut fields = c.name_paths();
        fields.extend(["email", "organization", flag]);
        let roles = roles.iter().map(|role| Value::from(role.as_str())).collect();
        let lookup = Lookup::default().is_in(path, roles).test("blockedAt", Test::Empty).fields(&fields);
        let rows = self.find(c.slug, lookup).await?;
        let letters = rows.iter().filter(|row| row.get(c.at(flag)).truth()).filter_map(|row| {
            let to = row.get(c.at("email")).text()?;
            let (id, organization) = (row.get(ID).int()?, row.get(c.at("organization")).int());
            let mut other = letter.clone().with("name", &c.name_of(row).unwrap_or_else(|| to.to_owned()));
            other.to = to.to_owned();
            other.account = Some(Account { id, organization, alone: false, ..account.clone() });
            Some(other)
        });
        Ok(letters.collect())
    }
}

#[derive(Debug)]
pub struct SendLetters<M> {
    branding: EmailBranding,
    mail: M,
}

impl<M> SendLetters<M> {
    /// By a way of sending.
    pub fn new(branding: EmailBranding, mail: M) -> Self {
        Self { branding, mail }
    }
}

impl<M: Deref<Target: Mail> + Send + Sync> Job for SendLetters<M> {
    const KIND: &'static str = KIND;

    fn lease(&self) -> i64 {
        LEASE
    }

    /// An email that cannot be sent is no error: it is tried again or given up, and the log says so.
    async fn run(&self, book: &Book, lease: Lease) -> Result<()> {
        let id = lease.id();
        let Some(letter) = book.stored_letter(id).await? else { return book.forget_letter(lease).await };
        let now = book.clock.now();
        if letter.is_decoy() || letter.until < now {
            return book.forget_letter(lease).await;
        }
        let recipient = book.recipient(&letter).await?;
        if recipient.gone {
            return book.pass_on(lease, letter).await;
        }
        if recipient.declined {
            return book.forget_letter(lease).await;
        }
        let language = recipient.language.unwrap_or(self.branding.language);
        let link = book.unsubscribe_link(&letter, &self.branding);
        let message = letter.written(&self.branding, (&id.to_string(), now), language, link);
        let result = tokio::time::timeout(PATIENCE, self.mail.send(&message)).await;
        let result = result.unwrap_or_else(|_| Err(SendError::Later("no answer in time".to_owned())));
        match (result, PAUSES.get(usize::try_from(lease.attempts()).unwrap_or(usize::MAX))) {
            (Ok(()), _) => {}
            (Err(why @ SendError::Later(_)), Some(pause)) => {
                tracing::warn!(letter = id, %why, "an email waits for another attempt");
                let due = (book.clock.now()).saturating_add(pause.saturating_mul(1_000));
                return book.put_off_job(lease, due).await;
            }
            (Err(why), _) => {
                tracing::error!(letter = id, %why, "an email is given up");
                book.given_up(&letter).await?;
            }
        }
        book.forget_letter(lease).await
    }
}

impl Book {
    /// An email that waits; none when it cannot be read.
    async fn stored_letter(&self, id: i64) -> Result<Option<Letter>> {
        let rows = self.store.rows(Sql::new("SELECT body FROM mail_outbox WHERE id = ").with(Ty::Int, id)).await?;
        let opened = (rows.first()).and_then(|row| self.keys.disclose(Purpose::Letter, row.text(0)?).ok());
        let letter = opened.and_then(|text| serde_json::from_slice(&text).ok());
        if letter.is_none() {
            tracing::error!(letter = id, "an email cannot be read: was the secret changed?");
        }
        Ok(letter)
    }

    /// Whoever invited somebody sees that the letter did not arrive.
    async fn given_up(&self, letter: &Letter) -> Result<()> {
        let c = self.registry.with_feature(Feature::Invitations);
        let digest = letter.values.get("token").map(|token| secure::token::digest(token));
        let (Some(c), Some(digest)) = (c, digest.filter(|_| letter.template == Template::Invitation)) else {
            return Ok(());
        };
        let noted = self.transact(move |work| {
            Box::pin(async move {
                let lookup = Lookup::default().is_in("tokenDigest", vec![digest.into()]);
                let now = Value::Time(work.now());
                let rows = work.find(c.slug, lookup.fields(&["id"])).await?;
                let failed = |row: &Record| {
                    Some(Command::Update(row.get(ID).int()?, vec![("letterFailedAt".to_owned(), now.clone())]))
                };
                let failed: Vec<Command> = rows.iter().filter_map(failed).collect();
                HookContext::write(work, c.slug, failed).await.map(drop)
            })
        });
        noted.await
    }

    /// The language of the account of an email, and whether it still wishes the email. Looked up when the email
    /// leaves, so that the time of a request does not tell whether an address has an account.
    async fn recipient(&self, letter: &Letter) -> Result<Recipient> {
        if let (Some(account), Some(wish)) = (&letter.account, letter.template.wish()) {
            let Some(c) = self.registry.get(&account.collection) else { return Ok(Recipient::default()) };
            let role = account.role.as_ref();
            return self.addressee(c, (account.id, account.organization, role), wish).await;
        }
        for c in self.registry.iter().filter(|c| c.auth) {
            let (Some(language), Some(email)) = (c.field(LANGUAGE), c.field("email")) else { continue };
            let mut sql = Sql::new("SELECT ");
            sql.name(&language.column).push(" FROM ").name(&c.table).push(" WHERE ").name(&email.column).push(" = ");
            let rows = self.store.rows(sql.with(Ty::Text, letter.to.as_str())).await?;
            if let Some(row) = rows.first() {
                return Ok(Recipient { language: row.text(0).and_then(Language::parse), ..Recipient::default() });
            }
        }
        Ok(Recipient::default())
    }

    /// The recipient of an email that its account may decline. One that was blocked meanwhile, acts for another
    /// organisation than the email is about, or lost the role that gets it, counts as gone.
    pub(crate) async fn addressee(
        &self,
        c: &Collection,
        (id, organization, role): (i64, Option<i64>, Option<&Role>),
        wish: Wish,
    ) -> Result<Recipient> {
        let flag = c.sign_in.wish(wish).and_then(|path| c.field(path));
        let (Some(flag), Some(language)) = (flag, c.field(LANGUAGE)) else { return Ok(Recipient::default()) };
        let mut sql = Sql::new("SELECT ");
        sql.name(&flag.column).push(", ").name(&language.column).push(" FROM ").name(&c.table).push(" WHERE \"id\" = ");
        sql.bind(Ty::Int, id);
        if let Some(blocked) = c.field("blockedAt") {
            sql.push(" AND ").name(&blocked.column).push(" IS NULL");
        }
        if let (Some(organization), Some(own)) = (organization, c.field("organization")) {
            sql.push(" AND ").name(&own.column).push(" = ").bind(Ty::Int, organization);
        }
        if let Some((path, roles)) = role
            && let Some(own) = c.field(path)
        {
            sql.push(" AND ").name(&own.column).push(" IN ");
            sql.bind_list(Ty::Text, roles.iter().map(|role| Value::from(role.as_str())));
        }
        let rows = self.store.rows(sql).await?;
        let row = rows.first();
        Ok(Recipient {
            language: row.and_then(|row| Language::parse(row.text(1)?)),
            declined: row.is_some_and(|row| row.truth(0) != Some(true)),
            gone: row.is_none(),
        })
    }

    /// Forgets an email whose account is gone. The others with its roles get what it alone got.
    async fn pass_on(&self, lease: Lease, letter: Letter) -> Result<()> {
        let passed = self.transact(move |work| {
            Box::pin(async move {
                if !forget(work.tx(), &lease).await? {
                    return Ok(());
                }
                let letters = work.for_others(&letter).await?;
                work.queue_letters(&letters).await
            })
        });
        passed.await
    }

    async fn forget_letter(&self, lease: Lease) -> Result<()> {
        self.store.write(move |tx| Box::pin(async move { forget(tx, &lease).await.map(drop) })).await
    }
}

/// Forgets an email; false when another process took it, after a lease that ran out.
async fn forget(tx: &mut Tx, lease: &Lease) -> Result<bool> {
    if !lease.finish(tx).await? {
        return Ok(false);
    }
    let sql = Sql::new("DELETE FROM mail_outbox WHERE id = ");
    tx.run(sql.with(Ty::Int, lease.id())).await?;
    Ok(true)
}
