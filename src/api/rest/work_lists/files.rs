//! Work lists as a workbook and on paper.

use super::super::reads::table_rows::Line;
use super::super::reads::workbook::Writing;
use crate::Refusal;
use crate::layers::language::numbering;
use axum::response::Response;
use model::display::{self, DisplayField, at, called};
use model::messages::{Language, labels, text};
use model::record::time;
use model::registry::{Collection, Field, Kind, Registry, WorkList};
use ops::{Cell, WorkPlaces};
use paper::{Block, Day, Head, Look, Sheet, Table};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) struct Files<'f> {
    pub(super) registry: &'static Registry,
    pub(super) c: &'static Collection,
    pub(super) language: Language,
    pub(super) service: &'f str,
    /// The address of the service without a slash at the end; empty: it is not configured.
    pub(super) url: &'f str,
    pub(super) places: &'f WorkPlaces,
    /// Lists with a page of each.
    pub(super) all: &'f [(&'static WorkList, Value)],
}

impl Files<'_> {
    pub(super) fn text(&self, name: &str, values: &[(&str, &str)]) -> String {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        text(self.language, name, &values.collect::<BTreeMap<_, _>>())
    }

    /// The name of the file without its ending.
    pub(super) fn name(&self) -> String {
        let list = match self.all {
            [(list, _)] => format!("-{}", list.name),
            _ => String::new(),
        };
        format!("work-lists{list}-{}", self.places.day())
    }

    /// What a list is called.
    pub(super) fn title(&self, list: &WorkList) -> String {
        self.text(&format!("work-{}", list.name), &[])
    }

    /// The condition of a list in a sentence, with its numbers.
    fn rule(&self, list: &WorkList, page: &Value) -> String {
        let numbers = page.get("numbers").and_then(Value::as_array);
        let numbers: Vec<String> = numbers.into_iter().flatten().map(Value::to_string).collect();
        self.text(&format!("work-{}.rule", list.name), &[("count", &numbers.join(" / "))])
    }

    /// The columns of a list besides the day.
    fn columns(&self, list: &WorkList) -> (Vec<&'static Field>, Vec<&'static Field>) {
        let fields = |paths: &[&'static str]| paths.iter().filter_map(|path| self.c.field(path)).collect();
        (fields(&called(self.c)), fields(list.columns))
    }

    fn heads(&self, list: &WorkList) -> Vec<String> {
        let (names, others) = self.columns(list);
        let label = |field: &&Field| labels::field(self.language, self.c.slug, &field.path);
        let due = std::iter::once(self.text(&format!("work-{}.due", list.name), &[]));
        names.iter().map(label).chain(due).chain(others.iter().map(label)).collect()
    }

    /// The rows of a list: its names, the day, its other columns; and how many more there are.
    fn rows<T>(&self, list: &WorkList, page: &Value, cell: &dyn Fn(Option<&Field>, &Value) -> T) -> (Vec<Vec<T>>, u64) {
        let (names, others) = self.columns(list);
        let docs = page.get("docs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let rows = docs.iter().map(|doc| {
            let value = |field: &&'static Field| cell(Some(*field), at(doc, &field.path));
            let due = std::iter::once(cell(None, at(doc, "due")));
            names.iter().map(value).chain(due).chain(others.iter().map(value)).collect()
        });
        let total = page.get("totalDocs").and_then(Value::as_u64).unwrap_or_default();
        let more = total.saturating_sub(u64::try_from(docs.len()).unwrap_or_default());
        (rows.collect(), more)
    }

    fn shown(&self, field: Option<&Field>, value: &Value) -> String {
        match field {
            Some(field) => DisplayField::of(self.c, field).text(self.registry, self.language, value),
            None => value.as_str().map(|day| display::day_of(self.language, day)).unwrap_or_default(),
        }
    }

    fn cell(&self, field: Option<&Field>, value: &Value) -> Cell {
        let is_day = field.is_none_or(|field| field.kind == Kind::Day);
        let day = value.as_str().filter(|_| is_day).and_then(time::parse);
        match (day, value.as_i64(), value.as_f64()) {
            (Some(day), ..) => Cell::Day { day },
            (None, Some(number), _) => Cell::Int(number),
            (None, None, Some(number)) => Cell::Num(number),
            _ => match self.shown(field, value) {
                text if text.is_empty() => Cell::Empty,
                text => Cell::Text(text),
            },
        }
    }

    /// A workbook with a sheet for each list.
    pub(super) async fn workbook(&self) -> Result<Response, Refusal> {
        let writing = Writing::begin();
        for (list, page) in self.all {
            let (rows, more) = self.rows(list, page, &|field, value| self.cell(field, value));
            let more = (more > 0).then(|| vec![Cell::Text(self.text("work-more", &[("count", &more.to_string())]))]);
            let head = Line::Sheet(self.title(list), self.heads(list));
            let rows = rows.into_iter().chain(more).map(Line::Row);
            for line in std::iter::once(head).chain(rows) {
                if !writing.add(line).await {
                    break;
                }
            }
        }
        writing.answer(&self.name()).await
    }

    /// The lists on paper, each with its rule; empty ones are named in one line.
    pub(super) fn sheet(&self) -> Sheet {
        let title = self.text("work-title", &[]);
        let iso = self.places.day();
        let day = display::day_of(self.language, &iso);
        let organization = self.places.organization().to_owned();
        let mut blocks = vec![Block::Head(Head {
            over: self.service.to_owned(),
            title: title.clone(),
            under: vec![organization.clone(), day.clone()],
            ..Head::default()
        })];
        let mut nothing: Vec<String> = Vec::new();
        for (list, page) in self.all {
            let (rows, more) = self.rows(list, page, &|field, value| self.shown(field, value));
            if rows.is_empty() {
                nothing.push(self.title(list));
                continue;
            }
            let total = at(page, "totalDocs").to_string();
            blocks.push(Block::Heading(format!("{}: {total}", self.title(list))));
            blocks.push(Block::Note(self.rule(list, page)));
            let heads = self.heads(list).into_iter().map(|head| (head, false)).collect();
            blocks.push(Block::Table(Table { heads, rows }));
            if more > 0 {
                blocks.push(Block::Note(self.text("work-more", &[("count", &more.to_string())])));
            }
        }
        if !nothing.is_empty() {
            blocks.push(Block::Note(self.text("work-none", &[("lists", &nothing.join(", "))])));
        }
        Sheet {
            title: format!("{title} · {organization}"),
            language: self.language.word(),
            author: self.service.to_owned(),
            day: Day::read(&iso).unwrap_or_default(),
            accent: None,
            look: Look::Plain,
            blocks,
            footer: format!("{} · {organization} · {day}", self.service),
            numbering: numbering(self.language),
        }
    }
}
