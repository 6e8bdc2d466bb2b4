//! The condition of a list as a form: a row for each field with its operator and its value, and groups of rows of which
//! one must hold. Buttons send the form to add a row and to take one out; what was typed stays.

use super::wording::{EMPTY, FILLED, Names, offered, operator_text, operators, said, typed};
use crate::book::columns::{self, Column};
use crate::book::conditions::{self, Condition, End, Node};
use crate::book::form::form_sheet::{Choices, choices};
use crate::book::form::form_values::{Unnamed, resolved, unnamed};
use crate::book::query::CONTROLS as PREFIX;
use crate::book::rights::Rights;
use crate::components::input::id_of;
use crate::components::shell::Shell;
use crate::words::{Form, text_of};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::expected::expected;
use model::messages::labels;
use model::query::qs::Tree;
use model::registry::{Collection, Field, Kind, Registry, Wording};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The buttons, and the choice of a field for a new row; other controls are called `c.<part>.<row>.<member>`.
const ADD: &str = "c.add";
const DROP: &str = "c.drop";
const FIELD: &str = "c.field";
/// What `add` says of a condition of its own, and of a group.
const AND: &str = "and";
const OR: &str = "or";
/// Rows of one form: more than anybody composes.
const MOST: usize = 100;
/// Fields that have a row without being asked for.
const USUAL: usize = 6;

/// A row of the form as it was typed.
#[derive(Debug, Clone, Default)]
struct Row {
    path: String,
    operator: String,
    value: String,
    fault: Option<String>,
}

/// One of the parts all of which hold.
#[derive(Debug, Clone)]
enum Part {
    Row(Row),
    Any(Vec<Row>),
    /// What the form has no controls for, and what is wrong with it.
    Fixed(Node, Option<String>),
}

#[derive(Debug, Clone)]
pub(super) struct Builder {
    c: &'static Collection,
    parts: Vec<Part>,
    /// A button changed the rows; otherwise the form was sent to find.
    pub(super) pressed: bool,
}

impl Builder {
    /// Of the parts of a condition.
    pub(super) fn of(shell: &Shell<'_>, c: &'static Collection, nodes: &[Node]) -> Self {
        let row = |node: &Node| match node {
            Node::One(one) => row_of(shell, c, one),
            _ => None,
        };
        let part = |node: &Node| {
            let rows = match node {
                Node::Any(all) => all.iter().map(row).collect::<Option<Vec<Row>>>(),
                _ => None,
            };
            match (row(node), rows) {
                (Some(row), _) => Part::Row(row),
                (None, Some(rows)) => Part::Any(rows),
                (None, None) => fixed_part(shell, c, node),
            }
        };
        Self { c, parts: nodes.iter().map(part).collect(), pressed: false }
    }

