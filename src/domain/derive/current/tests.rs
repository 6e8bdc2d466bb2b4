use super::{
    CalvingEvent, CalvingRow, Current, Facts, LactationStatus, Observation, Observed, ReproductionStatus, Service,
    ServiceResult, current, expected_calving,
};
use crate::derive::DAY_MS;
use test_support::table;

const fn at(day: i64) -> i64 {
    (20_000 + day) * DAY_MS
}

const fn row(day: i64, number: i64, event: CalvingEvent) -> CalvingRow {
    CalvingRow { date: at(day), number, event }
}

const fn service(day: i64, result: ServiceResult) -> Service {
    Service { date: at(day), embryo: false, result, foetus_count: None, checked: None }
}

const CALVED: [CalvingRow; 2] = [row(-400, 1, CalvingEvent::Calving), row(0, 2, CalvingEvent::Calving)];

const NOTHING: Facts<'static> =
    Facts { female: true, calvings: &[], services: &[], observations: &[], disposal: None, today: at(0) };

fn on(day: i64, facts: Facts<'_>) -> Current {
    current(&Facts { today: at(day), ..facts })
}

#[test]
fn the_day_decides_the_stage_of_lactation() {
    let facts = Facts { calvings: &CALVED, ..NOTHING };
    let stage = |day| on(day, facts).lactation_status;
    assert_eq!(stage(0), Some(LactationStatus::Fresh));
    assert_eq!(stage(21), Some(LactationStatus::Fresh));
    assert_eq!(stage(22), Some(LactationStatus::Early));
    assert_eq!(stage(100), Some(LactationStatus::Early));
    assert_eq!(stage(101), Some(LactationStatus::Lactating));
    assert_eq!(on(101, facts).days_in_milk, Some(101));
    assert_eq!((on(5, facts).parity, on(-5, facts).parity), (Some(2), Some(1)));
}

#[test]
fn a_dry_cow_moves_to_the_close_up_group_before_calving() {
    let mut calvings = CALVED.to_vec();
    calvings.push(row(300, 2, CalvingEvent::DryOff));
    let services = [service(80, ServiceResult::Pregnant)];
    let facts = Facts { calvings: &calvings, services: &services, ..NOTHING };
    let dry = on(310, facts);
    assert_eq!(dry.lactation_status, Some(LactationStatus::Dry));
    assert_eq!(dry.days_in_milk, None);
    assert_eq!(dry.last_dry_off_date, Some(at(300)));
    assert_eq!(dry.expected_calving_date, Some(at(359)));
    assert_eq!(on(337, facts).lactation_status, Some(LactationStatus::Dry));
    assert_eq!(on(338, facts).lactation_status, Some(LactationStatus::Lead));
}

#[test]
fn the_latest_fact_decides_the_reproduction_status() {
    let services =
        [service(60, ServiceResult::Empty), service(81, ServiceResult::Unknown), service(102, ServiceResult::Pregnant)];
    let facts = Facts { calvings: &CALVED, services: &services, ..NOTHING };
    let status = |day| on(day, facts).reproduction_status.unwrap();
    assert_eq!(status(59), ReproductionStatus::Birthed);
    assert_eq!(status(60), ReproductionStatus::NotPregnant);
    assert_eq!(status(81), ReproductionStatus::Inseminated);
    assert_eq!(status(150), ReproductionStatus::Pregnant);
    let services_on = |day| on(day, facts).services;
    assert_eq!([59, 60, 81, 150].map(services_on), [0, 1, 2, 3].map(Some));
    assert_eq!(on(81, facts).expected_calving_date, None);
    assert_eq!(on(150, facts).expected_calving_date, Some(at(102 + 279)));
    // Of a cow without rows nothing is known.
    assert_eq!(on(0, NOTHING), Current::default());
}

