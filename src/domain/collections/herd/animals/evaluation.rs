//! The fields of an animal that follow from its evaluations, exteriors, gradings and
//! services. What fills them is beside those collections.

use crate::collections::evaluation::ranks::NO_RANK;
use crate::collections::evaluation::{GRADES, TRAITS, composites, deviations, reliability, scores};
use model::registry::{Class, Decl, Field, Wording, day, fields, group, int, number, select, text};

pub(super) fn fields() -> Vec<Decl> {
    let level = |doc| view(int("reliabilityLevel").range(1.0, 5.0).doc(doc));
    let mut fields = visible_fields();
    let leveled = |name: &str, doc| -> Decl {
        let members = std::iter::once(level(doc)).chain(estimates(name));
        group(name, members.collect())
    };
    fields.extend([
        leveled("production", "How reliable the production values are; 1 is the lowest class."),
        group("reproduction", estimates("reproduction").collect()),
        leveled("health", "How reliable the health values are; 1 is the lowest class."),
        group("calvingRoles", estimates("calvingRoles").collect()),
        group("exterior", deviations().chain(composites()).map(view).collect()),
        linear_score(),
    ]);
    fields
}

/// What the group `semen` shows besides the stock.
pub(super) fn semen() -> impl Iterator<Item = Decl> {
    let count = int("inseminations").doc(
        "Number of services of the bull in the book; below trust level 2, of those that its owner reads without a grant. Empty when there are none.",
    );
    estimates("semen").chain([view(count)])
}

/// `summary.milkRank`
pub(super) fn milk_rank() -> Decl {
    number("milkRank")
        .aside()
        .wording(Wording::SortKey)
        .server()
        .class(Class::Production)
        .default(NO_RANK)
        .indexed()
        .doc("The yield, or −1 000 000 when there is none: for sorting animals without a yield last.")
        .into()
}

fn view(field: Field) -> Decl {
    field.server().class(Class::Evaluation).into()
}

/// `EST` of the traits of a group.
fn estimates(name: &str) -> impl Iterator<Item = Decl> {
    let traits = TRAITS.iter().filter(move |t| t.group == name);
    traits.map(|t| group(t.key, fields![view(number("forecast").doc(t.doc)), view(reliability("r"))]))
}

fn visible_fields() -> Vec<Decl> {
    fields![
        select("grade", GRADES).server() => "Complex class of the latest grading.",
        day("gradeDate").server() => "Day of the latest grading.",
        number("ipc").server()
            => "Index of breeding value of the current evaluation, else the Association's index.",
        number("ipcRank").server().class(Class::Hidden).default(NO_RANK).indexed()
            => "The index, or −1 000 000 when there is none.",
        day("evaluationDate").server() => "Day of the current evaluation.",
        group("ipcDetails", fields![
            view(number("forecast").doc("Index that the centre gave.")),
            view(reliability("r")),
            view(number("percentile").doc("Place among the evaluated animals, %.")),
            view(text("center").doc("Evaluation centre.")),
            view(text("base").doc("Version of the base.")),
        ]),
    ]
}

fn linear_score() -> Decl {
    let day = view(day("assessedAt").doc("Day of the current assessment."));
    let members = std::iter::once(day).chain(scores().map(view));
    group("linearScore", members.collect())
}
