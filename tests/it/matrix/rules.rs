//! The access rules, one line per collection, written by hand from the agreed data model: R, C, U, D, S and S→. The
//! server's own declarations are not read here; that is the point.

/// The capabilities (docs/design/access.md, *Callers*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cap {
    Data,
    Submit,
    Move,
    Share,
    Team,
    Org,
}

/// The twelve rules (docs/design/access.md, *The twelve rules*). The scope of EVENT is its word, `any` for whichever;
/// the second member states whether an opened card opens the row (no for `EVENT(s−)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Any,
    Signed,
    Assoc,
    Admin,
    None,
    SelfRow,
    Author,
    Book,
    Event(&'static str, bool),
    Farm,
    /// A path and the value that is the flag; `""` means empty.
    Open(&'static str, &'static str),
    Own(Cap),
}

/// The rules of a collection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) slug: &'static str,
    pub(super) read: Rule,
    pub(super) create: Rule,
    pub(super) update: Rule,
    pub(super) delete: Rule,
    /// S
    pub(super) subjects: &'static [&'static str],
    /// S→
    pub(super) writers: &'static [&'static str],
}

use Cap::{Data, Move, Org, Share, Submit, Team};
use Rule::{Admin, Any, Assoc, Author, Book, Event, Farm, None, Open, Own, SelfRow, Signed};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Collections with their rules of reading, creating, updating and deleting, `S => S→`.
macro_rules! lines {
    ($($slug:literal: $read:expr, $create:expr, $update:expr, $delete:expr;
        $($subject:literal),* => $($writer:literal),*;)+) => {
        &[$(Line {
            slug: $slug,
            read: $read,
            create: $create,
            update: $update,
            delete: $delete,
            subjects: &[$($subject),*],
            writers: &[$($writer),*],
        }),+]
    };
}

