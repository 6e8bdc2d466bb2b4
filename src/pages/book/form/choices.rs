//! Records that a typed text may mean: by a part of any number or of the name, with what tells them apart.
//! `/book/<slug>/choices?q=` has them for the script; a form without it comes back with them to choose from.

use super::super::own_collection;
use super::super::query::{searched, written};
use super::called_apart::told_apart;
use super::form_values::{SEVERAL, UNKNOWN, unnamed};
use crate::calls::Fault;
use crate::components::input::{Choice, id_of, proposed};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use axum::http::StatusCode;
use futures_util::future::join_all;
use maud::html;
use model::display::{at, called};
use model::registry::{Collection, Field, Kind};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Letters from which a text is looked for.
const LEAST: usize = 2;
/// Records that are looked at, and those that are proposed: a text that ends a number is the best.
const SEEN: usize = 60;
const PROPOSED: usize = 12;
/// Fields of one form that are looked up.
const FIELDS: usize = 20;

/// What may be chosen in place of a text, by the name of the control.
pub(in crate::book) type Meant = BTreeMap<String, Vec<Choice>>;

/// The condition of the related records that fit a record of a kind ([`Fits`](model::registry::Fits)), as parameters
/// that go on; empty where no kind is said, none where no record fits. Nobody receives from themselves.
pub(in crate::book) fn fitting(c: &Collection, kind: &str, field: &Field, giver: Option<i64>) -> Option<String> {
    let Some(fits) = c.ui.fits.filter(|_| !kind.is_empty()) else {
        return Some(String::new());
    };
    let (reason, receiver) = (&fits.reason, &fits.receiver);
    if reason.relation == field.path {
        let own = reason.words.iter().find(|(own, _)| *own == kind);
        let own = own.map(|(_, word)| format!("&where[or][1][{}][equals]={word}", reason.word));
        return Some(format!("&where[or][0][{}][exists]=false{}", reason.word, own.unwrap_or_default()));
    }
    if receiver.relation == field.path && receiver.without.contains(&kind) {
        return None;
    }
    if receiver.relation != field.path || !receiver.kinds.contains(&kind) {
        return Some(String::new());
    }
    let among = receiver.among.iter().enumerate().flat_map(|(place, all)| {
        all.iter().map(move |(path, operator, value)| format!("&where[or][{place}][{path}][{operator}]={value}"))
    });
    let other = giver.map(|id| format!("&where[id][not_equals]={id}"));
    Some(among.chain(other).collect())
}

/// The fault of a receiver that does not fit the kind that was typed, or that the record has. Where many fit, their
/// names are typed.
pub(in crate::book) async fn unfit_receiver(
    shell: &Shell<'_>,
    c: &Collection,
    (body, record): (&Map<String, Value>, &Value),
) -> Option<Fault> {
    let fits = c.ui.fits?;
    let kind = body.get(fits.kind).unwrap_or(at(record, fits.kind)).as_str()?;
    let receiver = fits.receiver_of(fits.kind, kind)?;
    let (field, id) = (c.field(receiver.relation)?, body.get(receiver.relation)?.as_i64()?);
    let condition = fitting(c, kind, field, None)?;
    let path = format!("/api/{}?where[id][equals]={id}{condition}", field.target()?);
    let answer = shell.get(&format!("{path}&limit=1&depth=0&joins=false&select[id]=true")).await;
    let unfit = answer.is_good() && answer.docs().is_empty();
    unfit.then(|| Fault { path: field.path.clone(), message: shell.text("page-unfit-receiver"), record: None })
}

/// The records that a text may mean, among those of a condition.
async fn meant(
    shell: &Shell<'_>,
    target: &'static Collection,
    among: Vec<(String, String)>,
    text: &str,
) -> Vec<Choice> {
    let Some(roster) = target.ui.roster.filter(|_| text.chars().count() >= LEAST && id_of(text).is_none()) else {
        return Vec::new();
    };
    let paths = searched(target);
    let mut query = among;
    for (place, path) in paths.iter().enumerate() {
        query.push((format!("where[and][9][or][{place}][{path}][contains]"), text.to_owned()));
    }
    let shown = called(target).into_iter().chain(paths.iter().copied()).chain(roster.apart.iter().copied());
    let shown: BTreeSet<&str> = shown.collect();
    query.extend(shown.iter().map(|path| (format!("select[{}]", path.replace('.', "][")), "true".to_owned())));
    let most = SEEN.to_string();
    let rest = [("depth", "0"), ("joins", "false"), ("limit", &most), ("pagination", "false"), ("sort", roster.order)];
    query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let answer = shell.get(&format!("/api/{}?{}", target.slug, written(&query))).await;
    let ends = |doc: &Value| paths.iter().any(|path| at(doc, path).as_str().is_some_and(|own| own.ends_with(text)));
    let mut docs: Vec<&Value> = answer.docs().iter().collect();
    docs.sort_by_key(|doc| !ends(doc));
    let choice = |doc: &Value| Some(Choice { id: at(doc, "id").as_i64()?, name: told_apart(shell, target, doc) });
    docs.into_iter().filter_map(choice).take(PROPOSED).collect()
}

/// What may be chosen in place of texts that name no single record: of each control the field and the text. Its fault
/// then asks which one is meant.
pub(in crate::book) async fn for_faults(
    shell: &Shell<'_>,
    c: &'static Collection,
    controls: Vec<(String, &'static Field, String)>,
    faults: &mut [Fault],
) -> Meant {
    let unnamed: BTreeSet<(String, String)> = (controls.iter())
        .flat_map(|(name, field, text)| {
            let slug = field.target().unwrap_or_default();
            [UNKNOWN, SEVERAL].map(|sentence| (name.clone(), unnamed(shell, slug, &sentence.into(), text.trim())))
        })
        .collect();
    let asks = |fault: &Fault| {
        unnamed.iter().any(|(name, said)| fault.path == *name && fault.message.starts_with(said.as_str()))
    };
    let all = controls.into_iter().filter(|(name, field, _)| {
        matches!(field.kind, Kind::Relation(_)) && faults.iter().any(|fault| fault.path == *name && asks(fault))
    });
    let all = all.take(FIELDS).map(async |(name, field, text)| {
        let target = field.target().and_then(|slug| shell.pages.site.registry.get(slug))?;
        let choices = meant(shell, target, proposed(shell, c, field, target), text.trim()).await;
        (!choices.is_empty()).then_some((name, choices))
    });
    let meant: Meant = join_all(all).await.into_iter().flatten().collect();
    for fault in faults.iter_mut().filter(|fault| meant.contains_key(&fault.path) && asks(fault)) {
        fault.message = shell.text("page-which-one");
    }
    meant
}

/// `GET /book/<slug>/choices?q=`: the list for the control in which the text is typed.
pub(crate) async fn choices(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    if c.ui.roster.is_none() {
        return Err(Stop::missing(&shell));
    }
    let query = visitor.query();
    let among = query.0.iter().filter(|(name, _)| name.starts_with("where[")).cloned().collect();
    let all = meant(&shell, c, among, query.get("q").unwrap_or_default().trim()).await;
    let list = html! { datalist { @for one in &all { option value={ "[" (one.id) "] " (one.name) } {} } } };
    Ok(page(StatusCode::OK, list.into_string()))
}
