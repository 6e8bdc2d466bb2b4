//! A new address of one's own account: it takes effect when it is proved, and reveals to no caller which addresses
//! have an account.

use crate::rest::operation::letters::{delivered, token};
use crate::rest::stage::{Answer, PASSWORD};
use crate::rest::world::World;
use model::letter::Message;
use serde_json::{Value, json};

async fn wish(w: &World<'_>, who: &str, id: i64, address: &str) -> Answer {
    let body = json!({"email": address, "currentPassword": PASSWORD});
    w.patch(who, "users", id, body).await
}

async fn prove(w: &World<'_>, who: &str, token: &str) -> (u16, String) {
    let path = format!("/api/users/verify/{token}");
    let answer = w.ask(who, "POST", &path, "").await;
    (answer.status, answer.text)
}

fn refused() -> (u16, String) {
    let text = r#"{"errors":[{"message":"Verification token is invalid."}]}"#;
    (403, text.to_owned())
}

fn subjects(letters: &[Message]) -> Vec<String> {
    let line = |letter: &Message| format!("{} {}", letter.to, letter.subject);
    letters.iter().map(line).collect()
}

#[test_with(World::each)]
async fn an_address_that_somebody_has_is_answered_as_one_that_is_free(w: &World<'_>) {
    let free = wish(w, "alpha", 11, "Free@x.example").await;
    let first = delivered(w.stage).await;
    let taken = wish(w, "alpha", 11, "beta@demo.herdbook").await;
    let second = delivered(w.stage).await;
    for answer in [&free, &taken] {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.headers["x-ignored"], "email;to-be-proved");
        assert_eq!(answer.json()["doc"]["email"], "alpha@demo.herdbook");
    }
    assert_eq!(free.text, taken.text);
    free.lacks(&["newEmail", "free@x.example"]);
    assert_eq!(subjects(&first), ["free@x.example herdbook: prove your new address"]);
    assert_eq!(subjects(&second), ["beta@demo.herdbook herdbook: your address was asked for"]);
    assert!(!second[0].text.contains("token"), "{}", second[0].text);
    assert_eq!(prove(w, "", &token(&first[0])).await, refused(), "another was requested since");

    // A wrong form is refused as before, and admins see who has an address.
    assert_eq!(wish(w, "alpha", 11, "nothing").await.status, 400);
    let answer = wish(w, "admin", 13, "beta@demo.herdbook").await;
    assert_eq!(crate::rest::world::paths(&answer), ["email"], "{}", answer.text);
    let doc = changed!(w, "admin", "users", 13, {"email": "v@x.example", "currentPassword": PASSWORD});
    assert_eq!(doc["email"], "v@x.example");
}

#[test_with(World::each)]
async fn a_proved_address_takes_the_place_of_the_old_one(w: &World<'_>) {
    let login = async |address: &str| {
        let body = json!({"email": address, "password": PASSWORD}).to_string();
        w.stage.post("/api/users/login", body).await
    };
    let other = login("alpha@demo.herdbook").await.json();
    let other = format!("JWT {}", other["token"].as_str().unwrap());
    assert_eq!(wish(w, "alpha", 11, "new@x.example").await.status, 200);
    let letters = delivered(w.stage).await;
    let shown = token(&letters[0]);
    assert_eq!(login("new@x.example").await.status, 401, "not yet");
    assert_eq!(prove(w, "", "nonsense").await, refused());
    assert_eq!(prove(w, "alpha", &shown).await.0, 200);
    assert_eq!(prove(w, "alpha", &shown).await, refused(), "used up");
    let old = delivered(w.stage).await;
    assert_eq!(subjects(&old), ["alpha@demo.herdbook herdbook: the address, now new@x.example"]);
    let me = w.get("alpha", "/api/users/me").await.json();
    assert_eq!(me["user"]["email"], "new@x.example", "this session goes on");
    let headers = [("authorization", other.as_str())];
    let me = w.stage.send("GET", "/api/users/me", &headers).await.json();
    assert_eq!(me["user"], Value::Null, "other sessions ended");
    assert_eq!(login("alpha@demo.herdbook").await.status, 401);
    assert_eq!(login("new@x.example").await.status, 200);
}

#[test_with(World::each)]
async fn a_token_for_an_address_ends(w: &World<'_>) {
    let token_for = async |address: &str| {
        let answer = wish(w, "alpha", 11, address).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        token(&delivered(w.stage).await[0])
    };
    let shown = token_for("one@x.example").await;
    changed!(w, "admin", "users", 13, {"email": "one@x.example", "currentPassword": PASSWORD});
    delivered(w.stage).await;
    assert_eq!(prove(w, "", &shown).await, refused(), "another account has it by now");
    let shown = token_for("two@x.example").await;
    changed!(w, "admin", "users", 11, {"email": "three@x.example", "currentPassword": PASSWORD});
    delivered(w.stage).await;
    assert_eq!(prove(w, "", &shown).await, refused(), "an admin changed it");
    let shown = token_for("four@x.example").await;
    w.stage.pass(86_400);
    assert_eq!(prove(w, "", &shown).await, refused(), "a day is over");
}

#[test_with(World::each)]
async fn another_password_ends_the_token_for_an_address(w: &World<'_>) {
    assert_eq!(wish(w, "alpha", 11, "one@x.example").await.status, 200);
    let shown = token(&delivered(w.stage).await[0]);
    changed!(w, "alpha", "users", 11, {"password": "a-new-password", "currentPassword": PASSWORD});
    assert_eq!(prove(w, "", &shown).await, refused());
}
