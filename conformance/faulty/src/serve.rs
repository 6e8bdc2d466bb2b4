//! From a request to an answer: addresses, methods, tags, compression.

use crate::fault::Fault;
use crate::mode::Mode;
use crate::token;
use crate::watch::Exchange;
use crate::wire::answer::{Answer, Problem};
use crate::wire::request::Request;
use crate::world::{ASSOCIATION, FARM, PASSWORD, World};
use ade::catalog::{Catalog, CollectionEntry, Verb};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write as _;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Bodies below this are not compressed.
const SMALL: usize = 200;

fn not_found(path: &str) -> Problem {
    Problem::new(404, "route-unknown", format!("{path} leads nowhere."))
}

impl World {
    /// Whether a collection is served.
    pub(crate) fn offers(&self, entry: &CollectionEntry) -> bool {
        crate::seed::collections().contains(&entry.name.as_str()) || entry.name == "service-sires"
    }

    /// Answers a request, and records it in the log.
    pub(crate) async fn answer(&self, request: &Request) -> Answer {
        let arrived = Instant::now();
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let busy = self.busy(number, request);
        let answer = match busy {
            Some(busy) => busy,
            None => self.routed(request).await,
        };
        let mut answer = self.finish(request, self.dress(answer));
        answer.demands.cut |= answer.cut.is_some();
        let sent = match request.segments.iter().any(|part| part == "batches") {
            true => crate::resources::intake::names(&request.body),
            false => Vec::new(),
        };
        self.log().push(Exchange {
            arrived,
            answered: Instant::now(),
            account: account(request).to_owned(),
            method: request.method.clone(),
            target: request.target(),
            since: request.parameter("since").map(str::to_owned),
            if_none_match: request.header("if-none-match").map(str::to_owned),
            sent,
            status: answer.status,
            demands: answer.demands.clone(),
        });
        answer
    }

    /// The answer 429 to each `busy_every`th reading request, as to a client that sends too many.
    fn busy(&self, number: u64, request: &Request) -> Option<Answer> {
        let every = self.options.busy_every.filter(|every| *every > 0)?;
        let reading = request.method == "GET" && request.segments.first().is_some_and(|s| s == "ade");
        if !reading || !number.is_multiple_of(every) {
            return None;
        }
        let mut answer = self.refuse(&[Problem::new(429, "busy", "Come back later.")]);
        let after = self.options.disturb.retry_after;
        if !self.is(Fault::RetryAfterMissing) {
            answer.set("Retry-After", after.to_string());
        }
        if self.is(Fault::RetryAfterWords) {
            answer.set("Retry-After", "soon");
        }
        answer.demands.retry_after = Some(after);
        Some(answer)
    }

    async fn routed(&self, request: &Request) -> Answer {
        let mut waited = false;
        loop {
            let mut changed = self.changed.subscribe();
            let (answer, wait) = match self.route(request) {
                Ok(found) => found,
                Err(mut problems) => {
                    let sent = request.header("authorization").unwrap_or_default();
                    for one in problems.iter_mut().filter(|_| self.is(Fault::SecretEchoed)) {
                        one.detail = format!("{} You sent {sent}.", one.detail);
                    }
                    (self.refuse(&problems), None)
                }
            };
            let Some(seconds) = wait.filter(|_| !waited) else {
                return answer;
            };
            if self.is(Fault::WaitIgnored) {
                return answer;
            }
            let end = tokio::time::sleep(Duration::from_secs(seconds));
            tokio::pin!(end);
            tokio::select! {
                () = &mut end => waited = true,
                _ = changed.changed() => waited = self.is(Fault::WaitSleepsThrough),
            }
            if self.is(Fault::WaitSleepsThrough) {
                end.await;
            }
        }
    }

