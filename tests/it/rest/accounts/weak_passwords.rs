//! New passwords that are easy to guess are refused on every way to set one; existing ones still work.

use crate::rest::operation::letters::{delivered, token};
use crate::rest::stage::{PASSWORD, Stage};
use crate::rest::world::World;
use serde_json::json;

/// Of the list, of the person (Ann Smith, admin@demo.herdbook), of the service.
const WEAK: [&str; 4] = ["Passw0rd1", "qwertyuiop", "AnnSmith1", "herdbook-1"];

/// The path and message of the only fault.
fn fault(answer: &crate::rest::stage::Answer) -> (u16, String, String) {
    let body = answer.json();
    let errors = body["errors"][0]["data"]["errors"].as_array();
    let errors = errors.unwrap_or_else(|| panic!("{}", answer.text));
    assert_eq!(errors.len(), 1, "{}", answer.text);
    let text = |name: &str| errors[0][name].as_str().unwrap().to_owned();
    (answer.status, text("path"), text("message"))
}

fn assert_weak(answer: &crate::rest::stage::Answer, password: &str) {
    let (status, path, message) = fault(answer);
    assert_eq!((status, path.as_str()), (400, "password"), "{password}");
    assert!(message.ends_with("Choose another."), "{message}");
}

#[test_with(World::each)]
async fn a_weak_password_is_refused_by_create_change_and_reset(w: &World<'_>) {
    let person = |password: &str| {
        json!({
            "email": "ann.smith@x.example", "firstName": "Ann", "lastName": "Smith",
            "role": "farmer", "password": password,
        })
    };
    for password in WEAK {
        assert_weak(&w.post("admin", "users", person(password)).await, password);
    }
    let made = ask!(w, "admin", "POST /api/users?depth=0", person("molehill-41") => 201);
    let id = made.json()["doc"]["id"].as_i64().unwrap();
    for password in WEAK.iter().chain(&["ann.smith1"]) {
        let answer = patch!(w, "admin", "users", id, {"password": password});
        assert_weak(&answer, password);
    }
    let body = json!({"email": "ann.smith@x.example"}).to_string();
    w.stage.post("/api/users/forgot-password", body).await;
    let token = token(&delivered(w.stage).await[0]);
    let reset = async |password: &str| {
        let body = json!({"token": token, "password": password}).to_string();
        w.stage.post("/api/users/reset-password", body).await
    };
    for password in WEAK {
        assert_weak(&reset(password).await, password);
    }
    w.stage.login("ann.smith@x.example", "molehill-41").await.assert_is(200, "");
    assert_eq!(reset("the token still holds").await.status, 200);
}

#[test_with(World::each)]
async fn a_weak_password_is_refused_of_the_invited(w: &World<'_>) {
    let invited = post!(w, "alpha", "invitations", {"email": "eva.berg@x.example"});
    let doc = invited.json()["doc"].clone();
    let accept = async |password: &str| {
        let body = json!({"token": doc["token"], "password": password, "firstName": "Eva", "lastName": "Berg"});
        let body = body.to_string();
        w.stage.post("/api/invitations/accept", body).await
    };
    for password in ["12345678", "EvaBerg99", "eva.berg!"] {
        assert_weak(&accept(password).await, password);
    }
    assert_eq!(accept("long enough").await.status, 200);
}

#[tokio::test]
async fn a_weak_password_is_refused_of_the_first() {
    let stage = Stage::new().await;
    let register = async |password: &str| {
        let body = json!({
            "email": "first@demo.herdbook", "password": password, "firstName": "Ann", "lastName": "Smith",
        });
        stage.post("/api/users/first-register", body.to_string()).await
    };
    for password in WEAK {
        assert_weak(&register(password).await, password);
    }
    assert_eq!(register("another-password").await.status, 200);
}

/// A weak password from before the rule still signs in.
#[test_with(Stage::each)]
async fn passwords_that_are_there_go_on_working(stage: &Stage) {
    stage.user(7, "a@x.example", "farmer").await;
    let verifier = stage.book.passwords.hash("12345678").unwrap();
    let sql = store::Sql::new("UPDATE users SET verifier = ").with(store::Ty::Text, verifier);
    stage.run(sql).await;
    assert_eq!(stage.login("a@x.example", "12345678").await.status, 200);
    holds!(stage.login("a@x.example", PASSWORD).await.json(), {"user": null});
}
