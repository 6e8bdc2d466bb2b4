//! Everything that a caller reads, over each face, and the messages to the caller: emails, rows of feeds, notices.

use super::{GRAPHQL, Law};
use crate::graphql::laws::{names, selection};
use crate::rest::operation::letters::delivered;
use crate::rest::stage::Stage;
use config::{Settings, Sources};
use model::registry::Collection;
use serde_json::{Value, json};

/// Of the collections, every so manieth is read by GraphQL at a look, and others at the next.
const BY_GRAPHQL: usize = 9;
/// And so manieth as a page.
const BY_PAGES: usize = 5;
/// Organisations of the callers.
const LOCATIONS: [i64; 3] = [1, 6, 7];
/// Their addresses.
const ADDRESSES: [&str; 4] =
    ["alpha@demo.herdbook", "viewer@demo.herdbook", "past@demo.herdbook", "partner@demo.herdbook"];

pub(super) async fn all(law: &mut Law, who: &str, when: &str) {
    let before = law.differences;
    let turn = law.counts.get("look").map_or(0, |count| count.requests);
    let collections: Vec<&'static Collection> = law.registry().iter().collect();
    for (nth, c) in collections.iter().enumerate() {
        let kind = format!("look: {} {when}", c.slug);
        law.get(&kind, who, &format!("/api/{}?limit=0&depth=1", c.slug)).await;
        if !c.joins.is_empty() {
            let joins: String = (c.joins.iter())
                .map(|join| format!("&joins[{0}][limit]=0&joins[{0}][count]=true&select[{0}]=true", join.name))
                .collect();
            law.get(&kind, who, &format!("/api/{}?limit=0&depth=1{joins}", c.slug)).await;
        }
        if (nth + turn).is_multiple_of(BY_PAGES) {
            law.get(&kind, who, &format!("/book/{}", c.slug)).await;
        }
        if (nth + turn).is_multiple_of(BY_GRAPHQL) {
            let (_, many) = names(c.slug);
            let fields = selection(c, &c.layout);
            let query =
                json!({"query": format!("{{list:{many}(limit:200,sort:\"id\"){{docs{{{fields}}} totalDocs}}}}")});
            law.json(&kind, who, ("POST", GRAPHQL), &query).await;
        }
    }
    for path in "/api/access /api/users/me /book /book/animals/4 /api/animals/4/card \
        /ade/v1/datasets/everything/changes?limit=1000 /ade/v1/locations /ade/v1/datasets"
        .split(' ')
    {
        law.get(&format!("look: {path} {when}"), who, path).await;
    }
    sent(law, when).await;
    if law.differences > before {
        law.fresh().await;
    }
}

/// Messages that came to the callers without a request.
async fn sent(law: &mut Law, when: &str) {
    let both = [letters(&law.pair[0]).await, letters(&law.pair[1]).await];
    let notices = [notices(&law.pair[0]).await, notices(&law.pair[1]).await];
    for (what, both) in [("letters", both), ("notices", notices)] {
        let count = law.counts.entry(what.to_owned()).or_default();
        count.requests += 1;
        if both[0] != both[1] {
            let both = super::compare::shown(&both);
            law.differs(&format!("look: {what} {when}"), what, &both);
        }
    }
}

async fn letters(stage: &Stage) -> String {
    let all = delivered(stage).await.into_iter();
    let mine = all.filter(|message| ADDRESSES.iter().any(|mine| message.to.contains(mine)));
    let text = |message: model::letter::Message| format!("{} {}\n{}", message.to, message.subject, message.text);
    super::compare::masked(&mine.map(text).collect::<Vec<_>>().join("\n"))
}

/// Notices of webhooks and waiting readers: the data sets of their locations that changed, in order.
async fn notices(stage: &Stage) -> String {
    let settings = Settings::load(&Sources::default()).unwrap();
    let exchange = cli::exchange(&settings).unwrap();
    let mut heads = exchange.feeds().heads(&stage.book.store, (0, i64::MAX)).await.unwrap();
    heads.retain(|head| LOCATIONS.contains(&head.location));
    heads.sort_by(|a, b| (a.seq, a.location, &a.dataset).cmp(&(b.seq, b.location, &b.dataset)));
    let all: Vec<Value> = heads.iter().map(|head| json!([head.location, head.dataset])).collect();
    Value::from(all).to_string()
}
