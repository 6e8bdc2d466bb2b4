//! The permissions of a caller before a request is made (docs/dialect.md, *Permissions*), from
//! the same rules that decide later. Where a rule depends on the row, the answer for a
//! collection is the condition in the words of the dialect, and the answer for one row is yes or
//! nothing; a row that the caller does not see looks like one that does not exist.

use crate::Book;
use crate::access::{Decision, Gate};
use model::error::{Error, Result};
use model::query::{Cmp, Filter};
use model::record::{Value, time};
use model::registry::{Caller, Capability, Class, Collection, Field, Kind, Node, Principal, Rule, Verb, Writer};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use store::{Scan, Sql, Ty, condition};

/// The permissions of one collection, ready to be sent: `fields`, `create`, `read`,
/// `update`, `delete`, and `unlock` where people sign in; what is not allowed is absent.
pub type Permissions = Map<String, Json>;

const VERBS: [(&str, Verb); 4] =
    [("create", Verb::Create), ("read", Verb::Read), ("update", Verb::Update), ("delete", Verb::Delete)];

/// Classes that may hang on the row.
const CLASSES: [Class; 8] = [
    Class::Row,
    Class::Card,
    Class::Production,
    Class::Evaluation,
    Class::Genotype,
    Class::Owner,
    Class::Private,
    Class::SignedIn,
];

/// What the rules say of each operation and of each class of fields.
struct Rights {
    verbs: Vec<(&'static str, Verb, Filter)>,
    classes: Vec<(Class, Filter)>,
}

impl Book {
    pub fn permissions(&self, caller: &Principal, c: &'static Collection) -> Permissions {
        let gate = self.gate(caller);
        permissions_of(&gate, c, &Rights::new(&gate, c))
    }

    pub async fn row_permissions(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        id: i64,
    ) -> Result<Permissions> {
        let gate = self.gate(caller);
        let mut rights = Rights::new(&gate, c);
        let mut scan = Scan::new(self.store.dialect());
        let mut sql = Sql::new("SELECT ");
        for (place, filter) in rights.rows().enumerate() {
            sql.push(if place == 0 { "(" } else { ", (" });
            condition(&mut scan, &mut sql, c, "a", filter);
            sql.push(")");
        }
        sql.push(" FROM ").name(&c.table).push(" a WHERE a.\"id\" = ").bind(Ty::Int, id);
        let rows = self.store.rows(sql).await?;
        let row = rows.first();
        for (place, filter) in rights.rows_mut().enumerate() {
            let holds = row.is_some_and(|row| row.truth(place) == Some(true));
            *filter = if holds { Filter::True } else { Filter::False };
        }
        Ok(permissions_of(&gate, c, &rights))
    }

    /// The collection of a slug whose permissions are requested.
    pub fn declared(&self, slug: &str) -> Result<&'static Collection> {
        self.registry.get(slug).ok_or(Error::NotFound)
    }

    fn gate<'p>(&self, caller: &'p Principal) -> Gate<'p> {
        Gate { registry: self.registry, principal: caller, now: self.clock.now(), sizes: None }
    }
}

impl Rights {
    fn new(gate: &Gate<'_>, c: &'static Collection) -> Self {
        let verbs = VERBS.map(|(name, verb)| (name, verb, gate.may(c, verb)));
        let classes = CLASSES.map(|class| (class, gate.sees(c, class)));
        Self { verbs: verbs.into(), classes: classes.into() }
    }