    /// The answer, and the seconds that the call may wait for a later one.
    fn route(&self, request: &Request) -> Result<(Answer, Option<u64>), Vec<Problem>> {
        let plain = |answer: Answer| Ok((answer, None));
        let decoded: Vec<&str> = request.segments.iter().map(String::as_str).collect();
        let segments = match self.is(Fault::PathNotDecoded) {
            true => request.path.split('/').filter(|part| !part.is_empty()).collect(),
            false => decoded,
        };
        let method = request.method.as_str();
        match segments.as_slice() {
            _ if method == "HEAD" && self.is(Fault::HeadAs500) => {
                return Err(Problem::new(500, "internal", "no handler").into());
            }
            [".well-known", "ade"] if !self.has(Mode::NoWellKnown) => {
                self.only(method, &["GET", "HEAD"])?;
                return plain(self.description());
            }
            ["api", "users", "login"] => {
                self.only(method, &["POST"])?;
                return plain(self.login(request));
            }
            ["ade", "v1", ..] => {}
            _ => return Err(not_found(&request.path).into()),
        }
        self.crashes(request, &segments)?;
        let who = self.who(request)?;
        self.below(who, segments.get(2..).unwrap_or_default(), request)
    }

    /// Crashes that a request may not cause.
    fn crashes(&self, request: &Request, segments: &[&str]) -> Result<(), Vec<Problem>> {
        let mut names = request.query.iter().map(|(name, _)| name);
        if self.is(Fault::UnknownParameterCrashes)
            && let Some(name) = names.find(|name| strange(name))
        {
            return Err(Problem::new(500, "internal", format!("no handler for {name}")).into());
        }
        let odd = |part: &&str| part.contains(['\'', '\0', '"', ';', '<']);
        if self.is(Fault::OddCharactersCrash)
            && (segments.iter().any(odd) || request.query.iter().any(|(_, v)| odd(&v.as_str())))
        {
            return Err(Problem::new(500, "internal", "SQL error near \"'\"").into());
        }
        Ok(())
    }

    /// The answer of an address of the exchange.
    fn below(&self, who: &str, rest: &[&str], request: &Request) -> Result<(Answer, Option<u64>), Vec<Problem>> {
        let plain = |answer: Answer| Ok((answer, None));
        let method = request.method.as_str();
        let read = ["GET", "HEAD"];
        match rest {
            [] => {
                self.only(method, &read)?;
                plain(self.description())
            }
            ["locations", ..] | ["batches", ..] | ["service-sires"] if self.has(Mode::DatasetsOnly) => {
                Err(not_found(&request.path).into())
            }
            ["datasets" | "dataset", ..] if self.has(Mode::LocationsOnly) => Err(not_found(&request.path).into()),
            ["locations"] => {
                self.only(method, &read)?;
                plain(self.locations(who, request))
            }
            ["service-sires"] => {
                self.only(method, &read)?;
                let entry = Catalog::get().collection("service-sires");
                let entry = entry.ok_or_else(|| vec![not_found(&request.path)])?;
                plain(self.sires(who, entry, request)?)
            }
            ["locations", scheme, id, name] => {
                let anything = request.header("accept") == Some("*/*");
                if anything && *name == "weights" && self.is(Fault::AnythingNotAcceptable) {
                    let problem = Problem::new(406, "not-acceptable", "Ask for application/json.");
                    return Err(problem.into());
                }
                plain(self.collection((who, scheme, id), name, request)?)
            }
            ["locations", scheme, id, name, number] => {
                let place = self.place(who, scheme, id)?;
                let entry = self.entry(name)?;
                self.only(method, &read)?;
                let found = self.one(place, entry, number);
                let missing = || vec![Problem::new(404, "resource-not-found", "It is not there.")];
                plain(found.ok_or_else(missing)?)
            }
            ["batches", "locations", scheme, id, name] => {
                let place = self.writable(who, scheme, id)?;
                let entry = Catalog::get().batch(name);
                let entry = entry.filter(|one| self.offers(one) && one.allows(Verb::Batch));
                let entry = entry.ok_or_else(|| vec![unknown_collection(name)])?;
                self.only(method, &["POST"])?;
                plain(self.batch(place, entry, request)?)
            }
            ["datasets" | "dataset", ..] => self.data_sets(who, rest, request),
            _ => Err(not_found(&request.path).into()),
        }
    }

