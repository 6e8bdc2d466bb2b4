//! Legal ways that readers do not expect.

/// A legal habit that a client, or a test of servers, must get along with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Members of objects are in the opposite of the usual order.
    MemberOrder,
    /// Optional members are left out: totals and links of pages, `meta.created`, marks of the feed.
    Sparse,
    /// Three members on a page.
    TinyPages,
    /// Errors in the form of the schema alone, with URIs as types.
    OtherErrors,
    /// The locations are offered, data sets are not.
    LocationsOnly,
    /// Data sets are offered, lists of locations are not.
    DatasetsOnly,
    /// Bodies come in chunks of one byte.
    ByteByByte,
    /// Names of headers begin with capitals, as in `Content-Type`.
    HeaderCase,
    /// Every object has members that the standard does not know.
    ExtraMembers,
    /// Links are relative to the address of the page.
    RelativeLinks,
    /// Addresses in links end with a slash before the query.
    TrailingSlashes,
    /// Times are returned with an offset, and with fractions.
    OtherOffsets,
    /// No `ETag`.
    NoEtag,
    /// Nothing at `/.well-known/ade`.
    NoWellKnown,
    /// A page that is the only one has no `view`.
    NoView,
    /// `Content-Type` names the character set.
    Charset,
    /// 201 has an address and no body: the standard asks for the document under 200 alone.
    BareCreated,
    /// Of two states of one document the one that arrived last stays, even if its `meta.modified`
    /// is older: the standard has no rule for states that come out of order.
    LastComesWins,
    /// Batches of more than 50 elements are refused with 413, as HTTP lets a server do.
    SmallBatches,
    /// Events that name a device are refused, and the refusal says so.
    NoDevices,
    /// `responsible` is not stored, and the answer to a document says so.
    LossTold,
    /// Of two members that exclude each other, `priority` and `severity`, the first is stored.
    Excludes,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::MemberOrder,
        Self::Sparse,
        Self::TinyPages,
        Self::OtherErrors,
        Self::LocationsOnly,
        Self::DatasetsOnly,
        Self::ByteByByte,
        Self::HeaderCase,
        Self::ExtraMembers,
        Self::RelativeLinks,
        Self::TrailingSlashes,
        Self::OtherOffsets,
        Self::NoEtag,
        Self::NoWellKnown,
        Self::NoView,
        Self::Charset,
        Self::BareCreated,
        Self::LastComesWins,
        Self::SmallBatches,
        Self::NoDevices,
        Self::LossTold,
        Self::Excludes,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MemberOrder => "member-order",
            Self::Sparse => "sparse",
            Self::TinyPages => "tiny-pages",
            Self::OtherErrors => "other-errors",
            Self::LocationsOnly => "locations-only",
            Self::DatasetsOnly => "datasets-only",
            Self::ByteByByte => "byte-by-byte",
            Self::HeaderCase => "header-case",
            Self::ExtraMembers => "extra-members",
            Self::RelativeLinks => "relative-links",
            Self::TrailingSlashes => "trailing-slashes",
            Self::OtherOffsets => "other-offsets",
            Self::NoEtag => "no-etag",
            Self::NoWellKnown => "no-well-known",
            Self::NoView => "no-view",
            Self::Charset => "charset",
            Self::BareCreated => "bare-created",
            Self::LastComesWins => "last-comes-wins",
            Self::SmallBatches => "small-batches",
            Self::NoDevices => "no-devices",
            Self::LossTold => "loss-told",
            Self::Excludes => "excludes",
        }
    }

    /// The mode of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether it follows the profile of the feed as well as the standard.
    #[must_use]
    pub const fn keeps_profile(self) -> bool {
        !matches!(self, Self::Sparse | Self::OtherErrors)
    }
}
