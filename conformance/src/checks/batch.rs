//! Arrays of documents.

use std::sync::Arc;

use ade::catalog::Verb;
use serde_json::{Value, json};

use super::sending::{REQUIRED, Sender, has_error, results};
use super::{Check, check};
use crate::client::{Ask, Exchange};
use crate::document::{self, changed, retracted, without};
use crate::tally::{Tally, require};
use crate::visit::Visit;

pub(super) static CHECKS: &[Check] = &[
    check!(life => "batch.accepted", "batch.results", "batch.count", "batch.order", "batch.echo",
        "batch.id", "batch.listed", "batch.accepted-clean", "batch.repeat", "batch.retract"),
    check!(partial => "batch.partial", "batch.partial-status", "batch.rejected-told",
        "batch.rejected-absent", "batch.rejected-id", "batch.rejected-place",
        "batch.pair-twice"),
    check!(shapes => "batch.object", "batch.not-json", "batch.empty", "batch.location-unknown"),
    check!(big => "batch.big", "batch.asynchronous"),
];

fn elements(e: &Exchange) -> Vec<Value> {
    e.json().and_then(Value::as_array).cloned().unwrap_or_default()
}

async fn life(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Batch, "batch").await else {
        return;
    };
    let all: Vec<Value> = (0..3).map(|_| sender.document()).collect();
    let e = sender.batch(&all).await;
    let fine = matches!(e.status, 200..=202);
    require!(t, "batch.accepted", fine, Some(&e), "200, 201 or 202"; found "status {}", e.status);
    match results(v, &e).await {
        Some(answer) => judge(t, &answer, &all),
        None => {
            require!(t, "batch.results", false, Some(&e),
                "results, or where they will be"; found "status {}", e.status);
        }
    }
    for one in &all {
        let came = sender.comes(one).await;
        require!(t, "batch.listed", came, Some(&e), "{} in the list", document::name(one); found "it is not");
    }
    let second = sender.batch(&all).await;
    results(v, &second).await;
    for one in &all {
        let count = sender.listed(one).await.len();
        require!(t, "batch.repeat", second.ok() && count <= 1, Some(&second),
            "{} once", document::name(one); found "{count} times");
    }
    let gone: Vec<Value> = all.iter().map(retracted).collect();
    let e = sender.batch(&gone).await;
    results(v, &e).await;
    for one in &all {
        let went = sender.goes(one).await;
        require!(t, "batch.retract", e.ok() && went, Some(&e),
            "{} in the list no more", document::name(one); found "status {}, still there", e.status);
    }
    sender.clean().await;
}

/// Judges the results of a batch of valid elements.
fn judge(t: &mut Tally<'_>, e: &Arc<Exchange>, original: &[Value]) {
    let e = Some(e.as_ref());
    let all = e.map(elements).unwrap_or_default();
    let array = e.and_then(Exchange::json).is_some_and(Value::is_array);
    require!(t, "batch.results", array, e, "an array of results"; found "something else");
    if !array {
        return;
    }
    for one in &all {
        let schema = "icarBatchResult";
        t.valid("batch.results", e, (schema, one), || format!("a valid {schema}"));
        let id = document::text(one, "/id").is_some();
        require!(t, "batch.id", id, e, "the id of the stored document"; found "{one}");
        require!(t, "batch.accepted-clean", !has_error(Some(one)), e,
            "no message of severity Error"; found "{one}");
    }
    require!(t, "batch.count", all.len() == original.len(), e, "{} results", original.len(); found "{}", all.len());
    order(t, e, &all, original);
}

fn order(t: &mut Tally<'_>, e: Option<&Exchange>, all: &[Value], original: &[Value]) {
    if all.len() != original.len() {
        return;
    }
    let pairs: Vec<_> = all.iter().map(document::pair).collect();
    let expected: Vec<_> = original.iter().map(document::pair).collect();
    let echoed = pairs.iter().all(|pair| expected.contains(pair));
    require!(t, "batch.echo", echoed, e, "meta of its element in each result"; found "{pairs:?}");
    if echoed {
        require!(t, "batch.order", pairs == expected, e, "{expected:?}"; found "{pairs:?}");
    }
}

