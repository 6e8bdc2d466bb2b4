//! Upload assignments: what the Association asks a farm to send, and until when (docs/states.md,
//! *upload-assignments · status*).

use crate::collections::dictionaries::datasets::{self, KINDS};
use crate::collections::dictionaries::lookups::{by_id, written};
use crate::collections::hooks::hooks;
use crate::collections::people::notices::{Notice, notify};
use crate::collections::slots::slots;
use crate::derive::{day_of, instant_of};
use model::error::Result;
use model::letter::Template;
use model::record::zone::clock;
use model::record::{Record, Value};
use model::registry::{
    Access, Assignee, BookReader, BulkMode, Caller, Change, Class, Collection, Command, Draft, ForMany, HookContext,
    ID, Lookup, Move, Open, Rule, States, Test, Verb, Who, Wording, day, fields, int, long_text, moves, relation,
    select, text_n,
};

const SLUG: &str = "upload-assignments";
/// Assignments of one step of a job.
const STEP: i64 = 300;

pub(crate) fn upload_assignments() -> Collection {
    let access = Access::read(Rule::Farm).write(Rule::Assoc).subjects(&["organization"]);
    let fields = fields![
        relation("organization", "organizations").required() => "Organisation that is to send.",
        select("kind", KINDS).required() => "Kind of package.",
        text_n("dataset", 20).wording(Wording::Set) => "Data set of that kind.",
        day("periodFrom").required() => "First day of the requested period.",
        day("periodTo").required() => "Last day of the requested period.",
        day("dueDate").required().indexed() => "Last day for sending it.",
        relation("assignee", "users").among("role", "expert,admin") => "User of the Association who is responsible for it.",
        relation("submission", "data-submissions").server() => "The package that was sent for it, the latest.",
        select("status", "open|inProgress|done|overdue|cancelled").default("open").indexed()
            => "State of the assignment.",
        long_text("comment") => "Remark.",
        int("reminded").server().class(Class::Hidden).memory()
            => "Days before the due date of the last reminder.",
    ];
    Collection::new(SLUG, access, fields)
        .states(steps())
        .columns(&["organization", "kind", "dataset", "periodFrom", "periodTo", "dueDate", "status"])
        .told_by(&["organization", "periodFrom", "periodTo"])
        .assigned("assignee")
        .waits(Assignee::Association, "status", &["overdue"])
        .waits(Assignee::Party("organization"), "status", &["open", "overdue"])
        .for_many(ForMany {
            name: "for-organizations",
            relation: "organization",
            same: &["kind", "dataset", "periodFrom", "periodTo"],
            open: Open::While("status", &["open", "inProgress", "overdue"]),
            only: Some(("presence", "registered")),
            how: BulkMode::Together,
            doc: "makes one for each of many organisations that take part in the book. Organisations that have the same \
                  one already (kind, data set, period), not done and not cancelled, are left out \
                  ([writing](../writing.md#one-for-each-of-many)).",
        })
        .hooks(Behaviour)
        .doc("Packages that the Association requests.")
}

fn steps() -> States {
    let follows = |from, to, doc| Move::new(from, to).by(Who::System).doc(doc);
    moves![States::of("status");
        follows(&["open"], "inProgress", "A package was linked to it."),
        follows(&["open", "inProgress"], "overdue", "Its due date is over."),
        follows(&["inProgress", "overdue"], "done", "Its package was accepted."),
        Move::new(&["open", "inProgress", "overdue"], "cancelled").by(Who::Association).grave(),
    ]
}

slots!(Slots of "upload-assignments" {
    organization, kind, dataset, from: "periodFrom", to: "periodTo", due: "dueDate", status, comment, reminded,
});

slots!(
    /// Slots of `organizations` that assignments read.
    Organizations of "organizations" { presence }
);

hooks!(Behaviour {
    check(context, drafts) {
        let s = Slots::get();
        taking_part(context, drafts).await?;
        for draft in written(drafts) {
            datasets::check(draft, s.kind, s.dataset);
            datasets::period(draft, s.from, s.to);
            // Another due date has reminders of its own.
            if draft.verb == Verb::Update && draft.changes(s.due) {
                draft.new.set(s.reminded, Value::Null);
            }
        }
        Ok(())
    }
    effects(collection, context, changes) {
        let entered = context.caller().caller != Caller::System;
        let notices = changes.iter().filter_map(|change| notice_of(collection, change, entered));
        let notices = notices.collect();
        notify(context, notices).await
    }
});

