//! Rules of writing: the access rules over a draft, in memory.

use crate::access::Gate;
use crate::write::WriteTransaction;
use model::error::{Issue, Result};
use model::fast::IndexMap;
use model::record::{Record, Value};
use model::registry::{
    Allowance, Caller, Capability, Collection, Draft, Field, ID, Lookup, Principal, Rule, Verb, Writer,
};
use std::collections::BTreeSet;

const DAY: i64 = 86_400_000;

/// Subject ids that hang on another record: `(path, id of the first relation)` → id.
pub(crate) type Subjects = IndexMap<(&'static str, i64), Option<i64>>;

impl WriteTransaction<'_> {
    /// Loads what subject paths of more than one step point to, for all drafts at once; one statement per step.
    pub(crate) async fn subjects(&mut self, c: &'static Collection, drafts: &[Draft]) -> Result<Subjects> {
        let mut subjects = Subjects::default();
        for path in (c.access.write_subjects.iter()).copied().chain(c.access.allowances.iter().map(|a| a.who)) {
            let Some((head, rest)) = path.split_once('.').filter(|_| c.slot(path).is_none()) else { continue };
            let (Some(slot), Some(target)) = (c.slot(head), c.field(head).and_then(Field::target)) else { continue };
            let ids: BTreeSet<i64> =
                (drafts.iter()).flat_map(|d| d.old.iter().chain([&d.new])).filter_map(|r| r.get(slot).int()).collect();
            subjects.extend(self.ends(target, rest, ids).await?.into_iter().map(|(id, end)| ((path, id), end)));
        }
        Ok(subjects)
    }

    /// Where a path of relations leads from each of these rows.
    async fn ends(&mut self, target: &str, path: &str, ids: BTreeSet<i64>) -> Result<IndexMap<i64, Option<i64>>> {
        let mut ends: IndexMap<i64, Option<i64>> = ids.into_iter().map(|id| (id, Some(id))).collect();
        let mut here = self.registry.get(target);
        let mut rest = Some(path);
        while let (Some(at), Some(path)) = (here, rest) {
            let (step, further) = match path.split_once('.').filter(|_| at.slot(path).is_none()) {
                Some((step, further)) => (step, Some(further)),
                None => (path, None),
            };
            let ids: BTreeSet<i64> = ends.values().copied().flatten().collect();
            if ids.is_empty() {
                break;
            }
            let lookup = Lookup::by_ids("id", ids).fields(&[step]);
            let slot = at.at(step);
            let next: IndexMap<i64, Option<i64>> = (self.load(at, &lookup).await?.iter())
                .filter_map(|row| Some((row.get(ID).int()?, row.get(slot).int())))
                .collect();
            for end in ends.values_mut() {
                *end = end.and_then(|id| next.get(&id).copied().flatten());
            }
            here = (at.field(step).and_then(Field::target)).and_then(|t| self.registry.get(t));
            rest = further;
        }
        Ok(ends)
    }

    /// Whether the rule lets this caller write the draft.
    pub(crate) fn may_write(
        &self,
        c: &'static Collection,
        caller: &Principal,
        draft: &Draft,
        subjects: &Subjects,
    ) -> bool {
        if caller.caller == Caller::System {
            return true;
        }
        // Rows of a package come by the right to send packages, about animals of the farm that sends it.
        let packaged = self.package.is_some() && draft.verb != Verb::Delete && c.opens_to_packages();
        if packaged && self.rule_holds(c, &Rule::Own(Capability::Submit), caller, draft, subjects) {
            return true;
        }
        let rule = c.access.rule(draft.verb);
        self.rule_holds(c, rule, caller, draft, subjects)
            || (c.access.allowances.iter()).any(|a| self.allowed(c, a, caller, draft, subjects))
    }

    fn rule_holds(
        &self,
        c: &'static Collection,
        rule: &Rule,
        caller: &Principal,
        draft: &Draft,
        subjects: &Subjects,
    ) -> bool {
        let signed = caller.caller != Caller::Anonymous;
        match rule {
            Rule::Any => true,
            // To write, not a viewer: a viewer has no capability at all.
            Rule::Signed => signed && (caller.sees_all() || !caller.capabilities.is_empty()),
            Rule::Assoc => caller.sees_all(),
            Rule::Admin => caller.admin,
            Rule::Nobody | Rule::Book | Rule::Event { .. } | Rule::Open(_) => false,
            Rule::SelfRow => {
                let me = caller.user == Some(draft.id) && draft.verb != Verb::Create;
                let team = caller.can(Capability::Team)
                    && caller.organization.is_some()
                    && row_id(c, &draft.new, "organization") == caller.organization;
                caller.admin || me || (team && caller.caller == Caller::Farm)
            }
            Rule::Author => {
                let mine = caller.user.is_some()
                    && row_id(c, &draft.new, "author") == caller.user
                    && (draft.old.iter()).all(|o| row_id(c, o, "author") == caller.user);
                signed && (mine || shared(c, caller, draft) || heads(c, caller, draft))
            }
            Rule::Farm => caller.sees_all() || self.among(c, caller, draft, subjects),
            Rule::Own(capability) => {
                caller.sees_all()
                    || (signed
                        && caller.can(*capability)
                        && (nameless(c, draft) || self.among(c, caller, draft, subjects)))
            }
        }
    }

    /// my ∈ S→ on the stored row and on the row to be written.
    fn among(&self, c: &'static Collection, caller: &Principal, draft: &Draft, subjects: &Subjects) -> bool {
        (draft.old.iter().chain([&draft.new])).all(|row| {
            let paths = &c.access.write_subjects;
            let filled = |path: &&&'static str| row_id(c, row, path).is_some();
            let counting = paths.iter().position(|path| filled(&path)).unwrap_or(paths.len());
            (paths.iter().enumerate())
                .filter(|(at, _)| !c.access.write_first || *at <= counting)
                .any(|(_, path)| self.is_subject(c, path, caller, row, subjects))
        })
    }

    fn is_subject(
        &self,
        c: &'static Collection,
        path: &'static str,
        caller: &Principal,
        row: &Record,
        subjects: &Subjects,
    ) -> bool {
        let gate = Gate { registry: self.registry, principal: caller, now: self.tx.now(), sizes: None };
        let mine = if gate.names_user(c, path) { caller.user } else { caller.organization };
        // The organisation that first named another one maintains it only while that one does not take part itself.
        if c.slot("presence").is_some()
            && path == "referencedBy"
            && row.get(c.at("presence")).text() != Some("referenced")
        {
            return false;
        }
        let id = match path.split_once('.').filter(|_| c.slot(path).is_none()) {
            None => row_id(c, row, path),
            Some((head, _)) => (row_id(c, row, head)).and_then(|id| subjects.get(&(path, id)).copied().flatten()),
        };
        mine.is_some() && id == mine
    }

    fn allowed(
        &self,
        c: &'static Collection,
        allowance: &Allowance,
        caller: &Principal,
        draft: &Draft,
        subjects: &Subjects,
    ) -> bool {
        let Some(old) = &draft.old else { return false };
        let viewer = caller.capabilities.is_empty() && !caller.sees_all();
        if allowance.verb != draft.verb || caller.caller == Caller::Anonymous || viewer {
            return false;
        }
        let young = allowance.days.is_none_or(|days| {
            let made = old.get(c.created_slot()).time().unwrap_or(0);
            self.tx.now() - made <= days * DAY
        });
        let only = allowance.only.is_empty()
            || (c.fields.iter().enumerate()).all(|(slot, f)| {
                f.writer == Writer::Server || !draft.changes(slot) || allowance.only.contains(&f.path.as_str())
            });
        let fulfils = allowance.when.is_empty() || allowance.when.iter().any(|f| flag(c, f, old));
        young && only && fulfils && self.is_subject(c, allowance.who, caller, old, subjects)
    }
}

