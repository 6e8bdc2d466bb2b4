//! What a commit changed, however much there is beside it.

use super::TestBook;
use crate::versions::locations_after;
use crate::{Dialect, Sql};

#[tokio::test]
async fn what_a_commit_changed_is_found_along_its_place_in_order() {
    for book in TestBook::each().await {
        if book.store.dialect() != Dialect::Sqlite {
            continue;
        }
        let plan = Sql::new("EXPLAIN QUERY PLAN ").append(&locations_after(7)).clone();
        let plan = book.store.rows(plan).await.unwrap();
        let steps: Vec<&str> = plan.iter().filter_map(|row| row.text(3)).collect();
        let expected = "SEARCH exchange_documents USING INDEX exchange_documents_seq_key (seq>?)";
        assert!(steps.contains(&expected), "{steps:#?}");
    }
}
