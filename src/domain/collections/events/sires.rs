//! Service bulls that are named by a number or by the code of their semen (`bullText`): where the
//! book has one such bull that the writer reads, it is named by its id instead, on every face
//! (docs/derived.md, *Identifiers*).

use crate::collections::dictionaries::lookups::written;
use crate::collections::events::history::Inseminations;
use crate::collections::herd::animals::{EVERYWHERE, Slots};
use crate::collections::slots::slots;
use model::error::Result;
use model::record::Value;
use model::registry::{BookReader, Class, Draft, ID, Lookup};
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// The numbers that name one bull wherever it stands.
    Keys of "animals" {
        ident: "identNumber", international: "altIds.internationalId", code: "semen.stock.code",
        merged: "mergedInto",
    }
);

/// Names the bulls of services whose text is the number of exactly one bull.
pub(super) async fn find_bulls(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Inseminations::get();
    let text = |draft: &Draft| {
        let open = draft.new.get(s.bull).is_null() && draft.changes(s.bull_text);
        let text = draft.new.get(s.bull_text).text().filter(|_| open)?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let texts: BTreeSet<String> = written(drafts).filter_map(|draft| text(draft)).collect();
    if texts.is_empty() || context.loads() {
        return Ok(());
    }
    let (a, k) = (Slots::get(), Keys::get());
    let animals = context.collection("animals")?;
    let mut bulls: BTreeMap<(usize, String), BTreeSet<i64>> = BTreeMap::new();
    let mut open = BTreeSet::new();
    for (path, slot) in EVERYWHERE.into_iter().zip([k.ident, k.international, k.code]) {
        let Some(field) = animals.field(path) else {
            continue;
        };
        let values = texts.iter().map(|text| Value::Text(field.spell(text.clone())));
        let lookup = Lookup::default().is_in(path, values.collect()).is_in("sex", vec![Value::from("male")]).fields(&[
            path,
            "publicVisible",
            "mergedInto",
        ]);
        for row in context.find("animals", lookup).await? {
            let id = row.get(k.merged).int().or(row.get(ID).int());
            if let Some((id, number)) = id.zip(row.get(slot).text()) {
                let bulls = bulls.entry((slot, number.to_owned())).or_default();
                bulls.insert(id);
                if row.get(a.public_visible).truth() {
                    open.insert(id);
                }
            }
        }
    }
    let all = bulls.values().flatten().copied().collect();
    // A mandate opens no rows of the farm at whose location it lets others write.
    let visible = match context.caller().sender {
        Some(_) => open,
        None => context.reads("animals", Class::Row, all).await?,
    };
    for draft in written(drafts) {
        let Some(text) = text(draft) else { continue };
        let keys = EVERYWHERE.into_iter().zip([k.ident, k.international, k.code]);
        let matches: BTreeSet<i64> = keys
            .filter_map(|(path, slot)| {
                let number = animals.field(path)?.spell(text.clone());
                bulls.get(&(slot, number))
            })
            .flatten()
            .copied()
            .filter(|id| visible.contains(id))
            .collect();
        if let (Some(id), 1) = (matches.first(), matches.len()) {
            draft.new.set(s.bull, *id);
            draft.new.set(s.bull_text, Value::Null);
        }
    }
    Ok(())
}
