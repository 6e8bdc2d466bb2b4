//! The URL catalogue of ADE 1.5.1 (`url-schemes/`), read once from `ade/catalog.toml`: the collections with their
//! verbs, filters, batch names and older spellings. Data instead of a naming rule, because the official URLs follow
//! none. This module must not know which of them a server serves.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The part of a path that names the location, as the standard writes it.
pub const LOCATION: &str = "/locations/{location-scheme}/{location-id}";

/// The operations of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// GET of the collection.
    Get,
    /// POST of one resource to the collection.
    Post,
    /// POST of an array to the path under `/batches`.
    Batch,
    /// DELETE of the addressed resource (sorting only).
    Delete,
}

/// A group of query parameters of a GET.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// A window of `meta.modified`, date-times.
    Modified,
    /// One animal; needs both parameters.
    Animal,
    /// A window of days, both ends included.
    Dates,
    /// One identifier; needs both parameters.
    Identifier,
    /// A window of the reported period, date-times.
    ReportPeriod,
    /// A metric; needs both parameters.
    Metric,
    /// A code of `icarDurationType`.
    Duration,
    /// A code of `icarStatisticsPurposeType`.
    Purpose,
    /// A code of `icarProductFamilyType`.
    Family,
}

impl Filter {
    /// All groups.
    pub const ALL: [Self; 9] = [
        Self::Modified,
        Self::Animal,
        Self::Dates,
        Self::Identifier,
        Self::ReportPeriod,
        Self::Metric,
        Self::Duration,
        Self::Purpose,
        Self::Family,
    ];

    /// The name of the group, as the catalogue writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Animal => "animal",
            Self::Dates => "dates",
            Self::Identifier => "identifier",
            Self::ReportPeriod => "report-period",
            Self::Metric => "metric",
            Self::Duration => "duration",
            Self::Purpose => "purpose",
            Self::Family => "family",
        }
    }

    /// Whether its parameters are the two ends of a window of time.
    #[must_use]
    pub fn is_window(self) -> bool {
        matches!(self, Self::Modified | Self::Dates | Self::ReportPeriod)
    }

    /// Whether its parameters are the scheme and the number of an identifier.
    #[must_use]
    pub fn is_pair(self) -> bool {
        matches!(self, Self::Animal | Self::Identifier | Self::Metric)
    }

    /// The group that a parameter belongs to.
    #[must_use]
    pub fn of_parameter(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|filter| filter.parameters().contains(&name))
    }

    /// The names of the query parameters.
    #[must_use]
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Modified => &["meta-modified-from", "meta-modified-to"],
            Self::Animal => &["animal-scheme", "animal-id"],
            Self::Dates => &["date-from", "date-to"],
            Self::Identifier => &["identifier-scheme", "identifier-id"],
            Self::ReportPeriod => &["report-start-date-time", "report-end-date-time"],
            Self::Metric => &["metric-scheme", "metric-id"],
            Self::Duration => &["duration"],
            Self::Purpose => &["purpose"],
            Self::Family => &["family"],
        }
    }
}

/// Irregular bodies of the official file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// The schema the file declares for the body of a POST.
    #[serde(default)]
    pub post: Option<String>,
    /// The schema the file declares for the answer to a POST.
    #[serde(default)]
    pub answer: Option<String>,
}

/// A collection of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CollectionEntry {
    /// The path behind the location, e.g. `births`; a template for the few that go on (`schemata/{scheme-type}`).
    pub name: String,
    /// The URL scheme file without `URLscheme.json`; `example` for what only the example file has.
    pub scheme: String,
    /// The official name of the resource, e.g. `icarMovementBirthEventResource`.
    pub resource: String,
    /// Its operations.
    pub verbs: Vec<Verb>,
    #[serde(default)]
    batch: Option<String>,
    /// Older spellings of the name.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The collection of which this is a second official name.
    #[serde(default)]
    pub same_as: Option<String>,
    /// The filters of the GET.
    #[serde(default)]
    pub filters: Vec<Filter>,
    /// Those of `filters` that the GET requires.
    #[serde(default)]
    pub required: Vec<Filter>,
    /// Filters that the standard leaves out but a server may serve.
    #[serde(default)]
    pub may_add: Vec<Filter>,
    /// Whether the path starts with a location.
    #[serde(default = "yes")]
    pub scoped: bool,
    /// Whether a GET answers one resource instead of a collection.
    #[serde(default)]
    pub single: bool,
    /// The release since which the standard discourages it.
    #[serde(default)]
    pub deprecated: Option<String>,
    /// Where the official file declares another body than the resource.
    #[serde(default)]
    pub declared: Declared,
}

fn yes() -> bool {
    true
}

impl CollectionEntry {
    /// Whether the verb is offered.
    #[must_use]
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// The name under `/batches`, if there are batches.
    #[must_use]
    pub fn batch_name(&self) -> Option<&str> {
        self.allows(Verb::Batch).then(|| self.batch.as_deref().unwrap_or(&self.name))
    }

