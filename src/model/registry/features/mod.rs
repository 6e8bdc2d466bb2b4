//! Which feature of the program works on the rows of a collection. Other crates find the collection by it, so
//! that none names it, and its fields by the names that stand in the module of the feature.

pub mod births;
pub mod certificates;
pub mod corrections;
pub mod evaluation;
mod fields;
pub mod keyring;
pub mod mandates;
pub mod mating;
pub mod measurements;
pub mod quota;
pub mod review;
pub mod saved_searches;
pub mod signing;
pub mod view_links;

/// Which feature works on the rows of a collection. A feature has one collection at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// API keys of accounts ([`keyring`](super::keyring)).
    ApiKeys,
    /// Calvings, whose calves become records of the book ([`births`](super::births)).
    Births,
    /// Breeding values of animals ([`breeding_values`](super::evaluation::breeding_values)).
    BreedingValues,
    /// Some documents are certificates ([`certificates`](super::certificates)): `certificate`, the public check of certificates, and
    /// `certificate-conditions` of the collection that they are about exist.
    Certificates,
    /// Runs that compute breeding values ([`runs`](super::evaluation::runs)).
    EvaluationRuns,
    /// What checks found ([`finding`](super::review::finding)).
    Findings,
    /// Bases that indexes are expressed against ([`bases`](super::evaluation::bases)).
    IndexBases,
    /// Profiles of selection indexes ([`profiles`](super::evaluation::profiles)).
    IndexProfiles,
    /// Values of selection indexes ([`index_values`](super::evaluation::index_values)).
    IndexValues,
    /// Invitations of people into the sign-in collection, accepted with the token of the row.
    Invitations,
    /// Mandates, by which an organisation sends resources for another ([`mandates`](super::mandates)).
    Mandates,
    /// Rows of either sex ([`mating`](super::mating)). Kinship of the rows, which descend from each other, and plans of matings (docs/mating.md): `kinship` and
    /// `mating-plan` exist.
    Mating,
    /// How fast the program was ([`measurements`](super::measurements)).
    Measurements,
    /// Packages ([`package`](super::review::package)): files whose rows become rows of other collections, which name theirs by
    /// [`PACKAGE_OF_ROW`](super::signing::PACKAGE_OF_ROW) and are signed with it. `signed`, `sample` and `protocol` exist.
    Packages,
    /// What organisations may ask for ([`quota`](super::quota)).
    Quotas,
    /// Requests about animals that the Association decides; `decision` tells what an approval would do. Some correct
    /// locked fields ([`corrections`](super::corrections)).
    Requests,
    /// Saved searches of lists ([`saved_searches`](super::saved_searches)).
    SavedSearches,
    /// Rows of packages as they were sent ([`sent_row`](super::review::sent_row)).
    SentRows,
    /// Keys that sign for the installation ([`signing`](super::signing)).
    SigningKeys,
    /// View links: whoever has the token of one sees the animals that it names ([`view_links`](super::view_links)).
    ViewLinks,
    /// The log of what was sent to webhooks ([`notify`](super::notify)).
    WebhookDeliveries,
    /// Webhooks ([`notify`](super::notify)).
    Webhooks,
}

impl Feature {
    /// What the rows are, for the printed model.
    pub(super) fn doc(self) -> &'static str {
        match self {
            Self::ApiKeys => "Rows are API keys.",
            Self::Births => "Rows are calvings; forms of their calves begin with what is known of them.",
            Self::BreedingValues => "Rows are [breeding values](../evaluation.md).",
            Self::Certificates => "Some rows are [certificates](../certificates.md) about their animal.",
            Self::EvaluationRuns => "Rows are [runs](../evaluation.md#runs) that compute breeding values.",
            Self::Findings => "Rows are what checks found.",
            Self::IndexBases => "Rows are [bases](../indexes.md#bases).",
            Self::IndexProfiles => "Rows are profiles of [indexes](../indexes.md#profiles).",
            Self::IndexValues => "Rows are values of [indexes](../indexes.md).",
            Self::Invitations => "Rows invite people who then sign in.",
            Self::Mandates => "Rows are mandates.",
            Self::Mating => "[Kinship](../mating.md) of the rows can be asked, and which of them to mate.",
            Self::Measurements => "Rows are measurements of how fast the program was.",
            Self::Packages => {
                "Rows are [packages](../packages.md): their files are read, rows of other collections come of them, and these are signed together."
            }
            Self::Quotas => "Rows are quotas.",
            Self::Requests => {
                "Rows are [requests](../requests.md): what an approval would do can be asked. Some correct locked fields of animals."
            }
            Self::SavedSearches => "Rows are saved searches.",
            Self::SentRows => "Rows are those of packages, as they were sent.",
            Self::SigningKeys => "Rows are keys that sign for the installation.",
            Self::ViewLinks => "Rows are view links.",
            Self::WebhookDeliveries => "Rows are what was sent to webhooks.",
            Self::Webhooks => "Rows are webhooks.",
        }
    }
}
