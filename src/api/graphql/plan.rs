//! What a request asks for: its selections with fragments, aliases, variables and directives resolved, and what it
//! costs. Bounded before anything is validated or read, since fragments can make little text stand for very much.

use super::model::{Model, Object, OutputField, Root, Verb, What};
use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field, FragmentDefinition, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, Pos, Positioned, Value};
use bytes::Bytes;
use indexmap::IndexMap;
use model::messages::Sentence;
use model::said;
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Records that one field answers at most, since they are held at once.
pub(super) const ROWS_MAX: usize = 10_000;
/// Events of a timeline unless the request says otherwise.
pub(super) const EVENTS: u64 = 25;

/// Selections of one request, with fragments in place.
const VISITED_MAX: usize = 20_000;
/// Most selections side by side in the text: comparing them is quadratic.
const BESIDE_MAX: usize = 2_000;
/// Levels of selections, fragments among them.
const LEVELS_MAX: usize = 100;
/// Lists of the schema that one request may ask for, each within the other at most once.
const LISTS_MAX: usize = 24;
/// What records cost that are fetched from another table.
const RELATED: u64 = 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) depth: usize,
    /// Fields, where related records count ten.
    pub(super) complexity: u64,
    /// The complexity times the number of requested records.
    pub(super) cost: u64,
    /// Records of a page unless the request says otherwise.
    pub(super) page: u64,
}

#[derive(Debug, Clone, Copy)]
struct Walk {
    level: usize,
    limits: Limits,
    /// Within a list of a type of the schema.
    listed: bool,
}

#[derive(Debug)]
pub(super) struct Pick<'m> {
    pub(super) alias: String,
    pub(super) pos: Pos,
    pub(super) kind: PickKind<'m>,
}

#[derive(Debug)]
pub(super) enum PickKind<'m> {
    Typename(&'m str),
    Schema,
    Field { out: &'m OutputField, args: Map<String, Json>, picks: Vec<Pick<'m>> },
}

/// Why a request is refused before validation.
#[derive(Debug)]
pub(super) struct Excess {
    pub(super) message: Sentence,
    pub(super) pos: Option<Pos>,
}

impl Excess {
    fn new(message: impl Into<Sentence>, pos: Option<Pos>) -> Self {
        Self { message: message.into(), pos }
    }
}

/// A document that is safe to be walked.
pub(super) struct Reader<'d, 'm> {
    model: &'m Model,
    document: &'d ExecutableDocument,
    variables: &'d Map<String, Json>,
    visited: usize,
    lists: usize,
    pub(super) cost: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    complexity: u64,
    cost: u64,
}

impl<'d, 'm> Reader<'d, 'm> {
    /// # Errors
    /// [`Excess`] for fragments that contain themselves, or expand to too much.
    pub(super) fn new(
        model: &'m Model,
        document: &'d ExecutableDocument,
        variables: &'d Map<String, Json>,
    ) -> Result<Self, Excess> {
        let mut reader = Self { model, document, variables, visited: 0, lists: 0, cost: 0 };
        let mut done = BTreeSet::new();
        for (name, fragment) in &document.fragments {
            reader.acyclic(name, fragment, &mut Vec::new(), &mut done)?;
            limit_siblings(&fragment.node.selection_set)?;
        }
        for (_, operation) in document.operations.iter() {
            limit_siblings(&operation.node.selection_set)?;
            reader.bounded(&operation.node.selection_set, 0)?;
        }
        reader.visited = 0;
        Ok(reader)
    }

