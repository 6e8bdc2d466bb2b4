//! The cells of exported tables, for CSV and workbooks alike.

use super::write::{Documents, LinkedValues, Writer, room};
use super::{FieldSelection, Leaf, LeafKind, Shape};
use model::display;
use model::error::{Error, Result};
use model::messages::Language;
use model::record::time;
use model::registry::Collection;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use store::Row;

/// Characters at which spreadsheets take a text for a formula. An apostrophe before them makes it a text again.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    Num(f64),
    Text(String),
    /// A day, epoch milliseconds of its beginning in UTC.
    Day {
        day: i64,
    },
    /// An instant, epoch milliseconds.
    Instant {
        at: i64,
    },
    /// JSON: a list, or the rows of a field.
    Json {
        json: String,
    },
    /// Empty, or not shown to the caller.
    Empty,
}

impl Cell {
    /// Reads a cell of [`Form::Cells`](crate::Form::Cells).
    pub fn read(value: Value) -> Self {
        match value {
            Value::Null | Value::Array(_) => Self::Empty,
            Value::Bool(value) => Self::Bool(value),
            Value::String(text) => Self::Text(text),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(value), _) => Self::Int(value),
                (None, Some(value)) => Self::Num(value),
                (None, None) => Self::Text(number.to_string()),
            },
            Value::Object(members) => {
                let time = |name: &str| members.get(name).and_then(Value::as_i64);
                let json = members.get("json").and_then(Value::as_str);
                match (time("day"), time("at"), json) {
                    (Some(day), ..) => Self::Day { day },
                    (_, Some(at), _) => Self::Instant { at },
                    (.., Some(json)) => Self::Json { json: json.to_owned() },
                    _ => Self::Empty,
                }
            }
        }
    }

    pub(super) fn text(self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Num(value) => value.to_string(),
            Self::Day { day: at } | Self::Instant { at } => time::to_iso(at),
            Self::Text(text) | Self::Json { json: text } => plain(text),
            Self::Empty => String::new(),
        }
    }
}

/// A text that no spreadsheet takes for a formula.
pub fn plain(text: String) -> String {
    if text.starts_with(FORMULA) { format!("'{text}") } else { text }
}

/// Related documents, with the language of those who read their whole names.
type Related<'d> = (&'d Documents, Option<Language>);

/// Names of related rows, by selection and id.
type Labels = BTreeMap<FieldSelection, BTreeMap<i64, String>>;

fn labels(shape: &Shape, (related, titles): Related<'_>) -> Labels {
    let of_row = |selection: &FieldSelection, document: &[u8]| {
        label(shape.registry.get(selection.slug)?, &serde_json::from_slice(document).ok()?, titles)
    };
    let of_sight = |(selection, documents): (&FieldSelection, &BTreeMap<i64, Vec<u8>>)| {
        let each = documents.iter().filter_map(|(id, document)| Some((*id, of_row(selection, document)?)));
        (*selection, each.collect())
    };
    related.iter().map(of_sight).collect()
}

