//! Relations named by what people have, as ids: each collection and field is read once for all rows of a batch.

use super::names::{Name, NameMatch, Sought, looked_up};
use super::{ComingNames, ImportBatch, ImportRow};
use model::error::{Issue, Result};
use model::registry::{Class, Collection, Field, ID, Kind, TextFor};
use model::said;
use ops::WriteTransaction;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A row with the ids of what it names, as far as the book has it.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) body: Map<String, Json>,
    /// Names that no row has, and which several have.
    pub(super) issues: Vec<Issue>,
    /// Whether rows are missing that may still come.
    pub(super) waits: Option<Wait>,
    /// Whether a relation was left out that is to be completed.
    pub(super) incomplete: bool,
}

/// What waits for a row that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
    /// A text that may name one.
    Text,
    Relation,
}

/// Rows with the ids of what they name. `final_try`: nothing that is missing comes any more.
pub(super) async fn resolve(
    work: &mut WriteTransaction<'_>,
    batch: &ImportBatch,
    rows: &[&ImportRow],
    final_try: bool,
) -> Result<Vec<Resolved>> {
    let c = batch.collection;
    let home = (batch.rules.package.as_ref()).map(|package| package.organization);
    let mut by_name: BTreeMap<Sought, BTreeMap<Name, NameMatch>> = BTreeMap::new();
    for (sought, names) in names_in(work, batch, rows, home) {
        by_name.insert(sought, looked_up(work, home, &names, sought).await?);
    }
    let may_come = |name: &Name| {
        let coming = batch.coming.as_ref();
        let comes = |all: &Arc<ComingNames>| match name.1 {
            Some(ID) => all.contains_id(&name.2),
            _ => all.contains(&name.2),
        };
        !final_try && name.0 == c.slug && coming.is_none_or(comes)
    };
    let of = |sought: Sought, name: &Name| {
        by_name.get(&sought).and_then(|names| names.get(name)).copied().unwrap_or(NameMatch::None)
    };
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let mut resolved =
            Resolved { body: row.body.clone(), issues: row.issues.clone(), waits: None, incomplete: false };
        let texts = soft(work, c, &row.body);
        let (mut issues, mut waits, mut incomplete) = (Vec::new(), None, false);
        let meant = |path: &str, name: &Name, field: &Field| of(sought(c, row, (path, name, field), home), name);
        visit(work, batch, &mut resolved.body, &mut |path, name, field| match meant(path, name, field) {
            NameMatch::Foreign(id) if c.animal != Some(path) || is_of_parties(c) => Edit::Put(id),
            NameMatch::Foreign(_) => {
                issues.push(foreign(path));
                Edit::Drop
            }
            NameMatch::One(id) => Edit::Put(id),
            NameMatch::Several => {
                issues.push(several(path, name));
                Edit::Drop
            }
            NameMatch::None if batch.later.contains(name.0) && !field.required => {
                incomplete = true;
                Edit::Drop
            }
            NameMatch::None => {
                if may_come(name) {
                    waits = Some(Wait::Relation);
                }
                issues.push(missing(path, name, field));
                Edit::Drop
            }
        });
        for (text, sought, name) in texts {
            // What a spreadsheet added is no part of a number that stays.
            let numbers = work.registry().get(name.0).and_then(|target| target.naming.numbers);
            let is_spoiled = numbers.is_some_and(|numbers| (numbers.is_spoiled)(&name.2));
            if is_spoiled {
                remove(&mut resolved.body, text.text);
            }
            match of(sought, &name) {
                NameMatch::One(id) | NameMatch::Foreign(id) => {
                    put(&mut resolved.body, text.relation, Json::from(id));
                    if !text.stays {
                        put(&mut resolved.body, text.text, Json::Null);
                    }
                }
                NameMatch::None if batch.later.contains(name.0) => incomplete = true,
                NameMatch::None if may_come(&name) => waits = waits.max(Some(Wait::Text)),
                NameMatch::None | NameMatch::Several if is_spoiled => issues.push(spoiled(text.text)),
                // The text says what is known.
                NameMatch::None | NameMatch::Several => {}
            }
        }
        let about = match (subject(c), itself(c, row).map(|name| of(ANY_NUMBER, &name))) {
            (Some(path), _) => at(&resolved.body, path).and_then(Json::as_i64),
            (None, Some(NameMatch::One(id))) => Some(id),
            (None, _) => row.id,
        };
        for name in other_numbers(work, batch, row) {
            if let (Some(id), NameMatch::One(other)) = (about, of(ANY_NUMBER, &name))
                && id != other
            {
                issues.push(of_another(c, &name));
            }
        }
        resolved.issues.extend(issues);
        resolved.waits = waits;
        resolved.incomplete = incomplete;
        all.push(resolved);
    }
    Ok(all)
}

