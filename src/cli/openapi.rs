//! `herdbook openapi`: the description of both faces that the server answers at
//! `/api-docs/openapi.json`, for generators and linters that run without a server.

use super::{exchange, say};
use api::openapi::{Facts, document};
use config::Settings;
use domain::collections;
use model::error::{Error, Result};

pub(super) fn openapi(settings: &Settings) -> Result<()> {
    let facts = Facts { service: &settings.service, depth: settings.depth };
    let exchange = exchange(settings)?;
    let document = document(collections::registry()?, exchange.rules().mappings(), &facts);
    say(&serde_json::to_string_pretty(&document).map_err(Error::internal)?);
    Ok(())
}
