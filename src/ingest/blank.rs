//! Cells that hold no value.

/// What stands for nothing.
const NOTHING: [&str; 4] = ["-", "—", "н/д", "n/a"];
/// Errors of formulas, as spreadsheets write them.
const CELL_ERRORS: [&str; 15] = [
    "#N/A",
    "#REF!",
    "#VALUE!",
    "#DIV/0!",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#Н/Д",
    "#SPILL!",
    "#CALC!",
    "#FIELD!",
    "#BLOCKED!",
    "#CONNECT!",
    "#UNKNOWN!",
    "#GETTING_DATA",
];

/// Whether a cell says that there is nothing.
pub(crate) fn says_nothing(cell: &str) -> bool {
    NOTHING.contains(&cell.trim().to_lowercase().as_str())
}

/// Whether a cell has the error of a formula.
pub(crate) fn is_error(cell: &str) -> bool {
    CELL_ERRORS.contains(&cell.trim())
}
