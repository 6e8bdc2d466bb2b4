//! `herdbook schema`: the tables that the declarations demand, as a migration to be reviewed; with `--diff`, the
//! statements that a database lacks; with `--graphql`, the schema of the GraphQL face.

use crate::{Exit, announce, say};
use api::graphql;
use clap::{Args, ValueEnum};
use domain::collections;
use model::clock::Clock;
use model::error::{Error, Result};
use serde_json::json;
use std::process::ExitCode;
use store::{Dialect, Durability, Store, schema};

/// Flags of `schema`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Database whose SQL is printed.
    #[arg(long, value_enum, default_value_t = Which::Sqlite)]
    dialect: Which,
    /// Print only what this database lacks (`sqlite:<path>` or `postgres://…`).
    #[arg(long, value_name = "URL")]
    diff: Option<String>,
    /// Print the GraphQL schema instead.
    #[arg(long, conflicts_with_all = ["dialect", "diff"])]
    graphql: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    Sqlite,
    Postgres,
}

pub(crate) async fn schema(options: &Options) -> Result<ExitCode> {
    let registry = collections::registry()?;
    if options.graphql {
        say(graphql::sdl(registry)?.trim_end());
        return Ok(Exit::Done.into());
    }
    let Some(url) = &options.diff else {
        let dialect = match options.dialect {
            Which::Sqlite => Dialect::Sqlite,
            Which::Postgres => Dialect::Postgres,
        };
        let text = schema::migration_text(registry, dialect).map_err(Error::Invalid)?;
        say(text.trim_end());
        return Ok(Exit::Done.into());
    };
    let store = Store::open(url, Durability::Normal, Clock::system(), false).await?;
    let statements = schema::differences(&store, registry).await;
    store.close().await;
    let statements = statements?;
    for statement in &statements {
        say(&statement.to_string());
    }
    if statements.is_empty() {
        announce(&json!({"event": "schema", "differences": 0}));
        return Ok(Exit::Done.into());
    }
    Ok(Exit::Findings.into())
}