    /// As the form was sent; none where it was not.
    pub(super) fn read(shell: &Shell<'_>, c: &'static Collection, form: &Form) -> Option<Self> {
        let registry = shell.pages.site.registry;
        let mut sent: BTreeMap<usize, BTreeMap<usize, Row>> = BTreeMap::new();
        let mut groups = BTreeSet::new();
        let mut fixed: BTreeMap<usize, Node> = BTreeMap::new();
        for (name, value) in &form.0 {
            let steps: Vec<&str> = name.strip_prefix(PREFIX).map(|rest| rest.split('.').collect()).unwrap_or_default();
            let numbers: Vec<usize> = steps.iter().filter_map(|step| step.parse().ok()).collect();
            match (numbers.as_slice(), steps.last().copied()) {
                ([part, row], Some(member)) => {
                    let row = sent.entry(*part).or_default().entry(*row).or_default();
                    match member {
                        "path" => row.path = value.clone(),
                        "operator" => row.operator = value.clone(),
                        "value" => row.value = value.clone(),
                        _ => {}
                    }
                }
                ([part], Some("any")) => groups.extend([*part]),
                ([part], Some("where")) => {
                    let json = serde_json::from_str::<Value>(value).ok();
                    let nodes = json.and_then(|json| conditions::all(&Tree::from(json))).filter(|all| !all.is_empty());
                    fixed.extend(nodes.map(|nodes| (*part, conditions::whole(nodes))));
                }
                _ => {}
            }
        }
        let pressed = form.has(ADD) || form.has(DROP);
        if sent.is_empty() && groups.is_empty() && fixed.is_empty() && !pressed {
            return None;
        }
        let places: BTreeSet<usize> = sent.keys().chain(&groups).chain(fixed.keys()).copied().take(MOST).collect();
        let dropped = form.get(DROP).unwrap_or_default();
        let mut parts = Vec::new();
        for place in places {
            let rows = sent.remove(&place).unwrap_or_default().into_iter();
            let rows = rows.filter(|(row, _)| dropped != format!("{place}.{row}")).map(|(_, row)| row);
            let mut rows: Vec<Row> = rows.take(MOST).collect();
            if form.get(ADD) == Some(place.to_string().as_str()) {
                rows.extend(new_row(registry, c, form.get(&format!("{FIELD}.{place}"))));
            }
            match fixed.remove(&place) {
                _ if dropped == place.to_string() => {}
                Some(node) => parts.push(fixed_part(shell, c, &node)),
                None if groups.contains(&place) => parts.push(Part::Any(rows)),
                None => parts.extend(rows.into_iter().map(Part::Row)),
            }
        }
        let first = new_row(registry, c, form.get(FIELD));
        match form.get(ADD) {
            Some(AND) => parts.extend(first.map(Part::Row)),
            Some(OR) => parts.push(Part::Any(first.into_iter().collect())),
            _ => {}
        }
        Some(Self { c, parts, pressed })
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().flat_map(|part| match part {
            Part::Row(row) => std::slice::from_ref(row),
            Part::Any(rows) => rows.as_slice(),
            Part::Fixed(..) => &[],
        })
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.parts.iter_mut().flat_map(|part| match part {
            Part::Row(row) => std::slice::from_mut(row),
            Part::Any(rows) => rows.as_mut_slice(),
            Part::Fixed(..) => &mut [],
        })
    }

    pub(super) fn has_faults(&self) -> bool {
        let fixed = self.parts.iter().any(|part| matches!(part, Part::Fixed(_, Some(_))));
        fixed || self.rows().any(|row| row.fault.is_some())
    }

