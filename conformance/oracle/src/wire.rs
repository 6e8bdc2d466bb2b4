//! Pages as they came over the wire.

use crate::profile::{Identity, Profile};
use crate::time;
use crate::violation::{Kind, Violation};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The header that asks a client to begin anew.
pub const FULL_SYNC: &str = "icar-full-sync";

/// What a client requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The token, unless from the beginning.
    pub since: Option<String>,
    /// At most so many resources, if the client set a limit.
    pub limit: Option<usize>,
}

/// What a server answered to a call of `changes`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Whether it says `icar-full-sync: true`.
    pub full_sync: bool,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

impl Answer {
    /// From status, headers and body.
    pub fn new<'h>(
        status: u16,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        let full_sync = headers
            .into_iter()
            .any(|(name, value)| name.eq_ignore_ascii_case(FULL_SYNC) && value.trim().eq_ignore_ascii_case("true"));
        Self { status, full_sync, body: body.into() }
    }
}

/// The identity of a resource. Cheap to copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<[String; 4]>);

impl Key {
    /// Type, location (`scheme/id`, empty where it does not count), source, source id.
    #[must_use]
    pub fn parts(&self) -> &[String; 4] {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kind, location, source, id] = &*self.0;
        write!(f, "{kind} {source} {id}")?;
        if !location.is_empty() {
            write!(f, " at {location}")?;
        }
        Ok(())
    }
}

/// The parts of a state of a resource that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// `meta.modified` in nanoseconds since 1970; deletions may lack it.
    pub modified: Option<i128>,
    /// Whether it is a tombstone.
    pub deleted: bool,
    /// Of the content ([`fingerprint`]); 0 for all tombstones, whose content is not defined.
    pub print: u128,
}

/// A resource of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its identity.
    pub key: Key,
    /// Where it is, as `scheme/id`.
    pub location: String,
    /// The state that it reports.
    pub state: State,
    /// As it came.
    pub body: Value,
}

impl Resource {
    /// Reads one; `place` is for the words.
    ///
    /// # Errors
    /// [`Kind::Shape`] with the member that is missing.
    pub fn read(profile: &Profile, body: Value, place: &str) -> Result<Self, Violation> {
        let text = |pointer: &str| {
            let value = body.pointer(pointer).and_then(Value::as_str);
            let value = value.filter(|v| !v.is_empty()).map(str::to_owned);
            value.ok_or_else(|| {
                let words = format!("{place} is no resource: it has no {pointer}");
                Violation::new(Kind::Shape, words)
            })
        };
        let (kind, source, id) = (text("/resourceType")?, text("/meta/source")?, text("/meta/sourceId")?);
        let location = format!("{}/{}", text("/location/scheme")?, text("/location/id")?);
        let modified = match body.pointer("/meta/modified") {
            None | Some(Value::Null) => None,
            Some(value) => Some(value.as_str().and_then(time::nanoseconds).ok_or_else(|| {
                let words = format!("{place}: /meta/modified is no time: {value}");
                Violation::new(Kind::Shape, words)
            })?),
        };
        if profile.times_ascend && modified.is_none() {
            let words = format!("{place} has no /meta/modified");
            return Err(Violation::new(Kind::Shape, words));
        }
        let deleted = body.pointer("/meta/isDeleted") == Some(&Value::Bool(true));
        let counts = match profile.identity {
            Identity::Pair => String::new(),
            Identity::PairAtLocation => location.clone(),
        };
        let print = if deleted { 0 } else { fingerprint(&body) };
        Ok(Self {
            key: Key(Arc::new([kind, counts, source, id])),
            location,
            state: State { modified, deleted, print },
            body,
        })
    }

    /// Its type.
    #[must_use]
    pub fn kind(&self) -> &str {
        let [kind, ..] = self.key.parts();
        kind
    }
}

/// A page with a valid shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The resources, in their order.
    pub resources: Vec<Resource>,
    /// Where to go on.
    pub token: String,
    /// The value of `current` in the continuation: `true`, the client is current; `false`, more is to come.
    pub current: Option<bool>,
    /// Whether the client must begin anew.
    pub full_sync: bool,
}

impl Page {
    /// Reads a page whole or not at all.
    ///
    /// # Errors
    /// [`Kind::Refused`] for a status other than 200, else [`Kind::Shape`].
    pub fn read(profile: &Profile, answer: &Answer) -> Result<Self, Violation> {
        if answer.status != 200 {
            let text = String::from_utf8_lossy(&answer.body);
            let start: String = text.chars().take(200).collect();
            let words = format!("status {} instead of a page: {start}", answer.status);
            return Err(Violation::new(Kind::Refused, words));
        }
        let shape = |words: String| Violation::new(Kind::Shape, words);
        let elements: Vec<Value> = serde_json::from_slice(&answer.body)
            .map_err(|why| shape(format!("the page is no whole array of JSON: {why}")))?;
        let count = elements.len();
        let mut continuation = None;
        let mut resources = Vec::with_capacity(count.saturating_sub(2));
        for (at, element) in elements.into_iter().enumerate() {
            let place = format!("element {at}");
            match element.get("id").and_then(Value::as_str) {
                Some("@context") if at == 0 => {}
                Some("@context") => return Err(shape(format!("{place} is a second context"))),
                _ if at == 0 => return Err(shape("the page begins without a context".to_owned())),
                Some("@continuation") if at + 1 == count => continuation = Some(element),
                Some("@continuation") => {
                    return Err(shape(format!("{place} is a continuation amid the page")));
                }
                _ => resources.push(Resource::read(profile, element, &place)?),
            }
        }
        let continuation = continuation.ok_or_else(|| shape("the page ends without a continuation".to_owned()))?;
        let token = continuation.get("token").and_then(Value::as_str);
        let token = token.filter(|t| !t.is_empty());
        let token = token.ok_or_else(|| shape("the continuation has no token".to_owned()))?;
        if let Some(longest) = profile.longest_token
            && token.chars().count() > longest
        {
            let words = format!("the token has more than {longest} characters");
            return Err(shape(words));
        }
        Ok(Self {
            token: token.to_owned(),
            current: continuation.get("current").and_then(Value::as_bool),
            resources,
            full_sync: answer.full_sync,
        })
    }

    /// Whether the client has everything now.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.current.unwrap_or(self.resources.is_empty())
    }
}

/// A fingerprint of a document: the same for any order of members, another for other content,
/// digits of numbers included. It detects mistakes, not forgeries.
#[must_use]
pub fn fingerprint(document: &Value) -> u128 {
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    hash.value(document);
    hash.0.max(1)
}

/// FNV-1a with 128 bits.
struct Fnv(u128);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 ^= u128::from(*byte);
            self.0 = self.0.wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(members) => self.object(members),
            Value::Array(elements) => {
                self.bytes(b"[");
                for element in elements {
                    self.value(element);
                    self.bytes(b",");
                }
                self.bytes(b"]");
            }
            Value::String(text) => {
                self.bytes(b"\"");
                self.bytes(text.as_bytes());
                // No text contains it.
                self.bytes(&[0xff]);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.bytes(value.to_string().as_bytes());
            }
        }
    }

    fn object(&mut self, members: &Map<String, Value>) {
        let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        self.bytes(b"{");
        for (name, value) in sorted {
            self.bytes(name.as_bytes());
            self.bytes(&[0xff]);
            self.value(value);
            self.bytes(b",");
        }
        self.bytes(b"}");
    }
}
