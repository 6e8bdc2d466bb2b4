//! Writes documents: walks the compiled tree over a record and its related ones, straight
//! to JSON bytes in a fixed order. Knows neither times of commit nor who reads.

pub(crate) mod body;
pub(crate) mod leaf;
pub(crate) mod relations;

use crate::compile::plan::{
    Condition, Element, Member, Object, Rows, Spread, Template, TemplatePart, Write, WriteRule,
};
use crate::path::{Env, Source, View};
use crate::render::leaf::leaf;
use crate::{Mapping, Related};
use body::Body;
use model::record::Record;
use model::record::time;
use model::registry::Kind;
use serde_json::Value as Json;

/// A document of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderedDocument {
    /// The part after `<dataset>:` of our own `meta.sourceId`.
    pub key: String,
    /// `meta.source` as served: the sender's, if the row came by ADE and the document is
    /// at the location that it was sent to.
    pub source: String,
    /// `meta.sourceId` as served.
    pub source_id: String,
    /// The organisation whose location holds the document.
    pub location: Option<i64>,
    /// The animal that the document is about.
    pub animal: Option<i64>,
    /// Time of the event in epoch milliseconds.
    pub event_at: Option<i64>,
    /// When the row was made, in epoch milliseconds.
    pub created: Option<i64>,
    /// The animals of the location that it lists (`animals:here`), where it lists any.
    pub members: Option<Vec<i64>>,
    /// The text.
    pub body: Body,
    /// Where the text is the sender's and not the book's ([`crate::Wording::text`]); none: it was
    /// never sent, or was sent before wordings were stored.
    pub wording: Option<String>,
}

impl RenderedDocument {
    /// The text as JSON, with times of no meaning.
    pub(crate) fn json(&self) -> Option<Json> {
        let mut text = Vec::with_capacity(self.body.len());
        self.body.with(0, 0, &mut text);
        serde_json::from_slice(&text).ok()
    }
}

/// What a member came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberContent {
    Nothing,
    /// Only constants: not worth sending for its own sake.
    Soft,
    Content,
}

impl From<bool> for MemberContent {
    fn from(content: bool) -> Self {
        if content { Self::Content } else { Self::Nothing }
    }
}

/// What a document is made by.
#[derive(Clone, Copy)]
struct Shape<'m> {
    key: &'m Template,
    id: Option<&'m Template>,
    object: &'m Object,
}

impl Mapping {
    /// Appends the documents of a row: none where the conditions do not hold, one, or one
    /// per element of the spread list. `related` must hold what [`Mapping::relations`]
    /// names; what it lacks is left out, and with a required member the whole document.
    pub fn render(&self, row: &Record, related: &dyn Related, out: &mut Vec<RenderedDocument>) {
        self.render_parts(&[row], related, out);
    }

    /// The documents of rows that make one together, in their order; those that do not
    /// fulfil the conditions do not belong to it.
    pub fn render_parts(&self, rows: &[&Record], related: &dyn Related, out: &mut Vec<RenderedDocument>) {
        let alone = |row| Env { row, parts: &[], element: None, item: None, related };
        let rows: Vec<&Record> =
            (rows.iter().copied()).filter(|row| self.parts.is_none() || self.fulfils(&alone(row))).collect();
        let Some(row) = rows.first() else {
            return;
        };
        let whole = Env { row, parts: &rows, element: None, item: None, related };
        match self.spread {
            None => self.documents(&whole, out),
            Some(Spread::Ids(slot)) => {
                for id in row.get(slot).ids() {
                    let env = Env { element: Some(*id), ..whole };
                    self.documents(&env, out);
                }
            }
            Some(Spread::Rows(slot)) => {
                for item in row.get(slot).rows() {
                    let env = Env { item: Some(item), ..whole };
                    self.documents(&env, out);
                }
            }
        }
    }

    /// Whether there are documents at all.
    fn fulfilled(&self, env: &Env<'_>) -> bool {
        let same = self.same.as_ref().is_none_or(|(one, other)| {
            let (one, other) = (one.view(env), other.view(env));
            other == View::Null || one == other
        });
        same && self.fulfils(env)
    }

