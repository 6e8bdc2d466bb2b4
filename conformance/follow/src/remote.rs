//! The server: sign-in, the search for the data set, requests for pages.

use crate::error::{Error, Result};
use crate::pace::seconds;
use feed_oracle::Answer;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// A page that is longer is not read to its end.
const LONGEST: usize = 512 << 20;
/// How long an answer may take until it begins, besides the time that the request asks it to wait.
const PATIENCE: Duration = Duration::from_secs(120);
/// The address at which servers of our kind describe themselves.
const WELL_KNOWN: &str = "/.well-known/ade";
/// Resources of a page that are requested, where the server states no bound.
const PAGE: usize = 500;

/// How the client signs in.
#[derive(Clone, Default)]
pub enum SignIn {
    /// Not at all.
    #[default]
    Nobody,
    /// By a token: as `Bearer`, unless it names its scheme itself (`users API-Key …`).
    Token(String),
    /// By signing in at `/api/users/login`; again when the session is over.
    Password {
        /// Address of the account.
        email: String,
        password: String,
    },
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody => write!(f, "Nobody"),
            Self::Token(_) => write!(f, "Token"),
            Self::Password { email, .. } => write!(f, "Password of {email}"),
        }
    }
}

/// A data set that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) changes: Url,
    /// Seconds that a call may wait for changes, where the server offers it.
    pub(crate) wait: Option<u64>,
    /// Whether the server describes itself as ours does.
    pub(crate) own: bool,
    /// Resources of a page at most.
    pub(crate) page: usize,
}

/// The answer to a request for a page, before it is read.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    /// How long to wait until the next call, when there is nothing more.
    pub(crate) pause: Option<Duration>,
}

/// A server and the sign-in of the client.
#[derive(Debug)]
pub(crate) struct Remote {
    http: Client,
    base: Url,
    sign_in: SignIn,
    /// The value of `Authorization`.
    session: Option<String>,
}

impl Remote {
    pub(crate) fn new(url: &str, sign_in: SignIn) -> Result<Self> {
        let base = Url::parse(url).ok().filter(|url| url.has_host());
        let base = base.filter(|url| matches!(url.scheme(), "http" | "https"));
        let base =
            base.ok_or_else(|| Error::Input(format!("{url} is no address: it must begin with http:// or https://")))?;
        let http = Client::builder()
            .connect_timeout(Duration::from_secs(20))
            .read_timeout(PATIENCE)
            .user_agent(concat!("herdbook-follow/", env!("CARGO_PKG_VERSION")))
            .build();
        let http = http.map_err(|why| Error::Input(format!("no client: {}", chain(&why))))?;
        let session = match &sign_in {
            SignIn::Token(token) if token.trim().contains(' ') => Some(token.trim().to_owned()),
            SignIn::Token(token) => Some(format!("Bearer {}", token.trim())),
            SignIn::Nobody | SignIn::Password { .. } => None,
        };
        Ok(Self { http, base, sign_in, session })
    }

    /// An address without what follows its path.
    pub(crate) fn address(&self) -> String {
        let mut plain = self.base.clone();
        plain.set_query(None);
        plain.set_fragment(None);
        let _ = plain.set_username("");
        let _ = plain.set_password(None);
        plain.as_str().trim_end_matches('/').to_owned()
    }

    async fn sign_in(&mut self) -> Result<()> {
        let SignIn::Password { email, password } = &self.sign_in else {
            return Ok(());
        };
        let url = join(&self.base, "/api/users/login")?;
        let body = json!({"email": email, "password": password}).to_string();
        let request = self.http.post(url).header("content-type", "application/json");
        let answer = request.body(body).send().await.map_err(|why| broken(&why))?;
        let status = answer.status().as_u16();
        let headers = answer.headers().clone();
        let text = read(answer).await?;
        if status != 200 {
            return Err(refusal(status, &headers, &text));
        }
        let answer_body: Value = serde_json::from_slice(&text).unwrap_or_default();
        let token = answer_body.get("token").and_then(Value::as_str);
        let token = token.ok_or_else(|| Error::SignIn("the answer has no token".to_owned()))?;
        self.session = Some(format!("Bearer {token}"));
        Ok(())
    }

