//! Ending emails by the link in each of them.

use super::{assignment, known, letters, sent};
use crate::rest::operation::letters::branding;
use crate::rest::world::World;
use axum::body::Body;
use model::letter::Message;
use serde_json::json;

/// The path of the link.
fn link(letter: &Message) -> String {
    let link = letter.unsubscribe.as_deref().expect("a link");
    assert!(letter.text.contains(link) && letter.html.contains(link));
    link.strip_prefix(&branding().url).unwrap().to_owned()
}

#[test_with(World::each)]
async fn one_request_ends_emails_of_the_kind_and_looking_does_not(w: &World<'_>) {
    known(w).await;
    made!(w, "expert", "upload-assignments", assignment("2026-03-20"));
    let all = letters(w).await;
    let (russian, english) = (link(&all[0]), link(&all[1]));
    let page = ask!(w, "", "GET {russian}" => 200);
    assert!(page.text.contains("Больше не присылать письма о пакетах?"), "{}", page.text);
    assert!(page.text.contains("<form method=\"post\">"), "{}", page.text);
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(w.doc("users", 12).await["notifySubmissions"], true);

    let form = [("content-type", "application/x-www-form-urlencoded")];
    for _ in 0..2 {
        let done = w.send("", "POST", &english, &form, "List-Unsubscribe=One-Click").await;
        assert_eq!(done.status, 200, "{}", done.text);
        assert!(done.text.contains("There will be no more"), "{}", done.text);
    }
    holds!(w.doc("users", 12).await, {"notifySubmissions": false, "notifyTrust": true, "notifyNews": false});
    assert_eq!(w.doc("users", 11).await["notifySubmissions"], true);
    made!(w, "expert", "upload-assignments", assignment("2026-03-21"));
    assert_eq!(sent(w).await, ["alpha пришлите данные до 21.03.2026"]);

    // The account switches them on again.
    changed!(w, "operator", "users", 12, {"notifySubmissions": true});
    made!(w, "expert", "upload-assignments", assignment("2026-03-22"));
    assert_eq!(sent(w).await.len(), 2);
}

#[test_with(World::each)]
async fn tokens_that_end_nothing_have_one_answer(w: &World<'_>) {
    known(w).await;
    made!(w, "expert", "upload-assignments", assignment("2026-03-20"));
    let good = link(&letters(w).await[1]);
    let (path, token) = good.split_once("token=").unwrap();
    let mut wrong = vec![String::new(), "x".to_owned(), token[1..].to_owned()];
    let last = if token.ends_with('A') { 'B' } else { 'A' };
    wrong.push(format!("{}{last}", &token[..token.len() - 1]));
    let other = w.stage.book.keys.seal(secure::keys::Purpose::Page, b"submissions:12:users");
    wrong.push(other);
    for kind in "news:12:users submissions:x:users submissions:12:people submissions".split(' ') {
        wrong.push(w.stage.book.keys.seal(secure::keys::Purpose::Unsubscribe, kind.as_bytes()));
    }
    let mut answers = Vec::new();
    for token in wrong {
        for method in ["GET", "POST"] {
            let answer = w.ask("", method, &format!("{path}token={token}"), Body::empty()).await;
            answers.push((answer.status, answer.text));
        }
    }
    assert!(answers.iter().all(|one| *one == answers[0]), "{answers:?}");
    assert_eq!(answers[0].0, 400);
    assert!(answers[0].1.contains("This link is not valid."));
    assert_eq!(w.doc("users", 12).await["notifySubmissions"], true);

    // An account that is gone learns the same as one that is there.
    let gone = w.stage.book.keys.seal(secure::keys::Purpose::Unsubscribe, b"submissions:9999:users");
    ask!(w, "", "POST {path}token={gone}" => 200);
    assert_eq!(w.get("", &good.replace("/users/", "/animals/")).await.status, 404);
}

#[test_with(World::each)]
async fn emails_of_accounts_have_no_such_link(w: &World<'_>) {
    known(w).await;
    changed!(w, "alpha", "users", 11, {"language": "ru"});
    let body = json!({"email": "alpha@demo.herdbook"}).to_string();
    ask!(w, "", "POST /api/users/forgot-password", {"email": "operator@demo.herdbook"} => 200);
    w.ask("", "POST", "/api/users/forgot-password", body).await;
    let all = letters(w).await;
    let links: Vec<(&str, &str)> = (all.iter()).map(|letter| (letter.to.as_str(), letter.subject.as_str())).collect();
    let expected =
        [("operator@demo.herdbook", "herdbook: a new password"), ("alpha@demo.herdbook", "herdbook: новый пароль")];
    assert_eq!(links, expected);
    assert!(all.iter().all(|letter| letter.unsubscribe.is_none()));
}
