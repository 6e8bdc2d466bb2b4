//! Appends members to a rendered document without parsing it.

use serde_json::Value;

/// A document with further members at its end.
pub(crate) fn append<'m>(mut document: Vec<u8>, members: impl IntoIterator<Item = (&'m str, Value)>) -> Vec<u8> {
    if document.last() != Some(&b'}') {
        return document;
    }
    document.pop();
    for (name, value) in members {
        if document.last() != Some(&b'{') {
            document.push(b',');
        }
        let member = format!("{}:{value}", Value::from(name));
        document.extend_from_slice(member.as_bytes());
    }
    document.push(b'}');
    document
}

#[cfg(test)]
mod tests {
    use super::append;
    use serde_json::json;

    #[test]
    fn members_stand_at_the_end() {
        let appended = |doc: &str| {
            let members = [("a\"b", json!("x")), ("n", json!([1]))];
            String::from_utf8(append(doc.into(), members)).unwrap()
        };
        assert_eq!(appended(r#"{"id":1}"#), r#"{"id":1,"a\"b":"x","n":[1]}"#);
        assert_eq!(appended("{}"), r#"{"a\"b":"x","n":[1]}"#);
        assert_eq!(append(b"{\"id\":1}".to_vec(), []), b"{\"id\":1}");
    }
}
