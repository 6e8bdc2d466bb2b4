//! Sign-in tokens: issued, read from a request, and set as cookies (docs/dialect.md, *Which credential counts*).
//!
//! The token says who signed in; whether that session (`sid`) still lives and what the user may do
//! is for the caller to look up. Must not know HTTP types: headers come in as texts.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode};
use serde::{Deserialize, Serialize};

use super::keys::{KeyRing, Purpose};

/// Lifetime of a token unless configured otherwise, in seconds.
pub const DEFAULT_LIFETIME_S: i64 = 7200;

/// Cookie of the deployed service, read but never set.
const ALIAS_COOKIE: &str = "payload-token";
/// Longer texts are never tokens of this service (characters).
const TOKEN_MAX: usize = 4096;

/// The signed-in user, as the token will state it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub collection: String,
    pub id: i64,
    /// Address of the user, as stored.
    pub email: String,
    /// Role of the user at the time of sign-in; informative, the caller looks rights up afresh.
    pub role: String,
    /// The session; a token dies when its session is removed.
    pub sid: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub id: i64,
    /// The collection that holds the user; whether there is such a one is for the caller to look up.
    pub collection: String,
    /// Address of the user when the token was issued.
    pub email: String,
    /// Role of the user when the token was issued.
    pub role: String,
    pub sid: String,
    /// Issued at (Unix seconds).
    pub iat: i64,
    /// First second at which the token is no longer valid (Unix seconds).
    pub exp: i64,
}

impl Claims {
    /// Whether the token has not ended at `now` (ms).
    pub fn lives(&self, now: i64) -> bool {
        now.div_euclid(1000) < self.exp
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedToken {
    pub token: String,
    /// End of validity (Unix seconds), as sign-in answers and the cookie contain it.
    pub exp: i64,
}

/// Why a token is not accepted. All reasons have the same effect: the caller is anonymous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Not a token at all.
    #[error("the token is malformed")]
    Malformed,
    /// Signed by another algorithm than HS256.
    #[error("the token is not signed with HS256")]
    Algorithm,
    /// Signed with another key, or altered.
    #[error("the token's signature is wrong")]
    Signature,
    /// A claim is missing or of the wrong kind.
    #[error("the token's claims are incomplete")]
    Claims,
    /// Past its end.
    #[error("the token has expired")]
    Expired,
    /// The signing library failed.
    #[error("the token could not be signed")]
    Signing,
}

/// Issues a token for `subject`, valid from `now` (ms) for `lifetime_s` seconds.
///
/// # Errors
/// [`TokenFault::Signing`] when the signing library fails.
pub fn issue(ring: &KeyRing, subject: &Subject, now: i64, lifetime_s: i64) -> Result<IssuedToken, TokenFault> {
    let iat = now.div_euclid(1000);
    let exp = iat.saturating_add(lifetime_s);
    let claims = Claims {
        id: subject.id,
        collection: subject.collection.clone(),
        email: subject.email.clone(),
        role: subject.role.clone(),
        sid: subject.sid.clone(),
        iat,
        exp,
    };
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some(ring.current_id().to_string());
    let key = EncodingKey::from_secret(ring.current().key(Purpose::Session));
    let token = encode(&header, &claims, &key).map_err(|_| TokenFault::Signing)?;
    Ok(IssuedToken { token, exp })
}

/// Checks a token at `now` (ms): HS256 only, signed under a secret of the ring, with all claims,
/// not expired (without leeway).
pub fn verify(ring: &KeyRing, token: &str, now: i64) -> Result<Claims, TokenFault> {
    if token.len() > TOKEN_MAX {
        return Err(TokenFault::Malformed);
    }
    let header = decode_header(token).map_err(|fault| TokenFault::of(&fault))?;
    if header.alg != Algorithm::HS256 {
        return Err(TokenFault::Algorithm);
    }
    let mut validation = Validation::new(Algorithm::HS256);
    // The library would ask the system clock; the time is compared below instead. `exp` stays
    // required by the claims themselves: the library does not know numbers that keep their digits.
    validation.validate_exp = false;
    validation.required_spec_claims.clear();
    validation.validate_aud = false;
    let mut outcome = Err(TokenFault::Signature);
    for key in ring.keys().filter(|key| header.kid.as_ref().is_none_or(|kid| *kid == key.id.to_string())) {
        let key = DecodingKey::from_secret(key.key(Purpose::Session));
        outcome = decode::<Claims>(token, &key, &validation).map_err(|fault| TokenFault::of(&fault));
        if !matches!(outcome, Err(TokenFault::Signature)) {
            break;
        }
    }
    let claims = outcome?.claims;
    if !claims.lives(now) {
        return Err(TokenFault::Expired);
    }
    Ok(claims)
}

impl TokenFault {
    fn of(fault: &jsonwebtoken::errors::Error) -> Self {
        use jsonwebtoken::errors::ErrorKind;
        match fault.kind() {
            ErrorKind::InvalidSignature => Self::Signature,
            ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName => Self::Algorithm,
            ErrorKind::MissingRequiredClaim(_) | ErrorKind::InvalidClaimFormat(_) => Self::Claims,
            _ => Self::Malformed,
        }
    }
}

/// How strictly the scheme word of `Authorization` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `JWT` or `Bearer`, in exactly this case, exactly one space.
    Rest,
    /// These words in any case, one or more spaces (RFC 9110, clause 11.4).
    Ade,
}

