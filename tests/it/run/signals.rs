//! The effects of signals on a server.

use super::{Server, migrated};

/// The terminal that started it is closed, or an operator means "read your files again".
#[tokio::test]
async fn a_hang_up_does_not_end_the_server() {
    let dir = migrated();
    let server = Server::start(dir.path(), &["--log", "info"]);
    for _ in 0..3 {
        server.signal("-HUP");
        let live = reqwest::get(format!("{}/healthz/live", server.url)).await;
        assert_eq!(live.unwrap().status(), 200);
    }
    server.stop();
    let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
    assert!(log.contains("SIGHUP"), "{log}");
}
