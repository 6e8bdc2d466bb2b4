//! A plan of matings as a workbook: the females with their bulls, why bulls are excluded, and the bulls.

use super::super::reads::table_rows::Line;
use super::super::reads::workbook::Writing;
use super::planning::MatingPlan;
use super::{ALTERNATIVES, PLAN};
use crate::Refusal;
use axum::response::Response;
use domain::derive::mating::{Exclusion, Mating};
use ops::Cell;

pub(super) async fn workbook(plan: &MatingPlan) -> Result<Response, Refusal> {
    let writing = Writing::begin();
    for line in lines(plan) {
        if !writing.add(line).await {
            break;
        }
    }
    writing.answer(PLAN).await
}

fn lines(plan: &MatingPlan) -> Vec<Line> {
    let mut lines = vec![sheet("females", &titles())];
    for advice in &plan.advice {
        let mut row = Vec::from(who(plan, Some(advice.female)));
        row.extend(mating(plan, advice.best.ok()));
        let mut others = advice.alternatives.iter().copied();
        for _ in 0..ALTERNATIVES {
            row.extend(mating(plan, others.next()));
        }
        row.push(
            advice
                .best
                .err()
                .map_or(Cell::Empty, |why| text(why.word())),
        );
        lines.push(Line::Row(row));
    }
    let columns = [
        "female.identNumber",
        "female.name",
        "bull.identNumber",
        "bull.name",
        "reason",
    ];
    let mut columns = columns.map(str::to_owned).to_vec();
    columns.extend(["expectedInbreeding", "carriers"].map(str::to_owned));
    lines.push(sheet("exclusions", &columns));
    for advice in &plan.advice {
        for (bull, inbreeding, why) in &advice.exclusions {
            let both = match why {
                Exclusion::Carriers(both) => text(&both.join(", ")),
                Exclusion::Inbreeding => Cell::Empty,
            };
            let mut row = Vec::from(who(plan, Some(advice.female)));
            row.extend(who(plan, Some(*bull)));
            row.extend([text(why.word()), share(*inbreeding), both]);
            lines.push(Line::Row(row));
        }
    }
    let columns = ["bull.identNumber", "bull.name", "uses", "limit", "reason"].map(str::to_owned);
    lines.push(sheet("bulls", &columns));
    let uses = plan.uses();
    for (bull, places) in &plan.places {
        let left_out = plan.left_out.iter().find(|(id, _)| id == bull);
        let mut row = Vec::from(who(plan, Some(*bull)));
        row.extend([count(uses.get(bull).copied().unwrap_or(0)), count(*places)]);
        row.push(left_out.map_or(Cell::Empty, |(_, why)| text(why.word())));
        lines.push(Line::Row(row));
    }
    lines
}

fn sheet(name: &str, columns: &[String]) -> Line {
    Line::Sheet(name.to_owned(), columns.to_vec())
}

/// The columns of a female: herself, her bull, the next ones.
fn titles() -> Vec<String> {
    let of = |path: &str| {
        let dot = if path.is_empty() { "" } else { "." };
        [
            "bull.identNumber",
            "bull.name",
            "expectedValue",
            "expectedInbreeding",
        ]
        .map(|name| format!("{path}{dot}{name}"))
    };
    let mut titles = ["female.identNumber", "female.name"]
        .map(str::to_owned)
        .to_vec();
    titles.extend(of(""));
    for at in 0..ALTERNATIVES {
        titles.extend(of(&format!("alternatives.{at}")));
    }
    titles.push("reason".to_owned());
    titles
}

fn mating(plan: &MatingPlan, mating: Option<Mating>) -> [Cell; 4] {
    let [number, name] = who(plan, mating.map(|mating| mating.bull));
    let value = mating
        .and_then(|mating| mating.value)
        .map_or(Cell::Empty, Cell::Num);
    let inbreeding = mating.map_or(Cell::Empty, |mating| share(mating.inbreeding));
    [number, name, value, inbreeding]
}

fn who(plan: &MatingPlan, id: Option<i64>) -> [Cell; 2] {
    let mate = id.and_then(|id| plan.mates.get(&id));
    let name = mate.and_then(|mate| mate.name.as_deref());
    [
        mate.map_or(Cell::Empty, |mate| text(&mate.number)),
        name.map_or(Cell::Empty, text),
    ]
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn count(count: usize) -> Cell {
    Cell::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn share(share: f64) -> Cell {
    Cell::Num((share * 1e6).round() / 1e4)
}
