//! What the columns of a file mean: paths of fields as in REST, headings that the declarations know,
//! a field of the row that a relation names, a member of a list of rows.

use crate::write::imports;
use model::registry::{Class, Collection, Field, ID, Kind, Registry, ValueScale, nearest};
use serde_json::{Map, Value as Json};
use std::borrow::Cow;

/// Rows of a list that columns can name: `progeny.0.tag`.
const ROWS: usize = 20;

/// Which part of a field a column is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// A relation, by that field of the row that it names.
    Through(String),
    /// The member (its place) of the row (its place) of a list.
    Member(usize, usize),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Place of the field.
    pub slot: usize,
    pub part: Part,
    /// To the unit of the model.
    pub factor: f64,
    /// What its values are, if they are breeding values.
    pub scale: ValueScale,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    Takes(Column),
    /// The book sets the field itself, or the column is not read.
    Ignored,
    /// No field; perhaps another name was meant.
    Unknown(Option<String>),
}

impl Column {
    /// The field, or the member of its rows.
    pub fn field<'c>(&self, c: &'c Collection) -> Option<&'c Field> {
        let field = c.fields.get(self.slot)?;
        match (&self.part, &field.kind) {
            (Part::Member(_, member), Kind::Rows(subs)) => subs.get(*member),
            _ => Some(field),
        }
    }

    /// The path of the field; of a member, behind that of its list: `progeny.sex`.
    pub(crate) fn path<'c>(&self, c: &'c Collection) -> Cow<'c, str> {
        let list = c.fields.get(self.slot).map_or("", |field| field.path.as_str());
        match (&self.part, self.field(c)) {
            (Part::Member(..), Some(member)) => format!("{list}.{}", member.path).into(),
            _ => list.into(),
        }
    }

    /// Whether the column is the id of the row.
    pub fn is_id(&self) -> bool {
        self.slot == ID
    }

    pub fn put(&self, c: &Collection, body: &mut Map<String, Json>, value: Json) {
        let Some(field) = c.fields.get(self.slot) else { return };
        let value = match (self.part.clone(), &field.kind) {
            (Part::Member(row, member), Kind::Rows(subs)) => {
                let Some(sub) = subs.get(member) else { return };
                let rows = place(body, &field.path);
                if !rows.is_array() {
                    *rows = Json::Array(Vec::new());
                }
                let Json::Array(rows) = rows else { return };
                while rows.len() <= row {
                    rows.push(Json::Object(Map::new()));
                }
                if let Some(Json::Object(members)) = rows.get_mut(row) {
                    members.insert(sub.path.clone(), value);
                }
                return;
            }
            _ => value,
        };
        *place(body, &field.path) = value;
    }
}

/// The place of a path of groups, which is made.
fn place<'b>(body: &'b mut Map<String, Json>, path: &str) -> &'b mut Json {
    match path.split_once('.') {
        None => body.entry(path.to_owned()).or_insert(Json::Null),
        Some((head, rest)) => {
            let group = body.entry(head.to_owned()).or_insert(Json::Null);
            if !group.is_object() {
                *group = Json::Object(Map::new());
            }
            match group {
                Json::Object(inner) => place(inner, rest),
                other => other,
            }
        }
    }
}

pub fn meaning(registry: &Registry, c: &Collection, heading: &str) -> Meaning {
    let text = heading.trim().trim_start_matches('\u{feff}');
    let takes = |slot, part, factor| Meaning::Takes(Column { slot, part, factor, scale: ValueScale::default() });
    // A path of a relation goes before a heading that differs from it only in signs.
    if c.field(text).is_none()
        && let Some((slot, field)) = longest(c, text)
        && let Some(rest) = text.get(field.path.len() + 1..)
        && let Some(part) = part(registry, field, rest)
    {
        return if imports(c, slot) { takes(slot, part, 1.0) } else { Meaning::Ignored };
    }
    let heading = c.heading(text).and_then(|(path, factor)| {
        let slot = c.slot(path)?;
        let field = c.fields.get(slot)?;
        let is_visible = field.class != Class::Hidden || matches!(field.kind, Kind::Password);
        is_visible.then_some((slot, factor))
    });
    if let Some((slot, factor)) = heading {
        return if slot == ID || imports(c, slot) { takes(slot, Part::Whole, factor) } else { Meaning::Ignored };
    }
    if c.joins.iter().any(|join| join.name == text) || c.is_unread(text) {
        return Meaning::Ignored;
    }
    let near = nearest(text, c.fields.iter().filter(|f| f.class != Class::Hidden).map(|f| f.path.as_str()));
    Meaning::Unknown(near.map(str::to_owned))
}