/// A flag of the access rules on a row: `field`, `field=word`, or `field=` for an empty one.
fn flag(c: &Collection, flag: &str, row: &Record) -> bool {
    match flag.split_once('=') {
        Some((path, "")) => row.get(c.at(path)).is_null(),
        Some((path, word)) => row.get(c.at(path)).text() == Some(word),
        None => row.get(c.at(flag)).truth(),
    }
}

/// Whether a caller's value for a field is taken, ignored, or refused on its path.
pub(crate) enum ValueDecision {
    Yes,
    Ignored,
    /// 403 on the path.
    Refused(Issue),
}

/// The marks `~ @1 @A @T @M` and *from the session* for one sent value.
pub(crate) fn takes(caller: &Principal, field: &Field, stored: Option<&Value>, value: &Value) -> ValueDecision {
    if caller.caller == Caller::System {
        return ValueDecision::Yes;
    }
    let same = stored.is_some_and(|s| s == value);
    let refused = |why: &'static str| ValueDecision::Refused(Issue::error(field.path.clone(), "forbidden-field", why));
    let own = match caller.organization {
        Some(my) => *value == Value::Int(my),
        None => false,
    };
    if field.session && caller.caller == Caller::Farm && !same && !own && !value.is_null() {
        return refused("This comes from your organisation.");
    }
    let may = match field.writer {
        Writer::Anyone => true,
        Writer::Association => caller.sees_all(),
        Writer::Team => caller.can(Capability::Team),
        Writer::Admin => caller.admin,
        Writer::Server => return ValueDecision::Ignored,
    };
    if !may {
        let default = stored.is_none() && field.default.as_ref() == Some(value);
        return if same || default || (stored.is_none() && value.is_null()) {
            ValueDecision::Ignored
        } else {
            refused("You are not allowed to write this field.")
        };
    }
    if field.once && stored.is_some() && !same {
        return refused("This field is written once.");
    }
    if field.session && stored.is_some() && !same && caller.caller == Caller::Farm {
        return refused("This comes from your organisation.");
    }
    ValueDecision::Yes
}

