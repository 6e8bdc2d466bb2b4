//! Checks of services.

use crate::check::{Check, Rule};
use crate::day::exact;
use crate::finding::Visibility;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, CalvingKind, Context, Copies, Service};

pub(crate) const CHECKS: &[Check] = &[
    Check::fix("duplicate-event", Rule::Animal(crate::rules::lifecycle::duplicate_event))
        .means("Two events of one collection say the same of one day: calvings of one kind, services by one bull, milk tests of one source, weighings of one sign, health events and other events of one type, gradings. Reported for the later record.")
        .says("There is the same record of {day} already.", "За {day} уже есть такая же запись."),
    Check::fix("insemination-too-soon", Rule::Animal(insemination_too_soon))
        .limits(&[Key::VoluntaryWaitDays])
        .means("The cow was served less than *voluntaryWaitDays* after a calving.")
        .says("Served {days} {days:day/days} after the calving; at least {limit} are expected.", "Осеменение через {days} {days:день/дня/дней} после отёла; ожидается не менее {limit}."),
    Check::fix("pregnancy-check-before-insemination", Rule::Animal(pregnancy_check_before_insemination))
        .row()
        .means("The pregnancy check is not after the service.")
        .says("The pregnancy check of {checked} is not after the service of {day}.", "Проверка стельности {checked} не позже осеменения {day}."),
    Check::fix("bull-born-later", Rule::Animal(bull_born_later))
        .row()
        .means("The bull is born on the day of the service or after it.")
        .says("The bull {bull} is born on {birth}, not before the service.", "Бык {bull} рождён {birth}, не раньше осеменения."),
    Check::both("insemination-too-young", Rule::Animal(insemination_too_young))
        .row()
        .limits(&[Key::ServiceNoteDays, Key::ServiceFixDays])
        .means("The animal was served before the age of *serviceNoteDays*; before that of *serviceFixDays* it must be corrected.")
        .says("Served at the age of {days} {days:day/days}; usual are at least {limit}.", "Осеменение в возрасте {days} {days:дня/дней/дней}; обычно не раньше {limit}."),
    Check::note("services-too-close", Rule::Animal(services_too_close))
        .limits(&[Key::RepeatServiceDays])
        .means("Two services are less than *repeatServiceDays* apart. Two doses of one day are usual.")
        .says("Served {days} {days:day/days} after the service before; usual are at least {limit}.", "Осеменение через {days} {days:день/дня/дней} после предыдущего; обычно не раньше {limit}."),
    Check::fix("service-while-pregnant", Rule::Animal(service_while_pregnant))
        .limits(&[Key::GestFixMax])
        .means("The cow was served after a check had found her pregnant, before a calving or an abortion. A pregnancy older than *gestFixMax* is over.")
        .says("Served although the check of {checked} found her pregnant.", "Осеменение при стельности, подтверждённой {checked}."),
    Check::fix("bull-too-young", Rule::Animal(bull_too_young))
        .row()
        .limits(&[Key::BullMinMonths])
        .means("The bull was younger than *bullMinMonths* when the semen was collected, or at the service where that day is not known.")
        .says("The bull {bull} was {months} {months:month/months} old; usual are at least {limit}.", "Быку {bull} было {months} мес.; обычно не меньше {limit}."),
    Check::note("bull-unknown", Rule::Animal(bull_unknown))
        .row()
        .means("Neither a bull of the book nor a name is given.")
        .says("The bull is missing.", "Не указан бык."),
    Check::note("mating-inbreeding", Rule::Animal(mating_inbreeding))
        .row()
        .limits(&[Key::MatingInbreeding])
        .means("The expected inbreeding of the calf is above *matingInbreeding*.")
        .says("The calf is expected to be inbred by {inbreeding} %; advised are at most {limit}.", "Ожидаемый инбридинг потомка {inbreeding} %; рекомендуется не более {limit}."),
    Check::note("mating-carriers", Rule::Animal(mating_carriers))
        .row()
        .means("The cow and the bull both carry the same lethal haplotype. A transferred embryo is not hers and is left out.")
        .says("She and the bull {bull} carry the same lethal haplotype.", "Она и бык {bull} — носители одного летального гаплотипа."),
    Check::note("technician-inactive", Rule::Animal(technician_inactive))
        .row()
        .means("The technician is no longer active.")
        .says("The technician is no longer active.", "Техник больше не работает."),
];

const SLUG: &str = "inseminations";

fn insemination_too_soon(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::VoluntaryWaitDays);
    for row in &animal.services {
        let days = animal.calving_before(row.day).map(|calving| row.day.since(calving.day));
        if let Some(days) = days.filter(|days| exact(*days) < limit) {
            let values = [("days", days.into()), ("limit", limit.into())];
            reporter.report(animal.row(SLUG, row.id, "date"), values);
        }
    }
}

