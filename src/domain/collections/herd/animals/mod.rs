//! Animals: the declaration. What happens around a write is in the modules
//! beside it.

mod card;
pub(crate) mod descent;
mod display_names;
mod evaluation;
mod headings;
mod hooks;
mod leaving;
mod numbering;
mod one_of_two;
mod passport;
mod production;
mod removal;
mod steps;
mod view;
mod views;

pub(crate) use descent::births::left as left_calvings;
pub use descent::mates::{HAPLOTYPES, Mate};
pub(crate) use descent::{parentage, sexes};
pub(crate) use display_names::{display_names, list_of};
pub(crate) use headings::EVERYWHERE;
pub(crate) use passport::{group_of_age, number as international_number};
pub(crate) use view::{Animal, Slots};

use crate::collections::dictionaries::codes::{ALPHA3, PICTURES};
use crate::collections::events::{ANIMAL_NAMES, ANIMAL_NUMBERS, computed};
use crate::collections::herd::work::WORK;
use crate::collections::platform::clarifications::disputed;
use crate::derive::identify::{bull_code, interbull, spellings, without_decimals};
use model::registry::{
    Access, Capability, Class, Collection, Decl, Feature, Field, Numbers, PackageSet, Roster, Rule, Verb, boolean, day,
    fields, group, instant, json, long_text, number, relation, select, text, text_n,
};

/// Formats of `identNumber`.
const FORMATS: &str = "rf|rus|icar|usa|can|deu|internal";
/// Age groups, youngest first; bulls apart.
pub(crate) const AGE_GROUPS: &str = "calf|heifer|firstCalf|cow2|cow3|bull";
/// States of an animal (docs/states.md, *animals · state*).
pub(crate) const STATES: &str = "alive|sold|culled|dead";

pub(crate) fn animals() -> Collection {
    let access = Access::read(Rule::Book)
        .create(Rule::Own(Capability::Data))
        .update(Rule::Own(Capability::Data))
        .delete(Rule::Admin)
        .subjects(&["owner"]);
    let animals = Collection::new("animals", access, all_fields())
        .animal("id")
        .lineage("father", "mother", &IDENTITY)
        .feature(Feature::Mating)
        .hooks(hooks::Behaviour)
        .states(steps::state())
        .states(steps::archived())
        .states(steps::trust())
        .states(steps::registration())
        .states(one_of_two::merging())
        .disputes("disputed")
        .merges("mergedInto")
        .unmerges("mergerKept")
        .revised(Class::Row)
        .viewed()
        .subject("animal", None, &["owner"])
        .logged(Verb::Create, "animal-created")
        .logged(Verb::Delete, "animal-purged")
        .index(&["owner", "state", "archived"])
        .index(&["publicVisible", "ipcRank"])
        .index(&["owner", "ipcRank"])
        .index(&["father", "birthDate"])
        .index(&["mother", "birthDate"])
        .unique(&["birthOrg", "birthAde.source", "birthAde.sourceId"])
        .columns(&["identNumber", "name", "sex", "birthDate", "breed", "ageGroup", "owner", "state"])
        // Tables head their rows with number and name; files have them as columns.
        .own_columns(&["identNumber", "name", "birthDate", "ageGroup", "state", "current.parity", "current.daysInMilk"])
        .named(&["name", "identNumber"])
        .card(&card::CARD)
        .fits(&steps::FITS)
        .work_lists(&WORK)
        .trigram(&[
            "identNumber",
            "name",
            "nameLatin",
            "altIds.isoId",
            "altIds.internationalId",
            "altIds.earTag",
            "altIds.inventoryNumber",
            "altIds.chipNumber",
            "altIds.gpkNumber",
            "altIds.originNumber",
        ])
        .sought(&[])
        .roster(ROSTER)
        .numbers(Numbers {
            spellings,
            is_spoiled: |number| without_decimals(number).is_some(),
            everywhere: &EVERYWHERE,
            same: &["sex", "birthDate"],
            // Working numbers are given anew: of them a check tells.
            alone: &["altIds.earTag", "altIds.chipNumber", "fgias.unsm"],
        })
        .also_named("identNumber", &ANIMAL_NUMBERS.map(|(_, headings)| (None, headings)))
        .unread(ANIMAL_NAMES)
        .named_by("father", "pedigreeText.fatherId")
        .named_by("mother", "pedigreeText.motherId")
        .state_by("state", "disposalReason", "disposalDate")
        .doc("Animals of the herd book.");
    joins(names_in_files(animals))
}

