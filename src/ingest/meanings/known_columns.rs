//! What is known of the columns of a file beside their headings: what the sender states, what the Association decided,
//! and the dialects of other programs.

use crate::meanings::book_header;
use crate::meanings::columns::{Column, Part};
use crate::meanings::file_column::{BESIDE, FileColumn, Means};
use crate::packages::pending::{ValueDecisions, column_decisions, value_decisions};
use crate::values::notation::Notation;
use crate::write::imports;
use domain::collections::packages::Mapping;
use exchange::Exchange;
use mapping::Dialects;
use model::error::Result;
use model::registry::{BookReader, Collection, ID, PackageSet, Registry, ScoredSet, ValueScale, normal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the sender and the Association say of columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownColumns {
    /// By the sender, for this package.
    pub(crate) mapping: Mapping,
    /// By the Association, for all: the set that it is for, and the path; none: it is left out.
    pub(crate) decisions: BTreeMap<String, Option<(String, String)>>,
    /// Values of choices, by the Association, for all.
    pub(crate) words: ValueDecisions,
    /// How files of other programs are read.
    pub(crate) dialects: Arc<Dialects>,
}

impl KnownColumns {
    /// What the sender states, and what the Association decided.
    pub(crate) async fn load(reader: &mut dyn BookReader, mapping: Mapping) -> Result<Self> {
        Ok(Self {
            mapping,
            decisions: column_decisions(reader).await?,
            words: value_decisions(reader).await?,
            dialects: Arc::default(),
        })
    }

    pub(crate) fn with_dialects(mut self, exchange: &Exchange) -> Self {
        self.dialects = Arc::clone(exchange.rules().mappings().dialects());
        self
    }

    /// A heading as a path, or as it is; empty: it is left out.
    pub(crate) fn heading(&self, set: Option<&str>, heading: &str) -> String {
        if BESIDE.contains(&heading) {
            return String::new();
        }
        let name = normal(heading);
        if let Some(stated) = self.mapping.columns.get(&name) {
            return stated.clone().unwrap_or_default();
        }
        match self.decisions.get(&name) {
            Some(None) => String::new(),
            Some(Some((of, path))) if of.is_empty() || set.is_none_or(|set| set == of) => path.clone(),
            _ => heading.to_owned(),
        }
    }

    /// What the Association decided about values of a column, by normalised value.
    pub(crate) fn words_of(&self, c: &Collection, means: &Means) -> BTreeMap<String, String> {
        let Means::Takes(column, _) = means else { return BTreeMap::new() };
        let target = format!("{}:{}", c.slug, column.path(c));
        self.words.get(&target).cloned().unwrap_or_default()
    }

    /// The factor to the unit of the field that the sender states for a column: by a unit of it, or none for its own.
    pub(crate) fn unit(&self, c: &Collection, title: &str, column: &Column) -> Option<f64> {
        match self.mapping.units.get(&normal(title))? {
            None => Some(1.0),
            Some(unit) => Some(column.field(c)?.written_unit(unit)?.size),
        }
    }

    /// Puts what the sender says of a column in place of the questions about it.
    pub(crate) fn answer(&self, c: &Collection, column: &FileColumn, notation: &mut Notation) {
        let Means::Takes(path, _) = &column.means else { return };
        if self.unit(c, &column.title, path).is_some() {
            notation.unit = None;
        }
        if let Some(signs) = &mut notation.signs {
            signs.counts = self.mapping.signs.get(&normal(&column.title)).copied();
        }
    }

    /// Who says what a column means, if it is not its heading.
    pub(crate) fn source(&self, set: &str, heading: &str) -> Option<&'static str> {
        if BESIDE.contains(&heading) {
            return Some("book");
        }
        let name = normal(heading);
        if self.mapping.columns.contains_key(&name) {
            return Some("mapping");
        }
        let decided = self.decisions.get(&name)?;
        decided.as_ref().is_none_or(|(of, _)| of.is_empty() || of == set).then_some("decision")
    }

    pub(crate) fn means(&self, registry: &'static Registry, set: Option<&str>, heading: &str) -> bool {
        let heading = self.heading(set, heading);
        let mut sets = registry.package_sets().filter(|(_, one)| set.is_none_or(|set| set == one.name));
        sets.any(|(c, one)| one.heading(c, &heading).is_some())
    }

    /// Whether a heading is the first column that any set must have, or that one must have.
    pub(crate) fn is_subject(&self, registry: &'static Registry, set: Option<&str>, heading: &str) -> bool {
        let heading = self.heading(set, heading);
        let mut sets = registry.package_sets().filter(|(_, one)| set.is_none_or(|set| set == one.name));
        sets.any(|(c, one)| {
            let path = one.heading(c, &heading).map(|(path, _)| path);
            path.is_some() && path.as_deref() == one.required.first().copied()
        })
    }

    /// The sets that a header can be, the best first.
    pub(crate) fn sets(&self, registry: &'static Registry, heads: &[String]) -> Vec<ScoredSet<'static>> {
        registry.sets_of(&self.headings(heads))
    }

    /// The set that columns of a header tell rather than the best of those that it can be, if it lacks others that it
    /// must have.
    pub(crate) fn lacking_set(
        &self,
        registry: &'static Registry,
        heads: &[String],
        sets: &[ScoredSet<'_>],
    ) -> Option<(&'static Collection, &'static PackageSet)> {
        registry.lacking_set(&self.headings(heads), sets)
    }

    fn headings(&self, heads: &[String]) -> Vec<String> {
        heads.iter().map(|head| self.heading(None, head)).collect()
    }

    /// The columns of a table that the book itself wrote; none: another program wrote it.
    pub(crate) fn columns_of_book(
        &self,
        (c, set): (&'static Collection, &'static PackageSet),
        titles: &[String],
    ) -> Option<Vec<FileColumn>> {
        if set.list.is_some() || !self.mapping.columns.is_empty() {
            return None;
        }
        let own = titles.iter().map(String::as_str);
        let own = own.map(|title| if BESIDE.contains(&title) { "" } else { title });
        let paths = book_header::paths(c, &own.collect::<Vec<_>>())?;
        let column = |(title, path): (&String, &'static str)| {
            let means = match c.slot(path) {
                Some(slot) if slot == ID || imports(c, slot) => {
                    let (part, factor) = (Part::Whole, 1.0);
                    Means::Takes(Column { slot, part, factor, scale: ValueScale::default() }, path.to_owned())
                }
                _ => Means::LeftOut,
            };
            FileColumn { title: title.clone(), words: self.words_of(c, &means), means, notation: Notation::default() }
        };
        Some(titles.iter().zip(paths).map(column).collect())
    }

    /// The sets that a table can be which the book itself wrote.
    pub(crate) fn sets_of_book(
        &self,
        registry: &'static Registry,
        titles: &[String],
        stated: Option<&str>,
    ) -> Vec<(&'static Collection, &'static PackageSet)> {
        let sets = registry.package_sets();
        let meant = |c: &Collection, set: &PackageSet| match stated {
            Some(stated) => stated == set.name,
            None => !set.is_one_kind(c),
        };
        sets.filter(|(c, set)| meant(c, set)).filter(|of| self.columns_of_book(*of, titles).is_some()).collect()
    }
}
