//! Object types: documents, groups, lists of rows, pages, joins, ancestors.

use super::super::name::{Names, choices, plain};
use super::{Choices, Model, Object, What, below};
use model::registry::{Class, Collection, Field, ID, Kind, Node, Registry, Verb};

/// Points in time.
pub(in super::super) const DATE_TIME: &str = "DateTime";
/// Any JSON.
pub(in super::super) const JSON: &str = "JSON";
/// JSON objects.
pub(in super::super) const JSON_OBJECT: &str = "JSONObject";
/// Addresses.
pub(in super::super) const EMAIL: &str = "EmailAddress";

impl Model {
    /// The types of a collection's documents.
    pub(super) fn output(&mut self, registry: &'static Registry, c: &'static Collection, names: &Names) {
        let mut object = Object { doc: c.doc.to_owned(), ..Object::default() };
        let times = c.layout.len().saturating_sub(2);
        let (fields, times) = c.layout.split_at_checked(times).unwrap_or_default();
        self.nodes(registry, c, &mut object, &names.one, fields);
        self.joins(registry, c, &mut object, names);
        if c.lineage.is_some() {
            self.lineage(&mut object, names);
        }
        self.timeline(registry, c, &mut object, names);
        self.nodes(registry, c, &mut object, &names.one, times);
        if c.auth {
            object.values([("collection", "String", "The collection of the account.")]);
        }
        self.objects.insert(names.one.clone(), object);
        self.page(c, names);
    }

    fn nodes(
        &mut self,
        registry: &'static Registry,
        c: &'static Collection,
        object: &mut Object,
        parent: &str,
        nodes: &'static [Node],
    ) {
        for node in nodes {
            match node {
                Node::Leaf(slot) => {
                    let Some(field) = c.fields.get(*slot).filter(|f| is_readable(f)) else {
                        continue;
                    };
                    for name in spellings(c, field) {
                        let required = field.required && field.class == Class::Row;
                        let required = required || *slot == ID;
                        self.field(registry, object, parent, field, (name, required));
                    }
                }
                Node::Group(name, inner) => {
                    let group = below(parent, name);
                    let mut members = Object::default();
                    self.nodes(registry, c, &mut members, &group, inner);
                    if members.fields.is_empty() {
                        continue;
                    }
                    object.add(&plain(name), &group, What::Group, "").key = name.clone();
                    self.objects.insert(group, members);
                }
            }
        }
    }

    fn field(
        &mut self,
        registry: &'static Registry,
        object: &mut Object,
        parent: &str,
        field: &'static Field,
        (name, required): (&str, bool),
    ) {
        let list = matches!(field.kind, Kind::Selects(_) | Kind::Texts(_) | Kind::Relations(_) | Kind::Rows(_));
        let (inner, what) = match &field.kind {
            Kind::Relation(slug) | Kind::Relations(slug) => {
                let Some(target) = registry.get(slug) else {
                    return;
                };
                let what = if list { What::Many } else { What::One };
                (Names::of(target.slug).one, what)
            }
            Kind::Rows(subs) => {
                let rows = below(parent, field.name());
                let mut members = Object::default();
                members.values([("id", "String", "Key of the row in its list.")]);
                for sub in subs {
                    let name = (sub.name(), sub.required);
                    self.field(registry, &mut members, &rows, sub, name);
                }
                self.objects.insert(rows.clone(), members);
                (rows, What::Rows)
            }
            Kind::Select(options) | Kind::Selects(options) => {
                // An alias has the values of its field.
                let name = format!("{parent}_{}", plain(field.name()));
                self.options(&name, options, field.doc);
                (name, What::Choice(options))
            }
            kind => (scalar(kind, field.path == "id").to_owned(), What::Value),
        };
        let required = required && field.target().is_none() && !list;
        let ty = match (list, required) {
            (true, _) => format!("[{inner}!]"),
            (false, true) => format!("{inner}!"),
            (false, false) => inner,
        };
        object.add(&plain(name), &ty, what, field.doc).key = name.to_owned();
    }

