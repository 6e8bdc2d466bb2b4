//! `GET /api/<slug>/means`: how a number of many events goes over another one, or over the months (docs/dialect.md,
//! *Means*).

use super::call::{Call, Reply};
use super::reads::read;
use crate::layers::response_cache::cache_marks::Cacheable;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use model::error::Error;
use model::query::qs::Tree;
use ops::MeansAsk;
use serde_json::{Value, json};

/// Width of a bin unless the caller says otherwise.
const WIDTH: u32 = 30;
/// Widest bin.
const WIDEST: u32 = 100_000;

pub(crate) async fn means(Call(app, target, who, _): Call) -> Reply {
    let c = target.collection;
    if c.ui.charts.is_empty() {
        return Err(target.no_route());
    }
    let query = target.tree()?;
    let text = |name: &str| query.get(name).and_then(Tree::as_text).map(str::to_owned);
    let width = match text("width") {
        None => WIDTH,
        Some(text) => {
            let width = text.parse().ok().filter(|width| (1..=WIDEST).contains(width));
            width.ok_or_else(|| target.refuse(Error::Query(vec!["width".to_owned()])))?
        }
    };
    let chart = c.ui.charts.first();
    let value = text("value").or_else(|| chart.map(|chart| chart.value.to_owned()));
    let by = text("by").or_else(|| c.happens.map(str::to_owned));
    let (value, by) = (value.unwrap_or_default(), by.unwrap_or_default());
    let filter = target.ok(read::filter(&query))?;
    let ask = MeansAsk { value: &value, by: &by, width };
    let means = app.book.means(&who.principal, c, filter.as_ref(), ask).await;
    let means = target.ok(means)?;
    let monthly = c.happens == Some(by.as_str());
    let point = |mean: ops::Mean| {
        let from = match monthly {
            true => Value::from(mean.from),
            false => Value::from(mean.from.parse::<i64>().unwrap_or_default()),
        };
        json!({"from": from, "n": mean.n, "mean": mean.mean})
    };
    let points: Vec<Value> = means.into_iter().map(point).collect();
    let width = match monthly {
        true => Value::from("month"),
        false => Value::from(width),
    };
    let answer = json!({"value": value, "by": by, "width": width, "points": points});
    Ok((Extension(Cacheable), Json(answer)).into_response())
}
