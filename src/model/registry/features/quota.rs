//! The fields of a collection of quotas: the limits of an organisation, where they differ from the
//! settings. The code of the limits finds the fields by these names, so that no collection is known
//! to it by its slug.

use crate::registry::field::{Decl, fields, int, relation};

/// The organisation that the quota is for.
pub const ORGANIZATION: &str = "organization";
/// Requests a minute, by lane, and requests at a time; empty: as the settings say, 0: any
/// number.
pub const LIMITS: [(&str, &str); 4] = [
    (
        "read",
        "Read requests per minute. Empty: the setting of the service (`limits.read`); 0: no limit. The same holds for the other limits.",
    ),
    ("write", "Write requests per minute."),
    ("bulk", "Requests per minute for many records at once."),
    ("concurrent", "Requests at a time."),
];
/// What may be stored, by the way it is counted; empty: the settings hold, 0: no limit.
pub const STOCK: [(&str, &str); 3] = [
    (
        "storage",
        "Bytes of files that may be stored, including smaller pictures. Empty: the setting of the service (`limits.storage`); 0: no limit. The same holds for the other limits.",
    ),
    ("files", "Number of files that may be stored."),
    ("records", "Number of rows that may be stored in each collection whose rows count."),
];
/// Most that can be set.
const MOST: f64 = 10_000_000.0;
/// Most bytes.
const BYTES: f64 = 1_000_000_000_000_000.0;

/// The fields that the limits look for.
pub fn quota_fields() -> Vec<Decl> {
    let mut fields: Vec<Decl> = fields![
        relation(ORGANIZATION, "organizations").required().unique().once().cascade()
            => "Organisation that the quota is for; each organisation has one quota.",
    ];
    let limits = LIMITS.map(|(name, doc)| int(name).range(0.0, MOST).doc(doc).into());
    fields.extend(limits);
    let most = |name| if name == "storage" { BYTES } else { MOST };
    let stock = STOCK.map(|(name, doc)| int(name).range(0.0, most(name)).doc(doc).into());
    fields.extend(stock);
    fields
}
