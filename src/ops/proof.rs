//! Accounts that prove their address: each new one gets an email with a token, queued in the
//! transaction that creates it.

use super::{Item, Outcome, WriteTransaction};
use model::error::Result;
use model::letter::{Letter, Template};
use model::record::Value;
use model::registry::sign_in::VERIFY_TOKEN;
use model::registry::{BookReader, Collection, HookContext, Verb};
use secure::token::{NewToken, mint};

/// Days in which sending the email is tried; the token is valid until it is used.
const DAYS: i64 = 3;

/// Tokens for the accounts that a write makes, by the place of the item.
pub(super) fn minted(c: &Collection, items: &mut [Item]) -> Vec<Option<NewToken>> {
    let proves = c.auth && c.sign_in.verify;
    let token = |item: &mut Item| {
        (proves && item.verb == Verb::Create).then(|| {
            let minted = mint();
            let digest = Value::Text(minted.digest.clone());
            item.server.push((c.at(VERIFY_TOKEN), digest));
            minted
        })
    };
    items.iter_mut().map(token).collect()
}

/// Queues the emails of the created accounts.
pub(super) async fn send(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    outcomes: &[Outcome],
    minted: &[Option<NewToken>],
) -> Result<()> {
    let until = work.now().saturating_add(DAYS * 86_400_000);
    for (outcome, minted) in outcomes.iter().zip(minted) {
        let (Outcome::Done(change, _), Some(minted)) = (outcome, minted) else {
            continue;
        };
        let row = change.new.as_ref();
        let Some(to) = row.and_then(|row| row.get(c.at("email")).text()) else {
            continue;
        };
        let letter = Letter::new(to, Template::VerifyEmail, until)
            .with("collection", c.slug)
            .with("name", to)
            .with("token", &minted.token);
        work.mail(&letter).await?;
    }
    Ok(())
}
