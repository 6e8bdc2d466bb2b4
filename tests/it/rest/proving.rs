//! A collection whose new accounts prove their address, beside the book's own ones: signing in is generic.

use super::letters::{delivered, token};
use super::stage::{NOW, PASSWORD, Stage, request};
use api::{AppState, router};
use axum::body::Body;
use config::{Settings, Sources};
use domain::collections::{Switches, declared_all};
use exchange::Exchange;
use mapping::{self, Mappings};
use model::registry::sign_in::{account_fields, verify_fields};
use model::registry::{
    Access, Collection, Principal, Registry, Rule, email, instant, password, text,
};
use ops::{Book, Item, NoProjection};
use secure::keys::KeyRing;
use serde_json::json;
use std::sync::{Arc, OnceLock};
use store::{Sql, schema};

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let access = Access::read(Rule::SelfRow).subjects(&["id"]);
        let mut fields = vec![
            email("email").required().unique().into(),
            password("password").min(8.0).into(),
            text("role").into(),
            instant("blockedAt").into(),
        ];
        fields.extend(verify_fields());
        fields.extend(account_fields());
        let members = Collection::new("members", access, fields)
            .auth()
            .verify()
            .attempts(2)
            .lock_time(60);
        let mut all = declared_all(Switches::default());
        all.push(members);
        Registry::build(all).unwrap()
    })
}

/// The same book with the further collection, and its table.
async fn extended(stage: &Stage) -> Stage {
    let registry = registry();
    let store = stage.book.store.clone();
    let demanded = schema::expected(registry, store.dialect()).unwrap();
    let found = schema::live(&store).await.unwrap();
    for statement in schema::diff(&demanded, &found, store.dialect()) {
        if !statement.held && !statement.sql.is_empty() {
            stage.run(Sql::new(&statement.sql).one_off()).await;
        }
    }
    let settings = Settings::load(&Sources::default()).unwrap();
    let names = mapping::Settings {
        prefix: settings.exchange_prefix.clone(),
        source: settings.exchange_source.clone(),
        ..mapping::Settings::default()
    };
    let mappings = Mappings::build(registry, &names, None).unwrap();
    let exchange = Exchange::new(registry, mappings, &names);
    let book = Arc::new(Book::new(
        registry,
        store,
        stage.book.clock.clone(),
        Arc::new(NoProjection),
        Arc::clone(&stage.book.passwords),
        Arc::new(KeyRing::new(super::stage::SECRET, None).unwrap()),
    ));
    stage.over(
        Arc::clone(&book),
        router(Arc::new(AppState::new(book, exchange, settings))),
    )
}

async fn login(stage: &Stage, password: &str) -> super::stage::Answer {
    let body = json!({"email": "new@x.example", "password": password}).to_string();
    stage.post("/api/members/login", body).await
}

#[tokio::test]
async fn a_new_account_proves_its_address_before_it_signs_in() {
    Stage::each(async |stage| {
        let stage = &extended(stage).await;
        let c = registry().get("members").unwrap();
        let fields = [("email", "new@x.example"), ("password", PASSWORD)];
        let body = fields.map(|(path, value)| (c.at(path), value.into()));
        let made = stage.book.write(
            Arc::new(Principal::system()),
            c,
            vec![Item::create(body.into())],
        );
        made.await.unwrap();
        let refused = login(stage, PASSWORD).await;
        refused.assert_is(
            (
                403,
                r#"{"errors":[{"message":"Please verify your email before logging in."}]}"#,
            ),
            "",
        );
        let letters = delivered(stage).await;
        assert_eq!(
            (letters.len(), letters[0].to.as_str()),
            (1, "new@x.example")
        );
        let token = token(&letters[0]);
        let verify = async |token: &str| {
            let path = format!("/api/members/verify/{token}");
            stage.ask(request("POST", &path, &[], Body::empty())).await
        };
        let bad = (
            403,
            r#"{"errors":[{"message":"Verification token is invalid."}]}"#,
        );
        assert_eq!(verify("nonsense").await.told(), bad);
        verify(&token)
            .await
            .assert_is((200, r#"{"message":"Account verified successfully."}"#), "");
        assert_eq!(verify(&token).await.told(), bad, "used up");
        let answer = login(stage, PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let body = answer.json();
        assert_eq!(body["user"]["collection"], "members");
        let jwt = format!("JWT {}", body["token"].as_str().unwrap());
        let headers = [("authorization", jwt.as_str())];
        let me = stage.send("GET", "/api/members/me", &headers).await.json();
        holds!(me, {"user.email": "new@x.example", "collection": "members"});
        let other = stage.send("GET", "/api/users/me", &headers).await;
        assert_eq!(other.json()["user"], json!(null), "not one of those");
    })
    .await;
}

#[tokio::test]
async fn a_collection_may_delay_in_its_own_way() {
    Stage::each(async |stage| {
        let stage = &extended(stage).await;
        let path = "/api/members/first-register";
        let body = json!({"email": "new@x.example", "password": PASSWORD}).to_string();
        let first = stage.post(path, body).await;
        assert_eq!(first.status, 200, "{}", first.text);
        for _ in 0..2 {
            login(stage, "wrong").await.has(&["incorrect"]);
        }
        let (failures, until) = stage.failures("members", "new@x.example").await;
        assert_eq!((failures, until), (2, NOW + 1_000));
        for _ in 0..10 {
            stage.pass(60);
            assert_eq!(login(stage, "wrong").await.status, 401);
        }
        let (_, until) = stage.failures("members", "new@x.example").await;
        assert_eq!(until, NOW + 660_000, "a minute at most");
        assert_eq!(login(stage, PASSWORD).await.status, 401);
        stage.pass(60);
        let answer = login(stage, PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.json()["exp"], NOW / 1000 + 660 + 7200);
    })
    .await;
}