async fn partial(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Batch, "partial").await else {
        return;
    };
    let mut all: Vec<Value> = (0..4).map(|_| sender.document()).collect();
    if let Some(bad) = all.get_mut(1) {
        *bad = without(bad, REQUIRED);
    }
    let e = sender.batch(&all).await;
    require!(t, "batch.partial-status", e.ok(), Some(&e), "2xx"; found "status {}", e.status);
    if let Some(answer) = results(v, &e).await {
        let came = elements(&answer);
        if came.len() == all.len() {
            let errors: Vec<bool> = came.iter().map(|one| has_error(Some(one))).collect();
            let second = errors.get(1) == Some(&true);
            // Results that name their element are matched by name; the order is judged elsewhere.
            let pair = all.get(1).and_then(document::pair);
            let by_name = came.iter().any(|one| pair.is_some() && document::pair(one) == pair && has_error(Some(one)));
            require!(t, "batch.rejected-told", second || by_name, Some(&answer),
                "a message of severity Error for the second element"; found "{errors:?}");
            let refused = came.iter().find(|one| has_error(Some(one)));
            if let Some(one) = refused {
                rejected(t, &answer, one, REQUIRED);
            }
            let others = errors.iter().filter(|e| **e).count();
            require!(t, "batch.accepted-clean", others <= 1, Some(&answer),
                "no Error for the others"; found "{errors:?}");
            order(t, Some(&answer), &came, &all);
        } else {
            require!(t, "batch.count", false, Some(&answer), "{} results", all.len(); found "{}", came.len());
        }
    }
    for (at, one) in all.iter().enumerate() {
        if at == 1 {
            let absent = sender.listed(one).await.is_empty();
            require!(t, "batch.rejected-absent", absent, Some(&e),
                "the bad element not in the list"; found "it is");
        } else {
            let came = sender.comes(one).await;
            require!(t, "batch.partial", came, Some(&e), "{} in the list", document::name(one); found "it is not");
        }
    }
    let first = sender.document();
    let number = sender.template.number;
    let second = changed(&first, number, json!(443));
    let e = sender.batch(&[first, second.clone()]).await;
    results(v, &e).await;
    let (listed, fine) = sender.corrected(&second, 443.0).await;
    require!(t, "batch.pair-twice", fine, Some(&e),
        "one document with {number} 443"; found "{}", sender.numbers(&listed));
    sender.clean().await;
}

/// Checks what the result of a refused element reports.
fn rejected(t: &mut Tally<'_>, e: &Exchange, one: &Value, member: &str) {
    let id = document::text(one, "/id");
    require!(t, "batch.rejected-id", id.is_none(), Some(e),
        "no id where nothing is stored"; found "{}", id.unwrap_or_default());
    let name = member.trim_start_matches('/');
    let messages = one.get("messages").and_then(Value::as_array);
    let says = |message: &Value| {
        ["/instance", "/detail", "/title"]
            .iter()
            .any(|at| document::text(message, at).is_some_and(|text| text.contains(name)))
    };
    let has_place = messages.is_some_and(|all| all.iter().any(says));
    require!(t, "batch.rejected-place", has_place, Some(e), "{name} named in the messages"; found "{one}");
}

async fn shapes(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Batch, "shapes").await else {
        return;
    };
    let Some(url) = sender.batch_url() else {
        return;
    };
    let one = sender.document();
    let e = v.client.send(Ask::post(&url, &one)).await;
    require!(t, "batch.object", e.refused(), Some(&e), "4xx for an object"; found "status {}", e.status);
    if e.ok() {
        sender.post(&retracted(&one)).await;
    }
    let other = sender.document();
    let cut = format!("[{other},{{\"resourceType\":");
    let ask = Ask::new("POST", &url).text("application/json", &cut);
    let e = v.client.send(ask).await;
    let absent = sender.listed(&other).await.is_empty();
    require!(t, "batch.not-json", e.refused() && absent, Some(&e), "4xx, and nothing stored"; found "status {}", e.status);
    if !absent {
        sender.post(&retracted(&other)).await;
    }
    let e = v.client.send(Ask::post(&url, &json!([]))).await;
    require!(t, "batch.empty", e.ok() || e.refused(), Some(&e), "2xx or 4xx"; found "status {}", e.status);
    if let (Some(place), Some(name)) = (&v.place, sender.entry.batch_name()) {
        let path = format!("/batches{}/{name}", place.unknown().path());
        let body = json!([sender.document()]);
        let e = v.client.send(Ask::post(&v.url(&path), &body)).await;
        let all = elements(&e);
        let errors = e.ok() && !all.is_empty() && all.iter().all(|one| has_error(Some(one)));
        require!(t, "batch.location-unknown", e.refused() || errors, Some(&e),
            "4xx, or an Error for every element"; found "status {}", e.status);
    }
    sender.clean().await;
}

async fn big(v: &Visit<'_>, t: &mut Tally<'_>) {
    let Some(sender) = Sender::hire(v, t, Verb::Batch, "big").await else {
        return;
    };
    let all: Vec<Value> = (0..200).map(|_| sender.document()).collect();
    let e = sender.batch(&all).await;
    let answer = results(v, &e).await;
    let count = answer.as_deref().map(|a| elements(a).len());
    let fine = e.status == 413 || (e.ok() && count == Some(all.len()));
    require!(t, "batch.big", fine, Some(&e), "200 results, or 413"; found "status {}, {count:?} results", e.status);
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
        let done = answer.as_deref().is_some_and(|a| a.status == 200 && a.json().is_some_and(Value::is_array));
        require!(t, id, done, answer.as_deref().or(Some(&later)),
            "the results at the Location of 202"; found "status {}", later.status);
    } else {
        t.not_offered(id, "batches are answered at once");
    }
    sender.clean().await;
}
