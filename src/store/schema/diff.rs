//! The way from a live schema to the expected one, as statements for a reviewer. Nothing
//! that could lose rows is ever ready to run: it comes as a comment with a warning.

use super::ddl::{add_foreign_keys, column, create_index, create_table};
use super::name::quoted;
use super::{Column, ForeignKey, Index, Table};
use crate::Dialect;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// SQL without the semicolon; empty for a mere remark.
    pub sql: String,
    pub remark: Option<String>,
    /// Whether it is printed as a comment only, and run only if someone decides so.
    pub review_only: bool,
    /// Whether a book can be served without it: it is about something that stands there
    /// besides what is expected, and that no statement of the program minds.
    pub optional: bool,
}

impl Statement {
    pub(super) fn run(sql: String) -> Self {
        Self { sql, remark: None, review_only: false, optional: false }
    }
    pub(super) fn warned(sql: String, remark: impl Into<String>) -> Self {
        Self { remark: Some(remark.into()), ..Self::run(sql) }
    }
    fn review_only(sql: String, remark: impl Into<String>) -> Self {
        Self { review_only: true, ..Self::warned(sql, remark) }
    }
    fn remark(remark: impl Into<String>) -> Self {
        Self::review_only(String::new(), remark)
    }
    fn optional(self, optional: bool) -> Self {
        Self { optional, ..self }
    }
}

impl fmt::Display for Statement {
    /// The statement with semicolon and line end; a held one behind `--`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.remark.iter().flat_map(|r| r.lines()) {
            writeln!(f, "-- {line}")?;
        }
        if self.sql.is_empty() {
            return Ok(());
        }
        if !self.review_only {
            return writeln!(f, "{};", self.sql);
        }
        let mut lines = self.sql.lines().peekable();
        while let Some(line) = lines.next() {
            let end = if lines.peek().is_none() { ";" } else { "" };
            writeln!(f, "-- {line}{end}")?;
        }
        Ok(())
    }
}

/// The tables of one database as far as a second one of the same book shows them: what the second one should have
/// and lacks (tables, columns, indexes) is left out. What only the first one has is taken to be there.
pub fn as_far(first: &[Table], second: &[Table], live: &[Table]) -> Vec<Table> {
    let by_name = |tables: &[Table], name: &str| tables.iter().find(|t| t.name == name).cloned();
    let visible = first.iter().filter_map(|table| {
        let Some(should) = by_name(second, &table.name) else { return Some(table.clone()) };
        let has = by_name(live, &table.name)?;
        let mut table = table.clone();
        let column = |name: &str| has.column(name).is_some() || should.column(name).is_none();
        table.columns.retain(|c| column(&c.name));
        table.foreign_keys.retain(|key| column(&key.column));
        let has_index = |t: &Table, index: &Index| t.indexes.iter().any(|other| other.name == index.name);
        table.indexes.retain(|index| has_index(&has, index) || !has_index(&should, index));
        table.triggers.retain(|trigger| has.triggers.iter().any(|other| other.name == trigger.name));
        Some(table)
    });
    visible.collect()
}

/// What brings the live schema to the expected one, in an order that can be run: tables, columns and indexes, then
/// references, then what is there without being expected. Empty when both say the same.
pub fn diff(expected: &[Table], live: &[Table], dialect: Dialect) -> Vec<Statement> {
    let mut steps = SchemaChanges { dialect, main: Vec::new(), keys: Vec::new(), drops: Vec::new() };
    for table in expected {
        match live.iter().find(|l| l.name == table.name) {
            None => steps.create(table),
            Some(old) => steps.change(table, old),
        }
    }
    for old in live {
        if !expected.iter().any(|t| t.name == old.name) {
            let sql = format!("DROP TABLE {}", quoted(&old.name));
            let why = format!("Table {} is not expected; dropping it loses its rows.", old.name);
            steps.drops.push(Statement::review_only(sql, why).optional(true));
        }
    }
    let mut all = steps.main;
    all.append(&mut steps.keys);
    all.append(&mut steps.drops);
    all
}

struct SchemaChanges {
    dialect: Dialect,
    main: Vec<Statement>,
    keys: Vec<Statement>,
    drops: Vec<Statement>,
}

impl SchemaChanges {
    fn create(&mut self, t: &Table) {
        self.main.push(Statement::run(create_table(t, self.dialect)));
        self.main.extend(t.initial.map(|sql| Statement::run(sql.to_owned())));
        for i in &t.indexes {
            self.main.push(Statement::run(create_index(t, i)));
        }
        self.main.extend(t.triggers.iter().map(|trigger| Statement::run(trigger.sql.clone())));
        self.add_keys(t, &t.foreign_keys.iter().collect::<Vec<_>>());
    }

    fn add_keys(&mut self, t: &Table, keys: &[&ForeignKey]) {
        // SQLite has them in the columns.
        if self.dialect == Dialect::Postgres && !keys.is_empty() {
            self.keys.push(Statement::run(add_foreign_keys(t, keys)));
        }
    }

    fn change(&mut self, t: &Table, old: &Table) {
        self.columns(t, old);
        if t.primary_key != old.primary_key {
            self.main.push(Statement::remark(format!(
                "Table {}: the primary key is ({}), expected ({}); the table has to be rebuilt.",
                t.name,
                old.primary_key.join(", "),
                t.primary_key.join(", ")
            )));
        }
        self.indexes(t, old);
        self.foreign_keys(t, old);
        self.triggers(t, old);
        // Last, since neither database drops a column and then finds what stood on it.
        self.drop_columns(t, old);
    }