    /// The condition that was typed. Rows without a value ask nothing, and what is not understood is said beside its row.
    pub(super) async fn nodes(&mut self, shell: &Shell<'_>) -> Vec<Node> {
        let (registry, c) = (shell.pages.site.registry, self.c);
        let mut wanted: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        for row in self.rows().filter(|row| !row.is_blank()) {
            let target = End::of(registry, c, &row.path).and_then(|end| end.field.target());
            if let Some(slug) = target.filter(|_| ![FILLED, EMPTY].contains(&row.operator.as_str())) {
                wanted.entry(slug).or_default().insert(row.value.trim().to_owned());
            }
        }
        let found = wanted.into_iter().map(async |(slug, texts)| (slug, resolved(shell, slug, texts).await));
        let found: BTreeMap<&str, BTreeMap<String, Result<i64, Unnamed>>> = join_all(found).await.into_iter().collect();
        for row in self.rows_mut().filter(|row| !row.is_blank()) {
            let Some(end) = End::of(registry, c, &row.path) else {
                row.fault = Some(shell.text("page-no-field"));
                continue;
            };
            let target = end.field.target().unwrap_or_default();
            let id = found.get(target).and_then(|all| all.get(row.value.trim()));
            match id {
                Some(Ok(id)) => row.value = format!("[{id}]"),
                Some(Err(why)) => row.fault = Some(unnamed(shell, target, why, row.value.trim())),
                None => {}
            }
            let one = row.condition(end.field);
            row.fault = row.fault.take().or_else(|| fault_of(shell, c, &one));
        }
        let one = |row: &Row| {
            let end = End::of(registry, c, &row.path).filter(|_| !row.is_blank() && row.fault.is_none())?;
            Some(Node::One(row.condition(end.field)))
        };
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Row(row) => one(row),
            Part::Any(rows) => conditions::any(rows.iter().filter_map(one).collect()),
            Part::Fixed(node, _) => Some(node.clone()),
        });
        parts.collect()
    }

    /// Says beside the rows of these paths that the REST face refuses them.
    pub(super) fn refuse(&mut self, paths: &[String], sentence: &str) {
        let is_it = |path: &str, operator: &str| {
            let full = format!("{path}.{operator}");
            paths.iter().any(|bad| [path, &full].iter().any(|own| own == bad || own.ends_with(&format!(".{bad}"))))
        };
        for part in &mut self.parts {
            if let Part::Fixed(node, fault) = part
                && node.singles().iter().any(|one| is_it(&one.path, &one.operator))
            {
                *fault = Some(sentence.to_owned());
            }
        }
        for row in self.rows_mut().filter(|row| is_it(&row.path, &row.operator)) {
            row.fault = Some(sentence.to_owned());
        }
    }

    /// The rows with those of usual fields that ask nothing yet, and with the names of related records.
    pub(super) fn shown(mut self, shell: &Shell<'_>, usual: &[&'static Field], names: &Names) -> Self {
        let (registry, c) = (shell.pages.site.registry, self.c);
        for row in self.rows_mut() {
            let target = End::of(registry, c, &row.path).and_then(|end| end.field.target());
            let id = id_of(&row.value);
            let name = target.zip(id).and_then(|(slug, id)| names.get(&(slug.to_owned(), id)));
            if let (Some(name), Some(id)) = (name, id) {
                row.value = format!("[{id}] {name}");
            }
        }
        let few = |field: &&&Field| matches!(field.kind, Kind::Select(_) | Kind::Bool | Kind::Day);
        let taken: BTreeSet<String> = self.rows().map(|row| row.path.clone()).collect();
        let blank = usual.iter().filter(few).filter(|field| !taken.contains(&field.path)).take(USUAL);
        let blank = blank.filter_map(|field| new_row(registry, c, Some(&field.path))).map(Part::Row);
        if !self.pressed {
            self.parts.extend(blank.collect::<Vec<_>>());
        }
        self
    }
}

impl Row {
    /// Whether it asks nothing: its operator needs a value, and there is none.
    fn is_blank(&self) -> bool {
        self.value.trim().is_empty() && ![FILLED, EMPTY].contains(&self.operator.as_str())
    }

    fn condition(&self, field: &Field) -> Condition {
        let id = field.target().and_then(|_| id_of(&self.value)).map(|id| id.to_string());
        typed(field, &self.path, &self.operator, id.as_deref().unwrap_or(&self.value))
    }
}

fn fixed_part(shell: &Shell<'_>, c: &'static Collection, node: &Node) -> Part {
    let mut faults = node.singles().into_iter().filter_map(|one| fault_of(shell, c, one));
    Part::Fixed(node.clone(), faults.next())
}

fn new_row(registry: &'static Registry, c: &'static Collection, path: Option<&str>) -> Option<Row> {
    let field = Column::at(registry, c, path?)?.field;
    let operator = operators(field).first()?;
    Some(Row { path: path?.to_owned(), operator: (*operator).to_owned(), ..Row::default() })
}