/// Only an organisation that takes part in the book can get one: the others have nobody who reads it.
async fn taking_part(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    if context.caller().caller == Caller::System {
        return Ok(());
    }
    let (s, o) = (Slots::get(), Organizations::get());
    let asks = |draft: &Draft| draft.verb != Verb::Delete && draft.changes(s.organization);
    let organizations = drafts.iter().filter(|draft| asks(draft));
    let organizations: Vec<i64> = organizations.filter_map(|draft| draft.new.get(s.organization).int()).collect();
    let rows = by_id(context, "organizations", organizations, &["presence"]).await?;
    for draft in drafts.iter_mut().filter(|draft| asks(draft)) {
        let row = draft.new.get(s.organization).int().and_then(|id| rows.get(&id));
        if row.is_some_and(|row| row.get(o.presence).text() != Some("registered")) {
            let message = "The organisation does not take part in the book itself.";
            draft.fault("organization", "not-registered", message);
        }
    }
    Ok(())
}

/// What the farm reads of a change. What the installation brings in by itself is no news.
fn notice_of(c: &'static Collection, change: &Change, entered: bool) -> Option<Notice> {
    let (s, new) = (Slots::get(), change.new.as_ref()?);
    let template = match (&change.old, new.get(s.status).text()) {
        (None, Some("open")) if entered => Template::AssignmentMade,
        (Some(_), Some("overdue")) if c.moved("status", change).is_some() => Template::AssignmentOverdue,
        _ => return None,
    };
    Some(about(template, new)?.with_remark(new.get(s.comment)))
}

/// An occasion of an assignment, for its farm.
fn about(template: Template, row: &Record) -> Option<Notice> {
    let s = Slots::get();
    let dataset = row.get(s.dataset).text().filter(|set| !set.is_empty());
    let notice = Notice::new(template, row.get(s.organization).int()?)
        .about(SLUG, row)
        .with_text("kind", row.get(s.kind))
        .with("dataset", dataset.unwrap_or("none"))
        .with_day("from", row.get(s.from))
        .with_day("to", row.get(s.to))
        .with_day("due", row.get(s.due));
    Some(notice)
}

/// One step of the job that reminds of open assignments `days` before they are due, unless that was done; whether there
/// may be more. An assignment that was made later than that is not reminded of so early.
///
/// # Errors
/// The errors of the hook context.
pub async fn remind(context: &mut dyn HookContext, days: i64) -> Result<bool> {
    let (c, s) = (context.collection(SLUG)?, Slots::get());
    let today = day_of(clock(&context.zone(), context.now()));
    let (first, end) = (instant_of(today), instant_of(today + days + 1));
    let open = |reminded: Test| {
        Lookup::default()
            .is_in("status", vec!["open".into()])
            .test("dueDate", Test::From(Value::Time(first)))
            .test("dueDate", Test::Before(Value::Time(end)))
            .test("reminded", reminded)
            .order(&["id"])
            .limit(STEP)
    };
    let mut rows = context.find(SLUG, open(Test::Empty)).await?;
    // Reminders come closer to the due date, and never go back.
    let earlier = open(Test::From(Value::Int(days + 1)));
    rows.extend(context.find(SLUG, earlier).await?);
    if rows.is_empty() {
        return Ok(false);
    }
    let mut notices = Vec::new();
    for row in &rows {
        let due = row.get(s.due).time().map(day_of);
        let made = row.get(c.created_slot()).time().map(day_of);
        let (Some(due), Some(made)) = (due, made) else {
            continue;
        };
        if made < due - days {
            let left = (due - today).to_string();
            let notice = about(Template::AssignmentDue, row);
            notices.extend(notice.map(|notice| notice.with("days", &left)));
        }
    }
    let reminded = rows.iter().filter_map(|row| row.get(ID).int());
    let reminded = reminded.map(|id| (id, vec![(s.reminded, Value::Int(days))]));
    let reminded = reminded.collect();
    context.amend(SLUG, reminded).await?;
    notify(context, notices).await?;
    Ok(true)
}

/// One step of the job that marks assignments whose due date is over; whether there may
/// be more.
///
/// # Errors
/// The errors of the hook context.
pub async fn overdue(context: &mut dyn HookContext) -> Result<bool> {
    let today = instant_of(day_of(clock(&context.zone(), context.now())));
    let lookup = Lookup::default()
        .is_in("status", vec!["open".into(), "inProgress".into()])
        .test("dueDate", Test::Before(Value::Time(today)))
        .fields(&["id"])
        .limit(STEP);
    let rows = context.find(SLUG, lookup).await?;
    let late: Vec<Command> = (rows.iter().filter_map(|row| row.get(ID).int()))
        .map(|id| Command::Update(id, vec![("status".to_owned(), "overdue".into())]))
        .collect();
    if late.is_empty() {
        return Ok(false);
    }
    let full = i64::try_from(late.len()).is_ok_and(|n| n == STEP);
    context.write(SLUG, late).await?;
    Ok(full)
}