    fn triggers(&mut self, t: &Table, old: &Table) {
        let missing = t.triggers.iter().filter(|new| !old.triggers.iter().any(|other| other.name == new.name));
        let before = self.main.len();
        for trigger in missing {
            if self.dialect == Dialect::Postgres {
                let function = format!("DROP FUNCTION IF EXISTS {}()", quoted(&trigger.name));
                self.main.push(Statement::run(function));
            }
            self.main.push(Statement::run(trigger.sql.clone()));
        }
        if self.main.len() > before {
            // Counts lack what rows changed without their triggers.
            self.main.extend(t.recount.iter().cloned().map(Statement::run));
        }
    }

    fn columns(&mut self, t: &Table, old: &Table) {
        for c in &t.columns {
            match old.column(&c.name) {
                None => self.add_column(t, c),
                Some(was) if was == c => {}
                Some(was) => self.alter_column(t, c, was),
            }
        }
    }

    fn drop_columns(&mut self, t: &Table, old: &Table) {
        for was in old.columns.iter().filter(|o| t.column(&o.name).is_none()) {
            let sql = format!("ALTER TABLE {} DROP COLUMN {}", quoted(&t.name), quoted(&was.name));
            let why = format!("Column {}.{} is not expected; dropping it loses its values.", t.name, was.name);
            // A row without a value for it is taken.
            self.drops.push(Statement::review_only(sql, why).optional(!was.not_null));
        }
    }

    fn add_column(&mut self, t: &Table, c: &Column) {
        let column = column(t, c, self.dialect);
        let sql = format!("ALTER TABLE {} ADD COLUMN {column}", quoted(&t.name));
        self.main.push(if c.not_null {
            Statement::warned(sql, "Fails while the table has rows, unless a DEFAULT says what they get.")
        } else {
            Statement::run(sql)
        });
    }

    fn alter_column(&mut self, t: &Table, c: &Column, was: &Column) {
        let null = |c: &Column| if c.not_null { " NOT NULL" } else { "" };
        let difference =
            format!("Column {}.{} is {}{}, expected {}{}", t.name, c.name, was.ty, null(was), c.ty, null(c));
        if self.dialect == Dialect::Sqlite {
            let why = format!("{difference}; SQLite cannot alter it: the table has to be rebuilt.");
            self.main.push(Statement::remark(why));
            return;
        }
        let (table, name) = (quoted(&t.name), quoted(&c.name));
        if was.ty != c.ty {
            let sql = format!("ALTER TABLE {table} ALTER COLUMN {name} TYPE {ty} USING {name}::{ty}", ty = c.ty);
            self.main.push(Statement::review_only(sql, format!("{difference}; values may be changed or refused.")));
        }
        if was.not_null != c.not_null {
            let verb = if c.not_null { "SET" } else { "DROP" };
            let sql = format!("ALTER TABLE {table} ALTER COLUMN {name} {verb} NOT NULL");
            self.main.push(Statement::warned(sql, format!("{difference}.")));
        }
    }

    fn indexes(&mut self, t: &Table, old: &Table) {
        for i in &t.indexes {
            match old.indexes.iter().find(|o| o.name == i.name) {
                None => self.main.push(Statement::run(create_index(t, i))),
                Some(was) if was == i => {}
                Some(was) => {
                    let sql = format!("DROP INDEX {};\n{}", quoted(&i.name), create_index(t, i));
                    let why = format!("Index {} is {}, expected {}.", i.name, kind(was), kind(i));
                    self.main.push(Statement::review_only(sql, why));
                }
            }
        }
        for was in &old.indexes {
            if !t.indexes.iter().any(|i| i.name == was.name) {
                let sql = format!("DROP INDEX {}", quoted(&was.name));
                let why = format!("Index {} on {} is not expected.", was.name, t.name);
                self.drops.push(Statement::review_only(sql, why).optional(!was.unique));
            }
        }
    }

    fn foreign_keys(&mut self, t: &Table, old: &Table) {
        let missing = (t.foreign_keys.iter()).filter(|k| !old.foreign_keys.iter().any(|o| k.same(o)));
        let extra = (old.foreign_keys.iter()).filter(|o| !t.foreign_keys.iter().any(|k| k.same(o)));
        if self.dialect == Dialect::Sqlite {
            // A column that is added brings its reference along.
            for k in missing.filter(|k| old.column(&k.column).is_some()) {
                self.rebuild(t, k, "is missing");
            }
            for k in extra.filter(|k| t.column(&k.column).is_some()) {
                self.rebuild(t, k, "is not expected");
            }
            return;
        }
        let (taken, free): (Vec<&ForeignKey>, Vec<_>) =
            missing.partition(|k| old.foreign_keys.iter().any(|o| o.name == k.name));
        self.add_keys(t, &free);
        for k in extra {
            let mut sql = format!("ALTER TABLE {} DROP CONSTRAINT {}", quoted(&t.name), quoted(&k.name));
            let mut why = format!("{} is not expected", reference(t, k));
            if let Some(new) = taken.iter().find(|n| n.name == k.name) {
                sql = format!("{sql};\n{}", add_foreign_keys(t, &[new]));
                why = format!("{why}, but {}", reference(t, new));
            }
            self.drops.push(Statement::review_only(sql, why + "."));
        }
    }

    fn rebuild(&mut self, t: &Table, k: &ForeignKey, what: &str) {
        self.keys.push(Statement::remark(format!(
            "{} {what}; SQLite cannot alter it: the table has to be rebuilt.",
            reference(t, k)
        )));
    }
}

fn kind(i: &Index) -> String {
    let unique = if i.unique { "unique " } else { "" };
    let filled = if i.filled { ", filled only" } else { "" };
    format!("{unique}({}{filled})", i.columns.join(", "))
}

fn reference(t: &Table, k: &ForeignKey) -> String {
    let action = k.on_delete.words();
    format!("Reference {}.{} to {} ON DELETE {action}", t.name, k.column, k.target)
}