fn all_fields() -> Vec<Decl> {
    let fields = [
        identity(),
        standing(),
        numbers(),
        passport(),
        origin(),
        descent::genetics::fields(),
        arrival(),
        views::fields(),
        evaluation::fields(),
        system(),
        descent::births::fields(),
    ];
    fields.into_iter().flatten().collect()
}

/// What animals and their fields are called in files, and which sets packages carry of them.
fn names_in_files(animals: Collection) -> Collection {
    let shows = &["identNumber", "shows.date", "shows.title"];
    animals
        .headings(headings::HEADINGS)
        .words("sex", headings::SEXES)
        .words("state", headings::STATES)
        .words("dnaTests.verdict", headings::VERDICTS)
        .known_as(headings::KNOWN_AS)
        .package_set(PackageSet::new("animals", "animals", &["identNumber"]))
        .package_set(PackageSet {
            list: Some("shows"),
            headings: headings::SHOWS,
            ..PackageSet::new("shows", "events", shows)
        })
        .package_set(PackageSet {
            list: Some("dnaTests"),
            headings: headings::DNA_TESTS,
            ..PackageSet::new("dnaTests", "genomics", &["identNumber", "dnaTests.date"])
        })
}

/// How people tell animals apart, and in which order they stand on lists of a herd.
const ROSTER: Roster = Roster {
    apart: &["name", "altIds.inventoryNumber", "altIds.earTag", "birthDate", "sex", "state"],
    place: "herd",
    order: "altIds.inventoryNumber,identNumber",
    beside: &["name", "altIds.inventoryNumber", "current.parity", "current.daysInMilk"],
};

/// What a record tells of the animals that it names: an ancestor, a service bull, a calf, a recipient.
const IDENTITY: [&str; 5] = ["identNumber", "name", "sex", "breed", "birthDate"];

fn joins(animals: Collection) -> Collection {
    animals
        .join("calvings", "calvings", &["animal"])
        .join("inseminations", "inseminations", &["animal"])
        .join("milkTests", "milk-tests", &["animal"])
        .join("weighings", "weighings", &["animal"])
        .join("milkingVisits", "milking-visits", &["animal"])
        .join("dailyMilkings", "daily-milkings", &["animal"])
        .join("healthEvents", "health-events", &["animal"])
        .join("events", "events", &["animal"])
        .join("movements", "movements", &["animal"])
        .join("animalEvaluations", "animal-evaluations", &["animal"])
        .join("animalExteriors", "animal-exteriors", &["animal"])
        .join("gradings", "gradings", &["animal"])
        .join("indexValues", "index-values", &["animal"])
        .join("gallery", "animal-gallery", &["animal"])
        .join("documents", "documents", &["animal"])
        .join("revisions", "animal-revisions", &["animal"])
        .join("children", "animals", &["father", "mother"])
        .join("services", "inseminations", &["bull"])
}

fn card(field: Field) -> Decl {
    field.class(Class::Card).into()
}