    /// The conditions on existing rows.
    fn rows(&self) -> impl Iterator<Item = &Filter> {
        self.verbs.iter().filter(|v| v.1 != Verb::Create).map(|v| &v.2).chain(self.classes.iter().map(|c| &c.1))
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Filter> {
        let verbs = self.verbs.iter_mut().filter(|v| v.1 != Verb::Create);
        let classes = self.classes.iter_mut().map(|c| &mut c.1);
        verbs.map(|v| &mut v.2).chain(classes)
    }

    fn may(&self, verb: Verb) -> bool {
        self.verbs.iter().find(|v| v.1 == verb).is_some_and(|v| !matches!(v.2, Filter::False))
    }

    fn sees(&self, class: Class) -> bool {
        let entry = self.classes.iter().find(|c| c.0 == class);
        self.may(Verb::Read) && entry.is_some_and(|c| !matches!(c.1, Filter::False))
    }
}

impl Gate<'_> {
    /// The rows with which the caller may do something; [`Filter::False`]: none. What the
    /// rules demand of the row to be written besides is not said here.
    pub(crate) fn may(&self, c: &'static Collection, verb: Verb) -> Filter {
        if verb == Verb::Read {
            return match self.read(c) {
                Decision::Deny => Filter::False,
                Decision::Rows(filter) => filter,
            };
        }
        let all = |yes: bool| if yes { Filter::True } else { Filter::False };
        let p = self.principal;
        if p.key.is_some() && c.is_keyless(verb) {
            return Filter::False;
        }
        let signed = p.caller != Caller::Anonymous;
        let subjects = || match verb {
            // A new row has no subject yet: that of its maker will do.
            Verb::Create => all(p.organization.is_some() || p.user.is_some()),
            _ => self.write_subjects(c),
        };
        let rule = match c.access.rule(verb) {
            _ if p.caller == Caller::System => Filter::True,
            Rule::Any => Filter::True,
            Rule::Signed => all(signed && (p.sees_all() || !p.capabilities.is_empty())),
            Rule::Assoc => all(p.sees_all()),
            Rule::Admin => all(p.admin),
            Rule::Nobody | Rule::Book | Rule::Event { .. } | Rule::Open(_) => Filter::False,
            Rule::SelfRow if p.admin => Filter::True,
            Rule::SelfRow if verb == Verb::Create || !signed => Filter::False,
            Rule::SelfRow if p.sees_all() => p.user.map_or(Filter::False, |me| Filter::eq(model::registry::ID, me)),
            Rule::SelfRow => self.self_row(c),
            Rule::Author if verb == Verb::Create => all(signed),
            Rule::Author if signed => self.authored(c),
            Rule::Author => Filter::False,
            Rule::Farm if p.sees_all() => Filter::True,
            Rule::Farm if signed => subjects(),
            Rule::Own(_) if p.sees_all() => Filter::True,
            Rule::Own(capability) if signed && p.can(*capability) => subjects(),
            Rule::Farm | Rule::Own(_) => Filter::False,
        };
        let viewer = p.capabilities.is_empty() && !p.sees_all();
        let allowed =
            (c.access.allowances.iter()).filter(|a| a.verb == verb && signed && !viewer).map(|a| self.allowed(c, a));
        Filter::or(std::iter::once(rule).chain(allowed))
    }

    fn allowed(&self, c: &'static Collection, a: &model::registry::Allowance) -> Filter {
        const HOUR: i64 = 3_600_000;
        let young = a.days.map_or(Filter::True, |days| {
            let since = self.now.saturating_sub(days.saturating_mul(24 * HOUR));
            // At full hours, so that the same rights have the same words.
            Filter::Cmp(c.created_slot(), Cmp::Ge(Value::Time(since.div_euclid(HOUR).saturating_mul(HOUR))))
        });
        Filter::and([self.writes(c, &[a.who]), young, self.fulfils(c, a)])
    }

    /// my ∈ S→. The organisation that first named another one may write it only while that one
    /// does not take part in the book (`presence` is `referenced`).
    fn writes(&self, c: &'static Collection, paths: &[&str]) -> Filter {
        Filter::or(paths.iter().map(|path| {
            let mine = self.subject(c, &[path]);
            if *path != "referencedBy" || c.slot("presence").is_none() {
                return mine;
            }
            Filter::and([mine, self.at(c, "presence", Cmp::Eq("referenced".into()))])
        }))
    }

    /// Whether the caller may send a field at all.
    fn sends(&self, field: &Field) -> bool {
        let p = self.principal;
        match field.writer {
            Writer::Anyone => true,
            Writer::Association => p.sees_all(),
            Writer::Team => p.can(Capability::Team),
            Writer::Admin => p.admin,
            Writer::Server => false,
        }
    }
}

fn permissions_of(gate: &Gate<'_>, c: &'static Collection, rights: &Rights) -> Permissions {
    let mut all = Permissions::new();
    let fields = nodes(gate, c, rights, &c.layout);
    if !fields.is_empty() {
        all.insert("fields".to_owned(), fields.into());
    }
    for (name, _, filter) in &rights.verbs {
        match filter {
            Filter::False => {}
            Filter::True => {
                all.insert((*name).to_owned(), true.into());
            }
            filter => {
                let permission = match condition_of(c, filter, "") {
                    Some(condition) => json!({"permission": true, "where": condition}),
                    None => json!({"permission": true}),
                };
                all.insert((*name).to_owned(), permission);
            }
        }
    }
    let p = gate.principal;
    let unlocks = p.sees_all() || (p.caller == Caller::Farm && p.can(Capability::Team));
    if c.auth && unlocks {
        all.insert("unlock".to_owned(), true.into());
    }
    all
}

