//! The start of a visit: signing in, finding the paths and the offered collections.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use ade::catalog::{Catalog, CollectionEntry, Verb};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use url::Url;

use super::lists::place;
use super::{Location, Notes, Offer, Offered, Page, Visit, below, with};
use crate::client::{Ask, Client, Exchange, Who};
use crate::document;
use crate::options::{Auth, Options, Progress};

/// Common paths for sign-in, relative to the host.
const SIGN_IN: [&str; 3] = ["/api/users/login", "/login", "/auth/login"];
/// The number of locations that are read to find the fullest.
const LOOKED_AT: usize = 8;

impl<'p> Visit<'p> {
    /// Begins a visit to a server.
    ///
    /// # Errors
    /// The reason why nothing can be tested.
    pub(crate) async fn open(options: Options, progress: &'p dyn Progress) -> Result<Self, String> {
        let given = address(&options.url)?;
        let mut client = Client::new(options.rate, options.timeout, options.bounds, given.scheme() == "https")?;
        progress.stage("Arriving", None);
        let mut login_url = None;
        for (who, auth) in [(Who::Main, options.auth.clone()), (Who::Other, options.other.clone())] {
            let signed = sign(&mut client, &options, &given, who, &auth).await?;
            if let Some(url) = signed.filter(|_| who == Who::Main) {
                login_url = Some(url);
            }
        }
        let base = find(&client, &given).await?;
        let mut visit = Self {
            options,
            client,
            progress,
            base,
            locations: None,
            places: Vec::new(),
            place: None,
            offered: Vec::new(),
            datasets: None,
            refused_any: Vec::new(),
            login_url,
            listings: OnceCell::new(),
            readings: OnceCell::new(),
            held: AtomicUsize::new(0),
            left_out: Notes::default(),
            changed: Notes::default(),
            refused: Notes::default(),
            left_behind: Notes::default(),
        };
        visit.see_locations().await;
        visit.see_sets().await;
        visit.see_collections().await;
        // Compression is judged where it is requested.
        let json = |e: &Exchange| e.not_json().is_none() || e.header("content-encoding").is_some();
        let nothing = visit.pages().next().is_none()
            && !visit.locations.iter().any(|page| json(&page.exchange))
            && !visit.datasets.iter().any(|e| json(e));
        if nothing {
            let strange = visit.client.exchanges().iter().find_map(|e| no_ade(e));
            return Err(strange.unwrap_or_else(|| {
                format!(
                    "{} answers neither for locations nor for collections nor for data sets{}",
                    visit.base,
                    if visit.place.is_none() { "; name a location with --location" } else { "" }
                )
            }));
        }
        Ok(visit)
    }

    async fn see_locations(&mut self) {
        let url = self.url("/locations");
        let exchange = self.client.get(&url).await;
        if exchange.status == 200 {
            let page = Page::read(exchange);
            if let Some(entry) = Catalog::get().collection("locations") {
                let most = self.options.bounds.pages;
                let listing = self.follow(entry, url, page.clone(), most, Who::Main).await;
                self.places = listing.documents().filter_map(place).collect();
            }
            self.locations = Some(page);
        }
        self.place = match &self.options.location {
            Some((scheme, id)) => Some(Location { scheme: scheme.clone(), id: id.clone() }),
            None => self.fullest().await,
        };
    }

    /// The location with most animals, or most weights, among the first.
    async fn fullest(&self) -> Option<Location> {
        let mut best: Option<(u64, Location)> = None;
        for place in self.places.iter().take(LOOKED_AT) {
            if self.places.len() == 1 {
                break;
            }
            let mut documents = 0;
            for name in ["animals", "weights"] {
                let url = self.url(&format!("{}/{name}", place.path()));
                let exchange = self.client.get(&url).await;
                if exchange.status == 200 {
                    let page = Page::read(exchange);
                    let members = u64::try_from(page.members.len()).unwrap_or_default();
                    documents = page.number("totalItems").unwrap_or(members);
                    break;
                }
            }
            if best.as_ref().is_none_or(|(most, _)| documents > *most) {
                best = Some((documents, place.clone()));
            }
        }
        best.map(|(_, place)| place).or_else(|| self.places.first().cloned())
    }

    async fn see_sets(&mut self) {
        let exchange = self.client.get(&self.url("/datasets")).await;
        if exchange.status == 200 {
            self.datasets = Some(exchange);
        }
    }

    async fn see_collections(&mut self) {
        let entries: Vec<&'static CollectionEntry> = Catalog::get()
            .collections()
            .iter()
            .filter(|e| e.allows(Verb::Get) && !e.single && !e.name.contains('{'))
            .filter(|e| e.name != "locations")
            .collect();
        self.progress.stage("What is offered", u64::try_from(entries.len()).ok());
        for entry in entries {
            self.progress.step(&entry.name);
            let Some(mut url) = self.collection(entry) else {
                continue;
            };
            for filter in &entry.required {
                for name in filter.parameters() {
                    url = with(&url, &[(name, "P1D")]);
                }
            }
            if self.too_much() {
                self.left_out.add("collections: not all were looked at".to_owned());
                break;
            }
            let mut exchange = self.client.get(&url).await;
            self.hold(exchange.body.len());
            if exchange.status == 406 {
                // A server that accepts requests for JSON only gets requests for JSON from now on.
                self.client.ask_for_json();
                self.refused_any.push(exchange);
                exchange = self.client.get(&url).await;
            }
            let offer = match exchange.status {
                _ if exchange.disguised() => Offer::No,
                200 if exchange.not_json().is_none() => Offer::Yes(Page::read(exchange)),
                // The rights of a caller can differ by type.
                401 | 403 | 404 | 405 | 410 | 501 => Offer::No,
                _ => Offer::Unclear(exchange),
            };
            self.offered.push(Offered { entry, offer });
        }
    }
}

