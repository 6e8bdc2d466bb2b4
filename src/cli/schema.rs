//! `herdbook schema`: the tables that the declarations demand, as a migration to be
//! reviewed; with `--diff`, the statements that a database lacks; with `--graphql`, the
//! schema of the GraphQL face; with `--docs`, the pages of the data model.

use super::{Exit, announce, say};
use api::graphql;
use clap::{Args, ValueEnum};
use domain::collections::{self, check_facts};
use indexmap::IndexMap;
use mapping::Mappings;
use model::clock::Clock;
use model::error::{Error, Result};
use model::registry::DataSet;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use store::{Dialect, Durability, Store, schema};

/// Flags of `schema`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// For which database.
    #[arg(long, value_enum, default_value_t = Which::Sqlite)]
    dialect: Which,
    /// Print only what this database lacks (`sqlite:<path>` or `postgres://…`).
    #[arg(long, value_name = "URL")]
    diff: Option<String>,
    /// Print the GraphQL schema instead.
    #[arg(long, conflicts_with_all = ["dialect", "diff"])]
    graphql: bool,
    /// Write the pages of the data model into this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dialect", "diff", "graphql"])]
    docs: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    Sqlite,
    Postgres,
}

/// The pages of the data model by file name: the declarations, the data sets that they back by
/// the built-in mapping files, and the checks.
///
/// # Errors
/// Faults of declarations or mapping files.
pub fn model_pages() -> Result<IndexMap<String, String>> {
    let registry = collections::registry()?;
    let names = mapping::Settings::default();
    let mappings = Mappings::build(registry, &names, None).map_err(Error::Invalid)?;
    let mut sets: BTreeMap<String, Vec<DataSet>> = BTreeMap::new();
    for mapping in mappings.iter() {
        let of_collection = sets.entry(mapping.collection().to_owned()).or_default();
        of_collection.push(DataSet {
            name: mapping.dataset().to_owned(),
            resource: mapping.resource().to_owned(),
            file: mapping.name().to_owned(),
        });
    }
    let mut pages = registry.pages(&sets);
    pages.insert("checks.md".to_owned(), check_facts::page());
    Ok(pages)
}

pub(super) async fn schema(options: &Options) -> Result<ExitCode> {
    let registry = collections::registry()?;
    if options.graphql {
        say(graphql::sdl(registry)?.trim_end());
        return Ok(Exit::Done.into());
    }
    if let Some(folder) = &options.docs {
        let pages = model_pages()?;
        std::fs::create_dir_all(folder)
            .map_err(|why| Error::Unavailable(format!("{}: {why}", folder.display())))?;
        for (name, page) in &pages {
            let file = folder.join(name);
            std::fs::write(&file, page)
                .map_err(|why| Error::Unavailable(format!("{}: {why}", file.display())))?;
        }
        announce(&json!({"event": "schema", "pages": pages.len()}));
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
    Ok(Exit::Found.into())
}
