//! Documents: rows of a statement written to JSON straight from the driver's row, by the kind of each field and in the
//! order of the declaration (docs/dialect.md, *Documents*). What a caller does not see is absent. Must not know HTTP.

mod cells;
mod expand;
mod field_selection;
mod join;
mod lineage;
mod page;
mod table;
mod timeline;
mod write;

pub use cells::{Cell, plain};
pub(super) use expand::Reader;
use field_selection::FieldSelection;
pub(super) use lineage::{Lineage, identities};
pub(super) use page::Stretch;

use self::field_selection::{FieldSelections, Pick};
use self::join::{Joining, joining};
use self::timeline::Timeline;
use super::View;
use super::access::Gate;
use indexmap::IndexMap;
use model::error::Result;
use model::query::qs::{Choice, JoinPage, JoinSelection};
use model::query::{Filter, Order};
use model::registry::{Class, Collection, Field, Kind, Node, Registry};
use std::sync::Arc;
use store::{Scan, Sql, condition, push_sort_keys};

/// Conditions of which rows fulfil one, each with whether an index has its rows in the order of the list.
pub(crate) type Kinds<'a> = Vec<(&'a Filter, bool)>;

/// How an answer looks to one caller: the shape of its rows, and the documents in place of ids.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) shape: Arc<Shape>,
    selections: FieldSelections,
    pub(super) depth: u8,
}

impl Plan {
    /// # Errors
    /// [`Error::Query`] with paths of joins that the caller cannot query.
    ///
    /// [`Error::Query`]: model::error::Error::Query
    pub(super) fn new(gate: &Gate<'_>, c: &'static Collection, view: &View) -> Result<Self> {
        let mut selections = FieldSelections::new(view);
        let pick = Pick::of(view.select.as_ref());
        let shape = Shape::build(gate, c, pick, &view.joins, &mut selections)?;
        Ok(Self { shape: Arc::new(shape), selections, depth: view.depth })
    }

    /// The approximate maximum of rows in one document, including its own.
    pub(super) fn weight(&self) -> usize {
        let shape = &self.shape;
        let joined_rows = shape.joins.iter().map(Joining::most).fold(1, usize::saturating_add);
        let others = shape.lineages.len().saturating_add(shape.timelines.len());
        joined_rows.saturating_add(others.saturating_mul(ROWS_OF_TREE))
    }
}

/// The approximate maximum of ancestors or events in one document.
const ROWS_OF_TREE: usize = 30;

/// How the documents of one collection look to one caller: which columns are read, and what of each row is written.
#[derive(Debug)]
pub(super) struct Shape {
    registry: &'static Registry,
    pub(super) collection: &'static Collection,
    columns: Vec<&'static str>,
    classes: Vec<(Class, Filter)>,
    parts: Vec<Part>,
    /// Relation lists, in the order in which leaves count them.
    lists: Vec<List>,
    /// Join fields, in the same way.
    joins: Vec<Joining>,
    /// Ancestors, in the same way.
    lineages: Vec<Lineage>,
    /// Events, in the same way.
    timelines: Vec<Timeline>,
    /// Whether documents name their collection, as those of users do.
    with_collection: bool,
}

#[derive(Debug)]
struct List {
    table: String,
    selection: FieldSelection,
    class: Option<usize>,
    /// How many of its records are shown as documents, at most; the others stay ids.
    expanded: usize,
}

/// Records of one relation list that are expanded when no field of them was selected: packages
/// name up to ten thousand animals, and nobody who asks for a package asks for all of these.
const EXPANDED: usize = 500;

#[derive(Debug)]
enum Part {
    Leaf(Leaf),
    /// An object under its key.
    Group(Vec<u8>, Vec<Part>),
}

#[derive(Debug)]
struct Leaf {
    /// `"name":`, and the same of every alias.
    keys: Vec<Vec<u8>>,
    kind: LeafKind,
    /// Place of the column in the row.
    column: usize,
    /// Place of its class among those that depend on the row.
    class: Option<usize>,
    /// A day, of the values that are times.
    day: bool,
}

#[derive(Debug)]
enum LeafKind {
    Int,
    Num,
    Bool,
    Time,
    Text,
    Json,
    /// JSON that is a list even when it is empty.
    JsonList,
    /// JSON rows of which some fields are relations, or not all are shown.
    Rows(Elements),
    One(FieldSelection),
    /// The relation list of that number.
    Many(usize),
    /// The join field of that number.
    Join(usize),
    /// The ancestors of that number.
    Lineage(usize),
    /// The events of that number.
    Timeline(usize),
}

