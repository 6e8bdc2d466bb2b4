//! The tables that belong to no collection: the book's own counters and settings, and the
//! rendered documents of the exchange (docs/design/exchange.md, *Documents*), and what answers are
//! repeated.

use super::Table;
use super::draft::Draft;
use super::row_counts::ROW_COUNTS;
use crate::{Dialect, Ty};

/// All of them.
pub(super) fn tables(dialect: Dialect) -> Vec<Table> {
    let table = |name| Draft::new(name, dialect);
    vec![
        table("book_sequence")
            .key("id", Ty::Int)
            .all_filled(&["seq", "modified", "commits"], Ty::Int)
            .filled("touched", Ty::Text)
            .initial(
                "INSERT INTO \"book_sequence\" (\"id\", \"seq\", \"modified\", \"commits\", \
                 \"touched\") VALUES (1, 0, 0, 0, '{}')",
            )
            .done(),
        table("book_ids").key("name", Ty::Text).filled("next", Ty::Int).done(),
        table("book_settings").key("name", Ty::Text).filled("value", Ty::Text).done(),
        table("exchange_names").key("id", Ty::Int).filled("name", Ty::Text).unique(&["name"]).done(),
        documents(dialect),
        keys(dialect),
        retained_documents(dialect),
        table("exchange_queue")
            .key("id", Ty::Int)
            .all_filled(&["dataset", "relation"], Ty::Text)
            .all_filled(&["target", "after"], Ty::Int)
            .filled("queued_at", Ty::Time)
            .done(),
        row_counts(dialect),
        counts(dialect),
        members(dialect),
        last_states(dialect),
        unstored_members(dialect),
        batches(dialect),
        parts(dialect),
        full_syncs(dialect),
        table("mail_outbox").key("id", Ty::Int).filled("body", Ty::Text).done(),
        jobs(dialect),
        table("exchange_state").key("name", Ty::Text).filled("value", Ty::Text).done(),
        answers(dialect),
        signed_rows(dialect),
        intakes(dialect),
        traffic(dialect),
        readers(dialect),
        delays(dialect),
        uses(dialect),
        challenges(dialect),
    ]
}

/// Work that waits or goes on (docs/design/jobs.md): its kind, the row that it is about, when a process may
/// take it, how often one did without progress, and the lease of the one that has it. Times are epoch
/// milliseconds.
fn jobs(dialect: Dialect) -> Table {
    Draft::new("jobs", dialect)
        .all_filled(&["kind", "key"], Ty::Text)
        .keys(&["kind", "key"])
        .all_filled(&["due", "attempts"], Ty::Int)
        .open("lease", Ty::Text)
        .filled("created", Ty::Int)
        .index(&["kind", "due"])
        .done()
}

/// The rows of packages as they were signed, in parts: lines of JSON.
fn signed_rows(dialect: Dialect) -> Table {
    Draft::new("signed_rows", dialect)
        .filled("collection", Ty::Text)
        .all_filled(&["package", "part"], Ty::Int)
        .keys(&["collection", "package", "part"])
        .filled("body", Ty::Compressed)
        .done()
}

/// When each location was last sent something by each source, epoch milliseconds, to a minute.
fn intakes(dialect: Dialect) -> Table {
    Draft::new("exchange_intakes", dialect)
        .filled("location", Ty::Int)
        .filled("source", Ty::Text)
        .keys(&["location", "source"])
        .filled("taken_at", Ty::Int)
        .index(&["location", "taken_at"])
        .done()
}

/// Statistics of clients, hour by hour; 0: no account, no organisation. Times are epoch
/// milliseconds.
fn traffic(dialect: Dialect) -> Table {
    Draft::new("exchange_traffic", dialect)
        .all_filled(&["account", "organization"], Ty::Int)
        .filled("by_key", Ty::Bool)
        .filled("face", Ty::Text)
        .filled("hour", Ty::Int)
        .filled("class", Ty::Text)
        .keys(&["account", "organization", "by_key", "face", "hour", "class"])
        .all_filled(&["requests", "polls", "not_modified"], Ty::Int)
        .all_filled(&["errors", "limited", "last_at"], Ty::Int)
        .all_open(&["last_error", "agent"], Ty::Text)
        .index(&["hour"])
        .done()
}

