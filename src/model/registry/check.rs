//! The cross-check of the declarations: every fault in what one says of itself and of others.

use super::collection::best_of_day::BestOfDay;
use super::collection::for_many::ForMany;
use super::collection::{naming, package_sets, states, ui_hints};
use super::{Class, Collection, Field, KeyFields, Kind, Registry, Writer, merging};
use crate::error::Issue;
use crate::record::MOST_SLOTS;
use std::collections::BTreeSet;

/// Takes a fault: its path, its code, and what is wrong.
type Fault<'f> = dyn FnMut(&str, &'static str, String) + 'f;

impl Registry {
    /// Every fault of a declaration.
    pub(super) fn check(&self, c: &Collection, issues: &mut Vec<Issue>) {
        let mut fault = |path: &str, code: &'static str, message: String| {
            issues.push(Issue::error(format!("{}.{path}", c.slug), code, message));
        };
        if c.width() > MOST_SLOTS {
            let message = format!("{} fields of at most {MOST_SLOTS}", c.width());
            fault("", "too-many-fields", message);
        }
        self.check_fields(c, &mut fault);
        check_paths(c, &mut fault);
        states::check(c, &mut fault);
        merging::check(c, &mut fault);
        naming::check(c, &mut fault);
        ui_hints::check(c, &|slug| self.get(slug), &mut fault);
        self.check_feature(c, &mut fault);
        package_sets::check(c, &mut fault);
        self.check_actions(c, &mut fault);
        self.check_stock(c, &mut fault);
        check_animal(c, &mut fault);
        self.check_links(c, &mut fault);
        self.check_access(c, &mut fault);
    }

    fn check_fields(&self, c: &Collection, fault: &mut Fault<'_>) {
        let mut columns = BTreeSet::new();
        for f in &c.fields {
            if f.stored() && !columns.insert(f.column.as_str()) {
                let message = format!("column {} twice", f.column);
                fault(&f.path, "declared-twice", message);
            }
            let subs: &[Field] = match &f.kind {
                Kind::Rows(subs) => subs,
                _ => &[],
            };
            if let Some(through) = &f.through
                && !through.fits(c, f, &self.collections)
            {
                let message = format!("repeats {through}, which is not such a field");
                fault(&f.path, "no-such-field", message);
            }
            if let Some(path) = f.digest.filter(|path| c.slot(path).is_none()) {
                fault(path, "no-such-field", format!("keeps {}", f.path));
            }
            for path in f.keyed.iter().flat_map(KeyFields::paths) {
                if c.slot(path).is_none() {
                    fault(path, "no-such-field", format!("keeps {}", f.path));
                }
            }
            let targets = std::iter::once(f).chain(subs).filter_map(Field::target);
            for target in targets.chain(f.asks) {
                if self.get(target).is_none() {
                    fault(&f.path, "no-such-collection", format!("points to {target}"));
                }
            }
        }
    }

    fn check_actions(&self, c: &Collection, fault: &mut Fault<'_>) {
        for action in &c.actions {
            if c.field(action.field).is_none_or(|f| f.writer != Writer::Server) {
                let message = format!("{} is no field of the server", action.field);
                fault(action.name, "no-such-field", message);
            }
        }
        if let Some(how) = &c.for_many {
            let only = how.only.map_or("id", |(field, _)| field);
            let other = c.many_of(self, how);
            if other.is_none_or(|other| other.slot(only).is_none()) {
                let message = format!("{only} is not there");
                fault(how.relation, "no-such-field", message);
            }
        }
    }

    /// Whose storage limits rows count against.
    fn check_stock(&self, c: &Collection, fault: &mut Fault<'_>) {
        let Some(stock) = &c.stock else { return };
        let mut missing = |path: &str| {
            fault(path, "no-such-relation", "rows count for it".to_owned());
        };
        for path in [stock.organization, stock.user] {
            if !path.is_empty() && c.field(path).and_then(Field::target).is_none() {
                missing(path);
            }
        }
        if let Some(path) = stock.through {
            let slug = c.field(stock.organization).and_then(Field::target);
            let record = slug.and_then(|slug| self.get(slug));
            if record.and_then(|r| r.field(path)?.target()).is_none() {
                missing(path);
            }
        }
    }

    /// Related lists, and the relation to files.
    fn check_links(&self, c: &Collection, fault: &mut Fault<'_>) {
        for join in &c.joins {
            if c.slot(join.name).is_some() {
                let message = format!("the join {} hides a field", join.name);
                fault(join.name, "declared-twice", message);
            }
            for path in join.on {
                let target = (self.get(join.collection).and_then(|t| t.field(path))).and_then(Field::target);
                if target != Some(c.slug) {
                    let message = format!("{}.{path} does not point here", join.collection);
                    fault(join.name, "no-such-relation", message);
                }
            }
        }
        if let Some(path) = c.file {
            let target = c.field(path).and_then(Field::target);
            if (target.and_then(|t| self.get(t))).is_none_or(|t| t.upload.is_none()) {
                let message = "takes a file but does not point to files".to_owned();
                fault(path, "no-such-relation", message);
            }
        }
    }

    fn check_access(&self, c: &Collection, fault: &mut Fault<'_>) {
        let mut missing = |path: &str| {
            let message = "named by the access rules".to_owned();
            fault(path, "no-such-field", message);
        };
        for flag in c.access.flags() {
            if !self.holds(c, flag) {
                missing(flag);
            }
        }
        let demanded = c.access.demands.iter().map(|d| &d.field);
        let subjects = c.access.subjects.iter().chain(&c.access.write_subjects);
        for path in subjects.chain(&c.access.only_of).chain(demanded) {
            if !self.reaches(c, path) {
                missing(path);
            }
        }
    }

    /// Whether a flag of the access rules is one: a Boolean, `select=word`, or `relation=` for
    /// an empty one, perhaps behind relations.
    pub(super) fn holds(&self, c: &Collection, flag: &str) -> bool {
        let (path, word) = flag.split_once('=').unwrap_or((flag, ""));
        match c.field(path).map(|f| &f.kind) {
            Some(Kind::Select(words)) => words.iter().any(|w| w == word),
            Some(Kind::Bool) => !flag.contains('='),
            Some(Kind::Relation(_)) => flag.ends_with('='),
            Some(_) => false,
            None => flag.split_once('.').is_some_and(|(head, rest)| {
                let target = c.field(head).and_then(Field::target);
                target.and_then(|target| self.get(target)).is_some_and(|target| self.holds(target, rest))
            }),
        }
    }
}

