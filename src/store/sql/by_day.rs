//! Rows as sums count them: where the rows of an animal on one day are one event, it counts once, with each value of
//! the best row that has it.

use crate::{Dialect, Sql, Ty};
use model::registry::Collection;

/// Length of a span, days. Rows of an animal with as many days since the event before them (a calving) are of one day
/// where that event lies in one span: two such events are further apart. Numbers of lactations tell no days apart, since
/// whoever sends one may count otherwise. A day counts twice where its rows have different days of UTC and the event
/// lies at the border of two spans, which is so of one in 200.
const APART: i64 = 200;

/// The query of these values as they count, as columns `v0`, `v1`, …, one row for each event. `rows` is what follows the
/// values in a statement for rows, ` FROM … WHERE …`; the collection is `alias` there.
pub fn by_day(dialect: Dialect, c: &Collection, alias: &str, values: &[String], rows: &Sql) -> Sql {
    let each = |one: &dyn Fn(usize, &str) -> String| {
        let all: Vec<String> = values.iter().enumerate().map(|(at, value)| one(at, value)).collect();
        all.join(", ")
    };
    let mut sql = Sql::new("SELECT ");
    let (Some(best), Some(animal), Some(happens)) = (&c.best_of_day, c.animal, c.happens) else {
        sql.push(&each(&|at, value| format!("{value} AS v{at}"))).append(rows);
        return sql;
    };
    let column = |path: &str| {
        let name = c.field(path).map_or("id", |field| field.column.as_str());
        format!("{alias}.\"{name}\"")
    };
    let (animal, date, since) = (column(animal), column(happens), column(best.since));
    let day = dialect.day_number(&date);
    let begun = format!("CASE WHEN {since} IS NULL THEN {day} ELSE ({day} - {since}) / {APART} END");
    let mut order = Sql::new(&format!("CASE WHEN {} THEN 0", column(best.first)));
    let (source, words) = best.sources;
    for (place, word) in words.iter().enumerate() {
        order.push(&format!(" WHEN {} = ", column(source)));
        order.bind(Ty::Text, *word).push(&format!(" THEN {}", place + 1));
    }
    order.push(&format!(" ELSE {} END, 0", words.len() + 1));
    for content in best.contents {
        order.push(&format!(" + CASE WHEN {} IS NULL THEN 1 ELSE 0 END", column(content)));
    }
    let (code, counts) = (column(best.counts.0), best.counts.1);
    // Of rows that are equally good, the highest value counts.
    sql.push(&each(&|at, _| format!("max(CASE WHEN better{at} = 0 THEN v{at} END) AS v{at}")));
    sql.push(&format!(" FROM (SELECT {animal} AS k0, {since} AS k1, {begun} AS k2, "));
    sql.push(&each(&|at, value| format!("{value} AS v{at}, count({value}) OVER better AS better{at}")));
    sql.append(rows).push(&format!(" AND ({code} IS NULL OR {code} = ")).bind(Ty::Text, counts);
    sql.push(&format!(") WINDOW better AS (PARTITION BY {animal}, {since}, {begun} ORDER BY ")).append(&order);
    sql.push(&format!(", {date} DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) r GROUP BY k0, k1, k2"));
    sql
}