/// The request headers that sign-in depends on.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignInHeaders<'a> {
    /// `Authorization`.
    pub authorization: Option<&'a str>,
    /// `Cookie`; HTTP/2 clients may split it into several.
    pub cookies: &'a [&'a str],
    /// `Origin`.
    pub origin: Option<&'a str>,
    /// `Sec-Fetch-Site`.
    pub sec_fetch_site: Option<&'a str>,
    /// Whether the request may change something.
    pub writes: bool,
    /// The host that it was sent to: `book.example`, `localhost:8080`.
    pub host: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresentedToken<'a> {
    /// No token: anonymous.
    Nothing,
    /// From `Authorization`. If it turns out bad the caller is anonymous, regardless of the cookie.
    Header(&'a str),
    /// From a cookie, and the request comes from a page that may use it.
    Cookie(&'a str),
    /// There is a cookie, but the request comes from a page that may not use it: anonymous.
    ForeignOrigin,
}

impl<'a> PresentedToken<'a> {
    /// The token, if there is one to be verified.
    pub fn token(self) -> Option<&'a str> {
        match self {
            Self::Header(token) | Self::Cookie(token) => Some(token),
            Self::Nothing | Self::ForeignOrigin => None,
        }
    }
}

/// Sign-in cookies of one service: their name, and the pages that may use them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCookies {
    name: String,
    device_name: String,
    allowed_origins: Vec<String>,
    own: Option<String>,
    secure: bool,
}

impl SessionCookies {
    /// Cookies named `<service>-token`. They write for pages of the service itself, and of the listed origins
    /// (`https://host[:port]`); `secure` keeps them off unencrypted connections.
    pub fn new(service: &str, allowed_origins: &[String], secure: bool) -> Self {
        let allowed_origins = allowed_origins.iter().map(|origin| origin.trim_end_matches('/').to_owned()).collect();
        Self {
            name: format!("{service}-token"),
            device_name: format!("{service}-device"),
            allowed_origins,
            own: None,
            secure,
        }
    }

    /// The service is seen at this address (`https://host[:port][/path]`); empty: unknown.
    pub fn of_pages(mut self, url: &str) -> Self {
        self.own = origin_of(url);
        self
    }

