//! Identification: shapes of numbers, the Interbull form, codes of bulls, and Latin names.
//!
//! Works on text alone. It must not know whether a number is taken; that is the
//! book's business.

mod latin;

pub use latin::name_latin;
use std::collections::BTreeSet;

/// Shape of `animals.identNumber` (`animals.idFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdFormat {
    /// 6–15 digits, optionally a point and one or two digits.
    Rf,
    /// Two letters, `RUS`, 12 digits.
    Rus,
    /// Three letters of breed, three of country, 8–12 letters and digits; or two of country, 8–12 digits.
    Icar,
    /// `HO`, then `USA`, `CAN`, `NLD` or `DNK`, 7–12 letters and digits.
    Usa,
    /// `HOCAN`, 7–12 letters and digits.
    Can,
    /// `DEHOL`, 7 digits.
    Deu,
    /// 1–32 Latin or Cyrillic letters, digits, `. _ -`.
    Internal,
}

impl IdFormat {
    /// All, in the order of the model.
    pub const ALL: [Self; 7] = [Self::Rf, Self::Rus, Self::Icar, Self::Usa, Self::Can, Self::Deu, Self::Internal];

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
        Self::ALL.into_iter().find(|format| format.as_str() == value)
    }

    /// Whether the number has this shape.
    #[must_use]
    pub fn matches(self, number: &str) -> bool {
        match self {
            Self::Rf => {
                let (main, suffix) = number.split_once('.').map_or((number, None), |(a, b)| (a, Some(b)));
                digits(main, 6, 15) && suffix.is_none_or(|suffix| digits(suffix, 1, 2))
            }
            Self::Rus => after_letters(number, 2)
                .and_then(|rest| rest.strip_prefix("RUS"))
                .is_some_and(|rest| digits(rest, 12, 12)),
            Self::Icar => after_letters(number, 3).is_some_and(|rest| {
                after_letters(rest, 3).is_some_and(|rest| national(rest, 8))
                    || after_letters(rest, 2).is_some_and(|rest| digits(rest, 8, 12))
            }),
            Self::Usa => number.strip_prefix("HO").is_some_and(|rest| {
                ["USA", "CAN", "NLD", "DNK"]
                    .into_iter()
                    .filter_map(|country| rest.strip_prefix(country))
                    .any(|rest| national(rest, 7))
            }),
            Self::Can => number.strip_prefix("HOCAN").is_some_and(|rest| national(rest, 7)),
            Self::Deu => number.strip_prefix("DEHOL").is_some_and(|rest| digits(rest, 7, 7)),
            Self::Internal => (1..=32).contains(&number.chars().count()) && number.chars().all(internal_char),
        }
    }

    /// The shape in words, for the message of a refused number.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Rf => "6 to 15 digits, optionally a point and one or two digits",
            Self::Rus => "two letters, RUS and 12 digits",
            Self::Icar => "three letters of breed, two or three of country and 8 to 12 digits or letters",
            Self::Usa => "HO, then USA, CAN, NLD or DNK, and 7 to 12 digits or letters",
            Self::Can => "HOCAN and 7 to 12 digits or letters",
            Self::Deu => "DEHOL and 7 digits",
            Self::Internal => "1 to 32 letters, digits, points, hyphens or underscores",
        }
    }
}

