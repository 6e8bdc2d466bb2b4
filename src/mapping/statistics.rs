//! Statistics that are computed on request: which figures of which collection
//! for which purpose of the standard. Knows neither how figures are read from the book nor for whom.

use crate::Identifiers;
use crate::compile::Compiler;
use ade::schema::PathKind;
use std::sync::Arc;

/// The data set, and the resource in which the standard has statistics.
const DATASET: &str = "statistics";
const RESOURCE: &str = "icarStatisticsResource";
/// Why nobody sends them.
const CLOSED: &str = "Statistics are computed from what the herd book has.";

/// Statistics of locations.
#[derive(Debug)]
pub struct Statistics {
    source: String,
    metric: String,
    identifiers: Arc<Identifiers>,
}

/// The figures of one purpose.
#[derive(Debug)]
pub struct Figures {
    /// Purpose, a code of the standard.
    pub name: &'static str,
    /// The collection whose rows are counted.
    pub collection: &'static str,
    /// Path of the organisation in a row: relations, then a field.
    pub location: &'static [&'static str],
    /// The day of a row.
    pub event: &'static str,
    /// How rows are grouped beside the whole herd.
    pub classes: &'static [Classes],
    /// What is measured.
    pub metrics: &'static [Metric],
}

/// A figure.
#[derive(Debug)]
pub struct Metric {
    /// Field of the rows, and id of the metric in the book's scheme.
    pub field: &'static str,
    /// Its unit (UN/CEFACT code where there is one).
    pub unit: &'static str,
}

/// Groups of rows by the number in a field.
#[derive(Debug)]
pub struct Classes {
    /// Type of the group, a code of the standard.
    pub name: &'static str,
    pub field: &'static str,
    /// Members of the specifier: smallest and largest number of a class.
    pub range: [&'static str; 2],
    /// The smallest number of each class, ascending; the last one is open above.
    pub from: &'static [i64],
}

/// The form in which sums and means are returned, in the order of the answer.
pub const AGGREGATIONS: [&str; 3] = ["Average", "Sum", "Count"];

/// The group of all rows.
pub const WHOLE: &str = "Herd";

/// Parities; the fourth and later ones together. Heifers are 0.
const LACTATIONS: Classes = Classes {
    name: "LactationNumber",
    field: "lactationNumber",
    range: ["lactationNumberRangeMin", "lactationNumberRangeMax"],
    from: &[0, 1, 2, 3, 4],
};

/// Stages of the lactation: days from the last calving in this field.
const fn stages(field: &'static str) -> Classes {
    Classes {
        name: "DaysInMilk",
        field,
        range: ["daysInMilkRangeMin", "daysInMilkRangeMax"],
        from: &[0, 61, 121, 201, 306],
    }
}

const fn metric(field: &'static str, unit: &'static str) -> Metric {
    Metric { field, unit }
}

const FIGURES: [Figures; 2] = [
    Figures {
        name: "TestDay",
        collection: "milk-tests",
        location: &["animal", "owner"],
        event: "date",
        classes: &[LACTATIONS, stages("daysInMilk")],
        metrics: &[
            metric("milkYield", "KGM"),
            metric("fatPercent", "P1"),
            metric("proteinPercent", "P1"),
            metric("lactosePercent", "P1"),
            metric("somaticCells", "1000/ml"),
            metric("urea", "mg/100 ml"),
        ],
    },
    Figures {
        name: "Reproduction",
        collection: "inseminations",
        location: &["animal", "owner"],
        event: "date",
        classes: &[LACTATIONS, stages("daysOpen")],
        metrics: &[metric("daysOpen", "DAY"), metric("attemptNumber", "C62"), metric("doses", "C62")],
    },
];

impl Statistics {
    /// Name of the collection in the standard's addresses.
    pub fn dataset(&self) -> &str {
        DATASET
    }
    /// Why nobody sends them, in a sentence for senders.
    pub fn closed(&self) -> &str {
        CLOSED
    }
    /// `resourceType` of the documents.
    pub fn resource(&self) -> &str {
        RESOURCE
    }
    /// `meta.source` of the documents.
    pub fn source(&self) -> &str {
        &self.source
    }
    pub fn metric_scheme(&self) -> &str {
        &self.metric
    }
    pub fn location_scheme(&self) -> &str {
        &self.identifiers.location
    }
    /// The figures, by purpose.
    pub fn all(&self) -> &'static [Figures] {
        &FIGURES
    }
    /// Whether the standard has such a purpose, regardless of what the book knows of it.
    pub fn is_purpose(purpose: &str) -> bool {
        let info = ade::schema::Standard::get().resolve_path(RESOURCE, "purpose");
        info.is_some_and(|info| match info.kind {
            PathKind::Enum { codes, .. } => codes.contains(&purpose),
            _ => false,
        })
    }
}

impl Compiler<'_> {
    /// The statistics of the book, and the codes that they send.
    pub(crate) fn statistics(&mut self, source: &str) -> Statistics {
        let purposes = FIGURES.iter().map(|figures| figures.name);
        self.sends("purpose", purposes);
        for path in ["group[].statistics[].aggregation", "group[].icarGroupType"] {
            let stages = stages("").name;
            let codes = [WHOLE, LACTATIONS.name, stages];
            self.sends(path, AGGREGATIONS.into_iter().chain(codes));
        }
        Statistics {
            source: source.to_owned(),
            metric: format!("{}.metric", self.prefix),
            identifiers: Arc::clone(&self.identifiers),
        }
    }

    fn sends(&mut self, path: &str, codes: impl Iterator<Item = &'static str>) {
        let info = self.standard.resolve_path(RESOURCE, path);
        if let Some(PathKind::Enum { name, codes: all }) = info.map(|i| i.kind) {
            self.uses.sent(DATASET, name, all, codes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LOCATIONS;
    use model::registry::Kind;

    #[test]
    fn figures_are_of_fields_of_the_book_and_purposes_of_the_standard() {
        let registry = domain::collections::registry().unwrap();
        for figures in &FIGURES {
            assert!(Statistics::is_purpose(figures.name), "{}", figures.name);
            let c = registry.get(figures.collection).unwrap();
            let kind = |path: &str| c.field(path).unwrap().kind.clone();
            assert!(matches!(kind(figures.event), Kind::Day | Kind::Instant));
            for metric in figures.metrics {
                assert!(matches!(kind(metric.field), Kind::Int | Kind::Number));
            }
            for classes in figures.classes {
                assert_eq!(kind(classes.field), Kind::Int);
            }
            let end = figures.location.iter().fold(c.slug, |slug, path| {
                let c = registry.get(slug).unwrap();
                c.field(path).unwrap().target().unwrap()
            });
            assert_eq!(end, LOCATIONS);
        }
    }
}
