//! The rules of access (docs/design/access.md, *Access*), turned into deny or a filter. One function serves every face.

pub(crate) mod permissions;
mod write;

use model::query::{Cmp, Filter, Pointing};
use model::record::Value;
use model::registry::{
    Caller, Capability, Class, Collection, Demand, ID, Join, OPENNESS, Principal, Registry, Rule, Scope, Verb,
};
use store::{Sizes, versions};

/// The answer of a rule before any row is read.
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
    pub registry: &'static Registry,
    pub principal: &'a Principal,
    /// The present time, for the expiry of grants.
    pub now: i64,
    /// Sizes of tables; none where they are not needed.
    pub sizes: Option<&'a Sizes>,
}

impl Gate<'_> {
    /// The rows of a collection that the caller may read.
    pub fn read(&self, c: &'static Collection) -> Decision {
        match self.opened(c) {
            Decision::Rows(rows) if !self.principal.sees_all() => {
                let demands = c.access.demands.iter().map(|d| self.meets(c, d));
                let own =
                    c.access.only_of.map(|path| Filter::or([self.at(c, path, Cmp::Null), self.subject(c, &[path])]));
                Decision::Rows(Filter::and(std::iter::once(rows).chain(demands).chain(own)))
            }
            decision => decision,
        }
    }

    /// The rows that the read rule opens.
    fn opened(&self, c: &'static Collection) -> Decision {
        let p = self.principal;
        if p.caller == Caller::System {
            return Decision::Rows(Filter::True);
        }
        let signed = p.caller != Caller::Anonymous;
        let flat = |yes: bool| {
            if yes { Decision::Rows(Filter::True) } else { Decision::Deny }
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
            Rule::Author => Decision::Rows(self.author(c, Filter::True)),
            Rule::Book => Decision::Rows(self.book(c)),
            Rule::Event { card: false, .. } if !signed => Decision::Deny,
            Rule::Event { scope, card } => Decision::Rows(self.event(c, *scope, *card)),
            Rule::Farm if !signed => Decision::Deny,
            Rule::Farm if p.sees_all() => flat(true),
            Rule::Farm => Decision::Rows(self.subject(c, &c.access.subjects)),
            Rule::Open(_) if p.sees_all() => flat(true),
            Rule::Open(flag) => Decision::Rows(Filter::or([self.flag(c, flag), self.subject(c, &c.access.subjects)])),
        }
    }

    /// Whether there may be a row that the caller can write in this way; checked before costly work.
    pub fn may_try(&self, c: &Collection, verb: Verb) -> bool {
        let p = self.principal;
        let signed = p.caller != Caller::Anonymous;
        let by_rule = match c.access.rule(verb) {
            _ if p.caller == Caller::System => true,
            Rule::Any => true,
            Rule::Nobody | Rule::Book | Rule::Event { .. } | Rule::Open(_) => false,
            Rule::Assoc => p.sees_all(),
            Rule::Admin => p.admin,
            Rule::Signed | Rule::SelfRow | Rule::Author | Rule::Farm => signed,
            Rule::Own(capability) => signed && p.can(*capability),
        };
        by_rule || (signed && c.access.allowances.iter().any(|a| a.verb == verb))
    }

    /// The read rule as a condition; if the collection is closed, it fits no row.
    pub fn readable(&self, c: &'static Collection) -> Filter {
        match self.read(c) {
            Decision::Deny => Filter::False,
            Decision::Rows(filter) => filter,
        }
    }

    /// The rows that a join leads to: the condition by which they point here, as far as the caller may see that, and
    /// the condition under which the caller may read them. None if there can be no such row.
    pub fn pointing(&self, join: &Join) -> Option<(Pointing, Filter)> {
        let from = self.registry.get(join.collection)?;
        let readable = self.readable(from);
        let on = join.on.iter().filter_map(|path| {
            let slot = from.slot(path)?;
            let visible = self.sees(from, from.fields.get(slot)?.class);
            (!matches!(visible, Filter::False)).then_some((slot, visible))
        });
        let on: Vec<_> = on.collect();
        let open = !on.is_empty() && !matches!(readable, Filter::False);
        open.then_some((Pointing { from, on }, readable))
    }

    /// The rows, among those that the caller may read, on which the caller sees fields of a class.
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
            Class::Card => Filter::or([self.own(c), self.past(c), self.card(c), self.granted(c, Scope::Origin)]),
            Class::Production => self.figures(c, Scope::Production),
            Class::Evaluation => self.figures(c, Scope::Evaluation),
            Class::Genotype => {
                Filter::or([self.own(c), self.consented(c), Filter::and([self.card(c), self.published(c)])])
            }
            Class::Row | Class::Hidden => Filter::True,
        }
    }

    fn figures(&self, c: &'static Collection, scope: Scope) -> Filter {
        Filter::or([self.own(c), self.card(c), self.granted(c, scope)])
    }

    pub(super) fn self_row(&self, c: &'static Collection) -> Filter {
        match self.principal.sees_all() {
            true => Filter::True,
            false => self.self_or_team(c, self.principal.can(Capability::Team)),
        }
    }

    /// The row of the caller, and with `team` those of its organisation.
    pub(super) fn self_or_team(&self, c: &'static Collection, team: bool) -> Filter {
        let mine = self.principal.user.map_or(Filter::False, |me| Filter::eq(ID, me));
        let my = self.principal.organization.filter(|_| team);
        Filter::or([mine, my.map_or(Filter::False, |my| self.at(c, "organization", eq(my)))])
    }

    /// Rows of the caller, and those that its organisation shares, as far as these fulfil a condition.
    pub(super) fn author(&self, c: &'static Collection, of_shared: Filter) -> Filter {
        let p = self.principal;
        let mine = p.user.map_or(Filter::False, |u| self.at(c, "author", eq(u)));
        let among = match (p.sees_all(), p.organization) {
            (true, _) => Filter::True,
            (false, Some(my)) => self.at(c, "organization", eq(my)),
            (false, None) => Filter::False,
        };
        Filter::or([mine, Filter::and([of_shared, self.at(c, "scope", Cmp::Eq("organization".into())), among])])
    }

    /// BOOK, on animals.
    fn book(&self, c: &'static Collection) -> Filter {
        if self.principal.sees_all() {
            return Filter::True;
        }
        Filter::or([self.public(c), self.own(c), self.past(c), self.granted(c, Scope::Any)])
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
            let opened = if card { self.card(animals) } else { Filter::False };
            let always = [self.own(animals), self.granted(animals, scope)];
            let Some(flag) = c.access.card_when else {
                return of_related(c, slot, animals, Filter::or(always.into_iter().chain([opened])));
            };
            let opened = Filter::and([self.flag(c, flag), of_related(c, slot, animals, opened)]);
            Filter::or([of_related(c, slot, animals, Filter::or(always)), opened])
        });
        let subject = self.subject(c, &c.access.subjects);
        let base = Filter::and([Filter::or([of_animal, subject.clone()]), self.classed(c)]);
        let Some((flag, class)) = c.access.guard else { return base };
        let classed =
            animal.map_or(Filter::False, |(slot, animals)| Filter::via(slot, animals, self.sees(animals, class)));
        Filter::and([base, Filter::or([self.flag(c, flag).negate(), subject, classed])])
    }

    /// Rows that have a field with the class of their content: the caller must see that class on their animal.
    fn classed(&self, c: &'static Collection) -> Filter {
        let Some(path) = c.access.row_class else { return Filter::True };
        let animal = c.animal.and_then(|path| c.slot(path));
        let target =
            (animal.and_then(|slot| c.fields.get(slot)?.target())).and_then(|target| self.registry.get(target));
        let (Some(animal), Some(target)) = (animal, target) else { return Filter::False };
        Filter::or(Class::LETTERS.iter().map(|(class, letter)| {
            let visible = match class {
                Class::Row => Filter::True,
                class => Filter::via(animal, target, self.sees(target, *class)),
            };
            Filter::and([self.at(c, path, Cmp::Eq((*letter).into())), visible])
        }))
    }

    /// own(a)
    fn own(&self, animals: &'static Collection) -> Filter {
        let path = if animals.slot("owner").is_some() { "owner" } else { "animal.owner" };
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
        self.at(animals, OPENNESS[0], Cmp::Eq(Value::Bool(true)))
    }
    /// card(a)
    fn card(&self, animals: &'static Collection) -> Filter {
        Filter::and([self.public(animals), self.at(animals, OPENNESS[1], Cmp::Eq(Value::Bool(true)))])
    }
    /// grant(a, s)
    fn granted(&self, animals: &'static Collection, scope: Scope) -> Filter {
        let live = (self.principal.grants.iter()).filter(|g| g.opens(scope, self.now));
        given(animals, live.map(|g| (g.owner, g.animal)))
    }

    /// consent(a, p) for the purposes that show genotypes to their grantee.
    fn consented(&self, animals: &'static Collection) -> Filter {
        let live = (self.principal.consents.iter()).filter(|c| c.shows(self.now));
        given(animals, live.map(|c| (c.owner, c.animal)))
    }

    /// consent(a, publication): to whomever it was given. A condition on the row rather
    /// than something known of the caller, since it may open any animal to anybody.
    fn published(&self, animals: &'static Collection) -> Filter {
        let consents = self.registry.get("genotype-consents");
        let (Some(owner), Some(consents)) = (animals.slot("owner"), consents) else { return Filter::False };
        versions::note_time_dependence();
        let end = |cmp| self.at(consents, "expiresAt", cmp);
        let live = Filter::and([
            self.at(consents, "revokedAt", Cmp::Null),
            Filter::or([end(Cmp::Null), end(Cmp::Gt(Value::Time(self.now)))]),
            self.at(consents, "purposes", Cmp::Has("publication".into())),
        ]);
        let all = Filter::and([live.clone(), self.at(consents, "animal", Cmp::Null)]);
        let giver = (consents.at("owner"), owner);
        let one = vec![giver, (consents.at("animal"), ID)];
        Filter::or([Filter::backed(consents, one, live), Filter::backed(consents, vec![giver], all)])
    }

    /// A demand on rows of a kind: that the class is seen on their animal.
    fn meets(&self, c: &'static Collection, demand: &Demand) -> Filter {
        let value = Cmp::Eq(demand.value.into());
        let other = self.at(c, demand.field, value).negate();
        let animal = c.animal.and_then(|path| {
            let slot = c.slot(path)?;
            let animals = self.registry.get(c.fields.get(slot)?.target()?)?;
            let visible = Filter::via(slot, animals, self.sees(animals, demand.class));
            Some(Filter::or([Filter::Cmp(slot, Cmp::Null), visible]))
        });
        Filter::or([other, animal.unwrap_or(Filter::False)])
    }

    /// my (or me, for users) ∈ S
    pub(super) fn subject(&self, c: &'static Collection, paths: &[&str]) -> Filter {
        Filter::or(paths.iter().map(|path| {
            let id = if self.names_user(c, path) { self.principal.user } else { self.principal.organization };
            id.map_or(Filter::False, |id| self.at(c, path, eq(id)))
        }))
    }

    /// Whether a subject path ends at a user.
    pub(super) fn names_user(&self, c: &Collection, path: &str) -> bool {
        match path.split_once('.') {
            None if path == "id" => c.auth,
            None => (c.field(path).and_then(|f| f.target())).and_then(|t| self.registry.get(t)).is_some_and(|t| t.auth),
            Some((head, rest)) => (c.field(head).and_then(|f| f.target()))
                .and_then(|t| self.registry.get(t))
                .is_some_and(|t| self.names_user(t, rest)),
        }
    }

    /// A flag of the access rules: `field`, `field=word`, or `field=` for an empty relation.
    fn flag(&self, c: &'static Collection, flag: &str) -> Filter {
        match flag.split_once('=') {
            Some((path, "")) => self.at(c, path, Cmp::Null),
            Some((path, word)) => self.at(c, path, Cmp::Eq(word.into())),
            None => self.at(c, flag, Cmp::Eq(Value::Bool(true))),
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

/// The animals that owners gave to see: all of an owner's, or a single one.
fn given(animals: &Collection, all: impl Iterator<Item = (i64, Option<i64>)>) -> Filter {
    let Some(owner) = animals.slot("owner") else { return Filter::False };
    let (whole, single): (Vec<_>, Vec<_>) = all.partition(|(_, animal)| animal.is_none());
    let whole = whole.iter().map(|(of, _)| Value::Int(*of)).collect();
    let single = single
        .iter()
        .map(|(of, animal)| Filter::and([animal.map_or(Filter::False, |a| Filter::eq(ID, a)), Filter::eq(owner, *of)]));
    Filter::or(std::iter::once(Filter::any_of(owner, whole)).chain(single))
}

/// The condition that a related row fulfils another one; of the row itself, where it repeats all fields that are
/// compared, so that no related row is read.
fn of_related(c: &'static Collection, relation: usize, target: &'static Collection, filter: Filter) -> Filter {
    repeated(c, relation, target, &filter).unwrap_or_else(|| Filter::via(relation, target, filter))
}

fn repeated(c: &Collection, relation: usize, target: &Collection, filter: &Filter) -> Option<Filter> {
    let all = |parts: &[Filter]| -> Option<Vec<Filter>> {
        parts.iter().map(|part| repeated(c, relation, target, part)).collect()
    };
    match filter {
        Filter::And(parts) => all(parts).map(Filter::and),
        Filter::Or(parts) => all(parts).map(Filter::or),
        Filter::Cmp(ID, cmp) => Some(Filter::Cmp(relation, cmp.clone())),
        Filter::Cmp(slot, cmp) => {
            let own = c.repeating(relation, target.fields.get(*slot)?.path.as_str())?;
            Some(Filter::Cmp(own, cmp.clone()))
        }
        _ => None,
    }
}

fn eq(id: i64) -> Cmp {
    Cmp::Eq(Value::Int(id))
}
