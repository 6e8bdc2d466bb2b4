//! Making rows, at once or when their day comes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use crate::SeedRow;
use crate::simulation::calendar::Day;

/// Where rows go.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(SeedRow) -> ControlFlow<()>;

/// A row; members that are null are left out.
pub(crate) fn row(collection: &'static str, id: i64, data: Value) -> SeedRow {
    row_with(collection, id, data, Value::Null)
}

/// A row with fields that the server sets.
pub(crate) fn row_with(collection: &'static str, id: i64, data: Value, system: Value) -> SeedRow {
    SeedRow { collection, id, data: members(data), system: members(system) }
}

fn members(mut value: Value) -> Map<String, Value> {
    leave_out_nulls(&mut value);
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn leave_out_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => members.retain(|_, member| {
            leave_out_nulls(member);
            !member.is_null()
        }),
        Value::Array(items) => items.iter_mut().for_each(leave_out_nulls),
        _ => {}
    }
}

/// Adds the members of another object.
pub(crate) fn add(data: &mut Value, more: Value) {
    if let (Value::Object(members), Value::Object(more)) = (data, more) {
        members.extend(more);
    }
}

/// Makes the data of a row from its id.
type Data<'w> = Box<dyn FnOnce(i64) -> Value + 'w>;

/// What is recorded on days, added in any order. Data are made when a row is handed out: those of
/// a large book would not fit into memory.
#[derive(Default)]
pub(crate) struct Diary<'w>(Vec<(Day, &'static str, Data<'w>)>);

impl<'w> Diary<'w> {
    pub(crate) fn add(&mut self, day: Day, collection: &'static str, data: impl FnOnce(i64) -> Value + 'w) {
        self.0.push((day, collection, Box::new(data)));
    }

    /// Hands out the rows by day, those of a day in the order in which they were added.
    pub(crate) fn rows(mut self, sink: Sink<'_>) -> ControlFlow<()> {
        self.0.sort_by_key(|(day, ..)| *day);
        let mut ids: BTreeMap<&'static str, i64> = BTreeMap::new();
        for (_, collection, data) in self.0 {
            let id = ids.entry(collection).or_default();
            *id += 1;
            sink(row(collection, *id, data(*id)))?;
        }
        ControlFlow::Continue(())
    }
}
