//! What a commit changed, however much there is beside it.

use super::TestBook;
use crate::versions::locations_after;
use crate::{Dialect, Sql};

#[test_each(TestBook::each())]
async fn what_a_commit_changed_is_found_along_its_place_in_order(book: TestBook) {
    if book.store.dialect() != Dialect::Sqlite {
        return;
    }
    let plan = Sql::new("EXPLAIN QUERY PLAN ").append(&locations_after(7)).clone();
    let plan = book.store.rows(plan).await.unwrap();
    let steps: Vec<&str> = plan.iter().filter_map(|row| row.text(3)).collect();
    let expected = "SEARCH exchange_documents USING INDEX exchange_documents_seq_key (seq>?)";
    assert!(steps.contains(&expected), "{steps:#?}");
}
