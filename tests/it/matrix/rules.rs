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

const fn line(
    slug: &'static str,
    [read, create, update, delete]: [Rule; 4],
    subjects: &'static [&'static str],
    writers: &'static [&'static str],
) -> Line {
    Line {
        slug,
        read,
        create,
        update,
        delete,
        subjects,
        writers,
    }
}

/// Events, base: R EVENT(production), S ownerOrg; W OWN(data), S→ animal.owner.
const fn event(slug: &'static str, card: bool) -> Line {
    let rules = [Event("production", card), Own(Data), Own(Data), Own(Data)];
    line(slug, rules, &["ownerOrg"], &["animal.owner"])
}

/// Evaluation, base: R EVENT(evaluation), S ownerOrg.
const fn evaluation(slug: &'static str, write: Rule) -> Line {
    let rules = [Event("evaluation", true), write, write, write];
    line(slug, rules, &["ownerOrg"], &["ownerOrg"])
}

/// R ANY, W the rule.
const fn open(slug: &'static str, write: Rule) -> Line {
    line(slug, [Any, write, write, write], &[], &[])
}

/// W NONE.
const fn log(slug: &'static str, read: Rule, subjects: &'static [&'static str]) -> Line {
    line(slug, [read, None, None, None], subjects, subjects)
}

/// R FARM and the three others, S for both.
const fn farm(
    slug: &'static str,
    create: Rule,
    update: Rule,
    delete: Rule,
    subjects: &'static [&'static str],
    writers: &'static [&'static str],
) -> Line {
    line(slug, [Farm, create, update, delete], subjects, writers)
}

