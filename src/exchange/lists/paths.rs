//! Joins of related records in statements of the exchange.

use model::error::{Error, Result};
use model::registry::{Collection, Field, Registry};
use store::Sql;

/// Joins the collections that a path leads through to the table `t` of a collection, and gives the column at its end.
///
/// # Errors
/// A path that is not declared.
pub(crate) fn located(
    registry: &'static Registry,
    c: &'static Collection,
    path: &[&str],
    sql: &mut Sql,
) -> Result<String> {
    let (mut at, mut alias) = (c, "t".to_owned());
    let (last, steps) = path.split_last().unwrap_or((&"id", &[]));
    for (depth, step) in steps.iter().enumerate() {
        let field = declared(at, step)?;
        let to = field.target().and_then(|target| registry.get(target));
        let to = to.ok_or_else(|| Error::internal(format!("{step} leads nowhere")))?;
        let next = format!("h{depth}");
        sql.push(" JOIN ").name(&to.table).push(&format!(" {next} ON {next}.\"id\" = {alias}.\"{}\"", field.column));
        (at, alias) = (to, next);
    }
    Ok(format!("{alias}.\"{}\"", declared(at, last)?.column))
}

fn declared<'c>(c: &'c Collection, path: &str) -> Result<&'c Field> {
    c.field(path).ok_or_else(|| Error::internal(format!("{} has no {path}", c.slug)))
}
