//! The exchange over the wire: pushes, single resources and batches, as JSON and as XML; each is
//! accepted or refused with its reason, and a batch has an answer for each of its elements.

use super::documents::{WORDS, document, sent};
use crate::draw::Draw;
use crate::world::{World, mappings};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;
use std::sync::LazyLock;

static WORLD: LazyLock<World> = LazyLock::new(World::new);

pub(crate) fn check(draw: &mut Draw<'_>) {
    let mappings = mappings();
    let all: Vec<_> = mappings.all().collect();
    let mapping = *draw.pick(&all);
    let mut docs: Vec<Value> = Vec::new();
    for _ in 0..1 + draw.below(3) {
        let mut doc = document(draw, mapping.resource());
        if !draw.once_in(8) {
            let animal = draw.pick(&WORLD.animals).clone();
            sent(&mut doc, &animal);
        }
        docs.push(doc);
    }
    let count = docs.len();
    let single = draw.once_in(2);
    let body = match single {
        true => docs.swap_remove(0),
        false => Value::Array(docs),
    };
    let xml = draw.once_in(4);
    let (kind, bytes) = match xml {
        true => ("application/xml", ade::xml::write(&body, mapping.resource())),
        false => ("application/json", body.to_string()),
    };
    let mut bytes = bytes.into_bytes();
    let changed = draw.once_in(6);
    if changed {
        bytes = draw.bytes(&[&bytes], WORDS);
    }
    let place = format!("locations/org.herdbook.orgid/2/{}", mapping.dataset());
    let wish = draw.pick(&["", "?validate=only", "?x=y"]);
    let path = match single {
        true => format!("/ade/v1/{place}{wish}"),
        false => format!("/ade/v1/batches/{place}{wish}"),
    };
    let who = 1 + draw.below(3);
    let input = format!("{path} {kind} {}", String::from_utf8_lossy(&bytes));
    let request = WORLD.request(who, "POST", &path);
    let request = request.header(CONTENT_TYPE, kind).header(ACCEPT, "application/json");
    let heard = WORLD.ask(request.body(bytes.into()).unwrap());
    if heard.status >= 400 {
        let answer = heard.json();
        let errors = answer["errors"].as_array();
        assert!(errors.is_some_and(|all| !all.is_empty()), "{input}: {answer}");
    } else if !single && !changed && heard.status == 200 {
        let answer = heard.json();
        let results = answer.as_array().map(Vec::len);
        assert_eq!(results, Some(count), "{input}: {answer}");
    }
}
