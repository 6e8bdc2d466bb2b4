//! Rows of `health-events`.

use crate::calendar::{Day, END, iso};
use crate::fields::Fields;
use crate::health::{Case, Entry, Line, Outcome};
use crate::tables::Tables;

const UDDER: [&str; 4] = [
    "udderFrontLeft",
    "udderFrontRight",
    "udderRearLeft",
    "udderRearRight",
];
/// Mostly the hind legs go lame.
const LEGS: [&str; 4] = [
    "legsRearLeft",
    "legsRearRight",
    "legsRearLeft",
    "legsFrontRight",
];
const OVARIES: [&str; 4] = ["ovariesLeft", "ovariesRight", "ovariesLeft", "ovariesRight"];

/// What is given: an invented medicine with the number of its registration.
struct Medicine {
    name: &'static str,
    number: &'static str,
    dose: f64,
    unit: &'static str,
    /// Days of the course, and after it without milk for delivery and without slaughter.
    days: i32,
    milk: i32,
    meat: i32,
}

const ANTIBIOTIC: Medicine = Medicine {
    name: "Демоцеф 50",
    number: "96-3-0001",
    dose: 12.5,
    unit: "MLT",
    days: 3,
    milk: 2,
    meat: 8,
};
const UDDER_TUBE: Medicine = Medicine {
    name: "Демомаст",
    number: "96-3-0002",
    dose: 1.0,
    unit: "SYR",
    days: 3,
    milk: 4,
    meat: 10,
};
const GLYCOL: Medicine = Medicine {
    name: "Демогликоль",
    number: "96-3-0003",
    dose: 300.0,
    unit: "MLT",
    days: 5,
    milk: 0,
    meat: 0,
};
const CALCIUM: Medicine = Medicine {
    name: "Демокальций 20 %",
    number: "96-3-0004",
    dose: 400.0,
    unit: "MLT",
    days: 1,
    milk: 0,
    meat: 0,
};
const PROSTAGLANDIN: Medicine = Medicine {
    name: "Демопрост",
    number: "96-3-0005",
    dose: 2.0,
    unit: "MLT",
    days: 1,
    milk: 0,
    meat: 2,
};
const ELECTROLYTE: Medicine = Medicine {
    name: "Деморегидрат",
    number: "96-3-0006",
    dose: 100.0,
    unit: "GRM",
    days: 3,
    milk: 0,
    meat: 0,
};

/// What is done about an illness, and with what.
fn remedy(illness: &str) -> (&'static str, Option<&'static Medicine>) {
    match illness {
        "mastitis" => ("Внутрицистернальное введение", Some(&UDDER_TUBE)),
        "ketosis" | "acidosis" => ("Дача внутрь", Some(&GLYCOL)),
        "milk-fever" => ("Внутривенное введение", Some(&CALCIUM)),
        "cyst" | "retained-placenta" => ("Внутримышечное введение", Some(&PROSTAGLANDIN)),
        "calf-diarrhoea" => ("Выпаивание", Some(&ELECTROLYTE)),
        "displaced-abomasum" => ("Хирургическая репозиция", Some(&ANTIBIOTIC)),
        "lameness" | "digital-dermatitis" => ("Расчистка копыт и повязка", None),
        _ => ("Подкожное введение", Some(&ANTIBIOTIC)),
    }
}

/// Where on the animal.
fn position(case: &Case) -> Option<&'static str> {
    let places = match case.illness {
        "mastitis" => &UDDER,
        "lameness" | "digital-dermatitis" => &LEGS,
        "cyst" => &OVARIES,
        _ => return None,
    };
    places.get(case.pick).copied()
}

/// The fields of a line.
pub(super) fn line(tables: &Tables, line: &Line, animal: i64) -> Fields {
    let case = &line.case;
    let (procedure, medicine) = remedy(case.illness);
    let code = match (line.entry, medicine) {
        (Entry::Found, _) => case.illness,
        (Entry::Treated, Some(_)) => "treatment",
        (Entry::Treated, None) => "trimming",
        (Entry::Seen(_), _) => "status",
    };
    let fields = Fields::new()
        .set("animal", animal)
        .set("date", iso(line.day))
        .maybe("type", tables.id("health-event-types", code))
        .set("severity", case.severity);
    match line.entry {
        Entry::Found => found(fields, case),
        Entry::Treated => treated(fields, case, procedure, medicine),
        Entry::Seen(status) => fields.set("observedStatus", status),
    }
}

fn found(fields: Fields, case: &Case) -> Fields {
    let over = (case.outcome != Outcome::Ongoing && case.end <= END).then(|| iso(case.end));
    fields
        .set("startDate", iso(case.day))
        .maybe("endDate", over)
        .set("stage", "acute")
        .maybe("positions", position(case).map(|place| vec![place]))
        .set("outcome", case.outcome.name())
}

fn treated(
    fields: Fields,
    case: &Case,
    procedure: &'static str,
    medicine: Option<&Medicine>,
) -> Fields {
    let fields = fields
        .set("procedure", procedure)
        .maybe("positions", position(case).map(|place| vec![place]))
        .set("startDate", iso(case.day));
    let Some(medicine) = medicine else {
        return fields.set("endDate", iso(case.day));
    };
    let last = case.day + medicine.days - 1;
    let until = |days: i32| (days > 0).then(|| iso(last + days));
    fields
        .set("endDate", iso(last))
        .set("medicine", given(medicine, case.day))
        .set("dose", medicine.dose)
        .set("doseUnit", medicine.unit)
        .maybe("milkWithdrawalUntil", until(medicine.milk))
        .maybe("meatWithdrawalUntil", until(medicine.meat))
}

/// A batch is bought each quarter and lasts two years.
fn given(medicine: &Medicine, day: Day) -> Fields {
    let quarter = day / 90;
    Fields::new()
        .set("name", medicine.name)
        .set("registeredId", medicine.number)
        .set("batch", format!("{}-{quarter}", medicine.number))
        .set("expiryDate", iso(quarter * 90 + 730))
}