    /// Sends a request; signs in before, where that is needed, and again when a session is over.
    async fn get(&mut self, url: &Url) -> Result<(u16, HeaderMap, Vec<u8>)> {
        let by_password = matches!(self.sign_in, SignIn::Password { .. });
        let mut fresh = false;
        if by_password && self.session.is_none() {
            self.sign_in().await?;
            fresh = true;
        }
        loop {
            let mut request = self.http.get(url.clone()).header(ACCEPT, "application/json");
            // A session is sent only to the server that issued it.
            if let Some(session) = &self.session
                && url.origin() == self.base.origin()
            {
                request = request.header(AUTHORIZATION, session);
            }
            let answer = request.send().await.map_err(|why| broken(&why))?;
            let status = answer.status().as_u16();
            let headers = answer.headers().clone();
            let body = read(answer).await?;
            if status == 401 && by_password && !fresh {
                self.sign_in().await?;
                fresh = true;
                continue;
            }
            return Ok((status, headers, body));
        }
    }

    /// Finds a data set from the address of a server, of its ADE face or of its list of data sets.
    pub(crate) async fn find(&mut self, set: &str) -> Result<DataSet> {
        let described = self.described().await?;
        let own = described.is_some();
        let mut places = Vec::new();
        if let Some(address) = described.as_ref().and_then(|d| d.pointer("/addresses/datasets")) {
            places.extend(address.as_str().map(str::to_owned));
        }
        let path = self.base.path().trim_end_matches('/');
        if path.ends_with("/datasets") {
            places.insert(0, path.to_owned());
        }
        places.push(format!("{path}/datasets"));
        places.push(format!("{path}/ade/v1/datasets"));
        let page = described.as_ref().and_then(|d| d.pointer("/limits/changes/max")?.as_u64());
        let page = page.and_then(|page| usize::try_from(page).ok()).unwrap_or(PAGE);
        for place in places {
            let url = join(&self.base, &place)?;
            let (status, headers, body) = self.get(&url).await?;
            if status == 404 {
                continue;
            }
            if status != 200 {
                return Err(refusal(status, &headers, &body));
            }
            let Ok(Value::Array(sets)) = serde_json::from_slice(&body) else {
                continue;
            };
            return found(&url, &sets, set, (own, page));
        }
        Err(Error::NotFound(format!("{} has no list of data sets: give the address above /datasets", self.address())))
    }

    /// The description of a server of our kind; `None` for others.
    async fn described(&mut self) -> Result<Option<Value>> {
        let url = join(&self.base, WELL_KNOWN)?;
        let (status, headers, body) = self.get(&url).await?;
        if status == 401 || status == 429 || status >= 500 {
            return Err(refusal(status, &headers, &body));
        }
        let discovery: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is = status == 200 && discovery.get("standard").and_then(Value::as_str) == Some("ICAR ADE");
        Ok(is.then_some(discovery))
    }

    /// A page, as it came.
    pub(crate) async fn page(
        &mut self,
        changes: &Url,
        since: Option<&str>,
        (limit, wait): (Option<usize>, Option<u64>),
    ) -> Result<Reply> {
        let mut url = changes.clone();
        if since.is_some() || limit.is_some() || wait.is_some() {
            let mut query = url.query_pairs_mut();
            if let Some(since) = since {
                query.append_pair("since", since);
            }
            if let Some(limit) = limit {
                query.append_pair("limit", &limit.to_string());
            }
            if let Some(wait) = wait {
                query.append_pair("wait", &wait.to_string());
            }
        }
        let (status, headers, body) = self.get(&url).await?;
        if status != 200 {
            return Err(refusal(status, &headers, &body));
        }
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let pause = seconds(text("retry-after")).max(seconds(text("poll-interval")));
        let all = headers.iter();
        let all = all.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        Ok(Reply { answer: Answer::new(status, all, body), pause })
    }
}

fn join(base: &Url, path: &str) -> Result<Url> {
    let joined = base.join(path);
    joined.map_err(|why| Error::NotFound(format!("{path} is no address: {why}")))
}

