//! What a client says it needs, read from the body of a match:
//! `{version?, types?: [{name, verbs?, filters?}], schemes?}`.

use super::super::error::{self, Fault, Refusal};
use model::messages::Sentence;
use model::record::json_in;
use model::said;
use serde_json::{Map, Value};

/// Items that one match may ask for.
const MOST: usize = 1_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::ade) struct Needs {
    pub version: Option<String>,
    pub types: Vec<Need>,
    pub schemes: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(in crate::ade) struct Need {
    /// Name of the collection, or resource type.
    pub name: String,
    /// `get`, `post`, `batch`, `push`, `changes`.
    pub verbs: Vec<String>,
    /// Query parameters, or names of their groups.
    pub filters: Vec<String>,
}

/// Reads the body; all faults at once.
pub(in crate::ade) fn read(bytes: &[u8]) -> Result<Needs, Refusal> {
    let doc =
        json_in::parse(bytes).map_err(|faults| Refusal::from(faults.iter().map(Fault::of_json).collect::<Vec<_>>()))?;
    let Some(members) = doc.as_object() else {
        return Err(Fault::new(error::SHAPE, "An object is expected.").into());
    };
    let mut faults = Vec::new();
    let mut needs = Needs::default();
    only_members(members, &["version", "types", "schemes"], "", &mut faults);
    needs.version = members.get("version").and_then(|v| text(v, "/version".to_owned(), &mut faults));
    needs.schemes = texts(members.get("schemes"), "/schemes", &mut faults);
    for (at, one) in list(members.get("types"), "/types", &mut faults) {
        let at = format!("/types/{at}");
        let Some(members) = one.as_object() else {
            faults.push(shape(at, "is no object"));
            continue;
        };
        only_members(members, &["name", "verbs", "filters"], &at, &mut faults);
        let name = match members.get("name") {
            Some(name) => text(name, format!("{at}/name"), &mut faults),
            None => {
                let fault = Fault::new(error::MISSING, "The member name is needed.");
                faults.push(fault.at(format!("{at}/name")));
                None
            }
        };
        let verbs = texts(members.get("verbs"), &format!("{at}/verbs"), &mut faults);
        let filters = texts(members.get("filters"), &format!("{at}/filters"), &mut faults);
        needs.types.extend(name.map(|name| Need { name, verbs, filters }));
    }
    if faults.is_empty() { Ok(needs) } else { Err(faults.into()) }
}

fn shape(at: String, what: &'static str) -> Fault {
    let what = Sentence::from(what);
    Fault::new(error::VALUE, said!("{at} {what}.", at = &at, what = what)).at(at)
}

fn only_members(members: &Map<String, Value>, names: &[&str], at: &str, faults: &mut Vec<Fault>) {
    let unknown = members.keys().filter(|name| !names.contains(&name.as_str()));
    faults.extend(unknown.map(|name| {
        let escaped = name.replace('~', "~0").replace('/', "~1");
        shape(format!("{at}/{escaped}"), "is no member of a match").fine("member-unknown")
    }));
}

fn text(value: &Value, at: String, faults: &mut Vec<Fault>) -> Option<String> {
    let text = value.as_str().map(str::to_owned);
    if text.is_none() {
        faults.push(shape(at, "is no text"));
    }
    text
}

fn list<'v>(
    value: Option<&'v Value>,
    at: &str,
    faults: &mut Vec<Fault>,
) -> std::iter::Enumerate<std::slice::Iter<'v, Value>> {
    let elements: &[Value] = match value {
        None => &[],
        Some(Value::Array(elements)) if elements.len() <= MOST => elements,
        Some(Value::Array(_)) => {
            faults.push(shape(at.to_owned(), "has too many elements"));
            &[]
        }
        Some(_) => {
            faults.push(shape(at.to_owned(), "is no list"));
            &[]
        }
    };
    elements.iter().enumerate()
}

fn texts(value: Option<&Value>, at: &str, faults: &mut Vec<Fault>) -> Vec<String> {
    let mut out = Vec::new();
    for (i, one) in list(value, at, faults) {
        out.extend(text(one, format!("{at}/{i}"), faults));
    }
    out
}