fn digits(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is a number in a herd book, of at most twelve letters and digits, perhaps behind a
/// mark of sex.
fn national(text: &str, least: usize) -> bool {
    let number = unmarked(text);
    (least..=LENGTH).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && number.bytes().any(|byte| byte.is_ascii_digit())
}

/// A number without the `M` or `F` of the sex before it (`HOCANM10705608`). Where both could be
/// meant, the letter belongs to the number.
fn unmarked(text: &str) -> &str {
    let rest = text.strip_prefix(['M', 'F', 'm', 'f']);
    let marked = |rest: &&str| rest.len() == LENGTH || digits(rest, 7, LENGTH);
    rest.filter(marked).unwrap_or(text)
}

/// The rest after exactly `count` Latin letters, if it begins with that many.
fn after_letters(text: &str, count: usize) -> Option<&str> {
    let (head, rest) = text.split_at_checked(count)?;
    head.bytes().all(|byte| byte.is_ascii_alphabetic()).then_some(rest)
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
    /// `idFormat`.
    pub format: IdFormat,
    /// `identNumber`.
    pub ident_number: &'a str,
    /// `altIds.originCountry`, alpha-3.
    pub origin_country: Option<&'a str>,
    /// `altIds.originNumber`.
    pub origin_number: Option<&'a str>,
}

/// The country whose book this is: numbers that name no other are its own.
const HOME: &str = "RUS";
/// Characters of a number in the Interbull form.
const LENGTH: usize = 12;

/// `altIds.internationalId`: breed, alpha-3 country of first registration, `M` or `F`, and the
/// number there, twelve letters and digits, filled with zeros on the left (docs/derived.md,
/// *Identifiers*). An imported animal uses country and number of origin. `None` without a breed
/// code, without a digit, or with more than twelve characters.
#[must_use]
pub fn international_id(passport: &Passport<'_>) -> Option<String> {
    let filled = |text: Option<&'_ str>| text.is_some_and(|text| !text.trim().is_empty());
    let (country, number) = match (passport.origin_country, passport.origin_number) {
        (Some(country), Some(number)) if filled(Some(country)) && filled(Some(number)) => {
            let country = country.trim().to_ascii_uppercase();
            let number = unprefixed(&plain(number)?, &country).to_owned();
            (country, number)
        }
        _ => {
            let (country, number) = country_and_number(passport.format, passport.ident_number)?;
            (country.to_ascii_uppercase(), plain(number)?)
        }
    };
    let code = |text: &str| {
        let text = text.trim();
        (text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic())).then(|| text.to_ascii_uppercase())
    };
    let breed = code(passport.whff_code?)?;
    let country = code(&country)?;
    let sex = if passport.female { 'F' } else { 'M' };
    let number = number.as_str();
    ((1..=LENGTH).contains(&number.len()) && number.bytes().any(|byte| byte.is_ascii_digit()))
        .then(|| format!("{breed}{country}{sex}{number:0>12}"))
}

/// The country that a main number names, and the number in its book; none where it names a country
/// in two letters.
fn country_and_number(format: IdFormat, number: &str) -> Option<(&str, &str)> {
    let (country, number) = match format {
        IdFormat::Rf | IdFormat::Internal => return Some((HOME, number)),
        IdFormat::Icar => number.split_at_checked(3)?.1.split_at_checked(3)?,
        IdFormat::Rus | IdFormat::Usa | IdFormat::Can => number.split_at_checked(2)?.1.split_at_checked(3)?,
        IdFormat::Deu => ("DEU", number.split_at_checked(5)?.1),
    };
    Some((country, unmarked(number)))
}

/// Letters and digits in capitals, without what separates them; none with letters of another
/// alphabet, which would be lost.
fn plain(number: &str) -> Option<String> {
    let is_letter = |c: &char| c.is_alphanumeric();
    (number.chars().filter(is_letter)).map(|c| c.is_ascii().then(|| c.to_ascii_uppercase())).collect()
}

/// A national number without the breed, country and sex that may be written before it (`HOCANM…`,
/// `CAN…`), or the country's two letters before eight digits and more (`DE…`).
fn unprefixed<'n>(number: &'n str, country: &str) -> &'n str {
    let after = |breed: usize| after_letters(number, breed)?.strip_prefix(country);
    if let Some(rest) = [0, 2, 3].into_iter().find_map(after).filter(|rest| !rest.is_empty()) {
        return unmarked(rest);
    }
    let short = number.strip_prefix(alpha2(country));
    short.filter(|rest| digits(rest, 8, LENGTH)).unwrap_or(number)
}

/// Alpha-2 code of a country of cattle; of most it begins the alpha-3 code.
fn alpha2(country: &str) -> &str {
    match country {
        "AUT" => "AT",
        "BLR" => "BY",
        "CHN" => "CN",
        "DNK" => "DK",
        "EST" => "EE",
        "IRL" => "IE",
        "ISR" => "IL",
        "KAZ" => "KZ",
        "MEX" => "MX",
        "POL" => "PL",
        "PRT" => "PT",
        "SRB" => "RS",
        "SVK" => "SK",
        "SVN" => "SI",
        "SWE" => "SE",
        "TUR" => "TR",
        "UKR" => "UA",
        "URY" => "UY",
        other => other.get(..2).unwrap_or(other),
    }
}