/// All collections in the order of the registry.
pub(super) const LINES: &[Line] = lines![
    // 3.1 Herd
    "animals": Book, Own(Data), Own(Data), Admin; "owner" => "owner";
    "herds": Any, Own(Data), Own(Data), Admin; "organization" => "organization";
    "movements": Farm, Own(Move), Assoc, Admin; "from", "to" => "from", "to";
    "saved-searches": Author, Author, Author, Author; "author", "organization" => "author", "organization";
    // 3.2 Events
    "calvings": Event("production", true), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "inseminations": Event("production", true), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "milk-tests": Event("production", true), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "weighings": Event("production", true), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "milking-visits": Event("production", false), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "daily-milkings": Event("production", false), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "health-events": Event("production", true), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    "events": Event("production", true), Own(Data), Own(Data), Own(Data); "ownerOrg" => "animal.owner";
    // 3.3 Evaluation
    "animal-evaluations": Event("evaluation", true), Admin, Admin, Admin; "ownerOrg" => "ownerOrg";
    "animal-exteriors": Event("evaluation", true), Admin, Admin, Admin; "ownerOrg" => "ownerOrg";
    "gradings": Event("evaluation", true), None, None, None; "ownerOrg" => "ownerOrg";
    "index-profiles": Open("organization", ""), Own(Data), Own(Data), Own(Data); "organization" => "organization";
    // No S: none is named for the values of an index.
    "index-values": Event("evaluation", true), None, None, None; => ;
    "index-bases": Any, Admin, Admin, Admin; => ;
    "evaluation-runs": Open("state", "released"), Assoc, Assoc, Admin; => ;
    "index-runs": Farm, None, None, None; "organization" => "organization";
    "lactation-averages": Open("organization", ""), None, None, Assoc; "organization" => "organization";
    // 3.4 Verification
    "data-submissions": Farm, Own(Submit), Assoc, Admin; "organization" => "organization";
    "upload-assignments": Farm, Assoc, Assoc, Assoc; "organization" => "organization";
    "verification-requests": Farm, Own(Submit), Assoc, Admin; "organization" => "organization";
    "check-settings": Signed, Assoc, Assoc, Assoc; => ;
    "check-thresholds": Signed, Assoc, Assoc, Assoc; => ;
    "check-findings": Farm, None, Assoc, None; "organization" => "organization";
    "pending-columns": Assoc, Admin, Assoc, Admin; => ;
    "pending-values": Assoc, Admin, Assoc, Admin; => ;
    // 3.5 Documents
    "documents": Event("documents", true), Own(Data), Own(Data), Admin; "organization" => "organization", "|animal.owner";
    "media": Open("visibility", "public"), Own(Data), Own(Data), Own(Data); "owner" => "owner";
    "animal-gallery": Event("origin", true), Own(Data), Own(Data), Own(Data); => "animal.owner";
    // 3.6 People
    "users": SelfRow, Admin, SelfRow, Admin; => ;
    "organizations": Any, Signed, Own(Org), Admin; "id" => "id", "?referencedBy";
    "invitations": Farm, Own(Team), Own(Team), Admin; "organization" => "organization";
    // 3.7 Access
    "access-requests": Farm, Signed, Own(Share), Admin; "owner", "requesterOrg", "requester" => "owner";
    "access-grants": Farm, Own(Share), Own(Share), Admin; "owner", "grantee" => "owner";
    "mandates": Farm, Own(Share), Own(Share), Admin; "grantor", "receiver" => "grantor";
    "genotype-consents": Farm, Own(Share), Own(Share), Admin; "owner", "grantee" => "owner";
    "share-links": Farm, Own(Share), Own(Share), Admin; "owner" => "owner";
    // 3.8 Logs
    "animal-revisions": Event("any", false), None, None, None; "ownerOrg" => "ownerOrg";
    "submission-rows": Farm, None, None, None; "organization" => "organization";
    "operations": Farm, None, None, None; "organization", "actor" => "organization", "actor";
    "access-views": Farm, None, None, None; "owner", "viewerOrg" => "owner", "viewerOrg";
    "animal-removals": Farm, None, None, None; "owner" => "owner";
    // 3.9 Dictionaries
    "breeds": Any, Assoc, Assoc, Assoc; => ;
    "lines": Any, Assoc, Assoc, Assoc; => ;
    "breeding-categories": Any, Assoc, Assoc, Assoc; => ;
    "breeding-classes": Any, Assoc, Assoc, Assoc; => ;
    "animal-purposes": Any, Assoc, Assoc, Assoc; => ;
    "disposal-reasons": Any, Assoc, Assoc, Assoc; => ;
    "coat-colors": Any, Assoc, Assoc, Assoc; => ;
    "blood-groups": Any, Assoc, Assoc, Assoc; => ;
    "reproduction-methods": Any, Assoc, Assoc, Assoc; => ;
    "semen-types": Any, Assoc, Assoc, Assoc; => ;
    "insemination-results": Any, Assoc, Assoc, Assoc; => ;
    "dna-test-types": Any, Assoc, Assoc, Assoc; => ;
    "haplotype-types": Any, Assoc, Assoc, Assoc; => ;
    "health-event-types": Any, Assoc, Assoc, Assoc; => ;
    "technicians": Any, Assoc, Assoc, Assoc; => ;
    "breed-types": Any, Assoc, Assoc, Assoc; => ;
    "countries": Any, Assoc, Assoc, Assoc; => ;
    "regions": Any, Assoc, Assoc, Assoc; => ;
    "districts": Any, Assoc, Assoc, Assoc; => ;
    // 3.10 Platform
    "bench-runs": Any, None, None, None; => ;
    "check-runs": Any, Assoc, Assoc, Admin; => ;
    // Beyond the herd-book model: a user who writes data of a farm may register webhooks for it.
    "webhooks": Farm, Own(Data), Own(Data), Own(Data); "organization" => "organization";
    "webhook-deliveries": Farm, None, None, None; "organization" => "organization";
    // Only the Association says what a farm may ask for.
    "quotas": Farm, Assoc, Assoc, Assoc; "organization" => "organization";
    // The user of an account creates its keys.
    "api-keys": Farm, Farm, Farm, Admin; "user" => "user";
    // Contradictions with rows that the caller does not see are reported to the owner of the rows.
    "clarifications": Farm, None, Own(Data), Admin; "owner" => "owner";
    // Everybody verifies by them; an admin retires them.
    "signing-keys": Any, None, Admin, None; => ;
    // 3.11 Exchange
    "ade-tombstones": Farm, None, None, None; "location" => "location";
];

/// Who may see a field of a row that they read (docs/design/access.md, *Classes of fields*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// r
    R,
    /// c
    C,
    /// p
    P,
    /// e
    E,
    /// g
    G,
    /// o
    O,
    /// °
    Private,
    /// °s
    Signed,
}

/// The fields of an animal outside class r, by path or group.
const ANIMAL: &[(Class, &str)] = &table![
    Class::C,
    "fgias altIds breedType bloodPercent improvers coatColor bloodGroup purpose breedDate purposeDate birthPlace \
     registrationBasis breedingClass receiptMethod father mother line family pedigreeText genetics haplotypes \
     shows arrivalDate previousOrganization disposalReason disposalOrganization inbreeding \
     inbreedingNeedsApproval pedigreeDepth parentStatus pastOwners author";
    Class::P, "current lactations summary";
    Class::E, "ipcDetails production reproduction semen health calvingRoles exterior linearScore";
    Class::G, "dnaTests";
    Class::O, "notes archiveReason archivedAt archivedBy lastEditUser lastEditTime checkStatus";
];

