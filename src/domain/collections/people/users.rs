//! Users: the sign-in collection.

use crate::collections::access::by_key;
use crate::collections::dictionaries::lookups::related;
use crate::collections::hooks::hooks;
use crate::collections::people::taking_part;
use crate::collections::slots::slots;
use model::error::Result;
use model::letter::Wish;
use model::messages::LANGUAGES;
use model::record::Record;
use model::registry::sign_in::{API_KEY_INDEX, LANGUAGE, account_fields, api_key_fields};
use model::registry::{
    ASSOCIATION, Access, BookReader, Caller, Capability, Collection, Decl, Draft, Field, ID, Move, Rule, Set, States,
    Verb, Who, Writer, boolean, email, fields, instant, moves, password, relation, select, text, text_n,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn users() -> Collection {
    let access = Access::read(Rule::SelfRow)
        .update(Rule::SelfRow)
        .create(Rule::Admin)
        .delete(Rule::Admin)
        .subjects(&["id", "organization"])
        .write_subjects(&["id", "organization"]);
    let mut fields = person();
    fields.extend(standing());
    fields.extend(wishes());
    fields.extend(api_key_fields());
    fields.extend(account_fields());
    Collection::new("users", access, fields)
        .label("lastName")
        .auth()
        .api_keys()
        .first("role", "admin")
        .wishes(Wish::Submissions, "notifySubmissions")
        .wishes(Wish::Trust, "notifyTrust")
        .wishes(Wish::Work, "notifyWork")
        .hooks(Behaviour)
        .states(steps())
        .sought(&["email"])
        .columns(&["lastName", "firstName", "email", "organization", "role", "orgRole", "blockedAt"])
        .called(&["lastName", "firstName"])
        .subject("user", None, &["organization"])
        .logged_change(&["role", "orgRole", "organization"], "role-changed")
        .doc("Accounts of people and services that sign in.")
}

fn person() -> Vec<Decl> {
    fields![
        email("email").required().unique() => "Email address, in lower case; the name for signing in.",
        password("password").min(8.0) => "Password of at least 8 characters; never shown.",
        text_n("lastName", 80).required() => "Family name.",
        text_n("firstName", 80).required() => "Given name.",
        text_n("middleName", 80) => "Patronymic.",
        select("role", "farmer|service|individual|expert|admin")
            .required().default("farmer").writer(Writer::Admin).confirmed(&ASSOCIATION)
            => "Role; expert and admin are of the Association.",
        text_n("phone", 30) => "Telephone.",
        relation("organization", "organizations").writer(Writer::Admin).keyless()
            => "Organisation that the user acts for.",
        text("position") => "Position in the organisation.",
    ]
}

fn standing() -> Vec<Decl> {
    let team = |field: Field| -> Decl { field.writer(Writer::Team).into() };
    fields![
        team(select("orgRole", "head|operator|viewer").default("head").indexed().confirmed(&[]).doc("What the user may do for the organisation.")),
        team(instant("blockedAt").indexed().keyless().doc("When the user was blocked; empty: the user may sign in.")),
        relation("blockedBy", "users").server() => "User who blocked this user.",
        team(text("blockReason").doc("Why the user is blocked.")),
        boolean("confirmed").default(false).writer(Writer::Admin)
            => "The Association verified the identity of the user.",
    ]
}

fn wishes() -> Vec<Decl> {
    fields![
        boolean("acceptedPolicy").default(false) => "The user accepted the terms.",
        boolean("notifySubmissions").default(true) => "The user wants notices and emails about packages.",
        boolean("notifyTrust").default(true) => "The user wants notices and emails about verification.",
        boolean("notifyWork").default(false) => "The user wants a weekly email about the work lists of the organisation.",
        boolean("notifyNews").default(false) => "The user wants news.",
        select(LANGUAGE, LANGUAGES) => "Language of emails to the user; empty: that of the service (`mail.language`).",
        instant("notifySeenAt") => "When the user last read the notices.",
    ]
}

/// active ↔ blocked (docs/states.md, *users · blockedAt*).
fn steps() -> States {
    let team = Who::Farm(Capability::Team);
    let block = |one: Move| one.by(team).by(Who::Association).set("blockedBy", Set::Me).log("user-blocked");
    moves![States::times("active", &[("blocked", "blockedAt")]);
        block(Move::begin("blocked")),
        block(Move::new(&["active"], "blocked")).grave().asks(&["blockReason"]) => "Sign-ins and tokens of the user are refused.",
        block(Move::new(&["blocked"], "blocked")) => "The user is blocked again.",
        Move::new(&["blocked"], "active").by(team).by(Who::Association).set("blockedBy", Set::Empty)
            .log("user-unblocked"),
    ]
}

slots!(Slots of "users" { email, organization, org_role: "orgRole", blocked_at: "blockedAt" });

hooks!(Behaviour {
    prepare(_context, drafts) {
        let slot = Slots::get().email;
        for draft in drafts.iter_mut() {
            let email = draft.new.get(slot).text();
            if let Some(email) = email.map(|e| e.trim().to_lowercase()) {
                draft.new.set(slot, email);
            }
        }
        Ok(())
    }
    check(context, drafts) {
        check(context, drafts).await
    }
    effects(collection, context, changes) {
        let slot = collection.at(API_KEY_INDEX);
        let ended = changes.iter().filter(|change| {
            let key = |row: &Record| row.get(slot).clone();
            let before = change.old.as_ref().map(key).unwrap_or_default();
            !before.is_null() && change.new.as_ref().map(key) != Some(before)
        });
        let ended = ended.map(|change| by_key::key_of_account(change.id)).collect();
        by_key::end(context, ended).await?;
        let s = Slots::get();
        let of = |row: &Record| row.get(s.organization).int();
        let joined = changes.iter().filter_map(|c| {
            let now = c.new.as_ref().and_then(of)?;
            (c.old.as_ref().and_then(of) != Some(now)).then_some(now)
        });
        let joined: BTreeSet<i64> = joined.collect();
        taking_part::register(context, joined).await
    }
});

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let caller = context.caller().clone();
    if caller.caller == Caller::System {
        return Ok(());
    }
    last_head(context, drafts, caller.caller).await
}

