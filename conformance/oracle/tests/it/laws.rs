//! The laws that a client can check alone, and the shape of pages.

use feed_oracle::{
    Answer, Chain, Key, Kind, Page, PageRequest, Probe, Profile, Resource, State, against_last, fingerprint,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn weight(id: &str, modified: &str, version: u32) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "location": {"scheme": "org.example", "id": "1"},
        "meta": {"source": "scale", "sourceId": id, "modified": modified},
        "version": version,
    })
}

fn page(resources: &[Value], token: &str) -> Answer {
    let mut all = vec![json!({"id": "@context"})];
    all.extend_from_slice(resources);
    all.push(json!({"id": "@continuation", "token": token}));
    Answer::new(200, [], Value::from(all).to_string())
}

fn since(token: &str) -> PageRequest {
    PageRequest { since: Some(token.to_owned()), limit: None }
}

/// The violations of each page of a chain.
fn judged(profile: Profile, pages: &[(PageRequest, Answer)]) -> Vec<Kind> {
    let mut chain = Chain::new(profile);
    let mut documents = BTreeMap::new();
    let mut found = Vec::new();
    for (request, answer) in pages {
        match chain.page(request, answer, &documents) {
            Err(violation) => found.push(violation.kind),
            Ok(judged) => {
                found.extend(judged.violations.iter().map(|v| v.kind));
                documents.extend(judged.page.resources.into_iter().map(|r| (r.key, r.state)));
            }
        }
    }
    found
}

const ONE: &str = "2026-02-01T00:00:01Z";
const TWO: &str = "2026-02-01T00:00:02Z";

#[test]
fn a_page_cut_at_any_byte_is_no_page() {
    let whole = page(&[weight("a", ONE, 1), weight("b", TWO, 2)], "t").body;
    for end in 0..whole.len() {
        let cut = Answer::new(200, [], &whole[..end]);
        let fault = Page::read(&Profile::standard(), &cut).unwrap_err();
        assert_eq!(fault.kind, Kind::Shape, "{end}");
    }
    let read = Page::read(&Profile::standard(), &Answer::new(200, [], whole)).unwrap();
    assert_eq!((read.resources.len(), read.token.as_str()), (2, "t"));
}

#[test]
fn a_page_of_another_shape_is_refused() {
    let context = json!({"id": "@context"});
    let end = json!({"id": "@continuation", "token": "t"});
    let mut nameless = weight("a", ONE, 1);
    nameless["meta"] = json!({"source": "scale", "modified": ONE});
    for body in [
        json!([]),
        json!({}),
        json!([end]),
        json!([context]),
        json!([context, end, weight("a", ONE, 1)]),
        json!([context, end, end]),
        json!([context, context, end]),
        json!([context, {"id": "@continuation"}]),
        json!([context, {"id": "@continuation", "token": ""}]),
        json!([context, nameless, end]),
        json!([context, 1, end]),
    ] {
        let answer = Answer::new(200, [], body.to_string());
        let fault = Page::read(&Profile::standard(), &answer).unwrap_err();
        assert_eq!(fault.kind, Kind::Shape, "{body}");
    }
    let refused = Answer::new(503, [], "later");
    let fault = Page::read(&Profile::standard(), &refused).unwrap_err();
    assert_eq!(fault.kind, Kind::Refused);
}

#[test]
fn what_is_promised_decides_what_is_wrong() {
    let a = weight("a", TWO, 2);
    let second = [
        (PageRequest::default(), page(std::slice::from_ref(&a), "1")),
        (since("1"), page(std::slice::from_ref(&a), "2")),
    ];
    assert_eq!(judged(Profile::standard(), &second), []);
    assert_eq!(judged(Profile::herdbook(), &second), [Kind::Repeated]);
    let older = [
        (PageRequest::default(), page(std::slice::from_ref(&a), "1")),
        (since("1"), page(&[weight("b", ONE, 1)], "2")),
    ];
    assert_eq!(judged(Profile::standard(), &older), []);
    assert_eq!(judged(Profile::herdbook(), &older), [Kind::TimesWentBack]);
    let back = [(PageRequest::default(), page(&[a.clone(), weight("a", ONE, 1)], "1"))];
    assert_eq!(judged(Profile::standard(), &back), [Kind::WentBack]);
    let moved = |id: &str| {
        let mut doc = weight("a", ONE, 1);
        doc["location"]["id"] = id.into();
        doc
    };
    let two = [(PageRequest::default(), page(&[moved("1"), moved("2")], "1"))];
    let read = |profile| Page::read(&profile, &two[0].1).unwrap().resources;
    let standard = read(Profile::standard());
    assert_eq!(standard[0].key, standard[1].key);
    let own = read(Profile::herdbook());
    assert_ne!(own[0].key, own[1].key);
}

