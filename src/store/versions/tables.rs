//! Finds from the text of a statement which tables it reads or writes, so that answers can be
//! cached until one of their tables changes. A statement that cannot be classified counts as all
//! tables: a table too many only costs cache hits, one too few would show stale records.

use crate::schema::ROW_COUNTS;
use crate::{Dialect, migrations};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A table, by its index among those of the migrations.
pub(crate) type TableId = usize;

/// The tables of the book, and which rows are deleted with those of each.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    numbers: BTreeMap<String, TableId>,
    names: Vec<String>,
    /// Tables of which rows change when rows of this one are deleted, at any distance.
    dependents: Vec<BTreeSet<TableId>>,
    /// The tables of the sequence, and of counts of rows of other ones, which are in no read set: a statement that
    /// reads counts names the table whose rows they are.
    unread: [Option<TableId>; 2],
    /// Columns that point to rows of their own table: the table, the column, and a number of its own, as if it was a
    /// table. What is known of lines of descent outlives changes of other columns, and new rows.
    own_links: Vec<(TableId, String, TableId)>,
}

/// The tables of this program. The migrations of both databases make the same ones.
pub(crate) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let texts = migrations::of(Dialect::Sqlite).iter().map(|m| m.sql.as_str().to_owned());
    Tables::read(&texts.collect::<Vec<_>>().join("\n"))
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Touches {
    /// It reads or writes these tables.
    Tables(BTreeSet<TableId>),
    /// It cannot be classified.
    Unknown,
}

impl Tables {
    fn read(migrations: &str) -> Self {
        let mut tables = Self::default();
        let mut words = words(migrations).peekable();
        let mut links: Vec<(TableId, String)> = Vec::new();
        let mut current = None;
        let mut before = ("", "");
        while let Some(word) = words.next() {
            let next = words.peek().copied().unwrap_or_default();
            // A column stands before its type.
            let (column, kind) = before;
            before = (kind, word);
            if word.eq_ignore_ascii_case("TABLE") && !next.is_empty() {
                current = Some(tables.number(next));
            } else if word.eq_ignore_ascii_case("REFERENCES")
                && let Some(from) = current
            {
                links.push((from, next.to_owned()));
                if tables.name(from) == next {
                    let link = tables.number(&format!("{next}.{column}"));
                    tables.own_links.push((from, column.to_owned(), link));
                    links.push((link, next.to_owned()));
                }
            }
        }
        tables.dependents = vec![BTreeSet::new(); tables.names.len()];
        for (from, to) in links {
            let to = tables.numbers.get(&to).copied();
            if let Some(dependents) = to.and_then(|to| tables.dependents.get_mut(to)) {
                dependents.insert(from);
            }
        }
        tables.close_transitively();
        tables.unread = ["book_sequence", ROW_COUNTS].map(|name| tables.numbers.get(name).copied());
        tables
    }

