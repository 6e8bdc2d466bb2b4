//! The rules for writing as a condition on stored rows: which rows an operation on many
//! touches at all. It skips rows that the caller may not write (docs/dialect.md, *403 or 404*).
//! Whether the row that would be stored is allowed too, the pipeline decides.

use super::{Decision, Gate};
use model::query::{Cmp, Filter};
use model::record::Value;
use model::registry::{Allowance, Caller, Capability, Collection, Rule, Verb};

const DAY: i64 = 86_400_000;

impl Gate<'_> {
    /// The stored rows of a collection that the caller may update or delete.
    pub fn write(&self, c: &'static Collection, verb: Verb) -> Decision {
        let by_rule = self.by_rule(c, c.access.rule(verb));
        let exceptions = (c.access.allowances.iter())
            .filter(|allowance| allowance.verb == verb)
            .map(|allowance| self.by_exception(c, allowance));
        match Filter::or(std::iter::once(by_rule).chain(exceptions)) {
            Filter::False => Decision::Deny,
            rows => Decision::Rows(rows),
        }
    }

    fn by_rule(&self, c: &'static Collection, rule: &Rule) -> Filter {
        let p = self.principal;
        let signed = p.caller != Caller::Anonymous;
        let flat = |yes: bool| if yes { Filter::True } else { Filter::False };
        if p.caller == Caller::System {
            return Filter::True;
        }
        match rule {
            Rule::Any => Filter::True,
            Rule::Signed => flat(signed && (p.sees_all() || !p.capabilities.is_empty())),
            Rule::Assoc => flat(p.sees_all()),
            Rule::Admin => flat(p.admin),
            Rule::Nobody | Rule::Book | Rule::Event { .. } | Rule::Open(_) => Filter::False,
            Rule::SelfRow if p.admin => Filter::True,
            Rule::SelfRow => self.self_or_team(c, p.caller == Caller::Farm && p.can(Capability::Team)),
            Rule::Author => self.authored(c),
            Rule::Farm | Rule::Own(_) if p.sees_all() => Filter::True,
            Rule::Own(capability) if !signed || !p.can(*capability) => Filter::False,
            Rule::Farm | Rule::Own(_) => self.write_subjects(c),
        }
    }

    /// my (or me) is among S→; where the first filled one counts, those before are empty.
    pub(crate) fn write_subjects(&self, c: &'static Collection) -> Filter {
        let paths = &c.access.write_subjects;
        Filter::or(paths.iter().enumerate().map(|(at, path)| {
            let before = if c.access.write_first { at } else { 0 };
            let empty = paths.iter().take(before).map(|p| self.at(c, p, Cmp::Null));
            Filter::and(empty.chain([self.write_subject(c, path)]))
        }))
    }

    /// Rows of the caller, and those without an author that its organisation shares.
    pub(crate) fn authored(&self, c: &'static Collection) -> Filter {
        match self.principal.can(Capability::Data) {
            true => self.author(c, self.at(c, "author", Cmp::Null)),
            false => self.author(c, Filter::False),
        }
    }

    /// my (or me) is at the end of that path.
    fn write_subject(&self, c: &'static Collection, path: &'static str) -> Filter {
        let subject = self.subject(c, &[path]);
        // As in the pipeline: an organisation that named another one maintains it only while that
        // one does not take part itself.
        if path == "referencedBy" && c.slot("presence").is_some() {
            return Filter::and([subject, self.at(c, "presence", Cmp::Eq("referenced".into()))]);
        }
        subject
    }

    fn by_exception(&self, c: &'static Collection, allowance: &Allowance) -> Filter {
        let p = self.principal;
        let viewer = p.capabilities.is_empty() && !p.sees_all();
        if p.caller == Caller::Anonymous || viewer {
            return Filter::False;
        }
        let young = allowance.days.map_or(Filter::True, |days| {
            Filter::Cmp(c.created_slot(), Cmp::Ge(Value::Time(self.now.saturating_sub(days.saturating_mul(DAY)))))
        });
        let subject = self.write_subject(c, allowance.who);
        Filter::and([subject, young, self.fulfils(c, allowance)])
    }

    /// The rows that an exception is for.
    pub(crate) fn fulfils(&self, c: &'static Collection, a: &Allowance) -> Filter {
        match a.when {
            [] => Filter::True,
            flags => Filter::or(flags.iter().map(|flag| self.flag(c, flag))),
        }
    }
}
