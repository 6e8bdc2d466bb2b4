//! Triggers that count the rows of a table by owner and openness (docs/design/reading.md), whoever writes
//! them. Transactions that write follow one another, so that counts are no place of contention.

use super::Trigger;
use super::name::quoted;
use crate::Dialect;
use model::registry::Collection;

pub const ROW_COUNTS: &str = "row_counts";

/// The triggers of a collection whose readers its columns tell, and the statements that count its rows anew.
pub(super) fn triggers(c: &Collection, dialect: Dialect) -> (Vec<Trigger>, Vec<String>) {
    let Some(slots) = c.reader_slots() else {
        return Default::default();
    };
    let columns = slots.map(|slot| quoted(c.fields.get(slot).map_or("id", |field| &field.column)));
    let triggers = match dialect {
        Dialect::Sqlite => each_row(&c.table, &columns),
        Dialect::Postgres => each_statement(&c.table, &columns),
    };
    let forget = format!("DELETE FROM {ROW_COUNTS} WHERE \"table_name\" = '{}'", c.table);
    let none = if dialect == Dialect::Sqlite { "0" } else { "FALSE" };
    let [owner, visible, details] = &columns;
    let groups = format!(
        "coalesce({owner}, 0), coalesce({visible}, {none}), coalesce({details}, {none}), count(*) FROM {} \
         WHERE TRUE GROUP BY 2, 3, 4",
        quoted(&c.table)
    );
    (triggers, vec![forget, add(&c.table, &groups)])
}

/// Adds to the counts what `rows` has: owner, openness, number.
fn add(table: &str, rows: &str) -> String {
    format!(
        "INSERT INTO {ROW_COUNTS} (\"table_name\", \"owner\", \"visible\", \"details\", \"total\") \
         SELECT '{table}', {rows} \
         ON CONFLICT (\"table_name\", \"visible\", \"details\", \"owner\") \
         DO UPDATE SET \"total\" = {ROW_COUNTS}.\"total\" + excluded.\"total\""
    )
}

fn each_row(table: &str, columns: &[String; 3]) -> Vec<Trigger> {
    let [owner, visible, details] = columns;
    let count = |row: &str, by: i8| {
        let values = columns.each_ref().map(|column| format!("coalesce({row}.{column}, 0)"));
        // A condition distinguishes the clause of the conflict from one of a join.
        format!("    {};\n", add(table, &format!("{}, {by} WHERE TRUE", values.join(", "))))
    };
    let trigger = |event: &str, when: &str, counts: String| {
        let word = event.split(' ').next().unwrap_or_default().to_lowercase();
        let name = format!("{table}_count_{word}");
        let (quoted_name, table) = (quoted(&name), quoted(table));
        let sql = format!("CREATE TRIGGER {quoted_name} AFTER {event} ON {table} {when}BEGIN\n{counts}END");
        Trigger { name, sql }
    };
    let changed = columns.each_ref().map(|column| format!("old.{column} IS NOT new.{column}")).join(" OR ");
    vec![
        trigger("INSERT", "", count("new", 1)),
        trigger("DELETE", "", count("old", -1)),
        trigger(
            &format!("UPDATE OF {owner}, {visible}, {details}"),
            &format!("WHEN {changed} "),
            count("old", -1) + &count("new", 1),
        ),
    ]
}

/// A trigger for each row would write a count as often, and each time look through its former states.
fn each_statement(table: &str, columns: &[String; 3]) -> Vec<Trigger> {
    let [owner, visible, details] = columns;
    let rows = |of: &str, by: i8| format!("SELECT {owner} AS o, {visible} AS v, {details} AS d, {by} AS n FROM {of}");
    let trigger = |event: &str, transition: &str, rows: String| {
        let plain = format!("{table}_count_{}", event.to_lowercase());
        let name = quoted(&plain);
        let sum = format!(
            "coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM ({rows}) AS r \
             GROUP BY 2, 3, 4 HAVING sum(n) <> 0"
        );
        let sql = format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n    {};\n    RETURN NULL;\nEND $$;\n\
             CREATE TRIGGER {name} AFTER {event} ON {} REFERENCING {transition} FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
            add(table, &sum),
            quoted(table)
        );
        Trigger { name: plain, sql }
    };
    let (added, removed) = ("NEW TABLE AS added", "OLD TABLE AS removed");
    vec![
        trigger("INSERT", added, rows("added", 1)),
        trigger("DELETE", removed, rows("removed", -1)),
        trigger(
            "UPDATE",
            &format!("{added} {removed}"),
            format!("{} UNION ALL {}", rows("added", 1), rows("removed", -1)),
        ),
    ]
}
