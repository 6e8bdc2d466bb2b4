//! Checks of exterior, evaluations and gradings.

use crate::check::{Check, Rule};
use crate::day::exact;
use crate::limits::Key;
use crate::reporter::Reporter;
use crate::window::{Animal, Class, Context};

pub(crate) const CHECKS: &[Check] = &[
    Check::note("exterior-out-of-window", Rule::Animal(exterior_out_of_window))
        .limits(&[Key::ExteriorDimMin, Key::ExteriorDimMax])
        .means("A cow was classified without a calving before, or outside day *exteriorDimMin* to *exteriorDimMax* of the lactation. Young animals have scores of their own and are left out.")
        .says("Classified on day {dim} after the calving; usual are {low} to {high}.", "Оценка экстерьера на {dim}-й день после отёла; обычно с {low} по {high}."),
    Check::note("exterior-first-max", Rule::Animal(exterior_first_max))
        .limits(&[Key::FirstScoreMax])
        .means("The final score of a cow in first lactation is above *firstScoreMax*, the highest that classifiers give then.")
        .says("Final score {score} in first lactation; at most {limit} are given.", "Итоговая оценка {score} в первую лактацию; ставят не более {limit}."),
    Check::note("eval-out-of-range", Rule::Animal(eval_out_of_range))
        .row()
        .limits(&[Key::EvalSdMax])
        .means("A forecast is more than *evalSdMax* standard deviations from the mean of its base.")
        .says("{trait}: {value} lies {deviations} standard deviations from the mean of the base.", "{trait}: {value} — {deviations} станд. откл. от среднего базы."),
    Check::fix("eval-base-unknown", Rule::Animal(eval_base_unknown))
        .row()
        .means("The version of the base is empty or is not among the bases of the book. The mean of the parents has no base of its own and needs none.")
        .says("The base {base} is unknown.", "База {base} неизвестна."),
    Check::note("grade-vs-score", Rule::Animal(grade_vs_score))
        .row()
        .limits(&[Key::GradeEliteRecord, Key::GradeElite, Key::GradeFirst, Key::GradeSecond])
        .means("The class of a grading is another one than its points make: *gradeEliteRecord*, *gradeElite*, *gradeFirst*, *gradeSecond* and more.")
        .says("{score} points make the class {english}.", "{score} баллов — это класс {russian}."),
];

fn exterior_out_of_window(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let (low, high) = (reporter.limit(Key::ExteriorDimMin), reporter.limit(Key::ExteriorDimMax));
    if animal.passport.male {
        return;
    }
    for row in animal.exteriors.iter().filter(|row| !row.young) {
        let dim = animal.calving_before(row.day).map(|calving| row.day.since(calving.day));
        if dim.is_none_or(|dim| !(low..=high).contains(&exact(dim))) {
            let value = dim.map_or_else(|| "–".into(), Into::into);
            let values = [("dim", value), ("low", low.into()), ("high", high.into())];
            reporter.report(animal.row("animal-exteriors", row.id, "assessedAt"), values);
        }
    }
}

fn exterior_first_max(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::FirstScoreMax);
    for row in &animal.exteriors {
        let parity = animal.calving_before(row.day).map(|calving| calving.number);
        let first = row.lactation.or(parity) == Some(1);
        if let Some(score) = row.final_score.filter(|score| first && *score > limit) {
            let values = [("score", score.into()), ("limit", limit.into())];
            reporter.report(animal.row("animal-exteriors", row.id, "finalScore"), values);
        }
    }
}

fn eval_out_of_range(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    let limit = reporter.limit(Key::EvalSdMax);
    for row in &animal.evaluations {
        let Some(base) = row.base.as_ref().and_then(|version| context.bases.get(version)) else {
            continue;
        };
        for (name, mean, deviation) in base.traits.iter().filter(|(_, _, sd)| *sd > 0.0) {
            let Some(value) = row.forecast(name) else {
                continue;
            };
            let deviations = (value - mean).abs() / deviation;
            if deviations > limit {
                let values =
                    [("trait", name.as_str().into()), ("value", value.into()), ("deviations", deviations.into())];
                let place = animal.row("animal-evaluations", row.id, "baseVersion");
                reporter.report(place, values);
            }
        }
    }
}

fn eval_base_unknown(animal: &Animal, context: &Context, reporter: &mut Reporter<'_>) {
    for row in animal.evaluations.iter().filter(|row| !row.parent_average) {
        let base = row.base.as_deref().filter(|base| !base.is_empty());
        if base.is_none_or(|base| !context.bases.contains_key(base)) {
            let version = base.map_or_else(|| "–".into(), Into::into);
            let place = animal.row("animal-evaluations", row.id, "baseVersion");
            reporter.report(place, [("base", version)]);
        }
    }
}

fn grade_vs_score(animal: &Animal, _: &Context, reporter: &mut Reporter<'_>) {
    let steps = [
        (Key::GradeEliteRecord, Class::EliteRecord),
        (Key::GradeElite, Class::Elite),
        (Key::GradeFirst, Class::First),
        (Key::GradeSecond, Class::Second),
    ];
    for row in &animal.gradings {
        let Some(score) = row.score else { continue };
        let step = steps.iter().find(|(key, _)| score >= reporter.limit(*key));
        let class = step.map_or(Class::Out, |(_, class)| *class);
        if class != row.class {
            let words = class_words(class);
            let values = [("score", score.into()), ("english", words.0.into()), ("russian", words.1.into())];
            reporter.report(animal.row("gradings", row.id, "grade"), values);
        }
    }
}

const fn class_words(class: Class) -> (&'static str, &'static str) {
    match class {
        Class::EliteRecord => ("elite record", "элита-рекорд"),
        Class::Elite => ("elite", "элита"),
        Class::First => ("one", "первый"),
        Class::Second => ("two", "второй"),
        Class::Out => ("out of class", "вне класса"),
    }
}