fn identity() -> Vec<Decl> {
    fields![
        text_n("uuid", 36).unique().indexed().once().aside()
            => "Key of the animal across accounting systems; random when left out.",
        text_n("identNumber", 32).required().unique().indexed().locked()
            => "Main identification number, written as `idFormat` says.",
        select("idFormat", FORMATS).default("rf").locked() => "Format of the main number.",
        text_n("name", 60).indexed() => "Name of the animal.",
        text("nameLatin").server() => "The name in Latin letters.",
        select("sex", "female|male").required().locked() => "Sex at birth.",
        select("sexStatus", "none|freemartin|castrate|cryptorchid|spayed").default("none")
            => "What limits the animal's use for breeding.",
        day("birthDate").since(1850).indexed().locked() => "Day of birth; at most a day ahead, after both parents'.",
        relation("breed", "breeds").locked() => "Main breed.",
        select("ageGroup", AGE_GROUPS) => "Age group; by sex, age and calvings where nobody stated it.",
        computed("ageGroupComputed"),
        day("ageGroupDate") => "Day since which the age group holds; computed with it.",
    ]
}

fn standing() -> Vec<Decl> {
    fields![
        relation("owner", "organizations").required().session().once()
            => "Present owner; changes by movements only.",
        relation("herd", "herds") => "Herd of the owner that the animal stands in.",
        relation("photo", "media").among("mimeType", PICTURES)
            => "Picture of the animal; open to everybody while the row is.",
        boolean("publicVisible").default(false).indexed() => "The row is open to everybody.",
        boolean("publicDetails").default(false).indexed()
            => "Together with `publicVisible` opens card and events to everybody.",
        boolean("forSale").default(false).indexed() => "Offered for sale.",
        boolean("archived").default(false).indexed()
            => "Whether the owner archived the animal; it is deleted after 30 days.",
        relation("category", "breeding-categories") => "Section of the herd book.",
        group("semen", semen()),
    ]
}

fn semen() -> Vec<Decl> {
    let stock = group(
        "stock",
        fields![
            text_n("code", 20).indexed().spelled(bull_code)
                => "Code of the bull's semen; one of NAAB in its ten characters (`007HO14454`).",
            boolean("available") => "Semen is in stock.",
            day("updatedAt") => "Day of the statement on stock.",
            relation("owner", "organizations") => "Organisation that has the semen.",
        ],
    );
    std::iter::once(stock).chain(evaluation::semen()).collect()
}

fn numbers() -> Vec<Decl> {
    fields![
        group(
            "fgias",
            fields![
                card(text_n("baseUuid", 36).indexed().doc("Base number in the federal breeding register.")),
                card(text_n("registrationUuid", 36).doc("Registration number in that register.")),
                card(text_n("unsm", 32).indexed().doc("Unique number of the means of marking.")),
                card(instant("syncedAt").server().doc("Last comparison with that register.")),
            ]
        ),
        group(
            "altIds",
            fields![
                card(text_n("isoId", 20).doc("ISO 11784 number as printed.")),
                text_n("internationalId", 19).indexed().spelled(interbull)
                    => "Interbull number: breed, country, sex, 12 letters and digits; computed while empty.",
                card(text_n("earTag", 20).indexed().doc("Ear tag.")),
                card(text_n("inventoryNumber", 15).indexed().doc("Working number on the farm.")),
                card(text_n("chipNumber", 15).indexed().doc("Electronic identifier (ISO 11784), 15 digits.")),
                card(day("chipDate").doc("Day the electronic identifier was put in.")),
                card(text_n("gpkMark", 20).doc("Mark of the State Herd Book.")),
                card(text_n("gpkNumber", 20).doc("Number in the State Herd Book.")),
                card(select("originCountry", ALPHA3).doc("ISO 3166-1 alpha-3 of the country of first registration.")),
                card(text_n("originNumber", 20).doc("National number in that country.")),
            ]
        ),
    ]
}

fn passport() -> Vec<Decl> {
    let share = |name| card(number(name).range(0.0, 100.0).doc("Share of the breed, %."));
    fields![
        card(relation("breedType", "breed-types").doc("Type within the breed.")),
        card(number("bloodPercent").range(0.0, 100.0).doc("Share of Holstein blood, %.")),
        group(
            "improvers",
            fields![
                card(relation("breed1", "breeds").doc("First improving breed.")),
                share("share1"),
                card(relation("breed2", "breeds").doc("Second improving breed.")),
                share("share2"),
            ]
        ),
        card(relation("coatColor", "coat-colors").doc("Coat colour.")),
        card(relation("bloodGroup", "blood-groups").doc("Blood group.")),
        card(relation("purpose", "animal-purposes").doc("What the animal is kept for.")),
        card(day("breedDate").doc("Day the breed was determined.")),
        card(day("purposeDate").doc("Day the purpose was determined.")),
    ]
}

