//! Lists of rows in forms, without script: each member of a row is a control named by its place (`shows.0.title`), a
//! button adds a row or takes one out, and the form is answered with what was typed.

use crate::words::Form;
use model::registry::{Field, Kind, Writer};
use std::collections::BTreeMap;

/// The button that adds a row; its value is the path of the list.
pub(in crate::book) const ADD: &str = "rows.add";
/// The button that takes a row out; its value is the path of the list, a dot, and the place of the row.
pub(in crate::book) const REMOVE: &str = "rows.remove";
/// The member of a row that names it.
pub(in crate::book) const ID: &str = "id";
/// Most rows that a form has in a list.
const ROWS_MAX: usize = 1_000;

/// A row as a form has it: the texts of its members, by their names.
pub(in crate::book) type Row = BTreeMap<String, Vec<String>>;

/// The members of the rows of a list that forms offer: those that callers write.
pub(in crate::book) fn members(field: &'static Field) -> Vec<&'static Field> {
    match &field.kind {
        Kind::Rows(subs) => {
            (subs.iter()).filter(|sub| sub.writer != Writer::Server && !matches!(sub.kind, Kind::Password)).collect()
        }
        _ => Vec::new(),
    }
}

pub(in crate::book) fn name_of(list: &str, place: usize, member: &str) -> String {
    format!("{list}.{place}.{member}")
}

/// The rows of a list that were sent, in their order. A row that was added and left empty counts as not sent.
pub(in crate::book) fn from_form(list: &str, form: &Form) -> Vec<Row> {
    let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
    for (name, text) in &form.0 {
        let rest = name.strip_prefix(list).and_then(|rest| rest.strip_prefix('.'));
        let Some((place, member)) = rest.and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        if let Ok(place) = place.parse::<usize>()
            && (rows.len() < ROWS_MAX || rows.contains_key(&place))
        {
            let row = rows.entry(place).or_default();
            row.entry(member.to_owned()).or_default().push(text.clone());
        }
    }
    rows.into_values().collect()
}

/// Without rows that say nothing.
pub(in crate::book) fn filled(rows: Vec<Row>) -> Vec<Row> {
    let says = |row: &Row| row.values().flatten().any(|text| !text.trim().is_empty());
    rows.into_iter().filter(says).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::book) enum RowButton<'f> {
    /// Another row is wanted in this list.
    Add(&'f str),
    /// This row of this list goes.
    Remove(&'f str, usize),
}

impl RowButton<'_> {
    pub(in crate::book) fn read(form: &Form) -> Option<RowButton<'_>> {
        if let Some(list) = form.get(ADD) {
            return Some(RowButton::Add(list));
        }
        let (list, place) = form.get(REMOVE)?.rsplit_once('.')?;
        Some(RowButton::Remove(list, place.parse().ok()?))
    }

    pub(in crate::book) fn list(&self) -> &str {
        match self {
            Self::Add(list) | Self::Remove(list, _) => list,
        }
    }

    /// Does what the button says.
    pub(in crate::book) fn press(&self, rows: &mut Vec<Row>) {
        match self {
            Self::Add(_) if rows.len() < ROWS_MAX => rows.push(Row::new()),
            Self::Remove(_, place) if *place < rows.len() => drop(rows.remove(*place)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(rows: &[Row]) -> Vec<Vec<(&str, &str)>> {
        let row = |row: &'_ Row| -> Vec<(String, String)> {
            let all = row.iter().map(|(name, all)| (name.clone(), all.join("+")));
            all.collect()
        };
        let leaked = |(name, text): (String, String)| -> (&str, &str) {
            (Box::leak(name.into_boxed_str()), Box::leak(text.into_boxed_str()))
        };
        rows.iter().map(|one| row(one).into_iter().map(leaked).collect()).collect()
    }

    #[test]
    fn rows_are_read_by_their_places_and_change_by_buttons() {
        let form = Form::read(
            b"shows=&shows.0.title=A&shows.2.title=C&shows.2.date=2026-01-01&shows.10.title=&shows.x.title=no\
              &showsb.0.title=no&shows.10.kinds=&shows.1.kinds=a&shows.1.kinds=b&rows.remove=shows.1",
        );
        let mut rows = filled(from_form("shows", &form));
        assert_eq!(
            texts(&rows),
            [vec![("title", "A")], vec![("kinds", "a+b")], vec![("date", "2026-01-01"), ("title", "C")]]
        );
        let button = RowButton::read(&form).unwrap();
        assert_eq!(button, RowButton::Remove("shows", 1));
        button.press(&mut rows);
        assert_eq!(texts(&rows).len(), 2);
        RowButton::Remove("shows", 9).press(&mut rows);
        RowButton::Add("shows").press(&mut rows);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.last(), Some(&Row::new()));
        assert_eq!(RowButton::read(&Form::read(b"rows.remove=shows")), None);
    }
}