    fn acyclic(
        &self,
        name: &'d Name,
        fragment: &'d Positioned<FragmentDefinition>,
        within: &mut Vec<&'d Name>,
        done: &mut BTreeSet<&'d str>,
    ) -> Result<(), Excess> {
        if within.contains(&name) {
            let message = said!("Cannot spread fragment \"{name}\" within itself.", name = name.as_str());
            return Err(Excess::new(message, Some(fragment.pos)));
        }
        if done.contains(name.as_str()) {
            return Ok(());
        }
        if within.len() > 100 {
            let message = "Fragments are nested too deep.";
            return Err(Excess::new(message, Some(fragment.pos)));
        }
        within.push(name);
        let mut spread = Vec::new();
        spreads(&fragment.node.selection_set.node, &mut spread);
        for name in spread {
            if let Some((name, inner)) = self.document.fragments.get_key_value(name) {
                self.acyclic(name, inner, within, done)?;
            }
        }
        within.pop();
        done.insert(name.as_str());
        Ok(())
    }

    /// Counts selections with fragments in place.
    fn bounded(&mut self, set: &'d Positioned<SelectionSet>, level: usize) -> Result<(), Excess> {
        if level > LEVELS_MAX {
            return Err(Excess::new("The query is nested too deep.", Some(set.pos)));
        }
        for selection in &set.node.items {
            self.visited += 1;
            if self.visited > VISITED_MAX {
                let message = said!("The query has more than {limit} selections.", limit = VISITED_MAX);
                return Err(Excess::new(message, Some(selection.pos)));
            }
            if let Some(inner) = self.inner(&selection.node) {
                self.bounded(inner, level + 1)?;
            }
        }
        Ok(())
    }

    fn inner(&self, selection: &'d Selection) -> Option<&'d Positioned<SelectionSet>> {
        match selection {
            Selection::Field(field) => Some(&field.node.selection_set),
            Selection::InlineFragment(fragment) => Some(&fragment.node.selection_set),
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                let fragment = self.document.fragments.get(name)?;
                Some(&fragment.node.selection_set)
            }
        }
    }