    fn number(&mut self, name: &str) -> TableId {
        if let Some(id) = self.numbers.get(name) {
            return *id;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn close_transitively(&mut self) {
        loop {
            let mut grown = Vec::with_capacity(self.dependents.len());
            for own in &self.dependents {
                let mut all = own.clone();
                all.extend(own.iter().filter_map(|f| self.dependents.get(*f)).flatten().copied());
                grown.push(all);
            }
            if grown == self.dependents {
                return;
            }
            self.dependents = grown;
        }
    }

    /// How many tables there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn name(&self, table: TableId) -> &str {
        self.names.get(table).map_or("", String::as_str)
    }

    pub(crate) fn find(&self, name: &str) -> Option<TableId> {
        self.numbers.get(name).copied()
    }

    /// The tables that a statement reads: each that it names anywhere. Unknown when it reads
    /// from one that is not known.
    pub(crate) fn read_by(&self, text: &str) -> Touches {
        let mut tables = BTreeSet::new();
        let mut from = false;
        for word in words(text) {
            let table_id = self.numbers.get(word).copied();
            match table_id {
                Some(_) if self.unread.contains(&table_id) => {}
                Some(table) => {
                    tables.insert(table);
                }
                // After FROM and JOIN comes a table, or SELECT in brackets, or a function that makes rows of a value.
                None if from && !is_rows(word) => return Touches::Unknown,
                None => {}
            }
            from = word.eq_ignore_ascii_case("FROM") || word.eq_ignore_ascii_case("JOIN");
        }
        Touches::Tables(tables)
    }

    /// The tables of which a statement changes rows.
    pub(crate) fn written_by(&self, text: &str) -> Touches {
        let mut words = words(text);
        let first = words.next().unwrap_or_default().to_ascii_uppercase();
        let second = words.next().unwrap_or_default();
        let target = match first.as_str() {
            "UPDATE" => second,
            "INSERT" | "DELETE" => words.next().unwrap_or_default(),
            // It may change every table that it names.
            "WITH" => {
                return match self.read_by(text) {
                    Touches::Tables(tables) => Touches::Tables(self.with_own_links(tables, text)),
                    Touches::Unknown => Touches::Unknown,
                };
            }
            // They change nothing by themselves.
            "SELECT" | "SAVEPOINT" | "RELEASE" | "ROLLBACK" | "SET" => {
                return Touches::Tables(BTreeSet::new());
            }
            _ => return Touches::Unknown,
        };
        let Some(table) = self.numbers.get(target).copied() else { return Touches::Unknown };
        let mut tables = BTreeSet::from([table]);
        match first.as_str() {
            "DELETE" => tables.extend(self.dependents.get(table).into_iter().flatten()),
            "UPDATE" => tables = self.with_own_links(tables, text),
            _ => {}
        }
        Touches::Tables(tables)
    }

    /// With the links within these tables that a statement names.
    fn with_own_links(&self, mut tables: BTreeSet<TableId>, text: &str) -> BTreeSet<TableId> {
        let within = self.own_links.iter().filter(|(table, _, _)| tables.contains(table));
        let named = within.filter(|(_, column, _)| words(text).any(|word| word == column));
        let named: Vec<TableId> = named.map(|(_, _, link)| *link).collect();
        tables.extend(named);
        tables
    }
}

/// What may come after FROM besides a table.
fn is_rows(word: &str) -> bool {
    // The last is what a statement of this program calls a part of itself.
    let makers = ["select", "values", "lateral", "unnest", "signposts"];
    let word = word.to_ascii_lowercase();
    makers.contains(&word.as_str()) || word.starts_with("json")
}

/// Names and keywords of a statement, without quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(touches: &Touches) -> Vec<&'static str> {
        match touches {
            Touches::Tables(tables) => tables.iter().map(|t| TABLES.name(*t)).collect(),
            Touches::Unknown => vec!["?"],
        }
    }

    fn read(text: &str) -> Vec<&'static str> {
        names(&TABLES.read_by(text))
    }

    fn written(text: &str) -> Vec<&'static str> {
        let mut tables = names(&TABLES.written_by(text));
        tables.sort_unstable();
        tables
    }

    #[test]
    fn a_statement_names_the_tables_that_it_reads() {
        assert_eq!(read("SELECT a.\"id\" FROM \"animals\" a"), ["animals"]);
        let mut two = read(
            "SELECT 1 FROM \"milk_tests\" a WHERE EXISTS (SELECT 1 FROM \"animals\" b \
             WHERE b.id = a.animal AND b.id IN (SELECT value FROM json_each(?)))",
        );
        two.sort_unstable();
        assert_eq!(two, ["animals", "milk_tests"]);
        assert_eq!(read("SELECT commits FROM book_sequence"), [""; 0]);
        assert_eq!(read("SELECT count(*) FROM (SELECT 1 FROM herds)"), ["herds"]);
        assert_eq!(read("SELECT 1 FROM sqlite_master"), ["?"]);
        assert_eq!(read("SELECT 1 FROM herds JOIN elsewhere"), ["?"]);
    }

    #[test]
    fn a_statement_names_the_table_that_it_writes() {
        assert_eq!(written("INSERT INTO \"herds\" (\"id\") VALUES (?)"), ["herds"]);
        assert_eq!(written("UPDATE \"herds\" SET name = ?"), ["herds"]);
        assert_eq!(written("RELEASE SAVEPOINT m1"), [""; 0]);
        assert_eq!(written("WITH x AS (SELECT 1) UPDATE herds SET a = 1"), ["herds"]);
        // A link to a row of its own table counts for itself, where it may lead elsewhere.
        let linked = ["animals", "animals.father"];
        assert_eq!(written("UPDATE \"animals\" SET \"father\" = v.column2 FROM (VALUES (?,?)) v"), linked);
        assert_eq!(written("WITH x AS (SELECT 1) UPDATE animals SET father = 1"), linked);
        assert_eq!(written("UPDATE \"animals\" SET \"name\" = ? WHERE \"id\" = ?"), ["animals"]);
        assert_eq!(written("INSERT INTO animals (id, father, mother) VALUES (?,?,?)"), ["animals"]);
        assert_eq!(written("UPDATE calvings SET father = ?"), ["calvings"]);
        assert_eq!(written("DELETE FROM elsewhere"), ["?"]);
    }

    #[test]
    fn what_a_delete_takes_along_is_written_too() {
        // Herds hang on organisations, animals on herds.
        let tables = written("DELETE FROM \"organizations\" WHERE id = ?");
        assert!(tables.contains(&"herds"), "{tables:?}");
        assert!(tables.contains(&"animals"), "{tables:?}");
        assert!(written("DELETE FROM animals WHERE id = ?").contains(&"animals.mother"));
        let alone = written("DELETE FROM \"exchange_keys\" WHERE document = ?");
        assert_eq!(alone, ["exchange_keys"]);
    }
}
