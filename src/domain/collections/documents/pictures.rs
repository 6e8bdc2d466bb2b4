//! The pictures of animals: an animal's photo and gallery decide who else may read the files. A
//! photo is open to everybody while the animal's row is, an approved picture while the card is;
//! files that animals no longer show are private.

use crate::collections::dictionaries::lookups::{by_id, related, touched, written};
use crate::collections::herd::animals::{Animal, Slots as Animals};
use crate::collections::slots::slots;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::{BookReader, Caller, Change, Command, Draft, HookContext, ID, Lookup, Verb};
use model::said;
use std::collections::{BTreeMap, BTreeSet};

slots!(Media of "media" { owner, visibility, mime: "mimeType", sha256 });

slots!(Gallery of "animal-gallery" { animal, media, kind, main: "isMain", moderation });

/// What is read of a file.
const FILE: [&str; 3] = ["owner", "visibility", "mimeType"];

/// Opens and closes files according to what animals show of them now.
async fn follow(context: &mut dyn HookContext, files: &BTreeSet<i64>) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let (m, g, a) = (Media::get(), Gallery::get(), Animals::get());
    let stored = by_id(context, "media", files.iter().copied(), &FILE).await?;
    let mut open = BTreeSet::new();
    let fields = ["photo", "publicVisible"];
    for animal in related(context, "animals", "photo", files.iter().copied(), &fields).await? {
        if animal.get(a.public_visible).truth() {
            open.extend(animal.get(a.photo).int());
        }
    }
    let ids = files.iter().copied();
    let approved = Lookup::by_ids("media", ids).is_in("moderation", vec!["approved".into()]);
    let approved = approved.fields(&["animal", "media"]);
    let items = context.find("animal-gallery", approved).await?;
    let animals = items.iter().filter_map(|item| item.get(g.animal).int());
    let fields = ["publicVisible", "publicDetails"];
    let animals = by_id(context, "animals", animals, &fields).await?;
    for item in &items {
        let animal = item.get(g.animal).int().and_then(|id| animals.get(&id));
        let card =
            animal.is_some_and(|animal| animal.get(a.public_visible).truth() && animal.get(a.public_details).truth());
        open.extend(item.get(g.media).int().filter(|_| card));
    }
    let mut commands = Vec::new();
    for (id, file) in &stored {
        let now = if open.contains(id) { "public" } else { "private" };
        if file.get(m.visibility).text() != Some(now) {
            let fields = vec![("visibility".to_owned(), now.into())];
            commands.push(Command::Update(*id, fields));
        }
    }
    context.write("media", commands).await.map(|_| ())
}

/// Whether an animal may show a file: its owner's, or the Association's own.
fn may_show(file: Option<&Record>, owner: Option<i64>, caller: Caller) -> bool {
    let whose = file.map(|file| file.get(Media::get().owner).int());
    match whose {
        None => false,
        Some(None) => caller != Caller::Farm,
        Some(whose) => whose == owner,
    }
}

/// Reports the fault as for a file that does not exist, so that callers learn nothing about files
/// of others.
fn not_there(path: &str, id: i64) -> Issue {
    let message =
        said!("This relationship field has the following invalid relationships: {list}", list = format!("{id} 0"));
    Issue::error(path, "invalid-relation", message)
}

fn family(file: &Record) -> &str {
    let mime = file.get(Media::get().mime).text().unwrap_or_default();
    mime.split('/').next().unwrap_or_default()
}

/// Photos of animals: pictures of the owner.
pub(crate) async fn check_photos(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let a = Animals::get();
    let new = |draft: &Draft| {
        let sets_photo = draft.verb != Verb::Delete && draft.changes(a.photo);
        draft.new.get(a.photo).int().filter(|_| sets_photo)
    };
    let files: BTreeSet<i64> = drafts.iter().filter_map(new).collect();
    if files.is_empty() {
        return Ok(());
    }
    let files = by_id(context, "media", files, &FILE).await?;
    let caller = context.caller().caller;
    for draft in drafts {
        let Some(id) = new(draft) else { continue };
        let file = files.get(&id);
        if !may_show(file, Animal(&draft.new).link(a.owner), caller) {
            draft.issues.push(not_there("photo", id));
        } else if file.is_some_and(|file| family(file) != "image") {
            let message = "The photo of an animal must be a picture.";
            draft.fault("photo", "not-a-picture", message);
        }
    }
    Ok(())
}

