//! What a certificate shows, as it is when it is issued (docs/certificates.md, *Snapshot*): names in
//! place of ids, and of ancestors only what stands in a pedigree. Nothing reads the book when the
//! certificate is shown later.

use super::conditions::Form;
use super::subject::{Card, CertificateSubject, Exterior, Names, confirming, lactations, open};
use model::record::{Record, Value, time};
use serde_json::{Map, Value as Json, json};

/// The version of the members below. A change of their meaning takes the next number, and pages go
/// on to show the earlier ones.
const VERSION: u32 = 1;

/// Characters of a day.
const DAY: usize = 10;
/// Characters of a year.
const YEAR: usize = 4;

/// The content of a certificate; number and day of issue come when it gets them.
pub(super) fn snapshot(subject: &CertificateSubject, names: &Names, animal: i64, form: Form) -> Option<Json> {
    let (row, card) = (subject.row(animal)?, Card::get());
    let owner = row.get(card.owner).int();
    let farm = names.of("organizations", row.get(card.farm).int());
    let breeder = farm.or_else(|| row.get(card.farm_name).text());
    let all = [
        ("form", json!(form.word())),
        ("version", json!(VERSION)),
        ("animal", passport(row, names)),
        ("owner", json!(names.of("organizations", owner))),
        ("breeder", json!(breeder)),
        ("pedigree", pedigree(subject, names, animal, form)),
        ("parents", parents(row)),
        ("parentage", confirming(row).map(|t| test(t, names)).collect()),
        ("index", index(row, true)),
        ("lactations", lactations(row).map(lactation).collect()),
        ("exterior", names.exterior(animal).map_or(Json::Null, exterior)),
    ];
    Some(filled(all))
}

/// The members that have a value.
fn filled<'n>(members: impl IntoIterator<Item = (&'n str, Json)>) -> Json {
    let empty = |value: &Json| match value {
        Json::Null => true,
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => false,
    };
    let members = members.into_iter().filter(|(_, value)| !empty(value));
    let members: Map<String, Json> = members.map(|(n, v)| (n.to_owned(), v)).collect();
    Json::Object(members)
}

/// A value; times are days.
fn json_of(value: &Value) -> Json {
    match value {
        Value::Int(n) => json!(n),
        Value::Num(n) => number(*n),
        Value::Text(text) => json!(text),
        Value::Bool(yes) => json!(yes),
        Value::Time(at) => json!(first(&time::to_iso(*at), DAY)),
        _ => Json::Null,
    }
}

/// Whole numbers without a point, as documents have them.
fn number(n: f64) -> Json {
    let whole = format!("{n:.0}").parse::<i64>().ok();
    whole.filter(|_| n.fract() == 0.0).map_or(json!(n), |n| json!(n))
}

