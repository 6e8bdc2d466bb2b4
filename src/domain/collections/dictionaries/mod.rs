//! The dictionaries: short lists with a code and a name that the
//! Association keeps. They have no behaviour of their own.

pub(crate) mod codes;
pub(crate) mod datasets;
pub(crate) mod lookups;

use crate::collections::events::measures::FARTHEST_PLACE;
use model::registry::{
    ALIASES, Access, Collection, Decl, Rule, Wording, boolean, fields, group, int, long_text, relation, select, text,
    text_n, texts,
};

/// The values of "female or male semen" (also of straws).
pub(super) const SEXED: &str = "none|female|male";

/// All dictionaries, in the order of the registry.
pub(super) fn dictionaries() -> Vec<Collection> {
    vec![
        breeds(),
        lines(),
        dictionary(
            "breeding-categories",
            "Sections of the herd book.",
            fields![
                boolean("allowsIncompletePedigree").default(false)
                    => "Animals of this category may be registered without all parents.",
            ],
        )
        .singular("Breeding-Record Category"),
        dictionary("breeding-classes", "Classes of breeding value.", vec![]).singular("Breeding-Value Class"),
        dictionary("animal-purposes", "What an animal is kept for.", vec![]),
        disposal_reasons(),
        dictionary(
            "coat-colors",
            "Coat colours.",
            fields![text_n("whffCode", 2) => "Colour code of the World Holstein Friesian Federation."],
        ),
        dictionary("blood-groups", "Blood groups.", vec![]),
        dictionary(
            "reproduction-methods",
            "Ways of insemination; code 2 is natural service, 3 is embryo transfer.",
            fields![
                select("adeType", "Insemination|NaturalService|RunWithBull|Implantation").default("Insemination")
                    => "Insemination type in the exchange.",
            ],
        ),
        semen_types(),
        dictionary(
            "insemination-results",
            "Outcomes of an insemination; code 1 is pregnant.",
            fields![
                select("adeResult", "pregnant|multiple|empty|unknown").default("unknown")
                    => "Result of the pregnancy check in the exchange.",
            ],
        )
        .words("adeResult", PREGNANCY),
        dictionary(
            "dna-test-types",
            "Kinds of genetic tests.",
            fields![
                select("markerKind", "genetic-defect|protein|parentage|genomic-evaluation")
                    .default("genetic-defect")
                    => "What the test looks for.",
            ],
        ),
        haplotype_types(),
        health_event_types(),
        technicians(),
        dictionary(
            "breed-types",
            "Types within a breed.",
            fields![relation("breed", "breeds") => "The breed that has the type."],
        ),
        countries(),
        dictionary(
            "regions",
            "Regions of countries.",
            fields![
                relation("country", "countries") => "The country the region lies in.",
                text_n("isoCode", 6) => "ISO 3166-2 code.",
            ],
        ),
        dictionary(
            "districts",
            "Districts of regions.",
            fields![relation("region", "regions") => "The region the district lies in."],
        ),
    ]
}

fn semen_types() -> Collection {
    let fields = fields![
        select("preservation", "frozen|liquid").default("frozen") => "How the material is stored.",
        select("sexed", SEXED).default("none") => "Sex that the material was sorted for.",
    ];
    let doc = "Kinds of semen and other reproductive material.";
    dictionary("semen-types", doc, fields).singular("Biomaterial Type")
}

/// Words for results of pregnancy checks.
const PREGNANCY: &[(&str, &str)] = &[
    ("pregnant", "стельн|стельна|ст"),
    ("empty", "яловая|ялов|не стельная|не стельна|не ст|пустая|холостая|open"),
    ("unknown", "сомнительная|сомнительно|под вопросом"),
];

/// A dictionary with the shared fields first.
fn dictionary(slug: &'static str, doc: &'static str, more: Vec<Decl>) -> Collection {
    let mut fields: Vec<Decl> = fields![
        text_n("code", 30).required().unique().indexed()
            => "Short code, stable over the years; files and the exchange use it.",
        text("name").required() => "Name shown to users.",
        text("nameEnglish").wording(Wording::In("en")) => "Name shown to readers of English; left out it is `name`.",
        int("sortOrder").range(-FARTHEST_PLACE, FARTHEST_PLACE).default(100)
            => "Place in the list; equal values sort by id.",
        long_text("description") => "Explanation shown to users.",
        texts(ALIASES, 100) => "Further names, by which files may name it too.",
        text_n("fgiasUuid", 36).indexed() => "Key of the entry in the federal breeding register.",
        boolean("isActive").default(true) => "Offered for new records; used entries are switched off, not deleted.",
    ];
    fields.extend(more);
    Collection::new(slug, rules(), fields)
        .sort("sortOrder")
        .known_as(&["code", "name", "nameEnglish", "fgiasUuid"])
        .label("name")
        .named_in_english("nameEnglish")
        .headings(&[("code", "Код"), ("name", "Наименование|название")])
        .keep_used()
        .doc(doc)
}