/// After animals were written: their files, and which item of the gallery is the photo.
pub(crate) async fn animals_changed(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let (a, g) = (Animals::get(), Gallery::get());
    let differs = |change: &Change, slots: &[usize]| match (&change.old, &change.new) {
        (Some(old), Some(new)) => slots.iter().any(|slot| old.get(*slot) != new.get(*slot)),
        (old, new) => {
            slots.iter().any(|slot| [old, new].into_iter().flatten().any(|row| row.get(*slot).int().is_some()))
        }
    };
    let photo_changes = |change: &&Change| differs(change, &[a.photo, a.public_visible, a.public_details]);
    let photo_changes: Vec<Change> = changes.iter().filter(photo_changes).cloned().collect();
    if photo_changes.is_empty() {
        return Ok(());
    }
    let ids: BTreeSet<i64> = photo_changes.iter().map(|change| change.id).collect();
    let fields = ["animal", "media", "isMain"];
    let items = related(context, "animal-gallery", "animal", ids, &fields).await?;
    let mut files = touched(&photo_changes, a.photo);
    files.extend(items.iter().filter_map(|item| item.get(g.media).int()));
    let photos: BTreeMap<i64, Option<i64>> = (photo_changes.iter())
        .filter_map(|change| Some((change.id, change.new.as_ref()?.get(a.photo).int())))
        .collect();
    let mut marks = Vec::new();
    for item in &items {
        let photo = item.get(g.animal).int().and_then(|id| photos.get(&id).copied());
        let media = item.get(g.media).int();
        let main = photo.is_some_and(|photo| photo.is_some() && photo == media);
        if item.get(g.main).truth() != main
            && let Some(id) = item.get(ID).int()
        {
            marks.push((id, vec![(g.main, Value::Bool(main))]));
        }
    }
    context.amend("animal-gallery", marks).await?;
    follow(context, &files).await
}

/// Items of a gallery: the owner and the kind of their files, and the effect on their approval.
pub(crate) async fn check_gallery(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let (g, a) = (Gallery::get(), Animals::get());
    let ids_in = |slot: usize| -> BTreeSet<i64> { (drafts.iter()).filter_map(|d| d.new.get(slot).int()).collect() };
    let files = by_id(context, "media", ids_in(g.media), &FILE).await?;
    let animals = by_id(context, "animals", ids_in(g.animal), &["owner", "photo"]).await?;
    let caller = context.caller().caller;
    for draft in written(drafts) {
        let animal = draft.new.get(g.animal).int().and_then(|id| animals.get(&id));
        let photo = animal.and_then(|animal| animal.get(a.photo).int());
        let media = draft.new.get(g.media).int();
        draft.new.set(g.main, media.is_some() && photo == media);
        // What was judged was another file.
        if draft.verb == Verb::Update && draft.changes(g.media) {
            draft.new.set(g.moderation, "pending");
        }
        let Some(id) = media else { continue };
        let file = files.get(&id);
        let owner = animal.and_then(|animal| animal.get(a.owner).int());
        if draft.changes(g.media) && !may_show(file, owner, caller) {
            // Without an animal there is no owner to compare with.
            if animal.is_some() || file.is_none() {
                draft.issues.push(not_there("media", id));
            }
            continue;
        }
        match file.map(family) {
            Some("image") => draft.new.set(g.kind, "photo"),
            Some("video") => draft.new.set(g.kind, "video"),
            _ => {
                let message = "A gallery shows pictures and films.";
                draft.fault("media", "not-a-picture", message);
            }
        }
    }
    Ok(())
}

/// After items were written: files without an owner become the animal owner's, and all
/// follow.
pub(crate) async fn gallery_changed(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let (g, m, a) = (Gallery::get(), Media::get(), Animals::get());
    let files = touched(changes, g.media);
    let stored = by_id(context, "media", files.iter().copied(), &FILE).await?;
    let orphans: BTreeSet<i64> =
        (stored.iter()).filter(|(_, file)| file.get(m.owner).is_null()).map(|(id, _)| *id).collect();
    if !orphans.is_empty() {
        let gallery = |c: &Change| {
            let new = c.new.as_ref()?;
            Some((new.get(g.media).int()?, new.get(g.animal).int()?))
        };
        let gallery: BTreeMap<i64, i64> = changes.iter().filter_map(gallery).collect();
        let animals = by_id(context, "animals", gallery.values().copied(), &["owner"]).await?;
        let adopt = orphans.iter().filter_map(|file| {
            let owner = animals.get(gallery.get(file)?)?.get(a.owner);
            let fields = vec![("owner".to_owned(), owner.clone())];
            Some(Command::Update(*file, fields))
        });
        let adopt: Vec<Command> = adopt.collect();
        context.write("media", adopt).await?;
    }
    follow(context, &files).await
}

/// After files were written: items that show another content than before are pending again.
pub(crate) async fn media_changed(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let (m, g) = (Media::get(), Gallery::get());
    let replaced: BTreeSet<i64> = (changes.iter())
        .filter(|change| match (&change.old, &change.new) {
            (Some(old), Some(new)) => old.get(m.sha256) != new.get(m.sha256),
            _ => false,
        })
        .map(|change| change.id)
        .collect();
    if replaced.is_empty() {
        return Ok(());
    }
    let fields = ["media", "moderation"];
    let items = related(context, "animal-gallery", "media", replaced, &fields).await?;
    let updates = items.iter().filter_map(|item| {
        debug_assert!(!item.get(g.media).is_null(), "read by its file");
        let fields = vec![("moderation".to_owned(), "pending".into())];
        Some(Command::Update(item.get(ID).int()?, fields))
    });
    let updates: Vec<Command> = updates.collect();
    context.write("animal-gallery", updates).await.map(|_| ())
}
