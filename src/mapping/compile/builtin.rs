//! The mapping files of the book itself.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../mappings/", $name)))),*]
    };
}

/// Name and text.
pub(crate) const FILES: &[(&str, &str)] = files![
    "codes.toml",
    "abortions.toml",
    "animal-set-joins.toml",
    "animal-set-leaves.toml",
    "animal-sets.toml",
    "animals.toml",
    "arrivals.toml",
    "births.toml",
    "breeding-values-evaluated.toml",
    "breeding-values.toml",
    "conformation-scores.toml",
    "daily-milking-averages.toml",
    "deaths.toml",
    "departures.toml",
    "diagnoses.toml",
    "do-not-breeds.toml",
    "drying-offs.toml",
    "gestations.toml",
    "groups.toml",
    "health-status.toml",
    "heats.toml",
    "inseminations.toml",
    "lactation-status-observations.toml",
    "lactations.toml",
    "locations.toml",
    "milking-visits.toml",
    "parturitions.toml",
    "pregnancy-checks-events.toml",
    "pregnancy-checks.toml",
    "repro-status-observations.toml",
    "statistics.toml",
    "test-day-results.toml",
    "test-days.toml",
    "treatments.toml",
    "type-classifications.toml",
    "weights.toml",
];
