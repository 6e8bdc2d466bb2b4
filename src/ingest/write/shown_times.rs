//! Times of files that have no offset: the clock of the place shows them (docs/derived.md, *Days*).

use super::references::{Resolved, at, put};
use domain::collections::packages;
use model::error::Result;
use model::record::{Record, Value, time};
use model::registry::{Collection, Kind};
use ops::{WriteTransaction, parse_body};
use serde_json::Value as Json;

/// Puts instants for such times. What no clock shows once stays as it is, and the reader of bodies refuses it.
pub(super) async fn put_instants(
    work: &mut WriteTransaction<'_>,
    c: &'static Collection,
    rows: &mut [Resolved],
) -> Result<()> {
    for (slot, field) in c.fields.iter().enumerate().filter(|(_, field)| field.kind == Kind::Instant) {
        let shown = |row: &Resolved| time::parse(&format!("{}Z", at(&row.body, &field.path)?.as_str()?));
        let mut local: Vec<&mut Resolved> = rows.iter_mut().filter(|row| shown(row).is_some()).collect();
        if local.is_empty() {
            continue;
        }
        let record = |row: &&mut Resolved| {
            let mut record = Record::empty(c.width());
            let (values, _) = parse_body(c, &row.body, None);
            values.into_iter().for_each(|(slot, value)| record.set(slot, value));
            record.set(slot, shown(row).map_or(Value::Null, Value::Time));
            record
        };
        let instants = packages::shown_times(work, c.slug, slot, local.iter().map(record).collect()).await?;
        for (row, instant) in local.iter_mut().zip(instants) {
            if let Some(instant) = instant {
                put(&mut row.body, &field.path, Json::from(time::to_iso(instant)));
            }
        }
    }
    Ok(())
}
