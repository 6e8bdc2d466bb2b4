//! Identification: shapes of numbers, the Interbull form, RFID codes and Latin
//! names.
//!
//! Works on text alone. It must not know whether a number is taken; that is the
//! book's business.

mod latin;

pub use latin::name_latin;

/// Shape of `animals.identNumber` (`animals.idFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdFormat {
    /// 6–15 digits, optionally a point and one or two digits.
    Rf,
    /// Two letters, `RUS`, 12 digits.
    Rus,
    /// Three letters, two or three letters, 8–12 digits.
    Icar,
    /// `HO`, then `USA`, `CAN`, `NLD` or `DNK`, 7–12 digits.
    Usa,
    /// `HOCAN`, 7–12 digits.
    Can,
    /// `DEHOL`, 7 digits.
    Deu,
    /// 1–32 Latin or Cyrillic letters, digits, `. _ -`.
    Internal,
}

impl IdFormat {
    /// All, in the order of the model.
    pub const ALL: [Self; 7] = [
        Self::Rf,
        Self::Rus,
        Self::Icar,
        Self::Usa,
        Self::Can,
        Self::Deu,
        Self::Internal,
    ];

    /// The value of the model.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rf => "rf",
            Self::Rus => "rus",
            Self::Icar => "icar",
            Self::Usa => "usa",
            Self::Can => "can",
            Self::Deu => "deu",
            Self::Internal => "internal",
        }
    }

    /// Reads a value of the model.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == value)
    }

    /// Whether the number has this shape.
    #[must_use]
    pub fn matches(self, number: &str) -> bool {
        match self {
            Self::Rf => {
                let (main, suffix) = number
                    .split_once('.')
                    .map_or((number, None), |(a, b)| (a, Some(b)));
                digits(main, 6, 15) && suffix.is_none_or(|suffix| digits(suffix, 1, 2))
            }
            Self::Rus => after_letters(number, 2)
                .and_then(|rest| rest.strip_prefix("RUS"))
                .is_some_and(|rest| digits(rest, 12, 12)),
            Self::Icar => after_letters(number, 3).is_some_and(|rest| {
                [2, 3].into_iter().any(|country| {
                    after_letters(rest, country).is_some_and(|rest| digits(rest, 8, 12))
                })
            }),
            Self::Usa => number.strip_prefix("HO").is_some_and(|rest| {
                ["USA", "CAN", "NLD", "DNK"]
                    .into_iter()
                    .filter_map(|country| rest.strip_prefix(country))
                    .any(|rest| digits(rest, 7, 12))
            }),
            Self::Can => number
                .strip_prefix("HOCAN")
                .is_some_and(|rest| digits(rest, 7, 12)),
            Self::Deu => number
                .strip_prefix("DEHOL")
                .is_some_and(|rest| digits(rest, 7, 7)),
            Self::Internal => {
                (1..=32).contains(&number.chars().count()) && number.chars().all(internal_char)
            }
        }
    }

    /// The shape in words, for the message of a refused number.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Rf => "6 to 15 digits, optionally a point and one or two digits",
            Self::Rus => "two letters, RUS and 12 digits",
            Self::Icar => "three letters of breed, two or three of country and 8 to 12 digits",
            Self::Usa => "HO, then USA, CAN, NLD or DNK, and 7 to 12 digits",
            Self::Can => "HOCAN and 7 to 12 digits",
            Self::Deu => "DEHOL and 7 digits",
            Self::Internal => "1 to 32 letters, digits, points, hyphens or underscores",
        }
    }
}

fn digits(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The rest after exactly `count` Latin letters, if it begins with that many.
fn after_letters(text: &str, count: usize) -> Option<&str> {
    let (head, rest) = text.split_at_checked(count)?;
    head.bytes()
        .all(|byte| byte.is_ascii_alphabetic())
        .then_some(rest)
}

fn internal_char(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '_' | '-')
        || ('\u{400}'..='\u{4ff}').contains(&c) && c.is_alphabetic()
}