fn address(text: &str) -> Result<Url, String> {
    let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let mut url = Url::parse(&text).map_err(|why| format!("{text}: {why}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(format!("{text} is no address of a server"));
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

fn host(url: &Url) -> Url {
    let mut host = url.clone();
    host.set_path("");
    host
}

/// Signs all requests of an account; returns the address of the sign-in, if there was one.
async fn sign(
    client: &mut Client,
    options: &Options,
    given: &Url,
    who: Who,
    auth: &Auth,
) -> Result<Option<Url>, String> {
    let bearer = |token: &str| vec![("Authorization".to_owned(), format!("Bearer {token}"))];
    match auth {
        Auth::None => Ok(None),
        Auth::Token(token) => {
            client.sign(who, bearer(token));
            Ok(None)
        }
        Auth::Headers(headers) => {
            client.sign(who, headers.clone());
            Ok(None)
        }
        Auth::Login { email, password } => {
            client.hide(password);
            let host = host(given);
            let mut tried: Vec<Url> = Vec::new();
            match &options.login_path {
                Some(path) => tried.push(host.join(path).map_err(|why| format!("sign-in {path}: {why}"))?),
                None => {
                    for path in SIGN_IN {
                        tried.push(below(&host, path));
                    }
                    tried.push(below(given, "/login"));
                }
            }
            let mut last = None;
            for url in tried {
                let body = json!({"email": email, "username": email, "password": password});
                let ask = Ask::post(&url, &body).by(Who::Nobody);
                let exchange = client.send(ask).await;
                let token = exchange.json().and_then(token);
                if let Some(token) = token.filter(|_| exchange.ok()) {
                    client.sign(who, bearer(&token));
                    return Ok(Some(url));
                }
                let final_word = !matches!(exchange.status, 0 | 404 | 405);
                last = Some((url, exchange));
                if final_word {
                    break;
                }
            }
            Err(match last {
                Some((url, e)) if e.status > 0 => {
                    no_ade(&e).unwrap_or_else(|| format!("the sign-in at {url} was answered with {}", e.status))
                }
                Some((url, e)) => format!("{url} cannot be reached: {}", e.broken.as_deref().unwrap_or("no answer")),
                None => "no address to sign in at".to_owned(),
            })
        }
    }
}

/// Why an answer cannot come from an ADE server, in words; `None` if it may.
fn no_ade(e: &Exchange) -> Option<String> {
    let exchange = format!("{} {} gave {}", e.method, e.url, e.status);
    let kind = e.header("content-type").unwrap_or("no media type");
    let start = e.body.get(..256).unwrap_or(&e.body).trim_ascii_start();
    let html = kind.to_ascii_lowercase().contains("html") || start.starts_with(b"<");
    if e.url.path().contains("/.well-known/") || e.header("content-encoding").is_some() {
        None
    } else if e.status >= 500 {
        Some(format!("The server only fails: {exchange}"))
    } else if !e.ok() {
        None
    } else if let Some(why) = &e.broken {
        let length = e.body.len();
        Some(format!("The server's answers break off: {exchange} and {length} bytes, then: {why}"))
    } else if html {
        Some(format!("The server answers HTML, not ADE: {exchange} {kind}"))
    } else {
        let why = e.not_json()?;
        Some(format!("The server answers no JSON, so not ADE: {exchange} {kind} ({why})"))
    }
}

fn token(answer: &Value) -> Option<String> {
    let names = ["token", "access_token", "accessToken", "jwt"];
    names.iter().find_map(|name| document::text(answer, &format!("/{name}"))).map(str::to_owned)
}

/// Where the standard's paths live.
async fn find(client: &Client, given: &Url) -> Result<Url, String> {
    let mut candidates = vec![given.clone()];
    let host = host(given);
    let discovery = client.get(&below(&host, "/.well-known/ade")).await;
    let address = discovery
        .json()
        .filter(|_| discovery.status == 200)
        .and_then(|v| document::text(v, "/addresses/self"))
        .and_then(|link| host.join(link).ok());
    candidates.extend(address.filter(|url| url.origin() == given.origin()));
    for path in ["/ade/v1", "/ade", "/api/ade/v1"] {
        candidates.push(below(given, path));
    }
    let mut refused: Option<(Url, Arc<Exchange>)> = None;
    let mut silent = None;
    let mut seen = Vec::new();
    for mut base in candidates {
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        if seen.contains(&base) {
            continue;
        }
        seen.push(base.clone());
        for path in ["/locations", "/datasets"] {
            let exchange = client.get(&below(&base, path)).await;
            match exchange.status {
                200 if exchange.json().is_some_and(is_list) => return Ok(base),
                0 => silent = exchange.broken.clone(),
                401 | 403 => refused = refused.or(Some((base.clone(), exchange))),
                _ => {}
            }
        }
        if silent.is_some() {
            break;
        }
    }
    if let Some(why) = silent {
        // Answers that break off count as missing, and after a few of them no more requests are sent.
        let strange = client.exchanges().iter().find_map(|e| no_ade(e));
        return Err(strange.unwrap_or_else(|| format!("{given} cannot be reached: {why}")));
    }
    match refused {
        Some((base, e)) if client.signed(Who::Main) => {
            Err(format!("{base} does not let this account in (status {})", e.status))
        }
        Some((base, e)) => {
            Err(format!("{base} requires a sign-in (status {}); give --token, --login or --header", e.status))
        }
        // Servers without /locations and data sets get requests for the location given.
        None => Ok(given.clone()),
    }
}

fn is_list(answer: &Value) -> bool {
    answer.is_array() || answer.get("member").is_some() || answer.get("view").is_some()
}
