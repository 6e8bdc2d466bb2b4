//! `herdbook user`: accounts from the terminal, as the system. Passwords come from standard input.

use super::{announce, ask_password, open};
use api::sign_in::{account, attempt, factor};
use clap::{Args, Subcommand};
use config::Settings;
use model::error::{Error, Result};
use model::letter::AccountChange;
use model::record::Value;
use model::record::time::{parse, to_iso};
use model::registry::keyring::{DATASETS, EXPIRES, HOLDER, NAME, REVOKED, SCOPE};
use model::registry::sign_in::ENABLE_API_KEY;
use model::registry::{Change, Collection, Feature, HookContext, Principal};
use ops::{Book, Item, Outcome, forgiven, shown_once};
use secure::token::mint;
use secure::weak::weakness;
use serde_json::json;
use std::sync::Arc;
use store::{Row, Sql, Ty};

/// Shortest password unless declared otherwise, characters.
const PASSWORD_MIN: usize = 8;

/// Flags of `user`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Add a user; the password is read from standard input.
    Add(Add),
    /// Set the password of a user, read from standard input; all sessions of the user end.
    Password(User),
    /// Create and print a token for resetting a password, for users who get no email.
    Reset(User),
    /// End the sign-in delay of an account after wrong passwords.
    Unlock(User),
    /// Switch off the second factor of a user who lost device and recovery codes, and delete
    /// the passkeys; all sessions of the user end.
    SecondFactorOff(User),
    /// Create an API key and print it; it is not shown again, and the former key ends.
    ApiKey(ApiKey),
}

#[derive(Debug, Args)]
struct User {
    /// Email address of the user.
    #[arg(long)]
    email: String,
}

#[derive(Debug, Args)]
struct ApiKey {
    #[command(flatten)]
    user: User,
    /// Revoke the key instead; with --name, all keys with this name.
    #[arg(long)]
    off: bool,
    /// Create a further key with this name, for one program or machine.
    #[arg(long)]
    name: Option<String>,
    /// What a named key allows.
    #[arg(long, requires = "name", default_value = "read", value_parser = ["read", "write"])]
    scope: String,
    /// Exchange data set that a named key is limited to; may be repeated.
    #[arg(long = "dataset", value_name = "NAME", requires = "name")]
    datasets: Vec<String>,
    /// Day or time at which a named key expires (2027-01-31).
    #[arg(long, value_name = "TIME", requires = "name")]
    until: Option<String>,
}

#[derive(Debug, Args)]
struct Add {
    /// Email address, which is also the name for signing in.
    #[arg(long)]
    email: String,
    /// Given name.
    #[arg(long)]
    first_name: String,
    /// Family name.
    #[arg(long)]
    last_name: String,
    /// Role of the user in the book.
    #[arg(long, default_value = "farmer", value_parser = ["farmer", "service", "individual", "expert", "admin"])]
    role: String,
    /// Id of the organisation.
    #[arg(long)]
    organization: Option<i64>,
    /// Role of the user within the organisation.
    #[arg(long, value_parser = ["head", "operator", "viewer"])]
    org_role: Option<String>,
}

impl Options {
    /// Whether it needs the secret of the service: an API key is found by a digest under it.
    pub(super) fn signs(&self) -> bool {
        matches!(self.action, Action::ApiKey(_))
    }
}

pub(super) async fn user(options: &Options, settings: &Settings) -> Result<()> {
    let keys = match options.signs() {
        true => settings.ring()?,
        false => settings.passing_ring()?,
    };
    let super::OpenBook { book, .. } = open(settings, keys).await?;
    let done = act(&book, &options.action, settings).await;
    book.store.close().await;
    announce(&done?);
    Ok(())
}

