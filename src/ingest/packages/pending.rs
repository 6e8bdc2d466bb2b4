//! Columns and values of files that nobody knows: they are noted for the Association, one row of each for all farms, and
//! what it decided is known of further files (docs/packages.md, *Mapping*).

use crate::packages::queue::OpenPackage;
use crate::values::unknown_values::UnknownValues;
use domain::collections::FieldSet;
use domain::slots;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, Command, HookContext, ID, Lookup, normal};
use serde_json::json;
use std::collections::BTreeMap;

/// Longest heading, characters.
const HEADING: usize = 255;
/// Values of a column, or headings of a value, that are stored.
const SAMPLES: usize = 10;
/// Packages that are read again when it is decided, and organisations.
const PACKAGES: usize = 1_000;

slots!(Columns of "pending-columns" { normalized, dataset, status, maps_to: "mapsTo" });
slots!(Values of "pending-values" { normalized, target, means: "meansCode" });

fn text_of(row: &Record, slot: usize) -> &str {
    row.get(slot).text().unwrap_or_default()
}

/// What the Association decided about headers: by normalised header the path, with the set that it is for; none: the
/// column is left out.
pub(crate) async fn column_decisions(
    context: &mut dyn BookReader,
) -> Result<BTreeMap<String, Option<(String, String)>>> {
    let s = Columns::get();
    let lookup = Lookup::default().is_in("status", vec!["accepted".into(), "declined".into()]).fields(Columns::PATHS);
    let rows = context.find("pending-columns", lookup).await?;
    let decided = rows.iter().filter_map(|row| {
        let accepted = text_of(row, s.status) == "accepted";
        let path = text_of(row, s.maps_to);
        // Older books have some that were accepted without a field: they mean nothing yet.
        let means = match (accepted, path.is_empty()) {
            (true, true) => return None,
            (true, false) => Some((text_of(row, s.dataset).to_owned(), path.to_owned())),
            (false, _) => None,
        };
        Some((text_of(row, s.normalized).to_owned(), means))
    });
    Ok(decided.collect())
}

/// What values of choices mean that the Association accepted: by collection and field, and normalised value, the choice.
pub(crate) type ValueDecisions = BTreeMap<String, BTreeMap<String, String>>;

/// What the Association decided about values of choices; those of dictionaries are aliases.
pub(crate) async fn value_decisions(context: &mut dyn BookReader) -> Result<ValueDecisions> {
    let s = Values::get();
    let lookup = Lookup::default().is_in("status", vec!["accepted".into()]).fields(Values::PATHS);
    let rows = context.find("pending-values", lookup).await?;
    let mut decided = ValueDecisions::new();
    for row in &rows {
        let (target, code) = (text_of(row, s.target), text_of(row, s.means));
        if target.contains(':') && !code.is_empty() {
            let words = decided.entry(target.to_owned()).or_default();
            words.insert(text_of(row, s.normalized).to_owned(), code.to_owned());
        }
    }
    Ok(decided)
}

/// A column of a file that is not recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownColumn {
    pub(crate) title: String,
    /// The set of the table.
    pub(crate) dataset: &'static str,
    pub(crate) rows: i64,
    /// Some of the values.
    pub(crate) samples: Vec<String>,
}

/// The fields that say which files had a column or value: those of its row (`row`) with what a package has of it.
fn fields_of(
    c: &Collection,
    row: Option<&Record>,
    (package, now): (&OpenPackage, i64),
    rows: i64,
    samples: Vec<String>,
) -> Vec<(String, Value)> {
    let value_of = |path: &str| row.map_or(&Value::Null, |row| row.get(c.at(path)));
    let joined = |path: &str, id: i64| {
        let mut ids = value_of(path).ids().to_vec();
        if !ids.contains(&id) && ids.len() < PACKAGES {
            ids.push(id);
        }
        Value::Ids(ids)
    };
    let more = |path: &str, more: i64| Value::Int(value_of(path).int().unwrap_or_default().saturating_add(more));
    let mut all: Vec<String> =
        (value_of("samples").rows().iter()).filter_map(|one| one.as_str().map(str::to_owned)).collect();
    for sample in samples {
        if !all.contains(&sample) && all.len() < SAMPLES {
            all.push(sample);
        }
    }
    let mut fields = vec![
        ("lastSeenAt", Value::Time(now)),
        ("samples", Value::json(json!(all))),
        ("organizations", joined("organizations", package.organization)),
        ("submissions", joined("submissions", package.id)),
    ];
    if row.is_none() {
        fields.push(("ownerOrg", Value::Int(package.organization)));
        fields.push(("rowsWithValue", Value::Int(rows)));
    } else if !package.reread {
        fields.push(("seenTimes", more("seenTimes", 1)));
        fields.push(("rowsWithValue", more("rowsWithValue", rows)));
    }
    fields.into_iter().map(|(path, value)| (path.to_owned(), value)).collect()
}

pub(crate) async fn note_unknown_columns(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    columns: Vec<UnknownColumn>,
) -> Result<()> {
    let (c, of) = (context.collection("pending-columns")?, (package, context.now()));
    let mut open: BTreeMap<String, UnknownColumn> = BTreeMap::new();
    for column in columns {
        open.entry(normal(&column.title)).or_insert(column);
    }
    open.retain(|name, _| !name.is_empty());
    let names: Vec<Value> = open.keys().map(|name| name.as_str().into()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let pending = context.find(c.slug, Lookup::default().is_in("normalized", names)).await?;
    let mut commands = Vec::new();
    for row in &pending {
        let column = open.remove(text_of(row, Columns::get().normalized));
        if let (Some(column), Some(id)) = (column, row.get(ID).int()) {
            commands.push(Command::Update(id, fields_of(c, Some(row), of, column.rows, column.samples)));
        }
    }
    for (name, column) in open {
        let short = |text: &str| Value::from(text.chars().take(HEADING).collect::<String>());
        let mut fields = fields_of(c, None, of, column.rows, column.samples);
        fields.extend([
            ("title".to_owned(), short(&column.title)),
            ("normalized".to_owned(), short(&name)),
            ("dataset".to_owned(), column.dataset.into()),
        ]);
        commands.push(Command::Create(fields));
    }
    context.write(c.slug, commands).await.map(drop)
}

pub(crate) async fn note_unknown_values(
    context: &mut dyn HookContext,
    package: &OpenPackage,
    values: &UnknownValues,
) -> Result<()> {
    let (c, of) = (context.collection("pending-values")?, (package, context.now()));
    let mut commands = Vec::new();
    for (target, mut open) in values.by_target() {
        let names: Vec<Value> = open.keys().map(|name| Value::from(*name)).collect();
        let lookup = Lookup::default().is_in("target", vec![target.into()]).is_in("normalized", names);
        for row in &context.find(c.slug, lookup).await? {
            let value = open.remove(text_of(row, Values::get().normalized));
            if let (Some(value), Some(id)) = (value, row.get(ID).int()) {
                commands.push(Command::Update(id, fields_of(c, Some(row), of, value.rows, value.headings)));
            }
        }
        for value in open.into_values() {
            let mut fields = fields_of(c, None, of, value.rows, value.headings);
            fields.extend([("title".to_owned(), value.title.into()), ("target".to_owned(), target.into())]);
            commands.push(Command::Create(fields));
        }
    }
    if commands.is_empty() { Ok(()) } else { context.write(c.slug, commands).await.map(drop) }
}
