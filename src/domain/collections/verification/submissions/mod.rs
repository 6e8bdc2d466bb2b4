//! Packages of data that farms send: checked and signed by the Association, agreed to by
//! the farm, and only then verified (docs/states.md, *data-submissions · status*). Files are read elsewhere
//! (docs/packages.md).

mod compare;
pub(crate) mod hooks;
pub(crate) mod intake;
pub(crate) mod letters;
pub(crate) mod mapping;
pub(crate) mod mended;
pub(crate) mod package;
pub(crate) mod period;
mod protocol;
mod rows;
mod sample;
mod sign;
mod whole;

pub use compare::{Comparison, DIFFERENCES};
pub use protocol::{CLOSED_PERSONS, Line as ProtocolLine, Protocol, ProtocolFinding, Step as ProtocolStep, protocol};
pub use sample::Sample;
pub use whole::{PackageCheck, plausible};

use crate::collections::dictionaries::datasets::KINDS;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::slots::slots;
use crate::collections::verification::comments::comments;
use model::record::Record;
use model::registry::signing::{SIGNATURE, signature_fields};
use model::registry::{
    Access, Allowance, Assignee, Capability, Class, Collection, Decl, Feature, Field, Move, ROLES, Rule, Set, States,
    Verb, Who, Wording, Writer, boolean, day, fields, group, instant, int, json, long_text, moves, relation, relations,
    rows, select, text, text_n,
};

pub(crate) fn data_submissions() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Submit))
        .update(Rule::Assoc)
        .delete(Rule::Admin)
        .subjects(&["organization"])
        .allow(Allowance {
            verb: Verb::Update,
            who: "organization",
            only: &["consent.agreed", "mapping", "comments"],
            days: None,
            when: &[],
        });
    let mut fields = heading();
    fields.extend(content());
    fields.extend([intake(), review(), signature(), consent(), history(), comments()]);
    Collection::new("data-submissions", access, fields)
        .label("number")
        .sought(&[])
        .stock("organization", "")
        .singular("Upload Package")
        .sort("-submittedAt")
        .unique(&["organization", "sha256"])
        .file("sourceFile")
        .feature(Feature::Packages)
        .join("rows", "submission-rows", &["submission"])
        .states(steps())
        .states(consents())
        .hooks(hooks::Behaviour)
        .columns(&["number", "organization", "kind", "dataset", "status", "intake.rows", "intake.held", "submittedAt"])
        .assigned("review.assignee")
        .waits(Assignee::Association, "status", &["uploaded", "checking"])
        .waits(Assignee::Party("organization"), "status", &["checked"])
        // Sent back with a remark.
        .waits_if("organization", ("status", &["uploaded"]), "review.comment")
        .idle("intake.state", &["failed", "replaced"])
        .doc("Packages of data that farms send to the Association.")
}

/// The way of a package.
fn steps() -> States {
    moves![States::of("status");
        Move::begin("uploaded").by(Who::Farm(Capability::Submit)).by(Who::Association),
        Move::new(&["uploaded"], "checking").by(Who::Association).set("review.assignee", Set::MeIfEmpty)
            => "Its rows wait for verification, and it is checked as a whole.",
        Move::new(&["checking"], "checked").by(Who::Association).set("review.checkedBy", Set::Me)
            .set("review.checkedAt", Set::Now).set("signature.by", Set::Me).set("signature.at", Set::Now)
            .log("submission-signed")
            => "Rows were read, and every open fix is among the findings. The rows are [signed](packages.md#signature).",
        Move::new(&["checking"], "uploaded").by(Who::Association).needs(&["review.comment"])
            => "The package is [sent back](packages.md#sending-back); its rows wait no longer for verification.",
        Move::new(&["checked"], "accepted").by(Who::System).needs(&["signature.sha256", "consent.agreedAt"])
            .set("consent.publishedAt", Set::Now).log("submission-published")
            .says("A package is accepted automatically once it is signed and its farm agrees.")
            => "As soon as the package is signed and the farm agrees: rows are verified, animals get trust level 3, the assignment is done. Rows of animals with a finding that must be fixed are rejected.",
        Move::new(&["checking", "checked"], "rejected").by(Who::Association).grave().needs(&["review.comment"])
            => "Rows are rejected; animals that were not verified get trust −1.",
    ]
}

