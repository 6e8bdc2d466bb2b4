//! Sign-in data: passwords, addresses, keys, and the rights of accounts. API keys cannot change any of it, and cannot
//! create or invite users, so that a stolen key does not live on as an account. Sessions change it only if the password
//! was shown a moment ago, and the owner of the account gets an email about each change.

use crate::write::WriteTransaction;
use model::error::{Issue, Result};
use model::letter::{AccountChange, Letter, Template};
use model::record::{Record, Value};
use model::registry::keyring::{HOLDER, KEY, KEY_INDEX, NAME, REVOKED};
use model::registry::sign_in::{API_KEY, API_KEY_INDEX, CURRENT_PASSWORD, ENABLE_API_KEY};
use model::registry::{BookReader, Change, Collection, Draft, Feature, HookContext, Kind, Lookup, Principal, Verb};
use secure::keys::random_secret;

/// What keys of accounts begin with, so that they are known when they lie about.
const PREFIX: &str = "hbk_";
/// Days in which sending the email is tried.
const DAYS: i64 = 3;

impl WriteTransaction<'_> {
    /// Gives new rows of a collection of keys their key; what is stored is a digest.
    pub(crate) fn give_keys(&self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        if !c.is(Feature::ApiKeys) {
            return Ok(());
        }
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            let key = format!("{PREFIX}{}", random_secret());
            let digest = self.keys()?.api_key(&key);
            draft.new.set(c.at(KEY), key);
            draft.new.set(c.at(KEY_INDEX), digest);
        }
        Ok(())
    }

    /// Refuses changes of what signs in, or of what accounts may do, by callers who may not make them now.
    pub(crate) fn check_credentials(&self, c: &'static Collection, caller: &Principal, drafts: &mut [Draft]) {
        let fresh = caller.is_fresh(self.tx.now());
        // What hooks write because of a key's request is written by the key.
        let by_key = caller.key.is_some() || self.actor.key.is_some();
        for draft in drafts.iter_mut() {
            let changed = changed(c, draft);
            let standing = standing(c, draft);
            if by_key {
                let refused = |why| move |path: &str| Issue::error(path, "forbidden-field", why);
                let signs_in = refused("Sign-in data cannot be changed with an API key.");
                let may = refused("The rights of an account cannot be changed with an API key.");
                let whole = refused("An API key cannot create or end accounts and keys, or invite users.");
                let issues: Vec<Issue> = (changed.into_iter().map(signs_in))
                    .chain(standing.into_iter().map(|(path, _)| may(path)))
                    .chain(c.is_keyless(draft.verb).then(|| whole("id")))
                    .collect();
                draft.refused.extend(issues);
                continue;
            }
            let must_be_fresh = (!changed.is_empty() && (c.is(Feature::ApiKeys) || draft.verb == Verb::Update))
                || standing.iter().any(|(_, confirmed)| *confirmed);
            if must_be_fresh && !fresh {
                let why = "Confirm this with your present password, or sign in again.";
                draft.refused.push(Issue::error(CURRENT_PASSWORD, "not-confirmed", why));
            }
        }
    }

    /// Writes to those whose account was changed, to the address that they had before.
    pub(crate) async fn tell_changed(&mut self, c: &'static Collection, done: &[Change]) -> Result<()> {
        if c.auth {
            for change in done {
                if let (Some(old), Some(new)) = (&change.old, &change.new) {
                    let to = old.get(c.at("email")).text().unwrap_or_default();
                    for what in differs(c, old, new) {
                        self.tell_account(to, &what).await?;
                    }
                }
            }
        }
        if !c.is(Feature::ApiKeys) {
            return Ok(());
        }
        for change in done {
            let Some(new) = &change.new else { continue };
            let name = new.get(c.at(NAME)).text().unwrap_or_default();
            let revoked = change.old.as_ref().is_some_and(|old| old.get(c.at(REVOKED)) != new.get(c.at(REVOKED)));
            let what = match (&change.old, revoked) {
                (None, _) => AccountChange::NamedKeyNew(name.to_owned()),
                (Some(_), true) => AccountChange::NamedKeyRevoked(name.to_owned()),
                (Some(_), false) => continue,
            };
            let holder = new.get(c.at(HOLDER)).int();
            let users = c.field(HOLDER).and_then(|f| f.target());
            let (Some(holder), Some(users)) = (holder, users) else { continue };
            let users = self.collection(users)?;
            let rows = self.find(users.slug, Lookup::by_ids("id", [holder]).fields(&["email"])).await?;
            if let Some(to) = rows.first().and_then(|row| row.get(users.at("email")).text()).map(str::to_owned) {
                self.tell_account(&to, &what).await?;
            }
        }
        Ok(())
    }

    /// Queues the email about a change of an account.
    pub async fn tell_account(&mut self, to: &str, what: &AccountChange) -> Result<()> {
        let until = self.now().saturating_add(DAYS * 86_400_000);
        let letter = Letter::new(to, Template::Changed, until).with("name", to).with_change(what);
        self.mail(&letter).await
    }
}