#[derive(Debug)]
struct Elements {
    related: Vec<(&'static str, FieldSelection)>,
    /// The fields that are shown, besides the row's `id`; none: all.
    only: Option<Vec<&'static str>>,
    /// Fields of a class of their own, with its place among those that depend on the row; none: the
    /// caller never sees it.
    classed: Vec<(&'static str, Option<usize>)>,
}

impl Shape {
    /// Decides what a caller sees of a collection.
    fn build(
        gate: &Gate<'_>,
        collection: &'static Collection,
        pick: Pick<'_>,
        joins: &IndexMap<String, JoinSelection>,
        selections: &mut FieldSelections,
    ) -> Result<Self> {
        let mut shape = Self {
            registry: gate.registry,
            collection,
            columns: Vec::new(),
            classes: Vec::new(),
            parts: Vec::new(),
            lists: Vec::new(),
            joins: Vec::new(),
            lineages: Vec::new(),
            timelines: Vec::new(),
            with_collection: collection.auth && pick.child("collection").is_some(),
        };
        // Joins come after the fields, before the two times of the row.
        let times = collection.layout.len().saturating_sub(2);
        let (fields, times) = (collection.layout.split_at_checked(times)).unwrap_or_default();
        let mut parts = shape.lay(gate, fields, pick, selections);
        parts.extend(shape.joins(gate, pick, joins, selections)?);
        parts.extend(shape.renamed_parts(gate, pick, selections)?);
        parts.extend(shape.lay(gate, times, pick, selections));
        shape.parts = parts;
        Ok(shape)
    }

    fn lay(
        &mut self,
        gate: &Gate<'_>,
        nodes: &'static [Node],
        pick: Pick<'_>,
        selections: &mut FieldSelections,
    ) -> Vec<Part> {
        let mut parts = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Leaf(slot) => {
                    let leaf = self.collection.fields.get(*slot).and_then(|f| self.leaf(gate, f, pick, selections));
                    parts.extend(leaf.map(Part::Leaf));
                }
                Node::Group(name, nodes) => {
                    let Some(pick) = pick.child(name) else { continue };
                    let inner = self.lay(gate, nodes, pick, selections);
                    if !inner.is_empty() {
                        parts.push(Part::Group(key(name), inner));
                    }
                }
            }
        }
        parts
    }

    /// The requested join fields that lead to rows that the caller may read.
    fn joins(
        &mut self,
        gate: &Gate<'_>,
        pick: Pick<'_>,
        join_asks: &IndexMap<String, JoinSelection>,
        selections: &mut FieldSelections,
    ) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for join in &self.collection.joins {
            let Some(child) = pick.child(join.name).filter(|_| !pick.names(join.name)) else { continue };
            let page = match join_asks.get(join.name) {
                Some(JoinSelection::Page(page)) => page.clone(),
                None if matches!(pick, Pick::Include(_)) => JoinPage::default(),
                Some(JoinSelection::Off) | None => continue,
            };
            let Some(joining) = joining(gate, join, page, |slug| selections.selection(slug, child))? else { continue };
            self.joins.push(joining);
            parts.push(Part::Leaf(Leaf {
                day: false,
                keys: vec![key(join.name)],
                kind: LeafKind::Join(self.joins.len() - 1),
                column: 0,
                class: None,
            }));
        }
        Ok(parts)
    }

    /// Joins, ancestors and events that were requested under names of their own.
    fn renamed_parts(
        &mut self,
        gate: &Gate<'_>,
        pick: Pick<'_>,
        selections: &mut FieldSelections,
    ) -> Result<Vec<Part>> {
        let mut out = Vec::new();
        let Pick::Include(tree) = pick else { return Ok(out) };
        for (name, choice) in tree {
            let kind = match choice {
                Choice::Whole | Choice::Parts(_) => continue,
                Choice::Join { name: of, page, parts } => {
                    let join = self.collection.joins.iter().find(|join| join.name == of);
                    let selection = |slug| selections.selection(slug, Pick::Include(parts));
                    let joining = join.map(|join| joining(gate, join, page.clone(), selection));
                    let Some(joining) = joining.transpose()?.flatten() else { continue };
                    self.joins.push(joining);
                    LeafKind::Join(self.joins.len() - 1)
                }
                Choice::Lineage { generations, depth, parts } => {
                    let c = self.collection;
                    if c.lineage.is_none() {
                        continue;
                    }
                    self.lineages.push(Lineage::new(gate, c, *generations, *depth, parts)?);
                    LeafKind::Lineage(self.lineages.len() - 1)
                }
                Choice::Story { story, depth, parts } => {
                    let timeline = Timeline::new(gate, self.collection, story, (*depth, parts))?;
                    self.timelines.push(timeline);
                    LeafKind::Timeline(self.timelines.len() - 1)
                }
            };
            out.push(Part::Leaf(Leaf { day: false, keys: vec![key(name)], kind, column: 0, class: None }));
        }
        Ok(out)
    }

    fn leaf(
        &mut self,
        gate: &Gate<'_>,
        field: &'static Field,
        pick: Pick<'_>,
        selections: &mut FieldSelections,
    ) -> Option<Leaf> {
        if field.kind == Kind::Password {
            return None;
        }
        let aliases = self.collection.aliases.iter().filter(|(canonical, _)| *canonical == field.path);
        let names = aliases.map(|(_, alias)| alias.rsplit('.').next().unwrap_or(alias));
        let mut child = None;
        let mut keys = Vec::with_capacity(1);
        for name in std::iter::once(field.name()).chain(names) {
            // The id is the first column of every row, and shown in every document.
            let chosen = match field.path.as_str() {
                "id" => Some(Pick::All),
                _ => pick.child(name),
            };
            if let Some(chosen) = chosen {
                child.get_or_insert(chosen);
                keys.push(key(name));
            }
        }
        let child = child?;
        let class = self.class(gate, field.class)?;
        let kind = match &field.kind {
            Kind::Relations(target) => {
                let slug = gate.registry.get(target)?.slug;
                self.lists.push(List {
                    table: self.collection.link_table(field),
                    selection: selections.selection(slug, child),
                    class,
                    expanded: match child {
                        Pick::Include(_) => usize::MAX,
                        Pick::All | Pick::Exclude(_) => EXPANDED,
                    },
                });
                LeafKind::Many(self.lists.len() - 1)
            }
            Kind::Rows(subs) => {
                let classed = self.classed(gate, subs);
                elements(gate.registry, subs, child, selections, classed)
            }
            kind => leaf_kind(gate.registry, kind, child, selections),
        };
        let column = self.columns.len();
        if field.stored() {
            self.columns.push(&field.column);
        }
        Some(Leaf { keys, kind, column, class, day: field.kind == Kind::Day })
    }

    /// Members of rows that not every reader of the rows sees.
    fn classed(&mut self, gate: &Gate<'_>, subs: &'static [Field]) -> Vec<(&'static str, Option<usize>)> {
        let apart = subs.iter().filter(|sub| sub.class != Class::Row);
        let classed = apart.filter_map(|sub| match self.class(gate, sub.class) {
            None => Some((sub.name(), None)),
            Some(place) => Some((sub.name(), Some(place?))),
        });
        classed.collect()
    }

    /// Whether a class is seen: never (none), always, or by the row.
    #[expect(clippy::option_option, reason = "never, always, by the row")]
    fn class(&mut self, gate: &Gate<'_>, class: Class) -> Option<Option<usize>> {
        if let Some(known) = self.classes.iter().position(|(c, _)| *c == class) {
            return Some(Some(known));
        }
        match gate.sees(self.collection, class) {
            Filter::False => None,
            Filter::True => Some(None),
            filter => {
                self.classes.push((class, filter));
                Some(Some(self.classes.len() - 1))
            }
        }
    }

    /// Columns of a statement of this shape; the keys of an order follow them.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + self.classes.len()
    }

    /// `SELECT … FROM … a`, with a column per class that depends on the row, and one per key of an order.
    pub(super) fn select(&self, scan: &mut Scan, sql: &mut Sql, orders: &[Order]) {
        sql.push("SELECT a.").each(", a.", &self.columns, |sql, column| sql.name(column));
        for (_, filter) in &self.classes {
            sql.push(", (");
            condition(scan, sql, self.collection, "a", filter);
            sql.push(")");
        }
        push_sort_keys(scan, sql, self.collection, "a", orders);
        sql.push(" FROM ").name(&self.collection.table).push(" a");
    }
}

