//! Exterior of animals as a classifier scored it.

use super::current::{self, Place, is_current};
use super::exchange_rows::{refuse_changes, sender_fields};
use super::traits::{COMPOSITES, LINEAR, composites, scores};
use super::{Base, check, evaluation};
use crate::collections::dictionaries::lookups::{touched, written};
use crate::collections::events;
use crate::collections::events::measures::MOST_CALVINGS;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::record::{Record, Value};
use model::registry::{
    Collection, Decl, Draft, Field, PackageSet, Rule, day, fields, int, long_text, number, relation, select,
};

/// The collection.
pub(crate) fn animal_exteriors() -> Collection {
    evaluation("animal-exteriors", "assessedAt", Rule::Admin, fields())
        .singular("Exterior Score")
        .unique(&["animal", "assessedAt"])
        .headings(HEADINGS)
        .also_named("animal", &events::ANIMAL_NUMBERS)
        .unread(events::ANIMAL_NAMES)
        .package_set(PackageSet::new("exteriors", "events", &["animal", "assessedAt"]))
        .hooks(Behaviour)
        .doc("Exterior scores of animals; one row per animal is current.")
}

const HEADINGS: &[(&str, &str)] = &[
    ("animal", events::ANIMAL_HEADINGS),
    ("assessedAt", "Дата оценки|дата осмотра|дата|date"),
    ("lactation", "Номер отёла"),
    ("height", "Рост"),
    ("chestWidth", "Ширина груди"),
    ("bodyDepth", "Глубина туловища"),
    ("bodyType", "Тип телосложения"),
    ("rumpAngle", "Положение таза"),
    ("rumpWidth", "Ширина таза"),
    ("rearLegsRear", "Постановка задних ног (вид сзади)"),
    ("rearLegsSide", "Постановка задних ног (вид сбоку)"),
    ("hoofAngle", "Угол копыта"),
    ("frontLegs", "Ориентация передних ног"),
    ("movement", "Гармоничность движения"),
    ("foreUdder", "Прикрепление передних долей вымени"),
    ("frontTeatPlacement", "Расположение передних сосков"),
    ("teatLength", "Длина сосков"),
    ("udderDepth", "Глубина вымени"),
    ("rearUdder", "Прикрепление задних долей вымени"),
    ("centralLigament", "Центральная связка"),
    ("rearTeatPlacement", "Расположение задних сосков"),
    ("generalView", "Общий вид и развитие"),
    ("bodyVolume", "Объём туловища"),
    ("dairyCharacter", "Выраженность молочного типа"),
    ("legQuality", "Качество ног"),
    ("udderQuality", "Качество вымени"),
    ("rearBody", "Задняя часть туловища"),
    ("youngGeneral", "Молодняк: общий вид"),
    ("youngBody", "Молодняк: голова, шея, туловище, зад"),
    ("youngLegs", "Молодняк: конечности и копыта"),
    ("note", "Комментарий|примечание|comment|remark"),
];

/// The six summary scores, 50 to 100 points.
const SUMMARY: [(&str, &str); 6] = [
    ("generalView", "General appearance and development, points."),
    ("bodyVolume", "Volume of the body, points."),
    ("dairyCharacter", "Dairy character, points."),
    ("legQuality", "Quality of the legs, points."),
    ("udderQuality", "Quality of the udder, points."),
    ("rearBody", "Rear part of the body, points."),
];

/// Scores of young stock with their highest value.
const YOUNG: [(&str, f64, &str); 3] = [
    ("youngGeneral", 3.0, "General appearance of a young animal, points."),
    ("youngBody", 4.0, "Head, neck, body and rump of a young animal, points."),
    ("youngLegs", 3.0, "Legs and hooves of a young animal, points."),
];

/// Shares of four summary scores in the final score.
const SHARES: [(&str, f64); 4] =
    [("generalView", 0.15), ("dairyCharacter", 0.15), ("legQuality", 0.30), ("udderQuality", 0.40)];

/// Lowest final score of each class; below the last it is poor.
const CLASSES: [(f64, &str); 5] = [(90.0, "EX"), (85.0, "VG"), (80.0, "GP"), (75.0, "G"), (65.0, "F")];

