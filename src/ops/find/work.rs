//! Work lists (docs/pages.md, *Work lists*): the records of an organisation of which something is to be done, each with
//! the day on which it is due. Must not know any single collection, nor HTTP.

use super::Ask;
use super::view::{View, names_of, select_field};
use crate::Book;
use model::display::{at, called, name};
use model::error::{Error, Result};
use model::query::qs::Tree;
use model::record::time::{day_start, to_iso};
use model::record::zone::{clock, zone};
use model::registry::{Collection, Principal, WorkGroups, WorkList, WorkLists};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Groups of an organisation whose numbers count.
const GROUPS: u64 = 500;

/// What is wanted of a work list.
#[derive(Debug, Clone, Copy)]
pub struct WorkAsk {
    /// Days ahead of which the present ones are: what will be to do then.
    pub ahead: i64,
    /// Rows of a page.
    pub limit: u64,
    /// The page, from 1.
    pub page: u64,
}

/// The days and numbers of the groups of an organisation.
#[derive(Debug)]
pub struct WorkPlaces {
    c: &'static Collection,
    lists: &'static WorkLists,
    group: &'static Collection,
    organization: i64,
    name: String,
    /// The present day of the organisation, epoch milliseconds of its beginning.
    today: i64,
    /// Groups with their present days.
    groups: Vec<(i64, i64, Value)>,
}

impl WorkPlaces {
    pub fn id(&self) -> i64 {
        self.organization
    }

    pub fn organization(&self) -> &str {
        &self.name
    }

    /// The present day of the organisation (`2026-03-01`).
    pub fn day(&self) -> String {
        to_iso(self.today).get(..10).unwrap_or_default().to_owned()
    }

    fn usual(&self, list: &WorkList) -> i64 {
        let field = list.number.and_then(|path| self.group.field(path));
        field.and_then(|field| field.default.as_ref()?.int()).unwrap_or_default()
    }

    fn number(&self, list: &WorkList, group: &Value) -> i64 {
        list.number.and_then(|path| at(group, path).as_i64()).unwrap_or_else(|| self.usual(list))
    }

    /// The groups of a list by number and day; those with the usual ones last.
    fn groups(&self, list: &WorkList) -> Vec<WorkGroups> {
        let mut all: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
        for (id, today, group) in &self.groups {
            all.entry((self.number(list, group), *today)).or_default().push(*id);
        }
        let usual = (self.usual(list), self.today);
        all.remove(&usual);
        let all = all.into_iter().chain(std::iter::once((usual, Vec::new())));
        all.map(|((number, today), ids)| WorkGroups { ids, number, today }).collect()
    }

    fn condition(&self, list: &WorkList, ahead: i64) -> Tree {
        let own = self.c.access.subjects.first().map(|path| json!({*path: {"equals": self.organization}}));
        let all: Vec<Value> = own.into_iter().chain([self.lists.condition(list, &self.groups(list), ahead)]).collect();
        Tree::from(json!({"and": all}))
    }

    fn fields(&self, list: &WorkList) -> BTreeSet<&'static str> {
        list.columns.iter().chain(list.due.0).copied().chain([self.lists.group]).chain(called(self.c)).collect()
    }

    fn number_of(&self, list: &WorkList, record: &Value) -> i64 {
        let group = at(record, self.lists.group);
        let id = group.get("id").unwrap_or(group).as_i64();
        let own = self.groups.iter().find(|(other, ..)| Some(*other) == id);
        own.map_or_else(|| self.usual(list), |(_, _, group)| self.number(list, group))
    }
}

