//! Words of the tests for requests with a body that is written where it is sent, and for what is found. A body or
//! an expectation is JSON between braces, as in `json!`; a body that is already a value goes to the method itself.

use serde_json::Value;
use std::fmt;

/// `made!(w, "alpha", "herds", {"name": "New"})`: `w.made("alpha", "herds", json!({"name": "New"})).await`.
macro_rules! made {
    ($w:expr, $who:expr, $slug:expr, $body:tt) => {
        $w.made($who, $slug, serde_json::json!($body)).await
    };
    ($w:expr, $who:expr, $slug:expr, $body:expr) => {
        $w.made($who, $slug, $body).await
    };
}

/// `changed!(w, "alpha", "herds", 1, {"name": "New"})`: the same for `w.changed`.
macro_rules! changed {
    ($w:expr, $who:expr, $slug:expr, $id:expr, $body:tt) => {
        $w.changed($who, $slug, $id, serde_json::json!($body)).await
    };
    ($w:expr, $who:expr, $slug:expr, $id:expr, $body:expr) => {
        $w.changed($who, $slug, $id, $body).await
    };
}

/// `post!(w, "alpha", "herds", {"name": "New"})`: the same for `post` of a world, and of a fixture, which takes
/// path and token.
macro_rules! post {
    ($w:expr, $who:expr, $slug:expr, $body:tt) => {
        $w.post($who, $slug, serde_json::json!($body)).await
    };
}

/// `patch!(w, "alpha", "herds", 1, {"name": "New"})`: the same for `patch`.
macro_rules! patch {
    ($w:expr, $who:expr, $slug:expr, $id:expr, $body:tt) => {
        $w.patch($who, $slug, $id, serde_json::json!($body)).await
    };
}

/// `fill!(s.f, "herds", 1, {"name": "New"})`: a row with its id, written by the system.
macro_rules! fill {
    ($f:expr, $slug:expr, $id:expr, $body:tt) => {
        $f.fill($slug, $id, serde_json::json!($body)).await
    };
}

/// `update!(s.f, "herds", 1, {"name": "New"})`: fields of a row, written by the system.
macro_rules! update {
    ($f:expr, $slug:expr, $id:expr, $body:tt) => {
        $f.update($slug, $id, serde_json::json!($body)).await
    };
}

/// `refused!(w, "beta", "PATCH /api/herds/{id}", {"organization": 1} => 400 ["organization"])`: a request that must be
/// refused with this status at these fields, and change nothing; gives the answer. Fields, status and body can be left
/// out; the path is a format, the body can be a variable, and in place of the status the whole answer, as `FORBIDDEN`.
macro_rules! refused {
    ($w:expr, $who:expr, $request:literal $(, $body:tt)? $(=> $status:tt $([$($path:expr),+])?)?) => {{
        #[allow(unused_mut, unused_assignments, reason = "a request has a body or none")]
        let mut body = String::new();
        $(body = serde_json::json!($body).to_string();)?
        let request = format_args!($request).to_string();
        let (method, path) = request.split_once(' ').expect("method and path");
        let answer = $w.refused($who, method, path, &body).await;
        $(
            answer.assert_is($status, &format!("{request} {body}"));
            $(answer.assert_faulty($status, &[$($path),+]);)?
        )?
        answer
    }};
    ($w:expr, $who:expr, $request:literal, $body:expr $(=> $($rest:tt)+)?) => {{
        let body = serde_json::json!($body);
        refused!($w, $who, $request, body $(=> $($rest)+)?)
    }};
}

