//! A JSON reader that detects repeated members.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What the error of a doubled name begins with.
const MARK: &str = "doubled member ";

/// The first member that occurs twice in one object.
pub(crate) fn doubled(body: &[u8]) -> Option<String> {
    let words = serde_json::from_slice::<Strict>(body).err()?.to_string();
    let name = words.strip_prefix(MARK)?;
    let end = name.rfind(" at line").unwrap_or(name.len());
    name.get(..end).map(str::to_owned)
}

struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_str<E>(self, _: &str) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Strict, A::Error> {
        while seq.next_element::<Strict>()?.is_some() {}
        Ok(Strict)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            // Numbers of any length come as an object of one member of the library's own.
            if name.starts_with("$serde_json::private") {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            map.next_value::<Strict>()?;
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format!("{MARK}{name}")));
            }
        }
        Ok(Strict)
    }
}

#[cfg(test)]
mod tests {
    use super::doubled;

    #[test]
    fn only_names_of_one_object_repeat() {
        assert_eq!(doubled(br#"{"a":1,"b":{"a":2.5},"c":[{"a":null},{"a":"x"}]}"#), None);
        assert_eq!(doubled(br#"{"a":[{"b":1,"b":2}]}"#).as_deref(), Some("b"));
        assert_eq!(doubled(br#"{"a":12345678901234567890123}"#), None);
    }
}