async fn act(book: &Book, action: &Action, settings: &Settings) -> Result<serde_json::Value> {
    let c = book.registry.iter().find(|c| c.auth);
    let c = c.ok_or_else(|| Error::internal("no collection of accounts is declared"))?;
    match action {
        Action::Add(add) => {
            let about = [&add.email, &add.first_name, &add.last_name];
            let verifier = verifier(book, c, &about.map(String::as_str)).await?;
            let id = create(book, c, add, verifier).await?;
            Ok(json!({"event": "user-added", "id": id, "email": address(&add.email)}))
        }
        Action::Password(User { email }) => {
            let verifier = verifier(book, c, &[email]).await?;
            let (id, email) = existing(book, c, email).await?;
            set_password(book, c, (id, &email), verifier).await?;
            forgive(book, c, &email).await?;
            Ok(json!({"event": "password-set", "id": id, "email": email}))
        }
        Action::Reset(User { email }) => {
            let (id, email) = existing(book, c, email).await?;
            let minted = mint();
            let lifetime = settings.reset_lifetime.saturating_mul(1000);
            let until = book.clock.now().saturating_add(lifetime);
            let fields = account::reset_fields(c, minted.digest, until);
            amend(book, c, id, fields).await?;
            Ok(json!({"event": "reset-token", "id": id, "email": email, "token": minted.token, "until": to_iso(until)}))
        }
        Action::Unlock(User { email }) => {
            let (id, email) = existing(book, c, email).await?;
            forgive(book, c, &email).await?;
            Ok(json!({"event": "user-unlocked", "id": id, "email": email}))
        }
        Action::SecondFactorOff(User { email }) => {
            let (id, email) = existing(book, c, email).await?;
            switch_factor_off(book, c, id).await?;
            Ok(json!({"event": "second-factor-off", "id": id, "email": email}))
        }
        Action::ApiKey(options) => {
            let (id, email) = existing(book, c, &options.user.email).await?;
            let Some(name) = &options.name else {
                let key = api_key(book, c, id, options.off).await?;
                return Ok(match key {
                    Some(key) => json!({"event": "api-key", "id": id, "email": email, "apiKey": key}),
                    None => json!({"event": "api-key-ended", "id": id, "email": email}),
                });
            };
            if options.off {
                let ended = revoke(book, id, name).await?;
                return Ok(json!({"event": "api-key-ended", "id": id, "email": email, "name": name, "keys": ended}));
            }
            let key = create_key(book, id, name, options).await?;
            Ok(json!({
                "event": "api-key", "id": id, "email": email, "name": name, "scope": options.scope,
                "apiKey": key,
            }))
        }
    }
}

async fn existing(book: &Book, c: &Collection, email: &str) -> Result<(i64, String)> {
    let email = address(email);
    let user = account::by_email(book, c, &email).await?;
    let unknown = || {
        let message = format!("no account has the address {email}; herdbook user add --email {email} creates it");
        Error::invalid("--email", "not-found", message)
    };
    Ok((user.ok_or_else(unknown)?.id, email))
}

async fn set_password(book: &Book, c: &'static Collection, (id, email): (i64, &str), verifier: String) -> Result<()> {
    let email = email.to_owned();
    book.transact(move |work| {
        Box::pin(async move {
            work.tx().note_rights_change();
            work.tell_account(&email, &AccountChange::Password).await?;
            account::set_verifier(work, c, id, verifier).await
        })
    })
    .await
}

/// The sessions of the account end too.
async fn switch_factor_off(book: &Book, c: &'static Collection, id: i64) -> Result<()> {
    let now = book.clock.now();
    book.transact(move |work| {
        Box::pin(async move {
            work.tx().note_rights_change();
            account::keep_sessions(work, c, id, now, &|_| false).await?;
            work.amend(c.slug, vec![(id, factor::off(c))]).await
        })
    })
    .await
}

/// Ends counting what failed under a name.
async fn forgive(book: &Book, c: &'static Collection, email: &str) -> Result<()> {
    let statement = forgiven(&attempt::name_key(c, email));
    let job = (book.store).write(move |tx| Box::pin(async move { tx.run(statement).await }));
    job.await.map(drop)
}

async fn amend(book: &Book, c: &'static Collection, id: i64, fields: Vec<(usize, Value)>) -> Result<()> {
    book.transact(move |work| Box::pin(work.amend(c.slug, vec![(id, fields)]))).await
}

/// Switches the key of an account off, and unless that is all, on again with a new one.
async fn api_key(book: &Book, c: &'static Collection, id: i64, off: bool) -> Result<Option<String>> {
    if !c.sign_in.api_keys {
        let message = format!("{} have no API keys", c.slug);
        return Err(Error::invalid(ENABLE_API_KEY, "not-offered", message));
    }
    let set = |on: bool| Item::update(id, vec![(c.at(ENABLE_API_KEY), Value::Bool(on))]);
    let caller = Arc::new(Principal::system());
    let items = if off { vec![set(false)] } else { vec![set(false), set(true)] };
    let mut key = None;
    for outcome in book.write(caller, c, items).await? {
        match outcome {
            Outcome::Done(change, _) => key = secret_of(c, &change),
            Outcome::Unchanged(..) => {}
            Outcome::Refused(error) => return Err(error),
        }
    }
    Ok(key)
}

/// The secret of a key that was just made.
fn secret_of(c: &'static Collection, change: &Change) -> Option<String> {
    let (_, key) = shown_once(c, change).into_iter().next()?;
    key.as_str().map(str::to_owned)
}

