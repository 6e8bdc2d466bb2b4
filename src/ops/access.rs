//! The rules of the model, section 2, turned into deny or a filter. One function serves
//! every face.

use crate::query::{Cmp, Filter};
use crate::record::Value;
use crate::registry::{
    Caller, Capability, Class, Collection, ID, Principal, Registry, Rule, Scope,
};

/// What a rule answers before any row is looked at.
#[derive(Debug, Clone)]
pub enum Decision {
    /// Refused outright: 403, lists too.
    Deny,
    /// Rows that fulfil this; [`Filter::True`] means all.
    Rows(Filter),
}

/// Decides over a caller at a time.
#[derive(Debug, Clone, Copy)]
pub struct Gate<'a> {
    /// All declarations.
    pub registry: &'static Registry,
    /// Who calls.
    pub principal: &'a Principal,
    /// Now, for the ends of grants.
    pub now: i64,
}

impl Gate<'_> {
    /// Which rows of a collection the caller may read.
    pub fn read(&self, c: &'static Collection) -> Decision {
        let p = self.principal;
        if p.caller == Caller::System {
            return Decision::Rows(Filter::True);
        }
        let signed = p.caller != Caller::Anonymous;
        let flat = |yes: bool| {
            if yes {
                Decision::Rows(Filter::True)
            } else {
                Decision::Deny
            }
        };
        match &c.access.read {
            Rule::Any => flat(true),
            Rule::Signed => flat(signed),
            Rule::Assoc => flat(p.sees_all()),
            Rule::Admin => flat(p.admin),
            Rule::Nobody | Rule::Own(_) => Decision::Deny,
            Rule::SelfRow if !signed => Decision::Deny,
            Rule::SelfRow => Decision::Rows(self.self_row(c)),
            Rule::Author if !signed => Decision::Deny,
            Rule::Author => Decision::Rows(self.author(c)),
            Rule::Book => Decision::Rows(self.book(c)),
            Rule::Event { card: false, .. } if !signed => Decision::Deny,
            Rule::Event { scope, card } => Decision::Rows(self.event(c, *scope, *card)),
            Rule::Farm if !signed => Decision::Deny,
            Rule::Farm if p.sees_all() => flat(true),
            Rule::Farm => Decision::Rows(self.subject(c, &c.access.subjects)),
            Rule::Open(_) if p.sees_all() => flat(true),
            Rule::Open(flag) => Decision::Rows(Filter::or([
                self.at(c, flag, Cmp::Eq(Value::Bool(true))),
                self.subject(c, &c.access.subjects),
            ])),
        }
    }

    /// The same as a condition: what is denied outright is no row.
    pub fn readable(&self, c: &'static Collection) -> Filter {
        match self.read(c) {
            Decision::Deny => Filter::False,
            Decision::Rows(filter) => filter,
        }
    }

    /// On which of the rows that the caller reads he sees fields of a class.
    pub fn sees(&self, c: &'static Collection, class: Class) -> Filter {
        let p = self.principal;
        if class == Class::Hidden {
            return Filter::False;
        }
        if p.sees_all() || class == Class::Row {
            return Filter::True;
        }
        match class {
            Class::SignedIn if p.caller == Caller::Anonymous => Filter::False,
            Class::SignedIn => Filter::True,
            Class::Private => self.subject(c, &c.access.subjects),
            Class::Owner => self.own(c),
            Class::Card => Filter::or([
                self.own(c),
                self.past(c),
                self.card(c),
                self.granted(c, Scope::Origin),
            ]),
            Class::Production => self.figures(c, Scope::Production),
            Class::Evaluation => self.figures(c, Scope::Evaluation),
            // Consents are a collection of their own; until one exists nobody has one.
            Class::Genotype => self.own(c),
            Class::Row | Class::Hidden => Filter::True,
        }
    }

    fn figures(&self, c: &'static Collection, scope: Scope) -> Filter {
        Filter::or([self.own(c), self.card(c), self.granted(c, scope)])
    }

    fn self_row(&self, c: &'static Collection) -> Filter {
        let p = self.principal;
        if p.sees_all() {
            return Filter::True;
        }
        let mine = p.user.map_or(Filter::False, |u| Filter::eq(ID, u));
        let team = match p.organization {
            Some(my) if p.can(Capability::Team) => self.at(c, "organization", eq(my)),
            _ => Filter::False,
        };
        Filter::or([mine, team])
    }

    fn author(&self, c: &'static Collection) -> Filter {
        let p = self.principal;
        let mine = p
            .user
            .map_or(Filter::False, |u| self.at(c, "author", eq(u)));
        let shared = self.at(c, "scope", Cmp::Eq("organization".into()));
        let among = match (p.sees_all(), p.organization) {
            (true, _) => Filter::True,
            (false, Some(my)) => self.at(c, "organization", eq(my)),
            (false, None) => Filter::False,
        };
        Filter::or([mine, Filter::and([shared, among])])
    }

    /// BOOK, on animals.
    fn book(&self, c: &'static Collection) -> Filter {
        if self.principal.sees_all() {
            return Filter::True;
        }
        Filter::or([
            self.public(c),
            self.own(c),
            self.past(c),
            self.granted(c, Scope::Any),
        ])
    }

    /// EVENT(s), on rows about an animal.
    fn event(&self, c: &'static Collection, scope: Scope, card: bool) -> Filter {
        if self.principal.sees_all() {
            return Filter::True;
        }
        let animal = c.animal.and_then(|path| {
            let slot = c.slot(path)?;
            let target = c.fields.get(slot)?.target()?;
            Some((slot, self.registry.get(target)?))
        });
        let of_animal = animal.map_or(Filter::False, |(slot, animals)| {
            let opened = if card {
                self.card(animals)
            } else {
                Filter::False
            };
            let inner = Filter::or([self.own(animals), self.granted(animals, scope), opened]);
            Filter::via(slot, animals, inner)
        });
        Filter::or([of_animal, self.subject(c, &c.access.subjects)])
    }

    /// own(a)
    fn own(&self, animals: &'static Collection) -> Filter {
        let path = if animals.slot("owner").is_some() {
            "owner"
        } else {
            "animal.owner"
        };
        (self.principal.organization).map_or(Filter::False, |my| self.at(animals, path, eq(my)))
    }
    /// past(a)
    fn past(&self, animals: &'static Collection) -> Filter {
        match (self.principal.organization, animals.slot("pastOwners")) {
            (Some(my), Some(slot)) => Filter::Cmp(slot, Cmp::Has(Value::Int(my))),
            _ => Filter::False,
        }
    }
    /// pub(a)
    fn public(&self, animals: &'static Collection) -> Filter {
        self.at(animals, "publicVisible", Cmp::Eq(Value::Bool(true)))
    }
    /// card(a)
    fn card(&self, animals: &'static Collection) -> Filter {
        Filter::and([
            self.public(animals),
            self.at(animals, "publicDetails", Cmp::Eq(Value::Bool(true))),
        ])
    }
    /// grant(a, s)
    fn granted(&self, animals: &'static Collection, scope: Scope) -> Filter {
        let Some(owner) = animals.slot("owner") else {
            return Filter::False;
        };
        let live = (self.principal.grants.iter()).filter(|g| g.opens(scope, self.now));
        let (whole, single): (Vec<_>, Vec<_>) = live.partition(|g| g.animal.is_none());
        let whole = whole.iter().map(|g| Value::Int(g.owner)).collect();
        let single = single.iter().map(|g| {
            let id = g.animal.map_or(Filter::False, |a| Filter::eq(ID, a));
            Filter::and([id, Filter::eq(owner, g.owner)])
        });
        Filter::or(std::iter::once(Filter::any_of(owner, whole)).chain(single))
    }

    /// my (or me, for users) ∈ S
    fn subject(&self, c: &'static Collection, paths: &[&str]) -> Filter {
        Filter::or(paths.iter().map(|path| {
            let id = if self.names_user(c, path) {
                self.principal.user
            } else {
                self.principal.organization
            };
            id.map_or(Filter::False, |id| self.at(c, path, eq(id)))
        }))
    }

    /// Whether a subject path ends at a user.
    pub(super) fn names_user(&self, c: &Collection, path: &str) -> bool {
        match path.split_once('.') {
            None if path == "id" => c.auth,
            None => (c.field(path).and_then(|f| f.target()))
                .and_then(|t| self.registry.get(t))
                .is_some_and(|t| t.auth),
            Some((head, rest)) => (c.field(head).and_then(|f| f.target()))
                .and_then(|t| self.registry.get(t))
                .is_some_and(|t| self.names_user(t, rest)),
        }
    }

    /// A comparison at a path of relations; a path that is not declared fits no row.
    pub fn at(&self, c: &'static Collection, path: &str, cmp: Cmp) -> Filter {
        if let Some(slot) = c.slot(path) {
            return Filter::Cmp(slot, cmp);
        }
        let hop = path.split_once('.').and_then(|(head, rest)| {
            let slot = c.slot(head)?;
            let target = self.registry.get(c.fields.get(slot)?.target()?)?;
            Some(Filter::via(slot, target, self.at(target, rest, cmp)))
        });
        hop.unwrap_or(Filter::False)
    }
}

fn eq(id: i64) -> Cmp {
    Cmp::Eq(Value::Int(id))
}
