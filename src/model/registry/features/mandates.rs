//! What a collection of mandates keeps: who may send resources for whom, of which data sets,
//! and when. Whoever looks for the mandates of an organisation finds the fields by these names,
//! so that no collection is known by its slug.

use crate::registry::field::{Decl, fields, instant, relation, texts};

/// At whose location the resources live.
pub const GRANTOR: &str = "grantor";
/// Who sends them.
pub const RECEIVER: &str = "receiver";
/// The data sets of the exchange for which it holds.
pub const DATASETS: &str = "datasets";
/// When it begins to hold.
pub const FROM: &str = "validFrom";
/// When it ends by itself.
pub const UNTIL: &str = "validUntil";
/// When it was taken back.
pub const REVOKED: &str = "revokedAt";
pub const LOOKED_FOR: [&str; 6] = [GRANTOR, RECEIVER, DATASETS, FROM, UNTIL, REVOKED];

/// The fields of mandates between the organisations of that collection.
pub fn mandate_fields(organizations: &'static str) -> Vec<Decl> {
    fields![
        relation(GRANTOR, organizations).required().session().once().cascade()
            => "At whose location the resources live; the caller's own organisation unless said otherwise.",
        relation(RECEIVER, organizations).required().once().cascade()
            => "Who may send them: a laboratory, a milk-recording organisation.",
        texts(DATASETS, 40).required().once()
            => "Data sets of the exchange for which it holds (`test-day-results`).",
        instant(FROM).once() => "When it begins to hold; empty: at once.",
        instant(UNTIL) => "When it ends by itself; empty: never.",
        instant(REVOKED).indexed() => "When it was taken back; the time of the server, and for good.",
    ]
}

/// A mandate that the caller's organisation holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mandate {
    /// At whose location it may send.
    pub grantor: i64,
    /// The data sets for which it holds.
    pub datasets: Vec<String>,
    /// Beginning, epoch milliseconds.
    pub from: Option<i64>,
    /// End, epoch milliseconds.
    pub until: Option<i64>,
}

impl Mandate {
    /// Whether it holds at that time.
    pub fn is_live(&self, now: i64) -> bool {
        self.from.is_none_or(|from| from <= now) && self.until.is_none_or(|until| until > now)
    }

    /// Whether it holds for the data set at that time.
    pub fn covers(&self, dataset: &str, now: i64) -> bool {
        self.is_live(now) && self.datasets.iter().any(|one| one == dataset)
    }
}
