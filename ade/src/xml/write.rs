//! Values to XML. The form of the value determines everything; no schema is needed.

use super::name::{of_member, of_text};
use super::{BATCH, EMPTY, ITEM, NULL};
use crate::schema::Standard;
use quick_xml::escape::partial_escape;
use serde_json::{Map, Value};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// A resource that does not state its type.
const RESOURCE: &str = "icarResource";
const PAGE: &str = "icarResourceCollection";
const ERRORS: &str = "icarErrorCollection";

/// Writes a body of the standard. `items` names the elements of an array at the top that do not state their type.
#[must_use]
pub fn write(body: &Value, items: &str) -> String {
    let mut out = String::from(DECLARATION);
    match body {
        Value::Array(elements) => around(BATCH, &mut out, |out| {
            for one in elements {
                value(type_of(one).unwrap_or(items), one, out);
            }
        }),
        _ => value(root(body), body, &mut out),
    }
    out
}

fn root(body: &Value) -> &'static str {
    type_of(body).unwrap_or_else(|| {
        if body.get("errors").is_some() {
            ERRORS
        } else if body.get("member").is_some() {
            PAGE
        } else {
            RESOURCE
        }
    })
}

/// The official name of what a document says it is.
fn type_of(value: &Value) -> Option<&'static str> {
    let said = value.get("resourceType")?.as_str()?;
    Standard::get().resource(said).map(|found| found.name)
}

/// A value as one element.
fn value(name: &str, value: &Value, out: &mut String) {
    around(name, out, |out| match value {
        Value::Null => marker(NULL, out),
        Value::Array(elements) if elements.is_empty() => marker(EMPTY, out),
        Value::Array(elements) => elements.iter().for_each(|one| self::value(ITEM, one, out)),
        Value::Object(members) => object(members, out),
        Value::String(text) => self::text(text, out),
        Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    });
}

fn object(members: &Map<String, Value>, out: &mut String) {
    for (name, member) in members {
        let name = of_member(name);
        match member {
            Value::Null => around(NULL, out, |out| out.push_str(&name)),
            Value::Array(elements) if elements.is_empty() => {
                around(EMPTY, out, |out| out.push_str(&name));
            }
            Value::Array(elements) => elements.iter().for_each(|one| value(&name, one, out)),
            _ => value(&name, member, out),
        }
    }
}

fn marker(name: &str, out: &mut String) {
    for part in ["<", name, "/>"] {
        out.push_str(part);
    }
}

fn around(name: &str, out: &mut String, inside: impl FnOnce(&mut String)) {
    for part in ["<", name, ">"] {
        out.push_str(part);
    }
    inside(out);
    for part in ["</", name, ">"] {
        out.push_str(part);
    }
}

fn text(text: &str, out: &mut String) {
    let text = of_text(text);
    // Escapes `>` as well, which must not end a CDATA section, and carriage returns, which would be read as line feeds.
    out.push_str(&partial_escape(text.as_ref()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(value: &Value) -> String {
        let text = write(value, "item");
        text.strip_prefix(DECLARATION).unwrap().to_owned()
    }

    #[test]
    fn roots_are_named_by_what_they_hold() {
        for (value, start) in [
            (json!({"resourceType": "icarWeightEventResource"}), "<icarWeightEventResource>"),
            // A misspelling of the standard's own.
            (json!({"resourceType": "icarReproInsemonationEventResource"}), "<icarReproInseminationEventResource>"),
            (json!({"resourceType": "<script>"}), "<icarResource>"),
            (json!({"view": {}, "member": []}), "<icarResourceCollection>"),
            (json!({"errors": []}), "<icarErrorCollection>"),
            (json!([{"id": "1"}]), "<batch><item><id>1</id>"),
            (json!([]), "<batch></batch>"),
        ] {
            assert!(body(&value).starts_with(start), "{}", body(&value));
        }
    }

    #[test]
    fn each_form_of_value_has_one_notation() {
        let value = json!({
            "n": 1.5, "b": true, "t": "a<b>&\"'\r\n]]>\u{0}", "o": {}, "l": [1, "x"],
            "nested": [[1, 2], [], null, [[3]]], "null": null, "empty": [], "@id": {"": "e"},
        });
        let expected = "<icarResource><n>1.5</n><b>true</b>\
            <t>a&lt;b&gt;&amp;\"'&#13;\n]]&gt;_x0000_</t><o></o><l>1</l><l>x</l>\
            <nested><_item>1</_item><_item>2</_item></nested><nested><_empty/></nested>\
            <nested><_null/></nested><nested><_item><_item>3</_item></_item></nested>\
            <_null>null</_null><_empty>empty</_empty>\
            <_x0040_id><_x_>e</_x_></_x0040_id></icarResource>";
        assert_eq!(body(&value), expected);
    }
}
