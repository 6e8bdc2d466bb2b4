//! Object types: documents, groups, lists of rows, pages, joins, ancestors.

use super::super::name::{Names, choices, plain};
use super::{Choices, Model, Object, What, below, list_of};
use async_graphql::dynamic::TypeRef;
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
            let ty = TypeRef::named(TypeRef::STRING);
            let doc = "The collection of the account.";
            object.add("collection", ty, What::Value, doc);
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
                    self.objects.insert(group.clone(), members);
                    let ty = TypeRef::named(group);
                    object.add(&plain(name), ty, What::Group, "").key = name.clone();
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
                let ty = TypeRef::named(TypeRef::STRING);
                members.add("id", ty, What::Value, "Key of the row in its list.");
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
            (true, _) => TypeRef::named_nn_list(inner),
            (false, true) => TypeRef::named_nn(inner),
            (false, false) => TypeRef::named(inner),
        };
        object.add(&plain(name), ty, what, field.doc).key = name.to_owned();
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
            let docs = What::Many;
            rows.add("docs", list_of(&of.one), docs, "The records.");
            let more = TypeRef::named_nn(TypeRef::BOOLEAN);
            rows.add("hasNextPage", more, What::Value, "Whether a page follows.");
            let total = TypeRef::named(TypeRef::INT);
            let doc = "All records, with `count: true`.";
            rows.add("totalDocs", total, What::Value, doc);
            let int = || TypeRef::named(TypeRef::INT);
            let condition = TypeRef::named(format!("{}_where", of.one));
            let doc = format!("{} that point here.", target.plural);
            let what = What::Join(join, target);
            object
                .add(join.name, TypeRef::named(page), what, doc)
                .arg("limit", int(), "Records of a page, 10 unless given; 0: all.")
                .arg("page", int(), "The page, from 1.")
                .arg("sort", TypeRef::named(TypeRef::STRING), SORT)
                .arg("where", condition, "Which of them.")
                .arg("count", TypeRef::named(TypeRef::BOOLEAN), "Whether all are to be counted.");
        }
    }

    fn lineage(&mut self, object: &mut Object, names: &Names) {
        let int = || TypeRef::named_nn(TypeRef::INT);
        let float = || TypeRef::named_nn(TypeRef::FLOAT);
        let pedigree = format!("{}_Pedigree", names.one);
        let (node, share) = (format!("{pedigree}_Node"), format!("{pedigree}_Share"));
        let whole = self.object(&pedigree, "A record with its ancestors.");
        whole.add("id", int(), What::Value, "The record.");
        whole.add("generations", int(), What::Value, "Generations requested.");
        let doc = "The record and its known ancestors, by number.";
        whole.add("nodes", list_of(&node), What::Rows, doc);
        let doc = "How complete each generation is.";
        whole.add("completeness", list_of(&share), What::Rows, doc);
        let doc = "Equivalent generations: the sum over known ancestors of one half to the power \
                   of their generation.";
        whole.add("pedigreeDepth", float(), What::Value, doc);
        let one = self.object(&node, "A place in a pedigree.");
        let doc = "1 is the record, 2n the father and 2n + 1 the mother of n.";
        one.add("number", int(), What::Value, doc);
        one.add("generation", int(), What::Value, "0 is the record itself.");
        let doc = "The ancestor; where you may not read it, its number, name, sex, breed and day of birth.";
        one.add("doc", TypeRef::named(&*names.one), What::One, doc);
        let flag = TypeRef::named(TypeRef::BOOLEAN);
        one.add("closed", flag, What::Value, "Whether you may not read it.");
        let completeness = self.object(&share, "How complete a generation is.");
        completeness.add("generation", int(), What::Value, "From 1.");
        completeness.add("known", int(), What::Value, "Known ancestors.");
        completeness.add("possible", int(), What::Value, "Number of possible ancestors.");
        completeness.add("percent", float(), What::Value, "Their ratio, %.");
        let doc = "All ancestors in one answer.";
        let what = What::Lineage;
        object.add("pedigree", TypeRef::named(pedigree), what, doc).arg(
            "generations",
            TypeRef::named(TypeRef::INT),
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
        let int = || TypeRef::named_nn(TypeRef::INT);
        let whole = format!("{}_Timeline", names.one);
        let (event, choice) = (format!("{whole}_Event"), format!("{whole}_collection"));
        self.options(&choice, kinds, "Collections of events.");
        let page = self.object(&whole, "A page of what happened, the latest first.");
        page.add("docs", list_of(&event), What::Rows, "The events.");
        let flag = TypeRef::named_nn(TypeRef::BOOLEAN);
        page.add("hasNextPage", flag, What::Value, "Whether a page follows.");
        page.add("limit", int(), What::Value, "Events of a page.");
        page.add("page", int(), What::Value, "The page, from 1.");
        let one = self.object(&event, "Something that happened: one of its records is not null.");
        let date = TypeRef::named_nn(DATE_TIME);
        one.add("date", date, What::Value, "When it happened.");
        let of = TypeRef::named_nn(&*choice);
        let what = What::Choice(kinds);
        one.add("collection", of, what, "The collection of its record.");
        one.add("id", int(), What::Value, "Its record.");
        for events in registry.events_of(c) {
            let of = Names::of(events.slug).one;
            let doc = format!("The record, of {}.", events.plural);
            let name = words_below(&of);
            let field = one.add(&name, TypeRef::named(of), What::One, doc);
            field.key = events.slug.to_owned();
        }
        let day = || TypeRef::named(DATE_TIME);
        let doc = "What happened, over all collections of events.";
        object
            .add("timeline", TypeRef::named(whole), What::Timeline(kinds), doc)
            .arg("collections", TypeRef::named_nn_list(choice), "Which events; all unless given.")
            .arg("from", day(), "Not before.")
            .arg("to", day(), "Not after.")
            .arg("limit", TypeRef::named(TypeRef::INT), "Events of a page: 1 to 1000, 25 unless given.")
            .arg("page", TypeRef::named(TypeRef::INT), "The page, from 1.");
    }

    fn page(&mut self, c: &'static Collection, names: &Names) {
        let int = || TypeRef::named_nn(TypeRef::INT);
        let maybe = || TypeRef::named(TypeRef::INT);
        let flag = || TypeRef::named_nn(TypeRef::BOOLEAN);
        let docs = || list_of(&names.one);
        let page = self.object(&names.many, format!("A page of {}.", c.plural));
        page.add("docs", docs(), What::Many, "The records.");
        for (name, ty, doc) in [
            ("hasNextPage", flag(), "Whether a page follows."),
            ("hasPrevPage", flag(), "Whether a page precedes."),
            ("limit", int(), "Records of a page; 0: all."),
            ("nextPage", maybe(), "The page that follows."),
            ("offset", maybe(), "Always null."),
            ("page", int(), "The page, from 1."),
            ("pagingCounter", int(), "Number of the first record of the page, from 1."),
            ("prevPage", maybe(), "The page that precedes."),
            ("totalDocs", int(), ALL),
            ("totalPages", int(), "Pages; at least 1."),
            (
                "endCursor",
                TypeRef::named(TypeRef::STRING),
                "A cursor for `after` that leads to the page that follows; null on the last one.",
            ),
        ] {
            page.add(name, ty, What::Value, doc);
        }
        let count = format!("count{}", names.many);
        let one = self.object(&count, format!("How many {} there are.", c.plural));
        one.add("totalDocs", int(), What::Value, ALL);
        if !(c.access.opens(Verb::Update) || c.access.opens(Verb::Delete)) {
            return;
        }
        let many = format!("{}_Many", names.many);
        let written = self.object(&many, format!("Result of a change of several {}.", c.plural));
        written.add("docs", docs(), What::Many, "Records that were written.");
        let doc = "Records that were not written, and why.";
        written.add("errors", list_of("WriteError"), What::Rows, doc);
        let text = TypeRef::named_nn(TypeRef::STRING);
        written.add("message", text, What::Value, "The result in one line.");
    }
}

/// A type's name as that of a field: `milkTest`.
fn words_below(name: &str) -> String {
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
        Kind::Int if id => TypeRef::INT,
        Kind::Int | Kind::Number => TypeRef::FLOAT,
        Kind::Bool => TypeRef::BOOLEAN,
        Kind::Day | Kind::Instant => DATE_TIME,
        Kind::Json => JSON,
        Kind::Email => EMAIL,
        _ => TypeRef::STRING,
    }
}
