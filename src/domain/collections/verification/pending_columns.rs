//! Unrecognised columns of uploaded files: the Association decides what they mean.

use crate::collections::dictionaries::lookups::written;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::collections::verification::submissions::intake;
use crate::collections::verification::submissions::mapping::is_field;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    Access, BookReader, Class, Collection, Command, Doer, HookContext, ID, Lookup, Move, Rule, Set,
    States, Verb, Who, Wording, fields, group, instant, int, json, long_text, normal, relation,
    relations, select, text, text_n,
};
use serde_json::json;
use std::collections::BTreeMap;

/// The collection.
pub(crate) fn pending_columns() -> Collection {
    let access = Access::read(Rule::Assoc)
        .create(Rule::Admin)
        .update(Rule::Assoc)
        .delete(Rule::Admin);
    let fields = fields![
        relation("ownerOrg", "organizations").server() => "Organisation whose file had it first.",
        text("title").required() => "Header as it was written.",
        text("normalized").required().unique().indexed()
            => "Normalised header, by which headers are compared; one row for all farms.",
        text_n("dataset", 20).wording(Wording::Set) => "Data set of the file.",
        select("status", "new|accepted|declined|duplicate").default("new").indexed()
            => "What the Association decided.",
        text_n("mapsTo", 60).wording(Wording::PathInSet("dataset")) => "Field that it means.",
        group("decision", fields![
            long_text("comment") => "Remark on the decision.",
            relation("decidedBy", "users").server() => "User who decided.",
            instant("decidedAt").server(),
        ]),
        int("seenTimes").counted().default(1) => "In how many files it was seen.",
        int("rowsWithValue").counted() => "How many rows had a value in it.",
        instant("firstSeenAt").server(),
        instant("lastSeenAt").server().indexed(),
        json("samples").bytes(JSON_BYTES) => "Some of the values.",
        relations("organizations", "organizations") => "Organisations whose files had it.",
        relations("submissions", "data-submissions").server().class(Class::Hidden)
            => "Packages that are read again when it is decided.",
    ];
    Collection::new("pending-columns", access, fields)
        .singular("Unrecognised Column")
        .states(steps())
        .waits(Doer::Association, "status", &["new"])
        .hooks(Behaviour)
        .doc("Columns of uploaded files that are not recognised.")
}

fn steps() -> States {
    let decided = |to| {
        Move::new(&["new"], to)
            .by(Who::Association)
            .set("decision.decidedBy", Set::Me)
            .set("decision.decidedAt", Set::Now)
    };
    States::of("status")
        .with(
            decided("accepted")
                .needs(&["mapsTo"])
                .doc("Further uploads recognise the header."),
        )
        .with(decided("declined"))
        .with(decided("duplicate"))
}

slots!(
    /// Slots of `pending-columns`.
    Slots of "pending-columns" {
        normalized: "normalized", dataset: "dataset", status: "status", maps_to: "mapsTo", first: "firstSeenAt",
        last: "lastSeenAt", times: "seenTimes", rows: "rowsWithValue", samples: "samples",
        organizations: "organizations", submissions: "submissions",
    }
);

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        for draft in written(drafts) {
            if draft.verb == Verb::Create {
                for slot in [s.first, s.last] {
                    if draft.new.get(slot).is_null() {
                        draft.new.set(slot, Value::Time(now));
                    }
                }
            }
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

/// What the Association decided about headers: by normalised header the path, with the set that it is for; none: the
/// column is left out.
///
/// # Errors
/// The errors of the reader.
pub async fn column_decisions(
    context: &mut dyn BookReader,
) -> Result<BTreeMap<String, Option<(String, String)>>> {
    let s = Slots::get();
    let lookup = Lookup::default()
        .is_in("status", vec!["accepted".into(), "declined".into()])
        .fields(&["normalized", "dataset", "status", "mapsTo"]);
    let rows = context.find("pending-columns", lookup).await?;
    let text = |row: &Record, slot: usize| row.get(slot).text().unwrap_or_default().to_owned();
    let decided = rows.iter().filter_map(|row| {
        let accepted = row.get(s.status).text() == Some("accepted");
        let path = text(row, s.maps_to);
        // Older books have some that were accepted without a field: they mean nothing yet.
        let means = match (accepted, path.is_empty()) {
            (true, true) => return None,
            (true, false) => Some((text(row, s.dataset), path)),
            (false, _) => None,
        };
        Some((text(row, s.normalized), means))
    });
    Ok(decided.collect())
}

/// A column of a file that is not recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownColumn {
    /// Its header.
    pub title: String,
    /// The set of the table.
    pub dataset: &'static str,
    /// Rows with a value in it.
    pub rows: i64,
    /// Some of the values.
    pub samples: Vec<String>,
}