    /// The answer of an address of data sets.
    fn data_sets(&self, who: &str, rest: &[&str], request: &Request) -> Result<(Answer, Option<u64>), Vec<Problem>> {
        let plain = |answer: Answer| Ok((answer, None));
        let (method, read) = (request.method.as_str(), ["GET", "HEAD"]);
        match rest {
            ["datasets"] => {
                self.only(method, &read)?;
                plain(self.sets(request))
            }
            ["datasets", name] => {
                let set = self.set(name)?;
                self.only(method, &read)?;
                plain(Answer::json(200, &self.shape(self.describe(request, name, set))))
            }
            ["datasets", name, "changes"] => {
                self.only(method, &read)?;
                let page = self.changes(who, name, request)?;
                let answer = self.disturbed(page.answer);
                let wait = request.number::<u64>("wait").filter(|_| page.idle);
                Ok((answer, wait.map(|wait| wait.min(crate::resources::feed::WAIT))))
            }
            ["datasets" | "dataset", name, "resources"] => {
                let set = match self.set(name) {
                    Err(_) if self.is(Fault::PushToAnySet) => None,
                    other => other?,
                };
                if rest.first() == Some(&"dataset") && self.is(Fault::PushOneSpelling) {
                    return Err(not_found(&request.path).into());
                }
                self.only(method, &["POST"])?;
                plain(self.push(who, set, request)?)
            }
            _ => Err(not_found(&request.path).into()),
        }
    }

    /// A collection of a location, for all methods.
    fn collection(
        &self,
        (who, scheme, id): (&str, &str, &str),
        name: &str,
        request: &Request,
    ) -> Result<Answer, Vec<Problem>> {
        let empty = || Answer::json(200, &json!({"view": {"totalItems": 0}, "member": []}));
        let place = match request.method.as_str() {
            "POST" => self.writable(who, scheme, id),
            _ => self.place(who, scheme, id),
        };
        let place = match place {
            Err(_) if self.is(Fault::UnknownLocationEmpty) => return Ok(empty()),
            other => other?,
        };
        let entry = match self.entry(name) {
            Err(_) if self.is(Fault::UnknownCollectionEmpty) && request.method == "GET" => {
                return Ok(empty());
            }
            other => other?,
        };
        let writes = entry.allows(Verb::Post);
        let allowed: &[&str] = match writes {
            true => &["GET", "HEAD", "POST"],
            false => &["GET", "HEAD"],
        };
        if request.method == "POST" && !writes && self.is(Fault::PostToReadOnlyAccepted) {
            return Ok(Answer::json(200, &json!({})));
        }
        if matches!(request.method.as_str(), "PUT" | "PATCH") && self.is(Fault::PutAnswers200) {
            return Ok(empty());
        }
        self.only(&request.method, allowed)?;
        match request.method.as_str() {
            "POST" => self.post(place, entry, request),
            _ => self.list(place, entry, request),
        }
    }

