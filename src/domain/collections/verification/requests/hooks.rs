//! What happens around writing requests.

use super::{ANIMALS_MAX, Slots, decide, preview, proposed};
use crate::collections::dictionaries::lookups::{by_id, related, written};
use crate::collections::herd::animals::{Animal, Slots as Animals, list_of};
use crate::collections::hooks::hooks;
use crate::collections::people::notices::{Notice, notify};
use crate::collections::verification::check_findings::{OpenFinding, open_findings};
use crate::collections::verification::comments;
use model::error::Result;
use model::letter::Template;
use model::record::{Record, Value, time};
use model::registry::{BookReader, Caller, Change, Collection, Command, Draft, HookContext, ID, Verb};
use model::said;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

hooks!(pub(super) Behaviour {
    check(context, drafts) {
        comments::add(context, drafts, Slots::get().comments);
        check(context, drafts).await
    }
    complete(context, drafts) {
        number(context, drafts).await
    }
    effects(collection, context, changes) {
        for change in changes {
            follow(collection, context, change).await?;
        }
        let notices = changes
            .iter()
            .flat_map(|change| notice_of(collection, change).into_iter().chain(comment_notice(collection, change)));
        let notices = notices.collect();
        notify(context, notices).await
    }
});

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let caller = context.caller().clone();
    let now = context.now();
    let fresh = |d: &Draft| d.verb == Verb::Create || [s.animals, s.purpose, s.proposed].iter().any(|x| d.changes(*x));
    let judged = || drafts.iter().filter(|d| d.verb != Verb::Delete && fresh(d));
    let ids: BTreeSet<i64> = judged().flat_map(|d| d.new.get(s.animals).ids().to_vec()).collect();
    let organizations = judged().filter_map(|d| d.new.get(s.organization).int()).collect();
    let fields = ["owner", "registration.status"];
    let animals = by_id(context, "animals", ids, &fields).await?;
    let members = decide::memberships(context, organizations).await?;
    let declared = context.collection("animals")?;
    for draft in written(drafts) {
        if fresh(draft) {
            // What the system takes over was judged where it comes from.
            if caller.caller != Caller::System {
                listed(context, draft, &animals).await?;
                may_ask(context, draft, &animals, &members).await?;
            }
            proposed::check(declared, draft);
        }
        if draft.changes(s.dismissed) {
            dismissed(draft, caller.user, now);
            if caller.caller != Caller::System {
                check_dismissals(context, draft).await?;
            }
        }
    }
    let stepped = |d: &Draft| {
        let word = d.new.get(s.status).text();
        d.changes(s.status) && matches!(word, Some("checking" | "approved"))
    };
    let compared = written(drafts).filter(|d| d.clean() && (stepped(d) || fresh(d)));
    let corrects = |d: &&mut Draft| !d.new.get(s.proposed).rows().is_empty();
    let compared: Vec<&mut Draft> = compared.filter(corrects).collect();
    if !compared.is_empty() {
        proposed::refresh(context, compared).await?;
    }
    for draft in written(drafts).filter(|d| d.clean()) {
        if draft.verb == Verb::Create {
            begin(draft, caller.user, now);
        } else if draft.changes(s.status) && draft.new.get(s.status).text() == Some("approved") {
            decide::count(context, draft).await?;
        }
    }
    Ok(())
}

/// Own animals, as many as one can look after, none for membership.
async fn listed(context: &mut dyn BookReader, draft: &mut Draft, animals: &BTreeMap<i64, Record>) -> Result<()> {
    let s = Slots::get();
    let list = draft.new.get(s.animals).ids();
    let membership = draft.new.get(s.purpose).text() == Some("membership");
    let owner = draft.new.get(s.organization).int();
    let foreign: Vec<i64> = (list.iter())
        .filter(|id| {
            let animal = animals.get(*id).map(Animal);
            animal.is_some_and(|a| a.link(Animals::get().owner) != owner)
        })
        .copied()
        .collect();
    let mut faults = Vec::new();
    if membership && !list.is_empty() {
        faults.push(("not-allowed", "Membership is not about animals.".into()));
    } else if !membership && list.is_empty() {
        faults.push(("required", "This field is required.".into()));
    } else if list.len() > ANIMALS_MAX {
        let message = said!("At most {limit} animals at once.", limit = ANIMALS_MAX);
        faults.push(("too-many", message));
    } else if !foreign.is_empty() {
        let message = said!("Not animals of the organisation: {list}.", list = list_of(context, foreign).await?);
        faults.push(("foreign-animal", message));
    }
    for (code, message) in faults {
        draft.fault("animals", code, message);
    }
    Ok(())
}

