//! What a collection of quotas keeps: what an organisation may ask for, where it differs
//! from the settings. The limits find the fields by these names, so that no collection is
//! known to them by its slug.

use super::Collection;
use super::field::{Decl, int, relation};

/// Whose quota it is.
pub const ORGANIZATION: &str = "organization";
/// Requests a minute, by lane, and requests at a time; empty: as the settings say, 0: any
/// number.
pub const LIMITS: [(&str, &str); 4] = [
    (
        "read",
        "Requests a minute that read. Empty: as the service is set (`limits.read`), 0: any number; so for the others.",
    ),
    ("write", "Requests a minute that write."),
    ("bulk", "Requests a minute for many records at once."),
    ("concurrent", "Requests at a time."),
];
/// Most that can be set.
const MOST: f64 = 10_000_000.0;

/// The fields that the limits look for.
pub fn quota_fields() -> Vec<Decl> {
    let mut fields: Vec<Decl> = vec![
        relation(ORGANIZATION, "organizations")
            .required()
            .unique()
            .once()
            .cascade()
            .doc("Whose quota it is; each has one.")
            .into(),
    ];
    let limits = LIMITS.map(|(name, doc)| int(name).range(0.0, MOST).doc(doc).into());
    fields.extend(limits);
    fields
}

impl Collection {
    /// The rows say what organisations may ask for; they have [`quota_fields`].
    pub fn quotas(mut self) -> Self {
        self.quotas = true;
        self
    }
}