#[test]
fn an_abortion_ends_the_pregnancy() {
    let mut calvings = CALVED.to_vec();
    calvings.push(row(200, 2, CalvingEvent::Abortion));
    let services = [service(80, ServiceResult::Pregnant)];
    let facts = Facts { calvings: &calvings, services: &services, ..NOTHING };
    let after = on(201, facts);
    assert_eq!(after.reproduction_status, Some(ReproductionStatus::Open));
    assert_eq!(after.expected_calving_date, None);
    assert_eq!((after.parity, after.services), (Some(2), Some(0)));
}

#[test]
fn embryos_and_twins() {
    let twins = Service { embryo: true, foetus_count: Some(2), ..service(80, ServiceResult::Pregnant) };
    let status = on(150, Facts { services: &[twins], ..NOTHING });
    assert_eq!(status.reproduction_status, Some(ReproductionStatus::PregnantMultipleFoetus));
    assert_eq!(status.expected_calving_date, Some(at(80 + 272)));
    assert_eq!(expected_calving(at(0) + 5, false), at(279));
}

#[test]
fn observations_count_while_they_are_the_newest() {
    let saw = |day: i64, fact| Observation { date: at(day), fact };
    let observations = [
        saw(50, Observed::DoNotBreed(true)),
        saw(70, Observed::DoNotBreed(false)),
        saw(90, Observed::PregnancyCheck(ServiceResult::Pregnant)),
        saw(95, Observed::Lactation(LactationStatus::Dry)),
    ];
    let facts = Facts { calvings: &CALVED, observations: &observations, ..NOTHING };
    assert_eq!(on(60, facts).reproduction_status, Some(ReproductionStatus::DoNotBreed));
    assert_eq!(on(71, facts).reproduction_status, Some(ReproductionStatus::Birthed));
    assert_eq!(on(91, facts).reproduction_status, Some(ReproductionStatus::Pregnant));
    assert_eq!(on(91, facts).expected_calving_date, None);
    assert_eq!(on(96, facts).lactation_status, Some(LactationStatus::Dry));
    let served = [service(92, ServiceResult::Unknown)];
    let later = on(100, Facts { services: &served, ..facts });
    // A later service does not end a pregnancy that was found, a later negative check does.
    assert_eq!(later.reproduction_status, Some(ReproductionStatus::Pregnant));
    for fact in [Observed::NotInCalf, Observed::PregnancyCheck(ServiceResult::Empty)] {
        let observations = [&observations[..], &[saw(99, fact)]].concat();
        let facts = Facts { services: &served, observations: &observations, ..facts };
        let status = match fact {
            Observed::NotInCalf => ReproductionStatus::Inseminated,
            _ => ReproductionStatus::NotPregnant,
        };
        assert_eq!(on(100, facts).reproduction_status, Some(status));
    }
}

#[test]
fn she_is_in_calf_by_the_service_that_was_found_to_be_fruitful() {
    let service_checked = |day, result, checked: i64| Service { checked: Some(at(checked)), ..service(day, result) };
    let first = service_checked(60, ServiceResult::Pregnant, 140);
    let saw = |day, fact| Observation { date: at(day), fact };
    for (services, observations, calvings, by) in table![
        // Served again, by mistake or not, and that failed.
        vec![first, service(101, ServiceResult::Unknown)], vec![], vec![], Some(60);
        vec![first, service_checked(101, ServiceResult::Empty, 160)], vec![], vec![], Some(60);
        vec![first, service(145, ServiceResult::Unknown)], vec![], vec![], Some(60);
        // Of two that were found in calf the one that was found last.
        vec![first, service_checked(101, ServiceResult::Pregnant, 160)], vec![], vec![], Some(101);
        vec![service_checked(60, ServiceResult::Pregnant, 170), service_checked(101, ServiceResult::Pregnant, 160)],
            vec![], vec![], Some(60);
        // A later negative check ends it, one of the same day is about another service.
        vec![first], vec![saw(141, Observed::NotInCalf)], vec![], None;
        vec![first], vec![saw(140, Observed::NotInCalf)], vec![], Some(60);
        vec![first], vec![], vec![row(150, 2, CalvingEvent::Abortion)], None;
        vec![first], vec![], vec![row(150, 3, CalvingEvent::Calving)], None;
        vec![first], vec![], vec![row(150, 2, CalvingEvent::DryOff)], Some(60);
        vec![], vec![], vec![], None;
    ] {
        let calvings = [&CALVED[..], &calvings].concat();
        let facts = Facts { calvings: &calvings, services: &services, observations: &observations, ..NOTHING };
        let now = on(200, facts);
        let expected = by.map(|day| at(day + 279));
        assert_eq!(now.expected_calving_date, expected, "{services:?} {observations:?}");
        let status = now.reproduction_status.unwrap();
        assert_eq!(status == ReproductionStatus::Pregnant, by.is_some(), "{services:?} {observations:?}");
    }
}

