//! Movements: sales, leases, transfers, imports, culls, deaths and absences, from
//! which the owner, herd and state of an animal follow.

mod course;
mod hooks;
mod objection;
mod ownership;
mod reasons;
mod rules;
mod view;

pub(crate) use reasons::Reasons;
pub(crate) use view::{Closing, last};

use crate::collections::dictionaries::codes::{DEATH_METHOD, DISPOSAL_METHOD};
use crate::collections::events::measures::LEAST_WEIGHT;
use crate::collections::events::{ANIMAL_HEADINGS, ANIMAL_NAMES, ANIMAL_NUMBERS, Key, hidden_source, source};
use model::registry::{
    Access, Allowance, Assignee, Capability, Class, Collection, Decl, Fits, FittingReason, FittingReceiver, Grid, Move,
    News, PackageSet, ROLES, Rule, Set, States, Verb, Who, Wording, boolean, day, fields, group, long_text, moves,
    number, relation, select, text, text_n,
};

/// Days within which a movement is undone: deleted by the user who recorded it, or objected to by the buyer.
pub(crate) const DAYS: i64 = 30;

/// Kinds of movements.
const KINDS: &str = "sale|lease|transfer|import|cull|death|absence";

pub(crate) fn movements() -> Collection {
    let mut fields = course();
    fields.extend(details());
    fields.extend(confirmation());
    fields.extend(source("ade", "adeExtra", Key::DataSet));
    fields.extend(arrival());
    Collection::new("movements", access(), fields)
        .animal("animal")
        .happens("date")
        .serial("animal")
        .natural(&["animal", "date", "kind"])
        .headings(HEADINGS)
        .also_named("animal", &ANIMAL_NUMBERS)
        .unread(ANIMAL_NAMES)
        .words("kind", WORDS)
        .package_set(PackageSet {
            marks: &["kind", "reason"],
            by_row_rights: true,
            ..PackageSet::new("movements", "animals", &["animal", "date", "kind"])
        })
        .index(&["animal", "date"])
        .unique(&["from", "ade.source", "ade.sourceId", "ade.dataset"])
        .unique(&["to", "adeTo.source", "adeTo.sourceId"])
        .hooks(hooks::Behaviour)
        .states(confirming())
        .kind_of("kind")
        .columns(&["date", "animal", "kind", "from", "to", "confirmation"])
        .grid(Grid {
            cells: &["reason", "weight", "note"],
            same: &["kind", "to", "toHerd", "basis"],
            among: &[("state", "equals", "alive"), ("archived", "equals", "false")],
            rests: None,
            each: true,
        })
        .fits(&FITS)
        .waits(Assignee::Party("from"), "confirmation", &["pending"])
        // As long as the buyer may object, unless it is history that was recorded lately. Its own purchases come once
        // the seller confirms them; an animal of which nobody knows the giver came from nobody.
        .news(News {
            party: "to",
            at: "createdAt",
            happened: Some(("date", 90)),
            of: &[("kind", &["sale", "lease"]), ("confirmation", &["none", "confirmed"])],
            filled: Some("from"),
            shows: &[],
        })
        // The animal is the seller's again.
        .news(News {
            party: "from",
            at: "updatedAt",
            happened: None,
            of: &[("confirmation", &["objected"])],
            filled: None,
            shows: &["animal", "to", "objection"],
        })
        .states(releasing())
        .subject("movement", Some("animal"), &["from", "to"])
        .doc("Movements of animals between organisations and herds, and out of the book.")
}

static FITS: Fits = Fits {
    kind: "kind",
    reason: FittingReason {
        relation: "reason",
        word: "state",
        words: &[("sale", "sold"), ("cull", "culled"), ("death", "dead")],
    },
    receiver: FittingReceiver {
        giver: Some("from"),
        objected: Some(("confirmation", "objected")),
        applied: Some("applied"),
        without: &["cull", "death", "transfer"],
        ..buyers("to", &["sale", "lease"])
    },
    only: &[
        ("deathMethod", &["death"]),
        ("disposalMethod", &["cull", "death"]),
        // Whoever takes an animal on lease says where it stands.
        ("reason", NO_LEASE),
        ("fromHerd", NO_LEASE),
        ("toHerd", NO_LEASE),
    ],
    // Words of the exchange for what is a cull here; nobody eats what died.
    unfit: &[("death", "deathMethod", &["slaughter", "culled"]), ("death", "disposalMethod", &["consumption"])],
};

