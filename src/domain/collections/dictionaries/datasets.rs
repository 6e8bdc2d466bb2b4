//! Kinds of packages, and the data sets of uploaded files, which collections declare
//! (docs/design/collections.md, *Verification*).

use model::error::Issue;
use model::registry::Draft;
use model::said;

/// Kinds of packages.
pub(crate) const KINDS: &str = "events|animals|productivity|genomics";

/// A data set must be known and belong to the kind.
pub(crate) fn check(draft: &mut Draft, kind: usize, dataset: usize) {
    let Some(name) = draft.new.get(dataset).text().filter(|t| !t.is_empty()) else {
        return;
    };
    let registry = crate::collections::registry().ok();
    let mut sets = registry.into_iter().flat_map(|all| all.package_sets());
    let home = sets.find(|(_, set)| set.name == name).map(|(_, set)| set.kind);
    let issue = match (home, draft.new.get(kind).text()) {
        (None, _) => Issue::error("dataset", "no-such-dataset", "There is no data set of this name."),
        (Some(home), Some(kind)) if home != kind => {
            let message = said!("Packages of kind {kind} carry this data set.", kind = home);
            Issue::error("dataset", "wrong-kind", message)
        }
        _ => return,
    };
    draft.issues.push(issue);
}

/// A period must not end before it begins.
pub(crate) fn period(draft: &mut Draft, from: usize, to: usize) {
    let ends = (draft.new.get(from).time(), draft.new.get(to).time());
    if let (Some(from), Some(to)) = ends
        && to < from
    {
        let message = "The period ends before it begins.";
        draft.fault("periodTo", "period-order", message);
    }
}