#[test]
fn an_observed_stage_counts_after_the_day_of_a_calving_or_drying_off() {
    let saw = |day, status| [Observation { date: at(day) + 3_600_000, fact: Observed::Lactation(status) }];
    let dried = [CALVED[0], CALVED[1], row(305, 2, CalvingEvent::DryOff)];
    for (calvings, observations, expected) in table![
        &dried[..], saw(305, LactationStatus::Lactating), LactationStatus::Dry;
        &dried, saw(306, LactationStatus::Lactating), LactationStatus::Lactating;
        &dried[..2], saw(0, LactationStatus::Dry), LactationStatus::Lactating;
        &dried[..2], saw(305, LactationStatus::Dry), LactationStatus::Dry;
    ] {
        let facts = Facts { calvings, observations: &observations, ..NOTHING };
        let now = on(539, facts);
        assert_eq!(now.lactation_status, Some(expected), "{observations:?}");
        assert_eq!(now.days_in_milk.is_none(), expected == LactationStatus::Dry);
    }
}

#[test]
fn an_abortion_that_opens_a_lactation_puts_the_cow_in_milk() {
    let calvings = [CALVED[1], row(300, 2, CalvingEvent::DryOff), row(350, 3, CalvingEvent::OpeningAbortion)];
    let now = on(380, Facts { calvings: &calvings, ..NOTHING });
    assert_eq!((now.parity, now.days_in_milk), (Some(3), Some(30)));
    assert_eq!(now.lactation_status, Some(LactationStatus::Early));
    assert_eq!(now.last_calving_date, Some(at(350)));
}

#[test]
fn a_heifer_has_no_stage_until_calving_is_near() {
    let services = [service(0, ServiceResult::Pregnant)];
    let facts = Facts { services: &services, ..NOTHING };
    let heifer = on(100, facts);
    assert_eq!((heifer.parity, heifer.lactation_status), (Some(0), None));
    assert_eq!(on(260, facts).lactation_status, Some(LactationStatus::Lead));
}

#[test]
fn males_and_what_left_have_no_state() {
    let facts = Facts { calvings: &CALVED, ..NOTHING };
    assert_eq!(on(90, Facts { female: false, ..facts }), Current::default());
    let left = on(500, Facts { disposal: Some(at(30)), ..facts });
    assert_eq!((left.days_in_milk, left.lactation_status), (None, None));
    assert_eq!((left.parity, left.last_calving_date), (Some(2), Some(at(0))));
}

#[test]
fn what_left_is_not_in_calf_and_expects_nothing() {
    let services =
        [Service { date: at(60), embryo: false, result: ServiceResult::Pregnant, foetus_count: None, checked: None }];
    let facts = Facts { calvings: &CALVED, services: &services, ..NOTHING };
    let stays = on(120, facts);
    assert_eq!(stays.reproduction_status, Some(ReproductionStatus::Pregnant));
    assert!(stays.expected_calving_date.is_some());
    for (disposal, left) in [(110, true), (120, true), (121, false)] {
        let disposal = Some(at(disposal));
        let now = on(120, Facts { disposal, ..facts });
        assert_eq!(now.reproduction_status.is_none(), left, "{disposal:?}");
        assert_eq!(now.expected_calving_date.is_none(), left, "{disposal:?}");
        assert_eq!(now.last_insemination_date, Some(at(60)));
    }
}
