//! Cells that hold no value.

/// What stands for nothing; a dash of any length does, too.
const NOTHING: [&str; 6] = ["н/д", "н.д.", "нет данных", "n/a", "no data", "null"];
/// Dashes: the hyphen, and those that spreadsheets and word processors make of it.
const DASHES: [char; 3] = ['-', '–', '—'];
/// Errors of formulas, as spreadsheets write them in either language.
const CELL_ERRORS: [&str; 22] = [
    "#N/A",
    "#REF!",
    "#VALUE!",
    "#DIV/0!",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#SPILL!",
    "#CALC!",
    "#FIELD!",
    "#BLOCKED!",
    "#CONNECT!",
    "#UNKNOWN!",
    "#GETTING_DATA",
    "#Н/Д",
    "#ССЫЛКА!",
    "#ЗНАЧ!",
    "#ДЕЛ/0!",
    "#ИМЯ?",
    "#ПУСТО!",
    "#ЧИСЛО!",
    sheets::NO_VALUE,
];
/// How `LibreOffice` begins errors that have a number.
const NUMBERED: [&str; 2] = ["Err:", "Ошибка:"];
/// Days that programs write where there is none: 1C, databases, spreadsheets.
const NO_DAYS: [&str; 4] = ["01.01.0001", "0001-01-01", "30.12.1899", "1899-12-30"];

pub(crate) fn says_nothing(cell: &str) -> bool {
    is_dash(cell) || NOTHING.contains(&cell.trim().to_lowercase().as_str())
}

/// Whether a cell is a dash of any kind and length.
pub(crate) fn is_dash(cell: &str) -> bool {
    let text = cell.trim();
    !text.is_empty() && text.chars().all(|c| DASHES.contains(&c))
}

/// Whether a cell of a column of dates says that there is none: `01.01.0001 0:00:00`, `00.00.0000`, `0`, `  .  .`.
pub(crate) fn is_no_date(cell: &str) -> bool {
    let text = cell.trim();
    let zeros = !text.is_empty() && text.chars().all(|c| "0./-: ".contains(c));
    let is_day = |no_day: &str| {
        let clock = text.strip_prefix(no_day);
        clock.is_some_and(|clock| clock.chars().all(|c| "0:.TZ ".contains(c)))
    };
    zeros || NO_DAYS.into_iter().any(is_day)
}

pub(crate) fn is_error(cell: &str) -> bool {
    let text = cell.trim();
    let numbered = NUMBERED.iter().any(|begin| {
        let number = text.strip_prefix(begin);
        number.is_some_and(|number| number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit()))
    });
    numbered || CELL_ERRORS.contains(&text)
}
