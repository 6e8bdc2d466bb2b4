//! The course of an animal through its movements: a pure fold over the applied ones, from
//! what was before the first.

use crate::derive::day_of;

/// Kind of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sale,
    Lease,
    Transfer,
    Import,
    Cull,
    Death,
    /// It leaves its location for a time, or comes back to its owner; owner, herd and state stay.
    Absence,
}

impl Kind {
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "sale" => Self::Sale,
            "lease" => Self::Lease,
            "transfer" => Self::Transfer,
            "import" => Self::Import,
            "cull" => Self::Cull,
            "death" => Self::Death,
            "absence" => Self::Absence,
            _ => return None,
        })
    }

    /// Between two organisations.
    pub(super) fn trades(self) -> bool {
        matches!(self, Self::Sale | Self::Lease)
    }

    /// The end of the animal.
    pub(super) fn ends(self) -> bool {
        matches!(self, Self::Cull | Self::Death)
    }
}

/// An applied movement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) id: i64,
    pub(super) date: i64,
    pub(super) kind: Kind,
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
    pub(super) from_herd: Option<i64>,
    pub(super) to_herd: Option<i64>,
    pub(super) reason: Option<i64>,
    /// The receiver did not take part in the book then.
    pub(super) outside: bool,
}

impl Step {
    /// Place in the course.
    pub(super) fn order(&self) -> (i64, i64) {
        (day_of(self.date), self.id)
    }

    /// Whether the animal left the book by it, and the state then.
    pub(super) fn closing(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Cull => Some("culled"),
            Kind::Death => Some("dead"),
            Kind::Sale | Kind::Lease if self.outside => Some("sold"),
            _ => None,
        }
    }

    /// Whether herd, arrival and previous organisation follow from it.
    fn places(&self) -> bool {
        self.kind != Kind::Absence && self.closing().is_none()
    }
}

/// Owner, herd and state of an animal at one point of its course.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ownership {
    pub(super) owner: Option<i64>,
    pub(super) herd: Option<i64>,
    pub(super) state: &'static str,
    pub(super) disposal_date: Option<i64>,
    pub(super) disposal_reason: Option<i64>,
    pub(super) disposal_organization: Option<i64>,
    pub(super) arrival: Option<i64>,
    pub(super) previous: Option<i64>,
    pub(super) past_owners: Vec<i64>,
}

impl Ownership {
    /// Alive with an owner, before any movement.
    pub(super) fn entry(owner: Option<i64>, herd: Option<i64>, arrival: Option<i64>, previous: Option<i64>) -> Self {
        Self {
            owner,
            herd,
            state: "alive",
            disposal_date: None,
            disposal_reason: None,
            disposal_organization: None,
            arrival,
            previous,
            past_owners: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step) {
        if step.kind == Kind::Absence {
            return;
        }
        if let Some(state) = step.closing() {
            self.state = state;
            self.disposal_date = Some(step.date);
            self.disposal_reason = step.reason;
            self.disposal_organization = step.to;
            return;
        }
        if step.kind == Kind::Transfer {
            // A sale recorded later for an earlier day leaves it behind. One that names no herd
            // leaves it where it was.
            if step.from == self.owner && step.to_herd.is_some() {
                self.herd = step.to_herd;
            }
            return;
        }
        if let Some(owner) = self.owner.filter(|_| self.owner != step.to) {
            self.past_owners.retain(|past| *past != owner);
            self.past_owners.push(owner);
        }
        self.previous = step.from;
        self.arrival = Some(step.date);
        if self.owner != step.to || step.to_herd.is_some() {
            self.herd = step.to_herd;
        }
        self.owner = step.to.or(self.owner);
        self.state = "alive";
        self.disposal_date = None;
        self.disposal_reason = None;
        self.disposal_organization = None;
    }
}

/// Sorts movements into their course.
pub(super) fn sorted(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(Step::order);
    steps
}

/// The last of sorted movements from which herd, arrival and previous organisation follow.
pub(super) fn last_placing(steps: &[Step]) -> Option<&Step> {
    steps.iter().rfind(|step| step.places())
}

/// What holds after the movements, which are sorted.
pub(super) fn ownership_after(entry: &Ownership, steps: &[Step]) -> Ownership {
    let mut now = entry.clone();
    for step in steps {
        now.take(step);
    }
    now
}

/// What held before a place in the course.
pub(super) fn before(entry: &Ownership, steps: &[Step], order: (i64, i64)) -> Ownership {
    let end = steps.partition_point(|s| s.order() < order);
    ownership_after(entry, steps.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::FITS;
    use super::super::reasons::contradicts;
    use super::Kind;

    #[test]
    fn pages_propose_reasons_that_the_rule_lets_through() {
        for (kind, word) in FITS.reason.words {
            assert!(!contradicts(word, Kind::parse(kind).unwrap().ends()), "{kind}");
        }
    }
}
