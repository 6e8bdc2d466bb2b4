//! Signs the rows of a package: stores them as they are, and has the installation sign a statement
//! about them (docs/packages.md).

use super::rows::{self, RowCursor};
use super::{Organizations, Slots, Users};
use crate::collections::dictionaries::lookups::by_id;
use model::error::{Error, Result};
use model::record::{Value, time};
use model::registry::{BookReader, Draft, HookContext, ID};
use model::said;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};

/// The form of the statement.
const FORMAT: &str = "herdbook-package-1";
/// Bytes after which the stored rows go on in another part.
const PART: usize = 128 * 1024;

/// Signs the rows of a package.
///
/// # Errors
/// [`Error::Invalid`] when a row has a number without a canonical form, or the key cannot be used.
pub(super) async fn sign(context: &mut dyn HookContext, slug: &str, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let (count, hash) = keep(context, slug, draft.id).await?;
    let statement = statement(context, draft, count, &hash).await?;
    let signed = context.sign(statement).await?;
    draft.new.set(s.signed_hash, hash);
    draft.new.set(s.signed_rows, count);
    draft.new.set(s.signed_key, signed.key);
    draft.new.set(s.signed_algorithm, signed.algorithm);
    draft.new.set(s.signed_value, signed.value);
    draft.new.set(s.signed_statement, signed.statement);
    Ok(())
}

/// Stores the rows part by part; says how many there are, and their SHA-256, hexadecimal: each
/// line with its end.
async fn keep(context: &mut dyn HookContext, slug: &str, package: i64) -> Result<(i64, String)> {
    let (mut count, mut part, mut sum) = (0, 0, Sha256::new());
    let (mut lines, mut cursor) = (String::new(), RowCursor::default());
    while let Some((c, rows)) = rows::next(context, package, &mut cursor, &[]).await? {
        for row in &rows {
            let line = rows::line(c, row).map_err(|why| {
                let id = row.get(ID).int().unwrap_or_default();
                let message = said!(
                    "{collection} {id} cannot be signed: {why}.",
                    collection = c.slug,
                    id = id,
                    why = why.to_string()
                );
                Error::invalid("status", "no-canonical-form", message)
            })?;
            sum.update(&line);
            sum.update("\n");
            lines.push_str(&line);
            lines.push('\n');
            count += 1;
            if lines.len() >= PART {
                let full = std::mem::take(&mut lines);
                context.keep_signed(slug, package, part, full).await?;
                part += 1;
            }
        }
    }
    if !lines.is_empty() {
        context.keep_signed(slug, package, part, lines).await?;
    }
    let hash = sum.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok((count, hash))
}

/// What is said of the rows. The service, the algorithm and the key are added where it is signed.
async fn statement(context: &mut dyn BookReader, draft: &Draft, count: i64, hash: &str) -> Result<Map<String, Json>> {
    let (s, o) = (Slots::get(), Organizations::get());
    let row = &draft.new;
    let farm = row.get(s.organization).int();
    let farms = by_id(context, "organizations", farm, &["name"]).await?;
    let farm_name = farm.and_then(|id| farms.get(&id)?.get(o.name).text());
    let signer = row.get(s.signed_by).int();
    let users = by_id(context, "users", signer, &["lastName", "firstName"]).await?;
    let signer_name = signer.and_then(|id| users.get(&id)).map(Users::name);
    let day = |slot: usize| row.get(slot).time().map(day);
    let statement = json!({
        "format": FORMAT,
        "package": row.get(s.number).text(),
        "organization": {"id": farm, "name": farm_name},
        "kind": row.get(s.kind).text(),
        "dataset": row.get(s.dataset).text(),
        "period": {"from": day(s.period_from), "to": day(s.period_to)},
        "rows": count,
        "sha256": hash,
        "signedAt": row.get(s.signed_at).time().map(time::to_iso),
        "signer": {"id": signer, "name": signer_name},
    });
    match statement {
        Json::Object(members) => Ok(members),
        _ => Err(Error::internal("the statement is no object")),
    }
}

/// `2026-03-01`
pub(super) fn day(at: i64) -> String {
    let mut day = time::to_iso(time::day_start(at));
    day.truncate("2026-03-01".len());
    day
}

/// Whether this write signs the package.
pub(super) fn signs(draft: &Draft) -> bool {
    let s = Slots::get();
    let checked = draft.new.get(s.status) == &Value::from("checked");
    checked && draft.old.is_some() && draft.changes(s.status)
}
