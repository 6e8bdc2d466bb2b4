//! What people write for the entries of a dictionary (docs/import.md, *Naming other rows*).

use crate::error::Result;
use crate::record::Record;
use crate::registry::{BookReader, Class, Collection, Field, ID, Kind, Lookup, normal};
use std::collections::{BTreeMap, BTreeSet};

/// The field with further names of an entry.
pub const ALIASES: &str = "aliases";
/// Most entries whose names are compared by [`entry_key`]; of more, names count as they are written.
const ENTRIES: usize = 5_000;
/// Longest code of which a sign behind it is a part.
const SHORT: usize = 3;

/// The names of the entries of a dictionary, by what people do not write differently.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Ids of entries, with the slot of the field that has the name.
    entries: BTreeMap<String, BTreeSet<(i64, usize)>>,
    aliases: Option<usize>,
}

impl Vocabulary {
    /// The names of these rows.
    pub fn of(c: &Collection, rows: &[Record]) -> Self {
        let mut all = Self { aliases: c.slot(ALIASES), ..Self::default() };
        let slots = name_slots(c);
        for row in rows {
            let Some(id) = row.get(ID).int() else {
                continue;
            };
            for &slot in &slots {
                let value = row.get(slot);
                let names = value.text().into_iter();
                for name in names.chain(value.texts().iter().map(String::as_str)) {
                    let key = entry_key(name);
                    if !key.is_empty() {
                        all.entries.entry(key).or_default().insert((id, slot));
                    }
                }
            }
        }
        all
    }

    /// Those of a collection, as far as the caller reads it; none of a collection with too many rows.
    ///
    /// # Errors
    /// The errors of the reader.
    pub async fn read(reader: &mut dyn BookReader, c: &'static Collection) -> Result<Option<Self>> {
        let fields = name_slots(c).into_iter().filter_map(|slot| c.fields.get(slot));
        let paths: Vec<&str> = fields.map(|field| field.path.as_str()).collect();
        let most = i64::try_from(ENTRIES).unwrap_or(i64::MAX);
        let lookup = Lookup::default().fields(&paths).limit(most.saturating_add(1));
        let mut rows = reader.find(c.slug, lookup).await?;
        if rows.len() > ENTRIES {
            return Ok(None);
        }
        let ids = rows.iter().filter_map(|row| row.get(ID).int()).collect();
        let readable = reader.reads(c.slug, Class::Row, ids).await?;
        rows.retain(|row| row.get(ID).int().is_some_and(|id| readable.contains(&id)));
        Ok(Some(Self::of(c, &rows)))
    }

    /// The entries that have a name in a field or among their aliases; in any field where none is named.
    pub fn entries(&self, slot: Option<usize>, name: &str) -> BTreeSet<i64> {
        let all = self.entries.get(&entry_key(name)).into_iter().flatten();
        let counts = |own: usize| slot.is_none_or(|slot| slot == own) || self.aliases == Some(own);
        all.filter(|(_, own)| counts(*own)).map(|(id, _)| *id).collect()
    }
}

impl Collection {
    /// Whether its rows are entries of a dictionary that have further names.
    pub fn has_aliases(&self) -> bool {
        let texts = |field: &Field| matches!(field.kind, Kind::Texts(_));
        self.field(ALIASES).is_some_and(texts)
    }
}

/// Slots of the fields with names of an entry.
fn name_slots(c: &Collection) -> Vec<usize> {
    c.names().into_iter().chain(c.slot(ALIASES)).collect()
}

/// A name without what people write differently: capitals, ё, dots, quotes, and blanks and hyphens but between digits.
pub fn entry_key(name: &str) -> String {
    let spaced = normal(name);
    let mut key = String::with_capacity(spaced.len());
    let mut rest = spaced.chars().peekable();
    while let Some(c) = rest.next() {
        let between_digits =
            key.ends_with(|c: char| c.is_ascii_digit()) && rest.peek().is_some_and(char::is_ascii_digit);
        if c != ' ' || between_digits {
            key.push(c);
        }
    }
    // It tells short codes apart: Y and Y' are two factors of a blood group.
    let sign = name.trim().chars().next_back();
    let sign = sign.filter(|sign| matches!(sign, '\'' | '-' | '%') && !name.trim().starts_with(*sign));
    if !key.is_empty() && key.chars().count() <= SHORT {
        key.extend(sign);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Value;
    use crate::registry::{Access, Rule, fields, text, texts};

    #[test]
    fn names_are_equal_but_for_what_people_write_differently() {
        for (name, other) in [
            ("Чёрно-пёстрая", "ЧЕРНО ПЕСТРАЯ"),
            ("Чёрно-пёстрая", "чернопестрая."),
            ("Голштинская", " «голштинская» "),
            ("HOL", "hol"),
            ("HOL", "'hol'"),
            ("Искусственное осеменение", "Искусственное  осеменение,"),
            ("1.1", "1-1"),
        ] {
            assert_eq!(entry_key(name), entry_key(other), "{name}, {other}");
        }
        for (name, other) in
            [("Голштинская", "Голштинизированная"), ("1.1", "11"), ("A+", "A-"), ("A", "A-"), ("Y", "Y'")]
        {
            assert_ne!(entry_key(name), entry_key(other), "{name}, {other}");
        }
        assert_eq!(entry_key(" .,-"), "");
    }

    #[test]
    fn entries_are_found_by_code_name_and_alias_and_never_the_first_of_several() {
        let fields = fields![
            text("code") => "Code.",
            text("name") => "Name.",
            texts(ALIASES, 100) => "Further names.",
        ];
        let c = Collection::new("breeds", Access::read(Rule::Any), fields);
        let c = c.known_as(&["code", "name"]);
        assert!(c.has_aliases());
        let rows: [(i64, &str, &str, &[&str]); 3] = [
            (1, "HOL", "Голштинская", &["Голштин"]),
            (2, "1", "Чёрно-пёстрая", &["HF"]),
            (3, "2", "Красно-пёстрая", &["h f", ".", "1 2"]),
        ];
        let rows = rows.map(|(id, code, name, aliases)| {
            let mut row = Record::empty(c.width());
            row.set(ID, Value::Int(id));
            let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
            let values = [code.into(), name.into(), Value::Texts(aliases)];
            for (path, value) in ["code", "name", ALIASES].into_iter().zip(values) {
                row.set(c.slot(path).unwrap(), value);
            }
            row
        });
        let all = Vocabulary::of(&c, &rows);
        let cases: [(Option<&str>, &str, &[i64]); 10] = [
            (None, "hol", &[1]),
            (None, "ГОЛШТИН", &[1]),
            (None, "черно пестрая", &[2]),
            (None, "hf", &[2, 3]),
            (None, "Пёстрая", &[]),
            (None, "12", &[]),
            (None, "", &[]),
            (Some("name"), "hol", &[]),
            (Some("code"), "hol", &[1]),
            (Some("code"), "голштин", &[1]),
        ];
        for (path, name, expected) in cases {
            let slot = path.and_then(|path| c.slot(path));
            let ids: Vec<i64> = all.entries(slot, name).into_iter().collect();
            assert_eq!(ids, expected, "{path:?} {name}");
        }
    }
}
