//! The log records what happened to each request, and nothing that opens anything or identifies a person.

use super::program::{Served, read};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const EMAIL: &str = "farm1@demo.herdbook";
const PASSWORD: &str = "demo-herdbook";

async fn json_of(request: RequestBuilder, status: u16) -> Value {
    let answer: Response = request.send().await.unwrap();
    let got = answer.status().as_u16();
    let text = answer.text().await.unwrap();
    assert_eq!(got, status, "{text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// The token of an email that arrives soon.
async fn letter(folder: &std::path::Path) -> String {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let letters = files.filter(|f| f.path().extension().is_some_and(|e| e == "eml"));
        for file in letters {
            // Soft line breaks of quoted printable, and its equals signs.
            let text = read(&file.path()).replace("=\r\n", "").replace("=3D", "=");
            let rest = text.split_once("token=").map(|(_, rest)| rest.to_owned());
            if let Some(rest) = rest {
                let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                return rest.split(|c| !word(c)).next().unwrap().to_owned();
            }
        }
        assert!(Instant::now() < end, "no email came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What requests carry that no log may have.
const SECRETS: [&str; 12] = [
    EMAIL,
    PASSWORD,
    "wr0ng-Passw0rd",
    "n0body@strangers.example",
    "verify-T0ken-123",
    "lost-T0ken-456",
    "graph-Passw0rd-7",
    "receiver-key-89",
    "new-Granary-10",
    "bad-bearer-11",
    "bad-key-12",
    "Petrov-passport",
];

#[tokio::test]
async fn no_face_leaves_a_secret_in_the_log() {
    let page = ("HERDBOOK_MAIL_RESET_LINK", "{url}/reset?token={token}");
    let served = Served::start("debug", &[page]);
    let client = Client::new();
    let mut secrets: Vec<String> = SECRETS.map(str::to_owned).into();
    let login = served.at("/api/users/login");
    let wrong = json!({"email": EMAIL, "password": "wr0ng-Passw0rd"});
    json_of(client.post(&login).json(&wrong), 401).await;
    let stranger = json!({"email": "n0body@strangers.example", "password": PASSWORD});
    json_of(client.post(&login).json(&stranger), 401).await;
    let right = json!({"email": EMAIL, "password": PASSWORD});
    let reply = json_of(client.post(&login).json(&right), 200).await;
    let token = reply["token"].as_str().unwrap().to_owned();
    for name in ["lastName", "firstName"] {
        secrets.extend(reply["user"][name].as_str().map(str::to_owned));
    }
    let id = &reply["user"]["id"];
    secrets.push(token.clone());
    // A signature by itself would be enough.
    secrets.push(token.rsplit('.').next().unwrap().to_owned());
    let jwt = format!("JWT {token}");
    let me = served.at("/api/users/me");
    json_of(client.get(&me).header("authorization", &jwt), 200).await;
    let cookie = format!("herdbook-token={token}");
    json_of(client.get(&me).header("cookie", &cookie), 200).await;
    let bad = client.get(&me).header("authorization", "JWT bad-bearer-11");
    json_of(bad, 200).await;
    let refresh = served.at("/api/users/refresh-token");
    let fresh = json_of(client.post(&refresh).header("authorization", &jwt), 200).await;
    secrets.extend(fresh["refreshedToken"].as_str().map(str::to_owned));

    let user = served.at(&format!("/api/users/{id}?depth=0"));
    secrets.push(use_keys(&served, &client, user, &jwt).await);

    let feed = served.at("/ade/v1/datasets/everything/changes?limit=1");
    let page = json_of(client.get(&feed).header("authorization", &jwt), 200).await;
    let place = page.as_array().unwrap().last().unwrap()["token"].clone();
    let place = place.as_str().unwrap();
    let next = format!("{feed}&since={place}");
    json_of(client.get(&next).header("authorization", &jwt), 200).await;
    secrets.push(place.to_owned());

    secrets.extend(sign_in_by_graphql(&served, &client).await);

    let hook = json!({"url": "https://receiver.example/?receiver-key-89", "dataset": "weights"});
    let hooks = served.at("/api/webhooks");
    let made = client.post(&hooks).header("authorization", &jwt).json(&hook);
    let made = json_of(made, 201).await;
    secrets.extend(made["doc"]["secret"].as_str().map(str::to_owned));

    ask_for_what_is_not_there(&served, &client).await;
    let forgot = served.at("/api/users/forgot-password");
    json_of(client.post(&forgot).json(&json!({"email": EMAIL})), 200).await;
    let reset = letter(&served.folder().join("mail")).await;
    let body = json!({"token": reset, "password": "new-Granary-10"});
    json_of(client.post(served.at("/api/users/reset-password")).json(&body), 200).await;
    secrets.push(reset);

    let named = client.get(served.at("/healthz/live"));
    json_of(named.header("x-request-id", "seen-by-me"), 200).await;
    assert_log(&served.stop(), &secrets);
}

/// Signs in by GraphQL, with variables and without; the tokens.
async fn sign_in_by_graphql(served: &Served, client: &Client) -> Vec<String> {
    let mut tokens = Vec::new();
    let query = "mutation($e: String!, $p: String!) { loginUser(email: $e, password: $p) { token } }";
    let graph = served.at("/api/graphql");
    for password in ["graph-Passw0rd-7", PASSWORD] {
        let variables = json!({"e": EMAIL, "p": password});
        let body = json!({"query": query, "variables": variables});
        let reply = json_of(client.post(&graph).json(&body), 200).await;
        let token = reply["data"]["loginUser"]["token"].as_str();
        tokens.extend(token.map(str::to_owned));
    }
    let inline = "mutation { loginUser(email: \"farm1@demo.herdbook\", password: \"graph-Passw0rd-7\") { token } }";
    json_of(client.post(&graph).json(&json!({"query": inline})), 200).await;
    tokens
}

/// Makes a key, uses it and one that is none.
async fn use_keys(served: &Served, client: &Client, user: String, jwt: &str) -> String {
    let on = json!({"enableAPIKey": true});
    let doc = client.patch(&user).header("authorization", jwt).json(&on);
    let doc = json_of(doc, 200).await;
    let key = doc["doc"]["apiKey"].as_str().unwrap().to_owned();
    let by_key = format!("users API-Key {key}");

    let locations = served.at("/ade/v1/locations");
    json_of(client.get(&locations).header("authorization", &by_key), 200).await;
    let bad = "users API-Key bad-key-12";
    json_of(client.get(&locations).header("authorization", bad), 401).await;
    key
}

/// Requests with secrets in their paths.
async fn ask_for_what_is_not_there(served: &Served, client: &Client) {
    let file = served.at("/api/media/file/Petrov-passport.pdf");
    let answer = client.get(&file).send().await.unwrap();
    assert!(answer.status().is_client_error());
    let verify = served.at("/api/users/verify/verify-T0ken-123");
    let answer = client.post(&verify).send().await.unwrap();
    assert!(answer.status().is_client_error());
    for path in "/reset/lost-T0ken-456 /api/users/reset/now/lost-T0ken-456".split(' ') {
        json_of(client.get(served.at(path)), 404).await;
    }
}

/// The log has none of the secrets, and three lines of a request by its id.
fn assert_log(log: &str, secrets: &[String]) {
    assert!(secrets.len() > 20 && secrets.iter().all(|s| s.len() > 2), "{secrets:?}");
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None, "{secret} is in the log");
    }
    // Each request has three lines, by its id.
    let own: Vec<Value> = (log.lines())
        .map(|line| serde_json::from_str(line).expect(line))
        .filter(|line: &Value| line["span"]["id"] == "seen-by-me")
        .collect();
    let said: Vec<&str> = own.iter().map(|line| line["fields"]["message"].as_str().unwrap()).collect();
    assert_eq!(said, ["accepted", "made", "returned"]);
    holds!(own[0], {"level": "DEBUG"});
    holds!(own[2], {"level": "INFO", "fields.status": 200});
    assert!(own[2]["fields"]["bytes"].as_u64() > Some(10));
    assert_eq!(own[2]["span"]["route"], "/healthz/live");
}