    /// The token of a request: `Authorization: JWT x` or `Bearer x`, else the cookie `<service>-token`, else
    /// `payload-token`. Other schemes are as good as absent; a present JWT or Bearer header shuts the cookie out.
    pub fn find<'a>(&self, request: &SignInHeaders<'a>, dialect: Dialect) -> PresentedToken<'a> {
        if let Some(token) = request.authorization.and_then(|value| header_token(value, dialect)) {
            return PresentedToken::Header(token);
        }
        let cookie = |name: &str| request.cookies.iter().rev().find_map(|header| cookie_value(header, name));
        match cookie(&self.name).or_else(|| cookie(ALIAS_COOKIE)) {
            None => PresentedToken::Nothing,
            Some(token) if self.may_use(request) => PresentedToken::Cookie(token),
            Some(_) => PresentedToken::ForeignOrigin,
        }
    }

    /// The rule against forged cross-site requests: an `Origin` that is listed or the service's own, or none and
    /// a `Sec-Fetch-Site` that says the request starts here or with the user. Without a list, what
    /// changes nothing passes: browsers do not show the answer to foreign pages.
    fn may_use(&self, request: &SignInHeaders<'_>) -> bool {
        if self.allowed_origins.is_empty() {
            return !request.writes || self.is_own_page(request);
        }
        match request.origin.filter(|origin| !origin.is_empty()) {
            Some(origin) => {
                self.allowed_origins.iter().any(|allowed| allowed == origin) || self.is_own_origin(origin, request)
            }
            None => matches!(request.sec_fetch_site, Some("same-origin" | "same-site" | "none")),
        }
    }

    /// Whether an answer may set a cookie: not where the request comes from a page that is neither
    /// of the service nor listed. Such a page could sign its visitor in as any user, unnoticed.
    pub fn may_set(&self, request: &SignInHeaders<'_>) -> bool {
        let request = SignInHeaders { writes: true, ..*request };
        self.is_own_page(&request) || self.may_use(&request)
    }

    /// Whether a request comes from a page of the service, from its user, or from no browser at all. Browsers send
    /// `Sec-Fetch-Site` over secure connections, and `Origin` with every write, and pages can set neither. Where there
    /// is only `Origin`, it is compared with the address of the service, or with the host that the request was sent to,
    /// which is what the cookie belongs to.
    fn is_own_page(&self, request: &SignInHeaders<'_>) -> bool {
        let origin = request.origin.filter(|origin| !origin.is_empty());
        match (request.sec_fetch_site, origin) {
            (Some("same-origin" | "none"), _) | (None, None) => true,
            (_, Some(origin)) => self.is_own_origin(origin, request),
            (Some(_), None) => false,
        }
    }

    /// Whether an `Origin` is the address of the service, or the host that the request was sent to, if the browser does
    /// not say that they differ.
    fn is_own_origin(&self, origin: &str, request: &SignInHeaders<'_>) -> bool {
        let may_be_same = matches!(request.sec_fetch_site, None | Some("same-origin"));
        self.own.as_deref() == Some(origin) || may_be_same && request.host.is_some_and(|host| self.is_at(origin, host))
    }

    /// Whether a page of this origin lies at the host, and not at the address of the service under another scheme.
    fn is_at(&self, origin: &str, host: &str) -> bool {
        let Some((scheme, page)) = origin.split_once("://") else {
            return false;
        };
        let own_origin = origin_of(&format!("{scheme}://{host}"));
        let own = self.own.as_deref().and_then(|own| own.split_once("://"));
        own_origin.as_deref() == Some(origin) && own.is_none_or(|(_, own)| own != page)
    }

    /// `Set-Cookie` value that signs in; `Expires` equals the end of the token.
    pub fn sign_in(&self, issued: &IssuedToken) -> String {
        self.cookie(&issued.token, issued.exp)
    }

    /// `Set-Cookie` value that signs out: empty, and expired since 1970.
    pub fn sign_out(&self) -> String {
        self.cookie("", 0)
    }

    /// `Set-Cookie` value by which a device is known until `until` (Unix seconds).
    pub fn device(&self, value: &str, until: i64) -> String {
        self.set_cookie(&self.device_name, value, until)
    }

    /// The device that the cookies of a request name.
    pub fn device_of<'a>(&self, cookies: &[&'a str]) -> Option<&'a str> {
        let mut headers = cookies.iter().rev();
        headers.find_map(|header| cookie_value(header, &self.device_name))
    }

    fn cookie(&self, value: &str, exp: i64) -> String {
        self.set_cookie(&self.name, value, exp)
    }

    fn set_cookie(&self, name: &str, value: &str, exp: i64) -> String {
        let secure = if self.secure { " Secure=true;" } else { "" };
        let expires = http_date(exp);
        format!("{name}={value}; Expires={expires}; Path=/;{secure} HttpOnly=true; SameSite=Lax")
    }
}

/// The origin of an address, as browsers write it: lower case, no port that its scheme implies.
fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split('/').next()?.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let authority = authority.strip_suffix(usual).unwrap_or(&authority);
    (!authority.is_empty()).then(|| format!("{scheme}://{authority}"))
}

/// A moment (Unix seconds) as HTTP writes it (RFC 9110, clause 5.6.7); moments outside the years 1
/// to 9999 are moved to the epoch.
fn http_date(seconds: i64) -> String {
    let printer = DateTimePrinter::new();
    let print = |moment: Timestamp| printer.timestamp_to_rfc9110_string(&moment).ok();
    Timestamp::from_second(seconds).ok().and_then(print).unwrap_or_else(|| "Thu, 01 Jan 1970 00:00:00 GMT".to_owned())
}

fn header_token(value: &str, dialect: Dialect) -> Option<&str> {
    let (scheme, rest) = value.split_once(' ')?;
    let token = match dialect {
        // A second space stays part of the token, which makes it a bad one.
        Dialect::Rest => matches!(scheme, "JWT" | "Bearer").then_some(rest),
        Dialect::Ade => {
            let has_scheme = scheme.eq_ignore_ascii_case("jwt") || scheme.eq_ignore_ascii_case("bearer");
            has_scheme.then(|| rest.trim_matches(' '))
        }
    }?;
    (!token.is_empty()).then_some(token)
}

fn cookie_value<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    // The last of several cookies of one name counts, as in the engine; an empty one counts as absent.
    let pairs = header.split(';').rev().filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
    values.next().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests;
