//! Cases 78 and 81 to 84 of the dialect, as far as tokens and headers go.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::*;
use crate::keys::random_secret;
use test_support::table;

/// 2026-03-01T12:00:00.250Z
const NOW: i64 = 1_772_366_400_250;
const SECRET: &str = "kX7r-2mQ9_vT4wY8zB1nC5dF6gH3jL0p";

fn ring() -> KeyRing {
    KeyRing::new(SECRET, None).unwrap()
}

fn subject() -> Subject {
    Subject {
        collection: "users".into(),
        id: 7,
        email: "farm1@demo.herdbook".into(),
        role: "farmer".into(),
        sid: "s-1".into(),
    }
}

fn token() -> String {
    issue(&ring(), &subject(), NOW, DEFAULT_LIFETIME_S).unwrap().token
}

/// A token signed with our key but with a header and claims of the test's choosing.
fn forged(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(header), part(claims));
    let key = EncodingKey::from_secret(ring().current().key(Purpose::Session));
    let alg = serde_json::from_value(header["alg"].clone()).unwrap_or(Algorithm::HS256);
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, alg).unwrap();
    format!("{message}.{signature}")
}

fn claims() -> Value {
    json!({"id": 7, "collection": "users", "email": "e", "role": "farmer", "sid": "s", "iat": NOW / 1000,
           "exp": NOW / 1000 + 60})
}

#[test]
fn the_token_carries_the_claims_of_the_dialect() {
    let issued = issue(&ring(), &subject(), NOW, 7200).unwrap();
    assert_eq!(issued.exp, NOW / 1000 + 7200);
    let parts: Vec<&str> = issued.token.split('.').collect();
    let part = |at: usize| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts[at]).unwrap()).unwrap() };
    assert_eq!(part(0)["alg"], "HS256");
    assert_eq!(
        part(1),
        json!({"id": 7, "collection": "users", "email": "farm1@demo.herdbook", "role": "farmer", "sid": "s-1",
               "iat": NOW / 1000, "exp": NOW / 1000 + 7200})
    );
    let read = verify(&ring(), &issued.token, NOW).unwrap();
    assert_eq!((read.id, read.sid.as_str()), (7, "s-1"));
}

#[test]
fn a_token_dies_at_its_last_second_without_leeway() {
    let exp_ms = (NOW / 1000 + 7200) * 1000;
    assert!(verify(&ring(), &token(), exp_ms - 1).is_ok());
    assert_eq!(verify(&ring(), &token(), exp_ms), Err(TokenFault::Expired));
}

#[test]
fn only_hs256_with_every_claim_is_believed() {
    let hs256 = json!({"alg": "HS256", "typ": "JWT"});
    assert!(verify(&ring(), &forged(&hs256, &claims()), NOW).is_ok(), "without key name");
    for alg in ["HS512", "HS384"] {
        let stronger = forged(&json!({"alg": alg, "typ": "JWT"}), &claims());
        assert_eq!(verify(&ring(), &stronger, NOW), Err(TokenFault::Algorithm));
    }
    let unsigned = format!("{}.{}.", URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#), URL_SAFE_NO_PAD.encode("{}"));
    assert!(verify(&ring(), &unsigned, NOW).is_err());
    for claim in ["id", "collection", "email", "role", "sid", "iat", "exp"] {
        let mut incomplete = claims();
        incomplete.as_object_mut().unwrap().shift_remove(claim);
        assert!(verify(&ring(), &forged(&hs256, &incomplete), NOW).is_err(), "{claim}");
    }
    let mut endless = claims();
    endless["exp"] = json!("never");
    assert!(verify(&ring(), &forged(&hs256, &endless), NOW).is_err());
}

#[test]
fn altered_and_foreign_tokens_are_refused() {
    let other = KeyRing::new(&random_secret(), None).unwrap();
    assert_eq!(verify(&other, &token(), NOW), Err(TokenFault::Signature));
    let text = token();
    let dot = text.find('.').unwrap();
    let mut claims = claims();
    claims["id"] = json!(1);
    let swapped =
        format!("{}.{}.{}", &text[..dot], URL_SAFE_NO_PAD.encode(claims.to_string()), text.rsplit('.').next().unwrap());
    assert_eq!(verify(&ring(), &swapped, NOW), Err(TokenFault::Signature));
    let long = "a".repeat(100_000);
    for garbage in ["", ".", "..", "...", "a.b.c", "garbage", " ", long.as_str(), &format!(" {text}")] {
        assert!(verify(&ring(), garbage, NOW).is_err(), "{garbage:.20}");
    }
}

#[test]
fn tokens_survive_a_change_of_secret_while_both_are_configured() {
    let next = random_secret();
    let overlapping = KeyRing::new(&next, Some(SECRET)).unwrap();
    assert!(verify(&overlapping, &token(), NOW).is_ok());
    let unnamed = forged(&json!({"alg": "HS256"}), &claims());
    assert!(verify(&overlapping, &unnamed, NOW).is_ok());
    assert!(verify(&KeyRing::new(&next, None).unwrap(), &token(), NOW).is_err());
}

fn cookies() -> SessionCookies {
    SessionCookies::new("herdbook", &[], false)
}

fn find_token<'a>(authorization: Option<&'a str>, cookies_sent: &'a [&'a str], dialect: Dialect) -> PresentedToken<'a> {
    let request = SignInHeaders { authorization, cookies: cookies_sent, ..SignInHeaders::default() };
    cookies().find(&request, dialect)
}

