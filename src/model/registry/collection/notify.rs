//! The fields of a collection of webhooks besides those that users write: the place of each row in
//! its outbox. The task that sends finds the fields by these names, so that no collection is known
//! to it by its slug. Also the actions that may be requested of rows ([`Action`]).

use crate::registry::field::{Decl, Field, int, relation, text};
use crate::registry::{Class, Collection};

/// The organisation whose location the webhook is about; empty: all locations.
pub const ORGANIZATION: &str = "organization";
/// Where it is sent.
pub const URL: &str = "url";
/// The data set that the webhook is about.
pub const DATASET: &str = "dataset";
/// Whether it is sent at all.
pub const ENABLED: &str = "enabled";
/// The user who registered it: it reports only what that user may read.
pub const CREATED_BY: &str = "createdBy";
/// When its signing key was exchanged.
pub const ROTATED_AT: &str = "secretRotatedAt";
/// The last position in commit order that was reported to it.
pub const DELIVERED: &str = "deliveredSeq";
/// When that was.
pub const DELIVERED_AT: &str = "deliveredAt";
/// Attempts that failed since the last one that did not.
pub const FAILURES: &str = "failures";
/// Since when it is not sent any more.
pub const DISABLED_AT: &str = "disabledAt";
/// Why.
pub const DISABLED_REASON: &str = "disabledReason";
/// Hidden: the signing key, encrypted.
pub const SECRET: &str = "secretClosed";
/// Hidden: the former signing key, encrypted.
pub const FORMER: &str = "formerSecretClosed";
/// Hidden: name or address of the host.
pub const HOST: &str = "host";
/// Hidden: the last position in commit order that is to be reported to it.
pub const PENDING: &str = "pendingSeq";
/// Hidden: when that position was recorded, epoch milliseconds.
pub const CHANGED_AT: &str = "changedAt";
/// Hidden: not before this time, epoch milliseconds.
pub const DUE: &str = "due";
/// Hidden: since when attempts fail, epoch milliseconds; 0: they do not.
pub const FAILING_SINCE: &str = "failingSince";
/// Hidden: who sends it now.
pub const WORKER: &str = "worker";
/// Hidden: until when no other process takes it, epoch milliseconds.
pub const LEASED: &str = "leasedUntil";
/// Hidden: when it was switched on again, epoch milliseconds, until what it missed was looked
/// for; else 0.
pub const AGAIN: &str = "again";
/// Hidden: the number of tests that were requested, and of those that were sent.
pub const PINGS: &str = "pings";
/// Hidden: likewise.
pub const PINGED: &str = "pinged";

/// Why a webhook is not sent any more, as a select.
pub const REASONS: &str = "stopped|gone|unreachable|no-rights|key-revoked";
/// The receiver says that it is not there any more (410).
pub const GONE: &str = "gone";
/// No attempt got through for too long.
pub const UNREACHABLE: &str = "unreachable";
/// The user who registered it may no longer read what it reports.
pub const NO_RIGHTS: &str = "no-rights";
/// Its people switched it off.
pub const STOPPED: &str = "stopped";
/// The API key with which it was registered was revoked.
pub const KEY_REVOKED: &str = "key-revoked";

/// Fields of the log of deliveries, in the order in which they are written.
pub const LOGGED: [&str; 10] =
    ["webhook", "at", "event", "message", "sequence", "attempt", "outcome", "status", "duration", "error"];

/// The hidden fields of a webhook.
pub fn outbox_fields() -> Vec<Decl> {
    let count = |name: &'static str| int(name).default(0);
    vec![
        hidden(text(SECRET).doc("The signing key, encrypted.")),
        hidden(text(FORMER).doc("The former signing key, encrypted.")),
        hidden(text(HOST).doc("Name or address of the host.")),
        hidden(count(PENDING).doc("Last position in commit order that is to be reported.")),
        hidden(count(CHANGED_AT).doc("When that position was recorded, epoch milliseconds.")),
        hidden(count(DUE).doc("Not sent before this time, epoch milliseconds.")),
        hidden(count(FAILING_SINCE).doc("Since when attempts fail, epoch milliseconds.")),
        hidden(text(WORKER).doc("Process that sends it now.")),
        hidden(count(LEASED).doc("End of the lease of that process, epoch milliseconds.")),
        hidden(
            count(AGAIN).doc("When it was switched on again, until its missed changes were looked for; otherwise 0."),
        ),
        hidden(count(PINGS).doc("Number of tests that were requested.")),
        hidden(count(PINGED).doc("Number of tests that were sent.")),
    ]
}

fn hidden(field: Field) -> Decl {
    field.server().class(Class::Hidden).into()
}

/// The relation of a log of deliveries to its webhooks.
pub fn delivered_by(webhooks: &str) -> Field {
    relation("webhook", webhooks).required().cascade()
}

/// Something that callers who may change a row ask of it, beside changing fields:
/// `POST /api/<slug>/<id>/<name>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    /// Last segment of the address.
    pub name: &'static str,
    /// The field that receives the action: hooks find it among those that were sent. Callers cannot
    /// send it otherwise (`~`).
    pub field: &'static str,
    /// What it does.
    pub doc: &'static str,
}

impl Collection {
    /// An action on its rows.
    pub fn action(mut self, name: &'static str, field: &'static str, doc: &'static str) -> Self {
        self.actions.push(Action { name, field, doc });
        self
    }
}