fn nodes(gate: &Gate<'_>, c: &Collection, rights: &Rights, nodes: &[Node]) -> Map<String, Json> {
    let mut all = Map::new();
    for node in nodes {
        match node {
            Node::Leaf(slot) => {
                let Some(field) = c.fields.get(*slot) else { continue };
                let mut one = field_of(gate, c, rights, field);
                if one.is_empty() {
                    continue;
                }
                if let Kind::Rows(subs) = &field.kind {
                    let inner: Map<String, Json> =
                        (subs.iter()).map(|sub| (sub.name().to_owned(), one.clone().into())).collect();
                    one.insert("fields".to_owned(), inner.into());
                }
                all.insert(field.name().to_owned(), one.into());
            }
            Node::Group(name, inner) => {
                let inner = self::nodes(gate, c, rights, inner);
                if inner.is_empty() {
                    continue;
                }
                let mut one = Map::new();
                for verb in ["create", "read", "update"] {
                    if inner.values().any(|field| field.get(verb).is_some()) {
                        one.insert(verb.to_owned(), true.into());
                    }
                }
                one.insert("fields".to_owned(), inner.into());
                all.insert(name.clone(), one.into());
            }
        }
    }
    all
}

fn field_of(gate: &Gate<'_>, c: &Collection, rights: &Rights, field: &Field) -> Map<String, Json> {
    let password = field.kind == Kind::Password;
    let hidden = field.class == Class::Hidden;
    let closed_to_keys = gate.principal.key.is_some() && c.is_closed_to_keys(field);
    let sends = gate.sends(field) && (password || !hidden) && !closed_to_keys;
    // Some moves of the server's fields are the Association's.
    let moves = !hidden
        && !closed_to_keys
        && (gate.principal.caller == Caller::Association)
        && c.slot(&field.path).is_some_and(|slot| c.moved_by_association(slot));
    let may = [
        ("create", sends && rights.may(Verb::Create)),
        ("read", !hidden && rights.sees(field.class)),
        ("update", (moves || sends && !field.once) && rights.may(Verb::Update)),
    ];
    may.into_iter().filter(|(_, may)| *may).map(|(verb, _)| (verb.to_owned(), true.into())).collect()
}

/// A condition as clients write it, below a path of relations; none when the dialect has no words
/// for it, or when it is about a hidden field.
fn condition_of(c: &'static Collection, filter: &Filter, prefix: &str) -> Option<Json> {
    let list =
        |parts: &[Filter]| -> Option<Vec<Json>> { parts.iter().map(|part| condition_of(c, part, prefix)).collect() };
    let field = |slot: &usize| c.fields.get(*slot).filter(|f| f.class != Class::Hidden);
    Some(match filter {
        Filter::True => json!({}),
        Filter::False => json!({"id": {"exists": false}}),
        Filter::And(parts) => json!({"and": list(parts)?}),
        Filter::Or(parts) => json!({"or": list(parts)?}),
        Filter::Cmp(slot, cmp) => {
            let hidden = c.fields.get(*slot).filter(|f| f.class == Class::Hidden);
            let path = match hidden.and_then(|f| f.through) {
                Some(through) => format!("{}.{}", through.relation, through.field),
                None => field(slot)?.path.clone(),
            };
            json!({format!("{prefix}{path}"): compared(cmp)})
        }
        Filter::Via(slot, target, inner) => {
            let path = &field(slot)?.path;
            condition_of(target, inner, &format!("{prefix}{path}."))?
        }
        Filter::Not(_) | Filter::Among(..) | Filter::Backed(..) | Filter::Element(..) | Filter::Join(..) => {
            return None;
        }
    })
}

fn compared(cmp: &Cmp) -> Json {
    let (operator, value) = match cmp {
        Cmp::Null => ("exists", false.into()),
        Cmp::Eq(value) => ("equals", plain(value)),
        Cmp::In(values) => ("in", values.iter().map(plain).collect()),
        Cmp::Lt(value) => ("less_than", plain(value)),
        Cmp::Le(value) => ("less_than_equal", plain(value)),
        Cmp::Gt(value) => ("greater_than", plain(value)),
        Cmp::Ge(value) => ("greater_than_equal", plain(value)),
        Cmp::Words(words) => ("like", words.join(" ").into()),
        Cmp::Has(value) => ("contains", plain(value)),
    };
    json!({operator: value})
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Bool(yes) => (*yes).into(),
        Value::Int(n) => (*n).into(),
        Value::Num(n) => (*n).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Time(ms) => time::to_iso(*ms).into(),
        Value::Ids(ids) => ids.clone().into(),
        Value::Texts(texts) => texts.clone().into(),
        Value::Json(json) => (**json).clone(),
        Value::Null => Json::Null,
    }
}
