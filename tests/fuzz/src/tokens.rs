//! Tokens and cookies: a text that we did not write ourselves, exact to the last character, gives no access.

use crate::draw::Draw;
use crate::world::SECRET;
use exchange::{Chain, Cursor, FeedState};
use model::registry::Principal;
use secure::keys::{KeyRing, Purpose};
use secure::session::{Dialect, PresentedToken, SessionCookies, SignInHeaders, Subject, issue, verify};
use std::sync::LazyLock;

const NOW: i64 = 1_772_366_400_000;
const FEED_STATE: FeedState = FeedState { newest: 900, generation: 5, incarnation: 77, horizon: 3 };

const WORDS: &[&str] = &[
    ".",
    "-",
    "_",
    "=",
    "A",
    "AA",
    "AAAA",
    "eyJhbGciOiJub25lIn0",
    "eyJhbGciOiJIUzI1NiJ9",
    "eyJhbGciOiJIUzI1NiIsImtpZCI6IngifQ",
    "e30",
    "bnVsbA",
    "+",
    "/",
    " ",
    "\u{0}",
    "é",
    ";",
    ",",
    "herdbook-token=",
    "payload-token=",
    "Bearer ",
    "JWT ",
    "bearer",
    "jwt  ",
    "x",
    "\"",
    "%3D",
];

/// Tokens that we wrote ourselves.
struct Written {
    ring: KeyRing,
    who: Principal,
    feed: Vec<String>,
    page: String,
    letter: String,
    session: String,
    /// One whose end was before now.
    ended: String,
}

static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    let ring = KeyRing::new(SECRET, None).unwrap();
    let who = Principal::anonymous();
    let chain = chain(&who);
    let seal = |seq| Cursor::new(chain, FEED_STATE, seq).seal(&ring);
    let subject = Subject {
        collection: "users".to_owned(),
        id: 7,
        email: "a@b.example".to_owned(),
        role: "farmer".to_owned(),
        sid: "5ca1ab1e".to_owned(),
    };
    Written {
        feed: vec![seal(17), seal(18)],
        page: ring.seal(Purpose::Page, b"[1,2]"),
        letter: ring.close(Purpose::Letter, b"a letter").unwrap(),
        session: issue(&ring, &subject, NOW, 7_200).unwrap().token,
        ended: issue(&ring, &subject, NOW - 9_000_000, 7_200).unwrap().token,
        ring,
        who,
    }
});

fn chain(caller: &Principal) -> Chain<'_> {
    Chain { caller, dataset: "everything", filter: 0 }
}

pub(crate) fn check(draw: &mut Draw<'_>) {
    let known = &*WRITTEN;
    let mut seeds: Vec<&str> = known.feed.iter().map(String::as_str).collect();
    seeds.extend([&known.page, &known.letter, &known.session, &known.ended].map(String::as_str));
    let text = draw.text(&seeds, WORDS);
    match Cursor::open(&text, &known.ring, chain(&known.who), FEED_STATE) {
        Ok(place) => {
            assert!(known.feed.contains(&text), "{text}");
            assert_eq!(place.seal(&known.ring), text);
        }
        Err(_) => assert!(!known.feed.contains(&text), "{text}"),
    }
    for purpose in Purpose::ALL {
        let opened = known.ring.open(purpose, &text);
        let ours = match purpose {
            Purpose::Feed => known.feed.contains(&text),
            Purpose::Page => text == known.page,
            _ => false,
        };
        assert_eq!(opened.is_ok(), ours, "{purpose:?} {text}");
        let letter = purpose == Purpose::Letter && text == known.letter;
        assert_eq!(known.ring.disclose(purpose, &text).is_ok(), letter, "{purpose:?} {text}");
    }
    let session = verify(&known.ring, &text, NOW).is_ok();
    assert_eq!(session, text == known.session, "{text}");
    presented(draw, &text);
}

/// A token is found whole, in what was sent, and never for a page that may not use it.
fn presented(draw: &mut Draw<'_>, text: &str) {
    let known = &*WRITTEN;
    let cookie = format!("herdbook-token={}", known.session);
    let header = format!("Bearer {}", known.session);
    let seeds = [cookie.as_str(), header.as_str(), "a=b; payload-token=x; c"];
    let [first, second, bearer] = std::array::from_fn(|_| draw.text(&seeds, WORDS));
    let origins = ["https://ours.example", "https://others.example", "null", ""];
    let sites = [None, Some("same-origin"), Some("cross-site"), Some("none"), Some(text)];
    let origin = Some(*draw.pick(&origins)).filter(|_| draw.once_in(2));
    let site = *draw.pick(&sites);
    let cookies = [first.as_str(), second.as_str()];
    let presented = SignInHeaders {
        authorization: Some(bearer.as_str()).filter(|_| draw.once_in(2)),
        cookies: &cookies,
        origin,
        sec_fetch_site: site,
        writes: draw.once_in(2),
        host: Some("ours.example").filter(|_| draw.once_in(2)),
    };
    let allowed = ["https://ours.example/".to_owned()];
    let ours = SessionCookies::new("herdbook", &allowed, true);
    for dialect in [Dialect::Rest, Dialect::Ade] {
        let found = ours.find(&presented, dialect);
        match found {
            PresentedToken::Header(token) => {
                assert!(!token.is_empty() && bearer.contains(token), "{bearer:?}");
                assert!(presented.authorization.is_some(), "{bearer:?}");
            }
            PresentedToken::Cookie(token) => {
                let sent = cookies.iter().any(|cookie| cookie.contains(token));
                assert!(sent && !token.is_empty() && !token.contains(';'), "{cookies:?}");
                let may = match origin.filter(|origin| !origin.is_empty()) {
                    Some(origin) => origin == "https://ours.example",
                    None => matches!(site, Some("same-origin" | "same-site" | "none")),
                };
                assert!(may, "{origin:?} {site:?}");
            }
            PresentedToken::Nothing | PresentedToken::ForeignOrigin => {
                assert_eq!(found.token(), None)
            }
        }
    }
}