/// What the Interbull form of an animal's number is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passport<'a> {
    /// `breeds.whffCode`, three letters.
    pub whff_code: Option<&'a str>,
    /// Sex at birth.
    pub female: bool,
    /// `identNumber`.
    pub ident_number: &'a str,
    /// Alpha-3 code of the country of the book.
    pub home_country: &'a str,
    /// `altIds.originCountry`, alpha-3.
    pub origin_country: Option<&'a str>,
    /// `altIds.originNumber`.
    pub origin_number: Option<&'a str>,
}

/// `altIds.internationalId`: breed, alpha-3 country of first registration, `M`
/// or `F`, digits filled to twelve with zeros (docs/design/derived.md, *Identification*). An
/// imported animal uses country and number of origin. `None` without a breed code, without digits
/// or with more than twelve.
#[must_use]
pub fn international_id(passport: &Passport<'_>) -> Option<String> {
    let filled = |text: Option<&'_ str>| text.is_some_and(|text| !text.trim().is_empty());
    let (country, number) = match (passport.origin_country, passport.origin_number) {
        (Some(country), Some(number)) if filled(Some(country)) && filled(Some(number)) => {
            (country, number)
        }
        _ => (passport.home_country, passport.ident_number),
    };
    let code = |text: &str| {
        let text = text.trim();
        (text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic()))
            .then(|| text.to_ascii_uppercase())
    };
    let breed = code(passport.whff_code?)?;
    let country = code(country)?;
    let sex = if passport.female { 'F' } else { 'M' };
    let number: String = number.chars().filter(char::is_ascii_digit).collect();
    (1..=12)
        .contains(&number.len())
        .then(|| format!("{breed}{country}{sex}{number:0>12}"))
}

#[cfg(test)]
mod tests {
    use super::{IdFormat, Passport, international_id};
    use test_support::table;

    #[test]
    fn every_format_knows_its_numbers() {
        let cases: [(IdFormat, &[&str], &[&str]); 7] = table![
            IdFormat::Rf, &["123456", "123456789012345", "960001000001.1", "960001000001.12"],
                &["12345", "1234567890123456", "123456.", "123456.123", "12345a", "123456.1.2"];
            IdFormat::Rus, &["HORUS123456789012"], &["HORUS12345678901", "H1RUS123456789012"];
            IdFormat::Icar, &["HOLRU12345678", "HOLRUS123456789012"],
                &["HOLRUS1234567", "HOLR12345678", "HOLRUSA12345678", "HOLRUS1234567890123"];
            IdFormat::Usa, &["HOUSA1234567", "HODNK123456789012"], &["HODEU1234567", "HOUSA123456"];
            IdFormat::Can, &["HOCAN1234567"], &["HOCAN123456", "HOUSA1234567"];
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
        ident_number: "123456789",
        home_country: "RUS",
        origin_country: None,
        origin_number: None,
    };

    #[test]
    fn the_interbull_form() {
        let id = |passport: Passport<'_>| international_id(&passport);
        assert_eq!(id(COW).as_deref(), Some("HOLRUSF000123456789"));
        let bull = Passport {
            female: false,
            origin_country: Some("USA"),
            origin_number: Some("840-0031234567"),
            ..COW
        };
        assert_eq!(id(bull), None, "thirteen digits");
        let bull = Passport {
            origin_number: Some("0031234567"),
            ..bull
        };
        assert_eq!(id(bull).as_deref(), Some("HOLUSAM000031234567"));
        let half = Passport {
            origin_number: None,
            ..bull
        };
        assert_eq!(id(half).as_deref(), Some("HOLRUSM000123456789"));
        assert_eq!(
            id(Passport {
                whff_code: None,
                ..COW
            }),
            None
        );
        assert_eq!(
            id(Passport {
                ident_number: "ANC",
                ..COW
            }),
            None
        );
        assert_eq!(
            id(Passport {
                ident_number: "1234567890123",
                ..COW
            }),
            None
        );
    }
}
