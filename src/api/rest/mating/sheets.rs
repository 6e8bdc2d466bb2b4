//! A plan of matings as a workbook: the females with their bulls, why bulls are excluded, and the bulls.

use super::super::reads::table_rows::{Headers, Line};
use super::super::reads::workbook::Writing;
use super::planning::MatingPlan;
use super::{ALTERNATIVES, PLAN};
use crate::Refusal;
use axum::response::Response;
use domain::derive::mating::{Advice, Exclusion, LeftOut, Mating};
use model::messages;
use ops::Cell;
use std::collections::BTreeMap;

/// Columns of a female, and of her bull.
const FEMALE: [&str; 2] = ["female.identNumber", "female.name"];
const BULL: [&str; 2] = ["bull.identNumber", "bull.name"];
/// What is expected of a calf.
const CALF: [&str; 2] = ["expectedValue", "expectedInbreeding"];

/// Writes it with such titles.
pub(super) async fn workbook(plan: &MatingPlan, titles: Headers) -> Result<Response, Refusal> {
    let writing = Writing::begin();
    let sheets = Sheets { plan, titles };
    for line in sheets.lines() {
        if !writing.add(line).await {
            break;
        }
    }
    let mut response = writing.answer(PLAN).await?;
    titles.tell(response.headers_mut());
    Ok(response)
}

struct Sheets<'p> {
    plan: &'p MatingPlan,
    titles: Headers,
}

impl Sheets<'_> {
    /// Made one by one: there may be some 400,000 exclusions.
    fn lines(&self) -> impl Iterator<Item = Line> {
        let females = std::iter::once_with(|| self.sheet("females", self.columns_of_females()));
        let females = females.chain(self.plan.advice.iter().map(|advice| Line::Row(self.female(advice))));
        let columns = [&FEMALE[..], &BULL, &["reason", "expectedInbreeding", "carriers"]].concat();
        let exclusions = std::iter::once_with(move || self.sheet("exclusions", self.titled(&columns)));
        let of_females = self.plan.advice.iter();
        let all = of_females.flat_map(|advice| advice.exclusions.iter().map(|one| (advice.female, one)));
        let exclusions = exclusions.chain(all.map(|(female, one)| Line::Row(self.exclusion(female, one))));
        females.chain(exclusions).chain(self.bulls())
    }

    fn female(&self, advice: &Advice) -> Vec<Cell> {
        let mut row = Vec::from(self.who(Some(advice.female)));
        row.extend(self.mating(advice.best.ok()));
        let mut others = advice.alternatives.iter().copied();
        for _ in 0..ALTERNATIVES {
            row.extend(self.mating(others.next()));
        }
        row.push(self.reason(advice.best.err().map(LeftOut::word)));
        row
    }

    fn exclusion(&self, female: i64, (bull, inbreeding, why): &(i64, f64, Exclusion)) -> Vec<Cell> {
        let both = match why {
            Exclusion::Carriers(both) => text(&both.join(", ")),
            Exclusion::Inbreeding => Cell::Empty,
        };
        let mut row = Vec::from(self.who(Some(female)));
        row.extend(self.who(Some(*bull)));
        row.extend([self.reason(Some(why.word())), share(*inbreeding), both]);
        row
    }

    fn bulls(&self) -> Vec<Line> {
        let columns = [&BULL[..], &["uses", "limit", "meanKinship", "reason"]].concat();
        let mut lines = vec![self.sheet("bulls", self.titled(&columns))];
        let uses = self.plan.uses();
        for (bull, places) in &self.plan.places {
            let left_out = self.plan.left_out.iter().find(|(id, _)| id == bull);
            let mut row = Vec::from(self.who(Some(*bull)));
            row.extend([count(uses.get(bull).copied().unwrap_or(0)), count(*places)]);
            row.push(self.plan.kinship.get(bull).map_or(Cell::Empty, |mean| number(*mean)));
            row.push(self.reason(left_out.map(|(_, why)| why.word())));
            lines.push(Line::Row(row));
        }
        lines
    }

    fn sheet(&self, name: &str, columns: Vec<String>) -> Line {
        Line::Sheet(self.word(name), columns)
    }

    /// What is called so by its path, or by a name for people.
    fn word(&self, path: &str) -> String {
        match self.titles {
            Headers::Paths => path.to_owned(),
            Headers::Labels(language) => {
                let name = format!("mating-plan.{}", path.replace('.', "-"));
                messages::text(language, &name, &BTreeMap::new())
            }
        }
    }

    fn titled(&self, columns: &[&str]) -> Vec<String> {
        columns.iter().map(|path| self.word(path)).collect()
    }

    /// The columns of a female: herself, her bull, the next ones.
    fn columns_of_females(&self) -> Vec<String> {
        let mating = [&BULL[..], &CALF].concat();
        let mut titles = self.titled(&[&FEMALE[..], &mating].concat());
        for at in 0..ALTERNATIVES {
            titles.extend(mating.iter().map(|path| self.alternative(at, path)));
        }
        titles.push(self.word("reason"));
        titles
    }

    fn alternative(&self, at: usize, path: &str) -> String {
        match self.titles {
            Headers::Paths => format!("alternatives.{at}.{path}"),
            Headers::Labels(language) => {
                let number = ("number".to_owned(), (at + 1).to_string());
                let what = ("what".to_owned(), self.word(path));
                let values = BTreeMap::from([number, what]);
                messages::text(language, "mating-plan.alternative", &values)
            }
        }
    }

    fn reason(&self, word: Option<&str>) -> Cell {
        match (word, self.titles) {
            (None, _) => Cell::Empty,
            (Some(word), Headers::Paths) => text(word),
            (Some(word), Headers::Labels(language)) => {
                let name = format!("mating-reason.{word}");
                Cell::Text(messages::text(language, &name, &BTreeMap::new()))
            }
        }
    }

    fn mating(&self, mating: Option<Mating>) -> [Cell; 4] {
        let [number, name] = self.who(mating.map(|mating| mating.bull));
        let value = mating.and_then(|mating| mating.value);
        let inbreeding = mating.map_or(Cell::Empty, |mating| share(mating.inbreeding));
        [number, name, value.map_or(Cell::Empty, Cell::Num), inbreeding]
    }

    fn who(&self, id: Option<i64>) -> [Cell; 2] {
        let mate = id.and_then(|id| self.plan.mates.get(&id));
        let name = mate.and_then(|mate| mate.name.as_deref());
        [mate.map_or(Cell::Empty, |mate| text(&mate.number)), name.map_or(Cell::Empty, text)]
    }
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

fn number(number: f64) -> Cell {
    Cell::Num((number * 1e6).round() / 1e6)
}