/// All names in rows, of relations, of texts, and of other numbers, by the rows that they may mean.
fn names_in(
    work: &WriteTransaction<'_>,
    batch: &ImportBatch,
    rows: &[&ImportRow],
    home: Option<i64>,
) -> BTreeMap<Sought, BTreeSet<Name>> {
    let mut names: BTreeMap<Sought, BTreeSet<Name>> = BTreeMap::new();
    for row in rows {
        let mut body = row.body.clone();
        visit(work, batch, &mut body, &mut |path, name, field| {
            let sought = sought(batch.collection, row, (path, name, field), home);
            names.entry(sought).or_default().insert(name.clone());
            Edit::Keep
        });
        for (_, sought, name) in soft(work, batch.collection, &row.body) {
            names.entry(sought).or_default().insert(name);
        }
        let others = other_numbers(work, batch, row);
        if !others.is_empty() {
            names.entry(ANY_NUMBER).or_default().extend(others.into_iter().chain(itself(batch.collection, row)));
        }
    }
    names
}

/// Other numbers of an animal are those of the farm's own, or such as no two farms give.
const ANY_NUMBER: Sought = Sought { among: None, everywhere: true, follows: true };

/// Which rows a name in a field of a row may mean: parents have their sex, and other farms have the same working numbers.
/// An animal is what it became where other numbers stand beside its own.
fn sought(c: &Collection, row: &ImportRow, (path, name, field): (&str, &Name, &Field), home: Option<i64>) -> Sought {
    match field.names_parent && name.1 != Some(ID) {
        true => Sought { among: field.among, everywhere: home.is_some(), follows: home.is_some() },
        false => Sought { follows: subject(c) == Some(path) && !row.other_numbers.is_empty(), ..Sought::default() },
    }
}

/// The relation to the animal that rows are about; none where they are animals.
fn subject(c: &Collection) -> Option<&'static str> {
    c.animal.filter(|path| *path != "id")
}

/// The row itself as a name, where it is the animal and has other numbers beside its own.
fn itself(c: &Collection, row: &ImportRow) -> Option<Name> {
    let id = row.id.filter(|_| subject(c).is_none() && !row.other_numbers.is_empty())?;
    Some((c.slug, Some(ID), id.to_string()))
}

/// The other numbers of the animal of a row, as names.
fn other_numbers(work: &WriteTransaction<'_>, batch: &ImportBatch, row: &ImportRow) -> Vec<Name> {
    let c = batch.collection;
    let target = subject(c).map_or(Some(c), |path| target_of(work, c, path));
    let name = |value: &Json| match name_of(batch, target?, value) {
        Reference::Row(name) => Some(name),
        Reference::Id(_) | Reference::Other => None,
    };
    row.other_numbers.iter().filter_map(name).collect()
}

