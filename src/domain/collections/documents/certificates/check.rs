//! The public check of a certificate by its number and code (docs/certificates.md, *Check*): what the
//! paper says, whether it is valid, and where the book differs from it today.

use super::conditions::Form;
use serde_json::{Map, Value as Json, json};

/// The field by which certificates are looked for.
pub const NUMBER: &str = "number";
/// The longest number.
const LONGEST: usize = 40;
/// Letters at the beginning of numbers of the book, digits of the year.
const PREFIX: (&str, usize) = ("RU", 4);

/// Digits behind the year in numbers of the herd book.
const REGISTRATION: usize = 7;
/// The fewest digits behind the year in numbers of requests.
const REQUEST: usize = 3;

/// The certificate that a number names.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// The code on the paper; none: it was issued without one.
    pub code: Option<String>,
    /// The answer to whoever knows the code.
    pub answer: Json,
}

/// The fields of certificates that are read, so that [`certificate`] finds what it needs.
pub fn view() -> Json {
    json!({
        "depth": 2,
        "joins": "false",
        "select": {
            "number": "true", "type": "true", "issuedAt": "true", "publicCode": "true",
            "snapshot": "true", "revoked": "true", "animal": "true",
        },
        "populate": {
            "animals": {
                "identNumber": "true", "name": "true", "sex": "true", "birthDate": "true",
                "breed": "true", "owner": "true",
            },
            "breeds": {"name": "true", "nameEnglish": "true"},
            "organizations": {"name": "true"},
        },
    })
}

/// Numbers that a written number may mean, the literal one first; none: no certificate can have it.
/// In numbers of the book, case, spaces and dashes do not matter.
pub fn numbers(written: &str) -> Vec<String> {
    let written = written.trim();
    let long = written.chars().count() > LONGEST;
    if written.is_empty() || long || written.chars().any(char::is_control) {
        return Vec::new();
    }
    let mut all = vec![written.to_owned()];
    let plain = plain(written);
    let (letters, year) = PREFIX;
    let digits =
        plain.strip_prefix(letters).filter(|rest| rest.len() > year && rest.bytes().all(|b| b.is_ascii_digit()));
    if let Some((year, count)) = digits.and_then(|digits| digits.split_at_checked(year)) {
        let own = format!("{letters}-{year}-{count}");
        if own != written {
            all.push(own);
        }
    }
    all
}

/// Whether a number has the form of those that the server gives, however it is written: certificates
/// (`RU-2026-0001`), requests (`В-2026-001`, also with the Latin letter), records of the herd book
/// (`A-2026-0000001`). Farms do not give such numbers, which would be taken for the Association's.
pub(in crate::collections::documents) fn is_server_number(written: &str) -> bool {
    let plain = written.chars().filter(|c| c.is_alphanumeric());
    let plain: String = plain.flat_map(char::to_uppercase).collect();
    let digits = plain.trim_start_matches(|c: char| !c.is_ascii_digit());
    let letters = plain.strip_suffix(digits).unwrap_or_default();
    if letters.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let (certificate, year) = PREFIX;
    let count = digits.len().saturating_sub(year);
    match letters {
        _ if count == REGISTRATION => true,
        letters if letters == certificate => count > 0,
        "В" | "B" => count >= REQUEST,
        _ => false,
    }
}

/// A code without what does not matter in it: case, spaces, dashes.
pub fn plain(code: &str) -> String {
    let dash = |c: char| matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    (code.chars()).filter(|c| !c.is_whitespace() && !dash(*c)).flat_map(char::to_uppercase).collect()
}

/// The certificate among documents that have one of these numbers; the first number goes first.
/// Drafts and documents of other types are none.
pub fn certificate(docs: &[Json], numbers: &[String]) -> Option<Certificate> {
    let issued = |doc: &&Json| {
        let form = text(doc, "/type").and_then(Form::of);
        form.is_some() && text(doc, "/issuedAt").is_some()
    };
    let of = |number: &String| {
        let mut all = docs.iter().filter(issued);
        all.find(|doc| text(doc, "/number") == Some(number))
    };
    let doc = numbers.iter().find_map(of)?;
    Some(Certificate { code: text(doc, "/publicCode").map(str::to_owned), answer: answer(doc) })
}

fn text<'d>(doc: &'d Json, place: &str) -> Option<&'d str> {
    doc.pointer(place).and_then(Json::as_str)
}

/// What is compared: its name, where it stands on the paper, and where in the book.
const COMPARED: [(&str, &str, &str); 6] = [
    ("identNumber", "/snapshot/animal/identNumber", "/animal/identNumber"),
    ("name", "/snapshot/animal/name", "/animal/name"),
    ("sex", "/snapshot/animal/sex", "/animal/sex"),
    ("birthDate", "/snapshot/animal/birthDate", "/animal/birthDate"),
    ("breed", "/snapshot/animal/breed", "/animal/breed/name"),
    ("owner", "/snapshot/owner", "/animal/owner/name"),
];

