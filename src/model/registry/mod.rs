//! The declarations of all collections, and the cross-check that finds every fault in
//! them at start. Knows neither SQL nor any face.

mod access;
mod check;
mod collection;
mod curves;
mod features;
mod field;
mod fits;
mod merging;
mod moves;
mod nearest;
mod printed;
mod scales;
mod units;
mod upload;
mod waiting;

pub use access::{
    ACTIVITIES, ASSOCIATION, Access, Allowance, Caller, Capability, Consent, Demand, Grant, KeyScope, OPENNESS,
    Principal, ROLES, Rule, Scope, Verb,
};
pub use collection::best_of_day::BestOfDay;
pub use collection::built_in::{BuiltIn, BuiltInValue, Setting};
pub use collection::for_many::{BulkMode, ForMany, Open};
pub use collection::hook::{
    BookReader, Change, Command, Draft, HookContext, Hooks, Lookup, NoHooks, PendingRecompute, Rules, Series,
    SignedStatement, Test, WrittenRow,
};
pub use collection::logging::{LoggedWrite, Logging, Operation, Source, Subject};
pub use collection::naming::{AlsoNamed, Naming, Numbers, StateBy, TextFor, is_no_parent, normal};
pub use collection::notify::Action;
pub use collection::package_sets::{ConvertedRows, PackageSet, ScoredSet, SetColumn, is_sure};
pub use collection::sign_in::SignIn;
pub use collection::states::{Move, Mover, Reading, Set, States, Who, moves};
pub use collection::stock::Stock;
pub use collection::title::Title;
pub use collection::ui_hints::{
    Card, CardEntry, CardPage, CardRows, CardTab, CardTable, Chart, Curves, Grid, Measure, OPENING, Opens, Roster,
    RowMoves, Tab, Timeline, UiHints,
};
pub use collection::vocabulary::{ALIASES, Vocabulary, entry_key};
pub use collection::work_lists::{WorkGroups, WorkList, WorkLists, WorkTest};
pub use collection::{Collection, ID, Join, Node, snake};
pub use collection::{notify, sign_in};
pub use curves::{Curve, ParityCurves, StandardCurves};
pub use features::{
    Feature, births, certificates, corrections, evaluation, keyring, mandates, mating, measurements, quota, review,
    saved_searches, signing, view_links,
};
pub use field::through::{Follower, Part, Through};
pub use field::wording::Wording;
pub use field::{
    Class, Decl, Field, KeyFields, Kind, Protection, Writer, boolean, day, email, fields, group, instant, int, json,
    long_text, number, password, relation, relations, rows, select, selects, text, text_n, texts,
};
pub use fits::{Fits, FittingReason, FittingReceiver};
pub use nearest::nearest;
pub use printed::DataSet;
pub use scales::{RelativeScale, ValueScale};
pub use units::{Unit, is_unit};
pub use upload::{FileGroup, ImageSize, Upload};
pub use waiting::{Assignee, Idle, News, Waiting};

use crate::error::Issue;
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
        let registry = Self { followers: field::through::followers(&map), collections: map };
        for c in registry.iter() {
            registry.check(c, &mut issues);
        }
        if issues.is_empty() { Ok(registry) } else { Err(issues) }
    }

    pub fn get(&self, slug: &str) -> Option<&Collection> {
        self.collections.get(slug)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Collection> {
        self.collections.values()
    }

    /// All fields that point to this collection.
    pub fn referrers<'a>(&'a self, slug: &'a str) -> impl Iterator<Item = Referrer<'a>> + 'a {
        self.iter().flat_map(move |collection| {
            let fields = collection.relations_to(slug);
            fields.map(move |(slot, sub)| Referrer { collection, slot, sub })
        })
    }

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

    /// Whether a path of relations and a last field exists.
    pub fn reaches(&self, c: &Collection, path: &str) -> bool {
        if c.slot(path).is_some() {
            return true;
        }
        path.split_once('.').is_some_and(|(head, rest)| {
            c.field(head).and_then(Field::target).and_then(|t| self.get(t)).is_some_and(|t| self.reaches(t, rest))
        })
    }
}