/// Values that are stored of a column.
const SAMPLES: usize = 10;
/// Packages of a column that are read again.
const PACKAGES: usize = 1_000;

/// Notes unknown columns of a package: one row for each header of all farms.
///
/// # Errors
/// The errors of the context.
pub async fn saw_columns(
    context: &mut dyn HookContext,
    package: &intake::OpenPackage,
    columns: Vec<UnknownColumn>,
) -> Result<()> {
    let (s, now) = (Slots::get(), context.now());
    let mut open: BTreeMap<String, UnknownColumn> = BTreeMap::new();
    for column in columns {
        open.entry(normal(&column.title)).or_insert(column);
    }
    open.retain(|name, _| !name.is_empty());
    let names: Vec<Value> = open.keys().map(|name| name.as_str().into()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let rows = context
        .find(
            "pending-columns",
            Lookup::default().is_in("normalized", names),
        )
        .await?;
    let joined = |row: Option<&Record>, slot: usize, id: i64, most: usize| {
        let mut ids = row.map_or_else(Vec::new, |row| row.get(slot).ids().to_vec());
        if !ids.contains(&id) && ids.len() < most {
            ids.push(id);
        }
        Value::Ids(ids)
    };
    let mut commands = Vec::new();
    for row in &rows {
        let Some(column) = row
            .get(s.normalized)
            .text()
            .and_then(|name| open.remove(name))
        else {
            continue;
        };
        let Some(id) = row.get(ID).int() else {
            continue;
        };
        let number = |slot: usize, more: i64| {
            Value::Int(row.get(slot).int().unwrap_or_default().saturating_add(more))
        };
        let mut samples: Vec<String> = (row
            .get(s.samples)
            .as_json()
            .and_then(|j| j.as_array())
            .into_iter())
        .flatten()
        .filter_map(|sample| sample.as_str().map(str::to_owned))
        .collect();
        for sample in column.samples {
            if !samples.contains(&sample) && samples.len() < SAMPLES {
                samples.push(sample);
            }
        }
        let mut fields = vec![
            ("lastSeenAt".to_owned(), Value::Time(now)),
            ("samples".to_owned(), Value::json(json!(samples))),
            (
                "organizations".to_owned(),
                joined(Some(row), s.organizations, package.organization, PACKAGES),
            ),
            (
                "submissions".to_owned(),
                joined(Some(row), s.submissions, package.id, PACKAGES),
            ),
        ];
        if !package.again {
            fields.push(("seenTimes".to_owned(), number(s.times, 1)));
            fields.push(("rowsWithValue".to_owned(), number(s.rows, column.rows)));
        }
        commands.push(Command::Update(id, fields));
    }
    for (name, column) in open {
        let title: String = column.title.chars().take(255).collect();
        let samples: Vec<&String> = column.samples.iter().take(SAMPLES).collect();
        commands.push(Command::Create(vec![
            ("title".to_owned(), title.into()),
            (
                "normalized".to_owned(),
                name.chars().take(255).collect::<String>().into(),
            ),
            ("dataset".to_owned(), column.dataset.into()),
            ("ownerOrg".to_owned(), Value::Int(package.organization)),
            ("rowsWithValue".to_owned(), Value::Int(column.rows)),
            ("samples".to_owned(), Value::json(json!(samples))),
            (
                "organizations".to_owned(),
                joined(None, 0, package.organization, PACKAGES),
            ),
            (
                "submissions".to_owned(),
                joined(None, 0, package.id, PACKAGES),
            ),
        ]));
    }
    context.write("pending-columns", commands).await.map(drop)
}