/// Whether a new row names no owner: it cannot be written anyway, and its caller gets an error for
/// the missing field. This reveals nothing about other rows.
fn nameless(c: &Collection, draft: &Draft) -> bool {
    let heads = (c.access.write_subjects.iter()).map(|path| match c.slot(path) {
        Some(_) => path,
        None => path.split('.').next().unwrap_or_default(),
    });
    let missing = |path: &str| {
        c.slot(path).is_some_and(|slot| c.fields.get(slot).is_some_and(|f| f.required) && draft.new.get(slot).is_null())
    };
    draft.verb == Verb::Create && heads.chain(c.animal).any(missing)
}

/// What an organisation shares and nobody is the author of is written by those who write its data.
fn shared(c: &Collection, caller: &Principal, draft: &Draft) -> bool {
    let my = caller.organization;
    caller.can(Capability::Data)
        && (draft.old.iter().chain([&draft.new])).all(|row| {
            row_id(c, row, "author").is_none()
                && row.get(c.at("scope")).text() == Some("organization")
                && (caller.sees_all() || my.is_some() && row_id(c, row, "organization") == my)
        })
}

/// What an organisation shares is also deleted by its head.
fn heads(c: &Collection, caller: &Principal, draft: &Draft) -> bool {
    let shared = draft.new.get(c.at("scope")).text() == Some("organization");
    let my = caller.organization;
    draft.verb == Verb::Delete
        && caller.caller == Caller::Farm
        && caller.can(Capability::Team)
        && shared
        && my.is_some()
        && row_id(c, &draft.new, "organization") == my
}

fn row_id(c: &Collection, row: &Record, path: &str) -> Option<i64> {
    c.slot(path).and_then(|slot| row.get(slot).int())
}
