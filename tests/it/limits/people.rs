//! Callers that are counted as one: organisations, keys, addresses, accounts.

use super::{Stage, field, fresh, from};
use serde_json::{Value, json};

#[tokio::test]
async fn the_users_of_an_organisation_share_its_budget_and_others_have_theirs() {
    let s = Stage::with(&[("limits.read", "4")]).await;
    let colleague = s.f.user(7, "farmer", Some(1), "head").await;
    for n in 0..4 {
        let who = if n % 2 == 0 { &s.farm } else { &colleague };
        assert_eq!(s.f.get(&fresh(n), who).await.0, 200, "{n}");
    }
    assert_eq!(s.f.get(&fresh(5), &s.farm).await.0, 429);
    assert_eq!(s.f.get(&fresh(5), &colleague).await.0, 429);
    // On the other face too.
    assert_eq!(s.f.get("/ade/v1/locations", &colleague).await.0, 429);
    let (status, headers, _) = s.f.get(&fresh(5), &s.other).await;
    assert_eq!((status, field(&headers, "ratelimit")), (200, "\"read\";r=3;t=15"));
    assert_eq!(s.f.get(&fresh(5), &s.expert).await.0, 200);
    assert_eq!(s.f.get(&fresh(5), "").await.0, 200);
}

#[tokio::test]
async fn a_key_has_a_part_of_its_organisations_budget() {
    let s = Stage::with(&[("limits.read", "4"), ("limits.api_key", "50")]).await;
    let made = ask!(s.f, s.farm, "PATCH /api/users/1", {"enableAPIKey": true} => 200);
    let key = made["doc"]["apiKey"].as_str().unwrap();
    let key = [("authorization", format!("users API-Key {key}"))];
    let key: Vec<_> = key.iter().map(|(n, v)| (*n, v.as_str())).collect();
    for n in 0..4 {
        let (status, headers, _) = s.f.get_with(&fresh(n), "", &key).await;
        assert_eq!(status, if n < 2 { 200 } else { 429 });
        let policies: Vec<_> = headers.get_all("ratelimit-policy").iter().collect();
        let first = "\"read-key\";q=2;w=60";
        if n < 2 {
            assert_eq!(policies, [first, "\"read\";q=4;w=60"]);
        } else {
            assert_eq!(policies, [first]);
        }
    }
    // Refused requests took nothing from the quota of the others.
    assert_eq!(s.f.get(&fresh(8), &s.farm).await.0, 200);
    assert_eq!(s.f.get(&fresh(9), &s.farm).await.0, 200);
    assert_eq!(s.f.get(&fresh(10), &s.farm).await.0, 429);
}

#[tokio::test]
async fn nobody_in_particular_is_counted_by_address_and_cannot_forge_one() {
    let s = Stage::with(&[("limits.read", "2")]).await;
    let path = "/api/herds?limit=1";
    let ask = async |peer: &str, n: usize, said: &str| {
        let path = format!("{path}&page={n}");
        let said = [("x-forwarded-for", said), ("forwarded", "for=9.9.9.9")];
        from(&s, peer, ("GET", &path), &said, "").await.0
    };
    assert_eq!(ask("192.0.2.1", 1, "8.8.8.1").await, 200);
    assert_eq!(ask("192.0.2.1", 2, "8.8.8.2").await, 200);
    assert_eq!(ask("192.0.2.1", 3, "8.8.8.3").await, 429);
    assert_eq!(ask("192.0.2.2", 4, "8.8.8.3").await, 200);
    // One customer of IPv6.
    assert_eq!(ask("[2001:db8::1]", 5, "").await, 200);
    assert_eq!(ask("[2001:db8::2]", 6, "").await, 200);
    assert_eq!(ask("[2001:db8::3]", 7, "").await, 429);

    let s = Stage::with(&[("limits.read", "2"), ("limits.trusted_proxies", "1")]).await;
    let ask = async |n: usize, said: &str| {
        let path = format!("{path}&page={n}");
        let said = [("x-forwarded-for", said)];
        from(&s, "10.0.0.1", ("GET", &path), &said, "").await.0
    };
    assert_eq!(ask(1, "192.0.2.1").await, 200);
    assert_eq!(ask(2, "1.1.1.1, 192.0.2.1").await, 200);
    assert_eq!(ask(3, "2.2.2.2, 192.0.2.1").await, 429);
    assert_eq!(ask(4, "192.0.2.1, 192.0.2.2").await, 200);
}