#[test]
fn the_scheme_is_read_to_the_letter_in_rest() {
    let rest = |value| find_token(Some(value), &[], Dialect::Rest);
    assert_eq!(rest("JWT abc"), PresentedToken::Header("abc"));
    assert_eq!(rest("Bearer abc"), PresentedToken::Header("abc"));
    // Case 81: anonymous either way, by absence or by a token that cannot be right.
    for other in ["jwt abc", "JWTabc", "bearer abc", "Basic abc", "JWT", "JWT ", "", "users API-Key k"] {
        assert_eq!(rest(other), PresentedToken::Nothing, "{other}");
    }
    assert_eq!(rest("JWT  abc"), PresentedToken::Header(" abc"));
    let spaced = format!("JWT  {}", token());
    assert!(verify(&ring(), rest(&spaced).token().unwrap(), NOW).is_err());
}

#[test]
fn ade_reads_the_scheme_in_any_case() {
    let ade = |value| find_token(Some(value), &[], Dialect::Ade);
    for value in "JWT abc,jwt abc,BEARER abc,Bearer abc,bearer  abc".split(',') {
        assert_eq!(ade(value), PresentedToken::Header("abc"), "{value}");
    }
    for value in ["Basic abc", "jwt", "jwt "] {
        assert_eq!(ade(value), PresentedToken::Nothing, "{value}");
    }
}

#[test]
fn a_bad_header_is_not_replaced_by_a_good_cookie() {
    let (header, cookie) = (PresentedToken::Header("bad"), PresentedToken::Cookie("good"));
    for (value, token) in [
        (Some("JWT bad"), &header),
        (Some("Bearer bad"), &header),
        (Some("Basic bad"), &cookie),
        (Some("jwt bad"), &cookie),
        (None, &cookie),
    ] {
        let read = find_token(value, &["herdbook-token=good"], Dialect::Rest);
        assert_eq!(read, *token, "{value:?}");
    }
}

#[test]
fn both_cookie_names_are_read_ours_first() {
    let none = "xherdbook-token=a; herdbook-tokenx=b; herdbook-token";
    let cases: [(&[&str], Option<&str>); 8] = [
        (&["payload-token=old"], Some("old")),
        (&["payload-token=old; herdbook-token=new"], Some("new")),
        (&["herdbook-token=; payload-token=old"], Some("old")),
        (&["lng=en;herdbook-token=a"], Some("a")),
        (&["lng=en", "herdbook-token=a"], Some("a")),
        (&["herdbook-token=a; herdbook-token=b"], Some("b")),
        (&[none], None),
        (&[], None),
    ];
    for (cookies, token) in cases {
        let expected = token.map_or(PresentedToken::Nothing, PresentedToken::Cookie);
        assert_eq!(find_token(None, cookies, Dialect::Rest), expected);
    }
}

/// Case 84.
#[test]
fn with_a_list_of_origins_cookies_count_only_from_there() {
    let listed = SessionCookies::new("herdbook", &["https://book.example/".to_owned()], false);
    let ask = |origin, sec_fetch_site| {
        let cookies = ["herdbook-token=t"];
        let request = SignInHeaders {
            authorization: None,
            cookies: &cookies,
            origin,
            sec_fetch_site,
            ..SignInHeaders::default()
        };
        listed.find(&request, Dialect::Rest).token().map(str::to_owned)
    };
    assert!(ask(Some("https://book.example"), None).is_some());
    for foreign in ["https://evil.example", "null", "http://book.example", "https://book.example.evil"] {
        assert_eq!(ask(Some(foreign), None), None, "{foreign}");
        assert_eq!(ask(Some(foreign), Some("same-origin")), None, "{foreign}");
    }
    assert_eq!(ask(None, None), None);
    assert_eq!(ask(None, Some("cross-site")), None);
    for own in ["same-origin", "same-site", "none"] {
        assert!(ask(None, Some(own)).is_some(), "{own}");
    }
    let request = SignInHeaders {
        authorization: Some("JWT t"),
        origin: Some("https://evil.example"),
        ..SignInHeaders::default()
    };
    assert_eq!(listed.find(&request, Dialect::Rest), PresentedToken::Header("t"), "headers are not subject to it");
    let request = SignInHeaders { cookies: &["herdbook-token=t"], origin: Some("https://any.example"), ..request };
    let request = SignInHeaders { authorization: None, ..request };
    assert_eq!(
        cookies().find(&request, Dialect::Rest),
        PresentedToken::Cookie("t"),
        "without a list any page may read"
    );
}