/// The name of a related row; none where the caller does not see the field that tells it from others.
fn label(c: &Collection, document: &Value, titles: Option<Language>) -> Option<String> {
    let own = if let Some(path) = c.label_field() { document.get(path)? } else { &Value::Null };
    let whole = titles.and_then(|language| display::name_in(language, c, document));
    whole.or_else(|| match own {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

impl Shape {
    /// The paths of the columns, as a line of JSON.
    pub(crate) fn paths(&self) -> Result<Vec<u8>> {
        let mut names = Vec::new();
        self.columns("", &self.parts, &mut |path, _| names.push(path));
        let mut out = serde_json::to_vec(&names).map_err(Error::internal)?;
        out.push(b'\n');
        Ok(out)
    }

    /// The cells of these rows, as lines of JSON.
    pub(super) fn cells(
        &self,
        rows: &[Row],
        linked: &LinkedValues,
        related: Related<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.each(rows, linked, related, &mut |cells| {
            serde_json::to_writer(&mut *out, &cells).map_err(Error::internal)?;
            out.push(b'\n');
            Ok(())
        })
    }

    pub(super) fn each(
        &self,
        rows: &[Row],
        linked: &LinkedValues,
        related: Related<'_>,
        visit: &mut dyn FnMut(Vec<Cell>) -> Result<()>,
    ) -> Result<()> {
        let mut leaves = Vec::new();
        self.columns("", &self.parts, &mut |_, leaf| leaves.push(leaf));
        let labels = labels(self, related);
        let brought = (linked, related.0, &labels);
        for row in rows {
            visit(leaves.iter().map(|leaf| self.cell(leaf, row, brought)).collect())?;
        }
        Ok(())
    }

    fn cell(&self, leaf: &Leaf, row: &Row, (linked, related, labels): (&LinkedValues, &Documents, &Labels)) -> Cell {
        if !self.shows(row, leaf.class) {
            return Cell::Empty;
        }
        let label = |selection: &FieldSelection, id: i64| labels.get(selection)?.get(&id).cloned();
        let column = leaf.column;
        let cell = match &leaf.kind {
            LeafKind::Int => row.int(column).map(Cell::Int),
            LeafKind::One(selection) => row.int(column).map(|id| match label(selection, id) {
                Some(name) => Cell::Text(name),
                None => Cell::Int(id),
            }),
            LeafKind::Num => row.num(column).map(Cell::Num),
            LeafKind::Bool => row.truth(column).map(Cell::Bool),
            LeafKind::Time if leaf.day => row.time(column).map(|day| Cell::Day { day }),
            LeafKind::Time => row.time(column).map(|at| Cell::Instant { at }),
            LeafKind::Text => row.text(column).map(|text| Cell::Text(text.to_owned())),
            LeafKind::Json | LeafKind::JsonList => row.text(column).map(|text| Cell::Json { json: text.to_owned() }),
            LeafKind::Rows(elements) => {
                let room = room();
                let writer = Writer { shape: self, linked, related, room: &room };
                let mut out = Vec::new();
                writer.rows(elements, row, column, &mut out);
                Some(Cell::Json { json: String::from_utf8_lossy(&out).into_owned() })
            }
            LeafKind::Many(place) => {
                let lists = linked.lists.get(*place);
                let ids = row.int(0).and_then(|id| lists?.get(&id));
                let selection = self.lists.get(*place).map(|list| list.selection);
                ids.map(|ids| {
                    let names = ids.iter().map(|id| label(&selection?, *id));
                    match names.collect::<Option<Vec<String>>>() {
                        Some(names) => Cell::Text(names.join(", ")),
                        None => Cell::Json { json: Value::from(ids.clone()).to_string() },
                    }
                })
            }
            LeafKind::Join(_) | LeafKind::Lineage(_) | LeafKind::Timeline(_) => None,
        };
        cell.unwrap_or(Cell::Empty)
    }
}

#[cfg(test)]
mod tests {
    use super::label;
    use model::messages::Language;
    use model::registry::{Access, Collection, Rule, fields, text};
    use serde_json::json;

    #[test]
    fn a_name_has_what_tells_the_row_from_others() {
        let fields = fields![text("name"), text("number")];
        let cows =
            Collection::new("cows", Access::read(Rule::Any), fields).known_as(&["number"]).named(&["name", "number"]);
        for (document, whole, short) in [
            (json!({"name": "Bella", "number": "12"}), Some("Bella 12"), Some("12")),
            (json!({"name": null, "number": "12"}), Some("12"), Some("12")),
            (json!({"name": "Bella", "number": null}), Some("Bella"), None),
            (json!({"name": "Bella"}), None, None),
        ] {
            assert_eq!(label(&cows, &document, Some(Language::English)).as_deref(), whole, "{document}");
            assert_eq!(label(&cows, &document, None).as_deref(), short, "{document}");
        }
    }
}
