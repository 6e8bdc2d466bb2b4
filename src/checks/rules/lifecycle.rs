//! Checks from birth to disposal.

use crate::check::{Check, Rule};
use crate::day::Day;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, CalvingKind, Context, Illness, Leaving, Movement, MovementKind, State};

/// Days after a calving in which its illnesses come, and days before it in which they may.
const CALVING_DAYS: (i64, i64) = (60, 3);
/// Age up to which an animal has the illnesses of calves, months.
const CALF_MONTHS: f64 = 12.0;
/// Age from which an animal leaves by age, months.
const OLD_MONTHS: f64 = 48.0;

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("too-old-alive", Rule::Animal(too_old_alive))
        .row()
        .limits(&[Key::AgeMaxYears])
        .means("A living animal is older than *ageMaxYears*. Archived ancestors are left out.")
        .says("The animal is {years} {years:year/years} old and counts as alive.", "Животному {years} {years:год/года/лет}, и оно числится живым."),
    Check::fix("disposal-vs-state", Rule::Animal(disposal_vs_state))
        .row()
        .means("An animal counts as alive and has a day of leaving.")
        .says("The animal counts as alive, but left on {left}.", "Животное числится живым, но выбыло {left}."),
    Check::note("state-vs-disposal", Rule::Animal(state_vs_disposal))
        .row()
        .means("An animal left, but the day is missing, or the reason belongs to another way of leaving.")
        .says("The animal left, but {english}.", "Животное выбыло, но {russian}."),
    Check::fix("event-in-future", Rule::Animal(event_in_future))
        .row()
        .refuses()
        .means("An event, a movement, an evaluation, a classification or a grading is dated later than today.")
        .says("The date {day} lies in the future.", "Дата {day} в будущем."),
    Check::fix("event-before-birth", Rule::Animal(event_before_birth))
        .row()
        .refuses()
        .means("A row is dated before the birth of its animal. Evaluations are left out: the mean of the parents is known before.")
        .says("The date {day} lies before the birth of the animal ({birth}).", "Дата {day} раньше рождения животного ({birth})."),
    Check::fix("event-after-leaving", Rule::Animal(event_after_leaving))
        .row()
        .means("An event is dated after the day on which the animal left. Evaluations and gradings are left out: they go on.")
        .says("The date {day} lies after the animal left ({left}).", "Дата {day} позже выбытия животного ({left})."),
    Check::fix("event-vs-sex", Rule::Animal(event_vs_sex))
        .row()
        .refuses()
        .means("A male animal has a calving, a service, milk, or an event of females.")
        .says("This event is not one of a male animal.", "Такого события у самца быть не может."),
    Check::fix("movement-sequence", Rule::Animal(movement_sequence))
        .means("A movement does not follow from the one before: the animal was gone, came in while it was there, or left from an organisation that did not have it. Of movements that took effect; absences change nothing.")
        .says("The movement of {day} does not follow from that of {before}.", "Перемещение {day} не следует из перемещения {before}."),
    Check::note("movement-gap", Rule::Animal(movement_gap))
        .limits(&[Key::MoveGapDays])
        .means("More than *moveGapDays* lie between leaving the book and coming back.")
        .says("{days} {days:day/days} between leaving and coming back.", "Между выбытием и поступлением {days} {days:день/дня/дней}."),
    Check::note("movement-unconfirmed", Rule::Animal(movement_unconfirmed))
        .row()
        .limits(&[Key::ConfirmDays])
        .means("A movement waits for the seller for more than *confirmDays*.")
        .says("The seller has not confirmed for {days} {days:day/days}.", "Продавец не подтверждает {days} {days:день/дня/дней}."),
    Check::note("disposal-reason-implausible", Rule::Animal(disposal_reason_implausible))
        .row()
        .limits(&[Key::AfcMin, Key::BullMinMonths])
        .means("The reason for leaving does not fit: low yield, udder, slow milking or calving of a male animal or before *afcMin*; infertility before *bullMinMonths*; age before four years.")
        .says("The reason does not fit the sex or the age ({months} {months:month/months}).", "Причина не подходит полу или возрасту ({months} мес.)."),
    Check::note("cull-in-withdrawal", Rule::Animal(cull_in_withdrawal))
        .means("A cull lies between a treatment and the end of its withdrawal of meat. One whose carcass is disposed of in another way than eaten is left out.")
        .says("Culled on {day}; its meat is withdrawn until {until}, after the treatment of {treated}.", "Выбраковка {day}; по мясу ограничение до {until} после лечения {treated}."),
    Check::note("health-event-unfit", Rule::Animal(health_event_unfit))
        .limits(&[Key::BullMinMonths])
        .means("The illness does not fit: one of the womb without a calving or an abortion in the 60 days before (or three days after); one of the ovaries or the udder of a male animal; cysts before *bullMinMonths*; one of calves after twelve months.")
        .says("The illness does not fit the sex, the age or the last calving.", "Болезнь не подходит полу, возрасту или последнему отёлу."),
];