#[tokio::test]
async fn signing_in_is_counted_by_address_and_by_account() {
    let changed = [("limits.sign_in", "20"), ("limits.read", "0"), ("limits.write", "0")];
    let s = Stage::with(&changed).await;
    let login = async |peer: &str, n: usize| {
        let body = json!({"email": format!("nobody{n}@example.org"), "password": "x"});
        from(&s, peer, ("POST", "/api/users/login"), &[], &body.to_string()).await
    };
    // Many accounts from one address.
    for n in 0..20 {
        assert_eq!(login("192.0.2.1", n).await.0, 401, "{n}");
    }
    let (status, headers, body) = login("192.0.2.1", 20).await;
    assert_eq!(status, 429, "{body}");
    assert_eq!(field(&headers, "ratelimit-policy"), "\"sign-in\";q=20;w=60");
    let query = json!({"query": "mutation { loginUser(email: \"a@b.c\", password: \"x\") { token } }"});
    let refusal = from(&s, "192.0.2.1", ("POST", "/api/graphql"), &[], &query.to_string()).await;
    let refusal = refusal.2["errors"][0]["message"].to_string();
    assert!(refusal.contains("Too many requests"), "{refusal}");
    let path = "/api/users/forgot-password";
    let (status, ..) = from(&s, "192.0.2.1", ("POST", path), &[], "{\"email\":\"a@b.c\"}").await;
    assert_eq!(status, 429);

    // One account from many addresses, whether it exists or not, in any spelling.
    for n in 0..21 {
        let email = if n % 2 == 0 { "ghost@example.org" } else { "Ghost@example.org" };
        let body = json!({"email": email, "password": "x"}).to_string();
        let peer = format!("198.51.100.{n}");
        let login = ("POST", "/api/users/login");
        let (status, headers, refusal) = from(&s, &peer, login, &[], &body).await;
        // The account is refused; the remaining quota of the address is independent of it.
        let (expected, remaining) = match n {
            0..20 => (401, "\"sign-in\";r=19;t=3"),
            _ => (429, ""),
        };
        assert_eq!(status, expected, "{n}: {refusal}");
        assert_eq!(field(&headers, "ratelimit"), remaining, "{n}");
    }
}

#[tokio::test]
async fn a_bad_token_is_counted_by_address() {
    let s = Stage::with(&[("limits.read", "2")]).await;
    let bad = [("authorization", "JWT abc")];
    for n in 0..3 {
        let answer = from(&s, "192.0.2.1", ("GET", "/ade/v1/locations"), &bad, "").await;
        assert_eq!(answer.0, if n < 2 { 401 } else { 429 });
    }
    let (status, _, body) = from(&s, "192.0.2.1", ("GET", &fresh(0)), &[], "").await;
    assert_eq!((status, body.get("docs")), (429, None::<&Value>));
}

/// A length that was only announced costs nothing: others of the address would pay for it.
#[tokio::test]
async fn what_is_announced_and_not_sent_costs_nothing() {
    let s = Stage::with(&[("limits.sign_in", "20"), ("limits.write", "20")]).await;
    let length = ("content-length", "99999999999");
    for (path, after) in [("/api/users/login", 401), ("/api/herds", 403)] {
        let (status, ..) = from(&s, "192.0.2.7", ("POST", path), &[length], "{}").await;
        assert_eq!(status, 413, "{path}");
        let body = json!({"email": "a@example.org", "password": "x"}).to_string();
        let (status, _, answer) = from(&s, "192.0.2.7", ("POST", path), &[], &body).await;
        assert_eq!(status, after, "{path}: {answer}");
    }
}
