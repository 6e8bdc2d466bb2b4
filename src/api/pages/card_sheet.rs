//! The card of a record as a sheet of paper: values, pedigree, and tables of its rows, as its declaration says
//! (docs/pages.md, *Card for print*). Must not know any single collection.

use super::certificate::words::path;
use crate::layers::language::numbering;
use model::display::{self, DisplayField, at, is_empty};
use model::face::Face;
use model::messages::{Language, labels, text};
use model::registry::{Card, CardRows, CardTable, Collection, Field, Kind, Registry};
use paper::{Block, Cell, Code, Day, Emblem, Head, Look, Sheet, Table, Tree};
use serde_json::Value;
use std::collections::BTreeMap;

/// Generations of the pedigree.
pub(crate) const GENERATIONS: u8 = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Printed<'p> {
    pub(crate) face: &'p Face,
    /// The address of the service without a slash at the end; empty: it is not configured.
    pub(crate) url: &'p str,
    pub(crate) registry: &'p Registry,
    pub(crate) c: &'p Collection,
    pub(crate) card: &'p Card,
    /// The record as its reader sees it, related records by name.
    pub(crate) doc: &'p Value,
    pub(crate) lineage: &'p Value,
    pub(crate) now: &'p str,
}

pub(crate) fn sheet(printed: &Printed<'_>, language: Language) -> (Sheet, String) {
    let c = printed.c;
    let mut names = printed.names(printed.doc, language).into_iter();
    let name = names.next().unwrap_or_else(|| format!("№ {}", at(printed.doc, "id")));
    let others: Vec<String> = names.collect();
    let file = others.last().unwrap_or(&name).clone();
    let title = with(language, "card-title", &[("what", &labels::collection(language, c.slug))]);
    let day = display::day_of(language, printed.now);
    let mut blocks = vec![printed.head(&title, &day, language)];
    blocks.push(Block::Subject(name.clone(), others.join(", ")));
    let pairs: Vec<(String, String)> = (printed.card.values.iter())
        .map(|path| (labels::field(language, c.slug, path), printed.value(path, language)))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    if !pairs.is_empty() {
        blocks.push(Block::Pairs { pairs, columns: 3 });
    }
    blocks.extend(printed.pedigree(language));
    for table in printed.card.tables {
        blocks.extend(printed.table(table, language));
    }
    blocks.push(Block::Note(with(language, "card-note", &[("date", printed.now.get(..10).unwrap_or_default())])));
    let sheet = Sheet {
        title: format!("{title} · {name}"),
        language: language.word(),
        author: printed.face.name.clone(),
        day: Day::read(printed.now).unwrap_or_default(),
        look: Look::Framed,
        accent: printed.face.color.map(|color| (color.0, color.1, color.2)),
        blocks,
        footer: format!("{} · {name} · {day}", printed.face.name),
        numbering: numbering(language),
    };
    (sheet, file)
}

fn with(language: Language, name: &str, values: &[(&str, &str)]) -> String {
    let values = values.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    text(language, name, &values.collect::<BTreeMap<_, _>>())
}

