//! Arrays of documents.

use std::sync::Arc;

use ade::catalog::Verb;
use serde_json::{Value, json};

use super::intake::none;
use super::sending::{Sender, changed, has_error, results, retracted, without};
use super::{Check, check};
use crate::client::{Ask, Exchange};
use crate::document;
use crate::tally::Tally;
use crate::visit::{Visit, encoded};

pub(super) static CHECKS: &[Check] = &[
    check!(life => "batch.accepted", "batch.results", "batch.count", "batch.order", "batch.echo",
        "batch.id", "batch.listed", "batch.accepted-clean", "batch.repeat", "batch.retract"),
    check!(partial => "batch.partial", "batch.partial-status", "batch.rejected-told",
        "batch.rejected-absent", "batch.rejected-id", "batch.rejected-place",
        "batch.pair-twice"),
    check!(shapes => "batch.object", "batch.not-json", "batch.empty", "batch.location-unknown"),
    check!(big => "batch.big", "batch.asynchronous"),
];

fn told(e: &Exchange) -> String {
    format!("status {}", e.status)
}

async fn hire<'v>(
    v: &'v Visit<'v>,
    t: &mut Tally<'_>,
    at: usize,
    word: &str,
) -> Option<Sender<'v>> {
    let ids = CHECKS.get(at).map_or(&[][..], |c| c.ids);
    match Sender::hire(v, Verb::Batch, word).await {
        Ok(sender) => Some(sender),
        Err(why) => {
            none(t, ids, &why);
            None
        }
    }
}

