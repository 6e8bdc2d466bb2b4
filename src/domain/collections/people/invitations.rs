//! Invitations into an organisation: a person with the token becomes a
//! user of it. The token is sent once, in the answer to the invitation and in the email; its
//! SHA-256 is stored.

use crate::collections::dictionaries::lookups::{by_id, written};
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::error::{Error, Result};
use model::letter::{Letter, Template};
use model::record::{Record, Value, time};
use model::registry::{
    Access, BookReader, Caller, Capability, Change, Class, Collection, Command, Decl, Draft, Feature, HookContext, ID,
    Lookup, Move, Operation, Rule, Set, States, Test, Verb, Who, email, fields, instant, long_text, moves, password,
    relation, select, text_n,
};
use model::said;
use std::collections::BTreeMap;

/// How long an invitation holds.
const DAYS: i64 = 14;
const DAY: i64 = 86_400_000;
/// Invitations in 24 hours to one address, whoever sends them.
const OF_ADDRESS: usize = 3;
/// Invitations in 24 hours of one farm.
const OF_FARM: usize = 50;
/// Characters of a name in the letter.
const LONGEST_NAME: usize = 100;

pub(crate) fn invitations() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Team))
        .update(Rule::Own(Capability::Team))
        .delete(Rule::Admin)
        .subjects(&["organization"]);
    Collection::new("invitations", access, fields())
        .stock("organization", "invitedBy")
        .feature(Feature::Invitations)
        .hooks(Behaviour)
        .states(steps())
        .subject("user", Some("email"), &["organization"])
        .doc("Invitations of people into organisations.")
}

fn fields() -> Vec<Decl> {
    fields![
        email("email").required().once().indexed() => "Email address of the invited person, in lower case.",
        select("orgRole", "head|operator|viewer").required().default("operator").once()
            => "What the user may do for the organisation.",
        relation("organization", "organizations").required().session().once()
            => "Organisation that the person is invited into.",
        password("token").token("tokenDigest")
            => "Token that opens the invitation; returned once, when the invitation is created.",
        text_n("tokenDigest", 64).server().class(Class::Hidden).indexed() => "SHA-256 of the token.",
        instant("expiresAt").server().indexed() => "When the invitation ends: after 14 days.",
        instant("acceptedAt").server() => "When it was accepted.",
        instant("revokedAt") => "When the invitation was revoked.",
        instant("letterFailedAt").server() => "When the email was given up, since the mail server does not take it; empty: it was sent, or waits.",
        relation("invitedBy", "users").server() => "User who invited.",
        relation("acceptedBy", "users").server() => "User who accepted.",
        long_text("note") => "Remark.",
    ]
}

/// Open, then accepted or revoked (docs/states.md, *invitations · revokedAt, acceptedAt*).
fn steps() -> States {
    let team = Who::Farm(Capability::Team);
    moves![States::times("live", &[("revoked", "revokedAt"), ("accepted", "acceptedAt")]);
        Move::begin("live").by(team).by(Who::Association).set("invitedBy", Set::Me).log("member-invited"),
        Move::new(&["live"], "revoked").grave().by(team).by(Who::Association).set("revokedAt", Set::Now)
            .log("invite-revoked")
            => "The token is no longer valid.",
        Move::new(&["live"], "accepted").by(Who::System).silent() => "Creates the user; logged as member-joined.",
    ]
}

slots!(Slots of "invitations" {
    email, org_role: "orgRole", organization, token, expires: "expiresAt", accepted: "acceptedAt",
    revoked: "revokedAt", invited_by: "invitedBy",
});

hooks!(Behaviour {
    prepare(context, drafts) {
        let s = Slots::get();
        let until = context.now() + DAYS * DAY;
        for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
            let address = draft.new.get(s.email).text();
            let address = address.map(|text| text.trim().to_lowercase());
            draft.new.set(s.email, address);
            draft.new.set(s.expires, Value::Time(until));
        }
        Ok(())
    }
    check(context, drafts) {
        check(context, drafts).await
    }
    effects(context, changes) {
        invite(context, changes).await
    }
});

