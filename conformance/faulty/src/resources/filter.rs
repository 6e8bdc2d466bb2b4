//! The filters of a list, and the documents that fit.

use crate::book::{Book, Record};
use crate::fault::Fault;
use crate::wire::answer::Problem;
use crate::wire::request::{Request, instant};
use crate::world::World;
use ade::catalog::{CollectionEntry, Filter};
use serde_json::{Value, json};

const DAY: i64 = 86_400_000;

/// The filters of a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// Windows: from that time on, before that time; epoch milliseconds.
    windows: Vec<(Filter, Option<i64>, Option<i64>)>,
    /// Pairs, of which one must fit.
    pairs: Vec<(Filter, Vec<Value>)>,
    /// Codes, of which one must fit.
    codes: Vec<(&'static str, Vec<String>)>,
}

/// Parameters that no list takes for filters.
const OTHERS: [&str; 4] = ["page", "pageSize", "after", "format"];

impl Wanted {
    /// Reads the query, or returns all its faults. Also returns the names of unknown parameters.
    pub(crate) fn read(
        world: &World,
        entry: &CollectionEntry,
        request: &Request,
    ) -> Result<(Self, Vec<String>), Vec<Problem>> {
        let mut filters: Vec<Filter> = entry.all_filters().collect();
        if !filters.contains(&Filter::Modified) && entry.scoped {
            filters.push(Filter::Modified);
        }
        let mut wanted = Self::default();
        let mut problems = Vec::new();
        let empty = request.query.iter().any(|(_, value)| value.is_empty());
        if empty && world.is(Fault::EmptyParameterCrashes) {
            return Err(Problem::new(500, "internal", "a value is missing").into());
        }
        for filter in &filters {
            if !wanted.group(world, *filter, request, &mut problems) {
                let needed = entry.required.contains(filter);
                if needed && !world.is(Fault::RequiredFilterOptional) {
                    let name = filter.parameters().first().copied().unwrap_or_default();
                    let mut problem = Problem::parameter(name, format!("{name} is needed."));
                    problem.code = "field-missing";
                    problems.push(problem);
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let known = |name: &str| OTHERS.contains(&name) || filters.iter().any(|f| f.parameters().contains(&name));
        let mut ignored: Vec<String> = Vec::new();
        for (name, _) in &request.query {
            if !known(name) && !ignored.contains(name) {
                ignored.push(name.clone());
            }
        }
        Ok((wanted, ignored))
    }

    /// Reads the parameters of a group; returns whether there were any.
    fn group(&mut self, world: &World, filter: Filter, request: &Request, problems: &mut Vec<Problem>) -> bool {
        let names = filter.parameters();
        let (first, second) = (names.first().copied().unwrap_or_default(), names.get(1).copied());
        if !names.iter().any(|name| request.parameter(name).is_some()) {
            return false;
        }
        let Some(second) = second else {
            let answer = ade::catalog::Catalog::get().answer(first);
            let values = request.parameters(first).map(|value| {
                let now = answer.and_then(|answer| answer.older.get(value));
                now.cloned().unwrap_or_else(|| value.to_owned())
            });
            self.codes.push((first, values.collect()));
            return true;
        };
        if filter.is_window() {
            let whole_day = filter == Filter::Dates;
            let mut end = |name: &str, last: bool| {
                let text = request.parameter(name)?;
                let read = read_instant(world, text);
                if read.is_none() {
                    let detail = format!("{name} must be a date-time or a date that exists.");
                    problems.push(Problem::parameter(name, detail));
                }
                let bare = text.len() == 10 && whole_day && last;
                let inclusive = bare && !world.is(Fault::DateToExclusive);
                read.map(|at| if inclusive { at + DAY } else { at })
            };
            let (from, to) = (end(first, false), end(second, true));
            self.windows.push((filter, from, to));
            return true;
        }
        let schemes: Vec<&str> = request.parameters(first).collect();
        let ids: Vec<&str> = request.parameters(second).collect();
        if schemes.is_empty() || ids.is_empty() {
            let (missing, had) = match ids.is_empty() {
                true => (second, first),
                false => (first, second),
            };
            let detail = format!("{missing} is needed together with {had}.");
            problems.push(Problem::parameter(missing, detail));
            return true;
        }
        let pairs = ids.iter().enumerate().filter_map(|(at, id)| {
            let scheme = schemes.get(at).or_else(|| schemes.first())?;
            Some(json!({"scheme": scheme, "id": id}))
        });
        self.pairs.push((filter, pairs.collect()));
        true
    }

    pub(crate) fn fits(&self, world: &World, book: &Book, record: &Record) -> bool {
        if self.windows.is_empty() && self.pairs.is_empty() && self.codes.is_empty() {
            return true;
        }
        let kind = record.document.get("resourceType").and_then(Value::as_str);
        let keys = ade::keys::of(kind.unwrap_or_default(), &record.document);
        let times = |parameter: &str| -> Vec<i64> {
            let found = keys.iter().filter(|key| key.parameter == parameter);
            found.filter_map(|key| key.at).collect()
        };
        let event = record.document.get("eventDateTime").and_then(Value::as_str);
        let event = event.and_then(ade::time::parse);
        let late = match world.is(Fault::DateFromExclusive) {
            true => DAY,
            false => 0,
        };
        let windows = self.windows.iter().all(|(filter, from, to)| match filter {
            Filter::Modified => self.modified(world, record.modified, *from, *to),
            Filter::Dates => {
                let starts = event.map_or_else(|| times("date-from"), |at| vec![at]);
                let ends = event.map_or_else(|| times("date-to"), |at| vec![at]);
                world.is(Fault::DateFilterIgnored)
                    || starts.iter().any(|at| from.is_none_or(|from| *at >= from + late))
                        && ends.iter().any(|at| to.is_none_or(|to| *at < to))
            }
            _ => {
                let starts = times("report-start-date-time");
                let ends = times("report-end-date-time");
                world.is(Fault::ReportFilterIgnored)
                    || starts.iter().any(|at| from.is_none_or(|from| *at >= from))
                        && ends.iter().any(|at| to.is_none_or(|to| *at <= to))
            }
        });
        let one_of = |(filter, pairs): &(Filter, Vec<Value>)| {
            let mut pairs = pairs.iter();
            pairs.any(|pair| pair_fits(world, book, record, *filter, pair))
        };
        let both = !self.pairs.is_empty() && !self.windows.is_empty();
        if both && world.is(Fault::FiltersAreAlternatives) {
            return windows || self.pairs.iter().any(one_of);
        }
        windows
            && self.pairs.iter().all(one_of)
            && self.codes.iter().all(|(parameter, values)| {
                let found = keys.iter().filter(|key| key.parameter == *parameter);
                let ignored = world.is(Fault::CodeFilterIgnored);
                ignored || found.into_iter().any(|key| values.contains(&key.value))
            })
    }

    fn modified(&self, world: &World, at: i64, from: Option<i64>, to: Option<i64>) -> bool {
        if world.is(Fault::ModifiedFilterIgnored) {
            return true;
        }
        let after = from.is_none_or(|from| match world.is(Fault::ModifiedFromExclusive) {
            true => at > from,
            false => at >= from,
        });
        let before = to.is_none_or(|to| at < to);
        after && (before || world.is(Fault::ModifiedToIgnored))
    }
}

fn read_instant(world: &World, text: &str) -> Option<i64> {
    if world.is(Fault::OffsetIgnored)
        && let Some(civil) = text.get(..19).filter(|_| text.len() > 19)
    {
        return ade::time::parse(&format!("{civil}Z"));
    }
    let read = instant(text);
    if read.is_none() && world.is(Fault::BadTimeAccepted) {
        return Some(0);
    }
    read
}

fn pair_fits(world: &World, book: &Book, record: &Record, filter: Filter, pair: &Value) -> bool {
    // A server that returns another scheme (`SchemeIsWords`) also accepts it in filters.
    let words = json!({"scheme": "Ear tag", "id": pair.get("id")});
    let with_scheme = json!({"scheme": crate::seed::ANIMAL_SCHEME, "id": pair.get("id")});
    let pair = match world.is(Fault::SchemeIsWords) && *pair == words {
        true => &with_scheme,
        false => pair,
    };
    let same = |one: &Value, other: &Value| {
        let member = |m: &str| one.get(m) == other.get(m);
        match filter == Filter::Animal && world.is(Fault::AnimalSchemeIgnored) {
            true => member("id"),
            false => member("id") && member("scheme"),
        }
    };
    if filter == Filter::Animal && world.is(Fault::AnimalFilterIgnored) {
        return true;
    }
    let is = |shown: &Value| {
        if filter == Filter::Animal && world.is(Fault::AnimalByPrefix) {
            let text = |v: &Value| v.get("id").and_then(Value::as_str).map(str::to_owned);
            let (Some(one), Some(wanted)) = (text(shown), text(pair)) else {
                return false;
            };
            return one.starts_with(&wanted) && shown.get("scheme") == pair.get("scheme");
        }
        same(shown, pair)
    };
    if filter == Filter::Metric {
        let statistics = record.document.get("statistics").and_then(Value::as_array);
        let statistics = statistics.into_iter().flatten();
        let mut metrics = statistics.filter_map(|one| one.get("metric"));
        return world.is(Fault::CodeFilterIgnored) || metrics.any(is);
    }
    if filter == Filter::Identifier && world.is(Fault::IdentifierFilterIgnored) {
        return true;
    }
    let mut shown: Vec<&Value> = Vec::new();
    for member in ["animal", "identifier"] {
        shown.extend(record.document.get(member));
    }
    let also = record.document.get("alternativeIdentifiers");
    shown.extend(also.and_then(Value::as_array).into_iter().flatten());
    if shown.iter().any(|one| is(one)) {
        return true;
    }
    let animal = record.document.get("animal");
    if animal.is_some_and(|own| book.same_animal(own, pair)) {
        return true;
    }
    if filter != Filter::Identifier {
        return false;
    }
    let text = |name: &str| pair.get(name).and_then(Value::as_str).unwrap_or_default();
    let wanted = ade::keys::pair(text("scheme"), text("id"));
    let kind = record.document.get("resourceType").and_then(Value::as_str);
    let keys = ade::keys::of(kind.unwrap_or_default(), &record.document);
    keys.iter().any(|key| key.parameter == "identifier-id" && key.value == wanted)
}
