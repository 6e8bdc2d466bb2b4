//! The fields that each feature works on. A declaration that lacks one is refused at start.

use super::evaluation::{bases, breeding_values, index_values, profiles, runs};
use super::review::{finding, package, sent_row};
use super::{
    Feature, births, certificates, corrections, keyring, mandates, mating, measurements, quota, saved_searches,
    signing, view_links,
};
use crate::registry::{Collection, Registry, notify};

impl Feature {
    /// The fields and joins that it works on.
    fn paths(self) -> &'static [&'static str] {
        match self {
            Self::ApiKeys => &keyring::LOOKED_FOR,
            Self::Births => {
                &[births::SERVICE, births::TRANSFER, births::LISTED, births::COUNTS[0].1, births::COUNTS[1].1]
            }
            Self::BreedingValues => &breeding_values::LOOKED_FOR,
            Self::Certificates => &[certificates::SNAPSHOT],
            Self::EvaluationRuns => &runs::STATEMENT,
            Self::Findings => &[
                finding::CODE,
                finding::SEVERITY,
                finding::STATE,
                finding::COLLECTION,
                finding::RECORD,
                finding::PATH,
                finding::ANIMAL,
                finding::PACKAGE,
            ],
            Self::IndexBases => &bases::LOOKED_FOR,
            Self::IndexProfiles => &[profiles::NAME],
            Self::IndexValues => &index_values::LOOKED_FOR,
            Self::Invitations => &[],
            Self::Mandates => &mandates::LOOKED_FOR,
            Self::Mating => &[
                mating::SEX,
                mating::STOCK,
                births::calf::NAME,
                births::calf::TAG,
                births::calf::BORN,
                births::calf::FARM,
                births::calf::BREED,
            ],
            Self::Measurements => &[measurements::LABEL, measurements::AT, measurements::CASES],
            Self::Packages => &[
                signing::STATEMENT,
                signing::VALUE,
                package::ROWS,
                package::SHEETS,
                package::MAPPING,
                package::UNREAD_MESSAGE,
                package::UNREAD_CODE,
                package::UNCHECKED,
                package::ANIMALS,
            ],
            Self::Quotas => &[quota::ORGANIZATION],
            Self::Requests => &[
                corrections::BY,
                corrections::ABOUT,
                corrections::NUMBER,
                corrections::COUNTS[0],
                corrections::COUNTS[1],
            ],
            Self::SavedSearches => &[
                saved_searches::LIST,
                saved_searches::NAME,
                saved_searches::QUERY,
                saved_searches::MEMBERS,
                saved_searches::CONDITION,
                saved_searches::OFFERED,
                saved_searches::SCOPE,
                saved_searches::AUTHOR,
            ],
            Self::SentRows => &[
                sent_row::LINE,
                sent_row::SHEET,
                sent_row::STATE,
                sent_row::IDENT,
                sent_row::ANIMAL,
                sent_row::COLLECTION,
                sent_row::RECORD,
                sent_row::CELLS,
                sent_row::FAULTS,
                sent_row::MENDED,
            ],
            Self::SigningKeys => &signing::KEYS,
            Self::ViewLinks => &view_links::LOOKED_FOR,
            Self::WebhookDeliveries => &notify::LOGGED,
            Self::Webhooks => &[notify::URL, notify::DATASET, notify::ENABLED],
        }
    }

    /// The words of selects (`field=word`) and the members of lists that it works on, and limits.
    fn words(self) -> Vec<String> {
        let words =
            |path: &str, words: &[&str]| -> Vec<String> { words.iter().map(|word| format!("{path}={word}")).collect() };
        let members =
            |list: &str, names: &[&str]| -> Vec<String> { names.iter().map(|name| format!("{list}.{name}")).collect() };
        match self {
            Self::Births => [
                words(births::KIND, &[births::CALVING]),
                words(births::RESULT, &births::NUMBERS.map(|(word, _)| word)),
                members(births::EACH, &births::MEMBERS),
            ]
            .concat(),
            Self::Certificates => words(certificates::KIND, &certificates::FORMS),
            Self::EvaluationRuns => {
                [words(runs::STATE, &[runs::RELEASED]), members(runs::RESULTS, &runs::MEMBERS)].concat()
            }
            Self::Mating => words(mating::SEX, &[mating::MALE, mating::FEMALE]),
            Self::Packages => [
                words(package::READING, &package::IS_READING),
                words(package::READING, &[package::UNREAD]),
                words(package::STATUS, &package::OPEN),
                members(package::FINDINGS, &package::FINDING),
            ]
            .concat(),
            Self::Quotas => (quota::LIMITS.iter().chain(&quota::STOCK)).map(|(path, _)| (*path).to_owned()).collect(),
            Self::Requests => [
                words(corrections::KIND, &[corrections::CORRECTION]),
                words(corrections::STATE, &corrections::OPEN),
                words(corrections::STATE, &[corrections::DECLINED]),
                members(corrections::PROPOSED, &corrections::MEMBERS),
                members(corrections::HELD_ROWS, &[corrections::REASON]),
            ]
            .concat(),
            Self::SavedSearches => {
                let both = [saved_searches::WHOLE, saved_searches::OWN];
                words(saved_searches::PLACE, &both)
            }
            _ => Vec::new(),
        }
    }
}

impl Collection {
    /// The feature that works on its rows.
    pub fn feature(mut self, feature: Feature) -> Self {
        self.feature = Some(feature);
        self
    }
    /// Whether that feature works on its rows.
    pub fn is(&self, feature: Feature) -> bool {
        self.feature == Some(feature)
    }
}

impl Registry {
    /// The collection of a feature, if there is one.
    pub fn with_feature(&self, feature: Feature) -> Option<&Collection> {
        self.iter().find(|c| c.is(feature))
    }

    /// The collection of certificates about rows of another one.
    pub fn certificates_about(&self, slug: &str) -> Option<&Collection> {
        self.with_feature(Feature::Certificates)
            .filter(|c| c.animal.and_then(|path| c.field(path)?.target()) == Some(slug))
    }

    /// Every fault in what a declaration says of its feature.
    pub(in crate::registry) fn check_feature(&self, c: &Collection, fault: &mut dyn FnMut(&str, &'static str, String)) {
        let Some(feature) = c.feature else { return };
        let words = feature.words();
        let paths = words.iter().map(String::as_str);
        for path in paths.chain(feature.paths().iter().copied()) {
            let is_join = c.joins.iter().any(|join| join.name == path);
            let is_word = path.contains('=') && self.holds(c, path);
            if c.member(path).is_none() && !is_join && !is_word {
                fault(path, "no-such-field", format!("{feature:?} works on it"));
            }
        }
        if self.with_feature(feature).is_some_and(|other| other.slug != c.slug) {
            fault("", "declared-twice", format!("another one is {feature:?}"));
        }
    }
}
