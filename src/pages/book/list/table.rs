//! The table of a list: rows with their pictures and states, and values by which the list is narrowed with a click.

use super::View;
use crate::book::columns::{self, Column};
use crate::book::form::plain;
use crate::components::value::{cell, cell_of, row_head};
use maud::{Markup, html};
use model::display::{self, DisplayField, at, is_empty};
use model::messages::labels;
use model::registry::{Collection, Field, Kind, Reading, Registry, Wording};
use serde_json::Value;

/// Values of a member of a list that a cell shows.
const MEMBERS: usize = 12;
/// Characters of a text by which a click narrows the list.
const CLICKED: usize = 100;

/// What the rows show besides their columns, as paths: a picture, and the states of what has a pedigree.
pub(super) fn more(registry: &'static Registry, c: &'static Collection) -> Vec<String> {
    let picture = picture(registry, c)
        .into_iter()
        .flat_map(|field| ["thumbnailURL", "url", "mimeType"].map(|member| format!("{}.{member}", field.path)));
    picture.chain(states(c).map(|field| field.path.clone())).collect()
}

/// The first file of a row.
fn picture(registry: &'static Registry, c: &'static Collection) -> Option<&'static Field> {
    let is_file = |field: &&Field| match &field.kind {
        Kind::Relation(to) => registry.get(to).is_some_and(|target| target.upload.is_some()),
        _ => false,
    };
    c.fields.iter().find(is_file)
}

