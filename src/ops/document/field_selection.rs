//! Which fields documents show: what `select` and `populate` choose, level by level.

use crate::View;
use indexmap::IndexMap;
use model::query::qs::{Choice, Select, SelectTree};
use std::sync::Arc;

/// Documents of one collection under one choice of fields. The choice 0 is the
/// collection's own (`populate`); others were made for one relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldSelection {
    pub(super) slug: &'static str,
    pub(super) choice: usize,
}

/// The selection within a group of fields.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pick<'a> {
    All,
    Include(&'a SelectTree),
    Exclude(&'a SelectTree),
}

impl<'a> Pick<'a> {
    pub(super) fn of(select: Option<&'a Select>) -> Self {
        match select {
            None => Self::All,
            Some(Select::Include(tree)) => Self::Include(tree),
            Some(Select::Exclude(tree)) => Self::Exclude(tree),
        }
    }

    /// The selection within one of them; none when it is not shown.
    pub(super) fn child(self, name: &str) -> Option<Self> {
        match self {
            Self::All => Some(Self::All),
            Self::Include(tree) => tree.get(name).map(|choice| match choice {
                Choice::Whole => Self::All,
                Choice::Parts(parts)
                | Choice::Join { parts, .. }
                | Choice::Lineage { parts, .. }
                | Choice::Story { parts, .. } => Self::Include(parts),
            }),
            Self::Exclude(tree) => match tree.get(name) {
                None => Some(Self::All),
                Some(Choice::Parts(parts)) => Some(Self::Exclude(parts)),
                Some(_) => None,
            },
        }
    }

    /// Whether a name was given to a field that is requested in a particular way.
    pub(super) fn names(self, name: &str) -> bool {
        let Self::Include(tree) = self else { return false };
        matches!(tree.get(name), Some(Choice::Join { .. } | Choice::Lineage { .. } | Choice::Story { .. }))
    }

    fn select(self) -> Option<Select> {
        match self {
            Self::All => None,
            Self::Include(tree) => Some(Select::Include(tree.clone())),
            Self::Exclude(tree) => Some(Select::Exclude(tree.clone())),
        }
    }
}

/// The choices of a view, as far as shapes requested them. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct FieldSelections {
    populate: Arc<IndexMap<String, Select>>,
    chosen: Vec<Arc<Select>>,
}

impl FieldSelections {
    pub(super) fn new(view: &View) -> Self {
        Self { populate: Arc::new(view.populate.clone()), chosen: Vec::new() }
    }

    /// How a relation shows documents of that collection, under what is chosen of it.
    pub(super) fn selection(&mut self, slug: &'static str, pick: Pick<'_>) -> FieldSelection {
        let choice = match pick.select() {
            None => 0,
            // The same choice for several relations, as for both parents, is one statement.
            Some(select) => match self.chosen.iter().position(|known| **known == select) {
                Some(known) => known + 1,
                None => {
                    self.chosen.push(Arc::new(select));
                    self.chosen.len()
                }
            },
        };
        FieldSelection { slug, choice }
    }

    pub(super) fn select(&self, selection: FieldSelection) -> Option<Arc<Select>> {
        match selection.choice.checked_sub(1) {
            None => self.populate.get(selection.slug).cloned().map(Arc::new),
            Some(place) => self.chosen.get(place).cloned(),
        }
    }
}
