//! Unrecognised columns of uploaded files: the Association decides what they mean.

use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::collections::verification::pending::{pending, sightings, stamp, status};
use crate::collections::verification::submissions::intake;
use crate::collections::verification::submissions::mapping::is_field;
use model::registry::{Collection, Wording, fields, text, text_n};

pub(crate) fn pending_columns() -> Collection {
    let mut fields = fields![
        text("title").required() => "Header as it was written.",
        text("normalized").required().unique().indexed()
            => "Normalised header, by which headers are compared; one row for all farms.",
        text_n("dataset", 20).wording(Wording::Set) => "Data set of the file.",
        status(),
        text_n("mapsTo", 60).wording(Wording::PathInSet("dataset")) => "Field that it means.",
    ];
    fields.extend(sightings("How many rows had a value in it.", "Some of the values."));
    let accepted = "Further uploads recognise the header.";
    pending("pending-columns", fields, &["mapsTo"], accepted, Behaviour)
        .singular("Unrecognised Column")
        .doc("Columns of uploaded files that are not recognised.")
}

slots!(Slots of "pending-columns" {
    dataset, status, maps_to: "mapsTo", first: "firstSeenAt", last: "lastSeenAt", submissions,
});

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        for draft in written(drafts) {
            stamp(draft, [s.first, s.last], now);
            let path = draft.new.get(s.maps_to).text().unwrap_or_default().to_owned();
            let accepted = draft.new.get(s.status).text() == Some("accepted");
            let set = draft.new.get(s.dataset).text().unwrap_or_default().to_owned();
            let registry = crate::collections::registry()?;
            let moved = draft.changes(s.status);
            // The move itself says so.
            let lacks = moved && path.trim().is_empty();
            if accepted && !lacks && (moved || draft.changes(s.maps_to))
                && !is_field(registry, Some(set.as_str()).filter(|set| !set.is_empty()), &path)
            {
                let message = "The set of the column has no such field.";
                draft.fault("mapsTo", "no-such-field", message);
            }
        }
        Ok(())
    }
    effects(context, changes) {
        let s = Slots::get();
        let decided = changes.iter().filter_map(|change| {
            let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
            (old.get(s.status) != new.get(s.status)).then_some(new)
        });
        let again = decided.flat_map(|row| row.get(s.submissions).ids().to_vec()).collect();
        intake::read_again(context, again).await
    }
});
