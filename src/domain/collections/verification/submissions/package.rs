//! The rows of a package: how they are signed, and how their verification follows the package.

use crate::collections::people::trust::signed_collections;
use model::error::Result;
use model::record::{Record, Value, time};
use model::registry::{BookReader, Collection, HookContext, ID, Kind, Lookup, Writer};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// Rows read at once.
const STEP: i64 = 2_000;

/// SHA-256 over the rows of a package in canonical form, hexadecimal: the collections in
/// the registry's order, rows by id, each as one line of JSON `[collection, id, {path: value}]`
/// with the filled fields that callers write, in declared order.
pub(super) async fn hash(context: &mut dyn BookReader, package: i64) -> Result<String> {
    let mut sum = Sha256::new();
    for c in signed_collections()? {
        let mut after = 0;
        loop {
            let lookup = of(package, after);
            let rows = context.find(c.slug, lookup).await?;
            for row in &rows {
                sum.update(line(c, row).to_string());
                sum.update("\n");
            }
            match rows.last().and_then(|row| row.get(ID).int()) {
                Some(last) => after = last,
                None => break,
            }
        }
    }
    Ok(sum.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

/// Whether any row came with a package.
pub(super) async fn any(context: &mut dyn BookReader, package: i64) -> Result<bool> {
    for c in signed_collections()? {
        let lookup = Lookup::by_ids("submission", [package]);
        let lookup = lookup.fields(&["id"]).limit(1);
        if !context.find(c.slug, lookup).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn of(package: i64, after: i64) -> Lookup {
    Lookup::by_ids("submission", [package])
        .test("id", model::registry::Test::From(Value::Int(after + 1)))
        .limit(STEP)
}

fn line(c: &Collection, row: &Record) -> Json {
    let mut members = Map::new();
    for (slot, field) in c.fields.iter().enumerate() {
        let value = row.get(slot);
        let own = field.writer != Writer::Server && !matches!(field.kind, Kind::Password);
        if own && !value.is_null() {
            members.insert(field.path.clone(), plain(value));
        }
    }
    json!([c.slug, row.get(ID).int(), members])
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(v) => json!(v),
        Value::Int(v) => json!(v),
        Value::Num(v) => json!(v),
        Value::Text(v) => json!(v),
        Value::Time(v) => json!(time::to_iso(*v)),
        Value::Ids(v) => json!(v),
        Value::Texts(v) => json!(v),
        Value::Json(v) => (**v).clone(),
    }
}

/// The animals of a package's rows whose checks found what must be corrected.
pub(super) async fn faulty(context: &mut dyn BookReader, package: i64) -> Result<BTreeSet<i64>> {
    let mut animals = BTreeSet::new();
    for c in signed_collections()? {
        let (Some(path), Some(_)) = (c.animal, c.slot("checkStatus")) else {
            continue;
        };
        let lookup = Lookup::by_ids("submission", [package])
            .is_in("checkStatus", vec![Value::from("fix")])
            .fields(&[path]);
        let slot = c.at(path);
        let rows = context.find(c.slug, lookup).await?;
        animals.extend(rows.iter().filter_map(|row| row.get(slot).int()));
    }
    Ok(animals)
}

/// Moves the verification of a package's rows, those of some animals to another state.
pub(super) async fn settle(
    context: &mut dyn HookContext,
    package: i64,
    from: &str,
    to: &str,
    apart: (&BTreeSet<i64>, &str),
) -> Result<()> {
    for c in signed_collections()? {
        let verification = c.at("verification");
        let animal = c.animal.map_or(usize::MAX, |path| c.at(path));
        let mut after = 0;
        loop {
            let mut lookup = of(package, after).is_in("verification", vec![Value::from(from)]);
            lookup = lookup.fields(&[c.animal.unwrap_or("id")]);
            let rows = context.find(c.slug, lookup).await?;
            let Some(last) = rows.last().and_then(|row| row.get(ID).int()) else {
                break;
            };
            after = last;
            let moved = rows.iter().filter_map(|row| {
                let about = row.get(animal).int();
                let other = about.is_some_and(|id| apart.0.contains(&id));
                let word = if other { apart.1 } else { to };
                Some((row.get(ID).int()?, vec![(verification, Value::from(word))]))
            });
            let moved = moved.collect();
            context.amend(c.slug, moved).await?;
        }
    }
    Ok(())
}
