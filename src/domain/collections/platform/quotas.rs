//! The limits of organisations, where the Association lets them differ from the settings.

use model::registry::quota::{ORGANIZATION, quota_fields};
use model::registry::{Access, Collection, Feature, Rule, long_text};

/// `quotas`
pub(crate) fn quotas() -> Collection {
    let access = Access::read(Rule::Farm).write(Rule::Assoc).subjects(&[ORGANIZATION]);
    let mut fields = quota_fields();
    fields.push(long_text("note").doc("Remark.").into());
    Collection::new("quotas", access, fields)
        .told_by(&["organization"])
        .feature(Feature::Quotas)
        .doc("Limits of requests of single organisations, where they differ from those of the service.")
}