/// A farm invites with roles that it has itself: it can only give roles of its own. A person with
/// an account is not invited; this is reported only to callers who may see all accounts.
async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    not_too_often(context, drafts).await?;
    if context.caller().caller != Caller::Association {
        return Ok(());
    }
    let names: Vec<Value> = (written(drafts).filter(|d| d.verb == Verb::Create))
        .map(|d| d.new.get(s.email).clone())
        .filter(|email| !email.is_null())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let lookup = Lookup::default().is_in("email", names).fields(&["email"]);
    let users = context.collection("users")?;
    let existing = context.find(users.slug, lookup).await?;
    let slot = users.at("email");
    for draft in written(drafts).filter(|d| d.verb == Verb::Create) {
        if existing.iter().any(|user| user.get(slot) == draft.new.get(s.email)) {
            let message = "There is an account with this address.";
            draft.fault("email", "already-registered", message);
        }
    }
    Ok(())
}

/// Refuses invitations beyond what is sent in a day: to one address, whoever sends, and of one farm. The letter
/// goes to somebody who did not ask for it.
async fn not_too_often(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let (farm, now) = (context.caller().caller == Caller::Farm, context.now());
    let made = |d: &&mut Draft| d.verb == Verb::Create;
    let of = |slot: usize, drafts: &mut [Draft]| -> Vec<Value> {
        let values = written(drafts).filter(made).map(|d| d.new.get(slot).clone());
        values.filter(|value| !value.is_null()).collect()
    };
    if context.caller().caller == Caller::System {
        return Ok(());
    }
    let mut limits = vec![("email", s.email, OF_ADDRESS)];
    if farm {
        limits.push(("organization", s.organization, OF_FARM));
    }
    for (path, slot, most) in limits {
        let values = of(slot, drafts);
        if values.is_empty() {
            continue;
        }
        // Invitations hold for a fixed time, so that their end tells when they were sent.
        let lookup = Lookup::default().is_in(path, values);
        let since = now.saturating_add((DAYS - 1) * DAY);
        let lookup = lookup.test("expiresAt", Test::From(Value::Time(since.saturating_add(1))));
        let mut expiries: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let key = |value: &Value| format!("{value:?}");
        for row in context.find("invitations", lookup.fields(&[path, "expiresAt"])).await? {
            if let Some(end) = row.get(s.expires).time() {
                expiries.entry(key(row.get(slot))).or_default().push(end);
            }
        }
        for draft in written(drafts).filter(made) {
            let expiries = expiries.entry(key(draft.new.get(slot))).or_default();
            expiries.sort_unstable();
            // The one that must be a day old first.
            let first = expiries.len().checked_sub(most).and_then(|at| expiries.get(at));
            match first {
                Some(end) => {
                    let next = end.saturating_sub((DAYS - 1) * DAY);
                    let next = time::to_iso(next);
                    let message = match path {
                        "email" => said!(
                            "At most {limit} invitations a day go to one address, the next one after {time}.",
                            limit = most,
                            time = next
                        ),
                        _ => said!(
                            "An organisation sends at most {limit} invitations a day, the next one after {time}.",
                            limit = most,
                            time = next
                        ),
                    };
                    draft.fault(path, "too-many", message);
                }
                None => expiries.push(now.saturating_add(DAYS * DAY)),
            }
        }
    }
    Ok(())
}

/// A name in a letter to a stranger: nothing in it is an address that a mail program would make a link of, and
/// nothing steers how it is shown.
fn unlinked(name: &str) -> String {
    let is_visible = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let letters: Vec<char> = name.chars().filter(is_visible).take(LONGEST_NAME).collect();
    let joins = |at: usize| {
        let neighbour = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| !c.is_whitespace());
        neighbour(at.checked_sub(1)) && neighbour(at.checked_add(1))
    };
    let plain = |(at, c): (usize, &char)| match c {
        c if c.is_control() => ' ',
        '/' | '\\' | ':' | '@' => ' ',
        '.' if joins(at) => ' ',
        c => *c,
    };
    letters.iter().enumerate().map(plain).collect()
}