/// `ask!(s.f, s.farm, "POST {FARM}/weights", doc => 422 ["animal-not-found"])`: a request of the caller with this
/// token, or of this name in a world of callers by name; the status that its answer must have, and where it matters
/// the codes of its errors (of REST the fields). Gives the body; in a world of callers the answer; for
/// `=> 201 with headers` headers and body. The path is a format; the body is JSON between braces or a value, and can
/// be left out. A note for the failure can follow.
macro_rules! ask {
    ($w:expr, $who:expr, $request:literal $(, $body:tt)? => $status:tt $([$($fault:expr),*])? $(, $($note:tt)+)?) => {{
        let (answer, request) = ask!(@ $w, $who, $request $(, $body)?);
        #[allow(unused_mut, unused_assignments, reason = "faults are compared or not")]
        let mut faults: Option<&[&str]> = None;
        $(faults = Some(&[$($fault),*]);)?
        let note = String::new() $(+ &format!($($note)+))?;
        crate::support::words::Meets::meets(answer, $status, faults, format_args!("{note} {request}"))
    }};
    ($w:expr, $who:expr, $request:literal $(, $body:tt)? => $status:tt with headers $(, $($note:tt)+)?) => {{
        let (answer, request) = ask!(@ $w, $who, $request $(, $body)?);
        let note = String::new() $(+ &format!($($note)+))?;
        let headers = answer.1.clone();
        (headers, crate::support::words::Meets::meets(answer, $status, None, format_args!("{note} {request}")))
    }};
    ($w:expr, $who:expr, $request:literal, $body:expr => $($rest:tt)+) => {{
        let body = serde_json::json!($body);
        ask!($w, $who, $request, body => $($rest)+)
    }};
    (@ $w:expr, $who:expr, $request:literal $(, $body:tt)?) => {{
        #[allow(unused_mut, unused_assignments, reason = "a request has a body or none")]
        let mut body = String::new();
        $(body = serde_json::json!($body).to_string();)?
        let request = format_args!($request).to_string();
        let (method, path) = request.split_once(' ').expect("method and path");
        let answer = $w.answer_to(&$who, method, path, body.clone()).await;
        (answer, format!("{request} {body}"))
    }};
}

/// An answer that can be held against what is expected of it.
pub(crate) trait Meets<E> {
    /// What matters of it then.
    type Content;

    /// Status, or status and body, and the faults that it names.
    #[track_caller]
    fn meets(self, expected: E, faults: Option<&[&str]>, request: fmt::Arguments<'_>) -> Self::Content;
}

/// `holds!(doc, {"owner": 1, "current.parity": null})`: members of a value, by paths with dots. One that is absent
/// counts as null; others do not matter. A note for the failure can follow, as in `assert_eq!`.
macro_rules! holds {
    ($found:expr, $expected:tt) => {
        holds!($found, $expected, "")
    };
    ($found:expr, $expected:tt, $($note:tt)+) => {
        crate::support::words::assert_holds(&$found, &serde_json::json!($expected), format_args!($($note)+))
    };
}

#[track_caller]
pub(crate) fn assert_holds(found: &Value, expected: &Value, note: fmt::Arguments<'_>) {
    let expected = expected.as_object().expect("members by their paths");
    let other = expected.iter().filter_map(|(path, expected)| {
        let value = at(found, path);
        (value != expected).then(|| format!("{path} is {value}, not {expected}"))
    });
    let other: Vec<String> = other.collect();
    assert!(other.is_empty(), "{}. {note}\n{found}", other.join("; "));
}

/// The object with further members, or with other values of them.
pub(crate) fn merged(mut object: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().expect("members") {
        object[name.as_str()] = value.clone();
    }
    object
}

fn at<'v>(found: &'v Value, path: &str) -> &'v Value {
    let inner = |value: &'v Value, step: &str| match value {
        Value::Array(all) => step.parse().ok().and_then(|at: usize| all.get(at)),
        _ => value.get(step),
    };
    path.split('.').fold(found, |value, step| inner(value, step).unwrap_or(&Value::Null))
}

#[test]
fn members_are_compared_by_their_paths() {
    let found = serde_json::json!({"id": 1, "rows": [{"of": {"name": "A"}}], "none": null});
    holds!(found, {"id": 1, "rows.0.of.name": "A", "rows.0.of": {"name": "A"}, "none": null, "rows.1.of": null, "id.x": null});
    for (path, value) in [("id", 2), ("rows.0.of.name", 1), ("nothing", 0), ("rows", 1), ("rows.0.of", 1)] {
        let expected = Value::from_iter([(path, value)]);
        let failed = std::panic::catch_unwind(|| assert_holds(&found, &expected, format_args!("")));
        assert!(failed.is_err(), "{path}");
    }
}

#[test]
fn an_answer_is_held_against_status_and_faults() {
    let body = serde_json::json!({"errors": [{"code": "conflict"}]});
    let meets = |status, faults: Option<&[&str]>| {
        let answer = (409, axum::http::HeaderMap::new(), body.clone());
        std::panic::catch_unwind(|| answer.meets(status, faults, format_args!(""))).is_ok()
    };
    assert!(meets(409, None) && meets(409, Some(&["conflict"])));
    assert!(!meets(200, None) && !meets(200, Some(&["conflict"])));
    assert!(!meets(409, Some(&[])) && !meets(409, Some(&["conflict", "conflict"])));
}
