//! The law of reading keys: a key that may only read writes nothing, on no face, in no collection, by no call. The
//! requests follow from the registry and from the data sets that are offered; each is answered 403 and leaves the
//! book as it was. As a check on itself, the same requests by a session of the same account are not all refused.

use crate::rest::stage::{Answer, request};
use crate::rest::world::World;
use model::registry::{Collection, Feature};
use serde_json::{Value, json};

struct Case {
    method: &'static str,
    path: String,
    body: String,
    kind: &'static str,
}

impl Case {
    fn new(method: &'static str, path: String, body: &Value) -> Self {
        Self { method, path, body: body.to_string(), kind: "application/json" }
    }

    async fn by(&self, w: &World<'_>, authorization: &str) -> Answer {
        let headers = [("content-type", self.kind), ("authorization", authorization)];
        let body = self.body.clone().into();
        w.stage.ask(request(self.method, &self.path, &headers, body)).await
    }
}

const FORM: &str = "multipart/form-data; boundary=X";

/// Every request of REST that writes to a collection.
fn of_rest(c: &Collection) -> Vec<Case> {
    let slug = c.slug;
    let body = json!({"name": "X", "note": "X"});
    let case = |method, path: &str| Case::new(method, format!("/api/{slug}{path}"), &body);
    let mut all = vec![
        case("POST", ""),
        case("PATCH", "/1"),
        case("DELETE", "/1"),
        case("PATCH", "?where[id][greater_than]=0"),
        case("DELETE", "?where[id][greater_than]=0"),
        case("POST", "/1/duplicate"),
        Case::new("POST", format!("/api/{slug}"), &json!([{}, {}])),
    ];
    all.extend(c.actions.iter().map(|a| case("POST", &format!("/1/{}", a.name))));
    if c.upload.is_some() || c.file.is_some() {
        let body = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
                    Content-Type: text/plain\r\n\r\nhello\r\n--X--\r\n";
        for (method, path) in [("POST", ""), ("PATCH", "/1")] {
            all.push(Case { body: body.to_owned(), kind: FORM, ..case(method, path) });
        }
    }
    if c.auth {
        for call in "login logout logout?allSessions=true refresh-token forgot-password \
            reset-password unlock unlock-link first-register"
            .split(' ')
        {
            let body = json!({"email": "beta@demo.herdbook", "password": "demo-herdbook"});
            all.push(Case::new("POST", format!("/api/{slug}/{call}"), &body));
        }
    }
    if c.is(Feature::Invitations) {
        all.push(case("POST", "/accept"));
    }
    all
}

/// Every request of the exchange that writes to a data set.
fn of_exchange(set: &str) -> Vec<Case> {
    let at = "locations/org.herdbook.orgid/1";
    let case = |method, path: String| Case::new(method, format!("/ade/v1/{path}"), &json!([{}]));
    vec![
        case("POST", format!("{at}/{set}")),
        case("POST", format!("batches/{at}/{set}")),
        case("POST", format!("datasets/{set}/resources")),
        case("POST", format!("datasets/{set}/full-syncs")),
        case("POST", format!("datasets/{set}/full-syncs/1/end")),
        case("DELETE", format!("datasets/{set}/full-syncs/1")),
        case("DELETE", "batches/1".to_owned()),
        case("DELETE", format!("{at}/{set}/1/sorting")),
    ]
}

#[test_with(World::both)]
async fn a_reading_key_writes_nothing_anywhere(w: &World<'_>) {
    // The account with the most rights: every refusal is because of the key.
    let made = post!(w, "admin", "api-keys", {"name": "Reader", "scope": "read"});
    assert_eq!(made.status, 201, "{}", made.text);
    let key = made.json()["doc"]["key"].as_str().unwrap().to_owned();
    let key = format!("users API-Key {key}");
    let read = Case::new("GET", "/api/animals".to_owned(), &Value::Null);
    assert_eq!(read.by(w, &key).await.status, 200);
    let posted = "/api/animals/count".to_owned();
    let headers = [("authorization", key.as_str()), ("x-http-method-override", "GET")];
    let counted = w.stage.send("POST", &posted, &headers).await;
    assert_eq!(counted.status, 200, "reading by POST: {}", counted.text);
    let mut cases: Vec<Case> = w.stage.book.registry.iter().flat_map(of_rest).collect();
    let sets = w.get("admin", "/ade/v1/datasets").await.json();
    let sets = sets.as_array().unwrap();
    assert!(sets.len() > 10);
    for set in sets {
        cases.extend(of_exchange(set["name"].as_str().unwrap()));
    }
    let before = w.stage.content().await;
    for (at, case) in cases.iter().enumerate() {
        let answer = case.by(w, &key).await;
        let label = format!("{} {}: {}", case.method, case.path, answer.text);
        assert_eq!(answer.status, 403, "{label}");
        // Reading the content of a whole book is expensive; it is compared after every 40 requests only.
        if at % 40 == 0 {
            assert_eq!(w.stage.content().await, before, "before {label}");
        }
    }
    assert_eq!(w.stage.content().await, before);
    let mutations = mutations(w).await;
    // Asking for them signed in.
    let before = w.stage.content().await;
    assert!(mutations.len() > 100, "{}", mutations.len());
    for case in &mutations {
        let answer = case.by(w, &key).await;
        let label = &answer.json()["errors"][0]["message"];
        let message = "You are not allowed to perform this action.";
        assert_eq!(label, message, "{}: {}", case.body, answer.text);
    }
    assert_eq!(w.stage.content().await, before);
    eprintln!("{} requests, {} mutations", cases.len(), mutations.len());
    // Some of the same requests by the account itself are accepted.
    let token = w.stage.token("admin@demo.herdbook").await;
    let token = format!("JWT {token}");
    let mut let_in = 0;
    for case in cases.iter().filter(|c| c.method == "PATCH").take(60) {
        let_in += usize::from(case.by(w, &token).await.status == 200);
    }
    assert!(let_in > 10, "{let_in}");
}

/// Every mutation that needs nothing but an id.
async fn mutations(w: &World<'_>) -> Vec<Case> {
    let query =
        json!({"query": "{__schema{mutationType{fields{name args{name type{kind}} type{kind ofType{kind}}}}}}"});
    let request = Case::new("POST", "/api/graphql".to_owned(), &query);
    let token = format!("JWT {}", w.stage.token("admin@demo.herdbook").await);
    let answer = request.by(w, &token).await.json();
    let fields = answer["data"]["__schema"]["mutationType"]["fields"].clone();
    let fields = fields.as_array().unwrap().clone();
    let mut all = Vec::new();
    for field in fields {
        let name = field["name"].as_str().unwrap();
        let args = field["args"].as_array().unwrap();
        let needs = |arg: &Value| arg["type"]["kind"] == "NON_NULL";
        let only_id = args.iter().filter(|a| needs(a)).all(|a| a["name"] == "id");
        let leaf = field["type"]["kind"] == "SCALAR" || field["type"]["ofType"]["kind"] == "SCALAR";
        if !only_id {
            continue;
        }
        let id = args.iter().any(|a| needs(a) && a["name"] == "id");
        let call = format!(
            "mutation {{ {name}{}{} }}",
            if id { "(id: 1)" } else { "" },
            if leaf { "" } else { " { __typename }" },
        );
        all.push(Case::new("POST", "/api/graphql".to_owned(), &json!({"query": call})));
    }
    all
}
