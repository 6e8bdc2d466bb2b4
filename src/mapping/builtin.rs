//! The mapping files of the book itself.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../mappings/", $name)))),*]
    };
}

/// Name and text.
pub(crate) const FILES: &[(&str, &str)] = files![
    "codes.toml",
    "animals.toml",
    "arrivals.toml",
    "births.toml",
    "deaths.toml",
    "departures.toml",
    "inseminations.toml",
    "locations.toml",
    "parturitions.toml",
    "pregnancy-checks.toml",
    "test-day-results.toml",
    "weights.toml",
];
