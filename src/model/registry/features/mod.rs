//! Which feature of the program works on the rows of a collection. Other crates find the collection by it, so
//! that none names it, and its fields by the names that stand in the module of the feature.

pub mod certificates;
pub mod corrections;
mod fields;
pub mod keyring;
pub mod mandates;
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
    /// Some documents are certificates ([`certificates`](super::certificates)): `certificate`, the public check of certificates, and
    /// `certificate-conditions` of the collection that they are about exist.
    Certificates,
    /// What checks found ([`finding`](super::review::finding)).
    Findings,
    /// Invitations of people into the sign-in collection, accepted with the token of the row.
    Invitations,
    /// Mandates, by which an organisation sends resources for another ([`mandates`](super::mandates)).
    Mandates,
    /// Kinship of the rows, which descend from each other, and plans of matings (docs/mating.md): `kinship` and
    /// `mating-plan` exist.
    Mating,
    /// Packages ([`package`](super::review::package)): files whose rows become rows of other collections, which name theirs by
    /// [`PACKAGE_OF_ROW`](super::signing::PACKAGE_OF_ROW) and are signed with it. `signed`, `sample` and `protocol` exist.
    Packages,
    /// What organisations may ask for ([`quota`](super::quota)).
    Quotas,
    /// Requests about animals that the Association decides; `decision` tells what an approval would do. Some correct
    /// locked fields ([`corrections`](super::corrections)).
    Requests,
    /// Saved searches of a list ([`saved_searches`](super::saved_searches)).
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
            Self::Certificates => "Some rows are [certificates](../certificates.md) about their animal.",
            Self::Findings => "Rows are what checks found.",
            Self::Invitations => "Rows invite people who then sign in.",
            Self::Mandates => "Rows are mandates.",
            Self::Mating => "[Kinship](../mating.md) of the rows can be asked, and which of them to mate.",
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
