//! Gradings: the complex class of an animal. Uploads and the service write
//! them; with the switch `gradings.write` the owner of the animal does too.

use super::{Base, check, evaluation, views};
use crate::collections::Switches;
use crate::collections::dictionaries::lookups::touched;
use crate::collections::events;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::registry::{
    Capability, Collection, Decl, PackageSet, Rule, day, fields, long_text, number, relation, select,
};

/// Complex classes, best first.
pub(crate) const GRADES: &str = "eliteRecord|elite|first|second|outOfClass";

/// The collection.
pub(crate) fn gradings(switches: Switches) -> Collection {
    let write = if switches.gradings_write { Rule::Own(Capability::Data) } else { Rule::Nobody };
    evaluation("gradings", "date", write, fields())
        .sort("-date")
        .natural(&["animal", "date"])
        .headings(&[
            ("animal", events::ANIMAL_HEADINGS),
            ("date", "Дата оценки|дата бонитировки|дата|date"),
            ("grade", "Комплексный класс|класс|бонитировочный класс"),
            ("score", "Комплексный класс, балл|балл|баллы"),
        ])
        .also_named("animal", &events::ANIMAL_NUMBERS)
        .unread(events::ANIMAL_NAMES)
        .words("grade", WORDS)
        .package_set(PackageSet {
            marks: &["grade"],
            ..PackageSet::new("gradings", "events", &["animal", "date", "grade"])
        })
        .hooks(Behaviour)
        .doc("Gradings of animals.")
}

/// Words for the classes, as files have them.
const WORDS: &[(&str, &str)] = &[
    ("eliteRecord", "элита рекорд|элита-рекорд|э-р|эр"),
    ("elite", "элита|э"),
    ("first", "первый|первый класс|1 класс|i класс|i|1"),
    ("second", "второй|второй класс|2 класс|ii класс|ii|2"),
    ("outOfClass", "вне класса|внекласса|неклассный|в/к"),
];

fn fields() -> Vec<Decl> {
    fields![
        day("date").required().indexed() => "Day of the grading.",
        select("grade", GRADES).required() => "Complex class.",
        number("score").range(0.0, 100.0) => "Points of the complex class.",
        relation("assessorOrg", "organizations") => "Organisation that graded.",
        long_text("note") => "Remark.",
    ]
}

slots!(Gradings of "gradings" { animal, date, verification });

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        events::stamp(collection, context, drafts).await
    }
    check(collection, context, drafts) {
        let s = Gradings::get();
        let base = Base {
            animal: s.animal,
            date: s.date,
            verification: s.verification,
            before_birth: false,
        };
        check(collection, context, drafts, base).await
    }
    effects(context, changes) {
        let animals = touched(changes, Gradings::get().animal);
        views::graded(context, &animals).await
    }
});
