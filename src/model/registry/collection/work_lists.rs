//! Work lists (docs/pages.md, *Work lists*): records of an organisation of which something is to be done, by conditions on
//! their fields, the present day, and numbers that each group of records sets for itself. Must not know how they are
//! asked for.

use crate::record::time::{DAY_MS, to_iso};
use crate::registry::{Collection, Field, Kind};
use serde_json::{Value, json};

/// The work lists of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkLists {
    /// The relation to the group, whose fields have the numbers.
    pub group: &'static str,
    /// The field of groups and of organisations with their time zone.
    pub zone: &'static str,
    /// What holds for the records of all lists.
    pub common: &'static [WorkTest],
    pub lists: &'static [WorkList],
}

/// A work list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkList {
    /// Its word in addresses; what people call it is `work-<name>` of the messages.
    pub name: &'static str,
    /// The field of the group with the number of this list, whose default counts where it is empty.
    pub number: Option<&'static str>,
    /// What holds for its records.
    pub tests: &'static [WorkTest],
    /// The most urgent first.
    pub order: &'static [&'static str],
    /// When a record is due: the day of the first of these fields that is filled, and so many times the number, days.
    pub due: (&'static [&'static str], i64),
    /// Fields that it shows, besides what records are called by.
    pub columns: &'static [&'static str],
}

