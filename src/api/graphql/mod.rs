//! The GraphQL face (docs/design/faces.md, *GraphQL*): one schema made of the declarations when the
//! server starts, over the same operations and rules as REST. A request is parsed, measured and
//! planned, validated by the library, and answered level by level: each relation costs one
//! statement, however many records show it. Must not know any single collection.

mod account;
mod call;
mod fault;
mod field_selection;
mod filter;
mod http;
mod model;
mod name;
mod page;
mod plan;
mod run;
mod schema;

pub(super) use http::routes;

use self::fault::Fault;
use self::http::stored::Stored;
use self::model::Model;
use ::model::error::Result;
use ::model::registry::Registry;
use async_graphql::dynamic::Schema;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A registry as the GraphQL schema, compiled once.
struct CompiledSchema {
    model: Model,
    schema: Schema,
}

static COMPILED: LazyLock<Mutex<BTreeMap<usize, &'static CompiledSchema>>> = LazyLock::new(Mutex::default);

impl CompiledSchema {
    fn of(registry: &'static Registry) -> Result<&'static Self> {
        let place = std::ptr::from_ref(registry).addr();
        let mut memo = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = memo.get(&place) {
            return Ok(compiled);
        }
        let model = Model::of(registry);
        let schema = schema::schema(&model)?;
        // As long as the declarations themselves.
        let compiled: &'static Self = Box::leak(Box::new(Self { model, schema }));
        memo.insert(place, compiled);
        Ok(compiled)
    }
}

/// The GraphQL API of one server.
pub struct Api {
    compiled: Result<&'static CompiledSchema>,
    stored: Stored,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Api({})", self.compiled.is_ok())
    }
}

impl Api {
    /// Over these declarations.
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self { compiled: CompiledSchema::of(registry), stored: Stored::new() }
    }
}

/// The schema of declarations in the language of schemas, for generators that run without a server.
///
/// # Errors
/// [`Error::Internal`] when the declarations make no schema.
///
/// [`Error::Internal`]: ::model::error::Error::Internal
pub fn sdl(registry: &'static Registry) -> Result<String> {
    CompiledSchema::of(registry).map(|compiled| schema::printed(&compiled.schema))
}