    /// The plan of an operation. Parts that the schema does not know are skipped: validation reports them.
    ///
    /// # Errors
    /// [`Excess`] for one that is nested too deep or costs too much.
    pub(super) fn plan(
        &mut self,
        operation: &'d Positioned<OperationDefinition>,
        root: &'m str,
        limits: Limits,
    ) -> Result<Vec<Pick<'m>>, Excess> {
        let set = &operation.node.selection_set;
        let mut cost = Cost::default();
        let Some((name, object)) = self.model.objects.get_key_value(root) else {
            return Ok(Vec::new());
        };
        let walk = Walk { level: 1, limits, listed: false };
        let picks = self.set((name, Some(object)), &[set], walk, &mut cost)?;
        for (word, limit, actual) in
            [("complexity", limits.complexity, cost.complexity), ("cost", limits.cost, cost.cost)]
        {
            if actual > limit {
                let message = format!("The query exceeds the maximum {word} of {limit}. Actual {word} is {actual}");
                return Err(Excess::new(message, None));
            }
        }
        self.cost = cost.cost;
        Ok(picks)
    }

    fn set(
        &mut self,
        (name, object): (&'m str, Option<&'m Object>),
        sets: &[&'d Positioned<SelectionSet>],
        walk: Walk,
        cost: &mut Cost,
    ) -> Result<Vec<Pick<'m>>, Excess> {
        let mut by_alias: IndexMap<&'d str, Vec<&'d Positioned<Field>>> = IndexMap::new();
        for set in sets {
            self.flatten(set, &mut by_alias)?;
        }
        let mut picks = Vec::with_capacity(by_alias.len());
        for (alias, fields) in by_alias {
            let Some(first) = fields.first() else {
                continue;
            };
            if walk.level > walk.limits.depth {
                let depth = walk.limits.depth;
                let message = said!("The query exceeds the maximum depth of {depth}.", depth = depth);
                return Err(Excess::new(message, Some(first.pos)));
            }
            let (of, pos) = (first.node.name.node.as_str(), first.pos);
            let sets: Vec<_> = fields.iter().map(|f| &f.node.selection_set).collect();
            let output = object.and_then(|object| object.fields.get(of));
            let mut inner = Cost::default();
            let mut below = Walk { level: walk.level + 1, ..walk };
            let kind = match output {
                _ if of == "__typename" => Some(PickKind::Typename(name)),
                Some(out) => {
                    let args = self.arguments(&first.node);
                    let of = self.model.object_of(out);
                    let of = of.map_or(("", None), |(n, o)| (n, Some(o)));
                    let picks = self.set(of, &sets, below, &mut inner)?;
                    let weight = weight(out);
                    let times = times(out, &args, walk.limits.page);
                    cost.complexity = (cost.complexity).saturating_add(inner.complexity);
                    cost.cost = (cost.cost).saturating_add(inner.cost.saturating_mul(times));
                    inner = Cost { complexity: weight, cost: weight };
                    Some(PickKind::Field { out, args, picks })
                }
                None => {
                    below.listed = self.listed(of, pos, walk.listed)?;
                    self.set(("", None), &sets, below, &mut inner)?;
                    // The schema itself, or what it does not know.
                    (of.starts_with("__")).then_some(PickKind::Schema)
                }
            };
            cost.complexity = (cost.complexity).saturating_add(inner.complexity);
            cost.cost = cost.cost.saturating_add(inner.cost);
            if output.is_none() {
                cost.complexity = cost.complexity.saturating_add(1);
                cost.cost = cost.cost.saturating_add(1);
            }
            picks.extend(kind.map(|kind| Pick { alias: alias.to_owned(), pos, kind }));
        }
        Ok(picks)
    }

    /// The schema is large, and its lists lead into each other.
    fn listed(&mut self, name: &str, pos: Pos, within: bool) -> Result<bool, Excess> {
        let of_type = ["fields", "inputFields", "interfaces", "possibleTypes", "enumValues"];
        let lists = of_type.contains(&name);
        if lists || ["types", "args", "directives"].contains(&name) {
            self.lists += 1;
        }
        if self.lists > LISTS_MAX || (lists && within) {
            let message = "Maximum introspection depth exceeded";
            return Err(Excess::new(message, Some(pos)));
        }
        Ok(lists || within)
    }

    fn flatten(
        &self,
        set: &'d Positioned<SelectionSet>,
        by_alias: &mut IndexMap<&'d str, Vec<&'d Positioned<Field>>>,
    ) -> Result<(), Excess> {
        for selection in &set.node.items {
            let directives = match &selection.node {
                Selection::Field(field) => &field.node.directives,
                Selection::FragmentSpread(spread) => &spread.node.directives,
                Selection::InlineFragment(fragment) => &fragment.node.directives,
            };
            if self.skips(directives)? {
                continue;
            }
            match &selection.node {
                Selection::Field(field) => {
                    let alias = field.node.response_key().node.as_str();
                    by_alias.entry(alias).or_default().push(field);
                }
                other => {
                    if let Some(inner) = self.inner(other) {
                        self.flatten(inner, by_alias)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a selection is left out. The library lets variables through here that are not
    /// given, or not even declared.
    fn skips(&self, directives: &[Positioned<Directive>]) -> Result<bool, Excess> {
        let mut skipped = false;
        for directive in directives {
            let name = directive.node.name.node.as_str();
            let skips = match name {
                "skip" => true,
                "include" => false,
                _ => continue,
            };
            let condition = directive.node.get_argument("if");
            let condition = condition.map(|value| {
                let value = value.node.clone();
                value.into_const_with(|name| self.variable(&name))
            });
            let Some(Ok(Value::Boolean(flag))) = condition else {
                let message = format!("Argument \"if\" of \"@{name}\" must be true or false.");
                return Err(Excess::new(message, Some(directive.pos)));
            };
            skipped |= flag == skips;
        }
        Ok(skipped)
    }

    fn arguments(&self, field: &Field) -> Map<String, Json> {
        let given = field.arguments.iter();
        given
            .filter_map(|(name, value)| {
                let value = value.node.clone().into_const_with(|name| self.variable(&name));
                Some((name.node.to_string(), json(value.ok()?)?))
            })
            .collect()
    }

    /// A variable that was not given is no value, not even null; the language has no binary ones.
    fn variable(&self, name: &Name) -> Result<Value, Infallible> {
        let given = self.variables.get(name.as_str()).cloned();
        Ok(given.map_or_else(|| Value::Binary(Bytes::new()), value))
    }
}

/// JSON as a value of the language. The conversion of the library loses numbers that are too
/// large for it, and takes others apart.
pub(super) fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Boolean(truth),
        Json::Number(number) => Value::Number(number),
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::List(items.into_iter().map(value).collect()),
        Json::Object(members) => {
            let members = members.into_iter();
            Value::Object(members.map(|(name, json)| (Name::new(name), value(json))).collect())
        }
    }
}

/// None for what was not given.
fn json(value: Value) -> Option<Json> {
    Some(match value {
        Value::Binary(_) => return None,
        Value::List(items) => {
            let items = items.into_iter().map(|item| json(item).unwrap_or_default());
            Json::Array(items.collect())
        }
        Value::Object(members) => {
            let members = members.into_iter();
            let members = members.filter_map(|(name, value)| Some((name.to_string(), json(value)?)));
            Json::Object(members.collect())
        }
        Value::Number(number) => Json::Number(number),
        other => other.into_json().ok()?,
    })
}

fn spreads<'d>(set: &'d SelectionSet, names: &mut Vec<&'d Name>) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => spreads(&field.node.selection_set.node, names),
            Selection::InlineFragment(inner) => spreads(&inner.node.selection_set.node, names),
            Selection::FragmentSpread(spread) => names.push(&spread.node.fragment_name.node),
        }
    }
}

