//! Paths to a member of a document, and the places of its values.

use model::record::member;

/// Members that the envelope answers for.
pub(crate) const ENVELOPE: [&str; 6] = ["resourceType", "@self", "@type", "@context", "location", "id"];
/// One step into a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Segment {
    pub name: String,
    pub list: Option<Pick>,
}

/// Which element of a list is meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pick {
    /// `name[]`: out one element, in the first that can be read.
    Any,
    /// `name[0]`: the first element, out and in.
    First,
    /// `name[member=VALUE]`: the element with this value.
    Member(String, String),
}

/// `consignment.declarations[].declarationId`, `alternativeIdentifiers[scheme=std.iso.11785]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AdePath(pub Vec<Segment>);

impl AdePath {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let segment = |part: &str| {
            let Some((name, pick)) = part.split_once('[') else {
                return (!part.is_empty()).then(|| Segment { name: part.to_owned(), list: None });
            };
            let pick = pick.strip_suffix(']')?;
            let list = match pick.split_once('=') {
                Some((member, value)) => Pick::Member(member.to_owned(), value.to_owned()),
                None if pick.is_empty() => Pick::Any,
                None if pick == "0" => Pick::First,
                None => return None,
            };
            Some(Segment { name: name.to_owned(), list: Some(list) })
        };
        // A full stop in brackets is part of a value.
        let mut inside = false;
        let dot = |c: char| {
            inside = c == '[' || inside && c != ']';
            c == '.' && !inside
        };
        let parts = text.split(dot);
        parts.map(segment).collect::<Option<_>>().map(Self)
    }

    /// The path as the standard resolves it: elements of lists as `name[]`.
    pub(crate) fn standard(&self) -> String {
        let parts: Vec<String> = (self.0.iter())
            .map(|s| match s.list {
                Some(_) => format!("{}[]", s.name),
                None => s.name.clone(),
            })
            .collect();
        parts.join(".")
    }

    /// Name of the member of the document below which the path lies.
    pub(crate) fn first(&self) -> &str {
        self.0.first().map_or("", |s| s.name.as_str())
    }

    /// The values of a document under this path, with their places.
    pub(crate) fn find<'p, 'd>(
        &'p self,
        doc: &'d serde_json::Value,
    ) -> Vec<(Vec<PathStep<'p>>, &'d serde_json::Value)> {
        // Most members of the standard are absent from a document.
        if there(doc, self.first()).is_none() {
            return Vec::new();
        }
        let mut values = vec![(Vec::with_capacity(self.0.len() + 1), doc)];
        for segment in &self.0 {
            let mut next = Vec::new();
            for (mut places, value) in values {
                let Some(member) = there(value, &segment.name) else {
                    continue;
                };
                places.push(PathStep::Member(&segment.name));
                let Some(pick) = &segment.list else {
                    next.push((places, member));
                    continue;
                };
                for (i, element) in member.as_array().into_iter().flatten().enumerate() {
                    let fits = match pick {
                        Pick::Any => true,
                        Pick::First => i == 0,
                        Pick::Member(name, value) => there(element, name).and_then(|v| v.as_str()) == Some(value),
                    };
                    if fits {
                        let mut places = places.clone();
                        places.push(PathStep::Element(i));
                        next.push((places, element));
                    }
                }
            }
            values = next;
        }
        values
    }

    /// A JSON pointer for messages about an absent member.
    pub(crate) fn pointer(&self) -> String {
        let mut out = String::new();
        for s in &self.0 {
            out.push('/');
            out.push_str(&s.name);
        }
        out
    }
}

/// A member that is there; `null` is none.
fn there<'d>(value: &'d serde_json::Value, name: &str) -> Option<&'d serde_json::Value> {
    member(value.as_object()?, name).filter(|v| !v.is_null())
}

/// A step to a value that is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PathStep<'n> {
    Member(&'n str),
    Element(usize),
}

/// RFC 6901. Member names here are names of the standard: nothing to escape.
pub(crate) fn pointer(places: &[PathStep<'_>]) -> String {
    let mut out = String::new();
    for place in places {
        out.push('/');
        match place {
            PathStep::Member(name) => out.push_str(name),
            PathStep::Element(i) => out.push_str(&i.to_string()),
        }
    }
    out
}
