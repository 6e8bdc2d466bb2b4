//! What a package brought that is replaced is taken back, by the rights of whoever sends the new one
//! (docs/packages.md, *Replacing*).

use crate::piece::Seen;
use domain::collections::packages::{self, Brought, OpenPackage};
use model::error::Result;
use model::record::Value;
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{Collection, Principal};
use ops::{Item, Outcome, Work};
use std::sync::Arc;

/// Rows of the former package that are looked at together.
const STEP: i64 = 2_000;

/// Takes back what the next rows of the former package brought, behind a position, and this one does not have; the last
/// position, none at the end. `seen` are the records of this one.
pub(crate) async fn take_back(
    work: &mut Work<'_>,
    package: &OpenPackage,
    caller: &Arc<Principal>,
    seen: &Seen,
    behind: i64,
) -> Result<Option<i64>> {
    let Some(former) = package.replaces else {
        return Ok(None);
    };
    let Some((last, all)) = packages::brought(work, former, behind, STEP).await? else {
        return Ok(None);
    };
    let mut removed = 0;
    for Brought {
        collection: c,
        made,
        changed,
    } in all
    {
        let items = made.into_iter().map(Item::delete).collect();
        let outcomes = work.write(c, caller, items).await?;
        let gone = |outcome: &&Outcome| matches!(outcome, Outcome::Done(..));
        removed += outcomes.iter().filter(gone).count();
        let others = changed
            .into_iter()
            .filter(|(id, _)| c.slot(PACKAGE_OF_ROW).is_some() || is_missing(c, *id, seen));
        let items = others
            .map(|(id, values)| went_back(c, id, values))
            .collect();
        // What is refused stays as it is: the book has reasons that the package does not know.
        work.write(c, caller, items).await?;
    }
    packages::removed(work, package.id, removed).await?;
    Ok(Some(last))
}

/// Whether the new package surely has no row about a record.
fn is_missing(c: &Collection, id: i64, seen: &Seen) -> bool {
    !seen.get(c.slug).is_some_and(|ids| ids.contains(id))
}

fn went_back(c: &Collection, id: i64, values: Vec<(usize, Value)>) -> Item {
    let own = c.slot(PACKAGE_OF_ROW);
    let (server, body) = values.into_iter().partition(|(slot, _)| Some(*slot) == own);
    Item::update(id, body).with_server(server)
}
