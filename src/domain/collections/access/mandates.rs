//! Mandates: an organisation lets another one send resources to its location.

use crate::collections::access::{by_key, sharing};
use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use model::error::Issue;
use model::messages::Sentence;
use model::registry::mandates::{DATASETS, FROM, GRANTOR, RECEIVER, REVOKED, UNTIL, mandate_fields};
use model::registry::{
    Access, BookReader, Capability, Collection, Draft, Feature, Rule, Set, States, Verb, long_text, relation,
};
use model::said;

/// Who issued a mandate.
const ISSUED_BY: &str = "issuedBy";

pub(crate) fn mandates() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Share))
        .update(Rule::Own(Capability::Share))
        .delete(Rule::Admin)
        .subjects(&[GRANTOR, RECEIVER])
        .write_subjects(&[GRANTOR]);
    let mut fields = mandate_fields("organizations");
    fields.extend([
        relation(ISSUED_BY, "users").server().doc("Who issued it.").into(),
        relation("revokedBy", "users").server().doc("Who took it back.").into(),
        long_text("note").doc("Remark.").into(),
        by_key::opened_with(),
    ]);
    Collection::new("mandates", access, fields)
        .feature(Feature::Mandates)
        .stock(GRANTOR, ISSUED_BY)
        .rights()
        .hooks(Behaviour)
        .states(steps())
        .told_by(&[RECEIVER, "createdAt"])
        .subject("share", Some(RECEIVER), &[GRANTOR])
        .index(&[RECEIVER, REVOKED])
        .doc("Who may send resources of the exchange to the location of another organisation. A mandate opens no reading.")
}

hooks!(Behaviour {
    prepare(c, context, drafts) {
        by_key::mark(c, context.caller(), drafts, &[UNTIL]);
        let me = context.caller().user;
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create && me.is_some()) {
            draft.new.set(c.at(ISSUED_BY), me);
        }
        Ok(())
    }
    check(c, context, drafts) {
        for draft in written(drafts) {
            check(c, context, draft);
        }
        Ok(())
    }
});

fn check(c: &Collection, context: &dyn BookReader, draft: &mut Draft) {
    let mut fault = |path: &str, code: &'static str, message: Sentence| {
        draft.issues.push(Issue::error(path, code, message));
    };
    let new = &draft.new;
    let [grantor, receiver] = [GRANTOR, RECEIVER].map(|path| new.get(c.at(path)).int());
    if grantor.is_some() && grantor == receiver {
        let message = "An organisation sends to its own location without a mandate.";
        fault(RECEIVER, "same-organization", message.into());
    }
    if draft.verb == Verb::Create {
        let sets = new.get(c.at(DATASETS)).texts();
        for (at, set) in sets.iter().enumerate() {
            let path = format!("{DATASETS}.{at}");
            if !context.offers(set) {
                let message = "There is no data set of this name.";
                fault(&path, "no-such-dataset", message.into());
            } else if !context.delegates(set) {
                let message = said!("Resources of {set} cannot be sent for another organisation.", set = set);
                fault(&path, "not-delegated", message);
            }
        }
    }
    let [from, until] = [FROM, UNTIL].map(|path| new.get(c.at(path)).time());
    let changed = |path: &str| {
        let old = draft.old.as_ref().map(|old| old.get(c.at(path)));
        old != Some(new.get(c.at(path)))
    };
    if let Some(until) = until.filter(|_| changed(UNTIL)) {
        if until <= context.now() {
            fault(UNTIL, "in-the-past", "This time lies in the past.".into());
        } else if from.is_some_and(|from| from >= until) {
            let message = "It must end after it begins.";
            fault(UNTIL, "period-order", message.into());
        }
    }
}

/// At once, and for good (docs/states.md, *mandates · revokedAt*).
fn steps() -> States {
    let ends = "Ends at once: the receiver sends nothing more.";
    sharing::steps(["mandate-issued", "mandate-revoked"], &[("revokedBy", Set::Me)], ends)
}
