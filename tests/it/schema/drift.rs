//! A live schema that was altered by hand is reported, and differences that can be removed without loss are removed.

use super::database::{Database, databases};
use super::{awkward, shown};
use store::Dialect;
use store::schema::{Statement, Table, diff, expected, print};

/// One alteration and the words by which it is reported.
struct Drift {
    sqlite: Option<&'static str>,
    postgres: Option<&'static str>,
    words: &'static [&'static str],
    /// Whether the statements that are ready to run undo it.
    mended: bool,
}

fn both(sql: &'static str, words: &'static [&'static str], mended: bool) -> Drift {
    Drift { sqlite: Some(sql), postgres: Some(sql), words, mended }
}

fn sqlite(sql: &'static str, words: &'static [&'static str]) -> Drift {
    Drift { postgres: None, ..both(sql, words, false) }
}

fn postgres(sql: &'static str, words: &'static [&'static str], mended: bool) -> Drift {
    Drift { sqlite: None, ..both(sql, words, mended) }
}

fn tables() -> Vec<Drift> {
    vec![
        both(
            r#"DROP TABLE "order__where""#,
            &[r#"CREATE TABLE "order__where" ("#, r#"CREATE INDEX "order__where_target_owner_idx""#],
            true,
        ),
        both(
            r#"CREATE TABLE by_hand (a bigint, b bigint, PRIMARY KEY (b, a))"#,
            &["-- Table by_hand is not expected; dropping it loses its rows.", r#"-- DROP TABLE "by_hand";"#],
            false,
        ),
        sqlite(
            "DROP TABLE exchange_state; CREATE TABLE exchange_state (name TEXT NOT NULL, value TEXT NOT NULL)",
            &["-- Table exchange_state: the primary key is (), expected (name); the table has to be rebuilt."],
        ),
        postgres(
            "ALTER TABLE exchange_state DROP CONSTRAINT exchange_state_pkey",
            &["-- Table exchange_state: the primary key is (), expected (name); the table has to be rebuilt."],
            false,
        ),
    ]
}

fn columns() -> Vec<Drift> {
    vec![
        both(r#"ALTER TABLE "order" DROP COLUMN "check""#, &[r#"ALTER TABLE "order" ADD COLUMN "check" "#], true),
        both(
            "ALTER TABLE book_ids DROP COLUMN next",
            &["-- Fails while the table has rows", r#"ALTER TABLE "book_ids" ADD COLUMN "next" "#],
            true,
        ),
        both(
            "ALTER TABLE book_ids ADD COLUMN by_hand text",
            &[
                "-- Column book_ids.by_hand is not expected; dropping it loses its values.",
                r#"-- ALTER TABLE "book_ids" DROP COLUMN "by_hand";"#,
            ],
            false,
        ),
        both(
            "ALTER TABLE book_ids ADD COLUMN by_hand text; CREATE INDEX by_hand_idx ON book_ids (by_hand)",
            &["-- Column book_ids.by_hand is not expected", "-- Index by_hand_idx on book_ids is not expected"],
            false,
        ),
        sqlite(
            r#"ALTER TABLE "order" DROP COLUMN "check"; ALTER TABLE "order" ADD COLUMN "check" real"#,
            &["-- Column order.check is REAL, expected TEXT; SQLite cannot alter it: the table has to be rebuilt."],
        ),
        sqlite(
            r#"ALTER TABLE "book_ids" DROP COLUMN "next"; ALTER TABLE "book_ids" ADD COLUMN "next" INTEGER"#,
            &["-- Column book_ids.next is INTEGER, expected INTEGER NOT NULL; SQLite cannot"],
        ),
        sqlite(
            r#"ALTER TABLE "book_ids" ADD COLUMN "twice" AS (next * 2)"#,
            &["-- Column book_ids.twice is not expected"],
        ),
        postgres(
            r#"ALTER TABLE "order" ALTER COLUMN "check" TYPE jsonb"#,
            &[
                "-- Column order.check is jsonb, expected json; values may be changed or refused.",
                r#"-- ALTER TABLE "order" ALTER COLUMN "check" TYPE json USING "check"::json;"#,
            ],
            false,
        ),
        postgres(
            r#"ALTER TABLE "order" ALTER COLUMN "number" DROP NOT NULL, ALTER COLUMN "check" SET NOT NULL"#,
            &[
                r#"ALTER TABLE "order" ALTER COLUMN "number" SET NOT NULL;"#,
                r#"ALTER TABLE "order" ALTER COLUMN "check" DROP NOT NULL;"#,
            ],
            true,
        ),
    ]
}

fn indexes() -> Vec<Drift> {
    vec![
        both(
            "DROP INDEX exchange_documents_dataset_seq_idx",
            &[r#"CREATE INDEX "exchange_documents_dataset_seq_idx" ON "exchange_documents" ("dataset", "seq");"#],
            true,
        ),
        both(
            r#"DROP INDEX order_number_key; CREATE INDEX order_number_key ON "order" ("number" DESC)"#,
            &[
                "-- Index order_number_key is (number (descending)), expected unique (number).",
                r#"-- CREATE UNIQUE INDEX "order_number_key" ON "order" ("number");"#,
            ],
            false,
        ),
        both(
            r#"DROP INDEX order_parent_idx; CREATE INDEX order_parent_idx ON "order" ("parent")"#,
            &[
                "-- Index order_parent_idx is (parent), expected (parent, filled only).",
                r#"-- CREATE INDEX "order_parent_idx" ON "order" ("parent") WHERE "parent" IS NOT NULL;"#,
            ],
            false,
        ),
        both(
            r#"DROP INDEX order_parent_idx;
            CREATE INDEX order_parent_idx ON "order" ("parent") WHERE "select" IS NOT NULL"#,
            &["-- Index order_parent_idx is (parent (special), filled only), expected (parent, filled only)."],
            false,
        ),
        both(
            r#"CREATE INDEX by_hand ON "order" ("number") WHERE "when" IS NOT NULL"#,
            &["-- Index by_hand on order is not expected.", r#"-- DROP INDEX "by_hand";"#],
            false,
        ),
        both(
            r#"CREATE INDEX by_hand ON "order" (abs("number"))"#,
            &["-- Index by_hand on order is not expected."],
            false,
        ),
    ]
}

fn references() -> Vec<Drift> {
    vec![
        sqlite(
            r#"DROP TABLE "order__where"; CREATE TABLE "order__where" (
                "owner" INTEGER NOT NULL REFERENCES "order" ("id"),
                "position" INTEGER NOT NULL,
                "target" INTEGER NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
                PRIMARY KEY ("owner", "position")
            ); CREATE INDEX "order__where_target_owner_idx" ON "order__where" ("target", "owner")"#,
            &[
                "-- Reference order__where.owner to order ON DELETE CASCADE is missing; SQLite cannot",
                "-- Reference order__where.owner to order ON DELETE NO ACTION is not expected; SQLite cannot",
            ],
        ),
        // A column that comes back brings its reference and its index along.
        both(
            r#"DROP INDEX "user_table_idx"; ALTER TABLE "user" RENAME COLUMN "table" TO "gone""#,
            &[r#"ALTER TABLE "user" ADD COLUMN "table" "#, r#"CREATE INDEX "user_table_idx""#],
            false,
        ),
        postgres(
            r#"ALTER TABLE "order" DROP CONSTRAINT "order_parent_fkey", DROP CONSTRAINT "order_group_fkey""#,
            &[
                r#"ADD CONSTRAINT "order_parent_fkey" FOREIGN KEY ("parent") REFERENCES "order" ("id") ON DELETE SET NULL DEFERRABLE"#,
                r#"ADD CONSTRAINT "order_group_fkey" FOREIGN KEY ("group") REFERENCES "user" ("id") ON DELETE NO ACTION DEFERRABLE"#,
            ],
            true,
        ),
        postgres(
            r#"ALTER TABLE "order" DROP CONSTRAINT "order_parent_fkey",
                ADD CONSTRAINT "order_parent_fkey" FOREIGN KEY ("parent") REFERENCES "order" ("id")"#,
            &[
                "-- Reference order.parent to order ON DELETE NO ACTION NOT DEFERRABLE is not expected, \
                 but Reference order.parent to order ON DELETE SET NULL.",
                r#"-- ALTER TABLE "order" DROP CONSTRAINT "order_parent_fkey";"#,
            ],
            false,
        ),
        postgres(
            r#"ALTER TABLE "order" ADD CONSTRAINT "by_hand" FOREIGN KEY ("number") REFERENCES "user" ("id") ON UPDATE CASCADE"#,
            &[r#"-- ALTER TABLE "order" DROP CONSTRAINT "by_hand";"#],
            false,
        ),
    ]
}

fn demanded(dialect: Dialect) -> Vec<Table> {
    expected(&awkward::registry(), dialect).unwrap()
}

async fn difference(database: &Database) -> Vec<Statement> {
    let dialect = database.dialect();
    diff(&demanded(dialect), &database.tables().await, dialect)
}

async fn check_drifts(drifts: Vec<Drift>) {
    for drift in drifts {
        for database in databases().await {
            let dialect = database.dialect();
            let altered = match dialect {
                Dialect::Sqlite => drift.sqlite,
                Dialect::Postgres => drift.postgres,
            };
            let Some(altered) = altered else { continue };
            database.execute(&print(&demanded(dialect), dialect)).await;
            database.execute(altered).await;
            check(&database, altered, &drift).await;
        }
    }
}

async fn check(database: &Database, altered: &str, drift: &Drift) {
    let report = shown(&difference(database).await);
    for words in drift.words {
        assert!(report.contains(words), "{altered}: {words}\n{report}");
    }
    // An operator runs the text as it is printed: comments have no effect.
    database.execute(&report).await;
    let remaining = difference(database).await;
    assert!(remaining.iter().all(|s| s.review_only), "{altered}\n{}", shown(&remaining));
    assert_eq!(remaining.is_empty(), drift.mended, "{altered}\n{}", shown(&remaining));
    // The remaining statements can be run by hand, except for rebuilding a table and for columns
    // that SQLite does not drop.
    let rebuild = remaining.iter().any(|s| s.sql.is_empty());
    let bound = database.dialect() == Dialect::Sqlite && altered.contains("RENAME");
    if !rebuild && !bound {
        let decided: String = remaining.iter().map(|s| format!("{};\n", s.sql)).collect();
        database.execute(&decided).await;
        assert_eq!(shown(&difference(database).await), "", "{altered}");
    }
}

#[tokio::test]
async fn altered_tables_are_told() {
    check_drifts(tables()).await;
}

#[tokio::test]
async fn altered_columns_are_told() {
    check_drifts(columns()).await;
}

#[tokio::test]
async fn altered_indexes_are_told() {
    check_drifts(indexes()).await;
}

#[tokio::test]
async fn altered_references_are_told() {
    check_drifts(references()).await;
}