impl Printed<'_> {
    fn value(&self, path: &str, language: Language) -> String {
        self.value_of(self.doc, path, language)
    }

    fn value_of(&self, doc: &Value, path: &str, language: Language) -> String {
        let field = self.c.field(path);
        let text = field.map(|field| DisplayField::of(self.c, field).text(self.registry, language, at(doc, path)));
        text.unwrap_or_default()
    }

    /// How a record is called, as far as it is.
    fn names(&self, doc: &Value, language: Language) -> Vec<String> {
        let names = self.card.names.iter().map(|path| self.value_of(doc, path, language));
        names.filter(|name| !name.is_empty()).collect()
    }

    fn head(&self, title: &str, day: &str, language: Language) -> Block {
        let address = format!("{}/book/{}/{}", self.url, self.c.slug, at(self.doc, "id"));
        let has_address = !self.url.is_empty();
        let caption = with(language, "card-address", &[("address", &address)]);
        Block::Head(Head {
            emblem: self.face.emblem.as_ref().and_then(|emblem| Emblem::of(&emblem.bytes, &self.face.name)),
            over: self.face.name.clone(),
            title: title.to_owned(),
            under: vec![day.to_owned()],
            code: has_address.then(|| Code::of(&address)).flatten(),
            caption: if has_address { caption } else { String::new() },
        })
    }

    fn pedigree(&self, language: Language) -> Vec<Block> {
        let nodes = self.lineage.get("nodes").and_then(Value::as_array);
        let cells: Vec<Cell> = (nodes.into_iter().flatten()).filter_map(|node| self.ancestor(node, language)).collect();
        if cells.is_empty() {
            return Vec::new();
        }
        let tree =
            Tree { generations: GENERATIONS.into(), cells, nobody: with(language, "certificate-short-nobody", &[]) };
        vec![Block::Heading(with(language, "page-pedigree", &[])), Block::Tree(tree)]
    }

    fn ancestor(&self, node: &Value, language: Language) -> Option<Cell> {
        let place = node.get("number")?.as_u64().filter(|place| *place > 1)?;
        let doc = node.get("doc")?;
        let label = match place {
            2 | 3 => with(language, &format!("certificate-ancestor-{place}"), &[]),
            _ => path(place, language),
        };
        let mut names = self.names(doc, language);
        let values = self.card.ancestors.iter().map(|path| self.value_of(doc, path, language));
        names.extend(values.filter(|text| !text.is_empty()));
        let mut names = names.into_iter();
        let name = names.next().unwrap_or_default();
        let line = names.collect::<Vec<_>>().join(", ");
        Some(Cell {
            place: u32::try_from(place).ok()?,
            label,
            name,
            lines: Some(line).filter(|line| !line.is_empty()).into_iter().collect(),
        })
    }

    /// The rows of a table, the earliest first; nothing where there are none.
    fn table(&self, table: &CardTable, language: Language) -> Vec<Block> {
        let c = self.c;
        let docs = at(self.doc, table.of);
        let (title, of, docs, fields): (_, _, Vec<&Value>, Vec<(&Field, String)>) = match c.card_rows(table) {
            None => return Vec::new(),
            Some(CardRows::List(list, members)) => {
                let docs: Vec<&Value> = docs.as_array().into_iter().flatten().collect();
                let from = docs.len().saturating_sub(table.most);
                let fields = (table.columns.iter())
                    .filter_map(|path| members.iter().find(|one| one.path == *path))
                    .map(|field| (field, format!("{}.{}", list.path, field.path)));
                let title = labels::field(language, c.slug, &list.path);
                (title, c, docs.into_iter().skip(from).collect(), fields.collect())
            }
            Some(CardRows::Join(join)) => {
                let Some(of) = self.registry.get(join.collection) else {
                    return Vec::new();
                };
                let docs = docs.get("docs").and_then(Value::as_array);
                let fields =
                    (table.columns.iter()).filter_map(|path| of.field(path)).map(|field| (field, field.path.clone()));
                let title = labels::collections(language, of.slug);
                (title, of, docs.into_iter().flatten().rev().collect(), fields.collect())
            }
        };
        if docs.is_empty() {
            return Vec::new();
        }
        let filled: Vec<(&Field, String)> =
            (fields.into_iter()).filter(|(field, _)| docs.iter().any(|doc| !is_empty(at(doc, &field.path)))).collect();
        let head = |(field, path): &(&Field, String)| {
            let number = matches!(field.kind, Kind::Int | Kind::Number);
            (labels::member(language, of.slug, path), number)
        };
        let row = |doc: &&Value| {
            let cell = |(field, path): &(&Field, String)| {
                let display = DisplayField { collection: of, field, path };
                display.text(self.registry, language, at(doc, &field.path))
            };
            filled.iter().map(cell).collect()
        };
        let table = Table { heads: filled.iter().map(head).collect(), rows: docs.iter().map(row).collect() };
        vec![Block::Heading(title), Block::Table(table)]
    }
}