    pub(super) fn options(&mut self, name: &str, options: &'static [String], doc: &str) {
        let names = choices(options).into_iter();
        let items = names.zip(options.iter().cloned()).collect();
        let doc = doc.to_owned();
        self.choices.insert(name.to_owned(), Choices { doc, items });
    }

    fn joins(&mut self, registry: &'static Registry, c: &'static Collection, object: &mut Object, names: &Names) {
        for join in &c.joins {
            let Some(target) = registry.get(join.collection) else {
                continue;
            };
            let of = Names::of(target.slug);
            let page = below(&names.one, join.name);
            let rows = self.object(&page, format!("A page of {}.", target.plural));
            rows.add("docs", &format!("[{}!]!", of.one), What::Many, "The records.");
            rows.values([
                ("hasNextPage", "Boolean!", "Whether a page follows."),
                ("totalDocs", "Int", "All records, with `count: true`."),
            ]);
            let doc = format!("{} that point here.", target.plural);
            object
                .add(join.name, &page, What::Join(join, target), doc)
                .arg("limit", "Int", "Records of a page, 10 unless given; 0: all.")
                .arg("page", "Int", "The page, from 1.")
                .arg("sort", "String", SORT)
                .arg("where", &format!("{}_where", of.one), "Which of them.")
                .arg("count", "Boolean", "Whether all are to be counted.");
        }
    }

    fn lineage(&mut self, object: &mut Object, names: &Names) {
        let pedigree = format!("{}_Pedigree", names.one);
        let (node, share) = (format!("{pedigree}_Node"), format!("{pedigree}_Share"));
        let whole = self.object(&pedigree, "A record with its ancestors.");
        whole.values([("id", "Int!", "The record."), ("generations", "Int!", "Generations requested.")]);
        whole.add("nodes", &format!("[{node}!]!"), What::Rows, "The record and its known ancestors, by number.");
        whole.add("completeness", &format!("[{share}!]!"), What::Rows, "How complete each generation is.");
        let doc = "Equivalent generations: the sum over known ancestors of one half to the power \
                   of their generation.";
        whole.values([("pedigreeDepth", "Float!", doc)]);
        let one = self.object(&node, "A place in a pedigree.");
        one.values([
            ("number", "Int!", "1 is the record, 2n the father and 2n + 1 the mother of n."),
            ("generation", "Int!", "0 is the record itself."),
        ]);
        let doc = "The ancestor; where you may not read it, its number, name, sex, breed and day of birth.";
        one.add("doc", &names.one, What::One, doc);
        one.values([("closed", "Boolean", "Whether you may not read it.")]);
        self.object(&share, "How complete a generation is.").values([
            ("generation", "Int!", "From 1."),
            ("known", "Int!", "Known ancestors."),
            ("possible", "Int!", "Number of possible ancestors."),
            ("percent", "Float!", "Their ratio, %."),
        ]);
        object.add("pedigree", &pedigree, What::Lineage, "All ancestors in one answer.").arg(
            "generations",
            "Int",
            "How many generations: 1 to 10, 3 unless given.",
        );
    }

