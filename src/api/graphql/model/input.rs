//! Input types: conditions and bodies.

use super::super::name::{Names, plain};
use super::output::{DATE_TIME, JSON, is_readable, spellings};
use super::{Input, InputField, Model, below};
use model::registry::{Class, Collection, Field, ID, Kind, Node, Registry, Verb, Writer};

/// What marks a condition on related records.
pub(in super::super) const RELATED: &str = "__where";

/// A field that can be queried, with its path in names of the face: `position__barn`.
struct QueryableField {
    path: String,
    field: &'static Field,
    id: bool,
}

impl Model {
    /// `Animal_where` and what it is made of.
    pub(super) fn conditions(&mut self, registry: &'static Registry, c: &'static Collection, names: &Names) {
        let one = &names.one;
        let mut fields = Vec::new();
        for field in queryable_fields(c) {
            self.condition(registry, one, &field, &mut fields);
        }
        for join in &c.joins {
            if let Some(target) = registry.get(join.collection) {
                let doc = format!("On one of the {} that point here.", target.plural);
                fields.push(related(join.name, target, &doc));
            }
        }
        for (word, doc) in [("AND", "All of these."), ("OR", "At least one of these.")] {
            let ty = format!("[{one}_where_{}]", word.to_lowercase());
            fields.push(InputField::new(word, &ty, doc));
        }
        for word in ["_and", "_or"] {
            // The dialect has a type for each of these, with the same fields.
            let bare = fields.iter();
            let bare = bare.map(|f| InputField { name: f.name.clone(), ty: f.ty.clone(), doc: String::new() });
            let input = Input { doc: format!("The same as {one}_where."), fields: bare.collect() };
            self.inputs.insert(format!("{one}_where{word}"), input);
        }
        let doc = format!("A condition on {}; all its parts must hold.", c.plural);
        self.inputs.insert(format!("{one}_where"), Input { doc, fields });
    }

    fn condition(
        &mut self,
        registry: &'static Registry,
        one: &str,
        QueryableField { path, field, id }: &QueryableField,
        fields: &mut Vec<InputField>,
    ) {
        let Some(sort) = Sort::of(&field.kind, *id) else {
            return;
        };
        let value = match &field.kind {
            Kind::Select(options) | Kind::Selects(options) => {
                let name = format!("{one}_{path}_Input");
                self.options(&name, options, field.doc);
                name
            }
            _ => sort.value().to_owned(),
        };
        let words = sort.words().iter().map(|word| {
            let ty = match *word {
                "exists" => "Boolean".to_owned(),
                "in" | "not_in" | "all" => format!("[{value}]"),
                _ => value.clone(),
            };
            InputField::new(*word, &ty, "")
        });
        let input = Input { doc: String::new(), fields: words.collect() };
        let name = format!("{one}_{path}_operator");
        fields.push(InputField::new(&**path, &name, field.doc));
        self.inputs.insert(name, input);
        let Some(target) = field.target().and_then(|slug| registry.get(slug)) else {
            return;
        };
        let doc = format!("On the related {}.", target.singular);
        fields.push(related(path, target, &doc));
    }

    /// Of those that some operation takes: `mutationAnimalInput` and `mutationAnimalUpdateInput`.
    pub(super) fn bodies(&mut self, c: &'static Collection, names: &Names) {
        let update = format!("{}Update", names.one);
        let (makes, changes) = (makes(c), c.access.opens(Verb::Update));
        for (parent, whole, used) in [
            (&names.one, true, makes),
            // Copies take one too.
            (&update, false, makes || changes),
        ] {
            if !used {
                continue;
            }
            let fields = self.body(c, parent, &c.layout, whole);
            let doc = match whole {
                true => format!("A new record of {}.", c.plural),
                false => format!("Changes of a record of {}; the rest stays.", c.plural),
            };
            self.inputs.insert(body(parent), Input { doc, fields });
        }
    }

    fn body(&mut self, c: &'static Collection, parent: &str, nodes: &'static [Node], whole: bool) -> Vec<InputField> {
        let mut fields = Vec::new();
        for node in nodes {
            match node {
                Node::Leaf(ID) => {}
                Node::Leaf(slot) => {
                    let Some(field) = c.fields.get(*slot).filter(|f| is_taken(f)) else {
                        continue;
                    };
                    // It may come under its other name, or its group may be left out.
                    let alone = spellings(c, field).nth(1).is_none() && !field.path.contains('.');
                    for name in spellings(c, field) {
                        let required = whole && alone && field.must_come();
                        fields.push(self.taken(parent, field, name, (required, whole)));
                    }
                }
                Node::Group(name, inner) => {
                    let group = below(parent, name);
                    let members = self.body(c, &group, inner, whole);
                    if members.is_empty() {
                        continue;
                    }
                    let input = Input { doc: String::new(), fields: members };
                    self.inputs.insert(body(&group), input);
                    fields.push(InputField::new(plain(name), &body(&group), ""));
                }
            }
        }
        fields
    }

