//! Reminders of assignments: once each, over restarts, and only of those that are open.

use super::{assignment, known, sent};
use crate::rest::world::World;
use domain::collections::{overdue, remind};

const NOBODY: [&str; 0] = [];
const DAY: i64 = 86_400;

/// What the server does every hour, under the default settings.
async fn hour(w: &World<'_>) {
    let book = &w.stage.book;
    while book.transact(|work| Box::pin(async move { overdue(work).await })).await.unwrap() {}
    for days in [1, 7] {
        while book.transact(move |work| Box::pin(async move { remind(work, days).await })).await.unwrap() {}
    }
}

/// The hours of these days, twice each; what was sent.
async fn days(w: &World<'_>, count: i64) -> Vec<String> {
    for _ in 0..count {
        hour(w).await;
        hour(w).await;
        w.stage.pass(DAY);
    }
    sent(w).await
}

/// It is 2026-03-01.
#[test_with(World::each)]
async fn an_open_assignment_is_reminded_of_twice_and_then_overdue(w: &World<'_>) {
    known(w).await;
    changed!(w, "alpha", "users", 11, {"notifySubmissions": false});
    made!(w, "expert", "upload-assignments", assignment("2026-03-11"));
    assert_eq!(sent(w).await, ["operator data are to be sent by 2026-03-11"]);
    assert_eq!(days(w, 3).await, NOBODY, "to the 3rd");
    assert_eq!(days(w, 1).await, ["operator data are to be sent in 7 days"], "the 4th");
    assert_eq!(days(w, 5).await, NOBODY, "to the 9th");
    assert_eq!(days(w, 1).await, ["operator data are to be sent tomorrow"], "the 10th");
    assert_eq!(days(w, 1).await, NOBODY, "the 11th");
    assert_eq!(days(w, 1).await, ["operator data are overdue since 2026-03-11"], "the 12th");
    assert_eq!(days(w, 20).await, NOBODY);
    let overdue = "SELECT count(*) FROM upload_assignments WHERE status = 'overdue'";
    assert_eq!(w.stage.number(overdue).await, 1);
}

/// Of reminders that were missed the closest is sent, and an assignment that was just made is not one to be reminded of.
#[test_with(World::each)]
async fn reminders_do_not_pile_up(w: &World<'_>) {
    known(w).await;
    changed!(w, "alpha", "users", 11, {"notifySubmissions": false});
    made!(w, "expert", "upload-assignments", assignment("2026-03-11"));
    made!(w, "expert", "upload-assignments", assignment("2026-03-04"));
    sent(w).await;
    assert_eq!(days(w, 1).await, NOBODY, "made three days before");
    w.stage.pass(DAY);
    assert_eq!(days(w, 1).await, ["operator data are to be sent tomorrow"], "the 3rd, of the second one");
    w.stage.pass(6 * DAY);
    let late = sent(w).await;
    assert_eq!(late, NOBODY);
    assert_eq!(
        days(w, 1).await,
        ["operator data are overdue since 2026-03-04", "operator data are to be sent tomorrow"],
        "the 10th, after a pause"
    );
}

#[test_with(World::each)]
async fn what_is_cancelled_or_begun_is_not_reminded_of_and_another_day_has_reminders_of_its_own(w: &World<'_>) {
    known(w).await;
    changed!(w, "alpha", "users", 11, {"notifySubmissions": false});
    let cancelled = made!(w, "expert", "upload-assignments", assignment("2026-03-11"));
    let begun = made!(w, "expert", "upload-assignments", assignment("2026-03-11"));
    let moved = made!(w, "expert", "upload-assignments", assignment("2026-03-11"));
    changed!(w, "expert", "upload-assignments", cancelled, {"status": "cancelled"});
    made!(w, "alpha", "data-submissions", {"kind": "productivity", "assignment": begun});
    sent(w).await;
    w.stage.pass(3 * DAY);
    assert_eq!(days(w, 1).await, ["operator data are to be sent in 7 days"], "the 4th");
    let later = World::signed_in(w.stage).await;
    changed!(later, "expert", "upload-assignments", moved, {"dueDate": "2026-03-13"});
    assert_eq!(days(w, 1).await, NOBODY, "the 5th");
    assert_eq!(days(w, 1).await, ["operator data are to be sent in 7 days"], "the 6th");
}

/// Two processes at once, and one that ends before its emails left.
#[test_with(World::each)]
async fn processes_do_not_repeat_each_other(w: &World<'_>) {
    known(w).await;
    changed!(w, "alpha", "users", 11, {"notifySubmissions": false});
    made!(w, "expert", "upload-assignments", assignment("2026-03-11"));
    sent(w).await;
    w.stage.pass(3 * DAY);
    let neighbour = w.stage.other_process().await;
    let other = World::of(&neighbour, w.tokens());
    tokio::join!(hour(w), hour(&other));
    hour(&other).await;
    assert_eq!(sent(&other).await, ["operator data are to be sent in 7 days"]);
}