fn fields() -> Vec<Decl> {
    let mut fields: Vec<Decl> = fields![
        day("assessedAt").required().indexed() => "Day of the assessment.",
        int("lactation").range(0.0, MOST_CALVINGS) => "Number of the last calving before it, 0 before the first.",
        relation("assessor", "technicians") => "Person who scored the animal.",
        relation("assessorOrg", "organizations") => "Organisation for which that person scored.",
        is_current(),
    ];
    fields.extend(scores().chain(composites()).map(Decl::from));
    fields.extend((SUMMARY.iter()).map(|(name, doc)| number(name).range(50.0, 100.0).doc(doc).into()));
    fields.push(
        number("finalScore")
            .server()
            .doc("Weighted mean of general view and dairy character (15 % each), legs (30 %) and udder (40 %), one decimal, when all four were scored; else what a classifier stated.")
            .into(),
    );
    fields.push(
        select("finalClass", "EX|VG|GP|G|F|P")
            .server()
            .doc(
                "Class of the final score: excellent from 90, very good 85, good plus 80, good 75, fair 65, else poor.",
            )
            .into(),
    );
    let young =
        |(name, most, doc): &(&'static str, f64, &'static str)| -> Field { number(name).range(1.0, *most).doc(doc) };
    fields.extend(YOUNG.iter().map(|y| Decl::from(young(y))));
    fields.push(long_text("note").doc("Remark.").into());
    fields.extend(sender_fields());
    fields
}

slots!(Exteriors of "animal-exteriors" {
    animal, date: "assessedAt", current: "isCurrent", verification, score: "finalScore", class: "finalClass",
    package: "submission",
});

pub(super) fn place() -> Place {
    let s = Exteriors::get();
    Place {
        slug: "animal-exteriors",
        animal: s.animal,
        current: s.current,
        date: s.date,
        fields: &["animal", "isCurrent", "assessedAt", "submission"],
        waits: None,
        // What farms bring along in packages gives way to classifiers and the Association.
        rank: |row| (usize::from(!row.get(Exteriors::get().package).is_null()), 0),
    }
}

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        events::stamp(collection, context, drafts).await
    }
    check(collection, context, drafts) {
        let s = Exteriors::get();
        let base = Base {
            animal: s.animal,
            date: s.date,
            verification: s.verification,
            before_birth: false,
        };

        check(collection, context, drafts, base).await?;
        for draft in written(drafts) {
            scored(collection, draft);
        }
        refuse_changes(collection, context.caller(), drafts);
        Ok(())
    }
    effects(context, changes) {
        let place = place();
        current::follow(place, context, &touched(changes, place.animal)).await
    }
});

/// At least one score, and what follows from the scores.
fn scored(collection: &Collection, draft: &mut Draft) {
    let s = Exteriors::get();
    // A classifier may state it without the scores that it is made of.
    let computed = |row: &Record| final_score(collection, row);
    let stated = || {
        let before = draft.old.as_ref().and_then(computed);
        before.map_or_else(|| draft.new.get(s.score).num(), |_| None)
    };
    let score = computed(&draft.new).or_else(stated);
    draft.new.set(s.score, score);
    draft.new.set(s.class, score.map(class));
    let filled = |name: &str| !draft.new.get(collection.at(name)).is_null();
    let names = (LINEAR.iter().map(|l| l.0))
        .chain(COMPOSITES.iter().map(|c| c.0))
        .chain(SUMMARY.iter().map(|s| s.0))
        .chain(YOUNG.iter().map(|y| y.0));
    // A score that cannot be read was meant as one, and has its own fault.
    let is_faulty = |name: &str| draft.issues.iter().any(|i| i.path == name);
    if score.is_none() && !names.into_iter().any(|name| filled(name) || is_faulty(name)) {
        let message = "An assessment has at least one score.";
        draft.fault("generalView", "required", message);
    }
}

fn final_score(collection: &Collection, row: &Record) -> Option<f64> {
    let parts = SHARES.map(|(name, share)| {
        let points = row.get(collection.at(name)).num();
        points.map(|points| points * share)
    });
    let sum: Option<f64> = parts.into_iter().sum();
    sum.map(|sum| (sum * 10.0).round() / 10.0)
}

fn class(score: f64) -> Value {
    let class = CLASSES.iter().find(|(least, _)| score >= *least);
    Value::from(class.map_or("P", |(_, word)| word))
}

#[cfg(test)]
mod tests {
    use super::class;
    use model::record::Value;

    #[test]
    fn classes_begin_at_their_thresholds() {
        for (score, word) in [
            (100.0, "EX"),
            (90.0, "EX"),
            (89.9, "VG"),
            (85.0, "VG"),
            (84.9, "GP"),
            (80.0, "GP"),
            (79.9, "G"),
            (75.0, "G"),
            (74.9, "F"),
            (65.0, "F"),
            (64.9, "P"),
            (50.0, "P"),
        ] {
            assert_eq!(class(score), Value::from(word), "{score}");
        }
    }
}
