//! The tables that belong to no collection: the book's own counters and settings, and the rendered documents of the
//! exchange (docs/design/exchange.md, *Documents*), and what answers are repeated. Times in whole numbers are epoch
//! milliseconds on both databases.

use super::Table;
use super::draft::Draft;
use super::row_counts::ROW_COUNTS;
use crate::Dialect;
use crate::Ty::{Bool, Compressed, Int, Text, Time};

/// Columns of one type with blanks between their names; those with a `?` may be empty.
type Columns<'t> = (&'t str, crate::Ty);

pub(super) fn tables(dialect: Dialect) -> Vec<Table> {
    let table = |name: &str, columns: &[Columns<'_>], key: &str, indexes: &[&str]| {
        let mut draft = Draft::new(name, dialect).keys(&words(key));
        for (names, ty) in columns {
            for name in words(names) {
                draft.column(name.trim_end_matches('?'), *ty, !name.ends_with('?'));
            }
        }
        // An index with a `!` is unique.
        for index in indexes {
            draft.add_index(&words(index.trim_start_matches('!')), index.starts_with('!'));
        }
        draft.done()
    };
    let sequence = [("id seq modified commits", Int), ("touched", Text)];
    let first = "INSERT INTO \"book_sequence\" (\"id\", \"seq\", \"modified\", \"commits\", \
                 \"touched\") VALUES (1, 0, 0, 0, '{}')";
    vec![
        Table { initial: Some(first), ..table("book_sequence", &sequence, "id", &[]) },
        table("book_ids", &[("name", Text), ("next", Int)], "name", &[]),
        table("book_settings", &[("name value", Text)], "name", &[]),
        table("exchange_names", &[("id", Int), ("name", Text)], "id", &["!name"]),
        // Each resource once, at its latest place in the sequence. Its times are compared with the sequence's own clock
        // and written to the wire, never calculated with. Data set, collection, type and source are numbers of
        // `exchange_names`.
        table(
            "exchange_documents",
            &[
                ("id seq dataset collection resource_type source", Int),
                ("source_id", Text),
                ("location modified created event_at? animal? record", Int),
                ("deleted", Bool),
                ("reason?", Text),
                ("body", Compressed),
                ("wording?", Text),
            ],
            "id",
            &[
                "!seq",
                "!dataset source source_id location",
                "dataset seq",
                "location seq",
                "location dataset id",
                "location dataset modified",
                "animal dataset",
                "dataset record",
            ],
        ),
        // What is found inside documents by filters that no column of theirs answers. Location and data set (its
        // number) stand here again, so that a look-up reads the keys of one list only.
        table(
            "exchange_keys",
            &[("document location dataset", Int), ("name value", Text), ("at?", Int)],
            "document name value",
            &["location dataset name value", "location dataset name at"],
        ),
        // Documents that no collection holds, as they were sent: the row behind those of `exchange_documents` whose
        // `record` is its id with a minus sign. `organization` is whose location they were sent to, and part of their
        // key; `parts` what their animals got.
        table(
            "exchange_kept",
            &[
                ("id", Int),
                ("dataset", Text),
                ("organization", Int),
                ("source source_id", Text),
                ("animal? created", Int),
                ("parts?", Text),
                ("body", Compressed),
            ],
            "id",
            &["!dataset source_id source organization", "animal id"],
        ),
        table(
            "exchange_queue",
            &[("id", Int), ("dataset relation", Text), ("target after", Int), ("queued_at", Time)],
            "id",
            &[],
        ),
        // How many rows of a table there are by owner (0: none) and openness; triggers of the table keep them.
        table(
            ROW_COUNTS,
            &[("table_name", Text), ("visible details", Bool), ("owner total", Int)],
            "table_name visible details owner",
            &[],
        ),
        // Live documents of a data set at a location, updated by every write.
        table("exchange_counts", &[("location", Int), ("dataset", Text), ("live", Int)], "location dataset", &[]),
        // Which animals a set that is offered has or had: the place in commit order since when. For who reads the set,
        // joining opens what is older and leaving withdraws it.
        table(
            "exchange_members",
            &[("animal_set animal seq", Int), ("member", Bool)],
            "animal_set animal",
            &["animal_set seq"],
        ),
        // The last state of a resource that each sender sent: the sender's own time of it, the place in commit order up
        // to which it is the latest, the batch it came with, the organisation that sent it (none: the Association), and
        // the places at which full syncs named it last, one of the organisation of the location and one of the
        // Association. The row outlives the resource, so that an old state cannot come back after a deletion.
        table(
            "exchange_sent",
            &[
                ("location", Int),
                ("source source_id dataset", Text),
                ("modified? seq", Int),
                ("batch?", Text),
                ("live", Bool),
                ("organization? named named_above", Int),
            ],
            "location source source_id dataset",
            &[],
        ),
        // What the members of a document said last that is not stored itself: digests by name, and the row that was
        // meant.
        table(
            "exchange_said",
            &[("location", Int), ("source source_id dataset members", Text)],
            "location source source_id dataset",
            &[],
        ),
        // Batches, while their results are stored: who sent what where, how far it is, and how many elements were
        // refused.
        table(
            "exchange_batches",
            &[
                ("id", Text),
                ("location", Int),
                ("dataset", Text),
                ("sender? organization?", Int),
                ("strict", Bool),
                ("stage", Text),
                ("items done rejected created_at ended_at?", Int),
            ],
            "id",
            &["created_at"],
        ),
        // Parts of batches, each a transaction: the elements as sent until they are worked on, then their results.
        table(
            "exchange_batch_parts",
            &[("batch", Text), ("part items", Int), ("sent? results?", Compressed)],
            "batch part",
            &[],
        ),
        // Full syncs: the data set (none: all), locations and sources that each one covers, the place in commit order
        // at its start, its expiry, and its result.
        table(
            "exchange_full_syncs",
            &[
                ("id dataset? locations sources", Text),
                ("organization?", Int),
                ("stage", Text),
                ("began pushes resources created_at due ended_at?", Int),
                ("outcome?", Text),
            ],
            "id",
            &["stage due", "created_at"],
        ),
        table("mail_outbox", &[("id", Int), ("body", Text)], "id", &[]),
        // Work that waits or goes on (docs/design/jobs.md): its kind, the row that it is about, when a process may take
        // it, how often one did without progress, and the lease of the one that has it.
        table(
            "jobs",
            &[("kind key", Text), ("due attempts", Int), ("lease?", Text), ("created", Int)],
            "kind key",
            &["kind due"],
        ),
        table("exchange_state", &[("name value", Text)], "name", &[]),
        // Requests that are done once: the outcome of their rows, and the answer once it is known.
        table(
            "rest_answers",
            &[("user", Int), ("key digest outcomes", Text), ("status?", Int), ("answer?", Text), ("created_at", Int)],
            "user key",
            &["created_at"],
        ),
        // The rows of packages as they were signed, in parts: lines of JSON.
        table(
            "signed_rows",
            &[("collection", Text), ("package part", Int), ("body", Compressed)],
            "collection package part",
            &[],
        ),
        // When each location was last sent something by each source, to a minute.
        table(
            "exchange_intakes",
            &[("location", Int), ("source", Text), ("taken_at", Int)],
            "location source",
            &["location taken_at"],
        ),
        // Statistics of clients, hour by hour; 0: no account, no organisation.
        table(
            "exchange_traffic",
            &[
                ("account organization", Int),
                ("by_key", Bool),
                ("face", Text),
                ("hour", Int),
                ("class", Text),
                ("requests polls not_modified errors limited last_at", Int),
                ("last_error? agent?", Text),
            ],
            "account organization by_key face hour class",
            &["hour"],
        ),
        // How far each client has read each feed: the last place in commit order that was sent to the client.
        table(
            "exchange_readers",
            &[("account organization", Int), ("dataset", Text), ("seq told_at", Int)],
            "account organization dataset",
            &["told_at"],
        ),
        // How often signing in failed, by name, address or device (a digest, or a word), and until when it is not tried.
        table("sign_in_delays", &[("whose", Text), ("failures last_at until", Int)], "whose", &["last_at"]),
        // When sessions were last used.
        table("sign_in_uses", &[("sid", Text), ("account used_at", Int)], "sid", &["account", "used_at"]),
        // Challenges of passkeys (a digest) that were not answered: for whom, what the ceremony has to know, and until
        // when.
        table("sign_in_challenges", &[("challenge whose state", Text), ("until", Int)], "challenge", &["until"]),
    ]
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}
