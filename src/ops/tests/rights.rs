//! A caller can neither see nor infer by queries what they may not read.

use super::fixture::{NOW, Who, books, collection};
use Who::{A, Anonymous, F1, F2};
use model::registry::{Grant, Principal};
use std::sync::Arc;
use test_support::table;

#[tokio::test]
async fn hidden_fields_cannot_be_queried() {
    let cases = [
        (Anonymous, "where[notes.owner][exists]=true", "notes.owner"),
        (Anonymous, "where[signed][exists]=true", "signed"),
        (Anonymous, "sort=-signed", "signed"),
        (Anonymous, "where[editor.email][exists]=true", "email"),
        (Anonymous, "sort=editor.email", "email"),
        (Anonymous, "where[herd.holding][exists]=true", "holding"),
        (F1, "where[notes.hidden][equals]=x", "notes.hidden"),
        (F1, "sort=notes.hidden", "notes.hidden"),
        (F1, "where[editor.verifier][like]=argon", "verifier"),
        (F1, "where[editor.password][exists]=true", "password"),
    ];
    for f in books().await {
        for (who, query, path) in cases {
            assert_eq!(f.refused(who, query).await, [path], "{who:?} {query}");
        }
    }
}

#[tokio::test]
async fn a_class_is_demanded_of_every_row() {
    // Farm 1 sees cards of its own animals (i odd), of the one it once owned (i = 2), and
    // opened ones (i divisible by 4).
    let is_visible = |i: i64| i % 2 == 1 || i == 2 || i % 4 == 0;
    let count = |of: &dyn Fn(i64) -> bool| (0..25).filter(|i| of(*i)).count() as u64;
    let all = count(&is_visible);
    for f in books().await {
        for (query, n) in table![
            "where[card][exists]=true", all;
            "where[card][exists]=false", 0;
            "where[card][equals]=card 0", count(&|i| is_visible(i) && i % 3 == 0);
            "where[card][not_equals]=card 0", count(&|i| is_visible(i) && i % 3 != 0);
            "where[card][not_like]=2", count(&|i| is_visible(i) && i % 3 != 2);
            "where[card][not_in][]", all;
            "where[breeder.name][not_equals]=x", all;
            "where[pastOwners][exists]=true", 1;
            "where[or][0][card][equals]=card 0&where[or][1][card][not_equals]=card 0", all;
            "sort=card", all;
            "sort=breeder.name", all;
        ] {
            assert_eq!(f.n(F1, query).await, n, "{query}");
        }
        assert_eq!(f.n(A, "where[card][exists]=true").await, 25);
    }
}

#[tokio::test]
async fn closed_related_records_count_like_none() {
    // Of the dams 1, 2 and 3 the second is closed to anonymous callers.
    for f in books().await {
        for (query, n) in [
            ("where[dam][equals]=2", 4),
            ("where[dam.id][equals]=2", 4),
            ("where[dam.name][equals]=Bella Donna", 0),
            ("where[dam.name][like]=donna", 0),
            ("where[dam.name][not_equals]=Bella Donna", 13),
            ("where[dam.name][not_like]=donna", 13),
            ("where[dam.name][not_in]=Bella Donna", 7),
            ("where[dam.name][exists]=true", 7),
            ("where[dam.name][exists]=false", 6),
            ("where[dam.herd][not_equals]=1", 13),
            ("where[dam.herd][not_in]=1", 13),
            ("where[dam.herd.name][equals]=Alpha", 0),
            // Dam 1 has an opened card, dam 3 has none.
            ("where[dam.card][exists]=true", 4),
            ("where[dam.card][exists]=false", 9),
            ("where[dam.card][not_equals]=card 2", 13),
            ("where[dam.card][equals]=card 2", 0),
        ] {
            assert_eq!(f.n(Anonymous, query).await, n, "{query}");
        }
        let sorted = f.ids(Anonymous, "sort=dam.name,-id&limit=0").await;
        assert_eq!(sorted[7..], [23, 17, 11, 5, 3, 1], "closed ones come last, as empty ones");
        for (who, query, n) in table![
            F1, "where[herd.holding][equals]=H1", 12;
            F1, "where[herd.holding][equals]=H2", 0;
            F1, "where[herd.holding][not_equals]=H2", 25;
            F1, "where[editor.email][equals]=farmer@demo.herdbook", 25;
            F2, "where[editor.email][equals]=farmer@demo.herdbook", 0;
            F2, "where[editor.email][not_equals]=farmer@demo.herdbook", 13;
        ] {
            assert_eq!(f.n(who, query).await, n, "{who:?} {query}");
        }
    }
}

#[tokio::test]
async fn grants_open_rows_while_they_live() {
    let grant = |expires| Grant { owner: 1, animal: Some(2), scopes: vec!["production".to_owned()], expires };
    for f in books().await {
        let tests = collection("milk-tests");
        for (grants, n) in
            [(vec![], 18), (vec![grant(None)], 24), (vec![grant(Some(NOW + 1))], 24), (vec![grant(Some(NOW))], 18)]
        {
            let who = Arc::new(Principal { grants: grants.into(), ..(*F2.principal()).clone() });
            assert_eq!(f.book.count(&who, tests, None).await.unwrap(), n);
        }
    }
}