/// The farm agrees that its data are published.
fn consents() -> States {
    let farm = Who::Party(Capability::Submit, "organization");
    let agree = |one: Move| {
        one.by(farm)
            .set("consent.agreedAt", Set::Now)
            .log("consent-given")
            .says("The farm that sent the package agrees.")
    };
    States::of("consent.agreed")
        .with(agree(Move::begin("true")))
        .with(agree(Move::new(&["false"], "true")).doc("A signed package is accepted then."))
}

fn stamp(name: &str, doc: &'static str) -> Field {
    relation(name, "users").server().doc(doc)
}

/// States of a package.
const STATES: &str = "uploaded|checking|checked|accepted|rejected";

fn heading() -> Vec<Decl> {
    fields![
        text_n("number", 6).server().unique().indexed() => "Six digits, by sequence.",
        select("kind", KINDS).required().default("events") => "Kind of data; it decides which columns are looked for.",
        text_n("dataset", 20).wording(Wording::Set) => "Data set, one of its kind.",
        select("status", STATES).default("uploaded").indexed().wording(Wording::SentBack("uploaded", "review.comment"))
            => "State of the package.",
        relation("organization", "organizations").required().session() => "Who sent it.",
        stamp("submittedBy", "Who sent it."),
        instant("submittedAt").server().indexed(),
    ]
}

fn content() -> Vec<Decl> {
    fields![
        relation("sourceFile", "media") => "The file as it was sent.",
        text_n("sha256", 64).server().aside() => "SHA-256 of the file, hexadecimal; an organisation sends no file twice.",
        day("periodFrom") => "First day that the data are about.",
        day("periodTo") => "Last day that the data are about.",
        json("mapping").bytes(JSON_BYTES) => "Which column holds which field, and in which unit, if the sender states it.",
        relation("replaces", "data-submissions") => "The earlier package of the same farm that this one replaces.",
        relation("assignment", "upload-assignments") => "Assignment for which it was sent.",
        relations("animals", "animals").server() => "Animals that its rows are about.",
    ]
}

fn intake() -> Decl {
    let count = |name, doc| -> Decl { int(name).server().doc(doc).into() };
    let row = || int("row").doc("Row of the file, from 1.");
    let memory = |field: Field| field.server().class(Class::Hidden).memory();
    group(
        "intake",
        fields![
            select("state", "waiting|reading|read|failed|replaced").server()
                => "How far the file is read; replaced: another package took its place; empty: the package has none.",
            boolean("unchecked").server().indexed()
                => "The checks over its animals and over the package as a whole are still to be made.",
            instant("readAt").server() => "When the last row was read.",
            text_n("fault", 40).server().wording(Wording::Code) => "Why the file could not be read, as a code.",
            text("message").server().wording(Wording::Sentence) => "The same in words.",
            text_n("form", 10).server().words(["csv", "ndjson", "xlsx", "xls", "ods", "fixed", "adis", "json", "xml"])
                => "How the file is written: csv, ndjson, xlsx, xls, ods, fixed, adis, json, xml.",
            text_n("encoding", 20).server() => "Encoding of a text file, guessed unless `mapping` states it.",
            json("sheets").bytes(JSON_BYTES).server().wording(Wording::Sheets)
                => "Of each sheet: name, set with its score, dialect, row of the header, columns with what they mean, and why it was passed over.",
            count("rows", "Rows of the file."),
            count("created", "Rows that made records."),
            count("updated", "Rows that changed records."),
            count("unchanged", "Rows that the book had as they are."),
            count("skipped", "Rows that are no records: totals, and rows that stand there twice."),
            count("held", "Rows that could not be taken, and wait until their cause is mended."),
            count("mended", "Rows whose cells were mended since the file was sent."),
            count("removed", "Records of the replaced package that this one does not have."),
            rows("issues", [
                row(),
                text("ident").doc("Number of the animal as written."),
                text("reason").wording(Wording::Sentence).doc("Why the row was not taken."),
            ]).server() => "Rows that were not taken, 50 at most; all of them are in `submission-rows`.",
            rows("valueIssues", [
                row(),
                text("ident").doc("Number of the animal as written."),
                text("columnTitle").doc("Header of the column."),
                text("reason").wording(Wording::Sentence).doc("Why the value was left empty."),
            ]).server() => "Values that could not be read, 50 at most.",
            memory(int("done")).doc("Rows that were read so far."),
            memory(instant("tried")).doc("When rows that wait were tried last."),
            memory(boolean("periodComputed")).doc("The period is that of the rows, since none was stated."),
            memory(boolean("told")).doc("The farm was told that the file cannot be read."),
        ],
    )
}

