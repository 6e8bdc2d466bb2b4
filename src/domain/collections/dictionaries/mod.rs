//! The dictionaries (docs/model/dictionaries.md): short lists with a code and a name that the
//! Association keeps. They have no behaviour of their own.

pub(crate) mod codes;
pub(crate) mod datasets;
pub(crate) mod lookups;

use crate::collections::events::measures::FARTHEST_PLACE;
use model::registry::{
    Access, Collection, Decl, Rule, boolean, group, int, long_text, relation, select, text, text_n,
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
            vec![
                boolean("allowsIncompletePedigree")
                    .default(false)
                    .doc("Animals of this category may be registered without all parents.")
                    .into(),
            ],
        )
        .singular("Breeding-Record Category"),
        dictionary("breeding-classes", "Classes of breeding value.", vec![])
            .singular("Breeding-Value Class"),
        dictionary("animal-purposes", "What an animal is kept for.", vec![]),
        disposal_reasons(),
        dictionary(
            "coat-colors",
            "Coat colours.",
            vec![
                text_n("whffCode", 2)
                    .doc("Colour code of the World Holstein Friesian Federation.")
                    .into(),
            ],
        ),
        dictionary("blood-groups", "Blood groups.", vec![]),
        dictionary(
            "reproduction-methods",
            "Ways of insemination; code 2 is natural service, 3 is embryo transfer.",
            vec![
                select(
                    "adeType",
                    "Insemination|NaturalService|RunWithBull|Implantation",
                )
                .default("Insemination")
                .doc("Insemination type in the exchange.")
                .into(),
            ],
        ),
        dictionary(
            "semen-types",
            "Kinds of semen and other reproductive material.",
            vec![
                select("preservation", "frozen|liquid")
                    .default("frozen")
                    .doc("How the material is stored.")
                    .into(),
                select("sexed", SEXED)
                    .default("none")
                    .doc("Sex that the material was sorted for.")
                    .into(),
            ],
        )
        .singular("Biomaterial Type"),
        dictionary(
            "insemination-results",
            "Outcomes of an insemination; code 1 is pregnant.",
            vec![
                select("adeResult", "pregnant|multiple|empty|unknown")
                    .default("unknown")
                    .doc("Result of the pregnancy check in the exchange.")
                    .into(),
            ],
        ),
        dictionary(
            "dna-test-types",
            "Kinds of genetic tests.",
            vec![
                select(
                    "markerKind",
                    "genetic-defect|protein|parentage|genomic-evaluation",
                )
                .default("genetic-defect")
                .doc("What the test looks for.")
                .into(),
            ],
        ),
        haplotype_types(),
        health_event_types(),
        technicians(),
        dictionary(
            "breed-types",
            "Types within a breed.",
            vec![
                relation("breed", "breeds")
                    .doc("The breed that has the type.")
                    .into(),
            ],
        ),
        countries(),
        dictionary(
            "regions",
            "Regions of countries.",
            vec![
                relation("country", "countries")
                    .doc("The country the region lies in.")
                    .into(),
                text_n("isoCode", 6).doc("ISO 3166-2 code.").into(),
            ],
        ),
        dictionary(
            "districts",
            "Districts of regions.",
            vec![
                relation("region", "regions")
                    .doc("The region the district lies in.")
                    .into(),
            ],
        ),
    ]
}

/// A dictionary with the shared fields first.
fn dictionary(slug: &'static str, doc: &'static str, more: Vec<Decl>) -> Collection {
    let mut fields: Vec<Decl> = vec![
        text_n("code", 30)
            .required()
            .unique()
            .indexed()
            .doc("Short code, stable over the years; files and the exchange use it.")
            .into(),
        text("name").required().doc("Name shown to users.").into(),
        int("sortOrder")
            .range(-FARTHEST_PLACE, FARTHEST_PLACE)
            .default(100)
            .doc("Place in the list; equal values sort by id.")
            .into(),
        long_text("description")
            .doc("Explanation shown to users.")
            .into(),
        text_n("fgiasUuid", 36)
            .indexed()
            .doc("Key of the entry in the federal breeding register.")
            .into(),
        boolean("isActive")
            .default(true)
            .doc("Offered for new records; used entries are switched off, not deleted.")
            .into(),
    ];
    fields.extend(more);
    Collection::new(slug, rules(), fields)
        .sort("sortOrder")
        .keep_used()
        .doc(doc)
}

