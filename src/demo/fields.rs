//! Building rows.

use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::SeedRow;

/// Where rows go.
pub(super) type Sink<'a> = &'a mut dyn FnMut(SeedRow) -> ControlFlow<()>;

/// Fields of a row or group, in the order in which they are set.
#[derive(Default)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Sets a field.
    pub(super) fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Sets a field if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    /// The row.
    pub(super) fn row(self, collection: &'static str, id: i64) -> SeedRow {
        SeedRow {
            collection,
            id,
            data: self.0,
            system: Map::new(),
        }
    }

    /// The row, with fields that the server sets.
    pub(super) fn row_with(self, collection: &'static str, id: i64, system: Self) -> SeedRow {
        SeedRow {
            collection,
            id,
            data: self.0,
            system: system.0,
        }
    }
}

impl From<Fields> for Value {
    fn from(fields: Fields) -> Self {
        Self::Object(fields.0)
    }
}
