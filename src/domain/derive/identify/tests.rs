//! Numbers as published and as people write them.

use super::{IdFormat, Passport, bull_code, interbull, international_id, spellings, without_decimals};
use test_support::table;

#[test]
fn every_format_knows_its_numbers() {
    let cases: [(IdFormat, &[&str], &[&str]); 7] = table![
        IdFormat::Rf, &["123456", "123456789012345", "960001000001.1", "960001000001.12"],
            &["12345", "1234567890123456", "123456.", "123456.123", "12345a", "123456.1.2"];
        IdFormat::Rus, &["HORUS123456789012"], &["HORUS12345678901", "H1RUS123456789012"];
        IdFormat::Icar, &["HOLRU12345678", "HOLRUS123456789012", "HOLCANM000000A12345", "HOLAUSH00930377"],
            &["HOLRUS1234567", "HOLR12345678", "HOLRUS1234567890123", "HOLCANABCDEFGH", "HOLCAN0000-12345"];
        IdFormat::Usa, &["HOUSA1234567", "HODNK123456789012", "HOUSAM2265005", "HOUSA000000A12345"],
            &["HODEU1234567", "HOUSA123456", "HOUSAX123456789012"];
        IdFormat::Can, &["HOCAN1234567", "HOCANM10705608", "HOCAN0A12345"], &["HOCAN123456", "HOUSA1234567"];
        IdFormat::Deu, &["DEHOL1234567"], &["DEHOL12345678", "DEHOL123456"];
        IdFormat::Internal, &["A", "ANC-0001", "Ёлка_1.2"], &["", "a b", "naïve", "№1"];
    ];
    for (format, good, bad) in cases {
        for number in good {
            assert!(format.matches(number), "{format:?} {number}");
        }
        for number in bad {
            assert!(!format.matches(number), "{format:?} {number}");
        }
        assert_eq!(IdFormat::parse(format.as_str()), Some(format));
    }
    assert!(!IdFormat::Internal.matches(&"x".repeat(33)));
    assert!(!IdFormat::Rus.matches("Ёж"));
}

const COW: Passport<'static> = Passport {
    whff_code: Some("HOL"),
    female: true,
    format: IdFormat::Rf,
    ident_number: "123456789",
    origin_country: None,
    origin_number: None,
};

/// Published numbers (docs/derived.md, *Identifiers*), and the forms in which the same bull is
/// written.
#[test]
fn published_interbull_numbers_keep_their_letters() {
    let of_origin: [(&str, &str, &str); 16] = table![
        "CAN", "A12345", "HOLCANM000000A12345";
        "AUS", "H00930377", "HOLAUSM000H00930377";
        "JPN", "5H57003", "HOLJPNM000005H57003";
        "CAN", "352790", "HOLCANM000000352790";
        "CAN", "HOCANM5279989", "HOLCANM000005279989";
        "CAN", "HOLCANM000006026421", "HOLCANM000006026421";
        "USA", "2265005", "HOLUSAM000002265005";
        "USA", "HOUSA17349617", "HOLUSAM000017349617";
        "USA", "USAM123066734", "HOLUSAM000123066734";
        "DEU", "253642", "HOLDEUM000000253642";
        "DEU", "DE 01 23456789", "HOLDEUM000123456789";
        "GBR", "598172", "HOLGBRM000000598172";
        "ITA", "IT 006001001962", "HOLITAM006001001962";
        "DNK", "dk-00245678", "HOLDNKM000000245678";
        "CAN", "a 12345", "HOLCANM000000A12345";
        "CAN", "M12345", "HOLCANM000000M12345";
    ];
    for (country, number, expected) in of_origin {
        let bull = Passport { female: false, origin_country: Some(country), origin_number: Some(number), ..COW };
        assert_eq!(international_id(&bull).as_deref(), Some(expected), "{country} {number}");
    }
    let of_number: [(IdFormat, &str, Option<&str>); 13] = table![
        IdFormat::Usa, "HOUSAM2265005", Some("HOLUSAM000002265005");
        IdFormat::Usa, "HOUSA000002265005", Some("HOLUSAM000002265005");
        IdFormat::Usa, "HOCAN0A12345", Some("HOLCANM000000A12345");
        IdFormat::Can, "HOCANM5279989", Some("HOLCANM000005279989");
        IdFormat::Can, "HOCAN0A12345", Some("HOLCANM000000A12345");
        IdFormat::Icar, "HOLCANM000000A12345", Some("HOLCANM000000A12345");
        IdFormat::Icar, "HOLAUSH00930377", Some("HOLAUSM000H00930377");
        IdFormat::Icar, "HOLRU12345678", None;
        IdFormat::Rus, "HORUS123456789012", Some("HOLRUSM123456789012");
        IdFormat::Deu, "DEHOL1234567", Some("HOLDEUM000001234567");
        IdFormat::Rf, "643000000123", Some("HOLRUSM643000000123");
        IdFormat::Internal, "B-77", Some("HOLRUSM000000000B77");
        IdFormat::Internal, "Ёлка_1", None;
    ];
    for (format, ident_number, expected) in of_number {
        let bull = Passport { female: false, format, ident_number, ..COW };
        assert_eq!(international_id(&bull).as_deref(), expected, "{ident_number}");
    }
}

