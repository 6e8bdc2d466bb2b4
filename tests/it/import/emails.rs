//! An import tells what was, so nobody gets an email about it (docs/letters.md, *When*).

use super::desk::Desk;
use crate::letters::{known, sent};
use crate::rest::world::World;

#[test_with(World::each)]
async fn an_import_tells_nobody(w: &World<'_>) {
    known(w).await;
    let desk = Desk::new(w.stage);
    let rows = "number,title,type,animal,issuedAt\nV-1,Old,vetCertificate,960000000002,2020-05-05\n";
    desk.file("documents.csv", rows).all().await;
    assert_eq!(w.list("documents", "").await.len(), 1);
    assert_eq!(sent(w).await, [""; 0]);
}