const NO_LEASE: &[&str] = &["sale", "transfer", "import", "cull", "death", "absence"];

/// Who buys animals: whoever keeps some, as farms and AI centres, but neither a laboratory nor the Association.
pub(crate) const fn buyers(relation: &'static str, kinds: &'static [&'static str]) -> FittingReceiver {
    FittingReceiver {
        relation,
        giver: None,
        objected: None,
        applied: None,
        kinds,
        without: &[],
        among: &[
            &[
                ("type", "in", "farm,individual"),
                ("activities", "not_in", "association,laboratory,registrar,classifier,evaluationCentre"),
            ],
            &[("activities", "in", "aiStation,breedingPlant,reproducer,genePool")],
        ],
        takes_part: ("presence", "registered"),
        days: DAYS,
    }
}

const HEADINGS: &[(&str, &str)] = &[
    ("animal", ANIMAL_HEADINGS),
    ("date", "Дата движения|дата перемещения|дата выбытия|movement date|disposal date|дата|date"),
    (
        "kind",
        "Вид движения|вид перемещения|тип движения|движение|вид выбытия|способ выбытия|\
         movement|movement type|disposal type",
    ),
    ("from", "Откуда|поставщик|продавец|seller"),
    ("to", "Куда|куда выбыло|получатель|покупатель|buyer|sold to"),
    ("reason", "Причина выбытия|причина|disposal reason|cull reason|reason"),
    ("weight", "Живая масса|масса при выбытии|вес при выбытии|live weight"),
    ("consignment.number", "Номер накладной|накладная"),
    ("basis", "Основание|договор|номер договора|contract"),
    ("note", "Комментарий|примечание|comment|remark"),
];

/// Words for the kinds.
const WORDS: &[(&str, &str)] = &[
    ("sale", "продан|продана|продано|реализация|племпродажа|sold"),
    ("lease", "лизинг|leased"),
    ("transfer", "перевод|переведена"),
    ("import", "ввоз|ввезена|imported"),
    (
        "cull",
        "выбракован|выбракована|забой|забита|убой|на мясо|сдача на мясо|мясокомбинат|culled|slaughter|slaughtered",
    ),
    ("death", "пал|пала|пало|гибель|died|dead"),
    ("absence", "временно выбыла"),
];

fn access() -> Access {
    Access::read(Rule::Farm)
        .create(Rule::Own(Capability::Move))
        .update(Rule::Assoc)
        .delete(Rule::Admin)
        .subjects(&["from", "to"])
        .allow(Allowance {
            verb: Verb::Update,
            who: "from",
            only: &["confirmation", "released"],
            days: None,
            when: &[],
        })
        .allow(Allowance {
            verb: Verb::Update,
            who: "to",
            only: &["confirmation", "objection"],
            days: Some(DAYS),
            when: &["confirmation=none"],
        })
        .allow(Allowance { verb: Verb::Update, who: "recordedBy", only: &["note"], days: None, when: &[] })
        .allow(Allowance {
            verb: Verb::Delete,
            who: "recordedBy",
            only: &[],
            days: Some(DAYS),
            // A movement that both confirmed is deleted only with the consent of both: the giver
            // releases it.
            when: &[
                "confirmation=none",
                "confirmation=pending",
                "confirmation=refused",
                "confirmation=objected",
                "released",
            ],
        })
}

fn course() -> Vec<Decl> {
    fields![
        relation("animal", "animals").required().cascade() => "The animal that moves.",
        day("date").required().indexed() => "Day of the movement.",
        select("kind", KINDS).required().indexed()
            => "What happened. An absence changes neither owner nor state; its receiver is the owner when the animal comes back.",
        relation("from", "organizations").decides() => "Giver; the owner of the animal when left out.",
        relation("to", "organizations").decides() => "Receiver; none for culls and deaths.",
        relation("fromHerd", "herds") => "Herd it left.",
        relation("toHerd", "herds") => "Herd of the receiver that it came to.",
        relation("reason", "disposal-reasons") => "Reason for leaving.",
        select("deathMethod", DEATH_METHOD) => "How the animal died; takes precedence over the method of the reason.",
        select("disposalMethod", DISPOSAL_METHOD) => "What became of the carcass.",
    ]
}

fn details() -> Vec<Decl> {
    fields![
        group("consignment", fields![
            text_n("number", 40) => "Number of the consignment note.",
            text_n("vehicle", 40) => "Registration of the vehicle.",
            text("operator") => "Haulier.",
            text_n("declaration", 60) => "Number of the veterinary or customs declaration.",
        ]),
        number("weight").range(LEAST_WEIGHT, 5_000.0) => "Live weight at the movement, kg.",
        text("basis") => "Contract or act on which the movement is based.",
        long_text("note") => "Remark.",
    ]
}

/// A recorder who was not the giver waits for the confirmation of the giver (docs/states.md,
/// *movements · confirmation*).
fn confirming() -> States {
    let recorded = |to| {
        let one = Move::begin(to).by(Who::Farm(Capability::Move));
        one.by(Who::Association).log("movement-recorded")
    };
    let decided = |to, applied: bool| {
        Move::new(&["pending"], to)
            .by(Who::Party(Capability::Move, "from"))
            .by(Who::Association)
            .set("applied", Set::To(applied.into()))
            .set("confirmedBy", Set::Me)
            .log("movement-confirmed")
            .says("The seller confirms.")
    };
    let objected = Move::new(&["none"], "objected")
        .by_within(Who::Party(Capability::Move, "to"), DAYS, "createdAt")
        .by(Who::Association)
        .when(&[("kind", &["sale", "lease"])])
        .recorded("recordedBy", "recordedRole")
        .grave()
        .asks(&["objection"])
        .set("applied", Set::To(false.into()))
        .set("confirmedBy", Set::Me)
        .log("movement-objected")
        .says("The buyer of a sale or lease objects, within 30 days.");
    moves![States::of("confirmation").begun_by_server();
        recorded("none")
            => "Recorded by the giver or the Association, or of a giver who does not take part, or back to the owner; applies.",
        recorded("pending") => "Recorded by the receiver of a registered giver; waits.",
        decided("confirmed", true) => "The movement applies.",
        decided("refused", false).grave() => "The movement never applies.",
        objected => "The animal is the seller's again; the movement stays. Only of a sale or lease that the seller recorded, while the buyer recorded nothing about the animal and it did not move on.",
    ]
}

/// A confirmed movement is deleted by its recorder only after the giver let it go.
fn releasing() -> States {
    let released = |from, to| {
        Move::new(from, to)
            .by(Who::Party(Capability::Move, "from"))
            .by(Who::Association)
            .says("The seller releases a confirmed movement.")
    };
    moves![States::of("released").begun_by_server();
        released(&["false"], "true").when(&[("confirmation", &["confirmed"])])
            => "The user who recorded it may delete it within 30 days.",
        released(&["true"], "false"),
    ]
}

/// The arrival that the receiver sent of the movement, beside the document of the giver, and whose
/// document came to a movement that others had recorded.
fn arrival() -> Vec<Decl> {
    let joined = |name| boolean(name).server().class(Class::Hidden);
    let mut fields = hidden_source("adeTo", "adeToExtra");
    fields.extend(fields![
        joined("joinedFrom") => "The document of the giver came to a movement that others had recorded.",
        joined("joinedTo") => "The document of the receiver came to a movement that others had recorded.",
    ]);
    fields
}

fn confirmation() -> Vec<Decl> {
    fields![
        boolean("applied").server().default(true)
            => "The movement took effect; only the latest applied one decides.",
        select("confirmation", "none|pending|confirmed|refused|objected").default("none")
            => "Whether the seller has to confirm what the buyer recorded, and whether the buyer objected to what the seller recorded.",
        long_text("objection") => "Why the buyer says that the animal is not theirs.",
        relation("confirmedBy", "users").server().wording(Wording::Person("confirmedRole"))
            => "User who confirmed or refused the movement, or objected to it.",
        select("confirmedRole", ROLES).server().aside() => "The side on which that user stood; empty: not stored.",
        boolean("released").default(false)
            => "The giver agrees that the user who recorded the confirmed movement deletes it.",
        boolean("outside").server()
            => "The receiver did not take part in the book at that time, so the animal left the book.",
        relation("recordedBy", "users").server().wording(Wording::Person("recordedRole"))
            => "User who recorded the movement.",
        select("recordedRole", ROLES).server().aside() => "The side on which that user stood; empty: not stored.",
    ]
}
