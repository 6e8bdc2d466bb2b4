//! Genetic tests, haplotypes and show awards of an animal.

use super::parentage::ATTESTED_BY;
use model::registry::{
    Class, Decl, Field, Kind, day, fields, group, int, long_text, relation, rows, select, text, text_n,
};

/// Microsatellite loci of parentage tests, ISAG panel.
const LOCI: [&str; 12] = [
    "isagBm1818",
    "isagBm1824",
    "isagBm2113",
    "isagEth3",
    "isagEth10",
    "isagEth225",
    "isagInra023",
    "isagSps115",
    "isagTgla53",
    "isagTgla122",
    "isagTgla126",
    "isagTgla227",
];

pub(crate) fn fields() -> Vec<Decl> {
    let card = |field: Field| -> Decl { field.class(Class::Card).into() };
    let defect = |name, doc| card(select(name, "unknown|free|carrier").default("unknown").doc(doc));
    let protein = |name, doc| card(text_n(name, 10).doc(doc));
    fields![
        group(
            "genetics",
            fields![
                defect("cvm", "Complex vertebral malformation."),
                defect("blad", "Leukocyte adhesion deficiency."),
                defect("dumps", "Deficiency of uridine monophosphate synthase."),
                protein("kappaCasein", "Genotype of kappa-casein (`AB`)."),
                protein("betaCasein", "Genotype of beta-casein (`A2A2`)."),
                protein("betaLactoglobulin", "Genotype of beta-lactoglobulin."),
            ]
        ),
        card(haplotypes()),
        card(shows()),
        dna_tests().class(Class::Genotype),
    ]
}

fn haplotypes() -> Field {
    rows(
        "haplotypes",
        [
            relation("type", "haplotype-types").required().doc("Haplotype or defect."),
            select("status", "unknown|free|carrier|homozygous").default("unknown").doc("Result."),
            day("date").doc("Day of the result."),
        ],
    )
    .doc("Results on haplotypes and defects.")
}

fn shows() -> Field {
    rows(
        "shows",
        [
            day("date").required().doc("Day of the show."),
            text("title").required().doc("Name of the show."),
            text("place").doc("Where it was held."),
            long_text("awards").doc("Awards won."),
            text("prize").doc("Prize won."),
        ],
    )
    .doc("Shows that the animal took part in.")
}

fn dna_tests() -> Field {
    let mut subs = vec![
        relation("type", "dna-test-types").doc("Kind of test."),
        day("date").doc("Day of the test."),
        relation("laboratory", "organizations").doc("Laboratory that tested."),
        select("verdict", "confirmed|excluded|inconclusive")
            .doc("Whether the parents named by `authMethod` are confirmed."),
        text("result").doc("Result in words."),
        text_n("certificateNumber", 40).doc("Number of the genetic certificate."),
        day("certificateDate").doc("Day of the genetic certificate."),
        int("snpCount").counted().doc("Number of SNP markers."),
        select("authMethod", "byOM|byO|byM|none").doc("Parents that the test compared: both, father, mother, none."),
    ];
    subs.extend(LOCI.map(|locus| text_n(locus, 15).doc("Pair of alleles (`121/133`).")));
    subs.push(relation("file", "media").doc("The laboratory's report."));
    subs.push(
        select(ATTESTED_BY, "laboratory|association|report")
            .server()
            .doc("Who vouches for the row: an accredited laboratory that sent it, the Association, a genotype report that it issued; empty: the word of the owner alone."),
    );
    Field { kind: Kind::Rows(subs), ..rows("dnaTests", []) }.doc("Genetic tests.")
}