/// The service's own pages need not be listed, neither to read nor to write.
#[test]
fn with_a_list_own_pages_count_as_well() {
    let listed = SessionCookies::new("herdbook", &["https://app.example".to_owned()], false);
    let named = listed.clone().of_pages("https://book.example/hub");
    let (own, inner) = ("https://book.example", Some("10.0.0.7:8080"));
    type Case<'a> = (&'a SessionCookies, &'a str, Option<&'a str>, Option<&'a str>, bool);
    let cases: [Case<'_>; 13] = table![
        &named, own, None, inner, true;
        &named, own, Some("same-origin"), inner, true;
        // To another name of the service.
        &named, own, Some("cross-site"), inner, true;
        &named, "https://app.example", Some("cross-site"), inner, true;
        &named, "http://book.example", None, Some("book.example"), false;
        &named, "https://evil.example", None, inner, false;
        &named, "https://evil.example", Some("cross-site"), Some("book.example"), false;
        // Without an address of the service the host decides, if the browser does not say otherwise.
        &listed, own, None, Some("book.example"), true;
        &listed, own, Some("same-origin"), Some("book.example"), true;
        &listed, own, Some("cross-site"), Some("book.example"), false;
        &listed, own, Some("same-origin"), inner, false;
        &listed, "null", None, Some("book.example"), false;
        &listed, own, None, None, false;
    ];
    for (service, origin, sec_fetch_site, host, counts) in cases {
        for writes in [false, true] {
            let cookies = &["herdbook-token=t"];
            let request =
                SignInHeaders { authorization: None, cookies, origin: Some(origin), sec_fetch_site, writes, host };
            let found = service.find(&request, Dialect::Rest);
            assert_eq!(found == PresentedToken::Cookie("t"), counts, "{request:?}");
        }
    }
}

/// Without a list, a foreign page may not write by the cookie.
#[test]
fn without_a_list_writes_count_from_own_pages_only() {
    type Case<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>, bool);
    let judged = |service: &SessionCookies, cases: &[Case<'_>]| {
        for (origin, sec_fetch_site, host, counts) in cases {
            let request = SignInHeaders {
                authorization: None,
                cookies: &["herdbook-token=t"],
                origin: *origin,
                sec_fetch_site: *sec_fetch_site,
                writes: true,
                host: *host,
            };
            let token = service.find(&request, Dialect::Rest);
            let expected = match counts {
                true => PresentedToken::Cookie("t"),
                false => PresentedToken::ForeignOrigin,
            };
            assert_eq!(token, expected, "{request:?}");
        }
    };
    let evil = Some("https://evil.example");
    let local = Some("localhost:8080");
    let anywhere: &[Case<'_>] = &table![
        None, None, local, true;
        None, Some("none"), local, true;
        None, Some("cross-site"), local, false;
        None, Some("same-site"), local, false;
        Some("http://localhost:8080"), None, local, true;
        Some("http://localhost:8080"), Some("same-origin"), local, true;
        Some("http://localhost:9999"), None, local, false;
        Some("http://localhost"), None, local, false;
        Some("http://book.example"), None, Some("book.example"), true;
        Some("http://book.example"), None, Some("Book.example:80"), true;
        Some("https://book.example"), None, Some("book.example:443"), true;
        Some("https://book.example"), None, Some("book.example:80"), false;
        Some("null"), None, local, false;
        Some(""), None, local, true;
        evil, None, local, false;
        evil, None, None, false;
        evil, Some("cross-site"), local, false;
        evil, Some("cross-site"), Some("evil.example"), false;
    ];
    judged(&cookies(), anywhere);
    let book = cookies().of_pages("https://Book.example:443/hub");
    judged(&book, anywhere.get(..8).unwrap());
    judged(
        &book,
        &table![
            // Behind a proxy that rewrites the host.
            Some("https://book.example"), None, Some("10.0.0.7:8080"), true;
            Some("https://book.example"), Some("cross-site"), None, true;
            // The same name without encryption: an attacker in between may have written that page.
            Some("http://book.example"), None, Some("book.example"), false;
            evil, None, Some("10.0.0.7:8080"), false;
        ],
    );
}

#[test]
fn cookies_are_written_as_the_dialect_says() {
    let issued = IssuedToken { token: "a.b.c".into(), exp: NOW / 1000 };
    assert_eq!(
        cookies().sign_in(&issued),
        "herdbook-token=a.b.c; Expires=Sun, 01 Mar 2026 12:00:00 GMT; Path=/; HttpOnly=true; SameSite=Lax"
    );
    assert_eq!(
        cookies().sign_out(),
        "herdbook-token=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; HttpOnly=true; SameSite=Lax"
    );
    assert!(SessionCookies::new("x", &[], true).sign_out().contains("; Path=/; Secure=true; HttpOnly=true;"));
    let endless = IssuedToken { token: "t".into(), exp: i64::MAX };
    assert!(cookies().sign_in(&endless).contains("; Path=/;"), "no panic on a moment beyond the calendar");
}
