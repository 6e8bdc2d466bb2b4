//! States that follow from a relation of a row of a file (docs/import.md, *Animals that left*).

use super::references::{Resolved, at, put};
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, Field, ID, Lookup};
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Gives rows that do not say their state the one that their reason has, if they have a day.
pub(super) async fn follow_reasons(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    rows: &mut [Resolved],
) -> Result<()> {
    let Some(by) = c.naming.state_by else { return Ok(()) };
    let open = |row: &Resolved| match at(&row.body, by.state) {
        None => at(&row.body, by.reason).and_then(Json::as_i64),
        Some(_) => None,
    };
    let reasons: BTreeSet<i64> = rows.iter().filter_map(open).collect();
    let Some(target) = c.field(by.reason).and_then(Field::target).filter(|_| !reasons.is_empty()) else {
        return Ok(());
    };
    let Some(slot) = work.collection(target)?.slot(by.state) else { return Ok(()) };
    let records = work.find(target, Lookup::by_ids("id", reasons).fields(&[by.state])).await?;
    let state = |row: &Record| Some((row.get(ID).int()?, row.get(slot).text()?.to_owned()));
    let states: BTreeMap<i64, String> = records.iter().filter_map(state).collect();
    for row in rows {
        let Some(reason) = open(row) else { continue };
        let dated = at(&row.body, by.day).is_some_and(|day| !day.is_null());
        match states.get(&reason) {
            Some(state) if dated => put(&mut row.body, by.state, Json::from(state.as_str())),
            Some(_) => {}
            None => {
                let message = "The reason does not say the state: send the state too.";
                row.issues.push(Issue::error(by.reason, "required", message));
            }
        }
    }
    Ok(())
}

/// The fault of a row with a reason and without its day, where the book has the state that rows begin with.
pub(super) fn undated(c: &Collection, old: Option<&Record>, body: &[(usize, Value)]) -> Option<Issue> {
    let by = c.naming.state_by?;
    let [state, reason, day] = [by.state, by.reason, by.day].map(|path| c.slot(path));
    let state = state?;
    let stated = |slot: usize| body.iter().any(|(at, value)| *at == slot && !value.is_null());
    let first = c.fields.get(state).and_then(|field| field.default.as_ref());
    let begins = old.is_none_or(|old| Some(old.get(state)) == first);
    if !begins || stated(day?) {
        return None;
    }
    // The book would take the present day, which a file does not say.
    let mut states = body.iter().filter(|(at, _)| *at == state);
    if states.any(|(_, value)| !value.is_null() && Some(value) != first) {
        return Some(Issue::error(by.day, "required", "This state needs the day since when it is so."));
    }
    let lacks = stated(reason?) && !stated(state);
    lacks.then(|| Issue::error(by.day, "required", "A reason needs its day."))
}
