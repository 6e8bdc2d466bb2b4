//! The form of a mating plan, as the request of the REST face.

use super::{BULLS, CARRIERS, FEMALES, GOAL, IN_STOCK, LIMITS, STORE, WEIGHT, WORKBOOK};
use crate::book::form::form_values::{resolved, unnamed};
use crate::components::input::lines;
use crate::components::shell::Shell;
use crate::words::Form;
use model::registry::Collection;
use model::registry::mating::{MALE, SEX, STOCK};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What stands between a bull and the doses of his semen.
const DOSES: char = '=';

/// The body of the request; what names no animal is a fault.
pub(super) async fn of(shell: &Shell<'_>, c: &'static Collection, form: &Form, faults: &mut Vec<String>) -> Value {
    let texts: Vec<&str> = form.all(FEMALES).collect();
    let females = ids(shell, c, lines(&texts), faults).await;
    let texts: Vec<&str> = form.all(BULLS).collect();
    let (bulls, doses): (Vec<&str>, Vec<Option<&str>>) = lines(&texts).into_iter().map(bull_and_doses).unzip();
    let bulls = ids(shell, c, bulls, faults).await;
    let doses =
        bulls.iter().zip(doses).filter_map(|(bull, doses)| Some(json!({"bull": bull, "doses": number(doses?)})));
    let doses: Vec<Value> = doses.collect();
    let mut limits: Map<String, Value> =
        LIMITS.iter().filter_map(|name| Some(((*name).to_owned(), number(form.get(name)?)))).collect();
    limits.insert(CARRIERS.to_owned(), form.get(CARRIERS).is_some().into());
    limits.insert("doses".to_owned(), doses.into());
    let bulls = match form.get(IN_STOCK) {
        Some(_) => json!({SEX: {"equals": MALE}, STOCK: {"equals": true}}),
        None => bulls.into(),
    };
    let mut goal = Map::new();
    if let Some(profile) = form.get(GOAL) {
        goal.insert(GOAL.to_owned(), profile.into());
    }
    let weights = form.0.iter().filter(|(_, text)| !text.trim().is_empty());
    let weights = weights.filter_map(|(name, text)| Some((name.strip_prefix(WEIGHT)?, text)));
    let weights: Vec<Value> = weights.map(|(name, weight)| json!({"trait": name, "weight": number(weight)})).collect();
    if !weights.is_empty() {
        goal.insert("weights".to_owned(), weights.into());
    }
    let is_stored = form.get(STORE).is_some() && form.get(WORKBOOK).is_none();
    let mut request = json!({FEMALES: females, BULLS: bulls, "limits": limits, STORE: is_stored});
    if let (Some(request), false) = (request.as_object_mut(), goal.is_empty()) {
        request.insert("goal".to_owned(), goal.into());
    }
    request
}

/// A line of the bulls: `Omega = 20`.
fn bull_and_doses(line: &str) -> (&str, Option<&str>) {
    match line.rsplit_once(DOSES) {
        Some((bull, doses)) => (bull.trim_end(), Some(doses)),
        None => (line, None),
    }
}

/// A number as people write it. What is no number is refused by the REST face.
fn number(text: &str) -> Value {
    let text = text.trim();
    let number = serde_json::from_str::<Value>(&text.replace(',', ".")).ok().filter(Value::is_number);
    number.unwrap_or_else(|| text.into())
}

/// The ids of names or numbers, in their order.
async fn ids(shell: &Shell<'_>, c: &Collection, texts: Vec<&str>, faults: &mut Vec<String>) -> Vec<i64> {
    let wanted: BTreeSet<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let by_text = resolved(shell, c.slug, wanted).await;
    let mut ids = Vec::with_capacity(texts.len());
    for text in texts {
        match by_text.get(text) {
            Some(Ok(id)) => ids.push(*id),
            Some(Err(why)) => faults.push(unnamed(shell, c.slug, why, text)),
            None => {}
        }
    }
    ids
}