fn rules() -> Access {
    Access::read(Rule::Any).write(Rule::Assoc)
}

fn breeds() -> Collection {
    let more = vec![
        text_n("whffCode", 3)
            .indexed()
            .doc("Breed code of international animal numbers (`HOL`).")
            .into(),
        text_n("icar2", 2)
            .doc("Two-letter ICAR breed code (`HO`).")
            .into(),
        boolean("isImprover")
            .default(false)
            .doc("Used to improve other breeds.")
            .into(),
        select("direction", "dairy|dual|beef|other")
            .default("dairy")
            .doc("Main product of the breed.")
            .into(),
    ];
    dictionary("breeds", "Breeds of cattle.", more)
}

fn lines() -> Collection {
    let more = vec![
        select("kind", "line|branch|family")
            .default("line")
            .indexed()
            .doc("Sire line, branch of one, or dam family.")
            .into(),
        relation("parentLine", "lines")
            .doc("The line that a branch belongs to.")
            .into(),
        relation("founder", "animals")
            .doc("The animal that the line or family goes back to.")
            .into(),
    ];
    dictionary("lines", "Lines and families.", more).singular("Line or Family")
}

fn disposal_reasons() -> Collection {
    let more = vec![
        select("state", "sold|culled|dead")
            .doc("The state of an animal that left for this reason.")
            .into(),
        text_n("adeReason", 30)
            .doc("Departure reason in the exchange.")
            .into(),
        text_n("adeDeathReason", 30)
            .doc("Death reason in the exchange.")
            .into(),
        text_n("adeDeathMethod", 30)
            .doc("Death method in the exchange, unless the movement names its own.")
            .into(),
    ];
    dictionary("disposal-reasons", "Reasons for leaving the herd.", more)
        .singular("Reason for Leaving")
}

fn haplotype_types() -> Collection {
    let more = vec![
        text("gene").doc("Symbol of the gene.").into(),
        int("chromosome")
            .range(1.0, 33.0)
            .doc("Number of the bovine autosome (BTA).")
            .into(),
        text_n("whffLabel", 2)
            .doc("First two letters of the label of the World Holstein Friesian Federation.")
            .into(),
        boolean("lethal")
            .default(false)
            .doc("Homozygous offspring do not survive.")
            .into(),
    ];
    dictionary(
        "haplotype-types",
        "Haplotypes and genetic defects beyond CVM, BLAD and DUMPS.",
        more,
    )
}

fn health_event_types() -> Collection {
    let more = vec![
        boolean("affectsProductivity")
            .default(false)
            .doc("Days with such an event say little about the animal's yield.")
            .into(),
        select(
            "kind",
            "diagnosis|treatment|vaccination|examination|status|trimming",
        )
        .default("diagnosis")
        .doc("Kind of the record; decides the resource type in the exchange.")
        .into(),
        group(
            "diagnosisCode",
            [
                text_n("scheme", 60).doc("Scheme of the code.").into(),
                text_n("id", 40).doc("Code within the scheme.").into(),
            ],
        ),
    ];
    dictionary("health-event-types", "Kinds of health events.", more)
}

fn technicians() -> Collection {
    Collection::new(
        "technicians",
        rules(),
        vec![
            text("fullName")
                .required()
                .doc("Name shown to users.")
                .into(),
            text_n("certificateNumber", 40)
                .doc("Number of the professional certificate.")
                .into(),
            relation("organization", "organizations")
                .doc("Employer.")
                .into(),
            boolean("isActive")
                .default(true)
                .doc("Offered for new records.")
                .into(),
        ],
    )
    .singular("Insemination Technician")
    .sort("fullName")
    .keep_used()
    .doc("Insemination technicians and assessors.")
}

fn countries() -> Collection {
    let more = vec![
        text_n("alpha2", 2)
            .unique()
            .doc("ISO 3166-1 alpha-2 code.")
            .into(),
        text_n("alpha3", 3)
            .unique()
            .doc("ISO 3166-1 alpha-3 code.")
            .into(),
        text_n("numeric", 3)
            .unique()
            .doc("ISO 3166-1 numeric code.")
            .into(),
    ];
    dictionary("countries", "Countries.", more)
}
