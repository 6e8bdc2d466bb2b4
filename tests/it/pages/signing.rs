//! Signing in and out by pages, the choice of a language, and pages of other origins.

use super::filled::Filled;
use super::records::forms::parts;
use super::{BROWSER, assert_sound, form, goes, id_of, page, send};
use crate::rest::stage::{Answer, PASSWORD};
use crate::rest::world::World;
use serde_json::json;

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// The cookies of an answer, as a browser sends them back.
fn cookies(answer: &Answer) -> String {
    let all = answer.headers.get_all("set-cookie").iter();
    let pairs = all.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap().to_owned());
    pairs.collect::<Vec<_>>().join("; ")
}

async fn with(w: &World<'_>, cookie: &str, path: &str) -> Answer {
    let headers = [BROWSER[0], BROWSER[1], ("cookie", cookie)];
    w.send("", "GET", path, &headers, "").await
}

#[test_with(World::each)]
async fn people_sign_in_and_out(w: &World<'_>) {
    let sheet = page(w, "", "/sign-in?next=%2Fbook%2Fanimals").await;
    assert_sound(&sheet, "sign in");
    let wrong = send(w, "", "/sign-in", &[("email", "alpha@demo.herdbook"), ("password", "not this one")]).await;
    assert_eq!(wrong.status, 401);
    assert_sound(&wrong, "wrong");
    wrong.has(&["The email or password provided is incorrect."]);
    wrong.has(&["value=\"alpha@demo.herdbook\""]);
    wrong.lacks(&["not this one"]);
    let fields = [("email", "alpha@demo.herdbook"), ("password", PASSWORD)];
    let good = send(w, "", "/sign-in?next=%2Fbook%2Fanimals", &fields).await;
    assert_eq!(goes(&good), "/book/animals");
    let away = send(w, "", "/sign-in?next=%2F%2Fevil.example", &fields).await;
    assert_eq!(goes(&away), "/");
    let cookie = cookies(&good);
    let home = with(w, &cookie, "/").await;
    assert_sound(&home, "home");
    home.has(&["action=\"/sign-out\""]);
    assert_eq!(goes(&with(w, &cookie, "/sign-in").await), "/");
    let account = with(w, &cookie, "/account").await;
    assert_sound(&account, "account");
    account.has(&["href=\"/book/users/"]);
    let headers = [BROWSER[0], FORM, ("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
    let out = w.send("", "POST", "/sign-out", &headers, "").await;
    assert_eq!(goes(&out), "/");
    assert!(cookies(&out).contains("herdbook-token="), "{:?}", out.headers);
    let home = with(w, &cookie, "/").await;
    home.lacks_in(&"the session has ended", &["action=\"/sign-out\""]);
}

/// With the right password alone, and on the page alone: the answer by the net is that to a wrong one.
#[test_with(World::each)]
async fn whose_account_is_closed_is_told_so(w: &World<'_>) {
    changed!(w, "alpha", "users", 13, {"blockedAt": "2026-03-01"});
    let closed = "This account is closed";
    for (email, password, is_told) in [
        ("viewer@demo.herdbook", PASSWORD, true),
        ("viewer@demo.herdbook", "not this one", false),
        ("nobody@demo.herdbook", PASSWORD, false),
    ] {
        let answer = send(w, "", "/sign-in", &[("email", email), ("password", password)]).await;
        assert_eq!(answer.status, 401, "{email}");
        assert_sound(&answer, email);
        assert_eq!(answer.text.contains(closed), is_told, "{email} {password}");
        assert_eq!(answer.text.contains("password provided is incorrect"), !is_told, "{email} {password}");
        let by_net = ask!(w, "", "POST /api/users/login", {"email": email, "password": password} => 401);
        assert_eq!(by_net.json()["errors"], json!([{"message": "The email or password provided is incorrect."}]));
    }
}

#[test_with(World::each)]
async fn pages_of_other_origins_send_no_forms(w: &World<'_>) {
    let fields = [("email", "alpha@demo.herdbook"), ("password", PASSWORD)];
    let cookie = cookies(&send(w, "", "/sign-in", &fields).await);
    let body = form(&[("animal", "[2]"), ("date", "2024-03-01"), ("milkYield", "30"), ("anyway", "yes")]);
    let new = async |site: &str| {
        let headers = [BROWSER[0], FORM, ("cookie", cookie.as_str()), ("sec-fetch-site", site)];
        w.send("", "POST", "/book/milk-tests/new", &headers, body.clone()).await
    };
    for site in ["cross-site", "same-site"] {
        assert!(goes(&new(site).await).starts_with("/sign-in"), "{site}");
    }
    assert!(w.list("milk-tests", "").await.is_empty());
    assert!(goes(&new("same-origin").await).starts_with("/book/milk-tests/"));
    assert_eq!(w.list("milk-tests", "").await.len(), 1);
}

#[test_with(World::each)]
async fn a_form_that_comes_after_the_session_is_sent_again(w: &World<'_>) {
    let fields = [("animal", "[2]"), ("date", "2025-03-01"), ("milkYield", "30"), ("anyway", "yes")];
    for headers in [[BROWSER[0], FORM, ("sec-fetch-site", "same-origin")], [BROWSER[0], FORM, ("origin", "http://hub")]]
    {
        let headers = [&headers[..], &[("host", "hub")]].concat();
        let kept = w.send("", "POST", "/book/milk-tests/new", &headers, form(&fields)).await;
        assert_eq!(kept.status, 401, "{}", kept.text);
        assert_sound(&kept, "kept");
        let again = Filled::of(&kept, "Send it now");
        assert_eq!((again.action.as_str(), again.pairs()), ("/book/milk-tests/new", fields.to_vec()));
    }
    assert!(w.list("milk-tests", "").await.is_empty());
    let headers = [BROWSER[0], FORM, ("sec-fetch-site", "same-origin")];
    let kept = w.send("", "POST", "/book/milk-tests/new", &headers, form(&fields)).await;
    let again = Filled::of(&kept, "Send it now");
    let id = id_of(&send(w, "alpha", &again.action, &again.pairs()).await);
    holds!(w.doc("milk-tests", id).await, {"animal": 2, "milkYield": 30});
    // The fields of a form with a file, too.
    let headers = [headers[0], ("content-type", "multipart/form-data; boundary=cow"), headers[2]];
    let body = parts(&[("kind", "productivity")], ("t.csv", "a;b"));
    let kept = w.send("", "POST", "/book/data-submissions/new", &headers, body).await;
    assert_eq!(Filled::of(&kept, "Send it now").get("kind"), Some("productivity"));
}

#[test_with(World::each)]
async fn a_language_is_preferred_chosen_and_stored(w: &World<'_>) {
    let language_of = async |headers: &[(&str, &str)]| {
        let mut all = vec![BROWSER[0]];
        all.extend(headers);
        w.send("", "GET", "/book/animals", &all, "").await.text
    };
    assert!(language_of(&[]).await.contains("<html lang=\"en\">"));
    let russian = language_of(&[("accept-language", "ru-RU,ru;q=0.9,en;q=0.8")]).await;
    assert!(russian.contains("<html lang=\"ru\">") && russian.contains("Дата рождения"), "{russian}");
    // What the API refuses is said in the language of the page, whatever the browser prefers.
    let faults = async |cookie: &str| {
        let headers = [BROWSER[0], BROWSER[1], FORM, ("cookie", cookie)];
        let fields = [("date", "2024-03-01"), ("milkYield", "300")];
        w.send("alpha", "POST", "/book/milk-tests/new", &headers, form(&fields)).await.text
    };
    assert!(faults("").await.contains("This field is required."));
    let russian = faults("language=ru").await;
    assert!(!russian.contains("This field is required."), "{russian}");
    assert!(russian.contains("Это поле обязательно"), "{russian}");
    let headers = [BROWSER[0], FORM];
    let body = form(&[("language", "ru"), ("next", "/book/animals?q=1")]);
    let chosen = w.send("", "POST", "/language", &headers, body).await;
    assert_eq!(goes(&chosen), "/book/animals?q=1");
    let cookie = cookies(&chosen);
    assert!(language_of(&[("accept-language", "en"), ("cookie", &cookie)]).await.contains("<html lang=\"ru\">"));
    let other = w.send("", "POST", "/language", &headers, form(&[("language", "xx"), ("next", "//evil")])).await;
    assert_eq!((goes(&other), cookies(&other).as_str()), ("/", ""));
    // An account has its own language, unless the browser chose another one.
    let me = w.list("users", "where[email][equals]=alpha@demo.herdbook").await[0]["id"].as_i64().unwrap();
    changed!(w, "alpha", "users", me, {"language": "ru"});
    page(w, "alpha", "/").await.has(&["<html lang=\"ru\">"]);
}

#[test_with(World::each)]
async fn an_invited_person_joins_by_the_page_of_the_email(w: &World<'_>) {
    let body = json!({"email": "eva@x.example", "orgRole": "viewer"});
    let answer = ask!(w, "alpha", "POST /api/invitations?depth=0", body => 201);
    let token = answer.json()["doc"]["token"].as_str().unwrap().to_owned();
    let path = format!("/invitation?token={token}");
    assert_sound(&page(w, "", &path).await, "invitation");
    let names = [("firstName", "Eva"), ("lastName", "Berg")];
    let short = send(w, "", &path, &[names[0], names[1], ("password", "short")]).await;
    assert_eq!(short.status, 400);
    assert_sound(&short, "short");
    short.has(&["id=\"password-fault\"", "value=\"Berg\""]);
    let joined = send(w, "", &path, &[names[0], names[1], ("password", "long enough words")]).await;
    assert_eq!(goes(&joined), "/");
    let home = with(w, &cookies(&joined), "/").await;
    home.has(&["Eva Berg"]);
    let second = send(w, "", &path, &[names[0], names[1], ("password", "long enough words")]).await;
    assert_eq!(second.status, 400);
    second.has(&["This invitation does not exist"]);
}

#[test_with(World::each)]
async fn forms_of_emails_refuse_tokens_that_are_none(w: &World<'_>) {
    for (path, fields) in table![
        "/reset-password?token=x", &[("password", "long enough words")][..];
        "/verify-email?token=x", &[];
        "/verify-email?token=..%2Flogout", &[];
        "/unlock?token=x", &[];
    ] {
        assert_sound(&page(w, "", path).await, path);
        let refused = send(w, "", path, fields).await;
        assert!((400..500).contains(&refused.status), "{path}: {}", refused.text);
        assert_sound(&refused, path);
        refused.has_in(&path, &["role=\"alert\""]);
    }
    // The answer does not reveal whether an address has an account.
    let known = send(w, "", "/forgotten-password", &[("email", "alpha@demo.herdbook")]).await;
    let unknown = send(w, "", "/forgotten-password", &[("email", "nobody@x.example")]).await;
    assert_eq!((known.status, &known.text), (200, &unknown.text));
    assert_sound(&known, "forgotten");
}
