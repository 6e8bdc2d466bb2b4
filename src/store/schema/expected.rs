//! The tables that the registry demands. Faults of a declaration that no table can carry are listed, all at once.

use super::draft::Draft;
use super::name::LONGEST;
use super::{OnDelete, Table, fixed, row_counts};
use crate::{Dialect, Ty};
use model::error::Issue;
use model::messages::Sentence;
use model::registry::{Collection, Field, ID, Kind, Registry};
use std::collections::BTreeSet;

/// The fixed tables, then one table per collection in the registry's order, each followed
/// by the link tables of its relation lists.
///
/// # Errors
///
/// Every declaration that cannot be stored so: a composite key over a relation list, an
/// index over JSON, names that are too long or taken twice, relations to nowhere.
pub fn expected(registry: &Registry, dialect: Dialect) -> Result<Vec<Table>, Vec<Issue>> {
    let mut plan = Plan { registry, dialect, issues: Vec::new() };
    let mut tables = fixed::tables(dialect);
    for c in registry.iter() {
        tables.push(plan.collection(c));
        for f in (c.fields.iter()).filter(|f| matches!(f.kind, Kind::Relations(_))) {
            tables.push(plan.links(c, f));
        }
    }
    plan.check_names(&tables);
    if plan.issues.is_empty() { Ok(tables) } else { Err(plan.issues) }
}

struct Plan<'r> {
    registry: &'r Registry,
    dialect: Dialect,
    issues: Vec<Issue>,
}

impl Plan<'_> {
    fn fault(&mut self, path: String, code: &'static str, message: impl Into<Sentence>) {
        self.issues.push(Issue::error(path, code, message));
    }

    fn collection(&mut self, c: &Collection) -> Table {
        let mut draft = Draft::new(&c.table, self.dialect);
        for (slot, f) in c.fields.iter().enumerate().filter(|(_, f)| f.stored()) {
            if slot == ID {
                draft = draft.key(&f.column, Ty::of(f));
                continue;
            }
            draft.column(&f.column, Ty::of(f), f.required || slot >= c.seq_slot());
            if let (Kind::Relation(_), Some(target)) = (&f.kind, self.target(c, f)) {
                draft.references(&f.column, &target, on_delete(f));
            }
        }
        for key in &c.uniques {
            if let Some(columns) = self.columns(c, key) {
                draft.add_index(&columns, true);
            }
        }
        for key in &c.indexes {
            if let Some(columns) = self.columns(c, key) {
                draft.add_index(&columns, false);
            }
        }
        for f in c.fields.iter().filter(|f| f.path != "id") {
            // A relation list has its index in its own table, regardless of its marks.
            let marked = f.indexed || matches!(f.kind, Kind::Relation(_));
            let disputed = c.disputed_slot(f).and(c.disputed);
            let paths: Vec<&str> = std::iter::once(f.path.as_str()).chain(disputed).collect();
            if (f.unique || (f.stored() && marked))
                && let Some(columns) = self.columns(c, &paths)
            {
                // Equality and membership find filled columns only, and a relation has no
                // other conditions; orders need all rows.
                let sparse = matches!(f.kind, Kind::Relation(_)) && !(f.unique || f.required);
                match columns.as_slice() {
                    [column] if sparse => draft.add_sparse_index(column),
                    columns => draft.add_index(columns, f.unique),
                }
            }
        }
        for path in &c.trigram {
            if !(c.field(path)).is_some_and(|f| f.stored() && Ty::of(f) == Ty::Text) {
                self.fault(format!("{}.{path}", c.slug), "cannot-be-indexed", "searched by parts, and no text");
            }
        }
        let mut table = draft.done();
        (table.triggers, table.recount) = row_counts::triggers(c, self.dialect);
        table
    }

    /// Owner, place in the list, and the row pointed to; a place goes with either row.
    fn links(&mut self, c: &Collection, f: &Field) -> Table {
        let mut draft = Draft::new(&c.link_table(f), self.dialect)
            .filled("owner", Ty::Int)
            .filled("position", Ty::Int)
            .filled("target", Ty::Int)
            .keys(&["owner", "position"])
            .index(&["target", "owner"]);
        draft.references("owner", &c.table, OnDelete::Cascade);
        if let Some(target) = self.target(c, f) {
            draft.references("target", &target, OnDelete::Cascade);
        }
        draft.done()
    }

    /// The table that a relation points to.
    fn target(&mut self, c: &Collection, f: &Field) -> Option<String> {
        let slug = f.target()?;
        let table = self.registry.get(slug).map(|t| t.table.clone());
        if table.is_none() {
            self.fault(format!("{}.{}", c.slug, f.path), "no-such-collection", format!("points to {slug}"));
        }
        table
    }

    /// The columns of an index, if all of its paths can be indexed.
    fn columns<'c>(&mut self, c: &'c Collection, paths: &[&str]) -> Option<Vec<&'c str>> {
        let mut columns = Vec::new();
        for path in paths {
            let message = match c.field(path) {
                None => "an index names it, and it is not declared",
                Some(f) if !f.stored() => "an index names it, and it has no column",
                Some(f) if Ty::of(f) == Ty::Json => "an index names it, and it holds JSON",
                Some(f) => {
                    columns.push(f.column.as_str());
                    continue;
                }
            };
            self.fault(format!("{}.{path}", c.slug), "cannot-be-indexed", message);
        }
        (columns.len() == paths.len()).then_some(columns)
    }

    /// Names of tables and columns are taken as declared, so they must fit; PostgreSQL
    /// keeps tables and indexes in one name space.
    fn check_names(&mut self, tables: &[Table]) {
        let mut taken = BTreeSet::new();
        for t in tables {
            for c in t.columns.iter().filter(|c| c.name.len() > LONGEST) {
                self.fault(format!("{}.{}", t.name, c.name), "name-too-long", "longer than 63 bytes");
            }
            if t.name.len() > LONGEST {
                self.fault(t.name.clone(), "name-too-long", "longer than 63 bytes");
            }
            for name in std::iter::once(&t.name).chain(t.indexes.iter().map(|i| &i.name)) {
                if !taken.insert(name) {
                    self.fault(name.clone(), "declared-twice", "two tables or indexes");
                }
            }
        }
    }
}

fn on_delete(f: &Field) -> OnDelete {
    match (f.cascade, f.required) {
        (true, _) => OnDelete::Cascade,
        (false, true) => OnDelete::NoAction,
        (false, false) => OnDelete::SetNull,
    }
}
