//! The declarations of all collections, and the cross-check that finds every fault in
//! them at start. Knows neither SQL nor any face.

mod access;
pub mod certificates;
mod collection;
pub mod corrections;
mod dump;
mod feature;
mod feature_fields;
mod field;
pub mod keyring;
pub mod mandates;
mod merging;
mod moves;
mod nearest;
mod pages;
pub mod quota;
pub mod review;
pub mod saved_searches;
pub mod signing;
mod states_page;
mod units;
mod upload;
pub mod view_links;

pub use access::{
    ACTIVITIES, ASSOCIATION, Access, Allowance, Caller, Capability, Consent, Demand, Grant,
    KeyScope, Principal, Rule, Scope, Verb,
};
pub use collection::best_of_day::BestOfDay;
pub use collection::for_many::{BulkMode, ForMany, Open};
pub use collection::hook::{
    BookReader, Change, Command, Draft, HookContext, Hooks, Lookup, NoHooks, PendingRecompute,
    Rules, Series, SignedStatement, Test, WrittenRow,
};
pub use collection::logging::{LoggedWrite, Logging, Operation, Source, Subject};
pub use collection::naming::{AlsoNamed, Naming, Numbers, StateBy, TextFor, is_no_parent, normal};
pub use collection::notify::Action;
pub use collection::package_sets::{PackageSet, ScoredSet, SetColumn, is_sure};
pub use collection::sign_in::SignIn;
pub use collection::states::{Move, Mover, Reading, Set, States, Who, moves};
pub use collection::stock::Stock;
pub use collection::ui_hints::{
    Assignee, Card, CardRows, CardTable, Chart, Curves, Idle, Measure, OPENING, Opens, Timeline,
    UiHints, Waiting,
};
pub use collection::vocabulary::{ALIASES, Vocabulary, entry_key};
pub use collection::{Collection, ID, Join, Node, snake};
pub use collection::{notify, sign_in};
pub use feature::Feature;
pub use field::through::{Follower, Part, Through};
pub use field::wording::Wording;
pub use field::{
    Class, Decl, Field, KeyFields, Kind, Protection, Writer, boolean, day, email, fields, group,
    instant, int, json, long_text, number, password, relation, relations, rows, select, selects,
    text, text_n, texts,
};
pub use nearest::nearest;
pub use pages::DataSet;
pub use units::{Unit, is_unit};
pub use upload::{FileGroup, ImageSize, Upload};

use crate::error::Issue;
use crate::record::MOST_SLOTS;
use indexmap::IndexMap;

/// A field that points to a collection.
#[derive(Debug, Clone, Copy)]
pub struct Referrer<'a> {
    /// The collection that has the field.
    pub collection: &'a Collection,
    /// The slot of the field.
    pub slot: usize,
    /// The member that points there, where the field is a list of rows.
    pub sub: Option<&'a Field>,
}

impl<'a> Referrer<'a> {
    /// The field itself.
    pub fn field(&self) -> Option<&'a Field> {
        self.collection.fields.get(self.slot)
    }
}

/// All collections by slug, in the seed's order.
#[derive(Debug)]
pub struct Registry {
    collections: IndexMap<&'static str, Collection>,
    followers: IndexMap<&'static str, Vec<Follower>>,
}

impl Registry {
    /// Checks the declarations against each other and lists every fault.
    pub fn build(collections: Vec<Collection>) -> Result<Self, Vec<Issue>> {
        let mut issues = Vec::new();
        let mut map = IndexMap::new();
        for c in collections {
            let slug = c.slug;
            if map.insert(slug, c).is_some() {
                issues.push(Issue::error(slug, "declared-twice", "declared twice"));
            }
        }
        let registry = Self {
            followers: field::through::followers(&map),
            collections: map,
        };
        for c in registry.iter() {
            registry.check(c, &mut issues);
        }
        if issues.is_empty() {
            Ok(registry)
        } else {
            Err(issues)
        }
    }

    /// A collection by its slug.
    pub fn get(&self, slug: &str) -> Option<&Collection> {
        self.collections.get(slug)
    }

    /// All collections.
    pub fn iter(&self) -> impl Iterator<Item = &Collection> {
        self.collections.values()
    }