    /// The path template of the collection, from the root of the API.
    #[must_use]
    pub fn path(&self) -> String {
        let location = if self.scoped { LOCATION } else { "" };
        format!("{location}/{}", self.name)
    }

    /// The path template of its batches, from the root of the API.
    #[must_use]
    pub fn batch_path(&self) -> Option<String> {
        self.batch_name().map(|name| format!("/batches{LOCATION}/{name}"))
    }

    /// Every filter of the GET, with those that a server may add.
    pub fn all_filters(&self) -> impl Iterator<Item = Filter> {
        self.filters.iter().chain(&self.may_add).copied()
    }

    /// The names of the query parameters of the GET.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.filters.iter().flat_map(|filter| filter.parameters()).copied()
    }
}

/// The members that answer a parameter for values inside a resource.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The query parameter, of a pair the one with the number.
    pub parameter: String,
    /// The paths of its values, with `[]` behind lists; each resource has some of them.
    pub members: Vec<String>,
    /// The enumeration that the values are of.
    #[serde(default)]
    pub codes: Option<String>,
    /// Spellings of earlier releases, with their present ones.
    #[serde(default)]
    pub older: BTreeMap<String, String>,
}

/// A place where the standard contradicts itself or its own habits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Irregularity {
    /// Schemas or parameters concerned, separated by commas.
    pub subject: String,
    /// The contradiction and its interpretation.
    pub reading: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    collection: Vec<CollectionEntry>,
    answer: Vec<Answer>,
    irregularity: Vec<Irregularity>,
}

/// The collections of the standard.
#[derive(Debug)]
pub struct Catalog {
    collections: Vec<CollectionEntry>,
    answers: Vec<Answer>,
    irregularities: Vec<Irregularity>,
    by_name: BTreeMap<String, usize>,
    by_batch: BTreeMap<String, usize>,
    faults: Vec<String>,
}

impl Catalog {
    /// The catalogue, read on first use.
    #[must_use]
    pub fn get() -> &'static Self {
        static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::read(include_str!("../catalog.toml")));
        &CATALOG
    }

    fn read(text: &str) -> Self {
        let mut faults = Vec::new();
        let file = toml::from_str::<File>(text).unwrap_or_else(|why| {
            faults.push(format!("catalog.toml: {why}"));
            File::default()
        });
        let mut catalog = Self {
            collections: file.collection,
            answers: file.answer,
            irregularities: file.irregularity,
            by_name: BTreeMap::new(),
            by_batch: BTreeMap::new(),
            faults,
        };
        for one in &catalog.answers {
            if Filter::of_parameter(&one.parameter).is_none() {
                let fault = format!("{}: no such parameter", one.parameter);
                catalog.faults.push(fault);
            }
        }
        for (at, one) in catalog.collections.iter().enumerate() {
            let taken = catalog.by_name.insert(one.name.clone(), at);
            if taken.is_some() {
                catalog.faults.push(format!("{}: listed twice", one.name));
            }
            if let Some(name) = one.batch_name()
                && catalog.by_batch.insert(name.to_owned(), at).is_some()
            {
                catalog.faults.push(format!("{name}: two collections have this batch name"));
            }
        }
        for (at, one) in catalog.collections.iter().enumerate() {
            for alias in &one.aliases {
                if catalog.by_name.insert(alias.clone(), at).is_some() {
                    catalog.faults.push(format!("{alias}: is a name already"));
                }
            }
        }
        catalog
    }

    /// The faults of the embedded file: empty in a released crate.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// All collections, in the order of the file.
    #[must_use]
    pub fn collections(&self) -> &[CollectionEntry] {
        &self.collections
    }

    /// The collection of that name or older spelling.
    #[must_use]
    pub fn collection(&self, name: &str) -> Option<&CollectionEntry> {
        self.collections.get(*self.by_name.get(name)?)
    }

    /// The collection whose batches have that name, or whose name or older spelling it is.
    #[must_use]
    pub fn batch(&self, name: &str) -> Option<&CollectionEntry> {
        match self.by_batch.get(name) {
            Some(at) => self.collections.get(*at),
            None => self.collection(name).filter(|one| one.allows(Verb::Batch)),
        }
    }

    /// The collections of a resource, second names included.
    pub fn of_resource<'a>(&'a self, resource: &'a str) -> impl Iterator<Item = &'a CollectionEntry> {
        self.collections.iter().filter(move |one| one.resource == resource)
    }

    /// The members that answer the parameters for values inside a resource.
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The members that answer a parameter.
    #[must_use]
    pub fn answer(&self, parameter: &str) -> Option<&Answer> {
        self.answers.iter().find(|one| one.parameter == parameter)
    }

    /// The contradictions of the standard, and their interpretation.
    #[must_use]
    pub fn irregularities(&self) -> &[Irregularity] {
        &self.irregularities
    }
}
