//! Emails about packages: to their farms, and to the Association about comments of these (docs/letters.md).

use super::{IntakeSlots, Slots};
use crate::collections::people::notices::{Notice, notify};
use crate::collections::verification::comments;
use model::error::Result;
use model::letter::Template;
use model::record::Record;
use model::registry::{Change, Collection, HookContext};

/// Tells farms of the steps of their packages, and either side of comments of the other one.
pub(super) async fn steps(c: &'static Collection, context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let notices = changes.iter().flat_map(|change| step(c, change).into_iter().chain(comment(change)));
    let notices = notices.collect();
    notify(context, notices).await
}

fn comment(change: &Change) -> Option<Notice> {
    let (s, new) = (Slots::get(), change.new.as_ref()?);
    let concerned = (new.get(s.organization).int()?, new.get(s.assignee).int());
    let templates = [Template::PackageComment, Template::PackageFarmComment];
    let notice = comments::notice(change, s.comments, templates, concerned)?;
    Some(notice.about("data-submissions", new).with_text("number", new.get(s.number)))
}

fn step(c: &'static Collection, change: &Change) -> Option<Notice> {
    let s = Slots::get();
    let (new, _) = (change.new.as_ref()?, change.old.as_ref()?);
    let template = match c.moved("status", change)?.to {
        "uploaded" => Template::PackageReturned,
        // With the consent already given it is accepted at once, and the email says so.
        "checked" if !new.get(s.agreed).truth() => Template::PackageChecked,
        "accepted" => Template::PackageAccepted,
        "rejected" => Template::PackageRejected,
        _ => return None,
    };
    Some(about(template, new)?.with_remark(new.get(s.comment)))
}

/// Tells a farm that the file of its package was read, with the counts.
///
/// # Errors
/// The errors of the context.
pub async fn tell_read(context: &mut dyn HookContext, row: &Record) -> Result<()> {
    let n = IntakeSlots::get();
    let counts = [("rows", n.rows), ("created", n.created), ("updated", n.updated), ("held", n.held)];
    let notice = about(Template::PackageRead, row).map(|notice| {
        let with = |notice: Notice, (place, slot)| notice.with_number(place, row.get(slot));
        counts.into_iter().fold(notice, with)
    });
    notify(context, notice.into_iter().collect()).await
}

/// Tells a farm that the file of its package cannot be read.
///
/// # Errors
/// The errors of the context.
pub async fn tell_failed(context: &mut dyn HookContext, row: &Record, code: &str) -> Result<()> {
    let notice = about(Template::PackageFailed, row).map(|notice| notice.with("code", code));
    notify(context, notice.into_iter().collect()).await
}

fn about(template: Template, row: &Record) -> Option<Notice> {
    let s = Slots::get();
    let organization = row.get(s.organization).int()?;
    let notice = Notice::new(template, organization).about("data-submissions", row);
    Some(notice.with_text("number", row.get(s.number)))
}