/// When sessions were last used, epoch milliseconds.
fn uses(dialect: Dialect) -> Table {
    Draft::new("sign_in_uses", dialect)
        .key("sid", Ty::Text)
        .all_filled(&["account", "used_at"], Ty::Int)
        .index(&["account"])
        .index(&["used_at"])
        .done()
}

/// Challenges of passkeys (a digest) that were not answered: for whom, what the ceremony has to
/// know, and until when, epoch milliseconds.
fn challenges(dialect: Dialect) -> Table {
    Draft::new("sign_in_challenges", dialect)
        .key("challenge", Ty::Text)
        .all_filled(&["whose", "state"], Ty::Text)
        .filled("until", Ty::Int)
        .index(&["until"])
        .done()
}

/// How far each client has read each feed: the last place in commit order that was sent to the
/// client.
fn readers(dialect: Dialect) -> Table {
    Draft::new("exchange_readers", dialect)
        .all_filled(&["account", "organization"], Ty::Int)
        .filled("dataset", Ty::Text)
        .keys(&["account", "organization", "dataset"])
        .all_filled(&["seq", "told_at"], Ty::Int)
        .index(&["told_at"])
        .done()
}

/// How often signing in failed, by name, address or device (a digest, or a word), and until
/// when it is not tried. Times are epoch milliseconds.
fn delays(dialect: Dialect) -> Table {
    Draft::new("sign_in_delays", dialect)
        .key("whose", Ty::Text)
        .all_filled(&["failures", "last_at", "until"], Ty::Int)
        .index(&["last_at"])
        .done()
}

/// Requests that are done once: the outcome of their rows, and the answer once it is known.
fn answers(dialect: Dialect) -> Table {
    Draft::new("rest_answers", dialect)
        .filled("user", Ty::Int)
        .filled("key", Ty::Text)
        .keys(&["user", "key"])
        .all_filled(&["digest", "outcomes"], Ty::Text)
        .open("status", Ty::Int)
        .open("answer", Ty::Text)
        .filled("created_at", Ty::Int)
        .index(&["created_at"])
        .done()
}