fn leaf_kind(
    registry: &'static Registry,
    kind: &'static Kind,
    pick: Pick<'_>,
    selections: &mut FieldSelections,
) -> LeafKind {
    match kind {
        Kind::Int => LeafKind::Int,
        Kind::Number => LeafKind::Num,
        Kind::Bool => LeafKind::Bool,
        Kind::Day | Kind::Instant => LeafKind::Time,
        Kind::Json => LeafKind::Json,
        Kind::Selects(_) | Kind::Texts(_) => LeafKind::JsonList,
        Kind::Relation(target) => {
            registry.get(target).map_or(LeafKind::Int, |t| LeafKind::One(selections.selection(t.slug, pick)))
        }
        Kind::Rows(subs) => elements(registry, subs, pick, selections, Vec::new()),
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Password | Kind::Select(_) | Kind::Relations(_) => {
            LeafKind::Text
        }
    }
}

fn elements(
    registry: &'static Registry,
    subs: &'static [Field],
    pick: Pick<'_>,
    selections: &mut FieldSelections,
    classed: Vec<(&'static str, Option<usize>)>,
) -> LeafKind {
    let mut related = Vec::new();
    let mut only = Vec::new();
    for sub in subs {
        let Some(child) = pick.child(sub.name()) else { continue };
        only.push(sub.name());
        if let Some(target) = sub.target().and_then(|slug| registry.get(slug)) {
            related.push((sub.name(), selections.selection(target.slug, child)));
        }
    }
    let only = (!matches!(pick, Pick::All)).then_some(only);
    if related.is_empty() && only.is_none() && classed.is_empty() {
        LeafKind::JsonList
    } else {
        LeafKind::Rows(Elements { related, only, classed })
    }
}

fn key(name: &str) -> Vec<u8> {
    let mut key = serde_json::Value::from(name).to_string().into_bytes();
    key.push(b':');
    key
}