/// A row with a day.
struct Event<'a> {
    collection: &'static str,
    id: i64,
    day: Day,
    path: &'static str,
    female: bool,
    /// What makes it one of a kind on its day; none where others keep it so.
    key: Option<(i64, &'a str)>,
}

/// The eight collections of events.
fn events(animal: &Animal) -> impl Iterator<Item = Event<'_>> {
    let event = |collection, id, day, female, key| Event { collection, id, day, path: "date", female, key };
    let kind = |kind: CalvingKind| match kind {
        CalvingKind::Calving => 0,
        CalvingKind::OpeningAbortion | CalvingKind::Abortion => 1,
        CalvingKind::DryOff => 2,
    };
    let calvings = animal.calvings.iter().map(move |r| event("calvings", r.id, r.day, true, Some((kind(r.kind), ""))));
    let services = animal.services.iter().map(move |r| {
        let bull = (r.bull.unwrap_or(0), r.bull_text.as_deref().unwrap_or(""));
        event("inseminations", r.id, r.day, true, Some(bull))
    });
    let tests = animal.tests.iter().map(move |r| event("milk-tests", r.id, r.day, true, Some((r.source.into(), ""))));
    let weighings =
        animal.weighings.iter().map(move |r| event("weighings", r.id, r.day, false, Some((r.sign.into(), ""))));
    let visits = animal.visits.iter().map(|r| Event {
        collection: "milking-visits",
        id: r.id,
        day: Day(r.at.div_euclid(86_400)),
        path: "startedAt",
        female: true,
        key: None,
    });
    let dailies = animal.dailies.iter().map(move |r| event("daily-milkings", r.id, r.day, true, None));
    let health = animal.health.iter().map(move |r| event("health-events", r.id, r.day, false, Some((r.kind, ""))));
    let others = animal.others.iter().map(move |r| event("events", r.id, r.day, r.female, Some((r.kind.into(), ""))));
    calvings.chain(services).chain(tests).chain(weighings).chain(visits).chain(dailies).chain(health).chain(others)
}

/// What else is dated.
fn dated(animal: &Animal) -> impl Iterator<Item = Event<'_>> {
    let event = |collection, id, day, path| Event { collection, id, day, path, female: false, key: None };
    let movements = animal.movements.iter().map(move |r| event("movements", r.id, r.day, "date"));
    let exteriors = animal.exteriors.iter().map(move |r| event("animal-exteriors", r.id, r.day, "assessedAt"));
    let gradings =
        animal.gradings.iter().map(move |r| Event { key: Some((0, "")), ..event("gradings", r.id, r.day, "date") });
    movements.chain(exteriors).chain(gradings)
}