    /// One document, or one per name of the list.
    fn documents(&self, env: &Env<'_>, out: &mut Vec<RenderedDocument>) {
        if !self.fulfilled(env) {
            return;
        }
        if self.variants.is_empty() {
            let shape = Shape { key: &self.key, id: self.id.as_ref(), object: &self.object };
            return out.extend(self.document(shape, env));
        }
        for variant in self.variants.iter().filter(|v| holds(&v.when, env)) {
            let shape = Shape { key: &variant.key, id: variant.id.as_ref(), object: &variant.object };
            out.extend(self.document(shape, env));
        }
    }

    fn document(&self, shape: Shape<'_>, env: &Env<'_>) -> Option<RenderedDocument> {
        let key = fill(shape.key, env)?;
        let location = self.location.as_ref().and_then(|s| s.view(env).int());
        let (source, source_id) = (self.sent(env.row, location))
            .or_else(|| self.element_pair(env))
            .unwrap_or_else(|| (self.source.clone(), format!("{}:{key}", self.dataset)));
        let extra = self.extra.and_then(|slot| env.row.get(slot).as_json());
        let extra = extra.and_then(Json::as_object);
        let extra = extra.or_else(|| self.element_extra(env));
        let merged = self.with_rest(env.row, extra);
        let extra = merged.as_ref().or(extra);
        let pair = (source.as_str(), source_id.as_str());
        let (bytes, gap) = self.text(shape, env, extra, pair, location)?;
        let event = self.event.iter().find_map(|s| match s.view(env) {
            View::Time(t) => Some(t),
            _ => None,
        });
        Some(RenderedDocument {
            key,
            source,
            source_id,
            location,
            animal: self.animal.as_ref().and_then(|s| s.view(env).int()),
            event_at: event,
            created: env.row.get(self.created).time(),
            members: listed(shape.object, env),
            body: Body::new(bytes, gap),
            wording: None,
        })
    }

    /// The sender's pair, where it is a key: at the location that it was sent to. Where an
    /// animal goes, another sender may use the same pair for something else.
    fn sent(&self, row: &Record, location: Option<i64>) -> Option<(String, String)> {
        let (source, id) = self.pair?;
        let home = self.scope.is_none_or(|s| row.get(s).int() == location);
        let text = |slot| row.get(slot).text().map(str::to_owned);
        let ours = self.dataset_slot.is_none_or(|s| row.get(s).text() == Some(&self.dataset));
        (home && ours).then(|| Some((text(source)?, text(id)?))).flatten()
    }

    /// The text and the place of the times in it.
    fn text(
        &self,
        shape: Shape<'_>,
        env: &Env<'_>,
        extra: Extra<'_>,
        (source, source_id): (&str, &str),
        location: Option<i64>,
    ) -> Option<(Vec<u8>, usize)> {
        let mut bytes = Vec::with_capacity(768);
        bytes.extend_from_slice(b"{\"resourceType\":");
        body::string(&self.resource, &mut bytes);
        bytes.extend_from_slice(b",\"meta\":{\"source\":");
        body::string(source, &mut bytes);
        bytes.extend_from_slice(b",\"sourceId\":");
        body::string(source_id, &mut bytes);
        bytes.push(b',');
        let gap = bytes.len();
        let meta = extra.and_then(|e| e.get("meta")).and_then(Json::as_object);
        for (name, value) in meta.into_iter().flatten() {
            bytes.push(b',');
            body::member(name, value, &mut bytes);
        }
        bytes.push(b'}');
        if let Some(id) = location {
            bytes.extend_from_slice(b",\"location\":");
            body::identifier(&id.to_string(), &self.identifiers.location, &mut bytes);
        }
        if let Some(id) = shape.id {
            bytes.extend_from_slice(b",\"id\":");
            body::string(&fill(id, env)?, &mut bytes);
        }
        let start = bytes.len();
        // The stored members of the document's own `meta` are there already.
        let rest = extra.filter(|_| meta.is_some()).map(|all| {
            let mut all = all.clone();
            all.remove("meta");
            all
        });
        let extra = rest.as_ref().or(extra);
        if object(shape.object, env, extra, true, &mut bytes) == MemberContent::Nothing {
            return None;
        }
        // The object brings its own brace: the envelope's members stand before it.
        if bytes.get(start..) == Some(b"{}") {
            bytes.truncate(start);
            bytes.push(b'}');
        } else if let Some(brace) = bytes.get_mut(start) {
            *brace = b',';
        }
        Some((bytes, gap))
    }
}

