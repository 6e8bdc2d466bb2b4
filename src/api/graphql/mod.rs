//! The GraphQL face (docs/design/faces.md, *GraphQL*): one schema made of the declarations when the
//! server starts, over the same operations and rules as REST. A request is parsed, measured and
//! planned, validated by the library, and answered level by level: each relation costs one
//! statement, however many records show it. Must not know any single collection.

mod account;
mod call;
mod change;
mod fault;
mod filter;
mod http;
mod long;
mod look;
mod model;
mod name;
mod page;
mod plan;
mod request;
mod rules;
mod run;
mod schema;
mod show;
mod stored;

pub(super) use http::routes;

use self::fault::Fault;
use self::model::Model;
use self::stored::Stored;
use ::model::error::Result;
use ::model::registry::Registry;
use async_graphql::dynamic::Schema;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// What the declarations are made into, once for each registry.
struct Kit {
    model: Model,
    schema: Schema,
}

static KITS: LazyLock<Mutex<BTreeMap<usize, &'static Kit>>> = LazyLock::new(Mutex::default);

impl Kit {
    fn of(registry: &'static Registry) -> Result<&'static Self> {
        let place = std::ptr::from_ref(registry).addr();
        let mut known = KITS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kit) = known.get(&place) {
            return Ok(kit);
        }
        let model = Model::of(registry);
        let schema = schema::schema(&model)?;
        // As long as the declarations themselves.
        let kit: &'static Self = Box::leak(Box::new(Self { model, schema }));
        known.insert(place, kit);
        Ok(kit)
    }
}

/// The face of one server.
pub struct Face {
    kit: Result<&'static Kit>,
    stored: Stored,
}

impl std::fmt::Debug for Face {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Face({})", self.kit.is_ok())
    }
}

impl Face {
    /// Over these declarations.
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self {
            kit: Kit::of(registry),
            stored: Stored::new(),
        }
    }
}

/// The schema of declarations in the language of schemas, for generators that run without a
/// server.
///
/// # Errors
/// [`Error::Internal`] when the declarations make no schema.
///
/// [`Error::Internal`]: ::model::error::Error::Internal
pub fn sdl(registry: &'static Registry) -> Result<String> {
    Kit::of(registry).map(|kit| schema::printed(&kit.schema))
}