/// Fields of an animal of class r inside groups of another class.
const ANIMAL_ROW: &[&str] = &["altIds.internationalId", "semen.stock"];

/// The marks ° and °s elsewhere.
const MARKED: &[(&str, Class, &str)] = &table![
    "herds", Class::Signed, "address";
    "herds", Class::Private, "holdingNumber workLists";
    "documents", Class::Private, "publicCode snapshot";
    "organizations", Class::Signed, "phone email address";
    "organizations", Class::Private, "membershipReview";
    "operations", Class::Private, "ip";
    "animal-removals", Class::Private, "snapshot";
    "bench-runs", Class::Private, "animals rows";
    "check-runs", Class::Private, "failed results animals checked";
    "index-bases", Class::Private, "comparedWith comparison";
    "evaluation-runs", Class::Private, "step done total skipped leftOut fault";
];

/// Collections of events: checkStatus and ade are °.
pub(super) const EVENTS: [&str; 8] = [
    "calvings",
    "inseminations",
    "milk-tests",
    "weighings",
    "milking-visits",
    "daily-milkings",
    "health-events",
    "events",
];

/// The marks of each collection, by path. They are looked up for each field of each row that a caller gets.
static MARKS: LazyLock<BTreeMap<&str, Vec<(&str, Class)>>> = LazyLock::new(|| {
    let mut all = BTreeMap::<&str, Vec<(&str, Class)>>::new();
    let animals = ANIMAL.iter().map(|&(class, paths)| ("animals", class, paths));
    for (slug, class, paths) in animals.chain(MARKED.iter().copied()) {
        let paths = paths.split_whitespace().map(|path| (path, class));
        all.entry(slug).or_default().extend(paths);
    }
    all
});

/// The class of a field.
pub(super) fn class(slug: &str, path: &str) -> Class {
    let below = |group: &str| path == group || (path.strip_prefix(group)).is_some_and(|rest| rest.starts_with('.'));
    if slug == "animals" && ANIMAL_ROW.iter().any(|group| below(group)) {
        return Class::R;
    }
    if EVENTS.contains(&slug) && (below("checkStatus") || below("ade")) {
        return Class::Private;
    }
    let marks = MARKS.get(slug).map(Vec::as_slice).unwrap_or_default();
    (marks.iter()).find(|(group, _)| below(group)).map_or(Class::R, |(_, class)| *class)
}

/// Relations that name any animal of the book by its number (a bull of the whole book, or else `bullText`; a parent
/// likewise), whether its card is open or not: a write reveals that such an id exists.
pub(super) const WHOLE_BOOK: [(&str, &str); 5] = [
    ("animals", "father"),
    ("animals", "mother"),
    ("inseminations", "bull"),
    ("inseminations", "embryo.donor"),
    ("inseminations", "embryo.sire"),
];

/// The joins: `(collection, join, from, by)`.
pub(super) const JOINS: &[(&str, &str, &str, &[&str])] = &table![
    "animals", "calvings", "calvings", &["animal"];
    "animals", "inseminations", "inseminations", &["animal"];
    "animals", "milkTests", "milk-tests", &["animal"];
    "animals", "weighings", "weighings", &["animal"];
    "animals", "milkingVisits", "milking-visits", &["animal"];
    "animals", "dailyMilkings", "daily-milkings", &["animal"];
    "animals", "healthEvents", "health-events", &["animal"];
    "animals", "events", "events", &["animal"];
    "animals", "movements", "movements", &["animal"];
    "animals", "animalEvaluations", "animal-evaluations", &["animal"];
    "animals", "animalExteriors", "animal-exteriors", &["animal"];
    "animals", "gradings", "gradings", &["animal"];
    "animals", "indexValues", "index-values", &["animal"];
    "animals", "documents", "documents", &["animal"];
    "animals", "gallery", "animal-gallery", &["animal"];
    "animals", "revisions", "animal-revisions", &["animal"];
    "animals", "children", "animals", &["father", "mother"];
    "animals", "services", "inseminations", &["bull"];
    "herds", "animals", "animals", &["herd"];
    "organizations", "herds", "herds", &["organization"];
    "organizations", "animals", "animals", &["owner"];
];