#[test]
fn pages_that_lead_nowhere_are_told() {
    let a = weight("a", ONE, 1);
    let stays = [(since("1"), page(std::slice::from_ref(&a), "1"))];
    assert_eq!(judged(Profile::standard(), &stays), [Kind::NoProgress]);
    let empty = [(since("1"), page(&[], "1"))];
    assert_eq!(judged(Profile::standard(), &empty), []);
    let mut anew = page(&[], "1");
    anew.full_sync = true;
    assert_eq!(judged(Profile::standard(), &[(since("0"), anew.clone())]), []);
    assert_eq!(judged(Profile::standard(), &[(PageRequest::default(), anew)]), [Kind::FullSyncLoop]);
    let limited = PageRequest { since: None, limit: Some(1) };
    let many = page(&[a, weight("b", ONE, 1)], "1");
    assert_eq!(judged(Profile::standard(), &[(limited, many)]), [Kind::Unbounded]);
    let long = page(&[], &"x".repeat(513));
    assert_eq!(judged(Profile::herdbook(), &[(since("0"), long)]), [Kind::Shape]);
}

#[test]
fn bad_tokens_have_their_answers() {
    let refusal = |word: &str| {
        let body = json!({"errors": [{"status": 400, "type": word}]});
        Answer::new(400, [], body.to_string())
    };
    let anew = Answer::new(200, [("ICAR-Full-Sync", "true")], page(&[], "1").body);
    let cases = [
        (Probe::Malformed, refusal("token-malformed"), true),
        (Probe::Forged, refusal("token-foreign"), false),
        (Probe::Foreign, refusal("token-foreign"), true),
        (Probe::Expired, anew.clone(), true),
        (Probe::Future, refusal("token-malformed"), false),
        (Probe::Foreign, page(&[], "1"), false),
        (Probe::Expired, Answer::new(500, [], ""), false),
    ];
    for (probe, answer, fine) in cases {
        let found = probe.judge(&Profile::herdbook(), &answer);
        assert_eq!(found.is_none(), fine, "{probe:?} {found:?}");
    }
    let found = Probe::Forged.judge(&Profile::standard(), &page(&[], "1")).unwrap();
    assert!(found.words.contains("an empty page"), "{found}");
    for answer in [Answer::new(410, [], ""), anew] {
        assert_eq!(Probe::Forged.judge(&Profile::standard(), &answer), None);
    }
}

#[test]
fn a_fingerprint_follows_the_content_alone() {
    let print = |text: &str| fingerprint(&serde_json::from_str(text).unwrap());
    let one = print(r#"{"a": 1.0, "b": ["x", null]}"#);
    assert_eq!(one, print(r#"{"b":["x",null],"a":1.0}"#));
    for other in [
        r#"{"a": 1, "b": ["x", null]}"#,
        r#"{"a": 1.0, "b": [null, "x"]}"#,
        r#"{"a": 1.0, "b": ["x"]}"#,
        r#"{"a": "1.0", "b": ["x", null]}"#,
        r#"{"ab": 1.0, "b": ["x", null]}"#,
    ] {
        assert_ne!(one, print(other), "{other}");
    }
}

#[test]
fn what_is_held_is_compared_with_what_is_there() {
    let read = |doc: Value| Resource::read(&Profile::herdbook(), doc, "it").unwrap();
    let (a, b) = (read(weight("a", ONE, 1)), read(weight("b", TWO, 2)));
    let buried = |resource: &Resource| Resource {
        state: State { deleted: true, print: 0, ..resource.state },
        ..resource.clone()
    };
    let documents =
        |all: &[&Resource]| -> BTreeMap<Key, State> { all.iter().map(|r| (r.key.clone(), r.state)).collect() };
    let heard = |all: &[&Resource]| -> Vec<(Key, State)> { all.iter().map(|r| (r.key.clone(), r.state)).collect() };
    let last = [a.clone(), b.clone()];
    let kinds = |last: &[Resource], has: &[&Resource], order: &[&Resource]| -> Vec<Kind> {
        let found = against_last(last, &documents(has), &heard(order));
        found.into_iter().map(|v| v.kind).collect()
    };
    assert_eq!(kinds(&last, &[&a, &b], &[&a, &b]), []);
    assert_eq!(kinds(&last, &[&a, &b], &[&b, &a]), [Kind::Order]);
    assert_eq!(kinds(&last, &[&a], &[&a]), [Kind::Missing]);
    assert_eq!(kinds(&last[..1], &[&a, &b], &[]), [Kind::Leak]);
    let gone = buried(&a);
    assert_eq!(kinds(std::slice::from_ref(&gone), &[&a], &[]), [Kind::LostTombstone]);
    assert_eq!(kinds(std::slice::from_ref(&gone), &[], &[]), [Kind::LostTombstone]);
    assert_eq!(kinds(&last[..1], &[&gone], &[]), [Kind::FalseTombstone]);
    let other = read(weight("a", ONE, 9));
    assert_eq!(kinds(&last[..1], &[&other], &[]), [Kind::Altered]);
}