fn limit_siblings(set: &Positioned<SelectionSet>) -> Result<(), Excess> {
    if set.node.items.len() > BESIDE_MAX {
        let message = said!("More than {limit} selections stand beside each other.", limit = BESIDE_MAX);
        return Err(Excess::new(message, Some(set.pos)));
    }
    for selection in &set.node.items {
        match &selection.node {
            Selection::Field(field) => limit_siblings(&field.node.selection_set)?,
            Selection::InlineFragment(inner) => limit_siblings(&inner.node.selection_set)?,
            Selection::FragmentSpread(_) => {}
        }
    }
    Ok(())
}

fn weight(out: &OutputField) -> u64 {
    match out.what {
        What::One | What::Join(..) | What::Lineage | What::Timeline(_) => RELATED,
        // The documents of a page are no relation.
        What::Many if out.key != "docs" => RELATED,
        _ => 1,
    }
}

/// The records that a field may bring.
fn times(out: &OutputField, args: &Map<String, Json>, page: u64) -> u64 {
    let rows = |given: Option<u64>, default: u64| match given {
        None => default,
        Some(0) => u64::try_from(ROWS_MAX).unwrap_or(u64::MAX),
        Some(limit) => limit,
    };
    match out.what {
        What::Join(..) => rows(natural(args, "limit"), 10),
        What::Timeline(_) => rows(natural(args, "limit"), EVENTS),
        What::Lineage => {
            let generations = natural(args, "generations").unwrap_or(3).min(10);
            (1_u64 << generations.saturating_add(1)) - 1
        }
        What::Root(Root { verb, .. }) => match verb {
            Verb::List => {
                let paged = args.get("pagination") != Some(&Json::Bool(false));
                let limit = natural(args, "first").or_else(|| natural(args, "limit"));
                rows(limit.or((!paged).then_some(0)), page)
            }
            Verb::UpdateMany | Verb::DeleteMany => rows(natural(args, "limit"), page),
            _ => 1,
        },
        _ => 1,
    }
}

/// A whole number that is not negative.
pub(super) fn natural(args: &Map<String, Json>, name: &str) -> Option<u64> {
    args.get(name)?.as_u64()
}
