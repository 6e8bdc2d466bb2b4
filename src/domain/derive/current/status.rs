//! The two status values that the standard knows for cows. `healthStatus` is
//! only ever observed.

/// `lactationStatus` of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LactationStatus {
    /// Not milked before the next calving.
    Dry,
    /// Close-up: the last [`TRANSITION_DAYS`](super::TRANSITION_DAYS) before calving.
    Lead,
    /// Up to [`TRANSITION_DAYS`](super::TRANSITION_DAYS) after calving.
    Fresh,
    /// Up to [`EARLY_DAYS`](super::EARLY_DAYS) after calving.
    Early,
    /// In milk after that.
    Lactating,
}

impl LactationStatus {
    /// All, in the order of the standard.
    pub const ALL: [Self; 5] = [Self::Dry, Self::Lead, Self::Fresh, Self::Early, Self::Lactating];

    /// The value of the model.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dry => "dry",
            Self::Lead => "lead",
            Self::Fresh => "fresh",
            Self::Early => "early",
            Self::Lactating => "lactating",
        }
    }

    /// Reads a value of the model.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == value)
    }
}

/// `reproductionStatus` of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReproductionStatus {
    /// Never served, or aborted and not served again.
    Open,
    /// Served, result not known.
    Inseminated,
    /// In calf.
    Pregnant,
    /// Served and found empty.
    NotPregnant,
    /// Calved and not served since.
    Birthed,
    /// Must not be bred.
    DoNotBreed,
    /// In calf with more than one.
    PregnantMultipleFoetus,
}

impl ReproductionStatus {
    /// All, in the order of the standard.
    pub const ALL: [Self; 7] = [
        Self::Open,
        Self::Inseminated,
        Self::Pregnant,
        Self::NotPregnant,
        Self::Birthed,
        Self::DoNotBreed,
        Self::PregnantMultipleFoetus,
    ];

    /// The value of the model.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Inseminated => "inseminated",
            Self::Pregnant => "pregnant",
            Self::NotPregnant => "notPregnant",
            Self::Birthed => "birthed",
            Self::DoNotBreed => "doNotBreed",
            Self::PregnantMultipleFoetus => "pregnantMultipleFoetus",
        }
    }

    /// Reads a value of the model.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == value)
    }

    pub(super) const fn in_calf(self) -> bool {
        matches!(self, Self::Pregnant | Self::PregnantMultipleFoetus)
    }
}

#[cfg(test)]
mod tests {
    use super::{LactationStatus, ReproductionStatus};

    #[test]
    fn names_read_back() {
        for status in LactationStatus::ALL {
            assert_eq!(LactationStatus::parse(status.as_str()), Some(status));
        }
        for status in ReproductionStatus::ALL {
            assert_eq!(ReproductionStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(LactationStatus::parse("Dry"), None);
    }
}