/// What is registered or applied for is not applied for; who is a member does not join.
async fn may_ask(
    context: &mut dyn BookReader,
    draft: &mut Draft,
    animals: &BTreeMap<i64, Record>,
    members: &BTreeMap<i64, String>,
) -> Result<()> {
    let s = Slots::get();
    if draft.verb != Verb::Create {
        return Ok(());
    }
    match draft.new.get(s.purpose).text() {
        Some("registration") => {
            let slot = Animals::get().registration;
            let stands = |id: &&i64| {
                let status = animals.get(*id).and_then(|a| a.get(slot).text());
                matches!(status, Some("registered" | "withdrawn"))
            };
            let list = draft.new.get(s.animals).ids();
            let registered: Vec<i64> = list.iter().filter(stands).copied().collect();
            if !registered.is_empty() {
                let message =
                    said!("Registered already, or withdrawn: {list}.", list = list_of(context, registered).await?);
                draft.fault("animals", "registered", message);
            }
        }
        Some("membership") => {
            let organization = draft.new.get(s.organization).int();
            let stands = organization.and_then(|id| members.get(&id));
            if stands.is_some_and(|m| m == "member" || m == "suspended") {
                let message = "The organisation is a member already, or suspended.";
                draft.fault("purpose", "member", message);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The user who dismissed a finding, and when; a sent name does not count.
fn dismissed(draft: &mut Draft, user: Option<i64>, now: i64) {
    let s = Slots::get();
    let before = draft.old.as_ref().map(|o| o.get(s.dismissed).rows().to_vec());
    let before = before.unwrap_or_default();
    let id = |row: &Json| row.get("id").cloned();
    let rows = draft.new.get(s.dismissed).rows().iter().map(|row| {
        let earlier = before.iter().find(|b| id(b) == id(row));
        let mut row = row.clone();
        for (name, mine) in [("by", Json::from(user)), ("at", Json::from(time::to_iso(now)))] {
            let value = earlier.and_then(|k| k.get(name)).filter(|v| !v.is_null());
            if let Some(member) = row.get_mut(name) {
                *member = value.cloned().unwrap_or(mine);
            }
        }
        row
    });
    let rows = rows.collect();
    draft.new.set(s.dismissed, Value::json(Json::Array(rows)));
}

/// What is dismissed was found, and the farm reads it: it reads the request too, and must not learn of findings there
/// that rest on what it does not see. Those are dismissed in `check-findings` alone.
async fn check_dismissals(context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let before = draft.old.as_ref().map(preview::dismissals).unwrap_or_default();
    let given = preview::dismissals(&draft.new);
    let given: BTreeSet<_> = given.difference(&before).collect();
    let animals = given.iter().map(|(animal, ..)| *animal).collect();
    let all = open_findings(context, &animals).await?;
    let (farm, listed) = (draft.new.get(s.organization).int(), preview::listed(&draft.new));
    let reported = |(animal, code, _): &(i64, String, String)| {
        let same = |f: &&OpenFinding| f.animal == *animal && f.code == *code;
        listed.contains(animal) && all.iter().filter(same).any(|f| f.reader == farm)
    };
    let mut places = Vec::new();
    for (place, row) in draft.new.get(s.dismissed).rows().iter().enumerate() {
        if let Some(one) = preview::dismissal(row)
            && given.contains(&one)
            && !reported(&one)
        {
            places.push(place);
        }
    }
    for place in places {
        let message =
            "Nothing that must be corrected and that the farm reads was found of this animal by a check of this code.";
        draft.fault(format!("review.dismissed.{place}.code"), "no-such-finding", message);
    }
    Ok(())
}

/// Time and person of a new request.
fn begin(draft: &mut Draft, user: Option<i64>, now: i64) {
    let s = Slots::get();
    if draft.new.get(s.requested_at).is_null() {
        draft.new.set(s.requested_at, Value::Time(now));
    }
    if draft.new.get(s.requested_by).is_null() {
        draft.new.set(s.requested_by, user);
    }
}

/// New requests get the next numbers of their year.
async fn number(context: &mut dyn HookContext, drafts: &mut [Draft]) -> Result<()> {
    let (s, now) = (Slots::get(), context.now());
    let due = |d: &&mut Draft| d.verb == Verb::Create && d.new.get(s.number).is_null();
    for draft in drafts.iter_mut().filter(due) {
        let at = draft.new.get(s.requested_at).time().unwrap_or(now);
        let iso = time::to_iso(at);
        let year = iso.get(..4).unwrap_or_default();
        let next = context.next(&format!("verification-requests:{year}"), 1).await?;
        draft.new.set(s.number, format!("В-{year}-{next:03}"));
    }
    Ok(())
}

/// What the other side reads of comments.
fn comment_notice(c: &'static Collection, change: &Change) -> Option<Notice> {
    let (s, new) = (Slots::get(), change.new.as_ref()?);
    let concerned = (new.get(s.organization).int()?, new.get(s.assignee).int());
    let templates = [Template::RequestComment, Template::RequestFarmComment];
    let notice = comments::notice(change, s.comments, templates, concerned)?;
    Some(notice.about(c.slug, new).with_text("number", new.get(s.number)))
}

/// What the organisation reads of a decision.
fn notice_of(c: &'static Collection, change: &Change) -> Option<Notice> {
    let s = Slots::get();
    let (new, _) = (change.new.as_ref()?, change.old.as_ref()?);
    let template = match c.moved("status", change)?.to {
        "approved" => Template::RequestApproved,
        "rejected" => Template::RequestRejected,
        _ => return None,
    };
    let notice = Notice::new(template, new.get(s.organization).int()?)
        .about(c.slug, new)
        .with_text("number", new.get(s.number))
        .with_number("animals", new.get(s.approved))
        .with_number("held", new.get(s.held))
        .with_remark(new.get(s.comment));
    Some(notice)
}

async fn follow(c: &'static Collection, context: &mut dyn HookContext, change: &Change) -> Result<()> {
    let Some(new) = &change.new else {
        return Ok(());
    };
    decide::dismissed(context, change).await?;
    match c.moved("status", change).map(|one| one.to) {
        Some("checking") => decide::take(context, new).await,
        Some("new") => {
            resubmitted(c, context, change.id, new).await?;
            decide::begin(context, new).await
        }
        Some("approved") => decide::approve(context, new).await,
        Some("rejected") => decide::reject(context, new).await,
        Some("cancelled") => decide::cancel(context, new).await,
        _ => Ok(()),
    }
}

/// Cancels the open requests of the same purpose that the new one covers.
async fn resubmitted(c: &'static Collection, context: &mut dyn HookContext, id: i64, new: &Record) -> Result<()> {
    let s = Slots::get();
    let Some(organization) = new.get(s.organization).int() else {
        return Ok(());
    };
    let covered: BTreeSet<i64> = new.get(s.animals).ids().iter().copied().collect();
    let fields = ["status", "purpose", "animals"];
    let rows = related(context, c.slug, "organization", [organization], &fields).await?;
    let open = |row: &&Record| {
        matches!(row.get(s.status).text(), Some("new" | "checking"))
            && row.get(s.purpose) == new.get(s.purpose)
            && row.get(ID).int() != Some(id)
            && row.get(s.animals).ids().iter().all(|a| covered.contains(a))
    };
    let commands: Vec<Command> = (rows.iter().filter(open))
        .filter_map(|row| row.get(ID).int())
        .map(|id| {
            let fields = vec![
                ("status".to_owned(), Value::from("cancelled")),
                ("withdrawnFor".to_owned(), new.get(s.number).clone()),
            ];
            Command::Update(id, fields)
        })
        .collect();
    context.write(c.slug, commands).await.map(drop)
}
