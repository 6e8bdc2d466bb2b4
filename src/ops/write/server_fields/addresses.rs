//! A user's new email address is used only after it was verified. The answer is the same whether another account has
//! the address or not: an email is sent in both cases, and only its text differs. Admins change addresses at once.

use crate::handling::TO_BE_PROVED;
use crate::write::WriteTransaction;
use crate::write::checked;
use model::error::{Issue, Result};
use model::letter::{Letter, Template};
use model::record::Value;
use model::registry::sign_in::{NEW_EMAIL, NEW_EMAIL_TOKEN, NEW_EMAIL_UNTIL};
use model::registry::{BookReader, Caller, Change, Collection, Draft, HookContext, Lookup, Principal, Verb};
use secure::token::mint;
use std::collections::BTreeSet;

/// How long the token of such an email is valid, hours.
const HOURS: i64 = 24;

/// An email to be written once the row is.
pub(crate) struct EmailChange {
    id: i64,
    address: String,
    token: String,
    until: i64,
}

impl WriteTransaction<'_> {
    /// Stores a new address of the caller beside the valid one.
    pub(crate) fn stage_email_change(
        &self,
        c: &'static Collection,
        caller: &Principal,
        drafts: &mut [Draft],
    ) -> Vec<EmailChange> {
        let mut email_changes = Vec::new();
        let (true, Some(field)) = (c.auth, c.field("email")) else { return email_changes };
        let slot = c.at("email");
        let at_once = caller.caller == Caller::System || caller.admin;
        let until = self.now().saturating_add(HOURS * 3_600_000);
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Update) {
            if !draft.changes(slot) {
                continue;
            }
            let requested = draft.new.get(slot).clone();
            let (Some(address), false) = (requested.text(), at_once) else {
                // A former request for an address is no longer valid.
                set_new_email(c, draft, [Value::Null, Value::Null, Value::Null]);
                continue;
            };
            if !checked(field, &requested).is_empty() {
                continue;
            }
            let before = draft.old.as_ref().map(|old| old.get(slot).clone());
            draft.new.set(slot, before.unwrap_or_default());
            let minted = mint();
            email_changes.push(EmailChange { id: draft.id, address: address.to_owned(), token: minted.token, until });
            set_new_email(c, draft, [requested, Value::Text(minted.digest), Value::Time(until)]);
            let why = "An email was sent to this address. The address is used after it has been verified.";
            draft.issues.push(Issue::warning("email", TO_BE_PROVED, why));
        }
        email_changes
    }

    /// Sends emails to the new addresses: with a token, or, if the address has an account already,
    /// that it was requested.
    pub(crate) async fn ask_for_proof(
        &mut self,
        c: &'static Collection,
        email_changes: Vec<EmailChange>,
        done: &[Change],
    ) -> Result<()> {
        let written: BTreeSet<i64> = done.iter().map(|change| change.id).collect();
        let email_changes: Vec<EmailChange> =
            (email_changes.into_iter()).filter(|one| written.contains(&one.id)).collect();
        if email_changes.is_empty() {
            return Ok(());
        }
        let addresses = email_changes.iter().map(|one| Value::from(one.address.as_str()));
        let rows = self.find(c.slug, Lookup::default().is_in("email", addresses.collect()).fields(&["email"])).await?;
        let slot = c.at("email");
        let taken: BTreeSet<&str> = rows.iter().filter_map(|row| row.get(slot).text()).collect();
        for one in &email_changes {
            let template = match taken.contains(one.address.as_str()) {
                true => Template::AddressWanted,
                false => Template::NewAddress,
            };
            let mut letter = Letter::new(&*one.address, template, one.until)
                .with("name", &one.address)
                .with("collection", c.slug)
                .with("hours", &HOURS.to_string());
            if template == Template::NewAddress {
                letter = letter.with("token", &one.token);
            }
            self.mail(&letter).await?;
        }
        Ok(())
    }
}

fn set_new_email(c: &'static Collection, draft: &mut Draft, values: [Value; 3]) {
    for (path, value) in [NEW_EMAIL, NEW_EMAIL_TOKEN, NEW_EMAIL_UNTIL].into_iter().zip(values) {
        draft.new.set(c.at(path), value);
    }
}
