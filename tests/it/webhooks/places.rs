//! Addresses that nothing is ever sent to, for any caller.

use super::stage::{Names, Stage, round};
use serde_json::{Value, json};
use std::sync::Arc;

/// An address of each closed kind, and notations of the loopback.
const CLOSED: [&str; 24] = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2001:db8::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1",
];

fn fault(answer: &Value) -> (&str, &str) {
    let first = &answer["errors"][0]["data"]["errors"][0];
    let text = |name: &str| first[name].as_str().unwrap_or_default();
    (text("path"), text("message"))
}

#[test_each(Stage::each_with(&[("webhooks.http", "false"), ("webhooks.allow", "")]))]
async fn registrations_name_public_addresses_of_the_web(s: Stage) {
    let literal = |ip: &str| match ip.contains(':') {
        true => format!("https://[{ip}]/in"),
        false => format!("https://{ip}/in"),
    };
    let mut urls: Vec<String> = CLOSED.iter().map(|ip| literal(ip)).collect();
    for other in "https://127.0.0.1/in https://0x7f.1/in https://2130706433/in \
        http://partner.example/in https://me:pw@partner.example/in \
        https://partner.example:22/in https://partner.example/in#x ftp://partner.example/in \
        partner.example"
        .split(' ')
    {
        urls.push(other.to_owned());
    }
    for url in urls {
        let body = json!({"url": url, "dataset": "weights"});
        let (status, _, answer) = s.refused(&s.farm, body).await;
        assert_eq!((status, fault(&answer).0), (400, "url"), "{url}: {answer}");
    }
    let body = json!({"url": "https://partner.example/in", "dataset": "weights"});
    let hook = s.register(&s.farm, body).await;
    // A change is judged like a new one.
    let inward = json!({"url": "https://10.0.0.1/"});
    let (status, _, answer) = s.patch(&s.farm, &hook["id"], inward).await;
    assert_eq!((status, fault(&answer).0), (400, "url"), "{answer}");
}

#[test_each(Stage::each())]
async fn names_are_judged_by_what_they_lead_to_at_every_delivery(s: Stage) {
    let names = Arc::new(Names::default());
    let sender = s.sender_by(Arc::clone(&names) as _);
    let url = format!("http://partner.example:{}/in", s.receiver.port);
    let body = json!({"url": url, "dataset": "weights"});
    let hook = s.register(&s.farm, body).await;
    names.lead_to(&["127.0.0.1"]);
    s.weigh_own(1).await;
    assert_eq!(round(&sender).await, 1);
    let seen = s.receiver.one();
    let host = format!("partner.example:{}", s.receiver.port);
    assert_eq!(seen.header("host"), host, "the name, at the address that was judged");

    // The same name leads elsewhere afterwards.
    let mut all: Vec<Vec<&str>> = CLOSED.iter().map(|ip| vec![*ip]).collect();
    all.push(vec!["127.0.0.1", "10.0.0.1"]);
    all.push(vec!["10.0.0.1", "127.0.0.1"]);
    let mut pings = 0;
    for addresses in &all {
        names.lead_to(addresses);
        let (status, _, answer) = s.act(&s.farm, &hook["id"], "ping").await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(round(&sender).await, 1, "{addresses:?}");
        pings += 1;
        let log = s.log(&hook["id"]).await;
        assert_eq!(log.len(), 1 + pings);
        let last = log.last().unwrap();
        let why = "The name leads to an address that is not allowed.";
        assert_eq!(last["error"], why, "{addresses:?}");
        assert_eq!(last["outcome"], "failed");
    }
    assert!(s.receiver.taken().is_empty(), "nothing was sent");
    names.lead_to(&[]);
    s.act(&s.farm, &hook["id"], "ping").await;
    round(&sender).await;
    let log = s.log(&hook["id"]).await;
    assert_eq!(log.last().unwrap()["error"], "The name leads nowhere.");
    // Tests count for nothing.
    let page = s.shown(&hook["id"]).await;
    holds!(page, {"failures": 0, "enabled": true});
    names.lead_to(&["127.0.0.1"]);
    s.act(&s.farm, &hook["id"], "ping").await;
    round(&sender).await;
    let seen = s.receiver.one();
    assert_eq!(seen.json()["type"], "ade.ping");
}

#[test_each(Stage::each())]
async fn an_address_that_was_allowed_once_is_judged_again(s: Stage) {
    let hook = s.weights().await;
    // The same book under stricter settings.
    let strict = s.f.hub.settings.webhooks.clone();
    let strict = config::Webhooks { policy: Default::default(), ..strict };
    let sender = webhooks::WebhookSender::new(
        Arc::clone(&s.f.book),
        s.f.exchange.clone(),
        strict,
        "https://book.example/ade/v1/datasets",
        Arc::new(webhooks::SystemLookup),
    );
    s.weigh_own(1).await;
    assert_eq!(round(&sender.unwrap()).await, 1);
    assert!(s.receiver.taken().is_empty());
    let log = s.log(&hook["id"]).await;
    assert_eq!(log[0]["outcome"], "failed");
}
