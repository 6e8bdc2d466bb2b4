//! Fields of what an evaluation leaves: breeding values of animals, indexes made of them, the base that these are
//! expressed against, and the runs of the Association.

/// Ends of the paths of a breeding value and of its reliability: `milkForecast`, `milkR`.
pub const VALUE_END: &str = "Forecast";
pub const RELIABILITY_END: &str = "R";

/// Of breeding values: whether the row is in force, its day, its base, who computed it and how.
pub mod breeding_values {
    pub const IN_FORCE: &str = "isCurrent";
    pub const DAY: &str = "evaluatedAt";
    pub const BASE: &str = "baseVersion";
    pub const SOURCE: &str = "source";
    pub const CENTRE: &str = "center";
    pub const CALCULATION: &str = "calculation";
    pub const LOOKED_FOR: [&str; 6] = [IN_FORCE, DAY, BASE, SOURCE, CENTRE, CALCULATION];
}

/// Of index values.
pub mod index_values {
    /// The key of the profile, whose words are those of built-in profiles.
    pub const PROFILE: &str = "profileKey";
    /// The name of the profile.
    pub const NAME: &str = "profileName";
    pub const VALUE: &str = "value";
    pub const RELIABILITY: &str = "reliability";
    pub const PERCENTILE: &str = "percentile";
    pub const RANK: &str = "rank";
    pub const COHORT: &str = "cohort";
    /// Whether the cohort was born in the year of the animal.
    pub const SAME_YEAR: &str = "cohortSameYear";
    pub const BASE: &str = "baseVersion";
    pub const LOOKED_FOR: [&str; 9] = [PROFILE, NAME, VALUE, RELIABILITY, PERCENTILE, RANK, COHORT, SAME_YEAR, BASE];
}

/// What the name of the base of a run begins with; the day of the run follows.
pub const BASE_OF_RUN: &str = "association-";

/// Of profiles of indexes that are rows.
pub mod profiles {
    pub const NAME: &str = "name";
    /// What the key of such a profile begins with; its id follows.
    pub const KEY: &str = "own:";
    /// The weights, and which trait one of them is of.
    pub const WEIGHTS: &str = "weights";
    pub const TRAIT: &str = "trait";
}

/// Of bases of indexes.
pub mod bases {
    pub const IN_FORCE: &str = "isActive";
    pub const VERSION: &str = "version";
    pub const LOOKED_FOR: [&str; 2] = [IN_FORCE, VERSION];
}

/// Of runs.
pub mod runs {
    pub const STATE: &str = "state";
    /// The state of a run whose values are in force.
    pub const RELEASED: &str = "released";
    pub const RELEASED_AT: &str = "releasedAt";
    /// What a run states of itself, in the order in which people read it.
    pub const STATEMENT: [&str; 7] = ["evaluatedAt", "releasedAt", "method", "version", "commit", "animals", "records"];
    /// The list of what was computed of each trait, and its members that breeders read.
    pub const RESULTS: &str = "results";
    pub const MEMBERS: [&str; 7] =
        ["trait", "records", "animals", "heritability", "repeatability", "meanReliability", "geneticSd"];
}