/// The organisation that a user heads, unless the user is blocked.
fn heads(user: &Record) -> Option<i64> {
    let s = Slots::get();
    let head = user.get(s.org_role).text() == Some("head") && user.get(s.blocked_at).is_null();
    user.get(s.organization).int().filter(|_| head)
}

/// Refuses drafts that would leave an organisation without a head. The Association may block the
/// last head all the same: this rule must not protect a user who must be locked out.
async fn last_head(context: &mut dyn BookReader, drafts: &mut [Draft], caller: Caller) -> Result<()> {
    let s = Slots::get();
    let lost = |d: &Draft| {
        let was = d.old.as_ref().and_then(heads)?;
        let only_blocked = caller == Caller::Association && !d.changes(s.org_role) && !d.changes(s.organization);
        let stays = heads(&d.new) == Some(was) || only_blocked;
        (d.verb == Verb::Delete || !stays).then_some(was)
    };
    let losing: BTreeSet<i64> = drafts.iter().filter_map(lost).collect();
    let fields = ["organization", "orgRole", "blockedAt"];
    let users = related(context, "users", "organization", losing, &fields).await?;
    let mut left: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for user in &users {
        if let (Some(organization), Some(id)) = (heads(user), user.get(ID).int()) {
            left.entry(organization).or_default().insert(id);
        }
    }
    for draft in drafts.iter().filter(|d| d.verb != Verb::Delete) {
        if let Some(organization) = heads(&draft.new) {
            left.entry(organization).or_default().insert(draft.id);
        }
    }
    for draft in drafts.iter_mut() {
        let Some(organization) = lost(draft) else {
            continue;
        };
        let heads = left.entry(organization).or_default();
        if heads.iter().all(|id| *id == draft.id) {
            let message = "An organisation needs a head: this is its last one.";
            let path = if draft.changes(s.blocked_at) { "blockedAt" } else { "orgRole" };
            draft.fault(path, "last-head", message);
        } else {
            heads.remove(&draft.id);
        }
    }
    Ok(())
}
