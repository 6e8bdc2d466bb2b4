//! The state machines of the book (docs/states.md, *States*), written by hand.

pub(super) struct Machine {
    pub(super) slug: &'static str,
    pub(super) path: &'static str,
    pub(super) states: &'static str,
    /// `from>to letters`: the legal moves and who may make them; without letters, only the server does.
    pub(super) moves: &'static str,
    /// Callers that may write the field at all: an illegal move is 400 for them, and 403 for the others.
    pub(super) writers: &'static str,
    /// Callers whose values are ignored, since the server sets the field.
    pub(super) ignored: &'static str,
}

/// The machines (docs/states.md, *States*) with the rules for writing their fields.
pub(super) const MACHINES: [Machine; 19] = [
    Machine {
        slug: "animals",
        path: "archived",
        states: "false true",
        moves: "false>true FOAM, true>false FOAM",
        writers: "FOAM",
        ignored: "",
    },
    Machine {
        slug: "animals",
        path: "state",
        states: "alive sold culled dead",
        moves: "alive>sold FAM, alive>culled FAM, alive>dead FAM, \
                sold>alive FAM, culled>alive FAM, dead>alive FAM",
        writers: "FOAM",
        ignored: "",
    },
    Machine { slug: "animals", path: "trustLevel", states: "-1 0 1 2 3", moves: "", writers: "", ignored: "FOAM" },
    Machine {
        slug: "animals",
        path: "registration.status",
        states: "none applied registered refused withdrawn",
        moves: "none>applied , refused>applied , applied>none , applied>registered AM, applied>refused AM, \
                registered>withdrawn AM, withdrawn>registered AM",
        writers: "AM",
        ignored: "FO",
    },
    Machine {
        slug: "movements",
        path: "confirmation",
        states: "none pending confirmed refused",
        moves: "pending>confirmed FAM, pending>refused FAM",
        writers: "FOAM",
        ignored: "",
    },
    Machine {
        slug: "organizations",
        path: "membership",
        states: "none pending member suspended",
        moves: "none>pending AM, pending>member AM, pending>none AM, member>suspended AM, suspended>member AM",
        writers: "AM",
        ignored: "",
    },
    Machine {
        slug: "access-grants",
        path: "revokedAt",
        states: "live revoked",
        moves: "live>revoked FAM",
        writers: "FAM",
        ignored: "",
    },
    Machine {
        slug: "users",
        path: "blockedAt",
        states: "active blocked",
        moves: "active>blocked FM, blocked>active FM",
        writers: "FM",
        ignored: "",
    },
    Machine {
        slug: "data-submissions",
        path: "status",
        states: "uploaded checking checked accepted rejected",
        moves: "uploaded>checking AM, checking>uploaded AM, checking>checked AM, checked>accepted , checking>rejected AM, checked>rejected AM",
        writers: "AM",
        ignored: "",
    },
    Machine {
        slug: "data-submissions",
        path: "consent.agreed",
        states: "false true",
        moves: "false>true FO",
        writers: "FOAM",
        ignored: "",
    },
    Machine {
        slug: "clarifications",
        path: "status",
        states: "open confirmed refused",
        moves: "open>confirmed FOAM, open>refused FOAM",
        writers: "FOAM",
        ignored: "",
    },
    Machine {
        slug: "upload-assignments",
        path: "status",
        states: "open inProgress overdue done cancelled",
        moves: "open>inProgress , open>overdue , inProgress>overdue , inProgress>done , overdue>done , \
                open>cancelled AM, inProgress>cancelled AM, overdue>cancelled AM",
        writers: "AM",
        ignored: "",
    },
    Machine {
        slug: "verification-requests",
        path: "status",
        states: "new checking approved rejected cancelled",
        moves: "new>checking AM, checking>approved AM, checking>rejected AM, new>cancelled FO, checking>cancelled FO",
        writers: "FOAM",
        ignored: "",
    },
    Machine {
        slug: "pending-columns",
        path: "status",
        states: "new accepted declined duplicate",
        moves: "new>accepted AM, new>declined AM, new>duplicate AM",
        writers: "AM",
        ignored: "",
    },
    Machine {
        slug: "pending-values",
        path: "status",
        states: "new accepted declined duplicate",
        moves: "new>accepted AM, new>declined AM, new>duplicate AM",
        writers: "AM",
        ignored: "",
    },
    Machine {
        slug: "documents",
        path: "issuedAt",
        states: "draft issued revoked",
        moves: "draft>issued AM, issued>revoked AM",
        writers: "FOAM",
        ignored: "",
    },
    verification("calvings"),
    verification("milk-tests"),
    verification("weighings"),
];

const fn verification(slug: &'static str) -> Machine {
    Machine {
        slug,
        path: "verification",
        states: "unverified pending verified rejected",
        moves: "unverified>pending , pending>verified AM, pending>rejected AM, \
                pending>unverified , verified>unverified , rejected>unverified ",
        writers: "AM",
        ignored: "FO",
    }
}

/// Machines of a common base that one of the above represents.
pub(super) const ALIKE: [(&str, &str); 8] = [
    ("inseminations", "verification"),
    ("milking-visits", "verification"),
    ("daily-milkings", "verification"),
    ("health-events", "verification"),
    ("events", "verification"),
    ("animal-evaluations", "verification"),
    ("animal-exteriors", "verification"),
    ("gradings", "verification"),
];

/// Machines whose moves are tested together with the rest of their collection: `joining`, `one_of_two`, `movements`,
/// `more_events`, `sharing`, `invitations`, `uploads::gallery`, `ade::mandates`, the top modules `findings`, `evaluation_runs`.
pub(super) const ELSEWHERE: [(&str, &str); 14] = [
    ("organizations", "presence"),
    ("organizations", "mergedInto"),
    ("movements", "released"),
    ("animals", "mergedInto"),
    ("events", "status"),
    ("access-requests", "status"),
    ("genotype-consents", "revokedAt"),
    ("share-links", "revokedAt"),
    ("mandates", "revokedAt"),
    ("invitations", "revokedAt"),
    ("animal-gallery", "moderation"),
    ("check-findings", "state"),
    ("check-runs", "state"),
    ("evaluation-runs", "state"),
];