/// What must hold for a field; the number is that of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkTest {
    /// It has one of these words.
    OneOf(&'static str, &'static [&'static str]),
    /// It is not true.
    Not(&'static str),
    /// A day up to the present one and so many times the number of days.
    Until(&'static str, i64),
    /// The present day or a later one.
    FromToday(&'static str),
    /// Empty, or a day as long ago as the number says.
    NotSince(&'static str),
    /// More than the number.
    Above(&'static str),
    /// The number or more.
    AtLeast(&'static str),
}

/// Groups with the same number on the same day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkGroups {
    /// Their ids; those of the usual ones are not listed.
    pub ids: Vec<i64>,
    pub number: i64,
    /// The present day, epoch milliseconds of its beginning.
    pub today: i64,
}

impl WorkTest {
    /// The field.
    pub const fn path(self) -> &'static str {
        match self {
            Self::OneOf(path, _)
            | Self::Not(path)
            | Self::Until(path, _)
            | Self::FromToday(path)
            | Self::NotSince(path)
            | Self::Above(path)
            | Self::AtLeast(path) => path,
        }
    }

    /// As a condition of the REST dialect, for what is the case in so many days.
    fn condition(self, groups: &WorkGroups, ahead: i64) -> Value {
        let WorkGroups { number, today, .. } = *groups;
        let day = |days: i64| day_after(today, days);
        match self {
            Self::OneOf(path, words) => json!({path: {"in": words}}),
            Self::Not(path) => json!({path: {"not_equals": "true"}}),
            Self::Until(path, times) => json!({path: {"less_than_equal": day(ahead + times * number)}}),
            Self::FromToday(path) => json!({path: {"greater_than_equal": day(0)}}),
            Self::NotSince(path) => json!({"or": [
                {path: {"exists": "false"}},
                {path: {"less_than_equal": day(ahead - number)}},
            ]}),
            Self::Above(path) => json!({path: {"greater_than": number.to_string()}}),
            Self::AtLeast(path) => json!({path: {"greater_than_equal": number.to_string()}}),
        }
    }
}

/// The day so many days after another one, as conditions have it.
fn day_after(day: i64, days: i64) -> String {
    let iso = to_iso(day.saturating_add(days.saturating_mul(DAY_MS)));
    iso.get(..10).unwrap_or_default().to_owned()
}

impl WorkList {
    /// The day (`2026-03-01`) on which a record is due.
    pub fn due_day(&self, record: &Value, number: i64) -> Option<String> {
        let (paths, times) = self.due;
        let mut days = paths.iter().filter_map(|path| crate::display::at(record, path).as_str());
        let day = days.find_map(crate::record::time::parse)?;
        Some(day_after(day, times * number))
    }
}

impl WorkLists {
    /// A list by its word.
    pub fn list(&self, name: &str) -> Option<&'static WorkList> {
        self.lists.iter().find(|list| list.name == name)
    }

    /// The records of a list as a condition of the REST dialect, for what is the case in so many days. The last groups are
    /// the usual ones: all others, and records of no group.
    pub fn condition(&self, list: &WorkList, all: &[WorkGroups], ahead: i64) -> Value {
        let tests = |groups: &WorkGroups| -> Vec<Value> {
            let tests = self.common.iter().chain(list.tests);
            tests.map(|test| test.condition(groups, ahead)).collect()
        };
        let Some((usual, others)) = all.split_last() else {
            return json!({"id": {"exists": "false"}});
        };
        if others.is_empty() {
            return json!({"and": tests(usual)});
        }
        let listed: Vec<i64> = others.iter().flat_map(|groups| groups.ids.iter().copied()).collect();
        let among = |condition: Value, groups: &WorkGroups| {
            let mut all = tests(groups);
            all.insert(0, condition);
            json!({"and": all})
        };
        let mut parts: Vec<Value> =
            (others.iter()).map(|groups| among(json!({self.group: {"in": groups.ids}}), groups)).collect();
        let rest = json!({"or": [{self.group: {"exists": "false"}}, {self.group: {"not_in": listed}}]});
        parts.push(among(rest, usual));
        json!({"or": parts})
    }
}

impl Collection {
    /// Something is to be done of its records.
    pub fn work_lists(mut self, lists: &'static WorkLists) -> Self {
        self.ui.work_lists = Some(lists);
        self
    }
}

/// Every fault in what a declaration says of work lists; `find` finds collections by their slugs.
pub(super) fn check<'r>(
    c: &Collection,
    lists: &WorkLists,
    find: &dyn Fn(&str) -> Option<&'r Collection>,
    fault: &mut dyn FnMut(&str, &'static str, String),
) {
    let target = |path: &str| c.field(path).and_then(Field::target).and_then(find);
    let group = target(lists.group);
    let owner = c.access.subjects.first().and_then(|path| target(path));
    if ![group, owner].iter().all(|of| of.is_some_and(|of| of.field(lists.zone).is_some())) {
        fault(lists.group, "no-such-relation", "leads to no places of work lists".to_owned());
    }
    for list in lists.lists {
        let tests = lists.common.iter().chain(list.tests);
        let due = list.due.0.iter();
        let order = list.order.iter().map(|key| key.trim_start_matches('-'));
        let paths = tests.clone().map(|test| test.path()).chain(order);
        for path in paths.chain(due.copied()).chain(list.columns.iter().copied()) {
            if c.slot(path).is_none() {
                fault(path, "no-such-field", format!("stands in the work list {}", list.name));
            }
        }
        for test in tests {
            let WorkTest::OneOf(path, words) = test else { continue };
            for word in words.iter().filter(|word| !c.options(path).iter().any(|option| option == *word)) {
                fault(path, "not-an-option", format!("{word} is no word of it"));
            }
        }
        let number = list.number.map(|path| group.and_then(|group| group.field(path)));
        if number.is_some_and(|field| field.is_none_or(|field| field.kind != Kind::Int || field.default.is_none())) {
            fault(list.name, "no-such-field", "has no number with a default".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: WorkList = WorkList {
        name: "dry",
        number: Some("days"),
        tests: &[WorkTest::Until("due", 1), WorkTest::NotSince("tested")],
        order: &["due"],
        due: (&["tested", "due"], -1),
        columns: &[],
    };
    const LISTS: WorkLists =
        WorkLists { group: "herd", zone: "zone", common: &[WorkTest::Not("archived")], lists: &[LIST] };

    fn groups(ids: &[i64], number: i64) -> WorkGroups {
        WorkGroups { ids: ids.to_vec(), number, today: 1_771_545_600_000 }
    }

    #[test]
    fn each_group_has_its_own_number() {
        let tests = |due: &str, tested: &str| {
            vec![
                json!({"archived": {"not_equals": "true"}}),
                json!({"due": {"less_than_equal": due}}),
                json!({"or": [{"tested": {"exists": "false"}}, {"tested": {"less_than_equal": tested}}]}),
            ]
        };
        // 20 February 2026, and 60 or 30 days.
        assert_eq!(LISTS.condition(&LIST, &[groups(&[], 60)], 0), json!({"and": tests("2026-04-21", "2025-12-22")}));
        let both = LISTS.condition(&LIST, &[groups(&[7, 8], 30), groups(&[], 60)], 1);
        let mut own = tests("2026-03-23", "2026-01-22");
        own.insert(0, json!({"herd": {"in": [7, 8]}}));
        let mut usual = tests("2026-04-22", "2025-12-23");
        usual.insert(0, json!({"or": [{"herd": {"exists": "false"}}, {"herd": {"not_in": [7, 8]}}]}));
        assert_eq!(both, json!({"or": [{"and": own}, {"and": usual}]}));
    }

    #[test]
    fn the_first_day_that_is_known_decides_when_it_is_due() {
        let due = |record: Value| LIST.due_day(&record, 60);
        let day = "2026-04-21T00:00:00.000Z";
        assert_eq!(due(json!({"due": day})).as_deref(), Some("2026-02-20"));
        assert_eq!(due(json!({"due": "2020-01-01", "tested": day})).as_deref(), Some("2026-02-20"));
        assert_eq!(due(json!({"due": null})), None);
    }
}
