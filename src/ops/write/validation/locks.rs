//! Fields that farms do not change any more: filled identity fields of trusted or registered rows
//! (docs/design/access.md, *Writing*).

use model::record::Record;
use model::registry::{Caller, Collection, Principal};

/// The trust level of a row, and the state of its registration.
pub const LOCKED_BY: [&str; 2] = ["trustLevel", "registration.status"];

/// The level from which on identity fields are locked.
const TRUSTED: i64 = 2;

/// The slots that this caller may not change in a row, of which [`LOCKED_BY`] and the fields in question were read.
pub fn locked_slots<'c>(c: &'c Collection, caller: &Principal, row: &'c Record) -> impl Iterator<Item = usize> + 'c {
    let [trust, status] = LOCKED_BY.map(|path| c.at(path));
    let closed = caller.caller == Caller::Farm
        && (row.get(trust).int().unwrap_or(0) >= TRUSTED || row.get(status).text() == Some("registered"));
    let fields = c.fields.iter().enumerate().filter(move |_| closed);
    fields.filter(|(slot, field)| field.locked && !row.get(*slot).is_null()).map(|(slot, _)| slot)
}
