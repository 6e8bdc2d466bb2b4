//! Identifier schemes of animals and locations (docs/design/mappings.md, *Rules of every
//! document*): which numbers are served in which order, and which field a scheme means.

use crate::compile::file::{LocationText, Scheme};
use crate::render::body;
use model::messages::Sentence;
use model::record::Record;
use model::registry::Collection;
use model::said;
use regex::Regex;

impl Scheme {
    /// Whether the scheme is called so.
    pub fn is(&self, name: &str) -> bool {
        self.scheme == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// Whether a text can be a number of this scheme.
    pub fn fits(&self, id: &str) -> bool {
        let shaped = self.shape.as_ref().is_none_or(|shape| shape.is_match(id));
        shaped && self.check.is_none_or(|check| check.holds(id))
    }
}

/// All schemes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identifiers {
    pub animal: Vec<Scheme>,
    /// Scheme of locations: `{p}.orgid`.
    pub location: String,
    pub location_aliases: Vec<String>,
}

/// The scheme whose numbers stand beside the main one where an animal is only referred to.
const INTERNATIONAL: &str = "icar.Interbull";

/// Faults of the file: code and message.
type Wrong = Vec<(&'static str, String)>;

/// The animals of the location.
pub(crate) const HERE: &str = "of this location";
/// The animals that the sender reads.
pub(crate) const READ: &str = "that you read";

impl Identifiers {
    /// Schemes for the declared animals, and what is wrong with them.
    pub(crate) fn build(
        animals: Option<&Collection>,
        texts: &[Scheme],
        location: &LocationText,
        prefix: &str,
    ) -> (Self, Wrong) {
        let mut wrong = Wrong::new();
        let own = |text: &String| text.replace("{p}", prefix);
        let mut names: Vec<String> = Vec::new();
        let mut scheme = |text: &Scheme| {
            let slot = animals.and_then(|a| a.slot(&text.field));
            if slot.is_none() {
                let message = format!("animals has no field {}", text.field);
                wrong.push(("no-such-field", message));
            }
            let aliases: Vec<String> = text.aliases.iter().map(own).collect();
            for name in std::iter::once(own(&text.scheme)).chain(aliases.iter().cloned()) {
                if names.contains(&name) {
                    wrong.push(("declared-twice", format!("{name} names two schemes")));
                }
                names.push(name);
            }
            let whole = text.pattern.as_ref().map(|p| Regex::new(&format!("^(?:{p})$")));
            let shape = match whole.transpose() {
                Ok(shape) => shape,
                Err(why) => {
                    wrong.push(("bad-pattern", why.to_string()));
                    None
                }
            };
            Some(Scheme { scheme: own(&text.scheme), aliases, slot: slot?, shape, ..text.clone() })
        };
        let animal = texts.iter().filter_map(&mut scheme).collect();
        let (location, aliases) = location.parts();
        let built = Self {
            animal,
            location: location.replace("{p}", prefix),
            location_aliases: aliases.iter().map(own).collect(),
        };
        (built, wrong)
    }

    fn scheme(&self, name: &str) -> Option<&Scheme> {
        self.animal.iter().find(|s| s.is(name))
    }

    /// Schemes of animal numbers, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.animal.iter().map(|s| s.scheme.as_str())
    }

    /// The field that a scheme means.
    pub(crate) fn field(&self, scheme: &str) -> Option<&str> {
        self.scheme(scheme).map(|s| s.field.as_str())
    }

    /// Whether locations are named by this scheme.
    pub(crate) fn is_location(&self, scheme: &str) -> bool {
        self.location == scheme || self.location_aliases.iter().any(|alias| alias == scheme)
    }

    /// Why a number cannot be one of a scheme of animals: code and message.
    pub(crate) fn malformed(&self, scheme: &str, id: &str) -> Option<(&'static str, Sentence)> {
        let declared = self.scheme(scheme)?;
        (!declared.fits(id)).then(|| self.unknown(scheme, id, HERE))
    }

    /// Why an identifier names none of the animals that may be meant: code and message. They do not
    /// reveal whether there is such an animal elsewhere.
    pub(crate) fn unknown(&self, scheme: &str, id: &str, among: &'static str) -> (&'static str, Sentence) {
        match self.scheme(scheme) {
            None => {
                let known: Vec<&str> = self.animal.iter().map(|s| s.scheme.as_str()).collect();
                let known = known.join(", ");
                let message = said!(
                    "the scheme {scheme} of the animal {id} is not known here; known are {known}",
                    scheme = scheme,
                    id = id,
                    known = known,
                );
                ("animal-scheme-unknown", message)
            }
            Some(declared) if !declared.fits(id) => {
                let shape = declared.pattern.as_ref();
                let shape = shape.map(|p| said!(", which look like {pattern}", pattern = p.to_string()));
                let check = declared.check.map(|c| said!(", checked by {way}", way = c.name()));
                let message = said!(
                    "{id} is no number of the scheme {scheme}{shape}{check}",
                    id = id,
                    scheme = scheme,
                    shape = shape.unwrap_or_else(Sentence::empty),
                    check = check.unwrap_or_else(Sentence::empty),
                );
                ("identifier-malformed", message)
            }
            Some(_) => (
                "animal-not-found",
                said!(
                    "no animal {among}, or more than one, has the number {id} of the scheme {scheme}",
                    among = Sentence::from(among),
                    id = id,
                    scheme = scheme,
                ),
            ),
        }
    }

    /// Fields of an animal that its main identifier, the pair for references, or all need.
    pub(crate) fn fields(&self, which: Which) -> Vec<&str> {
        self.chosen(which).map(|s| s.field.as_str()).collect()
    }

    fn chosen(&self, which: Which) -> impl Iterator<Item = &Scheme> {
        self.animal.iter().enumerate().filter_map(move |(i, s)| {
            let wanted = match which {
                Which::Main => i == 0,
                Which::Reference => i == 0 || s.scheme == INTERNATIONAL,
                Which::Alternatives => i > 0,
            };
            wanted.then_some(s)
        })
    }

    /// Writes the main identifier.
    pub(crate) fn write_main(&self, animal: &Record, out: &mut Vec<u8>) -> bool {
        (self.animal.first()).is_some_and(|main| one(main, true, animal, out))
    }

    pub(crate) fn write_list(&self, which: Which, animal: &Record, out: &mut Vec<u8>) -> bool {
        body::list(self.chosen(which), out, |scheme, out| {
            let main = self.animal.first().is_some_and(|m| m.slot == scheme.slot);
            one(scheme, main, animal, out)
        })
    }
}