    fn timeline(&mut self, registry: &'static Registry, c: &'static Collection, object: &mut Object, names: &Names) {
        let kinds: Vec<String> = registry.events_of(c).map(|e| e.slug.to_owned()).collect();
        if kinds.is_empty() {
            return;
        }
        // As long as the model, which is made once.
        let kinds: &'static [String] = kinds.leak();
        let whole = format!("{}_Timeline", names.one);
        let (event, choice) = (format!("{whole}_Event"), format!("{whole}_collection"));
        self.options(&choice, kinds, "Collections of events.");
        let page = self.object(&whole, "A page of what happened, the latest first.");
        page.add("docs", &format!("[{event}!]!"), What::Rows, "The events.");
        page.values([
            ("hasNextPage", "Boolean!", "Whether a page follows."),
            ("limit", "Int!", "Events of a page."),
            ("page", "Int!", "The page, from 1."),
        ]);
        let one = self.object(&event, "Something that happened: one of its records is not null.");
        one.values([("date", "DateTime!", "When it happened.")]);
        one.add("collection", &format!("{choice}!"), What::Choice(kinds), "The collection of its record.");
        one.values([("id", "Int!", "Its record.")]);
        for events in registry.events_of(c) {
            let of = Names::of(events.slug).one;
            let doc = format!("The record, of {}.", events.plural);
            one.add(&words_below(&of), &of, What::One, doc).key = events.slug.to_owned();
        }
        object
            .add("timeline", &whole, What::Timeline(kinds), "What happened, over all collections of events.")
            .arg("collections", &format!("[{choice}!]"), "Which events; all unless given.")
            .arg("from", "DateTime", "Not before.")
            .arg("to", "DateTime", "Not after.")
            .arg("limit", "Int", "Events of a page: 1 to 1000, 25 unless given.")
            .arg("page", "Int", "The page, from 1.");
    }

    fn page(&mut self, c: &'static Collection, names: &Names) {
        let docs = format!("[{}!]!", names.one);
        let page = self.object(&names.many, format!("A page of {}.", c.plural));
        page.add("docs", &docs, What::Many, "The records.");
        page.values([
            ("hasNextPage", "Boolean!", "Whether a page follows."),
            ("hasPrevPage", "Boolean!", "Whether a page precedes."),
            ("limit", "Int!", "Records of a page; 0: all."),
            ("nextPage", "Int", "The page that follows."),
            ("offset", "Int", "Always null."),
            ("page", "Int!", "The page, from 1."),
            ("pagingCounter", "Int!", "Number of the first record of the page, from 1."),
            ("prevPage", "Int", "The page that precedes."),
            ("totalDocs", "Int!", ALL),
            ("totalPages", "Int!", "Pages; at least 1."),
            ("endCursor", "String", "A cursor for `after` that leads to the page that follows; null on the last one."),
        ]);
        let count = format!("count{}", names.many);
        self.object(&count, format!("How many {} there are.", c.plural)).values([("totalDocs", "Int!", ALL)]);
        if !(c.access.opens(Verb::Update) || c.access.opens(Verb::Delete)) {
            return;
        }
        let many = format!("{}_Many", names.many);
        let written = self.object(&many, format!("Result of a change of several {}.", c.plural));
        written.add("docs", &docs, What::Many, "Records that were written.");
        written.add("errors", "[WriteError!]!", What::Rows, "Records that were not written, and why.");
        written.values([("message", "String!", "The result in one line.")]);
    }
}

/// A type's name as that of a field: `milkTest`.
pub(super) fn words_below(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

const ALL: &str = "All records that fulfil the condition.";
/// What a `sort` is.
pub(super) const SORT: &str = "Keys of the order with commas; `-` before descending ones.";

/// The names of a field: its own, and its aliases.
pub(super) fn spellings<'c>(c: &'c Collection, field: &'c Field) -> impl Iterator<Item = &'c str> + use<'c> {
    let aliases = c.aliases.iter().filter(|(of, _)| *of == field.path);
    let aliases = aliases.map(|(_, alias)| alias.rsplit('.').next().unwrap_or(alias));
    std::iter::once(field.name()).chain(aliases)
}

/// Whether documents contain a field.
pub(super) fn is_readable(field: &Field) -> bool {
    field.shown_once || (field.class != Class::Hidden && field.kind != Kind::Password)
}

/// The type of a plain value.
fn scalar(kind: &Kind, id: bool) -> &'static str {
    match kind {
        Kind::Int if id => "Int",
        Kind::Int | Kind::Number => "Float",
        Kind::Bool => "Boolean",
        Kind::Day | Kind::Instant => DATE_TIME,
        Kind::Json => JSON,
        Kind::Email => EMAIL,
        _ => "String",
    }
}