fn origin() -> Vec<Decl> {
    let parent = |name, sex, doc| card(relation(name, "animals").names_parent().among("sex", sex).locked().doc(doc));
    let words = |name, doc| card(text_n(name, 60).doc(doc));
    let grandfather = |name, doc| card(text_n(name, 60).names_parent().doc(doc));
    let number = |name, doc| card(text_n(name, 60).names_parent().indexed().doc(doc));
    fields![
        group(
            "birthPlace",
            fields![
                card(relation("country", "countries").doc("Country of birth.")),
                card(relation("region", "regions").doc("Region of birth.")),
                card(relation("district", "districts").doc("District of birth.")),
                card(relation("farm", "organizations").doc("Farm of birth.")),
                card(text("farmName").doc("Farm of birth that is not in the book.")),
            ]
        ),
        card(select("registrationBasis", "origin|productivity").default("origin").doc("Basis of the registration.")),
        card(relation("breedingClass", "breeding-classes").doc("Class of breeding value.")),
        card(relation("receiptMethod", "reproduction-methods").doc("How the animal was conceived.")),
        parent("father", "male", "Father, born before the animal."),
        parent("mother", "female", "Mother, born before the animal."),
        card(relation("line", "lines").doc("Sire line.")),
        card(relation("family", "lines").doc("Dam family.")),
        group(
            "pedigreeText",
            fields![
                number("fatherId", "Number of a father that is not named as `father`."),
                words("fatherName", "Name of a father outside the book."),
                number("motherId", "Number of a mother that is not named as `mother`."),
                words("motherName", "Name of a mother outside the book."),
                grandfather("fatherFatherId", "Number of the father's father."),
                grandfather("motherFatherId", "Number of the mother's father."),
            ]
        ),
    ]
}

fn arrival() -> Vec<Decl> {
    fields![
        card(day("arrivalDate").doc("Day the animal came to its owner; set by movements.")),
        card(relation("previousOrganization", "organizations").doc("Where it came from; set by movements.")),
        long_text("notes").class(Class::Owner) => "The owner's own notes.",
        text("archiveReason").class(Class::Owner) => "Why the animal was archived.",
    ]
}

fn system() -> Vec<Decl> {
    let own = |field: Field| -> Decl { field.server().class(Class::Owner).into() };
    fields![
        own(instant("archivedAt").indexed().doc("When the animal was archived.")),
        own(relation("archivedBy", "users").doc("User who archived the animal.")),
        own(relation("lastEditUser", "users").doc("User who last changed the card.")),
        own(instant("lastEditTime").doc("When the card was last changed.")),
        own(select("checkStatus", "ok|note|fix").memory().doc(
            "Gravest open finding of the checks about the animal or a row of it that the owner reads; empty: not checked yet.")),
        relation("mergedInto", "animals").server()
            => "Record of the same animal into which this record was merged.",
        disputed(),
        json("mergerKept").server().class(Class::Hidden) => "What the merger moved; needed to undo it.",
        entry(),
    ]
}

/// What movements start from: deleting the last of them restores it.
fn entry() -> Decl {
    let hidden = |field: Field| -> Decl { field.server().class(Class::Hidden).into() };
    group(
        "entry",
        fields![
            hidden(relation("owner", "organizations").doc("Owner before the first movement.")),
            hidden(relation("herd", "herds").doc("Herd before the first movement.")),
            hidden(day("arrivalDate").doc("Arrival before the first movement.")),
            hidden(
                relation("previousOrganization", "organizations")
                    .doc("Previous organisation before the first movement.")
            ),
        ],
    )
}
