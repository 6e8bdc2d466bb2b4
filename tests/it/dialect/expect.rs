//! The expectations of an answer.

use crate::rest::stage::Answer;
use serde_json::Value;

/// Checks one expectation: a status; or one of `n 9` (200 and so many in all), `ids 3,2,1` or `25..16` or `none`,
/// `begins 7` (the first ids), `docs 5`, `paths a,b` (of the faults), `keys a,b` and `keys path = a,b` (in this order),
/// `message text`, `message ~ text`, `body json`, `text …`, `header name = value`, `header name ~ part`, `header name
/// absent`, `path = json`, `path ~ part`, `path present`, `path absent`.
pub(super) fn check(expected: &str, answer: &Answer) -> Result<(), String> {
    if let Ok(status) = expected.parse::<u16>() {
        return equal(&answer.status, &status);
    }
    let (word, rest) = expected.split_once(' ').unwrap_or((expected, ""));
    match word {
        "header" => return header(rest, answer),
        "text" => {
            return equal(&answer.text.as_str(), &if rest == "none" { "" } else { rest });
        }
        _ => {}
    }
    let body: Value = serde_json::from_str(&answer.text).map_err(|fault| format!("no JSON: {fault}"))?;
    match word {
        "n" => {
            equal(&answer.status, &200)?;
            equal(&at(&body, "totalDocs"), &Some(&json(rest)))
        }
        "ids" => equal(&ids(&body), &numbers(rest)),
        "begins" => {
            let (mut found, wanted) = (ids(&body), numbers(rest));
            found.truncate(wanted.len());
            equal(&found, &wanted)
        }
        "docs" => equal(&ids(&body).len().to_string().as_str(), &rest),
        "paths" => equal(&paths(&body).join(",").as_str(), &rest),
        "keys" => {
            let (place, wanted) = rest.split_once(" = ").unwrap_or(("", rest));
            let found = at(&body, place).and_then(Value::as_object);
            let found: Vec<&str> = found.into_iter().flat_map(|o| o.keys().map(String::as_str)).collect();
            equal(&found.join(",").as_str(), &wanted)
        }
        "message" if !rest.starts_with("= ") => {
            let error_text = at(&body, "errors.0.message").or_else(|| at(&body, "message"));
            let error_text = error_text.and_then(Value::as_str).unwrap_or_default();
            match rest.strip_prefix("~ ") {
                Some(part) => has(error_text, part),
                None => equal(&error_text, &rest),
            }
        }
        "body" => same(Some(&body), &json(rest)),
        place => place_holds(place, rest, &body),
    }
}

fn place_holds(place: &str, rest: &str, body: &Value) -> Result<(), String> {
    let found = at(body, place);
    if let Some(wanted) = rest.strip_prefix("= ") {
        same(found, &json(wanted))
    } else if let Some(part) = rest.strip_prefix("~ ") {
        has(found.and_then(Value::as_str).unwrap_or_default(), part)
    } else {
        match rest {
            "present" => equal(&found.is_some_and(|v| !v.is_null()), &true),
            "absent" => equal(&found, &None),
            _ => Err("not an expectation".to_owned()),
        }
    }
}

fn header(rest: &str, answer: &Answer) -> Result<(), String> {
    let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let found = answer.header(name);
    match (rest.strip_prefix("= "), rest.strip_prefix("~ ")) {
        (Some(value), _) => equal(&found, &value),
        (_, Some(part)) => has(found, part),
        _ if rest == "absent" => equal(&found, &""),
        _ => Err("not an expectation".to_owned()),
    }
}

/// A place in a body: `docs.0.id`.
pub(super) fn at<'v>(body: &'v Value, place: &str) -> Option<&'v Value> {
    let mut steps = place.split('.').filter(|step| !step.is_empty());
    steps.try_fold(body, |value, step| match step.parse::<usize>() {
        Ok(index) => value.get(index),
        Err(_) => value.get(step),
    })
}

fn ids(body: &Value) -> Vec<i64> {
    let docs = body["docs"].as_array().cloned().unwrap_or_default();
    docs.iter().filter_map(|doc| doc["id"].as_i64()).collect()
}

/// `3,2,1`, `25..16`, `none`.
fn numbers(text: &str) -> Vec<i64> {
    if text == "none" {
        return Vec::new();
    }
    let number = |text: &str| text.parse::<i64>().unwrap_or_else(|_| panic!("{text} is no id"));
    match text.split_once("..") {
        None => text.split(',').map(number).collect(),
        Some((from, to)) => {
            let (from, to) = (number(from), number(to));
            if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() }
        }
    }
}

/// The paths of the faults of an answer, of a query or of a body.
fn paths(body: &Value) -> Vec<&str> {
    let data = &body["errors"][0]["data"];
    let faults = data.as_array().or_else(|| data["errors"].as_array());
    faults.into_iter().flatten().filter_map(|fault| fault["path"].as_str()).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// Equal as JSON; 31 and 31.0 are the same number, the order of members does not count.
fn same(found: Option<&Value>, wanted: &Value) -> Result<(), String> {
    let numbers = (found.and_then(Value::as_f64), wanted.as_f64());
    if matches!(numbers, (Some(a), Some(b)) if a == b) {
        return Ok(());
    }
    equal(&found, &Some(wanted))
}

fn has(found: &str, part: &str) -> Result<(), String> {
    if found.contains(part) { Ok(()) } else { Err(format!("{found:?} has no {part:?}")) }
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{found:?}, not {wanted:?}")) }
}