/// Fields that the declaration names.
fn check_paths(c: &Collection, fault: &mut Fault<'_>) {
    let paths = (c.indexes.iter().chain(&c.uniques).flatten())
        .chain(c.aliases.iter().map(|(canonical, _)| canonical))
        .chain(c.natural.iter().chain(&c.trigram))
        .chain(c.animal.iter())
        .chain(c.happens.iter())
        .chain(c.serial.iter())
        .chain(c.disputed.iter())
        .chain(c.file.iter())
        .chain(c.access.row_class.iter());
    let logging: Vec<_> = c.logging_paths().collect();
    let days: Vec<_> = c.best_of_day.iter().flat_map(BestOfDay::paths).collect();
    let made: Vec<_> = c.for_many.iter().flat_map(ForMany::looked_at).collect();
    let paths = paths.chain(logging.iter()).chain(days.iter()).chain(made.iter());
    for path in paths {
        if c.slot(path).is_none() {
            fault(path, "no-such-field", "named by the declaration".to_owned());
        }
    }
}

/// When a row happened to which animal, how rows of animals descend, and what all readers see of them.
fn check_animal(c: &Collection, fault: &mut Fault<'_>) {
    if let Some(path) = c.happens {
        let dated = c.field(path).is_some_and(|f| matches!(f.kind, Kind::Day | Kind::Instant));
        let about = c.animal.and_then(|path| c.field(path)).and_then(Field::target);
        if !dated || about.is_none() {
            let message = format!("{path} tells of no animal when it happened");
            fault(path, "no-such-field", message);
        }
    }
    for path in c.lineage.iter().flatten().chain(&c.merged) {
        if c.field(path).map(|f| &f.kind) != Some(&Kind::Relation(c.slug.to_owned())) {
            let message = format!("{path} is no relation to {} itself", c.slug);
            fault(path, "no-such-relation", message);
        }
    }
    for path in c.identity {
        if c.field(path).is_none_or(|f| f.class != Class::Row) {
            let message = format!("{path} is no field that every reader of the row sees");
            fault(path, "no-such-field", message);
        }
    }
}