/// The states of a row that has a pedigree.
fn states(c: &'static Collection) -> impl Iterator<Item = &'static Field> {
    let own = c.states.iter().filter(move |states| c.lineage.is_some() && states.reading == Reading::Value);
    own.filter_map(move |states| c.field(states.path))
        .filter(|field| matches!(field.kind, Kind::Select(_) | Kind::Bool))
}

/// The parameter by which a click on a value narrows the list, and its value.
fn narrowing(column: &Column, value: &Value) -> Option<(String, String)> {
    let field = column.field;
    let text = match (&field.kind, value) {
        (Kind::Select(_) | Kind::Email, Value::String(text)) => text.clone(),
        (Kind::Text(_), Value::String(text))
            if matches!(field.wording, Wording::Own | Wording::Words(_) | Wording::WordsOr(..)) =>
        {
            Some(text.clone()).filter(|text| text.chars().count() <= CLICKED)?
        }
        (Kind::Bool, Value::Bool(yes)) => yes.to_string(),
        // A record leads to its page.
        (Kind::Int, _) if matches!(field.wording, Wording::Record(_)) => return None,
        (Kind::Int | Kind::Number, Value::Number(number)) => number.to_string(),
        (Kind::Day, Value::String(iso)) => iso.strip_suffix("T00:00:00.000Z").unwrap_or(iso).to_owned(),
        (Kind::Relation(_), Value::Object(related)) => related.get("id")?.to_string(),
        _ => return None,
    };
    column.may_be_condition().then(|| (format!("where[{}][equals]", column.path), text))
}

impl View<'_> {
    pub(super) fn table(&self, docs: &[Value]) -> Markup {
        let (shell, c) = (&self.shell, self.c);
        html! {
            section class="wide" tabindex="0" aria-label=(labels::collections(shell.language(), c.slug)) {
                table class="list" {
                    thead { tr {
                        @match columns::heads(c).first().and_then(|path| c.field(path)).or(self.about()) {
                            Some(field) => (self.head(&Column::of(field))),
                            None => th scope="col" { (labels::collection(shell.language(), c.slug)) },
                        }
                        @for column in self.others() { (self.head(column)) }
                    } }
                    tbody {
                        @for doc in docs { tr {
                            th scope="row" { (self.row_head(doc)) }
                            @for column in self.others() {
                                td data-head=(column.label(shell.language(), c)) class=[self.is_said(column).then_some("said")] {
                                    (self.cell(column, doc))
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    /// The animal that heads each row, where rows have no name of their own and it is the first column.
    fn about(&self) -> Option<&'static Field> {
        let first = self.columns.first().filter(|column| self.c.animal == Some(column.path.as_str()));
        first.map(|column| column.field).filter(|_| columns::heads(self.c).is_empty())
    }

    /// The columns besides what heads the rows.
    fn others(&self) -> impl Iterator<Item = &Column> {
        let about = self.about().map(|field| field.path.as_str());
        let heads = columns::heads(self.c);
        self.columns.iter().filter(move |column| {
            let path = column.path.as_str();
            Some(path) != about && !heads.contains(&path)
        })
    }

    /// Whether what heads a row says the value, too, so that a telephone need not repeat it.
    fn is_said(&self, column: &Column) -> bool {
        let names = self.c.title().names;
        !display::called(self.c).is_empty() && names.contains(&column.path.as_str())
    }

    /// The head of a column: a way to the other order.
    fn head(&self, column: &Column) -> Markup {
        let (label, path) = (column.label(self.shell.language(), self.c), column.path.as_str());
        let sort = self.query.order(self.c);
        let (order, next) = match sort.strip_prefix('-') {
            Some(own) if own == path => (Some("descending"), path.to_owned()),
            _ if sort == path => (Some("ascending"), format!("-{path}")),
            _ => (None, path.to_owned()),
        };
        let unsorted = column.list.is_some()
            || !column.may_be_condition()
            || matches!(
                column.field.kind,
                Kind::Relations(_) | Kind::Selects(_) | Kind::Texts(_) | Kind::LongText | Kind::Json | Kind::Rows(_)
            );
        html! {
            th scope="col" aria-sort=[order] {
                @if unsorted { (label) } @else { a href=(self.to(&[("sort", &next), ("page", "")])) { (label) } }
            }
        }
    }

    fn row_head(&self, doc: &Value) -> Markup {
        let (shell, c) = (&self.shell, self.c);
        let id = at(doc, "id");
        html! {
            @if shell.visitor.user.is_some() {
                input type="checkbox" name=(super::ROWS) value=(id)
                    aria-label={ (shell.text("page-tick")) ": " (display::title(shell.pages.site.registry, shell.language(), c, doc)) };
                " "
            }
            (self.thumbnail(doc))
            @if let Some(field) = self.about() { (cell_of(shell, c, field, doc)) " " }
            a href=(format!("/book/{}/{id}", c.slug)) { (row_head(shell, c, doc)) }
            @for field in states(c).filter(|field| !self.columns.iter().any(|column| column.path == field.path)) {
                @let value = at(doc, &field.path);
                @let usual = field.default.as_ref().map(plain);
                @if !is_empty(value) && usual.as_deref() != Some(plain_of(value).as_str()) {
                    " " span class="chip state" { (self.state(field, value)) }
                }
            }
        }
    }

    /// A state in words that need no column: of one that is on or off, what it is.
    fn state(&self, field: &Field, value: &Value) -> String {
        match field.kind {
            Kind::Bool => self.label(&field.path),
            _ => DisplayField::of(self.c, field).text(self.shell.pages.site.registry, self.shell.language(), value),
        }
    }

    fn thumbnail(&self, doc: &Value) -> Markup {
        let file = picture(self.shell.pages.site.registry, self.c).map(|field| at(doc, &field.path));
        let text = |member: &str| file.and_then(|file| at(file, member).as_str());
        let small = text("thumbnailURL").or(text("url"));
        html! {
            @if let Some(small) = small.filter(|_| text("mimeType").is_some_and(|kind| kind.starts_with("image/"))) {
                // The name stands beside it.
                img class="thumbnail" src=(small) alt="" loading="lazy" width="40" height="40";
            }
        }
    }

    fn cell(&self, column: &Column, doc: &Value) -> Markup {
        let (shell, c, field) = (&self.shell, self.c, column.field);
        if let Some(list) = column.list {
            return self.members(list, column, at(doc, &list.path));
        }
        let value = at(doc, &column.path);
        let shown = match column.related {
            Some((_, to)) => cell(shell, to, field, value),
            None => cell_of(shell, c, field, doc),
        };
        let of = column.related.map_or(c, |(_, to)| to);
        let is_state = of.states.iter().any(|states| states.path == field.path) && !is_empty(value);
        let shown = if is_state {
            html! { span class="chip state" { (shown) } }
        } else {
            shown
        };
        let narrowed = narrowing(column, value).and_then(|(name, value)| self.query.narrowed(&name, &value));
        let way = narrowed.map(|query| format!("/book/{}?{query}", c.slug));
        match (way, field.target()) {
            (None, _) => shown,
            (Some(way), None) => html! { a class="only" href=(way) title=(shell.text("page-only")) { (shown) } },
            // The value leads to the record.
            (Some(way), Some(slug)) => {
                let name = display::related(shell.pages.site.registry, shell.language(), slug, value);
                html! { (shown) " " a class="only" href=(way) aria-label={ (shell.text("page-only")) ": " (name) } { "=" } }
            }
        }
    }

    /// The values of a member of a list of rows.
    fn members(&self, list: &Field, column: &Column, rows: &Value) -> Markup {
        let display = DisplayField { collection: self.c, field: column.field, path: &column.path };
        let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
        let text = |row: &Value| {
            display.text(self.shell.pages.site.registry, self.shell.language(), at(row, &column.field.path))
        };
        let texts: Vec<String> = rows.iter().map(text).filter(|text| !text.is_empty()).collect();
        let more = texts.len() > MEMBERS;
        let texts = texts.into_iter().take(MEMBERS).collect::<Vec<_>>().join("; ");
        html! {
            @if texts.is_empty() { span class="none" { "–" } }
            (texts)
            @if more { " … " span class="count" aria-label=(self.label(&list.path)) { (rows.len()) } }
        }
    }
}

/// A value of a state as its default is compared.
fn plain_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