fn keys_of(book: &Book) -> Result<&'static Collection> {
    let keys = book.registry.with_feature(Feature::ApiKeys);
    keys.ok_or_else(|| Error::internal("no collection of API keys is declared"))
}

/// Creates a key with a name and returns it.
async fn create_key(book: &Book, holder: i64, name: &str, options: &ApiKey) -> Result<String> {
    let c = keys_of(book)?;
    let until = match options.until.as_deref() {
        None => Value::Null,
        Some(text) => {
            let read = parse(text).map(Value::Time);
            let fault = || Error::invalid("--until", "not-a-time", "is not a day or a time (2027-01-31)");
            read.ok_or_else(fault)?
        }
    };
    let datasets = match options.datasets.is_empty() {
        true => Value::Null,
        false => Value::Texts(options.datasets.clone()),
    };
    let body = vec![
        (c.at(HOLDER), Value::Int(holder)),
        (c.at(NAME), name.into()),
        (c.at(SCOPE), options.scope.as_str().into()),
        (c.at(DATASETS), datasets),
        (c.at(EXPIRES), until),
    ];
    let caller = Arc::new(Principal::system());
    let made = book.write(caller, c, vec![Item::create(body)]).await?;
    match made.into_iter().next() {
        Some(Outcome::Done(change, _)) => {
            let key = secret_of(c, &change);
            key.ok_or_else(|| Error::internal("the new key was not returned"))
        }
        Some(Outcome::Refused(error)) => Err(error),
        _ => Err(Error::internal("the write has no result")),
    }
}

/// Revokes the keys of an account that have this name; returns how many.
async fn revoke(book: &Book, holder: i64, name: &str) -> Result<usize> {
    let c = keys_of(book)?;
    let column = |path| c.field(path).map_or("id", |field| field.column.as_str());
    let mut sql = Sql::new("SELECT \"id\" FROM ");
    sql.name(&c.table).push(" WHERE ").name(column(HOLDER));
    sql.push(" = ").bind(Ty::Int, holder).push(" AND ");
    sql.name(column(NAME)).push(" = ").bind(Ty::Text, name);
    sql.push(" AND ").name(column(REVOKED)).push(" IS NULL");
    let rows = book.store.rows(sql).await?;
    let now = Value::Time(book.clock.now());
    let item = |row: &Row| {
        let id = row.int(0)?;
        Some(Item::update(id, vec![(c.at(REVOKED), now.clone())]))
    };
    let items: Vec<Item> = rows.iter().filter_map(item).collect();
    let ended = items.len();
    for outcome in book.write(Arc::new(Principal::system()), c, items).await? {
        if let Outcome::Refused(error) = outcome {
            return Err(error);
        }
    }
    Ok(ended)
}

async fn verifier(book: &Book, c: &Collection, about: &[&str]) -> Result<String> {
    let min = c.field("password").and_then(|field| field.min);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a declared length is a small whole number"
    )]
    let min = min.map_or(PASSWORD_MIN, |min| min as usize);
    let password = ask_password(&mut std::io::stdin().lock(), min)?;
    let about: Vec<&str> = about.iter().copied().chain([&*book.service]).collect();
    if let Some(why) = weakness(&password, &about) {
        return Err(Error::invalid("password", "weak-password", why));
    }
    let passwords = Arc::clone(&book.passwords);
    let hashed = tokio::task::spawn_blocking(move || passwords.hash(&password));
    (hashed.await.map_err(Error::internal)?).map_err(Error::internal)
}

async fn create(book: &Book, c: &'static Collection, add: &Add, verifier: String) -> Result<i64> {
    let text = |text: &String| Value::Text(text.clone());
    let fields = [
        ("email", Some(Value::Text(address(&add.email)))),
        ("firstName", Some(text(&add.first_name))),
        ("lastName", Some(text(&add.last_name))),
        ("role", Some(text(&add.role))),
        ("organization", add.organization.map(Value::Int)),
        ("orgRole", add.org_role.as_ref().map(text)),
    ];
    let body = (fields.into_iter()).filter_map(|(path, value)| Some((c.slot(path)?, value?)));
    let item = Item::create(body.collect()).with_server(vec![(c.at("verifier"), Value::Text(verifier))]);
    let caller = Arc::new(Principal::system());
    match book.write(caller, c, vec![item]).await?.into_iter().next() {
        Some(Outcome::Done(change, _)) => Ok(change.id),
        Some(Outcome::Unchanged(id, _, _)) => Ok(id),
        Some(Outcome::Refused(error)) => Err(error),
        None => Err(Error::internal("the write has no result")),
    }
}

fn address(email: &str) -> String {
    email.trim().to_lowercase()
}
