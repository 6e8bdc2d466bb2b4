//! Emails about the book's own work (docs/letters.md): who gets which in what language, reminders, and how they end.

mod for_many;
mod occasions;
mod reminders;
mod unsubscribe;
mod work;

use crate::rest::operation::letters::delivered;
use crate::rest::world::World;
use model::letter::Message;
use serde_json::{Value, json};

/// The people of the farms have confirmed accounts; Alpha's head reads Russian.
pub(crate) async fn known(w: &World<'_>) {
    for id in [11, 12, 13, 21, 41] {
        changed!(w, "admin", "users", id, {"confirmed": true});
    }
    changed!(w, "alpha", "users", 11, {"language": "ru"});
    delivered(w.stage).await;
}

/// To whom, and the subject, in order.
pub(crate) async fn sent(w: &World<'_>) -> Vec<String> {
    let mut all: Vec<String> = letters(w).await.iter().map(line).collect();
    all.sort();
    all
}

fn line(letter: &Message) -> String {
    let to = letter.to.trim_end_matches("@demo.herdbook");
    let subject = letter.subject.trim_start_matches("herdbook: ");
    format!("{to} {subject}")
}

/// Everything that is due.
pub(crate) async fn letters(w: &World<'_>) -> Vec<Message> {
    delivered(w.stage).await
}

/// What Alpha is to send.
fn assignment(due: &str) -> Value {
    json!({"organization": 1, "kind": "productivity", "dataset": "milkTests", "periodFrom": "2026-02-01",
        "periodTo": "2026-02-28", "dueDate": due, "comment": "By \"email\", <please>."})
}
