//! The tables that belong to no collection: the book's own counters and settings, and the
//! rendered documents of the exchange (design, section 4).

use super::Table;
use super::draft::Draft;
use crate::store::{Dialect, Ty};

/// All of them.
pub(super) fn tables(dialect: Dialect) -> Vec<Table> {
    let table = |name| Draft::new(name, dialect);
    vec![
        table("book_sequence")
            .key("id", Ty::Int)
            .filled("seq", Ty::Int)
            .filled("modified", Ty::Int)
            .initial(
                "INSERT INTO \"book_sequence\" (\"id\", \"seq\", \"modified\") VALUES (1, 0, 0)",
            )
            .done(),
        table("book_ids")
            .key("name", Ty::Text)
            .filled("next", Ty::Int)
            .done(),
        table("book_settings")
            .key("name", Ty::Text)
            .filled("value", Ty::Text)
            .done(),
        documents(dialect),
        table("exchange_queue")
            .key("id", Ty::Int)
            .filled("dataset", Ty::Text)
            .filled("relation", Ty::Text)
            .filled("target", Ty::Int)
            .filled("after", Ty::Int)
            .filled("queued_at", Ty::Time)
            .done(),
        counts(dialect),
        table("exchange_state")
            .key("name", Ty::Text)
            .filled("value", Ty::Text)
            .done(),
    ]
}

/// Each resource once, at its latest place in the sequence. Its times are plain epoch
/// milliseconds on both databases: they are compared with the sequence's own clock and
/// written to the wire, never calculated with.
fn documents(dialect: Dialect) -> Table {
    Draft::new("exchange_documents", dialect)
        .key("id", Ty::Int)
        .filled("seq", Ty::Int)
        .filled("dataset", Ty::Text)
        .filled("resource_type", Ty::Text)
        .filled("source", Ty::Text)
        .filled("source_id", Ty::Text)
        .filled("location", Ty::Int)
        .filled("modified", Ty::Int)
        .filled("created", Ty::Int)
        .open("event_at", Ty::Int)
        .open("animal", Ty::Int)
        .filled("record", Ty::Int)
        .filled("deleted", Ty::Bool)
        .open("reason", Ty::Text)
        .filled("body", Ty::Text)
        .unique(&["seq"])
        .unique(&["dataset", "source", "source_id", "location"])
        .index(&["dataset", "seq"])
        .index(&["location", "seq"])
        .index(&["location", "dataset", "id"])
        .index(&["location", "dataset", "modified"])
        .index(&["animal", "dataset"])
        .index(&["dataset", "record"])
        .done()
}

/// Live documents of a data set at a location, kept by every write.
fn counts(dialect: Dialect) -> Table {
    Draft::new("exchange_counts", dialect)
        .filled("location", Ty::Int)
        .filled("dataset", Ty::Text)
        .keys(&["location", "dataset"])
        .filled("live", Ty::Int)
        .done()
}
