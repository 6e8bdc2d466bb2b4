//! Statistics of a location: one aggregating statement for the herd and one for each way of grouping, regardless of the
//! number of rows. They are not stored as documents, since they cover any period that is requested.

use crate::lists::Lists;
use crate::lists::paths::located;
use mapping::{AGGREGATIONS, Classes, Figures, Statistics, WHOLE};
use model::error::{Error, Result};
use model::record::{Value, time};
use model::registry::Collection;
use serde_json::{Map, Value as Json, json};
use store::{Dialect, Row, Sql, Store, Ty, by_day};

#[derive(Debug, Clone, Copy)]
pub struct Period {
    pub location: i64,
    /// First day, epoch milliseconds.
    pub from: i64,
    /// Last day, epoch milliseconds.
    pub to: i64,
    /// The time of the query, epoch milliseconds.
    pub now: i64,
}

/// A day, milliseconds.
const DAY: i64 = 86_400_000;

impl Lists {
    /// The document of a purpose and time.
    pub async fn statistics(
        &self,
        store: &Store,
        statistics: &Statistics,
        figures: &Figures,
        period: Period,
    ) -> Result<String> {
        let c = (self.rules.registry().get(figures.collection))
            .ok_or_else(|| Error::internal(format!("no collection {}", figures.collection)))?;
        let dialect = store.dialect();
        let herd = store.rows(self.aggregate(dialect, c, figures, None, period)?).await?;
        let mut groups: Vec<Json> = (herd.iter()).map(|row| group(statistics, figures, WHOLE, row, None)).collect();
        for classes in figures.classes {
            for row in store.rows(self.aggregate(dialect, c, figures, Some(classes), period)?).await? {
                let specifier = specifier(classes, row.int(0).unwrap_or_default());
                groups.push(group(statistics, figures, classes.name, &row, Some(specifier)));
            }
        }
        let [from, to] = [period.from, period.to].map(day);
        let key = format!("{}:{}:{from}:{to}", period.location, figures.name);
        let dataset = statistics.dataset();
        let document = json!({
            "resourceType": statistics.resource(),
            "meta": {
                "source": statistics.source(),
                "sourceId": format!("{dataset}:{key}"),
                "modified": ade::time::format(period.now),
            },
            "location": {
                "id": period.location.to_string(),
                "scheme": statistics.location_scheme(),
            },
            "id": key,
            "purpose": figures.name,
            "dateFrom": from,
            "dateTo": to,
            "group": groups,
        });
        Ok(document.to_string())
    }

    /// Class, number of events, then mean, sum and count of each metric.
    fn aggregate(
        &self,
        dialect: Dialect,
        c: &'static Collection,
        figures: &Figures,
        classes: Option<&Classes>,
        period: Period,
    ) -> Result<Sql> {
        let column = |path: &str| {
            let missing = || Error::internal(format!("{} has no {path}", c.slug));
            c.field(path).map(|f| format!("t.\"{}\"", f.column)).ok_or_else(missing)
        };
        let mut rows = Sql::new(" FROM ");
        rows.name(&c.table).push(" t");
        let owner = located(self.rules.registry(), c, figures.location, &mut rows)?;
        rows.push(&format!(" WHERE {owner} = ")).bind(Ty::Int, period.location);
        let event = column(figures.event)?;
        rows.push(&format!(" AND {event} >= ")).bind(Ty::Time, Value::Time(period.from));
        rows.push(&format!(" AND {event} < ")).bind(Ty::Time, Value::Time(period.to.saturating_add(DAY)));
        let values = figures.metrics.iter().map(|metric| metric.field).chain(classes.map(|classes| classes.field));
        let values: Vec<String> = values.map(column).collect::<Result<_>>()?;
        let of_class = format!("v{}", figures.metrics.len());
        let mut sql = Sql::new("SELECT ");
        match classes {
            None => sql.push("0"),
            Some(classes) => sql.push(&class(classes, &of_class)),
        };
        sql.push(", count(*)");
        for at in 0..figures.metrics.len() {
            let value = format!("CAST(v{at} AS double precision)");
            sql.push(&format!(", avg({value}), sum({value}), count({value})"));
        }
        sql.push(" FROM (").append(&by_day(dialect, c, "t", &values, &rows)).push(") d");
        if let Some(classes) = classes {
            let least = classes.from.first().copied().unwrap_or_default();
            sql.push(&format!(" WHERE {of_class} >= {least} GROUP BY 1 ORDER BY 1"));
        }
        Ok(sql)
    }
}

/// The number of the class of a value.
fn class(classes: &Classes, column: &str) -> String {
    let mut sql = String::from("CASE");
    for (at, from) in classes.from.iter().enumerate().rev() {
        sql.push_str(&format!(" WHEN {column} >= {from} THEN {at}"));
    }
    sql.push_str(" END");
    sql
}

fn specifier(classes: &Classes, at: i64) -> Json {
    let at = usize::try_from(at).unwrap_or_default();
    let [least, most] = classes.range;
    let mut range = Map::new();
    if let Some(from) = classes.from.get(at) {
        range.insert(least.to_owned(), json!(from));
    }
    if let Some(next) = classes.from.get(at + 1) {
        range.insert(most.to_owned(), json!(next - 1));
    }
    Json::Object(range)
}

fn group(statistics: &Statistics, figures: &Figures, name: &str, row: &Row, specifier: Option<Json>) -> Json {
    let mut list = Vec::new();
    for (i, metric) in figures.metrics.iter().enumerate() {
        let at = 2 + 3 * i;
        let count = row.int(at + 2).unwrap_or_default();
        let values =
            [row.num(at).map(|n| json!(rounded(n))), row.num(at + 1).map(|n| json!(rounded(n))), Some(json!(count))];
        for (aggregation, value) in AGGREGATIONS.iter().zip(values) {
            let Some(value) = value.filter(|_| count > 0) else { continue };
            let counted = *aggregation == COUNT;
            list.push(json!({
                "metric": {"id": metric.field, "scheme": statistics.metric_scheme()},
                "unit": if counted { PIECES } else { metric.unit },
                "aggregation": aggregation,
                "value": value,
            }));
        }
    }
    let mut group = json!({
        "icarGroupType": name,
        "denominator": row.int(1).unwrap_or_default(),
        "statistics": list,
    });
    if let (Some(specifier), Some(group)) = (specifier, group.as_object_mut()) {
        group.insert("icarGroupSpecifier".to_owned(), json!([specifier]));
    }
    group
}

/// The aggregation that has no unit of the metric.
const COUNT: &str = "Count";
/// Pieces (UN/CEFACT).
const PIECES: &str = "C62";

/// Two decimals: more would be noise of the summation.
fn rounded(n: f64) -> f64 {
    (n * 100.0).round() / 100.0
}

fn day(at: i64) -> String {
    time::to_iso(at).chars().take(10).collect()
}
