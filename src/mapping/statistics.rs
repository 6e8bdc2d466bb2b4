//! Statistics that are computed when they are asked for: which figures of which collection
//! for which purpose of the standard, read from a file whose head says `computed`. Knows
//! neither how figures are asked of the book nor who asks.

use crate::compile::Compiler;
use crate::path::{Root, Scope, Source};
use crate::{Identifiers, LOCATIONS};
use ade::schema::PathKind;
use model::registry::{Collection, Kind};
use serde::Deserialize;
use std::sync::Arc;
use toml::Table;

/// The resource in which the standard has statistics.
const RESOURCE: &str = "icarStatisticsResource";

/// The word of the head by which a file is known as one of these.
pub(crate) const COMPUTED: &str = "computed";

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    dataset: String,
    resource: String,
    computed: String,
    closed: Option<String>,
    #[serde(default)]
    purpose: Vec<PurposeText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PurposeText {
    name: String,
    collection: String,
    location: String,
    event: String,
    lactation: Option<String>,
    days_in_milk: Option<String>,
    metrics: Vec<MetricText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricText {
    field: String,
    unit: String,
}

/// Statistics of locations.
#[derive(Debug)]
pub struct Statistics {
    dataset: String,
    closed: Option<String>,
    source: String,
    metric: String,
    identifiers: Arc<Identifiers>,
    purposes: Vec<Figures>,
}

/// The figures of one purpose.
#[derive(Debug)]
pub struct Figures {
    /// Purpose, a code of the standard.
    pub name: String,
    /// The collection whose rows are counted.
    pub collection: String,
    /// Path of the organisation in a row: relations, then a field.
    pub location: Vec<String>,
    /// The day of a row.
    pub event: String,
    /// How rows are grouped beside the whole herd.
    pub classes: Vec<Classes>,
    /// What is measured.
    pub metrics: Vec<Metric>,
}

/// A figure.
#[derive(Debug)]
pub struct Metric {
    /// Field of the rows, and id of the metric in the book's scheme.
    pub field: String,
    /// Its unit (UN/CEFACT code where there is one).
    pub unit: String,
}

/// Groups of rows by the number in a field.
#[derive(Debug)]
pub struct Classes {
    /// Type of the group, a code of the standard.
    pub name: &'static str,
    /// The field.
    pub field: String,
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
const LACTATIONS: (&str, [&str; 2], &[i64]) = (
    "LactationNumber",
    ["lactationNumberRangeMin", "lactationNumberRangeMax"],
    &[0, 1, 2, 3, 4],
);

/// Stages of the lactation, days.
const STAGES: (&str, [&str; 2], &[i64]) = (
    "DaysInMilk",
    ["daysInMilkRangeMin", "daysInMilkRangeMax"],
    &[0, 61, 121, 201, 306],
);

impl Statistics {
    /// Name of the collection in the standard's addresses.
    pub fn dataset(&self) -> &str {
        &self.dataset
    }
    /// Why nobody sends them, in a sentence for senders.
    pub fn closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }
    /// `resourceType` of the documents.
    pub fn resource(&self) -> &str {
        RESOURCE
    }
    /// `meta.source` of the documents.
    pub fn source(&self) -> &str {
        &self.source
    }
    /// Scheme of the metrics.
    pub fn metric_scheme(&self) -> &str {
        &self.metric
    }
    /// Scheme of locations.
    pub fn location_scheme(&self) -> &str {
        &self.identifiers.location
    }
    /// The figures, by purpose.
    pub fn all(&self) -> &[Figures] {
        &self.purposes
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

impl<'r> Compiler<'r> {
    /// Compiles a file of statistics.
    pub(crate) fn statistics(
        &mut self,
        name: &str,
        table: Table,
        source: &str,
    ) -> Option<Statistics> {
        let text = match toml::Value::Table(table).try_into::<FileText>() {
            Ok(text) => text,
            Err(e) => {
                self.fault(name, "unreadable-head", e.message().to_owned());
                return None;
            }
        };
        if text.computed != "statistics" {
            let message = format!("there is no computation {}", text.computed);
            self.fault(
                &format!("{name}: {COMPUTED}"),
                "no-such-computation",
                message,
            );
        }
        if text.resource != RESOURCE {
            let message = format!("{} is not a {RESOURCE}", text.resource);
            self.fault(&format!("{name}: resource"), "other-resource", message);
        }
        let purposes = (text.purpose.iter().enumerate())
            .filter_map(|(i, p)| self.figures(&format!("{name}: purpose.{i}"), p))
            .collect();
        for path in ["group[].statistics[].aggregation", "group[].icarGroupType"] {
            let codes = [WHOLE, LACTATIONS.0, STAGES.0];
            self.sends(name, path, AGGREGATIONS.iter().chain(&codes).copied());
        }
        Some(Statistics {
            dataset: text.dataset,
            closed: text.closed,
            source: source.to_owned(),
            metric: format!("{}.metric", self.prefix),
            identifiers: Arc::clone(&self.identifiers),
            purposes,
        })
    }

    fn sends<'c>(&mut self, at: &str, path: &str, codes: impl Iterator<Item = &'c str>) {
        let info = self.standard.resolve_path(RESOURCE, path);
        if let Some(PathKind::Enum { name, codes: all }) = info.map(|i| i.kind) {
            self.uses.sent(at, name, all, codes);
        }
    }

    fn figures(&mut self, at: &str, text: &PurposeText) -> Option<Figures> {
        if !Statistics::is_purpose(&text.name) {
            let message = format!("the standard has no purpose {}", text.name);
            self.fault(&format!("{at}.name"), "no-such-code", message);
        }
        self.sends(at, "purpose", std::iter::once(text.name.as_str()));
        let Some(collection) = self.registry.get(&text.collection) else {
            let message = format!("no collection {}", text.collection);
            self.fault(&format!("{at}.collection"), "no-such-collection", message);
            return None;
        };
        let organisation = Kind::Relation(LOCATIONS.to_owned());
        let location = self.plain(collection, &text.location, &format!("{at}.location"))?;
        if location.kind != organisation {
            let message = format!("{} is not an organisation", text.location);
            self.fault(&format!("{at}.location"), "wrong-field", message);
        }
        self.own(collection, &text.event, &format!("{at}.event"), |k| {
            matches!(k, Kind::Day | Kind::Instant)
        });
        let mut classes = Vec::new();
        for (field, (name, range, from)) in
            [(&text.lactation, LACTATIONS), (&text.days_in_milk, STAGES)]
        {
            let Some(field) = field else { continue };
            self.own(collection, field, &format!("{at}.{name}"), |k| {
                *k == Kind::Int
            });
            classes.push(Classes {
                name,
                field: field.clone(),
                range,
                from,
            });
        }
        for metric in &text.metrics {
            self.own(collection, &metric.field, &format!("{at}.metrics"), |k| {
                matches!(k, Kind::Int | Kind::Number)
            });
        }
        let path = location.steps.iter().map(|step| step.path.clone());
        Some(Figures {
            name: text.name.clone(),
            collection: text.collection.clone(),
            location: path.chain([location.last.clone()]).collect(),
            event: text.event.clone(),
            classes,
            metrics: (text.metrics.iter())
                .map(|m| Metric {
                    field: m.field.clone(),
                    unit: m.unit.clone(),
                })
                .collect(),
        })
    }

    /// A path that leads through relations only forwards.
    fn plain(&mut self, collection: &'r Collection, path: &str, at: &str) -> Option<Source> {
        let scope = Scope {
            registry: self.registry,
            collection,
            spread: None,
            rows: None,
        };
        let source = self.source(scope, path, at)?;
        let forwards = source.root == Root::Row && source.steps.iter().all(|s| !s.reverse);
        if !forwards {
            self.fault(at, "wrong-field", format!("{path} looks back"));
        }
        forwards.then_some(source)
    }

    /// A stored field of the rows themselves.
    fn own(
        &mut self,
        collection: &'r Collection,
        path: &str,
        at: &str,
        fits: impl Fn(&Kind) -> bool,
    ) {
        let Some(source) = self.plain(collection, path, at) else {
            return;
        };
        if !source.own() || !fits(&source.kind) {
            self.fault(at, "wrong-field", format!("{path} does not fit here"));
        }
    }
}