/// Sends the email to the invited person.
async fn invite(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let fresh: Vec<&Record> = (changes.iter())
        .filter(|change| change.old.is_none())
        .filter_map(|change| change.new.as_ref())
        .filter(|row| row.get(s.token).text().is_some())
        .collect();
    let farms = fresh.iter().filter_map(|row| row.get(s.organization).int());
    let farms = by_id(context, "organizations", farms.collect::<Vec<_>>(), &["name"]).await?;
    let people = fresh.iter().filter_map(|row| row.get(s.invited_by).int());
    let users = context.collection("users")?;
    let names = users.name_paths();
    let people = by_id(context, users.slug, people.collect::<Vec<_>>(), &names).await?;
    let organizations = context.collection("organizations")?;
    for row in fresh {
        let (Some(to), Some(token)) = (row.get(s.email).text(), row.get(s.token).text()) else {
            continue;
        };
        let farm = row.get(s.organization).int().and_then(|id| farms.get(&id));
        let farm = farm.and_then(|farm| organizations.name_of(farm));
        let inviter = row.get(s.invited_by).int().and_then(|id| people.get(&id));
        let inviter = inviter.and_then(|user| users.name_of(user));
        let until = row.get(s.expires).time().unwrap_or_default();
        let letter = Letter::new(to, Template::Invitation, until)
            .with("collection", "invitations")
            .with("organization", &unlinked(&farm.unwrap_or_default()))
            .with("inviter", &unlinked(&inviter.unwrap_or_default()))
            .with("token", token)
            .with("days", &DAYS.to_string());
        context.mail(&letter).await?;
    }
    Ok(())
}

/// What the invited person states about themselves.
#[derive(Debug, Clone)]
pub struct Acceptance {
    /// SHA-256 of the token that the person sends.
    pub digest: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Verifier of the person's password.
    pub verifier: String,
}

/// Makes the user of an invitation, and answers its id.
///
/// # Errors
/// [`Error::Invalid`] on `token` when it opens nothing (never made, accepted, revoked and
/// expired look alike), on `email` when there is such an account already, and on the names.
pub async fn accept(context: &mut dyn HookContext, said: Acceptance) -> Result<i64> {
    let s = Slots::get();
    let lookup = Lookup::default().is_in("tokenDigest", vec![said.digest.as_str().into()]);
    let invitations = context.find("invitations", lookup).await?;
    let now = context.now();
    let live = invitations.into_iter().find(|row| {
        row.get(s.accepted).is_null()
            && row.get(s.revoked).is_null()
            && row.get(s.expires).time().is_some_and(|end| end > now)
    });
    let Some(row) = live else {
        let message = "This invitation does not exist, or is no longer valid.";
        return Err(Error::invalid("token", "not-valid", message));
    };
    let fields = vec![
        ("email".to_owned(), row.get(s.email).clone()),
        ("firstName".to_owned(), said.first_name.into()),
        ("lastName".to_owned(), said.last_name.into()),
        ("organization".to_owned(), row.get(s.organization).clone()),
        ("orgRole".to_owned(), row.get(s.org_role).clone()),
        ("verifier".to_owned(), said.verifier.into()),
    ];
    let made = context.write("users", vec![Command::Create(fields)]).await?;
    let user = made.first().copied();
    let user = user.ok_or_else(|| Error::internal("no id for the invited user"))?;
    let id = row.get(ID).int().unwrap_or_default();
    let fields = vec![("acceptedAt".to_owned(), Value::Time(now)), ("acceptedBy".to_owned(), Value::Int(user))];
    context.write("invitations", vec![Command::Update(id, fields)]).await?;
    context.operate(Operation {
        action: "member-joined",
        actor: Some(user),
        organization: row.get(s.organization).int(),
        subject: Some(("user", "users", user)),
        ..Operation::default()
    });
    Ok(user)
}

#[cfg(test)]
mod tests {
    use super::unlinked;
    use test_support::table;

    #[test]
    fn names_in_letters_are_no_links() {
        for (name, expected) in table![
            "ООО «Ромашка»", "ООО «Ромашка»";
            "А.Н. Иванов", "А Н. Иванов";
            "Win! https://evil.example/x now", "Win! https   evil example x now";
            "www.evil.com", "www evil com";
            "a@b.c", "a b c";
            "a\u{202e}b\r\nBcc: x", "ab  Bcc  x";
        ] {
            assert_eq!(unlinked(name), expected);
        }
        assert_eq!(unlinked(&"x".repeat(300)).len(), 100);
    }
}
