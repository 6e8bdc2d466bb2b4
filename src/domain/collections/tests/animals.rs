use super::{TODAY, day, farm, fault, faults, fields};
use model::record::Value;
use model::registry::Command;
use serde_json::json;

#[test]
fn a_new_animal_gets_key_names_group_and_international_number() {
    let mut farm = farm();
    let breed = fields! { "code": "1", "name": "Holstein", "whffCode": "HOL" };
    let breed = farm.book.create("breeds", breed).unwrap();
    let fields = fields! {
        "identNumber": "123456789",
        "name": "Заря",
        "sex": "female",
        "birthDate": day(TODAY - 30),
        "breed": breed,
    };
    let calf = farm.try_animal(fields).unwrap();
    assert_eq!(farm.of(calf, "uuid").text().unwrap().len(), 36);
    assert_eq!(farm.of(calf, "nameLatin"), Value::from("Zaria"));
    assert_eq!(farm.of(calf, "ageGroup"), Value::from("calf"));
    let number = |farm: &super::Farm| farm.of(calf, "altIds.internationalId");
    assert_eq!(number(&farm), Value::from("HOLRUSF000123456789"));
    assert_eq!(farm.of(calf, "author"), Value::Int(super::HEAD));

    let imported = fields! { "altIds.originCountry": "NLD", "altIds.originNumber": "77" };
    farm.book.update("animals", calf, imported).unwrap();
    assert_eq!(number(&farm), Value::from("HOLNLDF000000000077"));
    let given = fields! { "altIds.internationalId": "HOLDEUF000000000001" };
    farm.book.update("animals", calf, given).unwrap();
    farm.book.update("animals", calf, fields! { "identNumber": "123456780" }).unwrap();
    assert_eq!(number(&farm), Value::from("HOLDEUF000000000001"));
}

#[test]
fn an_age_group_needs_the_birth_or_a_calving() {
    let mut farm = farm();
    for (ident, sex, group) in [("400010", "female", "heifer"), ("400011", "male", "bull")] {
        let animal = farm.try_animal(fields! { "identNumber": ident, "sex": sex }).unwrap();
        assert_eq!(farm.of(animal, "ageGroup"), Value::Null, "{sex}");
        farm.book.update("animals", animal, fields! { "name": "Named" }).unwrap();
        assert_eq!(farm.of(animal, "ageGroup"), Value::Null, "{sex}");
        farm.book.update("animals", animal, fields! { "birthDate": day(TODAY - 800) }).unwrap();
        assert_eq!(farm.of(animal, "ageGroup"), Value::from(group));
    }
    let cow = farm.try_animal(fields! { "identNumber": "400012", "sex": "female" }).unwrap();
    farm.book.create("calvings", fields! { "animal": cow, "date": day(TODAY - 10) }).unwrap();
    assert_eq!(farm.of(cow, "ageGroup"), Value::from("firstCalf"));
}

#[test]
fn a_passport_is_refused_with_all_its_faults() {
    let mut farm = farm();
    let foreign = fields! { "name": "Two", "organization": farm.other };
    let foreign = farm.book.create("herds", foreign).unwrap();
    let fields = fields! {
        "identNumber": "12345",
        "sex": "female",
        "birthDate": day(TODAY + 2),
        "improvers.share1": 60.0,
        "improvers.share2": 41.0,
        "owner": farm.mine,
        "herd": foreign,
    };
    let codes: Vec<_> = faults(farm.book.create("animals", fields)).into_iter().map(|f| f.1).collect();
    assert_eq!(codes, ["id-format", "birth-in-future", "improver-sum", "foreign-herd"]);
}

