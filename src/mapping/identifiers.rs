//! Identifier schemes of animals and locations (model, section 7.1): which numbers are
//! served in which order, and which field a scheme means.

use super::body;
use super::file::SchemeText;
use crate::record::Record;
use crate::registry::Collection;

/// A scheme of animal numbers.
#[derive(Debug, Clone)]
pub(crate) struct Scheme {
    pub scheme: String,
    pub field: String,
    slot: usize,
    transponder: bool,
}

/// All schemes.
#[derive(Debug, Clone)]
pub(crate) struct Identifiers {
    animal: Vec<Scheme>,
    /// Scheme of locations: `{p}.orgid`.
    pub location: String,
}

/// The scheme whose numbers stand beside the main one where an animal is only referred to.
const INTERNATIONAL: &str = "icar.Interbull";

impl Identifiers {
    /// Schemes for the declared animals; the second value lists fields that do not exist.
    pub(crate) fn build(
        animals: Option<&Collection>,
        texts: &[SchemeText],
        location: &str,
        prefix: &str,
    ) -> (Self, Vec<String>) {
        let mut missing = Vec::new();
        let mut scheme = |text: &SchemeText| {
            let slot = animals.and_then(|a| a.slot(&text.field));
            if slot.is_none() {
                missing.push(text.field.clone());
            }
            Some(Scheme {
                scheme: text.scheme.replace("{p}", prefix),
                field: text.field.clone(),
                slot: slot?,
                transponder: text.transponder,
            })
        };
        let animal = texts.iter().filter_map(&mut scheme).collect();
        let built = Self {
            animal,
            location: location.replace("{p}", prefix),
        };
        (built, missing)
    }

    /// The field that a scheme means.
    pub(crate) fn field(&self, scheme: &str) -> Option<&str> {
        (self.animal.iter().find(|s| s.scheme == scheme)).map(|s| s.field.as_str())
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
        (self.animal.first()).is_some_and(|main| one(main, animal, out))
    }

    /// Writes a list.
    pub(crate) fn write_list(&self, which: Which, animal: &Record, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        out.push(b'[');
        for scheme in self.chosen(which) {
            let mark = out.len();
            if mark > start + 1 {
                out.push(b',');
            }
            if !one(scheme, animal, out) {
                out.truncate(mark);
            }
        }
        if out.len() == start + 1 {
            out.truncate(start);
            return false;
        }
        out.push(b']');
        true
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

fn one(scheme: &Scheme, animal: &Record, out: &mut Vec<u8>) -> bool {
    let Some(id) = animal.get(scheme.slot).text().filter(|id| !id.is_empty()) else {
        return false;
    };
    if scheme.transponder && !is_transponder(id) {
        return false;
    }
    body::identifier(id, &scheme.scheme, out);
    true
}

/// ISO 11784: 15 digits, a country or manufacturer that is not the test code, a national
/// number that fits 38 bits.
fn is_transponder(id: &str) -> bool {
    let split = (id.len() == 15).then(|| id.split_at_checked(3)).flatten();
    let Some((country, number)) = split else {
        return false;
    };
    let digits = id.bytes().all(|b| b.is_ascii_digit());
    let number = number.parse::<u64>().unwrap_or(u64::MAX);
    digits && country != "000" && country != "999" && number < 1 << 38
}

#[cfg(test)]
mod tests {
    use super::is_transponder;

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