impl Book {
    /// Reads the days and numbers of the groups of an organisation, as far as the caller sees them.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the caller sees no such organisation; errors of [`Book::list`].
    pub async fn work_places(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        lists: &'static WorkLists,
        organization: i64,
    ) -> Result<WorkPlaces> {
        let target = |c: &Collection, path: &str| self.registry.get(c.field(path)?.target()?);
        let owners = c.access.subjects.first().and_then(|path| target(c, path));
        let (Some(group), Some(owners)) = (target(c, lists.group), owners) else {
            return Err(Error::internal("work lists of no places"));
        };
        let shown_of_owner: Vec<&str> = called(owners).into_iter().chain([lists.zone]).collect();
        let owner = self.by_id(caller, owners, organization, shown(&shown_of_owner, None)).await?;
        let owner: Value = serde_json::from_slice(&owner).map_err(Error::internal)?;
        let paths: Vec<&str> = lists.lists.iter().filter_map(|list| list.number).chain([lists.zone]).collect();
        let own = group.access.subjects.first().map(|path| Tree::from(json!({*path: {"equals": organization}})));
        let ask = Ask { filter: own, limit: GROUPS, view: shown(&paths, None), pagination: false, ..Ask::default() };
        let groups = self.list(caller, group, ask).await?.collect().await?;
        let groups: Value = serde_json::from_slice(&groups).map_err(Error::internal)?;
        let now = self.clock.now();
        let of_owner = at(&owner, lists.zone).as_str().and_then(zone).unwrap_or_else(|| self.zone().clone());
        let today = day_start(clock(&of_owner, now));
        let day = |group: &Value| {
            at(group, lists.zone).as_str().and_then(zone).map_or(today, |zone| day_start(clock(&zone, now)))
        };
        let groups = groups.get("docs").and_then(Value::as_array).into_iter().flatten();
        let groups = groups.filter_map(|group| Some((group.get("id")?.as_i64()?, day(group), group.clone()))).collect();
        Ok(WorkPlaces { c, lists, group, organization, name: name(owners, &owner).unwrap_or_default(), today, groups })
    }

    /// A page of a work list as an envelope of documents with their days (`due`), and the numbers of the list.
    pub async fn work_list(
        &self,
        caller: &Arc<Principal>,
        places: &WorkPlaces,
        list: &'static WorkList,
        ask: WorkAsk,
    ) -> Result<Value> {
        let c = places.c;
        let paths: Vec<&str> = places.fields(list).into_iter().collect();
        let fields = paths.iter().filter_map(|path| c.field(path));
        let view = shown(&paths, Some(names_of(self.registry, fields)));
        let ask = Ask {
            filter: Some(places.condition(list, ask.ahead)),
            sort: list.order.iter().map(|key| (*key).to_owned()).collect(),
            limit: ask.limit,
            page: ask.page,
            view,
            ..Ask::default()
        };
        let body = self.list(caller, c, ask).await?.collect().await?;
        let mut envelope: Value = serde_json::from_slice(&body).map_err(Error::internal)?;
        for doc in envelope.get_mut("docs").and_then(Value::as_array_mut).into_iter().flatten() {
            let due = list.due_day(doc, places.number_of(list, doc));
            if let Some(members) = doc.as_object_mut() {
                members.insert("due".to_owned(), json!(due));
            }
        }
        if let Some(members) = envelope.as_object_mut() {
            let numbers: BTreeSet<i64> = places.groups(list).iter().map(|groups| groups.number).collect();
            let numbers: Vec<i64> = numbers.into_iter().filter(|_| list.number.is_some()).collect();
            members.insert("list".to_owned(), json!(list.name));
            members.insert("numbers".to_owned(), json!(numbers));
        }
        Ok(envelope)
    }
}

/// Shows these fields alone, and the related records of some by what they are called.
fn shown(paths: &[&str], populate: Option<Value>) -> View {
    let mut select = Map::new();
    paths.iter().for_each(|path| select_field(&mut select, path));
    let depth = u8::from(populate.is_some());
    let populate = populate.unwrap_or_else(|| json!({}));
    View::read(&Tree::from(json!({"select": select, "populate": populate, "joins": "false"})), depth)
}
