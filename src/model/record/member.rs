//! Members of JSON objects.

use serde_json::{Map, Value};

/// Members of an object among which one is found by comparing.
const FEW: usize = 12;

/// A member of an object. The objects of a document are small: to compare their names costs less than to hash one.
pub fn member<'d>(object: &'d Map<String, Value>, name: &str) -> Option<&'d Value> {
    if object.len() > FEW {
        return object.get(name);
    }
    let mut members = object.iter();
    members.find(|(n, _)| *n == name).map(|(_, value)| value)
}

/// A member that is a text.
pub fn text<'d>(object: &'d Map<String, Value>, name: &str) -> Option<&'d str> {
    member(object, name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_objects_answer_alike() {
        for count in [0, 1, FEW, FEW + 1, 100] {
            let object: Map<String, Value> = (0..count).map(|n| (n.to_string(), n.into())).collect();
            for n in 0..=count {
                let name = n.to_string();
                assert_eq!(member(&object, &name), object.get(&name), "{n} of {count}");
            }
        }
        let object: Map<String, Value> =
            [("a".to_owned(), "b".into()), ("c".to_owned(), 1.into())].into_iter().collect();
        assert_eq!(["a", "c", "d"].map(|name| text(&object, name)), [Some("b"), None, None]);
    }
}
