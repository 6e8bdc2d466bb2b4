//! What a dialect adds to a sheet that is read by a part of it: which rows are its, what codes in its cells mean, values
//! that all rows have, and how dates and numbers are written (docs/dialects.md).

use crate::values::blank::says_nothing;
use crate::values::cells::plain;
use crate::values::notation::{Decimal, Digits, Notation, Order};
use mapping::{DateOrder, DecimalSign, Dialect, code};
use model::messages::Sentence;
use model::said;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a dialect by which a sheet is read.
#[derive(Debug, Clone)]
pub(crate) struct DialectPart {
    pub(crate) name: String,
    /// What people call it.
    pub(crate) title: String,
    /// Which of its sheets; as many as it has: the rows of events that none of them takes.
    pub(crate) place: usize,
    /// The column that says what happened in a row.
    pub(crate) event: Option<usize>,
    pub(crate) rows: PartRows,
    /// A column without which a row says nothing here.
    pub(crate) needs: Option<usize>,
    /// By column: what codes mean.
    pub(crate) codes: Vec<BTreeMap<String, String>>,
    /// By column: a unit in which its values may be, where nothing says in which they are.
    pub(crate) ask_units: Vec<Option<String>>,
    /// Path and value.
    pub(crate) constants: Vec<(String, Json)>,
    /// The base of breeding values by the first day on which it holds; empty: none that is known.
    pub(crate) bases: BTreeMap<String, String>,
    pub(crate) dates: Option<DateOrder>,
    pub(crate) decimal: Option<DecimalSign>,
}

#[derive(Debug, Clone)]
pub(crate) enum PartRows {
    All,
    Of(BTreeSet<String>),
    /// Those of other events, some of which are passed over.
    Rest {
        known: BTreeSet<String>,
        passed: BTreeSet<String>,
    },
}

impl DialectPart {
    /// A part without columns.
    pub(crate) fn new(dialect: &Dialect, place: usize) -> Self {
        Self {
            name: dialect.name.clone(),
            title: dialect.title.clone(),
            place,
            event: None,
            rows: PartRows::All,
            needs: None,
            codes: Vec::new(),
            ask_units: Vec::new(),
            constants: Vec::new(),
            bases: BTreeMap::new(),
            dates: dialect.dates,
            decimal: dialect.decimal,
        }
    }

    pub(crate) fn takes(&self, cells: &[String]) -> bool {
        let needed = self.needs.map(|at| {
            let cell = cells.get(at).map_or("", String::as_str);
            self.cell(at, cell)
        });
        let says = |cell: &str| !plain(cell).trim().is_empty() && !says_nothing(cell);
        needed.is_none_or(says)
            && match &self.rows {
                PartRows::All => true,
                PartRows::Of(events) => events.contains(&self.event(cells)),
                PartRows::Rest { known, .. } => !known.contains(&self.event(cells)),
            }
    }

    /// The code of what happened in a row.
    pub(crate) fn event(&self, cells: &[String]) -> String {
        let cell = self.event.and_then(|at| cells.get(at));
        cell.map_or_else(String::new, |cell| code(plain(cell)))
    }

    /// Whether a row of another event is passed over.
    pub(crate) fn passes(&self, cells: &[String]) -> bool {
        match &self.rows {
            PartRows::Rest { passed, .. } => passed.contains(&self.event(cells)),
            _ => false,
        }
    }

    /// Why a row of another event is not taken.
    pub(crate) fn unknown_event(&self, cells: &[String]) -> Option<Sentence> {
        match &self.rows {
            PartRows::Rest { .. } => Some(said!(
                "Rows with {code} in this column are not read from files of {program}.",
                code = self.event(cells),
                program = self.title.as_str()
            )),
            _ => None,
        }
    }

    pub(crate) fn cell<'t>(&'t self, column: usize, cell: &'t str) -> &'t str {
        let codes = self.codes.get(column);
        codes.and_then(|codes| codes.get(&code(plain(cell)))).map_or(cell, String::as_str)
    }

    /// How a column is written: what no value decides, or values decide differently, the dialect says. Values that
    /// decide against it, and none for it, contradict it.
    pub(crate) fn notation(&self, decided: Notation) -> Notation {
        let stated = self.dates.map(|dates| match dates {
            DateOrder::DayFirst => Order::DayFirst,
            DateOrder::MonthFirst => Order::MonthFirst,
        });
        let order = |of: Option<Order>| match (of?, stated) {
            (Order::Undecided | Order::Contradicts, Some(stated)) => Some(stated),
            (decided, Some(stated)) if decided != stated => Some(Order::Contradicts),
            (decided, _) => Some(decided),
        };
        let decimal = match (decided.decimal, self.decimal) {
            (Some(Decimal::Undecided), Some(DecimalSign::Comma)) => Some(Decimal::Comma),
            (Some(Decimal::Undecided), Some(DecimalSign::Point)) => Some(Decimal::Point),
            (other, _) => other,
        };
        // One day that is none does not make the others unread.
        let digits = decided.digits.map(|digits| match digits {
            Digits::Unread => Digits::Days,
            known => known,
        });
        Notation { digits, slash: order(decided.slash), hyphen: order(decided.hyphen), decimal, ..decided }
    }
}
