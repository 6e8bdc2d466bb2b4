//! The settings of the GraphQL face.

use super::read::Reader;

/// What a request may ask for.
#[derive(Debug, Clone)]
pub struct Graphql {
    /// Whether the schema itself can be queried.
    pub introspection: bool,
    pub depth: usize,
    /// Fields, where related records count ten.
    pub complexity: u64,
    /// The complexity times the number of requested records.
    pub cost: u64,
    /// Longest text of a query, bytes.
    pub query: usize,
}

/// All `graphql.` keys.
pub(super) fn read(r: &mut Reader<'_>) -> Option<Graphql> {
    let introspection = r.flag("graphql.introspection");
    Some(Graphql {
        introspection,
        // Deeper ones are not parsed.
        depth: r.number("graphql.depth", &(1..=50))?,
        complexity: r.number("graphql.complexity", &(1..=20_000))?,
        cost: r.number("graphql.cost", &(1..=1_000_000_000))?,
        query: r.number("graphql.query", &(256..=1_048_576))?,
    })
}