    fn entry(&self, name: &str) -> Result<&'static CollectionEntry, Problem> {
        let entry = Catalog::get().collection(name);
        let entry = entry.filter(|one| self.offers(one) && one.scoped);
        entry.ok_or_else(|| unknown_collection(name))
    }

    fn writable(&self, who: &str, scheme: &str, id: &str) -> Result<usize, Problem> {
        let found = self.own_place(who, scheme, id);
        if found.is_err() && self.is(Fault::ForeignWriteAccepted) {
            return self.place(ASSOCIATION, scheme, id);
        }
        if found.is_err() && self.is(Fault::AnyLocationWritable) {
            return Ok(0);
        }
        found
    }

    /// Refuses methods that an address does not have.
    fn only(&self, method: &str, allowed: &[&str]) -> Result<(), Problem> {
        if allowed.contains(&method) || self.is(Fault::AnyMethodAnswers) {
            return Ok(());
        }
        let mut problem = Problem::new(405, "method-not-allowed", "This method is not offered at this address.");
        if self.is(Fault::MethodAs500) {
            problem.status = 500;
        }
        problem.allow = Some(allowed.join(", ").into());
        Err(problem)
    }

    fn description(&self) -> Answer {
        if self.is(Fault::WellKnownIsText) {
            return Answer::json(200, &json!("an ADE server"));
        }
        let mut body = json!({
            "service": "faulty-server", "standard": "ICAR ADE", "version": ade::VERSION,
            "addresses": {"self": "/ade/v1", "locations": "/ade/v1/locations",
                "datasets": "/ade/v1/datasets", "serviceSires": "/ade/v1/service-sires"},
            "signIn": {"header": "Authorization", "words": ["Bearer"]},
            "schemes": {"animal": [{"scheme": crate::seed::ANIMAL_SCHEME}],
                "location": [crate::seed::LOCATION_SCHEME]},
            "limits": {"pageSize": {"default": self.options.page, "max": 200},
                "changes": {"default": self.options.changes, "max": 1000, "wait": crate::resources::feed::WAIT},
                "batch": crate::resources::intake::MOST},
            "retention": {"tombstoneDays": 400},
        });
        let lacking = match () {
            () if self.has(Mode::LocationsOnly) => "datasets",
            () if self.has(Mode::DatasetsOnly) => "locations",
            () => "",
        };
        if let Some(addresses) = body.get_mut("addresses").and_then(Value::as_object_mut) {
            addresses.remove(lacking);
        }
        Answer::json(200, &self.shape(body))
    }

    fn login(&self, request: &Request) -> Answer {
        let read: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let text = |name: &str| read.get(name).and_then(Value::as_str).unwrap_or_default();
        let account = [ASSOCIATION, FARM].into_iter().find(|one| *one == text("email"));
        match account {
            Some(account) if text("password") == PASSWORD => {
                let body = json!({"message": "Authentication Passed", "token": token::session(account),
                    "user": {"email": account}});
                Answer::json(200, &body)
            }
            None if self.is(Fault::LoginLeaks) => {
                let words = format!("There is no account {}.", text("email"));
                let body = json!({"errors": [{"message": words, "title": words}]});
                Answer::json(404, &body)
            }
            _ => {
                let words = "The email or password provided is incorrect.";
                let body = json!({"errors": [{"message": words, "title": words}]});
                let mut answer = Answer::json(401, &body);
                if !self.is(Fault::ChallengeMissing) {
                    answer.set("WWW-Authenticate", "Bearer");
                }
                answer
            }
        }
    }

    /// Tags, compresses and cuts an answer.
    fn finish(&self, request: &Request, mut answer: Answer) -> Answer {
        let page = answer.status == 200 && matches!(request.method.as_str(), "GET" | "HEAD") && !answer.body.is_empty();
        if page {
            self.tag(request, &mut answer);
        }
        if page && answer.status == 200 {
            crate::spoil::body(self, request, &mut answer.body);
        }
        let takes = request.header("accept-encoding").unwrap_or_default();
        let gzip = takes.split(',').any(|one| one.trim().starts_with("gzip") && !one.contains("q=0"));
        let long = answer.body.len() > SMALL && page;
        if long && (gzip || takes == "identity" && self.is(Fault::GzipUnasked)) {
            self.compress(&mut answer);
        }
        if long && !self.is(Fault::VaryMissing) {
            answer.set("Vary", "Accept-Encoding, Authorization");
        }
        if self.has(Mode::Charset) && answer.header("Content-Type") == Some("application/json") {
            answer.set("Content-Type", "application/json; charset=utf-8");
        }
        let listing = request.path.trim_end_matches('/').ends_with("/weights");
        if self.is(Fault::BodyCut) && listing && answer.status == 200 && page {
            answer.cut = Some(answer.body.len() / 2);
        }
        self.break_off(&mut answer);
        answer
    }

    fn tag(&self, request: &Request, answer: &mut Answer) {
        if self.has(Mode::NoEtag) || self.is(Fault::TagMissing) {
            return;
        }
        let tag = match () {
            () if self.is(Fault::TagOfPath) => token::tag(format!("{} {}", account(request), request.path).as_bytes()),
            () if self.is(Fault::TagStaysAfterChange) => {
                token::tag(format!("{} {}", account(request), request.target()).as_bytes())
            }
            () if self.is(Fault::TagEachTime) => {
                let count = self.requests.load(Ordering::Relaxed);
                token::tag(&count.to_be_bytes())
            }
            () => token::tag(&answer.body),
        };
        answer.set("ETag", tag.clone());
        let cache = match self.is(Fault::CachePublic) {
            true => "public, max-age=600",
            false => "private, no-cache",
        };
        answer.set("Cache-Control", cache);
        answer.demands.etag = Some(tag.clone());
        let Some(tags) = request.header("if-none-match") else {
            return;
        };
        let mut same = tags.split(',').any(|one| one.trim().trim_start_matches("W/") == tag);
        same |= self.is(Fault::NotModifiedAlways);
        let (target, own) = (request.target(), account(request));
        let gave = |fits: &dyn Fn(&Exchange) -> bool| {
            let log = self.log();
            log.iter().any(|one| one.demands.etag.as_deref() == Some(tags) && fits(one))
        };
        if self.is(Fault::NotModifiedAfterChange) {
            // Believes every tag that it ever gave for this address.
            same |= gave(&|one| one.target == target && one.account == own);
        }
        if self.is(Fault::NotModifiedToAnother) {
            same |= gave(&|one| one.account != own);
        }
        if same && !self.is(Fault::NotModifiedNever) {
            answer.status = 304;
            answer.body.clear();
            answer.headers.retain(|(name, _)| *name != "Content-Type");
        }
    }

    fn compress(&self, answer: &mut Answer) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let body = match self.is(Fault::GzipOtherText) {
            true => br#"{"member": []}"#.as_slice(),
            false => &answer.body,
        };
        if encoder.write_all(body).is_err() {
            return;
        }
        let Ok(mut packed) = encoder.finish() else {
            return;
        };
        if self.is(Fault::GzipBroken) {
            packed.truncate(packed.len().saturating_sub(12));
        }
        if !self.is(Fault::GzipSaidOnly) {
            answer.body = packed;
        }
        if self.is(Fault::GzipNotSaid) {
            return;
        }
        answer.set("Content-Encoding", "gzip");
        // The bytes differ, so the strong tag must; weak ones may be shared.
        if let Some(tag) = answer.header("ETag").map(str::to_owned)
            && !self.is(Fault::TagOfPath)
        {
            answer.set("ETag", format!("W/{tag}"));
        }
    }
}

/// Whose request it is; empty for strangers.
fn account(request: &Request) -> &'static str {
    let sent = request.header("authorization").unwrap_or_default();
    let token = sent.split_once(' ').map_or("", |(_, token)| token.trim());
    token::account(token).unwrap_or_default()
}

fn strange(name: &str) -> bool {
    let known = [
        "page",
        "pageSize",
        "after",
        "since",
        "limit",
        "types",
        "wait",
        "from",
        "latestOnly",
        "location-scheme",
        "location-id",
    ];
    !known.contains(&name) && ade::catalog::Filter::of_parameter(name).is_none()
}

fn unknown_collection(name: &str) -> Problem {
    Problem::new(404, "collection-unknown", format!("{name} is not served."))
}