fn first(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

fn passport(row: &Record, names: &Names) -> Json {
    let card = Card::get();
    let value = |slot: usize| json_of(row.get(slot));
    let name = |slug, slot: usize| json!(names.of(slug, row.get(slot).int()));
    let english = |slug, slot: usize| json!(names.english(slug, row.get(slot).int()));
    let improver = |breed: usize, share: usize| {
        let names = [("breed", name("breeds", breed)), ("breedEnglish", english("breeds", breed))];
        filled(names.into_iter().chain([("share", value(share))]))
    };
    let improvers = [improver(card.breed1, card.share1), improver(card.breed2, card.share2)];
    let improvers = improvers.into_iter().filter(|one| one.get("breed").is_some());
    let alternatives = filled([
        ("unsm", value(card.unsm)),
        ("isoId", value(card.iso)),
        ("internationalId", value(card.international)),
        ("earTag", value(card.ear_tag)),
        ("inventoryNumber", value(card.inventory)),
        ("chipNumber", value(card.chip)),
        ("gpkMark", value(card.gpk_mark)),
        ("gpkNumber", value(card.gpk)),
        ("originCountry", value(card.origin_country)),
        ("originNumber", value(card.origin_number)),
    ]);
    filled([
        ("identNumber", value(card.ident)),
        ("name", value(card.name)),
        ("nameLatin", value(card.latin)),
        ("altIds", alternatives),
        ("registrationNumber", value(card.registration)),
        ("sex", value(card.sex)),
        ("birthDate", value(card.birth)),
        ("breed", name("breeds", card.breed)),
        ("breedEnglish", english("breeds", card.breed)),
        ("breedType", name("breed-types", card.breed_type)),
        ("breedTypeEnglish", english("breed-types", card.breed_type)),
        ("bloodPercent", value(card.blood)),
        ("improvers", improvers.collect()),
        ("coatColor", name("coat-colors", card.coat)),
        ("coatColorEnglish", english("coat-colors", card.coat)),
        ("trustLevel", value(card.trust)),
    ])
}

/// The ancestors that are known, by their numbers in Kekulé's list.
fn pedigree(subject: &CertificateSubject, names: &Names, animal: i64, form: Form) -> Json {
    let card = Card::get();
    let owner = subject.row(animal).and_then(|row| row.get(card.owner).int());
    let all = subject.pedigree(animal, form.generations());
    let entries = all.iter().skip(1).filter_map(|(number, id)| {
        let row = subject.row(*id)?;
        let mut best = Json::Null;
        let mut value = Json::Null;
        if open(row, owner) {
            best = lactations(row).max_by(|a, b| milk(a).total_cmp(&milk(b))).map_or(Json::Null, lactation);
            value = index(row, false);
        }
        let born = row.get(card.birth).time();
        let breed = row.get(card.breed).int();
        Some(filled([
            ("place", json!(number)),
            ("identNumber", json_of(row.get(card.ident))),
            ("name", json_of(row.get(card.name))),
            ("breed", json!(names.of("breeds", breed))),
            ("breedEnglish", json!(names.english("breeds", breed))),
            ("birthYear", json!(born.map(|at| first(&time::to_iso(at), YEAR)))),
            ("lactation", best),
            ("index", value),
        ]))
    });
    entries.collect()
}

/// By which of its lactations a cow is known.
fn milk(lactation: &Json) -> f64 {
    let yields = ["milk305", "milkYield"].into_iter();
    let mut yields = yields.filter_map(|name| lactation.get(name).and_then(Json::as_f64));
    yields.next().unwrap_or(0.0)
}

fn parents(row: &Record) -> Json {
    let card = Card::get();
    filled([("father", json_of(row.get(card.father_status))), ("mother", json_of(row.get(card.mother_status)))])
}

/// A genetic test without its result: no genotype is shown.
fn test(test: &Json, names: &Names) -> Json {
    let plain = |name: &str| test.get(name).cloned().unwrap_or_default();
    let id = |name: &str| test.get(name).and_then(Json::as_i64);
    filled([
        ("test", json!(names.of("dna-test-types", id("type")))),
        ("testEnglish", json!(names.english("dna-test-types", id("type")))),
        ("date", day(test, "date")),
        ("laboratory", json!(names.of("organizations", id("laboratory")))),
        ("method", plain("authMethod")),
        ("verdict", plain("verdict")),
        ("certificateNumber", plain("certificateNumber")),
        ("certificateDate", day(test, "certificateDate")),
    ])
}

fn index(row: &Record, whole: bool) -> Json {
    let card = Card::get();
    if row.get(card.ipc).is_null() {
        return Json::Null;
    }
    let more = |slot: usize| {
        if whole { json_of(row.get(slot)) } else { Json::Null }
    };
    filled([
        ("value", json_of(row.get(card.ipc))),
        ("date", json_of(row.get(card.evaluated))),
        ("reliability", more(card.reliability)),
        ("percentile", more(card.percentile)),
        ("center", more(card.center)),
        ("base", more(card.base)),
    ])
}

fn lactation(row: &Json) -> Json {
    let plain = |name: &'static str| (name, row.get(name).cloned().unwrap_or_default());
    // Where nothing is said, it is the reference method of ICAR.
    let method = row.get("yieldMethod").filter(|method| *method != "testInterval");
    filled([
        plain("number"),
        ("calvingDate", day(row, "calvingDate")),
        plain("dd"),
        plain("milkYield"),
        plain("fatKg"),
        plain("proteinKg"),
        plain("milk305"),
        plain("fat305"),
        plain("protein305"),
        ("yieldMethod", method.cloned().unwrap_or_default()),
    ])
}

fn exterior(row: &Record) -> Json {
    let s = Exterior::get();
    let value = |slot: usize| json_of(row.get(slot));
    filled([
        ("assessedAt", value(s.day)),
        ("finalScore", value(s.score)),
        ("finalClass", value(s.class)),
        ("generalView", value(s.view)),
        ("bodyVolume", value(s.volume)),
        ("dairyCharacter", value(s.dairy)),
        ("legQuality", value(s.legs)),
        ("udderQuality", value(s.udder)),
        ("rearBody", value(s.rear)),
    ])
}

/// Days inside of rows are stored as times.
fn day(row: &Json, name: &str) -> Json {
    let text = row.get(name).and_then(Json::as_str);
    json!(text.map(|text| first(text, DAY)))
}

#[cfg(test)]
mod tests {
    use super::lactation;
    use serde_json::json;

    #[test]
    fn another_method_than_that_of_reference_is_named() {
        let row = |method: &str| lactation(&json!({"number": 2, "milk305": 9100, "yieldMethod": method}));
        assert_eq!(row("testInterval"), json!({"number": 2, "milk305": 9100}));
        let named = json!({"number": 2, "milk305": 9100, "yieldMethod": "standardCurves"});
        assert_eq!(row("standardCurves"), named);
    }
}
