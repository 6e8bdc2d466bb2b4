//! Pushes (the ADE standard, generic data exchange): resources of one data set, or of any, all stored or none.

use super::super::datasets::{self, EVERYTHING, Set};
use super::super::error::{self, Fault, Refusal, Reply};
use super::super::query::request_options::RequestOptions;
use super::super::target::{self, Call};
use super::answers::{self, MESSAGES_HEADER};
use super::full_syncs;
use super::{body_of, elements, later};
use crate::AppState;
use ade::Head;
use ade::dataset::Element;
use axum::body::Body;
use exchange::{Delivery, IntakeOptions};
use mapping::Mapping;
use model::error::{Error, Issue};
use model::fast::IndexSet;
use model::messages::Sentence;
use model::parallel;
use model::registry::Principal;
use model::said;
use serde_json::Value;

pub(in crate::ade) async fn push(Call(app, name, raw, headers): Call<String>, body: Body) -> Reply {
    if datasets::animal_set(&name).is_some() {
        // Of what it holds, each kind has a data set that takes it.
        return Err(target::read_only(&app, &name, "", Mapping::can_push));
    }
    let set = Set::find(&app, &name)?;
    if let Set::One(mapping) = set
        && !mapping.can_push()
    {
        return Err(target::read_only(&app, &name, "", Mapping::can_push));
    }
    let caller = target::signed_in(&app, &headers).await?;
    target::may_write(&caller)?;
    let mut options = RequestOptions::of_push(&app, raw.as_deref(), &headers)?;
    options.intake.atomic = true;
    let full_sync = options.full_sync.take();
    if let Some(id) = &full_sync {
        full_syncs::joins(&app, &caller, id).await?;
    }
    let full_sync = full_sync.map(|id| (id, full_syncs::lease(&app)));
    let bytes = body_of(&app, &headers, body, None).await?;
    let mut content = PushContent { intake: options.intake, deployed: options.deployed, ..PushContent::default() };
    let split = elements(&app, &bytes)?;
    let members = parallel::into_map((0..split.len()).collect(), |at| split.member(at));
    for (at, member) in members.into_iter().flatten().enumerate() {
        match member.value {
            Ok(value) => content.element(&app, set, at, value, member.raw),
            Err(faults) => content.faults.extend(faults.iter().map(Fault::of_json)),
        }
    }
    content.places(&app, &caller).await?;
    if !content.faults.is_empty() {
        return Err(content.refusal(&app));
    }
    let PushContent { deliveries, places, .. } = content;
    let done = (app.exchange).intake().deliver_for_sync(&app.book, caller, deliveries, options.intake, full_sync).await;
    let mut answers = done.map_err(|error| pointed(error, &places))?;
    if let Some(first) = answers.first_mut() {
        options.remark(first);
    }
    let remarks: Vec<Issue> = (answers.iter().zip(&places))
        .flat_map(|(answer, at)| answer.issues.iter().map(move |issue| under(issue, *at)))
        .collect();
    let mut response = datasets::empty();
    if let Some(messages) = answers::header(&remarks, 200) {
        response.headers_mut().insert(MESSAGES_HEADER, messages);
    }
    later(&mut response, split.len());
    Ok(options.granted(response))
}

/// What was sent, as far as it was read.
#[derive(Default)]
struct PushContent {
    deliveries: Vec<Delivery>,
    /// Index of each delivery in the array.
    places: Vec<usize>,
    faults: Vec<Fault>,
    intake: IntakeOptions,
    /// Whether it is refused what the deployed service refused.
    deployed: bool,
}

impl PushContent {
    fn element(&mut self, app: &AppState, set: Set<'_>, at: usize, value: Value, raw: &str) {
        match Element::read(value) {
            Element::Context(_) if at == 0 => {}
            Element::Context(_) => {
                let detail = "The context is the first element.";
                self.fault(error::SHAPE, at, "", detail);
            }
            Element::Continuation(_) if self.deployed => {
                let detail = "A push has no continuation.";
                self.fault(error::SHAPE, at, "", detail);
            }
            // Of no meaning in a push; senders copy it from a feed.
            Element::Continuation(_) => {}
            Element::Resource(doc) => self.resource(app, set, at, doc, raw),
        }
    }