/// Rows of findings, in reviews of packages and of requests.
pub(crate) fn findings() -> Field {
    rows(
        "findings",
        [
            relation("animal", "animals").doc("Animal that the finding is about."),
            text("field").wording(Wording::Path).doc("Path of the field that the finding is about."),
            select("severity", "fix|note").default("fix").doc("Whether it must be corrected."),
            long_text("text").required().doc("What was found."),
        ],
    )
    .doc("What the review found.")
}

fn review() -> Decl {
    group(
        "review",
        fields![
            stamp("checkedBy", "User who checked the package."),
            instant("checkedAt").server(),
            relation("assignee", "users").among("role", "expert,admin").writer(Writer::Association)
                => "User of the Association who is responsible for it.",
            findings().writer(Writer::Association),
            long_text("comment").writer(Writer::Association) => "Remark; states why it was rejected or sent back.",
            int("totalRows").counted().writer(Writer::Association) => "Rows that were looked at.",
            int("acceptedRows").counted().writer(Writer::Association) => "Rows without objection.",
            int("rejectedRows").counted().writer(Writer::Association) => "Rows that were objected to.",
            relation("errorProtocol", "media").writer(Writer::Association) => "List of faults, as a file.",
        ],
    )
}

fn signature() -> Decl {
    group(SIGNATURE, signature_fields("users"))
}

fn consent() -> Decl {
    group(
        "consent",
        fields![
            boolean("agreed").default(false) => "The farm agrees that its data are published.",
            instant("agreedAt").server(),
            instant("publishedAt").server(),
        ],
    )
}

fn history() -> Decl {
    rows(
        "history",
        [
            instant("at").doc("When."),
            text_n("status", 20).words(STATES.split('|')).doc("New state of the package."),
            relation("actor", "users").wording(Wording::Person("role")).doc("User who did it; empty: the server."),
            select("role", ROLES).aside().doc("The side on which that user stood; empty: not stored."),
            long_text("note").doc("Why."),
        ],
    )
    .server()
    .doc("Steps of the package.")
    .into()
}

slots!(Slots of "data-submissions" {
    number, kind, dataset, status, organization, source_file: "sourceFile", sha256,
    submitted_by: "submittedBy", submitted_at: "submittedAt", period_from: "periodFrom", period_to: "periodTo",
    replaces, assignment, animals, findings: "review.findings", comment: "review.comment",
    assignee: "review.assignee", agreed: "consent.agreed", agreed_at: "consent.agreedAt",
    published_at: "consent.publishedAt", history,
    checked_by: "review.checkedBy", checked_at: "review.checkedAt", intake_sheets: "intake.sheets",
    intake_rows: "intake.rows", intake_created: "intake.created", intake_updated: "intake.updated",
    intake_skipped: "intake.skipped", intake_mended: "intake.mended", review_total: "review.totalRows",
    review_accepted: "review.acceptedRows", review_rejected: "review.rejectedRows", signed_by: "signature.by",
    signed_at: "signature.at", signed_hash: "signature.sha256", signed_rows: "signature.rows",
    signed_key: "signature.key", signed_algorithm: "signature.algorithm", signed_value: "signature.value",
    signed_statement: "signature.statement", mapping, comments,
});
slots!(
    /// Slots of the intake of `data-submissions`.
    IntakeSlots of "data-submissions" {
        state: "intake.state", rows: "intake.rows", created: "intake.created", updated: "intake.updated",
        held: "intake.held", mended: "intake.mended", done: "intake.done", unchecked: "intake.unchecked",
        period_computed: "intake.periodComputed",
    }
);

slots!(
    /// Slots of `organizations` that statements and protocols name.
    Organizations of "organizations" { name }
);

slots!(
    /// Slots of `users` that statements and protocols name.
    Users of "users" { last: "lastName", first: "firstName", role }
);

impl Users {
    /// Family and given name.
    fn name(user: &Record) -> String {
        let s = Self::get();
        let names = [s.last, s.first].map(|slot| user.get(slot).text().unwrap_or_default());
        names.join(" ").trim().to_owned()
    }
}