/// The animals that an object lists.
fn listed(object: &Object, env: &Env<'_>) -> Option<Vec<i64>> {
    let mut ways = object.members.iter().flat_map(|member| &member.ways);
    ways.find_map(|way| match way {
        WriteRule::Leaf { sources, write: Write::Here { owner, .. }, .. } => {
            Some(leaf::those_here(*owner, sources, env).map(|(id, _)| id).collect())
        }
        _ => None,
    })
}

pub(crate) fn holds(when: &[Condition], env: &Env<'_>) -> bool {
    when.iter().all(|c| c.met(env))
}

pub(crate) fn fill(template: &Template, env: &Env<'_>) -> Option<String> {
    let mut text = String::new();
    for part in &template.0 {
        match part {
            TemplatePart::Text(t) => text.push_str(t),
            TemplatePart::Value(sources) => {
                text.push_str(&sources.iter().find_map(|s| key_text(s, env))?);
            }
        }
    }
    Some(text)
}

/// The text of a value in a key: a day without its hour.
fn key_text(source: &Source, env: &Env<'_>) -> Option<String> {
    let mut text = Vec::new();
    match source.view(env) {
        View::Time(t) if source.kind == Kind::Day => time::write_day(t, &mut text),
        View::Time(t) => time::write_iso(t, &mut text),
        view => return body::text_of(view),
    }
    String::from_utf8(text).ok()
}

type Extra<'a> = Option<&'a serde_json::Map<String, Json>>;

/// Writes an object. `rooted`: it is sent even if it holds constants only.
fn object(object: &Object, env: &Env<'_>, extra: Extra<'_>, rooted: bool, out: &mut Vec<u8>) -> MemberContent {
    let start = out.len();
    out.push(b'{');
    let mut content = rooted;
    for m in &object.members {
        let mark = out.len();
        if mark > start + 1 {
            out.push(b',');
        }
        out.extend_from_slice(&m.key);
        match member(m, env, extra.and_then(|e| e.get(&m.name)), out) {
            MemberContent::Nothing if m.required => {
                out.truncate(start);
                return MemberContent::Nothing;
            }
            MemberContent::Nothing => out.truncate(mark),
            MemberContent::Soft => {}
            MemberContent::Content => content = true,
        }
    }
    for (name, value) in extra.into_iter().flatten() {
        if object.members.iter().any(|m| m.name == *name) {
            continue;
        }
        if out.len() > start + 1 {
            out.push(b',');
        }
        body::member(name, value, out);
        content = true;
    }
    if !content {
        out.truncate(start);
        return MemberContent::Nothing;
    }
    out.push(b'}');
    MemberContent::Content
}

fn member(member: &Member, env: &Env<'_>, extra: Option<&Json>, out: &mut Vec<u8>) -> MemberContent {
    if let Some(own) = extra.filter(|own| member.yields && is_complete(member, own)) {
        body::json(own, out);
        return MemberContent::Content;
    }
    for way in &member.ways {
        let content = write(way, env, extra, out);
        if content != MemberContent::Nothing {
            return content;
        }
    }
    let stored = extra.filter(|x| match x {
        Json::Array(list) => !list.is_empty(),
        Json::Object(map) => !map.is_empty(),
        _ => true,
    });
    // What a container may keep was merged where its own members were written.
    let leaf =
        |w: &WriteRule| matches!(w, WriteRule::Leaf { .. } | WriteRule::Const { .. } | WriteRule::Include { .. });
    match stored.filter(|_| member.ways.iter().all(leaf)) {
        Some(value) => {
            body::json(value, out);
            MemberContent::Content
        }
        None => MemberContent::Nothing,
    }
}

/// Whether a stored value is complete: of an object that we know, it has all members.
fn is_complete(member: &Member, own: &Json) -> bool {
    member.ways.iter().all(|way| match way {
        WriteRule::Object(inner) => inner.members.iter().all(|m| own.get(&m.name).is_some()),
        _ => true,
    })
}

