//! The tables that belong to no collection: the book's own counters and settings, and the
//! rendered documents of the exchange (design, section 4), and what answers are repeated.

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
            .filled("commits", Ty::Int)
            .initial(
                "INSERT INTO \"book_sequence\" (\"id\", \"seq\", \"modified\", \"commits\") \
                 VALUES (1, 0, 0, 0)",
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
        table("mail_outbox")
            .key("id", Ty::Int)
            .filled("body", Ty::Text)
            .filled("queued_at", Ty::Time)
            .filled("due", Ty::Time)
            .filled("attempts", Ty::Int)
            .index(&["due"])
            .done(),
        table("exchange_state")
            .key("name", Ty::Text)
            .filled("value", Ty::Text)
            .done(),
        answers(dialect),
    ]
}

/// Requests that are done once: what became of their rows, and the answer once it is known.
fn answers(dialect: Dialect) -> Table {
    Draft::new("rest_answers", dialect)
        .filled("user", Ty::Int)
        .filled("key", Ty::Text)
        .keys(&["user", "key"])
        .filled("digest", Ty::Text)
        .filled("outcomes", Ty::Text)
        .open("status", Ty::Int)
        .open("answer", Ty::Text)
        .filled("created_at", Ty::Int)
        .index(&["created_at"])
        .done()
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