/// An Interbull number in its full length and in capitals: breed, country, sex, and twelve letters
/// and digits. Countries that number by ISO 3166 (`840`) are written so. None for other texts.
#[must_use]
pub fn interbull(text: &str) -> Option<String> {
    let text = plain(text)?;
    let (breed, rest) = text.split_at_checked(3)?;
    let (country, rest) = rest.split_at_checked(3)?;
    let (sex, number) = rest.split_at_checked(1)?;
    let good = breed.bytes().all(|byte| byte.is_ascii_alphabetic())
        && matches!(sex, "M" | "F")
        && (1..=LENGTH).contains(&number.len())
        && number.bytes().any(|byte| byte.is_ascii_digit());
    good.then(|| format!("{breed}{country}{sex}{number:0>12}"))
}

/// The code of a bull by the National Association of Animal Breeders, whose leading zeros and
/// blanks may be left out: three digits of the stud, two letters of breed, five digits of the bull.
/// None for other texts.
#[must_use]
pub fn bull_code(text: &str) -> Option<String> {
    let text = plain(text)?;
    let letters = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (stud, rest) = text.split_at_checked(letters)?;
    let (breed, bull) = rest.split_at_checked(2)?;
    let good = digits(stud, 1, 3) && breed.bytes().all(|byte| byte.is_ascii_alphabetic()) && digits(bull, 1, 5);
    good.then(|| format!("{stud:0>3}{breed}{bull:0>5}"))
}

/// The country code of ISO 3166-1 of this book's country, with which its transponders begin.
const HOME_NUMERIC: &str = "643";
/// Digits of a transponder's number (ISO 11784): country or maker, and its own number.
const TRANSPONDER: usize = 15;

/// The texts that a number of an animal may be stored as, the one that was written first: without
/// what a spreadsheet adds, without separators, in capitals, and each scheme in its one spelling.
#[must_use]
pub fn spellings(text: &str) -> Vec<String> {
    let written = text.trim();
    let bare = (written.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')))
        .unwrap_or_else(|| written.trim_start_matches(['\'', '№', '#']))
        .trim();
    let number = without_decimals(bare).unwrap_or(bare);
    let joined = joined(number);
    let capitals = joined.to_uppercase();
    let mut all = vec![written.to_owned(), bare.to_owned(), number.to_owned(), joined, capitals.clone()];
    let of_home = (capitals.strip_prefix(HOME))
        .or_else(|| capitals.strip_prefix(alpha2(HOME)))
        .filter(|rest| rest.bytes().any(|byte| byte.is_ascii_digit()));
    let transponder = match of_home {
        Some(rest) if digits(rest, LENGTH, LENGTH) => Some(format!("{HOME_NUMERIC}{rest}")),
        _ if digits(&capitals, TRANSPONDER, TRANSPONDER) => Some(capitals.clone()),
        // Readers write the number of retaggings before it.
        _ if digits(&capitals, TRANSPONDER + 1, TRANSPONDER + 1) => capitals.strip_prefix('0').map(str::to_owned),
        _ => None,
    };
    // As it is printed: the country apart.
    let printed = (transponder.as_deref())
        .and_then(|number| number.split_at_checked(3))
        .map(|(country, rest)| format!("{country} {rest}"));
    all.extend(transponder);
    all.extend(printed);
    all.extend(of_home.map(str::to_owned));
    all.extend(interbull(bare));
    all.extend(bull_code(bare));
    let mut distinct = BTreeSet::new();
    all.retain(|one| !one.is_empty() && distinct.insert(one.clone()));
    all
}

/// A number of digits without the zeros behind a point or comma (`203,00`) that a spreadsheet
/// writes where it takes a number for an amount; none for other texts.
#[must_use]
pub fn without_decimals(number: &str) -> Option<&str> {
    let (main, zeros) = number.trim().rsplit_once(['.', ','])?;
    let main = main.trim();
    let counts = main.chars().all(|c| c.is_ascii_digit() || c.is_whitespace());
    (matches!(zeros, "0" | "00") && counts && !main.is_empty()).then_some(main)
}

/// A number without blanks, and without points and hyphens before three characters and more:
/// `960001000001.1` and `B-77` are numbers of their own.
fn joined(number: &str) -> String {
    let separates = |c: char| matches!(c, '.' | '-' | '\u{2010}'..='\u{2015}');
    let number: String = number.chars().filter(|c| !c.is_whitespace()).collect();
    let mut joined = String::with_capacity(number.len());
    let mut parts = number.split_inclusive(separates).peekable();
    while let Some(part) = parts.next() {
        let next = parts.peek().map_or(0, |next| next.trim_end_matches(separates).chars().count());
        joined.push_str(match next >= 3 {
            true => part.trim_end_matches(separates),
            false => part,
        });
    }
    joined
}

#[cfg(test)]
mod tests;