/// A condition as a row; none where rows have no such operator or value.
fn row_of(shell: &Shell<'_>, c: &'static Collection, one: &Condition) -> Option<Row> {
    let field = End::of(shell.pages.site.registry, c, &one.path)?.field;
    let operator = offered(field, one)?.to_owned();
    let text = one.operand.as_text()?;
    let value = match (&field.kind, operator.as_str()) {
        (_, FILLED | EMPTY) => String::new(),
        (Kind::Relation(_) | Kind::Relations(_), _) if text.parse::<i64>().is_ok() => format!("[{text}]"),
        (Kind::Day, _) => text.strip_suffix("T00:00:00.000Z").unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    Some(Row { path: one.path.clone(), operator, value, fault: fault_of(shell, c, one) })
}

/// What a value should be, where no row can have it.
fn fault_of(shell: &Shell<'_>, c: &'static Collection, one: &Condition) -> Option<String> {
    let language = shell.language();
    let end = End::of(shell.pages.site.registry, c, &one.path).filter(|end| one.is_beyond(end.field))?;
    let words = end.field.named_values().iter();
    let words: Vec<String> = words.map(|word| labels::option(language, end.of.slug, &end.path, word)).collect();
    Some(match words.is_empty() {
        true => expected(language, end.field).unwrap_or_else(|| shell.text("page-no-value")),
        false => text_of(language, "page-expected-option", "words", &words.join(", ")),
    })
}

fn json_of(node: &Node) -> Value {
    let list = |nodes: &[Node]| nodes.iter().map(json_of).collect::<Value>();
    match node {
        Node::One(one) => json!({one.path.as_str(): {one.operator.as_str(): json_of_tree(&one.operand)}}),
        Node::All(nodes) => json!({"and": list(nodes)}),
        Node::Any(nodes) => json!({"or": list(nodes)}),
    }
}

fn json_of_tree(tree: &Tree) -> Value {
    match tree {
        Tree::Text(text) => Value::from(text.as_str()),
        Tree::Scalar(value) => value.clone(),
        Tree::List(all) => all.iter().map(json_of_tree).collect(),
        Tree::Map(all) => all.iter().map(|(name, one)| (name.clone(), json_of_tree(one))).collect::<Map<_, _>>().into(),
    }
}

/// The fields of a collection that a visitor reads, by the groups in which they are offered: the usual ones, those of
/// the tabs of a card, others without a group, the groups and lists, and related records.
pub(super) fn groups(
    shell: &Shell<'_>,
    c: &'static Collection,
    rights: &Rights,
    is_taken: &dyn Fn(&Column) -> bool,
) -> Vec<(String, Vec<Column>)> {
    let usual = columns::usual(c, shell.language());
    let mut groups =
        vec![(shell.text("page-columns-usual"), usual.iter().copied().map(Column::of).collect::<Vec<_>>())];
    // The first tab is about all of a record.
    let tabs = c.ui.card.map_or(&[][..], |card| card.page.tabs).iter().skip(1);
    let tab_of = |path: &str| {
        let tab = tabs.clone().find(|tab| tab.has(path))?;
        Some(shell.text(&format!("card-tab-{}", tab.tab.word())))
    };
    let mut put = |name: String, column: Column| match groups.iter_mut().find(|(own, _)| *own == name) {
        Some((_, all)) => all.push(column),
        None => groups.push((name, vec![column])),
    };
    for field in c.fields.iter().filter(|field| columns::may_stand(field)) {
        let group = field.path.split_once('.').map(|(group, _)| labels::field(shell.language(), c.slug, group));
        if !usual.iter().any(|own| own.path == field.path) {
            let group = group.or_else(|| tab_of(&field.path));
            put(group.unwrap_or_else(|| shell.text("page-columns-other")), Column::of(field));
        }
        let list = labels::field(shell.language(), c.slug, &field.path);
        Column::members(field).for_each(|member| put(list.clone(), member));
    }
    for field in &c.fields {
        let relation = labels::field(shell.language(), c.slug, &field.path);
        Column::related(shell.pages.site.registry, field).into_iter().for_each(|column| put(relation.clone(), column));
    }
    for (_, all) in &mut groups {
        let own =
            |column: &Column| column.related.map(|(relation, _)| relation).or(column.list).unwrap_or(column.field);
        let read = |column: &Column| rights.may_read(&own(column).path);
        all.retain(|column| read(column) && is_taken(column));
    }
    groups.retain(|(_, all)| !all.is_empty());
    groups
}

/// The form as a page has it.
pub(super) struct Shown<'b> {
    pub(super) shell: &'b Shell<'b>,
    pub(super) builder: &'b Builder,
    pub(super) names: &'b Names,
    pub(super) rights: &'b Rights,
    /// Records of related collections that are few.
    pub(super) choices: Choices,
}

