//! What a server takes from the system.

use super::{Server, migrated};

/// The first pages of the process may be large: the allocator begins before the program.
const FEW: u64 = 8 * 1_024;

#[test]
fn a_server_has_pages_of_the_usual_size() {
    let dir = migrated();
    let server = Server::start(dir.path(), &[]);
    let Some(large) = server.memory("AnonHugePages") else {
        eprintln!("NOT RUN: the system does not state it");
        return;
    };
    assert!(large <= FEW, "{large} kB in large pages");
}
