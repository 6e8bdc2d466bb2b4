//! Declarations chosen to be hard: reserved words, long names, cycles, lists.

use super::database::{Database, databases};
use super::shown;
use model::registry::{Access, Collection, Registry, Rule, instant, int, json, number, relation, relations, text};
use store::Dialect;
use store::schema::{diff, expected, index_name, print, unique_name};

const LONG: &str = "aLongNameOfAFieldThatFillsAnIdentifierNearlyWhole";

fn access() -> Access {
    Access::read(Rule::Any)
}

/// Two collections that point to each other, one of them to itself and through lists.
pub(super) fn registry() -> Registry {
    let order = Collection::new(
        "order",
        access(),
        vec![
            int("number").required().unique().into(),
            relation("group", "user").required().into(),
            relation("parent", "order").into(),
            relation("select", "order").cascade().into(),
            relations("where", "user").into(),
            text(LONG).indexed().into(),
            number("primary").into(),
            json("check").into(),
            instant("when").indexed().into(),
        ],
    )
    .unique(&["group", "when", "primary"])
    .index(&[LONG, "when"])
    .index(&["when", LONG]);
    let user = Collection::new(
        "user",
        access(),
        vec![relation("table", "order").into(), relations("references", "order").required().into()],
    );
    Registry::build(vec![order, user]).unwrap()
}

#[test_each(databases())]
async fn hard_declarations_are_created_as_declared(database: Database) {
    let dialect = database.dialect();
    let tables = expected(&registry(), dialect).unwrap();
    database.execute(&print(&tables, dialect)).await;
    let remaining = diff(&tables, &database.tables().await, dialect);
    assert_eq!(shown(&remaining), "");
}

#[test]
fn each_rule_of_the_declaration_has_its_index() {
    let tables = expected(&registry(), Dialect::Postgres).unwrap();
    let order = tables.iter().find(|t| t.name == "order").unwrap();
    let mut names: Vec<_> = order.indexes.iter().map(|i| i.name.as_str()).collect();
    names.sort_unstable();
    let long = "a_long_name_of_a_field_that_fills_an_identifier_nearly_whole";
    assert_eq!(long.len(), 60);
    // Neither `group` nor `when` nor the long one alone: longer keys begin with them.
    let mut declared = vec![
        unique_name("order", &["number"]),
        unique_name("order", &["group", "when", "primary"]),
        index_name("order", &["parent"]),
        index_name("order", &["select"]),
        index_name("order", &[long, "when"]),
        index_name("order", &["when", long]),
        index_name("order", &["updated_at"]),
        index_name("order", &["created_at"]),
    ];
    declared.sort_unstable();
    assert_eq!(names, declared);
    assert!(names.iter().all(|n| n.len() <= 63));
}

/// The effects of a deletion on the rows that point to the deleted one.
#[test_each(databases())]
async fn deletion_follows_the_marks(database: Database) {
    let dialect = database.dialect();
    let tables = expected(&registry(), dialect).unwrap();
    database.execute(&print(&tables, dialect)).await;
    let now = match dialect {
        Dialect::Sqlite => "1",
        Dialect::Postgres => "now()",
    };
    let user = |id: i64, table: &str| {
        format!(
            "INSERT INTO \"user\" (\"id\", \"table\", \"seq\", \"updated_at\", \"created_at\") VALUES ({id}, {table}, 1, {now}, {now});"
        )
    };
    let order = |id: i64, number: &str, parent: &str, select: &str| {
        format!(
            "INSERT INTO \"order\" (\"id\", \"number\", \"group\", \"parent\", \"select\", \"seq\", \"updated_at\", \"created_at\") VALUES ({id}, {number}, 1, {parent}, {select}, 1, {now}, {now});"
        )
    };
    database.execute(&(user(1, "NULL") + &user(2, "NULL"))).await;
    database
        .execute(
            &(order(1, "10", "1", "NULL")
                + &order(2, "11", "1", "NULL")
                + &order(3, "12", "NULL", "1")
                + &order(4, "13", "NULL", "3")),
        )
        .await;
    // The keys (group, when, primary) of these four are empty in part and do not count.
    for bad in [
        order(5, "10", "NULL", "NULL"),
        order(5, "NULL", "NULL", "NULL"),
        order(5, "14", "99", "NULL"),
        "DELETE FROM \"user\" WHERE \"id\" = 1".to_owned(),
    ] {
        assert!(database.attempt(&bad).await.is_err(), "{dialect:?}: {bad}");
    }
    database
        .execute(
            "UPDATE \"user\" SET \"table\" = 1 WHERE \"id\" = 2;
                INSERT INTO \"order__where\" (\"owner\", \"position\", \"target\") VALUES (1, 0, 2), (2, 0, 2), (2, 1, 1);
                DELETE FROM \"order\" WHERE \"id\" = 1;",
        )
        .await;
    for (query, answer) in [
        // `select` cascades, twice over; `parent` and `table` become empty.
        ("SELECT sum(\"id\")::bigint FROM \"order\"", 2),
        ("SELECT count(*) FROM \"order\" WHERE \"parent\" IS NULL", 1),
        ("SELECT count(*) FROM \"user\" WHERE \"table\" IS NULL", 2),
        ("SELECT count(*) FROM \"order__where\"", 2),
    ] {
        let query = match dialect {
            Dialect::Sqlite => query.replace("::bigint", ""),
            Dialect::Postgres => query.to_owned(),
        };
        assert_eq!(database.number(&query).await, answer, "{dialect:?}: {query}");
    }
    // A place in a list is deleted with the row that it points to.
    database.execute("DELETE FROM \"user\" WHERE \"id\" = 2").await;
    assert_eq!(database.number("SELECT count(*) FROM \"order__where\"").await, 1);
}

#[test]
fn what_no_table_can_carry_is_listed_at_once() {
    let list = Collection::new(
        "lists",
        access(),
        vec![relations("many", "lists").into(), json("free").indexed().into(), text(&"n".repeat(64)).into()],
    )
    .unique(&["many", "free"])
    .trigram(&["free"]);
    let twin = Collection::new("lists--many", access(), Vec::new());
    let registry = Registry::build(vec![list, twin]).unwrap();
    let issues = expected(&registry, Dialect::Sqlite).unwrap_err();
    let mut found: Vec<_> = (issues.iter()).map(|i| (i.path.as_str(), i.code.as_ref())).collect();
    found.sort_unstable();
    let long = format!("lists.{}", "n".repeat(64));
    assert_eq!(
        found,
        [
            ("lists.free", "cannot-be-indexed"),
            ("lists.free", "cannot-be-indexed"),
            ("lists.free", "cannot-be-indexed"),
            ("lists.many", "cannot-be-indexed"),
            (long.as_str(), "name-too-long"),
            ("lists__many", "declared-twice"),
        ]
    );
}
