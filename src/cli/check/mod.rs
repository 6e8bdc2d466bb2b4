//! `herdbook check`: the declarations, the standard's notation and the mapping files,
//! with every fault by file and path. With `--findings` the checks of the book.

pub(super) mod check_runs;
pub(super) mod findings;

use super::{Exit, announce, exchange, explain};
use checks::Language;
use clap::{Args, ValueEnum};
use config::Settings;
use model::error::{Error, Issue, Result};
use serde_json::json;
use std::process::ExitCode;

/// Flags of `check`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Folder of mapping files that add to the built-in ones or replace parts of them.
    #[arg(long, value_name = "FOLDER")]
    mappings: Option<String>,
    /// Run the checks of the book over all its animals and herds, and list the findings; ends with 3 where something
    /// must be corrected.
    #[arg(long)]
    findings: bool,
    /// Store the findings as a run of the server does, and list none.
    #[arg(long, requires = "findings", conflicts_with_all = ["first", "language"])]
    store: bool,
    /// Findings of each check that are listed.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, requires = "findings")]
    first: usize,
    /// Language of the findings.
    #[arg(long, value_enum, default_value_t = FindingsLanguage::En, requires = "findings")]
    language: FindingsLanguage,
}

/// A [`Language`].
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FindingsLanguage {
    En,
    Ru,
}

pub(super) async fn check(options: &Options, settings: &Settings) -> Result<ExitCode> {
    if options.store {
        return check_runs::run_once(settings).await;
    }
    if options.findings {
        let language = match options.language {
            FindingsLanguage::En => Language::English,
            FindingsLanguage::Ru => Language::Russian,
        };
        return findings::findings(settings, options.first, language).await;
    }
    let mut issues = Vec::new();
    let own = |fault: &dyn std::fmt::Display| Issue::error("ade", "notation", fault.to_string());
    let standard = ade::schema::Standard::get();
    issues.extend(standard.faults().iter().map(|f| own(f)));
    issues.extend(ade::catalog::Catalog::get().faults().iter().map(|f| own(f)));
    let sets = match exchange(settings) {
        Ok(exchange) => exchange.rules().mappings().iter().count(),
        Err(Error::Invalid(more)) => {
            issues.extend(more);
            0
        }
        Err(error) => return Err(error),
    };
    if issues.is_empty() {
        announce(&json!({"event": "checked", "mappings": sets, "faults": 0}));
        return Ok(Exit::Done.into());
    }
    announce(&json!({"event": "checked", "faults": issues.len()}));
    eprintln!("{}", explain(&Error::Invalid(issues)));
    Ok(Exit::Findings.into())
}
