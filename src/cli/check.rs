//! `herdbook check`: the declarations, the standard's notation and the mapping files,
//! with every fault by file and path.

use super::{Exit, announce, exchange, explain};
use clap::Args;
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
}

pub(super) fn check(_options: &Options, settings: &Settings) -> Result<ExitCode> {
    let mut issues = Vec::new();
    let own = |fault: &dyn std::fmt::Display| Issue::error("ade", "notation", fault.to_string());
    let standard = ade::schema::Standard::get();
    issues.extend(standard.faults().iter().map(|f| own(f)));
    issues.extend(ade::catalog::Catalog::get().faults().iter().map(|f| own(f)));
    let sets = match exchange(settings) {
        Ok(exchange) => exchange.rules().mappings().iter().count(),
        Err(Error::Invalid(found)) => {
            issues.extend(found);
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
    Ok(Exit::Found.into())
}
