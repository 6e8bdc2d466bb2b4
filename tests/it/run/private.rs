//! What other users of the machine or the network can see of a server: none of its files, no
//! metrics without permission, and no address that they invented themselves.

use super::{SECRET, Server, herdbook, migrated, ran};
use reqwest::StatusCode;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn all_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all_below(&path, found);
        }
        found.push(path);
    }
}

/// The paths below a folder that other users than its owner may read, write or enter.
fn open_to_others(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    all_below(folder, &mut found);
    assert!(found.len() >= 3, "{found:?}");
    found.retain(|path| std::fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0);
    found
}

/// A form with a file, and its content type.
fn upload(name: &str, bytes: &[u8]) -> (&'static str, Vec<u8>) {
    let head = format!(
        "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: application/pdf\r\n\r\n"
    );
    let body = [head.as_bytes(), bytes, b"\r\n--part--\r\n"].concat();
    ("multipart/form-data; boundary=part", body)
}

/// New and old books, files, letters, copies.
#[tokio::test]
async fn no_file_of_the_program_is_for_others() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("place");
    std::fs::create_dir(&place).unwrap();
    let program = env!("CARGO_BIN_EXE_herdbook");
    // With the most permissive umask.
    let started = |words: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("umask 000; exec '{program}' {words}")]);
        command.current_dir(&place).env_clear();
        command.env("HERDBOOK_SECURITY_SECRET", SECRET);
        command
    };
    assert_eq!(super::ended(started("migrate")).code, Some(0));
    let book = place.join("herdbook.db");
    let mode = || std::fs::metadata(&book).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    user(&place, "a@b.example");
    // As an older version of the program left it.
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(&book, open).unwrap();
    let server = Server::of(dir.path(), started("serve --listen 127.0.0.1:0"));
    assert_eq!(mode(), 0o600);
    let client = reqwest::Client::new();
    let post = |path: &str| client.post(format!("{}{path}", server.url));
    let token = token(&server, "a@b.example").await;
    let (kind, parts) = upload("a.pdf", b"%PDF-1.4\n%%EOF\n");
    let response = post("/api/media").bearer_auth(token);
    let response = response.header("content-type", kind).body(parts).send().await;
    let response = response.unwrap();
    assert_eq!(response.status(), StatusCode::CREATED, "{:?}", response.text().await);
    let request = post("/api/users/forgot-password");
    let request = request.json(&serde_json::json!({"email": "a@b.example"}));
    assert!(request.send().await.unwrap().status().is_success());
    let letter = async {
        let mut look = tokio::time::interval(std::time::Duration::from_millis(20));
        let is = |end: &str| {
            let mut found = Vec::new();
            all_below(&place, &mut found);
            found.iter().any(|path| path.to_string_lossy().ends_with(end))
        };
        while !is(".eml") {
            look.tick().await;
        }
    };
    let patience = std::time::Duration::from_secs(60);
    (tokio::time::timeout(patience, letter).await).expect("an email");
    let done = super::ended(started("backup a-copy.db"));
    assert_eq!(done.code, Some(0), "{done:?}");
    for live in ["herdbook.db-wal", "herdbook.db-shm"] {
        assert!(place.join(live).exists(), "{live}");
    }
    assert_eq!(open_to_others(&place), Vec::<PathBuf>::new());
    server.stop();
    let demo = "demo --dir demo --animals 60 --listen 127.0.0.1:0";
    let server = Server::of(dir.path(), started(demo));
    for made in ["herdbook.db", "a-copy.db", "media", "mail", "demo/book.db"] {
        assert!(place.join(made).exists(), "{made}");
    }
    assert_eq!(open_to_others(&place), Vec::<PathBuf>::new());
    server.stop();
}

fn served(dir: &Path, listen: &str, variables: &[(&str, &str)]) -> Server {
    let mut command = herdbook(dir, &["serve", "--listen", listen]);
    command.envs(variables.iter().copied());
    Server::of(dir, command)
}

