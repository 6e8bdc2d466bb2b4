//! The answers at the root addresses, and pages of other origins on the ADE face.

use crate::rest::stage::Stage;
use serde_json::json;

#[tokio::test]
async fn the_roots_tell_where_to_go() {
    let stage = Stage::new().await;
    let root = stage.get("/").await.json();
    holds!(root, {"rest": "/api", "service": "herdbook"});
    let rest = stage.get("/api").await.json();
    let all = rest["collections"].as_array().unwrap();
    assert_eq!(all.len(), stage.book.registry.iter().count());
    assert_eq!(rest["signIn"], json!(["/api/users/login"]));
    for path in [&root["health"], &rest["access"]] {
        assert_eq!(stage.get(path.as_str().unwrap()).await.status, 200);
    }
    let herds = all.iter().find(|path| **path == json!("/api/herds"));
    stage.get(herds.unwrap().as_str().unwrap()).await.assert_is(200, "");
    for path in ["/ade/v1", "/ade/v1/"] {
        let ade = stage.get(path).await;
        let addresses = &ade.json()["addresses"];
        assert_eq!(ade.status, 200);
        for (name, at) in [("locations", "/ade/v1/locations"), ("datasets", "/ade/v1/datasets")] {
            assert_eq!(addresses[name], at);
        }
    }
    for path in ["/nope", "/api/nope", "/api/"] {
        let refusal = format!("{{\"message\":\"Route not found \\\"{path}\\\"\"}}");
        assert_eq!(stage.get(path).await.parts(), (404, refusal.as_str()));
    }
}

#[tokio::test]
async fn pages_of_listed_origins_read_the_ade_face() {
    const LISTED: &str = "https://book.example";
    let stage = Stage::with(&[("trusted_origins", LISTED)]).await;
    for path in "/ade/v1/locations /ade/v1/datasets/everything/changes /ade/v1/nowhere".split(' ') {
        let headers = [("origin", LISTED), ("access-control-request-method", "GET")];
        let preflight = stage.send("OPTIONS", path, &headers).await;
        assert_eq!(preflight.parts(), (200, "{}"), "{path}");
        assert_eq!(preflight.header("access-control-allow-origin"), LISTED);
        assert!(preflight.header("access-control-allow-headers").contains("Authorization"));
        let answer = stage.send("GET", path, &[("origin", LISTED)]).await;
        assert_eq!(answer.header("access-control-allow-origin"), LISTED, "{path}");
        let exposed = answer.header("access-control-expose-headers").to_lowercase();
        for header in [ade::VERSION_HEADER, ade::FULL_SYNC_HEADER, ade::IGNORED_FILTERS_HEADER] {
            assert!(exposed.contains(&header.to_lowercase()), "{header}");
        }
        let other = stage.send("GET", path, &[("origin", "https://evil.example")]).await;
        assert_eq!(other.header("access-control-allow-origin"), "");
        let vary: Vec<_> = other.headers.get_all("vary").iter().collect();
        assert!(vary.iter().any(|v| *v == "Origin"), "{vary:?}");
    }
}