fn elements(e: &Exchange) -> Vec<Value> {
    e.json()
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

async fn life(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = hire(v, t, 0, "batch").await else {
        return;
    };
    let all: Vec<Value> = (0..3).map(|_| sender.document()).collect();
    let e = sender.batch(&all).await;
    let fine = matches!(e.status, 200..=202);
    t.check("batch.accepted", fine, Some(&e), || {
        ("200, 201 or 202".to_owned(), told(&e))
    });
    match results(v, &e).await {
        Some(answer) => judge(t, &answer, &all),
        None => t.fail(
            "batch.results",
            Some(&e),
            "results, or where they will be",
            told(&e),
        ),
    }
    for one in &all {
        let came = sender.comes(one).await;
        t.check("batch.listed", came, Some(&e), || {
            (
                format!("{} in the list", document::name(one)),
                "it is not".to_owned(),
            )
        });
    }
    let again = sender.batch(&all).await;
    results(v, &again).await;
    for one in &all {
        let count = sender.listed(one).await.len();
        t.check(
            "batch.repeat",
            again.ok() && count <= 1,
            Some(&again),
            || {
                (
                    format!("{} once", document::name(one)),
                    format!("{count} times"),
                )
            },
        );
    }
    let gone: Vec<Value> = all.iter().map(retracted).collect();
    let e = sender.batch(&gone).await;
    results(v, &e).await;
    for one in &all {
        let went = sender.goes(one).await;
        t.check("batch.retract", e.ok() && went, Some(&e), || {
            (
                format!("{} in the list no more", document::name(one)),
                format!("{}, still there", told(&e)),
            )
        });
    }
    sender.clean().await;
}

/// Judges the results of a batch of valid elements.
fn judge(t: &mut Tally<'_>, e: &Arc<Exchange>, sent: &[Value]) {
    let e = Some(e.as_ref());
    let all = e.map(elements).unwrap_or_default();
    let array = e.and_then(Exchange::json).is_some_and(Value::is_array);
    t.check("batch.results", array, e, || {
        (
            "an array of results".to_owned(),
            "something else".to_owned(),
        )
    });
    if !array {
        return;
    }
    for one in &all {
        let faults = ade::validate("icarBatchResult", one);
        t.check("batch.results", faults.is_empty(), e, || {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            ("a valid icarBatchResult".to_owned(), first)
        });
        let id = document::text(one, "/id").is_some();
        t.check("batch.id", id, e, || {
            ("the id of the stored document".to_owned(), one.to_string())
        });
        t.check("batch.accepted-clean", !has_error(Some(one)), e, || {
            ("no message of severity Error".to_owned(), one.to_string())
        });
    }
    t.check("batch.count", all.len() == sent.len(), e, || {
        (format!("{} results", sent.len()), all.len().to_string())
    });
    order(t, e, &all, sent);
}

fn order(t: &mut Tally<'_>, e: Option<&Exchange>, all: &[Value], sent: &[Value]) {
    if all.len() != sent.len() {
        return;
    }
    let told: Vec<_> = all.iter().map(document::pair).collect();
    let asked: Vec<_> = sent.iter().map(document::pair).collect();
    let echoed = told.iter().all(|pair| asked.contains(pair));
    t.check("batch.echo", echoed, e, || {
        (
            "meta of its element in each result".to_owned(),
            format!("{told:?}"),
        )
    });
    if echoed {
        t.check("batch.order", told == asked, e, || {
            (format!("{asked:?}"), format!("{told:?}"))
        });
    }
}

async fn partial(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = hire(v, t, 1, "partial").await else {
        return;
    };
    let mut all: Vec<Value> = (0..4).map(|_| sender.document()).collect();
    if let Some(bad) = all.get_mut(1) {
        *bad = without(bad, sender.template.required);
    }
    let e = sender.batch(&all).await;
    t.check("batch.partial-status", e.ok(), Some(&e), || {
        ("2xx".to_owned(), told(&e))
    });
    if let Some(answer) = results(v, &e).await {
        let came = elements(&answer);
        if came.len() == all.len() {
            let errors: Vec<bool> = came.iter().map(|one| has_error(Some(one))).collect();
            let second = errors.get(1) == Some(&true);
            // Results that name their element are matched by name; the order is judged elsewhere.
            let pair = all.get(1).and_then(document::pair);
            let by_name = came
                .iter()
                .any(|one| pair.is_some() && document::pair(one) == pair && has_error(Some(one)));
            t.check(
                "batch.rejected-told",
                second || by_name,
                Some(&answer),
                || {
                    (
                        "a message of severity Error for the second element".to_owned(),
                        format!("{errors:?}"),
                    )
                },
            );
            let refused = came.iter().find(|one| has_error(Some(one)));
            if let Some(one) = refused {
                rejected(t, &answer, one, sender.template.required);
            }
            let others = errors.iter().filter(|e| **e).count();
            t.check("batch.accepted-clean", others <= 1, Some(&answer), || {
                ("no Error for the others".to_owned(), format!("{errors:?}"))
            });
            order(t, Some(&answer), &came, &all);
        } else {
            t.check("batch.count", false, Some(&answer), || {
                (format!("{} results", all.len()), came.len().to_string())
            });
        }
    }
    for (at, one) in all.iter().enumerate() {
        if at == 1 {
            let absent = sender.listed(one).await.is_empty();
            t.check("batch.rejected-absent", absent, Some(&e), || {
                (
                    "the bad element not in the list".to_owned(),
                    "it is".to_owned(),
                )
            });
        } else {
            let came = sender.comes(one).await;
            t.check("batch.partial", came, Some(&e), || {
                (
                    format!("{} in the list", document::name(one)),
                    "it is not".to_owned(),
                )
            });
        }
    }
    let first = sender.document();
    let number = sender.template.number;
    let second = changed(&first, number, json!(443));
    let e = sender.batch(&[first.clone(), second.clone()]).await;
    results(v, &e).await;
    let is_new = |one: &Value| one.pointer(number).and_then(Value::as_f64) == Some(443.0);
    let fits = |all: &[Value]| all.len() == 1 && all.iter().all(is_new);
    let listed = sender.until(&second, fits).await;
    t.check("batch.pair-twice", fits(&listed), Some(&e), || {
        let found: Vec<_> = listed.iter().map(|one| one.pointer(number)).collect();
        (
            format!("one document with {number} 443"),
            format!("{found:?}"),
        )
    });
    sender.clean().await;
}

/// Checks what the result of a refused element reports.
fn rejected(t: &mut Tally<'_>, e: &Exchange, one: &Value, member: &str) {
    let id = document::text(one, "/id");
    t.check("batch.rejected-id", id.is_none(), Some(e), || {
        (
            "no id where nothing is stored".to_owned(),
            id.unwrap_or_default().to_owned(),
        )
    });
    let name = member.trim_start_matches('/');
    let messages = one.get("messages").and_then(Value::as_array);
    let says = |message: &Value| {
        ["/instance", "/detail", "/title"]
            .iter()
            .any(|at| document::text(message, at).is_some_and(|text| text.contains(name)))
    };
    let told = messages.is_some_and(|all| all.iter().any(says));
    t.check("batch.rejected-place", told, Some(e), || {
        (format!("{name} named in the messages"), one.to_string())
    });
}

async fn shapes(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = hire(v, t, 2, "shapes").await else {
        return;
    };
    let Some(url) = sender.batch_url() else {
        return;
    };
    let one = sender.document();
    let e = v.client.send(Ask::post(&url, &one)).await;
    t.check("batch.object", e.refused(), Some(&e), || {
        ("4xx for an object".to_owned(), told(&e))
    });
    if e.ok() {
        sender.post(&retracted(&one)).await;
    }
    let other = sender.document();
    let cut = format!("[{other},{{\"resourceType\":");
    let ask = Ask::new("POST", &url).text("application/json", &cut);
    let e = v.client.send(ask).await;
    let absent = sender.listed(&other).await.is_empty();
    t.check("batch.not-json", e.refused() && absent, Some(&e), || {
        ("4xx, and nothing stored".to_owned(), told(&e))
    });
    if !absent {
        sender.post(&retracted(&other)).await;
    }
    let e = v.client.send(Ask::post(&url, &json!([]))).await;
    t.check("batch.empty", e.ok() || e.refused(), Some(&e), || {
        ("2xx or 4xx".to_owned(), told(&e))
    });
    if let (Some(place), Some(name)) = (&v.place, sender.entry.batch_name()) {
        let path = format!(
            "/batches/locations/{}/ade-conformance-0000/{name}",
            encoded(&place.scheme)
        );
        let body = json!([sender.document()]);
        let e = v.client.send(Ask::post(&v.url(&path), &body)).await;
        let all = elements(&e);
        let errors = e.ok() && !all.is_empty() && all.iter().all(|one| has_error(Some(one)));
        t.check(
            "batch.location-unknown",
            e.refused() || errors,
            Some(&e),
            || ("4xx, or an Error for every element".to_owned(), told(&e)),
        );
    }
    sender.clean().await;
}

async fn big(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = hire(v, t, 3, "big").await else {
        return;
    };
    let all: Vec<Value> = (0..200).map(|_| sender.document()).collect();
    let e = sender.batch(&all).await;
    let answer = results(v, &e).await;
    let count = answer.as_deref().map(|a| elements(a).len());
    let fine = e.status == 413 || (e.ok() && count == Some(all.len()));
    t.check("batch.big", fine, Some(&e), || {
        (
            "200 results, or 413".to_owned(),
            format!("{}, {count:?} results", told(&e)),
        )
    });
    let id = "batch.asynchronous";
    let mut later = Arc::clone(&e);
    if later.status != 202
        && let Some(url) = sender.batch_url()
    {
        let one = sender.document();
        sender.batch(std::slice::from_ref(&one)).await;
        let ask = Ask::post(&url, &json!([one])).header("Prefer", "respond-async");
        later = v.client.send(ask).await;
    }
    if later.status == 202 {
        let answer = results(v, &later).await;
        let done = answer
            .as_deref()
            .is_some_and(|a| a.status == 200 && a.json().is_some_and(Value::is_array));
        t.check(id, done, answer.as_deref().or(Some(&later)), || {
            (
                "the results at the Location of 202".to_owned(),
                told(&later),
            )
        });
    } else {
        t.not_offered(id, "batches are answered at once");
    }
    sender.clean().await;
}
