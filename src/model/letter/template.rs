//! The occasions on which the service writes, and which emails an account may decline.

use serde::{Deserialize, Serialize};

/// A kind of emails that an account wishes or declines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    /// About packages, and the assignments to send them.
    Submissions,
    /// About verification, animals and documents of the organisation.
    Trust,
    /// Each week about the work lists of the organisation.
    Work,
}

impl Wish {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Submissions, Self::Trust, Self::Work];

    /// Its name in links.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Submissions => "submissions",
            Self::Trust => "trust",
            Self::Work => "work",
        }
    }

    /// The kind of a name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wish| wish.word() == word)
    }
}

/// Declares the occasions: each with its name in the texts, the kind by which accounts decline it (none: it is always
/// sent), and what it is.
macro_rules! templates {
    ($($name:ident = $word:literal, $wish:expr => $doc:literal;)+) => {
        /// The occasions on which the service writes. Their texts are `model::messages`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Template {
            $(#[doc = $doc] #[serde(rename = $word)] $name,)+
        }

        impl Template {
            /// Every occasion.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name in the texts.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// The kind by which accounts decline it; none: it is sent in any case.
            pub const fn wish(self) -> Option<Wish> {
                match self {
                    $(Self::$name => $wish,)+
                }
            }
        }
    };
}

const SUBMISSIONS: Option<Wish> = Some(Wish::Submissions);
const TRUST: Option<Wish> = Some(Wish::Trust);
const WORK: Option<Wish> = Some(Wish::Work);

templates! {
    ResetPassword = "reset-password", None
        => "A user requested a new password. Values: `collection`, `name`, `token`, `minutes`.";
    Invitation = "invitation", None
        => "A person is invited into an organisation. Values: `collection`, `organization`, `inviter`, `token`, `days`.";
    Unlock = "unlock", None
        => "A user wants to sign in although others try passwords for that name. Values: `collection`, `name`, `token`, `minutes`.";
    Changed = "changed", None
        => "What signs in was changed. Values: `name`, and those of [`super::AccountChange`].";
    NewAddress = "new-address", None
        => "A user wants this address for their account. Values: `collection`, `name`, `token`, `hours`.";
    AddressWanted = "address-wanted", None
        => "A user wanted this address, which another account has already. Values: `name`.";
    AssignmentMade = "assignment-made", SUBMISSIONS
        => "The Association asks for a package. Values: `kind`, `dataset`, `from`, `to`, `due`, and a remark.";
    AssignmentDue = "assignment-due", SUBMISSIONS
        => "A requested package is due soon. Values: `kind`, `dataset`, `from`, `to`, `due`, `days`.";
    AssignmentOverdue = "assignment-overdue", SUBMISSIONS
        => "A requested package is overdue. Values: `kind`, `dataset`, `from`, `to`, `due`.";
    PackageRead = "package-read", SUBMISSIONS
        => "The file of a package was read. Values: `number`, `rows`, `created`, `updated`, `held`.";
    PackageFailed = "package-failed", SUBMISSIONS
        => "The file of a package could not be read. Values: `number`, `code`.";
    PackageReturned = "package-returned", SUBMISSIONS
        => "A package was sent back to its farm. Values: `number`, and a remark.";
    PackageChecked = "package-checked", SUBMISSIONS
        => "A package is signed and waits for the consent of its farm. Values: `number`, and a remark.";
    PackageAccepted = "package-accepted", SUBMISSIONS
        => "A package is accepted. Values: `number`.";
    PackageRejected = "package-rejected", SUBMISSIONS
        => "A package is rejected. Values: `number`, and a remark.";
    PackageComment = "package-comment", SUBMISSIONS
        => "The Association wrote comments on a package. Values: `number`, and a remark.";
    PackageFarmComment = "package-farm-comment", SUBMISSIONS
        => "A farm wrote comments on its package. Values: `number`, and a remark.";
    RequestComment = "request-comment", TRUST
        => "The Association wrote comments on a request. Values: `number`, and a remark.";
    RequestFarmComment = "request-farm-comment", TRUST
        => "An organisation wrote comments on its request. Values: `number`, and a remark.";
    RequestApproved = "request-approved", TRUST
        => "A request was approved. Values: `number`, `animals`, `held`, and a remark.";
    RequestRejected = "request-rejected", TRUST
        => "A request was rejected. Values: `number`, and a remark.";
    MovementPending = "movement-pending", TRUST
        => "Movements wait for the confirmation of their giver. Values: `count`.";
    MovementReceived = "movement-received", TRUST
        => "A seller recorded sales to the organisation. Values: `count`.";
    MovementObjected = "movement-objected", TRUST
        => "The buyer of sales says that the animals are not theirs. Values: `count`.";
    AccessRequested = "access-requested", TRUST
        => "Requests for access came in. Values: `count`.";
    AccessApproved = "access-approved", TRUST
        => "A request for access was approved. Values: `date`, and a remark.";
    AccessDeclined = "access-declined", TRUST
        => "A request for access was declined. Values: `date`, and a remark.";
    DocumentIssued = "document-issued", TRUST
        => "A document was issued to its organisation. Values: `title`, `numbered`, `number`.";
    WorkLists = "work-lists", WORK
        => "A week begins. Values: how many animals each work list has, by its name.";
}

/// What of an account was changed, as an email tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountChange {
    /// The password.
    Password,
    /// The address, to this one.
    Address(String),
    /// The API key of the account was ended.
    KeyEnded,
    /// The account has a new API key.
    KeyNew,
    /// There is a new API key of this name.
    NamedKeyNew(String),
    /// The API key of this name was revoked.
    NamedKeyRevoked(String),
    /// A second factor was switched on.
    SecondFactorOn,
    /// The second factor was switched off.
    SecondFactorOff,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
}

impl AccountChange {
    /// Its name in the texts, and the name and text of the value that belongs to it.
    pub fn words(&self) -> (&'static str, Option<(&'static str, &str)>) {
        match self {
            Self::Password => ("password", None),
            Self::Address(to) => ("address", Some(("to-address", to))),
            Self::KeyEnded => ("key-ended", None),
            Self::KeyNew => ("key-new", None),
            Self::NamedKeyNew(name) => ("named-key-new", Some(("key", name))),
            Self::NamedKeyRevoked(name) => ("named-key-revoked", Some(("key", name))),
            Self::SecondFactorOn => ("second-factor-on", None),
            Self::SecondFactorOff => ("second-factor-off", None),
            Self::PasskeyAdded => ("passkey-added", None),
            Self::PasskeyRemoved => ("passkey-removed", None),
        }
    }
}
