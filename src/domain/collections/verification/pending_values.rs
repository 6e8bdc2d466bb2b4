//! Values of uploaded files that no entry of a dictionary and no choice has: the Association decides what they mean.

use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::collections::verification::pending::{pending, sightings, stamp, status};
use crate::collections::verification::submissions::intake;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    ALIASES, BookReader, Collection, Command, Draft, HookContext, ID, Kind, Lookup, Vocabulary, Wording, entry_key,
    fields, text, text_n,
};

pub(crate) fn pending_values() -> Collection {
    let mut fields = fields![
        text_n("title", 100).required().once() => "Value as it was written.",
        text("normalized").server()
            => "Normalised value, by which values are compared; one row for all farms.",
        text_n("target", 100).required().once().wording(Wording::Values)
            => "Dictionary (`breeds`), or collection and field of a choice (`calvings:ease`).",
        status(),
        text_n("meansCode", 60)
            => "Code of the entry or choice that it means; a name or label is taken too.",
    ];
    fields.extend(sightings("How many rows had it.", "Some headings of the columns that had it."));
    let accepted = "Further uploads understand the value.";
    pending("pending-values", fields, &["meansCode"], accepted, Behaviour)
        .singular("Unrecognised Value")
        .unique(&["target", "normalized"])
        .doc("Values of uploaded files that no entry of a dictionary and no choice has.")
}

slots!(Slots of "pending-values" {
    title, normalized, target, status, means: "meansCode", first: "firstSeenAt", last: "lastSeenAt",
    submissions,
});

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        for draft in written(drafts) {
            stamp(draft, [s.first, s.last], now);
            let key = entry_key(draft.new.get(s.title).text().unwrap_or_default());
            draft.new.set(s.normalized, Value::from(key));
            means_something(context, draft).await?;
        }
        Ok(())
    }
    effects(context, changes) {
        let s = Slots::get();
        let mut again = Vec::new();
        for change in changes {
            let (Some(old), Some(new)) = (&change.old, &change.new) else {
                continue;
            };
            let means = accepted(new).filter(|means| accepted(old) != Some(*means));
            if let Some(means) = means {
                let target = text_of(new, s.target);
                if let Some(former) = accepted(old) {
                    rename(context, target, former, |aliases| without(aliases, text_of(new, s.title))).await?;
                }
                rename(context, target, means, |aliases| with(aliases, text_of(new, s.title))).await?;
            }
            if means.is_some() || old.get(s.status) != new.get(s.status) {
                again.extend_from_slice(new.get(s.submissions).ids());
            }
        }
        intake::read_again(context, again).await
    }
});

fn text_of(row: &Record, slot: usize) -> &str {
    row.get(slot).text().unwrap_or_default()
}

/// The code that an accepted value means.
fn accepted(row: &Record) -> Option<&str> {
    let s = Slots::get();
    let code = text_of(row, s.means);
    (text_of(row, s.status) == "accepted" && !code.is_empty()).then_some(code)
}

/// What an accepted value means is there; a name of an entry or a label becomes its code.
async fn means_something(context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let changed = draft.changes(s.status) || draft.changes(s.means);
    let Some(means) = accepted(&draft.new).filter(|_| changed).map(str::to_owned) else {
        // The move itself says that the code is missing.
        return Ok(());
    };
    let target = text_of(&draft.new, s.target).to_owned();
    match code_of(context, &target, means.trim()).await? {
        Some(code) => draft.new.set(s.means, Value::from(code)),
        None => {
            let message = "There is no entry or choice of this code.";
            draft.fault("meansCode", "not-an-option", message);
        }
    }
    Ok(())
}

/// The code of an entry of a dictionary, or of a choice, by its code or a name.
async fn code_of(context: &mut dyn BookReader, target: &str, name: &str) -> Result<Option<String>> {
    let registry = crate::collections::registry()?;
    if let Some((slug, path)) = target.split_once(':') {
        let c = registry.get(slug);
        let code = c.and_then(|c| match &c.member(path)?.kind {
            Kind::Select(values) => c.worded(path, values, name),
            _ => None,
        });
        return Ok(code.map(str::to_owned));
    }
    let Some(c) = registry.get(target).filter(|c| c.has_aliases()) else {
        return Ok(None);
    };
    if entry(context, c, name).await?.is_some() {
        return Ok(Some(name.to_owned()));
    }
    let Some(vocabulary) = Vocabulary::read(context, c).await? else {
        return Ok(None);
    };
    let entries: Vec<i64> = vocabulary.entries(None, name).into_iter().collect();
    let [id] = entries.as_slice() else {
        return Ok(None);
    };
    let lookup = Lookup::by_ids("id", [*id]).fields(&["code"]);
    let rows = context.find(c.slug, lookup).await?;
    let code = rows.first().and_then(|row| row.get(c.slot("code")?).text());
    Ok(code.map(str::to_owned))
}

/// The entry of a dictionary with this code, and its aliases.
async fn entry(context: &mut dyn BookReader, c: &'static Collection, code: &str) -> Result<Option<(i64, Vec<String>)>> {
    let lookup = Lookup::default().is_in("code", vec![code.into()]).fields(&["code", ALIASES]).limit(1);
    let rows = context.find(c.slug, lookup).await?;
    Ok(rows.first().and_then(|row| {
        let aliases = row.get(c.slot(ALIASES)?).texts().to_vec();
        Some((row.get(ID).int()?, aliases))
    }))
}

/// Changes the aliases of an entry of a dictionary; of a choice nothing.
async fn rename(
    context: &mut dyn HookContext,
    target: &str,
    code: &str,
    change: impl FnOnce(Vec<String>) -> Vec<String> + Send,
) -> Result<()> {
    let registry = crate::collections::registry()?;
    let Some(c) = registry.get(target).filter(|c| c.has_aliases()) else {
        return Ok(());
    };
    let Some((id, aliases)) = entry(context, c, code).await? else {
        return Ok(());
    };
    let changed = change(aliases.clone());
    if changed == aliases {
        return Ok(());
    }
    let fields = vec![(ALIASES.to_owned(), Value::Texts(changed))];
    let commands = vec![Command::Update(id, fields)];
    context.write(c.slug, commands).await.map(drop)
}

fn without(mut aliases: Vec<String>, name: &str) -> Vec<String> {
    let key = entry_key(name);
    aliases.retain(|alias| entry_key(alias) != key);
    aliases
}

fn with(aliases: Vec<String>, name: &str) -> Vec<String> {
    let mut aliases = without(aliases, name);
    aliases.push(name.to_owned());
    aliases
}
