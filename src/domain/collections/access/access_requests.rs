//! Requests for access: a user who is interested in an animal asks its owner, who approves or
//! declines (docs/states.md, *access-requests · status*). An approval issues the grant.

use crate::collections::access::by_key;
use crate::collections::dictionaries::codes::SCOPES;
use crate::collections::dictionaries::lookups::{by_id, related_ids};
use crate::collections::herd::animals::{Animal, Slots as Animals};
use crate::collections::hooks::hooks;
use crate::collections::people::notices::{Notice, counted, notify};
use crate::collections::slots::slots;
use model::error::Result;
use model::letter::Template;
use model::record::{Record, Value};
use model::registry::{
    Access, BookReader, Capability, Change, Collection, Command, Decl, Draft, HookContext, Move, Rule, Set, States,
    Verb, Who, fields, instant, long_text, moves, relation, select, selects,
};

pub(crate) fn access_requests() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Signed)
        .update(Rule::Own(Capability::Share))
        .delete(Rule::Admin)
        .subjects(&["owner", "requesterOrg", "requester"])
        .write_subjects(&["owner"]);
    Collection::new("access-requests", access, fields())
        .stock("requesterOrg", "requester")
        .animal("animal")
        .hooks(Behaviour)
        .states(steps())
        .told_by(&["requesterOrg", "createdAt"])
        .columns(&["animal", "requesterOrg", "purpose", "scopes", "status", "createdAt"])
        // An animal that was sold since is the present owner's to open.
        .waits_while(("owner", "animal.owner"), "status", &["new"])
        .index(&["owner", "status"])
        .index(&["requester", "animal"])
        .doc("Requests to owners to open an animal.")
}

fn fields() -> Vec<Decl> {
    fields![
        relation("animal", "animals").required().once().cascade() => "Animal that is requested.",
        relation("owner", "organizations").server()
            => "Owner of the animal at the time of the request; decides on the request.",
        relation("requester", "users").server() => "User who makes the request.",
        relation("requesterOrg", "organizations").server() => "Organisation for which the user makes the request.",
        select("purpose", "purchase|semen|mating|verification|research|other").required().default("purchase").once()
            => "Purpose of the request.",
        select("status", "new|approved|declined").default("new").indexed() => "State of the request.",
        selects("scopes", SCOPES) => "Scopes that are requested; the owner may change them before approving.",
        long_text("comment").once() => "Comment of the requester.",
        long_text("response") => "Answer of the owner.",
        instant("decidedAt").server() => "Time of the decision.",
        relation("decidedBy", "users").server() => "User who decided.",
    ]
}

fn steps() -> States {
    let owner = Who::Farm(Capability::Share);
    let decided = |one: Move| {
        one.by(owner).by(Who::Association).set("decidedAt", Set::Now).set("decidedBy", Set::Me).asks(&["response"])
    };
    moves![States::of("status").begun_by_server();
        decided(Move::new(&["new"], "approved").needs(&["scopes", "requesterOrg"]))
            => "Issues a grant of the scopes on the animal to the requester's organisation.",
        decided(Move::new(&["new"], "declined")).grave(),
    ]
}

slots!(Slots of "access-requests" {
    animal, owner, requester, requester_org: "requesterOrg", status, scopes, decided_by: "decidedBy", response,
});

hooks!(Behaviour {
    prepare(context, drafts) {
        prepare(context, drafts).await
    }
    check(context, drafts) {
        check(context, drafts).await
    }
    effects(collection, context, changes) {
        issue(context, changes).await?;
        let notices = notices_of(collection, changes);
        notify(context, notices).await
    }
});

/// The requester and the owner: from the session and the animal.
async fn prepare(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let ids = related_ids(drafts, s.animal);
    let animals = by_id(context, "animals", ids, &["owner"]).await?;
    let caller = context.caller().clone();
    for draft in drafts.iter_mut().filter(|d| d.verb == Verb::Create) {
        let animal = draft.new.get(s.animal).int();
        let owner = animal.and_then(|id| animals.get(&id)).and_then(owner);
        if draft.new.get(s.owner).is_null() {
            draft.new.set(s.owner, owner);
        }
        if caller.user.is_some() {
            draft.new.set(s.requester, caller.user);
            draft.new.set(s.requester_org, caller.organization);
        }
    }
    Ok(())
}

fn owner(animal: &Record) -> Option<i64> {
    Animal(animal).link(Animals::get().owner)
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let ids = related_ids(drafts, s.animal);
    let animals = by_id(context, "animals", ids, &["owner"]).await?;
    for draft in drafts.iter_mut() {
        let (giver, asks) = (draft.new.get(s.owner).int(), draft.new.get(s.requester_org));
        let fault = match draft.verb {
            Verb::Create if giver.is_some() && asks.int() == giver => {
                Some(("animal", "same-organization", "The animal belongs to your organisation."))
            }
            Verb::Update if approved(draft.old.as_ref(), &draft.new) => {
                let animal = draft.new.get(s.animal).int();
                let present = animal.and_then(|id| animals.get(&id)).and_then(owner);
                // A request to the former owner does not bind the present owner.
                let sold = "The animal has another owner now.";
                (present != giver).then_some(("status", "not-the-owner", sold))
            }
            _ => None,
        };
        if let Some((path, code, message)) = fault {
            draft.fault(path, code, message);
        }
    }
    Ok(())
}

/// Whether a row changes from another state to approved.
fn approved(old: Option<&Record>, new: &Record) -> bool {
    let is = |row: &Record| row.get(Slots::get().status).text() == Some("approved");
    is(new) && old.is_some_and(|old| !is(old))
}

/// What owners read of new requests, and requesters of the answer.
fn notices_of(c: &'static Collection, changes: &[Change]) -> Vec<Notice> {
    let s = Slots::get();
    let new = |change: &Change| match &change.old {
        None => change.new.as_ref()?.get(s.owner).int(),
        Some(_) => None,
    };
    let mut notices = counted(Template::AccessRequested, c.slug, changes.iter().filter_map(new));
    let answer = |change: &Change| {
        let (new, _) = (change.new.as_ref()?, change.old.as_ref()?);
        let template = match c.moved("status", change)?.to {
            "approved" => Template::AccessApproved,
            "declined" => Template::AccessDeclined,
            _ => return None,
        };
        // An individual asks without an organisation.
        let notice = match new.get(s.requester_org).int() {
            Some(organization) => Notice::new(template, organization),
            None => Notice::of_user(template, new.get(s.requester).int()?),
        };
        let notice = notice.about(c.slug, new).with_day("date", new.get(c.created_slot()));
        Some(notice.with_remark(new.get(s.response)))
    };
    notices.extend(changes.iter().filter_map(answer));
    notices
}

/// The grants of requests that were approved.
async fn issue(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let key = by_key::key_of(context.caller());
    let fields = [
        ("owner", s.owner),
        ("grantee", s.requester_org),
        ("animal", s.animal),
        ("scopes", s.scopes),
        ("issuedBy", s.decided_by),
    ];
    let grants: Vec<Command> = (changes.iter())
        .filter_map(|c| {
            let new = c.new.as_ref()?;
            let given = approved(c.old.as_ref(), new);
            let fields = fields.map(|(path, slot)| (path.to_owned(), new.get(slot).clone()));
            let request = ("request".to_owned(), c.id.into());
            let key = key.clone().map(|key| (by_key::OPENED_WITH.to_owned(), Value::from(key)));
            let fields = fields.into_iter().chain([request]).chain(key).collect();
            given.then_some(Command::Create(fields))
        })
        .collect();
    context.write("access-grants", grants).await.map(drop)
}
