//! Who looks at a page.

use crate::book::query::titled;
use crate::words::{self, Form, LANGUAGE};
use crate::{Pages, Shared};
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, OriginalUri, Path};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, header};
use model::messages::Language;
use model::registry::{ASSOCIATION, Capability, Collection, Registry};
use serde_json::Value;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

/// Headers of the visitor by which the REST face knows the caller, and judges where a request comes from.
const FORWARDED: [HeaderName; 6] = [
    header::COOKIE,
    header::AUTHORIZATION,
    header::ORIGIN,
    header::HOST,
    header::USER_AGENT,
    HeaderName::from_static("sec-fetch-site"),
];

/// The cookie that has what was done: a word, the collection, [`OF`] which record, and perhaps by which other one.
pub(crate) const DONE: &str = "done";
pub(crate) const OF: char = ':';

/// The relation of an account to its organisation.
pub(crate) const ORGANIZATION: &str = "organization";

#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    /// Headers for requests to the REST face.
    pub(crate) forwarded: HeaderMap,
    /// What the REST face knows of the request.
    pub(crate) carried: Extensions,
    /// The token of the view link by which the visitor came; such a visitor has no account.
    pub(crate) link: Option<String>,
    pub(crate) language: Language,
    /// The account; none for visitors who are not signed in.
    pub(crate) user: Option<Value>,
    /// Path and query of the page.
    pub(crate) address: String,
    /// The record with which something was done, as far as its title.
    pub(crate) done: Option<Value>,
}

impl FromRequestParts<Pages> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, pages: &Pages) -> Result<Self, Infallible> {
        // A layer has looked already.
        if let Some(visitor) = parts.extensions.remove::<Self>() {
            return Ok(visitor);
        }
        let uri = parts.extensions.get::<OriginalUri>();
        let uri = uri.map_or_else(|| parts.uri.clone(), |uri| uri.0.clone());
        let address = uri.path_and_query().map_or("/", |both| both.as_str());
        let carried = (pages.site.carried)(&parts.extensions);
        Ok(Self::of(pages, &parts.headers, carried, address).await)
    }
}

/// The pages, the visitor, and the segments of the address.
#[derive(Debug)]
pub(crate) struct Visit<T>(pub(crate) Pages, pub(crate) Visitor, pub(crate) T);

impl<T: Send> FromRequestParts<Pages> for Visit<T>
where
    Path<T>: FromRequestParts<Pages, Rejection = PathRejection>,
{
    type Rejection = PathRejection;

    async fn from_request_parts(parts: &mut Parts, pages: &Pages) -> Result<Self, PathRejection> {
        let Path(segments) = Path::<T>::from_request_parts(parts, pages).await?;
        let Ok(visitor) = Visitor::from_request_parts(parts, pages).await;
        Ok(Self(Arc::clone(pages), visitor, segments))
    }
}

impl Visitor {
    async fn of(pages: &Shared, headers: &HeaderMap, carried: Extensions, address: &str) -> Self {
        let mut forwarded = HeaderMap::new();
        for name in FORWARDED {
            for value in headers.get_all(&name) {
                forwarded.append(&name, value.clone());
            }
        }
        let chosen = cookie(headers, LANGUAGE).and_then(Language::parse);
        let mut visitor = Self {
            forwarded,
            carried,
            link: None,
            language: chosen.unwrap_or_else(|| words::preferred(headers, pages.site.language)),
            user: None,
            address: address.to_owned(),
            done: None,
        };
        let signed = [header::COOKIE, header::AUTHORIZATION];
        if let Some(users) = accounts(pages.site.registry)
            && signed.iter().any(|name| headers.contains_key(name))
        {
            let path = format!("/api/{}/me?depth=1", users.slug);
            let me = pages.calls.get(&visitor, &path).await;
            visitor.user = me.body.get("user").filter(|user| user.is_object()).cloned();
        }
        if let Some((c, id)) = cookie(headers, DONE).and_then(|done| about(pages.site.registry, done)) {
            let answer = pages.calls.get(&visitor, &titled(pages.site.registry, c, id)).await;
            visitor.done = answer.is_good().then_some(answer.body);
        }
        let own = (visitor.user.as_ref()).and_then(|user| user.get("language")?.as_str());
        if let (None, Some(own)) = (chosen, own.and_then(Language::parse)) {
            visitor.language = own;
        }
        visitor
    }

    pub(crate) fn query(&self) -> Form {
        let query = self.address.split_once('?');
        Form::read(query.map_or("", |(_, query)| query).as_bytes())
    }

    /// This visitor by a view link, without the account.
    pub(crate) fn by_link(mut self, token: &str) -> Self {
        self.user = None;
        self.link = Some(token.to_owned());
        self.forwarded.remove(header::COOKIE);
        self.forwarded.remove(header::AUTHORIZATION);
        if let Ok(value) = HeaderValue::try_from(format!("Share {token}")) {
            self.forwarded.insert(header::AUTHORIZATION, value);
        }
        self
    }

    /// Whether the visitor is of the Association.
    pub(crate) fn is_association(&self) -> bool {
        ASSOCIATION.contains(&self.text_at("role").unwrap_or_default())
    }

    /// Whether the visitor reads the events of a whole herd, and not those that were opened alone.
    pub(crate) fn sees_herd(&self, owner: i64) -> bool {
        self.is_association() || self.organization() == Some(owner)
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        cookie(&self.forwarded, name)
    }

    /// What the visitor may do for the organisation.
    pub(crate) fn capabilities(&self) -> BTreeSet<Capability> {
        let role = self.text_at("orgRole").unwrap_or_default();
        Capability::of_member(role, self.text_at("organization.membership"))
    }

    /// The id of the visitor's organisation.
    pub(crate) fn organization(&self) -> Option<i64> {
        self.user.as_ref()?.get(ORGANIZATION)?.get("id")?.as_i64()
    }

    /// A text of the account or, behind a dot, of its organisation.
    pub(crate) fn text_at(&self, path: &str) -> Option<&str> {
        let user = self.user.as_ref()?;
        let value = path.split('.').try_fold(user, |value, step| value.get(step));
        value.and_then(Value::as_str)
    }

    /// How the visitor is called.
    pub(crate) fn name(&self) -> String {
        let names = ["firstName", "lastName"].map(|part| self.text_at(part).unwrap_or_default());
        let name = names.join(" ").trim().to_owned();
        match name.is_empty() {
            true => self.text_at("email").unwrap_or_default().to_owned(),
            false => name,
        }
    }
}

/// The record that a cookie of what was done names.
fn about(registry: &'static Registry, done: &str) -> Option<(&'static Collection, i64)> {
    let mut parts = done.split(OF);
    let (word, id) = (parts.next()?, parts.next()?);
    Some((registry.get(word.split('/').nth(1)?)?, id.parse().ok()?))
}

pub(crate) fn accounts(registry: &'static Registry) -> Option<&'static Collection> {
    registry.iter().find(|c| c.auth)
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let fields = headers.get_all(header::COOKIE).iter();
    let pairs = fields.filter_map(|field| field.to_str().ok()).flat_map(|field| field.split(';'));
    let mut pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value)
}
