//! The fields of an animal that follow from other records: standing in the book, state,
//! pedigree, present status, lactations (docs/design/derived.md, *Derived values*).

use super::{STATES, evaluation};
use crate::collections::dictionaries::codes::{HEALTH_STATUS, LACTATION_STATUS, REPRODUCTION_STATUS};
use crate::collections::events::measures::{LIFE_DAYS, MOST_CALVINGS, MOST_CELLS, MOST_CONTENT, MOST_MILK};
use model::registry::{
    Class, Decl, Field, Wording, boolean, day, fields, group, instant, int, json, long_text, number, relation,
    relations, rows, select, text, text_n,
};

pub(super) fn fields() -> Vec<Decl> {
    let mut fields = standing();
    fields.extend(leaving());
    fields.extend(pedigree());
    fields.push(current());
    fields.extend(production());
    fields
}

fn standing() -> Vec<Decl> {
    fields![
        int("trustLevel").server().default(0).range(-1.0, 3.0).indexed()
            => "Trust level: −1 rejected, 0 draft, 1 checked by the owner, 2 checked by a laboratory, 3 verified.",
        instant("trustCheckedAt").server() => "When the level was last set.",
        group("registration", fields![
            select("status", "none|applied|registered|refused|withdrawn").server().default("none")
                => "Registration in the herd book.",
            text_n("number", 20).server().unique() => "Registration number.",
            instant("registeredAt").server() => "When it was registered.",
        ]),
    ]
}

fn leaving() -> Vec<Decl> {
    fields![
        select("state", STATES).default("alive").indexed()
            => "State by the last applied movement; writing it records or amends that movement.",
        day("disposalDate") => "Day of the closing movement; writing it amends that movement.",
        relation("disposalReason", "disposal-reasons").class(Class::Card)
            => "Reason of the closing movement; writing it amends that movement.",
        relation("disposalOrganization", "organizations").class(Class::Card)
            => "Receiver of the closing movement; writing it amends that movement.",
    ]
}

fn pedigree() -> Vec<Decl> {
    let card = |field: Field| -> Decl { field.server().class(Class::Card).into() };
    let parent =
        |name, doc| card(select(name, "declared|stated|confirmed|excluded|unknown").default("unknown").doc(doc));
    fields![
        card(number("inbreeding").doc("Inbreeding coefficient (Wright), %, of the whole pedigree; unknown parents are founders, and without any parent there is none.")),
        card(boolean("inbreedingNeedsApproval").doc("Inbreeding is above 25 %.")),
        card(number("pedigreeDepth").wording(Wording::Rounded(2)).doc("Equivalent complete generations of the whole pedigree.")),
        group("parentStatus", fields![
            parent("father", "How certain the father is: by genetic tests that the Association or an accredited laboratory vouches for (`confirmed`, `excluded`), by one for which nobody does (`stated`), without any (`declared`)."),
            parent("mother", "How certain the mother is, by the same rules."),
        ]),
        card(relations("pastOwners", "organizations").doc("Earlier owners, first one first.")),
        card(relation("author", "users").doc("User who entered the animal.")),
    ]
}

fn current() -> Decl {
    let view = |field: Field| -> Decl { field.server().class(Class::Production).into() };
    group(
        "current",
        fields![
            view(int("parity").doc("Number of calvings.")),
            view(int("daysInMilk").memory().doc("Days since the last calving while in milk; counted on each day.")),
            view(int("ageAtFirstCalving").doc("Age at the calving of parity 1, days.")),
            view(day("lastCalvingDate").doc("Last calving.")),
            view(day("lastInseminationDate").doc("Last insemination.")),
            view(day("lastDryOffDate").doc("Last drying-off.")),
            view(day("expectedCalvingDate").doc("Expected calving of the present gestation.")),
            view(select("lactationStatus", LACTATION_STATUS).doc("Lactation status.")),
            view(select("reproductionStatus", REPRODUCTION_STATUS).doc("Reproduction status.")),
            view(select("healthStatus", HEALTH_STATUS).doc("Health status.")),
            view(int("services").memory().doc("Days with an insemination since the last calving or abortion.")),
            view(day("lastTestDate").memory().doc("Last test day of the present lactation.")),
            view(
                number("lastCells")
                    .memory()
                    .doc("Somatic cells of the last test day of the present lactation that has them, 1000/ml.")
            ),
            view(day("lastCellsDate").memory().doc("That test day.")),
            view(
                day("milkWithdrawalUntil")
                    .memory()
                    .doc("Last day on which milk is not delivered, of all health events.")
            ),
            view(
                day("meatWithdrawalUntil")
                    .memory()
                    .doc("Last day on which the animal is not slaughtered, of all health events.")
            ),
        ],
    )
}

