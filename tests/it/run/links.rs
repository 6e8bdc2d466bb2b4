//! Emails link to the real address of the service, and to pages only where there are any.

use super::{Server, ended, herdbook, migrated};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const EMAIL: &str = "ann@farm.example";

/// A book with one user.
fn book() -> tempfile::TempDir {
    let dir = migrated();
    let words = ["user", "add", "--email", EMAIL, "--first-name", "A", "--last-name", "B"];
    let mut child = herdbook(dir.path(), &words).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"first-password\n").unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    dir
}

/// The email about a forgotten password, with its soft line breaks removed.
async fn letter(dir: &Path, server: &Server) -> String {
    let client = reqwest::Client::new();
    let request = client.post(format!("{}/api/users/forgot-password", server.url));
    let request = request.json(&json!({"email": EMAIL})).send().await.unwrap();
    assert_eq!(request.status(), 200);
    let folder = dir.join("mail");
    let arrived = async {
        loop {
            let files = std::fs::read_dir(&folder).into_iter().flatten();
            let mut paths = files.map(|file| file.unwrap().path());
            match paths.find(|path| path.extension().is_some_and(|e| e == "eml")) {
                Some(path) => break std::fs::read_to_string(path).unwrap(),
                None => tokio::task::yield_now().await,
            }
        }
    };
    let letter = tokio::time::timeout(Duration::from_secs(60), arrived).await;
    letter.expect("an email").replace("=\r\n", "").replace("=3D", "=")
}

/// The request that the email describes works as written.
#[tokio::test]
async fn without_a_page_a_letter_tells_the_call_at_the_address_that_was_taken() {
    let dir = book();
    let none = "[mail]\nreset_link = \"\"\n";
    std::fs::write(dir.path().join("herdbook.toml"), none).unwrap();
    let server = Server::start(dir.path(), &["--log", "warn"]);
    let letter = letter(dir.path(), &server).await;
    let url = format!("{}/api/users/reset-password", server.url);
    assert!(letter.contains(&format!("POST {url}")), "{letter}");
    assert!(!letter.contains(":0/"), "{letter}");
    let (_, rest) = letter.split_once("\"token\": \"").expect(&letter);
    let (token, _) = rest.split_once('"').unwrap();
    let body = json!({"token": token, "password": "second-password"});
    let reset = reqwest::Client::new().post(url).json(&body).send().await;
    let reset = reset.unwrap();
    let status = reset.status();
    let answer: Value = reset.json().await.unwrap();
    assert_eq!(status, 200, "{answer}");
    server.stop();
}

/// The page that the email links to sets the password, and signs in.
#[tokio::test]
async fn without_a_setting_a_letter_links_to_the_page_of_the_server() {
    let dir = book();
    let server = Server::start(dir.path(), &["--log", "warn"]);
    let letter = letter(dir.path(), &server).await;
    let start = format!("{}/reset-password?token=", server.url);
    let (_, rest) = letter.split_once(&start).expect(&letter);
    let token: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    let client = reqwest::Client::builder();
    let client = client.redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let address = format!("{start}{token}");
    let page = client.get(&address).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    assert!(page.contains("name=\"password\""), "{page}");
    let form = client.post(&address).body("password=second-password");
    let kind = "application/x-www-form-urlencoded";
    let set = form.header("content-type", kind).send().await.unwrap();
    assert_eq!(set.status(), 303);
    assert_eq!(set.headers()["location"], "/");
    assert!(set.headers().contains_key("set-cookie"));
    server.stop();
}

#[tokio::test]
async fn a_page_that_is_configured_is_pointed_to() {
    let dir = book();
    let mut command = herdbook(dir.path(), &["serve", "--listen", "127.0.0.1:0"]);
    command.env("HERDBOOK_SERVER_URL", "https://book.example/");
    command.env("HERDBOOK_MAIL_RESET_LINK", "{url}/new-password?token={token}");
    let server = Server::of(dir.path(), command);
    let letter = letter(dir.path(), &server).await;
    let start = "https://book.example/new-password?token=";
    assert!(letter.contains(start), "{letter}");
    server.stop();
    let example = ended(herdbook(dir.path(), &["check"]));
    assert_eq!(example.code, Some(0), "{example:?}");
}