/// The answer: document, validity, what stands on the paper, and what differs in the book.
fn answer(doc: &Json) -> Json {
    let revoked = text(doc, "/revoked/at").map(|at| json!({"at": at, "reason": text(doc, "/revoked/reason")}));
    let day = |text: &str| text.chars().take(10).collect::<String>();
    let has_snapshot = doc.get("snapshot").is_some_and(Json::is_object);
    let book = doc.get("animal").is_some_and(Json::is_object);
    let mut paper = Map::new();
    let mut differences = Vec::new();
    for (name, on_paper, in_book) in COMPARED {
        let value = |place: &str| match name {
            "birthDate" => text(doc, place).map(day),
            _ => text(doc, place).map(str::to_owned),
        };
        let english = |place: &str| text(doc, &format!("{place}English")).map(Json::from);
        let (before, now) = (value(on_paper), value(in_book));
        if let Some(before) = &before {
            paper.insert(name.to_owned(), json!(before));
            paper.extend(english(on_paper).map(|word| (format!("{name}English"), word)));
        }
        if has_snapshot && book && before != now {
            let members = [("field", json!(name)), ("paper", json!(before)), ("book", json!(now))];
            let words = [("paperEnglish", english(on_paper)), ("bookEnglish", english(in_book))];
            let words = words.into_iter().filter_map(|(name, word)| Some((name, word?)));
            let members = members.into_iter().chain(words).map(|(name, value)| (name.to_owned(), value));
            differences.push(Json::Object(members.collect()));
        }
    }
    json!({
        "number": text(doc, "/number"),
        "type": text(doc, "/type"),
        "issuedAt": text(doc, "/issuedAt").map(day),
        "valid": revoked.is_none(),
        "revoked": revoked,
        "paper": has_snapshot.then_some(Json::Object(paper)),
        "inBook": book,
        "differences": differences,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_book_are_found_however_they_are_written() {
        let book = "RU-2026-0001";
        for written in ["ru-2026-0001", "RU 2026 0001", "ru20260001", "RU–2026–0001"] {
            assert_eq!(numbers(written), [written, book], "{written}");
        }
        assert_eq!(numbers(&format!(" {book} ")), [book]);
        assert_eq!(numbers("A 17"), ["A 17"]);
        assert_eq!(numbers("RU-2026"), ["RU-2026"]);
        for none in ["", " ", "RU\0", "a\nb", &"1".repeat(41)] {
            assert!(numbers(none).is_empty(), "{none:?}");
        }
    }

    #[test]
    fn numbers_of_the_server_are_known_however_they_are_written() {
        for own in [
            "RU-2026-0006",
            "ru-2026-0006",
            " RU 2026 0006 ",
            "ru20260006",
            "RU–2026–6",
            "Ru/2026/00006",
            "RU\u{200b}-2026-0006",
            "В-2026-001",
            "в 2026 001",
            "B-2026-0012",
            "A-2026-0000001",
            "а-2026-0000001",
        ] {
            assert!(is_server_number(own), "{own:?}");
        }
        for other in ["", "RU", "RU-2026", "A-17", "ДП-2026-001", "000123", "2026-0006", "RU-2026-0006-A", "В-2026-1"]
        {
            assert!(!is_server_number(other), "{other:?}");
        }
    }

    #[test]
    fn an_animal_that_is_gone_is_not_in_the_book_and_does_not_differ() {
        let animal =
            json!({"identNumber": "1", "name": "Zorka", "sex": "female", "birthDate": "2020-01-02", "breed": "B"});
        let doc = json!({
            "number": "RU-2026-0001", "type": "pedigreeCertificate", "issuedAt": "2026-03-01T00:00:00.000Z",
            "publicCode": "ACDE2346", "revoked": {"at": null, "reason": null},
            "snapshot": {"animal": animal, "owner": "Alpha"}, "animal": null,
        });
        let answer = certificate(&[doc], &["RU-2026-0001".to_owned()]).unwrap().answer;
        assert_eq!((&answer["inBook"], &answer["differences"]), (&json!(false), &json!([])));
    }

    #[test]
    fn words_for_readers_of_english_stand_beside_the_others() {
        let doc = json!({
            "number": "RU-2026-0001", "type": "pedigreeCertificate", "issuedAt": "2026-03-01T00:00:00.000Z",
            "publicCode": "ACDE2346", "revoked": {"at": null, "reason": null},
            "snapshot": {"animal": {"breed": "B", "breedEnglish": "Black"}},
            "animal": {"breed": {"name": "R", "nameEnglish": "Red"}},
        });
        let answer = certificate(&[doc], &["RU-2026-0001".to_owned()]).unwrap().answer;
        assert_eq!(answer["paper"]["breedEnglish"], "Black");
        let breed = json!({"field": "breed", "paper": "B", "book": "R", "paperEnglish": "Black", "bookEnglish": "Red"});
        assert_eq!(answer["differences"], json!([breed]));
    }
}