fn report<const N: usize>(
    animal: &Animal,
    event: &Event<'_>,
    reporter: &mut Reporter<'_>,
    values: [(&'static str, crate::finding::Value); N],
) {
    reporter.report(animal.row(event.collection, event.id, event.path), values);
}

pub(crate) fn duplicate_event(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    // The rows of one collection and day, which follow each other.
    let mut same: Vec<(i64, &str)> = Vec::new();
    let mut at: Option<(&str, Day)> = None;
    for event in events(animal).chain(dated(animal)) {
        let Some(key) = event.key else { continue };
        if at != Some((event.collection, event.day)) {
            at = Some((event.collection, event.day));
            same.clear();
        }
        if same.contains(&key) {
            report(animal, &event, reporter, [("day", event.day.into())]);
        } else {
            same.push(key);
        }
    }
}

fn too_old_alive(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (passport, limit) = (&animal.passport, reporter.limit(Key::AgeMaxYears));
    let alive = passport.state == State::Alive && !passport.archived;
    let years = passport.birth.filter(|_| alive).map(|birth| reporter.today().years_since(birth));
    if let Some(years) = years.filter(|years| *years > limit) {
        reporter.report(animal.at("state"), [("years", years.floor().into())]);
    }
}

fn disposal_vs_state(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let alive = animal.passport.state == State::Alive;
    if let Some(left) = animal.passport.disposal.filter(|_| alive) {
        reporter.report(animal.at("disposalDate"), [("left", left.into())]);
    }
}

fn state_vs_disposal(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let passport = &animal.passport;
    if passport.state == State::Alive {
        return;
    }
    let reason = passport.disposal_reason;
    let (path, words) = if passport.disposal.is_none() {
        ("disposalDate", ("the day is missing", "дата не указана"))
    } else if reason.is_some_and(|state| state != passport.state) {
        ("disposalReason", ("the reason belongs to another way of leaving", "причина относится к другому виду выбытия"))
    } else {
        return;
    };
    let values = [("english", words.0.into()), ("russian", words.1.into())];
    reporter.report(animal.at(path), values);
}

fn event_in_future(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let today = reporter.today();
    for event in events(animal).chain(dated(animal)).filter(|event| event.day > today) {
        report(animal, &event, reporter, [("day", event.day.into())]);
    }
    for row in animal.evaluations.iter().filter(|row| row.day > today) {
        let place = animal.row("animal-evaluations", row.id, "evaluatedAt");
        reporter.report(place, [("day", row.day.into())]);
    }
}

fn event_before_birth(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let Some(birth) = animal.passport.birth else {
        return;
    };
    for event in events(animal).chain(dated(animal)).filter(|event| event.day < birth) {
        let values = [("day", event.day.into()), ("birth", birth.into())];
        report(animal, &event, reporter, values);
    }
}

fn event_after_leaving(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let gone = animal.passport.state != State::Alive;
    let Some(left) = animal.passport.disposal.filter(|_| gone) else {
        return;
    };
    for event in events(animal).filter(|event| event.day > left) {
        let values = [("day", event.day.into()), ("left", left.into())];
        report(animal, &event, reporter, values);
    }
    for row in animal.exteriors.iter().filter(|row| row.day > left) {
        let values = [("day", row.day.into()), ("left", left.into())];
        reporter.report(animal.row("animal-exteriors", row.id, "assessedAt"), values);
    }
}

fn event_vs_sex(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    if animal.passport.male {
        for event in events(animal).filter(|event| event.female) {
            reporter.report(animal.row(event.collection, event.id, "animal"), []);
        }
    }
}

/// The movements that changed where the animal is.
fn effective(animal: &Animal) -> impl Iterator<Item = &Movement> {
    let moved = |row: &&Movement| row.applied && row.kind != MovementKind::Absence;
    animal.movements.iter().filter(moved)
}

fn movement_sequence(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    // Who has the animal, as far as the movements say.
    let mut holder: Option<i64> = None;
    let mut before = None;
    for row in effective(animal) {
        if let Some((state, day)) = before {
            let follows = match (state, row.kind) {
                (State::Culled | State::Dead, _) => false,
                (State::Sold, kind) => kind == MovementKind::Import,
                (State::Alive, MovementKind::Import) => false,
                (State::Alive, _) => holder.is_none() || row.from.is_none() || row.from == holder,
            };
            if !follows {
                let values = [("day", row.day.into()), ("before", Into::into(day))];
                reporter.report(animal.row("movements", row.id, "date"), values);
            }
        }
        holder = match row.kind {
            MovementKind::Transfer => row.from.or(holder),
            _ => row.to,
        };
        before = Some((row.leaves(), row.day));
    }
}

fn movement_gap(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.days(Key::MoveGapDays);
    let mut left: Option<Day> = None;
    for row in effective(animal) {
        let days = left.filter(|_| row.kind == MovementKind::Import).map(|left| row.day.since(left));
        if let Some(days) = days.filter(|days| *days > limit) {
            let place = animal.row("movements", row.id, "date");
            reporter.report(place, [("days", days.into())]);
        }
        left = (row.leaves() == State::Sold).then_some(row.day);
    }
}

fn movement_unconfirmed(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.days(Key::ConfirmDays);
    for row in animal.movements.iter().filter(|row| row.pending) {
        let days = reporter.today().since(row.recorded);
        if days > limit {
            let place = animal.row("movements", row.id, "confirmation");
            reporter.report(place, [("days", days.into())]);
        }
    }
}

fn disposal_reason_implausible(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (cow, breeding) = (reporter.limit(Key::AfcMin), reporter.limit(Key::BullMinMonths));
    for row in &animal.movements {
        let months = animal.passport.birth.map(|birth| row.day.months_since(birth));
        let younger = |limit: f64| months.is_some_and(|months| months < limit);
        let unfit = match row.reason {
            Leaving::Any => false,
            Leaving::Cow => animal.passport.male || younger(cow),
            Leaving::Breeding => younger(breeding),
            Leaving::Old => younger(OLD_MONTHS),
        };
        if unfit {
            let age = months.map_or_else(|| "–".into(), |months| months.floor().into());
            reporter.report(animal.row("movements", row.id, "reason"), [("months", age)]);
        }
    }
}

fn cull_in_withdrawal(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for row in animal.movements.iter().filter(|row| row.for_meat) {
        let treated = animal.health.iter().filter(|event| event.day <= row.day);
        let withdrawn = treated.filter_map(|event| Some((event.meat_withdrawal?, event.day)));
        if let Some((until, treated)) = withdrawn.max().filter(|(until, _)| row.day <= *until) {
            let values = [("day", row.day.into()), ("until", until.into()), ("treated", treated.into())];
            reporter.report(animal.row("movements", row.id, "kind"), values);
        }
    }
}

fn health_event_unfit(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let breeding = reporter.limit(Key::BullMinMonths);
    for row in &animal.health {
        let months = animal.passport.birth.map(|birth| row.day.months_since(birth));
        let male = animal.passport.male;
        let unfit = match row.illness {
            Illness::Any => false,
            Illness::Udder => male,
            Illness::Ovaries => male || months.is_some_and(|months| months < breeding),
            Illness::Calf => months.is_some_and(|months| months > CALF_MONTHS),
            Illness::Calving => male || !calved_near(animal, row.day),
        };
        if unfit {
            reporter.report(animal.row("health-events", row.id, "type"), []);
        }
    }
}

/// A calving or an abortion in the days before, or soon after.
fn calved_near(animal: &Animal, day: Day) -> bool {
    let (after, before) = CALVING_DAYS;
    let ends = animal.calvings.iter().filter(|row| row.kind != CalvingKind::DryOff);
    let mut days = ends.map(|row| day.since(row.day));
    days.any(|days| (-before..=after).contains(&days))
}
