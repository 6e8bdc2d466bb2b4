//! Ending emails of a kind by the link in each of them (RFC 8058): a MAC over the account and the kind, under a key that
//! is made of the installation's secret. Whoever has the email may end such emails, and nothing else.

use crate::Book;
use model::error::Result;
use model::letter::{EmailBranding, Letter, Wish};
use model::messages::Language;
use model::record::Value;
use model::registry::{BookReader, Collection, Command, HookContext, ID, Lookup};
use secure::keys::Purpose;

/// What a link ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsubscription {
    account: i64,
    /// The kind of emails.
    pub wish: Wish,
}

impl Book {
    /// The link of an email that its account may decline.
    pub(crate) fn unsubscribe_link(&self, letter: &Letter, branding: &EmailBranding) -> Option<String> {
        let (account, wish) = (letter.account.as_ref()?, letter.template.wish()?);
        let text = format!("{}:{}:{}", wish.word(), account.id, account.collection);
        let token = self.keys.seal(Purpose::Unsubscribe, text.as_bytes());
        let (url, slug) = (&branding.url, &account.collection);
        Some(format!("{url}/api/{slug}/unsubscribe?token={token}"))
    }

    /// What a link with this token ends; none if this installation made no such token.
    pub fn unsubscription(&self, c: &Collection, token: &str) -> Option<Unsubscription> {
        let text = String::from_utf8(self.keys.open(Purpose::Unsubscribe, token).ok()?).ok()?;
        let mut parts = text.splitn(3, ':');
        let wish = Wish::parse(parts.next()?)?;
        let account = parts.next()?.parse().ok()?;
        (parts.next()? == c.slug).then_some(Unsubscription { account, wish })
    }

    /// The language of the account, if it chose one.
    pub async fn language_of(&self, c: &Collection, of: Unsubscription) -> Result<Option<Language>> {
        let account = self.addressee(c, (of.account, None, None), of.wish).await?;
        Ok(account.language)
    }

    /// Ends emails of the kind. An account that is gone, or that ended them before, is no fault.
    pub async fn unsubscribe(&self, c: &'static Collection, of: Unsubscription) -> Result<()> {
        let Some(flag) = c.sign_in.wish(of.wish) else { return Ok(()) };
        let written = self.transact(move |work| {
            Box::pin(async move {
                let rows = work.find(c.slug, Lookup::by_ids("id", [of.account]).fields(&[flag])).await?;
                let Some(row) = rows.first().filter(|row| row.get(c.at(flag)).truth()) else { return Ok(()) };
                let id = row.get(ID).int().unwrap_or_default();
                let fields = vec![(flag.to_owned(), Value::Bool(false))];
                HookContext::write(work, c.slug, vec![Command::Update(id, fields)]).await?;
                Ok(())
            })
        });
        written.await
    }
}