fn pregnancy_check_before_insemination(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    for row in &animal.services {
        if let Some(checked) = row.checked.filter(|checked| *checked <= row.day) {
            let values = [("checked", checked.into()), ("day", row.day.into())];
            reporter.report(animal.row(SLUG, row.id, "pregnancyCheckDate"), values);
        }
    }
}

fn bull_born_later(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    for row in &animal.services {
        let Some(bull) = context.kin(row.bull) else {
            continue;
        };
        if let Some(birth) = bull.birth.filter(|birth| *birth >= row.day) {
            let values = [("bull", bull.called().into()), ("birth", birth.into())];
            reporter.resting_on([(bull.id, Visibility::Row)]).report(animal.row(SLUG, row.id, "bull"), values);
        }
    }
}

fn insemination_too_young(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (note, fix) = (reporter.limit(Key::ServiceNoteDays), reporter.limit(Key::ServiceFixDays));
    let Some(birth) = animal.passport.birth else {
        return;
    };
    for row in &animal.services {
        let days = row.day.since(birth);
        if days >= 0 && exact(days) < note.max(fix) {
            let values = [("days", days.into()), ("limit", note.into())];
            reporter.grave(exact(days) < fix, animal.row(SLUG, row.id, "date"), values);
        }
    }
}

fn services_too_close(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::RepeatServiceDays);
    for (before, row) in animal.services.iter().zip(animal.services.iter().skip(1)) {
        let days = row.day.since(before.end.unwrap_or(before.day));
        if days > 0 && exact(days) < limit {
            let values = [("days", days.into()), ("limit", limit.into())];
            reporter.report(animal.row(SLUG, row.id, "date"), values);
        }
    }
}

fn service_while_pregnant(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let most = reporter.days(Key::GestFixMax);
    // The pregnancy that is open, and the calvings that are still to come.
    let mut open: Option<&Service> = None;
    let mut ends = animal.calvings.iter().filter(|row| row.kind != CalvingKind::DryOff).peekable();
    for row in &animal.services {
        while let Some(end) = ends.next_if(|end| end.day <= row.day) {
            open = open.filter(|service| end.day <= service.day);
        }
        let pregnant = open.and_then(|service| Some((service, service.checked?)));
        if let Some((service, checked)) = pregnant {
            let still = row.day.since(service.day) <= most;
            if still && checked < row.day && service.day < row.day {
                let place = animal.row(SLUG, row.id, "date");
                reporter.report(place, [("checked", checked.into())]);
            }
        }
        if row.pregnant {
            open = Some(row);
        }
    }
}

fn bull_too_young(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::BullMinMonths);
    for row in &animal.services {
        let Some(bull) = context.kin(row.bull) else {
            continue;
        };
        let used = row.collected.unwrap_or(row.day);
        let months = bull.birth.map(|birth| used.months_since(birth));
        // Not born yet is another check's.
        if let Some(months) = months.filter(|months| *months >= 0.0 && *months < limit) {
            let values = [("bull", bull.called().into()), ("months", months.into()), ("limit", limit.into())];
            reporter.resting_on([(bull.id, Visibility::Row)]).report(animal.row(SLUG, row.id, "bull"), values);
        }
    }
}

fn bull_unknown(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let unknown = |row: &&Service| row.bull.is_none() && row.bull_text.is_none();
    for row in animal.services.iter().filter(unknown) {
        reporter.report(animal.row(SLUG, row.id, "bull"), []);
    }
}

fn mating_inbreeding(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::MatingInbreeding);
    for row in &animal.services {
        if let Some(inbreeding) = row.expected_inbreeding.filter(|inbreeding| *inbreeding > limit) {
            let values = [("inbreeding", inbreeding.into()), ("limit", limit.into())];
            // Her pedigree is her own, and whoever reads the card of the bull reads his.
            reporter
                .resting_on(row.bull.map(|id| (id, Visibility::Card)))
                .report(animal.row(SLUG, row.id, "bull"), values);
        }
    }
}

fn mating_carriers(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let own: Vec<i64> = animal
        .passport
        .haplotypes
        .iter()
        .filter(|haplotype| haplotype.lethal && haplotype.copies != Copies::Free)
        .map(|haplotype| haplotype.kind)
        .collect();
    if own.is_empty() {
        return;
    }
    for row in animal.services.iter().filter(|row| !row.embryo) {
        let Some(bull) = context.kin(row.bull) else {
            continue;
        };
        let carries = |kind: &i64| bull.copies(*kind).is_some_and(|copies| copies != Copies::Free);
        if own.iter().any(carries) {
            reporter
                .resting_on([(bull.id, Visibility::Card)])
                .report(animal.row(SLUG, row.id, "bull"), [("bull", bull.called().into())]);
        }
    }
}

fn technician_inactive(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let inactive = |row: &&Service| row.technician_active == Some(false);
    for row in animal.services.iter().filter(inactive) {
        reporter.report(animal.row(SLUG, row.id, "technician"), []);
    }
}