    fn resource(&mut self, app: &AppState, set: Set<'_>, at: usize, doc: Value, raw: &str) {
        if !doc.is_object() {
            return self.fault(error::SHAPE, at, "", "A resource is an object.");
        }
        let (head, _) = Head::read(&doc);
        if self.deployed && head.is_deleted {
            let detail = "A push does not delete.";
            self.fault(error::VALUE, at, "/meta/isDeleted", detail);
        }
        for fault in head.missing_for_exchange() {
            // A single set says the type; the rest is checked with the whole document.
            if fault.pointer == "/location" || fault.pointer == "/meta/sourceId" {
                self.fault(error::MISSING, at, &fault.pointer, fault.message);
            }
        }
        let mapping = match (set, head.resource, head.resource_type) {
            (Set::One(mapping), ..) => Some(mapping),
            (Set::Everything, Some(resource), _) => of_type(app, resource),
            (Set::Everything, None, sent) => {
                if sent.is_none() {
                    let detail = said!("{set} needs the type of each resource.", set = EVERYTHING);
                    return self.fault(error::MISSING, at, "/resourceType", detail);
                }
                None
            }
        };
        let Some(mapping) = mapping else {
            let detail = "Resources of this type cannot be sent to this service.";
            return self.fault(error::VALUE, at, "/resourceType", detail);
        };
        let location = head.location.map(|l| target::number(app, l.scheme, l.id).unwrap_or(0));
        self.deliveries.push(Delivery {
            dataset: mapping.dataset().to_owned(),
            location: location.unwrap_or(-1),
            doc,
            sent: mapping.keeps_sent().then(|| raw.to_owned()),
        });
        self.places.push(at);
    }

    /// Refuses locations that the caller may not use.
    async fn places(&mut self, app: &AppState, caller: &Principal) -> Result<(), Refusal> {
        let requested: IndexSet<i64> =
            (self.deliveries.iter().map(|d| d.location)).filter(|location| *location > 0).collect();
        let requested: Vec<i64> = requested.into_iter().collect();
        let allowed = if caller.sees_all() {
            app.exchange.lists().known_locations(&app.book.store, &requested).await?
        } else {
            caller.organization.into_iter().collect()
        };
        let accredited = |d: &&Delivery| app.exchange.rules().is_accredited(caller, &d.dataset);
        let elsewhere = self.deliveries.iter().filter(accredited).map(|d| d.location);
        let elsewhere: Vec<i64> = elsewhere.filter(|location| *location > 0).collect();
        let elsewhere = match elsewhere.is_empty() {
            true => IndexSet::default(),
            false => (app.exchange.lists().known_locations(&app.book.store, &elsewhere)).await?,
        };
        for (delivery, at) in self.deliveries.iter().zip(&self.places) {
            // -1: none was sent, which is reported already.
            let (location, set) = (delivery.location, Some(delivery.dataset.as_str()));
            let may = allowed.contains(&location)
                || (app.exchange).is_mandated(&app.book, caller, location, set)
                || (accredited(&delivery) && elsewhere.contains(&location));
            if location >= 0 && !may {
                let fault = target::forbidden().at(format!("/{at}/location"));
                self.faults.push(fault);
            } else if !app.exchange.rules().is_sender(caller, &delivery.dataset) {
                let fault = target::others_send(app, &delivery.dataset);
                self.faults.push(fault.at(format!("/{at}")));
            }
        }
        Ok(())
    }

    fn fault(&mut self, kind: error::Kind, at: usize, pointer: &str, detail: impl Into<Sentence>) {
        let fault = Fault::new(kind, detail).at(format!("/{at}{pointer}"));
        self.faults.push(fault);
    }

    /// All faults that can be found without looking into the book.
    fn refusal(mut self, app: &AppState) -> Refusal {
        for (delivery, at) in self.deliveries.iter_mut().zip(&self.places) {
            for issue in app.exchange.intake().checked(delivery, self.intake.strict) {
                if issue.severity == model::error::Severity::Error {
                    self.faults.push(Fault::of(under(&issue, *at), false));
                }
            }
        }
        self.faults.into()
    }
}

/// The writable data set of a resource type.
fn of_type<'h>(app: &'h AppState, resource: &str) -> Option<&'h Mapping> {
    let mut all = app.exchange.rules().mappings().all();
    all.find(|m| m.resource() == resource && m.can_push())
}

fn under(issue: &Issue, at: usize) -> Issue {
    Issue { path: format!("/{at}{}", issue.path), ..issue.clone() }
}

/// Pointers count deliveries; the sender counts elements.
fn pointed(error: Error, places: &[usize]) -> Error {
    let moved = |mut issue: Issue| {
        let path = issue.path.strip_prefix('/').unwrap_or_default();
        let (at, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        let place = at.parse::<usize>().ok().and_then(|at| places.get(at));
        if let Some(place) = place {
            issue.path = format!("/{place}{rest}");
        }
        issue
    };
    match error {
        Error::Invalid(issues) => Error::Invalid(issues.into_iter().map(moved).collect()),
        Error::Forbidden(issues) => Error::Forbidden(issues.into_iter().map(moved).collect()),
        other => other,
    }
}
