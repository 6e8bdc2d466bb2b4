//! What cells of a column mean, where they are understood: for previews and proposals, which write nothing.

use crate::meanings::columns::Column;
use crate::values::cells;
use crate::values::notation::{Content, Notation};
use model::registry::{Collection, Kind};
use serde_json::Value as Json;

/// The value of a cell; none where it is empty, or is not understood.
pub(crate) fn cell_value(c: &Collection, column: &Column, notation: &Notation, cell: &str) -> Option<Json> {
    let text = cells::plain(cell).trim();
    let content = Content::of(c, column);
    if content.is_some_and(|content| notation.contradicts(content, text)) {
        return None;
    }
    let value = cells::value(c, column, notation, cell, false)?;
    let fits = match (&column.field(c)?.kind, &value) {
        (Kind::Int, Json::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        (Kind::Number, Json::Number(_)) | (Kind::Bool, Json::Bool(_)) => true,
        (Kind::Int | Kind::Number | Kind::Bool, _) => false,
        (Kind::Day | Kind::Instant, _) => notation.date(text).is_some(),
        (Kind::Select(words), Json::String(word)) => words.contains(word),
        _ => true,
    };
    fits.then_some(value)
}
