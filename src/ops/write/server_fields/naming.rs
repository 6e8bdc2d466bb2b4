//! Names of files that are being written: unique among those that their sender reads, with
//! the names of the smaller pictures. An address says which row it means, so that it never has
//! two meanings. The book is locked while names are chosen, so they stay free.

use crate::files::{Slots, candidates};
use crate::write::WriteTransaction;
use files::name;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Caller, Class, Collection, Draft, ID, Lookup, Verb};
use std::collections::BTreeSet;

/// Names that are tried at a time, more with each time.
const TRIES: [(usize, usize); 4] = [(0, 8), (8, 64), (64, 512), (512, 4_096)];

impl WriteTransaction<'_> {
    /// Names the files of drafts that bring new ones, and their addresses.
    pub(crate) async fn name_files(&mut self, c: &'static Collection, drafts: &mut [Draft]) -> Result<()> {
        let Some(slots) = Slots::of(c) else { return Ok(()) };
        let mut names_given = BTreeSet::new();
        let system = self.caller.caller == Caller::System;
        for draft in drafts {
            // However a row is made, it is a file: with content, or not at all.
            if draft.verb == Verb::Create && !system && !draft.sent.contains(slots.key) {
                draft.issues.push(Issue::error("file", "required", "No files were uploaded."));
            }
            let sent = draft.verb != Verb::Delete && draft.sent.contains(slots.filename);
            let Some(requested) = (draft.new.get(slots.filename).text()).filter(|_| sent) else { continue };
            let requested = name::clean(requested);
            let name = self.free_name(c, &slots, draft, &requested, &names_given).await?;
            names_given.extend(all_names(&slots, &draft.new, &name).into_iter().map(|(_, n)| n));
            address(c, &slots, draft, &name);
        }
        Ok(())
    }

    async fn free_name(
        &mut self,
        c: &'static Collection,
        slots: &Slots,
        draft: &Draft,
        requested: &str,
        names_given: &BTreeSet<String>,
    ) -> Result<String> {
        for (from, to) in TRIES {
            let candidates = candidates(requested, from, to);
            let names: Vec<String> =
                (candidates.iter()).flat_map(|name| all_names(slots, &draft.new, name)).map(|(_, name)| name).collect();
            let mut taken = self.taken(c, slots, draft.id, &names).await?;
            taken.extend(names_given.iter().cloned());
            let free = candidates.into_iter().find(|name| {
                let names = all_names(slots, &draft.new, name);
                names.iter().all(|(_, name)| !taken.contains(name))
            });
            if let Some(name) = free {
                return Ok(name);
            }
        }
        // When too many files have the name, a random part distinguishes them.
        let chance = uuid::Uuid::new_v4().simple().to_string();
        Ok(match requested.rsplit_once('.') {
            Some((stem, end)) => format!("{stem}-{chance}.{end}"),
            None => format!("{requested}-{chance}"),
        })
    }

    /// Which of the names other rows have, for their files or smaller pictures.
    async fn taken(
        &mut self,
        c: &'static Collection,
        slots: &Slots,
        own: i64,
        names: &[String],
    ) -> Result<BTreeSet<String>> {
        let mut taken = BTreeSet::new();
        let sizes = slots.sizes.iter().map(|size| size.filename);
        for slot in std::iter::once(slots.filename).chain(sizes) {
            let Some(field) = c.fields.get(slot) else { continue };
            let names = names.iter().map(|name| Value::from(name.as_str())).collect();
            let rows = self.find(c.slug, Lookup::default().is_in(&field.path, names).fields(&[&field.path])).await?;
            let ids = rows.iter().filter_map(|row| row.get(ID).int());
            // A name must not reveal a file that is hidden from its sender.
            let open = self.rows_read(c, Class::Row, ids.collect()).await?;
            for row in rows {
                let id = row.get(ID).int();
                if id != Some(own) && id.is_some_and(|id| open.contains(&id)) {
                    taken.extend(row.get(slot).text().map(str::to_owned));
                }
            }
        }
        Ok(taken)
    }

    /// Keys of content that the rows of this transaction named and name no more.
    pub(crate) fn dropped_files(&self) -> Vec<String> {
        let mut dropped = Vec::new();
        for ((slug, _), touch) in &self.touched {
            let slots = self.registry.get(slug).and_then(Slots::of);
            let (Some(slots), Some(old)) = (slots, &touch.old) else { continue };
            let now = touch.new.as_ref().map(|new| new.get(slots.key));
            let before = old.get(slots.key).text();
            let replaced = now.and_then(|now| now.text()).is_some_and(|now| Some(now) != before);
            dropped.extend(before.filter(|_| touch.gone || replaced).map(str::to_owned));
        }
        dropped
    }
}

/// The names that a file and its smaller pictures get, by slot.
fn all_names(slots: &Slots, row: &Record, name: &str) -> Vec<(usize, String)> {
    let mut names = vec![(slots.filename, name.to_owned())];
    for size in &slots.sizes {
        let (width, height) = (row.get(size.width).int(), row.get(size.height).int());
        if let (Some(width), Some(height)) = (width, height) {
            let mime = row.get(size.mime).text().unwrap_or_default();
            names.push((size.filename, name::sized(name, width, height, mime)));
        }
    }
    names
}

fn address(c: &Collection, slots: &Slots, draft: &mut Draft, name: &str) {
    let names = all_names(slots, &draft.new, name);
    let of = |slot: usize| names.iter().find(|(at, _)| *at == slot).map(|(_, name)| name);
    let id = draft.id;
    let url = |name: Option<&String>| Value::from(name.map(|n| name::address(c.slug, n, id)));
    let smallest = slots.sizes.iter().find_map(|size| of(size.filename));
    draft.new.set(slots.thumbnail, url(smallest));
    draft.new.set(slots.filename, name);
    draft.new.set(slots.url, url(of(slots.filename)));
    for size in &slots.sizes {
        let name = of(size.filename);
        draft.new.set(size.filename, Value::from(name.cloned()));
        draft.new.set(size.url, url(name));
    }
}
