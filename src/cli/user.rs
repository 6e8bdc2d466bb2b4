//! `herdbook user`: accounts from the terminal, as the system. Passwords come from
//! standard input.

use super::{announce, ask_password, open};
use crate::api::sign_in::account;
use crate::config::Settings;
use crate::error::{Error, Result};
use crate::ops::{Book, Item, Outcome};
use crate::record::Value;
use crate::registry::{Collection, Principal};
use crate::secure::keys::{KeyRing, random_secret};
use clap::{Args, Subcommand};
use serde_json::json;
use std::sync::Arc;

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
    /// Set the password of a user, read from standard input; his sessions end.
    Password {
        /// Address of the user.
        #[arg(long)]
        email: String,
    },
}

#[derive(Debug, Args)]
struct Add {
    /// Address, the name for signing in.
    #[arg(long)]
    email: String,
    /// Given name.
    #[arg(long)]
    first_name: String,
    /// Family name.
    #[arg(long)]
    last_name: String,
    /// What he is to the Association.
    #[arg(long, default_value = "farmer", value_parser = ["farmer", "service", "individual", "expert", "admin"])]
    role: String,
    /// Id of the organisation.
    #[arg(long)]
    organization: Option<i64>,
    /// What he is in his organisation.
    #[arg(long, value_parser = ["head", "operator", "viewer"])]
    org_role: Option<String>,
}

pub(super) async fn user(options: &Options, settings: &Settings) -> Result<()> {
    // No token is signed here, so that the secret of the service is not needed.
    let keys = KeyRing::new(&random_secret(), None);
    let keys = keys.map_err(|_| Error::internal("a random secret was refused"))?;
    let super::Opened { book, .. } = open(settings, keys).await?;
    let done = act(&book, &options.action).await;
    book.store.close().await;
    announce(&done?);
    Ok(())
}

async fn act(book: &Book, action: &Action) -> Result<serde_json::Value> {
    let c = book.registry.iter().find(|c| c.auth);
    let c = c.ok_or_else(|| Error::internal("nothing to sign in to is declared"))?;
    let verifier = verifier(book, c).await?;
    match action {
        Action::Add(add) => {
            let id = create(book, c, add, verifier).await?;
            Ok(json!({"event": "user-added", "id": id, "email": address(&add.email)}))
        }
        Action::Password { email } => {
            let email = address(email);
            let found = account::by_email(book, c, &email).await?;
            let id = found.ok_or(Error::NotFound)?.id;
            book.transact(move |work| {
                Box::pin(async move {
                    work.tx().moves_rights();
                    account::set_verifier(work, c, id, verifier).await
                })
            })
            .await?;
            Ok(json!({"event": "password-set", "id": id, "email": email}))
        }
    }
}

async fn verifier(book: &Book, c: &Collection) -> Result<String> {
    let min = c.field("password").and_then(|field| field.min);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a declared length is a small whole number"
    )]
    let min = min.map_or(PASSWORD_MIN, |min| min as usize);
    let password = ask_password(&mut std::io::stdin().lock(), min)?;
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
    let item =
        Item::create(body.collect()).with_server(vec![(c.at("verifier"), Value::Text(verifier))]);
    let caller = Arc::new(Principal::system());
    match book.write(caller, c, vec![item]).await?.into_iter().next() {
        Some(Outcome::Done(change, _)) => Ok(change.id),
        Some(Outcome::Unchanged(id, _, _)) => Ok(id),
        Some(Outcome::Refused(error)) => Err(error),
        None => Err(Error::internal("a write without an outcome")),
    }
}

fn address(email: &str) -> String {
    email.trim().to_lowercase()
}