/// Which identifiers of an animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Main,
    /// Main and international number: for animals that a document only refers to.
    Reference,
    Alternatives,
}

/// `plain`: as it is stored in the book; the main number is served even where its form is unusual.
fn one(scheme: &Scheme, plain: bool, animal: &Record, out: &mut Vec<u8>) -> bool {
    let Some(id) = animal.get(scheme.slot).text().filter(|id| !id.is_empty()) else {
        return false;
    };
    if !plain && !scheme.fits(id) {
        return false;
    }
    body::identifier(id, &scheme.scheme, out);
    true
}

#[cfg(test)]
mod tests {
    use super::{Identifiers, Scheme};
    use crate::check::Check;
    use crate::check::{has_luhn_digit, is_transponder};
    use crate::compile::file::LocationText;

    fn text(scheme: &str, field: &str) -> Scheme {
        Scheme { scheme: scheme.to_owned(), field: field.to_owned(), ..Scheme::default() }
    }

    #[test]
    fn an_unknown_animal_is_reported_with_scheme_and_number() {
        let registry = domain::collections::registry().unwrap();
        let animals = registry.get("animals");
        let chip = Scheme {
            aliases: vec!["{p}.rfid".to_owned()],
            pattern: Some("[0-9]{15}".to_owned()),
            check: Some(Check::Iso11784),
            ..text("std.iso.11785", "altIds.chipNumber")
        };
        let all = [text("{p}.animal", "identNumber"), chip];
        let location = LocationText::Name("{p}.orgid".to_owned());
        let (ids, wrong) = Identifiers::build(animals, &all, &location, "a.b");
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(ids.field("a.b.rfid"), Some("altIds.chipNumber"));
        for (scheme, id, code) in [
            ("no.such", "1", "animal-scheme-unknown"),
            ("a.b.animal", "1", "animal-not-found"),
            ("a.b.rfid", "643000000000123", "animal-not-found"),
            ("a.b.rfid", "64300000000012", "identifier-malformed"),
            ("std.iso.11785", "999000000000123", "identifier-malformed"),
            ("std.iso.11785", "6430000000001230", "identifier-malformed"),
        ] {
            let (actual, message) = ids.unknown(scheme, id, super::HERE);
            let message = message.to_string();
            assert_eq!(actual, code, "{scheme} {id}");
            assert!(message.contains(scheme) && message.contains(id), "{message}");
        }
    }

    #[test]
    fn impossible_schemes_are_faults() {
        let registry = domain::collections::registry().unwrap();
        let odd = Scheme { pattern: Some("(".to_owned()), ..text("a", "identNumber") };
        let all = [odd, text("a", "uuid"), text("b", "nothing")];
        let location = LocationText::Name("l".to_owned());
        let (_, wrong) = Identifiers::build(registry.get("animals"), &all, &location, "p");
        let codes: Vec<&str> = wrong.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, ["bad-pattern", "declared-twice", "no-such-field"]);
    }

    #[test]
    fn check_digits_are_those_of_luhn() {
        assert!(has_luhn_digit("79927398713"));
        assert!(!has_luhn_digit("79927398710"));
        assert!(!has_luhn_digit("7992739871x"));
        assert!(!has_luhn_digit("0"));
    }

    #[test]
    fn transponders_are_fifteen_digits_of_a_country_or_maker_within_38_bits() {
        assert!(is_transponder("643000000000123"));
        assert!(is_transponder("982274877906943"));
        assert!(!is_transponder("982274877906944"));
        assert!(!is_transponder("999000000000123"));
        assert!(!is_transponder("64300000000012"));
        assert!(!is_transponder("64300000000012x"));
    }
}