fn production() -> Vec<Decl> {
    let yields = |name, most, doc| -> Decl {
        let field = number(name).range(0.0, most).class(Class::Production);
        field.doc(doc).into()
    };
    fields![
        lactations().class(Class::Production),
        group("summary", fields![
            yields("milkYield", MOST_MILK, "Milk, kg."),
            yields("fatPercent", MOST_CONTENT, "Fat, %."),
            yields("proteinPercent", MOST_CONTENT, "Protein, %."),
            yields("fatKg", MOST_MILK, "Fat, kg."),
            yields("proteinKg", MOST_MILK, "Protein, kg."),
            number("fatProteinSum").server().class(Class::Production)
                => "Fat and protein together, kg, one decimal.",
            evaluation::milk_rank(),
        ]),
        json("reportedLactations").server().class(Class::Hidden)
            => "Lactations as reported; number 0 is the reported summary.",
        long_text("testSums").server().class(Class::Hidden).memory()
            => "What the milk tests of each lactation add up to, so that a later test is added without reading them.",
        day("dryTest").server().class(Class::Hidden).memory()
            => "Day of the last milk test coded dry, so that it need not be looked for.",
    ]
}

fn lactations() -> Field {
    let amount = |name, most, doc| number(name).range(0.0, most).doc(doc);
    let server = |field: Field, doc| field.server().doc(doc);
    rows(
        "lactations",
        [
            int("number").range(0.0, MOST_CALVINGS).doc("Number of the calving that began it."),
            day("calvingDate").doc("Day of that calving."),
            day("inseminationDate").doc(
                "Insemination that led to the calving that ended it; by which she is in calf; else the last within it.",
            ),
            text("serviceBull").class(Class::Card).doc("Bull of that insemination; no condition goes through it."),
            int("dd").range(0.0, LIFE_DAYS).doc("Length, days."),
            amount("milkYield", MOST_MILK, "Milk of the whole lactation, kg."),
            amount("milk305", MOST_MILK, "Milk of the first 305 days, kg."),
            amount("fatKg", MOST_MILK, "Fat of the whole lactation, kg."),
            amount("proteinKg", MOST_MILK, "Protein of the whole lactation, kg."),
            amount("fat305", MOST_CONTENT, "Fat of the first 305 days, %."),
            amount("protein305", MOST_CONTENT, "Protein of the first 305 days, %."),
            amount("scc", MOST_CELLS, "Mean somatic cells, 1000/ml."),
            number("scs").server().doc("Mean score of somatic cells: log2(cells / 100) + 3."),
            boolean("official").server().doc("All of its tests are official, and it has no gap."),
            server(
                number("ecm305"),
                "Energy-corrected milk of the first 305 days, kg: 0.25 milk + 12.2 fat + 7.7 protein.",
            ),
            server(number("fcm305"), "Milk of the first 305 days corrected to 4 % of fat, kg: 0.4 milk + 15 fat."),
            server(number("peakMilk"), "Highest milk of a test day in the first 305 days, kg."),
            server(int("peakDay"), "Days in milk of the first test day with it."),
            server(
                number("persistency"),
                "Milk of the first 305 days, % of what the peak would give on each of these days.",
            ),
            server(
                number("projected305"),
                "Milk of 305 days to be expected of a lactation in progress, kg: what is credited so far, and the rest by the curve of Wood of its own test days.",
            ),
            server(int("projectedFrom"), "Days in milk that are credited in it; the rest is projected."),
            server(int("daysOpen"), "Days from the calving to the insemination by which she is or was in calf."),
            server(int("services"), "Days with an insemination in the lactation, up to that one."),
            server(int("calvingInterval"), "Days to the next calving."),
            day("dryOffDate").doc("Day of drying-off."),
            day("endDate").doc("Last day."),
            day("lastTestDay").doc("Last test day that counted."),
            select("yieldMethod", "testInterval|standardCurves").server().doc(
                "How its yields are computed: by the test-interval method of ICAR, or by its interpolation with standard lactation curves.",
            ),
            select("origin", "computed|reported").server().doc("Computed from milk tests, or reported."),
        ],
    )
    .doc("Lactations; written rows are stored as reported and shown while none is computed.")
}
