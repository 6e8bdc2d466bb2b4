//! Pregnancy checks and the services that they are about. Each check is an event of its own; the
//! latest one of a service is that service's result.

use super::Events;
use crate::collections::dictionaries::codes::PREGNANCY_METHOD;
use crate::collections::dictionaries::lookups::touched;
use crate::collections::dictionaries::lookups::{grouped, related};
use crate::collections::events::history::parities;
use crate::collections::slots::slots;
use crate::derive::day_of;
use crate::derive::lactation::{CalvingEvent, CalvingRow};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{Change, Command, HookContext, ID, Lookup};
use serde_json::Value as Json;
use std::collections::BTreeMap;

slots!(
    /// Slots of `events` that checks are read from.
    Checks of "events" {
        animal: "animal", date: "date", kind: "type", status: "status", result: "result",
        payload: "payload",
    }
);
slots!(
    /// Slots of `inseminations` that follow from checks.
    Services of "inseminations" {
        animal: "animal", date: "date", result: "result", checked: "pregnancyCheckDate",
        method: "pregnancyCheckMethod", foetuses: "foetusCount", check: "check",
        source: "checkAde.source", source_id: "checkAde.sourceId", extra: "checkAdeExtra",
    }
);
slots!(
    /// Slots of `insemination-results`.
    Results of "insemination-results" { meaning: "adeResult" }
);

/// Fields of a service that follow from its latest check.
const FOLLOWING: [&str; 5] = [
    "result",
    "pregnancyCheckDate",
    "pregnancyCheckMethod",
    "foetusCount",
    "check",
];

/// Brings services up to date with the checks of their animals.
pub(super) async fn tell(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let c = Checks::get();
    let is_check = |row: &Record| row.get(c.kind).text() == Some("pregnancyCheck");
    let changed: Vec<Change> = (changes.iter())
        .filter(|c| [&c.old, &c.new].into_iter().flatten().any(is_check))
        .cloned()
        .collect();
    let animals = touched(&changed, Events::get().animal);
    if animals.is_empty() {
        return Ok(());
    }
    let s = Services::get();
    let mut fields = vec!["animal", "date", "checkAde.source", "checkAde.sourceId"];
    fields.extend(FOLLOWING);
    fields.push("checkAdeExtra");
    let ids = || animals.iter().copied();
    let services = related(context, "inseminations", "animal", ids(), &fields).await?;
    if services.is_empty() {
        return Ok(());
    }
    let services = grouped(services, s.animal);
    let fields = ["animal", "date", "type", "status", "result", "payload"];
    let checks = related(context, "events", "animal", ids(), &fields).await?;
    let checks = (checks.into_iter())
        .filter(|row| is_check(row) && row.get(c.status).text() == Some("accepted"))
        .collect();
    let checks = grouped(checks, c.animal);
    let calvings = parities(context, ids()).await?;
    let meanings = meanings(context).await?;
    // The link to a check that was deleted went with it.
    let gone: Vec<&Record> = (changed.iter())
        .filter(|change| change.new.is_none())
        .filter_map(|change| change.old.as_ref())
        .collect();
    let (mut updates, mut moved) = (Vec::new(), Vec::new());
    for (animal, services) in &services {
        let calvings = calvings.get(animal).map_or(&[][..], Vec::as_slice);
        let checks = checks.get(animal).map_or(&[][..], Vec::as_slice);
        let latest = latest(services, checks, calvings);
        for service in services {
            let Some(id) = service.get(ID).int() else {
                continue;
            };
            let was = |check: &&Record| {
                check.get(c.animal).int() == Some(*animal)
                    && check.get(c.date) == service.get(s.checked)
            };
            let sent = !service.get(s.source).is_null();
            let own = service.get(s.check).is_null() && (sent || !gone.iter().any(was));
            let check = latest.get(&id).copied();
            let day = |value: &Value| value.time().map(day_of);
            let stays =
                own && day(service.get(s.checked)) > check.and_then(|row| day(row.get(c.date)));
            let wanted = match check {
                None if own => continue,
                Some(_) if stays => continue,
                Some(row) => following(row, &meanings),
                None => [const { Value::Null }; 5],
            };
            if own && sent {
                moved.push(as_event(*animal, service, &meanings));
            }
            let slots = [s.result, s.checked, s.method, s.foetuses, s.check];
            let mut changes: Vec<(String, Value)> = (FOLLOWING.iter().zip(slots).zip(wanted))
                .filter(|((_, slot), value)| service.get(*slot) != value)
                .map(|((path, _), value)| ((*path).to_owned(), value))
                .collect();
            if own && sent {
                let gone = ["checkAde.source", "checkAde.sourceId", "checkAdeExtra"];
                changes.extend(gone.map(|path| (path.to_owned(), Value::Null)));
            }
            if !changes.is_empty() {
                updates.push(Command::Update(id, changes));
            }
        }
    }
    if !updates.is_empty() {
        context.write("inseminations", updates).await?;
    }
    if !moved.is_empty() {
        context.write("events", moved).await?;
    }
    Ok(())
}