#[test]
fn parents_are_others_and_older() {
    let mut farm = farm();
    let bull = farm.animal("400000", "male", TODAY - 3_000);
    let calf = farm.animal("400001", "female", TODAY - 500);
    let cow = farm.cows[0];
    let mut tried = |id: i64, fields| faults(farm.book.update("animals", id, fields));
    assert_eq!(
        tried(calf, fields! { "father": calf }),
        [("father".to_owned(), "self-parent".to_owned()), ("father".to_owned(), "parent-younger".to_owned()),]
    );
    assert_eq!(tried(calf, fields! { "father": bull, "mother": bull }), fault("mother", "self-parent"));
    let other = |path: &str| (path.to_owned(), "parent-wrong-sex".to_owned());
    assert_eq!(tried(calf, fields! { "father": cow, "mother": bull }), [other("father"), other("mother")]);
    assert_eq!(tried(cow, fields! { "mother": calf }), fault("mother", "parent-younger"));
    assert_eq!(tried(calf, fields! { "father": bull, "mother": cow }), []);
    let undated = fields! { "birthDate": Value::Null };
    assert_eq!(tried(calf, undated.clone()), []);
    assert_eq!(tried(cow, undated), []);
    assert_eq!(tried(cow, fields! { "mother": calf }), fault("mother", "pedigree-cycle"));
    let late = fields! { "birthDate": day(TODAY - 400) };
    assert_eq!(tried(calf, late), []);
    assert_eq!(tried(bull, fields! { "birthDate": day(TODAY - 400) }), fault("birthDate", "parent-younger"));
}

#[test]
fn a_batch_that_runs_in_a_circle_is_refused_where_it_does() {
    let mut farm = farm();
    let undated = |n: i64| fields! { "identNumber": format!("70000{n}"), "sex": "female" };
    let [a, b, c] = [1, 2, 3].map(|n| farm.try_animal(undated(n)).unwrap());
    let mother = |id: i64, mother: i64| Command::Update(id, fields! { "mother": mother });
    let batch = vec![mother(a, b), mother(b, a), mother(c, a)];
    let result = farm.book.write("animals", batch);
    let cycle = ("mother".to_owned(), "pedigree-cycle".to_owned());
    assert_eq!(faults(result), [cycle.clone(), cycle]);
}

#[test]
fn reported_lactations_fill_gaps_and_come_back() {
    let mut farm = farm();
    let cow = farm.cows[0];
    let reported = Value::json(json!([{"number": 1, "milk305": 7000.0, "fat305": 4.0}]));
    farm.book.update("animals", cow, fields! { "lactations": reported }).unwrap();
    let first = |farm: &super::Farm| farm.of(cow, "lactations").rows()[0].clone();
    assert_eq!(first(&farm)["origin"], "reported");
    assert_eq!(farm.of(cow, "summary.fatKg"), Value::Num(280.0));

    let calved = fields! { "animal": cow, "date": day(TODAY - 200) };
    let calving = farm.book.create("calvings", calved).unwrap();
    for ago in [150, 100] {
        let test = fields! { "animal": cow, "date": day(TODAY - ago), "milkYield": 20.0 };
        farm.book.create("milk-tests", test).unwrap();
    }
    assert_eq!(first(&farm)["origin"], "computed");
    let mut repeated = farm.of(cow, "lactations").rows().to_vec();
    repeated[0].as_object_mut().unwrap().remove("origin");
    repeated.push(json!({"number": 2, "milk305": 5000.0}));
    let repeated = fields! { "lactations": Value::json(json!(repeated)) };
    farm.book.update("animals", cow, repeated).unwrap();
    assert_eq!(first(&farm)["origin"], "computed");
    assert_eq!(farm.of(cow, "lactations").rows()[1]["origin"], "reported");
    farm.book.delete("calvings", calving).unwrap();
    assert_eq!(first(&farm)["origin"], "reported");
    assert_eq!(first(&farm)["milk305"], json!(7000));

    let written = fields! { "lactations": Value::json(json!([])), "summary.milkYield": 6500.0 };
    farm.book.update("animals", cow, written).unwrap();
    assert_eq!(farm.of(cow, "lactations"), Value::Null);
    assert_eq!(farm.of(cow, "summary.milkYield"), Value::Num(6500.0));
}