/// The field whose path begins a longer one.
fn longest<'c>(c: &'c Collection, text: &str) -> Option<(usize, &'c Field)> {
    let begins = |f: &Field| text.strip_prefix(&f.path).is_some_and(|r| r.starts_with('.'));
    (c.fields.iter().enumerate())
        .filter(|(_, f)| f.class != Class::Hidden && begins(f))
        .max_by_key(|(_, f)| f.path.len())
}

fn part(registry: &Registry, field: &Field, rest: &str) -> Option<Part> {
    match &field.kind {
        Kind::Relation(target) => {
            let field = registry.get(target)?.field(rest)?;
            let by = rest == "id" || matches!(field.kind, Kind::Text(_) | Kind::Email);
            (by && field.class != Class::Hidden).then(|| Part::Through(field.path.clone()))
        }
        Kind::Rows(subs) => {
            let (row, member) = rest.split_once('.')?;
            let row: usize = row.parse().ok().filter(|row| *row < ROWS)?;
            let member = subs.iter().position(|sub| sub.path == member)?;
            Some(Part::Member(row, member))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::collections::registry;

    fn of(slug: &str, heading: &str) -> (String, Part, f64) {
        let registry = registry().unwrap();
        let c = registry.get(slug).unwrap();
        match meaning(registry, c, heading) {
            Meaning::Takes(column) => {
                let path = c.fields[column.slot].path.clone();
                (path, column.part, column.factor)
            }
            Meaning::Ignored => ("ignored".to_owned(), Part::Whole, 0.0),
            Meaning::Unknown(near) => (format!("? {near:?}"), Part::Whole, 0.0),
        }
    }

    #[test]
    fn headings_are_paths_or_words_of_the_declarations() {
        let whole = |slug, heading| {
            let (path, part, factor) = of(slug, heading);
            assert_eq!(part, Part::Whole, "{heading}");
            (path, factor)
        };
        let plain = |path: &str| (path.to_owned(), 1.0);
        assert_eq!(whole("animals", "altIds.earTag"), plain("altIds.earTag"));
        assert_eq!(whole("animals", "Бирка"), plain("altIds.earTag"));
        assert_eq!(whole("animals", "\u{feff}Инд. №"), plain("identNumber"));
        assert_eq!(whole("animals", "Отец, инд.№"), plain("pedigreeText.fatherId"));
        assert_eq!(whole("milk-tests", "Удой за день, кг"), plain("milkYield"));
        assert_eq!(whole("milk-tests", "Дата контроля"), plain("date"));
        assert_eq!(whole("milk-tests", "Инд.№"), plain("animal"));
        assert_eq!(whole("milk-tests", "Жир, %"), plain("fatPercent"));
        assert!(whole("milk-tests", "Удой, %").0.starts_with('?'));
        assert_eq!(whole("milk-tests", "dailyYield"), plain("milkYield"));
        let pounds = ("weight".to_owned(), 0.453_592_37);
        assert_eq!(whole("weighings", "Живая масса, lb"), pounds);
        assert_eq!(whole("weighings", "weight (lb)"), pounds);
        assert_eq!(whole("animals", "nameLatin").0, "ignored");
        assert_eq!(whole("milk-tests", "Кличка").0, "ignored");
        assert_eq!(whole("animals", "seq").0, "? Some(\"sex\")");
        assert_eq!(whole("animals", "identNumbr").0, "? Some(\"identNumber\")");
    }

    #[test]
    fn a_relation_can_be_named_by_a_field_and_a_list_by_its_members() {
        let through = |path: &str| Part::Through(path.to_owned());
        assert_eq!(of("milk-tests", "animal.id").1, through("id"));
        assert_eq!(of("animals", "owner.inn").1, through("inn"));
        assert_eq!(of("animals", "birthPlace.country.alpha3").1, through("alpha3"));
        let (path, part, _) = of("calvings", "progeny.1.tag");
        assert!(path == "progeny" && matches!(part, Part::Member(1, _)));
        assert!(of("calvings", "progeny.99.tag").0.starts_with('?'));
        assert!(of("animals", "owner.nothing").0.starts_with('?'));
    }
}