/// All collections in the order of the registry.
pub(super) const LINES: &[Line] = &[
    // 3.1 Herd
    line(
        "animals",
        [Book, Own(Data), Own(Data), Admin],
        &["owner"],
        &["owner"],
    ),
    line(
        "herds",
        [Any, Own(Data), Own(Data), Admin],
        &["organization"],
        &["organization"],
    ),
    farm(
        "movements",
        Own(Move),
        Assoc,
        Admin,
        &["from", "to"],
        &["from", "to"],
    ),
    line(
        "saved-searches",
        [Author, Author, Author, Author],
        &["author", "organization"],
        &["author", "organization"],
    ),
    // 3.2 Events
    event("calvings", true),
    event("inseminations", true),
    event("milk-tests", true),
    event("weighings", true),
    event("milking-visits", false),
    event("daily-milkings", false),
    event("health-events", true),
    event("events", true),
    // 3.3 Evaluation
    evaluation("animal-evaluations", Admin),
    evaluation("animal-exteriors", Admin),
    evaluation("gradings", None),
    line(
        "index-profiles",
        [Open("organization", ""), Own(Data), Own(Data), Own(Data)],
        &["organization"],
        &["organization"],
    ),
    // No S: none is named for the values of an index.
    line(
        "index-values",
        [Event("evaluation", true), None, None, None],
        &[],
        &[],
    ),
    open("index-bases", Admin),
    // 3.4 Verification
    farm(
        "data-submissions",
        Own(Submit),
        Assoc,
        Admin,
        &["organization"],
        &["organization"],
    ),
    farm(
        "upload-assignments",
        Assoc,
        Assoc,
        Assoc,
        &["organization"],
        &["organization"],
    ),
    farm(
        "verification-requests",
        Own(Submit),
        Assoc,
        Admin,
        &["organization"],
        &["organization"],
    ),
    line("check-settings", [Signed, Assoc, Assoc, Assoc], &[], &[]),
    line("check-thresholds", [Signed, Assoc, Assoc, Assoc], &[], &[]),
    line("pending-columns", [Assoc, Admin, Assoc, Admin], &[], &[]),
    // 3.5 Documents
    line(
        "documents",
        [Event("documents", true), Own(Data), Own(Data), Admin],
        &["organization"],
        &["organization", "|animal.owner"],
    ),
    line(
        "media",
        [
            Open("visibility", "public"),
            Own(Data),
            Own(Data),
            Own(Data),
        ],
        &["owner"],
        &["owner"],
    ),
    line(
        "animal-gallery",
        [Event("origin", true), Own(Data), Own(Data), Own(Data)],
        &[],
        &["animal.owner"],
    ),
    // 3.6 People
    line("users", [SelfRow, Admin, SelfRow, Admin], &[], &[]),
    line(
        "organizations",
        [Any, Signed, Own(Org), Admin],
        &["id"],
        &["id", "?referencedBy"],
    ),
    farm(
        "invitations",
        Own(Team),
        Own(Team),
        Admin,
        &["organization"],
        &["organization"],
    ),
    // 3.7 Access
    farm(
        "access-requests",
        Signed,
        Own(Share),
        Admin,
        &["owner", "requesterOrg", "requester"],
        &["owner"],
    ),
    farm(
        "access-grants",
        Own(Share),
        Own(Share),
        Admin,
        &["owner", "grantee"],
        &["owner"],
    ),
    farm(
        "mandates",
        Own(Share),
        Own(Share),
        Admin,
        &["grantor", "receiver"],
        &["grantor"],
    ),
    farm(
        "genotype-consents",
        Own(Share),
        Own(Share),
        Admin,
        &["owner", "grantee"],
        &["owner"],
    ),
    farm(
        "share-links",
        Own(Share),
        Own(Share),
        Admin,
        &["owner"],
        &["owner"],
    ),
    // 3.8 Logs
    log("animal-revisions", Event("any", false), &["ownerOrg"]),
    log("operations", Farm, &["organization", "actor"]),
    log("access-views", Farm, &["owner", "viewerOrg"]),
    log("animal-removals", Farm, &["owner"]),
    // 3.9 Dictionaries
    open("breeds", Assoc),
    open("lines", Assoc),
    open("breeding-categories", Assoc),
    open("breeding-classes", Assoc),
    open("animal-purposes", Assoc),
    open("disposal-reasons", Assoc),
    open("coat-colors", Assoc),
    open("blood-groups", Assoc),
    open("reproduction-methods", Assoc),
    open("semen-types", Assoc),
    open("insemination-results", Assoc),
    open("dna-test-types", Assoc),
    open("haplotype-types", Assoc),
    open("health-event-types", Assoc),
    open("technicians", Assoc),
    open("breed-types", Assoc),
    open("countries", Assoc),
    open("regions", Assoc),
    open("districts", Assoc),
    // 3.10 Platform
    open("bench-runs", None),
    open("check-runs", None),
    // Beyond the herd-book model: a user who writes data of a farm may register webhooks for it.
    farm(
        "webhooks",
        Own(Data),
        Own(Data),
        Own(Data),
        &["organization"],
        &["organization"],
    ),
    log("webhook-deliveries", Farm, &["organization"]),
    // Only the Association says what a farm may ask for.
    farm(
        "quotas",
        Assoc,
        Assoc,
        Assoc,
        &["organization"],
        &["organization"],
    ),
    // The user of an account creates its keys.
    line("api-keys", [Farm, Farm, Farm, Admin], &["user"], &["user"]),
    // Contradictions with rows that the caller does not see are reported to the owner of the rows.
    farm(
        "clarifications",
        None,
        Own(Data),
        Admin,
        &["owner"],
        &["owner"],
    ),
    // 3.11 Exchange
    log("ade-tombstones", Farm, &["location"]),
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
const ANIMAL: &[(Class, &str)] = &[
    (
        Class::C,
        "fgias altIds breedType bloodPercent improvers coatColor bloodGroup purpose breedDate purposeDate birthPlace \
         registrationBasis breedingClass receiptMethod father mother line family pedigreeText genetics haplotypes \
         shows arrivalDate previousOrganization disposalReason disposalOrganization inbreeding \
         inbreedingNeedsApproval pedigreeDepth parentStatus pastOwners author",
    ),
    (Class::P, "current lactations summary"),
    (
        Class::E,
        "ipcDetails production reproduction semen health calvingRoles exterior linearScore",
    ),
    (Class::G, "dnaTests"),
    (
        Class::O,
        "notes archiveReason archivedAt archivedBy lastEditUser lastEditTime",
    ),
];

/// Fields of an animal of class r inside groups of another class.
const ANIMAL_ROW: &[&str] = &["altIds.internationalId", "semen.stock"];

/// The marks ° and °s elsewhere.
const MARKED: &[(&str, Class, &str)] = &[
    ("herds", Class::Signed, "address"),
    ("herds", Class::Private, "holdingNumber"),
    ("documents", Class::Private, "publicCode snapshot"),
    ("organizations", Class::Signed, "phone email address"),
    ("organizations", Class::Private, "membershipReview"),
    ("operations", Class::Private, "ip"),
    ("animal-removals", Class::Private, "snapshot"),
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

/// The class of a field.
pub(super) fn class(slug: &str, path: &str) -> Class {
    let below = |group: &str| {
        path == group || (path.strip_prefix(group)).is_some_and(|rest| rest.starts_with('.'))
    };
    if slug == "animals" {
        if ANIMAL_ROW.iter().any(|group| below(group)) {
            return Class::R;
        }
        return (ANIMAL.iter())
            .find(|(_, paths)| paths.split_whitespace().any(below))
            .map_or(Class::R, |(class, _)| *class);
    }
    if EVENTS.contains(&slug) && (below("checkStatus") || below("ade")) {
        return Class::Private;
    }
    (MARKED.iter())
        .find(|(of, _, paths)| *of == slug && paths.split_whitespace().any(below))
        .map_or(Class::R, |(_, class, _)| *class)
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
pub(super) const JOINS: &[(&str, &str, &str, &[&str])] = &[
    ("animals", "calvings", "calvings", &["animal"]),
    ("animals", "inseminations", "inseminations", &["animal"]),
    ("animals", "milkTests", "milk-tests", &["animal"]),
    ("animals", "weighings", "weighings", &["animal"]),
    ("animals", "milkingVisits", "milking-visits", &["animal"]),
    ("animals", "dailyMilkings", "daily-milkings", &["animal"]),
    ("animals", "healthEvents", "health-events", &["animal"]),
    ("animals", "events", "events", &["animal"]),
    ("animals", "movements", "movements", &["animal"]),
    (
        "animals",
        "animalEvaluations",
        "animal-evaluations",
        &["animal"],
    ),
    (
        "animals",
        "animalExteriors",
        "animal-exteriors",
        &["animal"],
    ),
    ("animals", "gradings", "gradings", &["animal"]),
    ("animals", "indexValues", "index-values", &["animal"]),
    ("animals", "documents", "documents", &["animal"]),
    ("animals", "gallery", "animal-gallery", &["animal"]),
    ("animals", "revisions", "animal-revisions", &["animal"]),
    ("animals", "children", "animals", &["father", "mother"]),
    ("animals", "services", "inseminations", &["bull"]),
    ("herds", "animals", "animals", &["herd"]),
    ("organizations", "herds", "herds", &["organization"]),
    ("organizations", "animals", "animals", &["owner"]),
];