fn rules() -> Access {
    Access::read(Rule::Any).write(Rule::Assoc)
}

fn breeds() -> Collection {
    let more = fields![
        text_n("whffCode", 3).indexed() => "Breed code of international animal numbers (`HOL`).",
        text_n("icar2", 2) => "Two-letter ICAR breed code (`HO`).",
        boolean("isImprover").default(false) => "Used to improve other breeds.",
        select("direction", "dairy|dual|beef|other").default("dairy") => "Main product of the breed.",
    ];
    let known_as = &["code", "name", "nameEnglish", "whffCode", "icar2", "fgiasUuid"];
    dictionary("breeds", "Breeds of cattle.", more).known_as(known_as)
}

fn lines() -> Collection {
    let more = fields![
        select("kind", "line|branch|family").default("line").indexed()
            => "Sire line, branch of one, or dam family.",
        relation("parentLine", "lines") => "The line that a branch belongs to.",
        relation("founder", "animals") => "The animal that the line or family goes back to.",
    ];
    dictionary("lines", "Lines and families.", more).singular("Line or Family")
}

fn disposal_reasons() -> Collection {
    let more = fields![
        select("state", "sold|culled|dead") => "The state of an animal that left for this reason.",
        text_n("adeReason", 30).aside() => "Departure reason in the exchange.",
        text_n("adeDeathReason", 30).aside() => "Death reason in the exchange.",
        text_n("adeDeathMethod", 30).aside() => "Death method in the exchange, unless the movement names its own.",
    ];
    dictionary("disposal-reasons", "Reasons for leaving the herd.", more).singular("Reason for Leaving")
}

fn haplotype_types() -> Collection {
    let more = fields![
        text("gene") => "Symbol of the gene.",
        int("chromosome").range(1.0, 33.0) => "Number of the bovine autosome (BTA).",
        text_n("whffLabel", 2) => "First two letters of the label of the World Holstein Friesian Federation.",
        boolean("lethal").default(false) => "Homozygous offspring do not survive.",
    ];
    dictionary("haplotype-types", "Haplotypes and genetic defects beyond CVM, BLAD and DUMPS.", more)
}

fn health_event_types() -> Collection {
    let more = fields![
        boolean("affectsProductivity").default(false)
            => "Days with such an event say little about the animal's yield.",
        select("kind", "diagnosis|treatment|vaccination|examination|status|trimming").default("diagnosis")
            => "Kind of the record; decides the resource type in the exchange.",
        group("diagnosisCode", fields![
            text_n("scheme", 60) => "Scheme of the code.",
            text_n("id", 40) => "Code within the scheme.",
        ]),
    ];
    dictionary("health-event-types", "Kinds of health events.", more)
}

fn technicians() -> Collection {
    Collection::new(
        "technicians",
        rules(),
        fields![
            text("fullName").required() => "Name shown to users.",
            text_n("certificateNumber", 40) => "Number of the professional certificate.",
            relation("organization", "organizations") => "Employer.",
            boolean("isActive").default(true) => "Offered for new records.",
        ],
    )
    .singular("Insemination Technician")
    .natural(&["fullName"])
    .known_as(&["fullName", "certificateNumber"])
    .headings(&[("fullName", "ФИО|техник|осеменатор")])
    .sort("fullName")
    .keep_used()
    .doc("Insemination technicians and assessors.")
}

fn countries() -> Collection {
    let more = fields![
        text_n("alpha2", 2).unique() => "ISO 3166-1 alpha-2 code.",
        text_n("alpha3", 3).unique() => "ISO 3166-1 alpha-3 code.",
        text_n("numeric", 3).unique() => "ISO 3166-1 numeric code.",
    ];
    let known_as = &["code", "alpha3", "alpha2", "name", "nameEnglish", "numeric"];
    dictionary("countries", "Countries.", more).known_as(known_as).label("name")
}