    /// All fields that point to this collection.
    pub fn referrers<'a>(&'a self, slug: &'a str) -> impl Iterator<Item = Referrer<'a>> + 'a {
        self.iter().flat_map(move |collection| {
            let fields = collection.relations_to(slug);
            fields.map(move |(slot, sub)| Referrer {
                collection,
                slot,
                sub,
            })
        })
    }

    /// Collections of the events of this one.
    pub fn events_of(&self, c: &Collection) -> impl Iterator<Item = &Collection> {
        self.iter().filter(move |events| {
            let about = events.animal.and_then(|path| events.field(path));
            events.happens.is_some() && about.and_then(Field::target) == Some(c.slug)
        })
    }

    /// Fields of other collections that repeat fields of this one.
    pub fn followers(&self, slug: &str) -> &[Follower] {
        self.followers.get(slug).map_or(&[], Vec::as_slice)
    }

    fn check(&self, c: &Collection, issues: &mut Vec<Issue>) {
        let mut fault = |path: &str, code: &'static str, message: String| {
            issues.push(Issue::error(format!("{}.{path}", c.slug), code, message));
        };
        if c.width() > MOST_SLOTS {
            let message = format!("{} fields of at most {MOST_SLOTS}", c.width());
            fault("", "too-many-fields", message);
        }
        let mut columns = IndexMap::new();
        for f in &c.fields {
            if f.stored() && columns.insert(f.column.as_str(), &f.path).is_some() {
                fault(
                    &f.path,
                    "declared-twice",
                    format!("column {} twice", f.column),
                );
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
        let paths = paths
            .chain(logging.iter())
            .chain(days.iter())
            .chain(made.iter());
        for path in paths {
            if c.slot(path).is_none() {
                fault(path, "no-such-field", "named by the declaration".to_owned());
            }
        }
        collection::states::check(c, &mut fault);
        merging::check(c, &mut fault);
        collection::naming::check(c, &mut fault);
        collection::ui_hints::check(c, &|slug| self.get(slug), &mut fault);
        self.check_feature(c, &mut fault);
        collection::package_sets::check(c, &mut fault);
        for action in &c.actions {
            if c.field(action.field)
                .is_none_or(|f| f.writer != Writer::Server)
            {
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
        let stock = c.stock.iter().flat_map(|s| [s.organization, s.user]);
        for path in stock.filter(|path| !path.is_empty()) {
            let relation = c.field(path).and_then(Field::target).is_some();
            if !relation {
                fault(path, "no-such-relation", "rows count for it".to_owned());
            }
        }
        if let Some((stock, path)) = c.stock.as_ref().and_then(|s| Some((s, s.through?))) {
            let slug = c.field(stock.organization).and_then(Field::target);
            let record = slug.and_then(|slug| self.get(slug));
            if record.and_then(|r| r.field(path)?.target()).is_none() {
                fault(path, "no-such-relation", "rows count for it".to_owned());
            }
        }
        if let Some(path) = c.happens {
            let dated = c
                .field(path)
                .is_some_and(|f| matches!(f.kind, Kind::Day | Kind::Instant));
            let about = c
                .animal
                .and_then(|path| c.field(path))
                .and_then(Field::target);
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
        for join in &c.joins {
            if c.slot(join.name).is_some() {
                let message = format!("the join {} hides a field", join.name);
                fault(join.name, "declared-twice", message);
            }
            for path in join.on {
                let target =
                    (self.get(join.collection).and_then(|t| t.field(path))).and_then(Field::target);
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
        for flag in c.access.flags() {
            if !self.holds(c, flag) {
                fault(
                    flag,
                    "no-such-field",
                    "named by the access rules".to_owned(),
                );
            }
        }
        let demanded = c.access.demands.iter().map(|d| &d.field);
        for path in (c.access.subjects.iter())
            .chain(&c.access.write_subjects)
            .chain(demanded)
        {
            if !self.reaches(c, path) {
                fault(
                    path,
                    "no-such-field",
                    "named by the access rules".to_owned(),
                );
            }
        }
    }

    /// Whether a path of relations and a last field exists.
    pub fn reaches(&self, c: &Collection, path: &str) -> bool {
        if c.slot(path).is_some() {
            return true;
        }
        path.split_once('.').is_some_and(|(head, rest)| {
            c.field(head)
                .and_then(Field::target)
                .and_then(|t| self.get(t))
                .is_some_and(|t| self.reaches(t, rest))
        })
    }
}

impl Registry {
    /// Whether a flag of the access rules is one: a Boolean, `select=word`, or `relation=` for
    /// an empty one, perhaps behind relations.
    fn holds(&self, c: &Collection, flag: &str) -> bool {
        let (path, word) = flag.split_once('=').unwrap_or((flag, ""));
        match c.field(path).map(|f| &f.kind) {
            Some(Kind::Select(words)) => words.iter().any(|w| w == word),
            Some(Kind::Bool) => !flag.contains('='),
            Some(Kind::Relation(_)) => flag.ends_with('='),
            Some(_) => false,
            None => flag.split_once('.').is_some_and(|(head, rest)| {
                let target = c.field(head).and_then(Field::target);
                target
                    .and_then(|target| self.get(target))
                    .is_some_and(|target| self.holds(target, rest))
            }),
        }
    }
}
