//! A table under construction: the one notation in which the tables of the registry and the fixed ones are declared.

use super::name::{foreign_key_name, index_name, unique_name};
use super::{Column, ForeignKey, Index, OnDelete, Table};
use crate::{Dialect, Ty};

pub(super) struct Draft {
    dialect: Dialect,
    table: Table,
}

impl Draft {
    pub(super) fn new(name: &str, dialect: Dialect) -> Self {
        let table = Table {
            name: name.to_owned(),
            columns: Vec::new(),
            primary_key: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            initial: None,
            triggers: Vec::new(),
            recount: Vec::new(),
        };
        Self { dialect, table }
    }

    pub(super) fn filled(mut self, name: &str, ty: Ty) -> Self {
        self.column(name, ty, true);
        self
    }
    pub(super) fn key(self, name: &str, ty: Ty) -> Self {
        self.filled(name, ty).keys(&[name])
    }
    pub(super) fn keys(mut self, names: &[&str]) -> Self {
        self.table.primary_key = owned(names);
        self
    }
    pub(super) fn index(mut self, columns: &[&str]) -> Self {
        self.add_index(columns, false);
        self
    }
    #[cfg(test)]
    fn unique(mut self, columns: &[&str]) -> Self {
        self.add_index(columns, true);
        self
    }

    pub(super) fn column(&mut self, name: &str, ty: Ty, not_null: bool) {
        self.table.columns.push(Column {
            name: name.to_owned(),
            ty: self.dialect.column_type(ty).to_owned(),
            not_null,
        });
    }

    pub(super) fn references(&mut self, column: &str, target: &str, on_delete: OnDelete) {
        self.table.foreign_keys.push(ForeignKey {
            name: foreign_key_name(&self.table.name, column),
            column: column.to_owned(),
            target: target.to_owned(),
            on_delete,
        });
    }

    pub(super) fn add_index(&mut self, columns: &[&str], unique: bool) {
        let name = if unique { unique_name(&self.table.name, columns) } else { index_name(&self.table.name, columns) };
        self.table.indexes.push(Index { name, columns: owned(columns), unique, filled: false });
    }

    /// An index over a column that is empty in many rows.
    pub(super) fn add_sparse_index(&mut self, column: &str) {
        self.add_index(&[column], false);
        if let Some(index) = self.table.indexes.last_mut() {
            index.filled = true;
        }
    }

    /// The table, without indexes that another one serves as well: those over the first
    /// columns of the primary key or of another index.
    pub(super) fn done(mut self) -> Table {
        let all = self.table.indexes.clone();
        let key = self.table.primary_key.clone();
        let mut place = 0;
        self.table.indexes.retain(|index| {
            let mine = place;
            place += 1;
            let served = |(other_place, other): (usize, &Index)| {
                let same = other.columns == index.columns;
                let fuller = index.filled && !other.filled;
                let stronger = !index.unique && (other.unique || !same || fuller);
                other_place != mine
                    && (index.filled || !other.filled)
                    && other.columns.starts_with(&index.columns)
                    && (stronger || (same && other.unique == index.unique && other_place < mine))
            };
            !(all.iter().enumerate().any(served) || !index.unique && key.starts_with(&index.columns))
        });
        self.table
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_names(draft: Draft) -> Vec<String> {
        draft.done().indexes.into_iter().map(|i| i.name).collect()
    }
    fn draft() -> Draft {
        Draft::new("t", Dialect::Sqlite).key("id", Ty::Int)
    }

    #[test]
    fn an_index_that_another_serves_is_left_out() {
        assert_eq!(index_names(draft().index(&["a"]).unique(&["a"])), ["t_a_key"]);
        assert_eq!(index_names(draft().index(&["a"]).index(&["a", "b"])), ["t_a_b_idx"]);
        assert_eq!(index_names(draft().index(&["a"]).index(&["a"])), ["t_a_idx"]);
        assert_eq!(index_names(draft().index(&["id"])), Vec::<String>::new());
    }

    #[test]
    fn a_sparse_index_serves_no_other() {
        let sparse = |mut draft: Draft| {
            draft.add_sparse_index("a");
            draft
        };
        assert_eq!(index_names(sparse(draft()).index(&["a"])), ["t_a_idx"; 1]);
        assert_eq!(index_names(sparse(draft().index(&["a", "b"]))), ["t_a_b_idx"]);
        let both = sparse(draft()).index(&["a"]).done();
        assert!(!both.indexes[0].filled);
    }

    #[test]
    fn an_index_with_a_meaning_of_its_own_stays() {
        assert_eq!(index_names(draft().unique(&["a"]).index(&["a", "b"])), ["t_a_key", "t_a_b_idx"]);
        assert_eq!(index_names(draft().unique(&["a"]).unique(&["a", "b"])), ["t_a_key", "t_a_b_key"]);
        assert_eq!(index_names(draft().index(&["b"]).index(&["a", "b"])), ["t_b_idx", "t_a_b_idx"]);
    }
}