    fn taken(
        &mut self,
        parent: &str,
        field: &'static Field,
        name: &str,
        (required, whole): (bool, bool),
    ) -> InputField {
        let (inner, list) = match &field.kind {
            Kind::Rows(subs) => {
                let rows = below(parent, field.name());
                let mut members = vec![InputField::new("id", "String", "Key of the row in its list.")];
                for sub in subs {
                    let must = whole && sub.must_come();
                    members.push(self.taken(&rows, sub, sub.name(), (must, whole)));
                }
                let input = Input { doc: String::new(), fields: members };
                self.inputs.insert(body(&rows), input);
                (body(&rows), true)
            }
            Kind::Select(options) | Kind::Selects(options) => {
                let name = format!("{parent}_{}_MutationInput", plain(field.name()));
                self.options(&name, options, field.doc);
                (name, matches!(field.kind, Kind::Selects(_)))
            }
            Kind::Relations(_) => ("Int".to_owned(), true),
            Kind::Texts(_) => ("String".to_owned(), true),
            Kind::Relation(_) => ("Int".to_owned(), false),
            Kind::Int | Kind::Number => ("Float".to_owned(), false),
            Kind::Bool => ("Boolean".to_owned(), false),
            Kind::Json => (JSON.to_owned(), false),
            _ => ("String".to_owned(), false),
        };
        let ty = if list { format!("[{inner}]") } else { inner };
        let ty = if required { format!("{ty}!") } else { ty };
        InputField::new(plain(name), &ty, field.doc)
    }
}

fn queryable_fields(c: &'static Collection) -> Vec<QueryableField> {
    fn walk(c: &'static Collection, prefix: &str, nodes: &'static [Node], all: &mut Vec<QueryableField>) {
        for node in nodes {
            match node {
                Node::Group(name, inner) => {
                    walk(c, &format!("{prefix}{}__", plain(name)), inner, all);
                }
                Node::Leaf(slot) => {
                    let Some(field) = c.fields.get(*slot).filter(|f| f.class != Class::Hidden) else {
                        continue;
                    };
                    for name in spellings(c, field) {
                        let path = format!("{prefix}{}", plain(name));
                        let of = |sub: &'static Field| QueryableField {
                            path: format!("{path}__{}", plain(sub.name())),
                            field: sub,
                            id: false,
                        };
                        if let Kind::Rows(subs) = &field.kind {
                            all.extend(subs.iter().map(of));
                            continue;
                        }
                        let id = *slot == ID;
                        all.push(QueryableField { path, field, id });
                    }
                }
            }
        }
    }
    let mut all = Vec::new();
    walk(c, "", &c.layout, &mut all);
    all
}

fn related(path: &str, target: &'static Collection, doc: &str) -> InputField {
    InputField::new(format!("{path}{RELATED}"), &format!("{}_where", Names::of(target.slug).one), doc)
}

pub(super) fn body(parent: &str) -> String {
    format!("mutation{parent}Input")
}

/// Whether a body may have the field. Fields of the server are ignored, as in REST, and offered
/// nevertheless, since clients send documents back as they got them.
fn is_taken(field: &Field) -> bool {
    match field.kind {
        Kind::Password => field.writer != Writer::Server,
        _ => is_readable(field),
    }
}

/// The type in which values are queried.
#[derive(Clone, Copy)]
enum Sort {
    Text,
    Id,
    Number,
    Time,
    Truth,
    Choice,
    Related,
    Opaque,
}

impl Sort {
    fn of(kind: &Kind, id: bool) -> Option<Self> {
        Some(match kind {
            Kind::Int if id => Self::Id,
            Kind::Int | Kind::Number => Self::Number,
            Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Texts(_) => Self::Text,
            Kind::Day | Kind::Instant => Self::Time,
            Kind::Bool => Self::Truth,
            Kind::Select(_) | Kind::Selects(_) => Self::Choice,
            Kind::Relation(_) | Kind::Relations(_) => Self::Related,
            Kind::Json => Self::Opaque,
            Kind::Password | Kind::Rows(_) => return None,
        })
    }

    fn value(self) -> &'static str {
        match self {
            Self::Id => "Int",
            Self::Number => "Float",
            Self::Time => DATE_TIME,
            Self::Truth => "Boolean",
            Self::Related | Self::Opaque => JSON,
            Self::Text | Self::Choice => "String",
        }
    }

    fn words(self) -> &'static [&'static str] {
        const EQUAL: [&str; 2] = ["equals", "not_equals"];
        match self {
            Self::Text => &[EQUAL[0], EQUAL[1], "like", "contains", "in", "not_in", "all", "exists"],
            Self::Id | Self::Number => &[
                EQUAL[0],
                EQUAL[1],
                "greater_than_equal",
                "greater_than",
                "less_than_equal",
                "less_than",
                "in",
                "not_in",
                "exists",
            ],
            Self::Time => &[
                EQUAL[0],
                EQUAL[1],
                "greater_than_equal",
                "greater_than",
                "less_than_equal",
                "less_than",
                "like",
                "exists",
            ],
            Self::Truth => &[EQUAL[0], EQUAL[1], "exists"],
            Self::Choice | Self::Related => &[EQUAL[0], EQUAL[1], "in", "not_in", "all", "exists"],
            Self::Opaque => &["exists"],
        }
    }
}

/// Whether records of a collection can be made here: files cannot, they come by REST.
pub(super) fn makes(c: &Collection) -> bool {
    c.upload.is_none() && c.access.opens(Verb::Create)
}