fn write(way: &WriteRule, env: &Env<'_>, extra: Option<&Json>, out: &mut Vec<u8>) -> MemberContent {
    match way {
        WriteRule::Const { json, when } => {
            if !holds(when, env) {
                return MemberContent::Nothing;
            }
            out.extend_from_slice(json);
            if when.is_empty() { MemberContent::Soft } else { MemberContent::Content }
        }
        WriteRule::Leaf { sources, write, when, default } => {
            if !holds(when, env) {
                return MemberContent::Nothing;
            }
            if leaf(write, sources, env, out) {
                return MemberContent::Content;
            }
            // A stored member of the sender is better than a default.
            match (extra, default) {
                (None, Some(json)) => {
                    out.extend_from_slice(json);
                    MemberContent::Content
                }
                _ => MemberContent::Nothing,
            }
        }
        WriteRule::Object(inner) => object(inner, env, extra.and_then(Json::as_object), false, out),
        WriteRule::Given { when, object: inner } => {
            if !holds(when, env) {
                return MemberContent::Nothing;
            }
            object(inner, env, extra.and_then(Json::as_object), false, out)
        }
        WriteRule::List(elements) => list(elements, env, extra.and_then(Json::as_array), out).into(),
        WriteRule::Rows(inner) => rows(inner, env, extra.and_then(Json::as_array), out).into(),
        WriteRule::Parts(inner) => parts(inner, env, extra.and_then(Json::as_array), out).into(),
        WriteRule::Include { source, when, object: inner } => {
            let Some(record) = source.record(env).filter(|_| holds(when, env)) else {
                return MemberContent::Nothing;
            };
            let inside = Env { row: record, parts: &[], element: None, item: None, related: env.related };
            object(inner, &inside, None, true, out)
        }
    }
}

fn list(elements: &[Element], env: &Env<'_>, extra: Option<&Vec<Json>>, out: &mut Vec<u8>) -> bool {
    let stored = || extra.into_iter().flatten();
    let own = elements.iter().map(|e| match e.first {
        true => (Some(e), stored().next()),
        false => (Some(e), stored().find(|x| picked(e, x))),
    });
    let taken = usize::from(elements.iter().any(|e| e.first));
    let others = stored().skip(taken).filter(|x| !elements.iter().any(|e| picked(e, x)));
    let all = own.chain(others.map(|x| (None, Some(x))));
    body::list(all, out, |(element, stored), out| match element {
        Some(element) => write(&element.out, env, stored, out) == MemberContent::Content,
        None => {
            body::json(stored.unwrap_or(&Json::Null), out);
            true
        }
    })
}

fn picked(element: &Element, stored: &Json) -> bool {
    (element.pick.as_ref()).is_some_and(|(name, value)| stored.get(name).and_then(Json::as_str) == Some(value))
}

fn rows(rows: &Rows, env: &Env<'_>, extra: Option<&Vec<Json>>, out: &mut Vec<u8>) -> bool {
    let own = env.row.get(rows.slot).rows();
    let counted = rows.counts.iter().filter(|_| own.is_empty()).flat_map(|(slot, item)| {
        let count = env.row.get(*slot).int().unwrap_or(0).clamp(0, MOST);
        (0..count).map(move |_| (item, None))
    });
    // Stored members belong to rows by their place: after rows were added or removed they do not
    // fit any more.
    let stored = extra.filter(|x| x.len() == own.len());
    let own = own.iter().enumerate().map(|(i, item)| (item, stored.and_then(|x| x.get(i))));
    body::list(counted.chain(own), out, |(item, stored), out| {
        let env = Env { item: Some(item), ..*env };
        object(&rows.object, &env, stored.and_then(Json::as_object), true, out) == MemberContent::Content
    })
}

/// One element per row of the document; stored members belong to them by their place.
fn parts(inner: &Object, env: &Env<'_>, extra: Option<&Vec<Json>>, out: &mut Vec<u8>) -> bool {
    let stored = extra.filter(|x| x.len() == env.parts.len());
    body::list(env.parts.iter().copied().enumerate(), out, |(i, row), out| {
        let stored = stored.and_then(|x| x.get(i)).and_then(Json::as_object);
        object(inner, &Env { row, ..*env }, stored, true, out) == MemberContent::Content
    })
}

/// Most rows that a count may produce: a typing error must not fill the document.
const MOST: i64 = 20;