/// Which fields of a draft change what signs in.
fn changed(c: &'static Collection, draft: &Draft) -> Vec<&'static str> {
    if c.is(Feature::ApiKeys) {
        let made = draft.verb == Verb::Create;
        let taken_back = draft.verb == Verb::Update;
        return match (made, taken_back) {
            (true, _) => vec![KEY],
            // Revoking a key only removes access: no confirmation is needed.
            _ => Vec::new(),
        };
    }
    if !c.auth || draft.verb == Verb::Delete {
        return Vec::new();
    }
    let mut paths = Vec::new();
    for (slot, field) in c.fields.iter().enumerate() {
        let password = field.kind == Kind::Password && !field.shown_once;
        if password && draft.sent.contains(slot) && draft.new.get(slot).text().is_some() {
            paths.push("password");
        }
    }
    if draft.changes(c.at("email")) {
        paths.push("email");
    }
    if c.sign_in.api_keys {
        let differs = |path: &str| draft.changes(c.at(path));
        if differs(ENABLE_API_KEY) && draft.old.is_some() {
            paths.push(ENABLE_API_KEY);
        } else if differs(API_KEY_INDEX) {
            paths.push(API_KEY);
        }
    }
    paths
}

/// Which fields of a draft change what an account may do, and whether that is confirmed. What a
/// new account begins with counts where it is mighty.
fn standing(c: &'static Collection, draft: &Draft) -> Vec<(&'static str, bool)> {
    let guarded = (c.fields.iter().enumerate()).filter_map(|(slot, field)| {
        let guarded = field.guarded?;
        let changed = match draft.verb {
            Verb::Update => draft.changes(slot),
            Verb::Create => {
                let value = draft.new.get(slot).text();
                value.is_some_and(|value| guarded.mighty.contains(&value))
            }
            Verb::Read | Verb::Delete => false,
        };
        changed.then_some((field.path.as_str(), guarded.confirmed))
    });
    guarded.collect()
}

fn differs(c: &'static Collection, old: &Record, new: &Record) -> Vec<AccountChange> {
    let value = |row: &Record, path: &str| -> Value { c.slot(path).map_or(Value::Null, |slot| row.get(slot).clone()) };
    let other = |path: &str| value(old, path) != value(new, path);
    let mut what = Vec::new();
    if other("verifier") {
        what.push(AccountChange::Password);
    }
    if other("email") {
        let now = value(new, "email");
        what.push(AccountChange::Address(now.text().unwrap_or_default().to_owned()));
    }
    if other(API_KEY_INDEX) {
        let gone = value(new, API_KEY_INDEX).is_null();
        what.push(if gone { AccountChange::KeyEnded } else { AccountChange::KeyNew });
    }
    what
}
