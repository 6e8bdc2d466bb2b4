//! API keys of machines: several for an account, each with its scope and end.

use crate::collections::access::by_key;
use crate::collections::dictionaries::lookups::{related, written};
use crate::collections::hooks::hooks;
use model::error::{Issue, Result};
use model::record::{Record, Value};
use model::registry::keyring::{DATASETS, EXPIRES, HOLDER, NAME, REVOKED, key_fields};
use model::registry::{Access, BookReader, Caller, Collection, Draft, Feature, Rule, Verb, long_text};
use model::said;
use std::collections::BTreeMap;

/// Live keys of an account.
const MOST: usize = 50;

/// `api-keys`
pub(crate) fn api_keys() -> Collection {
    let access = Access::read(Rule::Farm).create(Rule::Farm).update(Rule::Farm).delete(Rule::Admin).subjects(&[HOLDER]);
    let mut fields = key_fields("users");
    fields.push(long_text("note").doc("Remark.").into());
    Collection::new("api-keys", access, fields)
        .singular("API Key")
        .feature(Feature::ApiKeys)
        .rights()
        .hooks(Behaviour)
        .logged(Verb::Create, "api-key-made")
        .logged_change(&[REVOKED], "api-key-revoked")
        .subject("none", Some(NAME), &[])
        .doc("Keys with which programs act for an account.")
}

hooks!(Behaviour {
    prepare(c, context, drafts) {
        let me = context.caller().user;
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            if draft.new.get(c.at(HOLDER)).is_null() {
                draft.new.set(c.at(HOLDER), me);
            }
        }
        Ok(())
    }
    check(c, context, drafts) {
        own(c, context, drafts);
        ends(c, context.now(), drafts);
        for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
            let sets = draft.new.get(c.at(DATASETS)).texts();
            let known = |name: &String| context.offers(name) || name.starts_with("set-");
            if !sets.iter().all(known) {
                let message = "There is no data set of this name.";
                draft.fault(DATASETS, "no-such-dataset", message);
            }
        }
        not_too_many(c, context, drafts).await
    }
    effects(c, context, changes) {
        let live = |row: &Record| row.get(c.at(REVOKED)).is_null();
        let ended = changes.iter().filter(|change| {
            change.old.as_ref().is_some_and(live) && !change.new.as_ref().is_some_and(live)
        });
        let ended = ended.map(|change| by_key::separate_key(change.id)).collect();
        by_key::end(context, ended).await
    }
});

/// Keys of others are for admins: who has one is that account.
fn own(c: &Collection, context: &dyn BookReader, drafts: &mut [Draft]) {
    let caller = context.caller();
    if caller.caller != Caller::Association || caller.admin {
        return;
    }
    for draft in written(drafts) {
        if draft.new.get(c.at(HOLDER)).int() != caller.user {
            let message = "Only admins create and revoke keys of other users.";
            let issue = Issue::error(HOLDER, "forbidden-field", message);
            draft.refused.push(issue);
        }
    }
}

/// The end must be in the future; a revoked key stays revoked, by the time of the server.
fn ends(c: &Collection, now: i64, drafts: &mut [Draft]) {
    for draft in written(drafts) {
        let end = draft.new.get(c.at(EXPIRES)).time();
        if draft.changes(c.at(EXPIRES)) && end.is_some_and(|end| end <= now) {
            draft.fault(EXPIRES, "in-the-past", "This time is in the past.");
        }
        if !draft.changes(c.at(REVOKED)) {
            continue;
        }
        let was = draft.old.as_ref().map(|old| old.get(c.at(REVOKED)).clone());
        match was {
            Some(was) if !was.is_null() => draft.new.set(c.at(REVOKED), was),
            _ if draft.new.get(c.at(REVOKED)).is_null() => {}
            _ => draft.new.set(c.at(REVOKED), Value::Time(now)),
        }
    }
}

async fn not_too_many(c: &'static Collection, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let holder = |draft: &Draft| draft.new.get(c.at(HOLDER)).int();
    let made: Vec<i64> = written(drafts).filter(|d| d.verb == Verb::Create).filter_map(|d| holder(d)).collect();
    if made.is_empty() {
        return Ok(());
    }
    let mut live: BTreeMap<i64, usize> = BTreeMap::new();
    for row in related(context, c.slug, HOLDER, made, &[HOLDER, REVOKED]).await? {
        if let Some(user) = row.get(c.at(HOLDER)).int()
            && row.get(c.at(REVOKED)).is_null()
        {
            *live.entry(user).or_default() += 1;
        }
    }
    for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
        let Some(user) = holder(draft) else { continue };
        let live = live.entry(user).or_default();
        *live += 1;
        if *live > MOST {
            let message = said!("An account has at most {limit} keys.", limit = MOST);
            draft.fault(HOLDER, "too-many", message);
        }
    }
    Ok(())
}