#[tokio::test]
async fn numbers_are_for_this_machine_or_by_a_token() {
    let dir = migrated();
    let client = reqwest::Client::new();
    let status_of = async |server: &Server, token: Option<&str>| {
        let port = server.address().rsplit(':').next().unwrap();
        let request = client.get(format!("http://127.0.0.1:{port}/metrics"));
        let request = token.into_iter().fold(request, |r, t| r.bearer_auth(t));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        answer.status()
    };
    let token = "numbers-for-the-watch";
    let with = [("HERDBOOK_SERVER_METRICS_TOKEN", token)];
    let behind = [("HERDBOOK_LIMITS_TRUSTED_PROXIES", "1")];
    let (local, all) = ("127.0.0.1:0", "0.0.0.0:0");
    let cases: [(_, &[(&str, &str)], _, _); 6] = table![
        local, &[], None, StatusCode::OK;
        local, &behind, None, StatusCode::NOT_FOUND;
        all, &[], None, StatusCode::NOT_FOUND;
        all, &with, None, StatusCode::UNAUTHORIZED;
        all, &with, Some("numbers-for-the-watcx"), StatusCode::UNAUTHORIZED;
        all, &with, Some(token), StatusCode::OK;
    ];
    for (listen, variables, shown, expected) in cases {
        let server = served(dir.path(), listen, variables);
        assert_eq!(status_of(&server, shown).await, expected, "{listen} {variables:?}");
        server.stop();
    }
}

#[tokio::test]
async fn numbers_may_have_an_address_of_their_own() {
    let dir = migrated();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let own = free.local_addr().unwrap().to_string();
    drop(free);
    let variables = [("HERDBOOK_SERVER_METRICS_LISTEN", own.as_str())];
    let server = served(dir.path(), "127.0.0.1:0", &variables);
    let status = async |url: String| reqwest::get(url).await.unwrap().status();
    assert_eq!(status(format!("http://{own}/metrics")).await, StatusCode::OK);
    for path in ["/", "/api/animals", "/healthz"] {
        let url = format!("http://{own}{path}");
        assert_eq!(status(url).await, StatusCode::NOT_FOUND, "{path}");
    }
    let url = format!("{}/metrics", server.url);
    assert_eq!(status(url).await, StatusCode::NOT_FOUND);
    server.stop();
}

#[tokio::test]
async fn links_never_follow_what_a_request_calls_the_service() {
    let dir = migrated();
    let email = "a@b.example";
    user(dir.path(), email);
    let client = reqwest::Client::new();
    let first = async |server: &Server| {
        let page = client.get(format!("{}/ade/v1/locations", server.url));
        let page = page
            .bearer_auth(token(server, email).await)
            .header("host", "evil.example")
            .header("x-forwarded-host", "evil.example")
            .header("x-forwarded-proto", "https");
        let page: Value = page.send().await.unwrap().json().await.unwrap();
        page["view"]["first"].as_str().expect("a link").to_owned()
    };
    let server = served(dir.path(), "127.0.0.1:0", &[]);
    let link = first(&server).await;
    assert!(link.starts_with(&format!("{}/ade/", server.url)), "{link}");
    server.stop();
    let url = [("HERDBOOK_SERVER_URL", "https://herd.example")];
    let server = served(dir.path(), "0.0.0.0:0", &url);
    let link = first(&server).await;
    assert!(link.starts_with("https://herd.example/ade/"), "{link}");
    server.stop();
}

/// The token of a user.
async fn token(server: &Server, email: &str) -> String {
    let body = serde_json::json!({"email": email, "password": "first-password"});
    let login = reqwest::Client::new().post(format!("{}/api/users/login", server.url));
    let login = login.json(&body).send().await.unwrap();
    let login: Value = login.json().await.unwrap();
    login["token"].as_str().expect("a token").to_owned()
}

/// Adds a user of the Association.
fn user(dir: &Path, email: &str) {
    use std::io::Write;
    let words = ["user", "add", "--email", email, "--role", "admin"];
    let names = ["--first-name", "A", "--last-name", "B"];
    let mut command = herdbook(dir, &[&words[..], &names[..]].concat());
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"first-password\n").unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn whom_to_tell_of_a_hole_is_said_where_it_is_known() {
    let dir = migrated();
    let get = async |server: &Server| {
        let url = format!("{}/.well-known/security.txt", server.url);
        let answer = reqwest::get(url).await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    };
    let server = served(dir.path(), "127.0.0.1:0", &[]);
    assert_eq!(get(&server).await.0, StatusCode::NOT_FOUND);
    server.stop();
    let contact = [("HERDBOOK_SERVER_SECURITY_CONTACT", "mailto:safe@herd.example")];
    let server = served(dir.path(), "127.0.0.1:0", &contact);
    let (status, text) = get(&server).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.starts_with("Contact: mailto:safe@herd.example\nExpires: 2"), "{text}");
    server.stop();
    let wrong = [("HERDBOOK_SERVER_SECURITY_CONTACT", "ask around")];
    let mut command = herdbook(dir.path(), &["serve"]);
    command.envs(wrong);
    let done = super::ended(command);
    assert!(done.err.contains("server.security_contact"), "{done:?}");
    assert_eq!(ran(dir.path(), &["check"]).code, Some(0));
}