impl<'b> Shown<'b> {
    /// With the records that may be chosen, where the form is open.
    pub(super) async fn of(
        shell: &'b Shell<'b>,
        (builder, names, rights): (&'b Builder, &'b Names, &'b Rights),
        open: bool,
    ) -> Self {
        let registry = shell.pages.site.registry;
        let ends = builder.rows().filter(|_| open).filter_map(|row| End::of(registry, builder.c, &row.path));
        let fields: Vec<&'static Field> = ends.map(|end| end.field).filter(|field| field.target().is_some()).collect();
        let choices = choices(shell, &fields, &|_| Some(String::new())).await;
        Self { shell, builder, names, rights, choices }
    }

    pub(super) fn markup(&self) -> Markup {
        let shell = self.shell;
        let fields = self.fields();
        html! {
            div class="conditions-of" {
                @for (place, part) in self.builder.parts.iter().enumerate() {
                    @match part {
                        Part::Row(row) => (self.row(row, place, 0)),
                        Part::Any(rows) => fieldset class="any" {
                            legend { (shell.text("page-any")) }
                            input type="hidden" name=(format!("{PREFIX}{place}.any")) value="true";
                            @for (at, row) in rows.iter().enumerate() { (self.row(row, place, at)) }
                            (self.adds(&format!("{FIELD}.{place}"), &fields, &[(&place.to_string(), "page-add-alternative")]))
                            (self.drop_button(&place.to_string(), &shell.text("page-any")))
                        },
                        Part::Fixed(node, fault) => (self.fixed(place, node, fault.as_deref())),
                    }
                }
            }
            (self.adds(FIELD, &fields, &[(AND, "page-add-condition"), (OR, "page-add-any")]))
        }
    }

    /// What a row can be about, as options.
    fn fields(&self) -> Markup {
        let is_taken = |column: &Column| column.may_be_condition() && !operators(column.field).is_empty();
        let (shell, c) = (self.shell, self.builder.c);
        html! {
            option value="" {}
            @for (name, all) in groups(shell, c, self.rights, &is_taken) {
                optgroup label=(name) { @for column in all {
                    option value=(column.path) { (column.label(shell.language(), c)) }
                } }
            }
        }
    }

    fn adds(&self, name: &str, fields: &Markup, buttons: &[(&str, &str)]) -> Markup {
        let id = name.replace('.', "-");
        html! {
            div class="adds" {
                div class="field" {
                    label for=(id) { (self.shell.text("page-field")) }
                    select id=(id) name=(name) { (fields) }
                }
                @for (value, text) in buttons {
                    button class="second" type="submit" name=(ADD) value=(value) { (self.shell.text(text)) }
                }
            }
        }
    }

    fn drop_button(&self, place: &str, what: &str) -> Markup {
        html! {
            button class="link" type="submit" name=(DROP) value=(place)
                aria-label={ (self.shell.text("page-take-out")) ": " (what) } { "×" }
        }
    }

    fn fixed(&self, place: usize, node: &Node, fault: Option<&str>) -> Markup {
        let text = said(self.shell, self.builder.c, node, self.names);
        html! {
            div class=(if fault.is_some() { "condition faulty" } else { "condition" }) {
                input type="hidden" name=(format!("{PREFIX}{place}.where")) value=(json_of(node).to_string());
                span { (text) }
                (self.drop_button(&place.to_string(), &text))
                @if let Some(fault) = fault { p class="fault" { (fault) } }
            }
        }
    }

    fn row(&self, row: &Row, place: usize, at: usize) -> Markup {
        let shell = self.shell;
        let (name, id) = (format!("{PREFIX}{place}.{at}"), format!("c-{place}-{at}"));
        let end = End::of(shell.pages.site.registry, self.builder.c, &row.path);
        let label = end.as_ref().map_or_else(|| row.path.clone(), |end| end.label(shell.language()));
        html! {
            div class=(if row.fault.is_some() { "condition faulty" } else { "condition" }) {
                input type="hidden" name={ (name) ".path" } value=(row.path);
                label for=(id) { (label) }
                @if let Some(end) = &end {
                    select name={ (name) ".operator" } aria-label={ (label) ": " (shell.text("page-operator")) } {
                        @for operator in operators(end.field) {
                            option value=(operator) selected[row.operator == *operator] { (operator_text(shell, end.field, operator)) }
                        }
                    }
                    (self.control(row, end, (&name, &id)))
                }
                (self.drop_button(&format!("{place}.{at}"), &label))
                @if let Some(fault) = &row.fault { p class="fault" id={ (id) "-fault" } { (fault) } }
            }
        }
    }

    fn control(&self, row: &Row, end: &End, (name, id): (&str, &str)) -> Markup {
        let (shell, field) = (self.shell, end.field);
        let option = |word: &String| (word.clone(), labels::option(shell.language(), end.of.slug, &end.path, word));
        let words = field.named_values();
        let related = self.choices.of(field);
        let own = id_of(&row.value);
        let (options, value): (Vec<(String, String)>, String) = match (&field.kind, related) {
            (Kind::Bool, _) => {
                let both = [("true", "page-yes"), ("false", "page-no")];
                (both.map(|(word, text)| (word.to_owned(), shell.text(text))).into(), row.value.clone())
            }
            (_, Some(all)) if own.is_some() || row.value.is_empty() => {
                let all = all.iter().map(|one| (format!("[{}]", one.id), one.name.clone()));
                (all.collect(), own.map(|id| format!("[{id}]")).unwrap_or_default())
            }
            _ if field.wording == Wording::Collection => {
                let all = shell.pages.site.registry.iter();
                let all = all.map(|c| (c.slug.to_owned(), labels::collections(shell.language(), c.slug)));
                (all.collect(), row.value.clone())
            }
            _ => (words.iter().map(option).collect(), row.value.clone()),
        };
        let known = value.is_empty() || options.iter().any(|(word, _)| *word == value);
        let faulty = row.fault.is_some().then_some("true");
        let about = row.fault.as_ref().map(|_| format!("{id}-fault"));
        let is_day = value.is_empty() || value.len() == 10 && value.as_bytes().get(4) == Some(&b'-');
        let is_minute = value.is_empty() || value.len() == 16 && value.contains('T');
        let (kind, mode) = match field.kind {
            Kind::Day if is_day && faulty.is_none() => ("date", None),
            Kind::Instant if is_minute && faulty.is_none() => ("datetime-local", None),
            Kind::Int => ("text", Some("numeric")),
            Kind::Number => ("text", Some("decimal")),
            _ => ("text", None),
        };
        html! {
            @if !options.is_empty() {
                select id=(id) name={ (name) ".value" } aria-invalid=[faulty] aria-describedby=[about] {
                    option value="" {}
                    @if !known { option value=(value) selected { (value) } }
                    @for (word, label) in &options { option value=(word) selected[*word == value] { (label) } }
                }
            } @else {
                input id=(id) name={ (name) ".value" } type=(kind) inputmode=[mode] value=(value) maxlength=[(kind == "text").then_some("400")]
                    aria-invalid=[faulty] aria-describedby=[about];
            }
        }
    }
}

/// The parts of a condition, each with the way to the list without it.
pub(super) fn chips(
    shell: &Shell<'_>,
    (c, nodes, names): (&'static Collection, &[Node], &Names),
    address: &dyn Fn(Vec<Node>) -> String,
) -> Markup {
    let way = |places: &[usize], text: &str| {
        html! {
            a href=(address(conditions::without(nodes, places))) aria-label={ (shell.text("page-take-out")) ": " (text) } { "×" }
        }
    };
    html! {
        @if !nodes.is_empty() {
            ul class="chips" aria-label=(shell.text("page-conditions")) {
                @for (place, node) in nodes.iter().enumerate() { li {
                    @match node {
                        Node::Any(parts) => {
                            @for (at, part) in parts.iter().enumerate() {
                                @let text = said(shell, c, part, names);
                                @if at > 0 { " " (shell.text("page-or")) " " }
                                span class="chip" { (text) " " (way(&[place, at], &text)) }
                            }
                        }
                        other => {
                            @let text = said(shell, c, other, names);
                            span class="chip" { (text) " " (way(&[place], &text)) }
                        }
                    }
                } }
            }
        }
    }
}

/// The paths that the REST face names in what it says of a condition.
pub(super) fn refused_paths(answer: &crate::calls::Answer) -> Vec<String> {
    let data = at(&answer.body, "errors").get(0).map_or(&Value::Null, |error| at(error, "data"));
    let paths = data.as_array().into_iter().flatten();
    paths.filter_map(|one| at(one, "path").as_str()).map(str::to_owned).collect()
}