/// Each resource once, at its latest place in the sequence. Its times are plain epoch
/// milliseconds on both databases: they are compared with the sequence's own clock and
/// written to the wire, never calculated with. Data set, collection, type and source are numbers of
/// `exchange_names`.
fn documents(dialect: Dialect) -> Table {
    Draft::new("exchange_documents", dialect)
        .key("id", Ty::Int)
        .all_filled(&["seq", "dataset", "collection"], Ty::Int)
        .all_filled(&["resource_type", "source"], Ty::Int)
        .filled("source_id", Ty::Text)
        .all_filled(&["location", "modified", "created"], Ty::Int)
        .all_open(&["event_at", "animal"], Ty::Int)
        .filled("record", Ty::Int)
        .filled("deleted", Ty::Bool)
        .open("reason", Ty::Text)
        .filled("body", Ty::Compressed)
        .open("wording", Ty::Text)
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

/// What is found inside documents by filters that no column of theirs answers. Location and
/// data set (its number) stand here again, so that a look-up reads the keys of one list only.
fn keys(dialect: Dialect) -> Table {
    Draft::new("exchange_keys", dialect)
        .all_filled(&["document", "location", "dataset"], Ty::Int)
        .all_filled(&["name", "value"], Ty::Text)
        .open("at", Ty::Int)
        .keys(&["document", "name", "value"])
        .index(&["location", "dataset", "name", "value"])
        .index(&["location", "dataset", "name", "at"])
        .done()
}

/// Documents that no collection holds, as they were sent: the row behind those of
/// `exchange_documents` whose `record` is its id with a minus sign. `organization` is whose
/// location they were sent to, and part of their key; `parts` what their animals got.
fn retained_documents(dialect: Dialect) -> Table {
    Draft::new("exchange_kept", dialect)
        .key("id", Ty::Int)
        .filled("dataset", Ty::Text)
        .filled("organization", Ty::Int)
        .all_filled(&["source", "source_id"], Ty::Text)
        .open("animal", Ty::Int)
        .filled("created", Ty::Int)
        .open("parts", Ty::Text)
        .filled("body", Ty::Compressed)
        .unique(&["dataset", "source_id", "source", "organization"])
        .index(&["animal", "id"])
        .done()
}

/// How many rows of a table there are by owner (0: none) and openness; triggers of the table keep them.
fn row_counts(dialect: Dialect) -> Table {
    Draft::new(ROW_COUNTS, dialect)
        .filled("table_name", Ty::Text)
        .all_filled(&["visible", "details"], Ty::Bool)
        .filled("owner", Ty::Int)
        .keys(&["table_name", "visible", "details", "owner"])
        .filled("total", Ty::Int)
        .done()
}

/// Live documents of a data set at a location, updated by every write.
fn counts(dialect: Dialect) -> Table {
    Draft::new("exchange_counts", dialect)
        .filled("location", Ty::Int)
        .filled("dataset", Ty::Text)
        .keys(&["location", "dataset"])
        .filled("live", Ty::Int)
        .done()
}

/// Which animals a set that is offered has or had: the place in commit order since when. For
/// who reads the set, joining opens what is older and leaving withdraws it.
fn members(dialect: Dialect) -> Table {
    Draft::new("exchange_members", dialect)
        .all_filled(&["animal_set", "animal"], Ty::Int)
        .keys(&["animal_set", "animal"])
        .filled("seq", Ty::Int)
        .filled("member", Ty::Bool)
        .index(&["animal_set", "seq"])
        .done()
}

/// The last state of a resource that each sender sent: the sender's own time of it, the place in
/// commit order up to which it is the latest, the batch it came with, the organisation that sent
/// it (none: the Association), and the places at which full syncs named it last, one of the
/// organisation of the location and one of the Association. The row outlives the resource, so
/// that an old state cannot come back after a deletion.
fn last_states(dialect: Dialect) -> Table {
    Draft::new("exchange_sent", dialect)
        .filled("location", Ty::Int)
        .all_filled(&["source", "source_id", "dataset"], Ty::Text)
        .keys(&["location", "source", "source_id", "dataset"])
        .open("modified", Ty::Int)
        .filled("seq", Ty::Int)
        .open("batch", Ty::Text)
        .filled("live", Ty::Bool)
        .open("organization", Ty::Int)
        .all_filled(&["named", "named_above"], Ty::Int)
        .done()
}

/// What the members of a document said last that is not stored itself: digests by name, and the row
/// that was meant.
fn unstored_members(dialect: Dialect) -> Table {
    Draft::new("exchange_said", dialect)
        .filled("location", Ty::Int)
        .all_filled(&["source", "source_id", "dataset"], Ty::Text)
        .keys(&["location", "source", "source_id", "dataset"])
        .filled("members", Ty::Text)
        .done()
}

/// Batches, while their results are stored: who sent what where, how far it is, and how many
/// elements were refused. Times are epoch milliseconds.
fn batches(dialect: Dialect) -> Table {
    Draft::new("exchange_batches", dialect)
        .key("id", Ty::Text)
        .filled("location", Ty::Int)
        .filled("dataset", Ty::Text)
        .all_open(&["sender", "organization"], Ty::Int)
        .filled("strict", Ty::Bool)
        .filled("stage", Ty::Text)
        .all_filled(&["items", "done", "rejected", "created_at"], Ty::Int)
        .open("ended_at", Ty::Int)
        .index(&["created_at"])
        .done()
}

/// Parts of batches, each a transaction: the elements as sent until they are worked on, then
/// their results.
fn parts(dialect: Dialect) -> Table {
    Draft::new("exchange_batch_parts", dialect)
        .filled("batch", Ty::Text)
        .filled("part", Ty::Int)
        .keys(&["batch", "part"])
        .filled("items", Ty::Int)
        .all_open(&["sent", "results"], Ty::Compressed)
        .done()
}

/// Full syncs: the data set (none: all), locations and sources that each one covers, the place
/// in commit order at its start, its expiry, and its result. Times are epoch milliseconds.
fn full_syncs(dialect: Dialect) -> Table {
    Draft::new("exchange_full_syncs", dialect)
        .key("id", Ty::Text)
        .open("dataset", Ty::Text)
        .all_filled(&["locations", "sources"], Ty::Text)
        .open("organization", Ty::Int)
        .filled("stage", Ty::Text)
        .all_filled(&["began", "pushes", "resources"], Ty::Int)
        .all_filled(&["created_at", "due"], Ty::Int)
        .open("ended_at", Ty::Int)
        .open("outcome", Ty::Text)
        .index(&["stage", "due"])
        .index(&["created_at"])
        .done()
}
