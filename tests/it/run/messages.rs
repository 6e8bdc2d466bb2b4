//! The messages of the program on errors: the fault, its place, and the next step.

use super::{Ran, ended, herdbook, migrated, ran};
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[track_caller]
fn says(done: &Ran, code: i32, parts: &[&str]) {
    assert_eq!(done.code, Some(code), "{done:?}");
    for part in parts {
        assert!(done.err.contains(part), "{part} in {done:?}");
    }
}

#[test]
fn a_database_server_that_is_away_is_named_at_once() {
    let dir = tempfile::tempdir().unwrap();
    // Bound and never listened on: every connection is refused.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://keeper:hidden@127.0.0.1:{port}/book");
    let began = Instant::now();
    let done = ran(dir.path(), &["migrate", "--database-url", &url]);
    assert!(began.elapsed() < Duration::from_secs(10), "{done:?}");
    says(&done, 1, &[&format!("127.0.0.1:{port}"), "database.url"]);
    assert!(!done.err.contains("hidden"), "{done:?}");
}

#[test]
fn all_faults_of_the_configuration_are_told_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = "listen = 'nowhere'\nlog = 'a=b=c'\n\
                [mail]\ntransport = 'pigeon'\ntls = 'some'\n\
                [exchange]\nanswers = 'old'\nmappings = 'no/such/folder'\n\
                [webhooks]\nallow = ['everywhere']\n";
    std::fs::write(dir.path().join("herdbook.toml"), file).unwrap();
    let mut command = herdbook(dir.path(), &["serve"]);
    command.env_remove("HERDBOOK_SECURITY_SECRET");
    let run = ended(command);
    let keys = [
        "listen:",
        "log:",
        "mail.transport:",
        "mail.tls:",
        "exchange.answers:",
        "exchange.mappings:",
        "webhooks.allow:",
        "security.secret:",
    ];
    says(&run, 1, &keys);
    assert!(run.err.contains("no/such/folder"), "{run:?}");
}

#[test]
fn a_missing_secret_says_how_one_is_made() {
    let dir = migrated();
    let mut command = herdbook(dir.path(), &["serve"]);
    command.env_remove("HERDBOOK_SECURITY_SECRET");
    let parts = ["security.secret", "/dev/urandom", "HERDBOOK_SECURITY_SECRET"];
    says(&ended(command), 1, &parts);
}

#[test]
fn filling_a_book_needs_no_secret() {
    let dir = migrated();
    let mut command = herdbook(dir.path(), &["generate", "--animals", "60"]);
    command.env_remove("HERDBOOK_SECURITY_SECRET");
    says(&ended(command), 0, &[]);
}

#[test]
fn a_book_that_is_there_is_replaced_by_a_flag_that_is_named() {
    let dir = migrated();
    let copied = ran(dir.path(), &["backup", "copy.db"]);
    says(&copied, 0, &[]);
    let done = ran(dir.path(), &["restore", "copy.db"]);
    says(&done, 1, &["herdbook.db", "--force"]);
}

#[test]
fn an_address_that_nobody_has_is_named() {
    let dir = migrated();
    let words = ["user", "unlock", "--email", "nobody@farm.example"];
    let done = ran(dir.path(), &words);
    says(&done, 1, &["--email", "nobody@farm.example", "user add"]);
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let dir = migrated();
    let url = "sqlite:no/such/folder/book.db";
    let done = ran(dir.path(), &["migrate", "--database-url", url]);
    says(&done, 1, &["no/such/folder", "database.url"]);
    let done = ran(dir.path(), &["backup", "no/such/folder/copy.db"]);
    says(&done, 1, &["no/such/folder"]);
}

#[test]
fn a_difference_is_an_exit_code_of_its_own() {
    let dir = migrated();
    let done = ran(dir.path(), &["schema", "--diff", "sqlite:herdbook.db"]);
    says(&done, 0, &[]);
    std::fs::File::create(dir.path().join("empty.db")).unwrap();
    let done = ran(dir.path(), &["schema", "--diff", "sqlite:empty.db"]);
    says(&done, 3, &[]);
    assert!(done.out.contains("CREATE TABLE"), "{done:?}");
}

#[test]
fn a_name_can_be_listened_on() {
    let dir = migrated();
    let words = ["serve", "--listen", "localhost:0", "--log", "warn"];
    let server = super::Server::of(dir.path(), herdbook(dir.path(), &words));
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
    server.stop();
}