/// What is written, and the number of the book that it is; none: of none of them.
#[test]
fn a_number_is_found_in_every_spelling() {
    const CHIP: &str = "643096002000077";
    const TAG: &str = "RU10001V16D";
    const MAIN: &str = "960002000077";
    let cases: [(&str, &str, bool); 40] = table![
        "960002000077", MAIN, true;
        " 960002000077 ", MAIN, true;
        "960 002 000 077", MAIN, true;
        "960\u{a0}002\u{a0}000\u{a0}077", MAIN, true;
        "960002000077.0", MAIN, true;
        "960002000077,0", MAIN, true;
        "960002000077,00", MAIN, true;
        "960 002 000 077,00", MAIN, true;
        "=\"960002000077\"", MAIN, true;
        "'960002000077", MAIN, true;
        "№960002000077", MAIN, true;
        "№ 960002000077", MAIN, true;
        "960-002-000-077", MAIN, true;
        "960.002.000.077", MAIN, true;
        "RU960002000077", MAIN, true;
        "960002000077.1", MAIN, false;
        "9600020000770", MAIN, false;
        "0960002000077", MAIN, false;
        "9.60002E+11", MAIN, false;
        "203,00", "203", true;
        "203.0", "203", true;
        "203", "0203", false;
        "0203", "203", false;
        "203,50", "203", false;
        "203000", "203", false;
        "643 096002000077", CHIP, true;
        "643-096002000077", CHIP, true;
        "643.096002000077", CHIP, true;
        "0643096002000077", CHIP, true;
        "RU 096002000077", CHIP, true;
        "RUS096002000077", CHIP, true;
        "643096002000077", "643 096002000077", true;
        "1643096002000077", CHIP, false;
        "RU 10001V16D", TAG, true;
        "ru-10001v16d", TAG, true;
        "10001v16d", "10001V16D", true;
        "7HO14454", "007HO14454", true;
        "holrusf960002000077", "HOLRUSF960002000077", true;
        "B-77", "B77", false;
        "anc-0001", "ANC0001", true;
    ];
    for (written, stored, matches) in cases {
        let all = spellings(written);
        assert_eq!(all.iter().any(|one| one == stored), matches, "{written}: {all:?}");
    }
    assert_eq!(spellings(" \t"), Vec::<String>::new());
    assert_eq!(spellings("960002000077"), ["960002000077"]);
    assert_eq!(without_decimals("960001000001.1"), None);
    assert_eq!(without_decimals("1,000"), None);
    assert_eq!(without_decimals("A1.0"), None);
}

#[test]
fn numbers_have_one_spelling() {
    let codes: [(&str, Option<&str>); 9] = table![
        "7HO14454", Some("007HO14454");
        "007HO14454", Some("007HO14454");
        " 7 ho 14454", Some("007HO14454");
        "250HO579", Some("250HO00579");
        "29HO-12345", Some("029HO12345");
        "HO14454", None;
        "7H14454", None;
        "7HO144545", None;
        "Дельта 7", None;
    ];
    for (text, expected) in codes {
        assert_eq!(bull_code(text).as_deref(), expected, "{text}");
    }
    let numbers: [(&str, Option<&str>); 6] = table![
        "HOLCANM000000A12345", Some("HOLCANM000000A12345");
        "holcanma12345", Some("HOLCANM000000A12345");
        "HOL840M003014467478", Some("HOL840M003014467478");
        "HOL CAN M 12345", Some("HOLCANM000000012345");
        "HOLCANX12345", None;
        "somewhere", None;
    ];
    for (text, expected) in numbers {
        assert_eq!(interbull(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn the_interbull_form() {
    let id = |passport: Passport<'_>| international_id(&passport);
    assert_eq!(id(COW).as_deref(), Some("HOLRUSF000123456789"));
    let bull = Passport { female: false, origin_country: Some("USA"), origin_number: Some("840-0031234567"), ..COW };
    assert_eq!(id(bull), None, "thirteen digits");
    let bull = Passport { origin_number: Some("0031234567"), ..bull };
    assert_eq!(id(bull).as_deref(), Some("HOLUSAM000031234567"));
    let half = Passport { origin_number: None, ..bull };
    assert_eq!(id(half).as_deref(), Some("HOLRUSM000123456789"));
    assert_eq!(id(Passport { whff_code: None, ..COW }), None);
    assert_eq!(id(Passport { ident_number: "ANC", ..COW }), None);
    assert_eq!(id(Passport { ident_number: "1234567890123", ..COW }), None);
}