/// The collection whose rows a relation names.
fn target_of(work: &WriteTransaction<'_>, c: &Collection, relation: &str) -> Option<&'static Collection> {
    work.registry().get(c.field(relation)?.target()?)
}

fn of_another(c: &Collection, (_, _, value): &Name) -> Issue {
    let message = said!("The row has numbers of two of your animals: {value} is that of another one.", value = value);
    Issue::error(subject(c).unwrap_or_default(), "ambiguous-relation", message)
}

pub(super) fn spoiled(path: &str) -> Issue {
    let message = "The zeros behind the point are of a spreadsheet, and no animal has the number before it: write it as it stands on the tag.";
    Issue::error(path, "id-spoiled", message)
}

fn missing(path: &str, name: &Name, field: &Field) -> Issue {
    let (slug, slot, value) = name;
    let message = match slot {
        Some(ID) => said!("There is no row {value} in {collection}.", value = value, collection = *slug),
        _ if field.names_parent => {
            said!("No row of {collection} that may stand here is called {value}.", collection = *slug, value = value)
        }
        _ => return nothing(path, name),
    };
    Issue::error(path, "invalid-relation", message)
}

fn nothing(path: &str, (slug, _, value): &Name) -> Issue {
    let message = said!("Nothing in {collection} is called {value}.", collection = *slug, value = value);
    Issue::error(path, "invalid-relation", message)
}

pub(super) fn several(path: &str, (slug, _, value): &Name) -> Issue {
    let message = said!(
        "Several rows of {collection} are called {value}: name the field (field:value), or the id (id:1).",
        collection = *slug,
        value = value,
    );
    Issue::error(path, "ambiguous-relation", message)
}

/// Whether rows are of the organisations that they name, whoever has the animal.
fn is_of_parties(c: &Collection) -> bool {
    let paths = &c.access.write_subjects;
    !paths.is_empty() && paths.iter().all(|path| c.slot(path).is_some())
}

pub(super) fn foreign(path: &str) -> Issue {
    let message = "This is an animal of another farm: correct its number, or leave the row out.";
    Issue::error(path, "row-foreign-animal", message)
}

/// What becomes of a reference.
enum Edit {
    Keep,
    Put(i64),
    Drop,
}

/// The records whose lists the rows join: named by whatever people call them, as relations are.
pub(super) async fn records_of(work: &mut WriteTransaction<'_>, batch: &mut ImportBatch) -> Result<()> {
    let c = batch.collection;
    let package = batch.rules.package.as_ref().filter(|package| package.list.is_some());
    let Some((path, home)) = package.and_then(|p| Some((p.required.first()?.clone(), p.organization))) else {
        return Ok(());
    };
    let name = |row: &ImportRow| -> Option<Name> {
        let text = match at(&row.body, &path)? {
            Json::String(text) => text.trim().to_owned(),
            Json::Number(number) => number.to_string(),
            _ => return None,
        };
        Some((c.slug, None, text))
    };
    let names: BTreeSet<Name> = batch.rows.iter().filter_map(name).collect();
    let by_name = looked_up(work, Some(home), &names, Sought::default()).await?;
    for row in &mut batch.rows {
        let Some(name) = name(row) else { continue };
        match by_name.get(&name).copied().unwrap_or(NameMatch::None) {
            NameMatch::One(id) => {
                row.id = Some(id);
                remove(&mut row.body, &path);
            }
            NameMatch::Foreign(_) => row.issues.push(foreign(&path)),
            NameMatch::Several => row.issues.push(several(&path, &name)),
            NameMatch::None => row.issues.push(nothing(&path, &name)),
        }
    }
    Ok(())
}

/// Texts of a row that name rows by themselves: the relation was not sent.
fn soft(work: &WriteTransaction<'_>, c: &'static Collection, body: &Map<String, Json>) -> Vec<(TextFor, Sought, Name)> {
    let texts = c.naming.texts.iter().filter_map(|text| {
        let target = target_of(work, c, text.relation)?;
        let value = at(body, text.text)?.as_str()?.trim();
        let stated = at(body, text.relation).is_some();
        let sought = Sought { among: c.field(text.relation)?.among, everywhere: true, follows: true };
        (!stated && !value.is_empty()).then(|| (*text, sought, (target.slug, None, value.to_owned())))
    });
    texts.collect()
}

/// Every reference of a body that is no id yet.
fn visit(
    work: &WriteTransaction<'_>,
    batch: &ImportBatch,
    body: &mut Map<String, Json>,
    each: &mut dyn FnMut(&str, &Name, &Field) -> Edit,
) {
    for field in &batch.collection.fields {
        if !has_relations(field) {
            continue;
        }
        let Some(value) = at_mut(body, &field.path) else { continue };
        let mut dropped = false;
        match (&field.kind, &mut *value) {
            (Kind::Relation(_), value) => {
                dropped = one(work, batch, field, &field.path, value, each);
            }
            (Kind::Relations(_), Json::Array(items)) => {
                for (place, item) in items.iter_mut().enumerate() {
                    let path = format!("{}.{place}", field.path);
                    dropped |= one(work, batch, field, &path, item, each);
                }
            }
            (Kind::Rows(subs), Json::Array(items)) => {
                for (place, item) in items.iter_mut().enumerate() {
                    let Json::Object(members) = item else { continue };
                    for sub in subs.iter().filter(|sub| sub.target().is_some()) {
                        let path = format!("{}.{place}.{}", field.path, sub.path);
                        let Some(value) = members.get_mut(&sub.path) else { continue };
                        if one(work, batch, sub, &path, value, each) {
                            // A required member stays, so that it is not said to be missing.
                            *value = Json::Null;
                            members.shift_remove(&sub.path);
                        }
                    }
                }
            }
            _ => {}
        }
        if dropped {
            remove(body, &field.path);
        }
    }
}

fn has_relations(field: &Field) -> bool {
    let rows = matches!(&field.kind, Kind::Rows(subs) if subs.iter().any(|s| s.target().is_some()));
    rows || field.target().is_some()
}

/// One reference; whether it is to be dropped.
fn one(
    work: &WriteTransaction<'_>,
    batch: &ImportBatch,
    field: &Field,
    path: &str,
    value: &mut Json,
    each: &mut dyn FnMut(&str, &Name, &Field) -> Edit,
) -> bool {
    let target = field.target().and_then(|slug| work.registry().get(slug));
    let Some(target) = target else { return false };
    match name_of(batch, target, value) {
        Reference::Other => false,
        // Whether rows of other collections exist the checks of single writes see.
        Reference::Id(id) if target.slug != batch.collection.slug && !batch.later.contains(target.slug) => {
            *value = Json::from(id);
            false
        }
        Reference::Id(id) => {
            let name = (target.slug, Some(ID), id.to_string());
            stepped(each(path, &name, field), value)
        }
        Reference::Row(name) => stepped(each(path, &name, field), value),
    }
}

/// Takes a step; whether the reference is to be dropped.
fn stepped(step: Edit, value: &mut Json) -> bool {
    match step {
        Edit::Keep => false,
        Edit::Put(id) => {
            *value = Json::from(id);
            false
        }
        Edit::Drop => true,
    }
}

enum Reference {
    Id(i64),
    Row(Name),
    /// Nothing, or what the body's reader answers.
    Other,
}

fn name_of(batch: &ImportBatch, target: &'static Collection, value: &Json) -> Reference {
    match value {
        Json::Number(id) => id.as_i64().map_or(Reference::Other, Reference::Id),
        Json::String(text) if text.trim().is_empty() => Reference::Other,
        Json::String(text) => reference_by_text(batch, target, text.trim()),
        Json::Object(members) if members.get("id").is_some_and(Json::is_i64) => {
            members.get("id").and_then(Json::as_i64).map_or(Reference::Other, Reference::Id)
        }
        Json::Object(members) if members.len() == 1 => {
            let member = members.iter().next();
            let text = member.and_then(|(path, value)| {
                let slot = field_called(batch, target, path)?;
                let text = match value {
                    Json::String(text) => text.trim().to_owned(),
                    Json::Number(number) => number.to_string(),
                    _ => return None,
                };
                Some((target.slug, Some(slot), text))
            });
            text.map_or(Reference::Other, Reference::Row)
        }
        _ => Reference::Other,
    }
}

/// `id:17`, `identNumber:643…`, `std.iso.11785:643…`, or a value of any field by which people name such a row.
fn reference_by_text(batch: &ImportBatch, target: &'static Collection, text: &str) -> Reference {
    if let Some((before, after)) = text.split_once(':') {
        let after = after.trim();
        if before == "id" {
            return after.parse().map_or(Reference::Other, Reference::Id);
        }
        if let Some(slot) = field_called(batch, target, before) {
            return Reference::Row((target.slug, Some(slot), after.to_owned()));
        }
    }
    Reference::Row((target.slug, None, text.to_owned()))
}

fn field_called(batch: &ImportBatch, target: &Collection, name: &str) -> Option<usize> {
    let key = (target.slug.to_owned(), name.to_owned());
    let path = batch.rules.schemes.get(&key).map(String::as_str);
    let path = path.or_else(|| target.heading(name).map(|(path, _)| path))?;
    let slot = target.slot(path)?;
    let field = target.fields.get(slot)?;
    let text = matches!(field.kind, Kind::Text(_) | Kind::LongText | Kind::Email);
    (text && field.class != Class::Hidden).then_some(slot)
}

/// The value at a path of groups.
pub(crate) fn at<'b>(body: &'b Map<String, Json>, path: &str) -> Option<&'b Json> {
    if let Some((head, rest)) = path.split_once('.') { at(body.get(head)?.as_object()?, rest) } else { body.get(path) }
}

pub(super) fn at_mut<'b>(body: &'b mut Map<String, Json>, path: &str) -> Option<&'b mut Json> {
    match path.split_once('.') {
        None => body.get_mut(path),
        Some((head, rest)) => at_mut(body.get_mut(head)?.as_object_mut()?, rest),
    }
}

pub(super) fn remove(body: &mut Map<String, Json>, path: &str) {
    match path.split_once('.') {
        None => {
            body.shift_remove(path);
        }
        Some((head, rest)) => {
            if let Some(Json::Object(inner)) = body.get_mut(head) {
                remove(inner, rest);
            }
        }
    }
}

pub(super) fn put(body: &mut Map<String, Json>, path: &str, value: Json) {
    match path.split_once('.') {
        None => {
            body.insert(path.to_owned(), value);
        }
        Some((head, rest)) => {
            let inner = body.entry(head.to_owned()).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