/// The latest check of each service: a check is about the last service before it, unless that
/// has ended by then.
fn latest<'r>(
    services: &[Record],
    checks: &'r [Record],
    calvings: &[CalvingRow],
) -> BTreeMap<i64, &'r Record> {
    let (c, s) = (Checks::get(), Services::get());
    let served = |row: &Record| row.get(s.date).time().map(day_of);
    let mut latest: BTreeMap<i64, &Record> = BTreeMap::new();
    for check in checks {
        let Some(date) = check.get(c.date).time().map(day_of) else {
            continue;
        };
        let ended = ended(calvings, date);
        let carrier = (services.iter())
            .filter(|row| served(row) <= Some(date) && served(row) > ended)
            .max_by_key(|row| (served(row), row.get(ID).int()));
        let Some(id) = carrier.and_then(|row| row.get(ID).int()) else {
            continue;
        };
        let place = latest.entry(id).or_insert(check);
        let order = |row: &Record| (row.get(c.date).time(), row.get(ID).int());
        if order(check) >= order(place) {
            *place = check;
        }
    }
    latest
}

/// Day of the last calving or abortion before a day: what was served before it is over.
fn ended(calvings: &[CalvingRow], day: i64) -> Option<i64> {
    (calvings.iter())
        .filter(|row| row.event != CalvingEvent::DryOff && day_of(row.date) <= day)
        .map(|row| day_of(row.date))
        .max()
}

/// The first entry of each meaning of a check.
async fn meanings(context: &mut dyn HookContext) -> Result<BTreeMap<String, i64>> {
    let mut meanings = BTreeMap::new();
    let lookup = Lookup::default().fields(&["adeResult"]);
    for row in context.find("insemination-results", lookup).await? {
        let word = row.get(Results::get().meaning).text();
        if let (Some(word), Some(id)) = (word, row.get(ID).int()) {
            let first = meanings.entry(word.to_owned()).or_insert(id);
            *first = (*first).min(id);
        }
    }
    Ok(meanings)
}

/// Values of [`FOLLOWING`] by a check.
fn following(check: &Record, meanings: &BTreeMap<String, i64>) -> [Value; 5] {
    let c = Checks::get();
    let result = check.get(c.result).text().unwrap_or("unknown");
    let told = |name: &str| check.get(c.payload).as_json()?.get(name);
    let method = told("method").and_then(Json::as_str);
    let method = method.and_then(|code| {
        let mut words = PREGNANCY_METHOD.split('|');
        words.find(|word| word.eq_ignore_ascii_case(code))
    });
    [
        Value::from(meanings.get(result).copied()),
        check.get(c.date).clone(),
        method.map_or(Value::Null, Value::from),
        Value::from(told("foetusCount").and_then(Json::as_i64)),
        Value::from(check.get(ID).int()),
    ]
}

/// The event of a check that a sender reported and that was stored in its service until now.
fn as_event(animal: i64, service: &Record, meanings: &BTreeMap<String, i64>) -> Command {
    let s = Services::get();
    let result = service.get(s.result).int();
    let word = meanings.iter().find(|(_, id)| Some(**id) == result);
    let mut payload = serde_json::Map::new();
    if let Some(method) = service.get(s.method).text() {
        let mut code = method.to_owned();
        if let Some(first) = code.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        payload.insert("method".to_owned(), code.into());
    }
    if let Some(count) = service.get(s.foetuses).int() {
        payload.insert("foetusCount".to_owned(), count.into());
    }
    let fields = [
        ("type", Value::from("pregnancyCheck")),
        ("animal", Value::Int(animal)),
        ("date", service.get(s.checked).clone()),
        (
            "result",
            word.map_or(Value::Null, |(word, _)| word.as_str().into()),
        ),
        ("payload", Value::json(Json::Object(payload))),
        ("ade.source", service.get(s.source).clone()),
        ("ade.sourceId", service.get(s.source_id).clone()),
        ("ade.dataset", Value::from("pregnancy-checks")),
        ("adeExtra", service.get(s.extra).clone()),
    ];
    Command::Create(
        fields
            .map(|(path, value)| (path.to_owned(), value))
            .to_vec(),
    )
}