fn found(list: &Url, sets: &[Value], set: &str, (own, page): (bool, usize)) -> Result<DataSet> {
    let name = |one: &Value| one.get("name").and_then(Value::as_str).map(str::to_owned);
    let Some(one) = sets.iter().find(|one| name(one).as_deref() == Some(set)) else {
        let names: Vec<String> = sets.iter().filter_map(name).collect();
        return Err(Error::NotFound(format!("there is no data set {set}; there are: {}", names.join(", "))));
    };
    let changes = one.get("changes").and_then(Value::as_str);
    let changes =
        changes.ok_or_else(|| Error::NotFound(format!("the data set {set} does not state where its changes are")))?;
    Ok(DataSet {
        name: set.to_owned(),
        changes: join(list, changes)?,
        wait: one.get("wait").and_then(Value::as_u64).filter(|wait| *wait > 0),
        own,
        page,
    })
}

/// The whole body: a connection that ends before the stated length is a fault.
async fn read(mut answer: Response) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|why| broken(&why))? {
        if body.len() + chunk.len() > LONGEST {
            return Err(Error::Refused("the answer is too long to be a page".to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn broken(why: &reqwest::Error) -> Error {
    Error::later(chain(why))
}

/// An error with its causes, without the address: it may contain a token.
fn chain(error: &reqwest::Error) -> String {
    let mut words = if error.is_timeout() {
        "the server did not answer in time".to_owned()
    } else if error.is_connect() {
        "the server cannot be reached".to_owned()
    } else {
        "the connection broke".to_owned()
    };
    let mut cause = std::error::Error::source(error);
    while let Some(one) = cause {
        words = format!("{words}: {one}");
        cause = one.source();
    }
    words
}

/// The error that an answer other than a page means.
fn refusal(status: u16, headers: &HeaderMap, body: &[u8]) -> Error {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let word = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
    let detail = [word("/errors/0/type"), word("/errors/0/title"), word("/errors/0/detail")];
    let detail: Vec<&str> = detail.into_iter().flatten().collect();
    let detail = match (detail.is_empty(), word("/errors/0/message")) {
        (true, Some(message)) => message.to_owned(),
        (true, None) => String::from_utf8_lossy(body).chars().take(200).collect(),
        (false, _) => detail.join(": "),
    };
    let why = format!("status {status} {detail}").trim_end().to_owned();
    match status {
        401 | 403 => Error::SignIn(why),
        404 => Error::NotFound(why),
        408 | 425 | 429 | 500..=599 => {
            Error::Later { why, after: seconds(headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok())) }
        }
        _ => Error::Refused(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_must_be_one() {
        for url in ["", "nowhere", "ftp://example.org", "http://", "/ade"] {
            let refused = Remote::new(url, SignIn::Nobody);
            assert!(matches!(refused, Err(Error::Input(_))), "{url}");
        }
        let url = "https://ann:secret@example.org/ade/v1/?x=1";
        let remote = Remote::new(url, SignIn::Nobody).unwrap();
        assert_eq!(remote.address(), "https://example.org/ade/v1");
    }

    #[test]
    fn a_set_is_found_by_its_name() {
        let list = Url::parse("https://example.org/x/datasets").unwrap();
        let sets = [
            json!({"name": "a", "changes": "datasets/a/changes"}),
            json!({"name": "b", "changes": "/other/b", "wait": 30}),
            json!({"name": "c"}),
        ];
        let a = found(&list, &sets, "a", (false, 5)).unwrap();
        assert_eq!(a.changes.as_str(), "https://example.org/x/datasets/a/changes");
        let b = found(&list, &sets, "b", (true, 5)).unwrap();
        assert_eq!(b.changes.as_str(), "https://example.org/other/b");
        assert_eq!((a.wait, b.wait), (None, Some(30)));
        assert!(found(&list, &sets, "c", (true, 5)).is_err());
        let fault = found(&list, &sets, "d", (true, 5)).unwrap_err().to_string();
        assert!(fault.ends_with("a, b, c"), "{fault}");
    }

    #[test]
    fn who_asks_is_not_printed() {
        let sign_in = SignIn::Password { email: "a@b.example".to_owned(), password: "secret".to_owned() };
        let token = SignIn::Token("secret".to_owned());
        assert!(!format!("{sign_in:?} {token:?}").contains("secret"));
    }
}
