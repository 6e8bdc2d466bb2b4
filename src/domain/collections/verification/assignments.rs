//! Upload assignments: what the Association asks a farm to send, and until when (docs/states.md,
//! *upload-assignments · status*).

use crate::collections::dictionaries::datasets::{self, KINDS};
use crate::collections::dictionaries::lookups::written;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::derive::{day_of, instant_of};
use model::error::Result;
use model::record::Value;
use model::registry::{
    Access, Collection, Command, HookContext, ID, Lookup, Move, Rule, States, Test, Who, day,
    fields, long_text, moves, relation, select, text_n,
};

/// Assignments of one step of the job.
const STEP: i64 = 300;

/// The collection.
pub(crate) fn upload_assignments() -> Collection {
    let access = Access::read(Rule::Farm)
        .write(Rule::Assoc)
        .subjects(&["organization"]);
    let fields = fields![
        relation("organization", "organizations").required() => "Organisation that is asked to send.",
        select("kind", KINDS).required() => "Kind of package.",
        text_n("dataset", 20) => "Data set of that kind.",
        day("periodFrom").required() => "First day of the requested period.",
        day("periodTo").required() => "Last day of the requested period.",
        day("dueDate").required().indexed() => "Last day for sending it.",
        relation("assignee", "users") => "User of the Association who is responsible for it.",
        relation("submission", "data-submissions").server() => "The package that was sent for it, the latest.",
        select("status", "open|inProgress|done|overdue|cancelled").default("open").indexed()
            => "State of the assignment.",
        long_text("comment") => "Remark.",
    ];
    Collection::new("upload-assignments", access, fields)
        .states(steps())
        .hooks(Behaviour)
        .doc("Packages that the Association asked for.")
}

fn steps() -> States {
    let follows = |from, to, doc| Move::new(from, to).by(Who::System).doc(doc);
    moves![States::of("status");
        follows(&["open"], "inProgress", "A package was linked to it."),
        follows(&["open", "inProgress"], "overdue", "Its due date is over."),
        follows(&["inProgress", "overdue"], "done", "Its package was accepted."),
        Move::new(&["open", "inProgress", "overdue"], "cancelled").by(Who::Association),
    ]
}

slots!(
    /// Slots of `upload-assignments`.
    Slots of "upload-assignments" {
        kind: "kind", dataset: "dataset", from: "periodFrom", to: "periodTo",
    }
);

hooks!(Behaviour {
    check(_context, drafts) {
        let s = Slots::get();
        for draft in written(drafts) {
            datasets::check(draft, s.kind, s.dataset);
            datasets::period(draft, s.from, s.to);
        }
        Ok(())
    }
});

/// One step of the job that marks assignments whose due date is over; whether there may
/// be more.
///
/// # Errors
/// The errors of the hook context.
pub async fn overdue(context: &mut dyn HookContext) -> Result<bool> {
    let today = instant_of(day_of(context.now()));
    let lookup = Lookup::default()
        .is_in("status", vec!["open".into(), "inProgress".into()])
        .test("dueDate", Test::Before(Value::Time(today)))
        .fields(&["id"])
        .limit(STEP);
    let rows = context.find("upload-assignments", lookup).await?;
    let late: Vec<Command> = (rows.iter().filter_map(|row| row.get(ID).int()))
        .map(|id| Command::Update(id, vec![("status".to_owned(), "overdue".into())]))
        .collect();
    if late.is_empty() {
        return Ok(false);
    }
    let full = i64::try_from(late.len()).is_ok_and(|n| n == STEP);
    context.write("upload-assignments", late).await?;
    Ok(full)
}
